"""Partition states that ZooKeeper stores: single znodes, and its transaction log. They are evidence beside the
nodes' logs in clusters without a metadata log.

A znode's version is the partition epoch (facts §1.1). Its times are whole seconds of a ZooKeeper server's clock,
later than the brokers' lines about the same state, so the brokers' times take precedence.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import plus_millis
from replay.columns.windows import so_far

_WHOLE_SECOND_MS = 999  # a time without a fraction may be anywhere in its second
_JAVA_DATE = r"^\w{3} (\w{3} \d{1,2} [\d:]{8} \S+ \d{4})$"  # format of java.util.Date; the day of the week is redundant


def znode_states(events: DataFrame) -> DataFrame:
    """One row per state in ZooKeeper: `topic, partition, leader_epoch, partition_epoch, leader_id, isr,
    controller_epoch, ts, event_id`.

    `partition_epoch` and `ts` are null if the tool did not print the stat. Sources: `TopicPartitionStateZNode`,
    ZooKeeper's `StatPrinter` and `TxnLogToolkit`.
    """
    return _held(events).unionByName(_written(events))


def _held(events: DataFrame) -> DataFrame:
    """The znodes of `get -s`: the path is before the state, its stat after it."""
    lines = events.where(F.col("kind").isin("znode_path", "znode_state", "znode_stat", "zookeeper_command"))
    in_file = so_far(Window.partitionBy("source_file").orderBy("line_number"))
    path = F.last(
        F.when(F.col("topic").isNotNull() | (F.col("kind") == "zookeeper_command"), F.struct("topic", "partition")),
        ignorenulls=True,
    ).over(in_file)
    begun = F.last(F.when(F.col("kind") != "znode_stat", F.col("line_number")), ignorenulls=True).over(in_file)
    modified = F.try_to_timestamp(
        F.regexp_extract(F.max(F.col("details")["mtime"]), _JAVA_DATE, 1), F.lit("MMM d HH:mm:ss z yyyy")
    )
    state = F.max(
        F.when(
            F.col("kind") == "znode_state",
            F.struct("_path", "leader_epoch", "leader_id", "isr", "controller_epoch", "event_id"),
        )
    )
    return (
        lines.withColumns({"_path": path, "_begun": begun})
        .groupBy("source_file", "_begun")
        .agg(
            state.alias("_state"),
            F.max(F.col("details")["dataVersion"]).try_cast("int").alias("partition_epoch"),
            plus_millis(modified, _WHOLE_SECOND_MS).alias("ts"),
        )
        .where(F.col("_state.leader_epoch").isNotNull() & F.col("_state._path.topic").isNotNull())
        .select(
            "_state._path.topic",
            "_state._path.partition",
            "_state.leader_epoch",
            "partition_epoch",
            "_state.leader_id",
            "_state.isr",
            "_state.controller_epoch",
            "ts",
            "_state.event_id",
        )
    )


def _written(events: DataFrame) -> DataFrame:
    """The states in the transaction log."""
    return events.where((F.col("kind") == "zookeeper_state_written") & F.col("leader_epoch").isNotNull()).select(
        "topic",
        "partition",
        "leader_epoch",
        "partition_epoch",
        "leader_id",
        "isr",
        "controller_epoch",
        plus_millis("ts", _WHOLE_SECOND_MS).alias("ts"),
        "event_id",
    )
