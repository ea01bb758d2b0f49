"""Each change of leader, step by step: which replicas there were to choose from, why one was taken, when each learnt
of it, and what it cut.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined
from replay.columns.times import millis
from replay.columns.windows import PARTITION_KEY
from replay.partitions.topics import with_life
from replay.tables import FAILOVERS

_TAKES_ROLE = ("leader_start", "follower_start")
_LEARNS = (*_TAKES_ROLE, "leader_transition_skipped", "follower_transition_skipped", "broker_leader_and_isr_received")
_EPOCH = (*PARTITION_KEY, "leader_epoch")
_UNCLEAN = ("any_replica", "last_known_leader")


def failovers(
    elected: DataFrame, sessions: DataFrame, events: DataFrame, cuts: DataFrame, lives: DataFrame
) -> DataFrame:
    """One row a replica and change of leader. Returns `FAILOVERS`.

    `elected` is `replay.partitions.elections.elections`, `cuts` is `LOG_CUTS`. A controller takes the first of the
    assignment that is alive and in the ISR; without one the ELR, the last known leader or, where that is allowed, any
    that is alive (facts §1.7).
    """
    every = F.array_distinct(
        F.concat(
            F.coalesce("replicas", F.col("isr_before"), F.array().cast("array<int>")),
            F.array_compact(F.array("new_leader_id", F.when(F.col("old_leader_id") >= 0, F.col("old_leader_id")))),
        )
    )
    candidates = elected.select(
        *_EPOCH,
        "ts",
        "old_leader_id",
        "new_leader_id",
        "elected_from",
        "trigger",
        "isr_before",
        "replicas",
        F.col("evidence").alias("_election"),
        F.explode(every).alias("broker_id"),
    )
    in_session = candidates.join(
        sessions.select("broker_id", F.col("start_ts").alias("_since"), F.col("end_ts").alias("_until")),
        "broker_id",
        "left",
    )
    alive = F.bool_or((F.col("_since") <= F.col("ts")) & F.coalesce(F.col("_until") > F.col("ts"), F.lit(True)))
    known = (
        in_session.groupBy(*candidates.columns)
        .agg(alive.alias("is_alive"))
        .withColumns(
            {
                "place": F.nullif(F.array_position("replicas", F.col("broker_id")).cast("int"), F.lit(0)),
                "in_isr": F.array_contains("isr_before", F.col("broker_id")),
            }
        )
    )
    told = known.join(_learnt(events, lives), [*_EPOCH, "broker_id"], "left").join(
        _cut_in(cuts, lives), [*_EPOCH, "broker_id"], "left"
    )
    return FAILOVERS.of(
        told.withColumns(
            {
                "was_taken": F.col("broker_id") == F.col("new_leader_id"),
                "reason": _reason(),
                "lag_ms": F.when(
                    F.col("learnt_ts").isNotNull(), F.greatest(millis("learnt_ts", "ts"), F.lit(0).cast("long"))
                ),
                "evidence": joined(F.slice("_election", 1, 4), F.array("_learnt_event"), F.array("_cut_event")),
            }
        )
    )


def _reason() -> Column:
    """Why this replica was taken, or was not: the first that holds."""
    taken = F.col("broker_id") == F.col("new_leader_id")
    stopping = (F.col("trigger") == "controlled_shutdown") & (F.col("broker_id") == F.col("old_leader_id"))
    unclean = F.col("elected_from").isin(*_UNCLEAN)
    alive, in_isr = F.col("is_alive"), F.col("in_isr")
    leaders_place = F.nullif(F.array_position("replicas", F.col("new_leader_id")), F.lit(0))
    later = F.col("place") > leaders_place
    return (
        F.when(taken & F.col("elected_from").isNull(), "state_before_not_known")
        .when(taken & (F.col("elected_from") == "isr") & (F.col("place") == 1), "preferred_and_in_isr")
        .when(taken & (F.col("elected_from") == "isr"), "in_isr")
        .when(taken & (F.col("elected_from") == "elr"), "in_elr")
        .when(taken, F.col("elected_from"))
        .when(stopping, "being_stopped")
        .when(~alive, "not_alive")
        .when(~in_isr & ~unclean, "not_in_isr")
        .when(in_isr.isNull() | alive.isNull(), "not_known")
        .when(later, "later_in_assignment")
        .when(F.col("trigger") == "reassignment", "moved_by_reassignment")
        .otherwise("not_known")
    )


def _learnt(events: DataFrame, lives: DataFrame) -> DataFrame:
    """When each broker first names a leader epoch, and where its log ended as it took its role in it."""
    lines = with_life(
        events.where(
            F.col("kind").isin(*_LEARNS)
            & F.col("topic").isNotNull()
            & F.col("leader_epoch").isNotNull()
            & F.col("node_id").isNotNull()
            & F.col("ts").isNotNull()
        ).select(
            "topic",
            "partition",
            "leader_epoch",
            "node_id",
            "ts",
            "event_id",
            F.when(F.col("kind") == "leader_start", F.col("epoch_start_offset"))
            .when(F.col("kind") == "follower_start", F.col("log_end_offset"))
            .alias("_end"),
        ),
        lives,
    )
    return lines.groupBy(*_EPOCH, F.col("node_id").alias("broker_id")).agg(
        F.min("ts").alias("learnt_ts"),
        F.min_by("event_id", "ts").alias("_learnt_event"),
        F.min_by("_end", F.when(F.col("_end").isNotNull(), F.col("ts"))).alias("log_end_offset"),
    )


def _cut_in(cuts: DataFrame, lives: DataFrame) -> DataFrame:
    """The first cut of a replica in a leader epoch, which is that with which it agrees with its leader."""
    own = with_life(cuts.where(~F.col("by_recovery") & F.col("leader_epoch").isNotNull()), lives)
    first = F.struct("truncation_offset", F.get("evidence", F.lit(0)).alias("event_id"))
    return (
        own.groupBy(*_EPOCH, F.col("node_id").alias("broker_id"))
        .agg(F.min_by(first, "ts").alias("_first"))
        .select(
            *_EPOCH,
            "broker_id",
            F.col("_first.truncation_offset").alias("truncation_offset"),
            F.col("_first.event_id").alias("_cut_event"),
        )
    )
