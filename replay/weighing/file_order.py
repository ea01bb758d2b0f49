"""Lines that a copy of a log repeats, moves or dates otherwise: files out of order, blocks sent again, days copied under
another date, timestamps that are days away from the times in their own lines.

Log shippers send blocks again, exports are not sorted, and tools that hide dates change stamps only. Everything here
compares lines of one file with each other, before the nodes' clocks are compared.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, reduce
from operator import itemgetter
from statistics import median
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from replay.clocks.node_clocks import Disorder
from replay.clocks.zones import is_zone
from replay.facts.node_lines import series
from replay.facts.times import EPOCH
from replay.tables.arrow import with_column
from replay.tables.weighing import DoubtfulLine
from replay.weighing.reasons import COPIED_DAY, REPEATED

DAY_MS = 86_400_000
# Threads of one process log up to this much out of order.
_THREADS_MS = 50
_FARTHEST_MS = 60_000  # a line farther from its place is an older file, or a clock that was set
_LEAST_STEPS, _SHARE_OF_STEPS = 5, 0.02  # steps back of a file that is out of order, and their share of its lines
_SHARE_OF_REVERSED = 0.8
_GOES_BACK_MS = 1_000  # a repeated line this much before its predecessor was sent again
_LEAST_REPEATED, _SHARE_OF_REPEATED = (
    10,
    0.2,
)  # a process itself prints up to a tenth of its lines twice in a millisecond
_LEAST_COPIED, _SHARE_OF_COPIED = 10, 0.5
# Lines in which a node prints its own time in epoch milliseconds, within seconds of the timestamp.
_PRINTS_TIME = ("process_start_time", "raft_leader_hw_first", "isr_shrink", "zk_znode_stat")
_EPOCH_MS = re.compile(r"(?<!\d)1\d{12}(?!\d)")


class _Line(NamedTuple):
    """A line of a log: its number, its timestamp in milliseconds, and a digest of its text."""

    number: int
    wall: int
    text: int


@dataclass
class _File:
    """The lines of one log: `columns` has their `number`, `wall` and `text` in their order.

    `displaced_ms`: how far a line stands from its place in a file out of order. `printed`: line, timestamp, and the time
    that the line prints beside it.
    """

    node_id: int | None
    columns: pa.Table
    printed: Sequence[tuple[int, int, int]] = ()
    displaced_ms: int = 0

    @cached_property
    def lines(self) -> list[_Line]:
        """The lines as Python objects, which only files that show something need."""
        return _lines_of(self.columns)

    def within(self, spans: Sequence[tuple[int, int]]) -> list[_Line]:
        """The lines with timestamps in one of the spans, which are apart and in the order of time."""
        wall, found = self.columns["wall"], list[pa.ChunkedArray]()
        for first, last in spans[bisect_left(spans, self.span[0], key=itemgetter(1)) :]:
            if first > self.span[1]:
                break
            found.append(pc.and_(pc.greater_equal(wall, first), pc.less_equal(wall, last)))
        return _lines_of(self.columns.filter(reduce(pc.or_, found))) if found else []

    @cached_property
    def steps(self) -> pa.Array:
        """The time from each line to the next."""
        wall = self.columns["wall"].combine_chunks()
        return pc.subtract(wall[1:], wall[:-1])

    @cached_property
    def span(self) -> tuple[int, int]:
        """The earliest and the latest timestamp."""
        ends = pc.min_max(self.columns["wall"]).as_py()
        return ends["min"], ends["max"]

    def count(self, is_one: pa.Array) -> int:
        """How often a condition holds."""
        return pc.sum(is_one).as_py() or 0

    def often(self, *key: str) -> pa.Table:
        """For each `key` of several lines, its first and last timestamp and how many lines have it."""
        sums = self.columns.group_by([*key]).aggregate([([], "count_all"), ("wall", "min"), ("wall", "max")])
        return sums.filter(pc.greater(sums["count_all"], 1))


def _lines_of(columns: pa.Table) -> list[_Line]:
    return list(map(_Line, *(columns[name].to_pylist() for name in ("number", "wall", "text"))))


@dataclass(frozen=True)
class _Block:
    """Lines of a file that repeat others: their numbers, the reason, and the first and the last that they repeat: a
    number in the file, or a line of another file.
    """

    numbers: Sequence[int]
    reason: str
    of: Sequence[int | str]
    because: str


class FileOrder:
    """What the order and the timestamps of each file show, from batches of `PRINTED` with `COLUMNS`."""

    COLUMNS = (
        *("source_file", "node_id", "line_number", "raw_ts", "level", "template_id", "kind", "message", "below"),
    )  # of the records that are scanned

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._displaced: dict[str, int] = {}
        self._reversed: set[str] = set()
        files = _read(batches)
        for name, file in sorted(files.items()):
            self._see_order(name, file)
        repeats = {name: found for name, file in sorted(files.items()) if (found := _repeats(file))}
        for name, block in _copied_files(files):
            repeats.setdefault(name, []).append(block)
        copied = _copied_days(files, repeats)
        self._blocks = {name: [*repeats.get(name, ()), *copied.get(name, ())] for name in sorted({*repeats, *copied})}
        self._days = _days_off(files, {name: _numbers(blocks) for name, blocks in self._blocks.items()})

    def _see_order(self, name: str, file: _File) -> None:
        moved, back = file.count(pc.not_equal(file.steps, 0)), file.count(pc.less(file.steps, 0))
        if moved >= _LEAST_STEPS and back >= _SHARE_OF_REVERSED * moved:
            self._reversed.add(name)
            return
        near = file.steps.filter(
            pc.and_(pc.less(file.steps, -_THREADS_MS), pc.greater_equal(file.steps, -_FARTHEST_MS))
        )
        if len(near) >= max(_LEAST_STEPS, _SHARE_OF_STEPS * file.columns.num_rows):
            self._displaced[name] = file.displaced_ms = -pc.min(near).as_py()

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What was found about the files: the name of a file, or how many there are, and a clause about them."""
        return [
            *_remark(
                sorted(self._reversed),
                ("has its newest lines first", "have their newest lines first"),
                "read in the order of the timestamps",
            ),
            *_remark(
                sorted(self._displaced),
                ("is out of order", "are out of order"),
                f"lines stand up to {self.disorder.displaced_ms / 1_000:.1f} s from their place; read in the order of the timestamps",
            ),
            *self._repeated(REPEATED, ("holds lines more than once", "hold lines more than once")),
            *self._repeated(
                COPIED_DAY, ("holds the same lines under two dates", "hold the same lines under two dates")
            ),
            *_remark(
                sorted(self._days),
                (
                    "has timestamps that are days away from the times that its own lines print",
                    "have timestamps that are days away from the times that their own lines print",
                ),
                "read with " + " and ".join(_days(days) for days in sorted(set(self._days.values()))),
            ),
        ]

    def _repeated(self, reason: str, what: tuple[str, str]) -> list[tuple[str, str]]:
        own = {
            name: sum(len(block.numbers) for block in blocks if block.reason == reason)
            for name, blocks in sorted(self._blocks.items())
        }
        names = [name for name, count in own.items() if count]
        return _remark(names, what, f"{sum(own.values()):,} of these lines are left out")

    @property
    def disorder(self) -> Disorder:
        """How the lines of the files stand, for the comparison of the clocks."""
        return Disorder(frozenset(self._reversed), max(self._displaced.values(), default=0))

    @property
    def changes(self) -> bool:
        """Whether records are left out or dated otherwise."""
        return bool(self._blocks or self._days)

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches of `PRINTED` without the repeated lines, and with the dates corrected."""
        left_out = {name: pa.array(sorted(_numbers(blocks))) for name, blocks in self._blocks.items()}
        for batch in batches:
            files, keep = batch.column("source_file"), pa.array([True] * batch.num_rows)
            raw = batch.column("raw_ts")
            here = set(pc.unique(files).to_pylist())
            for name in here & left_out.keys():
                gone = pc.and_(pc.equal(files, name), pc.is_in(batch.column("line_number"), left_out[name]))
                keep = pc.and_(keep, pc.invert(gone))
            for name in here & self._days.keys():
                moved = pc.add(raw.cast(pa.int64()), self._days[name] * DAY_MS * 1_000).cast(raw.type)
                raw = pc.if_else(pc.equal(files, name), moved, raw)
            yield with_column(batch, "raw_ts", raw).filter(keep)

    def doubtful(self, batches: Iterable[pa.RecordBatch]) -> list[DoubtfulLine]:
        """The blocks of repeated lines, with the first line of each from batches of `PRINTED`."""
        first = {(name, block.numbers[0]): block for name, blocks in self._blocks.items() for block in blocks}
        found = []
        for batch in batches if first else ():
            of_files = pc.is_in(batch.column("source_file"), pa.array([*self._blocks]))
            some = batch.filter(of_files)
            for at, place in enumerate(
                zip(some.column("source_file").to_pylist(), some.column("line_number").to_pylist(), strict=True)
            ):
                if place in first:
                    found.append(_doubtful(some.slice(at, 1).to_pylist()[0], first[place]))
        return found


def _remark(names: Sequence[str], what: tuple[str, str], more: str) -> list[tuple[str, str]]:
    """A remark about one file, or about all of them with the name of the first."""
    if not names:
        return []
    if len(names) == 1:
        return [(names[0], f"{what[0]}: {more}")]
    return [(f"{len(names)} files", f"{what[1]} (the first is {names[0]}): {more}")]


def _days(days: int) -> str:
    return f"{abs(days):,} day{'s' if abs(days) > 1 else ''} {'added' if days > 0 else 'taken away'}"


def _doubtful(row: Mapping[str, object], block: _Block) -> DoubtfulLine:
    name = row["source_file"]
    return DoubtfulLine(
        event_id=f"{name}:{block.numbers[0]}",
        last_event_id=f"{name}:{block.numbers[-1]}",
        lines=len(block.numbers),
        reason=block.reason,
        ts=None,
        node_id=row["node_id"],
        source_file=name,
        line_number=block.numbers[0],
        kind=row["kind"],
        topic=None,
        partition=None,
        message=row["message"],
        because=f"The file {block.because}.",
        contradicted_by=[place if isinstance(place, str) else f"{name}:{place}" for place in block.of],
    )


def _numbers(blocks: Iterable[_Block]) -> set[int]:
    return {number for block in blocks for number in block.numbers}


def _read(batches: Iterable[pa.RecordBatch]) -> dict[str, _File]:
    """The log lines of each file. Only a digest of their texts is kept."""
    lines, printed = list[pa.Table](), defaultdict[str, list[tuple[int, int, int]]](list)
    names: dict[str, int] = {}  # of the files, with their numbers
    for batch in batches:
        is_line = pc.or_(batch.column("template_id").is_valid(), batch.column("level").is_valid())
        own = batch.filter(pc.and_(is_line, batch.column("raw_ts").is_valid()))
        walls = pc.divide(own.column("raw_ts").cast(pa.timestamp("us")).cast(pa.int64()), 1_000)
        texts = map(hash, zip(own.column("message").to_pylist(), own.column("below").to_pylist(), strict=True))
        columns = {"number": own.column("line_number"), "wall": walls, "text": pa.array(texts, pa.int64())}
        lines.append(
            pa.table({"file": _numbered(own.column("source_file"), names), "node": own.column("node_id"), **columns})
        )
        prints_time = pc.fill_null(pc.is_in(own.column("kind"), pa.array(_PRINTS_TIME)), False)
        shown = pa.table(
            {"wall": walls, **{name: own.column(name) for name in ("source_file", "line_number", "message")}}
        )
        for row in shown.filter(prints_time).to_pylist():
            times = [int(text) for text in _EPOCH_MS.findall(row["message"] or "")]
            if times:
                printed[row["source_file"]].append((row["line_number"], row["wall"], max(times)))
    if not names:
        return {}
    every = pa.concat_tables(lines)
    lines.clear()
    every = every.sort_by([("file", "ascending"), ("number", "ascending")])
    found, begin = {}, 0
    for name, size in zip(names, pc.value_counts(every["file"]).field("counts").to_pylist(), strict=True):
        own = every.slice(begin, size)
        found[name] = _File(own["node"][0].as_py(), own.drop_columns(["file", "node"]), printed.get(name, ()))
        begin += size
    return found


def _numbered(files: pa.Array, names: dict[str, int]) -> pa.Array:
    """The number of each file, in the order in which `names` gets to know them."""
    encoded = files.dictionary_encode()
    numbers = [names.setdefault(name, len(names)) for name in encoded.dictionary.to_pylist()]
    return pa.array(numbers, pa.int32()).take(encoded.indices)


# --- Blocks that are sent again


def _repeats(file: _File) -> list[_Block]:
    """The lines that repeat others of the file, stamp and text: every line of a file that repeats many of them, else the
    blocks that go back in time.
    """
    twice = file.often("wall", "text")
    if not twice.num_rows:
        return []
    keys = file.columns.num_rows - pc.sum(twice["count_all"]).as_py() + twice.num_rows
    in_millis = any(wall % 1_000 for wall in twice["wall"].to_pylist())
    if in_millis and twice.num_rows >= max(_LEAST_REPEATED, _SHARE_OF_REPEATED * keys):
        return [_every_repeat(file)]
    goes_back = pc.min(file.steps).as_py() < -_GOES_BACK_MS
    return list(_blocks_sent_again(file)) if goes_back else []


def _every_repeat(file: _File) -> _Block:
    first: dict[tuple[int, int], int] = {}
    again, of = [], []
    for line in file.lines:
        before = first.setdefault((line.wall, line.text), line.number)
        if before != line.number:
            again.append(line.number)
            of.append(before)
    return _Block(again, REPEATED, [of[0], of[-1]], "holds lines two or more times")


def _blocks_sent_again(file: _File) -> Iterator[_Block]:
    first: dict[tuple[int, int], int] = {}
    again, of = list[int](), list[int]()
    for before, line in zip([file.lines[0], *file.lines], file.lines, strict=False):
        key = line.wall, line.text
        goes_back = line.wall < before.wall - max(_GOES_BACK_MS, 2 * file.displaced_ms)
        if key in first and (goes_back or again):
            again.append(line.number)
            of.append(first[key])
        else:
            if again:
                yield _sent_again(again, of)
            again, of = [], []
            first.setdefault(key, line.number)
    if again:
        yield _sent_again(again, of)


def _sent_again(again: Sequence[int], of: Sequence[int]) -> _Block:
    return _Block(again, REPEATED, [of[0], of[-1]], "holds a block of lines again")


def _copied_files(files: Mapping[str, _File]) -> Iterator[tuple[str, _Block]]:
    """The lines of a file that another file of the same log of its node holds too, if these are half of the file."""
    logs: dict[tuple[int | None, str], list[str]] = defaultdict(list)
    for name, file in sorted(files.items()):
        if file.node_id is not None:
            logs[file.node_id, series(name)].append(name)
    for names in logs.values():
        shared = _shared_spans([files[name].span for name in names])
        places: dict[tuple[int, int], str] = {}
        for name in sorted(names, key=lambda name: (-files[name].columns.num_rows, name)) if shared else ():
            lines = files[name].within(shared)
            again = [line for line in lines if (line.wall, line.text) in places]
            if len(again) >= max(_LEAST_COPIED, _SHARE_OF_COPIED * files[name].columns.num_rows):
                of = [places[line.wall, line.text] for line in (again[0], again[-1])]
                other = of[0].rpartition(":")[0]
                yield name, _Block([line.number for line in again], REPEATED, of, f"holds lines that {other} holds too")
            for line in reversed(lines):
                places.setdefault((line.wall, line.text), f"{name}:{line.number}")


def _shared_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The times that lie in several of the spans. Usually the next file of a log begins where the one before it ends."""
    shared, latest = list[tuple[int, int]](), None
    for first, last in sorted(spans):
        if latest is not None and first <= latest:
            end = min(last, latest)
            if shared and first <= shared[-1][1]:
                shared[-1] = shared[-1][0], max(shared[-1][1], end)
            else:
                shared.append((first, end))
        latest = last if latest is None else max(latest, last)
    return shared


# --- Days that are copied under another date


def _copied_days(files: Mapping[str, _File], repeats: Mapping[str, Sequence[_Block]]) -> dict[str, list[_Block]]:
    """The lines that stand in the same file with the same time and text under another date. One file shows which days are
    copies, also of short files. The right day is the one whose lines print times of it, else the last.
    """
    pairs = {pair for file in files.values() if (pair := _two_days(file)) is not None}
    votes: Counter[int] = Counter()
    for file in files.values() if pairs else ():
        votes.update(wall // DAY_MS for _, wall, printed in file.printed if is_zone(wall - printed))
    found: dict[str, list[_Block]] = defaultdict(list)
    for days in sorted(pairs):
        right = max(days, key=lambda day: (votes[day], day))
        dates = " and ".join(f"{EPOCH + timedelta(days=day):%Y-%m-%d}" for day in days)
        for name, file in sorted(files.items()):
            if file.span[0] // DAY_MS == file.span[1] // DAY_MS:
                continue
            gone = _numbers([*repeats.get(name, ()), *found.get(name, ())])
            kept = {(line.wall % DAY_MS, line.text): line for line in file.lines if line.wall // DAY_MS == right}
            copies = [line for line in file.lines if line.wall // DAY_MS in days and line.wall // DAY_MS != right]
            again = [line for line in copies if line.number not in gone and (line.wall % DAY_MS, line.text) in kept]
            if again:
                ends = [kept[line.wall % DAY_MS, line.text].number for line in (again[0], again[-1])]
                numbers = [line.number for line in again]
                found[name].append(_Block(numbers, COPIED_DAY, ends, f"holds the same lines under {dates}"))
    return dict(found)


def _two_days(file: _File) -> tuple[int, int] | None:
    """The two days under which at least half of one day's lines stand; None if a file has no such days."""
    first, last = (wall // DAY_MS for wall in file.span)
    if first == last or not _stands_on_two_days(file):
        return None
    days: dict[tuple[int, int], set[int]] = defaultdict(set)
    for line in file.lines:
        days[line.wall % DAY_MS, line.text].add(line.wall // DAY_MS)
    pairs = Counter((sorted(one)[-2], sorted(one)[-1]) for one in days.values() if len(one) > 1)
    if not pairs:
        return None
    pair, count = pairs.most_common(1)[0]
    of_day = Counter(line.wall // DAY_MS for line in file.lines)
    least = max(_LEAST_COPIED, _SHARE_OF_COPIED * min(of_day[day] for day in pair))
    return pair if count >= least else None


def _stands_on_two_days(file: _File) -> bool:
    """Whether lines with the same time of day and text are many enough to be looked at."""
    wall = file.columns["wall"]
    of_day = pc.subtract(wall, pc.multiply(pc.divide(wall, DAY_MS), DAY_MS))
    sums = file.columns.append_column("of_day", of_day).group_by(["of_day", "text"])
    ends = sums.aggregate([("wall", "min"), ("wall", "max")])
    return file.count(pc.not_equal(ends["wall_min"], ends["wall_max"])) >= _LEAST_COPIED


# --- Timestamps that are days away from the times in their own lines


def _days_off(files: Mapping[str, _File], left_out: Mapping[str, Collection[int]]) -> dict[str, int]:
    """By file, the days to add to its timestamps: no time zone is farther than 14 hours from UTC.

    A file whose lines print no time follows its node's other files, if that is where its lines fit.
    """
    found: dict[str, int] = {}
    for name, file in files.items():
        off = [wall - printed for line, wall, printed in file.printed if line not in left_out.get(name, ())]
        if off and not any(map(is_zone, off)):
            found[name] = -round(median(off) / DAY_MS)
    for name, file in files.items():
        if not file.printed:
            spans = [
                (_span(other, found.get(at, 0)), found[at])
                for at, other in files.items()
                if at in found and other.node_id == file.node_id
            ]
            fits = {days for span, days in spans if _overlap(_span(file, days), span)}
            kept = [_span(other) for at, other in files.items() if at not in found and other.printed]
            if len(fits) == 1 and not any(_overlap(_span(file), span) for span in kept):
                found[name] = fits.pop()
    return {name: days for name, days in found.items() if days}


def _span(file: _File, days: int = 0) -> tuple[int, int]:
    return file.span[0] + days * DAY_MS, file.span[1] + days * DAY_MS


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[1] + DAY_MS / 24 and other[0] <= one[1] + DAY_MS / 24
