"""Zigzag varints, as Kafka writes them in record batches (Protocol Buffers' encoding)."""

from __future__ import annotations

_MOST_BYTES = 10  # of a 64-bit number


def varint(data: memoryview, at: int) -> tuple[int, int]:
    """The signed number that begins at `at`, and the position behind it. Raises ValueError if it does not end."""
    number = shift = 0
    for position in range(at, min(at + _MOST_BYTES, len(data))):
        byte = data[position]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (number >> 1) ^ -(number & 1), position + 1
        shift += 7
    raise ValueError("a number that does not end")
