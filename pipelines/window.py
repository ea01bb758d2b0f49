"""`--since`, `--until`: reduces the found files to what a time window needs.

A binary search finds where a window begins and ends in a log, because its times ascend. Lines before the window are
kept if the window would be misread without them (`replay.facts.needed_before`): a backward search finds them, up to
the last start of each node's process. The `LEAD_IN` before the requested time is read whole, so that what happens after
that time has the verdict of a run over all logs. Omitted lines become bare line ends, so that lines keep their numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import zip_longest
from typing import BinaryIO, NamedTuple

import pandas as pd

from pipelines.answers.times import Clock, moment, zone
from pipelines.found_files import Inputs, Source, has_borders, log_of
from pipelines.incident import Zones
from pipelines.result import span_of
from replay.errors import InputError
from replay.facts.groups import grouped
from replay.facts.needed_before import KINDS, MARKS, Needed, NeededLine, last_start, needed
from replay.facts.window import TimeWindow
from replay.reading import shell
from replay.reading.heads import head_of
from replay.reading.layouts import Layout, layout_named
from replay.reading.stamps import datetime_of, micros_at
from viz.phrases import counted, listed

_BLOCK = 64 << 10  # below this a file is read line by line
_LONGEST = 8 << 20  # the search for a timestamp stops after this much text
_AMID_A_START = 60_000_000  # microseconds: a start at the beginning of a piece may have begun before it
_PIECE = 4 << 20  # of a file that is searched for needed lines
LEAD_IN = timedelta(minutes=10)  # sessions, timeouts and lags that end in a window began within this before it
_MARKS = tuple(mark.encode() for mark in MARKS)


@dataclass(frozen=True)
class Asked:
    """A window as requested. A time without a zone is in `tz`."""

    since: str | None = None
    until: str | None = None
    tz: str | None = None

    def __post_init__(self) -> None:
        zone(self.tz)

    def window(self, span: tuple[pd.Timestamp, pd.Timestamp] | None) -> TimeWindow:
        """The time range that it means in logs of this `span`. Raises InputError for an invalid time, and for an end
        that is not after the start.
        """
        here = zone(self.tz)
        since, until = (_time(text, here, span) for text in (self.since, self.until))
        if since is not None and until is not None and since >= until:
            raise InputError(f"--since {self.since} is not before --until {self.until}")
        return TimeWindow(since, until)


def _time(text: str | None, here: object, span: tuple[pd.Timestamp, pd.Timestamp] | None) -> datetime | None:
    return None if text is None else moment(text, here, span).to_pydatetime().replace(tzinfo=UTC)  # type: ignore[arg-type]


class Stamped(NamedTuple):
    """A record in a file: its byte position and its time (microseconds since 1970, UTC)."""

    at: int
    time: int


@dataclass
class Log:
    """A log in the work folder, with its records in order of time. `zone` is that of its timestamps if the user gave
    it; else they have their own zone, or are UTC.
    """

    source: Source
    zone: str | None = None
    keeps: list[tuple[int, int]] = field(default_factory=list)  # bytes from, to

    @cached_property
    def layout(self) -> Layout:
        """The layout of its lines."""
        return layout_named(self.source.layout)

    @cached_property
    def size(self) -> int:
        """Its bytes."""
        return self.source.path.stat().st_size

    @cached_property
    def first(self) -> Stamped | None:
        """Its first record with a time; None if there is none."""
        with self.source.path.open("rb") as file:
            return self.next_at(file, 0)

    @cached_property
    def last(self) -> Stamped | None:
        """Its last record with a time."""
        with self.source.path.open("rb") as file:
            return self.before(file, self.size)

    def at(self, time: int) -> int:
        """The position of its first record at or after `time`; its size if there is none."""
        with self.source.path.open("rb") as file:
            low, high = 0, self.size
            while high - low > _BLOCK:
                middle = (low + high) // 2
                found = self.next_at(file, middle)
                if found is None or found.at >= high or found.time >= time:
                    high = middle
                else:
                    low = found.at
            return next((found.at for found in self.records(file, low) if found.time >= time), self.size)

    def before(self, file: BinaryIO, at: int) -> Stamped | None:
        """The last record with a time before `at`."""
        reach = _BLOCK
        while True:
            start = max(0, at - reach)
            found = next(iter(deque(self.records(file, start, at), maxlen=1)), None)
            if found is not None or start == 0 or reach >= _LONGEST:
                return found
            reach *= 4

    def next_at(self, file: BinaryIO, at: int) -> Stamped | None:
        """The first record with a time in the lines that begin at `at` or after it."""
        return next(self.records(file, at, at + _LONGEST), None)

    def records(self, file: BinaryIO, at: int, until: int | None = None) -> Iterator[Stamped]:
        """The records with a time whose lines begin between `at` and `until`, read line by line."""
        file.seek(max(0, at - 1))
        if at > 0:
            file.readline()  # the rest of the line before
        while (here := file.tell()) < (self.size if until is None else until) and (line := file.readline()):
            time = self._time_of(line.decode("utf-8", "replace").rstrip("\n"))
            if time is not None:
                yield Stamped(here, time)

    def _time_of(self, line: str) -> int | None:
        head = head_of(self.layout, line) if line else None
        return None if head is None or head.micros is None else self.instant(head.micros, head.zone_known)

    def instant(self, micros: int, zone_known: bool) -> int:
        """A timestamp as UTC microseconds."""
        if zone_known or self.zone is None:
            return micros
        local = datetime_of(micros)
        in_utc = None if local is None else micros_at(local.replace(tzinfo=zone(self.zone)).astimezone(UTC))
        return micros if in_utc is None else in_utc

    def end_of(self, at: int) -> int:
        """The end of the record at `at`: the start of the next one."""
        with self.source.path.open("rb") as file:
            return next((one.at for one in self.records(file, at + 1)), self.size)

    def lines_between(self, begin: int, end: int) -> list[NeededLine]:
        """The lines between two positions of a file from before a window that the window may need."""
        with self.source.path.open("rb") as file:
            file.seek(begin)
            text = file.read(end - begin)
        lines = sorted({_line_at(text, place) for mark in _MARKS for place in _places(text, mark)})
        read = shell.File(self.source.source_file, self.source.node_id, self.source.layout)
        candidates = "\n".join(text[start:stop].decode("utf-8", "replace") for start, stop in lines)
        return [
            NeededLine(
                self.instant(record.micros, record.zone_known),
                record.node_id,
                record.kind,
                {**record.columns, **(record.details or {})},
                (self, begin + lines[record.line_number - 1][0]),
            )
            for record in shell.read_text(candidates, read)
            if record.kind in KINDS and record.micros is not None
        ]

    def cut(self) -> Source:
        """The source reduced to what it `keeps`, with line ends in place of the lines in between."""
        path, kept = self.source.path, _joined(self.keeps)
        if kept == [(0, self.size)]:
            return self.source
        shorter = path.with_name(f"{path.name}-cut")
        with path.open("rb") as file, shorter.open("wb") as out:
            left_out = _line_ends(file, 0, kept[0][0]) if kept else 0
            for (begin, end), following in zip_longest(kept, kept[1:]):
                _copy(file, out, begin, end)
                if following is not None:
                    out.write(b"\n" * _line_ends(file, end, following[0]))
        shorter.replace(path)
        return replace(self.source, first_line=self.source.first_line + left_out, size=path.stat().st_size)


def _places(text: bytes, mark: bytes) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        end = text.find(b"\n", at)
        at = -1 if end < 0 else text.find(mark, end)


def _line_at(text: bytes, place: int) -> tuple[int, int]:
    end = text.find(b"\n", place)
    return text.rfind(b"\n", 0, place) + 1, len(text) if end < 0 else end


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, with adjacent and overlapping ones merged."""
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(span for span in spans if span[0] < span[1]):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def _line_ends(file: BinaryIO, begin: int, end: int) -> int:
    return sum(chunk.count(b"\n") for chunk in _chunks(file, begin, end))


def _copy(file: BinaryIO, out: BinaryIO, begin: int, end: int) -> None:
    for chunk in _chunks(file, begin, end):
        out.write(chunk)


def _chunks(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    file.seek(begin)
    while begin < end and (chunk := file.read(min(_PIECE, end - begin))):
        begin += len(chunk)
        yield chunk


def in_window(gather: Callable[..., Inputs], asked: Asked | TimeWindow, zones: Zones) -> Callable[..., Inputs]:
    """`gather` (`pipelines.inputs`), limited to what a window needs: the requested one, or that of an earlier
    result. Logs that the window does not need are not read.
    """
    outside = _Outside(asked, zones)
    return lambda *given, **options: cut(gather(*given, needless=outside, **options), asked, zones, outside.logs)


class _Outside:
    """The logs that a window does not need, determined without copying them."""

    def __init__(self, asked: Asked | TimeWindow, zones: Zones) -> None:
        self._asked, self._zones = asked, zones
        self.logs: Sequence[Log] = ()

    def __call__(self, sources: Sequence[Source]) -> list[str]:
        """The names of these logs. Empty if the window is invalid or empty, or if a file is gone: `cut` reports that
        for all files.
        """
        try:
            logs = [log for log in _dated(sources, self._zones) if log.source.node_id is not None]
            window = _meant(self._asked, logs)
            if [log for log in logs if _has_line_in(log, window)]:
                window = _to_read(self._asked, window)
                for log in logs:
                    _keep_inside(log, window)
                self.logs = [*_after_the_next(logs, window), *_before_the_last_start(logs, window)]
        except (InputError, OSError):
            return []
        return [log.source.name for log in self.logs]


def _after_the_next(logs: Iterable[Log], window: TimeWindow) -> Iterator[Log]:
    """The logs that begin after the window, except the one with the next record after it."""
    until = micros_at(window.until)
    if until is None:
        return
    of_logs = grouped(logs, lambda log: (log.source.node_id, log_of(log.source.source_file)))
    for own in of_logs.values():
        spans = ((log.first.time, log.last.time, n) for n, log in enumerate(own) if log.first and log.last)
        goes_on = sorted((first, n) for first, last, n in spans if last >= until)
        yield from (own[n] for first, n in goes_on[1:] if first >= until)


def _before_the_last_start(logs: Iterable[Log], window: TimeWindow) -> Iterator[Log]:
    """The logs that end before their node's last start before the window."""
    for own in grouped(logs, lambda log: log.source.node_id).values():
        start = last_start(_lines_before(own, window))
        yield from (log for log in own if start is not None and log.last and log.last.time < start - _AMID_A_START)


def _dated(sources: Iterable[Source], zones: Zones) -> list[Log]:
    """The logs that have a record with a time."""
    logs = (Log(one, zones.by_node.get(one.node_id or 0, zones.all)) for one in sources if not one.is_witness)
    return [log for log in logs if log.first is not None]


def _meant(asked: Asked | TimeWindow, logs: Sequence[Log]) -> TimeWindow:
    return asked if isinstance(asked, TimeWindow) else asked.window(_span(logs))


def _to_read(asked: Asked | TimeWindow, window: TimeWindow) -> TimeWindow:
    """The time to read for a window: a requested one with the `LEAD_IN` before it; that of an earlier result has it."""
    if isinstance(asked, TimeWindow) or window.since is None:
        return window
    return replace(window, since=window.since - LEAD_IN)


def cut(found: Inputs, asked: Asked | TimeWindow, zones: Zones, left_out: Sequence[Log] = ()) -> Inputs:
    """`found` with only the lines that the window needs, and the notes about it; `left_out` are logs that were found
    but not read.

    Raises InputError for an invalid window, and for one without a line.
    """
    dated = _dated(found.to_read(), zones)
    window = _meant(asked, [*dated, *left_out])
    if dated and not any(_has_line_in(log, window) for log in dated):
        raise InputError(_no_line(asked, dated))
    window = replace(_to_read(asked, window), has_borders=has_borders(found.sources))
    for log in dated:
        _keep_inside(log, window)
    before = _needed_before(dated, window)
    for line in before.lines:
        log, at = line.place
        log.keeps.append((at, log.end_of(at)))
    if window.has_borders:
        _keep_borders(dated)
    is_earlier = isinstance(asked, TimeWindow)
    remark = (
        f"{span_of(window.since, window.until)} holds for the new files too" if is_earlier else _remark(window, before)
    )
    cut_ = {log.source.name: log.cut() for log in dated}
    return replace(
        found,
        sources=[cut_.get(one.name, one) for one in found.sources],
        remarks=[("The window", remark), *found.remarks],
        window=window,
    )


def _span(logs: Sequence[Log]) -> tuple[pd.Timestamp, pd.Timestamp] | None:
    """The first and the last time in logs, naive in UTC."""
    firsts = [log.first.time for log in logs if log.first]
    lasts = [log.last.time for log in logs if log.last]
    if not firsts or not lasts:
        return None
    return pd.Timestamp(min(firsts), unit="us"), pd.Timestamp(max(lasts), unit="us")


def _has_line_in(log: Log, window: TimeWindow) -> bool:
    begin, end = _inside(log, window)
    return begin < end


def _keep_inside(log: Log, window: TimeWindow) -> None:
    """Keep the part of a log in the window."""
    log.keeps.append(_inside(log, window))


def _inside(log: Log, window: TimeWindow) -> tuple[int, int]:
    """The byte range of a log that is in the window."""
    since, until = micros_at(window.since), micros_at(window.until)
    assert log.first is not None and log.last is not None
    begin = 0 if since is None or since <= log.first.time else log.size if log.last.time < since else log.at(since)
    end = log.size if until is None or log.last.time < until else 0 if until <= log.first.time else log.at(until)
    return begin, max(begin, end)


def _no_line(asked: Asked | TimeWindow, logs: Sequence[Log]) -> str:
    clock = Clock(zone(asked.tz if isinstance(asked, Asked) else None))
    span = _span(logs)
    theirs = "" if span is None else f"{clock.span(*span)} {clock.name}"
    if isinstance(asked, TimeWindow):
        return f"the result covers only the time {span_of(asked.since, asked.until)}, and the new files have no line in it; they span {theirs}"
    given = [f"--{name} {text}" for name in ("since", "until") if (text := getattr(asked, name))]
    return f"{' '.join(given)}: no line lies in that time; the files span {theirs}"


class _Piece(NamedTuple):
    """A part of a log, with the times at which it begins and ends."""

    log: Log
    begin: int
    end: int
    first: int
    last: int


def _needed_before(logs: Sequence[Log], window: TimeWindow) -> Needed:
    """The needed lines from before the window: a backward search for each node, to its last start."""
    if window.since is None:
        return Needed([])
    of_nodes = grouped(logs, lambda log: log.source.node_id).values()
    return needed([line for own in of_nodes for line in _lines_before(own, window)])


def _lines_before(own: Iterable[Log], window: TimeWindow) -> list[NeededLine]:
    """The lines of one node from before the window, as far back as its last start."""
    if window.since is None:
        return []
    lines: list[NeededLine] = []
    for piece in sorted((piece for log in own for piece in _pieces(log, window)), key=lambda piece: -piece.first):
        start = last_start(lines)
        if start is None or piece.last >= start - _AMID_A_START:
            lines += piece.log.lines_between(piece.begin, piece.end)
    return lines


def _pieces(log: Log, window: TimeWindow) -> Iterator[_Piece]:
    """The part of a log before the window, in pieces that begin with a record."""
    end = next((begin for begin, _ in log.keeps), 0)
    with log.source.path.open("rb") as file:
        found = dict.fromkeys(log.next_at(file, at) for at in range(0, end, _PIECE))
    begins = [one for one in found if one is not None and one.at < end]
    for one, following in zip_longest(begins, begins[1:]):
        until = following.at if following else end
        last = (
            following.time if following else log.last.time if end == log.size and log.last else micros_at(window.since)
        )
        if one.at < until and last is not None:
            yield _Piece(log, one.at, until, one.time, last)


def _keep_borders(logs: Sequence[Log]) -> None:
    """Keep the last record before the window and the first one after it, for each log of each node."""
    for own in grouped(logs, lambda log: (log.source.node_id, log_of(log.source.source_file))).values():
        sides: tuple[tuple[Callable[[Log], Stamped | None], int], ...] = ((_last_before, -1), (_next_after, 1))
        for side, sign in sides:
            found = [(sign * one.time, one.at, log) for log in own if (one := side(log)) is not None]
            if found:
                _, at, log = min(found, key=lambda one: one[0])
                log.keeps.append((at, log.end_of(at)))


def _last_before(log: Log) -> Stamped | None:
    with log.source.path.open("rb") as file:
        return log.before(file, log.keeps[0][0])


def _next_after(log: Log) -> Stamped | None:
    with log.source.path.open("rb") as file:
        return log.next_at(file, log.keeps[0][1]) if log.keeps[0][1] < log.size else None


def _remark(window: TimeWindow, before: Needed) -> str:
    """What was read, on one line."""
    sentence = f"{span_of(window.since, window.until)} was read of the logs"
    if window.since is None:
        return sentence
    minutes = int(LEAD_IN.total_seconds() // 60)
    sentence += f", {minutes} minutes more than requested, because what happens in a window may have begun before it"
    taken = [
        f"the last start of {counted(before.starts, 'process', 'processes')}, with its settings"
        if before.starts
        else "",
        "who was the active controller" if before.has_controller else "",
        f"the last state of {counted(before.partitions, 'partition')}" if before.partitions else "",
    ]
    parts = listed(list(filter(None, taken)))
    return f"{sentence}, and of the time before it {parts or 'no start and no state of a partition, because there is none'}"
