"""The records of tiered topics in the remote store, and the local log starts (KIP-405), as far as lines show them.
Source: RemoteLogManager, UnifiedLog, TierStateMachine. Only a new leader prints where the remote log starts; the line
about a copied segment contains its base offset.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from replay.facts.lines import detail_number
from replay.facts.times import first_known
from replay.tables.offsets import RemoteLog
from replay.tables.reading import Event

_CHANGES = {
    "remote_copy_done": "copied",
    "remote_copy_failed": "copy_failed",
    "remote_segment_left_behind": "left_behind",
    "remote_log_segment_deleted": "remote_deleted",
    "local_log_start_offset_incremented": "local_start",
    "tier_epoch_cache_rebuilt": "epochs_rebuilt",
}
_FOUND = "remote_log_become_leader"
_COPIED_TO = re.compile(r"offset[=:] ?(\d+), (?:leaderE|e)poch[=:] ?(\d+)")


def remote_logs(partition_events: Iterable[Event]) -> Iterator[RemoteLog]:
    """Every line about the remote log of one partition, or about its local log start.

    A new leader first prints up to which offset the log was copied, and where it starts.
    """
    for line in partition_events:
        if (line.kind in _CHANGES or line.kind == _FOUND) and line.node_id is not None:
            found_end = (line.details or {}).get("copied_offset_option")
            change = _change(line, found_end)
            copied_to = _COPIED_TO.search(found_end or "")
            if change is not None:
                yield RemoteLog(
                    topic=line.topic,
                    partition=line.partition,
                    node_id=line.node_id,
                    ts=line.ts,
                    change=change,
                    segment_base_offset=detail_number(line, "base_offset"),
                    log_start_offset=line.log_start_offset if line.kind == _FOUND else None,
                    local_log_start_offset=first_known(
                        detail_number(line, "local_log_start_offset"),
                        detail_number(line, "leader_local_log_start_offset"),
                    ),
                    remote_end_offset=int(copied_to[1]) if copied_to else None,
                    leader_epoch=int(copied_to[2]) if copied_to else None,
                    evidence=[line.event_id],
                )


def _change(line: Event, found_end: str | None) -> str | None:
    if line.kind in _CHANGES:
        return _CHANGES[line.kind]
    if found_end is not None:
        return "found_remote_end"
    return None if line.log_start_offset is None else "found_log_start"
