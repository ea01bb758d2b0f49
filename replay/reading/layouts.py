"""Describes how a line is laid out: the positions of timestamp, level, logger and message.

Layouts are log4j patterns, held as data; a user's own pattern is one more. A `Header` describes the first line of a
record. A `Layout` describes a file: the wrappers around each line (`replay.reading.wrappers`), and the headers inside
them. `detect` finds it from a file's lines. `replay.reading.heads` reads the first line of a record with them. Sources:
kafka-log-formats §2, operator-questions.md (layouts found in the wild), the manuals of log4j, logback and JBoss
logging.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from replay.errors import InputError
from replay.reading.wrappers import WRAPPERS, Wrapper, members_of

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "WARNING")
_LEVEL = "(?P<level>" + "|".join(sorted(LEVELS, reverse=True)) + ")"
_LOGGER = r"(?P<logger>[\w.$]+)(?::\d+)?"
_PACKAGED_LOGGER = r"(?P<logger>(?:[a-z_]\w*\.){2,}[\w$]+)(?::\d+)?"

_SPACES, _PADDING = " {1,60}", " {0,60}"  # between two parts of a pattern; around a padded part

_DATE = r"(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)"
_ZONE = r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?"
_MOST_DIGITS = 9  # of the fraction of a second
_TIME = r"(?P<time>\d\d:\d\d:\d\d)(?:[.,:](?P<fraction>\d{1,9}))?"
_ISO_STAMP = rf"{_DATE}[T ]{_TIME}{_ZONE}"
_EXACT_STAMP = rf"{_DATE.replace('[-/]', '-')} (?P<time>\d\d:\d\d:\d\d),(?P<fraction>\d{{3}})"
_WHOLE_STAMP = "{year}-{month}-{day} {time}.{fraction}"

# A line that starts like a record of some layout: it never belongs to the record before it.
STAMPED = r"^[^\w\s]{0,3}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d"
_STAMPED = re.compile(STAMPED)

# Where a second record begins on a line: two writers share the file, or a line was truncated.
JOINED = rf"(?<=[^\s*>])(?=\[\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d{{3}}\] (?:{'|'.join(LEVELS)}) )"

# The same for JSON objects.
JOINED_JSON = r'(?<=\})\s*(?=\{"(?:@timestamp|timestamp|instant|timeMillis|time|ts|level|severity|message|msg|logger|loggerName|thread)":)'

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_GROUP = re.compile(r"\(\?P<(\w+)>")
_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")


@dataclass(frozen=True)
class Header:
    """The first line of a record, as a log4j pattern (`%d` timestamp, `%p` level, `%c` logger, `%m` message, ...).

    Lines may have more spaces than the pattern, a padded level, and timestamps with `T`, `/`, `.` or a zone: sites
    change these most often. `majority` headers can match lines of another header, so they apply only if most lines
    match. After matching, each pair of `then` replaces the first text by the second. An `exact` header allows only
    padding. In a `packaged` header the logger is a class with its package, or Kafka's `state.change.logger`: nothing
    else marks where the message begins.
    """

    name: str
    pattern: str
    example: str
    majority: bool = False
    then: tuple[tuple[str, str], ...] = ()
    exact: bool = False
    packaged: bool = False

    @cached_property
    def _parts(self) -> _Parts:
        parts = _parts(self.pattern)
        if self.packaged:
            return replace(
                parts,
                before=parts.before.replace(_LOGGER, _PACKAGED_LOGGER),
                after=parts.after.replace(_LOGGER, _PACKAGED_LOGGER),
            )
        return (
            replace(
                parts,
                before=parts.before.replace(_ISO_STAMP, _EXACT_STAMP).replace(f"{_SPACES}{_LEVEL}", f" {_LEVEL}"),
            )
            if self.exact
            else parts
        )

    @cached_property
    def _start(self) -> re.Pattern[str]:
        """Everything before the message: a line that fits it begins a record."""
        return re.compile("^" + self._parts.before)

    @cached_property
    def _whole(self) -> re.Pattern[str]:
        """A whole line."""
        end = rf"{self._parts.after}\s*$" if self._parts.after else ""
        return re.compile(rf"(?s)^{self._parts.before}(?P<message>.*){end}")

    @cached_property
    def _cut(self) -> re.Pattern[str]:
        """A line whose message continues on the next line, or was truncated."""
        return re.compile(rf"(?s)^{self._parts.before}(?P<message>.*)$")

    @cached_property
    def stamp(self) -> str:
        """How the groups make `yyyy-MM-dd HH:mm:ss.SSS`: text with `{group}`s; empty if the pattern prints no whole
        timestamp.
        """
        return self._parts.stamp

    @cached_property
    def zone(self) -> str:
        """The time zone of the timestamp: `{zone}` if the line has it, the name of a zone if the pattern has it, or
        empty.
        """
        return self._parts.zone

    def begins(self, line: str) -> bool:
        """Whether `line` can be the first line of a record."""
        return self._start.match(line) is not None

    def fits(self, line: str) -> bool:
        """Whether the whole line has this layout."""
        return self._whole.match(line) is not None

    def whole(self, line: str) -> dict[str, str] | None:
        """The parts of a whole line; None if it does not have this layout."""
        return self._groups(self._whole.match(line))

    def cut(self, line: str) -> dict[str, str] | None:
        """The parts of a line whose message continues on the next line, or was truncated; None if it does not start in
        this layout.
        """
        return self._groups(self._cut.match(line))

    def _groups(self, found: re.Match[str] | None) -> dict[str, str] | None:
        if found is None:
            return None
        groups = found.groupdict("")
        for old, new in self.then:
            groups = {name: text.replace(old, new) for name, text in groups.items()}
        if groups.get("month", "") in MONTHS:
            groups["month"] = f"{MONTHS.index(groups['month']) + 1:02d}"
        return groups


@dataclass(frozen=True)
class JsonHeader:
    """A record that is one JSON object, and the names of its parts. `a.b` is the name itself, or `b` within the object
    `a`. The names are those of log4j's JsonLayout and JsonTemplateLayout, logstash and its log4j 1 layout, ECS, JBoss
    (Quarkus) and GELF.
    """

    name: str
    example: str
    stamp: tuple[str, ...]
    level: tuple[str, ...]
    logger: tuple[str, ...]
    message: tuple[str, ...]
    thread: tuple[str, ...]
    stack: tuple[str, ...]
    exception: tuple[str, ...]
    exception_message: tuple[str, ...]
    majority: bool = False
    packaged: bool = False

    def begins(self, line: str) -> bool:
        """Whether `line` looks like a record: an object with a message and a level."""
        if not line.startswith("{"):
            return False
        members = members_of(line)
        return any(name in members for name in self.message) and any(name in members for name in self.level)

    def fits(self, line: str) -> bool:
        """Whether the whole line has this layout."""
        return self.begins(line)


DEFAULT = Header(
    name="default",
    pattern="[%d] %p %m (%c)%n",
    example="[2026-11-21 05:34:41,986] INFO [Controller id=3] Broker failure callback for 1 (kafka.controller.KafkaController)",
    exact=True,  # most logs have it, and it can be cut at fixed positions (`replay.reading.heads`)
)

JSON = JsonHeader(
    name="json",
    example='{"@timestamp":"2026-11-21T05:34:41.986Z","level":"INFO","logger_name":"kafka.controller.KafkaController",'
    '"message":"[Controller id=3] Broker failure callback for 1"}',
    stamp=("@timestamp", "timestamp", "instant", "timeMillis", "time", "ts", "datetime", "date", "asctime"),
    level=("level", "log.level", "severity", "levelname", "lvl"),
    logger=("logger", "loggerName", "logger_name", "log.logger", "_logger", "class", "category"),
    message=("message", "msg", "short_message"),
    thread=("thread", "threadName", "thread_name", "process.thread.name", "_thread"),
    stack=("stack_trace", "stackTrace", "error.stack_trace", "exception.stacktrace", "throwable", "stacktrace"),
    exception=("thrown.name", "error.type", "exception.exceptionType", "exception.exception_class", "exception.class"),
    exception_message=("thrown.message", "error.message", "exception.message", "exception.exception_message"),
)

_AT = "2026-11-21 05:34:41,986"
_MESSAGE = "[Controller id=3] Broker failure callback for 1"

_DEFAULT_LIKE = Header(
    "default-like",
    "[%d] %p %m (%c)%n",
    f"[2026-11-21T05:34:41.986+09:00]  INFO {_MESSAGE} (kafka.controller.KafkaController)",
)

HEADERS: tuple[Header | JsonHeader, ...] = (
    Header(
        "default-thread",
        "[%d] %p [%t] %m (%c)%n",
        f"[{_AT}] INFO [controller-event-thread] {_MESSAGE} (kafka.controller.KafkaController)",
        majority=True,
    ),
    DEFAULT,
    _DEFAULT_LIKE,
    Header("bracket-lost", "%d] %p %m (%c)%n", f"{_AT}] INFO {_MESSAGE} (kafka.controller.KafkaController)"),
    Header(
        "stamp-range",
        "[%d]~[%d] %p %m (%c)%n",
        f"[{_AT}]~[2026-11-21 05:35:01,002] INFO {_MESSAGE} (kafka.controller.KafkaController)",
    ),
    Header(
        "bracket",
        "[%d] [%-5p] [%t] [%c] - %m%n",
        f"[{_AT}] [INFO ] [controller-event-thread] [kafka.controller.KafkaController] - {_MESSAGE}",
    ),
    Header(
        "category",
        "[%d][%p][category=%c] %m%n",
        f"[2026-11-21T05:34:41,986][INFO][category=kafka.controller.KafkaController] {_MESSAGE}",
    ),
    Header(
        "category-class",
        "[%d][%p][zk_id=%X{zk_id}][thread=%t][class=%C{1}@%L] %m%n",
        "[2026-11-21T05:34:41,986][INFO][zk_id=zookeeper:2181][thread=main-SendThread(zookeeper:2181)]"
        "[class=ClientCnxn$SendThread@1238] Client session timed out",
    ),
    Header(
        "default-close",
        "[%d]%p %m (%c)%n",
        f"[2026-11-21T05:34:41,986]INFO {_MESSAGE} (kafka.controller.KafkaController)",
    ),
    Header(
        "default-class",
        "[%d] %p %c %m%n",
        f"[{_AT}] INFO kafka.controller.KafkaController {_MESSAGE}",
        packaged=True,
    ),
    Header(
        "class-thread",
        "[%d] (%c) [%t] %p - %m%n",
        f"[{_AT}] (kafka.controller.KafkaController) [controller-event-thread] INFO - {_MESSAGE}",
    ),
    Header(
        "zookeeper",
        "%d [myid:%X{myid}] - %-5p [%t:%C{1}@%L] - %m%n",
        f"{_AT} [myid:1] - INFO  [main:QuorumPeerConfig@136] - Reading configuration",
    ),
    Header(
        "zookeeper-3.3",
        "%d - %-5p [%t:%C{1}@%L] - %m%n",
        f"{_AT} - INFO  [main:QuorumPeerConfig@136] - Reading configuration from: zoo.cfg",
    ),
    Header(
        "strimzi",
        "%d %p %m (%c) [%t]%n",
        f"{_AT} INFO {_MESSAGE} (kafka.controller.KafkaController) [controller-event-thread]",
    ),
    Header(
        "strimzi-line",
        "%d %p [%t] %c{1}:%L - %m%n",
        f"2026-11-21 05:34:41 INFO [controller-event-thread] KafkaController:66 - {_MESSAGE}",
    ),
    Header(
        "linkedin",
        "%d{yyyy/MM/dd HH:mm:ss.SSS} %p [%c{1}] [%t] [%X{app}] [%X{tree}] %m%n",
        f"2026/11/21 05:34:41.986 INFO [KafkaController] [controller-event-thread] [kafka-server] [] {_MESSAGE}",
    ),
    Header(
        "quarkus",
        "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p [%c] (%t) %s%e%n",
        f"{_AT} INFO  [kafka.controller.KafkaController] (controller-event-thread) {_MESSAGE}",
    ),
    Header(
        "spring",
        "%d %5p %pid --- [%t] %-40.40c{39} : %m%n",
        f"2026-11-21T05:34:41.986Z  INFO 2490 --- [event-thread] k.controller.KafkaController : {_MESSAGE}",
    ),
    Header(
        "spring-id",
        "%d %5p %X{id} [%t] %c : %m%n",
        f"2026-11-21 05:34:41.986  INFO 370GG [event-thread] k.controller.KafkaController : {_MESSAGE}",
    ),
    Header(
        "class-colon-thread",
        "%d %-5p %c: [%t]: %m%n",
        f"{_AT} INFO  kafka.controller.KafkaController: [controller-event-thread]: {_MESSAGE}",
    ),
    Header("class-line", "%d %-5p %c{1}:%L - %m%n", f"2026-11-21 05:34:41 INFO  KafkaController:66 - {_MESSAGE}"),
    Header(
        "level-thread",
        "%d %-5p [%t] %c - %m%n",
        f"{_AT} INFO  [controller-event-thread] kafka.controller.KafkaController - {_MESSAGE}",
    ),
    Header(
        "thread-level",
        "%d [%t] %-5p %c - %m%n",
        f"{_AT} [controller-event-thread] INFO  kafka.controller.KafkaController - {_MESSAGE}",
    ),
    Header("class-dash", "%d %-5p %c - %m%n", f"{_AT} INFO  kafka.controller.KafkaController - {_MESSAGE}"),
    Header(
        "debezium",
        "%d %-5p %X{dbz.connectorType}|%X{dbz.connectorName}|%X{dbz.connectorContext} %m [%c]%n",
        f"{_AT} INFO   MySQL|dbserver1|task  {_MESSAGE}   [kafka.controller.KafkaController]",
    ),
    Header("unbracketed", "%d %-5p %m (%c)%n", f"{_AT} INFO  {_MESSAGE} (kafka.controller.KafkaController)"),
    Header("class-colon", "%d %-5p %c: %m%n", f"{_AT} INFO  kafka.controller.KafkaController: {_MESSAGE}"),
    Header(
        "csv",
        '"%d","%p","%c","%m"%n',
        f'"2026-11-21T05:34:41.986Z","INFO","kafka.controller.KafkaController","{_MESSAGE}"',
        then=(('""', '"'),),
    ),
    Header(
        "ruby",
        "%X{initial}, [%d #%pid] %p -- %X{program}: %m%n",
        f"I, [2026-11-21T05:34:41.986123 #46084]  INFO -- : {_MESSAGE}",
    ),
    Header(
        "client", "[%t] %p %c - %m%n", "[main] INFO org.apache.kafka.common.utils.AppInfoParser - Kafka version: 3.7.0"
    ),
    Header("unstamped-class", "%-5p %c: %m%n", f"INFO  kafka.controller.KafkaController: {_MESSAGE}", packaged=True),
    Header("thread-level-only", "%d [%t] %-5p %m%n", f"{_AT} [controller-event-thread] INFO  {_MESSAGE}"),
    Header("level-only", "%d %-5p %m%n", f"{_AT} INFO  {_MESSAGE}"),
    JSON,
)

# A text file in an unknown layout: each line becomes a record that no template matches, so that no line is dropped
# silently.
PLAIN = Header(name="plain", pattern="%m%n", example="hello")

# A text in which only the level near the start of each line is known, with or without a timestamp.
ANY = Header(name="any", pattern="%m%n", example="ERROR hello")

_ANY_STAMP = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
_ANY_CLOCK = r"\d\d:\d\d:\d\d[.,]\d{3}(?= )"  # a time of day without a date
_ANY_LEVEL = re.compile(r"\b(TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b\]?[: ]*")
_SIGNS = r"[\W_]*+"
# A file with a line number, a container and a timestamp; then a thread in brackets, or its number and one word.
_BEFORE_LEVEL = re.compile(
    rf"(?:{_SIGNS}[^\W_][\w./@+-]{{0,119}}+:(?:\d{{1,9}}[:-])?)?(?:{_SIGNS}[^\W_][\w.-]{{0,59}}+ {{1,20}}+\|)?"
    rf"(?:{_SIGNS}(?:(?P<stamp>{_ANY_STAMP})\S{{0,6}}|{_ANY_CLOCK}))?"
    rf"(?:(?>[\W_]*\[)[^\]]*+\]|{_SIGNS}(?:\d++ )?(?:\[[^\]]*+\]|[\w-]++)?){_SIGNS}"
)
_IN_A_TRACE = ("at ", "Caused by", "Suppressed:", "... ")
_LEVEL_WITHIN = 240  # characters from the start of a line


# A database's exception whose message begins with its own level.
_EXCEPTION_FIRST = re.compile(r"\s{0,8}(?:[a-z]\w{0,40}\.){2,12}[A-Z]\w{0,80}Exception: (?:ERROR|FATAL|WARNING)\b")


def cut_at_level(line: str) -> tuple[str, str, str] | None:
    """The timestamp before the level near the start of `line` (empty if there is none), the level, and the rest; None
    for a line without a level there.
    """
    if not line.strip() or line.lstrip().startswith(_IN_A_TRACE) or _EXCEPTION_FIRST.match(line) is not None:
        return None
    level = _ANY_LEVEL.search(line[:_LEVEL_WITHIN])
    before = _BEFORE_LEVEL.fullmatch(line[: level.start()]) if level is not None else None
    if level is None or before is None:
        return None
    return before["stamp"] or "", level[1], line[level.end() :].rstrip()


def begins_a_record(row: str) -> bool:
    """Whether a row of a text in an unknown layout can be the first line of a record."""
    return _STAMPED.match(row) is not None or cut_at_level(row) is not None or row.startswith("{")


_OWN = "log4j:"


@dataclass(frozen=True)
class Layout:
    """The layout of a file: the wrappers around each line, outermost first, and the headers inside them. Its name holds
    everything, as in `compose+default|zookeeper`, and `layout_named` makes the layout from the name.
    """

    headers: tuple[Header | JsonHeader, ...]
    wrappers: tuple[Wrapper, ...] = ()

    @cached_property
    def name(self) -> str:
        return "+".join(
            (*(wrapper.name for wrapper in self.wrappers), "|".join(header.name for header in self.headers))
        )

    @property
    def is_plain(self) -> bool:
        return self.headers == (PLAIN,)

    @property
    def has_any(self) -> bool:
        """Whether lines that fit no header are read by the level in them."""
        return ANY in self.headers

    @property
    def is_joined(self) -> bool:
        """Whether some lines hold more than one record."""
        return any(wrapper.name == "joined" for wrapper in self.wrappers)

    @property
    def calendar(self) -> Wrapper | None:
        """The calendar of its timestamps, if it is not the Gregorian one."""
        return next((wrapper for wrapper in self.wrappers if wrapper.years), None)

    @property
    def label(self) -> Wrapper | None:
        """The label of the outermost wrapper that names the writer of the line, if there is one."""
        return next((wrapper for wrapper in self.wrappers if wrapper.has_label), None)

    def peeled(self, line: str) -> str:
        """`line` without its wrappers."""
        for wrapper in self.wrappers:
            line = wrapper.peeled(line)
        return line

    def begins(self, line: str) -> bool:
        """Whether the raw `line` is the first line of a record."""
        inside = self.peeled(line)
        return any(header.begins(inside) for header in self.headers if header is not ANY) or (
            (self.is_joined and JSON in self.headers and inside.startswith("{"))
            or (self.has_any and cut_at_level(inside) is not None)
        )

    @classmethod
    def from_log4j_pattern(cls, pattern: str) -> Layout:
        """The layout that a log4j, logback or JBoss pattern prints, `[%d] %p %m (%c)%n`. Raises InputError if the
        pattern has no message or an unknown conversion.
        """
        header = Header(_OWN + pattern, pattern, example="")
        try:  # an error in the pattern is reported now
            header.begins("")
            header.whole("")
        except (re.error, RecursionError, OverflowError) as error:
            raise InputError(f"layout '{pattern[:100]}': cannot be read ({error})") from error
        return cls((header,))


def layout_named(name: str) -> Layout:
    """The layout called `name`; raises KeyError if there is none."""
    known_wrappers = {wrapper.name: wrapper for wrapper in WRAPPERS}
    outside, own, pattern = name.partition(_OWN)
    if own:
        return Layout(
            Layout.from_log4j_pattern(pattern).headers, tuple(known_wrappers[w] for w in outside.split("+") if w)
        )
    *wrappers, headers = name.split("+")
    known_headers = {header.name: header for header in (*HEADERS, PLAIN, ANY)}
    return Layout(tuple(known_headers[h] for h in headers.split("|")), tuple(known_wrappers[w] for w in wrappers))


def detect(lines: Iterable[str], headers: Sequence[Header | JsonHeader] = HEADERS) -> Layout | None:
    """The layout of `lines`: the wrappers inside which most of them begin a record; None if none does."""
    shortened = [_shortened(line) for line in lines if line.strip()]
    best = _best(shortened, headers, (), 0)
    return in_its_calendar(Layout(*best[1]), shortened) if best else None


_SHOWN = 4_000  # characters of a line that show its layout


def _shortened(line: str) -> str:
    """The start and the end of a long line, which show its layout."""
    return line if len(line) <= _SHOWN else line[: _SHOWN // 2] + line[-_SHOWN // 2 :]


def in_its_calendar(layout: Layout, lines: Sequence[str]) -> Layout:
    """`layout` with the calendar of all timestamps of its records, if it is not the Gregorian one."""
    stamped = [inside for line in lines if re.match(STAMPED, inside := layout.peeled(line))]
    calendar = next((w for w in WRAPPERS if w.years and stamped and all(map(w.fits, stamped))), None)
    return (
        layout
        if calendar is None or layout.calendar is not None
        else replace(layout, wrappers=(*layout.wrappers, calendar))
    )


_MOST_WRAPPERS = 4
_Found = tuple[int, tuple[tuple[Header | JsonHeader, ...], tuple[Wrapper, ...]]]


def _best(
    lines: Sequence[str], headers: Sequence[Header | JsonHeader], worn: tuple[Wrapper, ...], depth: int
) -> _Found | None:
    """How many of `lines` begin a record and with which layout, searched through every wrapper that enough of them
    have.
    """
    met = _headers_met(lines, headers)
    best: _Found | None = (sum(met.values()), (tuple(h for h in headers if h in met), worn)) if met else None
    is_labelled = any(wrapper.has_label for wrapper in worn)
    for wrapper in WRAPPERS if depth < _MOST_WRAPPERS else ():
        if wrapper.years or wrapper in worn or (is_labelled and wrapper.has_label):
            continue
        fits = sum(map(wrapper.fits, lines))
        if not fits or fits < wrapper.share * len(lines):
            continue
        inside = _best([wrapper.peeled(line) for line in lines], headers, (*worn, wrapper), depth + 1)
        bare = best is not None and best[1][1] == worn and wrapper.has_label and fits * 2 > len(lines)
        # most lines have it and none of them begins a record: a paste whose first line was marked without it
        if inside and (best is None or inside[0] > best[0] or (bare and inside[0] == best[0])):
            best = inside
    return best


def _headers_met(lines: Sequence[str], headers: Sequence[Header | JsonHeader]) -> dict[Header | JsonHeader, int]:
    """How many of `lines` begin a record of each header: a line counts for the first header that matches all of it,
    else for the first that matches its start.

    The first line of a multi-line message can look like a record of another header: if most lines have one header,
    the few lines whose start it matches count for that header.
    """
    fitted: dict[Header | JsonHeader, list[str]] = {}
    rest: list[str] = []
    for line in lines:
        header = next((h for h in headers if not h.majority and h.fits(line)), None)
        (rest if header is None else fitted.setdefault(header, [])).append(line)
    for header in sorted(fitted, key=lambda h: len(fitted[h])):
        mine = fitted[header]
        for other, theirs in fitted.items():
            if len(mine) * 3 <= len(theirs) and all(map(other.begins, mine)):
                theirs += fitted.pop(header)
                break
    met = {header: len(theirs) for header, theirs in fitted.items()}
    for line in rest:
        header = next((h for h in (*met, *headers) if not h.majority and h.begins(line)), None)
        if header is not None:
            met[header] = met.get(header, 0) + 1
    for doubtful in (h for h in headers if h.majority):
        fit = sum(1 for line in lines if doubtful.fits(line) and _is_thread(line))
        if fit * 2 > sum(met.values()):
            met = {doubtful: fit} | {h: count for h, count in met.items() if h not in (DEFAULT, _DEFAULT_LIKE)}
    return met


def _is_thread(line: str) -> bool:
    """Whether the first brackets after the level hold the name of a thread and not one of Kafka's own prefixes
    (kafka-log-formats §3).
    """
    return re.match(r"\[[^\]]*\] \w+ +\[(?!KafkaApi-\d)(?:main|[^\s=\]-]*-[^\s=\]]*)\] ", line) is not None


@dataclass(frozen=True)
class _Parts:
    """A pattern as regular expressions before and after the message, and how its groups make a timestamp."""

    before: str
    after: str
    stamp: str
    zone: str


_KINDS = {
    **dict.fromkeys(("d", "date"), "stamp"),
    **dict.fromkeys(("p", "le", "level"), "level"),
    **dict.fromkeys(("c", "lo", "logger"), "logger"),
    **dict.fromkeys(("C", "class"), "class"),
    **dict.fromkeys(("m", "s", "msg", "message"), "message"),
    **dict.fromkeys(
        (
            "n",
            "e",
            "ex",
            "exception",
            "rEx",
            "rException",
            "throwable",
            "rThrowable",
            "xEx",
            "xException",
            "xThrowable",
            "wEx",
            "xwEx",
        ),
        "nothing",
    ),
    **dict.fromkeys(("L", "line"), "number"),
    **dict.fromkeys(("t", "thread", "threadName", "tn"), "thread"),
    **dict.fromkeys(
        (
            "F",
            "H",
            "K",
            "M",
            "N",
            "T",
            "X",
            "caller",
            "file",
            "h",
            "hostName",
            "i",
            "k",
            "kvp",
            "l",
            "location",
            "marker",
            "map",
            "mdc",
            "MDC",
            "MAP",
            "markerSimpleName",
            "method",
            "pid",
            "processId",
            "processName",
            "property",
            "r",
            "relative",
            "sequenceNumber",
            "sn",
            "tid",
            "threadId",
            "threadPriority",
            "tp",
            "u",
            "uuid",
            "x",
            "NDC",
        ),
        "text",
    ),
    **dict.fromkeys(
        (
            "highlight",
            "style",
            "enc",
            "encode",
            "notEmpty",
            "varsNotEmpty",
            "maxLen",
            "maxLength",
            "replace",
            "clr",
            "color",
            "black",
            "red",
            "green",
            "yellow",
            "blue",
            "magenta",
            "cyan",
            "white",
            "gray",
            "boldRed",
            "boldGreen",
            "boldYellow",
            "boldBlue",
            "boldMagenta",
            "boldCyan",
            "boldWhite",
        ),
        "around",
    ),
}
_CONVERSION = re.compile(r"%[-+0]*+(\d*)(?:\.-?\d+)?([A-Za-z]+|\()")


@cache
def _parts(pattern: str) -> _Parts:
    """A log4j pattern as regular expressions. Raises InputError for parts that are unknown or cannot be separated."""
    items = list(_items(pattern))
    kinds = [kind for kind, _, _ in items]
    if "message" not in kinds:
        raise InputError(f"layout '{pattern}': it prints no message (%m); give the whole ConversionPattern")
    if "logger" not in kinds:  # the logging class serves as the logger
        items = [("logger" if kind == "class" else kind, text, padded) for kind, text, padded in items]
    stamp = zone = ""
    before, after = "", ""
    seen: set[str] = set()
    in_tail = False
    for kind, text, padded in items:
        if kind == "message":
            in_tail = True
            continue
        if kind == "stamp":
            regex, made_stamp, where = _stamp_of(text, pattern)
            if "stamp" not in seen:
                stamp, zone = made_stamp, where
        else:
            regex = {
                "level": _LEVEL,
                "logger": _LOGGER,
                "class": r"[\w.$?]+",
                "number": r"(?:\d+|\?)?",
                "text": r"(?!\d{4}-\d\d-\d\d).{0,200}?",
                "thread": r"(?P<thread>(?!\d{4}-\d\d-\d\d).{0,200}?)",
            }.get(kind, "")
        if kind == "literal":
            regex = re.sub(r" +", _SPACES, _SPECIAL.sub(r"\\\1", text))
        elif kind in seen:
            regex = _GROUP.sub("(?:", regex)
        seen.add(kind)
        regex = f"{_PADDING}{regex}{_PADDING}" if padded or kind == "level" else regex
        before, after = (before, after + regex) if in_tail else (before + regex, after)
    before, after = (_once(part) for part in (before, after))
    if stamp == "" and "level" not in seen and before in ("", _SPACES, _PADDING) and after == "":
        return _Parts("", "", "", "")  # only the message
    after = after.removesuffix(_PADDING).removesuffix(_SPACES)
    if after.startswith(_SPACES):  # the message includes all of them except the last
        after = " " + after.removeprefix(_SPACES)
    return _Parts(before, after, stamp, zone)


def _once(regex: str) -> str:
    """An expression with adjacent gaps merged into one."""
    return (
        regex.replace(_PADDING + _SPACES, _SPACES).replace(_SPACES + _PADDING, _SPACES).replace(_PADDING * 2, _PADDING)
    )


def _items(pattern: str) -> Iterable[tuple[str, str, bool]]:
    """A pattern's literals and conversions: kind, the literal or the text in its braces, and whether it is padded."""
    at = 0
    while at < len(pattern):
        if pattern[at] != "%":
            end = pattern.find("%", at)
            end = len(pattern) if end < 0 else end
            yield "literal", re.sub(r"\\([()%])", r"\1", pattern[at:end]), False
            at = end
        elif pattern.startswith("%%", at):
            yield "literal", "%", False
            at += 2
        else:
            found = _CONVERSION.match(pattern, at)
            if found is None:
                raise InputError(f"layout '{pattern}': what '{pattern[at : at + 4]}' prints is not known")
            width, letters = found.groups()
            name = (
                "("
                if letters == "("
                else next((letters[:n] for n in range(len(letters), 0, -1) if letters[:n] in _KINDS), None)
            )
            if name is None:
                raise InputError(f"layout '{pattern}': what '%{letters}' prints is not known")
            at = found.end() - len(letters) + len(name) - (1 if name == "(" else 0)
            kind = _KINDS.get(name, "around")
            inner: list[str] = []
            while (
                at < len(pattern) and pattern[at] in "{(" and (pattern[at] == "{" or (kind == "around" and not inner))
            ):
                end = _closed(pattern, at)
                inner.append(pattern[at + 1 : end])
                at = end + 1
            if kind == "around":
                yield from _items(inner[0] if inner else "")
            else:
                yield kind, "\n".join(inner), bool(width) and kind in ("logger", "class", "text", "thread")


def _closed(pattern: str, start: int) -> int:
    """The position at which the bracket that opens at `start` closes."""
    opening, closing = pattern[start], {"{": "}", "(": ")"}[pattern[start]]
    depth = 0
    for at in range(start, len(pattern)):
        depth += (pattern[at] == opening) - (pattern[at] == closing)
        if depth == 0:
            return at
    raise InputError(f"layout '{pattern}': '{pattern[start]}' is not closed")


_DATE_FORMATS = {
    "ABSOLUTE": "HH:mm:ss,SSS",
    "ABSOLUTE_MICROS": "HH:mm:ss,SSS",
    "ABSOLUTE_NANOS": "HH:mm:ss,SSS",
    "ABSOLUTE_PERIOD": "HH:mm:ss,SSS",
    "COMPACT": "yyyyMMddHHmmssSSS",
    "DATE": "dd MMM yyyy HH:mm:ss,SSS",
    "DATE_PERIOD": "dd MMM yyyy HH:mm:ss,SSS",
    "ISO8601_BASIC": "yyyyMMdd'T'HHmmss,SSS",
    "ISO8601_BASIC_PERIOD": "yyyyMMdd'T'HHmmss,SSS",
    "US_MONTH_DAY_YEAR2_TIME": "dd/MM/yy HH:mm:ss,SSS",
    "US_MONTH_DAY_YEAR4_TIME": "dd/MM/yyyy HH:mm:ss,SSS",
}
_LETTERS = {
    "yyyy": r"(?P<year>\d{4})",
    "uuuu": r"(?P<year>\d{4})",
    "yy": r"(?P<year2>\d\d)",
    "MM": r"(?P<month>\d\d)",
    "MMM": r"(?P<month>[A-Z][a-z]{2})",
    "dd": r"(?P<day>\d\d)",
    "HH": r"(?P<hour>\d\d)",
    "mm": r"(?P<minute>\d\d)",
    "ss": r"(?P<second>\d\d)",
    "E": r"[A-Za-z]+",
    "EEE": r"[A-Za-z]+",
    "Z": r"(?P<zone>[+-]\d{4})",
    "X": r"(?P<zone>Z|[+-]\d\d)",
    "XX": r"(?P<zone>Z|[+-]\d{4})",
    "XXX": r"(?P<zone>Z|[+-]\d\d:\d\d)",
    "xxx": r"(?P<zone>[+-]\d\d:\d\d)",
    "z": r"(?P<zone>[A-Za-z][A-Za-z/_+:\d-]*)",
    "zzz": r"(?P<zone>[A-Za-z][A-Za-z/_+:\d-]*)",
}


def _stamp_of(options: str, pattern: str) -> tuple[str, str, str]:
    """The regular expression of `%d{format}{zone}`, how its groups make a whole timestamp, and its time zone."""
    form, _, named_zone = options.partition("\n")
    if "," in form and named_zone == "" and form.split(",")[0] in ("", "ISO8601", *_DATE_FORMATS):
        form, _, named_zone = form.partition(",")  # logback: %d{ISO8601,UTC}
    form = _DATE_FORMATS.get(form.strip().strip('"'), form.strip().strip('"'))
    zone = named_zone.strip()
    if form == "" or form.startswith(
        ("ISO8601", "DEFAULT", "yyyy-MM-dd HH:", "yyyy-MM-dd'T'HH:", "yyyy/MM/dd HH:", "uuuu-MM-dd")
    ):
        return _ISO_STAMP, _WHOLE_STAMP, zone or "{zone}"
    if form in ("UNIX", "UNIX_MILLIS"):
        return r"(?P<epoch>\d{10,13})", "{epoch}", ""
    regex = ""
    for quoted, letters, other in _tokens(form):
        if quoted is not None:
            regex += _SPECIAL.sub(r"\\\1", quoted)
        elif letters is not None:
            part = _of_letters(letters)
            if part is None:
                raise InputError(f"layout '{pattern}': the date format '{form}' has '{letters}', which cannot be read")
            is_repeated = set(_GROUP.findall(part)) & set(_GROUP.findall(regex))
            regex += _GROUP.sub("(?:", part) if is_repeated else part
        else:
            regex += "[.,]" if other in ".," else " +" if other == " " else _SPECIAL.sub(r"\\\1", other)
    names = set(_GROUP.findall(regex))
    if not {"month", "day", "hour", "minute"} <= names or not names & {"year", "year2"}:
        return _GROUP.sub("(?:", regex), "", ""  # no whole date: the time alone is not enough
    year = "{year}" if "year" in names else "20{year2}"
    second = "{second}" if "second" in names else "00"
    fraction = ".{fraction}" if "fraction" in names else ""
    return (
        regex,
        f"{year}-{{month}}-{{day}} {{hour}}:{{minute}}:{second}{fraction}",
        zone or ("{zone}" if "zone" in names else ""),
    )


def _of_letters(letters: str) -> str | None:
    """The expression for the same letters in a row of a date format; None if no format has them."""
    if set(letters) <= {"S", "n"} and len(letters) <= _MOST_DIGITS:
        return rf"(?P<fraction>\d{{{len(letters)},{_MOST_DIGITS}}})"
    return _LETTERS.get(letters)


def _tokens(form: str) -> list[tuple[str | None, str | None, str]]:
    """The tokens of a date format: quoted text, a run of one letter, or another character."""
    found = re.finditer(
        r"'(?P<quoted>[^']*)'|(?P<letters>(?P<letter>[A-Za-z])(?P=letter)*)|(?P<other>[^A-Za-z'])", form
    )
    return [(match["quoted"], match["letters"], match["other"] or "") for match in found]
