"""How long each node waits for what, beside the rows of stages that are Spark's."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.values import once


def with_timings(rows: DataFrame, timings: DataFrame, node: str | Column, ts: str | Column, *names: str) -> DataFrame:
    """`rows` with the columns `names` of `TIMINGS`, as they were at `node` at `ts`; those of any other node where it
    has none.
    """
    node, ts = (F.col(value) if isinstance(value, str) else value for value in (node, ts))
    every = timings.agg(F.collect_list(F.struct("node_id", "start_ts", "end_ts", *names)).alias("_timings"))
    own_rows = F.filter("_timings", lambda row: (row["node_id"] == node) & _holds_at(row, ts))
    of_any_other = F.filter("_timings", lambda row: row["node_id"].isNull())
    chosen = once(
        own_rows, lambda own: F.when(F.size(own) > 0, F.get(own, F.lit(0))).otherwise(F.get(of_any_other, F.lit(0)))
    )
    placed = rows.crossJoin(F.broadcast(every)).withColumn("_timing", chosen)
    return placed.withColumns({name: F.col(f"_timing.{name}") for name in names}).drop("_timings", "_timing")


def _holds_at(row: Column, ts: Column) -> Column:
    begun = row["start_ts"].isNull() | (row["start_ts"] <= ts)
    return begun & (row["end_ts"].isNull() | (row["end_ts"] > ts))
