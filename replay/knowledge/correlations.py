"""What several lines mean together: entries of a pack, applied with six operators.

An entry names lines (`lines.NAME`) by their kind, their meaning or their text. The first name is the anchor: the entry
is tried for each line that matches it, or once for each value of the fields `by` (`all`: once). The operators select the other lines:
`same` (fields equal to the anchor's), `after` (another line; `before` is the reverse), `within` (so many seconds of it),
`absent` (no line may match), `count` (at least so many lines, or so many values of a field), `last` (the last of them has
the values). The entry then states a message of its own, or changes the meaning `of` some of the lines, or drops them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any, overload

from replay.knowledge.answer import Case
from replay.knowledge.choosing import Read
from replay.knowledge.library import library
from replay.knowledge.matching_issues import fixed_texts
from replay.knowledge.meaning import HARMLESS, Meaning, filled, places_in
from replay.knowledge.naming import writer
from replay.knowledge.pack import Entry, EntryError, check_fields, entries_of_pack
from replay.lists import listed, some
from replay.patterns import compiled
from replay.reading.exhibit_facts import facts_of
from replay.reading.printed_line import Line, clock_time

_LONG = 20_000  # only this much of a record is searched
_BEFORE_A_MARK = re.compile(r" ([,.;:](?:\s|$))")
_NUMBERED = re.compile(r"_\d+$")
_MOST_SENTENCES = 5  # of one entry
_TEXTS = ("says", "whose", "effect", "data", "heals", "next", "never")


@dataclass(frozen=True)
class Condition:
    """Which lines a name of an entry stands for."""

    kinds: tuple[str, ...] = ()
    means: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    text: str = ""
    below: bool = False  # `text` may also be in the lines below the first
    client: bool | None = None
    known: bool | None = None  # whether the line has a meaning of its own
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    least: Mapping[str, int] = field(default_factory=dict)  # numbers that fields must reach
    greater: tuple[str, ...] = ()  # a field whose number is above that of another field
    same: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    within: float | None = None
    beyond: float | None = None  # at least so many seconds from it
    shift: str = ""  # a field of that line: so many milliseconds before it something had begun
    rows: int | None = None  # at most so many rows of the file away
    span: float | None = None  # seconds from the first to the last of the lines, at most
    lasts: float | None = None  # the same, at least
    first: bool = False  # among the first lines of its node
    absent: bool = False
    optional: bool = False
    count: int = 1
    of: str = ""  # the field whose different values `count` counts
    last: bool = False
    kept: bool = False  # its own message stays
    says: str = ""


@dataclass(frozen=True)
class Correlation:
    """An entry. `states`: why a change came late, why a leader resigned, or what had ended the state that a line reports,
    which no finding of an analysis states.
    """

    key: str
    meaning: Meaning | None
    lines: Mapping[str, Condition]
    by: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    drops: bool = False
    changes: Mapping[str, str] = field(default_factory=dict)
    together: str = ""
    is_cause: bool = False  # the meaning replaces that of the exception
    states: bool = False
    always: bool = False  # also for lines that a finding explains
    case: bool = False  # it reads the rows and the facts of a whole paste

    @property
    def anchor(self) -> Condition:
        return next(iter(self.lines.values()))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The placeholders in its texts."""
        meant = [getattr(self.meaning, name) for name in _TEXTS] if self.meaning is not None else []
        texts = (*meant, *self.changes.values(), self.together, *(one.says for one in self.lines.values()))
        return tuple(dict.fromkeys(name for text in texts for name in places_in(text)))


@dataclass(frozen=True)
class Story:
    """`meaning` filled with `values`, shown by `lines`; `instead_of`: the locations of the lines that it replaces."""

    meaning: Meaning
    values: Mapping[str, str]
    lines: tuple[Read, ...]
    instead_of: frozenset[str]


@dataclass(frozen=True)
class Correlated:
    """The lines with their meanings among the others, what several of them mean together, and sentences about them."""

    read: list[Read]
    stories: list[Story]
    sentences: list[str]


@dataclass(frozen=True)
class _Match:
    place: int
    one: Read
    values: Mapping[str, str]

    def value(self, name: str) -> str:
        """A field of the line, or what its pattern captured."""
        line = self.one.line
        if name == "all":
            return ""
        if name == "file":
            return line.source
        if name == "node":
            node = writer(line)
            return str(node) if node is not None else ""
        return self.values.get(name, "")


Found = Mapping[str, Sequence[_Match]]

_ANY, _AFTER, _BEFORE = 0, 1, -1  # where a line stands: near another, after it, before it


class _InTime(Sequence[_Match]):
    """Matches in order, which are also found by their time and by a field, so that a line is not compared with all."""

    def __init__(self, matches: Sequence[_Match]) -> None:
        self._all = matches
        timed = sorted((_key(one), one) for one in matches if one.one.line.ts is not None)
        self._keys, self._timed = [key for key, _ in timed], [one for _, one in timed]
        self._untimed = [one for one in matches if one.one.line.ts is None]
        self._free = list(range(len(timed) + 1))  # for each place the next one that is not taken, or one on the way
        self._parts: dict[str, dict[str, _InTime]] = {}

    @overload
    def __getitem__(self, at: int) -> _Match: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[_Match]: ...
    def __getitem__(self, at: int | slice) -> _Match | Sequence[_Match]:
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def having(self, name: str, anchor: _Match) -> list[_InTime]:
        """Parts that hold each match whose field is the same as the anchor's (`_is_same`)."""
        mine, _, theirs = name.partition("=")
        if mine not in self._parts:
            parts: dict[str, list[_Match]] = defaultdict(list)
            for one in self._all:
                for value in {one.value(mine), *_items(one.value(mine))}:
                    parts[value].append(one)
            self._parts[mine] = {value: _InTime(some) for value, some in parts.items()}
        wanted = anchor.value(theirs or mine)
        return [self._parts[mine][value] for value in {wanted, *_items(wanted)} if value in self._parts[mine]]

    def near(
        self,
        others: Sequence[_Match],
        condition: Condition,
        side: int,
        is_taken: Callable[[_Match], bool] = lambda _: False,
    ) -> Iterator[_Match]:
        """All, or only some that include each that `condition` can find on this side of one of `others`. None that is
        taken; what is taken stays so.
        """
        first, end = 0, len(self._timed)
        if others and not (
            condition.within is None or condition.shift or any(one.one.line.ts is None for one in others)
        ):
            keys = [_key(one) for one in others]
            (low, low_place), (high, high_place) = min(keys), max(keys)
            within = int(min(condition.within * 1e6, 1e18)) + 1
            begin = (low, low_place) if side == _AFTER else (low - within, -1)
            until = (high, high_place) if side == _BEFORE else (high + within, -1)
            first, end = bisect_left(self._keys, begin), bisect_left(self._keys, until)
        at = self._next(first)
        while at < end:
            if is_taken(self._timed[at]):
                self._free[at] = at + 1
            else:
                yield self._timed[at]
            at = self._next(at + 1)
        yield from (one for one in self._untimed if not is_taken(one))

    def _next(self, at: int) -> int:
        """The next place, from this one on, that is not taken."""
        while self._free[at] != at:
            self._free[at] = self._free[self._free[at]]
            at = self._free[at]
        return at


def _key(match: _Match) -> tuple[int, int]:
    """The time of a line in microseconds, and its place among the lines of one time."""
    ts = match.one.line.ts
    assert ts is not None
    plain = ts if ts.tzinfo is None else ts.astimezone(UTC).replace(tzinfo=None)
    return (plain - datetime.min) // timedelta(microseconds=1), match.place


class _Lines:
    """The lines, found by kind, by meaning or by text."""

    def __init__(self, read: Sequence[Read]) -> None:
        self.read = list(read)
        self.kinds: dict[str, list[int]] = defaultdict(list)
        self.begins: dict[str, datetime] = {}
        for place, one in enumerate(self.read):
            self.kinds[one.line.kind or ""].append(place)
            if one.line.ts is not None:
                node = str(writer(one.line))
                self.begins[node] = min(one.line.ts, self.begins.get(node, one.line.ts))
        self.dropped: set[int] = set()
        self.index()

    def index(self) -> None:
        """Finds the lines of each meaning; again after some meanings have changed."""
        self.keys: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(self.read):
            for meaning in (one.wording, one.cause):
                if meaning is not None and place not in self.dropped:
                    self.keys[meaning.key].append(place)

    def matching(self, condition: Condition) -> list[_Match]:
        """The lines that a condition selects by themselves, in order."""
        if condition.kinds:
            places: Iterable[int] = sorted(place for kind in condition.kinds for place in self.kinds.get(kind, ()))
        elif condition.means or (condition.causes and not {"any", "none"} & set(condition.causes)):
            keys = (*condition.means, *condition.causes)
            places = sorted({place for key in keys for place in self.keys.get(key, ())})
        else:
            places = range(len(self.read))
        fixed = fixed_texts(condition.text) if condition.text else ()
        found = (self._match(place, condition, fixed) for place in places if place not in self.dropped)
        return [match for match in found if match is not None]

    def _match(self, place: int, condition: Condition, fixed: Sequence[str]) -> _Match | None:
        one = self.read[place]
        text = one.line.text[:_LONG] if condition.below else one.line.message
        if fixed and not any(part in text for part in fixed):
            return None
        values: Mapping[str, str] = one.values
        if condition.text:
            match = compiled(condition.text).search(text)
            if match is None:
                return None
            values = {**values, **_named(match)}
        found = _Match(place, one, values)
        return found if self._fits(found, condition) else None

    def _fits(self, match: _Match, condition: Condition) -> bool:
        one = match.one
        wording, cause = one.wording, one.cause
        if condition.means and (wording is None or wording.key not in condition.means):
            return False
        known = {"none"} if cause is None else {"any", cause.key}
        if condition.causes and not known & set(condition.causes):
            return False
        meanings = [meaning for meaning in (wording, cause) if meaning is not None]
        if condition.weights and not (meanings and all(one.weight in condition.weights for one in meanings)):
            return False
        if condition.known is not None and one.is_known != condition.known:
            return False
        if condition.client is not None and one.line.is_clients != condition.client:
            return False
        if not all(map(match.value, condition.has)) or any(map(match.value, condition.lacks)):
            return False
        if any(_number(match.value(name)) < least for name, least in condition.least.items()):
            return False
        if condition.greater and _number(match.value(condition.greater[0])) <= _number(
            match.value(condition.greater[1])
        ):
            return False
        return not condition.first or self._is_first(one)

    def _is_first(self, one: Read) -> bool:
        begin = self.begins.get(str(writer(one.line)))
        return begin is not None and one.line.ts is not None and (one.line.ts - begin).total_seconds() <= 1


def _named(found: re.Match[str]) -> dict[str, str]:
    """The groups of a pattern; `name_2` fills `name`."""
    return {_NUMBERED.sub("", name): value for name, value in found.groupdict().items() if value}


def _number(text: str) -> float:
    digits = text.replace(",", "")
    return float(digits) if digits.removeprefix("-").isdecimal() else float("-inf")


def correlated(
    read: Sequence[Read], is_explained: Callable[[Read], bool] = lambda _: False, *, is_complete: bool = True
) -> Correlated:
    """What the lines mean together. Lines that a finding explains keep their meaning. If the lines are not complete,
    only entries apply that change the meaning of lines, or state what no finding states.
    """
    added = map(correlation_of, library().correlations)
    own = (one for one in entries() if not one.case and (is_complete or one.of or one.states))
    return correlated_by((*added, *own), read, is_explained)


def correlated_by(
    some: Iterable[Correlation], read: Sequence[Read], is_explained: Callable[[Read], bool] = lambda _: False
) -> Correlated:
    """What the lines mean together by some entries, in their order."""
    lines = _Lines(read)
    stories: list[Story] = []
    sentences: list[str] = []
    used: set[int] = set()
    for entry in some:
        stated = 0
        for found in _instances(entry, lines, used):
            values = _values(entry, found)
            if entry.together:
                stated += 1
                sentences += [filled(entry.together, values)] if stated <= _MOST_SENTENCES else []
            if entry.of:
                _change(entry, found, values, lines, is_explained)
            elif entry.meaning is not None:
                stories.append(_story(entry, entry.meaning, found, values, used))
        if stated > _MOST_SENTENCES:
            sentences.append(f"The same is true of {stated - _MOST_SENTENCES} more.")
        if entry.of:
            lines.index()
    kept = [one for place, one in enumerate(lines.read) if place not in lines.dropped]
    return Correlated(kept, stories, list(dict.fromkeys(sentences)))


def without_a_line(entry: Correlation, read: Sequence[Read]) -> list[str]:
    """The names of an entry's lines that it requires and that no line by itself fits."""
    lines = _Lines(read)
    required = {name: one for name, one in entry.lines.items() if not (one.absent or one.optional)}
    return [name for name, condition in required.items() if not lines.matching(condition)]


def case_of(text: str) -> Case | None:
    """What the whole text shows with its tables, settings and outputs: the first case that has all that it needs."""
    facts = _Lines([Read(fact, None, None, {**fact.fields, "me": ""}) for fact in facts_of(text)])
    for entry in entries():
        meaning = entry.meaning
        if not entry.case or meaning is None:
            continue
        for found in _instances(entry, facts, set()):
            values = _values(entry, found)
            says, do, calm = (_plain(filled(text, values)) for text in (meaning.says, meaning.next, meaning.data))
            rows = tuple(match.one.line.message for some in found.values() for match in some)
            return Case(entry.key, says, do, calm, meaning.weight == HARMLESS, tuple(filter(None, rows)))
    return None


def _plain(text: str) -> str:
    """The text with plain spaces; it may begin with the name of a host."""
    return _BEFORE_A_MARK.sub(r"\1", " ".join(text.split()))


def _instances(entry: Correlation, lines: _Lines, used: set[int]) -> Iterator[Found]:
    """The lines of each case in which an entry applies."""
    name, anchor = next(iter(entry.lines.items()))
    anchors = [match for match in lines.matching(anchor) if match.place not in used]
    if not anchors:
        return
    others = {other: _InTime(lines.matching(one)) for other, one in entry.lines.items() if other != name}
    required = (one for one in others if not (entry.lines[one].absent or entry.lines[one].optional))
    if not all(others[one] for one in required):
        return
    taken: set[int] = set()
    for group in _grouped(anchors, entry.by):
        own = [match for match in group if match.place not in taken]
        if not own or not _is_enough(own, anchor):
            continue
        found = _selected(entry, name, own, others, (used, taken))
        if found is not None:
            taken |= {match.place for matches in found.values() for match in matches}
            yield found


def _grouped(anchors: Sequence[_Match], by: Sequence[str]) -> list[list[_Match]]:
    if not by:
        return [[one] for one in anchors]
    groups: dict[tuple[str, ...], list[_Match]] = defaultdict(list)
    for one in anchors:
        groups[tuple(map(one.value, by))].append(one)
    return sorted(groups.values(), key=lambda group: -len(group))


def _selected(
    entry: Correlation,
    name: str,
    own: Sequence[_Match],
    others: Mapping[str, _InTime],
    taken: tuple[Container[int], Container[int]],
) -> Found | None:
    """The lines of each name beside those of the anchor; None if a condition does not hold."""
    found = {name: _InTime(own)}
    mine = {match.place for match in own}
    for other, matches in others.items():
        condition = entry.lines[other]
        is_free = entry.of or condition.kept or condition.absent

        def is_taken(match: _Match, is_free: object = is_free) -> bool:
            return not is_free and any(match.place in some for some in taken)

        by, side = condition.after or condition.before, _AFTER if condition.after else _BEFORE
        refs, side = (found.get(by, ()), side) if by else (own, _ANY)
        same = next((name for name in condition.same if not name.endswith("?")), None)
        parts = [matches] if same is None else matches.having(same, own[0])
        related = (
            match
            for part in parts
            for match in part.near(refs, condition, side, is_taken)
            if (match.place not in mine or condition.kept) and _is_related(match, condition, found, found[name])
        )
        if condition.absent:
            if next(related, None) is not None:
                return None
            continue
        near = [match for _, match in sorted({match.place: match for match in related}.items())]
        if _is_enough(near, condition):
            found[other] = _InTime(near)
        elif not condition.optional:
            return None
    return found


def _is_enough(matches: Sequence[_Match], condition: Condition) -> bool:
    if not matches:
        return False
    times = [match.one.line.ts for match in matches if match.one.line.ts is not None]
    lasted = (max(times) - min(times)).total_seconds() if times else 0.0
    if (condition.span is not None and lasted > condition.span) or lasted < (condition.lasts or 0):
        return False
    many = len({match.value(condition.of) for match in matches} - {""}) if condition.of else len(matches)
    return many >= condition.count


def _is_related(match: _Match, condition: Condition, found: Mapping[str, _InTime], own: _InTime) -> bool:
    """Whether a line has the fields and the time that its condition asks for."""
    anchor = own[0]
    if not all(_is_same(match, anchor, name) for name in condition.same):
        return False
    if any(_is_same(match, anchor, name) for name in condition.differs):
        return False
    if not (condition.after or condition.before):
        return any(_is_near(match, other, condition, 0) for other in own.near([match], condition, _ANY))
    return all(
        not found.get(name)
        or any(_is_near(match, other, condition, sign) for other in found[name].near([match], condition, -sign))
        for name, sign in ((condition.after, _AFTER), (condition.before, _BEFORE))
        if name
    )


def _is_same(match: _Match, anchor: _Match, name: str) -> bool:
    """Whether two fields are equal, or one is in the list of the other. `mine=theirs` compares fields of two names;
    a name with `?` may lack a value.
    """
    mine, _, theirs = name.rstrip("?").partition("=")
    left, right = match.value(mine), anchor.value(theirs or mine)
    if not left or not right:
        return name.endswith("?")
    return left == right or left in _items(right) or right in _items(left)


def _items(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")] if "," in text else []


def _is_near(match: _Match, other: _Match, condition: Condition, sign: int) -> bool:
    """Whether a line stands near another: after it if `sign` is 1, before it if it is -1."""
    mine, theirs = match.one.line, other.one.line
    rows = mine.number - theirs.number if mine.source == theirs.source else 0
    if condition.rows is not None and (mine.source != theirs.source or abs(rows) > condition.rows):
        return False
    away = _seconds_between(theirs, mine)
    if condition.shift and away is not None:
        away += max(0.0, _number(other.value(condition.shift))) / 1000
    is_near = condition.within is None or away is None or abs(away) <= condition.within
    if not is_near or (condition.beyond is not None and (away is None or abs(away) < condition.beyond)):
        return False
    order = (rows if away is None else away) or match.place - other.place
    return sign == 0 or order * sign > 0


def _seconds_between(first: Line, second: Line) -> float | None:
    """The seconds from one line to another; below half a day for lines that print a time of day only; None if unknown."""
    if first.ts is not None and second.ts is not None:
        return (second.ts - first.ts).total_seconds()
    if first.ts is not None or second.ts is not None or not (first.clock and second.clock):
        return None
    days = (_of_the_day(second.clock) - _of_the_day(first.clock)) / 86_400
    return (days - round(days)) * 86_400


def _of_the_day(clock: str) -> int:
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    return hours * 3_600 + minutes * 60 + seconds


def _change(
    entry: Correlation,
    found: Found,
    values: Mapping[str, str],
    lines: _Lines,
    is_explained: Callable[[Read], bool],
) -> None:
    """Changes the meaning of lines, or drops them."""
    for match in (match for name in entry.of for match in found.get(name, ())):
        one = lines.read[match.place]
        if not entry.always and is_explained(one):
            continue
        if entry.drops:
            lines.dropped.add(match.place)
        elif entry.is_cause:
            lines.read[match.place] = replace(one, cause=entry.meaning)
        elif entry.meaning is not None:
            lines.read[match.place] = replace(one, wording=entry.meaning, cause=None, values={**values, **one.values})
        elif one.wording is not None:
            changes: dict[str, Any] = {name: filled(text, values) for name, text in entry.changes.items()}
            if "suffix" in changes:
                changes["key"] = f"{one.wording.key}-{changes.pop('suffix')}"
            lines.read[match.place] = replace(one, wording=replace(one.wording, **changes))


def _story(entry: Correlation, meaning: Meaning, found: Found, values: Mapping[str, str], used: set[int]) -> Story:
    shown = {match.place: match.one for matches in found.values() for match in matches}
    replaced = {
        match.place: match.one for name, matches in found.items() if not entry.lines[name].kept for match in matches
    }
    used.update(replaced)
    lines = tuple(shown[place] for place in sorted(replaced or shown))
    return Story(meaning, values, lines, frozenset(one.line.where for one in replaced.values()))


def _values(entry: Correlation, found: Found) -> dict[str, str]:
    """The values of the anchor, and those that the texts name as NAME_FIELD."""
    name, anchor = next(iter(entry.lines.items()))
    values = dict(_shown(found[name], anchor).values)
    values |= {"node": _shown(found[name], anchor).value("node")} if "node" not in values else {}
    for place in entry.places:
        for member in sorted(entry.lines, key=len, reverse=True):
            if place.startswith(f"{member}_"):
                values[place] = _value_of(found.get(member, ()), entry.lines[member], place[len(member) + 1 :], found)
                break
    values = {place: value for place, value in values.items() if value}
    for member, condition in entry.lines.items():
        if condition.says and member in found:
            values[member] = filled(condition.says, values)
    return values


def _shown(matches: Sequence[_Match], condition: Condition) -> _Match:
    return matches[-1 if condition.last else 0]


def _value_of(matches: Sequence[_Match], condition: Condition, name: str, found: Found) -> str:
    """`time`, `times`, `count`, `many`, `span`, `since_OTHER`, `all_FIELD`, `min_FIELD`, `max_FIELD`, `different_FIELD`, or a field."""
    if not matches:
        return ""
    one = _shown(matches, condition)
    times = [match.one.line.ts for match in matches if match.one.line.ts is not None]
    operator, _, rest = name.partition("_")
    if name == "time":
        return clock_time(one.one.line.ts) or one.one.line.clock
    if name == "times":
        return listed(list(dict.fromkeys(map(clock_time, times))))
    if name == "count":
        return f"{len(matches):,}"
    if name == "many":
        return f"{len(matches):,} lines" if len(matches) > 1 else ""
    if name == "span":
        return f"{(max(times) - min(times)).total_seconds():.0f} s" if times else ""
    if operator == "since" and rest in found:
        seconds = _seconds_between(found[rest][0].one.line, one.one.line)
        return f"{seconds:.0f} s" if seconds is not None else ""
    if operator in ("all", "min", "max", "different") and rest:
        different = list(dict.fromkeys(filter(None, (match.value(rest) for match in matches))))
        if operator == "different":
            return f"{len(different):,}"
        if operator == "all":
            return some(sorted(different, key=int) if all(map(str.isdecimal, different)) else different)
        numbers = [one for one in different if _number(one) != float("-inf")]
        return (min if operator == "min" else max)(numbers, key=_number, default="")
    return one.value(name)


# --- The entries of the pack


_OF_A_LINE: dict[str, Any] = {
    name: {"str": str, "bool": bool, "bool | None": bool, "int": int, "int | None": int}.get(
        str(one.type), [str] if "tuple" in str(one.type) else dict if "Mapping" in str(one.type) else float
    )
    for name, one in ((one.name, one) for one in fields(Condition))
}
_OF_AN_ENTRY = {
    **dict.fromkeys((*_TEXTS, "weight", "cause_at", "suffix", "as", "together", "source", "seen"), str),
    "case": bool,
    **{name: [str] for name in ("by", "of", "explained_by")},
    **dict.fromkeys(("drops", "is_cause", "states", "always", "alone"), bool),
    "lines": dict,
    "example": [str],
    "not": [str],
}


# In the order in which their entries apply.
_PACKS = (
    "correlations",
    "correlations-of-registrations",
    "correlations-of-nodes",
    "correlations-of-programs",
    "cases-of-clients",
    "cases",
)


@cache
def entries() -> tuple[Correlation, ...]:
    """The correlations of this package, in the order in which they apply."""
    return tuple(correlation_of(entry) for name in _PACKS for entry in entries_of_pack(name))


def correlation_of(entry: Entry) -> Correlation:
    """The correlation that an entry of a pack states. Raises EntryError for a wrong field."""
    given = dict(entry.fields)
    check_fields(given, _OF_AN_ENTRY, ("lines",))
    lines = {name: _condition_of(f"lines.{name}", one) for name, one in given.pop("lines").items()}
    for name in given.get("of", ()):
        if name not in lines:
            raise EntryError("of", f"{name} is none of the lines: {', '.join(lines)}")
    meant = {name: given[name] for name in (*_TEXTS, "weight", "cause_at") if name in given}
    has_meaning = bool(meant.get("says"))
    if has_meaning:
        meant |= {"explained_by": tuple(given.get("explained_by", ())), "alone": given.get("alone", False)}
    changes = {} if has_meaning else {**meant, **({"suffix": given["suffix"]} if "suffix" in given else {})}
    return Correlation(
        entry.key,
        Meaning(given.get("as", entry.key), **{"whose": "nobody", **meant}) if has_meaning else None,
        lines,
        tuple(given.get("by", ())),
        tuple(given.get("of", ())),
        given.get("drops", False),
        changes,
        given.get("together", ""),
        given.get("is_cause", False),
        given.get("states", False),
        given.get("always", False),
        given.get("case", False),
    )


def _condition_of(name: str, given: Mapping[str, Any]) -> Condition:
    shape = {field: one for field, one in _OF_A_LINE.items() if one is not float}
    numbers = {field: one for field, one in given.items() if _OF_A_LINE.get(field) is float}
    check_fields({field: one for field, one in given.items() if field not in numbers}, shape, (), f"{name}.")
    values: dict[str, Any] = {field: tuple(one) if isinstance(one, list) else one for field, one in given.items()}
    return Condition(**values)
