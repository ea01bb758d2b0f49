"""Disks: log directories that failed (F14, F15) or came back empty (F14), records that were damaged in them (F14)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of, evidence_of_rows
from replay.columns.phrases import clock, counted, named, some
from replay.columns.times import millis
from replay.faults.shape import fault

_ATTEMPTS, _IN_VAIN_FOR_MS = 3, 5_000  # a batch that is damaged on its way is whole when it is fetched again


def log_dirs_failed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F14, and F15 where the exception says that the disk is full: a log directory that its broker gave up."""
    failed = events.where(
        F.col("kind").isin("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_fatal")
    ).withColumn("_dir", F.coalesce(detail("dir"), detail("log_dir")))
    lives = processes.select(F.col("node_id"), "life", "first_ts", "next_start_ts", "stop_ts")
    in_life = failed.join(lives, "node_id", "left").where(
        F.col("life").isNull()
        | (
            (F.col("ts") >= F.col("first_ts"))
            & (F.col("next_start_ts").isNull() | (F.col("ts") < F.col("next_start_ts")))
        )
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
            F.format_string(
                "broker %d stopped serving the log directory %s after an I/O error",
                "node_id",
                F.coalesce("_dirs", F.lit("(unnamed)")),
            ),
            F.when(F.col("_full"), ": no space left on device").otherwise(""),
        ),
    )


def log_dirs_empty(events: DataFrame) -> DataFrame:
    """F14, facts §3.3 S8: a broker that held partitions, found no log at all as it started, and was given some of the same partitions again."""
    held = events.where(F.col("kind").isin("leader_start", "follower_start") & F.col("topic").isNotNull()).select(
        "node_id", "topic", "partition", F.col("ts").alias("_role_ts"), F.col("event_id").alias("_role")
    )
    loaded_none = events.where((F.col("kind") == "log_manager_load_done") & (detail("num_logs") == "0")).select(
        "node_id", "ts", "event_id"
    )
    earlier = F.col("_role_ts") < F.col("ts")
    both = (
        loaded_none.join(held, "node_id")
        .groupBy("node_id", "ts", "event_id", "topic", "partition")
        .agg(
            F.max_by("_role", F.when(earlier, F.col("_role_ts"))).alias("_was"),
            F.min_by("_role", F.when(~earlier, F.col("_role_ts"))).alias("_is"),
        )
    )
    told = (
        both.where(F.col("_was").isNotNull() & F.col("_is").isNotNull())
        .groupBy("node_id", "ts", "event_id")
        .agg(
            F.array_sort(F.collect_list(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            F.min("_was").alias("_was"),
            F.min("_is").alias("_is"),
        )
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
            F.format_string("broker %d found no log in its directories as it started, though it had held ", "node_id"),
            counted(F.size("partitions"), "partition"),
            F.lit(
                " that are still its own: the disk was replaced, emptied or not mounted, or log.dirs names another place"
            ),
        ),
        evidence=F.array("event_id", "_was", "_is"),
    )


def records_damaged(events: DataFrame) -> DataFrame:
    """F14: a leader whose log holds records that its followers find damaged (`CorruptRecordException`), fetch after fetch: they stay behind, and none of them joins the ISR again."""
    key = ["topic", "partition"]
    error = F.regexp_extract(
        F.coalesce(detail("exception"), detail("error"), F.lit("")), r"([A-Za-z]\w*Exception.*)", 1
    )
    refused = (
        events.where((F.col("kind") == "fetch_corrupt_records") & F.col("topic").isNotNull())
        .groupBy(*key, F.col("leader_id").alias("_named"))
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.min(detail("fetch_offset").try_cast("bigint")).alias("_offset"),
            F.array_sort(F.collect_set("node_id")).alias("_followers"),
            F.min_by(error, "ts").alias("_error"),
            evidence_of().alias("evidence"),
        )
        .where((F.col("_count") >= _ATTEMPTS) & (millis("end_ts", "ts") >= _IN_VAIN_FOR_MS))
    )
    states = events.where(F.col("isr").isNotNull() | (F.col("kind") == "leader_start")).select(
        *key,
        F.col("ts").alias("_state_ts"),
        "isr",
        F.when(F.col("kind") == "leader_start", F.col("node_id")).alias("_led"),
    )
    latest = {
        name: F.max_by(name, F.when(F.col(name).isNotNull() & (F.col("_state_ts") <= F.col("ts")), F.col("_state_ts")))
        for name in ("isr", "_led")
    }
    spells = (
        refused.join(states, key, "left")
        .groupBy(*refused.columns)
        .agg(latest["isr"].alias("_isr"), latest["_led"].alias("_led"))
        .withColumn("_leader", F.coalesce("_named", "_led"))  # up to 1.0 the line does not name the leader
        .where(F.col("_leader").isNotNull())
    )
    name = F.concat_ws("-", *key)
    first = F.min_by(
        F.struct(
            name.alias("name"),
            "_offset",
            "_count",
            "_error",
            F.array_except("_isr", F.array_union("_followers", F.array("_leader"))).alias("whole"),
        ),
        "ts",
    ).alias("_first")
    told = spells.groupBy("_leader").agg(
        F.min("ts").alias("ts"),
        F.max("end_ts").alias("end_ts"),
        first,
        F.array_sort(F.collect_set(name)).alias("partitions"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("_followers")))).alias("_followers"),
        evidence_of_rows(4).alias("evidence"),
    )
    return fault(
        told,
        "records_damaged",
        "F14",
        broker_id=F.col("_leader"),
        t0_low=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.9),
        because=F.concat(
            named("_followers", "broker"),
            F.format_string(
                " could not fetch %s from broker %d from offset %s on, in ",
                "_first.name",
                "_leader",
                F.coalesce(F.col("_first._offset").cast("string"), F.lit("unknown")),
            ),
            counted("_first._count", "attempt"),
            F.lit(" until "),
            clock("end_ts"),
            F.format_string(": what broker %d sends there is damaged", "_leader"),
            F.when(F.col("_first._error") != "", F.concat(F.lit(" ("), F.col("_first._error"), F.lit(")"))).otherwise(
                ""
            ),
            F.when(F.size("partitions") > 1, F.concat(F.lit("; so it is with "), some("partitions"))).otherwise(""),
            F.when(
                F.size("_first.whole") > 0,
                F.concat(
                    F.lit("; "),
                    named("_first.whole", "broker"),
                    F.lit(" fetched it before and may hold it whole: led from there, the others could follow"),
                ),
            ).otherwise("; no other replica that was in sync is known to hold it whole"),
        ),
        blind_spots=F.array(
            F.lit(
                "which records are damaged, and whether the disk, the memory or the network of the leader did it: kafka-dump-log --deep-iteration of its segment would tell"
            )
        ),
    )
