"""When the replica of a replaced leader had been stopped because its log directory had failed."""

from __future__ import annotations

from datetime import datetime

from replay.facts.order import less
from replay.histories.cluster import Cluster
from replay.tables.losses import Loss
from replay.tables.partitions import LeaderEpoch


def offline_ts(loss: Loss, led: LeaderEpoch, cluster: Cluster) -> datetime | None:
    """When the former leader had stopped its replica; None if no line shows it, or if it started again before another
    leader was elected, since it may have led on then.

    The broker reports the directory after this (facts §5, F14), so the election is later, by whatever clock.
    """
    if loss.old_leader_id is None or loss.ts is None:
        return None
    stopped = cluster.offline.get((loss.old_leader_id, f"{loss.topic}-{loss.partition}"), ())
    since = [ts for ts in stopped if less(led.start_ts, ts)]
    if not since or any(cluster.restarts_within(loss.old_leader_id, since[0], loss.ts)):
        return None
    return since[0]
