"""Brokers that considered themselves leaders after others were elected: how long, in which partitions of each incident."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from replay.availability.cluster import Cluster
from replay.availability.harm import LED_ON_MS
from replay.availability.still_deposed import Late, late_leaders
from replay.causes.rules import CHANGES_OF_LEADER
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import known, millis
from replay.tables.causes import StaleLeader, Vertex
from replay.tables.partitions import LeaderEpoch
from replay.tables.questions import DeposedLeader


def stale_leaders(
    deposed_leaders: Sequence[DeposedLeader],
    leader_epochs: Sequence[LeaderEpoch],
    vertices: Iterable[Vertex],
    service_cluster: Cluster,
) -> list[StaleLeader]:
    """The brokers that considered themselves leader of one partition for `LED_ON_MS` or longer after another was
    elected, in the incident of that election; or after their freeze, where only the line with which they learned shows
    that another had been elected. Returns `STALE_LEADERS`.
    """
    late = [
        *late_leaders(deposed_leaders, leader_epochs, service_cluster),
        *_since_their_freeze(deposed_leaders, leader_epochs, service_cluster),
    ]
    long = [one for one in late if (one.leader.believed_ms or 0) >= LED_ON_MS]
    if not long:
        return []
    of_elections = {
        vertex.ts: vertex.incident_id
        for vertex in vertices
        if vertex.kind in CHANGES_OF_LEADER and vertex.ts is not None and vertex.incident_id is not None
    }
    return [
        StaleLeader(
            incident_id=of_elections[leader.deposed_ts],
            broker_id=leader.broker_id,
            longest_ms=leader.believed_ms,
            partitions=[f"{leader.topic}-{leader.partition}"],
            acted_in=[] if leader.last_led_ts is None else [f"{leader.topic}-{leader.partition}"],
            lasts=lasts,
        )
        for leader, lasts in ((one.leader, one.lasts) for one in long)
        if leader.deposed_ts in of_elections
    ]


def _since_their_freeze(
    deposed_leaders: Iterable[DeposedLeader], leader_epochs: Iterable[LeaderEpoch], cluster: Cluster
) -> Iterator[Late]:
    """The leaders that were frozen in their tenure and learned later that they were deposed, from the end of the freeze
    on.
    """
    begun = {(one.topic, one.partition, one.leader_epoch): one.start_ts for one in leader_epochs}
    for leader in deposed_leaders:
        if not leader.deposed_before or leader.believed_ms is not None or leader.learnt_ts is None:
            continue
        began_ts = begun.get((leader.topic, leader.partition, leader.leader_epoch))
        awake = [
            fault.ended_high
            for fault in cluster.faults.get(leader.broker_id, ())
            if fault.kind == "paused" and less(began_ts, fault.began_high) and less(fault.ended_high, leader.learnt_ts)
        ]
        if awake:
            yield Late(leader.but(believed_ms=millis(leader.learnt_ts, max(known(awake)))), False)


def merge_stale_leaders(stale_leaders: Iterable[StaleLeader]) -> list[StaleLeader]:
    """One row for each incident and broker."""
    alike = by_key(stale_leaders, lambda row: (row.incident_id, row.broker_id))
    return [
        rows[0].but(
            longest_ms=max(row.longest_ms for row in rows),
            lasts=any(row.lasts for row in rows),
            partitions=sorted({name for row in rows for name in row.partitions}),
            acted_in=sorted({name for row in rows for name in row.acted_in}),
        )
        for _, rows in sorted(alike.items())
    ]
