"""Metrics of each broker over time: a row for each broker, a line for each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.theme import text
from viz.timeline import at, drawn_of, name_rows, over_time

ROW = 74  # pixels
_MOST_NODES = 12
_MOST_POINTS = 600  # of a line
_GAP = 2.5  # a distance of more than so many usual ones is a gap
_FULL = 0.86  # of a row
_LINES: Mapping[str, tuple[str, str, str]] = {
    "write_ms": ("Write of the disk, ms", "#b2182b", "ms"),
    "flush_ms": ("Log flush, 99th percentile", "#ef8a62", "ms"),
    "append_ms": ("Append, 99th percentile", "#8c510a", "ms"),
    "remote_ms": ("Produce waits for followers, 99th percentile", "#762a83", "ms"),
    "handler_idle_percent": ("Request handlers idle", "#1b7837", "%"),
    "network_idle_percent": ("Network threads idle", "#7fbf7b", "%"),
    "gc_percent": ("Garbage collection", "#2166ac", "%"),
    "throttled_percent": ("Waits for its processor quota", "#67a9cf", "%"),
    "sent_again_percent": ("TCP segments sent again", "#d6604d", "%"),
    "answers": ("Exporter answers", "#737373", ""),
}


def metrics_figure(
    measures: pd.DataFrame,
    *,
    trace_end: pd.Timestamp | None = None,
    shades: Sequence[Any] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
) -> go.Figure:
    """The values of `measures`: a row for each node, the points of a metric joined unless one is missing."""
    rows = frames.rows(measures)
    every = sorted({row.node_id for row in rows})
    nodes = every[:_MOST_NODES]
    figure = go.Figure()
    for measure, (name, colour, unit) in _LINES.items():
        own = [row for row in rows if row.measure == measure and row.node_id in nodes]
        if own:
            _add_line(figure, own, nodes, name, colour, unit)
    name_rows(figure, [f"Broker {node}" for node in nodes], drawn_of(len(nodes), len(every), "broker"))
    return over_time(figure, plot_height=ROW * len(nodes), trace_end=trace_end, shades=shades, shown=shown)


def _add_line(figure: go.Figure, rows: Sequence[Any], nodes: Sequence[int], name: str, colour: str, unit: str) -> None:
    """One metric of all nodes as one trace, broken between nodes and at gaps."""
    greatest = max(row.value for row in rows) or 1.0
    x: list[str | None] = []
    y: list[float | None] = []
    hover: list[str] = []
    for number, node in enumerate(nodes):
        for device in sorted({row.device or "" for row in rows if row.node_id == node}):
            own = [row for row in rows if row.node_id == node and (row.device or "") == device]
            for row in _broken(own[:: max(1, len(own) // _MOST_POINTS)]):
                x.append(None if row is None else at(row.ts))
                y.append(None if row is None else number + 0.43 - _FULL * row.value / greatest)
                hover.append("" if row is None else _hover(row, name, unit))
            x, y, hover = [*x, None], [*y, None], [*hover, ""]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name=text(name),
        line=dict(color=colour, width=1.4),
        marker=dict(size=4, color=colour),
        connectgaps=False,
        hoverinfo="text",
        hovertext=hover,
    )


def _broken(rows: Sequence[Any]) -> list[Any | None]:
    """The rows with a None where one is missing."""
    distances = [(later.ts - earlier.ts).total_seconds() for earlier, later in pairwise(rows)]
    usual = median(distances) if distances else 0.0
    broken: list[Any | None] = list(rows[:1])
    for distance, row in zip(distances, rows[1:], strict=True):
        broken += [None, row] if distance > _GAP * usual else [row]
    return broken


def _hover(row: Any, name: str, unit: str) -> str:
    value = f"{row.value:,.0f}" if row.value >= 10 else f"{row.value:,.2g}"
    device = f" of {row.device}" if row.device else ""
    when = words.span(row.since_ts, row.ts) if row.since_ts != row.ts else words.clock(row.ts)
    return text(
        f"Broker {row.node_id}, {name}{device}: {value} {unit}".rstrip() + f" ({when}; {', '.join(row.samples[-2:])})"
    )
