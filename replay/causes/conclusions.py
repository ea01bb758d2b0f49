"""The one shape of a conclusion: data and statements; sentences are drawn from them at the very end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import evidence_of_rows
from replay.columns.partitions import partition_name
from replay.columns.times import iso_stamp
from replay.sentences.findings import NOT_LOGGED, SUMMARIES, TITLES
from replay.sentences.statement import STATEMENT
from replay.tables.causes import CONCLUSIONS, FINDINGS

ABOUT: Mapping[str, tuple[str, ...]] = {
    "leaderless": ("leaderless",),
    "writes_refused": ("writes_refused",),
    "damaged_logs": ("recovery_cut",),
    "controller_changes": ("controller_change",),
    "unexplained_controllers": ("controller_change",),
    "preferred_elections": ("election",),
    "unexplained": ("leaderless", "isr_shrink", "unclean_election"),
    "last_known_leaders": ("unclean_election",),
    "unclean_elections": ("unclean_election",),
    "loss": ("loss",),
    "seen_cause_unknown": (),
}
"""Of which kinds of happenings a conclusion tells that is of no one fault, by the first part of its id."""


def conclusion(
    rows: DataFrame,
    *,
    id: Column,
    code: Column | str,
    role: Column | str,
    severity: Column | str,
    title: Column,
    said: Sequence[Column],
    not_logged: Sequence[Column] | Column = (),
    **given: Column,
) -> DataFrame:
    """Rows of `CONCLUSIONS`, from columns of `rows` and those `given`.

    `title`, `said` and `not_logged` are statements; one that is null is left out.
    """

    def value(of: Column | str) -> Column:
        return F.lit(of) if isinstance(of, str) else of

    no_names, no_ids = F.array().cast("array<string>"), F.array().cast("array<int>")
    whole = CONCLUSIONS.rows(
        rows.withColumn("_title", title),
        **{
            "finding_id": id,
            "code": value(code),
            "role": value(role),
            "severity": value(severity),
            "reason": F.col("_title.reason"),
            "arguments": F.col("_title.arguments"),
            "said": _all_there(said),
            "not_logged": not_logged if isinstance(not_logged, Column) else _all_there(not_logged),
            **given,
        },
    )
    return whole.withColumns(
        {"partitions": F.coalesce("partitions", no_names), "broker_ids": F.coalesce("broker_ids", no_ids)}
    )


def _all_there(statements: Sequence[Column]) -> Column:
    every = F.array(*statements).cast(f"array<{STATEMENT.simpleString()}>")
    return F.filter(every, lambda one: one["reason"].isNotNull())


def as_findings(conclusions: DataFrame) -> DataFrame:
    """The conclusions with their sentences. Returns `FINDINGS`."""
    return FINDINGS.rows(
        conclusions,
        title=TITLES.text(F.struct("reason", "arguments")),
        summary=SUMMARIES.paragraph("said"),
        blind_spots=F.transform("not_logged", NOT_LOGGED.text),
    )


def conclusion_id(kind: str) -> Column:
    """`kind`, incident and time: stable for the same input. Raises KeyError for a kind of which `ABOUT` tells nothing."""
    ABOUT[kind]
    return F.concat_ws("/", F.lit(kind), F.coalesce("incident_id", F.lit("no-incident")), iso_stamp("start_ts"))


def told_of(vertices: DataFrame, what: str) -> DataFrame:
    """`vertices` of which the conclusion `what` tells, one row an incident: times, `count`, brokers, partitions, evidence."""
    names = F.collect_set(F.when(F.col("topic").isNotNull(), partition_name()))
    return (
        vertices.where(F.col("kind").isin(*ABOUT[what]))
        .groupBy("incident_id")
        .agg(
            F.min("ts").alias("start_ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("node_id")).alias("broker_ids"),
            F.array_sort(names).alias("partitions"),
            evidence_of_rows(3).alias("evidence"),
        )
    )
