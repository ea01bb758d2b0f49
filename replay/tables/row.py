"""The rows of tables in plain Python: each table is a small class, declared in `replay.tables`."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar, Self, TypeAlias

MaybeNone: TypeAlias = Any
"""In `int | MaybeNone`: the value can be None. Type checkers verify the name and the type; the rules handle null."""


class Row:
    """A row of a table. Its attributes are the table's columns; a column without a value is None.

    Rows are immutable for type checkers only: a check at run time would cost too much, because every line becomes a
    row.
    """

    __slots__ = ()
    _names: ClassVar[tuple[str, ...]]
    _values: ClassVar[Any]  # the values of all columns, for comparison

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        slots = [name for base in reversed(cls.__mro__) for name in base.__dict__.get("__slots__", ())]
        if slots:
            cls._names, cls._values = tuple(slots), attrgetter(*slots)
            if len(slots) == 1:
                cls._values = staticmethod(lambda row, only=slots[0]: (getattr(row, only),))

    def but(self, **changes: Any) -> Self:
        """A copy of this row with other values in some columns."""
        new = type(self)(*self._values(self))
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__ and bool(self._values(self) == self._values(other))

    def __hash__(self) -> int:
        return hash(self._values(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names)})"
