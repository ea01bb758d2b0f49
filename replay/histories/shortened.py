"""Logs that came back shorter than they had been: a process that is killed leaves all that it wrote in the page cache, so
the machine lost power or crashed, or its disk lost what it had not flushed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.order import less
from replay.facts.times import CLOCKS_DIFFER_MS, plus_millis
from replay.histories.cluster import Cluster, Restart
from replay.histories.partition import by_life
from replay.histories.recovered import LOGS_LOADED_WITHIN
from replay.histories.replicated import SETTLED
from replay.partitions.lives import TopicLives
from replay.tables.offsets import FetchPosition, HighWatermark, ShortenedLog

# Lines of a replica in which its log ends at an offset or later, and no truncation follows from them.
_HELD = ("leader_start", "isr_shrink", "log_rolled", "producer_snapshot_written")
_LOADED = ("partition_log_loaded", "log_load_completed")
_CUT = (
    "log_truncated_to",
    "log_truncation_noop",
    "follower_start",
    "truncation_to_hw",
    "truncation_below_hw",
    *_LOADED,
)
_DAMAGED = "log_recovery_truncated"
_KEPT = 3  # evidence of so many logs


def shortened_logs(
    high_watermarks: Sequence[HighWatermark],
    fetch_positions: Sequence[FetchPosition],
    histories_cluster: Cluster,
    lives: TopicLives,
) -> Iterator[ShortenedLog]:
    """One row for each restart after an unclean end in which the log of one partition came back shorter. An empty log is
    none of them: its files were removed.
    """
    for _, own in by_life(lives, marks=high_watermarks, fetches=fetch_positions):
        marks: dict[int, list[HighWatermark]] = defaultdict(list)
        for mark in own["marks"]:
            if mark.ts is not None:
                marks[mark.node_id].append(mark)
        for node_id, of_node in marks.items():
            fetches = [one for one in own["fetches"] if node_id in (one.node_id, one.leader_id)]
            for restart in histories_cluster.unclean_ends(node_id):
                shortened = _shortened(node_id, of_node, fetches, restart, histories_cluster)
                if shortened is not None:
                    yield shortened


def _shortened(
    node_id: int,
    marks: Sequence[HighWatermark],
    fetches: Iterable[FetchPosition],
    restart: Restart,
    cluster: Cluster,
) -> ShortenedLog | None:
    began = _began(node_id, restart, cluster)
    loaded = _loaded(marks, restart)
    if loaded is None or not loaded.log_end_offset:
        return None
    before = [mark for mark in marks if mark.ts < restart.next_start_ts and not less(mark.ts, began)]
    cut_ts = max((mark.ts for mark in before if mark.source in _CUT), default=None)
    held = [
        (mark.log_end_offset, mark.evidence[0])
        for mark in before
        if mark.source in _HELD and mark.log_end_offset is not None and not less(mark.ts, cut_ts)
    ]
    held += [
        (one.log_end_offset, one.event_id)
        for one in fetches
        if one.ts < restart.next_start_ts and _is_of_life(one, node_id, began, cut_ts)
    ]
    held_offset, event = max(held, default=(0, ""))
    damaged = next((mark for mark in marks if mark.source == _DAMAGED and _is_after(mark, restart)), None)
    is_shorter = held_offset > loaded.log_end_offset
    if not is_shorter and damaged is None:
        return None
    return ShortenedLog(
        node_id=node_id,
        start_ts=restart.next_start_ts,
        logs=1,
        topic=loaded.topic,
        partition=loaded.partition,
        held_offset=held_offset if is_shorter else None,
        log_end_offset=loaded.log_end_offset,
        evidence=joined([event], loaded.evidence[:1]) if is_shorter or damaged is None else damaged.evidence[:1],
    )


def _is_after(mark: HighWatermark, restart: Restart) -> bool:
    return bool(restart.next_start_ts <= mark.ts < restart.next_start_ts + LOGS_LOADED_WITHIN)


def _is_of_life(position: FetchPosition, node_id: int, began: datetime | None, cut_ts: datetime | None) -> bool:
    """Whether a follower, or a broker that leads it, had this much in its log in the life that `began` then, and after the
    last line that may have cut the log.
    """
    if position.node_id == node_id:
        return not (less(position.ts, began) or less(position.ts, cut_ts))
    settled = None if began is None else began + SETTLED
    return not (less(position.ts, settled) or less(plus_millis(position.ts, -CLOCKS_DIFFER_MS), cut_ts))


def _loaded(marks: Iterable[HighWatermark], restart: Restart) -> HighWatermark | None:
    """The first line about its log after a restart that shows its end."""
    until = restart.next_start_ts + LOGS_LOADED_WITHIN
    loaded = (
        mark
        for mark in marks
        if mark.source == "log_load_completed"
        and restart.next_start_ts <= mark.ts < until
        and mark.log_end_offset is not None
    )
    return min(loaded, key=lambda mark: (mark.ts, mark.evidence), default=None)


def _began(node_id: int, restart: Restart, cluster: Cluster) -> datetime | None:
    """When the life began that ended before a restart."""
    before = [
        one.next_start_ts for one in cluster.restarts.get(node_id, ()) if one.next_start_ts < restart.next_start_ts
    ]
    return max(before, default=None)


def all_shortened_logs(shortened: Iterable[ShortenedLog]) -> list[ShortenedLog]:
    """One row for each restart of a broker: how many logs, and the one that lost the most. Damage without a shorter log counts
    from two logs on: a kill can interrupt one write.
    """
    alike: dict[tuple[int, datetime], list[ShortenedLog]] = defaultdict(list)
    for row in shortened:
        alike[row.node_id, row.start_ts].append(row)
    found = []
    for _, rows in sorted(alike.items()):
        shorter = [row for row in rows if row.held_offset is not None]
        if shorter or len(rows) > 1:
            found.append(_together(shorter or rows))
    return found


def _together(rows: Sequence[ShortenedLog]) -> ShortenedLog:
    in_order = sorted(rows, key=lambda row: (row.log_end_offset - (row.held_offset or 0), row.topic, row.partition))
    evidence = joined(*(row.evidence for row in in_order[:_KEPT]))[: 2 * _KEPT]
    return in_order[0].but(logs=sum(row.logs for row in rows), evidence=evidence)
