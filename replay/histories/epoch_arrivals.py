"""The leader epochs whose records a replica had received, concluded from offsets alone: from 2.0 on no line prints a
follower's epoch entries.

A follower's log is a prefix of its leader's: if it grew beyond the start of a leader epoch, the first record of that
leader epoch has arrived, and with it the entry (facts §1.4). The growth follows from the follower's own lines, or from
its leader's high watermark while it was in the ISR (T2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import accumulate, groupby, islice
from operator import attrgetter, itemgetter
from typing import NamedTuple

from replay.facts.in_time import NEVER, OfNodes
from replay.facts.order import at_most, less
from replay.facts.times import greatest, least, millis
from replay.partitions.fetchers import FETCHES
from replay.tables.offsets import EpochLine, HighWatermark
from replay.tables.partitions import CommittedIsr, LeaderEpoch

BEGUN_WITHIN_MS = 10_000  # a leader logs it within this after the decision; a later line repeats it
_CUTS = ("log_truncated_to", "log_recovery_truncated")
LOADS = ("log_load_completed", "log_recovery_truncated")
_ROLES = ("leader_start", "follower_start")
_START_OFFSET = attrgetter("epoch_start_offset")


class Held(NamedTuple):
    """An entry that a replica had by `ts` (None: at the end), and the event that shows it."""

    node_id: int
    leader_epoch: int
    epoch_start_offset: int
    ts: datetime | None
    event_id: str | None


@dataclass(frozen=True, slots=True)
class _Growth:
    """A log whose records from `held` to `reached` all came from the leader of one leader epoch, since the replica took
    on its role. `is_leader`: the log is the leader's own.
    """

    node_id: int
    leader_epoch: int | None
    held: int
    reached: int
    since: datetime | None
    ts: datetime | None
    event_id: str | None
    is_leader: bool = False


@dataclass(frozen=True, slots=True)
class _Link:
    """One leader epoch in a leader's log; `until_ts`: when the first leader epoch began that would have replaced it, in
    any log.
    """

    leader_epoch: int
    epoch_start_offset: int
    until_ts: datetime | None


def beginnings(lines: Iterable[EpochLine], leader_epochs: Iterable[LeaderEpoch]) -> list[EpochLine]:
    """The lines in which a leader begins a leader epoch, without those that repeat an earlier one (facts §8 trap 16).

    A repeated line has no previous leader epoch. The line of a leader that just started has none either: it counts if a
    controller's or the leader's own line shows the begin of the leader epoch.
    """
    epochs = {row.leader_epoch: row for row in leader_epochs}
    starts = (line for line in lines if line.kind == "leader_start" and line.ts is not None)
    return [line for line in starts if _begins(line, epochs.get(line.leader_epoch))]


def _begins(line: EpochLine, epoch: LeaderEpoch | None) -> bool:
    if line.leader_epoch is None:
        return False
    if line.leader_epoch == 0 and line.epoch_start_offset == 0:
        return True
    if line.previous_leader_epoch is not None and 0 <= line.previous_leader_epoch < line.leader_epoch:
        return True
    if epoch is None or epoch.confidence != "observed" or line.ts != epoch.leader_ts:
        return False
    late_ms = millis(epoch.leader_ts, epoch.start_ts)
    return late_ms is not None and abs(late_ms) <= BEGUN_WITHIN_MS


def arrivals(
    begun: Sequence[EpochLine], marks: Sequence[HighWatermark], isrs: Iterable[CommittedIsr]
) -> tuple[list[Held], list[Held]]:
    """The entries that replicas got with copied records, and those of a leader's first record in its own leader epoch.
    `begun` is `beginnings`, `marks` are rows of `high_watermarks`, `isrs` of `committed_isrs`.

    Between two truncations the first line that shows an entry is enough; a line without a time describes the end.
    """
    grown = list(_grown_by_own_lines(marks))
    copying = [growth for growth in grown if not growth.is_leader]
    starts = defaultdict(set)
    for line in begun:
        if line.epoch_start_offset is not None:
            starts[line.leader_epoch].add(line.epoch_start_offset)
    lost = _lost_starts(begun, marks)
    sure = [_held(line) for line in begun if line.epoch_start_offset is not None]
    sure += [held for growth, held in _of_own_epoch(copying, starts) if growth.ts is not None]
    chains = _chains(begun, sure, marks)
    committed_isrs = list(isrs)
    learned = _grown_by_what_a_new_leader_learned(begun, marks, committed_isrs)
    copied = _copied([*copying, *_grown_by_leaders_commits(marks, committed_isrs), *learned], chains)
    led = _of_own_epoch((growth for growth in grown if growth.is_leader), starts)
    return _first_of_each(_not_lost(copied, lost)), _first_of_each(_not_lost(led, lost))


def _lost_starts(begun: Sequence[EpochLine], marks: Iterable[HighWatermark]) -> dict[tuple[int, int], datetime]:
    """The leader epochs whose leader died and came back with a log that ends before their start, and when: it leads on
    from another offset, and no replica copies the lost start from it any more.
    """
    loads = defaultdict(list)
    for mark in marks:
        if mark.source in LOADS and mark.ts is not None and mark.log_end_offset is not None:
            loads[mark.node_id].append((mark.ts, mark.log_end_offset))
    lost: dict[tuple[int, int], datetime] = {}
    next_ts: datetime | None = None
    for line in sorted(begun, key=lambda line: (line.leader_epoch, line.ts), reverse=True):
        start = line.epoch_start_offset
        shorter = [ts for ts, end in loads[line.node_id] if start is not None and end < start and line.ts < ts]
        at = min(shorter, default=None)
        if at is not None and not at_most(next_ts, at):
            lost[line.leader_epoch, start] = at
        next_ts = least(next_ts, line.ts)
    return lost


def _not_lost(
    held: Iterable[tuple[_Growth, Held]], lost: Mapping[tuple[int, int], datetime]
) -> Iterator[tuple[_Growth, Held]]:
    for growth, entry in held:
        lost_ts = lost.get((entry.leader_epoch, entry.epoch_start_offset))
        if lost_ts is None or less(entry.ts, lost_ts):
            yield growth, entry


def _held(line: EpochLine) -> Held:
    return Held(line.node_id, line.leader_epoch, line.epoch_start_offset, line.ts, line.event_id)


def _first_of_each(growths: Iterable[tuple[_Growth, Held]]) -> list[Held]:
    first: dict[tuple[object, ...], Held] = {}
    for growth, held in growths:
        key = (*held[:3], growth.since, held.ts is None)
        if key not in first or _in_time(held) < _in_time(first[key]):
            first[key] = held
    return list(first.values())


def _in_time(held: Held) -> tuple[float, str]:
    return held.ts.timestamp() if held.ts is not None else 0.0, held.event_id or ""


def _of_own_epoch(
    grown: Iterable[_Growth], starts: Mapping[int | None, Iterable[int]]
) -> Iterator[tuple[_Growth, Held]]:
    """The entry of the leader epoch in which a replica's log grew beyond the start of that leader epoch."""
    for growth in grown:
        for start in starts.get(growth.leader_epoch, ()):
            if start < growth.reached and growth.leader_epoch is not None:
                yield growth, Held(growth.node_id, growth.leader_epoch, start, growth.ts, growth.event_id)


def _copied(grown: Iterable[_Growth], chains: Mapping[int, Sequence[_Link]]) -> Iterator[tuple[_Growth, Held]]:
    """The entries of the records that a replica copied from its leader."""
    for growth in grown:
        if growth.leader_epoch is None:
            continue
        chain = chains.get(growth.leader_epoch, ())
        held, reached = (bisect_left(chain, end, key=_START_OFFSET) for end in (growth.held, growth.reached))
        own = bisect_left(chain, growth.leader_epoch, key=attrgetter("leader_epoch"))
        for link in islice(chain, min(held, own), reached):
            if link.until_ts is None or less(growth.ts, link.until_ts):
                yield (
                    growth,
                    Held(growth.node_id, link.leader_epoch, link.epoch_start_offset, growth.ts, growth.event_id),
                )


def _chains(begun: Iterable[EpochLine], sure: Iterable[Held], marks: Iterable[HighWatermark]) -> dict[int, list[_Link]]:
    """The leader epochs that are certainly in the log of each leader when it begins, oldest first, its own last.

    A leader that was elected from outside the ISR may never have copied an earlier leader epoch: only those that a
    replica led, or in which it copied records, are `sure` to be in its log. A leader epoch at or after whose start a
    later one starts has no record in that log, and neither has one that was truncated.
    """
    leads: dict[int, EpochLine] = {}
    for line in begun:
        first = leads.get(line.leader_epoch)
        if first is None or _earlier(line) < _earlier(first):
            leads[line.leader_epoch] = line
    cuts = defaultdict(list)
    for mark in marks:
        if mark.source in _CUTS and mark.ts is not None and mark.log_end_offset is not None:
            cuts[mark.node_id].append((mark.ts, mark.log_end_offset))
    held_by = defaultdict(set)
    for held in sure:
        if held.ts is not None:
            cut_ts = _cut_ts(cuts[held.node_id], held.epoch_start_offset, held.ts)
            held_by[held.node_id].add((held.leader_epoch, held.epoch_start_offset, held.ts, cut_ts))
    link = cache(lambda epoch, start: _Link(epoch, start, _until(epoch, start, leads.values())))
    chains = {}
    for epoch, lead in leads.items():
        logged = {
            (other, start)
            for other, start, ts, cut_ts in held_by[lead.node_id]
            if other <= epoch and ts <= lead.ts and not at_most(cut_ts, lead.ts)
        }
        if logged:
            chains[epoch] = [link(other, start) for other, start in _not_replaced(logged)]
    return chains


def _not_replaced(logged: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The leader epochs with their starts, oldest first, but those at or after whose start a later one starts."""
    kept: list[tuple[int, int]] = []
    lowest = float("inf")
    for _, alike in groupby(sorted(logged, reverse=True), key=itemgetter(0)):
        own = list(alike)
        kept += [(epoch, start) for epoch, start in own if start < lowest]
        lowest = min(lowest, *(start for _, start in own))
    return kept[::-1]


def _earlier(line: EpochLine) -> tuple[datetime, int, int]:
    start = line.epoch_start_offset
    return line.ts, -1 if start is None else start, line.node_id


def _cut_ts(cuts: Iterable[tuple[datetime, int]], start: int, since: datetime) -> datetime | None:
    """When a log was first truncated to an offset or below, after a time."""
    return min((ts for ts, end in cuts if since <= ts and end <= start), default=None)


def _until(epoch: int, start: int, leads: Iterable[EpochLine]) -> datetime | None:
    return least(
        *[
            lead.ts
            for lead in leads
            if lead.leader_epoch > epoch and lead.epoch_start_offset is not None and lead.epoch_start_offset <= start
        ]
    )


def _grown_by_own_lines(marks: Iterable[HighWatermark]) -> Iterator[_Growth]:
    """How far a replica's log had grown in its last role, by its own lines.

    Its leader may have been unreachable, so only records beyond the log end at the role change, or beyond the
    truncation, came from the leader.
    """
    of_node = defaultdict(list)
    for mark in marks:
        if mark.high_watermark is not None or mark.log_end_offset is not None:
            of_node[mark.node_id].append(mark)
    for node_id, own in of_node.items():
        own.sort(key=_in_own_order)
        role: HighWatermark | None = None
        cut: HighWatermark | None = None
        for mark in own:
            growth = _growth(node_id, mark, role, cut)
            if growth is not None:
                yield growth
            if mark.source in _ROLES:
                role = mark
            elif mark.source in _CUTS:
                cut = mark


def _in_own_order(mark: HighWatermark) -> tuple[bool, float, int]:
    """By time; at the same time roles come before truncations, and truncations before all others. Rows without a time
    come last.
    """
    order = 0 if mark.source in _ROLES else 1 if mark.source in _CUTS else 2
    return mark.ts is None, mark.ts.timestamp() if mark.ts is not None else 0.0, order


def _growth(node_id: int, mark: HighWatermark, role: HighWatermark | None, cut: HighWatermark | None) -> _Growth | None:
    if role is None or mark.source in (
        *_CUTS,
        FETCHES,
    ):  # a replica that begins to fetch may have followed others since that role
        return None
    held = role.log_end_offset
    if cut is not None and cut.log_end_offset is not None and _not_before(cut.ts, role.ts):
        held = cut.log_end_offset
    reached = mark.log_end_offset if mark.source in _ROLES else greatest(mark.high_watermark, mark.log_end_offset)
    if held is None or reached is None or reached <= held:
        return None
    since = greatest(role.ts, cut.ts if cut is not None else None)
    is_leader = role.source == "leader_start"
    return _Growth(node_id, role.leader_epoch, held, reached, since, mark.ts, _event(mark), is_leader)


def _not_before(ts: datetime | None, other: datetime | None) -> bool:
    return ts is not None and other is not None and ts >= other


def _event(mark: HighWatermark) -> str | None:
    return mark.evidence[0] if mark.evidence else None


def _grown_by_leaders_commits(marks: Iterable[HighWatermark], isrs: Iterable[CommittedIsr]) -> Iterator[_Growth]:
    """How far the logs of a leader's ISR had grown: at least to its high watermark."""
    led = _Led(isrs)
    for mark in marks:
        if mark.high_watermark is None:
            continue
        for isr in led.at(mark.node_id, mark.ts):
            if mark.role == "leader" and mark.leader_epoch not in (None, isr.leader_epoch):
                continue
            for member in isr.isr:
                if member != mark.node_id:
                    yield _Growth(member, isr.leader_epoch, 0, mark.high_watermark, isr.start_ts, mark.ts, _event(mark))


def _grown_by_what_a_new_leader_learned(
    begun: Sequence[EpochLine], marks: Sequence[HighWatermark], isrs: Iterable[CommittedIsr]
) -> Iterator[_Growth]:
    """How far the log of a new leader had grown with records of the leader epoch before: up to 2.6 no line prints that a
    replica begins to follow. What was committed before a leader epoch lies below its start. A member of its ISR with a
    higher high watermark learned it from that leader, and holds the records below it.
    """
    members: dict[int | None, set[int]] = defaultdict(set)
    for isr in isrs:
        members[isr.leader_epoch].update(node for node in isr.isr or () if node != isr.leader_id)
    began = {line.leader_epoch: line for line in begun if line.epoch_start_offset is not None}
    before = {(line.node_id, line.ts): began.get(line.previous_leader_epoch) for line in begun}
    offsets = sorted((mark.ts, mark.high_watermark) for mark in marks if mark.ts and mark.high_watermark is not None)
    times, highest = [ts for ts, _ in offsets], [*accumulate((offset for _, offset in offsets), max, initial=-1)]
    for mark in marks:
        then = before.get((mark.node_id, mark.ts)) if mark.source == "leader_start" else None
        if then is None or mark.high_watermark is None or mark.node_id not in members[then.leader_epoch]:
            continue
        start = then.epoch_start_offset
        if highest[bisect_left(times, then.ts)] <= start:
            yield _Growth(mark.node_id, then.leader_epoch, start, mark.high_watermark, None, mark.ts, _event(mark))


class _Led:
    """The ISRs with several members, by leader, in the order in which they began."""

    def __init__(self, isrs: Iterable[CommittedIsr]) -> None:
        self._of_leader = OfNodes(
            (isr for isr in isrs if _has_several_members(isr)),
            lambda isr: isr.leader_id,
            lambda isr: isr.start_ts,
            lambda isr: isr.end_ts,
        )

    def at(self, leader: int, ts: datetime | None) -> list[CommittedIsr]:
        """The ISRs that a leader had at a time; without a time, those that it still had at the end."""
        not_over_at = NEVER if ts is None else ts + timedelta.resolution
        return [*self._of_leader.lasting(leader, ts, not_over_at)][::-1]


def _has_several_members(isr: CommittedIsr) -> bool:
    is_timed = isr.start_ts is not None or isr.end_ts is None
    is_led = isr.leader_id is not None and isr.leader_id >= 0
    return bool(isr.isr) and len(isr.isr) > 1 and is_led and is_timed
