"""What a log message is known by: its text with named fields, its kind, where and when Kafka prints it, and a line that proves it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from os.path import commonprefix

from replay.catalogue.fields import pattern_of

UNUSED = "-"
_END = r"\s*$"
_GROUP = re.compile(r"\(\?P<(\w+)>")
_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")
_HEAD = re.compile(r"(?:\[([A-Za-z]*)[^\]]*\][:,]* ?)?([A-Za-z]*)")
_WILD_PREFIX = re.compile(r"\{(?:log|client|caller|thread)_prefix\}|\[\{[^\]]*\][:,]* ?")


@dataclass(frozen=True)
class Field:
    """A value, by the name that `fields.py` knows."""

    name: str


@dataclass(frozen=True)
class Optional:
    """A part that may be missing, or one of several."""

    choices: tuple[tuple[Part, ...], ...]


Part = str | Field | Optional


@dataclass(frozen=True)
class Pattern:
    """A regular expression with plain numbered groups, and the field that each group fills (first group first).

    `UNUSED` groups repeat what an earlier part of the text tells.
    """

    regex: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """A template in an expression of several: the group that is filled if it is the one that fits, and the group of each field."""

    template: Template
    mark: int | None
    captures: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Template:
    """One wording of one message.

    `text` is what stands between `LEVEL ` and ` (logger)`, with `{field}` where the values are; `seen` holds the ranges of
    releases in which it was read, `first-last first-last …`; `example` is a line that matches this template and no other.
    """

    id: str
    kind: str
    level: str
    logger: str
    seen: str
    text: str
    example: str

    @cached_property
    def first_line(self) -> str:
        """The part of the text that stands on the record's first line."""
        return self.text.split("\n")[0].rstrip()

    @cached_property
    def literal_length(self) -> int:
        """How many characters of the text are fixed: of two templates that fit, the longer one is meant."""
        return sum(len(part.replace(" ", "")) for part in self.parts if isinstance(part, str))

    @cached_property
    def longest_text(self) -> str:
        """The longest fixed part of the first line."""
        return max((part for part in self.parts if isinstance(part, str)), key=len, default="")

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The first line in its parts."""
        return _parse(self.first_line)

    @cached_property
    def pattern(self) -> Pattern:
        """The text as a regular expression for the first line of a message."""
        writer = _Writer(self.parts, captures_before=0)
        return Pattern(writer.regex(self.parts) + _END, tuple(writer.fields))

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile("^" + self.pattern.regex)

    def fields_of(self, message: str) -> dict[str, str] | None:
        """The fields that `message` fills, or None where the template does not fit."""
        found = self.compiled.match(message)
        if found is None:
            return None
        return {name: value for name, value in zip(self.pattern.fields, found.groups(), strict=True) if value and name != UNUSED}

    @cached_property
    def needs_logger(self) -> bool:
        """Too little of the text is fixed to be known without the logger that printed it."""
        return self.literal_length < 5

    def prints_to(self, logger: str | None) -> bool:
        """Whether `logger` (full or simple name) is one that prints this template; loggers moved between packages."""
        return logger is not None and simple_name(logger) in self.logger.split("|")

    @cached_property
    def heads(self) -> tuple[str | None, str | None]:
        """The two words a message of this template starts with: in its bracketed prefix, and after it. None = any."""
        wild = _WILD_PREFIX.match(self.text)
        text = self.text[wild.end() :] if wild else self.text
        found = _HEAD.match(text)
        assert found is not None  # both parts are optional
        prefix, word = found.group(1) or "", found.group(2)
        if text[found.end() :].startswith("{"):
            word = ""  # the word could go on
        return (None if wild else prefix), (word or None)


def one_regex(templates: Sequence[Template], captures_before: int, alone: bool) -> tuple[str, list[Branch], int]:
    """`templates` as one regular expression, tried in this order; a branch for each; and how many groups there are.

    What all of them begin with stands once. A branch's mark holds a fixed character of its text, so it is never empty; one
    template `alone` needs none.
    """
    several = [template.parts for template in templates]
    lead, rests = _lead(several) if len(several) > 1 else ([], [list(several[0])])
    shared = _Writer(lead, captures_before)
    regex = shared.regex(lead)
    captures = len(shared.fields)
    alternatives: list[str] = []
    branches: list[Branch] = []
    for template, rest in zip(templates, rests, strict=True):
        writer = _Writer(template.parts, captures_before + captures, after=shared)
        marked = None if alone and len(templates) == 1 else next(part for part in rest if isinstance(part, str))
        alternatives.append(writer.regex(rest, marked) + _END)
        branches.append(Branch(template, writer.mark, (*shared.captures(), *writer.captures())))
        captures += len(writer.fields)
    return f"{regex}(?:{'|'.join(alternatives)})", branches, captures


def simple_name(logger: str) -> str:
    """A logger's class without its package and a companion object's `$` (kafka-log-formats §7)."""
    return logger if logger == "state.change.logger" else logger.rstrip("$").rsplit(".", 1)[-1]


def heads_of(message: str) -> tuple[str, str]:
    """The two words that `message` starts with: in its bracketed prefix, and after it; empty where there is none."""
    found = _HEAD.match(message)
    assert found is not None
    return found.group(1) or "", found.group(2)


_FIELD = re.compile(r"\{([a-z]\w*)\}")


class _Writer:
    """Writes the parts of a template as a regular expression and keeps the field that each group fills."""

    def __init__(self, parts: Sequence[Part], captures_before: int, after: _Writer | None = None) -> None:
        self.captures_before = captures_before
        self.fields: list[str] = []
        self.mark: int | None = None
        self._told = set(after.fields) if after else set()
        self._first_mention: dict[str, str] = dict(after._first_mention) if after else {}
        self._last = parts[-1] if parts else None
        # Of two parts that tell one field the first counts, and a part of its own before one inside a larger text.
        self._plain = {name for part in parts if isinstance(part, Field) for name in _names_in(part.name) if len(_names_in(part.name)) <= 2}

    def regex(self, parts: Sequence[Part], marked: str | None = None) -> str:
        """`parts` as a regular expression; the first character of `marked` is captured as the mark."""
        written: list[str] = []
        for part in parts:
            if part is marked and self.mark is None:
                self.fields.append(UNUSED)
                self.mark = self.captures_before + len(self.fields)
                written.append(f"({_escape(part[0])}){_escape(part[1:])}")
            elif isinstance(part, str):
                written.append(_escape(part))
            elif isinstance(part, Optional):
                written.append("(?:" + "|".join(map(self.regex, part.choices)) + ")?")
            else:
                written.append(self._field(part))
        return "".join(written)

    def captures(self) -> Iterator[tuple[int, str]]:
        """The number of each group and its field."""
        return ((number, name) for number, name in enumerate(self.fields, start=self.captures_before + 1) if name != UNUSED)

    def _field(self, part: Field) -> str:
        if part.name in self._first_mention:
            return self._first_mention[part.name]
        pattern = pattern_of(part.name)
        names = _GROUP.findall(pattern)
        self._first_mention[part.name] = _same_again(part.name, self.captures_before + len(self.fields) + 1, len(names))
        told = {*self._told, *self.fields, *(self._plain if len(_names_in(part.name)) > 2 else ())}
        self.fields.extend(UNUSED if name in told else name for name in names)
        plain = _GROUP.sub("(", pattern)
        # To the end of the line there is nothing to try character by character.
        return r"(.*\S)?" if part is self._last and plain == "(.*?)" else plain


def _lead(several: Sequence[Sequence[Part]]) -> tuple[list[Part], list[list[Part]]]:
    """What all begin with, and the rest of each, in which some text is fixed."""
    lead: list[Part] = []
    for parts in zip(*several, strict=False):
        if all(part == parts[0] for part in parts) and _has_one_extent(parts[0]):
            lead.append(parts[0])
            continue
        texts = [part for part in parts if isinstance(part, str)]
        common = commonprefix(texts) if len(texts) == len(parts) else ""  # noqa: RUF071 - letter by letter is what is wanted
        if common:
            lead.append(common)
        break
    while True:
        rests = [_without(lead, parts) for parts in several]
        if all(any(isinstance(part, str) for part in rest) for rest in rests):
            return lead, rests
        last = lead.pop()
        if isinstance(last, str) and len(last) > 1:
            lead.append(last[:-1])


def _without(lead: Sequence[Part], parts: Sequence[Part]) -> list[Part]:
    rest = list(parts[len(lead) :])
    last, own = (lead[-1], parts[len(lead) - 1]) if lead else (None, None)
    if isinstance(last, str) and isinstance(own, str) and own != last:
        rest.insert(0, own[len(last) :])
    return rest


def _has_one_extent(part: Part) -> bool:
    """The part fits a text in one way only, so that it does not matter which branch asks."""
    if not isinstance(part, Field):
        return isinstance(part, str)
    pattern = pattern_of(part.name)
    return len(_names_in(part.name)) <= 2 and not any(many in pattern for many in ("*?", "+?", ".*"))


@cache
def _names_in(field: str) -> frozenset[str]:
    """What a field tells: one name, or several if it is a larger text."""
    return frozenset(_GROUP.findall(pattern_of(field)))


def _escape(literal: str) -> str:
    return _SPECIAL.sub(r"\\\1", literal)


@cache
def _parse(text: str) -> tuple[Part, ...]:
    """A text in its parts: literals, `{field}`s, and `{optional {field} text|or this?}`; any other brace is a literal."""
    parts: list[Part] = []
    literal = ""
    at = 0
    while at < len(text):
        field = _FIELD.match(text, at)
        end = _end_of_optional(text, at) if field is None else field.end()
        if end is None:
            literal += text[at]
            at += 1
            continue
        if literal:
            parts.append(literal)
            literal = ""
        if field is not None:
            parts.append(Field(field.group(1)))
        else:
            parts.append(Optional(tuple(map(_parse, text[at + 1 : end - 2].split("|")))))
        at = end
    if literal:
        parts.append(literal)
    return tuple(parts)


def _end_of_optional(text: str, start: int) -> int | None:
    """Where the `{...?}` that starts at `start` ends; None if none starts there."""
    if text[start] != "{":
        return None
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1 if text[at - 1] == "?" else None
    return None


def _same_again(name: str, first: int, groups: int) -> str:
    """A second mention of a field holds the value of the first."""
    if name == "topic_partition":
        return rf"\[?\{first}[-,] ?\{first + 1}\]?"
    return rf"\{first}" if groups == 1 else ".*?"
