"""Errors that a broker states outright: refused ISR writes (F22), dead fetchers (F25), memory (F26), credentials (F27), requests that it cannot read (F28), a refused registration (F29); and clocks that were set (F21)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.releases import release_number
from replay.brokers.second_processes import refused_as_duplicate
from replay.columns.events import detail
from replay.columns.evidence import evidence_of
from replay.columns.phrases import clock, counted, named
from replay.columns.times import plus_millis
from replay.columns.windows import so_far
from replay.faults.shape import fault, removed

_AT_ONCE_MS = 1_000
_DROPPED_WITHIN_MS = 120_000  # a leader drops a follower after 1 to 1.5 times replica.lag.time.max.ms, 30 s by default
_GIVES_UP_MS = 10_000  # a broker that ZooKeeper refuses stops within this
_UNREADABLE = 3  # requests that a broker does not know, before more than chance is told of
_TERMINATED = 5  # connections that end while they authenticate, without a reason, are a peer that dies if they are few


def clocks_stepped(steps: DataFrame) -> DataFrame:
    """F21: a node's clock that was set while it ran; an hour of daylight saving is no fault."""
    return fault(
        steps.where(F.col("cause") == "clock_set"),
        "clock_stepped",
        "F21",
        broker_id=F.col("node_id"),
        t0_low=F.col("last_ts"),
        end_ts=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.format_string(
            "the clock of node %d was set %s by %d ms",
            F.col("node_id"),
            F.when(F.col("step_ms") < 0, "back").otherwise("forward"),
            F.abs("step_ms").cast("bigint"),
        ),
    )


def isr_updates_stuck(events: DataFrame) -> DataFrame:
    """F22: a leader whose ISR writes ZooKeeper refuses again and again: it works on a state that is no longer true."""
    told = (
        events.where(F.col("kind") == "isr_update_zk_version_conflict")
        .groupBy("node_id", "topic", "partition")
        .agg(
            F.count("*").alias("_count"),
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.min_by("event_id", "ts").alias("event_id"),
        )
        .where(F.col("_count") >= 3)
        .groupBy("node_id")
        .agg(
            F.min("ts").alias("ts"),
            F.max("end_ts").alias("end_ts"),
            F.sum("_count").alias("_count"),
            F.array_sort(F.collect_set(F.concat_ws("-", "topic", "partition"))).alias("partitions"),
            evidence_of().alias("evidence"),
        )
    )
    return fault(
        told,
        "isr_updates_refused",
        "F22",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        partitions=F.col("partitions"),
        confidence=F.lit(0.9),
        because=F.format_string(
            "%d ISR writes of broker %d were refused for their zkVersion: it leads by a state that has changed behind it",
            "_count",
            "node_id",
        ),
    )


def fetchers_died(events: DataFrame) -> DataFrame:
    """F25: a replica fetcher thread that ended with an error or, from 2.3 on (KIP-461), gave up partitions for one, whose leaders dropped the broker for it.

    A partition "marked as failed" without an error of its own is none: its broker was told of a leader epoch before its leader was, and
    goes on ms later (facts §5, F25). A log directory that fails takes partitions from the fetchers as well (F14).
    """
    died = events.where(
        (F.col("kind") == "thread_died")
        & (F.col("logger").contains("ReplicaFetcherThread") | F.col("message").contains("ReplicaFetcher"))
    )
    thread = F.format_string(
        "a replica fetcher thread of broker %d died: what it fetched falls out of the ISRs", "node_id"
    )
    given_up = F.format_string(
        "a replica fetcher of broker %d gave up partitions for an error: their leaders dropped it from the ISRs",
        "node_id",
    )
    return _one_a_broker(died, "fetcher_died", "F25", 0.9, thread).unionByName(
        _one_a_broker(_given_up(events), "fetcher_died", "F25", 0.85, given_up).join(
            died.select(F.col("node_id").alias("broker_id")).distinct(), "broker_id", "left_anti"
        )
    )


def _given_up(events: DataFrame) -> DataFrame:
    """The errors for which fetchers gave up partitions that stayed behind, and the shrinks of their ISRs."""
    key = ("node_id", "topic", "partition")
    storage = F.contains(F.concat_ws(" ", "message", detail("exception")), F.lit("KafkaStorageException"))
    errors = events.where((F.col("kind") == "fetch_process_error") & ~storage & F.col("topic").isNotNull()).select(
        *key, F.col("ts").alias("_error_ts"), F.col("event_id").alias("_error")
    )
    failed = events.where(F.col("kind") == "fetch_partition_failed").select(*key, F.col("ts").alias("_failed_ts"))
    marked = errors.join(failed, list(key)).where(
        F.col("_failed_ts").between(plus_millis("_error_ts", -_AT_ONCE_MS), plus_millis("_error_ts", _AT_ONCE_MS))
    )
    gone = events.where((F.col("kind") == "isr_shrink") & F.col("isr").isNotNull()).select(
        F.explode(removed()).alias("node_id"),
        "topic",
        "partition",
        F.col("ts").alias("_dropped_ts"),
        F.col("event_id").alias("_shrink"),
    )
    behind = marked.join(gone, list(key)).where(
        F.col("_dropped_ts").between(F.col("_failed_ts"), plus_millis("_failed_ts", _DROPPED_WITHIN_MS))
    )
    told = F.array(
        F.struct(F.col("_error_ts").alias("ts"), F.col("_error").alias("event_id")),
        F.struct(F.col("_dropped_ts").alias("ts"), F.col("_shrink").alias("event_id")),
    )
    return behind.select("node_id", F.explode(told).alias("_told")).select("node_id", "_told.*").distinct()


def out_of_memory(events: DataFrame) -> DataFrame:
    """F26: an OutOfMemoryError in a broker's log."""
    told = events.where(
        F.contains(F.concat_ws(" ", "message", detail("exception")), F.lit("java.lang.OutOfMemoryError"))
    )
    return _one_a_broker(told, "out_of_memory", "F26", 0.95, F.format_string("broker %d ran out of memory", "node_id"))


def _one_a_broker(told: DataFrame, kind: str, code: str, confidence: float, because: Column) -> DataFrame:
    """A fault from the first to the last of the lines that a broker prints of it."""
    spans = told.groupBy("node_id").agg(
        F.min("ts").alias("ts"), F.max("ts").alias("end_ts"), evidence_of().alias("evidence")
    )
    return fault(
        spans, kind, code, broker_id=F.col("node_id"), t0_low=F.col("ts"), confidence=F.lit(confidence), because=because
    )


def authentication_failed(events: DataFrame) -> DataFrame:
    """F27: connections between nodes that TLS or SASL refuses; a node that fails with one other alone, which fails with several, tells of that one."""
    told = events.where(
        (F.col("kind") == "node_auth_failed") & (F.col("broker_id") >= 0) & (F.col("broker_id") != F.col("node_id"))
    )
    pairs = told.select("node_id", F.col("broker_id").alias("_peer"))
    with_whom = (
        pairs.unionByName(pairs.select(F.col("_peer").alias("node_id"), F.col("node_id").alias("_peer")))
        .groupBy("node_id")
        .agg(F.array_sort(F.collect_set("_peer")).alias("_with"))
    )
    of_peer = with_whom.select(F.col("node_id").alias("broker_id"), F.col("_with").alias("_peers_with"))
    owner = F.when((F.size("_with") == 1) & (F.size("_peers_with") > 1), F.col("broker_id")).otherwise(F.col("node_id"))
    owned = (
        told.join(F.broadcast(with_whom), "node_id").join(F.broadcast(of_peer), "broker_id").withColumn("_owner", owner)
    )
    own = F.col("node_id") == F.col("_owner")
    found = (
        owned.groupBy("_owner")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count_if(own).alias("_own"),
            F.count_if(~own).alias("_theirs"),
            F.array_sort(F.collect_set(F.when(own, F.col("broker_id")))).alias("_to"),
            F.array_sort(F.collect_set(F.when(~own, F.col("node_id")))).alias("_from"),
            F.min_by(detail("error"), F.when(detail("error").isNotNull(), F.col("ts"))).alias("_error"),
            evidence_of().alias("evidence"),
        )
        .where(F.col("_own") + F.col("_theirs") >= F.when(F.col("_error").isNotNull(), 2).otherwise(_TERMINATED))
    )
    of_its_own = F.concat(
        counted("_own", "connection"), F.format_string(" of node %d to ", "_owner"), named("_to", "node")
    )
    of_theirs = F.concat(
        counted("_theirs", "connection"),
        F.lit(" of "),
        named("_from", "node"),
        F.format_string(" to node %d", "_owner"),
    )
    return fault(
        found,
        "authentication_failed",
        "F27",
        broker_id=F.col("_owner"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.concat(
            F.concat_ws(" and ", F.when(F.col("_own") > 0, of_its_own), F.when(F.col("_theirs") > 0, of_theirs)),
            F.lit(" failed authentication"),
            F.coalesce(F.concat(F.lit(' ("'), F.col("_error"), F.lit('")')), F.lit("")),
        ),
    )


def protocol_refused(events: DataFrame) -> DataFrame:
    """F28: a broker that cannot read what newer brokers ask of it: they were upgraded and did not keep `inter.broker.protocol.version` (KIP-35 is for clients only).

    Only fetches of other brokers that fail at it at the same time tell that these asked; where both print their releases, the one that asks runs the newer.
    """
    of_node = Window.partitionBy("node_id").orderBy("ts", "event_id")
    release = F.when(F.col("kind") == "process_version", detail("kafka_version"))
    told = events.where(F.col("kind").isin("process_version", "request_unreadable", "fetch_send_error")).withColumn(
        "_release", F.last(release, ignorenulls=True).over(so_far(of_node))
    )
    unknown = F.regexp_extract(detail("exception"), r"apiKey: ([A-Z_]+), apiVersion: (\d+)", 0)
    refused = (
        told.where((F.col("kind") == "request_unreadable") & (unknown != ""))
        .groupBy("node_id", "_release")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("_count"),
            F.array_sort(F.collect_set(unknown)).alias("_unknown"),
            evidence_of().alias("evidence"),
        )
        .where(F.col("_count") >= _UNREADABLE)
    )
    failed = told.where(F.col("kind") == "fetch_send_error").select(
        F.regexp_extract("message", r"leaderId=(\d+)", 1).try_cast("int").alias("_of"),
        F.col("node_id").alias("_peer"),
        F.col("_release").alias("_peers_release"),
        F.col("ts").alias("_ts"),
    )
    newer = F.coalesce(release_number(F.col("_peers_release")) > release_number(F.col("_release")), F.lit(True))
    at_once = (F.col("_of") == F.col("node_id")) & F.col("_ts").between(
        plus_millis("ts", -_AT_ONCE_MS), plus_millis("end_ts", _AT_ONCE_MS)
    )
    asked = (
        refused.join(failed, at_once & newer)
        .groupBy(*refused.columns)
        .agg(
            F.array_sort(F.collect_set("_peer")).alias("_peers"),
            F.array_sort(F.collect_set("_peers_release")).alias("_peers_releases"),
        )
    )
    of_release = F.coalesce(F.concat(F.lit(" (Kafka "), F.col("_release"), F.lit(")")), F.lit(""))
    of_releases = F.when(
        F.size("_peers_releases") > 0, F.concat(F.lit(" (Kafka "), F.array_join("_peers_releases", ", "), F.lit(")"))
    ).otherwise("")
    return fault(
        asked,
        "protocol_refused",
        "F28",
        broker_id=F.col("node_id"),
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.concat(
            F.format_string("broker %d", "node_id"),
            of_release,
            F.lit(" could not read "),
            counted("_count", "request"),
            F.lit(" ("),
            F.array_join("_unknown", "; "),
            F.lit(") while fetches of "),
            named("_peers", "broker"),
            of_releases,
            F.lit(
                " from it failed: they ask in a newer inter-broker protocol than it knows, so inter.broker.protocol.version was not kept at the old one while brokers were upgraded"
            ),
        ),
    )


def registration_refused(events: DataFrame) -> DataFrame:
    """F29: a restart that was refused because the broker's old session still ran (with ZooKeeper it then stops itself, with KRaft it asks again); or (`second_process`) another process that asked for the id of one that lived on, whose lines are no node's."""
    at_path = F.regexp_extract("message", r"/brokers/ids/(\d+)", 1).try_cast("int")
    refused = events.where(refused_as_duplicate()).select(
        F.coalesce("node_id", "broker_id", at_path).alias("broker_id"),
        F.col("node_id").isNull().alias("_second"),
        "ts",
        "event_id",
        "source_file",
    )
    told = refused.groupBy("broker_id", "_second").agg(
        F.min("ts").alias("ts"),
        F.max("ts").alias("end_ts"),
        F.count("*").alias("_times"),
        F.array_sort(F.collect_set("source_file")).alias("_files"),
        evidence_of().alias("evidence"),
    )
    gave_up = events.where(F.col("kind") == "process_startup_failed").select(
        F.col("node_id").alias("_node"), F.col("ts").alias("_failed_ts")
    )
    at_once = (F.col("_node") == F.col("broker_id")) & F.col("_failed_ts").between(
        F.col("end_ts"), plus_millis("end_ts", _GIVES_UP_MS)
    )
    told = (
        told.join(gave_up, at_once & ~F.col("_second"), "left")
        .groupBy(*told.columns)
        .agg(F.min("_failed_ts").alias("_gave_up_ts"))
    )
    second = F.col("_second")
    return fault(
        told.where(F.col("broker_id").isNotNull()),
        F.when(second, "second_process").otherwise("registration_refused"),
        "F29",
        t0_low=F.col("ts"),
        confidence=F.lit(0.9),
        because=F.when(
            second,
            F.concat(
                F.lit("while broker "),
                F.col("broker_id").cast("string"),
                F.lit(" lived on, another process asked for its id and was refused "),
                counted("_times", "time"),
                F.lit("; what it wrote ("),
                F.array_join("_files", ", "),
                F.lit(" and beside) is counted, and told of no node"),
            ),
        ).otherwise(
            F.concat(
                F.format_string("broker %d was refused at its start: its old session had not ended", "broker_id"),
                F.when(
                    F.col("_gave_up_ts").isNotNull(),
                    F.concat(
                        F.lit("; it stopped itself at "), clock("_gave_up_ts"), F.lit(" and has to be started again")
                    ),
                ).otherwise(""),
            )
        ),
    )
