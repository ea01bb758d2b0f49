"""What each incident cost: durations of partitions' states, each counted in one incident."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from replay.availability.claims import CAPPED_FROM
from replay.availability.cluster import Cluster, Incident, incidents_of
from replay.availability.ends import FAULT_ENDED
from replay.availability.reasons import (
    CLOSED,
    DEAD_LEADER,
    HOLDS_HIGH_WATERMARK,
    MAY_STOP_READS,
    NO_LEADER,
    NOT_LOGGED,
    OPEN,
    STOPS_READS,
    STORES_UNANSWERED,
)
from replay.availability.still_deposed import late_leaders
from replay.availability.tenures import in_time
from replay.facts.groups import by_key, grouped
from replay.facts.intervals import united
from replay.facts.order import nulls_first
from replay.facts.times import CLOCKS_DIFFER_MS, greatest, known, least, millis, plus_millis
from replay.reading.names import INTERNAL_TOPICS
from replay.tables.availability import (
    HARM_SUMS,
    INCIDENT_HARM,
    Downtime,
    HarmSpan,
    HarmSum,
    IncidentHarm,
    NodeOutage,
    ServiceSpan,
    TopicDowntime,
)
from replay.tables.causes import RootSpan
from replay.tables.partitions import IsrSpan, LeaderEpoch
from replay.tables.questions import DeposedLeader

BLOCKED, LEADERLESS, UNDER_MIN_ISR, SINGLE_COPY = "blocked", "leaderless", "under_min_isr", "single_copy"
AT_MIN_ISR, DEAD_IN_ISR = "at_min_isr", "dead_in_isr"
BY_RETURN, LATER, ROUTINE = "blocked_by_return", "blocked_later", "blocked_routinely"
STALE = "stale"  # a deposed leader may have kept clients waiting
STALE_ALL, STALE_ONE = "stale_all", "stale_one"  # the waiting clients: acks=all and consumers, or acks=1
_INCLUDING = {STALE_ALL: ("acks_all", "reads"), STALE_ONE: ("acks_one",)}  # the downtimes that include these
OF_LEADERS = "acks_all_of_leaders"  # like `acks_all`, but without clients of deposed leaders
BEFORE_RETURN_MS, AFTER_RETURN_MS = 1_000, 3_000  # effects of a preferred election begin this close to its leader epoch
LED_ON_MS = 1_000  # in every leader change, two brokers lead for less than this
LATER_MS = 5_000  # a time without a fault this long after an incident is not its effect
TOTALS = tuple(name for name in HARM_SUMS.schema.names if name.endswith("_ms") and not name.startswith("worst"))


def incident_harm(root_spans: Iterable[RootSpan], harm_sums: Iterable[HarmSum]) -> Iterator[IncidentHarm]:
    """What each incident cost. Rows of `INCIDENT_HARM`; an incident that cost nothing has zeros."""
    sums: dict[str | None, HarmSum] = {row.incident_id: row for row in harm_sums}
    partitions_known = sums[None].partitions_known if None in sums else 0
    nothing = IncidentHarm(partitions_blocked=0, is_open=False, unended=(), undated=()).but(**dict.fromkeys(TOTALS, 0))
    for incident in incidents_of(root_spans):
        cost = sums.get(incident.incident_id, nothing)
        values = {name: getattr(cost, name) for name in INCIDENT_HARM.schema.names}
        yield IncidentHarm(**values).but(incident_id=incident.incident_id, partitions_known=partitions_known)


def harm_sums(harm_spans: Iterable[HarmSpan], leader_epochs: Sequence[LeaderEpoch]) -> list[HarmSum]:
    """What each incident cost one partition. A row without an incident counts the partition as known if its topic is
    not internal.
    """
    sums = [
        _summed(incident_id, own) for incident_id, own in grouped(harm_spans, lambda span: span.incident_id).items()
    ]
    if leader_epochs and leader_epochs[0].topic not in INTERNAL_TOPICS:
        sums.append(HarmSum(partitions_blocked=0, partitions_known=1))
    return sums


def merge_harm_sums(harm_sums: Iterable[HarmSum]) -> list[HarmSum]:
    """One row for each incident, and one that counts the known partitions."""
    of_incident = by_key(harm_sums, lambda row: row.incident_id)
    return [_added_up(own) for _, own in sorted(of_incident.items(), key=lambda one: nulls_first(one[0]))]


def _added_up(sums: Sequence[HarmSum]) -> HarmSum:
    worst = max(sums, key=lambda row: nulls_first(row.worst_partition_ms, row.worst_partition))
    totals = {name: known(getattr(row, name) for row in sums) for name in TOTALS}
    return HarmSum(
        **{name: sum(values) if values else None for name, values in totals.items()},
        incident_id=sums[0].incident_id,
        partitions_blocked=sum(row.partitions_blocked for row in sums),
        partitions_known=sum(row.partitions_known for row in sums),
        worst_partition=worst.worst_partition,
        worst_partition_ms=worst.worst_partition_ms,
        is_open=greatest(*(row.is_open for row in sums)),
        unended=sorted({name for row in sums for name in row.unended or ()}),
        undated=sorted({name for row in sums for name in row.undated or ()}),
    )


def downtimes(harm_spans: Iterable[HarmSpan]) -> list[Downtime]:
    """When one partition could not be written or read in each incident."""
    blocked: dict[tuple[str, str], list[HarmSpan]] = defaultdict(list)
    for span in harm_spans:
        for what in _stopped(span):
            blocked[span.incident_id, what].append(span)
    return [_downtime(incident_id, what, spans) for (incident_id, what), spans in blocked.items()]


_ENDS_A_WAIT_FOR_A_LEADER = ("leader_elected", FAULT_ENDED)
_NOT_OF_INTERNAL = (BLOCKED, STALE, SINGLE_COPY, AT_MIN_ISR)  # these sums leave internal topics out
_AFTERWARDS = {BY_RETURN: "acks_all_by_return", LATER: "acks_all_later", ROUTINE: "acks_all_routinely"}


def _stopped(span: HarmSpan) -> Iterator[str]:
    """What was blocked at a time: writes of one kind, or new records for consumers."""
    if span.kind == BLOCKED:
        yield "acks_all" if span.acks == "all" else "acks_one"
        if span.may_stop_reads:
            yield "reads"
        if span.stores_unanswered:
            yield "unanswered"
    elif span.kind == STALE:
        yield STALE_ALL if span.acks == "all" else STALE_ONE
    elif span.kind in _AFTERWARDS and span.acks == "all":
        yield _AFTERWARDS[span.kind]


def _downtime(incident_id: str, what: str, spans: Sequence[HarmSpan]) -> Downtime:
    sure = [span for span in spans if span.is_sure and (what != "reads" or span.stops_reads)]
    low, high = united((span.start_ts, span.end_ts) for span in sure), united((s.start_ts, s.end_ts) for s in spans)
    lasts = any(span.is_open for span in sure)
    return Downtime(
        incident_id=incident_id,
        topic=spans[0].topic,
        what=what,
        low_starts=[start_ts for start_ts, _ in low],
        low_ends=[end_ts for _, end_ts in low],
        high_starts=[start_ts for start_ts, _ in high],
        high_ends=[end_ts for _, end_ts in high],
        partitions=[spans[0].name] if sure else [],
        may_partitions=[spans[0].name],
        lows_ms=[_by_the_clock(*zip(*low, strict=True))] if sure else [0],
        highs_ms=[_by_the_clock(*zip(*high, strict=True))],
        is_open=lasts,
        may_last=not lasts and any(span.is_open for span in spans),
        begun_before=any(span.begun_before for span in spans) or None,
    )


def merge_downtimes(downtimes: Iterable[Downtime]) -> list[Downtime]:
    """One row for each topic in each incident. Overlapping times of several partitions count as one time."""
    alike = by_key(downtimes, lambda row: (row.incident_id, row.topic, row.what))
    return [_laid_together(rows) for _, rows in sorted(alike.items())]


def _laid_together(rows: Sequence[Downtime]) -> Downtime:
    low = united(chain.from_iterable(zip(row.low_starts, row.low_ends, strict=True) for row in rows))
    high = united(chain.from_iterable(zip(row.high_starts, row.high_ends, strict=True) for row in rows))
    lasts = any(row.is_open for row in rows)
    return rows[0].but(
        low_starts=[start_ts for start_ts, _ in low],
        low_ends=[end_ts for _, end_ts in low],
        high_starts=[start_ts for start_ts, _ in high],
        high_ends=[end_ts for _, end_ts in high],
        partitions=sorted({name for row in rows for name in row.partitions}),
        **_of_each_partition(rows),
        is_open=lasts,
        may_last=not lasts and any(row.may_last for row in rows),
        begun_before=any(row.begun_before for row in rows) or None,
    )


def _of_each_partition(rows: Sequence[Downtime]) -> dict[str, list[Any]]:
    """The partitions with a certain or a possible time, and the length of each one's times. Two rows of one partition can
    overlap: together they last at least as long as the longer, and at most as long as both.
    """
    lows: dict[str, int] = {}
    highs: Counter[str] = Counter()
    for row in rows:
        for name, low_ms, high_ms in zip(row.may_partitions, row.lows_ms, row.highs_ms, strict=True):
            lows[name] = max(low_ms, lows.get(name, 0))
            highs[name] += high_ms
    names = sorted(lows)
    return {
        "may_partitions": names,
        "lows_ms": [lows[name] for name in names],
        "highs_ms": [highs[name] for name in names],
    }


def topic_down(downtimes: Iterable[Downtime]) -> list[TopicDowntime]:
    """How long topics were down, in wall-clock time: overlapping times of several partitions count once. Rows of
    `TOPIC_DOWN`.
    """
    of_topics = by_key(downtimes, lambda row: (row.incident_id, row.topic))
    every_downtime = chain.from_iterable(_with_clients_of_deposed(rows) for rows in of_topics.values())
    return [
        TopicDowntime(
            incident_id=row.incident_id,
            topic=row.topic,
            what=row.what,
            low_ms=_by_the_clock(row.low_starts, row.low_ends),
            high_ms=_by_the_clock(row.high_starts, row.high_ends),
            **_separate_times(row),
            partitions=row.partitions,
            may_partitions=row.may_partitions,
            lows_ms=row.lows_ms,
            highs_ms=row.highs_ms,
            is_open=row.is_open,
            may_last=row.may_last,
            begun_before=row.begun_before,
        )
        for row in every_downtime
    ]


def _separate_times(row: Downtime) -> dict[str, int]:
    """In how many separate times clients waited, at most and at least: between two times in which they certainly
    waited, they may have been served.
    """
    sure_in_each = [
        sum(bool(start_ts <= low_ts <= end_ts) for low_ts in row.low_starts)
        for start_ts, end_ts in zip(row.high_starts, row.high_ends, strict=True)
    ]
    return {"times": sum(max(1, sure) for sure in sure_in_each), "sure_times": sum(sure > 0 for sure in sure_in_each)}


def _with_clients_of_deposed(downtimes: Sequence[Downtime]) -> Iterator[Downtime]:
    """The downtimes of one topic in one incident.

    If deposed leaders did not know about their successors, the clients' waits may include that time. The waits for
    other leaders are then a separate row.
    """
    if not any(row.what in _INCLUDING for row in downtimes):
        yield from downtimes
        return
    for row in downtimes:
        if row.what == "acks_all":
            yield row.but(what=OF_LEADERS)
    for what in dict.fromkeys(chain.from_iterable(_INCLUDING.get(row.what, (row.what,)) for row in downtimes)):
        rows = (row for row in downtimes if what in _INCLUDING.get(row.what, (row.what,)))
        yield _laid_together([row.but(what=what) for row in rows])


def _by_the_clock(starts: Iterable[datetime], ends: Iterable[datetime]) -> int:
    return sum(millis(end_ts, start_ts) or 0 for start_ts, end_ts in zip(starts, ends, strict=True))


def in_incidents(
    spans: Iterable[HarmSpan],
    incident_ids: frozenset[str],
    returns: Mapping[datetime, str | None],
    cluster: Cluster,
    last_effects: Mapping[str, datetime] | None = None,
) -> Iterator[HarmSpan]:
    """The times of one partition, each with the incident in which it counts; empty if there are no incidents.

    `incident_ids`: the incidents of the partition's vertices. `returns`: those of its preferred elections.
    `last_effects`: the time of the partition's last vertex in each incident, because an incident lasts until its
    effects are over. What the changes of leader of routine work cost is no harm of the faults beside it.
    """
    if not cluster.incidents:
        return
    effects = last_effects or {}
    return_times = sorted(returns)
    for span in spans:
        incident = incident_of(span, cluster, incident_ids)
        own = span.but(incident_id=incident.incident_id)
        returned_ts = _returned_ts(span, return_times) if span.kind == BLOCKED else None
        if span.kind != BLOCKED:
            yield own
        elif returned_ts is not None:
            yield own.but(kind=BY_RETURN, incident_id=returns[returned_ts] or own.incident_id)
        elif span.is_routine or (span.comes_with_elections and span.fault_id in cluster.routine):
            if _touches(incident, span):
                yield own.but(kind=ROUTINE)
        else:
            over_ts = greatest(incident.end_ts, effects.get(incident.incident_id))
            after_ms = millis(span.start_ts, over_ts) or 0
            is_later = not span.is_open and span.fault_id is None and after_ms > LATER_MS
            yield own.but(kind=LATER) if is_later else own


def _touches(incident: Incident, span: HarmSpan) -> bool:
    return bool(incident.start_ts <= span.end_ts and incident.end_ts >= span.start_ts)


def _returned_ts(span: HarmSpan, returns: Sequence[datetime]) -> datetime | None:
    """The preferred election that made writers wait for this time, from all `returns` in time order; None without
    one.
    """
    if not span.comes_with_elections:
        return None
    at = bisect_left(returns, plus_millis(span.start_ts, -AFTER_RETURN_MS - 1))
    until = bisect_left(returns, plus_millis(span.start_ts, BEFORE_RETURN_MS + 1))
    near = (
        (abs(millis(span.start_ts, ts) or 0), ts)
        for ts in returns[at:until]
        if -BEFORE_RETURN_MS <= (millis(span.start_ts, ts) or 0) <= AFTER_RETURN_MS
    )
    return min(near, default=(0, None))[1]


def harm_of_partition(
    available: Iterable[ServiceSpan],
    leader_epochs: Sequence[LeaderEpoch],
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
) -> list[HarmSpan]:
    """All times of one partition that cost something. Rows of `HARM_SPANS`.

    A time without an end counts to the last line of the logs.
    """
    epochs = in_time(leader_epochs)
    isrs = list(_since_their_epochs(epochs, isr_spans))
    spans = chain(
        _blocked(available, cluster, {epoch.start_ts for epoch in epochs if epoch.begun_before}),
        _leaderless(epochs),
        _under_min_isr(isrs),
        _isr_empty(epochs, isr_spans, cluster),
        _single_copy(isrs),
        _at_min_isr(isrs),
        _dead_in_isr(isrs, cluster),
    )
    return [_ended(span, cluster.logs_end_ts) for span in spans]


def while_deposed(
    deposed_leaders: Iterable[DeposedLeader], leader_epochs: Sequence[LeaderEpoch], cluster: Cluster
) -> Iterator[HarmSpan]:
    """The times in which a leader did not know that another one had been elected. Omits times as short as in any
    leader change. The time of a leader that is still cut off when the logs end is open.

    For clients that still ask it, such a leader cannot acknowledge acks=all and has no records of the new leader. A
    frozen leader does not answer at all.
    """
    for late in late_leaders(deposed_leaders, leader_epochs, cluster):
        one = late.leader
        if one.deposed_ts is None or (one.believed_ms or 0) < LED_ON_MS:
            continue
        outages = cluster.outages.lasting(one.broker_id, one.deposed_ts, one.deposed_ts)
        for acks in ("all", "1") if any(outage.leads == CLOSED for outage in outages) else ("all",):
            yield HarmSpan(
                kind=STALE,
                topic=one.topic,
                partition=one.partition,
                name=f"{one.topic}-{one.partition}",
                acks=acks,
                is_sure=False,
                is_internal=one.topic in INTERNAL_TOPICS,
                start_ts=one.deposed_ts,
                end_ts=cluster.logs_end_ts if late.lasts else plus_millis(one.deposed_ts, one.believed_ms),
                is_open=late.lasts,
                ms=millis(cluster.logs_end_ts, one.deposed_ts) if late.lasts else one.believed_ms,
            )


def _ended(span: HarmSpan, logs_end_ts: datetime | None) -> HarmSpan:
    end_ts = greatest(span.end_ts or logs_end_ts, span.start_ts)  # clocks differ, so an end can precede its start
    return span if end_ts == span.end_ts else span.but(end_ts=end_ts, ms=millis(end_ts, span.start_ts))


def _blocked(
    available: Iterable[ServiceSpan], cluster: Cluster, begun_before: Collection[datetime | None] = ()
) -> Iterator[HarmSpan]:
    """Times in which writes of one kind were not accepted, and whether consumers got new records then.

    A time of which the logs show nothing is no harm of an incident. If such a time follows, no line shows until when
    writes were blocked; nor since when, if the leader epoch had begun before its first line (`begun_before`). Writes
    with acks=1 wait only for a leader that works. A follower's back-off without a fault is routine: every leader change
    causes one, and it is no harm of an incident.
    """
    rows = list(available)
    dark = {(row.acks, row.start_ts) for row in rows if row.reason == NOT_LOGGED}
    for row in rows:
        if row.state != OPEN and row.reason != NOT_LOGGED:
            blocked = _span(row, BLOCKED, acks=row.acks, is_sure=row.state == CLOSED, fault_id=row.fault_id)
            stops, may_stop = _stops_reads(row, cluster)
            under_way = row.start_ts in begun_before and _is_undated(row, cluster)
            yield blocked.but(
                begun_before=under_way or None,
                is_routine=row.reason == "isr_member_backs_off" and row.fault_id is None,
                comes_with_elections=row.reason in ("isr_member_backs_off", "leader_deposed"),
                stores_unanswered=row.acks == "all" and row.reason in STORES_UNANSWERED,
                stops_reads=stops,
                may_stop_reads=may_stop,
            )
            is_over = row.acks != "all" and row.ended_by in _ENDS_A_WAIT_FOR_A_LEADER
            if (row.acks, row.end_ts) in dark and not is_over:
                yield blocked.but(start_ts=row.end_ts, is_sure=False, is_open=True, ms=0)


def _is_undated(row: ServiceSpan, cluster: Cluster) -> bool:
    """Whether a state that had begun before its first line may have begun at any time: the partition had no leader, or
    nothing bounds when the fault of its leader began.
    """
    outages = cluster.outages_of_fault.get(row.fault_id, ()) if row.fault_id is not None else ()
    return row.reason == NO_LEADER or (
        row.reason in STOPS_READS and bool(outages) and all(outage.low_ts is None for outage in outages)
    )


def _stops_reads(row: ServiceSpan, cluster: Cluster) -> tuple[bool, bool]:
    """Whether consumers certainly got no new records at this time, and whether they may have got none.

    From 3.7, the high watermark does not advance below min.insync.replicas either (KAFKA-15583).
    """
    if row.reason in STOPS_READS or (row.acks == "all" and row.reason in HOLDS_HIGH_WATERMARK):
        return True, True
    if row.reason == "below_min_isr":
        return cluster.surely_from(CAPPED_FROM), not cluster.surely_before(CAPPED_FROM)
    return False, row.reason in MAY_STOP_READS


def _leaderless(epochs: Sequence[LeaderEpoch]) -> Iterator[HarmSpan]:
    """Leader epochs without a leader, except those in which a partition was removed because its topic was deleted."""
    led = [index for index, epoch in enumerate(epochs) if epoch.leader_id >= 0]
    was_deleted = bool(epochs) and epochs[-1].end_ts is not None
    until = max(led, default=-1) if was_deleted else len(epochs)
    for epoch in epochs[: max(until, 0)]:
        if epoch.leader_id < 0:
            yield _span(epoch, LEADERLESS).but(begun_before=epoch.begun_before)


def _under_min_isr(isr_spans: Iterable[IsrSpan]) -> Iterator[HarmSpan]:
    """ISRs below min.insync.replicas, or below the number of replicas if that is smaller."""
    for span in isr_spans:
        asked = [number for number in (span.min_isr, _size(span.replicas)) if number is not None]
        if asked and len(span.isr) < min(asked):
            yield _span(span, UNDER_MIN_ISR).but(begun_before=span.begun_before)


def _size(ids: Sequence[int] | None) -> int | None:
    return None if ids is None else len(ids)


def _isr_empty(epochs: Iterable[LeaderEpoch], isr_spans: Iterable[IsrSpan], cluster: Cluster) -> Iterator[HarmSpan]:
    """Leader epochs without a leader if eligible leader replicas are on (KIP-966).

    Such a partition has an empty ISR, which has no row in `isr_spans` and is below any min.insync.replicas.
    """
    if not cluster.empties_isrs:
        return
    with_isr = {span.leader_epoch for span in isr_spans}
    for epoch in epochs:
        if epoch.leader_id < 0 and epoch.leader_epoch not in with_isr and cluster.min_isr.get(epoch.topic, 0) > 0:
            yield _span(epoch, UNDER_MIN_ISR).but(begun_before=epoch.begun_before)


def _since_their_epochs(epochs: Iterable[LeaderEpoch], isr_spans: Iterable[IsrSpan]) -> Iterator[IsrSpan]:
    """The ISRs in time order. An ISR that a leader logs when it starts its leader epoch counts from the start of
    that epoch, because the leader makes no change in between.
    """
    led = [epoch for epoch in epochs if epoch.leader_id >= 0]
    began = {epoch.leader_epoch: epoch.start_ts for epoch in led}
    under_way = {epoch.start_ts for epoch in led if epoch.begun_before}
    last_end_ts = None
    for span in sorted(isr_spans, key=lambda span: span.start_ts):
        began_ts = greatest(began.pop(span.leader_epoch, None), last_end_ts)
        is_dated_late = began_ts is not None and 0 < (millis(span.start_ts, began_ts) or 0) <= CLOCKS_DIFFER_MS
        begun_before = True if began_ts in under_way else None
        yield span.but(start_ts=began_ts, begun_before=begun_before) if is_dated_late else span
        last_end_ts = greatest(last_end_ts, span.end_ts)


def _single_copy(isr_spans: Iterable[IsrSpan]) -> Iterator[HarmSpan]:
    for span in isr_spans:
        if len(span.isr) == 1 and _size(span.replicas) != 1:
            yield _span(span, SINGLE_COPY).but(begun_before=span.begun_before)


def _at_min_isr(isr_spans: Iterable[IsrSpan]) -> Iterator[HarmSpan]:
    """ISRs that lack a replica and have exactly `min.insync.replicas` (2 or more) members: the loss of one more
    blocks acks=all.
    """
    for span in isr_spans:
        if span.replicas is not None and 1 < len(span.isr) < len(span.replicas) and len(span.isr) == span.min_isr:
            yield _span(span, AT_MIN_ISR).but(begun_before=span.begun_before)


def _dead_in_isr(isr_spans: Iterable[IsrSpan], cluster: Cluster) -> Iterator[HarmSpan]:
    """Times in which the recorded ISR is full but certainly has a member that is dead, frozen, or isolated from all
    other replicas. Not where no line shows until when the ISR lasted: it may have lost that member at once.
    """
    for span in isr_spans:
        if span.ended_before:
            continue
        absent = [
            one
            for member in (span.isr if span.replicas and len(span.isr) >= len(span.replicas) else ())
            for one in cluster.outages.lasting(member, span.end_ts, span.start_ts)
            if one.from_ts is not None and _is_absent(one, {*span.isr} - {member})
        ]
        until = span.start_ts
        for one in sorted(absent, key=lambda one: (one.from_ts, one.node_id, one.fault_id)):
            begin, end = max(until, one.from_ts), least(one.to_ts, span.end_ts)
            if end is None or begin < end:
                yield _span(span, DEAD_IN_ISR, fault_id=one.fault_id, time=(begin, end))
            if end is None:
                break
            until = max(until, end)


def _is_absent(outage: NodeOutage, others: set[int]) -> bool:
    """Whether a node certainly exchanges no records with the other replicas."""
    is_cut_off = outage.is_cut and outage.peers is not None and others.issubset(outage.peers)
    return outage.follows == CLOSED and bool(is_cut_off or outage.as_leader in (DEAD_LEADER, "leader_frozen"))


def _span(
    of: ServiceSpan | LeaderEpoch | IsrSpan,
    kind: str,
    *,
    acks: str | None = None,
    is_sure: bool = True,
    fault_id: str | None = None,
    time: tuple[datetime, datetime | None] | None = None,
) -> HarmSpan:
    """A row of `HARM_SPANS` for the time of the row `of`, or for another `time`."""
    start_ts, end_ts = time or (of.start_ts, of.end_ts)
    return HarmSpan(
        kind=kind,
        topic=of.topic,
        partition=of.partition,
        name=f"{of.topic}-{of.partition}",
        acks=acks,
        is_sure=is_sure,
        is_internal=of.topic in INTERNAL_TOPICS,
        fault_id=fault_id,
        start_ts=start_ts,
        end_ts=end_ts,
        is_open=end_ts is None,
        ms=millis(end_ts, start_ts),
    )


def incident_of(span: HarmSpan, cluster: Cluster, of_partition: frozenset[str]) -> Incident:
    """The only incident in which a time counts.

    It is the incident of the time's fault; otherwise the one at that time, preferably one that names the partition;
    otherwise the nearest one.
    """
    of_its_fault = [cluster.incidents[id_] for id_ in cluster.of_fault.get(span.fault_id, ())]
    if len(of_its_fault) == 1:
        return of_its_fault[0]
    if of_its_fault:
        candidates = [one for one in of_its_fault if _touches(one, span)] or of_its_fault
    else:
        of_its_time = [*cluster.incidents_in_time.lasting(span.end_ts, span.start_ts)]
        candidates = of_its_time or [*cluster.incidents.values()]

    def fit(incident: Incident) -> tuple[Any, ...]:
        """The sort key of incidents; the best match comes first."""
        after_ms, before_ms = millis(span.start_ts, incident.end_ts), millis(incident.start_ts, span.end_ts)
        gap_ms = max(after_ms or 0, 0) + max(before_ms or 0, 0)
        names_another = incident.incident_id not in of_partition
        off_ms = abs(millis(span.start_ts, incident.start_ts) or 0)
        return gap_ms, names_another, off_ms, incident.incident_id

    return min(candidates, key=fit)


def _summed(incident_id: str, spans: Sequence[HarmSpan]) -> HarmSum:
    """What one incident cost one partition."""
    meanwhile = [span for span in spans if span.kind not in _AFTERWARDS]
    blocked_all = [span for span in spans if span.kind == BLOCKED and span.acks == "all"]
    blocked_one = [span for span in spans if span.kind == BLOCKED and span.acks == "1"]
    leaderless_ms = _ms(span for span in spans if span.kind == LEADERLESS)
    all_min_ms, all_max_ms = _ms(filter(_is_sure, blocked_all)), _may_wait_ms(spans, "all")
    one_min_ms, one_max_ms = _ms(filter(_is_sure, blocked_one)), _may_wait_ms(spans, "1")
    is_own = not spans[0].is_internal
    counted = [span for span in meanwhile if is_own or span.kind not in _NOT_OF_INTERNAL]
    is_blocked = is_own and any(_is_sure(span) for span in (*blocked_all, *blocked_one))
    return HarmSum(
        incident_id=incident_id,
        blocked_all_min_ms=all_min_ms if is_own else 0,
        blocked_all_max_ms=all_max_ms if is_own else 0,
        blocked_one_min_ms=one_min_ms if is_own else 0,
        blocked_one_max_ms=one_max_ms if is_own else 0,
        leaderless_ms=leaderless_ms,
        under_min_isr_ms=_ms(span for span in spans if span.kind == UNDER_MIN_ISR),
        single_copy_ms=_ms(span for span in spans if span.kind == SINGLE_COPY) if is_own else 0,
        at_min_isr_ms=_ms(span for span in spans if span.kind == AT_MIN_ISR) if is_own else 0,
        dead_in_isr_ms=_ms(span for span in spans if span.kind == DEAD_IN_ISR),
        internal_blocked_all_min_ms=0 if is_own else all_min_ms,
        internal_blocked_all_max_ms=0 if is_own else all_max_ms,
        internal_leaderless_ms=0 if is_own else leaderless_ms,
        partitions_blocked=int(is_blocked),
        partitions_known=0,
        worst_partition=spans[0].name if is_blocked else None,
        worst_partition_ms=max(all_min_ms, one_min_ms) if is_blocked else None,
        is_open=any(span.is_open for span in meanwhile),
        unended=sorted({_sum_of(span) for span in counted if span.is_open}),
        undated=sorted({_sum_of(span) for span in counted if span.begun_before}),
    )


def _sum_of(span: HarmSpan) -> str:
    """The sum in which a time counts, without its bound."""
    if span.kind in (BLOCKED, STALE):
        return "blocked_all" if span.acks == "all" else "blocked_one"
    return span.kind


def _may_wait_ms(spans: Iterable[HarmSpan], acks: str) -> int:
    """How long writers of one kind may have waited, including those that asked a deposed leader."""
    waits = (span for span in spans if span.kind in (BLOCKED, STALE) and span.acks == acks)
    return sum(
        millis(end_ts, start_ts) or 0 for start_ts, end_ts in united((one.start_ts, one.end_ts) for one in waits)
    )


def _is_sure(span: HarmSpan) -> bool:
    return bool(span.is_sure)


def _ms(spans: Iterable[HarmSpan]) -> int:
    return sum(span.ms for span in spans)
