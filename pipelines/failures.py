"""What is said of an error that nobody foresaw: a full disk, or memory that does not suffice, is the user's to mend;
anything else is a fault of this program, told with where its trace lies.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback

from pipelines.terminal import shown, told
from replay.reading.secrets import hidden_text


def failure(error: Exception) -> tuple[str, int]:
    """One line, and the exit status that goes with it: 2 for what the user can mend, 3 for a fault of the program."""
    text = "".join(traceback.format_exception(error))
    short = _for_the_user(text)
    if short is not None:
        return told(short), 2
    first = str(error).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
    try:
        handle, name = tempfile.mkstemp(prefix="kafka-replay-fault-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(hidden_text(text))
    except OSError:
        name = "no file, for none could be written"
    return f"a fault of this program: {told(first)}; the whole trace is in {shown(name)}", 3


def _for_the_user(text: str) -> str | None:
    """What to say of an error that the user can mend, by its trace; null for any other."""
    if "No space left on device" in text or "Disk quota exceeded" in text:
        return f"the disk is full (work is done in {_temporary()}); free space or set TMPDIR to another disk"
    if "No usable temporary directory" in text:
        return "no folder for the work in between can be written; free space or set TMPDIR to a folder that can"
    from pipelines import memory

    session = sys.modules.get("pipelines.session")
    java = session.java_process() if session is not None else None
    return (java.fault() if java is not None else None) or memory.told(text)


def _temporary() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        return "the temporary folder"
