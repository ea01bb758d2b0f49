"""The records of all nodes as one stream: corrected, in order, filtered. What Kafka's StateChangeLogMerger promised,
for every log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pipelines.answers.record_lines import COLUMNS, LEVELS, Filter, chosen, json_line, printed, text_line
from pipelines.answers.times import Clock, moment, zone
from pipelines.result import Result, is_result


def lines(
    inputs: Sequence[str],
    *,
    topic: str | None = None,
    partitions: Sequence[int] = (),
    brokers: Sequence[int] = (),
    kinds: Sequence[str] = (),
    level: str | None = None,
    start_time: str | None = None,
    end_time: str | None = None,
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
    `brokers` are those that wrote a record or that it is about; `level` is the least severe. Times are printed, and
    read where
    they name no zone, in the zone `tz` (UTC by default). Records of one file keep its order. Raises InputError for a
    time that
    is none, and as `gather` does.
    """
    here = zone(tz)
    for text in (start_time, end_time):
        if text is not None:
            moment(text, here, (pd.Timestamp(0), pd.Timestamp(0)))  # refused at once, before anything is read
    wanted = Filter(topic, partitions, brokers, kinds, level)
    clock = Clock(here)
    if len(inputs) == 1 and is_result(Path(inputs[0])):
        found = of_result(Result(Path(inputs[0])), wanted, start_time, end_time, clock)
        yield from printed(found, clock, as_json=as_json, colours=colours)
        return
    from pipelines.unread_logs import records

    told = records(inputs, wanted, start_time, end_time, clock, nodes, layout, timezone, node_timezones or {}, say)
    for row, stamp in told:
        yield json_line(row, stamp) if as_json else text_line(row, stamp, colours=colours)


def of_result(
    result: Result, wanted: Filter, start_time: str | None, end_time: str | None, clock: Clock
) -> pd.DataFrame:
    """The records of a result that pass, in order. Raises InputError for a time that is none."""
    recorded = result.recorded()
    start, end = (None if text is None else moment(text, clock.here, recorded) for text in (start_time, end_time))
    narrow: list[tuple[str, str, object]] = []
    if wanted.level is not None:
        narrow.append(("level", "in", list(LEVELS[LEVELS.index(wanted.level.upper()) :])))
    if wanted.kinds:
        narrow.append(("kind", "in", list(wanted.kinds)))
    events = result.table("events", COLUMNS, narrow)
    return chosen(events, replace(wanted, level=None, kinds=(), start=start, end=end))
