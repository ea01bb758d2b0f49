"""Parts of sentences as Spark columns: numbers with their nouns, lists of brokers."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def counted(count: Column | str, one: str, many: str | None = None) -> Column:
    """`1 offset`, `2 offsets`; `many` where the plural is not made by an s."""
    count = F.col(count) if isinstance(count, str) else count
    return F.concat(count.cast("string"), F.lit(" "), F.when(count == 1, one).otherwise(many or f"{one}s"))


def listed(items: Column | str) -> Column:
    """The items of an array, `1, 2, 3`."""
    items = F.col(items) if isinstance(items, str) else items
    return F.array_join(items.cast("array<string>"), ", ")


def named(ids: Column | str, one: str) -> Column:
    """`broker 1`, `brokers 1, 2`."""
    ids = F.col(ids) if isinstance(ids, str) else ids
    return F.concat(F.when(F.size(ids) == 1, one).otherwise(f"{one}s"), F.lit(" "), listed(ids))
