"""Processes that stood still and went on (F04), and those of which nobody can say it (F00)."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.phrases import clock
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.faults.own_errors import out_of_memory
from replay.faults.shape import begun_unseen, fault, removed
from replay.faults.unreachable import ZOOKEEPER_FOUND, ZOOKEEPER_LOST

_SILENCE_MS = 3_000
_AFTER_WAKING_MS = 3_000
_LEAP_MS = 5_000  # how well the time and size of a clock's step are known


def paused(events: DataFrame, sessions: DataFrame, steps: DataFrame | None = None) -> DataFrame:
    """F04: a process that stood still (garbage collection, virtual machine, SIGSTOP) and went on.

    A silent gap alone proves nothing. Proof is an elapsed time far above its timeout in the first lines after it. A session that
    timed out inside the gap, or a removal from the ISR inside it that the broker learns of only at its end, would prove it too if
    no line could be missing; as files have holes, such a node only fell `silent` (F00): it stood still, or its lines are not here.
    A garbage-collection log that is among the input tells of the pause itself, and of its cause. A clock that is set forward (`steps`) makes
    elapsed times that never passed. Where a node's files begin as it wakes, nothing but such a time tells of the pause.
    A node whose last word was that it had lost ZooKeeper ran, out of reach: what others then say of it tells of no pause.
    """
    gaps = (
        silences(events)
        .unionByName(_before_its_files(events))
        .withColumn("_until", plus_millis("to_ts", _AFTER_WAKING_MS))
    )
    told = _elapsed(events, steps)
    for more in (_collected(events), _lost(sessions), _removed(events, sessions)):
        told = told.unionByName(more, allowMissingColumns=True)
    inside = (F.col("_ts") > plus_millis("from_ts", 1_000)) & (F.col("_ts") < F.col("to_ts"))
    at_waking = (
        F.coalesce(F.col("_since_ts") > F.col("from_ts"), F.lit(True))
        & (F.col("_ts") >= F.col("to_ts"))
        & (F.col("_ts") <= F.col("_until"))
        & (plus_millis("_ts", -F.col("_elapsed") + F.col("_limit")) < F.col("to_ts"))
    )
    during = (F.col("_ts") > plus_millis("from_ts", _SILENCE_MS - 1_000)) & (F.col("_ts") <= F.col("_until"))
    long_enough = (
        F.col("from_event").isNotNull()
        & (millis("to_ts", "from_ts") >= 8_000)
        & ~F.coalesce("without_zookeeper", F.lit(False))
    )
    told_late = _learned_late(events)
    proven = (
        gaps.join(told, "node_id")
        .where(
            F.when(F.col("_how") == "elapsed", at_waking)
            .when(F.col("_how") == "collected", during)
            .otherwise(inside & long_enough)
        )
        .join(told_late, "node_id", "left")
        .withColumn("_late", F.col("_late_ts").between(F.col("to_ts"), F.col("_until")))
        .groupBy("node_id", "from_ts", "to_ts", "from_event", "to_event")
        .agg(
            F.max("_elapsed").alias("_elapsed"),
            F.max("_limit").alias("_limit"),
            F.bool_or(F.col("_how").isin("elapsed", "collected")).alias("_by_elapsed"),
            F.max(F.when(F.col("_how") == "collected", F.col("_elapsed"))).alias("_collected_ms"),
            F.bool_or(F.col("_how") == "lost").alias("_by_loss"),
            F.bool_or("_late").alias("_late"),
            F.min(F.when(F.col("_how").isin("lost", "removed"), F.col("_ts"))).alias("_noticed_ts"),
            evidence_of("_proof", "_ts").alias("_proofs"),
        )
        .where(F.col("_by_elapsed") | F.col("_by_loss") | F.col("_late"))
    )
    began = F.greatest("from_ts", F.when(F.col("_by_elapsed"), plus_millis("to_ts", -F.col("_elapsed"))))
    return fault(
        proven,
        F.when(F.col("_by_elapsed"), "paused").otherwise("silent"),
        F.when(F.col("_by_elapsed"), "F04").otherwise("F00"),
        broker_id=F.col("node_id"),
        ts=F.least(F.coalesce("_noticed_ts", "to_ts"), began),
        t0_low=F.when(F.col("from_event").isNull(), began).otherwise(F.col("from_ts")),
        end_ts=F.col("to_ts"),
        confidence=F.when(F.col("_by_elapsed"), 0.97).otherwise(0.5),
        because=F.concat(
            F.when(
                F.col("from_event").isNull(),
                F.format_string("the files of node %d begin at %s, without a start", "node_id", clock("to_ts")),
            ).otherwise(
                F.format_string(
                    "no file of node %d has a line between %s and %s, and it went on without a start",
                    "node_id",
                    clock("from_ts"),
                    clock("to_ts"),
                )
            ),
            F.when(
                F.col("_collected_ms").isNotNull(),
                F.format_string("; its garbage-collection log tells of a pause of %d ms in that time", "_collected_ms"),
            )
            .when(
                F.col("_by_elapsed"),
                F.format_string(
                    "; on waking it found %d ms gone where at most %d ms may pass, so nothing ran in it",
                    "_elapsed",
                    F.col("_limit").cast("bigint"),
                ),
            )
            .when(F.col("_by_loss"), "; its session timed out in that silence")
            .otherwise("; leaders removed it from their ISRs in that silence and it learned of that only at the end"),
        ),
        blind_spots=F.when(F.col("_by_elapsed"), F.array()).otherwise(
            F.array(
                F.lit(
                    "no elapsed time is printed at its end: whether it stood still, was cut off, or lines are missing from its files would be told by its garbage-collection log, the host's own log, or the rest of its files"
                )
            )
        ),
        evidence=joined(F.array("from_event", "to_event"), "_proofs"),
    )


def silences(events: DataFrame) -> DataFrame:
    """`node_id, from_ts, to_ts, from_event, to_event, without_zookeeper`: times in which none of a node's files has a line, within one life of its
    process; and whether it had lost ZooKeeper and not yet found it again as one began.
    """
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull())
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    lost_or_found = F.when(F.col("kind").isin(*ZOOKEEPER_LOST, *ZOOKEEPER_FOUND), F.col("kind").isin(*ZOOKEEPER_LOST))
    return (
        own.withColumn("_lost", F.last(lost_or_found, ignorenulls=True).over(so_far(node)))
        .select(
            "node_id",
            F.lag("_lost").over(node).alias("without_zookeeper"),
            F.lag("ts").over(node).alias("from_ts"),
            F.col("ts").alias("to_ts"),
            F.lag("event_id").over(node).alias("from_event"),
            F.col("event_id").alias("to_event"),
            "kind",
        )
        .where(
            (millis("to_ts", "from_ts") >= _SILENCE_MS)
            & ~F.col("kind").isin("process_start_line", "process_signal_registered", "broker_starting")
        )
        .drop("kind")
    )


def _before_its_files(events: DataFrame) -> DataFrame:
    """In the shape of `silences`, without a line at its beginning: of each node whose files begin in mid-flow the time of which only others' lines are here."""
    all_began = events.agg(F.min("ts").alias("from_ts"))
    begun = begun_unseen(events).crossJoin(F.broadcast(all_began)).where(millis("_begun_ts", "from_ts") >= _SILENCE_MS)
    return begun.select(
        F.col("_node").alias("node_id"),
        "from_ts",
        F.col("_begun_ts").alias("to_ts"),
        F.lit(None).cast("string").alias("from_event"),
        F.col("_begun_event").alias("to_event"),
        F.lit(False).alias("without_zookeeper"),
    )


# What tells of a pause: `node_id, _ts, _proof, _how`, and of a time that went by `_elapsed`, with `_limit`, what may go by.


def _elapsed(events: DataFrame, steps: DataFrame | None) -> DataFrame:
    """Times that went by, far above their timeouts, in what a node finds on waking; none over which its clock was set forward."""
    elapsed = F.coalesce(detail("time_elapsed_since_create_ms"), detail("elapsed_ms")).try_cast("bigint")
    session_ms = F.coalesce(F.col("_session_ms"), F.lit(18_000))
    of_request = F.col("kind") == "node_inflight_cancelled"
    # A ZooKeeper client waits two thirds of its session for a server it is connected to, all of it for one that takes its connection and says nothing.
    limit = (
        F.when(of_request, detail("request_timeout_ms").try_cast("bigint"))
        .when(F.col("_connecting"), session_ms)
        .otherwise(session_ms * 2 / 3)
    )
    in_order = Window.partitionBy("node_id", of_request).orderBy("ts", "event_id")
    connecting = F.coalesce(F.lag("kind").over(in_order).isin(*ZOOKEEPER_LOST), F.lit(False))
    negotiated = (
        events.where(F.col("kind") == "zk_session_connected")
        .groupBy("node_id")
        .agg(F.max(detail("timeout_ms").try_cast("bigint")).alias("_session_ms"))
    )
    found = (
        events.where(of_request | F.col("kind").isin(*ZOOKEEPER_LOST, "zk_session_connected"))
        .withColumn("_connecting", connecting)
        .where(F.col("kind").isin("node_inflight_cancelled", "zk_client_timeout") & elapsed.isNotNull())
        .join(F.broadcast(negotiated), "node_id", "left")
        .withColumns({"_elapsed": elapsed, "_limit": limit})
        .where(F.col("_elapsed") > F.col("_limit") * 1.2 + 2_000)
        .select(
            "node_id",
            F.col("ts").alias("_ts"),
            "_elapsed",
            "_limit",
            F.col("event_id").alias("_proof"),
            F.lit("elapsed").alias("_how"),
        )
        .unionByName(_resigned_late(events), allowMissingColumns=True)
    )
    if steps is None:
        return found
    leaps = steps.where((F.col("cause") == "clock_set") & (F.col("step_ms") > 0)).select(
        F.col("node_id").alias("_leapt"), "last_ts", F.col("ts").alias("_leap_ts"), "step_ms"
    )
    leapt = (
        (F.col("node_id") == F.col("_leapt"))
        & (F.col("_elapsed") > F.col("step_ms") - _LEAP_MS)
        & F.col("_ts").between(F.col("last_ts"), plus_millis("_leap_ts", F.col("_limit")))
    )
    return found.join(F.broadcast(leaps), leapt, "left_anti")


def _collected(events: DataFrame) -> DataFrame:
    """Pauses that the garbage-collection log tells."""
    elapsed = detail("duration_ms").try_cast("double").cast("bigint")
    told = events.where(F.col("kind").isin("gc_pause", "jvm_safepoint"))
    return told.select(
        "node_id",
        F.col("ts").alias("_ts"),
        elapsed.alias("_elapsed"),
        F.col("event_id").alias("_proof"),
        F.lit("collected").alias("_how"),
    ).where(F.col("_elapsed") >= _SILENCE_MS)


def _timed_out(sessions: DataFrame) -> DataFrame:
    return sessions.where(F.col("ended_by") == "session_timeout")


def _lost(sessions: DataFrame) -> DataFrame:
    """Sessions that timed out."""
    return _timed_out(sessions).select(
        F.col("broker_id").alias("node_id"),
        F.col("end_ts").alias("_ts"),
        F.element_at("evidence", -1).alias("_proof"),
        F.lit("lost").alias("_how"),
    )


def _removed(events: DataFrame, sessions: DataFrame) -> DataFrame:
    """Followers that a leader dropped from an ISR, each by itself: one that drops several at once may be the one that is cut off.

    A leader that was itself asleep, cut off or out of memory drops healthy followers: its word proves nothing.
    """
    asleep = _timed_out(sessions).select(
        F.col("broker_id").alias("_doubtful"),
        F.expr("end_ts - interval 60 seconds").alias("_from"),
        F.expr("end_ts + interval 120 seconds").alias("_to"),
    )
    doubtful = asleep.unionByName(
        out_of_memory(events).select(
            F.col("broker_id").alias("_doubtful"),
            F.col("ts").alias("_from"),
            plus_millis("end_ts", 120_000).alias("_to"),
        )
    )
    return (
        events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull())
        .withColumn("_removed", removed())
        .where(F.size("_removed") == 1)
        .select(
            F.get("_removed", F.lit(0)).alias("node_id"),
            F.col("node_id").alias("_leader"),
            F.col("ts").alias("_ts"),
            F.col("event_id").alias("_proof"),
        )
        .where(F.col("node_id") != F.col("_leader"))
        .join(
            doubtful,
            (F.col("_leader") == F.col("_doubtful")) & F.col("_ts").between(F.col("_from"), F.col("_to")),
            "left_anti",
        )
        .select("node_id", "_ts", "_proof", F.lit("removed").alias("_how"))
    )


def _resigned_late(events: DataFrame) -> DataFrame:
    """Elapsed times of active controllers: from the election of another to where it finds, itself, that no majority of voters fetched from it.

    One that is cut off and runs finds that within `controller.quorum.fetch.timeout.ms` and half as much again (`LeaderState`, from 3.7).
    """
    leads = events.where(
        (F.col("kind") == "raft_transition") & F.contains("message", F.lit("Completed transition to Leader"))
    ).select(F.col("node_id").alias("_leader"), F.col("ts").alias("_led_ts"))
    found = events.where(F.col("kind") == "raft_check_quorum_lost").select(
        "node_id",
        F.col("ts").alias("_ts"),
        detail("check_quorum_timeout_ms").try_cast("bigint").alias("_limit"),
        F.col("event_id").alias("_proof"),
        F.lit("elapsed").alias("_how"),
    )
    own = F.max(F.when(F.col("_leader") == F.col("node_id"), F.col("_led_ts")))
    others = F.collect_list(F.when(F.col("_leader") != F.col("node_id"), F.col("_led_ts")))
    near = (
        found.join(
            F.broadcast(leads), (F.col("_led_ts") < F.col("_ts")) & (F.col("_led_ts") > plus_millis("_ts", -600_000))
        )
        .groupBy(*found.columns)
        .agg(own.alias("_own_ts"), others.alias("_others"))
    )
    since = F.array_min(F.filter("_others", lambda ts: F.coalesce(ts > F.col("_own_ts"), F.lit(True))))
    late = near.withColumn("_since_ts", since).withColumn("_elapsed", millis("_ts", "_since_ts"))
    return late.where(F.col("_elapsed") > F.col("_limit") * 1.5 + 2_000).drop("_own_ts", "_others")


def _learned_late(events: DataFrame) -> DataFrame:
    """`node_id, _late_ts`: times at which a broker's fetchers or Raft client find that the world went on without them."""
    return events.where(
        F.col("kind").isin("fetch_fenced_epoch", "raft_become_candidate", "raft_transition", "node_request_timeout")
    ).select("node_id", F.col("ts").alias("_late_ts"))
