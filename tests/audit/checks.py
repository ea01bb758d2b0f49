"""The checks of the audit, and what a check finds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from tests.audit.printed import Result

CLOCKS = timedelta(seconds=2)  # two lines of two nodes within this time can be in either order
ENDED = ("killed", "halted", "out_of_memory")  # kinds of faults that end a process
GONE = ("PROVEN_LOSS", "POSSIBLE_LOSS")
OPEN = (*GONE, "UNDETERMINED")
_IDS = {"events": "event_id", "faults": "fault_id", "incidents": "incident_id", "vertices": "id"}


@dataclass(frozen=True)
class Contradiction:
    """A statement, the check that refutes it, and the row or the line that it contradicts."""

    check: str
    statement: str
    refuted_by: str

    def __str__(self) -> str:
        return f"{self.check}: {self.statement} <- {self.refuted_by}"


Found = Iterator[tuple[str, str]]
Check = Callable[[Result], Found]
CHECKS: dict[str, Check] = {}


def check(function: Check) -> Check:
    """Adds a check under its name. It yields a statement and what refutes it for each contradiction."""
    CHECKS[function.__name__] = function
    return function


def contradictions(result: Result) -> list[Contradiction]:
    """Every contradiction that the checks find in a result, each once."""
    from tests.audit import absolutes, advice, causes, counts, ends, figures, lives, reasons  # noqa: F401  they add their checks

    found = (Contradiction(name, *pair) for name, one in CHECKS.items() for pair in one(result))
    return list(dict.fromkeys(found))


def name_of(row: Any) -> str:
    """`topic-partition` of a row."""
    return f"{row.topic}-{row.partition}"


def overlap(start: Any, end: Any, other_start: Any, other_end: Any) -> bool:
    """Whether two half-open times have a common moment; None as an end is open, as a start unknown and early."""
    return (end is None or other_start is None or other_start < end) and (
        other_end is None or start is None or start < other_end
    )


def by_id(result: Result, table: str) -> dict[str, Any]:
    """The rows of a table by their ids."""
    return {getattr(row, _IDS[table]): row for row in result.rows(table)}


def isr_changes(result: Result) -> Iterator[tuple[Any, Any]]:
    """Each two consecutive ISRs of a partition, in the order of leader and partition epochs."""
    of = defaultdict(list)
    for span in result.rows("isr_spans"):
        if span.isr is not None and span.start_ts is not None:
            of[name_of(span), span.life].append(span)
    for own in of.values():
        yield from pairwise(sorted(own, key=lambda s: (s.leader_epoch or 0, s.state_order, s.start_ts)))


def texts_of(incident: Any) -> list[str]:
    """All sentences of an incident."""
    return [
        *filter(None, (incident.title, incident.told, incident.lost_committed, incident.lost_uncommitted)),
        *filter(None, (incident.unanswered,)),
        *(incident.still or ()),
        *(incident.afterwards or ()),
        *(incident.next_steps or ()),
    ]


def sentences(result: Result) -> list[tuple[str | None, str]]:
    """Every sentence about incidents and findings with its incident, from the tables."""
    own = [(row.incident_id, text) for row in result.rows("incidents") for text in texts_of(row)]
    own += [
        (row.incident_id, text)
        for row in result.rows("findings")
        for text in (row.title, row.summary, *(row.blind_spots or ()))
        if text
    ]
    return own
