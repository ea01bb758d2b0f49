"""What a result prints, and the tables behind it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
from rich.console import Console

from pipelines import collect
from pipelines.result import Result as Stored
from pipelines.summary import summary

PAGE, JSON, TERMINAL = "page", "findings.json", "terminal"
TABLES = (
    "availability",
    "broker_sessions",
    "controllers",
    "coverage",
    "deposed_leaders",
    "edges",
    "elections",
    "failovers",
    "events",
    "faults",
    "follower_positions",
    "findings",
    "high_watermarks",
    "incidents",
    "isr_drops",
    "isr_spans",
    "leader_epochs",
    "losses",
    "releases",
    "settings",
    "truncations",
    "vertices",
    "coverage_spans",
    "voter_sets",
)


@dataclass(frozen=True)
class Printed:
    """A text that a reader sees: its surface, its place there, its incident if it stands under one, and what of it is code."""

    surface: str
    place: str
    text: str
    incident_id: str | None = None
    code: Sequence[str] = ()


@dataclass(frozen=True)
class Mark:
    """A bar of a chart of the page: the kind of its trace, its begin and end, and its hover text."""

    chart: str
    meta: str
    start: pd.Timestamp
    end: pd.Timestamp
    hover: str


@dataclass(frozen=True)
class Grid:
    """A table of the page: its caption, the number of rows that the caption gives, its columns and rows."""

    caption: str
    count: int | None
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Result:
    """The tables of a result and all that it prints."""

    tables: Mapping[str, pd.DataFrame]
    printed: Sequence[Printed]
    marks: Sequence[Mark] = ()
    grids: Sequence[Grid] = ()
    _rows: dict[str, list[Any]] = field(default_factory=dict, compare=False)

    def rows(self, table: str) -> list[Any]:
        """The rows of a table. Missing values are None, times have a zone."""
        if table not in self._rows:
            self._rows[table] = _rows_of(self.tables[table])
        return self._rows[table]

    def but(self, **changed: Any) -> Result:
        """The same result with other tables, texts, marks or grids."""
        return replace(self, **changed, _rows={})


def _rows_of(frame: pd.DataFrame) -> list[Any]:
    columns = list(frame.columns)
    return [
        SimpleNamespace(**{name: _value(one) for name, one in zip(columns, row, strict=True)})
        for row in frame.itertuples(index=False, name=None)
    ]


def _value(value: Any) -> Any:
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, pd.Timestamp) and value.tzinfo is not None:
        return value.tz_convert("UTC").tz_localize(None)
    if isinstance(value, dict):
        return {name: _value(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(one) for one in value]
    return _value(value.tolist()) if hasattr(value, "tolist") else value


def read(folder: Path) -> Result:
    """The tables of a result and what it prints."""
    stored = Stored(folder)
    tables = {name: stored.table(name) for name in TABLES if not stored.lacks(name)}
    page = (folder / "report.html").read_text(encoding="utf-8")
    content = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return _result(tables, page, content, _of_terminal(collect.frames(stored.read), folder))


def of_story(tables: Mapping[str, pd.DataFrame], page: str, content: Mapping[str, Any]) -> Result:
    """The same of tables that no analysis wrote."""
    whole = {name: _with_whole_numbers(frame) for name, frame in tables.items()}
    return _result(whole, page, content, _of_terminal(tables, Path("result")))


def _with_whole_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its numbers as `read` has them: offsets are whole, also in a column with unknown ones."""
    names = [name for name in frame.columns if "offset" in str(name) and frame[name].dtype == "float64"]
    return frame.astype(dict.fromkeys(names, "Int64"))


def _result(
    tables: Mapping[str, pd.DataFrame], page: str, content: Mapping[str, Any], terminal: Iterator[Printed]
) -> Result:
    parsed = _Page()
    parsed.feed(page)
    return Result(
        {name: tables.get(name, pd.DataFrame()) for name in TABLES},
        [*parsed.blocks(), *_texts("", {**content, "log_lines": None}, None), *terminal],
        list(_marks(page)),
        parsed.grids,
    )


_CODE = ("code", "pre")
_BLOCKS = frozenset("p div li tr td th h1 h2 h3 h4 dt dd summary caption section figcaption option".split())
_COUNT = re.compile(r"^(?P<caption>.+?) \((?P<count>[\d,]+)(?:, (?:in [\d,]+ rows?|not all shown))?\)$")


class _Page(HTMLParser):
    """The blocks of visible text of a page, its hover texts, and its tables."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[tuple[str, str, Sequence[str]]] = []
        self.grids: list[Grid] = []
        self._text: list[str] = []
        self._code: list[str] = []
        self._in_code = 0
        self._hidden = 0
        self._section = ""
        self._caption = ""
        self._head: list[str] = []
        self._rows: list[list[str]] = []

    def blocks(self) -> Iterator[Printed]:
        self._end()
        for section, text, code in self.texts:
            yield Printed(PAGE, section, text, code=code)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        if tag in ("script", "style", "svg"):
            self._hidden += 1
        self._in_code += tag in _CODE
        if tag in _BLOCKS:
            self._end()
        if tag == "br":
            self._text.append(" ")
        if tag == "section" and given.get("id"):
            self._section = given["id"]
        if tag == "table":
            self._head, self._rows = [], []
        if tag == "tr":
            self._rows.append([])
        if given.get("title"):
            self.texts.append((f"{self._section}, hover", given["title"], ()))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "svg"):
            self._hidden -= 1
        self._in_code -= tag in _CODE
        text = self._end() if tag in _BLOCKS else ""
        if tag in ("caption", "summary"):
            self._caption = text
        elif tag == "th":
            self._head.append(text)
        elif tag == "td" and self._rows:
            self._rows[-1].append(text)
        elif tag == "table":
            found = _COUNT.match(self._caption)
            caption = found["caption"] if found else self._caption
            count = int(found["count"].replace(",", "")) if found else None
            self.grids.append(Grid(caption, count, self._head, [row for row in self._rows if row]))
            self._caption = ""

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._text.append(data)
            if self._in_code:
                self._code.append(data)

    def _end(self) -> str:
        text = re.sub(r"\s+", " ", "".join(self._text)).strip()
        if text:
            self.texts.append((self._section, text, self._code))
        self._text, self._code = [], []
        return text


_CHART = re.compile(r'id="chart-([\w-]+)-data">(.*?)</script>', re.DOTALL)


def _marks(page: str) -> Iterator[Mark]:
    for name, data in _CHART.findall(page):
        for trace in json.loads(data)["data"]:
            if trace.get("type") != "bar" or trace.get("base") is None:
                continue
            for base, length, hover in zip(trace["base"], trace["x"], trace["hovertext"], strict=True):
                start = pd.Timestamp(base)
                yield Mark(name, trace["meta"], start, start + pd.Timedelta(milliseconds=length), hover)


def _texts(place: str, value: Any, incident_id: str | None) -> Iterator[Printed]:
    if isinstance(value, dict):
        incident_id = value.get("incident_id", incident_id)
        for name, one in value.items():
            yield from _texts(f"{place}/{name}", one, incident_id)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(place, one, incident_id)
    elif isinstance(value, str) and " " in value:
        yield Printed(JSON, place, value, incident_id)


def _of_terminal(tables: Mapping[str, pd.DataFrame], folder: Path) -> Iterator[Printed]:
    outcome = SimpleNamespace(
        out=folder, tables=tables, lines=None, first_facts=(), inputs=SimpleNamespace(remarks=()), seconds={}
    )
    shown = io.StringIO()
    summary(outcome, Console(file=shown, width=10_000, highlight=False))  # type: ignore[arg-type]
    for line in shown.getvalue().splitlines():
        if line.strip():
            yield Printed(TERMINAL, "", line.strip())
