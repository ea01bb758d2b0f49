"""All known bugs and named situations: entries of the packs `known-bugs-*`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from replay.knowledge.known_issue import KnownIssue, Sign
from replay.knowledge.meaning import SEEN
from replay.knowledge.pack import Entry, EntryError, check_fields, in_precedence, own_entries, sort_of
from replay.knowledge.releases import EVERY, Releases, between, is_release, only, since, up_to

CONFIDENCES = ("sure", "likely")
_SIGN = {"text": str, "logger": str, "count": int, "absent": bool, "same": ("record",), "": ("text",)}
SHAPE: dict[str, Any] = {
    "title": str,
    "lines": [_SIGN],
    "roles": str,
    "releases": [str],
    "fixed_in": [str],
    "note": str,
    "effect": str,
    "heals": str,
    "next": str,
    "look_alike": str,
    "source": str,
    "confidence": CONFIDENCES,
    "seen": SEEN,
    "seen_in": str,
    "by_design": bool,
    "needs_more": bool,
    "needs_release": bool,
    "is_more_specific": bool,
    "before": [str],
    "example": str,
}
_REQUIRED = ("title", "lines", "roles", "effect", "heals", "next", "source", "confidence", "example")
_RANGE = re.compile(r"(?:(?P<bound>up to|since) (?P<one>[\d.]+)|(?P<first>[\d.]+)(?: to (?P<last>[\d.]+))?)")


def check_issue(entry: Entry) -> None:
    """Raises EntryError for a field that is unknown, missing or wrong."""
    fields = entry.fields
    check_fields(fields, SHAPE, _REQUIRED)
    if "same" in fields["lines"][0]:
        raise EntryError("lines", "the first line cannot be in the same record as an earlier one")
    for release in fields.get("fixed_in", ()):
        if not is_release(release):
            raise EntryError("fixed_in", f"Kafka has no release {release}")
    for text in fields.get("releases", ()):
        releases_of(text)


def issue_of(entry: Entry) -> KnownIssue:
    """The bug or situation that a checked entry describes."""
    fields = entry.fields
    return KnownIssue(
        key=entry.key,
        title=fields["title"],
        signature=tuple(map(_sign, fields["lines"])),
        roles=fields["roles"],
        consequence=fields["effect"],
        heals=fields["heals"],
        advice=fields["next"],
        source=fields["source"],
        confidence=fields["confidence"],
        example=fields["example"],
        affected=tuple(map(releases_of, fields["releases"])) if "releases" in fields else EVERY,
        fixed_in=tuple(fields.get("fixed_in", ())),
        **{name: fields[name] for name in _AS_THEY_STAND if name in fields},
    )


_AS_THEY_STAND = (
    "seen",
    "seen_in",
    "look_alike",
    "note",
    "by_design",
    "needs_more",
    "needs_release",
    "is_more_specific",
)


def _sign(fields: dict[str, Any]) -> Sign:
    return Sign(
        fields["text"],
        fields.get("logger", ""),
        times=fields.get("count", 1),
        absent=fields.get("absent", False),
        same="same" in fields,
    )


def releases_of(text: str) -> Releases:
    """`3.9.0`, `2.8` (all of it), `3.9.0 to 4.1`, `up to 3.9.0` or `since 3.0` as a range. Raises EntryError."""
    found = _RANGE.fullmatch(text)
    numbers = [] if found is None else [one for one in (found["one"], found["first"], found["last"]) if one]
    for number in numbers:
        if not is_release(number) and re.fullmatch(r"0\.\d{1,2}|\d", number) is None:
            raise EntryError("releases", f"Kafka has no release {number}")
    if found is None:
        raise EntryError("releases", f"{text!r}: write 3.9.0, 3.9.0 to 4.1, up to 3.9.0, or since 3.0")
    if found["bound"]:
        return up_to(found["one"]) if found["bound"] == "up to" else since(found["one"])
    return between(found["first"], found["last"]) if found["last"] else only(found["first"])


def _in_precedence(entries: Sequence[Entry]) -> Iterator[KnownIssue]:
    """The issues; of two that one line shows, the first in this order describes it."""
    issues = {entry.key: issue_of(entry) for entry in entries}
    before = {entry.key: entry.fields.get("before", ()) for entry in entries}
    return (issues[key] for key in in_precedence([*issues], before))


KNOWN_ISSUES: tuple[KnownIssue, ...] = tuple(
    _in_precedence([entry for entry in own_entries() if sort_of(entry) == "bug"])
)
