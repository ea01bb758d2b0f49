"""Disks: log directories that failed (F14, F15) or came back empty (F14), records that were damaged in them (F14)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, evidence_of_rows
from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.faults.rows import fault_rows, in_spells
from replay.faults.rule import finds_in
from replay.sentences import statement

ATTEMPTS, IN_VAIN_MS = 3, 5_000  # a batch that is damaged on its way is whole when it is fetched again
RETRIED_MS = 120_000  # fetches of a damaged batch are tried again within seconds; after this the damage is another
WRITE_MS = 1_000  # a checkpoint is written within this
FAILURE_LINES = ("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_fatal", "log_dir_failure_partitions")
_NAME = r"([A-Za-z0-9._-]+-\d+)"


@finds_in(*FAILURE_LINES)
def log_dirs_failed(events: DataFrame, processes: DataFrame, timings: DataFrame) -> DataFrame:
    """F14, and F15 where the exception says that the disk is full: a log directory that its broker gave up, or could not
    write to for want of space. Returns `FAULTS`.

    Its partitions are those that the broker names as it stops serving them. Each directory is written to with every
    checkpoint of high watermarks, so the failure began within one checkpoint interval of the first error.
    """
    errors = with_timings(_errors_while_running(events, processes), timings, "node_id", "ts", "checkpoint_ms")
    failures = errors.groupBy("node_id", "life").agg(
        F.min("ts").alias("ts"),
        F.max("next_start_ts").alias("end_ts"),
        F.max("checkpoint_ms").alias("checkpoint_ms"),
        F.array_join(F.array_sort(F.collect_set("_dir")), ", ").alias("dirs"),
        F.bool_or("_is_full").alias("is_full"),
        F.bool_or(F.col("kind") != "log_dir_failed").alias("given_up"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("_partitions")))).alias("partitions"),
        evidence_of().alias("evidence"),
    )
    return fault_rows(
        failures.where("given_up or is_full"),
        F.when(F.col("is_full"), "disk_full").otherwise("log_dir_failed"),
        broker_id=F.col("node_id"),
        said=statement(
            F.when(F.col("given_up"), "gave_up_log_dir").otherwise("had_no_space"),
            broker="node_id",
            dirs=F.nullif("dirs", F.lit("")),
            full=F.when(F.col("is_full"), F.lit("yes")),
        ),
        began_low=plus_millis("ts", -F.col("checkpoint_ms") - WRITE_MS),
        confidence=0.97,
    )


def _errors_while_running(events: DataFrame, processes: DataFrame) -> DataFrame:
    """The lines about failed directories, each with the life of its process; errors of a process that is being
    stopped are none.
    """
    lives = processes.select("node_id", "life", "first_ts", "next_start_ts", "stop_ts")
    begun = F.col("life").isNull() | (F.col("ts") >= F.col("first_ts"))
    not_over = F.col("next_start_ts").isNull() | (F.col("ts") < F.col("next_start_ts"))
    not_stopping = F.col("stop_ts").isNull() | (F.col("ts") < F.col("stop_ts"))
    lines = events.where(F.col("kind").isin(*FAILURE_LINES)).withColumns(
        {
            "_dir": F.coalesce(detail("dir"), detail("log_dir")),
            "_is_full": F.lower(F.coalesce(detail("exception"), F.lit(""))).contains("no space left"),
            "_partitions": F.regexp_extract_all(F.coalesce(detail("offline_partitions"), F.lit("")), F.lit(_NAME)),
        }
    )
    return lines.join(lives, "node_id", "left").where(begun & not_over & not_stopping)


@finds_in("log_manager_load_done")
def log_dirs_empty(events: DataFrame) -> DataFrame:
    """F14, facts §3.3 S8: a broker that held partitions, found no log at all as it started, and was given some of the
    same partitions again. Returns `FAULTS`.
    """
    roles = events.where(F.col("kind").isin("leader_start", "follower_start") & F.col("topic").isNotNull()).select(
        "node_id", "topic", "partition", F.col("ts").alias("_role_ts"), F.col("event_id").alias("_role")
    )
    loaded_none = events.where((F.col("kind") == "log_manager_load_done") & (detail("num_logs") == "0"))
    was_held = F.col("_role_ts") < F.col("ts")
    around = loaded_none.select("node_id", "ts", "event_id").join(roles, "node_id")
    held_again = around.groupBy("node_id", "ts", "event_id", "topic", "partition").agg(
        F.max_by("_role", F.when(was_held, F.struct("_role_ts", "_role"))).alias("_held"),
        F.min_by("_role", F.when(~was_held, F.struct("_role_ts", "_role"))).alias("_again"),
    )
    emptied = (
        held_again.where(F.col("_held").isNotNull() & F.col("_again").isNotNull())
        .groupBy("node_id", "ts", "event_id")
        .agg(
            F.array_sort(F.collect_list(partition_name())).alias("partitions"),
            F.min("_held").alias("_held"),
            F.min("_again").alias("_again"),
        )
    )
    return fault_rows(
        emptied,
        "log_dirs_empty",
        broker_id=F.col("node_id"),
        said=statement("found_no_log", broker="node_id", count=F.size("partitions")),
        end_ts=F.col("ts"),
        confidence=0.95,
        evidence=F.array("event_id", "_held", "_again"),
    )


@finds_in("fetch_corrupt_records")
def records_damaged(events: DataFrame) -> DataFrame:
    """F14: a leader whose log holds records that its followers find damaged (`CorruptRecordException`), fetch after fetch. Returns `FAULTS`.

    The followers stay behind, and none of them joins the ISR again.
    """
    refused = _fetches_in_vain(events)
    states = _states_of_partitions(events, refused)
    of_leader = _damage_of_leader(states.where(F.col("leader").isNotNull()))
    return fault_rows(
        of_leader,
        "records_damaged",
        broker_id=F.col("leader"),
        said=_what_is_damaged(),
        confidence=0.9,
        unknowns=F.array(F.lit("which_records_are_damaged")),
    )


def _fetches_in_vain(events: DataFrame) -> DataFrame:
    """One row a partition and spell of fetches that found the same records damaged."""
    error = F.regexp_extract(
        F.coalesce(detail("exception"), detail("error"), F.lit("")), r"([A-Za-z]\w*Exception.*)", 1
    )
    refused = events.where((F.col("kind") == "fetch_corrupt_records") & F.col("topic").isNotNull())
    spelled = in_spells(refused, ("topic", "partition"), RETRIED_MS)
    return (
        spelled.groupBy("topic", "partition", "spell", F.col("leader_id").alias("named_leader"))
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("attempts"),
            F.min(detail("fetch_offset").try_cast("bigint")).alias("fetch_offset"),
            F.array_sort(F.collect_set("node_id")).alias("followers"),
            F.min_by(error, F.struct("ts", "event_id")).alias("error"),
            evidence_of().alias("evidence"),
        )
        .where((F.col("attempts") >= ATTEMPTS) & (millis("end_ts", "ts") >= IN_VAIN_MS))
    )


def _states_of_partitions(events: DataFrame, refused: DataFrame) -> DataFrame:
    """`refused` with `leader` and `last_isr` of each partition at that time; up to 1.0 the line does not name the
    leader.
    """
    leads = F.when(F.col("kind") == "leader_start", F.col("node_id"))
    states = events.where(F.col("isr").isNotNull() | leads.isNotNull()).select(
        "topic", "partition", F.col("ts").alias("_state_ts"), F.col("isr").alias("_isr"), leads.alias("_leads")
    )

    def latest(name: str) -> Column:
        said_before = F.col(name).isNotNull() & (F.col("_state_ts") <= F.col("ts"))
        return F.max_by(name, F.when(said_before, F.col("_state_ts")))

    known = refused.join(states, ["topic", "partition"], "left").groupBy(*refused.columns)
    return known.agg(latest("_isr").alias("last_isr"), latest("_leads").alias("_leads")).withColumn(
        "leader", F.coalesce("named_leader", "_leads")
    )


def _damage_of_leader(states: DataFrame) -> DataFrame:
    """One row a leader and spell: the damage it was first told of, and all partitions."""
    own = F.array_union("followers", F.array("leader"))
    first = F.min_by(
        F.struct(
            partition_name().alias("name"),
            "fetch_offset",
            "attempts",
            "error",
            F.array_except("last_isr", own).alias("whole"),
        ),
        F.struct("ts", partition_name()),
    )
    followers = F.array_sort(F.array_distinct(F.flatten(F.collect_list("followers"))))
    return states.groupBy("leader", "spell").agg(
        F.min("ts").alias("ts"),
        F.max("end_ts").alias("end_ts"),
        first.alias("first"),
        F.array_sort(F.collect_set(partition_name())).alias("partitions"),
        followers.alias("followers"),
        evidence_of_rows(4).alias("evidence"),
    )


def _what_is_damaged() -> Column:
    is_elsewhere = F.size("first.whole") > 0
    return statement(
        "fetched_damaged_records",
        leader="leader",
        all_followers="followers",
        partition="first.name",
        offset=F.coalesce(F.col("first.fetch_offset").cast("string"), F.lit("unknown")),
        attempts="first.attempts",
        at_last="end_ts",
        error=F.nullif(F.col("first.error"), F.lit("")),
        all_partitions=F.when(F.size("partitions") > 1, F.col("partitions")),
        all_whole=F.when(is_elsewhere, F.col("first.whole")),
        nobody=F.when(~is_elsewhere, F.lit("yes")),
    )
