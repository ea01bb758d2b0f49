"""An analysis on a session of Spark Connect, which has no JVM at hand, takes no plan that is nested too deep, and has none of GraphFrames' classes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from replay.tables import TABLES
from tests.golden import TRACES, inputs_of, text_of

pytestmark = pytest.mark.nightly

TRACE = TRACES / "kip101-without-epochs-zk-2.3.1"


def test_a_connect_session_comes_to_the_same_tables(tmp_path, result_of):
    """In a process of its own: one that has a session of the other kind cannot have one of these."""
    out = tmp_path / "result"
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_connect", str(inputs_of(TRACE)), str(out)],
        env=os.environ | {"SPARK_REMOTE": "local[2]", "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    for table in TABLES:
        assert rows_of(out, table.name) == rows_of(result_of(TRACE), table.name), table.name


def rows_of(result: Path, table: str) -> list[str]:
    """The rows of a table of a result as text, in one order."""
    read = pd.read_parquet(result / "tables" / table)
    return sorted(" | ".join(map(text_of, row)) for row in read.itertuples(index=False))


def _main(given: str, out: str) -> None:
    """`given` analyzed into `out` on a Connect session."""
    from pyspark.sql import SparkSession

    from kafka_replay import Replay
    from pipelines import reading, stages
    from pipelines.session import session

    reading.SMALL_BYTES = stages.SMALL_ROWS = -1  # every line and every pass in Spark's workers, like a large input
    SparkSession.builder.remote("local[2]").getOrCreate()
    spark = session()
    assert "connect" in type(spark).__module__
    assert Replay.analyze(spark, given, out).incidents.count() > 0
    spark.stop()


if __name__ == "__main__":
    _main(*sys.argv[1:])
