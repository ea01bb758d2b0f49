"""Verdicts that need other records: the order of records around a loss, and whether an offset holds another record."""

from __future__ import annotations

from collections.abc import Sequence

from replay.reconcile.cells import GONE, KEPT, REWRITTEN, Cell
from replay.reconcile.logs import UNBOUNDED, PartitionLog
from replay.reconcile.order import Contested, narrowed

_BEYOND = 1_000  # offsets beyond a contested range whose records help to order it


def range_to_settle(log: PartitionLog, cells: Sequence[Cell]) -> tuple[int, int] | None:
    """The offsets of one partition whose records are settled together; None if no cell needs that."""
    need = [cell for cell in cells if cell.is_contested or cell.verdict == GONE]
    if not need:
        return None
    lows = [log.parts[max(cell.parts)].from_offset if cell.is_contested else cell.from_offset for cell in need]
    high = max(cell.to_offset for cell in need)
    return min(lows), min(UNBOUNDED, high + _BEYOND)


def settled(
    log: PartitionLog,
    cells: Sequence[Cell],
    records: tuple[Sequence[int], Sequence[int], Sequence[int]],
    known_end: int,
) -> tuple[list[str], list[bool]]:
    """The verdict of each record of one partition's range, and whether the order of the records gave it.

    `records` has the time, the offset and the cell of each. The surviving log reaches `known_end` at least.
    """
    ts, offsets, at = records
    verdicts = [cells[cell].verdict for cell in at]
    by_order = [False] * len(verdicts)
    if any(cells[cell].is_contested for cell in set(at)):
        ranges = {n: (part.from_offset, part.to_offset) for n, part in enumerate(log.parts)}
        contested = [
            Contested(when, offset, cells[cell].parts) for when, offset, cell in zip(ts, offsets, at, strict=True)
        ]
        possible = narrowed(contested, ranges)
        for place, (cell, parts) in enumerate(zip((cells[n] for n in at), possible, strict=True)):
            left = {verdict for part, verdict in zip(cell.parts, cell.by_part, strict=True) if part in parts}
            if cell.is_contested and len(left) == 1:
                verdicts[place], by_order[place] = left.pop(), True
    kept = (offset + 1 for offset, verdict in zip(offsets, verdicts, strict=True) if verdict == KEPT)
    end = max(known_end, max(kept, default=0))
    for place, offset in enumerate(offsets):
        if verdicts[place] == GONE and offset < end:
            verdicts[place] = REWRITTEN
    return verdicts, by_order
