"""Reads the first line of a record: time, level, logger, thread and message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from replay.reading.layouts import ANY, DEFAULT, LEVELS, Header, JsonHeader, Layout, cut_at_level
from replay.reading.stamps import micros_of, second_of
from replay.reading.wrappers import members_of

_LEVELS = frozenset(LEVELS)
_ZONE_AT_END = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")
_EPOCH = re.compile(r"\d{9,}")


class Head(NamedTuple):
    """The first line of a record. `micros` is its timestamp since 1970, read as UTC unless `zone_known`."""

    micros: int | None
    zone_known: bool
    level: str | None
    logger: str | None
    thread: str | None
    message: str


Reader = Callable[[str], Head | None]


@lru_cache(maxsize=64)
def head_reader(layout: Layout) -> Reader:
    """A function that reads a line without its wrappers: the head of a record of `layout`, or None if no record begins
    there.
    """
    if layout.is_plain:
        return lambda line: stray(line) if line.strip(" ") else None
    if layout.has_any:
        headers = [header for header in layout.headers if header is not ANY]
        return _or_any(head_reader(replace(layout, headers=tuple(headers))) if headers else None)
    readers = [_reader(header) for header in layout.headers]
    if len(readers) == 1:
        return readers[0]
    texts = [header for header in layout.headers if isinstance(header, Header)]

    def read(line: str) -> Head | None:
        if line.startswith("{"):
            for header in layout.headers:
                if isinstance(header, JsonHeader):
                    return _of_json(header, line)
        return _of_text(texts, line)

    return read


def head_of(layout: Layout, line: str) -> Head | None:
    """The head of a record of `layout` that begins with the raw `line`; None if no record begins there, and for
    truncated JSON.
    """
    inside = layout.peeled(line)
    head = head_reader(layout)(inside)
    return None if head == stray(inside) and not layout.is_plain else head


def stray(line: str) -> Head:
    """A line that belongs to no record and becomes a record of its own."""
    return Head(None, False, None, None, None, line)


def _reader(header: Header | JsonHeader) -> Reader:
    if header is DEFAULT or header == DEFAULT:
        return _of_shipped
    if isinstance(header, JsonHeader):
        return lambda line: _of_json(header, line) if line.startswith("{") else None
    return lambda line: _of_text([header], line)


def _or_any(reader: Reader | None) -> Reader:
    """A reader that first uses `reader`; if that finds no level, it looks for one in the line. An exception on its
    own line is not a head.
    """

    def read(line: str) -> Head | None:
        head = reader(line) if reader is not None else None
        if head is not None and head.level is not None:
            return head
        return _of_any(line) or head

    return read


_LOGGER_BEHIND = re.compile(r"\s\(([A-Za-z_][\w.$]*)(?::\d{1,6})?\)\s*$")
_LOGGER_BEFORE = re.compile(
    r"^(?:\[(?P<thread>[^\]]*)\] +)?\[?(?P<logger>[A-Za-z_][\w.$]*)\]?(?::\d+)? *(?: - |: (?=\[|[A-Z]))"
)


def _of_any(line: str) -> Head | None:
    """The head found by a level near the start of the line, with the timestamp before it and the logger before or after
    the message, if there are any.
    """
    cut = cut_at_level(line)
    if cut is None:
        return None
    stamp, level, message = cut
    micros = micros_of(re.sub(r"[,:](?=\d+$)", ".", stamp.replace("/", "-").replace("T", " "))) if stamp else None
    behind = _LOGGER_BEHIND.search(message)
    if behind:
        return Head(micros, False, level, behind[1], None, message[: behind.start()])
    before = _LOGGER_BEFORE.match(message)
    if before and (before["logger"][:1].isupper() or "." in before["logger"]):
        return Head(micros, False, level, before["logger"], before["thread"], message[before.end() :])
    return Head(micros, False, level, None, None, message)


def _of_shipped(line: str) -> Head | None:
    """`[yyyy-MM-dd HH:mm:ss,SSS] LEVEL message (logger)`, cut at fixed positions, because most logs use it."""
    if line[24:26] != "] " or line[0] != "[" or line[20] != ",":
        return None
    level = line[26:34].partition(" ")[0]
    if level not in _LEVELS:
        return None
    second, millis, start = second_of(line[1:20]), line[21:24], 27 + len(level)
    micros = second + int(millis) * 1_000 if second is not None and millis.isdecimal() else None
    end = line.rfind(" (")
    tail = line[end + 2 :].rstrip(" ")
    if end >= 0 and tail.endswith(")") and " " not in tail:
        logger = tail.partition(")")[0].partition(":")[0]
        return Head(micros, False, level, logger, None, line[start:end].lstrip(" "))
    return Head(micros, False, level, None, None, line[start:].lstrip(" "))


def _of_text(headers: Sequence[Header], line: str) -> Head | None:
    """The head by the first header that fits the whole line, else by the first that fits its start."""
    if not any(header.begins(line) for header in headers):
        return None
    for read in (Header.whole, Header.cut):
        for header in headers:
            groups = read(header, line)
            if groups is not None:
                return _head(header, groups)
    return stray(line)


def _head(header: Header, groups: Mapping[str, str]) -> Head:
    stamp = _filled(header.stamp, groups)
    zone = _filled(header.zone, groups)
    return Head(
        micros_of(stamp, zone) if stamp else None,
        bool(zone) or _EPOCH.match(stamp) is not None,
        groups.get("level") or None,
        groups.get("logger") or None,
        groups.get("thread") or None,
        groups["message"],
    )


def _filled(template: str, groups: Mapping[str, str]) -> str:
    """A template text with each `{group}` replaced by the line's value."""
    return re.sub(r"\{(\w+)\}", lambda name: groups.get(name[1], ""), template)


def _of_json(header: JsonHeader, line: str) -> Head:
    """An object with a message. Another line that starts like one was truncated and becomes a record of its own text."""
    members = members_of(line)
    message = member(members, header.message)
    if message is None:
        return stray(line)
    stamp, zone = _stamp_and_zone(members, header)
    level = member(members, header.level)
    return Head(
        micros_of(stamp, zone) if stamp else None,
        bool(zone) or _EPOCH.match(stamp) is not None,
        level.upper() if level else None,
        member(members, header.logger) or None,
        member(members, header.thread) or None,
        message.partition("\n")[0],
    )


def _stamp_and_zone(members: Mapping[str, object], header: JsonHeader) -> tuple[str, str]:
    name = next((name for name in header.stamp if members.get(name) is not None), None)
    member = members.get(name) if name else None
    if isinstance(member, dict):  # `instant` of log4j
        nanos = str(member.get("nanoOfSecond") or "0").rjust(9, "0")
        return f"{member.get('epochSecond') or ''}.{nanos}", ""
    stamp = as_text(member) or ""
    zone = _ZONE_AT_END.search(stamp)
    return (stamp[: zone.start()] if zone else stamp).replace(",", "."), zone[0] if zone else ""


def member(members: Mapping[str, object], names: Sequence[str]) -> str | None:
    """The first of `names` that is a member of the object, as text."""
    return next((text for name in names if (text := as_text(members.get(name))) is not None), None)


def as_text(value: object) -> str | None:
    """A JSON value as it is written in the line."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
