"""`--redact`: replaces the names of the cluster in the records as read and in the facts about the files, so that
everything derived from them is consistent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipelines.found_files import Inputs
from replay.reading.names import FIELDS, Names
from replay.reading.redaction import Redacted, numbered

_ROWS = 20_000
_UTC = pa.timestamp("us", tz="UTC")
_KAFKAS_LOGGER = ("kafka.", "org.apache.kafka.", "org.apache.zookeeper.", "state.change.logger")
_AS_IT_IS = ("kind", "template_id", "level")
_SETTING = ("name", "value")  # of a line of a properties file


@dataclass
class Redaction:
    """The names of one run. They are learned from the records as read, then replaced everywhere."""

    names: Names = field(default_factory=Names)

    @cached_property
    def redacted(self) -> Redacted:
        """The replacement of each name; no more names are learned."""
        return numbered(self.names)

    def records(self, read: Path, to: Path) -> None:
        """The Parquet files of `read` with each name replaced, in `to`."""
        files = sorted(read.glob("*.parquet"))
        paths: set[str] = set()
        for file in files:
            for batch in pq.ParquetFile(file).iter_batches(_ROWS):
                self._learn(batch)
                paths.update(_values(batch, "source_file"))
        for path in sorted(paths):  # numbers of files follow their names, whichever was read first
            self.redacted.path(path)
        to.mkdir(parents=True)
        for file in files:
            read_as = pq.ParquetFile(file)
            schema = pa.schema([_field(of) for of in read_as.schema_arrow])
            with pq.ParquetWriter(to / file.name, schema) as out:
                for batch in read_as.iter_batches(_ROWS):
                    out.write_batch(pa.record_batch([self._column(batch, of) for of in batch.schema], schema=schema))

    def inputs(self, found: Inputs) -> Inputs:
        """The facts about the found files, with each name replaced; the files' text is not changed."""
        shown = self.redacted
        files = {source.source_file for source in [*found.sources, *found.samples]} | {
            name for name, _ in found.set_aside
        }
        paths = sorted(files | {name for name, _ in found.remarks}, key=len, reverse=True)

        def redacted(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
            return [(shown.path(name), shown.text(_with_paths(text, paths, shown.path))) for name, text in pairs]

        return replace(
            found,
            sources=[replace(source, source_file=shown.path(source.source_file)) for source in found.sources],
            samples=[replace(source, source_file=shown.path(source.source_file)) for source in found.samples],
            set_aside=redacted(found.set_aside),
            remarks=redacted(found.remarks),
            shared={shown.path(name): nodes for name, nodes in found.shared.items()},
        )

    def remark(self) -> str:
        """The remark on the page: how many names were replaced, but not which."""
        return f"replaced in all output (--redact): {self.names.summary()}"

    def _learn(self, batch: pa.RecordBatch) -> None:
        for name in ("topic", "topic_id"):
            for value in _values(batch, name):
                self.names.learn_field(name, value)
        for message in _values(batch, "message"):
            self.names.learn(message)
        for below in _values(batch, "below") if "below" in batch.schema.names else ():
            for line in below.split("\n"):
                name, is_setting, value = line.partition(" = ")
                self.names.learn_field(name.strip(), value) if is_setting else self.names.learn(line)
        for details in batch.column("details").to_pylist() if "details" in batch.schema.names else ():
            of = dict(details or ())
            if set(_SETTING) <= set(of):
                self.names.learn_field(str(of["name"]), of["value"] or "")
            for name, value in of.items():
                if value:
                    self.names.learn_field(name, value)

    def _column(self, batch: pa.RecordBatch, of: pa.Field) -> pa.Array:
        column = batch.column(of.name)
        if pa.types.is_timestamp(of.type):
            return (column if of.type.tz else pc.assume_timezone(column, "UTC")).cast(_UTC, safe=False)
        if pa.types.is_map(of.type):
            return pa.array([None if row is None else list(self._details(row)) for row in column.to_pylist()], of.type)
        if of.name == "settings":
            return pa.array([row and [self._setting(one) for one in row] for row in column.to_pylist()], of.type)
        if of.name == "event_id":
            return self._event_ids(batch)
        change = self._change_of(of.name)
        return column if change is None or not pa.types.is_string(of.type) else _changed(column, change)

    def _change_of(self, name: str) -> Callable[[str], str] | None:
        shown = self.redacted
        if name in _AS_IT_IS:
            return None
        if name == "source_file":
            return shown.path
        if name == "logger":
            return lambda logger: logger if logger.startswith(_KAFKAS_LOGGER) else shown.text(logger)
        return (lambda value: shown.field(name, value)) if name in FIELDS else shown.text

    def _details(self, details: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str | None]]:
        for name, value in details:
            yield name, None if value is None else self.redacted.field(name, value)

    def _setting(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        name, value = setting["name"], setting["value"]
        return {**setting, "value": None if value is None else self.redacted.field(name, value)}

    def _event_ids(self, batch: pa.RecordBatch) -> pa.Array:
        """`file:line` with the displayed name of the file."""
        files, ids = batch.column("source_file").to_pylist(), batch.column("event_id").to_pylist()
        return pa.array(
            [
                f"{self.redacted.path(file)}{event[len(file) :]}" if event and event.startswith(file) else event
                for file, event in zip(files, ids, strict=True)
            ],
            pa.string(),
        )


def _field(of: pa.Field) -> pa.Field:
    return pa.field(of.name, _UTC if pa.types.is_timestamp(of.type) else of.type, of.nullable)


def _values(batch: pa.RecordBatch, name: str) -> Iterator[str]:
    """The distinct values of a text column."""
    if name in batch.schema.names:
        yield from (value for value in batch.column(name).unique().to_pylist() if value)


def _changed(column: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """A text column with `change` applied to each of its distinct values once."""
    encoded = column.dictionary_encode()
    values = pa.array(
        [None if value is None else change(value) for value in encoded.dictionary.to_pylist()], pa.string()
    )
    return values.take(encoded.indices)


def _with_paths(text: str, paths: Iterable[str], change: Callable[[str], str]) -> str:
    """A remark with the displayed names of its files."""
    for path in paths:
        if path and path in text:
            text = text.replace(path, change(path))
    return text
