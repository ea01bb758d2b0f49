"""Which replicas a partition is assigned to, in order of preference."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.facts.reads import gathers
from replay.tables.partitions import ASSIGNMENTS

_TOLD = ("partition_state_new", "kraft_partition_created", "controller_send_leader_and_isr", "described_partition")
# The controller's lists of many: `orders-0 -> ReplicaAssignment(replicas=1,3,2, …`, `orders-0 -> Vector(3, 1, 2)`.
_LISTED = (
    "controller_topic_change",
    "topic_created",
    "controller_auto_rebalance_detail",
    "controller_partitions_added",
)
_MOVED = (
    "kraft_reassignment_result",
    "kraft_reassignment_replayed",
    "controller_reassign_begin",
    "controller_reassign_assignment_updated",
)
_ENTRY = (
    r"([A-Za-z0-9._-]+-\d+) -> (?:ReplicaAssignment\(replicas=|List\(|Vector\(|ArrayBuffer\(|Buffer\()(\d+(?:, ?\d+)*)"
)


@gathers(*_TOLD, *_LISTED)
def assignments(events: DataFrame) -> DataFrame:
    """The first assignment told of each partition, else the one described at the end. Returns `ASSIGNMENTS`.

    A partition may have other replicas once a reassignment was asked for that names it, or of which no line names any,
    unless it is described at the end as it was before.
    """
    columns = ("topic", "partition", "replicas", "ts")
    told = events.where(F.col("kind").isin(*_TOLD) & F.col("replicas").isNotNull() & F.col("topic").isNotNull()).select(
        *columns
    )
    names = F.regexp_extract_all("message", F.lit(_ENTRY), 1)
    lists = F.regexp_extract_all("message", F.lit(_ENTRY), 2)
    listed = (
        events.where(F.col("kind").isin(*_LISTED))
        .select("ts", F.explode(F.arrays_zip(names.alias("name"), lists.alias("ids"))).alias("one"))
        .select(
            F.regexp_extract("one.name", r"^(.*)-\d+$", 1).alias("topic"),
            F.regexp_extract("one.name", r"-(\d+)$", 1).cast("int").alias("partition"),
            F.split(F.replace(F.col("one.ids"), F.lit(" ")), ",").cast("array<int>").alias("replicas"),
            "ts",
        )
        .select(*columns)
    )
    is_described, alike = F.col("ts").isNull(), F.sort_array("assigned") == F.sort_array("described")
    first = (
        told.unionByName(listed)
        .groupBy("topic", "partition")
        .agg(
            F.min_by("replicas", F.struct(is_described, "ts")).alias("assigned"),
            F.max(F.when(is_described, F.col("replicas"))).alias("described"),
        )
    )
    asked = events.where(F.col("kind").isin(*_MOVED))
    of_one = asked.where(F.col("topic").isNotNull()).groupBy("topic", "partition").agg(F.min("ts").alias("_named"))
    of_any = asked.where(F.col("topic").isNull()).agg(F.min("ts").alias("_unnamed"))
    moved_ts = F.when(~F.coalesce(alike, F.lit(False)), F.least("_named", "_unnamed"))
    return ASSIGNMENTS.of(
        first.join(of_one, ["topic", "partition"], "left")
        .crossJoin(F.broadcast(of_any))
        .withColumn("moved_ts", moved_ts)
    )


def first_assigned() -> Column:
    """The first assignment, for what began before it may have been changed."""
    return F.when(F.col("moved_ts").isNull() | (F.col("start_ts") < F.col("moved_ts")), F.col("assigned"))


def with_assignments(isr_spans: DataFrame, assignments: DataFrame) -> DataFrame:
    """`isr_spans` with `replicas` filled from the assignment where no state in the logs says them: the first one until it
    may have been changed, the one described at the end for what lasts then, and for an ISR of just these replicas.

    A state goes on with the replicas that were told last: the first ones are no word of the time after a move.
    """
    is_carried = F.sort_array("replicas") == F.sort_array("assigned")
    told = F.when(first_assigned().isNotNull() | ~F.coalesce(is_carried, F.lit(False)), F.col("replicas"))
    is_moved = F.sort_array("isr") == F.sort_array("described")
    at_end = F.when(F.col("end_ts").isNull() | is_moved, F.col("described"))
    known: Column = F.coalesce(told, first_assigned(), at_end)
    return (
        isr_spans.join(F.broadcast(assignments), ["topic", "partition"], "left")
        .withColumn("replicas", known)
        .select(*isr_spans.columns)
    )
