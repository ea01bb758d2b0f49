"""Files and pipes that `watch` follows while they grow and rotate, with the text seen so far.

A text is identified by its file (device and inode) and by its content, not by its name. New text is copied
immediately, so that no rotation loses it, whether by rename, by copy and truncate, or with compression. Only
complete lines are returned; an incomplete line waits for its end.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pipelines.archives import foreign_kind_of, kind_of
from pipelines.found_files import is_segment, log_of
from pipelines.held_files import NOT_FOLLOWED, handles_left, hole_at, leads_out
from pipelines.room import Room, own_writes
from replay.errors import InputError, OutputError
from replay.facts.groups import by_key
from replay.reading.witnesses import GROWING, witness_layout

LOOK_SECONDS = 1.0
SETTLED_SECONDS = 60.0  # after this time an incomplete line counts as complete
_PACKED_SECONDS = 5.0  # after this time an archive counts as complete
_CHUNK = 1 << 20
_TAIL = 4096  # last bytes of the text: their timestamps show whether a file was truncated and refilled
_HEAD = 512
_UNPACKED: Mapping[str, Callable[[Path], Any]] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}

_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)

_Identity = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """A text to read: the first `size` bytes of `copy`; `relative` is its name below the given path, `place` its
    current or former path.
    """

    copy: Path
    relative: str
    place: str
    size: int


@dataclass(frozen=True)
class News:
    """What to read again, by the given path.

    `gone`: names below a given path that no longer have a file. `folders`: the given paths that are folders. `size`:
    how many bytes are new. `whole_size`: how many bytes were seen in all.
    """

    texts: Mapping[str, Sequence[Seen]]
    gone: Collection[tuple[str, str]]
    folders: Collection[str]
    size: int
    whole_size: int
    _sizes: Sequence[tuple[_Text, str, int]] = field(repr=False)

    def taken(self) -> None:
        """Record that the news was read and need not be returned again."""
        for text, name, size in self._sizes:
            text.shown_as, text.read_size = name, size


@dataclass(eq=False)
class _Text:
    """One text: `relative` to the path `given`, copied up to `size`, with complete lines up to `whole`.

    `identity` is None once nothing more is copied from it. `has_file`: whether its file is still at its path.
    `file_size`: the size of a rotated copy that lacks the last lines.
    """

    given: str
    relative: str
    path: Path
    copy: Path
    identity: _Identity | None
    size: int = 0
    whole: int = 0
    tail: bytes = b""
    touched: float = 0.0
    since: float = 0.0
    is_packed: bool = False
    has_file: bool = True
    file_size: int | None = None
    handle: int | None = None
    shown_as: str | None = None
    read_size: int = -1

    def ready(self, now: float) -> int:
        """How many bytes of the text can be returned now, never fewer than before."""
        stood = now - self.since
        if self.is_packed:
            whole = self.size if stood >= _PACKED_SECONDS else 0
        else:
            whole = self.size if stood >= SETTLED_SECONDS else self.whole
        return max(whole, min(self.read_size, self.size))


@dataclass(frozen=True)
class _There:
    """A file under a given path, in its current state."""

    given: str
    relative: str
    path: Path
    status: os.stat_result

    @property
    def identity(self) -> _Identity:
        return self.status.st_dev, self.status.st_ino


class Followed:
    """The files under `paths` except those under `but`, and the data of pipes, copied into `folder`.

    `-` is standard input. `clock` returns the time on the clock of the files' timestamps, which may jump; `ticks` is
    monotonic and measures how long a file is unchanged. Raises InputError for a path that does not exist or cannot
    be followed.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        folder: Path,
        but: Path,
        *,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._room = folder, Room(folder)
        self._clock, self._ticks = clock, ticks
        self._stands: dict[_Identity, tuple[float, float]] = {}  # a file's modification time, and since which tick
        self._skip, self._skip_prefix = os.path.realpath(but), f".{but.name}-kafka-replay-"
        self._texts: list[_Text] = []
        self._copies: dict[_Identity, tuple[int, int]] = {}  # copies of a known text, with their size and time
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._made, self._looks, self._handles = 0, 0, handles_left()
        self._fault: OutputError | None = None
        self._pipes: dict[str, threading.Thread] = {}
        self._paths: list[tuple[str, Path]] = []
        self._folders: set[str] = set()
        self.unread: dict[str, str] = {}  # files that cannot be opened, and why
        for given in map(str, paths):
            path = Path("/dev/stdin") if given == "-" else Path(given)
            if not path.exists():
                raise InputError(f"{path}: no such file or folder; give the folder, file or pipe that holds the logs")
            if path.is_dir() or path.is_file():
                self._paths.append((given, path))
            elif path.is_fifo() or given == "-":
                self._open_pipe(given, path)
            else:
                raise InputError(f"{path}: not a file, a folder or a pipe; give the path of the logs")
            if path.is_dir():
                self._folders.add(given)

    def start(self) -> None:
        """Check the files repeatedly in a thread, until `close`."""
        for pipe in self._pipes.values():
            pipe.start()
        threading.Thread(target=self._keep_looking, daemon=True).start()

    def close(self) -> None:
        """Stop following the files."""
        self._stop.set()
        with self._lock:
            for text in self._texts:
                self._let_go(text)

    @property
    def is_over(self) -> bool:
        """Whether no more text can come: all inputs were pipes, and they have ended."""
        return not self._paths and not any(pipe.is_alive() for pipe in self._pipes.values())

    def news(self, *, last: bool = False) -> News | None:
        """The new text since the last call; None if no line was added. With `last`, incomplete lines are returned
        too.

        Raises OutputError if the text could not be copied.
        """
        self.look()
        with self._lock:
            fault, self._fault = self._fault, None
            if fault is not None:
                raise fault
            now = self._ticks()
            ready = {text: text.size if last else text.ready(now) for text in self._texts}
        grown = {text for text, size in ready.items() if size > max(text.read_size, 0)}
        renamed = {text for text in ready if text.shown_as not in (None, text.relative)}
        if not grown and not (last and renamed):
            return None
        empty = {text for text in ready if not text.size and text.shown_as is None}
        wanted = [text for text in ready if text in grown | renamed | empty]
        texts = by_key(
            wanted,
            lambda text: text.given,
            lambda text: Seen(text.copy, text.relative, str(text.path.absolute()), ready[text]),
        )
        names = {(text.given, text.relative) for text in wanted}
        gone = {(text.given, text.shown_as) for text in renamed if text.shown_as} - names
        size = sum(ready[text] - max(text.read_size, 0) for text in grown)
        grown_texts = [(text, text.relative, ready[text]) for text in wanted]
        return News(texts, gone, self._folders, size, sum(ready.values()), grown_texts)

    # --- looking ---------------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Check the files, and copy their new text."""
        with self._lock:
            if self._stop.is_set():
                return
            try:
                self._look()
            except OutputError as error:
                self._fault = error

    def _keep_looking(self) -> None:
        wait = LOOK_SECONDS
        while not self._stop.wait(wait):
            began = time.monotonic()
            self.look()
            wait = max(LOOK_SECONDS, 10 * (time.monotonic() - began))  # a tenth of one core at most

    def _look(self) -> None:
        for text in self._texts:
            if text.given in self._pipes:
                self._measure(text)
        by_identity = {text.identity: text for text in self._texts if text.identity is not None}
        there: dict[_Identity, _There] = {}
        for file in self._there():
            there.setdefault(file.identity, file)
        fresh: list[_There] = []
        for identity, file in there.items():
            if identity not in by_identity:
                fresh.append(file)
            elif self._goes_on(text := by_identity[identity], file):
                text.relative, text.path = file.relative, file.path
                self._read(text, file.status.st_size)
            else:
                self._end(text)
                fresh.append(file)
        for identity, text in by_identity.items():
            if identity not in there and text.given not in self._pipes:
                if text.handle is not None and _begins_with(text.handle, text):
                    self._read(text, os.fstat(text.handle).st_size)
                self._end(text)
        for file in sorted(fresh, key=lambda one: one.status.st_mtime):
            with suppress(OSError):  # it is gone again; the next check finds out
                self._begin(file)
        self._settle_names()
        self._looks += 1

    def _there(self) -> Iterator[_There]:
        """Every regular file under the paths, in order of name."""
        for given, path in self._paths:
            if given not in self._folders:
                with suppress(OSError):
                    status = path.stat()
                    if stat.S_ISREG(status.st_mode):
                        yield _There(given, path.name, path, status)
                continue
            entered: set[_Identity] = set()
            for place, folders, names in os.walk(path, followlinks=True):
                with suppress(OSError):
                    status = os.stat(place)
                    if (status.st_dev, status.st_ino) in entered:
                        folders.clear()
                        continue
                    entered.add((status.st_dev, status.st_ino))
                outside = {name for name in (*folders, *names) if leads_out(os.path.join(place, name), path)}
                self.unread.update({os.path.join(place, name): NOT_FOLLOWED for name in outside})
                folders[:] = sorted(name for name in set(folders) - outside if not self._is_ours(place, name))
                for name in sorted(set(names) - outside):
                    file = Path(place, name)
                    with suppress(OSError):
                        status = file.stat()
                        if stat.S_ISREG(status.st_mode):
                            yield _There(given, str(file.relative_to(path)), file, status)

    def _is_ours(self, place: str, name: str) -> bool:
        return name.startswith(self._skip_prefix) or os.path.realpath(os.path.join(place, name)) == self._skip

    def _goes_on(self, text: _Text, file: _There) -> bool:
        """Whether `file` continues the text read from it."""
        if is_segment(file.path.name):
            return True
        if text.file_size is not None:
            return file.status.st_size == text.file_size
        if file.status.st_size < text.size:
            return False
        if file.status.st_size == text.size and file.status.st_mtime == text.touched:
            return True
        with suppress(OSError), file.path.open("rb") as stream:
            return _begins_with(stream.fileno(), text)
        return True

    def _begin(self, file: _There) -> None:
        """Add an unknown file: as a new text, or as the new file of a known text."""
        if self._looks:
            stands = (file.status.st_size, int(file.status.st_mtime_ns))
            if self._copies.get(file.identity) == stands:
                return
            of = self._text_of(file)
            if of is not None and of.identity is None and not of.has_file:
                self._take_over(of, file)
                return
            if of is not None or self._is_being_packed(file):
                if of is not None:
                    self._copies[file.identity] = stands
                return
        text = _Text(file.given, file.relative, file.path, self._new_copy(), file.identity)
        if not is_segment(file.path.name):  # recognized by its name, and never read
            try:
                self._hold(text)
            except OSError as error:
                self.unread[str(file.path)] = error.strerror or str(error)
                return
            self._read(text, file.status.st_size)
            text.is_packed = _packing_of(_head_of(text.copy), file.path.name) is not None
        self._texts.append(text)

    def _new_copy(self) -> Path:
        self._made += 1
        copy = self._folder / f"{self._made:06d}"
        with own_writes(self._folder):
            copy.touch()
        return copy

    def _hold(self, text: _Text) -> None:
        """Keep the file of `text` open while handles are available, so that its removal does not matter.

        Raises OSError if it cannot be opened.
        """
        handle = os.open(text.path, _READ)
        if self._handles > 0:
            text.handle, self._handles = handle, self._handles - 1
        else:
            os.close(handle)

    def _let_go(self, text: _Text) -> None:
        if text.handle is not None:
            os.close(text.handle)
            text.handle, self._handles = None, self._handles + 1

    def _is_being_packed(self, file: _There) -> bool:
        """Whether the file is compressed and may not be complete yet."""
        with suppress(OSError), file.path.open("rb") as stream:
            is_packed = _packing_of(stream.read(_HEAD), file.path.name) is not None
            return is_packed and self._ticks() - self._since(file.status) < _PACKED_SECONDS
        return False

    def _since(self, status: os.stat_result) -> float:
        """The tick since which a file has not changed. A modification time in the future counts as now: the clock
        was set back.
        """
        identity = (status.st_dev, status.st_ino)
        touched, since = self._stands.get(identity, (None, 0.0))
        if touched != status.st_mtime:
            since = self._ticks() - max(0.0, self._clock() - status.st_mtime)
            self._stands[identity] = (status.st_mtime, since)
        return since

    def _text_of(self, file: _There) -> _Text | None:
        """The text in the same folder that begins with `file`, or that `file` begins with; texts without a file
        first.
        """
        alike = [
            text
            for text in self._texts
            if text.size
            and not text.is_packed
            and text.given == file.given
            and log_of(text.relative) == log_of(file.relative)
        ]
        for text in sorted(alike, key=lambda text: (text.has_file, -text.size)):
            with suppress(OSError, EOFError, lzma.LZMAError):
                if _begin_alike(file.path, text.copy):
                    return text
        return None

    def _take_over(self, text: _Text, file: _There) -> None:
        """Continue `text` from `file`."""
        text.relative, text.path, text.has_file = file.relative, file.path, True
        head = _head_of(file.path)
        if _packing_of(head, file.path.name) is not None:
            is_read = text.read_size >= text.size  # then it has nothing new
            text.copy, text.is_packed, text.size, text.whole, text.tail = self._new_copy(), True, 0, 0, b""
            text.read_size = file.status.st_size if is_read else -1
        text.identity = file.identity
        if not text.is_packed and file.status.st_size < text.size:
            text.file_size = file.status.st_size
            return
        self._hold(text)
        self._read(text, file.status.st_size)

    def _read(self, text: _Text, size: int) -> None:
        """Copy the new part of `text`."""
        if size <= text.size or is_segment(text.path.name):
            return
        handle, own = text.handle, False
        if handle is None:
            try:
                handle, own = os.open(text.path, _READ), True
            except OSError:
                return
        try:
            os.lseek(handle, text.size, os.SEEK_SET)
            with own_writes(self._folder):
                out = text.copy.open("ab")
            with out:
                while True:
                    if hole := hole_at(handle, text.size, size):
                        text.size, text.tail = text.size + hole, bytes(_TAIL)
                        with own_writes(self._folder):
                            out.truncate(text.size)
                    if not (chunk := os.read(handle, _CHUNK)):
                        break
                    self._room.take(len(chunk))
                    with own_writes(self._folder):
                        out.write(chunk)
                    _grow(text, chunk)
            status = os.fstat(handle)
            text.touched, text.since = status.st_mtime, self._since(status)
        except OSError as error:
            self.unread[str(text.path)] = error.strerror or str(error)
            if not own:
                self._let_go(text)  # a remounted network file system has a new handle for it
        finally:
            if own:
                os.close(handle)

    def _end(self, text: _Text) -> None:
        """Stop copying `text`."""
        self._let_go(text)
        text.identity, text.has_file = None, False
        self._copies.clear()  # one of them may continue it

    def _settle_names(self) -> None:
        """Rename texts without a file whose name another file now has. Drop those that are rewritten instead of
        appended to. No two texts share a name.
        """
        held = {(text.given, text.relative) for text in self._texts if text.has_file}
        names = {(text.given, text.relative) for text in self._texts}
        for text in [text for text in self._texts if not text.has_file and (text.given, text.relative) in held]:
            if not _is_added_to(text):
                self._texts.remove(text)
                continue
            number = 1
            while (text.given, name := f"{text.relative}.{number}-rotated") in names:
                number += 1
            text.path = text.path.with_name(PurePosixPath(name).name)
            text.relative = name
            names.add((text.given, name))

    # --- pipes -----------------------------------------------------------------------------------------------------

    def _open_pipe(self, given: str, path: Path) -> None:
        name = f"pipe-{path.name}" if path.name.isdecimal() else path.name  # `/dev/fd/63`, of `<(…)`
        text = _Text(given, name, path, self._new_copy(), None)
        self._texts.append(text)
        self._pipes[given] = threading.Thread(target=self._drain, args=(text, path), daemon=True)

    def _drain(self, text: _Text, path: Path) -> None:
        """Copy the data of a pipe to its end; a named pipe is opened again for the next writer."""
        try:
            while not self._stop.is_set():
                with path.open("rb", buffering=0) as stream, text.copy.open("ab", buffering=0) as out:
                    while chunk := stream.read(1 << 16):
                        self._room.take(len(chunk))
                        out.write(chunk)
                if str(path).startswith("/dev/"):
                    return
        except OutputError as error:
            self._fault = error
        except OSError as error:
            self._fault = OutputError(f"{path}: cannot be read or copied any further ({error.strerror or error})")

    def _measure(self, text: _Text) -> None:
        """Note how far the copy of a pipe has come."""
        with text.copy.open("rb") as stream:
            stream.seek(text.size)
            while chunk := stream.read(_CHUNK):
                _grow(text, chunk)
                text.since = self._ticks()


def _begins_with(handle: int, text: _Text) -> bool:
    """Whether an open file still has the last bytes read of `text` at their position: it was not truncated and
    refilled.
    """
    os.lseek(handle, text.size - len(text.tail), os.SEEK_SET)
    return os.read(handle, len(text.tail)) == text.tail


def _grow(text: _Text, chunk: bytes) -> None:
    end = chunk.rfind(b"\n")
    if end >= 0:
        text.whole = text.size + end + 1
    text.size += len(chunk)
    text.tail = (text.tail + chunk)[-_TAIL:]


def _head_of(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_HEAD)


def _packing_of(head: bytes, name: str) -> str | None:
    return kind_of(head, name) or foreign_kind_of(head)


def _is_added_to(text: _Text) -> bool:
    """Whether a text is a log or an append-only evidence file; other files are rewritten."""
    with text.copy.open("rb") as stream:
        head = stream.read(1 << 16)
    layout = witness_layout(text.path.name, head.decode("utf-8", "replace"))
    return not text.is_packed and (layout is None or layout in GROWING)


def _begin_alike(file: Path, text: Path) -> bool:
    """Whether either text begins with the other and neither is empty; `file` is unpacked first.

    Raises OSError, EOFError or LZMAError if one cannot be read or unpacked.
    """
    head = _head_of(file)
    kind = kind_of(head, file.name)
    unpacked = _UNPACKED.get(kind or "")
    with unpacked(file) if unpacked else file.open("rb") as one, text.open("rb") as other:
        compared = 0
        while (ours := other.read(_CHUNK)) and (theirs := one.read(len(ours))):
            some = min(len(ours), len(theirs))
            if ours[:some] != theirs[:some]:
                return False
            compared += some
            if len(theirs) < len(ours):
                break
        return compared > 0
