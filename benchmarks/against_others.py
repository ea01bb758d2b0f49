"""Speed of parsing log lines into typed events, compared with a Python `re` parser and with lnav.

    python -m benchmarks.against_others [--megabytes 60] [--rounds 3]

The Python parser uses the same catalog in one process; lnav answers ten questions by regular expression. All read
the same files in turn, once per round; a ratio is the median of the rounds' ratios. lnav is Debian's package of that
name; its rows are omitted if it is not installed.
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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.lines_to_events import MEGABYTE, TRACES, events_of, multiplied
from pipelines.inputs import gather
from pipelines.reading import records_of
from pipelines.session import session
from replay.catalogue import explain
from replay.catalogue.fields import COLUMNS

_HEADER = re.compile(
    r"^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3})\] (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) (.*?)(?: \(([\w.$]+)\))?$"
)
_SPARK, _PYTHON, _LNAV = "replay, lines -> typed events", "Python re, one process", "lnav, ten questions"
QUESTIONS = (
    r"Shrinking ISR from (\S+) to (\S+)\.",
    r"Expanding ISR from (\S+) to (\S+)",
    r"starts at leader epoch (\d+) from offset (\d+)",
    r"Truncating to (\d+)",
    r"Newly added brokers: (\S*), deleted brokers: (\S*)",
    r"Fencing broker (\d+)",
    r"Becoming the active controller at epoch (\d+)",
    r"Session expired",
    r"Error sending fetch request .* to node (\d+)",
    r"NotEnoughReplicas",
)


def parsed_by_python(files: Sequence[Path]) -> int:
    """Read every record of `files`, with all columns that the catalog fills. Returns how many matched a template."""
    matched = 0
    for file in files:
        for stamp, level, message, logger in _records(file):
            found = explain(message, logger)
            if found is None:
                continue
            template, fields = found
            row = {"ts": stamp, "level": level, "logger": logger, "message": message, "kind": template.kind}
            for name, value in fields.items():
                row[name] = _typed(value, COLUMNS.get(name, "string"))
            matched += 1
    return matched


def _records(file: Path) -> Iterator[tuple[str, str, str, str]]:
    """The records of a file: each header line joined with the lines that follow it, as log4j wrote them."""
    head, more = None, []
    with file.open(errors="replace") as lines:
        for line in lines:
            found = _HEADER.match(line.rstrip("\n"))
            if found is None:
                more.append(line)
                continue
            if head is not None:
                yield head
            head, more = (found[1], found[2], found[3], found[4] or ""), []
    if head is not None:
        yield head


def _typed(value: str, type_: str) -> object:
    if type_.startswith("array"):
        return [int(part) for part in re.findall(r"-?\d+", value)]
    if type_ in ("int", "bigint", "long"):
        try:
            return int(value)
        except ValueError:
            return None
    return value


def asked_of_lnav(files: Sequence[Path]) -> int:
    """Ask ten questions about `files` in one lnav without a screen. Returns how many lines answer them."""
    command = ["lnav", "-n"]
    for question in QUESTIONS:
        quoted = question.replace("'", "''")
        command += [
            "-c",
            f";SELECT count(*) AS answers FROM all_logs WHERE log_body REGEXP '{quoted}'",
            "-c",
            ":write-csv-to -",
        ]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=True)
    return sum(int(line) for line in done.stdout.splitlines() if line.strip().isdigit())


def measured(megabytes: int, rounds: int, folder: Path) -> Iterator[str]:
    """The lines to print."""
    logs = sorted(TRACES.glob("*/input/**/*.log*"))
    corpus = multiplied(logs, TRACES, folder / "corpus", megabytes * MEGABYTE)
    files = sorted(file for file in corpus.rglob("*") if file.is_file())
    spark = session(input_bytes=megabytes * MEGABYTE, stays=True)

    def by_spark() -> int:
        work = folder / "work"
        shutil.rmtree(work, ignore_errors=True)
        inputs = gather([corpus], {}, work, mixed=True)
        events_of(records_of(spark, inputs, work)).write.format("noop").mode("overwrite").save()
        return 0

    runs: dict[str, Callable[[], int]] = {_SPARK: by_spark, _PYTHON: lambda: parsed_by_python(files)}
    if shutil.which("lnav"):
        runs[_LNAV] = lambda: asked_of_lnav(files)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):  # the first warms up and is not counted
        for name, run in runs.items():
            began = time.perf_counter()
            answers = run()
            if turn:
                seconds[name].append(time.perf_counter() - began)
            elif answers == 0 and name != _SPARK:
                raise SystemExit(f"{name}: nothing was found in {corpus}")
    yield f"{sum(file.stat().st_size for file in files) / MEGABYTE:.0f} MB in {len(files)} files, {rounds} interleaved rounds"
    yield f"{'':<34} {'min s':>7} {'median':>7} {'max':>7} {'MB/s':>7} {'ratio to replay':>16}"
    size = sum(file.stat().st_size for file in files) / MEGABYTE
    for name, spent in seconds.items():
        ratio = statistics.median(other / own for own, other in zip(seconds[_SPARK], spent, strict=True))
        middle = statistics.median(spent)
        yield f"{name:<34} {min(spent):>7.1f} {middle:>7.1f} {max(spent):>7.1f} {size / middle:>7.1f} {ratio:>16.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.against_others", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kafka-replay-bench-") as folder:
        for line in measured(options.megabytes, options.rounds, Path(folder)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
