"""Folders for intermediate files. The process that made a folder holds a lock on it; later processes remove the
folders of killed ones.

The system releases the lock when the process ends, however it ends.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipelines.room import no_room
from replay.errors import OutputError, ReplayError

PREFIX = "kafka-replay-run-"
_WRITTEN_BY_OTHERS, _READ_BY_OTHERS = 0o022, 0o755
_MADE = "[a-z0-9_]{8}"  # what `mkdtemp` appends to a prefix


class Owned:
    """A locked folder of this process, until `remove` or `release`. A `shared` folder has the permissions of its
    parent, because Spark's workers can be another user.
    """

    def __init__(self, prefix: str, parent: Path, shared: bool = False) -> None:
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            if shared:
                give_rights_of_parent(self.path)
            self._handle = _locked(self.path, wait=True)
            if self.path.is_dir():  # it was not removed between the two lines above
                break
            self.release()
        self._is_kept = False

    def keep(self) -> None:
        """Release the folder, so that `remove` does not remove it."""
        self._is_kept = True
        self.release()

    def release(self) -> None:
        """Release the lock; the folder stays."""
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None

    def remove(self) -> None:
        """Remove the folder and release it. A request to end the program waits until this is done."""
        if self._is_kept:
            return
        try:
            shutil.rmtree(self.path, ignore_errors=True)
        except KeyboardInterrupt:
            shutil.rmtree(self.path, ignore_errors=True)
            raise
        finally:
            self.release()


@contextmanager
def work_folder(shared: Path | None = None) -> Iterator[Path]:
    """A folder for one run, in the folder `shared` that Spark's workers can read, or else among temporary files.

    First removes folders that earlier runs left there. Raises OutputError if the folder cannot be made.
    """
    folder = _new(shared or Path(tempfile.gettempdir()), shared=shared is not None)
    try:
        yield folder.path
    except Exception as error:
        raise_if_gone(folder.path, error)
        raise
    finally:
        folder.remove()


def raise_if_gone(folder: Path, error: Exception) -> None:
    """Raises OutputError instead of `error` if another process removed the folder in which this run works."""
    if not isinstance(error, ReplayError) and not folder.is_dir():
        raise OutputError(
            f"{folder}: another process removed this folder of the run in progress; nothing was written, run it again"
        ) from error


_of_process: list[Owned] = []


def process_folder() -> Path:
    """The folder of this process, removed when it ends: for Java's launcher, and the files of Java and Spark."""
    if not _of_process or not _of_process[0].path.is_dir():
        _of_process[:] = [_new(Path(tempfile.gettempdir()))]
        atexit.register(_of_process[0].remove)
    return _of_process[0].path


def shared_folder(parent: Path) -> Path:
    """A folder in `parent`, which Spark's workers can read but not write, that lives as long as this process. Raises
    OutputError if it cannot be made.
    """
    folder = _new(parent, shared=True)
    with suppress(OSError):
        folder.path.chmod(folder.path.stat().st_mode & _READ_BY_OTHERS)
    atexit.register(folder.remove)
    return folder.path


def kept_folder(prefix: str, shared: Path | None) -> Path:
    """A new folder that stays when this process ends: in `shared`, which Spark's workers can read and which is
    created if needed, or else among temporary files. Raises OutputError if it cannot be made.
    """
    try:
        if shared is None:
            return Path(tempfile.mkdtemp(prefix=prefix))
        shared.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=shared))
    except OSError as error:
        raise no_room(shared or Path(tempfile.gettempdir()), error, shared=shared is not None) from error
    give_rights_of_parent(folder)
    return folder


def give_rights_of_parent(folder: Path) -> None:
    """Give `folder` the permissions of its parent, and no more: where others may write, they can neither remove nor
    replace what this process wrote. A file system without permissions ignores this.
    """
    with suppress(OSError):
        mode = folder.parent.stat().st_mode & 0o777
        folder.chmod(mode | stat.S_ISVTX if mode & _WRITTEN_BY_OTHERS else mode)


def is_own_file(status: os.stat_result) -> bool:
    """Whether this user wrote a file and nobody else may change it."""
    is_owner = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return stat.S_ISREG(status.st_mode) and is_owner and not status.st_mode & _WRITTEN_BY_OTHERS


def _new(parent: Path, shared: bool = False) -> Owned:
    for left in left_behind(PREFIX, parent):
        shutil.rmtree(left, ignore_errors=True)
    try:
        if shared:
            parent.mkdir(parents=True, exist_ok=True)
        return Owned(PREFIX, parent, shared)
    except OSError as error:
        raise no_room(parent, error, shared) from error


def left_behind(prefix: str, parent: Path) -> Iterator[Path]:
    """Folders that `Owned` made with `prefix` and whose process has ended; each is locked while the caller uses it."""
    named = re.compile(re.escape(prefix) + _MADE)
    try:
        entries = sorted(entry.path for entry in os.scandir(parent) if named.fullmatch(entry.name))
    except OSError:
        return
    for path in map(Path, entries):
        with suppress(OSError):
            if path.is_symlink() or not path.is_dir() or (hasattr(os, "getuid") and path.stat().st_uid != os.getuid()):
                continue
            handle = _locked(path, wait=False)
            if handle is not None:
                try:
                    yield path
                finally:
                    os.close(handle)


@contextmanager
def held_alone(path: Path) -> Iterator[bool]:
    """Whether no other process of this user holds `path`, which need not exist, within this block. True where the
    system has no locks.
    """
    named = hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=8).hexdigest()
    file = Path(tempfile.gettempdir(), f"kafka-replay-held-{named}")
    handle = None
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_held = True
    except BlockingIOError:
        is_held = False
    except (OSError, ImportError):  # another user's file, a full disk, a file system without locks, not a Unix
        is_held = True
    try:
        yield is_held
    finally:
        if handle is not None:
            if is_held:
                file.unlink(missing_ok=True)
            os.close(handle)


def _locked(folder: Path, wait: bool) -> int | None:
    """The handle that holds the lock on a folder; None if another process has the lock, or the file system has no
    locks.
    """
    try:
        import fcntl
    except ImportError:  # not a Unix: nothing is ever cleared there
        return None
    handle = None
    try:
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        if handle is not None:
            os.close(handle)
        return None
    return handle
