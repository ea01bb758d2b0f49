"""The meaning of one wording or one exception: in plain words, with the line's own values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from replay.patterns import compiled

# The weights, the most serious first.
ENDED = "ended"  # the process ended itself, or did not start
STOPPED = "stopped"  # something stopped and does not recover by itself
TROUBLE = "trouble"  # something fails, or will fail
PASSING = "passing"  # recovers by itself, or means nothing without more lines
HARMLESS = "harmless"
WEIGHTS = (ENDED, STOPPED, TROUBLE, PASSING, HARMLESS)

# The node whose fault explains a meaning: one that the line names, any node, the active controller, or a voter of the metadata quorum.
NAMED, ANYWHERE, AT_THE_CONTROLLER, AT_A_VOTER = "named", "anywhere", "at the controller", "at a voter"

# The source of the line: recorded, quoted by somebody, only in Kafka's source code, or unknown: only its words are known.
RECORDED, QUOTED, UNSEEN, WORDED = "recorded", "quoted", "unseen", "worded"
SEEN = (RECORDED, QUOTED, UNSEEN, WORDED)

# The action if neither the line nor its exception names one.
READ_ON = "Fetch the lines that follow this one in the log: they name the cause."

_ANY_REASON = r"\S"
_PLACE = re.compile(r"\{(\w+(?:\.\w+){0,2})(?:\|((?:[^{}]|\{\w+(?:\|[^{}]*)?\})*+))?\}")
_PART = re.compile(r"<([^<>{]*+\{[^<>]*)>")


@dataclass(frozen=True)
class Meaning:
    """The meaning of a wording (chosen by template, by kind, by text), or of an exception under a line.

    `{name}` in a text is a value of the line, `{name|else}` has a text for a missing value; a part in `<...>` is
    omitted if one of its values is missing. `follows` names meanings that cause this one in the same log. `alone`:
    the exception covers the meaning of the wording above it. `is_quiet`: the wording also applies below WARN, and
    `of_a_login` the exception. `is_fallback`: applies if no other exception does. `written_by`: whose lines its pack
    describes, if not Kafka's own. `reason`: applies to a line of any program that says that something failed and that no
    other entry knows, `remark` to what a person wrote. `explained_by` names the kinds of findings that explain it, and `cause_at` the node of the finding. `of_clients`: only for an exception under a client's line. `refines`:
    replaces one of these meanings of the line's template if the text matches `wording`. `is_general`: a specific
    meaning beside it determines the action. `reason_before`: something ended, and an earlier line has the reason.
    `example` is a sample line, `source` the class that prints it, `seen` whether anybody
    has seen it, and `seen_in` where; `not_examples` are similar lines, each with the key of its
    meaning.
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
    reason: str = ""
    remark: str = ""
    is_quiet: bool = False
    of_clients: bool = False
    of_a_login: bool = False
    is_fallback: bool = False
    written_by: str = ""
    follows: tuple[str, ...] = ()
    alone: bool = False
    explained_by: tuple[str, ...] = ()
    cause_at: str = NAMED
    is_general: bool = False
    reason_before: bool = False
    refines: tuple[str, ...] = ()
    example: str = ""
    source: str = ""
    releases: str = ""
    seen: str = UNSEEN
    seen_in: str = ""
    not_examples: Mapping[str, str] = field(default_factory=dict)

    @property
    def maturity(self) -> str:
        """Whether its line was recorded, is quoted, or is unseen."""
        return self.seen

    @property
    def is_a_reason(self) -> bool:
        """Whether it applies to lines that no other entry knows."""
        return bool(self.reason or self.remark)

    @property
    def is_any(self) -> bool:
        """Whether it applies to each reason, of whichever kind."""
        return self.reason == _ANY_REASON

    @cached_property
    def wording_regex(self) -> re.Pattern[str]:
        return compiled(self.wording)

    @cached_property
    def exception_regex(self) -> re.Pattern[str]:
        return compiled(self.exception)

    @cached_property
    def reason_regex(self) -> re.Pattern[str]:
        return compiled(self.reason or self.remark)


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with `values` for its placeholders; a part in `<...>` only if all of its values are known."""

    def part(found: re.Match[str]) -> str:
        inner = found.group(1)
        known = all(name in values or default is not None for name, default in _places(inner))
        return f" {inner}" if known and inner[0] not in " ,.;:" else inner if known else ""

    return _PLACE.sub(_value(values), _PART.sub(part, text))


def places_in(text: str) -> list[str]:
    """The names of the placeholders in `text`."""
    return [name for name, _ in _places(text)]


def _places(text: str) -> list[tuple[str, str | None]]:
    return [(found.group(1), found.group(2)) for found in _PLACE.finditer(text)]


def _value(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    def value(found: re.Match[str]) -> str:
        name, default = found.groups()
        return values.get(name) or (_PLACE.sub(_value(values), default) if default is not None else "…")

    return value
