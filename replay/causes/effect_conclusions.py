"""What followed, as conclusions: partitions without a leader, rejected writes, damaged logs, controller changes, what
has no cause.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.causes.conclusions import conclusion, conclusion_id, told_of
from replay.causes.fault_conclusions import is_routine
from replay.causes.happenings import PASSING_MS, epoch_id
from replay.causes.loss_conclusions import incident_times
from replay.causes.trouble import REPEATED, often_enough
from replay.columns.evidence import evidence_of_rows
from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.faults.kinds import KINDS, ORDERED_STOPS, UNKNOWN, is_kind
from replay.faults.rows import in_spells
from replay.sentences import statement

MOST_LINES = 24  # of errors of unknown cause
NEAR_MS = 120_000  # errors so long before or after a fault may be of it
LULL_MS = 3_600_000  # an hour without an error: what comes then is another matter
APART_MS = 600_000  # moves of the controller that far apart belong to no one row of them
OFTEN, WITHIN_MS = 3, 1_800_000  # controller epochs over so many nodes' moves and such a time: F09 (facts §5)
ROUTINE_CODES = tuple(sorted({kind.code for kind in KINDS if kind.routine}))


def partitions_without_leader(
    leader_epochs: DataFrame, vertices: DataFrame, causes: DataFrame, root_spans: DataFrame
) -> DataFrame:
    """Partitions that the controller's record leaves without a leader for longer than it passes through that state.
    Returns `CONCLUSIONS`.
    """
    without = leader_epochs.where(F.col("leader_id") == -1).select(
        epoch_id("leaderless").alias("id"),
        millis(F.coalesce("end_ts", "start_ts"), "start_ts").alias("ms"),
        F.col("end_ts").isNull().alias("open"),
        F.col("end_ts").alias("ended"),
    )
    first_cause = F.when(F.col("cause").isNotNull(), F.struct(F.col("cause").isin(*ROUTINE_CODES), "ts", "id"))
    told = (
        vertices.where(F.col("kind") == "leaderless")
        .drop("end_ts")
        .join(without, "id")
        .where((F.col("ms") >= PASSING_MS) | F.col("open"))
        .join(causes, "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min_by("cause", first_cause).alias("cause"),
            F.min("ts").alias("start_ts"),
            F.max(F.coalesce("ended", "ts")).alias("end_ts"),
            F.max("ms").alias("longest_ms"),
            F.sum("ms").alias("sum_ms"),
            F.count_if("open").alias("still"),
            F.array_sort(F.collect_set(partition_name())).alias("partitions"),
            evidence_of_rows().alias("evidence"),
        )
        .join(incident_times(root_spans).select("incident_id", "first_code"), "incident_id", "left")
    )
    one, is_open = F.size("partitions") == 1, F.col("still") > 0
    return conclusion(
        told,
        id=conclusion_id("leaderless"),
        code=F.coalesce("cause", "first_code", F.lit(UNKNOWN)),
        role="effect",
        severity="high",
        title=statement(
            F.when(one & ~is_open, "without_leader_for").otherwise("without_leader"),
            partitions=F.size("partitions"),
            longest_ms=F.when(~is_open, F.col("longest_ms")),
            alone=F.when(one & is_open, F.lit("yes")),
            still=F.when(~one & is_open, F.col("still")),
        ),
        said=[
            statement(
                "were_without_leader",
                all_names="partitions",
                sum_ms="sum_ms",
                open=F.when(is_open, F.lit("yes")),
                still=F.when(is_open, F.col("still")),
            )
        ],
        confidence=F.lit(0.95),
        not_logged=[statement("when_clients_noticed")],
    )


def rejected_writes(vertices: DataFrame) -> DataFrame:
    """F20: writes with acks=all that leaders rejected for too few in-sync replicas. Returns `CONCLUSIONS`."""
    return conclusion(
        told_of(vertices, "writes_refused"),
        id=conclusion_id("writes_refused"),
        code="F20",
        role="effect",
        severity="high",
        title=statement("writes_rejected", partitions=F.size("partitions")),
        said=[statement("rejected_writes", all_names="partitions")],
        confidence=F.lit(0.97),
        not_logged=[statement("how_many_producers_waited")],
    )


def damaged_logs(vertices: DataFrame) -> DataFrame:
    """F24: logs that recovery found damaged at a restart, and cut. Returns `CONCLUSIONS`."""
    return conclusion(
        told_of(vertices, "damaged_logs"),
        id=conclusion_id("damaged_logs"),
        code="F24",
        role="effect",
        severity="medium",
        title=statement("logs_found_damaged", count="count", all_brokers="broker_ids"),
        said=[statement("recovery_cut_logs", all_names="partitions")],
        confidence=F.lit(0.97),
        not_logged=[statement("what_damaged_files")],
    )


def controller_changes(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """F08, and F09 where the controller moved often between nodes and no ordered stop asked for it. Returns
    `CONCLUSIONS`.

    An effect where known faults account for every move: the nodes that took over are not at fault.
    """
    kinds = roots.join(faults.select(F.col("fault_id").alias("root_id"), "kind"), "root_id")
    asked = kinds.groupBy("id").agg(F.bool_or(is_kind(*ORDERED_STOPS)).alias("asked"))
    in_order = F.array_sort(F.collect_list(F.struct("ts", "node_id")))
    told = (
        vertices.where((F.col("kind") == "controller_change") & F.col("incident_id").isNotNull())
        .join(asked, "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.count_if(~F.coalesce("asked", F.lit(False))).alias("unasked"),
            F.count_if(F.col("asked").isNull()).alias("unexplained"),
            F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            F.transform(in_order, lambda change: change["node_id"]).alias("nodes"),
            evidence_of_rows(3).alias("evidence"),
        )
    )
    often = (F.col("unasked") >= OFTEN) & (F.size("broker_ids") >= 2) & (millis("end_ts", "start_ts") < WITHIN_MS)
    once = F.col("count") == 1
    return conclusion(
        told,
        id=conclusion_id("controller_changes"),
        code=F.when(often, "F09").otherwise("F08"),
        role=F.when(often & (F.col("unexplained") > 0), "contributing").otherwise("effect"),
        severity=F.when(often, "medium").otherwise("low"),
        title=statement(
            F.when(once, "controller_failover").otherwise("controller_moved"),
            last=F.element_at("nodes", -1),
            count="count",
        ),
        said=[statement("controller_changed", count="count", nodes="count", all_nodes="nodes")],
        confidence=F.lit(0.95),
    )


def unexplained_controller_changes(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """F09 of unknown cause: the controller moved often between nodes, and no fault in these logs explains it; a gap of
    `APART_MS` ends a row of moves. Returns `CONCLUSIONS`.
    """
    moves = _without_cause(vertices.where(F.col("kind") == "controller_change"), roots, faults)
    told = (
        in_spells(moves.withColumn("event_id", F.col("id")), (), APART_MS)
        .groupBy("incident_id", "spell")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            evidence_of_rows(3).alias("evidence"),
        )
        .where((F.col("count") >= OFTEN) & (F.size("broker_ids") >= 2))
    )
    return conclusion(
        told,
        id=conclusion_id("unexplained_controllers"),
        code="F09",
        role="effect",
        severity="medium",
        title=statement("controller_moved_unexplained", count="count"),
        said=[statement("controllers_took_turns", count="count", all_nodes="broker_ids")],
        confidence=F.lit(0.5),
        not_logged=[statement("cause_of_changes")],
    )


def _without_cause(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """The happenings in no incident, which no fault explains."""
    explained = roots.join(faults.select(F.col("fault_id").alias("root_id")), "root_id").select("id").distinct()
    return vertices.where(F.col("incident_id").isNull()).join(explained, "id", "left_anti")


def preferred_elections(elections: DataFrame, vertices: DataFrame) -> DataFrame:
    """F17, routine: leadership given back to the first replica; a root where no fault is near. Returns `CONCLUSIONS`."""
    moved = elections.where(F.col("trigger") == "preferred").select(
        epoch_id("election").alias("id"), "ts", "new_leader_id", partition_name().alias("name"), "evidence"
    )
    told = (
        moved.join(vertices.select("id", "incident_id"), "id", "left")
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.array_sort(F.collect_set("new_leader_id")).alias("broker_ids"),
            F.array_sort(F.collect_set("name")).alias("partitions"),
            evidence_of_rows().alias("evidence"),
        )
    )
    return conclusion(
        told,
        id=conclusion_id("preferred_elections"),
        code="F17",
        role=F.when(F.col("incident_id").isNull(), "root_cause").otherwise("benign"),
        severity="info",
        title=statement("preferred_leaders_took_over"),
        said=[statement("gave_back", partitions=F.size("partitions"), all_brokers="broker_ids")],
        confidence=F.lit(0.9),
    )


def unexplained_changes(vertices: DataFrame, roots: DataFrame, faults: DataFrame) -> DataFrame:
    """Effects that clients could feel and that no fault in these logs explains: said, not guessed. Returns
    `CONCLUSIONS`.
    """
    return conclusion(
        told_of(_without_cause(vertices, roots, faults), "unexplained"),
        id=conclusion_id("unexplained"),
        code=UNKNOWN,
        role="effect",
        severity="medium",
        title=statement("unexplained_changes"),
        said=[statement("has_no_cause", count="count", all_names="partitions")],
        confidence=F.lit(0.5),
        not_logged=[statement("cause_of_changes")],
    )


def _without_explained(trouble: DataFrame, faults: DataFrame) -> DataFrame:
    """`trouble` without what lies in the time of a fault, or near it.

    A fault without an end may explain all that comes after it, and any fault what has no time. What was asked for, as
    a stop, explains only that fetches fail.
    """
    times = faults.select(
        plus_millis(F.coalesce("began_low", "ts"), -NEAR_MS).alias("_from"),
        plus_millis("end_ts", NEAR_MS).alias("_to"),
        is_routine().alias("_routine"),
    )
    not_before = F.coalesce(F.col("end_ts") >= F.col("_from"), F.lit(True))
    not_after = F.coalesce(F.col("ts") <= F.col("_to"), F.lit(True))
    may_explain = ~F.col("_routine") | F.col("kind").isin(*REPEATED)
    return trouble.join(F.broadcast(times), not_before & not_after & may_explain, "left_anti")


def unexplained_errors(trouble: DataFrame, faults: DataFrame, vertices: DataFrame) -> DataFrame:
    """Lines of trouble at a time of which no fault is known, by spells: seen, cause unknown. Returns `CONCLUSIONS`."""
    apart = often_enough(_without_explained(trouble, faults))
    most_telling_first = F.array_sort(F.collect_list(F.struct("rank", "ts", "kind", "evidence")))
    summed = (
        in_spells(apart.withColumn("event_id", F.col("kind")), (), LULL_MS)
        .groupBy("spell")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("end_ts").alias("end_ts"),
            F.sum("count").alias("count"),
            F.array_sort(F.collect_set("kind")).alias("kinds"),
            F.min_by("example", F.struct("rank", "ts")).alias("example"),
            F.min_by("caused_by", F.struct("rank", "ts")).alias("caused_by"),
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("nodes")))).alias("broker_ids"),
            F.slice(F.array_distinct(F.flatten(most_telling_first["evidence"])), 1, MOST_LINES).alias("evidence"),
        )
    )
    in_words = F.transform("kinds", lambda kind: F.replace(kind, F.lit("_"), F.lit(" ")))
    return conclusion(
        summed.where(F.col("count") > 0).withColumn("incident_id", F.lit(None).cast("string")),
        id=conclusion_id("seen_cause_unknown"),
        code=UNKNOWN,
        role="effect",
        severity="low",
        title=statement("seen_cause_unknown"),
        said=[
            statement(
                "lines_of_trouble",
                count="count",
                kinds=F.size("kinds"),
                all_kinds=in_words,
                example="example",
                caused_by="caused_by",
            )
        ],
        confidence=F.lit(0.5),
        not_logged=[statement("cause_of_errors")],
    )
