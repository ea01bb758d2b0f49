"""Small tools for column expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F


def once(value: Column, use: Callable[[Column], Column]) -> Column:
    """`use(value)`, with `value` evaluated once however often it is used."""
    return F.get(F.transform(F.array(value), use), F.lit(0))


def looked_up(table: Mapping[Any, object], key: Column) -> Column:
    """The value of `key` in `table`; null where the table does not have it."""
    return F.create_map(*[F.lit(part) for pair in table.items() for part in pair])[key]


def number_in(text: Column | str, pattern: str) -> Column:
    """The number that the first group of `pattern` finds in a text; null where it finds none."""
    return F.regexp_extract(text, pattern, 1).try_cast("int")
