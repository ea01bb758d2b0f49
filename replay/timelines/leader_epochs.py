"""The leader epochs of each partition, in the order of their numbers, never of clocks.

A leader epoch begins with its first witness, and ends where the next one that any line names begins: `lead` over the
leader epochs of the partition.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.windows import PARTITION_KEY, ordered
from replay.facts.evidence import AT_MOST
from replay.partitions.observed_states import WITNESSES
from replay.partitions.state_reports import LATE_WITNESSES
from replay.tables.partitions import STATED_LEADER_EPOCHS


def leader_epochs(partition_state_reports: DataFrame) -> DataFrame:
    """One row for each leader epoch of each partition. Returns `STATED_LEADER_EPOCHS`; the last one stays open.

    An epoch is `observed` if its leader or a controller logged its begin, else `inferred`: it began before its first
    mention. An epoch with only a known number ends the one before it, and has no row.
    """
    in_order = ordered(PARTITION_KEY, "leader_epoch")()
    ended = _epochs(partition_state_reports.where("ts is not null and leader_epoch is not null")).withColumns(
        {
            "next_leader_epoch": F.lead("leader_epoch").over(in_order),
            "end_ts": F.lead("start_ts").over(in_order),
            "next_witness": F.lead("witness").over(in_order),
            "may_lead_next": F.lit(None).cast("int"),
            "begun_before": F.lit(None).cast("boolean"),
        }
    )
    return STATED_LEADER_EPOCHS.of(ended.where("leader_id is not null or epoch_start_offset is not null"))


def _epochs(reports: DataFrame) -> DataFrame:
    """One row for each leader epoch, from all lines that name it."""
    begun = F.min(F.when(F.col("epoch_start_offset").isNotNull(), F.struct("ts", "epoch_start_offset")))
    recorded_ts = F.min(F.when(F.col("witness") == "record", F.col("ts")))
    is_seen = F.col("born") & ~F.col("witness").isin(*LATE_WITNESSES)
    return (
        reports.groupBy(*PARTITION_KEY, "leader_epoch")
        .agg(
            F.max("topic_id").alias("topic_id"),
            _best_known("leader_id").alias("leader_id"),
            begun.alias("_begun"),
            F.coalesce(recorded_ts, F.min("ts")).alias("start_ts"),
            F.when(F.bool_or(is_seen), "observed").otherwise("inferred").alias("confidence"),
            F.min_by("witness", _trust()).alias("witness"),
            _first_lines().alias("evidence"),
        )
        .withColumns({"leader_ts": F.col("_begun.ts"), "epoch_start_offset": F.col("_begun.epoch_start_offset")})
    )


def _trust() -> Column:
    """The place of a witness among all kinds; the most trusted one is the least."""
    return F.array_position(F.array(*map(F.lit, WITNESSES)), F.col("witness"))


def _best_known(name: str) -> Column:
    """The value of a column from the most trusted line that has one; among equals from the first."""
    return F.min(F.when(F.col(name).isNotNull(), F.struct(_trust().alias("trust"), "ts", "event_id", name)))[name]


def _first_lines() -> Column:
    """The earliest lines, each once."""
    in_time = F.array_sort(F.collect_set(F.struct("ts", "event_id")))
    return F.slice(F.array_distinct(F.transform(in_time, lambda line: line["event_id"])), 1, AT_MOST)
