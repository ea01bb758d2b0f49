"""What a result says about lost records that it does not name, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.sentences.wording import enumerated
from replay.tables.offsets import DeletedRecords

NONE_POSSIBLE = "Nothing in these logs could have lost committed records."
NONE_FOUND = "No loss of committed records was found."
NOT_COUNTED = "Deleted by request, and not counted as lost"
_MOST = 2  # doubts


def not_ruled_out(doubts: Sequence[str]) -> str:
    """That the logs show no loss, and why they do not rule one out."""
    more = f" And {len(doubts) - _MOST} more." if len(doubts) > _MOST else ""
    return f"These logs show no loss of committed records, but do not rule one out. {' '.join(doubts[:_MOST])}{more}"


def topic_deleted(topic: str, ts: datetime | None) -> str:
    """A topic that was deleted, with its records."""
    at = "" if ts is None else f" at {ts:%Y-%m-%d %H:%M:%S} UTC"
    return f"topic {topic} with all its records{at}"


def records_deleted(row: DeletedRecords) -> str:
    """Records that were deleted from the begin of logs."""
    at = "" if row.first_ts is None else f" from {row.first_ts:%Y-%m-%d %H:%M:%S} UTC"
    name, start = f"{row.topic}-{row.partition}", row.log_start_offset
    if row.partitions == 1:
        return f"records of {name} below offset {start}{at}"
    return (
        f"records of {row.partitions:,} partitions of {row.topic}{at}, for example those of {name} below offset {start}"
    )


def not_counted(deletions: Sequence[str]) -> str | None:
    """What was deleted by request, in a sentence; None if nothing was."""
    more = f"; and {len(deletions) - _MOST:,} more" if len(deletions) > _MOST else ""
    return f"{NOT_COUNTED}: {'; '.join(deletions[:_MOST])}{more}." if deletions else None


def violated(invariants: Sequence[tuple[str, str]]) -> str:
    """Which invariants are violated, of which partition; the partition of the first only."""
    names = sorted({name for name, _ in invariants})
    return f"{enumerated(names, 'Invariant', 'Invariants', 'Invariant')} {'is' if len(names) == 1 else 'are'} violated, for example in {invariants[0][1]}."
