"""What is known of replicas' offsets, and how far it testifies: to which life of a broker, and until which leader
epoch.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.windows import PARTITION_KEY, after, before, ordered, so_far
from replay.offsets.high_watermarks import cut_by_recovery
from replay.partitions.state_reports import fetchers_begun
from replay.partitions.topics import with_life

ANCHORS = (
    "checkpoint_high_watermark",
    "partition_log_loaded",
    "follower_start",
    "leader_start",
    "leader_transition_skipped",
    "isr_shrink",
    "hw_updated",
    "truncation_below_hw",
    "truncation_to_hw",
    "checkpoint_log_start_offset",
    "log_start_offset_incremented",
)
LEADERS_SAY = ("leader_start", "leader_transition_skipped", "isr_shrink", "hw_updated")
ENDS = (
    "leader_start",
    "follower_start",
    "log_truncated_to",
    "log_load_completed",
)  # what a replica's log was when, and with whom it agreed
_ROLE_TAKEN = (
    "leader_start",
    "follower_start",
    "broker_leader_and_isr_received",
    "leader_transition_skipped",
    "follower_transition_skipped",
)


def marks_of_replicas(high_watermarks: DataFrame, truncations: DataFrame, lives: DataFrame) -> DataFrame:
    """What is known of replicas' offsets, and the cuts that leaders asked for, in one shape; `_damaged` where
    recovery cut the log to the end that is told.
    """
    known = high_watermarks.where(F.col("ts").isNotNull()).select(
        "topic",
        "partition",
        "node_id",
        "ts",
        F.col("leader_epoch").alias("_in_epoch"),
        "source",
        "high_watermark",
        "log_end_offset",
        cut_by_recovery().alias("_damaged"),
        F.lit(None).cast("bigint").alias("truncation_offset"),
        F.get("evidence", F.lit(0)).alias("_event"),
    )
    cut = truncations.where(~F.col("by_recovery")).select(
        "topic",
        "partition",
        "node_id",
        "ts",
        F.col("leader_epoch").alias("_in_epoch"),
        F.lit("truncation").alias("source"),
        "high_watermark",
        "log_end_offset",
        F.lit(False).alias("_damaged"),
        "truncation_offset",
        F.get("evidence", F.lit(0)).alias("_event"),
    )
    return with_life(known.unionByName(cut), lives).withColumnRenamed("ts", "_ts").withColumnRenamed("node_id", "_node")


# What is known of one replica, in the order of its own clock.
_own_log = ordered((*PARTITION_KEY, "_node"), "_ts", "_in_epoch")


def by_lives(marks: DataFrame, processes: DataFrame) -> DataFrame:
    """`marks` with `_life_ts`, when the broker that speaks last started anew, and `_clamped_anew`: a high watermark
    that was cut to a recovered log's end, as it was at an earlier recovery already.

    A checkpoint past the end of a log that lost records stays there until it is written anew. Where the broker dies
    again before, it is cut to the new end, and that was never committed (facts §3.3, S5).
    """
    own_log = _own_log()
    restarts = (
        processes.where(F.col("next_start_ts").isNotNull())
        .groupBy(F.col("node_id").alias("_node"))
        .agg(F.collect_list(F.struct("next_start_ts", "ended")).alias("_restarts"))
    )
    last = F.array_max(F.filter("_restarts", lambda r: r["next_start_ts"] <= F.col("_ts")))
    loaded = F.col("source") == "partition_log_loaded"
    end = F.last(F.when(F.col("source") == "log_load_completed", F.col("log_end_offset")), ignorenulls=True).over(
        so_far(own_log)
    )
    clamped = loaded & last["ended"].isin("killed", "fatal") & (F.col("high_watermark") == end)
    known = marks.join(F.broadcast(restarts), "_node", "left").withColumns(
        {"_clamped": clamped, "_life_ts": last["next_start_ts"]}
    )
    known = known.withColumn(
        "_anew", F.coalesce(F.col("_clamped") & F.max("_clamped").over(before(own_log)), F.lit(False))
    )
    told = F.last(F.when(loaded, F.struct("high_watermark", "_anew")), ignorenulls=True).over(so_far(own_log))
    anew = F.coalesce(told["_anew"] & (told["high_watermark"] == F.col("high_watermark")), F.lit(False))
    return known.withColumn("_clamped_anew", anew).drop("_restarts", "_clamped", "_anew")


def marks_of_isrs(isr_spans: DataFrame) -> DataFrame:
    """The committed ISRs, as marks of no replica."""
    return isr_spans.select(
        *PARTITION_KEY,
        F.col("start_ts").alias("_ts"),
        F.col("leader_epoch").alias("_in_epoch"),
        F.lit("isr").alias("source"),
        "isr",
        "partition_epoch",
    )


def until_used_up(marks: DataFrame, judged: DataFrame) -> DataFrame:
    """`marks` with `_used_up_in`: the first later leader epoch that starts below its high watermark. There the mark
    proves a loss; after it other records stand at those offsets.

    Later than what a replica's log agreed with: a leader speaks of its own leader epoch, a follower of the last
    leader with which it agreed, however long it was away since.
    """
    starts = (
        judged.where((F.col("leader_id") >= 0) & F.col("epoch_start_offset").isNotNull())
        .groupBy(*PARTITION_KEY)
        .agg(F.collect_list(F.struct("leader_epoch", "epoch_start_offset", "start_ts")).alias("_starts"))
    )
    source, told = F.col("source"), F.when(F.col("source").isin(*ENDS), F.col("log_end_offset"))
    grew = (source == "follower_start") & (
        F.last(told, ignorenulls=True).over(after(_own_log)) > F.col("log_end_offset")
    )
    agreed = F.when(
        source.isin("leader_start", "log_truncated_to") | F.coalesce(grew, F.lit(False)), F.col("_in_epoch")
    )
    marks = marks.withColumn("_agreed", agreed).withColumn(
        "_agreed", F.last("_agreed", ignorenulls=True).over(before(_own_log()))
    )
    begins = F.col("_in_epoch") - source.isin("follower_start", "truncation_to_hw").cast("int")
    since = F.when(source.isin(*LEADERS_SAY), F.col("_in_epoch")).otherwise(F.least("_agreed", begins))
    later = F.filter(
        "_starts",
        lambda s: (
            (s["epoch_start_offset"] < F.col("high_watermark"))
            & F.coalesce(s["leader_epoch"] > since, s["start_ts"] > F.col("_ts"))
        ),
    )
    # Logs may part below where the later leader began: then the replica itself cuts away what its high watermark
    # spoke of.
    cuts = F.collect_list(F.when(source == "truncation", F.struct("truncation_offset", "_in_epoch"))).over(
        after(_own_log)
    )
    own_cuts = F.filter(
        "_cuts", lambda c: (c["truncation_offset"] < F.col("high_watermark")) & (c["_in_epoch"] > since)
    )
    known = marks.withColumn("_cuts", cuts).join(F.broadcast(starts), list(PARTITION_KEY), "left")
    used_up_in = F.least(
        F.array_min(F.transform(later, lambda s: s["leader_epoch"])),
        F.array_min(F.transform(own_cuts, lambda c: c["_in_epoch"])),
    )
    return known.withColumn("_used_up_in", used_up_in).drop("_starts", "_agreed", "_cuts")


def roles_taken(events: DataFrame, lives: DataFrame, judged: DataFrame) -> DataFrame:
    """`topic, life, partition, _node, _taken_epoch, _taken_ts, _leads_ts, _says_so`: when each broker first took on
    each leader epoch that has a leader, and as its leader.

    A leader of which only others tell took its role on as well (`_says_so` is false): what it says later is of
    another history.
    """
    taken = events.where(
        F.col("kind").isin(*_ROLE_TAKEN)
        & F.col("topic").isNotNull()
        & F.col("leader_epoch").isNotNull()
        & F.col("node_id").isNotNull()
    )
    said = ("topic", "partition", "node_id", "leader_epoch", "ts", "kind")
    taken = taken.where(F.coalesce(F.col("leader_id") >= 0, F.lit(True))).select(*said)
    fetching = (
        fetchers_begun(events)
        .where(F.col("node_id").isNotNull())
        .withColumn("kind", F.lit("fetcher_partitions_added"))
        .select(*said)
    )  # up to 2.3 no more is told at INFO
    own = with_life(taken.unionByName(fetching), lives).select(
        *PARTITION_KEY,
        F.col("node_id").alias("_node"),
        F.col("leader_epoch").alias("_taken_epoch"),
        "ts",
        (F.col("kind") == "leader_start").alias("_leads"),
        F.lit(True).alias("_own"),
    )
    led = judged.where(F.col("leader_id") >= 0).select(
        *PARTITION_KEY,
        F.col("leader_id").alias("_node"),
        F.col("leader_epoch").alias("_taken_epoch"),
        F.col("start_ts").alias("ts"),
        F.lit(True).alias("_leads"),
        F.lit(False).alias("_own"),
    )
    first = F.min(F.struct(~F.col("_own"), "ts"))["ts"]  # its own clock, where it says so itself
    leads = F.min(F.when(F.col("_leads"), F.struct(~F.col("_own"), "ts")))["ts"]
    return (
        own.unionByName(led)
        .groupBy(*PARTITION_KEY, "_node", "_taken_epoch")
        .agg(first.alias("_taken_ts"), leads.alias("_leads_ts"), F.bool_or("_own").alias("_says_so"))
    )
