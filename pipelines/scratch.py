"""Folders for intermediate files. The process that made a folder holds it; the next process clears the folders of
killed ones.

A lock on the folder shows that its process is alive; the system releases it with the process, however that ends.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pipelines.room import no_room

PREFIX = "kafka-replay-run-"
_MADE = "[a-z0-9_]{8}"  # what `mkdtemp` appends to a prefix


class Owned:
    """A folder of this process, until `remove` or `release`. One that is `shared` has the rights of its parent: Spark's
    workers can be another user.
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
        """Release the folder, and let `remove` leave it."""
        self._is_kept = True
        self.release()

    def release(self) -> None:
        """Let go of the folder, which stays."""
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None

    def remove(self) -> None:
        """Remove the folder and release it; a request to end during this waits until it is done."""
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
    """A folder for one run, in the folder `shared` that Spark's workers see, or else among temporary files. What earlier
    runs left there is cleared first. Raises OutputError if none can be made.
    """
    folder = _new(shared or Path(tempfile.gettempdir()), shared=shared is not None)
    try:
        yield folder.path
    finally:
        folder.remove()


_of_process: list[Owned] = []


def process_folder() -> Path:
    """The folder of this process, for data that lives as long as it does: Java's launcher, and the files of Java and
    Spark.
    """
    if not _of_process or not _of_process[0].path.is_dir():
        _of_process[:] = [_new(Path(tempfile.gettempdir()))]
        atexit.register(_of_process[0].remove)
    return _of_process[0].path


def shared_folder(parent: Path) -> Path:
    """A folder in `parent`, which Spark's workers see, for what lives as long as this process. Raises OutputError if none
    can be made.
    """
    folder = _new(parent, shared=True)
    atexit.register(folder.remove)
    return folder.path


def kept_folder(prefix: str, shared: Path | None) -> Path:
    """A new folder that stays when this process ends: in `shared`, which Spark's workers see and which is made if it is
    not there, or else among temporary files. Raises OutputError if none can be made.
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
    """Let those into `folder` who may enter its parent; a file system without rights has nothing to change."""
    with suppress(OSError):
        folder.chmod(folder.parent.stat().st_mode & 0o777)


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
    """Folders that `Owned` made with `prefix` and whose process is dead; each is held while it is checked."""
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


def _locked(folder: Path, wait: bool) -> int | None:
    """The handle of a folder that is locked with it; null where another has it, or the file system has no locks."""
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
