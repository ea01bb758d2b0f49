"""Which roots each happening goes back to: one graph of several islands, since each walk is a job of its own."""

from __future__ import annotations

import pytest

from replay.causes.graph import FURTHEST, roots_of
from replay.tables import EDGES, VERTICES
from tests.tables import same, table

ROOTS = "id string, root_id string, distance int"


def test_without_edges_everything_is_a_root(spark):
    vertices = table(
        spark,
        VERTICES,
        """
        id
        kill
        pause """,
    )
    same(
        roots_of(vertices, table(spark, EDGES, "src | dst")),
        ROOTS,
        """
        id    | root_id | distance
        kill  | kill    | 0
        pause | pause   | 0        """,
    )


@pytest.fixture(scope="module")
def islands(spark):
    """A chain, a diamond with a short cut, an effect of two roots, a chain longer than the walk, two that cause each other."""
    edges = table(
        spark,
        EDGES,
        """
        src    | dst    | relation
        kill   | lost   | R2
        lost   | vote   | R4
        vote   | cut    | R10
        pause  | left   | R13
        pause  | right  | R3
        left   | bottom | R13
        right  | middle | R4
        middle | bottom | R4
        left   | bottom | R3
        one    | both   | R2
        two    | step   | R2
        step   | both   | R4
        n0     | n1     | R1
        n1     | n2     | R1
        n2     | n3     | R1
        n3     | n4     | R1
        n4     | n5     | R1
        hen    | egg    | R1
        egg    | hen    | R1
        egg    | chick  | R1 """,
    )
    vertices = edges.selectExpr("src id").union(edges.selectExpr("dst id")).distinct()
    return {(r.id, r.root_id): r.distance for r in roots_of(vertices, edges).collect()}


def _of(islands, *ids):
    return {key: distance for key, distance in islands.items() if key[0] in ids}


def test_a_chain_goes_back_to_its_first_link(islands):
    assert _of(islands, "kill", "lost", "vote", "cut") == {
        ("kill", "kill"): 0,
        ("lost", "kill"): 1,
        ("vote", "kill"): 2,
        ("cut", "kill"): 3,
    }


def test_of_two_ways_to_one_root_the_nearer_counts(islands):
    assert _of(islands, "bottom", "middle") == {("bottom", "pause"): 2, ("middle", "pause"): 2}


def test_an_effect_of_two_roots_has_both(islands):
    assert _of(islands, "both") == {("both", "one"): 1, ("both", "two"): 2}


def test_the_walk_ends_after_its_furthest_step(islands):
    assert FURTHEST == 4
    assert _of(islands, "n4", "n5") == {("n4", "n0"): 4}


def test_what_only_causes_itself_has_no_root(islands):
    assert _of(islands, "hen", "egg", "chick") == {}
