"""The lines that tell of replicas' leader-epoch caches (the files `leader-epoch-checkpoint`; facts §1.4)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.facts.reads import gathers
from replay.tables.offsets import EPOCH_LINES

TRUNCATED = ("log_truncated_to", "truncation_below_hw", "log_recovery_truncated", "log_truncated_fully")
STARTED = ("log_start_offset_incremented", "checkpoint_log_start_offset")
_ALWAYS_TOLD = ("leader_start", "epoch_cache_assigned", "checkpoint_leader_epoch", *TRUNCATED, *STARTED)
_DELETED = "log_deleted"
_RENAMED = " is renamed to "  # a replica's folder, before it is deleted


@gathers(*_ALWAYS_TOLD, _DELETED)
def epoch_lines(events: DataFrame) -> DataFrame:
    """What begins a leader epoch, enters a cache, cuts a log or holds a file. Returns `EPOCH_LINES`."""
    kind = F.col("kind")
    removed = (kind == _DELETED) & F.contains("message", F.lit(_RENAMED))
    told = events.where(
        (kind.isin(*_ALWAYS_TOLD) | removed) & F.col("topic").isNotNull() & F.col("node_id").isNotNull()
    ).select(
        "topic",
        "partition",
        "node_id",
        "ts",
        "line_number",
        "kind",
        "source_file",
        "event_id",
        "truncation_offset",
        "log_start_offset",
        F.coalesce(
            "leader_epoch",
            F.regexp_extract(F.coalesce(detail("epoch_entry"), F.lit("")), r"epoch=(\d+)", 1).try_cast("int"),
        ).alias("leader_epoch"),
        F.coalesce(
            "epoch_start_offset",
            F.regexp_extract(F.coalesce(detail("epoch_entry"), F.lit("")), r"startOffset=(\d+)", 1).try_cast("bigint"),
        ).alias("epoch_start_offset"),
        detail("previous_leader_epoch").try_cast("int").alias("previous_leader_epoch"),
    )
    return EPOCH_LINES.of(told)
