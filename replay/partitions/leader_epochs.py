"""The leader epochs of a partition (`replay.timelines.leader_epochs`), dated also by lines that do not name it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.facts.order import at_most
from replay.facts.times import known, least, millis
from replay.facts.window import TimeWindow
from replay.partitions.absences import NO_ABSENCES, Absences, is_missed
from replay.partitions.assignments import Assigned
from replay.partitions.broker_moves import BrokerMove, BrokerMoves
from replay.partitions.fetchers import FETCHES, Fetchers, dated_by_fetchers
from replay.partitions.lives import TopicLives
from replay.partitions.state_reports import BEGINS, REPLAYED_CREATIONS
from replay.partitions.unnumbered_epochs import with_leaderless
from replay.tables.offsets import FetcherStop
from replay.tables.partitions import (
    Assignment,
    DatedLeaderEpoch,
    PartitionState,
    PartitionStateReport,
    StatedLeaderEpoch,
)
from replay.tables.reading import Event

ELECTED_UNFENCED_MS = 5_000  # an unfenced broker has read of its election within this: it had caught up before


def dated_leader_epochs(
    stated_leader_epochs: Sequence[StatedLeaderEpoch],
    partition_states: Sequence[PartitionState],
    assignments: Sequence[Assignment],
    lives: TopicLives,
    broker_moves: BrokerMoves,
    window: TimeWindow,
    partition_state_reports: Sequence[PartitionStateReport] = (),
    fetcher_stops: Sequence[FetcherStop] = (),
    partition_events: Sequence[Event] = (),
    absences: Absences = NO_ABSENCES,
) -> list[DatedLeaderEpoch]:
    """The leader epochs that reach into the window, ended with their topic, and dated also by lines that do not name
    the partition. Where only followers' fetches name them, the stops of fetchers date them.
    """
    by_fetches = all(report.kind == FETCHES for report in partition_state_reports)
    stops = grouped(fetcher_stops if by_fetches else (), lambda one: lives.life(one.topic, one.ts))
    reports = grouped(partition_state_reports, lambda report: report.life)
    by_life = grouped(stated_leader_epochs, lambda epoch: epoch.life)
    states = grouped(partition_states, lambda state: state.life)
    assigned = Assigned(assignments)
    dated: list[DatedLeaderEpoch] = []
    for life in sorted(by_life):
        own, own_states = reports.get(life, ()), states.get(life, ())
        named = begun_with_states(ended_with_topic(_in_order(by_life[life]), lives), own_states)
        late = learnt_late(found_late(named, own), own, absences, broker_moves)
        begun = seen_created(late, own, broker_moves)
        every = with_leaderless(begun, own, partition_events, lives)
        applied = dated_by_others(held_as_applied(every, own, broker_moves), own_states, assigned, broker_moves)
        fetchers = Fetchers.of(own, stops.get(life, ()), partition_events, broker_moves.stopping)
        dated += dated_by_fetchers(applied, fetchers)
    return [epoch for epoch in dated if window.is_reached_by(epoch.end_ts)]


def _in_order(epochs: Iterable[StatedLeaderEpoch]) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life, by their numbers."""
    in_order = sorted(epochs, key=lambda epoch: epoch.leader_epoch)
    return [DatedLeaderEpoch(*[getattr(epoch, name) for name in DatedLeaderEpoch._names]) for epoch in in_order]


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


def found_late(epochs: Sequence[DatedLeaderEpoch], reports: Sequence[PartitionStateReport]) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life. One that only a broker without a role before names first had begun before that line:
    a broker that started takes on its roles of leader epochs that can be of any age.
    """
    first: dict[int | None, PartitionStateReport] = {}
    for report in reports:
        so_far = first.get(report.leader_epoch)
        if report.ts is not None and (so_far is None or report.ts < so_far.ts):
            first[report.leader_epoch] = report
    return [
        epoch.but(begun_before=True)
        if epoch.confidence == "inferred" and _is_new(first.get(epoch.leader_epoch))
        else epoch
        for epoch in epochs
    ]


def learnt_late(
    epochs: Sequence[DatedLeaderEpoch],
    reports: Iterable[PartitionStateReport],
    absences: Absences,
    broker_moves: BrokerMoves,
) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life. One that only a broker back from an absence names first had begun before that
    line: a broker that was frozen or cut off learns at once of all that it missed.
    """
    if not absences.of_broker:
        return [*epochs]
    of_epochs = grouped((one for one in reports if one.ts is not None), lambda one: one.leader_epoch)
    return [
        epoch.but(begun_before=True, confidence="inferred")
        if is_missed(of_epochs.get(epoch.leader_epoch, ()), absences, broker_moves)
        else epoch
        for epoch in epochs
    ]


def seen_created(
    epochs: Sequence[DatedLeaderEpoch], reports: Iterable[PartitionStateReport], broker_moves: BrokerMoves
) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life. The first one of a partition that the active controller created in its logs was observed
    to begin, also without its leader's lines.
    """
    created = [
        report.ts
        for report in reports
        if report.kind in REPLAYED_CREATIONS and broker_moves.was_active(report.node_id, report.ts)
    ]
    return [
        epoch.but(confidence="observed", begun_before=None)
        if epoch.leader_epoch == 0 and epoch.start_ts in created
        else epoch
        for epoch in epochs
    ]


def _is_new(report: PartitionStateReport | None) -> bool:
    """Whether a broker takes on a role without a previous one in an earlier leader epoch."""
    return report is not None and report.kind in BEGINS and report.born is False


def held_as_applied(
    epochs: Sequence[DatedLeaderEpoch], reports: Iterable[PartitionStateReport], broker_moves: BrokerMoves
) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life. A first one that is only found under way held when the broker that names it first began
    to apply its image or request: the broker logs the partitions of it one after the other.
    """
    if not epochs or epochs[0].confidence == "observed":
        return [*epochs]
    first = epochs[0]
    nodes = {one.node_id for one in reports if one.ts == first.start_ts and one.leader_epoch == first.leader_epoch}
    applied = [broker_moves.applied_with(node, first.start_ts) for node in sorted(known(nodes))]
    start_ts = least(first.start_ts, *(move.ts for move in applied if move is not None))
    return [first.but(start_ts=start_ts), *epochs[1:]]


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
            begun_before=None if move is not None else epoch.begun_before,
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
