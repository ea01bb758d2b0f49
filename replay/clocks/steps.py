"""The times at which clocks were set."""

from __future__ import annotations

from collections.abc import Iterable

from replay.clocks.constraints import STEP_MS
from replay.clocks.zones import HOUR_MS
from replay.facts.groups import by_key
from replay.tables.clocks import ClockStep, ClockWindow


def clock_steps(clock_windows: Iterable[ClockWindow]) -> list[ClockStep]:
    """The times at which a clock was set (F21), after `last_ts` and by `ts`; `step_ms` is negative if it was set
    back. Rows of `CLOCK_STEPS`.

    Lines with an unknown writer can come from several writers with separate clocks, so they show no step.
    """
    own = by_key([one for one in clock_windows if one.node_id is not None and one.clock == "lines"], _node)
    return [
        ClockStep(
            node_id=window.node_id,
            last_ts=window.last_ts,
            ts=window.start_ts,
            step_ms=window.step_ms,
            offset_low_ms=window.offset_low_ms,
            offset_high_ms=window.offset_high_ms,
            cause="daylight_saving" if _is_by_rule(window.step_ms) else "clock_set",
            zone=window.zone,
            right_ts=next((later.start_ts for later in windows[at + 1 :] if _off(window) and not _off(later)), None),
            off_at_last_ms=_off(windows[-1]),
            evidence=window.evidence,
        )
        for windows in own.values()
        for at, window in enumerate(windows)
        if abs(window.step_ms or 0.0) >= STEP_MS
    ]


def _node(window: ClockWindow) -> int | None:
    return window.node_id


def _off(window: ClockWindow) -> float | None:
    """How far ahead a clock was, if it was wrong by at least a step; None otherwise."""
    return window.correction_ms if abs(window.correction_ms or 0.0) >= STEP_MS else None


def _is_by_rule(step_ms: float) -> bool:
    """Whether a step is a multiple of half an hour, as with daylight saving time."""
    half_hours = round(step_ms / (HOUR_MS / 2))
    return half_hours != 0 and abs(step_ms - half_hours * (HOUR_MS / 2)) <= 2 * STEP_MS
