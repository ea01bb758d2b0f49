"""The main job on a standalone Spark cluster: a master and two workers of the installed Spark, one of which is killed.

All limits are zero: every line is read, and every pass runs, on the workers, as of an input of any size.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyspark
import pytest

from pipelines.java import find_java
from pipelines.lent_session import has_graphframes
from pipelines.result import Result
from replay.tables import TABLES
from tests.golden import TRACES, inputs_of
from tests.recordings import recordings

TRACE = TRACES / "leader-epochs-by-hand"
_START_SECONDS = 120
_RUN_SECONDS = 1_000


@dataclass
class Cluster:
    """A master's address, and the processes of its workers, each with a folder of its own."""

    master: str
    workers: list[subprocess.Popen]
    folders: list[Path]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _waits(until: Callable[[], bool], what: str, seconds: float = _START_SECONDS) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.2)


@pytest.fixture
def cluster(tmp_path) -> Iterator[Cluster]:
    """A worker has Java, Spark and Python, and nothing of this project: not its folder, not its Python path."""
    java_home = Path(find_java()).parent.parent
    env = {
        "PATH": os.environ["PATH"],
        "JAVA_HOME": str(java_home),
        "HOME": str(tmp_path),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    spark_class = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port = _free_port()
    master, logs = f"spark://127.0.0.1:{port}", tmp_path / "master.txt"
    started: list[subprocess.Popen] = []

    def start(log: Path, folder: Path, *arguments: str) -> subprocess.Popen:
        folder.mkdir(exist_ok=True)
        with open(log, "w") as out:
            process = subprocess.Popen(
                [spark_class, *arguments], env=env, cwd=folder, stdout=out, stderr=out, start_new_session=True
            )
        started.append(process)
        return process

    try:
        start(logs, tmp_path / "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")  # fmt: skip
        _waits(lambda: "I have been elected leader" in logs.read_text(), "the master")
        folders = [tmp_path / "worker-1", tmp_path / "worker-2"]
        workers = [
            start(
                folder.with_suffix(".txt"), folder, "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1",
                "--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / "work"), master,
            )
            for folder in folders
        ]  # fmt: skip
        _waits(lambda: logs.read_text().count("Registering worker") == len(workers), "the workers")
        yield Cluster(master, workers, folders)
    finally:
        for process in started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


# No table, not even an empty one, is small enough for the driver.
NO_LIMITS = """
from pipelines import reading, session, stages
reading.SMALL_BYTES = stages.SMALL_ROWS = -1
"""
IN_SPARK = NO_LIMITS + "session.SMALL_BYTES = -1; from pipelines.cli import main; main()"
EACH_IN_SPARK = (
    NO_LIMITS
    + """
import sys
from pathlib import Path
from pipelines.lent_session import has_graphframes
from pipelines.main_job import analyze

spark = session.session(input_bytes=1, stays=True)
spark.conf.set("spark.sql.shuffle.partitions", "2")  # one for each worker
print("GraphFrames:", has_graphframes(spark))
for given, out in zip(sys.argv[1::2], sys.argv[2::2]):
    analyze([given], Path(out), spark=spark)
"""
)


def _analyzed(cluster: Cluster, traces: list[Path], folder: Path, seconds: float) -> str:
    """The traces analyzed on the cluster, each into a folder of its name; the output of the process."""
    pairs = [str(path) for trace in traces for path in (inputs_of(trace), folder / trace.name)]
    done = subprocess.run(
        [sys.executable, "-c", EACH_IN_SPARK, *pairs],
        env=_environment(cluster),
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout


def _environment(cluster: Cluster) -> dict[str, str]:
    return {
        **os.environ,
        "SPARK_MASTER": cluster.master,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "KAFKA_REPLAY_MEMORY": "1g",
    }


@pytest.mark.nightly
@pytest.mark.timeout(_RUN_SECONDS + 2 * _START_SECONDS)
def test_workers_make_every_table_of_a_trace_as_one_process_does(cluster, spark, result_of, tmp_path):
    said = _analyzed(cluster, [TRACE], tmp_path / "out", _RUN_SECONDS)
    assert f"GraphFrames: {has_graphframes(spark)}" in said
    assert min(len(_tasks(folder)) for folder in cluster.folders) > 0, "one worker had nothing to do"
    _same_tables(tmp_path / "out" / TRACE.name, result_of(TRACE))


@pytest.mark.long
@pytest.mark.timeout(7_200)
def test_workers_make_every_table_of_every_trace_as_one_process_does(cluster, result_of, tmp_path):
    every = recordings(TRACES)
    _analyzed(cluster, every, tmp_path / "out", 7_000)
    for trace in every:
        _same_tables(tmp_path / "out" / trace.name, result_of(trace))


@pytest.mark.nightly
@pytest.mark.timeout(_RUN_SECONDS + 2 * _START_SECONDS)
def test_two_workers_give_the_tables_of_one_machine_row_for_row_though_one_is_killed(cluster, result_of, tmp_path):
    out, said = tmp_path / "out", tmp_path / "said.txt"
    with open(said, "w") as log:
        run = subprocess.Popen(
            [sys.executable, "-c", IN_SPARK, "analyze", str(inputs_of(TRACE)), "--out", str(out)],
            env=_environment(cluster),
            stdout=log,
            stderr=log,
        )
        try:
            _waits(
                lambda: "Judging elections" in said.read_text() or run.poll() is not None, "half of it", _RUN_SECONDS
            )
            worked = [len(_tasks(folder)) for folder in cluster.folders]
            os.killpg(cluster.workers[0].pid, signal.SIGKILL)  # the worker and its executor
            assert run.wait(_RUN_SECONDS) == 0, said.read_text()
        finally:
            run.kill()
    assert min(worked) > 0, "one worker had nothing to do"
    _same_tables(out, result_of(TRACE))


@pytest.mark.nightly
def test_spark_submit_takes_the_program_that_the_page_on_clusters_names():
    page = (Path(__file__).parent.parent / "docs" / "cluster.md").read_text()
    named = re.search(r'^ *("\$\(python -c .*/__main__\.py") \\$', page, re.MULTILINE)
    assert named, "docs/cluster.md names no program for spark-submit"
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    done = subprocess.run(
        ["bash", "-c", f"{submit} --master 'local[1]' {named[1]} --version"],
        env={
            **os.environ,
            "JAVA_HOME": str(Path(find_java()).parent.parent),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        timeout=_START_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("kafka-replay "), done.stdout


def _tasks(worker: Path) -> list[str]:
    """The lines of a worker's executors about tasks that they finished."""
    return [
        line
        for log in worker.glob("work/*/*/stderr")
        for line in log.read_text(errors="replace").splitlines()
        if re.search(r"Finished task", line)
    ]


def _same_tables(out: Path, expected: Path) -> None:
    here, there = Result(out), Result(expected)
    for table in TABLES:
        got, wanted = (_sorted(result.table(table.name)) for result in (here, there))
        pd.testing.assert_frame_equal(got, wanted, obj=table.name)


def _sorted(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows in an order of their own: what tasks ended first decides how they lie in files."""
    texts = rows.map(repr)
    return texts.sort_values(list(texts.columns)).reset_index(drop=True)
