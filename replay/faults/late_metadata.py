"""Brokers that learn of what the controllers decided long after the others (F32)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.brokers.processes import STARTS
from replay.columns.evidence import evidence_of
from replay.columns.times import millis, plus_millis
from replay.faults.rows import fault_rows, in_spells, own_lines
from replay.faults.rule import finds_in
from replay.sentences import statement

LATE_MS = 30_000  # healthy brokers apply a metadata record within half a second (facts §6.1, R8)
ONE_SPELL_MS = 60_000
ROLES = ("leader_start", "follower_start")
_DECISION = ("topic_id", "partition", "leader_epoch", "partition_epoch")


@finds_in("raft_transition")
def metadata_late(events: DataFrame) -> DataFrame:
    """F32: a broker that takes up its part in a decision of the KRaft controllers long after another broker did, though
    it ran all the while. Returns `FAULTS`.

    Only lines of one and the same decision are compared, by partition epoch: a replica that is added later starts with
    a later one. A broker that started in between reads what it had missed.
    """
    own = own_lines(events)
    roles = own.where(F.col("kind").isin(*ROLES) & F.col("topic_id").isNotNull() & F.col("partition_epoch").isNotNull())
    first = roles.groupBy(*_DECISION).agg(
        F.min("ts").alias("first_ts"), F.min_by("event_id", "ts").alias("first_event")
    )
    began = own.groupBy("node_id").agg(
        F.min("ts").alias("_heard_ts"),
        F.collect_list(F.when(F.col("kind").isin(*STARTS), F.col("ts"))).alias("_starts"),
    )
    restarted = F.exists("_starts", lambda start: start.between(F.col("first_ts"), F.col("ts")))
    late = (
        roles.join(first, list(_DECISION))
        .where(millis("ts", "first_ts") >= LATE_MS)
        .join(began, "node_id")
        .where((F.col("_heard_ts") < F.col("first_ts")) & ~restarted)
    )
    spells = (
        in_spells(late, ("node_id",), ONE_SPELL_MS)
        .groupBy("node_id", "spell")
        .agg(
            F.min("first_ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.max(millis("ts", "first_ts")).alias("late_ms"),
            F.countDistinct("topic_id", "partition").alias("partitions_late"),
            F.min_by("first_event", "first_ts").alias("first_event"),
            evidence_of().alias("lines"),
        )
    )
    return fault_rows(
        spells,
        "metadata_late",
        broker_id=F.col("node_id"),
        said=statement(
            "learnt_late",
            broker="node_id",
            late_ms="late_ms",
            partitions="partitions_late",
            at_from="ts",
            at_to="end_ts",
        ),
        began_low=plus_millis("ts", -LATE_MS),
        confidence=0.7,
        evidence=F.concat(F.array("first_event"), F.col("lines")),
    )
