"""Brokers that ran on out of reach: of the controllers (F06), of ZooKeeper (F07), or for no reason that they know
(F12).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.processes import STARTS
from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, evidence_of_rows, joined
from replay.columns.times import millis, plus_millis
from replay.columns.values import number_in
from replay.columns.windows import after, before, ordered, so_far
from replay.faults.kinds import is_kind
from replay.faults.rows import fault_rows, files_begun_in_mid_flow, no_texts
from replay.faults.rule import finds_in
from replay.sentences import statement

RECONNECTED_MS = 3_000  # a client whose ensemble is well is connected again in 1 to 2 s
WOKE_MS = 3_000  # a session that ends this soon after a pause ended for it
ERRORS_AFTER_MS = (
    60_000  # a broker that cannot reach its controllers goes on saying so this long after its session ended
)
PEERS_AFTER_MS = 40_000  # and its fetches fail within a replica.socket.timeout.ms
MARGIN_MS = 500
ZOOKEEPER_LOST = ("zk_client_disconnected", "zk_client_timeout")
ZOOKEEPER_FOUND = ("zk_session_connected", *STARTS)  # with which a time without it is over
_CHANNEL_ERRORS = ("node_connect_error", "node_connect_failed", "node_inflight_cancelled", "node_request_timeout")
_FETCH_ERRORS = ("fetch_send_error", "node_connect_error", "node_connect_failed", "node_request_timeout")


def sessions_lost_alive(events: DataFrame, sessions: DataFrame, pauses: DataFrame, timings: DataFrame) -> DataFrame:
    """F06, F07, F12: a session that timed out while its broker ran on. Returns `FAULTS`.

    Its own lines say what it could not reach: ZooKeeper (F07), or the controllers (F06); its own fetches that fail say
    that it was cut off from those peers too. Neither: the controllers fenced a healthy broker (F12).
    """
    lost = _awake(sessions.where(F.col("ended_by") == "session_timeout"), pauses)
    explained = _with_own_errors(with_timings(lost, timings, "broker_id", "end_ts", *_SESSION_TIMINGS), events)
    return _session_faults(_with_return(_not_as_files_begin(explained, events), sessions))


_SESSION_TIMINGS = ("broker_session_ms", "zookeeper_session_ms", "heartbeat_ms", "replica_lag_ms")


def _awake(lost: DataFrame, pauses: DataFrame) -> DataFrame:
    """Sessions that ended while no pause of their broker lasted."""
    asleep = pauses.select(
        F.col("broker_id").alias("_paused"),
        F.col("began_low").alias("_from"),
        plus_millis("end_ts", WOKE_MS).alias("_to"),
    )
    in_pause = (F.col("broker_id") == F.col("_paused")) & F.col("end_ts").between(F.col("_from"), F.col("_to"))
    return lost.select("broker_id", "end_ts", "evidence").join(F.broadcast(asleep), in_pause, "left_anti")


def _own_errors(events: DataFrame) -> DataFrame:
    """`error_node, error_ts, error_event, out_of_reach, elapsed_ms, peer`: what brokers say that they cannot reach."""
    is_heartbeat = (F.col("kind") == "broker_heartbeat_failed") | (
        F.col("kind").isin(*_CHANNEL_ERRORS) & F.col("message").contains("name=heartbeat")
    )
    is_zookeeper = F.col("kind").isin(*ZOOKEEPER_LOST, "zk_session_expired")
    # That its followers left it tells nothing: a broker that is fenced loses them to the new leaders.
    is_fetch = F.col("kind").isin(*_FETCH_ERRORS) & F.col("message").contains("ReplicaFetcher")
    peer = number_in("message", r"leaderId=(\d+)")
    elapsed = F.coalesce(detail("elapsed_ms"), detail("time_elapsed_since_create_ms")).try_cast("bigint")
    return events.where(is_heartbeat | is_zookeeper | is_fetch).select(
        F.col("node_id").alias("error_node"),
        F.col("ts").alias("error_ts"),
        F.col("event_id").alias("error_event"),
        F.when(is_zookeeper, "zookeeper").when(is_heartbeat, "controllers").otherwise("peers").alias("out_of_reach"),
        elapsed.alias("elapsed_ms"),
        F.when(is_fetch, peer).alias("peer"),
    )


def _with_own_errors(lost: DataFrame, events: DataFrame) -> DataFrame:
    """`lost` with what its broker's own errors of that time say."""
    session_ms = F.greatest("broker_session_ms", "zookeeper_session_ms")
    around = F.col("error_ts").between(plus_millis("end_ts", -session_ms * 1.5), plus_millis("end_ts", ERRORS_AFTER_MS))
    near = lost.join(_own_errors(events), (F.col("error_node") == F.col("broker_id")) & around, "left")
    of_session = F.col("out_of_reach").isin("zookeeper", "controllers")
    soon = F.col("error_ts") < plus_millis("end_ts", PEERS_AFTER_MS)
    return near.groupBy(*lost.columns).agg(
        F.min(F.when(of_session, F.col("error_ts"))).alias("first_error_ts"),
        F.min_by("elapsed_ms", F.when(of_session, F.struct("error_ts", "error_event"))).alias("elapsed_ms"),
        F.coalesce(F.bool_or(F.col("out_of_reach") == "zookeeper"), F.lit(False)).alias("no_zookeeper"),
        F.coalesce(F.bool_or(F.col("out_of_reach") == "controllers"), F.lit(False)).alias("no_controllers"),
        F.array_sort(F.collect_set(F.when(soon, F.col("peer")))).alias("failed_peers"),
        evidence_of("error_event", "error_ts").alias("own_evidence"),
    )


def _not_as_files_begin(lost: DataFrame, events: DataFrame) -> DataFrame:
    """Without those of which the broker says nothing because its files begin just then: why is not known."""
    says_nothing = ~F.col("no_zookeeper") & ~F.col("no_controllers")
    at_begin = (F.col("broker_id") == F.col("begun_node")) & (
        F.col("end_ts") < plus_millis("begun_ts", F.col("replica_lag_ms") * 1.5)
    )
    return lost.join(F.broadcast(files_begun_in_mid_flow(events)), says_nothing & at_begin, "left_anti")


def _with_return(lost: DataFrame, sessions: DataFrame) -> DataFrame:
    back = sessions.select(F.col("broker_id").alias("_who"), F.col("start_ts").alias("_back_ts"))
    later = (F.col("_who") == F.col("broker_id")) & (F.col("_back_ts") > F.col("end_ts"))
    return lost.join(back, later, "left").groupBy(*lost.columns).agg(F.min("_back_ts").alias("back_ts"))


def _session_faults(lost: DataFrame) -> DataFrame:
    kind = (
        F.when(F.col("no_zookeeper"), "cut_from_zookeeper")
        .when(F.col("no_controllers"), "cut_from_controllers")
        .otherwise("fenced_alive")
    )
    first_ts = F.least(F.coalesce("first_error_ts", "end_ts"), F.col("end_ts"))
    knows = F.col("no_zookeeper") | F.col("no_controllers")
    began_low, began_high = _bounds_of_cut()
    placed = lost.withColumns(
        {"session_end_ts": F.col("end_ts"), "first_ts": first_ts, "began_low": began_low, "began_high": began_high}
    )
    return fault_rows(
        placed,
        kind,
        said=statement(
            "session_timed_out_alive",
            node="broker_id",
            at_session_end="session_end_ts",
            zookeeper=F.when(F.col("no_zookeeper"), F.lit("yes")),
            controllers=F.when(~F.col("no_zookeeper") & F.col("no_controllers"), F.lit("yes")),
            nothing=F.when(~knows, F.lit("yes")),
            all_peers=F.when(F.size("failed_peers") > 0, F.col("failed_peers")),
        ),
        ts=F.col("first_ts"),
        began_low=F.col("began_low"),
        began_high=F.greatest("began_low", "began_high"),
        end_ts=F.coalesce("back_ts", "session_end_ts"),
        ended_low=F.col("session_end_ts"),
        confidence=F.when(knows, 0.9).otherwise(0.6),
        unknowns=F.when(knows, no_texts()).otherwise(F.array(F.lit("why_heartbeats_failed"))),
        evidence=joined("evidence", "own_evidence"),
    )


def _bounds_of_cut() -> tuple[Column, Column]:
    """Between which times the way was cut: after the last answer; before the next message that went unanswered.

    A ZooKeeper client pings its server every third of a session; a broker sends a heartbeat every heartbeat interval,
    the controllers fence it a session after the last one, and it gives one up after half a session.
    """
    first = F.coalesce("first_error_ts", "end_ts")
    zookeeper_low = plus_millis(first, -F.coalesce("elapsed_ms", F.col("zookeeper_session_ms")) - MARGIN_MS)
    zookeeper_high = plus_millis(zookeeper_low, F.col("zookeeper_session_ms") / 3 + 2 * MARGIN_MS)
    heard_low = plus_millis("end_ts", -F.col("broker_session_ms") - MARGIN_MS)
    heartbeat_low = F.least(
        heard_low, plus_millis(first, -F.coalesce("elapsed_ms", F.lit(0)) - F.col("heartbeat_ms") - MARGIN_MS)
    )
    heartbeat_high = F.least(plus_millis(heard_low, F.col("heartbeat_ms") + 2 * MARGIN_MS), first)
    low = F.when(F.col("no_zookeeper"), zookeeper_low).otherwise(heartbeat_low)
    high = F.when(F.col("no_zookeeper"), F.least(zookeeper_high, first)).otherwise(heartbeat_high)
    return low, high


@finds_in(*ZOOKEEPER_LOST, "zk_session_expired")
def zookeeper_lost(events: DataFrame) -> DataFrame:
    """F07: a broker that was without ZooKeeper for a while. Returns `FAULTS`.

    One that the controller missed is told by its session; but where all were without ZooKeeper there was no controller
    either, or all came back in time. Several brokers at the same time: the ensemble, or the way to it (facts §5, F07).
    """
    spells = _spells_without_zookeeper(events)
    return fault_rows(
        _with_others_at_once(spells),
        "zookeeper_lost",
        broker_id=F.col("node_id"),
        said=statement(
            "without_zookeeper",
            node="node_id",
            at_from="ts",
            at_to="end_ts",
            open=F.when(F.col("found").isNull(), F.lit("yes")),
            closed=F.when(F.col("found").isNotNull(), F.lit("yes")),
            expired=F.when(F.col("expired"), F.lit("yes")),
            in_time=F.when(~F.col("expired") & F.col("found").isNotNull(), F.lit("yes")),
            all_others=F.when(F.size("others") > 0, F.col("others")),
        ),
        began_low=plus_millis("ts", -F.coalesce("elapsed_ms", F.lit(0))),
        confidence=0.9,
    )


def _spells_without_zookeeper(events: DataFrame) -> DataFrame:
    """One row a time in which a client was without a server: `node_id, ts, end_ts, found, elapsed_ms, expired,
    evidence`.
    """
    was_connected = F.coalesce(
        detail("session_id") != "0x0", F.lit(True)
    )  # 0x0: a client that has not been connected yet
    is_lost = F.col("kind").isin(*ZOOKEEPER_LOST) & was_connected
    is_found = F.col("kind").isin(*ZOOKEEPER_FOUND)
    of_clients = events.where(
        (is_lost | is_found | (F.col("kind") == "zk_session_expired"))
        & F.col("node_id").isNotNull()
        & F.col("ts").isNotNull()
    )
    own = ordered(("node_id",), "ts", "event_id")
    numbered = of_clients.withColumns(
        {
            "_spell": F.count_if(is_found).over(so_far(own())),
            "found": F.last(F.when(is_found, F.struct("kind", "ts")), ignorenulls=True).over(after(own)),
        }
    )
    spells = (
        numbered.where(~is_found)
        .groupBy("node_id", "_spell", "found")
        .agg(
            F.min(F.when(is_lost, F.col("ts"))).alias("ts"),
            F.max("ts").alias("_last_ts"),
            F.min_by(detail("elapsed_ms").try_cast("bigint"), F.when(is_lost, F.struct("ts", "event_id"))).alias(
                "elapsed_ms"
            ),
            F.bool_or(F.col("kind") == "zk_session_expired").alias("expired"),
            evidence_of().alias("evidence"),
        )
        .withColumn("end_ts", F.coalesce("found.ts", "_last_ts"))
    )
    by_reconnecting = F.coalesce(F.col("found.kind") == "zk_session_connected", F.lit(True))
    return spells.where((millis("end_ts", "ts") >= RECONNECTED_MS) & by_reconnecting)


def _with_others_at_once(spells: DataFrame) -> DataFrame:
    """`spells` with `others`: the other brokers that were without ZooKeeper at the same time."""
    others = spells.select(F.col("node_id").alias("_other"), F.col("ts").alias("_from"), F.col("end_ts").alias("_to"))
    at_once = (
        (F.col("_other") != F.col("node_id")) & (F.col("_from") <= F.col("end_ts")) & (F.col("_to") >= F.col("ts"))
    )
    return (
        spells.join(F.broadcast(others), at_once, "left")
        .groupBy(*spells.columns)
        .agg(F.array_sort(F.collect_set("_other")).alias("others"))
    )


def zookeeper_away(events: DataFrame, without: DataFrame) -> DataFrame:
    """F07 of no one broker: a time in which all brokers of these logs, two or more, were without ZooKeeper. Returns
    `FAULTS`.

    `without`: the faults of single brokers that could not reach it.
    """
    kinds = ("zk_session_connected", *ZOOKEEPER_LOST)
    brokers = events.where(F.col("kind").isin(*kinds)).agg(F.array_sort(F.collect_set("node_id")).alias("all_brokers"))
    in_time = Window.orderBy("ts", "fault_id")
    is_apart = F.coalesce(F.col("ts") > F.max("end_ts").over(before(in_time)), F.lit(True))
    times = (
        without.where(is_kind("zookeeper_lost", "cut_from_zookeeper"))
        .withColumn("_apart", is_apart)
        .withColumn("_time", F.count_if("_apart").over(so_far(in_time)))
        .groupBy("_time")
        .agg(
            F.min("ts").alias("ts"),
            F.min("began_low").alias("began_low"),
            F.max("end_ts").alias("end_ts"),
            F.array_sort(F.collect_set("broker_id")).alias("peers"),
            evidence_of_rows().alias("evidence"),
        )
        .crossJoin(F.broadcast(brokers))
    )
    of_all = times.where((F.col("peers") == F.col("all_brokers")) & (F.size("peers") > 1))
    said = statement("all_without_zookeeper", all_brokers="peers", at_from="ts", at_to="end_ts")
    return fault_rows(of_all, "zookeeper_away", said=said, confidence=0.9)
