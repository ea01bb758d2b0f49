"""Tables of codes: what to do about a reason, an address or an error that a line names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from replay.knowledge.pack import Entry, check_fields, own_entries, sort_of
from replay.patterns import compiled

SHAPE: dict[str, Any] = {"about": str, "rows": [{"text": str, "says": str, "next": str, "": ("text",)}]}


@dataclass(frozen=True)
class Row:
    """A text, what it means, and what to do."""

    text: str
    says: str = ""
    next: str = ""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return compiled(self.text)


def table_of(entry: Entry) -> tuple[Row, ...]:
    """The rows of a table. Raises EntryError for a field that is unknown, missing or wrong."""
    check_fields(entry.fields, SHAPE, ("about", "rows"))
    return tuple(Row(**row) for row in entry.fields["rows"])


def row_of(table: str, text: str) -> Row | None:
    """The first row of the table whose text occurs in `text`."""
    rows = rows_of(table) if text.strip() else ()
    return next((row for row in rows if row.regex.search(text)), None)


@cache
def rows_of(table: str) -> tuple[Row, ...]:
    """The rows of a table of this package."""
    return next(table_of(entry) for entry in own_entries() if entry.key == table and sort_of(entry) == "table")
