"""What operators asked for: other replicas (F18), a topic deleted (F19), another metadata version or KRaft (F28)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.migration import KINDS as MIGRATION
from replay.brokers.migration import migration
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.partitions import partition_name
from replay.columns.times import millis
from replay.faults.rows import fault_rows, in_spells
from replay.faults.rule import finds_in
from replay.sentences import statement

ONE_REQUEST_MS = 60_000  # the lines of one request, of all its partitions, stand within this of each other
STARTING_MS = 120_000  # what a node prints of the metadata log this soon after its start tells the past
REASSIGNED = (
    "kraft_reassignment_result",
    "kraft_reassignment_replayed",
    "controller_reassign_begin",
    "controller_reassign_assignment_updated",
    "controller_reassign_leader_check",
)
DELETED = (
    "kraft_topic_removed",
    "controller_topic_deletion_begin",
    "topic_deletion_completed",
    "kraft_delete_topics_result",
)


@finds_in(*REASSIGNED)
def reassigned(events: DataFrame) -> DataFrame:
    """F18: partitions moved to other replicas by an operator. Returns `FAULTS`."""
    named = F.array_sort(F.collect_set(partition_name()))
    requests = _requests(events.where(F.col("kind").isin(*REASSIGNED)), (), named.alias("partitions"))
    return fault_rows(requests, "reassigned", said=statement("asked_to_move_partitions"), confidence=0.95)


@finds_in(*DELETED)
def topics_deleted(events: DataFrame) -> DataFrame:
    """F19: topics deleted by request. Returns `FAULTS`."""
    topic = F.coalesce("topic", detail("topics_to_be_deleted"), F.lit(""))
    lines = (
        events.where(F.col("kind").isin(*DELETED))
        .withColumn("deleted_topic", topic)
        .where(F.col("deleted_topic") != "")
    )
    requests = _requests(lines, ("deleted_topic",))
    said = statement("asked_to_delete_topic", topic="deleted_topic")
    return fault_rows(requests, "topic_deleted", said=said, confidence=0.95)


@finds_in("kraft_metadata_version_replayed")
def metadata_version_changed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F28: the metadata version of a running cluster was changed. Returns `FAULTS`."""
    replayed = events.where(F.col("kind") == "kraft_metadata_version_replayed")
    starts = processes.where(F.col("start_ts").isNotNull()).select(
        F.col("node_id").alias("_node"), F.col("start_ts").alias("_start_ts")
    )
    at_start = (F.col("node_id") == F.col("_node")) & millis("ts", "_start_ts").between(0, STARTING_MS)
    while_running = replayed.join(F.broadcast(starts), at_start, "left_anti").withColumn(
        "version", detail("metadata_version")
    )
    said = statement("metadata_version_was_set", version=F.coalesce("version", F.lit("?")))
    return fault_rows(_requests(while_running, ("version",)), "metadata_version_changed", said=said, confidence=0.9)


@finds_in(*MIGRATION)
def migrated(events: DataFrame) -> DataFrame:
    """F28: the cluster went over from ZooKeeper to KRaft, or tried to. Returns `FAULTS`."""
    kind = F.when(F.col("is_stuck"), "migration_stuck").otherwise("migrated")
    return fault_rows(
        migration(events), kind, broker_id=F.col("node_id"), said=F.struct("reason", "arguments"), confidence=0.95
    )


def _requests(lines: DataFrame, by: tuple[str, ...], *more: Column) -> DataFrame:
    """One row a request: its lines, of any node, that stand close together. `broker_id` is the node that told it
    first.
    """
    return (
        in_spells(lines, by, ONE_REQUEST_MS)
        .groupBy(*by, "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("node_id", F.struct("ts", "event_id")).alias("broker_id"),
            evidence_of().alias("evidence"),
            *more,
        )
    )
