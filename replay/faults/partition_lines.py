"""What the fault rules need from the lines about one partition: few rows, however many partitions there are."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from replay.facts.evidence import earliest
from replay.facts.groups import grouped
from replay.facts.lines import detail, detail_number, is_own_line
from replay.facts.order import nulls_first
from replay.facts.times import first_known, greatest, least, millis
from replay.faults.earliest_lines import combined, first_of, second_of
from replay.faults.late_metadata import LATE_MS
from replay.faults.shrinking_isrs import SHRINK, removed_from_isr
from replay.faults.written_lines import ROLES
from replay.tables.faults import DamagedPartition, GivenUpPartition, LateRole
from replay.tables.reading import Event

AT_ONCE_MS = 1_000  # the largest gap between two lines of one event
ATTEMPTS, IN_VAIN_MS = 3, 5_000  # a batch that was corrupted in transit is intact when fetched again
RETRIED_MS = 120_000  # a fetch of a corrupt batch is retried within seconds: after this gap, it is a new corruption
_ERROR, _FAILED, _CORRUPT = "fetch_process_error", "fetch_partition_failed", "fetch_corrupt_records"
_EXCEPTION = re.compile(r"\b[A-Za-z]\w*Exception.*", re.ASCII)


def late_roles(partition_events: Sequence[Event]) -> list[LateRole]:
    """The roles that a broker took on long after another broker did in the same decision of a KRaft controller,
    merged by second.

    Compares only lines with the same partition epoch: a replica that is added later starts with a later one.
    """
    roles = [event for event in partition_events if event.kind in ROLES and _is_decided(event)]
    decisions = grouped(roles, lambda role: (role.topic_id, role.leader_epoch, role.partition_epoch))
    return all_late_roles(late for own in decisions.values() for late in _late_in_decision(own))


def _is_decided(role: Event) -> bool:
    return is_own_line(role) and None not in (role.topic_id, role.leader_epoch, role.partition_epoch)


def _late_in_decision(roles: Sequence[Event]) -> Iterator[LateRole]:
    first = min(roles, key=lambda role: (role.ts, role.event_id))
    for role in roles:
        late_ms = millis(role.ts, first.ts) or 0
        if late_ms >= LATE_MS:
            yield LateRole(
                node_id=role.node_id,
                first_ts=first.ts,
                first_event=first.event_id,
                ts=role.ts,
                last_ts=role.ts,
                event_id=role.event_id,
                late_ms=late_ms,
                names=[f"{role.topic_id}/{role.partition}"],
                lines=first_of([(role.ts, role.event_id)]),
            )


def all_late_roles(late: Iterable[LateRole]) -> list[LateRole]:
    """The late roles of all partitions, merged by broker, second of the role and second of the decision."""
    groups = grouped(late, lambda role: (role.node_id, second_of(role.first_ts), second_of(role.ts)))
    rows = [_late_together(own) for own in groups.values()]
    return sorted(rows, key=lambda role: (role.node_id, role.first_ts, role.ts))


def _late_together(roles: Sequence[LateRole]) -> LateRole:
    first = min(roles, key=lambda role: (role.first_ts, role.first_event))
    return first.but(
        ts=min(role.ts for role in roles),
        last_ts=greatest(*[role.last_ts for role in roles]),
        event_id=least(*[role.event_id for role in roles]),
        late_ms=greatest(*[role.late_ms for role in roles]),
        names=sorted({name for role in roles for name in role.names}),
        lines=combined(role.lines for role in roles),
    )


def given_up_partitions(partition_events: Sequence[Event]) -> list[GivenUpPartition]:
    """Fetchers that marked the partition as failed because of an error, each with the next time at which its leader
    removed the fetcher's broker from the ISR; merged by second.
    """
    timed = [event for event in partition_events if event.ts is not None]
    errors = [event for event in timed if event.kind == _ERROR and not _is_of_storage(event)]
    if not errors:
        return []
    failed = grouped((event for event in timed if event.kind == _FAILED), lambda event: event.node_id)
    shrinks = [event for event in timed if event.kind == SHRINK and event.isr is not None]
    dropped: dict[int, list[Event]] = {}
    for shrink in sorted(shrinks, key=_place):
        for broker in removed_from_isr(shrink):
            dropped.setdefault(broker, []).append(shrink)
    for failures in failed.values():
        failures.sort(key=_place)
    found = (_given_up_for(error, failed.get(error.node_id, ()), dropped.get(error.node_id, ())) for error in errors)
    return all_given_up_partitions(one for one in found if one is not None)


def _given_up_for(error: Event, failures: Sequence[Event], drops: Sequence[Event]) -> GivenUpPartition | None:
    """The partition that a fetcher marked as failed for one error; None if it did not, or if the leader never
    removed the broker afterwards.
    """
    at_once = timedelta(milliseconds=AT_ONCE_MS)
    at = bisect_left(failures, error.ts - at_once, key=lambda failure: failure.ts)
    if at == len(failures) or failures[at].ts > error.ts + at_once:
        return None
    after = bisect_left(drops, failures[at].ts, key=lambda drop: drop.ts)
    return _given_up(error, failures[at], drops[after]) if after < len(drops) else None


def _is_of_storage(error: Event) -> bool:
    return "KafkaStorageException" in f"{error.message or ''} {detail(error, 'exception') or ''}"


def _given_up(error: Event, failure: Event, shrink: Event) -> GivenUpPartition:
    return GivenUpPartition(
        node_id=error.node_id,
        error_ts=error.ts,
        last_error_ts=error.ts,
        failed_ts=failure.ts,
        dropped_ts=shrink.ts,
        last_dropped_ts=shrink.ts,
        errors=first_of([(error.ts, error.event_id)]),
        drops=first_of([(shrink.ts, shrink.event_id)]),
    )


def all_given_up_partitions(given_up: Iterable[GivenUpPartition]) -> list[GivenUpPartition]:
    """The partitions that fetchers marked as failed, merged by broker, second of the errors and second of the
    shrinks.
    """
    groups = grouped(given_up, lambda row: (row.node_id, second_of(row.error_ts), second_of(row.dropped_ts)))
    rows = [_given_up_together(own) for own in groups.values()]
    return sorted(rows, key=lambda row: (row.node_id, row.error_ts, row.dropped_ts))


def _given_up_together(rows: Sequence[GivenUpPartition]) -> GivenUpPartition:
    return GivenUpPartition(
        node_id=rows[0].node_id,
        error_ts=min(row.error_ts for row in rows),
        last_error_ts=greatest(*[row.last_error_ts for row in rows]),
        failed_ts=least(*[row.failed_ts for row in rows]),
        dropped_ts=min(row.dropped_ts for row in rows),
        last_dropped_ts=greatest(*[row.last_dropped_ts for row in rows]),
        errors=combined(row.errors for row in rows),
        drops=combined(row.drops for row in rows),
    )


def damaged_partitions(partition_events: Sequence[Event]) -> list[DamagedPartition]:
    """The partition if followers repeatedly fetched the same corrupt records, with its leader and ISR at that time."""
    refused = [event for event in partition_events if event.kind == _CORRUPT]
    if len(refused) < ATTEMPTS:
        return []
    rows = []
    for number, burst in enumerate(_bursts(refused), start=1):
        for (leader,), own in grouped(burst, lambda event: (event.leader_id,)).items():
            damaged = _damaged(number, leader, own, partition_events)
            if damaged is not None:
                rows.append(damaged)
    return rows


def _bursts(refused: Iterable[Event]) -> Iterator[list[Event]]:
    """The lines in bursts at gaps longer than `RETRIED_MS`. Lines without a time form one burst."""
    burst: list[Event] = []
    for event in sorted(refused, key=lambda event: nulls_first(event.ts, event.event_id)):
        apart_ms = millis(event.ts, burst[-1].ts) if burst else None
        begins = apart_ms > RETRIED_MS if apart_ms is not None else event.ts is not None
        if burst and begins:
            yield burst
            burst = []
        burst.append(event)
    yield burst


def _damaged(
    number: int, named_leader: int | None, refused: Sequence[Event], events: Sequence[Event]
) -> DamagedPartition | None:
    """The corrupt records that one leader sent in one burst; None if a retry may succeed, or if the leader is
    unknown.

    Up to 1.0 the line does not name the leader.
    """
    first, ts, last_ts = refused[0], refused[0].ts, refused[-1].ts
    if len(refused) < ATTEMPTS or (millis(last_ts, ts) or 0) < IN_VAIN_MS:
        return None
    before = [event for event in events if event.ts is not None and event.ts <= ts]
    leaders = [event for event in before if event.kind == "leader_start"]
    isrs = [event for event in before if event.isr is not None]
    leader = first_known(named_leader, max(leaders, key=_place).node_id if leaders else None)
    if leader is None:
        return None
    exception = _EXCEPTION.search(detail(first, "exception") or detail(first, "error") or "")
    return DamagedPartition(
        name=f"{first.topic}-{first.partition}",
        burst=number,
        leader_id=leader,
        isr=max(isrs, key=_place).isr if isrs else None,
        ts=ts,
        last_ts=last_ts,
        attempts=len(refused),
        fetch_offset=least(*[detail_number(event, "fetch_offset") for event in refused]),
        followers=sorted({event.node_id for event in refused if event.node_id is not None}),
        error=exception[0] if exception else None,
        evidence=earliest((event.ts, event.event_id) for event in refused),
    )


def _place(event: Event) -> tuple[Any, ...]:
    """The sort key of lines: by time, then by position in the file."""
    ts: datetime = event.ts
    return ts, event.line_number or 0, event.event_id
