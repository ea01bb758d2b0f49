"""Leader epochs -> tenures: from when to when each leader led in the eyes of clients."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.times import plus_millis
from replay.columns.windows import after, before, from_here, ordered
from replay.tables.availability import TENURES

LEADERS_LINES = ("leader_start", "leader_transition_skipped", "isr_updated")
CLOCKS_DIFFER_MS = 5_000  # corrected clocks of two nodes are closer than this


# One partition's leader epochs, those of a deleted topic before those of its successor.
in_time = ordered(("topic", "partition"), "start_ts", "leader_epoch")


def roles_taken_up(events: DataFrame) -> DataFrame:
    """`topic, partition, node_id, leader_epoch, ts, leads_it`: the lines with which brokers took up partitions, as
    leaders or followers.
    """
    told = events.where(
        F.col("kind").isin("leader_start", "follower_start") & F.col("topic").isNotNull() & F.col("ts").isNotNull()
    )
    leads_it = F.col("kind") == "leader_start"
    return told.select("topic", "partition", "node_id", "leader_epoch", "ts", leads_it.alias("leads_it"))


def leaders_words(events: DataFrame, refused_writes: DataFrame) -> DataFrame:
    """`topic, partition, node_id, leader_epoch, isr, ts, refuses`: what brokers say of ISRs that they lead with, and
    their first refusals of acks=all.
    """
    told = events.where(
        F.col("kind").isin(*LEADERS_LINES) & F.col("topic").isNotNull() & F.col("ts").isNotNull()
    ).select("topic", "partition", "node_id", "leader_epoch", "isr", "ts", F.lit(False).alias("refuses"))
    refusals = refused_writes.where(F.col("topic").isNotNull()).select(
        *("topic", "partition", "node_id"),
        F.lit(None).cast("int").alias("leader_epoch"),
        F.lit(None).cast("array<int>").alias("isr"),
        "ts",
        F.lit(True).alias("refuses"),
    )
    return told.unionByName(refusals)


def tenures(leader_epochs: DataFrame, roles: DataFrame) -> DataFrame:
    """When each leader took up its leader epoch, and when the next did. Returns `TENURES`.

    A leader that stays goes on while its leader epoch changes. One of which no line tells that it took up the
    partition is taken to have done so as it was chosen.
    """
    placed = _with_first_start(leader_epochs, roles.where("leads_it"))
    leads = F.col("leader_id") >= 0
    last_leader = F.last(F.when(leads, F.col("leader_id")), ignorenulls=True).over(before(in_time()))
    stays = F.lag("leader_id").over(in_time()) == F.col("leader_id")
    serves_ts = F.when(leads, F.when(F.coalesce(stays, F.lit(False)), F.col("start_ts")).otherwise(_taken_up()))
    next_serves_ts = F.last("serves_ts", ignorenulls=True).over(after(in_time))
    topic_end_ts = F.first("end_ts").over(from_here(in_time))  # null while the topic lives
    return TENURES.of(
        placed.withColumns({"last_leader_id": last_leader, "serves_ts": serves_ts})
        .withColumn("next_start_ts", F.lead("start_ts").over(in_time()))
        .withColumn("until_ts", F.coalesce(next_serves_ts, topic_end_ts))
    )


def _taken_up() -> Column:
    return F.greatest(F.coalesce("led_ts", "start_ts"), F.col("start_ts"))


def _with_first_start(leader_epochs: DataFrame, starts: DataFrame) -> DataFrame:
    """`leader_epochs` with the first line with which its leader took it up."""
    own = starts.select(
        "topic", "partition", "leader_epoch", F.col("node_id").alias("leader_id"), F.col("ts").alias("_led_ts")
    )
    key = ["topic", "partition", "leader_epoch", "leader_id"]
    columns = ["topic", "partition", "leader_epoch", "leader_id", "start_ts", "end_ts", "evidence"]
    in_epoch = F.when(F.col("_led_ts") >= plus_millis("start_ts", -CLOCKS_DIFFER_MS), F.col("_led_ts"))
    in_epoch = F.when(F.col("end_ts").isNull() | (F.col("_led_ts") <= F.col("end_ts")), in_epoch)
    return leader_epochs.select(*columns).join(own, key, "left").groupBy(*columns).agg(F.min(in_epoch).alias("led_ts"))
