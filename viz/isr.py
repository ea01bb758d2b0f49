"""How many replicas were in sync, over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz import frames
from viz import phrases as words
from viz.leader_epochs import UNTOLD, busiest, within
from viz.theme import IN_SYNC_COLOURS, lines
from viz.timeline import Bar, Shade, add_bars, at, empty, name_rows, over_time

MOST_ROWS = 40
_ROW = 24
_STEPS = 104
_GAP = 30
_MOST_STEPS = 1_200  # changes of a count that are drawn each
_ALL, _SOME, _ONE, _BELOW = IN_SYNC_COLOURS


def isr_figure(
    isr_spans: pd.DataFrame,
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    partitions: int = 0,
) -> go.Figure:
    """Above, how many partitions are not in full sync, as steps; below, a row per partition with its in-sync replicas
    in each bar.

    The full set is the assigned replicas where a line prints them, else the largest ISR seen. A breach of
    min.insync.replicas is drawn where the frame's column `min_isr` tells it; null means that no file tells, and then
    an ISR of one is drawn as one copy. Of more than `MOST_ROWS` partitions those with the smallest ISRs are drawn;
    the steps count all that the frame holds, and `partitions` is how many there are if it does not hold all. A
    trace's `meta` is `steps` or `spans`.
    """
    spans = frames.tidy(isr_spans, "isr_spans").dropna(subset=["start_ts", "topic", "partition"])
    if spans.empty:
        return empty("No ISR is told of in these logs.")
    trace_end = trace_end if trace_end is not None else spans[["start_ts", "end_ts"]].max().max()
    held = frames.rows(spans)
    full = _full(held)
    state = {span: _state(span, full[span.topic, span.partition]) for span in held}
    row_of, left_out = _rows(held, state, partitions)
    rows_height = _ROW * len(row_of) + 8
    height = _STEPS + _GAP + rows_height
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[_STEPS, rows_height], vertical_spacing=_GAP / height
    )
    _add_counts(figure, held, state, trace_end)
    for name, colour in IN_SYNC_COLOURS.items():
        drawn = [s for s in held if state[s] == name and (s.topic, s.partition) in row_of]
        bars = [
            Bar(
                row_of[s.topic, s.partition],
                s.start_ts,
                s.end_ts or trace_end,
                _label(s, full[s.topic, s.partition]),
                _told(s, name, full[s.topic, s.partition]),
                s.evidence,
            )
            for s in drawn
        ]
        if bars:
            hatched = "/" if name == _BELOW else ""
            add_bars(figure, bars, name=name, meta="spans", colour=colour, pattern=hatched, shown=shown, panel=2)
    over_time(figure, plot_height=height, trace_end=trace_end, shades=shades, shown=shown)
    figure.update_yaxes(
        title=dict(text="partitions", standoff=8),
        rangemode="tozero",
        nticks=4,
        tickformat="d",
        fixedrange=True,
        row=1,
        col=1,
    )
    name_rows(
        figure,
        [words.partition(*key) for key in row_of],
        f"{words.number(left_out)} more not shown" if left_out else "",
        panel=2,
        topics=[topic for topic, _ in row_of],
    )
    figure.update_layout(uniformtext=dict(minsize=9, mode="hide"))
    return figure


def _rows(held: Sequence[Any], state: Mapping[Any, str], partitions: int) -> tuple[dict[tuple[str, int], int], int]:
    """The partitions with the smallest ISRs, each with its row, and how many are left out."""
    trouble: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0, 0.0])
    for span in held:
        trouble[span.topic, span.partition][(_BELOW, _ONE, _SOME, _ALL).index(state[span])] += 1
    worst, left_out = busiest({key: tuple(counts) for key, counts in trouble.items()}, MOST_ROWS, partitions)
    row_of = within({key: int(sum(counts)) for key, counts in trouble.items()}, worst)
    return row_of, left_out + len(worst) - len(row_of)


def _add_counts(figure: go.Figure, held: list[Any], state: Mapping[Any, str], trace_end: pd.Timestamp) -> None:
    """How many partitions are not in full sync, as steps."""
    until = _until(held, trace_end)
    counted: dict[str, Callable[[Any], bool]] = {
        _SOME: lambda span: state[span] != _ALL,
        _ONE: lambda span: state[span] != _ALL and len(set(span.isr)) <= 1,
        _BELOW: lambda span: state[span] == _BELOW,
    }
    for name, counts in counted.items():
        _add_steps(figure, name, [(s.start_ts, until[s]) for s in held if counts(s)], min(s.start_ts for s in held))


def _full(held: list[Any]) -> dict[tuple[str, int], int]:
    """The size of each partition's full set of replicas."""
    sizes: dict[tuple[str, int], int] = defaultdict(int)
    for span in held:
        sizes[span.topic, span.partition] = max(
            sizes[span.topic, span.partition], len(set(span.isr)), len(set(span.replicas))
        )
    return sizes


def _state(span: Any, full: int) -> str:
    size = len(set(span.isr))
    if size < min(span.min_isr or 1, full):  # the setting is 1 at least, so an empty ISR is below it whatever it is
        return _BELOW
    return _ALL if size >= full else _ONE if size <= 1 else _SOME


def _until(held: list[Any], trace_end: pd.Timestamp) -> dict[Any, pd.Timestamp]:
    """Until when the steps count each span: to its end, or over a gap of less than a second to the next of its
    partition (a leader change).
    """
    until: dict[Any, pd.Timestamp] = {}
    following: dict[tuple[str, int, str | None], Any] = {}
    for span in reversed(held):
        key = (span.topic, span.partition, span.topic_id)
        end, after = span.end_ts or max(trace_end, span.start_ts), following.get(key)
        until[span] = (
            after.start_ts if after is not None and end < after.start_ts < end + pd.Timedelta(seconds=1) else end
        )
        following[key] = span
    return until


def _add_steps(
    figure: go.Figure, name: str, held: list[tuple[pd.Timestamp, pd.Timestamp]], first: pd.Timestamp
) -> None:
    if not held:
        return
    changes: dict[pd.Timestamp, int] = defaultdict(int, {first: 0})
    for start, end in held:
        changes[start] += 1
        changes[end] -= 1
    times_and_counts = _fewer(changes)
    told = {_SOME: "out of full sync", _ONE: "one copy", _BELOW: "below min.insync.replicas"}[name]
    times, counts = [at(ts) for ts, _ in times_and_counts], [n for _, n in times_and_counts]
    figure.add_scatter(
        x=times,
        y=counts,
        mode="lines",
        line=dict(shape="hv", width=2, color=IN_SYNC_COLOURS[name]),
        fill="tozeroy" if name == _SOME else None,
        name=told,
        meta="steps",
        legendgroup=name,
        showlegend=False,
        hoverinfo="text",
        hovertext=[
            lines(f"{words.counted(n, 'partition')} {told}", f"from {t}") for n, t in zip(counts, times, strict=True)
        ],
        row=1,
        col=1,
    )


def _fewer(changes: Mapping[pd.Timestamp, int]) -> list[tuple[pd.Timestamp, int]]:
    """The count from each change on; of very many changes the most in each of `_MOST_STEPS` equal times, and what it
    ends with.
    """
    steps, count = [], 0
    for ts in sorted(changes):
        count += changes[ts]
        steps.append((ts, count))
    if len(steps) <= _MOST_STEPS:
        return steps
    first, width = steps[0][0], (steps[-1][0] - steps[0][0]) / (_MOST_STEPS // 2)
    spots: dict[int, list[tuple[pd.Timestamp, int]]] = defaultdict(list)
    for ts, n in steps:
        spots[int((ts - first) / width)].append((ts, n))
    fewer = []
    for some in spots.values():
        most = max(some, key=lambda step: step[1])
        fewer += [(some[0][0], most[1]), *([some[-1]] if some[-1][1] != most[1] else [])]
    return fewer


def _label(span: Any, full: int) -> str:
    return f"{len(set(span.isr))} of {full} [{','.join(map(str, sorted(span.isr)))}]"


def _told(span: Any, state: str, full: int) -> str:
    lasted = "" if span.end_ts is None else f", {words.duration(words.milliseconds(span.end_ts, span.start_ts))}"
    missing = sorted(set(span.replicas) - set(span.isr))
    return lines(
        f"{words.partition(span.topic, span.partition)}: {len(set(span.isr))} of {full} in sync, {state}",
        f"ISR [{', '.join(map(str, sorted(span.isr)))}]"
        + (f", not in it: {', '.join(map(str, missing))}" if missing else ""),
        f"{words.span(span.start_ts, span.end_ts)}{lasted}",
        f"leader epoch {words.number(span.leader_epoch)}, partition epoch {words.number(span.partition_epoch)}, led by {words.broker(span.leader_id)}",
        "min.insync.replicas not known" if span.min_isr is None else f"min.insync.replicas {span.min_isr}",
        span.confidence or UNTOLD,
        words.at_most(span.evidence, 2),
    )
