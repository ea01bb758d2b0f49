"""Registrations and fencing in dumps of the KRaft metadata log.

Dumps of several nodes agree below the Raft high watermark; above it, the higher Raft epoch wins. Records in a transaction
count only if it was ended; an aborted or open one changes nothing. Each dump gives its member and transaction records,
and its offsets by Raft epoch; this module merges them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from replay.facts.lines import detail_number, kafka_lines
from replay.facts.window import TimeWindow
from replay.json_text import value_of_json
from replay.tables.brokers import DumpedMember, DumpedSpan, RecordedMembership
from replay.tables.reading import Event

_BATCH = "dump_batch"
_DUMPED = (_BATCH, "dump_metadata_record")
_BEGIN, _END, _ABORT = "BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"
_TRANSACTION = (_BEGIN, _END, _ABORT)
_REGISTERED = "REGISTER_BROKER_RECORD"
_CHANGED = "BROKER_REGISTRATION_CHANGE_RECORD"
_CHANGES = {"FENCE_BROKER_RECORD": "lost", "UNFENCE_BROKER_RECORD": "back", _REGISTERED: "registered", _CHANGED: None}
_FENCED = {"1": "lost", "-1": "back"}  # in a record that changes a registration
_NO_EPOCH = -1  # of a record without a batch before it


def dumped_members(node_events: Sequence[Event], window: TimeWindow) -> list[DumpedMember]:
    """The records of members, and the marks of transactions, in the node's dump."""
    return [
        row
        for offset, epoch, line in records_of_dump(node_events, window)
        for row in _member(offset, epoch, line, _parsed(line.message))
    ]


def _member(offset: int, epoch: int, line: Event, record: Mapping[str, Any]) -> Iterator[DumpedMember]:
    type_, data = record.get("type"), record.get("data") or {}
    if type_ in _TRANSACTION:
        yield DumpedMember(metadata_offset=offset, raft_epoch=epoch, type=type_, event_id=line.event_id)
    elif type_ in _CHANGES:
        broker = _number(data, "brokerId", "id")
        change = _FENCED.get(str(data.get("fenced")), _CHANGES[type_])
        if broker is not None and change is not None:
            yield DumpedMember(
                metadata_offset=offset,
                raft_epoch=epoch,
                type=type_,
                broker_id=broker,
                ts=line.ts,
                change=change,
                broker_epoch=_number(data, "brokerEpoch", "epoch"),
                event_id=line.event_id,
            )


def _parsed(text: str | None) -> Mapping[str, Any]:
    """A record of the log; empty if the line is truncated."""
    record = value_of_json(text or "{}")
    return record if isinstance(record, dict) and isinstance(record.get("data") or {}, dict) else {}


def _number(data: Mapping[str, Any], *names: str) -> int | None:
    values = (data.get(name) for name in names)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool)), None)


def dumped_spans(node_events: Sequence[Event], window: TimeWindow) -> list[DumpedSpan]:
    """The runs of offsets that the node's dump has in one Raft epoch."""
    spans: list[DumpedSpan] = []
    for offset, epoch, _ in sorted(records_of_dump(node_events, window), key=lambda record: record[:2]):
        last = spans[-1] if spans else None
        if last is not None and last.raft_epoch == epoch and offset <= last.to_offset + 1:
            spans[-1] = last.but(to_offset=offset)
        else:
            spans.append(DumpedSpan(from_offset=offset, to_offset=offset, raft_epoch=epoch))
    return spans


def records_of_dump(node_events: Sequence[Event], window: TimeWindow) -> Iterator[tuple[int, int, Event]]:
    """The dumped records with their offsets, each with the Raft epoch of the batch before it in its file."""
    dumped = [line for line in kafka_lines(window.events_by_end(node_events)) if line.kind in _DUMPED]
    file, epoch = None, _NO_EPOCH
    for line in sorted(dumped, key=lambda line: (line.source_file, line.line_number)):
        if line.source_file != file:
            file, epoch = line.source_file, _NO_EPOCH
        if line.kind == _BATCH:
            epoch = epoch if line.controller_epoch is None else line.controller_epoch
        else:
            offset = detail_number(line, "offset")
            if offset is not None:
                yield offset, epoch, line


def recorded_membership(
    dumped_members: Iterable[DumpedMember], dumped_spans: Iterable[DumpedSpan]
) -> list[RecordedMembership]:
    """The brokers that joined and left: each offset once, from the highest Raft epoch."""
    epochs = _HighestEpochs(dumped_spans)
    chosen: dict[int, DumpedMember] = {}
    for row in sorted(dumped_members, key=lambda row: row.event_id):
        if row.raft_epoch == epochs.at(row.metadata_offset):
            chosen.setdefault(row.metadata_offset, row)
    log = [chosen[offset] for offset in sorted(chosen)]
    marks = [row for row in log if row.type in _TRANSACTION]
    places = [row.metadata_offset for row in marks]
    return [
        RecordedMembership(
            broker_id=row.broker_id,
            ts=row.ts,
            change=row.change,
            broker_epoch=row.broker_epoch,
            event_id=row.event_id,
        )
        for row in log
        if row.change is not None and not _is_void(marks, bisect_right(places, row.metadata_offset))
    ]


def _is_void(marks: Sequence[DumpedMember], at: int) -> bool:
    """Whether a record between the marks `at - 1` and `at` belongs to a transaction that was not ended."""
    inside = at > 0 and marks[at - 1].type == _BEGIN
    return inside and not (at < len(marks) and marks[at].type == _END)


class _HighestEpochs:
    """The highest Raft epoch in which any dump has an offset."""

    def __init__(self, spans: Iterable[DumpedSpan]) -> None:
        self._spans = sorted(spans, key=lambda span: -span.raft_epoch)

    def at(self, offset: int) -> int | None:
        covering = (span.raft_epoch for span in self._spans if span.from_offset <= offset <= span.to_offset)
        return next(covering, None)
