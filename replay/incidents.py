"""Which happenings belong to one incident, and its metrics."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.elections import is_unclean
from replay.evidence import millis, plus_millis
from replay.schema import INCIDENTS

_QUIET_MS = 120_000  # faults further apart than this from each other and each other's effects are separate incidents
_ROLLING_QUIET_MS = 900_000  # ordered stops of one rolling restart may be this far apart
ROUTINE = ("F02", "F03", "F17", "F18", "F19", "F28")


def root_spans(faults: DataFrame, vertices: DataFrame, roots: DataFrame) -> DataFrame:
    """`root_id, code, broker_id, ts, end_ts`: each fault that no other caused, with the time to its end and its last effect."""
    reached = roots.join(vertices.select("id", F.col("ts").alias("_effect_ts")), "id").groupBy("root_id").agg(F.max("_effect_ts").alias("_last_ts"), (F.count("*") - 1).alias("effects"))
    return faults.join(reached, F.col("fault_id") == F.col("root_id")).select(
        "root_id", "code", "kind", "broker_id", "ts", F.greatest("ts", F.coalesce("end_ts", "ts"), F.coalesce("_last_ts", "ts")).alias("end_ts"), "effects"
    )


def incident_of(spans: DataFrame) -> DataFrame:
    """`spans` with `incident_id`: faults that overlap in time, or nearly, are one incident."""
    in_time = Window.orderBy("ts", "root_id")
    until = F.max("end_ts").over(in_time.rowsBetween(Window.unboundedPreceding, -1))
    both_stops = (F.col("kind") == "stopped") & (F.lag("kind").over(in_time) == "stopped")
    gap = millis("ts", until)
    parted = gap > F.when(both_stops, _ROLLING_QUIET_MS).otherwise(_QUIET_MS)
    numbered = spans.withColumn("_parted", F.coalesce(parted, F.lit(True))).withColumn("_number", F.count_if("_parted").over(in_time.rowsBetween(Window.unboundedPreceding, 0)))
    return numbered.withColumn("incident_id", F.format_string("incident-%d", "_number")).drop("_parted", "_number")


def assigned(vertices: DataFrame, roots: DataFrame, spans: DataFrame) -> DataFrame:
    """`vertices` with their incident: that of their nearest root; of a happening without a known root, the one of its time."""
    by_root = roots.join(spans.select("root_id", "incident_id", F.col("ts").alias("_root_ts")), "root_id").groupBy("id").agg(F.min_by("incident_id", F.struct("distance", "_root_ts")).alias("_by_root"))
    times = spans.groupBy("incident_id").agg(F.min("ts").alias("_from"), F.max("end_ts").alias("_to"))
    by_time = (
        vertices.select("id", "ts")
        .join(F.broadcast(times), F.col("ts").between(plus_millis("_from", -5_000), plus_millis("_to", 30_000)))
        .groupBy("id")
        .agg(F.min_by("incident_id", "_from").alias("_by_time"))
    )
    known = vertices.drop("incident_id").join(by_root, "id", "left").join(by_time, "id", "left")
    return known.withColumn("incident_id", F.coalesce("_by_root", "_by_time")).drop("_by_root", "_by_time").select(*vertices.columns)


def _within(frame: DataFrame, windows: DataFrame, start: str = "start_ts", end: str = "end_ts") -> DataFrame:
    """`frame`'s spans cut to the incidents they overlap: `_ms` of each overlap, `_open` if the span outlasts the logs."""
    overlap = frame.join(F.broadcast(windows), (F.col(start) < F.col("_to")) & (F.coalesce(F.col(end), F.col("_to")) > F.col("_from")))
    return overlap.withColumns(
        {"_ms": millis(F.least(F.coalesce(F.col(end), F.col("_to")), F.col("_to")), F.greatest(F.col(start), F.col("_from"))), "_open": F.col(end).isNull()}
    )


def incidents(findings: DataFrame, spans: DataFrame, vertices: DataFrame, edges: DataFrame, leader_epochs: DataFrame, isr_spans: DataFrame, elections: DataFrame, losses: DataFrame, topic_settings: DataFrame, faults: DataFrame) -> DataFrame:  # fmt: skip
    """One row an incident with the metrics of facts §7. Returns `INCIDENTS`.

    Sums over partitions count each partition's time within the incident; leaderless time is not taken off the others.
    """
    windows = spans.groupBy("incident_id").agg(F.min("ts").alias("_from"), F.max("end_ts").alias("_last")).withColumn("_to", plus_millis("_last", 1))
    by = "incident_id"
    ours = F.broadcast(vertices.where(F.col("incident_id").isNotNull()).select("id", "incident_id"))
    named = F.concat_ws("/", F.concat_ws("-", "topic", "partition"), F.col("leader_epoch").cast("string"))
    led = elections.withColumn("id", F.concat_ws("/", F.lit("election"), named)).join(ours, "id").groupBy(by).agg(
        F.count_if(F.col("new_leader_id") != F.col("old_leader_id")).alias("elections"), F.count_if(is_unclean()).alias("unclean_elections"), F.max("ts").alias("_led_ts")
    )
    bumps = _within(leader_epochs.where(F.col("reason") == "isr_change"), windows).where(F.col("start_ts") >= F.col("_from")).groupBy(by).agg(F.count("*").alias("leader_epoch_bumps"))
    without = _within(leader_epochs.where(F.col("leader_id") == -1), windows).groupBy(by).agg(F.sum("_ms").alias("leaderless_ms"), F.max("end_ts").alias("_leader_back_ts"), F.bool_or("_open").alias("_still_leaderless"))
    sizes = isr_spans.join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
    held = _within(sizes, windows).withColumn("_full", F.size("isr") >= F.size("replicas"))
    copies = held.groupBy(by).agg(
        F.sum(F.when(~F.col("_full"), F.col("_ms"))).alias("under_replicated_ms"),
        F.sum(F.when(F.size("isr") < F.least("min_isr", F.size("replicas")), F.col("_ms")).when(F.col("min_isr").isNotNull(), 0)).alias("under_min_isr_ms"),
        F.sum(F.when(F.size("isr") == 1, F.col("_ms"))).alias("single_copy_ms"),
        F.max(F.when(~F.col("_full"), F.col("end_ts"))).alias("_full_ts"),
        F.bool_or(~F.col("_full") & F.col("_open")).alias("_never_full"),
    )
    touched = vertices.where(F.col("topic").isNotNull()).groupBy(by).agg(F.countDistinct("topic", "partition").alias("partitions_affected"))
    detected = vertices.where(F.col("kind") == "detected").groupBy(by).agg(F.min("ts").alias("_detected_ts"))
    controllers = (
        edges.where(F.col("relation") == "R18").join(vertices.select(F.col("id").alias("dst"), "incident_id"), "dst").groupBy(by).agg(F.sum("delay_ms").alias("controller_downtime_ms"))
    )
    committed = F.col("loss_class") == "committed"
    lost = (
        losses.withColumn("id", F.concat_ws("/", F.lit("election"), named))
        .join(ours, "id", "left")
        .join(F.broadcast(windows.select(F.col("incident_id").alias("_by_time"), "_from", "_to")), F.col("ts").between(F.col("_from"), F.col("_to")), "left")
        .withColumn(by, F.coalesce("incident_id", "_by_time"))
        .groupBy(by)
        .agg(
            F.sum(F.when(committed & (F.col("verdict") == "PROVEN_LOSS"), F.col("to_offset_low") - F.col("from_offset")).otherwise(0)).alias("lost_offsets_min"),
            F.when(
                F.count_if(committed & F.col("verdict").isin("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED") & F.col("to_offset_high").isNull()) == 0,
                F.sum(F.when(committed & (F.col("verdict") != "NO_LOSS_OBSERVED"), F.col("to_offset_high") - F.col("from_offset")).otherwise(0)),
            ).alias("lost_offsets_max"),
            F.when(F.count_if(~committed & F.col("to_offset_high").isNull()) == 0, F.sum(F.when(~committed, F.col("to_offset_high") - F.col("from_offset")).otherwise(0))).alias("acked_possible_max"),
            F.count_if(F.col("verdict") == "UNDETERMINED").alias("undetermined"),
        )
    )
    told = findings.where(F.col("incident_id").isNotNull()).groupBy(by).agg(
        F.min(F.struct(F.array_position(F.array(*map(F.lit, ("critical", "high", "medium", "low", "info"))), F.col("severity")).alias("rank"), "severity")).alias("_worst"),
        F.min(F.when(F.col("role").isin("root_cause", "benign"), F.struct((F.col("role") != "root_cause").alias("late"), F.col("code").isin(*ROUTINE).alias("routine"), "start_ts", "finding_id", "title"))).alias("_root"),
        F.array_sort(F.collect_list(F.when((F.col("role") == "root_cause") & ~F.col("code").isin(*ROUTINE), F.struct("start_ts", F.get("broker_ids", F.lit(0)).alias("broker_id"))))).alias("_roots"),
    )
    healthy = faults.select(F.col("fault_id").alias("_fault"), "t0_low", F.col("ts").alias("t0_high"))
    rows = windows.join(told, by, "left").join(healthy, F.col("_root.finding_id") == F.col("_fault"), "left")
    for more in (led, bumps, without, copies, touched, detected, controllers, lost):
        rows = rows.join(more, by, "left")
    t0 = F.coalesce("t0_high", "_from")
    zero = F.lit(0)
    at_fault = F.array_distinct(F.transform("_roots", lambda r: r["broker_id"]))
    others = F.when(F.col("_root.routine"), F.array().cast("array<int>")).otherwise(F.filter(F.slice(at_fault, 2, 9), lambda b: b.isNotNull()))

    def since(ts: Column | str) -> Column:
        ended = F.col(ts) if isinstance(ts, str) else ts
        return F.when(ended.isNotNull(), F.greatest(millis(ended, t0), zero))

    counts = ("elections", "unclean_elections", "leader_epoch_bumps", "leaderless_ms", "under_replicated_ms", "single_copy_ms", "partitions_affected", "lost_offsets_min", "undetermined")
    return INCIDENTS.of(
        rows.withColumns(
            {
                **{name: F.coalesce(F.col(name), zero) for name in counts},
                "start_ts": F.coalesce("t0_low", "_from"),
                "end_ts": F.col("_last"),
                "title": F.concat(
                    F.coalesce("_root.title", F.lit("Incident without a known root")),
                    F.when(F.size(others) > 0, F.concat(F.lit(", then broker "), F.array_join(others.cast("array<string>"), ", "))).otherwise(""),
                    F.when(F.col("lost_offsets_min") > 0, F.format_string("; %d committed offsets lost", "lost_offsets_min")).otherwise(""),
                ),
                "severity": F.coalesce("_worst.severity", F.lit("info")),
                "root_finding_id": F.col("_root.finding_id"),
                "t0_high": t0,
                "time_to_detect_ms": since("_detected_ts"),
                "controller_downtime_ms": F.coalesce("controller_downtime_ms", zero),
                "lost_offsets_max": F.when(F.col("lost_offsets_min").isNull(), zero).otherwise(F.col("lost_offsets_max")),
                "acked_possible_max": F.when(F.col("undetermined").isNull(), zero).otherwise(F.col("acked_possible_max")),
                "leader_restored_ms": F.when(~F.coalesce("_still_leaderless", F.lit(False)), since(F.greatest("_leader_back_ts", "_led_ts"))),
                "full_isr_ms": F.when(~F.coalesce("_never_full", F.lit(False)), since("_full_ts")),
            }
        )
    )
