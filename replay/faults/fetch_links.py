"""Brokers whose fetches failed while they and their peers ran: cut off from their peers (F05), whether or not an ISR
shrank for it.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.brokers.connections import peer_named
from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of
from replay.columns.times import plus_millis
from replay.faults.rows import fault_rows, in_spells, links_of_well_nodes
from replay.faults.rule import finds_in
from replay.sentences import statement

RETRIED_MS = 15_000  # a fetcher that fails tries again every second, or after a connection timeout of 10 s
SENT_MS = 1_000  # a request is sent within this of the answer before
LEAST_PEERS = 2  # with one alone it is the link, or the other end
_FAILED = ("fetch_send_error", "node_disconnected", "node_inflight_cancelled", "node_connect_error")


@finds_in(*_FAILED)
def cut_links(events: DataFrame, outages: DataFrame, timings: DataFrame) -> DataFrame:
    """F05: a broker that could not fetch from two or more peers while all of them ran. Returns `FAULTS`.

    A silent cut shows as a fetch that was not answered within `replica.socket.timeout.ms`: it began that long before
    (facts §5, F05). Peers that fail among themselves too are no proof of one broker's isolation.
    """
    failures = links_of_well_nodes(_failed_fetches(events), outages)
    isolated = _isolated(in_spells(failures, (), RETRIED_MS))
    timed = with_timings(isolated, timings, "broker_id", "ts", "replica_socket_ms", "fetch_wait_ms")
    sent_ts = plus_millis("first_ts", -F.col("replica_socket_ms"))
    low = plus_millis(sent_ts, -SENT_MS)
    high = F.when(F.col("timed_out"), plus_millis(sent_ts, F.col("fetch_wait_ms") + SENT_MS))
    return fault_rows(
        timed,
        "cut_from_peers",
        said=statement(
            "fetches_failed",
            broker="broker_id",
            all_peers="failed_peers",
            both_ways=F.when(F.col("towards_it") > 0, F.lit("yes")),
            at_from="ts",
            at_to="end_ts",
        ),
        began_low=low,
        began_high=F.coalesce(high, F.col("ts")),
        ended_high=plus_millis("end_ts", RETRIED_MS),
        confidence=0.8,
    )


def _failed_fetches(events: DataFrame) -> DataFrame:
    """`node_id, peer_id, ts, event_id, timed_out`: fetches of replicas that failed."""
    of_fetchers = F.col("message").contains("ReplicaFetcher")
    lines = events.where(F.col("kind").isin(*_FAILED) & of_fetchers & F.col("ts").isNotNull())
    text = F.concat_ws(" ", "message", detail("exception"))
    # Up to 2.7 a request that timed out reads like a connection that was closed; a live peer's is not.
    by_itself = text.rlike(
        "Client requested (connection close|disconnect)|request timeout|before the response was read"
    )
    is_refused = text.rlike("Connection refused|Connection reset")
    return lines.select(
        "node_id", peer_named().alias("peer_id"), "ts", "event_id", (by_itself & ~is_refused).alias("timed_out")
    ).where(F.col("peer_id").isNotNull() & (F.col("peer_id") != F.col("node_id")))


def _isolated(failures: DataFrame) -> DataFrame:
    """One row a spell and broker that could not fetch from two or more peers that did not fail among themselves."""
    links = failures.groupBy("spell", "node_id", "peer_id").agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.bool_or("timed_out").alias("timed_out"),
        evidence_of().alias("evidence"),
    )
    centers = (
        links.groupBy("spell", F.col("node_id").alias("broker_id"))
        .agg(F.array_sort(F.collect_set("peer_id")).alias("failed_peers"))
        .where(F.size("failed_peers") >= LEAST_PEERS)
    )
    touches = (F.col("node_id") == F.col("broker_id")) | (F.col("peer_id") == F.col("broker_id"))
    placed = links.join(centers, "spell")
    return (
        placed.groupBy("spell", "broker_id", "failed_peers")
        .agg(
            F.min(F.when(touches, F.col("ts"))).alias("ts"),
            F.max(F.when(touches, F.col("end_ts"))).alias("end_ts"),
            F.bool_or(touches & F.col("timed_out")).alias("timed_out"),
            F.count_if(~touches).alias("elsewhere"),
            F.count_if(F.col("peer_id") == F.col("broker_id")).alias("towards_it"),
            F.slice(
                F.array_distinct(F.flatten(F.collect_list(F.when(touches, F.slice("evidence", 1, 2))))), 1, AT_MOST
            ).alias("evidence"),
        )
        .where(F.col("elsewhere") == 0)
        .withColumn("first_ts", F.col("ts"))
    )
