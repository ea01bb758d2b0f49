"""Stamps moved to where the reference clock has them."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.clocks.clock_set_back import in_repeated_hour, is_log_line, is_of_host, is_zone_known, turns_passed
from replay.clocks.zones import HOUR_MS
from replay.columns.events import detail


def corrected(events: DataFrame, offsets: DataFrame) -> DataFrame:
    """`events` with `ts` in UTC by the reference clock; `raw_ts` stays as printed.

    `offsets` is what `clock_offsets` returned, as `OFFSETS`. A line of an unknown node is read in the zone of most
    nodes; a metadata record is moved by what its controller's clock was off; checkpoint files have no clock.
    """
    window = F.struct(
        "window", "before", "first_lines", "zone", "correction_ms", (F.col("zone_from") == "given").alias("given")
    )
    by_node = (
        offsets.where(F.col("clock") == "lines")
        .groupBy("node_id")
        .agg(F.sort_array(F.collect_list(window)).alias("_windows"))
    )
    of_all = offsets.agg(
        F.sort_array(
            F.collect_list(F.when(F.col("clock") == "records", F.struct("first_offset", "correction_ms")))
        ).alias("_terms"),
        F.mode(F.when(F.col("clock") == "lines", F.col("zone")), deterministic=True).alias("_most"),
    )
    known, source_file, line_number = is_zone_known(events), F.col("source_file"), F.col("line_number")
    zone = F.when(known, "UTC").otherwise(
        F.when(F.get("_windows", F.lit(0))["given"], F.get("_windows", F.lit(0))["zone"])
    )
    wall = F.unix_millis(
        F.when(zone.isNull(), F.col("raw_ts")).otherwise(F.to_utc_timestamp("raw_ts", F.coalesce(zone, F.lit("UTC"))))
    )
    passed = F.filter("_windows", lambda w: (w["window"] == 0) | turns_passed(w, source_file, line_number, wall))
    said = F.when(known, "UTC").otherwise(F.coalesce("_window.zone", "_most", F.lit("UTC")))
    again = F.when((F.col("_window.window") > 0) & in_repeated_hour(F.col("raw_ts"), said), HOUR_MS * 1000).otherwise(0)
    of_line = (
        F.unix_micros(F.to_utc_timestamp("raw_ts", said))
        + again
        - F.coalesce(F.col("_window.correction_ms"), F.lit(0.0)) * 1000
    )
    offset = detail("offset").try_cast("bigint")
    term = F.try_element_at(F.filter("_terms", lambda t: t["first_offset"] <= offset), F.lit(-1))
    of_record = F.unix_micros("raw_ts") - F.coalesce(term["correction_ms"], F.lit(0.0)) * 1000
    ts = F.when(is_log_line() | is_of_host(events), of_line).when(F.startswith("kind", F.lit("dump_")), of_record)
    return (
        events.join(F.broadcast(by_node), "node_id", "left")
        .crossJoin(F.broadcast(of_all))
        .withColumn("_window", F.try_element_at(passed, F.lit(-1)))
        .withColumn("ts", F.coalesce(F.timestamp_micros(ts.cast("bigint")), "ts"))
        .select(*events.columns)
    )
