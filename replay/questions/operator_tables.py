"""What operators ask of several tables at once (operator questions 5, 11, 15, 19, 22, 27).

Which broker do ISR shrinks point at? Which replica can be trusted? Who took itself for the leader after another was
elected? When did each broker learn of a leader, and how long did it load its logs?
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis
from replay.columns.windows import PARTITION_KEY, before
from replay.facts.lives import CLEAN_START, UNCLEAN_START
from replay.partitions.topics import life_ends, with_life
from replay.tables import DEPOSED_LEADERS, ISR_DROPS, REPLICAS
from replay.tables.questions import TRUSTED

_AROUND_MS = (
    30_000  # who is gone leaves an ISR by its lag, this shortly before its session ends, or by the controller after it
)
# What a broker prints of a leader epoch as it learns of it.
_LEARNT = (
    "broker_leader_and_isr_received",
    "broker_become_leader_begin",
    "broker_become_leader_done",
    "broker_become_follower_begin",
    "broker_become_follower_done",
    "leader_start",
    "leader_transition_skipped",
    "follower_start",
    "follower_transition_skipped",
)
_LOADED = "log_manager_load_done"


def isr_drops(shrinks: DataFrame, sessions: DataFrame) -> DataFrame:
    """Who was dropped from ISRs under whom, and at which of the two that points. Returns `ISR_DROPS`.

    A broker that several leaders drop at about the same time, or whose session ended just then, is the suspect itself; a
    leader that drops several brokers then, none of which any other leader drops, is the suspect. Otherwise the two cannot
    be told apart by this, nor where it was now the one, now the other.
    `shrinks`: `replay.causes.edges.isr_shrinks`.
    """
    dropped = shrinks.select(
        "topic",
        "partition",
        "leader_id",
        "start_ts",
        F.explode("removed").alias("broker_id"),
        F.get("evidence", F.lit(0)).alias("event_id"),
    ).where(F.col("broker_id") != F.col("leader_id"))
    ends = sessions.where(F.col("end_ts").isNotNull()).groupBy("broker_id").agg(F.collect_set("end_ts").alias("_ends"))
    just_ended = F.exists("_ends", lambda end: F.abs(millis("start_ts", end)) <= _AROUND_MS)
    of_broker, of_leader = _around("broker_id"), _around("leader_id")
    unexplained = ~F.col("_as_session_ended")
    drops = (
        dropped.join(F.broadcast(ends), "broker_id", "left")
        .withColumns(
            {
                "_as_session_ended": F.coalesce(just_ended, F.lit(False)),
                "_by_several": F.size(F.collect_set("leader_id").over(of_broker)) > 1,
            }
        )
        .withColumns(
            {
                "_others": F.size(F.collect_set(F.when(unexplained, F.col("broker_id"))).over(of_leader)),
                "_shared": F.max(F.when(unexplained, F.col("_by_several"))).over(of_leader),
            }
        )
    )
    suspect = F.when(F.col("_by_several") | ~unexplained, F.col("broker_id")).when(
        (F.col("_others") > 1) & ~F.col("_shared"), F.col("leader_id")
    )
    pairs = (
        drops.withColumn("_suspect", suspect)
        .groupBy("broker_id", "leader_id")
        .agg(
            F.count("*").alias("drops"),
            F.count_if("_as_session_ended").alias("as_session_ended"),
            F.count_distinct("topic", "partition").alias("partition_count"),
            F.min("start_ts").alias("first_ts"),
            F.max("start_ts").alias("last_ts"),
            F.min("_suspect").alias("_least"),
            F.max("_suspect").alias("_most"),
            F.count("_suspect").alias("_suspected"),
            evidence_of("event_id", "start_ts").alias("evidence"),
        )
    )
    is_one = (F.col("_least") == F.col("_most")) & (F.col("_suspected") == F.col("drops"))
    return ISR_DROPS.of(pairs.withColumn("suspect_id", F.when(is_one, F.col("_least"))))


def _around(column: str) -> WindowSpec:
    """All drops of one broker, or by one leader, at about the same time."""
    return Window.partitionBy(column).orderBy(F.unix_millis("start_ts")).rangeBetween(-_AROUND_MS, _AROUND_MS)


def replicas(
    judged: DataFrame, isrs: DataFrame, high_watermarks: DataFrame, sessions: DataFrame, lives: DataFrame
) -> DataFrame:
    """Each replica of each partition as it stood when last told of, the ones to trust first; not of deleted topics.
    Returns `REPLICAS`.

    Members of the last committed ISR hold every committed record; of the others the one whose log reached furthest
    holds most (facts §3.3). A log end is what the replica's own broker last told, and at least its high watermark;
    one that still runs may have grown since.
    """
    order = F.struct("life", "leader_epoch", "state_order", "ts")
    last = isrs.groupBy("topic", "partition").agg(
        F.max_by(F.struct("isr", "replicas", "life"), order).alias("_last"),
        F.max_by("evidence", order).alias("_isr_evidence"),
    )
    led = judged.groupBy("topic", "partition").agg(
        F.max_by("leader_id", F.struct("life", "leader_epoch")).alias("leader_id")
    )
    held = (
        last.withColumn("life", F.col("_last.life"))
        .join(F.broadcast(life_ends(lives)), ["topic", "life"], "left_anti")
        .join(led, ["topic", "partition"])
        .withColumn("_all", F.array_union(F.coalesce("_last.replicas", "_last.isr"), F.col("_last.isr")))
        .select(
            *PARTITION_KEY,
            "leader_id",
            F.col("_last.isr").alias("_isr"),
            "_isr_evidence",
            F.explode("_all").alias("node_id"),
        )
    )
    reached = F.greatest("log_end_offset", "high_watermark")
    ends = (
        with_life(high_watermarks.where(F.col("ts").isNotNull()).withColumn("_reached", reached), lives)
        .groupBy(*PARTITION_KEY, "node_id")
        .agg(
            F.max_by(
                F.struct("_reached", "ts", "evidence"),
                F.when(F.col("_reached").isNotNull(), F.struct("ts", "_reached")),
            ).alias("_end"),
            F.max_by(
                "high_watermark", F.when(F.col("high_watermark").isNotNull(), F.struct("ts", "high_watermark"))
            ).alias("high_watermark"),
        )
    )
    alive = sessions.groupBy(F.col("broker_id").alias("node_id")).agg(
        F.max_by(F.col("end_ts").isNull(), F.struct("start_ts", "end_ts")).alias("is_up")
    )
    by_trust = Window.partitionBy("topic", "partition").orderBy(
        F.desc("in_isr"), F.desc_nulls_last("log_end_offset"), "node_id"
    )
    return REPLICAS.of(
        held.join(ends, [*PARTITION_KEY, "node_id"], "left")
        .join(F.broadcast(alive), "node_id", "left")
        .withColumns(
            {
                "in_isr": F.array_contains("_isr", F.col("node_id")),
                "log_end_offset": F.col("_end._reached"),
                "told_ts": F.col("_end.ts"),
                "evidence": joined("_isr_evidence", "_end.evidence"),
            }
        )
        .withColumn("trust", F.row_number().over(by_trust))
    )


def trusted(replicas: DataFrame) -> DataFrame:
    """Which brokers hold the replicas to trust of partitions that end without a leader. Returns `TRUSTED`."""
    best = replicas.where((F.col("leader_id") == -1) & (F.col("trust") == 1))
    return TRUSTED.of(
        best.groupBy(F.col("node_id").alias("broker_id")).agg(
            F.count("*").alias("partitions"), F.count_if(~F.col("in_isr")).alias("out_of_isr")
        )
    )


def deposed_leaders(leader_epochs: DataFrame, high_watermarks: DataFrame, sessions: DataFrame) -> DataFrame:
    """One row a leader that went on as such while another led. Returns `DEPOSED_LEADERS`.

    `deposed_ts` is when the leader epoch of the other began, `last_led_ts` the last line in which the old one acts as
    the leader, `learnt_ts` when it first follows; each null where no line tells. `believed_ms`: until the latest of
    what is known. One that had stopped or died meanwhile learnt nothing and is left out (`sessions`: a
    `session_timeout` ends a session, not its process).
    """
    led = Window.partitionBy("topic", "topic_id", "partition").orderBy("leader_epoch")
    ended = (
        leader_epochs.where(F.col("leader_id") >= 0)
        .withColumns({"_next": F.lead("leader_id").over(led), "deposed_ts": F.lead("start_ts").over(led)})
        .where(F.col("_next") != F.col("leader_id"))
        .select(
            "topic",
            "partition",
            F.col("leader_id").alias("node_id"),
            F.col("leader_epoch").alias("_led"),
            F.col("start_ts").alias("_since"),
            "deposed_ts",
        )
    )
    told = high_watermarks.join(ended, ["topic", "partition", "node_id"]).where(F.col("ts") > F.col("deposed_ts"))
    leads = (F.col("role") == "leader") & (F.col("leader_epoch") == F.col("_led"))
    learns = (F.col("source") == "follower_start") & (F.col("leader_epoch") > F.col("_led"))
    signs = (
        told.where(leads | learns)
        .withColumn("event_id", F.get("evidence", F.lit(0)))
        .groupBy(
            "topic",
            "partition",
            F.col("node_id").alias("broker_id"),
            F.col("_led").alias("leader_epoch"),
            "_since",
            "deposed_ts",
        )
        .agg(
            F.max(F.when(leads, F.col("ts"))).alias("last_led_ts"),
            F.min(F.when(learns, F.col("ts"))).alias("learnt_ts"),
            evidence_of().alias("evidence"),
        )
    )
    stopped = sessions.where(F.col("ended_by") != "session_timeout").select(
        F.col("broker_id").alias("_broker"), F.col("end_ts").alias("_stopped_ts")
    )
    meanwhile = (
        (F.col("_broker") == F.col("broker_id"))
        & F.col("_stopped_ts").between(F.col("_since"), F.col("learnt_ts"))
        & F.col("last_led_ts").isNull()
    )
    believed_ms = millis(F.coalesce("learnt_ts", "last_led_ts"), "deposed_ts")
    return DEPOSED_LEADERS.of(
        signs.join(F.broadcast(stopped), meanwhile, "left_anti").withColumn("believed_ms", believed_ms)
    )


def epochs_learnt(leader_epochs: DataFrame, events: DataFrame) -> DataFrame:
    """One row a leader epoch and broker whose lines name it: `topic, partition, leader_epoch, broker_id, start_ts,
    learnt_ts, lag_ms, event_id`.

    `lag_ms` is how long after the epoch's beginning the broker first says that it leads or follows in it; clients
    that had it from another broker get UNKNOWN_LEADER_EPOCH from this one until then. A broker that was down learns
    of it at its return.
    """
    learnt = (
        events.where(F.col("kind").isin(*_LEARNT) & F.col("leader_epoch").isNotNull() & F.col("node_id").isNotNull())
        .groupBy("topic", "partition", "leader_epoch", F.col("node_id").alias("broker_id"))
        .agg(F.min_by(F.struct("ts", "event_id"), "ts").alias("_first"))
    )
    return (
        leader_epochs.where(F.col("leader_id") >= 0)
        .select("topic", "partition", "leader_epoch", "start_ts")
        .join(learnt, ["topic", "partition", "leader_epoch"])
        .select(
            "topic",
            "partition",
            "leader_epoch",
            "broker_id",
            "start_ts",
            F.col("_first.ts").alias("learnt_ts"),
            millis("_first.ts", "start_ts").alias("lag_ms"),
            F.col("_first.event_id").alias("event_id"),
        )
    )


def log_loads(events: DataFrame) -> DataFrame:
    """One row a start of a broker that loaded its logs: `node_id, loaded_ts, load_ms, log_count, was_clean,
    recovered, cut, evidence`.

    `was_clean`: the mark of a clean shutdown was found in every directory (false: missing in one; null where no line tells).
    `recovered`: partitions whose segments were read again, `cut`: those found damaged and cut (facts §5, F24).
    """
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    partition = F.concat_ws("-", "topic", "partition")
    loading = events.where(
        F.col("kind").isin(_LOADED, *CLEAN_START, *UNCLEAN_START, "log_segment_recovery", "log_recovery_truncated")
        & F.col("node_id").isNotNull()
        & ~F.col("topic").eqNullSafe("__cluster_metadata")
    )
    unclean, clean, loaded = (
        F.col("kind").isin(*UNCLEAN_START),
        F.col("kind").isin(*CLEAN_START),
        F.col("kind") == _LOADED,
    )
    starts = (
        loading.withColumn("_start", F.count_if(loaded).over(before(node)))
        .groupBy("node_id", "_start")
        .agg(
            F.max(F.when(loaded, F.col("ts"))).alias("loaded_ts"),
            F.max(F.when(loaded, detail("elapsed_ms").try_cast("bigint"))).alias("load_ms"),
            F.max(F.when(loaded, detail("num_logs").try_cast("int"))).alias("log_count"),
            (~F.bool_or(F.when(unclean | clean, unclean))).alias("was_clean"),
            F.count_distinct(F.when(F.col("kind") == "log_segment_recovery", partition)).alias("recovered"),
            F.count_distinct(F.when(F.col("kind") == "log_recovery_truncated", partition)).alias("cut"),
            F.array_sort(F.collect_set(F.when(loaded | unclean | clean, F.col("event_id")))).alias("evidence"),
        )
    )
    return starts.where(F.col("loaded_ts").isNotNull()).drop("_start")
