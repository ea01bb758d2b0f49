"""The KRaft metadata log, put together from the dumps of several nodes (facts §1.9).

Dumps agree below the Raft high watermark; above it, the higher Raft epoch wins. Records in a transaction count only if it
was ended; an aborted or open one changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise
from typing import Any

from replay.facts.lines import detail, detail_number, kafka_lines
from replay.facts.window import TimeWindow
from replay.json_text import value_of_json
from replay.tables.brokers import MetadataRecord
from replay.tables.reading import Event

_BATCH, DUMPED_RECORD = "dump_batch", "dump_metadata_record"
_BEGIN, _END, _ABORT = "BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"
_TRANSACTION = (_BEGIN, _END, _ABORT)
_NO_EPOCH = -1  # of a record without a batch before it


def metadata_records(node_events: Sequence[Event], window: TimeWindow) -> list[MetadataRecord]:
    """The records in one node's dump of the metadata log. Partial rows of `METADATA_RECORDS`."""
    return merged_metadata_records(
        MetadataRecord(
            metadata_offset=offset,
            raft_epoch=epoch,
            type=detail(line, "type"),
            message=line.message or "",
            ts=line.ts,
            first_event=line.event_id,
            last_event=line.event_id,
        )
        for offset, epoch, line in _dumped(node_events, window)
    )


def _dumped(node_events: Sequence[Event], window: TimeWindow) -> Iterator[tuple[int, int, Event]]:
    """The dumped records with their offsets, each with the Raft epoch of the batch before it in its file."""
    lines = [line for line in kafka_lines(window.events_by_end(node_events)) if line.kind in (_BATCH, DUMPED_RECORD)]
    in_order = sorted(lines, key=lambda line: (line.source_file, line.line_number))
    for _, of_file in groupby(in_order, key=lambda line: line.source_file):
        epoch = _NO_EPOCH
        for line in of_file:
            offset = None if line.kind == _BATCH else detail_number(line, "offset")
            if line.kind == _BATCH:
                epoch = epoch if line.controller_epoch is None else line.controller_epoch
            elif offset is not None:
                yield offset, epoch, line


def merged_metadata_records(partial: Iterable[MetadataRecord]) -> list[MetadataRecord]:
    """The log of all dumps: of each offset the records of the highest Raft epoch, each content once."""
    of_offset: dict[int, dict[str, MetadataRecord]] = {}
    epochs: dict[int, int] = {}
    for record in partial:
        offset = record.metadata_offset
        if record.raft_epoch > epochs.get(offset, record.raft_epoch - 1):
            epochs[offset], of_offset[offset] = record.raft_epoch, {}
        if record.raft_epoch < epochs[offset]:
            continue
        known = of_offset[offset].get(record.message, record)
        first = min(known, record, key=lambda one: one.first_event)
        of_offset[offset][record.message] = first.but(last_event=max(known.last_event, record.last_event))
    return [record for _, sides in sorted(of_offset.items()) for _, record in sorted(sides.items())]


@dataclass(frozen=True, slots=True)
class Committed:
    """One committed record: its type and fields, None and empty if its line is truncated."""

    type: str | None
    data: Mapping[str, Any]
    ts: datetime | None
    event_id: str

    def number(self, *names: str) -> int | None:
        """The first of these fields that is a number."""
        return next((value for name in names if _is_number(value := self.data.get(name))), None)

    def numbers(self, *names: str) -> list[int] | None:
        """The first of these fields that is a list of numbers."""
        lists = (value for name in names if isinstance(value := self.data.get(name), list))
        return next((value for value in lists if all(map(_is_number, value))), None)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def metadata_log(metadata_records: Sequence[MetadataRecord]) -> list[Committed]:
    """The committed records in the order of the log, each offset once."""
    of_offset = groupby(metadata_records, key=lambda record: record.metadata_offset)
    log = [_parsed(min(records, key=lambda record: record.first_event)) for _, records in of_offset]
    marks = [*((place, one.type) for place, one in enumerate(log) if one.type in _TRANSACTION), (len(log), None)]
    void: set[int] = set()
    for (place, type_), (until, next_type) in pairwise(marks):
        if type_ == _BEGIN and next_type != _END:
            void.update(range(place + 1, until))
    return [one for place, one in enumerate(log) if place not in void]


def _parsed(record: MetadataRecord) -> Committed:
    payload = value_of_json(record.message)
    payload = payload if isinstance(payload, dict) else {}
    data = payload.get("data")
    return Committed(payload.get("type"), data if isinstance(data, dict) else {}, record.ts, record.first_event)
