"""Runs the tools of a host or a cluster for `collect`: docker, kubectl, journalctl, dmesg.

A tool can print anything, nothing, or without an end, and it can hang. What it prints goes to disk, it has a time
limit, and a failure is a note in the archive.
"""

from __future__ import annotations

import io
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import IO, Any, cast

from pipelines.evidence_files import Archive
from replay.errors import InputError, SetupError

_LOGGED = re.compile(r"[EWI]\d{4} [\d:.]+ +\d+ \S+\] ")  # klog
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,252}")
WAIT_S = 600.0  # a tool that has not ended within this time is ended, with a note
SILENT_S = 120.0  # also one that prints nothing for so long
MOST_BYTES = 4 << 30  # of one tool's output
_MOST_TEXT = 16 << 20  # of an output that is parsed
_MOST_ERRORS = 8_192
_CHUNK = 1 << 16
ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What goes wrong if a tool prints something else than it should."""


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SetupError(
            f"{name} is not on the PATH: run this where it is, or copy the files manually (see README, Collecting)"
        )
    return found


class Stopped(Exception):
    """A tool was ended: it hung, or printed too much."""


class Running(io.RawIOBase):
    """A running tool, read as a stream. Raises Stopped if it hangs, prints nothing for too long, or prints too much;
    its errors never block it.
    """

    def __init__(self, command: Sequence[str], *, merge_stderr: bool = False) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            start_new_session=True,  # so that what it starts ends with it
        )
        self._until, self._left, self._errors = time.monotonic() + WAIT_S, MOST_BYTES, b""
        self._waiting = selectors.DefaultSelector()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                self._waiting.register(stream, selectors.EVENT_READ)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._waiting.close()
        self.close()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes, `size` at most; empty at the end."""
        output = self._process.stdout
        assert output is not None
        while output in {key.fileobj for key in self._waiting.get_map().values()}:
            for key, _ in self._waiting.select(self._seconds()) or self._silent():
                chunk = os.read(key.fd, _CHUNK if size < 0 else min(size, _CHUNK))
                if not chunk:
                    self._waiting.unregister(key.fileobj)
                elif key.fileobj is output:
                    return self._counted(chunk)
                else:
                    self._errors = (self._errors + chunk)[:_MOST_ERRORS]
        return b""

    def chunks(self) -> Iterator[bytes]:
        """All that it prints, piece by piece."""
        while chunk := self.read():
            yield chunk

    def _counted(self, chunk: bytes) -> bytes:
        self._left -= len(chunk)
        if self._left < 0:
            raise Stopped(f"ended after {MOST_BYTES / 1e9:,.0f} GB of output")
        return chunk

    def _seconds(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise Stopped(f"no end within {WAIT_S:.0f} s")
        return min(left, SILENT_S)

    def _silent(self) -> list[tuple[selectors.SelectorKey, int]]:
        self._seconds()
        raise Stopped(f"no answer within {SILENT_S:.0f} s")

    def ended(self) -> int:
        """The exit status, after the end of the output."""
        try:
            while self._waiting.get_map():
                for key, _ in self._waiting.select(self._seconds()) or self._silent():
                    chunk = os.read(key.fd, _CHUNK)
                    self._errors = (self._errors + chunk)[:_MOST_ERRORS]
                    if not chunk:
                        self._waiting.unregister(key.fileobj)
            return self._process.wait(self._seconds())
        except subprocess.TimeoutExpired:
            raise Stopped(f"no end within {WAIT_S:.0f} s") from None

    @property
    def reason(self) -> str:
        """The tool's error message on one line; without kubectl's log lines, unless there is nothing else."""
        lines = [line for line in self._errors.decode(errors="replace").splitlines() if line.strip()]
        reasons = [line for line in lines if not _LOGGED.match(line)] or lines
        return " ".join(" ".join(reasons).split())[:200]


class Printed:
    """What a tool printed, on disk."""

    def __init__(self, file: Any) -> None:
        self._file, self.size = file, file.tell()

    def stream(self) -> IO[bytes]:
        """The output from its begin."""
        self._file.seek(0)
        return cast("IO[bytes]", self._file)

    def lines(self) -> Iterator[bytes]:
        """Its lines; a very long one in pieces."""
        stream = self.stream()
        while line := stream.readline(_CHUNK):
            yield line

    def head(self) -> bytes:
        """Its begin."""
        return self.stream().read(200)

    def text(self) -> str:
        """The whole output. Raises ValueError if it is too long to be parsed."""
        if self.size > _MOST_TEXT:
            raise ValueError(f"more than {_MOST_TEXT >> 20} MB")
        return self.stream().read().decode("utf-8", "replace")


def must(command: Sequence[str]) -> str:
    """The output of a command. Raises InputError if it fails, hangs, or prints too much."""
    shown = " ".join(command[:4])
    try:
        with Running(command) as running, tempfile.SpooledTemporaryFile(_MOST_TEXT) as file:
            for chunk in running.chunks():
                file.write(chunk)
                if file.tell() > _MOST_TEXT:
                    raise ValueError(f"printed more than {_MOST_TEXT >> 20} MB")
            if running.ended():
                raise InputError(f"{shown} … failed: {running.reason}")
            return Printed(file).text()
    except (Stopped, ValueError, OSError) as error:
        raise InputError(f"{shown} …: {error}") from error


def must_json(command: Sequence[str]) -> Any:
    """The JSON that a command prints. Raises InputError if it prints none."""
    printed = must(command)
    try:
        return json.loads(printed)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{' '.join(command[:4])} … printed no JSON: {printed[:80]!r}") from error


def asked(
    command: Sequence[str], archive: Archive, *, merge_stderr: bool = False, quiet: bool = False
) -> Printed | None:
    """The output of a command (with `merge_stderr`, its error output too). If it fails, None, and the archive gets a note; of
    a command that hangs or prints too much, what it printed before.
    """
    shown = " ".join(command[:5])
    file = tempfile.TemporaryFile(dir=archive.path.parent)  # noqa: SIM115 - what is returned keeps it
    try:
        with Running(command, merge_stderr=merge_stderr) as running:
            for chunk in running.chunks():
                file.write(chunk)
            if running.ended():
                if not quiet:
                    begin = Printed(file).head().decode(errors="replace").strip()
                    archive.miss(f"{shown}: {running.reason or begin}")
                return None
    except Stopped as stop:
        kept = "; the archive has what it printed until then" if file.tell() else ""
        archive.miss(f"{shown}: {stop}{kept}")
    except OSError as error:
        archive.miss(f"{shown}: {error.strerror or error}")
        return None
    return Printed(file)


@contextmanager
def noted(archive: Archive, what: str) -> Iterator[None]:
    """Within this block, an odd output of a tool becomes a note in the archive."""
    try:
        yield
    except ODD as error:
        archive.miss(f"{what}: the tool printed something else ({type(error).__name__}: {str(error)[:80]})")


def is_name(name: object) -> bool:
    """Whether a text can be the name of a container, a pod or a machine: no option and no path."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None
