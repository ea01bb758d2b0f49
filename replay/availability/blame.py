"""Claims that name no fault -> the fault of one of their suspects."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.times import plus_millis
from replay.tables.availability import CLAIMS

FORESEEN_MS = 1_000  # a stop's effects may be told this shortly before its own first line
REMEMBERED_MS = 120_000  # what befell a broker explains what is missing of it for so long after its end


def with_faults(claims: DataFrame, faults: DataFrame) -> DataFrame:
    """`claims` with their faults. Returns `CLAIMS`.

    One that names none goes back to the latest fault of its suspects that had begun by then and was not long over.
    """
    known = faults.where(F.col("broker_id").isNotNull()).agg(
        F.collect_list(
            F.struct(
                F.col("began_high").alias("began_ts"),
                "fault_id",
                "broker_id",
                F.coalesce("ended_high", "end_ts").alias("ended_ts"),
            )
        ).alias("_faults")
    )

    def may_be(fault: Column) -> Column:
        begun = fault["began_ts"] <= plus_millis("start_ts", FORESEEN_MS)
        lasts = fault["ended_ts"].isNull() | (plus_millis(fault["ended_ts"], REMEMBERED_MS) >= F.col("start_ts"))
        return F.array_contains("suspects", fault["broker_id"]) & begun & lasts

    latest = F.array_max(F.filter("_faults", may_be))
    placed = claims.crossJoin(F.broadcast(known))
    return CLAIMS.of(
        placed.withColumn("fault_id", F.coalesce("fault_id", F.when(F.col("suspects").isNotNull(), latest["fault_id"])))
    )
