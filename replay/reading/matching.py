"""A message in, its template and typed fields out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from replay.catalogue import Catalogue
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import Template

_BROKER_ID = re.compile(r"brokerId=(\d+)")
_LARGEST = {"int": (1 << 31) - 1, "bigint": (1 << 63) - 1}


class Understood(NamedTuple):
    """What a template tells of a message: `columns` are those of `COLUMNS` that it fills, in their types; `details` every
    other field, empty where its part of the text is missing.
    """

    template: Template
    columns: Mapping[str, Any]
    details: Mapping[str, str] | None


def understood(message: str, logger: str | None, catalogue: Catalogue) -> Understood | None:
    """What `catalogue` knows of `message`; None if no template of it fits."""
    found = catalogue.find(message, logger)
    if found is None:
        return None
    template, groups = found
    if template.needs_logger:  # the message is all that it tells
        return Understood(template, {}, None)
    columns: dict[str, Any] = {}
    details: dict[str, str] = {}
    for name, places in template.places.items():
        text = groups[places[0]] or "" if len(places) == 1 else "".join(groups[place] or "" for place in places)
        if name not in COLUMNS:
            details[name] = "" if name.endswith("_id") and text.isdecimal() and integer(text) is None else text
        elif text:
            columns[name] = _CONVERSIONS[COLUMNS[name]](text)
    return Understood(template, columns, details or None)


def integer(text: str, type_: str = "int") -> int | None:
    """The number in `text`; None for what is none, or does not fit into the type."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if -_LARGEST[type_] - 1 <= number <= _LARGEST[type_] else None


def integers(text: str) -> list[int] | None:
    """A list of brokers in any of Kafka's spellings, also `BrokerState(brokerId=1, ...), ...`; None where one is no number."""
    numbers = _BROKER_ID.findall(text) if "brokerId=" in text else text.split(",")
    told = [number for number in map(integer, numbers) if number is not None]
    return told if len(told) == len(numbers) else None


_CONVERSIONS: Mapping[str, Callable[[str], Any]] = {
    "string": str,
    "int": integer,
    "bigint": lambda text: integer(text, "bigint"),
    "array<int>": integers,
}
