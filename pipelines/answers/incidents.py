"""The incidents of a result: one line each for the terminal, and their records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Any

import pandas as pd

from pipelines.answers.headlines import headline
from pipelines.answers.quoted import line_of
from pipelines.answers.times import Clock
from pipelines.result import Result
from replay.knowledge.meaning import PASSING
from viz import all_clear
from viz.by_severity import rank, stated_order, worst_first
from viz.frames import rows, tidy
from viz.metric_statements import unlogged
from viz.overview import UNKNOWN_CAUSE
from viz.phrases import CANNOT_RULE_OUT, counted, listed
from viz.summary import chosen, unexplained, without_a_cause

_WHOLE, _WHETHER_ANY = ("incidents", "findings", "coverage", "all_clear"), ("leader_epochs", "described_partitions")
NEEDED = (*_WHOLE, *_WHETHER_ANY)  # by `tables_of`


def tables_of(result: Result) -> dict[str, pd.DataFrame]:
    """The tables of a result that the functions of this module take; large ones only show whether they have rows."""
    return result.tables(*_WHOLE) | {name: result.table(name, ["topic"]) for name in _WHETHER_ANY}


def title(tables: Mapping[str, pd.DataFrame], lines: Mapping[str, Any] | None) -> str:
    """The subject of a result, in one line; `lines` is the meaning of its lines, from `findings.json`."""
    incidents, findings, seen = tables["incidents"], tables["findings"], unexplained(tables)
    first = chosen(tidy(incidents, "incidents"), None) if len(incidents) else None
    if seen and (first is None or rank(seen[0].severity) < rank(first.severity)):
        more = counted(len(incidents), "incident of another cause", "incidents of other causes")
        return without_a_cause(seen[0]) + (f", and {more}" if len(incidents) else "")
    if first is not None:
        more = counted(len(incidents) - 1, "more incident")
        return str(first.title) if len(incidents) == 1 else f"{first.title}, and {more}"
    if lines is not None and (lines["unknown"] or any(message["weight"] != PASSING for message in lines["told"])):
        return shorten(str(lines["summary"]), 120, placeholder=" …")
    if not len(tables["leader_epochs"]):
        described = len(tables.get("described_partitions", ()))
        return "Leaders and ISRs from kafka-topics" if described else "Too little information"
    errors = len(findings) and (findings.code == UNKNOWN_CAUSE).any()
    if unlogged(tables):
        return "No incident in the logs, but metrics show long waits"
    if not all_clear.is_ruled_out(tables):
        return "No incident in these logs, which do not rule one out"
    return "No incident found, but errors of unknown cause" if errors else "No incident found"


def evidence_of(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The events whose lines `as_text` shows."""
    return [str(one["event_id"]) for incident in _in_order(tables) for one in incident.proof]


def as_text(
    tables: Mapping[str, pd.DataFrame],
    messages: Mapping[str, Mapping[str, Any]],
    lines: Mapping[str, Any] | None,
    clock: Clock,
) -> Iterator[str]:
    """Every incident: what happened, what was lost, whether it is over, what to do next, and its proof."""
    incidents, files = _in_order(tables), tables["coverage"]
    yield title(tables, lines)
    read = int(files.log_records.sum()) if len(files) else 0
    times = files[["first_ts", "last_ts"]].dropna() if len(files) else files
    span = f", {clock.span(times.first_ts.min(), times.last_ts.max())} {clock.name}" if len(times) else ""
    yield f"From {counted(read, 'record')} of {counted(len(files), 'file')}{span}."
    if not incidents:
        seen = unexplained(tables)
        yield (
            "These logs do not show the cause."
            if seen
            else "This result has no incident. The result depends on what these files show."
        )
        if not seen:
            yield CANNOT_RULE_OUT
        yield from _apart(tables["findings"])
    if len(incidents) > 1:
        yield f"{stated_order(len(incidents))}."
    for incident in incidents:
        yield ""
        yield from (clock.sentence(line, incident.start_ts) for line in _account(incident))
        for one in incident.proof:
            if one["event_id"] in messages:
                yield f"  Proof of “{clock.sentence(one['proves'], incident.start_ts)}”:"
                yield line_of(one["event_id"], messages[one["event_id"]], clock, "    ")
    if deleted := all_clear.deletions(tables):
        yield deleted


def _account(incident: Any) -> Iterator[str]:
    """What happened, what was lost, whether it is over, and what to do next; times in UTC."""
    yield f"{incident.incident_id}  {headline(incident)}"
    yield f"  {incident.told or 'What happened is unknown.'}"
    yield f"  Lost, committed: {incident.lost_committed or 'not known'}"
    yield f"  Lost, uncommitted (acks=1 or 0 only): {incident.lost_uncommitted or 'not known'}"
    yield from (f"  Losses of other incidents: {text}" for text in incident.contributed_to or ())
    yield f"  Stored, answered late or never: {incident.unanswered or 'not known'}"
    if incident.still:
        yield f"  Not over as the logs end: {listed(incident.still)}"
    elif incident.is_over is None:
        yield "  Whether it is over is unknown."
    yield from (f"  Afterwards: {text}" for text in incident.afterwards)
    yield f"  Began with: {incident.root_finding_id or 'not known'}"
    yield from (f"  Next, for the operator: {step}" for step in incident.next_steps)


def _apart(findings: pd.DataFrame) -> Iterator[str]:
    """The findings of a result that belong to no incident."""
    for finding in rows(findings):
        yield f"  {finding.code}  {finding.severity}  {finding.title}  {finding.finding_id}"


def _in_order(tables: Mapping[str, pd.DataFrame]) -> Sequence[Any]:
    return worst_first(rows(tidy(tables["incidents"], "incidents")))
