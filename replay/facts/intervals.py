"""Sets of times: lists of intervals in order, none of which overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

Interval = tuple[datetime, datetime]


def united(times: Iterable[Interval]) -> list[Interval]:
    """The times in order. Those that overlap or touch are merged."""
    joined: list[Interval] = []
    for start_ts, end_ts in sorted(times):
        if joined and start_ts <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end_ts, joined[-1][1]))
        else:
            joined.append((start_ts, end_ts))
    return joined


def common(one: Sequence[Interval], other: Sequence[Interval]) -> list[Interval]:
    """The times that lie in both sets."""
    return [*_common(one, other)]


def _common(one: Sequence[Interval], other: Sequence[Interval]) -> Iterator[Interval]:
    at = there = 0
    while at < len(one) and there < len(other):
        start_ts, end_ts = max(one[at][0], other[there][0]), min(one[at][1], other[there][1])
        if start_ts < end_ts:
            yield start_ts, end_ts
        if one[at][1] <= other[there][1]:
            at += 1
        else:
            there += 1


def without(times: Iterable[Interval], taken: Sequence[Interval]) -> list[Interval]:
    """The times that do not lie in `taken`."""
    left: list[Interval] = []
    for start_ts, end_ts in times:
        for begin_ts, over_ts in taken:
            if over_ts <= start_ts or begin_ts >= end_ts:
                continue
            if begin_ts > start_ts:
                left.append((start_ts, begin_ts))
            start_ts = over_ts
            if start_ts >= end_ts:
                break
        if start_ts < end_ts:
            left.append((start_ts, end_ts))
    return left
