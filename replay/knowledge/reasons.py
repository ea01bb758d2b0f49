"""What a line that no entry knows says of itself: who printed it, what failed, and the kind of reason, which decides what
to do. It applies to a line of any program, in any layout, and to what a person wrote about the end of a process.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from replay.json_text import value_of_json
from replay.knowledge.choosing import WARN, Read, is_understood
from replay.knowledge.library import library
from replay.knowledge.meaning import ENDED, STOPPED, WEIGHTS, Meaning
from replay.lists import some
from replay.reading.printed_line import LEVELS, NO_LEVEL, NOBODY, OTHERS, SETTING, TYPED, UNKNOWN, Line

_LONG = 4_000  # only this much of a record is read
_QUOTED = 240  # characters of a row
_STAMP = r"(?:\d{4}[-/.]\d\d[-/.]\d\d(?:[T _]\d\d:\d\d:\d\d[\d.,]{0,12}(?:Z|[+-]\d\d:?\d\d)?)?|[A-Z][a-z]{2} [ \d]?\d,? (?:\d{4},? )?(?:@ )?\d\d:\d\d:\d\d[\d.,]{0,10}|\d\d:\d\d:\d\d[\d.,]{0,12}|[+-]\d{4}(?!\d)|\d{9,10}\.\d{3})"
# A level in capitals; in small letters it is also a word of a sentence: `error while reading` begins none.
_CAPITALS = (
    r"(?:TRACE?|DEBUG?|INFO|NOTICE|WARN(?:ING)?|ERROR?|ERR|SEVERE|FATAL?|CRIT(?:ICAL)?|PANIC?|[DIWEF]!)(?![\w-])"
)
_SMALL = r"(?:[Ii]nfo|[Ww]arn(?:ing)?|[Ee]rror|[Ff]atal|[Dd]ebug)(?![\w-])(?!:? [a-z]{1,12}\b)"
_LEVEL = rf"(?:{_CAPITALS}|{_SMALL})"
_PART = re.compile(
    rf"\s{{0,8}}(?:\[(?P<inside>[^\]\n]{{0,300}})\]:?|(?P<stamp>{_STAMP})|(?P<level>{_LEVEL}):?|(?P<code>[\w./-]{{1,80}}\.(?:go|py|rs|js|ts|rb|cc?|cpp|java):\d{{1,6}}(?::(?=\s))?)|(?P<mark>==>|--|[-|:>#*]+(?=\s|$|\[)|\]+)|(?P<name>[A-Za-z][\w./-]{{1,60}}(?:\[\d{{1,9}}\])?)(?:: {{1,8}}(?=\S)| {{1,20}}\| | (?=\d\d:\d\d:\d\d| *==>))|(?P<program>[A-Za-z]\w{{1,30}}[-._][\w.-]{{1,40}}) - (?=\S))"
)
_MOST_PARTS = 12
_ONLY_A_LEVEL = re.compile(rf"\W{{0,3}}{_LEVEL}\W{{0,3}}$", re.IGNORECASE)
_ONLY_A_TIME = re.compile(rf"\W{{0,2}}{_STAMP}\W{{0,2}}$|[\d\s.:,/-]{{1,40}}$|[0-9a-f-]{{16,80}}$")
_SHORT = {
    **dict.fromkeys(("E", "ERR"), "ERROR"),
    **dict.fromkeys(("F", "CRIT", "CRITICAL", "PANIC"), "FATAL"),
    "W": "WARN",
}
_LEVEL_NAMED = re.compile(
    r"\b(?:level|lvl|severity)\"?[=:] ?\"?(?P<level>\w{3,8})|(?<![\w.])(?P<letter>[EF]), \[\d{4}-"
)
# Words with which a program says that something failed, and the same words where they say the opposite.
_FAILS = re.compile(
    r"(?<![\w.=-])(?:[Ee]rror|ERROR|[Ff]ail(?:s|ed|ing|ure)?|FAILED|[Ff]atal|[Cc]annot|[Cc]an't|[Dd]enied|[Rr]efused|[Rr]ejected|[Uu]nable|[Cc]ould not|[Uu]nsupported\w{0,20}|[Nn]o such|[Nn]ot found|[Nn]ot (?:a )?recognized|[Kk]illed|oom-killer|unbound variable|was not provided|is full|[Dd]ropping|[Dd]ropped|[Tt]imed out|[Cc]rash(?:ed)?|unexpected EOF|[Ee]xit(?:ed)?(?: with)? (?:code|status) [1-9]\d{0,2}|[Cc]orrupt(?:ed)?|[Pp]anic|[Nn]o route to host|unreachable|[Dd]isconnected|[Ee]xpired|[Gg]iving up|OOMKilled)(?![\w.=-]*[\w-])"
)
_USUAL = {"disconnected", "expired"}  # also in quiet lines about what always happens
_NONE_FAILED = re.compile(
    r"\b(?:[Nn]o|0|zero|without(?: any)?|any) (?:errors?|failures?)\b|\b(?:[Ee]rr(?:or)?s?|failed|failures?)\w{0,8}\"?[=:] ?(?:0\b|\"\"|null|nil|None|none|<nil>|\[\])|\bif (?:it |this )?fails?\b|\bfailed: ?0\b|\berror ?code[=: ]{1,3}(?:0|NONE)\b|\bignor(?:e|ed|ing)\b"
)
_EXISTS = re.compile(r": File exists$")  # what was to be made is there
_TEXTS_IN = ("message", "msg", "error", "err", "exception", "reason")
_FIELDS = re.compile(r'"(\w{2,20})": ?"((?:[^"\\]|\\.){1,400})')
_FIRST_PAIR = re.compile(r"(?:^|\s)@?[A-Za-z_][\w.]{0,80}=")
_PAIRS = re.compile(
    r'(?<![\w.])(msg|message|err|error|reason)=(?:"((?:[^"\\\n]|\\.){1,400})"|(\S{2,200})(?=\s+\w+=|\s*$))'
)
_EXCEPTION_ROW = re.compile(
    r"(?:[A-Za-z_][\w$]{0,60}\.){0,12}[A-Z]\w{1,80}(?:Exception|Error|Timeout|Refused|Failure)\b(?:: )?"
)
_TRACEBACK = "Traceback (most recent call last)"
_IS_A_FRAME = re.compile(r"at [\w.$<>/]{3,300}\(|\.\.\. \d+ (?:more|common)")
_COULD_NOT = re.compile(
    r"(?:(?:[Ff]ailed|[Uu]nable|[Nn]ot able) to|[Cc]annot|[Cc]ould not|[Cc]an't) (?P<could>(?!be\b)[a-z]\w{1,30}\b[^:\n{}\"]{0,140}?) ?: {1,4}(?P<reason>[^\n]{3,200})$"
    r"|[Ee]rror (?:while |when |during )?(?P<doing>[a-z]{2,20}ing\b[^:\n{}\"]{0,140}?) ?: {1,4}(?P<reason_2>[^\n]{3,200})$"
)
_NAME_OF_A_SETTING = re.compile(
    r"(?<![\w.$/])(?P<name>[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,30}){1,12}|--[a-z][\w-]{1,60}|[a-z]{2,30}(?:\.[a-z]{2,30}){1,8})(?![\w(/])"
)
_PATH = re.compile(r"(?<![\w./-])/[\w.-]{1,80}(?:/[\w.-]{1,80}){1,12}(?![\w/-])")
_OOM_OF = re.compile(r"(?P<process>[\w./-]{1,60}) invoked oom-killer")
_KILLED = re.compile(
    r"Kill(?:ed)? process \d{1,10} \((?P<killed>[^)\n]{1,60})\)|(?P<killed_2>[\w@.-]{1,100}\.service)\b"
)
_SIZE = r"(?P<{0}>\d{{1,6}}(?:\.\d{{1,3}})?) ?(?P<{0}_unit>[KMGT])i?[Bb]?\b"
_HEAP = re.compile(
    r"\bheap\b[^.\n]{0,60}?" + _SIZE.format("heap") + "|" + r"-Xmx(?P<max>\d{1,6})(?P<max_unit>[kmgKMG])"
)
_LIMIT = re.compile(r"\blimit\b[^.\n]{0,40}?" + _SIZE.format("limit"))
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class Printed:
    """A line of any program, without its head: who printed it, at which level, and the row that says what failed.
    `has_head`: a time, a level or a name shows that a program printed it.
    """

    by: str
    severity: int
    said: str
    has_head: bool


def printed_in(line: Line) -> Printed:
    """Who printed the line, its level, and the row of it that names the reason."""
    word = f"{line.logger}: " if line.logger and line.logger.isalpha() and line.logger.islower() else ""
    row, by, level = _without_head(_row_of(f"{word}{line.text[:_LONG]}"))
    row = _text_in_fields((line.pasted or line.message)[:_LONG]) or row
    severity = line.severity if line.level != NO_LEVEL else 0
    named = _LEVEL_NAMED.search(line.message[:400])
    if named is not None:
        level = level or (named["level"] or "ERROR")
    severity = max(severity, _severity_of(level))
    writer = line.writer if line.writer not in ("", NOBODY) else ""
    by = line.container or by or writer or _name_of_logger(line.logger or "")
    has_head = bool(by or severity or line.ts or line.clock)
    return Printed(by, severity, row[:_QUOTED].rstrip(" .,;"), has_head)


def _name_of_logger(logger: str) -> str:
    """The class of a logger; empty for a file of a program, and for what only stands in brackets behind a message."""
    package, _, name = logger.rpartition(".")
    return name if package and name[:1].isupper() else ""


def _severity_of(level: str) -> int:
    name = level.upper().rstrip("!")
    return LEVELS.get(_SHORT.get(name, name), 0)


def _row_of(text: str) -> str:
    """The row of a record that is nearest to the cause: the last 'Caused by', the last row of a traceback, or the first
    with the exception below it.
    """
    if "Caused by: " in text:
        return text.rpartition("Caused by: ")[2].split("\n")[0]
    rows = [row for row in text.split("\n") if row.strip()]
    if _TRACEBACK in text:
        return next((row for row in reversed(rows) if _EXCEPTION_ROW.match(row)), rows[0])
    thrown = rows[1].strip() if len(rows) > 1 and _EXCEPTION_ROW.match(rows[1].strip()) else ""
    return f"{rows[0]} ({thrown})" if thrown else "".join(rows[:1])


def _text_in_fields(text: str) -> str:
    """The message and the error of a record in JSON or in `key=value`; empty for another text."""
    if text.startswith("{"):
        fields = value_of_json(text)
        pairs = fields if isinstance(fields, dict) else dict(_FIELDS.findall(text))
    else:
        pairs = {name: quoted or bare for name, quoted, bare in _PAIRS.findall(text)}
        if pairs and not {"msg", "message"} & pairs.keys():
            pairs["message"] = _without_head(_FIRST_PAIR.split(text, maxsplit=1)[0])[0]
    return ": ".join(str(pairs[name]) for name in _TEXTS_IN if isinstance(pairs.get(name), str) and pairs[name])


def _without_head(row: str) -> tuple[str, str, str]:
    """A row without the times, levels and names before its message; the last of the names, and the level."""
    at, by, level = 0, "", ""
    for _ in range(_MOST_PARTS):
        found = _PART.match(row, at)
        if found is None or found.end() == at or not row[found.end() :].strip():
            break
        inside = found["inside"]
        if found["level"] or (inside is not None and _ONLY_A_LEVEL.match(inside)):
            level = (found["level"] or inside or "").strip()
        elif (name := found["name"] or found["program"]) or (inside and not _ONLY_A_TIME.match(inside)):
            by = _name_of(name or inside or "") or by
        at = found.end()
    return row[at:].strip(), by, level


def _name_of(text: str) -> str:
    name = text.strip().partition("[")[0].rpartition("/")[2].strip()
    is_name = re.search(r"[A-Za-z]{2}", name) is not None and len(name) <= 60 and " " not in name
    return name if is_name and not name.endswith(("Exception", "Error")) else ""


_LOSES = "any-dropped"
_LASTING = (ENDED, STOPPED)
_MOST = 3  # kinds of reasons in an answer
_MOST_BESIDE = 2  # in an answer about a fault that an entry knows


def reasons_among(lines: Iterable[Line], read: Iterable[Read], *, is_found: bool) -> list[Read]:
    """The lines that report a failure and that no entry knows, each with the meaning of its reason: a few kinds of reasons, the
    most severe first. `is_found`: an entry knows another fault. The result then contains only reasons that last.
    """
    lines, known = list(lines), {one.line.where: one for one in read}
    explained = {path for one in read if one.is_known for path in _PATH.findall(one.line.text[:_LONG])}
    kinds: dict[str, list[tuple[Printed, Read]]] = defaultdict(list)
    for line in lines:
        before = known.get(line.where)
        if before is not None and (before.is_known or (is_understood(before) and line.severity < WARN)):
            continue
        printed = printed_in(line)
        one = None if _names_one_of(printed.said, explained) else _general_reading(line, printed, before)
        if one is not None and one.wording is not None and not (is_found and not _is_grave(printed, one.wording)):
            kinds[one.wording.key].append((printed, one))
    own = [group for group in kinds.values() if any(printed.has_head for printed, _ in group)]
    if not own and not any(one.is_known for one in known.values()):
        own = [*kinds.values()]  # beside other lines, rows that no program printed only repeat what those say
    groups = sorted(map(_of_programs, own), key=_weight)
    if len(groups) > 1 and _is_any(groups[-1]):
        groups.pop()
    if not is_found and not any(_is_lasting(group) for group in groups):
        groups = [[one] for one in islice(remarks_that_matter(lines), 1)] + groups
    return [one for group in groups[: _MOST_BESIDE if is_found else _MOST] for one in group]


def _names_one_of(row: str, paths: Set[str]) -> bool:
    """Whether a row names a file that a line with a meaning names too: then it says the same."""
    return not paths.isdisjoint(_PATH.findall(row))


def _of_programs(group: Sequence[tuple[Printed, Read]]) -> list[Read]:
    """The lines with one kind of reason as one message: that of the first line that a program printed."""
    first = next((one for printed, one in group if printed.has_head), group[0][1])
    name = next((printed.by for printed, one in group if one is first), "")
    others = [printed.by for printed, _ in group if printed.by not in ("", name)]
    several = (
        f"{first.values['told']} {some(others)} {'report' if len({*others}) > 1 else 'reports'} the like."
        if others
        else ""
    )
    values = {**first.values, "told": several or first.values["told"]}
    return [
        replace(one, values={**one.values, **values}) for one in (first, *(one for _, one in group if one is not first))
    ]


def _is_grave(printed: Printed, meaning: Meaning) -> bool:
    """Whether the answer contains the reason in addition to a fault that an entry knows: the error lasts, or records are lost."""
    return meaning.key == _LOSES or (printed.severity > WARN and meaning.weight in _LASTING)


def _is_any(group: Sequence[Read]) -> bool:
    return group[0].wording is not None and group[0].wording.is_any


def _is_lasting(group: Sequence[Read]) -> bool:
    return any(one.wording is not None and one.wording.weight in _LASTING for one in group)


def _weight(group: Sequence[Read]) -> int:
    """A sort key: the gravest first, and a reason of no known kind last."""
    meaning = group[0].wording
    assert meaning is not None
    return WEIGHTS.index(meaning.weight) if not meaning.is_any else len(WEIGHTS)


def says_that_something_failed(line: Line, one: Printed) -> bool:
    """Whether a program says in the line that something failed."""
    if line.kind in (TYPED, SETTING) or not one.said or one.said[0] in '",}' or _IS_A_FRAME.match(one.said):
        return False
    if line.writer and line.kind not in (OTHERS, UNKNOWN):
        return False  # the host's own entries decide
    if _EXISTS.search(one.said):
        return False
    if one.severity > WARN:
        return True
    words = {found[0].lower() for found in _FAILS.finditer(one.said)}
    if one.severity < WARN:
        words -= _USUAL
    return bool(words) and _NONE_FAILED.search(one.said) is None


def _general_reading(line: Line, one: Printed, before: Read | None) -> Read | None:
    """The line with the meaning of its kind of reason; None if it does not say that something failed."""
    if not says_that_something_failed(line, one):
        return None
    meaning = kind_of_reason(one.said)
    is_any = meaning is not None and meaning.is_any
    is_of_a_service = before is None and "." in (line.logger or "")
    least = LEVELS["ERROR"] if is_of_a_service else WARN if before is not None else 0
    is_unclear = is_any and (line.kind == OTHERS or one.severity < least)
    if meaning is None or is_unclear or (is_of_a_service and one.severity < WARN):
        return None
    values = before.values if before is not None else {}
    return Read(line, meaning, None, {"me": one.by or "this process", **values, **_values(one)})


def kind_of_reason(text: str) -> Meaning | None:
    """The first entry whose reason the text names."""
    return next((one for one in library().reasons if one.reason_regex.search(text)), None)


def _values(one: Printed) -> dict[str, str]:
    who = f"The program {one.by}" if one.by[:1].islower() else one.by or ("A program" if one.has_head else "The text")
    could = _COULD_NOT.search(one.said) if one.has_head else None
    sentence = f"{who} {'reports' if one.has_head else 'says'}: " + (
        f'"{one.said}"' if "'" in one.said else f"'{one.said}'"
    )
    if could is not None and could["could"]:
        sentence = f"{who} could not {could['could']}: {could['reason']}"
    elif could is not None:
        sentence = f"{who} failed when {could['doing']}: {could['reason_2']}"
    values = {"said": one.said, "told": f"{sentence}."}
    for name, pattern in (("name", _NAME_OF_A_SETTING), ("process", _OOM_OF), ("victim", _KILLED)):
        if found := pattern.search(one.said):
            values[name] = next(filter(None, found.groups()))
    return values


def remarks_that_matter(lines: Iterable[Line]) -> Iterator[Read]:
    """What a person wrote about the end of a process, each with its meaning."""
    typed = (line for line in lines if line.level == NO_LEVEL or line.kind == TYPED)
    of_persons = [line for line in typed if not (line.ts or line.clock or line.logger or line.template)]
    rows = [(line, row.strip()) for line in of_persons for row in line.text[:_LONG].split("\n")]
    for line, row in rows:
        for meaning in library().remarks:
            if meaning.reason_regex.search(row):
                values = {"me": "this process", "said": row[:_QUOTED].rstrip(" .:")}
                yield Read(line, meaning, None, values | _limits([text for _, text in rows]))


def _limits(rows: Sequence[str]) -> dict[str, str]:
    """That the heap does not fit into the memory limit, if the text names both."""
    text = "\n".join(rows)
    heap, limit = _HEAP.search(text), _LIMIT.search(text)
    if heap is None or limit is None:
        return {}
    size, unit = (heap["heap"], heap["heap_unit"]) if heap["heap"] else (heap["max"], heap["max_unit"])
    if float(size) * _UNITS[unit.upper()] <= float(limit["limit"]) * _UNITS[limit["limit_unit"]] * 0.9:
        return {}
    return {
        "limits": f"A heap of {size}{unit.upper()} does not fit into the memory limit of {limit['limit']}{limit['limit_unit']} that it names: that alone gets it killed, sooner or later."
    }
