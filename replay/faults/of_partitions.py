"""What the rules of faults need of the lines about single partitions, gathered by Spark: few rows, however many partitions
there are.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of
from replay.columns.partitions import partition_name
from replay.columns.times import millis
from replay.columns.timings import with_timings
from replay.columns.windows import in_spells
from replay.facts.reads import gathers
from replay.tables.faults import (
    DAMAGED_PARTITIONS,
    GIVEN_UP_PARTITIONS,
    JUMPED_LOG_STARTS,
    LAG_SHRINKS,
    MOVED_PARTITIONS,
    REFUSED_ISR_WRITES,
)

BACK_AT_ONCE_MS = 1_000  # a leader that wakes has its followers back within 15 to 50 ms (facts §5, F13)
WAKING_MS = 5_000  # and writes its ISRs again within this, where it must find ZooKeeper first
AT_ONCE_MS = 1_000  # what two lines of one happening may lie apart
LEAST_REFUSALS = 3  # once is a race that the next attempt wins; a leader that works on an old state never wins
ATTEMPTS, IN_VAIN_MS = 3, 5_000  # a batch that is damaged on its way is whole when it is fetched again
RETRIED_MS = 120_000  # fetches of a damaged batch are tried again within seconds; after this the damage is another
TAKES_OVER_MS = 5_000  # a new leader raises its log start, and says what it found, within this
FOUND_START, COPIED, DELETED = "remote_log_become_leader", "remote_copy_done", "remote_log_segment_deleted"
_RAISED = "log_start_offset_incremented"
REASSIGNED = (
    "kraft_reassignment_result",
    "kraft_reassignment_replayed",
    "controller_reassign_begin",
    "controller_reassign_assignment_updated",
    "controller_reassign_leader_check",
)


def removed_from_isr() -> Column:
    """The brokers that a line about a shrinking ISR takes out of it."""
    ids = F.regexp_extract_all(F.coalesce(detail("old_isr"), F.lit("")), F.lit(r"(\d+)"))
    return F.array_except(F.transform(ids, lambda broker: broker.cast("int")), "isr")


@gathers("isr_shrink")
def lag_shrinks(events: DataFrame) -> DataFrame:
    """Which leaders dropped which followers from ISRs, those of one second together. Returns `LAG_SHRINKS`.

    `woke`: it is of a time in which its leader dropped all followers of a partition and had them all back at once.
    Followers that had stopped fetching come back one by one, over the network. A leader that was frozen finds them all
    late, and then their fetches in its queue (facts §5, F13).
    """
    is_change = F.col("kind").isin("isr_shrink", "isr_updated", "isr_expand") & F.col("isr").isNotNull()
    changes = events.where(is_change & F.col("topic").isNotNull()).withColumn("alone", F.size("isr") == 1)
    shrinks = (
        changes.where(F.col("kind") == "isr_shrink")
        .withColumn("removed", F.array_sort(removed_from_isr()))
        .where(F.size("removed") > 0)
    )
    about_then = Window.partitionBy("node_id").orderBy(F.unix_millis("ts")).rangeBetween(-WAKING_MS, WAKING_MS)
    at_once = F.coalesce(millis("back_ts", "ts") <= BACK_AT_ONCE_MS, F.lit(False))
    told = (
        shrinks.join(_all_back(changes, shrinks), "event_id", "left")
        .withColumn("woke", F.max(F.col("alone") & (F.size("removed") > 1) & at_once).over(about_then))
        .select("*", F.explode("removed").alias("dropped_id"), partition_name().alias("name"))
    )
    every_one_back = F.count_if(F.col("back_ts").isNull()) == 0
    return LAG_SHRINKS.of(
        told.groupBy(
            F.col("node_id").alias("leader_id"), "dropped_id", "removed", "woke", F.date_trunc("second", "ts")
        ).agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.min(F.struct("ts", "event_id"))["event_id"].alias("event_id"),
            F.count("*").alias("drops"),
            F.count_if("alone").alias("left_alone"),
            F.max(_caught_up_ms()).alias("caught_up_ms"),
            F.min("back_ts").alias("first_back_ts"),
            F.when(every_one_back, F.max("back_ts")).alias("back_ts"),
            F.array_sort(F.collect_set("name")).alias("names"),
            _lines().alias("lines"),
        )
    )


def _all_back(changes: DataFrame, shrinks: DataFrame) -> DataFrame:
    """`event_id, back_ts`: when the leader had back all replicas that a shrink took out of the ISR."""
    partition = ("node_id", "topic", "partition", "replica")
    members = changes.select(*partition[:-1], "ts", F.explode("isr").alias("replica"), F.col("ts").alias("_in_ts"))
    gone = shrinks.select(*partition[:-1], "ts", F.explode("removed").alias("replica"), "event_id")
    from_then_on = (
        Window.partitionBy(*partition)
        .orderBy(F.unix_millis("ts").desc())
        .rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    told = gone.unionByName(members, allowMissingColumns=True)
    each = told.withColumn("_in_ts", F.min("_in_ts").over(from_then_on)).where(F.col("event_id").isNotNull())
    all_are = F.count("_in_ts") == F.count("*")
    return each.groupBy("event_id").agg(F.when(all_are, F.max("_in_ts")).alias("back_ts"))


def _caught_up_ms() -> Column:
    """When the follower that is dropped had last caught up, in epoch ms, as shrink lines tell from 3.6 on."""
    pattern = F.concat(
        F.lit("brokerId: "), F.col("dropped_id").cast("string"), F.lit(r", endOffset: -?\d+, lastCaughtUpTimeMs: (\d+)")
    )
    told = F.regexp_extract_all(F.coalesce(detail("out_of_sync_replicas"), F.lit("")), pattern, 1)
    return F.get(told, F.lit(0)).try_cast("bigint")


def _lines() -> Column:
    """An aggregate: the earliest lines, with their times."""
    return F.slice(F.array_sort(F.collect_set(F.struct("ts", "event_id"))), 1, AT_MOST)


@gathers("isr_update_zk_version_conflict")
def refused_isr_writes(events: DataFrame, timings: DataFrame) -> DataFrame:
    """ISR writes that ZooKeeper refused for one partition again and again, those of a spell of their leader together.
    Returns `REFUSED_ISR_WRITES`.

    Each is tried anew every half of `replica.lag.time.max.ms` (facts §5, F22).
    """
    refusals = events.where((F.col("kind") == "isr_update_zk_version_conflict") & F.col("topic").isNotNull())
    timed = with_timings(refusals, timings, "node_id", "ts", "replica_lag_ms")
    of_partition = Window.partitionBy("node_id", "topic", "partition").orderBy("ts")
    spelled = in_spells(timed, ("node_id",), F.col("replica_lag_ms") * 2).withColumn(
        "_since_ms", millis("ts", F.lag("ts").over(of_partition))
    )
    of_partitions = (
        spelled.groupBy("node_id", "spell", "topic", "partition")
        .agg(
            F.count("*").alias("count"),
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.min(F.struct("ts", "event_id"))["event_id"].alias("event_id"),
            F.median("_since_ms").alias("period_ms"),
        )
        .where(F.col("count") >= LEAST_REFUSALS)
    )
    return REFUSED_ISR_WRITES.of(
        of_partitions.groupBy("node_id", "spell").agg(
            F.min("ts").alias("ts"),
            F.max("last_ts").alias("last_ts"),
            F.sum("count").alias("count"),
            F.median("period_ms").cast("bigint").alias("period_ms"),
            F.array_sort(F.collect_set(partition_name())).alias("partitions"),
            evidence_of().alias("evidence"),
        )
    )


@gathers("fetch_process_error")
def given_up_partitions(events: DataFrame) -> DataFrame:
    """Partitions that a fetcher gave up for an error, and whose leaders dropped its broker later; those of one second
    together. Returns `GIVEN_UP_PARTITIONS`.
    """
    key = ["node_id", "topic", "partition"]
    by_storage = F.contains(F.concat_ws(" ", "message", detail("exception")), F.lit("KafkaStorageException"))
    errors = events.where((F.col("kind") == "fetch_process_error") & ~by_storage & F.col("topic").isNotNull())
    errors = errors.select(*key, F.col("ts").alias("error_ts"), F.col("event_id").alias("_error"))
    failed = events.where(F.col("kind") == "fetch_partition_failed").select(*key, F.col("ts").alias("failed_ts"))
    dropped = events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull()).select(
        F.explode(removed_from_isr()).alias("node_id"),
        "topic",
        "partition",
        F.col("ts").alias("dropped_ts"),
        F.col("event_id").alias("_drop"),
    )
    at_once = F.abs(millis("failed_ts", "error_ts")) <= AT_ONCE_MS
    behind = errors.join(failed, key).where(at_once).join(dropped, key).where(F.col("dropped_ts") >= F.col("failed_ts"))
    return GIVEN_UP_PARTITIONS.of(
        behind.groupBy("node_id", F.date_trunc("second", "error_ts"), F.date_trunc("second", "dropped_ts")).agg(
            F.min("error_ts").alias("error_ts"),
            F.max("error_ts").alias("last_error_ts"),
            F.min("failed_ts").alias("failed_ts"),
            F.min("dropped_ts").alias("dropped_ts"),
            F.max("dropped_ts").alias("last_dropped_ts"),
            evidence_of("_error", "error_ts").alias("errors"),
            evidence_of("_drop", "dropped_ts").alias("drops"),
        )
    )


@gathers("fetch_corrupt_records")
def damaged_partitions(events: DataFrame) -> DataFrame:
    """Partitions of which followers found the same records damaged, fetch after fetch, with their leader and ISR then.
    Returns `DAMAGED_PARTITIONS`.
    """
    error = F.regexp_extract(
        F.coalesce(detail("exception"), detail("error"), F.lit("")), r"([A-Za-z]\w*Exception.*)", 1
    )
    refused = events.where((F.col("kind") == "fetch_corrupt_records") & F.col("topic").isNotNull())
    in_vain = (
        in_spells(refused, ("topic", "partition"), RETRIED_MS)
        .groupBy("topic", "partition", "spell", F.col("leader_id").alias("named_leader"))
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.count("*").alias("attempts"),
            F.min(detail("fetch_offset").try_cast("bigint")).alias("fetch_offset"),
            F.array_sort(F.collect_set("node_id")).alias("followers"),
            F.min_by(F.nullif(error, F.lit("")), F.struct("ts", "event_id")).alias("error"),
            evidence_of().alias("evidence"),
        )
        .where((F.col("attempts") >= ATTEMPTS) & (millis("last_ts", "ts") >= IN_VAIN_MS))
    )
    known = _with_states(events, in_vain).withColumn("name", partition_name())
    return DAMAGED_PARTITIONS.of(known.where(F.col("leader_id").isNotNull()))


def _with_states(events: DataFrame, refused: DataFrame) -> DataFrame:
    """`refused` with `leader_id` and `isr` of each partition at that time; up to 1.0 the line does not name the leader."""
    leads = F.when(F.col("kind") == "leader_start", F.col("node_id"))
    states = events.where(F.col("isr").isNotNull() | leads.isNotNull()).select(
        "topic", "partition", F.col("ts").alias("_state_ts"), F.col("isr").alias("_isr"), leads.alias("_leads")
    )

    def latest(name: str) -> Column:
        said_before = F.col(name).isNotNull() & (F.col("_state_ts") <= F.col("ts"))
        return F.max_by(name, F.when(said_before, F.col("_state_ts")))

    known = refused.join(states, ["topic", "partition"], "left").groupBy(*refused.columns)
    return known.agg(latest("_isr").alias("isr"), latest("_leads").alias("_leads")).withColumn(
        "leader_id", F.coalesce("named_leader", "_leads")
    )


@gathers(FOUND_START)
def jumped_log_starts(events: DataFrame) -> DataFrame:
    """Partitions of tiered topics whose new leader let the log start behind segments that had been copied to the remote
    store and that no line tells as deleted. Returns `JUMPED_LOG_STARTS`.

    A new leader takes the start of the first remote segment of its leader epochs for the start of the log, or the local
    start where it finds none (RemoteLogManager.findLogStartOffset). Retention moves the log start as it deletes, and
    DeleteRecords before: both are told as such.
    """
    named = F.col("topic").isNotNull() & F.col("partition").isNotNull() & F.col("node_id").isNotNull()
    told = events.where(
        F.col("kind").isin(FOUND_START, COPIED, DELETED, _RAISED) & named & F.col("ts").isNotNull()
    ).withColumn("name", partition_name())
    judged = _with_earlier_lines(_raised_at_take_over(told), told)
    jumped = (F.size("_kept") > 0) & F.coalesce(
        F.col("_deleted_ts") < F.col("_start._ts"), F.col("_deleted_ts").isNull()
    )
    return JUMPED_LOG_STARTS.of(
        judged.where(jumped)
        .withColumn("first_offset", F.col("_kept")[0]["_base"])
        .withColumn("segments", F.size("_kept").cast("bigint"))
        .withColumn("copied_ts", F.array_max(F.transform("_kept", lambda one: one["_ts"])))
        .withColumn(
            "evidence",
            F.array("event_id", "_found", F.col("_kept")[0]["_event_id"], F.element_at("_kept", -1)["_event_id"]),
        )
        .withColumn("evidence", F.array_distinct("evidence"))
    )


def _raised_at_take_over(told: DataFrame) -> DataFrame:
    """The log starts that new leaders raised to what they found in the remote store."""
    found = told.where((F.col("kind") == FOUND_START) & F.col("log_start_offset").isNotNull()).select(
        "name",
        "node_id",
        "topic_id",
        "log_start_offset",
        F.col("ts").alias("_found_ts"),
        F.col("event_id").alias("_found"),
    )
    return (
        told.where((F.col("kind") == _RAISED) & (detail("reason") == "segment deletion"))
        .select("name", "node_id", "log_start_offset", "ts", "event_id")
        .join(found, ["name", "node_id", "log_start_offset"])
        .where(F.abs(millis("_found_ts", "ts")) <= TAKES_OVER_MS)
    )


def _with_earlier_lines(raised: DataFrame, told: DataFrame) -> DataFrame:
    """Each with what lines tell of its topic before: the log's start (`before`), the segments copied from there on (`_kept`),
    the last deletion; and how many were deleted later for lying before the log's start (`deleted`).
    """
    lines = told.select(
        "name",
        *(F.col(name).alias(f"_{name}") for name in ("kind", "ts", "event_id", "topic_id", "log_start_offset")),
        detail("base_offset").try_cast("bigint").alias("_base"),
        F.coalesce(F.col("message"), F.lit("")).contains("log-start-offset").alias("_for_start"),
    )
    is_of_topic = F.coalesce(F.col("_topic_id") == F.col("topic_id"), F.lit(True))
    earlier = F.col("_ts") < F.col("ts")
    is_start = F.col("_log_start_offset").isNotNull() & (F.col("_kind") != DELETED)
    is_this_one = (F.col("_log_start_offset") == F.col("log_start_offset")) & (millis("ts", "_ts") <= TAKES_OVER_MS)
    start = F.when(is_start & earlier & ~is_this_one, F.struct("_log_start_offset", "_ts"))
    copy = F.when(
        (F.col("_kind") == COPIED) & earlier & (F.col("_base") < F.col("log_start_offset")),
        F.struct("_base", "_ts", "_event_id"),
    )
    return (
        raised.join(lines, "name")
        .where(is_of_topic)
        .groupBy("name", "node_id", "ts", "log_start_offset", "_found", "event_id")
        .agg(
            F.max(start).alias("_start"),
            F.max(F.when((F.col("_kind") == DELETED) & earlier, F.col("_ts"))).alias("_deleted_ts"),
            F.array_sort(F.collect_set(copy)).alias("_copies"),
            F.count_if((F.col("_kind") == DELETED) & ~earlier & F.col("_for_start")).alias("deleted"),
        )
        .withColumn("before", F.col("_start._log_start_offset"))
        .withColumn("_kept", F.filter("_copies", lambda one: one["_base"] >= F.coalesce(F.col("before"), F.lit(0))))
    )


@gathers(*REASSIGNED)
def moved_partitions(events: DataFrame) -> DataFrame:
    """The lines about partitions that are moved to other replicas, those of one second together. Returns
    `MOVED_PARTITIONS`.
    """
    lines = events.where(F.col("kind").isin(*REASSIGNED))
    first = F.min(F.struct("ts", "event_id", "node_id"))
    return MOVED_PARTITIONS.of(
        lines.groupBy(F.date_trunc("second", "ts")).agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            first["event_id"].alias("event_id"),
            first["node_id"].alias("node_id"),
            F.array_sort(F.collect_set(partition_name())).alias("names"),
            evidence_of().alias("evidence"),
        )
    )
