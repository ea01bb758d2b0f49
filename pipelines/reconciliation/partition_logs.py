"""The logs of the partitions of a result, as their leader epochs wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.result import Result
from replay.reconcile.logs import TABLES, PartitionLog, Span, micros, partition_log

Key = tuple[str, int]


LOG_DELETED = "log_deleted"  # the kind of the events that are read
READ = (*TABLES, "coverage_spans", "events")
_COLUMNS = ["event_id", "ts", "node_id", "topic", "partition", "kind", "message"]


def partition_logs(result: Result, topics: Iterable[str] | None = None) -> dict[Key, PartitionLog]:
    """The log of each partition of some topics, or of all."""
    where: list[tuple[str, str, object]] = [] if topics is None else [("topic", "in", sorted(set(topics)))]
    frames = {name: result.table(name, where=where) for name in TABLES}
    events = result.table("events", _COLUMNS, [*where, ("kind", "==", LOG_DELETED)])
    return logs_of(frames | {"coverage_spans": result.table("coverage_spans"), "events": events})


def logs_of(frames: Mapping[str, pd.DataFrame]) -> dict[Key, PartitionLog]:
    """The log of each partition in the tables `READ`."""
    grouped: dict[Key, dict[str, list[Any]]] = {}
    for name in TABLES:
        for row in rows(frames[name]):
            own = grouped.setdefault((row.topic, int(row.partition)), {table: [] for table in TABLES})
            own[name].append(row)
    covered = {log: _covered(frames["coverage_spans"], log) for log in ("state_change", "server")}
    deletions: dict[Key, list[Any]] = {}
    events = frames["events"]
    for row in rows(events[(events.kind == LOG_DELETED) & events.topic.notna() & events.partition.notna()]):
        deletions.setdefault((row.topic, int(row.partition)), []).append(row)
    return {
        key: partition_log(*key, own, covered["state_change"], deletions.get(key, ()), covered["server"])
        for key, own in sorted(grouped.items())
        if own["leader_epochs"]
    }


def _covered(spans: pd.DataFrame, log: str) -> dict[int, list[Span]]:
    """From when to when each node's files of one log are in the input."""
    found: dict[int, list[Span]] = {}
    for row in rows(spans[spans.log == log]):
        found.setdefault(row.node_id, []).append((micros(row.start_ts) or 0, micros(row.end_ts) or 0))
    return found
