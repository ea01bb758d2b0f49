"""The lines of brokers about the partitions that they lead and follow, with all the facts in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replay.facts.lines import detail, detail_number
from replay.partitions.broker_moves import REASSIGNMENT_COMPLETED
from replay.tables.invariants import TenureLine
from replay.tables.reading import Event

LEADERS = ("leader_start", "leader_transition_skipped", "isr_shrink")
_ROLES = frozenset((*LEADERS, "follower_start", "isr_expand", "isr_updated"))
MOVED = REASSIGNMENT_COMPLETED


def tenure_lines(partition_events: Iterable[Event]) -> Iterator[TenureLine]:
    """The facts of each line about the role of its broker in one partition, and the controller's lines about completed
    reassignments.
    """
    for line in partition_events:
        of_broker = line.kind in _ROLES and line.node_id is not None and line.ts is not None
        if of_broker or line.kind in MOVED:
            yield TenureLine(
                topic=line.topic,
                partition=line.partition,
                node_id=line.node_id,
                ts=line.ts,
                raw_ts=line.raw_ts,
                line_number=line.line_number,
                kind=line.kind,
                leader_epoch=line.leader_epoch,
                previous_leader_epoch=detail_number(line, "previous_leader_epoch"),
                partition_epoch=line.partition_epoch,
                isr=line.isr,
                old_isr=detail(line, "old_isr"),
                replicas=line.replicas,
                adding_replicas=detail(line, "adding_replicas"),
                removing_replicas=detail(line, "removing_replicas"),
                out_of_sync_replicas=detail(line, "out_of_sync_replicas"),
                high_watermark=line.high_watermark,
                log_end_offset=line.log_end_offset,
                epoch_start_offset=line.epoch_start_offset,
                event_id=line.event_id,
            )
