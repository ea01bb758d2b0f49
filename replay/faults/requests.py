"""What operators asked for: other replicas (F18), a topic deleted (F19), another metadata version or KRaft (F28)."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.migration import migration
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.times import millis
from replay.columns.windows import so_far
from replay.faults.shape import fault


def reassigned(events: DataFrame) -> DataFrame:
    """F18: partitions moved to other replicas by an operator."""
    asked = events.where(
        F.col("kind").isin(
            "kraft_reassignment_result",
            "kraft_reassignment_replayed",
            "controller_reassign_begin",
            "controller_reassign_assignment_updated",
            "controller_reassign_leader_check",
        )
    )
    run = asked.withColumn("_gap", millis("ts", F.lag("ts").over(Window.orderBy("ts"))))
    told = (
        run.withColumn(
            "_run",
            F.count_if(F.coalesce(F.col("_gap") > 60_000, F.lit(True))).over(so_far(Window.orderBy("ts", "event_id"))),
        )
        .groupBy("_run")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("node_id", "ts").alias("broker_id"),
            F.array_sort(
                F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))
            ).alias("partitions"),
            evidence_of().alias("evidence"),
        )
    )
    return fault(
        told,
        "reassigned",
        "F18",
        t0_low=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.95),
        because=F.lit("partitions were reassigned by request"),
    )


def topics_deleted(events: DataFrame) -> DataFrame:
    """F19: topics deleted by request."""
    told = (
        events.where(
            F.col("kind").isin(
                "kraft_topic_removed",
                "controller_topic_deletion_begin",
                "topic_deletion_completed",
                "kraft_delete_topics_result",
            )
        )
        .withColumn("_topic", F.coalesce("topic", detail("topics_to_be_deleted"), F.lit("")))
        .where(F.col("_topic") != "")
        .groupBy("_topic")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("node_id", "ts").alias("broker_id"),
            evidence_of().alias("evidence"),
        )
    )
    return fault(
        told,
        "topic_deleted",
        "F19",
        t0_low=F.col("ts"),
        confidence=F.lit(0.95),
        because=F.format_string("topic %s was deleted by request", "_topic"),
    )


def metadata_version_changed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F28: the metadata version of a running cluster was changed."""
    starts = processes.where(F.col("start_ts").isNotNull()).select(
        F.col("node_id"), F.col("start_ts").alias("_start_ts")
    )
    said = events.where(F.col("kind") == "kraft_metadata_version_replayed")
    at_start = (
        said.join(starts, "node_id")
        .where(F.col("ts").between(F.col("_start_ts"), F.expr("_start_ts + interval 120 seconds")))
        .select("event_id")
    )
    told = (
        said.join(at_start, "event_id", "left_anti")
        .groupBy(detail("metadata_version").alias("_version"))
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("node_id", "ts").alias("broker_id"),
            evidence_of().alias("evidence"),
        )
    )
    return fault(
        told,
        "metadata_version_changed",
        "F28",
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.format_string("the metadata version was set to %s", F.coalesce("_version", F.lit("?"))),
    )


def migrated(events: DataFrame) -> DataFrame:
    """F28: the cluster went over from ZooKeeper to KRaft, or tried to."""
    return fault(
        migration(events),
        F.when(F.col("is_stuck"), "migration_stuck").otherwise("migrated"),
        "F28",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.95),
        because=F.col("because"),
    )
