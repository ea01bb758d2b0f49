"""Lines about brokers and the controller that name no partition: which brokers left and returned, and which elections
were requested. The conclusions about single partitions depend on them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from replay.facts.controllers import TRANSITION, elects_its_writer
from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail, detail_number
from replay.facts.lives import STARTS, STOP_GRANTED, STOPS
from replay.facts.order import at_most
from replay.facts.reads import reads, reads_each
from replay.facts.sessions import SESSION_ENDED, in_force
from replay.facts.times import greatest, known, millis
from replay.facts.window import ALL_TIME, TimeWindow
from replay.tables.brokers import LineRun
from replay.tables.reading import Fact

UNFENCED = "kraft_broker_unfence_granted"
# With each of these a KRaft controller takes a broker's leaderships, and takes it out of ISRs, in one batch (facts, §5).
_REMOVED = (
    "kraft_broker_session_timeout",
    "kraft_broker_fence_granted",
    "kraft_controlled_shutdown_granted",
    "kraft_shutdown_granted_immediate",
)
# The line of that batch, which follows the decision within this.
_CHANGING, _CHANGED_WITHIN_MS = "kraft_leader_isr_updates_summary", 1_000
_OF_REMOVAL = ("handleBrokerFenced", "enterControlledShutdown")
# A broker that registers again is fenced until the controller unfences it.
_REGISTERED_AGAIN = (
    "kraft_broker_registering_new_incarnation",
    "kraft_broker_registered_new_incarnation",
    "kraft_broker_registration_updated",
)
APPLIED_WITHIN_MS = 10_000  # brokers have applied a controller's decision within this (facts, R8)
RAN_WITHIN_MS = 1_000  # a broker that is unfenced has applied its election within this
_RUNNING = "broker_unfenced"
PREFERRED_WITHIN_MS = 5_000  # brokers have applied a preferred election within this
_BALANCED = "kraft_balance_leaders_run"
_ASKED = ("controller_election_begin", _BALANCED)
_PERIODIC, _OF_PREFERRED = "kraft_periodic_task_run", "electPreferred"
REASSIGNED_KINDS = (
    "kraft_reassignment_result",
    "kraft_reassignment_replayed",
    "controller_reassign_begin",
    "controller_reassign_assignment_updated",
)
_REASSIGNED = "kraft_reassignment_result"  # the active controller's, as it decides
REASSIGNMENT_COMPLETED = (
    "alter_partition_completed_reassignment",
    "alter_partition_completed_reassignment_leader_change",
)
# A broker logs one of these before it takes on the states of a metadata image or a LeaderAndIsr request, which held by then.
_APPLIES = ("broker_become_follower_summary", "broker_become_leader_summary", "broker_leader_and_isr_request")
# A KRaft controller has replayed the metadata log when it becomes active, so what it replays from then on is new.
_ACTIVE, _NO_LONGER_ACTIVE = "kraft_controller_activated", ("kraft_controller_renounced", *STARTS)
_FAILED_DIRECTORY = ("log_dir_failure_begin", "log_dir_failed")
LOG_DELETED = "log_deleted"
_PARTITION = re.compile(r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]{1,249}-\d++")
_OLD_PARTITION = re.compile(r"\[([A-Za-z0-9._-]{1,249}),\s?(\d{1,10})\]")  # up to 0.11: [orders,2]


@dataclass(frozen=True, slots=True)
class BrokerMove:
    """A line that shows when a broker left the cluster, or returned; `decision`: the one that names the broker, where
    another dates the change.
    """

    ts: datetime
    event_id: str
    decision: str | None = None


@dataclass(frozen=True, slots=True)
class ElectionRequest:
    """A request for elections; one without partitions is for all."""

    ts: datetime
    trigger: str
    partitions: frozenset[str]
    event_id: str


@dataclass(frozen=True)
class BrokerMoves:
    """Which brokers left the cluster and returned, and which elections were requested, in order of time.

    `removed`: when a KRaft controller removed each from leaders and ISRs; `registered`: when each registered again.
    `preferred`: when one elected preferred leaders by itself. `reassigned`: when one accepted a reassignment; the line
    names no partition. `logs_begin`: the time by which every node's log had begun. `reassigned_ts`: the first
    reassignment whose partitions no line names. `stopping`: when each broker began to stop, or a log directory of it
    failed; `running`: when each learnt that it is unfenced. `applies`: when each began to apply a metadata image or a
    request. `reigns`: when each controller became active, or no longer was (it renounced, or started anew).
    """

    left: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    removed: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    registered: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    unfenced: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    preferred: Sequence[BrokerMove] = ()
    reassigned: Sequence[BrokerMove] = ()
    requests: Sequence[ElectionRequest] = ()
    logs_begin: datetime | None = None
    reassigned_ts: datetime | None = None
    stopping: Mapping[int, Sequence[datetime]] = field(default_factory=dict)
    running: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    applies: Mapping[int, Sequence[BrokerMove]] = field(default_factory=dict)
    reigns: Mapping[int, Sequence[tuple[datetime, bool]]] = field(default_factory=dict)

    @staticmethod
    @reads(*REASSIGNED_KINDS, *STOPS, *_FAILED_DIRECTORY, _RUNNING, *_APPLIES, _ACTIVE, *_NO_LONGER_ACTIVE, TRANSITION)
    @reads_each(*STOP_GRANTED, *SESSION_ENDED, *_REMOVED, *_REGISTERED_AGAIN, UNFENCED, _CHANGING, *_ASKED, _PERIODIC)
    def of(facts: Iterable[Fact], line_runs: Iterable[LineRun] = (), window: TimeWindow = ALL_TIME) -> BrokerMoves:
        """The moves until the end of the window, from rows of the tables with these names."""
        timed = [fact for fact in facts if fact.ts is not None and (window.until is None or fact.ts < window.until)]
        first: dict[int, datetime] = {}
        for line_run in line_runs:
            first[line_run.node_id] = min(line_run.first_ts, first.get(line_run.node_id, line_run.first_ts))
        begins = [ts for ts in first.values() if window.until is None or ts < window.until]
        unnamed = [fact.ts for fact in timed if fact.kind in REASSIGNED_KINDS and fact.topic is None]
        return BrokerMoves(
            left=_by_broker(timed, (*STOP_GRANTED, *SESSION_ENDED)),
            removed=_as_changed(_by_broker(in_force(timed, _REMOVED), _REMOVED), timed),
            registered=_by_broker(timed, _REGISTERED_AGAIN),
            unfenced=_by_broker(timed, (UNFENCED,)),
            preferred=_preferred_elections(timed),
            reassigned=_reassignments(timed),
            requests=_requests(timed),
            logs_begin=greatest(*begins),
            reassigned_ts=min(unnamed, default=None),
            stopping={
                node: [move.ts for move in moves]
                for node, moves in _by_own_node(timed, (*STOPS, *_FAILED_DIRECTORY)).items()
            },
            running=_by_own_node(timed, (_RUNNING,)),
            applies=_by_own_node(timed, _APPLIES),
            reigns=_reigns(timed),
        )

    def was_active(self, controller: int | None, ts: datetime | None) -> bool:
        """Whether lines show that a KRaft controller was the active one then."""
        own = self.reigns.get(controller, ()) if controller is not None else ()
        before = [is_active for at_ts, is_active in own if at_most(at_ts, ts)]
        return bool(before) and before[-1]

    def preferred_before(self, since: datetime | None, applied: datetime | None) -> BrokerMove | None:
        """The last of a KRaft controller's own preferred elections shortly before brokers `applied` one."""
        moves = _between(self.preferred, since, applied)
        return moves[-1] if moves and (millis(applied, moves[-1].ts) or 0) <= PREFERRED_WITHIN_MS else None

    def reassigned_before(self, since: datetime | None, applied: datetime | None) -> BrokerMove | None:
        """The reassignment that a KRaft controller accepted between two states; None if it accepted several: any can be it."""
        return only_before(self.reassigned, since, applied)

    def first_left(self, broker: int | None, since: datetime | None, until: datetime | None) -> BrokerMove | None:
        """The first line between two times that shows that a broker left the cluster."""
        moves = _between(self.left.get(broker, ()), since, until) if broker is not None else ()
        return moves[0] if moves else None

    @cached_property
    def decided_removals(self) -> Sequence[tuple[int, BrokerMove]]:
        """The removals of brokers for which a line shows that the controller changed partitions, in order of time."""
        decided = [(broker, move) for broker, moves in self.removed.items() for move in moves if move.decision]
        return sorted(decided, key=lambda one: (one[1].ts, one[0]))

    def removed_before(self, broker: int | None, since: datetime | None, applied: datetime | None) -> BrokerMove | None:
        """The decision of a KRaft controller that removed a broker as leader or from an ISR: brokers had it there at
        `since` and no longer in what they had `applied`. None without one, if it is long before, or if the broker was
        unfenced in between.
        """
        moves = _between(self.removed.get(broker, ()), since, applied) if broker is not None else ()
        if not moves or (millis(applied, moves[0].ts) or 0) > APPLIED_WITHIN_MS:
            return None
        return None if self.last_unfenced(broker, moves[0].ts, applied) is not None else moves[0]

    def all_removed_before(
        self, brokers: Iterable[int], since: datetime | None, applied: datetime | None
    ) -> BrokerMove | None:
        """The decision after which none of these brokers could lead: the last that removed one of them, if each of the
        others had been removed too, or had registered again and was still fenced. None without such a decision.
        """
        moves = {broker: self.removed_before(broker, since, applied) for broker in brokers}
        last = max(known(moves.values()), key=lambda move: move.ts, default=None)
        if last is None or not all(move or self._is_fenced_anew(broker, since, last) for broker, move in moves.items()):
            return None
        return last

    def _is_fenced_anew(self, broker: int, since: datetime | None, at: BrokerMove) -> bool:
        """Whether a broker registered again between a time and a decision, and was still fenced then."""
        again = _between(self.registered.get(broker, ()), since, at.ts)
        return bool(again) and self.last_unfenced(broker, again[-1].ts, at.ts) is None

    def last_unfenced(self, broker: int | None, since: datetime | None, until: datetime | None) -> BrokerMove | None:
        """The last line between two times that shows that a broker returned."""
        moves = _between(self.unfenced.get(broker, ()), since, until) if broker is not None else ()
        return moves[-1] if moves else None

    def ran_since(self, broker: int, ts: datetime) -> BrokerMove | None:
        """The broker's own line that it is unfenced, directly before a time."""
        moves = _between(self.running.get(broker, ()), ts - timedelta(milliseconds=RAN_WITHIN_MS), ts)
        return moves[-1] if moves else None

    def applied_with(self, broker: int | None, ts: datetime) -> BrokerMove | None:
        """The line with which a broker began to apply the image or request whose states it logs at a time."""
        applied = self.applies.get(broker, ()) if broker is not None else ()
        moves = _between(applied, ts - timedelta(milliseconds=APPLIED_WITHIN_MS), ts)
        return moves[-1] if moves else None

    def requests_between(self, since: datetime, until: datetime) -> Sequence[ElectionRequest]:
        """The requests for elections between two times, inclusive."""
        start = bisect_left(self.requests, since, key=lambda request: request.ts)
        return self.requests[start : bisect_right(self.requests, until, key=lambda request: request.ts)]


def _as_changed(removed: Mapping[int, Sequence[BrokerMove]], facts: Iterable[Fact]) -> dict[int, Sequence[BrokerMove]]:
    """The removals of brokers, each at the time and by the line of the batch that changes its partitions: the first of
    that controller after the decision.
    """
    facts = list(facts)
    changes = (one for one in facts if one.kind == _CHANGING and _is_of_removal(one))
    changing = grouped(sorted(changes, key=lambda one: one.ts), lambda one: one.node_id)
    node_of = {fact.event_id: fact.node_id for fact in facts if fact.kind in _REMOVED}
    return {
        broker: [_dated_by(changing.get(node_of[move.event_id], ()), move) for move in moves]
        for broker, moves in removed.items()
    }


def _dated_by(changing: Sequence[Fact], move: BrokerMove) -> BrokerMove:
    at = bisect_left(changing, move.ts, key=lambda one: one.ts)
    change = changing[at] if at < len(changing) else None
    if change is None or (millis(change.ts, move.ts) or 0) > _CHANGED_WITHIN_MS:
        return move
    return BrokerMove(change.ts, change.event_id, move.event_id)


def _is_of_removal(change: Fact) -> bool:
    return (detail(change, "context") or "").startswith(_OF_REMOVAL)


def _by_broker(facts: Iterable[Fact], kinds: Sequence[str]) -> dict[int, list[BrokerMove]]:
    moves: dict[int, list[BrokerMove]] = defaultdict(list)
    for fact in facts:
        if fact.kind in kinds and fact.broker_id is not None:
            moves[fact.broker_id].append(BrokerMove(fact.ts, fact.event_id))
    return {broker: sorted(own, key=lambda move: (move.ts, move.event_id)) for broker, own in moves.items()}


def _reigns(facts: Iterable[Fact]) -> dict[int, list[tuple[datetime, bool]]]:
    """By controller, when its own lines, also those about elections in the quorum, show that it becomes the active one,
    or is no longer.
    """
    kinds = (_ACTIVE, *_NO_LONGER_ACTIVE, TRANSITION)
    own = (fact for fact in facts if fact.kind in kinds and fact.node_id is not None)
    changes = by_key(
        own, lambda fact: fact.node_id, lambda fact: (fact.ts, fact.kind == _ACTIVE or elects_its_writer(fact))
    )
    return {node: sorted(times) for node, times in changes.items()}


def _by_own_node(facts: Iterable[Fact], kinds: Sequence[str]) -> dict[int, list[BrokerMove]]:
    moves = grouped((fact for fact in facts if fact.kind in kinds), lambda fact: fact.node_id)
    return {
        node: sorted((BrokerMove(fact.ts, fact.event_id) for fact in own), key=lambda move: (move.ts, move.event_id))
        for node, own in moves.items()
    }


def _preferred_elections(facts: Iterable[Fact]) -> list[BrokerMove]:
    """The runs of a KRaft controller's task for preferred elections that elected a leader."""
    moves = [
        BrokerMove(fact.ts, fact.event_id)
        for fact in facts
        if _is_of_preferred(fact) and (detail_number(fact, "records_count") or 0) > 0
    ]
    return sorted(moves, key=lambda move: (move.ts, move.event_id))


def _reassignments(facts: Iterable[Fact]) -> list[BrokerMove]:
    """The reassignments that a KRaft controller accepted, at least in part."""
    moves = [
        BrokerMove(fact.ts, fact.event_id)
        for fact in facts
        if fact.kind == _REASSIGNED and detail(fact, "successful_alterations") != "0"
    ]
    return sorted(moves, key=lambda move: (move.ts, move.event_id))


def _is_of_preferred(fact: Fact) -> bool:
    return fact.kind == _BALANCED or (fact.kind == _PERIODIC and detail(fact, "task_name") == _OF_PREFERRED)


def only_before(moves: Sequence[BrokerMove], since: datetime | None, applied: datetime | None) -> BrokerMove | None:
    """The only one of these decisions that came after `since` and shortly before brokers `applied` one."""
    near = [move for move in _between(moves, since, applied) if (millis(applied, move.ts) or 0) <= APPLIED_WITHIN_MS]
    return near[0] if len(near) == 1 else None


def _between(moves: Sequence[BrokerMove], since: datetime | None, until: datetime | None) -> Sequence[BrokerMove]:
    if since is None or until is None or not moves:
        return ()
    start = bisect_left(moves, since, key=lambda move: move.ts)
    return moves[start : bisect_right(moves, until, key=lambda move: move.ts)]


def _named(partitions: str) -> frozenset[str]:
    """The partitions that a request names, in either notation."""
    old = (f"{topic}-{number}" for topic, number in _OLD_PARTITION.findall(partitions))
    return frozenset((*_PARTITION.findall(partitions), *old))


def _requests(facts: Iterable[Fact]) -> list[ElectionRequest]:
    """An administrator's requests for elections, and the controller's own for preferred leaders."""
    requests = [
        ElectionRequest(
            fact.ts,
            "admin" if detail(fact, "election_trigger") == "AdminClientTriggered" else "preferred",
            _named(detail(fact, "partitions") or ""),
            fact.event_id,
        )
        for fact in facts
        if (fact.kind in _ASKED or _is_of_preferred(fact)) and detail(fact, "records_count") != "0"
    ]
    return sorted(requests, key=lambda request: (request.ts, request.event_id))
