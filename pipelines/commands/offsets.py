"""`kafka-replay offsets`: the offsets of a partition, and what each of them is. Without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from pipelines.answers.frames import first_lines
from pipelines.answers.of_result import Reply
from pipelines.answers.partition import named
from pipelines.answers.times import Clock, iso, zone
from pipelines.result import Result
from replay.errors import InputError
from viz import frames
from viz.which_offset import Offset, set_aside, which_offset

READ = ("told_offsets", "high_watermarks", "log_starts", "commit_bands")


def offsets(result: Path, partitions: Sequence[str], *, tz: str | None = None, as_json: bool = False) -> Iterator[str]:
    """The offsets of each of `partitions` (`orders-0`), as lines of text or JSON.

    Raises InputError for a folder that `analyze` did not write, an unknown partition, and an unknown zone.
    """
    yield from _answers(_tables(result), partitions, Clock(zone(tz)), as_json=as_json)


def _answers(
    tables: dict[str, pd.DataFrame], partitions: Sequence[str], clock: Clock, *, as_json: bool
) -> Iterator[str]:
    for name in partitions:
        found = of_partition(tables, name)
        if as_json:
            yield from (json.dumps({"partition": name, **_plain(o)}, ensure_ascii=False) for o in found)
            continue
        yield name
        for o in found:
            value = "unknown" if o.value is None else str(o.value)
            when = f", {clock.stamp(o.ts)}" if o.ts is not None else ""
            yield f"  {value:>12}  {o.name}{f' ({o.told_by}{when})' if o.told_by else ''}"
            yield f"                {o.means}"
    if not as_json:
        described = frames.tidy(None, "described_partitions")
        yield from set_aside({"told_offsets": tables["told_offsets"], "described_partitions": described})


def reply(result: Path, partitions: Sequence[str]) -> Reply:
    """The same as text, with the evidence lines."""
    tables = _tables(result)
    evidence = (o.evidence[:1] for name in partitions for o in of_partition(tables, name))
    return Reply(_answers(tables, partitions, Clock(), as_json=False), first_lines(evidence))


def of_partition(tables: dict[str, pd.DataFrame], name: str) -> list[Offset]:
    """The offsets of one partition. Raises InputError if no table has it."""
    topic, partition = named(name)
    own = [tables[t][(tables[t].topic == topic) & (tables[t].partition == partition)] for t in READ]
    if all(frame.empty for frame in own):
        raise InputError(f"{name}: no line of these logs and no tool output has it")
    return which_offset(*map(frames.rows, own))


def _tables(result: Path) -> dict[str, pd.DataFrame]:
    read = Result(result)
    return {name: frames.tidy(read.table(name), name) for name in READ}


def _plain(o: Offset) -> dict[str, object]:
    return {
        "name": o.name,
        "value": o.value,
        "means": o.means,
        "told_by": o.told_by or None,
        "ts": iso(o.ts),
        "evidence": list(o.evidence),
    }
