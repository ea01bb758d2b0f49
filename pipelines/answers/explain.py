"""Why a finding was concluded: its evidence lines, its causes, its effects; or what a code means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from replay.facts.groups import by_key
from viz.phrases import UNKNOWN, at_most, counted, delay, duration

TABLES = ("findings", "incidents", "faults", "vertices", "edges", "losses", "coverage")
# The only columns read from tables that grow with the number of partitions.
COLUMNS = {
    "vertices": ("id", "kind", "ts", "topic", "partition", "label", "incident_id", "evidence"),
    "edges": ("src", "dst", "relation", "because", "rank", "confidence", "delay_ms", "delay_high_ms"),
}
_MOST_LINES = 12
_MOST_GROUPS = 12
_DEEPEST = 6  # fault, detection, leaderless, election, loss, truncation


@dataclass(frozen=True)
class Step:
    """Happenings of one kind that one rule joins to the same causes (or effects), `depth` steps from the explained
    finding: the first of them, and how many there are.
    """

    depth: int
    rules: str
    first: Any
    count: int
    because: str
    confidence: float
    delay: str  # its bounds


def found(tables: Mapping[str, pd.DataFrame], wanted: str) -> list[Any]:
    """The findings that `wanted` names: an id, the beginning of ids, a code, or an incident."""
    findings = rows(tables["findings"])
    exact = [f for f in findings if f.finding_id == wanted]
    by_code = [f for f in findings if wanted.upper() == (f.code or "").upper()]
    by_incident = [f for f in findings if f.incident_id == wanted and f.role == "root_cause"]
    begun = [f for f in findings if f.finding_id.startswith(wanted)]
    return exact or by_code or by_incident or begun


def roots(tables: Mapping[str, pd.DataFrame]) -> list[Any]:
    """The findings that are root causes, in order of time."""
    root_causes = [f for f in rows(tables["findings"]) if f.role == "root_cause"]
    return sorted(root_causes, key=lambda f: (f.start_ts is None, f.start_ts or 0, f.finding_id))


class Graph:
    """The causality graph of a result, indexed once: with 12,000 partitions it has several hundred thousand edges."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self._vertices = tables["vertices"]
        self.known = {v.id: v for v in rows(self._vertices)}
        edges = tables["edges"]
        self._ranked = "rank" in edges
        self._by_src: dict[str, list[Any]] = {}
        self._by_dst: dict[str, list[Any]] = {}
        self._rivals: dict[str, list[Any]] = {}
        for edge in rows(edges):
            if not self._ranked or edge.rank == 1:  # its most likely rival
                self._by_src.setdefault(edge.src, []).append(edge)
                self._by_dst.setdefault(edge.dst, []).append(edge)
            elif edge.rank is not None and edge.rank > 1:
                self._rivals.setdefault(edge.dst, []).append(edge)
        self._walked: dict[tuple[str, str], list[Step]] = {}

    def causes(self, finding: Any) -> list[Step]:
        """The causes of a finding, nearest first."""
        return self._walk(finding, self._by_dst, "src")

    def effects(self, finding: Any) -> list[Step]:
        """The effects of a finding, nearest first."""
        return self._walk(finding, self._by_src, "dst")

    def own(self, finding: Any) -> list[str]:
        """The happenings of a finding: its fault, or those of its kind, incident, time and partitions."""
        if finding.finding_id in self.known:
            return [finding.finding_id]
        kinds, names = ABOUT.get(finding.finding_id.split("/")[0], ()), set(finding.partitions or ())
        return [
            v.id
            for v in self.known.values()
            if v.kind in kinds
            and v.incident_id == finding.incident_id
            and _within(v.ts, finding)
            and (not names or v.topic is None or f"{v.topic}-{v.partition}" in names)
        ]

    def rivals(self, finding: Any) -> Iterator[str]:
        """The possible causes of a finding that are less likely than the accepted ones."""
        mine = [edge for own in self.own(finding) for edge in self._rivals.get(own, ())]
        first: dict[str, Any] = {}
        for edge in sorted(mine, key=lambda e: (e.rank, e.src)):
            first.setdefault(edge.src, edge)
        for edge in list(first.values())[:_MOST_GROUPS]:
            if edge.src in self.known:
                cause = self.known[edge.src]
                yield f"  {cause.label or cause.kind}: {edge.relation} ({edge.confidence:.2f}): {edge.because}"

    def _walk(self, finding: Any, edges: Mapping[str, Sequence[Any]], there: str) -> list[Step]:
        """The happenings that accepted edges join to the finding's own, step by step. Each appears once; those of
        one kind are grouped.
        """
        key = (finding.finding_id, there)
        if key in self._walked:
            return self._walked[key]
        at = set(self.own(finding))
        seen, steps = set(at), []
        for depth in range(1, _DEEPEST + 1):
            joined = [
                edge
                for here in sorted(at)
                for edge in edges.get(here, ())
                if getattr(edge, there) not in seen and getattr(edge, there) in self.known
            ]
            groups = by_key(joined, lambda edge: self.known[getattr(edge, there)].kind)
            made = [_step(depth, some, self.known, there) for some in groups.values()]
            steps += sorted(made, key=lambda s: (s.first.ts is None, s.first.ts or 0))
            at = {getattr(edge, there) for edge in joined}
            seen |= at
            if not at:
                break
        self._walked[key] = steps
        return steps


def evidence_of(graph: Graph, findings: Iterable[Any]) -> list[str]:
    """The events whose lines the explanation of `findings` shows."""
    all_findings = list(findings)
    steps = [step for f in all_findings for way in (graph.causes(f), graph.effects(f)) for step in way]
    return first_lines([f.evidence for f in all_findings] + [step.first.evidence for step in steps])


def explained(
    tables: Mapping[str, pd.DataFrame],
    graph: Graph,
    finding: Any,
    messages: Mapping[str, Mapping[str, Any]],
    glossary: pd.DataFrame,
    clock: Clock,
) -> Iterator[str]:
    """A finding with its lines, its causes and its effects, as text."""
    yield from _head(finding, clock)
    yield from ("", clock.sentence(f"{finding.summary}", finding.start_ts), "", "Evidence")
    yield from _lines(finding.evidence or (), messages, clock)
    before, after = graph.causes(finding), graph.effects(finding)
    yield from ("", "Causes")
    first = (
        "No earlier cause in these logs: a root cause." if finding.role == "root_cause" else "No cause in these logs."
    )
    yield from _steps(before, messages, clock) if before else (f"  {first}",)
    yield from ("", "Effects")
    yield from _steps(after, messages, clock) if after else ("  No effect in these logs.",)
    if rivals := list(graph.rivals(finding)):
        yield from ("", "Less likely alternative causes", *rivals)
    if finding.blind_spots:
        yield from ("", "What is missing to be sure", *(f"  {spot}" for spot in finding.blind_spots))
    if finding.code:
        yield ""
        yield from meaning(finding.code, glossary)
    of_finding = tables["findings"][tables["findings"].finding_id == finding.finding_id]
    yield from next_witnesses(of_finding, tables["faults"], tables["vertices"], tables["coverage"])


def _head(finding: Any, clock: Clock) -> Iterator[str]:
    """The title of a finding, its severity and confidence, its time, and its place."""
    yield f"{finding.code or '   '}  {clock.sentence(finding.title or '', finding.start_ts)}"
    yield f"     {finding.finding_id}"
    sure = "" if finding.confidence is None else f", confidence {finding.confidence:.2f}"
    where = f", {finding.incident_id}" if finding.incident_id else ""
    yield f"     {finding.severity}, {finding.role.replace('_', ' ')}{sure}{where}"
    if finding.start_ts is not None:
        lasted = None if finding.end_ts is None else (finding.end_ts - finding.start_ts).total_seconds() * 1000
        shown = "" if lasted is None else f" ({duration(lasted)})"
        yield f"     {clock.span(finding.start_ts, finding.end_ts)}{shown}, {clock.name}"
    if finding.partitions:
        yield f"     {at_most(finding.partitions, 8)}"


def meaning(code: str, glossary: pd.DataFrame) -> Iterator[str]:
    """The meaning of a code (F01, R2, S4, I6), and for a fault what to check next. Raises InputError for an unknown
    code.
    """
    named = rows(glossary[glossary.code.str.upper() == code.upper()])
    if not named:
        raise InputError(f"{code}: no such finding or code; codes are {which_codes(glossary)}")
    yield f"{named[0].code}  {named[0].name}: {named[0].means}"
    if named[0].look_next:
        yield f"Look next: {named[0].look_next}"


_LIKE_A_CODE = re.compile(r"(?i)[FRSI]\d{1,3}|KAFKA-\d+|[A-Z]+(?:_[A-Z]+)+")


def looks_like_a_code(text: str) -> bool:
    """Whether `text` can only be a code or a known bug, for which no result is needed."""
    return _LIKE_A_CODE.fullmatch(text) is not None


def is_code(text: str, glossary: pd.DataFrame) -> bool:
    """Whether `text` is a code of the glossary."""
    return bool((glossary.code.str.upper() == text.upper()).any())


def _within(ts: pd.Timestamp | None, finding: Any) -> bool:
    if ts is None or finding.start_ts is None:
        return True
    return bool(finding.start_ts <= ts and (finding.end_ts is None or ts <= finding.end_ts))


def _step(depth: int, edges: Sequence[Any], vertices: Mapping[str, Any], there: str) -> Step:
    happened = {getattr(e, there): vertices[getattr(e, there)] for e in edges}
    first = min(happened.values(), key=lambda v: (v.ts is None, v.ts or 0, v.id))
    best = max((e for e in edges if getattr(e, there) == first.id), key=lambda e: e.confidence or 0)
    rules = ", ".join(sorted({e.relation for e in edges if e.relation}, key=lambda r: (len(r), r)))
    return Step(depth, rules, first, len(happened), best.because or "", best.confidence or 0.0, delay([best]))


def _steps(steps: list[Step], messages: Mapping[str, Mapping[str, Any]], clock: Clock) -> Iterator[str]:
    for step in steps[:_MOST_GROUPS]:
        first, more = step.first, step.count - 1
        pad = "  " * step.depth
        others = f" and {counted(more, 'more of its kind', 'more of its kind')}" if more else ""
        yield f"{pad}{clock.time(first.ts)}  {clock.sentence(first.label or first.kind, first.ts)}{others}"
        after = "" if step.delay == UNKNOWN else f", {step.delay} apart"
        yield f"{pad}    {step.rules} ({step.confidence:.2f}{after}): {clock.sentence(step.because, first.ts)}"
        nearest = _nearest(first, messages)
        if nearest is not None:
            yield line_of(nearest, messages[nearest], clock, f"{pad}    ")
    if len(steps) > _MOST_GROUPS:
        yield f"  … and {counted(len(steps) - _MOST_GROUPS, 'more step')}."


def _nearest(happening: Any, messages: Mapping[str, Mapping[str, Any]]) -> str | None:
    """The evidence line of a happening whose timestamp is closest to it."""
    timed: list[str] = [
        event for event in happening.evidence or () if event in messages and not pd.isna(messages[event]["ts"])
    ]
    if happening.ts is None or not timed:
        return timed[0] if timed else None
    nearest: str = min(timed, key=lambda event: abs(messages[event]["ts"] - happening.ts))
    return nearest


def _lines(evidence: Iterable[str], messages: Mapping[str, Mapping[str, Any]], clock: Clock) -> Iterator[str]:
    quoted = [event for event in evidence if event in messages]
    for event in quoted[:_MOST_LINES]:
        yield line_of(event, messages[event], clock)
    if len(quoted) > _MOST_LINES:
        yield f"  … and {counted(len(quoted) - _MOST_LINES, 'more line')}."
    if not quoted:
        yield "  No single line: it follows from the rows of other tables."
