"""Proposes a log4j pattern for a file in an unknown layout, from the positions of timestamp, level, logger and thread
in its lines.

Compares the lines that have a level near their start: text that is the same in all of them is the pattern's text, and
text that differs between two brackets is a thread or a value of the site's own. If the pattern fits at least half of
those lines, and the catalogue knows enough of the messages or the loggers are Kafka's, the proposal is certain and the
file is read with it immediately.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from replay.catalogue import TEMPLATES, explain
from replay.catalogue.template import simple_name
from replay.errors import InputError
from replay.reading.heads import head_of
from replay.reading.layouts import LEVELS, Header, Layout

_STAMPS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(regex), conversion)
    for regex, conversion in (
        (
            r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)(?!\w))?",
            "%d",
        ),
        (r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d[.,]\d{3}", "%d{dd/MM/yyyy HH:mm:ss,SSS}"),
        (r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d", "%d{dd/MM/yyyy HH:mm:ss}"),
        (r"\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d[.,]\d{3}", "%d{dd.MM.yyyy HH:mm:ss,SSS}"),
        (r"\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d", "%d{dd.MM.yyyy HH:mm:ss}"),
        (r"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d[.,]\d{3}", "%d{dd MMM yyyy HH:mm:ss,SSS}"),
        (r"\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d", "%d{dd MMM yyyy HH:mm:ss}"),
        (r"[A-Z][a-z]{2} \d\d, \d{4} \d\d:\d\d:\d\d", "%d{MMM dd, yyyy HH:mm:ss}"),
        (r"\d{8}T\d{6}[.,]\d{3}", "%d{ISO8601_BASIC}"),
        (r"(?<!\d)1\d{12}(?!\d)", "%d{UNIX_MILLIS}"),
        (r"(?<!\d)\d\d:\d\d:\d\d[.,]\d{3}", "%d{HH:mm:ss,SSS}"),
        (r"(?<!\d)\d\d:\d\d:\d\d[.,]\d{1,2}(?!\d)", "%d{HH:mm:ss,S}"),
        (r"(?<!\d)\d\d:\d\d:\d\d(?!\d)", "%d{HH:mm:ss}"),
    )
)
_LEVEL = re.compile(r"\b(?:" + "|".join(sorted(LEVELS, key=len, reverse=True)) + r")\b")
_LOGGER = re.compile(
    r"\b(?:(?:kafka|org|io|com|k|o)(?:\.[a-z_]\w{0,80}){0,12}\.[A-Z][\w$]*|state\.change\.logger|kafka\.[\w.]{0,120}logger)"
)
_LOGGER_AFTER = re.compile(
    r"^(?P<before>.*?)(?P<open> [(\[])(?P<logger>(?:[a-z_]\w*+\.)++[\w$]++)(?P<close>[)\]])(?P<rest>(?: \[[^\]]{0,200}\])?)\s*$"
)
_SEPARATORS = r"[\])}>|:;,~/\- \t]*"
# A thread's name has a hyphen and no space, or is `main`; Kafka's own prefixes have a space or an equals sign
# (kafka-log-formats §3).
_LEAD = re.compile(
    rf"(?P<line>[:@]\d)?\d*+(?P<gap>{_SEPARATORS}+)(?P<thread>\[(?:main|[^\s=\]-]*+-[^\s=\]]*+)\](?P<after>{_SEPARATORS}+))?"
)
_NEAR = 160  # text further on belongs to the message
_ENOUGH = 0.5  # share of the lines with a level that a proposal must fit
_NEARLY_ALL = 0.9  # share of the loggers that must be Kafka's if the catalogue knows no message
_UNDERSTOOD = 0.3  # share of the messages that the catalogue must know


@dataclass(frozen=True)
class Proposal:
    """A log4j pattern, and whether the lines leave no doubt about it."""

    pattern: str
    is_plain: bool


@dataclass(frozen=True)
class _Cut:
    """A line cut at its known parts: the texts between them, and the conversion of each part (`%d`, `%p`, `%c`)."""

    conversions: tuple[str, ...]
    gaps: tuple[str, ...]  # the text before each conversion
    rest: str


def proposed(lines: Sequence[str]) -> Proposal | None:
    """The pattern of most of the lines with a level; None if they have no pattern in common."""
    cuts = [cut for line in lines[:2_000] if (cut := _cut(line)) is not None]
    if not cuts:
        return None
    shape, _ = Counter(cut.conversions for cut in cuts).most_common(1)[0]
    alike = [cut for cut in cuts if cut.conversions == shape]
    pattern = _pattern(shape, alike)
    try:
        layout = Layout.from_log4j_pattern(pattern)
    except InputError:
        return None
    (header,) = layout.headers
    with_level = [line for line in lines[:2_000] if _cut(line) is not None]
    assert isinstance(header, Header)
    fitting = [line for line in with_level if header.fits(line) or header.begins(line)]
    if len(fitting) * 2 < len(with_level):
        return None
    heads = [read for line in fitting[:300] if (read := head_of(layout, line)) is not None]
    understood = sum(1 for read in heads if explain(read.message, read.logger) is not None)
    of_kafka = sum(1 for read in heads if read.logger is not None and simple_name(read.logger) in loggers())
    is_certain = understood >= max(1, _UNDERSTOOD * len(heads)) or of_kafka >= _NEARLY_ALL * len(heads) > 0
    plain = len(fitting) >= _ENOUGH * len(with_level) and is_certain
    return Proposal(pattern, plain and header.stamp != "")


@cache
def loggers() -> frozenset[str]:
    """The logger classes of the catalogue."""
    return frozenset(simple_name(name) for template in TEMPLATES for name in template.logger.split("|"))


def _cut(line: str) -> _Cut | None:
    """`line` cut at its timestamp, level and logger near its start; None without a level there."""
    level = _LEVEL.search(line, 0, _NEAR)
    if level is None:
        return None
    found = [(level.start(), level.end(), "%p")]
    for regex, conversion in _STAMPS:
        stamp = regex.search(line, 0, _NEAR)
        if stamp is not None and (stamp.end() <= level.start() or stamp.start() >= level.end()):
            found.append((stamp.start(), stamp.end(), conversion))
            break
    logger = _LOGGER.search(line, 0, _NEAR)
    header_ends = max(end for _, end, _ in found)
    if logger is not None and (logger.start() < header_ends or _is_header(line[header_ends : logger.start()])):
        found.append((logger.start(), logger.end(), "%c"))
    found.sort()
    gaps, at = [], 0
    for start, end, _ in found:
        gaps.append(line[at:start])
        at = end
    return _Cut(tuple(conversion for _, _, conversion in found), tuple(gaps), line[at:])


def _is_header(gap: str) -> bool:
    """Whether the text between level and logger is no message: punctuation, brackets, a name before an equals sign."""
    return re.fullmatch(r"[^\w\[(<]*(?:[\[(<][^\])>]*[\])>][^\w\[(<]*)*[\[(<]?(?:\w+[=:])?", gap) is not None


def _pattern(shape: tuple[str, ...], cuts: Sequence[_Cut]) -> str:
    pattern = ""
    for at, conversion in enumerate(shape):
        pattern += _between([cut.gaps[at] for cut in cuts]) + conversion
    tails = [_LOGGER_AFTER.match(cut.rest) for cut in cuts]
    after = ""
    if "%c" not in shape and sum(tail is not None for tail in tails) * 2 > len(cuts):
        (opening, closing, threaded), _ = Counter(
            (tail["open"], tail["close"], bool(tail["rest"])) for tail in tails if tail is not None
        ).most_common(1)[0]
        after = f"{opening}%c{closing}" + (" [%t]" if threaded else "")
    return pattern + _lead([cut.rest for cut in cuts]) + "%m" + after + "%n"


def _between(gaps: Sequence[str]) -> str:
    """The pattern's text between two conversions: the common text, and `%t` or `%X{}` for what differs between its
    brackets.
    """
    first = Counter(gaps).most_common(1)[0][0]
    if len(set(gaps)) == 1 and not re.search(r"\w{3,}", first):
        return _literal(first)
    pieces = [re.split(rf"([\[(<][^\])>]{{0,{_NEAR}}}[\])>])", gap) for gap in gaps]
    width, _ = Counter(map(len, pieces)).most_common(1)[0]
    alike = [piece for piece in pieces if len(piece) == width]
    pattern = ""
    for at in range(width):
        texts = {piece[at] for piece in alike}
        text = Counter(piece[at] for piece in alike).most_common(1)[0][0]
        bracketed = at % 2 == 1
        if bracketed and (len(texts) > 1 or not re.search(r"=", text)):
            name = re.match(r"[\[(<](\w+=)?", text)
            inner = (name[1] or "") if name else ""
            pattern += text[0] + inner + "%t" + text[-1]
        else:
            pattern += _literal(re.sub(r" +", " ", text))
    return pattern


def _lead(rests: Sequence[str]) -> str:
    """The text between the last conversion and the message: punctuation, a line number, a thread in brackets."""
    leads = [found for rest in rests if (found := _LEAD.match(rest)) is not None]
    commonest, _ = Counter((found["line"] or "", found["gap"], bool(found["thread"])) for found in leads).most_common(
        1
    )[0]
    line, gap, has_thread = commonest
    after, _ = (
        Counter(found["after"] for found in leads if found["thread"]).most_common(1)[0] if has_thread else ("", 0)
    )
    return (line[0] + "%L" if line else "") + _literal(gap) + ("[%t]" + _literal(after) if has_thread else "")


def _literal(text: str) -> str:
    return text.replace("%", "%%")
