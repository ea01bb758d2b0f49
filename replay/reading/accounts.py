"""What became of the records: whose they are, and which of them are events."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.reading.settings import DIRECTORIES
from replay.tables import EVENTS

# The eighth number of a znode's state is the session that owns it.
_OWN_ZNODE = r"^Stat of the created znode at /brokers/ids/\d+ is: (?:\d+,){7}(\d+),"


def with_owners(printed: DataFrame) -> DataFrame:
    """`printed` with the node of records that name none but hold something that one node of their file has to itself.

    A log in a directory is of the one node of that file whose dumps of settings name the directory; a ZooKeeper
    session is of the node whose znode it owns.
    """
    named = printed.where(F.col("node_id").isNotNull())
    by_dir = (
        named.where(F.col("kind") == "config_dump")
        .select("source_file", "node_id", F.inline("settings"))
        .where(F.col("name").isin(*DIRECTORIES))
        .select("source_file", "node_id", F.explode(F.split("value", r"\s*,\s*")).alias("_dir"))
        .groupBy("source_file", "_dir")
        .agg(F.min("node_id").alias("_owner"), F.max("node_id").alias("_last_owner"))
        .where(F.col("_owner") == F.col("_last_owner"))
        .select("source_file", "_dir", "_owner")
    )
    owned = F.regexp_extract("message", _OWN_ZNODE, 1).try_cast("bigint")
    by_session = (
        named.where(F.col("message").rlike(_OWN_ZNODE))
        .select("source_file", "node_id", F.lower(F.hex(owned)).alias("_session"))
        .groupBy("source_file", "_session")
        .agg(F.min("node_id").alias("_client"))
    )
    nobody = F.col("node_id").isNull()
    session = F.regexp_extract(F.lower(F.col("details")["session_id"]), r"^0x([0-9a-f]+)$", 1)
    held = {"_dir": F.when(nobody, F.col("details")["dir"]), "_session": F.when(nobody & (session != ""), session)}
    return (
        printed.withColumns(held)
        .join(F.broadcast(by_dir), ["source_file", "_dir"], "left")
        .join(F.broadcast(by_session), ["source_file", "_session"], "left")
        .withColumn("node_id", F.coalesce("node_id", "_owner", "_client"))
        .select(*printed.columns)
    )


def events(records: DataFrame) -> DataFrame:
    """The records that a template knows. Returns `EVENTS`."""
    return EVENTS.of(records.where(F.col("kind").isNotNull()))
