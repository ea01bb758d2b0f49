"""What lasts at a moment: of spans that overlap, end at once, or lie within others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from replay.facts.in_time import InTime, OfNodes
from tests.each import for_each

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def in_time(*spans: tuple[int, int, str]) -> InTime[str]:
    found = InTime[str]()
    for begin, end, name in spans:
        found.add(at(begin), at(end), name)
    return found


@for_each(
    ("begun_by", "not_over_at", "names"),
    [
        (0, 0, ["long"]),
        (4, 4, ["short", "long"]),
        (5, 5, ["short", "long"]),
        (7, 7, ["long"]),
        (9, 4, ["late", "short", "long"]),
        (20, 20, []),
        (-1, -1, []),
    ],
)
def test_the_latest_comes_first_and_both_ends_count(begun_by, not_over_at, names):
    found = in_time((4, 5, "short"), (0, 10, "long"), (9, 9, "late"))
    assert list(found.lasting(at(begun_by), at(not_over_at))) == names


def test_it_finds_what_a_look_at_every_span_finds():
    random = Random(7)
    spans = [(begin, begin + random.randrange(30), str(begin)) for begin in random.sample(range(1_000), 300)]
    found = in_time(*spans)
    for moment in range(0, 1_040, 7):
        every = [name for begin, end, name in sorted(spans) if begin <= moment <= end]
        assert list(found.lasting(at(moment), at(moment))) == every[::-1]


def test_without_spans_nothing_lasts():
    assert list(in_time().lasting(NOON, NOON)) == []


def test_what_has_no_bounds_lasts_at_all_times():
    found = in_time((4, 5, "short"))
    found.add(None, at(6), "until six")
    found.add(at(3), None, "since three")
    assert list(found.lasting(at(4), at(4))) == ["short", "since three", "until six"]
    assert list(found.lasting(at(2), at(2))) == ["until six"]
    assert list(found.lasting(None, at(7))) == ["since three"]


def test_of_nodes_each_has_its_own_times():
    times = [(1, 0, 4, "one"), (2, 3, 5, "two"), (1, 6, 8, "one again"), (None, 0, 9, "of no node")]
    found = OfNodes(times, lambda row: row[0], lambda row: at(row[1]), lambda row: at(row[2]))
    names = {node: [row[3] for row in found.lasting(node, at(9), at(4))] for node in (1, 2, 3, None)}
    assert names == {1: ["one again", "one"], 2: ["two"], 3: [], None: []}
