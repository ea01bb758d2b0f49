"""The records of all nodes as one stream: corrected, in order, filtered. Like Kafka's StateChangeLogMerger, but for
every log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from pipelines.answers.context import runs
from pipelines.answers.record_lines import COLUMNS, LEVELS, Filter, chosen, json_line, printed, text_line, with_context
from pipelines.answers.times import Clock, moment, zone
from pipelines.result import Result
from pipelines.result_folders import is_result
from replay.catalogue.kinds import HOST_KINDS, KINDS
from replay.errors import InputError


def lines(
    inputs: Sequence[str],
    *,
    topics: Sequence[str] = (),
    partitions: Sequence[int] = (),
    brokers: Sequence[int] = (),
    kinds: Sequence[str] = (),
    level: str | None = None,
    places: Sequence[str] = (),
    context: int = 0,
    since: str | None = None,
    until: str | None = None,
    tz: str | None = None,
    nodes: Mapping[int, Path] | None = None,
    layout: str | None = None,
    timezone: str | None = None,
    node_timezones: Mapping[int, str] | None = None,
    as_json: bool = False,
    colours: bool = False,
    on_step: Callable[[str], None] = lambda step: None,
) -> Iterator[str]:
    """Each record that passes all filters, as a line of text or JSON: `time node level message (logger) file:line`.

    `inputs` are logs, or one result of `analyze`, which has the recognized records. `places` are lines as evidence names
    them, `file:line`; `context` adds that many records of the same file before and after each. Both need a result.
    `brokers` selects the records that these brokers wrote and the records about them; `level` is the least severe level. A
    time without a zone is in `tz` (UTC by default). Records of one file keep its order. Raises InputError for an unknown
    kind, for an invalid time, and as `gather` does.
    """
    here = zone(tz)
    for text in (since, until):
        if text is not None:
            moment(text, here, (pd.Timestamp(0), pd.Timestamp(0)))  # refused immediately, before reading
    check_kinds(kinds)
    wanted = Filter(topics, partitions, brokers, kinds, level, places)
    clock = Clock(here)
    if len(inputs) == 1 and is_result(Path(inputs[0])):
        result = Result(Path(inputs[0]))
        found = of_result(result, wanted, since, until, clock)
        yield from _printed(result, found, clock, context, as_json=as_json, colours=colours)
        return
    if places or context:
        raise InputError("--line and --context need a result: `kafka-replay analyze` the logs first")
    from pipelines.unread_logs import records

    found_records = records(inputs, wanted, since, until, clock, nodes, layout, timezone, node_timezones or {}, on_step)
    for row, stamp in found_records:
        yield json_line(row, stamp) if as_json else text_line(row, stamp, colours=colours)


def _printed(
    result: Result, found: pd.DataFrame, clock: Clock, context: int, *, as_json: bool, colours: bool
) -> Iterator[str]:
    """Records of a result as lines, with `context` others around each."""
    if context:
        yield from with_context(found, _around(result, found, context), clock, as_json=as_json, colours=colours)
    else:
        yield from printed(found, clock, as_json=as_json, colours=colours)


def check_kinds(kinds: Sequence[str]) -> None:
    """Raises InputError for an unknown kind of record."""
    odd = [kind for kind in kinds if kind not in KINDS and kind not in HOST_KINDS]
    if odd:
        raise InputError(f"{', '.join(odd)}: no such kind of record; `kafka-replay catalogue` lists them")


def of_result(result: Result, wanted: Filter, since: str | None, until: str | None, clock: Clock) -> pd.DataFrame:
    """The records of a result that pass, in order. Raises InputError for an invalid time."""
    recorded = result.recorded()
    start, end = (None if text is None else moment(text, clock.here, recorded) for text in (since, until))
    narrow: list[tuple[str, str, object]] = []
    if wanted.places:
        narrow.append(("event_id", "in", list(wanted.places)))
    if wanted.level is not None:
        narrow.append(("level", "in", list(LEVELS[LEVELS.index(wanted.level.upper()) :])))
    if wanted.kinds:
        narrow.append(("kind", "in", list(wanted.kinds)))
    events = result.table("events", COLUMNS, narrow)
    unknown = sorted(set(wanted.places) - set(events.event_id))
    if unknown and wanted.level is None and not wanted.kinds:
        raise InputError(
            f"{unknown[0]}: {result.folder} has no record of this line; name it as evidence does: FILE:LINE"
        )
    return chosen(events, wanted, start, end)


def _around(result: Result, found: pd.DataFrame, count: int) -> Iterator[pd.DataFrame]:
    """The found records with their neighbors, run by run in the order of the first found record of each."""
    place = {event_id: number for number, event_id in enumerate(found.event_id)}
    near = runs(result.read, place, count)
    near.sort(key=lambda run: min(place[event_id] for event_id in run if event_id in place))
    ids = sorted({event_id for run in near for event_id in run})
    records = result.table("events", COLUMNS, [("event_id", "in", ids)]).set_index("event_id", drop=False)
    for run in near:
        yield records.loc[run]
