"""Claims -> availability: one state at a time, laid end to end."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.availability.claims import BOTH_KINDS
from replay.availability.reasons import CLOSED, OPEN, rank
from replay.columns.evidence import AT_MOST
from replay.columns.windows import so_far
from replay.tables.availability import AVAILABILITY

_KEY = ("topic", "partition", "acks")


def laid_end_to_end(claims: DataFrame, tenures: DataFrame) -> DataFrame:
    """Each partition's time, cut where a claim begins or ends: the strongest claim of each piece, `open` where there
    is none. Returns `AVAILABILITY`.

    What is sure goes before what is not, then the order of `replay.availability.reasons`.
    """
    claimed = claims.join(_lives(tenures), list(_KEY), "right")
    pieces = _pieces(claimed)
    return AVAILABILITY.of(_joined_where_alike(_with_strongest(pieces, _claims_of_pieces(claimed, pieces))))


def _lives(tenures: DataFrame) -> DataFrame:
    """`topic, partition, acks, born_ts, gone_ts`: from a partition's first leader to its topic's end, null while it
    goes on.
    """
    in_time = F.struct("start_ts", "leader_epoch")
    lives = tenures.groupBy("topic", "partition").agg(
        F.min("start_ts").alias("born_ts"), F.max_by("until_ts", in_time).alias("gone_ts")
    )
    return lives.withColumn("acks", F.explode(F.array(*map(F.lit, BOTH_KINDS))))


def _pieces(claimed: DataFrame) -> DataFrame:
    """One row a piece of time between two borders of its partition's life: `start_ts, end_ts, piece` (from 1)."""
    in_time = Window.partitionBy(*_KEY).orderBy("start_ts")
    borders = (
        claimed.withColumn("start_ts", F.explode(F.array("born_ts", "gone_ts", "start_ts", "end_ts")))
        .where((F.col("start_ts") >= F.col("born_ts")) & _not_after(F.col("start_ts"), F.col("gone_ts")))
        .select(*_KEY, "gone_ts", "start_ts")
        .distinct()
    )
    return (
        borders.withColumns(
            {"end_ts": F.lead("start_ts").over(in_time), "piece": F.row_number().over(in_time)},
        )
        .where(F.col("end_ts").isNotNull() | F.col("gone_ts").isNull())
        .drop("gone_ts")
    )


def _not_after(ts: Column, end: Column) -> Column:
    """No end is after every time."""
    return end.isNull() | (ts <= end)


def _claims_of_pieces(claimed: DataFrame, pieces: DataFrame) -> DataFrame:
    """`piece, claim` of every claim and each piece of its partition that it covers."""
    # By the numbers of its first and last piece: to hold each claim against each piece is the square of a day.
    begins = F.greatest("start_ts", "born_ts")
    claim = F.struct(
        (F.col("state") != CLOSED).alias("is_unsure"),
        rank(F.col("reason")).alias("rank"),
        "start_ts",
        "end_ts",
        "state",
        "reason",
        "fault_id",
        "confidence",
        "evidence",
    )
    told = claimed.where(F.col("state").isNotNull() & (F.col("end_ts").isNull() | (F.col("end_ts") > begins))).select(
        *_KEY, begins.alias("start_ts"), "end_ts", claim.alias("claim")
    )
    most = F.max("piece").over(Window.partitionBy(*_KEY))
    first = pieces.select(*_KEY, "start_ts", F.col("piece").alias("_first"), most.alias("_most"))
    last = pieces.select(*_KEY, "end_ts", F.col("piece").alias("_last"))
    return (
        told.join(first, [*_KEY, "start_ts"])
        .join(last, [*_KEY, "end_ts"], "left")
        .select(*_KEY, "claim", F.explode(F.sequence("_first", F.coalesce("_last", "_most"))).alias("piece"))
    )


def _with_strongest(pieces: DataFrame, claims_of_pieces: DataFrame) -> DataFrame:
    """`pieces` with the strongest of the claims that cover each."""
    strongest = claims_of_pieces.groupBy(*_KEY, "piece").agg(F.min("claim").alias("_claim"))
    return pieces.join(strongest, [*_KEY, "piece"], "left").select(
        *_KEY,
        "start_ts",
        "end_ts",
        F.coalesce("_claim.state", F.lit(OPEN)).alias("state"),
        F.col("_claim.reason").alias("reason"),
        F.col("_claim.fault_id").alias("fault_id"),
        F.coalesce("_claim.confidence", F.lit("inferred")).alias("confidence"),
        F.coalesce("_claim.evidence", F.array().cast("array<string>")).alias("evidence"),
    )


def _joined_where_alike(pieces: DataFrame) -> DataFrame:
    """Pieces that follow each other with the same state, reason and fault, as one."""
    in_time = Window.partitionBy(*_KEY).orderBy("start_ts")
    what = F.struct("state", "reason", "fault_id", "confidence")
    is_new = ~what.eqNullSafe(F.lag(what).over(in_time))
    numbered = pieces.withColumn("_new", F.coalesce(is_new, F.lit(True))).withColumn(
        "_run", F.count_if("_new").over(so_far(in_time))
    )
    return numbered.groupBy(*_KEY, "_run", "state", "reason", "fault_id", "confidence").agg(
        F.min("start_ts").alias("start_ts"),
        F.max_by("end_ts", "start_ts").alias("end_ts"),
        F.slice(F.array_distinct(F.flatten(F.collect_list("evidence"))), 1, AT_MOST).alias("evidence"),
    )
