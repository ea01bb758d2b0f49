"""Sessions, files, the command line, and `Replay`, the object that notebooks work with."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """`Replay`, loaded when it is asked for: the command line does without it, and starts sooner."""
    if name == "Replay":
        from pipelines.notebook import Replay

        return Replay
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
