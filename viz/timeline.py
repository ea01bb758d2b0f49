"""What all charts over time share: the same time range, the faults shaded, names of rows, room for labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import phrases as words
from viz.fault_times import FaultTimes, Range
from viz.theme import PAPER, ink_on, text, tinted

LEFT, RIGHT = 208, 22  # the same in every chart, so that a time has one position on the page
_LANE = 17
_TOP = 30  # Plotly's buttons
_AXIS, _LEGEND_ROW, _LEGEND_COLUMNS, _LEGEND_ENTRY = 52, 20, 4, 200
_MOST_LANES = 6
_MOST_TIMES = 6  # times of the faults of one name in its hover text
LONGEST_LABEL = 32  # characters of the name of a fault beside its bar
_LONGEST_NAME = 31  # characters of the name of a row
MOST_LINES = 6  # events that a mark opens
MOST_BARS = 4_000  # marks of a chart; a page with more is slow

_LOOK = dict(
    hovermode="closest",
    hoverdistance=12,
    showlegend=True,
    legend=dict(
        orientation="h",
        x=0,
        xanchor="left",
        y=0,
        yref="container",
        yanchor="bottom",
        traceorder="normal",
        itemsizing="constant",
        entrywidth=_LEGEND_ENTRY,
        entrywidthmode="pixels",
    ),
    dragmode="zoom",
    bargap=0,
    barmode="overlay",
)
_TIME_AXIS = dict(type="date", showgrid=True, ticks="outside", showline=True, hoverformat="%H:%M:%S.%L")
_AT_TOP_RIGHT = dict(
    x=1, xref="paper", xanchor="right", y=1, yref="paper", yanchor="bottom", showarrow=False, font_size=10
)


@dataclass(frozen=True)
class Shade:
    """A time in which something was wrong, [start, end), `end` None while it lasts; drawn over every chart, named if
    it has a label.
    """

    start: pd.Timestamp
    end: pd.Timestamp | None
    label: str
    colour: str
    link: str = ""  # the link of its name
    bounds: FaultTimes | None = None  # when it may have lasted, if that is not exactly known
    told: str = ""  # the same in words; without them from its start to its end

    @property
    def times(self) -> FaultTimes:
        """When it certainly lasted, and when it may have."""
        return self.bounds or FaultTimes(self.start, self.end)


def at(ts: pd.Timestamp | None) -> str | None:
    """A point in time as Plotly reads it."""
    return None if ts is None else words.stamp(ts)


def over_time(
    figure: go.Figure,
    *,
    plot_height: int,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    head: int = 0,
) -> go.Figure:
    """`figure` with the look of a chart over time: `plot_height` pixels for its rows below `head` for a title,
    `shades` marked, `shown` as first range.

    Every fault has a dotted line where it begins, or at both bounds of its begin, and a tint behind the rows; one with
    a label has a bar in a strip above them, in one lane with those of the same label. Tint and bar are pale where the
    fault may have lasted, and do not certainly. If there are more than six labels the first have a lane, and the strip
    states how many faults have none.
    """
    lanes, left_out = _lanes(shades)
    top = _TOP + head + _LANE * (max(lanes.values()) + 1 if lanes else 0)
    shown_in_legend = [trace for trace in figure.data if trace.showlegend is not False]
    bottom = _AXIS + _LEGEND_ROW * -(-len(shown_in_legend) // _LEGEND_COLUMNS)
    figure.update_layout(
        _LOOK, height=plot_height + top + bottom, margin=dict(l=LEFT, r=RIGHT, t=top, b=bottom), template=PAPER
    )
    figure.update_xaxes(_TIME_AXIS, range=None if shown is None else [at(shown[0]), at(shown[1])])
    shapes, annotations = _marks([(shade, shade.times.ranges(trace_end)) for shade in shades], lanes, head, plot_height)
    if left_out:
        annotations.append(_AT_TOP_RIGHT | dict(text=f"{words.counted(left_out, 'more fault')} shaded, not named"))
    return with_marks(figure, shapes, annotations)


def with_marks(
    figure: go.Figure, shapes: Sequence[Mapping[str, Any]], annotations: Sequence[Mapping[str, Any]]
) -> go.Figure:
    """`figure` with more shapes and annotations, set all at once: with each addition, Plotly validates all of them
    again and compares old and new ones property by property.
    """
    figure.layout.shapes = [*(shape.to_plotly_json() for shape in figure.layout.shapes), *shapes]
    figure.layout.annotations = [*(note.to_plotly_json() for note in figure.layout.annotations), *annotations]
    return figure


def _marks(
    shades: Sequence[tuple[Shade, Sequence[Range]]],
    lanes: dict[Shade, int],
    head: int,
    plot_height: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The shapes of the faults, each with its ranges, and the names of those that have a lane."""
    shapes, names = [], []
    named: set[str] = set()
    for shade, ranges in shades:
        feet = None if shade not in lanes else _feet(lanes[shade], head, plot_height)
        for one in ranges:
            shapes += _range_shapes(shade.colour, one, feet)
        for start in sorted({shade.start, shade.times.first}):
            shapes.append(_begin_line(shade.colour, start))
        if feet is not None and shade.label not in named:
            named.add(shade.label)
            alike = [other for other, _ in shades if other.label == shade.label]
            names.append(_lane_name(shade, alike, sum(feet) / 2))
    return shapes, names


def _feet(lane: int, head: int, plot_height: int) -> tuple[float, float]:
    """Foot and top of a bar in its lane, as shares of the height of the plot."""
    foot = 1 + (head + lane * _LANE + 3) / plot_height
    return foot, foot + (_LANE - 4) / plot_height


def _range_shapes(colour: str, one: Range, feet: tuple[float, float] | None) -> list[dict[str, Any]]:
    """The tint of a range of a fault behind the rows, and its bar above them."""
    over = dict(type="rect", xref="x", yref="paper", x0=at(one.start), x1=at(one.end))
    tint = tinted(colour, 0.06 if one.is_certain else 0.03)
    shapes = [over | dict(y0=0, y1=1, line_width=0, fillcolor=tint, layer="below")]
    if feet is not None:
        fill = tinted(colour, 0.85 if one.is_certain else 0.3)
        bar = dict(y0=feet[0], y1=feet[1], line=dict(width=1.5, color=fill), fillcolor=fill, layer="above")
        shapes.append(over | bar)
    return shapes


def _begin_line(colour: str, start: pd.Timestamp) -> dict[str, Any]:
    line = dict(color=tinted(colour, 0.8), width=1, dash="dot")
    return dict(type="line", xref="x", yref="paper", x0=at(start), x1=at(start), y0=0, y1=1, layer="above", line=line)


def _lane_name(shade: Shade, alike: Sequence[Shade], y: float) -> dict[str, Any]:
    """The name of a lane; its hover text has the times of all its faults, up to a limit."""
    entries = [f"{shade.label}: {one.told or words.span(one.start, one.end)}" for one in alike]
    left_out = len(entries) - _MOST_TIMES
    return dict(
        x=0,
        xref="paper",
        xanchor="right",
        xshift=-8,
        y=y,
        yref="paper",
        yanchor="middle",
        showarrow=False,
        text=text(words.shortened(shade.label, LONGEST_LABEL)),
        hovertext="<br>".join(map(text, [*entries[:_MOST_TIMES], *([f"and {left_out} more"] if left_out > 0 else [])])),
        captureevents=bool(shade.link),
        name=shade.link or None,
        font_size=10.5,
    )


def pieces(
    start: pd.Timestamp, end: pd.Timestamp, shown: tuple[pd.Timestamp, pd.Timestamp] | None
) -> list[tuple[pd.Timestamp, pd.Timestamp]]:
    """A bar cut where the first range begins and ends, so that the label in its middle is visible."""
    cuts = [start, *(t for t in shown or () if start < t < end), max(start, end)]
    return list(pairwise(cuts))


@dataclass(frozen=True)
class Bar:
    """A time in a row, with a label (shown if it fits) and a hover text."""

    row: int
    start: pd.Timestamp
    end: pd.Timestamp
    label: str
    told: str
    evidence: tuple[str, ...] = ()


def add_bars(
    figure: go.Figure,
    bars: Sequence[Bar],
    *,
    name: str,
    meta: str,
    colour: str,
    pattern: str,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
    panel: int | None = None,
) -> None:
    """One trace of bars in one color, with this name in the legend, in a panel of the figure if it has several."""
    cut = [(bar, *piece) for bar in bars for piece in pieces(bar.start, bar.end, shown)]
    figure.add_bar(
        orientation="h",
        width=0.8,
        name=name,
        legendgroup=name,
        meta=meta,
        base=[at(start) for _, start, _ in cut],
        x=[words.milliseconds(end, start) for _, start, end in cut],
        y=[bar.row for bar, _, _ in cut],
        marker=dict(
            color=colour,
            line=dict(width=0.6, color="rgba(255,255,255,0.6)"),
            pattern=dict(shape=pattern, fillmode="overlay", fgcolor="rgba(255,255,255,0.7)", size=6, solidity=0.33),
        ),
        text=[text(bar.label) for bar, _, _ in cut],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        insidetextfont=dict(size=10, color=ink_on(colour)),
        hoverinfo="text",
        hovertext=[bar.told for bar, _, _ in cut],
        customdata=opened(bar.evidence for bar, _, _ in cut),
        **_panel(panel),
    )


def opened(evidence: Iterable[Sequence[str]]) -> list[list[str]]:
    """The lines that each mark of a trace opens: the first events that prove it."""
    return [list(dict.fromkeys(some))[:MOST_LINES] for some in evidence]


def _panel(panel: int | None) -> dict[str, int]:
    return {} if panel is None else {"row": panel, "col": 1}


def name_rows(
    figure: go.Figure,
    names: Sequence[str],
    part: str,
    *,
    panel: int | None = None,
    topics: Sequence[str] = (),
) -> None:
    """Rows 0, 1, … from the top, by name; `part` states which part of the whole they are (`part_of` returns it);
    `topics`, one entry per row, are the filter values. A label that does not fit its bar is not shown.
    """
    meta = {"topics": list(topics), "axis": f"yaxis{panel or ''}"} if topics else {}
    if part:
        meta["part"] = part
    if meta:
        figure.update_layout(meta=meta)
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(names))),
        ticktext=[text(words.shortened(name, _LONGEST_NAME)) for name in names],
        range=[len(names) - 0.4, -0.6],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        **_panel(panel),
    )
    figure.update_layout(uniformtext=dict(minsize=9, mode="hide"))


def with_more(name: str, more: str) -> str:
    """The name of a row with its distinguishing suffix, which is never cut off."""
    return words.shortened(name, max(4, _LONGEST_NAME - len(more))) + more


def drawn_of(drawn: int, every: int, *names: str) -> str:
    """Which part of the whole the rows of a chart are; empty if they are all."""
    if drawn >= every:
        return ""
    return f"Drawn: {words.number(drawn)} of {words.counted(every, *names)}, those with the most events."


def part_of(figure: go.Figure) -> str:
    """Which part of the whole the rows of a figure are; empty if they are all."""
    return str((figure.layout.meta or {}).get("part", ""))


def empty(why: str) -> go.Figure:
    """A figure that states why there is nothing to draw."""
    figure = go.Figure(
        layout=dict(
            template=PAPER, height=90, margin=dict(l=20, r=20, t=10, b=10), xaxis_visible=False, yaxis_visible=False
        )
    )
    return figure.add_annotation(x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False, text=text(why))


def _lanes(shades: Sequence[Shade]) -> tuple[dict[Shade, int], int]:
    """A lane above the chart for each name of the first shades given, the earliest on top; and how many shades have
    none.
    """
    different = list(dict.fromkeys(shade for shade in shades if shade.label))
    first = {shade.label: shade for shade in reversed(different)}
    labels = list(dict.fromkeys(shade.label for shade in different))[:_MOST_LANES]
    labels.sort(key=lambda label: (first[label].start, label))
    lanes = {shade: len(labels) - 1 - labels.index(shade.label) for shade in different if shade.label in labels}
    return lanes, len(different) - len(lanes)
