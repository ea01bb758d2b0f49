"""The clocks of each node, and the times at which its own files show that the clock was set back or that daylight
saving repeated an hour.

Works on the columns of all lines, because only a few of them have to become Python objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from replay.clocks.constraints import STEP_MS
from replay.clocks.stamps import GIVEN, LINES, GivenZones
from replay.clocks.zones import HOUR_MS, local_micros, same_local_time
from replay.tables.arrow import arrow_schema, from_arrow
from replay.tables.clocks import DatedLine, NodeClock
from replay.tables.table import table_of

_MOST_PAUSES = 200  # per node: only long pauses can hide that its clock was set forward
_LONGEST_STEP_MS = 2 * HOUR_MS  # a larger jump back is an older file appended to a newer one
_PAUSE_MS = 300_000  # the longest pause around which a clock was set back by an hour
_CONTIGUOUS_MS = 60_000  # an older file ends at most this long before the newer one begins
_UTC = "UTC"
_DATED = table_of(DatedLine)


@dataclass(frozen=True)
class Disorder:
    """How the lines of the files stand: those with the newest lines first, and how far a line stands from its place in
    others that are out of order.
    """

    reversed: frozenset[str] = frozenset()
    displaced_ms: int = 0

    @property
    def least_step_ms(self) -> int:
        """The least jump back in a file that shows that a clock was set."""
        return max(STEP_MS, 2 * self.displaced_ms)


IN_ORDER = Disorder()


def node_clocks(
    dated_lines: Iterable[pa.RecordBatch], zones: GivenZones, disorder: Disorder = IN_ORDER
) -> Iterator[NodeClock]:
    """The clocks of all nodes, from batches of `DatedLine`.

    A node's first timestamp is the earliest first timestamp of its files. The order of lines in a file shows that a
    clock was set back. A misplaced line, or one from the future, does not fit the lines around it. A file that was
    appended to a newer one is recognized by the size of the jump, or by its end, which is earlier than the start of
    the file, unless the jump is that of a clock that was set back by a whole hour.
    """
    lines = pa.Table.from_batches(map(_log_lines, dated_lines), arrow_schema(_DATED.schema))
    nodes = pc.unique(lines["node_id"]).to_pylist()
    for node_id in sorted(nodes, key=lambda node: (node is not None, node)):
        is_own = lines["node_id"].is_null() if node_id is None else pc.equal(lines["node_id"], node_id)
        own, zone = lines.filter(is_own), zones.of_node(node_id)
        is_given = pc.or_(pc.fill_null(own["zone_known"], False), zone is not None)
        for base, is_of_base in ((GIVEN, is_given), (LINES, pc.invert(is_given))):
            of_base = own.filter(is_of_base)
            if of_base.num_rows:
                yield _node_clock(node_id, base, of_base, zone, disorder)


def _log_lines(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The log lines with a timestamp."""
    is_line = pc.or_(batch.column("template_id").is_valid(), batch.column("level").is_valid())
    kept = batch.filter(pc.and_(is_line, batch.column("raw_ts").is_valid()))
    schema = arrow_schema(_DATED.schema)
    return pa.RecordBatch.from_arrays([kept.column(field.name).cast(field.type) for field in schema], schema=schema)


def _node_clock(node_id: int | None, base: str, lines: pa.Table, zone: str | None, disorder: Disorder) -> NodeClock:
    """One clock of a node; `zone`: the zone of timestamps without one."""
    printed = set(pc.unique(pc.fill_null(lines["zone_known"], False)).to_pylist())
    names = [name for is_printed, name in ((True, _UTC), (False, zone)) if is_printed in printed and name is not None]
    by_file = _ByFile.of(lines, zone, disorder)
    turns = _turns(by_file.jumps())
    pauses = [] if turns else by_file.pauses()
    return NodeClock(node_id, base, by_file.first(), max(names, default=None), turns, pauses)


def _walls(lines: pa.Table, zone: str | None) -> pa.Array:
    """The timestamps in milliseconds since 1970, rounded down. Those without a known zone are read as UTC."""
    micros = lines["raw_ts"].combine_chunks().cast(pa.timestamp("us")).cast(pa.int64())
    if zone not in (None, _UTC):
        rows = zip(from_arrow(_DATED, lines), micros.to_pylist(), strict=True)
        micros = pa.array([at if row.zone_known else local_micros(row.raw_ts, zone) for row, at in rows], pa.int64())
    millis = pc.divide(micros, 1_000)
    is_less = pc.less(micros, pc.multiply(millis, 1_000))  # division rounds times before 1970 up
    return pc.subtract(millis, is_less.cast(pa.int64()))


class _Jump(NamedTuple):
    """A clock set back between two lines of a file."""

    last: int
    after: int
    wall: int
    source_file: str
    line_number: int
    events: tuple[str, str]


@dataclass(frozen=True)
class _ByFile:
    """The lines of one clock by file, in their order, with their timestamps; `number` is that of the file."""

    lines: pa.Table
    wall: pa.Array
    number: pa.Array
    bounds: Sequence[tuple[int, int]]  # of each file: its first line, and the first line after its last
    zone: str | None
    least_step_ms: int

    @classmethod
    def of(cls, lines: pa.Table, zone: str | None, disorder: Disorder) -> _ByFile:
        number = pc.index_in(lines["source_file"], value_set=pc.unique(lines["source_file"])).combine_chunks()
        is_reversed = pc.is_in(lines["source_file"], pa.array(sorted(disorder.reversed), pa.string()))
        place = pc.if_else(is_reversed, pc.negate(lines["line_number"]), lines["line_number"])
        order = pc.sort_indices(
            pa.table({"number": number, "line": place}),
            sort_keys=[("number", "ascending"), ("line", "ascending")],
        )
        number = number.take(order)
        ends = list(accumulate(pc.value_counts(number).field("counts").to_pylist()))
        bounds = list(zip([0, *ends], ends))
        walls = _walls(lines, zone).take(order)
        return cls(lines.take(order), walls, number, bounds, zone, disorder.least_step_ms)

    def first(self) -> int:
        """The earliest first timestamp of a file."""
        return min(self._wall(begin) for begin, _ in self.bounds)

    def _wall(self, at: int) -> int:
        wall: int = self.wall[at].as_py()
        return wall

    def jumps(self) -> Iterator[_Jump]:
        """The jumps back: a line is much earlier than the previous one, and so is the line after it."""
        back = pc.subtract(self.wall[:-1], self.wall[1:])
        is_step = pc.and_(pc.greater_equal(back, self.least_step_ms), pc.less_equal(back, _LONGEST_STEP_MS))
        is_in_file = pc.equal(self.number[:-1], self.number[1:])
        for before in pc.indices_nonzero(pc.and_(is_step, is_in_file)).to_pylist():
            yield from self._jump(before + 1)

    def _jump(self, at: int) -> Iterator[_Jump]:
        begin, end = self.bounds[self.number[at].as_py()]
        last, wall = self._wall(at - 1), self._wall(at)
        if at + 1 == end or (
            self._wall(end - 1) <= self._wall(begin) and not self._is_by_hours(last - wall, begin, end)
        ):
            return
        one_before = self._wall(at - 2) if at - 2 >= begin else last
        if last - self._wall(at + 1) < self.least_step_ms or one_before - wall < self.least_step_ms:
            return
        (line,) = from_arrow(_DATED, self.lines.slice(at, 1))
        again = HOUR_MS if same_local_time(line.raw_ts, _UTC if line.zone_known else self.zone) else 0
        events = self._event(at - 1), line.event_id
        yield _Jump(last, wall + again, wall, line.source_file, line.line_number, events)

    def _is_by_hours(self, back: int, begin: int, end: int) -> bool:
        """Whether a clock was set back by whole hours shortly after the file began. An older file that was appended would
        end where the newer one begins.
        """
        hours = -(-back // HOUR_MS)
        return hours * HOUR_MS - back <= _PAUSE_MS and self._wall(begin) - self._wall(end - 1) > _CONTIGUOUS_MS

    def _event(self, at: int) -> str:
        event: str = self.lines["event_id"][at].as_py()
        return event

    def pauses(self) -> list[dict[str, Any]]:
        """The longest times in which the node logged no line in any file."""
        order = pc.sort_indices(self.wall)
        wall = self.wall.take(order)
        gap = pc.subtract(wall[1:], wall[:-1])
        long = pc.indices_nonzero(pc.greater_equal(gap, STEP_MS)).to_pylist()
        return [
            {
                "before": wall[at].as_py(),
                "after": wall[at + 1].as_py(),
                "evidence": [self._event(order[at].as_py()), self._event(order[at + 1].as_py())],
            }
            for at in sorted(nlargest(_MOST_PAUSES, long, key=lambda at: gap[at].as_py()))
        ]


def _turns(jumps: Iterable[_Jump]) -> list[dict[str, Any]]:
    """The times at which the clock was set back. Overlapping jumps of several files are merged."""
    turns: list[list[_Jump]] = []
    highest: int | None = None
    for jump in sorted(jumps):
        if highest is None or jump.wall > highest:
            turns.append([])
        turns[-1].append(jump)
        highest = max(jump.last, highest) if highest is not None else jump.last
    return sorted(map(_turn, turns), key=lambda turn: (turn["before"], turn["after"]))


def _turn(jumps: Sequence[_Jump]) -> dict[str, Any]:
    return {
        "before": max(jump.last for jump in jumps),
        "after": min(jump.after for jump in jumps),
        "first_lines": [
            {"source_file": file, "line_number": line}
            for file, line in sorted((jump.source_file, jump.line_number) for jump in jumps)
        ],
        "evidence": list(min(jumps, key=lambda jump: jump.wall).events),
    }
