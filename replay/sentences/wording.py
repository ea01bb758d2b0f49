"""Wordings: texts with places for arguments, and the columns that fill them.

A place is `{name}` or `{name:form}`. A part between `(?` and `)` is left out where one of its arguments is missing.

    {brokers:list broker}      brokers 1, 2 and 3
    {names:list}               orders-0, orders-1 and 7 more
    {lost:count offset}        8,390 offsets
    {n:count change of leader/changes of leader}
    {n:pick has/have}          the first word where the number is 1
    {n:times}                  once, twice, 3 times
    {at_x:clock}               10:00:07.250
    {at_x:second}              10:00:07
    {at_x:time}                2024-05-01 10:00:07
    {ms:seconds}               26.4 s
    {n:number}                 8,390
    {flag:if}                  nothing: it only decides whether its part stands
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from replay.columns.values import once
from replay.sentences.statement import LIST_SEPARATOR

FORMS = ("plain", "list", "count", "pick", "times", "clock", "second", "time", "seconds", "number", "if")
LISTED_AT_MOST = 12

_PLACE = re.compile(r"\{(\w+)(?::(\w+)(?: ([^{}]*))?\}|\})")
_SEGMENT = "struct<text:string,name:string,form:string,one:string,many:string>"
_PARTS = f"map<string,array<struct<optional:boolean,segments:array<{_SEGMENT}>>>>"


@dataclass(frozen=True)
class Segment:
    """A fixed text, or a place for an argument: its name, its form, and the words that the form needs."""

    text: str | None = None
    name: str | None = None
    form: str | None = None
    one: str | None = None
    many: str | None = None


@dataclass(frozen=True)
class Part:
    """Segments that stand or fall together."""

    optional: bool
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Wordings:
    """The wordings of one kind of statement, by the names of their reasons."""

    texts: Mapping[str, str]
    parts: dict[str, tuple[Part, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", {reason: tuple(parsed(text)) for reason, text in self.texts.items()})

    def __or__(self, other: Wordings) -> Wordings:
        """The wordings of both. Raises ValueError for a reason that both have."""
        if twice := self.texts.keys() & other.texts.keys():
            raise ValueError(f"two wordings of {', '.join(sorted(twice))}")
        return Wordings({**self.texts, **other.texts})

    def text(self, statement: Column | str) -> Column:
        """The text of a statement (`STATEMENT`); null where there is none, its reason's name where no wording is
        known.
        """
        statement = F.col(statement) if isinstance(statement, str) else statement
        whole = {reason: [_as_json(part) for part in parts] for reason, parts in self.parts.items()}
        known = F.from_json(F.lit(json.dumps(whole, ensure_ascii=False)), _PARTS)

        def rendered(said: Column) -> Column:
            parts = F.transform(known[said["reason"]], lambda part: _part_text(part, said["arguments"]))
            return F.coalesce(F.array_join(parts, ""), said["reason"])

        return once(statement, rendered)

    def say(self, reason: str | None, arguments: Mapping[str, str] | None) -> str | None:
        """The text of a statement, in plain Python; its reason's name where no wording is known, None without a
        reason.
        """
        parts = self.parts.get(reason or "")
        if parts is None:
            return reason
        return "".join(_said(part, arguments or {}) for part in parts)

    def sentences(self, statements: Iterable[tuple[str, Mapping[str, str]]]) -> str:
        """The texts of some statements, reasons with arguments, as sentences: each with a capital and a full stop."""
        told = [self.say(reason, arguments) for reason, arguments in statements]
        return " ".join(_ended(text) for text in told if text)

    def paragraph(self, statements: Column | str) -> Column:
        """The texts of an array of statements as sentences: each with a capital and a full stop."""
        statements = F.col(statements) if isinstance(statements, str) else statements
        told = F.filter(F.transform(statements, self.text), lambda text: text != "")
        return F.array_join(F.transform(told, _as_sentence), " ")


def _ended(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _as_sentence(text: Column) -> Column:
    ends = F.when(text.rlike(r"[.!?]$"), "").otherwise(".")
    return F.concat(F.upper(F.substring(text, 1, 1)), F.substr(text, F.lit(2)), ends)


def _as_json(part: Part) -> dict[str, object]:
    return {"optional": part.optional, "segments": [vars(segment) for segment in part.segments]}


def parsed(text: str) -> Iterator[Part]:
    """The parts of a wording. Raises ValueError for a form that is not known, or a part that does not end."""
    at = 0
    while at < len(text):
        begin = text.find("(?", at)
        if begin != at:
            until = len(text) if begin < 0 else begin
            yield Part(False, tuple(_segments(text[at:until])))
            at = until
        else:
            end = _end_of_part(text, begin)
            yield Part(True, tuple(_segments(text[begin + 2 : end])))
            at = end + 1


def _end_of_part(text: str, begin: int) -> int:
    depth = 0
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    raise ValueError(f"a part without an end: {text[begin:]}")


def _segments(text: str) -> Iterator[Segment]:
    at = 0
    for place in _PLACE.finditer(text):
        if place.start() > at:
            yield Segment(text=text[at : place.start()])
        name, form, words = place.group(1), place.group(2) or "plain", place.group(3)
        if form not in FORMS:
            raise ValueError(f"no form {form!r}: {text}")
        one, _, many = (words or "").partition("/")
        yield Segment(name=name, form=form, one=one, many=many or (f"{one}s" if one else ""))
        at = place.end()
    if at < len(text):
        yield Segment(text=text[at:])


def _part_text(part: Column, arguments: Column) -> Column:
    texts = F.transform(part["segments"], lambda segment: _segment_text(segment, arguments))
    left_out = part["optional"] & F.exists(texts, lambda text: text.isNull())
    return F.when(left_out, "").otherwise(F.array_join(texts, "", "?"))


def _segment_text(segment: Column, arguments: Column) -> Column:
    argument = F.nullif(arguments[segment["name"]], F.lit(""))
    return F.when(segment["name"].isNull(), segment["text"]).otherwise(_in_form(segment, argument))


def _in_form(segment: Column, value: Column) -> Column:
    form, one, many = segment["form"], segment["one"], segment["many"]
    number = value.try_cast("double")
    noun = F.when(number == 1, one).otherwise(many)
    return (
        F.when(form == "plain", value)
        .when(form == "list", _enumerated(F.split(value, LIST_SEPARATOR), one, many))
        .when(form == "count", F.concat(F.format_number(number, 0), F.lit(" "), noun))
        .when(form == "pick", F.when(value.isNotNull(), noun))
        .when(form == "times", _how_often(number))
        .when(form == "clock", F.substring(value, 12, 12))
        .when(form == "second", F.substring(value, 12, 8))
        .when(form == "time", F.concat_ws(" ", F.substring(value, 1, 10), F.substring(value, 12, 8)))
        .when((form == "seconds") & number.isNotNull(), F.format_string("%.1f s", number / 1000))
        .when(form == "number", F.format_number(number, 0))
        .when((form == "if") & value.isNotNull(), "")
    )


def _said(part: Part, arguments: Mapping[str, str]) -> str:
    texts = [
        segment.text if segment.name is None else in_form(segment, arguments.get(segment.name) or None)
        for segment in part.segments
    ]
    if part.optional and None in texts:
        return ""
    return "".join("?" if text is None else text for text in texts)


def in_form(segment: Segment, value: str | None) -> str | None:
    """An argument as its place wants it; None where it is not known, or is no number where one is wanted."""
    if value is None:
        return None
    match segment.form:
        case "plain":
            return value
        case "if":
            return ""
        case "clock":
            return value[11:23]
        case "second":
            return value[11:19]
        case "time":
            return f"{value[:10]} {value[11:19]}"
        case "list":
            return enumerated(value.split(LIST_SEPARATOR), segment.one or "", segment.many or "")
    number = _number(value)
    noun = (segment.one if number == 1 else segment.many) or ""
    if segment.form == "pick":
        return noun
    if number is None:
        return None
    match segment.form:
        case "count":
            return f"{whole(number)} {noun}"
        case "times":
            return {1.0: "once", 2.0: "twice"}.get(number, f"{whole(number)} times")
        case "seconds":
            return f"{tenths(number / 1000)} s"
        case "number":
            return whole(number)
    raise ValueError(f"no form {segment.form!r}")


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def whole(number: float) -> str:
    """A number without decimals, its thousands apart: `8,390`."""
    return f"{number:,.0f}"


def tenths(number: float) -> str:
    """A number with one decimal, halves rounded up: `26.4`."""
    return str(Decimal(repr(number)).quantize(Decimal("0.1"), ROUND_HALF_UP))


def enumerated(items: Sequence[str], one: str = "", many: str = "", most: int = LISTED_AT_MOST) -> str:
    """`broker 1`, `brokers 1 and 2`, `1, 2 and 3`; of many the first, and how many more there are."""
    if len(items) > most:
        listed = f"{', '.join(items[:most])} and {len(items) - most} more"
    elif len(items) > 1:
        listed = f"{', '.join(items[:-1])} and {items[-1]}"
    else:
        listed = items[0] if items else ""
    noun = one if len(items) < 2 else many
    return f"{noun} {listed}" if one else listed


def _how_often(number: Column) -> Column:
    return (
        F.when(number == 1, "once")
        .when(number == 2, "twice")
        .otherwise(F.concat(F.format_number(number, 0), F.lit(" times")))
    )


def _enumerated(items: Column, one: Column, many: Column) -> Column:
    """`broker 1`, `brokers 1 and 2`, `1, 2 and 3`; of many the first, and how many more there are."""
    several, too_many = F.size(items) > 1, F.size(items) > LISTED_AT_MOST
    but_one = F.array_join(F.slice(items, 1, F.greatest(F.size(items) - 1, F.lit(0))), ", ")
    first = F.array_join(F.slice(items, 1, LISTED_AT_MOST), ", ")
    more = F.format_string("%s and %d more", first, F.size(items) - LISTED_AT_MOST)
    whole = F.concat(but_one, F.lit(" and "), F.element_at(items, -1))
    listed = F.when(too_many, more).when(several, whole).otherwise(F.get(items, F.lit(0)))
    noun = F.when(several, many).otherwise(one)
    return F.when(one == "", listed).otherwise(F.concat(noun, F.lit(" "), listed))
