"""Which brokers the ISR shrinks point at (operator question 5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.facts.evidence import earliest
from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.times import first_known, unix_millis
from replay.faults.kinds import DISKS
from replay.tables.brokers import BrokerSession
from replay.tables.faults import Fault
from replay.tables.partitions import EligibleLeader, IsrShrink
from replay.tables.questions import IsrDrop

# A dead broker leaves an ISR for lag this shortly before its session ends, or by the controller's decision after it.
_AROUND_MS = 30_000


@dataclass(slots=True)
class _Drop:
    """A broker that left an ISR.

    - `as_directory_failed`: its replica was in a log directory that had failed. `as_session_ended`: if not, whether
      its session ended at about that time. `by_several`: several leaders removed it then.
    - `suspect`: the broker that the removal points at; None if unknown.
    """

    shrink: IsrShrink | EligibleLeader
    broker: int
    at_ms: int
    as_directory_failed: bool
    as_session_ended: bool
    by_several: bool = False
    suspect: int | None = None

    @property
    def is_of_broker(self) -> bool:
        """Whether something that happened to the broker removed it, whoever led."""
        return self.as_directory_failed or self.as_session_ended


def isr_drops(
    isr_shrinks: Iterable[IsrShrink],
    recorded_sessions: Iterable[BrokerSession],
    faults: Iterable[Fault],
    eligible_leaders: Iterable[EligibleLeader],
) -> list[IsrDrop]:
    """Which brokers left ISRs under which leaders, and which of the two is the suspect.

    The suspect is a broker that several leaders remove at about the same time, or whose session ended or whose log
    directory had failed then. It is the leader if it removes several brokers then and no other leader removes any of
    them. Otherwise, or if different removals point at different brokers, there is no suspect. The last member leaves an ISR
    only as it is fenced or stopped (KIP-966); the partition then has no leader, -1. A ZooKeeper controller can remove a
    broker in the write that leaves the partition without a leader.
    """
    drops = [*_drops(isr_shrinks, recorded_sessions, _failed_directories(faults)), *_last_members(eligible_leaders)]
    for of_broker in by_key(drops, lambda drop: drop.broker).values():
        for drop, leaders in _around(of_broker, lambda drop: drop.shrink.leader_id):
            drop.by_several = len(leaders) > 1
    for of_leader in by_key(drops, lambda drop: drop.shrink.leader_id).values():
        unexplained = [drop for drop in of_leader if not drop.is_of_broker]
        for drop, others in _around(unexplained, lambda drop: (drop.broker, drop.by_several)):
            brokers, shared = {broker for broker, _ in others}, any(by_several for _, by_several in others)
            if not drop.by_several and len(brokers) > 1 and not shared:
                drop.suspect = drop.shrink.leader_id
    for drop in drops:
        if drop.by_several or drop.is_of_broker:
            drop.suspect = drop.broker
    return [_row(own) for own in by_key(drops, lambda drop: (drop.broker, drop.shrink.leader_id)).values()]


def _last_members(eligible_leaders: Iterable[EligibleLeader]) -> Iterator[_Drop]:
    """The last members of ISRs that became empty, each once for a leader epoch without a leader."""
    seen = set()
    for row in eligible_leaders:
        of_epoch = row.topic, row.topic_id, row.partition, row.leader_epoch
        if row.leader_id == -1 and row.isr == [] and len(row.last_known_elr or ()) == 1 and of_epoch not in seen:
            seen.add(of_epoch)
            yield _Drop(row, row.last_known_elr[0], unix_millis(row.start_ts), False, as_session_ended=True)


def _failed_directories(faults: Iterable[Fault]) -> Mapping[tuple[int, str], list[Fault]]:
    """The failures of log directories, by broker and partition."""
    failed: dict[tuple[int, str], list[Fault]] = defaultdict(list)
    for fault in faults:
        if fault.kind in DISKS and fault.broker_id is not None:
            for name in fault.partitions or ():
                failed[fault.broker_id, name].append(fault)
    return failed


def _is_on_failed(shrink: IsrShrink, failed: Iterable[Fault]) -> bool:
    """Whether a replica left an ISR while its log directory had failed (facts §5, F14): it returns with the next process
    of its broker at the earliest.
    """
    return any(
        at_most(first_known(one.began_low, one.ts), shrink.start_ts)
        and (one.end_ts is None or less(shrink.start_ts, one.end_ts))
        for one in failed
    )


def _drops(
    shrinks: Iterable[IsrShrink], sessions: Iterable[BrokerSession], failed: Mapping[tuple[int, str], list[Fault]]
) -> Iterator[_Drop]:
    ends: dict[int, list[int]] = defaultdict(list)
    for session in sessions:
        if session.end_ts is not None:
            ends[session.broker_id].append(unix_millis(session.end_ts))
    for shrink in shrinks:
        if shrink.leader_id is not None and shrink.start_ts is not None:
            at_ms = unix_millis(shrink.start_ts)
            for broker in shrink.removed or ():
                if broker != shrink.leader_id:
                    on_failed = _is_on_failed(shrink, failed.get((broker, f"{shrink.topic}-{shrink.partition}"), ()))
                    ended = not on_failed and any(abs(at_ms - end) <= _AROUND_MS for end in ends[broker])
                    yield _Drop(shrink, broker, at_ms, on_failed, ended)


def _around(drops: Sequence[_Drop], value: Callable[[_Drop], Any]) -> Iterator[tuple[_Drop, Mapping[Any, int]]]:
    """Each removal with the values of all removals at about the same time, including itself, and their counts."""
    in_time = sorted(drops, key=lambda drop: drop.at_ms)
    values: Counter[Any] = Counter()
    first = end = 0
    for drop in in_time:
        while end < len(in_time) and in_time[end].at_ms <= drop.at_ms + _AROUND_MS:
            values[value(in_time[end])] += 1
            end += 1
        while in_time[first].at_ms < drop.at_ms - _AROUND_MS:
            values[value(in_time[first])] -= 1
            if not values[value(in_time[first])]:
                del values[value(in_time[first])]
            first += 1
        yield drop, values


def _row(own: Sequence[_Drop]) -> IsrDrop:
    first = own[0]
    suspects = {drop.suspect for drop in own}
    times: list[datetime] = [drop.shrink.start_ts for drop in own]
    return IsrDrop(
        broker_id=first.broker,
        leader_id=first.shrink.leader_id,
        drops=len(own),
        as_directory_failed=sum(drop.as_directory_failed for drop in own),
        as_session_ended=sum(drop.as_session_ended for drop in own),
        partition_count=len({(drop.shrink.topic, drop.shrink.partition) for drop in own}),
        suspect_id=suspects.pop() if len(suspects) == 1 else None,
        first_ts=min(times),
        last_ts=max(times),
        evidence=earliest((drop.shrink.start_ts, drop.shrink.evidence[0]) for drop in own if drop.shrink.evidence),
    )
