"""A session that ends in the middle of an analysis: one clear error, and nothing half-written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.errors import PySparkException

from kafka_replay import Replay
from pipelines.lent_session import lent
from pipelines.places import Place
from replay.errors import SetupError
from tests.golden import TRACES, inputs_of

TRACE = TRACES / "leader-epochs-by-hand"
SAID = (
    "SetupError: the Spark session ended before the analysis did; nothing was written: start a session and run it again"
)


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["stopped", "killed", "server gone", "server stopped"])
def test_a_lent_session_that_ends_is_one_error(how, tmp_path):
    """In a process of its own, whose session no other test needs."""
    (tmp_path / "work").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "work"), "SPARK_LOCAL_IP": "127.0.0.1"}
    if how.startswith("server"):
        environment["SPARK_REMOTE"] = "local[2]"
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_lent_session", how, str(tmp_path / "result")],
        env=environment,
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.splitlines()[-1:] == [SAID], done.stderr[-3_000:]
    assert not list(tmp_path.glob("*result*"))
    assert not list((tmp_path / "work").glob("kafka-replay-run-*/*"))


def _java_of(parent: int) -> list[int]:
    """The processes of Java below a process."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,comm"], capture_output=True, text=True, check=True).stdout
    rows = [row.split(None, 2) for row in listed.splitlines()[1:]]
    below = {parent}
    for _ in range(5):
        below |= {int(pid) for pid, of, _ in rows if int(of) in below}
    return [int(pid) for pid, _, name in rows if int(pid) in below and name == "java"]


def _main(how: str, out: str) -> None:
    """An analysis in whose middle the session ends."""
    from pyspark.sql import SparkSession

    from kafka_replay import Replay
    from pipelines import main_job
    from pipelines.session import session
    from replay.errors import ReplayError

    if how.startswith("server"):
        SparkSession.builder.remote("local[2]").getOrCreate()
    spark = session() if how.startswith("server") else session(input_bytes=1)
    real = main_job.replayed

    def replayed(*given):
        if how in ("stopped", "server stopped"):
            spark.stop()
        else:
            for java in _java_of(os.getpid()):
                os.kill(java, signal.SIGKILL)
        real(*given)

    main_job.replayed = replayed
    try:
        Replay.analyze(spark, inputs_of(TRACE), out)
    except ReplayError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    if how.startswith("server"):
        os._exit(0)  # a client of a server that is gone waits for it at its end


if __name__ == "__main__":
    _main(*sys.argv[1:])


class Ended:
    """A Spark Connect session whose server goes away when it has done its work."""

    is_stopped = False
    is_there = True

    def __init__(self) -> None:
        self.conf = self

    def get(self, name: str, default: str | None) -> str | None:
        return default

    def set(self, name: str, value: str) -> None:
        pass

    def unset(self, name: str) -> None:
        if not self.is_there:
            raise PySparkException("StatusCode.UNAVAILABLE: Connection refused")


def test_work_that_was_done_stays_when_the_session_ends_right_after_it(monkeypatch):
    monkeypatch.setattr("pipelines.lent_session.on_connect", lambda _: True)
    spark, done = Ended(), []
    with lent(spark, {"spark.sql.session.timeZone": "UTC"}):  # type: ignore[arg-type]
        done.append("written")
        spark.is_there = False
    assert done == ["written"]


def test_a_result_that_a_session_cannot_read_is_said_to_be_there(monkeypatch, tmp_path):
    (tmp_path / "tables" / "events").mkdir(parents=True)
    monkeypatch.setattr(Place, "is_dir", lambda *_: False)
    with pytest.raises(SetupError, match="holds a result, which this Spark session cannot read"):
        Replay.load(None, tmp_path)  # type: ignore[arg-type]
