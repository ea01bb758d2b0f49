"""Which lines prove an incident: the first signs of its cause, then the worst that followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from replay.causes.incident import SEVERITIES, Incident
from replay.facts.times import first_known, millis
from replay.tables.causes import Conclusion, FaultLine
from replay.tables.faults import Fault

LINES = 3


def lines_of_faults(faults: Sequence[Fault]) -> frozenset[str]:
    """The lines that prove faults, by event."""
    return frozenset(event for fault in faults for event in fault.evidence)


def proof(incident: Incident, titles: Mapping[str, str], lines: Mapping[str, FaultLine]) -> list[dict[str, str | None]]:
    """At most `LINES` lines, each once, in no time but the incident's: what each proves, and of which finding.

    `lines` are those of faults, by their ids.
    """
    told: dict[str, dict[str, str | None]] = {}
    for finding, most in _worth_proving(incident):
        for event_id in [*dict.fromkeys(_of_its_time(finding, incident, lines))][:most]:
            proven: dict[str, str | None] = {
                "event_id": event_id,
                "finding_id": finding.finding_id,
                "proves": titles[finding.finding_id],
            }
            told.setdefault(event_id, proven)
        if len(told) >= LINES:
            break
    return list(told.values())[:LINES]


def _worth_proving(incident: Incident) -> Iterator[tuple[Conclusion, int]]:
    """The root with its first lines, what followed with one each, and what else is there of the root."""
    root = None if incident.root is None else incident.root.finding
    if root is not None:
        yield root, LINES - 1
    others = [finding for finding in incident.findings if finding is not root and finding.role != "benign"]
    for finding in sorted(others, key=_worst_first):
        yield finding, 1
    if root is not None:
        yield root, LINES


def _worst_first(finding: Conclusion) -> tuple[bool, int, datetime, str]:
    return finding.role == "root_cause", SEVERITIES.index(finding.severity), finding.start_ts, finding.finding_id


def _of_its_time(finding: Conclusion, incident: Incident, lines: Mapping[str, FaultLine]) -> Iterator[str]:
    """The line of a witness that its title quotes, then the finding's own lines from its begin to the incident's end; of a freeze first the
    one with which it woke.
    """
    evidence = finding.evidence or ()
    if any(root.finding is finding and root.tells_its_time for root in incident.roots):
        yield from evidence[:1]
    begin = first_known(finding.began_low, finding.start_ts)
    known = [lines[event_id] for event_id in evidence if event_id in lines]
    own = [line for line in known if line.ts is None or begin is None or begin <= line.ts <= incident.end_ts]
    if finding.code == "F04" and finding.ended_high is not None:
        own.sort(key=lambda line: abs(millis(line.ts, finding.ended_high) or 0))
    yield from (line.event_id for line in own)
    yield from (event_id for event_id in evidence if event_id not in lines)
