"""Distinct states and leader epochs -> the states with an ISR; and each partition's committed ISRs, from the spans that
`replay.timelines.isr_spans` makes of these states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from replay.facts.controllers import KRAFT
from replay.facts.features import empties_isrs
from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail, ids
from replay.facts.order import nulls_first
from replay.facts.releases import version_number
from replay.facts.times import first_known
from replay.facts.window import TimeWindow
from replay.partitions.absences import NO_ABSENCES, Absences, is_missed
from replay.partitions.assignments import Assigned
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.fenced_members import REMOVAL
from replay.partitions.fetchers import ISR_INTENTS, ISR_UPDATED
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import in_state_order
from replay.tables.brokers import Controller, NodeRelease
from replay.tables.control_plane import FeatureLevel
from replay.tables.partitions import (
    COMMITTED_ISRS,
    Assignment,
    CommittedIsr,
    DatedLeaderEpoch,
    IsrSpan,
    IsrState,
    LaidIsr,
    PartitionState,
    PartitionStateReport,
    TopicSetting,
)
from replay.tables.reading import Event

PASSING_MS = 1_000  # a leaderless state shorter than this is one controller action in two writes (facts, §8 trap 22)
ISR_COMMITTED = (ISR_UPDATED, *ISR_INTENTS)  # a leader's own write to ZooKeeper is its intent
ISR_REFUSED = ("isr_update_zk_version_conflict",)
_INFERRED = ("intent", REMOVAL)  # the witnesses of states that no line states as committed
ISR_ANSWERS = (*ISR_COMMITTED, *ISR_REFUSED)  # lines of a leader about a change of the ISR, and its end


def isr_states(
    partition_states: Sequence[PartitionState],
    dated_leader_epochs: Sequence[DatedLeaderEpoch],
    releases: Sequence[NodeRelease],
    controllers: Sequence[Controller],
    feature_levels: Sequence[FeatureLevel],
    topic_settings: Sequence[TopicSetting],
) -> list[IsrState]:
    """The states of one partition that have an ISR, in order, as `replay.timelines.isr_spans` reads them.

    A leader epoch without a leader whose ISR no line prints keeps the last member of the ISR before it (facts §1.2), or has
    the ISR with which the next leader begins, as `inferred`. From 4.0 on it does not keep the last member, because there
    an ISR may be empty (KIP-966).
    """
    epochs = grouped(dated_leader_epochs, lambda epoch: epoch.life)
    states = grouped(partition_states, lambda state: state.life)
    keeps_last_member = not any(row.version_low >= version_number("4.0.0") for row in releases)
    kept = _kept_until_elected(dated_leader_epochs, partition_states, topic_settings)
    if kept and ({row.mode for row in controllers} != {KRAFT} or empties_isrs(releases, feature_levels) is not False):
        kept = []
    kept_of = grouped(kept, lambda isr: isr.life)
    return [
        state
        for life in sorted({*epochs, *states})
        for state in _states_of_life(
            states.get(life, ()), epochs.get(life, ()), kept_of.get(life, ()), keeps_last_member
        )
    ]


def _states_of_life(
    states: Sequence[PartitionState],
    leader_epochs: Sequence[DatedLeaderEpoch],
    kept_until_elected: Sequence[CommittedIsr],
    keeps_last_member: bool,
) -> Iterator[IsrState]:
    """The states of one life of a partition, each with its place and the times of its leader epoch."""
    of_number = {epoch.leader_epoch: epoch for epoch in leader_epochs}
    stated = [_committed(state, of_number.get(state.leader_epoch)) for state in states]
    last_members = _kept_without_leader(leader_epochs, states) if keeps_last_member else []
    kept = {isr.leader_epoch: isr for isr in (*last_members, *kept_until_elected)}
    elected_next = {isr.leader_epoch for isr in kept_until_elected}
    for place, state in enumerate(in_state_order([*stated, *kept.values()])):
        epoch = of_number.get(state.leader_epoch)
        values = {name: getattr(state, name) for name in CommittedIsr._names}
        yield IsrState(
            **values,
            place=place,
            epoch_start_ts=epoch.start_ts if epoch is not None else None,
            epoch_end_ts=epoch.end_ts if epoch is not None else None,
            reaches_epoch=epoch.next_leader_epoch if epoch is not None else None,
            is_kept=state.leader_epoch in elected_next,
        )


def committed_isrs(
    laid_isrs: Sequence[LaidIsr],
    dated_leader_epochs: Sequence[DatedLeaderEpoch],
    assignments: Sequence[Assignment],
    partition_events: Sequence[Event],
    lives: TopicLives,
    min_isr_of: Mapping[str, int | None],
    window: TimeWindow,
    partition_state_reports: Iterable[PartitionStateReport] = (),
    absences: Absences = NO_ABSENCES,
    broker_moves: BrokerMoves | None = None,
) -> list[CommittedIsr]:
    """The committed ISRs that reach into the window, with the replicas; also those whose leader epoch no line names."""
    late = LateStates(partition_state_reports, absences, broker_moves or BrokerMoves(), dated_leader_epochs)
    epochs = grouped(dated_leader_epochs, lambda epoch: epoch.life)
    laid = grouped(sorted(laid_isrs, key=isr_order), lambda isr: isr.life)
    unnamed = grouped(_announced(partition_events, lives), lambda announced: announced.life)
    assigned = Assigned(assignments)
    names = CommittedIsr._names
    return [
        span.but(replicas=assigned.replicas_of(span), min_isr=min_isr_of.get(span.topic))
        for life in sorted({*epochs, *laid, *unnamed})
        for span in (
            *late.marked([CommittedIsr(*[getattr(isr, name) for name in names]) for isr in laid.get(life, ())]),
            *isr_spans_of_unknown_epochs(unnamed.get(life, ()), epochs.get(life, ())),
        )
        if window.is_reached_by(span.end_ts)
    ]


class LateStates:
    """The states and leader epochs that had begun before the first line about them."""

    def __init__(
        self,
        reports: Iterable[PartitionStateReport],
        absences: Absences,
        broker_moves: BrokerMoves,
        leader_epochs: Iterable[DatedLeaderEpoch],
    ) -> None:
        whole = (one for one in reports if one.isr is not None and one.ts is not None) if absences.of_broker else ()
        self._reports = grouped(
            whole, lambda one: (one.life, one.leader_epoch, one.partition_epoch, tuple(sorted(one.isr)))
        )
        self._absences, self._broker_moves = absences, broker_moves
        self._epochs = {(epoch.life, epoch.start_ts) for epoch in leader_epochs if epoch.begun_before}

    def marked(self, isrs: Sequence[CommittedIsr]) -> Iterator[CommittedIsr]:
        """The ISRs of one life in their order, with `begun_before` and `ended_before` for those that had begun or ended
        before the first line that shows this.
        """
        begun = [self._had_begun(isr) for isr in isrs]
        for isr, is_late, next_is_late in zip(isrs, begun, (*begun[1:], False), strict=False):
            has_ended = isr.end_ts is not None and (next_is_late or (isr.life, isr.end_ts) in self._epochs)
            yield isr.but(begun_before=is_late or None, ended_before=has_ended or None)

    def _had_begun(self, isr: CommittedIsr) -> bool:
        if (isr.life, isr.start_ts) in self._epochs:
            return True
        name = isr.life, isr.leader_epoch, isr.partition_epoch, tuple(sorted(isr.isr or ()))
        reports = self._reports.get(name, ())
        is_dated = any(one.ts == isr.start_ts for one in reports)  # and not by a decision without the partition's name
        return is_dated and is_missed(reports, self._absences, self._broker_moves)


def _committed(state: PartitionState, epoch: DatedLeaderEpoch | None) -> CommittedIsr:
    return CommittedIsr(
        topic=state.topic,
        life=state.life,
        partition=state.partition,
        topic_id=first_known(state.topic_id, epoch.topic_id if epoch is not None else None),
        leader_epoch=state.leader_epoch,
        partition_epoch=state.partition_epoch,
        state_order=state.state_order,
        leader_id=first_known(state.leader_id, epoch.leader_id if epoch is not None else None),
        isr=state.isr,
        replicas=state.replicas,
        elr=state.elr,
        recovering=state.recovering,
        ts=state.ts,
        confidence="inferred" if state.witness in _INFERRED else "observed",
        evidence=state.evidence,
    )


def _kept_without_leader(
    leader_epochs: Sequence[DatedLeaderEpoch], states: Sequence[PartitionState]
) -> Iterator[CommittedIsr]:
    """ISRs of leader epochs without a leader, after an ISR with one member, which is never removed (facts §1.2)."""
    if not any(epoch.leader_id == -1 for epoch in leader_epochs):
        return
    last: dict[int, PartitionState] = {}
    for state in states:
        so_far = last.get(state.leader_epoch)
        if so_far is None or (so_far.state_order, so_far.ts) < (state.state_order, state.ts):
            last[state.leader_epoch] = state
    isr, replicas = None, None
    for epoch in leader_epochs:
        own = last.get(epoch.leader_epoch)
        if epoch.leader_id == -1 and own is None and isr is not None and len(isr) == 1:
            yield _kept(epoch, isr, replicas)
        if own is not None:
            isr, replicas = own.isr, first_known(own.replicas, replicas)


def _kept_until_elected(
    leader_epochs: Sequence[DatedLeaderEpoch],
    states: Sequence[PartitionState],
    topic_settings: Sequence[TopicSetting],
) -> list[CommittedIsr]:
    """ISRs of leader epochs without a leader that no line prints, in KRaft without eligible leader replicas: the controller
    elects a member of the ISR and leaves that as it is (`PartitionChangeBuilder`). So it is the one with which the next leader
    begins.
    """
    if not any(epoch.leader_id == -1 for epoch in leader_epochs):
        return []
    of_epochs = by_key(in_state_order(states), lambda state: (state.life, state.leader_epoch))
    forbid_unclean = {row.topic for row in topic_settings if row.unclean_allowed is False}
    found: list[CommittedIsr] = []
    last: PartitionState | None = None
    for epoch, then in pairwise(leader_epochs):
        own, begun = (of_epochs.get((one.life, one.leader_epoch)) for one in (epoch, then))
        last = own[-1] if own else last
        if own or not begun or epoch.leader_id != -1 or epoch.topic not in forbid_unclean:
            continue
        follows = (then.life, then.leader_epoch) == (epoch.life, epoch.leader_epoch + 1) and then.leader_id >= 0
        if follows and begun[0].isr is not None and _begins_with(begun[0], last):
            found.append(_kept(epoch, begun[0].isr, begun[0].replicas))
    return found


def _begins_with(state: PartitionState, before: PartitionState | None) -> bool:
    """Whether the leader epoch of a state began with it: every change of the partition since an earlier state changed its
    leader epoch. A line that prints the state as the leader epoch begins does not show this: a broker applies several
    changes at once.
    """
    if before is None or before.life != state.life or None in (before.partition_epoch, state.partition_epoch):
        return False
    changes: int = state.partition_epoch - before.partition_epoch
    return changes == state.leader_epoch - before.leader_epoch


def _kept(epoch: DatedLeaderEpoch, isr: Sequence[int], replicas: Sequence[int] | None) -> CommittedIsr:
    return CommittedIsr(
        topic=epoch.topic,
        life=epoch.life,
        partition=epoch.partition,
        topic_id=epoch.topic_id,
        leader_epoch=epoch.leader_epoch,
        state_order=-1,
        leader_id=epoch.leader_id,
        isr=isr,
        replicas=replicas,
        ts=epoch.start_ts,
        confidence="inferred",
        evidence=epoch.evidence,
    )


@dataclass(frozen=True)
class _Announced:
    """An ISR that a leader announces or reports as committed, and its previous one."""

    event: Event
    life: int
    isr: list[int]
    isr_before: list[int] | None


def _announced(events: Iterable[Event], lives: TopicLives) -> Iterator[_Announced]:
    """The ISRs that leaders announce, without those that ZooKeeper refused because of a version conflict."""
    own = [
        event for event in events if event.kind in ISR_ANSWERS and event.node_id is not None and event.ts is not None
    ]
    of_nodes = grouped(own, lambda event: event.node_id)
    for lines in of_nodes.values():
        lines.sort(key=lambda event: (event.ts, event.line_number))
        for event, answer in zip(lines, (*lines[1:], None), strict=False):
            if event.isr is not None and not (answer is not None and answer.kind in ISR_REFUSED):
                yield _Announced(
                    event, lives.life(event.topic, event.ts), sorted(event.isr), ids(detail(event, "old_isr"))
                )


def isr_spans_of_unknown_epochs(
    announced: Sequence[_Announced], leader_epochs: Sequence[DatedLeaderEpoch]
) -> Iterator[CommittedIsr]:
    """ISRs that a leader announces, or reports as committed, before any line shows a leader epoch of the partition: an
    excerpt, or files that begin late.

    `leader_epoch` is null and `confidence` `inferred`, because no line shows that this node still led. The ISR before
    the first change is a span of no length.
    """
    known_ts = min((epoch.start_ts for epoch in leader_epochs), default=None)
    unknown = sorted(
        (one for one in announced if known_ts is None or one.event.ts < known_ts),
        key=lambda one: (one.event.ts, one.event.line_number),
    )
    if not unknown:
        return
    first = unknown[0]
    spans = [_of_unknown_epoch(one, one.isr, one.event.partition_epoch) for one in unknown]
    if first.isr_before is not None:
        spans.insert(0, _of_unknown_epoch(first, first.isr_before, None))
    numbered = [span.but(state_order=number) for number, span in enumerate(spans, start=1)]
    changes = [*numbered[:1], *[span for before, span in pairwise(numbered) if before.isr != span.isr]]
    for span, after in zip(changes, (*changes[1:], None), strict=False):
        yield span.but(end_ts=after.ts if after is not None else known_ts)


def _of_unknown_epoch(one: _Announced, isr: list[int], partition_epoch: int | None) -> CommittedIsr:
    event: Any = one.event
    return CommittedIsr(
        topic=event.topic,
        life=one.life,
        partition=event.partition,
        topic_id=event.topic_id,
        leader_epoch=None,  # type: ignore[arg-type]
        partition_epoch=partition_epoch,
        state_order=0,
        leader_id=event.node_id,
        isr=isr,
        ts=event.ts,
        confidence="inferred",
        evidence=[event.event_id],
        start_ts=event.ts,
    )


def non_empty_isrs(committed_isrs: Sequence[CommittedIsr]) -> list[IsrSpan]:
    """The committed ISRs with members. An empty ISR (KIP-966) commits nothing; `leader_epochs` shows that there was no
    leader.
    """
    names = COMMITTED_ISRS.schema.names
    return [IsrSpan(**{name: getattr(span, name) for name in names}) for span in committed_isrs if span.isr]


def isr_order(state: CommittedIsr) -> tuple[tuple[bool, Any], ...]:
    """The order of a partition's committed states: leader epoch, then partition epoch, then time."""
    return nulls_first(state.life, state.leader_epoch, state.state_order, state.ts)
