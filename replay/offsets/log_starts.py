"""Where each replica's log starts, and what moved that: segments rolled, retention, DeleteRecords, compaction, a
follower that its leader no longer has the next records for.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import one_event
from replay.facts.reads import gathers
from replay.tables import LOG_STARTS

_PARTITION = r"^(.+)-(\d+)$"
_BASE = r"baseOffset[= ](\d+)"
# What Kafka prints as the reason of a moved log start (2.6.3 and later) -> change.
_MOVED = {
    "segment deletion": "moved_by_retention",
    "leader offset increment": "moved_by_leader",
    "client delete records request": "moved_by_request",
}
_KINDS = (
    "log_created",
    "log_load_completed",
    "log_rolled",
    "log_retention_delete",
    "log_start_offset_incremented",
    "fetch_offset_reset_to_leader_start",
    "follower_log_start_moved",
    "log_cleaner_progress",
    "checkpoint_log_start_offset",
)


@gathers(*_KINDS)
def log_starts(events: DataFrame) -> DataFrame:
    """Every line that tells where a replica's log starts, or why it starts later than before. Returns `LOG_STARTS`.

    Segments that go by the local retention of a tiered topic stand in the remote store: the log starts where it did.
    A follower whose log ends before its leader's begins deletes all it has and starts where the leader's log starts;
    releases up to 3.5 print the same line where the follower's log reaches further, and then nothing is deleted. Of a
    compaction the line counts that says which offsets are looked through. A copy that is made in another log directory is
    not the replica's log, nor is one that is left to be deleted.
    """
    kind = F.col("kind")
    named = F.regexp_extract("_log", _PARTITION, 1), F.regexp_extract("_log", _PARTITION, 2).try_cast("int")
    told = (
        events.where(kind.isin(*_KINDS) & F.col("node_id").isNotNull() & ~_is_no_replica())
        .withColumn("_log", F.coalesce(F.col("details")["log_name"], F.lit("")))
        .withColumns({"topic": F.coalesce("topic", named[0]), "partition": F.coalesce("partition", named[1])})
        .withColumns({"_ends": F.coalesce("log_end_offset", _offset("replica_end_offset"))})
    )
    leaders_start = _offset("leader_start_offset")
    reason = F.col("details")["reason"]
    by_size = F.col("details")["retention_size"].isNotNull() | F.col("details")["local_retention_size"].isNotNull()
    by_time = F.col("details")["retention_ms"].isNotNull()
    is_local = F.coalesce(F.col("message"), F.lit("")).contains(" due to local log retention ")
    moved = F.lit("moved")
    for said, known in _MOVED.items():
        moved = F.when(reason == said, known).otherwise(moved)
    change = (
        F.when(kind == "log_created", "created")
        .when(kind == "log_load_completed", "loaded")
        .when(kind == "log_rolled", "rolled")
        .when(kind == "log_retention_delete", _retention(by_time, by_size, is_local))
        .when(kind == "log_start_offset_incremented", moved)
        .when((kind == "fetch_offset_reset_to_leader_start") & (leaders_start > F.col("_ends")), "restarted_at_leader")
        .when(kind == "follower_log_start_moved", "started_at_first_record")
        .when((kind == "log_cleaner_progress") & _offset("to_offset").isNotNull(), "compacted")
        .when(kind == "checkpoint_log_start_offset", "file")
    )
    start = (
        F.when(kind == "log_created", F.lit(0).cast("bigint"))
        .when(kind == "fetch_offset_reset_to_leader_start", leaders_start)
        .when(kind == "follower_log_start_moved", _offset("first_offset"))
        .otherwise(F.col("log_start_offset"))
    )
    affected = (
        F.when(kind == "log_rolled", F.col("log_end_offset"))
        .when(kind == "log_retention_delete", F.regexp_extract(_segment(), _BASE, 1).try_cast("bigint"))
        .when(kind == "log_cleaner_progress", _offset("from_offset"))
        .when(kind == "fetch_offset_reset_to_leader_start", F.col("_ends"))
    )
    until = (
        F.when(kind == "log_cleaner_progress", _offset("to_offset"))
        .when(kind == "fetch_offset_reset_to_leader_start", leaders_start)
    )  # fmt: skip
    return LOG_STARTS.of(
        told.withColumns(
            {
                "change": change,
                "log_start_offset": start,
                "from_offset": affected,
                "to_offset": until,
                "evidence": one_event(),
            }
        ).where(
            F.col("change").isNotNull()
            & (F.col("topic") != "")
            & F.col("partition").isNotNull()
            & F.coalesce("log_start_offset", "from_offset").isNotNull()
        )
    )


def _is_no_replica() -> Column:
    details = F.col("details")
    folder = F.coalesce(F.when(F.col("kind") == "log_created", details["log_dir"]), details["loaded_log"], F.lit(""))
    return folder.rlike(r"-(?:future|delete|stray)(?:,|$)")


def _retention(by_time: Column, by_size: Column, is_local: Column) -> Column:
    """Why a segment is deleted; of a tiered topic (KIP-405) only its local copy may be, and its records stay."""
    why = F.when(by_size, "retention_size").when(by_time, "retention_time").otherwise("retention")
    return F.when(is_local, F.concat(F.lit("local_"), why)).otherwise(why)


def _segment() -> Column:
    return F.coalesce(F.col("details")["segment"], F.lit(""))


def _offset(field: str) -> Column:
    """An offset among the fields of a template that have no column of their own."""
    return F.col("details")[field].try_cast("bigint")
