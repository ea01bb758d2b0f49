"""Indexes of values with a time range, to look up the values at a time. None as a bound means unbounded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from operator import itemgetter
from typing import Generic, TypeVar

from replay.facts.groups import grouped

T = TypeVar("T")
EVER, NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class InTime(Generic[T]):
    """Values with a time range each, few of them at any time. Add all values before the first look-up."""

    def __init__(self) -> None:
        self._added: list[tuple[datetime, datetime, T]] = []
        self._begins: list[datetime] | None = None
        self._last_ends: list[datetime] = []

    def add(self, begin_ts: datetime | None, end_ts: datetime | None, value: T) -> None:
        self._added.append((begin_ts or EVER, end_ts or NEVER, value))

    def lasting(self, begun_by: datetime | None, not_over_at: datetime) -> Iterator[T]:
        """The values that began by one time and had not ended before the other; the latest first."""
        if self._begins is None:
            self._added.sort(key=itemgetter(0))
            self._begins = [begin_ts for begin_ts, _, _ in self._added]
            self._last_ends = list(accumulate((end_ts for _, end_ts, _ in self._added), max))
        for place in range(bisect_right(self._begins, begun_by or NEVER) - 1, -1, -1):
            if self._last_ends[place] < not_over_at:
                return
            _, end_ts, value = self._added[place]
            if end_ts >= not_over_at:
                yield value


class OfNodes(Generic[T]):
    """Values with a node and a time range from `begin_of` to `end_of`, to look up by node and time."""

    def __init__(
        self,
        rows: Iterable[T],
        node_of: Callable[[T], int | None],
        begin_of: Callable[[T], datetime | None],
        end_of: Callable[[T], datetime | None],
    ) -> None:
        self._of_node: dict[int, InTime[T]] = {}
        for node_id, own in grouped(rows, node_of).items():
            in_time = self._of_node[node_id] = InTime()
            for row in own:
                in_time.add(begin_of(row), end_of(row), row)

    def lasting(self, node_id: int | None, begun_by: datetime | None, not_over_at: datetime) -> Iterator[T]:
        """The values of this node that began by one time and had not ended before the other; the latest first."""
        if node_id in self._of_node:
            yield from self._of_node[node_id].lasting(begun_by, not_over_at)
