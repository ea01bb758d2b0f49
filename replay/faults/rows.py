"""The one shape of a fault, and what several rules ask of events and of other faults."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.times import iso_stamp, millis, plus_millis
from replay.columns.windows import so_far
from replay.facts.lives import CLEAN_START, STARTS, UNCLEAN_START
from replay.faults.kinds import ORDERED_STOPS, code_of, is_kind
from replay.tables.faults import FAULTS

STARTING_MS = 5_000  # the first lines of a process come before the one that says it starts
AFTERMATH_MS = 15_000  # leaders and followers have found each other again this long after a fault is over
OPEN_MS = 600_000  # a fault without an end explains what befalls its node for so long
BEFORE_MS = 5_000  # a fault's first effects may be told this long before its first proof


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


def in_spells(rows: DataFrame, by: tuple[str, ...], gap_ms: int | Column) -> DataFrame:
    """`rows` with `spell`: the number of the run of rows of the same `by` between which no more than `gap_ms` pass.

    Rows without a time are one run.
    """
    in_time = Window.partitionBy(*by).orderBy("ts", "event_id")
    is_first = F.col("ts").isNotNull() | F.lag("event_id").over(in_time).isNull()
    begins = F.coalesce(millis("ts", F.lag("ts").over(in_time)) > gap_ms, is_first)
    return (
        rows.withColumn("_begins", begins)
        .withColumn("spell", F.count_if("_begins").over(so_far(in_time)))
        .drop("_begins")
    )


def times_of(faults: DataFrame, open_until: Column, aftermath_ms: int | Column = AFTERMATH_MS) -> DataFrame:
    """`fault_broker, from_ts, to_ts`: the time of each fault, and a while after it; one without an end lasts
    `open_until`.
    """
    return faults.select(
        F.col("broker_id").alias("fault_broker"),
        plus_millis(F.coalesce("began_low", "ts"), -BEFORE_MS).alias("from_ts"),
        plus_millis(F.coalesce(F.col("end_ts"), open_until), aftermath_ms).alias("to_ts"),
    )


def times_explained(faults: DataFrame, open_until: Column, aftermath_ms: int | Column = AFTERMATH_MS) -> DataFrame:
    """`times_of` the faults that explain what else befalls their node: all but ordered stops."""
    return times_of(faults.where(~is_kind(*ORDERED_STOPS)), open_until, aftermath_ms)


def unexplained(found: DataFrame, known: DataFrame) -> DataFrame:
    """The faults of `found` in whose time no fault of `known` befell the same node."""
    times = times_explained(known, F.col("ts"))
    at_that_time = (F.col("ts") <= F.col("to_ts")) & (F.coalesce("end_ts", "ts") >= F.col("from_ts"))
    return found.join(F.broadcast(times), (F.col("broker_id") == F.col("fault_broker")) & at_that_time, "left_anti")


def links_of_well_nodes(failures: DataFrame, outages: DataFrame) -> DataFrame:
    """The `failures` between two nodes (`node_id`, `peer_id`) in whose time no outage befell either, not even an
    ordered stop.
    """
    away = times_of(outages, plus_millis("ts", OPEN_MS))
    of_either = (F.col("fault_broker") == F.col("node_id")) | (F.col("fault_broker") == F.col("peer_id"))
    return failures.join(away, of_either & F.col("ts").between(F.col("from_ts"), F.col("to_ts")), "left_anti")


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


def removed_from_isr() -> Column:
    """The brokers that a line about a shrinking ISR takes out of it."""
    ids = F.regexp_extract_all(F.coalesce(detail("old_isr"), F.lit("")), F.lit(r"(\d+)"))
    return F.array_except(F.transform(ids, lambda broker: broker.cast("int")), "isr")


def no_texts() -> Column:
    """An empty list of names."""
    return F.array().cast("array<string>")
