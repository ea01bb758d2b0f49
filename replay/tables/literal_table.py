"""Small tables that are known when a query is written: one literal, so that no data has to come from the driver's
Python.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType


def literal_table(spark: SparkSession, rows: Sequence[Mapping[str, object]], schema: StructType) -> DataFrame:
    """`rows` as a frame of `schema`; what a row does not name is null, and so are values that JSON cannot hold."""
    text = F.lit(json.dumps(list(rows), default=str))
    return (
        # One partition, which Spark then knows to be one: a join with another one needs no shuffle.
        spark.range(0, 1, 1, 1)
        .select(F.explode(F.from_json(text, ArrayType(schema))).alias("row"))
        .select("row.*")
        .to(schema)
    )
