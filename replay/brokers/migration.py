"""The migration of a cluster from ZooKeeper to KRaft (KIP-866): how far it came, and whom it waits for (operator
question 25).
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import joined
from replay.columns.times import millis
from replay.sentences import statement

STUCK_MS = 600_000  # to roll the brokers takes minutes; one that is awaited for longer was forgotten, or cannot start
_WAITS, _STATE, _DRIVER = "migration_waiting", "kraft_migration_state_replayed", "migration_state"
KINDS = (_WAITS, _STATE, _DRIVER)


def migration(events: DataFrame) -> DataFrame:
    """The migration that the logs tell of in one row, none without one: `ts, end_ts, node_id, awaited, is_stuck,
    reason, arguments, evidence`.

    `awaited`: the brokers of ZooKeeper that had not registered with the quorum when it last said so. `is_stuck`: nothing was copied
    `STUCK_MS` after it first waited, and the logs end.
    """
    changed_to = F.regexp_extract("message", r"(\w+)\.?$", 1)
    waits, dual = (
        F.col("kind") == _WAITS,
        (F.col("kind") == _DRIVER) & F.contains("message", F.lit("to DUAL_WRITE state")),
    )
    state = F.when(F.col("kind") == _STATE, changed_to)
    steps = {
        "begun": waits | (state == "PRE_MIGRATION"),
        "waits": waits,
        "copied": state == "MIGRATION",
        "dual": dual,
        "done": state == "POST_MIGRATION",
    }
    told = events.where(F.col("ts").isNotNull()).agg(
        F.max("ts").alias("_logs_end"),
        F.max_by(F.struct("ts", "event_id", "message"), F.when(waits, F.col("ts"))).alias("_waited"),
        *[
            F.min_by(F.struct("ts", "event_id", "node_id"), F.when(which, F.col("ts"))).alias(f"_{step}")
            for step, which in steps.items()
        ],
    )
    copied = F.col("_copied").isNotNull()
    awaited = F.transform(
        F.regexp_extract_all(F.regexp_extract("_waited.message", r"ZK brokers \[?([\d, ]+)", 1), F.lit(r"(\d+)")),
        lambda broker: broker.cast("int"),
    )
    return (
        told.where(F.coalesce("_begun", "_copied", "_done").isNotNull())
        .withColumn("awaited", F.coalesce(awaited, F.array().cast("array<int>")))
        .select(
            F.coalesce("_begun.ts", "_copied.ts", "_done.ts").alias("ts"),
            F.coalesce("_done.ts", "_dual.ts", "_copied.ts", "_waited.ts", "_begun.ts").alias("end_ts"),
            "_begun.node_id",
            "awaited",
            (~copied & F.coalesce(millis("_logs_end", "_waits.ts") > STUCK_MS, F.lit(False))).alias("is_stuck"),
            statement(
                "migration",
                at_begun="_begun.ts",
                before=F.when(F.col("_begun").isNull(), F.lit("yes")),
                waits=F.when(~copied & F.col("_waited").isNotNull(), F.lit("yes")),
                at_waited="_waited.ts",
                waited=F.when(~copied, F.regexp_replace("_waited.message", r"^\[[^\]]*\] ", "")),
                all_to_start=F.when(~copied & (F.size("awaited") > 0), F.col("awaited")),
                to_start=F.when(~copied & (F.size("awaited") > 0), F.size("awaited")),
                all_awaited=F.when(copied & (F.size("awaited") > 0), F.col("awaited")),
                at_copied="_copied.ts",
                at_dual="_dual.ts",
                at_done="_done.ts",
                unfinished=F.when(copied & F.col("_done").isNull(), F.lit("yes")),
            ).alias("_said"),
            joined(F.array(*[f"_{step}.event_id" for step in ("begun", "waited", "copied", "dual", "done")])).alias(
                "evidence"
            ),
        )
        .select("*", "_said.*")
        .drop("_said")
    )
