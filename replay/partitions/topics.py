"""The lives that a topic's name has had, beside the rows of stages that are Spark's."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def with_life(rows: DataFrame, lives: DataFrame) -> DataFrame:
    """`rows` with `life`: 0 for the first topic of its name, 1 for the next … A row without time belongs to the last."""
    known = rows.join(F.broadcast(lives), "topic", "left")
    begun = F.size(F.filter("borders", lambda ts: ts <= F.coalesce(F.col("ts"), ts)))
    return known.withColumn("life", F.coalesce(F.when(F.size("borders") > 0, begun), F.lit(0)).cast("int")).drop(
        "borders", "ends"
    )
