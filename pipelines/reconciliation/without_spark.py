"""The verdict of each record without Spark: up to some millions of records, in memory and in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pipelines.reconciliation.partition_logs import Key
from pipelines.reconciliation.records import NO_TIME, Records
from replay.reconcile.cells import DUPLICATE, KEPT, UNDECIDED, Asked, Cell, Clock, cells
from replay.reconcile.clocks import Anchor, anchors, by_client
from replay.reconcile.logs import UNBOUNDED, PartitionLog
from replay.reconcile.order import APART
from replay.reconcile.settle import range_to_settle, settled
from replay.reconcile.words import reason_by_order, reason_of, reason_without_cell

DELIVERY = 120_000_000  # delivery.timeout.ms of Kafka's producers, in microseconds
_BROKER_CLOCK = Clock(-1_000_000, 1_000_000)  # of a time that the broker wrote


@dataclass
class Verdicts:
    """The verdict of each record, in the order of the records, and the clocks that they rest on."""

    verdict: np.ndarray
    cell: np.ndarray  # -1: none
    by_order: np.ndarray
    cells: list[Cell]
    clocks: Mapping[str, Clock]
    is_readable: np.ndarray  # whether the row has a topic, a partition and an offset
    first_at: dict[int, int]  # for a duplicate the lower offset of the same record, by place
    first_of_key: dict[int, int] = field(default_factory=dict)  # the same for a key, where keys are unique

    def columns(self) -> dict[str, list[Any]]:
        """The columns of the output beside those of the records."""
        reasons = [reason_of(cell) for cell in self.cells]
        evidence = [" ".join(cell.evidence) for cell in self.cells]
        lows, highs = ([getattr(cell, name) for cell in self.cells] for name in ("epoch_low", "epoch_high"))
        nowhere, unread = reason_without_cell("no_partition"), reason_without_cell("unreadable")
        texts = [
            reasons[n] if n >= 0 else nowhere if is_readable else unread
            for n, is_readable in zip(self.cell, self.is_readable, strict=True)
        ]
        for place in np.flatnonzero(self.by_order).tolist():
            texts[place] = reason_by_order(texts[place])
        for place, offset in self.first_at.items():
            texts[place] = (
                f"The same producer id, epoch and sequence as offset {offset}: a retry appended the record again."
            )
        for place, offset in self.first_of_key.items():
            texts[place] = f"The surviving log holds this key at offset {offset} too."
        return {
            "verdict": list(self.verdict),
            "epoch_low": [None if n < 0 else lows[n] for n in self.cell],
            "epoch_high": [None if n < 0 else highs[n] for n in self.cell],
            "reason": texts,
            "evidence": ["" if n < 0 else evidence[n] for n in self.cell],
        }


def verdicts(
    records: Records, logs: Mapping[Key, PartitionLog], error: int | None = None, *, keys_are_unique: bool = False
) -> Verdicts:
    """The verdict of each record. `error` is how far the clocks of the applications are off at most, in microseconds;
    `keys_are_unique`: a key that is stored at two offsets of a partition is one record, stored twice.
    """
    frame = records.frame
    delay = DELIVERY if records.time_is == "created" else 0
    known = {} if records.time_is == "appended" else clocks(frame, logs, error, delay)
    usual = _BROKER_CLOCK if records.time_is == "appended" else Clock() if error is None else Clock(-error, error)
    timed = frame.ts != NO_TIME
    last = frame[timed].groupby("client").ts.max().to_dict()
    offset, ts = frame.offset.to_numpy(), np.where(timed, frame.ts, 0)
    at = np.full(len(frame), -1)
    table: list[Cell] = []
    keys = [frame.topic, frame.partition, frame.client, frame.leader_epoch, frame.acks_all, timed]
    for key, places in frame[frame.is_readable].groupby(keys, sort=False).indices.items():
        which = np.flatnonzero(frame.is_readable)[places]
        log = logs.get((key[0], int(key[1])))
        if log is not None:
            clock = known.get(key[2], usual) if key[5] else Clock()
            mine = cells(
                log,
                Asked(clock, None if key[3] < 0 else int(key[3]), bool(key[4]), last.get(key[2], -UNBOUNDED), delay),
            )
            at[which] = len(table) + _located(mine, offset[which], ts[which])
            table += mine
    verdict = np.array([*(cell.verdict for cell in table), UNDECIDED], dtype=object)[at]
    found = Verdicts(verdict, at, np.zeros(len(frame), dtype=bool), table, known, frame.is_readable.to_numpy(), {})
    order = np.where(timed, np.arange(len(frame)) * APART, 0) if records.is_consumed else ts
    _settle(found, frame, order, logs, is_consumed=records.is_consumed)
    if records.is_consumed:
        _read_again(found, frame)
    _duplicates(found, frame)
    if keys_are_unique:
        _same_keys(found, frame)
    return found


def clocks(frame: pd.DataFrame, logs: Mapping[Key, PartitionLog], error: int | None, delay: int) -> Mapping[str, Clock]:
    """The clock of each client, from the first and the last of its times in each anchor."""
    found: list[tuple[str, Anchor, int, int]] = []
    timed = frame[frame.is_readable & (frame.ts != NO_TIME)]
    for key, own in timed.groupby(["topic", "partition"], sort=False):
        log = logs.get((key[0], int(key[1])))
        spots = [] if log is None else sorted(anchors(log), key=lambda spot: spot.from_offset)
        if not spots:
            continue
        at = np.searchsorted(np.array([spot.from_offset for spot in spots]), own.offset, side="right") - 1
        inside = (at >= 0) & (own.offset.to_numpy() < np.array([spot.to_offset for spot in spots])[at])
        times = own[inside].assign(at=at[inside]).groupby(["client", "at"]).ts.agg(["min", "max"])
        found += [(client, spots[n], int(first), int(latest)) for (client, n), first, latest in times.itertuples()]
    return by_client(found, error, delay)


def _located(mine: Sequence[Cell], offset: np.ndarray, ts: np.ndarray) -> np.ndarray:
    """The cell of each record; the cells are in the order of offsets and times."""
    begins = np.array([cell.from_offset for cell in mine])
    boundaries, first = np.unique(begins, return_index=True)
    zone = np.searchsorted(boundaries, offset, side="right") - 1
    found, ends = np.zeros(len(offset), dtype=np.int64), [*first[1:], len(mine)]
    for n in np.unique(zone):
        here = zone == n
        times = np.array([cell.from_ts for cell in mine[first[n] : ends[n]]])
        found[here] = first[n] + np.maximum(np.searchsorted(times, ts[here], side="right") - 1, 0)
    return found


def _read_again(found: Verdicts, frame: pd.DataFrame) -> None:
    """Give a record that a consumer read again the verdict of its first reading."""
    same = [frame.topic, frame.partition, frame.offset, frame.ts]
    first = pd.Series(np.arange(len(frame))).groupby(same, dropna=False).transform("first").to_numpy()
    found.verdict, found.by_order = found.verdict[first], found.by_order[first]


def _settle(
    found: Verdicts, frame: pd.DataFrame, ts: np.ndarray, logs: Mapping[Key, PartitionLog], *, is_consumed: bool
) -> None:
    """Settle the records around the losses of each partition."""
    used: dict[Key, list[Cell]] = {}
    for n in np.unique(found.cell[found.cell >= 0]):
        cell = found.cells[n]
        used.setdefault((cell.topic, cell.partition), []).append(cell)
    for (topic, partition), own in used.items():
        log = logs[topic, partition]
        near = range_to_settle(log, own)
        if near is None:
            continue
        mine = (frame.topic == topic) & (frame.partition == partition) & (found.cell >= 0)
        kept = frame.offset[mine & (found.verdict == KEPT)].max()
        end = max(log.known_end, 0 if pd.isna(kept) else int(kept) + 1)
        places = np.flatnonzero(mine & (frame.offset >= near[0]) & (frame.offset < near[1]))
        if is_consumed:
            places = places[~frame.iloc[places].duplicated(["offset", "ts"]).to_numpy()]
        offsets = frame.offset.to_numpy()[places].tolist()
        near_records = ts[places].tolist(), offsets, found.cell[places].tolist()
        result = settled(log, found.cells, near_records, end)
        found.verdict[places], found.by_order[places] = result


def _duplicates(found: Verdicts, frame: pd.DataFrame) -> None:
    """Mark records that the surviving log holds at a lower offset too."""
    if not {"producer_id", "producer_epoch", "sequence"} <= set(frame.columns):
        return
    same = ["topic", "partition", "producer_id", "producer_epoch", "sequence"]
    kept = frame[(found.verdict == KEPT) & (frame.producer_id >= 0) & (frame.sequence >= 0)]
    first = kept.groupby(same).offset.transform("min")
    for place in kept.index[kept.offset > first]:
        found.verdict[place] = DUPLICATE
        found.first_at[int(place)] = int(first[place])


def _same_keys(found: Verdicts, frame: pd.DataFrame) -> None:
    """Mark records whose key the surviving log holds at a lower offset of the partition too."""
    kept = frame[(found.verdict == KEPT) & frame.key.notna() & (frame.key.astype(str) != "")]
    first = kept.groupby(["topic", "partition", kept.key.astype(str)]).offset.transform("min")
    for place in kept.index[kept.offset > first]:
        found.verdict[place] = DUPLICATE
        found.first_of_key[int(place)] = int(first[place])
