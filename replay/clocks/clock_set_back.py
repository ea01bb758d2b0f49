"""The stamped lines of each clock, and its turns: where its own files show that it was set, or that a zone's hour
came twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.clocks.constraints import STEP_MS
from replay.clocks.zones import ABBREVIATIONS, HOUR_MS, zone_named
from replay.columns.windows import so_far
from replay.reading.witnesses import HOST_WITNESSES

_LONGEST_STEP_MS = 2 * HOUR_MS  # a jump back by more is an older file joined to a newer one


def is_log_line() -> Column:
    return F.col("template_id").isNotNull() | F.col("level").isNotNull()


def is_of_host(frame: DataFrame) -> Column:
    """What hosts, containers and operators say of a node: by the clock of its host, and that is the node's."""
    return F.col("layout").isin(*HOST_WITNESSES) if "layout" in frame.columns else F.lit(False)


def is_zone_known(frame: DataFrame) -> Column:
    return F.coalesce(F.col("zone_known"), F.lit(False)) if "zone_known" in frame.columns else F.lit(False)


def stamped_lines(events: DataFrame, timezone: str | None, node_timezones: Mapping[int, str]) -> DataFrame:
    """The log lines, records and dates, with `base` (the letter of their clock), `zone` where it is known, and
    `wall`: epoch milliseconds.

    A stamp without a known zone is read as UTC; the missing zone is then part of its clock's offset.
    """
    zone = F.lit(zone_named(timezone) if timezone else None).cast("string")
    for node, name in node_timezones.items():
        zone = F.when(F.col("node_id") == node, F.lit(zone_named(name))).otherwise(zone)
    zone = F.when(is_zone_known(events), F.lit("UTC")).otherwise(zone)
    base = (
        F.when(is_log_line(), F.when(zone.isNull(), "n").otherwise("g"))
        .when(F.col("kind").startswith("dump_"), "r")
        .when(F.col("kind") == "meta_properties", "m")
    )
    stamp = F.when(F.col("base") == "g", F.to_utc_timestamp("raw_ts", F.coalesce("zone", F.lit("UTC")))).otherwise(
        F.col("raw_ts")
    )
    return (
        events.withColumns({"base": base, "zone": zone})
        .withColumn("wall", F.when(F.col("base") == "m", _date_written()).otherwise(F.unix_millis(stamp)))
        .where(F.col("base").isNotNull() & F.col("wall").isNotNull())
        .select(
            "node_id",
            "source_file",
            "line_number",
            "event_id",
            "kind",
            "topic",
            "topic_id",
            "partition",
            "broker_id",
            "leader_id",
            "leader_epoch",
            "partition_epoch",
            "controller_id",
            "controller_epoch",
            "broker_epoch",
            "details",
            "message",
            "raw_ts",
            "base",
            "zone",
            "wall",
        )
    )


def _date_written() -> Column:
    """The date in meta.properties, as epoch milliseconds: `#Sat Nov 21 07:01:50 UTC 2026`."""
    date = r"^#\w{3} (\w{3}) (\d\d) (\d\d:\d\d:\d\d) (\w+) (\d{4})$"
    minutes = F.from_json(F.lit(json.dumps(ABBREVIATIONS)), "map<string,int>")
    local = F.try_to_timestamp(F.regexp_replace("message", date, "$5 $1 $2 $3"), F.lit("yyyy MMM dd HH:mm:ss"))
    return F.unix_millis(local) - minutes[F.regexp_extract("message", date, 4)] * 60_000


def turns_of(lines: DataFrame) -> DataFrame:
    """`node_id, base, turns`: the times at which a node's clock was set back, as the order of the lines in its files
    shows.

    A line that stands too late, or one that came from the future, is told by the lines around it; an older file
    joined to a newer one by its size and by its end, which lies before the file's begin.
    """
    in_file = Window.partitionBy("source_file", "node_id", "base").orderBy("line_number")
    around = {
        "_last": F.lag("wall").over(in_file),
        "_one_before": F.lag("wall", 2).over(in_file),
        "_next": F.lead("wall").over(in_file),
        "_first": F.first("wall").over(in_file),
        "_end": F.last("wall").over(in_file.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)),
        "_last_event": F.lag("event_id").over(in_file),
    }
    back = (
        (F.col("_last") - F.col("wall")).between(STEP_MS, _LONGEST_STEP_MS)
        & (F.col("_last") - F.col("_next") >= STEP_MS)
        & (F.coalesce("_one_before", "_last") - F.col("wall") >= STEP_MS)
        & (F.col("_end") > F.col("_first"))
    )
    again = F.when((F.col("base") == "g") & in_repeated_hour(F.col("raw_ts"), F.col("zone")), HOUR_MS).otherwise(0)
    jumps = (
        lines.select("node_id", "base", "source_file", "line_number", "wall", "event_id", "raw_ts", "zone")
        .withColumns(around)
        .where(back)
        .withColumn("_after", F.col("wall") + again)
    )
    by_node = Window.partitionBy("node_id", "base").orderBy("_last")
    new = F.coalesce(
        F.col("wall") > F.max("_last").over(by_node.rowsBetween(Window.unboundedPreceding, -1)), F.lit(True)
    )
    return (
        jumps.withColumn("_new", F.when(new, 1).otherwise(0))
        .withColumn("_turn", F.sum("_new").over(so_far(by_node)))
        .groupBy("node_id", "base", "_turn")
        .agg(
            F.struct(
                F.max("_last").alias("before"),
                F.min("_after").alias("after"),
                F.sort_array(F.collect_list(F.struct("source_file", "line_number"))).alias("first_lines"),
                F.min_by(F.array("_last_event", "event_id"), "wall").alias("evidence"),
            ).alias("_turns")
        )
        .groupBy("node_id", "base")
        .agg(F.sort_array(F.collect_list("_turns")).alias("turns"))
    )


def turns_passed(turn: Column, source_file: Column, line_number: Column, wall: Column) -> Column:
    """Whether a line stands after a turn: by its place in a file that shows the turn, else by a stamp that only later
    lines have.
    """
    shown = F.array_min(F.filter(turn["first_lines"], lambda line: line["source_file"] == source_file))
    return F.coalesce(line_number >= shown["line_number"], wall > turn["before"])


def with_turn(lines: DataFrame, turns: DataFrame) -> DataFrame:
    """`lines` with `turn`: how often their clock was set back before.

    In a zone with a name, the hour that daylight saving repeats is read as its second pass after the turn.
    """
    source_file, line_number, wall = F.col("source_file"), F.col("line_number"), F.col("wall")
    passed = F.size(F.filter(F.col("turns"), lambda t: turns_passed(t, source_file, line_number, wall)))
    with_turn = lines.join(F.broadcast(turns), ["node_id", "base"], "left").withColumn(
        "turn", F.when(F.col("turns").isNull(), 0).otherwise(passed)
    )
    later = F.when((F.col("turn") > 0) & in_repeated_hour(F.col("raw_ts"), F.col("zone")), HOUR_MS).otherwise(0)
    return with_turn.withColumn("wall", wall + later)


def in_repeated_hour(local: Column, zone: Column) -> Column:
    """Whether the local time comes twice in the zone, because its clocks are set back there; false where the zone is
    null.
    """
    named = F.coalesce(zone, F.lit("UTC"))
    an_hour_later = F.timestamp_micros(F.unix_micros(F.to_utc_timestamp(local, named)) + HOUR_MS * 1000)
    return F.from_utc_timestamp(an_hour_later, named) == local
