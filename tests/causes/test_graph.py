"""Roots by a walk through the graph, rivals by a motif: one graph of several islands, since each step is a job of its own.

What GraphFrames finds, and what plain Python does where its classes are missing, is the same.
"""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame

from pipelines import lent_session
from pipelines.incident import stages
from pipelines.stages import DriverStage, SparkRounds
from replay.causes import graph, partition_causes, walks
from replay.causes.partition_causes import cluster_graph
from replay.causes.rules import INDISTINGUISHABLE
from replay.tables import Table
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.causes import EDGES, HAPPENINGS, RIVALS, ROOTS, VERTICES, Edge, Happening
from replay.tables.row import Row
from tests.golden import TRACES
from tests.stages import plain
from tests.tables import rows, same_rows


def walked(spark, state, step):
    """The state after as many steps as there is news for, and how many these were; each state is worked out, as the stages do."""
    steps = 0
    state = spark.createDataFrame(state.toArrow(), state.schema)
    while not state.where("news").isEmpty():
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


def _vertices(edges: list[Row]) -> list[Row]:
    return [Happening(id=id_) for id_ in sorted({id_ for edge in edges for id_ in (edge.src, edge.dst)})]


def _by_graphframes(spark, happenings: list[Row], edges: list[Row]) -> tuple[list[Row], int]:
    """The roots, and the number of steps to them."""
    vertices, led_to = (_frame(spark, *given) for given in ((HAPPENINGS, happenings), (EDGES, edges)))
    first = graph.first_paths(vertices, led_to)
    state, steps = walked(spark, first, lambda state: graph.paths_doubled(state, vertices, led_to))
    return plain(graph.roots(state), ROOTS), steps


def _frame(spark, table: Table, given: list[Row]) -> DataFrame:
    return spark.createDataFrame(to_arrow(table, given), table.schema)


@pytest.fixture(scope="module")
def by_graphframes(spark):
    edges = rows(EDGES, LED_TO)
    return _by_graphframes(spark, _vertices(edges), edges)


@pytest.fixture(params=["GraphFrames", "plain Python"])
def walk(request, by_graphframes):
    edges = rows(EDGES, LED_TO)
    return by_graphframes[0] if request.param == "GraphFrames" else walks.roots(_vertices(edges), edges)


def _of(walk, *ids):
    return {
        (row.id, root): distance
        for row in walk
        if row.id in ids
        for root, distance in zip(row.root_ids, row.distances, strict=True)
    }


def test_a_chain_goes_back_to_its_first_link_however_long_it_is(walk):
    assert _of(walk, "kill", "vote", "cut") == {("kill", "kill"): 0, ("vote", "kill"): 2, ("cut", "kill"): 3}
    assert _of(walk, "n0", "n1", "n7") == {("n0", "n0"): 0, ("n1", "n0"): 1, ("n7", "n0"): 7}


def test_each_step_doubles_the_paths_so_three_find_a_chain_of_seven(by_graphframes):
    assert by_graphframes[1] == 3


def test_of_two_ways_to_one_root_the_nearer_counts(walk):
    assert _of(walk, "bottom", "middle") == {("bottom", "pause"): 2, ("middle", "pause"): 2}


def test_an_effect_of_two_roots_has_both(walk):
    assert _of(walk, "both") == {("both", "one"): 1, ("both", "two"): 2}


def test_what_only_causes_itself_has_no_root(walk):
    assert _of(walk, "hen", "egg", "chick") == {}


def test_a_rival_that_is_not_accepted_is_no_root(walk):
    assert _of(walk, "lost", "alone") == {("lost", "kill"): 1, ("alone", "alone"): 0}


def test_without_edges_everything_is_a_root(spark):
    happenings = rows(HAPPENINGS, "id\nkill\npause")
    for found in (walks.roots(happenings, []), _by_graphframes(spark, happenings, [])[0]):
        same_rows(found, ROOTS, "id | root_ids | distances\nkill | kill | 0\npause | pause | 0")


def test_two_faults_that_look_alike_and_could_have_caused_the_same_are_rivals(spark):
    """Not two whose kinds a line always tells apart, nor two that explain other things of one effect, nor what is alone."""
    happenings = rows(
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
    edges = rows(
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
    for found in (walks.rivals(happenings, edges), _rivals_by_graphframes(spark, happenings, edges)):
        same_rows(
            found,
            RIVALS,
            """
            fault_id | rival_id | effects | confidence
            pause    | slow     | 2       | 0.7        """,
        )


def _rivals_by_graphframes(spark, happenings: list[Row], edges: list[Row]) -> list[Row]:
    return plain(graph.rivals(_frame(spark, HAPPENINGS, happenings), _frame(spark, EDGES, edges)), RIVALS)


def test_graphframes_and_plain_python_come_to_the_same_in_any_graph(spark):
    """Sixty islands made at random, with cycles, short cuts and vertices of many roots."""
    random = Random(36)
    kinds = sorted({kind for pair in INDISTINGUISHABLE[-3:] for kind in pair})
    happenings, edges = [], []
    for island in range(60):
        ids = [f"{island}/{n}" for n in range(random.randint(1, 9))]
        happenings += [Happening(id=id_, kind=random.choice(kinds)) for id_ in ids]
        edges += _at_random(random, ids)
    roots, _ = _by_graphframes(spark, happenings, edges)
    assert _sorted(walks.roots(happenings, edges)) == _sorted(roots)
    rivals = _rivals_by_graphframes(spark, happenings, edges)
    assert len(rivals) > 20
    assert _sorted(walks.rivals(happenings, edges)) == _sorted(rivals)


@pytest.mark.nightly
def test_roots_of_a_recorded_cluster_are_those_of_graphframes_over_its_whole_graph(spark, result_of):
    """The causes and vertices of a result, cut into the cluster's and those of each partition as the passes see them."""
    tables = result_of(TRACES / "unclean-election-elr-kraft-4.2.0") / "tables"
    vertices, edges = (
        [
            row
            for part in sorted((tables / table.name).glob("*.parquet"))
            for row in from_arrow(table, pq.read_table(part))
        ]
        for table in (VERTICES, EDGES)
    )
    happenings = [Happening(id=one.id, kind=one.kind, topic=one.topic, partition=one.partition) for one in vertices]
    calls = defaultdict(list)
    for one in happenings:
        calls[one.topic, one.partition].append(one)
    of_cluster = calls.pop((None, None))
    found, _ = _partition_by_partition([[(own, _to(own, edges)) for own in (of_cluster, *calls.values())]])
    assert len(calls) > 5 and len(found) > 50
    by_graphframes, _ = _by_graphframes(spark, happenings, edges)
    assert _sorted(row.but(topic=None, partition=None) for row in found) == _sorted(by_graphframes)
    assert _sorted(found) == _sorted(walks.roots(happenings, edges))


def _to(effects: list[Row], edges: list[Row]) -> list[Row]:
    ids = {one.id for one in effects}
    return [edge for edge in edges if edge.dst in ids]


def test_a_session_without_graphframes_classes_is_noticed(spark, monkeypatch):
    assert lent_session.has_graphframes(spark)
    monkeypatch.setattr(lent_session, "GRAPHFRAMES_API", "org.graphframes.Missing")
    assert not lent_session.has_graphframes(spark)


@pytest.mark.parametrize(("with_graphframes", "made_as"), [(True, SparkRounds), (False, DriverStage)])
def test_the_graph_is_walked_in_plain_python_only_without_them(with_graphframes, made_as):
    assert [type(stage) for stage in stages(with_graphframes) if stage.table == "cluster_roots"] == [made_as]


@pytest.fixture(scope="module")
def islands():
    """Clusters and partitions made at random, with cycles, short cuts and vertices of many causes on both sides; no edge leads
    from a partition back to the cluster, nor from one partition to another. For each: its happenings, and the edges to them."""
    random, found = Random(36), []
    kinds = sorted({kind for pair in INDISTINGUISHABLE[-3:] for kind in pair})
    for island in range(60):
        cluster = [f"{island}/c{n}" for n in range(random.randint(1, 6))]
        calls = [_call(random, cluster, cluster, kinds, None)]
        for partition in range(random.randint(1, 3)):
            own = [f"{island}/p{partition}/{n}" for n in range(random.randint(1, 6))]
            calls.append(_call(random, cluster + own, own, kinds, partition))
        found.append(calls)
    return found


def _call(random: Random, causes: list[str], effects: list[str], kinds: list[str], partition: int | None):
    topic = None if partition is None else "orders"
    happenings = [Happening(id=id_, kind=random.choice(kinds), topic=topic, partition=partition) for id_ in effects]
    return happenings, [edge for edge in _at_random(random, causes) if edge.dst in effects]


def _partition_by_partition(islands) -> tuple[list[Row], list[Row]]:
    """Roots and rivals as the stages find them: of the cluster in its graph, then of each partition."""
    roots, rivals = [], []
    for (cluster, of_cluster), *_ in islands:
        rivals += walks.cluster_rivals(cluster, of_cluster)
    for calls in islands:
        known = cluster_graph(calls[0][0], walks.cluster_roots(*calls[0]), [], [])
        for happenings, edges in calls:
            roots += partition_causes.roots(happenings, edges, known)
            rivals += partition_causes.rivals(happenings, edges, known)
    return roots, walks.merge_rivals(rivals)


def test_roots_and_rivals_found_partition_by_partition_are_those_of_the_whole_graph(islands):
    roots, rivals = _partition_by_partition(islands)
    happenings, edges = ([row for calls in islands for call in calls for row in call[part]] for part in (0, 1))
    assert len(rivals) > 20
    assert _sorted(roots) == _sorted(walks.roots(happenings, edges))
    assert _sorted(rivals) == _sorted(walks.rivals(happenings, edges))


def test_roots_and_rivals_found_partition_by_partition_are_those_of_graphframes(spark, islands):
    roots, rivals = _partition_by_partition(islands)
    happenings, edges = ([row for calls in islands for call in calls for row in call[part]] for part in (0, 1))
    found, _ = _by_graphframes(spark, happenings, edges)
    assert _sorted(row.but(topic=None, partition=None) for row in roots) == _sorted(found)
    assert _sorted(rivals) == _sorted(_rivals_by_graphframes(spark, happenings, edges))


def _at_random(random: Random, ids: list[str]) -> list[Row]:
    """Edges between these vertices, ranked as causes of each effect and aspect are."""
    rank: dict[tuple[str, str], int] = defaultdict(int)
    edges = []
    for src, dst in sorted({(random.choice(ids), random.choice(ids)) for _ in ids + ids}):
        aspect = random.choice(("member", "fault"))
        rank[dst, aspect] += 1
        told = {"rank": random.choice((1, rank[dst, aspect])), "confidence": random.randint(1, 9) / 10}
        if src != dst:
            edges.append(Edge(src=src, dst=dst, aspect=aspect, relation="R1", **told))
    return edges


def _sorted(found: list[Row]) -> list[str]:
    return sorted(map(repr, found))
