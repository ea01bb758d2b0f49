"""The names of metrics: which metric a name and its labels are, in the exporters that people use.

The table `replay/catalogue/metric_names.tsv` has them: the exporter, the name, the labels that it needs (`request=Produce`, `device`,
`!topic`: without that label, `!device=lo`: not that value), the metric, its kind, the window of a rate or a percentile, the factor to the metric's
unit, the MBean or field behind it, and a sample. A name that is not there has no meaning: nothing is guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from replay.catalogue.own_tables import rows_of

COLUMNS = ("origin", "name", "needs", "metric", "kind", "window", "scale", "bean", "seen", "sample")
INSTANTANEOUS, COUNTER, WINDOW = "instantaneous", "counter", "window"
OF_INTERVAL, SINCE_START = "interval", "start"
# Labels that tell the node, or that tell series of one metric apart. All others are dropped: they can name topics and clients.
KEPT_LABELS = frozenset(
    [
        "request",
        "quantile",
        "device",
        "disk-device",
        "iface",
        "mode",
        "cpu",
        "gc",
        "area",
        "mountpoint",
        "job",
        "listener",
        "networkProcessor",
        "network_processor",
        "persistentvolumeclaim",
        "broker_id",
        "pod",
        "container",
        "namespace",
    ]
)


SAFE_LABELS = frozenset(
    ["request", "quantile", "device", "disk-device", "iface", "mode", "cpu", "gc", "area", "networkProcessor"]
)


@dataclass(frozen=True)
class Name:
    """One row of the table."""

    origin: str
    name: str
    needs: tuple[str, ...]
    metric: str
    kind: str
    window: str
    scale: float
    bean: str
    seen: str
    sample: str

    def fits(self, labels: Mapping[str, str]) -> bool:
        """Whether a series of this name with these labels is the metric."""
        return all(_holds(need, labels) for need in self.needs)

    def window_ms(self, interval_ms: int | None) -> int | None:
        """The window of a sample; `interval_ms` is that of a program that prints means over its own interval."""
        if self.window == OF_INTERVAL:
            return interval_ms
        return int(self.window) if self.window.isdecimal() else None


def _holds(need: str, labels: Mapping[str, str]) -> bool:
    key, has_value, value = need.removeprefix("!").partition("=")
    if need.startswith("!"):
        return labels.get(key) != value if has_value else key not in labels
    found = labels.get(key)
    if key == "quantile" and found is not None:
        return _same_number(found, value)
    return found == value if has_value else found is not None


def _same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def names() -> Sequence[Name]:
    """All rows of the table."""
    return _names()


@cache
def _names() -> tuple[Name, ...]:
    return tuple(
        Name(
            origin,
            name,
            tuple(needs.split(",")) if needs != "-" else (),
            metric,
            kind,
            window,
            float(scale),
            bean,
            seen,
            sample,
        )
        for origin, name, needs, metric, kind, window, scale, bean, seen, sample in rows_of("metric_names.tsv", COLUMNS)
    )


@cache
def _by_name() -> Mapping[str, Sequence[Name]]:
    found = defaultdict(list)
    for one in _names():
        found[one.name].append(one)
    return dict(found)


def name_of(series: str, labels: Mapping[str, str]) -> Name | None:
    """The row of the table for a series; None if the table has none."""
    return next((one for one in _by_name().get(series, ()) if one.fits(labels)), None)


def is_known(series: str) -> bool:
    """Whether the table has the name, with any labels."""
    return series in _by_name()


_NODE_LABELS = ("broker_id", "node_id", "kafka_broker_id", "brokerId", "nodeId")
_NUMBERED = re.compile(
    r"(?:^|[-_.])(?:kafka|broker|brokers|controller|controllers|node|combined|pool|dual-role)[-_](\d{1,9})(?=$|[.:])"
)


def node_in(labels: Mapping[str, str]) -> int | None:
    """The node that labels name by its id: a label for it, or a pod or host that ends in it (`my-cluster-kafka-1`)."""
    for key in _NODE_LABELS:
        if labels.get(key, "").isdecimal():
            return int(labels[key])
    for key in ("pod", "kubernetes_pod_name", "strimzi_io_pod_name", "persistentvolumeclaim", "instance"):
        if found := _NUMBERED.search(labels.get(key, "")):
            return int(found[1])
    return None


def target_of(labels: Mapping[str, str]) -> str | None:
    """What was scraped: the label `instance`, else the pod."""
    return labels.get("instance") or labels.get("pod")
