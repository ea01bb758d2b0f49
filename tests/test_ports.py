"""During a run on one machine no port of Spark can be reached from another one, and none without a secret."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.golden import TRACES, inputs_of

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux's list of sockets")
LISTENS = "0A"  # Linux's number of this state


def listening(processes: set[int]) -> set[str]:
    """The addresses at which these processes listen."""
    own = {os.readlink(fd) for pid in processes for fd in _files(Path(f"/proc/{pid}/fd"))}
    found = set()
    for family, name in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and f"socket:[{fields[9]}]" in own:
                words = bytes.fromhex(fields[1].partition(":")[0])
                found.add(socket.inet_ntop(family, b"".join(words[n : n + 4][::-1] for n in range(0, len(words), 4))))
    return found


def _files(folder: Path) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.is_symlink()]
    except OSError:
        return []  # ended meanwhile


def family(pid: int) -> set[int]:
    """The process and all that it started."""
    started = set()
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        started |= {int(child) for child in children.read_text().split()}
    return {pid}.union(*map(family, started))


@dataclass(frozen=True)
class Run:
    """A command that ran as a process of its own, and the addresses at which it and its processes listened."""

    code: int
    output: str
    errors: str
    listened: set[str]


def run(folder: Path, *arguments: object) -> Run:
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_IP"} | {"TZ": "Asia/Tokyo"}
    command = [sys.executable, "-m", "pipelines", *map(str, arguments)]
    seen: set[str] = set()
    with open(folder / "out", "w+") as out, open(folder / "err", "w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        while process.poll() is None:
            with contextlib.suppress(OSError):  # a process ended between two looks
                seen |= listening(family(process.pid))
            time.sleep(0.2)
    return Run(process.returncode, (folder / "out").read_text(), (folder / "err").read_text(), seen)


def is_only_on_loopback(addresses: set[str]) -> bool:
    return bool(addresses) and addresses <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


@pytest.fixture(scope="module")
def lines(tmp_path_factory) -> Run:
    """Lines of logs at a URL, which Spark reads: no session is there already."""
    named = ("--topic", "orders", "--level", "info", "--since", "2018-08-01T10:00:00")
    return run(tmp_path_factory.mktemp("lines"), "lines", (TRACES / "leader-epochs-by-hand").as_uri(), *named)


def test_lines_are_printed_without_a_session_that_is_there_already_and_in_utc_wherever_it_runs(lines):
    assert (lines.code, lines.errors) == (0, "")
    assert len(lines.output.splitlines()) >= 3
    assert all("orders" in line and line.startswith("2018-08-01T10:0") for line in lines.output.splitlines())


def test_a_command_listens_only_on_loopback(lines):
    assert is_only_on_loopback(lines.listened)


@pytest.mark.nightly
def test_a_run_listens_only_on_loopback(tmp_path):
    made = run(tmp_path, "analyze", inputs_of(TRACES / "leader-epochs-by-hand"), "--out", tmp_path / "result")
    assert made.code == 0
    assert is_only_on_loopback(made.listened)


def test_spark_asks_its_peers_for_a_secret(spark):
    assert spark._jvm.org.apache.spark.SparkEnv.get().securityManager().isAuthenticationEnabled()
    assert not spark.conf.get("spark.authenticate.secret", None)
