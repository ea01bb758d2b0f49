"""Which leader epochs' records had come to a replica, from offsets alone: no line prints a follower's epoch entries
from 2.0 on.

A follower's log is its leader's, as far as it goes: where it has grown past the start of a leader epoch, that leader
epoch's first record has come, and with it the entry (facts §1.4). That it has grown is told by its own lines, or by a
high watermark of its leader while it was in the ISR (T2).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import millis
from replay.columns.windows import PARTITION_KEY, before
from replay.partitions.topics import with_life

_BEGUN_WITHIN_MS = 10_000  # a leader says so within this of the decision; a line of later repeats it
_CUTS = ("log_truncated_to", "log_recovery_truncated")
_ROLES = ("leader_start", "follower_start")


def beginnings(known: DataFrame, leader_epochs: DataFrame) -> DataFrame:
    """The lines in which a leader begins a leader epoch: the rows of `known` of kind `leader_start`, without those
    that repeat an epoch led before (facts §8 trap 16).

    A repeat prints no leader epoch before it. So does a leader that was just started: then it begins if the leader
    epoch itself was seen to.
    """
    epochs = leader_epochs.select(
        *PARTITION_KEY,
        "leader_epoch",
        (
            (F.col("confidence") == "observed")
            & (millis("leader_ts", "start_ts").between(-_BEGUN_WITHIN_MS, _BEGUN_WITHIN_MS))
        ).alias("_seen"),
        F.col("leader_ts").alias("_first_ts"),
    )
    begins = (
        ((F.col("leader_epoch") == 0) & (F.col("epoch_start_offset") == 0))
        | F.col("_previous").between(0, F.col("leader_epoch") - 1)
        | (F.col("_seen") & (F.col("ts") == F.col("_first_ts")))
    )
    return (
        known.where((F.col("kind") == "leader_start") & F.col("ts").isNotNull())
        .join(epochs, [*PARTITION_KEY, "leader_epoch"], "left")
        .where(F.coalesce(begins, F.lit(False)))
    )


def arrivals(begun: DataFrame, high_watermarks: DataFrame, isr_spans: DataFrame, lives: DataFrame) -> DataFrame:
    """`topic, life, partition, node_id, leader_epoch, epoch_start_offset, ts, event_id, is_own`: an entry that a
    replica had by `ts` (null: by the end), as the event shows.

    `is_own` is true of a leader's first record in its own leader epoch. `begun` is `beginnings`.
    """
    marks = with_life(high_watermarks, lives).withColumn("_event", F.get("evidence", F.lit(0)))
    grown = _by_own_lines(marks)
    reached = grown.where(~F.col("_led")).drop("_led").unionByName(_by_leaders_commits(marks, isr_spans))
    copied = _copied(reached, chains(begun, _held_for_sure(begun, grown), marks))
    own = _entries_of_epoch(grown.where("_led"), begun).withColumn("is_own", F.lit(True))
    # Between two cuts the first line that tells it is enough; one without a time tells of the end.
    in_one_stretch = (
        *PARTITION_KEY,
        "node_id",
        "leader_epoch",
        "epoch_start_offset",
        "is_own",
        "_since",
        F.isnull("ts"),
    )
    return (
        copied.withColumn("is_own", F.lit(False))
        .unionByName(own)
        .groupBy(*in_one_stretch)
        .agg(F.min(F.struct("ts", "_event")).alias("_first"))
        .select(
            *in_one_stretch[:-2],
            F.col("_first.ts").alias("ts"),
            F.col("_first._event").alias("event_id"),
        )
    )


def _entries_of_epoch(grown: DataFrame, begun: DataFrame) -> DataFrame:
    """The entry of the very leader epoch in which a replica's log grew past where that began."""
    starts = begun.select(*PARTITION_KEY, "leader_epoch", "epoch_start_offset").distinct()
    return (
        grown.join(starts, [*PARTITION_KEY, "leader_epoch"])
        .where(F.col("epoch_start_offset") < F.col("_reached"))
        .select(*PARTITION_KEY, "node_id", "leader_epoch", "epoch_start_offset", "ts", "_since", "_event")
    )


def _held_for_sure(begun: DataFrame, grown: DataFrame) -> DataFrame:
    """`*PARTITION_KEY, node_id, leader_epoch, epoch_start_offset, ts`: the entries of leader epochs that a replica
    led, or in which it copied.

    A leader may never have copied an earlier leader epoch, if it was elected from outside the ISR: nothing else is
    sure to be in its log.
    """
    columns = [*PARTITION_KEY, "node_id", "leader_epoch", "epoch_start_offset", "ts"]
    copied = _entries_of_epoch(grown.where(~F.col("_led") & F.col("ts").isNotNull()), begun)
    return begun.select(*columns).unionByName(copied.select(*columns))


def chains(begun: DataFrame, held: DataFrame, marks: DataFrame) -> DataFrame:
    """`topic, life, partition, leader_epoch, chain`: the leader epochs that are sure to be in the log of each leader
    as it begins, oldest first, its own the last.

    A leader epoch at whose start a later one starts too, or before it, has no record in that log; nor has one that
    was cut off. Each entry has `until_ts`, when the first leader epoch began that would have taken its place, in
    whichever log.
    """
    leads = begun.groupBy(*PARTITION_KEY, "leader_epoch").agg(
        F.min(F.struct("ts", "epoch_start_offset", "node_id")).alias("_begun")
    )
    entry = F.struct("leader_epoch", "_begun.epoch_start_offset", "_begun.ts")
    every = leads.groupBy(*PARTITION_KEY).agg(F.collect_list(entry).alias("_every"))
    cuts = marks.where(F.col("source").isin(*_CUTS)).select(
        *PARTITION_KEY, "node_id", F.struct("ts", "log_end_offset").alias("_cut")
    )
    cut_off = F.exists(
        "_cuts",
        lambda cut: (
            (cut["ts"] >= F.col("ts"))
            & (cut["ts"] <= F.col("_begun.ts"))
            & (cut["log_end_offset"] <= F.col("epoch_start_offset"))
        ),
    )
    held_then = (
        held.join(
            cuts.groupBy(*PARTITION_KEY, "node_id").agg(F.collect_list("_cut").alias("_cuts")),
            [*PARTITION_KEY, "node_id"],
            "left",
        )
        .withColumnsRenamed({"leader_epoch": "_epoch", "node_id": "_node"})
        .join(leads, list(PARTITION_KEY))
        .where(
            (F.col("_node") == F.col("_begun.node_id"))
            & (F.col("_epoch") <= F.col("leader_epoch"))
            & (F.col("ts") <= F.col("_begun.ts"))
            & ~F.coalesce(cut_off, F.lit(False))
        )
        .groupBy(*PARTITION_KEY, "leader_epoch")
        .agg(
            F.array_sort(F.collect_set(F.struct(F.col("_epoch").alias("leader_epoch"), "epoch_start_offset"))).alias(
                "_known"
            )
        )
    )

    def displacing(one: Column, among: str) -> Column:
        return F.filter(
            among,
            lambda later: (
                (later["leader_epoch"] > one["leader_epoch"])
                & (later["epoch_start_offset"] <= one["epoch_start_offset"])
            ),
        )

    chain = F.transform(
        F.filter("_known", lambda one: F.size(displacing(one, "_known")) == 0),
        lambda one: F.struct(
            one["leader_epoch"].alias("leader_epoch"),
            one["epoch_start_offset"].alias("epoch_start_offset"),
            F.array_min(F.transform(displacing(one, "_every"), lambda later: later["ts"])).alias("until_ts"),
        ),
    )
    return held_then.join(every, list(PARTITION_KEY)).select(*PARTITION_KEY, "leader_epoch", chain.alias("chain"))


def _copied(reached: DataFrame, chains: DataFrame) -> DataFrame:
    """The entries that came with the records which a replica copied of its leader."""
    return (
        reached.join(chains, [*PARTITION_KEY, "leader_epoch"])
        .withColumn("_entry", F.explode("chain"))
        .where(
            (F.col("_entry.epoch_start_offset") < F.col("_reached"))
            & (
                (F.col("_entry.epoch_start_offset") >= F.col("_held"))
                | (F.col("_entry.leader_epoch") == F.col("leader_epoch"))
            )
            & F.coalesce(F.col("ts") < F.col("_entry.until_ts"), F.col("_entry.until_ts").isNull())
        )
        .select(
            *PARTITION_KEY,
            "node_id",
            F.col("_entry.leader_epoch").alias("leader_epoch"),
            F.col("_entry.epoch_start_offset").alias("epoch_start_offset"),
            "ts",
            "_since",
            "_event",
        )
    )


def _by_own_lines(marks: DataFrame) -> DataFrame:
    """How far a replica's log had grown in the role that it took last: until then it was as it was before, whatever
    it was called to follow.

    Its leader may never have been reached; so only what comes after where its log ended, or to where it was cut, is
    its leader's.
    """
    role, cut = F.col("source").isin(*_ROLES), F.col("source").isin(*_CUTS)
    order = F.when(role, 0).when(cut, 1).otherwise(2)
    own_log = Window.partitionBy(*PARTITION_KEY, "node_id").orderBy(F.col("ts").asc_nulls_last(), order)
    taken = F.struct("leader_epoch", "log_end_offset", "ts", "source")
    placed = marks.where(F.greatest("high_watermark", "log_end_offset").isNotNull()).withColumns(
        {
            "_was": F.last(F.when(role, taken), ignorenulls=True).over(before(own_log)),
            "_cut": F.last(F.when(cut, F.struct("log_end_offset", "ts")), ignorenulls=True).over(before(own_log)),
        }
    )
    held = F.coalesce(F.when(F.col("_cut.ts") >= F.col("_was.ts"), F.col("_cut.log_end_offset")), "_was.log_end_offset")
    reached = F.when(role, F.col("log_end_offset")).when(~cut, F.greatest("high_watermark", "log_end_offset"))
    return placed.select(
        *PARTITION_KEY,
        "node_id",
        F.col("_was.leader_epoch").alias("leader_epoch"),
        held.alias("_held"),
        reached.alias("_reached"),
        F.greatest("_was.ts", "_cut.ts").alias("_since"),
        "ts",
        "_event",
        (F.col("_was.source") == "leader_start").alias("_led"),
    ).where("_reached > _held")


def _by_leaders_commits(marks: DataFrame, isr_spans: DataFrame) -> DataFrame:
    """How far the logs of a leader's ISR had grown: to its high watermark at least."""
    committed = marks.where(F.col("high_watermark").isNotNull()).select(
        *PARTITION_KEY,
        F.col("node_id").alias("leader_id"),
        "ts",
        F.when(F.col("role") == "leader", F.col("leader_epoch")).alias("_in_epoch"),
        F.col("high_watermark").alias("_reached"),
        "_event",
    )
    in_time = F.coalesce(
        (F.col("ts") >= F.col("start_ts")) & F.coalesce(F.col("ts") < F.col("end_ts"), F.lit(True)),
        F.col("end_ts").isNull(),
    )
    isrs = isr_spans.where((F.size("isr") > 1) & (F.col("leader_id") >= 0)).select(
        *PARTITION_KEY, "leader_id", "leader_epoch", "isr", "start_ts", "end_ts"
    )
    return (
        committed.join(isrs, [*PARTITION_KEY, "leader_id"])
        .where(in_time & F.coalesce(F.col("_in_epoch") == F.col("leader_epoch"), F.lit(True)))
        .withColumn("node_id", F.explode("isr"))
        .where(F.col("node_id") != F.col("leader_id"))
        .select(
            *PARTITION_KEY,
            "node_id",
            "leader_epoch",
            F.lit(0).alias("_held"),
            "_reached",
            F.col("start_ts").alias("_since"),
            "ts",
            "_event",
        )
    )
