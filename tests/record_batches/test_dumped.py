"""The text of `kafka-dump-log --print-data-log` gives the same batches as the segment, as far as it prints them."""

from __future__ import annotations

from replay.record_batches.batches import RecordBatch, SegmentEnd
from replay.record_batches.dumped import DumpedBatch, dumped_batches

# Kafka 3.9.1, then the notation of 2.8.2
NEW = """Dumping /data/orders-0/00000000000000000000.log
Log starting offset: 0
baseOffset: 4 lastOffset: 5 count: 2 baseSequence: 7 lastSequence: 8 producerId: 9 producerEpoch: 1 partitionLeaderEpoch: 3 isTransactional: true isControl: false deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: 1795903081140 size: 91 magic: 2 compresscodec: zstd crc: 161670075 isvalid: true
| offset: 4 CreateTime: 1795903081089 keySize: 2 valueSize: 7 sequence: 7 headerKeys: [] key: k1 payload: a b: c
d
| offset: 5 CreateTime: 1795903081140 keySize: -1 valueSize: -1 sequence: 8 headerKeys: []
baseOffset: 6 lastOffset: 6 count: 1 baseSequence: -1 lastSequence: -1 producerId: 9 producerEpoch: 1 partitionLeaderEpoch: 3 isTransactional: true isControl: true deleteHorizonMs: OptionalLong.empty position: 91 CreateTime: 1795903081200 size: 78 magic: 2 compresscodec: none crc: 1 isvalid: true
| offset: 6 CreateTime: 1795903081200 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: COMMIT coordinatorEpoch: 0
"""
OLD = """Dumping orders-0/00000000000000000000.log
Starting offset: 0
baseOffset: 0 lastOffset: 0 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 0 CreateTime: 1795902723426 size: 392 magic: 2 compresscodec: NONE crc: 3235913469 isvalid: true
| offset: 0 isValid: true crc: null keySize: 1 valueSize: 1 CreateTime: 1795902722454 baseOffset: 0 lastOffset: 17 baseSequence: -1 lastSequence: -1 producerEpoch: -1 partitionLeaderEpoch: 0 batchSize: 392 magic: 2 compressType: NONE position: 0 sequence: -1 headerKeys: [seq] key: 2 payload: 2
"""
INVALID = "baseOffset: 1 lastOffset: 1 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 9 CreateTime: 1 size: 9 magic: 2 compresscodec: NONE crc: 3 isvalid: false\n"


def read(text: str) -> tuple[list[RecordBatch], SegmentEnd]:
    *found, end = dumped_batches(text.splitlines(keepends=True))
    return found, end


def test_batches_records_and_markers():
    (sent, marker), end = read(NEW)
    assert (sent.base_offset, sent.last_offset, sent.leader_epoch, sent.producer_id) == (4, 5, 3, 9)
    assert sent.is_transactional and [sent.sequence(offset) for offset in (4, 5)] == [7, 8]
    assert [(r.offset, r.timestamp, r.key, r.value) for r in sent.records()] == [
        (4, 1795903081089, b"k1", b"a b: c\nd"),
        (5, 1795903081140, None, None),
    ]
    assert marker.marker() is True
    assert (end.next_offset, end.reason) == (7, None)


def test_what_is_not_exact_says_why():
    (one,), _ = read(OLD)
    assert isinstance(one, DumpedBatch) and one.inexact == "the dump prints no header values"
    (cut,), _ = read(OLD.replace("headerKeys: [seq]", "headerKeys: []").replace("valueSize: 1", "valueSize: 3"))
    assert isinstance(cut, DumpedBatch) and cut.inexact == "the dump prints keys or payloads that are not text"
    (exact,), _ = read(OLD.replace("headerKeys: [seq]", "headerKeys: []"))
    assert isinstance(exact, DumpedBatch) and exact.inexact is None


def test_an_invalid_batch_ends_the_list():
    found, end = read(OLD + INVALID)
    assert len(found) == 1
    assert (end.next_offset, end.reason) == (1, "the dump calls the next batch invalid")
