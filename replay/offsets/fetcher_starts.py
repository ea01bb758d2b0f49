"""Partitions that a broker begins to fetch, with the initial offset in the line, up to 2.7. Later releases print the
log end or the high watermark, depending on their inter-broker protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from replay.facts.lines import detail, is_own_line
from replay.histories.cluster import Cluster
from replay.partitions.fetchers import FETCHES
from replay.tables.offsets import FetcherStart, FetcherStop
from replay.tables.reading import Event

_STARTED = re.compile(
    r"\[([A-Za-z0-9._-]{1,249})-(\d{1,9}), initOffset (\d{1,18}) to broker BrokerEndPoint\((\d{1,9}),"
)
_STARTED_FROM_2_1 = re.compile(
    r"(?<![A-Za-z0-9._-])([A-Za-z0-9._-]{1,249})-(\d{1,9}) -> \(offset=(\d{1,18}), leaderEpoch=(\d{1,9})\)"
)
_STOPPED = re.compile(r"(?<![A-Za-z0-9._-])([A-Za-z0-9._-]{1,249})-(\d{1,9})(?=[,)\s]|$)")
STOPS_FETCHING = "fetcher_partitions_removed"


def fetcher_starts(node_events: Sequence[Event]) -> Iterator[FetcherStart]:
    """The partitions in each line of one node about fetchers that it added."""
    for line in node_events:
        if line.kind != FETCHES or not is_own_line(line):
            continue
        for topic, partition, offset, leader_id in _STARTED.findall(detail(line, "partition_and_offsets") or ""):
            yield _start(line, topic, partition, int(leader_id), offset)
        states = detail(line, "initial_fetch_states") or ""
        for topic, partition, offset, leader_epoch in _STARTED_FROM_2_1.findall(states):
            yield _start(line, topic, partition, line.leader_id, offset).but(leader_epoch=int(leader_epoch))


def fetcher_stops(node_events: Sequence[Event]) -> Iterator[FetcherStop]:
    """The partitions in each line of one node about fetchers that it removed."""
    for line in node_events:
        if line.kind == STOPS_FETCHING and is_own_line(line):
            for topic, partition in _STOPPED.findall(detail(line, "partitions") or ""):
                yield FetcherStop(topic, int(partition), line.node_id, line.ts, line.event_id)


def shows_high_watermark(start: FetcherStart, cluster: Cluster) -> bool:
    """Whether its offset is certainly the high watermark of the replica that begins to fetch: from 1.1 on (facts §4)."""
    return start.leader_epoch is not None or cluster.broker(start.node_id).runs_since("1.1.0")


def _start(line: Event, topic: str, partition: str, leader_id: Any, offset: str) -> FetcherStart:
    return FetcherStart(
        topic=topic,
        partition=int(partition),
        node_id=line.node_id,
        leader_id=leader_id,
        ts=line.ts,
        initial_offset=int(offset),
        event_id=line.event_id,
    )
