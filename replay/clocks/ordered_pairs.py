"""Pairs of lines that must be in order, and for each two clocks the few pairs that bound their difference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replay.clocks.constraints import FAR_MS
from replay.clocks.happened_before import RULES
from replay.tables.clocks import ClockBound, KeyedStamp

_SPAN_MS = 60_000  # the two tightest pairs represent all pairs of a time span of this length
_COUNTS = {rule.name: rule.counts for rule in RULES}


class _Stamp(NamedTuple):
    """A timestamp that sorts by time."""

    wall: int
    clock: str | None
    event_id: str


def bounds_of_key(keyed_stamps: Sequence[KeyedStamp]) -> Iterator[ClockBound]:
    """What the causes and effects of one rule with one key prove: clock b − clock a is at most the time between
    their timestamps. Partial rows of `CLOCK_BOUNDS`.

    Adds one millisecond, because timestamps are truncated to milliseconds.
    """
    rule = keyed_stamps[0].rule
    counts = _COUNTS[rule]
    causes, effects = (_one_of_each_clock(keyed_stamps, cause, counts) for cause in (True, False))
    if counts == "once" and len(causes) != 1:
        return
    for a in causes:
        for b in effects:
            if a.clock is None or b.clock is None or a.clock == b.clock:
                continue
            delay = b.wall - a.wall + 1
            yield ClockBound(
                same=rule == "raft_term",
                counted=rule == "request_sent",
                a=a.clock,
                b=b.clock,
                span=a.wall // _SPAN_MS,
                tightest=[float(delay)],
                pairs=1,
                sure=counts == "first",
                fraction=b.wall % 1_000,
                delay=delay,
                a_wall=a.wall,
                b_wall=b.wall,
                a_event=a.event_id,
                b_event=b.event_id,
            )


def _one_of_each_clock(stamps: Iterable[KeyedStamp], cause: bool, counts: str) -> list[_Stamp]:
    """The causes (or effects) of one key, one of each clock; the rule's `counts` selects among several."""
    of_clock: dict[str | None, list[_Stamp]] = defaultdict(list)
    for stamp in stamps:
        if stamp.cause is cause:
            of_clock[stamp.clock].append(_Stamp(stamp.wall, stamp.clock, stamp.event_id))
    chosen = []
    for own in of_clock.values():
        first, last = min(own, key=_in_time), max(own, key=_in_time)
        stands_alone = counts == "once" or (counts == "first" and cause)
        if stands_alone and first.wall != last.wall:
            continue
        if counts in ("first", "any") or (cause and counts == "answer") or len(own) == 1:
            chosen.append(last if cause and counts in ("answer", "any") else first)
    return chosen


def _in_time(stamp: _Stamp) -> tuple[int, str, str]:
    return stamp.wall, stamp.clock or "", stamp.event_id


def merged_bounds(partial: Iterable[ClockBound]) -> list[ClockBound]:
    """The bounds of each direction between two clocks, by time span: the two tightest, the number of pairs, and the
    tightest bound's lines.

    Bounds that differ by `FAR_MS` stay separate: the clock may have been set between their lines.
    """
    of_span: dict[tuple[bool, bool, str, str, int, int], list[ClockBound]] = defaultdict(list)
    for bound in partial:
        kind = bound.same, bound.counted, bound.a, bound.b
        of_span[*kind, bound.span, round(bound.delay / FAR_MS)].append(bound)
    return [_merged(own) for _, own in sorted(of_span.items())]


def _merged(bounds: Sequence[ClockBound]) -> ClockBound:
    if len(bounds) == 1:
        return bounds[0]
    least = min(bounds, key=lambda one: (one.delay, one.a_wall, one.b_wall, one.a_event, one.b_event))
    return least.but(
        tightest=sorted(delay for bound in bounds for delay in bound.tightest)[:2],
        pairs=sum(bound.pairs for bound in bounds),
        sure=any(bound.sure for bound in bounds),
        fraction=max(bound.fraction for bound in bounds),
    )
