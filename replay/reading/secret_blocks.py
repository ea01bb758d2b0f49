"""Secrets in blocks of lines: a column of a table, the data of a Kubernetes secret, a field of a form, a value above its
name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_FIELD_OF_A_FORM = re.compile(
    r"(form-data; name=\"(?P<name>[^\"\n]{1,80})\"[^\n]{0,200}\n(?:[A-Za-z-]{1,40}:[^\n]{0,200}\n){0,4}(?:[^\S\n]{0,80}\n)?)(?P<value>[^\n]{1,1000})"
)
_VALUE_ABOVE_NAME = re.compile(
    r"((?:^|\n)[^\S\n]{0,40}(?:-[^\S\n]{1,9})?value:[^\S\n]{1,9})(?P<value>[^\n]{1,1000})(\n(?:[^\S\n]{0,40}#[^\n]{0,200}\n){0,4}[^\S\n]{0,40}name:[^\S\n]{1,9}[\"']?(?P<name>[\w.-]{1,80}))"
)
_IN_TRIPLE_QUOTES = re.compile(  # of TOML and Python, over lines; not beyond the next record
    r"(?P<name>[\w.-]{1,80}+)[\"']?[^\S\n]{0,9}[=:][^\S\n]{0,9}(?P<quote>\"{3}|'{3})(?P<value>[^\n]{0,400}(?:\n(?!\[?\d{4}-\d\d-\d\d)[^\n]{0,400}){1,80}?)(?P=quote)"
)
_DUMP_OF_A_KEY = re.compile(  # as Java prints the keys of Kerberos and TLS when it debugs them
    r"(?i)((?:\bkey(?:Value|Bytes)?|secret) ?(?:\(hex dump\)[=:]?|:)[^\S\n]{0,9}\n)((?:[^\S\n]{0,9}[0-9a-f]{4}: [^\n]{1,120}(?:\n|$)){1,40})"
)
_IS_A_SECRET = re.compile(r"\bkind[\"']?[:=][^\S\n]{0,9}[\"']?Secret\b")
_LINE_OF_KIND = re.compile(r"(?m)^[^\S\n]*+(?:- )?[\"']?kind[\"']?:[^\S\n]{0,9}[\"']?Secret[\"',]{0,2}[^\S\n]*$")
_DATA_BEGINS = re.compile(r"(?P<indent>[^\S\n]*+(?:- )?)[\"']?(?:data|stringData)[\"']?:[^\S\n]*+")
_KEY = re.compile(r"(?P<key>[^\S\n]*+[\"']?[\w.-]{1,253}[\"']?:)(?P<value>[^\n]*+)")
_DATA = re.compile(r"[\"']?\b(?:data|stringData)[\"']?[:=]\s{0,9}\{[^{}]{0,100000}+\}")
_ENTRY = re.compile(
    r"([\"']?[\w.-]{1,253}[\"']?:[^\S\n]{1,9}|\"[\w.-]{1,253}\":|(?<=[{\s])[\w.-]{1,253}=)(?!\[hidden\])([\"']?)[^\s\"',{}]{1,10000}"
)
_PATCHED = re.compile(r"\bkubectl\b[^\n]{0,200}?\bpatch secrets?\b")
_RULE = re.compile(r"[\s|+─│┌┐└┘├┤┬┴┼═:=-]{3,}")
_WORDS_OF_HEADER = re.compile(r"[^\S\n]*[A-Za-z][\w.-]{0,60}(?:[^\S\n]{2,80}[A-Za-z][\w.-]{0,60}){1,30}[^\S\n]*")
_HEADER = re.compile(
    r"(?m)^(?=[^\n]{0,400}(?i:pass|secret|token|pwd|credential))[|│]?[^\S\n]{0,9}[A-Za-z][\w -]{0,60}(?:[,;|│\t][\w -]{1,60}){1,30}[|│]?[^\S\n]{0,80}$"
)
_HEAD = re.compile(r"\A\[?\d{4}-\d\d-\d\d[T ][\d:.,Z+-]{5,30}\]?[^\S\n]{1,9}[A-Z]{4,5}[^\S\n]{1,9}")
_BETWEEN_CELLS = re.compile(r"[,;|│\t]")
_NAME = re.compile(r"(?i)pass|secret|token|pwd|credential")
_MOST_NAMES = 3  # of one column: each line of words and commas can be a header


def hidden_blocks(text: str, mask: str, hidden: Callable[[str], str]) -> str:
    """`text` with `mask` in place of each value that a line above or below names; `hidden` hides the secrets of a line.
    The number of lines does not change.
    """

    def without_value(found: re.Match[str]) -> str:
        begin, end = (position - found.start() for position in found.span("value"))
        shown = hidden(f"{found['name']}={found['value']}")
        return found[0][:begin] + mask + found[0][end:] if mask in shown else found[0]

    def without_lines(found: re.Match[str]) -> str:
        if mask not in hidden(f"{found['name']}=x1Y2z3W4"):
            return found[0]
        begin, end = (position - found.start() for position in found.span("value"))
        return found[0][:begin] + re.sub(r"[^\s][^\n]*", mask, found["value"]) + found[0][end:]

    if "form-data" in text:
        text = _FIELD_OF_A_FORM.sub(without_value, text)
    if "value:" in text:
        text = _VALUE_ABOVE_NAME.sub(without_value, text)
    if '"""' in text or "'''" in text:
        text = _IN_TRIPLE_QUOTES.sub(without_lines, text)
    if "0000: " in text:
        text = _DUMP_OF_A_KEY.sub(lambda found: found[1] + re.sub(r"[^\n]+", mask, found[2]), text)
    if _IS_A_SECRET.search(text) is not None or _PATCHED.search(text) is not None:
        text = "\n---".join(_without_data(document, mask) for document in text.split("\n---"))
    return _without_columns(text, mask, hidden)


def _without_data(document: str, mask: str) -> str:
    if _IS_A_SECRET.search(document) is None and _PATCHED.search(document) is None:
        return document
    shown = _DATA.sub(lambda data: _ENTRY.sub(rf"\1\2{mask}", data[0]), document)
    is_yaml = _LINE_OF_KIND.search(shown) is not None
    return "\n".join(_without_entries(shown.split("\n"), mask)) if is_yaml else shown


def _without_entries(lines: Iterable[str], mask: str) -> Iterator[str]:
    """The lines of a Kubernetes secret in YAML with `mask` in place of each value of its data, also of several lines."""
    indent: int | None = None  # of the data that goes on
    key = 0  # the indent of the last key in it
    for line in lines:
        own = len(line) - len(line.lstrip())
        begins = _DATA_BEGINS.fullmatch(line)
        if begins is not None:
            indent, key = len(begins["indent"]), -1
        elif indent is not None and line.strip() and not line.lstrip().startswith("#"):
            entry = _KEY.fullmatch(line)
            if own <= indent and not (entry is None and key >= 0 and own > key):
                indent = None
            elif entry is not None and (key < 0 or own <= key):
                key = own
                line = f"{entry['key']} {mask}" if entry["value"].strip(" |>+-") else line
            else:
                line = line[:own] + mask
        yield line


def _without_columns(text: str, mask: str, hidden: Callable[[str], str]) -> str:
    """`text` with `mask` in the columns of tables whose header names a secret."""
    lines = _without_cells(text, mask, hidden).split("\n")
    if not any(_HEADER.fullmatch(_HEAD.sub("", line)) for line in lines if _NAME.search(line) is not None):
        return "\n".join(lines)
    named: dict[int, list[str]] = {}  # the secret names of a column, of the headers above
    columns = 0
    for number, line in enumerate(lines):
        if named and _RULE.fullmatch(line) is not None:
            continue
        line = _HEAD.sub("", line)
        cells = _BETWEEN_CELLS.split(line)
        if len(cells) != columns:
            named, columns = {}, len(cells)
        elif named:
            lines[number] = lines[number][: -len(line)] + _row(line, cells, named, mask, hidden)
        if _NAME.search(line) is not None and _HEADER.fullmatch(line) is not None:
            for place, name in enumerate(cells):
                if _NAME.search(name) is not None and mask in hidden(f"{name.strip()}=x1Y2z3W4"):
                    named[place] = [*dict.fromkeys((name.strip(), *named.get(place, ())))][:_MOST_NAMES]
    return "\n".join(lines)


def _row(
    line: str, cells: list[str], named: Mapping[int, Sequence[str]], mask: str, hidden: Callable[[str], str]
) -> str:
    """A row of a table with `mask` in its secret columns."""
    for place, names in named.items():
        value = cells[place].strip().strip("\"'")
        if value and any(mask in hidden(f"{name}={value}") for name in names):
            cells[place] = cells[place].replace(value, mask)
    return "".join(map("".join, zip(cells, (*_BETWEEN_CELLS.findall(line), ""), strict=True)))


def _without_cells(text: str, mask: str, hidden: Callable[[str], str]) -> str:
    """`text` with `mask` in the columns of tables without signs between the columns, as `kafka-delegation-tokens`
    prints them. A value has letters and digits.
    """
    if _NAMES_OF_COLUMNS.search(text) is None:
        return text
    lines = text.split("\n")
    secret: list[tuple[int, str]] = []
    columns = 0
    for number, line in enumerate(lines):
        if _NAMES_OF_COLUMNS.search(line) is not None and _WORDS_OF_HEADER.fullmatch(line) is not None:
            columns, named = len(line.split()), enumerate(line.split())
            secret = [(place, name) for place, name in named if mask in hidden(f"{name}=x1Y2z3W4")]
        elif secret:
            words = list(_WORD.finditer(line))
            if len(words) < columns or _NO_ROW.search(line) is not None:
                secret = []
            for place, _ in reversed(secret):
                if place < len(words) and _VALUE.fullmatch(words[place][0]) is not None:
                    lines[number] = line = line[: words[place].start()] + mask + line[words[place].end() :]
    return "\n".join(lines)


_NAMES_OF_COLUMNS = re.compile(
    r"(?i)\b(?:hmac|[\w.-]{0,40}(?:password|secret|token|pwd))(?:[^\S\n]{2}|[^\S\n]*$)", re.MULTILINE
)
_WORD = re.compile(r"\S+")
_NO_ROW = re.compile(
    r"^\[|^\s*+at |\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b|\d\d:\d\d:\d\d"
)  # of a record, or a frame
_VALUE = re.compile(r"(?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])\S{4,10000}")
