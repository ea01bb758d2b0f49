"""The page of many results: the trend from week to week. A column per period, a row per kind of fault and per broker;
then every result with a link to its report.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
from markupsafe import Markup

from viz import phrases as words
from viz.by_severity import SEVERITIES
from viz.frames import by_key
from viz.markup import render, source

DAY, WEEK, MONTH = "day", "week", "month"
_MOST_DAYS, _MOST_WEEKS = 28, 60  # rows drawn by default
_IN = {DAY: "on ", WEEK: "in the week of ", MONTH: "in "}
_MOST_ROWS = 24
_SHADES = 4
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Fault:
    """A fault of one node (None: of no single node): its id, which is the same in every result of the same logs, its
    code, time, severity, and whether it is routine.
    """

    fault_id: str
    code: str
    broker_id: int | None
    ts: pd.Timestamp
    severity: str
    is_routine: bool = False


@dataclass(frozen=True)
class Listed:
    """A result: its path, the time range of its logs, its cluster (None: not named), and its findings.

    `link` leads from the page to its report; `told` is its first line, `severity` that of its worst incident (None:
    no incident); `is_redacted`: its names are replaced; `notes` report its peculiarities.
    """

    name: str
    link: str | None
    began: pd.Timestamp | None
    ended: pd.Timestamp | None
    cluster: str | None
    is_redacted: bool
    told: str
    severity: str | None
    incidents: int
    lost: str
    version: str
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """An input that was named and is not counted, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Cell:
    """A count in a period; `shade` is 0 to 4, and `is_void` if no logs cover that period."""

    count: int
    shade: int
    is_void: bool


@dataclass(frozen=True)
class Line:
    """A row of the matrix."""

    label: str
    cells: Sequence[Cell]
    total: int


@dataclass(frozen=True)
class Bar:
    """The faults of a period as a bar of parts: color, start, height, in hundredths; and as text."""

    parts: Sequence[tuple[str, float, float]]
    count: int
    told: str
    is_void: bool


@dataclass(frozen=True)
class Matrix:
    """The faults of one cluster by period."""

    title: str
    told: str
    notes: Sequence[str]
    by: str
    periods: Sequence[str]
    bars: Sequence[Bar]
    hours: Sequence[str]
    groups: Sequence[tuple[str, Sequence[Line]]]


def index_page(
    results: Sequence[Listed],
    left_out: Sequence[LeftOut],
    *,
    names: Mapping[str, str],
    version: str,
    by: str | None = None,
) -> str:
    """One HTML page that works without a network and without scripts; the same for the same results in any order.

    `names` holds the name of each fault code; `by` is the width of a column: `day`, `week` (from Monday, UTC) or
    `month`; None chooses by the length of the time range.
    """
    clusters = by_key(
        sorted(results, key=lambda one: (one.began is None, one.began or 0, one.name)),
        lambda result: (result.is_redacted, result.cluster or ""),
    )
    named = sorted(clusters.items(), key=lambda item: (not item[0][1], item[0]))
    latest = sorted(results, key=lambda one: (one.began is not None, one.began or 0, one.name), reverse=True)
    worst = sorted(latest, key=lambda one: SEVERITIES.index(one.severity) if one.severity else len(SEVERITIES))
    return str(
        render(
            "index.html.j2",
            title=f"{words.counted(len(results), 'result')} of {_of(named)}",
            span=_span(results),
            matrices=[_matrix(key, some, names, by) for key, some in named],
            results=[
                (one, [*one.notes, *_overlaps(one, clusters[one.is_redacted, one.cluster or ""])]) for one in worst
            ],
            left_out=sorted(left_out, key=lambda one: one.name),
            legend=[name for name in SEVERITIES if _has(results, name)],
            style=Markup(source("report.css") + source("index.css")),
            policy=_POLICY,
            version=version,
        )
    )


def _of(clusters: Sequence[tuple[tuple[bool, str], object]]) -> str:
    named = [cluster for (_, cluster), _ in clusters if cluster]
    how_many = words.counted(len(named), "cluster") if named else ""
    return " and ".join(
        [*([how_many] if how_many else []), *(["clusters that no line names"] if len(named) < len(clusters) else [])]
    )


def _span(results: Iterable[Listed]) -> str:
    days = [ts.strftime("%Y-%m-%d") for one in results for ts in (one.began, one.ended) if ts is not None]
    return words.UNKNOWN if not days else f"{min(days)} to {max(days)}" if min(days) < max(days) else days[0]


def _has(results: Iterable[Listed], severity: str) -> bool:
    return any(fault.severity == severity and not fault.is_routine for one in results for fault in one.faults)


def _matrix(key: tuple[bool, str], results: Sequence[Listed], names: Mapping[str, str], by: str | None) -> Matrix:
    """One cluster. A fault that occurs in several of its results is counted once."""
    is_redacted, cluster = key
    every = [fault for one in results for fault in one.faults]
    is_sure = bool(cluster) and not is_redacted
    faults = list({fault.fault_id: fault for fault in every}.values()) if is_sure else every
    times = [ts for one in results for ts in (one.began, one.ended) if ts is not None] + [f.ts for f in faults]
    by = by or _width(times)
    begins = _begins(times, by)
    spans = list(pairwise(begins))
    hours = [_hours(results, *span) for span in spans]
    real = [fault for fault in faults if not fault.is_routine]
    rows = [
        ("By kind", _lines([(f"{f.code} {names.get(f.code, '')}".strip(), f.ts) for f in real], spans, hours)),
        ("By broker", _lines([(_who(f.broker_id), f.ts) for f in real], spans, hours)),
        (
            "Routine",
            _lines(
                [(f"{f.code} {names.get(f.code, '')}".strip(), f.ts) for f in faults if f.is_routine],
                spans,
                hours,
                shades=0,
            ),
        ),
    ]
    notes = []
    if len(every) > len(faults):
        same = words.counted(len(every) - len(faults), "fault", "faults")
        notes.append(
            f"{same} in several results whose logs overlap: {'it is' if len(every) - len(faults) == 1 else 'each is'} counted once."
        )
    if len(results) > 1 and not is_sure:
        why = "Names are replaced in these results" if is_redacted else "No line of these logs names the cluster"
        notes.append(f"{why}: these may be different clusters, and a fault in overlapping logs counts twice.")
    return Matrix(
        _title(is_redacted, cluster),
        _comparison(by, spans, hours, real),
        notes,
        by,
        [_label(begin, by, n == 0) for n, (begin, _) in enumerate(spans)],
        _bars(real, spans, hours),
        [_in_hours(h) for h in hours],
        [(label, lines) for label, lines in rows if lines],
    )


def _title(is_redacted: bool, cluster: str) -> str:
    named = f"Cluster {cluster}" if cluster else "No cluster id in these logs"
    return f"{named} (names replaced)" if is_redacted else named


def _width(times: Sequence[pd.Timestamp]) -> str:
    days = (max(times) - min(times)).days if times else 0
    return DAY if days <= _MOST_DAYS else WEEK if days <= 7 * _MOST_WEEKS else MONTH


def _begins(times: Sequence[pd.Timestamp], by: str) -> list[pd.Timestamp]:
    """The starts of all periods from the first to the last time, and the end of the last."""
    if not times:
        return []
    step = {DAY: pd.DateOffset(days=1), WEEK: pd.DateOffset(weeks=1), MONTH: pd.DateOffset(months=1)}[by]
    begin = min(times).normalize()
    begin -= pd.Timedelta(days=begin.dayofweek if by == WEEK else begin.day - 1 if by == MONTH else 0)
    begins = [begin]
    while begins[-1] <= max(times):
        begins.append(begins[-1] + step)
    return begins


def _hours(results: Iterable[Listed], begin: pd.Timestamp, end: pd.Timestamp) -> float:
    """How much of a period the logs cover; overlapping logs count once."""
    seconds, until = 0.0, begin
    for began, ended in sorted((r.began, r.ended) for r in results if r.began is not None and r.ended is not None):
        seconds += max(0.0, (min(ended, end) - max(began, until)).total_seconds())
        until = max(until, ended)
    return seconds / 3600


def _in_hours(hours: float) -> str:
    if not hours:
        return "–"
    return "< 0.1" if hours < 0.05 else f"{hours:,.1f}" if hours < 99.95 else f"{hours:,.0f}"


def _who(broker_id: int | None) -> str:
    return "no single node" if broker_id is None else f"node {broker_id}"


def _place(ts: pd.Timestamp, spans: Sequence[tuple[pd.Timestamp, pd.Timestamp]]) -> int:
    return next(n for n, (begin, end) in enumerate(spans) if begin <= ts < end)


def _lines(
    labelled: Sequence[tuple[str, pd.Timestamp]],
    spans: Sequence[tuple[pd.Timestamp, pd.Timestamp]],
    hours: Sequence[float],
    shades: int = _SHADES,
) -> list[Line]:
    """A row for each label, the most frequent first; the rest share one row."""
    total = Counter(label for label, _ in labelled)
    ranked = sorted(total, key=lambda label: (-total[label], label))
    kept = ranked if len(ranked) <= _MOST_ROWS else ranked[: _MOST_ROWS - 1]
    rest = f"{words.number(len(ranked) - len(kept))} others"
    count = Counter((label if label in kept else rest, _place(ts, spans)) for label, ts in labelled)
    most = max(count.values(), default=1)
    return [
        Line(
            label,
            [_cell(count[label, n], most, shades, not h) for n, h in enumerate(hours)],
            sum(count[label, n] for n in range(len(spans))),
        )
        for label in [*kept, *([rest] if len(kept) < len(ranked) else [])]
    ]


def _cell(count: int, most: int, shades: int, is_void: bool) -> Cell:
    return Cell(count, min(shades, math.ceil(_SHADES * count / most)), is_void and not count)


def _bars(
    faults: Sequence[Fault], spans: Sequence[tuple[pd.Timestamp, pd.Timestamp]], hours: Sequence[float]
) -> list[Bar]:
    of_period = [Counter(f.severity for f in faults if begin <= f.ts < end) for begin, end in spans]
    most = max((sum(count.values()) for count in of_period), default=0) or 1
    bars = []
    for count, h in zip(of_period, hours, strict=True):
        parts, top = [], 100.0
        for name in SEVERITIES:
            height = 100 * count[name] / most
            top -= height
            if height:
                parts.append((name, top, height))
        parts_of_text = ", ".join(f"{count[name]} {name}" for name in SEVERITIES if count[name])
        total = sum(count.values())
        bars.append(Bar(parts, total, parts_of_text or ("no fault" if h else "no logs"), not h and not total))
    return bars


def _comparison(
    by: str, spans: Sequence[tuple[pd.Timestamp, pd.Timestamp]], hours: Sequence[float], faults: Sequence[Fault]
) -> str:
    """The last period with logs next to the one before it, as plain counts."""
    counts = [
        f"{_IN[by]}{_label(begin, by, True)}: {words.counted(sum(begin <= f.ts < end for f in faults), 'fault')} in "
        f"{words.duration(h * 3_600_000)} of logs."
        for (begin, end), h in zip(spans, hours, strict=True)
        if h
    ]
    if not counts:
        return "No line of these logs has a time."
    return words.sentence(counts[-1]) if len(counts) == 1 else f"{words.sentence(counts[-1])} Before that, {counts[-2]}"


def _label(begin: pd.Timestamp, by: str, is_first: bool) -> str:
    if by == MONTH:
        return str(begin.strftime("%b %Y"))
    is_new_year = begin.month == 1 and begin.day <= (7 if by == WEEK else 1)
    return f"{begin.day} {begin:%b}" + (f" {begin.year}" if is_first or is_new_year else "")


def _overlaps(one: Listed, others: Iterable[Listed]) -> list[str]:
    """The results of the same cluster whose logs overlap in time."""
    same = [other.name for other in others if other is not one and _meet(one, other)]
    return [f"overlaps in time with {words.at_most(sorted(same), 2)}"] if same else []


def _meet(one: Listed, other: Listed) -> bool:
    if one.began is None or one.ended is None or other.began is None or other.ended is None:
        return False
    return bool(other.began <= one.ended and one.began <= other.ended)
