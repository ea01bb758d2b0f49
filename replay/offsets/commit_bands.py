"""How far a partition's records were committed: a band that holds the true high watermark at every moment.

The true high watermark is stored nowhere. Every replica's own high watermark is a lower bound of it (T1), every later
log end of the leader and every clean successor's first log end an upper bound (T2, T3). Between anchors there is a
band, never a line. Source: facts §1.3, §3.1, §4.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.windows import PARTITION_KEY, after, before, by_leader_epoch, ordered, so_far
from replay.offsets.high_watermarks import cut_by_recovery
from replay.partitions.state_reports import LATE_WITNESSES
from replay.partitions.topics import with_life
from replay.tables import COMMIT_BANDS, OPEN_VERDICTS

_LINEAGE = (*PARTITION_KEY, "lineage")
_TELL_A_LOG_END = ("isr_shrink", "follower_start", "log_rolled", "producer_snapshot_written", "leader_start")


def lineages(judged: DataFrame, losses: DataFrame | None = None) -> DataFrame:
    """`topic, life, partition, borders`: the leader epochs at which committed records may have been given up, so that
    what was known of the commit point before no longer holds.
    """
    unclean = judged.where(F.col("elected_from").isin("any_replica", "last_known_leader")).select(
        *PARTITION_KEY, "leader_epoch", F.col("start_ts").alias("ts")
    )
    given_up = unclean
    if losses is not None:
        # S4 whatever was lost: a leader that was not, or not surely, in the ISR begins with what it knows.
        open_or_lost = F.col("verdict").isin(*OPEN_VERDICTS) | F.coalesce(F.col("scenario") == "S4", F.lit(False))
        lost = losses.where((F.col("loss_class") == "committed") & open_or_lost)
        given_up = unclean.unionByName(lost.select(*PARTITION_KEY, "leader_epoch", "ts"))
    return given_up.groupBy(*PARTITION_KEY).agg(
        F.array_sort(F.collect_set(F.struct("leader_epoch", "ts"))).alias("borders")
    )


def lower_bounds(high_watermarks: DataFrame, lives: DataFrame, lineages: DataFrame) -> DataFrame:
    """`topic, life, partition, lineage, ts, low, low_evidence`: a moment from which on the commit point is at least
    `low`.

    After an unclean election only the leaders of the new lineage testify: what a returning replica says is of the old
    one.
    """
    told = with_life(high_watermarks.where(F.col("ts").isNotNull()), lives).join(lineages, list(PARTITION_KEY), "left")
    passed = F.size(F.filter("borders", lambda b: b["ts"] <= F.col("ts")))
    lineage = F.coalesce(F.when(F.size("borders") > 0, passed), F.lit(0))
    border_epoch = F.when(lineage > 0, F.get(F.col("borders"), lineage - 1)["leader_epoch"])
    belongs = (lineage == 0) | ((F.col("role") == "leader") & (F.col("leader_epoch") >= border_epoch))
    low = F.greatest("high_watermark", "log_start_offset", "leader_high_watermark")
    return (
        told.withColumns({"lineage": lineage, "low": low, "_belongs": belongs})
        .where(F.col("low").isNotNull() & F.col("_belongs"))
        .select(*_LINEAGE, "ts", "low", F.col("evidence").alias("low_evidence"))
    )


def upper_bounds(high_watermarks: DataFrame, judged: DataFrame, lives: DataFrame, lineages: DataFrame) -> DataFrame:
    """`topic, life, partition, lineage, ts, high, high_evidence`: a moment until which the commit point is at most
    `high`.

    A leader's log end bounds all before it in its tenure; a clean successor's first log end bounds all before that.
    Where the leader epoch after a tenure is not known, or told only by brokers that may have stood still, the tenure
    is only known to have begun. A leader that was away and leads again is no
    successor: what it began with is what its disk still held (facts §3.3, S5, S6). Nor is a log end that shows that records were lost from disk: one
    that recovery cut to, or below the offset from which another leader goes on.
    """
    tenures = _tenures(judged)
    bounds = _of_successors(tenures).unionByName(
        _of_leaders(tenures, _log_ends(high_watermarks, lives)), allowMissingColumns=True
    )
    bounds = bounds.join(lineages, list(PARTITION_KEY), "left").where(
        ~F.coalesce(F.exists("borders", lambda b: b["leader_epoch"] == F.col("_begins")), F.lit(False))
    )
    # Where a new history begins says nothing of the one given up.
    passed = F.size(F.filter("borders", lambda b: b["ts"] <= F.col("ts")))
    return bounds.withColumn("lineage", F.coalesce(F.when(F.size("borders") > 0, passed), F.lit(0))).select(
        *_LINEAGE, "ts", "high", "high_evidence"
    )


def _tenures(judged: DataFrame) -> DataFrame:
    """The leader epochs with a leader: when each ended as far as that is sure, whether its leader had been away
    (`_away`), and where the next leader began (`_then_start`).
    """
    led = F.last(F.when(F.col("leader_id") >= 0, F.struct("leader_id", "leader_epoch")), ignorenulls=True).over(
        before(by_leader_epoch())
    )
    then = F.last(F.when(F.col("leader_id") >= 0, F.struct("epoch_start_offset")), ignorenulls=True).over(
        after(by_leader_epoch)
    )
    away = F.coalesce(
        (F.col("_led.leader_id") == F.col("leader_id")) & (F.col("_led.leader_epoch") < F.col("leader_epoch") - 1),
        F.lit(False),
    )
    end_is_known = F.coalesce(F.col("next_leader_epoch") == F.col("leader_epoch") + 1, F.lit(True)) & ~F.coalesce(
        F.col("next_witness").isin(*LATE_WITNESSES), F.lit(False)
    )
    ended = F.when(end_is_known, F.col("end_ts")).otherwise(F.col("start_ts"))
    return (
        judged.withColumns({"_ended_ts": ended, "_led": led, "_then_start": then["epoch_start_offset"]})
        .withColumn("_away", away)
        .where(F.col("leader_id") >= 0)
        .select(
            *PARTITION_KEY,
            "leader_epoch",
            "leader_id",
            "start_ts",
            F.col("_ended_ts").alias("end_ts"),
            "leader_ts",
            "epoch_start_offset",
            "elected_from",
            "evidence",
            "_away",
            "_then_start",
        )
    )


def _of_successors(tenures: DataFrame) -> DataFrame:
    """The first log end of each clean successor bounds all before it (T3)."""
    unclean = F.coalesce(F.col("elected_from").isin("any_replica", "last_known_leader"), F.lit(False))
    return tenures.where(
        ~F.col("_away") & F.col("epoch_start_offset").isNotNull() & F.col("leader_ts").isNotNull() & ~unclean
    ).select(
        *PARTITION_KEY,
        F.col("leader_ts").alias("ts"),
        F.col("epoch_start_offset").alias("high"),
        F.slice("evidence", 1, 2).alias("high_evidence"),
        F.col("leader_epoch").alias("_begins"),
    )


def _log_ends(high_watermarks: DataFrame, lives: DataFrame) -> DataFrame:
    """What replicas say of the ends of their logs."""
    said = (
        high_watermarks.where(F.col("ts").isNotNull())
        .withColumn("_damaged", cut_by_recovery())
        .where(F.col("log_end_offset").isNotNull() & F.col("source").isin(*_TELL_A_LOG_END))
    )
    return with_life(said, lives).select(
        *PARTITION_KEY,
        F.col("node_id").alias("_node"),
        F.col("ts").alias("_told_ts"),
        F.col("leader_epoch").alias("_told_epoch"),
        "source",
        "log_end_offset",
        "_damaged",
        F.col("evidence").alias("high_evidence"),
    )


def _of_leaders(tenures: DataFrame, log_ends: DataFrame) -> DataFrame:
    """A leader's log end bounds all before it in its tenure (T2).

    A deposed leader says where its log ended when it first begins to follow a later epoch; after that its log is
    another.
    """
    follows = F.col("source") == "follower_start"
    deposed = follows & (F.col("_told_epoch") > F.col("leader_epoch"))
    own = ~follows & (F.col("_told_epoch") == F.col("leader_epoch"))
    in_tenure = log_ends.join(
        tenures.select(
            *PARTITION_KEY, "leader_epoch", F.col("leader_id").alias("_node"), "start_ts", "end_ts", "_then_start"
        ),
        [*PARTITION_KEY, "_node"],
    ).where((deposed | own) & (F.col("_told_ts") >= F.col("start_ts")))
    first_told = F.min(F.when(follows, F.col("_told_ts"))).over(
        Window.partitionBy(*PARTITION_KEY, "_node", "leader_epoch")
    )
    records_lost = F.col("_damaged") | F.coalesce(
        follows & (F.col("log_end_offset") < F.col("_then_start")), F.lit(False)
    )
    latest = Window.partitionBy(*PARTITION_KEY, "_node", "_told_ts", "source").orderBy(F.desc("leader_epoch"))
    return (
        in_tenure.withColumn("_first_told", first_told)
        .where(~follows | (F.col("_told_ts") == F.col("_first_told")))
        .where(~records_lost)
        .withColumn("_nth", F.row_number().over(latest))
        .where(F.col("_nth") == 1)
        .select(
            *PARTITION_KEY,
            F.least("_told_ts", F.coalesce("end_ts", "_told_ts")).alias("ts"),
            F.col("log_end_offset").alias("high"),
            "high_evidence",
        )
    )


def commit_bands(low: DataFrame, high: DataFrame) -> DataFrame:
    """Lay the bands end to end, from the first lower bound on. Returns `COMMIT_BANDS`.

    An upper bound below what was already committed by its time would be a contradiction; it is left out here and told
    by the invariants and the loss ledger.
    """
    nothing = F.lit(None)
    points = low.select(
        *_LINEAGE,
        "ts",
        "low",
        "low_evidence",
        nothing.cast("bigint").alias("high"),
        nothing.cast("array<string>").alias("high_evidence"),
    ).unionByName(
        high.select(
            *_LINEAGE,
            "ts",
            nothing.cast("bigint").alias("low"),
            nothing.cast("array<string>").alias("low_evidence"),
            "high",
            "high_evidence",
        )
    )
    moments = points.groupBy(*_LINEAGE, "ts").agg(
        F.max(F.when(F.col("low").isNotNull(), F.struct("low", "low_evidence"))).alias("_low"),
        F.min(F.when(F.col("high").isNotNull(), F.struct("high", "high_evidence"))).alias("_high"),
    )
    by_time = ordered(_LINEAGE, "ts")
    in_time = by_time()
    bounded = moments.withColumn("_low", F.max("_low").over(so_far(in_time))).withColumn(
        "_high",
        F.when(F.coalesce(F.col("_high.high") >= F.coalesce(F.col("_low.low"), F.lit(0)), F.lit(True)), F.col("_high")),
    )
    spans = bounded.withColumn("_high", F.min("_high").over(after(by_time))).where(F.col("_low").isNotNull())
    same = (F.lag("_low.low").over(in_time).eqNullSafe(F.col("_low.low"))) & (
        F.lag("_high.high").over(in_time).eqNullSafe(F.col("_high.high"))
    )
    first = F.row_number().over(in_time) == 1
    changed = spans.withColumn("_changed", first | ~same).where("_changed")
    whole = Window.partitionBy("topic", "partition").orderBy("life", "lineage", "ts")
    return COMMIT_BANDS.of(
        changed.withColumn("end_ts", F.lead("ts").over(whole)).select(
            "topic",
            "partition",
            F.col("ts").alias("start_ts"),
            "end_ts",
            F.col("_low.low").alias("committed_low"),
            F.col("_high.high").alias("committed_high"),
            F.col("_low.low_evidence").alias("low_evidence"),
            F.coalesce("_high.high_evidence", F.array().cast("array<string>")).alias("high_evidence"),
        )
    )


def all_bands(high_watermarks: DataFrame, leader_epochs: DataFrame, lives: DataFrame, lineages: DataFrame) -> DataFrame:
    """The bands of every partition, from both bounds. Returns `COMMIT_BANDS`."""
    low = lower_bounds(high_watermarks, lives, lineages)
    return commit_bands(low, upper_bounds(high_watermarks, leader_epochs, lives, lineages))
