"""Rows by what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K")


def grouped(rows: Iterable[T], key: Callable[[T], K | None]) -> dict[K, list[T]]:
    """The rows by a key, each group in their order; those without one are left out."""
    groups: dict[K, list[T]] = {}
    for row in rows:
        name = key(row)
        if name is not None:
            groups.setdefault(name, []).append(row)
    return groups
