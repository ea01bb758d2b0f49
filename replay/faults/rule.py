"""Which events a rule finds its faults in, so that what cannot find any is not planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from pyspark.sql import DataFrame

Rule = Callable[..., DataFrame]
Kinds = frozenset[str] | None  # the kinds of event that there are; None: not known


def finds_in(*kinds: str) -> Callable[[Rule], Rule]:
    """A rule that finds nothing where no event is of one of these kinds."""

    def marked(rule: Rule) -> Rule:
        rule.kinds = frozenset(kinds)  # type: ignore[attr-defined]
        return rule

    return marked


def can_find(rule: Rule, kinds: Kinds) -> bool:
    """Whether there are events that the rule finds faults in; one that is not marked may always find some."""
    needed: Kinds = getattr(rule, "kinds", None)
    return kinds is None or needed is None or bool(needed & kinds)


def all_of(*faults: DataFrame) -> DataFrame:
    """The faults of several rules. Returns `FAULTS`."""
    return reduce(DataFrame.unionByName, faults)


def found(rules: Iterable[tuple[Rule, tuple[DataFrame, ...]]], kinds: Kinds, none: DataFrame) -> DataFrame:
    """What the rules find, each given its frames; `none` has no rows, for where no rule can find any."""
    faults = [rule(*given) for rule, given in rules if can_find(rule, kinds)]
    return all_of(*faults) if faults else none
