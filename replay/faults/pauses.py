"""Processes that stood still and went on (F04), and those of which nobody can say it (F00)."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.faults.own_errors import lines_of_memory_errors
from replay.faults.rows import fault_rows, files_begun_in_mid_flow, no_texts, own_lines, removed_from_isr
from replay.faults.unreachable import ZOOKEEPER_FOUND, ZOOKEEPER_LOST
from replay.sentences import statement

SILENCE_MS = 3_000  # shorter gaps between lines are those of a healthy node
AFTER_WAKING_MS = 3_000  # what a node finds on waking it prints within this
LEAST_MISSED_MS = 8_000  # a silence in which others miss a node lasts at least as long as the shortest session
LEAP_MS = 5_000  # how well the time and size of a clock's step are known
ELAPSED_FACTOR, ELAPSED_MARGIN_MS = 1.2, 2_000  # a timeout is noticed late by less than this
ANSWER_MS = 1_000  # a healthy peer answers a request within this beyond what the request asks it to wait
GRANULARITY_MS = 100  # between an elapsed time's end and the stamp of the line that prints it
CHECK_QUORUM_FACTOR = 1.5  # a Raft leader checks its majority after 1.5 fetch timeouts (LeaderState, from 3.7)
_DOUBTED_BEFORE_MS = 60_000  # a leader whose session timed out was asleep or cut off from so long before
_DOUBTED_AFTER_MS = 120_000  # and its word on its followers proves nothing for so long after
_LATE_LINE_MS = 1_000  # a line stands this much after what it tells
RAFT_MEMORY_MS = 600_000  # elections further back than this tell nothing of a silence
STARTS_PRINTED = ("process_start_line", "process_signal_registered", "broker_starting")
LEARNT_LATE = ("fetch_fenced_epoch", "raft_become_candidate", "raft_transition", "node_request_timeout")


def paused(events: DataFrame, sessions: DataFrame, timings: DataFrame, clock_steps: DataFrame) -> DataFrame:
    """F04: a process that froze (garbage collection, virtual machine, SIGSTOP) and went on. Returns `FAULTS`.

    A silent gap alone proves nothing. Proof is an elapsed time far above its timeout in the first lines after it, or
    the garbage-collection log. Weaker signs are a session that timed out inside the gap, and a removal from an ISR that
    the broker learns of only at its end. They would prove a pause if no line could be missing. As files have holes,
    such a node only fell `silent` (F00). A clock that is set forward makes elapsed times that never passed.
    """
    silences = silent_times(events).unionByName(_before_their_files(events))
    signs = reduce(
        lambda one, other: one.unionByName(other, allowMissingColumns=True),
        (
            _elapsed_times(events, timings, clock_steps),
            _collections(events),
            _lost_sessions(sessions),
            _removals(events, sessions),
        ),
    )
    proven = _silences_with_proof(silences, signs, events).transform(_with_bounds)
    return _as_faults(_bounded_by_peers(proven, events, timings))


def silent_times(events: DataFrame) -> DataFrame:
    """`node_id, from_ts, to_ts, from_event, to_event, without_zookeeper`: times within one life of a process in which
    none of its node's files has a line.

    `without_zookeeper`: it had lost ZooKeeper as the silence began and not found it again: it ran, out of reach.
    """
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    lost_or_found = F.when(F.col("kind").isin(*ZOOKEEPER_LOST, *ZOOKEEPER_FOUND), F.col("kind").isin(*ZOOKEEPER_LOST))
    lines = own_lines(events).withColumn("_lost", F.last(lost_or_found, ignorenulls=True).over(so_far(node)))
    gaps = lines.select(
        "node_id",
        F.lag("_lost").over(node).alias("without_zookeeper"),
        F.lag("ts").over(node).alias("from_ts"),
        F.col("ts").alias("to_ts"),
        F.lag("event_id").over(node).alias("from_event"),
        F.col("event_id").alias("to_event"),
        "kind",
    )
    return gaps.where((millis("to_ts", "from_ts") >= SILENCE_MS) & ~F.col("kind").isin(*STARTS_PRINTED)).drop("kind")


def _before_their_files(events: DataFrame) -> DataFrame:
    """In the shape of `silent_times`: of each node whose files begin in mid-flow the time of which only others' lines
    are here.
    """
    all_began = events.agg(F.min("ts").alias("from_ts"))
    begun = files_begun_in_mid_flow(events).crossJoin(F.broadcast(all_began))
    return begun.where(millis("begun_ts", "from_ts") >= SILENCE_MS).select(
        F.col("begun_node").alias("node_id"),
        F.lit(False).alias("without_zookeeper"),
        "from_ts",
        F.col("begun_ts").alias("to_ts"),
        F.lit(None).cast("string").alias("from_event"),
        F.col("begun_event").alias("to_event"),
    )


# Signs of a pause: `node_id, sign_ts, sign_event, sign`, and of a time that went by `elapsed_ms`, its limit
# `limit_ms`, and between which times it began.


def _elapsed_times(events: DataFrame, timings: DataFrame, clock_steps: DataFrame) -> DataFrame:
    """Times that went by, far above their timeouts, in what a node finds on waking; none over which its clock was set
    forward.
    """
    found = _requests_left_open(events, timings).unionByName(_servers_not_heard(events, timings))
    too_long = F.col("elapsed_ms") > F.col("limit_ms") * ELAPSED_FACTOR + ELAPSED_MARGIN_MS
    late = found.where(too_long).unionByName(_resigned_late(events), allowMissingColumns=True)
    leaps = clock_steps.where((F.col("cause") == "clock_set") & (F.col("step_ms") > 0)).select(
        F.col("node_id").alias("_leapt"), "last_ts", F.col("ts").alias("_leap_ts"), "step_ms"
    )
    made_by_leap = (
        (F.col("node_id") == F.col("_leapt"))
        & (F.col("elapsed_ms") > F.col("step_ms") - LEAP_MS)
        & F.col("sign_ts").between(F.col("last_ts"), plus_millis("_leap_ts", F.col("limit_ms")))
    )
    return late.withColumn("sign", F.lit("elapsed")).join(F.broadcast(leaps), made_by_leap, "left_anti")


def _requests_left_open(events: DataFrame, timings: DataFrame) -> DataFrame:
    """Requests that were open when their node stopped: it sent them while it ran, and did not read the answer that a
    healthy peer had sent.
    """
    elapsed_ms = detail("time_elapsed_since_create_ms").try_cast("bigint")
    cancelled = events.where((F.col("kind") == "node_inflight_cancelled") & elapsed_ms.isNotNull())
    waits_ms = F.when(detail("api_key").contains("FETCH"), F.col("fetch_wait_ms")).otherwise(0)
    return with_timings(cancelled, timings, "node_id", "ts", "fetch_wait_ms").select(
        "node_id",
        F.col("ts").alias("sign_ts"),
        F.col("event_id").alias("sign_event"),
        elapsed_ms.alias("elapsed_ms"),
        detail("request_timeout_ms").try_cast("double").alias("limit_ms"),
        plus_millis("ts", -elapsed_ms - GRANULARITY_MS).alias("since_low"),
        plus_millis("ts", -elapsed_ms + waits_ms + ANSWER_MS).alias("since_high"),
    )


def _servers_not_heard(events: DataFrame, timings: DataFrame) -> DataFrame:
    """ZooKeeper clients that did not hear their server: connected, they ping it every third of a session and wait two
    thirds of it; one that takes a connection and says nothing is waited for all of it.
    """
    of_clients = events.where(F.col("kind").isin(*ZOOKEEPER_LOST, "zk_session_connected"))
    in_order = Window.partitionBy("node_id").orderBy("ts", "event_id")
    is_connecting = F.coalesce(F.lag("kind").over(in_order).isin(*ZOOKEEPER_LOST), F.lit(False))
    elapsed_ms, session_ms = detail("elapsed_ms").try_cast("bigint"), F.col("zookeeper_session_ms")
    timeouts = (
        of_clients.withColumn("_connecting", is_connecting)
        .where(F.col("kind") == "zk_client_timeout")
        .where(elapsed_ms.isNotNull())
    )
    return with_timings(timeouts, timings, "node_id", "ts", "zookeeper_session_ms").select(
        "node_id",
        F.col("ts").alias("sign_ts"),
        F.col("event_id").alias("sign_event"),
        elapsed_ms.alias("elapsed_ms"),
        F.when(F.col("_connecting"), session_ms).otherwise(session_ms * 2 / 3).cast("double").alias("limit_ms"),
        plus_millis("ts", -elapsed_ms - GRANULARITY_MS).alias("since_low"),
        F.when(~F.col("_connecting"), plus_millis("ts", -elapsed_ms + session_ms / 3 + ANSWER_MS)).alias("since_high"),
    )


def _resigned_late(events: DataFrame) -> DataFrame:
    """Active controllers that find late, after another was elected, that no majority of voters fetched from them.

    One that is cut off and runs finds that within `controller.quorum.fetch.timeout.ms` and half as much again
    (`LeaderState`, from 3.7).
    """
    is_leader = (F.col("kind") == "raft_transition") & F.contains("message", F.lit("Completed transition to Leader"))
    led = events.where(is_leader).select(F.col("node_id").alias("_leader"), F.col("ts").alias("_led_ts"))
    resigned = events.where(F.col("kind") == "raft_check_quorum_lost").select(
        "node_id",
        F.col("ts").alias("sign_ts"),
        F.col("event_id").alias("sign_event"),
        detail("check_quorum_timeout_ms").try_cast("double").alias("limit_ms"),
    )
    before = F.col("_led_ts").between(plus_millis("sign_ts", -RAFT_MEMORY_MS), plus_millis("sign_ts", -1))
    own_ts = F.max(F.when(F.col("_leader") == F.col("node_id"), F.col("_led_ts")))
    of_others = F.collect_list(F.when(F.col("_leader") != F.col("node_id"), F.col("_led_ts")))
    near = (
        resigned.join(F.broadcast(led), before)
        .groupBy(*resigned.columns)
        .agg(own_ts.alias("_own_ts"), of_others.alias("_others"))
    )
    since_ts = F.array_min(F.filter("_others", lambda ts: F.coalesce(ts > F.col("_own_ts"), F.lit(True))))
    late = near.withColumn("since_ts", since_ts).withColumn("elapsed_ms", millis("sign_ts", "since_ts"))
    too_long = F.col("elapsed_ms") > F.col("limit_ms") * CHECK_QUORUM_FACTOR + ELAPSED_MARGIN_MS
    return late.where(too_long).drop("_own_ts", "_others")


def _collections(events: DataFrame) -> DataFrame:
    """Pauses that the garbage-collection log tells."""
    elapsed_ms = detail("duration_ms").try_cast("double").cast("bigint")
    pauses = events.where(F.col("kind").isin("gc_pause", "jvm_safepoint") & (elapsed_ms >= SILENCE_MS))
    return pauses.select(
        "node_id",
        F.col("ts").alias("sign_ts"),
        F.col("event_id").alias("sign_event"),
        elapsed_ms.alias("elapsed_ms"),
        F.lit("collected").alias("sign"),
    )


def _timed_out(sessions: DataFrame) -> DataFrame:
    return sessions.where(F.col("ended_by") == "session_timeout")


def _lost_sessions(sessions: DataFrame) -> DataFrame:
    """Sessions that timed out."""
    return _timed_out(sessions).select(
        F.col("broker_id").alias("node_id"),
        F.col("end_ts").alias("sign_ts"),
        F.element_at("evidence", -1).alias("sign_event"),
        F.lit("lost").alias("sign"),
    )


def _removals(events: DataFrame, sessions: DataFrame) -> DataFrame:
    """Followers that a leader dropped from an ISR, each by itself: one that drops several at once may be the one that
    is cut off.

    A leader that was itself asleep, cut off or out of memory drops healthy followers: its word proves nothing.
    """
    asleep = _timed_out(sessions).select(
        F.col("broker_id").alias("_doubtful"),
        plus_millis("end_ts", -_DOUBTED_BEFORE_MS).alias("_from"),
        plus_millis("end_ts", _DOUBTED_AFTER_MS).alias("_to"),
    )
    without_memory = lines_of_memory_errors(events).select(
        F.col("node_id").alias("_doubtful"),
        F.col("ts").alias("_from"),
        plus_millis("ts", _DOUBTED_AFTER_MS).alias("_to"),
    )
    doubted = (F.col("_leader") == F.col("_doubtful")) & F.col("sign_ts").between(F.col("_from"), F.col("_to"))
    shrinks = events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull()).withColumn(
        "_removed", removed_from_isr()
    )
    return (
        shrinks.where(F.size("_removed") == 1)
        .select(
            F.get("_removed", F.lit(0)).alias("node_id"),
            F.col("node_id").alias("_leader"),
            F.col("ts").alias("sign_ts"),
            F.col("event_id").alias("sign_event"),
            F.lit("removed").alias("sign"),
        )
        .where(F.col("node_id") != F.col("_leader"))
        .join(asleep.unionByName(without_memory), doubted, "left_anti")
        .drop("_leader")
    )


def _silences_with_proof(silences: DataFrame, signs: DataFrame, events: DataFrame) -> DataFrame:
    """The silences that a sign explains, one row each, with what their signs say."""
    woke_until = plus_millis("to_ts", AFTER_WAKING_MS)
    began_before = F.coalesce(F.col("since_ts") > F.col("from_ts"), F.lit(True))
    ran_out_inside = plus_millis("sign_ts", -F.col("elapsed_ms") + F.col("limit_ms")) < F.col("to_ts")
    at_waking = began_before & F.col("sign_ts").between(F.col("to_ts"), woke_until) & ran_out_inside
    during = (F.col("sign_ts") > plus_millis("from_ts", SILENCE_MS - _LATE_LINE_MS)) & (F.col("sign_ts") <= woke_until)
    inside = (F.col("sign_ts") > plus_millis("from_ts", _LATE_LINE_MS)) & (F.col("sign_ts") < F.col("to_ts"))
    is_long = F.col("from_event").isNotNull() & (millis("to_ts", "from_ts") >= LEAST_MISSED_MS)
    missed = inside & is_long & ~F.coalesce("without_zookeeper", F.lit(False))
    belongs = F.when(F.col("sign") == "elapsed", at_waking).when(F.col("sign") == "collected", during).otherwise(missed)
    learnt = events.where(F.col("kind").isin(*LEARNT_LATE)).select("node_id", F.col("ts").alias("_learnt_ts"))
    timed = F.col("sign").isin("elapsed", "collected")
    return (
        silences.join(signs, "node_id")
        .where(belongs)
        .join(learnt, "node_id", "left")
        .groupBy("node_id", "from_ts", "to_ts", "from_event", "to_event")
        .agg(
            F.max("elapsed_ms").alias("elapsed_ms"),
            F.max("limit_ms").alias("limit_ms"),
            F.max("since_low").alias("since_low"),
            F.min("since_high").alias("since_high"),
            F.bool_or(timed).alias("is_timed"),
            F.bool_or(F.col("sign") == "elapsed").alias("found_at_waking"),
            F.max(F.when(F.col("sign") == "collected", F.col("elapsed_ms"))).alias("collected_ms"),
            F.bool_or(F.col("sign") == "lost").alias("session_lost"),
            F.bool_or(F.col("_learnt_ts").between(F.col("to_ts"), woke_until)).alias("learnt_late"),
            F.min(F.when(~timed, F.col("sign_ts"))).alias("missed_ts"),
            evidence_of("sign_event", "sign_ts").alias("signs"),
        )
        .where(F.col("is_timed") | F.col("session_lost") | F.col("learnt_late"))
    )


def _with_bounds(proven: DataFrame) -> DataFrame:
    """Between which times each pause began: after the last line, and after the last request was sent; before the
    answer of that was due.
    """
    at_latest = plus_millis("to_ts", -F.col("elapsed_ms") + ANSWER_MS)
    own_low = F.when(F.col("from_event").isNotNull(), F.col("from_ts"))
    low = F.greatest(own_low, F.when(F.col("since_low") < F.col("to_ts"), F.col("since_low")))
    collected_low = F.when(F.col("collected_ms").isNotNull(), plus_millis("to_ts", -F.col("collected_ms") - ANSWER_MS))
    high = F.least(F.coalesce("since_high", F.when(F.col("is_timed"), at_latest)), F.col("missed_ts"), F.col("to_ts"))
    return proven.withColumns(
        {"began_low": F.coalesce(F.greatest(low, collected_low), "from_ts"), "began_high": high}
    ).withColumn("began_high", F.greatest("began_low", "began_high"))


def _bounded_by_peers(proven: DataFrame, events: DataFrame, timings: DataFrame) -> DataFrame:
    """What peers tell of a pause's begin: a fetch that it left unanswered was sent just after it had answered the one
    before.
    """
    elapsed_ms = detail("time_elapsed_since_create_ms").try_cast("bigint")
    api = detail("api_key")
    open_fetches = events.where(
        (F.col("kind") == "node_inflight_cancelled") & (api == "FETCH") & F.col("broker_id").isNotNull()
    )
    sent = with_timings(open_fetches, timings, "node_id", "ts", "fetch_wait_ms").select(
        F.col("broker_id").alias("_about"),
        plus_millis("ts", -elapsed_ms - GRANULARITY_MS).alias("_sent_ts"),
        plus_millis("ts", -elapsed_ms + F.col("fetch_wait_ms") + ANSWER_MS).alias("_due_ts"),
    )
    inside = (
        (F.col("_about") == F.col("node_id"))
        & (F.col("_sent_ts") >= F.col("from_ts"))
        & (F.col("_due_ts") < F.col("to_ts"))
    )
    by_peers = (
        proven.join(sent, inside, "left")
        .groupBy(*proven.columns)
        .agg(F.min("_sent_ts").alias("_sent_ts"), F.min("_due_ts").alias("_due_ts"))
    )
    low, high = F.greatest("began_low", "_sent_ts"), F.least("began_high", "_due_ts")
    agrees = F.coalesce(low <= high, F.lit(False))
    return by_peers.withColumns(
        {
            "_low": F.when(agrees, low).otherwise(F.col("began_low")),
            "_high": F.when(agrees, high).otherwise(F.col("began_high")),
        }
    ).withColumns({"began_low": F.col("_low"), "began_high": F.col("_high")})


def _as_faults(proven: DataFrame) -> DataFrame:
    is_timed = F.col("is_timed")
    open_since_ts = plus_millis("to_ts", -F.col("elapsed_ms"))
    woke_low = plus_millis("to_ts", -ANSWER_MS)  # a client that runs sees at once that a request is overdue
    return fault_rows(
        proven,
        F.when(is_timed, "paused").otherwise("silent"),
        broker_id=F.col("node_id"),
        said=_how_it_is_known(),
        ts=F.least(F.coalesce("missed_ts", "to_ts"), F.greatest("from_ts", F.when(is_timed, open_since_ts))),
        began_low=F.col("began_low"),
        began_high=F.when(is_timed, F.col("began_high")).otherwise(F.coalesce("missed_ts", "to_ts")),
        end_ts=F.col("to_ts"),
        ended_low=F.when(is_timed, F.greatest("began_high", F.when(F.col("found_at_waking"), woke_low))),
        confidence=F.when(is_timed, 0.97).otherwise(0.5),
        unknowns=F.when(is_timed, no_texts()).otherwise(F.array(F.lit("whether_it_stood_still"))),
        evidence=joined(F.array("from_event", "to_event"), "signs"),
    )


def _how_it_is_known() -> Column:
    reason = (
        F.when(F.col("collected_ms").isNotNull(), "collected_garbage")
        .when(F.col("is_timed"), "found_time_gone")
        .when(F.col("session_lost"), "session_lost_in_silence")
        .otherwise("removed_in_silence")
    )
    has_begin = F.col("from_event").isNotNull()
    return statement(
        reason,
        node="node_id",
        at_from=F.when(has_begin, F.col("from_ts")),
        at_to="to_ts",
        at_begin=F.when(~has_begin, F.col("to_ts")),
        elapsed_ms="elapsed_ms",
        limit_ms=F.col("limit_ms").cast("bigint"),
        collected_ms="collected_ms",
    )
