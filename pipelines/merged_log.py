"""The records of all nodes as one stream: corrected, in order, filtered. Like Kafka's StateChangeLogMerger, but for
every log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pipelines.answers.record_lines import COLUMNS, LEVELS, Filter, chosen, json_line, printed, text_line
from pipelines.answers.times import Clock, moment, zone
from pipelines.result import Result, is_result
from replay.catalogue.host_kinds import HOST_KINDS
from replay.catalogue.kinds import KINDS
from replay.errors import InputError


def lines(
    inputs: Sequence[str],
    *,
    topics: Sequence[str] = (),
    partitions: Sequence[int] = (),
    brokers: Sequence[int] = (),
    kinds: Sequence[str] = (),
    level: str | None = None,
    since: str | None = None,
    until: str | None = None,
    tz: str | None = None,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    timezone: str | None = None,
    node_timezones: Mapping[int, str] | None = None,
    as_json: bool = False,
    colours: bool = False,
    say: Callable[[str], None] = lambda step: None,
) -> Iterator[str]:
    """Each record that passes all filters, as a line of text or JSON: `time node level message (logger) file:line`.

    `inputs` are logs, or one result of `analyze`, which is read and not made again; it holds the records that were
    understood.
    `brokers` are those that wrote a record or that it is about; `level` is the least severe. Times are in the zone `tz`
    where they name none (UTC by default). Records of one file keep its order. Raises InputError for an unknown kind, for
    a time that is none, and as `gather` does.
    """
    here = zone(tz)
    for text in (since, until):
        if text is not None:
            moment(text, here, (pd.Timestamp(0), pd.Timestamp(0)))  # refused immediately, before reading
    check_kinds(kinds)
    wanted = Filter(topics, partitions, brokers, kinds, level)
    clock = Clock(here)
    if len(inputs) == 1 and is_result(Path(inputs[0])):
        found = of_result(Result(Path(inputs[0])), wanted, since, until, clock)
        yield from printed(found, clock, as_json=as_json, colours=colours)
        return
    from pipelines.unread_logs import records

    found_records = records(inputs, wanted, since, until, clock, nodes, layout, timezone, node_timezones or {}, say)
    for row, stamp in found_records:
        yield json_line(row, stamp) if as_json else text_line(row, stamp, colours=colours)


def check_kinds(kinds: Sequence[str]) -> None:
    """Raises InputError for a kind of record that does not exist."""
    odd = [kind for kind in kinds if kind not in KINDS and kind not in HOST_KINDS]
    if odd:
        raise InputError(f"{', '.join(odd)}: no such kind of record; `kafka-replay catalogue` lists them")


def of_result(result: Result, wanted: Filter, since: str | None, until: str | None, clock: Clock) -> pd.DataFrame:
    """The records of a result that pass, in order. Raises InputError for an invalid time."""
    recorded = result.recorded()
    start, end = (None if text is None else moment(text, clock.here, recorded) for text in (since, until))
    narrow: list[tuple[str, str, object]] = []
    if wanted.level is not None:
        narrow.append(("level", "in", list(LEVELS[LEVELS.index(wanted.level.upper()) :])))
    if wanted.kinds:
        narrow.append(("kind", "in", list(wanted.kinds)))
    events = result.table("events", COLUMNS, narrow)
    return chosen(events, replace(wanted, level=None, kinds=(), start=start, end=end))
