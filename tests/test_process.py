"""The command as a process of its own: readers leave it, and it is asked to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.golden import TRACES
from tests.processes import hears_hangup

COMMAND = (sys.executable, "-m", "pipelines")


def test_a_reader_that_leaves_is_no_failure():
    with subprocess.Popen([*COMMAND, "catalogue"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


def test_who_asks_it_to_end_finds_nothing_half_written(tmp_path):
    out, work = tmp_path / "out", tmp_path / "work"
    work.mkdir()
    command = [*COMMAND, "analyze", TRACES / "leader-epochs-by-hand", "--out", out / "result"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": str(work)}
    ) as process:
        first = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
    assert first.startswith("[+0:0")
    assert process.returncode == 130
    assert said.splitlines()[-1] == "kafka-replay: stopped; nothing was written"
    assert not list(out.glob("*")) + list(out.glob(".*"))
    assert not list(work.iterdir())


_WAITS_FOR_JAVA = """
import logging, os, signal, threading
from concurrent.futures import ThreadPoolExecutor
import pipelines.cli as cli, pipelines.session as session
from tests.processes import hears_hangup

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests in the background has it ignored
gone = threading.Event()

class Java:
    def end(self, at_once=False):
        gone.set()

def run(**_):
    with ThreadPoolExecutor(1) as stages:
        stages.submit(gone.wait, 60)
        try:
            os.kill(os.getpid(), signal.{name})
            signal.pause()
        except KeyboardInterrupt:  # as Py4J answers it
            logging.exception("KeyboardInterrupt while sending command.")
            raise {raised} from None

session._java.append(Java())
cli.main_group = run
cli.main()
"""


@pytest.mark.parametrize(
    ("name", "raised"),
    [("SIGINT", "KeyboardInterrupt"), ("SIGTERM", "RuntimeError('gone')"), ("SIGHUP", "cli.ReplayError('gone')")],
)
def test_who_asks_it_to_end_does_not_wait_for_javas_query(name, raised):
    code = _WAITS_FOR_JAVA.format(name=name, raised=raised)
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30, preexec_fn=hears_hangup
    )
    assert (ended.returncode, ended.stderr) == (130, "kafka-replay: stopped; nothing was written\n")
