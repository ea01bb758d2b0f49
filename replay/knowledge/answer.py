"""What some records say: the answer as plain values, from one pasted line up to a log."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from replay.knowledge.meaning import HARMLESS, PASSING, UNSEEN


@dataclass(frozen=True)
class Told:
    """One message, said once: what it says and what follows, how often it stands there, from when to when.

    `because` is what its exception says; `follows` the `says` of what it is a consequence of, or what an analysis found. `nodes`
    are the ids of those that it is about. `maturity`: whether such a line was `recorded`, `quoted` by somebody, or is `unseen`: known
    from Kafka's source alone. `lines`: the places of the lines that say it only together.
    """

    key: str
    subject: str
    says: str
    whose: str
    weight: str
    effect: str
    data: str
    heals: str
    next: str
    never: str
    because: str
    cause: str
    count: int
    first: datetime | None
    last: datetime | None
    level: str
    line: str
    where: str
    follows: str = ""
    nodes: tuple[int, ...] = ()
    maturity: str = UNSEEN
    lines: tuple[str, ...] = ()

    @property
    def is_harmless(self) -> bool:
        return self.weight == HARMLESS


@dataclass(frozen=True)
class LooksLike:
    """A known bug that the records look like. `maturity`: whether its lines were `recorded`, `quoted` by somebody, or are `unseen`."""

    key: str
    title: str
    says: str
    advice: str
    heals: str
    look_alike: str
    confidence: str
    fixed_in: str
    subject: str
    lines: tuple[str, ...]
    maturity: str


@dataclass(frozen=True)
class Unknown:
    """A text that nothing is known of, and how often it stands there."""

    line: str
    where: str
    level: str
    count: int


@dataclass(frozen=True)
class Event:
    """What a quiet line tells, as a sentence; `kind` is the catalogue's, `count` how many lines tell the like."""

    ts: datetime | None
    where: str
    subject: str
    kind: str
    says: str
    count: int = 1


@dataclass(frozen=True)
class Answer:
    """`summary` is one sentence; `together` what several lines say only together; `told` the most serious first, without what an
    analysis explains: that is `consequences`. `events`: what the lines tell in order; `not_recognized`: lines below WARN that nothing
    is known of, as `unknown` those at WARN or above.
    """

    summary: str
    together: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    looks_like: tuple[LooksLike, ...] = ()
    harmless: tuple[Told, ...] = ()
    consequences: tuple[Told, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    events: tuple[Event, ...] = ()
    not_recognized: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    records: int = 0
    foreign: int = 0
    releases: dict[str, str] = field(default_factory=dict)

    @property
    def is_trouble(self) -> bool:
        """Some line tells of more than what passes by itself."""
        return any(told.weight != PASSING for told in self.told)

    def as_json(self) -> dict[str, Any]:
        """The answer as plain values, times in ISO 8601."""
        return {name: _plain(value) for name, value in asdict(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
