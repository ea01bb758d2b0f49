"""Lists of names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; empty without names."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def some(names: Sequence[str], most: int = 3) -> str:
    """The different names, at most `most` of them: `a, b, c and 2 more`."""
    different = list(dict.fromkeys(names))
    if len(different) > most:
        return f"{', '.join(different[:most])} and {len(different) - most} more"
    return listed(different)
