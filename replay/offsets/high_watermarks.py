"""The high watermark, log end offset and log start offset of single replicas, each from a single line at its time.

A replica's own high watermark is always a lower bound of the commit point (facts §1.3, T1). Facts §4 lists, by release,
which field of which message holds which offset; this module is that table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from replay.facts.groups import by_key
from replay.facts.lines import detail, detail_number
from replay.facts.order import less
from replay.facts.times import unix_millis
from replay.histories.cluster import Cluster
from replay.offsets.fetcher_starts import shows_high_watermark
from replay.offsets.own_lines import by_broker
from replay.partitions.fetchers import FETCHES
from replay.tables.offsets import FetcherStart, FollowerPosition, HighWatermark
from replay.tables.reading import Event

_UNCHECKPOINTED = "partition_no_checkpointed_hw"
NOTHING_TO_CUT = "log_truncation_noop"  # names the last offset of the log, in every release (`Log.truncateTo`)
# kind -> role of the replica that prints it (None: either)
_ROLES = {
    "leader_start": "leader",
    "leader_transition_skipped": "leader",
    "isr_shrink": "leader",
    "follower_start": "follower",
    "hw_updated": "leader",
    "partition_log_loaded": None,
    _UNCHECKPOINTED: None,
    "log_load_completed": None,
    "log_truncated_to": None,
    NOTHING_TO_CUT: None,
    "truncation_to_hw": "follower",
    "truncation_below_hw": None,
    "hw_non_monotonic": None,
    "log_rolled": None,
    "producer_snapshot_written": None,
    "log_start_offset_incremented": None,
    "log_recovery_truncated": None,
    "checkpoint_high_watermark": None,
    "checkpoint_log_start_offset": None,
    # At DEBUG and TRACE: each update.
    "follower_hw_received": "follower",
    "follower_hw_set": "follower",
    "follower_before_append": "follower",
    "follower_after_append": "follower",
    "log_appended": None,
    "log_hw_set": None,
    "replica_hw_set": None,
}
# The field that tells an offset, where it is not the column of that name.
_HIGH_WATERMARK_IN = {
    "follower_hw_set": "follower_high_watermark",
    "log_hw_set": "new_high_watermark",
    "replica_hw_set": "new_high_watermark",
}
_NO_OWN_HIGH_WATERMARK = ("log_load_completed", "follower_before_append")  # a default; the leader's
_SHOW_LOG_END = (
    "follower_start",
    "isr_shrink",
    "log_load_completed",
    "log_rolled",
    "producer_snapshot_written",
    "follower_before_append",
    "follower_after_append",
)
_POSITIONS = ("isr_shrink", "follower_leo_recorded", "replica_leo_set")
_EPOCH_FROM = ("leader_start", "leader_transition_skipped", "follower_start", "follower_transition_skipped")
# Up to 2.3 nothing else states in which leader epoch a broker follows.
_FOLLOWS_AS_ASKED = "broker_leader_and_isr_received"
_STATE_EPOCHS = (*_EPOCH_FROM, _FOLLOWS_AS_ASKED)
_KINDS = {*_ROLES, *_STATE_EPOCHS}
_BEFORE_0_11_1 = "PRT-095"  # later releases print the high watermark that they begin with beside it
OF_EVERY_REPLICA = "PRT-109"  # up to 2.3: prints the high watermark of every replica, not only the broker's own
_ONE_LOADING = timedelta(seconds=1)  # it prints those of one partition within this
# In the line of a leader that shrinks the ISR; from 3.6 on with the time.
_SLOW_REPLICA = re.compile(r"brokerId: (\d+), endOffset: (\d+)(?:, lastCaughtUpTimeMs: (\d{12,15}))?")
_QUARTER_HOUR_MS = 900_000  # zones differ by multiples of it
_CLOCK_CORRECTED_MS = 60_000  # a larger correction of a clock leaves open how old a time in epoch milliseconds is
LOADING_MS = 5_000  # a broker that is assigned a role has loaded the log within this


def high_watermarks(
    partition_events: Iterable[Event], fetcher_starts: Iterable[FetcherStart], histories_cluster: Cluster
) -> Iterator[HighWatermark]:
    """Every anchor of every replica's offsets in one partition. `Completed load … highWatermark=` is not an anchor (its
    value is a default). Of the several `Replica loaded` lines that releases up to 2.3 print for one partition only the
    largest is the broker's own (facts §4). A replica without a checkpointed high watermark begins with 0, which no line
    up to 0.10 prints. A follower's line about its leader's high watermark is not an anchor of the follower: it limits
    that value to its own log, and another line prints the result.
    """
    starts = (start for start in fetcher_starts if shows_high_watermark(start, histories_cluster))
    of_starts = by_key(starts, lambda start: start.node_id)
    lines = by_broker(partition_events, _KINDS)
    for node_id in dict.fromkeys((*lines, *of_starts)):
        if node_id is not None:
            own = list(_of_replica(node_id, lines[node_id])) if node_id in lines else []
            for start in of_starts.get(node_id, ()):
                before = (at for at, row in enumerate(own) if row.ts is not None and row.ts > start.ts)
                own.insert(next(before, len(own)), _as_it_begins_to_fetch(start))
            yield from own


def _as_it_begins_to_fetch(start: FetcherStart) -> HighWatermark:
    return HighWatermark(
        topic=start.topic,
        partition=start.partition,
        node_id=start.node_id,
        ts=start.ts,
        leader_epoch=start.leader_epoch,
        role="follower",
        high_watermark=start.initial_offset,
        source=FETCHES,
        evidence=[start.event_id],
    )


def _of_replica(node_id: int, lines: Sequence[Event]) -> Iterator[HighWatermark]:
    """The anchors of one replica, in the order of its lines."""
    epochs = _LeaderEpochs()
    loaded = [line for line in lines if line.template_id == OF_EVERY_REPLICA]
    for line in lines:
        epochs.read(line)
        if line.kind in _ROLES and not _is_of_another_replica(line, loaded):
            own, end = _high_watermark(line), _log_end(line)
            of_leader = _leaders_high_watermark(line)
            if not own == end == line.log_start_offset == of_leader is None:
                yield HighWatermark(
                    topic=line.topic,
                    partition=line.partition,
                    node_id=node_id,
                    ts=line.ts,
                    leader_epoch=epochs.at(line),
                    role=_ROLES[line.kind],
                    high_watermark=own,
                    log_end_offset=end,
                    log_start_offset=line.log_start_offset,
                    leader_high_watermark=of_leader,
                    previous_high_watermark=detail_number(line, "previous_high_watermark")
                    if line.kind == "hw_updated"
                    else None,
                    source=line.kind,
                    evidence=[line.event_id],
                )


class _LeaderEpochs:
    """The leader epoch of a replica, as its lines are read in order."""

    def __init__(self) -> None:
        self._taken: int | None = None
        self._asked: list[tuple[int, int]] = []  # the time and the leader epoch of each line that states one

    def read(self, line: Event) -> None:
        if line.leader_epoch is not None and line.kind in _STATE_EPOCHS:
            self._asked.append((-1 if line.ts is None else unix_millis(line.ts), line.leader_epoch))
            if line.kind != _FOLLOWS_AS_ASKED:
                self._taken = line.leader_epoch

    def at(self, line: Event) -> int | None:
        """The leader epoch of a line. A line before the broker loads its log belongs to the next leader epoch; a line
        of the loading belongs to the one before.
        """
        if line.ts is None:
            return None
        if line.kind == "truncation_to_hw":
            return self._asked[-1][1] if self._asked else None
        if line.kind in ("partition_log_loaded", _UNCHECKPOINTED) and self._taken is None:
            before = bisect_right(self._asked, unix_millis(line.ts) - LOADING_MS, key=lambda asked: asked[0])
            return self._asked[before - 1][1] if before else None
        return self._taken


def _is_of_another_replica(line: Event, loaded: Sequence[Event]) -> bool:
    """Whether it is a line of a release up to 2.3 beside another one that prints a larger high watermark for the same
    partition.
    """
    if line.template_id != OF_EVERY_REPLICA or line.high_watermark is None:
        return False
    return any(less(line.high_watermark, one.high_watermark) and _are_of_one_loading(one.ts, line.ts) for one in loaded)


def _are_of_one_loading(one: datetime | None, other: datetime | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _ONE_LOADING


def _high_watermark(line: Event) -> int | None:
    """The replica's own high watermark."""
    if line.kind == _UNCHECKPOINTED and line.template_id == _BEFORE_0_11_1:
        return 0
    if line.kind in _HIGH_WATERMARK_IN:
        return detail_number(line, _HIGH_WATERMARK_IN[line.kind])
    own: int | None = None if line.kind in _NO_OWN_HIGH_WATERMARK else line.high_watermark
    return own


def _log_end(line: Event) -> int | None:
    """The replica's log end offset."""
    end: int | None = None
    if line.kind == "leader_start":
        end = line.epoch_start_offset
    elif line.kind in ("log_truncated_to", "log_recovery_truncated"):
        end = line.truncation_offset
    elif line.kind in _SHOW_LOG_END:
        end = line.log_end_offset
    elif line.kind == NOTHING_TO_CUT:
        last = detail_number(line, "log_end_offset_minus_1")
        end = None if last is None else last + 1
    elif line.kind == "log_appended":
        end = detail_number(line, "next_offset")
    return end


def _leaders_high_watermark(line: Event) -> int | None:
    if line.kind == "follower_before_append":
        high_watermark: int | None = line.high_watermark
        return high_watermark
    return detail_number(line, "leader_high_watermark") if line.kind == "follower_hw_received" else None


def follower_positions(partition_events: Iterable[Event]) -> Iterator[FollowerPosition]:
    """What leaders knew of their followers' logs in one partition: each recorded position (DEBUG), and that of a
    follower too slow for the ISR (2.2 and later, INFO). The position of a fetch is the end of the follower's log at the
    time of the request; the log may have grown by the time of the answer.
    """
    for line in partition_events:
        if line.kind in _POSITIONS and line.node_id is not None:
            for node_id, end, caught_up_ts in _positions(line):
                if node_id is not None and end is not None and node_id != line.node_id:
                    yield FollowerPosition(
                        topic=line.topic,
                        partition=line.partition,
                        node_id=node_id,
                        leader_id=line.node_id,
                        ts=line.ts,
                        log_end_offset=end,
                        leader_log_end_offset=line.log_end_offset if line.kind == "isr_shrink" else None,
                        caught_up_ts=caught_up_ts,
                        source=line.kind,
                        evidence=[line.event_id],
                    )


def _positions(line: Event) -> Iterator[tuple[int | None, int | None, datetime | None]]:
    """The followers in a leader's line, with the log end that it knows and the time when each had last caught up."""
    if line.kind == "isr_shrink":
        for node_id, end, caught_up_ms in _SLOW_REPLICA.findall(detail(line, "out_of_sync_replicas") or ""):
            yield int(node_id), int(end), _stamped(line, int(caught_up_ms)) if caught_up_ms else None
    elif line.kind == "follower_leo_recorded":
        yield detail_number(line, "replica_id"), line.log_end_offset, None
    else:
        end = re.match(r"\d+", detail(line, "log_end_offset_metadata") or "")
        yield line.broker_id, int(end[0]) if end else None, None


def _stamped(line: Event, epoch_ms: int) -> datetime | None:
    """A time in epoch milliseconds within a line, in the corrected clock of that line's stamp. The stamp as printed may
    be in any zone, so the time is known only up to a quarter of an hour before the line.
    """
    if line.ts is None or line.raw_ts is None:
        return None
    age_ms = (unix_millis(line.raw_ts) - epoch_ms) % _QUARTER_HOUR_MS
    is_recent = abs(unix_millis(line.ts) - epoch_ms - age_ms) <= _CLOCK_CORRECTED_MS
    return line.ts - timedelta(milliseconds=age_ms) if is_recent else None
