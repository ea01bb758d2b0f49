"""Uses a session of another program (a notebook, a job) with our settings, and restores its own afterwards."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.package import is_on_this_machine, on_connect
from pipelines.scratch import give_rights_of_parent
from pipelines.session import run_settings
from pipelines.volumes import spark_path
from replay.errors import ReplayError, SetupError

GRAPHFRAMES_API = "org.graphframes.GraphFramePythonAPI"  # what graphframes-py requests from Java
UTC = {"spark.sql.session.timeZone": "UTC"}


_GONE = (
    "UNAVAILABLE",
    "Connection refused",
    "SESSION_NOT_FOUND",
    "SESSION_CLOSED",
    "SESSION_CHANGED",
    "closed channel",
)


@contextmanager
def lent(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """`spark` with `settings` within the block; the previous values are restored, also after an error.

    A setting that the session does not allow to change (on a shared cluster) keeps its value.
    """
    before: dict[str, str | None] = {}
    is_there = True
    try:
        for name, value in settings.items():
            try:
                current = spark.conf.get(name, None)
                spark.conf.set(name, value)
                before[name] = current
            except (PySparkException, Py4JError):
                continue
        yield
    except Exception as error:
        is_there = not has_ended(spark, error)
        raise
    finally:
        if is_there:
            _restored(spark, before)


def _restored(spark: SparkSession, before: Mapping[str, str | None]) -> None:
    """Restore settings. A session that ended after its work was done has none any more, and the work stays."""
    try:
        for name, current in before.items():
            if current is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, current)
    except Exception as error:
        if not has_ended(spark, error):
            raise


@contextmanager
def lent_to_a_run(spark: SparkSession, input_bytes: int) -> Iterator[None]:
    """`spark` for a run over inputs of this size. Raises SetupError if the session ends before the run."""
    try:
        with _retried_for_a_minute(spark), lent(spark, for_a_run(input_bytes)):
            yield
    except ReplayError:
        raise
    except Exception as error:
        if not has_ended(spark, error):
            raise
        raise SetupError(
            "the Spark session ended before the analysis did; nothing was written: start a session and run it again"
        ) from error


@contextmanager
def _retried_for_a_minute(spark: SparkSession) -> Iterator[None]:
    """Within the block, a Spark Connect client retries an unreachable server for one minute per call, instead of
    ten.
    """
    session: Any = spark  # only a Spark Connect session has a client
    client = session.client if on_connect(spark) else None
    if client is None:
        yield
        return
    from pyspark.sql.connect.client.retries import DefaultPolicy

    before = client.get_retry_policies()
    bounded = DefaultPolicy(max_retries=10, max_backoff=8_000)
    client.set_retry_policies([bounded if type(policy) is DefaultPolicy else policy for policy in before])
    try:
        yield
    finally:
        client.set_retry_policies(before)


def has_ended(spark: SparkSession, error: Exception) -> bool:
    """Whether `error` arose because the session was stopped, or because its Java or its server is gone."""
    if on_connect(spark):
        trace = "".join(traceback.format_exception(error))
        return bool(spark.is_stopped) or any(sign in trace for sign in _GONE)  # type: ignore[attr-defined]
    java = spark.sparkContext._jsc
    try:
        return java is None or bool(java.sc().isStopped())
    except (Py4JError, OSError):
        return True


def must_see(spark: SparkSession, folder: Path) -> None:
    """Raises SetupError if Spark's workers cannot see the files that this process writes into `folder`, which may
    not exist yet.
    """
    if is_on_this_machine(spark):
        return
    there = next(above for above in (folder, *folder.resolve().parents) if above.is_dir())
    with tempfile.TemporaryDirectory(prefix="kafka-replay-seen-", dir=there) as own:
        give_rights_of_parent(Path(own))
        seen = Path(own) / "seen.txt"
        seen.write_text("seen", encoding="utf-8")
        try:
            spark.read.text(spark_path(seen)).first()
        except (PySparkException, Py4JError) as error:
            if has_ended(spark, error):
                raise
            raise SetupError(
                f"Spark's workers do not see the files of this process in {folder}; give a folder that both see, as in "
                "shared='/Volumes/ops/incidents/work', and write into a volume or into catalog_schema=…, incident=…"
            ) from error


def for_a_run(input_bytes: int) -> dict[str, str]:
    """The session settings for a run over inputs of this size, UTC above all."""
    return UTC | run_settings(input_bytes)


def has_graphframes(spark: SparkSession) -> bool:
    """Whether the session's Java has GraphFrames' classes; false on Spark Connect, which gives no access to Java."""
    if on_connect(spark):
        return False
    java = spark.sparkContext._jvm
    assert java is not None  # a classic session has one
    try:
        java.Thread.currentThread().getContextClassLoader().loadClass(GRAPHFRAMES_API)
    except Py4JError:
        return False
    return True
