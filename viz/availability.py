"""When topics accepted writes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from viz import frames
from viz import phrases as words
from viz.bounds import first, most
from viz.theme import DANGER, lines
from viz.timeline import Bar, Shade, add_bars, drawn_of, empty, name_rows, over_time, with_more

MOST_ROWS = 40
_ROW = 24
STATES = ("available", "partly unavailable", "unavailable", "unknown")
_LOOKS = {
    "available": ("#BCCBD6", ""),
    "partly unavailable": ("#D96A1C", "/"),
    "unavailable": (DANGER, "/"),
    "unknown": ("#9AA4C4", "."),
}
_STATE_WORDS = {"open": "available", "closed": "unavailable", "unknown": "unknown"}  # states of a partition
_KINDS = {"all": "acks=all", "1": "acks=1"}

Key = tuple[str, str]  # topic, acks
Piece = tuple[pd.Timestamp, pd.Timestamp, str, Counter[str], Counter[str], tuple[str, ...]]


def availability_figure(
    pieces: Mapping[Key, Sequence[Piece]],
    *,
    trace_end: pd.Timestamp | None,
    shades: Sequence[Shade] = (),
    shown: tuple[pd.Timestamp, pd.Timestamp] | None = None,
) -> go.Figure:
    """A row per topic and kind of write (`writes_by_topic`): available, unavailable for some or all of its partitions,
    or unknown.

    Unavailable means certainly unavailable. With more than `MOST_ROWS` rows, topics with the same history share a row,
    and the chart shows those that were unavailable most often. A trace's `meta` is the state.
    """
    if not pieces:
        return empty("The logs do not show when these topics accepted writes.")
    trace_end = trace_end if trace_end is not None else max(some[-1][1] for some in pieces.values())
    internal_up = {key for key in pieces if key[0].startswith("__") and all(p[2] == "available" for p in pieces[key])}
    if len(internal_up) < len(pieces):  # omits Kafka's own topics that were always available
        pieces = {key: some for key, some in pieces.items() if key not in internal_up}
    alike = _alike(pieces)
    kept = _most_unavailable(alike, pieces)
    figure = go.Figure()
    for state in STATES:
        colour, pattern = _LOOKS[state]
        bars = [
            Bar(row, start, end, _label(state), _hover(key, start, end, state, counts, reasons), evidence)
            for row, key in enumerate(kept)
            for start, end, piece_state, counts, reasons, evidence in pieces[key]
            if piece_state == state
        ]
        if bars:
            add_bars(figure, bars, name=state, meta=state, colour=colour, pattern=pattern, shown=shown)
    over_time(figure, plot_height=_ROW * len(kept) + 8, trace_end=trace_end, shades=shades, shown=shown)
    drawn, every = sum(len(alike[key]) for key in kept), sum(map(len, alike.values()))
    name_rows(
        figure,
        [_name(key, len(alike[key])) for key in kept],
        drawn_of(drawn, every, "topic and acks", "topics by acks"),
        topics=[topic for topic, _ in kept],
    )
    return figure


def _most_unavailable(keys: Iterable[Key], pieces: Mapping[Key, Sequence[Piece]]) -> list[Key]:
    """The keys that have a row, by name: those that were unavailable most often."""

    def rank(key: Key) -> tuple[Any, ...]:
        return (
            -sum(p[2] in ("unavailable", "partly unavailable") for p in pieces[key]),
            *words.by_name((key[0], 0)),
            key[1],
        )

    shown = first(sorted(keys, key=rank), MOST_ROWS).shown
    return sorted(shown, key=lambda key: (*words.by_name((key[0], 0)), key[1] != "all", key[1]))


def writes_by_topic(tables: Mapping[str, pd.DataFrame]) -> Mapping[Key, Sequence[Piece]]:
    """For each topic and kind of write, the times in which none of its partitions changed its state."""

    def made() -> Mapping[Key, Sequence[Piece]]:
        held = tables["availability"].dropna(subset=["start_ts", "topic", "partition"])
        recorded = frames.recorded(tables)
        end = recorded[1] if recorded else held[["start_ts", "end_ts"]].max().max()
        spans = frames.by_key(frames.rows(held), lambda row: (row.topic, row.acks or "all"))
        return {key: list(_pieces(some, end)) for key, some in spans.items()}

    by_topic: Mapping[Key, Sequence[Piece]] = frames.conclusion(tables, "writes by topic", made)
    return {key: some for key, some in by_topic.items() if some}


def _alike(pieces: Mapping[Key, Sequence[Piece]]) -> dict[Key, list[Key]]:
    """The topics that share a row, keyed by the first of them; each topic has its own row if there is room for all."""
    if len(pieces) <= most(MOST_ROWS):
        return {key: [key] for key in pieces}
    rows = frames.by_key(
        sorted(pieces, key=lambda key: words.by_name((key[0], 0))),
        lambda key: (key[1], tuple((start, end, state) for start, end, state, *_ in pieces[key])),
    )
    return {some[0]: some for some in rows.values()}


def _name(key: Key, alike: int) -> str:
    topic, acks = key
    kind = _KINDS.get(acks, f"acks={acks}")
    return with_more(topic, f", {kind}" if alike == 1 else f" and {words.number(alike - 1)} alike, {kind}")


Wait = tuple[pd.Timestamp, pd.Timestamp, str | None, tuple[str, ...], frozenset[str]]


def ends_of_waits(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, Sequence[Wait]]:
    """By topic, each time in which one partition certainly took no writes with acks=all for a while and which ended in
    these logs: its begin, its end, what ended it (None if no line shows it), the lines that show that, and the faults that
    made clients wait.
    """

    def made() -> Mapping[str, Sequence[Wait]]:
        held = tables["availability"]
        shut = held[(held.acks == "all") & (held.state != "open")].dropna(subset=["start_ts", "topic", "partition"])
        waits: dict[str, list[Wait]] = defaultdict(list)
        for (topic, _), rows in frames.by_key(frames.rows(shut), lambda row: (row.topic, row.partition)).items():
            for run in _touching(sorted(rows, key=lambda row: row.start_ts)):
                if run[-1].end_ts is None or all(row.state != "closed" for row in run):
                    continue
                end = _ending(run)
                faults = frozenset(row.fault_id for row in run if row.fault_id)
                lines = tuple(end.end_evidence or ())
                waits[topic].append((run[0].start_ts, run[-1].end_ts, end.ended_by, lines, faults))
        return waits

    ends: Mapping[str, Sequence[Wait]] = frames.conclusion(tables, "ends of waits", made)
    return ends


_AFTER_THE_END = ("waiting_for_next_write", "leader_cut_off")


def _ending(run: Sequence[Any]) -> Any:
    """The row of a wait whose end ended it: the last one with an event at its end.

    If the certain wait ended with an event, later rows about the same fault do not count if they have the same reason, because
    they are about the bounds of that end, or one of `_AFTER_THE_END`.
    """
    at = max(number for number, row in enumerate(run) if row.state == "closed")
    sure, later = run[at], run[at + 1 :]
    alike = all(
        row.fault_id == sure.fault_id and row.reason in (sure.reason, *_AFTER_THE_END) and row.state == "unknown"
        for row in later
    )
    if sure.ended_by and alike:
        return sure
    return next((row for row in reversed(run) if row.ended_by), run[-1])


def _touching(rows: Iterable[Any]) -> Iterator[list[Any]]:
    """The rows of one partition in time order, those without a time in between together."""
    run: list[Any] = []
    for row in rows:
        if run and run[-1].end_ts != row.start_ts:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def topic_lives(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """When each topic existed: `topic`, `start_ts`, `end_ts`."""
    columns = ["topic", "start_ts", "end_ts"]
    lives: pd.DataFrame = frames.conclusion(
        tables,
        "topic lives",
        tables["availability"].dropna(subset=["topic", "start_ts"])[columns].drop_duplicates,
    )
    return lives


def ever_blocked(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """The topics with a time in which a partition took no writes, or may have taken none."""
    spans = tables["availability"]
    blocked: set[str] = frames.conclusion(
        tables, "ever blocked", lambda: set(map(str, spans.topic[spans.state != "open"]))
    )
    return blocked


def _pieces(spans: Sequence[Any], trace_end: pd.Timestamp) -> Iterator[Piece]:
    """The times in which the state of none of these partitions changes: their joint state, how many partitions are
    in which state, and why.
    """
    changes: dict[pd.Timestamp, list[tuple[int, Any]]] = defaultdict(list)
    for s in spans:
        end = s.end_ts if s.end_ts is not None else max(trace_end, s.start_ts)
        changes[s.start_ts].append((1, s))
        changes[end].append((-1, s))
    now: dict[int, Any] = {}
    times = sorted(changes)
    last: Piece | None = None
    for start, end in pairwise(times):
        for step, s in changes[start]:
            partition = int(s.partition)
            if step < 0 and now.get(partition) is s:
                del now[partition]
        for step, s in changes[start]:
            if step > 0:
                now[int(s.partition)] = s
        if not now or start == end:
            continue
        counts = Counter(str(s.state) for s in now.values())
        reasons = Counter(str(s.reason) for s in now.values() if s.state != "open" and s.reason)
        evidence = tuple(dict.fromkeys(e for s in now.values() if s.state != "open" for e in s.evidence[:2]))[:6]
        piece = (start, end, _together(counts), counts, reasons, evidence)
        if last is not None and last[1] == start and last[2:5] == piece[2:5]:
            last = (last[0], end, *last[2:5], last[5] or evidence)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last


def _together(counts: Counter[str]) -> str:
    if counts["closed"]:
        return "unavailable" if counts["closed"] == counts.total() else "partly unavailable"
    return "unknown" if counts["unknown"] else "available"


def closed_spans(tables: Mapping[str, pd.DataFrame]) -> list[tuple[pd.Timestamp, pd.Timestamp | None, str, int]]:
    """When some partition of any topic was unavailable for writes with acks=all (`closed`) or its state was unknown
    (`unknown`), with the largest number of such partitions.
    """
    spans: list[tuple[pd.Timestamp, pd.Timestamp | None, str, int]] = frames.conclusion(
        tables, "closed spans", lambda: _closed_spans(tables["availability"])
    )
    return spans


def _closed_spans(availability: pd.DataFrame) -> list[tuple[pd.Timestamp, pd.Timestamp | None, str, int]]:
    held = availability[(availability.acks == "all") & availability.state.isin(("closed", "unknown"))]
    out: list[tuple[pd.Timestamp, pd.Timestamp | None, str, int]] = []
    for state in ("unknown", "closed"):
        began: Counter[pd.Timestamp] = Counter()
        ended: Counter[pd.Timestamp] = Counter()
        for s in frames.rows(held[(held.state == state) & held.start_ts.notna()]):
            began[s.start_ts] += 1
            if s.end_ts is not None:
                ended[s.end_ts] += 1
        count, most, since = 0, 0, None
        for ts in sorted(began | ended):
            since = ts if count == 0 else since
            count += began[ts] - ended[ts]  # together, because one reason may directly follow another
            most = max(most, count)
            if count == 0 and since is not None:
                out.append((since, ts, state, most))
                most = 0
        if count:
            out.append((since, None, state, most))
    return out


def _label(state: str) -> str:
    return "" if state == "available" else state


def _hover(
    key: tuple[str, str],
    start: pd.Timestamp,
    end: pd.Timestamp,
    state: str,
    counts: Counter[str],
    reasons: Counter[str],
) -> str:
    topic, acks = key
    many = ", ".join(
        f"{words.counted(counts[s], 'partition')} {words_of_state}"
        for s, words_of_state in _STATE_WORDS.items()
        if counts[s]
    )
    why = ", ".join(
        f"{words.why_no_writes(reason)} ({n})" for reason, n in sorted(reasons.items(), key=lambda x: -x[1])
    )
    return lines(
        f"{topic}, writes with {_KINDS.get(acks, acks)}: {state}",
        f"{words.span(start, end)}, {words.duration(words.milliseconds(end, start))}",
        many,
        why or None,
    )
