"""The common form of a violation: the finding, and the fewest events that show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.evidence import AT_MOST
from replay.facts.groups import by_key
from replay.facts.times import known
from replay.invariants.rules import INVARIANTS
from replay.tables.invariants import Violation

SLACK_MS = 5_000  # scheduling, and the time in which lines of several nodes tell of one change
SEVERITIES = {one.id: one.severity for one in INVARIANTS}


def broken(invariant: str, detail: str, *events: str | None, verdict: str = "violated") -> Violation:
    """The violation of `invariant` that `events` show."""
    return Violation(
        invariant=invariant,
        severity=SEVERITIES[invariant],
        verdict=verdict,
        detail=detail,
        evidence=list(known(events)),
    )


def once(breaches: Iterable[Violation], topic: str | None = None, partition: int | None = None) -> list[Violation]:
    """The distinct violations of a partition (`topic` None: of the cluster), each with the events of all its rows."""
    of_detail = by_key(breaches, lambda breach: (breach.invariant, breach.verdict, breach.detail))
    return [
        same[0].but(
            topic=topic,
            partition=partition,
            evidence=list(
                dict.fromkeys(event for events in sorted(list(one.evidence) for one in same) for event in events)
            )[:AT_MOST],
        )
        for same in of_detail.values()
    ]


def shown(ids: Iterable[int] | None) -> str:
    """Broker ids in the text of a violation."""
    return "null" if ids is None else f"[{', '.join(map(str, ids))}]"


def number(value: int | None) -> str:
    """A number in the text of a violation."""
    return "null" if value is None else str(value)


def first(evidence: Sequence[str] | None) -> str | None:
    """The first event of the evidence; None without evidence."""
    return evidence[0] if evidence else None
