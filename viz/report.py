"""The page: sections in a fixed order, each with its figures and tables, in one self-contained file."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.io.json import to_json_plotly

from viz import frames, ledgers, replication
from viz import phrases as words
from viz.availability import availability_figure, writes_by_topic
from viz.bounds import Part, first
from viz.brokers import brokers_figure
from viz.causality_drawing import causality_drawing
from viz.cluster import broker_ids, cluster_facts
from viz.control_plane import levels_grid, voters_grid
from viz.findings import findings
from viz.high_watermarks import MOST_PARTITIONS, high_watermarks_figure, most_telling, replication_lag_figure
from viz.isr import isr_figure, out_of_sync, spans_told
from viz.leader_epochs import absences, leader_epochs_figure
from viz.markup import Evidence, Grid, grid, keys, of_cut_table, render, source, term, ticked
from viz.overview import fault_and_brokers
from viz.partitions import stories
from viz.preferred_leaders import preferred_leaders_figure, times_off
from viz.storage import directories_grid, remote_grid
from viz.summary import LOST, POSSIBLE, anchor, chosen, rank, summary
from viz.theme import NIGHT, PAPER, SEVERITIES, BrokerColours, severity_colour
from viz.timeline import Shade, at, opened, part_of
from viz.topics import topics_told
from viz.which_offset import set_aside

# Bars and lines only, from npm's plotly.js-basic-dist-min: the full Plotly is four times as large, and a browser needs
# a second to start it.
PLOTLY = "plotly-basic.min.js"
_IN_SIGHT = ("summary", "timeline", "findings")
_SAYS = {
    "lines": "each message once, with its meaning",
    "causes": "from the root to its effects, as a graph",
    "losses": "which offsets, and the basis of each verdict",
    "partitions": "what happened to each of them, step by step",
    "changes": "elections, truncations, sessions, controllers, replicas to trust",
    "replication": "failovers, what producers received, leader-epoch checkpoints, offsets",
    "coverage": "what was read, and what these files do not show",
    "glossary": "every code",
}
_MOST_GRAPHS = 8
_MOST_EDGES = 120  # rows of a table of causes and effects
_MOST_SHADES = 24  # faults drawn over every chart


@dataclass(frozen=True)
class Section:
    """A part of the page: its title, its link anchor, one sentence on what it shows, and its HTML."""

    title: str
    anchor: str
    lead: str
    body: Markup
    opened: bool = False

    @property
    def folded(self) -> bool:
        """Whether it is reference material."""
        return self.anchor not in _IN_SIGHT

    @property
    def says(self) -> str:
        """The summary of its content while it is folded."""
        return _SAYS.get(self.anchor, "")


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
        return _json(bare)


def report(
    tables: Mapping[str, pd.DataFrame],
    *,
    title: str,
    inputs: Sequence[str],
    notes: Sequence[str],
    incident_id: str | None,
    version: str,
    said: Mapping[str, Any] | None = None,
) -> str:
    """One HTML page that works without a network and is the same, byte for byte, for the same input.

    `tables` holds frames by the names of the contract (missing ones count as empty), and also:
    - `evidence`: the events that evidence arrays name, with event_id, ts, node_id, source_file, line_number, level,
    logger, message, and what
      such a line `tells`; `totals` (table, partitions): the total number of partitions for a frame that holds only
      some;
    - `node_facts` (node_id, name, value), `settings` and `topic_settings`: the settings of nodes and topics;
    `glossary`: what codes mean.

    `isr_spans` may have a column `min_isr`, `violations` what each invariant `states`, `means`, and how to `act`.
    Times are UTC, with or without a zone; the order of rows does not matter. `incident_id` chooses the incident to
    show first; None takes the worst, the earliest of several. `notes` appear under what the logs do not show; `said`
    is what the lines mean, as in `findings.json`. Raises KeyError for an unknown incident.
    """
    even = frames.even(tables)
    incident = chosen(even["incidents"], incident_id)
    evidence = Evidence(even["evidence"])
    told = frames.recorded(even)
    # The most important lines come first: if there are too many, the page carries the first ones that it uses.
    made = {
        s.anchor: s
        for s in (
            _summary(even, incident, evidence, title, told, said),
            *_lines_say(said),
            _findings(even, incident, evidence, told),
            _losses(even, evidence),
            _causes(even, incident, evidence),
            _timeline(even, incident, evidence),
            _changes(even, evidence),
            _replication(even, evidence),
            _partitions(even, evidence),
            _coverage(even, inputs, notes, evidence),
            _glossary(even),
        )
    }
    order = (
        "summary",
        "timeline",
        "findings",
        "losses",
        "causes",
        "lines",
        "partitions",
        "changes",
        "replication",
        "coverage",
        "glossary",
    )
    scripts = {"plotly": _packed(), "page": Markup(source("report.js"))}
    return str(
        render(
            "report.html.j2",
            title=title,
            version=version,
            inputs=inputs,
            recorded=told,
            facts=cluster_facts(even),
            choices=_choices(even),
            sections=[made[name] for name in order if name in made],
            style=Markup(source("report.css")),
            scripts=scripts,
            policy=_policy((source(PLOTLY), scripts["page"])),
            looks=_json({"paper": PAPER.to_plotly_json(), "night": NIGHT.to_plotly_json()}),
            carried=_json({"lines": evidence.carried(), "brokers": broker_ids(even), "topics": _topics(even)}),
        )
    )


@cache
def _packed() -> Markup:
    """The script that draws, compressed to less than half; the page decompresses it, and runs it if its hash is in the
    page's policy.
    """
    return Markup(base64.b64encode(gzip.compress(source(PLOTLY).encode(), 9, mtime=0)).decode())


def _policy(scripts: Any) -> str:
    """The content security policy: run these two scripts and no other, draw, and nothing over the network."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _json(value: object) -> Markup:
    """JSON that is safe inside a script element; from one engine, because each produces its own bytes."""
    return Markup(
        to_json_plotly(value, engine="json").replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    )


def _choices(tables: Mapping[str, pd.DataFrame]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The filter's choices besides topics: name, label, and each choice as the rows hold it and as a person reads it."""
    codes = sorted({*tables["findings"].code.dropna(), *tables["violations"].invariant.dropna()})
    severities = [s for s in SEVERITIES if s in {*tables["findings"].severity, *tables["violations"].severity}]
    offered = [
        ("broker", "Broker", [(f"b:{b}", str(b)) for b in broker_ids(tables)]),
        ("code", "Code", [(keys(code=c), c) for c in codes]),
        ("severity", "Severity", [(keys(severity=s), s) for s in severities]),
    ]
    return [(name, label, some) for name, label, some in offered if len(some) > 1]


def _topics(tables: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Every topic with its harm; each text once."""
    told = topics_told(tables)
    texts = list(dict.fromkeys(text for _, text in told))
    number = {text: i for i, text in enumerate(texts)}
    return {"names": [topic for topic, _ in told], "told": [number[text] for _, text in told], "texts": texts}


def _summary(
    tables: Mapping[str, pd.DataFrame],
    incident: Any | None,
    evidence: Evidence,
    title: str,
    told: tuple[pd.Timestamp, pd.Timestamp] | None,
    said: Mapping[str, Any] | None,
) -> Section:
    titled = incident is not None and not title.startswith(incident.title or incident.incident_id)
    body = summary(tables, incident, evidence, _shown(told, incident), said, titled=titled)
    return Section("What happened", "summary", "", body)


_PARTS_OF_WHAT_IS_SAID = ("told", "together", "looks_like", "harmless", "unknown", "consequences")


def _lines_say(said: Mapping[str, Any] | None) -> list[Section]:
    """What the lines mean, if they mean anything."""
    if said is None or not any(said[part] for part in _PARTS_OF_WHAT_IS_SAID):
        return []
    lead = "Each message once, the most serious first; consequences after their causes."
    return [Section("What the lines say", "lines", lead, render("lines.html.j2", said=said))]


def charts(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> list[Chart]:
    """The charts of the page that have something to draw, in their order."""
    told = frames.recorded(tables)
    end = told[1] if told else None
    shades, colours, shown = _shades(tables, incident).shown, _colours(tables), _shown(told, incident)
    over: dict[str, Any] = {"trace_end": end, "shades": shades, "shown": shown}
    unnamed = over | {"shades": [replace(shade, label="") for shade in shades]}
    stopping = {code.code for code in frames.table(tables, "glossary") if code.stops_process}
    absent = absences(tables["findings"], stopping)
    drawn = []
    if not (tables["broker_sessions"].empty and tables["controllers"].empty):
        drawn.append(
            Chart(
                "brokers",
                "Which brokers were registered, and who was the active controller",
                "Hatched: dead or frozen, not yet noticed. Dotted: not certain. Gray: not registered.",
                brokers_figure(
                    tables["broker_sessions"],
                    tables["controllers"],
                    trace_start=told[0] if told else None,
                    colours=colours,
                    absent=absent,
                    **over,
                ),
                evidence,
            )
        )
        over = unnamed
    if not tables["availability"].empty:
        drawn.append(
            Chart(
                "availability",
                "Write availability",
                "Red: certainly unavailable. Between the last proven write and the first proof of failure the state is unknown.",
                availability_figure(writes_by_topic(tables), **over),
                evidence,
            )
        )
        over = unnamed
    drawn += _of_partitions(tables, over, colours, absent, evidence)
    off = times_off(tables)
    if off:
        drawn.append(
            Chart(
                "preferred-leaders",
                "How many partitions were not led by their preferred replica",
                "The preferred replica is the first of the assignment. Where the line stays up, leadership was not balanced again.",
                preferred_leaders_figure(off, **over),
                evidence,
                folded=True,
            )
        )
    telling, left_out = _offsets_worth_drawing(tables)
    if telling:
        figure = high_watermarks_figure(
            tables["commit_bands"],
            tables["high_watermarks"],
            tables["truncations"],
            tables["losses"],
            telling,
            leader_epochs=tables["leader_epochs"],
            log_starts=tables["log_starts"],
            colours=colours,
            **over,
        )
        _open_offsets(figure, tables, telling)
        more = f" {words.counted(left_out, 'more partition')} not drawn." if left_out else ""
        drawn.append(
            Chart(
                "high-watermarks",
                "What was committed, and what was lost",
                "The block is the range of the commit point (the true high watermark). Between two lines with an "
                "offset nothing more is known, so no slope is drawn; where lines show every change, a replica's own "
                "offsets are steps. The tints behind are leader epochs. Red: committed offsets that are lost, or "
                "may be, from that moment on. Orange: uncommitted offsets that were truncated; only a producer with "
                f"acks=1 or acks=0 can have received an acknowledgement for them.{more}",
                figure,
                evidence,
                folded=True,
            )
        )
        behind = replication_lag_figure(
            tables["high_watermarks"],
            tables["follower_positions"],
            tables["truncations"],
            tables["leader_epochs"],
            telling,
            colours=colours,
            **over,
        )
        if behind.data:
            _open_lags(behind, tables)
            drawn.append(
                Chart(
                    "replication-lag",
                    "How far followers were behind",
                    "The log end of the leader minus that of the follower. Block: two bounds, where lines show the "
                    "log ends only from time to time. Line: both are known. Cross: a leader logged it for a follower "
                    "that was too slow for the ISR. Nothing is drawn where no line shows it.",
                    behind,
                    evidence,
                    folded=True,
                )
            )
    return drawn


def _timeline(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    drawn, told = charts(tables, incident, evidence), frames.recorded(tables)
    lead = (
        "All times are UTC, with the clocks of the nodes corrected. Drag to zoom; double-click to reset. Click a bar "
        "or a mark to see its lines; with the keyboard: Tab to a chart, arrow keys to its marks, Enter for the lines."
    )
    shades = _shades(tables, incident)
    if shades.left_out:
        lead += f" Shaded: {words.number(len(shades.shown))} of {words.counted(shades.total, 'fault')}, the worst."
    body = render(
        "charts.html.j2",
        charts=drawn,
        ranges=_ranges(told, _shown(told, incident)),
        nothing="These logs show no leader epoch, no ISR and no offset.",
    )
    return Section("Timeline", "timeline", lead if drawn else "", body)


def _of_partitions(
    tables: Mapping[str, pd.DataFrame],
    over: Mapping[str, Any],
    colours: BrokerColours,
    absent: Sequence[Any],
    evidence: Evidence,
) -> list[Chart]:
    """Leaders and ISRs; Kafka's internal topics are separate, and folded if there are others."""
    charts = []
    known = (
        ""
        if tables["isr_spans"].min_isr.notna().any()
        else " No file shows min.insync.replicas, so breaches of it are not drawn."
    )
    for internal in (False, True):
        held = {name: _split(tables[name], internal) for name in ("leader_epochs", "elections")}
        held["isr_spans"] = _split(frames.once(tables, "isr spans told", lambda: spans_told(tables)), internal)
        alone = internal and all(_split(tables[name], False).empty for name in held)
        suffix, of = ("-internal", ", Kafka's own topics") if internal else ("", "")
        if not held["leader_epochs"].empty:
            every = 0 if internal else frames.partitions(tables, "leader_epochs")[1] - _count(tables, "leader_epochs")
            charts.append(
                Chart(
                    f"leader-epochs{suffix}",
                    f"Who led which partition{of}",
                    "A bar is a leader epoch in its leader's color, hatched while that broker was dead or frozen, dotted if that is not certain. Hatched red: no leader. Diamond: unclean election.",
                    leader_epochs_figure(
                        held["leader_epochs"],
                        held["elections"],
                        colours=colours,
                        partitions=every,
                        absent=absent,
                        **over,
                    ),
                    evidence,
                    folded=internal and not alone,
                )
            )
        if not held["isr_spans"].empty:
            every = 0 if internal else frames.partitions(tables, "isr_spans")[1] - _count(tables, "isr_spans")
            charts.append(
                Chart(
                    f"isr{suffix}",
                    f"How many replicas were in sync{of}",
                    f"Above: partitions out of full sync. Below: in-sync replicas of each partition as “n of replicas”.{known}",
                    isr_figure(held["isr_spans"], out_of_sync(tables, internal=internal), partitions=every, **over),
                    evidence,
                    folded=internal and not alone,
                )
            )
    return sorted(charts, key=lambda c: c.folded)


def _split(frame: pd.DataFrame, internal: bool) -> pd.DataFrame:
    """The rows of Kafka's internal topics, or of all others."""
    return frame[frame.topic.fillna("").str.startswith("__") == internal]


def _count_of(frame: pd.DataFrame) -> int:
    return len(frame[["topic", "partition"]].drop_duplicates())


def _count(tables: Mapping[str, pd.DataFrame], table: str) -> int:
    """How many partitions of Kafka's internal topics a table holds."""
    return _count_of(_split(tables[table], True))


def _offsets_worth_drawing(tables: Mapping[str, pd.DataFrame]) -> tuple[list[tuple[str, int]], int]:
    """The partitions with a known offset that changes or is lost, and how many are left out."""
    bands, anchors = tables["commit_bands"], tables["high_watermarks"]
    known: set[tuple[str, int]] = set()
    for frame in (
        bands[(bands.committed_low.fillna(0) > 0) | (bands.committed_high.fillna(0) > 0)],
        anchors[anchors.ts.notna() & (anchors.high_watermark.fillna(0) + anchors.log_end_offset.fillna(0) > 0)],
        tables["truncations"][tables["truncations"].ts.notna()],
        tables["losses"][tables["losses"].verdict.isin((LOST, POSSIBLE))],
    ):
        held = frame.dropna(subset=["topic", "partition"])
        known |= set(zip(held.topic, held.partition.astype(int), strict=True))
    telling = [key for key in most_telling(bands, tables["losses"], tables["truncations"], 10**9)[0] if key in known]
    every = frames.partitions(tables, "commit_bands")[1] - _count_of(bands) + len(telling)
    shown = first(telling, MOST_PARTITIONS).shown
    return list(shown), max(0, every - len(shown))


def _open_offsets(figure: go.Figure, tables: Mapping[str, pd.DataFrame], telling: Sequence[tuple[str, int]]) -> None:
    """Attach to each mark of the offsets the lines that it opens, by its panel, time and offset."""
    proof: dict[tuple[int, object, object], list[str]] = {}
    panels = {key: panel for panel, key in enumerate(telling)}

    def prove(key: tuple[str, int], ts: Any, value: Any, lines: Iterable[str]) -> None:
        if key in panels and ts is not None and value is not None:
            proof.setdefault((panels[key], at(ts), int(value)), []).extend(lines)

    for a in frames.table(tables, "high_watermarks"):
        prove((a.topic, a.partition), a.ts, a.high_watermark, a.evidence)
        prove((a.topic, a.partition), a.ts, a.log_end_offset, a.evidence)
    for t in frames.table(tables, "truncations"):
        prove((t.topic, t.partition), t.ts, t.truncation_offset, t.evidence)
        prove((t.topic, t.partition), t.ts, t.log_end_offset, t.evidence)
    for s in frames.table(tables, "log_starts"):
        prove((s.topic, s.partition), s.ts, s.log_start_offset, s.evidence)
    for x in frames.table(tables, "losses"):
        for value in (x.from_offset, x.to_offset_low, x.to_offset_high):
            prove((x.topic, x.partition), x.ts, value, x.evidence)
    for b in frames.table(tables, "commit_bands"):
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


def _shades(tables: Mapping[str, pd.DataFrame], incident: Any | None) -> Part[Shade]:
    """The faults: root causes and contributing causes; those of the chosen incident first, then the worst, up to a
    limit. Repeated faults of the same brokers share a name.
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
            Shade(
                f.start_ts,
                f.end_ts,
                fault_and_brokers(tables, f)
                if alike[f.code, tuple(f.broker_ids)] > 1
                else f.title or f.code or "fault",
                severity_colour(f.severity),
                anchor("finding", f.finding_id),
            )
            for f in faults
        )
    )
    return first(every, _MOST_SHADES)


def _colours(tables: Mapping[str, pd.DataFrame]) -> BrokerColours:
    columns = [
        ("leader_epochs", "leader_id"),
        ("broker_sessions", "broker_id"),
        ("high_watermarks", "node_id"),
        ("truncations", "node_id"),
        ("isr_spans", "leader_id"),
    ]
    return BrokerColours.of(broker_id for table, name in columns for broker_id in tables[table][name].dropna())


def _shown(
    told: tuple[pd.Timestamp, pd.Timestamp] | None, incident: Any | None
) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """The first range of the charts: the incident with some time around it, or everything if it fills more than half
    of the recording.
    """
    if told is None:
        return None
    whole = told[1] - told[0]
    everything = (told[0] - whole * 0.01, told[1] + whole * 0.01)
    if incident is None or incident.start_ts is None:
        return everything
    start = min(t for t in (incident.t0_low, incident.start_ts) if t is not None)
    end = incident.end_ts or told[1]
    around = max((end - start) * 0.15, pd.Timedelta(seconds=5))
    return (
        everything
        if end - start + 2 * around > whole * 0.5
        else (max(everything[0], start - around), min(everything[1], end + around))
    )


def _ranges(
    told: tuple[pd.Timestamp, pd.Timestamp] | None, shown: tuple[pd.Timestamp, pd.Timestamp] | None
) -> list[tuple[str, str, str]]:
    """The choices of the buttons above the charts: label, from, to."""
    if told is None or shown is None:
        return []
    whole = told[1] - told[0]
    everything = (told[0] - whole * 0.01, told[1] + whole * 0.01)
    named = (
        [("Whole recording", everything)]
        if shown == everything
        else [("The incident", shown), ("Whole recording", everything)]
    )
    return [(label, words.stamp(start), words.stamp(end)) for label, (start, end) in named]


def _causes(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    """The graph of the first incident, and those of others folded below."""
    every = frames.table(tables, "incidents")
    others = sorted(
        (i for i in every if incident is None or i.incident_id != incident.incident_id),
        key=lambda i: (rank(i.severity), i.start_ts is None, i.start_ts or 0, i.incident_id),
    )
    graph = _graph(tables, incident, evidence)
    drawn = frames.once(tables, "graphs", lambda: _by_incident(tables))[1]
    others = [i for i in others if i.incident_id in drawn]
    more = [(i, _graph(tables, i, evidence)) for i in first(others, _MOST_GRAPHS).shown]
    if not graph and not more:
        nothing = Markup("<p class=calm>{}</p>").format("No chain of cause and effect was found in these logs.")
        return Section("Why", "causes", "", nothing)
    lead = (
        "Time and cause run from left to right. Leader epochs, offsets, ids and known delays join causes to effects, "
        "not nearness in time. Click a card or the mark of an arrow to see its lines."
    )
    body = render(
        "causes.html.j2",
        first=graph,
        nothing="" if graph else "No chain of cause and effect was found for the first incident.",
        more=more,
        left_out=len(others) - len(more),
        anchor=anchor,
    )
    return Section("Why", "causes", lead, body)


def _graph(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Mapping[str, Any]:
    """The drawing and the edges of one incident's graph; nothing if it has none."""
    own, edges = tables["vertices"], tables["edges"]
    if incident is not None:
        vertices_of, edges_of = frames.once(tables, "graphs", lambda: _by_incident(tables))
        if incident.incident_id not in vertices_of or incident.incident_id not in edges_of:
            return {}
        own, edges = own.loc[vertices_of[incident.incident_id]], edges.loc[edges_of[incident.incident_id]]
    if own.empty or edges.empty:
        return {}
    roots = [
        f
        for f in frames.table(tables, "findings")
        if incident is not None
        and f.incident_id == incident.incident_id
        and (f.role == "root_cause" or f.finding_id == incident.root_finding_id)
    ]
    drawing = causality_drawing(
        own,
        edges,
        evidence,
        roots={f.finding_id for f in roots},
        root_lines={e for f in roots for e in f.evidence[:6]},
    )
    return {"drawing": drawing, "edges": _edges(own, edges)}


def _by_incident(tables: Mapping[str, pd.DataFrame]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Which rows of vertices and of edges belong to which incident; an edge belongs to the incident of both of its
    ends.
    """
    vertices, edges = tables["vertices"], tables["edges"]
    whose = vertices.set_index("id").incident_id
    whose = whose[~whose.index.duplicated()]
    src, dst = edges.src.map(whose), edges.dst.map(whose)
    return vertices.groupby("incident_id").groups, edges[src == dst].groupby(src[src == dst]).groups


def _edges(vertices: pd.DataFrame, edges: pd.DataFrame) -> Any:
    """Causes and effects as a table; edges of one rule from one cause with one reason share a row."""
    named = {v.id: v for v in frames.rows(vertices)}
    label = {id: v.label or v.kind or id for id, v in named.items()}
    topic = {id: v.topic for id, v in named.items()}
    alike: dict[tuple[object, ...], list[Any]] = {}
    for e in frames.rows(edges):
        alike.setdefault((e.src, e.relation, e.because or e.dst, e.confidence), []).append(e)
    head = ("Cause", "Effect", "Rule", "Because", "Confidence", "Delay, at least")
    told = []
    shown = first(list(alike.values()), _MOST_EDGES).shown
    for some in shown:
        e, delays = some[0], sorted(x.delay_ms for x in some if x.delay_ms is not None)
        effect = label[e.dst] if len(some) == 1 else f"{label[e.dst]} and {words.number(len(some) - 1)} more"
        span = (
            words.UNKNOWN
            if not delays
            else words.duration(delays[0])
            if words.duration(delays[0]) == words.duration(delays[-1])
            else f"{words.duration(delays[0])} to {words.duration(delays[-1])}"
        )
        sure = words.UNKNOWN if e.confidence is None else f"{e.confidence:.2f}"
        told.append((label[e.src], effect, term(e.relation), ticked(e.because or "–"), sure, span))
    return grid(
        "Causes and effects",
        head,
        told,
        numeric=(4, 5),
        wide=(3,),
        table="edges",
        count=len(edges),
        keyed=[keys(topics=[t for x in some if (t := topic[x.dst])]) for some in shown],
        limit=_MOST_EDGES,
        hidden=len(alike) - len(shown),
    )


def _findings(
    tables: Mapping[str, pd.DataFrame],
    incident: Any | None,
    evidence: Evidence,
    told: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> Section:
    if tables["findings"].empty:
        nothing = Markup("<p class=calm>{}</p>").format("No finding.")
        return Section("Findings", "findings", "", nothing)
    return Section(
        "Findings",
        "findings",
        "Conclusions, evidence, alternatives, and what would settle them.",
        findings(tables, evidence, None if incident is None else incident.incident_id, partial(_shown, told)),
    )


def _partitions(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    body, count = stories(tables, evidence)
    if not count:
        nothing = Markup("<p class=calm>{}</p>").format("These logs show no change of a partition.")
        return Section("Partitions", "partitions", "", nothing)
    return Section("Partitions", "partitions", "What happened to each partition, in the order of time.", body)


def _glossary(tables: Mapping[str, pd.DataFrame]) -> Section:
    """Every code that the page can name, and its meaning."""
    lead = "F: faults. R: rules that join a cause to its effect. S: ways to lose records. I: invariants, which must hold at all times."
    named = frames.table(tables, "glossary")
    known = {g.code for g in named}
    used = {
        *tables["findings"].code.dropna(),
        *tables["edges"].relation.dropna(),
        *tables["losses"].scenario.dropna(),
        *tables["violations"].invariant.dropna(),
    }
    plain = sorted(c for c in used - known if c[0].isalpha() and c[1:].isdecimal())
    body = render("glossary.html.j2", named=named, plain=plain)
    return Section("Glossary", "glossary", lead if named else "", body)


def _stated(tables: Mapping[str, pd.DataFrame], one: Grid) -> Grid:
    """A table of the page, which states it if the page does not have all source rows."""
    held, every = len(tables[one.table]) if one.table in tables else 0, frames.counted(tables, one.table)
    return of_cut_table(one, held, every) if held < every else one


def _losses(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    told, rest = ledgers.losses(tables["losses"], evidence)
    lead = (
        "Counted in offsets: [10, 20) is ten of them, from 10 to 19. Class committed: all in-sync replicas had them. "
        "Class acked_possible: not all in-sync replicas had them, so only a producer with acks=1 or acks=0 can have received an "
        "acknowledgement; no log shows acknowledgements."
    )
    nothing = (
        "Nothing in these logs could have lost data. This depends on the lines read; data that no line covers is not included."
        if not rest.rows
        else "No loss was found. Each row below states its basis."
    )
    return Section(
        "Losses",
        "losses",
        lead,
        render(
            "ledger.html.j2",
            open_=[ledgers.loss_totals(tables), _stated(tables, told)] if told.rows else [],
            nothing="" if told.rows else nothing,
            folded=[_stated(tables, rest)] if rest.rows else [],
        ),
        opened=bool(tables["losses"].verdict.isin((LOST, POSSIBLE)).any()),
    )


def _changes(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    grids = [
        ledgers.violations(tables["violations"], evidence),
        ledgers.leaderless_replicas(tables["replicas"], evidence),
        ledgers.deposed_leaders(tables["deposed_leaders"], tables["losses"], evidence),
        ledgers.isr_drops(tables["isr_drops"], evidence),
        ledgers.elections(tables["elections"], evidence),
        ledgers.eligible_leaders(tables["eligible_leaders"], evidence),
        ledgers.truncations(tables["truncations"], evidence),
        ledgers.broker_sessions(tables["broker_sessions"], evidence),
        ledgers.controllers(tables["controllers"], evidence),
        voters_grid(tables["voter_sets"], evidence),
        levels_grid(tables["feature_levels"], evidence),
        directories_grid(tables["log_directories"], evidence),
        remote_grid(tables["remote_logs"], evidence),
    ]
    lead = "The ISR before an election decides whether it was unclean, not the word in the log."
    nothing = "These logs show no election, no truncation, no broker session and no controller."
    told = [_stated(tables, g) for g in grids if g.rows]
    return Section(
        "Changes",
        "changes",
        lead if told else "",
        render("ledger.html.j2", open_=told, nothing="" if told else nothing, folded=[]),
    )


def _replication(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    told = [(_stated(tables, one), folded) for one, folded in replication.sections(tables, evidence)]
    lead = "Why each leader was elected and when each broker learned of it, what producers received in that time, and what each replica's leader-epoch checkpoint holds."
    nothing = "These logs show no change of leader and no leader-epoch checkpoint."
    return Section(
        "Replication",
        "replication",
        lead if told else "",
        render(
            "ledger.html.j2",
            open_=[one for one, folded in told if not folded],
            nothing="" if told else nothing,
            folded=[one for one, folded in told if folded],
        ),
    )


def _coverage(
    tables: Mapping[str, pd.DataFrame], inputs: Sequence[str], notes: Sequence[str], evidence: Evidence
) -> Section:
    files = tables["coverage"]
    own, foreign = ledgers.unmatched(tables["unmatched"])
    records, matched, unmatched = (int(files[name].sum()) for name in ("log_records", "matched", "unmatched"))
    adds_up = (
        f"{words.counted(records, 'record')} = {words.number(matched)} matched + {words.number(unmatched)} unmatched"
    )
    if records != matched + unmatched:
        adds_up = f"{words.counted(records, 'record')}, but {words.number(matched)} matched + {words.number(unmatched)} unmatched: this does not add up"
    agreement = ledgers.agreement(tables)
    cannot_tell = [
        *ledgers.doubts(tables["findings"]),
        *ledgers.undecided(tables),
        *set_aside(tables),
        *notes,
    ]
    body = render(
        "coverage.html.j2",
        sum=(f"{words.counted(len(files), 'file')}: {adds_up}." if len(files) else "No file was read.")
        + (f" {agreement}" if agreement else ""),
        inputs=inputs,
        cannot_tell=cannot_tell,
        open_=[
            _stated(tables, g)
            for g in (
                ledgers.contradictions(tables["second_witness"], evidence),
                ledgers.blind_spots(tables["blind_spots"], evidence),
                ledgers.coverage(files),
                ledgers.clock_offsets(tables["clock_offsets"]),
            )
            if g.rows
        ],
        folded=[_stated(tables, g) for g in (own, foreign) if g.rows],
    )
    return Section(
        "Coverage and limits",
        "coverage",
        "What was read, how much of it was recognized, and what these logs do not show.",
        body,
    )
