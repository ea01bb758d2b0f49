"""Too little memory is one line: what, how much there is, what to set. A Java that does not come up is not waited for."""

from __future__ import annotations

import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from pipelines import java_process, memory, session
from pipelines.java_process import JavaProcess, check_loopback
from replay.errors import SetupError
from tests.processes import hears_hangup


@pytest.mark.parametrize("size", ["400m", "480m", "100000k"])
def test_what_spark_cannot_start_with_is_refused(monkeypatch, size):
    monkeypatch.setenv(memory.MEMORY_SETTING, size)
    with pytest.raises(SetupError, match=rf"{size}: too little: .*this machine has .* GB.*KAFKA_REPLAY_MEMORY"):
        memory.given()


def test_a_size_is_read_as_spark_reads_it(monkeypatch):
    for text, size in (("4g", "4096m"), ("700", "700m"), ("2GB", "2048m")):
        monkeypatch.setenv(memory.MEMORY_SETTING, text)
        assert memory.given() == size
    monkeypatch.setenv(memory.MEMORY_SETTING, "much")
    with pytest.raises(SetupError, match="not a size"):
        memory.given()


@pytest.mark.parametrize(
    ("free_gb", "input_mb", "gets"),
    [(20, 1, "3g"), (20, 300, "8g"), (10, 300, "5g"), (4, 300, "3g"), (None, 300, "3g")],
)
def test_a_large_input_gets_half_of_what_is_free_and_what_java_had_is_reported(monkeypatch, free_gb, input_mb, gets):
    free = None if free_gb is None else free_gb << 30
    monkeypatch.delenv(memory.MEMORY_SETTING, raising=False)
    monkeypatch.setattr(memory, "machine_bytes", lambda: (free, free))
    assert memory.usual(input_mb << 20) == gets
    assert f"it may use {gets} and" in memory.shortage("java.lang.OutOfMemoryError")


@pytest.mark.parametrize(
    ("said", "code", "means"),
    [
        ("java.lang.OutOfMemoryError: Java heap space", None, True),
        ("", -9, True),
        ("", 3, True),
        ("org.apache.spark.SparkException: no", 1, False),
    ],
)
def test_whatever_ends_java_for_memory_is_reported_as_that(said, code, means):
    told = memory.shortage(said, code)
    assert (told is not None) is means
    if told:
        assert "this machine has" in told and "\n" not in told


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("#!/bin/sh\nexit 0\n", "Java ended during its start"),
        (
            "#!/bin/sh\necho 'Exception in thread \"main\" java.io.IOException: No space left on device'\nexec sleep 60\n",
            "Java failed",
        ),
        ("#!/bin/sh\nexec sleep 60\n", "did not come up within 1 s"),
    ],
)
def test_a_java_that_does_not_come_up_is_not_waited_for(tmp_path, monkeypatch, script, why):
    submit = tmp_path / "spark" / "bin" / "spark-submit"
    submit.parent.mkdir(parents=True)
    submit.write_text(script)
    submit.chmod(0o755)
    monkeypatch.setattr(java_process, "_spark_home", lambda: str(tmp_path / "spark"))
    started: list[subprocess.Popen] = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(popen(*a, **k)) or started[-1])
    since = time.monotonic()
    with pytest.raises(SetupError, match=why):
        JavaProcess({}, tmp_path, seconds=1).wait()
    assert time.monotonic() - since < 15
    assert started[0].poll() is not None, "no Java stays"


def test_an_ending_java_gets_no_more_messages_about_dropped_objects(monkeypatch):
    client, other = SimpleNamespace(is_connected=True), SimpleNamespace(is_connected=True)
    asked: list[bool] = []
    java = JavaProcess.__new__(JavaProcess)
    java._gateway = (4711, "secret")
    java.process = SimpleNamespace(
        stdin=SimpleNamespace(close=lambda: asked.append(client.is_connected)), wait=lambda _: 0
    )
    for port, gateways_client in ((4711, client), (4712, other)):
        gateway = SimpleNamespace(gateway_parameters=SimpleNamespace(port=port), _gateway_client=gateways_client)
        monkeypatch.setattr(java_process.SparkContext, "_gateway", gateway)
        java.end()
    assert asked[0] is False, "the one that ends is asked nothing, not even once more"
    assert other.is_connected, "another Java goes on"


def test_a_full_temporary_folder_is_reported_before_java_starts(tmp_path, monkeypatch):
    monkeypatch.setattr("os.statvfs", lambda _: type("Status", (), {"f_bavail": 3, "f_frsize": 1 << 20}))
    with pytest.raises(SetupError, match=r"too little space: 3 MB are free .*TMPDIR"):
        JavaProcess({}, tmp_path)


def test_no_loopback_interface_is_named_as_that(monkeypatch):
    def unreachable(*_, **__):
        raise OSError(101, "Network is unreachable")

    check_loopback()
    monkeypatch.setattr("socket.create_connection", unreachable)
    with pytest.raises(SetupError, match=r"no loopback interface: .*Network is unreachable"):
        check_loopback()


def test_another_jar_than_the_pinned_one_is_refused(tmp_path):
    (tmp_path / "graphframes.jar").write_bytes(b"other classes")
    with pytest.raises(SetupError, match=r"not the jar of org\.apache\.sedona"):
        session.check_jar(str(tmp_path / "graphframes.jar"))


def test_a_closed_terminal_ends_a_run_as_a_request_to_end_does():
    code = (
        "import os, signal, sys; import pipelines.cli as cli;"
        "cli.main_group = lambda **_: os.kill(os.getpid(), signal.SIGHUP) or signal.pause(); cli.main()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60, preexec_fn=hears_hangup
    )
    assert (ended.returncode, ended.stderr) == (130, "kafka-replay: stopped; nothing was written\n")
