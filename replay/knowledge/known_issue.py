"""A bug of some releases, or a situation that has a name: what its lines look like, which releases have it, what it does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

Release = tuple[int, ...]

_NUMBER = r"(?:\d+\.)*\d+(?:\.x)?"
_SPAN = re.compile(
    rf"(?P<first>\?|{_NUMBER})\s*-\s*(?P<last>{_NUMBER})|(?P<from>{_NUMBER}) and later|(?P<only>{_NUMBER})"
)


@dataclass(frozen=True)
class Sign:
    """A text that must stand in a record (or must not, `absent`) of the node: `times` often, of this `logger` where one is named.

    `same`: in the record that shows the sign before it, as an exception's frames, or in the name of that record's logger.
    """

    regex: str
    logger: str = ""
    times: int = 1
    absent: bool = False
    same: bool = False

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.regex)


@dataclass(frozen=True)
class KnownIssue:
    """What is known of it. `confidence`: `sure` or `likely`. `affected` and `fixed_in` are written for people and read by `affects`.

    `needs_more`: every healthy cluster of the release prints its lines in some other case (a kill, a restart, a cut link): alone they prove
    nothing. `needs_release`: of releases without the bug its lines say something else. `tells_more`: a situation that says more than
    the meaning of any of its lines.
    """

    key: str
    title: str
    signature: tuple[Sign, ...]
    roles: str
    affected: str
    fixed_in: str
    consequence: str
    heals: str
    advice: str
    look_alike: str
    source: str
    confidence: str
    needs_more: bool = False
    needs_release: bool = False
    tells_more: bool = False

    @property
    def is_bug(self) -> bool:
        """A bug of Kafka with an issue of its own; otherwise a situation: something set wrongly, used up, or working as designed."""
        return self.key.startswith("KAFKA-") and not self.fixed_in.startswith(("no bug", "by design", "depends"))

    def affects(self, release: str) -> bool | None:
        """Whether the bug is in `release`, like `2.8.2`; null where the releases are not known."""
        spans = self.spans
        if not spans:
            return None
        asked = _release(release)
        return any(first <= asked[: len(first) or None] and _upto(asked, last) for first, last in spans)

    def is_gone_by(self, release: Release) -> bool:
        """Whether no release from `release` on has it."""
        return bool(self.spans) and all(last and last < release for _, last in self.spans)

    @cached_property
    def spans(self) -> tuple[tuple[Release, Release], ...]:
        """First and last release of each span that has it; an empty first: since ever, an empty last: until now."""
        if self.affected.startswith(("all", "seen", "default", "depends")):
            return ()
        if self.affected.startswith("before "):  # what was repaired before it came out
            return (((), (0, 0)),)
        spans: list[tuple[Release, Release]] = []
        for found in _SPAN.finditer(re.sub(r"\([^)]*\)", "", self.affected)):
            if found["last"]:
                spans.append((_release(found["first"].replace("?", "")), _release(found["last"])))
            elif found["from"]:
                spans.append((_release(found["from"]), ()))
            else:
                spans.append((_release(found["only"]), _release(found["only"])))
        return tuple(spans)


def _release(text: str) -> Release:
    """`2.8.2` as numbers; `2.8.x` is all of 2.8."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def _upto(asked: Release, last: Release) -> bool:
    return not last or asked[: len(last)] <= last
