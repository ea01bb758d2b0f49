"""The most that leaders can have stored while writes with acks=all had no answer: how far the high watermark moved from
the wait on.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from replay.availability.harm import BLOCKED
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import first_known, greatest, least, millis, plus_millis
from replay.histories.partition import has_leader
from replay.tables.availability import HarmSpan
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import IsrSpan, LeaderEpoch

LEADER_START = "leader_start"
SETTLED_MS = 2_000  # the high watermark has passed what was stored before a wait ended this long after it
SOON_MS = 5_000  # a line later than this after the end of a wait shows mostly what was stored since then
_time = attrgetter("ts")


@dataclass(frozen=True, slots=True)
class _Wait:
    """Writes without a response: the high watermark did not advance until `still_ts`. The wait ended by `end_ts`; null
    if it lasted until the logs end.
    """

    incident_id: str
    still_ts: datetime
    end_ts: datetime | None


def passed_offsets(
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Sequence[LeaderEpoch],
    harm_spans: Iterable[HarmSpan],
    isr_spans: Sequence[IsrSpan] = (),
) -> dict[str, int | None]:
    """By incident: how far the high watermark of a partition advanced from its offset in the waits of the incident to
    the leader's first line soon after each, which names the high watermark or the end of the log; None if no line shows
    it. If a replica from outside the ISR was elected in the wait, the high watermark had advanced at most to the end of
    the log of the previous leader.
    """
    waits = list(_waits(harm_spans))
    if not waits:
        return {}
    lines = _of_leaders(high_watermarks, leader_epochs)
    shorter = _outside_isr(leader_epochs, isr_spans)
    passed: dict[str, int | None] = {}
    for wait in waits:
        cut_off = [
            one for one in shorter if at_most(wait.still_ts, one.start_ts) and at_most(one.start_ts, wait.end_ts)
        ]
        offsets = _passed(wait, lines, [_before(one, high_watermarks, wait) for one in cut_off])
        before = passed.get(wait.incident_id, 0)
        passed[wait.incident_id] = None if offsets is None or before is None else before + offsets
    return passed


def began_alone(line: HighWatermark, isr_spans: Iterable[IsrSpan]) -> bool:
    """Whether the line begins a leader epoch in whose first ISR the leader was the only member: all that it held was
    committed at once.
    """
    if line.source != LEADER_START:
        return False
    own = [one for one in isr_spans if one.leader_epoch == line.leader_epoch]
    return bool(own) and list(min(own, key=_began).isr or ()) == [line.node_id]


def _began(span: IsrSpan) -> tuple[tuple[bool, Any], ...]:
    return nulls_first(span.leader_epoch, span.partition_epoch, span.start_ts)


def _outside_isr(leader_epochs: Iterable[LeaderEpoch], isr_spans: Sequence[IsrSpan]) -> list[LeaderEpoch]:
    """The leader epochs whose leaders were not in the last ISR before them. ISRs without a known leader epoch do not
    count: they have no place in this order.
    """
    in_order = sorted((one for one in isr_spans if one.leader_epoch is not None), key=_began)
    found = []
    for epoch in leader_epochs:
        at = bisect_left(in_order, epoch.leader_epoch, key=lambda one: one.leader_epoch)
        if at and has_leader(epoch) and epoch.leader_id not in (in_order[at - 1].isr or (epoch.leader_id,)):
            found.append(epoch)
    return found


def _before(epoch: LeaderEpoch, high_watermarks: Iterable[HighWatermark], wait: _Wait) -> int | None:
    """The highest log end offset in lines of earlier leader epochs since the wait began, however late; None without
    such a line.
    """
    ends = (
        row.log_end_offset
        for row in high_watermarks
        if row.ts is not None and row.ts >= wait.still_ts and less(row.leader_epoch, epoch.leader_epoch)
    )
    return greatest(*ends)


def _passed(wait: _Wait, lines: Sequence[HighWatermark], cut_off: Sequence[int | None]) -> int | None:
    """How far it advanced in one wait; `cut_off`: the ends of the logs that a later leader in the wait lacked."""
    if wait.end_ts is None or None in cut_off:
        return None
    stood = lines[: bisect_right(lines, wait.still_ts, key=_time)]
    settled_ts, soon_ts = plus_millis(wait.end_ts, SETTLED_MS), plus_millis(wait.end_ts, SOON_MS)
    soon = lines[bisect_left(lines, settled_ts, key=_time) : bisect_right(lines, soon_ts, key=_time)]
    ends = (row.log_end_offset for row in lines if at_most(wait.end_ts, row.ts) and at_most(row.ts, soon_ts))
    low = stood[-1].high_watermark if stood else None
    high = greatest(least(_committed(soon[0]) if soon else None, *ends), *cut_off)
    return None if low is None or high is None or high < low else high - low


def _committed(line: HighWatermark) -> int | None:
    """The most that was committed when a leader logged a line. A new leader's high watermark may lag behind."""
    return line.log_end_offset if line.source == LEADER_START else line.high_watermark


def _of_leaders(high_watermarks: Iterable[HighWatermark], leader_epochs: Iterable[LeaderEpoch]) -> list[HighWatermark]:
    """The lines of leaders with their high watermarks, in the order of time, without those of deposed leaders."""
    begun = sorted((row.start_ts, row.leader_epoch) for row in leader_epochs if row.start_ts is not None)
    lines = [row for row in high_watermarks if row.role == "leader" and None not in (row.ts, row.high_watermark)]

    def newest(ts: datetime) -> int | None:
        return greatest(*(epoch for _, epoch in begun[: bisect_right(begun, ts, key=lambda one: one[0])]))

    return sorted((row for row in lines if row.leader_epoch in (None, newest(row.ts))), key=_time)


def _waits(harm_spans: Iterable[HarmSpan]) -> Iterator[_Wait]:
    """The waits; consecutive blocked times are one wait."""
    blocked = sorted(
        (span for span in harm_spans if span.kind == BLOCKED and span.acks == "all"), key=lambda span: span.start_ts
    )
    together: list[HarmSpan] = []
    for span in blocked:
        last_ts = greatest(*(one.end_ts for one in together))
        if together and (millis(span.start_ts, last_ts) or 0) > SETTLED_MS:
            yield from _wait(together)
            together = []
        together.append(span)
    yield from _wait(together)


def _wait(together: Sequence[HarmSpan]) -> Iterator[_Wait]:
    unanswered = [span for span in together if span.stores_unanswered]
    if not unanswered or unanswered[0].incident_id is None:
        return
    still_ts = first_known(*(span.end_ts for span in unanswered if span.is_sure), together[0].start_ts)
    lasts = any(span.is_open for span in together)
    if still_ts is not None:
        yield _Wait(unanswered[0].incident_id, still_ts, None if lasts else greatest(*(one.end_ts for one in together)))
