"""The content of each replica's file `leader-epoch-checkpoint` at any time, in the notation of the file: `(0 0)(1 0)(2
1)`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from replay.facts.evidence import AT_MOST
from replay.facts.times import EPOCH as ALWAYS  # before anything in the logs
from replay.facts.times import known
from replay.histories.lineages import Lineage
from replay.histories.partition import by_life
from replay.partitions.lives import TopicLives
from replay.tables.offsets import EpochFile, HighWatermark, ReplicaEpoch


def epoch_files(
    replica_epochs: Sequence[ReplicaEpoch], high_watermarks: Sequence[HighWatermark], lives: TopicLives
) -> Iterator[EpochFile]:
    """The content of each replica's file, one row from one change to the next, for each topic that had the name."""
    if replica_epochs:
        for _, own in by_life(lives, caches=replica_epochs, marks=high_watermarks):
            yield from files_of(own["caches"], own["marks"])


def files_of(caches: Iterable[ReplicaEpoch], marks: Iterable[HighWatermark]) -> list[EpochFile]:
    """The content of the file of each replica of one topic's partition.

    If the log start has passed the start of the first remaining entry, the file contains the log start there (facts
    §1.4).
    """
    entries, log_starts = defaultdict(list), defaultdict(set)
    for row in caches:
        entries[row.node_id].append(row)
    for mark in marks:
        if mark.ts is not None and mark.log_start_offset is not None and mark.log_start_offset > 0:
            log_starts[mark.node_id].add((mark.ts, mark.log_start_offset))
    return [row for node_id, own in sorted(entries.items()) for row in _of_replica(own, sorted(log_starts[node_id]))]


def _of_replica(own: Sequence[ReplicaEpoch], log_starts: Sequence[tuple[datetime, int]]) -> list[EpochFile]:
    changes = sorted(_changed(own, log_starts), key=lambda row: row.start_ts)
    return [
        row.but(start_ts=None if row.start_ts == ALWAYS else row.start_ts, end_ts=later.start_ts if later else None)
        for row, later in pairwise([*changes, None])
        if row is not None
    ]


def _changed(own: Sequence[ReplicaEpoch], log_starts: Sequence[tuple[datetime, int]]) -> Iterator[EpochFile]:
    """The file after each change of it, with the time as `start_ts`."""
    before: str | None = None
    for moment in _moments(own, log_starts):
        standing = [row for row in own if _from(row) <= moment and (row.end_ts is None or row.end_ts > moment)]
        came = [row for row in standing if _from(row) == moment]
        gone = [] if came else [row for row in own if row.end_ts == moment]
        log_start = max((start for ts, start in log_starts if ts <= moment), default=None)
        held = sorted({(row.leader_epoch, row.epoch_start_offset) for row in standing})
        entries = _with_first_at(held, log_start)
        reads = notation(entries)
        if reads != before:
            yield EpochFile(
                topic=own[0].topic,
                partition=own[0].partition,
                node_id=own[0].node_id,
                start_ts=moment,
                is_earliest=any(row.is_earliest for row in came),
                entries=[{"leader_epoch": epoch, "epoch_start_offset": start} for epoch, start in entries],
                notation=reads,
                told_by=sorted({*(by for row in came for by in row.told_by), *known(row.removed_by for row in gone)}),
                evidence=sorted(
                    {*(event for row in came for event in row.evidence), *known(row.removal_id for row in gone)}
                )[:AT_MOST],
            )
        before = reads


def _moments(own: Iterable[ReplicaEpoch], log_starts: Iterable[tuple[datetime, int]]) -> list[datetime]:
    """The times at which the file may have changed, from its first entry on."""
    changes = {ts for row in own for ts in (_from(row), row.end_ts) if ts is not None}
    begins = min(changes)
    return sorted(changes | {ts for ts, _ in log_starts if ts >= begins})


def _from(row: ReplicaEpoch) -> datetime:
    start: datetime | None = row.start_ts
    return ALWAYS if start is None else start


def _with_first_at(entries: Lineage, log_start: int | None) -> Lineage:
    """`entries` as the file has them when the log begins at `log_start`: those that it has passed become one, the last
    of them, at the log start.
    """
    passed = [] if log_start is None else [epoch for epoch, start in entries if start <= log_start]
    if log_start is None or not passed:
        return entries
    return [(passed[-1], log_start), *[(epoch, start) for epoch, start in entries if start > log_start]]


def notation(entries: Lineage) -> str:
    """`(0 0)(1 0)(2 1)`: leader epoch and first offset of each entry, like the lines of the file; empty for none."""
    return "".join(f"({epoch} {start})" for epoch, start in entries)
