"""Which replica of a partition is the most trustworthy (operator questions 11, 15)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.groups import by_key
from replay.facts.order import nulls_first
from replay.facts.times import greatest
from replay.partitions.isr_spans import isr_order
from replay.partitions.lives import TopicLives
from replay.tables.brokers import BrokerSession
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import CommittedIsr, LeaderEpoch
from replay.tables.questions import Replica, TrustedReplica


def brokers_up(recorded_sessions: Iterable[BrokerSession]) -> dict[int, bool]:
    """Whether the controller regarded each broker as alive at the end of the logs."""
    last: dict[int, BrokerSession] = {}
    for session in recorded_sessions:
        known = last.get(session.broker_id, session)
        last[session.broker_id] = max(known, session, key=lambda one: nulls_first(one.start_ts, one.end_ts))
    return {broker: session.end_ts is None for broker, session in last.items()}


@dataclass(slots=True)
class _Reached:
    """The log end offset and high watermark that a replica's broker last stated."""

    end: tuple[datetime, int, HighWatermark] | None = None
    high_watermark: tuple[datetime, int] | None = None


def replicas(
    leader_epochs: Iterable[LeaderEpoch],
    committed_isrs: Iterable[CommittedIsr],
    high_watermarks: Iterable[HighWatermark],
    brokers_up: Mapping[int, bool],
    lives: TopicLives,
) -> list[Replica]:
    """The replicas of one partition as last stated, the most trustworthy first; empty for a deleted topic.

    Members of the last committed ISR hold every committed record. Of the others, the one with the highest log end
    offset holds most (facts §3.3). A log end offset is the one that the replica's own broker last stated, and at
    least its high watermark. The log of a running broker may have grown since.
    """
    last = max(committed_isrs, key=isr_order, default=None)
    led = max(leader_epochs, key=lambda epoch: (epoch.life, epoch.leader_epoch), default=None)
    if last is None or last.isr is None or led is None or lives.end(last.topic, last.life) is not None:
        return []
    reached = _reached(row for row in high_watermarks if lives.life(row.topic, row.ts) == last.life)
    found = []
    for node_id in dict.fromkeys([*(last.isr if last.replicas is None else last.replicas), *last.isr]):
        own = reached[node_id]
        end = None if own.end is None else own.end[2]
        found.append(
            Replica(
                topic=last.topic,
                partition=last.partition,
                node_id=node_id,
                leader_id=led.leader_id,
                in_isr=node_id in last.isr,
                is_up=brokers_up.get(node_id),
                log_end_offset=None if own.end is None else own.end[1],
                told_ts=None if end is None else end.ts,
                high_watermark=None if own.high_watermark is None else own.high_watermark[1],
                evidence=joined(last.evidence, None if end is None else end.evidence),
            )
        )
    return [one.but(trust=place) for place, one in enumerate(sorted(found, key=_trust), start=1)]


def _reached(high_watermarks: Iterable[HighWatermark]) -> dict[int, _Reached]:
    reached: dict[int, _Reached] = defaultdict(_Reached)
    for row in high_watermarks:
        end = greatest(row.log_end_offset, row.high_watermark)
        if row.ts is not None and end is not None:
            own = reached[row.node_id]
            if own.end is None or (row.ts, end) > own.end[:2]:
                own.end = row.ts, end, row
            if row.high_watermark is not None:
                reported = row.ts, row.high_watermark
                own.high_watermark = reported if own.high_watermark is None else max(own.high_watermark, reported)
    return reached


def _trust(replica: Replica) -> tuple[bool, bool, int, int]:
    end = replica.log_end_offset
    return not replica.in_isr, end is None, -(end or 0), replica.node_id


def trusted(replicas: Iterable[Replica]) -> list[TrustedReplica]:
    """The broker with the most trustworthy replica of a partition that ends without a leader."""
    return [
        TrustedReplica(broker_id=one.node_id, partitions=1, out_of_isr=int(not one.in_isr))
        for one in replicas
        if one.leader_id == -1 and one.trust == 1
    ]


def all_trusted(trusted: Iterable[TrustedReplica]) -> list[TrustedReplica]:
    """The trusted replicas of several partitions, by broker."""
    of_broker = by_key(trusted, lambda one: one.broker_id)
    return [
        TrustedReplica(
            broker_id=broker,
            partitions=sum(one.partitions for one in own),
            out_of_isr=sum(one.out_of_isr for one in own),
        )
        for broker, own in sorted(of_broker.items())
    ]
