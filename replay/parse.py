"""Files -> lines -> records -> understood events. No line is dropped: every record is matched or counted as unmatched.

A record begins at a line that its file's layout fits; the lines after it (a stack trace, a dump) belong to it. Files are
read whole, so a line's number is its place in the file and no shuffle is needed to know it.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.catalogue import TEMPLATES, Template
from replay.layouts import Layout
from replay.matching import with_template
from replay.schema import COVERAGE, EVENTS, UNMATCHED

_FIELD = "\x01"

# The settings that a verdict may rest on (facts §1.2, §1.3, §1.6, §1.7, §5).
SETTINGS = (
    "broker.heartbeat.interval.ms", "broker.session.timeout.ms", "controller.quorum.election.timeout.ms", "controller.quorum.fetch.timeout.ms",
    "inter.broker.protocol.version", "log.message.format.version", "auto.leader.rebalance.enable", "leader.imbalance.check.interval.seconds",
    "leader.imbalance.per.broker.percentage", "min.insync.replicas", "node.id", "broker.id", "process.roles", "replica.high.watermark.checkpoint.interval.ms",
    "replica.lag.time.max.ms", "replica.socket.timeout.ms", "unclean.leader.election.enable", "zookeeper.session.timeout.ms",
    "log.dir.failure.timeout.ms", "num.replica.fetchers", "default.replication.factor",
)  # fmt: skip


def lines(files: DataFrame) -> DataFrame:
    """One row a line: `source_file, node_id, layout, line_number, text`.

    `files` is `SOURCES` with a column `value`, the file's whole text.
    """
    return files.select(
        "source_file",
        "node_id",
        "layout",
        F.posexplode(F.split("value", "\n")).alias("position", "text"),
        "first_line",
    ).select("source_file", "node_id", "layout", (F.col("position") + F.col("first_line")).alias("line_number"), "text")


def records(lines: DataFrame, layouts: Iterable[Layout]) -> DataFrame:
    """One row a record: `source_file, node_id, layout, line_number, raw_ts, level, logger, message` (its first line's).

    Lines before a file's first record (its head was rotated away) make one record without level, `fragment`.
    """
    starts = None
    for layout in layouts:
        header = F.regexp_replace("text", layout.plain_regex, _FIELD + layout.replacement("{stamp}\x01{level}\x01{logger}\x01{message}"))
        parts = lines.where(F.col("layout") == layout.name).withColumn("_header", header).where(F.startswith("_header", F.lit(_FIELD)))
        starts = parts if starts is None else starts.unionByName(parts)
    if starts is None:
        raise ValueError("no layouts")
    header = F.split("_header", _FIELD)
    return (
        starts.withColumn("_parts", header)
        .select(
            "source_file",
            "node_id",
            "layout",
            "line_number",
            F.get("_parts", F.lit(1)).try_cast("timestamp").alias("raw_ts"),
            F.get("_parts", F.lit(2)).alias("level"),
            F.nullif(F.get("_parts", F.lit(3)), F.lit("")).alias("logger"),
            F.get("_parts", F.lit(4)).alias("message"),
        )
    )  # fmt: skip


def matched(records: DataFrame, templates: tuple[Template, ...] = TEMPLATES) -> DataFrame:
    """`records` with the columns of `EVENTS` that a template fills; `kind` is null where none fits."""
    found = with_template(records, templates)
    return found.withColumns({"event_id": event_id(), "ts": F.col("raw_ts")})


def with_exceptions(matched: DataFrame, lines: DataFrame) -> DataFrame:
    """`matched` with the first line of the exception that stands right under a record as the detail `exception`."""
    thrown = lines.where(F.col("text").rlike(r"^(?:[a-z_][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)(?::|$|\s)")).select(
        "source_file", (F.col("line_number") - 1).alias("line_number"), F.substr("text", F.lit(1), F.lit(1_000)).alias("_thrown")
    )
    told = F.map_from_arrays(F.array(F.lit("exception")), F.array("_thrown"))
    rest = F.coalesce(F.map_filter("details", lambda name, _: name != "exception"), F.expr("cast(map() as map<string,string>)"))
    return (
        matched.join(thrown, ["source_file", "line_number"], "left")
        .withColumn("details", F.when(F.col("_thrown").isNotNull(), F.map_concat(rest, told)).otherwise(F.col("details")))
        .drop("_thrown")
    )


def settings(lines: DataFrame, events: DataFrame) -> DataFrame:
    """What each node says of its configuration at a start: `node_id, ts, name, value, event_id`, for the names in `SETTINGS`.

    The lines of a `... values:` dump belong to the record before them.
    """
    entry = r"^\t([a-z][a-z0-9.]+) = (.*?)\s*$"
    name = F.regexp_extract("text", entry, 1)
    told = lines.where(F.startswith("text", F.lit("\t")) & name.isin(*SETTINGS)).select(
        "source_file", "line_number", name.alias("name"), F.nullif(F.regexp_extract("text", entry, 2), F.lit("null")).alias("value")
    )
    dumps = events.where(F.col("kind") == "config_dump").select("source_file", "line_number", "node_id", "ts", "event_id")
    in_file = Window.partitionBy("source_file").orderBy("line_number").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    both = told.unionByName(dumps, allowMissingColumns=True).withColumns(
        {column: F.last(column, ignorenulls=True).over(in_file) for column in ("node_id", "ts", "event_id")}
    )
    return both.where(F.col("name").isNotNull() & F.col("event_id").isNotNull()).select("node_id", "ts", "name", "value", "event_id")


def event_id() -> Column:
    """The name of an event: the file and the line where it stands."""
    return F.concat_ws(":", "source_file", "line_number")


def events(matched: DataFrame) -> DataFrame:
    """The records that a template knows. Returns `EVENTS`."""
    return EVENTS.of(matched.where(F.col("kind").isNotNull()))


def is_foreign() -> Column:
    """The logger is not one of Kafka's; a record without a logger is taken as Kafka's."""
    return F.coalesce(~F.col("logger").rlike(r"^(kafka\.|org\.apache\.kafka\.|state\.change\.logger$)"), F.lit(False))


def coverage(matched: DataFrame) -> DataFrame:
    """What each file held. Returns `COVERAGE`, with a row for every file that has at least one record."""
    known = F.col("kind").isNotNull()
    return COVERAGE.of(
        matched.groupBy("source_file", "node_id", "layout").agg(
            F.count("*").alias("log_records"),
            F.count_if(known).alias("matched"),
            F.count_if(~known).alias("unmatched"),
            F.count_if(~known & is_foreign()).alias("foreign"),
            F.min("ts").alias("first_ts"),
            F.max("ts").alias("last_ts"),
        )
    )


def unmatched(matched: DataFrame) -> DataFrame:
    """The wordings that no template knows, most frequent first to read. Returns `UNMATCHED`."""
    normalized = F.regexp_replace(
        F.regexp_replace(F.regexp_replace("message", r"\[[^\[\]]*\]|\([^()]*\)|'[^']*'", "<…>"), r"[A-Za-z0-9._-]+-\d+", "<…>"), r"\d+", "<n>"
    )
    return UNMATCHED.of(
        matched.where(F.col("kind").isNull())
        .withColumns({"normalized": F.substr(normalized, F.lit(1), F.lit(300)), "foreign": is_foreign()})
        .groupBy("normalized", "logger", "level", "foreign")
        .agg(
            F.count("*").alias("count"),
            F.min("ts").alias("first_ts"),
            F.max("ts").alias("last_ts"),
            F.min_by("message", F.struct("source_file", "line_number")).alias("example"),
        )
    )
