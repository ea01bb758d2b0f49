"""Sessions, files, the command line, and `Replay` and `explain_lines`, what notebooks work with."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """`Replay` and `explain_lines`, loaded when asked for: the command line does without it, and starts sooner."""
    if name == "Replay":
        from pipelines.notebook import Replay

        return Replay
    if name == "explain_lines":
        from pipelines.notebook import explain_lines

        return explain_lines
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
