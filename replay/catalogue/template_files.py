"""The templates as tables: `templates/NAME.tsv`, one row per template, with the fields of `Template` as columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, fields
from functools import cache

from replay.catalogue.own_tables import line_of, parsed, rows_of
from replay.catalogue.template import Template

COLUMNS = tuple(field.name for field in fields(Template))


@cache
def templates_of(name: str) -> tuple[Template, ...]:
    """The templates of `templates/NAME.tsv`, in the order of its rows. Raises ValueError for an invalid row."""
    return tuple(Template(*cells) for cells in rows_of(f"templates/{name}.tsv", COLUMNS))


def templates_in(text: str, file: str) -> list[Template]:
    """The templates of a table. Raises ValueError that names `file`, the line and the error."""
    return [Template(*cells) for cells in parsed(text, file, COLUMNS)]


def row_of(template: Template) -> str:
    """A template as a row of a table."""
    return line_of(astuple(template))


def written(templates: Iterable[Template]) -> str:
    """Templates as a table."""
    return "\n".join([line_of(COLUMNS), *map(row_of, templates), ""])
