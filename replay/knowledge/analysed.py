"""What an analysis found, as far as it explains lines: a node that was gone, a lost directory, an order."""

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

_BEFORE = timedelta(seconds=3)
_GOES_ON = timedelta(seconds=5)  # a node that is back has found what it missed
_AFTER = timedelta(seconds=60)  # reconnects, elections and copies that come with its end

_OF_TOPICS = ("F19",)


@dataclass(frozen=True)
class Found:
    """Something that an analysis found. `says` names it (`broker 2 crashed or was killed`), `code` is that of its finding; `node` is
    None where no one node is at fault; it lasted from `since` at the earliest to `until`, None if no line shows its end. `unclean`:
    its logs were not closed in order. `asked`: somebody told the node to stop. `led`: the node was the active controller.
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

    @property
    def told(self) -> str:
        """`broker 2 crashed or was killed (F01, 05:37:34 to 05:38:18)`."""
        until = f" to {self.until:%H:%M:%S}" if self.until is not None else ""
        code = f"{self.code}, " if self.code else ""
        return f"{self.says} ({code}{self.since:%H:%M:%S}{until})"

    def lasts_at(self, ts: datetime | None) -> bool:
        """Whether a node was gone then, or has just come back."""
        return self.sort == OUTAGE and (self.until is None or ts is None or ts <= self.until + _GOES_ON)

    @property
    def sorts(self) -> frozenset[str]:
        """What a meaning must be explained by, so that this may explain it."""
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
        """Whether what the record tells follows from it: at that time, of that node, of that sort."""
        ts = one.line.ts
        if ts is None or ts < self.since - _BEFORE or (self.until is not None and ts > self.until + _AFTER):
            return False
        meanings = _meanings(one)
        if all(meaning.weight == HARMLESS for meaning in meanings):
            return False
        if not all(self.sorts & set(meaning.explained_by) for meaning in meanings):
            return False
        keys = [meaning.key for meaning in meanings]
        if self.sort == OUTAGE and keys == ["fetch-refused", "unknown-topic"] and one.values.get("fetch_offset") == "0":
            return False  # a log that is being made is asked for from its begin
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
    """What explains the record: of several what befell a node that it names, then what began last; of a record that does not name
    what it follows from first what was not over yet. Null if nothing that was found does.
    """
    explains = [what for what in found if what.explains(one)]
    if len(explains) < 2:
        return explains[0] if explains else None
    concerned = nodes_named(one.line, one.values)
    names_none = _meanings(one)[0].cause_at != NAMED
    return max(
        explains, key=lambda what: (names_none and what.lasts_at(one.line.ts), what.node in concerned, what.since)
    )
