"""Places of a result: folders of this machine, or URLs that Spark reads and writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from replay.errors import OutputError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
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
        if self.startswith("file:///") and spark is None:
            return Path(self.removeprefix("file://")).is_dir()
        session = spark or SparkSession.getActiveSession()
        try:
            return session is not None and bool(session.read.parquet(str(self)).columns)
        except (PySparkException, Py4JError):
            return False


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
            read = spark.read.parquet(f"file://{table.resolve()}")
            read.write.parquet(str(Place(url) / "tables" / table.name))
        for name in ("report.html", "findings.json"):
            stream = system.create(jvm.org.apache.hadoop.fs.Path(f"{url}/{name}"), True)
            stream.write(bytearray((folder / name).read_bytes()))
            stream.close()
    except Py4JError as error:
        raise OutputError(f"{url}: cannot be written: {str(error).strip().splitlines()[0][:200]}") from error
    except PySparkException as error:
        raise OutputError(f"{url}: cannot be written: {str(error).strip().splitlines()[0][:200]}") from error
