"""Which replicas a partition is assigned to, in order of preference."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.facts.reads import gathers

_TOLD = ("partition_state_new", "kraft_partition_created", "controller_send_leader_and_isr", "described_partition")
# The controller's lists of many: `orders-0 -> ReplicaAssignment(replicas=1,3,2, …`, `orders-0 -> Vector(3, 1, 2)`.
_LISTED = (
    "controller_topic_change",
    "topic_created",
    "controller_auto_rebalance_detail",
    "controller_partitions_added",
)
_ENTRY = (
    r"([A-Za-z0-9._-]+-\d+) -> (?:ReplicaAssignment\(replicas=|List\(|Vector\(|ArrayBuffer\(|Buffer\()(\d+(?:, ?\d+)*)"
)


@gathers(*_TOLD, *_LISTED)
def assignments(events: DataFrame) -> DataFrame:
    """`topic, partition, assigned`: the first assignment told of each partition, else the one described at the end."""
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
    return (
        told.unionByName(listed)
        .groupBy("topic", "partition")
        .agg(F.min_by("replicas", F.struct(F.col("ts").isNull(), F.col("ts"))).alias("assigned"))
    )


def with_assignments(isr_spans: DataFrame, assignments: DataFrame) -> DataFrame:
    """`isr_spans` with `replicas` filled from the assignment where no state in the logs says them."""
    known: Column = F.coalesce("replicas", "assigned")
    return (
        isr_spans.join(F.broadcast(assignments), ["topic", "partition"], "left")
        .withColumn("replicas", known)
        .select(*isr_spans.columns)
    )
