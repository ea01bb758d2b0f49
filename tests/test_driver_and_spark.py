"""A whole analysis makes the same tables whether its passes run in the driver or inside Spark."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

import pipelines.reading
import pipelines.stages
from pipelines.main_job import analyze
from replay.tables import TABLES
from replay.tables.arrow import from_arrow
from tests.recordings import TRACES

TRACE = TRACES / "topic-made-again-by-hand"


def tables(folder):
    """The rows of every table of a result."""
    return {
        table.name: sorted(
            (
                row
                for part in (folder / "tables" / table.name).glob("*.parquet")
                for row in from_arrow(table, pq.read_table(part))
            ),
            key=repr,
        )
        for table in TABLES
        if (folder / "tables" / table.name).is_dir()
    }


@pytest.mark.nightly
def test_passes_inside_spark_make_what_they_make_in_the_driver(spark, tmp_path, monkeypatch):
    """Workers of Spark import no more than a maker names: what rules note about themselves has to be handed to them."""
    analyze([str(TRACE / "input")], tmp_path / "few", spark=spark)
    monkeypatch.setattr(pipelines.reading, "SMALL_BYTES", -1)
    monkeypatch.setattr(pipelines.stages, "SMALL_ROWS", -1)
    analyze([str(TRACE / "input")], tmp_path / "many", spark=spark)
    in_driver, in_spark = tables(tmp_path / "few"), tables(tmp_path / "many")
    assert {"faults", "commit_bands", "broker_sessions", "edges", "availability"} <= {
        name for name in in_driver if in_driver[name]
    }
    assert in_driver.keys() == in_spark.keys()
    for name, rows in in_driver.items():
        assert in_spark[name] == rows, name
