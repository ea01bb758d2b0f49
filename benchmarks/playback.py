"""A shift played back to `watch`: seconds and memory of each look, and the last result compared with one run over
all files, table by table.

    python -m benchmarks.playback [--hours 3] [--speed 10] [--apart 15] [--every 60] [--folder FOLDER]

The shift is the demo's two minutes (three kills, an unclean election) again and again, starting every `--apart`
minutes, each time with topics of other names. Its lines are written when their time comes. Every hour of the shift
the logs are rotated: those of nodes 1 and 2 by rename, those of node 3 by copy and truncate. Exit status 1 if a
table differs.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.memory import of_processes, peak_of
from pipelines.main_job import analyze
from pipelines.watch import Look, Options, watch
from replay.tables import TABLES

TRACE = Path(__file__).parent.parent / "traces" / "unclean-election-zk-2.8.2" / "input"
_STAMP = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3})\]")
_TOPIC = re.compile(r"\b(orders|clicks)\b")
_OWN_TOPIC = "__consumer_offsets"  # Kafka's internal topic: its epochs would restart
_TICK_SECONDS = 0.2
_HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Record:
    """A record with its stack trace, and the time at which it is written."""

    at: datetime
    file: str
    text: str


def shift(hours: float, apart: timedelta) -> list[Record]:
    """The records of all nodes in the order in which they are written."""
    once = [record for file in sorted(TRACE.rglob("*.log")) for record in _records(file)]
    begin = min(record.at for record in once)
    told: list[Record] = []
    turn = 0
    while apart * turn < timedelta(hours=hours):
        later = apart * turn
        for record in once:
            at = record.at + later
            if at - begin < timedelta(hours=hours) and not (turn and _OWN_TOPIC in record.text):
                told.append(Record(at, record.file, _moved(record.text, later, turn)))
        turn += 1
    return sorted(told, key=lambda record: record.at)


def _records(file: Path) -> Iterator[Record]:
    """The records of a file. None is written before its predecessor, because files are written in order."""
    lines: list[str] = []
    at = datetime.min
    name = str(file.relative_to(TRACE))
    for line in file.read_text().splitlines(keepends=True):
        if stamp := _STAMP.match(line):
            if lines:
                yield Record(at, name, "".join(lines))
            at, lines = max(at, _time(stamp)), []
        lines.append(line)
    if lines and at > datetime.min:
        yield Record(at, name, "".join(lines))


def _moved(text: str, later: timedelta, turn: int) -> str:
    """The same text at a later time, about other topics."""
    moved = _STAMP.sub(lambda stamp: f"[{_time(stamp) + later:%Y-%m-%d %H:%M:%S},{stamp[2]}]", text)
    return _TOPIC.sub(rf"\g<1>{turn}", moved) if turn else moved


def _time(stamp: re.Match[str]) -> datetime:
    return datetime.strptime(stamp[1], "%Y-%m-%d %H:%M:%S") + timedelta(milliseconds=int(stamp[2]))


@dataclass
class Player:
    """Writes the records below `folder` when their time comes; `now`: the current time of the shift."""

    records: Sequence[Record]
    folder: Path
    speed: float
    now: datetime = field(init=False)
    written: int = 0

    def __post_init__(self) -> None:
        self.now = self.records[0].at
        shutil.copytree(TRACE, self.folder, ignore=shutil.ignore_patterns("*.log", "data", "*.txt"))

    def play(self, stop: threading.Event) -> None:
        began, begin, next_ = time.monotonic(), self.records[0].at, 0
        rotate_at = begin + _HOUR
        while next_ < len(self.records) and not stop.wait(_TICK_SECONDS):
            self.now = begin + timedelta(seconds=(time.monotonic() - began) * self.speed)
            texts: dict[str, list[str]] = {}
            while next_ < len(self.records) and self.records[next_].at <= min(self.now, rotate_at):
                record = self.records[next_]
                texts.setdefault(record.file, []).append(record.text)
                next_ += 1
            for name, some in texts.items():
                self._write(self.folder / name, "".join(some))
            if self.now >= rotate_at:
                self._rotate(rotate_at)
                rotate_at += _HOUR

    def _write(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            out.write(text)
        self.written += len(text)

    def _rotate(self, at: datetime) -> None:
        for file in sorted(self.folder.rglob("*.log")):
            old = file.with_name(f"{file.name}.{at - _HOUR:%Y-%m-%d-%H}")
            if file.parent.name == "node-3":
                shutil.copyfile(file, old)
                os.truncate(file, 0)
            else:
                file.rename(old)


@dataclass(frozen=True)
class Row:
    """One look: the time of the shift, what was analyzed, how long it took, and the peaks of memory since the
    previous look.
    """

    at: datetime
    written: int
    fresh: int
    seconds: float
    python: int
    java: int
    result: int
    changes: int
    fault: str | None = None

    def __str__(self) -> str:
        megabytes = " | ".join(f"{size / 1e6:,.1f}" for size in (self.written, self.fresh))
        memory = " | ".join(f"{size / 1e6:,.0f}" for size in (self.python, self.java))
        told = self.fault or f"{self.changes}"
        return (
            f"| {self.at:%H:%M:%S} | {megabytes} | {self.seconds:.0f} | {memory} | {self.result / 1e6:,.1f} | {told} |"
        )


HEAD = """| time of the shift | MB written | MB judged anew | seconds | Python, MB | Java, MB | result, MB | changes told |
|---|---|---|---|---|---|---|---|"""


def played(records: Sequence[Record], folder: Path, speed: float, every: float) -> list[Row]:
    """Play the shift to a watch. Returns a row for each look; the written logs are in `given`, the result in
    `watched`.
    """
    player, stop = Player(records, folder / "given", speed), threading.Event()
    rows: list[Row] = []

    def hear(look: Look) -> None:
        python, java = _peaks()
        size = sum(file.stat().st_size for file in (folder / "watched").rglob("*") if file.is_file())
        row = Row(
            player.now, player.written, look.size, look.seconds, python, java, size, len(look.changes), look.fault
        )
        rows.append(row)
        print(row, flush=True)

    print(HEAD, flush=True)
    thread = threading.Thread(target=player.play, args=(stop,), daemon=True)
    thread.start()
    lasts = (records[-1].at - records[0].at).total_seconds() / speed + 2
    try:
        watch([str(player.folder)], folder / "watched", Options({}), every=every, lasts=lasts, hear=hear)
    finally:
        stop.set()
        thread.join()
    return rows


def _peaks() -> tuple[int, int]:
    """The peak memory of this Python and its Java since the previous call."""
    sizes = {"python": 0, "java": 0}
    for pid, name in of_processes(os.getpid()):
        if pid == os.getpid() or name == "java":
            sizes["java" if name == "java" else "python"] += peak_of(pid)
            with suppress(OSError):
                Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak is counted from here on
    return sizes["python"], sizes["java"]


def different(one: Path, other: Path) -> list[str]:
    """The tables whose rows differ between two results."""
    return [
        table.name for table in TABLES if _rows(one / "tables" / table.name) != _rows(other / "tables" / table.name)
    ]


def _rows(folder: Path) -> list[str]:
    read = pa.concat_tables([pq.read_table(part) for part in sorted(folder.glob("*.parquet"))])
    return sorted(map(str, read.to_pylist()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, compare and print. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.playback", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--hours", type=float, default=3, help="of the shift (default: %(default)s)")
    parser.add_argument("--speed", type=float, default=10, help="times its own speed (default: %(default)s)")
    parser.add_argument("--apart", type=float, default=15, help="minutes from one incident to the next")
    parser.add_argument("--every", type=float, default=60, help="seconds between looks (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to work (default: the temporary folder)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kafka-replay-playback-", dir=options.folder) as made:
        folder = Path(made)
        played(shift(options.hours, timedelta(minutes=options.apart)), folder, options.speed, options.every)
        began = time.monotonic()
        analyze([str(folder / "given")], folder / "at-once")
        print(f"one run over all files: {time.monotonic() - began:.0f} s")
        differ = different(folder / "watched", folder / "at-once")
        print(f"tables that differ from it: {', '.join(differ) or 'none'} of {len(TABLES)}")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
