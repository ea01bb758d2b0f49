"""Log directories that failed (F14, F15) or came back empty (F14)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.evidence import detail, evidence_of
from replay.faults.shape import fault
from replay.words import counted


def log_dirs_failed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F14, and F15 where the exception says that the disk is full: a log directory that its broker gave up."""
    failed = events.where(F.col("kind").isin("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_fatal")).withColumn("_dir", F.coalesce(detail("dir"), detail("log_dir")))
    lives = processes.select(F.col("node_id"), "life", "first_ts", "next_start_ts", "stop_ts")
    in_life = failed.join(lives, "node_id", "left").where(
        F.col("life").isNull()
        | ((F.col("ts") >= F.col("first_ts")) & (F.col("next_start_ts").isNull() | (F.col("ts") < F.col("next_start_ts"))))
    )
    full = F.lower(F.coalesce(detail("exception"), F.lit(""))).contains("no space left")
    told = (
        in_life.where(F.col("stop_ts").isNull() | (F.col("ts") < F.col("stop_ts")))
        .groupBy("node_id", "life")
        .agg(
            F.min("ts").alias("ts"),
            F.max("next_start_ts").alias("end_ts"),
            F.array_join(F.array_sort(F.collect_set("_dir")), ", ").alias("_dirs"),
            F.bool_or(full).alias("_full"),
            F.bool_or(F.col("kind") != "log_dir_failed").alias("_given_up"),
            evidence_of().alias("evidence"),
        )
        .where("_given_up")
    )
    return fault(
        told,
        "log_dir_failed",
        F.when(F.col("_full"), "F15").otherwise("F14"),
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.97),
        because=F.concat(
            F.format_string("broker %d stopped serving the log directory %s after an I/O error", "node_id", F.coalesce("_dirs", F.lit("(unnamed)"))),
            F.when(F.col("_full"), ": no space left on device").otherwise(""),
        ),
    )


def log_dirs_empty(events: DataFrame) -> DataFrame:
    """F14, facts §3.3 S8: a broker that held partitions, found no log at all as it started, and was given some of the same partitions again."""
    held = events.where(F.col("kind").isin("leader_start", "follower_start") & F.col("topic").isNotNull()).select("node_id", "topic", "partition", F.col("ts").alias("_role_ts"), F.col("event_id").alias("_role"))
    loaded_none = events.where((F.col("kind") == "log_manager_load_done") & (detail("num_logs") == "0")).select("node_id", "ts", "event_id")
    earlier = F.col("_role_ts") < F.col("ts")
    both = loaded_none.join(held, "node_id").groupBy("node_id", "ts", "event_id", "topic", "partition").agg(
        F.max_by("_role", F.when(earlier, F.col("_role_ts"))).alias("_was"), F.min_by("_role", F.when(~earlier, F.col("_role_ts"))).alias("_is")
    )
    told = both.where(F.col("_was").isNotNull() & F.col("_is").isNotNull()).groupBy("node_id", "ts", "event_id").agg(
        F.array_sort(F.collect_list(F.concat_ws("-", "topic", "partition"))).alias("partitions"), F.min("_was").alias("_was"), F.min("_is").alias("_is")
    )
    return fault(
        told,
        "log_dirs_empty",
        "F14",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        end_ts=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.95),
        because=F.concat(
            F.format_string("broker %d found no log in its directories as it started, though it had held ", "node_id"), counted(F.size("partitions"), "partition"),
            F.lit(" that are still its own: the disk was replaced, emptied or not mounted, or log.dirs names another place"),
        ),
        evidence=F.array("event_id", "_was", "_is"),
    )  # fmt: skip
