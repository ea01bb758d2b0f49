"""When a broker learned of the new leader of its replica in a failed log directory. It takes on no role for that replica."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.reads import reads
from replay.partitions.lives import TopicLives
from replay.tables.partitions import LeaderEpoch, LearntLeaderEpoch
from replay.tables.reading import Event, Fact

UPDATED = "broker_metadata_update_summary"
# ZooKeeper: the controller stops the offline replica after the election, over the connection of its UpdateMetadata.
# KRaft: the broker applies the record of the election.
_HANDLED = ("broker_stop_replica_offline_dir", "broker_become_leader_failed")


class MetadataUpdates:
    """The UpdateMetadata requests that each broker handled. Their lines name no partition from 2.6 on."""

    @reads(UPDATED)
    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        updates = (fact for fact in facts if fact.kind == UPDATED and fact.ts is not None)
        self._of_brokers = grouped(sorted(updates, key=_time), lambda fact: fact.node_id)

    def first(self, broker_id: int | None, from_ts: datetime, until_ts: datetime) -> Fact | None:
        """The first request that a broker handled between two times."""
        own = self._of_brokers.get(broker_id, ())
        at = bisect_left(own, from_ts, key=_time)
        return own[at] if at < len(own) and own[at].ts <= until_ts else None


def _time(fact: Event) -> datetime:
    ts: datetime = fact.ts
    return ts


def learnt_offline(
    partition_events: Iterable[Event],
    leader_epochs: Sequence[LeaderEpoch],
    metadata_updates: MetadataUpdates,
    lives: TopicLives,
) -> Iterator[LearntLeaderEpoch]:
    """When each broker with an offline replica learned of a leader epoch.

    A ZooKeeper controller sends a broker the new leader in UpdateMetadata and then stops the replica; no LeaderAndIsr
    request names it (`onReplicasBecomeOffline`). Only the line of the stop names the partition.
    """
    epochs = sorted((row for row in leader_epochs if row.start_ts is not None), key=lambda row: row.leader_epoch)
    handled = (line for line in partition_events if line.kind in _HANDLED and line.ts is not None)
    done: set[tuple[int, int, int | None]] = set()
    for line in sorted(handled, key=lambda line: (line.ts, line.event_id)):
        life = lives.life(line.topic, line.ts)
        begun = [row for row in epochs if row.life == life and row.start_ts <= line.ts]
        if not begun or line.node_id is None or (life, begun[-1].leader_epoch, line.node_id) in done:
            continue
        done.add((life, begun[-1].leader_epoch, line.node_id))
        update = metadata_updates.first(line.node_id, begun[-1].start_ts, line.ts)
        yield LearntLeaderEpoch(
            topic=line.topic,
            life=life,
            partition=line.partition,
            leader_epoch=begun[-1].leader_epoch,
            node_id=line.node_id,
            ts=_time(line if update is None else update),
            event_id=line.event_id if update is None else update.event_id,
            is_offline=True,
        )
