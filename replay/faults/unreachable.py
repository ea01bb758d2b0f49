"""Brokers that ran on out of reach of the controllers (F06), of ZooKeeper (F07), or for no reason that they know (F12)."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.processes import STARTS
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, evidence_of_rows, joined
from replay.columns.phrases import clock, named
from replay.columns.times import millis, plus_millis
from replay.columns.windows import after, before, so_far
from replay.faults.shape import LAG_MS, begun_unseen, fault

_WITHOUT_ZOOKEEPER_MS = 3_000  # a client whose ensemble is well is connected again in 1 to 2 s
ZOOKEEPER_LOST = ("zk_client_disconnected", "zk_client_timeout")
ZOOKEEPER_FOUND = ("zk_session_connected", *STARTS)  # with which a time without it is over


def cut_off(events: DataFrame, sessions: DataFrame, pauses: DataFrame) -> DataFrame:
    """F06, F07, F12: a session that timed out while its broker ran on: its own lines say what it could not reach.

    ZooKeeper client timeouts: F07. Failing heartbeats to the controllers: F06; its own fetches that
    fail say that it was cut from those peers too (F05). Neither: the controller fenced a healthy broker (F12).
    """
    alive = sessions.where(F.col("ended_by") == "session_timeout").withColumn(
        "_session", F.monotonically_increasing_id()
    )
    standing = pauses.select("broker_id", F.col("t0_low").alias("_from"), F.col("end_ts").alias("_to"))
    lost = (
        alive.join(standing, "broker_id", "left")
        .groupBy("_session", "broker_id", "end_ts", "evidence")
        .agg(
            F.max(
                F.coalesce(F.col("end_ts").between(F.col("_from"), F.expr("_to + interval 3 seconds")), F.lit(False))
            ).alias("_asleep")
        )
        .where(~F.col("_asleep"))
    )
    back = sessions.select(F.col("broker_id"), F.col("start_ts").alias("_back_ts"))
    heartbeat = (F.col("kind") == "broker_heartbeat_failed") | (
        F.col("kind").isin(
            "node_connect_error", "node_connect_failed", "node_inflight_cancelled", "node_request_timeout"
        )
        & F.col("message").contains("name=heartbeat")
    )
    zookeeper = F.col("kind").isin(*ZOOKEEPER_LOST, "zk_session_expired")
    # Its own fetches: that its followers left it tells nothing, for a broker that is fenced loses them to the new leaders.
    peers = F.col("kind").isin(
        "fetch_send_error", "node_connect_error", "node_connect_failed", "node_request_timeout"
    ) & F.col("message").contains("ReplicaFetcher")
    said = events.where(heartbeat | zookeeper | peers).select(
        F.col("node_id").alias("_node"),
        F.col("ts").alias("_ts"),
        F.col("event_id").alias("_event"),
        F.when(zookeeper, "zookeeper").when(heartbeat, "heartbeat").otherwise("peers").alias("_what"),
        F.coalesce(detail("elapsed_ms"), detail("time_elapsed_since_create_ms")).try_cast("bigint").alias("_elapsed"),
        F.when(peers, F.nullif(F.regexp_extract("message", r"leaderId=(\d+)", 1), F.lit("")).try_cast("int")).alias(
            "_peer"
        ),
    )
    near = lost.join(
        said,
        (F.col("_node") == F.col("broker_id"))
        & F.col("_ts").between(F.expr("end_ts - interval 30 seconds"), F.expr("end_ts + interval 60 seconds")),
        "left",
    )
    kinds = (
        near.join(back, "broker_id", "left")
        .groupBy("_session", "broker_id", "end_ts", "evidence")
        .agg(
            F.min(F.when(F.col("_what").isin("zookeeper", "heartbeat"), F.col("_ts"))).alias("_first_ts"),
            F.min_by("_elapsed", F.when(F.col("_what").isin("zookeeper", "heartbeat"), F.col("_ts"))).alias("_elapsed"),
            F.coalesce(F.bool_or(F.col("_what") == "zookeeper"), F.lit(False)).alias("_zookeeper"),
            F.coalesce(F.bool_or(F.col("_what") == "heartbeat"), F.lit(False)).alias("_heartbeat"),
            F.array_sort(
                F.collect_set(F.when(F.col("_ts") < F.expr("end_ts + interval 40 seconds"), F.col("_peer")))
            ).alias("_peers"),
            F.min(F.when(F.col("_back_ts") > F.col("end_ts"), F.col("_back_ts"))).alias("_back_ts"),
            evidence_of("_event", "_ts").alias("_said"),
        )
    )
    code = F.when(F.col("_zookeeper"), "F07").when(F.col("_heartbeat"), "F06").otherwise("F12")
    unseen = (
        (code == "F12") & (F.col("broker_id") == F.col("_node")) & (F.col("end_ts") < plus_millis("_begun_ts", LAG_MS))
    )
    kinds = kinds.join(F.broadcast(begun_unseen(events)), unseen, "left_anti")
    first = F.coalesce(F.least("_first_ts", "end_ts"), "end_ts")
    return fault(
        kinds,
        "cut_off",
        code,
        ts=first,
        t0_low=plus_millis(first, -F.coalesce("_elapsed", F.lit(9_000))),
        end_ts=F.coalesce("_back_ts", "end_ts"),
        confidence=F.when(F.col("_zookeeper") | F.col("_heartbeat"), 0.9).otherwise(0.6),
        because=F.concat(
            F.format_string(
                "the session of broker %d timed out at %s although its files go on", "broker_id", clock("end_ts")
            ),
            F.when(F.col("_zookeeper"), "; it could not reach ZooKeeper")
            .when(F.col("_heartbeat"), "; it could not reach the controllers")
            .otherwise(
                "; none of its lines says that anything was out of reach: the controller or the broker was too slow"
            ),
            F.when(
                F.size("_peers") > 0,
                F.concat(F.lit("; its fetches from "), named("_peers", "broker"), F.lit(" failed as well")),
            ).otherwise(""),
        ),
        blind_spots=F.when(
            code == "F12",
            F.array(
                F.lit(
                    "no line says why heartbeats failed: the network and the load of the controller are not in these logs"
                )
            ),
        ).otherwise(F.array()),
        evidence=joined("evidence", "_said"),
    )


def zookeeper_lost(events: DataFrame) -> DataFrame:
    """F07: a broker that was without ZooKeeper for a while.

    One that the controller missed is `cut_off`; but where all were without ZooKeeper there was no controller either, or all came
    back in time. Several brokers at the same time: the ensemble, or the way to it (facts §5, F07).
    """
    had_one = F.coalesce(detail("session_id") != "0x0", F.lit(True))  # 0x0: a client that has not been connected yet
    lost = F.col("kind").isin(*ZOOKEEPER_LOST) & had_one
    found = F.col("kind").isin(*ZOOKEEPER_FOUND)
    told = events.where(
        (lost | found | (F.col("kind") == "zk_session_expired"))
        & F.col("node_id").isNotNull()
        & F.col("ts").isNotNull()
    )
    own = Window.partitionBy("node_id").orderBy("ts", "event_id")
    spells = (
        told.withColumn("_spell", F.count_if(found).over(so_far(own)))
        .withColumn("_found", F.first(F.when(found, F.struct("kind", "ts")), ignorenulls=True).over(after(own)))
        .where(~found)
        .groupBy("node_id", "_spell", "_found")
        .agg(
            F.min(F.when(lost, F.col("ts"))).alias("ts"),
            F.max("ts").alias("_last_ts"),
            F.min_by(detail("elapsed_ms").try_cast("bigint"), F.when(lost, F.col("ts"))).alias("_elapsed"),
            F.bool_or(F.col("kind") == "zk_session_expired").alias("_expired"),
            evidence_of().alias("evidence"),
        )
        .withColumns({"_back_ts": F.col("_found.ts"), "end_ts": F.coalesce("_found.ts", "_last_ts")})
        .where(
            (millis("end_ts", "ts") >= _WITHOUT_ZOOKEEPER_MS)
            & F.coalesce(F.col("_found.kind") == "zk_session_connected", F.lit(True))
        )
    )
    others = spells.select(F.col("node_id").alias("_other"), F.col("ts").alias("_from"), F.col("end_ts").alias("_to"))
    together = (
        spells.join(
            F.broadcast(others),
            (F.col("_other") != F.col("node_id")) & (F.col("_from") <= F.col("end_ts")) & (F.col("_to") >= F.col("ts")),
            "left",
        )
        .groupBy("node_id", "ts", "end_ts", "_back_ts", "_elapsed", "_expired", "evidence")
        .agg(F.array_sort(F.collect_set("_other")).alias("_others"))
    )
    return fault(
        together.withColumnRenamed("node_id", "broker_id"),
        "zookeeper_lost",
        "F07",
        t0_low=plus_millis("ts", -F.coalesce("_elapsed", F.lit(0))),
        confidence=F.lit(0.9),
        because=F.concat(
            F.format_string("broker %d could not reach ZooKeeper from %s ", "broker_id", clock("ts")),
            F.when(F.col("_back_ts").isNull(), "to the end of its lines at ").otherwise("to "),
            clock("end_ts"),
            F.when(F.col("_expired"), "; its session expired")
            .when(F.col("_back_ts").isNotNull(), ", in time for its session to go on")
            .otherwise(""),
            F.when(F.size("_others") == 0, "").otherwise(
                F.concat(F.lit("; neither could "), named("_others", "broker"), F.lit(": ZooKeeper, or the way to it"))
            ),
        ),
    )


def zookeeper_away(events: DataFrame, without: DataFrame) -> DataFrame:
    """F07 of no one broker: a time in which all brokers that these logs tell of, two or more, were `without` ZooKeeper: it was away, or the way to it (facts §5, F07)."""
    brokers = events.where(F.col("kind").isin("zk_session_connected", *ZOOKEEPER_LOST)).agg(
        F.array_sort(F.collect_set("node_id")).alias("_brokers")
    )
    in_time = Window.orderBy("ts", "fault_id")
    parted = F.coalesce(F.col("ts") > F.max("end_ts").over(before(in_time)), F.lit(True))
    times = (
        without.where(F.col("code") == "F07")
        .withColumn("_parted", parted)
        .withColumn("_time", F.count_if("_parted").over(so_far(in_time)))
        .groupBy("_time")
        .agg(
            F.min("ts").alias("ts"),
            F.min("t0_low").alias("t0_low"),
            F.max("end_ts").alias("end_ts"),
            F.array_sort(F.collect_set("broker_id")).alias("nodes"),
            evidence_of_rows().alias("evidence"),
        )
        .crossJoin(F.broadcast(brokers))
        .where((F.col("nodes") == F.col("_brokers")) & (F.size("nodes") > 1))
    )
    because = F.concat(
        named("nodes", "broker"),
        F.format_string(
            ", all that these logs tell of, were without ZooKeeper between %s and %s: it was away, or the way to it",
            clock("ts"),
            clock("end_ts"),
        ),
    )
    return fault(
        times,
        "zookeeper_away",
        "F07",
        broker_id=F.lit(None),
        t0_low=F.col("t0_low"),
        confidence=F.lit(0.9),
        because=because,
    )
