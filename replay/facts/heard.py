"""What plain Python needs of every line of a node, gathered by Spark: few rows a node, whatever the input."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.columns.windows import after, before, ordered, so_far
from replay.facts.lives import BOUNDS
from replay.facts.missing_lines import FETCHERS, ROLES
from replay.facts.reads import gathers
from replay.reading.metadata_log import metadata_records
from replay.tables.brokers import RECORDED_MEMBERSHIP, ROLE_CHANGES, SILENCES_AROUND, STRETCHES, WORDINGS

# What the shipped configuration writes to files of its own: it goes on as it was, or is silent, whatever becomes of
# the process (kafka-log-formats §2).
IN_OTHER_FILES = r"^(kafka\.controller\.|org\.apache\.kafka\.controller\.|state\.change\.logger|kafka\.request\.logger|kafka\.authorizer\.logger|(kafka\.log|org\.apache\.kafka\.storage\.internals\.log)\.LogCleaner)"
# Lines of a ZooKeeper that writes into the broker's file, and of a client that asks for ZooKeeper before the broker
# is started, as container images do.
_OF_ZOOKEEPER = r"^zookeeper_"
OF_ANY_CLIENT = r"^(zookeeper|zk|process|gc|jvm|housekeeping)_|^config_(dump|deprecated|warning)"
ROLE_LINES = ("leader_start", "follower_start")
FETCHER_LINES = ("fetcher_partitions_removed", "fetcher_partitions_added")
ROLLED = r"(?:\.\d{4}-\d\d-\d\d(?:-\d\d)?|\.\d{1,3})?(?:\.(?:gz|bz2|xz|zip))?$"
_REGISTRATIONS = (
    "REGISTER_BROKER_RECORD",
    "BROKER_REGISTRATION_CHANGE_RECORD",
    "FENCE_BROKER_RECORD",
    "UNFENCE_BROKER_RECORD",
)
_FENCED, _UNFENCED = "1", "-1"  # in a record that changes a registration


def wordings(events: DataFrame) -> DataFrame:
    """The templates that each node's lines are of. Returns `WORDINGS`."""
    known = events.where(F.col("node_id").isNotNull() & F.col("template_id").isNotNull())
    return WORDINGS.of(known.groupBy("node_id").agg(F.array_sort(F.collect_set("template_id")).alias("template_ids")))


def stretches(events: DataFrame) -> DataFrame:
    """The lines of each node's process, between those with which a life may begin or end. Returns `STRETCHES`."""
    node = Window.partitionBy("node_id").orderBy("ts", "source_file", "line_number")
    number = F.count_if(F.col("kind").isin(*BOUNDS)).over(so_far(node)).cast("int")
    is_recovery = (F.col("kind") == "log_segment_recovery") & ~F.col("topic").eqNullSafe("__cluster_metadata")
    first = F.min(F.struct("ts", "source_file", "line_number", "event_id"))
    last = F.max(F.struct("ts", "line_number", "event_id"))
    told = (
        _own_lines(events)
        .withColumn("number", number)
        .groupBy("node_id", "number")
        .agg(
            first.alias("_first"),
            last.alias("_last"),
            F.bool_or(~F.col("logger").rlike(IN_OTHER_FILES)).alias("of_server_log"),
            F.bool_or(~F.col("kind").rlike(OF_ANY_CLIENT)).alias("of_kafka"),
            F.max(F.when(is_recovery, F.col("event_id"))).alias("recovery_event"),
        )
    )
    return STRETCHES.rows(
        told,
        first_ts=F.col("_first.ts"),
        first_event=F.col("_first.event_id"),
        last_ts=F.col("_last.ts"),
        last_line=F.col("_last.line_number"),
        last_event=F.col("_last.event_id"),
    )


def _own_lines(events: DataFrame) -> DataFrame:
    """The lines that a node printed itself, with a time; none of a ZooKeeper server that writes into its file."""
    is_own = F.col("node_id").isNotNull() & F.col("ts").isNotNull() & F.col("logger").isNotNull()
    return events.where(is_own & ~F.col("kind").rlike(_OF_ZOOKEEPER))


def series(source_file: str | Column = "source_file") -> Column:
    """The log that a file is a rolled part of: `node-1/server.log.2026-11-21-05.gz` is of `node-1/server.log`."""
    return F.regexp_replace(source_file, ROLLED, "")


@gathers(*ROLE_LINES, *FETCHER_LINES)
def role_changes(events: DataFrame) -> DataFrame:
    """What each log of a node tells of changes of roles, a row a second. Returns `ROLE_CHANGES`.

    A log that some lines without a node stand in is left out: no one knows which lines of it are missing.
    """
    own = events.where(F.col("ts").isNotNull() & F.col("logger").isNotNull()).withColumn("series", series())
    shared = own.where(F.col("node_id").isNull()).select("series").distinct()
    sort = F.when(F.col("kind").isin(*ROLE_LINES), ROLES).when(F.col("kind").isin(*FETCHER_LINES), FETCHERS)
    told = own.withColumn("sort", sort).where(F.col("node_id").isNotNull() & F.col("sort").isNotNull())
    return ROLE_CHANGES.of(
        told.join(F.broadcast(shared), "series", "left_anti")
        .groupBy("node_id", "series", "sort", F.date_trunc("second", "ts"))
        .agg(F.min("ts").alias("ts"), F.max("ts").alias("last_ts"), F.min("event_id").alias("event_id"))
    )


def silences_around(events: DataFrame, unanswered: DataFrame) -> DataFrame:
    """The lines of a log before and after each change of roles that it does not tell of. Returns `SILENCES_AROUND`."""
    asked = unanswered.select("node_id", "series", "ts").distinct()
    logs = F.broadcast(asked.select("node_id", "series").distinct())
    line = F.struct("ts", "line_number", "event_id").alias("line")
    lines = (
        events.where(F.col("ts").isNotNull() & F.col("logger").isNotNull())
        .withColumn("series", series())
        .join(logs, ["node_id", "series"], "left_semi")
        .select("node_id", "series", "ts", line)
    )
    in_time = ordered(("node_id", "series"), "ts", "line")
    placed = asked.unionByName(lines, allowMissingColumns=True).withColumns(
        {
            "last": F.last("line", ignorenulls=True).over(before(in_time())),
            "next": F.last("line", ignorenulls=True).over(after(in_time)),
        }
    )
    return SILENCES_AROUND.rows(
        placed.where(F.col("line").isNull()),
        start_ts=F.col("last.ts"),
        start_event=F.col("last.event_id"),
        end_ts=F.col("next.ts"),
        end_event=F.col("next.event_id"),
    )


@gathers("dump_metadata_record")
def recorded_membership(events: DataFrame) -> DataFrame:
    """Who came and went as the dumped metadata log has it. Returns `RECORDED_MEMBERSHIP`."""
    type_, fenced = F.col("type"), F.col("data.fenced")
    change = (
        F.when((fenced == _FENCED) | (type_ == "FENCE_BROKER_RECORD"), "lost")
        .when((fenced == _UNFENCED) | (type_ == "UNFENCE_BROKER_RECORD"), "back")
        .when(type_ == "REGISTER_BROKER_RECORD", "registered")
    )
    told = metadata_records(events).where(type_.isin(*_REGISTRATIONS))
    changes = RECORDED_MEMBERSHIP.rows(
        told,
        broker_id=F.coalesce("data.brokerId", "data.id"),
        change=change,
        broker_epoch=F.coalesce("data.brokerEpoch", "data.epoch"),
    )
    return changes.where(F.col("broker_id").isNotNull() & F.col("change").isNotNull())
