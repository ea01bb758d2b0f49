"""The text for an unexpected error.

The user can fix a full disk or too little memory. Any other error is a fault of this program and is reported with
the file of its stack trace.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sys
import tempfile
import traceback

from pipelines.terminal import plain_line, short_path, shown
from replay.reading.secrets import hidden_text

_NEEDED_BY_SPARK = 64 << 20
_UNUSABLE = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EROFS)


def failure(error: Exception) -> tuple[str, int]:
    """The error as one line, and the exit status: 2 for problems that the user can fix, 3 for a fault of the
    program.
    """
    text = "".join(traceback.format_exception(error))
    short = _refused(error) or _for_the_user(text)
    if short is not None:
        return plain_line(short), 2
    first = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
    return (
        f"a fault of this program: {plain_line(first)}; the whole trace is in {shown(_written(hidden_text(text)))}",
        3,
    )


def _refused(error: Exception) -> str | None:
    """The text for a path that this user may not use, or that names nothing that anyone can use."""
    if not isinstance(error, OSError) or not isinstance(error.filename, (str, bytes)):
        return None
    if not isinstance(error, PermissionError) and error.errno not in _UNUSABLE:
        return None
    return f"{shown(short_path(os.fsdecode(error.filename)))}: cannot be used: {error.strerror}"


def _written(trace: str) -> str:
    """The path of the file with a stack trace. Each trace is written once, however often it occurs."""
    digest = hashlib.blake2b(trace.encode("utf-8", "backslashreplace"), digest_size=5).hexdigest()
    try:
        name = os.path.join(tempfile.gettempdir(), f"kafka-replay-fault-{os.getuid()}-{digest}.txt")
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(trace)
    except FileExistsError:
        pass
    except OSError:
        return "no file, because none could be written"
    return name


def _for_the_user(text: str) -> str | None:
    """The text for an error that the user can fix, recognized by its stack trace; None for any other error."""
    if "No space left on device" in text or "Disk quota exceeded" in text:
        return (
            f"a disk is full: that of the work in between ({_temporary()}), or that of the output; free space, or name "
            "another disk with TMPDIR or --out"
        )
    if "No usable temporary directory" in text:
        return "no folder for the work in between can be written; free space or set TMPDIR to a folder that can"
    from pipelines import memory

    session = sys.modules.get("pipelines.session")
    java = session.java_process() if session is not None else None
    return (java.fault() if java is not None else None) or memory.shortage(text) or _without_room(text)


def _without_room(text: str) -> str | None:
    """The text for an error of Java beside a full disk: some of them name only a file that is not there."""
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
    except OSError:
        return None
    if "Py4JJavaError" not in text or free >= _NEEDED_BY_SPARK:
        return None
    return f"{free >> 20} MB are free in {_temporary()}, too little for Spark; free space or set TMPDIR to another disk"


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder"
