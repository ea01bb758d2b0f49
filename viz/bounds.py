"""How many rows of a list the page shows. Everything that shows a part of a list uses this, so that it can state the
total; conclusions always use the whole list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

CAP: int | None = None
"""The most rows that any list shows, whatever its own limit; only tests set it."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Part(Generic[Item]):
    """The shown part of a list, and the length of the whole list."""

    shown: Sequence[Item]
    total: int

    @property
    def left_out(self) -> int:
        """How many rows are not shown."""
        return self.total - len(self.shown)


def most(limit: int) -> int:
    """How many rows a list with this limit shows."""
    return limit if CAP is None else min(limit, CAP)


def first(items: Sequence[Item], limit: int) -> Part[Item]:
    """The first items of a list, at most `limit`."""
    return Part(items[: most(limit)], len(items))
