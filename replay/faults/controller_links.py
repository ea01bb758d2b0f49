"""Brokers that the controller could not reach while they ran and kept their ZooKeeper session (F06, ZooKeeper mode):
its decisions do not come to them, and they act on what is no longer true.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.columns.evidence import evidence_of
from replay.columns.times import millis, plus_millis
from replay.columns.values import number_in
from replay.faults.rows import AFTERMATH_MS, fault_rows, in_spells, links_of_well_nodes, own_lines
from replay.faults.rule import finds_in
from replay.sentences import statement

_FAILED = ("controller_broker_connect_failed", "controller_send_failed_retry")
_REACHED = "controller_broker_connected"
_HANDLED = ("broker_leader_and_isr_request", "broker_leader_and_isr_received", "broker_metadata_update_summary")
LEAST_MS = 5_000  # a broker that starts, or whose listener restarts, is reached again within this
RETRIED_MS = 5_000  # tried again every 100 to 300 ms, or after a connection timed out


@finds_in(*_FAILED)
def out_of_controllers_reach(events: DataFrame, outages: DataFrame, timings: DataFrame) -> DataFrame:
    """F06: a running broker to which the controller's requests did not come. Returns `FAULTS`.

    The controller has nothing to send for long times: the way may have been cut any time after the last request that
    came through. A request that is not answered fails after `controller.socket.timeout.ms`. Source: RequestSendThread;
    facts §5, F06.
    """
    failures = links_of_well_nodes(_failures(events), outages)
    timed = with_timings(failures, timings, "node_id", "ts", "controller_socket_ms")
    spelled = in_spells(timed, ("node_id", "peer_id"), F.col("controller_socket_ms") + RETRIED_MS)
    cut = _while_it_ran(_ended(_spells(spelled), events), events)
    return fault_rows(
        _last_reached(cut, events),
        "out_of_controllers_reach",
        broker_id=F.col("peer_id"),
        said=statement(
            "controller_could_not_reach",
            broker="peer_id",
            controller="node_id",
            at_from="ts",
            at_to="end_ts",
            tries="tries",
        ),
        began_low=F.coalesce("reached_ts", plus_millis("ts", -F.col("controller_socket_ms"))),
        began_high=F.col("ts"),
        confidence=0.85,
    )


def _peer() -> Column:
    """The broker that a request goes to: in the thread's name up to 1.0, at the end of the line from then on."""
    in_name = number_in("message", r"to-broker-(\d+)-send")
    at_end = number_in("message", r"to(?: broker)? \S+ \(id: (\d+) rack: [^)]*\)(?!.*\(id: )")
    return F.coalesce(in_name, at_end)


def _failures(events: DataFrame) -> DataFrame:
    """`node_id` (the controller), `peer_id, ts, event_id`: requests, or connections for them, that failed."""
    told = events.where(F.col("kind").isin(*_FAILED) & F.col("ts").isNotNull())
    return told.select("node_id", _peer().alias("peer_id"), "ts", "event_id").where(
        F.col("peer_id").isNotNull() & (F.col("peer_id") != F.col("node_id"))
    )


def _spells(failures: DataFrame) -> DataFrame:
    return failures.groupBy("node_id", "peer_id", "spell", "controller_socket_ms").agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("last_ts"),
        F.count("*").alias("tries"),
        evidence_of().alias("evidence"),
    )


def _ended(spells: DataFrame, events: DataFrame) -> DataFrame:
    """`spells` with `end_ts`: when the controller reached the broker again, else its last try."""
    again = events.where(F.col("kind") == _REACHED).select(
        F.col("node_id").alias("_by"), _peer().alias("_reached"), F.col("ts").alias("_again_ts")
    )
    later = (
        (F.col("_by") == F.col("node_id"))
        & (F.col("_reached") == F.col("peer_id"))
        & (F.col("_again_ts") >= F.col("last_ts"))
        & (F.col("_again_ts") <= plus_millis("last_ts", F.col("controller_socket_ms") + RETRIED_MS))
    )
    return (
        spells.join(again, later, "left")
        .groupBy(*spells.columns)
        .agg(F.min("_again_ts").alias("_again_ts"))
        .withColumn("end_ts", F.coalesce("_again_ts", "last_ts"))
        .where(millis("end_ts", "ts") >= LEAST_MS)
        .drop("_again_ts")
    )


def _while_it_ran(spells: DataFrame, events: DataFrame) -> DataFrame:
    """The spells about which the broker itself prints something; it may have nothing to say for half a minute."""
    lines = own_lines(events).select(F.col("node_id").alias("_own"), F.col("ts").alias("_own_ts"))
    meanwhile = (F.col("_own") == F.col("peer_id")) & F.col("_own_ts").between(
        plus_millis("ts", -F.col("controller_socket_ms")), plus_millis("end_ts", AFTERMATH_MS)
    )
    return spells.join(lines, meanwhile, "left_semi")


def _last_reached(spells: DataFrame, events: DataFrame) -> DataFrame:
    """`spells` with `reached_ts`: when the controller connected to the broker, or this handled a request, before."""
    connected = (F.col("kind") == _REACHED) & _peer().isNotNull()
    reached = events.where(connected | F.col("kind").isin(*_HANDLED)).select(
        F.when(F.col("kind") == _REACHED, _peer()).otherwise(F.col("node_id")).alias("_reached"),
        F.col("ts").alias("_reached_ts"),
    )
    before = (F.col("_reached") == F.col("peer_id")) & (F.col("_reached_ts") < F.col("ts"))
    return spells.join(reached, before, "left").groupBy(*spells.columns).agg(F.max("_reached_ts").alias("reached_ts"))
