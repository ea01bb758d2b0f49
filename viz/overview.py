"""Small timelines of the first screen: what happened when, as bars and marks that link to the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.availability import closed_spans
from viz.bounds import first
from viz.cluster import nodes_by_role
from viz.fault_times import fault_times
from viz.isr import sync_spans
from viz.leader_epochs import UNCLEAN

UNKNOWN_CAUSE = "F00"
_MOST_LANES = 4
_LONGEST = 60  # characters of the name of a lane
_MOST_MARKS = 160
_MOST_BARS = 8
_ROUND = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400)  # seconds
_NARROWEST = 0.35  # per cent of the width: a bar of this length is still visible


@dataclass(frozen=True)
class Mark:
    """A bar or a mark of a lane: its position in per cent of the width, its style, its link, its text."""

    left: float
    width: float
    look: str
    link: str
    description: str


@dataclass(frozen=True)
class Lane:
    """A row of a small timeline."""

    label: str
    marks: Sequence[Mark]
    link: str = ""


@dataclass(frozen=True)
class Overview:
    """A small timeline: its lanes from the top, and the times along its foot, each at a share of the width."""

    lanes: Sequence[Lane]
    ticks: Sequence[tuple[float, str]]


class _Scale:
    """Converts a time to a percentage of the width."""

    def __init__(self, start: pd.Timestamp, end: pd.Timestamp) -> None:
        self.start, self.end = start, end
        self._whole: float = max((end - start).total_seconds(), 0.001)

    def at(self, ts: pd.Timestamp) -> float:
        share: float = (ts - self.start).total_seconds() / self._whole
        return round(100 * min(1.0, max(0.0, share)), 3)

    def mark(self, start: pd.Timestamp, end: pd.Timestamp | None, look: str, link: str, description: str) -> Mark:
        left, right = self.at(start), self.at(end if end is not None else self.end)
        width = max(_NARROWEST, right - left)
        return Mark(round(min(left, 100 - width), 3), round(width, 3), look, link, description)

    def ticks(self) -> list[tuple[float, str]]:
        """Round times, three to seven of them, each at its share of the width."""
        step = next(
            (step for step in _ROUND if self._whole / step <= 6), _ROUND[-1] * -(-self._whole // (6 * _ROUND[-1]))
        )
        same_day = self.start.date() == self.end.date()
        first = self.start.ceil(pd.Timedelta(seconds=step))
        times = pd.date_range(first, self.end, freq=pd.Timedelta(seconds=step))
        return [(self.at(ts), words.second(ts) if same_day else words.stamp(ts)[:16]) for ts in times]


def of_incident(
    tables: Mapping[str, pd.DataFrame],
    findings: Sequence[Any],
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
    link_to: Any,
) -> Overview | None:
    """Faults, writes, ISRs and elections of an incident on a few lanes; `link_to` returns the link of a finding. None
    without any time.
    """
    if shown is None:
        return None
    scale = _Scale(*shown)
    faults = [
        f for f in findings if f.role in ("root_cause", "contributing") and (f.began_high or f.start_ts) is not None
    ]
    by_code = frames.by_key(faults, lambda f: fault_and_brokers(tables, f))
    lanes = [
        Lane(label, [mark for f in some for mark in _bounded(scale, f, link_to(f.finding_id))])
        for label, some in list(by_code.items())[:_MOST_LANES]
    ]
    if len(by_code) > _MOST_LANES:
        rest = [f for some in list(by_code.values())[_MOST_LANES:] for f in some]
        marks = [mark for f in rest for mark in _bounded(scale, f, link_to(f.finding_id))]
        lanes.append(_lane(words.counted(len(rest), "more fault"), marks))
    lanes += [lane for lane in (_writes(tables, scale), _in_sync(tables, scale), _elections(tables, scale)) if lane]
    if not lanes:
        return None
    return Overview(lanes, scale.ticks())


def fault_and_brokers(tables: Mapping[str, pd.DataFrame], f: Any) -> str:
    """A short name for a fault and its node: `Pause, broker 1`; only the fault if no single node is at fault. If no line shows the
    cause, what was observed.
    """
    if f.code == UNKNOWN_CAUSE and f.title:
        return words.shortened(f.title if "cause" in f.title else f"{f.title}; cause not in these logs", _LONGEST)
    names = {g.code: g.name for g in frames.table(tables, "glossary")}
    name = names.get(f.code) or f.code or "fault"
    if not f.broker_ids:
        return name
    several = len(set(f.broker_ids)) > 2
    nodes = words.counted(len(set(f.broker_ids)), "node") if several else nodes_by_role(tables, f.broker_ids)
    return f"{name}, {nodes}"


def _bounded(scale: _Scale, f: Any, link: str) -> list[Mark]:
    """A fault from its latest begin to its earliest end, within the time that it may have lasted. Without a time in which it
    certainly lasted, only that.
    """
    title, look, times = f.title or f.code, f"sev-{f.severity or 'info'}", fault_times(f)
    marks = []
    for one in times.ranges(scale.end):
        until = None if times.end is None or (times.is_open and not one.is_certain) else one.end
        may_last = not one.is_certain and times.start != times.end
        description = (
            f"{title}: it may have lasted {words.span(one.start, until)}" if may_last else f"{title}, {words.lasted(f)}"
        )
        marks.append(scale.mark(one.start, until, look if one.is_certain else f"{look} perhaps", link, description))
    return marks


_STATES = {"closed": "unavailable", "unknown": "not known to be available"}


def _writes(tables: Mapping[str, pd.DataFrame], scale: _Scale) -> Lane | None:
    """When some partition was unavailable for writes with acks=all, or its state was unknown."""
    if tables["availability"].empty:
        return None
    marks = [
        scale.mark(
            start,
            end,
            state,
            "#chart-availability-figure",
            f"acks=all: {'up to ' if count > 1 else ''}{words.counted(count, 'partition')} {_STATES[state]}, {words.span(start, end)}",
        )
        for start, end, state, count in closed_spans(tables)
        if start < scale.end and (end is None or end > scale.start)
    ]
    return _lane("Writes (acks=all)", marks)


def _lane(label: str, marks: Sequence[Mark]) -> Lane:
    """A lane; if it has too many marks, it shows the widest, and its name states the total."""
    part = first(sorted(marks, key=lambda mark: -mark.width), _MOST_MARKS)
    if not part.left_out:
        return Lane(label, marks)
    shown = set(part.shown)
    return Lane(f"{label}, {len(part.shown)} of {words.number(part.total)}", [mark for mark in marks if mark in shown])


def _in_sync(tables: Mapping[str, pd.DataFrame], scale: _Scale) -> Lane | None:
    """When some partition had no ISR, one in-sync replica, or not all replicas in sync."""
    marks = [
        scale.mark(start, end, look, "#chart-isr-figure", f"{what} somewhere, {words.span(start, end)}")
        for look, what, start, end in sync_spans(tables)
        if start < scale.end and (end is None or end > scale.start)
    ]
    return _lane("ISR", marks) if marks else None


def election_times(tables: Mapping[str, pd.DataFrame]) -> Sequence[tuple[pd.Timestamp, bool, bool]]:
    """When leaders were elected, whether uncleanly, and whether that is only the first line that shows it."""

    def made() -> Sequence[tuple[pd.Timestamp, bool, bool]]:
        held = tables["elections"].dropna(subset=["ts"])
        found = held.begun_before.eq(True).fillna(False).astype(bool)
        return list(zip(held.ts, held.elected_from.isin(UNCLEAN), found, strict=True))

    times: Sequence[tuple[pd.Timestamp, bool, bool]] = frames.conclusion(tables, "election times", made)
    return times


def _elections(tables: Mapping[str, pd.DataFrame], scale: _Scale) -> Lane | None:
    """Changes of leader; those within one spot of the width share a mark."""
    spots: dict[tuple[int, bool, bool], list[pd.Timestamp]] = {}
    for ts, unclean, found in election_times(tables):
        if scale.start <= ts <= scale.end:
            spots.setdefault((int(scale.at(ts) * 2), bool(unclean), bool(found)), []).append(ts)
    marks = [
        replace(
            scale.mark(
                some[0],
                some[0],
                "unclean" if unclean else "election",
                "#changes",
                f"{words.counted(len(some), 'unclean election' if unclean else 'election')} {'by' if found else 'at'} {words.clock(some[0])}",
            ),
            width=0.0,
        )
        for (_, unclean, found), some in sorted(spots.items())
    ]
    return _lane("Elections", marks) if marks else None


def of_incidents(
    incidents: Sequence[Any], recorded: tuple[pd.Timestamp, pd.Timestamp] | None, link_to: Any
) -> Overview | None:
    """All incidents over the whole recording, in as many lanes as overlap; None for fewer than two."""
    timed = sorted((i for i in incidents if i.start_ts is not None), key=lambda i: (i.start_ts, i.incident_id))
    if recorded is None or len(timed) < 2:
        return None
    scale = _Scale(*recorded)
    lanes: list[list[Mark]] = []
    for i in timed:
        description = f"{i.title or i.incident_id}, {words.span_of(i)}"
        mark = scale.mark(i.start_ts, i.end_ts, f"sev-{i.severity or 'info'}", link_to(i.incident_id), description)
        free = next((lane for lane in lanes if lane[-1].left + lane[-1].width <= mark.left), None)
        if free is not None:
            free.append(mark)
        elif len(lanes) < _MOST_BARS:
            lanes.append([mark])
        else:
            min(lanes, key=lambda lane: lane[-1].left + lane[-1].width).append(mark)
    label = words.counted(len(timed), "incident")
    return Overview([Lane(label if n == 0 else "", lane) for n, lane in enumerate(lanes)], scale.ticks())
