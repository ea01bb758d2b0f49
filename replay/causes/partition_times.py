"""What partitions went through in each incident, summed over their own times (facts §7)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from replay.causes.incidents import AT_ONCE_MS, Incidents
from replay.causes.names import epoch_name
from replay.facts.groups import by_key
from replay.facts.order import at_most
from replay.facts.times import first_known, greatest, known, millis
from replay.histories.partition import has_leader, is_unclean
from replay.partitions.isr_spans import isr_order
from replay.tables.causes import PARTITION_TIMES, PartitionTime, TimeWithoutLeader, Vertex
from replay.tables.partitions import CommittedIsr, IsrShrink, LeaderEpoch

_SUMMED = tuple(name for name in PARTITION_TIMES.schema.names if name not in ("incident_id", "full_ts", "regained_ts"))
_State = tuple[int, int, int | None]  # life, leader epoch and place of a committed ISR; no place: all of its epoch


def partition_times(
    leader_epochs: Sequence[LeaderEpoch],
    without_leader: Iterable[TimeWithoutLeader],
    committed_isrs: Sequence[CommittedIsr],
    isr_shrinks: Iterable[IsrShrink],
    vertices: Iterable[Vertex],
    incident_index: Incidents,
) -> list[PartitionTime]:
    """The times of one partition, one row for each incident.

    A span counts whole, for the incident of its first happening. Sums over ISRs leave out partitions with unknown
    replicas, and are null if the replicas of none are known.
    """
    shrinks = list(isr_shrinks)
    of_states = _incidents_of_states(shrinks, leader_epochs, vertices)
    return merge_partition_times(
        [
            *_new_epochs(leader_epochs, incident_index),
            *_without_leader(without_leader, incident_index),
            *_isr_times(committed_isrs, of_states, incident_index),
            *_regained(committed_isrs, shrinks, of_states),
        ]
    )


def merge_partition_times(partition_times: Iterable[PartitionTime]) -> list[PartitionTime]:
    """One row an incident. A sum is null where no row knows it."""
    of_incident = by_key(partition_times, lambda row: row.incident_id)
    return [
        PartitionTime(
            incident_id=incident_id,
            full_ts=greatest(*(row.full_ts for row in rows)),
            regained_ts=greatest(*(row.regained_ts for row in rows)),
            **{name: _sum(getattr(row, name) for row in rows) for name in _SUMMED},
        )
        for incident_id, rows in sorted(of_incident.items())
    ]


def _sum(values: Iterable[int | None]) -> int | None:
    there = known(values)
    return sum(there) if there else None


def _new_epochs(leader_epochs: Iterable[LeaderEpoch], incident_index: Incidents) -> Iterator[PartitionTime]:
    """Leader epochs that kept their leader, and those with an unknown previous leader. Of the
    latter, one that had begun before its first line does not count: it may have begun long before the incident.
    """
    for epoch in leader_epochs:
        keeps_leader = epoch.reason == "isr_change"
        is_begun = has_leader(epoch) and epoch.leader_epoch > 0 and not epoch.begun_before
        is_counted = is_unclean(epoch) and epoch.old_leader_id == -1  # as an unclean election
        has_unknown_predecessor = is_begun and epoch.last_leader_id is None and not is_counted
        if keeps_leader or has_unknown_predecessor:
            incident_id = incident_index.at(epoch.start_ts, AT_ONCE_MS)
            if incident_id is not None:
                yield PartitionTime(
                    incident_id=incident_id, leader_epoch_bumps=int(keeps_leader), leaders_untold=int(not keeps_leader)
                )


def _without_leader(without_leader: Iterable[TimeWithoutLeader], incident_index: Incidents) -> Iterator[PartitionTime]:
    """The times without a live leader. A possible one belongs to the incident of the certain one in it: it may
    begin long before that, and is cut where that of another incident begins.
    """
    spans = sorted(without_leader, key=lambda span: span.start_ts)
    surely = [
        (span, incident_id)
        for span in spans
        if span.bound == "least" and (incident_id := incident_index.at(span.start_ts, AT_ONCE_MS)) is not None
    ]
    for span, incident_id in surely:
        yield PartitionTime(incident_id=incident_id, unserved_min_ms=_lasted_ms(span, incident_id, incident_index))
    for span in spans:
        if span.bound == "most":
            for part, incident_id in _of_incidents(span, surely, incident_index):
                ms = _lasted_ms(part, incident_id, incident_index)
                yield PartitionTime(incident_id=incident_id, unserved_max_ms=ms)


def _of_incidents(
    span: TimeWithoutLeader, surely: Iterable[tuple[TimeWithoutLeader, str]], incident_index: Incidents
) -> Iterator[tuple[TimeWithoutLeader, str]]:
    """The parts of a span, each with its incident."""
    held = [(one, incident_id) for one, incident_id in surely if _holds(span, one)]
    now = held[0][1] if held else incident_index.at(span.start_ts, AT_ONCE_MS)
    if now is None:
        return
    for one, incident_id in held:
        if incident_id != now:
            yield span.but(end_ts=one.start_ts), now
            span, now = span.but(start_ts=one.start_ts), incident_id
    yield span, now


def _holds(span: TimeWithoutLeader, one: TimeWithoutLeader) -> bool:
    return span.life == one.life and at_most(span.start_ts, one.start_ts) and not at_most(span.end_ts, one.start_ts)


def _lasted_ms(span: TimeWithoutLeader | CommittedIsr, incident_id: str, incident_index: Incidents) -> int:
    """How long a span lasted; one without an end lasts to the end of its incident."""
    _, over_ts = incident_index.spans[incident_id]
    return max(millis(first_known(span.end_ts, over_ts), span.start_ts) or 0, 0)


def _incidents_of_states(
    isr_shrinks: Iterable[IsrShrink], leader_epochs: Iterable[LeaderEpoch], vertices: Iterable[Vertex]
) -> dict[_State, str]:
    """The incidents of the committed ISRs with which ISRs shrank, and of the leader epochs that replaced ISRs."""
    of_vertex = {vertex.id: vertex.incident_id for vertex in vertices if vertex.incident_id is not None}
    names: dict[_State, str] = {
        (one.life, one.leader_epoch, None): epoch_name("election", one) for one in leader_epochs if is_unclean(one)
    }
    names |= {_state(shrink): shrink.id for shrink in isr_shrinks}
    return {state: of_vertex[name] for state, name in names.items() if name in of_vertex}


def _state(isr: CommittedIsr) -> _State:
    return isr.life, isr.leader_epoch, isr.state_order


def _isr_times(
    committed_isrs: Sequence[CommittedIsr], of_states: Mapping[_State, str], incident_index: Incidents
) -> Iterator[PartitionTime]:
    """Times with too few in sync. A span belongs to the incident of the last shrink or unclean election up to it, else to
    that of its time.
    """
    placed: list[tuple[str, CommittedIsr]] = []
    last_shrink: dict[int, str] = {}
    for isr in sorted(committed_isrs, key=isr_order):
        own = of_states.get(_state(isr)) or of_states.get((isr.life, isr.leader_epoch, None))
        if own is not None:
            last_shrink[isr.life] = own
        incident_id = last_shrink.get(isr.life) or incident_index.at(isr.start_ts, AT_ONCE_MS)
        if incident_id is not None:
            placed.append((incident_id, isr))
    last = {isr.life: isr for _, isr in placed}
    for incident_id, isr in placed:
        yield _isr_time(incident_id, isr, isr is last[isr.life], incident_index)


def _regained(
    committed_isrs: Iterable[CommittedIsr], shrinks: Iterable[IsrShrink], of_states: Mapping[_State, str]
) -> Iterator[PartitionTime]:
    """When each ISR that shrank first had all members of before again; for this the replicas need not be known."""
    of_life = by_key(sorted(committed_isrs, key=isr_order), lambda isr: isr.life)
    for shrink in shrinks:
        incident_id = of_states.get(_state(shrink))
        if incident_id is None:
            continue
        own = of_life[shrink.life]
        after = islice(own, bisect_right(own, isr_order(shrink), key=isr_order), None)
        whole = next((isr for isr in after if set(shrink.isr_was or ()) <= set(isr.isr or ())), None)
        ts = None if whole is None else whole.start_ts
        yield PartitionTime(incident_id=incident_id, regained_ts=ts, not_regained=int(ts is None))


def _isr_time(incident_id: str, isr: CommittedIsr, is_last: bool, incident_index: Incidents) -> PartitionTime:
    if isr.replicas is None or isr.isr is None:
        return PartitionTime(incident_id=incident_id, short_at_last=0)
    if len(isr.isr) >= len(isr.replicas):
        return PartitionTime(incident_id=incident_id, under_replicated_ms=0, short_at_last=0)
    return PartitionTime(
        incident_id=incident_id,
        under_replicated_ms=_lasted_ms(isr, incident_id, incident_index),
        full_ts=isr.end_ts,
        short_at_last=int(isr.end_ts is None and is_last),
    )
