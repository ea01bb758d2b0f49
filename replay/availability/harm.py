"""What each incident cost: times of partitions, each counted in one incident, as long as they are."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.availability.reasons import CLOSED, OPEN
from replay.availability.tenures import in_time
from replay.brokers.releases import version_number
from replay.columns.partitions import partition_name
from replay.columns.times import millis
from replay.columns.windows import from_here
from replay.tables.availability import HARM_SPANS, INCIDENT_HARM

INTERNAL_TOPICS = ("__consumer_offsets", "__transaction_state", "__share_group_state")
BLOCKED, LEADERLESS, UNDER_MIN_ISR, SINGLE_COPY = "blocked", "leaderless", "under_min_isr", "single_copy"


def incident_harm(
    availability: DataFrame,
    leader_epochs: DataFrame,
    isr_spans: DataFrame,
    releases: DataFrame,
    root_spans: DataFrame,
    vertices: DataFrame,
    events: DataFrame,
) -> DataFrame:
    """What each incident cost. Returns `INCIDENT_HARM`; one that cost nothing has zeros."""
    incidents = incidents_of(root_spans, vertices)
    spans = attributed(harm_spans(availability, leader_epochs, isr_spans, releases, events), incidents)
    return _summed(spans, incidents, leader_epochs)


def incidents_of(root_spans: DataFrame, vertices: DataFrame) -> DataFrame:
    """`incident_id, start_ts, end_ts, fault_ids, partitions` of every incident, by what the graph counts to it."""
    times = root_spans.groupBy("incident_id").agg(F.min("ts").alias("start_ts"), F.max("end_ts").alias("end_ts"))
    parts = vertices.groupBy("incident_id").agg(
        F.collect_set("id").alias("fault_ids"), F.collect_set(partition_name()).alias("partitions")
    )
    return times.join(parts, "incident_id", "left")


def harm_spans(
    availability: DataFrame, leader_epochs: DataFrame, isr_spans: DataFrame, releases: DataFrame, events: DataFrame
) -> DataFrame:
    """Every time that cost something, of every partition. Returns `HARM_SPANS`; one that had no end counts to the
    last line of the logs.
    """
    spans = reduce(
        DataFrame.unionByName,
        (
            _blocked(availability),
            _leaderless(leader_epochs),
            _under_min_isr(isr_spans),
            _isr_empty(leader_epochs, isr_spans, releases),
            _single_copy(isr_spans),
        ),
    )
    logs_end = events.agg(F.max("ts").alias("_logs_end_ts"))
    ended = spans.crossJoin(F.broadcast(logs_end)).withColumns(
        {"is_open": F.col("end_ts").isNull(), "end_ts": F.coalesce("end_ts", F.greatest("_logs_end_ts", "start_ts"))}
    )
    return HARM_SPANS.rows(
        ended,
        name=partition_name(),
        is_internal=F.col("topic").isin(*INTERNAL_TOPICS),
        ms=millis("end_ts", "start_ts"),
    )


def _blocked(availability: DataFrame) -> DataFrame:
    shut = availability.where(F.col("state") != OPEN)
    return _spans(shut, BLOCKED, acks=F.col("acks"), is_sure=F.col("state") == CLOSED, fault_id=F.col("fault_id"))


def _leaderless(leader_epochs: DataFrame) -> DataFrame:
    """Leader epochs without a leader, but those with which a partition went as its topic was deleted."""
    is_last = F.max("leader_id").over(from_here(in_time)) < 0
    gone_ts = F.first("end_ts").over(from_here(in_time))
    placed = leader_epochs.withColumn("_went_with_topic", is_last & gone_ts.isNotNull())
    return _spans(placed.where((F.col("leader_id") < 0) & ~F.col("_went_with_topic")), LEADERLESS)


def _under_min_isr(isr_spans: DataFrame) -> DataFrame:
    """ISRs below min.insync.replicas, of which no more can be asked than there are replicas."""
    asked = F.least("min_isr", F.when(F.col("replicas").isNotNull(), F.size("replicas")))
    return _spans(isr_spans.where(F.size("isr") < asked), UNDER_MIN_ISR)


def _isr_empty(leader_epochs: DataFrame, isr_spans: DataFrame, releases: DataFrame) -> DataFrame:
    """From 4.0 on a partition without a leader has an empty ISR (KIP-966), which is in no row of `isr_spans`; one is
    below every min.insync.replicas.
    """
    from_4 = releases.agg((F.min("version_low") >= version_number("4.0.0")).alias("_from_4"))
    asked = isr_spans.groupBy("topic").agg(F.max("min_isr").alias("_asked"))
    without = leader_epochs.where(F.col("leader_id") < 0).join(
        isr_spans.select("topic", "partition", "leader_epoch").distinct(),
        ["topic", "partition", "leader_epoch"],
        "left_anti",
    )
    known = without.join(F.broadcast(asked), "topic").crossJoin(F.broadcast(from_4))
    return _spans(known.where(F.col("_from_4") & (F.col("_asked") > 0)), UNDER_MIN_ISR)


def _single_copy(isr_spans: DataFrame) -> DataFrame:
    of_several = F.coalesce(F.size("replicas") != 1, F.lit(True))
    return _spans(isr_spans.where((F.size("isr") == 1) & of_several), SINGLE_COPY)


def _spans(rows: DataFrame, kind: str, **given: Column) -> DataFrame:
    values = {
        "acks": F.lit(None).cast("string"),
        "is_sure": F.lit(True),
        "fault_id": F.lit(None).cast("string"),
    } | given
    return rows.select(
        F.lit(kind).alias("kind"),
        *("topic", "partition", "start_ts", "end_ts"),
        *(value.alias(name) for name, value in values.items()),
    )


def attributed(spans: DataFrame, incidents: DataFrame) -> DataFrame:
    """`spans` with `incident_id`, each in one: that of its fault, else the one of its time that names its partition,
    else of its time, else the nearest.
    """
    of_fault = (
        incidents.select("incident_id", F.explode("fault_ids").alias("fault_id"))
        .groupBy("fault_id")
        .agg(F.collect_set("incident_id").alias("_of_fault"))
    )
    of_partition = (
        incidents.select("incident_id", F.explode("partitions").alias("name"))
        .groupBy("name")
        .agg(F.collect_set("incident_id").alias("_of_partition"))
    )
    # Of each incident no more than its time: this is laid beside every span.
    times = incidents.agg(
        F.collect_list(F.struct("incident_id", "start_ts", F.coalesce("end_ts", "start_ts").alias("end_ts"))).alias(
            "_times"
        )
    )

    def fit(incident: Column) -> Column:
        """The smaller the better."""
        overlaps = (incident["start_ts"] <= F.col("end_ts")) & (incident["end_ts"] >= F.col("start_ts"))
        after_ms = F.greatest(millis("start_ts", incident["end_ts"]), F.lit(0))
        before_ms = F.greatest(millis(incident["start_ts"], "end_ts"), F.lit(0))
        return F.struct(
            _is_none_of("_of_fault", incident).alias("other_fault"),
            (~overlaps).alias("apart"),
            (after_ms + before_ms).alias("gap_ms"),
            _is_none_of("_of_partition", incident).alias("other_partition"),
            F.abs(millis("start_ts", incident["start_ts"])).alias("off_ms"),
            incident["incident_id"].alias("incident_id"),
        )

    best = F.array_min(F.transform("_times", fit))
    return (
        spans.join(of_fault, "fault_id", "left")
        .join(of_partition, "name", "left")
        .crossJoin(F.broadcast(times))
        .withColumn("incident_id", best["incident_id"])
        .select(*spans.columns, "incident_id")
    )


def _is_none_of(ids: str, incident: Column) -> Column:
    return ~F.coalesce(F.array_contains(ids, incident["incident_id"]), F.lit(False))


def _summed(spans: DataFrame, incidents: DataFrame, leader_epochs: DataFrame) -> DataFrame:
    own, internal = ~F.col("is_internal"), F.col("is_internal")
    all_, one = F.col("acks") == "all", F.col("acks") == "1"
    blocked, sure = F.col("kind") == BLOCKED, F.col("is_sure")

    def total(*conditions: Column) -> Column:
        return F.coalesce(F.sum(F.when(reduce(lambda a, b: a & b, conditions), F.col("ms"))), F.lit(0))

    sums = spans.groupBy("incident_id").agg(
        total(blocked, all_, sure, own).alias("blocked_all_min_ms"),
        total(blocked, all_, own).alias("blocked_all_max_ms"),
        total(blocked, one, sure, own).alias("blocked_one_min_ms"),
        total(blocked, one, own).alias("blocked_one_max_ms"),
        F.countDistinct(F.when(blocked & sure & own, F.col("name"))).alias("partitions_blocked"),
        total(F.col("kind") == LEADERLESS).alias("leaderless_ms"),
        total(F.col("kind") == UNDER_MIN_ISR).alias("under_min_isr_ms"),
        total(F.col("kind") == SINGLE_COPY, own).alias("single_copy_ms"),
        total(blocked, all_, sure, internal).alias("internal_blocked_all_min_ms"),
        total(blocked, all_, internal).alias("internal_blocked_all_max_ms"),
        total(F.col("kind") == LEADERLESS, internal).alias("internal_leaderless_ms"),
        F.bool_or("is_open").alias("is_open"),
    )
    by_kind = spans.where(blocked & sure & own).groupBy("incident_id", "name", "acks").agg(F.sum("ms").alias("ms"))
    worst = by_kind.groupBy("incident_id").agg(
        F.max_by("name", F.struct("ms", "name")).alias("worst_partition"), F.max("ms").alias("worst_partition_ms")
    )
    known = leader_epochs.where(~F.col("topic").isin(*INTERNAL_TOPICS)).agg(
        F.countDistinct("topic", "partition").alias("partitions_known")
    )
    rows = (
        incidents.select("incident_id")
        .join(sums, "incident_id", "left")
        .join(worst, "incident_id", "left")
        .crossJoin(F.broadcast(known))
    )
    counts = [name for name in sums.columns if name not in ("incident_id", "is_open")]
    return INCIDENT_HARM.rows(
        rows.withColumns({name: F.coalesce(name, F.lit(0)) for name in counts}).withColumn(
            "is_open", F.coalesce("is_open", F.lit(False))
        )
    )
