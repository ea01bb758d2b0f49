"""The post-mortem of an incident as Markdown, drawn from the record of the incident and the tables behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.all_clear import NONE_LOST
from viz.bounds import first
from viz.brief import as_text, of_incident, steps_without_cause, without_incident
from viz.by_severity import worst_first
from viz.loss_sizes import size_at_most
from viz.markup import by
from viz.overview import UNKNOWN_CAUSE
from viz.summary import (
    LOST,
    POSSIBLE,
    UNDETERMINED,
    chosen,
    down,
    in_order,
    in_time,
    lost,
    mattered,
    times,
    unexplained,
    why_of_losses,
    without_a_cause,
)

TABLES = (
    *("incidents", "findings", "losses", "blind_spots", "coverage", "availability", "settings", "controllers"),
    "limits",
)
OF_THE_FIRST_SCREEN = (
    *("incidents", "findings", "losses", "coverage", "availability", "controllers", "all_clear", "broker_sessions"),
    *("leader_epochs", "isr_spans", "voter_sets", "vertices", "limits"),
)
"""The tables that a post-mortem reads."""

_MOST_LINES = 4
_MOST_ROWS = 20
_ACTS = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_BEGINS_BLOCK = re.compile(r"^(\d{0,9})([.)](?=\s|$)|(?<!\d)[-+=])")
_PIPE, _ESCAPED_PIPE = re.compile(r"\\?\|"), r"\\|"
_OPEN = (LOST, POSSIBLE, UNDETERMINED)
_VERDICTS = {LOST: "lost", POSSIBLE: "possibly lost", UNDETERMINED: "not known"}


def post_mortem(tables: Mapping[str, pd.DataFrame], incident_id: str | None = None) -> str:
    """The post-mortem of one incident, by default of the worst one. Raises KeyError for an unknown incident."""
    every = frames.even(tables)
    incident = chosen(every["incidents"], incident_id)
    if incident is None:
        return "\n".join(_without_incident(every)) + "\n"
    findings = [f for f in frames.table(every, "findings") if f.incident_id == incident.incident_id]
    losses = [x for x in frames.table(every, "losses") if x.incident_id == incident.incident_id]
    return "\n".join(_of_incident(every, incident, findings, losses)) + "\n"


def in_short(tables: Mapping[str, pd.DataFrame], incident_id: str | None = None, trouble: str = "") -> str:
    """The first screen of the page as text, in at most 150 words. Raises KeyError for an unknown incident."""
    every = frames.even(tables)
    incident = chosen(every["incidents"], incident_id)
    return as_text(without_incident(every, trouble) if incident is None else of_incident(every, incident)) + "\n"


def _of_incident(
    tables: Mapping[str, pd.DataFrame], incident: Any, findings: Sequence[Any], losses: Sequence[Any]
) -> Iterator[str]:
    yield f"# Post-mortem: {escaped(incident.title or incident.incident_id)}"
    yield ""
    yield f"{escaped(words.span_of(incident))}. Severity: {incident.severity or words.UNKNOWN}. {_over(incident)}"
    yield ""
    yield _read(tables)
    yield ""
    yield f"{prose(incident.told or 'What happened is unknown.')} {_lines(one['event_id'] for one in incident.proof)}"
    yield from _section("Impact", _impact(tables, incident, losses))
    yield from _section("Timeline", _timeline(incident, findings))
    yield from _section("Cause and trigger", _causes(tables, incident, findings))
    yield from _section("What worked and what limited the harm", _limits_of_harm(incident, losses))
    yield from _section("Actions", _actions(incident))
    yield from _section("Evidence", _proof(incident))
    yield from _section("What these logs cannot show", _blind_spots(tables, findings))
    yield from _section("Other incidents in these logs", _others(tables, incident))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A heading and the text below it; nothing if there is no text."""
    body = list(lines)
    if body:
        yield from ("", f"## {title}", "", *body)


def _over(incident: Any) -> str:
    if incident.is_over is None:
        return "Whether it is over is unknown."
    if incident.is_over:
        return "It is over: no symptom remained at the end of the logs."
    return f"It was not over when the logs ended: {escaped(words.listed(incident.still))}."


def _read(tables: Mapping[str, pd.DataFrame]) -> str:
    coverage = tables["coverage"]
    read = words.counted(int(coverage.log_records.sum()), "record")
    return (
        f"Kafka Replay wrote this document from {read} of {words.counted(len(coverage), 'file')}. All times are in "
        "UTC. Two values are bounds: the true value lies between them. `file:line` names the log line that proves a "
        "statement; sums and durations without a line come from the tables of the result."
    )


def _impact(tables: Mapping[str, pd.DataFrame], incident: Any, losses: Sequence[Any]) -> Iterator[str]:
    topics, others = down(tables, incident)
    if topics:
        yield (
            "How long each topic was unavailable, in wall-clock time. “Up to” means that the time may be zero. "
            "Brokers did not serve clients in these times; the upper ends include clients that still asked a leader after "
            "another was elected. A client that learns late of a new leader, or whose requests wait behind blocked ones of the same connection, waits longer."
        )
        yield ""
        yield from _table(
            (
                "Topic",
                "Writes, acks=all",
                "Writes, acks=1",
                "Reads of new records",
                "Partitions with records",
                "Ended by, in all partitions",
                "Lines",
            ),
            [
                (
                    _code(one.topic)
                    + (f" and {words.counted(one.alike, 'topic')} alike" if one.alike else "")
                    + (" (still unavailable when the logs ended)" if one.level == "bad" else ""),
                    one.acks_all,
                    one.acks_one,
                    one.reads,
                    one.partitions,
                    ", ".join(text for text, _ in one.ended),
                    _places(_closed(tables, incident, one.topic)),
                )
                for one in topics
            ],
        )
    else:
        yield "The logs show no topic that was unavailable for writes or reads in this incident."
    if others:
        yield from ("", escaped(others))
    yield ""
    for tile in lost(incident, tables["losses"]):
        yield f"- **{tile.label}** ({tile.means}): {prose(words.ended(tile.value))}"
    yield from (f"- **Afterwards:** {prose(text)}" for text in incident.afterwards)
    yield from _recoverable(losses)
    yield from _ledger([x for x in losses if x.verdict in _OPEN])


def _closed(tables: Mapping[str, pd.DataFrame], incident: Any, topic: str) -> list[str]:
    """The lines of the times within an incident in which a topic was unavailable for writes."""
    spans = tables["availability"]
    return [
        line
        for span in frames.rows(spans[(spans.topic == topic) & (spans.state == "closed")])
        if (incident.end_ts is None or span.start_ts <= incident.end_ts)
        and (span.end_ts is None or incident.start_ts is None or span.end_ts >= incident.start_ts)
        for line in span.evidence[:1]
    ]


def _recoverable(losses: Sequence[Any]) -> Iterator[str]:
    """The replicas that still hold the records that are lost or may be lost."""
    gone = [x for x in losses if x.verdict in (LOST, POSSIBLE)]
    if not gone:
        return
    sentences = []
    for holders, some in _by_holders(gone):
        holding = (
            f"{words.brokers(holders)} still held the range at {'its' if len(holders) == 1 else 'their'} last line"
        )
        sentences.append(
            f"{_partitions(some)}: {holding if holders else 'these logs name no broker that still holds the range'}."
        )
    yield f"- **Recoverable:** {' '.join(sentences)}"


def _by_holders(losses: Iterable[Any]) -> list[tuple[tuple[int, ...], list[Any]]]:
    """Losses by the brokers that still held their records; those without a known holder come last."""
    by_holders = frames.by_key(losses, lambda x: tuple(sorted(x.recoverable_from or ())))
    return sorted(by_holders.items(), key=lambda one: (not one[0], one[0]))


def _partitions(losses: Sequence[Any]) -> str:
    names = sorted({(x.topic or "", x.partition or 0) for x in losses}, key=words.by_name)
    return words.at_most([_code(words.partition(*name)) for name in names], 6)


def _ledger(losses: Sequence[Any]) -> Iterator[str]:
    """The records that are lost or may be lost, by partition; the largest first."""
    if not losses:
        return
    part = first(
        sorted(
            losses, key=lambda x: (_OPEN.index(x.verdict), -(size_at_most(x) or 0), x.topic or "", x.partition or 0)
        ),
        _MOST_ROWS,
    )
    yield from ("", "### Losses", "")
    yield from (f"- {prose(sentence)}" for sentence in why_of_losses(losses))
    yield ""
    yield from _table(
        ("Partition", "Verdict", "Offsets", "When", "Still held by", "Lines"),
        [
            (
                _code(words.partition(x.topic, x.partition)),
                f"{_VERDICTS[x.verdict]}, {'committed' if x.loss_class == 'committed' else 'not committed'}",
                escaped(words.offsets(x.from_offset, x.to_offset_high)),
                f"{'by ' if x.begun_before else ''}{words.stamp(x.ts)}",
                words.brokers(x.recoverable_from) if x.recoverable_from else "none known",
                _places(x.evidence),
            )
            for x in part.shown
        ],
    )
    if part.left_out:
        yield from ("", f"{words.number(part.left_out)} more rows: run `kafka-replay losses RESULT --csv`.")


_AS_SENTENCES = {
    "Began between": "It began between",
    "Began at": "It began at",
    "Began before": "It began before",
    "Lasted": "It lasted",
    "Lasted so far": "It had lasted, when the logs ended,",
    "All partitions had leaders": "All partitions had leaders again",
    "All ISRs were full": "All ISRs were full again",
    "No active controller": "There was no active controller",
}


def _timeline(incident: Any, findings: Sequence[Any]) -> Iterator[str]:
    part = first(in_time([f for f in findings if f.role != "benign"]), _MOST_ROWS)
    for f in part.shown:
        yield f"- {_began(f)}: **{escaped(f.title or f.finding_id)}** ({_role(f)}). {_ended(f)}{_lines(f.evidence)}"
    if part.left_out:
        yield f"- {words.counted(part.left_out, 'more finding')}: see `RESULT/findings.json`."
    yield from ("", "The incident as a whole:", "")
    yield from (f"- {_AS_SENTENCES.get(label, label)} {value}." for label, value in times(incident))


def _role(f: Any) -> str:
    return ", ".join(filter(None, ((f.role or "").replace("_", " "), f.severity, escaped(f.code or ""))))


def _began(f: Any) -> str:
    if (f.began_low, f.began_high, f.start_ts) == (None, None, None):
        return "At an unknown time"
    how, when = words.within(f.began_low, f.began_high, f.start_ts, words.stamp)
    return f"{how[:1].upper()}{how[1:]} {when}"


def _ended(f: Any) -> str:
    """When a fault ended; empty for an item that is not a fault and has no beginning."""
    if f.began_high is None:
        return ""
    if f.ended_high is None:
        return "These logs do not show its end. "
    how, when = words.over_at(f, words.stamp)
    return f"It ended {how} {when}. "


def _causes(tables: Mapping[str, pd.DataFrame], incident: Any, findings: Sequence[Any]) -> Iterator[str]:
    named = [f for f in in_order(findings) if f.role in ("root_cause", "contributing")]
    with_cause = [f for f in named if f.code != UNKNOWN_CAUSE]
    if not with_cause:
        yield "These logs do not show the cause."
        yield ""
    for f in sorted(named, key=lambda f: f.finding_id != incident.root_finding_id):
        label = (
            "Trigger"
            if f.finding_id == incident.root_finding_id
            else "Root cause"
            if f.role == "root_cause"
            else "Contributing"
        )
        sure = "" if f.confidence is None else f" Confidence: {f.confidence:.0%}."
        yield f"- **{label}: {escaped(f.title or f.finding_id)}.** {prose(f.summary or '')}{sure} {_lines(f.evidence)}"
    settings = mattered(tables, findings)
    if settings:
        yield from ("", "Broker settings that this kind of incident depends on (a topic can override them):", "")
        yield from (f"- {_code(name)}: {escaped(value)}" for name, value in settings)


def _limits_of_harm(incident: Any, losses: Sequence[Any]) -> Iterator[str]:
    """What the tables prove: what recovered, what stayed up, where nothing was lost."""
    sentences = []
    for label, value in times(incident):
        if label in ("All partitions had leaders", "All ISRs were full"):
            sentences.append(f"- {label} again {value}.")
    if incident.lost_committed == NONE_LOST and not incident.undetermined:
        sentences.append("- No loss of committed records was found.")
    for _, some in sorted(by([x for x in losses if x.verdict not in _OPEN], "verdict").items()):
        sentences += [
            f"- {prose(one)} {_lines(line for x in some for line in x.evidence[:1])}" for one in why_of_losses(some)
        ]
    yield from sentences or ["The tables of this result prove nothing that limited the harm."]


def _actions(incident: Any) -> Iterator[str]:
    if not incident.next_steps:
        yield "The result names no action."
        yield ""
    rows = [(str(number), prose(step), "") for number, step in enumerate(incident.next_steps, 1)]
    yield from _table(("", "Action", "Owner"), rows or [("1", "", "")])


def _proof(incident: Any) -> Iterator[str]:
    for proves, some in _grouped(incident.proof):
        yield f"- {escaped(proves)}: {_places(some)}"


def _grouped(proof: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    grouped = frames.by_key(proof, lambda one: one["proves"] or one["finding_id"], lambda one: one["event_id"])
    return list(grouped.items())


def _blind_spots(tables: Mapping[str, pd.DataFrame], findings: Sequence[Any]) -> Iterator[str]:
    part = first(frames.table(tables, "blind_spots"), _MOST_ROWS)
    for spot in part.shown:
        asked = f" Cannot be answered: {words.listed(spot.questions)}." if spot.questions else ""
        to_answer = f" To answer, provide: {spot.would_tell}." if spot.would_tell else ""
        yield f"- {prose(words.ended(spot.what or '') + asked + to_answer)}{' ' + _lines(spot.evidence) if spot.evidence else ''}"
    if part.left_out:
        yield f"- {words.counted(part.left_out, 'more blind spot')}: open Coverage and limits in `RESULT/report.html`."
    of_findings = [(f.title or f.finding_id, text) for f in findings for text in f.blind_spots or ()]
    yield from (f"- {escaped(title)}: {prose(words.ended(text))}" for title, text in of_findings)
    if not part.shown and not of_findings:
        yield "- No blind spot was found in these files."
    yield "- The times are those of partitions. The logs do not show whether a client tried to write or read then."
    yield "- Losses are counted in offsets. The logs do not show what the records contained."


def _others(tables: Mapping[str, pd.DataFrame], incident: Any) -> Iterator[str]:
    others = [i for i in frames.table(tables, "incidents") if i.incident_id != incident.incident_id]
    part = first(worst_first(others), _MOST_ROWS)
    for one in part.shown:
        yield f"- {words.span_of(one)}, {one.severity or words.UNKNOWN}: {escaped(one.title or one.incident_id)} ({_code(one.incident_id)})"
    if part.left_out:
        yield f"- {words.counted(part.left_out, 'more incident')}: open `RESULT/report.html`."


def _without_incident(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    findings = in_order(frames.table(tables, "findings"))
    seen = unexplained(tables)
    yield f"# Post-mortem: {escaped(without_a_cause(seen[0])) if seen else 'no incident found'}"
    yield ""
    yield _read(tables)
    yield ""
    yield (
        "These logs do not show the cause of what went wrong, and so this result has no incident."
        if seen
        else f"This result has no incident. The result depends on what these files show. {words.CANNOT_RULE_OUT}"
    )
    if seen:
        yield ""
        yield from (f"{number}. {step}" for number, step in enumerate(steps_without_cause(tables, seen), 1))
    items = [f"- {escaped(f.title or f.finding_id)} ({_role(f)}). {_lines(f.evidence)}" for f in findings[:_MOST_ROWS]]
    yield from _section("Findings", items)
    yield from _section("What these logs cannot show", _blind_spots(tables, findings))


def _lines(event_ids: Iterable[str]) -> str:
    """The lines of a statement as a sentence."""
    places = _places(event_ids)
    return f"Lines: {places}." if places != "none" else "No line is named."


def _places(event_ids: Iterable[str]) -> str:
    return words.at_most([_code(e) for e in dict.fromkeys(map(str, event_ids))], _MOST_LINES) or "none"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(_PIPE.sub(_ESCAPED_PIPE, cell) for cell in row)} |"


def prose(text: str) -> str:
    """Text in which backticks mark code; nothing else in it acts on Markdown."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    return "".join(
        (_code(part) if part.strip() else "") if i % 2 else (escaped(part) if not i else _inline(part))
        for i, part in enumerate(parts)
    )


def escaped(text: str) -> str:
    """Text of a log, in which nothing acts on Markdown, whether or not it begins a line."""
    return _BEGINS_BLOCK.sub(r"\1\\\2", _inline(text).lstrip()) if text else ""


def _inline(text: str) -> str:
    """Text in which nothing acts on Markdown within a line: no emphasis, link, image, code, HTML or line break."""
    plain = _ACTS.sub(r"\\\1", _on_a_line(text))
    return plain.replace("://", r":\/\/").replace("www.", r"www\.")


def _code(text: str) -> str:
    """Text as code, whatever backticks it contains."""
    plain = _on_a_line(text)
    runs = [len(run) for run in re.findall("`+", plain)]
    fence = "`" * (max(runs, default=0) + 1)
    return f"{fence} {plain} {fence}" if runs else f"{fence}{plain}{fence}"


def _on_a_line(text: str) -> str:
    """The text without line breaks and with control characters written out."""
    return "".join(c if c.isprintable() else " " if c.isspace() else f"u+{ord(c):04x}" for c in text)
