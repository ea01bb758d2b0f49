"""What other lines of the same text refute in a message: a claim that they rule out is replaced by what they show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from replay.knowledge.answer import ExplainedMessage
from replay.knowledge.code_tables import rows_of
from replay.knowledge.meaning import ENDED
from replay.patterns import compiled
from replay.reading.printed_line import Line

_FIELDS = ("says", "effect", "data", "heals", "next", "whose")
_LONG = 64 * 2**10  # characters of a text; a longer one is no paste
_QUOTED, _BEFORE = 140, 40  # characters of a row, and how many of them before what matters
_OF_RECORDS = re.compile(r"in-sync replicas|\backs\b")
# A start that an image, systemd or a person began, before Kafka itself prints anything.
_BEGINS = re.compile(
    r"(?:===> Launching|\*\* Starting Kafka|Running in KRaft mode|systemd started|Started (?:\S{1,40} )?[Kk]afka)"
)


def without_the_refuted(messages: Iterable[ExplainedMessage], lines: Sequence[Line]) -> list[ExplainedMessage]:
    """The messages without the claims that a line of the text rules out."""
    text = "\n".join(line.text for line in lines)
    if len(text) > _LONG:
        return list(messages)
    ruled_out = [(row, found) for row in rows_of("claims") if (found := row.regex.search(text)) is not None]
    has_not_begun = _has_not_begun(lines)
    out = []
    for one in messages:
        fields = {name: f"{name}: {getattr(one, name)}" for name in _FIELDS if getattr(one, name)}
        for row, found in ruled_out:
            instead = row.next.replace("{quote}", _row_of(text, found))
            fields = {name: compiled(row.says).sub(instead.replace("\\", r"\\"), old) for name, old in fields.items()}
        changed: dict[str, Any] = {name: new.partition(": ")[2].strip() for name, new in fields.items()}
        one = replace(one, **changed)
        is_before = has_not_begun and one.weight == ENDED and _OF_RECORDS.search(one.data)
        out.append(_of_a_start(one) if is_before else one)
    return out


def _row_of(text: str, found: re.Match[str]) -> str:
    """The row in which a pattern begins to match, without its end if it is long."""
    begin = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.start())
    row = text[begin : end if end >= 0 else len(text)]
    shown = row[max(0, found.start() - begin - _BEFORE) :]
    return (f"{shown[:_QUOTED].rpartition(' ')[0]} …" if len(shown) > _QUOTED else shown).lstrip("> ").rstrip(" .")


def _has_not_begun(lines: Sequence[Line]) -> bool:
    """Whether the lines show a start, and none that Kafka itself printed after it."""
    start = next((line.number for line in lines if _BEGINS.search(line.message)), None)
    return start is not None and not any(line.template or line.logger for line in lines if line.number > start)


def _of_a_start(one: ExplainedMessage) -> ExplainedMessage:
    """The message of a process that ended before Kafka began."""
    effect = "It ended at its start, before Kafka itself began." if one.effect else ""
    return replace(one, effect=effect, data="No record is concerned: Kafka had not begun." if one.data else "")
