"""Parts of sentences as Spark columns: numbers with their nouns, lists of brokers."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F


def _column(value: Column | str) -> Column:
    return F.col(value) if isinstance(value, str) else value


def counted(count: Column | str, one: str, many: str | None = None) -> Column:
    """`1 offset`, `8,390 offsets`; `many` where the plural is not made by an s."""
    count = _column(count)
    return F.concat(F.format_number(count, 0), F.lit(" "), F.when(count == 1, one).otherwise(many or f"{one}s"))


def times(count: Column | str) -> Column:
    """`once`, `twice`, `3 times`."""
    count = _column(count)
    return (
        F.when(count == 1, "once")
        .when(count == 2, "twice")
        .otherwise(F.concat(F.format_number(count, 0), F.lit(" times")))
    )


def clock(ts: Column | str) -> Column:
    """A time within a sentence, `10:00:07.250`."""
    return F.date_format(_column(ts), "HH:mm:ss.SSS")


def listed(items: Column | str) -> Column:
    """The items of an array, `1, 2, 3`."""
    return F.array_join(_column(items).cast("array<string>"), ", ")


def enumerated(items: Column | str) -> Column:
    """The items of an array as one says them: `1`, `1 and 2`, `1, 2 and 3`."""
    items = _column(items).cast("array<string>")
    but_one = F.greatest(F.size(items) - 1, F.lit(0))
    return F.when(F.size(items) < 2, listed(items)).otherwise(
        F.concat(listed(F.slice(items, 1, but_one)), F.lit(" and "), F.get(items, but_one))
    )


def some(items: Column | str, most: int = 12) -> Column:
    """All items of an array where they are few, else the first `most` and how many more there are: `a, b and 3 more`."""
    items = _column(items).cast("array<string>")
    return F.when(F.size(items) <= most, enumerated(items)).otherwise(
        F.concat(listed(F.slice(items, 1, most)), F.format_string(" and %d more", F.size(items) - most))
    )


def named(ids: Column | str, one: str) -> Column:
    """`broker 1`, `brokers 1 and 2`, `brokers 1, 2 and 3`."""
    ids = _column(ids)
    return F.concat(F.when(F.size(ids) == 1, one).otherwise(f"{one}s"), F.lit(" "), enumerated(ids))


def capital(text: Column | str) -> Column:
    """The text with its first letter as at the start of a sentence."""
    text = _column(text)
    return F.concat(F.upper(F.substring(text, 1, 1)), F.substr(text, F.lit(2)))


def small(text: Column | str) -> Column:
    """The text with its first letter as inside a sentence."""
    text = _column(text)
    return F.concat(F.lower(F.substring(text, 1, 1)), F.substr(text, F.lit(2)))
