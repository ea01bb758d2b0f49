"""Verdicts that need other records: the order of records around a loss, and whether an offset holds another record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pipelines.reconciliation.order import matrix, narrowed
from pipelines.reconciliation.partition_logs import Key
from pipelines.reconciliation.questions import CellTable, Logs
from replay.reconcile.cells import KEPT, Cell
from replay.reconcile.logs import UNBOUNDED, EpochPart, PartitionLog

_BEYOND = 1_000  # offsets beyond a contested range whose records help to order it


class Seen(NamedTuple):
    """What the records of one cell reach; the times are None for records without time."""

    lowest: int
    highest: int
    first: int | None
    last: int | None


@dataclass(frozen=True)
class Contest:
    """Records of one client and partition that the order of its records can decide."""

    topic: str
    partition: int
    client: str
    from_offset: int  # the records from here
    to_offset: int  # to here tell their order
    seen: Seen  # the contested ones


def contests(table: CellTable, logs: Logs, seen: Mapping[int, Seen]) -> list[Contest]:
    """What is to be settled: one contest for each client and partition that has contested records with a time."""
    grouped: dict[tuple[str, int, str], list[tuple[Cell, Seen]]] = {}
    for number, reach in seen.items():
        cell = table.cells[number]
        if cell.is_contested and reach.first is not None:
            grouped.setdefault((cell.topic, cell.partition, table.clients[number]), []).append((cell, reach))
    return [_contest(key, own, logs[key[:2]]) for key, own in sorted(grouped.items())]


def _contest(key: tuple[str, int, str], own: list[tuple[Cell, Seen]], log: PartitionLog) -> Contest:
    low = min(log.parts[max(cell.parts)].from_offset for cell, _ in own)
    high = min(UNBOUNDED, max(cell.to_offset for cell, _ in own) + _BEYOND)
    reach = [one for _, one in own]
    return Contest(
        *key,
        min(low, *(one.lowest for one in reach)),
        high,
        Seen(
            min(one.lowest for one in reach),
            max(one.highest for one in reach),
            min(one.first or 0 for one in reach),
            max(one.last or 0 for one in reach),
        ),
    )


def by_order(
    log: PartitionLog, cells: list[Cell], ts: np.ndarray, offset: np.ndarray, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The places of the records of one client and partition that their order decides, and the verdict of each.

    `at` has the cell of each record.
    """
    used = np.unique(at).tolist()
    possible, parts = matrix({cell: cells[cell].parts for cell in used}, at)
    left = narrowed(ts, offset, possible, [(log.parts[n].from_offset, log.parts[n].to_offset) for n in parts])
    places, verdicts = [], []
    for cell in (cell for cell in used if cells[cell].is_contested):
        mine = np.flatnonzero(at == cell)
        by_part = dict(zip(cells[cell].parts, cells[cell].by_part, strict=True))
        names = sorted(set(by_part.values()))
        gives = np.array([[by_part.get(part) == name for part in parts] for name in names])
        remains = left[mine] @ gives.T
        decided = remains.sum(axis=1) == 1
        places.append(mine[decided])
        verdicts.append(np.array(names, dtype=object)[np.argmax(remains[decided], axis=1)])
    return np.concatenate(places), np.concatenate(verdicts)


def retried_to(table: CellTable, logs: Logs, seen: Mapping[int, Seen]) -> dict[int, int]:
    """By cell: up to which offset its gone records can be second copies of records that are kept.

    The surviving log of a leader can end with records that it did not acknowledge any more. The producer sends them
    again to the next leader, which stores them first. As many of its first records can be such copies as offsets have
    no acknowledgement.
    """
    grouped: dict[tuple[str, int, str], list[int]] = {}
    for number in seen:
        cell = table.cells[number]
        grouped.setdefault((cell.topic, cell.partition, table.clients[number]), []).append(number)
    found: dict[int, int] = {}
    for (topic, partition, _), own in grouped.items():
        parts = [(n, part) for n, part in enumerate(logs[topic, partition].parts) if part.leader_id != -1]
        for (old, before), (new, after) in pairwise(parts):
            count = _without_acknowledgement(table, seen, own, (old, before), after)
            for number in own if count else ():
                cell = table.cells[number]
                if new in cell.parts and old not in cell.parts and cell.leader_epoch is None:
                    found[number] = max(found.get(number, 0), after.from_offset + count)
    return found


def _without_acknowledgement(
    table: CellTable, seen: Mapping[int, Seen], own: list[int], old: tuple[int, EpochPart], after: EpochPart
) -> int:
    """How many offsets at the end of what survived of a part have no acknowledgement in the cells of one client; 0 if it
    has none of the part at all, or one from above.
    """
    part = old[1]
    end = min(part.kept_low, after.from_offset)
    if not (part.is_known and after.is_known and after.is_start_known) or part.life != after.life:
        return 0
    mine = [number for number in own if old[0] in table.cells[number].parts]
    kept = [
        seen[number].highest
        for number in mine
        if table.cells[number].to_offset <= end and table.cells[number].verdict == KEPT
    ]
    if not kept or any(table.cells[number].from_offset >= end for number in mine):
        return 0
    return end - 1 - max(kept)


def ends(logs: Logs, kept: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """Up to which offset each surviving log certainly holds records: below it, what is gone has been replaced. `kept` has
    partitions with offsets that are kept.
    """
    found = {key: log.known_end for key, log in logs.items()}
    for key, offset in kept:
        found[key] = max(found[key], offset + 1)
    return found


def kept_in_cells(table: CellTable, seen: Mapping[int, Seen]) -> Iterable[tuple[Key, int]]:
    """The last offset of each cell whose records are kept, with its partition."""
    for number, reach in seen.items():
        cell = table.cells[number]
        if cell.verdict == KEPT:
            yield (cell.topic, cell.partition), reach.highest
