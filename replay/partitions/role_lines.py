"""The lines in which brokers take on a role in a partition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.partitions.fetchers import FETCHES
from replay.partitions.state_reports import TAKES_ROLE
from replay.tables.partitions import PartitionStateReport, RoleLine
from replay.tables.reading import Event


def role_lines(
    partition_events: Sequence[Event], partition_state_reports: Sequence[PartitionStateReport]
) -> list[RoleLine]:
    """Each line in which a broker takes on a leader epoch that has a leader; up to 2.3 at INFO only the line about a
    follower's fetches shows that.
    """
    taken = (
        event
        for event in partition_events
        if event.kind in TAKES_ROLE and (event.leader_id is None or event.leader_id >= 0)
    )
    fetching = (report for report in partition_state_reports if report.kind == FETCHES)
    return [*_lines(taken), *_lines(fetching)]


def _lines(stated: Iterable[Event | PartitionStateReport]) -> Iterable[RoleLine]:
    for line in stated:
        if line.leader_epoch is not None and line.node_id is not None and line.ts is not None:
            yield RoleLine(
                topic=line.topic,
                partition=line.partition,
                node_id=line.node_id,
                leader_epoch=line.leader_epoch,
                ts=line.ts,
                kind=line.kind,
            )
