"""Record batches are read as a broker wrote them; damaged ones end the list, with their offset."""

from __future__ import annotations

import io
from struct import Struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.record_batches.batches import Record, RecordBatch, SegmentEnd, batches
from replay.record_batches.compression import SNAPPY, ZSTD, decompressed
from tests.each import for_each
from tests.record_batches.segments import CODECS, batch, crc32c, varint

FIRST = (
    Record(5, 1_000, b"k1", b"v1", (("trace", b"a"), ("none", None))),
    Record(6, 1_007, None, b"v2"),
    Record(8, 990, b"k3", None),  # offset 7 was compacted away; a tombstone
)
SECOND = (Record(9, 1_010, b"k4", b"v4"),)


def read(segment: bytes) -> tuple[list[RecordBatch], SegmentEnd]:
    *found, end = batches(io.BytesIO(segment), crc32c)
    return found, end


@pytest.mark.parametrize("codec", CODECS)
def test_every_compression_is_read_back(codec: str):
    found, end = read(batch(FIRST, leader_epoch=3, codec=codec) + batch(SECOND, leader_epoch=4))
    assert [tuple(one.records()) for one in found] == [FIRST, SECOND]
    assert [(one.base_offset, one.last_offset, one.leader_epoch, one.count) for one in found] == [
        (5, 8, 3, 3),
        (9, 9, 4, 1),
    ]
    assert (end.next_offset, end.reason) == (10, None)


def test_producers_sequences_and_transactions():
    sent = batch(FIRST, producer=(77, 2, 0x7FFFFFFE), attributes=0x10)
    commit = batch([Record(9, 1, b"\0\0\0\1", b"")], producer=(77, 2, -1), attributes=0x30)
    abort = batch([Record(10, 1, b"\0\0\0\0", b"")], producer=(77, 2, -1), attributes=0x30)
    found, _ = read(sent + commit + abort)
    assert (found[0].producer_id, found[0].producer_epoch, found[0].is_transactional) == (77, 2, True)
    assert [found[0].sequence(offset) for offset in (5, 6, 8)] == [0x7FFFFFFE, 0x7FFFFFFF, 1]  # it wraps to 0
    assert [one.marker() for one in found] == [None, True, False]
    assert found[1].sequence(9) == -1


def test_the_broker_s_time_counts_for_every_record_of_a_batch():
    (one,), _ = read(batch(FIRST, attributes=0x08))
    assert [record.timestamp for record in one.records()] == [1_007] * 3


TORN = "the last batch is torn"


@for_each(
    ("damage", "reason"),
    [
        (lambda good: good[:7], TORN),
        (lambda good: good[:40], TORN),
        (lambda good: good[:-1], TORN),
        (lambda good: good[:-1] + b"X", "the checksum of the batch is wrong"),
        (lambda good: good[:16] + b"\1" + good[17:], "the records have the message format 1"),
        (lambda good: good[:16] + b"\7" + good[17:], "no record batch begins here"),
        (lambda good: good[:8] + b"\x7f\xff\xff\xff" + good[12:], "no record batch begins here"),
        (lambda good: good[:8] + b"\0\0\0\5" + good[12:], "no record batch begins here"),
        (lambda good: b"\0" * 200, None),  # a preallocated segment
        (lambda good: batch(FIRST), "offset 5 follows 8"),
        (lambda good: batch(SECOND, leader_epoch=-1), "leader epoch -1 follows 0"),
    ],
)
def test_a_damaged_batch_ends_the_list_with_its_offset(damage, reason: str | None):
    good = batch(FIRST)
    found, end = read(good + damage(batch(SECOND)))
    assert [tuple(one.records()) for one in found] == [FIRST]
    assert (end.position, end.next_offset) == (len(good), 9)
    assert end.reason == reason or str(end.reason).startswith(str(reason))


@for_each(
    "body",
    [
        varint(200) + b"\0\0\0",  # longer than the batch
        varint(3) + b"\0\0\2",  # an offset outside the batch
        varint(6) + b"\0\0\0" + varint(90) + b"ab",  # a key beyond the record
        varint(7) + b"\0\0\0\1\1" + varint(9) + b"x",  # more headers than bytes
        varint(6) + b"\0\0\0\1\1\0" + b"tail",  # bytes behind the last record
        b"\xff" * 12,  # a number that does not end
        b"",  # no record
    ],
)
def test_records_that_contradict_their_lengths_are_refused(body: bytes):
    checked = Struct(">hiqqqhii").pack(0, 0, 0, 0, -1, -1, -1, 1) + body
    (one,), _ = read(Struct(">qiibI").pack(0, 9 + len(checked), 0, 2, crc32c(checked)) + checked)
    with pytest.raises(ValueError, match=r"record|field|number|bytes|header"):
        list(one.records())


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_a_compression_bomb_is_refused(codec: str):
    (one,), _ = read(batch([Record(0, 0, None, b"\0" * 4_000_000)], codec=codec))
    with pytest.raises(ValueError, match="too large"):
        decompressed(memoryview(one.data), one.codec, 1_000_000)


def test_damaged_compression_is_refused():
    for codec, data in ((SNAPPY, b"\xff\xff\x03abc"), (ZSTD, b"no zstd"), (6, b"x"), (1, b"\x1f\x8bno")):
        with pytest.raises(ValueError, match=r"damaged|not known|large"):
            decompressed(memoryview(data), codec, 1_000_000)


@given(data=st.data())
def test_no_damage_makes_a_wrong_record_or_another_error(data: st.DataObject):
    codec = data.draw(st.sampled_from([*CODECS]))
    good = bytearray(batch(FIRST, codec=codec, producer=(7, 0, 0)) + batch(SECOND))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(good) - 1))
        good[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(good)))
    found, _ = read(bytes(good[:cut]))
    for one in found:
        # The base offset and the leader epoch stand outside the checksum: the rest is as it was written.
        assert [(r.timestamp, r.key, r.value) for r in one.records()] in (
            [(r.timestamp, r.key, r.value) for r in FIRST],
            [(r.timestamp, r.key, r.value) for r in SECOND],
        )
