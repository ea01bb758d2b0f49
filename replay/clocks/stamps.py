"""The timestamps of one node's lines as numbers, and how often its clock was set back before each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from replay.clocks.zones import ABBREVIATIONS, HOUR_MS, local_micros, same_local_time
from replay.facts.times import unix_millis
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables.clocks import DatedLine, NodeClock, OrderedLine
from replay.tables.reading import PrintedRecord

_DATE_WRITTEN = re.compile(r"^#\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) (\w{1,9}) (\d{4})$")

LINES, GIVEN, RECORDS, META = (
    "n",
    "g",
    "r",
    "m",
)  # letters of clocks: lines in an unknown or a known zone, records, dates


@dataclass(frozen=True)
class GivenZones:
    """The time zones that the user gives, in the form of `zone_named`: for all nodes, and for single nodes."""

    all: str | None = None
    by_node: Mapping[int, str] = field(default_factory=dict)

    def of(self, record: DatedLine) -> str | None:
        """The zone of a record's timestamp; None if the user gave none and the line does not state it."""
        if record.zone_known:
            return "UTC"
        return self.of_node(record.node_id)

    def of_node(self, node_id: int | None) -> str | None:
        """The zone of timestamps that do not state one."""
        return self.all if node_id is None else self.by_node.get(node_id, self.all)


class Stamp(NamedTuple):
    """A record's timestamp: the letter of its clock, its zone if known, and milliseconds since 1970."""

    base: str
    zone: str | None
    wall: int


def is_log_line(record: PrintedRecord | DatedLine) -> bool:
    """Whether the record is a log line, not a line of a witness file."""
    return record.template_id is not None or record.level is not None


def is_of_host(record: PrintedRecord) -> bool:
    """Whether a host, a container or an operator wrote the record; it uses the clock of the node's host."""
    return record.layout in HOST_WITNESSES


def stamp_of(record: OrderedLine, zones: GivenZones) -> Stamp | None:
    """The timestamp of a log line, a metadata record or a date; None without one.

    A timestamp without a known zone is read as UTC; the missing zone is then part of its clock's offset.
    """
    if is_log_line(record):
        return _stamp_of_line(record, zones)
    kind, zone = record.kind or "", zones.of(record)
    if kind.startswith("dump_"):
        return None if record.raw_ts is None else Stamp(RECORDS, zone, unix_millis(record.raw_ts))
    if kind == "meta_properties":
        written = _date_written(record.message or "")
        return None if written is None else Stamp(META, zone, written)
    return None


def _stamp_of_line(line: DatedLine, zones: GivenZones) -> Stamp | None:
    """The timestamp of a log line; None without one."""
    if line.raw_ts is None:
        return None
    zone = zones.of(line)
    if zone is None:
        return Stamp(LINES, None, unix_millis(line.raw_ts))
    return Stamp(GIVEN, zone, local_micros(line.raw_ts, zone) // 1_000)


def _date_written(message: str) -> int | None:
    """The date in meta.properties, as milliseconds since 1970: `#Sat Nov 21 07:01:50 UTC 2026`."""
    date = _DATE_WRITTEN.match(message)
    if date is None or date[4] not in ABBREVIATIONS:
        return None
    try:
        local = datetime.strptime(f"{date[5]} {date[1]} {date[2]} {date[3]}", "%Y %b %d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return unix_millis(local - timedelta(minutes=ABBREVIATIONS[date[4]]))


def has_passed(turn: Mapping[str, Any], source_file: str, line_number: int, wall: int) -> bool:
    """Whether a line comes after a step back: by its position in a file that shows the step, or by a timestamp that
    only later lines have.
    """
    shown = [one["line_number"] for one in turn["first_lines"] or () if one["source_file"] == source_file]
    if shown:
        return bool(line_number >= min(shown))
    return turn["before"] is not None and wall > turn["before"]


def turn_of(record: DatedLine, stamp: Stamp, clocks: Iterable[NodeClock]) -> tuple[int, int]:
    """How often the record's clock was set back before it, and its timestamp.

    In a named zone, the hour that daylight saving repeats counts as its second pass after the step.
    """
    turns = next((clock.turns for clock in clocks if clock.base == stamp.base), ())
    passed = sum(has_passed(turn, record.source_file, record.line_number, stamp.wall) for turn in turns)
    repeated = passed > 0 and same_local_time(record.raw_ts, stamp.zone)
    return passed, stamp.wall + (HOUR_MS if repeated else 0)
