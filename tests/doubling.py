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
_LOOKS = 3  # another process can only make a run slower, so the least of some runs counts
_TOO_LONG = 20.0  # CPU seconds that no small input of these tests needs

SOON = 0.004  # CPU seconds of the small input: enough to tell 8 times from 64
SURE = 0.05  # enough to see what a large input needs, beside all fixed costs


def grows_too_fast(
    stage: Callable[[Any], object], sized: Callable[[int], Any], size: int, *, seconds: float = SOON
) -> str | None:
    """What the CPU times of `stage` show if they grow faster than the input, else None; `sized(n)` is an input of n
    parts. The small input doubles until it needs so many `seconds`.
    """
    while (small := _least(stage, sized(size))) < seconds:
        size *= 2
    if small > _TOO_LONG:
        return f"{size} parts: {small:.1f} s"
    large = _once(stage, sized(size * _TIMES))
    if large > small * _MOST_GROWTH:  # a second look, as the first may have been a bad moment
        small, large = max(small, _least(stage, sized(size))), min(large, _least(stage, sized(size * _TIMES)))
    if large <= small * _MOST_GROWTH:
        return None
    return f"{size} parts: {small:.3f} s, {size * _TIMES} parts: {large:.3f} s"


def _least(stage: Callable[[Any], object], given: Any) -> float:
    """The least time of some runs. One run is enough if it is too long for this test."""
    times: list[float] = []
    while len(times) < _LOOKS and sum(times) < _TOO_LONG:
        times.append(_once(stage, given))
    return min(times)


def _once(stage: Callable[[Any], object], given: Any) -> float:
    gc.disable()
    begun = time.process_time()
    try:
        stage(given)
    finally:
        gc.enable()
    return time.process_time() - begun
