"""Sets of times, against a slow and obviously right reference: the seconds that each set holds."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from replay.facts.intervals import common, united, without

BEGIN = datetime(2024, 5, 1, tzinfo=UTC)


def _times(rng: random.Random) -> list[tuple[datetime, datetime]]:
    begins = [rng.randrange(40) for _ in range(rng.randrange(6))]
    return [(BEGIN + timedelta(seconds=b), BEGIN + timedelta(seconds=b + rng.randrange(1, 12))) for b in begins]


def _seconds(times) -> set[int]:
    return {s for start, end in times for s in range((start - BEGIN).seconds, (end - BEGIN).seconds)}


def test_unions_intersections_and_differences_of_random_times():
    rng = random.Random(3)
    for _ in range(500):
        one, other = united(_times(rng)), united(_times(rng))
        assert _seconds(common(one, other)) == _seconds(one) & _seconds(other)
        assert _seconds(without(one, other)) == _seconds(one) - _seconds(other)
        assert all(before[1] < after[0] for before, after in pairwise(one))
