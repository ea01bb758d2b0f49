"""Which files of a Kafka node are evidence, the order in which to collect them, and their paths in the archive."""

from __future__ import annotations

import io
import json
import re
import tarfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Any

from pipelines.redacted_archive import LIST_OF_FILES, redacted_archive
from replay.errors import OutputError

CHECKPOINTS = (
    "replication-offset-checkpoint",
    "recovery-point-offset-checkpoint",
    "log-start-offset-checkpoint",
    "cleaner-offset-checkpoint",
    "leader-epoch-checkpoint",
    "meta.properties",
    "partition.metadata",
    "quorum-state",
    ".kafka_cleanshutdown",
)
"""Small files of a data directory that a restart overwrites within seconds: they come first."""

_LOG = re.compile(r"^[\w.-]{0,255}\.(?:log|out|txt)(?:[.-][\w.:-]{0,255})?$")
_SEGMENT = re.compile(r"^\d{20}\.")
_LARGE = re.compile(r"^kafka-(?:request|authorizer)")  # one line per request: they show nothing about replication
_SECRET = re.compile(
    r"(?i)pass(?:word|phrase)?|secret|jaas|token|credential|keystore\.key|certificate|(?:^|[._-])key$|pwd"
)
_NOT_OF_A_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
MASK = "[masked]"

ORDER = (
    "1. Checkpoint files of every node, as they are now: a restart overwrites them within seconds, and they are the "
    "best proof of what a dead broker had committed.",
    "2. How containers and pods ended, and their events: a restart or an hour overwrites them.",
    "3. The logs of every node, including healthy ones: the lines of its peers prove a broker's end.",
    "4. The host's logs: the kernel's and systemd's journal, Java's crash reports, the operator's log. Kafka's logs "
    "do not show who ended a broker.",
    "5. Settings, with probable secrets masked.",
)


def is_checkpoint(path: str) -> bool:
    """Whether a restart overwrites this file of a data directory."""
    return PurePosixPath(path).name in CHECKPOINTS


def is_crash_report(path: str) -> bool:
    """Whether a file is Java's report of its own crash."""
    return PurePosixPath(path).match("hs_err*.log")


def is_log(path: str) -> bool:
    """Whether a file of a log folder is a log of the node, not a segment of a partition, a request log, or Java's
    crash report.
    """
    name = PurePosixPath(path).name
    return not is_crash_report(path) and bool(_LOG.match(name)) and not _SEGMENT.match(name) and not _LARGE.match(name)


def masked(text: str) -> str:
    """Properties with the values of probable secrets masked, including continuation lines."""
    lines, goes_on = [], False
    for line in text.splitlines():
        name, found, value = line.partition("=")
        if goes_on:
            goes_on = line.rstrip().endswith("\\")
            continue
        if found and not line.lstrip().startswith(("#", "!")) and _SECRET.search(name.strip()):
            goes_on = value.rstrip().endswith("\\")
            line = f"{name}={MASK}"
        elif found:
            line = re.sub(r"(://[^/:@\s]+:)[^@\s/]+@", rf"\1{MASK}@", line)
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def node_id_of(properties: str) -> int | None:
    """The id in `meta.properties` or `server.properties`."""
    found = re.search(r"^[ \t]*+(?:node\.id|broker\.id)[ \t]*+=[ \t]*+(\d++)[ \t\r]*+$", properties, re.MULTILINE)
    return None if found is None else int(found[1])


class _Exactly(io.RawIOBase):
    """A file that returns exactly the requested number of bytes. If the file is truncated while it is read, empty
    lines fill the rest.
    """

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size).ljust(max(size, 0), b"\n")


class _Written(io.RawIOBase):
    """A file of an archive: what cannot be written ends the collection, and is no fault of what is stored."""

    def __init__(self, file: Path, shown: Path) -> None:
        self._file, self._shown = file.open("wb", buffering=0), shown

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        left = memoryview(content).cast("B")
        size = len(left)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise OutputError(
                f"{self._shown}: cannot be written ({error.strerror}); free space, or give another --out"
            ) from error
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


@dataclass
class Archive:
    """An archive that appears whole or not at all. Raises OutputError if it exists or cannot be written.

    With `redact`, names and secrets in it are replaced (`pipelines.redacted_archive`) before it appears, including
    `owners_names` (of machines, clusters, projects).
    """

    path: Path
    overwrite: bool = False
    redact: bool = False
    private: bool = False  # only its owner can read it and its files: it has records
    replaced: str | None = None  # which names were replaced, in words
    taken: list[dict[str, object]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    owners_names: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)  # containers that did not answer in time

    def __enter__(self) -> Archive:
        if self.path.exists() and not self.overwrite:
            raise OutputError(f"{self.path}: exists; give another name with --out, or --overwrite")
        self._partial = self.path.with_name(f".{self.path.name}.partial")
        try:
            self._partial.unlink(missing_ok=True)
            self._partial.touch(0o600 if self.private else 0o666)
            self._file = _Written(self._partial, self.path)
            self._tar = tarfile.open(fileobj=self._file, mode="w:gz", compresslevel=3)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written ({error.strerror}); give another --out") from error
        return self

    @property
    def _mode(self) -> int:
        return 0o600 if self.private else 0o644

    def add(self, name: str, content: bytes, source: str) -> None:
        """Store `content` under `name`; `source` is its origin."""
        self.add_stream(name, io.BytesIO(content), len(content), source)

    def add_stream(self, name: str, content: IO[bytes], size: int, source: str) -> None:
        """Store `size` bytes of a stream under `name`; `source` is its origin."""
        entry = tarfile.TarInfo(within(name))
        entry.size, entry.mtime, entry.mode = size, int(time.time()), self._mode
        self._tar.addfile(entry, content)
        self.taken.append({"name": entry.name, "from": source, "bytes": size, "at": _now().isoformat()})

    def add_file(self, name: str, file: Path) -> None:
        """Store a file as it is read now: a growing file is copied up to its current size."""
        try:
            with file.open("rb") as stream:
                entry = tarfile.TarInfo(within(name))
                status = file.stat()
                entry.size, entry.mtime, entry.mode = status.st_size, int(status.st_mtime), self._mode
                self._tar.addfile(entry, _Exactly(stream))
        except OSError as error:
            self.miss(f"{file}: {error.strerror or error}")
            return
        self.taken.append({"name": entry.name, "from": str(file), "bytes": entry.size, "at": _now().isoformat()})

    def miss(self, what: str) -> None:
        """Record in the archive that something could not be collected."""
        self.missing.append(what)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None:
                with suppress(OutputError):
                    self._tar.close()
                return
            listing = {"taken": self.taken, "missing": self.missing}
            self.add(LIST_OF_FILES, json.dumps(listing, indent=1).encode(), "kafka-replay collect")
            self._tar.close()
            if self.redact:
                self._redact()
            else:
                self._partial.replace(self.path)
        finally:
            self._file.close()
            self._partial.unlink(missing_ok=True)

    def _redact(self) -> None:
        made = self.path.with_name(f".{self.path.name}.redacted.partial")
        try:
            self.replaced = redacted_archive(self._partial, made, self.owners_names)
            made.replace(self.path)
        except OSError as error:
            raise OutputError(f"{self.path}: cannot be written ({error.strerror}); give another --out") from error
        finally:
            made.unlink(missing_ok=True)


def within(name: str) -> str:
    """`name` as a path within the archive: names of pods, services and files come from outside and may hold anything."""
    parts = (_NOT_OF_A_PATH.sub("_", part) for part in name.split("/"))
    return "/".join("_" if part.strip(".") == "" else part for part in parts if part)


def stamp() -> str:
    """The path component with the time of the state of the files below it."""
    return f"{_now():%Y%m%dT%H%M%SZ}"


def checkpoint_place(node: str, when: str, folder: str, within: str) -> str:
    """The path of a checkpoint file in the archive: below the time of its state."""
    return f"{node}/{when}/data/{folder}/{within}"


def folder_names(folders: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each data directory with its own short name."""
    seen: set[str] = set()
    for number, folder in enumerate(folders):
        name = PurePosixPath(folder).name or "data"
        name = f"{number}-{name}" if name in seen else name
        seen.add(name)
        yield folder, name


def _now() -> datetime:
    return datetime.now(UTC)
