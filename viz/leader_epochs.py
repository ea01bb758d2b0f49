"""The leaders of partitions, as a swimlane chart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.bounds import most
from viz.theme import DANGER, BrokerColours, lines
from viz.timeline import MOST_BARS, Bar, Shade, add_bars, at, drawn_of, empty, name_rows, opened, over_time, with_more

MOST_ROWS = 40
_MOST_ABSENT = 400  # parts of bars
_ROW = 24
UNKNOWN = "unknown"
UNCLEAN = ("last_known_leader", "any_replica")


@dataclass(frozen=True)
class Absence:
    """A time in which a broker's process certainly did not run (`sure`), or may not have run, and the state that the
    lines show.
    """

    broker_id: int
    start: pd.Timestamp
    end: pd.Timestamp | None
    sure: bool
    title: str
    evidence: tuple[str, ...] = ()
    ended: bool = False  # its process ended: the next one has none of its offices

    @property
    def state(self) -> str:
        return "dead or frozen" if self.sure else "possibly dead or frozen"


def absent_brokers(tables: Mapping[str, pd.DataFrame]) -> list[Absence]:
    """The absences that the findings show."""
    stopping = {code.code for code in frames.table(tables, "glossary") if code.stops_process}
    return absences(tables["findings"], stopping)


def absences(findings: pd.DataFrame, stopping: Collection[str]) -> list[Absence]:
    """When brokers had crashed or were paused: surely from the first proof on, and perhaps from the last proof of the
    opposite. `stopping` are the codes of faults during which a process is gone or frozen.
    """
    found = []
    for f in frames.rows(findings):
        start = f.began_high if f.began_high is not None else f.start_ts
        is_stop = f.code in stopping or words.is_of_an_end(f)  # running out of heap may or may not end the process
        if not is_stop or f.role not in ("root_cause", "contributing") or start is None:
            continue
        end = f.ended_low if f.ended_low is not None else f.end_ts
        title = f.title or f.code
        for b in f.broker_ids:
            if f.began_low is not None and f.began_low < start:
                found.append(Absence(b, f.began_low, start, False, title, f.evidence))
            is_end = words.is_of_an_end(f)  # known only by the next start, it still ends the offices of the process
            if end is None or start < end or (is_end and start == end):
                found.append(Absence(b, start, end, True, title, f.evidence, is_end))
            if end is not None and f.ended_high is not None and f.ended_high > end:
                found.append(Absence(b, end, f.ended_high, False, title, f.evidence))
    return sorted(found, key=lambda a: (a.broker_id, a.start, not a.sure, a.title))


def leader_epochs_figure(
    epochs: pd.DataFrame,
    elections: pd.DataFrame,
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    colours: BrokerColours | None = None,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
    partitions: int = 0,
    absent: Sequence[Absence] = (),
) -> go.Figure:
    """A row per partition, a bar per leader epoch in its leader's color (cut where `shown` begins and ends); open ones
    extend to the end of the trace.

    Time without a leader is hatched red, and has a mark at its start because it may be too short to see; unclean
    elections have a diamond. With more than `MOST_ROWS` partitions, those with the same history share a row, the chart
    shows those with the most trouble, and the figure states the total; `partitions` is the total number if the frame
    does not hold all. Where a leader was `absent` its bar is hatched. A trace's `meta` names what it shows: `leader`,
    `leader_absent`, `leader_unsure`, `leaderless`, `election`, `unclean_election`.
    """
    epochs = frames.tidy(epochs, "leader_epochs").dropna(subset=["start_ts", "topic", "partition"])
    elections = frames.tidy(elections, "elections").dropna(subset=["ts", "topic", "partition"])
    if epochs.empty:
        return empty("These logs show no leader epoch.")
    trace_end = trace_end if trace_end is not None else epochs[["start_ts", "end_ts"]].max().max()
    colours = colours or BrokerColours.of(epochs.leader_id.dropna())
    held = frames.rows(epochs.assign(ends_by=_ends_by(epochs)))
    alike = alike_rows(held, lambda e: (e.start_ts, e.end_ts, e.leader_id, e.elected_from))
    first = pd.MultiIndex.from_tuples(list(alike))
    row_of = _rows(*(f[pd.MultiIndex.from_frame(f[["topic", "partition"]]).isin(first)] for f in (epochs, elections)))

    figure = go.Figure()
    drawn = [e for e in held if (e.topic, e.partition) in row_of]
    for leader_id, meta, bars, label, pattern in _bars(drawn, absent, row_of, trace_end, shown):
        if bars:
            colour, pattern = colours.fill(leader_id), pattern or colours.pattern(leader_id)
            add_bars(figure, bars, name=label, meta=meta, colour=colour, pattern=pattern, shown=shown)
    _add_marks(figure, [e for e in drawn if e.leader_id == -1 and not e.begun_before], row_of)
    _add_elections(figure, [e for e in frames.rows(elections) if (e.topic, e.partition) in row_of], row_of)
    over_time(figure, plot_height=_ROW * len(row_of) + 8, trace_end=trace_end, shades=shades, shown=shown)
    name_partitions(figure, row_of, alike, partitions)
    return figure


def _ends_by(epochs: pd.DataFrame) -> list[bool]:
    """Whether each leader epoch may have ended before its end: only the first line of the next one shows that."""
    own = frames.rows(epochs)
    late = {(e.topic, e.life, e.partition, e.leader_epoch) for e in own if e.begun_before}
    return [(e.topic, e.life, e.partition, e.next_leader_epoch) in late for e in own]


def _bars(
    drawn: Sequence[Any],
    absent: Sequence[Absence],
    row_of: Mapping[tuple[str, int], int],
    trace_end: pd.Timestamp,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> Iterator[tuple[Any, str, list[Bar], str, str]]:
    """For each leader: its id, what the bars show, the bars, their label, and their pattern ("" for that of the leader)."""
    away = frames.by_key(absent, lambda absence: absence.broker_id)
    parts = _absent_parts(drawn, away, row_of, trace_end, shown)
    for leader_id in sorted({e.leader_id for e in drawn}, key=lambda b: (b is None, b == -1, b)):
        name = "leader unknown" if leader_id is None else words.broker(leader_id)
        led = _led([e for e in drawn if e.leader_id == leader_id], "" if leader_id == -1 else name, row_of, trace_end)
        yield leader_id, "leaderless" if leader_id == -1 else "leader", led, name, ""
        yield leader_id, "leader_absent", parts.get((leader_id, True), []), f"{name}, dead or frozen", "/"
        yield leader_id, "leader_unsure", parts.get((leader_id, False), []), f"{name}, possibly dead or frozen", "."


def _led(
    epochs: Sequence[Any], label: str, row_of: Mapping[tuple[str, int], int], trace_end: pd.Timestamp
) -> list[Bar]:
    """A bar for each leader epoch."""
    return [
        Bar(row_of[e.topic, e.partition], e.start_ts, e.end_ts or trace_end, label, _hover(e), e.evidence)
        for e in epochs
    ]


def _absent_parts(
    epochs: Sequence[Any],
    away: Mapping[int, Sequence[Absence]],
    row_of: Mapping[tuple[str, int], int],
    trace_end: pd.Timestamp,
    shown: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> dict[tuple[int, bool], list[Bar]]:
    """The parts of leader epochs in which the leader was dead or frozen, or possibly was, by leader; if there are too
    many, only those in the first range.
    """
    parts: dict[tuple[int, bool], list[Bar]] = defaultdict(list)
    for e in epochs:
        for gone in away.get(e.leader_id, []):
            start = max(e.start_ts, gone.start)
            end = min(e.end_ts or trace_end, gone.end or trace_end)
            if start < end:
                hover = lines(
                    f"{words.partition(e.topic, e.partition)}: {words.broker(e.leader_id)} {gone.state}",
                    gone.title,
                    words.span(gone.start, gone.end),
                    f"leader epoch {words.plain(e.leader_epoch)}, {words.span(e.start_ts, e.end_ts)}{' at the latest' if e.ends_by else ''}",
                )
                label = "dead or frozen" if gone.sure else ""
                bar = Bar(row_of[e.topic, e.partition], start, end, label, hover, (*gone.evidence[:3], *e.evidence))
                parts[e.leader_id, gone.sure].append(bar)
    if shown and sum(map(len, parts.values())) > _MOST_ABSENT:
        return {key: [b for b in some if b.end > shown[0] and b.start < shown[1]] for key, some in parts.items()}
    return parts


def within(counts: Mapping[tuple[str, int], int], row_of: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """The first rows, as many as the chart can draw with every bar."""
    drawn = 0
    kept: dict[tuple[str, int], int] = {}
    for key, row in row_of.items():
        drawn += counts.get(key, 0)
        if drawn > MOST_BARS and kept:
            break
        kept[key] = row
    return kept


def busiest(trouble: Mapping[tuple[str, int], tuple[float, ...]], limit: int) -> dict[tuple[str, int], int]:
    """The `limit` partitions with the most trouble, each with its row: topics by their worst partition, then by name,
    Kafka's own last.
    """
    less = {key: tuple(-amount for amount in amounts) for key, amounts in trouble.items()}
    ranked = sorted(less, key=lambda key: (less[key], *words.by_name(key)))
    worst = {topic: less[topic, partition] for topic, partition in reversed(ranked)}
    kept = sorted(ranked[: most(limit)], key=lambda key: (worst[key[0]], *words.by_name(key)))
    return {key: row for row, key in enumerate(kept)}


def _rows(epochs: pd.DataFrame, elections: pd.DataFrame) -> dict[tuple[str, int], int]:
    keys = ["topic", "partition"]
    unclean = elections[elections.elected_from.isin(UNCLEAN)].groupby(keys).size().to_dict()
    without = epochs[epochs.leader_id == -1].groupby(keys).size().to_dict()
    count = epochs.groupby(keys).size().to_dict()
    trouble = {key: (float(unclean.get(key, 0)), float(without.get(key, 0)), float(n)) for key, n in count.items()}
    return within(count, busiest(trouble, MOST_ROWS))


def alike_rows(
    held: Sequence[Any], history: Callable[[Any], tuple[object, ...]]
) -> dict[tuple[str, int], list[tuple[str, int]]]:
    """The partitions that share a row of a chart, keyed by the first of them: those with the same history, Kafka's own
    topics apart. Each has its own row if there is room for all.
    """
    histories = frames.by_key(held, lambda row: (row.topic, row.partition), history)
    if len(histories) <= most(MOST_ROWS):
        return {key: [key] for key in histories}
    alike = frames.by_key(
        sorted(histories, key=words.by_name), lambda key: (key[0].startswith("__"), tuple(histories[key]))
    )
    return {some[0]: some for some in alike.values()}


def name_partitions(
    figure: go.Figure,
    rows: Collection[tuple[str, int]],
    alike: Mapping[tuple[str, int], Sequence[object]],
    partitions: int,
    panel: int | None = None,
) -> None:
    """Name the rows of a chart, each a partition and those with the same history (`alike_rows`). `partitions`: how many there
    are in all, if more than these.
    """
    names = []
    for key in rows:
        name, more = words.partition(*key), len(alike[key]) - 1
        names.append(with_more(name, f" and {words.number(more)} alike") if more else name)
    drawn, every = sum(len(alike[key]) for key in rows), sum(map(len, alike.values()))
    part = drawn_of(drawn, max(partitions, every), "partition")
    name_rows(figure, names, part, panel=panel, topics=[topic for topic, _ in rows])


def _hover(e: Any) -> str:
    lasted = "" if e.end_ts is None else f", {words.duration(words.milliseconds(e.end_ts, e.start_ts))}"
    if e.begun_before:
        lasted = f"{lasted or ','}{' or' if lasted else ''} longer: it had begun before its first line"
    if e.ends_by:
        lasted = " at the latest: only then does a line show the next one"
    return lines(
        f"{words.partition(e.topic, e.partition)}: {words.broker(e.leader_id)}, leader epoch {words.plain(e.leader_epoch)}",
        f"{words.span(e.start_ts, e.end_ts)}{lasted}",
        None if e.epoch_start_offset is None else f"starts at offset {words.plain(e.epoch_start_offset)}",
        None
        if e.elected_from is None
        else f"elected from {words.elected_from(e.elected_from)}{' (unclean)' if e.elected_from in UNCLEAN else ''}",
        f"{words.began_with(e.reason)}; {e.confidence or UNKNOWN}",
        words.at_most(e.evidence, 2),
    )


def _add_marks(figure: go.Figure, without: list[Any], row_of: dict[tuple[str, int], int]) -> None:
    if without:
        figure.add_scatter(
            mode="markers",
            name="left without a leader",
            meta="leaderless",
            showlegend=False,
            legendgroup="no leader",
            x=[at(e.start_ts) for e in without],
            y=[row_of[e.topic, e.partition] for e in without],
            marker=dict(symbol="line-ns", size=15, line=dict(color=DANGER, width=2)),
            hoverinfo="text",
            hovertext=[_hover(e) for e in without],
            customdata=opened(e.evidence for e in without),
        )


def _add_elections(figure: go.Figure, elected: list[Any], row_of: dict[tuple[str, int], int]) -> None:
    clean = [e for e in elected if e.elected_from not in UNCLEAN]
    unclean = [e for e in elected if e.elected_from in UNCLEAN]
    for name, meta, some, marker in (
        (
            "election",
            "election",
            clean,
            dict(symbol="circle", size=6, color="#FFFFFF", line=dict(color="#14181D", width=1.2)),
        ),
        (
            "unclean election",
            "unclean_election",
            unclean,
            dict(symbol="diamond", size=11, color=DANGER, line=dict(color="#FFFFFF", width=1.5)),
        ),
    ):
        if some:
            figure.add_scatter(
                mode="markers",
                name=name,
                meta=meta,
                x=[at(e.ts) for e in some],
                y=[row_of[e.topic, e.partition] for e in some],
                marker=marker,
                hoverinfo="text",
                hovertext=[_elected(e) for e in some],
                customdata=opened(e.evidence for e in some),
            )


def _elected(e: Any) -> str:
    what = "unclean election" if e.elected_from in UNCLEAN else "election"
    name = words.elected_from(e.elected_from)
    before = name if e.elected_from is None else f"elected from {name}"
    old = "last leader not known" if e.old_leader_id is None else words.broker(e.old_leader_id)
    return lines(
        f"{words.partition(e.topic, e.partition)}: {what} at leader epoch {words.plain(e.leader_epoch)}",
        f"{old} → {words.broker(e.new_leader_id)} {'by' if e.begun_before else 'at'} {words.stamp(e.ts)}",
        f"{before}, trigger: {words.trigger(e.trigger)}",
        f"without a leader for {words.duration(e.leaderless_ms)}" if e.leaderless_ms else None,
        words.at_most(e.evidence, 2),
    )
