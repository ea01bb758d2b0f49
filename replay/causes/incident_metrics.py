"""The metrics of each incident (facts §7): one small frame a question, joined by incident at the end."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.causes.happenings import epoch_id
from replay.causes.incidents import AT_ONCE_MS
from replay.causes.unserved import unserved
from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.columns.windows import by_state, so_far
from replay.faults.kinds import ASKED_FOR, ROUTINE, is_kind
from replay.partitions.elections import is_unclean
from replay.sentences import statement
from replay.sentences.findings import INCIDENT_TITLES
from replay.tables.causes import INCIDENTS
from replay.tables.losses import OPEN_VERDICTS

BY = "incident_id"
SEVERITIES = ("critical", "high", "medium", "low", "info")
COUNTED = (
    "elections",
    "leaders_untold",
    "unclean_elections",
    "leader_epoch_bumps",
    "unserved_min_ms",
    "unserved_max_ms",
    "partitions_affected",
    "controller_downtime_ms",
    "lost_offsets_min",
    "undetermined",
)


def incidents(
    findings: DataFrame,
    root_spans: DataFrame,
    vertices: DataFrame,
    edges: DataFrame,
    leader_epochs: DataFrame,
    committed_isrs: DataFrame,
    isr_shrinks: DataFrame,
    elections: DataFrame,
    losses: DataFrame,
    faults: DataFrame,
    incident_harm: DataFrame,
) -> DataFrame:
    """One row an incident with its title and metrics. Returns `INCIDENTS`.

    Sums over partitions count each span whole, for the incident that its first happening belongs to; sums over ISRs
    leave out partitions of which the replicas or min.insync.replicas are not known, and are null where none is known.
    """
    times = _times(root_spans)
    of_happening = vertices.where(F.col(BY).isNotNull()).select("id", BY)
    frames = (
        _judged(findings, faults, root_spans),
        _leader_changes(elections, of_happening),
        _new_epochs(leader_epochs, times),
        _without_leader(leader_epochs, of_happening),
        _unserved(leader_epochs, faults, times),
        _isr_times(committed_isrs, isr_shrinks, of_happening, times),
        _touched(vertices),
        _detected(vertices),
        _controller_downtime(edges, of_happening),
        _lost(losses, of_happening, times),
        incident_harm,
    )
    whole = times
    for frame in frames:
        whole = whole.join(frame, BY, "left")
    return INCIDENTS.rows(_finished(whole), title=INCIDENT_TITLES.text(_title()))


def _times(root_spans: DataFrame) -> DataFrame:
    return root_spans.groupBy(BY).agg(F.min("ts").alias("from_ts"), F.max("end_ts").alias("to_ts"))


def _by_time(rows: DataFrame, times: DataFrame, ts: str) -> DataFrame:
    """`rows` whose `incident_id` is that of their time where they have none: the latest incident that had begun then
    and was not over.
    """
    of_time = times.select(F.col(BY).alias("then"), "from_ts", "to_ts")
    near = (F.col(ts) >= plus_millis("from_ts", -AT_ONCE_MS)) & (F.col(ts) <= plus_millis("to_ts", AT_ONCE_MS))
    found = rows.join(of_time, near & F.col(BY).isNull(), "left").groupBy(*rows.columns)
    named = found.agg(F.max_by("then", "from_ts").alias("then"))
    return named.withColumn(BY, F.coalesce(BY, "then")).drop("then")


def _judged(findings: DataFrame, faults: DataFrame, root_spans: DataFrame) -> DataFrame:
    """Severity, root, begin and what the title says."""
    kinds = faults.select(F.col("fault_id").alias("finding_id"), "kind")
    known = findings.where(F.col(BY).isNotNull()).join(kinds, "finding_id", "left")
    root = F.struct(
        (F.col("role") != "root_cause").alias("late"),
        F.coalesce(is_kind(*ROUTINE), F.lit(True)).alias("routine"),
        "start_ts",
        "finding_id",
        "kind",
        F.coalesce(is_kind(*ASKED_FOR), F.lit(True)).alias("asked_for"),
        F.col("arguments")["is_broker"].isNotNull().alias("is_broker"),
        F.get("broker_ids", F.lit(0)).alias("broker_id"),
        "began_low",
        "began_high",
        "title",
    )
    is_root, ranks = F.col("role") == "root_cause", F.array(*map(F.lit, SEVERITIES))
    return known.groupBy(BY).agg(
        F.min_by("severity", F.array_position(ranks, F.col("severity"))).alias("severity"),
        F.bool_or((F.col("code") == "F11") & (F.col("role") == "effect")).alias("quorum_followed"),
        F.min(F.when(F.col("role").isin("root_cause", "benign"), root)).alias("root"),
        F.array_sort(F.collect_list(F.when(is_root, root))).alias("roots"),
    )


def _leader_changes(elections: DataFrame, of_happening: DataFrame) -> DataFrame:
    asked = F.coalesce(F.col("trigger"), F.lit("")).isin("preferred", "reassignment")  # those had a leader
    return (
        elections.withColumn("id", epoch_id("election"))
        .join(of_happening, "id")
        .groupBy(BY)
        .agg(
            F.count_if(F.col("new_leader_id") != F.col("old_leader_id")).alias("elections"),
            F.count_if(is_unclean()).alias("unclean_elections"),
            F.max(F.when(~asked, F.col("ts"))).alias("led_ts"),
        )
    )


def _new_epochs(leader_epochs: DataFrame, times: DataFrame) -> DataFrame:
    """Leader epochs that kept their leader, and those of which no line names the leader before."""
    same = F.coalesce(F.col("reason") == "isr_change", F.lit(False))
    untold = (F.col("leader_id") >= 0) & F.col("last_leader_id").isNull() & (F.col("leader_epoch") > 0)
    begun = leader_epochs.where(same | untold).select(
        F.lit(None).cast("string").alias(BY), epoch_id("election").alias("id"), "start_ts", same.alias("same")
    )
    return (
        _by_time(begun, times, "start_ts")
        .where(F.col(BY).isNotNull())
        .groupBy(BY)
        .agg(F.count_if("same").alias("leader_epoch_bumps"), F.count_if(~F.col("same")).alias("leaders_untold"))
    )


def _without_leader(leader_epochs: DataFrame, of_happening: DataFrame) -> DataFrame:
    return (
        leader_epochs.where(F.col("leader_id") == -1)
        .withColumn("id", epoch_id("leaderless"))
        .join(of_happening, "id")
        .groupBy(BY)
        .agg(
            F.max("end_ts").alias("leader_back_ts"),
            F.bool_or(F.col("end_ts").isNull()).alias("still_leaderless"),
        )
    )


def _unserved(leader_epochs: DataFrame, faults: DataFrame, times: DataFrame) -> DataFrame:
    spans = unserved(leader_epochs, faults).withColumn(BY, F.lit(None).cast("string"))
    ms = F.greatest(millis(F.coalesce("end_ts", "to_ts"), "start_ts"), F.lit(0))
    return (
        _by_time(spans, times, "start_ts")
        .join(times, BY)
        .groupBy(BY)
        .agg(
            F.sum(F.when(F.col("bound") == "least", ms)).alias("unserved_min_ms"),
            F.sum(F.when(F.col("bound") == "most", ms)).alias("unserved_max_ms"),
        )
    )


def _isr_times(
    committed_isrs: DataFrame,
    isr_shrinks: DataFrame,
    of_happening: DataFrame,
    times: DataFrame,
) -> DataFrame:
    """Times with too few in sync. A span belongs to the incident of the last shrink up to it."""
    state = ["topic", "life", "partition", "leader_epoch", "state_order"]
    shrinks = isr_shrinks.join(of_happening, "id").select(*state, BY)
    last_shrink = F.last(BY, ignorenulls=True).over(so_far(by_state()))
    spans = (
        committed_isrs.join(shrinks, state, "left")
        .withColumn(BY, last_shrink)
        .select(BY, *state, "isr", "replicas", "start_ts", "end_ts")
    )
    in_sync, replicas = F.size("isr"), F.size("replicas")
    full = F.when(F.col("replicas").isNotNull(), in_sync >= replicas)
    ms = F.greatest(millis(F.coalesce("end_ts", "to_ts"), "start_ts"), F.lit(0))
    placed = _by_time(spans, times, "start_ts").join(times, BY)

    def time_in(state: Column) -> Column:
        return F.sum(F.when(state, ms).when(~state, 0))

    of_partition = Window.partitionBy("topic", "life", "partition")
    is_last = F.row_number().over(of_partition.orderBy(F.desc("leader_epoch"), F.desc("state_order"))) == 1
    return (
        placed.withColumns({"full": full, "is_last": is_last})
        .groupBy(BY)
        .agg(
            time_in(~F.col("full")).alias("under_replicated_ms"),
            F.max(F.when(~F.col("full"), F.col("end_ts"))).alias("full_ts"),
            F.bool_and(F.col("full") | F.col("end_ts").isNotNull() | ~F.col("is_last")).alias("full_at_last"),
        )
    )


def _touched(vertices: DataFrame) -> DataFrame:
    named = vertices.where(F.col("topic").isNotNull() & F.col(BY).isNotNull())
    return named.groupBy(BY).agg(F.countDistinct(partition_name()).alias("partitions_affected"))


def _detected(vertices: DataFrame) -> DataFrame:
    ended = vertices.where((F.col("kind") == "detected") & F.col(BY).isNotNull())
    return ended.groupBy(BY).agg(F.min("ts").alias("detected_ts"))


def _controller_downtime(edges: DataFrame, of_happening: DataFrame) -> DataFrame:
    moves = edges.where((F.col("relation") == "R18") & (F.col("rank") == 1))
    placed = moves.join(of_happening.withColumnRenamed("id", "dst"), "dst")
    return placed.groupBy(BY).agg(F.sum("delay_ms").alias("controller_downtime_ms"))


def _lost(losses: DataFrame, of_happening: DataFrame, times: DataFrame) -> DataFrame:
    committed, gone = F.col("loss_class") == "committed", F.col("verdict").isin(*OPEN_VERDICTS)
    most, least = F.col("to_offset_high") - F.col("from_offset"), F.col("to_offset_low") - F.col("from_offset")

    def at_most(asked: Column) -> Column:
        return F.when(F.count_if(asked & most.isNull()) == 0, F.sum(F.when(asked, most).otherwise(0)))

    of_election = of_happening.withColumnRenamed("id", "election")
    asked = losses.withColumn("election", epoch_id("election")).join(of_election, "election", "left")
    columns = [
        BY,
        "election",
        "ts",
        "loss_class",
        "scenario",
        "verdict",
        "from_offset",
        "to_offset_low",
        "to_offset_high",
    ]
    return (
        _by_time(asked.select(*columns), times, "ts")
        .where(F.col(BY).isNotNull())
        .groupBy(BY)
        .agg(
            F.sum(F.when(committed & (F.col("verdict") == "PROVEN_LOSS"), least).otherwise(0)).alias(
                "lost_offsets_min"
            ),
            at_most(committed & gone).alias("lost_offsets_max"),
            at_most(~committed & gone).alias("acked_possible_max"),
            F.count_if(F.col("verdict") == "UNDETERMINED").alias("undetermined"),
            F.count_if(committed & (F.col("verdict") == "UNDETERMINED")).alias("committed_undetermined"),
        )
    )


def _finished(whole: DataFrame) -> DataFrame:
    t0 = F.coalesce("root.began_high", "from_ts")

    def since(ts: Column | str) -> Column:
        ended = F.col(ts) if isinstance(ts, str) else ts
        return F.when(ended.isNotNull(), F.greatest(millis(ended, t0), F.lit(0)))

    never_asked = F.col("undetermined").isNull()
    nothing_lost = {
        name: F.when(never_asked, F.lit(0)).otherwise(F.col(name))
        for name in ("lost_offsets_max", "acked_possible_max")
    }
    led_again = F.coalesce(F.greatest("leader_back_ts", "led_ts"), t0)
    has_leaders = ~F.coalesce("still_leaderless", F.lit(False))
    return whole.withColumns(
        nothing_lost
        | {
            "start_ts": F.coalesce("root.began_low", "from_ts"),
            "end_ts": F.col("to_ts"),
            "severity": F.coalesce("severity", F.lit("info")),
            "root_finding_id": F.col("root.finding_id"),
            "t0_low": F.col("root.began_low"),
            "t0_high": t0,
            "time_to_detect_ms": since("detected_ts"),
            "leader_restored_ms": F.when(has_leaders, since(led_again)),
            "full_isr_ms": F.when(F.coalesce("full_at_last", F.lit(True)), since(F.coalesce("full_ts", t0))),
        }
    ).withColumns({name: F.coalesce(name, F.lit(0)) for name in COUNTED})


def _title() -> Column:
    """What the first root was; whom it befell as well, at the same time or after; what else went wrong; what was
    lost.
    """
    root = F.col("root")
    alike = F.filter("roots", lambda one: one["kind"] == root["kind"])
    others = F.filter(alike, lambda one: one["broker_id"] != root["broker_id"])
    # Which of two came first is not told where their bounds overlap.
    at_once = F.filter(others, lambda one: one["start_ts"] <= plus_millis(root["start_ts"], AT_ONCE_MS))
    then = F.filter(others, lambda one: one["start_ts"] > plus_millis(root["start_ts"], AT_ONCE_MS))
    are_brokers = F.forall(alike, lambda one: one["is_broker"])
    unlike = F.filter("roots", lambda one: (one["kind"] != root["kind"]) & ~one["routine"])
    more = F.array_distinct(F.transform(unlike, lambda one: one["title"]))
    one_node = root["broker_id"].isNotNull() & ~root["asked_for"]
    distinct = F.size(F.array_distinct(F.transform(alike, lambda one: one["broker_id"])))

    def brokers(rows: Column, wanted: Column) -> Column:
        ids = F.array_distinct(F.transform(rows, lambda one: one["broker_id"]))
        return F.when(one_node & wanted & (F.size(ids) > 0), ids)

    lost, possible = F.col("lost_offsets_min"), F.col("lost_offsets_max")
    return statement(
        F.when(root.isNotNull(), "began_with").otherwise("no_known_root"),
        first=root["title"],
        all_brokers_at_once=brokers(at_once, are_brokers),
        all_nodes_at_once=brokers(at_once, ~are_brokers),
        all_brokers_then=brokers(then, are_brokers),
        all_nodes_then=brokers(then, ~are_brokers),
        often=F.when(one_node & (F.size(alike) > distinct), F.size(alike)),
        more=F.get(more, F.lit(0)),
        others=F.when(F.size(more) > 1, F.size(more) - 1),
        quorum=F.when(F.col("quorum_followed"), F.lit("yes")),
        lost=F.when(lost > 0, lost),
        possible=F.when((lost == 0) & (possible > 0), possible),
        unknown=F.when((lost == 0) & (possible.isNull() | (F.col("committed_undetermined") > 0)), F.lit("yes")),
    )
