"""Which folders are results, without the modules that read one."""

from __future__ import annotations

import os
from pathlib import Path


def is_result(folder: Path) -> bool:
    """Whether `analyze` wrote `folder`."""
    tables = folder / "tables"
    # False where the folder may not be entered.
    return os.path.isdir(tables / "events") and os.path.isdir(tables / "findings")
