"""Damaged copies of real logs, as disks, editors, chat windows and shells damage them.

The same seed gives the same damage.

    python -m tests.mutations [--inputs 10000] [--seed 1] [--batch 250]

reads this many damaged files, and fails if one crashes the reader or if a line is unaccounted for.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.found_files import Inputs
from pipelines.inputs import gather
from pipelines.reading import records_here
from replay.errors import InputError
from replay.reading.layouts import layout_named
from replay.reading.lines import lines_of
from replay.reading.records import Record
from tests.recordings import TRACES

_MOST_LINES = 120


def _split_in_two(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    cut = r.randrange(len(lines[at]) + 1)
    lines[at : at + 1] = [lines[at][:cut] + b"\n", lines[at][cut:]]


def _joined(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    lines[at] = lines[at].rstrip(b"\r\n")


def _dropped(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    del lines[at : at + r.randint(1, max(1, len(lines) // 5))]


def _repeated(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    lines[at:at] = lines[at : at + r.randint(1, 20)]


def _swapped(lines: list[bytes], r: random.Random) -> None:
    a, b = r.randrange(len(lines)), r.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]


def _bytes_lost(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    cut = r.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:cut] + lines[at][cut + r.randint(1, 12) :]


def _bytes_put_in(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    cut = r.randrange(len(lines[at]) + 1)
    strange = (
        b"\0",
        b"\0" * 64,
        b"\xff\xfe",
        b"\xc3",
        b"\x1b[31m",
        b"\r",
        b"\t",
        b'"',
        b"\\",
        b"\x01",
        b"\x02",
        b"\x03\x04",
        b"$1",
        b"{",
        "é…".encode(),
        b"\xe2\x80\xa8",
    )
    lines[at] = lines[at][:cut] + r.choice(strange) + lines[at][cut:]


def _digits_changed(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    lines[at] = bytes(r.choice(b"0123456789") if 48 <= byte <= 57 and r.random() < 0.3 else byte for byte in lines[at])


def _another_year(lines: list[bytes], r: random.Random) -> None:
    year = r.choice((b"[1969-", b"[2106-", b"[9999-", b"[0000-", b"[20260-"))
    for at in range(r.randrange(len(lines)), len(lines)):
        lines[at] = lines[at].replace(b"[2026-", year, 1)


def _another_level(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    for level in (b" INFO ", b" WARN ", b" TRACE "):
        lines[at] = lines[at].replace(level, r.choice((b" NOTICE ", b" info ", b"  ", b" FATAL ")), 1)


def _long(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    lines[at] = lines[at].rstrip(b"\n") + r.choice((b"x", b"[", b"a,", b"-1 ")) * r.choice((1_000, 70_000)) + b"\n"


def _wrapped(lines: list[bytes], r: random.Random) -> None:
    before = r.choice((b"kafka-1  | ", b"> ", b"    ", b"2026-11-21T05:34:45.123456789Z ", b"[pod/kafka-1/kafka] "))
    for at in range(len(lines)):
        lines[at] = before + lines[at]


def _other_ends(lines: list[bytes], r: random.Random) -> None:
    end = r.choice((b"\r\n", b"\r", b"\n\n"))
    for at, line in enumerate(lines):
        lines[at] = line.rstrip(b"\n") + end


def _cut_off(lines: list[bytes], r: random.Random) -> None:
    at = r.randrange(len(lines))
    lines[at:] = [lines[at][: r.randrange(len(lines[at]) + 1)]]


MUTATIONS: tuple[Callable[[list[bytes], random.Random], None], ...] = (
    _split_in_two,
    _joined,
    _dropped,
    _repeated,
    _swapped,
    _bytes_lost,
    _bytes_put_in,
    _digits_changed,
    _another_year,
    _another_level,
    _long,
    _wrapped,
    _other_ends,
    _cut_off,
)


def damaged(logs: Sequence[bytes], seed: int) -> bytes:
    """Part of one of `logs` with one to six kinds of damage, sometimes in another encoding."""
    r = random.Random(seed)
    whole = r.choice(logs).splitlines(keepends=True)
    start = r.randrange(len(whole))
    lines = whole[start : start + r.randint(1, _MOST_LINES)]
    for mutation in r.choices(MUTATIONS, k=r.randint(1, 6)):
        if lines:
            mutation(lines, r)
    data = b"".join(lines)
    if r.random() < 0.05:
        return data.decode("utf-8", errors="replace").encode(r.choice(("utf-16", "utf-8-sig", "utf-32")))
    return data


def recorded_logs() -> list[bytes]:
    """The logs of all bundled traces."""
    return [file.read_bytes() for file in sorted(TRACES.glob("*/input/**/*.log")) if file.stat().st_size]


@dataclass(frozen=True)
class Account:
    """How many files were read and set aside, and the errors (`wrong`), which must be empty."""

    read: int
    set_aside: int
    lines: int
    records: int
    wrong: tuple[str, ...]


def account(files: dict[str, bytes], work: Path) -> Account:
    """Read `files` as the main job does, and compare the records with a plain count of the files' lines.

    Every file is read, or set aside with a reason. In a file that is read, every nonblank line belongs to a record,
    and the first one begins a record. Every record begins at a line of its file, and is matched or unmatched, once.
    """
    source = work / "in"
    for name, data in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        inputs = gather([source], {}, work / "work")
    except InputError as error:
        inputs = Inputs(set_aside=[(name, str(error)) for name in files])
    named = {s.source_file for s in inputs.sources} | {name for name, _ in inputs.set_aside}
    wrong = [
        f"{name}: neither read nor set aside" for name in files if not any(other.startswith(name) for other in named)
    ]
    wrong += [f"{name}: set aside without a reason" for name, why in inputs.set_aside if not why.strip()]
    if not inputs.sources:
        return Account(0, len(inputs.set_aside), 0, 0, tuple(wrong))
    written: dict[str, list[int]] = defaultdict(list)
    for source in inputs.to_read():
        if not source.is_witness:
            text = source.path.read_bytes().decode("utf-8")
            said = lines_of(text, layout_named(source.layout), source.first_line)
            written[source.source_file] += [number for number, _, line in said if line.strip()]
    read: dict[str, list[Record]] = defaultdict(list)
    for record in records_here(inputs):
        read[record.source_file].append(record)
    for name, numbers in written.items():
        wrong += _wrong(name, numbers, read[name])
    return Account(
        len({s.source_file for s in inputs.sources}),
        len(inputs.set_aside),
        sum(map(len, written.values())),
        sum(map(len, read.values())),
        tuple(wrong),
    )


def _wrong(name: str, numbers: list[int], records: list[Record]) -> Iterator[str]:
    """The errors in the records of a log whose lines have these numbers."""
    if not records:
        if numbers:
            yield f"{name}: {len(numbers)} lines and no record"
        return
    places = [record.line_number for record in records]
    if len({record.event_id for record in records}) != len(records):
        yield f"{name}: {len(records)} records, not each with a name of its own"
    if any(record.message is None for record in records):
        yield f"{name}: records without a message"
    if numbers and (min(places) > min(numbers) or max(places) > max(numbers)):
        yield f"{name}: lines {min(numbers)} to {max(numbers)}, records {min(places)} to {max(places)}"


def rounds(inputs: int, batch: int, seed: int) -> Iterator[Account]:
    """`inputs` damaged files, accounted for `batch` at a time."""
    logs = recorded_logs()
    for begin in range(0, inputs, batch):
        files = {
            f"case-{number:06}/server.log": damaged(logs, seed * 1_000_003 + number)
            for number in range(begin, min(begin + batch, inputs))
        }
        with tempfile.TemporaryDirectory(prefix="kafka-replay-mutations-") as folder:
            yield account(files, Path(folder))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print. Returns 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began, read, aside, lines, records, wrong = time.monotonic(), 0, 0, 0, 0, []
    for told in rounds(options.inputs, options.batch, options.seed):
        read, aside, lines, records = (
            read + told.read,
            aside + told.set_aside,
            lines + told.lines,
            records + told.records,
        )
        wrong += told.wrong
        for line in told.wrong:
            print(line, flush=True)
    print(
        f"{read:,} files read, {aside:,} set aside, {lines:,} lines in {records:,} records; {len(wrong)} wrong; {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
