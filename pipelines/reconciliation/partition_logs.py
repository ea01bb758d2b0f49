"""The logs of the partitions of a result, as their leader epochs wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pipelines.answers.frames import rows
from pipelines.result import Result
from replay.errors import InputError
from replay.reconcile.logs import TABLES, Covered, PartitionLog, Span, micros, partition_log

Key = tuple[str, int]


def partition_logs(result: Result, topics: Iterable[str] | None = None) -> dict[Key, PartitionLog]:
    """The log of each partition of some topics, or of all."""
    where: list[tuple[str, str, object]] = [] if topics is None else [("topic", "in", sorted(set(topics)))]
    grouped: dict[Key, dict[str, list[Any]]] = {}
    for name in TABLES:
        for row in rows(result.table(name, where=where)):
            own = grouped.setdefault((row.topic, int(row.partition)), {table: [] for table in TABLES})
            own[name].append(row)
    covered = _covered(result)
    found = {}
    for (topic, partition), own in sorted(grouped.items()):
        if own["leader_epochs"]:
            found[topic, partition] = partition_log(topic, partition, own, covered)
    return found


def _covered(result: Result) -> Covered:
    """For each node the time in which its log of leader changes is in the input."""
    if not result.has("coverage_spans"):
        raise InputError(
            f"{result.folder}: another release wrote it, without the table coverage_spans; analyze the logs again"
        )
    found: dict[int, list[Span]] = {}
    for row in rows(result.table("coverage_spans", where=[("log", "==", "state_change")])):
        found.setdefault(row.node_id, []).append((micros(row.start_ts) or 0, micros(row.end_ts) or 0))
    return found
