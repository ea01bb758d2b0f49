"""Which folders are results, and whether they are whole, without the modules that read one."""

from __future__ import annotations

import os
from pathlib import Path

DELTA_LOG = "_delta_log"  # the folder of a Delta table that lists its files


def is_result(folder: Path) -> bool:
    """Whether `analyze` wrote `folder`, also if a table is gone since."""
    tables = folder / "tables"
    # False where the folder may not be entered.
    return os.path.isdir(tables / "events") or os.path.isdir(tables / "findings")


def rows_in(folder: Path) -> int | None:
    """How many rows the Parquet files of a folder hold, by their footers; None for a Delta table, whose log names its
    files, and if a file is damaged.
    """
    import pyarrow.parquet as pq  # a tenth of a second, which commands without a result need not wait for
    from pyarrow import ArrowException

    if (folder / DELTA_LOG).is_dir():
        return None
    try:
        return sum(int(pq.read_metadata(file).num_rows) for file in folder.glob("*.parquet"))
    except (OSError, ArrowException):
        return None
