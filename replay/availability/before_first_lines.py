"""The time before a partition's first line in which its leader had already failed: writes may have been blocked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.availability.claims import BOTH_KINDS
from replay.availability.cluster import Cluster
from replay.availability.reasons import CLOSED, UNKNOWN
from replay.availability.tenures import in_time
from replay.availability.words import ROLES_TAKEN
from replay.coverage.covered import Covered
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import first_known, greatest
from replay.tables.availability import BrokerStatement, NodeOutage, ServiceSpan
from replay.tables.partitions import LeaderEpoch


def before_first_lines(
    leader_epochs: Sequence[LeaderEpoch], words: Sequence[BrokerStatement], cluster: Cluster, covered: Covered
) -> Iterator[ServiceSpan]:
    """For each kind of producer, the time from the start of the leader's outage to the first line about the partition.

    The first leader epoch of rotated logs is often that of a broker that had already failed: the first line of its
    successor names it. If a replica's log of roles begins earlier and does not show how the leader epoch began, the
    broker led since that log begins, and its outage closed the partition. Before that, another broker may have led.
    """
    for epochs in by_key(in_time(leader_epochs), lambda epoch: epoch.life).values():
        first = epochs[0]
        out = out_at_first_line(first, cluster)
        start_ts: datetime | None = (
            None if out is None else greatest(first_known(out.low_ts, out.from_ts), cluster.logs_begin_ts)
        )
        if out is None or start_ts is None or not less(start_ts, first.start_ts):
            continue
        led_ts = _led_by(first, words, covered) if out.leads == CLOSED else first.start_ts
        sure_ts: datetime = min(max(out.from_ts or first.start_ts, start_ts, led_ts), first.start_ts)
        stages: list[tuple[datetime, datetime, str]] = [
            (start_ts, sure_ts, UNKNOWN),
            (sure_ts, first.start_ts, CLOSED),
        ]
        for begin_ts, end_ts, state in stages:
            for acks in BOTH_KINDS if less(begin_ts, end_ts) else ():
                yield ServiceSpan(
                    topic=first.topic,
                    partition=first.partition,
                    acks=acks,
                    start_ts=begin_ts,
                    end_ts=end_ts,
                    state=state,
                    reason=out.as_leader,
                    fault_id=out.fault_id,
                    confidence="inferred",
                    evidence=list(out.evidence or []),
                )


def _led_by(epoch: LeaderEpoch, words: Sequence[BrokerStatement], covered: Covered) -> datetime:
    """When the leader epoch had begun at the latest: when the first log of roles begins that would have shown its
    start. Its own start where followers do not print their roles.
    """
    start_ts: datetime = epoch.start_ts
    if not any(word.kind == "follower_start" for word in words):
        return start_ts
    others = {word.node_id for word in words if word.kind in ROLES_TAKEN} - {epoch.leader_id, None}
    begins = (
        begin_ts
        for node in others
        for begin_ts, end_ts in covered.roles_and_faults(node)
        if begin_ts <= start_ts <= end_ts
    )
    return min(begins, default=start_ts)


def out_at_first_line(epoch: LeaderEpoch, cluster: Cluster) -> NodeOutage | None:
    """The outage in which the leader served no clients when the first line about its leader epoch was logged."""
    if not epoch.begun_before or epoch.leader_id is None:
        return None
    name = f"{epoch.topic}-{epoch.partition}"
    return next(
        (
            outage
            for outage in cluster.outages.lasting(epoch.leader_id, epoch.start_ts, epoch.start_ts)
            if outage.as_leader is not None
            and (outage.partitions is None or name in outage.partitions)
            and less(outage.from_ts, epoch.start_ts)
            and not less(outage.to_ts, epoch.start_ts)
        ),
        None,
    )


def in_order(spans: Iterable[ServiceSpan]) -> list[ServiceSpan]:
    """The rows of one partition by kind of producer and time."""

    def key(row: ServiceSpan) -> tuple[int, datetime]:
        return BOTH_KINDS.index(row.acks), row.start_ts

    return sorted(spans, key=key)
