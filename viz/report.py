"""The page: sections in a fixed order, each with its figures and tables, in one file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup
from plotly.io.json import to_json_plotly
from plotly.offline import get_plotlyjs

from viz import frames, ledgers
from viz import phrases as words
from viz.causality import causality_figure
from viz.findings import findings
from viz.high_watermarks import MOST_PARTITIONS, high_watermarks_figure, most_telling
from viz.isr import isr_figure
from viz.leader_epochs import leader_epochs_figure
from viz.markup import Evidence, code, grid, render, source
from viz.summary import chosen, rank, summary
from viz.theme import NIGHT, PAPER, BrokerColours, severity_colour
from viz.timeline import Shade


@dataclass(frozen=True)
class Section:
    """A part of the page: its title, the anchor that links name, one sentence on what it shows, and its HTML."""

    title: str
    anchor: str
    lead: str
    body: Markup


@dataclass(frozen=True)
class Chart:
    """A figure in its place: `name` is its id on the page, `caption` says what is seen, `reading` how to read it."""

    name: str
    caption: str
    reading: str
    figure: go.Figure
    over_time: bool = True

    @property
    def height(self) -> int:
        return self.figure.layout.height

    @property
    def data(self) -> Markup:
        """The figure as JSON that may stand inside a script element; its template is the page's, for paper or night."""
        bare = self.figure.to_plotly_json()
        bare["layout"].pop("template", None)
        return _json(bare)


def report(
    tables: Mapping[str, pd.DataFrame],
    *,
    title: str,
    inputs: Sequence[str],
    notes: Sequence[str],
    incident_id: str | None,
    version: str,
) -> str:
    """One HTML page that works without a network and is the same, byte for byte, for the same input.

    `tables` holds frames by the names of the contract (missing ones count as empty), and `evidence`: the events that evidence arrays name,
    with event_id, ts, node_id, source_file, line_number, level, logger, message. `isr_spans` may have a column `min_isr`, `violations` what each invariant `states`, `means`, and how to `act`. Times are UTC,
    with or without a zone; the order of rows does not matter. `incident_id` chooses the incident of summary and graph; None takes the
    worst, the earliest of several. `totals` (table, partitions) tells how many partitions there are where a frame that is drawn holds but some. `notes` are said among what the logs cannot tell. Raises KeyError for an incident that is not there.
    """
    even = {name: frames.tidy(tables.get(name), name) for name in frames.COLUMNS}
    incident = chosen(even["incidents"], incident_id)
    evidence = Evidence(even["evidence"])
    sections = [
        _summary(even, incident, evidence),
        _timeline(even, incident),
        _causes(even, incident),
        _findings(even, incident, evidence),
        _losses(even, evidence),
        _changes(even, evidence),
        _coverage(even, inputs, notes, evidence),
    ]
    scripts = {"plotly": Markup(get_plotlyjs()), "page": Markup(source("report.js"))}
    return str(
        render(
            "report.html.j2",
            title=title,
            version=version,
            inputs=inputs,
            recorded=frames.recorded(even),
            sections=sections,
            style=Markup(source("report.css")),
            scripts=scripts,
            policy=_policy(scripts.values()),
            looks=_json({"paper": PAPER.to_plotly_json(), "night": NIGHT.to_plotly_json()}),
        )
    )


def _policy(scripts: Any) -> str:
    """What the page may do: run these two scripts and no other, draw, and nothing over the network."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _json(value: object) -> Markup:
    """JSON that can stand inside a script element; by one engine, since each has its own bytes."""
    return Markup(
        to_json_plotly(value, engine="json").replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    )


def _summary(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    return Section("What happened", "summary", "", summary(tables, incident, evidence))


def _timeline(tables: Mapping[str, pd.DataFrame], incident: Any | None) -> Section:
    told = frames.recorded(tables)
    end = told[1] if told else None
    shades, colours, shown = _shades(tables["findings"], incident), _colours(tables), _shown(told, incident)
    charts = []
    if not tables["leader_epochs"].empty:
        charts.append(
            Chart(
                "leader-epochs",
                "Who led which partition",
                "A bar is a leader epoch in its leader's colour; hatched red is time without a leader, a diamond an unclean election.",
                leader_epochs_figure(
                    tables["leader_epochs"],
                    tables["elections"],
                    trace_end=end,
                    shades=shades,
                    colours=colours,
                    shown=shown,
                    partitions=frames.partitions(tables, "leader_epochs")[1],
                ),
            )
        )
    if not tables["isr_spans"].empty:
        held, every = frames.partitions(tables, "isr_spans")
        counted = (
            ""
            if held == every
            else f" (counted for the {words.number(held)} of {words.number(every)} of which there is most to tell)"
        )
        known = (
            ""
            if tables["isr_spans"].min_isr.notna().any()
            else " No file tells min.insync.replicas, so breaches of it are not drawn."
        )
        charts.append(
            Chart(
                "isr",
                "How many replicas were in sync",
                f"Above, partitions out of full sync{counted}; below, in-sync replicas of each partition as “n of replicas”.{known}",
                isr_figure(tables["isr_spans"], trace_end=end, shades=shades, shown=shown, partitions=every),
            )
        )
    telling, left_out = most_telling(tables["commit_bands"], tables["losses"], tables["truncations"], MOST_PARTITIONS)
    if telling:
        left_out = max(left_out, frames.partitions(tables, "commit_bands")[1] - len(telling))
        more = f" {words.counted(left_out, 'more partition')} not drawn." if left_out else ""
        charts.append(
            Chart(
                "high-watermarks",
                "What was committed, and what was lost",
                "The block is where the commit point (the true high watermark) must be: between two lines that tell an offset nothing more is known, "
                f"so no slope is drawn; where lines tell every change a replica's own offsets are steps. Tints behind are leader epochs. Red is what was lost, or may be, from the moment it was; orange what was discarded above the commit point.{more}",
                high_watermarks_figure(
                    tables["commit_bands"],
                    tables["high_watermarks"],
                    tables["truncations"],
                    tables["losses"],
                    telling,
                    trace_end=end,
                    leader_epochs=tables["leader_epochs"],
                    shades=shades,
                    colours=colours,
                    shown=shown,
                ),
            )
        )
    lead = "All times are UTC and corrected for the clocks of the nodes; all charts share one range. Drag to zoom in, double-click for everything."
    body = render(
        "charts.html.j2",
        charts=charts,
        ranges=_ranges(told, shown),
        nothing="These logs tell of no leader epoch, no ISR and no offset.",
    )
    return Section("Timeline", "timeline", lead if charts else "", body)


def _shades(found: pd.DataFrame, incident: Any | None) -> list[Shade]:
    """The faults: root causes and what contributed; those of the chosen incident first, then the worst."""
    faults = [f for f in frames.rows(found) if f.role in ("root_cause", "contributing") and f.start_ts is not None]
    faults.sort(
        key=lambda f: (
            incident is None or f.incident_id != incident.incident_id,
            rank(f.severity),
            f.start_ts,
            f.finding_id,
        )
    )
    return list(
        dict.fromkeys(
            Shade(f.start_ts, f.end_ts, f.title or f.code or "fault", severity_colour(f.severity)) for f in faults
        )
    )


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
    """The first range of the charts: the incident with some time around it, or everything if it fills more than half of the recording."""
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
    """What the buttons above the charts choose: label, from, to."""
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


def _causes(tables: Mapping[str, pd.DataFrame], incident: Any | None) -> Section:
    vertices = tables["vertices"]
    own = vertices if incident is None else vertices[vertices.incident_id == incident.incident_id]
    edges = tables["edges"][tables["edges"].src.isin(own.id) & tables["edges"].dst.isin(own.id)]
    roots = [
        f for f in frames.rows(tables["findings"]) if incident is not None and f.finding_id == incident.root_finding_id
    ]
    if own.empty:
        return Section(
            "Why",
            "causes",
            "",
            Markup("<p class=calm>{}</p>").format("No chain of cause and effect was found in these logs."),
        )
    label = {v.id: v.label or v.kind or v.id for v in frames.rows(own)}
    head = ("Cause", "Effect", "Rule", "Because", "Confidence", "Delay")
    told = [
        (
            label[e.src],
            label[e.dst],
            code(e.relation or "–"),
            e.because or "–",
            words.UNKNOWN if e.confidence is None else f"{e.confidence:.2f}",
            words.duration(e.delay_ms),
        )
        for e in frames.rows(edges)
    ]
    chart = Chart(
        "causality",
        "From the root to the effects",
        "Time and cause run from left to right; each arrow names its rule and delay; pointing at it shows the facts that join the two.",
        causality_figure(own, edges, root_evidence=roots[0].evidence if roots else ()),
        over_time=False,
    )
    lead = "Causes are joined to effects by leader epochs, offsets, ids and known delays, not by nearness in time."
    body = render(
        "causes.html.j2",
        chart=chart,
        edges=grid("Causes and effects", head, told, numeric=(4, 5), wide=(3,), table="edges"),
    )
    return Section("Why", "causes", lead, body)


def _findings(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    lead = "Conclusions with the lines that carry them, what else they could be, and what is missing to be sure."
    if tables["findings"].empty:
        return Section(
            "Findings",
            "findings",
            "",
            Markup("<p class=calm>{}</p>").format("Nothing was found that needs to be told."),
        )
    return Section(
        "Findings",
        "findings",
        lead,
        findings(tables["findings"], tables["incidents"], evidence, None if incident is None else incident.incident_id),
    )


def _losses(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    told, rest = ledgers.losses(tables["losses"], evidence)
    lead = (
        "Ranges are half-open and count offsets, not records. Class committed is below the commit point; acked_possible above it: logs never show "
        "acknowledgements, and only a producer with acks=1 or acks=0 can have been told that those records were stored."
    )
    nothing = (
        "No change of leader or restart in these logs had to be judged for loss. That rests on the lines read; it says nothing about data that no line tells of."
        if not rest.rows
        else "No loss is proven, possible or open. Each judgement below names the premise it stands on."
    )
    return Section(
        "Losses",
        "losses",
        lead,
        render(
            "ledger.html.j2",
            open_=[ledgers.loss_totals(tables["losses"]), told] if told.rows else [],
            nothing="" if told.rows else nothing,
            folded=[rest] if rest.rows else [],
        ),
    )


def _changes(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    grids = [
        ledgers.violations(tables["violations"], evidence),
        ledgers.leaderless_replicas(tables["replicas"], evidence),
        ledgers.deposed_leaders(tables["deposed_leaders"], evidence),
        ledgers.isr_drops(tables["isr_drops"], evidence),
        ledgers.elections(tables["elections"], evidence),
        ledgers.truncations(tables["truncations"], evidence),
        ledgers.broker_sessions(tables["broker_sessions"], evidence),
        ledgers.controllers(tables["controllers"], evidence),
    ]
    lead = "Whether an election was unclean is judged by the ISR before it, not by the word in the log."
    nothing = "These logs tell of no election, no truncation, no broker session and no controller."
    told = [g for g in grids if g.rows]
    return Section(
        "Elections, ISRs, controllers",
        "changes",
        lead if told else "",
        render("ledger.html.j2", open_=told, nothing="" if told else nothing, folded=[]),
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
    agreement, contradictions = ledgers.second_witness(tables["second_witness"], evidence)
    cannot_tell = [*ledgers.doubts(tables["findings"]), *ledgers.undecided(tables["violations"]), *notes]
    body = render(
        "coverage.html.j2",
        sum=(f"{words.counted(len(files), 'file')}: {adds_up}." if len(files) else "No file was read.")
        + (f" {agreement}" if agreement else ""),
        inputs=inputs,
        cannot_tell=cannot_tell,
        open_=[
            g
            for g in (
                contradictions,
                ledgers.blind_spots(tables["blind_spots"], evidence),
                ledgers.coverage(files),
                ledgers.clock_offsets(tables["clock_offsets"]),
            )
            if g.rows
        ],
        folded=[g for g in (own, foreign) if g.rows],
    )
    return Section(
        "Coverage and limits",
        "coverage",
        "What was read, what of it was understood, and what these logs cannot tell.",
        body,
    )
