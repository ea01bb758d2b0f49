"""Counts the samples of metrics among the inputs, and keeps those from about the times of incidents and of long waits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from pipelines.found_files import Inputs, Source
from pipelines.memory_store import MemoryStore
from pipelines.package import hand_to_workers
from pipelines.stages import Laid, Listed, in_driver
from pipelines.store import Store
from pipelines.volumes import spark_path
from replay.metrics.chosen import counts_of_kept, known_in, names_of, with_nodes
from replay.metrics.formats import counts_of, samples_of
from replay.metrics.raw import MetricFile
from replay.metrics.shell import counted, within
from replay.metrics.times import Span, spans_of, spans_of_waits
from replay.tables.arrow import arrow_schema, from_arrow
from replay.tables.metrics import METRIC_NAMES, SAMPLE_COUNTS, SAMPLES, SAMPLES_READ, SampleCount, SampleRead

SMALL_BYTES = 16 << 20  # of text that is read in this process
SAMPLE_FILES = "sample_files"


@dataclass(frozen=True)
class SampleFiles:
    """The files of samples among the inputs, which are read twice: to count, and to choose. `texts`: those that Spark reads, with
    columns `path` and `value`; None if this process reads them.
    """

    sources: Sequence[Source] = ()
    files: Mapping[str, MetricFile] = field(default_factory=dict)
    kept: Sequence[SampleRead] = ()  # of an earlier result
    texts: DataFrame | None = None

    def counts(self, store: Store | MemoryStore) -> list[SampleCount]:
        """How many samples of each name there are, and when produce requests waited."""
        of_kept = counts_of_kept(self.kept)
        if self.texts is None or not isinstance(store, Store):
            return [one for text, file in self._here() for one in counts_of(text, file)] + of_kept
        return [*_rows(counted(self.texts, self.files)), *of_kept]

    def within(self, spans: Sequence[Span], store: Store | MemoryStore) -> Sequence[SampleRead]:
        """The known samples of these times."""
        of_kept = known_in(self.kept, spans)
        if not spans:
            return ()
        if self.texts is None or not isinstance(store, Store):
            return [*chain.from_iterable(samples_of(text, file, spans) for text, file in self._here()), *of_kept]
        store.set_down(SAMPLES_READ.name, within(self.texts, self.files, spans))
        return [*store.rows_of(SAMPLES_READ.name, SAMPLES_READ), *of_kept]

    def _here(self) -> Iterator[tuple[str, MetricFile]]:
        for source in self.sources:
            yield source.path.read_bytes().decode("utf-8", "replace"), self.files[source.name]


def _rows(counts: DataFrame) -> list[SampleCount]:
    """The rows of a small frame of counts, with times in UTC."""
    return from_arrow(SAMPLE_COUNTS, counts.toArrow())


def sample_files(
    spark: SparkSession | None, inputs: Inputs, work: Path | None, hides_names: bool = False
) -> SampleFiles:
    """The files of samples of the inputs. With `hides_names`, no target and no label that can name something is read."""
    sources = [source for source in inputs.samples if not source.is_earlier]
    files = {source.name: _file(source, hides_names) for source in sources}
    texts = None
    if spark is not None and work is not None and sum(source.size for source in sources) > SMALL_BYTES:
        hand_to_workers(spark)
        read = spark.read.text(spark_path(work / "samples"), wholetext=True)
        texts = read.selectExpr("_metadata.file_name as path", "value")
    return SampleFiles(sources, files, _earlier(inputs), texts)


def _earlier(inputs: Inputs) -> Sequence[SampleRead]:
    """The samples that an earlier result kept."""
    folder = None if inputs.earlier is None else inputs.earlier.folder.parent / "tables" / SAMPLES.name
    if folder is None or not folder.is_dir():
        return ()
    schema = arrow_schema(SAMPLES_READ.schema)
    parts = (pq.read_table(part).select(schema.names).cast(schema) for part in sorted(folder.glob("*.parquet")))
    return [row for part in parts for row in from_arrow(SAMPLES_READ, part)]


def _file(source: Source, hides_names: bool) -> MetricFile:
    return MetricFile(source.source_file, source.layout, source.node_id, source.first_line, hides_names)


@dataclass(frozen=True)
class ChosenSamples:
    """The stage that counts the samples of each name (`metric_names`), and keeps those from about the times of incidents, and of
    produce requests that waited without one, each with its node (`samples`).
    """

    table: str = SAMPLES.name
    reads: tuple[str, ...] = (SAMPLE_FILES, "judged_incidents", "node_addresses")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.table, METRIC_NAMES.name)

    def listed(self) -> Iterator[Listed]:
        yield Listed(self.table, with_nodes, self.reads)
        yield Listed(METRIC_NAMES.name, names_of, (SAMPLE_FILES,))

    def run(self, tables: Mapping[str, Any], store: Store | MemoryStore) -> dict[str, Any]:
        """Both tables, held by the store. Of many samples, Spark counts and chooses."""
        incidents, addresses = (in_driver(name, tables, store) for name in self.reads[1:])
        found: SampleFiles = tables[SAMPLE_FILES]
        spans, counts = spans_of(incidents), found.counts(store)
        waits = [(one.minute, one.longest_ms) for one in counts if one.minute is not None]
        chosen = found.within([*spans, *spans_of_waits(waits, spans)], store)
        store.hold(METRIC_NAMES, names_of(counts), kept=True)
        store.hold(SAMPLES, with_nodes(chosen, addresses), kept=True)
        return {name: Laid(name) for name in self.names}
