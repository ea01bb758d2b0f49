"""Parts in decisions of the KRaft controllers that brokers took up late, gathered by Spark: few rows, whatever the input."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of
from replay.columns.times import millis
from replay.facts.reads import gathers
from replay.faults.late_metadata import LATE_MS
from replay.faults.written_lines import ROLES
from replay.tables.faults import LATE_ROLES

_DECISION = ("topic_id", "partition", "leader_epoch", "partition_epoch")


@gathers("raft_transition")  # of KRaft
def late_roles(events: DataFrame) -> DataFrame:
    """The parts in decisions of the KRaft controllers that a broker took up long after another one did, those of one
    second together. Returns `LATE_ROLES`.

    Only lines of one and the same decision are compared, by partition epoch: a replica that is added later starts with
    a later one.
    """
    decided = F.col("topic_id").isNotNull() & F.col("leader_epoch").isNotNull() & F.col("partition_epoch").isNotNull()
    roles = events.where(_is_own_line() & F.col("kind").isin(*ROLES) & decided)
    first = F.min(F.struct("ts", "event_id")).over(Window.partitionBy(*_DECISION))
    late = (
        roles.withColumn("_first", first)
        .withColumns({"first_ts": F.col("_first.ts"), "name": F.concat_ws("/", "topic_id", "partition")})
        .where(millis("ts", "first_ts") >= LATE_MS)
    )
    return LATE_ROLES.of(
        late.groupBy("node_id", F.date_trunc("second", "first_ts"), F.date_trunc("second", "ts")).agg(
            F.min("_first")["event_id"].alias("first_event"),
            F.min("first_ts").alias("first_ts"),
            F.min("ts").alias("ts"),
            F.max("ts").alias("last_ts"),
            F.min("event_id").alias("event_id"),
            F.max(millis("ts", "first_ts")).alias("late_ms"),
            F.array_sort(F.collect_set("name")).alias("names"),
            evidence_of().alias("evidence"),
        )
    )


def _is_own_line() -> Column:
    """Whether a node printed the event itself, with a time."""
    return F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull()
