"""Batches of idempotent producers that leaders refused, because the batches before them are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.evidence import earliest
from replay.facts.groups import by_key
from replay.facts.lines import detail, number_in
from replay.tables.causes import SequenceGap
from replay.tables.offsets import HighWatermark
from replay.tables.reading import Event

_AT_OFFSET = (
    r"OutOfOrderSequence\w{0,20}: Out of order sequence number for producer \d{1,19} at offset (\d{1,19}) in partition "
)


def sequence_gaps(partition_events: Iterable[Event], high_watermarks: Sequence[HighWatermark]) -> list[SequenceGap]:
    """One row for each leader of one partition that refused such a batch (Kafka 2.4 and later print the offset)."""
    refused = [
        (event, offset)
        for event in partition_events
        if event.kind == "produce_append_error" and event.ts is not None and event.node_id is not None
        if (offset := number_in(detail(event, "exception"), _AT_OFFSET)) is not None
    ]
    by_leader = by_key(refused, lambda one: one[0].node_id)
    return [_of_leader(own, high_watermarks) for own in by_leader.values()]


def _of_leader(refused: Sequence[tuple[Event, int]], high_watermarks: Iterable[HighWatermark]) -> SequenceGap:
    last, offset = max(refused, key=lambda one: (one[0].ts, one[0].line_number))
    later = [
        line
        for line in high_watermarks
        if line.role == "leader" and line.high_watermark is not None and line.ts is not None and line.ts > last.ts
    ]
    is_still = bool(later) and all(line.high_watermark <= offset for line in later)
    return SequenceGap(
        topic=last.topic,
        partition=last.partition,
        node_id=last.node_id,
        ts=last.ts,
        offset=offset,
        still_ts=max(line.ts for line in later) if is_still else None,
        evidence=earliest((event.ts, event.event_id) for event, _ in refused),
    )
