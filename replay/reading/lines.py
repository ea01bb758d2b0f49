"""Splits a text into lines without their wrappers, and a line with several records into its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replay.reading.heads import member
from replay.reading.layouts import JOINED, JOINED_JSON, JsonHeader, Layout
from replay.reading.wrappers import members_of

_JOINED = re.compile(JOINED)
_JOINED_JSON = re.compile(JOINED_JSON)

Line = tuple[int, int, str]  # line number, part of the line from 0, text


def lines_of(text: str, layout: Layout, first_line: int = 1) -> Iterator[Line]:
    """Every non-empty line of `text`, numbered from `first_line`. A line has several parts if it holds several records,
    or if a member of its JSON contains line breaks.
    """
    json = next((header for header in layout.headers if isinstance(header, JsonHeader)), None)
    is_joined, is_wrapped = layout.is_joined, bool(layout.wrappers)
    for number, whole in enumerate(text.split("\n"), first_line):
        if not whole:
            continue
        line = layout.peeled(whole) if is_wrapped else whole
        if json is not None and line.startswith("{"):
            for part, inside in enumerate(_parts_of_json(line, json, is_joined)):
                if inside:
                    yield number, part, inside
        elif is_joined and json is None:
            for part, inside in enumerate(_JOINED.split(line)):
                if inside:
                    yield number, part, inside
        elif line:
            yield number, 0, line


def _parts_of_json(line: str, json: JsonHeader, is_joined: bool) -> Iterator[str]:
    if not is_joined:
        yield from _held(line, json)
        return
    for whole in _JOINED_JSON.split(line):
        yield from (inside for inside in _held(whole, json) if inside)


def _held(line: str, json: JsonHeader) -> Iterator[str]:
    """A record in JSON, followed by the lines that would stand under it in a text log: the rest of its message, and the
    stack trace.
    """
    yield line
    members = members_of(line)
    message = member(members, json.message)
    if message is not None:
        yield from message.split("\n")[1:1_001]
    stack = member(members, json.stack)
    if stack is not None:
        yield from stack.split("\n")
    else:
        thrown = (member(members, json.exception), member(members, json.exception_message))
        yield ": ".join(text for text in thrown if text is not None)
