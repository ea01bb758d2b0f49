"""Places of a result: folders of this machine, or URLs that Spark reads and writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipelines import delta
from pipelines.result import Read, Result, Where
from replay.errors import OutputError, SetupError
from replay.tables import DECLARED
from replay.tables.literal_table import literal_table

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_ON_DISK = "file://"  # of this machine
_OF_SPARK = ("/Volumes/",)  # paths that Databricks' Spark knows without a scheme


def is_url(text: str) -> bool:
    """Whether `text` names a place that Spark reads, not a path of this machine."""
    return _URL.match(text) is not None or text.startswith(_OF_SPARK)


class Place(str):
    """A folder as Spark names it; `place / name` lies within."""

    @classmethod
    def of(cls, path: str | Path) -> Place:
        """`path` with the scheme of this machine's disk unless it names one: Spark's default may be another."""
        text = str(path).rstrip("/")
        return cls(text if is_url(text) else f"file://{Path(text).resolve()}")

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self}/{name}")

    def is_dir(self, spark: SparkSession | None = None) -> bool:
        """Whether something that Spark can read lies there."""
        if self.startswith(_ON_DISK) and spark is None:
            return Path(self.removeprefix(_ON_DISK)).is_dir()
        session = spark or SparkSession.getActiveSession()
        try:
            return session is not None and (self.is_delta(session) or bool(session.read.parquet(str(self)).columns))
        except (PySparkException, Py4JError):
            return False

    def is_delta(self, spark: SparkSession) -> bool:
        """Whether a Delta table lies there."""
        if self.startswith(_ON_DISK) and delta.is_delta(Path(self.removeprefix(_ON_DISK))):
            return True
        try:
            return not spark.read.text(f"{self}/{delta.LOG}/*.json").isEmpty()
        except (PySparkException, Py4JError):
            return False


def tables_below(spark: SparkSession, tables: Place) -> Callable[[str, StructType | None], DataFrame]:
    """How a table of the result is read, by its name and its columns (none: as its files say): as Delta or as Parquet,
    whichever the result was written in. Raises SetupError where it is Delta and the session cannot read that.
    """
    if not (tables / "events").is_delta(spark):
        return lambda name, schema: (spark.read if schema is None else spark.read.schema(schema)).parquet(
            str(tables / name)
        )

    def read(name: str, schema: StructType | None) -> DataFrame:
        return spark.read.format("delta").load(str(tables / name))

    try:
        read("events", None)
    except (PySparkException, Py4JError) as error:
        settings = ", ".join(f"{name}={value}" for name, value in delta.SESSION.items())
        raise SetupError(
            f"{tables}: Delta tables, which this Spark session cannot read; start it with "
            f"spark.jars.packages={delta.classes()}, {settings}"
        ) from error
    return read


def rows_below(spark: SparkSession, place: Place) -> Read:
    """How the rows of a result at `place` are read: from this machine's disk without Spark, from a URL with it."""
    if place.startswith(_ON_DISK):
        return Result(Path(place.removeprefix(_ON_DISK))).read
    tables = tables_below(spark, place / "tables")

    def read(name: str, columns: Sequence[str] | None = None, where: Where = ()) -> pa.Table:
        schema = DECLARED[name].schema
        rows = tables(name, schema)
        for column, operator, value in where:
            if operator == "==":
                rows = rows.where(F.col(column) == F.lit(value))
            else:
                wanted = [{column: one} for one in value]  # type: ignore[attr-defined]
                rows = rows.join(literal_table(spark, wanted, StructType([schema[column]])), column, "left_semi")
        return (rows if columns is None else rows.select(*columns)).toArrow()

    return read


def put(spark: SparkSession, folder: Path, url: str, *, overwrite: bool) -> None:
    """Copy a result from `folder` to `url`: tables by Spark, the page and findings.json through Hadoop.

    Raises OutputError if something is there already and may not be replaced, or if it cannot be written.
    """
    jvm: Any = spark._jvm
    target = jvm.org.apache.hadoop.fs.Path(url)
    try:
        system = target.getFileSystem(spark._jsc.hadoopConfiguration())
        if system.exists(target):
            if not overwrite:
                raise OutputError(f"{url}: exists; give another place, or overwrite=True")
            if not system.exists(jvm.org.apache.hadoop.fs.Path(f"{url}/findings.json")):
                raise OutputError(f"{url}: holds no result of an analysis; give another place")
            system.delete(target, True)
        for table in sorted((folder / "tables").iterdir()):
            there = str(Place(url) / "tables" / table.name)
            if delta.is_delta(table):
                delta.write(spark.read.format("delta").load(f"file://{table.resolve()}"), there)
            else:
                spark.read.parquet(f"file://{table.resolve()}").write.parquet(there)
        for name in ("report.html", "findings.json"):
            stream = system.create(jvm.org.apache.hadoop.fs.Path(f"{url}/{name}"), True)
            stream.write(bytearray((folder / name).read_bytes()))
            stream.close()
    except Py4JError as error:
        raise OutputError(f"{url}: cannot be written: {str(error).strip().splitlines()[0][:200]}") from error
    except PySparkException as error:
        raise OutputError(f"{url}: cannot be written: {str(error).strip().splitlines()[0][:200]}") from error
