"""Releases of Kafka, and ranges of them: the releases that have a bug."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Release = tuple[int, ...]


@dataclass(frozen=True)
class Releases:
    """All releases from `first` to `last`, both included; `2.8` as `last` means all of 2.8. An empty bound is open."""

    first: Release
    last: Release

    def has(self, release: Release) -> bool:
        begins = self.first <= release or release[: len(self.first)] == self.first
        return begins and (not self.last or release[: len(self.last)] <= self.last)

    def __str__(self) -> str:
        first, last = ".".join(map(str, self.first)), _last(self.last)
        if self.first == self.last:
            return last or "all"
        if not self.first:
            return f"up to {last}"
        return f"{first} to {last}" if last else f"{first} and later"


def release(text: str) -> Release:
    """`2.8.2` as numbers. Raises ValueError for a text that is not a release."""
    return tuple(map(int, text.split(".")))


def is_release(text: str) -> bool:
    """Whether `text` is a possible Kafka release: 0.7 to 0.11, or 1.0 and later, below 10."""
    return re.fullmatch(r"(?:0\.(?:7|8|9|10|11)|[1-9]\.\d+)(?:\.\d+){0,2}", text) is not None


def between(first: str, last: str) -> Releases:
    """The releases from `first` to `last`, both included."""
    return Releases(release(first), release(last))


def only(text: str) -> Releases:
    """One release, or all patches of one (`2.8`)."""
    return Releases(release(text), release(text))


def up_to(last: str) -> Releases:
    """All releases up to `last`; the first affected release is unknown."""
    return Releases((), release(last))


def since(first: str) -> Releases:
    """All releases from `first` on."""
    return Releases(release(first), ())


EVERY = (Releases((), ()),)


def text_of_releases(affected: Iterable[Releases]) -> str:
    """The releases as text: `up to 3.9.0, 4.0.0`."""
    return ", ".join(map(str, affected)) or "no release"


def _last(bound: Release) -> str:
    """The last release as text: `3.9.1`; for a whole branch, `3.9.x`."""
    text = ".".join(map(str, bound))
    return f"{text}.x" if bound and len(bound) < (4 if bound[0] == 0 else 3) else text
