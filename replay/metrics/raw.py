"""A sample as a reader yields it, and its row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from replay.metrics.names import KEPT_LABELS, SAFE_LABELS, Name, name_of, node_in, target_of
from replay.metrics.times import WAITED_MS, Span, is_of_waits
from replay.reading.stamps import in_range
from replay.tables.metrics import SampleCount, SampleRead

_PERCENTILE = re.compile(r":(\d+)thPercentile$")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = 60_000_000
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


def rows_of_samples(
    samples: Iterable[RawSample], file: MetricFile, spans: Sequence[Span] | None = None
) -> Iterator[SampleRead]:
    """The rows of `SAMPLES_READ`; with `spans`, only those with a known metric in these times. In a file whose names are hidden, no
    target and no label that can name something. NaN, which Prometheus writes when a series ends, and infinite values are no values.
    """
    wanted = None if spans is None else [(_micros(low), _micros(high)) for low, high in spans]
    for sample, (name, node, target, labels) in _with_meaning(samples, file):
        if wanted is not None and (name is None or not any(low <= sample.micros <= high for low, high in wanted)):
            continue
        yield SampleRead(
            f"{file.source_file}:{sample.position}" + ("" if sample.column is None else f":{sample.column}"),
            file.source_file,
            sample.position,
            target,
            node,
            None if name is None else name.metric,
            sample.series,
            labels,
            _time(sample.micros),
            _value(sample, name),
            None if name is None else name.kind,
            None if name is None else name.window_ms(sample.interval_ms),
            sample.age_ms,
        )


def counts_of_samples(samples: Iterable[RawSample], file: MetricFile) -> list[SampleCount]:
    """How many samples of each name, and the minutes in which produce requests waited."""
    counts: dict[tuple[str, str | None, int | None, int | None], list[Any]] = {}
    for sample, (name, node, _, labels) in _with_meaning(samples, file):
        minute, waited = None, None
        if name is not None and is_of_waits(name.metric, labels):
            value = _value(sample, name)
            if value is not None and value >= WAITED_MS:
                minute, waited = sample.micros - sample.micros % _MINUTE, value
        key = sample.series, None if name is None else name.metric, node, minute
        seen = counts.get(key)
        if seen is None:
            counts[key] = [1, sample.micros, sample.micros, waited]
        else:
            seen[0] += 1
            seen[1], seen[2] = min(seen[1], sample.micros), max(seen[2], sample.micros)
            seen[3] = waited if waited is None else max(seen[3], waited)
    return [
        SampleCount(*key[:3], number, _time(first), _time(last), None if key[3] is None else _time(key[3]), longest)
        for key, (number, first, last, longest) in counts.items()
    ]


_Meaning = tuple[Name | None, int | None, str | None, Mapping[str, str]]


def _with_meaning(samples: Iterable[RawSample], file: MetricFile) -> Iterator[tuple[RawSample, _Meaning]]:
    """Each sample of a time that the tables hold, with what all samples of its series share."""
    known: dict[
        tuple[str, int], tuple[Mapping[str, str], _Meaning]
    ] = {}  # holds the labels, so that no two have one id
    for sample in samples:
        if in_range(sample.micros) is None:
            continue
        key = sample.series, id(sample.labels)
        found = known.get(key)
        if found is None:
            found = known[key] = sample.labels, _known_of(sample.series, sample.labels, file)
        yield sample, found[1]


def _value(sample: RawSample, name: Name | None) -> float | None:
    return sample.value * (1.0 if name is None else name.scale) if math.isfinite(sample.value) else None


def _time(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _micros(ts: datetime) -> int:
    return (ts - _EPOCH) // timedelta(microseconds=1)


def _known_of(series: str, labels: Mapping[str, str], file: MetricFile) -> _Meaning:
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
