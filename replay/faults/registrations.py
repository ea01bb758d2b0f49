"""Registrations that were refused because the id was registered already (F29)."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.brokers.second_processes import refused_as_duplicate
from replay.columns.evidence import evidence_of
from replay.columns.times import plus_millis
from replay.faults.rows import fault_rows, in_spells
from replay.faults.rule import finds_in
from replay.sentences import statement

GIVES_UP_MS = 10_000  # a broker that ZooKeeper refuses stops within this
ASKED_AGAIN_MS = 120_000  # a broker that KRaft refuses asks again until the old session is over


@finds_in("broker_registration_failed", "zk_ephemeral_conflict")
def registration_refused(events: DataFrame) -> DataFrame:
    """F29: a restart that was refused because the broker's old session still ran. Returns `FAULTS`.

    With ZooKeeper it then stops itself, with KRaft it asks again. Or (`second_process`) another process asked for the
    id of a broker that lived on; its lines are no node's.
    """
    refused = _with_end_of_start(_spells_of_refusals(events), events)
    return fault_rows(
        refused.where(F.col("broker_id").isNotNull()),
        F.when(F.col("is_second"), "second_process").otherwise("registration_refused"),
        said=statement(
            F.when(F.col("is_second"), "id_asked_for_by_another").otherwise("previous_session_active"),
            broker="broker_id",
            count="count",
            all_files="files",
            at_stop="gave_up_ts",
        ),
        confidence=0.9,
    )


def _spells_of_refusals(events: DataFrame) -> DataFrame:
    at_path = F.regexp_extract("message", r"/brokers/ids/(\d+)", 1).try_cast("int")
    refusals = events.where(refused_as_duplicate()).select(
        F.coalesce("node_id", "broker_id", at_path).alias("broker_id"),
        F.col("node_id").isNull().alias("is_second"),
        "ts",
        "event_id",
        "source_file",
    )
    return (
        in_spells(refusals, ("broker_id", "is_second"), ASKED_AGAIN_MS)
        .groupBy("broker_id", "is_second", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("source_file")).alias("files"),
            evidence_of().alias("evidence"),
        )
    )


def _with_end_of_start(refused: DataFrame, events: DataFrame) -> DataFrame:
    failed = events.where(F.col("kind") == "process_startup_failed").select(
        F.col("node_id").alias("_node"), F.col("ts").alias("_failed_ts")
    )
    soon = F.col("_failed_ts").between(F.col("end_ts"), plus_millis("end_ts", GIVES_UP_MS))
    of_it = (F.col("_node") == F.col("broker_id")) & ~F.col("is_second") & soon
    return refused.join(failed, of_it, "left").groupBy(*refused.columns).agg(F.min("_failed_ts").alias("gave_up_ts"))
