"""The same few records in each layout and each wrapper: a parser must read them all alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Said:
    """A record: time (UTC), level, logger, thread, message, and the lines that follow."""

    at: datetime
    level: str
    logger: str
    thread: str
    message: str
    more: tuple[str, ...] = ()

    @property
    def simple(self) -> str:
        return "logger" if self.logger == "state.change.logger" else self.logger.rsplit(".", 1)[-1]

    def stamp(self, form: str = "%Y-%m-%d %H:%M:%S,%f") -> str:
        text = self.at.strftime(form)
        return text[:-3] if form.endswith("%f") else text


def _at(second: int, milli: int) -> datetime:
    return datetime(2026, 11, 21, 5, 34, second, milli * 1_000, tzinfo=UTC)


SAID = (
    Said(
        _at(41, 986),
        "INFO",
        "kafka.cluster.Partition",
        "kafka-scheduler-3",
        "[Partition orders-3 broker=1] Shrinking ISR from 1,2,3 to 1,3. Leader: (highWatermark: 118, endOffset: 120). "
        "Out of sync replicas: (brokerId: 2, endOffset: 118).",
    ),
    Said(
        _at(42, 7),
        "ERROR",
        "kafka.server.ReplicaManager",
        "data-plane-kafka-request-handler-4",
        "[ReplicaManager broker=1] Error processing append operation on partition orders-3",
        (
            "org.apache.kafka.common.errors.NotEnoughReplicasException: The size of the current ISR Set(1) is too small",
            "\tat kafka.cluster.Partition.appendRecordsToLeader(Partition.scala:1)",
            "Caused by: java.lang.IllegalStateException: so it is",
        ),
    ),
    Said(
        _at(42, 40),
        "WARN",
        "state.change.logger",
        "controller-event-thread",
        "[Broker id=1] Ignoring LeaderAndIsr request from controller 2 with correlation id 7 epoch 3 for partition orders-3 since its associated "
        "leader epoch 5 is not higher than the current leader epoch 5",
    ),
    Said(
        _at(43, 120),
        "INFO",
        "kafka.server.KafkaConfig",
        "main",
        "KafkaConfig values: ",
        ("\tbroker.id = 1", "\tmin.insync.replicas = 2", "\t"),
    ),
    Said(_at(44, 0), "INFO", "kafka.server.KafkaServer", "main", "[KafkaServer id=1] started"),
)

_ISO = "%Y-%m-%dT%H:%M:%S.%f"

# A record's first line in each text layout; in a message of several lines, `(logger)` is at the end of the last line.
FIRST_LINES: dict[str, Callable[[Said], str]] = {
    "default": lambda r: f"[{r.stamp()}] {r.level} {r.message} ({r.logger})",
    "default-thread": lambda r: f"[{r.stamp()}] {r.level} [{r.thread}] {r.message} ({r.logger}:42)",
    "default-like": lambda r: f"[{r.stamp(_ISO)}Z] {r.level:>5} {r.message} ({r.logger})",
    "bracket": lambda r: f"[{r.stamp()}] [{r.level:5}] [{r.thread}] [{r.logger}] - {r.message}",
    "class-thread": lambda r: f"[{r.stamp()}] ({r.logger}) [{r.thread}] {r.level} - {r.message}",
    "zookeeper": lambda r: f"{r.stamp()} [myid:1] - {r.level:5}  [{r.thread}:{r.simple}@391] - {r.message}",
    "zookeeper-3.3": lambda r: f"{r.stamp()} - {r.level:5}  [{r.thread}:{r.simple}@391] - {r.message}",
    "strimzi": lambda r: f"{r.stamp()} {r.level} {r.message} ({r.logger}) [{r.thread}]",
    "strimzi-line": lambda r: f"{r.stamp()}+0000 {r.level} [{r.thread}] {r.simple}:391 - {r.message}",
    "linkedin": lambda r: (
        f"{r.stamp('%Y/%m/%d %H:%M:%S.%f')} {r.level} [{r.simple}] [{r.thread}] [kafka-server] [] {r.message}"
    ),
    "quarkus": lambda r: f"{r.stamp()} {r.level:5} [{r.logger}] ({r.thread}) {r.message}",
    "spring": lambda r: f"{r.stamp(_ISO)}Z {r.level:>5} 2490 --- [{r.thread[-15:]:>15}] {r.logger:40} : {r.message}",
    "class-colon-thread": lambda r: f"{r.stamp()} {r.level:5} {r.logger}: [{r.thread}]: {r.message}",
    "class-line": lambda r: f"{r.stamp()} {r.level:5} {r.simple}:391 - {r.message}",
    "level-thread": lambda r: f"{r.stamp()} {r.level:5} [{r.thread}] {r.logger} - {r.message}",
    "thread-level": lambda r: f"{r.stamp()} [{r.thread}] {r.level:5} {r.logger} - {r.message}",
    "class-dash": lambda r: f"{r.stamp()} {r.level:5} {r.logger} - {r.message}",
    "unbracketed": lambda r: f"{r.stamp()} {r.level:5} {r.message} ({r.logger})",
    "csv": lambda r: f'"{r.stamp(_ISO)}Z","{r.level}","{r.logger}","{r.message}"',
}


def _json(object_of: Callable[[Said], dict[str, object]]) -> Callable[[Said], str]:
    return lambda r: json.dumps(
        {key: value for key, value in object_of(r).items() if value is not None}, separators=(",", ":")
    )


def _whole(r: Said) -> str:
    return "\n".join((r.message, *r.more)) if r.more and not _thrown(r) else r.message


def _thrown(r: Said) -> str | None:
    return "\n".join(r.more) if r.more and "Exception" in r.more[0] else None


JSON_LINES: dict[str, Callable[[Said], str]] = {
    "log4j's JsonLayout": _json(
        lambda r: {
            "instant": {"epochSecond": int(r.at.timestamp()), "nanoOfSecond": r.at.microsecond * 1_000},
            "thread": r.thread,
            "level": r.level,
            "loggerName": r.logger,
            "message": _whole(r),
            "endOfBatch": False,
            "loggerFqcn": "org.apache.log4j.Category",
            "thrown": {"name": r.more[0].partition(": ")[0], "message": r.more[0].partition(": ")[2]}
            if _thrown(r)
            else None,
        }
    ),
    "log4j's JsonLayout, milliseconds": _json(
        lambda r: {
            "timeMillis": int(r.at.timestamp() * 1_000),
            "level": r.level,
            "loggerName": r.logger,
            "message": _whole(r),
        }
    ),
    "logstash": _json(
        lambda r: {
            "@timestamp": r.stamp(_ISO) + "Z",
            "@version": "1",
            "message": _whole(r),
            "logger_name": r.logger,
            "thread_name": r.thread,
            "level": r.level,
            "level_value": 20000,
            "stack_trace": _thrown(r),
        }
    ),
    "ECS": _json(
        lambda r: {
            "@timestamp": r.stamp(_ISO) + "Z",
            "log.level": r.level,
            "message": _whole(r),
            "ecs.version": "1.2.0",
            "log.logger": r.logger,
            "error.stack_trace": _thrown(r),
        }
    ),
    "ECS, nested": _json(
        lambda r: {
            "@timestamp": r.stamp(_ISO) + "Z",
            "log": {"level": r.level, "logger": r.logger},
            "message": _whole(r),
            "error": {"stack_trace": _thrown(r)},
        }
    ),
    "Quarkus, other zone": _json(
        lambda r: {
            "timestamp": f"{r.at.replace(hour=14).strftime(_ISO)[:-3]}+09:00",
            "level": r.level,
            "loggerName": r.logger,
            "message": _whole(r),
            "stackTrace": _thrown(r),
        }
    ),
}

WRAPPED: dict[str, Callable[[str], str]] = {
    "ansi": lambda line: f"\x1b[32m{line}\x1b[0m",
    "compose": lambda line: f"kafka-1  | {line}",
    "kubectl": lambda line: f"[pod/my-cluster-kafka-1/kafka] {line}",
    "stern": lambda line: f"my-cluster-kafka-1 kafka {line}",
    "cri": lambda line: f"2026-11-21T05:34:45.123456789Z stdout F {line}",
    "docker-stamps": lambda line: f"2026-11-21T05:34:45.123456789Z {line}",
    "docker-json": lambda line: json.dumps(
        {"log": line + "\n", "stream": "stdout", "time": "2026-11-21T05:34:45.123456789Z"}, separators=(",", ":")
    ),
    "json-lines": lambda line: json.dumps(
        {"kubernetes": {"pod_name": "kafka-1"}, "message": line}, separators=(",", ":")
    ),
    "syslog": lambda line: f"Nov 21 05:34:45 kafka-1 kafka[2229]: {line}".replace("\t", "#011"),
    "syslog-5424": lambda line: f"<30>1 2026-11-21T05:34:45.000Z kafka-1 kafka 2229 - - {line}",
    "grep": lambda line: f"node-1/server.log.2026-11-21-05:17:{line}",
    "numbered": lambda line: f"  12. {line}",
    "doubled": lambda line: f"2026-11-21 08:34:45 host kafka {line}" if line.startswith("[") else line,
    "quoted": lambda line: '"' + line.replace('"', '""') + '"',
    "indented": lambda line: f"    {line}",
}


def text_of(first_line: Callable[[Said], str], records: tuple[Said, ...] = SAID) -> str:
    """The records as lines of text."""
    return "".join(f"{line}\n" for record in records for line in _lines(first_line, record))


def _lines(first_line: Callable[[Said], str], record: Said) -> list[str]:
    if not record.message.endswith(" "):
        return [first_line(record), *record.more]
    head = first_line(record)
    at = head.index(record.message) + len(record.message)
    return [head[:at], *record.more[:-1], record.more[-1] + head[at:]]


def wrapped(text: str, wrap: Callable[[str], str]) -> str:
    """Every line of a text in its wrapper."""
    return "".join(f"{wrap(line)}\n" for line in text.splitlines())
