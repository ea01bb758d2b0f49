"""Partitions whose leader is not the first replica of their assignment, over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.leader_epochs import UNCLEAN
from viz.theme import NEUTRAL, tinted
from viz.timeline import Shade, at, empty, over_time

_HEIGHT = 110
_MOST_STEPS = 1_000  # points of the line; more make a page slow


@dataclass(frozen=True)
class OffPreferred:
    """A time in which the leader of a partition was not the first replica of its assignment."""

    topic: str
    partition: int
    preferred: int
    leader_id: int
    start: pd.Timestamp
    end: pd.Timestamp | None
    leader_epoch: int
    ended_by: str | None
    evidence: tuple[str, ...]
    ended_uncleanly: bool = False
    begun_before: bool = False  # its leader epoch had begun before its first line
    ended_late: bool = False  # the next leader epoch had begun before its first line, which is `end`

    @property
    def returned(self) -> str:
        """How leadership returned to the preferred replica, in words; empty if it did not at the end of this time."""
        if self.ended_uncleanly:
            return "unclean election"
        return words.trigger(self.ended_by) if self.ended_by else ""


def off_preferred(leader_epochs: pd.DataFrame, isr_spans: pd.DataFrame, elections: pd.DataFrame) -> list[OffPreferred]:
    """Each time in which a partition had another leader than its preferred replica, or none, in order; only for
    partitions with a known assignment.

    Consecutive leader epochs with the same leader share a row. `ended_by` is what triggered the election of the
    preferred replica, and `ended_uncleanly` whether that was from outside the ISR. An assignment that changed at the end of a leader epoch, as in a reassignment, belongs to the
    next one.
    """
    preferred: dict[tuple[str, int], list[tuple[pd.Timestamp, int]]] = defaultdict(list)
    for s in frames.rows(isr_spans):
        if s.replicas and s.start_ts is not None:
            preferred[s.topic, s.partition].append((s.start_ts, s.replicas[0]))
    elected = {(e.topic, e.partition, e.leader_epoch): e for e in frames.rows(elections)}
    by_partition: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for e in frames.rows(leader_epochs):
        if e.start_ts is not None and e.leader_id is not None and (e.topic, e.partition) in preferred:
            by_partition[e.topic, e.partition].append(e)
    return [
        time
        for key in sorted(by_partition, key=words.by_name)
        for time in _of_partition(key, by_partition[key], sorted(preferred[key]), elected)
    ]


def _of_partition(
    key: tuple[str, int],
    epochs: Sequence[Any],
    preferred: Sequence[tuple[pd.Timestamp, int]],
    elected: Mapping[tuple[str, int, int], Any],
) -> list[OffPreferred]:
    """The times of one partition; `preferred` holds its preferred replicas, each from the time at which it was shown."""
    found: list[OffPreferred] = []
    for e in sorted(epochs, key=lambda e: e.start_ts):
        by_then = [p for ts, p in preferred if ts <= e.start_ts or (e.end_ts is not None and ts < e.end_ts)]
        preferred_id = by_then[-1] if by_then else preferred[0][1]
        follows = found[-1] if found and found[-1].end == e.start_ts else None
        if follows is not None and e.begun_before and follows.leader_id != e.leader_id:
            follows = found[-1] = _with(follows, ended_late=True)
        if preferred_id == e.leader_id:
            if follows is not None:
                election = elected.get((*key, e.leader_epoch))
                how = {} if election is None else {"ended_by": election.trigger}
                found[-1] = _with(follows, **how, ended_uncleanly=e.elected_from in UNCLEAN)
        elif follows is not None and follows.leader_id == e.leader_id:
            found[-1] = _with(follows, end=e.end_ts)
        else:
            found.append(
                OffPreferred(
                    *(*key, preferred_id, e.leader_id, e.start_ts, e.end_ts, e.leader_epoch, None, e.evidence),
                    begun_before=bool(e.begun_before),
                )
            )
    return found


def times_off(tables: Mapping[str, pd.DataFrame]) -> list[OffPreferred]:
    """`off_preferred` of the frames of a page, computed once."""
    names = ("leader_epochs", "isr_spans", "elections")
    times: list[OffPreferred] = frames.conclusion(
        tables, "off preferred", lambda: off_preferred(*(tables[n] for n in names))
    )
    return times


def _with(one: OffPreferred, **changed: Any) -> OffPreferred:
    return OffPreferred(**{**one.__dict__, **changed})


def _counts(times: Sequence[OffPreferred]) -> list[tuple[pd.Timestamp, int]]:
    """The count from each change on; with too many changes, the largest count in each short interval."""
    changes: dict[pd.Timestamp, int] = defaultdict(int)
    for t in times:
        changes[t.start] += 1
        if t.end is not None:
            changes[t.end] -= 1
    moments = sorted(changes)
    counts = list(zip(moments, accumulate(changes[ts] for ts in moments), strict=True))
    if len(counts) <= _MOST_STEPS:
        return counts
    wide = (moments[-1] - moments[0]) / _MOST_STEPS
    largest: dict[int, tuple[pd.Timestamp, int]] = {}
    for ts, count in counts:
        slot = int((ts - moments[0]) / wide)
        largest[slot] = max(largest.get(slot, (ts, count)), (ts, count), key=lambda one: one[1])
    return sorted([*largest.values(), counts[-1]])


def preferred_leaders_figure(
    times: Sequence[OffPreferred],
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
) -> go.Figure:
    """How many partitions were not led by their preferred replica: a step line from the first such time on.

    The trace's `meta` is `off_preferred`.
    """
    if not times:
        return empty("The preferred replica led every partition whose assignment is known.")
    x: list[pd.Timestamp] = []
    y: list[int] = []
    found = {t.start for t in times if t.begun_before}
    for ts, count in _counts(times):
        x += (ts, ts)
        before = count if ts in found else 0  # the count before the first lines is not known
        y += (y[-1] if y else before, count)
    if trace_end is not None and trace_end > x[-1]:
        x, y = [*x, trace_end], [*y, y[-1]]
    figure = go.Figure()
    figure.add_scatter(
        mode="lines",
        name="not led by their preferred replica",
        meta="off_preferred",
        x=[at(ts) for ts in x],
        y=y,
        line=dict(color=NEUTRAL, width=1.6),
        fill="tozeroy",
        fillcolor=tinted(NEUTRAL, 0.18),
        hovertemplate="%{x|%H:%M:%S.%L}<br>%{y:,d} not led by their preferred replica<extra></extra>",
    )
    over_time(figure, plot_height=_HEIGHT, trace_end=trace_end, shades=shades, shown=shown)
    figure.update_yaxes(rangemode="tozero", tickformat=",d", nticks=4, fixedrange=True, title=dict(text="partitions"))
    if max(y) < 4:
        figure.update_yaxes(dtick=1)
    return figure
