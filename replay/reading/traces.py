"""Reads the stack trace below a record: the exception, and its innermost cause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replay.reading.lines import Line
from replay.reading.secrets import hidden_and_counted

_THROWN = re.compile(r"(?:[a-z_][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)(?::|$|\s)")
_CAUSED_BY = "Caused by: "
# Lines of a stack trace, indented or not: pastes lose the tab.
_STACK = re.compile(r"\s*(?:at [\w$.<>/@~-]+\(|\.\.\. \d+ (?:more|common)|Suppressed: |\[CIRCULAR )")
# Windows' error 32, as `FileSystemException` prints it in the system's language after the file's name: this process or
# another one has the file open or mapped.
_LOCKED_BY_WINDOWS = re.compile(
    r"FileSystemException: (?:[A-Za-z]:)?[^:\\]{0,300}+\\.{0,1000}: (?:The process cannot access the file because (?:it is being used by another process|another process has locked)"
    r"|Der Prozess kann nicht auf die Datei zugreifen|Le processus ne peut pas acc.{1,2}der au fichier"
    r"|El proceso no (?:puede obtener acceso|tiene acceso) al archivo|O processo n.{1,2}o pode (?:acessar|aceder ao) |Impossibile accedere al file)"
)
_LOCKED_FILE = re.compile(r"Exception: (.{0,500}?)(?: -> .{0,500})?: [^:\\]*$")
_MOST = 1_000  # characters of a line that are kept


OF_A_TRACE = ("exception", "caused_by", "file_locked")
"""The details that a stack trace adds to a record."""


class Trace(NamedTuple):
    """The details of a record from its stack trace, and how many secrets were hidden in it."""

    details: dict[str, str]
    secrets_hidden: int


def trace_under(line_number: int, under: Sequence[Line]) -> Trace | None:
    """The details from the stack trace directly below a record, secrets hidden; None if there is none.

    `exception` is its first line, `caused_by` its innermost cause if it has one, and `file_locked` the file that
    Windows refused to move or delete because it is open.
    """
    thrown = cause = None
    for line in _trace(line_number, under):
        if thrown is None and _THROWN.match(line):
            thrown = line[:_MOST]
        elif line.startswith(_CAUSED_BY):
            cause = line[len(_CAUSED_BY) : _MOST]
    if thrown is None and cause is None:
        return None
    details, secrets = {}, 0
    for name, value in (("exception", thrown), ("caused_by", cause)):
        if value is not None:
            details[name], hidden = hidden_and_counted(value)
            secrets += hidden
    innermost = details.get("caused_by", details.get("exception", ""))
    if _LOCKED_BY_WINDOWS.search(innermost):
        file = _LOCKED_FILE.search(innermost)
        details["file_locked"] = file[1] if file else ""
    return Trace(details, secrets)


def _trace(line_number: int, under: Sequence[Line]) -> Iterator[str]:
    """The lines of the trace: those in a JSON record, or those directly below the record."""
    due = line_number + 1
    for number, _, line in under:
        if number == line_number:  # in the JSON record itself
            if _is_of_a_trace(line):
                yield line
        elif number == due and _is_of_a_trace(line):
            due += 1
            yield line
        else:
            return


def _is_of_a_trace(line: str) -> bool:
    return line.startswith(_CAUSED_BY) or _STACK.match(line) is not None or _THROWN.match(line) is not None
