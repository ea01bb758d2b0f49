"""Space for intermediate files. A full disk is reported as such, never mistaken for a fault of the input files."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replay.errors import OutputError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_CHECK_EVERY = 16 << 20
SPARE_BYTES = 1 << 30


class Room:
    """The bytes written into `folder`, over all files and archives together.

    The same amount, at most `spare_bytes`, must stay free for intermediate tables.
    """

    def __init__(self, folder: Path, spare_bytes: int = SPARE_BYTES) -> None:
        self._folder, self._spare_bytes = folder, spare_bytes
        self._taken = self._unchecked = 0

    def take(self, count: int) -> None:
        """Reserve `count` bytes before writing them. Raises OutputError if too little would stay free."""
        self._taken += count
        self._unchecked += count
        if self._unchecked >= _CHECK_EVERY or self._taken == count:
            self._unchecked = 0
            needed = count + min(self._spare_bytes, self._taken)
            free = shutil.disk_usage(self._folder).free
            if free < needed:
                raise OutputError(
                    f"{self._folder}: too little space: {free >> 20:,} MB are free and {needed >> 20:,} MB more are "
                    "needed to lay out the files and work on them; free space or set TMPDIR to a folder on another disk"
                )


def is_full(error: OSError) -> bool:
    """Whether the disk, or this user's quota on it, is full."""
    return error.errno in _FULL


def no_room(folder: Path, error: OSError, shared: bool = False) -> OutputError:
    """The error for a failed write into the work folder. `shared`: whether the caller named the folder."""
    remedy = "name another folder with shared=…" if shared else "set TMPDIR to a folder on another disk"
    return OutputError(f"{folder}: cannot be written ({error.strerror or error}); free space or {remedy}")


@contextmanager
def own_writes(folder: Path) -> Iterator[None]:
    """Within this block, an OSError becomes an OutputError about `folder`."""
    try:
        yield
    except OSError as error:
        raise no_room(folder, error) from error
