"""Where records are besides the leader's local log: the log directories between which replicas moved, and the remote
store of tiered topics.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from viz import frames
from viz import phrases as words
from viz.markup import Evidence, Grid, grid, when

_MOVED, _COPYING = "moved", "copying"
_REMOTE: dict[str, Callable[[Any], str]] = {
    "found_log_start": lambda row: f"Became leader: the log starts at {_offset(row.log_start_offset)}",
    "found_remote_end": lambda row: (
        "Became leader: nothing found in the remote store"
        if row.remote_end_offset is None
        else f"Became leader: the remote log ends at {_offset(row.remote_end_offset)}, leader epoch {row.leader_epoch}"
    ),
    "epochs_rebuilt": lambda _: "Became follower: rebuilt its state from the remote store",
    "copied": lambda row: f"Last segment copied: it begins at {_offset(row.segment_base_offset)}",
    "copy_failed": lambda _: "Last copy that failed",
    "local_start": lambda row: f"Last local deletion: the local log starts at {_offset(row.local_log_start_offset)}",
    "remote_deleted": lambda _: "Last remote segment deleted",
    "left_behind": lambda _: "Last remote segment that could not be deleted",
}


def directories_grid(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """The moves of replicas between log directories: completed, canceled or still in progress."""
    every = frames.rows(frames.tidy(frame, "log_directories"))
    of_replica = frames.by_key(every, lambda row: (row.topic, row.partition, row.node_id))
    rows = [
        (
            words.partition(topic, number),
            words.broker(node),
            _from(one, own),
            one.log_dir,
            when(copy.start_ts) if copy is not None else words.UNKNOWN,
            _outcome(one),
            evidence.proof(tuple(dict.fromkeys((*(copy.evidence if copy else ()), *one.evidence)))),
        )
        for (topic, number, node), own in sorted(of_replica.items())
        for one in own
        if one.change == _MOVED or (one.change == _COPYING and _moved_by(one, own) is None)
        for copy in [_copy_of(one, own)]
    ]
    head = ("Partition", "Broker", "From", "To", "Copy began (UTC)", "Moved (UTC)", "Evidence")
    return grid("Replicas that moved between log directories", head, rows, table="log_directories")


def _copy_of(one: Any, own: list[Any]) -> Any | None:
    """The copy that replaced the replica; for a copy, its own row."""
    if one.change == _COPYING:
        return one
    return next(
        (row for row in own if row.change == _COPYING and row.log_dir == one.log_dir and row.end_ts == one.start_ts),
        None,
    )


def _moved_by(copy: Any, own: list[Any]) -> Any | None:
    return next(
        (row for row in own if row.change == _MOVED and row.log_dir == copy.log_dir and row.start_ts == copy.end_ts),
        None,
    )


def _from(one: Any, own: list[Any]) -> str:
    """The directory of the replica when it was copied, or moved."""
    if one.change == _MOVED:
        return one.before or words.UNKNOWN
    lain = [row for row in own if row.change != _COPYING and row.start_ts <= one.start_ts]
    return lain[-1].log_dir if lain else words.UNKNOWN


def _outcome(one: Any) -> object:
    if one.change == _MOVED:
        return when(one.start_ts)
    return "not moved in these logs" if one.end_ts is None else f"canceled at {words.clock(one.end_ts)}"


def remote_grid(frame: pd.DataFrame, evidence: Evidence) -> Grid:
    """What brokers logged about the remote logs: each new leader, and the last of each routine operation."""
    rows = [
        (
            words.partition(row.topic, row.partition),
            when(row.ts),
            words.broker(row.node_id),
            _REMOTE[row.change](row),
            evidence.proof(row.evidence),
        )
        for row in frames.rows(frames.tidy(frame, "remote_logs"))
        if row.change in _REMOTE
    ]
    head = ("Partition", "Time (UTC)", "Broker", "Event", "Evidence")
    return grid("Tiered storage: the remote logs", head, rows, wide=(3,), table="remote_logs")


def _offset(value: int | None) -> str:
    return words.UNKNOWN if value is None else f"offset {words.number(value)}"
