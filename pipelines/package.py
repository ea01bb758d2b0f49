"""The packages `replay` and `pipelines` on the workers of Spark, whose Python reads the files."""

from __future__ import annotations

import zipfile
from functools import cache
from pathlib import Path

from pyspark.sql import SparkSession

import replay
from pipelines.scratch import process_folder


def root() -> Path:
    """The folder in which the package lies."""
    return Path(replay.__path__[0]).parent


def hand_to_workers(spark: SparkSession) -> None:
    """Hand the packages to workers that may not have this machine's files, once a session. Local ones find it by themselves."""
    if "connect" in type(spark).__module__ or not (spark.sparkContext.master or "").startswith("local"):
        _hand_over(spark)


@cache
def _hand_over(spark: SparkSession) -> None:
    archive = str(zipped(process_folder()))
    if "connect" in type(spark).__module__:
        spark.addArtifacts(archive, pyfile=True)
    else:
        spark.sparkContext.addPyFile(archive)


def zipped(folder: Path) -> Path:
    """The packages' modules, compiled, as one archive in `folder`, from which Python imports."""
    archive = folder / "replay.zip"
    with zipfile.PyZipFile(str(archive), "w", zipfile.ZIP_DEFLATED) as out:
        out.writepy(replay.__path__[0])
        out.writepy(str(root() / "pipelines"))
    return archive
