"""How the cost of each step grows with each dimension of the input.

    python -m benchmarks.scaling [--only DIMENSION] [--times 3] [--most 1.15] [--folder FOLDER]

Makes an input of each dimension (lines, partitions, nodes, incidents, steps of one partition, different texts, files),
doubles it twice, analyzes each in one session, and prints the exponent of every step: 1 means that twice the input costs
twice as much. Costs are CPU seconds of Python, Java and Spark's workers, so that a busy machine does not change them.
Exits with 1 if an exponent is above `--most`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from math import log2
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.memory import many_files, of_processes, one_partition
from benchmarks.playback import TRACE, shift
from pipelines.main_job import analyze
from pipelines.session import session

MOST = 1.15
_SHORT = 2.0  # CPU seconds: of a shorter step, fixed costs hide the growth
_TOPIC = re.compile(r"\b(orders|clicks)\b")
_TICKS = os.sysconf("SC_CLK_TCK")


def quiet(folder: Path, lines: int, nodes: int = 3, texts: int = 1) -> Path:
    """`lines` lines of each of `nodes` brokers, of which no rule makes a fault, with `texts` different warnings."""
    for node in range(1, nodes + 1):
        file = folder / f"node-{node}" / "server.log"
        file.parent.mkdir(parents=True)
        with file.open("w") as out:
            for number in range(lines):
                stamp = f"[2026-11-21 {5 + number // 36_000:02d}:{number // 600 % 60:02d}:{number // 10 % 60:02d},{number % 10}00]"
                partition = f"events{number % 50}-{number % 12}"
                said = (
                    f"INFO [Log partition={partition}, dir=/data] Rolled new log segment at offset {number} in 3 ms. (kafka.log.Log)",
                    f"INFO [ProducerStateManager partition={partition}] Writing producer snapshot at offset {number} (kafka.log.ProducerStateManager)",
                    f"WARN {_word(number % texts)} was slow (com.example.Auditor)",
                )
                out.write(f"{stamp} {said[number % 3]}\n")
    return folder


def _word(number: int) -> str:
    """A word for a number, without digits: texts that differ only in digits count as one."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def partitions(folder: Path, copies: int) -> Path:
    """The demo's incident with `copies` times its topics."""
    for source in sorted(TRACE.rglob("*.log")):
        file = folder / source.relative_to(TRACE)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w") as out:
            for line in source.read_text().splitlines(keepends=True):
                named = copies if _TOPIC.search(line) else 1
                out.writelines(_TOPIC.sub(rf"\g<1>{copy}" if copy else r"\1", line) for copy in range(named))
    return folder


def incidents(folder: Path, times: int) -> Path:
    """The demo's incident every quarter of an hour, `times` times, with topics of its own each time."""
    apart = timedelta(minutes=15)
    for record in shift(times / 4, apart):
        file = folder / record.file
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            out.write(record.text)
    return folder


DIMENSIONS: Mapping[str, tuple[int, Callable[[Path, int], Path]]] = {
    "lines": (40_000, quiet),
    "partitions": (100, partitions),
    "nodes": (10, lambda folder, nodes: quiet(folder, 4_000, nodes)),
    "incidents": (4, incidents),
    "steps of one partition": (25_000, one_partition),
    "different texts": (10_000, lambda folder, texts: quiet(folder, 3 * texts, 1, texts)),
    "files": (500, many_files),
}


def costs(spark: SparkSession, given: Path, out: Path) -> dict[str, float]:
    """The CPU seconds of each step of an analysis."""
    marks: list[tuple[str, float]] = []
    analyze([str(given)], out, spark=spark, overwrite=True, on_step=lambda step: marks.append((_name(step), _spent())))
    marks.append(("", _spent()))
    return {name: after - before for (name, before), (_, after) in pairwise(marks)}


def _name(step: str) -> str:
    return re.sub(r"^\d+/\d+ ", "", step)


def _spent() -> float:
    """The CPU seconds of this process, its Java and its Spark workers so far, with those of ended children."""
    ticks = 0
    for pid, _ in of_processes(os.getpid()):
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def exponents(measured: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The growth of each step over inputs that double: the slope from the first to the last, for steps that are long
    enough in the first. The last item is that of all steps together.
    """
    first, last = measured[0], measured[-1]
    sums = {"all steps": (sum(first.values()), sum(last.values()))}
    both = {name: (first[name], last[name]) for name in first if name in last and first[name] >= _SHORT} | sums
    return {name: log2(after / before) / (len(measured) - 1) for name, (before, after) in both.items()}


def lines(dimension: str, sizes: Sequence[int], measured: Sequence[Mapping[str, float]]) -> Iterator[str]:
    """The lines to print."""
    yield f"{dimension}: {', '.join(f'{size:,}' for size in sizes)}"
    for name, exponent in exponents(measured).items():
        seconds = [sum(one.values()) if name == "all steps" else one.get(name, 0.0) for one in measured]
        yield f"  {name:<60} {exponent:>6.2f}   {' '.join(f'{one:>8.1f}' for one in seconds)} CPU s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Returns the exit status: 1 if a step grows faster than it may."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--only", choices=DIMENSIONS, help="one dimension")
    parser.add_argument("--times", type=int, default=3, help="inputs of each dimension (default: %(default)s)")
    parser.add_argument("--most", type=float, default=MOST, help="the greatest exponent (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to work (default: the temporary folder)")
    options = parser.parse_args(arguments)
    spark, above = session(input_bytes=1 << 26, stays=True), []
    with tempfile.TemporaryDirectory(prefix="kafka-replay-scaling-", dir=options.folder) as folder:
        costs(spark, TRACE, Path(folder, "warm"))
        for dimension, (size, make) in DIMENSIONS.items():
            if options.only in (None, dimension):
                sizes = [size << turn for turn in range(options.times)]
                given = [make(Path(folder, f"{dimension}-{one}".replace(" ", "-")), one) for one in sizes]
                measured = [costs(spark, one, Path(folder, "out")) for one in given]
                print("\n".join(lines(dimension, sizes, measured)), flush=True)
                above += [
                    f"{dimension}: {name} grows with the power {exponent:.2f}"
                    for name, exponent in exponents(measured).items()
                    if exponent > options.most
                ]
    print("\n".join(above))
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
