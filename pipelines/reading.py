"""Gathers the input files, and reads their records with Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, IntegerType, StringType, StructField, StructType

from pipelines.found_files import Inputs, Source
from pipelines.inputs import gather, is_url
from pipelines.memory import LARGE_BYTES, given, usual
from pipelines.package import hand_to_workers
from pipelines.session import session
from pipelines.volumes import spark_path
from replay.catalogue import Catalogue
from replay.reading import shell
from replay.reading.records import Record
from replay.tables.literal_table import literal_table

SMALL_BYTES = 4 << 20  # of text that is read in this process
LOOKING, STARTING = "Looking at the files", "Starting Spark"  # the steps of `gathered`


def gathered(
    inputs: Sequence[str],
    work: Path,
    *,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    graphframes: str | None = None,
    writes_delta: bool = False,
    spark: SparkSession | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    gather: Callable[..., Inputs] = gather,
    show: Callable[[Inputs], None] = lambda found: None,
) -> tuple[SparkSession, Inputs]:
    """A session sized for the files under `inputs`, and the files, as `gather` finds them. If an input is a URL,
    Spark starts first. `show` gets the first facts before Spark starts.

    Raises InputError or SetupError for problems that the user can fix.
    """
    on_step(LOOKING)
    spark = spark or (session(graphframes, writes_delta=writes_delta) if any(map(is_url, inputs)) else None)
    found = gather(inputs, nodes or {}, work, layout=layout, spark=spark)
    show(found)
    if spark is not None:
        return spark, found
    size = sum(source.size for source in found.sources)
    on_step(STARTING if size <= LARGE_BYTES else f"{STARTING} with {given() or usual(size)} of memory")
    return session(graphframes, input_bytes=size, writes_delta=writes_delta), found


def records_of(spark: SparkSession, inputs: Inputs, work: Path, catalogue: Catalogue | None = None) -> DataFrame:
    """The records of the logs, and the lines of the evidence files (`PRINTED`); all text is read once."""
    hand_to_workers(spark)
    files = {source.name: file_of(source) for source in inputs.to_read()}
    text = spark.read.text(spark_path(work / "files"), wholetext=True)
    return shell.read(text.select(F.col("_metadata.file_name").alias("path"), "value"), files, catalogue)


def records_here(inputs: Inputs) -> Iterator[Record]:
    """The same records in plain Python, one at a time, without Spark. In files of several nodes, it does not derive
    a record's node from the owner of a directory or a session.
    """
    for source in inputs.to_read():
        yield from shell.read_text(source.path.read_bytes().decode("utf-8"), file_of(source))


def is_small(inputs: Inputs) -> bool:
    """Whether this process reads the text: that takes less time than starting a Python worker of Spark."""
    return sum(source.size for source in inputs.to_read()) <= SMALL_BYTES


def batches_here(inputs: Inputs) -> list[pa.RecordBatch]:
    """The same records as Arrow batches (`PRINTED`), as `records_of` returns them."""
    return list(shell.batches_of(records_here(inputs)))


def file_of(source: Source) -> shell.File:
    return shell.File(source.source_file, source.node_id, source.layout, source.first_line, source.as_of)


def with_earlier(spark: SparkSession, inputs: Inputs, name: str, read: DataFrame) -> DataFrame:
    """`read` plus the kept records of an earlier result in the folder `name`, under the current names of its files.
    For a rebuild there are only kept records.
    """
    earlier = inputs.earlier
    if earlier is None:
        return read
    kept = spark.read.parquet(spark_path(earlier.folder / name))
    if earlier.is_read_again:
        return shell.read_again(kept)
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
        renamed = {"source_file": file}
        if "event_id" in kept.columns:
            renamed["event_id"] = F.concat(file, F.substr("event_id", F.char_length(old) + 1))
            renamed["node_id"] = F.coalesce("_node", "node_id")
        kept = (
            kept.join(now, "source_file", "left")
            .where(~F.coalesce("_dropped", F.lit(False)))
            .withColumns(renamed)
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
