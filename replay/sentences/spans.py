"""Durations in a readable form; a duration between two bounds shows both."""

from __future__ import annotations

MINUTE_MS, HOUR_MS, TWO_DAYS_MS = 59_950, 3_600_000, 172_800_000


def duration(ms: float) -> str:
    """A duration in words: `420 ms`, `14.1 s`, `2 min 03 s`, `5 h 20 min`, `3 d 4 h`."""
    ms = round(ms)
    if ms < 1_000:
        return f"{ms} ms"
    if ms < MINUTE_MS:
        return f"{ms / 1_000:.1f} s"
    seconds = round(ms / 1_000)
    if ms < HOUR_MS:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if ms < TWO_DAYS_MS:
        return f"{seconds // 3_600} h {seconds % 3_600 // 60:02d} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3_600} h"


def altogether(length: str, times: int | None, sure_times: int | None) -> str:
    """A duration. If it is the sum of separate times: `10.2 s altogether, in 3 separate times`."""
    if not times or times < 2:
        return length
    return f"{length} altogether, in {'' if times == sure_times else 'up to '}{times:,} separate times"


def span(low_ms: float | None, high_ms: float | None) -> str:
    """A bounded duration in words: `10.2 to 11.8 s`, `up to 11.8 s`, `at least 10.2 s`, or `11.8 s` if both bounds
    read the same; None without bounds.
    """
    if high_ms is None:
        return f"at least {duration(low_ms)}" if low_ms else ""
    high = duration(high_ms)
    if not low_ms:
        return f"up to {high}" if high_ms else high
    low = duration(low_ms)
    if low == high:
        return high
    unit = f" {high.split(' ', 1)[1]}"
    return f"{low.removesuffix(unit)} to {high}"
