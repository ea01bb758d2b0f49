"""Times and durations as columns."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def _column(value: Column | str) -> Column:
    return F.col(value) if isinstance(value, str) else value


def millis(later: Column | str, earlier: Column | str) -> Column:
    """`later` − `earlier` in milliseconds (long)."""
    return (F.unix_millis(_column(later)) - F.unix_millis(_column(earlier))).cast("long")


def plus_millis(ts: Column | str, amount: Column | float) -> Column:
    """`ts` moved by `amount` milliseconds."""
    amount = F.lit(amount) if isinstance(amount, int | float) else amount
    return F.timestamp_micros(F.unix_micros(_column(ts)) + (amount.cast("double") * 1000).cast("long"))
