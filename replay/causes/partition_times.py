"""What partitions went through in each incident, summed over their own times (facts §7)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.causes.incidents import AT_ONCE_MS
from replay.columns.times import millis, plus_millis
from replay.columns.windows import by_state, so_far
from replay.tables.causes import PARTITION_TIMES

BY = "incident_id"


def partition_times(
    leader_epochs: DataFrame,
    committed_isrs: DataFrame,
    isr_shrinks: DataFrame,
    unserved: DataFrame,
    root_spans: DataFrame,
    vertices: DataFrame,
) -> DataFrame:
    """One row an incident. Returns `PARTITION_TIMES`.

    Sums count each span whole, for the incident that its first happening belongs to; sums over ISRs leave out
    partitions of which the replicas are not known, and are null where none is known.
    """
    times = incident_times(root_spans)
    of_happening = vertices.where(F.col(BY).isNotNull()).select("id", BY)
    return PARTITION_TIMES.of(
        times.join(_new_epochs(leader_epochs, times), BY, "left")
        .join(_unserved(unserved, times), BY, "left")
        .join(_isr_times(committed_isrs, isr_shrinks, of_happening, times), BY, "left")
    )


def incident_times(root_spans: DataFrame) -> DataFrame:
    """From when to when each incident lasted: `incident_id, from_ts, to_ts`, few rows."""
    return F.broadcast(root_spans.groupBy(BY).agg(F.min("ts").alias("from_ts"), F.max("end_ts").alias("to_ts")))


def by_time(rows: DataFrame, times: DataFrame, ts: str) -> DataFrame:
    """`rows` whose `incident_id` is that of their time where they have none: the latest incident that had begun then
    and was not over.
    """
    of_time = times.select(F.col(BY).alias("then"), "from_ts", "to_ts")
    near = (F.col(ts) >= plus_millis("from_ts", -AT_ONCE_MS)) & (F.col(ts) <= plus_millis("to_ts", AT_ONCE_MS))
    found = rows.join(of_time, near & F.col(BY).isNull(), "left").groupBy(*rows.columns)
    named = found.agg(F.max_by("then", "from_ts").alias("then"))
    return named.withColumn(BY, F.coalesce(BY, "then")).drop("then")


def _new_epochs(leader_epochs: DataFrame, times: DataFrame) -> DataFrame:
    """Leader epochs that kept their leader, and those of which no line names the leader before."""
    same = F.coalesce(F.col("reason") == "isr_change", F.lit(False))
    untold = (F.col("leader_id") >= 0) & F.col("last_leader_id").isNull() & (F.col("leader_epoch") > 0)
    begun = leader_epochs.where(same | untold).select(
        F.lit(None).cast("string").alias(BY),
        "topic",
        "life",
        "partition",
        "leader_epoch",
        "start_ts",
        same.alias("same"),
    )
    return (
        by_time(begun, times, "start_ts")
        .where(F.col(BY).isNotNull())
        .groupBy(BY)
        .agg(F.count_if("same").alias("leader_epoch_bumps"), F.count_if(~F.col("same")).alias("leaders_untold"))
    )


def _unserved(unserved: DataFrame, times: DataFrame) -> DataFrame:
    spans = unserved.withColumn(BY, F.lit(None).cast("string"))
    ms = F.greatest(millis(F.coalesce("end_ts", "to_ts"), "start_ts"), F.lit(0))
    return (
        by_time(spans, times, "start_ts")
        .join(times, BY)
        .groupBy(BY)
        .agg(
            F.sum(F.when(F.col("bound") == "least", ms)).alias("unserved_min_ms"),
            F.sum(F.when(F.col("bound") == "most", ms)).alias("unserved_max_ms"),
        )
    )


def _isr_times(
    committed_isrs: DataFrame,
    isr_shrinks: DataFrame,
    of_happening: DataFrame,
    times: DataFrame,
) -> DataFrame:
    """Times with too few in sync. A span belongs to the incident of the last shrink up to it."""
    state = ["topic", "life", "partition", "leader_epoch", "state_order"]
    shrinks = isr_shrinks.join(of_happening, "id").select(*state, BY)
    last_shrink = F.last(BY, ignorenulls=True).over(so_far(by_state()))
    spans = (
        committed_isrs.join(shrinks, state, "left")
        .withColumn(BY, last_shrink)
        .select(BY, *state, "isr", "replicas", "start_ts", "end_ts")
    )
    in_sync, replicas = F.size("isr"), F.size("replicas")
    full = F.when(F.col("replicas").isNotNull(), in_sync >= replicas)
    ms = F.greatest(millis(F.coalesce("end_ts", "to_ts"), "start_ts"), F.lit(0))
    placed = by_time(spans, times, "start_ts").join(times, BY)

    def time_in(state: Column) -> Column:
        return F.sum(F.when(state, ms).when(~state, 0))

    of_partition = Window.partitionBy("topic", "life", "partition")
    is_last = F.row_number().over(of_partition.orderBy(F.desc("leader_epoch"), F.desc("state_order"))) == 1
    return (
        placed.withColumns({"full": full, "is_last": is_last})
        .groupBy(BY)
        .agg(
            time_in(~F.col("full")).alias("under_replicated_ms"),
            F.max(F.when(~F.col("full"), F.col("end_ts"))).alias("full_ts"),
            F.count_if(~F.col("full") & F.col("end_ts").isNull() & F.col("is_last")).alias("short_at_last"),
        )
    )
