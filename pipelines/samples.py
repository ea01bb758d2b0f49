"""Reads the samples of metrics among the inputs, and keeps those from about the times of incidents and of long waits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from pipelines import stages as running
from pipelines.found_files import Inputs, Source
from pipelines.memory_store import MemoryStore
from pipelines.package import hand_to_workers
from pipelines.stages import Laid, Listed, in_driver
from pipelines.store import Store
from pipelines.volumes import spark_path
from replay.metrics.chosen import known_in, with_nodes
from replay.metrics.formats import samples_of
from replay.metrics.raw import MetricFile
from replay.metrics.shell import batches_of, counted, read, waits, within
from replay.metrics.times import Span, is_wait, spans_of, spans_of_waits
from replay.tables.arrow import arrow_schema
from replay.tables.metrics import METRIC_NAMES, SAMPLES, SAMPLES_READ, MetricName, SampleRead

SMALL_BYTES = 16 << 20  # of text that is read in this process
_READ = SAMPLES_READ.name


def read_samples(
    spark: SparkSession | None, inputs: Inputs, work: Path | None, store: Store | MemoryStore, hides_names: bool = False
) -> Laid | Sequence[SampleRead]:
    """Every sample of the inputs (`samples_read`), written; nothing is written if there are none. With `hides_names`, no
    target and no label that can name something is kept.
    """
    to_read = [source for source in inputs.samples if not source.is_earlier]
    earlier = _earlier(inputs)
    if not to_read and earlier is None:
        return ()
    files = {source.name: _file(source, hides_names) for source in to_read}
    is_small = sum(source.size for source in to_read) <= SMALL_BYTES
    if spark is None or work is None or isinstance(store, MemoryStore) or is_small:
        of_files = (
            sample
            for source in to_read
            for sample in samples_of(source.path.read_bytes().decode("utf-8", "replace"), files[source.name])
        )
        store.write_batches(_READ, SAMPLES_READ, chain(batches_of(of_files), earlier or ()))
        return Laid(_READ)
    hand_to_workers(spark)
    text = spark.read.text(spark_path(work / "samples"), wholetext=True)
    samples = read(text.selectExpr("_metadata.file_name as path", "value"), files)
    if earlier is not None:
        store.write_batches("samples_earlier", SAMPLES_READ, earlier)
        samples = samples.unionByName(store.frame("samples_earlier"))
    store.set_down(_READ, samples)
    return Laid(_READ)


def _earlier(inputs: Inputs) -> Iterator[pa.RecordBatch] | None:
    """The samples that an earlier result kept; None without such a result."""
    folder = None if inputs.earlier is None else inputs.earlier.folder.parent / "tables" / SAMPLES.name
    if folder is None or not folder.is_dir():
        return None
    schema = arrow_schema(SAMPLES_READ.schema)
    parts = sorted(folder.glob("*.parquet"))
    return (batch for part in parts for batch in pq.read_table(part).select(schema.names).cast(schema).to_batches())


def _file(source: Source, hides_names: bool) -> MetricFile:
    return MetricFile(source.source_file, source.layout, source.node_id, source.first_line, hides_names)


def _counted(samples: Iterable[SampleRead]) -> list[MetricName]:
    """How many samples each name has."""
    counts: dict[tuple[str, str | None, int | None], MetricName] = {}
    for sample in samples:
        key = sample.series, sample.metric, sample.node_id
        seen = counts.get(key)
        if seen is None:
            counts[key] = MetricName(sample.series, sample.metric, sample.node_id, 1, sample.ts, sample.ts)
        else:
            first, last = min(seen.first_ts, sample.ts), max(seen.last_ts, sample.ts)
            counts[key] = seen.but(samples=seen.samples + 1, first_ts=first, last_ts=last)
    return list(counts.values())


@dataclass(frozen=True)
class ChosenSamples:
    """The stage that counts the samples of each name (`metric_names`), and keeps those from about the times of incidents, and of
    produce requests that waited without one, each with its node (`samples`).
    """

    table: str = SAMPLES.name
    reads: tuple[str, ...] = (_READ, "incidents", "node_addresses")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table, METRIC_NAMES.name)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, with_nodes, self.reads)
        yield Listed(METRIC_NAMES.name, _counted, (_READ,))

    def run(self, tables: Mapping[str, Any], store: Store | MemoryStore) -> dict[str, Any]:
        """Both tables, held by the store. Of many samples, Spark counts and chooses."""
        incidents, addresses = (in_driver(name, tables, store) for name in self.reads[1:])
        spans = spans_of(incidents)
        chosen: Sequence[Any] = ()
        counts: Sequence[MetricName] = ()
        if isinstance(tables[_READ], Laid):
            in_spark = isinstance(store, Store) and store.count(_READ) > running.SMALL_ROWS
            counts, chosen = (self._in_spark if in_spark else self._here)(store, spans)  # type: ignore[arg-type]
        store.hold(METRIC_NAMES, counts, kept=True)
        store.hold(SAMPLES, with_nodes(chosen, addresses), kept=True)
        return {name: Laid(name) for name in self.names}

    def _here(self, store: Store | MemoryStore, spans: Sequence[Span]) -> tuple[Sequence[MetricName], Sequence[Any]]:
        def read() -> Iterator[SampleRead]:
            return store.rows_of(_READ, SAMPLES_READ)

        waited = [(one.ts, one.value) for one in read() if is_wait(one) and one.value is not None]
        return _counted(read()), known_in(read(), [*spans, *spans_of_waits(waited, spans)])

    def _in_spark(self, store: Store, spans: Sequence[Span]) -> tuple[Sequence[MetricName], Sequence[Any]]:
        samples = store.frame(_READ)
        waited = [(ts.astimezone(UTC), value) for ts, value in waits(samples).collect()]
        store.set_down("samples_within", within(samples, [*spans, *spans_of_waits(waited, spans)]))
        store.set_down("samples_counted", counted(samples))
        rows = store.rows_of("samples_counted", METRIC_NAMES), store.rows_of("samples_within", SAMPLES_READ)
        return list(rows[0]), list(rows[1])
