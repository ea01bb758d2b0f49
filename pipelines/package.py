"""The packages `replay` and `pipelines` for Spark's workers, whose Python reads the files."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import replay
from pipelines.scratch import process_folder


def root() -> Path:
    """The folder that contains the package."""
    return Path(replay.__path__[0]).parent


def on_connect(spark: SparkSession) -> bool:
    """Whether it is a Spark Connect session, which gives no access to the JVM."""
    return "connect" in type(spark).__module__


def is_on_this_machine(spark: SparkSession) -> bool:
    """Whether Spark's workers run on this machine, and see its disk."""
    return not on_connect(spark) and (spark.sparkContext.master or "").startswith("local")


def hand_to_workers(spark: SparkSession) -> None:
    """Send the packages to workers that may not have this machine's files, once per session. Local workers do not
    need it.
    """
    if not is_on_this_machine(spark):
        _hand_over(spark)


@cache
def _hand_over(spark: SparkSession) -> None:
    archive = str(zipped(process_folder()))
    if on_connect(spark):
        with suppress(PySparkException):  # a server that accepts no archive: its environment must contain the package
            spark.addArtifacts(archive, pyfile=True)
    else:
        spark.sparkContext.addPyFile(archive)


def zipped(folder: Path) -> Path:
    """The packages' compiled modules, tables and packs as one importable archive in `folder`."""
    archive = folder / "replay.zip"
    with zipfile.PyZipFile(str(archive), "w", zipfile.ZIP_DEFLATED) as out:
        out.writepy(replay.__path__[0])
        out.writepy(str(root() / "pipelines"))
        for table in (one for kind in ("*.tsv", "*.toml") for one in Path(replay.__path__[0]).rglob(kind)):
            out.write(table, table.relative_to(root()))
    return archive
