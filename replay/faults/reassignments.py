"""Partitions that operators reassigned to other replicas (F18), from the request and the resulting changes."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

from replay.facts.evidence import in_turn, joined, of_rows
from replay.facts.times import greatest, least, millis
from replay.faults.earliest_lines import events_of
from replay.faults.kinds import LOWERED
from replay.faults.requests import ONE_REQUEST_MS
from replay.faults.shape import begin_of, bursts_of, end_of, fault
from replay.sentences.statement import Statement, statement
from replay.tables.faults import Fault, MovedPartition
from replay.tables.partitions import ReplicaChange

_CLOCKS_DIFFER = timedelta(seconds=10)  # a broker's line about a change can be dated this long before the request


def reassigned(
    moved_partitions: Iterable[MovedPartition],
    replica_changes: Iterable[ReplicaChange],
    min_isr_of: Mapping[str, int | None],
) -> list[Fault]:
    """F18: each request with the changes that follow it, and the changes whose request no line shows.

    Partitions that lose replicas are a separate fault.
    """
    requests = list(bursts_of(moved_partitions, by=lambda _: None, gap_ms=ONE_REQUEST_MS))
    found: list[Fault] = []
    for request, changes in _with_changes(requests, replica_changes):
        lowered = [change for change in changes if len(change.after) < len(change.before)]
        others = [change for change in changes if len(change.after) >= len(change.before)]
        if lowered:
            found.append(_fault(LOWERED, request, lowered, min_isr_of))
        if others or not lowered:
            found.append(_fault("reassigned", request, others, min_isr_of))
    return found


def _with_changes(
    requests: Sequence[Sequence[MovedPartition]], replica_changes: Iterable[ReplicaChange]
) -> Iterator[tuple[Sequence[MovedPartition], list[ReplicaChange]]]:
    """The changes, grouped by the last request before them. Changes without a request form their own groups."""
    dated = [request for request in requests if begin_of(request) is not None]
    begins = [begin_of(request) for request in dated]
    of_request: dict[int, list[ReplicaChange]] = defaultdict(list)
    for change in sorted(replica_changes, key=lambda one: (one.ts, one.topic, one.partition)):
        of_request[bisect_right(begins, change.ts + _CLOCKS_DIFFER) - 1].append(change)
    for changes in _bursts(of_request[-1]):
        yield (), changes
    yield from ((request, of_request[at]) for at, request in enumerate(dated))
    yield from ((request, []) for request in requests if begin_of(request) is None)


def _bursts(changes: Sequence[ReplicaChange]) -> Iterator[list[ReplicaChange]]:
    boundaries = [
        at for at, (one, then) in enumerate(pairwise(changes), 1) if (millis(then.ts, one.ts) or 0) > ONE_REQUEST_MS
    ]
    for begin, end in pairwise([0, *boundaries, len(changes)]):
        if begin < end:
            yield list(changes[begin:end])


def _fault(
    kind: str,
    request: Sequence[MovedPartition],
    changes: Sequence[ReplicaChange],
    min_isr_of: Mapping[str, int | None],
) -> Fault:
    ts = least(begin_of(request), *[change.ts for change in changes])
    named = {name for seconds in request for name in seconds.names} if not changes else set()
    return fault(
        kind,
        _changed(request, changes, min_isr_of) if changes else statement("asked_to_move_partitions"),
        broker_id=None,  # the controller that logs the request is not affected
        ts=ts,
        began_low=ts,
        end_ts=greatest(end_of(request), *[change.last_ts for change in changes]),
        partitions=sorted({*named, *(f"{change.topic}-{change.partition}" for change in changes)}),
        confidence=0.95,
        evidence=joined(
            in_turn(events_of(seconds.lines) for seconds in request),
            of_rows(((change.ts, change.evidence) for change in changes), each=3),
        ),
    )


def _changed(
    request: Sequence[MovedPartition], changes: Sequence[ReplicaChange], min_isr_of: Mapping[str, int | None]
) -> Statement:
    sizes = {(len(change.before), len(change.after)) for change in changes}
    before, after = next(iter(sizes)) if len(sizes) == 1 else (None, None)
    minima = {min_isr_of.get(change.topic) for change in changes}
    deleted_on = sorted({broker for change in changes for broker in change.deleted_on})
    return statement(
        "replicas_were_changed",
        count=len(changes),
        all_topics=sorted({change.topic for change in changes}),
        asked=bool(request),
        unasked=not request,
        before=None if before == after else before,
        after=None if before == after else after,
        logs=sum(len(change.deleted_on) for change in changes) or None,
        all_deleted_on=deleted_on or None,
        **(_one_failure_away(after, next(iter(minima))) if after is not None and len(minima) == 1 else {}),
    )


def _one_failure_away(after: int, min_isr: int | None) -> dict[str, Any]:
    """How a partition with `after` replicas is affected by the failure of one broker."""
    is_blocked = min_isr is not None and 1 < after <= min_isr
    leaves_one = after == 2 and not is_blocked
    return {
        "alone": after == 1,
        "leaves_one": leaves_one,
        "blocks": is_blocked,
        "min_isr": min_isr if leaves_one or is_blocked else None,
    }
