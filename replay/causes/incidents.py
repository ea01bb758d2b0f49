"""Which roots belong to one incident: what hangs together by shared effects or harm. Time decides only for what has
no cause.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.faults.kinds import ASKED_FOR, ORDERED_STOPS, ROUTINE, is_kind
from replay.sentences.causes import LABELS
from replay.tables.causes import BONDS, INCIDENT_ROOTS, ROOT_SPANS, VERTICES

AT_ONCE_MS = 5_000  # faults that begin this near one another are one incident: what they share is not in these logs
ROLLING_MS = 900_000  # ordered stops of one rolling restart may be this far apart
HARM_AFTER_MS = 5_000  # harm without an end in these logs is taken to last this long, as far as incidents go
BEFORE_MS, AFTER_MS = 5_000, 30_000  # a happening without a known root belongs to an incident that is this near
HARMS = ("isr_shrink", "leaderless", "writes_refused")


def root_spans(faults: DataFrame, happenings: DataFrame, roots: DataFrame) -> DataFrame:
    """Each fault that nothing else caused, with the time to its end and that of its last effect. Returns `ROOT_SPANS`
    without incidents.
    """
    reached = (
        roots.join(happenings.select("id", F.col("ts").alias("effect_ts")), "id")
        .groupBy("root_id")
        .agg(F.max("effect_ts").alias("last_ts"), (F.count("*") - 1).alias("effects"))
    )
    spans = faults.join(reached, F.col("fault_id") == F.col("root_id"))
    return ROOT_SPANS.rows(spans, end_ts=F.greatest("ts", F.coalesce("end_ts", "ts"), F.coalesce("last_ts", "ts")))


def bonds(root_spans: DataFrame, happenings: DataFrame, roots: DataFrame) -> DataFrame:
    """Two roots of one incident, and why. Returns `BONDS`."""
    kinds = (
        _of_shared_effects(root_spans, roots),
        _of_shared_harm(root_spans, happenings, roots),
        _at_once(root_spans),
        _rolling(root_spans),
    )
    return BONDS.of(reduce(DataFrame.unionByName, kinds).dropDuplicates(["src", "dst"]))


def _pairs(rows: DataFrame, by: list[str], *more: str) -> DataFrame:
    """Two rows of different roots with the same `by`: `root_id`, `other_id`, and `more` of both (`other_…`)."""
    others = rows.select(
        *by, F.col("root_id").alias("other_id"), *[F.col(name).alias(f"other_{name}") for name in more]
    )
    return rows.join(others, by).where(F.col("root_id") < F.col("other_id"))


def _bond(pairs: DataFrame, reason: str) -> DataFrame:
    return pairs.select(
        F.col("root_id").alias("src"), F.col("other_id").alias("dst"), F.lit(reason).alias("reason")
    ).distinct()


def _of_shared_effects(root_spans: DataFrame, roots: DataFrame) -> DataFrame:
    effects = roots.join(root_spans.select("root_id"), "root_id", "left_semi").where(F.col("id") != F.col("root_id"))
    return _bond(_pairs(effects.select("id", "root_id"), ["id"]), "shared_effect")


def _of_shared_harm(root_spans: DataFrame, happenings: DataFrame, roots: DataFrame) -> DataFrame:
    """Roots whose harm to one partition overlaps in time."""
    harms = happenings.where(F.col("kind").isin(*HARMS) & F.col("topic").isNotNull()).select(
        "id",
        partition_name().alias("name"),
        F.col("ts").alias("from_ts"),
        F.coalesce("end_ts", plus_millis("ts", HARM_AFTER_MS)).alias("to_ts"),
    )
    # What somebody asked for hurts on purpose, and soon: it is bound by shared effects alone.
    faulty = root_spans.where(~is_kind(*ASKED_FOR)).select("root_id")
    of_roots = (
        roots.join(faulty, "root_id", "left_semi")
        .join(harms, "id")
        .groupBy("root_id", "name")
        .agg(F.min("from_ts").alias("from_ts"), F.max("to_ts").alias("to_ts"))
    )
    pairs = _pairs(of_roots, ["name"], "from_ts", "to_ts")
    overlap = (F.col("from_ts") <= F.col("other_to_ts")) & (F.col("other_from_ts") <= F.col("to_ts"))
    return _bond(pairs.where(overlap), "shared_harm")


def _at_once(root_spans: DataFrame) -> DataFrame:
    faulty = root_spans.where(~is_kind(*ROUTINE)).select("root_id", "ts", F.lit(1).alias("any"))
    near = F.abs(millis("ts", "other_ts")) <= AT_ONCE_MS
    return _bond(_pairs(faulty, ["any"], "ts").where(near), "at_once")


def _rolling(root_spans: DataFrame) -> DataFrame:
    """Ordered stops, each with the one before it."""
    in_time = Window.orderBy("ts", "root_id")
    stops = root_spans.where(is_kind(*ORDERED_STOPS)).withColumns(
        {"other_id": F.lag("root_id").over(in_time), "other_end": F.lag("end_ts").over(in_time)}
    )
    return _bond(stops.where(millis("ts", "other_end") <= ROLLING_MS), "rolling")


def incident_roots(state: DataFrame) -> DataFrame:
    """Returns `INCIDENT_ROOTS`."""
    return INCIDENT_ROOTS.of(state)


def with_incidents(root_spans: DataFrame, incident_roots: DataFrame) -> DataFrame:
    """The roots with their incidents, numbered in the order of time. Returns `ROOT_SPANS`."""
    grouped = root_spans.drop("incident_id").join(incident_roots.withColumnRenamed("id", "root_id"), "root_id")
    first_ts = grouped.groupBy("first").agg(F.min("ts").alias("first_ts"))
    numbers = first_ts.select("first", F.row_number().over(Window.orderBy("first_ts", "first")).alias("number"))
    named = grouped.join(numbers, "first").withColumn("incident_id", F.format_string("incident-%d", "number"))
    return ROOT_SPANS.of(named)


def vertices(happenings: DataFrame, roots: DataFrame, root_spans: DataFrame) -> DataFrame:
    """The vertices of the graph, each with its incident: that of its nearest root; without a known root, the one of
    its time. Returns `VERTICES`.
    """
    spans = root_spans.select("root_id", "incident_id", F.col("ts").alias("root_ts"))
    by_root = (
        roots.join(spans, "root_id")
        .groupBy("id")
        .agg(F.min_by("incident_id", F.struct("distance", "root_ts")).alias("of_root"))
    )
    times = root_spans.groupBy("incident_id").agg(F.min("ts").alias("from_ts"), F.max("end_ts").alias("to_ts"))
    near = F.col("ts").between(plus_millis("from_ts", -BEFORE_MS), plus_millis("to_ts", AFTER_MS))
    by_time = (
        happenings.select("id", "ts")
        .join(times, near)
        .groupBy("id")
        .agg(F.max_by("incident_id", "from_ts").alias("of_time"))
    )
    placed = happenings.drop("incident_id").join(by_root, "id", "left").join(by_time, "id", "left")
    return VERTICES.rows(
        placed, incident_id=F.coalesce("of_root", "of_time"), label=LABELS.text(F.struct("reason", "arguments"))
    )
