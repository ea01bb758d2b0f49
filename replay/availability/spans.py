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
    pieces = _with_strongest(_pieces(claims, _lives(tenures)))
    return AVAILABILITY.of(_joined_where_alike(pieces))


def _lives(tenures: DataFrame) -> DataFrame:
    """`topic, partition, acks, born_ts, gone_ts`: from a partition's first leader to its topic's end, null while it
    goes on.
    """
    in_time = F.struct("start_ts", "leader_epoch")
    lives = tenures.groupBy("topic", "partition").agg(
        F.min("start_ts").alias("born_ts"), F.max_by("until_ts", in_time).alias("gone_ts")
    )
    return lives.withColumn("acks", F.explode(F.array(*map(F.lit, BOTH_KINDS))))


def _pieces(claims: DataFrame, lives: DataFrame) -> DataFrame:
    """One row a piece of time between two borders: `start_ts`, `end_ts`, and `claims` of its partition."""
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
    by_partition = claims.groupBy(*_KEY).agg(F.collect_list(claim).alias("claims"))
    whole = lives.join(by_partition, list(_KEY), "left")
    borders = F.array_compact(
        F.concat(
            F.array("born_ts", "gone_ts"),
            F.coalesce(F.transform("claims", lambda c: c["start_ts"]), F.array().cast("array<timestamp>")),
            F.coalesce(F.transform("claims", lambda c: c["end_ts"]), F.array().cast("array<timestamp>")),
        )
    )
    in_life = F.filter(
        borders,
        lambda ts: (ts >= F.col("born_ts")) & (F.col("gone_ts").isNull() | (ts <= F.col("gone_ts"))),
    )
    placed = whole.withColumn("_borders", F.array_sort(F.array_distinct(in_life)))
    pieces = F.transform(
        "_borders",
        lambda ts, i: F.struct(ts.alias("start_ts"), F.get("_borders", i + 1).alias("end_ts")),
    )
    cut = placed.select(*_KEY, "gone_ts", "claims", F.explode(pieces).alias("_piece"))
    return cut.select(*_KEY, "claims", "_piece.*", "gone_ts").where(
        F.col("end_ts").isNotNull() | F.col("gone_ts").isNull()
    )


def _with_strongest(pieces: DataFrame) -> DataFrame:
    """`pieces` with the strongest of the claims that cover each."""

    def covers(claim: Column) -> Column:
        return (claim["start_ts"] <= F.col("start_ts")) & (
            claim["end_ts"].isNull() | (claim["end_ts"] > F.col("start_ts"))
        )

    strongest = F.array_min(F.filter("claims", covers))
    named = pieces.withColumn("_claim", strongest)
    return named.select(
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
