"""What became of each record in the saved tail of a log, and whether it can be produced again.

Each record gets the first verdict of `Verdict` that holds for it. Two copies of one record are recognized by the
producer id, epoch and sequence number of an idempotent producer; else by timestamp, key, value and the names of headers, which
a producer keeps when it sends a record again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

from replay.record_batches.batches import Record, RecordBatch, SegmentEnd
from replay.rescue.surviving_log import CopiedPart, Discarded, SurvivingLog


class Verdict(StrEnum):
    """What became of a record."""

    SURVIVED = "survived"
    UNKNOWN = "unknown"
    ABORTED = "aborted"
    UNFINISHED = "unfinished"
    DUPLICATE = "duplicate"
    OLDER = "older"
    UNCOMMITTED = "uncommitted"
    LOST = "lost"


PRODUCED_AGAIN = (Verdict.LOST, Verdict.UNCOMMITTED)
MEANING: Mapping[Verdict, str] = {
    Verdict.LOST: "discarded, and committed or possibly committed",
    Verdict.UNCOMMITTED: "discarded, never committed: only a producer with acks=1 or acks=0 can have had an acknowledgement",
    Verdict.SURVIVED: "the partition still holds it",
    Verdict.DUPLICATE: "discarded, but the producer sent it again and the partition, or this list, holds that copy",
    Verdict.OLDER: "discarded, and the partition holds a newer record of the same key (compacted topic)",
    Verdict.ABORTED: "part of an aborted transaction",
    Verdict.UNFINISHED: "part of a transaction without a marker in this tail: whether it was committed is unknown",
    Verdict.UNKNOWN: "the result does not show whether the partition still holds it",
}


@dataclass(frozen=True)
class Tail:
    """The saved end of one replica's log. `read` reads its batches from the begin, each time that it is called."""

    node_id: int
    read: Callable[[], Iterator[RecordBatch | SegmentEnd]]


@dataclass(frozen=True, slots=True)
class Judged:
    """One record of a tail with its verdict. `loss`: the range of `losses` that it lies in, if any."""

    node_id: int
    leader_epoch: int
    record: Record
    verdict: Verdict
    loss: Discarded | None


def judged(tails: Iterable[Tail], log: SurvivingLog, *, is_compacted: bool = False) -> Iterator[Judged]:
    """Each record of the tails of one partition once, with its verdict, in the order of leader epochs and offsets
    within a tail.

    A record that several tails hold is judged in the first of them. Reads each tail several times. Raises ValueError for
    records that cannot be read.
    """
    tails = tuple(tails)
    log = log.proven_by(_current_log(tails, log))
    survivors = _survivors(tails, log)
    seen: set[tuple[int, int]] = set()
    listed: set[bytes] = set()
    for tail in tails:
        outcomes = _transactions(tail)
        for batch in _data_batches(tail):
            for record in batch.records():
                place = (batch.leader_epoch, record.offset)
                if place in seen:
                    continue
                seen.add(place)
                identity = _identity(batch, record)
                verdict = _verdict(batch, record, identity, log, survivors, listed, outcomes, is_compacted)
                if verdict in PRODUCED_AGAIN:
                    listed.add(identity)
                yield Judged(tail.node_id, batch.leader_epoch, record, verdict, log.loss_of(*place))


def _current_log(tails: Iterable[Tail], log: SurvivingLog) -> Sequence[CopiedPart]:
    """The parts of the longest tail that reaches the last leader epoch: a replica of that epoch holds what survived.

    Without this, a record of an older leader that an unclean election brought back would count as discarded.
    """
    found = [_parts(tail) for tail in tails]
    last = max([log.last_leader_epoch, *(parts[-1].leader_epoch for parts in found if parts)])
    current = [parts for parts in found if parts and parts[-1].leader_epoch == last]
    return max(current, key=lambda parts: (parts[-1].last_offset, -parts[0].first_offset), default=())


def _parts(tail: Tail) -> list[CopiedPart]:
    parts: list[CopiedPart] = []
    for batch in tail.read():
        if isinstance(batch, RecordBatch):
            if parts and parts[-1].leader_epoch == batch.leader_epoch:
                parts[-1] = replace(parts[-1], last_offset=batch.last_offset)
            else:
                parts.append(CopiedPart(batch.leader_epoch, batch.base_offset, batch.last_offset))
    return parts


@dataclass(frozen=True)
class _Survivors:
    """The records that the partition still holds: who they are, and the latest leader epoch and offset of each key."""

    identities: frozenset[bytes]
    keys: Mapping[bytes, tuple[int, int]]


def _survivors(tails: Iterable[Tail], log: SurvivingLog) -> _Survivors:
    identities: set[bytes] = set()
    keys: dict[bytes, tuple[int, int]] = {}
    for tail in tails:
        outcomes = _transactions(tail)
        for batch in _data_batches(tail):
            for record in batch.records():
                place = (batch.leader_epoch, record.offset)
                if log.holds(*place) and outcomes(batch, record.offset) is not False:
                    identities.add(_identity(batch, record))
                    if record.key is not None:
                        key = _digest(record.key)
                        keys[key] = max(place, keys.get(key, place))
    return _Survivors(frozenset(identities), keys)


def _data_batches(tail: Tail) -> Iterator[RecordBatch]:
    for batch in tail.read():
        if isinstance(batch, RecordBatch) and not batch.is_control:
            yield batch


def _verdict(
    batch: RecordBatch,
    record: Record,
    identity: bytes,
    log: SurvivingLog,
    survivors: _Survivors,
    listed: set[bytes],
    outcomes: _Outcomes,
    is_compacted: bool,
) -> Verdict:
    holds = log.holds(batch.leader_epoch, record.offset)
    if holds is not False:
        return Verdict.SURVIVED if holds else Verdict.UNKNOWN
    if batch.is_transactional:
        committed = outcomes(batch, record.offset)
        if not committed:
            return Verdict.UNFINISHED if committed is None else Verdict.ABORTED
    if identity in survivors.identities or identity in listed:
        return Verdict.DUPLICATE
    if is_compacted and record.key is not None:
        newest = survivors.keys.get(_digest(record.key))
        if newest is not None and newest > (batch.leader_epoch, record.offset):
            return Verdict.OLDER
    loss = log.loss_of(batch.leader_epoch, record.offset)
    return Verdict.UNCOMMITTED if loss is not None and loss.is_uncommitted else Verdict.LOST


_Outcomes = Callable[[RecordBatch, int], bool | None]


def _transactions(tail: Tail) -> _Outcomes:
    """A function that returns whether the transaction of a record was committed: False if it was aborted, None
    without a marker in this tail.
    """
    markers: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for batch in tail.read():
        if isinstance(batch, RecordBatch) and batch.is_control:
            commits = batch.marker()
            if commits is not None:
                markers[batch.producer_id].append((batch.base_offset, commits))

    def outcome(batch: RecordBatch, offset: int) -> bool | None:
        if not batch.is_transactional:
            return True
        return next((commits for at, commits in markers[batch.producer_id] if at > offset), None)

    return outcome


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
