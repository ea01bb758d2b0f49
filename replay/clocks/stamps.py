"""The stamps of one node's lines as numbers, and where its own files show that its clock was set back, or that daylight
saving repeated an hour.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import nlargest
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, NamedTuple

from replay.clocks.constraints import STEP_MS
from replay.clocks.zones import ABBREVIATIONS, HOUR_MS, local_micros, same_local_time
from replay.facts.times import unix_millis
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables.clocks import DatedLine, NodeClock, OrderedLine
from replay.tables.reading import PrintedRecord

_MOST_PAUSES = 200  # of one node: only long ones can hide that its clock was set forward
_LONGEST_STEP_MS = 2 * HOUR_MS  # a jump back by more is an older file joined to a newer one
_DATE_WRITTEN = re.compile(r"^#\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) (\w{1,9}) (\d{4})$")

LINES, GIVEN, RECORDS, META = (
    "n",
    "g",
    "r",
    "m",
)  # letters of clocks: lines in an unknown and in a known zone, records, dates


@dataclass(frozen=True)
class GivenZones:
    """The time zones that the user gives, as `zone_named` writes them: of every node, and of single ones."""

    all: str | None = None
    by_node: Mapping[int, str] = field(default_factory=dict)

    def of(self, record: DatedLine) -> str | None:
        """The zone of a record's stamp; None if nobody gave it and the line does not print it."""
        if record.zone_known:
            return "UTC"
        return self.by_node.get(record.node_id, self.all) if record.node_id is not None else self.all


class Stamp(NamedTuple):
    """A record's stamp: the letter of its clock, its zone if that is known, and milliseconds since 1970."""

    base: str
    zone: str | None
    wall: int


def is_log_line(record: PrintedRecord | DatedLine) -> bool:
    """The record is a log line, not a line of a witness file."""
    return record.template_id is not None or record.level is not None


def is_of_host(record: PrintedRecord) -> bool:
    """Whether a host, a container or an operator wrote the record; it uses the clock of the node's host."""
    return record.layout in HOST_WITNESSES


def stamp_of(record: OrderedLine, zones: GivenZones) -> Stamp | None:
    """The stamp of a log line, a metadata record or a date; None without one. A stamp without a known zone is read as
    UTC: the missing zone is then part of its clock's offset.
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
    """The stamp of a log line; None without one."""
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


class _Line(NamedTuple):
    """A line of a file, and its stamp in milliseconds since 1970."""

    line_number: int
    wall: int
    record: DatedLine


def node_clocks(dated_lines: Sequence[DatedLine], zones: GivenZones) -> Iterator[NodeClock]:
    """The clocks of one node.

    A node's first stamp is the earliest first stamp of its files. The order of the lines in a file shows that a clock
    was set back. The lines around a misplaced line, or one from the future, identify it. A file that was appended to a
    newer one is identified by its size and by its end, which is before the beginning of the file.
    """
    files: dict[str, dict[str, list[_Line]]] = defaultdict(lambda: defaultdict(list))
    zone_of: dict[str, str] = {}
    for record in filter(is_log_line, dated_lines):
        stamp = _stamp_of_line(record, zones)
        if stamp is not None:
            files[stamp.base][record.source_file].append(_Line(record.line_number, stamp.wall, record))
            if stamp.zone is not None:
                zone_of[stamp.base] = max(stamp.zone, zone_of.get(stamp.base, ""))
    for base, own in sorted(files.items()):
        for lines in own.values():
            lines.sort(key=_line_number)
        first = min(lines[0].wall for lines in own.values())
        turns = _turns(own, zones)
        pauses = [] if turns else _pauses(own)
        yield NodeClock(dated_lines[0].node_id, base, first, zone_of.get(base), turns, pauses)


_line_number = attrgetter("line_number")


class _Jump(NamedTuple):
    """A clock set back between two lines of a file."""

    last: int
    after: int
    wall: int
    source_file: str
    line_number: int
    events: tuple[str, str]


def _pauses(files: Mapping[str, Sequence[_Line]]) -> list[dict[str, Any]]:
    """The longest times in which a node, of whose clock no file shows that it was set back, printed no line in any file."""
    in_time = sorted(chain.from_iterable(files.values()), key=attrgetter("wall"))
    pauses = [(one, then) for one, then in pairwise(in_time) if then.wall - one.wall >= STEP_MS]
    longest = nlargest(_MOST_PAUSES, pauses, key=lambda pause: pause[1].wall - pause[0].wall)
    return [
        {"before": one.wall, "after": then.wall, "evidence": [one.record.event_id, then.record.event_id]}
        for one, then in sorted(longest, key=lambda pause: pause[0].wall)
    ]


def _turns(files: Mapping[str, Sequence[_Line]], zones: GivenZones) -> list[dict[str, Any]]:
    """The times at which the clock was set back: jumps of several files are one turn where they overlap."""
    turns: list[list[_Jump]] = []
    highest: int | None = None
    jumps = sorted(jump for file, lines in files.items() for jump in _jumps(file, lines, zones))
    for jump in jumps:
        if highest is None or jump.wall > highest:
            turns.append([])
        turns[-1].append(jump)
        highest = max(jump.last, highest) if highest is not None else jump.last
    laid_out = [
        {
            "before": max(jump.last for jump in turn),
            "after": min(jump.after for jump in turn),
            "first_lines": [
                {"source_file": file, "line_number": line}
                for file, line in sorted((jump.source_file, jump.line_number) for jump in turn)
            ],
            "evidence": list(min(turn, key=lambda jump: jump.wall).events),
        }
        for turn in turns
    ]
    return sorted(laid_out, key=lambda turn: (turn["before"], turn["after"]))


def _jumps(file: str, lines: Sequence[_Line], zones: GivenZones) -> Iterator[_Jump]:
    if lines[-1].wall <= lines[0].wall:
        return
    for at in range(1, len(lines) - 1):
        last, line = lines[at - 1], lines[at]
        back = last.wall - line.wall
        if not STEP_MS <= back <= _LONGEST_STEP_MS or last.wall - lines[at + 1].wall < STEP_MS:
            continue
        one_before = lines[at - 2] if at >= 2 else last
        if one_before.wall - line.wall < STEP_MS:
            continue
        again = HOUR_MS if same_local_time(line.record.raw_ts, zones.of(line.record)) else 0
        events = (last.record.event_id, line.record.event_id)
        yield _Jump(last.wall, line.wall + again, line.wall, file, line.line_number, events)


def has_passed(turn: Mapping[str, Any], source_file: str, line_number: int, wall: int) -> bool:
    """Whether a line stands after a turn: by its place in a file that shows the turn, else by a stamp that only later
    lines have.
    """
    shown = [one["line_number"] for one in turn["first_lines"] or () if one["source_file"] == source_file]
    if shown:
        return bool(line_number >= min(shown))
    return turn["before"] is not None and wall > turn["before"]


def turn_of(record: DatedLine, stamp: Stamp, clocks: Iterable[NodeClock]) -> tuple[int, int]:
    """How often the record's clock was set back before it, and its stamp: in a zone with a name, the hour that daylight
    saving repeats is read as its second pass after the turn.
    """
    turns = next((clock.turns for clock in clocks if clock.base == stamp.base), ())
    passed = sum(has_passed(turn, record.source_file, record.line_number, stamp.wall) for turn in turns)
    repeated = passed > 0 and same_local_time(record.raw_ts, stamp.zone)
    return passed, stamp.wall + (HOUR_MS if repeated else 0)
