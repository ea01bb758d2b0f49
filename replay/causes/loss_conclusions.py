"""Losses and unclean elections as conclusions: ranges, premises, and what made them."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.causes.conclusions import conclusion, conclusion_id, told_of
from replay.causes.fault_conclusions import HARMFUL_DISCARD, is_routine
from replay.causes.happenings import epoch_id, loss_id
from replay.columns.evidence import evidence_of_rows
from replay.columns.partitions import partition_name
from replay.columns.times import plus_millis
from replay.columns.values import looked_up
from replay.faults.kinds import UNKNOWN
from replay.sentences import statement
from replay.tables.losses import OPEN_VERDICTS

SCENARIO_CODES = {"S4": "F16", "S5": "F24", "S1": "F31", "S2": "F31", "S6": "F24"}  # facts §3.3
NEAR_MS = 2_000  # what two corrected clocks may still differ by


def causes_of(roots: DataFrame, faults: DataFrame) -> DataFrame:
    """`id, cause`: the code of the fault that each happening follows from, not of routine work where it follows from
    a fault as well.
    """
    known = roots.join(faults.select(F.col("fault_id").alias("root_id"), "code", "kind"), "root_id")
    return known.groupBy("id").agg(F.min_by("code", F.struct(is_routine(), "distance", "root_id")).alias("cause"))


def incident_times(root_spans: DataFrame) -> DataFrame:
    """`incident_id, from_ts, to_ts, first_code`: each incident's time, and the code of its first root that is no
    routine work.
    """
    return root_spans.groupBy("incident_id").agg(
        F.min("ts").alias("from_ts"),
        F.max("end_ts").alias("to_ts"),
        F.min_by("code", F.struct(is_routine(), "ts")).alias("first_code"),
    )


def conclusions_of_losses(
    losses: DataFrame, causes: DataFrame, root_spans: DataFrame, vertices: DataFrame
) -> DataFrame:
    """The ledger in conclusions: one an incident, class, verdict, scenario and cause. Returns `CONCLUSIONS`."""
    told = _summed(_with_causes(losses, causes, root_spans, vertices))
    committed, verdict = F.col("loss_class") == "committed", F.col("verdict")
    few = F.coalesce(F.col("high") < HARMFUL_DISCARD, F.lit(False))
    severity = (
        F.when(committed & (verdict == "PROVEN_LOSS"), "critical")
        .when(committed & (verdict == "POSSIBLE_LOSS"), "high")
        .when(committed, "medium")
        .otherwise(F.when(few, "low").otherwise("medium"))
    )
    is_acked = ~committed & (verdict == "POSSIBLE_LOSS")
    return conclusion(
        told,
        id=F.concat_ws("/", conclusion_id("loss"), "loss_class", "verdict", "scenario", "cause"),
        code=F.coalesce(looked_up(SCENARIO_CODES, F.col("scenario")), F.col("cause"), F.lit(UNKNOWN)),
        role="effect",
        severity=severity,
        title=_title(),
        said=[
            statement("lost_ranges", all_ranges="ranges"),
            statement("premise", premise="premise", several=F.when(F.size("ranges") > 1, F.lit("yes"))),
            statement(F.when(committed & (verdict == "PROVEN_LOSS"), "offsets_are_not_records")),
            statement(F.when(is_acked, "acks_not_logged")),
        ],
        confidence=F.when(verdict == "PROVEN_LOSS", 0.99).when(verdict == "POSSIBLE_LOSS", 0.8).otherwise(0.5),
        not_logged=[statement(F.when(verdict == "UNDETERMINED", "premise_missing"), premise="premise")],
    )


def _with_causes(losses: DataFrame, causes: DataFrame, root_spans: DataFrame, vertices: DataFrame) -> DataFrame:
    """The open rows of the ledger with incident and cause: that of the loss, else of its election, else the
    incident's first fault.
    """
    times = incident_times(root_spans)
    incident_of = vertices.select("id", F.col("incident_id").alias("own_incident"))
    asked = (
        losses.where(F.col("verdict").isin(*OPEN_VERDICTS))
        .withColumns({"loss": loss_id(), "election": epoch_id("election")})
        .join(causes.select(F.col("id").alias("loss"), F.col("cause").alias("by_loss")), "loss", "left")
        .join(causes.select(F.col("id").alias("election"), F.col("cause").alias("by_election")), "election", "left")
        .join(incident_of.withColumnRenamed("id", "election"), "election", "left")
    )
    around = F.col("ts").between(plus_millis("from_ts", -NEAR_MS), plus_millis("to_ts", NEAR_MS))
    by_time = (
        asked.select("loss", "ts")
        .distinct()
        .join(times, around)
        .groupBy("loss", "ts")
        .agg(F.max_by("incident_id", "from_ts").alias("incident_by_time"))
    )
    placed = asked.join(by_time, ["loss", "ts"], "left").withColumn(
        "incident_id", F.coalesce("own_incident", "incident_by_time")
    )
    with_first = placed.join(times.select("incident_id", "first_code"), "incident_id", "left")
    return with_first.withColumn("cause", F.coalesce("by_loss", "by_election", "first_code"))


def _summed(asked: DataFrame) -> DataFrame:
    size_low, size_high = F.col("to_offset_low") - F.col("from_offset"), F.col("to_offset_high") - F.col("from_offset")
    until = F.coalesce(F.col("to_offset_high").cast("string"), F.lit("unknown"))
    in_words = F.concat(partition_name(), F.format_string(" [%d, %s)", F.col("from_offset"), until))
    all_known = F.count_if(F.col("to_offset_high").isNull()) == 0
    return asked.groupBy("incident_id", "loss_class", "verdict", "scenario", "cause").agg(
        F.min("ts").alias("start_ts"),
        F.max("ts").alias("end_ts"),
        F.sum(size_low).alias("low"),
        F.when(all_known, F.sum(size_high)).alias("high"),
        F.array_sort(F.collect_set("old_leader_id")).alias("broker_ids"),
        F.array_sort(F.collect_set(partition_name())).alias("partitions"),
        F.array_sort(F.collect_set(F.replace(in_words, F.lit(", "), F.lit(",")))).alias("ranges"),
        F.min_by("premise", F.struct("ts", "topic", "partition")).alias("premise"),
        evidence_of_rows(6).alias("evidence"),
    )


def _title() -> Column:
    committed, verdict, unknown = F.col("loss_class") == "committed", F.col("verdict"), F.col("high").isNull()
    proven = F.when(unknown, "committed_lost_at_least").when(F.col("low") < F.col("high"), "committed_lost_up_to")
    reason = (
        F.when(committed & (verdict == "PROVEN_LOSS"), F.coalesce(proven, F.lit("committed_lost")))
        .when(committed & (verdict == "POSSIBLE_LOSS") & unknown, "committed_possibly_lost_unknown")
        .when(committed & (verdict == "POSSIBLE_LOSS"), "committed_possibly_lost")
        .when((verdict == "POSSIBLE_LOSS") & unknown, "uncommitted_discarded_unknown")
        .when(verdict == "POSSIBLE_LOSS", "uncommitted_discarded")
        .otherwise("loss_unknown")
    )
    return statement(reason, low="low", high="high", partitions=F.size("partitions"))


def unclean_elections(vertices: DataFrame, elections: DataFrame, topic_settings: DataFrame) -> DataFrame:
    """F16, and apart from it the partitions that fell back to their last known leader (KIP-966). Returns
    `CONCLUSIONS`.
    """
    back = elections.where(F.col("elected_from") == "last_known_leader").select(epoch_id("election").alias("id"))
    elsewhere = told_of(vertices.join(back, "id", "left_anti"), "unclean_elections")
    fell_back = told_of(vertices.join(back, "id", "left_semi"), "last_known_leaders")
    names = {"partitions": F.size("partitions"), "all_brokers": F.col("broker_ids"), "all_names": F.col("partitions")}
    allowed = topic_settings.where("unclean_allowed").select(F.col("topic").alias("allowed_topic")).distinct()
    allowing = allowed.agg(F.collect_set("allowed_topic").alias("allowing"))
    topics = F.transform("partitions", lambda name: F.regexp_extract(name, r"^(.*)-\d+$", 1))
    was_allowed = F.exists(topics, lambda topic: F.array_contains("allowing", topic))
    given_back = conclusion(
        fell_back,
        id=conclusion_id("last_known_leaders"),
        code="F16",
        role="contributing",
        severity="high",
        title=statement("fell_back_to_last_leader", **names),
        said=[statement("given_back_to_last_leader", **names)],
        confidence=F.lit(0.98),
    )
    return given_back.unionByName(
        conclusion(
            elsewhere.crossJoin(allowing),
            id=conclusion_id("unclean_elections"),
            code="F16",
            role="contributing",
            severity="critical",
            title=statement("unclean_election", **names),
            said=[
                statement("elected_outside_isr", **names),
                statement("how_unclean_is_judged"),
                statement(F.when(was_allowed, "unclean_was_allowed")),
            ],
            confidence=F.lit(0.98),
        )
    )
