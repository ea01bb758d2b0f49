"""What samples prove, with bounds.

A sample shows a value at one time, or over a window that ends there. Between two samples anything can have happened: a change lies
between them, and nothing is carried over a gap. Each function returns bounds that hold for every course of the values that fits the samples.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import NamedTuple

from replay.tables.metrics import Sample

GAP = 2.5  # a distance of more than so many usual ones is a gap
STARTED_WITHIN_S = 60.0  # a meter of Kafka begins at most this long after its process


class Point(NamedTuple):
    """A value that holds for the time from `since` to `ts`, or for `ts` alone if both are the same.

    `ids`: the samples behind the value. `until`: the latest time at which the value was read, if that is later than `ts`,
    the begin of the scrape.
    """

    ts: datetime
    since: datetime
    value: float
    ids: tuple[str, ...]
    until: datetime | None = None

    @property
    def latest(self) -> datetime:
        """The latest time at which the value was read."""
        return self.ts if self.until is None else self.until


@dataclass(frozen=True)
class Run:
    """A time in which a condition held at every point: it began later than `began_low` (None: unknown) and no later than
    `began_high`, and ended no earlier than `ended_low` and no later than `ended_high` (None: unknown).
    """

    points: tuple[Point, ...]
    began_low: datetime | None
    began_high: datetime
    ended_low: datetime
    ended_high: datetime | None

    @property
    def worst(self) -> float:
        """The greatest value."""
        return max(point.value for point in self.points)

    @property
    def ids(self) -> list[str]:
        """The samples that prove it."""
        return list(dict.fromkeys(one for point in self.points for one in point.ids))


def points_of(samples: Iterable[Sample], read_in: Callable[[Sample], timedelta] | None = None) -> list[Point]:
    """The values of one series in the order of time; at one time the first counts. `read_in` returns how long a scrape took. Means since
    the start of the process are left out.
    """
    points: dict[datetime, Point] = {}
    for one in samples:
        if one.value is None or (one.kind == "window" and one.window_ms is None):
            continue
        since = one.ts - timedelta(milliseconds=(one.window_ms or 0) + (one.age_ms or 0))
        until = None if read_in is None else one.ts + read_in(one)
        points.setdefault(one.ts, Point(one.ts, since, one.value, (one.sample_id,), until))
    return sorted(points.values(), key=lambda point: point.ts)


def usual_distance(points: Sequence[Point]) -> timedelta | None:
    """The usual distance of two points; None for fewer than two."""
    seconds = [(later.ts - earlier.ts).total_seconds() for earlier, later in itertools.pairwise(points)]
    return timedelta(seconds=median(seconds)) if seconds else None


def gaps(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """The neighbors between which points are missing."""
    usual = usual_distance(points)
    return [] if usual is None else [(a, b) for a, b in itertools.pairwise(points) if b.ts - a.ts > GAP * usual]


def changes(points: Sequence[Point]) -> list[Point]:
    """How much a counter grew between neighbors: the value is the growth, from `since` to `ts`. A counter that fell was reset: its
    growth is unknown, and there is no row. The growth over a gap is exact, too, but it covers the whole gap.
    """
    return [
        Point(
            later.ts,
            min(earlier.since, earlier.ts),
            later.value - earlier.value,
            (*earlier.ids, *later.ids),
            later.until,
        )
        for earlier, later in itertools.pairwise(points)
        if later.value >= earlier.value and later.ts > earlier.ts
    ]


def rates(points: Sequence[Point]) -> list[Point]:
    """The growth of a counter for each second, between neighbors."""
    seconds = {later.ts: (later.ts - earlier.ts).total_seconds() for earlier, later in itertools.pairwise(points)}
    return [one._replace(value=one.value / seconds[one.ts]) for one in changes(points)]


def ratios(over: Sequence[Point], under: Sequence[Point]) -> list[Point]:
    """The growth of one counter for each unit of another, where both were sampled at the same times: the mean time of a write,
    from the seconds and the number of writes. No row where the other did not grow.
    """
    by_times = {(one.since, one.ts): one for one in changes(under)}
    return [
        one._replace(value=one.value / other.value, ids=(*one.ids, *other.ids))
        for one in changes(over)
        if (other := by_times.get((one.since, one.ts))) is not None and other.value > 0
    ]


def runs(points: Sequence[Point], is_bad: Callable[[Point], bool]) -> list[Run]:
    """The times in which `is_bad` holds for all points. A gap ends a run, because no sample covers it."""
    in_gap = {earlier.ts for earlier, _ in gaps(points)}
    found: list[Run] = []
    first: int | None = None
    for number, point in enumerate(points):
        if is_bad(point) and first is None:
            first = number
        is_last = number + 1 == len(points) or point.ts in in_gap or not is_bad(points[number + 1])
        if first is not None and is_last:
            found.append(_run(points, first, number))
            first = None
    return found


def _run(points: Sequence[Point], first: int, last: int) -> Run:
    """The bounds of a run: a good point before it shows that it began later, or within the window of that point."""
    before = points[first - 1] if first else None
    after = points[last + 1] if last + 1 < len(points) else None
    return Run(
        tuple(points[first : last + 1]),
        None if before is None else before.since,
        points[first].latest,
        min(points[last].since, points[last].ts),
        None if after is None else after.latest,
    )


def is_covered(points: Sequence[Point], low: datetime, high: datetime) -> bool:
    """Whether points without a gap cover the whole time from `low` to `high`."""
    inside = [one for one in points if one.ts >= low and one.since <= high]
    if not inside or inside[-1].ts < high:
        return False
    starts_before = inside[0].since <= low or any(one.ts <= low for one in points)
    broken = [(a, b) for a, b in gaps(points) if a.ts < high and b.ts > low]
    return starts_before and not broken


def since_start(points: Sequence[Point], started: datetime) -> list[tuple[Point, float, float]]:
    """The mean of each time between neighbors, recovered from a mean since the start of the process: the point, and the least
    and the greatest mean that fit. The mean begins up to a minute after the process.

    Kafka's RequestHandlerAvgIdlePercent is often exported as such a mean (MeanRate): after a day it hardly moves.
    """
    found = []
    for earlier, later in itertools.pairwise(points):
        up_before, up = (earlier.ts - started).total_seconds(), (later.ts - started).total_seconds()
        if up_before <= STARTED_WITHIN_S or up <= up_before:
            continue
        plain = (later.value * up - earlier.value * up_before) / (up - up_before)
        moved = STARTED_WITHIN_S * (later.value - earlier.value) / (up - up_before)
        point = Point(later.ts, earlier.ts, plain, (*earlier.ids, *later.ids), later.until)
        found.append((point, min(plain, plain - moved), max(plain, plain - moved)))
    return found


def usual(points: Sequence[Point], before: datetime) -> float | None:
    """The median of the values before a time; None for fewer than three."""
    past = [one.value for one in points if one.ts < before]
    return median(past) if len(past) >= 3 else None


def at_that_time(points: Sequence[Point], point: Point) -> list[float]:
    """The values of another series whose times overlap the time of `point`."""
    return [one.value for one in points if one.ts > point.since and one.since < point.ts]


def overlapping_leaders(by_node: Iterable[tuple[int, Sequence[Point]]]) -> Iterator[tuple[int, int, Point, Point]]:
    """Pairs of nodes that were certainly both the active controller: each shows 1 at two scrapes in a row, and these times
    overlap. One scrape each, at different times, is a normal move of the controller.
    """
    spans = [
        (node, earlier, later)
        for node, points in by_node
        for broken in (set(gaps(points)),)
        for earlier, later in itertools.pairwise(points)
        if earlier.value == later.value == 1 and (earlier, later) not in broken
    ]
    for number, (node, low, high) in enumerate(spans):
        for other, other_low, other_high in spans[number + 1 :]:
            if other != node and low.ts < other_high.ts and other_low.ts < high.ts:
                yield node, other, max(low, other_low), min(high, other_high)


def summed(by_node: Sequence[Sequence[Point]], at: datetime, within: timedelta) -> tuple[float, int]:
    """The sum of the last values of all nodes at a time, and how many nodes have none: a dead broker leaves a sum, so a sum
    with a node missing is no recovery.
    """
    last = [max((one for one in points if at - within <= one.ts <= at), default=None) for points in by_node]
    return sum(one.value for one in last if one is not None), sum(one is None for one in last)
