"""A statement: a reason by its name, and the arguments that its wording shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import MapType, StringType, StructField, StructType

from replay.columns.times import iso_stamp
from replay.facts.times import iso_stamp as stamp

STATEMENT = StructType(
    [StructField("reason", StringType()), StructField("arguments", MapType(StringType(), StringType()))]
)

LIST_SEPARATOR = ", "


@dataclass(frozen=True)
class Statement:
    """A reason by its name, and what its wording shows, as text."""

    reason: str
    arguments: dict[str, str] = field(default_factory=dict)


def said(reason: str, **arguments: Any) -> Statement:
    """A statement; an argument that is None is left out.

    A time is written as text that the wording can show, a list with separators between its items; a flag that is
    false is left out.
    """
    texts = {name: _text(value) for name, value in arguments.items() if value is not None and value is not False}
    return Statement(reason, texts)


def _text(value: Any) -> str:
    if value is True:
        return "yes"
    if isinstance(value, datetime):
        return str(stamp(value))
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return LIST_SEPARATOR.join(map(str, value))
    return str(value)


def statement(reason: str | Column, **arguments: Column | str) -> Column:
    """A statement as a struct of `reason` and `arguments` (map of text); an argument that is null is left out.

    `reason` is a name or a column of names; a string argument names a column. A name that begins with `at_` holds a
    time, one that begins with `all_` a list; both are written as text that the wording can show.
    """
    texts = {
        name: _as_text(name, F.col(value) if isinstance(value, str) else value) for name, value in arguments.items()
    }
    pairs = [part for name, text in texts.items() for part in (F.lit(name), text)]
    told = F.create_map(*pairs) if pairs else F.create_map().cast(MapType(StringType(), StringType()))
    name = F.lit(reason) if isinstance(reason, str) else reason
    return F.struct(name.alias("reason"), F.map_filter(told, lambda _, text: text.isNotNull()).alias("arguments"))


def no_statement() -> Column:
    """The statement of a row that has nothing to say."""
    return F.lit(None).cast(STATEMENT)


def _as_text(name: str, value: Column) -> Column:
    if name.startswith("at_"):
        return iso_stamp(value)
    if name.startswith("all_"):
        return F.array_join(value.cast("array<string>"), LIST_SEPARATOR)
    return value.cast("string")
