"""What became of each record in the saved tail of a log, and whether it can be produced again.

Each record gets the first verdict of `Verdict` that holds for it. Two copies of one record are recognized by the
producer id, epoch and sequence number of an idempotent producer; else by timestamp, key, value and the names of headers, which
a producer keeps when it sends a record again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from heapq import merge

from replay.record_batches.batches import Record, RecordBatch
from replay.rescue.overview import Overview, Tail
from replay.rescue.surviving_log import Discarded, SurvivingLog


class Verdict(StrEnum):
    """What became of a record."""

    SURVIVED = "survived"
    UNKNOWN = "unknown"
    ABORTED = "aborted"
    UNFINISHED = "unfinished"
    DUPLICATE = "duplicate"
    OLDER = "older"
    UNCOMMITTED = "uncommitted"
    REVERSED = "reversed"
    LOST = "lost"


_ALWAYS = 1 << 63
PRODUCED_AGAIN = (Verdict.LOST, Verdict.REVERSED, Verdict.UNCOMMITTED)
MEANING: Mapping[Verdict, str] = {
    Verdict.LOST: "discarded, and committed or possibly committed",
    Verdict.UNCOMMITTED: "discarded, never committed: only a producer with acks=1 can have had an acknowledgement",
    Verdict.REVERSED: "still in the log, but the marker that committed its transaction was discarded, and the log now has it as "
    "aborted: consumers with isolation.level=read_committed no longer see it",
    Verdict.SURVIVED: "the partition still holds it",
    Verdict.DUPLICATE: "discarded, but the producer sent it again and the partition, or this list, holds that copy",
    Verdict.OLDER: "discarded, and the partition holds a newer record of the same key (compacted topic)",
    Verdict.ABORTED: "part of an aborted transaction",
    Verdict.UNFINISHED: "part of a transaction without a marker in these tails: whether it was committed is unknown",
    Verdict.UNKNOWN: "the result does not show whether the partition still holds it",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A record of a tail with its verdict, or `count` records of one batch that the partition still holds, not decoded.

    `loss`: the range of `losses` that the record lies in, if any.
    """

    node_id: int
    leader_epoch: int
    record: Record | None
    verdict: Verdict
    loss: Discarded | None = None
    count: int = 1


def judged(
    tails: Sequence[Tail],
    overviews: Sequence[Overview],
    log: SurvivingLog,
    current: int | None,
    *,
    is_compacted: bool = False,
) -> Iterator[Judged]:
    """Each record of the tails of one partition once, with its verdict, in the order of leader epochs and offsets.

    `overviews` are those of the tails; `current` is the one that proves what survived (see `current_tail`). Reads each tail twice and decodes each
    record once, as a stream. It keeps an identity for each record that is produced again and for each surviving record
    of the same time; of a compacted topic also every surviving key. Raises ValueError for records that cannot be read.
    """
    log = log if current is None else log.proven_by(overviews[current].parts)
    outcomes = _Outcomes(overviews, None if current is None else overviews[current])
    survivors = _survivors(tails, overviews, log, outcomes, is_compacted)
    listed: set[bytes] = set()
    done = (-1, -1)  # leader epoch and offset of the last record
    for tail, batch in merge(*map(_data_batches, tails), key=_place):
        epoch, before = batch.leader_epoch, done
        done = max(done, (epoch, batch.last_offset))
        if log.holds_all(epoch, batch.base_offset, batch.last_offset) and not outcomes.is_reversed(batch):
            if (epoch, batch.last_offset) > before:
                yield Judged(tail.node_id, epoch, None, Verdict.SURVIVED, count=batch.count)
            continue
        for record in batch.records():
            if (epoch, record.offset) > before:  # else another tail held it too
                identity = _identity(batch, record)
                verdict = _verdict(batch, record, identity, log, survivors, listed, outcomes)
                if verdict in PRODUCED_AGAIN:
                    listed.add(identity)
                yield Judged(tail.node_id, epoch, record, verdict, log.loss_of(epoch, record.offset))


def current_tail(overviews: Sequence[Overview], log: SurvivingLog) -> int | None:
    """Which tail is the longest of those that hold what the last leader epoch holds: it proves what survived.

    Without this, a record of an older leader that an unclean election brought back would count as discarded.
    """
    current = [n for n, one in enumerate(overviews) if one.parts and log.is_reached_by(one.parts[-1])]

    def reach(n: int) -> tuple[int, int, int]:
        first, last = overviews[n].parts[0], overviews[n].parts[-1]
        return last.leader_epoch, last.last_offset, -first.first_offset

    return max(current, key=reach, default=None)


@dataclass(frozen=True)
class _Survivors:
    """The records that the partition still holds: who they are, and the latest leader epoch and offset of each key (of a
    compacted topic).
    """

    identities: set[bytes]
    keys: dict[bytes, tuple[int, int]]


def _survivors(
    tails: Sequence[Tail],
    overviews: Sequence[Overview],
    log: SurvivingLog,
    outcomes: _Outcomes,
    is_compacted: bool,
) -> _Survivors:
    found = _Survivors(set(), {})
    first, last = _times(overviews, log)
    for tail in tails:
        for _, batch in _data_batches(tail):
            epoch = batch.leader_epoch
            is_of_the_time = first <= batch.max_timestamp and batch.base_timestamp <= last
            kept = [log.holds(epoch, offset) for offset in (batch.base_offset, batch.last_offset)]
            is_asked = True in kept and (is_of_the_time or is_compacted) and not outcomes.is_aborted(batch)
            for record in batch.records() if is_asked else ():
                place = (epoch, record.offset)
                if log.holds(*place):
                    if is_of_the_time:
                        found.identities.add(_identity(batch, record))
                    if is_compacted and record.key is not None:
                        key = _digest(record.key)
                        found.keys[key] = max(place, found.keys.get(key, place))
    return found


def _times(overviews: Iterable[Overview], log: SurvivingLog) -> tuple[int, int]:
    """The first and the last timestamp of batches that may be discarded. A producer that sends a batch again keeps its
    timestamps, but the broker may set them.
    """
    gone = [
        run
        for one in overviews
        for run in one.runs
        if not log.holds_all(run.leader_epoch, run.first_offset, run.last_offset)
    ]
    if gone and any(one.has_broker_times for one in overviews):
        return -1, _ALWAYS
    return min((run.from_time for run in gone), default=_ALWAYS), max((run.to_time for run in gone), default=-1)


def _data_batches(tail: Tail) -> Iterator[tuple[Tail, RecordBatch]]:
    for batch in tail.read():
        if isinstance(batch, RecordBatch) and not batch.is_control:
            yield tail, batch


def _place(one: tuple[Tail, RecordBatch]) -> tuple[int, int]:
    return one[1].leader_epoch, one[1].base_offset


def _verdict(
    batch: RecordBatch,
    record: Record,
    identity: bytes,
    log: SurvivingLog,
    survivors: _Survivors,
    listed: set[bytes],
    outcomes: _Outcomes,
) -> Verdict:
    place = (batch.leader_epoch, record.offset)
    holds, is_reversed = log.holds(*place), outcomes.is_reversed(batch)
    if holds is not False and not is_reversed:
        return Verdict.SURVIVED if holds else Verdict.UNKNOWN
    committed = outcomes.is_committed(batch)
    if not committed:
        return Verdict.UNFINISHED if committed is None else Verdict.ABORTED
    if identity in survivors.identities or identity in listed:
        return Verdict.DUPLICATE
    if record.key is not None and survivors.keys.get(_digest(record.key), place) > place:
        return Verdict.OLDER
    if holds is not False:
        return Verdict.REVERSED
    loss = log.loss_of(*place)
    return Verdict.UNCOMMITTED if loss is not None and loss.is_uncommitted else Verdict.LOST


class _Outcomes:
    """Whether the transactions of batches were committed. A batch is part of one transaction."""

    def __init__(self, overviews: Sequence[Overview], current: Overview | None) -> None:
        self._overviews, self._current = overviews, current

    def is_committed(self, batch: RecordBatch) -> bool | None:
        """By the next markers of its producer in the tails that hold it; True without a transaction; None without a
        marker.
        """
        if not batch.is_transactional:
            return True
        found = {one.commits(batch) for one in self._overviews}
        return True if True in found else False if False in found else None

    def is_aborted(self, batch: RecordBatch) -> bool:
        """Whether the log has the batch as aborted."""
        if self._current is None:
            return self.is_committed(batch) is False
        return batch.is_transactional and self._current.commits(batch) is False

    def is_reversed(self, batch: RecordBatch) -> bool:
        """Whether the log has the batch as aborted, after a leader committed it whose marker was discarded.

        The cut went through the transaction. The next marker of the producer in the log, which aborts a later
        transaction, covers what was left of this one.
        """
        return self._current is not None and self.is_aborted(batch) and self.is_committed(batch) is True


def _identity(batch: RecordBatch, record: Record) -> bytes:
    sequence = batch.sequence(record.offset)
    if batch.producer_id >= 0 and sequence >= 0:
        return b"p%d.%d.%d" % (batch.producer_id, batch.producer_epoch, sequence)
    parts = [b"" if part is None else part for part in (record.key, record.value)]
    headers = [name.encode(errors="surrogateescape") for name, _ in record.headers]  # a dump prints no values
    sizes = b"%d.%r.%r.%d" % (record.timestamp, record.key is None, record.value is None, len(headers))
    return _digest(sizes, *parts, *headers)


def _digest(*parts: bytes) -> bytes:
    made = blake2b(digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(8, "big"))
        made.update(part)
    return made.digest()
