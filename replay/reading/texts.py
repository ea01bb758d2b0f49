"""Reads a text in any layout, or in none: a paste, a ticket, a mail, a few lines of a log.

Its rows are first brought into Kafka's own layout: without the marks of a page, a terminal or a container's runtime, with
broken records joined, and lines of client libraries as Kafka would print them. `records_of` then reads the records, and
`lines_of_others` the lines of other programs between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from html import unescape
from itertools import pairwise
from textwrap import dedent

from replay.json_text import value_of_json
from replay.reading.client_libraries import in_kafkas_layout, level_named, of_librdkafka, with_librdkafkas_format
from replay.reading.host_logs import host_line, is_host_line
from replay.reading.layouts import (
    ANY,
    JOINED,
    MONTHS,
    STAMPED,
    Layout,
    begins_a_record,
    cut_at_level,
    detect,
    in_its_calendar,
    layout_named,
)
from replay.reading.other_programs import latest_in, left_over, lines_of_others
from replay.reading.printed_line import EXCEPTION_BEGINS, NO_LEVEL, UNKNOWN, Line, line_of, of_no_record, whole_line
from replay.reading.proposals import proposed
from replay.reading.records import records_of
from replay.reading.secrets import hidden_lines
from replay.reading.stamps import datetime_of, micros_of
from replay.reading.viewer_times import american_moment, without_viewers_times
from replay.reading.wrapped import rejoined
from replay.reading.wrappers import IN_ITS_CALENDAR, WRAPPERS

_STAMPED = re.compile(STAMPED)
_OF_A_SERVICE = re.compile(
    r"^(?:kafka|java|run-kafka|start-kafka|kafka-server-start|zkServer|zookeeper)[\w.-]*$|kafka", re.I
)
_QUOTED = re.compile(r"^(?:> ?)+")
# What log viewers print before the second and later lines of a record.
_BEFORE_A_FRAME = re.compile(
    r"^\s{0,8}\| {1,4}(?=(?:[a-z]\w{0,40}\.){2,12}[A-Z]\w{0,80}(?:Exception|Error)\b|at [\w.$/]{3,200}\(|Caused by: )"
)
# A client's line after a header in any layout; what log stores print before a JSON record.
_BEHIND_A_HEADER = re.compile(
    r"^[^\n]{0,160}?\b(?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL|(?<=\[)(?:Trace|Debug|Information|Info|Warning|Error|Critical|Fatal)(?=\]))\b[^\n]{0,200}?(?P<said>(?:\[(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=|(?:global-)?stream-(?:thread|client) \[)[^\n]*)$"
)
_STAMP_OF_A_HEADER = re.compile(r"^\W{0,2}(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_CELL_OF_CSV = re.compile(
    r'^(?:(?:"[^"\n]{0,200}"|[^",\n]{0,200}),){0,12}"(?P<cell>\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}[^"\n]{0,40}\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b[^\n]*)$'
)
_END_OF_CELL = re.compile(r'(?P<cell>(?:[^"\n]|""){0,20000}+)"(?:,(?:"(?:[^"\n]|""){0,200}"|[^",\n]{0,200})){0,30}$')
_NAMES_OF_CSV = re.compile(r'"?[@_]?[\w. ]{1,40}"?(?:,"?[@_]?[\w. ]{1,40}"?){1,30}$')
_CLOCK_OF_A_HEADER = re.compile(r"^\W{0,2}(\d\d:\d\d:\d\d)(?![\d:])")
_LEVEL_OF_OTHERS = re.compile(r"\[(?:Trace|Debug|Information|Info|Warning|Error|Critical|Fatal)\] ")
_LEVEL_WITHIN = 80  # characters from the start of a row
_BEFORE_JSON = re.compile(
    r'^(?:\d{10,19}|[\w./-]{1,120}|\[[\w./ -]{1,120}\]|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,120})(?: ?\|)?[ \t]{1,8}(?=\{"[@\w.-]{1,60}" ?:)'
)
_MOST_OF_JSON = 12  # rows of one broken record
# Output of a shell or its tools, and an authorizer line without its beginning.
_OF_A_SHELL = re.compile(
    r"^(?:The input line is too long\.?\s*$|(?:mkdir|touch|chown|chmod|cp|mv|ln|rm|sed): (?:cannot|can't|couldn't|changing) "
    r"|[^\s:]{1,200}: line \d{1,5}: (?:exec: )?[^\n:]{1,300}: (?:No such file or directory|[Pp]ermission denied|command not found|not found|Is a directory|Read-only file system|No space left on device|[Cc]annot execute)"
    r"|\[[\d.,]{1,12}s\]\[error *\]\[|Invalid -Xlog option '|'[^'\n]{1,80}' is not recognized as an internal or external command"
    r"|The filename, directory name, or volume label syntax is incorrect|The system cannot find the path specified"
    r"|Error executing '[\w.-]{1,60}': |qemu: uncaught target signal \d|[^\n]{0,200}exec format error\s*$)"
)
# A remark of a person that ends with an exception, on one row.
_WITH_ITS_EXCEPTION = re.compile(
    r"^(?=[^\W\d_])(?!Caused by|Suppressed|Exception in|at )(?=[^\n]{0,400}?(?:\?|(?<![\w-])(?:I|we|We|my|My|our|Our|us|you|[Aa]nyone|[Aa]nybody|[Ss]ame|getting|seeing|[Ff]acing|this|following)(?![\w-])))"
    r"[^\W\d_][^\n\[\]{}|=<>\t]{4,400}?[.?!:,] (?P<thrown>(?:java|javax|kafka|org\.apache\.(?:kafka|zookeeper))\.[\w.$]{1,200}(?:Exception|Error): \S[^\n]*)$"
)
# Windows's text about a file, in its own language, above the frames of an exception whose class was not pasted.
_FILE_OF_WINDOWS = re.compile(r"^[A-Z]:\\[^\n:]{1,400}: \S")
_THROWN_BY_WINDOWS = re.compile(r"^\s{0,40}at (?:java\.base/)?sun\.nio\.fs\.WindowsException\.")
_HEAD_OF_JUL = re.compile(
    rf"^(?P<month>{'|'.join(MONTHS)}) (?P<day>\d{{1,2}}), (?P<year>\d{{4}}),? (?P<hour>\d{{1,2}}):(?P<rest>\d\d:\d\d)\s(?P<half>AM|PM) (?P<logger>[\w.$]{{3,200}}) [\w$<>]{{1,100}}\s*$"
)
_LEVEL_OF_JUL = re.compile(r"^(?P<level>SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): (?P<said>\S[^\n]*)$")
_LEVELS_OF_JUL = {
    "SEVERE": "ERROR",
    "WARNING": "WARN",
    "CONFIG": "INFO",
    "FINE": "DEBUG",
    "FINER": "TRACE",
    "FINEST": "TRACE",
}
_OF_SERILOG = re.compile(
    r"^\[(?P<clock>\d\d:\d\d:\d\d)(?:\.\d{1,7})? (?P<level>VRB|DBG|INF|WRN|ERR|FTL)\] (?P<said>\S[^\n]*)$"
)  # .NET
_LEVELS_OF_SERILOG = {"VRB": "TRACE", "DBG": "DEBUG", "INF": "INFO", "WRN": "WARN", "ERR": "ERROR", "FTL": "FATAL"}
_OF_RAILS = re.compile(r"^[A-Z]\w{1,40} -- (?=(?:\[[^\]\n]{1,60}\] )?Error\b)")  # without its time and level
_CUT_DENIAL = re.compile(r"^ ?User:\S+ is [Dd]enied [Oo]peration = \w+ from host = ")
_WRAPPERS = {wrapper.name: wrapper for wrapper in WRAPPERS}
_LABELS = [_WRAPPERS[name] for name in ("compose", "kubectl", "stern")]
_MOST_ROWS = 20_000  # of a longer text, only the records are read
_LOOKED_AT = 2_000  # rows that determine the layout of a text
_OF_A_PAGE = re.compile(r"&(?:#\d+|quot|lt|gt);")  # copied from the source of a page
_BARE_ANSI = re.compile(r"\[(?:\d{1,2}(?:;\d{1,3}){0,4})?m ?")  # colors whose escape character was lost
_COLORED = re.compile(r"\[3[0-7]m|\[38;5;\d{1,3}m")
_ESCAPED_FRAME = "\\n\\tat"
_QUOTED_EXCEPTION = re.compile(
    r"(?:\"|(?<![\w\"]))\w++\"?: ?\"(?=(?:\w{1,60}\.){1,12}[A-Z]\w{0,80}(?:Exception|Error)\b)"
)
_INLINE_EXCEPTION = re.compile(r"(?<=\S) (?=Exception in thread \"[\w.-]+\" [\w.$]+(?:Exception|Error)\b)")
# The name of a container and the time that Docker and Compose print before a line.
_BEFORE_AN_EXCEPTION = re.compile(
    r"(?m)^(?:[\w.-]{1,80} {1,20}\| {1,4})?(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) )?(?=Exception in thread \"[\w.-]+\" [\w.$]+(?:Exception|Error)\b)"
)
_FRAME = ("│", "|")  # copied from a terminal that draws frames
_END_OF_FRAME = re.compile(r"(?m)(?<! ) {2,}+│ *+$")
_ESCAPED_RDKAFKA = re.compile(r"%[0-7]\\\|\d{9,}")  # in a cell of a Markdown table
_STRESSED = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")  # as Markdown marks it
_STAMP = re.compile(r"\d\d:\d\d(?::\d\d)?|\d{9,}")
_CLOCK = re.compile(r"(?<![\d:.])\d\d:\d\d:\d\d(?![\d:])")
_DATED = re.compile(
    r"(?:[a-z][\w-]{1,40}: )?\W{0,2}(\d{4}[-/]\d\d[-/]\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?!\d)"
)
_CTIME = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (?:(?:UTC|GMT) )?(\d{4})(?!\S)"
)  # java.util.Date
_NAMES_AN_ERROR = re.compile(r"[\w.]{0,100}(?:Error|Exception)\b: |(?:Error|ERROR|Fatal|FATAL|Failed|FAILED|panic)\b")
_HAS_ITS_OWN_HEAD = re.compile(r"\s|at |Caused by|\.\.\.|#|\[|OpenJDK|Java HotSpot|Killed|%[0-7]\|")
_ERROR_IN_A_FIELD = re.compile(r'"(?:error|err|exception|reason)": ?"')
_CLOCK_WITHIN = 60  # characters from the start of a row


def plain_text(text: str) -> str:
    """The text without colors, with plain spaces and line ends."""
    return _WRAPPERS["ansi"].peeled(text.replace("\x00", "").replace("\r\n", "\n").replace("\xa0", " "))


def lines_of(text: str, source: str) -> Iterator[Line]:
    """The records of `text` and the lines of other programs between them, in order."""
    rows = pasted = _without_marks(hidden_lines(plain_text(text))).split("\n")
    others: dict[int, Line] = {}
    containers: Sequence[str] = ()
    if len(rows) <= _MOST_ROWS:
        rows, containers = _in_kafkas_layout(rows)
        others = lines_of_others(rows)
        begins = [at in others or begins_a_record(row) for at, row in enumerate(rows)]
        rows = rejoined(["" if at in others else row for at, row in enumerate(rows)], begins)
        left = left_over(rows, others)
        others |= {at: of_no_record(one) if one.kind == UNKNOWN else one for at, one in left.items()}
        rows = ["" if at in others else row for at, row in enumerate(rows)]
    text = "\n".join(rows)
    records = records_of(text, source_file=source, layout=layout_of(text))
    as_of = latest_in(pasted) if len(pasted) <= _MOST_ROWS else None
    read = (whole_line(_of_its_own_time(line_of(one), rows, pasted, as_of)) for one in records)
    own = _with_their_exceptions([*read], rows)
    beside = (_with_its_clock(replace(one, source=source), pasted) for one in others.values())
    every = sorted([*own, *beside], key=lambda line: line.number)
    if not any(containers):
        yield from every
    else:
        yield from (replace(line, container=containers[line.number - 1]) for line in every)


def _without_marks(text: str) -> str:
    """The text without the marks of a page, a terminal, a mail or a string that it was copied from."""
    text = dedent(text) if text[:1] in (" ", "\t") and not text.lstrip().startswith("at ") else text
    text = _BARE_ANSI.sub("", text) if _COLORED.search(text) else text
    text = unescape(text) if _OF_A_PAGE.search(text) else text
    if _ESCAPED_FRAME in text:  # a trace within a string of JSON or YAML
        text = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\u003c", "<").replace("\\u003e", ">")
        text = _QUOTED_EXCEPTION.sub(r"\n", text)
    text = _INLINE_EXCEPTION.sub("\n", _BEFORE_AN_EXCEPTION.sub("", text))
    if any(line in text for line in _FRAME):
        text = "\n".join(map(_without_frame, text.split("\n")))
    text = _END_OF_FRAME.sub("", text) if "│" in text else text
    text = text.replace("\\|", "|") if _ESCAPED_RDKAFKA.search(text) else text
    return _STRESSED.sub(r"\1", text) if "**" in text else text


def _in_kafkas_layout(rows: Sequence[str]) -> tuple[list[str], list[str]]:
    """The rows in Kafka's own layout, and for each the name of the container that printed it."""
    rows = without_viewers_times(_unquoted(_from_csv(rows)))
    rows = with_librdkafkas_format(_with_whole_json(_without_indent(rows)))
    rows, containers = _without_labels([_bare(_without_backticks(row)) for row in rows])
    rows = _of_java_util_logging(_of_another_program(rows, containers))
    return [_as_an_error(row, below) for row, below in pairwise([*rows, ""])], containers


def _without_backticks(row: str) -> str:
    """A row without Markdown's code marks."""
    return row.strip("`") if row[:1] == "`" or row[-1:] == "`" else row


def _as_an_error(row: str, below: str) -> str:
    """A row that a shell or Windows prints without a level, or the exception at the end of a remark, as an error."""
    names_one = "Exception: " in row or "Error: " in row
    if names_one and (remark := _WITH_ITS_EXCEPTION.match(row)) is not None:
        return f"ERROR {remark['thrown']}"
    row = f"ERROR {row}" if _OF_A_SHELL.match(row) else row
    is_of_windows = _FILE_OF_WINDOWS.match(row) and _THROWN_BY_WINDOWS.match(below)
    return f"ERROR java.nio.file.FileSystemException: {row}" if is_of_windows else row


def _of_java_util_logging(rows: Sequence[str]) -> list[str]:
    """Rows in which each java.util.logging record (which prints time and logger on a separate row) is one row."""
    out = list(rows)
    for at, (head, row) in enumerate(pairwise(rows)):
        found, leveled = _HEAD_OF_JUL.match(head), _LEVEL_OF_JUL.match(row)
        if found is None or leveled is None:
            continue
        hour = int(found["hour"]) % 12 + (12 if found["half"] == "PM" else 0)
        month = MONTHS.index(found["month"]) + 1
        stamp = f"[{found['year']}-{month:02}-{int(found['day']):02} {hour:02}:{found['rest']},000]"
        out[at : at + 2] = [
            "",
            f"{stamp} {_LEVELS_OF_JUL.get(leveled['level'], leveled['level'])} {leveled['said']} ({found['logger']})",
        ]
    return out


def _bare(row: str) -> str:
    """A row without what a container's runtime or the journal adds around a line of Kafka; a client's line in Kafka's own
    layout.
    """
    row = _BEFORE_JSON.sub("", row)
    if row.startswith('{"log":'):
        return _WRAPPERS["docker-json"].peeled(row)
    row = _BEFORE_A_FRAME.sub("", _WRAPPERS["cri"].peeled(row))
    if (own := of_librdkafka(row) or _behind_a_header(row)) is not None:
        return own
    if (serilog := _OF_SERILOG.match(row)) is not None:
        return f"{serilog['clock']} {_LEVELS_OF_SERILOG[serilog['level']]} {serilog['said']}"
    row = _OF_RAILS.sub("ERROR ", row)
    if _CUT_DENIAL.match(row):
        return f"INFO Principal = {row.lstrip()}"
    if (library := in_kafkas_layout(row)) is not None:
        return library
    parsed = None if row[:1] in "[\t{ " or is_host_line(row) else host_line(row)
    return parsed.message if parsed is not None and parsed.teller and _OF_A_SERVICE.search(parsed.teller) else row


def _behind_a_header(row: str) -> str | None:
    """A client's message after a header in an unknown layout, with its time and level; None for another row."""
    if "clientId=" not in row and "stream-" not in row:
        return None
    is_dated = _STAMPED.match(row) is not None and _LEVEL_OF_OTHERS.search(row[:_LEVEL_WITHIN]) is None
    known = is_dated or cut_at_level(row) is not None or row.startswith("{")
    found = None if known else _BEHIND_A_HEADER.match(row)
    if found is None:
        return None
    dated, clock = _STAMP_OF_A_HEADER.match(row), _CLOCK_OF_A_HEADER.match(row)
    when = f"[{dated[1]} {dated[2]},{dated[3] or '000'}] " if dated else f"{clock[1]} " if clock else ""
    return f"{when}{level_named(found['level'])} {found['said']}"


def _from_csv(rows: Sequence[str]) -> list[str]:
    """Rows with each CSV row whose only quoted cell is a record replaced by that record; other rows unchanged."""
    if not any(map(_CELL_OF_CSV.match, rows)) or any(_STAMPED.match(row) and row[0] != '"' for row in rows):
        return list(rows)
    out: list[str] = []
    is_open = False
    for row in rows:
        found = _END_OF_CELL.match(row) if is_open else _CELL_OF_CSV.match(row)
        if found is None:
            out.append("" if not is_open and _NAMES_OF_CSV.match(row) else row)
            continue
        cell = found["cell"]
        ended = _END_OF_CELL.match(cell) if not is_open else found
        is_open = ended is None
        out.append((ended["cell"] if ended is not None else cell).replace('""', '"'))
    return out


def _unquoted(rows: Sequence[str]) -> list[str]:
    """Rows without an email's quote marks, if all rows are quoted."""
    quoted = [row for row in rows if row.strip()]
    if quoted and all(_QUOTED.match(row) for row in quoted) and (len(quoted) > 1 or quoted[0].startswith("> ")):
        return [_QUOTED.sub("", row) for row in rows]
    return list(rows)


def _without_indent(rows: Sequence[str]) -> list[str]:
    """Rows without their common indent, as in a list item or a code block."""
    indent = min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), default=0)
    return [row[indent:] for row in rows]


def _with_whole_json(rows: Sequence[str]) -> list[str]:
    """Rows with each JSON record that a terminal broke into lines joined on its first row; its other rows become
    empty.
    """
    out, at = list(rows), 0
    while at < len(out):
        if out[at].startswith('{"') and value_of_json(out[at]) is None:
            for end in range(at + 2, min(at + _MOST_OF_JSON, len(out)) + 1):
                joined = "".join(out[at:end])
                if value_of_json(joined) is not None:
                    out[at:end] = [joined, *[""] * (end - at - 1)]
                    break
            else:
                out[at] = _closed_json(out[at])
        at += 1
    return out


def _closed_json(row: str) -> str:
    """A JSON record whose end is cut off, closed where it ends; the row itself if that makes no record."""
    ways = (f"{row}{end}" for end in ('"}', "}", '""}'))
    return next((one for one in ways if isinstance(value_of_json(one), dict)), row)


def _without_labels(rows: Sequence[str]) -> tuple[list[str], list[str]]:
    """Rows without the container or pod name before each, if at least two rows have one; and these names."""
    labels = [""] * len(rows)
    for wrapper in _LABELS:
        if sum(map(wrapper.fits, rows)) > 1:
            labels = [wrapper.label(row) or label for row, label in zip(rows, labels, strict=True)]
            rows = [wrapper.peeled(row) for row in rows]
    return list(rows), labels


def _of_another_program(rows: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Rows in which the first of another program begins a record, so that it is no part of the record above it."""
    out, before = list(rows), ""
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        has_head = not row.strip() or begins_a_record(row) or _HAS_ITS_OWN_HEAD.match(row) is not None
        if label and before and label != before and not has_head:
            out[at] = f"{'ERROR' if _NAMES_AN_ERROR.match(row) else 'INFO'} {row}"
        before = label or before
    return out


def _without_frame(row: str) -> str:
    inner = row.rstrip(" ")
    if len(inner) > 1 and inner.startswith(_FRAME) and inner.endswith(_FRAME):
        return inner[1:-1].removeprefix(" ").rstrip(" ")
    return row


def _with_its_clock(line: Line, pasted: Sequence[str]) -> Line:
    """A line of another program, with its time of day if its head prints no year."""
    row = pasted[line.number - 1] if line.ts is None and line.number <= len(pasted) else ""
    found = _CLOCK.search(row[:_CLOCK_WITHIN]) if is_host_line(row) else None
    return replace(line, clock=found[0]) if found is not None else line


def _of_its_own_time(line: Line, rows: Sequence[str], pasted: Sequence[str], as_of: datetime | None) -> Line:
    """`line` without a time if its row prints none; with the time of day if its row prints no date. A row that lost the
    head of the journal or of a runtime has the time of that head, as it was pasted.
    """
    row = rows[line.number - 1] if line.number <= len(rows) else ""
    whole = pasted[line.number - 1] if len(pasted) == len(rows) else row
    if whole.startswith("{") and _ERROR_IN_A_FIELD.search(whole):
        line = replace(line, pasted=whole)
    if line.ts is not None:
        return line if _STAMP.search(row) else replace(line, ts=None)
    if (when := _moment_of(row) or _moment_of(whole)) is not None:
        return replace(line, ts=when)
    if whole != row and (parsed := host_line(whole, as_of)) is not None and parsed.micros is not None:
        return replace(line, ts=datetime_of(parsed.micros))
    found = _CLOCK.search(row[:_CLOCK_WITHIN]) or _CLOCK.search(whole[:_CLOCK_WITHIN])
    return replace(line, clock=found[0]) if found else line


def _moment_of(row: str) -> datetime | None:
    """The time at the beginning of a row, in a form that no layout has."""
    if found := _DATED.match(row):
        date, clock, part = found.groups()
        return datetime_of(micros_of(f"{date.replace('/', '-')} {clock}.{(part or '0')[:6]}"))
    if (written := _CTIME.match(row)) is None or written[1] not in MONTHS:
        return american_moment(row)
    month, day, clock, year = written.groups()
    return datetime_of(micros_of(f"{year}-{MONTHS.index(month) + 1:02}-{day:0>2} {clock}.0"))


def _with_their_exceptions(lines: Sequence[Line], rows: Sequence[str]) -> list[Line]:
    """`lines` with each exception directly below a bare message as the trace of that message."""
    out: list[Line] = []
    for line in lines:
        before = out[-1] if out else None
        is_below = before is not None and before.number == line.number - 1 and not before.trace
        if before is not None and is_below and _is_bare(before, rows) and EXCEPTION_BEGINS.match(line.message):
            level = "ERROR" if before.level == NO_LEVEL else before.level
            out[-1] = replace(before, level=level, trace=line.text)
        else:
            out.append(line)
    return out


def _is_bare(line: Line, rows: Sequence[str]) -> bool:
    """Whether the line is a Kafka message that somebody pasted without its time and level."""
    row = rows[line.number - 1] if line.number <= len(rows) else ""
    is_kafkas = line.template is not None or line.logger is not None
    return is_kafkas and _STAMP.search(row[:40]) is None and EXCEPTION_BEGINS.match(line.message) is None


def notes_on_stamps(text: str, source: str) -> Iterator[str]:
    """How to read the timestamps of `text`."""
    if layout_of(text).calendar is not None:
        yield f"{source} {IN_ITS_CALENDAR}."


def layout_of(text: str) -> Layout:
    """The layout of the lines of `text`; lines that do not match it are read by their level alone."""
    rows = [row for row in text.split("\n", _LOOKED_AT)[:_LOOKED_AT] if row.strip()]
    found: Layout | None = detect(rows)
    if found is None and sum(cut_at_level(row) is not None for row in rows) * 2 < len(rows):
        proposal = proposed(rows)
        found = Layout.from_log4j_pattern(proposal.pattern) if proposal is not None else None
    found = Layout((ANY,)) if found is None else replace(found, headers=(*found.headers, ANY))
    found = in_its_calendar(found, rows)
    is_joined = not found.is_joined and re.search(JOINED, text) is not None
    return replace(found, wrappers=(*found.wrappers, *layout_named("joined+any").wrappers)) if is_joined else found
