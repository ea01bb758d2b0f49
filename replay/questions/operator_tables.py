"""What operators ask about the events of a result: when each broker learned of a leader, and how long it loaded its
logs (operator questions 22, 27).
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.times import millis
from replay.columns.windows import before
from replay.facts.lives import CLEAN_START, UNCLEAN_START

# What a broker logs when it learns a leader epoch.
_LEARNT = (
    "broker_leader_and_isr_received",
    "broker_become_leader_begin",
    "broker_become_leader_done",
    "broker_become_follower_begin",
    "broker_become_follower_done",
    "leader_start",
    "leader_transition_skipped",
    "follower_start",
    "follower_transition_skipped",
)
_LOADED = "log_manager_load_done"


def epochs_learnt(leader_epochs: DataFrame, events: DataFrame) -> DataFrame:
    """One row for each leader epoch and broker whose lines name it: `topic, partition, leader_epoch, broker_id,
    start_ts, learnt_ts, lag_ms, event_id`.

    `lag_ms`: how long after the start of the epoch the broker first logs that it leads or follows in it. Until then,
    clients that know the epoch from another broker get UNKNOWN_LEADER_EPOCH from this one. A broker that was down
    learns the epoch when it returns.
    """
    learnt = (
        events.where(F.col("kind").isin(*_LEARNT) & F.col("leader_epoch").isNotNull() & F.col("node_id").isNotNull())
        .groupBy("topic", "partition", "leader_epoch", F.col("node_id").alias("broker_id"))
        .agg(F.min_by(F.struct("ts", "event_id"), "ts").alias("_first"))
    )
    return (
        leader_epochs.where(F.col("leader_id") >= 0)
        .select("topic", "partition", "leader_epoch", "start_ts")
        .join(learnt, ["topic", "partition", "leader_epoch"])
        .select(
            "topic",
            "partition",
            "leader_epoch",
            "broker_id",
            "start_ts",
            F.col("_first.ts").alias("learnt_ts"),
            millis("_first.ts", "start_ts").alias("lag_ms"),
            F.col("_first.event_id").alias("event_id"),
        )
    )


def log_loads(events: DataFrame) -> DataFrame:
    """One row for each start at which a broker loaded its logs: `node_id, loaded_ts, load_ms, log_count, was_clean,
    recovered, cut, evidence`.

    `was_clean`: whether every directory had a clean-shutdown marker (null if no line shows it). `recovered`: the
    number of partitions whose segments were recovered. `cut`: the number of partitions with corrupt segments that
    were truncated (facts §5, F24).
    """
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    partition = F.concat_ws("-", "topic", "partition")
    loading = events.where(
        F.col("kind").isin(_LOADED, *CLEAN_START, *UNCLEAN_START, "log_segment_recovery", "log_recovery_truncated")
        & F.col("node_id").isNotNull()
        & ~F.col("topic").eqNullSafe("__cluster_metadata")
    )
    unclean, clean, loaded = (
        F.col("kind").isin(*UNCLEAN_START),
        F.col("kind").isin(*CLEAN_START),
        F.col("kind") == _LOADED,
    )
    starts = (
        loading.withColumn("_start", F.count_if(loaded).over(before(node)))
        .groupBy("node_id", "_start")
        .agg(
            F.max(F.when(loaded, F.col("ts"))).alias("loaded_ts"),
            F.max(F.when(loaded, detail("elapsed_ms").try_cast("bigint"))).alias("load_ms"),
            F.max(F.when(loaded, detail("num_logs").try_cast("int"))).alias("log_count"),
            (~F.bool_or(F.when(unclean | clean, unclean))).alias("was_clean"),
            F.count_distinct(F.when(F.col("kind") == "log_segment_recovery", partition)).alias("recovered"),
            F.count_distinct(F.when(F.col("kind") == "log_recovery_truncated", partition)).alias("cut"),
            F.array_sort(F.collect_set(F.when(loaded | unclean | clean, F.col("event_id")))).alias("evidence"),
        )
    )
    return starts.where(F.col("loaded_ts").isNotNull()).drop("_start")
