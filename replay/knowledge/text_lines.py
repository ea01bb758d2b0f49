"""Records for the rules of this package, from a text or a pasted line with any layout, or none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache
from html import unescape
from textwrap import dedent

from replay.catalogue import (
    LEAST_LITERALS,
    NAMES_A_CLIENT,
    explain,
    explain_behind_a_header,
    explain_cut,
    explain_of_client,
    explain_without_prefix,
)
from replay.catalogue.template import Template, simple_name
from replay.knowledge.protocol_errors import names_an_error as is_protocol_error
from replay.reading.layouts import ANY, JOINED, Layout, cut_at_level, detect, in_its_calendar, layout_named
from replay.reading.pasted import UNKNOWN, Apart, parted
from replay.reading.proposals import proposed
from replay.reading.records import Record, records_of
from replay.reading.secrets import hidden_lines, hidden_text
from replay.reading.stamps import datetime_of, micros_of
from replay.reading.wrappers import IN_ITS_CALENDAR

LEVELS = {"TRACE": 0, "DEBUG": 1, "INFO": 2, "WARN": 3, "WARNING": 3, "ERROR": 4, "SEVERE": 4, "FATAL": 5}
NO_LEVEL = "?"  # the level of a line without a layout
_BROKERS_FRAME = re.compile(
    r"^[ \t]{0,40}+at kafka\.(?:network|server|log|cluster|controller|coordinator)\.", re.MULTILINE
)
_LOOKED_AT = 2_000  # lines that determine the layout of a text
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OF_A_PAGE = re.compile(r"&(?:#\d+|quot|lt|gt);")  # copied from the source of a page
_ANY_TEXT = re.compile(r"(?:\[[^\]]*\] )?\{\w+\}")  # a template that matches any text of its logger and level
_BARE_ANSI = re.compile(r"\[(?:\d{1,2}(?:;\d{1,3}){0,4})?m ?")  # colors whose escape character was lost
_COLORED = re.compile(r"\[3[0-7]m")
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
_STRESSED = re.compile(r"\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*")  # as Markdown marks it
_CLIENT = re.compile(
    r"clients\.(?:consumer|producer|admin)\.|\.streams\.|\.connect\.|kafka\.(?:consumer|producer)\.|o\.a\.k\.(?:s|c\.(?:r|s|m|c\.[cpa]))\."
    r"|\[(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=|\bWorker\w+\{id=|kafka-(?:admin-client|producer-network|coordinator-heartbeat)-thread|\brdkafka#|^%[0-7]\|[A-Z_]+\||^Bootstrap broker "
    r"|^(?:kafka-python|kafkajs|sarama): |\b(?:client/(?:metadata|brokers|coordinator) |(?:producer|consumer)/(?:broker|leader)/)|springframework\.kafka|o\.s\.k\.|\bflink\b|spark\.sql\.kafka|\bcurator\b|\bhelix\b"
    r"|^\W*(?:Distributed|Standalone)Herder|^(?:ZookeeperConsumerConnector|ConsumerFetcherThread|ConsumerFetcherManager|DefaultEventHandler|ClientUtils\$)$"
)
_LOGGER_OF_A_CLIENT = re.compile(r"org\.apache\.kafka\.(?:clients\.(?:consumer|producer|admin)|connect|streams)\.")
_OF_A_CLIENT = re.compile(
    r"kafka\.(?:clients|common|connect|streams|tools)\.|o\.a\.k\.[csmt]\.|^[A-Z]\w+$|^\[(?:Consumer|Producer|AdminClient|Worker) |^\[[\w.>-]+\|(?:task|worker)|^(?:global-)?stream-"
)
_STAMP = re.compile(r"\d\d:\d\d(?::\d\d)?|\d{9,}")
_CLOCK = re.compile(r"(?<![\d:.])\d\d:\d\d:\d\d(?![\d:])")
_DATED = re.compile(r"\W{0,2}(\d{4}[-/]\d\d[-/]\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?(?!\d)")
_CTIME = re.compile(
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (?:(?:UTC|GMT) )?(\d{4})(?!\S)"
)  # java.util.Date
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CLOCK_WITHIN = 60  # characters from the start of a row
_LOGGER_BEHIND = re.compile(r" \(((?:[a-z]\w*\.)+[A-Z][\w$]*)(?::\d+)?\)(?: \[[\w.:-]{1,120}\])? *$")
# Lines that the log cleaner wraps, rejoined into one.
_CLEANED = re.compile(r"(\[kafka-log-cleaner-thread-\d+\]:) +(Log cleaner thread \d+ cleaned log [^\n]*)$")
_LOGGER_BEFORE = re.compile(r"(?P<logger>(?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,80}) {1,40}: (?P<said>\S[^\n]*)$")
# After a level and a thread, as Spring Boot and Micronaut print it.
_LOCATION_BEHIND = re.compile(r" \[(?:[\w$]{1,80}\.){1,20}[\w$<>]{1,80}\([A-Z]\w{1,80}\.(?:java|scala):\d{1,6}\)\]$")
_LOCATED = re.compile(r"\((?P<file>[A-Z]\w{1,80})\.(?:java|scala):\d{1,5}\) - (?P<said>\S[^\n]*)$")
_KAFKAS_LOGGER_BEFORE = re.compile(
    r"(?:\d{1,9} --- )?(?:\[[^\]\n]{1,160}\] {1,4})?(?P<logger>(?:o\.a\.k|o\.a\.kafka|org\.apache\.kafka|o\.apache\.kafka|kafka)\.(?:\w{1,60}\.){0,10}[A-Z][\w$]{0,80}(?<!Exception)(?<!Error)) {0,40}: (?P<said>\S[^\n]*)$"
)
# A Kafka exception, or an error as librdkafka and Sarama print it, anywhere in a text.
_ERROR_OF_KAFKA = re.compile(
    r"\b(?:Broker|Local|kafka server): [A-Z][a-z]|\bKafka::[A-Z]\w{3,60}|No security protocol defined for listener |No .meta\.properties. found in /|advertised\.listeners cannot use the nonroutable|\b(?:org\.apache|io\.confluent)\.kafka\.(?:[a-z]\w{0,40}\.){1,8}[A-Z]\w{0,80}(?:Exception|Error)\b"
)
_ABBREVIATED = ("org.apa.kaf.", "or.ap.ka.")  # JBoss's and Quarkus's short form
_NAMED_WITHIN = 4_000  # characters
_PACKAGES = ("org.apache.kafka.", "kafka.")
_PACKAGES_OF_KAFKA = (*_PACKAGES, "org.apache.zookeeper.", "state.change.")
_CUT_MARK = re.compile(r"(?:\.\.\.|…|>)$")
_EXCEPTION_BEGINS = re.compile(r"(?:[a-z]\w*\.){1,12}[A-Z]\w{0,80}(?:Exception|Error|Throwable)\b")
# The process that wrote a line, as the line's own prefix shows it.
_OWN = re.compile(
    r"\[?(?:(?P<broker>ReplicaFetcher replicaId=|ReplicaManager broker=|Partition \S{1,300} broker=|KafkaServer id=|Kafka Server |"
    r"BrokerServer id=|BrokerLifecycleManager id=|BrokerMetadataPublisher id=|BrokerMetadataListener id=|BrokerMetadataSnapshotter id=|"
    r"BrokerRegistration id=|BrokerToControllerChannelManager broker=|BrokerToControllerChannelManager id=|SocketServer brokerId=|ShareCoordinator id=|Replica Manager on Broker |KafkaApi-|GroupCoordinator id=|GroupCoordinator |"
    r"Kafka Coordinator |TransactionCoordinator id=|Transaction State Manager |Transaction Marker Channel Manager |"
    r"ReplicaFetcherManager on broker |ReplicaAlterLogDirsManager on broker |GroupMetadataManager brokerId=|"
    r"Group Metadata Manager on Broker |Broker id=|broker-|ReplicaAlterLogDirsThread replicaId=|Partition state machine on broker )"
    r"|(?P<controller>QuorumController id=|Controller id=|Controller |Controller-|ControllerServer id=|PartitionStateMachine controllerId=|"
    r"ReplicaStateMachine controllerId=|RequestSendThread controllerId=|Channel manager on controller |ControllerEventThread controllerId=|ControllerApis nodeId=|"
    r"ControllerRegistrationManager id=|KRaftMigrationDriver id=|\w{1,60}Listener on Controller |\w{1,60}Listener on )"
    r"|(?P<node>RaftManager (?:node)?[iI]d=|SharedServer id=|MetadataLoader id=|SnapshotGenerator id=|SocketServer listenerType=\w{1,40}, nodeId=|KafkaRaftServer nodeId=))(?P<id>\d+)"
)
_FOLLOWER = re.compile(
    r"^\[ReplicaFetcherThread-\d+-\d+\],? .*?(?:Replica (\d+) for partition|replica (\d+)'s latest offset)"
)
ZEROS = str.maketrans("123456789", "0" * 9)
SHAPES = 20_000  # cached texts, without their digits
_PROGRAMS = {
    "a Kafka Connect worker": re.compile(
        r"kafka\.connect\.|\bWorker\w+\{id=|(?:Distributed|Standalone)Herder|\[Worker clientId=|\[[\w.-]{1,200}\|(?:task|worker)\b"
    ),
    "a Kafka Streams application": re.compile(r"kafka\.streams\.|\bstream-(?:thread|client) \["),
}
NOBODY = "nobody known"  # the writer of a line without a layout


@dataclass(frozen=True)
class Line:
    """A record. `trace` holds the lines below its first line; `ts` is None without a known time, `node` without a
    known id; `writer` is empty for a record in Kafka's layouts.
    """

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
    node: int | None = None
    writer: str = ""
    clock: str = ""  # the time of day of a line that prints no date
    has_more: bool = False  # later lines with its wording in its file are not read

    @property
    def text(self) -> str:
        """The message and the lines below it."""
        return f"{self.message}\n{self.trace}" if self.trace else self.message

    @property
    def severity(self) -> int:
        """The level as a number, from 0 (TRACE) to 5 (FATAL)."""
        return LEVELS.get(self.level, 2)

    @cached_property
    def is_clients(self) -> bool:
        """Whether a Kafka client wrote the line, not a broker."""
        return _is_of_clients(self.logger or "") or _is_of_clients(self.message[:120].translate(ZEROS))

    @cached_property
    def program(self) -> str:
        """The kind of program that wrote it, for a line of a client: a Connect worker, Streams, or any client."""
        text = f"{self.logger or ''} {self.message[:200]}"
        return next((name for name, pattern in _PROGRAMS.items() if pattern.search(text)), "a Kafka client")

    @cached_property
    def own(self) -> tuple[str, str] | None:
        """The role and id of the process that wrote it, as the line's own prefix shows them."""
        found = _OWN.match(self.message) or _OWN.search(self.message[:60])
        if found is None or found.start() > 40:
            follower = _FOLLOWER.match(self.message)  # up to 0.10, a fetcher names its own broker only this way
            return ("broker", follower[1] or follower[2]) if follower else None
        return next(name for name in ("broker", "controller", "node") if found[name]), found["id"]

    @property
    def where(self) -> str:
        """The location: `server.log:12`."""
        return f"{self.source}:{self.number}"


@lru_cache(SHAPES)
def clock_time(ts: datetime | None) -> str:
    """The time of day of a line, `03:20:41`; empty without a time."""
    return f"{ts:%H:%M:%S}" if ts is not None else ""


def _is_of_clients(text: str) -> bool:
    """Whether a logger, or the beginning of a message with all digits 0, belongs to a client."""
    return _CLIENT.search(text) is not None


def plain_text(text: str) -> str:
    """The text without colors, with plain spaces and line ends."""
    return _ANSI.sub("", text.replace("\x00", "").replace("\r\n", "\n").replace("\xa0", " "))


def lines_of(text: str, source: str) -> Iterator[Line]:
    """The records of `text`, in order."""
    text = hidden_lines(plain_text(text))
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
    text = _STRESSED.sub(r"\1", text) if "**" in text else text
    text, apart = parted(text)
    rows = text.split("\n")
    own = [_of_its_own_time(line_of(one), rows) for one in records_of(text, source_file=source, layout=layout_of(text))]
    own = _with_their_exceptions([_of_a_trace(_of_a_cut(_with_logger(line))) for line in own], rows)
    yield from sorted([*own, *(_line_apart(one, source) for one in apart)], key=lambda line: line.number)


def _with_logger(line: Line) -> Line:
    """The line with its logger taken out of its message: after the message as in Kafka's layout, before it as in
    Spring Boot's, or followed by method, file and line.
    """
    if line.logger is not None and (located := _LOCATED.match(line.message)) is not None:
        logger = line.logger.rpartition(".")[0] if located["file"] in line.logger else line.logger
        return matched_line(replace(line, message=located["said"], logger=logger))
    if line.logger is not None or line.template is not None:
        return line
    if line.level != NO_LEVEL:
        before = _KAFKAS_LOGGER_BEFORE.match(line.message)
        behind = _LOGGER_BEHIND.search(line.message) if before is None else None
        if before is not None:
            return matched_line(replace(line, message=before["said"], logger=before["logger"]))
        if behind is not None and behind[1].startswith(_PACKAGES):
            return matched_line(replace(line, message=line.message[: behind.start()].rstrip(), logger=behind[1]))
        return line
    if before := _LOGGER_BEFORE.match(line.message):
        return matched_line(replace(line, message=before["said"], logger=before["logger"]))
    found = _LOGGER_BEHIND.search(line.message)
    if found is None:
        return line
    return matched_line(replace(line, message=line.message[: found.start()].rstrip(), logger=found[1]))


def _of_a_cut(line: Line) -> Line:
    """The line with its template, if its end was truncated within its logger or its message."""
    if line.template is not None or line.level == NO_LEVEL or line.trace.strip():
        return line
    message, bracket, logger = line.message.rpartition(" (")
    is_in_logger = bracket and logger and (logger.startswith(_PACKAGES) or any(p.startswith(logger) for p in _PACKAGES))
    if line.logger is None and is_in_logger:
        line = matched_line(replace(line, message=message.rstrip()))
    if line.template is not None:
        return line
    known = explain_cut(_CUT_MARK.sub("", line.message).rstrip())
    if known is None or (line.logger is not None and not _can_print(known, line)):
        return line
    return replace(line, template=known.id, kind=known.kind)


def _can_print(template: Template, line: Line) -> bool:
    """Whether the template's logger can have printed the line; a client's class may log warnings under the name of
    its subclass.
    """
    is_warning = template.level == line.level != "INFO" and _is_of_a_client(line.logger)
    return is_warning or simple_name(line.logger or "") in template.logger.split("|")


def _with_their_exceptions(lines: Sequence[Line], rows: Sequence[str]) -> list[Line]:
    """`lines` with each exception directly below a bare message as the trace of that message."""
    out: list[Line] = []
    for line in lines:
        before = out[-1] if out else None
        is_below = before is not None and before.number == line.number - 1 and not before.trace
        if before is not None and is_below and _is_bare(before, rows) and _EXCEPTION_BEGINS.match(line.message):
            level = "ERROR" if before.level == NO_LEVEL else before.level
            out[-1] = replace(before, level=level, trace=line.text)
        else:
            out.append(line)
    return out


def _of_a_trace(line: Line) -> Line:
    """The line as an ERROR, if it has no level but a broker's stack trace below it, or names a Kafka exception."""
    if line.level != NO_LEVEL:
        return line
    names_one = line.template is None and names_an_error(line.text[:_NAMED_WITHIN])
    heads_one = line.template is not None and _EXCEPTION_BEGINS.match(line.trace.lstrip()) is not None
    return replace(line, level="ERROR") if names_one or heads_one or is_brokers_trace(line.trace) else line


def is_brokers_trace(trace: str) -> bool:
    """Whether `trace` is a stack trace with broker frames that begins with an exception or has a cause."""
    has_exception = "Caused by: " in trace or _EXCEPTION_BEGINS.match(trace.lstrip()) is not None
    return has_exception and _BROKERS_FRAME.search(trace) is not None


def names_an_error(text: str) -> bool:
    """Whether `text` names an error the way Kafka or one of its client libraries does."""
    return _ERROR_OF_KAFKA.search(text) is not None or is_protocol_error(text)


def _is_bare(line: Line, rows: Sequence[str]) -> bool:
    """Whether the line is a Kafka message that somebody pasted without its time and level."""
    row = rows[line.number - 1] if line.number <= len(rows) else ""
    is_kafkas = line.template is not None or line.logger is not None
    return is_kafkas and _STAMP.search(row[:40]) is None and _EXCEPTION_BEGINS.match(line.message) is None


def _without_frame(row: str) -> str:
    inner = row.rstrip(" ")
    if len(inner) > 1 and inner.startswith(_FRAME) and inner.endswith(_FRAME):
        return inner[1:-1].removeprefix(" ").rstrip(" ")
    return row


def _moment(found: re.Match[str]) -> datetime | None:
    date, clock, part = found.groups()
    return datetime_of(micros_of(f"{date.replace('/', '-')} {clock}.{(part or '0')[:6]}"))


def _moment_of_ctime(found: re.Match[str]) -> datetime | None:
    month, day, clock, year = found.groups()
    if month not in _MONTHS:
        return None
    return datetime_of(micros_of(f"{year}-{_MONTHS.index(month) + 1:02}-{day:0>2} {clock}.0"))


def _of_its_own_time(line: Line, rows: Sequence[str]) -> Line:
    """`line` without a time if its row prints none; with the time of day if its row prints no date."""
    row = rows[line.number - 1] if line.number <= len(rows) else ""
    if line.ts is None:
        if (found := _DATED.match(row)) and (when := _moment(found)) is not None:
            return replace(line, ts=when)
        if (written := _CTIME.match(row)) is not None and (when := _moment_of_ctime(written)) is not None:
            return replace(line, ts=when)
        found = _CLOCK.search(row[:_CLOCK_WITHIN])
        return replace(line, clock=found[0]) if found else line
    return line if _STAMP.search(row) else replace(line, ts=None)


def _line_apart(one: Apart, source: str) -> Line:
    """The line for a text outside any record; a text that names a Kafka error or logger becomes a record without a
    header.
    """
    message = hidden_text(one.message)
    if one.kind == UNKNOWN and names_an_error(one.message[:_NAMED_WITHIN]):
        return matched_line(Line(source, one.number, one.ts, "ERROR", None, message, node=one.node))
    if one.kind == UNKNOWN and (behind := _LOGGER_BEHIND.search(message)) and behind[1].startswith(_PACKAGES_OF_KAFKA):
        return _with_logger(Line(source, one.number, one.ts, NO_LEVEL, None, message, node=one.node))
    return Line(
        source,
        one.number,
        one.ts,
        one.level,
        None,
        message,
        template=one.template,
        kind=one.kind,
        fields={name: hidden_text(value) for name, value in one.fields.items()},
        node=one.node,
        writer=one.writer or NOBODY,
    )


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


def line_of(record: Record) -> Line:
    """The `Line` of a record of the reader; an exception after a level is not taken for a logger."""
    is_exception = record.logger is not None and _EXCEPTION_BEGINS.fullmatch(record.logger) is not None
    message = record.message.rstrip()
    return matched_line(
        Line(
            record.source_file,
            record.line_number,
            record.raw_ts,
            record.level or NO_LEVEL,
            None if is_exception else record.logger,
            f"{record.logger}: {message}" if is_exception else message,
            record.below or "",
            node=record.node_id,
        )
    )


def matched_line(line: Line) -> Line:
    """`line` with the catalogue's fields, and with the template's level if it prints none."""
    if line.message.endswith(")]"):
        line = replace(line, message=_LOCATION_BEHIND.sub("", line.message))
    if cleaned := _CLEANED.match(line.message):
        line = replace(line, message=cleaned[1], trace="\n".join(filter(None, (cleaned[2], line.trace))))
    known = _known(line.message, line.logger)
    may_be_behind = (
        line.severity >= LEVELS["WARN"] or line.level == NO_LEVEL or any(map(line.message.__contains__, NAMES_A_CLIENT))
    )
    has_no_logger = line.logger is None or line.logger.startswith(_ABBREVIATED)  # then a part of the thread may remain
    if known is None and has_no_logger and may_be_behind:
        known = explain_behind_a_header(line.message)
    if known is None or (line.level not in (NO_LEVEL, known[0].level) and _ANY_TEXT.fullmatch(known[0].text)):
        return line
    level = known[0].level if line.level == NO_LEVEL else line.level
    return replace(line, level=level, template=known[0].id, kind=known[0].kind, fields=known[1])


def _known(message: str, logger: str | None) -> tuple[Template, dict[str, str]] | None:
    """The template of a message; a client's template before a broker's with little fixed text."""
    known = explain(message, logger) or explain_without_prefix(message, logger)
    if known is not None and _is_of_a_client(logger) and not _prints(known[0], logger):
        known = None  # Kafka Connect and brokers share words
    begins_as_a_clients = _OF_A_CLIENT.search(message[:40]) is not None
    if begins_as_a_clients or logger is None or _OF_A_CLIENT.search(logger):
        if known is None or begins_as_a_clients or known[0].literal_length < LEAST_LITERALS:
            known = explain_of_client(message, logger) or known
        if known is None and begins_as_a_clients and not message.endswith("."):
            known = explain_of_client(f"{message}.", logger) or explain(f"{message}.", logger)
    return known


def _is_of_a_client(logger: str | None) -> bool:
    return logger is not None and _LOGGER_OF_A_CLIENT.match(logger) is not None


def _prints(template: Template, logger: str | None) -> bool:
    return template.logger == "*" or simple_name(logger or "") in template.logger.split("|")


_ZK_CONNECT = re.compile(r"^Unable to open socket to (?:\{\})?(?P<address>\S{1,300})$")
_ZK_ERROR = re.compile(r"^Socket error occurred: (?P<address>\S{1,300}): (?P<error>[^\n]{1,300})$")
_NEXT_LINES = 3  # another thread may log in between


def with_socket_errors(lines: Sequence[Line]) -> list[Line]:
    """The lines; the one in which ZooKeeper's client could not open a socket has the error that it logs in its next line, a
    quiet one (`ClientCnxnSocketNIO.connect`, `ClientCnxn.SendThread`).
    """
    joined: list[Line] = []
    waiting: dict[tuple[str, str], int] = {}
    for line in lines:
        opens, error = _ZK_CONNECT.match(line.message), _ZK_ERROR.match(line.message)
        if error is not None:
            at = waiting.pop((line.source, error["address"]), None)
            if at is not None and line.number - joined[at].number <= _NEXT_LINES:
                joined[at] = replace(joined[at], trace=f"java.net.SocketException: {error['error']}")
                continue
        elif opens is not None and not line.trace:
            waiting[line.source, opens["address"]] = len(joined)
        joined.append(line)
    return joined
