"""F23: ISR changes that a leader asked for and whose answer came late.

A leader asks the controller to remove a member (AlterPartition; before inter.broker.protocol.version 2.7 it writes to ZooKeeper
itself). Until the answer it counts the member, so the high watermark cannot pass what that member has fetched (facts §1,
maximal ISR). An answer takes up to 5 s (facts §6.1, R14).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from replay.facts.groups import by_key, grouped
from replay.facts.lines import is_own_line
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, known, least, millis
from replay.faults.earliest_lines import combined, events_of, lines_of, second_of
from replay.faults.kinds import BY_NAME, Stops
from replay.faults.shape import fault
from replay.faults.shrinking_isrs import SHRINK, removed_from_isr
from replay.sentences import statement
from replay.sentences.spans import span
from replay.tables.brokers import Controller
from replay.tables.faults import Fault, LateIsrChange
from replay.tables.reading import Event, Fact

LATE_MS = 5_000
_UPDATED, _STORED = "isr_updated", "alter_partition_isr_updated"
_ANSWERS = frozenset((SHRINK, "isr_expand", _UPDATED, "isr_update_zk_version_conflict"))
_FOUND = "controller_recorded"
_ASKS = re.compile(r"(?i)-to-controller-send-thread|alter-?(?:isr|partition)")  # the channel of these requests
_OWN_WRITE = "zkVersion"  # a leader that writes to ZooKeeper itself prints this


def late_isr_changes(partition_events: Sequence[Event]) -> list[LateIsrChange]:
    """The members that leaders asked to remove and whose removal was confirmed late; merged by second.

    Only the same leader's next line about the ISR, with the same ISR, is the answer. Any other line means that somebody else
    decided meanwhile.
    """
    own = [event for event in partition_events if event.kind in _ANSWERS and is_own_line(event)]
    if not any(event.kind == SHRINK for event in own):
        return []
    stored = [event for event in partition_events if event.kind == _STORED and is_own_line(event)]
    found = []
    for lines in grouped(own, lambda event: event.node_id).values():
        lines.sort(key=lambda event: (event.ts, event.line_number))
        for request, answer in pairwise(lines):
            if _is_late(request, answer):
                found.append(_late(request, answer, stored))
    return all_late_isr_changes(found)


def _is_late(request: Event, answer: Event) -> bool:
    return (
        request.kind == SHRINK
        and answer.kind == _UPDATED
        and request.isr is not None
        and sorted(request.isr) == sorted(answer.isr or ())
        and (millis(answer.ts, request.ts) or 0) >= LATE_MS
    )


def _late(request: Event, answer: Event, stored: Iterable[Event]) -> LateIsrChange:
    waited_ms = millis(answer.ts, request.ts)
    same = [one.ts for one in stored if sorted(one.isr or ()) == sorted(request.isr or ())]
    return LateIsrChange(
        leader_id=request.node_id,
        to_zookeeper=_OWN_WRITE in (answer.message or ""),
        ts=request.ts,
        last_ts=request.ts,
        answered_ts=answer.ts,
        last_answered_ts=answer.ts,
        stored_ts=least(*[ts for ts in same if at_most(request.ts, ts) and at_most(ts, answer.ts)]),
        shortest_ms=waited_ms,
        longest_ms=waited_ms,
        removed=removed_from_isr(request),
        names=[f"{request.topic}-{request.partition}"],
        lines=lines_of([request, answer]),
    )


def all_late_isr_changes(late: Iterable[LateIsrChange]) -> list[LateIsrChange]:
    """The late changes of all partitions, merged by leader, second of the request and second of the answer."""
    groups = grouped(late, lambda one: (one.leader_id, second_of(one.ts), second_of(one.answered_ts)))
    return sorted(map(_together, groups.values()), key=lambda one: (one.leader_id, one.ts, one.answered_ts))


def _together(late: Sequence[LateIsrChange]) -> LateIsrChange:
    return min(late, key=lambda one: (one.ts, one.names)).but(
        ts=least(*[one.ts for one in late]),
        last_ts=greatest(*[one.last_ts for one in late]),
        answered_ts=least(*[one.answered_ts for one in late]),
        last_answered_ts=greatest(*[one.last_answered_ts for one in late]),
        stored_ts=least(*[one.stored_ts for one in late]),
        shortest_ms=least(*[one.shortest_ms for one in late]),
        longest_ms=greatest(*[one.longest_ms for one in late]),
        removed=sorted({id_ for one in late for id_ in one.removed}),
        names=sorted({name for one in late for name in one.names or ()}),
        lines=combined(one.lines for one in late),
    )


@reads(_FOUND)
def isr_changes_late(
    facts: Iterable[Fact],
    late_isr_changes: Iterable[LateIsrChange],
    controllers: Sequence[Controller],
    faults: Sequence[Fault],
) -> list[Fault]:
    """F23: a leader whose ISR changes were confirmed late, one fault for all of them that were asked for at one time.

    Ignores changes during which the controller changed, the leader found the controller, or the controller had a fault
    of its own: the absence of the controller explains the wait, and is reported itself.
    """
    found = by_key(
        (fact for fact in facts if fact.kind == _FOUND and _ASKS.search(fact.message or "")),
        lambda fact: fact.node_id,
        lambda fact: fact.ts,
    )
    rows = [
        one
        for one in late_isr_changes
        if one.to_zookeeper
        or (_was_answered_by_one(one, controllers, faults) and not _found_meanwhile(one, found[one.leader_id]))
    ]
    return [
        _late_changes(together, controllers)
        for own in grouped(rows, lambda one: one.leader_id).values()
        for together in _overlapping(own)
    ]


def _found_meanwhile(change: LateIsrChange, found: Iterable[datetime | None]) -> bool:
    """Whether the leader found a controller between the request and the answer."""
    return any(less(change.ts, ts) and at_most(ts, change.last_answered_ts) for ts in found)


def _overlapping(rows: Iterable[LateIsrChange]) -> Iterator[list[LateIsrChange]]:
    together: list[LateIsrChange] = []
    for row in sorted(rows, key=lambda one: one.ts):
        if together and less(greatest(*[one.last_answered_ts for one in together]), row.ts):
            yield together
            together = []
        together.append(row)
    if together:
        yield together


def _tenure_at(controllers: Iterable[Controller], ts: datetime) -> Controller | None:
    return max(
        (one for one in controllers if at_most(one.start_ts, ts) and not less(one.end_ts, ts)),
        key=lambda one: one.start_ts,
        default=None,
    )


def _was_answered_by_one(late: LateIsrChange, controllers: Sequence[Controller], faults: Iterable[Fault]) -> bool:
    """Whether one controller was active from the request to the answer, and had no fault that could have kept it from
    answering everybody. A cut between it and the leader is the leader's fault.
    """
    tenure = _tenure_at(controllers, late.ts)
    until = late.last_answered_ts
    if tenure is None or less(tenure.end_ts, until) or tenure.controller_id is None:
        return False
    return not any(
        one.broker_id == tenure.controller_id != late.leader_id
        and (BY_NAME[one.kind].stops & Stops.VOTING or one.kind == "controller_overloaded")
        and late.leader_id not in (one.peers or ())
        and at_most(first_known(one.began_low, one.ts), until)
        and not less(first_known(one.ended_high, one.end_ts), late.ts)
        for one in faults
    )


def _late_changes(rows: Sequence[LateIsrChange], controllers: Iterable[Controller]) -> Fault:
    ts, until = rows[0].ts, greatest(*[one.last_answered_ts for one in rows])
    tenure = _tenure_at(controllers, ts)
    low_ms, high_ms = least(*[one.shortest_ms for one in rows]), greatest(*[one.longest_ms for one in rows])
    stored = least(*known(one.stored_ts for one in rows))
    names = sorted({name for one in rows for name in one.names or ()})
    removed = sorted({id_ for one in rows for id_ in one.removed})
    to_zookeeper = all(one.to_zookeeper for one in rows)
    return fault(
        "isr_changes_late",
        statement(
            "isr_changes_answered_late",
            broker=rows[0].leader_id,
            controller=None if to_zookeeper or tenure is None else tenure.controller_id,
            zookeeper=to_zookeeper,
            count=len(names),
            all_removed=removed,
            removed=len(removed),
            at_from=ts,
            at_to=until,
            waited=span(low_ms, high_ms),
            undelivered=stored is not None and (millis(stored, ts) or 0) >= LATE_MS,
            unanswered=stored is not None and (millis(until, stored) or 0) >= LATE_MS,
            at_stored=stored,
        ),
        broker_id=rows[0].leader_id,
        ts=ts,
        end_ts=until,
        began_low=ts,
        partitions=names,
        confidence=0.95,
        evidence=events_of(combined(one.lines for one in rows)),
    )
