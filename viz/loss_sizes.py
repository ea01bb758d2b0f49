"""How many offsets losses cover: at least, and at most if that is known; and since when they are gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from viz import phrases as words


def gone_ts(loss: Any) -> Any:
    """When the offsets were gone, as `replay.tables.losses.gone_ts` defines it."""
    return loss.ts if loss.cut_ts is None else loss.cut_ts


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


def around_election(loss: Any) -> str:
    """How many of the offsets are from before the election of the new leader, and how many from after it; empty if the ledger
    has no numbers for them.
    """
    if loss.before_low is None:
        return ""
    if loss.after_high == 0:
        return "all of them before the new leader was elected"
    if loss.before_high == 0:
        return "all of them after the new leader was elected"
    if not loss.before_low and not loss.after_low:
        return "how many of them before the new leader was elected is not logged"
    before, after = _how_many(loss.before_low, loss.before_high), _how_many(loss.after_low, loss.after_high)
    return f"{before} of them before the new leader was elected, {after} after"


def _how_many(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {words.number(low)}" if low else "an unknown number"
    if low == high:
        return words.number(low)
    return f"{words.number(low)} to {words.number(high)}" if low else f"at most {words.number(high)}"
