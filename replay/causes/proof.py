"""Which lines prove an incident: the first signs of its cause, then the worst that followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from replay.catalogue.kinds import tells
from replay.causes.incident import SEVERITIES, Incident
from replay.tables.row import Row

LINES = 3


def proof(incident: Incident, lines: Mapping[str, Row]) -> list[dict[str, str | None]]:
    """At most `LINES` lines, each once, in no time but the incident's: what each tells, and of which finding.

    `lines` are those whose time and kind are at hand; one that is not among them is taken as it comes.
    """
    told: dict[str, dict[str, str | None]] = {}
    for finding, most in _worth_proving(incident):
        for event_id in [*_of_its_time(finding, incident, lines)][:most]:
            told.setdefault(event_id, _proven(event_id, finding, lines))
        if len(told) >= LINES:
            break
    return list(told.values())[:LINES]


def _worth_proving(incident: Incident) -> Iterator[tuple[Row, int]]:
    """The root with its first lines, what followed with one each, and what else is there of the root."""
    root = None if incident.root is None else incident.root.finding
    if root is not None:
        yield root, LINES - 1
    others = [finding for finding in incident.findings if finding is not root and finding.role != "benign"]
    for finding in sorted(others, key=_worst_first):
        yield finding, 1
    if root is not None:
        yield root, LINES


def _worst_first(finding: Row) -> tuple[bool, int, datetime, str]:
    return finding.role == "root_cause", SEVERITIES.index(finding.severity), finding.start_ts, finding.finding_id


def _of_its_time(finding: Row, incident: Incident, lines: Mapping[str, Row]) -> Iterator[str]:
    """The finding's lines from its begin to the incident's end."""
    begin = finding.began_low or finding.start_ts
    for event_id in finding.evidence:
        line = lines.get(event_id)
        if line is None or line.ts is None or (begin is None or begin <= line.ts) and line.ts <= incident.end_ts:
            yield event_id


def _proven(event_id: str, finding: Row, lines: Mapping[str, Row]) -> dict[str, str | None]:
    line = lines.get(event_id)
    return {
        "event_id": event_id,
        "finding_id": finding.finding_id,
        "proves": None if line is None or line.kind is None else tells(line.kind),
    }
