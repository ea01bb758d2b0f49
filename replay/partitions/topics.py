"""The lives of a topic's name, for stages in Spark."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def with_life(rows: DataFrame, lives: DataFrame) -> DataFrame:
    """`rows` with `life`: 0 for the first topic of its name, 1 for the next … A row without a time belongs to the last."""
    with_lives = rows.join(F.broadcast(lives), "topic", "left")
    begun = F.size(F.filter("boundaries", lambda ts: ts <= F.coalesce(F.col("ts"), ts)))
    return with_lives.withColumn(
        "life", F.coalesce(F.when(F.size("boundaries") > 0, begun), F.lit(0)).cast("int")
    ).drop("boundaries", "ends")
