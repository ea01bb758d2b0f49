"""What SQL and `spark.read` know after one call: the format `kafka_log`, and the functions that explain lines."""

from __future__ import annotations

from pyspark.sql import SparkSession

from pipelines import kafka_explain, kafka_log


def register(spark: SparkSession) -> None:
    """Make the data source `kafka_log`, the table function `kafka_explain` and the function `kafka_meaning` known to a
    session.
    """
    kafka_log.register(spark)
    kafka_explain.register(spark)
