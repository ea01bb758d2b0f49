"""Limits how far a regular expression may search in the text of a log.

`Fetching .* failed` searches to the end of the line from each `Fetching`: a long line that repeats the word needs
quadratic time. With a bound, the time is linear in the length of the line.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FAR, _FAR_OF_MANY = (
    4_000,
    400,
)  # characters that "any text" spans, in an expression with one or two of them, and with more
_NEAR = 400  # characters of a name, a number, a path
_WIDE = re.compile(r"\.|\[\^.*|\[\\s\\S\]|\\[SDW]")
_MANY = 2

# A character (escaped, a class, or literal) with its repetition, or any other part of an expression.
_PART = re.compile(
    r"(?P<one>\\.|\[\^?\]?(?:\\.|[^\]\\]){0,400}+\]|[^()|?*+{}\\])(?P<often>[*+]|\{\d+,\})|\\.|\[\^?\]?(?:\\.|[^\]\\]){0,400}+\]|.",
    re.DOTALL,
)


def bounded(regex: str) -> str:
    """`regex` with a bound on each unbounded repetition of a single character or class."""
    parts = [(found["one"], found["often"], found[0]) for found in _PART.finditer(regex)]
    wide = sum(1 for one, often, _ in parts if often and _WIDE.fullmatch(one))
    far = _FAR if wide <= _MANY else _FAR_OF_MANY

    def written(one: str | None, often: str | None, whole: str) -> str:
        if one is None or often is None:
            return whole
        least = {"*": "0", "+": "1"}.get(often) or often[1:-2]
        return f"{one}{{{least},{far if _WIDE.fullmatch(one) else _NEAR}}}"

    return "".join(written(*part) for part in parts)


@lru_cache(maxsize=4_096)
def compiled(regex: str) -> re.Pattern[str]:
    """`regex` with its bounds, compiled."""
    return re.compile(bounded(regex))
