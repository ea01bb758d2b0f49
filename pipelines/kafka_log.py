"""Kafka's logs as a Spark data source: `spark.read.format("kafka_log").load("/logs/last-night")`.

`register(spark)` registers the data source in a session. Its rows are the records that an analysis reads, each with
its template. No record is interpreted with the help of others, and timestamps are not corrected for the clocks of
the nodes.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import MapType, StringType, StructField, StructType

from pipelines.inputs import gather, is_url
from pipelines.package import hand_to_workers
from pipelines.reading import file_of
from pipelines.scratch import is_own_file, process_folder, shared_folder
from replay.catalogue.fields import COLUMNS
from replay.errors import InputError
from replay.reading import shell
from replay.tables.arrow import arrow_schema
from replay.tables.reading import PRINTED

NAME = "kafka_log"
_FIELDS = StructField("fields", MapType(StringType(), StringType()))
SCHEMA = StructType(
    [
        *(PRINTED.schema[name] for name in ("node_id", "ts", "level", "logger", "template_id", "kind")),
        _FIELDS,
        *(PRINTED.schema[name] for name in ("message", "source_file", "line_number")),
    ]
)


def register(spark: SparkSession, shared: str | Path | None = None) -> None:
    """Register the format `kafka_log` in a session.

    The text of the files that are read is kept until this process ends: in the folder `shared`, which Spark's
    workers can read, or else in a temporary folder.
    """
    hand_to_workers(spark)
    kept = str(process_folder() if shared is None else shared_folder(Path(shared)))

    class KafkaLogOfSession(KafkaLog):
        folder = kept

    spark.dataSource.register(KafkaLogOfSession)


class KafkaLog(DataSource):
    """The records of Kafka's logs under a path: a folder, a file or an archive.

    The option `layout` is a log4j pattern that is tried before the known layouts. Spark creates the object in a
    separate Python process; `folder` is where that process stores the text of the files.
    """

    folder = ""

    @classmethod
    def name(cls) -> str:
        """The format's name."""
        return NAME

    def schema(self) -> StructType:
        """The columns, the same for all logs."""
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        """A reader of the files under the option `path`. Raises InputError without one, and for a URL."""
        path = self.options.get("path")
        if not path:
            raise InputError(f'{NAME}: no path; use spark.read.format("{NAME}").load("/path/of/the/logs")')
        if is_url(path):
            raise InputError(f"{path}: {NAME} reads paths that the driver can open, not URLs")
        return _Reader(path, self.options.get("layout"), Path(self.folder))


class _Piece(InputPartition):
    """A file, or a piece of a large one."""

    def __init__(self, path: str, file: shell.File) -> None:
        super().__init__((path, file))
        self.path, self.file = path, file


def _as_json(piece: _Piece) -> dict[str, Any]:
    as_of = piece.file.as_of
    return {"path": piece.path, **piece.file._asdict(), "as_of": None if as_of is None else as_of.isoformat()}


def _kept(file: Path) -> list[_Piece] | None:
    """The pieces that an earlier query of this process wrote into a file; None if there are none, or if somebody else
    could have written them.
    """
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, encoding="utf-8") as stream:
            rows = json.load(stream) if is_own_file(os.fstat(handle)) else None
        return None if rows is None else [_piece_of(row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _piece_of(row: dict[str, Any]) -> _Piece:
    as_of = row["as_of"] and datetime.fromisoformat(row["as_of"])
    return _Piece(row["path"], shell.File(row["source_file"], row["node_id"], row["layout"], row["first_line"], as_of))


class _Reader(DataSourceReader):
    def __init__(self, path: str, layout: str | None, folder: Path) -> None:
        self._path, self._layout, self._folder = path, layout, folder

    def partitions(self) -> Sequence[InputPartition]:
        """The files, as an analysis finds them. Spark calls this for each query; unchanged files are stored only
        once.
        """
        kept = self._folder / f"{NAME}-{self._digest()}"
        pieces = _kept(kept)
        if pieces is not None:
            return pieces
        work = Path(tempfile.mkdtemp(prefix=f"{NAME}-", dir=self._folder))
        work.chmod(0o755)  # Spark's workers can be another user: they read it, and nobody else writes it
        found = gather([self._path], {}, work, layout=self._layout, mixed=True)
        pieces = [_Piece(str(source.path), file_of(source)) for source in found.to_read()]
        written = work / "pieces"
        written.write_text(json.dumps([_as_json(piece) for piece in pieces]), encoding="utf-8")
        written.chmod(0o644)
        written.replace(kept)
        return pieces

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of one file in their order."""
        assert isinstance(partition, _Piece)
        text = Path(partition.path).read_bytes().decode("utf-8")
        for batch in shell.batches_of(shell.read_text(text, partition.file)):
            yield _of_schema(batch)

    def _digest(self) -> str:
        """A digest that changes with the path, the layout, or the content of a file."""
        top = Path(self._path)
        files = sorted(top.rglob("*")) if top.is_dir() else [top]
        standing = [(str(file), (s := file.stat()).st_size, s.st_mtime_ns) for file in files if file.is_file()]
        asked = repr((os.path.realpath(self._path), self._layout, standing))
        return hashlib.blake2b(asked.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _of_schema(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A batch of `PRINTED` as one of `SCHEMA`."""
    schema = arrow_schema(SCHEMA)
    fields = [_fields(row) for row in batch.select([*COLUMNS, "details"]).to_pylist()]
    arrays = [
        pa.array(fields, field.type) if field.name == _FIELDS.name else batch.column(field.name) for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _fields(row: dict[str, Any]) -> list[tuple[str, str]]:
    """The fields of a record's template, as text: lists with commas."""
    typed = [
        (name, ",".join(map(str, value)) if isinstance(value, list) else str(value))
        for name in COLUMNS
        if (value := row[name]) is not None
    ]
    return [*typed, *(row["details"] or ())]
