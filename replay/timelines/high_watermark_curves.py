"""The high watermark of each replica over time, in steps.

In one leader epoch a replica's commit point only grows, so its curve is the running maximum of the high watermarks in
its lines. A follower learns its leader's high watermark with a later fetch: `lag` names the replica's line before,
after which the fetch that carried the value was answered.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.times import millis
from replay.columns.windows import ordered, so_far
from replay.tables.offsets import HIGH_WATERMARK_CURVES

SET = "hw_updated"  # a leader raises its high watermark
ADOPTED = ("follower_hw_received", "follower_hw_set")  # a follower takes it from a fetch response

_REPLICA = ("topic", "partition", "node_id", "leader_epoch")


def high_watermark_curves(high_watermarks: DataFrame) -> DataFrame:
    """One row for each step of each replica's high watermark in each leader epoch. Returns `HIGH_WATERMARK_CURVES`.

    Lines without a time or a leader epoch, and values that are not above an earlier one of the leader epoch, are no
    steps.
    """
    lines = high_watermarks.where("ts is not null and leader_epoch is not null and high_watermark is not null")
    in_time = ordered(_REPLICA, "ts", "high_watermark", "source", "evidence")()
    reached = F.max("high_watermark").over(so_far(in_time))
    steps = (
        _with_setters(lines)
        .withColumns({"reached": reached, "after_ts": F.lag("ts").over(in_time)})
        .withColumn("previous_high_watermark", F.lag("reached").over(in_time))
        .where(~F.coalesce(F.col("reached") <= F.col("previous_high_watermark"), F.lit(False)))
        .withColumns({"start_ts": F.col("ts"), "end_ts": F.lead("ts").over(in_time)})
    )
    return HIGH_WATERMARK_CURVES.of(_with_delays(steps))


def _with_setters(lines: DataFrame) -> DataFrame:
    """`setter`: the leader's first line that raised the high watermark to the value of a line, in its leader epoch."""
    of_value = Window.partitionBy("topic", "partition", "leader_epoch", "high_watermark")
    is_set = F.col("source") == SET
    return lines.withColumn("setter", F.min(F.when(is_set, F.struct("ts", "node_id"))).over(of_value))


def _with_delays(steps: DataFrame) -> DataFrame:
    """The steps of followers with the leader that set the value, and how much later each adopted it."""
    names = {"leader_id": F.col("setter.node_id"), "set_ts": F.col("setter.ts")}
    adopted = steps.withColumns({name: F.when(_is_adopted(), value) for name, value in names.items()})
    return adopted.withColumn("learned_ms", millis("start_ts", "set_ts"))


def _is_adopted() -> Column:
    """Whether a follower took the value from another broker, which had set it before."""
    is_others = F.col("setter.node_id") != F.col("node_id")
    return F.col("source").isin(*ADOPTED) & is_others & (F.col("setter.ts") <= F.col("start_ts"))
