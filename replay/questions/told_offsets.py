"""What Kafka's own tools told of partitions: offsets, groups' commits, leaders and ISRs, each as of its time.

`kafka-consumer-groups`, `kafka-get-offsets`, `kafka-log-dirs` and `kafka-topics` print no cluster: output that cannot be
of the cluster and the time of the logs is told apart by what it says.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.evidence import one_event
from replay.facts.reads import gathers
from replay.tables import DESCRIBED_PARTITIONS, TOLD_OFFSETS

_OFFSETS = ("described_group_offset", "described_offset", "described_log_dirs")
_PARTITION = r"^(.+)-(\d+)$"
_LOG_DIRS = (
    "brokers array<struct<broker:int,logDirs:array<struct<partitions:array<struct<partition:string,size:bigint,"
    "offsetLag:bigint,isFuture:boolean>>>>>>"
)
_LATER = "interval 1 hour"  # an operator who asks the tools does so during an incident or soon after


@gathers(*_OFFSETS)
def told_offsets(events: DataFrame) -> DataFrame:
    """Every offset that a tool told. Returns `TOLD_OFFSETS`.

    What `kafka-get-offsets` was asked for is told by the file's name alone (`earliest`); the tool's default is the
    latest, which is the high watermark, as for every client.
    """
    lines = events.where(F.col("kind").isin(*_OFFSETS))
    of_group = lines.where("kind = 'described_group_offset'").select(
        *_PLACE,
        F.explode(
            F.array(
                _said("committed", F.col("details")["committed"], F.col("details")["group"]),
                _said("high_watermark", F.col("high_watermark").cast("string"), F.lit(None).cast("string")),
            )
        ).alias("_said"),
        F.lit("kafka-consumer-groups").alias("tool"),
    )
    is_earliest = F.lower("source_file").contains("earliest")
    given = lines.where("kind = 'described_offset'").select(
        *_PLACE,
        _said(
            F.when(is_earliest, "log_start_offset").otherwise("high_watermark"),
            F.col("details")["offset"],
            F.lit(None).cast("string"),
        ).alias("_said"),
        F.lit("kafka-get-offsets").alias("tool"),
    )
    dirs = (
        lines.where("kind = 'described_log_dirs'")
        .withColumn("_broker", F.explode(F.from_json("message", _LOG_DIRS)["brokers"]))
        .withColumn("_one", F.explode(F.flatten("_broker.logDirs.partitions")))
        .where("not coalesce(_one.isFuture, false)")
        .withColumns(
            {
                "topic": F.regexp_extract("_one.partition", _PARTITION, 1),
                "partition": F.regexp_extract("_one.partition", _PARTITION, 2).try_cast("int"),
                "node_id": F.col("_broker.broker"),
            }
        )
        .select(
            *_PLACE,
            F.explode(
                F.array(
                    _said("size", F.col("_one.size").cast("string"), F.lit(None).cast("string")),
                    _said("offset_lag", F.col("_one.offsetLag").cast("string"), F.lit(None).cast("string")),
                )
            ).alias("_said"),
            F.lit("kafka-log-dirs").alias("tool"),
        )
    )
    told = (
        of_group.unionByName(given)
        .unionByName(dirs)
        .select("*", "_said.*")
        .withColumn("value", F.col("_value").try_cast("bigint"))
        .where(F.col("value").isNotNull() & (F.col("topic") != "") & F.col("partition").isNotNull())
    )
    node = F.when(F.col("tool") == "kafka-log-dirs", F.col("node_id"))
    return TOLD_OFFSETS.of(
        _judged(told.withColumn("evidence", one_event()).withColumn("node_id", node), events, _offsets_too_low(events))
    )


_PLACE = ("event_id", "ts", "node_id", "source_file", "topic", "partition")


def _said(what: str | Column, value: Column, group: Column) -> Column:
    named = F.lit(what) if isinstance(what, str) else what
    return F.struct(named.alias("what"), value.alias("_value"), group.alias("group"))


@gathers("described_partition")
def described_partitions(events: DataFrame) -> DataFrame:
    """Every partition as `kafka-topics --describe` told it. Returns `DESCRIBED_PARTITIONS`."""
    told = events.where((F.col("kind") == "described_partition") & F.col("topic").isNotNull()).withColumns(
        {
            "preferred_id": F.get("replicas", F.lit(0)),
            "out_of_isr": F.array_sort(F.array_except("replicas", F.coalesce("isr", F.array().cast("array<int>")))),
            "evidence": one_event(),
        }
    )
    return DESCRIBED_PARTITIONS.of(_judged(told, events, _other_topic_ids(events)))


def _judged(told: DataFrame, events: DataFrame, contradicted: DataFrame) -> DataFrame:
    """`told` with why the file that a row stands in is not believed: `set_aside`, null for one that is.

    `contradicted` has `source_file` and `_ts` of files that say otherwise than the logs do.
    """
    by_logs = events.where(~F.col("kind").startswith("described_") & F.col("topic").isNotNull())
    known = by_logs.select("topic").distinct().withColumn("_known", F.lit(True))
    spans = events.where("level is not null and ts is not null").agg(
        F.min("ts").alias("_first"), F.max("ts").alias("_last"), F.count("*").alias("_lines")
    )
    files = (
        told.join(F.broadcast(known), "topic", "left")
        .groupBy("source_file")
        .agg(F.bool_or(F.coalesce("_known", F.lit(False))).alias("_shares"), F.min("ts").alias("_ts"))
        .crossJoin(F.broadcast(spans))
        .join(contradicted.select("source_file").distinct().withColumn("_wrong", F.lit(True)), "source_file", "left")
    )
    outside = (F.col("_ts") < F.col("_first")) | (F.col("_ts") > F.col("_last") + F.expr(_LATER))
    why = files.select(
        "source_file",
        F.when((F.col("_lines") > 0) & ~F.col("_shares"), "other_cluster")
        .when(F.coalesce(outside, F.lit(False)), "other_time")
        .when(F.col("_wrong"), "contradicted")
        .alias("set_aside"),
    )
    return told.join(F.broadcast(why), "source_file", "left")


def _offsets_too_low(events: DataFrame) -> DataFrame:
    """Files that tell a high watermark below what a replica's own line told before."""
    before = events.where("level is not null and high_watermark is not null and topic is not null and ts is not null")
    said = events.where(
        "kind in ('described_group_offset', 'described_offset') and ts is not null and topic is not null"
    ).withColumn(
        "_told",
        F.when(F.col("kind") == "described_group_offset", F.col("high_watermark")).when(
            ~F.lower("source_file").contains("earliest"), F.col("details")["offset"].try_cast("bigint")
        ),
    )
    reached = before.where("kind in ('leader_start', 'isr_shrink', 'hw_updated', 'follower_start')").select(
        "topic", "partition", F.col("ts").alias("_at"), F.col("high_watermark").alias("_reached")
    )
    return said.join(reached, ["topic", "partition"]).where("_at <= ts and _told < _reached").select("source_file")


def _other_topic_ids(events: DataFrame) -> DataFrame:
    """Files that name a topic by another id than all lines of the logs do."""
    ids = events.where("topic is not null and topic_id is not null and not startswith(kind, 'described_')")
    known = ids.groupBy("topic").agg(F.collect_set("topic_id").alias("_ids"))
    said = events.where("kind = 'described_topic' and topic_id is not null").select("source_file", "topic", "topic_id")
    return said.join(known, "topic").where(~F.array_contains("_ids", F.col("topic_id"))).select("source_file")
