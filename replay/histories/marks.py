"""Marks: the known offsets of replicas, and the history that each one describes: which life of a broker, and until
which leader epoch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.facts.groups import by_key
from replay.facts.order import less, nulls_first
from replay.facts.times import known, least
from replay.histories.cluster import UNCLEAN_ENDS, Cluster
from replay.histories.partition import Partition, has_leader
from replay.histories.replicated import IN_SYNC_FETCHES, LEADER_FETCHED, logs_reached
from replay.offsets.high_watermarks import LOADING_MS

ANCHORS = (
    "checkpoint_high_watermark",
    "partition_log_loaded",
    "follower_start",
    "leader_start",
    "leader_transition_skipped",
    "isr_shrink",
    "hw_updated",
    "truncation_below_hw",
    "truncation_to_hw",
    "checkpoint_log_start_offset",
    "log_start_offset_incremented",
    IN_SYNC_FETCHES,
)
OF_FOLLOWERS = (IN_SYNC_FETCHES, LEADER_FETCHED)  # lines of followers about the history of their leader
LOGGED_BY_LEADERS = ("leader_start", "leader_transition_skipped", "isr_shrink", "hw_updated", *OF_FOLLOWERS)
ENDS = (
    "leader_start",
    "follower_start",
    "log_truncated_to",
    "log_load_completed",
)  # the log end of a replica at a time, and the leader with which it agreed
_LOADING = timedelta(milliseconds=LOADING_MS)


@dataclass(slots=True)
class Mark:
    """The offsets of one replica in one line, or a truncation of its log (`source` is `truncation`).

    - `damaged`: recovery cut the log to this end. `life_ts`: the last start of the broker before.
    - `clamped_again`: the high watermark was lowered to the end of a recovered log, after an earlier recovery had done
      so.
    - `superseded_in`: the first later leader epoch that starts below its high watermark.
    - `end_event`: the line that shows the log end before a truncation.
    - `followers`: those whose fetch requests (`events`) show how far a leader's log, or all logs in sync, had come.
    """

    node_id: int
    ts: datetime
    leader_epoch: int | None
    source: str
    high_watermark: int | None
    log_end_offset: int | None
    truncation_offset: int | None
    event: str | None
    damaged: bool = False
    life_ts: datetime | None = None
    clamped_again: bool = False
    superseded_in: int | None = None
    end_event: str | None = None
    followers: tuple[int, ...] = ()
    events: tuple[str, ...] = ()

    @property
    def evidence(self) -> list[str]:
        """The lines that show it."""
        return list(self.events) if self.events else known([self.event])


Marks = Mapping[int, Sequence[Mark]]


def marks_of_replicas(partition: Partition, cluster: Cluster) -> Marks:
    """All marks of each replica, in the order of its own clock."""
    marks = by_key((*_offsets(partition), *_cuts(partition), *_fetched(partition, cluster)), lambda mark: mark.node_id)
    starts = _Starts(partition)
    for node_id, own in marks.items():
        own.sort(key=lambda mark: nulls_first(mark.ts, mark.leader_epoch))
        _note_damage(own)
        _note_lives(own, node_id, cluster)
        _note_superseding(own, starts)
    return marks


def _offsets(partition: Partition) -> Iterator[Mark]:
    for row in partition.high_watermarks:
        if row.ts is not None:
            yield Mark(
                row.node_id,
                row.ts,
                row.leader_epoch,
                row.source,
                row.high_watermark,
                row.log_end_offset,
                None,
                _first(row.evidence),
            )


def _cuts(partition: Partition) -> Iterator[Mark]:
    """The truncations on request of a leader."""
    for row in partition.truncations:
        if row.by_recovery is False:
            yield Mark(
                row.node_id,
                row.ts,
                row.leader_epoch,
                "truncation",
                row.high_watermark,
                row.log_end_offset,
                row.truncation_offset,
                _first(row.evidence),
                end_event=None if row.log_end_offset is None else _first((row.evidence or [])[1:]),
            )


def _fetched(partition: Partition, cluster: Cluster) -> Iterator[Mark]:
    """How far the logs of leaders, and those of all in-sync replicas, had come by the fetches of followers."""
    for one in logs_reached(partition, cluster):
        yield Mark(
            one.leader_id,
            one.ts,
            one.leader_epoch,
            IN_SYNC_FETCHES if one.in_sync else LEADER_FETCHED,
            one.offset if one.in_sync else None,
            None if one.in_sync else one.offset,
            None,
            one.events[0],
            followers=one.followers,
            events=one.events,
        )


def _first(evidence: Sequence[str] | None) -> str | None:
    return evidence[0] if evidence else None


def _note_damage(own: Sequence[Mark]) -> None:
    """Sets `damaged`: recovery cut the log at the broker's start, and the broker has taken no role since. The earlier
    end of such a log is unknown (facts §5, F24).
    """
    cuts = [mark.ts for mark in own if mark.source == "log_recovery_truncated"]
    if not cuts:
        return
    roles = [mark.ts for mark in own if mark.source in ("leader_start", "follower_start")]
    for mark in own:
        cut, role = bisect_right(cuts, mark.ts + _LOADING), bisect_right(roles, mark.ts - timedelta(milliseconds=1))
        mark.damaged = mark.source != "truncation" and cut > 0 and (role == 0 or cuts[cut - 1] > roles[role - 1])


def _note_lives(own: Sequence[Mark], node_id: int, cluster: Cluster) -> None:
    """Sets `life_ts` and `clamped_again`.

    A checkpoint beyond the end of a log that lost records stays until it is rewritten. If the broker dies again before,
    the high watermark is lowered to the new end, which was never committed (facts §3.3, S5).
    """
    end, was_clamped = None, False
    loaded: tuple[int | None, bool] | None = None  # the high watermark last loaded, and whether it was lowered again
    for mark in own:
        restart = cluster.last_restart(node_id, mark.ts)
        mark.life_ts = None if restart is None else restart.next_start_ts
        if mark.source == "log_load_completed" and mark.log_end_offset is not None:
            end = mark.log_end_offset
        if mark.source == "partition_log_loaded":
            after_death = restart is not None and restart.ended in UNCLEAN_ENDS
            clamped = after_death and end is not None and mark.high_watermark == end
            loaded = mark.high_watermark, clamped and was_clamped
            was_clamped = was_clamped or clamped
        if loaded is not None and mark.high_watermark is not None:
            mark.clamped_again = loaded == (mark.high_watermark, True)


class _Starts:
    """The start of each leader epoch: (leader epoch, offset, time), in order."""

    def __init__(self, partition: Partition) -> None:
        self._starts = [
            (row.leader_epoch, row.epoch_start_offset, row.start_ts)
            for row in partition.leader_epochs
            if has_leader(row) and row.epoch_start_offset is not None
        ]
        self._least: list[int] = [offset for _, offset, _ in self._starts]  # of the remaining ones
        for at in range(len(self._least) - 2, -1, -1):
            self._least[at] = min(self._least[at], self._least[at + 1])

    def first_below(self, offset: int, since_epoch: int | None, since_ts: datetime) -> int | None:
        """The first leader epoch after `since_epoch` (if that is unknown, after `since_ts`) that begins below `offset`."""
        begin = 0 if since_epoch is None else bisect_right(self._starts, since_epoch, key=lambda start: start[0])
        for at in range(begin, len(self._starts)):
            if self._least[at] >= offset:
                return None
            epoch, start_offset, ts = self._starts[at]
            if start_offset < offset and (since_epoch is not None or less(since_ts, ts)):
                return int(epoch)
        return None


def _note_superseding(own: Sequence[Mark], starts: _Starts) -> None:
    """Sets `superseded_in`: the leader epoch in which the mark proves a loss; after it other records have those offsets.

    It is later than the leader epoch with which the replica's log agreed: a leader describes its own leader epoch, a
    follower that of the last leader with which it agreed, however long it was away since. Logs may diverge below the
    start of the later leader: then the replica itself truncates what its high watermark described.
    """
    last_agreed = _last_agreed(own)
    later_cuts: list[Mark] = []
    for mark, agreed in zip(reversed(own), reversed(last_agreed), strict=True):
        if mark.high_watermark is not None:
            since = _speaks_of(mark, agreed)
            own_cuts = [
                cut.leader_epoch
                for cut in later_cuts
                if less(cut.truncation_offset, mark.high_watermark) and less(since, cut.leader_epoch)
            ]
            mark.superseded_in = least(starts.first_below(mark.high_watermark, since, mark.ts), *own_cuts)
        if mark.source == "truncation":
            later_cuts.append(mark)


def _last_agreed(own: Sequence[Mark]) -> list[int | None]:
    """For each mark the last leader epoch before it with whose leader the replica's log certainly agreed."""
    next_end: int | None = None
    grew = []
    for mark in reversed(own):
        grew.append(mark.source == "follower_start" and less(mark.log_end_offset, next_end))
        if mark.source in ENDS and mark.log_end_offset is not None:
            next_end = mark.log_end_offset
    agreed: int | None = None
    found: list[int | None] = []
    for mark, has_grown in zip(own, reversed(grew), strict=True):
        found.append(agreed)
        if (mark.source in ("leader_start", "log_truncated_to") or has_grown) and mark.leader_epoch is not None:
            agreed = mark.leader_epoch
    return found


def _speaks_of(mark: Mark, agreed: int | None) -> int | None:
    """The last leader epoch of whose history a mark is."""
    if mark.leader_epoch is None or mark.source in LOGGED_BY_LEADERS:
        return mark.leader_epoch if mark.source in LOGGED_BY_LEADERS else agreed
    begins_anew = mark.source in ("follower_start", "truncation_to_hw")
    return min(known([agreed, mark.leader_epoch - 1 if begins_anew else mark.leader_epoch]))
