"""The loss ledger: for each change of leader, and each restart of a last replica, the lost records and the proof.

When N becomes leader from offset O, the old leader L loses the records of its log from D = min(O, n_old) on, where
n_old is its log end when it lost its role. Below the old commit point that is a loss of committed records; above it
only a producer with acks=1 can have received an acknowledgement. Source: facts §3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from replay.facts.groups import by_key
from replay.facts.order import at_most
from replay.histories.changes import measured_changes
from replay.histories.cluster import Cluster
from replay.histories.last_replicas import last_replicas
from replay.histories.marks import Marks, marks_of_replicas
from replay.histories.partition import Partition, partitions
from replay.histories.roles import Roles, roles_taken
from replay.histories.unknown_predecessors import started_anew, without_predecessor
from replay.histories.verdicts import above_commit_point, committed
from replay.histories.written import steps_down, with_times
from replay.tables.losses import Loss
from replay.tables.offsets import EpochLine, FetchPosition, FollowerPosition, HighWatermark, Truncation
from replay.tables.partitions import CommittedIsr, LeaderEpoch, RoleLine
from replay.tables.reading import Event


def ledger(
    leader_epochs: Sequence[LeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    high_watermarks: Sequence[HighWatermark],
    truncations: Sequence[Truncation],
    role_lines: Sequence[RoleLine],
    fetch_positions: Sequence[FetchPosition],
    follower_positions: Sequence[FollowerPosition],
    epoch_lines: Sequence[EpochLine],
    partition_events: Sequence[Event],
    histories_cluster: Cluster,
) -> Iterator[Loss]:
    """The losses of one partition, for each topic that had its name."""
    lines = [line for line in partition_events if line.kind == "log_deleted" and line.ts is not None]
    deleted = by_key(lines, lambda line: line.node_id, lambda line: line.ts)
    for partition in partitions(
        histories_cluster.lives,
        leader_epochs=leader_epochs,
        isrs=committed_isrs,
        high_watermarks=high_watermarks,
        truncations=truncations,
        role_lines=role_lines,
        epoch_lines=epoch_lines,
        fetch_positions=fetch_positions,
        follower_positions=follower_positions,
        steps_down=steps_down(partition_events),
        started_anew=started_anew(partition_events),
    ):
        for loss in losses(partition, histories_cluster):
            held = _without_unseen(_without_deleted_logs(loss, deleted), histories_cluster)
            dated = with_times(held, partition, histories_cluster)
            yield dated.but(begun_before=True) if _is_older(loss, partition) else dated


def _is_older(loss: Loss, partition: Partition) -> bool:
    """Whether its leader epoch had begun before its first line, which dates the loss."""
    begun = {row.leader_epoch: row.start_ts for row in partition.leader_epochs if row.begun_before}
    return loss.leader_epoch in begun and at_most(loss.ts, begun[loss.leader_epoch])


def _without_unseen(loss: Loss, cluster: Cluster) -> Loss:
    """An undecided loss without the brokers that have no line in the input: no line shows what they kept."""
    if loss.verdict != "UNDETERMINED" or not cluster.lines:
        return loss
    held_by = loss.recoverable_from or ()
    left = [broker for broker in held_by if broker in cluster.lines]
    return loss if len(left) == len(held_by) else loss.but(recoverable_from=left)


def _without_deleted_logs(loss: Loss, deleted: Mapping[int | None, Sequence[datetime]]) -> Loss:
    """The loss without the brokers that deleted their log after it, with their topic or their replica."""
    held_by = loss.recoverable_from or ()
    left = [broker for broker in held_by if not any(at_most(loss.ts, ts) for ts in deleted.get(broker, ()))]
    return loss if len(left) == len(held_by) else loss.but(recoverable_from=left)


def losses(partition: Partition, cluster: Cluster) -> Iterator[Loss]:
    """A verdict on every change of leader of a partition, for committed records and for those above the commit point;
    on last replicas that returned; and on what was truncated where the leader before is unknown. Rows of `LEDGER`.

    A verdict never goes beyond its premise (facts §3.2): no line shows an acknowledgement, so records that were
    discarded above the commit point are `acked_possible` and at most POSSIBLE_LOSS.
    """
    if not (partition.leader_epochs or partition.isrs or partition.truncations):
        return
    marks, roles = marks_of_replicas(partition, cluster), roles_taken(partition)
    judged = [*_of_changes(partition, marks, roles, cluster), *last_replicas(partition, marks, cluster)]
    yield from judged
    yield from without_predecessor(partition, marks, roles, cluster, judged)


def _of_changes(partition: Partition, marks: Marks, roles: Roles, cluster: Cluster) -> Iterator[Loss]:
    for change in measured_changes(partition, marks, roles, cluster):
        yield from committed(change, partition.life)
        discarded = above_commit_point(change, partition.life)
        if discarded is not None:
            yield discarded
