"""Decompresses the records of a batch: gzip, Snappy, LZ4 and Zstandard, with a limit on the size."""

from __future__ import annotations

import pyarrow as pa

from replay.record_batches.varints import varint

NONE, GZIP, SNAPPY, LZ4, ZSTD = range(5)  # attribute bits 0 to 2 of a batch (Kafka's CompressionType)
_STREAMS = {GZIP: "gzip", LZ4: "lz4", ZSTD: "zstd"}
_XERIAL = b"\x82SNAPPY\x00"  # the framing of snappy-java, which Kafka's Java clients write
_TOO_LARGE = "the decompressed records are too large"
_XERIAL_HEADER = len(_XERIAL) + 8  # and two versions


def decompressed(data: memoryview, codec: int, limit: int) -> memoryview:
    """The records as bytes. Raises ValueError for an unknown codec, damaged data, and more than `limit` bytes."""
    if codec == NONE:
        return data
    try:
        if codec == SNAPPY:
            return memoryview(_snappy(data, limit))
        if codec not in _STREAMS:
            raise ValueError(f"compression {codec} is not known")
        with pa.CompressedInputStream(pa.BufferReader(data), _STREAMS[codec]) as stream:
            read = stream.read(limit + 1)
    except (OSError, pa.ArrowException) as error:
        raise ValueError("the compressed records are damaged") from error
    return memoryview(_limited(read, limit))


def _snappy(data: memoryview, limit: int) -> bytes:
    if bytes(data[: len(_XERIAL)]) != _XERIAL:
        return _snappy_block(data, limit)
    blocks, at, left = [], _XERIAL_HEADER, limit
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if at + 4 + size > len(data) or not size:
            raise ValueError("a Snappy block does not end")
        blocks.append(_snappy_block(data[at + 4 : at + 4 + size], left))
        at, left = at + 4 + size, left - len(blocks[-1])
    return b"".join(blocks)


def _snappy_block(data: memoryview, limit: int) -> bytes:
    """One block; it begins with its decompressed size."""
    size = unsigned(data)
    if size > limit:
        raise ValueError(_TOO_LARGE)
    codec = pa.Codec("snappy")
    return bytes(codec.decompress(data, decompressed_size=size))


def unsigned(data: memoryview) -> int:
    """The unsigned number with which a Snappy block begins."""
    signed, _ = varint(data, 0)
    return signed << 1 if signed >= 0 else (-signed << 1) - 1  # undoes the zigzag


def _limited(read: bytes, limit: int) -> bytes:
    if len(read) > limit:
        raise ValueError(_TOO_LARGE)
    return read
