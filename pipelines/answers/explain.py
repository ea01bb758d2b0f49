"""Why a finding was concluded: the lines that carry it, what led to it, what it led to; or what a code means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pipelines.answers.frames import first_lines, rows
from pipelines.answers.quoted import line_of
from pipelines.answers.times import Clock
from pipelines.answers.witness_steps import next_witnesses
from pipelines.glossary import which_codes
from replay.causes.conclusions import ABOUT
from replay.errors import InputError
from replay.sentences.next_steps import NEXT_OF_FAULT
from viz import bounds
from viz.phrases import at_most, counted, duration

TABLES = ("findings", "incidents", "vertices", "edges", "losses", "coverage")
_MOST_LINES = 12
_MOST_GROUPS = 12
_DEEPEST = 6  # fault, detection, leaderless, election, loss, truncation


@dataclass(frozen=True)
class Step:
    """Happenings of one kind that follow from (or led to) the same ones by one rule: `depth` steps from what is
    explained.
    """

    depth: int
    rules: str
    happenings: tuple[Any, ...]
    because: str
    confidence: float
    delay_ms: int | None


def found(tables: Mapping[str, pd.DataFrame], wanted: str) -> list[Any]:
    """The findings that `wanted` names: an id, the beginning of ids, a code, or an incident."""
    told = rows(tables["findings"])
    exact = [f for f in told if f.finding_id == wanted]
    by_code = [f for f in told if wanted.upper() == (f.code or "").upper()]
    by_incident = [f for f in told if f.incident_id == wanted and f.role == "root_cause"]
    begun = [f for f in told if f.finding_id.startswith(wanted)]
    return exact or by_code or by_incident or begun


def roots(tables: Mapping[str, pd.DataFrame]) -> list[Any]:
    """The findings that are root causes, in order of time."""
    told = [f for f in rows(tables["findings"]) if f.role == "root_cause"]
    return sorted(told, key=lambda f: (f.start_ts is None, f.start_ts or 0, f.finding_id))


def evidence_of(tables: Mapping[str, pd.DataFrame], findings: Iterable[Any]) -> list[str]:
    """The events whose lines the explanation of `findings` shows."""
    told = list(findings)
    steps = [step for f in told for way in (causes(tables, f), effects(tables, f)) for step in way]
    return first_lines([f.evidence for f in told] + [step.happenings[0].evidence for step in steps])


def causes(tables: Mapping[str, pd.DataFrame], finding: Any) -> list[Step]:
    """What led to a finding, nearest first, by the edges of the causality graph."""
    return _walk(tables, _own(tables["vertices"], finding), "dst", "src")


def effects(tables: Mapping[str, pd.DataFrame], finding: Any) -> list[Step]:
    """What a finding led to, nearest first."""
    return _walk(tables, _own(tables["vertices"], finding), "src", "dst")


def explained(
    tables: Mapping[str, pd.DataFrame],
    finding: Any,
    messages: Mapping[str, Mapping[str, Any]],
    glossary: pd.DataFrame,
    clock: Clock,
) -> Iterator[str]:
    """A finding with its lines, its causes and its effects, as text."""
    yield f"{finding.code or '   '}  {finding.title}"
    yield f"     {finding.finding_id}"
    sure = "" if finding.confidence is None else f", confidence {finding.confidence:.2f}"
    where = f", {finding.incident_id}" if finding.incident_id else ""
    yield f"     {finding.severity}, {finding.role.replace('_', ' ')}{sure}{where}"
    if finding.start_ts is not None:
        lasted = (
            ""
            if finding.end_ts is None
            else f" ({duration((finding.end_ts - finding.start_ts).total_seconds() * 1000)})"
        )
        yield f"     {clock.span(finding.start_ts, finding.end_ts)}{lasted}, {clock.name}"
    if finding.partitions:
        yield f"     {at_most(finding.partitions, 8)}"
    yield ""
    yield f"{finding.summary}"
    yield ""
    yield "The lines that carry it"
    yield from _lines(finding.evidence or (), messages, clock)
    before, after = causes(tables, finding), effects(tables, finding)
    yield ""
    yield "What led to it"
    yield from _steps(before, messages, clock) if before else ("  Nothing before it that these logs tell: a root.",)
    yield ""
    yield "What it led to"
    yield from _steps(after, messages, clock) if after else ("  Nothing that these logs tell.",)
    rivals = list(_rivals(tables, finding))
    if rivals:
        yield ""
        yield "What else could have led to it, less likely"
        yield from rivals
    if finding.blind_spots:
        yield ""
        yield "What is missing to be sure"
        yield from (f"  {spot}" for spot in finding.blind_spots)
    if finding.code:
        yield ""
        yield from meaning(finding.code, glossary)
    of_finding = tables["findings"][tables["findings"].finding_id == finding.finding_id]
    yield from next_witnesses(of_finding, tables["vertices"], tables["coverage"])


def meaning(code: str, glossary: pd.DataFrame) -> Iterator[str]:
    """What a code (F01, R2, S4, I6) means, and for a fault what to look at next. Raises InputError for one that is
    none.
    """
    named = rows(glossary[glossary.code.str.upper() == code.upper()])
    if not named:
        raise InputError(f"{code}: no such finding or code; codes are {which_codes(glossary)}")
    yield f"{named[0].code}  {named[0].name}: {named[0].means}"
    if named[0].code in NEXT_OF_FAULT:
        yield f"Look next: {NEXT_OF_FAULT[named[0].code]}"


_LIKE_A_CODE = re.compile(r"(?i)[FRSI]\d{1,3}|KAFKA-\d+|[A-Z]+(?:_[A-Z]+)+")


def looks_like_a_code(text: str) -> bool:
    """Whether `text` can name nothing but a code or a known bug: it needs no result to be looked up in."""
    return _LIKE_A_CODE.fullmatch(text) is not None


def is_code(text: str, glossary: pd.DataFrame) -> bool:
    """Whether `text` is a code of the glossary."""
    return bool((glossary.code.str.upper() == text.upper()).any())


def _own(vertices: pd.DataFrame, finding: Any) -> list[str]:
    """The happenings that a finding is about: its fault, or those of its kind, incident, time and partitions."""
    if vertices.empty:
        return []
    if (vertices.id == finding.finding_id).any():
        return [finding.finding_id]
    same = vertices[vertices.kind.isin(ABOUT.get(finding.finding_id.split("/")[0], ()))]
    names = set(finding.partitions or ())
    return [
        v.id
        for v in rows(same)
        if v.incident_id == finding.incident_id
        and _within(v.ts, finding)
        and (not names or v.topic is None or f"{v.topic}-{v.partition}" in names)
    ]


def _within(ts: pd.Timestamp | None, finding: Any) -> bool:
    if ts is None or finding.start_ts is None:
        return True
    return bool(finding.start_ts <= ts and (finding.end_ts is None or ts <= finding.end_ts))


def _walk(tables: Mapping[str, pd.DataFrame], own: list[str], here: str, there: str) -> list[Step]:
    """The happenings that accepted edges join to `own`, step by step, each once, those of one kind together."""
    edges, known = _accepted(tables["edges"]), {v.id: v for v in rows(tables["vertices"])}
    seen, at, steps = set(own), set(own), []
    for depth in range(1, _DEEPEST + 1):
        joined = [e for e in rows(edges[edges[here].isin(at) & ~edges[there].isin(seen)]) if getattr(e, there) in known]
        groups: dict[str, list[Any]] = {}
        for edge in joined:
            groups.setdefault(known[getattr(edge, there)].kind, []).append(edge)
        made = [_step(depth, some, known, there) for some in groups.values()]
        steps += sorted(made, key=lambda s: (s.happenings[0].ts is None, s.happenings[0].ts or 0))
        at = {getattr(edge, there) for edge in joined}
        seen |= at
        if not at:
            break
    return steps


def _accepted(edges: pd.DataFrame) -> pd.DataFrame:
    """The edges whose cause is the likeliest of its rivals."""
    return edges[edges["rank"] == 1]


def _rivals(tables: Mapping[str, pd.DataFrame], finding: Any) -> Iterator[str]:
    """The causes that a finding could have had and that are less likely than the accepted ones."""
    edges, labels = tables["edges"], {v.id: v.label or v.kind for v in rows(tables["vertices"])}
    mine = edges[edges.dst.isin(_own(tables["vertices"], finding)) & (edges["rank"] > 1)]
    told = mine.sort_values(["rank", "src"]).drop_duplicates("src")
    part = bounds.first([edge for edge in rows(told) if edge.src in labels], _MOST_GROUPS)
    for edge in part.shown:
        yield f"  {labels[edge.src]}: {edge.relation} ({edge.confidence:.2f}): {edge.because}"
    if part.left_out:
        yield f"  … and {counted(part.left_out, 'more cause')} that could have been."


def _step(depth: int, edges: list[Any], known: Mapping[str, Any], there: str) -> Step:
    happened = {getattr(e, there): known[getattr(e, there)] for e in edges}
    ordered = tuple(sorted(happened.values(), key=lambda v: (v.ts is None, v.ts or 0, v.id)))
    best = max((e for e in edges if getattr(e, there) == ordered[0].id), key=lambda e: e.confidence or 0)
    rules = ", ".join(sorted({e.relation for e in edges if e.relation}, key=lambda r: (len(r), r)))
    return Step(depth, rules, ordered, best.because or "", best.confidence or 0.0, best.delay_ms)


def _steps(steps: list[Step], messages: Mapping[str, Mapping[str, Any]], clock: Clock) -> Iterator[str]:
    for step in steps[:_MOST_GROUPS]:
        first, more = step.happenings[0], len(step.happenings) - 1
        pad = "  " * step.depth
        others = f" and {counted(more, 'more of its kind', 'more of its kind')}" if more else ""
        yield f"{pad}{clock.time(first.ts)}  {first.label or first.kind}{others}"
        after = "" if step.delay_ms is None else f", {duration(step.delay_ms)} apart"
        yield f"{pad}    {step.rules} ({step.confidence:.2f}{after}): {step.because}"
        nearest = _nearest(first, messages)
        if nearest is not None:
            yield line_of(nearest, messages[nearest], clock, f"{pad}    ")
    if len(steps) > _MOST_GROUPS:
        yield f"  … and {counted(len(steps) - _MOST_GROUPS, 'more step')}."


def _nearest(happening: Any, messages: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The line of a happening's evidence that was printed closest to it."""
    told: list[str] = [
        event for event in happening.evidence or () if event in messages and not pd.isna(messages[event]["ts"])
    ]
    if happening.ts is None or not told:
        return told[0] if told else None
    nearest: str = min(told, key=lambda event: abs(messages[event]["ts"] - happening.ts))
    return nearest


def _lines(evidence: Iterable[str], messages: Mapping[str, Mapping[str, Any]], clock: Clock) -> Iterator[str]:
    told = [event for event in evidence if event in messages]
    for event in told[:_MOST_LINES]:
        yield line_of(event, messages[event], clock)
    if len(told) > _MOST_LINES:
        yield f"  … and {counted(len(told) - _MOST_LINES, 'more line')}."
    if not told:
        yield "  No single line: it follows from the rows of other tables."
