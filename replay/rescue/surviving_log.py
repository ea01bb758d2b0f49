"""Which records the log of a partition still holds, by their leader epoch and offset: as `replay.reconcile` derives it
from the result, and as a saved copy of the current leader's log shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from replay.reconcile.logs import PartitionLog


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
class CopiedPart:
    """Offsets of one leader epoch in a saved copy of the log."""

    leader_epoch: int
    first_offset: int
    last_offset: int


class SurvivingLog:
    """The log of one partition after its elections, and the rows of `losses` of the topic's last life."""

    def __init__(self, log: PartitionLog, losses: Iterable[Any]) -> None:
        life = max((part.life for part in log.parts), default=0)
        led = [part for part in log.parts if part.life == life and part.leader_id != -1]
        self._written = {part.leader_epoch: part for part in led if part.leader_epoch is not None}
        self._copied: tuple[CopiedPart, ...] = ()
        self.discarded = sorted(
            (_discarded(row) for row in losses if (row.life or 0) == life),
            key=lambda one: (one.leader_epoch, one.from_offset),
        )

    @property
    def last_leader_epoch(self) -> int:
        """The last leader epoch with a leader; -1 without one."""
        return max(self._written, default=-1)

    def is_reached_by(self, last: CopiedPart) -> bool:
        """Whether a log that ends with this part is that of the last leader epoch, or ends where that one began."""
        if last.leader_epoch >= self.last_leader_epoch:
            return True
        current = self._written[self.last_leader_epoch]
        begins_there = current.is_start_known and current.from_offset == last.last_offset + 1
        return begins_there and self.holds_all(last.leader_epoch, last.last_offset, last.last_offset)

    def proven_by(self, copied: Sequence[CopiedPart]) -> SurvivingLog:
        """The same log, where a saved copy of it shows the leader epoch of each offset."""
        proven = copy(self)
        proven._copied = tuple(copied)
        return proven

    def holds(self, leader_epoch: int, offset: int) -> bool | None:
        """Whether the log still holds the record; None if neither the result nor a saved copy can tell."""
        for part in self._copied:
            if part.first_offset <= offset <= part.last_offset:
                return part.leader_epoch == leader_epoch
        written = self._written.get(leader_epoch)
        if written is None:
            return None
        if offset < written.kept_low:
            return True
        return False if offset >= written.kept_high else None

    def holds_all(self, leader_epoch: int, first_offset: int, last_offset: int) -> bool:
        """Whether the log certainly still holds all records of a range of one leader epoch."""
        shared = [
            part for part in self._copied if part.first_offset <= last_offset and first_offset <= part.last_offset
        ]
        if any(part.leader_epoch != leader_epoch for part in shared):
            return False
        if any(part.first_offset <= first_offset and last_offset <= part.last_offset for part in shared):
            return True
        written = self._written.get(leader_epoch)
        return written is not None and last_offset < written.kept_low

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
