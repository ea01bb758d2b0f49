"""The lines in which brokers tell that they took on a role in a partition."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.facts.reads import gathers
from replay.partitions.state_reports import FETCHES, fetchers_begun
from replay.tables.partitions import ROLE_LINES

_ROLE_TAKEN = (
    "leader_start",
    "follower_start",
    "broker_leader_and_isr_received",
    "leader_transition_skipped",
    "follower_transition_skipped",
)


@gathers(*_ROLE_TAKEN, FETCHES)
def role_lines(events: DataFrame) -> DataFrame:
    """Each line in which a broker takes on a leader epoch that has a leader. Returns `ROLE_LINES`."""
    taken = events.where(
        F.col("kind").isin(*_ROLE_TAKEN)
        & F.col("topic").isNotNull()
        & F.col("leader_epoch").isNotNull()
        & F.col("node_id").isNotNull()
        & F.coalesce(F.col("leader_id") >= 0, F.lit(True))
    )
    # Up to 2.3 no more is told at INFO.
    fetching = fetchers_begun(events).where(F.col("node_id").isNotNull()).withColumn("kind", F.lit(FETCHES))
    return ROLE_LINES.of(taken).unionByName(ROLE_LINES.of(fetching))
