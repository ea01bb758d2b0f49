"""Inputs -> gathered files -> lines, as Spark reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, IntegerType, StringType, StructField, StructType

from pipelines.found_files import Inputs
from pipelines.inputs import gather, is_url
from pipelines.memory import LARGE_BYTES, given, usual
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
    gather: Callable[..., Inputs] = gather,
) -> tuple[SparkSession, Inputs]:
    """A session sized for what lies under `inputs`, and that, as `gather` finds it: URLs are read through Spark, so
    it is started first for them.

    Raises InputError or SetupError for what the user can mend.
    """
    say("Looking at the files")
    spark = spark or (session(graphframes, writes_delta=writes_delta) if any(map(is_url, inputs)) else None)
    found = gather(inputs, nodes or {}, work, layout=layout, spark=spark)
    if spark is not None:
        return spark, found
    size = sum(source.size for source in found.sources)
    say("Starting Spark" if size <= LARGE_BYTES else f"Starting Spark with {given() or usual(size)} of memory")
    return session(graphframes, input_bytes=size, writes_delta=writes_delta), found


def layouts_of(inputs: Inputs) -> list[Layout]:
    """The layouts of the logs among the inputs."""
    return [layout_named(name) for name in sorted({s.layout for s in inputs.to_read() if not s.is_witness})]


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
        for s in inputs.to_read()
    ]
    sources = literal_table(spark, rows, SOURCES.schema)
    text = spark.read.text(f"file://{work.resolve() / 'files'}", wholetext=True).withColumn(
        "path", F.col("_metadata.file_name")
    )
    every = lines(text.join(F.broadcast(sources), "path"), layouts_of(inputs))
    is_witness = F.col("layout").isin(*WITNESS_LAYOUTS)
    return every.where(~is_witness), every.where(is_witness)


def with_earlier(spark: SparkSession, inputs: Inputs, name: str, read: DataFrame) -> DataFrame:
    """`read` with what is kept of the files of an earlier result in the folder `name`, as it is told now."""
    earlier = inputs.earlier
    if earlier is None:
        return read
    kept = spark.read.parquet(f"file://{(earlier.folder / name).resolve()}")
    changed = {*earlier.dropped, *earlier.renamed, *earlier.nodes}
    if changed:
        rows = [
            {
                "source_file": file,
                "_file": earlier.renamed.get(file, file),
                "_node": earlier.nodes.get(file),
                "_dropped": file in earlier.dropped,
            }
            for file in sorted(changed)
        ]
        now = F.broadcast(literal_table(spark, rows, _CHANGES))
        file, old = F.coalesce("_file", "source_file"), F.col("source_file")
        told = {"source_file": file}
        if "event_id" in kept.columns:
            told["event_id"] = F.concat(file, F.substr("event_id", F.char_length(old) + 1))
            told["node_id"] = F.coalesce("_node", "node_id")
        kept = (
            kept.join(now, "source_file", "left")
            .where(~F.coalesce("_dropped", F.lit(False)))
            .withColumns(told)
            .select(*kept.columns)
        )
    return kept.unionByName(read, allowMissingColumns=True)


_CHANGES = StructType(
    [
        StructField("source_file", StringType()),
        StructField("_file", StringType()),
        StructField("_node", IntegerType()),
        StructField("_dropped", BooleanType()),
    ]
)
