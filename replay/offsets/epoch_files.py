"""Each replica's file `leader-epoch-checkpoint` as it read at any time, in the notation of the file: `(0 0)(1 0)(2
1)`.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import AT_MOST
from replay.columns.windows import PARTITION_KEY
from replay.partitions.topics import with_life
from replay.tables import EPOCH_FILES

_REPLICA = (*PARTITION_KEY, "node_id")
_ALWAYS = "timestamp '1970-01-01'"  # since before anything that the logs tell


def epoch_files(caches: DataFrame, high_watermarks: DataFrame, lives: DataFrame) -> DataFrame:
    """What each replica's file holds, a row from one change to the next. Returns `EPOCH_FILES`.

    `caches` is `replay.offsets.leader_epoch_caches.leader_epoch_caches`. Where the log start has passed the start of
    the first entry that is left, the file has the log start there (facts §1.4).
    """
    log_starts = (
        with_life(high_watermarks.where((F.col("log_start_offset") > 0) & F.col("ts").isNotNull()), lives)
        .groupBy(*_REPLICA)
        .agg(F.array_sort(F.collect_set(F.struct("ts", "log_start_offset"))).alias("_log_starts"))
    )
    entries = caches.withColumn("_from", F.coalesce("start_ts", F.expr(_ALWAYS)))
    moved = log_starts.select(*_REPLICA, F.explode("_log_starts").alias("_moved")).select(
        *_REPLICA, F.col("_moved.ts").alias("_at")
    )
    changes = entries.select(*_REPLICA, F.explode(F.array_compact(F.array("_from", "end_ts"))).alias("_at"))
    first = Window.partitionBy(*_REPLICA)
    moments = (
        changes.withColumn("_own", F.lit(True))
        .unionByName(moved, allowMissingColumns=True)
        .withColumn("_begins", F.min(F.when(F.col("_own"), F.col("_at"))).over(first))
        .where(F.col("_at") >= F.col("_begins"))
        .select(*_REPLICA, "_at")
        .distinct()
    )
    standing = moments.join(entries, list(_REPLICA)).where(
        (F.col("_from") <= F.col("_at")) & F.coalesce(F.col("end_ts") > F.col("_at"), F.lit(True))
    )
    came = F.col("_from") == F.col("_at")
    read = standing.groupBy(*_REPLICA, "_at").agg(
        F.array_sort(F.collect_set(F.struct("leader_epoch", "epoch_start_offset"))).alias("_entries"),
        F.array_sort(F.array_distinct(F.flatten(F.collect_list(F.when(came, F.col("told_by")))))).alias("told_by"),
        F.slice(
            F.array_sort(F.array_distinct(F.flatten(F.collect_list(F.when(came, F.col("evidence")))))), 1, AT_MOST
        ).alias("evidence"),
    )
    passed = F.filter("_log_starts", lambda moved: moved["ts"] <= F.col("_at"))
    log_start = F.array_max(F.transform(passed, lambda moved: moved["log_start_offset"]))
    files = (
        moments.join(read, [*_REPLICA, "_at"], "left")
        .join(log_starts, list(_REPLICA), "left")
        .withColumn(
            "entries",
            _with_first_at(
                F.coalesce("_entries", F.array().cast("array<struct<leader_epoch:int,epoch_start_offset:bigint>>")),
                log_start,
            ),
        )
        .withColumn("notation", notation(F.col("entries")))
    )
    in_time = Window.partitionBy(*_REPLICA).orderBy("_at")
    changed = files.withColumn("_same", F.col("notation").eqNullSafe(F.lag("notation").over(in_time))).where(
        ~F.col("_same")
    )
    nothing = F.array().cast("array<string>")
    return EPOCH_FILES.of(
        changed.withColumns(
            {
                "start_ts": F.when(F.col("_at") > F.expr(_ALWAYS), F.col("_at")),
                "end_ts": F.lead("_at").over(in_time),
                "told_by": F.coalesce("told_by", nothing),
                "evidence": F.coalesce("evidence", nothing),
            }
        )
    )


def _with_first_at(entries: Column, log_start: Column) -> Column:
    """`entries` as the file has them once the log begins at `log_start`: those that it has passed as one, the last of
    them, at the log start.
    """
    passed = F.filter(entries, lambda e: e["epoch_start_offset"] <= log_start)
    clipped = F.transform(
        F.slice(passed, -1, 1),
        lambda e: F.struct(e["leader_epoch"].alias("leader_epoch"), log_start.alias("epoch_start_offset")),
    )
    kept = F.filter(entries, lambda e: e["epoch_start_offset"] > log_start)
    return F.when(log_start.isNull() | (F.size(passed) == 0), entries).otherwise(F.concat(clipped, kept))


def notation(entries: Column) -> Column:
    """`(0 0)(1 0)(2 1)`: leader epoch and first offset of each entry, as the lines of the file have them; empty for
    none.
    """
    return F.array_join(
        F.transform(entries, lambda e: F.format_string("(%d %d)", e["leader_epoch"], e["epoch_start_offset"])), ""
    )
