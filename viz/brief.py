"""An incident in at most 150 words: what, when, who, harm, lost, over, do. The first screen of the page, the text that
its button copies and `post-mortem --short` are all drawn from here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from viz import all_clear, frames, limits
from viz import phrases as words
from viz.cluster import nodes_by_role
from viz.metric_statements import next_steps
from viz.summary import (
    is_of_losses,
    is_routine,
    loss_outside_incidents,
    lost_in_all,
    over,
    state_without_incident,
    still_held,
    unexplained,
    what_was_read,
    without_a_cause,
)

MOST_WORDS = 150
_FOR_STEPS = 40  # words that the next steps may always use
_FEWEST_WORDS = 8  # of a point that has to be cut
_A_STEP = 16
_REASON = 20  # words of a loss with its reason; a longer reason is on the page
_TOPICS = 2
_NODES = 4
_ASIDE = re.compile(r" \([^()]*\)")
_SENTENCE = re.compile(r"(?<=[^.])\. (?=[A-Z])")
_CLAUSE = re.compile(r"(?<=[;:]) |(?<=,) (?=(?:so|unless|and|or|which|because|until)\b)")
_ADDRESS = re.compile(r"(?:Brokers?|Controllers?|Nodes?) [\d, and]+:")  # whom a step concerns: no step by itself
_OF_GROUPS = "__consumer_offsets"
_READS = "reads of new records"
_RULE_IT_OUT = "To rule it out, check request latency (TotalTimeMs) and follower lag (MaxLag) for that time."
_SAVE = "Copy the log directories of these partitions before Kafka truncates more; `kafka-replay losses` lists the ranges, `kafka-replay rescue` searches the copies."
_GET_MORE = (
    "Analyze again with the missing logs, which can show the cause; docs/getting-the-logs.md says how to get them."
)
_LOOK_AROUND = "Look at the lines of all nodes around that time: `kafka-replay lines`."
_HARMS = (
    ("acks_all", "Writes with acks=all"),
    ("acks_one", "Writes with acks=1"),
    ("reads", "Reads of new records"),
)


@dataclass(frozen=True)
class Point:
    """A label and what it says; several texts are a numbered list."""

    label: str
    texts: Sequence[str]

    @property
    def text(self) -> str:
        """All of it on one line."""
        if len(self.texts) == 1:
            return self.texts[0]
        return " ".join(f"{number}. {text}" for number, text in enumerate(self.texts, 1))


@dataclass(frozen=True)
class FirstScreen:
    """What the page shows first, and the same as text to copy, which also has the page's title."""

    points: Sequence[Point]
    text: str


def first_screen(points: Sequence[Point], title: str) -> FirstScreen:
    """The points without the one that the page has as its title."""
    return FirstScreen(
        [p for p in points if p.label != "What" or not title.startswith(p.text.rstrip("."))], as_text(points)
    )


def as_text(points: Sequence[Point]) -> str:
    """The points as lines of text."""
    return "\n".join(f"{point.label}: {point.text}" for point in points)


def count(points: Sequence[Point]) -> int:
    """The number of words."""
    return len(as_text(points).split())


def of_incident(tables: Mapping[str, pd.DataFrame], incident: Any) -> list[Point]:
    """An incident in at most 150 words."""
    last_lines = [file.last_ts for file in frames.table(tables, "coverage")]
    state = over(incident, last_lines)
    before = [
        _point("What", words.ended(incident.title or incident.incident_id)),
        _point("When", f"{words.span_of(incident)}."),
        *_who(tables, incident),
        _point("Harm", _harm(incident.down)),
        _point("Lost", _lost(tables, incident)),
    ]
    most, others = MOST_WORDS - _FOR_STEPS, _others(tables, incident)
    full = [*before, _over(state.value, incident.afterwards), *others]
    points = full if count(full) <= most else _fitted([*before, _over(state.value, ()), *others], most)
    return _with_steps(points, [in_short(step) for step in incident.next_steps])


def without_incident(tables: Mapping[str, pd.DataFrame], trouble: str = "") -> list[Point]:
    """A result without an incident in at most 150 words; `trouble` is what its lines report nevertheless."""
    seen = unexplained(tables)
    points = [
        _point("What", state_without_incident(tables, trouble)),
        _point("Read", " ".join(what_was_read(tables))),
        _point("Lost", loss_outside_incidents(tables).text),
        *([] if seen else [_point("Not ruled out", "A fault that crosses no timeout leaves no line.")]),
    ]
    steps = [
        *next_steps(tables),
        *(steps_without_cause(tables, seen) if seen else [_RULE_IT_OUT]),
    ]
    return _with_steps(_fitted(points, MOST_WORDS - _FOR_STEPS), [in_short(step) for step in steps])


def steps_without_cause(tables: Mapping[str, pd.DataFrame], seen: Sequence[Any]) -> list[str]:
    """What to do about findings without a cause: save what is left, then find the cause."""
    return [
        *([_SAVE] if any(is_of_losses(one) for one in seen) else []),
        _GET_MORE if limits.sentences(tables) else _LOOK_AROUND,
    ]


def in_short(text: str) -> str:
    """The first clauses of a text, without what stands in parentheses; … marks that more follows."""
    whole = _ASIDE.sub("", text).strip()
    taken = ""
    for clause in _CLAUSE.split(_SENTENCE.split(whole)[0]):
        longer = f"{taken} {clause}".strip()
        if taken and len(longer.split()) > _A_STEP and not _ADDRESS.fullmatch(taken):
            break
        taken = longer
    if taken.count("`") % 2:
        taken = taken[: taken.rindex("`")].strip()
    taken = _cut(taken.rstrip(".,;: "), _A_STEP + 8).removesuffix(" …")
    return words.ended(taken) if taken == text.strip().rstrip(".") else f"{taken} …"


def _over(state: str, afterwards: Sequence[str]) -> Point:
    """Whether it is over, and what it left behind."""
    return _point("Over", " ".join([words.ended(state), *(in_short(text) for text in afterwards[:1])]))


def _point(label: str, text: str) -> Point:
    return Point(label, (text,))


def _who(tables: Mapping[str, pd.DataFrame], incident: Any) -> list[Point]:
    """The nodes at fault, and those that made it worse."""
    if not incident.broker_ids:
        return []
    began = "began with " if is_routine(incident) else ""
    also = incident.contributed_ids
    worse = f"; {_nodes(tables, also)} made it worse" if also else ""
    return [_point("Who", words.sentence(f"{began}{_nodes(tables, incident.broker_ids)}{worse}"))]


def _nodes(tables: Mapping[str, pd.DataFrame], ids: Sequence[int]) -> str:
    every = set(ids)
    return words.counted(len(every), "node") if len(every) > _NODES else nodes_by_role(tables, every)


def _harm(down: Sequence[Mapping[str, Any]]) -> str:
    """How long which topics were not served, of the first kind of request that any topic refused."""
    for what, requests in _HARMS:
        hit = [one for one in down if one[f"{what}_high_ms"] != 0]
        if hit:
            is_sure = any(one[f"{what}_low_ms"] for one in hit)
            blocked = "were blocked" if is_sure else "may have been blocked"
            with_reads = what == "acks_all" and all(map(_reads_waited_too, hit))
            also = f"{_if_any(hit) if what == 'acks_all' else ''}{f' and {_READS}' if with_reads else ''}"
            apart = "" if with_reads or what == "reads" else _of_readers(down)
            return f"{requests}{also} {blocked}: {_of_topics(hit, what)}.{apart}{_of_groups(hit, what)}"
    return "The logs show no topic that was unavailable for writes or reads."


def _if_any(hit: Sequence[Mapping[str, Any]]) -> str:
    """That no line shows producers with acks=all, where none does."""
    return "" if any(one.get("acks_all_shown", True) for one in _of_users(hit) or hit) else ", if any,"


def _of_readers(down: Sequence[Mapping[str, Any]]) -> str:
    """How long consumers received no new records, in a sentence of its own."""
    hit = [one for one in _of_users(down) if one["reads_low_ms"]]
    return f" {_READS.capitalize()} were blocked: {_of_topics(hit, 'reads')}." if hit else ""


def _reads_waited_too(one: Mapping[str, Any]) -> bool:
    """Whether reads of new records of a topic waited as long as its writes, as far as the figures show."""
    reads, writes = (words.bounds(one[f"{what}_low_ms"], one[f"{what}_high_ms"]) for what in ("reads", "acks_all"))
    return reads == writes


def _of_groups(hit: Sequence[Mapping[str, Any]], what: str) -> str:
    """How long consumer groups could not commit, beside the waits of users' topics."""
    of_groups = next((one for one in hit if one["topic"] == _OF_GROUPS), None)
    if of_groups is None or not _of_users(hit):
        return ""
    could_not = "could not commit" if of_groups[f"{what}_low_ms"] else "may have been unable to commit"
    return f" Some consumer groups {could_not} for {words.waited(of_groups, what)}."


def _of_users(hit: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in hit if not one["topic"].startswith("__")]


def _of_topics(hit: Sequence[Mapping[str, Any]], what: str) -> str:
    """The times of the first topics; topics with the same time share it."""
    own = _of_users(hit) or list(hit)
    alike = frames.by_key(own, lambda one: _waited(one, what), lambda one: one["topic"])
    shown = list(alike.items())[:_TOPICS]
    parts = [f"{_topics(topics)} for {waited}" for waited, topics in shown]
    more = len(own) - sum(len(topics) for _, topics in shown)
    return "; ".join([*parts, *([words.counted(more, "more topic")] if more else [])])


def _waited(one: Mapping[str, Any], what: str) -> str:
    """How long a topic waited, and its single partitions if that is less."""
    of_each = words.by_partition(one, what)
    return f"{words.waited(one, what)}{f' ({of_each})' if of_each else ''}"


def _topics(names: Sequence[str]) -> str:
    more = len(names) - _TOPICS
    return words.listed([*names[:_TOPICS], *([words.counted(more, "more topic")] if more > 0 else [])])


def _lost(tables: Mapping[str, pd.DataFrame], incident: Any) -> str:
    """What was lost, committed records and others apart, and whether a replica still holds them."""
    sentences = [
        f"{label}: {words.ended(_amount(text))}"
        for label, text in (
            ("Committed", incident.lost_committed),
            ("Uncommitted (acks=1 or 0)", incident.lost_uncommitted),
        )
    ]
    back = still_held(tables).get(incident.incident_id)
    if back is not None:
        sentences.append(f"{back.label} {words.ended(back.value)}")
    return " ".join([*sentences, *filter(None, [all_clear.deletions(tables)])])


def _amount(text: str | None) -> str:
    """The text of a loss; a long one without its reason."""
    amount = (text or words.UNKNOWN).removeprefix("unknown: ")
    return amount if len(amount.split()) <= _REASON else amount.split(": ")[0]


def _others(tables: Mapping[str, pd.DataFrame], incident: Any) -> list[Point]:
    """How many more incidents there are, and what all of them lost."""
    every, apart = frames.table(tables, "incidents"), unexplained(tables)[:1]
    also = [words.ended(without_a_cause(one)) for one in apart]
    if len(every) > 1:
        also.append(f"{words.counted(len(every) - 1, 'more incident')}. {lost_in_all(every)}".strip())
    return [_point("Also", " ".join(also))] if also else []


def _with_steps(points: Sequence[Point], steps: Sequence[str]) -> list[Point]:
    """The points, and as many of the next steps as fit; the first always."""
    shown: list[str] = []
    for step in steps:
        fits = count([*points, Point("Do", (*shown, step, "Then 9 more steps: see Next on the page."))]) <= MOST_WORDS
        if shown and not fits:
            shown[-1] += f" Then {words.counted(len(steps) - len(shown), 'more step')}: see Next on the page."
            break
        shown.append(step)
    return [*points, Point("Do", tuple(shown or ["The logs suggest no action."]))]


def _fitted(points: Sequence[Point], most: int) -> list[Point]:
    """The points, the longest of them cut until all have at most `most` words."""
    fitted = list(points)
    while count(fitted) > most:
        at = max(range(len(fitted)), key=lambda n: len(fitted[n].text.split()))
        size = len(fitted[at].text.split())
        if size <= _FEWEST_WORDS:
            break
        fitted[at] = replace(fitted[at], texts=(_cut(fitted[at].text, size - 2),))
    return fitted


def _cut(text: str, most: int) -> str:
    parts = [part for part in text.split() if part != "…"]
    return text if len(parts) <= most else " ".join([*parts[: most - 1], "…"])
