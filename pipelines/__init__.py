"""Sessions, files, the command line, and the notebook interface: `Replay` and `explain_lines`."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    """`Replay` and `explain_lines`, loaded on first use: the command line does not need them and starts faster."""
    if name == "Replay":
        from pipelines.notebook import Replay

        return Replay
    if name == "explain_lines":
        from pipelines.notebook import explain_lines

        return explain_lines
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
