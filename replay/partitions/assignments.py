"""The replicas that a partition is assigned to, in order of preference."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from replay.facts.order import less
from replay.facts.times import first_known, least
from replay.facts.window import KafkaEvents
from replay.partitions.broker_moves import APPLIED_WITHIN_MS, LOG_DELETED, REASSIGNED_KINDS, BrokerMoves
from replay.partitions.listed_assignments import ListedAssignments
from replay.tables.partitions import Assignment, CommittedIsr, NamedPartition, PartitionStateReport
from replay.tables.reading import Event

_STATE_REPLICAS = (
    "partition_state_new",
    "kraft_partition_created",
    "controller_send_leader_and_isr",
    "described_partition",
)
KINDS = frozenset({*_STATE_REPLICAS, *REASSIGNED_KINDS, LOG_DELETED})  # of the lines that `assignments` reads


def named_partitions(node_events: Iterable[Event], kafka_events: KafkaEvents) -> list[NamedPartition]:
    """The partitions that Kafka's own lines of a node name."""
    named = ((event.node_id, event.topic, event.partition) for event in filter(kafka_events.keeps, node_events))
    return [NamedPartition(*one) for one in dict.fromkeys(named) if None not in one[1:]]


def assignments(
    partition_events: Sequence[Event],
    partition_state_reports: Sequence[PartitionStateReport],
    named_partitions: Sequence[NamedPartition],
    listed_assignments: ListedAssignments,
    broker_moves: BrokerMoves,
) -> list[Assignment]:
    """The first assignment in a line, else the one in a description at the end.

    A partition may have other replicas after the request for a reassignment that names it, or whose partitions no line
    names, unless the description at the end shows the same assignment. Without a line about the request, a replica that is
    no longer described deletes its log soon after it.
    """
    if not (named_partitions or partition_state_reports):
        return []
    named: NamedPartition | PartitionStateReport = (
        named_partitions[0] if named_partitions else partition_state_reports[0]
    )
    stated: list[tuple[bool, datetime | None, Sequence[int]]] = [
        *(
            (event.ts is None, event.ts, event.replicas)
            for event in partition_events
            if event.kind in _STATE_REPLICAS and event.replicas is not None
        ),
        *((False, ts, replicas) for ts, replicas in listed_assignments.first(named.topic, named.partition)),
    ]
    if not stated:
        return []
    first = min(stated, key=lambda one: (one[0], one[1] or datetime.min, one[2]))
    described = max((list(replicas) for is_description, _, replicas in stated if is_description), default=None)
    asked = [event.ts for event in partition_events if event.kind in REASSIGNED_KINDS and event.ts is not None]
    moved_ts = least(*asked, broker_moves.reassigned_ts)
    deleted_ts = _deleted_ts(partition_events, described) if described is not None else None
    is_alike = described is not None and sorted(first[2]) == sorted(described)
    is_only_described = first[0]
    return [
        Assignment(
            topic=named.topic,
            partition=named.partition,
            assigned=None if is_only_described and deleted_ts is not None else first[2],
            described=described,
            moved_ts=deleted_ts if is_only_described else None if is_alike else first_known(moved_ts, deleted_ts),
        )
    ]


def _deleted_ts(partition_events: Iterable[Event], described: Collection[int]) -> datetime | None:
    """The earliest time at which a reassignment can have removed replicas, from the logs that other brokers deleted."""
    others = (event for event in partition_events if event.kind == LOG_DELETED and event.node_id not in described)
    ts = least(*[event.ts for event in others])
    return None if ts is None else ts - timedelta(milliseconds=APPLIED_WITHIN_MS)


class Assigned:
    """The row of `assignments` of one partition, to look up its replicas at a time."""

    def __init__(self, assignments: Iterable[Assignment]) -> None:
        row = next(iter(assignments), None)
        self._assigned = row.assigned if row is not None else None
        self._described = row.described if row is not None else None
        self._moved_ts = row.moved_ts if row is not None else None
        self._is_carried = _members(self._assigned)
        self._at_end = _members(self._described)

    def first_assigned(self, start_ts: datetime | None) -> Sequence[int] | None:
        """The first assignment, for anything that began before the assignment may have changed."""
        if self._moved_ts is None or less(start_ts, self._moved_ts):
            return self._assigned
        return None

    def preferred_at(self, ts: datetime | None) -> int | None:
        """The first of the replicas: the first assignment until it may have changed, then the one described at the end."""
        replicas = self.first_assigned(ts) or self._described
        return replicas[0] if replicas else None

    def replicas_of(self, span: CommittedIsr) -> Sequence[int] | None:
        """The replicas of an ISR: those in its lines, else from the assignment: the first one until it may have
        changed, and the one described at the end for an ISR that lasts until then, or has exactly these members.

        A state without replicas keeps the last ones that a line stated, which say nothing about the time after a
        reassignment.
        """
        first = self.first_assigned(span.start_ts)
        if span.replicas is not None and (first is not None or _members(span.replicas) != self._is_carried):
            return span.replicas
        if first is not None:
            return first
        if self._described is not None and (span.end_ts is None or _members(span.isr) == self._at_end):
            return self._described
        return None


def _members(replicas: Sequence[int] | None) -> list[int] | None:
    return None if replicas is None else sorted(replicas)
