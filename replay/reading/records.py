"""Reads the text of a log into its records, whether or not a template matches them. No line is dropped.

A record begins at a line that its file's layout fits; the lines after it (a stack trace, a dump) belong to it. The
JVM's report of its own end has no timestamp: it becomes a record with the time of the record before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from replay.catalogue import Catalogue, whole_catalogue
from replay.catalogue.server_jvm import JVM_MESSAGES, SHELL_MESSAGE
from replay.reading.heads import Head, Reader, head_reader, stray
from replay.reading.layouts import STAMPED, JsonHeader, Layout, layout_named
from replay.reading.lines import Line, lines_of
from replay.reading.matching import understood
from replay.reading.plain_messages import are_plain
from replay.reading.secrets import hidden_behind, hidden_text, is_setting_of_a_secret
from replay.reading.set_aside import IMPOSSIBLE_NUMBER, SET_ASIDE, reason, whole_text
from replay.reading.settings import Setting, settings_under
from replay.reading.stamps import datetime_of
from replay.reading.traces import trace_under
from replay.reading.writers import node_configured, node_named

_STAMPED = re.compile(STAMPED)
# The head of syslog, before a line of another program: month, day, time, host, program.
_OF_SYSLOG = re.compile(
    r"(?:<\d{1,3}>)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.:-]{1,100} [\w./@()-]{1,100}(?:\[\d{1,9}\])?: "
)
_NONE: Mapping[str, Any] = {}
_QUIET = ("TRACE", "DEBUG", "INFO")
_AT_ONCE = 2_000  # records whose messages are checked together
_MOST_BELOW, _LONGEST_BELOW = 400, 24_000  # lines and characters that are kept below a record


class Record(NamedTuple):
    """A record of a log, or a line of a witness file. Secrets in it are hidden and counted.

    `micros` is its timestamp since 1970, read as UTC; if the line prints its time zone, `zone_known` is true and
    `micros` is the instant. `kind` is None if no template matches the message. `columns`: the template's fields with a
    column in `events`, in their types; `details`: its other fields, and those of the stack trace below the record
    (`replay.reading.traces`). `part` distinguishes several records of one line, from 0. `settings`: the lines of a dump
    below it. `below`: the lines below a warning, an error or a dump of settings, and a stack trace at any level, as far
    as they are kept.
    """

    source_file: str
    node_id: int | None
    layout: str
    line_number: int
    part: int
    micros: int | None
    zone_known: bool
    level: str | None
    logger: str | None
    thread: str | None
    message: str
    secrets_hidden: int
    kind: str | None = None
    template_id: str | None = None
    columns: Mapping[str, Any] = _NONE
    details: Mapping[str, str | None] | None = None
    settings: Sequence[Setting] = ()
    below: str | None = None

    @property
    def event_id(self) -> str:
        """The file and line of the record, and its number among several records on that line."""
        line = f"{self.source_file}:{self.line_number}"
        return f"{line}.{self.part + 1}" if self.part else line

    @property
    def raw_ts(self) -> datetime | None:
        """The timestamp as a datetime; None if there is none, or for a year that Python does not support."""
        return datetime_of(self.micros)


def records_of(
    text: str,
    *,
    source_file: str,
    node_id: int | None = None,
    layout: Layout | str,
    first_line: int = 1,
    catalogue: Catalogue | None = None,
) -> Iterator[Record]:
    """The records of a log, or of a part of it that begins at `first_line`, in order.

    If the node is unknown (`node_id`), or several nodes wrote the file, a record belongs to the node that its text or
    thread names, else to none. Lines before the first record (its beginning was rotated away), and lines that begin
    with a timestamp in no layout of the file, become records without a level.
    """
    layout = layout_named(layout) if isinstance(layout, str) else layout
    file = _File(source_file, node_id, layout.name, catalogue or whole_catalogue(), layout.has_any)
    heads = _heads(lines_of(text, layout, first_line), layout, file.catalogue)
    while some := list(islice(heads, _AT_ONCE)):
        for (number, part, head, under), is_plain in zip(
            some, are_plain([one[2].message for one in some]), strict=True
        ):
            try:
                yield file.record(number, part, head, under, is_plain)
            except Exception as error:  # whatever a record contains, the records after it are read
                yield file.set_aside(number, part, head, error)


def _heads(lines: Iterator[Line], layout: Layout, catalogue: Catalogue) -> Iterator[tuple[int, int, Head, list[Line]]]:
    """The position of each record, its parsed first line, and the lines below it."""
    begin = _beginning(layout)
    begun: tuple[int, int, Head] | None = None
    under: list[Line] = []
    is_frame = False
    for line in lines:
        number, part, text = line
        head = begin(text, part)
        if head is None and ((begun is None and text.strip(" ")) or _begins_by_itself(text, layout)):
            head = _exception(text) if layout.has_any else stray(text)
        if head is None and (text.startswith(JVM_MESSAGES) or SHELL_MESSAGE.match(text)):
            head = (
                stray(text) if begun is None else begun[2]._replace(level=None, logger=None, thread=None, message=text)
            )
        if head is None and layout.has_any and begun is not None and text.startswith(_UNCAUGHT):
            head = begun[2]._replace(level="ERROR", logger=None, thread=None, message=text)
        if head is None and layout.has_any and begun is not None and (is_frame or begun[2].level is None):
            head = _bare(text, begun[2], catalogue, is_frame)
        is_frame = layout.has_any and _FRAME.match(text) is not None
        if head is None:
            under.append(line)
            continue
        if begun is not None:
            yield *begun, under
        begun, under = (number, part, head), []
    if begun is not None:
        yield *begun, under


def _begins_by_itself(line: str, layout: Layout) -> bool:
    """Whether a line in no layout of the file begins with a timestamp, or, in a pasted text, with the head of syslog."""
    if line[:1] == "\t":
        return False
    return _STAMPED.match(line) is not None or (layout.has_any and _OF_SYSLOG.match(line) is not None)


_UNCAUGHT = 'Exception in thread "'  # Java prints this for an uncaught exception
_LONE_EXCEPTION = re.compile(
    r"\s*(?:(?:Caused by: |Exception in thread \S+ )?[\w.$]*(?:Exception|Error)(?::|\s*$)|at [\w$.<>/@]+\()"
)
_FRAME = re.compile(r"\s*(?:at [\w$.<>/@]+\(|\.\.\. \d+ (?:more|common frames omitted))")
_OF_A_CLIENT = re.compile(r"\[(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=")
# An error as client libraries print it, below another line without a head.
_OF_A_LIBRARY = re.compile(
    r"\[\d{1,3}\] [A-Z][A-Za-z]{1,20}(?: [A-Z][A-Za-z]{1,20}){1,6}: |^(?:failed to (?:dial|read from)|error writing messages|Leader Not Available)\b|kafka reader got an unknown error|\bkafka server: [A-Z]|\bBroker: [A-Z][a-z]|\bKafkaJS[A-Z]\w{3,40}: "
)
_LOOKED_AT = 400  # characters
_LEAST_LITERALS = 12  # literal characters of a template that identify a line without level and logger
_KAFKAS_LOGGER = re.compile(
    r" \(((?:kafka|org\.apache\.(?:kafka|zookeeper))(?:\.[a-z]\w{0,60}){0,12}\.[A-Z][\w$]{0,80})(?::\d{1,6})?\)\s*$"
)


def _bare(line: str, before: Head, catalogue: Catalogue, is_below_a_frame: bool) -> Head | None:
    """A line without timestamp and level, below another such line or below the frames of a stack trace: another
    exception, or a message that the catalogue knows; None if it may belong to the record before.
    """
    if line[:1].isspace() or line.startswith("Caused by: ") or _FRAME.match(line):
        return None
    if _LONE_EXCEPTION.match(line):
        return before._replace(level="ERROR", logger=None, thread=None, message=line)
    if before.level is None and _OF_A_LIBRARY.search(line[:_LOOKED_AT]):
        return before._replace(level=None, logger=None, thread=None, message=line)
    behind = _KAFKAS_LOGGER.search(line)
    if behind is not None:
        return before._replace(level=None, logger=behind[1], thread=None, message=line[: behind.start()])
    is_a_sentence = is_below_a_frame and line.count(" ") > 1 and not line.endswith(")")  # else a frame that was broken
    if _OF_A_CLIENT.match(line) is None and not is_a_sentence:
        found = catalogue.find(line)
        if found is None or found[0].literal_length < _LEAST_LITERALS:
            return None
    return before._replace(level=None, logger=None, thread=None, message=line)


def _exception(line: str) -> Head:
    """An exception, or its frames, without the line above it, read as an error; any other line that is no record is
    read as text.
    """
    if _LONE_EXCEPTION.match(line):
        return stray(line.strip())._replace(level="ERROR")
    behind = _KAFKAS_LOGGER.search(line)
    if behind is None or _STAMPED.match(line):
        return stray(line)
    return stray(line[: behind.start()])._replace(logger=behind[1])


def _beginning(layout: Layout) -> Any:
    """A function from a line and its part to the parsed head, if it begins a record."""
    read: Reader = head_reader(layout)
    holds_lines = any(isinstance(header, JsonHeader) for header in layout.headers) and not layout.is_joined
    if holds_lines:  # the members of a JSON record do not begin records
        return lambda text, part: _guarded(read, text) if part == 0 else None
    return lambda text, part: _guarded(read, text)


def _guarded(read: Reader, text: str) -> Head | None:
    """The result of `read` for a line; if `read` fails, a head with only the text of the line."""
    try:
        return read(text)
    except Exception:  # whatever a line contains, the lines after it are read
        return stray(text)


class _File:
    """The values that all records of a file share, and how a record is made."""

    def __init__(
        self, source_file: str, node_id: int | None, layout: str, catalogue: Catalogue, is_a_paste: bool = False
    ) -> None:
        self._source_file, self._node_id, self._layout, self._is_a_paste = source_file, node_id, layout, is_a_paste
        self.catalogue = catalogue

    def record(self, number: int, part: int, head: Head, under: list[Line], is_plain: bool = False) -> Record:
        """The record that begins at a line. `is_plain`: its message holds nothing to hide, and no impossible number."""
        is_plain = is_plain and not is_setting_of_a_secret(head.logger)
        message, secrets = (head.message, 0) if is_plain else hidden_behind(head.logger, head.message)
        if not is_plain and IMPOSSIBLE_NUMBER.search(message):
            return self.set_aside(number, part, head, ValueError("a number of more than 19 digits"))
        found = understood(message, head.logger, self.catalogue)
        details = None if found is None else found.details
        settings: Sequence[Setting] = settings_under(under) if under else ()
        trace = trace_under(number, under) if under else None
        if trace is not None:
            details = {**(details or {}), **trace.details}
            secrets += trace.secrets_hidden
        level = "WARN" if head.level == "WARNING" else head.level
        is_kept = settings or trace is not None or (under and (level not in _QUIET or self._reports_error(under)))
        below = _kept_below(head.message, under) if is_kept else None
        kind = None if found is None else found.template.kind
        node_id = self._node_id
        if node_id is None:
            node_id = node_named(head.message, head.thread)
            if node_id is None and kind == "config_dump":
                node_id = node_configured(settings)
        return Record(
            self._source_file,
            node_id,
            self._layout,
            number,
            part,
            head.micros,
            head.zone_known,
            level,
            head.logger,
            head.thread,
            message,
            secrets,
            kind,
            None if found is None else found.template.id,
            _NONE if found is None else found.columns,
            details,
            settings,
            below,
        )

    def _reports_error(self, under: Sequence[Line]) -> bool:
        """In a paste: whether an exception without frames stands below a quiet line, as Kafka prints its own errors."""
        first = next((text for _, _, text in under if text.strip()), "")
        return self._is_a_paste and _LONE_EXCEPTION.match(first) is not None

    def set_aside(self, number: int, part: int, head: Head, error: Exception) -> Record:
        """A record that could not be understood: only its text, and why."""
        message, secrets = hidden_behind(head.logger, head.message)
        return Record(
            self._source_file,
            self._node_id,
            self._layout,
            number,
            part,
            head.micros,
            head.zone_known,
            "WARN" if head.level == "WARNING" else head.level,
            head.logger,
            head.thread,
            f"{SET_ASIDE} ({reason(error)}): {whole_text(message)}",
            secrets,
        )


def _kept_below(message: str, under: Sequence[Line]) -> str:
    """The first lines below a record, secrets hidden; the name of a secret may end the line before."""
    below = "\n".join(text for _, _, text in under[:_MOST_BELOW])[:_LONGEST_BELOW]
    return hidden_text(f"{message[-200:]}\n{below}").partition("\n")[2]
