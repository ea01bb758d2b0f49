"""Findings with their proof, incident by incident."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import frames
from viz import phrases as words
from viz.bounds import first
from viz.by_severity import worst_first
from viz.cluster import nodes_by_role
from viz.markup import Evidence, Line, by, each_once, keys, render
from viz.metric_statements import metric_sentence, metric_statements, unlogged
from viz.summary import Account, account, anchor, in_order, with_part_in_life

_AT_ONCE, _OF_EFFECTS = 2, 0  # visible lines of a root cause, and of an effect
_MOST_LINES = 16
_MOST_FINDINGS = 60  # of the first incident
_MOST_CARDS = 120  # of all others together
_FEWEST = 1  # of each of them
_IN_FULL = 20  # incidents with a small timeline and all figures of their own
_ON_PAPER = 8  # incidents whose findings are printed; the print states how many more there are
_BRIEF = 2  # lines of any other finding
_SURE, _LIKELY = 0.9, 0.6  # confidence


@dataclass(frozen=True)
class Finding:
    """A finding as the page shows it: its lines split into visible and folded ones."""

    row: Any
    anchor: str
    keys: str
    link: str
    nodes: str
    shown: list[Line]
    folded: list[Line]
    more_lines: int
    why_severity: str
    metrics: list[str]

    @property
    def role(self) -> str:
        """Its role; of an effect that has the code of its cause, with `of`."""
        role = (self.row.role or "role unknown").replace("_", " ")
        return f"{role} of" if self.row.role == "effect" and self.row.finding_id.startswith(_OF_A_CAUSE) else role

    @property
    def sureness(self) -> str:
        """Its confidence in a word; empty if it is certain."""
        confidence = self.row.confidence
        if confidence is None or confidence >= _SURE:
            return ""
        return "likely" if confidence >= _LIKELY else "unsure"

    @property
    def part_of_its_nodes(self) -> str:
        """The name of its nodes. Of a cut link, no line shows which end is at fault, or whether it is the network between them."""
        if self.row.role != "root_cause" or self.row.severity in ("low", "info"):
            return "Concerns"
        return "Cut off" if self.row.code == LINK_CUT else "At fault"


@dataclass(frozen=True)
class Group:
    """An incident's findings: faults and effects, and routine work, which is folded."""

    title: str
    anchor: str
    severity: str | None
    when: str
    findings: list[Finding]
    routine: list[Finding]
    more: int
    account: Account | None
    brief: bool
    metrics: list[str]


def findings(
    tables: Mapping[str, pd.DataFrame],
    evidence: Evidence,
    chosen: str | None,
    shown: Callable[[Any], tuple[pd.Timestamp, pd.Timestamp] | None],
) -> Markup:
    """Every incident's findings, the one named `chosen` first, then the worst first; roots before effects; each
    with its lines.

    Each incident but the first has its plot and figures at its head, because the page shows those of the first at the
    top; `shown` is the time range of its small timeline. Beyond 60 findings of the first incident, and a share of the
    others, the least severe are only counted.
    """
    rows = by(frames.table(tables, "findings"), "incident_id")
    order = sorted(worst_first(frames.table(tables, "incidents")), key=lambda i: i.incident_id != chosen)
    brief = len(order) > _IN_FULL
    share = max(_FEWEST, _MOST_CARDS // max(1, len(order) - 1))
    groups = [
        _group(
            tables,
            i.title or i.incident_id,
            i.incident_id,
            i.severity,
            words.span_of(i),
            rows.get(i.incident_id, []),
            evidence,
            _MOST_FINDINGS if i.incident_id == chosen else share,
            None if i.incident_id == chosen else account(tables, i, evidence, None if brief else shown(i)),
            brief=brief and i.incident_id != chosen,
        )
        for i in order
    ]
    incident_ids = {i.incident_id for i in order}
    loose = [f for incident_id, some in rows.items() if incident_id not in incident_ids for f in some]
    if loose or unlogged(tables):
        title = "Outside any incident" if order else "What was seen"
        groups.append(_group(tables, title, None, None, "", loose, evidence, _MOST_FINDINGS, None, brief=brief))
    return render("findings.html.j2", groups=groups, anchor=anchor, on_paper=_ON_PAPER)


def _group(
    tables: Mapping[str, pd.DataFrame],
    title: str,
    incident_id: str | None,
    severity: str | None,
    when: str,
    rows: Sequence[Any],
    evidence: Evidence,
    limit: int,
    shown_as: Account | None,
    *,
    brief: bool = False,
) -> Group:
    abnormal = in_order([f for f in rows if f.role != "benign"])
    routine = in_order([f for f in rows if f.role == "benign"])
    shown, folded = first(abnormal, limit).shown, first(routine, limit).shown
    return Group(
        title,
        anchor("incident", incident_id),
        severity,
        when,
        [_finding(tables, f, evidence, brief) for f in shown],
        [] if brief else [_finding(tables, f, evidence, brief) for f in folded],
        len(rows) - len(shown) - (0 if brief else len(folded)),
        shown_as,
        brief,
        [metric_sentence(one) for one in metric_statements(tables, incident_id, None)],
    )


def _finding(tables: Mapping[str, pd.DataFrame], row: Any, evidence: Evidence, brief: bool) -> Finding:
    lines = each_once([with_part_in_life(tables, row, line) for line in evidence.lines(row.evidence)])
    in_sight = _AT_ONCE if row.role == "root_cause" else _OF_EFFECTS
    at_once, most = (_BRIEF, _BRIEF) if brief else (in_sight, _MOST_LINES)
    return Finding(
        row,
        anchor("finding", row.finding_id),
        keys(
            topics=dict.fromkeys(str(p).rpartition("-")[0] or str(p) for p in row.partitions),
            brokers=row.broker_ids,
            code=row.code,
            severity=row.severity,
        ),
        evidence.link(row.evidence),
        nodes_by_role(tables, row.broker_ids),
        lines[:at_once],
        lines[at_once:most],
        max(0, len(lines) - most),
        _why_severity(tables, row),
        [metric_sentence(one) for one in metric_statements(tables, row.incident_id, row.finding_id)],
    )


QUORUM_LOST, LINK_CUT = "F11", "F05"
_OF_A_CAUSE = "leaderless/"  # findings without a code of their own
_GONE = ("PROVEN_LOSS", "POSSIBLE_LOSS")
_BECAUSE = {
    "critical": "committed records were lost because of it",
    "high": "clients were blocked, or records may be lost, because of it",
}
_BLOCKED_ONLY = "clients waited{how_long} because of it; {losses}"
_NONE_LOST = "no lost record is traced to it"
_HELD_SOME = (
    "its broker held a copy of some of the lost records and truncated it, but their loss is traced to other faults"
)
_LEFT_FEWER = (
    "it took its broker out of the ISRs of partitions that lost records later: with its broker in sync, these records would "
    "have had one more in-sync copy"
)
_UNCOMMITTED_LOST = "no loss of a committed record is traced to it, only of records sent with acks=1 or acks=0"
_NO_QUORUM = "the metadata quorum was lost because of it, and faults of others last longer without a controller; these logs attribute no lost record and no blocked client to it alone"
_NO_HARM = "these logs attribute no lost record and no blocked client to it"


def _why_severity(tables: Mapping[str, pd.DataFrame], row: Any) -> str:
    """Why faults of one kind differ in severity; empty if they do not."""

    def severities() -> dict[tuple[Any, Any], set[Any]]:
        found: dict[tuple[Any, Any], set[Any]] = {}
        for f in frames.table(tables, "findings"):
            if f.role == "root_cause":
                found.setdefault((f.incident_id, f.code), set()).add(f.severity)
        return found

    of_kind = frames.once(tables, "severities of root causes", severities).get((row.incident_id, row.code), ())
    if row.role != "root_cause" or len(of_kind) < 2:
        return ""
    blocking = frames.once(tables, "faults that blocked clients", lambda: _blocking(tables))
    with_losses = frames.once(tables, "faults with losses", lambda: _leading_to_losses(tables))
    if row.finding_id in blocking and row.severity not in _BECAUSE:
        none_lost = (
            _LEFT_FEWER
            if _had_been_in_sync(tables, row)
            else _HELD_SOME
            if _held_lost_records(tables, row)
            else _NONE_LOST
        )
        losses = none_lost if row.finding_id not in with_losses else _UNCOMMITTED_LOST
        return _BLOCKED_ONLY.format(how_long=_waited(tables, row, blocking), losses=losses)
    lost_quorum = frames.once(tables, "faults that lost the quorum", lambda: _lost_quorum(tables))
    if row.severity == "high" and row.finding_id in lost_quorum - blocking:
        return _NO_QUORUM
    return _BECAUSE.get(row.severity, _NO_HARM)


def _held_lost_records(tables: Mapping[str, pd.DataFrame], row: Any) -> bool:
    """Whether lines show that a broker of the finding truncated a copy of committed records that its incident lost."""
    return any(
        loss.incident_id == row.incident_id
        and (loss.loss_class, loss.verdict) == ("committed", "PROVEN_LOSS")
        and not set(row.broker_ids).isdisjoint(loss.cut_by or ())
        for loss in frames.table(tables, "losses")
    )


def _had_been_in_sync(tables: Mapping[str, pd.DataFrame], row: Any) -> bool:
    """Whether a broker of the finding was in the ISR of a partition before its incident lost, or may have lost, committed records."""
    lost = {
        (loss.topic, loss.partition): loss.ts
        for loss in frames.table(tables, "losses")
        if loss.incident_id == row.incident_id and loss.loss_class == "committed" and loss.verdict in _GONE
    }
    return any(
        (span.topic, span.partition) in lost
        and not set(row.broker_ids).isdisjoint(span.isr or ())
        and span.start_ts is not None
        and span.start_ts < row.start_ts < lost[span.topic, span.partition]
        for span in frames.table(tables, "isr_spans")
    )


def _leading_to_losses(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """What the causality graph traces certain or possible losses to, over accepted causes and what contributed."""
    causes: dict[str, list[str]] = {}
    for edge in frames.table(tables, "edges"):
        if edge.rank == 1 or edge.aspect == "contributed":
            causes.setdefault(edge.dst, []).append(edge.src)
    found: set[str] = set()
    todo = [name for name in causes if name.startswith("loss/")]
    while todo:
        new = set(causes.get(todo.pop(), ())) - found
        found |= new
        todo.extend(new)
    return found


def _lost_quorum(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """The faults because of which most voters of the metadata quorum were missing."""
    lost = {f.finding_id for f in frames.table(tables, "findings") if f.code == QUORUM_LOST}
    return {edge.src for edge in frames.table(tables, "edges") if edge.dst in lost and edge.rank == 1}


def _waited(tables: Mapping[str, pd.DataFrame], row: Any, blocking: set[str]) -> str:
    """How long, at most, writers with acks=all to a topic waited while no other root cause of the incident made them
    wait.
    """
    roots = {f.finding_id for f in frames.table(tables, "findings") if f.incident_id == row.incident_id}
    incident = next((i for i in frames.table(tables, "incidents") if i.incident_id == row.incident_id), None)
    if incident is None or blocking & roots != {row.finding_id}:
        return ""
    longest = max(incident.down or (), key=lambda one: one["acks_all_low_ms"], default=None)
    return f" {words.waited(longest, 'acks_all')}" if longest else ""


def _blocking(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """The faults for which brokers did not serve clients for a time."""
    available = tables["availability"]
    return set(available.fault_id[available.state == "closed"].dropna())
