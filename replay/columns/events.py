"""Details of events as columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def detail(name: str) -> Column:
    """The value of a template field that has no column of its own; null if the event does not have it."""
    return F.nullif(F.col("details")[name], F.lit(""))
