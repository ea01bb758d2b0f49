"""A program that gives up: what went before it in the same lines does not recover by itself any more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from replay.knowledge.answer import ExplainedMessage
from replay.knowledge.library import library
from replay.knowledge.meaning import ENDED, HARMLESS, PASSING, STOPPED, TROUBLE
from replay.knowledge.meanings import CLIENTS, USERS
from replay.knowledge.naming import is_no_broker

_RECOVERS = re.compile(r"(?:yes|usually|if|once|when|with|mostly)\b")
_TRIES_AGAIN = re.compile(r"\b(?:again|continues|retries|reconnects|wait)\b")


def with_those_that_gave_up(messages: Sequence[ExplainedMessage]) -> list[ExplainedMessage]:
    """The messages. Of what a program reported before it ended, nothing recovers by itself; the first message that can
    be the reason also says that it ended.
    """
    ends = _ends()
    out = list(messages)
    for at, end in enumerate(out):
        if end.key not in ends or not (is_no_broker(end.subject) or end.nodes == ()):
            continue
        before = [place for place, one in enumerate(out) if place != at and _is_before(one, end, ends)]
        for place in before:
            out[place] = _for_good(out[place], end)
        if before and not (end.because or end.follows) and ends[end.key]:
            reason = min(before, key=lambda place: _strength(out[place]))
            first = out[reason]
            out[reason] = replace(first, says=f"{first.says} {end.says}")
            out[at] = replace(end, follows=first.says, next="", heals="")
    return out


def _ends() -> dict[str, bool]:
    """The meanings that say that a program ended, and whether an earlier line has the reason."""
    return {
        one.key: one.reason_before
        for one in library().meanings
        if one.weight == ENDED and one.written_by in (USERS, CLIENTS)
    }


def _is_before(one: ExplainedMessage, end: ExplainedMessage, ends: Mapping[str, bool]) -> bool:
    """Whether a process that is no broker wrote the message, in the same file, before the end and not after it."""
    if one.weight == HARMLESS or one.key in ends or not is_no_broker(one.subject):
        return False
    (source, _, row), (own, _, last) = one.where.rpartition(":"), end.where.rpartition(":")
    is_after = one.last is not None and end.last is not None and one.last > end.last
    return source == own and int(row) < int(last) and not is_after


def _strength(one: ExplainedMessage) -> tuple[bool, int]:
    """A sort key: what cannot be tried again first, then the first in the file."""
    return one.weight not in (ENDED, STOPPED), int(one.where.rpartition(":")[2])


def _for_good(one: ExplainedMessage, end: ExplainedMessage) -> ExplainedMessage:
    """The message, without the words that it is tried again."""
    recovers = one.heals and _RECOVERS.match(one.heals) is not None
    return replace(
        one,
        weight=TROUBLE if one.weight == PASSING else one.weight,
        heals="no: the program ended; start it again when the reason has passed" if recovers else one.heals,
        effect=end.effect if _TRIES_AGAIN.search(one.effect) else one.effect,
    )
