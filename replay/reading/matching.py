"""Matches a message with the catalogue: its template and typed fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from replay.catalogue import Catalogue
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import Template

_BROKER_ID = re.compile(r"brokerId=(\d+)")
# Kafka's largest numbers mean "none", and the type has no room for their successors (next epoch, next offset).
_LARGEST = {"int": (1 << 31) - 2, "bigint": (1 << 63) - 2}
# Kafka prints these for a topic without an id, for example before a ZooKeeper-mode controller of 2.8 or later assigns one.
_NO_TOPIC_ID = frozenset({"None", "null", "A" * 22})


class Understood(NamedTuple):
    """A message that a template matches: `columns` are the values for columns of `COLUMNS`, in their types; `details`
    has all other fields, empty if their part of the text is missing.
    """

    template: Template
    columns: Mapping[str, Any]
    details: Mapping[str, str] | None


def understood(message: str, logger: str | None, catalogue: Catalogue) -> Understood | None:
    """The match of `message` in `catalogue`; None if no template fits."""
    found = catalogue.find(message, logger)
    if found is None:
        return None
    template, groups = found
    if template.needs_logger:  # only the message itself
        return Understood(template, {}, None)
    columns: dict[str, Any] = {}
    details: dict[str, str] = {}
    for name, places in template.places.items():
        text = groups[places[0]] or "" if len(places) == 1 else "".join(groups[place] or "" for place in places)
        if name not in COLUMNS:
            details[name] = "" if name.endswith("_id") and text.isdecimal() and integer(text) is None else text
        elif text and not (name == "topic_id" and text in _NO_TOPIC_ID):
            columns[name] = _CONVERSIONS[COLUMNS[name]](text)
    return Understood(template, columns, details or None)


def integer(text: str, type_: str = "int") -> int | None:
    """The number in `text`; None for other text, or a number that does not fit into the type."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if -_LARGEST[type_] - 1 <= number <= _LARGEST[type_] else None


def integers(text: str) -> list[int] | None:
    """A list of broker ids in any of Kafka's notations, also `BrokerState(brokerId=1, ...), ...`; None if any of
    them is not a number.
    """
    numbers = _BROKER_ID.findall(text) if "brokerId=" in text else text.split(",")
    parsed = [number for number in map(integer, numbers) if number is not None]
    return parsed if len(parsed) == len(numbers) else None


_CONVERSIONS: Mapping[str, Callable[[str], Any]] = {
    "string": str,
    "int": integer,
    "bigint": lambda text: integer(text, "bigint"),
    "array<int>": integers,
}
