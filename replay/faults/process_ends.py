"""Processes that ended: without a word (F01), or in order (F02)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.connections import broken_connections
from replay.columns.evidence import AT_MOST, joined
from replay.columns.times import millis, plus_millis
from replay.faults.rows import fault_rows, no_texts
from replay.sentences import statement

QUOTED = 300  # so many characters of what a process said as it stopped itself
AT_ONCE_MS = 5_000  # processes that died this near one another may have died of one thing
MISSED_WITHIN_MS = 1_000  # facts §6.1, R1: a kernel closes a dead process's connections, and who waits on one sees it
SEARCHED_MS = 600_000  # an end is looked for so long after a last line
RETRIED_WITHIN_MS = 30_000  # replica.socket.timeout.ms: a peer that cannot reach a broker tries and fails this often
MISSED_LATE_MS = 60_000  # a session may be told as lost, and peers go on refusing, this long after


def killed(events: DataFrame, processes: DataFrame, sessions: DataFrame) -> DataFrame:
    """F01: a process that ended without a word. Returns `FAULTS`.

    Its files stop in mid-flow and its next life finds no clean-shutdown marker, or peers see their connections to it
    closed and refused. One that does not come back, and whose sockets stay open as far as these logs tell, may as well
    stand still (facts §5, F04): it only fell `silent` (F00).
    """
    ends = _ends_with_first_error(_ends_without_a_word(processes, sessions), events).transform(_with_kind_and_times)
    return fault_rows(
        _with_nodes_lost_at_once(ends),
        F.col("kind"),
        broker_id=F.col("node_id"),
        said=_how_it_ended(),
        began_low=F.col("began_low"),
        end_ts=F.col("next_start_ts"),
        confidence=F.when(F.col("is_silent"), 0.5)
        .when(F.col("next_start_event").isNull(), 0.7)
        .when(F.col("recovered_event").isNotNull(), 0.98)
        .otherwise(0.9),
        unknowns=F.when(F.col("is_silent"), F.array(F.lit("whether_it_died")))
        .when(F.col("error_ts").isNull(), F.array(F.lit("when_it_died")))
        .otherwise(no_texts()),
        evidence=joined(
            F.array("last_event", "error_event", "fatal_event"),
            "session_evidence",
            F.array("next_start_event", "recovered_event"),
        ),
    )


def _ends_without_a_word(processes: DataFrame, sessions: DataFrame) -> DataFrame:
    """The lives that ended killed or by a fatal error, or whose session was lost after their last line: with
    `lost_ts`, `session_evidence`.
    """
    proves_end = F.col("start_ts").isNotNull() & (F.size("evidence") > 1)
    lost = sessions.where(F.col("ended_by") == "crash").select(
        F.col("broker_id").alias("node_id"),
        F.col("end_ts").alias("lost_ts"),
        F.when(proves_end, F.slice("evidence", 2, AT_MOST)).otherwise(F.col("evidence")).alias("session_evidence"),
    )
    latest = plus_millis(F.coalesce("next_start_ts", "lost_ts"), MISSED_LATE_MS)
    of_this_life = F.col("lost_ts").isNull() | ((F.col("lost_ts") > F.col("last_ts")) & (F.col("lost_ts") <= latest))
    ended = F.col("ended").isin("killed", "fatal")
    missed = F.col("ended").isNull() & F.col("lost_ts").isNotNull()
    return processes.join(lost, "node_id", "left").where(of_this_life).where(ended | missed)


def _ends_with_first_error(ends: DataFrame, events: DataFrame) -> DataFrame:
    """`ends`, one row a life, with the first error of a peer after its last line: `error_ts`, `error_event`, and
    whether any was of a closed connection. A peer that could not reach it before (a cut link) notices no death.
    """
    until = F.coalesce(
        F.least("next_start_ts", plus_millis("last_ts", SEARCHED_MS)), plus_millis("lost_ts", MISSED_LATE_MS)
    )
    errors = _with_failing_since(broken_connections(events)).select(
        F.col("peer_id").alias("_peer"),
        F.col("ts").alias("_ts"),
        F.col("event_id").alias("_event"),
        F.col("closed").alias("_closed"),
        F.col("failing_since").alias("_since"),
    )
    reached_it = (F.col("_since") > plus_millis("last_ts", -MISSED_WITHIN_MS)) | (F.col("_since") <= F.col("start_ts"))
    about_it = (
        (F.col("node_id") == F.col("_peer"))
        & (F.col("_ts") > F.col("last_ts"))
        & (F.col("_ts") <= F.col("_until"))
        & F.coalesce(reached_it, F.lit(False))
    )
    whole = [name for name in ends.columns if name not in ("lost_ts", "session_evidence")]
    first_closed = F.min(F.when(F.col("_closed"), F.col("_ts")))
    return (
        ends.withColumn("_until", until)
        .join(errors, about_it, "left")
        .groupBy(*whole)
        .agg(
            F.min("_ts").alias("error_ts"),
            F.min(F.struct("_ts", "_event"))["_event"].alias("error_event"),
            first_closed.alias("closed_ts"),
            F.min("lost_ts").alias("lost_ts"),
            F.first("session_evidence", True).alias("session_evidence"),
        )
    )


def _with_failing_since(broken: DataFrame) -> DataFrame:
    """`broken_connections` with `failing_since`: when the row of failures began in which a node's tries to reach a peer
    follow each other by at most `RETRIED_WITHIN_MS`.
    """
    of_pair = Window.partitionBy("node_id", "peer_id").orderBy("ts", "event_id")
    breaks = F.coalesce(millis("ts", F.lag("ts").over(of_pair)) > RETRIED_WITHIN_MS, F.lit(True))
    begun = F.when(breaks, F.col("ts"))
    return broken.withColumn("_begun", begun).withColumn("failing_since", F.last("_begun", True).over(of_pair))


def _with_kind_and_times(ends: DataFrame) -> DataFrame:
    """Kind, first proof and bounds. A peer that finds its connection closed dates a death to within
    `MISSED_WITHIN_MS`; a new start proves the end before it, also where the old session still runs.
    """
    is_silent = F.col("ended").isNull() & F.col("closed_ts").isNull()
    is_fatal = F.col("ended") == "fatal"
    missed_ts = F.least("error_ts", "lost_ts")
    first_proof = F.coalesce(F.least(missed_ts, F.col("next_start_ts")), "last_ts")
    at_once = F.when(F.col("closed_ts") == first_proof, plus_millis("closed_ts", -MISSED_WITHIN_MS))
    return ends.withColumns(
        {
            "is_silent": is_silent,
            "kind": F.when(is_fatal, "halted").when(is_silent, "silent").otherwise("killed"),
            "missed_ts": missed_ts,
            "ts": F.when(is_fatal, F.col("last_ts")).otherwise(first_proof),
            "began_low": F.when(is_fatal, F.col("last_ts")).otherwise(F.greatest("last_ts", at_once)),
        }
    )


def _with_nodes_lost_at_once(ends: DataFrame) -> DataFrame:
    """`ends` with `lost_at_once`: the other nodes that died within `AT_ONCE_MS`; what they share (host, rack, power)
    no line of theirs tells.
    """
    died_ms = F.unix_millis(F.coalesce("missed_ts", "last_ts"))
    at_once = Window.orderBy(died_ms).rangeBetween(-AT_ONCE_MS, AT_ONCE_MS)
    died = F.collect_set(F.when(~F.col("is_silent"), F.col("node_id"))).over(at_once)
    return ends.withColumn("lost_at_once", F.array_sort(F.array_remove(died, F.col("node_id"))))


def _how_it_ended() -> Column:
    is_long = F.length("fatal_said") > QUOTED
    quoted = F.when(is_long, F.concat(F.left("fatal_said", F.lit(QUOTED)), F.lit("…"))).otherwise(F.col("fatal_said"))
    others = F.when(~F.col("is_silent") & (F.size("lost_at_once") > 0), F.col("lost_at_once"))
    return statement(
        F.when(F.col("fatal_event").isNotNull(), "stopped_itself_after_error").otherwise("ended_without_shutdown"),
        node="node_id",
        at_last="last_ts",
        quoted=quoted,
        at_error="error_ts",
        recovered=F.when(F.col("recovered_event").isNotNull(), F.lit("yes")),
        silent=F.when(F.col("is_silent"), F.lit("yes")),
        gone=F.when(~F.col("is_silent") & F.col("next_start_ts").isNull(), F.lit("yes")),
        all_at_once=others,
    )


def stopped(processes: DataFrame) -> DataFrame:
    """F02: an ordered stop, announced in the broker's own files, or proven by the clean-shutdown marker of the next start. Returns `FAULTS`.

    One that did not get to its last line, and whose next life found no such marker, was killed before it was done
    (`stop_cut_short`): whoever stops brokers there waits less than a shutdown takes (`terminationGracePeriodSeconds`,
    `TimeoutStopSec`).
    """
    is_seen = F.col("ended") == "stopped"
    not_done = F.col("stopped_event").isNull() & F.col("gave_up_event").isNull()
    cut_short = is_seen & not_done & F.col("recovered_event").isNotNull()
    began_ts = F.coalesce("stop_ts", "last_ts")
    return fault_rows(
        processes.where(F.col("ended").isin("stopped", "stopped_unseen")).withColumns(
            {"is_seen": is_seen, "cut_short": cut_short}
        ),
        F.when(F.col("cut_short"), "stop_cut_short").otherwise("stopped"),
        broker_id=F.col("node_id"),
        said=_how_it_stopped(),
        ts=began_ts,
        began_low=began_ts,
        end_ts=F.coalesce("next_start_ts", "last_ts"),
        confidence=F.when(F.col("cut_short"), 0.9).when(F.col("is_seen"), 0.98).otherwise(0.8),
        unknowns=F.when(F.col("is_seen"), no_texts()).otherwise(F.array(F.lit("when_its_stop_began"))),
        evidence=joined(
            F.array("stop_event", "gave_up_event", "stopped_event"),
            F.when(F.col("cut_short"), F.array("last_event")),
            F.array("next_start_event", "clean_event", F.when(F.col("cut_short"), F.col("recovered_event"))),
        ),
    )


def _how_it_stopped() -> Column:
    reason = (
        F.when(F.col("cut_short"), "stop_was_cut_short")
        .when(F.col("is_seen"), "told_to_stop")
        .otherwise("stopped_unseen")
    )
    return statement(
        reason,
        node="node_id",
        at_stop="stop_ts",
        at_last="last_ts",
        gave_up=F.when(F.col("gave_up_event").isNotNull(), F.lit("yes")),
        at_start="next_start_ts",
    )
