"""The rows of each incident -> its record, and the record as a row: figures (facts §7), sentences, proof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from replay.availability.harm import OF_LEADERS
from replay.causes import incident_words as words
from replay.causes.alike_waits import alike_waits
from replay.causes.auto_rebalance import auto_rebalance
from replay.causes.controller_absences import Absence, controller_absences
from replay.causes.depositions import Deposition, depositions
from replay.causes.incident import MEANWHILE, Bounds, Contributed, Incident, Root
from replay.causes.incidents import AT_ONCE_MS, Incidents
from replay.causes.next_steps import next_steps
from replay.causes.proof import proof
from replay.closing.known import NOTHING_KNOWN, Known
from replay.coverage.limits import hiding_losses
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.releases import NEWEST
from replay.facts.times import greatest, least
from replay.faults.kinds import CRASHES
from replay.sentences.incidents import INCIDENT_TITLES
from replay.sentences.witness_commands import deployment_of
from replay.tables.availability import INCIDENT_HARM, IncidentHarm, TopicDowntime, WaitInARow
from replay.tables.brokers import Controller, NodeRelease, Setting
from replay.tables.causes import (
    IN_A_ROW,
    ClusterEdge,
    Conclusion,
    Effect,
    FaultLine,
    Finding,
    IncidentSummary,
    LeadershipAtLast,
    OpenLoss,
    PartitionTime,
    RootSpan,
    SequenceGap,
    StaleLeader,
    UnansweredWrites,
)
from replay.tables.coverage import Limit
from replay.tables.faults import Fault, WitnessedFault
from replay.tables.losses import GONE_VERDICTS
from replay.tables.partitions import TopicSetting
from replay.tables.questions import TrustedReplica
from replay.tables.reading import Fact, FileCoverage


def incidents(
    conclusions: Sequence[Conclusion],
    findings: Iterable[Finding],
    root_spans: Sequence[RootSpan],
    effects: Iterable[Effect],
    open_losses: Iterable[OpenLoss],
    faults: Sequence[Fault],
    partition_times: Iterable[PartitionTime],
    incident_harm: Iterable[IncidentHarm],
    topic_down: Iterable[TopicDowntime],
    controllers: Sequence[Controller],
    facts: Sequence[Fact],
    fault_lines: Iterable[FaultLine],
    trusted: Sequence[TrustedReplica],
    topic_settings: Sequence[TopicSetting] = (),
    witnessed: Iterable[WitnessedFault] = (),
    coverage: Iterable[FileCoverage] = (),
    leadership_at_last: Sequence[LeadershipAtLast] = (),
    unanswered_writes: Iterable[UnansweredWrites] = (),
    stale_leaders: Iterable[StaleLeader] = (),
    releases: Sequence[NodeRelease] = (),
    settings: Iterable[Setting] = (),
    cluster_edges: Iterable[ClusterEdge] = (),
    limits: Iterable[Limit] = (),
    known_facts: Known = NOTHING_KNOWN,
    sequence_gaps: Sequence[SequenceGap] = (),
    waits_in_a_row: Sequence[WaitInARow] = (),
) -> list[IncidentSummary]:
    """One row per incident."""
    of_cluster = {
        "known": known_facts,
        "trusted": trusted,
        **_of_topic_settings(topic_settings),
        **_releases_and_settings(releases, settings, controllers),
        **_of_files(list(coverage), limits),
    }
    titles = {finding.finding_id: finding.title for finding in findings}
    roots = _RootsOf(titles, {fault.fault_id: fault for fault in faults}, {row.fault_id: row for row in witnessed})
    spans = Incidents(root_spans)
    absences = _of_incidents(controller_absences(controllers, faults, facts), root_spans, spans)
    deposed = _deposed_in(depositions(controllers, cluster_edges, faults, releases), root_spans, spans)
    of_incident, open_losses = _by_incident(conclusions), list(open_losses)
    contributed = _contributed(open_losses, root_spans, titles)
    effects_of, losses, down, led = map(_by_incident, (effects, open_losses, topic_down, leadership_at_last))
    unanswered, stale = _by_incident(unanswered_writes), _by_incident(stale_leaders)
    times = {row.incident_id: row for row in partition_times}
    harm = {row.incident_id: row for row in incident_harm}
    found = [
        Incident(
            name,
            from_ts,
            to_ts,
            findings=of_incident[name],
            **roots.by_part(of_incident[name]),
            effects=effects_of[name],
            losses=losses[name],
            contributed=contributed[name],
            absences=absences[name],
            deposed=deposed[name],
            times=times.get(name),
            full_with_others_ts=_full_with_others(name, root_spans, spans, times, known_facts),
            harm=harm.get(name),
            **_waits(name, down, waits_in_a_row, of_incident, roots),
            led=led[name],
            unanswered=unanswered[name],
            gaps=_after_losses(sequence_gaps, losses[name]),
            stale=stale[name],
            all_led=led[None],
            **of_cluster,
        )
        for name, (from_ts, to_ts) in spans.spans.items()
    ]
    return _rows(found, titles, fault_lines)


def _rows(
    found: Iterable[Incident], titles: Mapping[str, str], fault_lines: Iterable[FaultLine]
) -> list[IncidentSummary]:
    lines = {line.event_id: line for line in fault_lines}
    return [_row(incident, titles, lines) for incident in found]


def _full_with_others(
    incident_id: str,
    root_spans: Sequence[RootSpan],
    spans: Incidents,
    times: Mapping[str, PartitionTime],
    facts: Known,
) -> datetime | None:
    """When the ISRs were full that another fault of a broker had shrunk before its process ended in this incident: they can be
    full only after it is back.
    """
    found = []
    for end in root_spans:
        if end.incident_id != incident_id or end.kind not in CRASHES:
            continue
        back_ts = facts.back_after(end.broker_id, end.end_ts)
        others = {span.incident_id for span in root_spans if span.broker_id == end.broker_id} - {incident_id}
        of_others = (times[other].full_ts for other in others if other in times and spans.spans[other][0] <= end.ts)
        found += [full_ts for full_ts in of_others if less(back_ts, full_ts)]
    return greatest(*found)


def _of_topic_settings(topic_settings: Sequence[TopicSetting]) -> dict[str, frozenset[str]]:
    """The topics that forbid unclean elections, and those with min.insync.replicas=1."""
    return {
        "forbid_unclean": frozenset(setting.topic for setting in topic_settings if setting.unclean_allowed is False),
        "need_one": frozenset(setting.topic for setting in topic_settings if setting.min_isr == 1),
    }


def _waits(
    name: str,
    down: Mapping[str | None, Sequence[TopicDowntime]],
    waits_in_a_row: Iterable[WaitInARow],
    of_incident: Mapping[str | None, Sequence[Conclusion]],
    roots: _RootsOf,
) -> dict[str, Any]:
    """The waits of an incident, those that it shares with other incidents, and what began these incidents."""
    own = [wait for wait in waits_in_a_row if name in wait.incident_ids]
    first = {other: roots.roots(of_incident.get(other, ()))[:1] for wait in own for other in wait.incident_ids}
    return {
        "down": down[name],
        "in_a_row": own,
        "others": {other: found[0].title for other, found in first.items() if found},
    }


def _contributed(
    losses: Iterable[OpenLoss], root_spans: Iterable[RootSpan], titles: Mapping[str, str]
) -> defaultdict[str | None, list[Contributed]]:
    """The losses of other incidents that the faults of each incident contributed to."""
    of_root = {span.root_id: span.incident_id for span in root_spans}
    found: defaultdict[str | None, list[Contributed]] = defaultdict(list)
    for loss in losses:
        title = next((titles[root] for root in loss.root_ids or () if root in titles), None)
        own = dict.fromkeys(of_root.get(root) for root in loss.contributing_ids or ())
        for incident_id in own:
            if incident_id not in (None, loss.incident_id):
                found[incident_id].append(Contributed(loss, title))
    return found


def _after_losses(gaps: Iterable[SequenceGap], losses: Iterable[OpenLoss]) -> list[SequenceGap]:
    """The refused batches in partitions from which an incident had lost records by then."""
    lost = by_key(
        (one for one in losses if one.verdict in GONE_VERDICTS and one.ts is not None),
        lambda one: (one.topic, one.partition),
        lambda one: one.ts,
    )
    return [gap for gap in gaps if any(ts <= gap.ts for ts in lost[gap.topic, gap.partition])]


def _of_incidents(
    absences: Iterable[Absence], root_spans: Iterable[RootSpan], spans: Incidents
) -> defaultdict[str | None, list[Absence]]:
    """Times without an active controller by incident: that of the fault that ended the tenure, else the one of that time."""
    own = {span.root_id: span.incident_id for span in root_spans}
    return by_key(
        absences,
        lambda absence: (
            next((own[name] for name in absence.fault_ids if name in own), None)
            or spans.at(absence.from_high, AT_ONCE_MS)
        ),
    )


def _deposed_in(
    deposed: Iterable[Deposition], root_spans: Iterable[RootSpan], spans: Incidents
) -> defaultdict[str | None, list[Deposition]]:
    """Depositions by incident: that of the fault that had kept the voter away, else the one of that time. Without such a fault
    no line shows that the voter had been away.
    """
    own = {span.root_id: span.incident_id for span in root_spans}
    by_fault = [(one.fault.fault_id, one) for one in deposed if one.fault is not None]
    return by_key(by_fault, lambda pair: own.get(pair[0]) or spans.at(pair[1].ts, AT_ONCE_MS), lambda pair: pair[1])


def _releases_and_settings(
    releases: Sequence[NodeRelease], settings: Iterable[Setting], controllers: Sequence[Controller]
) -> dict[str, Any]:
    low, high = _releases_between(releases)
    return {"version_low": low, "version_high": high, "rebalance": auto_rebalance(settings, controllers, low)}


def _of_files(coverage: Collection[FileCoverage], limits: Iterable[Limit]) -> dict[str, Any]:
    return {
        "may_hide_losses": bool(hiding_losses(limits)),
        "last_ts": greatest(*[row.last_ts for row in coverage]),
        "deployment": deployment_of(row.layout for row in coverage),
    }


def _releases_between(releases: Sequence[NodeRelease]) -> tuple[int | None, int | None]:
    """The oldest and the newest release that nodes may have run. Nodes with an unknown newest release count only with
    their oldest one.
    """
    bounded = [row for row in releases if row.version_high not in (None, NEWEST)]
    low = least(*[row.version_low for row in bounded or releases])
    high = greatest(*[row.version_high for row in bounded], *[row.version_low for row in releases])
    return low, high if bounded else None


def _by_incident(rows: Iterable[Any]) -> dict[str | None, list[Any]]:
    """Rows by their incident; None has the rows without an incident."""
    return by_key(rows, lambda row: row.incident_id)


@dataclass(frozen=True)
class _RootsOf:
    """Roots made of conclusions: with their titles, faults and the statements of witnesses, each by id."""

    titles: Mapping[str, str]
    faults: Mapping[str, Fault]
    statements: Mapping[str, WitnessedFault]

    def by_part(self, conclusions: Sequence[Conclusion]) -> dict[str, Any]:
        """The faults of an incident by their role in it."""
        return {
            "roots": self.roots(conclusions),
            "contributing": self.contributing(conclusions),
            "deaths": self.followed(conclusions, CRASHES),
            "refusals": self.followed(conclusions, ("registration_refused",)),
        }

    def roots(self, conclusions: Iterable[Conclusion]) -> list[Root]:
        """The root causes and the benign faults, in their order."""
        found = [self._root(one) for one in conclusions if one.role in ("root_cause", "benign")]
        return sorted(found, key=lambda root: root.order)

    def contributing(self, conclusions: Iterable[Conclusion]) -> list[Root]:
        """The faults that made an incident worse, in time order."""
        found = [self._root(one) for one in conclusions if one.role == "contributing" and one.finding_id in self.faults]
        return sorted(found, key=lambda root: root.order)

    def followed(self, conclusions: Iterable[Conclusion], kinds: Collection[str]) -> list[Root]:
        """The faults of these kinds that follow from others."""
        effects = (one for one in conclusions if one.role not in ("root_cause", "benign"))
        of_faults = (Root(one, self.titles[one.finding_id], self.faults.get(one.finding_id)) for one in effects)
        return [root for root in of_faults if root.fault is not None and root.fault.kind in kinds]

    def _root(self, one: Conclusion) -> Root:
        root = Root(one, self.titles[one.finding_id], self.faults.get(one.finding_id))
        statement = self.statements.get(one.finding_id)
        if statement is None:
            return root
        return replace(
            root,
            witness=statement.by,
            is_dated_by_witness=statement.is_dated,
            is_contradicted=any(one["reason"] == "log_shows_a_shutdown" for one in statement.said or ()),
        )


def _row(incident: Incident, titles: Mapping[str, str], lines: Mapping[str, FaultLine]) -> IncidentSummary:
    """The record as a row of `INCIDENTS`."""
    root, heading = incident.root, words.title(incident)
    return IncidentSummary(
        incident_id=incident.incident_id,
        start_ts=incident.start_ts,
        end_ts=incident.end_ts,
        title=INCIDENT_TITLES.render(heading.reason, heading.arguments),
        told=words.what_happened(incident),
        severity=incident.severity,
        root_finding_id=None if root is None else root.finding.finding_id,
        broker_ids=incident.broker_ids,
        contributed_ids=incident.contributed_ids,
        t0_low=incident.t0_low,
        t0_high=incident.t0_high,
        is_over=incident.is_over,
        still=words.still(incident),
        afterwards=words.afterwards(incident),
        down=_down(incident),
        in_a_row=[{name: getattr(wait, name) for name in IN_A_ROW.names} for wait in incident.in_a_row],
        next_steps=next_steps(incident),
        proof=proof(incident, titles, lines),
        **_bounds("lasted", incident.lasted),
        **_bounds("detected", incident.detected),
        **_bounds("leaders", incident.leaders_back),
        **_bounds("isr_full", incident.isrs_full),
        **_bounds("no_controller", incident.without_controller),
        **_counts(incident),
        **_lost(incident),
        **_harm(incident),
    )


def _bounds(name: str, bounds: Bounds) -> dict[str, int | None]:
    return {f"{name}_low_ms": bounds.low_ms, f"{name}_high_ms": bounds.high_ms}


def _counts(incident: Incident) -> dict[str, Any]:
    times = incident.times
    return {
        "elections": incident.elections,
        "unclean_elections": incident.unclean_elections,
        "preferred_elections": incident.preferred_elections,
        "partitions_affected": incident.partitions_affected,
        "under_replicated_ms": None if times is None else times.under_replicated_ms,
        **{
            name: getattr(times, name, None) or 0
            for name in ("leader_epoch_bumps", "leaders_untold", "unserved_min_ms", "unserved_max_ms")
        },
    }


def _lost(incident: Incident) -> dict[str, Any]:
    return {
        "lost_offsets_min": incident.committed.low,
        "lost_offsets_max": incident.committed.high,
        "acked_possible_min": incident.uncommitted.discarded,
        "acked_possible_max": None if incident.is_inseparable else incident.uncommitted.high,
        "undetermined": incident.undetermined,
        "unanswered_offsets": incident.unanswered_offsets,
        "unanswered": words.unanswered(incident),
        "lost_committed": words.lost_committed(incident),
        "lost_uncommitted": words.lost_uncommitted(incident),
        "contributed_to": words.contributed_to(incident),
        "contributed_offsets": incident.contributed_offsets,
    }


def _harm(incident: Incident) -> dict[str, Any]:
    """The effects on clients, as `incident_harm` adds them up."""
    names = [name for name in INCIDENT_HARM.schema.names if name != "incident_id"]
    return {name: getattr(incident.harm, name, None) for name in names}


def _down(incident: Incident) -> list[dict[str, Any]]:
    """How long each topic was unavailable in the incident, the longest first."""
    shown = incident.known.rejected_topics
    waits = [
        {
            **_of_topic(topic, meanwhile),
            "acks_all_shown": topic in shown,
            "acks_all_led_high_ms": _of_leaders(rows),
        }
        for topic, rows in by_key(incident.down, lambda row: row.topic).items()
        if (meanwhile := [row for row in rows if row.what in MEANWHILE])
    ]
    return sorted(waits, key=lambda one: (-one["acks_all_low_ms"], -one["acks_all_high_ms"], one["topic"]))


def _of_leaders(rows: Iterable[TopicDowntime]) -> int:
    """How long writes to one topic waited at most, without clients of deposed leaders."""
    high_ms = {row.what: row.high_ms for row in rows}
    return least(high_ms.get(OF_LEADERS), high_ms.get("acks_all")) or 0


def _of_topic(topic: str, rows: Sequence[TopicDowntime]) -> dict[str, Any]:
    by_what = {row.what: row for row in rows}
    bounds = {
        f"{what}_{bound}_ms": getattr(by_what.get(what), f"{bound}_ms", None) or 0
        for what in ("acks_all", "acks_one", "reads")
        for bound in ("low", "high")
    }
    counts: dict[str, int] = {}
    for what in ("acks_all", "acks_one", "reads"):
        sure, possible = _names([row for row in rows if row.what == what])
        counts |= {f"{what}_partitions": len(sure or possible), f"{what}_may_partitions": len(possible)}
    sure, possible = _names(rows)
    is_open = any(row.is_open for row in rows)
    in_all = {"partitions": len(sure), "may_partitions": len(possible), "is_open": is_open}
    return {"topic": topic, **bounds, **counts, **in_all, **_times_and_ends(by_what), **_of_alike_partitions(by_what)}


def _of_alike_partitions(by_what: Mapping[str, TopicDowntime]) -> dict[str, Any]:
    """The partitions of a topic in groups that waited about as long as each other."""
    return {
        f"{what}_alike": [group._asdict() for group in alike_waits([by_what[what]])] if what in by_what else []
        for what in ("acks_all", "acks_one", "reads")
    }


def _times_and_ends(by_what: Mapping[str, TopicDowntime]) -> dict[str, Any]:
    """Of how many separate times each figure of a topic is the sum, whether it lasted as the logs ended, and whether it may be
    longer because no line shows its end, or none its begin.
    """
    whole = {what: row.but(may_last=row.may_last or row.begun_before) for what, row in by_what.items()}
    return {
        f"{what}_{name}": getattr(whole.get(what), name, None) or nothing
        for what in ("acks_all", "acks_one", "reads")
        for name, nothing in (("times", 0), ("sure_times", 0), ("is_open", False), ("may_last", False))
    }


def _names(rows: Sequence[TopicDowntime]) -> tuple[set[str], set[str]]:
    """The partitions that were certainly unavailable, and those that certainly or possibly were."""
    sure = {name for row in rows for name in row.partitions or ()}
    return sure, sure.union(name for row in rows for name in row.may_partitions or ())
