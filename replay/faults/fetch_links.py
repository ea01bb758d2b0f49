"""Brokers whose fetches failed while they and their peers ran: cut off from all of them, or from one (F05), whether or
not an ISR shrank for it.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.brokers.connections import peer_named
from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of, joined
from replay.columns.times import millis, plus_millis
from replay.faults.rows import fault_rows, in_spells, links_of_well_nodes
from replay.faults.rule import finds_in
from replay.sentences import statement

RETRIED_MS = 15_000  # a fetcher that fails tries again every second, or after a connection timeout of 10 s
SENT_MS = 1_000  # a request is sent within this of the answer before
LEAST_PEERS = 2  # with one alone it is the link, or the other end
LASTING_MS = 1_000  # after a stop of both, as of the one host they share, the next try a second later succeeds
_FAILED = ("fetch_send_error", "node_disconnected", "node_inflight_cancelled", "node_connect_error")


@finds_in(*_FAILED)
def cut_links(events: DataFrame, outages: DataFrame, timings: DataFrame) -> DataFrame:
    """F05: a broker that could not fetch from two or more peers while all of them ran; and two that could not fetch
    from each other, a row for each. Returns `FAULTS`.

    A silent cut shows as a fetch that was not answered within `replica.socket.timeout.ms`: it began that long before
    (facts §5, F05). Peers that fail among themselves too are no proof of one broker's isolation; of two that fail
    towards each other alone neither is at fault, nor is one of which the other does not say the same.
    """
    failures = links_of_well_nodes(_failed_fetches(events), outages)
    links = _links(in_spells(failures, (), RETRIED_MS))
    cut = _isolated(links).unionByName(_cut_from_each_other(links), allowMissingColumns=True)
    timed = with_timings(cut, timings, "broker_id", "ts", "replica_socket_ms", "fetch_wait_ms")
    sent_ts = plus_millis("ts", -F.col("replica_socket_ms"))
    low = plus_millis(sent_ts, -SENT_MS)
    high = F.when(F.col("timed_out"), plus_millis(sent_ts, F.col("fetch_wait_ms") + SENT_MS))
    of_link = F.col("peer_id").isNotNull()
    return fault_rows(
        timed,
        F.when(of_link, "link_cut").otherwise("cut_from_peers"),
        said=statement(
            F.when(of_link, "fetches_failed_both_ways").otherwise("fetches_failed"),
            broker="broker_id",
            peer="peer_id",
            all_peers="failed_peers",
            both_ways=F.when(F.col("towards_it") > 0, F.lit("yes")),
            at_from="ts",
            at_to="end_ts",
        ),
        peers=F.when(of_link, F.array("peer_id")),
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


def _links(failures: DataFrame) -> DataFrame:
    """One row a spell and broker that could not fetch from a peer: `node_id, peer_id, ts, end_ts, timed_out, evidence`."""
    return failures.groupBy("spell", "node_id", "peer_id").agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.bool_or("timed_out").alias("timed_out"),
        evidence_of().alias("evidence"),
    )


def _isolated(links: DataFrame) -> DataFrame:
    """One row a spell and broker that could not fetch from two or more peers that did not fail among themselves."""
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
    )


def _cut_from_each_other(links: DataFrame) -> DataFrame:
    """A spell and a broker that could not fetch from one peer alone, again and again, nor that peer from it alone."""
    pair = F.array_sort(F.array("node_id", "peer_id"))
    ends = links.select("spell", F.explode(F.array("node_id", "peer_id")).alias("node_id"), pair.alias("pair"))
    with_one = ends.groupBy("spell", "node_id").agg(F.countDistinct("pair").alias("pairs")).where("pairs = 1")
    lasting = links.where(millis("end_ts", "ts") >= LASTING_MS).join(with_one, ["spell", "node_id"])
    other_way = lasting.select(
        "spell",
        F.col("node_id").alias("peer_id"),
        F.col("peer_id").alias("node_id"),
        F.col("ts").alias("_ts"),
        F.col("end_ts").alias("_end_ts"),
        F.col("timed_out").alias("_timed_out"),
        F.col("evidence").alias("_evidence"),
    )
    return lasting.join(other_way, ["spell", "node_id", "peer_id"]).select(
        "spell",
        F.col("node_id").alias("broker_id"),
        "peer_id",
        F.least("ts", "_ts").alias("ts"),
        F.greatest("end_ts", "_end_ts").alias("end_ts"),
        (F.col("timed_out") | F.col("_timed_out")).alias("timed_out"),
        joined("evidence", "_evidence").alias("evidence"),
    )
