"""The solution of the bounds, by node and time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from replay.clocks.constraints import MARGIN_MS, STEP_MS, Bound, Clock, Set, Solution, solved
from replay.clocks.zones import HOUR_MS
from replay.tables import CLOCK_OFFSETS
from replay.tables.clocks import ClockBound, ClockOffset, ClockWindow, NodeClock

_SUMMER_GAP_MS = 300_000  # a jump back of an hour minus up to this is the end of daylight saving after a pause


def clock_windows(node_clocks: Iterable[NodeClock], clock_bounds: Sequence[ClockBound]) -> list[ClockWindow]:
    """The windows of each clock between two times at which it was set: zone, bounds against the reference, and the
    correction that is subtracted.

    If no pair bounds the time after a clock was set back, only the jump in its file is known. A window begins at its
    first timestamp, by the reference clock.
    """
    terms = {bound.a: ("r" + _owner(bound.b), -bound.a_wall) for bound in clock_bounds if bound.same}
    between_clocks = [bound for bound in clock_bounds if not bound.same]
    coarse = {
        ends
        for ends in {(bound.a, bound.b) for bound in between_clocks}
        if not any(bound.fraction for bound in between_clocks if (bound.a, bound.b) == ends)
    }
    owners = {clock: owner for clock, (owner, _) in terms.items()}
    solution = solved(_bound(bound, owners, (bound.a, bound.b) in coarse) for bound in between_clocks)
    reference = int(_owner(solution.reference)) if solution.reference else None
    found = []
    for node in node_clocks:
        found += _laid_out(_windows(node, solution.sets), node, solution, reference)
    for owner, first_offset in sorted(terms.values(), key=lambda term: term[1]):
        clock = solution.clocks.get(owner, Clock(0.0, "printed", None, None))
        window = _window(int(_owner(owner)), "records", "UTC", clock, _correction(clock), reference)
        found.append(window.but(window=0, first_offset=first_offset))
    return found


def clock_offsets(clock_windows: Iterable[ClockWindow]) -> list[ClockOffset]:
    """The windows of nodes' log lines."""
    names = CLOCK_OFFSETS.schema.names
    return [
        ClockOffset(*[getattr(window, name) for name in names]) for window in clock_windows if window.clock == "lines"
    ]


def _owner(clock: str) -> str:
    return re.sub(r"^[a-z](-?\d*+).*+$", r"\1", clock)


def _bound(bound: ClockBound, owners: Mapping[str, str], coarse: bool) -> Bound:
    """A bound for the solver. If all timestamps of the effect are whole seconds, they may have been truncated to
    seconds.
    """
    tightest = tuple(delay + (999 if coarse else 0) for delay in bound.tightest)
    a, b = owners.get(bound.a, bound.a), owners.get(bound.b, bound.b)
    ends = bound.a_wall, bound.b_wall, bound.a_event, bound.b_event
    return Bound(a, b, tightest, bound.pairs, bound.sure, *ends, counted=bound.counted)


@dataclass(frozen=True)
class _Window:
    """A clock between two times at which it was set: its name, its first timestamp, the last one before that, and
    where it begins.
    """

    clock: str
    first: int
    last: int | None = None
    before: int | None = None
    first_lines: tuple[tuple[str, int], ...] | None = None
    jump: int = 0
    evidence: tuple[str, ...] = ()


def _windows(node: NodeClock, sets: tuple[Set, ...]) -> list[_Window]:
    """The windows of one node, separated by the steps that its own files show and by those that only other nodes'
    lines show.
    """
    name = f"{node.base}{node.node_id}"
    windows = [_Window(f"{name}.0", node.first)]
    for number, turn in enumerate(node.turns or (), start=1):
        shown = tuple((line["source_file"], line["line_number"]) for line in turn["first_lines"])
        windows.append(
            _Window(
                f"{name}.{number}",
                turn["after"],
                turn["before"],
                turn["before"],
                shown,
                min(0, turn["after"] - turn["before"]),
                tuple(turn["evidence"]),
            )
        )
    whole = []
    for window in windows:
        later = sorted((s for s in sets if s.clock.partition("+")[0] == window.clock), key=lambda s: s.before)
        whole += [
            window,
            *(
                _Window(
                    s.then,
                    int(s.after),
                    int(s.before),
                    int((s.before + s.after) / 2),
                    window.first_lines,
                    0,
                    s.evidence,
                )
                for s in later
            ),
        ]
    return whole


def _laid_out(windows: list[_Window], node: NodeClock, solution: Solution, reference: int | None) -> list[ClockWindow]:
    given = node.base == "g"
    unknown = Clock(
        solution.common_zone_ms or 0.0, "assumed" if solution.common_zone_ms is None else "others", None, None
    )
    found: list[ClockWindow] = []
    last = Clock(0.0, "", None, None)
    correction = off_before = 0.0
    for number, window in enumerate(windows):
        clock = solution.clocks.get(window.clock, unknown)
        clock = replace(clock, zone_ms=0.0, zone_from="given") if given else clock
        if not number or (clock.low is not None and clock.high is not None):
            correction = _correction(clock)
        elif HOUR_MS - _SUMMER_GAP_MS <= -window.jump <= HOUR_MS:
            clock = replace(clock, zone_ms=last.zone_ms - HOUR_MS)
        else:
            correction = _within(clock, off_before + window.jump - clock.zone_ms)
        off = clock.zone_ms + correction
        if number and window.first_lines is None:
            least = _least_step(last, clock)
            window = _as_its_lines_show(window, node, off - off_before - STEP_MS if least is None else least)
        last = clock
        start = _moment(window.first - off)
        if found:
            found[-1] = found[-1].but(end_ts=start)
        zone = node.zone if given else _zone_text(clock.zone_ms)
        found.append(
            _window(node.node_id, "lines", zone, clock, correction, reference).but(
                start_ts=start,
                window=number,
                before=window.before,
                first_lines=_lines(window),
                step_ms=off - off_before if number else None,
                last_ts=None if window.last is None else _moment(window.last - off_before),
                evidence=list(window.evidence),
            )
        )
        off_before = off
    return found


def _least_step(before: Clock, after: Clock) -> float | None:
    """By how much a clock was set forward at least, by its bounds before and after; None if they do not show it."""
    if after.low is None or before.high is None:
        return None
    return after.low - before.high + after.zone_ms - before.zone_ms


def _as_its_lines_show(window: _Window, node: NodeClock, least_ms: float) -> _Window:
    """The window, narrowed to the one pause in the node's lines that is long enough for the clock's step forward.

    A clock that was set forward leaves a gap of at least the step between two lines of its node. Other nodes' lines
    bound the step only roughly.
    """
    if window.last is None or least_ms < STEP_MS:
        return window
    long = [
        pause
        for pause in node.pauses or ()
        if pause["before"] >= window.last
        and pause["after"] <= window.first
        and pause["after"] - pause["before"] >= least_ms
    ]
    if len(long) != 1:
        return window
    before, after = long[0]["before"], long[0]["after"]
    return replace(window, first=after, last=before, before=(before + after) // 2, evidence=tuple(long[0]["evidence"]))


def _moment(ms: float) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=ms)


def _lines(window: _Window) -> list[dict[str, object]] | None:
    return (
        None
        if window.first_lines is None
        else [{"source_file": file, "line_number": line} for file, line in window.first_lines]
    )


def _correction(clock: Clock) -> float:
    """The correction to subtract if the bounds exclude that the clock was right: their middle, or the only bound;
    otherwise 0.
    """
    nearest = _within(clock, 0.0)
    if nearest == 0.0 or clock.low is None or clock.high is None:
        return nearest
    return (clock.low + clock.high) / 2


def _within(clock: Clock, correction: float) -> float:
    """The correction, or the bound that excludes it."""
    if clock.low is not None and correction < clock.low - MARGIN_MS:
        return clock.low
    if clock.high is not None and correction > clock.high + MARGIN_MS:
        return clock.high
    return correction


def _window(
    node_id: int | None, clock_of: str, zone: str | None, clock: Clock, correction: float, reference: int | None
) -> ClockWindow:
    """A row of `CLOCK_WINDOWS` without its time."""
    return ClockWindow(
        node_id=node_id,
        zone=zone,
        offset_low_ms=clock.low,
        offset_high_ms=clock.high,
        correction_ms=correction,
        reference_node_id=reference,
        clock=clock_of,
        zone_from=clock.zone_from,
    )


def _zone_text(ms: float) -> str:
    minutes = round(abs(ms) / 60_000)
    return "UTC" if minutes == 0 else f"{'-' if ms < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
