"""The start of each replica's log, and what moved it: rolled segments, retention, DeleteRecords, compaction, or a
leader that no longer had the follower's next records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from replay.facts.lines import detail, detail_number, number_in
from replay.facts.order import less
from replay.facts.times import first_known
from replay.tables.offsets import LogStart
from replay.tables.reading import Event

_BASE = r"baseOffset[= ](\d+)"
# What Kafka prints as the reason of a moved log start (2.6.3 and later) -> change.
_MOVED = {
    "segment deletion": "moved_by_retention",
    "leader offset increment": "moved_by_leader",
    "client delete records request": "moved_by_request",
}
_KINDS = {
    "log_created",
    "log_load_completed",
    "log_rolled",
    "log_retention_delete",
    "log_start_offset_incremented",
    "fetch_offset_reset_to_leader_start",
    "follower_log_start_moved",
    "log_cleaner_progress",
    "checkpoint_log_start_offset",
}
_OF_NO_REPLICA = re.compile(r"-(?:future|delete|stray)(?:,|$)")


def log_starts(partition_events: Iterable[Event]) -> Iterator[LogStart]:
    """Every line of one partition that shows where a replica's log starts, or why it starts later than before.
    Segments that local retention of a tiered topic deletes are in the remote store, so the log start stays. A follower
    whose log ends before its leader's log starts deletes its whole log and starts at the leader's log start. Releases
    up to 3.5 print the same line if the follower's log reaches further; then it deletes nothing. For a compaction, the
    line with the cleaned offsets counts. A copy in another log directory, and one that is about to be deleted,
    are not the replica's log.
    """
    for line in partition_events:
        if line.kind in _KINDS and line.node_id is not None and not _is_of_no_replica(line):
            change, start, affected = _change(line), _start(line), _affected(line)
            if change is not None and (start is not None or affected is not None):
                yield LogStart(
                    topic=line.topic,
                    partition=line.partition,
                    node_id=line.node_id,
                    ts=line.ts,
                    change=change,
                    log_start_offset=start,
                    from_offset=affected,
                    to_offset=_until(line),
                    evidence=[line.event_id],
                )


def _is_of_no_replica(line: Event) -> bool:
    details = line.details or {}
    folder = first_known(details.get("log_dir") if line.kind == "log_created" else None, details.get("loaded_log"), "")
    return _OF_NO_REPLICA.search(folder or "") is not None


def _change(line: Event) -> str | None:
    change: str | None = {
        "log_created": "created",
        "log_load_completed": "loaded",
        "log_rolled": "rolled",
        "follower_log_start_moved": "started_at_first_record",
        "checkpoint_log_start_offset": "file",
    }.get(line.kind)
    if line.kind == "log_retention_delete":
        change = _retention(line)
    elif line.kind == "log_start_offset_incremented":
        change = _MOVED.get(detail(line, "reason") or "", "moved")
    elif line.kind == "fetch_offset_reset_to_leader_start" and less(
        _ends(line), detail_number(line, "leader_start_offset")
    ):
        change = "restarted_at_leader"
    elif line.kind == "log_cleaner_progress" and detail_number(line, "to_offset") is not None:
        change = "compacted"
    return change


def _retention(line: Event) -> str:
    """Why a segment is deleted. Of a tiered topic (KIP-405) retention may delete only the local copy, and the records
    stay.
    """
    details = line.details or {}
    why = "retention"
    if details.get("retention_size") is not None or details.get("local_retention_size") is not None:
        why = "retention_size"
    elif details.get("retention_ms") is not None:
        why = "retention_time"
    return f"local_{why}" if " due to local log retention " in (line.message or "") else why


def _start(line: Event) -> int | None:
    """The log start after the line."""
    if line.kind == "log_created":
        return 0
    if line.kind == "fetch_offset_reset_to_leader_start":
        return detail_number(line, "leader_start_offset")
    if line.kind == "follower_log_start_moved":
        return detail_number(line, "first_offset")
    start: int | None = line.log_start_offset
    return start


def _affected(line: Event) -> int | None:
    """The first offset that the line concerns."""
    affected: int | None = None
    if line.kind == "log_rolled":
        affected = line.log_end_offset
    elif line.kind == "log_retention_delete":
        affected = number_in(detail(line, "segment"), _BASE)
    elif line.kind == "log_cleaner_progress":
        affected = detail_number(line, "from_offset")
    elif line.kind == "fetch_offset_reset_to_leader_start":
        affected = _ends(line)
    return affected


def _until(line: Event) -> int | None:
    if line.kind == "log_cleaner_progress":
        return detail_number(line, "to_offset")
    return detail_number(line, "leader_start_offset") if line.kind == "fetch_offset_reset_to_leader_start" else None


def _ends(line: Event) -> int | None:
    """The end of the replica's log."""
    return first_known(line.log_end_offset, detail_number(line, "replica_end_offset"))
