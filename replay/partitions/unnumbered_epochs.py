"""Leader epochs without a leader that brokers log without their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from replay.facts.evidence import earliest
from replay.facts.lines import detail
from replay.facts.times import CLOCKS_AT_MOST_MS, millis
from replay.partitions.lives import TopicLives
from replay.partitions.state_reports import BEGINS
from replay.tables.partitions import DatedLeaderEpoch, PartitionStateReport
from replay.tables.reading import Event

UNAVAILABLE = "broker_become_follower_leader_unavailable"  # a LeaderAndIsr request that names no leader, or a dead one


def with_leaderless(
    epochs: Sequence[DatedLeaderEpoch],
    reports: Sequence[PartitionStateReport],
    events: Iterable[Event],
    lives: TopicLives,
) -> list[DatedLeaderEpoch]:
    """The leader epochs of one life, with those that had no leader and whose numbers follow from the ones around them.

    A broker that a ZooKeeper controller sends a leader of -1 logs the partition, but not the leader epoch. If exactly
    one leader epoch is missing between two with leaders, and the broker logged that line between them, then the missing
    one had no leader.
    """
    lines = [line for line in events if _names_no_leader(line)] if len(epochs) > 1 else []
    own = [line for line in lines if lives.life(line.topic, line.ts) == epochs[0].life]
    if not own:
        return [*epochs]
    found = [epochs[0]]
    for before, epoch in pairwise(epochs):
        shown = list(_between(before, epoch, own, reports)) if _lacks_one(before, epoch) else []
        if shown:
            first = min(ts for ts, _, _ in shown)
            found[-1] = found[-1].but(end_ts=first, next_leader_epoch=epoch.leader_epoch - 1, next_witness="follower")
            found.append(
                epoch.but(
                    leader_epoch=epoch.leader_epoch - 1,
                    leader_id=-1,
                    epoch_start_offset=None,
                    leader_ts=None,
                    start_ts=first,
                    confidence="inferred",
                    evidence=earliest((ts, line) for ts, line, _ in shown),
                    end_ts=epoch.start_ts,
                    next_leader_epoch=epoch.leader_epoch,
                    next_witness=before.next_witness,
                    begun_before=None if any(is_new for ts, _, is_new in shown if ts == first) else True,
                )
            )
            epoch = epoch.but(begun_before=None)
        found.append(epoch)
    return found


def _names_no_leader(line: Event) -> bool:
    return (
        line.kind == UNAVAILABLE
        and line.ts is not None
        and "-1" in (detail(line, "new_leader"), detail(line, "leader"))
    )


def _lacks_one(before: DatedLeaderEpoch, epoch: DatedLeaderEpoch) -> bool:
    """Whether exactly one leader epoch is missing between two that have leaders."""
    has_leaders = min(before.leader_id or 0, epoch.leader_id or 0) >= 0
    return has_leaders and epoch.leader_epoch == before.leader_epoch + 2 and before.may_lead_next is None


def _between(
    before: DatedLeaderEpoch, epoch: DatedLeaderEpoch, lines: Iterable[Event], reports: Iterable[PartitionStateReport]
) -> Iterator[tuple[datetime, str, bool]]:
    """The lines that a broker logged after one leader epoch began, and before it took on its role in the other: time,
    id, and whether it had taken on a role before.
    """
    roles = [one for one in reports if one.kind in BEGINS and one.ts is not None]
    for line in lines:
        own = [one for one in roles if one.node_id == line.node_id]
        then = [one for one in own if one.leader_epoch == epoch.leader_epoch]
        known = [one.ts for one in own if one.leader_epoch == before.leader_epoch]
        is_after = min(known) <= line.ts if known else (millis(line.ts, before.start_ts) or 0) > CLOCKS_AT_MOST_MS
        if is_after and any(line.ts <= one.ts for one in then) and line.ts is not None:
            yield line.ts, line.event_id, any(one.born for one in then)
