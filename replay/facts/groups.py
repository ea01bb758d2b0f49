"""Groups rows by a key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


@overload
def by_key(rows: Iterable[T], key: Callable[[T], K]) -> defaultdict[K, list[T]]: ...
@overload
def by_key(rows: Iterable[T], key: Callable[[T], K], value: Callable[[T], V]) -> defaultdict[K, list[V]]: ...
def by_key(rows: Iterable[Any], key: Callable[[Any], Any], value: Callable[[Any], Any] | None = None) -> Any:
    """The rows, or a value of each, by a key; each group keeps their order. A key without rows has an empty list."""
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row if value is None else value(row))
    return groups


def grouped(rows: Iterable[T], key: Callable[[T], K | None]) -> dict[K, list[T]]:
    """The rows by a key; omits rows without one."""
    return {name: own for name, own in by_key(rows, key).items() if name is not None}


def merged(rows: Iterable[T], key: Callable[[T], Any], both: Callable[[T, T], T]) -> list[T]:
    """One row for each key: `both` merges two rows."""
    return [reduce(both, same) for same in by_key(rows, key).values()]
