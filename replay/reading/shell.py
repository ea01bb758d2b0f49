"""Runs the reader inside Spark: plain Python over each file's text, with Arrow columns as result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame

from replay.catalogue import Catalogue, whole_catalogue
from replay.catalogue.fields import COLUMNS
from replay.reading.matching import understood
from replay.reading.records import Record, records_of
from replay.reading.set_aside import SET_ASIDE, reason, whole_text
from replay.reading.traces import OF_A_TRACE
from replay.reading.witness_statements import witness_records_of
from replay.reading.witnesses import WITNESS_LAYOUTS
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED
from replay.worker import prepare_worker

_PER_BATCH = 10_000  # records per batch


class File(NamedTuple):
    """The known facts of a file, or of a part of one, before it is read; `layout` is the name of its layout."""

    source_file: str
    node_id: int | None
    layout: str
    first_line: int = 1
    as_of: datetime | None = None


def read(texts: DataFrame, files: Mapping[str, File], catalogue: Catalogue | None = None) -> DataFrame:
    """The records of logs and the lines of witness files. Returns `PRINTED`.

    `texts`: columns `path` and `value`, the whole text. `files` describes the file of each path; other paths are
    skipped.
    """
    return texts.select("path", "value").mapInArrow(_Shell(files, catalogue), PRINTED.schema)


def read_text(text: str, file: File, catalogue: Catalogue | None = None) -> Iterator[Record]:
    """The records of a text, or the lines of a witness file."""
    source_file, node_id, layout, first_line, as_of = file
    if layout in WITNESS_LAYOUTS:
        return witness_records_of(
            text, source_file=source_file, node_id=node_id, layout=layout, first_line=first_line, as_of=as_of
        )
    return records_of(
        text, source_file=source_file, node_id=node_id, layout=layout, first_line=first_line, catalogue=catalogue
    )


def read_again(printed: DataFrame) -> DataFrame:
    """`PRINTED` as an earlier release wrote it, with its messages matched again. Returns `PRINTED`.

    Lines of witness files do not change, and the details of stack traces are kept.
    """
    return printed.mapInArrow(_read_again, PRINTED.schema)


_UNDERSTOOD = ("kind", "template_id", "details", *COLUMNS)


def _read_again(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Matches the messages of batches of stored records again."""
    catalogue, schema = whole_catalogue(), arrow_schema(PRINTED.schema)
    for batch in batches:
        had = [name for name in ("layout", "message", "logger", *_UNDERSTOOD) if name in batch.schema.names]
        rows = [_again(row, catalogue) for row in batch.select(had).to_pylist()]
        arrays = [
            pa.array([row.get(field.name) for row in rows], field.type)
            if field.name in _UNDERSTOOD
            else batch.column(field.name).cast(field.type)
            if field.name in batch.schema.names
            else pa.nulls(len(rows), field.type)
            for field in schema
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _again(row: Mapping[str, Any], catalogue: Catalogue) -> Mapping[str, Any]:
    """The columns that a catalogue's match gives a record."""
    if row["layout"] in WITNESS_LAYOUTS:
        return row
    found = understood(row["message"], row["logger"], catalogue)
    thrown = {name: value for name, value in row["details"] or () if name in OF_A_TRACE}
    if found is None:
        return {"details": list(thrown.items()) or None}
    details = {**(found.details or {}), **thrown}
    columns = {"kind": found.template.kind, "template_id": found.template.id, "details": list(details.items()) or None}
    return {**found.columns, **columns}


class _Shell:
    """Batches of texts to batches of records."""

    def __init__(self, files: Mapping[str, File], catalogue: Catalogue | None) -> None:
        self._files, self._catalogue = files, catalogue

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        prepare_worker()
        return batches_of(chain.from_iterable(map(self._records, batches)))

    def _records(self, batch: pa.RecordBatch) -> Iterator[Record]:
        for path, text in zip(batch.column("path"), batch.column("value"), strict=True):
            file = self._files.get(path.as_py())
            if file is not None:
                yield from read_text(text.as_py(), file, self._catalogue)


def batches_of(records: Iterator[Record]) -> Iterator[pa.RecordBatch]:
    """Records as Arrow batches of `PRINTED`."""
    schema = arrow_schema(PRINTED.schema)
    while some := list(islice(records, _PER_BATCH)):
        try:
            yield _batch(some, schema)
        except _NOT_HELD:  # one of the records has a value that no column can store
            yield _batch([_holdable(record, schema) for record in some], schema)


_NOT_HELD = (pa.ArrowException, ValueError, OverflowError, TypeError)


def _batch(records: Sequence[Record], schema: pa.Schema) -> pa.RecordBatch:
    columns = printed_columns(records)
    arrays = [pa.array(columns[field.name], field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _holdable(record: Record, schema: pa.Schema) -> Record:
    """The record, or only its text if a column cannot store one of its values."""
    try:
        _batch([record], schema)
    except _NOT_HELD as error:
        return Record(
            whole_text(record.source_file),
            None,
            record.layout,
            record.line_number,
            record.part,
            None,
            False,
            None,
            None,
            None,
            f"{SET_ASIDE} ({reason(error)}): {whole_text(record.message)}",
            record.secrets_hidden,
        )
    return record


def printed_columns(records: Sequence[Record]) -> dict[str, Sequence[Any]]:
    """The columns of `PRINTED`; times are microseconds since 1970."""
    (
        source_file,
        node_id,
        layout,
        line_number,
        _,
        micros,
        zone_known,
        level,
        logger,
        _,
        message,
        secrets_hidden,
        kind,
        template_id,
        filled,
        details,
        settings,
        below,
    ) = zip(*records, strict=True)
    return {
        "event_id": [record.event_id for record in records],
        "ts": micros,
        "raw_ts": micros,
        "node_id": node_id,
        "source_file": source_file,
        "line_number": line_number,
        "level": level,
        "logger": logger,
        "kind": kind,
        "template_id": template_id,
        **{name: [columns.get(name) for columns in filled] for name in COLUMNS},
        "details": [None if of_record is None else list(of_record.items()) for of_record in details],
        "message": message,
        "layout": layout,
        "zone_known": zone_known,
        "secrets_hidden": secrets_hidden,
        "settings": [[setting._asdict() for setting in dump] for dump in settings],
        "below": below,
    }
