"""Duration of everything that people wait for: minimum, median and maximum over interleaved runs.

    python -m benchmarks.goals [--rounds 3] [--only NAME ...]

Every run is a separate process, as a user starts it; the warm run is the second one of a session. Large inputs are
the demo's three kills, with each line about a partition repeated for more topics. A day is sixty such shifts, one
every 24 minutes, each with its own topics.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

TRACE = Path(__file__).parent.parent / "traces" / "unclean-election-zk-2.8.2" / "input"
_OF_TOPIC = re.compile(r"\b(orders|clicks)-(\d+)\b")
_OF_A_TOPIC = re.compile(r"\b(?:orders|clicks)(?=\d*-\d)")
_STAMP = re.compile(r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", re.MULTILINE)
_HALF_AN_HOUR = ("2026-11-21T17:35", "2026-11-21T18:05")  # of the day: the shifts 30 and 31
_PARTITIONS = 6  # of both topics of the trace together
_WARM = """
import sys, tempfile, time
from pathlib import Path
from pipelines.main_job import analyze
from pipelines.session import session
spark = session(input_bytes=1, stays=True)
for turn in range(2):
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        analyze([sys.argv[1]], Path(folder) / "out", spark=spark)
        spent = time.perf_counter() - began
print(spent)
"""


@dataclass(frozen=True)
class Goal:
    """What is measured, and the target in seconds."""

    name: str
    seconds: float
    run: Callable[[], float]


def wide(folder: Path, partitions: int) -> Path:
    """The trace with this many partitions: lines that name one partition are repeated with the names of other
    topics.
    """
    times = max(1, round(partitions / _PARTITIONS))
    for file in sorted(TRACE.rglob("*.log")):
        copy = folder / file.relative_to(TRACE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with file.open() as lines, copy.open("w") as out:
            for line in lines:
                named = set(_OF_TOPIC.findall(line))
                for number in range(times if len(named) == 1 else 1):
                    out.write(_OF_TOPIC.sub(rf"\g<1>{number}-\2", line) if number else line)
    return folder


def day(folder: Path, shifts: Iterable[int] = range(60), partitions: int = 270) -> Path:
    """A day of this many shifts, about 300 MB: the trace once every 24 minutes, with its own topics each time."""
    shift = wide(folder.with_name(f"{folder.name}-shift"), partitions)
    for file in sorted(shift.rglob("*.log")):
        text, copy = file.read_text(), folder / file.relative_to(shift)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("w") as out:
            for number in shifts:
                later = timedelta(minutes=24 * number)
                named = _OF_A_TOPIC.sub(rf"\g<0>{number}x", text)
                out.write(_STAMP.sub(lambda found, by=later: f"[{datetime.fromisoformat(found[1]) + by}", named))
    shutil.rmtree(shift)
    return folder


def hundred_lines(folder: Path) -> Path:
    """The first hundred lines of one broker's server.log."""
    file = folder / "server.log"
    lines = (TRACE / "node-1" / "server.log").read_text().splitlines(keepends=True)
    folder.mkdir(parents=True)
    file.write_text("".join(lines[-100:]))
    return file


def _timed(*command: str) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return time.perf_counter() - began


def _command(*arguments: str | Path) -> float:
    return _timed(sys.executable, "-m", "pipelines", *map(str, arguments))


def _warm() -> float:
    done = subprocess.run([sys.executable, "-c", _WARM, str(TRACE)], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def goals(folder: Path) -> Iterator[Goal]:
    """Every figure, in the order of the table of docs/performance.md."""
    out, made = folder / "out", folder / "made"

    def analyzed(given: Callable[[], Path], name: str, *options: str) -> Callable[[], float]:
        def run() -> float:
            given_ = made / name
            path = given_ if given_.exists() else given()
            return _command("analyze", path, "--out", out, "--overwrite", *options)

        return run

    def asked(*question: str) -> Callable[[], float]:
        def run() -> float:
            if not (folder / "result").exists():
                _command("analyze", TRACE, "--out", folder / "result")
            return _command(question[0], folder / "result", *question[1:])

        return run

    yield Goal("demo", 20, lambda: _command("analyze", TRACE, "--out", out, "--overwrite"))
    yield Goal("warm", 8, _warm)
    yield Goal("hundred-lines", 12, analyzed(lambda: hundred_lines(made / "hundred").parent, "hundred"))
    yield Goal("partition", 5, asked("partition", "orders-0"))
    yield Goal("at", 5, asked("at", "--at", "05:38:30"))
    yield Goal("explain", 5, asked("explain", "F16"))
    yield Goal("what-if", 5, asked("what-if", "--set", "unclean.leader.election.enable=false"))
    yield Goal("lines", 5, asked("lines"))
    yield Goal("3600-partitions", 40, analyzed(lambda: wide(made / "3600", 3_600), "3600"))
    since, until = _HALF_AN_HOUR
    yield Goal("half-an-hour", 40, analyzed(lambda: day(made / "half-an-hour", (30, 31)), "half-an-hour"))
    yield Goal("of-a-day", 45, analyzed(lambda: day(made / "day"), "day", "--since", since, "--until", until))
    yield Goal("12000-partitions", 100, analyzed(lambda: wide(made / "12000", 12_000), "12000"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goals", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", metavar="NAME", help="some of the figures")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="kafka-replay-bench-"))
    try:
        chosen = [goal for goal in goals(folder) if not options.only or goal.name in options.only]
        seconds: dict[str, list[float]] = {goal.name: [] for goal in chosen}
        for turn in range(options.rounds):
            for goal in chosen:
                seconds[goal.name].append(goal.run())
                print(
                    f"round {turn + 1} of {options.rounds}: {goal.name} {seconds[goal.name][-1]:.1f} s", file=sys.stderr
                )
        print(f"{'':<18} {'min s':>7} {'median':>7} {'max':>7} {'goal':>6}")
        for goal in chosen:
            spent = seconds[goal.name]
            print(
                f"{goal.name:<18} {min(spent):>7.1f} {statistics.median(spent):>7.1f} {max(spent):>7.1f} {goal.seconds:>6.0f}"
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
