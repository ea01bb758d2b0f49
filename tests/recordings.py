"""The traces, and the events of a trace, for tests of several stages at once."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from pipelines.inputs import gather
from pipelines.reading import records_here, records_of
from replay.reading.shell import printed_columns
from replay.tables.arrow import arrow_schema, from_arrow
from replay.tables.reading import PRINTED, PrintedRecord

TRACES = Path(__file__).parent.parent / "traces"


def recordings(folder: Path = TRACES, names: Collection[str] | None = None) -> list[Path]:
    """The traces under `folder` that have an `input`, or those of them that `names` lists."""
    return sorted(
        path for path in folder.iterdir() if (path / "input").is_dir() and (names is None or path.name in names)
    )


def events_of(spark: SparkSession, trace: str, work: Path, *parts: str) -> DataFrame:
    """Every record of a trace's `input` (and other `parts`, such as `metadata-dump`), with or without a template;
    `work` is an empty folder.
    """
    found = gather([TRACES / trace / part for part in ("input", *parts)], {}, work)
    return records_of(spark, found, work)


def records_read(trace: str, *parts: str) -> list[PrintedRecord]:
    """The same records as rows, read without Spark."""
    with tempfile.TemporaryDirectory() as work:
        found = gather([TRACES / trace / part for part in ("input", *parts)], {}, Path(work))
        columns = printed_columns(list(records_here(found)))
    schema = arrow_schema(PRINTED.schema)
    read = pa.table([pa.array(columns[field.name], field.type) for field in schema], schema=schema)
    return from_arrow(PRINTED, read)
