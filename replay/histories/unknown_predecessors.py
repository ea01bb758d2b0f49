"""Losses where no line connects a leader epoch with the leader before it: the log of that leader, and so what its successor
lacks, is unknown. Truncations of that time show what was discarded, at least.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import CLOCKS_AT_MOST_MS, first_known, greatest, known, least, plus_millis
from replay.histories import premises
from replay.histories.cluster import Cluster
from replay.histories.epoch_caches import METADATA_TOPIC
from replay.histories.marks import ANCHORS, Mark, Marks
from replay.histories.partition import Partition, has_leader, others_may_have_led, scenario_of_unclean
from replay.histories.replicated import IN_SYNC_FETCHES
from replay.histories.roles import Roles
from replay.offsets.epoch_lines import filed_changes
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.tables.losses import OPEN_VERDICTS, UNKNOWN_EPOCH, Loss
from replay.tables.offsets import Truncation
from replay.tables.partitions import LeaderEpoch
from replay.tables.reading import Event

# High watermarks of a replica that hold for its own log: the fetch response that announces a truncation may bring another
# one (KAFKA-14704), and a follower's fetches are about its leader's log.
_OWN_HIGH_WATERMARKS = tuple(source for source in ANCHORS if source not in ("hw_updated", IN_SYNC_FETCHES))
_STARTED_ANEW = "log_truncated_fully"


@dataclass(frozen=True, slots=True)
class _Cut:
    """A truncation on request of a leader. `proof`: the replica's own high watermark above it, if the truncation shows that
    the leader's log lacks what was truncated.
    """

    row: Truncation
    proof: Mark | None

    @property
    def offset(self) -> int:
        return int(self.row.truncation_offset or 0)

    @property
    def end(self) -> int | None:
        """The end of the log before it; None if no line shows it."""
        return self.row.log_end_offset

    @property
    def end_at_least(self) -> int:
        return max(self.offset + 1, self.row.log_end_offset or 0, self.row.log_end_offset_low or 0)


@dataclass(frozen=True, slots=True)
class _Takeover:
    """The truncations in one leader epoch without a judged predecessor, and its row if its own begin is one."""

    leader_epoch: int
    row: LeaderEpoch | None
    is_unconnected: bool
    cuts: tuple[_Cut, ...]


def without_predecessor(
    partition: Partition, marks: Marks, roles: Roles, cluster: Cluster, judged: Sequence[Loss]
) -> Iterator[Loss]:
    """One row for each leader epoch whose leader took over from an unknown log, or in which a replica truncated its log and no
    row of `judged` covers that.

    A truncation below the replica's own high watermark proves a loss, whatever the leader epochs before: a follower that
    truncates by leader epochs keeps what its leader's log has (facts §1.5). One to the own high watermark proves nothing: the
    follower fetches the rest again (I14). Anything else is undetermined.
    """
    if partition.topic == METADATA_TOPIC:  # a Raft log is truncated only above what a majority holds
        return
    rows = {row.leader_epoch: row for row in partition.leader_epochs}
    unconnected = {
        row.leader_epoch for row in partition.leader_epochs if _is_unconnected(row, partition, cluster, judged)
    }
    cuts = grouped(_cuts(partition, marks, roles, cluster, judged), lambda cut: _epoch_of(cut.row, partition))
    for number in sorted({*unconnected, *cuts}):
        takeover = _Takeover(number, rows.get(number), number in unconnected, tuple(cuts.get(number, ())))
        yield _row(partition, marks, takeover)
    if not unconnected and not cuts:
        yield from _recovered(partition)
    if judged:
        yield from _filed_before(partition, unconnected)


def _recovered(partition: Partition) -> Iterator[Loss]:
    """The logs that recovery truncated at a time of which no leader is known; one row for the shortest."""
    begun = least(*(row.start_ts for row in partition.leader_epochs))
    cuts = [
        cut
        for cut in partition.truncations
        if cut.by_recovery and cut.truncation_offset is not None and not less(begun, cut.ts)
    ]
    if not cuts:
        return
    cut = min(cuts, key=lambda one: (one.truncation_offset, one.ts))
    yield Loss(
        life=partition.life,
        topic=partition.topic,
        partition=partition.partition,
        leader_epoch=UNKNOWN_EPOCH,
        ts=cut.ts,
        loss_class="committed",
        verdict="UNDETERMINED",
        from_offset=cut.truncation_offset,
        to_offset_low=cut.truncation_offset,
        recoverable_from=[],
        premise=premises.recovered_under_unknown_leader(cut),
        evidence=joined(cut.evidence),
    )


def _filed_before(partition: Partition, unconnected: Collection[int]) -> Iterator[Loss]:
    """One row for all leader epochs in files of replicas that had begun before any line shows a leader.

    The first entry of a file shows no change: the log may start there. Without a verdict, nothing claims that the
    partition lost no records, so there is no claim to limit.
    """
    first = next((row for row in partition.leader_epochs if has_leader(row)), None)
    if first is None or first.last_leader_id is not None:
        return
    last = first.leader_epoch - (first.leader_epoch in unconnected or first.confidence == "observed")
    passed = [
        entry
        for entry in filed_changes(partition.epoch_lines)
        if entry.leader_epoch is not None and entry.leader_epoch <= last and (entry.epoch_start_offset or 0) > 0
    ]
    if not passed:
        return
    earliest = min(passed, key=lambda entry: (entry.epoch_start_offset, entry.node_id))
    latest = max(entry.leader_epoch for entry in passed)
    yield Loss(
        life=partition.life,
        topic=partition.topic,
        partition=partition.partition,
        leader_epoch=latest,
        ts=first.start_ts,
        begun_before=True,
        loss_class="committed",
        verdict="UNDETERMINED",
        from_offset=earliest.epoch_start_offset,
        to_offset_low=earliest.epoch_start_offset,
        new_leader_id=first.leader_id if latest == first.leader_epoch else None,
        recoverable_from=[],
        premise=premises.filed_before_the_logs(earliest, latest),
        evidence=joined([earliest.event_id], (first.evidence or [])[:2]),
    )


# Leader epochs.


def _is_unconnected(row: LeaderEpoch, partition: Partition, cluster: Cluster, judged: Iterable[Loss]) -> bool:
    """Whether the leader took over, as lines show, from a log that no line describes: no leader before it is known; it led
    before, and others may have led since; or it led before, the partition had no leader since, and its own lines do not show
    whether it restarted.
    """
    if not has_leader(row):
        return False
    if row.last_leader_id is None:
        began_with_topic = row.leader_epoch == 0 and not row.epoch_start_offset
        return row.confidence == "observed" and not began_with_topic
    if row.last_leader_id != row.leader_id:
        return False
    if any(loss.leader_epoch == row.leader_epoch for loss in judged):
        return False
    return others_may_have_led(row) or (row.old_leader_id == -1 and not _is_covered(row, partition, cluster))


def _is_covered(row: LeaderEpoch, partition: Partition, cluster: Cluster) -> bool:
    """Whether the leader's own lines cover the time from the begin of its last leader epoch, which a line shows, to this one:
    then they show whether it restarted.
    """
    led = [one for one in partition.leader_epochs if has_leader(one) and one.leader_epoch < row.leader_epoch]
    if not led or led[-1].confidence != "observed":
        return False
    return cluster.has_lines(row.leader_id, led[-1].start_ts, row.start_ts)


# Truncations.


def started_anew(partition_events: Iterable[Event]) -> list[Event]:
    """The lines of replicas that deleted their log, which ended before their leader's begins: they discard nothing that a
    leader has not deleted.
    """
    return [event for event in partition_events if event.kind == _STARTED_ANEW]


def _cuts(partition: Partition, marks: Marks, roles: Roles, cluster: Cluster, judged: Sequence[Loss]) -> Iterator[_Cut]:
    """The truncations on request of a leader that no judged change of leader explains."""
    anew = {line.event_id for line in partition.started_anew}
    for row in partition.truncations:
        if row.by_recovery or row.truncation_offset is None or (row.evidence or [""])[0] in anew:
            continue
        if _is_led_by_itself(row, partition, roles, cluster) or _is_held_by_its_leader(row):
            continue
        cut = _Cut(row, _proof(row, marks.get(row.node_id, ()), cluster))
        open_rows = [loss for loss in judged if not less(row.leader_epoch, loss.leader_epoch)]
        if _covers(open_rows, cut.offset, cut.end_at_least):
            continue
        if cut.proof is not None or not _is_connected(row, _epoch_of(row, partition), partition, roles):
            yield cut


def _is_led_by_itself(cut: Truncation, partition: Partition, roles: Roles, cluster: Cluster) -> bool:
    """Whether the replica led then, as its own lines show, and nothing shows a later leader epoch: a leader never truncates its
    log for another one, so other lines contradict this one.
    """
    by_then = [one for one in roles.get(cut.node_id, ()) if at_most(one.taken_ts, cut.ts)]
    if not by_then or by_then[-1].leads_ts is None or not by_then[-1].is_logged:
        return False
    led, until = by_then[-1], plus_millis(cut.ts, CLOCKS_AT_MOST_MS)
    later = [row for row in partition.leader_epochs if row.leader_epoch > led.leader_epoch]
    begins_later = all(less(until, row.start_ts) for row in later)
    return less(led.leads_ts, plus_millis(cut.ts, -CLOCKS_AT_MOST_MS)) and (
        begins_later and cluster.has_lines(cut.node_id, led.leads_ts, until)
    )


def _is_held_by_its_leader(cut: Truncation) -> bool:
    """Whether the leader's log holds all that the line truncates, by the leader epochs in both logs."""
    return cut.rule != BY_HIGH_WATERMARK and at_most(cut.log_end_offset, cut.expected_offset)


def _epoch_of(cut: Truncation, partition: Partition) -> int:
    """The leader epoch in which the replica truncated its log: the one that it followed, else the last one begun by then."""
    begun = [row.leader_epoch for row in partition.leader_epochs if has_leader(row) and at_most(row.start_ts, cut.ts)]
    return first_known(cut.leader_epoch, greatest(*begun)) or UNKNOWN_EPOCH


def _is_to_own_high_watermark(cut: Truncation, own: Iterable[Mark]) -> bool:
    """Whether the replica truncated its log to its own high watermark: without leader epochs, or because its leader did not know
    an answer.
    """
    return any(
        mark.source == "truncation_to_hw" and mark.high_watermark == cut.truncation_offset and at_most(mark.ts, cut.ts)
        for mark in own
    )


def _proof(cut: Truncation, own: Sequence[Mark], cluster: Cluster) -> Mark | None:
    """The replica's highest own high watermark since its last truncation below that, if it is above this truncation and the
    replica certainly truncates by leader epochs.
    """
    is_by_epochs = cut.rule not in (None, BY_HIGH_WATERMARK) or cluster.broker(cut.node_id).by_high_watermark is False
    if not is_by_epochs or _is_to_own_high_watermark(cut, own):
        return None
    earlier = [mark for mark in own if mark.source == "truncation" and mark.ts < cut.ts]
    above = [
        mark
        for mark in own
        if mark.source in _OWN_HIGH_WATERMARKS
        and mark.ts <= cut.ts
        and not mark.clamped_again
        and less(cut.truncation_offset, mark.high_watermark)
        and not any(mark.ts <= one.ts and less(one.truncation_offset, mark.high_watermark) for one in earlier)
    ]
    return max(above, key=lambda mark: nulls_first(mark.high_watermark, mark.ts, mark.event), default=None)


def _covers(rows: Iterable[Loss], begin: int, end: int) -> bool:
    """Whether rows with certain or possible losses hold all offsets from `begin` up to `end`."""
    ranges = ((row.from_offset, row.to_offset_high) for row in rows if row.verdict in OPEN_VERDICTS)
    for start, until in sorted(ranges, key=lambda one: one[0]):
        if start > begin:
            return False
        begin = end if until is None else max(begin, until)
        if begin >= end:
            return True
    return False


def _is_connected(cut: Truncation, leader_epoch: int, partition: Partition, roles: Roles) -> bool:
    """Whether every leader is known from the leader epoch that the replica had before to the one that it followed: then the
    verdicts on these changes of leader hold for what it truncated. Before the first known leader epoch, that one has to name
    the leader before it.
    """
    if leader_epoch == UNKNOWN_EPOCH:
        first = next((row for row in partition.leader_epochs if has_leader(row)), None)
        return first is not None and first.last_leader_id is not None
    earlier = [
        role.leader_epoch
        for role in roles.get(cut.node_id, ())
        if role.leader_epoch < leader_epoch and at_most(role.taken_ts, cut.ts)
    ]
    since = max(earlier, default=0)
    led = [row for row in partition.leader_epochs if has_leader(row) and since < row.leader_epoch]
    passed = [row for row in led if row.leader_epoch < leader_epoch]
    if leader_epoch > since:
        passed = led[: len(passed) + 1]  # with the one that names it, as its own leader or as that before
        if not passed or passed[-1].leader_epoch < leader_epoch:
            return False
    return all(row.last_leader_id is not None and not others_may_have_led(row) for row in passed)


# The row.


def _row(partition: Partition, marks: Marks, takeover: _Takeover) -> Loss:
    row, cuts = takeover.row, takeover.cuts
    proofs = [cut.proof for cut in cuts if cut.proof is not None]
    proof = max(proofs, key=lambda mark: nulls_first(mark.high_watermark, mark.event), default=None)
    start = None if row is None else row.epoch_start_offset
    begin = least(start, *(cut.offset for cut in cuts)) or 0
    if proof is not None:
        begin = min(cut.offset for cut in cuts if cut.proof is not None)
    return Loss(
        life=partition.life,
        topic=partition.topic,
        partition=partition.partition,
        leader_epoch=takeover.leader_epoch,
        ts=_begun_ts(takeover),
        scenario=None if row is None else scenario_of_unclean(row),
        loss_class="committed",
        verdict="UNDETERMINED" if proof is None else "PROVEN_LOSS",
        from_offset=begin,
        to_offset_low=begin if proof is None else proof.high_watermark,
        to_offset_high=_end(takeover, partition, marks),
        discarded_to_offset=max((cut.end_at_least for cut in cuts), default=None),
        old_leader_id=None if row is None or takeover.is_unconnected else row.last_leader_id,
        new_leader_id=None if row is None else row.leader_id,
        recoverable_from=[],
        cut_by=[cut.row.node_id for cut in _in_time(cuts)],
        cut_times=[cut.row.ts for cut in _in_time(cuts)],
        premise=_premise(takeover, proof),
        evidence=joined(
            *(cut.row.evidence[:2] for cut in _in_time(cuts)),
            [] if proof is None else proof.evidence,
            [] if row is None else (row.evidence or [])[:2],
        ),
    )


def _in_time(cuts: Iterable[_Cut]) -> list[_Cut]:
    return sorted(cuts, key=lambda cut: (cut.row.ts, cut.row.node_id))


def _begun_ts(takeover: _Takeover) -> datetime | None:
    """When the leader epoch began; the first truncation in it if its begin is unknown."""
    row = takeover.row
    first = least(*(cut.row.ts for cut in takeover.cuts))
    return first if row is None or row.start_ts is None else least(row.start_ts, first)


def _end(takeover: _Takeover, partition: Partition, marks: Marks) -> int | None:
    """The end of the longest log before the truncations. None unless one of them was that of the leader before: the logs of
    all replicas but the new leader are known, and that one ran on from an earlier leader epoch.
    """
    row = takeover.row
    ends = known(cut.end for cut in takeover.cuts)
    if row is None or not row.replicas or not ends or len(ends) < len(takeover.cuts) or not _ran_on(row, partition):
        return None
    ends_of_others = [
        _end_as_follower(marks.get(node, ()), takeover.leader_epoch)
        for node in row.replicas
        if node != row.leader_id and node not in {cut.row.node_id for cut in takeover.cuts}
    ]
    return None if None in ends_of_others else greatest(*ends, *ends_of_others)


def _ran_on(row: LeaderEpoch, partition: Partition) -> bool:
    """Whether the new leader's process had a role in an earlier leader epoch, as its own line says: it lost nothing itself."""
    return any(
        line.node_id == row.leader_id
        and line.leader_epoch == row.leader_epoch
        and line.kind == "leader_start"
        and at_most(0, line.previous_leader_epoch)
        for line in partition.epoch_lines
    )


def _end_as_follower(own: Iterable[Mark], leader_epoch: int) -> int | None:
    """The log end of a replica as it began to follow in a leader epoch; None if no line shows it."""
    ends = (
        mark.log_end_offset for mark in own if mark.source == "follower_start" and mark.leader_epoch == leader_epoch
    )
    return next((end for end in ends if end is not None), None)


def _premise(takeover: _Takeover, proof: Mark | None) -> str:
    cuts = _in_time(takeover.cuts)
    if proof is not None:
        cut = next(one for one in cuts if one.proof is proof)
        return premises.below_own_high_watermark(cut.row, proof)
    if cuts:
        return premises.cut_after_unknown_leader(max(cuts, key=lambda one: one.end_at_least).row)
    assert takeover.row is not None
    return premises.after_unknown_leader(takeover.row)
