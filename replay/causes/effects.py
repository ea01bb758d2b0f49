"""Vertices of many partitions -> few rows: what conclusions and metrics ask of them."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.happenings import PASSING_MS
from replay.causes.names import epoch_id, loss_id
from replay.causes.partition_times import by_time, incident_times
from replay.causes.rules import CHANGES_OF_LEADER
from replay.columns.evidence import AT_MOST
from replay.columns.times import millis
from replay.tables.causes import EFFECTS, LEADING_BROKERS, OPEN_LOSSES, PLACED_LOSSES, REACH
from replay.tables.losses import OPEN_VERDICTS

LINES_KEPT = 3 * AT_MOST
LINES_OF_EACH, LINES_OF_MANY = 3, 2  # of what there is one for each partition in every failover, fewer


def reach(happenings: DataFrame, roots: DataFrame) -> DataFrame:
    """How far each set of roots reaches; a leadership that is given back to the preferred replica minutes later is no
    harm of it, and does not prolong it. Returns `REACH`.
    """
    named = roots.select("id", F.array_sort("root_ids").alias("root_ids"))
    given_back = (F.col("kind") == "election") & F.col("by").eqNullSafe("preferred")
    harm_ts = F.when(~given_back, F.col("ts")).alias("harm_ts")
    reached = happenings.select("id", harm_ts).join(named, "id").groupBy("root_ids")
    return REACH.of(reached.agg(F.max("harm_ts").alias("last_ts"), F.count("*").alias("count")))


def effects(happenings: DataFrame, vertices: DataFrame, roots: DataFrame) -> DataFrame:
    """The vertices, those of partitions summed. Returns `EFFECTS`."""
    of_partition = F.col("topic").isNotNull()
    is_leaderless = F.col("kind") == "leaderless"
    lasted_ms = millis(F.coalesce("end_ts", "ts"), "ts")
    placed = (
        happenings.drop("incident_id")
        .join(vertices.select("id", "incident_id"), "id")
        .join(roots.select("id", "root_ids"), "id", "left")
        .withColumns(
            {
                "_id": F.when(~of_partition, F.col("id")),
                "root_ids": F.coalesce("root_ids", F.array().cast("array<string>")),
                "is_other_leader": F.col("leader_id") != F.col("new_leader_id"),
                "is_open": is_leaderless & F.col("end_ts").isNull(),
                "is_passing": is_leaderless & F.col("end_ts").isNotNull() & (lasted_ms < PASSING_MS),
                "_ms": lasted_ms,
            }
        )
    )
    alike = ("kind", "by", "node_id", "incident_id", "root_ids", "elected_from")
    summed = placed.groupBy("_id", *alike, "is_other_leader", "is_open", "is_passing").agg(
        F.count("*").alias("count"),
        F.min("ts").alias("first_ts"),
        F.max("ts").alias("last_ts"),
        F.max("end_ts").alias("over_ts"),
        F.sum("_ms").alias("sum_ms"),
        F.max("_ms").alias("longest_ms"),
        F.array_sort(F.collect_set("name")).alias("partitions"),
        F.min_by("id", F.struct("ts", "id")).alias("first_id"),
        _first_lines().alias("_lines"),
    )
    return EFFECTS.of(
        summed.withColumns(
            {
                "id": F.col("_id"),
                "ts": F.col("first_ts"),
                "evidence": F.col("_lines.event"),
                "evidence_ts": F.col("_lines.ts"),
            }
        )
    )


def _first_lines() -> Column:
    """An aggregate: `ts, event` of the first events of every row's evidence, in the order of the rows' time."""
    each = F.when(F.col("kind").isin("leaderless", "election"), LINES_OF_MANY).otherwise(LINES_OF_EACH)
    own = F.transform(
        F.slice("evidence", F.lit(1), each), lambda event: F.struct(F.col("ts").alias("ts"), event.alias("event"))
    )
    in_time = F.array_sort(F.collect_list(F.struct(F.col("ts"), own.alias("lines"))))
    return F.slice(F.flatten(F.transform(in_time, lambda row: row["lines"])), 1, LINES_KEPT)


def placed_losses(ledger: DataFrame, vertices: DataFrame, root_spans: DataFrame) -> DataFrame:
    """The ledger, each row with its incident: that of the loss itself, else of its election, else of its time. Returns
    `PLACED_LOSSES`.
    """
    known = vertices.where(F.col("kind").isin("loss", *CHANGES_OF_LEADER) & F.col("incident_id").isNotNull())
    of_loss = known.select(F.col("id").alias("loss"), F.col("incident_id").alias("of_loss"))
    of_election = known.select(F.col("id").alias("election"), F.col("incident_id").alias("of_election"))
    named = (
        ledger.withColumns({"loss": loss_id(), "election": epoch_id("election")})
        .join(of_loss, "loss", "left")
        .join(of_election, "election", "left")
        .withColumn("incident_id", F.coalesce("of_loss", "of_election"))
    )
    return PLACED_LOSSES.of(by_time(PLACED_LOSSES.of(named), incident_times(root_spans), "ts"))


def open_losses(placed_losses: DataFrame, roots: DataFrame) -> DataFrame:
    """The rows of the ledger under which records are gone, or may be. Returns `OPEN_LOSSES`."""
    of_loss = roots.select(F.col("id").alias("loss"), "root_ids")
    of_election = roots.select(F.col("id").alias("election_id"), F.col("root_ids").alias("election_root_ids"))
    asked = placed_losses.where(F.col("verdict").isin(*OPEN_VERDICTS)).withColumns(
        {"loss": loss_id(), "election_id": epoch_id("election")}
    )
    return OPEN_LOSSES.of(asked.join(of_loss, "loss", "left").join(of_election, "election_id", "left"))


def leading_brokers(leader_epochs: DataFrame) -> DataFrame:
    """The brokers that led a partition. Returns `LEADING_BROKERS`."""
    return LEADING_BROKERS.of(
        leader_epochs.where(F.col("leader_id") >= 0).select(F.col("leader_id").alias("broker_id")).distinct()
    )
