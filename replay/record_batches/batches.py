"""Reads the record batches of a log segment (magic 2, Kafka 0.11 and later), one at a time.

A segment is a sequence of batches. A crash can leave a torn last batch; Kafka's own recovery truncates the log at the
first batch whose length or checksum is wrong, so reading ends there too, and the end says why and at which offset.

Source: `org.apache.kafka.common.record.DefaultRecordBatch` and `DefaultRecord`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Protocol

from replay.record_batches.compression import decompressed
from replay.record_batches.varints import varint

MAGIC = 2
_PREFIX = Struct(">qiib")  # base offset, length, leader epoch, magic
_LENGTH_FROM = 12  # the length counts the bytes behind itself
_HEADER = Struct(">qiibIhiqqqhii")
_CRC_FROM = 21  # the checksum covers the bytes from the attributes on
_LEAST_LENGTH = _HEADER.size - _LENGTH_FROM
MOST_BATCH_BYTES = 256 << 20  # above any sensible max.message.bytes; a length beyond it is damage
MOST_RECORDS_BYTES = 512 << 20  # of one batch, decompressed
_CONTROL_ABORT, _CONTROL_COMMIT = 0, 1


class Source(Protocol):
    """What a segment is read from: a binary file, or anything with its method."""

    def read(self, size: int, /) -> bytes: ...


Checksum = Callable[[bytes], int]  # CRC-32C


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its offset, timestamp (ms), key, value and headers; None for a null."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordBatch:
    """One batch: its header as fields, and its compressed records. `position`: where it begins in the segment, in
    bytes.
    """

    position: int
    base_offset: int
    last_offset: int
    leader_epoch: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    count: int
    attributes: int
    data: bytes

    @property
    def codec(self) -> int:
        return self.attributes & 0x07

    @property
    def is_log_append_time(self) -> bool:
        return bool(self.attributes & 0x08)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & 0x10)

    @property
    def is_control(self) -> bool:
        """Whether it holds a transaction marker or another record that no producer sent."""
        return bool(self.attributes & 0x20)

    def sequence(self, offset: int) -> int:
        """The producer's sequence number of a record; -1 without an idempotent producer."""
        if self.base_sequence < 0:
            return -1
        return (self.base_sequence + offset - self.base_offset) & 0x7FFFFFFF  # it wraps at 2^31

    def records(self) -> Iterator[Record]:
        """Its records. Raises ValueError for damaged ones."""
        data = decompressed(memoryview(self.data), self.codec, MOST_RECORDS_BYTES)
        at = 0
        for _ in range(self.count):
            record, at = _record(self, data, at)
            yield record
        if at != len(data):
            raise ValueError("bytes follow the last record")

    def marker(self) -> bool | None:
        """True for a control batch that commits a transaction, False for one that aborts it, None for any other."""
        if not self.is_control:
            return None
        first = next(self.records(), None)  # a compacted topic can keep an empty batch
        key = b"" if first is None or first.key is None else first.key
        kind = int.from_bytes(key[2:4], "big") if len(key) >= 4 else None
        return {_CONTROL_COMMIT: True, _CONTROL_ABORT: False}.get(kind) if kind is not None else None


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """Where and why reading ended: `reason` is None at the regular end, else what is wrong with the next batch."""

    position: int
    next_offset: int | None
    reason: str | None


def batches(segment: Source, checksum: Checksum) -> Iterator[RecordBatch | SegmentEnd]:
    """The batches of a segment in their order, and at last its end. Reads one batch at a time."""
    position, before = 0, None
    while True:
        batch = _batch(segment, position, checksum)
        reason = _out_of_order(before, batch) if isinstance(batch, RecordBatch) else batch
        if not isinstance(batch, RecordBatch) or reason is not None:
            yield SegmentEnd(position, None if before is None else before.last_offset + 1, reason)
            return
        yield batch
        position, before = position + _HEADER.size + len(batch.data), batch


def _out_of_order(before: RecordBatch | None, batch: RecordBatch) -> str | None:
    """What is wrong with the order of two batches: the checksum covers neither base offset nor leader epoch."""
    if before is None:
        return None
    if batch.base_offset <= before.last_offset:
        return f"offset {batch.base_offset} follows {before.last_offset}"
    if batch.leader_epoch < before.leader_epoch:
        return f"leader epoch {batch.leader_epoch} follows {before.leader_epoch}"
    return None


def _batch(segment: Source, position: int, checksum: Checksum) -> RecordBatch | str | None:
    """The next batch; None at the regular end; what is wrong with it as text."""
    head = segment.read(_HEADER.size)
    if not head or (len(head) == _HEADER.size and not any(head)):
        return None  # the end, or the zeros of a preallocated segment
    if len(head) < _PREFIX.size:
        return "the last batch is torn"
    base_offset, length, leader_epoch, magic = _PREFIX.unpack_from(head)
    if magic in (0, 1):
        return f"the records have the message format {magic} of Kafka 0.10 and earlier, which has no leader epochs"
    if magic != MAGIC or not _LEAST_LENGTH <= length <= MOST_BATCH_BYTES or base_offset < 0:
        return "no record batch begins here"
    data = segment.read(length - _LEAST_LENGTH) if len(head) == _HEADER.size else b""
    if len(head) + len(data) < _LENGTH_FROM + length:
        return "the last batch is torn"
    *_, crc, attributes, last_delta, base_time, max_time, producer, epoch, sequence, count = _HEADER.unpack(head)
    if checksum(head[_CRC_FROM:] + data) != crc:
        return "the checksum of the batch is wrong"
    if last_delta < 0 or count < 0 or count > last_delta + 1:
        return "the batch counts more records than offsets"
    return RecordBatch(
        position,
        base_offset,
        base_offset + last_delta,
        leader_epoch,
        base_time,
        max_time,
        producer,
        epoch,
        sequence,
        count,
        attributes,
        data,
    )


def _record(batch: RecordBatch, data: memoryview, at: int) -> tuple[Record, int]:
    length, at = varint(data, at)
    end = at + length
    if length < 1 or end > len(data):
        raise ValueError("a record reaches beyond its batch")
    time_delta, at = varint(data, at + 1)  # behind the attributes, which have no meaning today
    offset_delta, at = varint(data, at)
    offset = batch.base_offset + offset_delta
    if not batch.base_offset <= offset <= batch.last_offset:
        raise ValueError("a record has an offset outside its batch")
    key, at = _bytes(data, at, end)
    value, at = _bytes(data, at, end)
    headers, at = _headers(data, at, end)
    if at != end:
        raise ValueError("a record is shorter than its length")
    time = batch.max_timestamp if batch.is_log_append_time else batch.base_timestamp + time_delta
    return Record(offset, time, key, value, headers), end


def _headers(data: memoryview, at: int, end: int) -> tuple[tuple[tuple[str, bytes | None], ...], int]:
    count, at = varint(data, at)
    if not 0 <= count <= end - at:
        raise ValueError("a record counts more headers than bytes")
    found: list[tuple[str, bytes | None]] = []
    for _ in range(count):
        name, at = _bytes(data, at, end)
        value, at = _bytes(data, at, end)
        if name is None:
            raise ValueError("a header has no name")
        found.append((name.decode(errors="surrogateescape"), value))
    return tuple(found), at


def _bytes(data: memoryview, at: int, end: int) -> tuple[bytes | None, int]:
    """A length and that many bytes; None for the length -1. Raises ValueError for any that reach beyond `end`."""
    size, at = varint(data, at)
    if size == -1:
        return None, at
    if size < 0 or at + size > end:
        raise ValueError("a field reaches beyond its record")
    return bytes(data[at : at + size]), at + size
