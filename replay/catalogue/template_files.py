"""The templates as tables: `templates/NAME.tsv`, a row a template, with the fields of `Template` as columns.

A cell shows a tab as `\\t`, a line feed as `\\n` and a backslash as `\\\\`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from replay.catalogue.template import Template

COLUMNS = tuple(field.name for field in dataclasses.fields(Template))
_FOLDER = files("replay.catalogue") / "templates"  # also of a wheel, or of an archive that Python imports from
_SHOWN = {"\\": "\\\\", "\t": "\\t", "\n": "\\n"}
_MEANT = {shown: character for character, shown in _SHOWN.items()}
_ESCAPED = re.compile(r"\\.?")


@cache
def templates_of(name: str) -> tuple[Template, ...]:
    """The templates of `templates/NAME.tsv`, in the order of its rows. Raises ValueError for a row that is no template."""
    return tuple(parsed((_FOLDER / f"{name}.tsv").read_text(encoding="utf-8"), f"{name}.tsv"))


def parsed(text: str, file: str) -> list[Template]:
    """The templates of a table. Raises ValueError with `file`, the line and what is wrong."""
    header, *rows = text.removesuffix("\n").split("\n")
    if tuple(header.split("\t")) != COLUMNS:
        raise ValueError(f"{file}, line 1: the columns are not {', '.join(COLUMNS)}, separated by tabs")
    templates: list[Template] = []
    try:
        for row in rows:
            templates.append(Template(*_cells(row)))
    except ValueError as error:
        raise ValueError(f"{file}, line {len(templates) + 2}: {error}") from None
    return templates


def _cells(row: str) -> Iterable[str]:
    cells = row.split("\t")
    if len(cells) != len(COLUMNS):
        raise ValueError(f"{len(cells)} cells instead of {len(COLUMNS)} ({', '.join(COLUMNS)})")
    if "" in cells:
        raise ValueError(f"the cell of {COLUMNS[cells.index('')]} is empty")
    return map(_unescaped, cells) if "\\" in row else cells


def _unescaped(cell: str) -> str:
    return _ESCAPED.sub(lambda found: _character(found[0]), cell)


def _character(shown: str) -> str:
    if shown not in _MEANT:
        raise ValueError(f"{shown} is none of {', '.join(_MEANT)}")
    return _MEANT[shown]


def row_of(template: Template) -> str:
    """A template as a row of a table."""
    return "\t".join("".join(_SHOWN.get(each, each) for each in cell) for cell in dataclasses.astuple(template))


def written(templates: Iterable[Template]) -> str:
    """Templates as a table."""
    return "\n".join(["\t".join(COLUMNS), *map(row_of, templates), ""])
