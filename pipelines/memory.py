"""The memory for Java: how much it gets, how much there is, and the error message if it is too little. And the memory that
this process gives back.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from replay.errors import SetupError

MEMORY_SETTING = "KAFKA_REPLAY_MEMORY"
DEFAULT = "3g"
LARGE_BYTES = 64 << 20  # a larger input is not a short incident of a small cluster
_got = [DEFAULT]  # the largest default size for Java
_LEAST_BYTES = 512 << 20  # Spark reserves 300 MB and refuses to start below 450
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_SIGNS = (
    "OutOfMemoryError",
    "Java heap space",
    "GC overhead limit exceeded",
    "Could not reserve enough space",
    "insufficient memory",
    "Cannot allocate memory",
)
_SIGNS_AT_START = (
    "must be at least",  # Spark's own: "System memory … must be at least …"
    "Initial heap size set to a larger value than the maximum heap size",
    "Invalid maximum heap size",
    "Too small maximum heap",
)
_OUT_OF_MEMORY = (3, 52, 134, 137, -9, -6)  # ExitOnOutOfMemoryError, Spark's own, an abort, a kill by the system


def given() -> str | None:
    """The size in `$KAFKA_REPLAY_MEMORY`; None if it is not set. Raises SetupError for an invalid size or too
    little.
    """
    text = os.environ.get(MEMORY_SETTING, "").strip()
    if not text:
        return None
    size = re.fullmatch(r"(\d+)\s*([kmgt]?)b?", text.lower())
    if size is None:
        raise SetupError(f"{MEMORY_SETTING}={text}: not a size; give one like 4g or 6000m")
    count = int(size.group(1)) << _UNITS[size.group(2) or "m"]
    if count < _LEAST_BYTES:
        raise SetupError(
            f"{MEMORY_SETTING}={text}: too little: Spark needs 512m to start and {DEFAULT} is usual; {_there_is()}; {_advice()}"
        )
    return f"{count >> 20}m"


def usual(input_bytes: int) -> str:
    """The default size for Java: 3 GB; for a large input half of the free memory, from 3 to 8 GB."""
    _, free = machine_bytes()
    large = input_bytes > LARGE_BYTES and free is not None
    _got[0] = f"{max(3, min(8, (free or 0) >> 31))}g" if large else DEFAULT
    return _got[0]


def shortage(output: str, exit_code: int | None = None, starting: bool = False) -> str | None:
    """The error message if the `output` or the exit code of Java shows that memory was too little; else None."""
    signs = (*_SIGNS, *_SIGNS_AT_START) if starting else _SIGNS
    if exit_code not in _OUT_OF_MEMORY and not any(sign in output for sign in signs):
        return None
    killed = exit_code in (-9, 137)
    had = os.environ.get(MEMORY_SETTING) or _got[0]
    what = "the system killed Java, most likely for want of memory" if killed else "Java ran out of memory"
    return f"{what}: it may use {had} and {_there_is()}; {_advice()}"


def machine_bytes() -> tuple[int | None, int | None]:
    """The memory of this machine, or this container, and how much of it is free; None if unknown."""
    try:
        words = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines() if ":" in line)
        total, free = (int(words[name].split()[0]) << 10 for name in ("MemTotal", "MemAvailable"))
    except (OSError, KeyError, ValueError):
        return None, None
    for limit in _LIMITS:
        try:
            total = min(total, int(Path(limit).read_text()))
        except (OSError, ValueError):
            continue
    return total, min(free, total)


def give_back() -> None:
    """Gives the memory that Arrow and the C library keep after rows were freed back to the system. They keep it for
    rows to come, and the next step has others.
    """
    import pyarrow as pa  # late: this module is loaded before Java starts

    pa.default_memory_pool().release_unused()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than glibc has no such function
            ctypes.CDLL(None).malloc_trim(0)


def _there_is() -> str:
    total, free = machine_bytes()
    if total is None or free is None:
        return "the memory of this machine is unknown"
    return f"this machine has {total / (1 << 30):.1f} GB, {free / (1 << 30):.1f} GB of them free"


def _advice() -> str:
    total, _ = machine_bytes()
    if total is not None and total < 4 << 30:
        return f"run on a machine with 4 GB or more, and set {MEMORY_SETTING} to the part to use"
    most = 8 if total is None else max(3, min(8, (total >> 30) // 2))
    return f"set {MEMORY_SETTING}={most}g, or give fewer files at once"
