"""The one shape of a fault, and what several rules ask of events and of other faults."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.processes import CLEAN_START, STARTS, UNCLEAN_START
from replay.columns.times import iso_stamp, millis
from replay.columns.windows import in_spells as in_spells
from replay.faults.kinds import code_of
from replay.faults.of_partitions import removed_from_isr as removed_from_isr
from replay.tables.faults import FAULTS

STARTING_MS = 5_000  # the first lines of a process come before the one that says it starts


def fault_rows(
    rows: DataFrame, kind: str | Column, *, said: Column, confidence: float | Column, **given: Column
) -> DataFrame:
    """Rows of `FAULTS`, from columns of `rows` and those `given`; `said` is the statement of how the fault is known.

    A fault without bounds of its own began and ended when it is first and last told: `began_high` is `ts`, `ended_high`
    is `end_ts`. The id is made of kind, node and time.
    """
    known = rows.withColumns({"_kind": F.lit(kind) if isinstance(kind, str) else kind, "_said": said})
    whole = FAULTS.rows(
        known,
        **{
            "kind": F.col("_kind"),
            "code": code_of(F.col("_kind")),
            "confidence": F.lit(confidence) if isinstance(confidence, float) else confidence,
            "reason": F.col("_said.reason"),
            "arguments": F.col("_said.arguments"),
            **given,
        },
    )
    no_texts = F.array().cast("array<string>")
    return whole.withColumns(
        {
            "fault_id": F.concat_ws("/", "kind", F.col("broker_id").cast("string"), iso_stamp("ts")),
            "began_high": F.coalesce("began_high", "ts"),
            "ended_low": F.coalesce("ended_low", "end_ts"),
            "ended_high": F.coalesce("ended_high", "end_ts"),
            "unknowns": F.coalesce("unknowns", no_texts),
            "partitions": F.coalesce("partitions", no_texts),
        }
    )


def own_lines(events: DataFrame) -> DataFrame:
    """The events that a node printed itself, with a time."""
    return events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull())


def files_begun_in_mid_flow(events: DataFrame) -> DataFrame:
    """`begun_node, begun_ts, begun_event`: nodes whose files begin while they already ran, and their first line."""
    start_ts = F.min(F.when(F.col("kind").isin(*STARTS, *UNCLEAN_START, *CLEAN_START), F.col("ts")))
    first_lines = (
        own_lines(events)
        .groupBy(F.col("node_id").alias("begun_node"))
        .agg(
            F.min("ts").alias("begun_ts"),
            F.min_by("event_id", F.struct("ts", "source_file", "line_number")).alias("begun_event"),
            start_ts.alias("_start_ts"),
        )
    )
    started_later = F.coalesce(millis("_start_ts", "begun_ts") > STARTING_MS, F.lit(True))
    return first_lines.where(started_later).drop("_start_ts")


def no_texts() -> Column:
    """An empty list of names."""
    return F.array().cast("array<string>")
