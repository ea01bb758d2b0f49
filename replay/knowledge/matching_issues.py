"""The known bugs and named situations that the records of a log look like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from replay.catalogue.template import simple_name
from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.patterns import compiled
from replay.reading.printed_line import Line

_RELEASE = re.compile(r"Kafka version ?: ?(\d++\.\d++\.\d++(?:\.\d++)?+)(?!-c|[\d.]*+-\w*c[ce])")
_SINCE_1_0 = re.compile(
    r"\[[A-Z][\w .-]++(?<=\w)=[^\]]++\]"
)  # `[ReplicaFetcher replicaId=1, …]`; before, `[ReplicaFetcherThread-0-1]`
_LONG = 20_000  # characters of a record that are searched
_PLACE = re.compile(r"\{([a-z]+)\}")
MOST_TEXTS = 40_000  # with more different texts of a node, signatures are not checked


@dataclass(frozen=True)
class Match:
    """An issue that the records look like, and the record that shows each of its signs."""

    issue: KnownIssue
    lines: tuple[Line, ...]
    release: str | None

    @property
    def is_reported_as_bug(self) -> bool:
        """Whether its lines alone identify the bug."""
        issue = self.issue
        return issue.is_bug and not issue.needs_more and (self.release is not None or not issue.needs_release)


def release_of(lines: Iterable[Line]) -> str | None:
    """The release that a start line prints, `2.8.2`; None if no line prints one, or if it is a vendor's release."""
    for line in lines:
        if line.message.startswith("Kafka version"):
            found = _RELEASE.match(line.message)
            if found:
                return found.group(1)
    return None


def matches(lines: Sequence[Line], release: str | None = None) -> Iterator[Match]:
    """The known issues that the records of one node match."""
    release = release or release_of(lines)
    distinct = _distinct(lines)
    if len(distinct) > MOST_TEXTS:
        return
    is_later = release is None and any(_SINCE_1_0.match(line.message) for line in distinct)
    blob = "\n".join(line.text[:_LONG] for line in distinct)
    for issue in KNOWN_ISSUES:
        if release is not None and issue.is_bug and not issue.affects(release):
            continue
        if is_later and issue.is_bug and issue.is_fixed_by((1, 0)):
            continue
        shown = _shown(issue, distinct, lines, blob)
        if shown:
            yield Match(issue, shown, release)


def unsearched_texts(lines: Sequence[Line]) -> int | None:
    """The number of different texts of one node's records if they are too many to be searched for known issues."""
    distinct = len(_distinct(lines)) if len(lines) > MOST_TEXTS else 0
    return distinct if distinct > MOST_TEXTS else None


def _distinct(lines: Iterable[Line]) -> list[Line]:
    """One record per text, ignoring numbers, and every record whose numbers matter."""
    seen: dict[tuple[str | None, str], Line] = {}
    for line in lines:
        seen.setdefault((line.logger, re.sub(r"\d{4,}", "#", line.text)), line)
    return list(seen.values())


def _shown(issue: KnownIssue, distinct: Sequence[Line], lines: Sequence[Line], blob: str) -> tuple[Line, ...] | None:
    """The record of each sign; None unless all signs are found and no absent one is."""
    for sign in issue.signature:
        if not sign.absent and not sign.same and not _may_stand(sign, blob):
            return None
    shown: list[Line] = []
    names: dict[str, str] = {}
    for signs in _by_record(issue.signature):
        sign, regex = signs[0], _filled(signs[0], names)
        found = next(
            (
                (line, at)
                for line in distinct
                if _of_logger(sign, line) and (at := regex.search(line.text[:_LONG])) and _shows_all(line, signs[1:])
            ),
            None,
        )
        if sign.absent:
            if found is not None:
                return None
            continue
        if found is None:
            return None
        if sign.times > 1 and sum(1 for line in lines if regex.search(line.text[:_LONG])) < sign.times:
            return None
        names.update({name: value for name, value in found[1].groupdict().items() if value})
        shown.append(found[0])
    return tuple({line.where: line for line in shown}.values()) if shown else None


def _by_record(signature: Iterable[Sign]) -> list[list[Sign]]:
    """The signs, grouped by those that must occur in one record."""
    records: list[list[Sign]] = []
    for sign in signature:
        if sign.same:
            records[-1].append(sign)
        else:
            records.append([sign])
    return records


def _shows_all(line: Line, signs: Iterable[Sign]) -> bool:
    text = f"{line.logger or ''}\n{line.text[:_LONG]}"
    return all(_of_logger(sign, line) and sign.compiled.search(text) for sign in signs)


def _filled(sign: Sign, names: dict[str, str]) -> re.Pattern[str]:
    if _PLACE.search(sign.regex) is None:
        return sign.compiled
    return compiled(_PLACE.sub(lambda found: re.escape(names.get(found.group(1), "")), sign.regex))


def _of_logger(sign: Sign, line: Line) -> bool:
    return not sign.logger or line.logger is None or _outer(line.logger) == _outer(sign.logger)


def _outer(logger: str) -> str:
    """The logger's class, without its package and without nested classes."""
    return simple_name(logger).split("$")[0]


def _may_stand(sign: Sign, blob: str) -> bool:
    """Whether any fixed text of the sign occurs; true for a sign without one."""
    literals = fixed_texts(sign.regex)
    return not literals or any(literal in blob for literal in literals)


# The parts of a pattern that are not fixed text.
_ESCAPED = re.compile(r"\\([^\w\s])")
_OF_ESCAPED = re.compile(r"\x00(\d{3})")
_CLASS = re.compile(r"\[\^?[^\]]{1,400}\]")
_INNERMOST_GROUP = re.compile(r"\([^()]{0,1000}\)[?*+]{0,2}(?:\{[^}]{0,9}\}\??)?")
_NOT_FIXED = re.compile(r"(?:\x00\d{3}|\\\w|[^\x00\\])(?:[?*][?+]?|\{[^}]{0,9}\}\??)|[\n.^$+\x01]|\\\w")


@cache
def fixed_texts(regex: str) -> tuple[str, ...]:
    """The longest fixed text of each alternative, at least four characters; empty if an alternative has none, or if
    the pattern ignores case.
    """
    if "(?i" in regex:
        return ()
    escaped = _ESCAPED.sub(lambda m: f"\x00{ord(m.group(1)):03d}", regex)
    found: list[str] = []
    for branch in _branches(_CLASS.sub("\x01", escaped)):
        while (without := _INNERMOST_GROUP.sub("\n", branch)) != branch:
            branch = without
        parts = _NOT_FIXED.split(branch)
        longest = max(parts, key=len, default="")
        text = _OF_ESCAPED.sub(lambda m: chr(int(m.group(1))), longest)
        if len(text) < 4 or "\x00" in text:
            return ()
        found.append(text)
    return tuple(found)


def _branches(regex: str) -> list[str]:
    """A pattern split at its outermost `|`."""
    parts, depth = [""], 0
    for letter in regex:
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
