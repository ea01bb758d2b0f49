"""The partitions of topics that waited about as long as each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replay.tables.availability import TopicDowntime

_ABOUT_AS_LONG = 0.9  # a bound that is at least this share of another is about the same
_ALIKE = 1.5  # the bounds of a group differ by less than this factor


class AlikeWaits(NamedTuple):
    """How many partitions waited about as long as each other, and how long each of them did, at least and at most."""

    partitions: int
    low_ms: int
    high_ms: int


def alike_waits(rows: Sequence[TopicDowntime]) -> list[AlikeWaits]:
    """The partitions of some topics that surely waited, in groups of those whose bounds are alike, the longest first. Empty
    if each of them waited about as long as all of its topic together.
    """
    if all(
        low_ms >= row.low_ms * _ABOUT_AS_LONG and high_ms >= row.high_ms * _ABOUT_AS_LONG
        for row in rows
        for low_ms, high_ms in _bounds(row)
    ):
        return []
    groups: list[AlikeWaits] = []
    for low_ms, high_ms in sorted((bounds for row in rows for bounds in _bounds(row)), reverse=True):
        at = next((n for n, group in enumerate(groups) if _is_of(group, low_ms, high_ms)), None)
        if at is None:
            groups.append(AlikeWaits(1, low_ms, high_ms))
        else:
            groups[at] = AlikeWaits(groups[at].partitions + 1, low_ms, max(high_ms, groups[at].high_ms))
    is_one = len(groups) == 1 and groups[0].low_ms >= min(row.low_ms for row in rows) * _ABOUT_AS_LONG
    return [] if is_one else sorted(groups, key=lambda group: (-group.low_ms, -group.high_ms))


def _bounds(row: TopicDowntime) -> Iterable[tuple[int, int]]:
    """How long each partition that surely waited did, at least and at most, and no longer than its topic."""
    sure = {*(row.partitions or ())}
    for name, low_ms, high_ms in zip(row.may_partitions or (), row.lows_ms or (), row.highs_ms or (), strict=False):
        if name in sure:
            yield low_ms, min(high_ms, row.high_ms)


def _is_of(group: AlikeWaits, low_ms: int, high_ms: int) -> bool:
    return group.low_ms < low_ms * _ALIKE and group.high_ms / _ALIKE < high_ms < group.high_ms * _ALIKE
