"""Pairs of lines that must stand in order, and the few of each two clocks that bound their difference."""

from __future__ import annotations

import json

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.clocks.happened_before import RULES

_SPAN_MS = 60_000  # pairs of so long a time are told by their two tightest


def pairs_in_order(facts: DataFrame) -> DataFrame:
    """One row a cause and an effect on two clocks: `rule, key, a, b, a_wall, b_wall, delay, a_event, b_event`.

    `delay` bounds clock b − clock a from above; a stamp is cut to its millisecond, so one is added.
    """
    counts = F.from_json(F.lit(json.dumps({rule.name: rule.counts for rule in RULES})), "map<string,string>")[
        F.col("rule")
    ]
    stamp = F.struct("wall", "clock", "event_id")
    alone = (counts == "once") | ((counts == "first") & F.col("cause"))
    one = (
        facts.repartition("key")
        .groupBy("rule", "key", "cause", "clock")
        .agg(F.min(stamp).alias("_first"), F.max(stamp).alias("_last"), F.count("*").alias("_times"))
        .where(~alone | (F.col("_first.wall") == F.col("_last.wall")))
        .where(counts.isin("first", "any") | (F.col("cause") & (counts == "answer")) | (F.col("_times") == 1))
        .withColumn(
            "_stamp", F.when(counts.isin("answer", "any") & F.col("cause"), F.col("_last")).otherwise(F.col("_first"))
        )
    )
    sides = one.groupBy("rule", "key").agg(
        F.collect_list(F.when(F.col("cause"), F.col("_stamp"))).alias("_causes"),
        F.collect_list(F.when(~F.col("cause"), F.col("_stamp"))).alias("_effects"),
    )
    return (
        sides.where((F.size("_causes") == 1) | (counts != "once"))
        .select("rule", "key", F.explode("_causes").alias("_a"), "_effects")
        .select("rule", "key", "_a", F.explode("_effects").alias("_b"))
        .where(F.col("_a.clock") != F.col("_b.clock"))
        .select(
            "rule",
            "key",
            F.col("_a.clock").alias("a"),
            F.col("_b.clock").alias("b"),
            F.col("_a.wall").alias("a_wall"),
            F.col("_b.wall").alias("b_wall"),
            (F.col("_b.wall") - F.col("_a.wall") + 1).alias("delay"),
            F.col("_a.event_id").alias("a_event"),
            F.col("_b.event_id").alias("b_event"),
        )
    )


def bounds_between(pairs: DataFrame) -> DataFrame:
    """The pairs of each direction between two clocks, by spans of time: the two tightest, how many, and where they
    stand.
    """
    by_id = F.col("rule").isin(*[rule.name for rule in RULES if rule.counts == "first"])
    return (
        pairs.withColumns({"same": F.col("rule") == "raft_term", "_span": F.floor(F.col("a_wall") / _SPAN_MS)})
        .groupBy("same", "a", "b", "_span")
        .agg(
            F.slice(F.sort_array(F.collect_list(F.col("delay").cast("double"))), 1, 2).alias("tightest"),
            F.count("*").alias("pairs"),
            F.bool_or(by_id).alias("sure"),
            F.max(F.col("b_wall") % 1_000).alias("fraction"),
            F.min(F.struct("delay", "a_wall", "b_wall", "a_event", "b_event")).alias("at"),
        )
        .drop("_span")
    )
