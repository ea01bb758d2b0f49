"""The logs of the partitions of a result, as their leader epochs wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.result import Result
from replay.reconcile.logs import TABLES, PartitionLog, Span, micros, partition_log

Key = tuple[str, int]


READ = (*TABLES, "coverage_spans")


def partition_logs(result: Result, topics: Iterable[str] | None = None) -> dict[Key, PartitionLog]:
    """The log of each partition of some topics, or of all."""
    where: list[tuple[str, str, object]] = [] if topics is None else [("topic", "in", sorted(set(topics)))]
    frames = {name: result.table(name, where=where) for name in TABLES}
    return logs_of(frames | {"coverage_spans": result.table("coverage_spans")})


def logs_of(frames: Mapping[str, pd.DataFrame]) -> dict[Key, PartitionLog]:
    """The log of each partition in the tables `READ`."""
    grouped: dict[Key, dict[str, list[Any]]] = {}
    for name in TABLES:
        for row in rows(frames[name]):
            own = grouped.setdefault((row.topic, int(row.partition)), {table: [] for table in TABLES})
            own[name].append(row)
    covered: dict[int, list[Span]] = {}
    for row in rows(frames["coverage_spans"]):
        if row.log == "state_change":  # the log of leader changes
            covered.setdefault(row.node_id, []).append((micros(row.start_ts) or 0, micros(row.end_ts) or 0))
    return {key: partition_log(*key, own, covered) for key, own in sorted(grouped.items()) if own["leader_epochs"]}
