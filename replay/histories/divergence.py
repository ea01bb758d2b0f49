"""The offset at which the old leader's log and the new leader's log diverge."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from replay.facts.order import at_most, less, nulls_first
from replay.facts.times import first_known, least
from replay.histories.marks import ENDS, Mark, Marks
from replay.histories.partition import CLEAN, Partition, has_leader
from replay.histories.roles import Roles

if TYPE_CHECKING:
    from replay.histories.changes import Change, NewLog, OldLog


@dataclass(frozen=True, slots=True)
class Divergence:
    """The offset at which two logs diverge; the line that shows it if it is the start of a leader epoch (`event`);
    whether it is exact and not only an upper bound (`is_sure`); and whether both logs continue with different records
    (`forked`).
    """

    offset: int | None
    event: str | None
    is_sure: bool
    forked: bool


@dataclass(frozen=True, slots=True)
class _Begun:
    """The start of a leader epoch with a leader, and the line that shows it."""

    leader_epoch: int
    leader_id: int
    offset: int | None
    event: str | None


@dataclass(frozen=True, slots=True)
class _Walk:
    """The result of a walk back from two logs: the first leader epoch that only one of them has, if any."""

    apart: _Begun | None


def log_divergence(change: Change, old: OldLog, new: NewLog, n_old: int | None, branching: Branching) -> Divergence:
    """The offset at which the old leader's log and the new leader's log diverge.

    Usually it is the end of the shorter log. If only one of them has leader epochs in between, it is the start of the
    first of these (`Branching.walk`). If the old leader follows the new one and truncates by leader epochs, the
    truncation is exact. If it truncates only to its own high watermark, beyond that offset, both logs continue with
    different records (KIP-101, scenario 2).
    """
    start = change.row.epoch_start_offset
    ends = least(start, n_old)
    cut = _cut_by_leader_epochs(change, old)
    walk = branching.walk(change)
    missed = _start_of_missed(change, new, branching)
    event = None
    if walk is not None:
        apart = None if walk.apart is None else walk.apart.offset
        if cut is None and less(apart, ends) and walk.apart is not None:
            event = walk.apart.event
    else:
        apart = missed
    in_stead = first_known(_cut_in_its_stead(change, old), n_old if at_most(n_old, new.shared) else None)
    offset = in_stead if start is None else least(ends, first_known(cut, apart))
    is_sure = cut is not None or walk is not None or missed is None or ends is None or missed >= ends
    own_hw = None if old.by_hw is None else old.by_hw.high_watermark
    return Divergence(offset, event, is_sure, less(offset, own_hw))


def _cut_by_leader_epochs(change: Change, old: OldLog) -> int | None:
    if old.cut is None or old.by_hw is not None or old.cut.leader_epoch != change.leader_epoch:
        return None
    return old.cut.truncation_offset


def _cut_in_its_stead(change: Change, old: OldLog) -> int | None:
    """The old leader's truncation, if no line shows from which offset the new leader led.

    Later leaders that may have fewer records make other replicas truncate to their own end: that says nothing about the
    start of this leader epoch, and no more does a truncation to the own high watermark.
    """
    if old.cut is None or old.by_hw is not None or old.cuts_by_hw:
        return None
    if change.given_up_epoch is None or less(old.cut.leader_epoch, change.given_up_epoch):
        return old.cut.truncation_offset
    return None


def _start_of_missed(change: Change, new: NewLog, branching: Branching) -> int | None:
    """The smallest start of the leader epochs from which the new leader may have no record.

    A new leader has no record of leader epochs that it missed. The same holds if it began to follow a leader epoch and
    never truncated its log. Its log can continue beyond the start of the first such epoch with other records (facts
    §3.1).
    """
    if new.last_epoch is None:
        return None
    last_start = branching.start_of(new.last_epoch, change)
    not_cut = less(last_start, new.began) and not new.was_cut
    since = 0 if not_cut or _out_of_touch(change, new) else new.last_epoch
    return branching.least_start(since, change.leader_epoch)


def _out_of_touch(change: Change, new: NewLog) -> bool:
    """Whether the old leader, too, may lack records of the new one, after an unclean election in between: then they
    certainly share only the records from before all changes.
    """
    if change.row.elected_from in CLEAN or change.border is None:
        return False
    border = change.border.leader_epoch
    return less(new.last_epoch, border) or (new.last_epoch == border and not new.was_cut)


class Branching:
    """For each replica of one partition: the leader epoch from whose leader its log came, and when."""

    def __init__(self, partition: Partition, marks: Marks, roles: Roles) -> None:
        self._begun = [
            _Begun(row.leader_epoch, row.leader_id, row.epoch_start_offset, row.evidence[0] if row.evidence else None)
            for row in partition.leader_epochs
            if has_leader(row)
        ]
        self._by_epoch = {begun.leader_epoch: begun for begun in self._begun}
        self._epochs = [begun.leader_epoch for begun in self._begun]
        self.without_leader_epochs = any(
            mark.source == "truncation_to_hw" and less(0, mark.high_watermark) for own in marks.values() for mark in own
        )
        self._held: dict[int, list[int]] = {}
        self._unlogged: dict[int, list[int]] = {}
        for node_id, own in marks.items():
            ends = sorted((mark for mark in own if mark.source in ENDS), key=_in_time)
            self._held[node_id] = sorted(self._epochs_held(ends))
            taken = {role.leader_epoch for role in roles.get(node_id, ())}
            logged = {mark.leader_epoch for mark in ends}
            self._unlogged[node_id] = sorted({*(taken - logged), *self._epochs_passed(ends)})

    def _epochs_held(self, ends: Sequence[Mark]) -> Iterator[int]:
        """The leader epochs with whose leader a replica's log certainly agreed: the replica led, or truncated its log
        to follow, or its log grew while it followed.

        A follower whose log did not change keeps its earlier records, whether or not it ever reached its leader.
        """
        for mark, then in pairwise([*ends, None]):
            if mark is None or mark.leader_epoch is None:
                continue
            if mark.source in ("leader_start", "log_truncated_to") or _grew(mark, then):
                yield mark.leader_epoch

    def _epochs_passed(self, ends: Sequence[Mark]) -> Iterator[int]:
        """The leader epochs from which a log may have records although no line of its broker names them, because it
        grew beyond their start.
        """
        for mark, then in pairwise(ends):
            if mark.leader_epoch is None or then.leader_epoch is None or then.log_end_offset is None:
                continue
            if mark.source == "leader_start" or _grew(mark, then):
                first = bisect_right(self._epochs, mark.leader_epoch)
                for begun in self._begun[first : bisect_left(self._epochs, then.leader_epoch)]:
                    if less(begun.offset, then.log_end_offset):
                        yield begun.leader_epoch

    def start_of(self, leader_epoch: int, change: Change) -> int | None:
        """The start of a leader epoch before the change."""
        begun = self._by_epoch.get(leader_epoch)
        return None if begun is None or leader_epoch >= change.leader_epoch else begun.offset

    def least_start(self, since_epoch: int, before_epoch: int) -> int | None:
        """The least start of the leader epochs after `since_epoch` and before `before_epoch`."""
        first, end = bisect_right(self._epochs, since_epoch), bisect_left(self._epochs, before_epoch)
        return least(*[begun.offset for begun in self._begun[first:end]])

    def came_from(self, node_id: int, before_epoch: int) -> int | None:
        """The last leader epoch before `before_epoch` from whose leader a replica's log came; None if unknown."""
        held, unlogged = self._held.get(node_id, []), self._unlogged.get(node_id, [])
        at = bisect_left(held, before_epoch)
        if not at:
            return None
        last = held[at - 1]
        between = bisect_left(unlogged, before_epoch) > bisect_right(unlogged, last)
        return None if between else last

    def walk(self, change: Change) -> _Walk | None:
        """Walks back from the old and the new leader's log, through the leaders from which each came, to the leader
        epoch that both have; None if that is unknown.

        If replicas follow without leader epochs, and truncate to high watermarks, no line shows from whom a log came.
        """
        if self.without_leader_epochs:
            return None
        old = self.came_from(change.old_leader, change.leader_epoch)
        new = self.came_from(change.new_leader, change.leader_epoch)
        apart: _Begun | None = None
        while old != new:
            begun = None if old is None or new is None else self._by_epoch.get(max(old, new))
            if begun is None:
                return None
            apart = _earlier(apart, begun)
            back = self.came_from(begun.leader_id, begun.leader_epoch)
            old, new = (back if epoch == begun.leader_epoch else epoch for epoch in (old, new))
        return None if old is None else _Walk(apart)


def _in_time(mark: Mark) -> tuple[tuple[bool, object], ...]:
    return nulls_first(mark.ts, mark.leader_epoch, mark.source, mark.log_end_offset)


def _grew(mark: Mark, then: Mark | None) -> bool:
    """Whether a log had grown while its broker followed, by the time it took on its next role."""
    return mark.source == "follower_start" and then is not None and less(mark.log_end_offset, then.log_end_offset)


def _earlier(one: _Begun | None, other: _Begun) -> _Begun | None:
    """The one with the smaller start offset; an unknown offset does not count."""
    if other.offset is None:
        return one
    both = [begun for begun in (one, other) if begun is not None]
    return min(both, key=lambda begun: nulls_first(begun.offset, begun.event))
