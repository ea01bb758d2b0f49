"""The findings of an analysis that explain lines: a node that was down, a lost directory, an operator's order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from replay.knowledge.choosing import Read
from replay.knowledge.meaning import (
    ANYWHERE,
    AT_THE_CONTROLLER,
    CHANGE,
    DELETION,
    DIRECTORY,
    HARMLESS,
    NAMED,
    OUTAGE,
    REGISTRATION,
    UNASKED_OUTAGE,
    UNCLEAN_END,
    Meaning,
)
from replay.knowledge.naming import nodes_named

_GOES_ON = timedelta(seconds=5)  # a restarted node has found what it missed
_ALMOST_A_SECOND = timedelta(microseconds=999_999)  # rounds a time up to the second
_AFTER = timedelta(seconds=60)  # reconnects, elections and copies after its end

_OF_TOPICS = ("F19",)


@dataclass(frozen=True)
class Found:
    """Something that an analysis found. `says` names it (`broker 2 crashed or was killed`), `code` is the code of its
    finding; `node` is None if no single node is at fault; it lasted from `since` at the earliest to `until`, None if
    no line shows its end. `unclean`: its logs were not closed properly. `asked`: somebody ordered the stop. `led`: the
    node was the active controller.
    """

    says: str
    code: str
    sort: str
    node: int | None
    peers: tuple[int, ...]
    since: datetime
    until: datetime | None
    unclean: bool = False
    asked: bool = False
    led: bool = False
    latest: datetime | None = None  # when it had begun at the latest; `since`: at the earliest

    @property
    def description(self) -> str:
        """`broker 2 crashed or was killed (F01, 05:37:34 to 05:38:18)`, `… (F01, began between 05:37:33 and 05:37:34, over by …)`."""
        code, since = f"{self.code}, " if self.code else "", f"{self.since:%H:%M:%S}"
        latest = since if self.latest is None else f"{self.latest:%H:%M:%S}"
        if latest == since:
            until = f" to {self.until:%H:%M:%S}" if self.until is not None else ""
            return f"{self.says} ({code}{since}{until})"
        until = f", over by {self.until + _ALMOST_A_SECOND:%H:%M:%S}" if self.until is not None else ""
        return f"{self.says} ({code}began between {since} and {latest}{until})"

    def lasts_at(self, ts: datetime | None) -> bool:
        """Whether a node was down at that time, or has just come back."""
        return self.sort == OUTAGE and (self.until is None or ts is None or ts <= self.until + _GOES_ON)

    @property
    def sorts(self) -> frozenset[str]:
        """The kinds of explanation (`Meaning.explained_by`) that this finding satisfies."""
        return frozenset(
            sort
            for sort, holds in (
                (self.sort, True),
                (UNASKED_OUTAGE, self.sort == OUTAGE and not self.asked),
                (UNCLEAN_END, self.sort == OUTAGE and self.unclean),
                (DELETION, self.sort == CHANGE and self.code in _OF_TOPICS),
            )
            if holds
        )

    def explains(self, one: Read) -> bool:
        """Whether the record follows from it: the time, the node and the kind match. No record precedes its cause."""
        ts = one.line.ts
        if ts is None or ts < self.since or (self.until is not None and ts > self.until + _AFTER):
            return False
        meanings = _meanings(one)
        if all(meaning.weight == HARMLESS for meaning in meanings):
            return False
        if not all(self.sorts & set(meaning.explained_by) for meaning in meanings):
            return False
        keys = [meaning.key for meaning in meanings]
        if self.sort == OUTAGE and keys == ["fetch-refused", "unknown-topic"] and one.values.get("fetch_offset") == "0":
            return False  # a log that is being created is requested from its start
        if self.sort == CHANGE or self.node is None:
            return True
        concerned = nodes_named(one.line, one.values)
        if self.sort in (DIRECTORY, REGISTRATION) or UNCLEAN_END in meanings[0].explained_by:
            return self.node in concerned
        where = meanings[0].cause_at
        if where == ANYWHERE or (where == AT_THE_CONTROLLER and self.led):
            return True
        return self.node in concerned or bool(concerned & set(self.peers))


def _meanings(one: Read) -> list[Meaning]:
    return [meaning for meaning in (one.wording, one.cause) if meaning is not None]


def explaining(one: Read, found: Iterable[Found]) -> Found | None:
    """The finding that explains the record: among several, one about a node that the record names, then the one that
    began last; for a record that names no cause, first one that was not over yet. None if no finding does.
    """
    explains = [what for what in found if what.explains(one)]
    if len(explains) < 2:
        return explains[0] if explains else None
    concerned = nodes_named(one.line, one.values)
    names_none = _meanings(one)[0].cause_at != NAMED
    return max(
        explains, key=lambda what: (names_none and what.lasts_at(one.line.ts), what.node in concerned, what.since)
    )
