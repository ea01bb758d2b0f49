"""How many offsets losses cover: at least, and at most if that is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def size_at_most(loss: Any) -> int | None:
    """How many offsets one range covers; None if an end is not known."""
    return None if None in (loss.to_offset_high, loss.from_offset) else loss.to_offset_high - loss.from_offset


def sum_at_most(losses: Iterable[Any]) -> int | None:
    """The number of offsets in all ranges; None if it is unknown for one of them."""
    sizes = [size_at_most(loss) for loss in losses]
    return None if None in sizes else sum(size or 0 for size in sizes)


def sum_at_least(losses: Iterable[Any]) -> int:
    """The number of offsets that all ranges certainly cover."""
    return sum(x.to_offset_low - x.from_offset for x in losses if None not in (x.to_offset_low, x.from_offset))
