"""A session that belongs to somebody else (a notebook, a job): used with our settings, given back with its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.package import on_connect
from pipelines.session import run_settings

GRAPHFRAMES_API = "org.graphframes.GraphFramePythonAPI"  # what graphframes-py requests from Java
UTC = {"spark.sql.session.timeZone": "UTC"}


@contextmanager
def lent(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """`spark` with `settings` within the block; the previous values are restored, also after an error.

    A setting that this session does not allow to change (a shared cluster) is left as it is.
    """
    before: dict[str, str | None] = {}
    try:
        for name, value in settings.items():
            try:
                known = spark.conf.get(name, None)
                spark.conf.set(name, value)
                before[name] = known
            except (PySparkException, Py4JError):
                continue
        yield
    finally:
        for name, known in before.items():
            if known is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, known)


def for_a_run(input_bytes: int) -> dict[str, str]:
    """The settings of a session that a run over inputs of this size needs: UTC above all."""
    return UTC | run_settings(input_bytes)


def has_graphframes(spark: SparkSession) -> bool:
    """Whether the session's Java has GraphFrames' classes; false on Spark Connect, which cannot show it."""
    if on_connect(spark):
        return False
    java = spark.sparkContext._jvm
    assert java is not None  # a classic session has one
    try:
        java.Thread.currentThread().getContextClassLoader().loadClass(GRAPHFRAMES_API)
    except Py4JError:
        return False
    return True
