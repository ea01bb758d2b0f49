"""One small Spark session of the program for the whole suite."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from pyspark.sql import DataFrame, SparkSession

from pipelines.session import session
from replay.errors import SetupError
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.row import Row
from tests.golden import inputs_of

pytest.register_assert_rewrite("tests.tables")  # a difference between two tables is shown, not only said
settings.register_profile("untimed", deadline=None)  # no test depends on how fast the machine is
settings.load_profile("untimed")

_SMALL = {
    "spark.sql.shuffle.partitions": "1",  # tables of ten rows: a second partition is a second task for nothing
    "spark.sql.adaptive.enabled": "false",  # nothing to adapt to, and each stage would be a separate job
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # compiling an expression for ten rows costs a hundred times what it saves
    "spark.sql.codegen.wholeStage": "false",  # the same, for whole stages
    "spark.sql.execution.arrow.localRelationThreshold": "64MB",  # literal tables stay local relations: no job to read them
}


@pytest.fixture(scope="session")
def result_of(spark, tmp_path_factory) -> Callable[[Path], Path]:
    """A function that returns the result of the main job for a trace, made once for all tests in all workers."""
    from pipelines.main_job import analyze  # late: most tests need no whole run

    one_worker = tmp_path_factory.getbasetemp()
    shared = one_worker.parent if "PYTEST_XDIST_WORKER" in os.environ else one_worker

    def made(trace: Path) -> Path:
        out = shared / "results" / trace.name
        out.parent.mkdir(exist_ok=True)
        with open(f"{out}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # another worker that needs the same result waits
            if not out.exists():
                analyze([str(inputs_of(trace))], out)
        return out

    return made


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A local session with GraphFrames' classes (read from Ivy's cache after the first time), in UTC."""
    os.environ.setdefault("SPARK_MASTER", "local[2]")  # two: one would hide dependencies on the order of tasks
    os.environ.setdefault("KAFKA_REPLAY_MEMORY", "2g")  # the smallest that reads a whole trace without spilling
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no look-up of this machine's name, which may have no address
    try:
        spark = session(stays=True)
    except SetupError as error:
        pytest.exit(str(error), returncode=2)
    for key, value in _SMALL.items():
        spark.conf.set(key, value)
    yield spark
    spark.stop()


@pytest.fixture
def said():
    """A function that returns how each fault is known, as text, in order of time."""

    def said_(faults: DataFrame | Iterable[Row]) -> list[str]:
        rows = faults.collect() if isinstance(faults, DataFrame) else faults
        in_time = sorted(rows, key=lambda row: (row.ts, row.broker_id is not None, row.broker_id or 0))
        return [HOW_IT_IS_KNOWN.render(row.reason, row.arguments) or "" for row in in_time]

    return said_
