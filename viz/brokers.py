"""Which brokers were registered and alive, and which node was the active controller, over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.bounds import first
from viz.cluster import keeps_registrations
from viz.leader_epochs import Absence
from viz.theme import NEUTRAL, BrokerColours, lines
from viz.timeline import Bar, Shade, add_bars, drawn_of, empty, name_rows, over_time

MOST_ROWS = 30
_ROW = 24
# A state without a registration, and one without leaderships: the meta and the colour of its bars.
_STATES = {"not registered": ("away", "#D5DBE0"), "fenced": ("fenced", "#E4DCC3")}


def brokers_figure(
    broker_sessions: pd.DataFrame,
    controllers: pd.DataFrame,
    *,
    trace_start: pd.Timestamp | None,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    colours: BrokerColours | None = None,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    absent: Sequence[Absence] = (),
) -> go.Figure:
    """A row per broker with its sessions, and hatched where it was `absent`, with or without a session, dotted where that
    is not certain. And a row for the active controller, which ends where its node was certainly absent and is dotted where that is not certain.

    In KRaft a broker is fenced from its registration until it has caught up, and again when its session ends: it stays
    registered. With more than `MOST_ROWS` brokers the chart shows those that were away most often. A trace's `meta` is
    `registered`, `absent`, `unsure`, `away`, `fenced`, `controller` or `controller_unsure`.
    """
    sessions = frames.rows(frames.tidy(broker_sessions, "broker_sessions").dropna(subset=["broker_id"]))
    reigns = frames.rows(frames.tidy(controllers, "controllers").dropna(subset=["controller_id", "start_ts"]))
    if not sessions and not reigns:
        return empty("These logs show no line of a controller about sessions of brokers.")
    times = [t for s in (*sessions, *reigns) for t in (s.start_ts, s.end_ts) if t is not None]
    start = trace_start if trace_start is not None else min(times, default=pd.Timestamp(0))
    end = trace_end if trace_end is not None else max(times, default=start)
    colours = colours or BrokerColours.of(s.broker_id for s in sessions)
    of = frames.by_key(sessions, lambda s: s.broker_id)
    order = sorted(of, key=lambda b: (-sum(s.end_ts is not None for s in of[b]), b))
    kept = sorted(first(order, MOST_ROWS).shown)
    figure, is_kraft = go.Figure(), keeps_registrations(controllers)
    for row, broker_id in enumerate(kept):
        _add_broker(figure, row, broker_id, of[broker_id], start, end, colours, shown, is_kraft=is_kraft)
    away = [bar for row, broker_id in enumerate(kept) for bar in _away(row, of[broker_id], end, is_kraft=is_kraft)]
    for state, (meta, colour) in _STATES.items():
        if bars := [bar for bar in away if bar.label == state]:
            add_bars(figure, bars, name=state, meta=meta, colour=colour, pattern="", shown=shown)
    for row, broker_id in enumerate(kept):
        _add_absences(figure, row, [a for a in absent if a.broker_id == broker_id], end, colours, shown)
    names = [*map(words.broker, kept), *(["active controller"] if reigns else [])]
    for meta, name, pattern, bars in _reigns(len(kept), reigns, absent, end) if reigns else ():
        add_bars(figure, bars, name=name, meta=meta, colour=NEUTRAL, pattern=pattern, shown=shown)
    over_time(figure, plot_height=_ROW * len(names) + 8, trace_end=end, shades=shades, shown=shown)
    name_rows(figure, names, drawn_of(len(kept), len(of), "broker"))
    return figure


def _add_absences(
    figure: go.Figure,
    row: int,
    absent: Sequence[Absence],
    end: pd.Timestamp,
    colours: BrokerColours,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> None:
    """The times in which a broker was dead or frozen, or possibly was, with a session or without."""
    for sure, meta, state, pattern in (
        (True, "absent", "dead or frozen", "/"),
        (False, "unsure", "possibly dead or frozen", "."),
    ):
        some = [a for a in absent if a.sure == sure]
        if bars := _gone(row, some, end):
            broker_id = some[0].broker_id
            label, colour = f"{words.broker(broker_id)}, {state}", colours.fill(broker_id)
            add_bars(figure, bars, name=label, meta=meta, colour=colour, pattern=pattern, shown=shown)


def _gone(row: int, absent: Sequence[Absence], end: pd.Timestamp) -> list[Bar]:
    """A bar for each absence."""
    return [
        Bar(row, a.start, a.end or end, a.state if a.sure else "", _absence_hover(a), a.evidence)
        for a in absent
        if a.start < (a.end or end)
    ]


def _add_broker(
    figure: go.Figure,
    row: int,
    broker_id: int,
    sessions: Sequence[Any],
    start: pd.Timestamp,
    end: pd.Timestamp,
    colours: BrokerColours,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
    *,
    is_kraft: bool,
) -> None:
    name = words.broker(broker_id)
    bars = [
        Bar(row, _begin(s, is_kraft) or start, _until(s) or end, name, _session_hover(s, is_kraft), s.evidence)
        for s in sessions
    ]
    add_bars(
        figure,
        bars,
        name=name,
        meta="registered",
        colour=colours.fill(broker_id),
        pattern=colours.pattern(broker_id),
        shown=shown,
    )


def _begin(s: Any, is_kraft: bool) -> pd.Timestamp | None:
    """Where the bar of a session begins: in KRaft as the broker is unfenced, else with its registration."""
    return s.start_ts if not is_kraft or s.live_ts is None else s.live_ts


def _until(s: Any) -> pd.Timestamp | None:
    """Until when lines show a session; None if to the end of the logs."""
    return s.seen_ts if s.end_ts is None else s.end_ts


def _away(row: int, sessions: Sequence[Any], end: pd.Timestamp, *, is_kraft: bool) -> list[Bar]:
    """The times between two sessions of a broker, and after its last one: fenced if the registration stayed, as in KRaft, or
    as the same broker epoch before and after shows.
    """
    ordered = sorted(sessions, key=lambda s: (s.start_ts is not None, s.start_ts or 0))
    bars = [
        Bar(row, s.start_ts, s.live_ts, "fenced", _fenced_hover(s), s.evidence)
        for s in ordered
        if is_kraft and None not in (s.start_ts, s.live_ts)
    ]
    for s, after in zip(ordered, [*ordered[1:], None], strict=True):
        until = end if after is None else after.start_ts
        if s.end_ts is not None and until is not None and s.end_ts < until:
            is_same = after is not None and None not in (s.broker_epoch, after.broker_epoch)
            stays = is_kraft or (is_same and after is not None and s.broker_epoch == after.broker_epoch)
            state = "fenced" if stays else "not registered"
            hover = lines(f"{words.broker(s.broker_id)} {state}", words.span(s.end_ts, after and until))
            bars.append(Bar(row, s.end_ts, until, state, hover, (after or s).evidence))
    return bars


def _fenced_hover(s: Any) -> str:
    name = words.broker(s.broker_id)
    return lines(
        f"{name} registered, and fenced until it had caught up",
        words.span(s.start_ts, s.live_ts),
        None if s.broker_epoch is None else f"broker epoch {s.broker_epoch}",
        words.at_most(s.evidence, 2),
    )


def _session_hover(s: Any, is_kraft: bool) -> str:
    name, registered = words.broker(s.broker_id), s.live_ts is not None and s.start_ts is not None
    return lines(
        f"{name} unfenced" if is_kraft else f"{name} registered",
        f"{words.span(_begin(s, is_kraft), _until(s))}{' at the latest' if s.ended_before else ''}",
        None if s.end_ts is not None or s.seen_ts is None else "whether it ended after that is not logged",
        f"registered at {words.clock(s.start_ts)}" if is_kraft and registered else None,
        None if s.ended_by is None else f"ended by: {words.end_of_session(s.ended_by)}",
        None if s.broker_epoch is None else f"broker epoch {s.broker_epoch}",
        words.at_most(s.evidence, 2),
    )


def _absence_hover(a: Absence) -> str:
    return lines(
        f"{words.broker(a.broker_id)}: {a.state}", a.title, words.span(a.start, a.end), words.at_most(a.evidence, 2)
    )


def _reigns(
    row: int, reigns: Sequence[Any], absent: Sequence[Absence], end: pd.Timestamp
) -> list[tuple[str, str, str, list[Bar]]]:
    """The tenures, each up to the absence of its node; a controller that is replaced before its absence ends does not
    lead again.
    """
    sure, unsure = [], []
    for c in reigns:
        until = c.end_ts or end
        own = [
            a for a in absent if a.broker_id == c.controller_id and c.start_ts <= (a.end or until) and a.start < until
        ]
        gone = min((a.start for a in own if a.sure and (a.ended or a.end is None or a.end >= until)), default=until)
        doubted = max(c.start_ts, min((a.start for a in own if not a.sure and a.end == gone), default=gone))
        by_then = any(o.begun_before and c.end_ts is not None and o.start_ts >= c.end_ts for o in reigns)
        hover = _reign_hover(c, gone if gone < until else c.end_ts, by_then)
        sure.append(Bar(row, c.start_ts, doubted, f"node {c.controller_id}", hover, c.evidence))
        if doubted < gone:
            unsure.append(Bar(row, doubted, gone, "", hover, c.evidence))
    return [
        ("controller", "active controller", "", sure),
        *([("controller_unsure", "controller, possibly dead or frozen", ".", unsure)] if unsure else []),
    ]


def _reign_hover(c: Any, until: pd.Timestamp | None, by_then: bool) -> str:
    ready = None if c.ready_ts is None else words.duration(words.milliseconds(c.ready_ts, c.start_ts))
    return lines(
        f"node {c.controller_id} was the active controller",
        f"controller epoch {words.plain(c.controller_epoch)}",
        f"{words.span(c.start_ts, until)}{' at the latest' if by_then and until == c.end_ts else ''}",
        "elected before that; since when is not logged"
        if c.begun_before
        else f"active after {ready}"
        if ready is not None
        else "no line shows when it became active",
        None
        if until == c.end_ts or c.end_ts is None
        else f"the next controller was elected at {words.clock(c.end_ts)}",
        words.at_most(c.evidence, 2),
    )
