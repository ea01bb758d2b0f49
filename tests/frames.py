"""Small pandas frames as text, for figures and the page: the counterpart of `tests.tables` without Spark.

    start_ts | topic  | partition | isr | evidence
    10:00:01 | orders | 3         | 1,2 | e1,e2

Columns are those of the table in `viz.frames.COLUMNS`. A blank cell is null, `[]` an empty list; a time without a date is on `DAY`, in UTC.
"""

from __future__ import annotations

import pandas as pd

from viz.frames import COLUMNS

DAY = "2024-05-01"


def at(time: str) -> pd.Timestamp:
    """A time on `DAY`."""
    return pd.Timestamp(f"{DAY} {time}")


def frame(table: str, text: str) -> pd.DataFrame:
    """The rows of `text` as a frame; the columns that it does not name are null."""
    lines = [line for line in text.splitlines() if line.strip()]
    names = [name.strip() for name in lines[0].split("|")]
    unknown = set(names) - COLUMNS[table].keys()
    assert not unknown, f"{table} has no column {unknown}"
    rows = [[cell.strip() for cell in line.split("|")] for line in lines[1:]]
    named = pd.DataFrame(
        [[_value(cell, COLUMNS[table][name]) for name, cell in zip(names, row, strict=True)] for row in rows],
        columns=names,
    )
    return whole(table, named)


def whole(table: str, some: pd.DataFrame) -> pd.DataFrame:
    """A frame with all columns of a table: missing ones are null."""
    missing = {
        name: pd.Series([[] if kind == "list" else None for _ in some.index], some.index, object)
        for name, kind in COLUMNS[table].items()
        if name not in some
    }
    return some.assign(**missing)


def _value(cell: str, kind: str) -> object:
    if kind == "list":
        return [
            int(item) if item.lstrip("-").isdigit() else item
            for item in (part.strip() for part in cell.strip("[]").split(","))
            if item
        ]
    if not cell:
        return None
    return {"int": int, "float": float, "str": str, "time": at, "bool": lambda text: text == "true"}[kind](cell)
