"""What one wording, or one exception, means: in plain words, with the line's own values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from replay.patterns import compiled

# How much it weighs, the most serious first.
ENDED = "ended"  # the process ended itself, or did not start
STOPPED = "stopped"  # something stands still and does not come back alone
TROUBLE = "trouble"  # something fails, or will
PASSING = "passing"  # heals alone, or says nothing without more
HARMLESS = "harmless"
WEIGHTS = (ENDED, STOPPED, TROUBLE, PASSING, HARMLESS)

# What an analysis finds and a meaning can follow from: a node out of reach; the same, if nobody ordered it to stop; a process that
# ended without closing its logs; a lost directory; an ordered change; the deletion of a topic; a refused registration.
OUTAGE, UNASKED_OUTAGE, UNCLEAN_END = "outage", "unasked outage", "unclean end"
DIRECTORY, CHANGE, DELETION, REGISTRATION = "directory", "change", "deletion", "registration"
EXPLAIN = (OUTAGE, UNASKED_OUTAGE, UNCLEAN_END, DIRECTORY, CHANGE, DELETION, REGISTRATION)
# Which node's fault explains a meaning: one that the line names, any node's, or the active controller's.
NAMED, ANYWHERE, AT_THE_CONTROLLER = "named", "anywhere", "at the controller"

# Whether a line that it stands for was seen: in a recording, quoted by somebody, or only in Kafka's source.
RECORDED, QUOTED, UNSEEN = "recorded", "quoted", "unseen"

# What is to be done where neither the line nor its exception says it.
READ_ON = "Fetch the lines that follow this one in the log: they name the cause."

_PLACE = re.compile(r"\{(\w+)(?:\|([^{}]*))?\}")
_PART = re.compile(r"<([^<>{]*+\{[^<>]*)>")


def maturity_of(seen_in: str) -> str:
    """Of a line that stands in `seen_in`: a recording of `traces`, or what quotes it; empty: known from Kafka's source alone."""
    return RECORDED if seen_in.startswith("traces/") else QUOTED if seen_in else UNSEEN


@dataclass(frozen=True)
class Meaning:
    """What a wording says (chosen by template, by kind, by text), or what an exception under a line says.

    `{name}` in a text stands for a value of the line, `{name|else}` for what is said where the line has none; a part in
    `<...>` is left out where one of its values is missing. `follows` names meanings that this one is a consequence of where
    they stand in the same log. `alone` means that the exception tells all: what the wording above it says goes without saying.
    `explained_by` names what an analysis can find that explains it, and `cause_at` the node of which it must find that.
    `refines`: of a line whose template has one of these meanings, and whose text fits `wording`, this is said instead.
    `is_general`: beside a meaning that is not, the other one says what to do. `reason_before`: something ended, and an earlier line
    says why. `example` is what it looks like and `seen_in` where it stands, `not_examples` what looks alike, each with the key of what it means.
    """

    key: str
    says: str
    whose: str
    weight: str = TROUBLE
    effect: str = ""
    data: str = ""
    heals: str = ""
    next: str = ""
    never: str = ""
    kinds: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    wording: str = ""
    exception: str = ""
    follows: tuple[str, ...] = ()
    alone: bool = False
    explained_by: tuple[str, ...] = ()
    cause_at: str = NAMED
    is_general: bool = False
    reason_before: bool = False
    refines: tuple[str, ...] = ()
    example: str = ""
    seen_in: str = ""
    not_examples: Mapping[str, str] = field(default_factory=dict)

    @property
    def maturity(self) -> str:
        """Whether its example was recorded, is quoted, or is unseen."""
        return maturity_of(self.seen_in)

    @cached_property
    def wording_regex(self) -> re.Pattern[str]:
        return compiled(self.wording)

    @cached_property
    def exception_regex(self) -> re.Pattern[str]:
        return compiled(self.exception)


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with `values` in the place of its names; what stands in `<...>` only if all of its values are known."""

    def part(found: re.Match[str]) -> str:
        inner = found.group(1)
        known = all(name in values or default is not None for name, default in _places(inner))
        return f" {inner}" if known and inner[0] not in " ,.;:" else inner if known else ""

    return _PLACE.sub(_value(values), _PART.sub(part, text))


def places_in(text: str) -> list[str]:
    """The names of the values that `text` has places for."""
    return [name for name, _ in _places(text)]


def _places(text: str) -> list[tuple[str, str | None]]:
    return [(found.group(1), found.group(2)) for found in _PLACE.finditer(text)]


def _value(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    def value(found: re.Match[str]) -> str:
        name, default = found.groups()
        return values.get(name) or (default if default is not None else "…")

    return value
