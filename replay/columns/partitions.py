"""Partitions by name: `orders-0`."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def partition_name() -> Column:
    """`topic-partition` of a row's columns `topic` and `partition`; null where one of them is."""
    return F.when(F.col("topic").isNotNull() & F.col("partition").isNotNull(), F.concat_ws("-", "topic", "partition"))
