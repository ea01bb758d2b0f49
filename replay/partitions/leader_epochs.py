"""State observations -> each partition's leader epochs, one after the other in the order of their numbers, never of
clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from replay.facts.evidence import earliest, joined
from replay.facts.groups import grouped
from replay.facts.order import at_most
from replay.facts.times import greatest, least, millis
from replay.facts.window import TimeWindow
from replay.partitions.assignments import Assigned
from replay.partitions.broker_moves import BrokerMove, BrokerMoves
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import TRUST, best_known, first_stated
from replay.partitions.state_reports import LATE_WITNESSES
from replay.tables.partitions import Assignment, DatedLeaderEpoch, PartitionState, PartitionStateReport

ELECTED_UNFENCED_MS = 5_000  # an unfenced broker has read of its election within this: it had caught up before


def dated_leader_epochs(
    partition_state_reports: Sequence[PartitionStateReport],
    partition_states: Sequence[PartitionState],
    assignments: Sequence[Assignment],
    lives: TopicLives,
    broker_moves: BrokerMoves,
    window: TimeWindow,
) -> list[DatedLeaderEpoch]:
    """The leader epochs that reach into the window, ended with their topic, and dated also by lines that do not name
    the partition.
    """
    by_life = grouped(partition_state_reports, lambda report: report.life)
    states = grouped(partition_states, lambda state: state.life)
    assigned = Assigned(assignments)
    return [
        epoch
        for life in sorted(by_life)
        for epoch in dated_by_others(
            begun_with_states(ended_with_topic(leader_epochs(by_life[life]), lives), states.get(life, ())),
            states.get(life, ()),
            assigned,
            broker_moves,
        )
        if window.is_reached_by(epoch.end_ts)
    ]


def leader_epochs(reports: Iterable[PartitionStateReport]) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life of a partition, in order; the last stays open.

    An epoch is `observed` if its leader or a controller logged its begin, else `inferred` (it began before its first
    mention). An epoch with only a known number ends the one before it and has no row: `next_leader_epoch` is the next
    mentioned number, `next_witness` the best witness of it.
    """
    of_epochs = grouped((report for report in reports if report.ts is not None), lambda report: report.leader_epoch)
    epochs = [_epoch(of_epochs[number], of_epochs) for number in sorted(of_epochs)]
    return [epoch for epoch in epochs if epoch.leader_id is not None or epoch.epoch_start_offset is not None]


def _best_witness(reports: Iterable[PartitionStateReport]) -> str:
    return min((report.witness for report in reports), key=TRUST.__getitem__)


def _epoch(
    reports: Sequence[PartitionStateReport], of_epochs: Mapping[int, Sequence[PartitionStateReport]]
) -> DatedLeaderEpoch:
    """One leader epoch, from all observations of it; it ends when the next one in any line begins."""
    first = reports[0]
    following = of_epochs.get(first.next_leader_epoch)
    fresh = [(report.ts, report.epoch_start_offset) for report in reports if report.epoch_start_offset is not None]
    leader_ts, start_offset = min(fresh, default=(None, None))
    seen = any(report.born and report.witness not in LATE_WITNESSES for report in reports)
    return DatedLeaderEpoch(
        topic=first.topic,
        life=first.life,
        partition=first.partition,
        leader_epoch=first.leader_epoch,
        topic_id=greatest(*[report.topic_id for report in reports]),
        leader_id=best_known(reports, "leader_id"),
        epoch_start_offset=start_offset,
        leader_ts=leader_ts,
        start_ts=first_stated(reports),
        confidence="observed" if seen else "inferred",
        evidence=earliest((report.ts, report.event_id) for report in reports),
        end_ts=first_stated(following) if following else None,
        next_leader_epoch=first.next_leader_epoch,
        next_witness=_best_witness(following) if following else None,
    )


def ended_with_topic(epochs: Sequence[DatedLeaderEpoch], lives: TopicLives) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life; the last one ends when its topic was deleted."""
    return [
        epoch if epoch.end_ts is not None else epoch.but(end_ts=lives.end(epoch.topic, epoch.life)) for epoch in epochs
    ]


def begun_with_states(epochs: Sequence[DatedLeaderEpoch], states: Iterable[PartitionState]) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life, none later than its first state, which may be dated by the controller's decision."""
    first: dict[int, PartitionState] = {}
    for state in states:
        so_far = first.get(state.leader_epoch)
        if so_far is None or state.ts < so_far.ts:
            first[state.leader_epoch] = state
    begun = []
    for epoch in epochs:
        own, then = first.get(epoch.leader_epoch), first.get(epoch.next_leader_epoch)
        if own is not None and own.ts < epoch.start_ts:
            epoch = epoch.but(start_ts=own.ts, evidence=joined(own.evidence[:2], epoch.evidence))
        if then is not None and epoch.end_ts is not None and then.ts < epoch.end_ts:
            epoch = epoch.but(end_ts=then.ts)
        begun.append(epoch)
    return begun


def dated_by_others(
    epochs: Sequence[DatedLeaderEpoch], states: Sequence[PartitionState], assigned: Assigned, broker_moves: BrokerMoves
) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life, with start times from lines that do not name the partition.

    A KRaft controller logs that it fenced a broker, or granted its stop, but not which partitions lost their leader
    (facts §1.8). So the next leader epoch begins when the controller removed the leader, not when brokers applied that.
    A preferred election begins when the controller's periodic task wrote its records, likewise. A time without a leader
    that only returning brokers log begins when the leader before it left the cluster; where leader epochs in between
    are not logged, at the decision after which no member of the ISR could lead. It ends when the controller unfences
    the broker that leads next: the controller then elects leaders for all partitions without one
    (`ReplicationControlManager.handleBrokerUnfenced`), and the broker logs that when it has read it. A first leader
    epoch that is named only when the next one begins had begun before the logs.
    """
    pairs = zip((None, *epochs), epochs, strict=False)
    moves = [_move(before, epoch, states, assigned, broker_moves) for before, epoch in pairs]
    dated = [
        epoch.but(
            start_ts=move.ts if move is not None else epoch.start_ts,
            evidence=joined([move.event_id, move.decision], epoch.evidence) if move is not None else epoch.evidence,
            end_ts=next_move.ts if next_move is not None else epoch.end_ts,
        )
        if move is not None or next_move is not None
        else epoch
        for epoch, move, next_move in zip(epochs, moves, (*moves[1:], None), strict=False)
    ]
    if dated and dated[0].confidence == "inferred" and at_most(dated[0].end_ts, dated[0].start_ts):
        dated[0] = dated[0].but(start_ts=least(broker_moves.logs_begin, dated[0].end_ts))
    return dated


def _move(
    before: DatedLeaderEpoch | None,
    epoch: DatedLeaderEpoch,
    states: Sequence[PartitionState],
    assigned: Assigned,
    broker_moves: BrokerMoves,
) -> BrokerMove | None:
    """The line about a broker that left or returned, with which a leader epoch began; None if there is none."""
    if before is None:
        return None
    if before.leader_epoch != epoch.leader_epoch - 1:
        isr = _last_isr(before, states) if epoch.leader_id == -1 and epoch.confidence == "inferred" else ()
        return broker_moves.all_removed_before(isr, before.start_ts, epoch.start_ts)
    if epoch.leader_id == -1 and epoch.confidence == "inferred":
        return broker_moves.first_left(before.leader_id, before.start_ts, epoch.start_ts)
    if before.leader_id is not None and before.leader_id >= 0 and epoch.leader_id not in (None, before.leader_id):
        removed = broker_moves.removed_before(before.leader_id, before.start_ts, epoch.start_ts)
        return removed or _preferred_election(before, epoch, assigned, broker_moves)
    if before.leader_id == -1 and epoch.leader_id is not None and epoch.leader_id >= 0:
        came = broker_moves.last_unfenced(epoch.leader_id, before.start_ts, epoch.start_ts)
        late_ms = millis(epoch.start_ts, came.ts) if came is not None else None
        return came if at_most(late_ms, ELECTED_UNFENCED_MS) else None
    return None


def _preferred_election(
    before: DatedLeaderEpoch, epoch: DatedLeaderEpoch, assigned: Assigned, broker_moves: BrokerMoves
) -> BrokerMove | None:
    """The KRaft controller's own preferred election in which the leader, the first of the replicas, was elected."""
    if epoch.leader_id != assigned.preferred_at(epoch.start_ts):
        return None
    return broker_moves.preferred_before(before.start_ts, epoch.start_ts)


def _last_isr(epoch: DatedLeaderEpoch, states: Iterable[PartitionState]) -> Sequence[int]:
    """The last known ISR of a leader epoch; empty if none is known."""
    own = [state for state in states if state.leader_epoch == epoch.leader_epoch and state.isr is not None]
    return max(own, key=lambda state: (state.state_order, state.ts)).isr if own else ()
