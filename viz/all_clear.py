"""What a result says about lost records that it does not name: the row of `all_clear`, for every surface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from viz import frames

NONE_LOST = "none found"  # how the record of an incident begins that names no loss


def all_clear(tables: Mapping[str, pd.DataFrame]) -> Any | None:
    """The row; None of a result without one."""
    return next(iter(frames.table(tables, "all_clear")), None) if "all_clear" in tables else None


def statement(tables: Mapping[str, pd.DataFrame]) -> str | None:
    """The row as a sentence; None if rows of `losses` say it, or nothing is known."""
    row = all_clear(tables)
    return None if row is None else row.statement


def basis(tables: Mapping[str, pd.DataFrame]) -> str:
    """Why no row of `losses` names a loss; with what the logs lack, if they do not rule one out."""
    row = all_clear(tables)
    if row is None or not row.doubts:
        return "No leader change, truncation or restart here could have lost data. This rests on the lines read, not on the data itself."
    return f"No line shows a leader change, truncation or restart here that could have lost data. {row.doubts[0]}"


def deletions(tables: Mapping[str, pd.DataFrame]) -> str:
    """What was deleted by request and counts in no figure, in a sentence; empty if nothing was."""
    row = all_clear(tables)
    return "" if row is None else getattr(row, "deletions", None) or ""


def is_ruled_out(tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether the logs rule out losses that no line shows."""
    row = all_clear(tables)
    return row is not None and row.verdict in ("none_possible", "none_found")


def names_none(lost: str | None) -> bool:
    """Whether the record of an incident names no loss, ruled out or not."""
    return (lost or "").startswith(NONE_LOST)
