r"""Reads and writes the tables of this package: one row per line, cells separated by tabs, column names on the first
line.

A cell escapes a tab as `\t`, a line feed as `\n` and a backslash as `\\`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

_FOLDER = files("replay.catalogue")  # works in a wheel or an imported archive, too
_SHOWN = {"\\": "\\\\", "\t": "\\t", "\n": "\\n"}
_MEANT = {shown: character for character, shown in _SHOWN.items()}
_ESCAPED = re.compile(r"\\.?")


def rows_of(file: str, columns: Sequence[str]) -> list[list[str]]:
    """The rows of a table of this package. Raises ValueError for a row without a text in each column."""
    return parsed((_FOLDER / file).read_text(encoding="utf-8"), file, columns)


def parsed(text: str, file: str, columns: Sequence[str]) -> list[list[str]]:
    """The rows of a table. Raises ValueError that names `file`, the line and the error."""
    header, *lines = text.removesuffix("\n").split("\n")
    if header.split("\t") != [*columns]:
        raise ValueError(f"{file}, line 1: the columns are not {', '.join(columns)}, separated by tabs")
    rows: list[list[str]] = []
    try:
        for line in lines:
            rows.append(_cells(line, columns))
    except ValueError as error:
        raise ValueError(f"{file}, line {len(rows) + 2}: {error}") from None
    return rows


def _cells(line: str, columns: Sequence[str]) -> list[str]:
    cells = line.split("\t")
    if len(cells) != len(columns):
        raise ValueError(f"{len(cells)} cells instead of {len(columns)} ({', '.join(columns)})")
    if "" in cells:
        raise ValueError(f"the cell of {columns[cells.index('')]} is empty")
    return [*map(_unescaped, cells)] if "\\" in line else cells


def _unescaped(cell: str) -> str:
    return _ESCAPED.sub(lambda found: _character(found[0]), cell)


def _character(shown: str) -> str:
    if shown not in _MEANT:
        raise ValueError(f"{shown} is none of {', '.join(_MEANT)}")
    return _MEANT[shown]


def line_of(cells: Iterable[str]) -> str:
    """A row as one line of a table."""
    return "\t".join("".join(_SHOWN.get(each, each) for each in cell) for cell in cells)
