"""Each change of leader, step by step: the candidate replicas, why one was elected, when each learned of it, and what
it truncated.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import accumulate

from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.facts.in_time import NEVER
from replay.facts.times import millis
from replay.partitions.elected_from import is_unclean
from replay.partitions.learnt_offline import MetadataUpdates, learnt_offline
from replay.partitions.lives import TopicLives
from replay.tables.brokers import BrokerSession
from replay.tables.offsets import Truncation
from replay.tables.partitions import Election, Failover, LeaderEpoch, LearntLeaderEpoch
from replay.tables.reading import Event

_ENDS = {"leader_start": "epoch_start_offset", "follower_start": "log_end_offset"}
_LEARNS = (*_ENDS, "leader_transition_skipped", "follower_transition_skipped", "broker_leader_and_isr_received")

NO_UPDATES = MetadataUpdates()
_Replica = tuple[int, int, int]  # the life of the topic, the leader epoch, the broker


class SessionsOfBrokers:
    """The sessions of each broker, to look up whether the controller counted it as alive."""

    def __init__(self, recorded_sessions: Iterable[BrokerSession] = ()) -> None:
        of_brokers = grouped(
            (session for session in recorded_sessions if session.member_ts is not None),
            lambda session: session.broker_id,
        )
        self._starts: dict[int, list[datetime]] = {}
        self._ends: dict[int, list[datetime]] = {}  # the latest end of the sessions up to each
        for broker, sessions in of_brokers.items():
            sessions.sort(key=lambda session: session.member_ts)
            self._starts[broker] = [session.member_ts for session in sessions]
            self._ends[broker] = list(accumulate((session.end_ts or NEVER for session in sessions), max))

    def is_alive(self, broker: int, ts: datetime) -> bool | None:
        """Whether a broker had a session at a time; None if no line shows a session of it until then, as it may have
        begun one before the logs begin.
        """
        starts = self._starts.get(broker)
        if starts is None:
            return None
        begun = bisect_right(starts, ts)
        return self._ends[broker][begun - 1] > ts if begun else None


def failovers(
    elections: Sequence[Election],
    learnt_leader_epochs: Sequence[LearntLeaderEpoch],
    truncations: Sequence[Truncation],
    sessions_of_brokers: SessionsOfBrokers,
    lives: TopicLives,
) -> list[Failover]:
    """One row per replica and change of leader.

    A controller elects the first replica of the assignment that is alive and in the ISR; without one the ELR, the last
    known leader or, if that is allowed, any that is alive (facts §1.7).
    """
    if not elections:
        return []
    learnt = {(row.life, row.leader_epoch, row.node_id): row for row in learnt_leader_epochs}
    cuts = _first_cuts(truncations, lives)
    return [
        _failover(elected, broker, _is_alive(elected, broker, sessions_of_brokers), learnt, cuts)
        for elected in elections
        for broker in _candidates(elected)
    ]


def _is_alive(elected: Election, broker: int, sessions_of_brokers: SessionsOfBrokers) -> bool | None:
    """Whether the controller considered a broker alive at the election; None if no line shows when that was."""
    return None if elected.begun_before else sessions_of_brokers.is_alive(broker, elected.ts)


def _candidates(elected: Election) -> Iterable[int]:
    candidates = elected.replicas if elected.replicas is not None else elected.isr_before or ()
    leaders = [elected.new_leader_id]
    if elected.old_leader_id is not None and elected.old_leader_id >= 0:
        leaders.append(elected.old_leader_id)
    return dict.fromkeys((*candidates, *leaders))


def _failover(
    elected: Election,
    broker: int,
    is_alive: bool | None,
    learnt: Mapping[_Replica, LearntLeaderEpoch],
    cuts: Mapping[_Replica, Truncation],
) -> Failover:
    replica = (elected.life, elected.leader_epoch, broker)
    own, cut = learnt.get(replica), cuts.get(replica)
    in_isr = broker in elected.isr_before if elected.isr_before is not None else None
    late_ms = millis(own.ts, elected.ts) if own is not None and not elected.begun_before else None
    return Failover(
        topic=elected.topic,
        partition=elected.partition,
        leader_epoch=elected.leader_epoch,
        ts=elected.ts,
        broker_id=broker,
        place=_place(elected.replicas, broker),
        in_isr=in_isr,
        is_alive=is_alive,
        was_taken=broker == elected.new_leader_id,
        reason=_why_taken(elected) if broker == elected.new_leader_id else _why_not(elected, broker, is_alive, in_isr),
        learnt_ts=own.ts if own is not None else None,
        lag_ms=max(late_ms, 0) if late_ms is not None else None,
        log_end_offset=own.log_end_offset if own is not None else None,
        truncation_offset=cut.truncation_offset if cut is not None else None,
        evidence=joined(
            elected.evidence[:4],
            [own.event_id] if own is not None else None,
            cut.evidence[:1] if cut is not None else None,
        ),
    )


def _place(replicas: Sequence[int] | None, broker: int | None) -> int | None:
    """The position in the assignment; 1 is the preferred leader."""
    return list(replicas).index(broker) + 1 if replicas and broker in replicas else None  # type: ignore[arg-type]


def _why_taken(elected: Election) -> str:
    if elected.elected_from is None:
        return "state_before_not_known"
    if elected.elected_from == "isr":
        return "preferred_and_in_isr" if _place(elected.replicas, elected.new_leader_id) == 1 else "in_isr"
    return "in_elr" if elected.elected_from == "elr" else str(elected.elected_from)


def _why_not(elected: Election, broker: int, is_alive: bool | None, in_isr: bool | None) -> str:
    """The first reason that applies."""
    if elected.trigger == "controlled_shutdown" and broker == elected.old_leader_id:
        return "being_stopped"
    if elected.trigger == "log_dir_failure" and broker == elected.old_leader_id:
        return "directory_failed"
    if is_alive is False:
        return "not_alive"
    if in_isr is False and elected.elected_from is not None and not is_unclean(elected.elected_from):
        return "not_in_isr"
    if in_isr is None or is_alive is None:
        return "not_known"
    place, leaders_place = _place(elected.replicas, broker), _place(elected.replicas, elected.new_leader_id)
    if place is not None and leaders_place is not None and place > leaders_place:
        return "later_in_assignment"
    return "moved_by_reassignment" if elected.trigger == "reassignment" else "not_known"


def learnt_leader_epochs(
    partition_events: Sequence[Event],
    lives: TopicLives,
    leader_epochs: Sequence[LeaderEpoch] = (),
    metadata_updates: MetadataUpdates = NO_UPDATES,
) -> list[LearntLeaderEpoch]:
    """When each broker first names a leader epoch, or learned of it for an offline replica, and its log end when it took on
    its role in that epoch.
    """
    first: dict[_Replica, Event] = {}
    ends: dict[_Replica, Event] = {}
    for event in partition_events:
        if event.kind not in _LEARNS or event.leader_epoch is None or event.node_id is None or event.ts is None:
            continue
        replica = (lives.life(event.topic, event.ts), event.leader_epoch, event.node_id)
        _keep_first(first, replica, event)
        if _log_end(event) is not None:
            _keep_first(ends, replica, event)
    named = [
        LearntLeaderEpoch(
            topic=event.topic,
            life=replica[0],
            partition=event.partition,
            leader_epoch=replica[1],
            node_id=replica[2],
            ts=event.ts,
            event_id=event.event_id,
            log_end_offset=_log_end(ends[replica]) if replica in ends else None,
        )
        for replica, event in first.items()
    ]
    by_replica = {_replica(row): row for row in named}
    for offline in learnt_offline(partition_events, leader_epochs, metadata_updates, lives):
        own = by_replica.get(_replica(offline))
        if own is None or offline.ts < own.ts:
            by_replica[_replica(offline)] = offline
    return list(by_replica.values())


def _replica(row: LearntLeaderEpoch) -> _Replica:
    return row.life, row.leader_epoch, row.node_id


def _keep_first(first: dict[_Replica, Event], replica: _Replica, event: Event) -> None:
    so_far = first.get(replica)
    if so_far is None or (event.ts, event.event_id) < (so_far.ts, so_far.event_id):
        first[replica] = event


def _log_end(event: Event) -> int | None:
    """The log end in a line in which a broker takes on its role."""
    name = _ENDS.get(event.kind)
    end: int | None = getattr(event, name) if name is not None else None
    return end


def _first_cuts(cuts: Iterable[Truncation], lives: TopicLives) -> dict[_Replica, Truncation]:
    """The first truncation of a replica in a leader epoch: with it the replica agrees with its leader."""
    first: dict[_Replica, Truncation] = {}
    for cut in cuts:
        if cut.by_recovery is not False or cut.leader_epoch is None:
            continue
        replica = (lives.life(cut.topic, cut.ts), cut.leader_epoch, cut.node_id)
        so_far = first.get(replica)
        if so_far is None or (cut.ts is not None and (so_far.ts is None or cut.ts < so_far.ts)):
            first[replica] = cut
    return first
