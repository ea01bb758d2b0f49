"""`kafka-replay losses`: the losses of a result by topic and partition, as text, CSV or JSON. Without Spark."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from pipelines.answers.times import Clock, check_inside, moment, zone
from pipelines.result import Result
from pipelines.terminal import json_line
from replay.errors import InputError
from replay.tables.losses import OPEN_VERDICTS
from viz.phrases import at_most, counted, listed, offsets

_COLUMNS = (
    "owner",
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
    since: str | None = None,
    until: str | None = None,
    owners: Path | None = None,
    tz: str | None = None,
    as_csv: bool = False,
    as_json: bool = False,
) -> Iterator[str]:
    """The confirmed, possible and unknown losses, of some `topics` or all: lines of text, CSV with a header, or
    JSON.

    The records were written between `written_low` and `written_high`, truncated by the brokers `cut_by` at
    `cut_times`, and lost at `cut_ts`; null if no line shows it. `before_low` to `before_high` of them were written before
    the election of the new leader, `after_low` to `after_high` after it. `since`, `until`: only records that can have
    been written in that time. `owners`: a CSV file with the columns `topic` and `owner`; losses are listed by owner.
    Raises InputError for a folder that `analyze` did not write, for an unknown topic, time or zone, and for a time outside the logs.
    """
    source, clock = Result(result), Clock(zone(tz))
    _check_topics(source, topics)
    recorded = source.recorded()
    begin, end = (None if text is None else moment(text, clock.here, recorded) for text in (since, until))
    check_inside(" to ".join(filter(None, (since, until))), begin, end, recorded, clock)
    owner = {} if owners is None else _owners(owners)
    where: list[tuple[str, str, object]] = [("verdict", "in", list(OPEN_VERDICTS))]
    if topics:
        where.append(("topic", "in", list(topics)))
    found = rows(source.table("losses", where=where).sort_values(["topic", "partition", "ts", "from_offset"]))
    cells = [_cells(row, clock, owner) for row in found if _is_written(row, begin, end)]
    if owner:
        cells.sort(key=lambda row: row["owner"] or "\uffff")
    if as_json:
        yield from map(json_line, cells)
    elif as_csv:
        yield from _csv(cells)
    else:
        yield from map(_text, cells)
        written = ", among the records that can have been written in that time" if since or until else ""
        yield f"{counted(len(cells), 'loss', 'losses')} that these logs prove, allow or cannot decide{written}."


def _check_topics(source: Result, topics: Sequence[str]) -> None:
    """Raises InputError for a topic that no line names: a typing error would read as an all-clear."""
    known = set(source.table("leader_epochs", ["topic"]).topic) | set(source.table("losses", ["topic"]).topic)
    if unknown := [name for name in topics if name not in known]:
        near = get_close_matches(unknown[0], sorted(known), n=3, cutoff=0.6)
        meant = f"did you mean {' or '.join(near)}?" if near else f"topics are {at_most(sorted(known), 8) or 'none'}"
        raise InputError(f"{unknown[0]}: these logs have no line about this topic; {meant}")


def _is_written(row: Any, since: pd.Timestamp | None, until: pd.Timestamp | None) -> bool:
    """Whether some of the records can have been written in the time; without a known bound they can."""
    latest = [ts for ts in (row.written_high, row.cut_ts) if ts is not None]
    is_before = since is not None and bool(latest) and min(latest) < since
    is_after = until is not None and row.written_low is not None and row.written_low >= until
    return not is_before and not is_after


def _owners(file: Path) -> dict[str, str]:
    """The owner of each topic. Raises InputError for a file without the columns `topic` and `owner`."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            read = csv.DictReader(stream)
            if not {"topic", "owner"} <= set(read.fieldnames or ()):
                raise InputError(f"{file}: needs a header with the columns topic and owner")
            return {row["topic"]: row["owner"] for row in read}
    except (OSError, UnicodeError, csv.Error) as error:
        raise InputError(
            f"{file}: cannot be read ({error}); give a CSV file with the columns topic and owner"
        ) from error


def _cells(row: Any, clock: Clock, owner: Mapping[str, str]) -> dict[str, Any]:
    times = {name: getattr(row, name) for name in ("written_low", "written_high", "cut_ts")}
    cells = (
        {"owner": owner.get(row.topic)}
        | row._asdict()
        | {name: None if ts is None else clock.iso(ts) for name, ts in times.items()}
    )
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
    who = f"{row['owner']}: " if row["owner"] else ""
    return (
        f"{who}{row['topic']}-{row['partition']}  {row['verdict']}  {row['loss_class']}  {ranges}{_written(row)}{proof}"
    )


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
