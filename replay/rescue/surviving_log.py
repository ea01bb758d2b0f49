"""Which records the log of a partition still holds, by their leader epoch and offset.

A record is in the log that survived if no later leader began to lead at or below its offset: a leader's log ends where
it begins to lead, so a record above that point was not in it (facts §3.2). An election from outside the ISR can also
discard records below that point; the losses show these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Discarded:
    """One range of discarded records, as a row of `losses` shows it: [from_offset, to_sure) for sure, up to `to_most`
    (None: without bound). `committed_to`: records from there on were never committed, if the row shows that.
    """

    leader_epoch: int
    from_offset: int
    to_sure: int
    to_most: int | None
    is_uncommitted: bool
    verdict: str
    premise: str
    evidence: tuple[str, ...]

    def is_sure(self, leader_epoch: int, offset: int) -> bool:
        return leader_epoch < self.leader_epoch and self.from_offset <= offset < self.to_sure

    def is_possible(self, leader_epoch: int, offset: int) -> bool:
        below = self.to_most is None or offset < self.to_most
        return leader_epoch < self.leader_epoch and self.from_offset <= offset and below


@dataclass(frozen=True, slots=True)
class Part:
    """Offsets of one leader epoch in a saved copy of the log."""

    leader_epoch: int
    first_offset: int
    last_offset: int


class SurvivingLog:
    """The log of one partition after its elections, from rows of `leader_epochs` and `losses` of the topic's last
    life.
    """

    def __init__(self, leader_epochs: Iterable[Any], losses: Iterable[Any]) -> None:
        rows = sorted(leader_epochs, key=lambda row: row.leader_epoch)
        led = [row for row in rows if row.leader_id is None or row.leader_id >= 0]
        self._starts = [(row.leader_epoch, row.epoch_start_offset) for row in led]
        self._parts: tuple[Part, ...] = ()
        self.discarded = sorted(map(_discarded, losses), key=lambda one: (one.leader_epoch, one.from_offset))

    @property
    def last_leader_epoch(self) -> int:
        """The last leader epoch with a leader; -1 without one."""
        return max((epoch for epoch, _ in self._starts), default=-1)

    def proven_by(self, parts: Sequence[Part]) -> SurvivingLog:
        """The same log, where a saved copy of it shows the leader epoch of each offset."""
        proven = copy(self)
        proven._parts = tuple(parts)
        return proven

    def holds(self, leader_epoch: int, offset: int) -> bool | None:
        """Whether the log still holds the record; None if neither the result nor a saved copy can tell."""
        for part in self._parts:
            if part.first_offset <= offset <= part.last_offset:
                return part.leader_epoch == leader_epoch
        later = [start for epoch, start in self._starts if epoch > leader_epoch]
        if any(start is not None and start <= offset for start in later):
            return False
        if any(one.is_sure(leader_epoch, offset) for one in self.discarded):
            return False
        unknown = None in later or any(one.is_possible(leader_epoch, offset) for one in self.discarded)
        return None if unknown else True

    def loss_of(self, leader_epoch: int, offset: int) -> Discarded | None:
        """The range that a discarded record lies in: the earliest election that discarded it."""
        sure = (one for one in self.discarded if one.is_sure(leader_epoch, offset))
        possible = (one for one in self.discarded if one.is_possible(leader_epoch, offset))
        return next(sure, None) or next(possible, None)

    @property
    def first_lost(self) -> int | None:
        """The first offset of all ranges; None without one."""
        return min((one.from_offset for one in self.discarded), default=None)


_KEEPS = ("NO_COMMITTED_LOSS_BY_PROTOCOL", "NO_LOSS_OBSERVED")


def _discarded(row: Any) -> Discarded:
    ends = (row.to_offset_low, row.discarded_to_offset)
    sure = max((end for end in ends if end is not None), default=row.from_offset)
    open_ended = row.to_offset_high is None and row.verdict not in _KEEPS
    most = None if open_ended else max(row.to_offset_high or row.from_offset, sure)
    return Discarded(
        row.leader_epoch,
        row.from_offset,
        sure,
        most,
        row.loss_class == "acked_possible",
        row.verdict or "",
        row.premise or "",
        tuple(row.evidence or ()),
    )


def rows_of_last_life(rows: Sequence[Any]) -> list[Any]:
    """The rows about the last topic of this name."""
    last = max((row.life for row in rows if row.life is not None), default=None)
    return [row for row in rows if row.life is None or row.life == last]
