"""The Spark session: UTC, sized for one machine, with GraphFrames' classes; or the one that a notebook already has."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.java_gateway import JavaClass
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from pipelines.java import class_archive, find_java
from pipelines.text_files import PART_BYTES
from replay.errors import SetupError

# The classes of GraphFrames 0.9.2 for Spark 4; a site may prefer io.graphframes:graphframes-spark4_2.13:<version>.
GRAPHFRAMES_PACKAGE = "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0"
GRAPHFRAMES_SETTING = "KAFKA_REPLAY_GRAPHFRAMES"
MEMORY_SETTING = "KAFKA_REPLAY_MEMORY"
SMALL_BYTES = 64 * 1024 * 1024  # up to here planning and compiling queries costs more than running them

_CONFIG = {
    "spark.sql.session.timeZone": "UTC",  # stamps are read as UTC first; zones are applied by replay.clocks
    "spark.sql.ansi.enabled": "true",  # a wrong cast is a fault of this program, not a null
    "spark.sql.codegen.wholeStage": "false",  # the parser's expressions are too large for one Java method; compiling them fails late
    "spark.sql.debug.maxToStringFields": "0",  # each job describes its plan to listeners that nobody reads
    "spark.sql.ui.explainMode": "simple",  # the same: in full it took a tenth of a small run
    "spark.sql.files.openCostInBytes": "262144",  # many small files share a task
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # list files on the driver, not by a job
    "spark.sql.execution.arrow.pyspark.enabled": "true",  # small tables go to pandas without a detour
    "spark.python.sql.dataFrameDebugging.enabled": "false",  # call sites of every column cost more than the columns
    "spark.ui.enabled": "false",  # no port, no page: this is a command
    "spark.ui.showConsoleProgress": "false",  # progress is told by the stages themselves
    "spark.sql.catalogImplementation": "in-memory",
}
_AT_START = ("spark.sql.catalogImplementation", "spark.sql.ui.explainMode")  # what Spark takes only as it starts
_SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",  # one partition needs no second plan
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # a broadcast is a job of its own: tables of one partition are joined where they stand
    "spark.sql.optimizer.disableHints": "true",  # the same, where a stage asks for one with a large input in mind
    "spark.sql.join.preferSortMergeJoin": "false",  # nor is there anything to sort
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # hundreds of small, different queries: none runs long enough to be worth compiling
    "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",  # the other one starts a `chmod` for each file and folder, five a table
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",  # fifty tables: one more file each
    "spark.buffer.pageSize": "1m",  # every sort and aggregate takes a whole page: pages of 64 MB for a hundred rows keep the collector busy
}
_SMALL_JAVA = "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m"
# Planning is new code all the time: in one run over a small input Java's second compiler would use more time than it saves; from the third run on it pays.
_ONE_RUN_JAVA = "-XX:TieredStopAtLevel=1"
_SMALL_HEAP = (
    "-XX:MetaspaceSize=256m -Xms1g -Xmn600m"  # room from the start: growing step by step is collecting again and again
)
_MEMORY = "3g"
_LARGE_JAVA = "-XX:+UseParallelGC"
# Where the system grants large pages on request, Java's heap asks for them: in a virtual machine each fault of a small page is dear.
# What Java itself has to say goes to its standard error: the output is ours.
_ANY_JAVA = "-XX:+IgnoreUnrecognizedVMOptions -XX:+UseTransparentHugePages -XX:+DisplayVMOutputToStderr -Xlog:disable -Xlog:all=warning:stderr"
# Classes that PySpark asks Java for at every column, by each name that it has for them.
_ASKED_FOR = {
    "org.apache.spark.sql.functions": ("functions", "org.apache.spark.sql.functions"),
    "org.apache.spark.api.python.PythonUtils": ("PythonUtils",),
    "org.apache.spark.sql.api.python.PythonSQLUtils": ("PythonSQLUtils",),
}
_LARGE = {
    "spark.sql.shuffle.partitions": "32",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.files.maxPartitionBytes": str(
        PART_BYTES
    ),  # as large as a piece of a large file: no core ends long before the others
}


def run_settings(input_bytes: int) -> dict[str, str]:
    """What a session that is already there is to be set to for a run over `input_bytes`: what may change while it lives."""
    wanted = _CONFIG | (_SMALL if input_bytes <= SMALL_BYTES else _LARGE)
    return {name: value for name, value in wanted.items() if name.startswith("spark.sql.") and name not in _AT_START}


class _Known:
    """A class of Java's whose members are asked for once: PySpark asks for class and member anew at every column, and each answer is a way to Java and back."""

    def __init__(self, java_class: JavaClass) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> object:
        member = getattr(self._java_class, name)
        setattr(self, name, member)
        return member


def session(
    graphframes: str | None = None, *, input_bytes: int = 0, stays: bool = False, learn: Path | None = None
) -> SparkSession:
    """The active Spark session, or a local one with GraphFrames' classes, tuned for inputs of `input_bytes`.

    `graphframes` is a Maven coordinate or the path of a jar; by default `$KAFKA_REPLAY_GRAPHFRAMES`, else
    `GRAPHFRAMES_PACKAGE`. `stays`: more than one run is to come. `learn`: as Java ends it writes there the classes that it loaded. Raises SetupError when there is no Java or the classes cannot be had.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    java = find_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    wanted = graphframes or os.environ.get(GRAPHFRAMES_SETTING) or GRAPHFRAMES_PACKAGE
    if wanted.endswith(".jar") and not Path(wanted).is_file():
        raise SetupError(
            f"{wanted}: no such file; {GRAPHFRAMES_SETTING} names a Maven coordinate or a jar with GraphFrames' classes"
        )
    builder = SparkSession.builder.appName("kafka-replay").master(os.environ.get("SPARK_MASTER", "local[*]"))
    small, memory = input_bytes <= SMALL_BYTES, os.environ.get(MEMORY_SETTING)
    for key, value in (_CONFIG | (_SMALL if small else _LARGE)).items():
        builder = builder.config(key, value)
    builder = (
        builder.config("spark.driver.memory", memory or _MEMORY)
        .config(
            "spark.driver.extraJavaOptions",
            " ".join(_java_options(class_archive(java), small, stays, memory is None, learn)),
        )
        .config("spark.jars" if wanted.endswith(".jar") else "spark.jars.packages", wanted)
    )
    with _said_aside() as said:
        try:
            spark = builder.getOrCreate()
        except (PySparkException, OSError, RuntimeError) as error:
            raise SetupError(_reason(wanted, said.read_text(errors="replace"), error)) from error
    spark.sparkContext.setLogLevel("OFF")
    for full_name, names in _ASKED_FOR.items():
        known = _Known(getattr(spark.sparkContext._jvm, full_name))
        for name in names:
            setattr(spark.sparkContext._jvm, name, known)
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True  # errors are told once, by whoever catches them
    return spark


def _java_options(archive: Path, small: bool, stays: bool, own_heap: bool, learn: Path | None) -> Iterator[str]:
    yield _ANY_JAVA
    yield _SMALL_JAVA if small else _LARGE_JAVA
    if small and not stays:
        yield _ONE_RUN_JAVA
    if small and own_heap:
        yield _SMALL_HEAP
    if learn is not None:
        yield f'"-XX:ArchiveClassesAtExit={learn}"'
    elif archive.is_file():
        yield f'"-XX:SharedArchiveFile={archive}"'


@contextmanager
def _said_aside() -> Iterator[Path]:
    """What the starting Java process writes to its standard error goes to a file: it is no user's business unless it fails."""
    handle, name = tempfile.mkstemp(prefix="kafka-replay-", suffix=".log")
    own = os.dup(2)
    try:
        sys.stderr.flush()
        os.dup2(handle, 2)
        yield Path(name)
    finally:
        os.dup2(own, 2)
        os.close(own)
        os.close(handle)
        os.unlink(name)


def _reason(wanted: str, said: str, error: BaseException) -> str:
    if "unresolved dependenc" in said.lower() or "UNRESOLVED" in said:
        return (
            f"GraphFrames' classes ({wanted}) cannot be had: no repository answered; connect to Maven Central once, "
            f"or set {GRAPHFRAMES_SETTING} to a jar on this machine"
        )
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith(("\t", ":", " "))]
    words = next(
        (line for line in reversed(lines) if "rror" in line or "xception" in line),
        str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__,
    )
    return f"Spark could not start: {words[:300]}; check JAVA_HOME, memory ({MEMORY_SETTING}) and {GRAPHFRAMES_SETTING}"
