"""Comparisons of values that may be unknown: None sorts before every value, but is neither less nor greater than
any.
"""

from __future__ import annotations

from typing import Any


def nulls_first(*values: Any) -> tuple[tuple[bool, Any], ...]:
    """A key to sort by: the values in turn, None before all others."""
    return tuple([(value is not None, value) for value in values])


def less(one: Any, other: Any) -> bool:
    """Whether both are known and `one` is less than `other`."""
    return one is not None and other is not None and one < other


def at_most(one: Any, other: Any) -> bool:
    """Whether both are known and `one` is not greater than `other`."""
    return one is not None and other is not None and one <= other
