"""The replicas that held lost records, and when each truncated them: the records are lost with the last copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, plus_millis
from replay.histories.partition import Partition
from replay.histories.roles import Roles, around
from replay.offsets.follower_rules import BY_HIGH_WATERMARK
from replay.tables.losses import Loss
from replay.tables.offsets import Truncation


@dataclass(frozen=True, slots=True)
class CutCopy:
    """A replica that truncated lost records: it had held them up to `to_offset`, at least."""

    node_id: int
    ts: datetime
    to_offset: int
    event_id: str


def cut_copies(loss: Loss, partition: Partition, roles: Roles) -> list[CutCopy]:
    """Each replica's first truncation of some of the records after the election, in the order of time."""
    copies = [
        cut
        for node_id, cuts in by_key(_since_election(loss, partition.truncations), lambda cut: cut.node_id).items()
        if (cut := _cut_copy(loss, node_id, cuts, roles)) is not None
    ]
    return sorted(copies, key=lambda copy: (copy.ts, copy.node_id))


def _since_election(loss: Loss, truncations: Iterable[Truncation]) -> list[Truncation]:
    since = (cut for cut in truncations if at_most(loss.ts, plus_millis(cut.ts, CLOCKS_DIFFER_MS)))
    return sorted(since, key=lambda cut: cut.ts)


def _cut_copy(loss: Loss, node_id: int, cuts: Sequence[Truncation], roles: Roles) -> CutCopy | None:
    if node_id == loss.old_leader_id:
        cut = next((cut for cut in cuts if _cuts_into(loss, cut)), None)
    else:
        cut = cuts[0] if _is_of_copy(loss, cuts[0], roles) else None
    return None if cut is None else CutCopy(node_id, cut.ts, _held_to(cut), (cut.evidence or [""])[0])


def _is_of_copy(loss: Loss, cut: Truncation, roles: Roles) -> bool:
    """Whether a replica that did not lead truncated records of the range: as it first followed after the election.
    A truncation to its own high watermark may be of records that it fetched since.
    """
    first = around(roles.get(cut.node_id, ()), loss.leader_epoch).first
    if cut.node_id == loss.new_leader_id or first is None or not first.is_logged:
        return False
    if cut.by_recovery is not False or cut.rule == BY_HIGH_WATERMARK:
        return False
    if cut.leader_epoch not in (None, first.leader_epoch):
        return False
    return _cuts_into(loss, cut) and less(loss.from_offset, _held_to(cut))


def _cuts_into(loss: Loss, cut: Truncation) -> bool:
    """Where no end of the range is known, a truncation above its begin may be of later records."""
    end = _end(loss)
    if end is None:
        return at_most(cut.truncation_offset, loss.from_offset)
    return less(cut.truncation_offset, min(_held_to(cut), end))


def _held_to(cut: Truncation) -> int:
    """From 0.11 on Kafka logs the line only if the log was longer (`Log.truncateTo`)."""
    return first_known(cut.log_end_offset, cut.truncation_offset + 1) or 0


def _end(loss: Loss) -> int | None:
    """Where the range ends, or up to where records were certainly discarded; None where none is known to be."""
    end = first_known(loss.to_offset_high, greatest(loss.to_offset_low, loss.discarded_to_offset))
    return end if less(loss.from_offset, end) else None
