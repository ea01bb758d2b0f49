"""When lost records were written, and when they were truncated: they are lost at the truncation of the log that held
them, not at the election.
"""

from __future__ import annotations

from datetime import datetime

from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, plus_millis
from replay.histories.cluster import Cluster
from replay.histories.partition import Partition
from replay.tables.losses import OPEN_VERDICTS, Loss
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LeaderEpoch

_LOADED = ("partition_log_loaded", "log_load_completed")


def with_times(loss: Loss, partition: Partition, cluster: Cluster) -> Loss:
    """The loss with the times between which its records were written, and the time of the truncation, as far as the
    lines of the broker that held them show.
    """
    if loss.verdict not in OPEN_VERDICTS or loss.from_offset is None:
        return loss
    led = _last_led(loss, partition)
    if led is None or led.start_ts is None:
        return loss
    end = first_known(loss.to_offset_high, loss.to_offset_low)
    cut_ts = _cut_ts(loss, end, partition)
    own = [
        mark for mark in partition.high_watermarks if mark.node_id == loss.old_leader_id and less(led.start_ts, mark.ts)
    ]
    return loss.but(
        cut_ts=cut_ts,
        written_low=_not_written_by(loss, led, own),
        written_high=least(cut_ts, *_ends_by(end, cut_ts, own, cluster)) if end else cut_ts,
    )


def _ends_by(end: int, cut_ts: datetime | None, own: list[HighWatermark], cluster: Cluster) -> list[datetime]:
    """Times by which the log of the broker that held the records had reached their end. What a broker finds in its log
    as it loads it was written before the process started.
    """
    reached = [mark for mark in own if at_most(end, mark.log_end_offset) and not less(cut_ts, mark.ts)]
    loaded = [cluster.last_restart(mark.node_id, mark.ts) for mark in reached if mark.source == "log_load_completed"]
    return [mark.ts for mark in reached] + [restart.next_start_ts for restart in loaded if restart is not None]


def _last_led(loss: Loss, partition: Partition) -> LeaderEpoch | None:
    """The last leader epoch of the broker that held the records, before the one in which they are gone."""
    own = [
        epoch
        for epoch in partition.leader_epochs
        if epoch.leader_id == loss.old_leader_id and epoch.leader_epoch < loss.leader_epoch
    ]
    return own[-1] if own else None


def _cut_ts(loss: Loss, end: int | None, partition: Partition) -> datetime | None:
    """When the broker that held the records first truncated some of them after the election."""
    cuts = (
        cut.ts
        for cut in partition.truncations
        if cut.node_id == loss.old_leader_id
        and at_most(loss.ts, plus_millis(cut.ts, CLOCKS_DIFFER_MS))
        and (end is None or less(cut.truncation_offset, end))
    )
    return min(cuts, default=None)


def _not_written_by(loss: Loss, led: LeaderEpoch, own: list[HighWatermark]) -> datetime | None:
    """The last time at which the leader's log ended before the first of them; never after it loaded its log again."""
    settled = plus_millis(greatest(led.start_ts, led.leader_ts), CLOCKS_DIFFER_MS)
    loaded_ts = least(*(mark.ts for mark in own if mark.source in _LOADED and less(settled, mark.ts)))
    before = [
        mark.ts
        for mark in own
        if mark.role == "leader"
        and mark.leader_epoch == led.leader_epoch
        and at_most(mark.log_end_offset, loss.from_offset)
        and not at_most(loaded_ts, mark.ts)
    ]
    began = first_known(led.leader_ts, led.start_ts) if at_most(led.epoch_start_offset, loss.from_offset) else None
    return greatest(began, *before)
