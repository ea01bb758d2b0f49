"""The offsets of each replica over time, as steps: a value if lines show it, otherwise two bounds.

Between two lines of one replica, an offset that only grows lies between their values; it has a single value only if
nothing can have changed in between, or every change is logged. After a line that may lower an offset (a truncation,
a restart, another leader), the offset is unknown until the next line that shows it. No slope is invented.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pandas as pd

from viz import frames

HIGH_WATERMARK, LOG_END = "high_watermark", "log_end_offset"
# Kinds of lines that are printed for each change: two in a row leave no room for another change.
EVERY_CHANGE = {
    HIGH_WATERMARK: ("hw_updated", "log_hw_set", "replica_hw_set", "follower_hw_set", "follower_hw_received"),
    LOG_END: ("log_appended", "follower_after_append"),
}
_CUT = ("log_truncated_to", "log_recovery_truncated", "log_truncated_fully", "truncation_to_hw", "truncation_below_hw")
_SNAPSHOT = "producer_snapshot_written"
_STARTED = ("log_load_completed", "partition_log_loaded", "partition_no_checkpointed_hw")
# After these an offset may be lower than before: a follower adopts its leader's high watermark even if it is below its
# own.
_MAY_FALL_BEFORE = {HIGH_WATERMARK: (*_STARTED, "hw_non_monotonic"), LOG_END: (*_STARTED, *_CUT)}
_MAY_FALL_AFTER = {HIGH_WATERMARK: (*_CUT, "follower_start"), LOG_END: ("truncation_to_hw", "truncation_below_hw")}


@dataclass(frozen=True)
class Piece:
    """A replica's offset in [start, end): from `low` to `high`, exactly known if they are equal."""

    node_id: int
    start: pd.Timestamp
    end: pd.Timestamp
    low: int
    high: int

    @property
    def is_known(self) -> bool:
        return self.low == self.high


def pieces(anchors: Sequence[Any], cuts: Sequence[Any], column: str) -> list[Piece]:
    """The pieces of one partition's replicas, from rows of `high_watermarks` and `truncations` that have a time, in
    order of time.

    `column` is `HIGH_WATERMARK` or `LOG_END`. Times without information have no piece.
    """
    found: list[Piece] = []
    for node_id in sorted({a.node_id for a in anchors if a.node_id is not None}):
        own = sorted((a for a in anchors if a.node_id == node_id), key=lambda a: a.ts)
        times = [a.ts for a in own]
        cut_at = sorted(c.ts for c in cuts if c.node_id == node_id)
        with_offset = [a for a in own if getattr(a, column) is not None]
        for one, then in pairwise(with_offset):
            if then.ts <= one.ts:
                continue
            low, high = getattr(one, column), getattr(then, column)
            at_once = own[bisect_left(times, one.ts) : bisect_right(times, then.ts)]
            between = [a for a in at_once if a is not one and a is not then]
            is_cut = bisect_right(cut_at, one.ts) < bisect_right(cut_at, then.ts)
            loads = column == LOG_END and _is_of_a_load(then, own[bisect_right(times, then.ts) :])
            if low > high or _may_fall(one, between, then, column) or is_cut or loads:
                continue
            before = then.previous_high_watermark if column == HIGH_WATERMARK else None
            if before is not None and before >= low:
                found.append(Piece(node_id, one.ts, then.ts, low, before))
            elif one.source == then.source and one.source in EVERY_CHANGE[column]:
                found.append(Piece(node_id, one.ts, then.ts, low, low))
            else:
                found.append(Piece(node_id, one.ts, then.ts, low, high))
    return found


def _is_of_a_load(then: Any, later: Iterable[Any]) -> bool:
    """Whether a broker that starts wrote this snapshot as it loaded the log: recovery may have cut the log before."""
    if then.source != _SNAPSHOT:
        return False
    after = next((a.source for a in later if a.source != _SNAPSHOT), None)
    return after in (*_STARTED, *_CUT)


def _may_fall(one: Any, between: Iterable[Any], then: Any, column: str) -> bool:
    before, after = _MAY_FALL_BEFORE[column], _MAY_FALL_AFTER[column]
    return (
        one.source in after
        or then.source in before
        or any(a.source in before or a.source in after or (column == LOG_END and a.source in _CUT) for a in between)
    )


def thinned(exact: Sequence[Piece], most: int) -> list[tuple[Piece, int]]:
    """At most about `most` of one replica's known pieces, and how many changes each represents.

    In a run without a gap every n-th change stays, each until the next: the offset is on or between them, because it
    only grows there.
    """
    each = -(-len(exact) // most)
    if each <= 1:
        return [(piece, 1) for piece in exact]
    found: list[tuple[Piece, int]] = []
    for piece in exact:
        last, count = found[-1] if found else (None, 0)
        if last is not None and count < each and last.end == piece.start and last.low <= piece.low:
            found[-1] = (replace(last, end=piece.end), count + 1)
        else:
            found.append((piece, 1))
    return found


@dataclass(frozen=True)
class Lag:
    """How far a follower's log was behind its leader's in [start, end): from `low` to `high` offsets; `end` None for a
    moment.
    """

    node_id: int
    leader_id: int
    start: pd.Timestamp
    end: pd.Timestamp | None
    low: int
    high: int
    told_by: str | None = None


def lags(anchors: Sequence[Any], cuts: Sequence[Any], epochs: Sequence[Any], positions: Sequence[Any]) -> list[Lag]:
    """The lags of one partition: each follower's lag while both log ends are bounded, and each lag that a leader's
    line reports.

    `epochs` are rows of `leader_epochs`, `positions` of `follower_positions`. A line that states when a follower had
    last caught up is more precise about the time before it than two bounds, the lower of which is 0. A line of a
    broker that no longer leads is no lag: it knows only the last fetches before its successor.
    """
    caught_up = [(p.node_id, p.leader_id, p.caught_up_ts) for p in positions if p.caught_up_ts is not None]
    ends = frames.by_key(pieces(anchors, cuts, LOG_END), lambda piece: piece.node_id)
    found = []
    for epoch in (e for e in epochs if e.leader_id is not None and e.leader_id >= 0 and e.start_ts is not None):
        leads = _within(ends.get(epoch.leader_id, []), epoch.start_ts, epoch.end_ts)
        for node_id, follow in ends.items():
            if node_id == epoch.leader_id:
                continue
            for leader, follower in _at_once(leads, _within(follow, epoch.start_ts, epoch.end_ts)):
                start, end = max(leader.start, follower.start), min(leader.end, follower.end)
                low, high = max(0, leader.low - follower.high), max(0, leader.high - follower.low)
                if low == 0 < high:
                    ends_of_zero = (
                        ts for *who, ts in caught_up if who == [node_id, leader.node_id] and start < ts < end
                    )
                    start = max(ends_of_zero, default=start)
                found.append(Lag(node_id, leader.node_id, start, end, low, high))
    for p in positions:
        if p.leader_log_end_offset is not None and p.ts is not None and not _is_deposed(p.leader_id, p.ts, epochs):
            lag = max(0, p.leader_log_end_offset - p.log_end_offset)
            found.append(Lag(p.node_id, p.leader_id, p.ts, None, lag, lag, p.source))
    return sorted(found, key=lambda lag: (lag.node_id, lag.start))


def _is_deposed(broker_id: int, ts: pd.Timestamp, epochs: Sequence[Any]) -> bool:
    """Whether a leader epoch of another broker, or one without a leader, had begun since this broker's last one."""
    begun = [epoch for epoch in epochs if epoch.start_ts is not None and epoch.start_ts <= ts]
    last = max(begun, key=lambda epoch: epoch.leader_epoch, default=None)
    return last is not None and last.leader_id is not None and last.leader_id != broker_id


def widened(found: Sequence[Lag], most: int) -> list[Lag]:
    """At most about `most` of one follower's lags: consecutive ones merged, with their minimum and maximum."""
    each = -(-len(found) // most)
    merged: list[tuple[Lag, int]] = []
    for lag in found:
        last, count = merged[-1] if merged else (None, 0)
        joins = last is not None and None not in (last.end, lag.end) and last.end == lag.start
        if last is not None and joins and count < each and last.leader_id == lag.leader_id:
            wide = replace(last, end=lag.end, low=min(last.low, lag.low), high=max(last.high, lag.high))
            merged[-1] = (wide, count + 1)
        else:
            merged.append((lag, 1))
    return [lag for lag, _ in merged]


def _within(pieces: Sequence[Piece], start: pd.Timestamp, end: pd.Timestamp | None) -> list[Piece]:
    """The parts of them in [start, end)."""
    inside = [
        replace(p, start=max(p.start, start), end=p.end if end is None else min(p.end, end))
        for p in pieces
        if p.end > start and (end is None or p.start < end)
    ]
    return [p for p in inside if p.start < p.end]


def _at_once(one: Sequence[Piece], other: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """The pairs of pieces that overlap in time; each side in order of time, without overlaps."""
    i = j = 0
    while i < len(one) and j < len(other):
        if max(one[i].start, other[j].start) < min(one[i].end, other[j].end):
            yield one[i], other[j]
        if one[i].end <= other[j].end:
            i += 1
        else:
            j += 1


def of_topics(frame: pd.DataFrame, partitions: Iterable[tuple[str, int]]) -> pd.DataFrame:
    """The rows of the topics of some partitions."""
    return frame[frame.topic.isin({topic for topic, _ in partitions})]


def of_partition(frame: pd.DataFrame, topic: str, partition: int) -> list[Any]:
    """The rows of one partition, every null as None."""
    return frames.rows(frame[(frame.topic == topic) & (frame.partition == partition)])
