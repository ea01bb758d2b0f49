"""What went wrong on a broker, a disk or the network: the happenings that causes are sought among.

One function a fault of the taxonomy (facts §5), each telling it from its look-alikes by the discriminators of §5.1. A fault
is physical (process, disk, network, clock) or an operator's act; what the controller does about it is in `causality`.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.connections import broken_connections
from replay.evidence import detail, evidence_of, joined, millis, plus_millis
from replay.migration import migration
from replay.processes import CLEAN_START, STARTS, UNCLEAN_START
from replay.resting import Rest, going_on
from replay.second_processes import refused_as_duplicate
from replay.unheard import unheard
from replay.windows import after, so_far
from replay.words import clock, counted, named

# Of each fault: `ts` is the first proof of it, `t0_low` the last proof of health before.
COLUMNS = {
    "fault_id": "string", "kind": "string", "code": "string", "broker_id": "int", "ts": "timestamp", "t0_low": "timestamp", "end_ts": "timestamp",
    "confidence": "double", "because": "string", "blind_spots": "array<string>", "partitions": "array<string>", "evidence": "array<string>",
}  # fmt: skip

_SILENCE_MS = 3_000
_ROLES_LATE_MS = 2_000  # a broker applies what controllers decided within this
_AFTER_WAKING_MS = 3_000
_STARTING_MS = 5_000  # the first lines of a process come before the one that says it starts
_WITHOUT_ZOOKEEPER_MS = 3_000  # a client whose ensemble is well is connected again in 1 to 2 s
_LEAP_MS = 5_000  # how well the time and size of a clock's step are known
_TERMINATED = 5  # connections that end while they authenticate, without a reason, are a peer that dies if they are few
_QUOTED = 300  # so much of what a process said as it stopped itself
_AT_ONCE_MS = 5_000  # processes that were missed, or ended, this near one another may have died of one thing
_LAG_MS = 45_000  # a leader drops a follower 1 to 1.5 times `replica.lag.time.max.ms` after it last kept up
_CUT_OR_STALLED = "a network cut and a leader whose disk or threads stall look alike here: its own request timeouts or the host's network counters would tell"
_WHY_SLOW = "why it lagged (disk, throttle, load, short pauses) is not in these logs"
# Stated faults in which a broker lives on and its replication does not; a leader's clock that is set forward makes all its followers late.
_STOPS_REPLICATION = ("out_of_memory", "authentication_failed", "log_dir_failed", "fetcher_died", "clock_stepped")
_ZOOKEEPER_LOST = ("zk_client_disconnected", "zk_client_timeout")


def outages(events: DataFrame, processes: DataFrame, sessions: DataFrame, pauses: DataFrame, rest: Rest = going_on) -> DataFrame:
    """Processes that ended, stood still or lost their session: F01, F02, F04 (`pauses`, of `paused`), F06, F07, F12; of nodes that have no line of it, what others tell."""
    rows = _fault(unheard(events, processes, sessions, rest), F.col("kind"), F.col("code"), blind_spots=F.col("blind_spots"))
    own_word = pauses.select(F.col("broker_id").alias("_paused"), F.col("t0_low").alias("_from"), F.col("end_ts").alias("_to"))
    rows = rows.join(F.broadcast(own_word), (F.col("broker_id") == F.col("_paused")) & F.col("ts").between(F.col("_from"), F.col("_to")), "left_anti")
    for more in (killed(events, processes, sessions), stopped(processes), pauses, cut_off(events, sessions, pauses)):
        rows = rows.unionByName(more)
    return rows


def out_of_touch(events: DataFrame, known: DataFrame) -> DataFrame:
    """Nodes without ZooKeeper or without the other voters, where no `known` fault of theirs tells more of it: F07, F10."""
    found = zookeeper_lost(events).unionByName(voters_cut_off(events))
    explained = (F.col("broker_id") == F.col("_fault_broker")) & (F.col("ts") <= F.col("_to")) & (F.coalesce("end_ts", "ts") >= F.col("_from"))
    return found.join(F.broadcast(_explaining(known, F.col("ts"))), explained, "left_anti")


def _explaining(known: DataFrame, open_until: Column, lasting_ms: int = 15_000) -> DataFrame:
    """`_fault_broker, _from, _to`: the times in which a known fault explains what else befalls its broker, and `lasting_ms` after it; one without an end lasts `open_until`."""
    return known.where(F.col("kind") != "stopped").select(
        F.col("broker_id").alias("_fault_broker"),
        plus_millis(F.coalesce("t0_low", "ts"), -5_000).alias("_from"),
        plus_millis(F.coalesce(F.col("end_ts"), open_until), lasting_ms).alias("_to"),
    )


def stated(events: DataFrame, processes: DataFrame, steps: DataFrame | None = None) -> DataFrame:
    """Faults that a node's own lines state outright, and clocks that were set."""
    rows = log_dirs_failed(events, processes)
    for more in (
        authentication_failed(events),
        out_of_memory(events),
        isr_updates_stuck(events),
        fetchers_died(events),
        registration_refused(events),
        reassigned(events),
        topics_deleted(events),
        quorum_lost(events),
        metadata_version_changed(events, processes),
        migrated(events),
        log_dirs_empty(events),
    ):
        rows = rows.unionByName(more)
    return rows if steps is None else rows.unionByName(clocks_stepped(steps))


def clocks_stepped(steps: DataFrame) -> DataFrame:
    """F21: a node's clock that was set while it ran; an hour of daylight saving is no fault."""
    return _fault(
        steps.where(F.col("cause") == "clock_set"),
        "clock_stepped",
        "F21",
        broker_id=F.col("node_id"),
        t0_low=F.col("last_ts"),
        end_ts=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.format_string("the clock of node %d was set %s by %d ms", F.col("node_id"), F.when(F.col("step_ms") < 0, "back").otherwise("forward"), F.abs("step_ms").cast("bigint")),
    )


def _fault(rows: DataFrame, kind: str | Column, code: str | Column, **given: Column) -> DataFrame:
    """Rows in the shape of `COLUMNS`; the id is made of kind, broker and time."""
    columns = {
        "kind": F.lit(kind) if isinstance(kind, str) else kind,
        "code": F.lit(code) if isinstance(code, str) else code,
        "blind_spots": F.array(),
        "partitions": F.array(),
        **given,
    }
    named = rows.select(*[columns.get(name, F.col(name) if name in rows.columns else F.lit(None)).cast(type_).alias(name)
                          for name, type_ in COLUMNS.items() if name != "fault_id"])  # fmt: skip
    stamp = F.date_format("ts", "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'")
    return named.withColumn("fault_id", F.concat_ws("/", "kind", F.col("broker_id").cast("string"), stamp)).select(*COLUMNS)


def killed(events: DataFrame, processes: DataFrame, sessions: DataFrame) -> DataFrame:
    """F01: a process that ended without a word: its files stop in mid-flow and the next life has no clean mark, or peers see their connections to it closed and refused.

    One that does not come back in these logs, and whose sockets stay open as far as they tell, may as well stand still (facts, F04): it only fell `silent` (F00).
    Of several that went silent together each says so: what they share (host, rack, power) no line of theirs tells.
    """
    gone = (
        processes.join(
            sessions.where(F.col("ended_by") == "crash").select(F.col("broker_id").alias("node_id"), F.col("end_ts").alias("_lost_ts"), F.col("evidence").alias("_lost")),
            "node_id",
            "left",
        )
        .where(F.col("_lost_ts").isNull() | ((F.col("_lost_ts") > F.col("last_ts")) & (F.col("_lost_ts") <= F.expr("coalesce(next_start_ts, _lost_ts) + interval 60 seconds"))))
        .where(F.col("ended").isin("killed", "fatal") | (F.col("ended").isNull() & F.col("_lost_ts").isNotNull()))
        .withColumn("_until", F.coalesce(F.least("next_start_ts", plus_millis("last_ts", 600_000)), plus_millis("_lost_ts", 60_000)))
    )
    told = broken_connections(events).select(F.col("peer_id").alias("_peer"), F.col("ts").alias("_told_ts"), F.col("event_id").alias("_told"), F.col("closed").alias("_closed"))
    witnessed = gone.join(told, (F.col("node_id") == F.col("_peer")) & (F.col("_told_ts") > F.col("last_ts")) & (F.col("_told_ts") <= F.col("_until")), "left")
    first = witnessed.groupBy("node_id", "life", "last_ts", "last_event", "next_start_ts", "next_start_event", "recovered_event", "fatal_event", "fatal_said", "ended").agg(
        F.min("_told_ts").alias("_told_ts"), F.min_by("_told", "_told_ts").alias("_told"), F.min("_lost_ts").alias("_lost_ts"), F.first("_lost", True).alias("_lost"),
        F.coalesce(F.bool_or("_closed"), F.lit(False)).alias("_closed"),
    )
    silent = F.col("ended").isNull() & ~F.col("_closed")
    missed = F.least("_told_ts", "_lost_ts")
    at_once = Window.orderBy(F.unix_millis(F.coalesce(missed, "last_ts"))).rangeBetween(-_AT_ONCE_MS, _AT_ONCE_MS)
    first = first.withColumn("_others", F.array_sort(F.array_remove(F.collect_set(F.when(~silent, F.col("node_id"))).over(at_once), F.col("node_id"))))
    open_ended = F.lit("; no line tells that its connections were closed or refused, and the logs end before it comes back, if it does: it died, stands still or is cut off")
    ts = F.coalesce(missed, "next_start_ts", "last_ts")
    return _fault(
        first,
        F.when(F.col("ended") == "fatal", "halted").when(silent, "silent").otherwise("killed"),
        F.when(silent, "F00").otherwise("F01"),
        broker_id=F.col("node_id"),
        ts=F.when(F.col("ended") == "fatal", F.col("last_ts")).otherwise(ts),
        t0_low=F.col("last_ts"),
        end_ts=F.col("next_start_ts"),
        confidence=F.when(silent, 0.5).when(F.col("next_start_event").isNull(), 0.7).when(F.col("recovered_event").isNotNull(), 0.98).otherwise(0.9),
        because=F.concat(
            F.format_string("node %d %s (last line %s)", F.col("node_id"), F.when(F.col("fatal_event").isNotNull(), "stopped itself after a fatal error").otherwise("ended without a shutdown line"), clock("last_ts")),
            F.coalesce(F.concat(F.lit(': "'), F.when(F.length("fatal_said") > _QUOTED, F.concat(F.left("fatal_said", F.lit(_QUOTED)), F.lit("…"))).otherwise(F.col("fatal_said")), F.lit('"')), F.lit("")),
            F.when(F.col("_told_ts").isNotNull(), F.format_string("; first error of a peer towards it %s", clock("_told_ts"))).otherwise(""),
            F.when(F.col("recovered_event").isNotNull(), "; its next start found no clean shutdown mark and recovered its logs").otherwise(""),
            F.when(silent, open_ended).when(F.col("next_start_ts").isNull(), "; it did not come back in these logs").otherwise(""),
            F.when(~silent & (F.size("_others") > 0), F.concat(F.lit("; "), named("_others", "node"), F.lit(f" went silent within {_AT_ONCE_MS // 1_000} s of it: look for what they share"))).otherwise(""),
        ),
        blind_spots=F.when(silent, F.array(F.lit("whether it died, stands still or is cut off: its own later lines would tell, or what its peers meet when they connect")))
        .when(F.col("_told_ts").isNull(), F.array(F.lit("no peer tells when it went silent: the time of death is only known between its last line and the next proof")))
        .otherwise(F.array()),
        evidence=joined(_present("last_event", "_told", "fatal_event", "next_start_event", "recovered_event"), "_lost"),
    )


def stopped(processes: DataFrame) -> DataFrame:
    """F02: an ordered stop, announced in the broker's own files, or left unseen and proven by the clean-shutdown mark that the next start found."""
    seen = F.col("ended") == "stopped"
    return _fault(
        processes.where(F.col("ended").isin("stopped", "stopped_unseen")),
        "stopped",
        "F02",
        broker_id=F.col("node_id"),
        ts=F.coalesce("stop_ts", "last_ts"),
        t0_low=F.coalesce("stop_ts", "last_ts"),
        end_ts=F.coalesce("next_start_ts", "last_ts"),
        confidence=F.when(seen, 0.98).otherwise(0.8),
        because=F.concat(
            F.when(seen, F.format_string("node %d was told to stop at %s", "node_id", clock("stop_ts"))).otherwise(
                F.format_string("node %d was stopped in order after its last line at %s: its next start found the mark of a clean shutdown", "node_id", clock("last_ts"))
            ),
            F.when(F.col("gave_up_event").isNotNull(), "; its controlled shutdown failed and it stopped uncleanly").otherwise(""),
            F.when(F.col("next_start_ts").isNotNull(), F.format_string("; it was started again at %s", clock("next_start_ts"))).otherwise(""),
        ),
        blind_spots=F.when(seen, F.array()).otherwise(F.array(F.lit("the lines of the stop itself are missing: when it began is not known"))),
        evidence=_present("stop_event", "gave_up_event", "stopped_event", "next_start_event", "clean_event"),
    )


def silences(events: DataFrame) -> DataFrame:
    """`node_id, from_ts, to_ts, from_event, to_event`: times in which none of a node's files has a line, within one life of its process."""
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull())
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    return (
        own.select(
            "node_id",
            F.lag("ts").over(node).alias("from_ts"),
            F.col("ts").alias("to_ts"),
            F.lag("event_id").over(node).alias("from_event"),
            F.col("event_id").alias("to_event"),
            "kind",
        )
        .where((millis("to_ts", "from_ts") >= _SILENCE_MS) & ~F.col("kind").isin("process_start_line", "process_signal_registered", "broker_starting"))
        .drop("kind")
    )


def _before_its_files(events: DataFrame) -> DataFrame:
    """In the shape of `silences`, without a line at its beginning: of each node whose files begin in mid-flow the time of which only others' lines are here."""
    all_began = events.agg(F.min("ts").alias("from_ts"))
    begun = _begun_unseen(events).crossJoin(F.broadcast(all_began)).where(millis("_begun_ts", "from_ts") >= _SILENCE_MS)
    return begun.select(F.col("_node").alias("node_id"), "from_ts", F.col("_begun_ts").alias("to_ts"), F.lit(None).cast("string").alias("from_event"), F.col("_begun_event").alias("to_event"))


def paused(events: DataFrame, sessions: DataFrame, steps: DataFrame | None = None) -> DataFrame:
    """F04: a process that stood still (garbage collection, virtual machine, SIGSTOP) and went on.

    A silent gap alone proves nothing. Proof is an elapsed time far above its timeout in the first lines after it. A session that
    timed out inside the gap, or a removal from the ISR inside it that the broker learns of only at its end, would prove it too if
    no line could be missing; as files have holes, such a node only fell `silent` (F00): it stood still, or its lines are not here.
    A garbage-collection log that is among the input tells of the pause itself, and of its cause. A clock that is set forward (`steps`) makes
    elapsed times that never passed. Where a node's files begin as it wakes, nothing but such a time tells of the pause.
    """
    gaps = silences(events).unionByName(_before_its_files(events)).withColumn("_until", plus_millis("to_ts", _AFTER_WAKING_MS))
    elapsed = F.coalesce(detail("time_elapsed_since_create_ms"), detail("elapsed_ms")).try_cast("bigint")
    session_ms = F.coalesce(F.col("_session_ms"), F.lit(18_000))
    limit = F.when(F.col("kind") == "node_inflight_cancelled", detail("request_timeout_ms").try_cast("bigint")).when(F.col("_connecting"), session_ms).otherwise(session_ms * 2 / 3)
    # A ZooKeeper client waits two thirds of its session for a server it is connected to, all of it for one that takes its connection and says nothing.
    of_request = F.col("kind") == "node_inflight_cancelled"
    in_order = Window.partitionBy("node_id", of_request).orderBy("ts", "event_id")
    connecting = F.coalesce(F.lag("kind").over(in_order).isin(*_ZOOKEEPER_LOST), F.lit(False))
    negotiated = events.where(F.col("kind") == "zk_session_connected").groupBy("node_id").agg(F.max(detail("timeout_ms").try_cast("bigint")).alias("_session_ms"))
    proofs = (
        events.where(of_request | F.col("kind").isin(*_ZOOKEEPER_LOST, "zk_session_connected"))
        .withColumn("_connecting", connecting)
        .where(F.col("kind").isin("node_inflight_cancelled", "zk_client_timeout") & elapsed.isNotNull())
        .join(F.broadcast(negotiated), "node_id", "left")
        .withColumns({"_elapsed": elapsed, "_limit": limit})
        .where(F.col("_elapsed") > F.col("_limit") * 1.2 + 2_000)
        .select("node_id", F.col("ts").alias("_ts"), "_elapsed", "_limit", F.col("event_id").alias("_proof"), F.lit("elapsed").alias("_how"))
    )
    proofs = proofs.unionByName(_resigned_late(events), allowMissingColumns=True)
    if steps is not None:
        leaps = steps.where((F.col("cause") == "clock_set") & (F.col("step_ms") > 0)).select(F.col("node_id").alias("_leapt"), "last_ts", F.col("ts").alias("_leap_ts"), "step_ms")
        leapt = (F.col("node_id") == F.col("_leapt")) & (F.col("_elapsed") > F.col("step_ms") - _LEAP_MS) & F.col("_ts").between(F.col("last_ts"), plus_millis("_leap_ts", F.col("_limit")))
        proofs = proofs.join(F.broadcast(leaps), leapt, "left_anti")
    lost = sessions.where(F.col("ended_by") == "session_timeout").select(
        F.col("broker_id").alias("node_id"), F.col("end_ts").alias("_ts"), F.element_at("evidence", -1).alias("_proof"), F.lit("lost").alias("_how")
    )
    # A leader that was itself asleep, cut off or out of memory drops healthy followers: its word proves nothing.
    of_no_memory = out_of_memory(events).select(F.col("broker_id").alias("_doubtful"), F.col("ts").alias("_from"), plus_millis("end_ts", 120_000).alias("_to"))
    doubtful = sessions.where(F.col("ended_by") == "session_timeout").select(
        F.col("broker_id").alias("_doubtful"), F.expr("end_ts - interval 60 seconds").alias("_from"), F.expr("end_ts + interval 120 seconds").alias("_to")
    ).unionByName(of_no_memory)
    # So does that of one that drops several at once: it may be the one that is cut off.
    removed = (
        events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull())
        .withColumn("_removed", F.array_except(_int_list(detail("old_isr")), "isr"))
        .where(F.size("_removed") == 1)
        .select(F.get("_removed", F.lit(0)).alias("node_id"), F.col("node_id").alias("_leader"), F.col("ts").alias("_ts"), F.col("event_id").alias("_proof"))
        .where(F.col("node_id") != F.col("_leader"))
        .join(doubtful, (F.col("_leader") == F.col("_doubtful")) & F.col("_ts").between(F.col("_from"), F.col("_to")), "left_anti")
        .select("node_id", "_ts", "_proof", F.lit("removed").alias("_how"))
    )
    collected = (
        events.where(F.col("kind").isin("gc_pause", "jvm_safepoint"))
        .select("node_id", F.col("ts").alias("_ts"), detail("duration_ms").try_cast("double").cast("bigint").alias("_elapsed"), F.col("event_id").alias("_proof"), F.lit("collected").alias("_how"))
        .where(F.col("_elapsed") >= _SILENCE_MS)
    )
    proofs = proofs.unionByName(collected, allowMissingColumns=True)
    found = proofs.unionByName(lost, allowMissingColumns=True).unionByName(removed, allowMissingColumns=True)
    inside = (F.col("_ts") > plus_millis("from_ts", 1_000)) & (F.col("_ts") < F.col("to_ts"))
    at_waking = F.coalesce(F.col("_since_ts") > F.col("from_ts"), F.lit(True)) & (F.col("_ts") >= F.col("to_ts")) & (F.col("_ts") <= F.col("_until")) & (plus_millis("_ts", -F.col("_elapsed") + F.col("_limit")) < F.col("to_ts"))
    during = (F.col("_ts") > plus_millis("from_ts", _SILENCE_MS - 1_000)) & (F.col("_ts") <= F.col("_until"))
    long_enough = F.col("from_event").isNotNull() & (millis("to_ts", "from_ts") >= 8_000)
    told_late = _learned_late(events)
    proven = (
        gaps.join(found, "node_id")
        .where(F.when(F.col("_how") == "elapsed", at_waking).when(F.col("_how") == "collected", during).otherwise(inside & long_enough))
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
    return _fault(
        proven,
        F.when(F.col("_by_elapsed"), "paused").otherwise("silent"),
        F.when(F.col("_by_elapsed"), "F04").otherwise("F00"),
        broker_id=F.col("node_id"),
        ts=F.least(F.coalesce("_noticed_ts", "to_ts"), began),
        t0_low=F.when(F.col("from_event").isNull(), began).otherwise(F.col("from_ts")),
        end_ts=F.col("to_ts"),
        confidence=F.when(F.col("_by_elapsed"), 0.97).otherwise(0.5),
        because=F.concat(
            F.when(F.col("from_event").isNull(), F.format_string("the files of node %d begin at %s, without a start", "node_id", clock("to_ts")))
            .otherwise(F.format_string("no file of node %d has a line between %s and %s, and it went on without a start", "node_id", clock("from_ts"), clock("to_ts"))),
            F.when(F.col("_collected_ms").isNotNull(), F.format_string("; its garbage-collection log tells of a pause of %d ms in that time", "_collected_ms"))
            .when(
                F.col("_by_elapsed"),
                F.format_string("; on waking it found %d ms gone where at most %d ms may pass, so nothing ran in it", "_elapsed", F.col("_limit").cast("bigint")),
            )
            .when(F.col("_by_loss"), "; its session timed out in that silence")
            .otherwise("; leaders removed it from their ISRs in that silence and it learned of that only at the end"),
        ),
        blind_spots=F.when(F.col("_by_elapsed"), F.array()).otherwise(
            F.array(F.lit("no elapsed time is printed at its end: whether it stood still, was cut off, or lines are missing from its files would be told by its garbage-collection log, the host's own log, or the rest of its files"))
        ),
        evidence=joined(_present("from_event", "to_event"), "_proofs"),
    )


def _resigned_late(events: DataFrame) -> DataFrame:
    """Elapsed times of active controllers: from the election of another to where it finds, itself, that no majority of voters fetched from it.

    One that is cut off and runs finds that within `controller.quorum.fetch.timeout.ms` and half as much again (`LeaderState`, from 3.7).
    """
    leads = events.where((F.col("kind") == "raft_transition") & F.contains("message", F.lit("Completed transition to Leader"))).select(F.col("node_id").alias("_leader"), F.col("ts").alias("_led_ts"))
    found = events.where(F.col("kind") == "raft_check_quorum_lost").select(
        "node_id", F.col("ts").alias("_ts"), detail("check_quorum_timeout_ms").try_cast("bigint").alias("_limit"), F.col("event_id").alias("_proof"), F.lit("elapsed").alias("_how")
    )
    own = F.max(F.when(F.col("_leader") == F.col("node_id"), F.col("_led_ts")))
    others = F.collect_list(F.when(F.col("_leader") != F.col("node_id"), F.col("_led_ts")))
    near = found.join(F.broadcast(leads), (F.col("_led_ts") < F.col("_ts")) & (F.col("_led_ts") > plus_millis("_ts", -600_000))).groupBy(*found.columns).agg(own.alias("_own_ts"), others.alias("_others"))
    since = F.array_min(F.filter("_others", lambda ts: F.coalesce(ts > F.col("_own_ts"), F.lit(True))))
    late = near.withColumn("_since_ts", since).withColumn("_elapsed", millis("_ts", "_since_ts"))
    return late.where(F.col("_elapsed") > F.col("_limit") * 1.5 + 2_000).drop("_own_ts", "_others")


def _learned_late(events: DataFrame) -> DataFrame:
    """`node_id, _late_ts`: times at which a broker's fetchers or Raft client find that the world went on without them."""
    return events.where(F.col("kind").isin("fetch_fenced_epoch", "raft_become_candidate", "raft_transition", "node_request_timeout")).select("node_id", F.col("ts").alias("_late_ts"))


def cut_off(events: DataFrame, sessions: DataFrame, pauses: DataFrame) -> DataFrame:
    """F06, F07, F12: a session that timed out while its broker ran on: its own lines say what it could not reach.

    ZooKeeper client timeouts: F07. Failing heartbeats to the controllers: F06; lines of broken fetches between it and its peers
    say that those were cut too (F05). Neither: the controller fenced a healthy broker (F12).
    """
    alive = sessions.where(F.col("ended_by") == "session_timeout").withColumn("_session", F.monotonically_increasing_id())
    standing = pauses.select("broker_id", F.col("t0_low").alias("_from"), F.col("end_ts").alias("_to"))
    lost = (
        alive.join(standing, "broker_id", "left")
        .groupBy("_session", "broker_id", "end_ts", "evidence")
        .agg(F.max(F.coalesce(F.col("end_ts").between(F.col("_from"), F.expr("_to + interval 3 seconds")), F.lit(False))).alias("_asleep"))
        .where(~F.col("_asleep"))
    )
    back = sessions.select(F.col("broker_id"), F.col("start_ts").alias("_back_ts"))
    heartbeat = F.col("kind").isin("broker_heartbeat_failed", "broker_heartbeat_retry") | (
        F.col("kind").isin("node_connect_error", "node_connect_failed", "node_inflight_cancelled", "node_request_timeout") & F.col("message").contains("name=heartbeat")
    )
    zookeeper = F.col("kind").isin(*_ZOOKEEPER_LOST, "zk_session_expired")
    peers = (F.col("kind") == "isr_shrink") | (
        F.col("kind").isin("fetch_send_error", "node_connect_error", "node_connect_failed", "node_request_timeout") & F.col("message").contains("ReplicaFetcher")
    )
    said = (
        events.where(heartbeat | zookeeper | peers)
        .select(
            F.col("node_id").alias("_node"),
            F.col("ts").alias("_ts"),
            F.col("event_id").alias("_event"),
            F.when(zookeeper, "zookeeper").when(heartbeat, "heartbeat").otherwise("peers").alias("_what"),
            F.coalesce(detail("elapsed_ms"), detail("time_elapsed_since_create_ms")).try_cast("bigint").alias("_elapsed"),
            (F.size("isr") == 1).alias("_alone"),
        )
    )
    near = lost.join(said, (F.col("_node") == F.col("broker_id")) & F.col("_ts").between(F.expr("end_ts - interval 30 seconds"), F.expr("end_ts + interval 60 seconds")), "left")
    kinds = (
        near.join(back, "broker_id", "left")
        .groupBy("_session", "broker_id", "end_ts", "evidence")
        .agg(
            F.min(F.when(F.col("_what").isin("zookeeper", "heartbeat"), F.col("_ts"))).alias("_first_ts"),
            F.min_by("_elapsed", F.when(F.col("_what").isin("zookeeper", "heartbeat"), F.col("_ts"))).alias("_elapsed"),
            F.coalesce(F.bool_or(F.col("_what") == "zookeeper"), F.lit(False)).alias("_zookeeper"),
            F.coalesce(F.bool_or(F.col("_what") == "heartbeat"), F.lit(False)).alias("_heartbeat"),
            F.coalesce(F.bool_or((F.col("_what") == "peers") & F.coalesce("_alone", F.lit(True)) & (F.col("_ts") < F.expr("end_ts + interval 40 seconds"))), F.lit(False)).alias("_peers"),
            F.min(F.when(F.col("_back_ts") > F.col("end_ts"), F.col("_back_ts"))).alias("_back_ts"),
            evidence_of("_event", "_ts").alias("_said"),
        )
    )
    code = F.when(F.col("_zookeeper"), "F07").when(F.col("_heartbeat"), "F06").otherwise("F12")
    unseen = (code == "F12") & (F.col("broker_id") == F.col("_node")) & (F.col("end_ts") < plus_millis("_begun_ts", _LAG_MS))
    kinds = kinds.join(F.broadcast(_begun_unseen(events)), unseen, "left_anti")
    first = F.coalesce(F.least("_first_ts", "end_ts"), "end_ts")
    return _fault(
        kinds,
        "cut_off",
        code,
        ts=first,
        t0_low=plus_millis(first, -F.coalesce("_elapsed", F.lit(9_000))),
        end_ts=F.coalesce("_back_ts", "end_ts"),
        confidence=F.when(F.col("_zookeeper") | F.col("_heartbeat"), 0.9).otherwise(0.6),
        because=F.concat(
            F.format_string("the session of broker %d timed out at %s although its files go on", "broker_id", clock("end_ts")),
            F.when(F.col("_zookeeper"), "; it could not reach ZooKeeper")
            .when(F.col("_heartbeat"), "; it could not reach the controllers")
            .otherwise("; none of its lines says that anything was out of reach: the controller or the broker was too slow"),
            F.when(F.col("_peers"), "; its replication with its peers was broken as well").otherwise(""),
        ),
        blind_spots=F.when(code == "F12", F.array(F.lit("no line says why heartbeats failed: the network and the load of the controller are not in these logs"))).otherwise(F.array()),
        evidence=joined("evidence", "_said"),
    )


def zookeeper_lost(events: DataFrame) -> DataFrame:
    """F07: a broker that was without ZooKeeper for a while.

    One that the controller missed is `cut_off`; but where all were without ZooKeeper there was no controller either, or all came
    back in time. Several brokers at the same time: the ensemble, or the way to it (facts §5, F07).
    """
    had_one = F.coalesce(detail("session_id") != "0x0", F.lit(True))  # 0x0: a client that has not been connected yet
    lost = F.col("kind").isin(*_ZOOKEEPER_LOST) & had_one
    found = F.col("kind").isin("zk_session_connected", *STARTS)
    told = events.where((lost | found | (F.col("kind") == "zk_session_expired")) & F.col("node_id").isNotNull() & F.col("ts").isNotNull())
    own = Window.partitionBy("node_id").orderBy("ts", "event_id")
    spells = (
        told.withColumn("_spell", F.count_if(found).over(so_far(own)))
        .withColumn("_found", F.first(F.when(found, F.struct("kind", "ts")), ignorenulls=True).over(after(own)))
        .where(~found)
        .groupBy("node_id", "_spell", "_found")
        .agg(
            F.min(F.when(lost, F.col("ts"))).alias("ts"), F.max("ts").alias("_last_ts"), F.min_by(detail("elapsed_ms").try_cast("bigint"), F.when(lost, F.col("ts"))).alias("_elapsed"),
            F.bool_or(F.col("kind") == "zk_session_expired").alias("_expired"), evidence_of().alias("evidence"),
        )
        .withColumns({"_back_ts": F.col("_found.ts"), "end_ts": F.coalesce("_found.ts", "_last_ts")})
        .where((millis("end_ts", "ts") >= _WITHOUT_ZOOKEEPER_MS) & F.coalesce(F.col("_found.kind") == "zk_session_connected", F.lit(True)))
    )  # fmt: skip
    others = spells.select(F.col("node_id").alias("_other"), F.col("ts").alias("_from"), F.col("end_ts").alias("_to"))
    together = (
        spells.join(F.broadcast(others), (F.col("_other") != F.col("node_id")) & (F.col("_from") <= F.col("end_ts")) & (F.col("_to") >= F.col("ts")), "left")
        .groupBy("node_id", "ts", "end_ts", "_back_ts", "_elapsed", "_expired", "evidence")
        .agg(F.array_sort(F.collect_set("_other")).alias("_others"))
    )
    return _fault(
        together.withColumnRenamed("node_id", "broker_id"),
        "zookeeper_lost",
        "F07",
        t0_low=plus_millis("ts", -F.coalesce("_elapsed", F.lit(0))),
        confidence=F.lit(0.9),
        because=F.concat(
            F.format_string("broker %d could not reach ZooKeeper from %s ", "broker_id", clock("ts")),
            F.when(F.col("_back_ts").isNull(), "to the end of its lines at ").otherwise("to "),
            clock("end_ts"),
            F.when(F.col("_expired"), "; its session expired").when(F.col("_back_ts").isNotNull(), ", in time for its session to go on").otherwise(""),
            F.when(F.size("_others") == 0, "").otherwise(F.concat(F.lit("; neither could "), named("_others", "broker"), F.lit(": ZooKeeper, or the way to it"))),
        ),
    )


def lagging(events: DataFrame, known: DataFrame, stated: DataFrame) -> DataFrame:
    """F05 and F13: ISRs that leaders shrank for lag, where no process, session or pause explains it, nor a `stated` fault that stops replication, nor may one that these logs begin too late to tell of.

    A broker whose leaders drop all others while other leaders drop just it is cut from its peers (F05), as are two that drop each
    other while every other leader keeps both, and one that drops all its followers at once while no other leader drops any of them; one that
    only others drop is slow (F13).
    """
    shrinks = (
        events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull() & F.col("topic").isNotNull())
        .withColumn("_removed", F.array_except(_int_list(detail("old_isr")), "isr"))
        .where(F.size("_removed") > 0)
        .select(F.col("node_id").alias("_leader"), "_removed", (F.size("isr") == 1).alias("_alone"), (F.size("_removed") > 1).alias("_several"), "ts", "event_id", F.concat_ws("-", "topic", "partition").alias("_tp"))
    )
    explained = _explaining(known, plus_millis("ts", 600_000)).unionByName(_explaining(stated.where(F.col("kind").isin(*_STOPS_REPLICATION)), F.col("ts"), _LAG_MS))
    touched = F.col("ts").between(F.col("_from"), F.col("_to")) & ((F.col("_fault_broker") == F.col("_leader")) | F.array_contains("_removed", F.col("_fault_broker")))
    # What befalls a node as its files begin may follow from what went before.
    unseen = (F.col("_leader") == F.col("_node")) & (F.col("ts") < plus_millis("_begun_ts", _LAG_MS))
    open_ = shrinks.join(F.broadcast(explained), touched, "left_anti").join(F.broadcast(_begun_unseen(events)), unseen, "left_anti")
    # A shrink tells of each follower it drops, and of the leader that drops them.
    parts = F.concat(
        F.transform("_removed", lambda removed: F.struct(removed.alias("broker_id"), F.col("_leader").alias("_by"))),
        F.array(F.struct(F.col("_leader").alias("broker_id"), F.lit(None).cast("int").alias("_by"))),
    )
    about = open_.select(F.explode(parts).alias("_part"), "_alone", "_several", "ts", "event_id", "_tp").select("_part.*", "*")
    dropped, drops_all = F.col("_by").isNotNull(), F.col("_by").isNull() & F.col("_alone")
    told = about.groupBy("broker_id").agg(
        F.count_if(dropped).alias("_dropped"),
        F.count_if(drops_all).alias("_drops_all"),
        F.count_if(drops_all & F.col("_several")).alias("_drops_all_at_once"),
        F.countDistinct("_by").alias("_leaders"),
        F.array_sort(F.collect_set("_by")).alias("_dropped_by"),
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.array_sort(F.collect_set("_tp")).alias("partitions"),
        evidence_of().alias("evidence"),
    )
    of_all, only_leader, me = Window.partitionBy(), F.when(F.size("_dropped_by") == 1, F.get("_dropped_by", F.lit(0))), F.col("broker_id")
    seen = (
        told.withColumn("_lone", F.when(F.col("_drops_all") == 0, only_leader))  # the one leader that drops it, of a broker that does not drop all others itself
        # Of two brokers that drop each other the one at fault is dropped by others while it drops all.
        .withColumn("_worst", F.min(F.when((F.col("_drops_all") > 0) & (F.col("_dropped") > 0), F.struct(-F.col("_leaders"), -F.col("_dropped"), me))).over(of_all)["broker_id"])
        # Followers that one leader alone drops, all of them at once, are not slow each by itself.
        .withColumn("_followers", F.size(F.filter(F.collect_list("_lone").over(of_all), lambda lone: lone == me)))
        .withColumn("_is_alone", (F.col("_drops_all_at_once") > 0) & (F.col("_dropped") == 0) & (F.col("_followers") > 1))
        .withColumn("_alone_ones", F.collect_set(F.when(F.col("_is_alone"), me)).over(of_all))
        .withColumn("_dropped_by_one", F.collect_set(F.when(F.col("_lone").isNotNull(), F.struct("_lone", "broker_id"))).over(of_all))
    )
    cut = F.coalesce(F.col("_worst") == me, F.lit(False))
    told_of_another = F.col("_worst").isNotNull() | F.coalesce(F.array_contains("_alone_ones", only_leader), F.lit(False))
    link = F.col("_lone").isNotNull() & F.exists("_dropped_by_one", lambda pair: (pair["_lone"] == me) & (pair["broker_id"] == F.col("_lone")))
    because = {
        "cut": F.format_string(
            "broker %d dropped all other replicas of %d partitions it leads while %d other leaders dropped it; no session ended and its files go on",
            me, "_drops_all", "_leaders",
        ),
        "alone": F.format_string(
            "broker %d dropped all other replicas of %d partitions it leads, %d brokers, and no other leader dropped any of them: its own network, disk or threads",
            me, "_drops_all_at_once", "_followers",
        ),
        "link": F.format_string(
            "brokers %d and %d dropped each other from the ISRs they lead while every other leader kept both, so neither was slow: the link between them",
            me, "_lone",
        ),
        "slow": F.format_string(
            "%s removed broker %d from %s ISRs %d times for lag while it stayed in the cluster",
            counted("_leaders", "leader"), me, F.when(F.col("_leaders") == 1, "its").otherwise("their"), "_dropped",
        ),
    }  # fmt: skip
    pattern = F.when(cut, "cut").when(F.col("_is_alone"), "alone").when((F.col("_dropped") == 0) | told_of_another, None).when(link, "link").otherwise("slow")
    found = seen.withColumn("_pattern", pattern).where(F.col("_pattern").isNotNull())
    slow = F.col("_pattern") == "slow"
    return _fault(
        found,
        F.when(slow, "slow_follower").otherwise("cut_from_peers"),
        F.when(slow, "F13").otherwise("F05"),
        t0_low=plus_millis("ts", -_LAG_MS),
        partitions=F.col("partitions"),
        confidence=_by_pattern(cut=F.lit(0.85), alone=F.lit(0.6), link=F.lit(0.8), slow=F.lit(0.75)),
        because=_by_pattern(**because),
        blind_spots=_by_pattern(cut=F.array(F.lit(_CUT_OR_STALLED)), alone=F.array(F.lit(_CUT_OR_STALLED)), link=F.array().cast("array<string>"), slow=F.array(F.lit(_WHY_SLOW))),
    )


def _by_pattern(**values: Column) -> Column:
    return F.coalesce(*[F.when(F.col("_pattern") == pattern, value) for pattern, value in values.items()])


def log_dirs_failed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F14, and F15 where the exception says that the disk is full: a log directory that its broker gave up."""
    failed = events.where(F.col("kind").isin("log_dir_failed", "log_dir_failure_begin", "log_dir_failure_fatal")).withColumn("_dir", F.coalesce(detail("dir"), detail("log_dir")))
    lives = processes.select(F.col("node_id"), "life", "first_ts", "next_start_ts", "stop_ts")
    in_life = failed.join(lives, "node_id", "left").where(
        F.col("life").isNull()
        | ((F.col("ts") >= F.col("first_ts")) & (F.col("next_start_ts").isNull() | (F.col("ts") < F.col("next_start_ts"))))
    )
    full = F.lower(F.coalesce(detail("exception"), F.lit(""))).contains("no space left")
    told = (
        in_life.where(F.col("stop_ts").isNull() | (F.col("ts") < F.col("stop_ts")))
        .groupBy("node_id", "life")
        .agg(
            F.min("ts").alias("ts"),
            F.max("next_start_ts").alias("end_ts"),
            F.array_join(F.array_sort(F.collect_set("_dir")), ", ").alias("_dirs"),
            F.bool_or(full).alias("_full"),
            F.bool_or(F.col("kind") != "log_dir_failed").alias("_given_up"),
            evidence_of().alias("evidence"),
        )
        .where("_given_up")
    )
    return _fault(
        told,
        "log_dir_failed",
        F.when(F.col("_full"), "F15").otherwise("F14"),
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.97),
        because=F.concat(
            F.format_string("broker %d stopped serving the log directory %s after an I/O error", "node_id", F.coalesce("_dirs", F.lit("(unnamed)"))),
            F.when(F.col("_full"), ": no space left on device").otherwise(""),
        ),
    )


def log_dirs_empty(events: DataFrame) -> DataFrame:
    """F14, facts §3.3 S8: a broker that held partitions, found no log at all as it started, and was given some of the same partitions again."""
    held = events.where(F.col("kind").isin("leader_start", "follower_start") & F.col("topic").isNotNull()).select("node_id", "topic", "partition", F.col("ts").alias("_role_ts"), F.col("event_id").alias("_role"))
    loaded_none = events.where((F.col("kind") == "log_manager_load_done") & (detail("num_logs") == "0")).select("node_id", "ts", "event_id")
    earlier = F.col("_role_ts") < F.col("ts")
    both = loaded_none.join(held, "node_id").groupBy("node_id", "ts", "event_id", "topic", "partition").agg(
        F.max_by("_role", F.when(earlier, F.col("_role_ts"))).alias("_was"), F.min_by("_role", F.when(~earlier, F.col("_role_ts"))).alias("_is")
    )
    told = both.where(F.col("_was").isNotNull() & F.col("_is").isNotNull()).groupBy("node_id", "ts", "event_id").agg(
        F.array_sort(F.collect_list(F.concat_ws("-", "topic", "partition"))).alias("partitions"), F.min("_was").alias("_was"), F.min("_is").alias("_is")
    )
    return _fault(
        told,
        "log_dirs_empty",
        "F14",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        end_ts=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.95),
        because=F.concat(
            F.format_string("broker %d found no log in its directories as it started, though it had held ", "node_id"), counted(F.size("partitions"), "partition"),
            F.lit(" that are still its own: the disk was replaced, emptied or not mounted, or log.dirs names another place"),
        ),
        evidence=F.array("event_id", "_was", "_is"),
    )  # fmt: skip


def authentication_failed(events: DataFrame) -> DataFrame:
    """F27: connections between nodes that TLS or SASL refuses; a node that fails with one other alone, which fails with several, tells of that one."""
    told = events.where((F.col("kind") == "node_auth_failed") & (F.col("broker_id") >= 0) & (F.col("broker_id") != F.col("node_id")))
    pairs = told.select("node_id", F.col("broker_id").alias("_peer"))
    with_whom = (
        pairs.unionByName(pairs.select(F.col("_peer").alias("node_id"), F.col("node_id").alias("_peer")))
        .groupBy("node_id")
        .agg(F.array_sort(F.collect_set("_peer")).alias("_with"))
    )
    of_peer = with_whom.select(F.col("node_id").alias("broker_id"), F.col("_with").alias("_peers_with"))
    owner = F.when((F.size("_with") == 1) & (F.size("_peers_with") > 1), F.col("broker_id")).otherwise(F.col("node_id"))
    owned = told.join(F.broadcast(with_whom), "node_id").join(F.broadcast(of_peer), "broker_id").withColumn("_owner", owner)
    own = F.col("node_id") == F.col("_owner")
    found = (
        owned.groupBy("_owner")
        .agg(
            F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.count_if(own).alias("_own"), F.count_if(~own).alias("_theirs"),
            F.array_sort(F.collect_set(F.when(own, F.col("broker_id")))).alias("_to"), F.array_sort(F.collect_set(F.when(~own, F.col("node_id")))).alias("_from"),
            F.min_by(detail("error"), F.when(detail("error").isNotNull(), F.col("ts"))).alias("_error"), evidence_of().alias("evidence"),
        )
        .where((F.col("_own") + F.col("_theirs") >= F.when(F.col("_error").isNotNull(), 2).otherwise(_TERMINATED)))
    )  # fmt: skip
    of_its_own = F.concat(counted("_own", "connection"), F.format_string(" of node %d to ", "_owner"), named("_to", "node"))
    of_theirs = F.concat(counted("_theirs", "connection"), F.lit(" of "), named("_from", "node"), F.format_string(" to node %d", "_owner"))
    return _fault(
        found,
        "authentication_failed",
        "F27",
        broker_id=F.col("_owner"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.concat(
            F.concat_ws(" and ", F.when(F.col("_own") > 0, of_its_own), F.when(F.col("_theirs") > 0, of_theirs)), F.lit(" failed authentication"),
            F.coalesce(F.concat(F.lit(' ("'), F.col("_error"), F.lit('")')), F.lit("")),
        ),
    )  # fmt: skip


def out_of_memory(events: DataFrame) -> DataFrame:
    """F26: an OutOfMemoryError in a broker's log."""
    text = F.concat_ws(" ", "message", detail("exception"))
    told = (
        events.where(F.contains(text, F.lit("java.lang.OutOfMemoryError")))
        .groupBy("node_id")
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), evidence_of().alias("evidence"))
    )
    return _fault(
        told,
        "out_of_memory",
        "F26",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.95),
        because=F.format_string("broker %d ran out of memory", "node_id"),
    )


def isr_updates_stuck(events: DataFrame) -> DataFrame:
    """F22: a leader whose ISR writes ZooKeeper refuses again and again: it works on a state that is no longer true."""
    told = (
        events.where(F.col("kind") == "isr_update_zk_version_conflict")
        .groupBy("node_id", "topic", "partition")
        .agg(F.count("*").alias("_count"), F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.min_by("event_id", "ts").alias("event_id"))
        .where(F.col("_count") >= 3)
        .groupBy("node_id")
        .agg(
            F.min("ts").alias("ts"),
            F.max("end_ts").alias("end_ts"),
            F.sum("_count").alias("_count"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            evidence_of().alias("evidence"),
        )
    )
    return _fault(
        told,
        "isr_updates_refused",
        "F22",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.9),
        because=F.format_string(
            "%d ISR writes of broker %d were refused for their zkVersion: it leads by a state that has changed behind it", "_count", "node_id"
        ),
    )


def fetchers_died(events: DataFrame) -> DataFrame:
    """F25: a replica fetcher thread that ended with an error."""
    told = (
        events.where((F.col("kind") == "thread_error") & (F.col("logger").contains("ReplicaFetcherThread") | F.col("message").contains("ReplicaFetcher")))
        .groupBy("node_id")
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), evidence_of().alias("evidence"))
    )
    return _fault(
        told,
        "fetcher_died",
        "F25",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.format_string("a replica fetcher thread of broker %d died: what it fetched falls out of the ISRs", "node_id"),
    )


def registration_refused(events: DataFrame) -> DataFrame:
    """F29: a restart that was refused because the broker's old session still ran; or (`second_process`) another process that asked for the id of one that lived on, whose lines are no node's."""
    at_path = F.regexp_extract("message", r"/brokers/ids/(\d+)", 1).try_cast("int")
    refused = events.where(refused_as_duplicate()).select(F.coalesce("node_id", "broker_id", at_path).alias("broker_id"), F.col("node_id").isNull().alias("_second"), "ts", "event_id", "source_file")
    told = refused.groupBy("broker_id", "_second").agg(
        F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.count("*").alias("_times"), F.array_sort(F.collect_set("source_file")).alias("_files"), evidence_of().alias("evidence")
    )
    second = F.col("_second")
    return _fault(
        told.where(F.col("broker_id").isNotNull()),
        F.when(second, "second_process").otherwise("registration_refused"),
        "F29",
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.when(
            second,
            F.concat(
                F.lit("while broker "), F.col("broker_id").cast("string"), F.lit(" lived on, another process asked for its id and was refused "), counted("_times", "time"), F.lit("; what it wrote ("),
                F.array_join("_files", ", "), F.lit(" and beside) is counted, and told of no node"),
            ),
        ).otherwise(F.format_string("broker %d was refused at its start until its old session had ended", "broker_id")),
    )  # fmt: skip


def reassigned(events: DataFrame) -> DataFrame:
    """F18: partitions moved to other replicas by an operator."""
    asked = events.where(
        F.col("kind").isin("kraft_reassignment_result", "kraft_reassignment_replayed", "controller_reassign_begin", "controller_reassign_assignment_updated", "controller_reassign_leader_check")
    )
    run = asked.withColumn("_gap", millis("ts", F.lag("ts").over(Window.orderBy("ts"))))
    told = (
        run.withColumn("_run", F.count_if(F.coalesce(F.col("_gap") > 60_000, F.lit(True))).over(so_far(Window.orderBy("ts", "event_id"))))
        .groupBy("_run")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("node_id", "ts").alias("broker_id"),
            F.array_sort(F.collect_set(F.when(F.col("topic").isNotNull(), F.concat_ws("-", "topic", "partition")))).alias("partitions"),
            evidence_of().alias("evidence"),
        )
    )
    return _fault(told, "reassigned", "F18", t0_low=F.col("ts"), partitions=F.col("partitions"), confidence=F.lit(0.95), because=F.lit("partitions were reassigned by request"))


def topics_deleted(events: DataFrame) -> DataFrame:
    """F19: topics deleted by request."""
    told = (
        events.where(F.col("kind").isin("kraft_topic_removed", "controller_topic_deletion_begin", "topic_deletion_completed", "kraft_delete_topics_result"))
        .withColumn("_topic", F.coalesce("topic", detail("topics_to_be_deleted"), F.lit("")))
        .where(F.col("_topic") != "")
        .groupBy("_topic")
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.min_by("node_id", "ts").alias("broker_id"), evidence_of().alias("evidence"))
    )
    return _fault(
        told, "topic_deleted", "F19", t0_low=F.col("ts"), confidence=F.lit(0.95), because=F.format_string("topic %s was deleted by request", "_topic")
    )


def metadata_version_changed(events: DataFrame, processes: DataFrame) -> DataFrame:
    """F28: the metadata version of a running cluster was changed."""
    starts = processes.where(F.col("start_ts").isNotNull()).select(F.col("node_id"), F.col("start_ts").alias("_start_ts"))
    said = events.where((F.col("kind") == "kraft_metadata_version_replayed"))
    at_start = said.join(starts, "node_id").where(F.col("ts").between(F.col("_start_ts"), F.expr("_start_ts + interval 120 seconds"))).select("event_id")
    told = (
        said.join(at_start, "event_id", "left_anti")
        .groupBy(detail("metadata_version").alias("_version"))
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.min_by("node_id", "ts").alias("broker_id"), evidence_of().alias("evidence"))
    )
    return _fault(
        told,
        "metadata_version_changed",
        "F28",
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.format_string("the metadata version was set to %s", F.coalesce("_version", F.lit("?"))),
    )


def migrated(events: DataFrame) -> DataFrame:
    """F28: the cluster went over from ZooKeeper to KRaft, or tried to."""
    return _fault(
        migration(events),
        F.when(F.col("is_stuck"), "migration_stuck").otherwise("migrated"),
        "F28",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.95),
        because=F.col("because"),
    )


_ELECTION_ATTEMPTS = ("raft_become_candidate", "raft_become_prospective", "raft_election_timeout", "raft_election_lost_votes", "raft_check_quorum_lost", "raft_reelect_after_backoff")
_QUORUM_GONE_MS = 10_000


def quorum_lost(events: DataFrame) -> DataFrame:
    """F11: voters that sought a leader for longer than an election takes, while nobody had one."""
    return _fault(
        _vain_elections(events).where("_leader is null and not _led"),
        "quorum_lost",
        "F11",
        broker_id=F.lit(None),
        t0_low=F.expr("ts - interval 5 seconds"),
        confidence=F.lit(0.9),
        because=F.concat(counted("_attempts", "attempt"), F.lit(" of "), named("_nodes", "node"), F.format_string(" to elect a controller came to nothing between %s and %s", clock("ts"), clock("end_ts"))),
    )


def voters_cut_off(events: DataFrame) -> DataFrame:
    """F10: a voter that sought a leader in vain while another one led (facts §5, F10)."""
    vain = _vain_elections(events).where(F.col("_leader").isNotNull() | F.col("_led")).withColumn("broker_id", F.explode("_nodes"))
    return _fault(
        vain,
        "voter_cut_off",
        "F10",
        t0_low=F.expr("ts - interval 5 seconds"),
        confidence=F.lit(0.8),
        because=F.concat(
            F.format_string("node %d sought a leader from %s to %s and found none", "broker_id", clock("ts"), clock("end_ts")),
            F.when(F.col("_leader").isNull(), " while the others had one").otherwise(F.format_string(" while node %d led", "_leader")),
            F.lit(": it could not reach the other voters"),
        ),
    )


def _vain_elections(events: DataFrame) -> DataFrame:
    """`ts, end_ts, _nodes, _attempts, evidence, _leader, _led`: spells longer than an election takes in which voters sought a leader.

    One voter that is cut off seeks in vain too, while the others have a leader: the last one elected (`_leader`), who seeks none and
    goes on printing lines; or brokers that take on new roles tell of one (`_led`).
    """
    elected = (F.col("kind") == "raft_transition") & F.col("message").contains("Completed transition to Leader")
    told = events.where((F.col("kind").isin(*_ELECTION_ATTEMPTS) | elected) & F.col("ts").isNotNull()).select("ts", "event_id", "node_id", elected.alias("_elected"))
    in_time = so_far(Window.orderBy("ts", "event_id"))
    spells = (
        told.withColumns({"_reign": F.count_if("_elected").over(in_time), "_by": F.last(F.when(F.col("_elected"), F.col("node_id")), ignorenulls=True).over(in_time)})
        .where(~F.col("_elected") & (F.col("_reign") > 0))
        .groupBy("_reign", "_by")
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), F.count("*").alias("_attempts"), F.array_sort(F.collect_set("node_id")).alias("_nodes"), evidence_of().alias("evidence"))
        .where(millis("end_ts", "ts") >= _QUORUM_GONE_MS)
    )
    within = F.col("_said_ts").between(plus_millis("ts", _ROLES_LATE_MS), plus_millis("end_ts", -_ROLES_LATE_MS)) & ~F.array_contains("_nodes", F.col("_said_by"))
    role, starts = F.col("kind").isin("leader_start", "follower_start"), F.col("kind").isin(*STARTS)
    said = events.where(F.col("node_id").isNotNull()).select(F.col("node_id").alias("_said_by"), F.col("ts").alias("_said_ts"), role.alias("_role"), starts.alias("_starts"))
    by_leader = F.coalesce(F.col("_said_by") == F.col("_by"), F.lit(False))
    return (
        said.join(F.broadcast(spells), within & (F.col("_role") | by_leader), "right")
        .groupBy(*spells.columns)
        .agg(F.bool_or(by_leader).alias("_speaks"), F.bool_or(by_leader & F.col("_starts")).alias("_begins"), F.coalesce(F.bool_or("_role"), F.lit(False)).alias("_led"))
        .withColumn("_leader", F.when(F.col("_speaks") & ~F.coalesce("_begins", F.lit(False)), F.col("_by")))
    )


def _begun_unseen(events: DataFrame) -> DataFrame:
    """`_node, _begun_ts, _begun_event`: nodes whose files begin in mid-flow."""
    own = events.where(F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull()).groupBy(F.col("node_id").alias("_node"))
    started = F.min(F.when(F.col("kind").isin(*STARTS, *UNCLEAN_START, *CLEAN_START), F.col("ts"))).alias("_start_ts")
    begun = own.agg(F.min("ts").alias("_begun_ts"), F.min_by("event_id", F.struct("ts", "source_file", "line_number")).alias("_begun_event"), started)
    return begun.where(F.coalesce(millis("_start_ts", "_begun_ts") > _STARTING_MS, F.lit(True))).drop("_start_ts")


def _int_list(text: Column) -> Column:
    return F.transform(F.regexp_extract_all(F.coalesce(text, F.lit("")), F.lit(r"(\d+)")), lambda i: i.cast("int"))


def _present(*events: str) -> Column:
    return F.filter(F.array(*[F.col(e) for e in events]), lambda e: e.isNotNull())
