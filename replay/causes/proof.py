"""Which lines prove an incident: the lines that decide its cause, then the worst that followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from replay.causes.incident import SEVERITIES, Incident
from replay.facts.order import less
from replay.facts.times import first_known, millis
from replay.faults.kinds import BY_NAME
from replay.tables.causes import Conclusion, FaultLine

LINES = 3
# The lines that prove lost records: a log that was truncated, or that came back shorter.
LOSS_DECIDED_BY = (
    "truncation_below_hw",
    "log_truncated_to",
    "log_recovery_truncated",
    "log_dir_unclean_shutdown",
    "log_load_completed",
)
# The lines that prove an effect, by its code.
EFFECT_DECIDED_BY = {
    "F16": (
        "kraft_leader_selected_unclean",
        "kraft_partition_changed_unclean",
        "controller_unclean_election_candidate",
    ),
    "F20": ("produce_append_error",),
    "F24": ("log_recovery_truncated",),
}


def lines_of_conclusions(conclusions: Sequence[Conclusion]) -> frozenset[str]:
    """The lines that prove conclusions, by event."""
    return frozenset(event for conclusion in conclusions for event in conclusion.evidence or ())


def proof(incident: Incident, titles: Mapping[str, str], lines: Mapping[str, FaultLine]) -> list[dict[str, str | None]]:
    """At most `LINES` different lines within the incident: what each proves, and for which finding. `lines` are those
    of conclusions, by their ids.
    """
    lines_by_event: dict[str, dict[str, str | None]] = {}
    for finding, most in _worth_proving(incident):
        for event_id in [*dict.fromkeys(_of_its_time(finding, incident, lines))][:most]:
            proven: dict[str, str | None] = {
                "event_id": event_id,
                "finding_id": finding.finding_id,
                "proves": titles[finding.finding_id],
            }
            lines_by_event.setdefault(event_id, proven)
        if len(lines_by_event) >= LINES:
            break
    return list(lines_by_event.values())[:LINES]


def _worth_proving(incident: Incident) -> Iterator[tuple[Conclusion, int]]:
    """The root with its first lines, each effect with one line, then the remaining lines of the root."""
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
    """The line of a witness that its title quotes, then the lines that decide it, one of each kind; then the finding's own lines from
    its begin to the incident's end, of a freeze first the one with which it woke.
    """
    evidence = finding.evidence or ()
    if any(root.finding is finding and root.is_dated_by_witness for root in incident.roots):
        yield from evidence[:1]
    begin = first_known(finding.began_low, finding.start_ts)
    known = [lines[event_id] for event_id in evidence if event_id in lines]
    yield from _deciding(known, decided_by(finding, incident), begin)
    own = [line for line in known if line.ts is None or begin is None or begin <= line.ts <= incident.end_ts]
    if finding.code == "F04" and finding.ended_high is not None:
        own.sort(key=lambda line: abs(millis(line.ts, finding.ended_high) or 0))
    yield from (line.event_id for line in own)
    yield from (event_id for event_id in evidence if event_id not in lines)


def decided_by(finding: Conclusion, incident: Incident) -> tuple[str, ...]:
    """The kinds of event that decide a finding, the strongest first."""
    faults = (*incident.roots, *incident.deaths, *incident.refusals)
    fault = next((one.fault for one in faults if one.finding is finding), None)
    if fault is not None:
        return BY_NAME[fault.kind].decided_by
    if finding.finding_id.startswith("loss"):
        return LOSS_DECIDED_BY
    return EFFECT_DECIDED_BY.get(finding.code or "", ())


def _deciding(lines: Sequence[FaultLine], kinds: Sequence[str], begin: datetime | None) -> Iterator[str]:
    """For each kind, the first line since the begin, or else the last one before it. A start without a clean shutdown marker
    may come long after the begin of a death, and the error that stopped a process before its last line.
    """
    for kind in kinds:
        own = [line for line in lines if line.kind == kind]
        since = [line for line in own if not less(line.ts, begin)]
        yield from (line.event_id for line in since[:1] or own[-1:])
