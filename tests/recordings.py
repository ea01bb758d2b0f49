"""The traces, and one as events, for tests of several stages at once."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.inputs import gather
from replay.reading.layouts import layout_named
from replay.reading.parse import matched, records
from replay.reading.witnesses import WITNESS_LAYOUTS, witness_records
from replay.tables import SOURCES

TRACES = Path(__file__).parent.parent / "traces"


def recordings(folder: Path = TRACES, names: Collection[str] | None = None) -> list[Path]:
    """The traces under `folder` that have an `input`, or those of them that `names` lists."""
    return sorted(
        path for path in folder.iterdir() if (path / "input").is_dir() and (names is None or path.name in names)
    )


def events_of(spark: SparkSession, trace: str, work: Path, *parts: str) -> DataFrame:
    """Every record of a trace's `input` (and other `parts`, such as `metadata-dump`), understood or not; `work` is an empty folder."""
    found = gather([TRACES / trace / part for part in ("input", *parts)], {}, work)
    sources = spark.createDataFrame(
        [(s.name, s.source_file, s.node_id, s.layout, s.first_line, s.as_of) for s in found.sources], SOURCES.schema
    )
    files = (
        spark.read.text(str(work / "files"), wholetext=True)
        .withColumn("path", F.col("_metadata.file_name"))
        .join(F.broadcast(sources), "path")
    )
    lines = files.select(
        "source_file",
        "node_id",
        "layout",
        "as_of_ts",
        "first_line",
        F.posexplode(F.split("value", "\n")).alias("position", "text"),
    ).withColumn("line_number", F.col("position") + F.col("first_line"))
    layouts = [layout_named(name) for name in {s.layout for s in found.sources} - set(WITNESS_LAYOUTS)]
    return matched(records(lines, layouts)).unionByName(
        witness_records(lines.where(F.col("layout").isin(*WITNESS_LAYOUTS)))
    )
