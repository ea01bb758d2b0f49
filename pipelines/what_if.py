"""`kafka-replay what-if`: takes a result folder and other settings, and returns what would have happened with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pipelines.answers.conclusion import concluded
from pipelines.answers.what_if import TABLES, committed_losses, question
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.facts.groups import by_key
from viz.bounds import first
from viz.phrases import number

_MOST_EFFECTS = 40  # of an effect in text; --json has all


def what_if(result: Path, changes: Sequence[tuple[str, str]], *, as_json: bool = False) -> Iterator[str]:
    """What would have changed in the history of `result` with each of `changes`, a setting's name and value.

    Lines of text that end with one sentence, or JSON. Each change is considered by itself. Raises InputError for a
    folder that `analyze` did not write, an unsupported setting, or a value that it does not accept.
    """
    tables = Result(result).tables(*TABLES)
    questions = [(name, value, question(name, value)) for name, value in dict.fromkeys(changes)]
    lost = committed_losses(tables["losses"])
    conclusions = []
    for name, value, answered in questions:
        rows = [found.row() for found in answered(tables)]
        conclusions.append(f"with {name}={value}: {concluded(rows, lost)}")
        yield from map(json_line, rows) if as_json else _effect_lines(rows)
    if not as_json:
        sentence = "; and ".join(conclusions)
        yield f"{sentence[0].upper()}{sentence[1:]}."


def _effect_lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The answers by effect: for each effect the first one and how many more there are; then their assumptions,
    once.
    """
    if not rows:
        return
    yield f"With {rows[0]['setting']}={rows[0]['value']}:"
    by_effect = by_key(rows, lambda row: row["effect"])
    for effect, some in by_effect.items():
        part = first(some, _MOST_EFFECTS)
        yield from map(_on_a_line, part.shown)
        if part.left_out:
            yield f"  {effect.replace('_', ' ')}: {number(part.left_out)} more of {number(part.total)}: --json"
    granted = dict.fromkeys(assumption for row in rows for assumption in row["assumptions"])
    yield f"  Taken for granted: {'; '.join(granted)}."


def _on_a_line(row: Mapping[str, Any]) -> str:
    start, end, first_offset, last_offset = (row[name] for name in ("start_ts", "end_ts", "from_offset", "to_offset"))
    span = f"from {_clock(start)}" if end is None else f"{_clock(start)} – {_clock(end)}"
    offsets = "" if first_offset is None or last_offset is None else f" [{first_offset}, {last_offset})"
    proof = f"  {row['evidence'][0]}" if row["evidence"] else ""
    what, partition = row["effect"].replace("_", " "), f"{row['topic']}-{row['partition']}"
    return f"  {what:<26} {partition}{offsets}  {span}: {row['told']}{proof}"


def _clock(stamp: str | None) -> str:
    return "?" if stamp is None else stamp[11:23]
