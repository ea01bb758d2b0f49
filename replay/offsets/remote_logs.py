"""What of tiered topics lies in the remote store, and where the local logs start (KIP-405), as far as lines tell.

Source: RemoteLogManager, UnifiedLog, TierStateMachine. Where the remote log starts is printed by a new leader alone; that a
segment was copied is printed by its base offset.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import one_event
from replay.facts.reads import gathers
from replay.tables import REMOTE_LOGS

_CHANGES = {
    "remote_copy_done": "copied",
    "remote_copy_failed": "copy_failed",
    "remote_segment_left_behind": "left_behind",
    "remote_log_segment_deleted": "remote_deleted",
    "local_log_start_offset_incremented": "local_start",
    "tier_epoch_cache_rebuilt": "epochs_rebuilt",
}
_FOUND = "remote_log_become_leader"
_COPIED_TO = r"offset[=:] ?(\d+), (?:leaderE|e)poch[=:] ?(\d+)"


@gathers(*_CHANGES, _FOUND)
def remote_logs(events: DataFrame) -> DataFrame:
    """Every line that tells of the remote log of a partition, or of its local log start. Returns `REMOTE_LOGS`.

    A new leader first tells up to which offset the log was copied, and where it starts.
    """
    kind, found_end = F.col("kind"), F.col("details")["copied_offset_option"]
    told = events.where(
        kind.isin(*_CHANGES, _FOUND)
        & F.col("node_id").isNotNull()
        & F.col("topic").isNotNull()
        & F.col("partition").isNotNull()
    )
    change = F.when(found_end.isNotNull(), "found_remote_end").when(
        (kind == _FOUND) & F.col("log_start_offset").isNotNull(), "found_log_start"
    )
    for of_kind, name in _CHANGES.items():
        change = F.when(kind == of_kind, name).otherwise(change)
    return REMOTE_LOGS.rows(
        told,
        change=change,
        segment_base_offset=_offset("base_offset"),
        log_start_offset=F.when(kind == _FOUND, F.col("log_start_offset")),
        local_log_start_offset=F.coalesce(_offset("local_log_start_offset"), _offset("leader_local_log_start_offset")),
        remote_end_offset=F.regexp_extract(found_end, _COPIED_TO, 1).try_cast("bigint"),
        leader_epoch=F.regexp_extract(found_end, _COPIED_TO, 2).try_cast("int"),
        evidence=one_event(),
    ).where(F.col("change").isNotNull())


def _offset(field: str) -> Column:
    return F.col("details")[field].try_cast("bigint")
