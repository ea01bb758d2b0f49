"""The rows of tables in plain Python: each table is a small frozen class, declared in `replay.tables`."""

from __future__ import annotations

import dataclasses
from typing import Any, Self, TypeAlias

MaybeNone: TypeAlias = Any
"""In `int | MaybeNone`: the value can be None. Type checkers verify the name and the type, and leave null to the rules."""


class Row:
    """A row of some table. Its attributes are the table's columns; a column without a value is None."""

    __slots__ = ()

    def but(self, **changes: Any) -> Self:
        """This row with other values in some columns."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]
