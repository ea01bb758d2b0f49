"""The records that were deleted by request (DeleteRecords). They are no loss of replication, and no figure counts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from replay.facts.groups import by_key
from replay.facts.order import nulls_first
from replay.facts.times import least
from replay.tables.offsets import DeletedRecords, LogStart


def deleted_records(log_starts: Sequence[LogStart]) -> Iterator[DeletedRecords]:
    """One row of one partition whose log start a request moved."""
    moved = [row for row in log_starts if row.change == "moved_by_request" and row.log_start_offset is not None]
    if moved:
        first = min(moved, key=lambda row: nulls_first(row.ts, row.evidence))
        yield DeletedRecords(
            topic=first.topic,
            partition=first.partition,
            partitions=1,
            log_start_offset=max(row.log_start_offset for row in moved),
            first_ts=first.ts,
            evidence=list(first.evidence),
        )


def all_deleted_records(deleted_records: Iterable[DeletedRecords]) -> list[DeletedRecords]:
    """One row for each topic."""
    found = []
    for _, own in sorted(by_key(deleted_records, lambda row: row.topic).items()):
        first = min(own, key=lambda row: row.partition)
        first_ts = least(*(row.first_ts for row in own))
        found.append(first.but(partitions=sum(row.partitions for row in own), first_ts=first_ts))
    return found
