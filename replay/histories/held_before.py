"""How far a log had come, at least, before a truncation whose line does not show its end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter

from replay.facts.evidence import joined
from replay.facts.groups import by_key
from replay.facts.order import less
from replay.facts.times import greatest
from replay.histories.cluster import Cluster
from replay.histories.partition import by_life
from replay.tables.offsets import FetchPosition, HighWatermark, Truncation

# Lines of a replica in which its log ends at an offset or later, until its next truncation or load.
_HELD = (
    "leader_start",
    "isr_shrink",
    "follower_start",
    "log_rolled",
    "producer_snapshot_written",
    "log_load_completed",
)
# Lines and files with a high watermark, which is never beyond the log end.
_COMMITTED = ("checkpoint_high_watermark", "hw_updated", "leader_transition_skipped")
_time = attrgetter("ts")
_LOGS_ONLY_REAL_CUTS = "0.11.0"  # from this release on a line means that the log was longer (`Log.truncateTo`)


def with_log_ends(
    cuts: Iterable[Truncation],
    high_watermarks: Sequence[HighWatermark],
    fetch_positions: Iterable[FetchPosition],
    cluster: Cluster,
) -> Iterator[Truncation]:
    """The truncations, with the least log end before those whose end no line shows.

    Recovery truncates what the process before had written, so the lines of that process count; for a truncation on
    request of a leader only those of the same process do: a machine that loses power may lose the end of a log.
    """
    for _, own in by_life(cluster.lives, cuts=list(cuts), marks=high_watermarks, fetches=list(fetch_positions)):
        marks = by_key((mark for mark in own["marks"] if mark.ts is not None), lambda mark: mark.node_id)
        fetches = by_key(own["fetches"], lambda fetch: fetch.node_id)
        for node_id, of_node in by_key(sorted(own["cuts"], key=_time), lambda cut: cut.node_id).items():
            before: datetime | None = None
            for cut in of_node:
                held = _held(cut, before, marks.get(node_id, ()), fetches.get(node_id, ()), cluster)
                yield cut if cut.log_end_offset is not None else _with_end(cut, held, cluster)
                before = cut.ts


def _held(
    cut: Truncation,
    before: datetime | None,
    marks: Sequence[HighWatermark],
    fetches: Iterable[FetchPosition],
    cluster: Cluster,
) -> tuple[int, str]:
    """The greatest log end since the truncation before, and its line."""
    restart = cluster.last_restart(cut.node_id, cut.ts)
    until = cut.ts
    began_ts = None if restart is None else restart.next_start_ts
    if cut.by_recovery:
        if restart is None:
            return 0, ""
        until = restart.next_start_ts
        earlier = [one.next_start_ts for one in cluster.restarts[cut.node_id] if one.next_start_ts < until]
        began_ts = max(earlier, default=None)
    loads = [mark.ts for mark in marks if mark.source == "log_load_completed" and mark.ts < until]
    since = greatest(before, began_ts, *loads)
    ends = [(one.log_end_offset, one.event_id) for one in fetches if _is_between(one.ts, since, until)]
    ends += [
        (offset, mark.evidence[0])
        for mark in marks
        if _is_between(mark.ts, since, until)
        for sources, offset in ((_HELD, mark.log_end_offset), (_COMMITTED, mark.high_watermark))
        if mark.source in sources and offset is not None
    ]
    return max(ends, default=(0, ""))


def _is_between(ts: datetime, since: datetime | None, until: datetime) -> bool:
    return ts < until and not less(ts, since)


def _with_end(cut: Truncation, held: tuple[int, str], cluster: Cluster) -> Truncation:
    offset, event = held
    if cut.truncation_offset is None:
        return cut
    if offset > cut.truncation_offset:
        return cut.but(log_end_offset_low=offset, evidence=joined(cut.evidence, [event]))
    is_real = cut.by_recovery is False and cluster.broker(cut.node_id).runs_since(_LOGS_ONLY_REAL_CUTS)
    return cut.but(log_end_offset_low=cut.truncation_offset + 1) if is_real else cut
