"""A line of a text as explanations read it: what it says, when, and which program printed it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache

from replay.catalogue import NAMES_A_CLIENT, explain_behind_a_header, explain_cut, is_of_a_client, prints, template_of
from replay.catalogue.protocol_errors import names_an_error
from replay.reading.records import Record

# The kinds of lines that are not Kafka's: their own kinds, or one of these.
TYPED, SETTING, UNKNOWN, OTHERS = "typed_by_a_person", "setting", "unknown", "another_program"
LEVELS = {"TRACE": 0, "DEBUG": 1, "INFO": 2, "WARN": 3, "WARNING": 3, "ERROR": 4, "SEVERE": 4, "FATAL": 5}
NO_LEVEL = "?"  # the level of a line without a layout
_CLIENT = re.compile(
    r"clients\.(?:consumer|producer|admin)\.|\.streams\.|\.connect\.|kafka\.(?:consumer|producer)\.|o\.a\.k\.(?:s|c\.(?:r|s|m|c\.[cpa]))\."
    r"|\[(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=|\bWorker\w+\{id=|kafka-(?:admin-client|producer-network|coordinator-heartbeat)-thread|\brdkafka#|^%[0-7]\|[A-Z_]+\||^Bootstrap broker "
    r"|^(?:kafka-python|kafkajs|sarama): |\b(?:client/(?:metadata|brokers|coordinator) |(?:producer|consumer)/(?:broker|leader)/)|springframework\.kafka|o\.s\.k\.|\bflink\b|spark\.sql\.kafka|\bcurator\b|\bhelix\b"
    r"|^\W*(?:Distributed|Standalone)Herder|^(?:ZookeeperConsumerConnector|ConsumerFetcherThread|ConsumerFetcherManager|DefaultEventHandler|ClientUtils\$)$"
)
# The process that wrote a line, as the line's own prefix shows it.
_OWN = re.compile(
    r"\[?(?:(?P<broker>ReplicaFetcher replicaId=|ReplicaManager broker=|Partition \S{1,300} broker=|KafkaServer id=|Kafka Server |"
    r"BrokerServer id=|BrokerLifecycleManager id=|BrokerMetadataPublisher id=|BrokerMetadataListener id=|BrokerMetadataSnapshotter id=|"
    r"BrokerRegistration id=|BrokerToControllerChannelManager broker=|BrokerToControllerChannelManager id=|SocketServer brokerId=|ShareCoordinator id=|Replica Manager on Broker |KafkaApi-|GroupCoordinator id=|GroupCoordinator |"
    r"Kafka Coordinator |TransactionCoordinator id=|Transaction State Manager |Transaction Marker Channel Manager |"
    r"ReplicaFetcherManager on broker |ReplicaAlterLogDirsManager on broker |GroupMetadataManager brokerId=|"
    r"Group Metadata Manager on Broker |Broker id=|broker-(?=\d{1,10}[\]:-])|ReplicaAlterLogDirsThread replicaId=|Partition state machine on broker )"
    r"|(?P<controller>QuorumController id=|Controller id=|Controller |Controller-|ControllerServer id=|PartitionStateMachine controllerId=|"
    r"ReplicaStateMachine controllerId=|RequestSendThread controllerId=|Channel manager on controller |ControllerEventThread controllerId=|ControllerApis nodeId=|"
    r"ControllerRegistrationManager id=|KRaftMigrationDriver id=|\w{1,60}Listener on Controller |\w{1,60}Listener on )"
    r"|(?P<node>RaftManager (?:node)?[iI]d=|SharedServer id=|MetadataLoader id=|SnapshotGenerator id=|SocketServer listenerType=\w{1,40}, nodeId=|KafkaRaftServer nodeId=))(?P<id>\d+)"
)
_THREAD_BEFORE = re.compile(r"^\((?:[^()\n]|\([^()\n]{0,80}\)){1,160}\) (?=\[)")
_HEAD_OF_A_MESSAGE = 300  # characters
_FOLLOWER = re.compile(
    r"^\[ReplicaFetcherThread-\d+-\d+\],? .*?(?:Replica (\d+) for partition|replica (\d+)'s latest offset)"
)
_PROGRAMS = {
    "a Kafka Connect worker": re.compile(
        r"kafka\.connect\.|\bWorker\w+\{id=|(?:Distributed|Standalone)Herder|\[Worker clientId=|\[[\w.-]{1,200}\|(?:task|worker)\b"
    ),
    "a Kafka Streams application": re.compile(r"kafka\.streams\.|\bstream-(?:thread|client) \["),
}
_BROKERS_FRAME = re.compile(
    r"^[ \t]{0,40}+at kafka\.(?:network|server|log|cluster|controller|coordinator)\.", re.MULTILINE
)
_ANY_TEXT = re.compile(r"(?:\[[^\]]*\] )?\{\w+\}")  # a template that matches any text of its logger and level
_LOGGER_BEHIND = re.compile(r" \(((?:[a-z]\w*\.)+[A-Z][\w$]*)(?::\d+)?\)(?: \[[\w.:-]{1,120}\])? *$")
# Lines that the log cleaner wraps, rejoined into one.
_CLEANED = re.compile(r"(\[kafka-log-cleaner-thread-\d+\]:) +(Log cleaner thread \d+ cleaned log [^\n]*)$")
_LOGGER_BEFORE = re.compile(r"^(?P<logger>(?:[a-z]\w{0,60}\.){1,12}[A-Z][\w$]{0,80}) {1,40}: (?P<said>\S[^\n]*)$")
# After a level and a thread, as Spring Boot and Micronaut print it.
_LOCATION_BEHIND = re.compile(r" \[(?:[\w$]{1,80}\.){1,20}[\w$<>]{1,80}\([A-Z]\w{1,80}\.(?:java|scala):\d{1,6}\)\]$")
_LOCATED = re.compile(r"\((?P<file>[A-Z]\w{1,80})\.(?:java|scala):\d{1,5}\) - (?P<said>\S[^\n]*)$")
_KAFKAS_LOGGER_BEFORE = re.compile(
    r"^(?:\d{1,9} --- )?(?:\[[^\]\n]{1,160}\] {1,4})?(?P<logger>(?:o\.a\.k|o\.a\.kafka|org\.apache\.kafka|o\.apache\.kafka|kafka)\.(?:\w{1,60}\.){0,10}[A-Z][\w$]{0,80}(?<!Exception)(?<!Error)) {0,40}: (?P<said>\S[^\n]*)$"
)
_ABBREVIATED = ("org.apa.kaf.", "or.ap.ka.")  # JBoss's and Quarkus's short form
_NAMED_WITHIN = 4_000  # characters
_PACKAGES = ("org.apache.kafka.", "kafka.")
_PACKAGES_OF_KAFKA = (*_PACKAGES, "org.apache.zookeeper.", "state.change.")
_CUT_MARK = re.compile(r"(?:\.\.\.|…|>)$")
EXCEPTION_BEGINS = re.compile(r"^(?:[a-z]\w*\.){1,12}[A-Z]\w{0,80}(?:Exception|Error|Throwable)\b")
NOBODY = "nobody known"  # the writer of a line without a layout
ZEROS = str.maketrans("123456789", "0" * 9)
SHAPES = 20_000  # cached texts, without their digits


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
    container: str = ""  # the name before the line, as Compose and kubectl print it
    pasted: str = ""  # the row as it was pasted, of a record whose layout leaves fields out
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
        message = _THREAD_BEFORE.sub("", self.message[:_HEAD_OF_A_MESSAGE])
        found = _OWN.match(message) or _OWN.search(message[:60])
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


def line_of(record: Record) -> Line:
    """The `Line` of a record of the reader; an exception after a level is not taken for a logger."""
    is_exception = record.logger is not None and EXCEPTION_BEGINS.fullmatch(record.logger) is not None
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
    known = template_of(line.message, line.logger)
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


def whole_line(line: Line) -> Line:
    """`line` with what its layout left in its message: the logger, which stands after the message as in Kafka's layout or
    before it as in Spring Boot's, or the method, file and line; with its template if its end was truncated; and as an error
    if it has no level but names one.
    """
    return _of_a_trace(_of_a_cut(_with_logger(line)))


def _with_logger(line: Line) -> Line:
    located = _LOCATED.match(line.message) if line.logger is not None else None
    if line.logger is not None and located is not None:
        logger = line.logger.rpartition(".")[0] if located["file"] in line.logger else line.logger
        return matched_line(replace(line, message=located["said"], logger=logger))
    if line.logger is not None or line.template is not None:
        return line
    has_level = line.level != NO_LEVEL
    before = (_KAFKAS_LOGGER_BEFORE if has_level else _LOGGER_BEFORE).match(line.message)
    if before is not None:
        return matched_line(replace(line, message=before["said"], logger=before["logger"]))
    behind = _LOGGER_BEHIND.search(line.message)
    if behind is None or (has_level and not behind[1].startswith(_PACKAGES)):
        return line
    return matched_line(replace(line, message=line.message[: behind.start()].rstrip(), logger=behind[1]))


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
    if known is None:
        return line
    # A client's class may log warnings under the name of its subclass.
    is_warning = known.level == line.level != "INFO" and is_of_a_client(line.logger)
    can_print = line.logger is None or is_warning or prints(known, line.logger)
    return replace(line, template=known.id, kind=known.kind) if can_print else line


def _of_a_trace(line: Line) -> Line:
    """The line as an ERROR, if it has no level but a broker's stack trace below it, or names a Kafka exception."""
    if line.level != NO_LEVEL:
        return line
    names_one = line.template is None and names_an_error(line.text[:_NAMED_WITHIN])
    heads_one = line.template is not None and EXCEPTION_BEGINS.match(line.trace.lstrip()) is not None
    return replace(line, level="ERROR") if names_one or heads_one or is_brokers_trace(line.trace) else line


def is_brokers_trace(trace: str) -> bool:
    """Whether `trace` is a stack trace with broker frames that begins with an exception or has a cause."""
    has_exception = "Caused by: " in trace or EXCEPTION_BEGINS.match(trace.lstrip()) is not None
    return has_exception and _BROKERS_FRAME.search(trace) is not None


def of_no_record(line: Line) -> Line:
    """A line outside any record; as a record if it names an error or a logger of Kafka."""
    if names_an_error(line.message[:_NAMED_WITHIN]):
        return matched_line(replace(line, level="ERROR", kind=None, writer=""))
    behind = _LOGGER_BEHIND.search(line.message)
    is_kafkas = behind is not None and behind[1].startswith(_PACKAGES_OF_KAFKA)
    return _with_logger(replace(line, kind=None, writer="")) if is_kafkas else line
