"""The page: sections in a fixed order, each with its figures and tables, in one self-contained file."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from operator import itemgetter
from typing import Any

import pandas as pd
from markupsafe import Markup

from viz import all_clear, brief, frames, ledgers, replication, your_records
from viz import phrases as words
from viz.bounds import first
from viz.broker_stories import History, broker_stories
from viz.by_severity import SEVERITIES, worst_first
from viz.causality import is_elsewhere, of_incident, with_sums
from viz.causality_drawing import causality_drawing
from viz.charts import as_json, charts, shades, shown_first
from viz.cluster import broker_ids, cluster_facts
from viz.control_plane import levels_grid, voters_grid
from viz.findings import findings
from viz.limits import coverage_grid
from viz.limits import sentences as limit_sentences
from viz.markup import Evidence, Grid, context, grid, keys, of_cut_table, render, source, term, ticked
from viz.partitions import stories
from viz.storage import directories_grid, remote_grid
from viz.summary import LOST, POSSIBLE, anchor, chosen, summary, trouble_of
from viz.theme import NIGHT, PAPER
from viz.topics import topic_harms
from viz.which_offset import set_aside

# Bars and lines only, from npm's plotly.js-basic-dist-min: the full Plotly is four times as large, and a browser needs
# a second to start it.
PLOTLY = "plotly-basic.min.js"
_IN_SIGHT = ("summary", "records", "timeline", "findings")
_ORDER = (
    "summary",
    "records",
    "timeline",
    "findings",
    "losses",
    "causes",
    "lines",
    "partitions",
    "brokers",
    "changes",
    "replication",
    "coverage",
    "glossary",
)
_CONTENTS = {
    "lines": "each message once, with its meaning",
    "causes": "from the root to its effects, as a graph",
    "losses": "which offsets, and the basis of each verdict",
    "partitions": "what happened to each of them, step by step",
    "brokers": "what happened to each of them, and whether a restart is safe",
    "changes": "elections, truncations, broker sessions, controllers",
    "replication": "failovers, what producers received, leader-epoch checkpoints, offsets",
    "coverage": "what was read, and what these files do not show",
    "glossary": "every code",
}
_MOST_GRAPHS = 8
_MOST_EDGES = 120  # rows of a table of causes and effects


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
        return _CONTENTS.get(self.anchor, "")


def report(
    tables: Mapping[str, pd.DataFrame],
    *,
    title: str,
    inputs: Sequence[str],
    notes: Sequence[str],
    incident_id: str | None,
    version: str,
    answer: Mapping[str, Any] | None = None,
    records: Mapping[str, Any] | None = None,
    histories: Sequence[History] = (),
) -> str:
    """One HTML page that works without a network and is the same, byte for byte, for the same input.

    `tables` holds frames by the names of the contract (missing ones count as empty), and also:
    - `evidence`: the events that evidence arrays name, with event_id, ts, node_id, source_file, line_number, level,
    logger, message, and what
      such a line `tells`; `context`: the records around some of them; `totals` (table, partitions): the total number of partitions for a frame that holds only
      some;
    - `node_facts` (node_id, name, value), `settings` and `topic_settings`: the settings of nodes and topics;
    `glossary`: what codes mean.

    `isr_spans` may have a column `min_isr`, `violations` what each invariant `states`, `means`, and how to `act`.
    Times are UTC, with or without a zone; the order of rows does not matter. `incident_id` chooses the incident to
    show first; None takes the worst, the earliest of several. `notes` appear under what the logs do not show; `answer`
    is what the lines mean, as in `findings.json`; `records` what the verdicts of a user's records add up to; `histories`
    are those of the brokers. Raises KeyError for an unknown incident.
    """
    even = frames.even(tables)
    incident = chosen(even["incidents"], incident_id)
    evidence = Evidence(even["evidence"])
    recorded = frames.recorded(even)
    # The most important lines come first: if there are too many, the page carries the first ones that it uses.
    sections = (
        _summary(even, incident, evidence, title, recorded, answer),
        *_your_records(records, evidence),
        *_lines(answer),
        _findings(even, incident, evidence, recorded),
        *_reference(even, incident, evidence, inputs, notes),
        *_brokers(histories, evidence),
    )
    scripts = {"plotly": _packed(), "page": Markup(source("report.js"))}
    return str(
        render(
            "report.html.j2",
            title=title,
            limits=limit_sentences(even),
            version=version,
            inputs=inputs,
            recorded=recorded,
            facts=cluster_facts(even),
            choices=_choices(even),
            sections=sorted((s for s in sections if s.anchor in _ORDER), key=lambda s: _ORDER.index(s.anchor)),
            style=Markup(source("report.css")),
            scripts=scripts,
            policy=_policy((source(PLOTLY), scripts["page"])),
            looks=as_json({"paper": PAPER.to_plotly_json(), "night": NIGHT.to_plotly_json()}),
            carried=as_json(_carried(even, evidence)),
        )
    )


def _reference(
    even: Mapping[str, pd.DataFrame],
    incident: Any,
    evidence: Evidence,
    inputs: Sequence[str],
    notes: Sequence[str],
) -> tuple[Section, ...]:
    """The sections after the findings."""
    return (
        _losses(even, evidence),
        _causes(even, incident, evidence),
        _timeline(even, incident, evidence),
        _changes(even, evidence),
        _replication(even, evidence),
        _partitions(even, evidence),
        _coverage(even, inputs, notes, evidence),
        _glossary(even),
    )


def _carried(even: Mapping[str, pd.DataFrame], evidence: Evidence) -> dict[str, Any]:
    """What the page's script needs: the lines that the sections use, and the choices of the filter."""
    return {
        "lines": evidence.carried(),
        "brokers": broker_ids(even),
        "topics": _topics(even),
        "context": context(even["context"]),
    }


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
    topics = topic_harms(tables)
    texts = list(dict.fromkeys(text for _, text in topics))
    number = {text: i for i, text in enumerate(texts)}
    return {"names": [topic for topic, _ in topics], "told": [number[text] for _, text in topics], "texts": texts}


def _summary(
    tables: Mapping[str, pd.DataFrame],
    incident: Any | None,
    evidence: Evidence,
    title: str,
    recorded: tuple[pd.Timestamp, pd.Timestamp] | None,
    answer: Mapping[str, Any] | None,
) -> Section:
    trouble = trouble_of(answer)
    points = brief.without_incident(tables, trouble) if incident is None else brief.of_incident(tables, incident)
    body = summary(
        tables, incident, evidence, shown_first(recorded, incident), trouble, brief.first_screen(points, title)
    )
    return Section("What happened", "summary", "", body)


def _your_records(records: Mapping[str, Any] | None, evidence: Evidence) -> list[Section]:
    """What happened to the records that the user brought, if there are any."""
    if records is None:
        return []
    return [Section("Your records", "records", your_records.LEAD, your_records.body(records, evidence))]


_PARTS_OF_AN_ANSWER = ("told", "together", "looks_like", "harmless", "unknown", "consequences")


def _lines(answer: Mapping[str, Any] | None) -> list[Section]:
    """What the lines mean, if they mean anything."""
    if answer is None or not any(answer[part] for part in _PARTS_OF_AN_ANSWER):
        return []
    lead = "Each message is shown once, the most serious first and consequences after their causes."
    followed = {
        cause: _once(some) for cause, some in frames.by_key(answer["consequences"], itemgetter("follows")).items()
    }
    messages = alike_merged(answer["told"])
    body = render(
        "lines.html.j2", answer=answer, messages=messages, consequences=followed, harmless=_once(answer["harmless"])
    )
    return [Section("What the lines say", "lines", lead, body)]


_PARAGRAPHS = ("says", "because", "follows", "effect", "data", "heals", "next", "never", "level", "whose")


def alike_merged(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages, those that say the same as one: lines of several nodes can have a text that names none of them."""
    alike = frames.by_key(messages, lambda one: tuple(one[name] for name in _PARAGRAPHS))
    return [
        {
            **min(some, key=lambda one: one["first"] or ""),
            "count": sum(one["count"] for one in some),
            "is_least": any(one["is_least"] for one in some),
            "last": max(one["last"] or "" for one in some),
        }
        for some in alike.values()
    ]


def _once(messages: Sequence[Mapping[str, Any]]) -> list[tuple[str, int, bool, str]]:
    """What each message says, once, because several wordings can say the same. With the number of lines, whether
    there may be more, and the location of the first.
    """
    return [
        (says, sum(one["count"] for one in alike), any(one["is_least"] for one in alike), alike[0]["where"])
        for says, alike in frames.by_key(messages, itemgetter("says")).items()
    ]


def _timeline(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    drawn, recorded = charts(tables, incident, evidence), frames.recorded(tables)
    lead = (
        "All times are UTC, with the clocks of the nodes corrected. Drag to zoom; double-click to reset. Click a bar "
        "or a mark to see its lines; with the keyboard: Tab to a chart, arrow keys to its marks, Enter for the lines."
    )
    faults = shades(tables, incident)
    if faults.left_out:
        lead += f" Shaded: {words.number(len(faults.shown))} of {words.counted(faults.total, 'fault')}, the worst."
    body = render(
        "charts.html.j2",
        charts=drawn,
        ranges=_ranges(recorded, shown_first(recorded, incident)),
        nothing="These logs show no leader epoch, no ISR and no offset.",
    )
    return Section("Timeline", "timeline", lead if drawn else "", body)


def _ranges(
    recorded: tuple[pd.Timestamp, pd.Timestamp] | None, shown: tuple[pd.Timestamp, pd.Timestamp] | None
) -> list[tuple[str, str, str]]:
    """The choices of the buttons above the charts: label, from, to."""
    if recorded is None or shown is None:
        return []
    whole = recorded[1] - recorded[0]
    everything = (recorded[0] - whole * 0.01, recorded[1] + whole * 0.01)
    named = (
        [("Whole recording", everything)]
        if shown == everything
        else [("The incident", shown), ("Whole recording", everything)]
    )
    return [(label, words.stamp(start), words.stamp(end)) for label, (start, end) in named]


def _causes(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Section:
    """The graph of the first incident, and those of others folded below."""
    every = frames.table(tables, "incidents")
    others = [i for i in worst_first(every) if incident is None or i.incident_id != incident.incident_id]
    graph = _graph(tables, incident, evidence)
    drawn = frames.once(tables, "incidents with edges", lambda: _drawn(tables))
    others = [i for i in others if i.incident_id in drawn]
    more = [(i, _graph(tables, i, evidence)) for i in first(others, _MOST_GRAPHS).shown]
    if not graph and not more:
        none = "No chain of cause and effect was found in these logs."
        undrawn = (
            "The chain of cause and effect cannot be drawn from these logs: no line links a fault to an election, an ISR in "
            "a known leader epoch, or a loss. The findings and the messages below name their causes."
        )
        nothing = Markup("<p class=calm>{}</p>").format(none if incident is None else undrawn)
        return Section("Why", "causes", "", nothing)
    lead = (
        "Time and cause run from left to right. Leader epochs, offsets, IDs and known delays link causes to effects, "
        "not nearness in time. Click a card or the mark of an arrow to see its lines."
    )
    body = render(
        "causes.html.j2",
        first=graph,
        nothing="" if graph else "No chain of cause and effect was found for the first incident.",
        more=more,
        left_out=len(others) - len(more),
        unplaced=_of_no_incident(tables) if every else 0,
        anchor=anchor,
    )
    return Section("Why", "causes", lead, body)


def _graph(tables: Mapping[str, pd.DataFrame], incident: Any | None, evidence: Evidence) -> Mapping[str, Any]:
    """The drawing and the edges of one incident's graph; nothing if it has none."""
    own, edges = of_incident(tables["vertices"], tables["edges"], None if incident is None else incident.incident_id)
    if own.empty or edges.empty:
        return {}
    name, root = (None, None) if incident is None else (incident.incident_id, incident.root_finding_id)
    found = [f for f in frames.table(tables, "findings") if name is not None and f.incident_id == name]
    own, edges = with_sums(own, edges, found)
    roots = [f for f in found if f.role == "root_cause" or f.finding_id == root]
    drawing = causality_drawing(
        own,
        edges,
        evidence,
        roots={f.finding_id for f in roots},
        root_lines={e for f in roots for e in f.evidence[:6]},
    )
    return {"drawing": drawing, "edges": _edges(own, edges)}


def _drawn(tables: Mapping[str, pd.DataFrame]) -> set[str]:
    """The incidents with an edge."""
    touched = {*tables["edges"].src, *tables["edges"].dst}
    vertices = tables["vertices"]
    return set(vertices.incident_id[vertices.id.isin(touched)].dropna())


def _of_no_incident(tables: Mapping[str, pd.DataFrame]) -> int:
    """How many edges join happenings that belong to no incident."""
    vertices, edges = tables["vertices"], tables["edges"]
    placed = set(vertices.id[vertices.incident_id.notna()])
    return int((~edges.src.isin(placed) & ~edges.dst.isin(placed)).sum())


def _edges(vertices: pd.DataFrame, edges: pd.DataFrame) -> Any:
    """Causes and effects as a table; edges of one rule from one cause with one reason share a row."""
    named = {v.id: v for v in frames.rows(vertices)}
    label = {
        id: f"{v.label or v.kind or id}{' (of another incident)' if is_elsewhere(v) else ''}" for id, v in named.items()
    }
    topic = {id: v.topic for id, v in named.items()}
    alike = frames.by_key(frames.rows(edges), lambda e: (e.src, e.relation, e.because or e.dst, e.confidence))
    head = ("Cause", "Effect", "Rule", "Because", "Confidence", "Delay")
    rows = []
    shown = first(list(alike.values()), _MOST_EDGES).shown
    for some in shown:
        e = some[0]
        effect = label[e.dst] if len(some) == 1 else f"{label[e.dst]} and {words.number(len(some) - 1)} more"
        sure = words.UNKNOWN if e.confidence is None else f"{e.confidence:.2f}"
        rows.append((label[e.src], effect, term(e.relation), ticked(e.because or "–"), sure, words.delay(some)))
    return grid(
        "Causes and effects",
        head,
        rows,
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
    recorded: tuple[pd.Timestamp, pd.Timestamp] | None,
) -> Section:
    if tables["findings"].empty:
        nothing = Markup("<p class=calm>{}</p>").format("No finding.")
        return Section("Findings", "findings", "", nothing)
    return Section(
        "Findings",
        "findings",
        "Conclusions, evidence, alternatives, and what would settle them.",
        findings(tables, evidence, None if incident is None else incident.incident_id, partial(shown_first, recorded)),
    )


def _partitions(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    body, count = stories(tables, evidence)
    if not count:
        nothing = Markup("<p class=calm>{}</p>").format("These logs show no change of a partition.")
        return Section("Partitions", "partitions", "", nothing)
    return Section("Partitions", "partitions", "What happened to each partition, in the order of time.", body)


def _brokers(histories: Sequence[History], evidence: Evidence) -> list[Section]:
    lead = "What happened to each broker, in the order of time, and whether a restart is safe as the logs end."
    return [Section("Brokers", "brokers", lead, broker_stories(histories, evidence))] if histories else []


def _glossary(tables: Mapping[str, pd.DataFrame]) -> Section:
    """Every code that the page can name, and its meaning."""
    lead = "F: faults. R: rules that join a cause to its effect. S: ways to lose records. I: invariants, which must hold at all times."
    named = frames.table(tables, "glossary")
    names = {g.code for g in named}
    used = {
        *tables["findings"].code.dropna(),
        *tables["edges"].relation.dropna(),
        *tables["losses"].scenario.dropna(),
        *tables["violations"].invariant.dropna(),
    }
    plain = sorted(c for c in used - names if c[0].isalpha() and c[1:].isdecimal())
    body = render("glossary.html.j2", named=named, plain=plain)
    return Section("Glossary", "glossary", lead if named else "", body)


def _stated(tables: Mapping[str, pd.DataFrame], one: Grid) -> Grid:
    """A table of the page, with a note if the page does not have all of its source rows."""
    held, every = len(tables[one.table]) if one.table in tables else 0, frames.counted(tables, one.table)
    return of_cut_table(one, held, every) if held < every else one


def _losses(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    lost, rest = ledgers.losses(tables["losses"], evidence)
    lead = (
        "Counted in offsets: [10, 20) is ten of them, from 10 to 19. Committed: all in-sync replicas had them. "
        "Uncommitted: not all in-sync replicas had them, so only a producer with acks=1 can have received an "
        "acknowledgement; no log shows acknowledgements."
    )
    clear = all_clear.statement(tables) or ""
    if deleted := all_clear.deletions(tables):
        lead += f" {deleted}"
    nothing = f"{clear} Each row below states its basis." if rest.rows and clear else clear
    return Section(
        "Losses",
        "losses",
        lead,
        render(
            "ledger.html.j2",
            open_=[ledgers.loss_totals(tables), _stated(tables, lost)] if lost.rows else [],
            nothing="" if lost.rows else nothing,
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
        ledgers.controllers(tables["controllers"], evidence, tables["findings"]),
        voters_grid(tables["voter_sets"], evidence),
        levels_grid(tables["feature_levels"], evidence),
        directories_grid(tables["log_directories"], evidence),
        remote_grid(tables["remote_logs"], evidence),
    ]
    lead = "The ISR before an election decides whether it was unclean, not the word in the log."
    nothing = "These logs show no election and no truncation, and hold no line of a controller about sessions."
    grids_shown = [_stated(tables, g) for g in grids if g.rows]
    return Section(
        "Changes",
        "changes",
        lead if grids_shown else "",
        render("ledger.html.j2", open_=grids_shown, nothing="" if grids_shown else nothing, folded=[]),
    )


def _replication(tables: Mapping[str, pd.DataFrame], evidence: Evidence) -> Section:
    grids = [(_stated(tables, one), folded) for one, folded in replication.sections(tables, evidence)]
    lead = "Why each leader was elected and when each broker learned of it, what producers received in that time, and what each replica's leader-epoch checkpoint holds."
    nothing = "These logs show no change of leader and no leader-epoch checkpoint."
    return Section(
        "Replication",
        "replication",
        lead if grids else "",
        render(
            "ledger.html.j2",
            open_=[one for one, folded in grids if not folded],
            nothing="" if grids else nothing,
            folded=[one for one, folded in grids if folded],
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
    not_shown = [
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
        not_shown=not_shown,
        open_=[
            _stated(tables, g)
            for g in (
                ledgers.contradictions(tables["second_witness"], evidence),
                ledgers.blind_spots(tables["blind_spots"], evidence),
                coverage_grid(tables, evidence),
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
