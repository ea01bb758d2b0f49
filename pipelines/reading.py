"""Gathered files -> lines, as Spark reads them."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from pipelines.inputs import Inputs
from replay.layouts import Layout, layout_named
from replay.parse import lines
from replay.schema import SOURCES
from replay.witnesses import WITNESS_LAYOUTS


def layouts_of(inputs: Inputs) -> list[Layout]:
    """The layouts of the logs among the inputs."""
    return [layout_named(name) for name in sorted({s.layout for s in inputs.sources} - set(WITNESS_LAYOUTS))]


def lines_of(spark: SparkSession, inputs: Inputs, work: Path) -> tuple[DataFrame, DataFrame]:
    """The lines of the logs, and those of the witness files (`replay.parse.lines`)."""
    sources = spark.createDataFrame([(s.name, s.source_file, s.node_id, s.layout, s.first_line, s.as_of) for s in inputs.sources], SOURCES.schema)
    text = spark.read.text(str(work / "files"), wholetext=True).withColumn("path", F.col("_metadata.file_name"))
    every = lines(text.join(F.broadcast(sources), "path"), layouts_of(inputs))
    is_witness = F.col("layout").isin(*WITNESS_LAYOUTS)
    return every.where(~is_witness), every.where(is_witness)
