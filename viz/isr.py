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
from viz.leader_epochs import UNKNOWN, alike_rows, busiest, name_partitions, within
from viz.theme import IN_SYNC_COLOURS, lines
from viz.timeline import Bar, Shade, add_bars, at, empty, over_time

MOST_ROWS = 40
_ROW = 24
_STEPS = 104
_GAP = 30
_WHAT = {"some": "not all replicas in sync", "one": "one in-sync replica", "none": "no leader, ISR empty or unknown"}
_ONE_AFTER_ANOTHER, _ONE_IMAGE = pd.Timedelta(seconds=1), pd.Timedelta(seconds=5)
_MOST_STEPS = 1_200  # changes of a count that are drawn individually
_ALL, _SOME, _ONE, _BELOW, _NONE = IN_SYNC_COLOURS
_WORST_FIRST = (_NONE, _BELOW, _ONE, _SOME, _ALL)
_COUNT_AXIS = dict(
    title=dict(text="partitions", standoff=8), rangemode="tozero", nticks=4, tickformat="d", fixedrange=True
)

Steps = Mapping[str, Sequence[tuple[pd.Timestamp, int]]]


def isr_figure(
    isr_spans: pd.DataFrame,
    steps: Steps,
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    partitions: int = 0,
) -> go.Figure:
    """Above, how many partitions are not in full sync, as `steps` (`out_of_sync` returns them); below, a row per
    partition with its number of in-sync replicas in each bar.

    The full set is the assigned replicas if a line prints them, else the largest ISR in the logs. A breach of
    min.insync.replicas is drawn if the frame's column `min_isr` has the setting; null means that no file shows it, and
    then an ISR of one is drawn as one in-sync replica. With more than `MOST_ROWS` partitions, those with the same history share a
    row, and the chart shows those with the smallest ISRs; `partitions` is the total number if the frame does not hold
    all. A trace's `meta` is `steps` or `spans`.
    """
    spans = frames.tidy(isr_spans, "isr_spans").dropna(subset=["start_ts", "topic", "partition"])
    if spans.empty:
        return empty("These logs show no ISR.")
    trace_end = trace_end if trace_end is not None else spans[["start_ts", "end_ts"]].max().max()
    held = frames.rows(spans)
    full = _full(held)
    state = {span: _state(span, full[span.topic, span.partition]) for span in held}
    alike = alike_rows(held, lambda span: (span.start_ts, span.end_ts, tuple(span.isr), state[span]))
    row_of = _rows([s for s in held if (s.topic, s.partition) in alike], state)
    rows_height = _ROW * len(row_of) + 8
    height = _STEPS + _GAP + rows_height
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[_STEPS, rows_height], vertical_spacing=_GAP / height
    )
    is_partial = any(span.begun_before or span.ended_before for span in held)
    for name, some in steps.items():
        _add_steps(figure, name, some, ", as far as logged" if is_partial else "")
    drawn = _bars(held, state, full, row_of, trace_end)
    for name, colour in IN_SYNC_COLOURS.items():
        if drawn[name]:
            hatched = "/" if name in (_BELOW, _NONE) else ""
            add_bars(figure, drawn[name], name=name, meta="spans", colour=colour, pattern=hatched, shown=shown, panel=2)
    over_time(figure, plot_height=height, trace_end=trace_end, shades=shades, shown=shown)
    figure.update_yaxes(_COUNT_AXIS, row=1, col=1)
    name_partitions(figure, row_of, alike, partitions, panel=2)
    return figure


def _bars(
    held: Sequence[Any],
    state: Mapping[Any, str],
    full: Mapping[tuple[str, int], int],
    row_of: Mapping[tuple[str, int], int],
    trace_end: pd.Timestamp,
) -> Mapping[str, list[Bar]]:
    """The bars of the drawn partitions by the state of their ISR."""
    drawn: dict[str, list[Bar]] = defaultdict(list)
    for span in held:
        key = span.topic, span.partition
        if key in row_of:
            label, hover = _label(span, full[key]), _hover(span, state[span], full[key])
            end = span.end_ts or trace_end
            drawn[state[span]].append(Bar(row_of[key], span.start_ts, end, label, hover, span.evidence))
    return drawn


def _rows(held: Sequence[Any], state: Mapping[Any, str]) -> dict[tuple[str, int], int]:
    """The partitions with the smallest ISRs, each with its row."""
    trouble: dict[tuple[str, int], list[float]] = defaultdict(lambda: [0.0] * len(_WORST_FIRST))
    for span in held:
        trouble[span.topic, span.partition][_WORST_FIRST.index(state[span])] += 1
    worst = busiest({key: tuple(counts) for key, counts in trouble.items()}, MOST_ROWS)
    return within({key: int(sum(counts)) for key, counts in trouble.items()}, worst)


def spans_with_gaps(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of `isr_spans`, and a row with an empty ISR for each time without a leader in which no line shows an
    ISR.
    """
    spans, epochs = tables["isr_spans"], tables["leader_epochs"]
    is_under_way = epochs.begun_before.eq(True).fillna(False).astype(bool)  # the ISR before is not known
    without = epochs[(epochs.leader_id == -1) & epochs.start_ts.notna() & ~is_under_way]
    if without.empty:
        return spans
    of_partition = frames.by_key(
        frames.rows(spans.dropna(subset=["start_ts", "topic", "partition"])), lambda span: (span.topic, span.partition)
    )
    added = []
    for epoch in frames.rows(without):
        own = of_partition.get((epoch.topic, epoch.partition), [])
        is_known = any(_overlap(span, epoch) for span in own)
        if own and not is_known:
            replicas = max((span.replicas for span in own), key=len)
            values = {"isr": (), "replicas": replicas, "leader_id": -1, "min_isr": own[-1].min_isr}
            added.append({name: getattr(epoch, name, None) for name in spans} | values)
    if not added:
        return spans
    return frames.tidy(
        pd.concat([spans, frames.tidy(pd.DataFrame(added, columns=list(spans)), "isr_spans")]), "isr_spans"
    )


def _overlap(span: Any, epoch: Any) -> bool:
    begins_before = epoch.end_ts is None or span.start_ts < epoch.end_ts
    return begins_before and (span.end_ts is None or span.end_ts > epoch.start_ts)


def out_of_sync(tables: Mapping[str, pd.DataFrame], *, internal: bool) -> Steps:
    """How many partitions are under-replicated, have one in-sync replica, or are below min.insync.replicas or without an ISR,
    from each change on: for Kafka's own topics, or for all others.
    """

    def made() -> Steps:
        recorded = frames.recorded(tables)
        every = frames.once(tables, "isr spans told", lambda: spans_with_gaps(tables))
        every = every.dropna(subset=["start_ts", "topic", "partition"])
        held = frames.rows(every[every.topic.str.startswith("__") == internal])
        return steps_of(held, recorded[1] if recorded else None)

    steps: Steps = frames.conclusion(tables, f"out of sync{' internal' if internal else ''}", made)
    return steps


def steps_of(held: list[Any], trace_end: pd.Timestamp | None) -> Steps:
    """The same for these spans of ISRs."""
    if not held:
        return {}
    trace_end = trace_end if trace_end is not None else max(s.end_ts or s.start_ts for s in held)
    full, first = _full(held), min(s.start_ts for s in held)
    state = {span: _state(span, full[span.topic, span.partition]) for span in held}
    until = _until(held, trace_end)
    counted: dict[str, Callable[[Any], bool]] = {
        _SOME: lambda span: state[span] != _ALL,
        _ONE: lambda span: state[span] != _ALL and len(set(span.isr)) <= 1,
        _BELOW: lambda span: state[span] in (_BELOW, _NONE),
    }
    steps, begins = {}, _counted_from(held)
    for name, counts in counted.items():
        changes: dict[pd.Timestamp, int] = defaultdict(int, {first: 0})
        for span in held:
            if counts(span):
                changes[begins.get(span, span.start_ts)] += 1
                changes[until[span]] -= 1
        if len(changes) > 1:
            steps[name] = _fewer(changes)
    return steps


def _counted_from(held: Sequence[Any]) -> Mapping[Any, pd.Timestamp]:
    """From when the first spans of partitions count, if their first lines follow one another within a second: lines print
    one after the other what held at one time.
    """
    firsts: dict[tuple[str, int], Any] = {}
    for span in sorted(held, key=lambda s: s.start_ts):
        firsts.setdefault((span.topic, span.partition), span)
    counted: dict[Any, pd.Timestamp] = {}
    begun = before = None
    for span in firsts.values():
        if before is None or span.start_ts - before > _ONE_AFTER_ANOTHER or span.start_ts - begun > _ONE_IMAGE:
            begun = span.start_ts
        counted[span], before = begun, span.start_ts
    return counted


def sync_spans(tables: Mapping[str, pd.DataFrame]) -> Sequence[tuple[str, str, pd.Timestamp, pd.Timestamp | None]]:
    """When some partition was short of replicas in its ISR: the style, the state, start and end."""

    def made() -> Sequence[tuple[str, str, pd.Timestamp, pd.Timestamp | None]]:
        every = frames.once(tables, "isr spans told", lambda: spans_with_gaps(tables))
        held = frames.rows(every.dropna(subset=["start_ts", "topic", "partition"]))
        full = _full(held)
        short = [(span, len(set(span.isr))) for span in held if len(set(span.isr)) < full[span.topic, span.partition]]
        looks: dict[str, list[tuple[pd.Timestamp, pd.Timestamp | None]]] = {"some": [], "one": [], "none": []}
        for span, size in short:
            looks["some" if size > 1 else "one" if size else "none"].append((span.start_ts, span.end_ts))
        return [(look, _WHAT[look], start, end) for look, some in looks.items() for start, end in joined(some)]

    spans: Sequence[tuple[str, str, pd.Timestamp, pd.Timestamp | None]] = frames.conclusion(tables, "sync spans", made)
    return spans


def joined(
    spans: Sequence[tuple[pd.Timestamp, pd.Timestamp | None]],
) -> list[tuple[pd.Timestamp, pd.Timestamp | None]]:
    """Spans that touch or overlap, merged into one; an open one absorbs those that follow."""
    out: list[tuple[pd.Timestamp, pd.Timestamp | None]] = []
    for start, end in sorted(spans, key=lambda s: (s[0], s[1] is None, s[1] or s[0])):
        last = out[-1] if out else None
        if last is None or (last[1] is not None and start > last[1]):
            out.append((start, end))
        elif last[1] is not None:
            out[-1] = (last[0], None if end is None else max(last[1], end))
    return out


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
    if not size and span.leader_id == -1:
        return _NONE
    if size < min(span.min_isr or 1, full):  # the setting is at least 1, so an empty ISR is always below it
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


def _add_steps(figure: go.Figure, name: str, times_and_counts: Sequence[tuple[pd.Timestamp, int]], limit: str) -> None:
    """Draws the counts; `limit` is added to each, if no line shows when some ISRs began or ended."""
    state = {_SOME: "under-replicated", _ONE: "with one in-sync replica or none", _BELOW: "below min.insync.replicas"}[
        name
    ]
    times, counts = [at(ts) for ts, _ in times_and_counts], [n for _, n in times_and_counts]
    figure.add_scatter(
        x=times,
        y=counts,
        mode="lines",
        line=dict(shape="hv", width=2, color=IN_SYNC_COLOURS[name]),
        fill="tozeroy" if name == _SOME else None,
        name=state,
        meta="steps",
        legendgroup=name,
        showlegend=False,
        hoverinfo="text",
        hovertext=[
            lines(f"{words.counted(n, 'partition')} {state}{limit}", f"from {t}")
            for n, t in zip(counts, times, strict=True)
        ],
        row=1,
        col=1,
    )


def _fewer(changes: Mapping[pd.Timestamp, int]) -> list[tuple[pd.Timestamp, int]]:
    """The count from each change on; with very many changes the maximum in each of `_MOST_STEPS` equal times, and the
    final count.
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


def _hover(span: Any, state: str, full: int) -> str:
    lasted = "" if span.end_ts is None else f", {words.duration(words.milliseconds(span.end_ts, span.start_ts))}"
    if span.begun_before:
        lasted = f"{lasted or ','}{' or' if lasted else ''} longer: it had begun before its first line"
    if span.ended_before:
        lasted = " at the latest: only then does a line show the next one"
    missing = sorted(set(span.replicas) - set(span.isr))
    return lines(
        f"{words.partition(span.topic, span.partition)}: {len(set(span.isr))} of {full} in sync, {state}",
        f"ISR [{', '.join(map(str, sorted(span.isr)))}]"
        + (f", not in it: {', '.join(map(str, missing))}" if missing else ""),
        f"{words.span(span.start_ts, span.end_ts)}{lasted}",
        f"leader epoch {words.plain(span.leader_epoch)}, partition epoch {words.plain(span.partition_epoch)}, {'without a leader' if span.leader_id == -1 else f'led by {words.broker(span.leader_id)}'}",
        "min.insync.replicas unknown" if span.min_isr is None else f"min.insync.replicas {span.min_isr}",
        span.confidence or UNKNOWN,
        words.at_most(span.evidence, 2),
    )
