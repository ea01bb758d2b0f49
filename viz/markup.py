"""Pieces of HTML that several sections need. All text arguments are escaped; only markup from here or from a template
is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from viz import frames
from viz import phrases as words
from viz.bounds import first

MOST_LINES = 6  # evidence lines of a mark or a row; the row's table has them all
MOST_ROWS = 200
# The command that prints all rows of a table.
_COMMANDS = {
    "losses": "losses RESULT --csv",
    "epoch_files": "epochs RESULT",
    "elections": "partition RESULT TOPIC-PARTITION",
    "truncations": "partition RESULT TOPIC-PARTITION",
}
_MOST_CARRIED = 420_000  # characters of lines that the page carries for its marks
_MESSAGE = 400  # characters of a message there

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,  # log text may contain anything
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


@dataclass(frozen=True)
class Line:
    """One log line used as evidence; `message` is None if only its location is known."""

    event_id: str
    place: str
    ts: pd.Timestamp | None
    node_id: int | None
    level: str
    message: str | None
    tells: str | None


def each_once(lines: Iterable[Line]) -> list[Line]:
    """The lines; among lines with the same gloss, only the first keeps it."""
    shown: set[str | None] = set()
    kept = []
    for line in lines:
        kept.append(replace(line, tells=None) if line.tells in shown else line)
        shown.add(line.tells)
    return kept


class Evidence:
    """The lines that evidence arrays name, by event id; it records which of them the page uses."""

    def __init__(self, evidence: pd.DataFrame) -> None:
        self._asked: dict[str, None] = {}
        self._rows = {row.event_id: row for row in frames.rows(evidence) if row.event_id}

    def lines(self, event_ids: Iterable[str]) -> list[Line]:
        """The lines in the order given, each once; a line without text has its location only."""
        return [self._line(e) for e in dict.fromkeys(event_ids)]

    def _line(self, event_id: str) -> Line:
        row = self._rows.get(event_id)
        if row is None:
            return Line(str(event_id), str(event_id), None, None, "", None, None)
        has_place = row.source_file and row.line_number is not None
        place = f"{row.source_file}:{row.line_number}" if has_place else row.event_id
        return Line(row.event_id, place, row.ts, row.node_id, row.level or "", row.message, row.tells)

    def link(self, event_ids: Iterable[str]) -> str:
        """The link target that opens the first of these lines; empty for none."""
        first = [str(e) for e in list(dict.fromkeys(event_ids))[:MOST_LINES]]
        self._asked.update(dict.fromkeys(first))
        return ",".join(quote(e, safe="/:.-_") for e in first)

    def proof(self, event_ids: Iterable[str]) -> Markup:
        """The evidence of a row: the location of the first line, which opens them all."""
        some = list(dict.fromkeys(event_ids))
        if not some:
            return Markup('<span class="quiet">none</span>')
        first = self.lines(some[:1])[0]
        more = Markup(' <span class="quiet">+{}</span>').format(len(some) - 1) if len(some) > 1 else ""
        place = words.ends_of(first.place) if first.message is None else words.tail(first.place)
        return Markup('<a class="ev" href="#lines={}"><code>{}</code>{}</a>').format(self.link(some), place, more)

    def carried(self) -> dict[str, list[object]]:
        """The lines in use, by event id: location, time, node, level, message. If there are too many, the first ones
        used.
        """
        carried: dict[str, list[object]] = {}
        room = _MOST_CARRIED
        for line in self.lines(self._asked):
            if line.message is None:
                continue
            message = words.shortened(line.message, _MESSAGE)
            room -= len(line.place) + len(message) + 60
            if room < 0:
                break
            when = None if line.ts is None else words.stamp(line.ts)
            carried[line.event_id] = [line.place, when, line.node_id, line.level, message]
        return carried


def context(lines: pd.DataFrame) -> dict[str, object]:
    """The records around lines of evidence: the runs of neighboring records, and of each such line its run and place."""
    runs: list[list[list[object]]] = []
    places: dict[str, list[int]] = {}
    for _, run in sorted(by(frames.rows(lines), "run").items()):
        for place, row in enumerate(run):
            if row.is_named:
                places[f"{row.source_file}:{row.line_number}"] = [len(runs), place]
        runs.append([[row.line_number, _of_a_run(row)] for row in run])
    return {"runs": runs, "places": places}


def _of_a_run(row: Any) -> str:
    when = "" if row.ts is None else words.clock(row.ts)
    return " ".join(filter(None, (when, row.level, row.message)))


@dataclass(frozen=True)
class Grid:
    """A table of the page: cells are text, or Markup from here."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    numeric: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    more: str = ""  # the omitted part
    each: str = ""  # how to see rows that share a line
    keys: Sequence[str] = ()
    count: int = 0
    table: str = ""


def keys(
    *,
    topic: str | None = None,
    topics: Iterable[str] = (),
    brokers: Iterable[int | None] = (),
    code: str | None = None,
    severity: str | None = None,
) -> str:
    """The values that the page's filter matches a row by: its topics, brokers, code and severity, in one attribute."""
    named = [f"t:{quote(t, safe='')}" for t in dict.fromkeys([*([topic] if topic else []), *topics])]
    named += [f"b:{b}" for b in sorted({b for b in brokers if b is not None and b >= 0})]
    named += [f"{kind}:{quote(value, safe='')}" for kind, value in (("c", code), ("s", severity)) if value]
    return " ".join(named)


def grid(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    numeric: Iterable[int] = (),
    wide: Iterable[int] = (),
    table: str = "",
    limit: int = MOST_ROWS,
    keyed: Sequence[str] = (),
    count: int | None = None,
    hidden: int = 0,
) -> Grid:
    """A table of at most `limit` rows that states how many more there are, and in which table of the result.

    `keyed` holds the filter values of each row; `count` is how many rows of the result these represent, `hidden` how
    many of them were not given.
    """
    part = first(rows, limit)
    left_out = part.left_out + hidden
    every = count or len(rows) + hidden
    more = f"{words.number(left_out)} more not shown, of {words.number(every)}" if left_out > 0 else ""
    return Grid(
        caption,
        head,
        part.shown,
        frozenset(numeric),
        frozenset(wide),
        f"{more}; {_all_are(table)}" if more and table else more,
        "",
        keyed[: len(part.shown)],
        count or len(rows),
        table,
    )


def columned(caption: str, columns: Mapping[str, Callable[[Any], object]], rows: Iterable[Any], **options: Any) -> Grid:
    """A table of `rows`, each column by its head with the function that writes its cells; options as for `grid`."""
    return grid(caption, tuple(columns), [tuple(cell(row) for cell in columns.values()) for row in rows], **options)


def each_by_command(one: Grid) -> Grid:
    """A table in which partitions share rows, with the command that lists each of them."""
    return (
        one if one.more or one.count == len(one.rows) else replace(one, each=words.sentence(_all_are(one.table))[:-1])
    )


def _all_are(table: str) -> str:
    """How to see all rows. The reader of a page that was sent to them may not know the result's folder."""
    if table in _COMMANDS:
        return f"to list all, run kafka-replay {_COMMANDS[table]}; RESULT is the folder of this report"
    return f"the Parquet files in RESULT/tables/{table} have all; RESULT is the folder of this report"


def of_cut_table(one: Grid, shown: int, every: int) -> Grid:
    """A table of the page whose rows come from a part of a table of the result."""
    note = f"from {words.number(shown)} of the {words.counted(every, 'row')} of {one.table}: the partitions with the most events"
    return replace(
        one, more=f"{one.more}; {note}" if one.more else f"{words.sentence(note)[:-1]}; {_all_are(one.table)}"
    )


def ticked(text: object) -> Markup:
    """Text in which backticks mark code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts)
    )


_MORE_TOPICS = re.compile(r"(?<![\d,])[\d,]{1,15}+ more topics?\b")


def linked(text: object) -> Markup:
    """Text formatted like `ticked`, with links from references to the page's sections, and from a count of further
    topics to the list of all topics.
    """
    marked = Markup(_MORE_TOPICS.sub(r'<a href="#all-topics">\g<0></a>', str(ticked(text))))
    for name, anchor in (("Losses", "losses"), ("Changes", "changes")):
        link = Markup('see <a href="#{}">{}</a>').format(anchor, name)
        marked = Markup(marked.replace(f"see {name}", link))
    return marked


def term(name: str | None) -> Markup:
    """A code that links to its meaning."""
    if not name:
        return Markup("–")
    is_code = name[0].isalpha() and name[1:].isdecimal()
    if not is_code:
        return code(name)
    return Markup('<a class="term" href="#code-{}"><code>{}</code></a>').format(name, name)


def render(template: str, **view: Any) -> Markup:
    """The template of that name, filled in; text is escaped."""
    return Markup(
        _templates.get_template(template).render(
            words=words, part_of=first, ticked=ticked, linked=linked, term=term, keys=keys, **view
        )
    )  # the template has escaped it


def load_templates() -> None:
    """Compile every template of the page before the first is needed."""
    for name in _templates.list_templates(extensions=["j2"]):
        _templates.get_template(name)


def source(name: str) -> str:
    """A file of this package as it is: style and script of the page."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def chip(label: str, kind: str) -> Markup:
    """A word on a colored ground; the word carries the meaning, the color only helps."""
    return Markup('<span class="chip {}">{}</span>').format(kind, label)


def severity(name: str | None) -> Markup:
    """A severity as a chip."""
    return chip(name or "not rated", f"sev-{name}" if name else "sev-info")


def code(text: object) -> Markup:
    """Text as it appears in files and commands."""
    return Markup("<code>{}</code>").format(text)


def noted(main: object, note: object) -> Markup:
    """A cell of two lines, the second quiet; no second line for an empty note."""
    return Markup('{}<br><span class="quiet">{}</span>').format(main, note) if note else escape(main)


def when(ts: pd.Timestamp | None) -> Markup:
    """A point in time in UTC, the day below the time, machine-readable too."""
    if ts is None:
        return Markup('<span class="quiet">{}</span>').format(words.UNKNOWN)
    day, clock = words.stamp(ts).split(" ")
    return Markup('<time datetime="{}T{}Z">{}<br><span class="quiet">{}</span></time>').format(day, clock, clock, day)


def when_each(times: Iterable[pd.Timestamp | None]) -> Markup:
    """The point in time of several rows, or the first and the last of their points in time."""
    known = sorted(ts for ts in times if ts is not None)
    if not known or words.stamp(known[0]) == words.stamp(known[-1]):
        return when(known[0] if known else None)
    return escape(words.span(known[0], known[-1]))


def by(rows: Iterable[Any], key: str) -> Mapping[Any, list[Any]]:
    """Rows grouped by a column, in the order of their first occurrence."""
    return frames.by_key(rows, lambda row: getattr(row, key))
