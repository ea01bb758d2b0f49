"""Results as Delta tables: written with Delta's own classes, and read from their log without Spark."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from pipelines.result_folders import DELTA_LOG
from pipelines.volumes import spark_path
from replay.errors import InputError, SetupError

DELTA_SETTING = "KAFKA_REPLAY_DELTA"
DELTA_RELEASE = "4.4.0"
LOG = DELTA_LOG
PARTITIONED_BY = "topic"  # the column by which queries select part of the rows
SESSION = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
OUR_SESSION = (
    SESSION
    | {
        "spark.databricks.delta.snapshotPartitions": "1",  # a table's log is one commit: reading it does not need fifty tasks
    }
)

_ARROW = {
    "string": pa.string(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


def classes() -> str:
    """The Maven coordinate of Delta's classes for the installed Spark, or the value of `$KAFKA_REPLAY_DELTA`:
    another coordinate, or a comma-separated list of jars.
    """
    spark = ".".join(pyspark.__version__.split(".")[:2])
    return os.environ.get(DELTA_SETTING) or f"io.delta:delta-spark_{spark}_2.13:{DELTA_RELEASE}"


def check(spark: SparkSession, work: Path) -> None:
    """Raises SetupError if the session cannot write Delta. Runs before the analysis, so that it fails early."""
    try:
        spark.range(1).write.format("delta").save(spark_path(work / "delta"))
    except (PySparkException, Py4JError) as error:
        settings = ", ".join(f"{name}={value}" for name, value in SESSION.items())
        raise SetupError(
            f"this Spark session cannot write Delta ({_first_line(error)}); start it with spark.jars.packages={classes()}, "
            f"{settings}, or leave --format delta out"
        ) from error


def rewritten(spark: SparkSession, tables: Path) -> None:
    """Replaces each Parquet table below `tables` by a Delta table, partitioned by topic if it has topics."""

    def one(folder: Path) -> None:
        new = folder.with_name(f".{folder.name}-delta")
        write(spark.read.parquet(spark_path(folder)), spark_path(new))
        shutil.rmtree(folder)
        new.rename(folder)

    with ThreadPoolExecutor(2) as both:
        list(both.map(one, sorted(folder for folder in tables.iterdir() if folder.is_dir())))


def write(frame: DataFrame, place: str) -> None:
    """Write `frame` as a Delta table, partitioned by topic if it has topics."""
    if PARTITIONED_BY not in frame.columns:
        frame.write.format("delta").save(place)
        return
    # Folders with random names: a topic name from a log may be too long for a file name.
    writer = frame.hint("rebalance", PARTITIONED_BY).write.format("delta").option("delta.randomizeFilePrefixes", "true")
    writer.partitionBy(PARTITIONED_BY).save(place)


def is_delta(folder: Path) -> bool:
    """Whether the local folder `folder` is a Delta table."""
    return (folder / LOG).is_dir()


def rows(folder: Path, columns: Sequence[str] | None = None, where: Sequence[tuple[str, str, object]] = ()) -> pa.Table:
    """The rows of the Delta table in `folder` that meet every condition of `where` (column, operator, value). Files
    of other topics are not opened.

    Raises InputError if another program has changed the table in a way that only Delta's own classes can read.
    """
    log = _log(folder)
    of_topic = [(op, value) for column, op, value in where if column == PARTITIONED_BY and column in log.partitioned_by]
    of_rows = [given for given in where if given[0] not in log.partitioned_by]
    wanted = list(columns) if columns is not None else log.schema.names
    stored = [name for name in wanted if name not in log.partitioned_by]
    schema = pa.schema([log.schema.field(name) for name in wanted])
    read = [schema.empty_table()]
    for path, values in log.files:
        if all(_meets(values[PARTITIONED_BY], op, value) for op, value in of_topic):
            part = pq.ParquetFile(path).read(columns=[*stored, *(name for name, _, _ in of_rows if name not in stored)])
            part = part.filter(pq.filters_to_expression(of_rows)) if of_rows else part
            for name in set(wanted) - set(stored):
                part = part.append_column(name, pa.array([values[name]] * len(part), pa.string()))
            read.append(part.select(wanted).cast(schema))  # times as instants in UTC, whichever session wrote them
    return pa.concat_tables(read)


@dataclass(frozen=True)
class _Log:
    """The transaction log of a Delta table: the files that hold its rows, each with its partition values."""

    files: Sequence[tuple[Path, Mapping[str, str | None]]]
    schema: pa.Schema
    partitioned_by: Sequence[str]


def _log(folder: Path) -> _Log:
    commits = sorted((folder / LOG).glob("*.json"))
    if [commit.stem for commit in commits] != [f"{number:020}" for number in range(len(commits))]:
        raise _changed(folder)
    files: dict[str, Mapping[str, str | None]] = {}
    metadata: Mapping[str, Any] = {}
    for commit in commits:
        for action in map(json.loads, commit.read_text(encoding="utf-8").splitlines()):
            if "add" in action:
                files[action["add"]["path"]] = action["add"]["partitionValues"]
            if "remove" in action:
                files.pop(action["remove"]["path"], None)
            metadata = action.get("metaData", metadata)
            if (
                action.get("add", {}).get("deletionVector")
                or metadata.get("configuration", {}).get("delta.columnMapping.mode", "none") != "none"
                or metadata.get("partitionColumns", []) not in ([], [PARTITIONED_BY])
            ):
                raise _changed(folder)
    if not metadata:
        raise _changed(folder)
    return _Log(
        [(folder / unquote(path), values) for path, values in sorted(files.items())],
        _arrow(json.loads(metadata["schemaString"])),
        metadata["partitionColumns"],
    )


def _arrow(declared: Mapping[str, Any]) -> pa.Schema:
    """The Arrow schema of a Delta table's data files."""

    def of(kind: Any) -> pa.DataType:
        if isinstance(kind, str):
            return _ARROW[kind]
        if kind["type"] == "array":
            return pa.list_(of(kind["elementType"]))
        if kind["type"] == "map":
            return pa.map_(of(kind["keyType"]), of(kind["valueType"]))
        return pa.struct([(field["name"], of(field["type"])) for field in kind["fields"]])

    return pa.schema([(field["name"], of(field["type"])) for field in declared["fields"]])


def _meets(topic: str | None, operator: str, wanted: Any) -> bool:
    if topic is None:
        return False
    if operator not in ("==", "in"):
        raise ValueError(f"{operator}: topics are compared by == and in")
    return bool(topic == wanted if operator == "==" else topic in wanted)


def _changed(folder: Path) -> InputError:
    return InputError(
        f"{folder}: another program has changed this Delta table in a way that is not read here; ask it with Spark "
        "(Replay.load), or analyze the logs again"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:160]
