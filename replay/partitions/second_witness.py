"""What the cluster itself kept of partitions' states beside what the nodes' logs say: confirmed, refined, added, or
contradicted; never averaged.

The dumped metadata log, or ZooKeeper, holds what was committed, so it is the better witness of partition epochs and
of states that no broker lived to print. Where both speak of one state and disagree, one of them is of another
cluster, or metadata was rolled back (I3, I29).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of
from replay.columns.phrases import listed
from replay.columns.windows import PARTITION_KEY
from replay.tables import SECOND_WITNESS

_STATE = (*PARTITION_KEY, "leader_epoch", "partition_epoch")
_KEPT = ("record", "znode")
_NOT_COMMITTED = ("intent",)  # what a leader only announces may be refused


def second_witness(sightings: DataFrame) -> DataFrame:
    """One row a committed state that the metadata log, ZooKeeper or the nodes' logs tell of, with what the others say
    of it. Returns `SECOND_WITNESS`; empty where only logs are at hand.

    `sightings` are those of `replay.partitions.state_reports`. A log line that names no partition epoch is held
    against all states of its leader epoch.
    """
    kept = F.when(F.col("witness") == "record", "the metadata log").otherwise("ZooKeeper")
    records = (
        sightings.where(F.col("witness").isin(*_KEPT))
        .groupBy(*_STATE, F.when(F.col("partition_epoch").isNull(), F.col("isr")).alias("_unnumbered"))
        .agg(
            F.max("leader_id").alias("leader_id"),
            F.min("ts").alias("ts"),
            F.max("isr").alias("isr"),
            F.max("topic_id").alias("topic_id"),
            evidence_of().alias("record_evidence"),
            F.min(kept).alias("_kept"),
        )
    )
    said = sightings.where(~F.col("witness").isin(*_KEPT) & ~F.col("witness").isin(*_NOT_COMMITTED)).select(
        *PARTITION_KEY,
        "leader_epoch",
        F.col("partition_epoch").alias("_partition_epoch"),
        F.col("leader_id").alias("_leader_id"),
        F.col("isr").alias("_isr"),
        F.col("ts").alias("_ts"),
        "event_id",
    )
    return _of_records(records, said).unionByName(_of_logs_alone(records, said))


def _of_records(records: DataFrame, said: DataFrame) -> DataFrame:
    """The states that the cluster kept, by what the logs say of them."""
    # A znode printed without its stat has no partition epoch: one of its ISRs is then this one.
    same_state = F.coalesce(
        F.col("_partition_epoch") == F.col("partition_epoch"),
        F.col("partition_epoch").isNull() & (F.col("_isr") == F.col("isr")),
    )
    agrees = F.coalesce(F.col("_leader_id") == F.col("leader_id"), F.lit(True)) & F.coalesce(
        F.col("_isr") == F.col("isr"), F.lit(True)
    )
    unnumbered = F.col("_partition_epoch").isNull() | F.col("partition_epoch").isNull()
    near = records.join(said, [*PARTITION_KEY, "leader_epoch"], "left")
    # A leader epoch has one leader; a line without a partition epoch can contradict no more than that.
    against = (same_state & ~agrees) | (
        unnumbered & F.coalesce(F.col("_leader_id") != F.col("leader_id"), F.lit(False))
    )
    whole = same_state & agrees & F.col("_isr").isNotNull()
    partly = (same_state & agrees) | (
        unnumbered & F.coalesce(F.col("_leader_id") == F.col("leader_id"), F.lit(True)) & F.col("event_id").isNotNull()
    )
    judged = near.groupBy(*_STATE, "leader_id", "isr", "topic_id", "ts", "record_evidence", "_kept").agg(
        F.coalesce(F.bool_or(against), F.lit(False)).alias("_against"),
        F.coalesce(F.bool_or(whole), F.lit(False)).alias("_whole"),
        F.coalesce(F.bool_or(partly), F.lit(False)).alias("_partly"),
        evidence_of("event_id", "_ts").alias("_near"),
        F.array_sort(
            F.collect_set(
                F.when(
                    against,
                    F.concat(
                        F.lit("leader "),
                        F.col("_leader_id").cast("string"),
                        F.coalesce(F.concat(F.lit(", ISR "), listed("_isr")), F.lit("")),
                    ),
                )
            )
        ).alias("_other"),
    )
    verdict = (
        F.when(F.col("_against"), "contradicted")
        .when(F.col("_whole"), "confirmed")
        .when(F.col("_partly"), "refined")
        .otherwise("added")
    )
    return _row(
        judged.withColumn("verdict", verdict),
        told=F.when(
            verdict == "contradicted",
            F.concat(
                "_kept",
                F.lit(" says leader "),
                F.col("leader_id").cast("string"),
                F.lit(", ISR "),
                listed("isr"),
                F.lit("; nodes' logs say "),
                F.array_join("_other", "; "),
            ),
        )
        .when(
            verdict == "confirmed",
            F.concat(F.lit("logs and "), F.regexp_replace("_kept", "^the ", ""), F.lit(" say the same")),
        )
        .when(
            verdict == "refined",
            F.concat(F.lit("logs tell of the leader epoch; its partition epoch and ISR are told by "), "_kept"),
        )
        .otherwise("no log line tells of it"),
        log_evidence=F.when(verdict == "added", F.array().cast("array<string>")).otherwise(F.col("_near")),
    )


def _of_logs_alone(records: DataFrame, said: DataFrame) -> DataFrame:
    """Leader epochs of which only logs tell: contradicted where the dump has older and newer ones of that partition,
    else beyond what was dumped.
    """
    reach = records.groupBy(*PARTITION_KEY).agg(
        F.min("leader_epoch").alias("_first"), F.max("leader_epoch").alias("_last"), F.min("_kept").alias("_kept")
    )
    alone = said.join(
        records.select(*PARTITION_KEY, "leader_epoch").distinct(), [*PARTITION_KEY, "leader_epoch"], "left_anti"
    )
    known = (
        alone.groupBy(*PARTITION_KEY, "leader_epoch")
        .agg(
            F.max("_leader_id").alias("leader_id"),
            F.max("_partition_epoch").alias("partition_epoch"),
            F.min("_ts").alias("ts"),
            evidence_of("event_id", "_ts").alias("log_evidence"),
        )
        .join(F.broadcast(reach), list(PARTITION_KEY))
    )
    # The metadata log is dumped whole from one offset to another; of ZooKeeper some states are at hand.
    within = F.col("leader_epoch").between(F.col("_first"), F.col("_last")) & (F.col("_kept") == "the metadata log")
    return _row(
        known.withColumn("verdict", F.when(within, "contradicted").otherwise("beyond_dump")),
        told=F.when(
            within,
            F.format_string(
                "the metadata log goes from leader epoch %d to %d of this partition without this one", "_first", "_last"
            ),
        ).otherwise(
            F.when(
                F.col("_kept") == "ZooKeeper",
                F.format_string(
                    "ZooKeeper's state is here for other leader epochs of this partition, from %d to %d",
                    "_first",
                    "_last",
                ),
            ).otherwise(
                F.format_string("the dump reaches from leader epoch %d to %d of this partition", "_first", "_last")
            )
        ),
        record_evidence=F.array(),
    )


def _row(rows: DataFrame, **given: Column) -> DataFrame:
    return rows.select(
        *[
            given.get(c.name, F.col(c.name) if c.name in rows.columns else F.lit(None)).cast(c.type).alias(c.name)
            for c in SECOND_WITNESS.columns
        ]
    )
