"""Holds the files as they were found: the analysis reads that content, whatever happens to the files later.

Each file is opened when it is found, so that a rename or a removal does not matter, and copied up to its size at
that time. A live broker continues to write and rotate; the end of the run reports what changed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.room import Room, own_writes

_CHUNK = 4 << 20
_SPARE_HANDLES = 256  # for Spark's sockets, archives, and whatever the process has open
_MOST_HANDLES = 65_536


@dataclass(frozen=True)
class Held:
    """A file in its state when it was found; `handle` is None if the system's limit of open files is reached."""

    path: Path
    device: int
    inode: int
    size: int
    handle: int | None

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode, which a rename does not change."""
        return self.device, self.inode


@dataclass
class Copied:
    """The size of a copy, and a remark about it, if any."""

    size: int
    remark: str | None = None


class Handles:
    """Opens files and keeps them open, as many as the system allows."""

    def __init__(self) -> None:
        self._left = handles_left()

    def hold(self, file: Path) -> Held:
        """`file` in its current state. Raises OSError if it cannot be opened or is not a regular file."""
        handle = _opened(file)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "not a regular file", str(file))
        except OSError:
            os.close(handle)
            raise
        keep = self._left > 0
        self._left -= keep
        if not keep:
            os.close(handle)
        return Held(file, status.st_dev, status.st_ino, status.st_size, handle if keep else None)

    def copy(self, held: Held, to: Path, room: Room) -> Copied:
        """Writes the content of `held` to `to`, and closes it. Raises OSError if it cannot be read, OutputError if
        `to` cannot be written.
        """
        handle = held.handle if held.handle is not None else _found_again(held)
        try:
            return _copy(handle, held.size, to, room)
        finally:
            os.close(handle)
            self._left += held.handle is not None

    def let_go(self, held: Held) -> None:
        """Close the file without reading it."""
        if held.handle is not None:
            os.close(held.handle)
            self._left += 1


def _opened(file: Path) -> int:
    return os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def handles_left() -> int:
    """How many files may be held open, after raising the limit as far as this user may."""
    try:
        import resource
    except ImportError:  # not a Unix
        return 64
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_HANDLES if hard == resource.RLIM_INFINITY else min(hard, _MOST_HANDLES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return max(0, (_MOST_HANDLES if soft == resource.RLIM_INFINITY else soft) - _SPARE_HANDLES)


def _found_again(held: Held) -> int:
    """The same file, opened again under its old name, or under its new name in the same folder. Raises OSError if it
    is gone.
    """
    names = [held.path]
    with suppress(OSError), os.scandir(held.path.parent) as entries:
        names += sorted(Path(entry.path) for entry in entries if entry.inode() == held.inode)
    for name in names:
        with suppress(OSError):
            handle = _opened(name)
            status = os.fstat(handle)
            if (status.st_dev, status.st_ino) == held.identity:
                return handle
            os.close(handle)
    raise OSError(0, "was removed or replaced before it could be read", str(held.path))


def _copy(handle: int, size: int, to: Path, room: Room) -> Copied:
    copied, holes, fault = 0, 0, None
    if not size:
        os.read(handle, 1)  # a file that cannot be read is not an empty one
    with own_writes(to.parent):
        out = to.open("wb", buffering=0)
    with out:
        while copied < size:
            hole = hole_at(handle, copied, size)
            copied, holes = copied + hole, holes + hole
            try:
                chunk = os.read(handle, min(_CHUNK, size - copied))
            except OSError as error:
                if not copied:
                    raise
                fault = error.strerror or str(error)
                break
            if not chunk and copied < size:
                fault = "it was cut while it was read"
                break
            room.take(len(chunk))
            with own_writes(to.parent):
                out.write(chunk)
            copied += len(chunk)
    if fault is None:
        return Copied(copied, f"has holes of {holes:,} bytes: left out" if holes else None)
    return Copied(copied, f"held {size:,} bytes when it was found; {copied:,} of them could be read ({fault})")


def hole_at(handle: int, at: int, size: int) -> int:
    """The size of the large hole at `at` of a sparse file; 0 for data and small holes. The next read starts after
    the hole.
    """
    try:
        data = os.lseek(handle, at, os.SEEK_DATA)
    except OSError as error:
        data = size if error.errno == errno.ENXIO else at
    hole = min(data, size) - at
    hole = hole if hole > _CHUNK else 0
    os.lseek(handle, at + hole, os.SEEK_SET)
    return hole


@dataclass
class Watch:
    """Checks the files under the given folders again after the run."""

    files: list[tuple[str, Held]] = field(default_factory=list)
    folders: list[tuple[Path, str]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def changes(self, but: Sequence[Path] = ()) -> list[tuple[str, str]]:
        """A line for each file that changed since it was found, and for each new file; files under `but` are
        ignored.
        """
        changed: dict[str, list[str]] = {}
        present = set()
        for name, held in self.files:
            what = _changed(held)
            present.add(held.identity)
            if what is not None:
                changed.setdefault(what, []).append(name)
        for folder, prefix in self.folders:
            for file in _files(folder, but):
                with suppress(OSError):
                    status = file.stat()
                    if (status.st_dev, status.st_ino) not in present and str(file) not in self.known:
                        changed.setdefault("appeared after the files were found: not read", []).append(
                            f"{prefix}{file.relative_to(folder)}"
                        )
        return [line for what, names in changed.items() for line in _lines(what, names)]


def _changed(held: Held) -> str | None:
    try:
        status = os.stat(held.path)
    except OSError:
        return "was removed or renamed after it was found: read in its state at that time"
    if (status.st_dev, status.st_ino) != held.identity:
        return "was rotated or replaced after it was found: read in its state at that time"
    if status.st_size > held.size:
        return "has grown since it was found: read up to its size at that time"
    if status.st_size < held.size:
        return "was truncated after it was found: read in its state at that time"
    return None


def leads_out(entry: str | Path, folder: str | Path) -> bool:
    """Whether `entry` is a link to a file or folder outside of `folder`, which somebody else may have put there."""
    if not os.path.islink(entry):
        return False
    top, target = os.path.realpath(folder), os.path.realpath(entry)
    return os.path.exists(target) and os.path.commonpath((top, target)) != top


NOT_FOLLOWED = "a link out of the folder that was given: not followed; name it, or its target, to read it"


def files_under(
    given: Path, set_aside: Callable[[str, str], None], on_error: Callable[[OSError], None]
) -> Iterator[Path]:
    """Every regular file under `given`, in order of name; loops of links are followed once, and links out of `given`
    are not.

    `set_aside` receives the path of each other entry, and the reason; `on_error` a folder that cannot be listed.
    """
    if given.is_file():
        yield given
        return
    seen: set[tuple[int, int]] = set()
    for folder, folders, names in os.walk(given, followlinks=True, onerror=on_error):
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        outside = {name for name in (*folders, *names) if leads_out(os.path.join(folder, name), given)}
        for name in sorted(outside):
            set_aside(os.path.join(folder, name), NOT_FOLLOWED)
        folders[:] = sorted(set(folders) - outside)
        for name in sorted(set(names) - outside):
            file = Path(folder, name)
            try:
                is_regular, what = (
                    file.is_file(),
                    "not a regular file" if file.exists() else "a link that leads nowhere",
                )
            except OSError as error:  # such as a path that is too long
                is_regular, what = False, f"cannot be read: {error.strerror}"
            if is_regular:
                yield file
            else:
                set_aside(str(file), what)


def _files(folder: Path, but: Sequence[Path]) -> Iterator[Path]:
    skipped = {path.resolve() for path in but}
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if (here / name).resolve() not in skipped]
        files = (here / name for name in sorted(names))
        yield from (file for file in files if file.is_file() and not leads_out(file, folder))


def _lines(what: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    if len(names) <= 3:
        yield from ((name, what) for name in names)
    else:
        yield f"{len(names)} files", f"such as {names[0]}: each {what}"
