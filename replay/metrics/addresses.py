"""The hosts of nodes, by which the targets of a Prometheus are nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from replay.facts.lines import detail
from replay.tables.brokers import NodeAddress
from replay.tables.reading import Event

_LISTENS, _FETCHES = "listener_bound", "fetcher_partitions_added"
_ENDPOINT = re.compile(r"BrokerEndPoint\(id=(\d{1,9}), host=([^\s,:)]{1,255})[:,]")
_EVERYWHERE = ("0.0.0.0", "::", "localhost", "127.0.0.1", "")


def node_addresses(node_events: Sequence[Event]) -> list[NodeAddress]:
    """The hosts on which a node listens, and those of the leaders from which it fetches."""
    found: dict[tuple[int, str], NodeAddress] = {}
    for line in node_events:
        for node, host in _hosts(line):
            if host not in _EVERYWHERE:
                found.setdefault((node, host), NodeAddress(node, host, line.event_id))
    return list(found.values())


def _hosts(line: Event) -> Iterable[tuple[int, str]]:
    if line.kind == _LISTENS and line.node_id is not None:
        return [(line.node_id, detail(line, "host") or "")]
    if line.kind == _FETCHES:
        return [(int(node), host) for node, host in _ENDPOINT.findall(line.message or "")]
    return ()
