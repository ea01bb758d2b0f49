"""One call that makes the format `kafka_log` and the functions that explain lines available to SQL and `spark.read`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from pipelines import kafka_explain, kafka_log


def register(spark: SparkSession, *, shared: str | Path | None = None, packs: Sequence[str | Path] = ()) -> None:
    """Register the data source `kafka_log`, the table function `kafka_explain` and the function `kafka_meaning` in a
    session.

    `shared`: a folder that this process and Spark's workers can access, for the text of the files that `kafka_log`
    reads. `packs`: files that add to what lines mean. Raises InputError for a pack with an error.
    """
    kafka_log.register(spark, shared)
    kafka_explain.register(spark, [Path(pack) for pack in packs])
