"""Where the old leader's log and the new one's part."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from replay.facts.order import less, nulls_first
from replay.facts.times import first_known, least
from replay.histories.marks import ENDS, Mark, Marks
from replay.histories.partition import CLEAN, Partition, has_leader
from replay.histories.roles import Roles

if TYPE_CHECKING:
    from replay.histories.changes import Change, NewLog, OldLog


@dataclass(frozen=True, slots=True)
class Parted:
    """Where two logs part (`offset`), the line that tells it where it is a leader epoch's begin (`event`), whether that
    is more than a bound from above (`is_sure`), and whether the two go on with different records (`forked`).
    """

    offset: int | None
    event: str | None
    is_sure: bool
    forked: bool


@dataclass(frozen=True, slots=True)
class _Begun:
    """A leader epoch with a leader: where it began, and a line that tells so."""

    leader_epoch: int
    leader_id: int
    offset: int | None
    event: str | None


@dataclass(frozen=True, slots=True)
class _Walk:
    """What a walk back from two logs found: the first leader epoch that only one of them has, if any."""

    apart: _Begun | None


def parted(change: Change, old: OldLog, new: NewLog, n_old: int | None, branching: Branching) -> Parted:
    """Where the old leader's log and the new one's part.

    Mostly it is the shorter log's end. Where only one of them has leader epochs in between, it is the first of them
    (`Branching.walk`). Where the old leader comes to follow the new one and cuts its log by leader epochs, the cut is
    exact. Where it cuts only to its own high watermark, beyond that offset, the two logs go on with different records
    (KIP-101, scenario 2).
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
    offset = _cut_in_its_stead(change, old) if start is None else least(ends, first_known(cut, apart))
    is_sure = cut is not None or walk is not None or missed is None or ends is None or missed >= ends
    own_hw = None if old.by_hw is None else old.by_hw.high_watermark
    return Parted(offset, event, is_sure, less(offset, own_hw))


def _cut_by_leader_epochs(change: Change, old: OldLog) -> int | None:
    if old.cut is None or old.by_hw is not None or old.cut.leader_epoch != change.leader_epoch:
        return None
    return old.cut.truncation_offset


def _cut_in_its_stead(change: Change, old: OldLog) -> int | None:
    """The old leader's cut, where no line tells from where the new one led.

    A leader who may hold less than this one did has other logs cut to what it holds: that tells nothing of where this
    one began.
    """
    if old.cut is None:
        return None
    if change.given_up_epoch is None or less(old.cut.leader_epoch, change.given_up_epoch):
        return old.cut.truncation_offset
    return None


def _start_of_missed(change: Change, new: NewLog, branching: Branching) -> int | None:
    """The least start of the leader epochs of which the new leader may hold nothing.

    A new leader that missed leader epochs holds nothing of them, nor does one that began to follow one and never came
    to cut its log. Its log may go on past the start of the first one with records of its own (facts §3.1).
    """
    if new.last_epoch is None:
        return None
    last_start = branching.start_of(new.last_epoch, change)
    not_cut = less(last_start, new.began) and not new.was_cut
    since = 0 if not_cut or _out_of_touch(change, new) else new.last_epoch
    return branching.least_start(since, change.leader_epoch)


def _out_of_touch(change: Change, new: NewLog) -> bool:
    """With an unclean election in between the old leader, too, may lack what the new one holds: then they surely
    share only what came before all changes.
    """
    if change.row.elected_from in CLEAN or change.border is None:
        return False
    border = change.border.leader_epoch
    return less(new.last_epoch, border) or (new.last_epoch == border and not new.was_cut)


class Branching:
    """From which leader epoch each replica's log of one partition came when."""

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
        self._untold: dict[int, list[int]] = {}
        for node_id, own in marks.items():
            ends = sorted((mark for mark in own if mark.source in ENDS), key=_in_time)
            self._held[node_id] = sorted(self._epochs_held(ends))
            taken = {role.leader_epoch for role in roles.get(node_id, ())}
            told = {mark.leader_epoch for mark in ends}
            self._untold[node_id] = sorted({*(taken - told), *self._epochs_passed(ends)})

    def _epochs_held(self, ends: Sequence[Mark]) -> Iterator[int]:
        """The leader epochs with whose leader a replica's log surely agreed: it led, or cut its log to follow, or its
        log grew while it followed.

        A follower whose log did not change holds what it held before, whether or not it ever reached its leader.
        """
        for mark, then in pairwise([*ends, None]):
            if mark is None or mark.leader_epoch is None:
                continue
            if mark.source in ("leader_start", "log_truncated_to") or _grew(mark, then):
                yield mark.leader_epoch

    def _epochs_passed(self, ends: Sequence[Mark]) -> Iterator[int]:
        """The leader epochs of which a log may hold records though no line of its broker names them: it grew past
        where they began.
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
        """Where a leader epoch before the change began."""
        begun = self._by_epoch.get(leader_epoch)
        return None if begun is None or leader_epoch >= change.leader_epoch else begun.offset

    def least_start(self, since_epoch: int, before_epoch: int) -> int | None:
        """The least start of the leader epochs after `since_epoch` and before `before_epoch`."""
        first, end = bisect_right(self._epochs, since_epoch), bisect_left(self._epochs, before_epoch)
        return least(*[begun.offset for begun in self._begun[first:end]])

    def came_from(self, node_id: int, before_epoch: int) -> int | None:
        """The last leader epoch before `before_epoch` from whose leader a replica's log came; None if nobody knows."""
        held, untold = self._held.get(node_id, []), self._untold.get(node_id, [])
        at = bisect_left(held, before_epoch)
        if not at:
            return None
        last = held[at - 1]
        between = bisect_left(untold, before_epoch) > bisect_right(untold, last)
        return None if between else last

    def walk(self, change: Change) -> _Walk | None:
        """Back from the old and the new leader's log through the leaders that each came from, to the leader epoch that
        both have; None where it does not come to an end.

        Where replicas follow without leader epochs, and are cut to high watermarks, no log tells from whom it came.
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
    """A log had grown while its broker followed, when that took on its next role."""
    return mark.source == "follower_start" and then is not None and less(mark.log_end_offset, then.log_end_offset)


def _earlier(one: _Begun | None, other: _Begun) -> _Begun | None:
    """Whichever began at the least offset; one whose offset is not known counts for nothing."""
    if other.offset is None:
        return one
    both = [begun for begun in (one, other) if begun is not None]
    return min(both, key=lambda begun: nulls_first(begun.offset, begun.event))
