"""How much of a list is shown. Whatever shows a part goes through here, so that it can say of how many it is a part; what is
concluded from the list uses all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

CAP: int | None = None
"""The most that any list shows, whatever its own limit; only tests set it."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Part(Generic[Item]):
    """What is shown of a list, and how long the whole is."""

    shown: Sequence[Item]
    total: int

    @property
    def left_out(self) -> int:
        """How many are not shown."""
        return self.total - len(self.shown)


def most(limit: int) -> int:
    """How many of a list with this limit are shown."""
    return limit if CAP is None else min(limit, CAP)


def first(items: Sequence[Item], limit: int) -> Part[Item]:
    """The first items of a list, at most `limit`."""
    return Part(items[: most(limit)], len(items))
