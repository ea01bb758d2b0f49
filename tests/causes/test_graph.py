"""Roots by a walk through the graph, rivals by a motif: one graph of several islands, since each step is a job of its own."""

from __future__ import annotations

import pytest

from replay.causes import graph
from replay.tables.causes import EDGES, HAPPENINGS, RIVALS, ROOTS
from tests.causes.frames import worked_out
from tests.tables import same, table


def walked(spark, state, step, news):
    """The state after as many steps as there is news for, and how many these were; each state is worked out, as the stages do."""
    steps = 0
    state = spark.createDataFrame(state.toArrow(), state.schema)
    while not state.where(news).isEmpty():
        state, steps = step(state), steps + 1
        state = spark.createDataFrame(state.toArrow(), state.schema)
    return state, steps


# A chain of seven steps, beside it one of three; a diamond with a short cut; an effect of two roots; two that cause each other;
# something alone; a cause that is only a rival.
LED_TO = """
    src    | dst    | rank
    n0     | n1     | 1
    n1     | n2     | 1
    n2     | n3     | 1
    n3     | n4     | 1
    n4     | n5     | 1
    n5     | n6     | 1
    n6     | n7     | 1
    kill   | lost   | 1
    lost   | vote   | 1
    vote   | cut    | 1
    pause  | left   | 1
    pause  | right  | 1
    left   | bottom | 1
    right  | middle | 1
    middle | bottom | 1
    one    | both   | 1
    two    | step   | 1
    step   | both   | 1
    hen    | egg    | 1
    egg    | hen    | 1
    egg    | chick  | 1
    alone  | lost   | 2 """


@pytest.fixture(scope="module")
def walk(spark):
    edges = table(spark, EDGES, LED_TO)
    happenings = edges.selectExpr("src id").union(edges.selectExpr("dst id")).distinct()
    first = graph.own_roots(happenings, edges)
    state, steps = walked(
        spark, first, lambda state: graph.roots_told(state, happenings, edges), graph.has_fresh_roots()
    )
    return worked_out(spark, ROOTS, graph.roots(state)), steps


def _of(walk, *ids):
    return {
        (row.id, root): distance
        for row in walk[0].collect()
        if row.id in ids
        for root, distance in zip(row.root_ids, row.distances, strict=True)
    }


def test_a_chain_goes_back_to_its_first_link_however_long_it_is(walk):
    """The walk ends one step after the longest chain: nobody has anything new to tell."""
    assert _of(walk, "kill", "vote", "cut") == {("kill", "kill"): 0, ("vote", "kill"): 2, ("cut", "kill"): 3}
    assert _of(walk, "n0", "n1", "n7") == {("n0", "n0"): 0, ("n1", "n0"): 1, ("n7", "n0"): 7}
    assert walk[1] == 8


def test_of_two_ways_to_one_root_the_nearer_counts(walk):
    assert _of(walk, "bottom", "middle") == {("bottom", "pause"): 2, ("middle", "pause"): 2}


def test_an_effect_of_two_roots_has_both(walk):
    assert _of(walk, "both") == {("both", "one"): 1, ("both", "two"): 2}


def test_what_only_causes_itself_has_no_root(walk):
    assert _of(walk, "hen", "egg", "chick") == {}


def test_a_rival_that_is_not_accepted_is_no_root(walk):
    assert _of(walk, "lost", "alone") == {("lost", "kill"): 1, ("alone", "alone"): 0}


def test_without_edges_everything_is_a_root(spark):
    happenings, edges = table(spark, HAPPENINGS, "id\nkill\npause"), EDGES.empty(spark)
    first = graph.own_roots(happenings, edges)
    state, _ = walked(spark, first, lambda state: graph.roots_told(state, happenings, edges), graph.has_fresh_roots())
    same(graph.roots(state), ROOTS, "id | root_ids | distances\nkill | kill | 0\npause | pause | 0")


def test_two_faults_that_look_alike_and_could_have_caused_the_same_are_rivals(spark):
    """Not two whose kinds a line always tells apart, nor two that explain other things of one effect, nor what is alone."""
    happenings = table(
        spark,
        HAPPENINGS,
        """
        id     | kind
        pause  | paused
        slow   | slow_follower
        kill   | killed
        cut    | cut_from_peers
        left-1 | isr_shrink
        left-2 | isr_shrink
        left-3 | isr_shrink
        vote   | election      """,
    )
    edges = table(
        spark,
        EDGES,
        """
        src   | dst    | aspect      | rank | confidence
        pause | left-1 | member      | 1    | 0.8
        slow  | left-1 | member      | 2    | 0.4
        pause | left-2 | member      | 1    | 0.8
        slow  | left-2 | member      | 2    | 0.7
        kill  | left-2 | member      | 3    | 0.6
        pause | left-3 | member      | 1    | 0.8
        kill  | vote   | leader_left | 1    | 0.9
        cut   | vote   | other       | 2    | 0.5        """,
    )
    same(
        graph.rivals(happenings, edges),
        RIVALS,
        """
        fault_id | rival_id | effects | confidence
        pause    | slow     | 2       | 0.7        """,
    )
