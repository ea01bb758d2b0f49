"""The assignments of many partitions in one line of a ZooKeeper controller."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.facts.reads import reads
from replay.facts.window import ALL_TIME, TimeWindow
from replay.tables.reading import Fact

# `orders-0 -> ReplicaAssignment(replicas=1,3,2, …`, `orders-0 -> Vector(3, 1, 2)`
_LISTED = (
    "controller_topic_change",
    "topic_created",
    "controller_auto_rebalance_detail",
    "controller_partitions_added",
)
_ENTRY = re.compile(
    r"(?<![A-Za-z0-9._-])([A-Za-z0-9._-]{1,249})-(\d{1,10}) -> (?:ReplicaAssignment\(replicas=|List\(|Vector\(|ArrayBuffer\(|Buffer\()(\d+(?:, ?\d+)*)"
)


class ListedAssignments:
    """The first assignment of each partition in such a line, and its time."""

    @reads(*_LISTED)
    def __init__(self, facts: Iterable[Fact] = (), window: TimeWindow = ALL_TIME) -> None:
        self._first: dict[tuple[str, int], tuple[datetime, list[int]]] = {}
        for fact in facts:
            if fact.kind in _LISTED and fact.ts is not None and (window.until is None or fact.ts < window.until):
                self._note(fact.ts, fact.message or "")

    def _note(self, ts: datetime, message: str) -> None:
        for topic, partition, replicas in _ENTRY.findall(message):
            own = (ts, [int(replica) for replica in replicas.split(",")])
            key = topic, int(partition)
            self._first[key] = min(own, self._first.get(key, own))

    def first(self, topic: str, partition: int) -> Sequence[tuple[datetime, list[int]]]:
        """The first assignment of a partition with its time; nothing if no such line names it."""
        own = self._first.get((topic, partition))
        return () if own is None else (own,)
