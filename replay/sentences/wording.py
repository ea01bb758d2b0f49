"""Wordings: texts with places for arguments.

A place is `{name}` or `{name:form}`. A part between `(?` and `)` is left out if one of its arguments is missing.

    {brokers:list broker}      brokers 1, 2 and 3
    {names:list}               orders-0, orders-1 and 7 more
    {names:topics}             orders, clicks, visits and 10 more topics
    {lost:count offset}        8,390 offsets
    {n:count change of leader/changes of leader}
    {n:pick has/have}          the first word if the number is 1
    {n:times}                  once, twice, 3 times
    {at_x:clock}               10:00:07.250
    {at_x:second}              10:00:07
    {at_x:time}                2024-05-01 10:00:07
    {ms:seconds}               26.4 s
    {ms:seconds down}          26.3 s: 26,388 ms as a lower bound; `up` as an upper one
    {n:number}                 8,390
    {flag:if}                  nothing: it only decides whether its part appears

The times of a statement show their dates if they are of several days.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

from replay.lists import listed
from replay.sentences.statement import LIST_SEPARATOR

FORMS = ("plain", "list", "topics", "count", "pick", "times", "clock", "second", "time", "seconds", "number", "if")
LISTED_AT_MOST = 12
LISTED_OF_MORE = 3  # a longer list shows this many names and a count of the rest

_PLACE = re.compile(r"\{(\w+)(?::(\w+)(?: ([^{}]*))?\}|\})")


@dataclass(frozen=True)
class Segment:
    """A fixed text, or a placeholder for an argument: its name, its form, and the words that the form needs."""

    text: str | None = None
    name: str | None = None
    form: str | None = None
    one: str | None = None
    many: str | None = None


@dataclass(frozen=True)
class Part:
    """Segments that appear together or not at all."""

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

    def render(self, reason: str | None, arguments: Mapping[str, str] | None) -> str | None:
        """The text of a statement; the name of its reason if it has no wording, None without a reason."""
        parts = self.parts.get(reason or "")
        if parts is None:
            return reason
        return "".join(_rendered(part, arguments or {}) for part in _dated(parts, arguments or {}))

    def sentences(self, statements: Iterable[tuple[str, Mapping[str, str]]]) -> str:
        """The texts of statements (reasons with arguments) as sentences, each with a capital letter and a full stop."""
        texts = [self.render(reason, arguments) for reason, arguments in statements]
        return " ".join(_ended(text) for text in texts if text)


def _ended(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def parsed(text: str) -> Iterator[Part]:
    """The parts of a wording. Raises ValueError for an unknown form or an unclosed part."""
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


def _rendered(part: Part, arguments: Mapping[str, str]) -> str:
    texts = [
        segment.text if segment.name is None else in_form(segment, arguments.get(segment.name) or None)
        for segment in part.segments
    ]
    if part.optional and None in texts:
        return ""
    return "".join("?" if text is None else text for text in texts)


_WITH_DATE = {"second": "time", "clock": "moment"}


def _dated(parts: Sequence[Part], arguments: Mapping[str, str]) -> Sequence[Part]:
    """The parts of a statement. If its times are of several days, they show their dates."""
    of_day = [one for part in parts for one in part.segments if one.form in _WITH_DATE]
    days = {(arguments.get(one.name or "") or "")[:10] for one in of_day} - {""}
    if len(days) < 2:
        return parts
    return [
        replace(
            part, segments=tuple(replace(one, form=_WITH_DATE.get(one.form or "", one.form)) for one in part.segments)
        )
        for part in parts
    ]


def in_form(segment: Segment, value: str | None) -> str | None:
    """An argument in the form of its placeholder; None if it is unknown, or is not a number although the form needs
    one.
    """
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
        case "moment":
            return f"{value[:10]} {value[11:23]}"
        case "list":
            return enumerated(value.split(LIST_SEPARATOR), segment.one or "", segment.many or "")
        case "topics":
            return enumerated(value.split(LIST_SEPARATOR), kind="topic")
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
            return f"{tenths(number / 1000, _ROUNDING[segment.one or ''])} s"
        case "number":
            return whole(number)
    raise ValueError(f"no form {segment.form!r}")


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def whole(number: float) -> str:
    """A number without decimals, with thousands separators: `8,390`."""
    return f"{number:,.0f}"


_ROUNDING = {"": ROUND_HALF_UP, "down": ROUND_FLOOR, "up": ROUND_CEILING}


def tenths(number: float, rounding: str = ROUND_HALF_UP) -> str:
    """A number with one decimal, halves rounded up: `26.4`; bounds are rounded down or up."""
    return str(Decimal(repr(number)).quantize(Decimal("0.1"), rounding))


def enumerated(items: Sequence[str], one: str = "", many: str = "", kind: str = "") -> str:
    """A list in words: `broker 1`, `brokers 1 and 2`, `1, 2 and 3`. A long list shows the first names and the number
    of the others (of a `kind`).
    """
    names = listed(items)
    if len(items) > LISTED_AT_MOST:
        more = len(items) - LISTED_OF_MORE
        of = f" {kind}{'s' if more > 1 else ''}" if kind else ""
        names = f"{', '.join(items[:LISTED_OF_MORE])} and {whole(more)} more{of}"
    noun = one if len(items) < 2 else many
    return f"{noun} {names}" if one else names
