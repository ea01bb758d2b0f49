"""The charts of the page over time: which there are, what they draw, and which lines their marks open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.io.json import to_json_plotly

from viz import frames
from viz import phrases as words
from viz.availability import availability_figure, writes_by_topic
from viz.bounds import Part, first
from viz.brokers import brokers_figure
from viz.by_severity import rank
from viz.cluster import keeps_registrations
from viz.fault_times import fault_times
from viz.high_watermarks import MOST_PARTITIONS, high_watermarks_figure, most_informative, replication_lag_figure
from viz.isr import isr_figure, out_of_sync, spans_with_gaps
from viz.leader_epochs import Absence, absent_brokers, leader_epochs_figure
from viz.loss_sizes import gone_ts
from viz.markup import Evidence
from viz.metrics import metrics_figure
from viz.offset_curves import of_topics
from viz.overview import fault_and_brokers
from viz.preferred_leaders import preferred_leaders_figure, times_off
from viz.summary import LOST, POSSIBLE, anchor
from viz.theme import NEUTRAL, BrokerColours
from viz.timeline import LONGEST_LABEL, Shade, at, opened, part_of

_MOST_SHADES = 24  # faults drawn over every chart


@dataclass(frozen=True)
class Chart:
    """A figure and its place: `name` is its id on the page, `caption` states what it shows, `reading` how to read it;
    `folded` under its caption or not.
    """

    name: str
    caption: str
    reading: str
    figure: go.Figure
    evidence: Evidence
    folded: bool = False

    @property
    def part(self) -> str:
        """Which part of the whole it shows; empty if it shows all."""
        return part_of(self.figure)

    @property
    def height(self) -> int:
        return int(self.figure.layout.height)

    @property
    def data(self) -> Markup:
        """The figure as JSON that is safe inside a script element; its template is the page's, for light or dark.

        The link of a mark is written as a link into the page.
        """
        bare = self.figure.to_plotly_json()
        bare["layout"].pop("template", None)
        for trace in bare["data"]:
            if trace.get("customdata") is not None:
                trace["customdata"] = [self.evidence.link(some) for some in trace["customdata"]]
        return as_json(bare)


def as_json(value: object) -> Markup:
    """JSON that is safe inside a script element; from one engine, because each produces its own bytes."""
    return Markup(
        to_json_plotly(value, engine="json").replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    )


@dataclass(frozen=True)
class _Drawing:
    """What the charts share: frames, evidence, colors, when brokers were dead or frozen, and the arguments of every
    chart over time.
    """

    tables: Mapping[str, pd.DataFrame]
    evidence: Evidence
    colours: BrokerColours
    absent: Sequence[Absence]
    over: Mapping[str, Any]

    def without_labels(self) -> _Drawing:
        """The same for later charts: the first chart names the faults that all of them shade."""
        bare = [replace(shade, label="") for shade in self.over["shades"]]
        return replace(self, over={**self.over, "shades": bare})


def charts(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> list[Chart]:
    """The charts of the page that have something to draw, in their order."""
    recorded = frames.recorded(tables)
    over = {
        "trace_end": recorded[1] if recorded else None,
        "shades": shades(tables, incident).shown,
        "shown": shown_first(recorded, incident),
    }
    drawing = _Drawing(tables, evidence, _colours(tables), absent_brokers(tables), over)
    drawn: list[Chart] = []
    for make in (
        _brokers_chart,
        _metrics_chart,
        _availability_chart,
        _of_partitions,
        _preferred_leaders_chart,
        _offset_charts,
    ):
        drawn += make(drawing.without_labels() if drawn else drawing)
    return drawn


def _brokers_chart(drawing: _Drawing) -> Iterator[Chart]:
    tables, recorded = drawing.tables, frames.recorded(drawing.tables)
    if tables["broker_sessions"].empty and tables["controllers"].empty:
        return
    away = "Beige: fenced" if keeps_registrations(tables["controllers"]) else "Gray: not registered"
    figure = brokers_figure(
        tables["broker_sessions"],
        tables["controllers"],
        trace_start=recorded[0] if recorded else None,
        colours=drawing.colours,
        absent=drawing.absent,
        **drawing.over,
    )
    yield Chart(
        "brokers",
        "Which brokers had a session, and who was the active controller",
        f"Hatched: dead or frozen. Dotted: possibly. {away}.",
        figure,
        drawing.evidence,
    )


def _metrics_chart(drawing: _Drawing) -> Iterator[Chart]:
    if drawing.tables["measures"].empty:
        return
    yield Chart(
        "metrics",
        "Metrics of each broker",
        "Each point is a scrape, or the time between two. A line breaks where a scrape is missing. The greatest value of a metric over all "
        "brokers has the full height of a row.",
        metrics_figure(drawing.tables["measures"], **drawing.over),
        drawing.evidence,
    )


def _availability_chart(drawing: _Drawing) -> Iterator[Chart]:
    if drawing.tables["availability"].empty:
        return
    yield Chart(
        "availability",
        "Write availability",
        "Red: certainly unavailable. Between the last proven write and the first proof of failure the state is unknown.",
        availability_figure(writes_by_topic(drawing.tables), **drawing.over),
        drawing.evidence,
    )


def _preferred_leaders_chart(drawing: _Drawing) -> Iterator[Chart]:
    off = times_off(drawing.tables)
    if off:
        yield Chart(
            "preferred-leaders",
            "How many partitions were not led by their preferred replica",
            "The preferred replica is the first of the assignment. Where the line stays up, leadership was not balanced again.",
            preferred_leaders_figure(off, **drawing.over),
            drawing.evidence,
            folded=True,
        )


def _offset_charts(drawing: _Drawing) -> Iterator[Chart]:
    """What was committed, and how far followers were behind, of the most informative partitions."""
    informative, left_out = _offsets_worth_drawing(drawing.tables)
    if informative:
        yield _high_watermarks_chart(drawing, informative, left_out)
        yield from _replication_lag_chart(drawing, informative)


def _high_watermarks_chart(drawing: _Drawing, informative: Sequence[tuple[str, int]], left_out: int) -> Chart:
    tables = drawing.tables
    figure = high_watermarks_figure(
        tables["commit_bands"],
        tables["high_watermarks"],
        tables["truncations"],
        tables["losses"],
        informative,
        leader_epochs=tables["leader_epochs"],
        log_starts=tables["log_starts"],
        curves=tables["high_watermark_curves"],
        colours=drawing.colours,
        **drawing.over,
    )
    _open_offsets(figure, tables, informative)
    drawn, every = len(informative), len(informative) + left_out
    more = f" Drawn: {drawn:,} of the {every:,} partitions whose known offsets change or are lost." if left_out else ""
    return Chart(
        "high-watermarks",
        "What was committed, and what was lost",
        "The block is the range of the commit point (the true high watermark). Between two lines with an "
        "offset nothing more is known, so no slope is drawn; where lines show every change, a replica's own "
        "offsets are steps. The tints behind are leader epochs. Red: committed offsets that are lost, or "
        "may be, from that moment on. Orange: uncommitted offsets that were truncated; only a producer with "
        f"acks=1 can have received an acknowledgement for them.{more}",
        figure,
        drawing.evidence,
        folded=True,
    )


def _replication_lag_chart(drawing: _Drawing, informative: Sequence[tuple[str, int]]) -> Iterator[Chart]:
    tables = drawing.tables
    behind = replication_lag_figure(
        tables["high_watermarks"],
        tables["follower_positions"],
        tables["truncations"],
        tables["leader_epochs"],
        informative,
        colours=drawing.colours,
        **drawing.over,
    )
    if not behind.data:
        return
    _open_lags(behind, tables)
    yield Chart(
        "replication-lag",
        "How far followers were behind",
        "The log end of the leader minus that of the follower. Block: two bounds, where lines show the "
        "log ends only from time to time. Line: both are known. Cross: a leader logged it for a follower "
        "that was too slow for the ISR. Nothing is drawn where no line shows it.",
        behind,
        drawing.evidence,
        folded=True,
    )


def _of_partitions(drawing: _Drawing) -> list[Chart]:
    """Leaders and ISRs; Kafka's internal topics are separate, and folded if there are others."""
    tables = drawing.tables
    charts: list[Chart] = []
    for internal in (False, True):
        held = {name: _split(tables[name], internal) for name in ("leader_epochs", "elections")}
        held["isr_spans"] = _split(frames.once(tables, "isr spans told", lambda: spans_with_gaps(tables)), internal)
        folded = internal and not all(_split(tables[name], False).empty for name in held)
        if not held["leader_epochs"].empty:
            charts.append(_leaders_chart(drawing, held, internal, folded))
        if not held["isr_spans"].empty:
            charts.append(_isr_chart(drawing, held["isr_spans"], internal, folded))
    return sorted(charts, key=lambda c: c.folded)


def _leaders_chart(drawing: _Drawing, held: Mapping[str, pd.DataFrame], internal: bool, folded: bool) -> Chart:
    figure = leader_epochs_figure(
        held["leader_epochs"],
        held["elections"],
        colours=drawing.colours,
        partitions=_every(drawing.tables, "leader_epochs", internal),
        absent=drawing.absent,
        **drawing.over,
    )
    return Chart(
        f"leader-epochs{_suffix(internal)}",
        f"Who led which partition{_of(internal)}",
        "A bar is a leader epoch in its leader's color, hatched while that broker was dead or frozen, dotted if that is not "
        "certain. Hatched red: no leader. Diamond: unclean election.",
        figure,
        drawing.evidence,
        folded,
    )


def _isr_chart(drawing: _Drawing, spans: pd.DataFrame, internal: bool, folded: bool) -> Chart:
    tables = drawing.tables
    has_min_isr = tables["isr_spans"].min_isr.notna().any()
    unknown = "" if has_min_isr else " No file shows min.insync.replicas, so breaches of it are not drawn."
    figure = isr_figure(
        spans,
        out_of_sync(tables, internal=internal),
        partitions=_every(tables, "isr_spans", internal),
        **drawing.over,
    )
    return Chart(
        f"isr{_suffix(internal)}",
        f"How many replicas were in sync{_of(internal)}",
        f"Above: under-replicated partitions. Below: in-sync replicas of each partition as “n of replicas”.{unknown}",
        figure,
        drawing.evidence,
        folded,
    )


def _suffix(internal: bool) -> str:
    return "-internal" if internal else ""


def _of(internal: bool) -> str:
    return ", Kafka's own topics" if internal else ""


def _every(tables: Mapping[str, pd.DataFrame], table: str, internal: bool) -> int:
    """How many partitions there are outside internal topics; 0 for internal topics, which are drawn whole."""
    return 0 if internal else frames.partitions(tables, table)[1] - _count_of(_split(tables[table], True))


def _split(frame: pd.DataFrame, internal: bool) -> pd.DataFrame:
    """The rows of Kafka's internal topics, or of all others."""
    return frame[frame.topic.fillna("").str.startswith("__") == internal]


def _count_of(frame: pd.DataFrame) -> int:
    return len(frame[["topic", "partition"]].drop_duplicates())


def _offsets_worth_drawing(tables: Mapping[str, pd.DataFrame]) -> tuple[list[tuple[str, int]], int]:
    """The partitions with a known offset that changes or is lost, and how many are left out."""
    bands, anchors = tables["commit_bands"], tables["high_watermarks"]
    with_offsets: set[tuple[str, int]] = set()
    for frame in (
        bands[(bands.committed_low.fillna(0) > 0) | (bands.committed_high.fillna(0) > 0)],
        anchors[anchors.ts.notna() & (anchors.high_watermark.fillna(0) + anchors.log_end_offset.fillna(0) > 0)],
        tables["truncations"][tables["truncations"].ts.notna()],
        tables["losses"][tables["losses"].verdict.isin((LOST, POSSIBLE))],
    ):
        held = frame.dropna(subset=["topic", "partition"])
        with_offsets |= set(zip(held.topic, held.partition.astype(int), strict=True))
    informative = [
        key for key in most_informative(bands, tables["losses"], tables["truncations"], 10**9)[0] if key in with_offsets
    ]
    every = frames.partitions(tables, "commit_bands")[1] - _count_of(bands) + len(informative)
    shown = first(informative, MOST_PARTITIONS).shown
    return list(shown), max(0, every - len(shown))


def _open_offsets(
    figure: go.Figure, tables: Mapping[str, pd.DataFrame], informative: Sequence[tuple[str, int]]
) -> None:
    """Attach to each mark of the offsets the lines that it opens, by its panel, time and offset."""
    proof: dict[tuple[int, object, object], list[str]] = {}
    panels = {key: panel for panel, key in enumerate(informative)}

    def prove(key: tuple[str, int], ts: Any, value: Any, lines: Iterable[str]) -> None:
        if key in panels and ts is not None and value is not None:
            proof.setdefault((panels[key], at(ts), int(value)), []).extend(lines)

    def rows(table: str) -> list[Any]:
        return frames.rows(of_topics(tables[table], informative))

    for a in rows("high_watermarks"):
        prove((a.topic, a.partition), a.ts, a.high_watermark, a.evidence)
        prove((a.topic, a.partition), a.ts, a.log_end_offset, a.evidence)
    for t in rows("truncations"):
        prove((t.topic, t.partition), t.ts, t.truncation_offset, t.evidence)
        prove((t.topic, t.partition), t.ts, t.log_end_offset, t.evidence)
    for s in rows("log_starts"):
        prove((s.topic, s.partition), s.ts, s.log_start_offset, s.evidence)
    for x in rows("losses"):
        for value in (x.from_offset, x.to_offset_low, x.to_offset_high):
            prove((x.topic, x.partition), gone_ts(x), value, x.evidence)
    for b in rows("commit_bands"):
        prove((b.topic, b.partition), b.start_ts, b.committed_low or 0, b.low_evidence)
        prove((b.topic, b.partition), b.start_ts, b.committed_high, b.high_evidence)
    for trace in figure.data:
        panel = int((trace.yaxis or "y")[1:] or 1) - 1
        if trace.x is not None and trace.customdata is None:
            trace.customdata = opened(
                proof.get((panel, x, None if y is None else int(y)), []) for x, y in zip(trace.x, trace.y, strict=True)
            )


def _open_lags(figure: go.Figure, tables: Mapping[str, pd.DataFrame]) -> None:
    """Attach to each mark of a lag the lines that show a log end or a position at that moment."""
    proof: dict[tuple[str, object], list[str]] = {}
    names = [note.text for note in figure.layout.annotations]
    for name in ("high_watermarks", "follower_positions"):
        for row in frames.table(tables, name):
            if row.ts is not None and row.log_end_offset is not None:
                partition = words.partition(row.topic, row.partition)
                if partition in names:
                    proof.setdefault((partition, at(row.ts)), []).extend(row.evidence)
    for trace in figure.data:
        panel = int((trace.yaxis or "y")[1:] or 1) - 1
        trace.customdata = opened(proof.get((names[panel], x), []) for x in trace.x)


def shades(tables: Mapping[str, pd.DataFrame], incident: Any | None) -> Part[Shade]:
    """The faults: root causes and contributing causes; those of the chosen incident first, then the worst, up to a
    limit. Repeated faults of the same brokers share a name; a long title gives way to the name of the fault.
    """
    faults = [
        f
        for f in frames.table(tables, "findings")
        if f.role in ("root_cause", "contributing") and f.start_ts is not None
    ]
    faults.sort(
        key=lambda f: (
            incident is None or f.incident_id != incident.incident_id,
            rank(f.severity),
            f.start_ts,
            f.finding_id,
        )
    )
    alike = Counter((f.code, tuple(f.broker_ids)) for f in faults)
    every = list(
        dict.fromkeys(
            _shade(
                f,
                fault_and_brokers(tables, f)
                if alike[f.code, tuple(f.broker_ids)] > 1 or len(f.title or "") > LONGEST_LABEL
                else f.title or f.code or "fault",
            )
            for f in faults
        )
    )
    return first(every, _MOST_SHADES)


def _shade(f: Any, label: str) -> Shade:
    """A fault with the bounds of its begin and its end."""
    times = fault_times(f)
    is_undated = f.began_low is None and f.began_high is not None  # it had begun by its first line
    when = "" if times.is_exact and not is_undated else words.lasted(f)
    bounds = None if times.is_exact else times
    return Shade(times.start, times.end, label, NEUTRAL, anchor("finding", f.finding_id), bounds, when)


def _colours(tables: Mapping[str, pd.DataFrame]) -> BrokerColours:
    columns = [
        ("leader_epochs", "leader_id"),
        ("broker_sessions", "broker_id"),
        ("high_watermarks", "node_id"),
        ("truncations", "node_id"),
        ("isr_spans", "leader_id"),
    ]
    return BrokerColours.of(broker_id for table, name in columns for broker_id in tables[table][name].dropna())


def shown_first(
    recorded: tuple[pd.Timestamp, pd.Timestamp] | None, incident: Any | None
) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """The first range of the charts: the incident with some time around it, or everything if it fills more than half
    of the recording.
    """
    if recorded is None:
        return None
    whole = recorded[1] - recorded[0]
    everything = (recorded[0] - whole * 0.01, recorded[1] + whole * 0.01)
    if incident is None or incident.start_ts is None:
        return everything
    start = min(t for t in (incident.t0_low, incident.start_ts) if t is not None)
    end = incident.end_ts or recorded[1]
    around = max((end - start) * 0.15, pd.Timedelta(seconds=5))
    return (
        everything
        if end - start + 2 * around > whole * 0.5
        else (max(everything[0], start - around), min(everything[1], end + around))
    )
