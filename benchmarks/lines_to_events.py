"""Speed of parsing log lines into typed events, compared with Spark's `text().count()` of the same files.

    python -m benchmarks.lines_to_events [TRACES] [--megabytes 300] [--rounds 5] [--templates 100 1000]

Measures small and large catalogs. The corpus is the logs of the traces under TRACES, each repeated up to the
requested size. One round runs everything once, in turn, so that a change in the machine's speed affects all of them;
the ratio is the median of the rounds'.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipelines.inputs import gather
from pipelines.reading import records_of
from pipelines.session import session
from replay.catalogue import TEMPLATES, Catalogue, Template
from replay.errors import InputError, SetupError
from replay.tables import EVENTS

TRACES = Path(__file__).parent.parent / "traces"
MEGABYTE = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns the exit status: 2 if the traces cannot be used or Spark does not start."""
    options = _options(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="kafka-replay-bench-") as folder:
            for line in measured(
                options.traces, Path(folder), options.megabytes * MEGABYTE, options.rounds, options.templates
            ):
                print(line, flush=True)
    except (InputError, SetupError) as error:
        print(f"lines_to_events: {error}", file=sys.stderr)
        return 2
    return 0


def measured(traces: Path, folder: Path, size: int, rounds: int, template_counts: Sequence[int]) -> Iterator[str]:
    """The lines to print: what is measured, then a line for each catalog. Files are written under `folder`."""
    logs = sorted(file for file in traces.glob("*/input/**/*.log*") if file.is_file())
    if not logs:
        raise InputError(f"{traces}: no logs at TRACE/input/NODE/*.log; give a folder of recorded traces")
    yield f"{len(logs)} logs under {traces}, repeated to {size // MEGABYTE} MB ..."
    corpus = multiplied(logs, traces, folder / "corpus", size)
    spark = session(input_bytes=size)
    work = folder / "work"
    inputs = gather([corpus], {}, work)
    records = records_of(spark, inputs, work)
    ranked = by_frequency(records)
    counts = [count for count in sorted(set(template_counts)) if count < len(ranked)] + [len(ranked)]

    def counted() -> None:
        spark.read.option("recursiveFileLookup", True).text(str(corpus)).count()

    def typed(templates: tuple[Template, ...]) -> Callable[[], None]:
        return lambda: _drained(events_of(records_of(spark, inputs, work, Catalogue(templates))))

    runs: dict[str, Callable[[], None]] = {"text().count()": counted}
    runs |= {f"lines -> typed events, {count:,} templates": typed(ranked[:count]) for count in counts}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(rounds + 1):  # the first warms Java up and is not counted
        for name, run in runs.items():
            began = time.perf_counter()
            run()
            if turn:
                seconds[name].append(time.perf_counter() - began)
        yield f"round {turn} of {rounds}" if turn else "warmed up"
    yield f"{spark.read.option('recursiveFileLookup', True).text(str(corpus)).count():,} lines, {records.count():,} records; medians of {rounds} interleaved rounds"
    yield f"{'':<42} {'seconds':>8} {'MB/s':>7} {'/ count()':>10}"
    for name, spent in seconds.items():
        median = statistics.median(spent)
        ratio = statistics.median(base / own for base, own in zip(seconds["text().count()"], spent, strict=True))
        yield f"{name:<42} {median:>8.2f} {size / MEGABYTE / median:>7.0f} {ratio:>10.3f}"


def multiplied(logs: Sequence[Path], traces: Path, folder: Path, size: int) -> Path:
    """`folder`, with each of `logs` (TRACE/input/NODE/FILE) repeated until all are about `size` bytes, as
    NODE/TRACE-FILE.

    The reader accepts logs of one node from several clusters only in one folder.
    """
    times = max(1, round(size / sum(log.stat().st_size for log in logs)))
    for log in logs:
        text = log.read_bytes()
        trace, _, *parts, name = log.relative_to(traces).parts
        copy = folder.joinpath(*parts, f"{trace}-{name}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        with copy.open("wb") as stream:
            for _ in range(times):
                stream.write(text if text.endswith(b"\n") else text + b"\n")
    return folder


def events_of(records: DataFrame) -> DataFrame:
    """The records that a template matches. Returns `EVENTS`."""
    return EVENTS.of(records.where(F.col("kind").isNotNull()))


def by_frequency(matched: DataFrame) -> tuple[Template, ...]:
    """All templates, those that match most records first, so that a small catalog still has work to do."""
    found = {
        row["template_id"]: row["count"]
        for row in matched.groupBy("template_id").agg(F.count("*").alias("count")).collect()
    }
    return tuple(sorted(TEMPLATES, key=lambda template: -found.get(template.id, 0)))


def _drained(frame: DataFrame) -> None:
    """Compute every column of every row and keep nothing."""
    frame.write.format("noop").mode("overwrite").save()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lines_to_events", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "traces",
        nargs="?",
        type=Path,
        default=TRACES,
        help="a folder of recorded traces, each with input/NODE/*.log (default: %(default)s)",
    )
    parser.add_argument(
        "--megabytes", type=_positive, default=300, help="how large the corpus is to be (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds",
        type=_positive,
        default=5,
        help="how often everything is run, after one run to warm up (default: %(default)s)",
    )
    parser.add_argument(
        "--templates",
        type=_positive,
        nargs="*",
        default=[100, 1_000],
        help="sizes of smaller catalogues (default: 100 1000)",
    )
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    sys.exit(main())
