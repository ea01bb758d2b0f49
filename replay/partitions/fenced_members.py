"""ISRs that no line prints, from which a KRaft controller removed a broker.

A controller that fences a broker, or lets it stop, removes it from every ISR in the same change, and logs how many
partitions it changed, but not which (facts §1.8). A leader prints the new ISR; a follower that takes on its role prints
only the epochs. So where the new leader has no lines, nothing prints this ISR.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.order import less
from replay.facts.times import millis
from replay.partitions.broker_moves import APPLIED_WITHIN_MS, BrokerMove, BrokerMoves
from replay.tables.partitions import PartitionState, PartitionStateReport

REMOVAL = "removal"  # the witness of such a state: the controller's line about the broker


def with_removals(
    states: Sequence[PartitionState], reports: Iterable[PartitionStateReport], broker_moves: BrokerMoves
) -> list[PartitionState]:
    """The states of one life in their order, including those that began when a controller removed a broker."""
    moves = broker_moves.decided_removals
    if not (moves and states):
        return [*states]
    applied = [one for one in reports if one.ts is not None and one.leader_epoch is not None and one.isr is None]
    found: list[PartitionState] = []
    for state, then in zip(states, (*states[1:], None), strict=True):
        found.append(state)
        last = state
        for broker, move in moves[bisect_right(moves, state.ts, key=lambda one: one[1].ts) :]:
            if then is not None and move.ts >= then.ts:
                break
            next_state = _without(broker, move, last, then, applied)
            if next_state is not None:
                found.append(next_state)
                last = next_state
    return found


def _without(
    broker: int,
    move: BrokerMove,
    before: PartitionState,
    then: PartitionState | None,
    applied: Sequence[PartitionStateReport],
) -> PartitionState | None:
    """The state that a removal began; None if the ISR lacked the broker or had no other member, if the next state that
    a line prints is this one, or if no line shows the leader epoch.
    """
    if before.isr is None or before.partition_epoch is None or broker not in before.isr or len(before.isr) == 1:
        return None
    number = before.partition_epoch + 1
    if then is not None and not less(number, then.partition_epoch):
        return None
    isr = [one for one in before.isr if one != broker]
    line = _line_of(broker, move.ts, number, isr, before, applied)
    leads = _leads(broker, isr, before, then, line)
    if leads is None:
        return None
    leader_epoch, leader_id = leads
    return before.but(
        leader_epoch=leader_epoch,
        partition_epoch=number,
        state_order=number,
        isr=isr,
        leader_id=leader_id,
        elr=None,
        last_known_elr=None,
        recovering=None,
        witness=REMOVAL,
        ts=move.ts,
        evidence=joined([move.event_id, *([move.decision] if move.decision else [])], [line.event_id] if line else []),
    )


def _leads(
    broker: int,
    isr: Sequence[int],
    before: PartitionState,
    then: PartitionState | None,
    line: PartitionStateReport | None,
) -> tuple[int, int | None] | None:
    """The leader epoch and leader after a removal, from a line that shows both, from the next state, or, if another
    broker led, from the state before. None if no line shows them.
    """
    if line is not None:
        return line.leader_epoch, line.leader_id
    is_next = then is not None and then.leader_epoch == before.leader_epoch + 1
    if before.leader_id == broker:
        return (then.leader_epoch, then.leader_id) if then is not None and is_next and then.leader_id in isr else None
    if before.leader_id not in isr or (then is not None and then.leader_epoch != before.leader_epoch):
        return None
    return before.leader_epoch, before.leader_id


def _line_of(
    broker: int,
    ts: datetime,
    number: int,
    isr: Sequence[int],
    before: PartitionState,
    applied: Iterable[PartitionStateReport],
) -> PartitionStateReport | None:
    """The first line in which a broker applies the removal: the next leader epoch, and the next partition epoch if it
    prints one. Another leader if the broker led, the same one if not.
    """
    own = _next_epochs(ts, number, before, applied)
    leaders = [*isr] if before.leader_id == broker else [before.leader_id]
    return min((one for one in own if one.leader_id in leaders), key=lambda one: (one.ts, one.event_id), default=None)


def _next_epochs(
    ts: datetime, number: int, before: PartitionState, applied: Iterable[PartitionStateReport]
) -> Iterator[PartitionStateReport]:
    for one in applied:
        is_next = one.leader_epoch == before.leader_epoch + 1 and one.partition_epoch in (None, number)
        if is_next and 0 <= (millis(one.ts, ts) or 0) <= APPLIED_WITHIN_MS:
            yield one
