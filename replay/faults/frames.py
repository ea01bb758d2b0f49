"""The rules that stages of Spark still call; gone once those stages are plain Python."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from replay.brokers.second_processes import refused_as_duplicate
from replay.columns.events import detail
from replay.columns.evidence import evidence_of, evidence_of_rows
from replay.columns.times import millis, plus_millis
from replay.columns.windows import after, before, ordered, so_far
from replay.facts.lives import STARTS
from replay.faults.kinds import is_kind
from replay.faults.late_metadata import LATE_MS, ONE_SPELL_MS
from replay.faults.registrations import ASKED_AGAIN_MS, GIVES_UP_MS
from replay.faults.rows import fault_rows, in_spells, own_lines
from replay.faults.rule import finds_in
from replay.faults.unreachable import RECONNECTED_MS, ZOOKEEPER_FOUND, ZOOKEEPER_LOST
from replay.sentences import statement

ROLES = ("leader_start", "follower_start")
_DECISION = ("topic_id", "partition", "leader_epoch", "partition_epoch")


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


@finds_in("broker_registration_failed", "zk_ephemeral_conflict")
def registration_refused(events: DataFrame) -> DataFrame:
    """F29: a restart that was refused because the broker's old session still ran. Returns `FAULTS`.

    With ZooKeeper it then stops itself, with KRaft it asks again. Or (`second_process`) another process asked for the
    id of a broker that lived on; its lines are no node's.
    """
    refused = _with_end_of_start(_spells_of_refusals(events), events)
    return fault_rows(
        refused.where(F.col("broker_id").isNotNull()),
        F.when(F.col("is_second"), "second_process").otherwise("registration_refused"),
        said=statement(
            F.when(F.col("is_second"), "id_asked_for_by_another").otherwise("previous_session_active"),
            broker="broker_id",
            count="count",
            all_files="files",
            at_stop="gave_up_ts",
        ),
        confidence=0.9,
    )


def _spells_of_refusals(events: DataFrame) -> DataFrame:
    at_path = F.regexp_extract("message", r"/brokers/ids/(\d+)", 1).try_cast("int")
    refusals = events.where(refused_as_duplicate()).select(
        F.coalesce("node_id", "broker_id", at_path).alias("broker_id"),
        F.col("node_id").isNull().alias("is_second"),
        "ts",
        "event_id",
        "source_file",
    )
    return (
        in_spells(refusals, ("broker_id", "is_second"), ASKED_AGAIN_MS)
        .groupBy("broker_id", "is_second", "spell")
        .agg(
            F.min("ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.count("*").alias("count"),
            F.array_sort(F.collect_set("source_file")).alias("files"),
            evidence_of().alias("evidence"),
        )
    )


def _with_end_of_start(refused: DataFrame, events: DataFrame) -> DataFrame:
    failed = events.where(F.col("kind") == "process_startup_failed").select(
        F.col("node_id").alias("_node"), F.col("ts").alias("_failed_ts")
    )
    soon = F.col("_failed_ts").between(F.col("end_ts"), plus_millis("end_ts", GIVES_UP_MS))
    of_it = (F.col("_node") == F.col("broker_id")) & ~F.col("is_second") & soon
    return refused.join(failed, of_it, "left").groupBy(*refused.columns).agg(F.min("_failed_ts").alias("gave_up_ts"))


@finds_in("raft_transition")
def metadata_late(events: DataFrame) -> DataFrame:
    """F32: a broker that takes up its part in a decision of the KRaft controllers long after another broker did, though
    it ran all the while. Returns `FAULTS`.

    Only lines of one and the same decision are compared, by partition epoch: a replica that is added later starts with
    a later one. A broker that started in between reads what it had missed.
    """
    own = own_lines(events)
    roles = own.where(F.col("kind").isin(*ROLES) & F.col("topic_id").isNotNull() & F.col("partition_epoch").isNotNull())
    first = roles.groupBy(*_DECISION).agg(
        F.min("ts").alias("first_ts"), F.min_by("event_id", "ts").alias("first_event")
    )
    began = own.groupBy("node_id").agg(
        F.min("ts").alias("_heard_ts"),
        F.collect_list(F.when(F.col("kind").isin(*STARTS), F.col("ts"))).alias("_starts"),
    )
    restarted = F.exists("_starts", lambda start: start.between(F.col("first_ts"), F.col("ts")))
    late = (
        roles.join(first, list(_DECISION))
        .where(millis("ts", "first_ts") >= LATE_MS)
        .join(began, "node_id")
        .where((F.col("_heard_ts") < F.col("first_ts")) & ~restarted)
    )
    spells = (
        in_spells(late, ("node_id",), ONE_SPELL_MS)
        .groupBy("node_id", "spell")
        .agg(
            F.min("first_ts").alias("ts"),
            F.max("ts").alias("end_ts"),
            F.max(millis("ts", "first_ts")).alias("late_ms"),
            F.countDistinct("topic_id", "partition").alias("partitions_late"),
            F.min_by("first_event", "first_ts").alias("first_event"),
            evidence_of().alias("lines"),
        )
    )
    return fault_rows(
        spells,
        "metadata_late",
        broker_id=F.col("node_id"),
        said=statement(
            "learnt_late",
            broker="node_id",
            late_ms="late_ms",
            partitions="partitions_late",
            at_from="ts",
            at_to="end_ts",
        ),
        began_low=plus_millis("ts", -LATE_MS),
        confidence=0.7,
        evidence=F.concat(F.array("first_event"), F.col("lines")),
    )
