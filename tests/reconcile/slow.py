"""The verdicts record by record, without arrays: slow, and plain to see. The fast ways are held against them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.reconciliation.questions import Clocks, Kind
from replay.reconcile.cells import GONE, KEPT, REWRITTEN, UNDECIDED, Cell, cells
from replay.reconcile.logs import PartitionLog

_JITTER = 500_000  # microseconds within which acknowledgements can arrive in any order
_ROUNDS = 8
_BEYOND = 1_000


@dataclass
class Contested:
    """A record that can belong to several parts of the log."""

    ts: int
    offset: int
    parts: tuple[int, ...]


def narrowed(records: Sequence[Contested], offsets_of: Mapping[int, tuple[int, int]]) -> list[tuple[int, ...]]:
    """The parts that each record can belong to, given all the others; `offsets_of` has the offsets of each part."""
    possible = [record.parts for record in records]
    for _ in range(_ROUNDS):
        sure = {
            part: _Sure(
                [
                    (record.ts, record.offset)
                    for record, parts in zip(records, possible, strict=True)
                    if parts == (part,)
                ]
            )
            for part in {part for parts in possible for part in parts}
        }
        now = [
            parts
            if len(parts) < 2
            else tuple(part for part in parts if sure[part].allows(record.ts, record.offset)) or parts
            for record, parts in zip(records, possible, strict=True)
        ]
        if now == possible:
            break
        possible = now
    return _by_fall(records, possible, offsets_of)


def _by_fall(
    records: Sequence[Contested], possible: list[tuple[int, ...]], offsets_of: Mapping[int, tuple[int, int]]
) -> list[tuple[int, ...]]:
    """Where the offsets of the records that are left fall once while time rises, their producer, or their consumer, changed
    to the leader of the latest leader epoch: it does not return to that of an earlier one. The offsets of the earlier
    parts must rise, so that only this change lets them fall.
    """
    left = sorted((record.ts, record.offset, n) for n, record in enumerate(records) if len(possible[n]) > 1)
    latest = {max(possible[n]) for _, _, n in left}
    earlier = sorted({part for _, _, n in left for part in possible[n]} - latest)
    if len(latest) != 1 or any(offsets_of[then][0] < offsets_of[one][1] for one, then in pairwise(earlier)):
        return possible
    falls = [n for n, (one, then) in enumerate(pairwise(left), 1) if then[1] <= one[1] and then[0] > one[0]]
    if len(falls) != 1:
        return possible
    for n, (_, _, place) in enumerate(left):
        possible[place] = tuple(part for part in possible[place] if (part in latest) == (n >= falls[0]))
    return possible


class _Sure:
    """The records that certainly belong to one part."""

    def __init__(self, records: list[tuple[int, int]]) -> None:
        records.sort()
        self._times = [ts for ts, _ in records]
        self._at: dict[int, int] = {}
        self._highest: list[int] = []  # of the records up to each
        for ts, offset in records:
            self._highest.append(max(offset, self._highest[-1] if self._highest else -1))
            self._at.setdefault(offset, ts)
        lowest: list[int] = []  # of the records from each on
        for _, offset in reversed(records):
            lowest.append(min(offset, lowest[-1] if lowest else offset))
        self._lowest = lowest[::-1]

    def allows(self, ts: int, offset: int) -> bool:
        """Whether another record can belong to this part too."""
        if offset in self._at:
            return self._at[offset] == ts  # the same acknowledgement twice
        before = bisect_left(self._times, ts - _JITTER)
        after = bisect_right(self._times, ts + _JITTER)
        if before and self._highest[before - 1] > offset:
            return False
        return not (after < len(self._times) and self._lowest[after] < offset)


@dataclass
class Record:
    """A record as an application kept it, and what becomes of it."""

    topic: str
    partition: int
    offset: int
    ts: int | None = None
    client: str = ""
    leader_epoch: int = -1
    acks_all: bool = False
    verdict: str = UNDECIDED
    cell: Cell | None = None


def judge(records: Sequence[Record], logs: Mapping[tuple[str, int], PartitionLog], clocks: Clocks) -> list[str]:
    """The verdict of each record."""
    for one in records:
        log = logs.get((one.topic, one.partition))
        kind = Kind(one.topic, one.partition, one.client, one.leader_epoch, one.acks_all, one.ts is not None)
        for cell in [] if log is None else cells(log, clocks.asked(kind)):
            if cell.from_offset <= one.offset < cell.to_offset and cell.from_ts <= (one.ts or 0) < cell.to_ts:
                one.cell, one.verdict = cell, cell.verdict
    for key in {(one.topic, one.partition, one.client) for one in records}:
        mine = [one for one in records if (one.topic, one.partition, one.client) == key]
        _order([one for one in mine if one.ts is not None and one.cell is not None], logs)
        _retried(mine, logs)
    for one in records:
        kept = [it.offset for it in records if (it.topic, it.partition, it.verdict) == (one.topic, one.partition, KEPT)]
        if one.verdict == GONE and one.offset < max(
            [logs[one.topic, one.partition].known_end, *(at + 1 for at in kept)]
        ):
            one.verdict = REWRITTEN
    return [one.verdict for one in records]


def _retried(mine: list[Record], logs: Mapping[tuple[str, int], PartitionLog]) -> None:
    """Leave the first gone records of a leader undecided, as many as the leader before stored without acknowledgement."""
    log = logs[mine[0].topic, mine[0].partition]
    led = [n for n, part in enumerate(log.parts) if part.leader_id != -1]
    for old, new in pairwise(led):
        part, after = log.parts[old], log.parts[new]
        end = min(part.kept_low, after.from_offset)
        before = [one for one in mine if one.cell is not None and old in one.cell.parts]
        kept = [one.offset for one in before if one.offset < end and one.cell and one.cell.verdict == KEPT]
        is_shown = part.is_known and after.is_known and after.is_start_known and part.life == after.life
        if is_shown and kept and all(one.offset < end for one in before):
            for one in mine:
                mine_only = one.cell is not None and new in one.cell.parts and old not in one.cell.parts
                is_first = one.offset < after.from_offset + end - 1 - max(kept)
                if mine_only and is_first and one.leader_epoch < 0 and one.verdict == GONE:
                    one.verdict = UNDECIDED


def _order(mine: list[Record], logs: Mapping[tuple[str, int], PartitionLog]) -> None:
    contested = [one for one in mine if one.cell is not None and one.cell.is_contested]
    if not contested:
        return
    log = logs[contested[0].topic, contested[0].partition]
    found = [one.cell for one in contested if one.cell is not None]
    low = min([one.offset for one in contested] + [log.parts[max(cell.parts)].from_offset for cell in found])
    high = max(cell.to_offset for cell in found) + _BEYOND
    near = [one for one in mine if low <= one.offset < high]
    asked = [Contested(one.ts or 0, one.offset, one.cell.parts if one.cell else ()) for one in near]
    left = narrowed(asked, {n: (part.from_offset, part.to_offset) for n, part in enumerate(log.parts)})
    for one, parts in zip(near, left, strict=True):
        if one.cell is not None and one.cell.is_contested:
            of_parts = {said for n, said in zip(one.cell.parts, one.cell.by_part, strict=True) if n in parts}
            one.verdict = of_parts.pop() if len(of_parts) == 1 else one.verdict
