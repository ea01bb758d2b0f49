"""Checks of a pack that a user wrote: its patterns have a bound, its names exist, and its examples mean what it says.

A pack is untrusted input: it is data, holds no code, names no file, and a pattern may not need more than a fixed number
of steps at one position of a text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from replay.catalogue import TEMPLATES, clients_catalogue
from replay.catalogue.kinds import KINDS
from replay.errors import InputError
from replay.knowledge import closed
from replay.knowledge.choosing import Read, cause_of, wording_of
from replay.knowledge.correlations import Condition, Correlation, correlated_by, correlation_of, without_a_line
from replay.knowledge.known_issues import check_issue, issue_of
from replay.knowledge.library import library, library_with, with_library
from replay.knowledge.matching_issues import fixed_texts
from replay.knowledge.meaning import QUOTED, Meaning, places_in
from replay.knowledge.meanings import check_meaning, in_order, meaning_of
from replay.knowledge.pack import USERS_OWN, Entry, EntryError, Pack, located, own_entries, pack_of, sort_of
from replay.lists import listed
from replay.pattern_cost import ENDLESS, MOST_STEPS, UnboundedError, steps_of
from replay.patterns import compiled
from replay.reading.texts import lines_of

LONGEST_PATTERN = 2_000
MOST_NAMES = 20  # of the lines of a correlation
_OWN_ONLY = ("case", "states", "always", "is_cause", "drops", "of", "as", "suffix", "together")
TEXTS = ("says", "effect", "data_says", "heals_how", "next", "never", "owner_says")
_MOST_SHOWN = 6  # lines of an example in an error
_STAMP = re.compile(r"(?m)^(?=(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) )")
# Values that a text may name although no pattern has them: the reader adds them.
ADDED = frozenset({"me", "tp", "peer", "leader"})


@dataclass(frozen=True)
class Tested:
    """An entry whose examples mean what it says: how many examples and counter-examples it has."""

    key: str
    sort: str
    examples: int
    counter_examples: int


def checked_pack(text: str, file: str) -> Pack:
    """The pack with this text, all of it checked. Raises InputError for the first error."""
    first = next(problems_in(text, file), None)
    if first is not None:
        raise first
    return _read(text, file)


def problems_in(text: str, file: str) -> Iterator[InputError]:
    """Every error of a pack: of its form first; of its examples only if its form has none."""
    try:
        pack = _read(text, file)
    except InputError as error:
        yield error
        return
    known = {entry.key: entry.file for entry in own_entries()}
    is_sound = bool(pack.entries)
    if not pack.entries:
        yield InputError(f"{file}: no entry; docs/packs.md shows one")
    for entry in pack.entries:
        try:
            _check_form(entry, known, {one.key for one in pack.entries})
        except EntryError as error:
            is_sound = False
            yield located(error, entry, text)
    if is_sound and (circle := _circle_in(pack, text)) is not None:
        yield circle
    elif is_sound:
        yield from _problems_of_examples(pack, text)


def tested(pack: Pack) -> Iterator[Tested]:
    """The entries of a checked pack."""
    for entry in pack.entries:
        example = entry.fields.get("example", "")
        yield Tested(entry.key, sort_of(entry), 1 if example else 0, len(entry.fields.get("not", ())))


def _read(text: str, file: str) -> Pack:
    """The pack; its entries describe lines of programs that use Kafka, and quote their examples, if it does not say otherwise."""
    pack = pack_of(text, file)
    return replace(pack, entries=tuple(map(_of_a_user, pack.entries)))


def _of_a_user(entry: Entry) -> Entry:
    is_quoted = "example" in entry.fields and not {"seen", "seen_in", "lines", "rows"} & entry.fields.keys()
    fields = {**entry.fields, "seen": QUOTED} if is_quoted else entry.fields
    return replace(entry, written_by=entry.written_by or USERS_OWN, fields=fields)


def _circle_in(pack: Pack, text: str) -> InputError | None:
    """The error of entries that stand `before` each other; None without one."""
    try:
        in_order([entry for entry in pack.entries if sort_of(entry) == "meaning"])
    except EntryError as error:
        entry = next(one for one in pack.entries if one.key in re.findall(r"[\w.-]+", error.problem))
        return located(error, entry, text)
    return None


def _check_form(entry: Entry, own: dict[str, str], keys: Collection[str]) -> None:
    """Raises EntryError for an error that one entry shows by itself."""
    if entry.key in own:
        raise EntryError("", f"{own[entry.key]} has an entry with this key; choose another")
    sort = sort_of(entry)
    if sort == "table":
        raise EntryError("rows", "tables of codes belong to the packs of Kafka Replay itself")
    if sort == "bug":
        check_issue(entry)
        for sign in issue_of(entry).signature:
            _check_pattern("lines", sign.regex)
        raise EntryError(
            "title",
            "known bugs belong to the packs of Kafka Replay itself; describe a meaning (on.text), and a release by a correlation with the line `Kafka version: …`",
        )
    if sort == "correlation":
        _check_correlation(entry, {*own, *keys})
    else:
        check_meaning(entry)
        _check_meaning(meaning_of(entry), entry, {*own, *keys})


def _check_meaning(meaning: Meaning, entry: Entry, keys: Collection[str]) -> None:
    if meaning.is_a_reason:
        raise EntryError("on.reason", "belongs to the packs of Kafka Replay itself")
    if not (meaning.kinds or meaning.ids or meaning.wording or meaning.exception):
        raise EntryError("", "say which line it is: on.text, on.exception, on.kinds or on.ids")
    for field, pattern in (("on.text", meaning.wording), ("on.exception", meaning.exception)):
        if pattern:
            _check_pattern(field, pattern)
    if (meaning.wording or meaning.exception) and not meaning.example:
        raise EntryError("", "the field example is missing: a line as its program prints it")
    for field, names, known in (
        ("on.ids", meaning.ids, {template.id for template in TEMPLATES}),
        ("on.kinds", meaning.kinds, KINDS.keys() | {template.kind for template in clients_catalogue().templates}),
        ("refines", meaning.refines, keys),
        ("follows", meaning.follows, keys),
        ("before", entry.fields.get("before", ()), keys),
        ("not", meaning.not_examples.values(), {*keys, "unknown"}),
    ):
        for name in names:
            if name not in known:
                raise EntryError(field, f"{name} does not exist")
    check_places(entry, meaning)


def _check_correlation(entry: Entry, keys: Collection[str]) -> None:
    for field in _OWN_ONLY:
        if field in entry.fields:
            raise EntryError(field, "belongs to the packs of Kafka Replay itself")
    for name, condition in entry.fields["lines"].items():
        if not isinstance(condition, dict):
            raise EntryError(f"lines.{name}", "a table is expected: { … }")
    correlation = correlation_of(entry)
    if correlation.meaning is None:
        raise EntryError("", "the fields says, weight and next are missing: what the lines mean together")
    for field, words in (("data", closed.DATA), ("heals", closed.HEALS)):
        if entry.fields.get(field) in words:
            raise EntryError(
                field, f"{entry.fields[field]!r} is a word for an entry of one line; a correlation has a sentence"
            )
    kinds = KINDS.keys() | {template.kind for template in clients_catalogue().templates}
    names = [*correlation.lines]
    if len(names) > MOST_NAMES:
        raise EntryError("lines", f"{len(names):,} names of lines; a correlation has at most {MOST_NAMES}")
    for number, (name, condition) in enumerate(correlation.lines.items()):
        if condition.text:
            _check_pattern(f"lines.{name}", condition.text)
        if not (condition.kinds or condition.means or condition.causes or condition.text):
            raise EntryError(f"lines.{name}", "say which line it is: kinds, means, causes or text")
        if not number and condition.within is not None:
            raise EntryError(f"lines.{name}", "within belongs to a later line: the first has none to be near")
        if number and condition.within is None and condition.rows is None:
            raise EntryError(f"lines.{name}", "within is missing: how many seconds from the other line, at most")
        if condition.within is not None and (isinstance(condition.within, bool) or not 0 < condition.within < math.inf):
            raise EntryError(f"lines.{name}", f"within = {condition.within}: a number of seconds above 0 is expected")
        if condition.count < 1:
            raise EntryError(
                f"lines.{name}",
                f"count = {condition.count}: at least 1 is expected; absent = true says that no line may match",
            )
        for known, given in ((keys, (*condition.means, *condition.causes)), (kinds, condition.kinds)):
            if unknown := {*given} - {*known, "any", "none"}:
                raise EntryError(f"lines.{name}", f"{', '.join(sorted(unknown))} does not exist")
        for other in filter(None, (condition.after, condition.before)):
            if other not in names[:number]:
                raise EntryError(f"lines.{name}", f"no line above it is called {other}")
    if not entry.fields.get("example"):
        raise EntryError("", "the field example is missing: a list of lines that mean this together")


def _check_pattern(field: str, pattern: str) -> None:
    """Raises EntryError for a pattern that is wrong, too long, too slow, or fits almost any text."""
    if len(pattern) > LONGEST_PATTERN:
        raise EntryError(field, f"{len(pattern):,} characters; a pattern has at most {LONGEST_PATTERN:,}")
    try:
        steps = steps_of(pattern)
        compiled(pattern)
    except re.error as error:
        raise EntryError(field, f"no regular expression: {error}") from None
    except (UnboundedError, RecursionError, OverflowError) as error:
        raise EntryError(field, f"too complex to be bounded: {error}") from None
    if steps > MOST_STEPS:
        raise EntryError(
            field,
            f"can need {'more than ' if steps == ENDLESS else ''}{steps:,} steps at one position of a line, {MOST_STEPS:,} are permitted: name the letters of a"
            r" value, with an end ([\w.-]{1,80} instead of .*), repeat no repetition, and leave out what follows the"
            " last value",
        )
    if not fixed_texts(pattern):
        raise EntryError(field, "each alternative needs a fixed text of four characters or more, without (?i)")


def check_places(entry: Entry, meaning: Meaning, added: Collection[str] = ADDED) -> None:
    """Raises EntryError for a place in a sentence that has no value. `added`: values that the reader adds."""
    known = _groups(meaning.wording) | _groups(meaning.exception) | _fields_of(meaning)
    for field in TEXTS:
        for name in places_in(entry.fields.get(field, "")):
            if name not in known and name not in added:
                names = ", ".join(sorted({*known, *added}))
                raise EntryError(field, f"{{{name}}} has no value: no group (?P<{name}>…) is there; known: {names}")


def _groups(pattern: str) -> set[str]:
    return {re.sub(r"_\d+$", "", name) for name in re.findall(r"\(\?P<(\w+)>", pattern)}


def _fields_of(meaning: Meaning) -> set[str]:
    """The fields of the templates that choose the meaning."""
    templates = (*TEMPLATES, *clients_catalogue().templates)
    chosen = [one for one in templates if one.id in meaning.ids or one.kind in meaning.kinds]
    return {name for template in chosen for name in re.findall(r"\{(\w+)", template.text)}


def _problems_of_examples(pack: Pack, text: str) -> Iterator[InputError]:
    with with_library(library_with([pack])):
        for entry in pack.entries:
            try:
                if sort_of(entry) == "correlation":
                    _test_correlation(entry)
                else:
                    _test_meaning(entry)
            except EntryError as error:
                yield located(error, entry, text)


def _test_meaning(entry: Entry) -> None:
    """Raises EntryError if an example has another meaning, or a counter-example this one."""
    example = entry.fields.get("example", "")
    if example and entry.key not in (keys := _keys_of(example)):
        other = f"it means {', '.join(sorted(keys))}" if keys else "no pattern takes it"
        quiet = "; a line below WARN needs on.quiet = true" if not keys and not entry.fields["on"].get("quiet") else ""
        raise EntryError("example", f"it does not have this meaning: {other}{quiet}")
    for one in entry.fields.get("not", ()):
        keys = _keys_of(one["line"])
        if (
            entry.key in keys
            or (one["means"] != "unknown" and one["means"] not in keys)
            or (keys and one["means"] == "unknown")
        ):
            raise EntryError(
                "not", f"{one['line'][:80]!r} means {', '.join(sorted(keys)) or 'nothing'}, not {one['means']}"
            )


def _keys_of(example: str) -> set[str]:
    return {key for one in _read_lines(example) for key in _keys(one)}


def _keys(one: Read) -> list[str]:
    return [known.key for known in (one.wording, one.cause) if known is not None]


def _read_lines(text: str) -> list[Read]:
    lines = lines_of(_STAMP.sub("[2026-11-26 07:00:00,000] ", text), "example")
    found: list[Read] = []
    for line in lines:
        wording, cause = wording_of(line), cause_of(line)
        values = dict(line.fields) | (cause[1] if cause else {}) | (wording[1] if wording else {})
        found.append(Read(line, wording[0] if wording else None, cause[0] if cause else None, values))
    return found


def _test_correlation(entry: Entry) -> None:
    """Raises EntryError if the example does not show the correlation, or a counter-example does."""
    correlation = correlation_of(entry)
    _check_places_together(entry, correlation)
    if not _shows(correlation, "\n".join(entry.fields["example"])):
        raise EntryError("example", f"its lines do not show this correlation: {_why_not(entry, correlation)}")
    for text in entry.fields.get("not", ()):
        if _shows(correlation, text):
            raise EntryError("not", f"the text that ends with {text[-80:]!r} shows this correlation")


def _why_not(entry: Entry, correlation: Correlation) -> str:
    """Which lines a correlation does not find in its example, and what each line of the example means."""
    read = _read_lines("\n".join(entry.fields["example"]))
    missing = listed([f"`{name}`" for name in without_a_line(correlation, read)])
    if not missing:
        return "each of its lines is there, so compare the times, `same`, `count` and the `absent` lines"
    means = "; ".join(f"line {number}: {_meaning_in_words(one)}" for number, one in enumerate(read[:_MOST_SHOWN], 1))
    return f"no line is {missing} ({means})"


def _meaning_in_words(one: Read) -> str:
    by_wording = [f"means = {one.wording.key}"] if one.wording is not None else []
    by_exception = [f"causes = {one.cause.key}"] if one.cause is not None else []
    return ", ".join([*by_wording, *by_exception]) or "no meaning"


def _check_places_together(entry: Entry, correlation: Correlation) -> None:
    """Raises EntryError for a place in a sentence of a correlation that no line has a value for."""
    values = {name: _values_of(condition) for name, condition in correlation.lines.items()}
    first = next(iter(values))
    for field in (*TEXTS, "whose", "data", "heals"):
        for name in places_in(entry.fields.get(field, "")):
            member = next((one for one in sorted(values, key=len, reverse=True) if name.startswith(f"{one}_")), None)
            if name not in values[first] and not (
                member and _is_value(name.removeprefix(f"{member}_"), member, values)
            ):
                known = ", ".join(sorted(_named_by(correlation.lines[first])))
                raise EntryError(
                    field,
                    f"{{{name}}} has no value: a value of {first} ({known}), or NAME_ and a value, time, count or since_NAME",
                )


def _is_value(rest: str, member: str, values: Mapping[str, Collection[str]]) -> bool:
    """Whether a place behind the name of a line has a value: `time`, `since_OTHER`, `max_FIELD`, or a field."""
    operator, _, field = rest.partition("_")
    return (
        rest in {"time", "times", "count", "many", "span"}
        or rest in values[member]
        or (operator == "since" and field in values)
        or (operator in ("all", "min", "max", "different") and field in values[member])
    )


def _values_of(condition: Condition) -> set[str]:
    """The values that a line of a correlation can have: those of its patterns, and any field of the catalogue."""
    return {*_named_by(condition), *_fields_of_all(), *ADDED, "node", "file"}


def _named_by(condition: Condition) -> set[str]:
    """The groups of the patterns that choose a line."""
    chosen = [one for one in library().meanings if one.key in {*condition.means, *condition.causes}]
    return _groups(condition.text).union(*(_groups(one.wording) | _groups(one.exception) for one in chosen))


@cache
def _fields_of_all() -> frozenset[str]:
    templates = (*TEMPLATES, *clients_catalogue().templates)
    return frozenset(name for template in templates for name in re.findall(r"\{(\w+)", template.text))


def _shows(correlation: Correlation, text: str) -> bool:
    return bool(correlated_by([correlation], _read_lines(text)).stories)
