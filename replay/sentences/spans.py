"""Durations in a readable form. An exact one is rounded to the nearest figure, a lower bound down and an upper bound up, so
that each remains true.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

_MINUTES_OF_HOUR, _MINUTES_OF_TWO_DAYS = 60, 2_880


def duration(ms: float) -> str:
    """An exact duration: `420 ms`, `14.1 s`, `2 min 03 s`, `5 h 20 min`, `3 d 4 h`."""
    return _signed(ms, _nearest)


def rounded_down(ms: float) -> str:
    """A lower bound of a duration, in the form of `duration`: 26,388 ms are `26.3 s`."""
    return _signed(ms, math.floor)


def rounded_up(ms: float) -> str:
    """An upper bound of a duration, in the form of `duration`: 26,311 ms are `26.4 s`."""
    return _signed(ms, math.ceil)


def altogether(length: str, times: int | None, sure_times: int | None) -> str:
    """A duration. If it is the sum of separate times: `10.2 s in 3 waits`."""
    if not times or times < 2:
        return length
    return f"{length} in {'' if times == sure_times else 'up to '}{times:,} waits"


def span(low_ms: float | None, high_ms: float | None) -> str:
    """A bounded duration in words: `10.2 to 11.8 s`, `up to 11.8 s`, `at least 10.2 s`, or `11.8 s` if both bounds are
    the same; empty without bounds.
    """
    if high_ms is None:
        return f"at least {rounded_down(low_ms)}" if low_ms else ""
    if low_ms == high_ms or not high_ms:
        return duration(high_ms)
    high = rounded_up(high_ms)
    if not low_ms:
        return f"up to {high}"
    unit = f" {high.split(' ', 1)[1]}"
    return f"{rounded_down(low_ms).removesuffix(unit)} to {high}"


def _nearest(number: Fraction) -> int:
    return math.floor(number + Fraction(1, 2))


_OPPOSITE: dict[Callable[[Fraction], int], Callable[[Fraction], int]] = {
    math.floor: math.ceil,
    math.ceil: math.floor,
    _nearest: _nearest,
}


def _signed(ms: float, rounded: Callable[[Fraction], int]) -> str:
    return f"−{_in_units(Fraction(-ms), _OPPOSITE[rounded])}" if ms < 0 else _in_units(Fraction(ms), rounded)


def _in_units(ms: Fraction, rounded: Callable[[Fraction], int]) -> str:
    """A duration in the largest unit that shows it, rounded once, in the smallest unit of that form."""
    if rounded(ms) < 1_000:
        return f"{rounded(ms)} ms"
    tenths, seconds, minutes = rounded(ms / 100), rounded(ms / 1_000), rounded(ms / 60_000)
    if tenths < 600:
        return f"{tenths // 10}.{tenths % 10} s"
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if minutes < _MINUTES_OF_TWO_DAYS:
        return f"{minutes // _MINUTES_OF_HOUR} h {minutes % _MINUTES_OF_HOUR:02d} min"
    hours = rounded(ms / 3_600_000)
    return f"{hours // 24} d {hours % 24} h"
