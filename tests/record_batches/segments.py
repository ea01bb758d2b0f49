"""Writes record batches as a broker does: what `replay.record_batches` reads back."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from struct import Struct

import pyarrow as pa

from replay.record_batches.batches import Record

_TABLE = []
for _byte in range(256):
    _crc = _byte
    for _ in range(8):
        _crc = (_crc >> 1) ^ 0x82F63B78 if _crc & 1 else _crc >> 1
    _TABLE.append(_crc)

CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


def crc32c(data: bytes) -> int:
    """CRC-32C, byte by byte: slow and obviously right."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def varint(number: int) -> bytes:
    """A zigzag varint."""
    left, out = (number << 1) ^ (number >> 63), bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


def batch(
    records: Sequence[Record],
    *,
    leader_epoch: int = 0,
    producer: tuple[int, int, int] = (-1, -1, -1),
    attributes: int = 0,
    codec: str = "none",
    last_offset: int | None = None,
) -> bytes:
    """A batch of these records. `producer`: id, epoch and base sequence."""
    base, start = records[0].offset, records[0].timestamp
    body = _compressed(b"".join(_record(one, base, start) for one in records), codec)
    last = records[-1].offset if last_offset is None else last_offset
    highest = max(one.timestamp for one in records)
    checked = (
        Struct(">hiqqqhii").pack(attributes | CODECS[codec], last - base, start, highest, *producer, len(records))
        + body
    )
    return Struct(">qiibI").pack(base, 9 + len(checked), leader_epoch, 2, crc32c(checked)) + checked


def _record(record: Record, base: int, start: int) -> bytes:
    fields = b"\0" + varint(record.timestamp - start) + varint(record.offset - base) + _bytes(record.key)
    fields += _bytes(record.value) + varint(len(record.headers))
    for name, value in record.headers:
        fields += _bytes(name.encode()) + _bytes(value)
    return varint(len(fields)) + fields


def _bytes(value: bytes | None) -> bytes:
    return varint(-1) if value is None else varint(len(value)) + value


def _compressed(data: bytes, codec: str) -> bytes:
    if codec == "none":
        return data
    if codec == "gzip":
        return gzip.compress(data)
    if codec == "snappy":  # in snappy-java's framing, in blocks of 32 KB
        blocks = [bytes(pa.Codec("snappy").compress(data[at : at + 32768])) for at in range(0, len(data), 32768)]
        return b"\x82SNAPPY\0\0\0\0\1\0\0\0\1" + b"".join(len(one).to_bytes(4, "big") + one for one in blocks)
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()
