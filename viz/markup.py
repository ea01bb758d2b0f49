"""Pieces of HTML that several sections need. Everything given as text is escaped; only what comes from here or a template is not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from viz import frames
from viz import phrases as words

MOST_LINES = 6  # evidence lines beside a row; the row's table has them all
MOST_ROWS = 200

_templates = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,  # log text may hold anything
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=False,
)


@dataclass(frozen=True)
class Line:
    """One log line that proves something; `message` is None if only its place is known."""

    place: str
    ts: pd.Timestamp | None
    node_id: int | None
    level: str
    message: str | None


class Evidence:
    """The lines that evidence arrays name, by event id."""

    def __init__(self, evidence: pd.DataFrame) -> None:
        self._lines = {
            row.event_id: Line(
                f"{row.source_file}:{row.line_number}"
                if row.source_file and row.line_number is not None
                else row.event_id,
                row.ts,
                row.node_id,
                row.level or "",
                row.message,
            )
            for row in frames.rows(evidence)
            if row.event_id
        }

    def lines(self, event_ids: Iterable[str]) -> list[Line]:
        """The lines in the order given, each once; one whose text is not at hand has its place only."""
        return [self._lines.get(e) or Line(str(e), None, None, "", None) for e in dict.fromkeys(event_ids)]


@dataclass(frozen=True)
class Grid:
    """A table of the page: cells are text, or Markup from here."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    numeric: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    more: str = ""


def grid(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    numeric: Iterable[int] = (),
    wide: Iterable[int] = (),
    table: str = "",
    limit: int = MOST_ROWS,
) -> Grid:
    """A table of at most `limit` rows that says how many more there are, and in which table of the result."""
    left_out = len(rows) - limit
    more = (
        f"{words.number(left_out)} more not shown{f'; all are in the table {table}' if table else ''}"
        if left_out > 0
        else ""
    )
    return Grid(caption, head, rows[:limit], frozenset(numeric), frozenset(wide), more)


def render(template: str, **view: Any) -> Markup:
    """The template of that name, filled in; text is escaped."""
    return Markup(_templates.get_template(template).render(words=words, **view))  # the template has escaped it


def source(name: str) -> str:
    """A file of this package as it stands: style and script of the page."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def chip(label: str, kind: str) -> Markup:
    """A word on a coloured ground; the word says it all, the colour only helps."""
    return Markup('<span class="chip {}">{}</span>').format(kind, label)


def severity(name: str | None) -> Markup:
    """A severity as a chip."""
    return chip(name or "not rated", f"sev-{name}" if name else "sev-info")


def code(text: object) -> Markup:
    """Text as it stands in files and commands."""
    return Markup("<code>{}</code>").format(text)


def noted(main: object, note: object) -> Markup:
    """A cell of two lines, the second quiet; no second line for an empty note."""
    return Markup('{}<br><span class="quiet">{}</span>').format(main, note) if note else escape(main)


def when(ts: pd.Timestamp | None) -> Markup:
    """A point in time in UTC, the day below the clock, also for machines."""
    if ts is None:
        return Markup('<span class="quiet">{}</span>').format(words.UNKNOWN)
    day, clock = words.stamp(ts).split(" ")
    return Markup('<time datetime="{}T{}Z">{}<br><span class="quiet">{}</span></time>').format(day, clock, clock, day)


def proof(lines: Sequence[Line]) -> Markup:
    """The evidence of a row: the place of the first line, the lines themselves unfolded on demand."""
    return (
        render("proof.html.j2", lines=lines[:MOST_LINES], more=max(0, len(lines) - MOST_LINES))
        if lines
        else Markup('<span class="quiet">none</span>')
    )


def by(rows: Iterable[Any], key: str) -> Mapping[Any, list[Any]]:
    """Rows grouped by a column, in the order met."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        groups.setdefault(getattr(row, key), []).append(row)
    return groups
