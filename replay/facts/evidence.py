"""Functions that combine the events that prove a row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from datetime import datetime
from itertools import zip_longest

AT_MOST = 8  # more events of one fact add length, not proof


def once_each(events: Iterable[str | None]) -> list[str]:
    """The events in order, each once, without None."""
    return [event for event in dict.fromkeys(events) if event is not None]


def earliest(lines: Iterable[tuple[datetime | None, str | None]]) -> list[str]:
    """The earliest of some `(ts, event_id)`, at most `AT_MOST`, each once; those without a time come first."""
    known = {(ts, event) for ts, event in lines if event is not None}
    undated = sorted(event for ts, event in known if ts is None)
    dated = sorted((ts, event) for ts, event in known if ts is not None)
    return once_each([*undated, *(event for _, event in dated)])[:AT_MOST]


def of_each(lines: Iterable[tuple[Hashable, datetime | None, str | None]]) -> list[str]:
    """At most `AT_MOST` of some `(clause, ts, event_id)` in the order of time: the earliest line of each clause of a
    statement before a second line of any clause.
    """
    of_clause: dict[Hashable, list[tuple[datetime | None, str]]] = {}
    for clause, ts, event in sorted(
        lines, key=lambda line: (line[1] is not None, line[1] or datetime.min, line[2] or "")
    ):
        own = of_clause.setdefault(clause, [])
        if event is not None and (ts, event) not in own:
            own.append((ts, event))
    rounds = zip_longest(*of_clause.values())
    chosen = [line for lines_of_round in rounds for line in lines_of_round if line is not None][:AT_MOST]
    return earliest(chosen)


def in_turn(evidence: Iterable[Iterable[str]]) -> list[str]:
    """The first event of each row, then the second of each, at most `AT_MOST`, each once. The rows are in order of
    time.
    """
    return once_each(event for events in evidence for event in events)[:AT_MOST]


def joined(*evidence: Iterable[str | None] | None) -> list[str]:
    """The evidence of a row derived from several others: all of their events, in that order, each once."""
    return once_each(event for events in evidence if events for event in events)[: 3 * AT_MOST]


def of_rows(rows: Iterable[tuple[datetime | None, Iterable[str]]], each: int = 2) -> list[str]:
    """The first `each` events of every row's `(ts, evidence)`, in the order of the rows' time."""
    in_time = sorted(
        ((ts is not None, ts.timestamp() if ts is not None else 0.0, list(events)[:each]) for ts, events in rows)
    )
    return once_each(event for _, _, events in in_time for event in events)[: 3 * AT_MOST]
