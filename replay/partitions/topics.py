"""What is known of topics: which lives a name has had, and the settings that verdicts rest on."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from replay.catalogue.fields import TOPIC
from replay.columns.times import plus_millis
from replay.columns.windows import before

_SETTINGS_TOLD = ("log_created", "kraft_config_set", "kraft_create_topics_result", "topic_created", "described_topic")
_WHOLE_TOLD = (
    "broker_config_changed",
    "config_override_processed",
)  # all settings of a topic, or of all brokers, as they are from then on
_TOLD_BEFORE_MS = 1_000  # what several nodes print of one creation or deletion stands within this
_OF_CLUSTER = r"Updating cluster configuration |entityPath: brokers/<default> "


def topic_lives(events: DataFrame) -> DataFrame:
    """`topic, borders, ends`: for a name that topics have shared, the times at which each successor began, and at
    which each topic ended.

    By topic id where lines print one, else by the deletions between them. A topic ended when it was deleted or, where
    no line tells, when its successor began. A name with one topic that was never deleted has no row.
    """
    seen = (
        events.where(F.col("topic_id").isNotNull() & F.col("topic").isNotNull() & F.col("ts").isNotNull())
        .groupBy("topic", "topic_id")
        .agg(F.min("ts").alias("first_ts"), F.max("ts").alias("last_ts"))
    )
    in_order = Window.partitionBy("topic").orderBy("first_ts")
    # A topic that is gone is told again when a controller starts and prints its whole log: in the middle of its
    # successor's time.
    told_anew = F.coalesce(F.col("last_ts") < F.max("last_ts").over(before(in_order)), F.lit(False))
    ids = seen.withColumn("_told_anew", told_anew).where(~F.col("_told_anew"))
    # A successor's first line may be another node's, a moment before the line that prints the new id.
    begun = F.when(F.row_number().over(in_order) > 1, plus_millis("first_ts", -_TOLD_BEFORE_MS))
    named = ids.select("topic", "topic_id", "first_ts", begun.alias("begun_ts"))
    removed = events.where(
        F.col("kind").isin("kraft_topic_removed", "topic_deletion_completed") & F.col("topic").isNotNull()
    ).select("topic", "topic_id", F.col("ts").alias("removed_ts"))
    known = (
        named.unionByName(removed, allowMissingColumns=True)
        .groupBy("topic")
        .agg(
            F.array_sort(F.collect_set("begun_ts")).alias("_by_id"),
            F.array_sort(F.collect_set("removed_ts")).alias("_by_deletion"),
            F.array_sort(F.collect_list(F.when(F.col("first_ts").isNotNull(), F.struct("first_ts", "topic_id")))).alias(
                "_ids"
            ),
            F.array_sort(
                F.collect_list(F.when(F.col("removed_ts").isNotNull(), F.struct("removed_ts", "topic_id")))
            ).alias("_removed"),
        )
        .withColumn("borders", F.when(F.size("_by_id") > 0, F.col("_by_id")).otherwise(F.col("_by_deletion")))
        .where(F.size("borders") > 0)
    )
    return known.select("topic", "borders", F.transform(F.sequence(F.lit(0), F.size("borders")), _end).alias("ends"))


def _end(life: Column) -> Column:
    """When a topic ended: the first deletion told in its time that is not another's, else the begin of its successor."""
    first, last = F.get("borders", life - 1), F.get("borders", life)
    own = F.when(F.size("_by_id") > 0, F.get("_ids", life)["topic_id"])
    in_time = F.filter(
        "_removed",
        lambda r: (
            F.coalesce(r["removed_ts"] > first, F.lit(True))
            & F.coalesce(r["removed_ts"] <= plus_millis(last, _TOLD_BEFORE_MS), F.lit(True))
            & F.coalesce(r["topic_id"] == own, F.lit(True))
        ),
    )
    return F.coalesce(F.get(in_time, F.lit(0))["removed_ts"], last)


def with_life(rows: DataFrame, lives: DataFrame) -> DataFrame:
    """`rows` with `life`: 0 for the first topic of its name, 1 for the next … A row without time belongs to the last."""
    known = rows.join(F.broadcast(lives), "topic", "left")
    begun = F.size(F.filter("borders", lambda ts: ts <= F.coalesce(F.col("ts"), ts)))
    return known.withColumn("life", F.coalesce(F.when(F.size("borders") > 0, begun), F.lit(0)).cast("int")).drop(
        "borders", "ends"
    )


def life_ends(lives: DataFrame) -> DataFrame:
    """`topic, life, life_end_ts`: when each topic of a name ended; without the one that lives on."""
    return lives.select("topic", F.posexplode("ends").alias("life", "life_end_ts")).where(
        F.col("life_end_ts").isNotNull()
    )


def topic_settings(events: DataFrame, settings: DataFrame) -> DataFrame:
    """The settings of every topic that an event names: what its own settings say, else the cluster's, else its brokers'
    defaults; null if nothing does. Returns `TOPIC_SETTINGS`.

    The last that was said counts. A line without time is a description of how things stand in the end; a properties
    file, of before. `unclean_set_ts`: a controller that starts prints old settings anew, so it is the first line that says
    that unclean elections are allowed after one that says, or shows by all settings, that they are not.
    """
    whole = F.col("kind").isin(*_WHOLE_TOLD)  # a setting that such a line does not name is back at its default
    told = events.where(F.col("kind").isin(*_SETTINGS_TOLD) | whole).select(
        F.coalesce(
            "topic",
            F.nullif(
                F.regexp_extract(
                    "message",
                    rf"(?:name='|Updating topic |entityPath: topics/|entityType: topics, entity: )({TOPIC})",
                    1,
                ),
                F.lit(""),
            ),
        ).alias("topic"),
        F.nullif(F.regexp_extract("message", r"min\.insync\.replicas(?:=| -> | to |', value=')(\d+)", 1), F.lit(""))
        .try_cast("int")
        .alias("min_isr"),
        F.nullif(
            F.regexp_extract("message", r"unclean\.leader\.election\.enable(?:=| -> | to |', value=')(true|false)", 1),
            F.lit(""),
        )
        .try_cast("boolean")
        .alias("unclean_allowed"),
        whole.alias("_whole"),
        (whole | (F.col("kind") == "log_created")).alias("_names_all"),
        F.col("message").rlike(_OF_CLUSTER).alias("_of_cluster"),
        F.struct(F.col("ts").isNull(), F.col("ts")).alias("_said"),
        "ts",
        "event_id",
    )
    named = F.col("min_isr").isNotNull() | F.col("unclean_allowed").isNotNull()

    def last(name: str) -> Column:
        return F.max_by(name, F.when(F.col(name).isNotNull() | F.col("_whole"), F.col("_said"))).alias(name)

    is_off = ~F.coalesce("unclean_allowed", ~F.col("_names_all"))
    off_ts = F.max(F.when(is_off, F.col("ts"))).over(Window.partitionBy("topic"))
    is_set = F.col("unclean_allowed") & (F.col("ts") > F.col("_off_ts"))
    own = (
        told.where(F.col("topic").isNotNull())
        .withColumn("_off_ts", off_ts)
        .groupBy("topic")
        .agg(
            last("min_isr"),
            last("unclean_allowed"),
            F.max_by("event_id", F.when(named, F.col("_said"))).alias("setting_event"),
            F.min(F.when(is_set, F.struct("ts", "event_id"))).alias("_set"),
        )
    )
    of_cluster = told.where("_of_cluster").agg(
        last("min_isr").alias("_cluster_min_isr"), last("unclean_allowed").alias("_cluster_unclean_allowed")
    )
    dumped = F.struct(F.col("ts").isNotNull(), F.col("ts"))
    defaults = settings.agg(
        F.max_by(F.col("value").try_cast("int"), F.when(F.col("name") == "min.insync.replicas", dumped)).alias(
            "_min_isr"
        ),
        F.max_by(
            F.col("value").try_cast("boolean"), F.when(F.col("name") == "unclean.leader.election.enable", dumped)
        ).alias("_unclean_allowed"),
    )
    every = events.where(F.col("topic").isNotNull()).select("topic").union(own.select("topic")).distinct()
    return (
        every.join(own, "topic", "left")
        .crossJoin(F.broadcast(of_cluster))
        .crossJoin(F.broadcast(defaults))
        .select(
            "topic",
            F.coalesce("min_isr", "_cluster_min_isr", "_min_isr").alias("min_isr"),
            F.coalesce("unclean_allowed", "_cluster_unclean_allowed", "_unclean_allowed").alias("unclean_allowed"),
            "setting_event",
            F.col("_set.ts").alias("unclean_set_ts"),
            F.col("_set.event_id").alias("unclean_set_event"),
        )
    )
