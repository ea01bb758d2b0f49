"""The one shape of a fault, and what several of them ask."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.processes import CLEAN_START, STARTS, UNCLEAN_START
from replay.columns.events import detail
from replay.columns.times import millis, plus_millis
from replay.faults.taxonomy import ORDERED_STOPS

# Of each fault: `ts` is the first proof of it, `t0_low` the last proof of health before; `nodes` are those that it befell where no
# one of them is at fault, or the peer at the other end of a link.
COLUMNS = {
    "fault_id": "string",
    "kind": "string",
    "code": "string",
    "broker_id": "int",
    "ts": "timestamp",
    "t0_low": "timestamp",
    "end_ts": "timestamp",
    "confidence": "double",
    "because": "string",
    "nodes": "array<int>",
    "blind_spots": "array<string>",
    "partitions": "array<string>",
    "evidence": "array<string>",
}

LAG_MS = 45_000  # a leader drops a follower 1 to 1.5 times `replica.lag.time.max.ms` after it last kept up
_STARTING_MS = 5_000  # the first lines of a process come before the one that says it starts


def fault(rows: DataFrame, kind: str | Column, code: str | Column, **given: Column) -> DataFrame:
    """Rows in the shape of `COLUMNS`; the id is made of kind, broker and time."""
    columns = {
        "kind": F.lit(kind) if isinstance(kind, str) else kind,
        "code": F.lit(code) if isinstance(code, str) else code,
        "blind_spots": F.array(),
        "partitions": F.array(),
        **given,
    }
    named = rows.select(
        *[
            columns.get(name, F.col(name) if name in rows.columns else F.lit(None)).cast(type_).alias(name)
            for name, type_ in COLUMNS.items()
            if name != "fault_id"
        ]
    )
    stamp = F.date_format("ts", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    return named.withColumn("fault_id", F.concat_ws("/", "kind", F.col("broker_id").cast("string"), stamp)).select(
        *COLUMNS
    )


def explaining(known: DataFrame, open_until: Column, lasting_ms: int = 15_000) -> DataFrame:
    """`_fault_broker, _from, _to`: the times in which a known fault that is no ordered stop explains what else befalls its broker, and `lasting_ms` after it; one without an end lasts `open_until`."""
    return lasting(known.where(~F.col("kind").isin(*ORDERED_STOPS)), open_until, lasting_ms)


def lasting(faults: DataFrame, open_until: Column, lasting_ms: int = 15_000) -> DataFrame:
    """`_fault_broker, _from, _to`: the time of each fault, and `lasting_ms` after it; one without an end lasts `open_until`."""
    return faults.select(
        F.col("broker_id").alias("_fault_broker"),
        plus_millis(F.coalesce("t0_low", "ts"), -5_000).alias("_from"),
        plus_millis(F.coalesce(F.col("end_ts"), open_until), lasting_ms).alias("_to"),
    )


def begun_unseen(events: DataFrame) -> DataFrame:
    """`_node, _begun_ts, _begun_event`: nodes whose files begin in mid-flow."""
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull()).groupBy(
        F.col("node_id").alias("_node")
    )
    started = F.min(F.when(F.col("kind").isin(*STARTS, *UNCLEAN_START, *CLEAN_START), F.col("ts"))).alias("_start_ts")
    begun = own.agg(
        F.min("ts").alias("_begun_ts"),
        F.min_by("event_id", F.struct("ts", "source_file", "line_number")).alias("_begun_event"),
        started,
    )
    return begun.where(F.coalesce(millis("_start_ts", "_begun_ts") > _STARTING_MS, F.lit(True))).drop("_start_ts")


def removed() -> Column:
    """The brokers that a shrink takes out of its ISR."""
    was = F.transform(
        F.regexp_extract_all(F.coalesce(detail("old_isr"), F.lit("")), F.lit(r"(\d+)")),
        lambda broker: broker.cast("int"),
    )
    return F.array_except(was, "isr")
