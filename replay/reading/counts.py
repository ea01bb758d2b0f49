"""Counts every record of the input and collects the settings among them, batch by batch, in one pass.

Python looks only at records that no template matches and at dumps of settings; Arrow counts the rest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from replay.facts.times import greatest, least
from replay.facts.window import ALL_TIME, TimeWindow
from replay.passes import MADE_ROWS, made_rows
from replay.reading.settings import SETTINGS
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables.arrow import from_arrow
from replay.tables.brokers import SETTINGS as SETTING_ROWS
from replay.tables.brokers import Setting
from replay.tables.reading import COVERAGE, PRINTED, UNMATCHED, FileCoverage, PrintedRecord, UnmatchedWording

COLUMNS = (
    *("event_id", "ts", "node_id", "source_file", "line_number", "level", "logger", "kind", "details", "message"),
    *("layout", "secrets_hidden", "settings"),
)  # the columns that are read
_OF_FILE = ("source_file", "node_id", "layout")
_DUMPED, _IN_FILE = "config_dump", "server_setting"
_UTC = pa.timestamp("us", tz="UTC")

_KAFKAS = re.compile(r"(?:kafka|k|org\.apache\.kafka|o\.a\.k|o\.a\.kafka|o\.apache\.kafka)\.|state\.change\.logger$")
_LOWER_CASE = re.compile(r"(?!logger$)[a-z]")
_IN_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|'[^']*'")
_WORD = re.compile(r"[A-Za-z0-9._-]+")
_NUMBERED = re.compile(r".+-[0-9]+")
_NUMBER = re.compile(r"[0-9]+")
_WORDING_CHARS = 300


@cache
def is_foreign(logger: str | None, layout: str | None) -> bool:
    """Whether the logger is not one of Kafka's. A record without a logger counts as Kafka's, and so does a class
    without its package, unless ZooKeeper has a class of that name. `logger` is what `%c{1}` leaves of
    state.change.logger and similar names.
    """
    if logger is None:
        return False
    if "." in logger:
        return _KAFKAS.match(logger) is None
    return "zookeeper" in (layout or "") or _LOWER_CASE.match(logger) is not None


def normalized(message: str) -> str:
    """A message with names and numbers replaced, so that messages of one wording become equal. Takes linear time for
    any message.
    """
    text = _IN_BRACKETS.sub("<…>", message)
    if "-" in text:
        text = _WORD.sub(_without_name, text)
    return _NUMBER.sub("<n>", text)[:_WORDING_CHARS]


def _without_name(word: re.Match[str]) -> str:
    """A word without a suffix of dash and number: `orders-0`, `Thread-3-end`."""
    found = _NUMBERED.match(word[0]) if "-" in word[0] else None
    return word[0] if found is None else "<…>" + word[0][found.end() :]


@dataclass
class _File:
    """The counts of one file, node and layout."""

    log_records: int = 0
    matched: int = 0
    foreign: int = 0
    secrets_hidden: int = 0
    first_ts: datetime | None = None
    last_ts: datetime | None = None


@dataclass
class _Wording:
    """Records with the same wording that no template matches; `place` is the location of the first one."""

    example: str
    place: tuple[str, int]
    count: int = 0
    first_ts: datetime | None = None
    last_ts: datetime | None = None


class Counts:
    """Counts of the records of the batches that were added (with `COLUMNS`). The order of batches does not matter.
    Times outside the window do not count as times of a file.
    """

    def __init__(self, window: TimeWindow = ALL_TIME) -> None:
        self._window = window
        self._files: dict[tuple[str, int | None, str | None], _File] = defaultdict(_File)
        self._wordings: dict[tuple[str, str | None, str | None, bool], _Wording] = {}
        self._settings: list[Setting] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Counts the records of a batch."""
        ts = batch.column("ts").cast(_UTC)
        matched = batch.column("kind").is_valid()
        self._count_files(batch, ts)
        for record in from_arrow(PRINTED, batch.filter(pc.invert(matched))):
            self._count_unmatched(record)
        named = pc.is_in(batch.column("kind"), pa.array([_DUMPED, _IN_FILE]))
        for record in from_arrow(PRINTED, batch.filter(named)):
            self._settings += _settings_of(record)

    def _count_files(self, batch: pa.RecordBatch, ts: pa.Array) -> None:
        of_host = pc.fill_null(pc.is_in(batch.column("layout"), pa.array(HOST_WITNESSES)), False)
        dated = pc.if_else(pc.and_(pc.invert(of_host), self._window.hold_each(ts)), ts, pa.scalar(None, _UTC))
        columns = {name: batch.column(name) for name in (*_OF_FILE, "kind", "secrets_hidden")} | {"ts": dated}
        sums = (
            pa.table(columns)
            .group_by([*_OF_FILE])
            .aggregate([([], "count_all"), ("kind", "count"), ("secrets_hidden", "sum"), ("ts", "min"), ("ts", "max")])
        )
        for row in sums.to_pylist():
            file = self._files[row["source_file"], row["node_id"], row["layout"]]
            file.log_records += row["count_all"]
            file.matched += row["kind_count"]
            file.secrets_hidden += row["secrets_hidden_sum"] or 0
            file.first_ts, file.last_ts = least(file.first_ts, row["ts_min"]), greatest(file.last_ts, row["ts_max"])

    def _count_unmatched(self, record: PrintedRecord) -> None:
        foreign = is_foreign(record.logger, record.layout)
        self._files[record.source_file, record.node_id, record.layout].foreign += foreign
        key = normalized(record.message or ""), record.logger, record.level, foreign
        place = record.source_file, record.line_number
        wording = self._wordings.get(key)
        if wording is None:
            wording = self._wordings[key] = _Wording(record.message, place)
        elif place < wording.place:
            wording.example, wording.place = record.message, place
        wording.count += 1
        wording.first_ts = least(wording.first_ts, record.ts)
        wording.last_ts = greatest(wording.last_ts, record.ts)

    def merge(
        self, coverage: Iterable[FileCoverage], unmatched: Iterable[UnmatchedWording], settings: Iterable[Setting]
    ) -> None:
        """Adds the rows that other counts made of other records."""
        for row in coverage:
            file = self._files[row.source_file, row.node_id, row.layout]
            file.log_records += row.log_records
            file.matched += row.matched
            file.foreign += row.foreign
            file.secrets_hidden += row.secrets_hidden
            file.first_ts, file.last_ts = least(file.first_ts, row.first_ts), greatest(file.last_ts, row.last_ts)
        for wording in unmatched:
            self._merge_wording(wording)
        self._settings += settings

    def _merge_wording(self, row: UnmatchedWording) -> None:
        key = row.normalized, row.logger, row.level, row.foreign
        name, _, number = row.evidence[0].rpartition(":")
        place = name, int(number)
        own = self._wordings.setdefault(key, _Wording(row.example, place))
        if place < own.place:
            own.example, own.place = row.example, place
        own.count += row.count
        own.first_ts, own.last_ts = least(own.first_ts, row.first_ts), greatest(own.last_ts, row.last_ts)

    def coverage(self, found: Iterable[Mapping[str, Any]]) -> list[FileCoverage]:
        """One row per file of `found` (`source_file, node_id, layout`), with or without records. Statements of hosts,
        containers and operators have no times here: they may span weeks around Kafka's logs.
        """
        with_records = {name for name, _, _ in self._files}
        silent = {
            (file["source_file"], file["node_id"], file["layout"]): _File()
            for file in found
            if file["source_file"] not in with_records
        }
        return [
            FileCoverage(
                node_id=node,
                source_file=name,
                layout=layout,
                log_records=file.log_records,
                matched=file.matched,
                unmatched=file.log_records - file.matched,
                foreign=file.foreign,
                secrets_hidden=file.secrets_hidden,
                first_ts=file.first_ts,
                last_ts=file.last_ts,
            )
            for (name, node, layout), file in (self._files | silent).items()
        ]

    def unmatched(self) -> list[UnmatchedWording]:
        """The wordings that no template matches."""
        return [
            UnmatchedWording(
                normalized=text,
                logger=logger,
                level=level,
                foreign=foreign,
                count=wording.count,
                first_ts=wording.first_ts,
                last_ts=wording.last_ts,
                example=wording.example,
                evidence=[":".join(map(str, wording.place))],
            )
            for (text, logger, level, foreign), wording in self._wordings.items()
        ]

    def settings(self) -> list[Setting]:
        """The configuration that each node prints at startup, for the names in `SETTINGS`; values of a properties file
        have no time.
        """
        return self._settings


def counted(records: DataFrame, window: TimeWindow) -> DataFrame:
    """The counts of the records of each task, as rows of `COVERAGE`, `UNMATCHED` and `SETTINGS` for `Counts.merge`.
    Returns `MADE_ROWS`.
    """
    return records.select(*COLUMNS).mapInArrow(_Counting(window), MADE_ROWS.schema)


@dataclass(frozen=True)
class _Counting:
    """What `counted` does with the batches of one task."""

    window: TimeWindow

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        counts = Counts(self.window)
        for batch in batches:
            counts.add(batch)
        made = ((COVERAGE, counts.coverage(())), (UNMATCHED, counts.unmatched()), (SETTING_ROWS, counts.settings()))
        yield made_rows(made)


def _settings_of(record: PrintedRecord) -> Iterator[Setting]:
    if record.kind == _DUMPED:
        settings: Sequence[tuple[str | None, str | None]] = [
            (one["name"], one["value"]) for one in record.settings or ()
        ]
    else:
        details = record.details or {}
        settings = [(details.get("name"), details.get("value"))]
    for name, value in settings:
        if name in SETTINGS:
            yield Setting(record.node_id, record.ts, name, value, record.event_id)
