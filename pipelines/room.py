"""Space for the work in between. A full disk is told as one, never taken for a fault of the files that are read."""

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
    """What is written into `folder`, over all files and archives together.

    As much again as was written must stay free for the tables in between, up to `spare_bytes`.
    """

    def __init__(self, folder: Path, spare_bytes: int = SPARE_BYTES) -> None:
        self._folder, self._spare_bytes = folder, spare_bytes
        self._taken = self._unchecked = 0

    def take(self, count: int) -> None:
        """`count` bytes are about to be written. Raises OutputError where too little would stay free."""
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
    """Whether the disk, or what this user may use of it, is full."""
    return error.errno in _FULL


def no_room(folder: Path, error: OSError) -> OutputError:
    """What to say where something cannot be written into the work folder."""
    return OutputError(
        f"{folder}: cannot be written ({error.strerror or error}); free space or set TMPDIR to a folder on another disk"
    )


@contextmanager
def own_writes(folder: Path) -> Iterator[None]:
    """What fails within is our own writing into `folder`: an OutputError, whatever the system called it."""
    try:
        yield
    except OSError as error:
        raise no_room(folder, error) from error
