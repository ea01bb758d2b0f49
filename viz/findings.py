"""Findings with their proof, incident by incident."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.markup import Evidence, Line, render
from viz.summary import anchor, in_order, rank

_AT_ONCE = 4
_MOST_LINES = 24
_MOST_FINDINGS = 60


@dataclass(frozen=True)
class Finding:
    """A finding as the page shows it: its lines split into those in sight and those folded away."""

    row: Any
    anchor: str
    shown: list[Line]
    folded: list[Line]
    more_lines: int


@dataclass(frozen=True)
class Group:
    """An incident's findings: those that tell what went wrong, and routine work, folded away."""

    title: str
    anchor: str
    severity: str | None
    when: str
    findings: list[Finding]
    routine: list[Finding]
    more: int


def findings(findings_: pd.DataFrame, incidents: pd.DataFrame, evidence: Evidence, first: str | None) -> Markup:
    """Every incident's findings, the one named `first` at the top, then by severity; roots before effects; each with its lines.

    Of more than 60 findings of an incident the least ones are counted, not shown.
    """
    rows = frames.rows(findings_)
    order = sorted(
        frames.rows(incidents),
        key=lambda i: (i.incident_id != first, rank(i.severity), i.start_ts is None, i.start_ts or 0, i.incident_id),
    )
    known = {i.incident_id for i in order}
    groups = [
        _group(
            i.title or i.incident_id,
            i.incident_id,
            i.severity,
            words.span(i.start_ts, i.end_ts),
            [f for f in rows if f.incident_id == i.incident_id],
            evidence,
        )
        for i in order
    ]
    loose = [f for f in rows if f.incident_id not in known]
    if loose:
        groups.append(_group("Outside any incident" if order else "What was seen", None, None, "", loose, evidence))
    return render("findings.html.j2", groups=groups)


def _group(
    title: str, incident_id: str | None, severity: str | None, when: str, rows: list[Any], evidence: Evidence
) -> Group:
    told = in_order([f for f in rows if f.role != "benign"])
    routine = in_order([f for f in rows if f.role == "benign"])
    shown, folded = told[:_MOST_FINDINGS], routine[:_MOST_FINDINGS]
    more = len(rows) - len(shown) - len(folded)
    return Group(
        title,
        anchor("incident", incident_id),
        severity,
        when,
        [_finding(f, evidence) for f in shown],
        [_finding(f, evidence) for f in folded],
        more,
    )


def _finding(row: Any, evidence: Evidence) -> Finding:
    lines = evidence.lines(row.evidence)
    return Finding(
        row,
        anchor("finding", row.finding_id),
        lines[:_AT_ONCE],
        lines[_AT_ONCE:_MOST_LINES],
        max(0, len(lines) - _MOST_LINES),
    )
