"""Which replicas a partition is assigned to, in order of preference, where no state in the logs says so."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

_TOLD = ("partition_state_new", "kraft_partition_created", "controller_send_leader_and_isr", "described_partition")


def assignments(events: DataFrame) -> DataFrame:
    """`topic, partition, assigned`: the first assignment told of each partition, else the one described at the end."""
    return (
        events.where(F.col("kind").isin(*_TOLD) & F.col("replicas").isNotNull() & F.col("topic").isNotNull())
        .groupBy("topic", "partition")
        .agg(F.min_by("replicas", F.coalesce("ts", F.current_timestamp())).alias("assigned"))
    )
