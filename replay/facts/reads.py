"""The kinds of events that rules declare to read; only these become `FACTS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

READ: set[str] = set()  # the kinds of event that some rule reads
EACH: set[str] = set()  # the kinds for which a rule needs every line, even if many lines form one run

F = TypeVar("F", bound=Callable[..., object])


def reads(*kinds: str) -> Callable[[F], F]:
    """Marks a function as a reader of events of these kinds."""

    def noted(function: F) -> F:
        READ.update(kinds)
        function.kinds = getattr(function, "kinds", frozenset()) | frozenset(kinds)  # type: ignore[attr-defined]
        return function

    return noted


def reads_each(*kinds: str) -> Callable[[F], F]:
    """Marks a function as a reader of events of these kinds, where each event changes the state, so that none may
    represent others. Use it only for kinds of starts, stops, and changes of members and controllers.
    """
    EACH.update(kinds)
    return reads(*kinds)
