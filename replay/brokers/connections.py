"""What nodes, and ZooKeeper, say of their connections to a node."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.events import detail
from replay.columns.values import number_in

_TELL = (
    "fetch_send_error",
    "fetch_request_error",
    "node_disconnected",
    "node_connect_failed",
    "node_connect_error",
    "node_inflight_cancelled",
)
_OWN_CHOICE = "Client requested disconnect from node"
_REFUSED = "could not be established|Error connecting|Connection refused"
_CLOSED = r"Node -?\d+ disconnected|disconnected before the response"


def broken_connections(events: DataFrame) -> DataFrame:
    """One row a line about a connection to another node that broke or did not come about: `peer_id` (that node),
    `node_id` (who tells it), `ts, event_id`.

    `closed`: not by the node that tells it; `refused`: no new one came about. A process that stands still does neither.
    What a client ends by itself, as one that turns to another controller, did not break.
    """
    told = events.where(F.col("kind").isin(*_TELL) & ~F.col("message").contains(_OWN_CHOICE)).select(
        peer_named().alias("peer_id"),
        "node_id",
        "ts",
        "event_id",
        _says(f"{_REFUSED}|{_CLOSED}").alias("closed"),
        _says(_REFUSED).alias("refused"),
    )
    return told.unionByName(_sessions_with_zookeeper(events))


def _says(pattern: str) -> Column:
    return F.col("message").rlike(pattern) | F.coalesce(detail("exception").rlike(pattern), F.lit(False))


def peer_named() -> Column:
    """The node that a line about a connection is about: named in the text, or in the fetcher's prefix."""
    from_prefix = number_in("message", r"leaderId=(\d+)")
    from_text = number_in("message", r"(?:[nN]ode |\(id: )(\d+)")
    return F.coalesce("broker_id", "leader_id", from_prefix, from_text)


def _sessions_with_zookeeper(events: DataFrame) -> DataFrame:
    """What a ZooKeeper server says of the sessions that brokers say are theirs."""
    session = F.regexp_replace(F.lower(detail("session_id")), "^0x", "")
    owners = events.where((F.col("kind") == "zk_session_connected") & detail("session_id").isNotNull()).select(
        session.alias("_session"), F.col("node_id").alias("peer_id")
    )
    return (
        events.where(
            F.col("kind").isin("zookeeper_connection_lost", "zookeeper_session_expired")
            & detail("session_id").isNotNull()
        )
        .select(
            session.alias("_session"),
            "node_id",
            "ts",
            "event_id",
            (F.col("kind") == "zookeeper_connection_lost").alias("closed"),
            F.lit(False).alias("refused"),
        )
        .join(owners.distinct(), "_session")
        .drop("_session")
    )
