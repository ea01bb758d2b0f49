"""The verdict of each record without Spark: up to some millions of records, in memory and in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pipelines.reconciliation.order import APART
from pipelines.reconciliation.questions import CellTable, Clocks, Kind, Logs, clocks
from pipelines.reconciliation.records import NO_TIME, Records
from pipelines.reconciliation.settle import Seen, by_order, contests, ends, retried_to
from replay.reconcile.cells import DUPLICATE, GONE, KEPT, REWRITTEN, UNDECIDED, Cell, Clock
from replay.reconcile.clocks import Anchor, anchors
from replay.reconcile.words import OF_FIRST, OF_FIRST_KEY, reason_by_order, reason_of, reason_without_cell


@dataclass
class Verdicts:
    """The verdict of each record, in the order of the records, and the clocks that they rest on."""

    verdict: np.ndarray
    cell: np.ndarray  # -1: none
    by_order: np.ndarray
    cells: list[Cell]
    clocks: Mapping[str, Clock]
    is_readable: np.ndarray  # whether the row has a topic, a partition and an offset
    is_retried: np.ndarray  # whether it can be a second copy of a record that is kept
    first_at: dict[int, int] = field(
        default_factory=dict
    )  # for a duplicate the lower offset of the same record, by place
    first_of_key: dict[int, int] = field(default_factory=dict)  # the same for a key, where keys are unique

    def columns(self) -> dict[str, pa.Array]:
        """The columns of the output beside those of the records."""
        count = len(self.cells)
        reasons = [reason_of(cell) for cell in self.cells]
        without = [reason_without_cell(reason) for reason in ("no_partition", "unreadable", "retried")]
        texts = [*reasons, *map(reason_by_order, reasons), *without]
        of_cell = np.where(self.by_order, self.cell + count, self.cell)
        at = np.where(self.cell < 0, 2 * count + ~self.is_readable, of_cell)
        at = np.where(self.is_retried, 2 * count + 2, at)
        for sentence, first in ((OF_FIRST, self.first_at), (OF_FIRST_KEY, self.first_of_key)):
            for place, offset in first.items():
                at[place] = len(texts)
                texts.append(sentence.format(offset=offset))
        cell = pa.array(self.cell, mask=self.cell < 0)
        lows, highs = (pa.array([getattr(one, name) for one in self.cells], pa.int32()) for name in _EPOCHS)
        evidence = pa.array([*(" ".join(one.evidence) for one in self.cells), ""])
        return {
            "verdict": pa.array(self.verdict, pa.string()),
            "epoch_low": lows.take(cell),
            "epoch_high": highs.take(cell),
            "reason": pa.array(texts, pa.string()).take(pa.array(at)),
            "evidence": evidence.take(pa.array(np.where(self.cell < 0, count, self.cell))),
        }


_EPOCHS = ("epoch_low", "epoch_high")


def verdicts(records: Records, logs: Logs, error: int | None = None, *, keys_are_unique: bool = False) -> Verdicts:
    """The verdict of each record. `error` is how far the clocks of the applications are off at most, in microseconds;
    `keys_are_unique`: a key that is stored at two offsets of a partition is one record, stored twice.
    """
    frame = records.frame
    timed = (frame.ts != NO_TIME).to_numpy()
    known = clocks(_of_anchors(frame[timed & frame.is_readable], logs), _last(frame[timed]), records.time_is, error)
    readable = frame.is_readable.to_numpy()
    table, at = _located(frame, timed, logs, known)
    verdict = np.array([*(cell.verdict for cell in table.cells), UNDECIDED], dtype=object)[at]
    found = Verdicts(
        verdict,
        at,
        np.zeros(len(frame), dtype=bool),
        table.cells,
        known.known,
        readable,
        np.zeros(len(frame), dtype=bool),
    )
    order = np.arange(len(frame)) * APART if records.is_consumed else frame.ts.to_numpy()
    ordered = _Ordered(frame, order, timed)
    seen = ordered.seen(at)
    _settle(found, table, ordered, logs, seen, is_consumed=records.is_consumed)
    if not records.is_consumed:
        _retried(found, frame, retried_to(table, logs, seen))
    _replaced(found, frame, logs)
    if records.is_consumed:
        _read_again(found, frame)
    _duplicates(found, frame)
    if keys_are_unique:
        _same_keys(found, frame)
    return found


def _last(timed: pd.DataFrame) -> dict[str, int]:
    return {str(client): int(ts) for client, ts in timed.groupby("client", observed=True).ts.max().items()}


def _of_anchors(timed: pd.DataFrame, logs: Logs) -> list[tuple[str, Anchor, int, int]]:
    """The first and the last time of each client in each anchor."""
    found: list[tuple[str, Anchor, int, int]] = []
    for key, own in timed.groupby(["topic", "partition"], sort=False, observed=True):
        log = logs.get((str(key[0]), int(key[1])))
        spots = [] if log is None else sorted(anchors(log), key=lambda spot: spot.from_offset)
        if not spots:
            continue
        at = np.searchsorted(np.array([spot.from_offset for spot in spots]), own.offset, side="right") - 1
        inside = (at >= 0) & (own.offset.to_numpy() < np.array([spot.to_offset for spot in spots])[at])
        times = own[inside].assign(at=at[inside]).groupby(["client", "at"], observed=True).ts.agg(["min", "max"])
        found += [(client, spots[n], int(first), int(latest)) for (client, n), first, latest in times.itertuples()]
    return found


def _located(frame: pd.DataFrame, timed: np.ndarray, logs: Logs, known: Clocks) -> tuple[CellTable, np.ndarray]:
    """All cells, and for each record the number of its cell, -1 for none."""
    table, at = CellTable(), np.full(len(frame), -1)
    readable = np.flatnonzero(frame.is_readable)
    of_kind = ["topic", "partition", "client", "leader_epoch", "acks_all"]
    keys = [*(frame[name].iloc[readable] for name in of_kind), timed[readable]]
    offset, ts = frame.offset.to_numpy(), np.where(timed, frame.ts, 0)
    for key, places in frame.iloc[readable].groupby(keys, sort=False, observed=True).indices.items():
        kind = Kind(str(key[0]), int(key[1]), str(key[2]), int(key[3]), bool(key[4]), bool(key[5]))
        log = logs.get((kind.topic, kind.partition))
        if log is not None:
            begin, which = len(table.cells), readable[places]
            at[which] = begin + _place(table.add(kind, log, known), offset[which], ts[which])
    return table, at


def _place(mine: Sequence[Cell], offset: np.ndarray, ts: np.ndarray) -> np.ndarray:
    """The cell of each record; the cells are in the order of offsets and times."""
    begins = np.array([cell.from_offset for cell in mine])
    boundaries, first = np.unique(begins, return_index=True)
    zone = np.searchsorted(boundaries, offset, side="right") - 1
    found, after = np.zeros(len(offset), dtype=np.int64), [*first[1:], len(mine)]
    for n in np.unique(zone):
        here = zone == n
        times = np.array([cell.from_ts for cell in mine[first[n] : after[n]]])
        found[here] = first[n] + np.maximum(np.searchsorted(times, ts[here], side="right") - 1, 0)
    return found


@dataclass(frozen=True)
class _Ordered:
    """The records with what orders them: their times, or their places in what a consumer read."""

    frame: pd.DataFrame
    order: np.ndarray
    timed: np.ndarray

    def seen(self, at: np.ndarray) -> dict[int, Seen]:
        """What the records of each cell reach."""
        offset = self.frame.offset.to_numpy()
        every = pd.DataFrame({"cell": at, "offset": offset})[at >= 0].groupby("cell").offset.agg(["min", "max"])
        timed = pd.DataFrame({"cell": at, "ts": self.order})[(at >= 0) & self.timed]
        times = {
            n: (int(first), int(last)) for n, first, last in timed.groupby("cell").ts.agg(["min", "max"]).itertuples()
        }
        return {n: Seen(int(low), int(high), *times.get(n, (None, None))) for n, low, high in every.itertuples()}


def _settle(
    found: Verdicts,
    table: CellTable,
    records: _Ordered,
    logs: Logs,
    seen: Mapping[int, Seen],
    *,
    is_consumed: bool,
) -> None:
    """Settle the contested records of each client and partition."""
    frame, offset = records.frame, records.frame.offset.to_numpy()
    for one in contests(table, logs, seen):
        mine = (frame.topic == one.topic) & (frame.partition == one.partition) & (frame.client == one.client)
        near = (offset >= one.from_offset) & (offset < one.to_offset) & (found.cell >= 0) & records.timed
        places = np.flatnonzero(mine & near)
        if is_consumed:
            places = places[~frame.iloc[places].duplicated(["offset", "ts"]).to_numpy()]
        log = logs[one.topic, one.partition]
        which, settled = by_order(log, table.cells, records.order[places], offset[places], found.cell[places])
        found.verdict[places[which]], found.by_order[places[which]] = settled, True


def _retried(found: Verdicts, frame: pd.DataFrame, limits: Mapping[int, int]) -> None:
    """Leave the gone records undecided that can be second copies of records that are kept."""
    limit = np.array([*(limits.get(n, 0) for n in range(len(found.cells))), 0])
    found.is_retried = (found.verdict == GONE) & (frame.offset.to_numpy() < limit[found.cell])
    found.verdict[found.is_retried] = UNDECIDED


def _replaced(found: Verdicts, frame: pd.DataFrame, logs: Logs) -> None:
    """Mark the records whose offset holds another record."""
    is_gone = found.verdict == GONE
    if not is_gone.any():
        return
    kept = frame[found.verdict == KEPT].groupby(["topic", "partition"], observed=True).offset.max()
    reached = ends(logs, (((str(topic), int(number)), int(offset)) for (topic, number), offset in kept.items()))
    gone = np.flatnonzero(is_gone)
    lost = frame.iloc[gone]
    for key, places in lost.groupby(["topic", "partition"], sort=False, observed=True).indices.items():
        which = gone[places]
        end = reached[str(key[0]), int(key[1])]
        found.verdict[which[frame.offset.to_numpy()[which] < end]] = REWRITTEN


def _read_again(found: Verdicts, frame: pd.DataFrame) -> None:
    """Give a record that a consumer read again the verdict of its first reading."""
    same = [frame.topic, frame.partition, frame.offset, frame.ts]
    first = pd.Series(np.arange(len(frame))).groupby(same, dropna=False, observed=True).transform("first").to_numpy()
    found.verdict, found.by_order = found.verdict[first], found.by_order[first]


def _duplicates(found: Verdicts, frame: pd.DataFrame) -> None:
    """Mark records that the surviving log holds at a lower offset too."""
    if not {"producer_id", "producer_epoch", "sequence"} <= set(frame.columns):
        return
    kept = frame[(found.verdict == KEPT) & (frame.producer_id >= 0) & (frame.sequence >= 0)]
    _stored_again(found, kept, ["producer_id", "producer_epoch", "sequence"], found.first_at)


def _same_keys(found: Verdicts, frame: pd.DataFrame) -> None:
    """Mark records whose key the surviving log holds at a lower offset of the partition too."""
    kept = frame[(found.verdict == KEPT) & frame.key.notna() & (frame.key.astype(str) != "")]
    _stored_again(found, kept, [kept.key.astype(str)], found.first_of_key)


def _stored_again(found: Verdicts, kept: pd.DataFrame, same: list[Any], first_at: dict[int, int]) -> None:
    """Mark the kept records with a lower offset of the same record in their partition, and note that offset."""
    first = kept.groupby(["topic", "partition", *same], observed=True).offset.transform("min")
    for place in kept.index[kept.offset > first]:
        found.verdict[place] = DUPLICATE
        first_at[int(place)] = int(first[place])
