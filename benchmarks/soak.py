"""Analyses, additions and kills at random times over one `--out` and one temporary folder: each leaves the old
result or the new one complete, and nothing grows.

    python -m benchmarks.soak [--minutes 60] [--seed 1] [--folder FOLDER]

Each round analyzes the same few lines in a file of another name, or adds that file to the result, so that a result
shows which round made it. Each file has one more line than the one before, and so replaces it. One round in ten runs
to its end; three in ten are ended about when the result is put in its place, the others at any time, by SIGKILL,
SIGTERM or SIGHUP. Exit status 1 as soon as a result is not complete, or something is left over.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.kept_records import kept
from replay.errors import InputError
from replay.tables import TABLES

TRACE = Path(__file__).parent.parent / "traces" / "leader-epochs-by-hand" / "input"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
_MOST_LEFT = {"work": 2, "out": 1}  # left by one killed run: its work folder and Java's; its unfinished result
_JAVA_SECONDS = 60  # all processes of a finished run must end within this time, even on a busy machine
_LONGEST_SECONDS = 1_800


class Broken(Exception):
    """A promise of the program that does not hold."""


@dataclass
class Soak:
    """The folder over which all rounds run, and their results."""

    folder: Path
    chance: random.Random
    rounds: int = 0
    standing: int | None = None  # the round whose result is in `--out`
    replaced_by_killed: int = 0
    most_left: Counter[str] = field(default_factory=Counter)
    ended_by: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    command: str = "analyze"

    def __post_init__(self) -> None:
        self.out, self.work, self.given = (self.folder / name for name in ("out", "work", "given"))
        for folder in (self.out, self.work, self.given):
            folder.mkdir(parents=True)

    def round(self) -> str:
        """Run once, end the run or not, and check what is there. Returns a line about the round."""
        self.rounds += 1
        lasts, turn = statistics.median(self.seconds) if self.seconds else None, self.chance.random()
        whole, wanted = lasts is None or turn < 0.1, self.chance.choice(SIGNALS)
        at_the_end = not whole and turn < 0.4
        after = None if whole or lasts is None or at_the_end else self.chance.uniform(0, lasts)
        spent, code = self._run(after, wanted, self.chance.uniform(0, 1.5) if at_the_end else None)
        where = ", as the result was put in place" if at_the_end else ""
        ended = "ran to its end" if code == 0 else f"{wanted.name} after {spent:.1f} s{where}"
        self.ended_by["ran to their end" if code == 0 else wanted.name] += 1
        if code == 0:
            self.seconds.append(spent)
        elif whole or code not in (-wanted, 130):
            raise Broken(f"round {self.rounds}: {ended}, exit status {code}: {self._said()}")
        self._java_is_gone()
        stands = self._result(finished=code == 0)
        left = self._left(killed=code == -signal.SIGKILL)
        return f"round {self.rounds}: {self.command} {ended}; {stands}; left: {left}"

    def _run(self, after: float | None, wanted: signal.Signals, after_page: float | None) -> tuple[float, int]:
        """How long the run took and its exit status. It ends by itself, or by `wanted`: `after` seconds, or
        `after_page` seconds after its page was written.
        """
        given = self.given / "input"
        shutil.rmtree(given, ignore_errors=True)
        shutil.copytree(TRACE, given)
        log = (given / "node-1" / "server.log").rename(given / "node-1" / name_of(self.rounds))
        with log.open("a") as lines:
            lines.writelines(line_of(number) for number in range(self.rounds))
        result, wanted_command = str(self.out / "result"), self.chance.choice(("analyze", "append"))
        self.command = wanted_command if self.standing is not None else "analyze"
        arguments = [result, str(given)] if self.command == "append" else [str(given), "--out", result, "--overwrite"]
        command = [sys.executable, "-m", "pipelines", self.command, *arguments, "--quiet"]
        began, left = time.monotonic(), set(self.out.iterdir())
        with (self.given / "said.txt").open("wb") as said:
            process = subprocess.Popen(
                command,
                stdout=said,
                stderr=said,
                env=os.environ | {"TMPDIR": str(self.work), "SPARK_MASTER": "local[1]"},
            )
            try:
                if after_page is not None:
                    self._wait_for_page(process, left)
                    after = after_page
                process.wait(after if after is not None else _LONGEST_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(wanted)
                process.wait(_JAVA_SECONDS * 2)
            finally:
                process.kill()
        return time.monotonic() - began, process.returncode

    def _wait_for_page(self, process: subprocess.Popen[bytes], left: set[Path]) -> None:
        until = time.monotonic() + _LONGEST_SECONDS
        while process.poll() is None and time.monotonic() < until:
            if any(page.parent not in left for page in self.out.glob(".result-*/report.html")):
                return
            time.sleep(0.02)

    def _said(self) -> str:
        return (self.given / "said.txt").read_text(errors="replace").strip()[-500:]

    def _java_is_gone(self) -> None:
        until = time.monotonic() + _JAVA_SECONDS
        while living := list(processes_with(str(self.work))):
            if time.monotonic() > until:
                raise Broken(f"round {self.rounds}: processes {living} outlive their run by {_JAVA_SECONDS} s")
            time.sleep(0.2)

    def _result(self, finished: bool) -> str:
        result = self.out / "result"
        if not result.exists():
            if self.standing is not None:
                raise Broken(f"round {self.rounds}: the result of round {self.standing} is gone")
            return "no result yet"
        made_by = round_of(result)
        if made_by not in (self.standing, self.rounds) or (finished and made_by != self.rounds):
            raise Broken(f"round {self.rounds}: the result is of round {made_by}, not of {self.standing}")
        self.replaced_by_killed += made_by == self.rounds and not finished
        self.standing = made_by
        return f"the result of round {made_by} is whole"

    def _left(self, killed: bool) -> str:
        beside = sorted(entry for entry in self.out.iterdir() if entry.name != "result")
        left = {"work": sorted(self.work.iterdir()), "out": beside}
        for place, entries in left.items():
            allowed = _MOST_LEFT[place] if killed else 0
            # A run that ends before its cleanup leaves earlier leftovers.
            if len(entries) > max(allowed, self.most_left[f"{place} before"]):
                raise Broken(f"round {self.rounds}: {place} holds {[entry.name for entry in entries]}")
            self.most_left[f"{place} before"] = len(entries)
            self.most_left[place] = max(self.most_left[place], len(entries))
        return f"{len(left['work'])} in the temporary folder, {len(beside)} beside the result"

    def told(self) -> Iterator[str]:
        """The figures."""
        yield f"{self.rounds} rounds: " + ", ".join(f"{count} {how}" for how, count in sorted(self.ended_by.items()))
        if self.seconds:
            yield f"a whole run took {min(self.seconds):.0f} to {max(self.seconds):.0f} s"
        yield f"{self.replaced_by_killed} runs had put their result in place before they were ended"
        yield (
            f"left at most at once, until the next run: {self.most_left['work']} folders in the temporary folder, "
            f"{self.most_left['out']} beside the result"
        )


def name_of(number: int) -> str:
    """The name of a round's file, by which a result shows which round made it."""
    return f"server.log.{number}"


def line_of(number: int) -> str:
    """The line that a round adds to the file of the round before."""
    return f"[2018-08-01 11:{number // 60 % 60:02d}:{number % 60:02d},000] INFO Round {number} (soak)\n"


def round_of(result: Path) -> int:
    """The round that made all of `result`. Raises Broken if any part of it is missing, truncated or from another
    round.
    """
    rows = {}
    for table in TABLES:
        parts = sorted((result / "tables" / table.name).glob("*.parquet"))
        if not parts:
            raise Broken(f"{result}: no table {table.name}")
        try:
            rows[table.name] = pa.concat_tables([pq.read_table(part) for part in parts])
        except (OSError, pa.ArrowException) as error:
            raise Broken(f"{result}: table {table.name}: {error}") from error
    entries = sorted(entry.name for entry in result.iterdir())
    if entries != ["findings.json", "records", "report.html", "tables"]:
        raise Broken(f"{result}: holds {entries}")
    try:
        read = kept(result).taken
    except InputError as error:
        raise Broken(str(error)) from error
    try:
        findings = json.loads((result / "findings.json").read_text())
    except ValueError as error:
        raise Broken(f"{result}: findings.json: {error}") from error
    page = (result / "report.html").read_text()
    if not page.rstrip().endswith("</html>"):
        raise Broken(f"{result}: report.html is cut short")
    files = rows["coverage"]["source_file"].to_pylist()
    named = [file.rpartition("/")[2] for file in files]
    (number,) = [int(name.rpartition(".")[2]) for name in named if name.startswith("server.log.")]
    if {source.source_file for source in read.sources} != set(files):
        raise Broken(f"{result}: tables are of round {number}, the records of another")
    if name_of(number) not in page or findings["coverage"]["files"] != len(named):
        raise Broken(f"{result}: tables are of round {number}, the page or findings.json of another")
    return number


def processes_with(text: str) -> Iterator[int]:
    """The other processes whose command line or environment contains `text`."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int(process.name) != os.getpid() and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                said = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
                if text.encode() in said:
                    yield int(process.name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run rounds until the minutes are over. Returns the exit status: 1 if a result is not complete, or something is
    left over.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to work (default: a new one in the temporary folder)")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="soak-", dir=options.folder))
    soak, until = Soak(folder, random.Random(options.seed)), time.monotonic() + options.minutes * 60
    try:
        while time.monotonic() < until:
            print(soak.round(), flush=True)
    except Broken as broken:
        print(f"broken: {broken}; see {folder}", flush=True)
        return 1
    finally:
        for line in soak.told():
            print(line, flush=True)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
