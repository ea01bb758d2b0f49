"""Entries of a pack: a file of TOML that says what lines mean, which bugs they show, and what several lines mean
together.

A pack is data: it holds no code, names no file and runs no pattern without a bound. Each error names the file, the
line, the entry and the field, and says what to do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from typing import Any, NoReturn

import tomli

from replay.errors import InputError
from replay.knowledge import closed
from replay.knowledge.meaning import QUOTED, UNSEEN
from replay.knowledge.pack_files import names_of_packs, text_of_pack

# Limits of a pack: what a person writes is far below them.
MOST_CHARACTERS = 1_000_000  # of a file
MOST_LINES = 20_000
MOST_ENTRIES = 2_000
LONGEST_TEXT = 20_000  # characters of one value
DEEPEST = 5  # tables and lists inside each other

WRITERS = ("clients", "users", "host")  # of lines that are not Kafka's own
USERS_OWN = "user"  # of entries of a pack that a user added
_HEADER_SHAPE: dict[str, Any] = {"written_by": WRITERS, "before": [str]}
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,80}")
_QUOTES = re.compile(r"'''|\"\"\"")  # around a text of several lines
_AT_LINE = re.compile(r" \(at line (?P<line>\d+), column \d+\)$")


@dataclass(frozen=True)
class Entry:
    """One entry: the file that holds it, its key, its fields by name, and whose lines its pack describes."""

    file: str
    key: str
    fields: Mapping[str, Any]
    written_by: str = ""


class EntryError(Exception):
    """An error in a field of an entry, or in the entry itself if `field` is empty."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field
        self.problem = problem


@dataclass(frozen=True)
class Pack:
    """A file of entries. `written_by`: whose lines they describe (the table `[pack]`), if not Kafka's own; `before`:
    the packs whose entries it precedes.
    """

    file: str
    entries: tuple[Entry, ...]
    before: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.file.rpartition("/")[2].removesuffix(".toml")


def pack_of(text: str, file: str, *, is_own: bool = False) -> Pack:
    """The pack with this text. Raises InputError for a text that is no pack. `is_own`: one of this package, whose
    limits a test checks.
    """
    if len(text) > MOST_CHARACTERS or text.count("\n") > MOST_LINES:
        raise InputError(
            f"{file}: a pack has at most {MOST_CHARACTERS:,} characters and {MOST_LINES:,} lines; split it"
        )
    tables = _tables(text, file)
    if len(tables) > MOST_ENTRIES:
        raise InputError(f"{file}: {len(tables):,} entries; a pack has at most {MOST_ENTRIES:,}; split it")
    for key, fields in tables.items():
        if not isinstance(fields, dict):
            hint = f"write [{key}]" if isinstance(fields, list) else "stands in no entry; put it below [its-key]"
            raise InputError(f"{file}, line {line_of(text, '', key)}: {key[:80]}: {hint}")
        if _KEY.fullmatch(key) is None:
            _refuse(text, file, key[:80], "", "a key has letters, digits, dots and hyphens")
        if not is_own:
            _check_size(text, file, key, fields)
    header = tables.pop("pack", {})
    try:
        check_fields(header, _HEADER_SHAPE, ())
    except EntryError as error:
        raise located(error, Entry(file, "pack", {}), text) from None
    writer = header.get("written_by", "")
    entries = tuple(Entry(file, key, fields, writer) for key, fields in tables.items())
    return Pack(file, entries, tuple(header.get("before", ())))


def _tables(text: str, file: str) -> dict[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        where = f", line {at['line']}" if at else ""
        raise InputError(f"{file}{where}: not TOML: {_AT_LINE.sub('', str(error))}") from None
    except RecursionError:
        raise InputError(f"{file}: tables and lists are nested too deeply; {DEEPEST} levels are permitted") from None


def _check_size(text: str, file: str, key: str, fields: Mapping[str, Any]) -> None:
    for field, value in fields.items():
        for depth, part in _parts(value, 1):
            if depth > DEEPEST:
                _refuse(text, file, key, field, f"nested deeper than {DEEPEST} levels")
            if isinstance(part, str) and len(part) > LONGEST_TEXT:
                _refuse(text, file, key, field, f"{len(part):,} characters; a text has at most {LONGEST_TEXT:,}")


def _parts(value: Any, depth: int) -> Iterator[tuple[int, Any]]:
    """The value and all values in it, with their depths, down to one level below the deepest permitted one."""
    yield depth, value
    if depth <= DEEPEST and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _parts(inner, depth + 1)


@cache
def own_packs() -> tuple[Pack, ...]:
    """The packs of this package: in alphabetical order, except that one precedes those that its `before` names."""
    packs = {pack.name: pack for pack in (pack_of(text_of_pack(name), name, is_own=True) for name in names_of_packs())}
    order = in_precedence([*packs], {name: pack.before for name, pack in packs.items()})
    return tuple(packs[name] for name in order)


def own_entries() -> Iterator[Entry]:
    """The entries of the packs of this package."""
    return (entry for pack in own_packs() for entry in pack.entries)


def entries_of_pack(name: str) -> tuple[Entry, ...]:
    """The entries of one pack of this package."""
    return next(pack.entries for pack in own_packs() if pack.name == name)


def in_precedence(keys: Sequence[str], before: Mapping[str, Iterable[str]]) -> list[str]:
    """The keys so that each stands before those that its `before` names; otherwise in the given order. Raises
    EntryError for keys that stand before each other.
    """
    later: dict[str, list[str]] = {key: [one for one in before.get(key, ()) if one != key] for key in keys}
    waits_for = Counter(one for several in later.values() for one in several)
    place = {key: number for number, key in enumerate(keys)}
    ready = [place[key] for key in keys if not waits_for[key]]
    found: list[str] = []
    while ready:
        key = keys[heappop(ready)]
        found.append(key)
        for one in later[key]:
            waits_for[one] -= 1
            if not waits_for[one] and one in place:
                heappush(ready, place[one])
    if len(found) < len(keys):
        raise EntryError("before", f"{', '.join(sorted(set(keys) - set(found)))} stand before each other")
    return found


def located(error: EntryError, entry: Entry, text: str) -> InputError:
    """The error as one line that names the file, the line, the entry and the field."""
    where = f"{entry.file}, line {line_of(text, entry.key, error.field)}: [{entry.key}]"
    return InputError(f"{where} {error.field}: {error.problem}" if error.field else f"{where}: {error.problem}")


def _refuse(text: str, file: str, key: str, field: str, problem: str) -> NoReturn:
    raise located(EntryError(field, problem), Entry(file, key, {}), text)


def line_of(text: str, key: str, field: str = "") -> int:
    """The line of an entry's field, or of its header if the field does not begin a line; 1 if neither is there."""
    first, inside = 1, key == ""
    for number, row in _rows_outside_texts(text):
        header = _header_in(row)
        if header is not None:
            if inside and key:
                return first
            inside = header == key
            first = number if inside else first
        elif inside and field and _begins(row, field.split(".")):
            return number
    return first


def _header_in(row: str) -> str | None:
    """The key of an entry that begins in this row; None if none does."""
    name, bracket, _ = row.strip().removeprefix("[").partition("]")
    return name.strip().strip("\"'") if bracket and row.lstrip().startswith("[") else None


def _begins(row: str, field: list[str]) -> bool:
    """Whether a row begins with a nested field, as `on.text =` or as `on =`."""
    names = (".".join(field[:size]) for size in range(len(field), 0, -1))
    rests = (row.strip().removeprefix(name).lstrip() for name in names if row.strip().startswith(name))
    return any(rest.startswith((".", "=")) for rest in rests)


def _rows_outside_texts(text: str) -> Iterator[tuple[int, str]]:
    """The rows that are no continuation of a text of several lines, with their numbers."""
    quote = ""
    for number, row in enumerate(text.split("\n"), 1):
        was_inside = bool(quote)
        for found in _QUOTES.findall("" if row.lstrip().startswith("#") and not was_inside else row):
            quote = "" if quote == found else quote or found
        if not was_inside:
            yield number, row


def seen_of(entry: Entry) -> str:
    """Whether the entry's line was `recorded`, is `quoted` in a public place, or is `unseen`; empty for a table of codes."""
    if "rows" in entry.fields:
        return ""
    if "seen" in entry.fields:
        return str(entry.fields["seen"])
    return QUOTED if "seen_in" in entry.fields else UNSEEN


def check_closed(fields: Mapping[str, Any]) -> None:
    """Raises EntryError for an owner, or for what happens to records, that is not in the closed list."""
    wrong = closed.check(fields)
    if wrong == "owner":
        raise EntryError("owner", f"{fields.get('owner')!r}: the owners are {', '.join(closed.OWNERS)}; one, or a list")
    if wrong is not None:
        raise EntryError("data", f"data = {fields['data']!r} needs {wrong}, a sentence")


def sort_of(entry: Entry) -> str:
    """What an entry describes: a `table` of codes, a `bug`, a `correlation` of lines, or a `meaning`."""
    if "rows" in entry.fields:
        return "table"
    if isinstance(entry.fields.get("lines"), dict):
        return "correlation"
    return "bug" if "title" in entry.fields else "meaning"


def check_fields(
    fields: Mapping[str, Any], shape: Mapping[str, Any], required: tuple[str, ...], inside: str = ""
) -> None:
    """Compares the fields with their shape: for each name a type, a tuple of the permitted values, `[shape]` for a
    list, `{str, list}` for one or several texts, or a dict of the fields of a table. Raises EntryError for an unknown, missing or wrong field.
    """
    for name in fields.keys() - shape.keys():
        raise EntryError(f"{inside}{name}", f"unknown field; the fields are {', '.join(shape)}")
    for name in required:
        if name not in fields:
            raise EntryError(inside.rstrip("."), f"the field {inside}{name} is missing")
    for name, value in fields.items():
        _check_value(f"{inside}{name}", value, shape[name])


def _check_value(name: str, value: Any, shape: Any) -> None:
    if isinstance(shape, tuple):
        if value not in shape or isinstance(value, bool):
            raise EntryError(name, f"{value!r} is none of {', '.join(shape)}")
    elif isinstance(shape, set):
        if not isinstance(value, str) and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise EntryError(name, "a text or a list of texts is expected")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise EntryError(name, "a list is expected: [ … ]")
        for one in value:
            _check_value(name, one, shape[0])
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            raise EntryError(name, f"a table is expected: {{ {', '.join(f'{key} = …' for key in shape if key)} }}")
        required = tuple(shape.get("", ()))
        check_fields(value, {key: one for key, one in shape.items() if key}, required, f"{name}.")
    elif type(value) is not shape:
        words = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}
        raise EntryError(name, f"{words[shape]} is expected, not {value!r}")
    elif value == "" and shape is str:
        raise EntryError(name, "the text is empty; leave the field out")
