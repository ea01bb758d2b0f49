"""The samples of an incident by node and metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from replay.metrics.evidence import Point, points_of
from replay.tables.metrics import Sample

WAITS = timedelta(seconds=10)  # scrape_timeout by default
OF_BROKERS, OF_HOSTS = "broker", "host"
_HOSTS = ("disk_write", "disk_read", "net_", "tcp_", "host_cpu", "page_cache", "disk_busy_time")
_SHARED_LABELS = ("job",)  # labels that do not tell two series of one node apart
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Series:
    """Samples by node, metric and labels."""

    of: Mapping[tuple[int, str], Mapping[Labels, Sequence[Sample]]]

    @classmethod
    def by_node(cls, samples: Iterable[Sample]) -> Series:
        """The samples of known nodes, each series in the order of time."""
        found: dict[tuple[int, str], dict[Labels, list[Sample]]] = defaultdict(lambda: defaultdict(list))
        for one in samples:
            if one.node_id is not None and one.metric is not None:
                labels = {key: value for key, value in (one.labels or {}).items() if key not in _SHARED_LABELS}
                if one.metric in ("up", "scrape_seconds"):
                    labels = {"target": one.target or ""}
                found[one.node_id, one.metric][tuple(sorted(labels.items()))].append(one)
        return cls(found)

    @cached_property
    def nodes(self) -> list[int]:
        """The nodes with samples."""
        return sorted({node for node, _ in self.of})

    def all(self, node: int, metric: str) -> Mapping[Labels, list[Point]]:
        """The points of each series of a metric."""
        return {
            labels: points_of(samples, self.scraped_in) for labels, samples in self.of.get((node, metric), {}).items()
        }

    @cached_property
    def _scrapes(self) -> Mapping[str, Mapping[datetime, timedelta]]:
        """How long each scrape of a target took."""
        found: dict[str, dict[datetime, timedelta]] = defaultdict(dict)
        for (_, metric), series in self.of.items():
            for one in (sample for samples in series.values() for sample in samples if metric == "scrape_seconds"):
                if one.value is not None:
                    found[one.target or ""][one.ts] = timedelta(seconds=one.value)
        return found

    def scraped_in(self, sample: Sample) -> timedelta:
        """How long the scrape of a sample took: its time is the begin of the scrape. Where Prometheus has no duration, as long as it
        waits by default; a sample without a target is of a program that reads at the time that it prints.
        """
        if sample.target is None:
            return timedelta(0)
        return self._scrapes.get(sample.target, {}).get(sample.ts, WAITS)

    def one(self, node: int, metric: str) -> list[Point]:
        """The points of a metric with one series; of several series, those with the greatest value."""
        series = [points for points in self.all(node, metric).values() if points]
        return max(series, key=lambda points: max(point.value for point in points), default=[])

    def raw(self, node: int, metric: str) -> list[Point]:
        """The points of a mean since the start of the process, with the time of each sample alone."""
        samples = next(iter(self.of.get((node, metric), {}).values()), ())
        return sorted(Point(one.ts, one.ts, one.value, (one.sample_id,)) for one in samples if one.value is not None)

    def targets(self, node: int, kind: str) -> list[list[Point]]:
        """The points of `up` of the node's targets of a kind: its broker's exporter, or its host's."""
        return [
            points
            for labels, points in self.all(node, "up").items()
            if points and self._kind_of(node).get(dict(labels)["target"]) == kind
        ]

    def _kind_of(self, node: int) -> Mapping[str, str]:
        """What each target of a node is, by the metrics that it has."""
        kinds: dict[str, str] = {}
        for (of_node, metric), series in self.of.items():
            if of_node == node and metric not in ("up", "scrape_seconds"):
                for samples in series.values():
                    target = samples[0].target or ""
                    is_host = metric.startswith(_HOSTS)
                    if is_host or target not in kinds:
                        kinds[target] = OF_HOSTS if is_host else OF_BROKERS
        return kinds
