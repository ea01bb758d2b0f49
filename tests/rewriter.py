"""The same incident as others would provide it: with another zone, layout, package or clock, or with a part missing.

`rewrite` turns a recording's `input/` folder, in Kafka's default layout, into what other sites keep of the same
events. It uses only the standard library, so that its output does not depend on the code under test.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatch
from pathlib import Path

_HEADER = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) (.*)$")
_LOGGER = re.compile(r"^(.*) \(([\w.$]+)\)\s*$")
_OWN_MS = re.compile(r"\b(startTimeMs: |lastCaughtUpTimeMs: |lastFetchTimestamp=|lastCaughtUpTimestamp=)(\d{13})\b")
_NODE = re.compile(r"(?:^|/)node-(\d+)(?:/|$)")
_LOG = re.compile(r"\.log(?:\.[\d-]+)?$")
_THREADS = {
    "state.change.logger": "data-plane-kafka-request-handler-0",
    "kafka.controller.KafkaController": "controller-event-thread",
}


@dataclass(frozen=True)
class Record:
    """One log record: `message` may have several lines, `stack` holds the lines of the stack trace. A line before
    the first record has no `stamp`.
    """

    stamp: datetime | None
    level: str
    logger: str
    message: str
    stack: tuple[str, ...] = ()
    tail: str = ""  # blanks after the logger, which some releases print

    @property
    def thread(self) -> str:
        return _THREADS.get(self.logger, "main")


def records(text: str) -> list[Record]:
    """The records of a file in the default layout, with their continuation lines and stack traces."""
    found: list[list[str]] = []
    for line in text.removesuffix("\n").split("\n") if text else ():
        if _HEADER.match(line) or not found:
            found.append([line])
        else:
            found[-1].append(line)
    return [_record(lines) for lines in found]


def _record(lines: list[str]) -> Record:
    header = _HEADER.match(lines[0])
    if header is None:
        return Record(None, "", "", "\n".join(lines))
    body = [header[3], *lines[1:]]
    for last, line in enumerate(body):
        named = _LOGGER.match(line)
        if named:
            message, logger, tail = "\n".join([*body[:last], named[1]]), named[2], line[len(line.rstrip()) :]
            return Record(_read(header[1]), header[2], logger, message, tuple(body[last + 1 :]), tail)
    return Record(_read(header[1]), header[2], "", body[0], tuple(body[1:]))


def _read(stamp: str) -> datetime:
    return datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S,%f").replace(tzinfo=UTC)


# Layouts: a record -> its lines.


def _printed(stamp: datetime) -> str:
    return f"{stamp:%Y-%m-%d %H:%M:%S},{stamp.microsecond // 1000:03d}"


def _utc(stamp: datetime) -> str:
    return f"{stamp:%Y-%m-%dT%H:%M:%S}.{stamp.microsecond // 1000:03d}Z"


def _default(record: Record) -> list[str]:
    logger = f" ({record.logger}){record.tail}" if record.logger else ""
    return [*f"[{_printed(record.stamp)}] {record.level} {record.message}{logger}".split("\n"), *record.stack]


def _strimzi(record: Record) -> list[str]:
    return [
        *f"{_printed(record.stamp)} {record.level} {record.message} ({record.logger}) [{record.thread}]".split("\n"),
        *record.stack,
    ]


def _thrown(record: Record) -> tuple[str, str]:
    name, _, message = record.stack[0].partition(": ")
    return name, message


def _log4j_json(record: Record) -> list[str]:
    whole: dict[str, object] = {
        "instant": {"epochSecond": int(record.stamp.timestamp()), "nanoOfSecond": record.stamp.microsecond * 1000},
        "thread": record.thread,
        "level": record.level,
        "loggerName": record.logger,
        "message": record.message,
    }
    if record.stack:
        name, message = _thrown(record)
        whole["thrown"] = {
            "commonElementCount": 0,
            "name": name,
            "message": message,
            "extendedStackTrace": "\n".join(record.stack),
        }
    return [json.dumps({**whole, "endOfBatch": False, "loggerFqcn": "org.apache.logging.slf4j.Log4jLogger"})]


def _logstash_json(record: Record) -> list[str]:
    whole: dict[str, object] = {
        "@timestamp": _utc(record.stamp),
        "@version": "1",
        "message": record.message,
        "logger_name": record.logger,
        "thread_name": record.thread,
        "level": record.level,
        "level_value": {"ERROR": 40_000, "WARN": 30_000}.get(record.level, 20_000),
    }
    return [json.dumps(whole | ({"stack_trace": "\n".join(record.stack)} if record.stack else {}))]


def _ecs_json(record: Record) -> list[str]:
    whole: dict[str, object] = {
        "@timestamp": _utc(record.stamp),
        "log.level": record.level,
        "message": record.message,
        "ecs.version": "1.2.0",
        "service.name": "kafka",
        "event.dataset": "kafka",
        "process.thread.name": record.thread,
        "log.logger": record.logger,
    }
    if record.stack:
        name, message = _thrown(record)
        whole |= {"error.type": name, "error.message": message, "error.stack_trace": "\n".join(record.stack)}
    return [json.dumps(whole)]


LAYOUTS: Mapping[str, Callable[[Record], list[str]]] = {
    "default": _default,
    "strimzi": _strimzi,
    "log4j-json": _log4j_json,
    "logstash-json": _logstash_json,
    "ecs-json": _ecs_json,
}
_UTC_LAYOUTS = ("log4j-json", "logstash-json", "ecs-json")


# Packages: the files of the nodes -> the path to analyze.

Lines = Callable[[Record], list[str]]
Files = dict[str, list[Record]]  # path inside the input -> records
Others = dict[str, bytes]  # files that are no logs


def _folder(files: Files, others: Others, lines: Lines, target: Path) -> Path:
    for name, data in {**{name: _text(held, lines).encode() for name, held in files.items()}, **others}.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return target


def _compose(files: Files, others: Others, lines: Lines, target: Path, stamped: bool = False) -> Path:
    """All nodes' records in one file, in order of time, with the name of the container before each line."""
    width = max(len(f"kafka-{_node(name)}") for name in files)
    places = [
        (record.stamp or datetime.min.replace(tzinfo=UTC), place, _node(name), record)
        for place, (name, held) in enumerate(files.items())
        for record in _followed(held)
    ]
    _folder({}, others, lines, target).mkdir(parents=True, exist_ok=True)
    with (target / "compose.log").open("w") as merged:
        for stamp, _, node, record in sorted(places, key=lambda p: p[:2]):
            head = f"{f'kafka-{node}'.ljust(width)}  | " + (f"{_utc(stamp)} " if stamped else "")
            merged.writelines(
                f"{head}{line}\n" for line in (lines(record) if record.stamp else record.message.split("\n"))
            )
    return target


def _followed(held: Iterable[Record]) -> list[Record]:
    """The records without lines that belong to no record: a merged file has no place for them."""
    return [record for record in held if record.stamp is not None]


def _compose_stamped(files: Files, others: Others, lines: Lines, target: Path) -> Path:
    return _compose(files, others, lines, target, stamped=True)


def _tarball(files: Files, others: Others, lines: Lines, target: Path) -> Path:
    """Each log in three parts as `logrotate` leaves them, the oldest compressed, all in one `.tar.gz`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.with_name(target.name + ".tar.gz")
    with tarfile.open(path, "w:gz") as tar:
        for name, data in others.items():
            _put(tar, f"logs/{name}", data)
        for name, held in files.items():
            third = max(1, -(-len(held) // 3))
            for age, part in ((2, held[:third]), (1, held[third : 2 * third]), (0, held[2 * third :])):
                if part:
                    data = _text(part, lines).encode()
                    suffix = {0: "", 1: ".1", 2: ".2.gz"}[age]
                    _put(tar, f"logs/{name}{suffix}", gzip.compress(data, mtime=0) if age == 2 else data)
    return path


def _put(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(data)
    tar.addfile(member, io.BytesIO(data))


def _text(held: Iterable[Record], lines: Lines) -> str:
    return "".join(
        f"{line}\n" for record in held for line in (lines(record) if record.stamp else record.message.split("\n"))
    )


PACKAGES: Mapping[str, Callable[[Files, Others, Lines, Path], Path]] = {
    "folder": _folder,
    "compose": _compose,
    "compose-stamped": _compose_stamped,
    "tarball": _tarball,
}


def rewrite(
    source: Path,
    target: Path,
    *,
    hours: float = 0,
    zone_of: Iterable[int] | None = None,
    clocks: Mapping[int, float] | None = None,
    since: float = 0.0,
    missing: int | None = None,
    without: Iterable[int] = (),
    only: str = "*",
    begins: datetime | None = None,
    ends: datetime | None = None,
    layout: str = "default",
    package: str = "folder",
) -> Path:
    """Writes the logs under `source` to `target`. Returns the path to analyze. Files that are not logs are copied
    unchanged.

    `hours`: the zone of the timestamps, of the nodes `zone_of` or of all. `clocks`: by how many seconds a node's
    clock is ahead, from the fraction `since` of its own time on; epoch milliseconds inside its lines move with it.
    `missing`: the node whose files lack the middle fifth of its time. `without`: nodes without files. `only`: the
    pattern of the names of logs to include. `begins`, `ends`: all logs lack the lines before, or from that time on.
    """
    files: Files = {}
    others: Others = {}
    zoned = None if zone_of is None else set(zone_of)
    unheard = set(without)
    for path in sorted(p for p in source.rglob("*") if p.is_file()):
        name = path.relative_to(source).as_posix()
        is_log = _LOG.search(path.name) is not None
        if _node(name) in unheard or (is_log and not fnmatch(path.name, only)):
            continue
        if is_log:
            files[name] = records(path.read_bytes().decode("utf-8", "replace"))
        else:
            others[name] = path.read_bytes()
    spans = {node: _span(files, node) for node in {_node(name) for name in files}}
    for name, held in files.items():
        node = _node(name)
        first, last = spans[node]
        if node == missing:
            held = [
                r
                for r in held
                if r.stamp is None or not (first + (last - first) * 0.4 <= r.stamp < first + (last - first) * 0.6)
            ]
        if begins is not None or ends is not None:
            held = [
                r
                for r in held
                if r.stamp is not None and (begins is None or r.stamp >= begins) and (ends is None or r.stamp < ends)
            ]
        ahead = timedelta(seconds=(clocks or {}).get(node, 0.0))
        zone = timedelta(hours=hours if layout not in _UTC_LAYOUTS and (zoned is None or node in zoned) else 0)
        files[name] = [
            _moved(r, ahead if r.stamp and r.stamp >= first + (last - first) * since else timedelta(), zone)
            for r in held
        ]
    return PACKAGES[package](files, others, LAYOUTS[layout], target)


def _moved(record: Record, ahead: timedelta, zone: timedelta) -> Record:
    if record.stamp is None:
        return record
    ms = round(ahead.total_seconds() * 1000)
    message = _OWN_MS.sub(lambda said: f"{said[1]}{int(said[2]) + ms}", record.message) if ms else record.message
    return replace(record, stamp=record.stamp + ahead + zone, message=message)


def _span(files: Files, node: int) -> tuple[datetime, datetime]:
    stamps = [r.stamp for name, held in files.items() if _node(name) == node for r in held if r.stamp]
    nothing = datetime.min.replace(tzinfo=UTC)
    return (min(stamps), max(stamps)) if stamps else (nothing, nothing)


def _node(name: str) -> int:
    found = _NODE.search(name)
    return int(found[1]) if found else 0
