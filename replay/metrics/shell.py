"""Runs the readers of samples inside Spark, with Arrow columns as result: once to count samples, and once to choose some."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.metrics.formats import counts_of, samples_of
from replay.metrics.raw import MetricFile
from replay.metrics.times import Span
from replay.tables.arrow import to_arrow
from replay.tables.metrics import SAMPLE_COUNTS, SAMPLES_READ
from replay.tables.row import Row
from replay.tables.table import Table

_PER_BATCH = 20_000


def within(texts: DataFrame, files: Mapping[str, MetricFile], spans: Sequence[Span]) -> DataFrame:
    """The known samples of these times in whole texts (columns `path`, `value`). Returns `SAMPLES_READ`."""
    shell = _Shell(SAMPLES_READ, partial(samples_of, spans=[*spans]), files)
    return texts.select("path", "value").mapInArrow(shell, SAMPLES_READ.schema)


def counted(texts: DataFrame, files: Mapping[str, MetricFile]) -> DataFrame:
    """How many samples of each name whole texts have, and when produce requests waited. Returns `SAMPLE_COUNTS`."""
    counts = texts.select("path", "value").mapInArrow(_Shell(SAMPLE_COUNTS, counts_of, files), SAMPLE_COUNTS.schema)
    grouped = counts.groupBy("series", "metric", "node_id", "minute")
    sums = F.sum("samples").alias("samples"), F.min("first_ts").alias("first_ts"), F.max("last_ts").alias("last_ts")
    return SAMPLE_COUNTS.of(grouped.agg(*sums, F.max("longest_ms").alias("longest_ms")))


class _Shell:
    """Batches of texts to batches of rows that a reader makes of each text."""

    def __init__(
        self, table: Table, read: Callable[[str, MetricFile], Iterable[Row]], files: Mapping[str, MetricFile]
    ) -> None:
        self._table, self._read, self._files = table, read, files

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return batches_of(self._table, chain.from_iterable(map(self._rows, batches)))

    def _rows(self, batch: pa.RecordBatch) -> Iterator[Row]:
        for path, text in zip(batch.column("path"), batch.column("value"), strict=True):
            file = self._files.get(path.as_py())
            if file is not None:
                yield from self._read(text.as_py(), file)


def batches_of(table: Table, rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    """Rows as Arrow batches of a table."""
    while some := list(islice(rows, _PER_BATCH)):
        yield from to_arrow(table, some).combine_chunks().to_batches()
