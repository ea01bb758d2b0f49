"""How many offsets losses cover: at least, and at most where that is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def size_at_most(loss: Any) -> int | None:
    """How many offsets one range covers; None if an end is not known."""
    return None if None in (loss.to_offset_high, loss.from_offset) else loss.to_offset_high - loss.from_offset


def sum_at_most(losses: Iterable[Any]) -> int | None:
    """The offsets of all ranges; None if that of one is not known."""
    sizes = [size_at_most(loss) for loss in losses]
    return None if None in sizes else sum(size or 0 for size in sizes)


def sum_at_least(losses: Iterable[Any]) -> int:
    """The offsets that all ranges cover for sure."""
    return sum(x.to_offset_low - x.from_offset for x in losses if None not in (x.to_offset_low, x.from_offset))
