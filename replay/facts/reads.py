"""Which kinds of event are read: what a rule says that it reads comes over as `FACTS`, nothing else does; what is gathered of
kinds that do not occur is not planned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

READ: set[str] = set()  # the kinds of event that some rule reads

F = TypeVar("F", bound=Callable[..., object])


def reads(*kinds: str) -> Callable[[F], F]:
    """Notes that a function reads events of these kinds."""

    def noted(function: F) -> F:
        READ.update(kinds)
        function.kinds = getattr(function, "kinds", frozenset()) | frozenset(kinds)  # type: ignore[attr-defined]
        return function

    return noted


def gathers(*kinds: str) -> Callable[[F], F]:
    """Notes that a function makes a table of events of these kinds, in Spark: where there are none, it has no row."""

    def noted(function: F) -> F:
        function.gathers = frozenset(kinds)  # type: ignore[attr-defined]
        return function

    return noted
