"""Rows of one partition, put together by what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

R = TypeVar("R")
K = TypeVar("K", bound=Hashable)


def grouped(rows: Iterable[R], key: Callable[[R], K]) -> dict[K, list[R]]:
    """The rows by their key, each group in the order of the rows."""
    groups: dict[K, list[R]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups
