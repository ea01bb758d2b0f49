"""What lasts from one time to another, to look up what lasts at a moment."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime
from itertools import accumulate
from operator import itemgetter
from typing import Generic, TypeVar

T = TypeVar("T")


class InTime(Generic[T]):
    """Many values that last for a time each, of which few last at any moment. Add all of them before the first look-up."""

    def __init__(self) -> None:
        self._added: list[tuple[datetime, datetime, T]] = []
        self._begins: list[datetime] | None = None
        self._last_ends: list[datetime] = []

    def add(self, begin_ts: datetime, end_ts: datetime, value: T) -> None:
        self._added.append((begin_ts, end_ts, value))

    def lasting(self, begun_by: datetime, not_over_at: datetime) -> Iterator[T]:
        """The values that began by one time and did not end before the other; the latest first."""
        if self._begins is None:
            self._added.sort(key=itemgetter(0))
            self._begins = [begin_ts for begin_ts, _, _ in self._added]
            self._last_ends = list(accumulate((end_ts for _, end_ts, _ in self._added), max))
        for place in range(bisect_right(self._begins, begun_by) - 1, -1, -1):
            if self._last_ends[place] < not_over_at:
                return
            _, end_ts, value = self._added[place]
            if end_ts >= not_over_at:
                yield value
