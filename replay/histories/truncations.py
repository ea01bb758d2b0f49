"""Explains truncations: which leader the replica followed, and whether it truncated where the two logs diverge (facts
§1.5, §3.5).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from replay.facts.times import first_known, greatest
from replay.histories.cluster import Cluster
from replay.histories.epoch_caches import lineage_at
from replay.histories.fetcher_starts import after_fetcher_starts
from replay.histories.held_before import with_log_ends
from replay.histories.lineages import divergence
from replay.histories.partition import by_life, has_leader
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.offsets.log_cuts import log_cuts
from replay.tables.offsets import FetcherStart, FetchPosition, HighWatermark, ReplicaEpoch, Truncation
from replay.tables.partitions import LeaderEpoch, RoleLine
from replay.tables.reading import Event

_JUST = timedelta(microseconds=1)


def truncations(
    partition_events: Sequence[Event],
    role_lines: Sequence[RoleLine],
    leader_epochs: Sequence[LeaderEpoch],
    replica_epochs: Sequence[ReplicaEpoch],
    fetcher_starts: Sequence[FetcherStart],
    high_watermarks: Sequence[HighWatermark],
    fetch_positions: Sequence[FetchPosition],
    histories_cluster: Cluster,
) -> Iterator[Truncation]:
    """Each truncation of a partition's logs, with the leader that the replica followed, the rule of its release, and
    the offset at which the two logs diverge by that rule.

    The follower's lineage is the one just before the truncation, the leader's the one with which it began to lead.
    """
    cuts = list(log_cuts(partition_events, role_lines))
    if fetcher_starts:
        cuts = after_fetcher_starts(
            cuts, partition_events, role_lines, leader_epochs, fetcher_starts, histories_cluster
        )
    found = explained(cuts, leader_epochs, replica_epochs, histories_cluster)
    yield from with_log_ends(found, high_watermarks, fetch_positions, histories_cluster)


def explained(
    cuts: Sequence[Truncation],
    leader_epochs: Sequence[LeaderEpoch],
    replica_epochs: Sequence[ReplicaEpoch],
    histories_cluster: Cluster,
) -> Iterator[Truncation]:
    """The truncations in the lines, with all related facts."""
    if not cuts:
        return
    rules = histories_cluster.follower_rules
    for _, own in by_life(histories_cluster.lives, cuts=cuts, leader_epochs=leader_epochs, caches=replica_epochs):
        led = {row.leader_epoch: row for row in own["leader_epochs"] if has_leader(row)}
        for cut in own["cuts"]:
            epoch = led.get(cut.leader_epoch)
            rule = rules[cut.node_id].rule if cut.node_id in rules else None
            yield cut.but(
                leader_id=None if epoch is None else epoch.leader_id,
                rule=rule,
                expected_offset=None if cut.by_recovery else _expected(cut, epoch, own["caches"], rule),
            )


def _expected(
    cut: Truncation, epoch: LeaderEpoch | None, caches: Sequence[ReplicaEpoch], rule: str | None
) -> int | None:
    if rule == BY_HIGH_WATERMARK:
        # If no line shows the log end, the log ended at the truncation or later.
        below = cut.high_watermark is not None and cut.high_watermark <= cut.truncation_offset
        end = first_known(cut.log_end_offset, cut.truncation_offset if below else None)
        return divergence([], None, [], end, cut.high_watermark, rule)
    if epoch is None:
        return None
    began_ts = first_known(epoch.leader_ts, epoch.start_ts)
    own = lineage_at(caches, cut.node_id, cut.ts - _JUST)
    leaders = lineage_at(caches, epoch.leader_id, greatest(cut.ts, began_ts) or cut.ts)
    if not own or not leaders:
        return None
    by_then = [(number, start) for number, start in leaders if number <= cut.leader_epoch]
    return divergence(by_then, None, own, cut.log_end_offset, cut.high_watermark, rule)
