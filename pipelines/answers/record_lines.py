"""The records of a finished result as one stream: filtered, in order, each as a line of text or JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pipelines import terminal
from pipelines.answers.times import Clock
from pipelines.terminal import shown

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
COLUMNS = [
    "event_id",
    "ts",
    "raw_ts",
    "node_id",
    "source_file",
    "line_number",
    "level",
    "logger",
    "kind",
    "template_id",
    "topic",
    "partition",
    "broker_id",
    "leader_id",
    "leader_epoch",
    "message",
]
_COLOURS = {"FATAL": "1;31", "ERROR": "31", "WARN": "33", "DEBUG": "2", "TRACE": "2"}
_AS_JSON = (
    "node_id",
    "level",
    "logger",
    "kind",
    "template_id",
    "topic",
    "partition",
    "leader_epoch",
    "message",
    "source_file",
    "line_number",
)


@dataclass(frozen=True)
class Filter:
    """The filters of records; an empty or None filter selects everything."""

    topics: Sequence[str] = field(default=())
    partitions: Sequence[int] = field(default=())
    brokers: Sequence[int] = field(default=())
    kinds: Sequence[str] = field(default=())
    level: str | None = None
    places: Sequence[str] = field(default=())


def names_partition(topics: Sequence[str], partitions: Sequence[int]) -> str:
    """The pattern of a message that names one of the topics, or one of these partitions of the topics."""
    numbers = "|".join(map(str, partitions)) or r"\d+"
    alone = "" if partitions else r"|(?![\w.-])"
    return rf"(?<![\w.-])(?:{'|'.join(map(re.escape, topics))})(?:-(?:{numbers})(?!\d){alone}|,(?:{numbers})\])"


def chosen(events: pd.DataFrame, wanted: Filter, start: pd.Timestamp | None, end: pd.Timestamp | None) -> pd.DataFrame:
    """The log records about the wanted topics, partitions and brokers in this time range, in order of corrected
    time; records of one file keep their order. Lines without level and time, as of a checkpoint file, count only if
    they are wanted by their place.
    """
    kept = events if wanted.places else events[events.level.notna() | events.raw_ts.notna()]
    if wanted.brokers:
        about = [kept[name].isin(list(wanted.brokers)) for name in ("node_id", "broker_id", "leader_id")]
        kept = kept[about[0] | about[1] | about[2]]
    if wanted.topics:
        typed = kept.topic.isin(list(wanted.topics))
        if wanted.partitions:
            typed &= kept.partition.isin(list(wanted.partitions))
        named = kept.message.str.contains(names_partition(wanted.topics, wanted.partitions), na=False)
        kept = kept[typed | named]
    elif wanted.partitions:
        kept = kept[kept.partition.isin(list(wanted.partitions))]
    ordered = kept.sort_values(["source_file", "line_number", "event_id"], kind="stable")
    turn = ordered.groupby("source_file").ts.cummax()
    ordered = ordered.assign(_turn=turn).sort_values(
        ["_turn", "node_id", "source_file", "line_number"], kind="stable", na_position="first"
    )
    if start is not None:
        ordered = ordered[ordered.ts >= start]
    if end is not None:
        ordered = ordered[ordered.ts < end]
    return ordered.drop(columns="_turn")


def printed(records: pd.DataFrame, clock: Clock, *, as_json: bool = False, colours: bool = False) -> Iterator[str]:
    """A line for each record: `time node level message (logger) file:line`, or a JSON object."""
    for name in _AS_JSON:
        if name not in records:
            records = records.assign(**{name: None})
    for start in range(0, len(records), 1_000):  # the first lines are printed before the last are ready
        piece = records.iloc[start : start + 1_000]
        for row in piece.astype(object).where(piece.notna(), None).itertuples():
            yield json_line(row, clock.iso(row.ts)) if as_json else text_line(row, clock.iso(row.ts), colours=colours)


def with_context(
    found: pd.DataFrame, around: Iterable[pd.DataFrame], clock: Clock, *, as_json: bool = False, colours: bool = False
) -> Iterator[str]:
    """The found records, marked with `>`, each with its neighbors; `--` separates runs of neighbors, as in grep."""
    hits = set(found.event_id)
    for number, run in enumerate(around):
        if number and not as_json:
            yield "--"
        for event_id, line in zip(run.event_id, printed(run, clock, as_json=as_json, colours=colours), strict=True):
            yield line if as_json else f"{'>' if event_id in hits else ' '} {line}"


def text_line(row: Any, stamp: str, *, colours: bool = False) -> str:
    """One record as text, with its level in color if `colours`."""
    node = "?" if row.node_id is None else row.node_id
    logger = f" ({row.logger})" if row.logger else ""
    level = row.level or "-"
    rest = shown(f"{row.message}{logger} {row.source_file}:{row.line_number}")
    if colours and level in _COLOURS:
        level = f"\x1b[{_COLOURS[level]}m{level}\x1b[0m"
    return f"{stamp} {node} {level} {rest}"


def json_line(row: Any, stamp: str) -> str:
    """One record as a JSON object."""
    return terminal.json_line({"ts": stamp, **{name: getattr(row, name) for name in _AS_JSON}})
