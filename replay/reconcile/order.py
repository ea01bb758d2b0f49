"""Which leader epoch a record belongs to, from the order of the records around it.

Within one leader epoch offsets rise with time. Of two records whose offsets fall while the time rises, only one can
belong to it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_JITTER = 500_000  # microseconds within which acknowledgements can arrive in any order
_ROUNDS = 8
APART = 2 * _JITTER  # times that are never taken for simultaneous


@dataclass
class Contested:
    """A record that can belong to several parts of the log."""

    ts: int
    offset: int
    parts: tuple[int, ...]


def narrowed(records: Sequence[Contested], offsets_of: Mapping[int, tuple[int, int]]) -> list[tuple[int, ...]]:
    """The parts that each record can belong to, given all the others; `offsets_of` has the offsets of each part."""
    possible = [record.parts for record in records]
    for _ in range(_ROUNDS):
        sure = {
            part: _Sure(
                [
                    (record.ts, record.offset)
                    for record, parts in zip(records, possible, strict=True)
                    if parts == (part,)
                ]
            )
            for part in {part for parts in possible for part in parts}
        }
        now = [
            parts
            if len(parts) < 2
            else tuple(part for part in parts if sure[part].allows(record.ts, record.offset)) or parts
            for record, parts in zip(records, possible, strict=True)
        ]
        if now == possible:
            break
        possible = now
    return _by_fall(records, possible, offsets_of)


def _by_fall(
    records: Sequence[Contested], possible: list[tuple[int, ...]], offsets_of: Mapping[int, tuple[int, int]]
) -> list[tuple[int, ...]]:
    """Where the offsets of the records that are left fall once while time rises, their producer, or their consumer, changed
    to the leader of the latest leader epoch: it does not return to that of an earlier one. The offsets of the earlier
    parts must rise, so that only this change lets them fall.
    """
    left = sorted((record.ts, record.offset, n) for n, record in enumerate(records) if len(possible[n]) > 1)
    latest = {max(possible[n]) for _, _, n in left}
    earlier = sorted({part for _, _, n in left for part in possible[n]} - latest)
    if len(latest) != 1 or any(offsets_of[then][0] < offsets_of[one][1] for one, then in pairwise(earlier)):
        return possible
    falls = [n for n, (one, then) in enumerate(pairwise(left), 1) if then[1] <= one[1] and then[0] > one[0]]
    if len(falls) != 1:
        return possible
    for n, (_, _, place) in enumerate(left):
        possible[place] = tuple(part for part in possible[place] if (part in latest) == (n >= falls[0]))
    return possible


class _Sure:
    """The records that certainly belong to one part."""

    def __init__(self, records: list[tuple[int, int]]) -> None:
        records.sort()
        self._times = [ts for ts, _ in records]
        self._at: dict[int, int] = {}
        self._highest: list[int] = []  # of the records up to each
        for ts, offset in records:
            self._highest.append(max(offset, self._highest[-1] if self._highest else -1))
            self._at.setdefault(offset, ts)
        lowest: list[int] = []  # of the records from each on
        for _, offset in reversed(records):
            lowest.append(min(offset, lowest[-1] if lowest else offset))
        self._lowest = lowest[::-1]

    def allows(self, ts: int, offset: int) -> bool:
        """Whether another record can belong to this part too."""
        if offset in self._at:
            return self._at[offset] == ts  # the same acknowledgement twice
        before = bisect_left(self._times, ts - _JITTER)
        after = bisect_right(self._times, ts + _JITTER)
        if before and self._highest[before - 1] > offset:
            return False
        return not (after < len(self._times) and self._lowest[after] < offset)
