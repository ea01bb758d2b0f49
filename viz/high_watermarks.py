"""The offsets of chosen partitions: the commit point, each replica's high watermark and log end as steps, what was
lost, and the lag of followers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from viz import frames, offset_curves
from viz import phrases as words
from viz.bounds import first, most
from viz.loss_sizes import gone_ts
from viz.offset_curves import HIGH_WATERMARK, LOG_END
from viz.theme import DANGER, NEUTRAL, BrokerColours, lines, text, tinted
from viz.timeline import Shade, at, empty, over_time, with_marks

MOST_PARTITIONS = 6
_PANEL = 220
_GAP = 46
_BAND = "#5B7F9E"
_ABOVE = "#C2500A"
_GROUPS = (
    "band",
    "unbounded",
    "high_watermark",
    "high_watermark_steps",
    "log_end_offset",
    "log_end_offset_steps",
    "without_time",
    "log_start",
    "truncation",
    "lost",
    "lost_at_most",
    "discarded",
    "lag",
    "lag_between",
    "lag_told",
)
_STEPS = {HIGH_WATERMARK: ("high watermark, each step", "solid"), LOG_END: ("log end, each step", "dot")}
_MOST_EPOCHS_NAMED = 12
_OFFSET_AXIS = dict(
    tickformat=",d",
    rangemode="tozero",
    nticks=6,
    fixedrange=True,
    zeroline=False,
    title=dict(text="offset", standoff=6),
)
_SEEN = 12  # a loss of less than a twelfth of the axis is hardly visible
_MOST_POINTS, _MOST_STEPS = 400, 600  # per replica and panel; more make a page slow


def high_watermarks_figure(
    commit_bands: pd.DataFrame,
    high_watermarks: pd.DataFrame,
    truncations: pd.DataFrame,
    losses: pd.DataFrame,
    partitions: Sequence[tuple[str, int]],
    *,
    trace_end: pd.Timestamp | None,
    leader_epochs: pd.DataFrame | None = None,
    log_starts: pd.DataFrame | None = None,
    curves: pd.DataFrame | None = None,
    shades: Sequence[Shade] = (),
    colours: BrokerColours | None = None,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
) -> go.Figure:
    """A panel per partition: the band that contains the commit point, the offsets that replicas logged, truncations,
    and losses.

    A replica's high watermark and log end are step lines wherever lines report every change of them; elsewhere they
    are points, with the band behind them. `curves` (rows of `high_watermark_curves`) says how long after its leader a
    follower learned a value. The leader epochs of `leader_epochs` are the background, each in its
    leader's color. The band is drawn in blocks, never sloped: between two anchors only its bounds are known, and if it
    has no upper bound a paler block reaches the panel's top. A lost range extends from its loss to the end: committed
    offsets that are proven lost, those that may be lost, and uncommitted ones that were truncated, each in its own
    style. Values without a time (checkpoint files) are at the right edge, marked so. A trace's `meta` is `band`,
    `unbounded`, `high_watermark`, `log_end_offset`, `high_watermark_steps`, `log_end_offset_steps`, `without_time`,
    `log_start`, `truncation`, `lost`, `lost_at_most` or `discarded`. Raises ValueError for more than
    `MOST_PARTITIONS`.
    """
    _check_count(partitions)
    if not partitions:
        return empty("These logs show no offset of any partition.")
    drawn = {
        **_drawn(bands=commit_bands, anchors=high_watermarks, epochs=leader_epochs, cuts=truncations, losses=losses),
        **_drawn(starts=log_starts, steps=curves),
        "untimed": _untimed(high_watermarks),
    }
    colours = colours or BrokerColours.of([*drawn["anchors"].node_id.dropna(), *drawn["cuts"].node_id.dropna()])
    if trace_end is None:
        last = [drawn["bands"].start_ts.max(), drawn["anchors"].ts.max()]
        trace_end = max((ts for ts in last if pd.notna(ts)), default=None)
    drawn = {name: offset_curves.of_topics(frame, partitions) for name, frame in drawn.items()}
    figure, height = _panels(partitions, _PANEL)
    for row, key in enumerate(partitions, start=1):
        here = {name: offset_curves.of_partition(frame, *key) for name, frame in drawn.items()}
        _add_panel(figure, row, here, trace_end, colours)
    _add_leader_epochs(figure, drawn["epochs"], partitions, trace_end, colours)
    _legend_once(figure)
    over_time(figure, plot_height=height, trace_end=trace_end, shades=shades, shown=shown, head=18)
    figure.update_yaxes(_OFFSET_AXIS)
    for row, key in enumerate(partitions, start=1):
        _zoom_to_losses(figure, row, offset_curves.of_partition(drawn["losses"], *key))
    return figure


_DRAWN = {
    "bands": ("commit_bands", ["start_ts"]),
    "anchors": ("high_watermarks", ["ts"]),
    "positions": ("follower_positions", ["ts"]),
    "epochs": ("leader_epochs", ["start_ts"]),
    "starts": ("log_starts", ["ts", "log_start_offset"]),
    "steps": ("high_watermark_curves", ["learned_ms"]),
    "cuts": ("truncations", ["ts", "truncation_offset"]),
    "losses": ("losses", ["ts", "from_offset"]),
}  # the table of each frame, and the columns without which a row is not drawn


def _drawn(**given: pd.DataFrame | None) -> dict[str, pd.DataFrame]:
    """The rows of each frame that can be drawn."""
    return {name: frames.tidy(frame, _DRAWN[name][0]).dropna(subset=_DRAWN[name][1]) for name, frame in given.items()}


def _check_count(partitions: Sequence[tuple[str, int]]) -> None:
    if len(partitions) > MOST_PARTITIONS:
        raise ValueError(f"{len(partitions)} partitions in one figure; choose at most {MOST_PARTITIONS}")


def _panels(partitions: Sequence[tuple[str, int]], panel_height: int) -> tuple[go.Figure, int]:
    """An empty panel per partition, under its name, and the height of all panels."""
    height = panel_height * len(partitions) + _GAP * (len(partitions) - 1)
    figure = make_subplots(
        rows=len(partitions),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=_GAP / height if len(partitions) > 1 else 0,
        subplot_titles=[text(words.partition(*key)) for key in partitions],
    )
    figure.update_annotations(x=0, xanchor="left", font_size=12)
    return figure, height


def _zoom_to_losses(figure: go.Figure, row: int, losses: Sequence[Any]) -> None:
    """Zoom the axis to the loss if it is too small a part of the offsets to be visible."""
    gone = [x for x in losses if x.to_offset_high is not None and x.to_offset_high > x.from_offset]
    if not gone:
        return
    low, high = float(min(x.from_offset for x in gone)), float(max(x.to_offset_high for x in gone))
    if high - low < high / _SEEN:
        around = 3 * (high - low)
        figure.update_yaxes(range=[max(0.0, low - around), high + around], rangemode="normal", row=row, col=1)


def most_informative(
    commit_bands: pd.DataFrame, losses: pd.DataFrame, truncations: pd.DataFrame, limit: int = MOST_PARTITIONS
) -> tuple[list[tuple[str, int]], int]:
    """The partitions worth a panel (most certain loss, then most possible, then most discarded, a loss that is not
    decided, most truncations, most changes of the band) and how many are left out.
    """
    bands, lost, cuts = [
        frames.tidy(frame, table).dropna(subset=["topic", "partition"])
        for frame, table in ((commit_bands, "commit_bands"), (losses, "losses"), (truncations, "truncations"))
    ]
    weight = {
        (topic, int(partition)): [0.0] * 6
        for frame in (bands, lost)
        for topic, partition in zip(frame.topic, frame.partition, strict=True)
    }
    for position, frame, amounts in (
        (0, lost, [_amount(x, "lost") for x in frames.rows(lost)]),
        (1, lost, [_amount(x, "lost_at_most") for x in frames.rows(lost)]),
        (2, lost, [_amount(x, "discarded") for x in frames.rows(lost)]),
        (3, lost, [float(x.verdict == "UNDETERMINED") for x in frames.rows(lost)]),
        (4, cuts, [1.0] * len(cuts)),
        (5, bands, [1.0] * len(bands)),
    ):
        for topic, partition, amount in zip(frame.topic, frame.partition, amounts, strict=True):
            if (topic, partition) in weight:
                weight[topic, partition][position] += amount
    ranked = sorted(weight, key=lambda key: (*(-w for w in weight[key]), *words.by_name(key)))
    return ranked[:limit], max(0, len(ranked) - limit)


def _amount(loss: Any, meta: str) -> float:
    low, high = (loss.from_offset is not None and _lost_range(loss, meta)) or (0, 0)
    return float("inf") if high is None else float(high - low)


def _add_panel(
    figure: go.Figure, row: int, here: dict[str, list[Any]], end: pd.Timestamp | None, colours: BrokerColours
) -> None:
    ceiling = _ceiling(here)
    end = end if end is not None else max((x.start_ts for x in here["bands"]), default=pd.Timestamp(0))
    _add_bands(figure, row, here["bands"], end, ceiling)
    begin = min([b.start_ts for b in here["bands"]] + [gone_ts(x) for x in here["losses"]], default=end)
    _add_losses(figure, row, here["losses"], begin, end, ceiling)
    for column, name, look in (
        ("log_end_offset", "log end offset", dict(symbol="diamond-open", size=10, line_width=1.5)),
        ("high_watermark", "high watermark", dict(symbol="circle", size=7, line_width=0)),
    ):
        anchors = [a for a in here["anchors"] if getattr(a, column) is not None]
        for node_id in sorted({a.node_id for a in anchors}, key=lambda n: (n is None, n or 0)):
            some = [a for a in anchors if a.node_id == node_id]
            every = len(some)
            if every > most(_MOST_POINTS):  # the step line shows those for which every change is logged
                some = [a for a in some if a.source not in offset_curves.EVERY_CHANGE[column]]
                part = first(some, _MOST_POINTS)
                some = list(part.shown)
                every = part.total
            figure.add_scatter(
                mode="markers",
                name=f"{words.broker(node_id)} {name}" + _some_of(len(some), every),
                meta=column,
                legendgroup=f"{node_id} {column}",
                x=[at(a.ts) for a in some],
                y=[getattr(a, column) for a in some],
                marker=dict(color=colours.fill(node_id), **look),
                hoverinfo="text",
                hovertext=[_anchor_hover(a, name, getattr(a, column)) for a in some],
                row=row,
                col=1,
            )
    for column in (LOG_END, HIGH_WATERMARK):
        _add_steps(figure, row, column, here, colours)
    _add_log_starts(figure, row, here["starts"], end, colours)
    _add_untimed(figure, row, here["untimed"], end, colours)
    _add_cuts(figure, row, here["cuts"])


def _add_bands(figure: go.Figure, row: int, all_bands: Sequence[Any], end: pd.Timestamp, ceiling: int) -> None:
    """The ranges of the commit point; one without an upper bound reaches the panel's top."""
    for meta, name, fill in (
        ("band", "range of the commit point", tinted(_BAND, 0.38)),
        ("unbounded", "… upper bound unknown", tinted(_BAND, 0.14)),
    ):
        bands = [b for b in all_bands if (b.committed_high is None) == (meta == "unbounded")]
        blocks = [
            (
                b.start_ts,
                b.end_ts or max(end, b.start_ts),
                b.committed_low or 0,
                ceiling if b.committed_high is None else b.committed_high,
            )
            for b in bands
        ]
        if blocks:
            _add_blocks(figure, row, meta, name, blocks, [_band_hover(b) for b in bands], fill, tinted(_BAND, 0.9))


def _some_of(shown: int, every: int) -> str:
    return f" ({words.number(shown)} of {words.number(every)})" if shown < every else ""


def _untimed(high_watermarks: pd.DataFrame) -> pd.DataFrame:
    """The high watermarks of checkpoint files with an unknown copy time."""
    all_rows = frames.tidy(high_watermarks, "high_watermarks")
    return all_rows[all_rows.ts.isna() & all_rows.high_watermark.notna()]


def _add_steps(figure: go.Figure, row: int, column: str, here: dict[str, list[Any]], colours: BrokerColours) -> None:
    """A line for each replica where its offset is known: level until the next change, vertical at the change,
    interrupted where the offset is unknown.
    """
    known_pieces = [p for p in offset_curves.pieces(here["anchors"], here["cuts"], column) if p.is_known]
    name, dash = _STEPS[column]
    delays = {} if column == LOG_END else {(step.node_id, step.start_ts): step for step in here["steps"]}
    for node_id in sorted({p.node_id for p in known_pieces}):
        x: list[str | None] = []
        y: list[int | None] = []
        hover: list[str] = []
        before = None
        for piece, changes in offset_curves.thinned([p for p in known_pieces if p.node_id == node_id], _MOST_STEPS):
            if before is not None and piece.start != before:
                x.append(None)
                y.append(None)
                hover.append("")
            before = piece.end
            x += [at(piece.start), at(piece.end)]
            y += [piece.low, piece.low]
            hover += [_step_hover(piece, name, delays.get((node_id, piece.start)), changes), ""]
        figure.add_scatter(
            mode="lines",
            name=f"{words.broker(node_id)} {name}",
            meta=f"{column}_steps",
            legendgroup=f"{node_id} {column}",
            x=x,
            y=y,
            line=dict(color=colours.fill(node_id), width=1.6, dash=dash),
            hoverinfo="text",
            hovertext=hover,
            row=row,
            col=1,
        )


def _step_hover(piece: offset_curves.Piece, name: str, learned: Any | None, changes: int) -> str:
    return lines(
        f"{words.broker(piece.node_id)}: {name.split(',')[0]} {words.number(piece.low)}",
        f"the first of {words.number(changes)} changes in this time; the others are between this step and the next"
        if changes > 1
        else None,
        words.span(piece.start, piece.end),
        f"learned {learned.learned_ms:.0f} ms after {words.broker(learned.leader_id)} had set it, with a later fetch"
        if learned
        else None,
    )


_WHY_MOVED = {
    "created": "an empty log",
    "loaded": "when its broker loaded it",
    "moved_by_retention": "retention deleted the records before it",
    "moved_by_leader": "adopted from its leader",
    "moved_by_request": "records before were deleted by request (DeleteRecords)",
    "moved": "reason not logged",
    "restarted_at_leader": "its log ended before its leader's log starts: it deleted its log and starts there",
    "started_at_first_record": "the first batch that it received begins there",
    "file": "read in log-start-offset-checkpoint",
}


def _add_log_starts(figure: go.Figure, row: int, starts: list[Any], end: pd.Timestamp, colours: BrokerColours) -> None:
    """The log start offset of each replica, level until a line reports another offset; nothing for logs that start at
    0.
    """
    for node_id in sorted({s.node_id for s in starts if s.log_start_offset}):
        own = sorted((s for s in starts if s.node_id == node_id), key=lambda s: s.ts)
        x: list[str | None] = []
        y: list[int] = []
        hover: list[str] = []
        for nth, start in enumerate(own):
            until = own[nth + 1].ts if nth + 1 < len(own) else max(end, start.ts)
            x += [at(start.ts), at(until)]
            y += [start.log_start_offset] * 2
            hover += [
                lines(
                    f"{words.broker(node_id)}: log starts at {words.plain(start.log_start_offset)}",
                    words.span(start.ts, until),
                    _WHY_MOVED.get(start.change),
                    words.at_most(start.evidence, 2),
                )
            ] * 2
        figure.add_scatter(
            mode="lines",
            name=f"{words.broker(node_id)} log start",
            meta="log_start",
            legendgroup=f"{node_id} log start",
            x=x,
            y=y,
            line=dict(color=colours.fill(node_id), width=1, dash="dashdot"),
            hoverinfo="text",
            hovertext=hover,
            row=row,
            col=1,
        )


def _add_untimed(figure: go.Figure, row: int, untimed: list[Any], end: pd.Timestamp, colours: BrokerColours) -> None:
    """High watermarks of files without a time, at the right edge: each was true at some time before."""
    if not untimed:
        return
    figure.add_scatter(
        mode="markers",
        name="of a file without a time",
        meta="without_time",
        legendgroup="without_time",
        x=[at(end)] * len(untimed),
        y=[a.high_watermark for a in untimed],
        marker=dict(color=[colours.fill(a.node_id) for a in untimed], symbol="arrow-bar-left-open", size=10),
        cliponaxis=False,
        hoverinfo="text",
        hovertext=[
            lines(
                f"{words.broker(a.node_id)}: high watermark {words.plain(a.high_watermark)}",
                "from a checkpoint file without a time: when it was true is unknown",
                words.at_most(a.evidence, 2),
            )
            for a in untimed
        ],
        row=row,
        col=1,
    )


def _add_leader_epochs(
    figure: go.Figure,
    epochs: pd.DataFrame,
    partitions: Sequence[tuple[str, int]],
    end: pd.Timestamp | None,
    colours: BrokerColours,
) -> None:
    """Behind each panel, its leader epochs: a tint of the leader's color from the start of each, and its number at the
    top.
    """
    shapes, names = [], []
    for row, (topic, partition) in enumerate(partitions, start=1):
        x, y = ("x", "y") if row == 1 else (f"x{row}", f"y{row}")
        own = offset_curves.of_partition(epochs, topic, partition)
        for nth, epoch in enumerate(own):
            until = epoch.end_ts or end or epoch.start_ts
            over: dict[str, object] = dict(xref=x, yref=f"{y} domain", x0=at(epoch.start_ts), y0=0, y1=1, layer="below")
            colour = colours.fill(epoch.leader_id)
            shapes.append(
                over
                | dict(type="rect", x1=at(max(until, epoch.start_ts)), line_width=0, fillcolor=tinted(colour, 0.05))
            )
            shapes.append(
                over | dict(type="line", x1=at(epoch.start_ts), line=dict(color=tinted(colour, 0.45), width=1))
            )
            if nth >= len(own) - _MOST_EPOCHS_NAMED:
                names.append(
                    dict(
                        xref=x,
                        yref=f"{y} domain",
                        x=at(epoch.start_ts),
                        y=1,
                        xanchor="left",
                        yanchor="bottom",
                        showarrow=False,
                        font_size=9,
                        text=f"E{words.plain(epoch.leader_epoch)}",
                        hovertext=text(
                            f"leader epoch {words.plain(epoch.leader_epoch)}: "
                            f"{'no leader' if epoch.leader_id == -1 else words.broker(epoch.leader_id)}"
                        ),
                    )
                )
    with_marks(figure, shapes, names)


def replication_lag_figure(
    high_watermarks: pd.DataFrame,
    follower_positions: pd.DataFrame,
    truncations: pd.DataFrame,
    leader_epochs: pd.DataFrame,
    partitions: Sequence[tuple[str, int]],
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    colours: BrokerColours | None = None,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
) -> go.Figure:
    """A panel per partition: by how many offsets each follower's log was behind its leader's.

    A line where both log ends are known, a block where both are only bounded, a point where a leader's line reports
    the lag of a follower that was too slow for the ISR. Nothing is drawn where no line shows the lag. A trace's `meta`
    is `lag`, `lag_between` or `lag_told`. Raises ValueError for more than `MOST_PARTITIONS`.
    """
    _check_count(partitions)
    tables = _drawn(anchors=high_watermarks, cuts=truncations, epochs=leader_epochs, positions=follower_positions)
    tables = {name: offset_curves.of_topics(frame, partitions) for name, frame in tables.items()}
    found = {
        key: offset_curves.lags(*(offset_curves.of_partition(frame, *key) for frame in tables.values()))
        for key in partitions
    }
    drawn = [key for key in partitions if found[key]]
    if not drawn:
        return empty("No line shows how far a follower was behind its leader.")
    colours = colours or BrokerColours.of(lag.node_id for key in drawn for lag in found[key])
    figure, height = _panels(drawn, _PANEL // 2)
    for row, key in enumerate(drawn, start=1):
        _add_lags(figure, row, found[key], colours)
    _legend_once(figure)
    over_time(figure, plot_height=height, trace_end=trace_end, shades=shades, shown=shown, head=18)
    figure.update_yaxes(_OFFSET_AXIS | dict(nticks=4, title=dict(text="offsets behind", standoff=6)))
    for row, key in enumerate(drawn, start=1):
        if max(lag.high for lag in found[key]) < 4:
            figure.update_yaxes(dtick=1, row=row, col=1)
    return figure


def _add_lags(figure: go.Figure, row: int, found: list[offset_curves.Lag], colours: BrokerColours) -> None:
    for node_id in sorted({lag.node_id for lag in found}):
        own = offset_curves.widened([lag for lag in found if lag.node_id == node_id], _MOST_STEPS)
        colour, who = colours.fill(node_id), words.broker(node_id)
        between = [lag for lag in own if lag.end is not None and lag.low != lag.high]
        if between:
            blocks = [(lag.start, lag.end, lag.low, lag.high) for lag in between]
            _add_blocks(
                figure,
                row,
                "lag_between",
                f"{who} is behind by a value in this range",
                blocks,
                [_lag_hover(lag) for lag in between],
                tinted(colour, 0.16),
                tinted(colour, 0.5),
            )
            figure.data[-1].legendgroup = f"{node_id} lag between"
        exact = [lag for lag in own if lag.end is not None and lag.low == lag.high]
        momentary = [lag for lag in own if lag.end is None]
        for meta, some, mode in (("lag", exact, "lines"), ("lag_told", momentary, "markers")):
            if not some:
                continue
            ends = [[lag.start] if lag.end is None else [lag.start, lag.end] for lag in some]
            x = [ts for own_ends in ends for ts in (*map(at, own_ends), None)]
            y = [n for lag, own_ends in zip(some, ends) for n in (*[lag.low] * len(own_ends), None)]
            hover = [h for lag, own_ends in zip(some, ends) for h in (*[_lag_hover(lag)] * len(own_ends), "")]
            figure.add_scatter(
                mode=mode,
                name=f"{who} {'is behind' if meta == 'lag' else 'is behind, as its leader logged'}",
                meta=meta,
                legendgroup=f"{node_id} {meta}",
                x=x,
                y=y,
                line=dict(color=colour, width=1.6),
                marker=dict(color=colour, symbol="x", size=9),
                hoverinfo="text",
                hovertext=hover,
                row=row,
                col=1,
            )


def _lag_hover(lag: offset_curves.Lag) -> str:
    much = (
        words.counted(lag.low, "offset")
        if lag.low == lag.high
        else f"{words.number(lag.low)} to {words.counted(lag.high, 'offset')}"
    )
    return lines(
        f"{words.broker(lag.node_id)} is {much} behind {words.broker(lag.leader_id)}",
        words.stamp(lag.start) if lag.end is None else words.span(lag.start, lag.end),
        f"logged by the leader ({lag.told_by})" if lag.told_by else None,
    )


def _ceiling(here: dict[str, list[Any]]) -> int:
    """Just above the largest offset of the panel."""
    offsets = [
        getattr(r, column) or 0
        for name, columns in {
            "bands": ("committed_low", "committed_high"),
            "anchors": ("high_watermark", "log_end_offset"),
            "starts": ("log_start_offset",),
            "cuts": ("log_end_offset", "truncation_offset"),
            "losses": ("from_offset", "to_offset_low", "to_offset_high"),
        }.items()
        for r in here[name]
        for column in columns
    ]
    return max(10, round(max(offsets, default=0) * 1.08) + 1)


def _add_blocks(
    figure: go.Figure,
    row: int,
    meta: str,
    name: str,
    blocks: list[tuple[pd.Timestamp, pd.Timestamp, int, int]],
    hovers: list[str],
    fill: str,
    edge: str,
) -> None:
    """Rectangles (start, end, low, high) as one trace; the hover sits on the left ends of both bounds."""
    x: list[str | None] = []
    y: list[int | None] = []
    hover: list[str] = []
    for (start, end, low, high), label in zip(blocks, hovers, strict=True):
        x += [at(start), at(end), at(end), at(start), at(start), None]
        y += [low, low, high, high, low, None]
        hover += [label, "", "", label, "", ""]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        fill="toself",
        fillcolor=fill,
        line=dict(width=1, color=edge),
        name=name,
        meta=meta,
        legendgroup=meta,
        hoveron="points",
        hoverinfo="text",
        hovertext=hover,
        row=row,
        col=1,
    )


def _add_losses(
    figure: go.Figure, row: int, losses: list[Any], first: pd.Timestamp, end: pd.Timestamp, ceiling: int
) -> None:
    for meta, name, short, fill, edge, dash in (
        (
            "discarded",
            "uncommitted, truncated",
            "uncommitted, truncated",
            tinted(_ABOVE, 0.14),
            tinted(_ABOVE, 0.8),
            "dot",
        ),
        (
            "lost_at_most",
            "committed, possibly lost",
            "may be lost",
            tinted(DANGER, 0.10),
            tinted(DANGER, 0.55),
            "dot",
        ),
        ("lost", "committed, proven lost", "lost", tinted(DANGER, 0.28), DANGER, "solid"),
    ):
        some = [(x, *lost) for x in losses if (lost := _lost_range(x, meta)) is not None]
        blocks = [(gone_ts(x), max(end, gone_ts(x)), low, ceiling if high is None else high) for x, low, high in some]
        if not blocks:
            continue
        _add_blocks(figure, row, meta, name, blocks, [_loss_hover(x) for x, _, _ in some], fill, edge)
        figure.data[-1].line.dash = dash
        for x, low, high in some:
            if meta == "lost_at_most" and low != x.from_offset:
                continue  # above a certainly lost range, whose label it shares
            late = (gone_ts(x) - first) > (end - first) * 0.7
            figure.add_annotation(
                x=at(gone_ts(x)),
                y=ceiling if high is None else high,
                xanchor="right" if late else "left",
                xshift=-4 if late else 4,
                yanchor="top",
                showarrow=False,
                text=f"<b>{text(words.offsets(low, high))} {short}</b>",
                row=row,
                col=1,
            )


def _lost_range(loss: Any, meta: str) -> tuple[int, int | None] | None:
    """The range of a loss that one kind of block shows: certainly lost, possibly lost as well, truncated above the
    commit point.
    """
    if loss.verdict not in ("PROVEN_LOSS", "POSSIBLE_LOSS"):
        return None
    sure = max(loss.from_offset, loss.to_offset_low or 0)
    if meta == "lost":
        return (loss.from_offset, sure) if loss.verdict == "PROVEN_LOSS" and sure > loss.from_offset else None
    if (meta == "discarded") != (loss.loss_class == "acked_possible"):
        return None
    low = sure if loss.verdict == "PROVEN_LOSS" else loss.from_offset
    return (low, loss.to_offset_high) if loss.to_offset_high is None or loss.to_offset_high > low else None


def _add_cuts(figure: go.Figure, row: int, cuts: list[Any]) -> None:
    if not cuts:
        return
    x: list[str | None] = []
    y: list[int | None] = []
    hover: list[str] = []
    symbols: list[str] = []
    for cut in cuts:
        before = cut.truncation_offset if cut.log_end_offset is None else cut.log_end_offset
        x += [at(cut.ts), at(cut.ts), None]
        y += [before, cut.truncation_offset, None]
        hover += [_cut_hover(cut)] * 2 + [""]
        symbols += ["line-ew", "triangle-down", "line-ew"]
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines+markers",
        name="log truncated from … to",
        meta="truncation",
        legendgroup="truncation",
        line=dict(color=NEUTRAL, width=2),
        marker=dict(symbol=symbols, size=10, color=NEUTRAL),
        hoverinfo="text",
        hovertext=hover,
        row=row,
        col=1,
    )


def _legend_once(figure: go.Figure) -> None:
    """Each kind of mark appears in the legend once, in a fixed order."""
    seen: set[str] = set()
    for trace in figure.data:
        trace.showlegend = trace.legendgroup not in seen
        trace.legendrank = 100 * (1 + _GROUPS.index(trace.meta))
        seen.add(trace.legendgroup)


def _band_hover(b: Any) -> str:
    return lines(
        _commit_point(b.committed_low or 0, b.committed_high),
        words.span(b.start_ts, b.end_ts),
        f"lower bound: {words.at_most(b.low_evidence, 2)}" if b.low_evidence else None,
        f"upper bound: {words.at_most(b.high_evidence, 2)}" if b.high_evidence else None,
    )


def _commit_point(low: int, high: int | None) -> str:
    if high is None:
        return f"commit point at least {words.number(low)}; its upper bound is unknown"
    return (
        f"commit point {words.number(low)}"
        if low == high
        else f"commit point from {words.number(low)} to {words.number(high)}"
    )


def _anchor_hover(a: Any, name: str, value: int) -> str:
    return lines(
        f"{words.broker(a.node_id)}{f' ({a.role})' if a.role else ''}: {name} {words.number(value)}",
        words.stamp(a.ts),
        f"leader epoch {words.plain(a.leader_epoch)}, shown {words.shown_as(a.source)}",
        words.at_most(a.evidence, 2),
    )


def _cut_hover(cut: Any) -> str:
    return lines(
        f"{words.broker(cut.node_id)} truncated its log from {words.plain(cut.log_end_offset)} to {words.plain(cut.truncation_offset)}",
        words.stamp(cut.ts),
        f"{'its own recovery found it damaged' if cut.by_recovery else f'following leader epoch {words.plain(cut.leader_epoch)}'}, its high watermark before was {words.UNKNOWN if cut.high_watermark is None else f'at least {words.plain(cut.high_watermark)}'}",
        words.at_most(cut.evidence, 2),
    )


def _loss_hover(loss: Any) -> str:
    return lines(
        words.sentence(words.lost_offsets(loss)),
        f"{'by ' if loss.begun_before else ''}{words.stamp(loss.ts)}, leader epoch {words.plain(loss.leader_epoch)}",
        "; ".join(words.wrapped(loss.premise or "", 400, 1)),
        words.at_most(loss.evidence, 2),
    )
