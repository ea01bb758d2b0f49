"""The packages `replay` and `pipelines` on the workers of Spark, whose Python reads the files."""

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
    """The folder in which the package lies."""
    return Path(replay.__path__[0]).parent


def on_connect(spark: SparkSession) -> bool:
    """Whether it is a session of Spark Connect, which has no JVM at hand."""
    return "connect" in type(spark).__module__


def is_on_this_machine(spark: SparkSession) -> bool:
    """Whether Spark's workers run on this machine, and see its disk."""
    return not on_connect(spark) and (spark.sparkContext.master or "").startswith("local")


def hand_to_workers(spark: SparkSession) -> None:
    """Hand the packages to workers that may not have this machine's files, once a session. Local ones find it by themselves."""
    if not is_on_this_machine(spark):
        _hand_over(spark)


@cache
def _hand_over(spark: SparkSession) -> None:
    archive = str(zipped(process_folder()))
    if on_connect(spark):
        with suppress(PySparkException):  # a server that takes no archive: its environment has to hold the package
            spark.addArtifacts(archive, pyfile=True)
    else:
        spark.sparkContext.addPyFile(archive)


def zipped(folder: Path) -> Path:
    """The packages' modules, compiled, and their tables, as one archive in `folder`, from which Python imports."""
    archive = folder / "replay.zip"
    with zipfile.PyZipFile(str(archive), "w", zipfile.ZIP_DEFLATED) as out:
        out.writepy(replay.__path__[0])
        out.writepy(str(root() / "pipelines"))
        for table in Path(replay.__path__[0]).rglob("*.tsv"):
            out.write(table, table.relative_to(root()))
    return archive
