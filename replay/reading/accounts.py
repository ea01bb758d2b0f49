"""What became of the records: events, settings, and an account of every line that was read."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from replay.reading.settings import DIRECTORIES, SETTINGS
from replay.reading.witnesses import HOST_WITNESSES
from replay.tables import COVERAGE, EVENTS, UNMATCHED

FILES = StructType([COVERAGE.schema[name] for name in ("source_file", "node_id", "layout")])

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


def settings(records: DataFrame) -> DataFrame:
    """What each node says of its configuration at a start: `node_id, ts, name, value, event_id`, for the names in
    `SETTINGS`. Those of a properties file have no time.
    """
    dumped = (
        records.where(F.col("kind") == "config_dump")
        .select("node_id", "ts", "event_id", F.inline("settings"))
        .where(F.col("name").isin(*SETTINGS))
        .select("node_id", "ts", "name", "value", "event_id")
    )
    name = F.col("details")["name"]
    in_files = records.where((F.col("kind") == "server_setting") & name.isin(*SETTINGS)).select(
        "node_id", "ts", name.alias("name"), F.col("details")["value"].alias("value"), "event_id"
    )
    return dumped.unionByName(in_files)


def is_foreign() -> Column:
    """The logger is not one of Kafka's. A record without a logger is taken as Kafka's, and so is a class without its
    package unless ZooKeeper prints it.
    """
    logger = F.col("logger")
    # `logger` is what `%c{1}` leaves of state.change.logger and its like.
    packaged = F.contains(logger, F.lit(".")) & ~logger.rlike(
        r"^(?:kafka|k|org\.apache\.kafka|o\.a\.k|o\.a\.kafka|o\.apache\.kafka)\.|^state\.change\.logger$"
    )
    bare = ~F.contains(logger, F.lit(".")) & (
        F.contains("layout", F.lit("zookeeper")) | logger.rlike("^(?!logger$)[a-z]")
    )
    return F.coalesce(packaged | bare, F.lit(False))


def coverage(records: DataFrame, found: DataFrame) -> DataFrame:
    """What each file held. Returns `COVERAGE`, with a row for every file of `found` (`source_file, node_id, layout`),
    records or not. What hosts, containers and operators say has no times here: it may be of weeks around Kafka's logs.
    """
    of_kafka = F.when(~F.col("layout").isin(*HOST_WITNESSES), F.col("ts"))
    known = F.col("kind").isNotNull()
    counts = {
        "log_records": F.count("*"),
        "matched": F.count_if(known),
        "unmatched": F.count_if(~known),
        "foreign": F.count_if(~known & is_foreign()),
        "secrets_hidden": F.coalesce(F.sum("secrets_hidden"), F.lit(0)),
    }
    held = records.groupBy("source_file", "node_id", "layout").agg(
        *[count.alias(name) for name, count in counts.items()],
        F.min(of_kafka).alias("first_ts"),
        F.max(of_kafka).alias("last_ts"),
        F.lit(True).alias("_held"),
    )
    silent = found.withColumns(dict.fromkeys(counts, F.lit(0)) | {"_held": F.lit(False)})
    every = held.unionByName(silent, allowMissingColumns=True)
    is_held = F.max("_held").over(Window.partitionBy("source_file"))
    return COVERAGE.of(every.withColumn("_is_held", is_held).where(F.col("_held") == F.col("_is_held")))


def unmatched(records: DataFrame) -> DataFrame:
    """The wordings that no template knows, most frequent first to read. Returns `UNMATCHED`."""
    normalized = F.regexp_replace(
        F.regexp_replace(
            F.regexp_replace("message", r"\[[^\[\]]*\]|\([^()]*\)|'[^']*'", "<…>"),
            r"(?<![A-Za-z0-9._-])[A-Za-z0-9._-]+-\d+",
            "<…>",
        ),
        r"\d+",
        "<n>",
    )
    line = F.concat_ws(":", "source_file", "line_number")
    return UNMATCHED.of(
        records.where(F.col("kind").isNull())
        .withColumns({"normalized": F.substr(normalized, F.lit(1), F.lit(300)), "foreign": is_foreign()})
        .groupBy("normalized", "logger", "level", "foreign")
        .agg(
            F.count("*").alias("count"),
            F.min("ts").alias("first_ts"),
            F.max("ts").alias("last_ts"),
            F.min_by("message", F.struct("source_file", "line_number")).alias("example"),
            F.array(F.min_by(line, F.struct("source_file", "line_number"))).alias("evidence"),
        )
    )
