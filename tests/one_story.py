"""Checks that an incident is one story: the table, `findings.json`, the page and the terminal agree, no part is
larger than its whole, and no effect of an incident lies outside it.

    python -m tests.one_story RESULT ...    prints the contradictions in folders that `analyze` wrote
"""

from __future__ import annotations

import html
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console

from pipelines.answers.frames import plain
from pipelines.found_files import Inputs
from pipelines.main_job import Outcome
from pipelines.result import Result
from pipelines.summary import summary
from replay.availability.reasons import HOLDS_HIGH_WATERMARK
from replay.faults.kinds import BY_NAME
from viz.all_clear import names_none
from viz.frames import rows, tidy
from viz.phrases import waited
from viz.preferred_leaders import off_preferred
from viz.summary import besides_loss

READ = (
    "incidents",
    "findings",
    "losses",
    "coverage",
    "blind_spots",
    "limits",
    "all_clear",
    "leader_epochs",
    "described_partitions",
    "isr_spans",
    "elections",
    "availability",
    "high_watermarks",
    "faults",
    "vertices",
    "edges",
    "events",
)
OPEN = ("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED")
_TOPICS = 6  # of one incident on the page
_CLOCKS_MS = 2_000  # corrected clocks of two nodes may differ by so much
_SLACK = pd.Timedelta(milliseconds=_CLOCKS_MS)
_MS = pd.Timedelta(milliseconds=1)


def of_result(out: Path) -> list[str]:
    """The contradictions in a folder that `analyze` wrote."""
    tables = {name: plain(frame) for name, frame in Result(out).tables(*READ).items()}
    told = json.loads((out / "findings.json").read_text(encoding="utf-8"))
    return list(contradictions(tables, told, (out / "report.html").read_text(encoding="utf-8")))


def contradictions(tables: Mapping[str, pd.DataFrame], told: Mapping[str, Any], page: str) -> Iterator[str]:
    """The contradictions in a result: between its tables, the content of `findings.json`, and the text of its page."""
    incidents = rows(tidy(tables["incidents"], "incidents"))
    findings = rows(tidy(tables["findings"], "findings"))
    losses = rows(tidy(tables["losses"], "losses"))
    shown, printed = _text(page), _terminal(tables)
    in_json = {one["incident_id"]: one for one in told["incidents"]}
    if set(in_json) != {i.incident_id for i in incidents}:
        yield f"incidents: {sorted(in_json)} in findings.json"
    for i in incidents:
        own = [f for f in findings if f.incident_id == i.incident_id]
        for problem in (
            *_surfaces(i, in_json[i.incident_id], shown, printed),
            *_parts(i),
            *_losses(i, [x for x in losses if x.incident_id == i.incident_id]),
            *_times(i, own),
        ):
            yield f"{i.incident_id}: {problem}"
    for f in findings:
        yield from (f"{f.finding_id}: {problem}" for problem in _interval(f))
    yield from style_of(prose(page))
    yield from _over(incidents, tables)
    yield from _readers(incidents, tables)
    yield from _proven(incidents, findings, tables)
    if "faults" in tables:
        yield from _points(rows(tables["faults"]))
        yield from _causes(rows(tidy(tables["vertices"], "vertices")), rows(tidy(tables["edges"], "edges")))
    known = {i.incident_id for i in incidents}
    yield from (
        f"a loss of {x.incident_id}, which is no incident" for x in losses if x.incident_id not in {*known, None}
    )


def _proven(incidents: Sequence[Any], findings: Sequence[Any], tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """Quoted lines that are not evidence of what they are quoted for, and findings without a quoted line that
    decides them although their evidence has one.
    """
    by_id = {f.finding_id: f for f in findings}
    kinds = {f.fault_id: f.kind for f in rows(tables["faults"])} if "faults" in tables else {}
    kind_of = dict(zip(tables["events"].event_id, tables["events"].kind, strict=True)) if "events" in tables else {}
    for i in incidents:
        quoted: dict[str, list[str]] = {}
        for one in i.proof:
            quoted.setdefault(one["finding_id"], []).append(one["event_id"])
            f = by_id.get(one["finding_id"])
            if f is None or one["event_id"] not in f.evidence:
                yield f"{i.incident_id}: {one['event_id']} is no evidence of {one['finding_id']}"
            elif one["proves"] != f.title:
                yield f"{i.incident_id}: {one['event_id']} proves {one['proves']}, and the finding is {f.title}"
        for name, events in quoted.items():
            decides = set(BY_NAME[kinds[name]].decided_by) if name in kinds else set()
            told = {kind_of.get(event) for event in by_id[name].evidence} if name in by_id else set()
            if decides & told and not decides & {kind_of.get(event) for event in events}:
                yield f"{i.incident_id}: no quoted line of {name} decides it: {sorted(decides & told)} would"


def _points(faults: Sequence[Any]) -> Iterator[str]:
    """Times of faults outside their own bounds."""
    for f in faults:
        for what, ts, low, high in (
            ("begins", f.ts, f.began_low, f.began_high),
            ("ends", f.end_ts, f.ended_low, f.ended_high),
        ):
            if ts is not None and ((low is not None and ts < low) or (high is not None and ts > high)):
                yield f"{f.fault_id} {what} {ts}, and between {low} and {high}"


def _causes(vertices: Sequence[Any], edges: Sequence[Any]) -> Iterator[str]:
    """Effects that come before their causes, delays longer than the bounds allow, and replicas that both the leader and the
    controller removed.
    """
    by_id = {v.id: v for v in vertices}
    relations: dict[str, set[str]] = {}
    for e in edges:
        cause, effect = by_id.get(e.src), by_id.get(e.dst)
        if cause is None or effect is None or None in (cause.ts, effect.ts):
            continue
        earliest, latest = cause.began_low or cause.ts, effect.began_high or effect.ts
        if latest < earliest - _SLACK:
            yield f"{e.dst} at {latest} comes before its cause {e.src}, at the earliest {earliest}"
        longest_ms = max((latest - earliest) // _MS, 0)
        if e.delay_ms is not None and not 0 <= e.delay_ms <= longest_ms:
            yield f"{e.src} to {e.dst}: a delay of at least {e.delay_ms} ms, and at most {latest - earliest}"
        if None not in (e.delay_ms, e.delay_high_ms) and e.delay_ms > e.delay_high_ms:
            yield f"{e.src} to {e.dst}: a delay of {e.delay_ms} to {e.delay_high_ms} ms"
        if effect.kind == "isr_shrink":
            relations.setdefault(e.dst, set()).add(e.relation)
    yield from (
        f"{dst}: removed by its leader and by the controller" for dst, own in relations.items() if own >= {"R4", "R13"}
    )


def _text(page: str) -> str:
    """The visible text of the page, with commands and links as part of their sentence."""
    without_scripts = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", page, flags=re.S)
    return _plain(re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:code|a)(?: [^>]*)?>", "", without_scripts)))


_QUOTED = re.compile(r'<(code|span class="(?:message|quiet)")[^>]*>.*?</(?:code|span)>', re.S)
_BREAKS = re.compile(r"</(?:p|div|tr|td|th|li|h\d|summary|table|dt|dd|title|text|caption)>|<br\s*/?>")
_STYLE = {  # what no sentence of the page may have, by the name of the class
    "a range with its unit twice": re.compile(r"\b[\d.,]+ (ms|s|min|h|offsets?|records?) to [\d.,]+ \1\b"),
    "a range of one value": re.compile(
        r"(?<![\d:.])(\d\d:\d\d:\d\d(?:\.\d+)?) (?:to|and) \1(?![.\d])|(?<![\d.,:-])(\d[\d.,]*) to \2(?![\d.:]|,\d)"
    ),
    "an offset with separators": re.compile(
        r"\b(?:truncated|log end|high watermark|from offset)\b[^.;]{0,40}? (?:to|from) \d{1,3},\d{3}\b"
    ),
    "1 with a plural": re.compile(
        r"(?<![\d.,:-])1 (?:leaders|partitions|records|offsets|brokers|ISRs|logs|lines|verdicts|incidents|findings|messages)\b"
    ),
    "a plural without s": re.compile(
        r"(?<![\d.,:-])(?:[2-9]|[1-9]\d+) (?:leader|partition|record|offset|ISR|verdict|incident|finding|message)\b(?! epochs?| changes?)"
    ),
    "all of some called some": re.compile(r"leader of (\d+) partitions\b[^\n]{0,200} acted as leader of \1 of them"),
    "a word twice": re.compile(r"\b(the|a|an|of|to|in|is|was|were|and|that|for|by|at|with|from) \1\b", re.I),
    "a private word": re.compile(r"\b(?:is told|not told|no line from it|writers|befell|took office|became it)\b"),
}


def prose(page: str) -> list[str]:
    """The sentences and cells of the page, without scripts and quoted lines."""
    without_scripts = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", page, flags=re.S)
    pieces = _BREAKS.sub("\n", _QUOTED.sub(" … ", without_scripts)).split("\n")
    texts = (_plain(re.sub(r"<[^>]+>", " ", piece)) for piece in pieces)
    return list(dict.fromkeys(text for text in texts if text))


def style_of(texts: Sequence[str]) -> Iterator[str]:
    """Classes of wording that no reader should meet, and sentences that a paragraph states twice."""
    for text in texts:
        for name, pattern in _STYLE.items():
            if (found := pattern.search(text)) is not None:
                yield f"{name}: {text[max(0, found.start() - 60) : found.end() + 60]}"
        sentences = [one for one in re.split(r"(?<=[.;]) ", text) if len(one) > 40]
        yield from (f"stated twice in one place: {one}" for one in dict.fromkeys(sentences) if sentences.count(one) > 1)


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())


def _terminal(tables: Mapping[str, pd.DataFrame]) -> str:
    said = io.StringIO()
    summary(Outcome(Path("out"), tables, Inputs([], [], [])), Console(file=said))
    return _plain(said.getvalue())


def _may_hold_others(losses: Sequence[Any]) -> bool:
    """Whether possibly committed ranges can contain records that not all in-sync replicas had."""
    own = [x for x in losses if x.loss_class == "committed" and x.verdict in OPEN]
    proven = {(x.topic, x.partition, x.leader_epoch, x.from_offset) for x in own if x.verdict == "PROVEN_LOSS"}
    return any(
        x.scenario != "S5" and x.to_offset_low != x.to_offset_high
        for x in own
        if (x.topic, x.partition, x.leader_epoch, x.to_offset_high) not in proven
    )


def _surfaces(i: Any, in_json: Mapping[str, Any], shown: str, printed: str) -> Iterator[str]:
    """Statements of the page, the terminal and `findings.json` that differ from the table."""
    for name in ("title", "told", "lost_committed", "lost_uncommitted", "elections", "partitions_affected", "is_over"):
        if in_json[name] != getattr(i, name):
            yield f"{name} is {in_json[name]} in findings.json, {getattr(i, name)} in the table"
    if [one["topic"] for one in in_json["down"]] != [one["topic"] for one in i.down]:
        yield "other topics are down in findings.json"
    lost = [
        text.removeprefix("unknown: ")[1:] for text in (i.lost_committed, i.lost_uncommitted)
    ]  # the tile says "unknown"
    texts = [i.title, besides_loss(i), *lost, i.unanswered[1:]]
    texts += [*i.still, *i.afterwards, *i.next_steps]
    if i.unanswered_offsets and i.unanswered not in printed:
        yield f"the terminal does not say what was stored and answered late or never: {i.unanswered}"
    own_topics = sorted(i.down, key=lambda one: one["topic"].startswith("__"))[:_TOPICS]
    texts += [f"{one['topic']} {'still ' if one['is_open'] else ''}{waited(one, 'acks_all')}" for one in own_topics]
    yield from (f"the page does not say: {text}" for text in texts if _plain(text.replace("`", "")) not in shown)
    yield from (
        f"the terminal does not say: {text}"
        for text in [i.title, *i.still, *i.afterwards]
        if _plain(text) not in printed
    )
    if not names_none(i.lost_committed) and i.lost_committed not in printed:
        yield f"the terminal does not say what was lost: {i.lost_committed}"


def _parts(i: Any) -> Iterator[str]:
    """Parts that are larger than their whole, and lower bounds above the upper ones."""
    for part, whole in (
        ("unclean_elections", "elections"),
        ("partitions_blocked", "partitions_affected"),
        ("lost_offsets_min", "lost_offsets_max"),
        ("acked_possible_min", "acked_possible_max"),
    ):
        if None not in (getattr(i, part), getattr(i, whole)) and getattr(i, part) > getattr(i, whole):
            yield f"{part} {getattr(i, part)} of {whole} {getattr(i, whole)}"
    for low in i._fields:
        high = low.replace("_low_ms", "_high_ms").replace("_min_ms", "_max_ms")
        if high != low and None not in (getattr(i, low), getattr(i, high)) and getattr(i, low) > getattr(i, high):
            yield f"{low} {getattr(i, low)} above {high} {getattr(i, high)}"
    for one in i.down:
        for what in ("acks_all", "acks_one", "reads"):
            if one[f"{what}_low_ms"] > one[f"{what}_high_ms"]:
                yield f"{one['topic']} was down at least {one[f'{what}_low_ms']} ms and at most {one[f'{what}_high_ms']}"
        if i.lasted_high_ms is not None and one["acks_all_low_ms"] > i.lasted_high_ms:
            yield f"{one['topic']} was down longer than the incident lasted"
        if one["acks_one_low_ms"] > one["acks_all_high_ms"]:
            yield f"{one['topic']}: acks=1 waited longer than acks=all may have"
        if one["reads_low_ms"] > one["acks_all_high_ms"]:
            yield f"{one['topic']}: consumers got no new record for longer than writes with acks=all waited"
    if not i.is_over and i.lasted_high_ms is not None:
        yield f"it is not over, and lasted at most {i.lasted_high_ms} ms"
    if (i.is_over is False) != bool(i.still):
        yield f"it is {'' if i.is_over else 'not '}over, and still {i.still}"


def _over(incidents: Sequence[Any], tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """If every incident is over: partitions without a leader, ISRs that are not full at the end of the logs, and
    leaders that did not return although no incident says so.
    """
    if not incidents or not all(i.is_over for i in incidents):
        return
    epochs, isrs = (rows(tidy(tables[name], name)) for name in ("leader_epochs", "isr_spans"))
    for epoch in epochs:
        if epoch.end_ts is None and epoch.leader_id == -1:
            yield f"every incident is over, and {epoch.topic}-{epoch.partition} has no leader"
    told = {(i.topic, i.partition): i for i in sorted(isrs, key=lambda span: span.start_ts)}
    for (topic, partition), span in told.items():
        if span.end_ts is None and span.replicas and span.isr is not None and len(span.isr) < len(span.replicas):
            yield f"every incident is over, and the ISR of {topic}-{partition} is {span.isr} of {span.replicas}"
    moved = [t for t in _off_preferred(tables) if t.end is None and t.leader_id >= 0]
    said = " ".join(text for i in incidents for text in i.afterwards)
    began = min(i.start_ts for i in incidents)
    yield from (
        f"leadership of {t.topic}-{t.partition} did not return, and no incident says so"
        for t in moved
        if t.start >= began and "did not return" not in said
    )
    if "did not return" in said and not moved:
        yield "an incident says that leadership did not return, and every partition is led by its preferred replica"


def _off_preferred(tables: Mapping[str, pd.DataFrame]) -> list[Any]:
    return off_preferred(*(tidy(tables[name], name) for name in ("leader_epochs", "isr_spans", "elections")))


def _readers(incidents: Sequence[Any], tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """High watermarks of one leader that stood still while its log grew, for longer than the stated downtime of
    readers; and high watermarks that moved while the leader must have waited for a replica.
    """
    down = {}
    for i in incidents:
        for one in i.down:
            down[one["topic"]] = down.get(one["topic"], 0) + one["reads_high_ms"]
    waits = [
        span
        for span in rows(tidy(tables["availability"], "availability"))
        if (span.acks, span.state) == ("all", "closed") and span.reason in HOLDS_HIGH_WATERMARK and span.end_ts
    ]
    tenures: dict[tuple[str, int, int, int], list[Any]] = {}
    for line in rows(tidy(tables["high_watermarks"], "high_watermarks")):
        if line.role == "leader" and None not in (line.ts, line.leader_epoch, line.high_watermark):
            tenures.setdefault((line.topic, line.partition, line.node_id, line.leader_epoch), []).append(line)
    for (topic, partition, _, _), lines in tenures.items():
        lines.sort(key=lambda line: line.ts)
        for before, then in pairwise(lines):
            stood_ms = (then.ts - before.ts) / _MS
            grew = None not in (before.log_end_offset, then.log_end_offset) and (
                then.log_end_offset > before.log_end_offset > before.high_watermark
            )
            if grew and then.high_watermark == before.high_watermark and stood_ms > down.get(topic, 0) + _CLOCKS_MS:
                yield f"{topic}-{partition}: the high watermark stood at {before.high_watermark} for {stood_ms:.0f} ms"
            for span in waits if then.high_watermark > before.high_watermark else ():
                inside = span.start_ts + _SLACK < before.ts and then.ts < span.end_ts - _SLACK
                if (span.topic, span.partition) == (topic, partition) and inside:
                    yield f"{topic}-{partition}: the high watermark moved at {then.ts} while it is said to stand still"


def _losses(i: Any, losses: Sequence[Any]) -> Iterator[str]:
    """Sums that differ from those of the incident's rows in `losses`, and times of losses that are out of order."""
    for committed, low, high in ((True, i.lost_offsets_min, i.lost_offsets_max), (False, 0, i.acked_possible_max)):
        own = [x for x in losses if (x.loss_class == "committed") == committed and x.verdict in OPEN]
        ends = [None if x.to_offset_high is None else x.to_offset_high - x.from_offset for x in own]
        most = None if None in ends or (not committed and not own and _may_hold_others(losses)) else sum(ends)
        sure = sum(x.to_offset_low - x.from_offset for x in own if x.verdict == "PROVEN_LOSS")
        if most != high or (committed and sure != low):
            yield f"lost {low} to {high}, by its rows {sure} to {most}"
    for x in losses:
        times = [ts for ts in (x.written_low, x.written_high, x.cut_ts) if ts is not None]
        if times != sorted(times):
            yield f"records of {x.topic}-{x.partition} written and truncated at {times}"


def _times(i: Any, findings: Sequence[Any]) -> Iterator[str]:
    """Findings that are outside the incident's time range."""
    for f in findings:
        if f.role == "benign":
            continue
        begin = f.began_low if f.began_low is not None and f.role == "root_cause" else f.start_ts
        if begin is not None and begin < i.start_ts and f.role in ("root_cause", "effect"):
            yield f"{f.finding_id} begins {begin}, before it ({i.start_ts})"
        if f.end_ts is not None and f.end_ts > i.end_ts:
            yield f"{f.finding_id} ends {f.end_ts}, after it ({i.end_ts})"


def _interval(f: Any) -> Iterator[str]:
    """Inconsistent bounds of a finding's times."""
    if None not in (f.began_low, f.start_ts) and f.start_ts < f.began_low:
        yield f"starts {f.start_ts} before {f.began_low}"
    if None not in (f.began_high, f.start_ts) and f.start_ts > f.began_high:
        yield f"starts {f.start_ts} after {f.began_high}"
    for low, high in ((f.began_low, f.began_high), (f.ended_low, f.ended_high)):
        if None not in (low, high) and low > high:
            yield f"bounds {low} and {high}"


if __name__ == "__main__":
    problems = {out: of_result(Path(out)) for out in sys.argv[1:]}
    for out, told_of in problems.items():
        print(out, "one story" if not told_of else "")
        for problem in told_of:
            print("  ", problem)
    sys.exit(any(problems.values()))
