"""The work that one run gives Spark: the operators of each table's plan, and the jobs of the whole run.

    python -m benchmarks.plan_shape [INPUT]

These numbers, not the rows, bound the time of a small run (docs/performance.md); `tests/test_plan_shape.py` keeps
them from growing.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from pipelines import store
from pipelines.main_job import analyze
from pipelines.session import session

TRACE = Path(__file__).parent.parent / "traces" / "unclean-election-zk-2.8.2" / "input"
OPERATORS = {
    "scans": re.compile(r"FileScan|LocalTableScan"),
    "shuffles": re.compile(r"\bExchange\b"),
    "broadcasts": re.compile(r"\bBroadcastExchange\b"),
    "joins": re.compile(r"Join\b"),
    "windows": re.compile(r"\bWindow\b"),
    "operators": re.compile(r"^[ :+|-]*(?:\*\(\d+\) )?[A-Z]", re.M),
}


def shape(frame: DataFrame) -> Counter[str]:
    """How many operators of each kind the plan of `frame` has. Needs a classic session: Connect shows no plan."""
    plan = frame._jdf.queryExecution().executedPlan().toString()
    return Counter({name: len(pattern.findall(plan)) for name, pattern in OPERATORS.items()})


def shapes(spark: SparkSession, given: Path, folder: Path) -> tuple[dict[str, Counter[str]], int]:
    """The shape of every table that a run over `given` writes, and how many jobs it ran."""
    found: dict[str, Counter[str]] = {}
    write = store.Store._write

    def watched(self: store.Store, path: Path, frame: DataFrame) -> DataFrame:
        found[path.name] = shape(frame)
        return write(self, path, frame)

    scheduler = spark.sparkContext._jsc.sc().dagScheduler()
    before = scheduler.numTotalJobs()
    store.Store._write = watched  # type: ignore[method-assign]
    try:
        analyze([str(given)], folder / "out", spark=spark)
    finally:
        store.Store._write = write  # type: ignore[method-assign]
    return found, scheduler.numTotalJobs() - before


def lines(found: dict[str, Counter[str]], jobs: int) -> Iterator[str]:
    """The lines to print, the largest plans first."""
    yield f"{'':<34}" + "".join(f"{name:>11}" for name in OPERATORS)
    for table, of in sorted(found.items(), key=lambda item: -item[1]["operators"]):
        yield f"{table:<34}" + "".join(f"{of[name]:>11,}" for name in OPERATORS)
    total = sum(found.values(), Counter())
    yield f"{f'{len(found)} tables, {jobs} jobs':<34}" + "".join(f"{total[name]:>11,}" for name in OPERATORS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.plan_shape", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("input", nargs="?", type=Path, default=TRACE, help="(default: %(default)s)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kafka-replay-bench-") as folder:
        for line in lines(*shapes(session(input_bytes=1, stays=True), options.input, Path(folder))):
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
