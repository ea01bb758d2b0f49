"""Brokers whose fetches failed while they and their peers ran: cut off from two or more of them, or from one (F05),
whether or not an ISR shrank for it.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.connections import peer_named
from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import AT_MOST, evidence_of
from replay.columns.times import millis, plus_millis
from replay.columns.values import number_in
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
    towards each other alone the rows do not tell which end is at fault.
    """
    failures = links_of_well_nodes(_failed_fetches(events), outages)
    cut = _isolated(failures).unionByName(_cut_from_each_other(failures), allowMissingColumns=True)
    timed = with_timings(cut, timings, "broker_id", "ts", "replica_socket_ms", "fetch_wait_ms")
    sent_ts = plus_millis("timed_out_ts", -F.col("replica_socket_ms"))
    unanswered_ts = F.least("ts", F.coalesce(sent_ts, plus_millis("ts", -F.col("replica_socket_ms"))))
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
        began_low=plus_millis(unanswered_ts, -SENT_MS),
        began_high=F.least("ts", plus_millis(sent_ts, F.col("fetch_wait_ms") + SENT_MS)),
        ended_high=plus_millis("end_ts", RETRIED_MS),
        confidence=0.8,
    )


def _failed_fetches(events: DataFrame) -> DataFrame:
    """`node_id, peer_id, fetcher, ts, end_ts, event_id, timed_out_ts, says_so`: fetches of replicas that failed, not for
    want of credentials; `timed_out_ts` is `ts` where no answer came, `says_so` whether the line says that (from 2.8).
    """
    of_fetchers = F.col("message").contains("ReplicaFetcher")
    lines = events.where(F.col("kind").isin(*_FAILED) & of_fetchers & F.col("ts").isNotNull())
    text = F.concat_ws(" ", "message", detail("exception"))
    # Up to 2.7 a request that timed out reads like a connection that was closed; a live peer's is not.
    by_itself = text.rlike(
        "Client requested (connection close|disconnect)|request timeout|before the response was read"
    )
    is_refused = text.rlike("Connection refused|Connection reset")
    not_let_in = text.rlike("AuthenticationException|[Ff]ailed authentication|SSL handshake")
    return (
        lines.where(~not_let_in)
        .select(
            "node_id",
            peer_named().alias("peer_id"),
            number_in("message", r"fetcherId=(\d+)").alias("fetcher"),
            "ts",
            F.col("ts").alias("end_ts"),
            "event_id",
            F.when(by_itself & ~is_refused, F.col("ts")).alias("timed_out_ts"),
            text.contains("request timeout").alias("says_so"),
        )
        .where(F.col("peer_id").isNotNull() & (F.col("peer_id") != F.col("node_id")))
    )


def _isolated(failures: DataFrame) -> DataFrame:
    """One row a spell and broker that could not fetch from two or more peers that did not fail among themselves."""
    links = (
        in_spells(failures, (), RETRIED_MS)
        .groupBy("spell", "node_id", "peer_id")
        .agg(*_times(), evidence_of().alias("evidence"))
        .withColumn("in_spell", F.count("*").over(Window.partitionBy("spell")))
    )
    ends = links.select("*", F.explode(F.array("node_id", "peer_id")).alias("broker_id"))
    is_own = F.col("node_id") == F.col("broker_id")
    brokers = ends.groupBy("spell", "broker_id", "in_spell").agg(
        F.count("*").alias("links"),
        F.array_sort(F.collect_set(F.when(is_own, F.col("peer_id")))).alias("failed_peers"),
        F.count_if(~is_own).alias("towards_it"),
        *_times(),
        _two_of_each().alias("evidence"),
    )
    return brokers.where((F.size("failed_peers") >= LEAST_PEERS) & (F.col("links") == F.col("in_spell")))


def _cut_from_each_other(failures: DataFrame) -> DataFrame:
    """One row a spell and broker that could not fetch from one peer, `peer_id`, again and again, nor that peer from
    it, at a time in which no fetch from or by another failed at either.

    A connection between two alone may as well have been closed: only a line that says so tells of a timeout.
    """
    pair, timed_out_ts = F.array_sort(F.array("node_id", "peer_id")), F.when(F.col("says_so"), F.col("timed_out_ts"))
    paired = failures.withColumns({"pair": pair, "timed_out_ts": timed_out_ts})
    spelled = in_spells(paired, ("pair",), RETRIED_MS)
    near = Window.partitionBy("end").orderBy(F.unix_millis("ts")).rangeBetween(-RETRIED_MS, RETRIED_MS)
    ends = spelled.withColumn("end", F.explode("pair"))
    told = ends.withColumn("with_another", F.min("pair").over(near) != F.max("pair").over(near))
    again_and_again = (
        told.groupBy("pair", "spell", "node_id", "fetcher")
        .agg(*_times(), F.bool_or("with_another").alias("with_another"), evidence_of().alias("evidence"))
        .where(~F.col("with_another") & (millis("end_ts", "ts") >= LASTING_MS))
    )
    both_ways = (F.size(F.collect_set("node_id")) == 2) & (F.max("ts") <= F.min("end_ts"))
    links = again_and_again.groupBy("pair", "spell").agg(
        both_ways.alias("both_ways"), *_times(), _two_of_each().alias("evidence")
    )
    each = links.where("both_ways").withColumn("broker_id", F.explode("pair"))
    return each.withColumn("peer_id", F.array_except("pair", F.array("broker_id"))[0])


def _times() -> list[Column]:
    """The first and the last failure, and the first of those that timed out."""
    return [F.min("ts").alias("ts"), F.max("end_ts").alias("end_ts"), F.min("timed_out_ts").alias("timed_out_ts")]


def _two_of_each() -> Column:
    """The first two lines of each of the rows that are summed."""
    return F.slice(F.array_distinct(F.flatten(F.collect_list(F.slice("evidence", 1, 2)))), 1, AT_MOST)
