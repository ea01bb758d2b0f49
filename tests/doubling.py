"""How the CPU time of a stage grows with its input.

A stage that is linear takes eight times as long for an input eight times as large; one that compares all parts with each
other takes 64 times. The bound lies between both, and CPU time counts, so that a busy machine does not matter.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

_TIMES = 8
_MOST_GROWTH = 24.0
_WORTH_MEASURING = 0.02  # CPU seconds of the small input; below them fixed costs decide
_TOO_LONG = 20.0  # CPU seconds that no input of these tests needs


def grows_too_fast(stage: Callable[[Any], object], sized: Callable[[int], Any], size: int) -> str | None:
    """What the CPU times of `stage` show if they grow faster than the input, else None; `sized(n)` is an input of n
    parts. The input grows until its time can be measured.
    """
    small = _seconds(stage, sized(size))
    while small < _WORTH_MEASURING:
        size *= 4
        small = _seconds(stage, sized(size))
        if small > _TOO_LONG:
            return f"{size} parts: {small:.1f} s"
    large = _seconds(stage, sized(size * _TIMES))
    if large <= small * _MOST_GROWTH:
        return None
    small = max(small, _seconds(stage, sized(size)))  # a second look, as the first may have been too favourable
    large = min(large, _seconds(stage, sized(size * _TIMES)))
    if large <= small * _MOST_GROWTH:
        return None
    return f"{size} parts: {small:.2f} s, {size * _TIMES} parts: {large:.2f} s"


def _seconds(stage: Callable[[Any], object], given: Any) -> float:
    """The least of three runs: another process can only make one slower."""
    return min(_once(stage, given) for _ in range(3))


def _once(stage: Callable[[Any], object], given: Any) -> float:
    gc.collect()
    begun = time.process_time()
    stage(given)
    return time.process_time() - begun
