"""A bug of certain releases, or a named situation: its lines, the affected releases, its effect."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from replay.knowledge.meaning import UNSEEN
from replay.knowledge.releases import EVERY, Release, Releases, release, text_of_releases
from replay.patterns import compiled


@dataclass(frozen=True)
class Sign:
    """A text that the node's records must contain (or, with `absent`, must not): at least `times` times, from this
    `logger` if one is given.

    `same`: the text must be in the record that shows the previous sign, for example in the frames of its exception,
    or in its logger's name.
    """

    regex: str
    logger: str = ""
    times: int = 1
    absent: bool = False
    same: bool = False

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return compiled(self.regex)


@dataclass(frozen=True)
class KnownIssue:
    """A known bug or situation. `confidence`: `sure` or `likely`; an unseen issue is never sure (`is_sure`).

    `example` holds its lines as Kafka prints them; `seen`: whether they were recorded, are quoted, or are
    unseen, known from Kafka's source; `seen_in`: where. `affected` are the releases that have it (empty: it was fixed before its release); `fixed_in`,
    the first release of each branch without it (empty: there is no fix); `note` is a remark on both. `by_design`: it
    has a Kafka issue but is no bug. `needs_more`: every healthy cluster of the release also prints its lines after a
    kill, a restart or a lost connection, so the lines alone prove nothing. `needs_release`: in releases without the
    bug, its lines mean something else. `is_more_specific`: the situation says more than the meaning of any of its
    lines.
    """

    key: str
    title: str
    signature: tuple[Sign, ...]
    roles: str
    consequence: str
    heals: str
    advice: str
    source: str
    confidence: str
    example: str
    seen: str = UNSEEN
    seen_in: str = ""
    look_alike: str = ""
    affected: tuple[Releases, ...] = EVERY
    fixed_in: tuple[str, ...] = ()
    note: str = ""
    by_design: bool = False
    needs_more: bool = False
    needs_release: bool = False
    is_more_specific: bool = False

    @property
    def is_bug(self) -> bool:
        """Whether it is a bug of Kafka with its own issue; otherwise it is a situation: a wrong setting, an
        exhausted resource, or intended behavior.
        """
        return self.key.startswith("KAFKA-") and not self.by_design

    def affects(self, text: str) -> bool:
        """Whether a release, like `2.8.2`, has it."""
        return any(releases.has(release(text)) for releases in self.affected)

    @property
    def maturity(self) -> str:
        """Whether its lines were recorded, are quoted, or are unseen."""
        return self.seen

    @property
    def is_sure(self) -> bool:
        """Whether its lines prove it and have been seen."""
        return self.confidence == "sure" and self.maturity != UNSEEN

    @property
    def affected_text(self) -> str:
        """The affected releases: `up to 3.9.0, 4.0.0 (in ZooKeeper mode)`."""
        return text_of_releases(self.affected) + (f" ({self.note})" if self.note else "")

    @property
    def fixed_text(self) -> str:
        """The releases that fix it: `3.9.1, 4.0.1`."""
        return ", ".join(self.fixed_in) or ("not known" if self.is_bug else "no bug")

    def is_fixed_by(self, later: Release) -> bool:
        """Whether no release from `later` on has it."""
        return all(releases.last and releases.last < later for releases in self.affected)
