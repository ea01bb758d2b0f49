"""A sample as a reader yields it, and its row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from replay.metrics.names import KEPT_LABELS, SAFE_LABELS, Name, name_of, node_in, target_of
from replay.tables.metrics import SampleRead

_PERCENTILE = re.compile(r":(\d+)thPercentile$")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOOKBACK_MS = 300_000  # how old a value in an answer of Prometheus can be (--query.lookback-delta)


class RawSample(NamedTuple):
    """One value of one series. `micros`: time since 1970. `interval_ms`: of a mean that a program makes over its own
    interval. `age_ms`: how much older the value can be. `column`: its place in a line with several values.
    """

    position: int
    series: str
    labels: Mapping[str, str]
    micros: int
    value: float
    interval_ms: int | None = None
    age_ms: int = 0
    column: int | None = None


class MetricFile(NamedTuple):
    """What is known of a file before it is read."""

    source_file: str
    layout: str
    node_id: int | None = None
    first_line: int = 1
    hides_names: bool = False


def rows_of_samples(samples: Iterable[RawSample], file: MetricFile) -> Iterator[SampleRead]:
    """The rows of `SAMPLES_READ`. In a file whose names are hidden, no target and no label that can name something. NaN, which Prometheus writes when a series ends, and infinite values are no values."""
    known: dict[tuple[str, int], tuple[Mapping[str, str], Any]] = {}  # holds the labels, so that no two have one id
    for sample in samples:
        found = known.get((sample.series, id(sample.labels)))
        if found is None:
            found = sample.labels, _known_of(sample.series, sample.labels, file)
            known[sample.series, id(sample.labels)] = found
        name, node, target, labels = found[1]
        finite = math.isfinite(sample.value)
        yield SampleRead(
            f"{file.source_file}:{sample.position}" + ("" if sample.column is None else f":{sample.column}"),
            file.source_file,
            sample.position,
            target,
            node,
            None if name is None else name.metric,
            sample.series,
            labels,
            _EPOCH + timedelta(microseconds=sample.micros),
            sample.value * (1.0 if name is None else name.scale) if finite else None,
            None if name is None else name.kind,
            None if name is None else name.window_ms(sample.interval_ms),
            sample.age_ms,
        )


def _known_of(
    series: str, labels: Mapping[str, str], file: MetricFile
) -> tuple[Name | None, int | None, str | None, Mapping[str, str]]:
    """What all samples of a series share: its name, node, target and kept labels."""
    in_labels = node_in(labels)
    node = file.node_id if in_labels is None else in_labels
    name = name_of(series, labels)
    shown = SAFE_LABELS if file.hides_names else KEPT_LABELS
    kept = {key: value for key, value in labels.items() if key in shown} | _quantile(name)
    return name, node, None if file.hides_names else target_of(labels), kept


def _quantile(name: Name | None) -> dict[str, str]:
    """The label of a percentile whose name or label says which one it is, in one notation."""
    found = None if name is None else _PERCENTILE.search(name.bean)
    return {} if found is None else {"quantile": str(float(f"0.{found[1]}"))}
