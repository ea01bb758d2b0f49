"""How old the records of a leader can be, at most, that a member of its ISR did not have: a leader drops a member that has
not caught up for `replica.lag.time.max.ms`, and checks that each half of it (facts §1.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, known, least, plus_millis
from replay.histories.cluster import Cluster
from replay.histories.partition import CLEAN, Partition
from replay.tables.losses import Loss
from replay.tables.partitions import LeaderEpoch

_LATE_MS = 5_000  # a busy leader checks its followers so much after its time


def kept_up_since(loss: Loss, led: LeaderEpoch, partition: Partition, cluster: Cluster) -> datetime | None:
    """Before this the next leader had all records of the leader `led`: none of what it lacks was written then. None if that
    is not certain.

    A member that joins the ISR has all that is committed, so it can be as far behind as the others at worst: two times
    `replica.lag.time.max.ms`, with the checks, before the last certain check of the leader.
    """
    row = next((one for one in partition.leader_epochs if one.leader_epoch == loss.leader_epoch), None)
    member = loss.new_leader_id
    if row is None or member in (None, led.leader_id) or row.elected_from not in CLEAN:
        return None
    if row.leader_id != member or not at_most(row.epoch_start_offset, loss.from_offset):
        return None
    if not cluster.broker(led.leader_id).runs_since("2.2.0") or cluster.any_by_high_watermark():
        return None  # up to 2.1 no line shows how long a member that the leader tried to drop had not caught up
    lag_ms = cluster.waits.at(led.leader_id, led.start_ts).replica_lag_ms
    checked_ts = _last_checked(loss, led, partition, cluster, lag_ms)
    since_ts = plus_millis(checked_ts, None if lag_ms is None else -(2 * lag_ms + _LATE_MS + CLOCKS_DIFFER_MS))
    joined_ts = _joined_ts(member, led, partition)
    restarts = cluster.restarts.get(member, ())
    if joined_ts is None or any(
        at_most(joined_ts, one.next_start_ts) and at_most(one.last_ts, loss.ts) for one in restarts
    ):
        return None  # its log may have lost its end
    return since_ts


def _last_checked(
    loss: Loss, led: LeaderEpoch, partition: Partition, cluster: Cluster, lag_ms: int | None
) -> datetime | None:
    """Until when the leader certainly checked its followers and had not tried to drop the member; None if no line shows it. It may
    have been frozen while it printed nothing.
    """
    ended = [one.last_ts for one in cluster.restarts.get(led.leader_id, ()) if less(led.start_ts, one.next_start_ts)]
    lived_on = any(
        line.node_id == led.leader_id and less(loss.ts, line.ts) and line.leader_epoch >= loss.leader_epoch
        for line in partition.role_lines
    )
    if not ended and not lived_on:
        return None
    checked_ts = least(loss.ts, *ended, *_dropped(loss, led, partition))
    if checked_ts is None or lag_ms is None:
        return None
    frozen_since = [
        one.from_ts
        for one in cluster.silences.get(led.leader_id, ())
        if less(one.from_ts, checked_ts) and one.to_ts + timedelta(milliseconds=0.5 * lag_ms + _LATE_MS) > checked_ts
    ]
    return least(checked_ts, *frozen_since)


def _dropped(loss: Loss, led: LeaderEpoch, partition: Partition) -> Iterator[datetime]:
    """When the leader tried to drop the member, which no later ISR of it holds again."""
    member = loss.new_leader_id
    rejoined_at = known(
        isr.start_ts for isr in partition.isrs if isr.leader_id == led.leader_id and member in (isr.isr or ())
    )
    for position in partition.follower_positions:
        is_drop = (position.source, position.node_id, position.leader_id) == ("isr_shrink", member, led.leader_id)
        if is_drop and not any(less(position.ts, ts) and at_most(ts, loss.ts) for ts in rejoined_at):
            yield position.ts


def _joined_ts(member: int, led: LeaderEpoch, partition: Partition) -> datetime | None:
    """When a broker last joined the ISR of a leader epoch, or that began with it in the ISR."""
    joined_ts, was_in = None, False
    for isr in (one for one in partition.isrs if one.leader_epoch == led.leader_epoch):
        is_in = member in (isr.isr or ())
        if is_in and not was_in:
            joined_ts = isr.start_ts
        was_in = is_in
    return joined_ts if was_in else None
