"""Whose clock wrote a stamp, and how far it was off: zones, skew and steps, from what the lines themselves prove.

A message sent from one node to another is printed by the sender before the receiver can print what it did with it;
epoch milliseconds inside a line were taken before it was printed. `clock_evidence` finds such pairs in the logs
(Spark), `clock_offsets` solves them (`network`, a few hundred numbers), `corrected` moves the stamps. Nothing is
averaged, and a stamp is moved only where its bounds exclude that its clock was right. Source: facts §6.2.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.clocks.clock_set_back import stamped_lines, turns_of, with_turn
from replay.clocks.correction import corrected
from replay.clocks.happened_before import KINDS
from replay.clocks.message_keys import facts_of
from replay.clocks.offsets import OFFSETS, clock_offsets, offsets_of_lines
from replay.clocks.ordered_pairs import bounds_between, pairs_in_order
from replay.clocks.steps import steps
from replay.clocks.zones import zone_named


def clock_evidence(
    events: DataFrame, timezone: str | None = None, node_timezones: Mapping[int, str] | None = None
) -> DataFrame:
    """What the logs prove of their nodes' clocks: a few rows, for `clock_offsets`.

    `timezone` and `node_timezones` are zones that are known, by name or offset; else they are found. Raises
    InputError for no zone.
    """
    stamped = stamped_lines(events, timezone, node_timezones or {})
    lines = stamped.where(F.col("base").isin("n", "g"))
    turns = turns_of(lines)
    bounds = bounds_between(pairs_in_order(facts_of(with_turn(stamped.where(F.col("kind").isin(*KINDS)), turns))))
    files = lines.groupBy("node_id", "base", "source_file").agg(
        F.min_by("wall", "line_number").alias("first"), F.max("zone").alias("zone")
    )
    nodes = (
        files.groupBy("node_id", "base")
        .agg(F.min("first").alias("first"), F.max("zone").alias("zone"))
        .join(turns, ["node_id", "base"], "left")
    )
    return bounds.unionByName(nodes, allowMissingColumns=True)


__all__ = ["OFFSETS", "clock_evidence", "clock_offsets", "corrected", "offsets_of_lines", "steps", "zone_named"]
