"""Partitions by name: `orders-0`."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def partition_name() -> Column:
    """`topic-partition` of a row's columns `topic` and `partition`; null where one of them is."""
    return F.when(F.col("topic").isNotNull() & F.col("partition").isNotNull(), F.concat_ws("-", "topic", "partition"))


def topic_in(name: Column | str) -> Column:
    """The topic of `topic-partition`; a topic may hold dashes itself."""
    return F.regexp_extract(name, r"^(.*)-\d+$", 1)


def partition_in(name: Column | str) -> Column:
    """The number of the partition in `topic-partition` (int)."""
    return F.regexp_extract(name, r"-(\d+)$", 1).try_cast("int")
