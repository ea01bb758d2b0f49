"""Kafka Replay for notebooks and programs: `from kafka_replay import Replay, explain_lines`.

The wheel also holds the packages `replay`, `pipelines` and `viz`, which this package imports. If Python finds others of
these names first, the import fails with one line that says where they are.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what editors and type checkers see; at run time the names are loaded when asked for
    from pipelines.notebook import Replay, explain_lines
    from pipelines.registered import register
    from replay.errors import ReplayError

_PACKAGES = ("replay", "pipelines", "viz")
_PUBLIC = {
    "Replay": "pipelines.notebook",
    "ReplayError": "replay.errors",
    "explain_lines": "pipelines.notebook",
    "register": "pipelines.registered",
}
__all__ = ["Replay", "ReplayError", "explain_lines", "register"]


def _check() -> None:
    """Raises ImportError if Python finds another package than the one beside this."""
    beside = Path(__file__).resolve().parent.parent
    for name in _PACKAGES:
        found = importlib.util.find_spec(name)
        where = None if found is None or not found.submodule_search_locations else found.submodule_search_locations[0]
        if where is None or Path(where).resolve() != beside / name:
            other = where or (found.origin if found is not None else None)
            raise ImportError(
                f"kafka_replay needs its own package {name!r} in {beside}, but Python finds {other or 'none'}; rename the "
                "other one, or move it to the end of sys.path"
            )


_check()


def __getattr__(name: str) -> Any:
    """The public names, loaded when asked for: PySpark and Plotly take seconds to load."""
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)
