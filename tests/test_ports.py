"""During a run on one machine no port of Spark can be reached from another one, and none without a secret."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
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


def test_a_run_listens_only_on_loopback(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_IP"}
    command = [sys.executable, "-m", "pipelines", "analyze", inputs_of(TRACES / "leader-epochs-by-hand"), "--out", tmp_path / "out"]  # fmt: skip
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    seen: set[str] = set()
    while run.poll() is None:
        with contextlib.suppress(OSError):  # a process ended between two looks
            seen |= listening(family(run.pid))
        time.sleep(0.2)
    assert run.returncode == 0
    assert seen and seen <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


def test_spark_asks_its_peers_for_a_secret(spark):
    assert spark._jvm.org.apache.spark.SparkEnv.get().securityManager().isAuthenticationEnabled()
    assert not spark.conf.get("spark.authenticate.secret", None)
