"""Parts of sentences as Spark columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def listed(items: Column | str) -> Column:
    """The items of an array, `1, 2, 3`."""
    items = F.col(items) if isinstance(items, str) else items
    return F.array_join(items.cast("array<string>"), ", ")
