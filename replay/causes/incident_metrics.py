"""The metrics of each incident (facts §7), a small record a question, and its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from replay.causes.conclusions import CHANGES_OF_LEADER
from replay.causes.incidents import AT_ONCE_MS
from replay.causes.loss_conclusions import Incidents
from replay.facts.times import first_known, greatest, least, millis, plus_millis
from replay.faults.kinds import ASKED_FOR, ROUTINE
from replay.sentences import Statement, said
from replay.sentences.findings import INCIDENT_TITLES
from replay.tables.availability import INCIDENT_HARM
from replay.tables.causes import INCIDENTS
from replay.tables.row import Row

SEVERITIES = ("critical", "high", "medium", "low", "info")
HAD_A_LEADER = ("preferred", "reassignment")  # triggers of elections that relieve a leader that is there
LEADERS_ELSEWHERE = "R18"


@dataclass(frozen=True)
class Root:
    """A finding that an incident may have begun with."""

    finding: Row
    title: str
    kind: str | None

    @property
    def is_routine(self) -> bool:
        return self.kind is None or self.kind in ROUTINE

    @property
    def is_asked_for(self) -> bool:
        return self.kind is None or self.kind in ASKED_FOR

    @property
    def broker_id(self) -> int | None:
        return self.finding.broker_ids[0] if self.finding.broker_ids else None

    @property
    def order(self) -> tuple[bool, bool, datetime, str]:
        """Root causes come before what is benign, faults before routine work, the earlier before the later."""
        return self.finding.role != "root_cause", self.is_routine, self.finding.start_ts, self.finding.finding_id


@dataclass(frozen=True)
class Incident:
    """One incident: when it was, what it began with, what followed, what was lost, what it cost."""

    incident_id: str
    from_ts: datetime
    to_ts: datetime
    findings: Sequence[Row] = ()
    roots: Sequence[Root] = ()  # root causes and what is benign, in their order
    effects: Sequence[Row] = ()
    edges: Sequence[Row] = ()
    losses: Sequence[Row] = ()
    times: Row | None = None
    harm: Row | None = None

    @property
    def root(self) -> Root | None:
        return self.roots[0] if self.roots else None

    @property
    def causes(self) -> list[Root]:
        """The root causes alone."""
        return [root for root in self.roots if root.finding.role == "root_cause"]

    @property
    def severity(self) -> str:
        return min((finding.severity for finding in self.findings), key=SEVERITIES.index, default="info")

    @property
    def lost_its_quorum(self) -> bool:
        return any(finding.code == "F11" and finding.role == "effect" for finding in self.findings)

    @property
    def t0(self) -> datetime:
        """The first proof of the fault."""
        began = None if self.root is None else self.root.finding.began_high
        return self.from_ts if began is None else began

    def since_t0(self, ts: datetime | None) -> int | None:
        passed = millis(ts, self.t0)
        return None if passed is None else max(passed, 0)

    def of_kind(self, *kinds: str) -> list[Row]:
        return [effect for effect in self.effects if effect.kind in kinds]


def incidents(
    conclusions: Sequence[Row],
    findings: Iterable[Row],
    root_spans: Sequence[Row],
    effects: Iterable[Row],
    cluster_edges: Iterable[Row],
    open_losses: Iterable[Row],
    faults: Iterable[Row],
    partition_times: Iterable[Row],
    incident_harm: Iterable[Row],
) -> list[Row]:
    """One row an incident with its title and metrics. Returns `INCIDENTS`."""
    titles = {finding.finding_id: finding.title for finding in findings}
    kinds = {fault.fault_id: fault.kind for fault in faults}
    times = Incidents.of(root_spans)
    gathered = _Gathered(times)
    for effect in effects:
        gathered.add("effects", effect.incident_id, effect)
    incident_of = {effect.id: effect.incident_id for effect in gathered.all("effects") if effect.id is not None}
    for edge in cluster_edges:
        gathered.add("edges", incident_of.get(edge.dst), edge)
    for loss in open_losses:
        gathered.add("losses", loss.incident_id or times.at(loss.ts, AT_ONCE_MS), loss)
    for conclusion in conclusions:
        gathered.add("findings", conclusion.incident_id, conclusion)
    summed = {row.incident_id: row for row in partition_times}
    harm = {row.incident_id: row for row in incident_harm}
    return [
        _measured(
            Incident(
                name,
                from_ts,
                to_ts,
                findings=gathered.of("findings", name),
                roots=_roots(gathered.of("findings", name), titles, kinds),
                effects=gathered.of("effects", name),
                edges=gathered.of("edges", name),
                losses=gathered.of("losses", name),
                times=summed.get(name),
                harm=harm.get(name),
            )
        )
        for name, (from_ts, to_ts) in times.spans.items()
    ]


@dataclass
class _Gathered:
    """What belongs to each incident, by what it is."""

    incidents: Incidents
    rows: dict[tuple[str, str], list[Row]] = field(default_factory=dict)

    def add(self, what: str, incident_id: str | None, row: Row) -> None:
        if incident_id in self.incidents.spans:
            self.rows.setdefault((what, incident_id), []).append(row)

    def of(self, what: str, incident_id: str) -> list[Row]:
        return self.rows.get((what, incident_id), [])

    def all(self, what: str) -> list[Row]:
        return [row for (kind, _), rows in self.rows.items() if kind == what for row in rows]


def _roots(conclusions: Iterable[Row], titles: Mapping[str, str], kinds: Mapping[str, str]) -> list[Root]:
    roots = [
        Root(one, titles[one.finding_id], kinds.get(one.finding_id))
        for one in conclusions
        if one.role in ("root_cause", "benign")
    ]
    return sorted(roots, key=lambda root: root.order)


def _measured(incident: Incident) -> Row:
    root = None if incident.root is None else incident.root.finding
    measured = {
        **_harm(incident),
        **_changes_of_leaders(incident),
        **_isrs(incident),
        **_controllers(incident),
        **_lost(incident),
    }
    return INCIDENTS.row_class(
        incident_id=incident.incident_id,
        start_ts=first_known(None if root is None else root.began_low, incident.from_ts),
        end_ts=incident.to_ts,
        severity=incident.severity,
        root_finding_id=None if root is None else root.finding_id,
        t0_low=None if root is None else root.began_low,
        t0_high=incident.t0,
        partitions_affected=len({name for effect in incident.effects for name in effect.partitions}),
        title=_title(incident, measured["lost_offsets_min"], measured["lost_offsets_max"]),
        **measured,
    )


def _harm(incident: Incident) -> dict[str, Any]:
    """What clients felt, as `incident_harm` sums it."""
    names = [name for name in INCIDENT_HARM.schema.names if name != "incident_id"]
    return {name: getattr(incident.harm, name, None) for name in names}


def _changes_of_leaders(incident: Incident) -> dict[str, Any]:
    """How leaders changed, and when every partition had one again."""
    changes, leaderless = incident.of_kind(*CHANGES_OF_LEADER), incident.of_kind("leaderless")
    led_ts = greatest(*(change.last_ts for change in changes if change.by not in HAD_A_LEADER))
    back_ts = greatest(*(effect.over_ts for effect in leaderless))
    is_restored = not any(effect.is_open for effect in leaderless)
    times = incident.times
    return {
        "elections": sum(change.count for change in changes if change.is_other_leader),
        "unclean_elections": sum(change.count for change in changes if change.kind == "unclean_election"),
        "leader_restored_ms": incident.since_t0(greatest(back_ts, led_ts) or incident.t0) if is_restored else None,
        **{
            name: getattr(times, name, None) or 0
            for name in ("leader_epoch_bumps", "leaders_untold", "unserved_min_ms", "unserved_max_ms")
        },
    }


def _isrs(incident: Incident) -> dict[str, Any]:
    """How long ISRs were short, and when all were full again."""
    times = incident.times
    if times is None:
        return {"under_replicated_ms": None, "full_isr_ms": 0}
    is_full = times.full_at_last is not False
    return {
        "under_replicated_ms": times.under_replicated_ms,
        "full_isr_ms": incident.since_t0(times.full_ts or incident.t0) if is_full else None,
    }


def _controllers(incident: Incident) -> dict[str, Any]:
    """When the controller acted, and how long there was none."""
    moves = [edge for edge in incident.edges if edge.relation == LEADERS_ELSEWHERE and edge.rank == 1]
    detected_ts = least(*(effect.ts for effect in incident.of_kind("detected")))
    return {
        "time_to_detect_ms": incident.since_t0(detected_ts),
        "controller_downtime_ms": sum(edge.delay_ms for edge in moves),
    }


def _lost(incident: Incident) -> dict[str, Any]:
    """Offsets that are gone, or may be."""
    committed = [loss for loss in incident.losses if loss.loss_class == "committed"]
    others = [loss for loss in incident.losses if loss.loss_class != "committed"]
    return {
        "lost_offsets_min": sum(
            loss.to_offset_low - loss.from_offset
            for loss in committed
            if loss.verdict == "PROVEN_LOSS" and loss.to_offset_low is not None
        ),
        "lost_offsets_max": _at_most(committed),
        "acked_possible_max": _at_most(others),
        "undetermined": sum(loss.verdict == "UNDETERMINED" for loss in incident.losses),
    }


def _at_most(losses: Sequence[Row]) -> int | None:
    """None where one of them is not known."""
    if any(loss.to_offset_high is None or loss.from_offset is None for loss in losses):
        return None
    return sum(int(loss.to_offset_high - loss.from_offset) for loss in losses)


def _title(incident: Incident, lost: int, possible: int | None) -> str | None:
    told = _title_statement(incident, lost, possible)
    return INCIDENT_TITLES.say(told.reason, told.arguments)


def _title_statement(incident: Incident, lost: int, possible: int | None) -> Statement:
    """What the first root was; whom it befell as well, at the same time or after; what else went wrong; what was
    lost.
    """
    root = incident.root
    undetermined = any(loss.loss_class == "committed" and loss.verdict == "UNDETERMINED" for loss in incident.losses)
    losses = {
        "lost": lost or None,
        "possible": possible if not lost and possible else None,
        "unknown": not lost and (possible is None or undetermined),
        "quorum": incident.lost_its_quorum,
    }
    if root is None:
        return said("no_known_root", **losses)
    more = _titles_of_others(incident, root)
    return said(
        "began_with",
        first=root.title,
        more=more[0] if more else None,
        others=len(more) - 1 if len(more) > 1 else None,
        **_whom_else(incident, root),
        **losses,
    )


def _titles_of_others(incident: Incident, root: Root) -> list[str]:
    """The titles of the root causes of other kinds that are no routine work, each once."""
    return list(
        dict.fromkeys(one.title for one in incident.causes if one.kind not in (None, root.kind) and not one.is_routine)
    )


def _whom_else(incident: Incident, root: Root) -> dict[str, Any]:
    """Whom the same befell. Which of two came first is not told where their bounds overlap."""
    alike = [one for one in incident.causes if one.kind == root.kind]
    if root.broker_id is None or root.is_asked_for:
        alike = []
    others = [one for one in alike if one.broker_id not in (None, root.broker_id)]
    until = plus_millis(root.finding.start_ts, AT_ONCE_MS)
    at_once = _brokers(one for one in others if one.finding.start_ts <= until)
    then = _brokers(one for one in others if one.finding.start_ts > until)
    are_brokers = all(one.finding.is_broker for one in alike)
    return {
        "all_brokers_at_once": at_once if are_brokers else None,
        "all_nodes_at_once": None if are_brokers else at_once,
        "all_brokers_then": then if are_brokers else None,
        "all_nodes_then": None if are_brokers else then,
        "often": len(alike) if len(alike) > len({one.broker_id for one in alike}) else None,
    }


def _brokers(roots: Iterable[Root]) -> list[int | None] | None:
    return list(dict.fromkeys(root.broker_id for root in roots)) or None
