"""Errors that a broker states outright: refused ISR writes (F22) and changes (F23), dead fetchers (F25), memory
(F26), credentials (F27), requests that it cannot read (F28); and clocks that were set (F21).

Each spell of errors is a fault of its own: a gap longer than the retries take ends it.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.timings import with_timings
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.partitions import partition_name
from replay.columns.times import millis, plus_millis
from replay.columns.windows import so_far
from replay.facts.releases import release_number
from replay.faults.rows import fault_rows, in_spells, removed_from_isr
from replay.faults.rule import finds_in
from replay.sentences import statement

AT_ONCE_MS = 1_000  # what two lines of one happening may lie apart
RETRIED_MS = 60_000  # connections are tried again within twice a socket timeout (30 s) at most
MEMORY_SPELL_MS = 600_000  # a heap that is full goes on failing now and then until the process is started anew
LEAST_REFUSALS = 3  # once is a race that the next attempt wins; a leader that works on an old state never wins
REFUSED_FOR_MS = 5_000  # a broker that registers anew learns its new epoch within this
LEAST_UNREADABLE = 3  # requests that a broker does not know, before more than chance is told of
LEAST_TERMINATED = 5  # connections that end while they authenticate, without a reason, are a dying peer if they are few
LEAST_FAILED = 2  # connections that fail authentication with a reason


def clocks_stepped(clock_steps: DataFrame) -> DataFrame:
    """F21: a node's clock that was set while it ran; an hour of daylight saving is no fault. Returns `FAULTS`."""
    return fault_rows(
        clock_steps.where(F.col("cause") == "clock_set"),
        "clock_stepped",
        broker_id=F.col("node_id"),
        said=statement(
            F.when(F.col("step_ms") < 0, "clock_set_back").otherwise("clock_set_forward"),
            node="node_id",
            step_ms=F.abs("step_ms").cast("bigint"),
        ),
        began_low=F.col("last_ts"),
        end_ts=F.col("ts"),
        confidence=0.9,
    )


@finds_in("isr_update_zk_version_conflict")
def isr_updates_refused(events: DataFrame, timings: DataFrame) -> DataFrame:
    """F22: a leader whose ISR writes ZooKeeper refuses again and again: it works on a state that is no longer true. Returns `FAULTS`.

    Each is tried anew every half of `replica.lag.time.max.ms` (facts §5, F22): the period is told.
    """
    refusals = events.where((F.col("kind") == "isr_update_zk_version_conflict") & F.col("topic").isNotNull())
    timed = with_timings(refusals, timings, "node_id", "ts", "replica_lag_ms")
    of_partition = Window.partitionBy("node_id", "topic", "partition").orderBy("ts")
    spelled = in_spells(timed, ("node_id",), F.col("replica_lag_ms") * 2).withColumn(
        "_since_ms", millis("ts", F.lag("ts").over(of_partition))
    )
    of_partitions = (
        spelled.groupBy("node_id", "spell", "topic", "partition")
        .agg(
            F.count("*").alias("count"),
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min(F.struct("ts", "event_id"))["event_id"].alias("event_id"),
            F.median("_since_ms").alias("period_ms"),
        )
        .where(F.col("count") >= LEAST_REFUSALS)
    )
    stuck = of_partitions.groupBy("node_id", "spell").agg(
        F.min("ts").alias("ts"),
        F.max("end_ts").alias("end_ts"),
        F.sum("count").alias("count"),
        F.median("period_ms").cast("bigint").alias("period_ms"),
        F.array_sort(F.collect_set(partition_name())).alias("partitions"),
        evidence_of().alias("evidence"),
    )
    return fault_rows(
        stuck,
        "isr_updates_refused",
        broker_id=F.col("node_id"),
        said=statement("isr_writes_refused", broker="node_id", count="count", period_ms="period_ms"),
        confidence=0.9,
    )


@finds_in("alter_partition_stale_broker_epoch", "isr_update_retry")
def isr_changes_refused(events: DataFrame) -> DataFrame:
    """F23: a leader whose ISR changes the controller ignores, or that cannot be brought to it, again and again. Returns
    `FAULTS`.

    That a change was given up for an old partition epoch is printed at DEBUG only; one that the controller's own
    decision overtook looks the same (facts §5, F23).
    """
    refusals = events.where(F.col("kind").isin("alter_partition_stale_broker_epoch", "isr_update_retry"))
    by_leader = F.when(F.col("kind") == "isr_update_retry", F.col("node_id")).otherwise(F.col("broker_id"))
    leaders = refusals.select(by_leader.alias("node_id"), "ts", "event_id").where(
        F.col("node_id").isNotNull() & F.col("ts").isNotNull()
    )
    spells = _spells_of_node(leaders, RETRIED_MS).where(millis("end_ts", "ts") >= REFUSED_FOR_MS)
    return _node_faults(spells, "isr_changes_refused", "isr_changes_ignored", 0.8)


@finds_in("thread_died", "fetch_process_error")
def fetchers_died(events: DataFrame, timings: DataFrame) -> DataFrame:
    """F25: a replica fetcher thread that ended with an error or, from 2.3 on (KIP-461), gave up partitions for one, whose leaders dropped the broker for it. Returns `FAULTS`.

    A partition "marked as failed" without an error of its own is none: its broker was told of a leader epoch before its
    leader was, and goes on ms later (facts §5, F25). A log directory that fails takes partitions from the fetchers as
    well (F14).
    """
    is_fetcher = F.col("logger").contains("ReplicaFetcherThread") | F.col("message").contains("ReplicaFetcher")
    died = _spells_of_node(events.where((F.col("kind") == "thread_died") & is_fetcher), RETRIED_MS)
    gave_up = _spells_of_node(_partitions_given_up(events, timings), RETRIED_MS)
    with_thread = died.select(
        F.col("node_id").alias("_died"), F.col("ts").alias("_died_ts"), F.col("end_ts").alias("_died_end")
    )
    same_time = (
        (F.col("_died") == F.col("node_id"))
        & (F.col("_died_ts") <= F.col("end_ts"))
        & (F.col("_died_end") >= F.col("ts"))
    )
    return _node_faults(died, "fetcher_died", "fetcher_thread_died", 0.9).unionByName(
        _node_faults(
            gave_up.join(F.broadcast(with_thread), same_time, "left_anti"), "fetcher_died", "fetcher_gave_up", 0.85
        )
    )


def _partitions_given_up(events: DataFrame, timings: DataFrame) -> DataFrame:
    """`node_id, ts, event_id`: the errors for which fetchers gave up partitions that stayed behind, and the shrinks
    of their ISRs.
    """
    key = ["node_id", "topic", "partition"]
    by_storage = F.contains(F.concat_ws(" ", "message", detail("exception")), F.lit("KafkaStorageException"))
    errors = events.where((F.col("kind") == "fetch_process_error") & ~by_storage & F.col("topic").isNotNull())
    errors = errors.select(*key, F.col("ts").alias("_error_ts"), F.col("event_id").alias("_error"))
    failed = events.where(F.col("kind") == "fetch_partition_failed").select(*key, F.col("ts").alias("_failed_ts"))
    at_once = F.abs(millis("_failed_ts", "_error_ts")) <= AT_ONCE_MS
    marked = with_timings(errors.join(failed, key).where(at_once), timings, "node_id", "_failed_ts", "replica_lag_ms")
    dropped = events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull()).select(
        F.explode(removed_from_isr()).alias("node_id"),
        "topic",
        "partition",
        F.col("ts").alias("_dropped_ts"),
        F.col("event_id").alias("_shrink"),
    )
    for_lag = F.col("_dropped_ts").between(F.col("_failed_ts"), plus_millis("_failed_ts", F.col("replica_lag_ms") * 4))
    both = F.array(
        F.struct(F.col("_error_ts").alias("ts"), F.col("_error").alias("event_id")),
        F.struct(F.col("_dropped_ts").alias("ts"), F.col("_shrink").alias("event_id")),
    )
    behind = marked.join(dropped, key).where(for_lag)
    return behind.select("node_id", F.explode(both).alias("_line")).select("node_id", "_line.*").distinct()


def lines_of_memory_errors(events: DataFrame) -> DataFrame:
    """The events that tell of an OutOfMemoryError."""
    said = F.concat_ws(" ", "message", detail("exception"))
    return events.where(F.contains(said, F.lit("java.lang.OutOfMemoryError")) & F.col("node_id").isNotNull())


def out_of_memory(events: DataFrame) -> DataFrame:
    """F26: an OutOfMemoryError in a broker's log. Returns `FAULTS`."""
    return _node_faults(
        _spells_of_node(lines_of_memory_errors(events), MEMORY_SPELL_MS), "out_of_memory", "ran_out_of_memory", 0.95
    )


def _spells_of_node(lines: DataFrame, gap_ms: int) -> DataFrame:
    """One row a node and spell of `lines`: `node_id, ts, end_ts, evidence`."""
    return (
        in_spells(lines, ("node_id",), gap_ms)
        .groupBy("node_id", "spell")
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), evidence_of().alias("evidence"))
    )


def _node_faults(spells: DataFrame, kind: str, reason: str, confidence: float) -> DataFrame:
    return fault_rows(
        spells, kind, broker_id=F.col("node_id"), said=statement(reason, broker="node_id"), confidence=confidence
    )


@finds_in("node_auth_failed")
def authentication_failed(events: DataFrame) -> DataFrame:
    """F27: connections between nodes that TLS or SASL refuses. Returns `FAULTS`.

    A node that fails with one other alone, which fails with several, tells of that one.
    """
    failed = events.where(
        (F.col("kind") == "node_auth_failed") & (F.col("broker_id") >= 0) & (F.col("broker_id") != F.col("node_id"))
    )
    owned = _with_owner(in_spells(failed, (), RETRIED_MS))
    is_own = F.col("node_id") == F.col("owner")
    spells = owned.groupBy("owner", "spell").agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.count_if(is_own).alias("own_count"),
        F.count_if(~is_own).alias("others_count"),
        F.array_sort(F.collect_set(F.when(is_own, F.col("broker_id")))).alias("to_nodes"),
        F.array_sort(F.collect_set(F.when(~is_own, F.col("node_id")))).alias("from_nodes"),
        F.min_by(detail("error"), F.when(detail("error").isNotNull(), F.struct("ts", "event_id"))).alias("error"),
        evidence_of().alias("evidence"),
    )
    least = F.when(F.col("error").isNotNull(), LEAST_FAILED).otherwise(LEAST_TERMINATED)
    return fault_rows(
        spells.where(F.col("own_count") + F.col("others_count") >= least),
        "authentication_failed",
        broker_id=F.col("owner"),
        said=_which_connections_failed(),
        confidence=0.9,
    )


def _with_owner(failed: DataFrame) -> DataFrame:
    """`failed` with `owner`: the node whose credentials are in doubt, the writer or the one it could not authenticate
    with.
    """
    pairs = failed.select("spell", "node_id", F.col("broker_id").alias("_peer"))
    both_ways = pairs.unionByName(
        pairs.select("spell", F.col("_peer").alias("node_id"), F.col("node_id").alias("_peer"))
    )
    peers = both_ways.groupBy("spell", "node_id").agg(F.countDistinct("_peer").alias("_peers"))
    of_peer = peers.select("spell", F.col("node_id").alias("broker_id"), F.col("_peers").alias("_peers_of_peer"))
    tells_of_peer = (F.col("_peers") == 1) & (F.col("_peers_of_peer") > 1)
    owner = F.when(tells_of_peer, F.col("broker_id")).otherwise(F.col("node_id"))
    return (
        failed.join(F.broadcast(peers), ["spell", "node_id"])
        .join(F.broadcast(of_peer), ["spell", "broker_id"])
        .withColumn("owner", owner)
    )


def _which_connections_failed() -> Column:
    has_own, has_theirs = F.col("own_count") > 0, F.col("others_count") > 0
    reason = (
        F.when(has_own & has_theirs, "connections_failed_both_ways")
        .when(has_own, "own_connections_failed")
        .otherwise("connections_to_it_failed")
    )
    return statement(
        reason,
        node="owner",
        own_count="own_count",
        others_count="others_count",
        all_to="to_nodes",
        all_from="from_nodes",
        error="error",
    )


@finds_in("request_unreadable")
def protocol_refused(events: DataFrame) -> DataFrame:
    """F28: a broker that cannot read what newer brokers ask of it: they were upgraded and did not keep `inter.broker.protocol.version` (KIP-35 is for clients only). Returns `FAULTS`.

    Only fetches of other brokers that fail at it at the same time tell that these asked; where both print their
    releases, the one that asks runs the newer.
    """
    of_node = Window.partitionBy("node_id").orderBy("ts", "event_id")
    release = F.when(F.col("kind") == "process_version", detail("kafka_version"))
    lines = events.where(F.col("kind").isin("process_version", "request_unreadable", "fetch_send_error"))
    released = lines.withColumn("release", F.last(release, ignorenulls=True).over(so_far(of_node)))
    unreadable = _spells_unreadable(released)
    asked = _with_who_asked(unreadable, _failed_fetches(released))
    return fault_rows(
        asked,
        "protocol_refused",
        broker_id=F.col("node_id"),
        said=statement(
            "could_not_read_requests",
            broker="node_id",
            release="release",
            count="count",
            requests=F.array_join("requests", "; "),
            all_peers="peers",
            peers_releases=F.when(F.size("peers_releases") > 0, F.array_join("peers_releases", ", ")),
        ),
        confidence=0.9,
    )


def _spells_unreadable(released: DataFrame) -> DataFrame:
    request = F.regexp_extract(detail("exception"), r"apiKey: ([A-Z_]+), apiVersion: (\d+)", 0)
    unreadable = released.where((F.col("kind") == "request_unreadable") & (request != "")).withColumn(
        "_request", request
    )
    return (
        in_spells(unreadable, ("node_id", "release"), RETRIED_MS * 2)
        .groupBy("node_id", "release", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("_request")).alias("requests"),
            evidence_of().alias("evidence"),
        )
        .where(F.col("count") >= LEAST_UNREADABLE)
    )


def _failed_fetches(released: DataFrame) -> DataFrame:
    """`asked_node, peer, peer_release, failed_ts`: fetches that failed, from whom and by whom."""
    asked = F.regexp_extract("message", r"leaderId=(\d+)", 1).try_cast("int")
    return released.where(F.col("kind") == "fetch_send_error").select(
        asked.alias("asked_node"),
        F.col("node_id").alias("peer"),
        F.col("release").alias("peer_release"),
        F.col("ts").alias("failed_ts"),
    )


def _with_who_asked(unreadable: DataFrame, failed: DataFrame) -> DataFrame:
    is_newer = F.coalesce(release_number(F.col("peer_release")) > release_number(F.col("release")), F.lit(True))
    at_once = F.col("failed_ts").between(plus_millis("ts", -AT_ONCE_MS), plus_millis("end_ts", AT_ONCE_MS))
    return (
        unreadable.join(failed, (F.col("asked_node") == F.col("node_id")) & at_once & is_newer)
        .groupBy(*unreadable.columns)
        .agg(
            F.array_sort(F.collect_set("peer")).alias("peers"),
            F.array_sort(F.collect_set("peer_release")).alias("peers_releases"),
        )
    )
