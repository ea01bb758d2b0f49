"""Leader epochs with the set from which each leader was elected, and the reason. Computed from ISR and leader, never
taken from a word in a line.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.releases import version_number
from replay.facts.times import first_known, millis
from replay.partitions.assignments import Assigned
from replay.partitions.filed_starts import with_filed_starts
from replay.partitions.lives import NO_LIVES, TopicLives
from replay.tables.brokers import NodeRelease
from replay.tables.offsets import EpochLine
from replay.tables.partitions import Assignment, CommittedIsr, DatedLeaderEpoch, LeaderEpoch, PartitionState

UNCLEAN = ("any_replica", "last_known_leader")
_AS_IT_BEGINS = ("decision", "leader")  # the witnesses of the ISR with which a leader epoch begins


def is_unclean(elected_from: str | None) -> bool:
    """Whether the new leader was neither in the ISR nor in the ELR."""
    return elected_from in UNCLEAN


def leader_epochs(
    dated_leader_epochs: Sequence[DatedLeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    assignments: Sequence[Assignment],
    releases: Sequence[NodeRelease],
    partition_states: Sequence[PartitionState] = (),
    epoch_lines: Iterable[EpochLine] = (),
    lives: TopicLives = NO_LIVES,
) -> list[LeaderEpoch]:
    """The leader epochs with `elected_from`, `reason`, and the state before each.

    An election is unclean if the new leader is outside the ISR (and the ELR) of the state just before. That requires
    that no change of the ISR can have been missed since that state; otherwise `elected_from` is null (facts, I4, I6).
    None can if each step of the partition epoch since then was a new leader epoch, which only removes members, or if
    the state is that of a time without a leader, in which the ISR stays. An election is not known to be clean after a
    leader epoch whose ISR is not logged: that one may have begun by removing the new leader. It is after a printed
    state without a leader that has the new leader in its ISR, because no ISR changes until the election: if lines name
    all leader epochs before it, or if each change since the last leader's ISR was a new leader epoch and the printed
    ISR is a part of that one. An unclean election in between would have left a replica from outside as the only member.
    So an election is also clean if its own leader epoch begins with further members, as a line of the leader or the
    controller shows, and no leader epoch before it is missing.

    From Kafka 4.0 on a leader from outside the ISR may come from the ELR: the election is unclean if the printed ELR
    lacks it, or if it leads in recovery (facts, F30; a cluster has an ELR only if all nodes run 4.0 or later).
    """
    no_elr = any(row.version_high < version_number("4.0") for row in releases)
    isrs = grouped(committed_isrs, lambda isr: isr.life)
    assigned = Assigned(assignments)
    by_life = grouped(with_filed_starts(dated_leader_epochs, epoch_lines, lives), lambda epoch: epoch.life)
    shared = _begun_with_others(partition_states)
    without_leader = (state for state in partition_states if state.leader_id == -1 and state.isr)
    headless = grouped(without_leader, lambda state: state.life)
    return [
        _with_origin(placed, assigned, no_elr, shared)
        for life in sorted(by_life)
        for placed in _with_state_before(by_life[life], isrs.get(life, ()), headless.get(life, ()))
    ]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A leader epoch and what came before it: the epoch before, the last one with a leader, the last state. `number`
    and `led_number` are positions among the logged epochs.
    """

    epoch: DatedLeaderEpoch
    number: int
    before: DatedLeaderEpoch | None
    led: DatedLeaderEpoch | None
    led_number: int
    state: CommittedIsr | None
    first_state: CommittedIsr | None
    led_state: CommittedIsr | None = None  # the last one of the last leader
    headless: PartitionState | None = None  # printed for the leader epoch before, which had no leader

    @property
    def unlogged_epochs(self) -> int | None:
        """The leader epochs since the last one with a leader that no line names."""
        if self.led is None:
            return None
        return (self.epoch.leader_epoch - self.led.leader_epoch) - (self.number - self.led_number)

    @property
    def is_elected(self) -> bool:
        """Whether it has a leader that differs from that of the epoch before."""
        old, new = self.before.leader_id if self.before is not None else None, self.epoch.leader_id
        return new is not None and new >= 0 and old is not None and new != old


def _with_state_before(
    epochs: Sequence[DatedLeaderEpoch], isrs: Iterable[CommittedIsr], headless: Iterable[PartitionState]
) -> Iterator[_Placed]:
    """Each leader epoch of one life with the state before it. Ignores ISRs that were carried over from the epoch
    before.
    """
    printed = {state.leader_epoch: state for state in headless}
    firsts: dict[int, CommittedIsr] = {}
    lasts: dict[int, CommittedIsr] = {}
    for isr in isrs:
        first, last, at = firsts.get(isr.leader_epoch), lasts.get(isr.leader_epoch), (isr.state_order, isr.ts)
        if first is None or at < (first.state_order, first.ts):
            firsts[isr.leader_epoch] = isr
        is_carried = isr.leader_id == -1 and isr.confidence == "inferred"
        if not is_carried and (last is None or at > (last.state_order, last.ts)):
            lasts[isr.leader_epoch] = isr
    before, led, led_number, state, led_state = None, None, 0, None, None
    for number, epoch in enumerate(epochs, start=1):
        headless_state = printed.get(epoch.leader_epoch - 1)
        first = firsts.get(epoch.leader_epoch)
        yield _Placed(epoch, number, before, led, led_number, state, first, led_state, headless_state)
        before, state = epoch, lasts.get(epoch.leader_epoch, state)
        if epoch.may_lead_next is not None:
            before, led, led_state = None, None, None  # another replica may have led since
        elif epoch.leader_id is not None and epoch.leader_id >= 0:
            led, led_number, led_state = epoch, number, state


def _begun_with_others(states: Iterable[PartitionState]) -> set[tuple[int, int, datetime]]:
    """The leader epochs that begin with several ISR members, with the time at which the leader or the controller logged
    this.
    """
    return {
        (state.life, state.leader_epoch, state.ts)
        for state in states
        if state.witness in _AS_IT_BEGINS
        and len(state.isr or ()) > 1
        and state.leader_id in state.isr
        and state.ts is not None
    }


def _with_origin(
    placed: _Placed, assigned: Assigned, no_elr: bool, shared: Container[tuple[int, int, datetime | None]]
) -> LeaderEpoch:
    epoch, before, led, state = placed.epoch, placed.before, placed.led, placed.state
    old_leader = before.leader_id if before is not None else None
    return LeaderEpoch(
        topic=epoch.topic,
        life=epoch.life,
        partition=epoch.partition,
        leader_epoch=epoch.leader_epoch,
        topic_id=epoch.topic_id,
        leader_id=epoch.leader_id,
        epoch_start_offset=epoch.epoch_start_offset,
        leader_ts=epoch.leader_ts,
        start_ts=epoch.start_ts,
        confidence=epoch.confidence,
        evidence=epoch.evidence,
        end_ts=epoch.end_ts,
        next_leader_epoch=epoch.next_leader_epoch,
        next_witness=epoch.next_witness,
        may_lead_next=epoch.may_lead_next,
        old_leader_id=old_leader,
        last_leader_id=led.leader_id if led is not None else None,
        isr_before=state.isr if state is not None else None,
        isr_before_evidence=state.evidence if state is not None else None,
        replicas=first_known(
            placed.first_state.replicas if placed.first_state is not None else None,
            state.replicas if state is not None else None,
            assigned.first_assigned(epoch.start_ts),
        ),
        untold_epochs=placed.unlogged_epochs,
        elected_from=_elected_from(placed, no_elr, shared) if placed.is_elected else None,
        reason=_reason(placed, old_leader),
        begun_before=True if placed.number == 1 and epoch.confidence == "inferred" else epoch.begun_before,
        leaderless_ms=_leaderless_ms(placed, old_leader),
    )


def _leaderless_ms(placed: _Placed, old_leader: int | None) -> int | None:
    """The time without a leader before a leader epoch; None if leader epochs that no line names may have had none."""
    epoch, led = placed.epoch, placed.led
    if old_leader == -1:
        is_dated = led is not None and placed.before is not None and not placed.before.begun_before
        return millis(epoch.start_ts, led.end_ts) if is_dated and led is not None else None
    may_have_had_none = placed.unlogged_epochs if led is not None else placed.number > 1
    return None if may_have_had_none and epoch.confidence != "observed" else 0


def _reason(placed: _Placed, old_leader: int | None) -> str:
    """The reason for the leader epoch."""
    epoch = placed.epoch
    if placed.number == 1 and epoch.leader_epoch == 0 and epoch.confidence == "observed":
        return "created"
    if epoch.leader_id == -1:
        return "leaderless"
    if placed.is_elected:
        return "election"
    return "isr_change" if epoch.leader_id is not None and epoch.leader_id == old_leader else "unknown"


def _elected_from(placed: _Placed, no_elr: bool, shared: Container[tuple[int, int, datetime | None]]) -> str | None:
    """The set from which the new leader was elected; None if a change of the ISR may have been missed."""
    epoch, state, first = placed.epoch, placed.state, placed.first_state
    if placed.unlogged_epochs == 0 and any(
        (epoch.life, epoch.leader_epoch, ts) in shared for ts in (epoch.start_ts, epoch.leader_ts)
    ):
        return "isr"
    if state is None or state.isr is None:
        return None
    is_recovering = first is not None and first.recovering is True
    if epoch.leader_id in state.isr:
        is_known = placed.led is not None and state.leader_epoch >= placed.led.leader_epoch
        is_whole = is_known and placed.unlogged_epochs == 0
        return "isr" if is_whole or _was_in_last_isr(placed) else None
    if state.elr is not None and epoch.leader_id in state.elr:
        return "elr"
    if not state.isr and is_recovering and placed.led is not None and epoch.leader_id == placed.led.leader_id:
        return "last_known_leader"
    elr_is_known = no_elr or is_recovering or state.elr is not None
    names_all = len(state.isr) > 0 or state.elr is not None
    return "any_replica" if elr_is_known and names_all and _is_dense(placed, state) else None


def _was_in_last_isr(placed: _Placed) -> bool:
    """Whether the printed state just before the election has the new leader in its ISR, and no unclean election can have
    come between that state and the last leader's ISR.
    """
    last, led = placed.headless, placed.led_state
    if last is None or led is None or led.isr is None or placed.epoch.leader_id not in last.isr:
        return False
    if None in (last.partition_epoch, led.partition_epoch):
        return False
    steps = last.leader_epoch - led.leader_epoch
    return bool(last.partition_epoch - led.partition_epoch == steps and set(last.isr) <= set(led.isr))


def _is_dense(placed: _Placed, state: CommittedIsr) -> bool:
    """Whether no change of the ISR can have been missed between the state before and the leader epoch."""
    epoch, before, first = placed.epoch, placed.before, placed.first_state
    steps = epoch.leader_epoch - state.leader_epoch
    if before is not None and before.leader_id == -1 and steps == 1:
        return True
    if first is None or first.partition_epoch is None or state.partition_epoch is None:
        return False
    return bool(first.partition_epoch - state.partition_epoch == steps)
