"""Private keys in PEM, on one line or over many: from the line that begins a key to the last line that can belong to it.

Anybody can write `-----BEGIN PRIVATE KEY-----` into a log, as the name of a client. So only what can be the body of a
key is hidden: letters of base64 and the few headers of a key. The next record is not.
"""

from __future__ import annotations

import re

_KEY = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_BEGIN = re.compile(rf"-----BEGIN {_KEY}")
_END = re.compile(rf"-----END {_KEY}")
_ANY_MARK = re.compile(r"-----(?:BEGIN|END) ")
# Letters of a key on one line, behind blanks, escaped line ends, or what joins lines in Java, JSON or a table.
_PIECE = re.compile(r"(?P<between>(?:\\{1,8}[nr]|[\s|\"',])*+)(?P<letters>[A-Za-z0-9/+=]++)")
_LEAST = 8  # letters of a piece of a key on one line, unless an escaped line end stands before it
_LETTERS = r"[A-Za-z0-9/+=]{1,4096}+"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n]{0,200}"
_BODY_LINE = re.compile(rf"[\s>\"'+]{{0,80}}+(?P<body>{_LETTERS}|{_HEADER}|)(?:\\{{1,8}}[nr])?[\"',;+\\\s]{{0,20}}+")
_LAST_LETTERS = re.compile(r"[A-Za-z0-9/+]{2,4096}+=*+(?:\\{1,8}[nr])?")
# What docker compose, kubectl and syslog put before each line; the line with the begin can have more before it.
_LEAD = re.compile(
    r"[\w./\[-]{1,120}(?:[^\S\n]{0,40}\|[^\S\n]?|\][^\S\n])|\d{4}-\d\d-\d\dT\S{6,40}[^\S\n]|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S{1,80} \S{1,80}: "
)
_DIGIT = re.compile(r"\d")
_MOST_LINES = 2_000


def hidden_keys(text: str, mask: str) -> str:
    """`text` with `mask` in place of the body of each private key: one for a key on one line, else one for each line.
    The number of lines does not change.
    """
    if _BEGIN.search(text) is None:
        return text
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        found = _last_begin(lines[at])
        lines[at] = _on_one_line(lines[at], mask)
        at += 1
        if found is None:
            continue
        for below in range(at, min(len(lines), at + _MOST_LINES)):
            if _ends(lines[below]):
                lines[below] = _before_end(lines[below], mask)
                at = below + 1
                break
            body = _body_of(lines[below], found)
            if body is None:
                break
            lines[below] = (
                lines[below][: body[0]] + mask + lines[below][body[1] :] if body[0] < body[1] else lines[below]
            )
            at = below + 1
    return "\n".join(lines)


def has_open_key(text: str) -> bool:
    """Whether the last key that begins in `text` may go on behind its end."""
    begins = text.rfind("PRIVATE KEY-----")
    begins = max(begins, text.rfind("PRIVATE KEY BLOCK-----"))
    if begins < 0 or text.rfind("-----BEGIN ", max(0, begins - 60), begins) < 0:
        return False
    first, *below = text[text.rfind("\n", 0, begins) + 1 :].rstrip("\n").split("\n")
    found = _last_begin(first)
    return found is not None and len(below) < _MOST_LINES and all(_body_of(line, found) is not None for line in below)


def _last_begin(line: str) -> str | None:
    """The text before a key that begins on the line and does not end there."""
    begins = list(_BEGIN.finditer(line))
    return line[: begins[-1].start()] if begins and _END.search(line, begins[-1].end()) is None else None


def _ends(line: str) -> bool:
    return _END.search(line) is not None and _BEGIN.search(line) is None


def _before_end(line: str, mask: str) -> str:
    """The line that ends a key; letters of the key before its end are hidden."""
    end = _END.search(line)
    assert end is not None
    before = line[: end.start()]
    last = before.rsplit(None, 1)[-1] if before.strip() else ""
    is_body = _LAST_LETTERS.fullmatch(last) is not None
    return f"{before[: len(before.rstrip()) - len(last)]}{mask}{line[end.start() :]}" if is_body else line


def _on_one_line(line: str, mask: str) -> str:
    """The line with `mask` in place of what stands behind each begin of a key: all until its end, or what can be a key."""
    pieces, at = [], 0
    for begin in _BEGIN.finditer(line):
        if begin.start() < at:
            continue
        mark = _ANY_MARK.search(line, begin.end())
        end = mark.start() if mark is not None and _END.match(line, mark.start()) else None
        if end is None:
            end = _end_of_pieces(line, begin.end())
        pieces.append(line[at : begin.end()])
        rest = line[begin.end() : end]
        pieces.append(rest if not rest.strip(" \\\"'\t") or rest.strip() == mask else mask)
        at = end
    return "".join((*pieces, line[at:]))


def _end_of_pieces(line: str, begin: int) -> int:
    """Where the letters of a key end that has no end on its line."""
    end = begin
    while (piece := _PIECE.match(line, end)) is not None:
        letters = piece["letters"]
        goes_on = end > begin and ("\\" in piece["between"] or letters[-1] in "=+")
        if len(letters) < _LEAST and not goes_on:
            break
        end = piece.end()
    return end


def _body_of(line: str, before_begin: str) -> tuple[int, int] | None:
    """Where the body of a key stands on a line below its begin; None if the line can be no part of a key."""
    lead = _LEAD.match(line)
    for begin in (_same_lead(line, before_begin), 0, None if lead is None else lead.end()):
        found = None if begin is None else _BODY_LINE.fullmatch(line, begin)
        if found is not None:
            return found.span("body")
    return None


def _same_lead(line: str, lead: str) -> int | None:
    """The length of what stands before the text of each line, as a container's name or a timestamp, if the line has it."""
    shape = _DIGIT.sub("0", lead)
    return len(lead) if lead and _DIGIT.sub("0", line[: len(lead)]) == shape else None
