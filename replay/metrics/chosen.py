"""The samples that an analysis keeps, each with its node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from replay.metrics.times import is_wait
from replay.tables.brokers import NodeAddress
from replay.tables.metrics import MetricName, Sample, SampleCount, SampleRead

_PORT = re.compile(r":\d+$")


def names_of(counts: Iterable[SampleCount]) -> list[MetricName]:
    """How many samples each name has, from the counts of files."""
    names: dict[tuple[str, str | None, int | None], MetricName] = {}
    for one in counts:
        key = one.series, one.metric, one.node_id
        seen = names.get(key)
        if seen is None:
            names[key] = MetricName(*key, one.samples, one.first_ts, one.last_ts)
        else:
            first, last = min(seen.first_ts, one.first_ts), max(seen.last_ts, one.last_ts)
            names[key] = seen.but(samples=seen.samples + one.samples, first_ts=first, last_ts=last)
    return sorted(names.values(), key=lambda one: (one.series, one.metric or "", one.node_id or -1))


def counts_of_kept(samples: Iterable[SampleRead]) -> list[SampleCount]:
    """Samples that an earlier result kept, each as a count."""
    return [
        SampleCount(
            one.series,
            one.metric,
            one.node_id,
            1,
            one.ts,
            one.ts,
            *((one.ts, one.value) if is_wait(one) else (None, None)),
        )
        for one in samples
    ]


def known_in(samples: Iterable[SampleRead], spans: Sequence[tuple[datetime, datetime]]) -> list[SampleRead]:
    """The samples with a known metric of these times."""
    return [one for one in samples if one.metric is not None and any(low <= one.ts <= high for low, high in spans)]


def with_nodes(samples: Iterable[SampleRead], node_addresses: Iterable[NodeAddress]) -> list[Sample]:
    """The samples, each once, in the order of time, with the node that its target is by the addresses in the logs. Returns
    `SAMPLES`.
    """
    nodes = nodes_by_host(node_addresses)
    seen: dict[tuple[object, ...], Sample] = {}
    for one in samples:
        node = one.node_id if one.node_id is not None else nodes.get(_host(one.target))
        made = Sample(*one._values(one)).but(node_id=node)
        labels = tuple(sorted((one.labels or {}).items()))
        seen.setdefault((one.series, one.target, node, labels, one.ts, one.value, one.age_ms), made)
    return sorted(seen.values(), key=lambda one: (one.ts, one.sample_id))


def nodes_by_host(node_addresses: Iterable[NodeAddress]) -> Mapping[str, int]:
    """The node of each host on which one node alone listens."""
    hosts: dict[str, set[int]] = {}
    for address in node_addresses:
        hosts.setdefault(address.host.lower(), set()).add(address.node_id)
    return {host: next(iter(nodes)) for host, nodes in hosts.items() if len(nodes) == 1}


def _host(target: str | None) -> str:
    return _PORT.sub("", target or "").lower()
