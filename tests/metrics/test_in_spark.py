"""Spark counts and chooses the same samples as one process."""

from __future__ import annotations

import tarfile
from datetime import timedelta

from pipelines.samples import _rows
from replay.metrics.chosen import names_of
from replay.metrics.formats import DUMP, counts_of, samples_of
from replay.metrics.raw import MetricFile
from replay.metrics.shell import counted, within
from replay.metrics.times import AFTER, spans_of_waits
from replay.tables.arrow import from_arrow
from replay.tables.metrics import SAMPLES_READ
from tests.metrics.test_recordings import FOLDER


def test_spark_counts_and_chooses_the_samples_that_one_process_does(spark):
    with tarfile.open(FOLDER / "slow-processor.tar.xz") as packed:
        text = packed.extractfile("prometheus/tsdb-dump.txt").read().decode()
    lines = text.splitlines()
    parts = {
        "a": (MetricFile("dump.txt", DUMP), "\n".join(lines[:700])),
        "b": (MetricFile("dump.txt", DUMP, first_line=701), "\n".join(lines[700:])),
    }
    files = {name: file for name, (file, _) in parts.items()}
    texts = spark.createDataFrame([(name, part) for name, (_, part) in parts.items()], "path string, value string")

    here = [one for file, part in parts.values() for one in counts_of(part, file)]
    there = _rows(counted(texts, files))
    assert names_of(there) == names_of(here) and sum(one.samples for one in here) == len(lines)

    waits = {(one.minute, one.longest_ms) for one in here if one.minute is not None}
    assert {(one.minute, one.longest_ms) for one in there if one.minute is not None} == waits
    spans = [(high - AFTER, high - AFTER + timedelta(seconds=10)) for _, high in spans_of_waits(waits, [])]
    chosen = within(texts, files, spans).toArrow()
    expected = [one for file, part in parts.values() for one in samples_of(part, file, spans)]
    assert sorted(from_arrow(SAMPLES_READ, chosen), key=lambda one: one.position) == expected
    assert 0 < len(expected) < len(lines)
