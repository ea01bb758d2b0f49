"""The answer to what some records mean, as plain values: for one pasted line or a whole log."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from replay.knowledge.meaning import HARMLESS, PASSING, UNSEEN

_NAME = re.compile(
    r"[\w@-]+\.service|(?:systemd|ksqlDB|kafka_exporter)\b|[\w.-]{1,250}-\d{1,10}(?![\w-])"
)  # never with a capital
_COMMAND = re.compile(r"(?:kafka-|kubectl |getent |nc |ss |openssl |dmesg |ulimit |df )")
_OF_SEVERAL = re.compile(r"\b([Bb]roker|[Nn]ode|[Cc]ontroller) (?=\d{1,10}(?:, \d{1,10}){0,8} and \d{1,10}(?! more\b))")


def sentence(text: str) -> str:
    """The text as a sentence: begun with a capital, with plain spaces and marks."""
    text = _OF_SEVERAL.sub(r"\1s ", text)
    text = re.sub(r" ([,.;:](?:\s|$))", r"\1", " ".join(text.split()))
    text = re.sub(r"[:;]?([.!?…])\.(?=\s|$)|[,:;](\.)(?=\s|$)", r"\1\2", text)
    return text if _COMMAND.match(text) or _NAME.match(text) else text[:1].upper() + text[1:]


@dataclass(frozen=True)
class ExplainedMessage:
    """One message: what it means and what follows, how often it occurs, from when to when.

    `because` is the meaning of its exception; `follows` the `says` of its cause, or the finding of an analysis.
    `nodes` are the ids of the nodes that it concerns. `maturity`: a line like this was `recorded`, is `quoted`,
    `unseen` (known only from Kafka's source) or `worded` (no entry knows it, only its words say what failed). `lines`: the locations of the lines that have this meaning
    together. `is_least`: later lines with its wording were not read, so `count` and `last` cover only the first
    ones.
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
    is_least: bool = False

    @property
    def is_harmless(self) -> bool:
        return self.weight == HARMLESS


@dataclass(frozen=True)
class LooksLike:
    """A known bug that the records look like. `maturity`: whether its lines were `recorded`, `quoted` by somebody,
    or are `unseen`.
    """

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
    """An unrecognized text, and how often it occurs."""

    line: str
    where: str
    level: str
    count: int
    is_least: bool = False


@dataclass(frozen=True)
class Event:
    """What a quiet line means, as a sentence; `kind` is the catalogue's, `count` how many lines share it. `clock`:
    the time of day of a line that prints no date.
    """

    ts: datetime | None
    where: str
    subject: str
    kind: str
    says: str
    count: int = 1
    clock: str = ""


@dataclass(frozen=True)
class Case:
    """What the whole paste shows: the first fault and what followed, what to do, and what is not to blame or must not be
    done. `is_calm`: all is normal. `rows`: the rows of the paste that show it.
    """

    key: str
    says: str
    do: str
    calm: str
    is_calm: bool = False
    rows: tuple[str, ...] = ()


@dataclass(frozen=True)
class Incident:
    """An incident, in the words of an analysis: when it was and what it is, what happened, what was lost, what is not
    over, and what to do next. `evidence`: the lines that prove its root causes.
    """

    headline: str
    happened: str
    lost_committed: str
    lost_uncommitted: str
    still: tuple[str, ...]
    next_steps: tuple[str, ...]
    root: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """`summary` is one sentence; `together` what several lines mean only together; `told` the messages, the most
    serious first, without those that an analysis explains: these are `consequences`. `events`: the events in
    order; `not_recognized`: unrecognized lines below WARN, `unknown` those at WARN or above.
    """

    summary: str
    together: tuple[str, ...] = ()
    told: tuple[ExplainedMessage, ...] = ()
    looks_like: tuple[LooksLike, ...] = ()
    harmless: tuple[ExplainedMessage, ...] = ()
    consequences: tuple[ExplainedMessage, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    events: tuple[Event, ...] = ()
    not_recognized: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    records: int = 0
    foreign: int = 0
    releases: dict[str, str] = field(default_factory=dict)
    incidents: tuple[Incident, ...] = ()
    case: Case | None = None

    @property
    def is_trouble(self) -> bool:
        """Whether any line reports more than a transient problem."""
        return any(one.weight != PASSING for one in self.told)

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
