"""A statement: a reason by its name, and the arguments that its wording shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pyspark.sql.types import MapType, StringType, StructField, StructType

from replay.facts.times import iso_stamp

STATEMENT = StructType(
    [StructField("reason", StringType()), StructField("arguments", MapType(StringType(), StringType()))]
)

LIST_SEPARATOR = ", "


@dataclass(frozen=True)
class Statement:
    """A reason by its name, and what its wording shows, as text."""

    reason: str
    arguments: Mapping[str, str] = field(default_factory=dict)


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
        return str(iso_stamp(value))
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return LIST_SEPARATOR.join(map(str, value))
    return str(value)
