"""When lost records were written, and when they were truncated: they are lost with the truncation of the last log that
held them, not at the election.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import dropwhile

from replay.facts.evidence import joined
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, known, least, plus_millis
from replay.histories.around_election import all_before_election, as_leader, split_by_election
from replay.histories.cluster import UNCLEAN_ENDS, Cluster
from replay.histories.copies import CutCopy, cut_copies
from replay.histories.kept_up import kept_up_since
from replay.histories.offline import offline_ts
from replay.histories.partition import CLEAN, Partition, has_leader, others_may_have_led
from replay.histories.roles import Roles, roles_taken
from replay.tables.losses import OPEN_VERDICTS, Loss
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import LeaderEpoch
from replay.tables.reading import Event

STEPPED_DOWN = "broker_become_follower_done"  # at TRACE, up to 2.5; later releases print `follower_start`


def with_times(loss: Loss, partition: Partition, cluster: Cluster) -> Loss:
    """The loss with the times between which its records were written, and those of their truncations, as far as lines
    show them.
    """
    if loss.verdict not in OPEN_VERDICTS or loss.from_offset is None:
        return loss
    led = _last_led(loss, partition, cluster)
    if led is None or led.start_ts is None:
        return loss
    end = loss.to_offset_high  # a line with the known part of an open range dates only that part
    roles = roles_taken(partition)
    copies = cut_copies(loss, partition, roles)
    own_cut_ts = least(*(copy.ts for copy in copies if copy.node_id == loss.old_leader_id))
    own = [
        mark for mark in partition.high_watermarks if mark.node_id == loss.old_leader_id and less(led.start_ts, mark.ts)
    ]
    offline = offline_ts(loss, led, cluster)
    low = greatest(
        _created_ts(partition),
        _not_written_by(loss, led, own, partition),
        _deposed_ts(loss, partition, cluster),
        kept_up_since(loss, led, partition, cluster),
    )
    highs = (
        own_cut_ts,
        _ended_ts(loss, first_known(end, loss.to_offset_low), own, cluster),
        _stepped_down_ts(loss, led, partition, roles),
        offline,
        *(_ends_by(end, own_cut_ts, own, cluster) if end else ()),
        *(_copied_by(end, loss, led, partition, copies) if end else ()),
    )
    dated = loss.but(
        cut_ts=None if own_cut_ts is None else copies[-1].ts,
        cut_by=[copy.node_id for copy in copies],
        cut_times=[copy.ts for copy in copies],
        written_low=low,
        written_high=None if not known(highs) else greatest(low, least(*highs)),
        evidence=joined(loss.evidence, [copy.event_id for copy in copies]),
    )
    return all_before_election(dated) if less(offline, loss.ts) else split_by_election(dated, led, own, partition)


def _created_ts(partition: Partition) -> datetime | None:
    """When the partition began with an empty log; None if the logs begin later."""
    first = next(iter(partition.leader_epochs), None)
    is_logged = first is not None and first.reason == "created" and not first.begun_before
    return first.start_ts if first is not None and is_logged and first.epoch_start_offset in (None, 0) else None


def _ended_ts(loss: Loss, end: int | None, own: Sequence[HighWatermark], cluster: Cluster) -> datetime | None:
    """When the process had ended that held the records: the one before the first start after the election. A broker that
    starts again learns of its successor before it serves clients, unless its log was shorter then and has grown. A
    leader that lost them as it started again is its own successor.
    """
    if loss.old_leader_id is None or loss.ts is None:
        return None
    if loss.old_leader_id == loss.new_leader_id:
        died = cluster.last_restart(loss.old_leader_id, loss.ts)
        return None if died is None else died.gone_ts
    elected_ts = plus_millis(loss.ts, CLOCKS_DIFFER_MS)
    later = [one for one in cluster.restarts.get(loss.old_leader_id, ()) if one.next_start_ts >= elected_ts]
    grew = any(
        mark.source == "log_load_completed" and less(mark.log_end_offset, end) and mark.ts >= later[0].next_start_ts
        for mark in (own if later else ())
    )
    return None if grew or not later else later[0].gone_ts


def _stepped_down_ts(loss: Loss, led: LeaderEpoch, partition: Partition, roles: Roles) -> datetime | None:
    """When the broker that held the records began to follow: from then on it takes no writes."""
    own = [role for role in roles.get(loss.old_leader_id or 0, ()) if role.is_logged]
    learnt_ts = least(*(role.taken_ts for role in own if role.leader_epoch >= loss.leader_epoch))
    followed = (
        line.ts
        for line in partition.role_lines
        if (line.node_id, line.kind) == (loss.old_leader_id, "follower_start")
        and line.leader_epoch >= loss.leader_epoch
    )
    done = (
        line.ts for line in partition.steps_down if line.node_id == loss.old_leader_id and at_most(learnt_ts, line.ts)
    )
    return least(*(ts for ts in (*followed, *done) if less(led.start_ts, ts)))


def _ends_by(
    end: int, cut_ts: datetime | None, own: Sequence[HighWatermark], cluster: Cluster
) -> Iterator[datetime | None]:
    """Times by which the log of the broker that held the records had reached their end. What a broker finds in its log
    as it loads it was written before its last process ended.
    """
    for mark in own:
        if at_most(end, mark.log_end_offset) and not less(cut_ts, mark.ts):
            yield mark.ts
            if mark.source == "log_load_completed" and mark.ts is not None:
                restart = cluster.last_restart(mark.node_id, mark.ts)
                yield None if restart is None else restart.gone_ts


def _copied_by(
    end: int, loss: Loss, led: LeaderEpoch, partition: Partition, copies: Iterable[CutCopy]
) -> Iterator[datetime | None]:
    """Times by which other replicas held all of the records, by clocks that may differ."""
    for copy in copies:
        if copy.to_offset >= end:
            yield plus_millis(copy.ts, CLOCKS_DIFFER_MS)
    for fetch in partition.fetch_positions:
        is_of_leader = fetch.leader_id == loss.old_leader_id and fetch.leader_epoch in (None, led.leader_epoch)
        if is_of_leader and end <= fetch.log_end_offset and less(led.start_ts, fetch.ts):
            yield plus_millis(fetch.ts, CLOCKS_DIFFER_MS)


def _last_led(loss: Loss, partition: Partition, cluster: Cluster) -> LeaderEpoch | None:
    """The last leader epoch in which the broker that held the records wrote them: the one before that in which they are gone, or the
    same if it lost them as it started again.
    """
    died = cluster.last_restart(loss.old_leader_id, loss.ts) if loss.old_leader_id == loss.new_leader_id else None
    own = [
        epoch
        for epoch in partition.leader_epochs
        if epoch.leader_id == loss.old_leader_id
        and (
            epoch.leader_epoch < loss.leader_epoch
            or (epoch.leader_epoch == loss.leader_epoch and died is not None and less(epoch.start_ts, died.last_ts))
        )
    ]
    return own[-1] if own else None


def _deposed_ts(loss: Loss, partition: Partition, cluster: Cluster) -> datetime | None:
    """When the first leader epoch began after the last one that the new leader led. It lacks nothing that it wrote itself, so
    the records are of later leaders; None unless its log certainly kept all of it.
    """
    member = loss.new_leader_id
    if member is None or member == loss.old_leader_id or loss.ts is None:
        return None
    earlier = [one for one in partition.leader_epochs if one.leader_epoch < loss.leader_epoch]
    own = next((one for one in reversed(earlier) if one.leader_id == member), None)
    if own is None or own.start_ts is None:
        return None
    shortened = (
        restart.ended in UNCLEAN_ENDS and not restart.host_ran
        for restart in cluster.restarts_within(member, own.start_ts, loss.ts)
    )
    cut = (
        one.node_id == member and less(own.start_ts, one.ts) and less(one.ts, loss.ts) for one in partition.truncations
    )
    if any(shortened) or any(cut):
        return None
    later = next((one for one in earlier if one.leader_epoch > own.leader_epoch and has_leader(one)), None)
    return None if later is None else plus_millis(later.start_ts, -CLOCKS_DIFFER_MS)


def _not_written_by(
    loss: Loss, led: LeaderEpoch, own: Sequence[HighWatermark], partition: Partition
) -> datetime | None:
    """The last time at which the leader's log is known to have ended before the first of them."""
    return greatest(
        _began_without(loss, led, partition),
        *_ended_before(loss, led, own),
        *(
            position.caught_up_ts
            for position in partition.follower_positions
            if position.leader_id == loss.old_leader_id
            and less(led.start_ts, position.ts)
            and at_most(led.epoch_start_offset, position.log_end_offset)
            and at_most(position.log_end_offset, loss.from_offset)
        ),
    )


def _ended_before(loss: Loss, led: LeaderEpoch, own: Sequence[HighWatermark]) -> list[datetime | None]:
    """Its lines as leader with an earlier log end."""
    return [mark.ts for mark in as_leader(led, own) if at_most(mark.log_end_offset, loss.from_offset)]


def _began_without(loss: Loss, led: LeaderEpoch, partition: Partition) -> datetime | None:
    """When the last leader epoch began that starts at the first of them or before. All later ones up to that of the
    broker that held them must have clean elections: then its log is that of each of their leaders.
    """
    if at_most(led.epoch_start_offset, loss.from_offset):
        return first_known(led.leader_ts, led.start_ts)
    later = led
    earlier = dropwhile(lambda row: row.leader_epoch >= led.leader_epoch, reversed(partition.leader_epochs))
    for row in earlier:
        if not has_leader(row):
            continue
        if others_may_have_led(later) or not (later.elected_from in CLEAN or later.leader_id == row.leader_id):
            return None
        if at_most(row.epoch_start_offset, loss.from_offset):
            return plus_millis(first_known(row.leader_ts, row.start_ts), -CLOCKS_DIFFER_MS)
        later = row
    return None


def steps_down(partition_events: Iterable[Event]) -> list[Event]:
    """The lines of brokers that have become followers of the partition."""
    return [event for event in partition_events if event.kind == STEPPED_DOWN and event.ts is not None]
