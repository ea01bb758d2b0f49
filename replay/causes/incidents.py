"""Which happenings belong to one incident, and its metrics."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.causes.edges import epoch_id, leaderless
from replay.causes.unserved import unserved
from replay.columns.phrases import counted, named, small, times
from replay.columns.times import millis, plus_millis
from replay.columns.windows import after, by_state
from replay.faults.taxonomy import HAPPENED, ORDERED_STOPS, ROUTINE
from replay.partitions.elections import is_unclean
from replay.tables import INCIDENTS, OPEN_VERDICTS

_QUIET_MS = 120_000  # faults further apart than this from each other and each other's effects are separate incidents
_ROLLING_QUIET_MS = 900_000  # ordered stops of one rolling restart may be this far apart


def root_spans(faults: DataFrame, vertices: DataFrame, roots: DataFrame) -> DataFrame:
    """`root_id, code, broker_id, ts, end_ts`: each fault that no other caused, with the time to its end and its last effect."""
    reached = (
        roots.join(vertices.select("id", F.col("ts").alias("_effect_ts")), "id")
        .groupBy("root_id")
        .agg(F.max("_effect_ts").alias("_last_ts"), (F.count("*") - 1).alias("effects"))
    )
    return faults.join(reached, F.col("fault_id") == F.col("root_id")).select(
        "root_id",
        "code",
        "kind",
        "broker_id",
        "ts",
        F.greatest("ts", F.coalesce("end_ts", "ts"), F.coalesce("_last_ts", "ts")).alias("end_ts"),
        "effects",
    )


def incident_of(spans: DataFrame) -> DataFrame:
    """`spans` with `incident_id`: faults that overlap in time, or nearly, are one incident."""
    in_time = Window.orderBy("ts", "root_id")
    until = F.max("end_ts").over(in_time.rowsBetween(Window.unboundedPreceding, -1))
    both_stops = F.col("kind").isin(*ORDERED_STOPS) & F.lag("kind").over(in_time).isin(*ORDERED_STOPS)
    gap = millis("ts", until)
    parted = gap > F.when(both_stops, _ROLLING_QUIET_MS).otherwise(_QUIET_MS)
    numbered = spans.withColumn("_parted", F.coalesce(parted, F.lit(True))).withColumn(
        "_number", F.count_if("_parted").over(in_time.rowsBetween(Window.unboundedPreceding, 0))
    )
    return numbered.withColumn("incident_id", F.format_string("incident-%d", "_number")).drop("_parted", "_number")


def assigned(vertices: DataFrame, roots: DataFrame, spans: DataFrame) -> DataFrame:
    """`vertices` with their incident: that of their nearest root; of a happening without a known root, the one of its time."""
    by_root = (
        roots.join(spans.select("root_id", "incident_id", F.col("ts").alias("_root_ts")), "root_id")
        .groupBy("id")
        .agg(F.min_by("incident_id", F.struct("distance", "_root_ts")).alias("_by_root"))
    )
    times = spans.groupBy("incident_id").agg(F.min("ts").alias("_from"), F.max("end_ts").alias("_to"))
    by_time = (
        vertices.select("id", "ts")
        .join(F.broadcast(times), F.col("ts").between(plus_millis("_from", -5_000), plus_millis("_to", 30_000)))
        .groupBy("id")
        .agg(F.min_by("incident_id", "_from").alias("_by_time"))
    )
    known = vertices.drop("incident_id").join(by_root, "id", "left").join(by_time, "id", "left")
    return (
        known.withColumn("incident_id", F.coalesce("_by_root", "_by_time"))
        .drop("_by_root", "_by_time")
        .select(*vertices.columns)
    )


def _within(frame: DataFrame, windows: DataFrame, start: str = "start_ts", end: str = "end_ts") -> DataFrame:
    """`frame`'s spans cut to the incidents they overlap: `_ms` of each overlap, `_open` if the span outlasts the logs."""
    overlap = frame.join(
        F.broadcast(windows), (F.col(start) < F.col("_to")) & (F.coalesce(F.col(end), F.col("_to")) > F.col("_from"))
    )
    return overlap.withColumns(
        {
            "_ms": millis(
                F.least(F.coalesce(F.col(end), F.col("_to")), F.col("_to")), F.greatest(F.col(start), F.col("_from"))
            ),
            "_open": F.col(end).isNull(),
        }
    )


def _title() -> Column:
    """What the first root was, whom it befell after that and how often, and what else went wrong: `Broker 2 died without a shutdown, then brokers 3 and 1`."""

    def same_happened(root: Column) -> Column:
        """One code may stand for several: a broker that stopped itself did not die as one that was killed."""
        what = [
            F.regexp_replace(title, r"^(?:Broker|Node) \d+ ", "") for title in (root["title"], F.col("_root.title"))
        ]
        return (root["code"] == F.col("_root.code")) & ((what[0] == what[1]) | ~root["code"].isin(*HAPPENED))

    alike = F.filter("_roots", same_happened)
    others = F.filter(
        F.array_distinct(F.transform(alike, lambda r: r["broker_id"])),
        lambda b: b.isNotNull() & (b != F.col("_root.broker_id")),
    )
    brokers = F.when(
        F.forall(alike, lambda r: F.startswith(r["title"], F.lit("Broker "))), named(others, "broker")
    ).otherwise(named(others, "node"))
    often = F.size(alike)
    unlike = F.filter("_roots", lambda r: ~same_happened(r) & ~r["code"].isin(*ROUTINE))
    more = F.array_distinct(F.transform(unlike, lambda r: r["title"]))
    return F.concat(
        F.col("_root.title"),
        F.when(F.col("_root.broker_id").isNull() | ~F.col("_root.code").isin(*HAPPENED) | (often < 2), "")
        .when(F.size(others) == 0, F.concat(F.lit(" "), times(often)))
        .otherwise(
            F.concat(
                F.lit(", then "),
                brokers,
                F.when(often > F.size(others) + 1, F.concat(F.lit(", "), times(often), F.lit(" in all"))).otherwise(""),
            )
        ),
        F.when(F.size(more) > 0, F.concat(F.lit("; "), small(F.get(more, F.lit(0))))).otherwise(""),
        F.when(F.size(more) > 1, F.concat(F.lit("; "), counted(F.size(more) - 1, "other fault"))).otherwise(""),
    )


def incidents(
    findings: DataFrame,
    spans: DataFrame,
    vertices: DataFrame,
    edges: DataFrame,
    leader_epochs: DataFrame,
    isr_spans: DataFrame,
    elections: DataFrame,
    losses: DataFrame,
    topic_settings: DataFrame,
    faults: DataFrame,
) -> DataFrame:
    """One row an incident with the metrics of facts §7. Returns `INCIDENTS`.

    Sums over partitions count each partition's time within the incident; leaderless time is not taken off the others. Sums over
    ISRs leave out partitions of which the replicas or min.insync.replicas are not known, and are null where none is known.
    """
    windows = (
        spans.groupBy("incident_id")
        .agg(F.min("ts").alias("_from"), F.max("end_ts").alias("_last"))
        .withColumn("_to", plus_millis("_last", 1))
    )
    by = "incident_id"
    ours = F.broadcast(vertices.where(F.col("incident_id").isNotNull()).select("id", "incident_id"))
    led = (
        elections.withColumn("id", epoch_id("election"))
        .join(ours, "id")
        .groupBy(by)
        .agg(
            F.count_if(F.col("new_leader_id") != F.col("old_leader_id")).alias("elections"),
            F.count_if(is_unclean()).alias("unclean_elections"),
            F.max(
                F.when(~F.coalesce(F.col("trigger"), F.lit("")).isin("preferred", "reassignment"), F.col("ts"))
            ).alias("_led_ts"),  # those had a leader
        )
    )
    untold = (F.col("leader_id") >= 0) & F.col("last_leader_id").isNull() & (F.col("leader_epoch") > 0)
    begun = _within(leader_epochs.where((F.col("reason") == "isr_change") | untold), windows).where(
        F.col("start_ts") >= F.col("_from")
    )
    bumps = begun.groupBy(by).agg(
        F.count_if(F.col("reason") == "isr_change").alias("leader_epoch_bumps"),
        F.count_if(untold).alias("leaders_untold"),
    )
    without = (
        _within(leaderless(leader_epochs, faults), windows)
        .groupBy(by)
        .agg(
            F.sum("_ms").alias("leaderless_ms"),
            F.max("end_ts").alias("_leader_back_ts"),
            F.bool_or("_open").alias("_still_leaderless"),
        )
    )
    nobody = (
        _within(unserved(leader_epochs, faults), windows)
        .groupBy(by)
        .agg(
            F.sum(F.when(F.col("bound") == "least", F.col("_ms"))).alias("unserved_min_ms"),
            F.sum(F.when(F.col("bound") == "most", F.col("_ms"))).alias("unserved_max_ms"),
        )
    )
    sizes = isr_spans.join(F.broadcast(topic_settings.select("topic", "min_isr")), "topic", "left")
    full, in_sync = F.col("_full"), F.size("isr")  # null where no line prints the replicas
    full_again = F.min(F.when(full, F.col("start_ts"))).over(after(by_state()))
    held = _within(
        sizes.withColumn("_full", in_sync >= F.size("replicas")).withColumn("_full_again_ts", full_again), windows
    )
    below_min = F.when(in_sync >= F.col("min_isr"), False).when(
        F.col("min_isr").isNotNull() & F.col("replicas").isNotNull(), in_sync < F.least("min_isr", F.size("replicas"))
    )

    def time_in(state: Column) -> Column:
        return F.sum(F.when(state, F.col("_ms")).when(~state, 0))

    copies = held.groupBy(by).agg(
        time_in(~full).alias("under_replicated_ms"),
        time_in(below_min).alias("under_min_isr_ms"),
        time_in(in_sync == 1).alias("single_copy_ms"),
        F.max(F.when(~full, F.col("_full_again_ts"))).alias("_full_ts"),
        F.bool_and(full | F.col("_full_again_ts").isNotNull()).alias("_full_at_last"),
    )
    touched = (
        vertices.where(F.col("topic").isNotNull())
        .groupBy(by)
        .agg(F.countDistinct("topic", "partition").alias("partitions_affected"))
    )
    detected = vertices.where(F.col("kind") == "detected").groupBy(by).agg(F.min("ts").alias("_detected_ts"))
    controllers = (
        edges.where(F.col("relation") == "R18")
        .join(vertices.select(F.col("id").alias("dst"), "incident_id"), "dst")
        .groupBy(by)
        .agg(F.sum("delay_ms").alias("controller_downtime_ms"))
    )
    committed, gone = F.col("loss_class") == "committed", F.col("verdict").isin(*OPEN_VERDICTS)
    most, least = F.col("to_offset_high") - F.col("from_offset"), F.col("to_offset_low") - F.col("from_offset")

    def at_most(asked: Column) -> Column:
        return F.when(F.count_if(asked & most.isNull()) == 0, F.sum(F.when(asked, most).otherwise(0)))

    lost = (
        losses.withColumn("id", epoch_id("election"))
        .join(ours, "id", "left")
        .join(
            F.broadcast(windows.select(F.col("incident_id").alias("_by_time"), "_from", "_to")),
            F.col("ts").between(F.col("_from"), F.col("_to")),
            "left",
        )
        .withColumn(by, F.coalesce("incident_id", "_by_time"))
        .groupBy(by)
        .agg(
            F.sum(F.when(committed & (F.col("verdict") == "PROVEN_LOSS"), least).otherwise(0)).alias(
                "lost_offsets_min"
            ),
            at_most(committed & gone).alias("lost_offsets_max"),
            at_most(~committed & gone).alias("acked_possible_max"),
            F.count_if(F.col("verdict") == "UNDETERMINED").alias("undetermined"),
        )
    )
    told = (
        findings.where(F.col("incident_id").isNotNull())
        .groupBy(by)
        .agg(
            F.bool_or((F.col("code") == "F11") & (F.col("role") == "effect")).alias("_without_quorum"),
            F.min(
                F.struct(
                    F.array_position(
                        F.array(*map(F.lit, ("critical", "high", "medium", "low", "info"))), F.col("severity")
                    ).alias("rank"),
                    "severity",
                )
            ).alias("_worst"),
            F.min(
                F.when(
                    F.col("role").isin("root_cause", "benign"),
                    F.struct(
                        (F.col("role") != "root_cause").alias("late"),
                        F.col("code").isin(*ROUTINE).alias("routine"),
                        "start_ts",
                        "finding_id",
                        "code",
                        F.get("broker_ids", F.lit(0)).alias("broker_id"),
                        "title",
                    ),
                )
            ).alias("_root"),
            F.array_sort(
                F.collect_list(
                    F.when(
                        F.col("role") == "root_cause",
                        F.struct(
                            "start_ts", "finding_id", "code", F.get("broker_ids", F.lit(0)).alias("broker_id"), "title"
                        ),
                    )
                )
            ).alias("_roots"),
        )
    )
    healthy = faults.select(F.col("fault_id").alias("_fault"), "t0_low", F.col("ts").alias("t0_high"))
    rows = windows.join(told, by, "left").join(healthy, F.col("_root.finding_id") == F.col("_fault"), "left")
    for more in (led, bumps, without, nobody, copies, touched, detected, controllers, lost):
        rows = rows.join(more, by, "left")
    t0 = F.coalesce("t0_high", "_from")
    zero = F.lit(0)

    def since(ts: Column | str) -> Column:
        ended = F.col(ts) if isinstance(ts, str) else ts
        return F.when(ended.isNotNull(), F.greatest(millis(ended, t0), zero))

    counts = (
        "elections",
        "leaders_untold",
        "unclean_elections",
        "leader_epoch_bumps",
        "leaderless_ms",
        "unserved_min_ms",
        "unserved_max_ms",
        "partitions_affected",
        "lost_offsets_min",
        "undetermined",
    )
    return INCIDENTS.of(
        rows.withColumns(
            {
                **{name: F.coalesce(F.col(name), zero) for name in counts},
                "start_ts": F.coalesce("t0_low", "_from"),
                "end_ts": F.col("_last"),
                "title": F.concat(
                    F.coalesce(_title(), F.lit("Incident without a known root")),
                    F.when(F.col("_without_quorum"), "; the metadata quorum was lost").otherwise(""),
                    F.when(
                        F.col("lost_offsets_min") > 0,
                        F.concat(F.lit("; "), counted("lost_offsets_min", "committed offset"), F.lit(" lost")),
                    ).otherwise(""),
                ),
                "severity": F.coalesce("_worst.severity", F.lit("info")),
                "root_finding_id": F.col("_root.finding_id"),
                "t0_high": t0,
                "time_to_detect_ms": since("_detected_ts"),
                "controller_downtime_ms": F.coalesce("controller_downtime_ms", zero),
                "lost_offsets_max": F.when(F.col("lost_offsets_min").isNull(), zero).otherwise(
                    F.col("lost_offsets_max")
                ),
                "acked_possible_max": F.when(F.col("undetermined").isNull(), zero).otherwise(
                    F.col("acked_possible_max")
                ),
                "leader_restored_ms": F.when(
                    ~F.coalesce("_still_leaderless", F.lit(False)),
                    since(F.coalesce(F.greatest("_leader_back_ts", "_led_ts"), t0)),
                ),
                "full_isr_ms": F.when(F.col("_full_at_last"), since(F.coalesce("_full_ts", t0))),
            }
        )
    )
