"""Does the time of a regular expression grow faster than the text? Measured, beside the test that proves it by automata.

    python -m benchmarks.regex_growth [--seconds 0.05]

For each expression of the program, each template, each meaning and each known issue, texts are made of the expression's own parts: a
literal of it repeated, the begin of a match repeated, a near miss, blanks, one long word. Each text has 2, 4 and 8 KB. Printed are the
twenty expressions whose time grows most where the text doubles, and those that need longest for 8 KB. The exit status is 1 if one grows
more than `--most` times for twice the text and needs more than `--seconds` for 8 KB; what takes microseconds cannot be measured.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from replay.catalogue import TEMPLATES
from replay.knowledge.choosing import EXCEPTIONS, SIGNS, WORDINGS
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.patterns import compiled
from tests.regexes import all_regexes

_LONG = 8_192
_SHORT = 0.001  # seconds: less cannot be measured
_LITERAL = re.compile(r"(?:[A-Za-z0-9 _=:,;/<>@'\"-]|\\[\\.\[\]{}()*+?^$|/]){2,60}")
_ALWAYS = (" ", "a", "0", "a-1 ", "[", "(", "\t", "a.", "\\", '"', "A")


class Growth(NamedTuple):
    """How one expression took its worst text: the seconds for 8 KB, and how many times those for 4 KB that is."""

    ratio: float
    seconds: float
    file: str
    regex: str
    unit: str


def searches() -> Iterator[tuple[str, re.Pattern[str], bool]]:
    """Each expression with where it is from, and whether it is searched for at every place of a text."""
    for one in all_regexes():
        yield one.file, re.compile(one.regex, one.flags), one.searches
    for template in TEMPLATES:
        yield template.id, template.compiled, False
    meanings = {m.wording for m in (*WORDINGS, *SIGNS) if m.wording} | {m.exception for m in EXCEPTIONS if m.exception}
    for regex in sorted(meanings | {sign.regex for issue in KNOWN_ISSUES for sign in issue.signature}):
        yield "replay/knowledge", compiled(regex), True


def units(regex: str) -> list[str]:
    """What is repeated: the literals of the expression, all of them in a row, and what is hard for many."""
    literals = [re.sub(r"\\(.)", r"\1", found) for found in _LITERAL.findall(regex)][:12]
    return list(
        dict.fromkeys([*literals, "".join(literals)[:200], "".join(f"{one} a-1" for one in literals)[:200], *_ALWAYS])
    )


def growth(file: str, pattern: re.Pattern[str], is_searched: bool) -> Growth:
    """The worst of an expression's texts."""
    look: Callable[[str], object] = (lambda text: [*pattern.finditer(text)]) if is_searched else pattern.match
    head = "".join(units(pattern.pattern)[:1])
    worst = Growth(0.0, 0.0, file, pattern.pattern, "")
    for unit in units(pattern.pattern) if isinstance(pattern.pattern, str) else ():
        text = head + unit * (_LONG // max(1, len(unit)) + 1)
        long = _seconds(look, text[:_LONG] + "\x01")
        half, quarter = (_seconds(look, text[: _LONG // by] + "\x01") if long > _SHORT else long for by in (2, 4))
        ratio = max(long / half, half / quarter) if long > _SHORT else 0.0
        one = Growth(ratio, long, file, pattern.pattern, unit)
        worst = max(worst, one, key=lambda growth: growth.seconds)
    return worst


def _seconds(look: Callable[[str], object], text: str) -> float:
    """The shortest of three tries: what else the machine does only adds."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        look(text)
        best = min(best, time.perf_counter() - begun)
        if best < _SHORT or best > 0.5:
            break
    return best


def main() -> int:
    """Measure all, print the worst; 1 if one grows too fast."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=0.05, help="what 8 KB may take (default: 0.05)")
    options.add_argument("--most", type=float, default=3.0, help="times the time, for twice the text (default: 3)")
    given = options.parse_args()
    found = [growth(*one) for one in searches()]
    print(f"{len(found):,} expressions")
    for title, key in (
        ("slowest for 8 KB", lambda one: one.seconds),
        ("fastest growing above 1 ms", lambda one: one.ratio),
    ):
        print(title)
        shown = [one for one in found if one.seconds > 0.001 or title.startswith("slowest")]
        for one in sorted(shown, key=key, reverse=True)[:20]:
            print(f"  {one.ratio:5.1f}x  {one.seconds * 1000:8.2f} ms  {one.file}  {one.unit[:30]!r}  {one.regex[:80]}")
    return int(any(one.ratio > given.most and one.seconds > given.seconds for one in found))


if __name__ == "__main__":
    sys.exit(main())
