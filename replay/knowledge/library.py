"""The meanings and correlations that an explanation knows: those of this package, and those of packs that a user adds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property

from replay.knowledge.matching_issues import fixed_texts
from replay.knowledge.meaning import ENDED, Meaning
from replay.knowledge.meanings import MEANINGS, USERS, in_order
from replay.knowledge.pack import USERS_OWN, Entry, Pack, sort_of


@dataclass(frozen=True, eq=False)
class Library:
    """Meanings in the order of precedence, and the correlations that packs of the user add, as entries."""

    meanings: tuple[Meaning, ...]
    correlations: tuple[Entry, ...] = ()

    @cached_property
    def with_text(self) -> tuple[Meaning, ...]:
        return tuple(one for one in self.meanings if one.wording)

    @cached_property
    def of_users(self) -> tuple[Meaning, ...]:
        """Those of texts of programs that use Kafka, or ZooKeeper beside it."""
        return tuple(one for one in self.with_text if one.written_by in (USERS, USERS_OWN))

    @cached_property
    def signs(self) -> tuple[Meaning, ...]:
        """Those that also apply below WARN."""
        return tuple(one for one in self.meanings if one.is_quiet)

    @cached_property
    def of_a_login(self) -> tuple[Meaning, ...]:
        return tuple(one for one in self.meanings if one.of_a_login)

    @cached_property
    def fallbacks(self) -> tuple[Meaning, ...]:
        """Those of exceptions that no other entry knows."""
        return tuple(one for one in self.meanings if one.is_fallback)

    @cached_property
    def reasons(self) -> tuple[Meaning, ...]:
        """Those of the reason that a line of any program names."""
        return tuple(one for one in self.meanings if one.reason)

    @cached_property
    def remarks(self) -> tuple[Meaning, ...]:
        """Those of what a person wrote between the lines."""
        return tuple(one for one in self.meanings if one.remark)

    def exceptions(self, may_end: bool, of_a_client: bool) -> tuple[Meaning, ...]:
        """Those of exceptions that can apply. Those for the end of a process apply only to a line above WARN: under a
        WARN the same exception ends nothing.
        """
        return tuple(
            one
            for one in self.meanings
            if one.exception
            and not one.is_fallback
            and (may_end or one.weight != ENDED)
            and (of_a_client or not one.of_clients)
        )

    @cached_property
    def by_template(self) -> dict[str, Meaning]:
        return {template: one for one in reversed(self.meanings) for template in one.ids}

    @cached_property
    def by_kind(self) -> dict[str, Meaning]:
        return {kind: one for one in reversed(self.meanings) for kind in one.kinds}

    @cached_property
    def refining(self) -> dict[str, tuple[Meaning, ...]]:
        """The meanings that refine another one, by its key."""
        found: dict[str, list[Meaning]] = defaultdict(list)
        for one in self.meanings:
            for key in one.refines:
                found[key].append(one)
        return {key: tuple(several) for key, several in found.items()}

    @cached_property
    def texts_of_signs(self) -> tuple[tuple[str, ...], tuple[Meaning, ...]]:
        """Fixed texts, one of which a line with almost any sign contains (much faster to search than the patterns), and
        the signs without such a text.
        """
        of_each = [(sign, fixed_texts(sign.wording)) for sign in self.signs]
        texts = dict.fromkeys(text for _, theirs in of_each for text in theirs)
        return tuple(texts), tuple(sign for sign, theirs in of_each if not theirs)


_OWN = Library(MEANINGS)
_CURRENT: ContextVar[Library] = ContextVar("library", default=_OWN)


def library() -> Library:
    """The library of this explanation."""
    return _CURRENT.get()


def library_with(packs: Sequence[Pack]) -> Library:
    """The library of this package with packs, whose entries precede its own."""
    entries = [entry for pack in packs for entry in pack.entries]
    meanings = in_order([entry for entry in entries if sort_of(entry) == "meaning"])
    correlations = tuple(entry for entry in entries if sort_of(entry) == "correlation")
    return Library((*meanings, *_OWN.meanings), correlations)


@contextmanager
def with_library(one: Library) -> Iterator[None]:
    """Explanations use this library while the context lasts."""
    token = _CURRENT.set(one)
    try:
        yield
    finally:
        _CURRENT.reset(token)
