"""The time before a partition's first line in which its leader was already out: writes may have been blocked since then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.availability.claims import BOTH_KINDS
from replay.availability.cluster import Cluster
from replay.availability.reasons import UNKNOWN
from replay.availability.tenures import in_time
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import first_known, greatest
from replay.tables.availability import NodeOutage, ServiceSpan
from replay.tables.partitions import LeaderEpoch


def before_first_lines(leader_epochs: Sequence[LeaderEpoch], cluster: Cluster) -> Iterator[ServiceSpan]:
    """For each kind of producer, the time from the begin of the leader's outage to the first line about the partition.

    The first leader epoch of rotated logs is often that of the broker that had failed: its successor's first line names it.
    Since when it led is not known, so whether writes were blocked is not, either.
    """
    for epochs in by_key(in_time(leader_epochs), lambda epoch: epoch.life).values():
        first = epochs[0]
        out = out_at_first_line(first, cluster)
        start_ts = None if out is None else greatest(first_known(out.low_ts, out.from_ts), cluster.logs_begin_ts)
        if out is None or start_ts is None or not less(start_ts, first.start_ts):
            continue
        for acks in BOTH_KINDS:
            yield ServiceSpan(
                topic=first.topic,
                partition=first.partition,
                acks=acks,
                start_ts=start_ts,
                end_ts=first.start_ts,
                state=UNKNOWN,
                reason=out.as_leader,
                fault_id=out.fault_id,
                confidence="inferred",
                evidence=list(out.evidence or []),
            )


def out_at_first_line(epoch: LeaderEpoch, cluster: Cluster) -> NodeOutage | None:
    """The outage because of which the leader served nobody as the first line about its leader epoch was logged."""
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
