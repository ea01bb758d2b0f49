"""How many of the records that only a replaced leader held were written before its successor was elected, and how many after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, plus_millis
from replay.histories.partition import Partition
from replay.histories.scenarios import STALE_LEADER
from replay.tables.losses import Loss
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LeaderEpoch

_LOADED = ("partition_log_loaded", "log_load_completed")


def all_before_election(loss: Loss) -> Loss:
    """The loss of a leader whose replica was stopped before another one was elected: it wrote all of them before."""
    if loss.loss_class == "committed":
        return loss
    size = _size(loss, loss.to_offset_high)
    surely = first_known(size, _size(loss, loss.discarded_to_offset), 0)
    return loss.but(before_low=surely, before_high=size, after_low=0, after_high=0)


def split_by_election(loss: Loss, led: LeaderEpoch, own: Sequence[HighWatermark], partition: Partition) -> Loss:
    """The loss with the numbers of its offsets from before and after the election, at least and at most.

    A leader's log only grows while it leads, so each of its log ends bounds the one at the election; lines within
    `CLOCKS_DIFFER_MS` of it show nothing. It is a stale leader if it certainly wrote some of them after the election
    (facts §3.3, S7).

    Args:
        led: The last leader epoch of the broker that held the records.
        own: The lines of that broker since then.
    """
    if loss.loss_class == "committed" or loss.ts is None or loss.from_offset is None:
        return loss
    by, since = plus_millis(loss.ts, -CLOCKS_DIFFER_MS), plus_millis(loss.ts, CLOCKS_DIFFER_MS)
    size = _size(loss, loss.to_offset_high)
    low = _within(_size(loss, greatest(*_ends_by(by, led, own, partition))), size)
    high = first_known(_within(_size(loss, least(*_ends_since(since, led, own))), size), size)
    if at_most(loss.written_high, by):
        low = first_known(size, low)
    if at_most(since, loss.written_low):
        low, high = 0, 0
    low = low or 0
    high = None if high is None else max(low, high)
    surely = first_known(size, _size(loss, loss.discarded_to_offset), 0) or 0
    after_low = 0 if high is None else max(0, surely - high)
    return loss.but(
        before_low=low,
        before_high=high,
        after_low=after_low,
        after_high=None if size is None else size - low,
        scenario=STALE_LEADER if after_low else loss.scenario,
    )


def _ends_by(
    ts: datetime, led: LeaderEpoch, own: Sequence[HighWatermark], partition: Partition
) -> Iterator[int | None]:
    """Log ends of the leader until `ts`, by its own lines and by those of followers that had fetched so far."""
    yield from (mark.log_end_offset for mark in as_leader(led, own) if at_most(mark.ts, ts))
    for fetch in partition.fetch_positions:
        is_of_leader = fetch.leader_id == led.leader_id and fetch.leader_epoch == led.leader_epoch
        if is_of_leader and at_most(fetch.ts, ts):
            yield fetch.log_end_offset


def _ends_since(ts: datetime, led: LeaderEpoch, own: Sequence[HighWatermark]) -> Iterator[int | None]:
    """Log ends of the leader since `ts`."""
    yield from (mark.log_end_offset for mark in as_leader(led, own) if at_most(ts, mark.ts))


def as_leader(led: LeaderEpoch, own: Sequence[HighWatermark]) -> list[HighWatermark]:
    """The lines of a broker as leader of a leader epoch; none after it loaded its log again, which may be shorter then."""
    settled = plus_millis(greatest(led.start_ts, led.leader_ts), CLOCKS_DIFFER_MS)
    loaded_ts = least(*(mark.ts for mark in own if mark.source in _LOADED and less(settled, mark.ts)))
    return [
        mark
        for mark in own
        if mark.role == "leader" and mark.leader_epoch == led.leader_epoch and not at_most(loaded_ts, mark.ts)
    ]


def _size(loss: Loss, end: int | None) -> int | None:
    """How many offsets of the range lie below an offset."""
    return None if end is None else max(0, end - loss.from_offset)


def _within(count: int | None, size: int | None) -> int | None:
    return count if size is None or count is None else min(count, size)
