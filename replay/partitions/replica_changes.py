"""Which replicas a partition had before a reassignment and after it, from the lines that show what it changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from replay.facts.evidence import earliest
from replay.facts.groups import grouped
from replay.facts.lines import detail
from replay.facts.order import nulls_first
from replay.facts.times import greatest, least
from replay.partitions.broker_moves import APPLIED_WITHIN_MS, LOG_DELETED
from replay.partitions.isr_spans import isr_order
from replay.partitions.lives import TopicLives
from replay.tables.partitions import Assignment, CommittedIsr, ReplicaChange, RoleLine
from replay.tables.reading import Event

_ASSIGNED_ANEW = (
    "controller_reassign_assignment_updated",
    "kraft_reassignment_replayed",
    "alter_partition_completed_reassignment",
    "alter_partition_completed_reassignment_leader_change",
)
_CHANGING = frozenset((LOG_DELETED, *_ASSIGNED_ANEW))
_REPLICAS = re.compile(r"ReplicaAssignment\(replicas=(\d+(?:,\d+)*)")
_APPLIED_WITHIN = timedelta(milliseconds=APPLIED_WITHIN_MS)


@dataclass(frozen=True, slots=True)
class _Stated:
    """The replicas of a partition in order of preference, when a line first stated them, and that line."""

    replicas: Sequence[int]
    ts: datetime | None
    evidence: Sequence[str] = ()


def replica_changes(
    committed_isrs: Sequence[CommittedIsr],
    assignments: Sequence[Assignment],
    partition_events: Sequence[Event],
    role_lines: Sequence[RoleLine],
    lives: TopicLives,
) -> list[ReplicaChange]:
    """The changes of one partition's replicas. A new order of the same replicas counts only if a line shows a
    reassignment.
    """
    assignment = next(iter(assignments), None)
    changing = [event for event in partition_events if event.kind in _CHANGING and event.ts is not None]
    changes: list[ReplicaChange] = []
    for life, own in sorted(grouped(committed_isrs, lambda span: span.life).items()):
        spans = sorted(own, key=isr_order)
        events = [event for event in changing if lives.life(event.topic, event.ts) == life]
        stated = sorted([*_of_spans(spans), *_of_reassignments(events)], key=lambda one: nulls_first(one.ts))
        is_last, is_gone = life == lives.life(spans[0].topic, None), lives.end(spans[0].topic, life) is not None
        deleted = {} if is_gone else _deletions(events, role_lines)
        if is_last and not is_gone and assignment is not None and assignment.described is not None:
            if assignment.assigned is None:
                stated = [_before_description(assignment.described, spans, deleted), *stated]
            stated.append(_Stated(assignment.described, None))
        stated.extend(_without_deleted(stated, deleted, spans))
        is_asked = assignment is not None and assignment.moved_ts is not None
        for before, after in pairwise(_lasting(stated)):
            if is_asked or set(before.replicas) != set(after.replicas):
                changes.extend(_change(spans[0], before, after, deleted))
    return changes


def _of_spans(spans: Iterable[CommittedIsr]) -> Iterator[_Stated]:
    for span in spans:
        if span.replicas is not None and span.start_ts is not None:
            yield _Stated(span.replicas, span.start_ts, span.evidence)


def _before_description(described: Sequence[int], spans: Sequence[CommittedIsr], deleted: Iterable[int]) -> _Stated:
    """The replicas before a reassignment that no line states: those described since, and brokers that deleted their logs."""
    removed = [broker for broker in deleted if broker not in described]
    return _Stated([*described, *removed], spans[0].start_ts, spans[0].evidence)


def _of_reassignments(events: Iterable[Event]) -> Iterator[_Stated]:
    """What controllers state of the replicas of a partition that is reassigned."""
    for event in events:
        if event.kind in _ASSIGNED_ANEW:
            printed = _REPLICAS.match(detail(event, "assignment") or "")
            replicas = event.replicas or (printed and [int(replica) for replica in printed.group(1).split(",")])
            if replicas:
                yield _Stated(replicas, event.ts, [event.event_id])


def _deletions(events: Iterable[Event], role_lines: Iterable[RoleLine]) -> dict[int, Event]:
    """The first line in which each broker deleted its log of the partition, without those that had a role in it afterwards."""
    last_role: dict[int, datetime] = {}
    for role in role_lines:
        if role.ts is not None:
            last_role[role.node_id] = max(role.ts, last_role.get(role.node_id, role.ts))
    first: dict[int, Event] = {}
    for event in sorted((one for one in events if one.kind == LOG_DELETED and one.node_id is not None), key=_in_time):
        if not (event.node_id in last_role and last_role[event.node_id] > event.ts):
            first.setdefault(event.node_id, event)
    return first


def _in_time(event: Event) -> tuple[datetime, int]:
    return event.ts, event.line_number


def _without_deleted(
    stated: Sequence[_Stated], deleted: Mapping[int, Event], spans: Sequence[CommittedIsr]
) -> Iterator[_Stated]:
    """The replicas without those whose logs were deleted, and with later members of the ISR, if no line states them. A topic
    that is deleted has no later ISR without the broker.
    """
    if not stated:
        return
    gone = [broker for broker in stated[-1].replicas if broker in deleted]
    if not gone or stated[-1].ts is None:
        return
    ts = min(deleted[broker].ts for broker in gone)
    later = [span for span in spans if span.start_ts is not None and span.start_ts >= ts - _APPLIED_WITHIN]
    later = [span for span in later if span.isr and not set(gone) & set(span.isr)]
    kept = [broker for broker in stated[-1].replicas if broker not in gone]
    added = sorted({broker for span in later for broker in span.isr} - set(kept))
    if later:
        yield _Stated([*kept, *added], ts, [deleted[gone[0]].event_id])


def _lasting(stated: Sequence[_Stated]) -> list[_Stated]:
    """The replicas one after the other, without those in between that hold both the ones before and the ones after."""
    pairs = zip(stated, (None, *stated), strict=False)
    distinct = [one for one, before in pairs if before is None or list(one.replicas) != list(before.replicas)]
    around = zip((None, *distinct), distinct, (*distinct[1:], None), strict=False)
    return [
        one
        for before, one, after in around
        if before is None or after is None or not (_has_more(one, before) and _has_more(one, after))
    ]


def _has_more(one: _Stated, other: _Stated) -> bool:
    return set(one.replicas) > set(other.replicas)


def _change(
    span: CommittedIsr, before: _Stated, after: _Stated, deleted: Mapping[int, Event]
) -> Iterator[ReplicaChange]:
    """The change, if a line dates it."""
    logs = [deleted[broker] for broker in before.replicas if broker not in after.replicas and broker in deleted]
    ts = least(after.ts, *[event.ts for event in logs])
    if ts is not None:
        yield ReplicaChange(
            topic=span.topic,
            partition=span.partition,
            ts=ts,
            last_ts=greatest(after.ts, *[event.ts for event in logs]),
            before=before.replicas,
            after=after.replicas,
            deleted_on=sorted(event.node_id for event in logs),
            evidence=earliest(
                [
                    *((before.ts, line) for line in before.evidence[:1]),
                    *((after.ts, line) for line in after.evidence[:2]),
                    *((event.ts, event.event_id) for event in logs),
                ]
            ),
        )
