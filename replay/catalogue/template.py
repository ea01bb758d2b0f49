"""A template of a log message: its text with named fields, its kind, when and by which class Kafka prints it, and an
example.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from replay.catalogue.fields import WORD, pattern_of

UNUSED = "-"
_END = r"\s*$"
_GROUP = re.compile(r"\(\?P<(\w+)>")
_SPECIAL = re.compile(r"([\\.\[\]{}()*+?^$|])")
_HEAD = re.compile(r"(?:\[([A-Za-z]*+)[^\]]*+\][:,]*+ ?)?([A-Za-z]*+)")
_LEAST_FIXED = 5  # characters
_WILD_PREFIX = re.compile(r"\{(?:log|client|caller|thread)_prefix\}|\[\{[^\]]*\][:,]* ?")


@dataclass(frozen=True)
class Field:
    """A value, with a name from `fields.py`."""

    name: str


@dataclass(frozen=True)
class Optional:
    """A part that may be missing, or one of several alternatives."""

    choices: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True)
class Named:
    """A part whose whole text fills a field: fixed text, with or without fields in it."""

    name: str
    inner: tuple[Part, ...]


Part = str | Field | Optional | Named


@dataclass(frozen=True)
class Pattern:
    """A regular expression with plain numbered groups, and the field that each group fills (first group first).

    `UNUSED` groups repeat a value from an earlier part of the text.
    """

    regex: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Template:
    """One wording of one message.

    `text` is the text between `LEVEL ` and ` (logger)`, with a `{field}` for each value; `seen` lists the ranges of
    releases whose source has it, `first-last first-last …`; `example` is a line that matches this template and no
    other.
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
        """The part of the text that is on the record's first line."""
        return self.text.split("\n")[0].rstrip()

    @cached_property
    def literal_length(self) -> int:
        """The number of fixed characters: if two templates match, the one with more wins."""
        return sum(len(text.replace(" ", "")) for text in self.fixed_texts)

    @cached_property
    def longest_text(self) -> str:
        """The longest fixed part of the first line, split at gaps of two spaces."""
        fixed = (piece for text in self.fixed_texts for piece in text.split("  "))
        return max(fixed, key=len, default="")

    @cached_property
    def fixed_texts(self) -> tuple[str, ...]:
        """The fixed parts of the first line that every message has."""
        return tuple(_fixed(self.parts))

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the first line."""
        return _parse(self.first_line)

    @cached_property
    def pattern(self) -> Pattern:
        """The text as a regular expression for the first line of a message."""
        writer = _Writer(self.parts)
        return Pattern(writer.regex(self.parts) + _END, tuple(writer.fields))

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Each field with its groups in the expression, counted from 0; a message fills at most one of them."""
        places: dict[str, tuple[int, ...]] = {}
        for place, name in enumerate(self.pattern.fields):
            if name != UNUSED:
                places[name] = (*places.get(name, ()), place)
        return places

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile("^" + self.pattern.regex)

    def fields_of(self, message: str) -> dict[str, str] | None:
        """The fields that `message` fills, or None if the template does not match."""
        found = self.compiled.match(message)
        return None if found is None else self.filled(found.groups())

    def filled(self, groups: Sequence[str | None]) -> dict[str, str]:
        """The fields that the groups of this template's expression fill."""
        return {
            name: value for name, value in zip(self.pattern.fields, groups, strict=True) if value and name != UNUSED
        }

    @cached_property
    def needs_logger(self) -> bool:
        """Whether the template has too little fixed text to be recognized without its logger."""
        begins_with = self.first_line.partition("{")[0].replace(" ", "")
        return len(begins_with) < _LEAST_FIXED and self.literal_length < _LEAST_FIXED

    @cached_property
    def heads(self) -> tuple[str | None, str | None]:
        """The two words that a message of this template starts with: in its bracketed prefix, and after it. None =
        any.
        """
        wild = _WILD_PREFIX.match(self.text)
        text = self.text[wild.end() :] if wild else self.text
        found = _HEAD.match(text)
        assert found is not None  # both parts are optional
        prefix, word = found.group(1) or "", found.group(2)
        if text[found.end() :].startswith("{"):
            word = ""  # the word may continue
        return (None if wild else prefix), (word or None)


def simple_name(logger: str) -> str:
    """A logger's class without its package and a companion object's `$` (kafka-log-formats §7)."""
    return logger if logger == "state.change.logger" else logger.rstrip("$").rsplit(".", 1)[-1]


def heads_of(message: str) -> tuple[str, str]:
    """The two words that `message` starts with: in its bracketed prefix, and after it; empty if there is none."""
    found = _HEAD.match(message)
    assert found is not None
    return found.group(1) or "", found.group(2)


_FIELD = re.compile(r"\{([a-z]\w*)\}")
_NAMED = re.compile(r"\{([a-z]\w*)::")
_TO_THE_END = {"(.*?)": r"(.*\S)?", r"([^\]]*?)": r"([^\]]*[^\]\s])?"}
_ANY_AT_END = re.compile(r"(?<=\|)\.\*\?\)$")
_ANY_TEXT = re.compile(
    r"\.\*|\[\^\\?[^\\][^\]\\]{0,40}\]\*"
)  # in the expression of a field that ends where the next text begins


class _Writer:
    """Writes the parts of a template as a regular expression and records which field each group fills.

    A field of any text ends at the first occurrence of the fixed text after it. An atomic group keeps the expression
    from trying a later occurrence once it has reached the next such field, so matching takes time linear in the
    length of the line.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self.fields: list[str] = []
        self._first_mention: dict[str, str] = {}
        self._last = set(_last_fields(parts))
        # If two parts fill one field, the first wins; a part of its own wins over one inside a larger text.
        self._plain = {
            name
            for part in parts
            if isinstance(part, Field)
            for name in _names_in(part.name)
            if len(_names_in(part.name)) <= 2
        }

    def regex(self, parts: Sequence[Part]) -> str:
        """`parts` as a regular expression."""
        pieces, is_open, ends = [""], False, False
        for part in parts:
            if isinstance(part, str):
                pieces[-1] += _escape(part)
                ends = True
                continue
            if isinstance(part, Optional):
                text = "(?:" + "|".join(map(self.regex, part.choices)) + ")?"
            elif isinstance(part, Named):
                self.fields.append(UNUSED if part.name in self.fields else part.name)
                text = f"({self.regex(part.inner)})"
            else:
                text = self._field(part)
            if ends and is_open and _ANY_TEXT.search(text):
                pieces.append("")
            is_open = is_open or _ANY_TEXT.search(text) is not None or WORD in text
            pieces[-1] += text
            ends = False
        return "".join(f"(?>{piece})" for piece in pieces[:-1]) + pieces[-1]

    def _field(self, part: Field) -> str:
        if part.name in self._first_mention:
            return self._first_mention[part.name]
        pattern = pattern_of(part.name)
        names = _GROUP.findall(pattern)
        self._first_mention[part.name] = _same_again(part.name, len(self.fields) + 1, len(names))
        known = {*self.fields, *(self._plain if len(_names_in(part.name)) > 2 else ())}
        self.fields.extend(UNUSED if name in known else name for name in names)
        plain = _GROUP.sub("(", pattern)
        # A field up to the end of the line needs no character-by-character matching.
        return plain if id(part) not in self._last else _ANY_AT_END.sub(r"(?:.*\\S)?)", _TO_THE_END.get(plain, plain))


def _fixed(parts: Sequence[Part]) -> Iterator[str]:
    """The fixed text that every message of the template has."""
    for part in parts:
        if isinstance(part, str):
            yield part
        elif isinstance(part, Named):
            yield from _fixed(part.inner)


def _last_fields(parts: Sequence[Part]) -> Iterator[int]:
    """The fields at the end of the text, by their `id()`."""
    if parts and isinstance(parts[-1], Field):
        yield id(parts[-1])
    elif parts and isinstance(parts[-1], Optional):
        for choice in parts[-1].choices:
            yield from _last_fields(choice)
    elif parts and isinstance(parts[-1], Named):
        yield from _last_fields(parts[-1].inner)


@cache
def _names_in(field: str) -> frozenset[str]:
    """The names that a field fills: one, or several if the field is a larger text."""
    return frozenset(_GROUP.findall(pattern_of(field)))


def _escape(literal: str) -> str:
    """Fixed text, escaped; two spaces also match one, because web pages collapse them."""
    return _SPECIAL.sub(r"\\\1", literal).replace("  ", "  ?")


@cache
def _parse(text: str) -> tuple[Part, ...]:
    """A text as parts: literals, `{field}`s, `{optional {field} text|or this?}` and `{field::text with {fields}}`;
    any other brace is a literal.
    """
    parts: list[Part] = []
    literal, at = "", 0
    while (brace := text.find("{", at)) >= 0:
        field, named = _FIELD.match(text, brace), _NAMED.match(text, brace)
        end = _end_of_part(text, brace) if field is None else field.end()
        is_optional = end is not None and text[end - 2] == "?"
        if end is None or not (field or named or is_optional):
            literal += text[at : brace + 1]
            at = brace + 1
            continue
        if literal := literal + text[at:brace]:
            parts.append(literal)
            literal = ""
        if field is not None:
            parts.append(Field(field.group(1)))
        elif named is not None and not is_optional:
            parts.append(Named(named.group(1), _parse(text[named.end() : end - 1])))
        else:
            parts.append(Optional(tuple(map(_parse, text[brace + 1 : end - 2].split("|")))))
        at = end
    if literal := literal + text[at:]:
        parts.append(literal)
    return tuple(parts)


def _end_of_part(text: str, start: int) -> int | None:
    """Where the `{...}` that starts at `start` ends; None if its closing brace is missing."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return None


def _same_again(name: str, first: int, groups: int) -> str:
    """The pattern of a field's second mention, which must repeat the value of the first."""
    if name == "topic_partition":
        return rf"\[?\{first}[-,] ?\{first + 1}\]?"
    return rf"\{first}" if groups == 1 else ".*?"
