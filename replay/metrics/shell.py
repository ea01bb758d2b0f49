"""Runs the readers of samples inside Spark, with Arrow columns as result; counts and chooses samples there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, islice

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.metrics.formats import samples_of
from replay.metrics.raw import MetricFile
from replay.metrics.times import ONE_IN_100, WAITED_MS, WAITS, Span
from replay.tables.arrow import to_arrow
from replay.tables.metrics import METRIC_NAMES, SAMPLES_READ, SampleRead

_PER_BATCH = 20_000


def read(texts: DataFrame, files: Mapping[str, MetricFile]) -> DataFrame:
    """The samples of whole texts (columns `path`, `value`). Returns `SAMPLES_READ`."""
    return texts.select("path", "value").mapInArrow(_Shell(files), SAMPLES_READ.schema)


class _Shell:
    """Batches of texts to batches of samples."""

    def __init__(self, files: Mapping[str, MetricFile]) -> None:
        self._files = files

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return batches_of(chain.from_iterable(map(self._samples, batches)))

    def _samples(self, batch: pa.RecordBatch) -> Iterator[SampleRead]:
        for path, text in zip(batch.column("path"), batch.column("value"), strict=True):
            file = self._files.get(path.as_py())
            if file is not None:
                yield from samples_of(text.as_py(), file)


def batches_of(samples: Iterator[SampleRead]) -> Iterator[pa.RecordBatch]:
    """Samples as Arrow batches of `SAMPLES_READ`."""
    while some := list(islice(samples, _PER_BATCH)):
        yield from to_arrow(SAMPLES_READ, some).combine_chunks().to_batches()


def counted(samples: DataFrame) -> DataFrame:
    """How many samples each name has. Returns `METRIC_NAMES`."""
    grouped = samples.groupBy("series", "metric", "node_id")
    made = grouped.agg(F.count("*").alias("samples"), F.min("ts").alias("first_ts"), F.max("ts").alias("last_ts"))
    return METRIC_NAMES.of(made)


def within(samples: DataFrame, spans: Sequence[Span]) -> DataFrame:
    """The known samples of these times."""
    of_spans: list[Column] = [F.col("ts").between(F.lit(low), F.lit(high)) for low, high in spans]
    return samples.where(F.col("metric").isNotNull() & reduce(Column.__or__, of_spans, F.lit(False)))


def waits(samples: DataFrame) -> DataFrame:
    """The longest wait of produce requests in each minute with one of a second or longer (columns `ts`, `value`)."""
    is_wait = F.col("metric").isin(*WAITS) & (F.col("labels")["quantile"] == ONE_IN_100) & (F.col("value") >= WAITED_MS)
    by_minute = samples.where(is_wait).groupBy(F.date_trunc("minute", "ts").alias("ts"))
    return by_minute.agg(F.max("value").alias("value"))
