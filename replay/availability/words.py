"""Brokers' lines about single partitions that show whether these took writes."""

from __future__ import annotations

from collections.abc import Iterable

from replay.tables.availability import BrokerStatement
from replay.tables.causes import RefusedWrite
from replay.tables.reading import Event

REFUSES = "writes_refused"
SHRINKS = "isr_shrink"  # printed before the change is committed
LEADERS_LINES = ("leader_start", "leader_transition_skipped", "isr_updated")
ROLES_TAKEN = ("leader_start", "follower_start")
BACKS_OFF = (  # a follower knows a leader epoch that its leader does not know yet, or got no answer on where to cut
    "fetch_fenced_epoch_stale_leader_view",
    "epoch_request_retry",
)
_KINDS = frozenset((*LEADERS_LINES, *ROLES_TAKEN, *BACKS_OFF, SHRINKS))


def brokers_words(partition_events: Iterable[Event], refused_writes: Iterable[RefusedWrite]) -> list[BrokerStatement]:
    """The lines in which brokers start to lead or follow one partition, log its ISR or delay their next fetch, and their
    first refusals of acks=all. Returns `BROKERS_WORDS`.
    """
    lines = [
        BrokerStatement(
            topic=event.topic,
            partition=event.partition,
            node_id=event.node_id,
            kind=event.kind,
            ts=event.ts,
            leader_epoch=event.leader_epoch,
            isr=event.isr,
            event_id=event.event_id,
        )
        for event in partition_events
        if event.kind in _KINDS and event.ts is not None
    ]
    refusals = [
        BrokerStatement(
            topic=refused.topic, partition=refused.partition, node_id=refused.node_id, kind=REFUSES, ts=refused.ts
        )
        for refused in refused_writes
    ]
    return lines + refusals
