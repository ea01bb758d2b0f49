"""The data source `kafka_log` against the reading of an analysis, over the same logs: equal rows, and the time of each.

    python -m benchmarks.data_source LOGS [MEGABYTES]

With MEGABYTES the logs are copied side by side until there are as many.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipelines import kafka_log
from pipelines.inputs import gather
from pipelines.reading import records_of
from pipelines.session import session

SHARED = [name for name in kafka_log.SCHEMA.names if name != "fields"]


def main(logs: Path, megabytes: int) -> None:
    """Read `logs` both ways, twice each, and print rows, digests and seconds. Ends with 1 if rows differ."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        read = _multiplied(logs, work / "logs", megabytes << 20) if megabytes else logs
        size = sum(file.stat().st_size for file in read.rglob("*") if file.is_file())
        spark = session(input_bytes=size, stays=True)
        kafka_log.register(spark)
        numbers = iter(range(100))

        def of_analysis() -> DataFrame:
            place = work / f"work-{next(numbers)}"
            place.mkdir()
            return records_of(spark, gather([str(read)], {}, place, mixed=True), place)

        def of_data_source() -> DataFrame:
            return spark.read.format(kafka_log.NAME).load(str(read))

        print(f"{size / 1e6:.0f} MB")
        told = {name: list(_measured(way)) for name, way in (("analyze", of_analysis), ("kafka_log", of_data_source))}
        for name, runs in told.items():
            print(f"{name}: {runs[0][0]:,} rows, digest {runs[0][1]}; {', '.join(f'{run[2]:.1f} s' for run in runs)}")
    sys.exit(len({run[:2] for runs in told.values() for run in runs}) != 1)


def _measured(way: Callable[[], DataFrame]) -> Iterator[tuple[int, int, float]]:
    """Rows, the sum of their hashes, and the seconds of two runs: the first also starts the workers."""
    for _ in range(2):
        began = time.monotonic()
        rows = way().select(*SHARED).agg(F.count("*"), F.sum(F.xxhash64(*SHARED).cast("decimal(20,0)"))).first()
        assert rows is not None  # of an aggregate
        yield rows[0], int(rows[1]), time.monotonic() - began


def _multiplied(logs: Path, folder: Path, size: int) -> Path:
    """Copies of `logs` in `folder` until they have `size` bytes; each is a cluster of its own, whose nodes are other files."""
    one = sum(file.stat().st_size for file in logs.rglob("*") if file.is_file())
    for number in range(max(1, -(-size // one))):
        shutil.copytree(logs, folder / f"copy-{number:03}")
    return folder


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
