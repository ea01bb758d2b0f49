"""Partitions that a broker begins to fetch, with the offset that the line names for each: up to 2.0 without its leader
epoch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replay.facts.lines import detail, is_own_line
from replay.partitions.state_reports import FETCHES
from replay.tables.offsets import FetcherStart
from replay.tables.reading import Event

_STARTED = re.compile(
    r"\[([A-Za-z0-9._-]{1,249})-(\d{1,9}), initOffset (\d{1,18}) to broker BrokerEndPoint\((\d{1,9}),"
)


def fetcher_starts(node_events: Sequence[Event]) -> Iterator[FetcherStart]:
    """The partitions in each line of one node about fetchers that it added, up to 2.0."""
    for line in node_events:
        if line.kind != FETCHES or not is_own_line(line):
            continue
        for topic, partition, offset, leader_id in _STARTED.findall(detail(line, "partition_and_offsets") or ""):
            yield FetcherStart(
                topic=topic,
                partition=int(partition),
                node_id=line.node_id,
                leader_id=int(leader_id),
                ts=line.ts,
                initial_offset=int(offset),
                event_id=line.event_id,
            )
