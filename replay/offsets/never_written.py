"""Partitions that never held a record, according to the files of all their replicas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.times import known
from replay.tables.offsets import HighWatermark
from replay.tables.partitions import CommittedIsr, IsrSpan, LeaderEpoch

_FILE = "checkpoint_high_watermark"


def never_written(
    high_watermarks: Sequence[HighWatermark],
    leader_epochs: Iterable[LeaderEpoch],
    isr_spans: Iterable[IsrSpan | CommittedIsr],
) -> bool:
    """Whether every replica's replication-offset-checkpoint has the high watermark 0, and no line shows another
    offset.
    """
    assigned = {id_ for epoch in leader_epochs for id_ in epoch.replicas or ()}
    assigned |= {id_ for span in isr_spans for id_ in span.replicas or ()}
    with_file = {mark.node_id for mark in high_watermarks if mark.source == _FILE and mark.ts is None}
    offsets = (
        offset
        for mark in high_watermarks
        for offset in known((mark.high_watermark, mark.log_end_offset, mark.log_start_offset))
    )
    return bool(assigned) and assigned <= with_file and not any(offsets)
