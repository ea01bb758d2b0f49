"""Locations of a result: local folders, URLs that Spark reads and writes, or volumes that both can access."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipelines import delta
from pipelines.incident_tables import StoredIncident
from pipelines.package import on_connect
from pipelines.result import Read, Reduce, Result, Where
from pipelines.volumes import VOLUMES, copy_files, is_below_a_volume, is_volume, move_folder, spark_path
from replay.errors import InputError, OutputError, SetupError
from replay.tables import DECLARED, TABLES
from replay.tables.literal_table import literal_table

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_ON_DISK = "file://"  # of this machine


def is_url(text: str) -> bool:
    """Whether `text` is a URL that only Spark reads."""
    return _URL.match(text) is not None


class Place(str):
    """A folder as Spark names it; `place / name` is a path within it."""

    @classmethod
    def of(cls, path: str | Path) -> Place:
        """`path` with the scheme of the local disk unless it has one: Spark's default may be another."""
        text = str(path).rstrip("/")
        return cls(text if is_url(text) else spark_path(Path(text)))

    def __truediv__(self, name: str) -> Place:
        return Place(f"{self}/{name}")

    @property
    def here(self) -> Path | None:
        """The local path of the same folder; None if only Spark can access it."""
        if self.startswith(_ON_DISK):
            return Path(self.removeprefix(_ON_DISK))
        return Path(self) if is_volume(self) and os.path.exists(self) else None

    def is_dir(self, spark: SparkSession | None = None) -> bool:
        """Whether something that Spark can read is there."""
        if spark is None and self.here is not None:
            return self.here.is_dir()
        session = spark or SparkSession.getActiveSession()
        try:
            return session is not None and (self.is_delta(session) or bool(session.read.parquet(str(self)).columns))
        except (PySparkException, Py4JError):
            return False

    def is_delta(self, spark: SparkSession) -> bool:
        """Whether a Delta table is there."""
        if self.here is not None:
            return delta.is_delta(self.here)
        try:
            return not spark.read.text(f"{self}/{delta.LOG}/*.json").isEmpty()
        except (PySparkException, Py4JError):
            return False


def tables_below(spark: SparkSession, tables: Place) -> Callable[[str, StructType | None], DataFrame]:
    """A function that reads a table of the result by name and columns (None: all in its files), as Delta or as
    Parquet, depending on the format of the result.

    Raises SetupError if it is Delta and the session cannot read that.
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


def tables_of(spark: SparkSession, place: Place | StoredIncident) -> Callable[[str, StructType | None], DataFrame]:
    """A function that reads a table of the result at `place` by name and columns. Raises InputError for one that is
    missing, which is no empty one, or has lost rows.
    """
    if isinstance(place, StoredIncident):
        return lambda name, schema: place.frame(name)
    read = tables_below(spark, place / "tables")

    def whole(name: str, schema: StructType | None) -> DataFrame:
        if place.here is not None and (lacks := Result(place.here).lacks(name)):
            raise InputError(f"{place.here}: {lacks}")
        try:
            table = read(name, schema)
            if place.here is not None or table.inputFiles():
                return table
        except (PySparkException, Py4JError) as error:
            raise InputError(f"{place}: the table {name} cannot be read; analyze its logs again") from error
        raise InputError(f"{place}: without the table {name}; analyze its logs again")

    return whole


class Tables(Mapping[str, DataFrame]):
    """Every table of a result by name. Each is read when it is first asked for, so that one that is missing is an
    error only there.
    """

    def __init__(self, spark: SparkSession, place: Place | StoredIncident) -> None:
        self._read, self._frames = tables_of(spark, place), dict[str, DataFrame]()
        self._declared = {table.name: table for table in TABLES}

    def __getitem__(self, name: str) -> DataFrame:
        if name not in self._frames:
            self._frames[name] = self._read(name, self._declared[name].schema)
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        return name in self._declared


def page_of(spark: SparkSession, place: Place | StoredIncident) -> str:
    """The page of the result at `place`. Raises InputError if it does not exist."""
    if isinstance(place, StoredIncident):
        return place.page()
    page = place / "report.html"
    try:
        if page.here is not None:
            return page.here.read_text(encoding="utf-8")
        text = spark.read.text(page, wholetext=True).first()
    except (OSError, PySparkException, Py4JError) as error:
        raise InputError(f"{page}: cannot be read; analyze the logs again") from error
    return "" if text is None else str(text[0])


def _rows_written(spark: SparkSession, place: Place) -> Mapping[str, int]:
    """How many rows the analysis wrote to each table, by `findings.json`; empty if that does not say so."""
    try:
        text = spark.read.text(str(place / "findings.json"), wholetext=True).first()
        return dict(json.loads(text[0])["tables"]) if text is not None else {}
    except (PySparkException, Py4JError, ValueError, LookupError, TypeError):
        return {}


def rows_below(spark: SparkSession, place: Place | StoredIncident) -> Read:
    """A function that reads rows of the result at `place`: without Spark if this process can access it, else with
    Spark. It raises InputError for a table that is missing or has lost rows.
    """
    if isinstance(place, Place) and place.here is not None:
        return Result(place.here).read
    tables, written = tables_of(spark, place), _rows_written(spark, place) if isinstance(place, Place) else {}

    def read(
        name: str, columns: Sequence[str] | None = None, where: Where = (), reduce: Reduce | None = None
    ) -> pa.Table:
        schema = DECLARED[name].schema
        rows = tables(name, schema)
        for column, operator, value in where:
            if operator == "==":
                rows = rows.where(F.col(column) == F.lit(value))
            else:
                wanted = [{column: one} for one in value]  # type: ignore[attr-defined]
                rows = rows.join(literal_table(spark, wanted, StructType([schema[column]])), column, "left_semi")
        found = (rows if columns is None else rows.select(*columns)).toArrow()
        if not where and found.num_rows != written.get(name, found.num_rows):
            raise InputError(
                f"{place}: the table {name} has lost rows; copy the whole result again, or analyze its logs again"
            )
        return found if reduce is None else reduce(found)

    return read


def must_be_free(spark: SparkSession, place: str, *, overwrite: bool) -> None:
    """Raises OutputError if `put` cannot write to `place`, as far as can be known before the analysis."""
    if is_volume(place):
        _must_be_free(Path(place), overwrite)
    elif on_connect(spark):
        raise OutputError(
            f"{place}: a Spark Connect session cannot write to this URL; give a folder, or a path below {VOLUMES}"
        )


def put(spark: SparkSession, folder: Path, place: str, *, overwrite: bool) -> None:
    """Copy a result from `folder` to `place`: to a volume as files, to a URL with Spark and Hadoop.

    `folder` stays unchanged. Raises OutputError if something exists there that must not be replaced, or if it cannot
    be written.
    """
    try:
        if is_volume(place):
            _put_into_volume(folder, Path(place), overwrite)
        else:
            _put_to_url(spark, folder, place, overwrite)
    except (OSError, Py4JError, PySparkException) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:200]
        raise OutputError(f"{place}: cannot be written: {reason}") from error


def _must_be_free(target: Path, overwrite: bool) -> None:
    if not is_below_a_volume(str(target)):
        raise OutputError(f"{target}: is no folder in a volume; give {VOLUMES}<catalog>/<schema>/<volume>/<folder>")
    if not target.exists():
        return
    if not overwrite:
        raise _exists(target)
    if not (target / "findings.json").exists():
        raise _no_result(target)


def _exists(place: str | Path) -> OutputError:
    return OutputError(f"{place}: exists; give another place, or overwrite=True")


def _no_result(place: str | Path) -> OutputError:
    return OutputError(f"{place}: holds no result of an analysis; give another place")


def _put_into_volume(folder: Path, target: Path, overwrite: bool) -> None:
    """Copy next to `target`, and replace it when the copy is complete; the old result stays until then."""
    _must_be_free(target, overwrite)
    partial, old = (target.with_name(f"{target.name}.{state}") for state in ("partial", "old"))
    shutil.rmtree(partial, ignore_errors=True)
    try:
        copy_files(folder, partial)
        if target.exists():
            move_folder(target, old)
        try:
            move_folder(partial, target)
        except OSError:
            if old.exists():
                move_folder(old, target)
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def _put_to_url(spark: SparkSession, folder: Path, url: str, overwrite: bool) -> None:
    jvm: Any = spark._jvm
    target = jvm.org.apache.hadoop.fs.Path(url)
    system = target.getFileSystem(spark._jsc.hadoopConfiguration())
    if system.exists(target):
        if not overwrite:
            raise _exists(url)
        if not system.exists(jvm.org.apache.hadoop.fs.Path(f"{url}/findings.json")):
            raise _no_result(url)
        system.delete(target, True)
    for table in sorted((folder / "tables").iterdir()):
        there = str(Place(url) / "tables" / table.name)
        if delta.is_delta(table):
            delta.write(spark.read.format("delta").load(spark_path(table)), there)
        else:
            spark.read.parquet(spark_path(table)).write.parquet(there)
    for name in ("report.html", "findings.json"):
        stream = system.create(jvm.org.apache.hadoop.fs.Path(f"{url}/{name}"), True)
        stream.write(bytearray((folder / name).read_bytes()))
        stream.close()
