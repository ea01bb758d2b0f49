"""What single lines say beside their columns, in plain Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol


class HasDetails(Protocol):
    """A row with the fields of a template that have no column of their own."""

    @property
    def details(self) -> Mapping[str, str] | Any: ...


def detail(event: HasDetails, name: str) -> str | None:
    """A field of the template that has no column of its own; None where the event does not have it."""
    return (event.details or {}).get(name) or None


def whole_number(text: str | None) -> int | None:
    """The number that a text is; None where it is none."""
    return int(text) if text is not None and re.fullmatch(r"\s*[+-]?\d+\s*", text) else None


def number_in(text: str | None, pattern: str) -> int | None:
    """The number that the first group of `pattern` finds in a text; None where it finds none."""
    found = re.search(pattern, text or "")
    return whole_number(found[1]) if found else None
