"""Changes of leader: from which broker to which, and why."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.facts.evidence import earliest, joined
from replay.facts.sessions import lines_of_end
from replay.facts.times import millis
from replay.faults.kinds import REASSIGNED, TRIGGERS
from replay.partitions.broker_moves import BrokerMove, BrokerMoves, ElectionRequest
from replay.partitions.isr_spans import isr_order
from replay.tables.brokers import BrokerSession
from replay.tables.faults import Fault
from replay.tables.partitions import CommittedIsr, Election, LeaderEpoch, TopicSetting

_RETRIED_MS = 5_000  # a requested election is retried immediately, not later
_SKEW = timedelta(seconds=2)  # an event of another node this shortly after a change may have happened before it
_SAME_CLOCK = timedelta(seconds=1)  # the same for lines of controllers, usually the one that made the change
# From the end of a leader to the next leader. Sessions time out before: 9 s with a KRaft controller (KIP-631), 18 s
# with ZooKeeper since 2.5 (KIP-537).
_ELECTED_WITHIN_MS = 30_000
_LEADERS_FOLLOW = timedelta(seconds=60)  # new leaders are elected shortly after the last replica was moved
_LASTING = ("broker_failure", "log_dir_failure")  # a partition stays without a leader until another replica may lead


@dataclass(frozen=True, slots=True)
class Trigger:
    """A fault or request that takes leadership from a broker."""

    ts: datetime
    name: str
    evidence: Sequence[str]


@dataclass(frozen=True, slots=True)
class Reassignment:
    """A time in which replicas were reassigned."""

    ts: datetime
    end_ts: datetime | None
    evidence: Sequence[str]


class Triggers:
    """What took leadership from each broker, and the times of reassignments, in order of time."""

    def __init__(
        self,
        recorded_sessions: Iterable[BrokerSession] = (),
        faults: Iterable[Fault] = (),
        topic_settings: Iterable[TopicSetting] = (),
    ) -> None:
        of_broker: dict[int | None, list[Trigger]] = defaultdict(list)
        faults = list(faults)
        self._registered: dict[int | None, list[datetime]] = defaultdict(list)
        for session in recorded_sessions:
            if session.member_ts is not None:
                self._registered[session.broker_id].append(session.member_ts)
            if session.end_ts is not None:
                name = "controlled_shutdown" if session.ended_by == "controlled_shutdown" else "broker_failure"
                of_broker[session.broker_id].append(Trigger(session.end_ts, name, lines_of_end(session)))
        for fault in faults:
            if fault.kind in TRIGGERS and fault.ts is not None:
                of_broker[fault.broker_id].append(Trigger(fault.ts, TRIGGERS[fault.kind], fault.evidence))
        self._of_broker = {broker: sorted(own, key=lambda one: one.ts) for broker, own in of_broker.items()}
        moves = [Reassignment(f.ts, f.end_ts, f.evidence) for f in faults if f.kind in REASSIGNED and f.ts is not None]
        self._moves = sorted(moves, key=lambda move: move.ts)
        self.forbid_unclean = frozenset(row.topic for row in topic_settings if row.unclean_allowed is False)

    def nearest(
        self, broker: int | None, ts: datetime, leaderless_ms: int | None, led_since: datetime | None = None
    ) -> Trigger | None:
        """The latest fault of a broker that can have triggered a change of leader at a time. A fault before the broker
        began to lead (`led_since`) did not end this leadership.
        """
        own = self._of_broker.get(broker, ())
        if broker is None:
            return None
        for trigger in reversed(own[: bisect_right(own, ts + _SKEW, key=lambda one: one.ts)]):
            if led_since is not None and trigger.ts < led_since - _SKEW:
                return None
            since_ms = millis(ts, trigger.ts) or 0
            if leaderless_ms is None:
                return trigger if trigger.name in _LASTING else None
            if since_ms <= _ELECTED_WITHIN_MS + leaderless_ms or (trigger.name in _LASTING and leaderless_ms > 0):
                return trigger
            if not leaderless_ms:
                return None  # all others are longer ago
        return None

    def has_registered(self, broker: int | None, since: datetime, until: datetime) -> bool:
        """Whether a session of the broker began between two times."""
        return any(since <= ts <= until for ts in self._registered.get(broker, ()))

    def move_at(self, ts: datetime) -> Reassignment | None:
        """The latest reassignment during which a change of leader happened."""
        for move in reversed(self._moves[: bisect_right(self._moves, ts + _SAME_CLOCK, key=lambda one: one.ts)]):
            if move.end_ts is not None and ts <= move.end_ts + _LEADERS_FOLLOW:
                return move
        return None


def elections(
    leader_epochs: Sequence[LeaderEpoch],
    triggers: Triggers,
    broker_moves: BrokerMoves,
    committed_isrs: Sequence[CommittedIsr] = (),
) -> list[Election]:
    """Every change of leader to a broker.

    The trigger is the nearest event before it that concerns the old leader, or the request (facts §6.1: R2, R4, R21,
    R24, R28). A fault of the old leader takes precedence over requests, and these over reassignments; an operator's
    order of an unclean election over all. The election that ends a time without a leader is triggered by the unfencing of
    the new leader, if a line shows it. Preferred elections and reassignments leave the old leader in the ISR; a
    controller removes a leader that stops or loses its session.
    """
    begun_with = _first_isrs(committed_isrs)
    return [
        _election(epoch, led_since, triggers, broker_moves, begun_with.get((epoch.life, epoch.leader_epoch)))
        for epoch, led_since in _changes_of_leader(leader_epochs)
    ]


def _first_isrs(committed_isrs: Iterable[CommittedIsr]) -> dict[tuple[int, int], CommittedIsr]:
    """The first known ISR of each leader epoch."""
    first: dict[tuple[int, int], CommittedIsr] = {}
    for isr in sorted(committed_isrs, key=isr_order):
        if isr.leader_epoch is not None:
            first.setdefault((isr.life, isr.leader_epoch), isr)
    return first


def _changes_of_leader(epochs: Iterable[LeaderEpoch]) -> Iterator[tuple[LeaderEpoch, datetime | None]]:
    """The leader epochs whose leader differs from the last one, or leads again after a time without a leader, even if
    no line shows the leader before that. Each has the time since which the last leader led, if a line shows it.
    """
    leader: tuple[int, int | None] | None = None
    led_since: datetime | None = None
    for epoch in epochs:
        if epoch.leader_id is None or epoch.leader_id < 0:
            continue
        is_other = epoch.leader_id != epoch.last_leader_id or epoch.old_leader_id == -1
        if is_other and (epoch.last_leader_id is not None or _ends_time_without_leader(epoch)):
            yield epoch, led_since if leader == (epoch.life, epoch.last_leader_id) else None
        if is_other or leader != (epoch.life, epoch.leader_id):
            leader = (epoch.life, epoch.leader_id)
            led_since = epoch.start_ts if epoch.confidence == "observed" else None


def _ends_time_without_leader(epoch: LeaderEpoch) -> bool:
    """Whether the partition was there before, and had no leader."""
    return epoch.old_leader_id == -1 and epoch.elected_from is not None


def _election(
    epoch: LeaderEpoch,
    led_since: datetime | None,
    triggers: Triggers,
    broker_moves: BrokerMoves,
    begun_with: CommittedIsr | None,
) -> Election:
    trigger, shown_by = _trigger(epoch, led_since, triggers, broker_moves)
    is_open = trigger in ("preferred", "unknown") and not shown_by
    if is_open and begun_with is not None and _left_isr(epoch, begun_with):
        trigger, shown_by = "left_isr", begun_with.evidence
    return Election(
        topic=epoch.topic,
        partition=epoch.partition,
        leader_epoch=epoch.leader_epoch,
        ts=epoch.start_ts,
        begun_before=epoch.begun_before,
        old_leader_id=epoch.last_leader_id,
        new_leader_id=epoch.leader_id,
        elected_from=epoch.elected_from,
        trigger=trigger,
        leaderless_ms=epoch.leaderless_ms,
        evidence=joined(epoch.evidence, epoch.isr_before_evidence, shown_by),
        life=epoch.life,
        isr_before=epoch.isr_before,
        replicas=epoch.replicas,
    )


def _trigger(
    epoch: LeaderEpoch, led_since: datetime | None, triggers: Triggers, broker_moves: BrokerMoves
) -> tuple[str, Sequence[str]]:
    """Why a leader changed, and the events that show it."""
    predicate = triggers.nearest(epoch.last_leader_id, epoch.start_ts, epoch.leaderless_ms, led_since)
    requests = _requests(epoch, broker_moves)
    if _is_ordered(epoch, triggers, broker_moves):
        return "admin", earliest((request.ts, request.event_id) for request in requests if request.trigger == "admin")
    came = _unfenced(epoch, broker_moves)
    if came is not None:
        return "unfenced", [came.event_id]
    to_preferred = bool(epoch.replicas) and epoch.replicas[0] == epoch.leader_id
    is_named = any(request.partitions for request in requests)
    clean_and_alive = epoch.leaderless_ms == 0 and epoch.elected_from in (None, "isr")
    if predicate is not None and not (to_preferred and clean_and_alive and _is_asked_after(predicate, requests)):
        return predicate.name, predicate.evidence
    preferred = (to_preferred or is_named) and clean_and_alive
    asked = earliest((request.ts, request.event_id) for request in requests) if preferred else []
    if preferred and requests:
        return requests[-1].trigger, asked
    move = triggers.move_at(epoch.start_ts)
    if move is not None and to_preferred and clean_and_alive and _is_after(move, epoch):
        move = None
    shown_by = asked if preferred else move.evidence if move is not None else []
    if move is not None:
        return "reassignment", shown_by
    if preferred and epoch.isr_before is not None and epoch.last_leader_id in epoch.isr_before:
        return "preferred", shown_by
    return "unknown", shown_by


def _left_isr(epoch: LeaderEpoch, begun_with: CommittedIsr) -> bool:
    """Whether a clean election removed the old leader from the ISR."""
    if begun_with.isr is None or epoch.elected_from not in (None, "isr"):
        return False
    return (
        len(begun_with.isr) > 1
        and epoch.last_leader_id not in begun_with.isr
        and epoch.last_leader_id in (epoch.isr_before or ())
    )


def _unfenced(epoch: LeaderEpoch, broker_moves: BrokerMoves) -> BrokerMove | None:
    """The unfencing of the new leader at which a KRaft controller elected it: with every unfencing it elects leaders for
    the partitions without one (`handleBrokerUnfenced`). Where the leader epochs before are not logged, the broker's own
    line shows it: a partition with a leader keeps that.
    """
    if epoch.old_leader_id != -1:
        if epoch.leaderless_ms is not None or epoch.leader_id is None:
            return None
        return broker_moves.ran_since(epoch.leader_id, epoch.start_ts)
    return broker_moves.last_unfenced(epoch.leader_id, epoch.start_ts - _SAME_CLOCK, epoch.start_ts + _SAME_CLOCK)


def _is_ordered(epoch: LeaderEpoch, triggers: Triggers, broker_moves: BrokerMoves) -> bool:
    """Whether an operator ordered an unclean election: a controller holds none by itself for a topic with
    unclean.leader.election.enable=false (facts §1.2, F16). It accepts the order only for a partition without a leader.
    If the new leader had returned just then, the controller may have acted by itself, with a setting that no line shows.
    """
    since, until = epoch.start_ts - _SKEW, epoch.start_ts + _SAME_CLOCK
    return (
        epoch.elected_from == "any_replica"
        and epoch.old_leader_id == -1
        and epoch.topic in triggers.forbid_unclean
        and broker_moves.last_unfenced(epoch.leader_id, since, until) is None
        and not triggers.has_registered(epoch.leader_id, since, until)
    )


def _is_asked_after(failure: Trigger, requests: Iterable[ElectionRequest]) -> bool:
    """Whether an administrator's preferred election can be the trigger after a failure. A controller never elects a
    preferred leader to replace a dead one, so an election that follows the failure and names the partition finds it
    moved already.
    """
    return any(request.partitions and request.ts > failure.ts for request in requests)


def _is_after(move: Reassignment, epoch: LeaderEpoch) -> bool:
    """Whether a completed reassignment moved leadership: only from a broker that is no longer a replica. A leader that
    was still a replica, and in sync, lost leadership later, and for another reason.
    """
    return (
        move.end_ts is not None
        and epoch.start_ts > move.end_ts + _SAME_CLOCK
        and epoch.last_leader_id in (epoch.replicas or ())
        and epoch.last_leader_id in (epoch.isr_before or ())
    )


def _requests(epoch: LeaderEpoch, broker_moves: BrokerMoves) -> list[ElectionRequest]:
    """The requests that a change of leader can follow from, the latest last."""
    until: datetime = epoch.start_ts + _SAME_CLOCK
    near = broker_moves.requests_between(epoch.start_ts - timedelta(milliseconds=_RETRIED_MS + 1), until)
    name = f"{epoch.topic}-{epoch.partition}"
    return [
        request
        for request in near
        if (millis(epoch.start_ts, request.ts) or 0) <= _RETRIED_MS
        and (not request.partitions or name in request.partitions)
    ]
