"""`kafka-replay losses`: the losses of a result by topic and partition, as text, CSV or JSON. Without Spark."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.times import Clock, zone
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.tables.losses import OPEN_VERDICTS
from viz.phrases import counted, listed, offsets

_COLUMNS = (
    "topic",
    "partition",
    "leader_epoch",
    "loss_class",
    "verdict",
    "from_offset",
    "to_offset_low",
    "to_offset_high",
    "discarded_to_offset",
    "written_low",
    "written_high",
    "before_low",
    "before_high",
    "after_low",
    "after_high",
    "cut_ts",
    "cut_by",
    "cut_times",
    "old_leader_id",
    "new_leader_id",
    "recoverable_from",
    "incident_id",
    "evidence",
)


def losses(
    result: Path,
    topics: Sequence[str] = (),
    *,
    tz: str | None = None,
    as_csv: bool = False,
    as_json: bool = False,
) -> Iterator[str]:
    """The confirmed, possible and unknown losses, of some `topics` or all: lines of text, CSV with a header, or
    JSON.

    The records were written between `written_low` and `written_high`, truncated by the brokers `cut_by` at
    `cut_times`, and lost at `cut_ts`; null if no line shows it. `before_low` to `before_high` of them were written before
    the election of the new leader, `after_low` to `after_high` after it. Raises InputError for a folder that `analyze` did
    not write, and for an unknown zone.
    """
    clock = Clock(zone(tz))
    where: list[tuple[str, str, object]] = [("verdict", "in", list(OPEN_VERDICTS))]
    if topics:
        where.append(("topic", "in", list(topics)))
    found = rows(Result(result).table("losses", where=where).sort_values(["topic", "partition", "ts", "from_offset"]))
    cells = [_cells(row, clock) for row in found]
    if as_json:
        yield from map(json_line, cells)
    elif as_csv:
        yield from _csv(cells)
    else:
        yield from map(_text, cells)
        yield f"{counted(len(cells), 'loss', 'losses')} that these logs prove, allow or cannot decide."


def _cells(row: Any, clock: Clock) -> dict[str, Any]:
    times = {name: getattr(row, name) for name in ("written_low", "written_high", "cut_ts")}
    cells = row._asdict() | {name: None if ts is None else clock.iso(ts) for name, ts in times.items()}
    lists = {name: list(cells[name] or ()) for name in ("recoverable_from", "cut_by", "evidence")}
    lists["cut_times"] = [clock.iso(pd.Timestamp(ts)) for ts in row.cut_times or ()]
    return {name: (cells | lists)[name] for name in _COLUMNS}


def _csv(cells: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield ",".join(_COLUMNS)
    for row in cells:
        line = io.StringIO()
        values = [" ".join(map(str, value)) if isinstance(value, list) else value for value in row.values()]
        csv.writer(line, lineterminator="").writerow(values)
        yield line.getvalue()


def _text(row: dict[str, Any]) -> str:
    lost, most = (offsets(row["from_offset"], row[end]) for end in ("to_offset_low", "to_offset_high"))
    ranges = lost if lost == most else f"at most {most}, certainly {lost}"
    if (row["discarded_to_offset"] or 0) > (row["to_offset_low"] or 0) and lost != most:
        ranges += f", certainly discarded {offsets(row['from_offset'], row['discarded_to_offset'])}"
    proof = f"  [{row['evidence'][0]}]" if row["evidence"] else ""
    return f"{row['topic']}-{row['partition']}  {row['verdict']}  {row['loss_class']}  {ranges}{_written(row)}{proof}"


def _written(row: dict[str, Any]) -> str:
    after, before = (
        f" {word} {row[end]}" if row[end] else ""
        for word, end in (("after", "written_low"), ("before", "written_high"))
    )
    written = f"  written{after}{' and' if after and before else ''}{before}" if after or before else ""
    cuts = [f"by broker {broker} at {ts}" for broker, ts in zip(row["cut_by"], row["cut_times"], strict=True)]
    if not row["cut_ts"]:
        return written
    return f"{written}  truncated {listed(cuts) if len(cuts) > 1 else 'at ' + row['cut_ts']}"
