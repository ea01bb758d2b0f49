"""Which folders are results, without the modules that read one."""

from __future__ import annotations

import os
from pathlib import Path


def is_result(folder: Path) -> bool:
    """Whether `analyze` wrote `folder`, also if a table is gone since."""
    tables = folder / "tables"
    # False where the folder may not be entered.
    return os.path.isdir(tables / "events") or os.path.isdir(tables / "findings")
