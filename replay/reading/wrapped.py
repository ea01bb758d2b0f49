"""Joins records that a terminal, a mail client or a ticket broke into several lines.

A terminal breaks lines at its width, also inside a word or number; a mail client breaks at spaces. Both move the
logger, which ends a record in Kafka's own layout, to a later line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replay.catalogue import explain
from replay.reading.layouts import STAMPED, cut_at_level

_MOST = 12  # lines of one broken record
_LEAST_WIDTH = 40  # characters: the least width of a terminal or mail
_WIDEST = 320
LOGGER_BEHIND = re.compile(r"\s?\(([A-Za-z_][\w.$]*)(?::\d{1,6})?\)\s*$")
_LOGGER_BEFORE = re.compile(r"^\s*(?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,80} {1,20}[-:] ")
_STAMPED = re.compile(STAMPED)
_BULLET = re.compile(
    r"^(\s*(?:[-*•·>]|\d{1,3}[.)])\s+)(?=\[?\d{4}[-/]\d\d[-/]\d\d|(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b)"
)
_TRACE = re.compile(
    r"\s*(?:at [\w$.<>/@-]+\(|Caused by: |Suppressed: |\.\.\. \d+ (?:more|common)|(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b)"
)
_EXCEPTION = re.compile(r"\s*(?:Caused by: )?(?:[a-z]\w*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b")
_SETTING = re.compile(r"\s+[a-z][\w.]* ?= ")
_JOINS_BARE = re.compile(r"[\w,/.:=(@$-]$")


def rejoined(rows: Sequence[str], begins: Sequence[bool]) -> list[str]:
    """`rows` with each broken record on its first row, and empty rows in place of its others; `begins`: which rows
    begin a record, or another line with its own head.
    """
    plain, begun = _without_bullets(rows, begins)
    width = max((len(row) for row in rows), default=0)
    out, at = list(plain), 0
    while at < len(plain):
        many, text = _record(plain, rows, begun, at, width)
        if many:
            out[at : at + many + 1] = [text, *[""] * many]
        at += many + 1
    return out


def _without_bullets(rows: Sequence[str], begins: Sequence[bool]) -> tuple[list[str], list[bool]]:
    """`rows` without the marks of a list, and without the indent of continued items."""
    plain, begun, indent = list(rows), list(begins), ""
    for at, row in enumerate(rows):
        bullet = _BULLET.match(row)
        if bullet:
            indent = " " * len(bullet[1])
            plain[at], begun[at] = row[bullet.end() :], True
        elif indent and row.startswith(indent):
            plain[at] = row[len(indent) :]
        else:
            indent = ""
    return plain, begun


def _record(plain: Sequence[str], rows: Sequence[str], begun: Sequence[bool], at: int, width: int) -> tuple[int, str]:
    """The number of rows after the one at `at` that belong to its line, and the joined line."""
    first = plain[at]
    is_exception = _EXCEPTION.match(first) is not None
    if not (begun[at] or is_exception) or not first.strip() or LOGGER_BEHIND.search(first):
        return 0, first
    continuation = _continuing(plain, begun, at)
    if not continuation:
        return 0, first
    if is_exception:
        many = _filled(rows, at, len(continuation), width)
        return many, "".join([first, *continuation[:many]])
    for many in range(1, len(continuation) + 1):
        found = [text for text in _ways(first, continuation[:many], rows[at : at + many], width) if _closes(text)]
        if found:
            return many, next((text for text in found if is_known(text)), found[0])
    return _by_catalogue(first, continuation, rows, at, width)


def _continuing(plain: Sequence[str], begun: Sequence[bool], at: int) -> list[str]:
    continuation: list[str] = []
    for row, is_begin in zip(plain[at + 1 : at + 1 + _MOST], begun[at + 1 : at + 1 + _MOST], strict=False):
        if is_begin or not row.strip() or _TRACE.match(row) or _SETTING.match(row):
            break
        continuation.append(row)
    return continuation


def _filled(rows: Sequence[str], at: int, most: int, width: int) -> int:
    """The number of rows over which a terminal broke a line: as long as each is as wide as the widest."""
    many = 0
    while many < most and _LEAST_WIDTH <= width <= _WIDEST and len(rows[at + many]) >= width - 1:
        many += 1
    return many


def _ways(first: str, continuation: Sequence[str], rows: Sequence[str], width: int) -> Iterator[str]:
    """The possible original lines: broken at the width of a terminal, at spaces, or after a mark."""
    is_indented = any(row.startswith("  ") for row in continuation)
    is_hard = all(len(row) >= width - 1 for row in rows) and width >= _LEAST_WIDTH and not is_indented
    bare = "".join([first, *(row.lstrip() if not is_hard else row for row in continuation)])
    words = " ".join([first.rstrip(), *(row.strip() for row in continuation)])
    marks = first.rstrip()
    for row in continuation:
        marks += (
            "" if marks.endswith((",", "/", "=", "-", "(", "[")) and not marks.endswith(", ") else " "
        ) + row.strip()
    yield from (bare, marks, words) if is_hard else (marks, words, bare)


def _closes(text: str) -> bool:
    logger = LOGGER_BEHIND.search(text)
    return logger is not None and "." in logger[1]


def is_known(text: str) -> bool:
    """Whether the catalogue knows the message of the line, with any text before it."""
    cut = cut_at_level(text)
    if cut is None:
        return False
    logger = LOGGER_BEHIND.search(cut[2])
    message = _LOGGER_BEFORE.sub("", cut[2][: logger.start()] if logger else cut[2], count=1)
    found = explain(message.strip(), logger[1] if logger else None)
    return found is not None and not found[0].needs_logger


def _by_catalogue(first: str, continuation: Sequence[str], rows: Sequence[str], at: int, width: int) -> tuple[int, str]:
    """A line in a layout that does not end with the logger: joined as long as the catalogue knows a longer message, or
    the line is as wide as the terminal.
    """
    if not is_known(first):
        for many in range(1, len(continuation) + 1):
            for text in _ways(first, continuation[:many], rows[at : at + many], width):
                if is_known(text):
                    return many, text
    if _STAMPED.match(first) and len(continuation) > 0 and len(rows[at]) >= width - 1 and _JOINS_BARE.search(first):
        many = _filled(rows, at, len(continuation), width)
        return many, "".join([first, *continuation[:many]])
    return 0, first
