"""Does the time of a regular expression grow faster than the text? Measured, beside the test that proves it by automata.

    python -m benchmarks.regex_growth [--slice 1/8] [--most 3] [--seconds 0.02]

For each expression of the program, each template, each meaning and each known issue, texts are made of the expression's own parts: a
literal of it repeated, all its literals in a row, a match whose open fields are full and whose end is missing, blanks, one long word.
Each text has 2, 4 and 8 KB. An expression that grows faster there may have a bound that is not reached yet (`{0,4000}`), so it is
measured at 16 and 32 KB too: a quadratic search grows fourfold at each doubling. The time is CPU time of this process, the best of
three. Printed are the twenty expressions that grow most at their slowest doubling, and the twenty that need longest for 8 KB. The exit
status is 1 if one grows more than `--most` times at each doubling and needs more than `--seconds` for 8 KB.

Of 967 meanings and known issues, 79 have an open field of 4,000 characters and take up to 4 times as long for twice the text below that
length, 2.0 to 2.6 times above it; the slowest takes 50 ms for 8 KB of its worst text.

Less than a millisecond for 8 KB is not measured further: a quadratic search takes 33 million steps there.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import NamedTuple

from replay.catalogue import TEMPLATES
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.knowledge.meanings import MEANINGS
from replay.patterns import compiled
from tests.backtracking import letters_of
from tests.regexes import all_regexes

_LONG = 8_192
_SHORT = 0.001  # seconds: less is not measured further
_LINEAR = 2.3  # times, for twice the text: more may be a bound that is not reached yet
_OPEN = 20  # an item that repeats more often is an open field
_LITERAL = re.compile(r"(?:[A-Za-z0-9 _=:,;/<>@'\"-]|\\[\\.\[\]{}()*+?^$|/]){2,60}")
_ALWAYS = (" ", "a", "0", "a-1 ", "[", "(", "\t", "a.", "\\", '"', "A")
_FILLERS = (" ", "a", "0", "x=1, ")
_NO_END = "\x01"

Look = Callable[[str], object]


class Growth(NamedTuple):
    """The time of one expression on its worst text: the growth at the slowest doubling, all doublings, and the
    seconds for 8 KB.
    """

    ratio: float
    doublings: tuple[float, ...]
    seconds: float
    file: str
    regex: str
    unit: str


def searches() -> Iterator[tuple[str, re.Pattern[str], bool]]:
    """Each expression with its origin, and whether it is searched for at every position of a text."""
    for one in all_regexes():
        yield one.file, re.compile(one.regex, one.flags), one.searches
    for template in TEMPLATES:
        yield template.id, template.compiled, False
    meanings = {text for one in MEANINGS for text in (one.wording, one.exception) if text}
    for regex in sorted(meanings | {sign.regex for issue in KNOWN_ISSUES for sign in issue.signature}):
        yield "replay/knowledge", compiled(regex), True


def units(regex: str) -> list[str]:
    """The texts to repeat: the literals of the expression, all of them in a row, and texts that are hard for many
    expressions.
    """
    literals = [re.sub(r"\\(.)", r"\1", found) for found in _LITERAL.findall(regex)][:12]
    rows = ["".join(literals)[:200], "".join(f"{one} a-1" for one in literals)[:200]]
    return list(dict.fromkeys(one for one in (*literals, *rows, *_ALWAYS) if one))


def match_of(pattern: re.Pattern[str]) -> list[str | None]:
    """A match in parts: its letters, and None for each open field."""
    parts: list[str | None] = []
    _sample(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), pattern.flags, parts)
    return parts


def _sample(items: Sequence[tuple[int, object]], flags: int, parts: list[str | None]) -> None:
    for op, argument in items:
        if (letters := letters_of(op, argument, flags)) is not None:
            parts.append(chr(argument) if op is sre.LITERAL else _letter(letters))  # type: ignore[arg-type]
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            least, most, inner = argument  # type: ignore[misc]
            if most is sre.MAXREPEAT or most > _OPEN:
                parts.append(None)
            for _ in range(min(least, _OPEN)):
                _sample(inner, flags, parts)
        elif op is sre.SUBPATTERN:
            _sample(argument[3], flags, parts)  # type: ignore[index]
        elif op is sre.ATOMIC_GROUP:
            _sample(argument, flags, parts)  # type: ignore[arg-type]
        elif op is sre.BRANCH:
            _sample(argument[1][0], flags, parts)  # type: ignore[index]


def _letter(letters: int) -> str:
    return next(
        (one for at, one in ((97, "a"), (48, "0"), (32, " ")) if letters >> at & 1),
        chr(max(0, letters.bit_length() - 1) & 127),
    )


def texts(pattern: re.Pattern[str]) -> Iterator[tuple[str, Callable[[int], str]]]:
    """The hard texts for `pattern`: a description of each, and a function from a length to the text."""
    own = units(pattern.pattern)
    for unit in own:
        yield unit, lambda size, unit=unit: (own[0] + unit * (size // len(unit) + 1))[:size] + _NO_END  # type: ignore[misc]
    parts = match_of(pattern)
    fields = parts.count(None)
    whole = "".join(one or "" for one in parts)
    fillers = (*_FILLERS, whole[: len(whole) // 2], whole[:-1]) if fields else (whole[:-1],)
    for filler in (one for one in fillers if one):
        yield f"match with {filler}", lambda size, filler=filler: _stuffed(parts, fields, filler, size)  # type: ignore[misc]


def _stuffed(parts: Sequence[str | None], fields: int, filler: str, size: int) -> str:
    """A match without its end, whose open fields hold `size` characters together; without open fields, matches in a
    row.
    """
    if not fields:
        return (filler * (size // len(filler) + 1))[:size] + _NO_END
    one = (filler * (size // len(filler) + 1))[: size // fields]
    return "".join(one if part is None else part for part in parts)[:-1] + _NO_END


def growth(file: str, pattern: re.Pattern[str], is_searched: bool) -> Growth:
    """The growth of an expression on its worst text."""
    look: Look = (lambda text: [*pattern.finditer(text)]) if is_searched else pattern.match
    worst = Growth(0.0, (), 0.0, file, pattern.pattern, "")
    for unit, of_size in texts(pattern):
        long = _seconds(look, of_size(_LONG))
        doublings = _doublings(look, of_size, long) if long > _SHORT else ()
        one = Growth(min(doublings, default=0.0), doublings, long, file, pattern.pattern, unit)
        worst = max(worst, one, key=lambda one: (one.ratio, one.seconds))
    return worst


def _doublings(look: Look, of_size: Callable[[int], str], long: float) -> tuple[float, ...]:
    """How much longer each doubled text takes: from 2 to 4 and 8 KB, and up to 32 KB if a bound may not be reached
    yet.
    """
    times = [_seconds(look, of_size(_LONG // 4)), _seconds(look, of_size(_LONG // 2)), long]
    if min(times[1] / times[0], times[2] / times[1]) > _LINEAR:
        times += [_seconds(look, of_size(_LONG * by)) for by in (2, 4)]
    return tuple(after / before for before, after in pairwise(times))


def _seconds(look: Look, text: str) -> float:
    """The shortest of three measurements: other processes only add time."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        look(text)
        best = min(best, time.process_time() - begun)
        if best < _SHORT / 4 or best > 0.5:
            break
    return max(best, 1e-7)


def measured(part: int = 1, of: int = 1) -> list[Growth]:
    """The growth of each expression of one slice; expressions over bytes are measured as text."""
    return [
        growth(file, pattern, is_searched)
        for number, (file, pattern, is_searched) in enumerate(searches())
        if number % of == part - 1 and isinstance(pattern.pattern, str)
    ]


def main() -> int:
    """Measure all, print the worst; 1 if one grows too fast."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.regex_growth", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument("--seconds", type=float, default=0.02, help="what 8 KB may take (default: 0.02)")
    options.add_argument("--most", type=float, default=3.0, help="times the time, for twice the text (default: 3)")
    options.add_argument("--slice", default="1/1", help="the part to measure, such as 3/8 (default: all)")
    given = options.parse_args()
    part, of = map(int, given.slice.split("/"))
    found = measured(part, of)
    timed = sorted((one for one in found if one.ratio), key=lambda one: one.ratio, reverse=True)
    print(f"{len(found):,} expressions, {len(timed):,} of them above 1 ms for 8 KB")
    for title, shown in (
        ("grow most", timed),
        ("slowest for 8 KB", sorted(found, key=lambda one: one.seconds, reverse=True)),
    ):
        print(title)
        for one in shown[:20]:
            each = " ".join(f"{times:.1f}" for times in one.doublings)
            print(
                f"  {one.ratio:5.2f}x [{each}] {one.seconds * 1000:8.2f} ms  {one.file}  {one.unit[:30]!r}  {one.regex[:80]!r}"
            )
    return int(any(one.ratio > given.most and one.seconds > given.seconds for one in found))


if __name__ == "__main__":
    sys.exit(main())
