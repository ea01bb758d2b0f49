r"""How many steps a regular expression can need at one position of a text, at most.

A matcher that backtracks tries each way to divide a text between repetitions that read the same letters:
`[^\n]{0,100}x[^\n]{0,100}y` has 101 places for the `x` and then 101 for the `y`, about 10,000 steps. A repetition whose
letters differ from what follows it (`\d{1,9} ms`) has only one way. The patterns of a stranger's pack must stay below a
limit, whatever the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from replay.patterns import bounded

MOST_STEPS = 50_000
ENDLESS = 10**12  # more than any limit
_LONG = 20_000  # characters of a text that is searched
_LETTERS = [*map(chr, range(128)), "\x85", "\xa0", "é", "中", "٣"]
_EVERY = (1 << len(_LETTERS)) - 1


class UnboundedError(ValueError):
    """A pattern has a part whose steps have no bound."""


@dataclass(frozen=True)
class _Cost:
    """The ways to match a part, and the steps for all of them."""

    ways: int
    steps: int


def steps_of(regex: str) -> int:
    """The most steps at one position. Raises `re.error` for what is no expression, and UnboundedError for references to
    groups.
    """
    tree = parser.parse(bounded(regex))
    return min(_sequence([*tree], 0, tree.state.flags).steps, ENDLESS)


def _mask(accepts: Any) -> int:
    return sum(1 << at for at, letter in enumerate(_LETTERS) if accepts(letter))


_CATEGORIES = {
    name: _mask(re.compile(text).match)
    for name, text in (
        (sre.CATEGORY_DIGIT, r"\d"),
        (sre.CATEGORY_NOT_DIGIT, r"\D"),
        (sre.CATEGORY_SPACE, r"\s"),
        (sre.CATEGORY_NOT_SPACE, r"\S"),
        (sre.CATEGORY_WORD, r"\w"),
        (sre.CATEGORY_NOT_WORD, r"\W"),
    )
}


def _letters(op: Any, argument: Any, flags: int) -> int | None:
    """The letters that a part for one letter reads; None for any other part."""
    if op is sre.ANY:
        return _EVERY
    if op in (sre.LITERAL, sre.NOT_LITERAL):
        letter = chr(argument)
        same = {letter, letter.lower(), letter.upper()} if flags & re.IGNORECASE else {letter}
        mask = _mask(same.__contains__) or 1 << (len(_LETTERS) - 1)
        return mask if op is sre.LITERAL else _EVERY
    if op is not sre.IN:
        return None
    mask, is_negated = 0, False
    for kind, value in argument:
        if kind is sre.NEGATE:
            is_negated = True
        elif kind is sre.CATEGORY:
            mask |= _CATEGORIES[value]
        elif kind is sre.LITERAL:
            mask |= _letters(kind, value, flags) or 0
        elif kind is sre.RANGE:
            low, high = value
            mask |= _mask(lambda letter, low=low, high=high: _is_between(letter, low, high, flags))
    return _EVERY & ~mask if is_negated else mask


def _is_between(letter: str, low: int, high: int, flags: int) -> bool:
    forms = {letter, letter.swapcase()} if flags & re.IGNORECASE else {letter}
    return any(len(form) == 1 and low <= ord(form) <= high for form in forms)


def _first(items: list[Any], flags: int) -> tuple[int, bool]:
    """The letters with which a sequence can begin, and whether it can be empty."""
    mask = 0
    for op, argument in items:
        letters, can_be_empty = _first_of(op, argument, flags)
        mask |= letters
        if not can_be_empty:
            return mask, False
    return mask, True


def _first_of(op: Any, argument: Any, flags: int) -> tuple[int, bool]:
    one = _letters(op, argument, flags)
    if one is not None:
        return one, False
    if op is sre.SUBPATTERN:
        return _first([*argument[3]], (flags | argument[1]) & ~argument[2])
    if op is sre.ATOMIC_GROUP:
        return _first([*argument], flags)
    if op is sre.BRANCH:
        firsts = [_first([*branch], flags) for branch in argument[1]]
        return _union(mask for mask, _ in firsts), any(empty for _, empty in firsts)
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        mask, can_be_empty = _first([*argument[2]], flags)
        return mask, can_be_empty or argument[0] == 0
    return 0, True


def _union(masks: Any) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _sequence(items: list[Any], after: int, flags: int) -> _Cost:
    """The cost of a sequence before something that begins with the letters `after`."""
    ways, steps = 1, 1
    for at, (op, argument) in enumerate(items):
        mask, can_be_empty = _first(items[at + 1 :], flags)
        part = _part(op, argument, mask | (after if can_be_empty else 0), flags)
        steps += ways * part.steps
        ways *= part.ways
        if steps > ENDLESS:
            return _Cost(ENDLESS, ENDLESS)
    return _Cost(ways, steps)


def _part(op: Any, argument: Any, after: int, flags: int) -> _Cost:
    if op is sre.SUBPATTERN:
        return _sequence([*argument[3]], after, (flags | argument[1]) & ~argument[2])
    if op is sre.ATOMIC_GROUP:
        return _Cost(1, _sequence([*argument], 0, flags).steps)
    if op is sre.BRANCH:
        return _branches([[*branch] for branch in argument[1]], after, flags)
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        cost = _repeat(argument, after, flags)
        return _Cost(1, cost.steps) if op is sre.POSSESSIVE_REPEAT else cost
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return _Cost(1, _sequence([*argument[1]], 0, flags).steps)
    if op in (sre.GROUPREF, sre.GROUPREF_EXISTS):
        raise UnboundedError("a reference to a group is not permitted")
    return _Cost(1, 1)


def _branches(branches: list[list[Any]], after: int, flags: int) -> _Cost:
    costs = [_sequence(branch, after, flags) for branch in branches]
    firsts = [_first(branch, flags) for branch in branches]
    are_apart = sum(mask.bit_count() for mask, _ in firsts) == _union(mask for mask, _ in firsts).bit_count()
    steps = sum(cost.steps for cost in costs)
    if are_apart and not any(empty for _, empty in firsts):
        return _Cost(max(cost.ways for cost in costs), steps)
    return _Cost(sum(cost.ways for cost in costs), steps)


def _repeat(argument: Any, after: int, flags: int) -> _Cost:
    least, most, items = argument
    most = _LONG if most is sre.MAXREPEAT or most > _LONG else int(most)
    begin, can_be_empty = _first([*items], flags)
    inner = _sequence([*items], begin | after, flags)
    if (inner.ways > 1 and most > 1) or (can_be_empty and most > 1):
        return _Cost(*(min(ENDLESS, max(2, inner.ways) ** min(most, 64) * inner.steps) for _ in range(2)))
    varies = most - least + 1 if begin & after or can_be_empty else 1
    return _Cost(varies * inner.ways if most > least else inner.ways, max(1, most) * inner.steps)
