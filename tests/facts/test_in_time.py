"""What lasts at a moment: of spans that overlap, end at once, or lie within others."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from replay.facts.in_time import InTime

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def in_time(*spans: tuple[int, int, str]) -> InTime[str]:
    found = InTime[str]()
    for begin, end, name in spans:
        found.add(at(begin), at(end), name)
    return found


@pytest.mark.parametrize(
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
