"""Findings and incidents in the order of their severity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viz.phrases import counted

SEVERITIES = ("critical", "high", "medium", "low", "info")


def worst_first(incidents: Sequence[Any]) -> list[Any]:
    """The most severe first; then those that certainly lost the most committed records, then those that certainly
    kept writers waiting the longest, then the earliest.
    """
    return sorted(
        incidents,
        key=lambda i: (
            rank(i.severity),
            -(i.lost_offsets_min or 0),
            -_waited_ms(i),
            i.start_ts is None,
            i.start_ts or 0,
        ),
    )


def stated_order(incidents: int) -> str:
    """How many incidents there are, and in which order they are listed."""
    return f"{counted(incidents, 'incident')}, the worst first, then in the order of time"


def _waited_ms(incident: Any) -> int:
    """How long writers with acks=all to one topic certainly waited, in wall-clock time."""
    return max((one["acks_all_low_ms"] for one in incident.down or ()), default=0)


def rank(severity: str | None) -> int:
    """Place of a severity, 0 for critical."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)
