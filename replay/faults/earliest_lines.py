"""The earliest lines of a row that represents several lines, with their times (`LINE`), and how to combine such
rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from heapq import nsmallest
from typing import Any

from replay.facts.evidence import AT_MOST
from replay.tables.reading import Event

Line = Mapping[str, Any]


def second_of(ts: datetime | None) -> datetime | None:
    """The time, truncated to the second."""
    return None if ts is None else ts.replace(microsecond=0)


def first_of(lines: Iterable[tuple[datetime | None, str]]) -> list[Line]:
    """The earliest lines without duplicates, at most `AT_MOST`; those without a time come first."""
    first = nsmallest(AT_MOST, set(lines), key=lambda line: (line[0] is not None, line[0], line[1]))
    return [{"ts": ts, "event_id": event_id} for ts, event_id in first]


def lines_of(events: Iterable[Event]) -> list[Line]:
    """The lines of the earliest of these events."""
    return first_of((event.ts, event.event_id) for event in events)


def combined(lines: Iterable[Sequence[Line] | None]) -> list[Line]:
    """The earliest lines of several rows."""
    return first_of((line["ts"], line["event_id"]) for of_row in lines for line in of_row or ())


def events_of(lines: Iterable[Line]) -> list[str]:
    """The event ids of the lines, as evidence."""
    return [line["event_id"] for line in lines]
