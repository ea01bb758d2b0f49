"""The lives of each broker as the controller saw them, and the tenures of the controllers themselves."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.processes import STOP_GRANTED
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, joined
from replay.columns.times import millis, plus_millis
from replay.columns.values import number_in
from replay.reading.metadata_log import metadata_records
from replay.tables import BROKER_SESSIONS

SHUTDOWN_GRANTED = ("kraft_shutdown_granted", "kraft_shutdown_granted_immediate")
SESSION_ENDED = ("kraft_broker_session_timeout", *SHUTDOWN_GRANTED, "kraft_broker_fence_granted")
_BACK = ("kraft_broker_unfence_granted",)
_REGISTERED = ("broker_registered", "broker_registered_zk")
OUTLIVES_MS = 45_000  # a session outlives its broker by at most this
_STOP_LASTS_MS = 600_000
_SKEW_S = 2  # what two nodes tell of one moment lies this close
_REGISTERED_AFTER_S = 5  # a broker is told of as back a little before or after it registers
_SILENT_IS_DEAD_MS = 5_000  # a broker prints something within this before its session ends, or it was gone before
_WRITE_MS = 1_000  # a controller knows whether it may write within this


def _ids(name: str) -> Column:
    """The broker ids in a list that a template has as a detail."""
    return F.transform(
        F.regexp_extract_all(F.coalesce(detail(name), F.lit("")), F.lit(r"(\d+)(?:\s*->\s*\d+)?")),
        lambda i: i.cast("int"),
    )


def membership(events: DataFrame) -> DataFrame:
    """One row a change in who is in the cluster: `broker_id, ts, change` (`lost`, `back`, `registered`),
    `broker_epoch, event_id`.

    ZooKeeper: the controller's broker changes. KRaft: fencing and unfencing, from the active controller's lines or the
    metadata log's records.
    """
    lists = events.where(F.col("kind").isin("controller_broker_change", "controller_active_brokers")).withColumns(
        {"_live": F.array_sort(_ids("live_brokers")), "_bounced": _ids("bounced_brokers")}
    )
    # A new controller starts from the brokers alive then: who is missing was lost while no controller looked.
    in_time = Window.orderBy("ts", "event_id")
    turns = lists.withColumn("_before", F.lag("_live").over(in_time))
    gone = F.coalesce(
        F.array_except("_before", "_live"), _ids("dead_brokers")
    )  # the first list of all names who went with it
    listed = [
        turns.select(F.explode(ids).alias("broker_id"), "ts", F.lit(change).alias("change"), "event_id")
        for ids, change in (
            (F.array_union(gone, "_bounced"), "lost"),
            (
                F.array_union(F.array_except("_live", F.coalesce("_before", F.array().cast("array<int>"))), "_bounced"),
                "back",
            ),
        )
    ]
    # A controller that was deposed while it stood still decides once more as it wakes; then its write is refused.
    refused = events.where(
        F.col("kind").isin("kraft_event_failed", "kraft_event_fault")
        & F.contains("message", F.lit("NotLeaderException"))
    ).select(F.col("node_id").alias("_node"), F.col("ts").alias("_refused_ts"))
    in_vain = (F.col("node_id") == F.col("_node")) & F.col("_refused_ts").between(
        F.col("ts"), plus_millis("ts", _WRITE_MS)
    )
    decided = events.where(F.col("kind").isin(*SESSION_ENDED, *_BACK) & F.col("broker_id").isNotNull()).join(
        F.broadcast(refused), in_vain, "left_anti"
    )
    told = decided.select(
        "broker_id", "ts", F.when(F.col("kind").isin(*_BACK), "back").otherwise("lost").alias("change"), "event_id"
    )
    own = events.where(F.col("kind").isin(*_REGISTERED)).select(
        F.coalesce("node_id", "broker_id").alias("broker_id"),
        "ts",
        F.lit("registered").alias("change"),
        "event_id",
        "broker_epoch",
    )
    records = metadata_records(events)
    fenced = F.col("data.fenced")
    recorded = records.where(
        F.col("type").isin(
            "BROKER_REGISTRATION_CHANGE_RECORD",
            "FENCE_BROKER_RECORD",
            "UNFENCE_BROKER_RECORD",
            "REGISTER_BROKER_RECORD",
        )
    ).select(
        F.coalesce("data.brokerId", "data.id").alias("broker_id"),
        "ts",
        F.when((fenced == "1") | (F.col("type") == "FENCE_BROKER_RECORD"), "lost")
        .when((fenced == "-1") | (F.col("type") == "UNFENCE_BROKER_RECORD"), "back")
        .when(F.col("type") == "REGISTER_BROKER_RECORD", "registered")
        .alias("change"),
        "event_id",
        F.coalesce("data.brokerEpoch", "data.epoch").alias("broker_epoch"),
    )
    rows = own.unionByName(recorded)
    for more in (*listed, told):
        rows = rows.unionByName(more, allowMissingColumns=True)
    return rows.where(F.col("broker_id").isNotNull() & F.col("change").isNotNull())


def broker_sessions(events: DataFrame, processes: DataFrame) -> DataFrame:
    """Lay each broker's sessions end to end. Returns `BROKER_SESSIONS`.

    A session belongs to the process that registered it; how that process ended tells a crash from a session that
    timed out while its broker lived (facts §5.1).
    """
    registered = _with_broker_epochs(_spans_of_membership(events), events)
    of_processes = _with_processes(registered, processes)
    return BROKER_SESSIONS.of(_with_ends(of_processes.join(F.broadcast(_stops_granted(events)), "broker_id", "left")))


def _spans_of_membership(events: DataFrame) -> DataFrame:
    """The times in which each broker was a member, end to end; the first may have begun before the files do."""
    changes = membership(events).where(F.col("change") != "registered")
    by_broker = Window.partitionBy("broker_id").orderBy("ts", "event_id")
    turns = changes.withColumn("_turn", ~F.col("change").eqNullSafe(F.lag("change").over(by_broker))).where("_turn")
    spans = turns.withColumns(
        {
            "end_ts": F.when(F.col("change") == "back", F.lead("ts").over(by_broker)).otherwise(F.col("ts")),
            "_end_event": F.when(F.col("change") == "back", F.lead("event_id").over(by_broker)).otherwise(
                F.col("event_id")
            ),
            "_first": F.row_number().over(by_broker) == 1,
        }
    ).where((F.col("change") == "back") | F.col("_first"))
    return spans.select(
        "broker_id",
        F.when(F.col("change") == "back", F.col("ts")).alias("start_ts"),
        "end_ts",
        F.when(F.col("change") == "back", F.col("event_id")).alias("_start_event"),
        "_end_event",
    )


def _with_broker_epochs(sessions: DataFrame, events: DataFrame) -> DataFrame:
    """Each session with the broker epoch of the last registration before it."""
    registrations = (
        membership(events)
        .where(F.col("broker_epoch").isNotNull())
        .select("broker_id", F.col("ts").alias("_registered_ts"), "broker_epoch")
    )
    return (
        sessions.join(registrations, "broker_id", "left")
        .where(
            F.col("_registered_ts").isNull()
            | F.col("start_ts").isNull()
            | (F.col("_registered_ts") <= F.expr(f"start_ts + interval {_REGISTERED_AFTER_S} seconds"))
        )
        .groupBy("broker_id", "start_ts", "end_ts", "_start_event", "_end_event")
        .agg(F.max_by("broker_epoch", "_registered_ts").alias("broker_epoch"))
    )


def _with_processes(sessions: DataFrame, processes: DataFrame) -> DataFrame:
    """Each session with the life of the process that held it."""
    of_node = Window.partitionBy("node_id").orderBy("life")
    lives = processes.select(
        F.col("node_id").alias("broker_id"),
        "life",
        "first_ts",
        "last_ts",
        "stop_ts",
        "stop_event",
        "ended",
        "fatal_event",
        "next_start_event",
        "last_event",
        F.lag("last_ts").over(of_node).alias("_before_ts"),
        (F.row_number().over(of_node) == 1).alias("_first_heard"),
    )
    # A session that ends soon after a process did was that one's, though the next may have begun: that one has to
    # wait for its end (facts §5, F29).
    outlived = F.col("start_ts").isNull() & F.col("end_ts").between(
        F.col("_before_ts"), plus_millis("_before_ts", OUTLIVES_MS)
    )
    began_by_then = F.col("first_ts") <= F.expr(f"coalesce(start_ts, end_ts) + interval {_SKEW_S} seconds")
    own = sessions.join(lives, "broker_id", "left").where(
        (F.col("first_ts").isNull() | began_by_then | F.col("_first_heard")) & ~F.coalesce(outlived, F.lit(False))
    )
    newest = Window.partitionBy("broker_id", "start_ts", "end_ts").orderBy(F.desc("life"))
    return own.withColumn("_newest", F.row_number().over(newest)).where(F.col("_newest") == 1)


def _stops_granted(events: DataFrame) -> DataFrame:
    return (
        events.where(F.col("kind").isin(*STOP_GRANTED, *SHUTDOWN_GRANTED) & F.col("broker_id").isNotNull())
        .groupBy("broker_id")
        .agg(F.sort_array(F.collect_list("ts")).alias("_granted"))
    )


def _with_ends(sessions: DataFrame) -> DataFrame:
    """How each session ended, since when its broker was silent, and the events that show it."""
    silent_before_end = F.col("last_ts") < F.col("end_ts")
    # A life that only begins then did not live through it.
    begun = F.col("first_ts") <= plus_millis("end_ts", _SKEW_S * 1_000)
    asked_to_stop = F.exists(
        "_granted",
        lambda ts: ts.between(
            F.coalesce("start_ts", plus_millis("end_ts", -_STOP_LASTS_MS)), plus_millis("end_ts", _SKEW_S * 1_000)
        ),
    )
    stopped_by_then = F.col("stop_ts") <= F.expr(f"end_ts + interval {_SKEW_S} seconds")
    ended_by = (
        F.when(F.col("end_ts").isNull(), None)
        .when((F.col("ended") == "stopped") & stopped_by_then, "controlled_shutdown")
        .when((F.col("ended") == "stopped_unseen") & silent_before_end, "controlled_shutdown")
        .when((F.col("ended") == "fatal") & silent_before_end, "crash")
        .when((F.col("ended") == "killed") & silent_before_end, "crash")
        .when(asked_to_stop & (F.col("stop_ts").isNull() | (F.col("ended") == "stopped")), "controlled_shutdown")
        .when((F.col("last_ts") > F.col("end_ts")) & begun, "session_timeout")
        .when(F.col("last_ts").isNotNull() & (millis("end_ts", "last_ts") > _SILENT_IS_DEAD_MS), "crash")
        .when(~F.coalesce(begun, F.lit(False)) & asked_to_stop, "controlled_shutdown")
        .otherwise("unknown")
    )
    last_words = F.when(begun, F.coalesce("stop_event", "last_event"))
    return sessions.withColumns(
        {
            "ended_by": ended_by,
            "silent_ts": F.when(silent_before_end, F.col("last_ts")),
            "evidence": joined(F.array("_start_event", "_end_event", last_words)),
        }
    )


def controllers(events: DataFrame) -> DataFrame:
    """One row a tenure of an active controller: `mode, controller_id, controller_epoch, start_ts, ready_ts, end_ts,
    evidence`.

    A KRaft node that comes back may print the activation of an epoch it led before; it is no new tenure (facts, §8
    trap 19). In a migration the quorum's leader waits while ZooKeeper's controller goes on, until it claims that
    one's place (KIP-866); the epochs of the two count apart. Where no line of a KRaft controller is at
    hand, the quorum's leaders are told by the transitions of voters and observers (`ready_ts` is null).
    """
    new_epoch = detail("new_epoch").try_cast("int")
    said = events.where(
        F.col("kind").isin(
            "controller_elected",
            "controller_epoch_incremented",
            "controller_failover_complete",
            "kraft_controller_activated",
        )
    ).select(
        F.when(F.col("kind") == "kraft_controller_activated", "kraft").otherwise("zk").alias("mode"),
        F.coalesce("controller_id", "node_id").alias("controller_id"),
        F.coalesce("controller_epoch", new_epoch).alias("controller_epoch"),
        "ts",
        "kind",
        "event_id",
    )
    claimed = said.unionByName(_quorum_leaders(events))
    tenures = (
        claimed.where(F.col("controller_epoch").isNotNull())
        .groupBy("mode", "controller_id", "controller_epoch")
        .agg(
            F.min("ts").alias("start_ts"),
            F.min(
                F.when(F.col("kind").isin("controller_failover_complete", "kraft_controller_activated"), F.col("ts"))
            ).alias("ready_ts"),
            evidence_of().alias("evidence"),
        )
    )
    first_of_epoch = Window.partitionBy("mode", "controller_epoch").orderBy("start_ts")
    of_quorum = F.col("mode") == "kraft"
    in_order = Window.orderBy(of_quorum, "controller_epoch")
    claim = F.col("kind") == "migration_controller_claim_zk"
    migration = events.where(claim | (F.col("kind") == "migration_waiting")).agg(
        F.min(F.when(claim, F.col("ts"))).alias("_claimed_ts"), F.count("*").alias("_steps")
    )
    active = ~of_quorum | (F.col("_steps") == 0) | (F.coalesce("end_ts", "_claimed_ts") >= F.col("_claimed_ts"))
    return (
        tenures.withColumn("_nth", F.row_number().over(first_of_epoch))
        .where(F.col("_nth") == 1)
        .crossJoin(F.broadcast(migration))
        .withColumn("end_ts", F.lead("start_ts").over(in_order))
        .where(active)
        .withColumns(
            {
                when: F.when(of_quorum, F.greatest(when, "_claimed_ts")).otherwise(F.col(when))
                for when in ("start_ts", "ready_ts")
            }
        )
        .withColumn("end_ts", F.lead("start_ts").over(in_order))
        .drop("_nth", "_claimed_ts", "_steps")
    )


def _quorum_leaders(events: DataFrame) -> DataFrame:
    """`mode, controller_id, controller_epoch, ts, kind, event_id`: who led the metadata quorum, as its voters and
    observers say; no row where a controller says so itself.
    """
    is_told = F.coalesce(F.bool_or(F.col("kind") == "kraft_controller_activated"), F.lit(False))
    told = events.agg(is_told.alias("_told"))
    leads, follows = (
        F.col("message").contains(f"Completed transition to {role}(") for role in ("Leader", "FollowerState")
    )
    leader = F.when(leads, number_in("message", r"RaftManager (?:id|nodeId)=(\d+)")).when(
        follows, number_in("message", r"\bleader(?:Id)?=(\d+)")
    )
    return (
        events.where(F.col("kind") == "raft_transition")
        .crossJoin(F.broadcast(told))
        .where(~F.col("_told"))
        .select(
            F.lit("kraft").alias("mode"),
            leader.alias("controller_id"),
            number_in("message", r"\bepoch=(\d+)").alias("controller_epoch"),
            "ts",
            "kind",
            "event_id",
        )
        .where(F.col("controller_id").isNotNull())
    )
