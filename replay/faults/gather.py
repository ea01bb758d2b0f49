"""What the rules of faults need of every line, gathered by Spark: few rows, whatever the input.

All else the rules read of `FACTS`, which hold some kinds of event only, and of many alike the run.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of
from replay.columns.times import millis
from replay.columns.windows import so_far
from replay.facts.lives import CLEAN_START, STARTS, UNCLEAN_START
from replay.facts.reads import gathers
from replay.facts.witnesses import OF_JAVA
from replay.faults.late_metadata import LATE_MS
from replay.faults.of_partitions import removed_from_isr
from replay.faults.unreachable import ZOOKEEPER_FOUND, ZOOKEEPER_LOST
from replay.tables.faults import (
    FIRST_LINES,
    FIRST_MENTIONS,
    LATE_ROLES,
    MEMORY_ERRORS,
    PAUSE_SIGNS,
    SILENCES,
    WRITTEN_LINES,
)

SILENCE_MS = 3_000  # shorter gaps between lines are those of a healthy node
MOST_SILENCES = 10_000  # of one node, the longest: one that prints a line every four seconds all day has more
STARTS_PRINTED = ("process_start_line", "process_signal_registered", "broker_starting")
ROLES = ("leader_start", "follower_start")
SHRINK, FENCED_EPOCH = "isr_shrink", "fetch_fenced_epoch"
JAVA_PAUSES = ("gc_pause", "jvm_safepoint")
HANDLED = ("broker_leader_and_isr_request", "broker_leader_and_isr_received", "broker_metadata_update_summary")
_DECISION = ("topic_id", "partition", "leader_epoch", "partition_epoch")


def first_lines(events: DataFrame) -> DataFrame:
    """Of each node the first of its lines, and its first start. Returns `FIRST_LINES`."""
    starts = _is_own_line() & F.col("kind").isin(*STARTS, *UNCLEAN_START, *CLEAN_START)
    first = F.min(F.when(_is_own_line(), F.struct("ts", "source_file", "line_number", "event_id")))
    found = events.groupBy("node_id").agg(
        F.min("ts").alias("told_ts"), first.alias("_first"), F.min(F.when(starts, F.col("ts"))).alias("start_ts")
    )
    return FIRST_LINES.rows(found, first_ts=F.col("_first.ts"), first_event=F.col("_first.event_id"))


def silences(events: DataFrame) -> DataFrame:
    """Times within one life of a process in which none of its node's files has a line. Returns `SILENCES`."""
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    lost_or_found = F.when(F.col("kind").isin(*ZOOKEEPER_LOST, *ZOOKEEPER_FOUND), F.col("kind").isin(*ZOOKEEPER_LOST))
    lines = events.where(_is_own_line()).withColumn("_lost", F.last(lost_or_found, ignorenulls=True).over(so_far(node)))
    gaps = lines.select(
        "node_id",
        F.lag("_lost").over(node).alias("without_zookeeper"),
        F.lag("ts").over(node).alias("from_ts"),
        F.col("ts").alias("to_ts"),
        F.lag("event_id").over(node).alias("from_event"),
        F.col("event_id").alias("to_event"),
        "kind",
    )
    silent = gaps.where((millis("to_ts", "from_ts") >= SILENCE_MS) & ~F.col("kind").isin(*STARTS_PRINTED))
    longest_first = Window.partitionBy("node_id").orderBy(millis("to_ts", "from_ts").desc(), "to_ts")
    ranked = silent.withColumn("_rank", F.row_number().over(longest_first))
    return SILENCES.rows(ranked.where(F.col("_rank") <= MOST_SILENCES))


@gathers(SHRINK, FENCED_EPOCH, *JAVA_PAUSES)
def pause_signs(events: DataFrame) -> DataFrame:
    """Of the lines that tell of single partitions, and of those of Java's own pauses, what a node that stood still may
    be known by: followers that a leader dropped, one at a time; leader epochs that were news to a follower; long
    pauses. Those of one second together. Returns `PAUSE_SIGNS`.
    """
    removed = removed_from_isr()
    dropped = F.when(F.col("isr").isNotNull() & (F.size(removed) == 1), F.get(removed, F.lit(0)))
    of_java = F.col("kind").isin(*JAVA_PAUSES)
    elapsed_ms = F.when(of_java, detail("duration_ms").try_cast("double").cast("bigint"))
    is_sign = F.col("kind").isin(SHRINK, FENCED_EPOCH) | (of_java & (elapsed_ms >= SILENCE_MS))
    about = F.when(F.col("kind") == SHRINK, F.when(dropped != F.col("node_id"), dropped)).otherwise(F.col("node_id"))
    signs = events.where(is_sign & F.col("ts").isNotNull()).select(
        "kind",
        about.alias("about"),
        F.col("node_id").alias("told_by"),
        "ts",
        "event_id",
        elapsed_ms.alias("elapsed_ms"),
    )
    lines = F.array_sort(F.collect_set(F.struct("ts", "event_id")))
    return PAUSE_SIGNS.rows(
        signs.where(F.col("about").isNotNull())
        .groupBy("kind", "about", "told_by", F.date_trunc("second", "ts"))
        .agg(
            F.min("ts").alias("ts"), F.max("elapsed_ms").alias("elapsed_ms"), F.slice(lines, 1, AT_MOST).alias("lines")
        ),
        node_id=F.col("about"),
    )


def first_mentions(events: DataFrame) -> DataFrame:
    """When each broker is first named as a leader or in an ISR. Returns `FIRST_MENTIONS`."""
    no_ids = F.array().cast("array<int>")
    members = F.array_union(F.coalesce("isr", no_ids), F.array("leader_id"))
    named = events.select(F.explode(members).alias("broker_id"), "ts").where(F.col("broker_id").isNotNull())
    return FIRST_MENTIONS.of(named.groupBy("broker_id").agg(F.min("ts").alias("member_ts")))


def memory_errors(events: DataFrame) -> DataFrame:
    """The lines that tell of an OutOfMemoryError, of whatever kind they are, but Java's last words, which are of its end
    (`replay.faults.witnessed`); those of one second together. Returns `MEMORY_ERRORS`.
    """
    said = F.concat_ws(" ", "message", detail("exception"))
    of_node = F.col("node_id").isNotNull() & ~F.col("kind").isin(*OF_JAVA)
    told = events.where(F.contains(said, F.lit("java.lang.OutOfMemoryError")) & of_node)
    return MEMORY_ERRORS.of(
        told.groupBy("node_id", F.date_trunc("second", "ts")).agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.min(F.struct("ts", "event_id"))["event_id"].alias("event_id"),
            F.count("*").alias("count"),
            evidence_of().alias("evidence"),
        )
    )


@gathers("raft_transition")  # of KRaft
def late_roles(events: DataFrame) -> DataFrame:
    """The parts in decisions of the KRaft controllers that a broker took up long after another one did, those of one
    second together. Returns `LATE_ROLES`.

    Only lines of one and the same decision are compared, by partition epoch: a replica that is added later starts with
    a later one.
    """
    decided = F.col("topic_id").isNotNull() & F.col("leader_epoch").isNotNull() & F.col("partition_epoch").isNotNull()
    roles = events.where(_is_own_line() & F.col("kind").isin(*ROLES) & decided)
    first = F.min(F.struct("ts", "event_id")).over(Window.partitionBy(*_DECISION))
    late = (
        roles.withColumn("_first", first)
        .withColumns({"first_ts": F.col("_first.ts"), "name": F.concat_ws("/", "topic_id", "partition")})
        .where(millis("ts", "first_ts") >= LATE_MS)
    )
    return LATE_ROLES.of(
        late.groupBy("node_id", F.date_trunc("second", "first_ts"), F.date_trunc("second", "ts")).agg(
            F.min("_first")["event_id"].alias("first_event"),
            F.min("first_ts").alias("first_ts"),
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.min("event_id").alias("event_id"),
            F.max(millis("ts", "first_ts")).alias("late_ms"),
            F.array_sort(F.collect_set("name")).alias("names"),
            evidence_of().alias("evidence"),
        )
    )


def written_lines(events: DataFrame, asked_times: DataFrame) -> DataFrame:
    """What nodes wrote in the times of which rules ask. Returns `WRITTEN_LINES`."""
    times = asked_times.select(F.col("node_id").alias("_asked"), "from_ts", "to_ts").distinct()
    by_it = F.col("_asked").isNull() | (F.col("_asked") == F.col("node_id"))
    in_time = (F.col("from_ts").isNull() | (F.col("ts") >= F.col("from_ts"))) & (F.col("ts") <= F.col("to_ts"))
    written = events.where(F.col("node_id").isNotNull()).join(F.broadcast(times), by_it & in_time)
    return WRITTEN_LINES.of(
        written.groupBy("node_id", "from_ts", "to_ts").agg(
            F.bool_or(F.col("logger").isNotNull()).alias("logs"),
            F.coalesce(F.bool_or(F.col("kind").isin(*STARTS)), F.lit(False)).alias("starts"),
            F.coalesce(F.bool_or(F.col("kind").isin(*ROLES)), F.lit(False)).alias("takes_role"),
            F.max(F.when(F.col("kind").isin(*HANDLED), F.col("ts"))).alias("handled_ts"),
        )
    )


def _is_own_line() -> Column:
    """Whether a node printed the event itself, with a time."""
    return F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull()
