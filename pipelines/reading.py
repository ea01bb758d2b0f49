"""Inputs -> gathered files -> lines, as Spark reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.inputs import Inputs, gather, is_url
from pipelines.session import session
from replay.reading.layouts import Layout, layout_named
from replay.reading.parse import lines
from replay.reading.witnesses import WITNESS_LAYOUTS
from replay.tables import SOURCES
from replay.tables.literal_table import literal_table


def gathered(
    inputs: Sequence[str],
    work: Path,
    *,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    graphframes: str | None = None,
    writes_delta: bool = False,
    spark: SparkSession | None = None,
    say: Callable[[str], None] = lambda step: None,
) -> tuple[SparkSession, Inputs]:
    """A session sized for what lies under `inputs`, and that (`pipelines.inputs.gather`): URLs are read through
    Spark, so it is started first for them.

    Raises InputError or SetupError for what the user can mend.
    """
    say("Looking at the files")
    spark = spark or (session(graphframes, writes_delta=writes_delta) if any(map(is_url, inputs)) else None)
    found = gather(inputs, nodes or {}, work, layout=layout, spark=spark)
    if spark is None:
        say("Starting Spark")
    size = sum(source.path.stat().st_size for source in found.sources)
    return spark or session(graphframes, input_bytes=size, writes_delta=writes_delta), found


def layouts_of(inputs: Inputs) -> list[Layout]:
    """The layouts of the logs among the inputs."""
    return [layout_named(name) for name in sorted({s.layout for s in inputs.sources} - set(WITNESS_LAYOUTS))]


def lines_of(spark: SparkSession, inputs: Inputs, work: Path) -> tuple[DataFrame, DataFrame]:
    """The lines of the logs, and those of the witness files (`replay.reading.parse.lines`)."""
    rows = [
        {
            "path": s.name,
            "source_file": s.source_file,
            "node_id": s.node_id,
            "layout": s.layout,
            "first_line": s.first_line,
            "as_of_ts": s.as_of and s.as_of.isoformat(),
        }
        for s in inputs.sources
    ]
    sources = literal_table(spark, rows, SOURCES.schema)
    text = spark.read.text(f"file://{work.resolve() / 'files'}", wholetext=True).withColumn(
        "path", F.col("_metadata.file_name")
    )
    every = lines(text.join(F.broadcast(sources), "path"), layouts_of(inputs))
    is_witness = F.col("layout").isin(*WITNESS_LAYOUTS)
    return every.where(~is_witness), every.where(is_witness)
