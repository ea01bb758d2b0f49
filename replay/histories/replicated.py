"""How far logs certainly reached, from the fetch requests of followers that failed: the log of the leader, and the logs of
all in-sync replicas at once, which is what a committed record is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from replay.facts.order import less
from replay.facts.times import known
from replay.histories.cluster import Cluster
from replay.histories.partition import Partition, has_leader
from replay.tables.offsets import FetchPosition
from replay.tables.partitions import CommittedIsr, LeaderEpoch

IN_SYNC_FETCHES, LEADER_FETCHED = "in_sync_fetches", "leader_fetched"
_SKEW = timedelta(seconds=2)  # two clocks differ by at most this
SETTLED = timedelta(seconds=120)  # after its leader's start a follower fetches from the log as that holds it now
_TOGETHER = timedelta(seconds=10)  # the followers of a leader that died notice within this


@dataclass(frozen=True, slots=True)
class Reached:
    """The log of `leader_id` reached `offset` in a leader epoch; with `in_sync`, the logs of all replicas in sync did.
    `followers` had fetched that far, as their lines (`events`) show.
    """

    leader_id: int
    leader_epoch: int
    ts: datetime
    offset: int
    followers: tuple[int, ...]
    events: tuple[str, ...]
    in_sync: bool


@dataclass(slots=True)
class _Tenure:
    """A leader epoch, in one life of its leader, with the last position of each follower."""

    epoch: LeaderEpoch
    positions: dict[int, FetchPosition] = field(default_factory=dict)


def logs_reached(partition: Partition, cluster: Cluster) -> Iterator[Reached]:
    """How far the leaders' logs, and those of all in-sync replicas, had certainly come.

    A follower holds what it fetched, and its leader held it before. A record that all in-sync replicas hold is committed,
    whether or not the leader had learnt that before it died.
    """
    for tenure in _tenures(partition, cluster):
        positions = list(tenure.positions.values())
        furthest = max(positions, key=lambda one: (one.log_end_offset, one.event_id))
        yield _reached(tenure, furthest.log_end_offset, [furthest], in_sync=False)
        in_sync = _in_sync(tenure, partition, cluster)
        if in_sync:
            least_offset = min(one.log_end_offset for one in in_sync)
            yield _reached(tenure, least_offset, in_sync, in_sync=True)


def _reached(tenure: _Tenure, offset: int, positions: Sequence[FetchPosition], *, in_sync: bool) -> Reached:
    in_order = sorted(positions, key=lambda one: one.node_id)
    return Reached(
        tenure.epoch.leader_id,
        tenure.epoch.leader_epoch,
        max(one.ts for one in positions),
        offset,
        tuple(one.node_id for one in in_order),
        tuple(dict.fromkeys(one.event_id for one in in_order)),
        in_sync,
    )


def _tenures(partition: Partition, cluster: Cluster) -> Iterable[_Tenure]:
    """The positions of followers by leader epoch and life of the leader: a leader that restarts may lose the end of its log, and
    still lead in the same leader epoch. A follower that has not reached it yet still asks for the old end.
    """
    led = [row for row in partition.leader_epochs if has_leader(row)]
    tenures: dict[tuple[int, datetime | None], _Tenure] = {}
    for position in sorted(partition.fetch_positions, key=lambda one: (one.ts, one.event_id)):
        epoch = _epoch_of(position, led)
        if epoch is not None and position.node_id != epoch.leader_id:
            restart = cluster.last_restart(epoch.leader_id, position.ts)
            life = None if restart is None else restart.next_start_ts
            if life is not None and position.ts < life + SETTLED:
                continue
            tenure = tenures.setdefault((epoch.leader_epoch, life), _Tenure(epoch))
            tenure.positions[position.node_id] = position
    return tenures.values()


def _epoch_of(position: FetchPosition, led: Sequence[LeaderEpoch]) -> LeaderEpoch | None:
    """The leader epoch in which a follower fetches. Up to 2.0 its request does not name it: then the last one of that
    leader, unless it had only just begun.
    """
    own = [row for row in led if row.leader_id == position.leader_id]
    if position.leader_epoch is not None:
        return next((row for row in own if row.leader_epoch == position.leader_epoch), None)
    begun = [row for row in own if less(row.start_ts, position.ts)]
    last = begun[-1] if begun else None
    return None if last is None or less(position.ts - _SKEW, last.start_ts) else last


def _in_sync(tenure: _Tenure, partition: Partition, cluster: Cluster) -> list[FetchPosition]:
    """The positions of all followers that may have been in sync; none if one of them is unknown.

    A controller can add a replica to the ISR without a line before its leader dies. So every assigned replica counts,
    unless it was outside the ISR and did not run.
    """
    isrs = [row for row in partition.isrs if row.leader_epoch == tenure.epoch.leader_epoch and row.isr is not None]
    members = {member for row in isrs for member in row.isr}
    assigned = {*(tenure.epoch.replicas or ()), *(broker for row in isrs for broker in row.replicas or ())}
    last_ts = max(one.ts for one in tenure.positions.values())
    outside = {one for one in assigned - members if isrs and _is_down(cluster, one, last_ts)}
    followers = (assigned | members) - outside - {tenure.epoch.leader_id}
    if not assigned or not followers or not followers <= tenure.positions.keys():
        return []
    if _is_below_min_isr(isrs, tenure, cluster, len(followers)):
        return []
    positions = [tenure.positions[one] for one in sorted(followers)]
    apart = max(one.ts for one in positions) - min(one.ts for one in positions)
    return positions if apart <= _TOGETHER else []


def _is_down(cluster: Cluster, node_id: int, ts: datetime) -> bool:
    return any(
        restart.last_ts < ts - _TOGETHER and ts < restart.next_start_ts for restart in cluster.restarts.get(node_id, ())
    )


def _is_below_min_isr(isrs: Sequence[CommittedIsr], tenure: _Tenure, cluster: Cluster, followers: int) -> bool:
    """Whether the ISR may have been too small: from 3.7 on its leader then commits nothing (facts §1.3)."""
    if cluster.gate_open(tenure.epoch.leader_id, tenure.epoch.topic, tenure.epoch.replicas):
        return False
    sizes = known(len(row.isr) for row in isrs)
    min_isr = cluster.min_isr.get(tenure.epoch.topic)
    if min_isr is None:
        return followers + 1 < len(tenure.epoch.replicas or ())
    return min([*sizes, followers + 1]) < min_isr
