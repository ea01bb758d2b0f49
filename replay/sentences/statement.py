"""A statement: the name of a reason, and the arguments that its wording shows."""

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
    """The name of a reason and the text arguments that its wording shows."""

    reason: str
    arguments: Mapping[str, str] = field(default_factory=dict)


def statement(reason: str, **arguments: Any) -> Statement:
    """A statement, without the arguments that are None.

    A time becomes text that the wording can show, and a list becomes text with separators. False flags are omitted.
    """
    return Statement(reason, texts_of(arguments))


def texts_of(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Arguments as text, without those that are None or False."""
    return {name: _text(value) for name, value in arguments.items() if value is not None and value is not False}


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
