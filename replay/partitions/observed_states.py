"""State observations -> the distinct states of a partition in order, and its eligible leader replicas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from replay.facts.evidence import earliest, joined
from replay.facts.groups import by_key, grouped
from replay.facts.order import less
from replay.facts.times import first_known, greatest, known, least
from replay.partitions.broker_moves import REASSIGNMENT_COMPLETED, BrokerMove, BrokerMoves, only_before
from replay.partitions.fenced_members import REMOVAL, with_removals
from replay.partitions.fetchers import isrs_of_fetched_leaders
from replay.partitions.lives import NO_LIVES, TopicLives
from replay.tables.brokers import BrokerSession
from replay.tables.offsets import FetcherStop
from replay.tables.partitions import EligibleLeader, PartitionState, PartitionStateReport
from replay.tables.reading import Event

# The witnesses of a state, most trusted first: if two disagree, the first counts.
WITNESSES = ("record", "znode", "decision", "commit", "leader", "follower", "request", "intent", REMOVAL)
TRUST = {witness: rank for rank, witness in enumerate(WITNESSES)}


# Brokers that apply a controller's decision.
_APPLIED = ("leader", "follower")


def partition_states(
    partition_state_reports: Sequence[PartitionStateReport],
    broker_moves: BrokerMoves,
    partition_events: Sequence[Event] = (),
    fetcher_stops: Sequence[FetcherStop] = (),
    lives: TopicLives = NO_LIVES,
) -> list[PartitionState]:
    """One row per distinct state that a line shows, completely or in part, or that began when a controller removed a
    broker.

    `ts` is when it was decided, or else first logged, `witness` its best witness. States of one leader epoch are in the
    order of their partition epochs, if lines print them.
    """
    whole = [report for report in partition_state_reports if report.isr is not None and report.ts is not None]
    whole += isrs_of_fetched_leaders(
        partition_state_reports, fetcher_stops, partition_events, lives, broker_moves.stopping
    )
    of_epochs = grouped(whole, lambda report: (report.life, report.leader_epoch))
    found = [state for reports in of_epochs.values() for state in _states_of_epoch(reports)]
    completed = _completions(partition_events)
    if not (broker_moves.removed or broker_moves.reassigned or completed):
        return found
    of_lives = grouped(found, lambda state: state.life)
    own_reports = grouped(partition_state_reports, lambda report: report.life)
    return [
        state
        for life, own in of_lives.items()
        for state in _as_decided(
            with_removals(in_state_order(own), own_reports.get(life, ()), broker_moves), broker_moves, completed
        )
    ]


def _completions(partition_events: Iterable[Event]) -> list[BrokerMove]:
    """The lines in which a KRaft controller completed a reassignment of the partition."""
    events = [event for event in partition_events if event.kind in REASSIGNMENT_COMPLETED and event.ts is not None]
    return sorted((BrokerMove(one.ts, one.event_id) for one in events), key=lambda move: (move.ts, move.event_id))


def _as_decided(
    states: Sequence[PartitionState], broker_moves: BrokerMoves, completed: Sequence[BrokerMove]
) -> Iterator[PartitionState]:
    """The states of one life in their order, dated by the decision where a KRaft controller removed brokers from an ISR, or
    replicas by a reassignment.

    The controller logs whom it fenced or let stop, and how many partitions it changed, but not which (facts §1.8); the
    brokers log the partitions when they apply the change. A change that the leader asked for is logged by the leader.
    """
    before: PartitionState | None = None
    for state in states:
        moves = _removals(before, state, broker_moves, completed) if before is not None else []
        if moves:
            last = max(moves, key=lambda move: move.ts)
            state = state.but(
                ts=last.ts, evidence=joined(state.evidence[:1], [last.event_id, last.decision], state.evidence[1:])
            )
        yield state
        before = state


def _removals(
    before: PartitionState, state: PartitionState, broker_moves: BrokerMoves, completed: Sequence[BrokerMove]
) -> list[BrokerMove]:
    """The decisions with which the brokers left that are missing in an ISR; none where one of them is not known. A reassignment
    that removes replicas begins a leader epoch (`PartitionChangeBuilder`).
    """
    removed, added = set(before.isr) - set(state.isr), set(state.isr) - set(before.isr)
    is_next = 0 <= state.leader_epoch - before.leader_epoch <= 1
    if not (is_next and removed) or state.witness not in _APPLIED:
        return []
    moves = [] if added else [broker_moves.removed_before(broker, before.ts, state.ts) for broker in removed]
    if moves and None not in moves:
        return known(moves)
    if any(moves) or state.leader_epoch == before.leader_epoch:
        return []
    move = only_before(completed, before.ts, state.ts)
    if move is None and not added:
        move = broker_moves.reassigned_before(before.ts, state.ts)
    return known([move])


def best_known(reports: Iterable[PartitionStateReport], name: str) -> Any:
    """The value of a column from the most trusted observation that has one; among equals from the first."""
    having = [report for report in reports if getattr(report, name) is not None]
    if not having:
        return None
    return getattr(min(having, key=lambda report: (TRUST[report.witness], report.ts, report.event_id)), name)


def first_stated(reports: Sequence[PartitionStateReport]) -> datetime:
    """The time in the metadata log, else of the first line."""
    recorded = [report.ts for report in reports if report.witness == "record"]
    first: datetime = min(recorded or [report.ts for report in reports])
    return first


@dataclass(frozen=True)
class _Draft:
    """A state without a position yet; `visit` counts the announcements of a leader before 2.4."""

    row: PartitionState
    isr: tuple[int, ...]
    visit: int | None


def _states_of_epoch(reports: Sequence[PartitionStateReport]) -> Iterator[PartitionState]:
    groups = grouped(reports, lambda report: (report.partition_epoch, tuple(report.isr), report.visit))
    drafts = [_Draft(_state(own), isr, visit) for (_, isr, visit), own in groups.items()]
    if len(drafts) > 1:
        drafts = _placed_in_time(drafts)
    drafts.sort(key=lambda d: (d.row.ts, d.row.partition_epoch is None, d.row.partition_epoch))
    highest: int | None = None
    for draft in drafts:
        highest = greatest(highest, draft.row.partition_epoch)
        place = first_known(draft.row.partition_epoch, highest, -1)
        yield draft.row.but(state_order=place)


def _state(reports: Sequence[PartitionStateReport]) -> PartitionState:
    """One state, from all observations of it."""
    first = reports[0]
    recovering = [report.recovering for report in reports if report.recovering is not None]
    return PartitionState(
        topic=first.topic,
        life=first.life,
        partition=first.partition,
        leader_epoch=first.leader_epoch,
        partition_epoch=first.partition_epoch,
        isr=first.isr,
        topic_id=greatest(*[report.topic_id for report in reports]),
        leader_id=best_known(reports, "leader_id"),
        replicas=best_known(reports, "replicas"),
        elr=best_known(reports, "elr"),
        last_known_elr=best_known(reports, "last_known_elr"),
        recovering=any(recovering) if recovering else None,
        witness=min((report.witness for report in reports), key=TRUST.__getitem__),
        ts=first_stated(reports),
        evidence=earliest((report.ts, report.event_id) for report in reports),
        state_order=-1,
    )


def _placed_in_time(drafts: Sequence[_Draft]) -> list[_Draft]:
    """The states of one leader epoch without those that another one describes better, each with the time of its first
    line.
    """
    numbered = [draft for draft in drafts if draft.row.partition_epoch is not None]
    unnumbered = [draft for draft in drafts if draft.row.partition_epoch is None]
    numbered_ts = _ts_by_isr(numbered, max)
    unnumbered_ts = _ts_by_isr(unnumbered, min)
    decided_ts = _ts_by_isr([draft for draft in unnumbered if draft.row.witness == "decision"], min)
    announced_before = _announced_before(drafts)
    least_number: dict[tuple[int, ...], int] = {}
    for draft in numbered:
        number = draft.row.partition_epoch
        least_number[draft.isr] = min(number, least_number.get(draft.isr, number))
    placed = [
        draft
        for draft in unnumbered
        if not _is_stated_better(numbered_ts.get(draft.isr), announced_before.get(draft.visit))
    ]
    followed_ts: datetime | None = None
    by_number = grouped(numbered, lambda draft: draft.row.partition_epoch)
    for number in sorted(by_number):
        for draft in by_number[number]:
            repeats = draft.row.witness == "request"
            if repeats and number > least_number[draft.isr]:
                draft = _dated_as_first_stated(draft, _returned_ts(draft, unnumbered, followed_ts), followed_ts)
            elif repeats and followed_ts is None:
                draft = _dated_as_decided(draft, decided_ts.get(draft.isr))
            elif repeats:
                draft = _dated_as_first_stated(draft, unnumbered_ts.get(draft.isr), followed_ts)
            placed.append(draft)
        followed_ts = greatest(followed_ts, *[draft.row.ts for draft in by_number[number]])
    return placed


def _returned_ts(draft: _Draft, unnumbered: Iterable[_Draft], followed_ts: datetime | None) -> datetime | None:
    """When the leader last announced that it returns to this ISR, after the state before it and before a request repeats
    it.
    """
    announced = (one.row.ts for one in unnumbered if one.visit is not None and one.isr == draft.isr)
    return greatest(*(ts for ts in announced if less(followed_ts, ts) and less(ts, draft.row.ts)))


def _ts_by_isr(drafts: Iterable[_Draft], choose: Callable[..., Any]) -> dict[tuple[int, ...], datetime]:
    return {isr: choose(d.row.ts for d in own) for isr, own in grouped(drafts, lambda d: d.isr).items()}


def _announced_before(drafts: Sequence[_Draft]) -> dict[int | None, datetime]:
    """For an ISR to which its leader returned: when the ISR before was announced, by visit."""
    announced = sorted({(draft.visit, draft.row.ts) for draft in drafts if draft.visit is not None})
    return {visit: before_ts for (before, before_ts), (visit, _) in pairwise(announced) if visit > before}


def _is_stated_better(numbered_ts: datetime | None, in_between_ts: datetime | None) -> bool:
    """Whether a state without a partition epoch is the same as one with it: equal ISR, and not an earlier visit."""
    return numbered_ts is not None and (in_between_ts is None or numbered_ts >= in_between_ts)


def _dated_as_first_stated(draft: _Draft, unnumbered_ts: datetime | None, followed_ts: datetime | None) -> _Draft:
    """For a state that a request repeats with its partition epoch: the time at which the leader that changed the ISR
    logged it, but not before the state that it followed.
    """
    if not less(followed_ts, unnumbered_ts):
        return draft
    return _Draft(draft.row.but(ts=least(draft.row.ts, unnumbered_ts)), draft.isr, draft.visit)


def _dated_as_decided(draft: _Draft, decided_ts: datetime | None) -> _Draft:
    """The first state of a leader epoch, which a request repeats with its partition epoch: up to 1.0 the controller logs
    its election without one.
    """
    return _Draft(draft.row.but(ts=least(draft.row.ts, decided_ts)), draft.isr, draft.visit)


def in_state_order(rows: Iterable[Any]) -> list[Any]:
    """The states of one life of a partition: by leader epoch, then partition epoch, then time."""
    return sorted(rows, key=lambda row: (row.leader_epoch, row.state_order, row.ts))


def eligible_leaders(
    partition_states: Sequence[PartitionState], recorded_sessions: Iterable[BrokerSession] = ()
) -> list[EligibleLeader]:
    """The ELRs, each until the next logged state, with or without an ELR.

    The last member of an ISR is in the ELR from its end on, until it registers again after an unclean stop (KIP-966).
    """
    if not any(state.elr or state.last_known_elr for state in partition_states):
        return []
    by_life = grouped(partition_states, lambda state: state.life)
    registered = by_key(
        (one for one in recorded_sessions if one.start_ts is not None),
        lambda one: one.broker_id,
        lambda one: one.start_ts,
    )
    return [row for life in sorted(by_life) for row in _eligible_in_life(in_state_order(by_life[life]), registered)]


def _eligible_in_life(
    states: Sequence[PartitionState], registered: Mapping[int, Sequence[datetime]]
) -> Iterator[EligibleLeader]:
    news = [
        state
        for before, state in zip([None, *states], states, strict=False)
        if before is None or (before.elr, before.last_known_elr) != (state.elr, state.last_known_elr)
    ]
    for state, after in zip(news, [*news[1:], None], strict=True):
        if state.elr or state.last_known_elr:
            left_ts = _left_the_elr(state, after, registered)
            row = EligibleLeader(
                topic=state.topic,
                topic_id=state.topic_id,
                partition=state.partition,
                leader_epoch=state.leader_epoch,
                partition_epoch=state.partition_epoch,
                leader_id=state.leader_id,
                isr=state.isr,
                elr=state.elr,
                last_known_elr=state.last_known_elr,
                start_ts=left_ts,
                end_ts=after.ts if after is not None else None,
                evidence=state.evidence,
            )
            if state.ts < left_ts:
                yield row.but(partition_epoch=None, elr=state.last_known_elr[:1], start_ts=state.ts, end_ts=left_ts)
            yield row


def _left_the_elr(
    state: PartitionState, after: PartitionState | None, registered: Mapping[int, Sequence[datetime]]
) -> datetime:
    """When a state began: without a leader and an ELR, as the last known leader registered again; it had been in the ELR."""
    if state.leader_id != -1 or state.elr or not state.last_known_elr or after is None:
        return state.ts
    times = registered.get(state.last_known_elr[0], ())
    return max((ts for ts in times if less(state.ts, ts) and less(ts, after.ts)), default=state.ts)
