"""In which log directory of a broker each replica lies, and the moves from one to another (KIP-113), as far as lines tell.

A replica that moves is copied first: its copy's directory ends in `-future` until it takes the replica's place. Source:
LogManager, UnifiedLog.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined, one_event
from replay.columns.windows import before, by_node_and_partition, so_far
from replay.facts.reads import gathers
from replay.tables import LOG_DIRECTORIES

_CREATED, _LOADED, _REPLACED, _DELETED = (
    "log_created",
    "log_load_completed",
    "future_replica_promoted",
    "log_deleted",
)
# Where nothing of this is told, the replicas lie where the settings say.
_TOLD_OF = (_REPLACED, "future_replica_copy", "log_dir_failed", "log_dir_failure_begin", "kraft_directories_offline")
_IS_REPLACED = r"successfully (?:replaced|recovered)"


@gathers(*_TOLD_OF)
def log_directories(events: DataFrame) -> DataFrame:
    """The times in which replicas lay in directories, and in which copies were made elsewhere. Returns `LOG_DIRECTORIES`.

    Only a log that is to be deleted is told as renamed; the one that a copy replaces is not. Its later deletion tells
    nothing of the replica.
    """
    kind, message = F.col("kind"), F.coalesce("message", F.lit(""))
    named = F.regexp_extract(F.coalesce(_of("log_name"), F.lit("")), r"^(.+)-(\d+)", 1)
    path = F.coalesce(
        F.when(kind == _CREATED, _of("log_dir")),
        F.when(kind == _LOADED, F.coalesce(_dir_of("loaded_log"), _of("log_dir"), _of("dir"))),
        F.when(kind == _REPLACED, F.coalesce(_dir_of("dest_log"), _dir_of("future_log"))),
        F.when(kind == _DELETED, _of("new_path")),
    )
    last = F.element_at(F.split("_path", "/"), -1)
    is_log = F.startswith(last, F.concat_ws("-", "topic", "partition"))
    is_copy = last.endswith("-future")
    is_left = last.rlike(r"-(?:delete|stray)$") & (kind != _DELETED)  # what is to be deleted is no replica any more
    what = (
        F.when(kind == _DELETED, "gone")
        .when(kind == _REPLACED, F.when(message.rlike(_IS_REPLACED), "moved").otherwise("copying"))
        .when(is_copy, "copying")
        .when(kind == _CREATED, "created")
        .otherwise("found")
    )
    lines = (
        events.where(kind.isin(_CREATED, _LOADED, _REPLACED, _DELETED))
        .where(F.col("node_id").isNotNull() & F.col("ts").isNotNull())
        .withColumn("topic", F.coalesce("topic", F.nullif(named, F.lit(""))))
        .where(F.col("topic").isNotNull() & F.col("partition").isNotNull())
        .withColumn("_path", path)
        .withColumn("_dir", F.when(is_log, F.regexp_extract("_path", r"^(.*)/[^/]+$", 1)).otherwise(F.col("_path")))
        .withColumn("change", what)
        .where(~F.coalesce(is_left, F.lit(False)))
        .where(F.col("_path").isNotNull() | (F.col("change") == "moved"))
    )
    return LOG_DIRECTORIES.of(_lain(lines)).unionByName(LOG_DIRECTORIES.of(_copied(lines)))


def _of(field: str) -> Column:
    return F.col("details")[field]


def _dir_of(field: str) -> Column:
    """The directory of a log as Kafka prints the log: `Log(dir=/d0/orders-0, topic=…`."""
    return F.nullif(F.regexp_extract(F.coalesce(_of(field), F.lit("")), r"\bdir=([^,)]+)", 1), F.lit(""))


def _lain(lines: DataFrame) -> DataFrame:
    """Where the replicas lay: from a line that tells another directory than before to the next such line."""
    in_order = by_node_and_partition()
    is_gone = F.col("change") == "gone"
    copy = F.last(F.when(F.col("change") == "copying", F.struct("_dir", "event_id")), ignorenulls=True)
    told = (
        lines.withColumn("_copy", copy.over(so_far(in_order)))
        .withColumn(
            "_dir", F.when(F.col("change") == "moved", F.coalesce("_dir", "_copy._dir")).otherwise(F.col("_dir"))
        )
        .where((F.col("change") != "copying") & F.col("_dir").isNotNull())
        .withColumn("_lay_in", F.last(F.when(~is_gone, F.col("_dir")), ignorenulls=True).over(before(in_order)))
        .where(~is_gone | (F.col("_lay_in") == F.col("_dir")))  # what was deleted elsewhere was a copy
        .withColumn("before", F.lag(F.when(~is_gone, F.col("_dir"))).over(in_order))
        .where(is_gone | ~F.col("before").eqNullSafe(F.col("_dir")))
        .withColumn("end_ts", F.lead("ts").over(in_order))
    )
    by_copy = F.when(F.col("change") == "moved", F.array("_copy.event_id"))
    return told.where(~is_gone).withColumns(
        {"log_dir": F.col("_dir"), "start_ts": F.col("ts"), "evidence": joined(by_copy, one_event())}
    )


def _copied(lines: DataFrame) -> DataFrame:
    """The copies that were made in another directory: each until it took the replica's place, or was given up."""
    in_order = by_node_and_partition()
    steps = lines.where(F.col("change").isin("copying", "moved", "gone"))
    told_before = F.lag(F.when(F.col("change") == "copying", F.col("_dir"))).over(in_order)
    begun = steps.withColumn("_before", told_before).where(
        (F.col("change") != "copying") | ~F.col("_before").eqNullSafe(F.col("_dir"))
    )
    return (
        begun.withColumn("end_ts", F.lead("ts").over(in_order))
        .where(F.col("change") == "copying")
        .withColumns(
            {
                "log_dir": F.col("_dir"),
                "start_ts": F.col("ts"),
                "before": F.lit(None).cast("string"),
                "evidence": one_event(),
            }
        )
    )
