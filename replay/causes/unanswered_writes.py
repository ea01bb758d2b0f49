"""What leaders stored while they could not acknowledge writes with acks=all, and what was committed later. Consumers
get these records, even if the producer gave up or sent them again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import itemgetter

from replay.availability.harm import BLOCKED
from replay.causes.incidents import AFTER_MS, BEFORE_MS, Incidents
from replay.causes.passed_offsets import LEADER_START, began_alone, passed_offsets
from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.times import known, millis, unix_millis
from replay.histories.partition import has_leader
from replay.partitions.fetchers import FETCHES
from replay.reading.names import INTERNAL_TOPICS
from replay.tables.availability import HarmSpan
from replay.tables.causes import UnansweredWrites, Vertex
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import IsrSpan, LeaderEpoch

_END = float("inf")
_when = itemgetter(0)
_LOADED = ("log_load_completed", "partition_log_loaded")
_FOLLOWS = ("follower_start", FETCHES, "truncation_to_hw")
_NO_MORE_LEADER = (*_FOLLOWS, *_LOADED)
SHRINK = "isr_shrink"  # the line with which a leader drops a replica that it waited for: high watermark and log end


def unanswered_writes(
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Sequence[LeaderEpoch],
    harm_spans: Sequence[HarmSpan],
    isr_spans: Sequence[IsrSpan],
    vertices: Iterable[Vertex],
    incident_index: Incidents,
) -> list[UnansweredWrites]:
    """What one partition's leaders stored while they waited for replicas and committed later, even if a later leader
    lacked it. At least: the offsets above their high watermarks when they dropped the replicas, or when they began
    another leader epoch in the wait. At most: how far the high watermark moved in the end.
    """
    first = next(iter(high_watermarks), None)
    if first is None or first.topic in INTERNAL_TOPICS:
        return []
    passed = passed_offsets(high_watermarks, leader_epochs, harm_spans, isr_spans)
    waits = [span for span in harm_spans if (span.kind, span.acks) == (BLOCKED, "all") and _stores(span, passed)]
    in_waits = [*_dropped_in(high_watermarks, vertices, incident_index), *_led_on_in(high_watermarks, waits)]
    at_least = _above_high_watermarks(in_waits, high_watermarks, leader_epochs, isr_spans)
    return [
        UnansweredWrites(
            incident_id=incident_id,
            topic=first.topic,
            offsets=at_least.get(incident_id, 0),
            offsets_high=None if most is None else max(most, at_least.get(incident_id, 0)),
            partitions=[f"{first.topic}-{first.partition}"],
        )
        for incident_id, most in {**dict.fromkeys(at_least), **passed}.items()
    ]


def _stores(span: HarmSpan, passed: Mapping[str, int | None]) -> bool:
    """Whether a leader stores records without a response in this time. That includes the time in which a follower
    certainly backs off after an election, if the incident has no other such time.
    """
    backs_off = span.is_sure and span.comes_with_elections and span.incident_id not in passed
    return bool(span.stores_unanswered or backs_off)


_InIncident = tuple[str | None, HighWatermark]


def _dropped_in(
    high_watermarks: Iterable[HighWatermark], vertices: Iterable[Vertex], incident_index: Incidents
) -> Iterator[_InIncident]:
    """The lines with which leaders dropped the replicas that they waited for, each with its incident."""
    happened = sorted(
        (unix_millis(vertex.ts), vertex.incident_id)
        for vertex in vertices
        if vertex.kind == SHRINK and vertex.ts is not None and vertex.incident_id is not None
    )
    for line in high_watermarks:
        if line.source == SHRINK and _has_backlog(line):
            yield _incident_of(line, happened) or incident_index.at(line.ts, BEFORE_MS, AFTER_MS), line


def _led_on_in(high_watermarks: Sequence[HighWatermark], waits: Sequence[HarmSpan]) -> Iterator[_InIncident]:
    """The lines with which leaders began the next leader epoch in a wait, each with its incident. A broker that loaded
    its log since it last led may know an older high watermark than before; it loads the log before it leads.
    """
    last: dict[int, HighWatermark] = {}
    dated = (row for row in high_watermarks if row.ts is not None)
    for line in sorted(dated, key=lambda row: (unix_millis(row.ts), row.source not in _LOADED)):
        before = last.get(line.node_id)
        if line.role == "leader" or line.source in _NO_MORE_LEADER:
            last[line.node_id] = line
        leads_on = before is not None and before.role == "leader" and line.source == LEADER_START
        if leads_on and _has_backlog(line):
            for wait in waits:
                if at_most(wait.start_ts, line.ts) and at_most(line.ts, wait.end_ts):
                    yield wait.incident_id, line


def _above_high_watermarks(
    lines: Iterable[_InIncident],
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Sequence[LeaderEpoch],
    isr_spans: Sequence[IsrSpan],
) -> dict[str, int]:
    """By incident: the offsets between high watermarks and log ends in these lines, as far as they were committed
    later: all of them, if the leader began its leader epoch alone in the ISR.
    """
    reached = _Reached(high_watermarks)
    ranges: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for incident_id, line in lines:
        begun = _next_start(line, leader_epochs)
        kept = reached.after(line) if begun is None else min(reached.after(line), begun)
        alone = began_alone(line, isr_spans)
        shown = line.log_end_offset if alone else max(kept, reached.before_a_successor(line))
        committed = min(line.log_end_offset, shown)
        if incident_id is not None and committed > line.high_watermark:
            ranges[incident_id].append((line.high_watermark, committed))
    return {incident_id: _covered(own) for incident_id, own in ranges.items()}


def _has_backlog(line: HighWatermark) -> bool:
    return None not in (line.ts, line.high_watermark, line.log_end_offset) and line.log_end_offset > line.high_watermark


class _Reached:
    """The high watermarks that a partition reached."""

    def __init__(self, high_watermarks: Iterable[HighWatermark]) -> None:
        marks = list(high_watermarks)
        self._of_node = by_key((mark for mark in marks if mark.ts is not None), lambda mark: mark.node_id)
        newest_first = sorted(
            ((_END if mark.ts is None else unix_millis(mark.ts), mark.high_watermark or 0) for mark in marks),
            reverse=True,
        )
        self._times = [-at for at, _ in newest_first]
        self._highest = list(accumulate((offset for _, offset in newest_first), max, initial=0))

    def after(self, line: HighWatermark) -> int:
        """The highest one after a line, including those without a time."""
        return self._highest[bisect_left(self._times, -unix_millis(line.ts))]

    def before_a_successor(self, line: HighWatermark) -> int:
        """The highest one that the leader itself logged after a line, until it learned of the next leader: that one may lack
        what had been committed.
        """
        highest = 0
        for mark in sorted(self._of_node.get(line.node_id, ()), key=lambda mark: unix_millis(mark.ts)):
            if not less(mark.ts, line.ts):
                highest = max(highest, mark.high_watermark or 0)
                if less(line.ts, mark.ts) and (mark.role == "follower" or mark.source in _FOLLOWS):
                    break
        return highest


def _next_start(line: HighWatermark, leader_epochs: Iterable[LeaderEpoch]) -> int | None:
    """The offset with which the next leader began, as far as a line shows it: that leader does not have the offsets
    above.
    """
    begun = (
        epoch.epoch_start_offset
        for epoch in leader_epochs
        if has_leader(epoch) and epoch.leader_id != line.node_id and _is_next(epoch, line)
    )
    return next((offset for offset in begun if offset is not None), None)


def _is_next(epoch: LeaderEpoch, line: HighWatermark) -> bool:
    if line.leader_epoch is not None:
        return epoch.leader_epoch > line.leader_epoch
    return (millis(epoch.start_ts, line.ts) or 0) > 0


def _incident_of(line: HighWatermark, shrinks: Sequence[tuple[int, str]]) -> str | None:
    """The incident of the nearest ISR shrink of the partition, of their times and incidents in order."""
    at = unix_millis(line.ts)
    near = shrinks[bisect_left(shrinks, at - AFTER_MS, key=_when) : bisect_right(shrinks, at + AFTER_MS, key=_when)]
    return min(((abs(ms - at), incident_id) for ms, incident_id in near), default=(0, None))[1]


def _covered(ranges: Iterable[tuple[int, int]]) -> int:
    """The number of offsets in any of the ranges; a leader may log the same offsets several times."""
    total, until = 0, 0
    for low, high in sorted(ranges):
        total += max(0, high - max(low, until))
        until = max(until, high)
    return total


def merge_unanswered_writes(unanswered: Iterable[UnansweredWrites]) -> list[UnansweredWrites]:
    """One row for each topic in each incident."""
    return list(_added_up(unanswered))


def _added_up(unanswered: Iterable[UnansweredWrites]) -> Iterator[UnansweredWrites]:
    alike = by_key(unanswered, lambda row: (row.incident_id, row.topic))
    for _, rows in sorted(alike.items()):
        yield rows[0].but(
            offsets=sum(row.offsets for row in rows),
            offsets_high=_sum_of_all(row.offsets_high for row in rows),
            partitions=sorted({name for row in rows for name in row.partitions}),
        )


def _sum_of_all(numbers: Iterable[int | None]) -> int | None:
    """The sum; None if one of them is unknown."""
    every = list(numbers)
    return None if None in every else sum(known(every))
