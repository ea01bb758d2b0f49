"""The values of each node that statements use and the page draws, from the samples of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from replay.metrics.evidence import Point
from replay.metrics.series import OF_BROKERS, Series
from replay.metrics.values import collecting, idle, network_idle, sent_again, throttled, write_times
from replay.tables.metrics import Measure, Sample

_PERCENTS: Mapping[str, Callable[[Series, int], Sequence[Point]]] = {
    "gc_percent": collecting,
    "throttled_percent": throttled,
    "sent_again_percent": sent_again,
    "handler_idle_percent": idle,
    "network_idle_percent": network_idle,
}
_PERCENTILES = {"flush_ms": "log_flush_ms", "append_ms": "produce_local_ms", "remote_ms": "produce_remote_ms"}


def measures(samples: Sequence[Sample]) -> list[Measure]:
    """The values of all nodes in the order of time. Returns `MEASURES`."""
    series = Series.by_node(samples)
    found = [one for node in series.nodes for one in _of_node(series, node)]
    return sorted(found, key=lambda one: (one.ts, one.node_id, one.measure, one.device or ""))


def _of_node(series: Series, node: int) -> Iterator[Measure]:
    for device, points in write_times(series, node).items():
        yield from _rows(node, "write_ms", points, 1000, device)
    for measure, values in _PERCENTS.items():
        yield from _rows(node, measure, values(series, node), 100)
    for measure, metric in _PERCENTILES.items():
        of_99 = [
            points for labels, points in series.all(node, metric).items() if dict(labels).get("quantile") == "0.99"
        ]
        yield from _rows(node, measure, of_99[0] if of_99 else [], 1)
    for points in series.targets(node, OF_BROKERS)[:1]:
        yield from _rows(node, "answers", points, 1)


def _rows(
    node: int, measure: str, points: Iterable[Point], factor: float, device: str | None = None
) -> Iterator[Measure]:
    for point in points:
        yield Measure(
            node, measure, device, min(point.since, point.ts), point.ts, factor * point.value, list(point.ids)
        )
