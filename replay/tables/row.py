"""The rows of a table in plain Python: one small frozen class a table, made from its declaration."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any


class Row:
    """A row of some table. Its attributes are the table's columns; one that was not given is None."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *values: Any, **named: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...

    def but(self, **changes: Any) -> Row:
        """This row with other values of some columns."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


def row_class(name: str, columns: Iterable[str]) -> type[Row]:
    """The class of the rows of a table of these columns."""
    fields = [(column, Any, dataclasses.field(default=None)) for column in columns]
    title = "".join(word.capitalize() for word in name.split("_"))
    return dataclasses.make_dataclass(title, fields, bases=(Row,), frozen=True, slots=True)
