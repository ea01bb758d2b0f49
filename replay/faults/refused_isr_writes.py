"""ISR writes that ZooKeeper refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from replay.facts.evidence import earliest
from replay.facts.groups import grouped
from replay.facts.reads import reads
from replay.facts.times import millis
from replay.facts.timings import Timings
from replay.faults.shape import begin_of, bursts_of, by_time, count_of, end_of
from replay.tables.brokers import NodeTimings
from replay.tables.faults import RefusedIsrWrite
from replay.tables.reading import Fact

REFUSED = "isr_update_zk_version_conflict"
LEAST_REFUSALS = 3  # a lost race succeeds on the next attempt; a leader with a stale state never succeeds


@dataclass(frozen=True, slots=True)
class _OfPartition:
    """The refused writes of one partition in one burst."""

    name: str | None
    count: int
    ts: datetime
    last_ts: datetime
    event_id: str
    period_ms: float | None


@reads(REFUSED)
def refused_isr_writes(facts: Iterable[Fact], timings: Iterable[NodeTimings]) -> list[RefusedIsrWrite]:
    """ISR writes for a partition that ZooKeeper repeatedly refused; one row per burst of a leader.

    A leader retries each write every half of `replica.lag.time.max.ms` (facts §5, F22).
    """
    waits = Timings(timings)
    refusals = [fact for fact in facts if fact.kind == REFUSED and fact.topic is not None and fact.ts is not None]
    bursts = bursts_of(
        refusals, by=lambda fact: fact.node_id, gap_ms=lambda fact: waits.at(fact.node_id, fact.ts).replica_lag_ms * 2
    )
    return [row for burst in bursts for row in _of_burst(burst)]


def _of_burst(burst: Sequence[Fact]) -> Iterator[RefusedIsrWrite]:
    of_partitions = grouped(burst, lambda fact: (fact.topic, fact.partition))
    again = [one for one in map(_of_partition, of_partitions.values()) if one.count >= LEAST_REFUSALS]
    if not again:
        return
    periods = [one.period_ms for one in again if one.period_ms is not None]
    yield RefusedIsrWrite(
        node_id=burst[0].node_id,
        ts=min(one.ts for one in again),
        last_ts=max(one.last_ts for one in again),
        count=sum(one.count for one in again),
        period_ms=int(median(periods)) if periods else None,
        partitions=sorted({one.name for one in again if one.name is not None}),
        evidence=earliest((one.ts, one.event_id) for one in again),
    )


def _of_partition(refusals: Sequence[Fact]) -> _OfPartition:
    """The refusals for one partition. A fact that represents several lines counts as that many."""
    in_time = sorted(refusals, key=by_time)
    first, count = in_time[0], count_of(in_time)
    ts, last_ts = begin_of(in_time), end_of(in_time)
    gaps = [millis(after.ts, before.ts) for before, after in pairwise(in_time)]
    known = [gap for gap in gaps if gap is not None]
    lasted = millis(last_ts, ts) or 0
    return _OfPartition(
        f"{first.topic}-{first.partition}" if first.partition is not None else None,
        count,
        ts,
        last_ts,
        first.event_id,
        median(known) if known and count == len(in_time) else lasted / (count - 1) if count > 1 else None,
    )
