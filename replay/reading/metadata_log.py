"""Reads the KRaft metadata log from the text of `kafka-dump-log`: evidence beside the nodes' logs. It holds every
committed state, with the controller's clock. The fold follows `PartitionRegistration` (constructor and `merge`),
facts §1.9.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.windows import after, before, by_metadata_offset, ordered, so_far

_BEGIN, _END, _ABORT = "BEGIN_TRANSACTION_RECORD", "END_TRANSACTION_RECORD", "ABORT_TRANSACTION_RECORD"
_TRANSACTION = (_BEGIN, _END, _ABORT)
_PAYLOAD = (
    "type string, data struct<name:string, topicId:string, partitionId:int, replicas:array<int>, isr:array<int>, removingReplicas:array<int>, "
    "addingReplicas:array<int>, leader:int, leaderEpoch:int, partitionEpoch:int, leaderRecoveryState:int, eligibleLeaderReplicas:array<int>, "
    "lastKnownElr:array<int>, brokerId:int, brokerEpoch:bigint, incarnationId:string, fenced:string, inControlledShutdown:int, id:int, epoch:bigint, "
    "featureLevel:int, resourceType:int, resourceName:string, value:string>"
)


def metadata_records(events: DataFrame) -> DataFrame:
    """One row per committed record: `metadata_offset, raft_epoch, ts, type, data, event_id`, each offset once.

    Dumps of several nodes agree below the Raft high watermark; where they differ, the higher Raft epoch wins. Records
    in a transaction count if the transaction ended; an aborted or open one changed nothing.
    """
    dumped = events.where(F.col("kind").isin("dump_metadata_record", "dump_batch")).withColumn(
        "metadata_offset", detail("offset").cast("bigint")
    )
    in_file = Window.partitionBy("source_file").orderBy("line_number")
    with_epoch = dumped.withColumn(
        "raft_epoch",
        F.last(F.when(F.col("kind") == "dump_batch", F.col("controller_epoch")), ignorenulls=True).over(
            so_far(in_file)
        ),
    ).where(F.col("kind") == "dump_metadata_record")
    newest = Window.partitionBy("metadata_offset").orderBy(F.desc("raft_epoch"), "event_id")
    records = (
        with_epoch.withColumn("_rank", F.row_number().over(newest))
        .where(F.col("_rank") == 1)
        .withColumn(
            "_payload", F.from_json(F.replace(F.col("message"), F.lit("lastKnownELR"), F.lit("lastKnownElr")), _PAYLOAD)
        )
        .select(
            "metadata_offset",
            "raft_epoch",
            "ts",
            F.col("_payload.type").alias("type"),
            F.col("_payload.data").alias("data"),
            "event_id",
        )
    )
    in_log = ordered((), "metadata_offset")
    mark = F.when(F.col("type").isin(*_TRANSACTION), F.col("type"))
    inside = F.coalesce(F.last(mark, ignorenulls=True).over(before(in_log())) == _BEGIN, F.lit(False))
    ended = F.coalesce(F.last(mark, ignorenulls=True).over(after(in_log)) == _END, F.lit(False))
    return records.withColumn("_void", mark.isNull() & inside & ~ended).where(~F.col("_void")).drop("_void")


def topic_names(records: DataFrame) -> DataFrame:
    """`topic_id, topic` of every topic in the metadata log."""
    return records.where(F.col("type") == "TOPIC_RECORD").select(
        F.col("data.topicId").alias("topic_id"), F.col("data.name").alias("topic")
    )


def partition_states(records: DataFrame) -> DataFrame:
    """One row per partition record, folded: `topic, topic_id, partition, leader_epoch, partition_epoch, leader_id, isr,
    replicas, elr, last_known_elr, recovering, leader_written, metadata_offset, raft_epoch, ts, event_id`.
    """
    changes = records.where(F.col("type").isin("PARTITION_RECORD", "PARTITION_CHANGE_RECORD")).select(
        F.col("data.topicId").alias("topic_id"), F.col("data.partitionId").alias("partition"), "*"
    )
    written = (F.col("data.leader").isNotNull()) & (F.col("data.leader") != -2)
    absolute = F.col("type") == "PARTITION_RECORD"
    log = so_far(by_metadata_offset())
    since = (
        Window.partitionBy("topic_id", "partition", "_base")
        .orderBy("metadata_offset")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )

    def latest(value: F.Column) -> F.Column:
        return F.last(value, ignorenulls=True).over(log)

    folded = (
        changes.withColumn("_base", F.count_if(absolute).over(log))
        .withColumns(
            {
                "leader_epoch": F.first("data.leaderEpoch", ignorenulls=True).over(since)
                + F.count_if(written & ~absolute).over(since).cast("int"),
                "partition_epoch": F.first("data.partitionEpoch", ignorenulls=True).over(since)
                + F.count_if(~absolute).over(since).cast("int"),
                "leader_id": latest(F.when(written, F.col("data.leader"))),
                "isr": latest(F.col("data.isr")),
                "replicas": latest(F.col("data.replicas")),
                "elr": latest(F.col("data.eligibleLeaderReplicas")),
                "last_known_elr": latest(F.col("data.lastKnownElr")),
                "recovering": latest(F.coalesce(F.col("data.leaderRecoveryState"), F.when(absolute, F.lit(0)))) == 1,
                "leader_written": written,
            }
        )
        .drop("_base", "data", "type")
    )
    return folded.join(F.broadcast(topic_names(records)), "topic_id")
