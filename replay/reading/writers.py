"""Which node wrote a record, where one file holds the records of several: the id that its prefix, its text or its
thread names.

Kafka's own quickstart starts several brokers in one folder, and all of them append to the same `logs/server.log`.
What names no node there belongs to none: the line before it may be another node's.
Sources: kafka-log-formats §3 (prefixes), `Thread.setName` and `ShutdownableThread` names of the broker and the raft client.
"""

from __future__ import annotations

import re

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

# What stands before the id of the node itself. `[ReplicaFetcherThread-0-2]` names a leader, `[Consumer clientId=…]` a
# client.
_BEFORE_AN_ID = (
    r"\[[^\]]*?\b(?:id|nodeId|brokerId|controllerId|broker|replicaId)=(?=\d+[\], ])",
    r"\[[^\]]*? on (?:[A-Za-z]+ )?(?=\d+\])",
    r"\[(?:[A-Z][A-Za-z]+ )*(?:[A-Z][a-z]+)*(?:Controller|Server|Coordinator|Manager|Handler|MetadataLoader|SnapshotGenerator) (?=\d+\])",
    r"\[RemoteLogManager=(?=\d+ )",
    r"\[(?:zk-broker|broker|[cC]ontroller|kafka|quorum-controller|ExpirationReaper|KafkaApi|delete-topics-thread|TxnMarkerSenderThread)-(?=\d+[\]-])",
    r"Partition \[[^\]]*\] on broker (?=\d+: )",
    r"Broker (?=\d+ (?:cached|completed|deleted|finished|handling|ignoring|received|skipped|started|stopped|truncated) )",
    r"Controller (?=\d+ epoch \d+ )",
    r"Registered broker (?=\d+ at path /brokers/ids/)",
    r"(?:Creating|Stat of the created znode at) /brokers/ids/(?=\d+ )",
)
_MESSAGE = r"^(?:" + "|".join(_BEFORE_AN_ID) + r")(\d+)"
_THREAD = (
    r"^(?:(?:data-plane-|control-plane-)?kafka-network-thread|(?:zk-)?broker|[cC]ontroller|kafka|quorum-controller"
    r"|ExpirationReaper|KafkaApi|delete-topics-thread|TxnMarkerSenderThread)-(\d+)-"
)
_COMPILED = re.compile(_MESSAGE), re.compile(_THREAD)
_ANYWHERE = re.compile(r"(?:^|[\s\]])(?:" + "|".join(_BEFORE_AN_ID[:5]) + r")\d+")

# A configuration that a node prints as it starts, or as it is changed, names it below its first line.
_ID_SETTING = r"^\t(?:broker|node)\.id = (\d+)\s*$"
_DIRS_SETTING = r"^\tlog\.dirs? = (.+?)\s*$"

# The eighth number of a znode's state is the session that owns it.
_OWN_ZNODE = r"^Stat of the created znode at /brokers/ids/\d+ is: (?:\d+,){7}(\d+),"


def node_named(message: str, thread: str | None = None) -> int | None:
    """The node that wrote `message`, if the message or its thread names it."""
    found = _COMPILED[0].match(message) or (_COMPILED[1].match(thread) if thread else None)
    return int(found[1]) if found else None


def names_a_node(line: str) -> bool:
    """Whether `line`, in whatever layout, holds one of the prefixes by which a node names itself."""
    return _ANYWHERE.search(line) is not None


def named_node(message: Column, thread: Column | None = None) -> Column:
    """`node_named` as a column."""
    told = F.nullif(F.regexp_extract(message, _MESSAGE, 1), F.lit("")).try_cast("int")
    if thread is None:
        return told
    return F.coalesce(told, F.nullif(F.regexp_extract(thread, _THREAD, 1), F.lit("")).try_cast("int"))


def with_own_things(records: DataFrame, lines: DataFrame) -> DataFrame:
    """`records` with the node of those that name none but hold something that one node of their file has to itself.

    A dump of settings is of the node whose `broker.id` or `node.id` it holds; a log in a directory is of the one node
    of that file whose dumps name the directory; a ZooKeeper session is of the node whose znode it owns. `lines` are
    those of `replay.reading.parse.lines`.
    """
    nobodys = lines.where(F.col("node_id").isNull() & F.startswith("text", F.lit("\t")))
    id_, dirs = F.regexp_extract("text", _ID_SETTING, 1), F.regexp_extract("text", _DIRS_SETTING, 1)
    told = nobodys.select(
        "source_file",
        "line_number",
        F.nullif(id_, F.lit("")).try_cast("int").alias("_id"),
        F.nullif(F.nullif(dirs, F.lit("")), F.lit("null")).alias("_dirs"),
    ).where(F.col("_id").isNotNull() | F.col("_dirs").isNotNull())
    dumps = records.where((F.col("kind") == "config_dump") & F.col("node_id").isNull()).select(
        "source_file", "line_number", F.col("line_number").alias("_dump")
    )
    in_file = (
        Window.partitionBy("source_file")
        .orderBy("line_number")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    of_dump = (
        told.unionByName(dumps, allowMissingColumns=True)
        .withColumn("_dump", F.last("_dump", ignorenulls=True).over(in_file))
        .where(F.col("_dump").isNotNull())
        .groupBy("source_file", "_dump")
        .agg(F.max("_id").alias("_id"), F.flatten(F.collect_set(F.split("_dirs", r"\s*,\s*"))).alias("_dirs"))
        .where(F.col("_id").isNotNull())
    )
    by_dump = of_dump.select("source_file", F.col("_dump").alias("line_number"), F.col("_id").alias("_configured"))
    by_dir = (
        of_dump.select("source_file", "_id", F.explode("_dirs").alias("_dir"))
        .groupBy("source_file", "_dir")
        .agg(F.min("_id").alias("_owner"), F.max("_id").alias("_last_owner"))
        .where(F.col("_owner") == F.col("_last_owner"))
        .select("source_file", "_dir", "_owner")
    )
    by_session = (
        records.where(F.col("node_id").isNotNull() & F.col("message").rlike(_OWN_ZNODE))
        .select(
            "source_file",
            F.col("node_id").alias("_client"),
            F.lower(F.hex(F.regexp_extract("message", _OWN_ZNODE, 1).try_cast("bigint"))).alias("_session"),
        )
        .groupBy("source_file", "_session")
        .agg(F.min("_client").alias("_client"))
    )
    nobody = F.col("node_id").isNull()
    session = F.regexp_extract(F.lower(F.col("details")["session_id"]), r"^0x([0-9a-f]+)$", 1)
    return (
        records.withColumns(
            {
                "_dir": F.when(nobody, F.col("details")["dir"]),
                "_session": F.when(nobody & (session != ""), session),
            }
        )
        .join(F.broadcast(by_dump), ["source_file", "line_number"], "left")
        .join(F.broadcast(by_dir), ["source_file", "_dir"], "left")
        .join(F.broadcast(by_session), ["source_file", "_session"], "left")
        .withColumn("node_id", F.coalesce("node_id", "_configured", "_owner", "_client"))
        .select(*records.columns)
    )
