"""Reads record batches from the text of `kafka-dump-log --print-data-log` (Kafka 0.11 and later).

The text has no header values, and it does not escape keys and payloads: a record is exact only if it has no header and
its texts have the printed sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from replay.record_batches.batches import MOST_BATCH_BYTES, Record, RecordBatch, SegmentEnd

_BATCH = re.compile(
    r"baseOffset: (?P<base>\d+) lastOffset: (?P<last>\d+) count: (?P<count>\d+) baseSequence: (?P<sequence>-?\d+) "
    r".{0,80}?producerId: (?P<producer>-?\d+) producerEpoch: (?P<epoch>-?\d+) partitionLeaderEpoch: (?P<leader_epoch>-?\d+) "
    r"isTransactional: (?P<transactional>true|false) isControl: (?P<control>true|false) .{0,80}?position: (?P<position>\d+) "
    r"(?P<time_type>CreateTime|LogAppendTime): (?P<time>-?\d+) .{0,200}?isvalid: (?P<valid>true|false)"
)
_RECORD = re.compile(
    r"\| offset: (?P<offset>\d+) .{0,120}?(?:CreateTime|LogAppendTime): (?P<time>-?\d+) .{0,300}?"
    r"headerKeys: \[(?P<headers>[^\]]*)\](?P<rest>.*)"
)
_SIZES = re.compile(r"keySize: (-?\d+) valueSize: (-?\d+)")
_MARKER = re.compile(r"endTxnMarker: (COMMIT|ABORT)")
_MARKER_KEYS = {"COMMIT": b"\0\0\0\1", "ABORT": b"\0\0\0\0"}
_TRANSACTIONAL, _CONTROL, _APPEND_TIME = 0x10, 0x20, 0x08
STARTS = "Dumping "


@dataclass(frozen=True, slots=True)
class DumpedBatch(RecordBatch):
    """A batch whose records were printed."""

    printed: tuple[Record, ...] = ()
    inexact: str | None = None  # why its records cannot be produced again as they were

    def records(self) -> Iterator[Record]:
        return iter(self.printed)


def dumped_batches(lines: Iterable[str]) -> Iterator[RecordBatch | SegmentEnd]:
    """The batches in the text, and at last its end. A batch that the tool calls invalid ends it.

    Raises ValueError if the text of one batch is larger than any batch.
    """
    head: re.Match[str] | None = None
    records: list[list[str]] = []  # a payload can have line breaks
    size = 0
    before: RecordBatch | None = None
    for line in chain(lines, (STARTS,)):
        size += len(line)
        if size > MOST_BATCH_BYTES:
            raise ValueError("the text of one batch is too large")
        if line.startswith("| "):
            records.append([line])
            continue
        found = _BATCH.match(line)
        if found is None and not line.startswith(STARTS):
            if records:
                records[-1].append(line)
            continue
        if head is not None:
            if head["valid"] != "true":
                break
            before = _batch(head, ["".join(parts).rstrip("\n") for parts in records])
            yield before
        head, records, size = found, [], len(line)
    reason = "the dump calls the next batch invalid" if head is not None else None
    yield SegmentEnd(0, None if before is None else before.last_offset + 1, reason)


def _batch(head: re.Match[str], lines: Iterable[str]) -> DumpedBatch:
    printed: list[Record] = []
    reasons: list[str] = []
    for line in lines:
        record, reason = _record(line)
        if record is not None:
            printed.append(record)
        if reason is not None:
            reasons.append(reason)
    if len(printed) != int(head["count"]):
        reasons.append("the dump prints no records (--print-data-log) or not all")
    is_control, is_transactional = head["control"] == "true", head["transactional"] == "true"
    attributes = (_CONTROL if is_control else 0) | (_TRANSACTIONAL if is_transactional else 0)
    attributes |= _APPEND_TIME if head["time_type"] == "LogAppendTime" else 0
    return DumpedBatch(
        int(head["position"]),
        int(head["base"]),
        int(head["last"]),
        int(head["leader_epoch"]),
        printed[0].timestamp if printed else int(head["time"]),
        int(head["time"]),
        int(head["producer"]),
        int(head["epoch"]),
        int(head["sequence"]),
        int(head["count"]),
        attributes,
        b"",
        tuple(printed),
        None if is_control or not reasons else reasons[0],
    )


def _record(line: str) -> tuple[Record | None, str | None]:
    """A record, and why it is not exact."""
    found = _RECORD.match(line)
    if found is None:
        return None, "a record is not printed completely"
    marker = _MARKER.search(found["rest"])
    if marker is not None:
        return Record(int(found["offset"]), int(found["time"]), _MARKER_KEYS[marker[1]], b""), None
    headers = tuple((name, None) for name in found["headers"].split(",") if name)
    key, value = _texts(line, found.start("rest"))
    record = Record(int(found["offset"]), int(found["time"]), key, value, headers)
    sizes = _SIZES.search(line)
    if headers:
        return record, "the dump prints no header values"
    if sizes is None or tuple(map(int, sizes.groups())) != tuple(
        -1 if one is None else len(one) for one in (key, value)
    ):
        return record, "the dump prints keys or payloads that are not text"
    return record, None


def _texts(line: str, at: int) -> tuple[bytes | None, bytes | None]:
    """Key and payload behind the header keys; None for a null, by its size."""
    sizes = _SIZES.search(line)
    has_key, has_value = (int(size) >= 0 for size in sizes.groups()) if sizes else (True, True)
    rest = line[at:]
    key: bytes | None = None
    if has_key and rest.startswith(" key: "):
        size = int(sizes[1]) if sizes else 0
        begin = len(" key: ")
        key = rest[begin:].encode()[:size]
        rest = rest[begin + len(key.decode(errors="replace")) :]
    value = rest.removeprefix(" payload: ").encode() if has_value and rest.startswith(" payload: ") else None
    return key, value
