"""Leader epochs that a node's files do not mention, and times without a line of a node in which leader epochs began."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.facts.groups import by_key, merged
from replay.facts.times import greatest, least, millis, plus_millis
from replay.facts.window import TimeWindow
from replay.tables.partitions import CommittedIsr, LeaderEpoch
from replay.tables.questions import EpochCounts, EpochWithoutLine, LeaderChange, LineGap, QuietTime
from replay.tables.reading import Event, KafkaFile

_QUIET_MS = 10_000  # a broker normally logs within this time if leaders change
# An event this close to an end of a silence may be logged at that end: lines are late, and clocks differ slightly.
_SKEW_MS = 500
_EDGE_MS = 1_000  # an event this close to a file's first or last line may have been logged outside it
_ROLE_TAKEN = ("leader_start", "follower_start")


class NodeFiles:
    """The time that each node's lines in Kafka's own files cover."""

    def __init__(self, kafka_files: Iterable[KafkaFile]) -> None:
        self._times: dict[int | None, tuple[datetime | None, datetime | None]] = {}
        for file in kafka_files:
            first, last = self._times.get(file.node_id, (None, None))
            self._times[file.node_id] = least(first, file.first_ts), greatest(last, file.last_ts)

    def run_at(self, node: int, ts: datetime | None) -> bool:
        """Whether the node has lines well before and well after a time."""
        first, last = self._times.get(node, (None, None))
        begin, end = plus_millis(first, _EDGE_MS), plus_millis(last, -_EDGE_MS)
        return ts is not None and begin is not None and end is not None and begin <= ts <= end


def epochs_without_line(
    partition_events: Sequence[Event],
    leader_epochs: Sequence[LeaderEpoch],
    node_files: NodeFiles,
    window: TimeWindow,
) -> list[EpochWithoutLine]:
    """The leader epochs of one partition that began in the window and that a node's files do not mention.

    The node was running then and led them, or it logged earlier and later epochs. Omits leader epochs that had
    begun before their first line: they may have begun before the node's first line.
    """
    lines_of_node: dict[int, list[Event]] = {}
    for line in partition_events:
        if line.kind in _ROLE_TAKEN and line.leader_epoch is not None and line.node_id is not None:
            lines_of_node.setdefault(line.node_id, []).append(line)
    logged = {(node, line.leader_epoch) for node, lines in lines_of_node.items() for line in lines}
    times = {node: [line.ts for line in lines if line.ts is not None] for node, lines in lines_of_node.items()}
    around = {node: (min(own), max(own)) for node, own in times.items() if own}
    found: dict[EpochWithoutLine, None] = {}
    for epoch in leader_epochs:
        if _is_begun(epoch) and epoch.start_ts is not None and window.holds(epoch.start_ts):
            followers = (node for node, (first, last) in around.items() if first < epoch.start_ts < last)
            for node in {epoch.leader_id, *followers}:
                if (node, epoch.leader_epoch) not in logged and node_files.run_at(node, epoch.start_ts):
                    found[EpochWithoutLine(node, epoch.topic, epoch.partition, epoch.leader_epoch, epoch.start_ts)] = (
                        None
                    )
    return list(found)


def _is_begun(epoch: LeaderEpoch) -> bool:
    """Whether the logs show how the epoch of a leader began."""
    is_led = epoch.leader_id is not None and epoch.leader_id >= 0
    return is_led and epoch.reason not in (None, "isr_change") and not epoch.begun_before


def leader_changes(leader_epochs: Sequence[LeaderEpoch]) -> list[LeaderChange]:
    """The times at which the partition got another leader, or none."""
    return all_leader_changes(
        LeaderChange(epoch.start_ts)
        for epoch in leader_epochs
        if epoch.reason in ("election", "leaderless") and epoch.start_ts is not None
    )


def all_leader_changes(leader_changes: Iterable[LeaderChange]) -> list[LeaderChange]:
    """The times in order, without duplicates."""
    return [LeaderChange(ts) for ts in sorted({change.start_ts for change in leader_changes})]


def epoch_counts(
    leader_epochs: Sequence[LeaderEpoch],
    committed_isrs: Sequence[CommittedIsr],
    epochs_without_line: Sequence[EpochWithoutLine],
    window: TimeWindow,
) -> list[EpochCounts]:
    """For one partition: how many leader epochs each node began in the window, for how many of them lines are missing,
    and which nodes were alone in the ISR. Omits leader epochs that had begun before their first line: the lines about
    their start are older than the logs.
    """
    with_isr = {state.leader_epoch for state in committed_isrs}
    begun = [
        EpochCounts(
            node_id=epoch.leader_id,
            begun=1,
            begun_ts=epoch.start_ts,
            without_isr=int(epoch.leader_epoch not in with_isr),
        )
        for epoch in leader_epochs
        if epoch.reason not in (None, "isr_change") and not epoch.begun_before
        if window.is_open or _began_in(epoch.start_ts, window)
    ]
    missing = [
        EpochCounts(node_id=epoch.node_id, without_line=1, without_line_ts=epoch.start_ts)
        for epoch in epochs_without_line
    ]
    alone = [
        EpochCounts(node_id=isr[0], was_alone=True)
        for isr in (state.isr or () for state in committed_isrs)
        if len(isr) == 1
    ]
    return all_epoch_counts([*begun, *missing, *alone])


def _began_in(ts: datetime | None, window: TimeWindow) -> bool:
    return ts is not None and window.holds(ts)


def all_epoch_counts(epoch_counts: Iterable[EpochCounts]) -> list[EpochCounts]:
    """The counts of all partitions, by node."""
    return merged(epoch_counts, lambda row: row.node_id, _added_up)


def _added_up(one: EpochCounts, other: EpochCounts) -> EpochCounts:
    return EpochCounts(
        node_id=one.node_id,
        begun=_sum(one.begun, other.begun),
        begun_ts=least(one.begun_ts, other.begun_ts),
        without_isr=_sum(one.without_isr, other.without_isr),
        without_line=_sum(one.without_line, other.without_line),
        without_line_ts=least(one.without_line_ts, other.without_line_ts),
        was_alone=one.was_alone or other.was_alone,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    """The sum of the known numbers; None if neither is known."""
    return one if other is None else other if one is None else one + other


def quiet_times(
    line_gaps: Iterable[LineGap],
    leader_changes: Iterable[LeaderChange],
    epochs_without_line: Iterable[EpochWithoutLine],
) -> list[QuietTime]:
    """Times in which no file of a node has a line although leader epochs began.

    Either the node's lines about some of these epochs are missing, or the time is long and leaders changed
    elsewhere.
    """
    changes = sorted(change.start_ts for change in leader_changes)
    own_epochs = by_key(epochs_without_line, lambda epoch: epoch.node_id, lambda epoch: epoch.start_ts)
    for times in own_epochs.values():
        times.sort()
    found = []
    for gap in line_gaps:
        own = _number_inside(own_epochs.get(gap.node_id, ()), gap)
        is_long = (millis(gap.end_ts, gap.start_ts) or 0) >= _QUIET_MS
        if own or (is_long and _number_inside(changes, gap)):
            evidence = [gap.start_event, gap.end_event]
            found.append(QuietTime(gap.node_id, gap.start_ts, gap.end_ts, own, evidence))
    return found


def _number_inside(times: Sequence[datetime], gap: LineGap) -> int:
    """How many of the ordered times lie inside a gap and not close to its ends."""
    begin, end = plus_millis(gap.start_ts, _SKEW_MS), plus_millis(gap.end_ts, -_SKEW_MS)
    return max(0, bisect_right(times, end) - bisect_left(times, begin))
