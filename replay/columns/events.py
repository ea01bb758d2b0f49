"""What single events say beside their columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def detail(name: str) -> Column:
    """A field of the template that has no column of its own; null where the event does not have it."""
    return F.nullif(F.col("details")[name], F.lit(""))
