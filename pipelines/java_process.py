"""The Java process for Spark, with bounded waits. It ends with this process; one line reports why it ended."""

from __future__ import annotations

import atexit
import ctypes
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.serializers import read_int

from pipelines import memory
from pipelines.room import no_room
from replay.errors import SetupError

START_SECONDS = 600  # for a host that is busy with the incident; most failures are reported long before
FETCH_SECONDS = 1_200  # where Java fetches GraphFrames' classes first
_END_SECONDS = 10
_WANTED_BYTES = 160 << 20  # Spark keeps a copy of GraphFrames' classes (73 MB), and then needs room to work
# PySpark's own, without annotations.
_spark_home: Callable[[], str] = _find_spark_home
_int_of: Callable[[BinaryIO], int] = read_int
_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
_NOT_UP = (0, "")
_DIES_WITH_PARENT = 1  # Linux's PR_SET_PDEATHSIG


class JavaProcess:
    """A Java process that PySpark can connect to: `with process.connected(): builder.getOrCreate()`."""

    def __init__(self, conf: Mapping[str, str], folder: Path, seconds: float = START_SECONDS) -> None:
        """Starts Java with `conf`, without waiting for it. It may write only in `folder`."""
        self.conf, self.output_file, self._seconds = dict(conf), folder / "java.txt", seconds
        self.output_file.unlink(missing_ok=True)
        check_loopback()
        _check_room(folder)
        self._connection_file = folder / "gateway"
        self._connection_file.unlink(missing_ok=True)
        command = [str(Path(_spark_home(), "bin", "spark-submit" + (".cmd" if os.name == "nt" else "")))]
        for name, value in conf.items():
            command += ["--conf", f"{name}={value}"]
        command += shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
        try:
            with self.output_file.open("wb") as out:
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=out,
                    env=os.environ
                    | _utf_8()
                    | {"_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._connection_file), "SPARK_CONNECT_MODE": "0"},
                    preexec_fn=None if os.name == "nt" else _preparation(),
                )
        except OSError as error:
            raise no_room(folder, error) from error
        self._gateway = _NOT_UP
        atexit.register(self.end)

    def wait(self) -> None:
        """Wait until Java is ready. Raises SetupError if it is not ready in time."""
        try:
            self._gateway = self._awaited()
        except BaseException:
            self.end(at_once=True)
            raise

    def _awaited(self) -> tuple[int, str]:
        until = time.monotonic() + self._seconds
        while not self._connection_file.is_file():
            if self.process.poll() is not None:
                code = self.process.returncode
                short = memory.shortage("", code, starting=True) if code < 0 else None
                raise SetupError(short or f"Java ended during its start ({_ended_by(code)})")
            if "Exception in thread" in self.text():
                raise SetupError("Java failed to start")
            if time.monotonic() > until:
                raise SetupError(f"Java did not come up within {self._seconds:.0f} s")
            time.sleep(0.05)
        with self._connection_file.open("rb") as info:
            return _int_of(info), info.read(_int_of(info)).decode("utf-8")

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Within this block, PySpark uses this Java and starts no other. If PySpark does not connect in time, Java
        is killed, which ends the wait.
        """
        before = {name: os.environ.get(name) for name in (_PORT, _SECRET)}
        os.environ |= {_PORT: str(self._gateway[0]), _SECRET: self._gateway[1]}
        limit = threading.Timer(self._seconds, self.process.kill)
        limit.daemon = True
        limit.start()
        try:
            yield
        except BaseException:
            self.end(at_once=True)
            raise
        finally:
            limit.cancel()
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

    def _ask_no_more(self) -> None:
        """Stop Py4J from reporting dropped objects to Java: it would print errors about an ending Java."""
        gateway = SparkContext._gateway
        if gateway is not None and gateway.gateway_parameters.port == self._gateway[0]:
            gateway._gateway_client.is_connected = False

    def text(self) -> str:
        """Java's output."""
        try:
            return self.output_file.read_text(errors="replace")
        except OSError:
            return ""

    def fault(self) -> str | None:
        """Why Java ended, and what to do; None while it is alive."""
        try:
            code = self.process.wait(2)
        except subprocess.TimeoutExpired:
            return None
        output = self.text()
        if "No space left on device" in output:
            return f"Java ended: {self.output_file.parent.parent} is full; free space or set TMPDIR to a folder on another disk"
        return memory.shortage(output, code) or f"Java ended in mid-run ({_ended_by(code)}); run again"

    def end(self, at_once: bool = False) -> None:
        """End Java: by request, and after some seconds by force; immediately by force if `at_once` or if it is not
        ready yet.
        """
        at_once = at_once or self._gateway == _NOT_UP
        self._ask_no_more()
        with suppress(OSError):
            if self.process.stdin is not None:
                self.process.stdin.close()
        for signal_, seconds in ((None, 0 if at_once else _END_SECONDS), (signal.SIGTERM, 3), (signal.SIGKILL, 10)):
            if signal_ is not None:
                self.process.send_signal(signal_)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
                return


def check_loopback() -> None:
    """Raises SetupError if the loopback interface does not work: Spark's Python and Java communicate over it."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5):
            pass
    except OSError as error:
        raise SetupError(
            f"no loopback interface: nothing answers at 127.0.0.1 ({error.strerror or error}), which Spark's Python "
            "and Java need; bring it up (`ip link set lo up`), or run on a host that has it"
        ) from error


def _check_room(folder: Path) -> None:
    status = os.statvfs(folder) if hasattr(os, "statvfs") else None
    free = status.f_bavail * status.f_frsize if status else _WANTED_BYTES
    if free < _WANTED_BYTES:
        raise SetupError(
            f"{folder.parent}: too little space: {free >> 20:,} MB are free and Spark needs {_WANTED_BYTES >> 20:,} MB there; "
            "free space or set TMPDIR to a folder on another disk"
        )


def _utf_8() -> dict[str, str]:
    """The environment variables for a locale in which Java can write every path, if the configured locale is ASCII
    only.
    """
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    return {} if "utf" in locale.lower() else {"LC_ALL": "C.UTF-8"}


def _ended_by(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _preparation() -> Callable[[], None]:
    """The function that the child process runs before it becomes Java.

    The child ignores ctrl-C, which this process handles, and ends when this process is killed. Linux ends it with
    the thread that started it, so only the main thread may request that.
    """
    prctl = None
    if sys.platform == "linux" and threading.current_thread() is threading.main_thread():
        with suppress(OSError, AttributeError):
            prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if prctl is not None:
            prctl(_DIES_WITH_PARENT, signal.SIGTERM, 0, 0, 0)

    return prepare
