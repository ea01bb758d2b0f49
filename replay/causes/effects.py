"""Sums over the vertices of many partitions, for conclusions and metrics. One function makes the rows of one partition;
its `merge_` function adds up those of many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from replay.availability.outages import SESSION_LOST
from replay.causes.happenings import PASSING_MS
from replay.causes.incidents import AT_ONCE_MS, Incidents
from replay.causes.kept_from_copying import contributing
from replay.causes.names import epoch_name, loss_name
from replay.causes.partition_causes import ClusterGraph
from replay.causes.rules import CHANGES_OF_LEADER
from replay.facts.evidence import AT_MOST
from replay.facts.groups import by_key
from replay.facts.order import at_most, nulls_first
from replay.facts.times import first_known, greatest, known, millis
from replay.faults.shape import peers_of
from replay.tables.causes import (
    EFFECTS,
    Effect,
    EffectSum,
    Happening,
    LeadingBroker,
    OpenLoss,
    Reach,
    Root,
    Vertex,
)
from replay.tables.faults import Fault
from replay.tables.losses import LOSSES, OPEN_VERDICTS, Loss, came_before
from replay.tables.partitions import LeaderEpoch

LINES_KEPT = 3 * AT_MOST
LINES_OF_EACH, LINES_OF_MANY = 3, 2  # of what there is one for each partition in every failover, fewer


def reach(happenings: Iterable[Happening], roots: Iterable[Root]) -> list[Reach]:
    """The effects of each set of roots. The return of leadership to the preferred replica minutes later is not harm,
    and does not prolong the effects.
    """
    root_ids = {row.id: sorted(row.root_ids) for row in roots}
    return merge_reach(
        Reach(
            root_ids=root_ids[happening.id],
            last_ts=None if happening.kind == "election" and happening.by == "preferred" else happening.ts,
            count=1,
        )
        for happening in happenings
        if happening.id in root_ids
    )


def merge_reach(reach: Iterable[Reach]) -> list[Reach]:
    """One row for each set of roots."""
    alike = by_key(reach, lambda row: tuple(row.root_ids))
    return [
        Reach(
            root_ids=list(root_ids),
            last_ts=greatest(*(row.last_ts for row in rows)),
            count=sum(row.count for row in rows),
        )
        for root_ids, rows in sorted(alike.items())
    ]


def effect_sums(
    happenings: Iterable[Happening], vertices: Iterable[Vertex], roots: Iterable[Root]
) -> Iterator[EffectSum]:
    """One row per vertex, to be added up. Rows of `EFFECT_SUMS`."""
    incident_ids = {vertex.id: vertex.incident_id for vertex in vertices}
    root_ids = {row.id: row.root_ids for row in roots}
    for happening in happenings:
        yield _effect(happening, incident_ids.get(happening.id), root_ids.get(happening.id, []))


def _effect(happening: Happening, incident_id: str | None, root_ids: Sequence[str]) -> EffectSum:
    is_leaderless, has_ended = happening.kind == "leaderless", happening.end_ts is not None
    lasted_ms = millis(first_known(happening.end_ts, happening.ts), happening.ts)
    most = LINES_OF_MANY if happening.kind in ("leaderless", "election") else LINES_OF_EACH
    lines = list(happening.evidence or ())[:most]
    leaders = (happening.leader_id, happening.new_leader_id)
    return EffectSum(
        id=happening.id if happening.topic is None else None,
        kind=happening.kind,
        by=happening.by,
        node_id=happening.node_id,
        incident_id=incident_id,
        root_ids=root_ids,
        elected_from=happening.elected_from,
        is_other_leader=None if None in leaders else leaders[0] != leaders[1],
        is_return=happening.is_return,
        found_late=happening.found_late,
        is_open=is_leaderless and not has_ended,
        is_passing=is_leaderless and has_ended and lasted_ms is not None and lasted_ms < PASSING_MS,
        count=1,
        refused=_refused(happening),
        ts=happening.ts,
        last_ts=happening.ts,
        over_ts=happening.end_ts,
        sum_ms=lasted_ms,
        longest_ms=lasted_ms,
        partitions=known([happening.name]),
        first_id=happening.id,
        evidence=lines,
        evidence_ts=[happening.ts] * len(lines),
        of_each=[len(lines)] if lines else [],
    )


def _refused(happening: Happening) -> int | None:
    count = (happening.arguments or {}).get("count") if happening.kind == "writes_refused" else None
    return None if count is None else int(count)


def merge_effect_sums(effects: Iterable[EffectSum]) -> list[EffectSum]:
    """One row for all vertices of one kind that differ only in partition and time."""
    groups = by_key(effects, _alike)
    in_order = sorted(groups.items(), key=lambda group: nulls_first(*group[0]))
    return [_added_up(rows) for _, rows in in_order]


def _alike(effect: EffectSum) -> tuple[Any, ...]:
    """The values that vertices share if they are one row."""
    return (
        effect.id,
        effect.kind,
        effect.by,
        effect.node_id,
        effect.incident_id,
        tuple(effect.root_ids),
        effect.elected_from,
        effect.is_other_leader,
        effect.is_return,
        effect.is_open,
        effect.is_passing,
    )


def _added_up(effects: Sequence[EffectSum]) -> EffectSum:
    first = min(effects, key=lambda effect: (effect.ts is None, *nulls_first(effect.ts), effect.first_id))
    lines = _first_lines(effects)
    durations = known(effect.sum_ms for effect in effects)
    refused = known(effect.refused for effect in effects)
    return first.but(
        found_late=any(effect.found_late for effect in effects) or None,
        count=sum(effect.count for effect in effects),
        refused=sum(refused) if refused else None,
        last_ts=greatest(*(effect.last_ts for effect in effects)),
        over_ts=greatest(*(effect.over_ts for effect in effects)),
        sum_ms=sum(durations) if durations else None,
        longest_ms=greatest(*(effect.longest_ms for effect in effects)),
        partitions=sorted({name for effect in effects for name in effect.partitions}),
        evidence=[event for _, events in lines for event in events],
        evidence_ts=[ts for ts, events in lines for _ in events],
        of_each=[len(events) for _, events in lines],
    )


def _first_lines(effects: Iterable[EffectSum]) -> list[tuple[datetime | None, list[str]]]:
    """The lines of the first vertices, by vertex: as many vertices as have `LINES_KEPT` lines together, each with
    all of its lines.
    """
    of_each = sorted(
        (vertex for effect in effects for vertex in _lines_by_vertex(effect)),
        key=lambda vertex: nulls_first(*vertex),
    )
    kept, count = [], 0
    for ts, events in of_each:
        if count >= LINES_KEPT:
            break
        kept.append((ts, events))
        count += len(events)
    return kept


def _lines_by_vertex(effect: EffectSum) -> Iterator[tuple[datetime | None, list[str]]]:
    at = 0
    for size in effect.of_each:
        yield effect.evidence_ts[at], list(effect.evidence[at : at + size])
        at += size


def effects(effect_sums: Iterable[EffectSum]) -> list[Effect]:
    """The vertices, those of partitions summed; the first `LINES_KEPT` lines of each row prove it."""
    names = EFFECTS.schema.names
    rows = (Effect(**{name: getattr(row, name) for name in names}) for row in effect_sums)
    return [row.but(evidence=row.evidence[:LINES_KEPT], evidence_ts=row.evidence_ts[:LINES_KEPT]) for row in rows]


def placed_losses(
    ledger: Sequence[Loss],
    vertices: Iterable[Vertex],
    incident_index: Incidents,
    faults: Sequence[Fault],
    roots: Iterable[Root] = (),
    cluster_graph: ClusterGraph | None = None,
) -> list[Loss]:
    """The ledger, each row with its incident and with the faults that contributed to it. The incident is that of the
    loss itself, else of its election, else of its time; a change before the first line about a leader has none. Records
    that a leader accepted while it was cut off from its followers, and that these lack, were written after the cut
    began.
    """
    if not ledger:
        return []
    named = {vertex.id: vertex.incident_id for vertex in vertices if vertex.kind in ("loss", *CHANGES_OF_LEADER)}
    cuts = [
        one
        for one in faults
        if one.kind in ("cut_from_peers", *SESSION_LOST) and one.began_low is not None and peers_of(one)
    ]
    placed = [_since_the_cut(_placed_loss(loss, named, incident_index), cuts) for loss in ledger]
    own = {row.id: row.root_ids or () for row in roots}
    of_faults = {} if cluster_graph is None else cluster_graph.roots
    return [
        loss.but(contributing_ids=contributing(loss, faults, of_faults, own.get(loss_name(loss), ())) or None)
        for loss in placed
    ]


def _since_the_cut(loss: Loss, cuts: Iterable[Fault]) -> Loss:
    if loss.loss_class == "committed":
        return loss
    began = [
        cut.began_low
        for cut in cuts
        if cut.broker_id == loss.old_leader_id
        and loss.new_leader_id in peers_of(cut)
        and at_most(cut.began_low, loss.ts)
        and at_most(loss.ts, first_known(cut.ended_high, cut.end_ts, loss.ts))
    ]
    low = greatest(loss.written_low, *began)
    return loss if low is None else loss.but(written_low=low, written_high=_not_before(low, loss.written_high))


def _not_before(low: datetime, high: datetime | None) -> datetime | None:
    return None if high is None else max(low, high)


def _placed_loss(loss: Loss, named: Mapping[str, str | None], incident_index: Incidents) -> Loss:
    if came_before(loss):
        return loss
    incident_id = first_known(named.get(loss_name(loss)), named.get(epoch_name("election", loss)))
    return loss.but(incident_id=incident_id or incident_index.at(loss.ts, AT_ONCE_MS))


def open_losses(placed_losses: Iterable[Loss], roots: Iterable[Root]) -> list[OpenLoss]:
    """The rows of the ledger with certain or possible losses."""
    root_ids = {row.id: row.root_ids for row in roots}
    return [_open_loss(loss, root_ids) for loss in placed_losses if loss.verdict in OPEN_VERDICTS]


def _open_loss(loss: Loss, root_ids: Mapping[str, Sequence[str]]) -> OpenLoss:
    return OpenLoss(
        **{name: getattr(loss, name) for name in LOSSES.schema.names},
        root_ids=root_ids.get(loss_name(loss)),
        election_root_ids=root_ids.get(epoch_name("election", loss)),
    )


def leading_brokers(leader_epochs: Iterable[LeaderEpoch]) -> list[LeadingBroker]:
    """The brokers that led a partition."""
    return merge_leading_brokers(
        LeadingBroker(broker_id=epoch.leader_id)
        for epoch in leader_epochs
        if epoch.leader_id is not None and epoch.leader_id >= 0
    )


def merge_leading_brokers(leading_brokers: Iterable[LeadingBroker]) -> list[LeadingBroker]:
    """One row for each broker."""
    return [LeadingBroker(broker_id=id_) for id_ in sorted({row.broker_id for row in leading_brokers})]
