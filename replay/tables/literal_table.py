"""Small tables that are known when a query is planned: one literal, so that no data has to come from the driver's
Python process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType


def literal_table(spark: SparkSession, rows: Sequence[Mapping[str, object]], schema: StructType) -> DataFrame:
    """`rows` as a frame of `schema`; missing values are null, and so are values that JSON cannot hold."""
    text = F.lit(json.dumps(list(rows), default=str))
    return (
        # A range of one partition: Spark knows that it is one, so a join with another one needs no shuffle.
        spark.range(0, 1, 1, 1)
        .select(F.explode(F.from_json(text, ArrayType(schema))).alias("row"))
        .select("row.*")
        .to(schema)
    )
