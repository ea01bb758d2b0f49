"""A pasted text, or a file, as records: header, message, what stands below it; whatever layout it has, or none.

Each record knows its template and fields where the catalogue knows its wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from replay.catalogue import explain
from replay.reading.heads import head_of
from replay.reading.layouts import JOINED, JOINED_JSON, Layout, detect

LEVELS = {"TRACE": 0, "DEBUG": 1, "INFO": 2, "WARN": 3, "WARNING": 3, "ERROR": 4, "SEVERE": 4, "FATAL": 5}
_LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b\]?[: ]*")
_STAMP = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?")
_BEFORE_LEVEL = re.compile(
    r"[\W_]*(?:[\w./@+-]+:(?:\d+[:-])?\s?)?[\W_]*(?:[\w.-]+ +\|)?[\W_]*"
    rf"(?:{_STAMP.pattern}\S{{0,6}})?[\W_]*(?:\d+ )?(?:\[[^\]]*\]|[\w-]+)?[\W_]*"
)
_LOGGER_BEHIND = re.compile(r"\s\(([A-Za-z_][\w.$]*)\)\s*$")
_LOGGER_BEFORE = re.compile(
    r"^(?:\[(?P<thread>[^\]]*)\] +)?\[?(?P<logger>[A-Za-z_][\w.$]*)\]?(?::\d+)? *(?: - |: (?=\[|[A-Z]))"
)
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_JOINED = re.compile(f"{JOINED}|{JOINED_JSON}")
_MOST_WRAPPED = 12
_MOST_BELOW = 200  # lines kept under a record


@dataclass(frozen=True)
class Line:
    """A record. `trace` is what stands below its first line; times are as printed, `None` where none is."""

    source: str
    number: int
    ts: datetime | None
    level: str
    logger: str | None
    message: str
    trace: str = ""
    template: str | None = None
    kind: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Message and what stands below it."""
        return f"{self.message}\n{self.trace}" if self.trace else self.message

    @property
    def severity(self) -> int:
        """0 TRACE to 5 FATAL."""
        return LEVELS.get(self.level, 2)

    @property
    def where(self) -> str:
        """`server.log:12`."""
        return f"{self.source}:{self.number}"


def lines_of(text: str, source: str) -> Iterator[Line]:
    """The records of `text`, in the order in which they stand there."""
    rows = _JOINED.sub("\n", _ANSI.sub("", text.replace("\x00", "").replace("\r\n", "\n"))).split("\n")
    layout = detect(rows[:2000])
    begun: Line | None = None
    below: list[str] = []
    for number, row in enumerate(rows, start=1):
        head = _head(row, layout, source, number)
        if head is None:
            if begun is None and _is_exception(row):
                begun, below = Line(source, number, None, "ERROR", None, row.strip()), []
            elif begun is not None and len(below) < _MOST_BELOW and row.strip():
                below.append(row)
            continue
        if begun is not None:
            yield _whole(begun, below)
        begun, below = head, []
    if begun is not None:
        yield _whole(begun, below)


def _is_exception(row: str) -> bool:
    return re.match(r"\s*(?:Caused by: )?[\w.$]*(?:Exception|Error)(?::|\s*$)", row) is not None


def _head(row: str, layout: Layout | None, source: str, number: int) -> Line | None:
    """The record that `row` begins, if it begins one."""
    if not row.strip() or row.lstrip().startswith(("at ", "Caused by", "Suppressed:", "... ")):
        return None
    if layout is not None and row.lstrip().startswith("{") and (told := head_of(layout, row)) is not None:
        level = _LEVEL.search(row.replace('"', " "))
        return _named(Line(source, number, _time(row[:400]), _level(level), told.logger, told.message.rstrip()))
    found = _LEVEL.search(row[:240])
    said = head_of(layout, row) if layout is not None and found is not None else None
    if said is not None and said.message:
        return _named(Line(source, number, _time(row), _level(found), said.logger, said.message.rstrip()))
    if found is None or not _BEFORE_LEVEL.fullmatch(row[: found.start()]):
        return None
    return _named(Line(source, number, _time(row[: found.start()]), _level(found), None, row[found.end() :].rstrip()))


def _level(found: re.Match[str] | None) -> str:
    return "INFO" if found is None else found.group(1).replace("WARNING", "WARN")


def _named(line: Line) -> Line:
    """`line` with its logger taken out of the message, where it stands behind or before it."""
    if line.logger is not None:
        return line
    behind = _LOGGER_BEHIND.search(line.message)
    if behind:
        return replace(line, logger=behind.group(1), message=line.message[: behind.start()])
    before = _LOGGER_BEFORE.match(line.message)
    if before and (before["logger"][:1].isupper() or "." in before["logger"]):
        return replace(line, logger=before["logger"], message=line.message[before.end() :])
    return line


def _time(text: str) -> datetime | None:
    found = _STAMP.search(text[:400])
    if found is None:
        return None
    *whole, fraction = found.groups()
    try:
        return datetime(*map(int, whole), int((fraction or "0").ljust(6, "0")[:6]), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _whole(line: Line, below: list[str]) -> Line:
    """The record with what stands below it; a first line that was broken by a terminal or a mail is put together again."""
    if line.logger is None and below:
        line, below = _joined(line, below)
    known = explain(line.message, line.logger)
    line = replace(line, trace="\n".join(below))
    return line if known is None else replace(line, template=known[0].id, kind=known[0].kind, fields=known[1])


def _joined(line: Line, below: list[str]) -> tuple[Line, list[str]]:
    """A message whose logger stands in one of the next lines: the line was wrapped."""
    wrapped = next((n for n, row in enumerate(below) if row.lstrip().startswith(("at ", "Caused by"))), len(below))
    candidates: list[tuple[Line, list[str]]] = []
    for many in range(1, min(wrapped, _MOST_WRAPPED) + 1):
        for between in ("", " "):
            joined = between.join([line.message, *(row.strip() if between else row.rstrip() for row in below[:many])])
            found = _LOGGER_BEHIND.search(joined)
            if found and "." in found.group(1):
                message = joined[: found.start()]
                candidates.append((replace(line, logger=found.group(1), message=message), below[many:]))
        if candidates:
            return next((one for one in candidates if explain(one[0].message, one[0].logger)), candidates[0])
    return line, below
