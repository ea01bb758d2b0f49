"""What each incident cost: times of partitions, each counted in one incident, as long as they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from typing import Any

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.availability.cluster import Cluster, Incident, incidents_of
from replay.availability.reasons import CLOSED, OPEN, STOPS_READS
from replay.availability.tenures import in_time
from replay.columns.times import millis as millis_between
from replay.columns.windows import before
from replay.facts.controllers import KRAFT
from replay.facts.releases import version_number
from replay.facts.times import CLOCKS_DIFFER_MS, greatest, millis
from replay.tables.availability import (
    BLOCKED_TIMES,
    HARM_SUMS,
    INCIDENT_HARM,
    TOPIC_DOWN,
    BlockedTime,
    HarmSpan,
    HarmSum,
    IncidentHarm,
    PartitionHarm,
)
from replay.tables.causes import RootSpan
from replay.tables.partitions import IsrSpan, LeaderEpoch
from replay.tables.row import UntypedRow

INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
BLOCKED, LEADERLESS, UNDER_MIN_ISR, SINGLE_COPY = "blocked", "leaderless", "under_min_isr", "single_copy"
EMPTY_ISR_FROM = version_number("4.0.0")  # KIP-966
TOTALS = tuple(name for name in HARM_SUMS.schema.names if name.endswith("_ms") and not name.startswith("worst"))


def incident_harm(root_spans: Iterable[RootSpan], harm_sums: Iterable[HarmSum]) -> Iterator[IncidentHarm]:
    """What each incident cost. Rows of `INCIDENT_HARM`; one that cost nothing has zeros."""
    sums: dict[str | None, HarmSum] = {row.incident_id: row for row in harm_sums}
    partitions_known = sums[None].partitions_known if None in sums else 0
    nothing = IncidentHarm(partitions_blocked=0, is_open=False).but(**dict.fromkeys(TOTALS, 0))
    for incident in incidents_of(root_spans):
        cost = sums.get(incident.incident_id, nothing)
        values = {name: getattr(cost, name) for name in INCIDENT_HARM.schema.names}
        yield IncidentHarm(**values).but(incident_id=incident.incident_id, partitions_known=partitions_known)


def harm_sums(partition_harm: DataFrame) -> DataFrame:
    """The harm of all partitions, by incident. Returns `HARM_SUMS`."""
    return HARM_SUMS.of(
        partition_harm.groupBy("incident_id").agg(
            *[F.sum(name).alias(name) for name in TOTALS],
            F.count_if("is_blocked").alias("partitions_blocked"),
            F.count_if(F.col("incident_id").isNull()).alias("partitions_known"),
            F.max_by("name", F.when(F.col("is_blocked"), F.struct("worst_ms", "name"))).alias("worst_partition"),
            F.max("worst_ms").alias("worst_partition_ms"),
            F.bool_or("is_open").alias("is_open"),
        )
    )


def topic_down(blocked_times: DataFrame) -> DataFrame:
    """How long topics were down by the clock: times of several partitions that overlap count once. Returns
    `TOPIC_DOWN`.
    """
    bounds = F.when(F.col("is_sure"), F.array(F.lit("low"), F.lit("high"))).otherwise(F.array(F.lit("high")))
    of_topic = ("incident_id", "topic", "what")
    in_time = Window.partitionBy(*of_topic, "bound").orderBy("start_ts", "end_ts", "name")
    reached_ts = F.max("end_ts").over(before(in_time))
    new_ms = F.greatest(millis_between("end_ts", F.greatest("start_ts", reached_ts)), F.lit(0))
    of_partition = Window.partitionBy(*of_topic, "bound", "name")
    own_ms = F.when(F.col("bound") == "low", F.sum(millis_between("end_ts", "start_ts")).over(of_partition))
    counted = blocked_times.withColumn("bound", F.explode(bounds)).withColumns({"new_ms": new_ms, "own_ms": own_ms})
    return TOPIC_DOWN.of(
        counted.groupBy(*of_topic).agg(
            *[
                F.sum(F.when(F.col("bound") == bound, F.col("new_ms")).otherwise(0)).alias(f"{bound}_ms")
                for bound in ("low", "high")
            ],
            F.min("own_ms").alias("shortest_ms"),
            F.array_sort(F.collect_set(F.when(F.col("is_sure"), F.col("name")))).alias("partitions"),
            F.bool_or("is_open").alias("is_open"),
        )
    )


def by_incident(
    spans: Iterable[UntypedRow], incident_ids: frozenset[str], cluster: Cluster
) -> dict[str, list[UntypedRow]]:
    """The times of one partition by the incident that they count in; `incident_ids` name this partition."""
    placed: dict[str, list[UntypedRow]] = defaultdict(list)
    if cluster.incidents:
        for span in spans:
            placed[incident_of(span, cluster.incidents, cluster.of_fault, incident_ids)].append(span)
    return placed


def partition_harm(placed: Mapping[str, Sequence[UntypedRow]]) -> Iterator[PartitionHarm]:
    """What each incident cost one partition. Rows of `PARTITION_HARM`."""
    for incident_id, own in placed.items():
        yield _summed(incident_id, own)


def blocked_times(placed: Mapping[str, Sequence[UntypedRow]]) -> Iterator[BlockedTime]:
    """When one partition could not be written, or read, in each incident. Rows of `BLOCKED_TIMES`."""
    for incident_id, own in placed.items():
        for span in own:
            if span.kind == BLOCKED:
                yield _blocked_time(incident_id, span, "acks_all" if span.acks == "all" else "acks_one")
            if span.kind == BLOCKED and span.acks == "1" and span.stops_reads:
                yield _blocked_time(incident_id, span, "reads")


def _blocked_time(incident_id: str, span: UntypedRow, what: str) -> UntypedRow:
    own = {name: getattr(span, name) for name in BLOCKED_TIMES.schema.names if hasattr(span, name)}
    return BlockedTime(**own, incident_id=incident_id, what=what)


def known_partition(topic: str, partition: int) -> Iterator[UntypedRow]:
    """A row of `PARTITION_HARM` without an incident: the partition is known, and no internal one."""
    if topic not in INTERNAL_TOPICS:
        yield PartitionHarm(topic=topic, partition=partition, name=f"{topic}-{partition}", is_blocked=False)


def harm_spans(
    available: Iterable[UntypedRow],
    leader_epochs: Sequence[LeaderEpoch],
    isr_spans: Sequence[IsrSpan],
    cluster: Cluster,
) -> list[HarmSpan]:
    """Every time of one partition that cost something. Rows of `HARM_SPANS`; one that had no end counts to the last
    line of the logs.
    """
    epochs = in_time(leader_epochs)
    isrs = list(_since_their_epochs(epochs, isr_spans))
    isrs += _isr_kept(epochs, isrs, cluster)
    spans = chain(
        _blocked(available),
        _leaderless(epochs),
        _under_min_isr(isrs),
        _isr_empty(epochs, isr_spans, cluster),
        _single_copy(isrs),
    )
    return [_ended(span, cluster.logs_end_ts) for span in spans]


def _ended(span: UntypedRow, logs_end_ts: datetime | None) -> UntypedRow:
    end_ts = span.end_ts or greatest(logs_end_ts, span.start_ts)
    return span.but(end_ts=end_ts, is_open=span.end_ts is None, ms=millis(end_ts, span.start_ts))


def _blocked(available: Iterable[UntypedRow]) -> Iterator[UntypedRow]:
    """A follower that backs off with no fault behind it is what any change of leader costs, and no harm of an incident."""
    for row in available:
        is_routine = row.reason == "isr_member_backs_off" and row.fault_id is None
        if row.state != OPEN and not is_routine:
            blocked = _span(row, BLOCKED, acks=row.acks, is_sure=row.state == CLOSED, fault_id=row.fault_id)
            yield blocked.but(stops_reads=row.reason in STOPS_READS)


def _leaderless(epochs: Sequence[UntypedRow]) -> Iterator[UntypedRow]:
    """Leader epochs without a leader, but those with which a partition went as its topic was deleted."""
    led = [index for index, epoch in enumerate(epochs) if epoch.leader_id >= 0]
    was_deleted = bool(epochs) and epochs[-1].end_ts is not None
    until = max(led, default=-1) if was_deleted else len(epochs)
    for epoch in epochs[: max(until, 0)]:
        if epoch.leader_id < 0:
            yield _span(epoch, LEADERLESS)


def _under_min_isr(isr_spans: Iterable[IsrSpan]) -> Iterator[UntypedRow]:
    """ISRs below min.insync.replicas, of which no more can be asked than there are replicas."""
    for span in isr_spans:
        asked = [number for number in (span.min_isr, _size(span.replicas)) if number is not None]
        if asked and len(span.isr) < min(asked):
            yield _span(span, UNDER_MIN_ISR)


def _size(ids: Sequence[int] | None) -> int | None:
    return None if ids is None else len(ids)


def _isr_empty(epochs: Iterable[UntypedRow], isr_spans: Iterable[IsrSpan], cluster: Cluster) -> Iterator[UntypedRow]:
    """From 4.0 on a partition without a leader has an empty ISR (KIP-966), which is in no row of `isr_spans`; one is
    below every min.insync.replicas.
    """
    if not cluster.surely_from(EMPTY_ISR_FROM):
        return
    with_isr = {span.leader_epoch for span in isr_spans}
    for epoch in epochs:
        if epoch.leader_id < 0 and epoch.leader_epoch not in with_isr and cluster.min_isr.get(epoch.topic, 0) > 0:
            yield _span(epoch, UNDER_MIN_ISR)


def _since_their_epochs(epochs: Iterable[UntypedRow], isr_spans: Iterable[IsrSpan]) -> Iterator[UntypedRow]:
    """The ISRs, in time; the one that a leader tells as it takes up its leader epoch since that began: in between it changes
    none.
    """
    began = {epoch.leader_epoch: epoch.start_ts for epoch in epochs if epoch.leader_id >= 0}
    last_end_ts = None
    for span in sorted(isr_spans, key=lambda span: span.start_ts):
        began_ts = greatest(began.pop(span.leader_epoch, None), last_end_ts)
        is_told_late = began_ts is not None and 0 < (millis(span.start_ts, began_ts) or 0) <= CLOCKS_DIFFER_MS
        yield span.but(start_ts=began_ts) if is_told_late else span
        last_end_ts = greatest(last_end_ts, span.end_ts)


def _isr_kept(epochs: Sequence[UntypedRow], isr_spans: Iterable[IsrSpan], cluster: Cluster) -> Iterator[UntypedRow]:
    """Before 4.0 an ISR stays as it is while there is no leader, and with KRaft as it stays when one of it is elected
    (`PartitionChangeBuilder`); no broker prints it. So it was the one with which the next leader begins.
    """
    if cluster.modes != {KRAFT} or not cluster.surely_before(EMPTY_ISR_FROM):
        return
    told = {span.leader_epoch for span in isr_spans}
    began_with = {(span.leader_epoch, span.start_ts): span for span in isr_spans}
    for epoch, then in pairwise(epochs):
        isr = began_with.get((then.leader_epoch, then.start_ts))
        follows = epoch.leader_id < 0 <= then.leader_id and then.leader_epoch == epoch.leader_epoch + 1
        is_clean = then.elected_from == "isr" or epoch.topic in cluster.forbid_unclean
        if isr is not None and follows and is_clean and epoch.leader_epoch not in told:
            yield isr.but(leader_id=epoch.leader_id, start_ts=epoch.start_ts, end_ts=epoch.end_ts)


def _single_copy(isr_spans: Iterable[IsrSpan]) -> Iterator[UntypedRow]:
    for span in isr_spans:
        if len(span.isr) == 1 and _size(span.replicas) != 1:
            yield _span(span, SINGLE_COPY)


def _span(
    of: UntypedRow, kind: str, *, acks: str | None = None, is_sure: bool = True, fault_id: str | None = None
) -> UntypedRow:
    return HarmSpan(
        kind=kind,
        topic=of.topic,
        partition=of.partition,
        name=f"{of.topic}-{of.partition}",
        acks=acks,
        is_sure=is_sure,
        is_internal=of.topic in INTERNAL_TOPICS,
        fault_id=fault_id,
        start_ts=of.start_ts,
        end_ts=of.end_ts,
    )


def incident_of(
    span: UntypedRow,
    incidents: Sequence[Incident],
    of_fault: Mapping[str, frozenset[str]],
    of_partition: frozenset[str],
) -> str:
    """The one incident in which a time counts: that of its fault, else the one of its time that names its partition,
    else of its time, else the nearest.
    """
    of_its_fault = of_fault.get(span.fault_id, frozenset())
    candidates = [incident for incident in incidents if incident.incident_id in of_its_fault] or incidents

    def fit(incident: Incident) -> tuple[Any, ...]:
        """The smaller the better."""
        overlaps = incident.start_ts <= span.end_ts and incident.end_ts >= span.start_ts
        after_ms, before_ms = millis(span.start_ts, incident.end_ts), millis(incident.start_ts, span.end_ts)
        gap_ms = max(after_ms or 0, 0) + max(before_ms or 0, 0)
        names_another = incident.incident_id not in of_partition
        off_ms = abs(millis(span.start_ts, incident.start_ts) or 0)
        return not overlaps, gap_ms, names_another, off_ms, incident.incident_id

    return min(candidates, key=fit).incident_id


def _summed(incident_id: str, spans: Sequence[UntypedRow]) -> UntypedRow:
    """What one incident cost one partition."""
    blocked_all = [span for span in spans if span.acks == "all"]
    blocked_one = [span for span in spans if span.acks == "1"]
    leaderless_ms = _ms(span for span in spans if span.kind == LEADERLESS)
    all_min_ms, all_max_ms = _ms(filter(_is_sure, blocked_all)), _ms(blocked_all)
    one_min_ms, one_max_ms = _ms(filter(_is_sure, blocked_one)), _ms(blocked_one)
    is_own = not spans[0].is_internal
    is_blocked = is_own and any(_is_sure(span) for span in (*blocked_all, *blocked_one))
    return PartitionHarm(
        topic=spans[0].topic,
        partition=spans[0].partition,
        name=spans[0].name,
        incident_id=incident_id,
        blocked_all_min_ms=all_min_ms if is_own else 0,
        blocked_all_max_ms=all_max_ms if is_own else 0,
        blocked_one_min_ms=one_min_ms if is_own else 0,
        blocked_one_max_ms=one_max_ms if is_own else 0,
        leaderless_ms=leaderless_ms,
        under_min_isr_ms=_ms(span for span in spans if span.kind == UNDER_MIN_ISR),
        single_copy_ms=_ms(span for span in spans if span.kind == SINGLE_COPY) if is_own else 0,
        internal_blocked_all_min_ms=0 if is_own else all_min_ms,
        internal_blocked_all_max_ms=0 if is_own else all_max_ms,
        internal_leaderless_ms=0 if is_own else leaderless_ms,
        is_blocked=is_blocked,
        worst_ms=max(all_min_ms, one_min_ms) if is_blocked else None,
        is_open=any(span.is_open for span in spans),
    )


def _is_sure(span: UntypedRow) -> bool:
    return bool(span.is_sure)


def _ms(spans: Iterable[UntypedRow]) -> int:
    return sum(span.ms for span in spans)
