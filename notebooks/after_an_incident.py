# Databricks notebook source
# MAGIC %md
# MAGIC # What really happened in this Kafka cluster?
# MAGIC
# MAGIC This notebook reads the logs of a cluster's nodes and answers the questions that people ask after an incident, one question per cell. Every answer is a
# MAGIC short query over the result's tables (`kafka-replay docs tables`). Change it, filter it, or join it with your own metrics. `evidence` holds event ids in the form
# MAGIC file:line. The last cell prints these lines. A null means that the logs do not show the value.
# MAGIC
# MAGIC It runs on Databricks (docs/databricks.md), in Jupyter (`after_an_incident.ipynb`), and as a program: `python notebooks/after_an_incident.py`. It has three
# MAGIC settings, which are widgets on Databricks and environment variables elsewhere:
# MAGIC
# MAGIC | setting | value |
# MAGIC |---|---|
# MAGIC | `INPUT` | the logs: a folder, file or archive with the logs of all nodes |
# MAGIC | `RESULT` | the folder of the result; a result that exists is read and not made again |
# MAGIC | `PARTITION` | a partition, for example `orders-0`; if empty, the partition with the most events |

# COMMAND ----------

import os

from kafka_replay import Replay


def setting(name: str, default: str) -> str:
    """A widget of the notebook on Databricks, an environment variable elsewhere."""
    if "dbutils" not in globals():
        return os.environ.get(name, default)
    dbutils.widgets.text(name, default)
    return dbutils.widgets.get(name)


if "display" not in globals():  # Jupyter or a Python program
    display = Replay.show
if "spark" not in globals():  # an active session is used and not stopped
    spark = Replay.session()

replay = Replay.analyze(
    spark,
    setting("INPUT", "traces/unclean-election-zk-2.8.2/input"),
    setting("RESULT", "out/unclean-election-zk-2.8.2"),
    reuse=True,
)
display(replay)

# COMMAND ----------

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

tables = replay.tables
replay.sql_views()  # makes the tables available to spark.sql
logs_end = tables["coverage"].agg(F.max("last_ts")).first()[0]
HERE = ("topic", "partition")


def millis(later: Column | str, earlier: Column | str) -> Column:
    """The milliseconds from `earlier` to `later`."""
    return F.unix_millis(later) - F.unix_millis(earlier)


# COMMAND ----------

# MAGIC %md
# MAGIC ## What happened, what caused it, and how long did it take?
# MAGIC One row per incident, with the metrics for a post-mortem.

# COMMAND ----------

display(
    tables["incidents"].alias("i")
    .join(tables["findings"].alias("f"), F.col("f.finding_id") == F.col("i.root_finding_id"), "left")
    .select(
        "i.incident_id", "i.severity", "i.title", "i.told", "i.lost_committed", "i.lost_uncommitted", "i.is_over", "i.still", "i.next_steps", "i.broker_ids", "f.code", "f.confidence", "f.summary",
        "i.start_ts", "i.end_ts", "i.down", "i.detected_low_ms", "i.detected_high_ms", "i.leaders_low_ms", "i.leaders_high_ms", "i.isr_full_low_ms", "i.isr_full_high_ms", "i.elections", "i.unclean_elections",
        "i.leaderless_ms", "i.unserved_min_ms", "i.unserved_max_ms", "i.under_min_isr_ms", "i.lost_offsets_min", "i.lost_offsets_max", "i.acked_possible_max", "i.undetermined",
    )
    .orderBy("start_ts")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Chart: from the root cause to its effects
# MAGIC Time runs from left to right. Each arrow names its rule. `replay.figures()` returns every chart of the page by name.

# COMMAND ----------

display(replay.causality_figure())

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which lines prove the root causes?
# MAGIC For each root cause, the chain of evidence with its log lines. `replay.explain("F16")` explains a code and the findings with this code.

# COMMAND ----------

display(
    replay.explain("F00")
    if replay.findings("root_cause").isEmpty()
    else replay.explain(replay.findings("root_cause").first().finding_id)
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What are the other findings?
# MAGIC Each finding has a role: root cause, contributing cause, effect, or routine work. `blind_spots` lists the logs that would remove the remaining doubt.

# COMMAND ----------

display(
    tables["findings"]
    .select(
        "incident_id",
        "role",
        "severity",
        "code",
        "title",
        "broker_ids",
        "start_ts",
        "end_ts",
        "confidence",
        "summary",
        "blind_spots",
    )
    .orderBy("incident_id", "start_ts")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What can these logs not show?
# MAGIC Missing nodes, times and log levels, the questions that stay open, and the file or logger setting that would answer them.

# COMMAND ----------

display(
    tables["blind_spots"]
    .select("kind", "node_id", "start_ts", "end_ts", "what", "questions", "would_tell")
    .orderBy("kind", "node_id")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## How many records were lost, and is the loss proven?
# MAGIC By topic and acks setting. The counts are offsets. If the end of a range is unknown, the sum is unknown. `committed`: records that were acknowledged with
# MAGIC acks=all. `acked_possible`: records that can have been acknowledged only with acks=1 or acks=0.

# COMMAND ----------

open_losses = tables["losses"].where(F.col("verdict").isin("PROVEN_LOSS", "POSSIBLE_LOSS", "UNDETERMINED"))
ends_known = F.count("to_offset_high") == F.count("*")
display(
    open_losses.groupBy("topic", "loss_class").agg(
        F.count_distinct("partition").alias("partitions"),
        F.sum(F.coalesce(F.col("to_offset_low") - F.col("from_offset"), F.lit(0))).alias("lost_for_sure"),
        F.when(ends_known, F.sum(F.col("to_offset_high") - F.col("from_offset"))).alias("lost_at_most"),
        F.array_sort(F.collect_set("verdict")).alias("verdicts"),
    )
    .orderBy("topic", "loss_class")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which ranges were lost, under which premises, and which brokers still hold them?

# COMMAND ----------

display(
    open_losses.select(
        *HERE, "leader_epoch", "ts", "verdict", "loss_class", "from_offset", "to_offset_low", "to_offset_high", "old_leader_id", "new_leader_id", "recoverable_from", "premise", "evidence"
    )
    .orderBy(*HERE, "ts", "loss_class")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Was an election unclean? Was the new leader in sync when the old one died?
# MAGIC Decided by the ISR before the election, not by the word "unclean" in a line.

# COMMAND ----------

display(
    tables["elections"].where("trigger <> 'creation'")
    .select(
        "ts", *HERE, "leader_epoch", "old_leader_id", "new_leader_id", "isr_before", F.array_contains("isr_before", F.col("new_leader_id")).alias("was_in_sync"),
        "elected_from", "trigger", "leaderless_ms", "evidence",
    )
    .orderBy(F.coalesce(F.col("elected_from").isin("any_replica", "last_known_leader"), F.lit(False)).desc(), "ts", *HERE)
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## What happened to one partition?
# MAGIC Leaders, ISRs, offsets and truncations in one list. Within a leader epoch, rows are in the order of the corrected clocks.

# COMMAND ----------

busiest = (
    tables["vertices"]
    .where("topic is not null and not startswith(topic, '__')")
    .groupBy(*HERE)
    .count()
    .orderBy(F.desc("count"), *HERE)
    .first()
)
name = setting("PARTITION", "") or ("" if busiest is None else f"{busiest.topic}-{busiest.partition}")
topic, _, number = name.rpartition("-")
NO_PARTITION = "These logs tell of no partition to which anything happened."


def happened(table: str, ts: str, *what: Column) -> DataFrame:
    """The rows of a table that are about the partition whose story is told, each as one sentence."""
    own = tables[table].where((F.col("topic") == topic) & (F.col("partition") == F.lit(number).try_cast("int")))
    return own.select(
        F.col(ts).alias("ts"), F.lit(table).alias("table"), F.concat_ws(" ", *what).alias("what"), "evidence"
    )


def told(label: str, column: str) -> Column:
    """`label value`, or null where there is no value."""
    return F.concat(F.lit(label + " "), F.col(column).cast("string"))


story = (
    happened("leader_epochs", "start_ts", told("leader epoch", "leader_epoch"), F.when(F.col("leader_id") < 0, "without a leader").otherwise(told("led by", "leader_id")), told("from offset", "epoch_start_offset"), told("elected from", "elected_from"))
    .unionByName(happened("isr_spans", "start_ts", F.lit("ISR"), F.to_json("isr"), told("partition epoch", "partition_epoch")))
    .unionByName(happened("high_watermarks", "ts", told("broker", "node_id"), told("high watermark", "high_watermark"), told("log end", "log_end_offset"), told("log start", "log_start_offset"), F.concat(F.lit("("), "source", F.lit(")"))))
    .unionByName(happened("truncations", "ts", told("broker", "node_id"), told("cut its log from", "log_end_offset"), told("to", "truncation_offset")))
    .unionByName(happened("losses", "ts", F.col("verdict"), F.col("loss_class"), told("from", "from_offset"), told("to at most", "to_offset_high"), F.col("premise")))
)  # fmt: skip
display(story.orderBy("ts", "table"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Chart: leaders of each partition
# MAGIC A bar is a leader epoch, in the color of its leader.

# COMMAND ----------

display(replay.leader_epochs_figure())

# COMMAND ----------

# MAGIC %md
# MAGIC ## Chart: in-sync replicas
# MAGIC The upper part shows the number of under-replicated partitions, the lower part each partition.

# COMMAND ----------

display(replay.isr_figure())

# COMMAND ----------

# MAGIC %md
# MAGIC ## Chart: committed and lost records
# MAGIC The band contains the commit point. Red marks records that were lost or may be lost.

# COMMAND ----------

display(replay.high_watermarks_figure())

# COMMAND ----------

# MAGIC %md
# MAGIC ## What was the state of the cluster in the middle of the incident?
# MAGIC The state as `kafka-topics --describe` would have printed it. `replay.diff(since, until)` returns the changes between two times.

# COMMAND ----------

from datetime import UTC, datetime

last = replay.findings().agg(F.unix_micros(F.max("start_ts"))).first()[0]
display(replay.at(replay.recorded[1] if last is None else datetime.fromtimestamp(last / 1e6, UTC)))

# COMMAND ----------

# MAGIC %md
# MAGIC ## When did each topic accept writes?
# MAGIC For each partition and acks setting: open, closed or unknown. `replay.available("orders")` returns one topic.

# COMMAND ----------

display(replay.available())

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which logs were truncated, and which of them below the high watermark?

# COMMAND ----------

display(
    tables["truncations"]
    .withColumns(
        {
            "offsets": F.col("log_end_offset") - F.col("truncation_offset"),
            "below_high_watermark": F.col("truncation_offset") < F.col("high_watermark"),
        }
    )
    .orderBy(F.desc_nulls_last("offsets"), "ts")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which leader epochs does each replica's log hold, and from which offset?
# MAGIC Two replicas hold the same records below the first entry that differs. For each truncation, `expected_offset` in `truncations` is the offset at which the two
# MAGIC logs diverge.

# COMMAND ----------

display(
    tables["leader_epoch_caches"]
    .withColumn("entry", F.struct("leader_epoch", "epoch_start_offset"))
    .groupBy("topic", "partition", "node_id")
    .agg(
        F.array_sort(F.collect_set(F.when(F.col("end_ts").isNull(), F.col("entry")))).alias("lineage"),
        F.array_sort(F.collect_set(F.when(F.col("end_ts").isNotNull(), F.col("entry")))).alias("cut_off"),
    )
    .orderBy("topic", "partition", "node_id")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What does each replica's leader-epoch-checkpoint file contain, and where do the files diverge?
# MAGIC For the partition of `PARTITION`. `at="2026-11-21T05:37:40"` returns the state at that time, `history=True` every change.

# COMMAND ----------

display(replay.epochs(name) if name else NO_PARTITION)

# COMMAND ----------

# MAGIC %md
# MAGIC ## For each leader change: which replicas were eligible, why was this one elected, and when did each broker learn of it?

# COMMAND ----------

display(tables["failovers"].orderBy("ts", *HERE, F.asc_nulls_last("place"), "broker_id"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which partitions are not led by their preferred replica, and did leadership return?

# COMMAND ----------

display(replay.off_preferred())

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which errors did producers get, by acks setting?
# MAGIC For the partition of `PARTITION`.

# COMMAND ----------

display(replay.acks_told(name) if name else NO_PARTITION)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Log start, committed offsets, high watermark and log end offsets
# MAGIC For the partition of `PARTITION`. Committed offsets of groups need the output of `kafka-consumer-groups --describe` among the files.

# COMMAND ----------

display(replay.offsets(name) if name else NO_PARTITION)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Where does each log start, and what moved the log start offset?

# COMMAND ----------

display(
    tables["log_starts"]
    .where("log_start_offset > 0 or change = 'compacted'")
    .unionByName(tables["log_starts"].where("change = 'created'"))
    .orderBy("ts", *HERE, "node_id")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which part of a tiered topic is in remote storage, and where does the local log start?
# MAGIC The last values in the logs, by partition and broker. Only a new leader prints the end of the remote log. Each copied segment has a line.

# COMMAND ----------

display(
    tables["remote_logs"]
    .groupBy(*HERE, "node_id")
    .agg(
        F.max("segment_base_offset").alias("last_segment_copied"),
        F.max_by("remote_end_offset", F.when(F.col("remote_end_offset").isNotNull(), F.col("ts"))).alias("remote_end_offset"),
        F.max("local_log_start_offset").alias("local_log_start_offset"),
        F.count_if(F.col("change") == "copy_failed").alias("copies_failed"),
        F.count_if(F.col("change") == "left_behind").alias("left_behind"),
    )
    .orderBy(*HERE, "node_id")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which groups rebalanced, which members left, and which transactions timed out?
# MAGIC The logs do not show transactions that are still open.

# COMMAND ----------

told = F.coalesce(F.col("details")["group_id"], F.col("details")["transactional_id"])
display(
    tables["events"]
    .where(
        "kind in ('group_generation', 'group_member_failed', 'group_rebalance_begun', 'transaction_aborted_timeout')"
    )
    .groupBy(told.alias("group_or_transactional_id"), "node_id", "kind")
    .agg(F.count("*").alias("lines"), F.min("ts").alias("first_ts"), F.max("ts").alias("last_ts"))
    .orderBy("first_ts")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## ISRs keep shrinking: which broker is the cause?
# MAGIC Suspect a broker that several leaders remove or whose sessions expired, or a leader that alone removes several followers.

# COMMAND ----------

display(tables["isr_drops"].orderBy(F.desc("drops"), "broker_id", "leader_id"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## How long was each topic without a leader, or below min.insync.replicas? How many partitions at once?

# COMMAND ----------

leaderless = (
    tables["leader_epochs"]
    .where("leader_id = -1")
    .select(*HERE, "start_ts", "end_ts", F.lit("no leader").alias("state"))
)
under_min = (
    tables["isr_spans"]
    .where("leader_id >= 0 and size(isr) < min_isr")
    .select(*HERE, "start_ts", "end_ts", F.lit("below min.insync.replicas").alias("state"))
)
single = (
    tables["isr_spans"]
    .where("leader_id >= 0 and size(isr) = 1 and size(replicas) > 1")
    .select(*HERE, "start_ts", "end_ts", F.lit("one copy").alias("state"))
)
impaired = leaderless.unionByName(under_min).unionByName(single)
lasted = millis(F.coalesce("end_ts", F.lit(logs_end)), "start_ts")  # an open span ends with the logs
in_time = Window.partitionBy("state").orderBy("ts", F.desc("step")).rowsBetween(Window.unboundedPreceding, 0)
steps = impaired.select("state", F.col("start_ts").alias("ts"), F.lit(1).alias("step")).unionByName(
    impaired.where("end_ts is not null").select("state", F.col("end_ts").alias("ts"), F.lit(-1).alias("step"))
)
peaks = (
    steps.withColumn("at_once", F.sum("step").over(in_time))
    .groupBy("state")
    .agg(F.max("at_once").alias("most_at_once"), F.max_by("ts", "at_once").alias("most_at"))
)
display(
    impaired.groupBy("state", "topic")
    .agg(F.count_distinct("partition").alias("partitions"), F.sum(lasted).alias("partition_ms"), F.max(lasted).alias("longest_ms"), F.min("start_ts").alias("first"), F.max("end_ts").alias("last"))
    .join(peaks, "state")
    .orderBy("state", "topic")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which broker was the controller, and how long did each failover take?

# COMMAND ----------

display(
    tables["controllers"]
    .select(
        "mode",
        "controller_epoch",
        "controller_id",
        "start_ts",
        millis("ready_ts", "start_ts").alias("active_after_ms"),
        "end_ts",
        "evidence",
    )
    .orderBy(F.desc("mode"), "controller_epoch")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Why did each broker leave: an ordered stop, a crash, or a live broker that was fenced?

# COMMAND ----------

display(
    tables["broker_sessions"]
    .select(
        "broker_id",
        "broker_epoch",
        "start_ts",
        "end_ts",
        "ended_by",
        "silent_ts",
        millis("end_ts", "silent_ts").alias("noticed_after_ms"),
        "evidence",
    )
    .orderBy("broker_id", "start_ts")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## Was each broker's shutdown clean, and how long did loading and recovering its logs take?

# COMMAND ----------

display(replay.log_loads().orderBy("loaded_ts", "node_id"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which controlled shutdowns were slow or failed, why, and for which partitions?

# COMMAND ----------

troubles = [
    f"broker_controlled_shutdown_{trouble}"
    for trouble in ("remaining", "retry", "gave_up", "timeout", "error", "exception", "no_controller")
] + ["kraft_controlled_shutdown_waiting", "kraft_shutdown_not_yet"]
display(
    tables["events"]
    .where(F.col("kind").isin(troubles))
    .select("ts", "node_id", "broker_id", "kind", "message", "event_id")
    .orderBy("ts", "event_id")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## What blocks a rolling restart: which brokers can be stopped at the end of the logs?
# MAGIC Stopping the last in-sync replica leaves the partition without a leader. Below min.insync.replicas, the leader rejects writes with acks=all.

# COMMAND ----------

as_logs_end = tables["isr_spans"].where("end_ts is null and leader_id >= 0")
display(
    as_logs_end.select("*", F.concat_ws("-", *HERE).alias("name"), F.explode("isr").alias("broker_id"))
    .groupBy("broker_id")
    .agg(
        F.count_if(F.col("leader_id") == F.col("broker_id")).alias("leads"),
        F.collect_list(F.when(F.expr("size(isr) = 1 and size(replicas) > 1"), F.col("name"))).alias("has_the_last_copy_of"),
        F.collect_list(F.when(F.expr("size(isr) > 1 and size(isr) <= min_isr"), F.col("name"))).alias("writes_it_would_stop"),
    )
    .orderBy("broker_id")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which followers have not rejoined the ISR, and what do they log?
# MAGIC Replicas that are out of the ISR at the end of the logs, by leader, with the last error of the follower's fetchers and log directories.

# COMMAND ----------

out = as_logs_end.select(*HERE, "leader_id", "start_ts", F.explode(F.array_except("replicas", "isr")).alias("node_id"))
missing = out.groupBy("node_id", "leader_id").agg(F.count("*").alias("partitions"), F.min("start_ts").alias("since"))
complaints = (
    tables["events"]
    .where(
        "level in ('WARN', 'ERROR', 'FATAL') and (kind like 'fetch%' or kind like 'log_dir%' or kind like 'alter_partition%')"
    )
    .select(F.col("node_id").alias("of"), "ts", "message", "event_id")
)
display(
    missing.join(complaints, (F.col("of") == F.col("node_id")) & (F.col("ts") >= F.col("since")), "left")
    .groupBy(*missing.columns)
    .agg(F.count("event_id").alias("complaints"), F.max_by("message", "ts").alias("last_complaint"), F.max_by("event_id", "ts").alias("event_id"))
    .orderBy("node_id", "leader_id")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Did a broker continue as leader after another one was elected?
# MAGIC A few milliseconds are normal for a leader change. Seconds mean a zombie leader, and the records that it accepted with acks=1 meanwhile are lost.

# COMMAND ----------

display(tables["deposed_leaders"].orderBy(F.desc_nulls_last("believed_ms")))

# COMMAND ----------

# MAGIC %md
# MAGIC ## How late did each broker learn of new leaders?
# MAGIC Until a broker learns of a new leader epoch, it returns UNKNOWN_LEADER_EPOCH to clients that know the epoch. Brokers that know it return FENCED_LEADER_EPOCH to
# MAGIC clients that do not. A broker that was down learns of new leaders when it restarts.

# COMMAND ----------

display(
    replay.epochs_learnt()
    .groupBy("broker_id")
    .agg(F.count("*").alias("leader_epochs"), F.percentile("lag_ms", F.lit(0.5)).alias("median_ms"), F.max("lag_ms").alias("longest_ms"), F.max_by("event_id", "lag_ms").alias("the_latest"))
    .orderBy("broker_id")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## A partition has no leader: which replica is the safest choice, and what would electing it cost?
# MAGIC All partitions. Partitions without a leader at the end of the logs come first.

# COMMAND ----------

furthest = Window.partitionBy(*HERE)
display(
    tables["replicas"].withColumn("short_by", F.max("log_end_offset").over(furthest) - F.col("log_end_offset")).orderBy(F.col("leader_id") >= 0, F.startswith("topic", F.lit("__")), *HERE, "trust")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## How far do the clocks of the nodes differ?

# COMMAND ----------

display(tables["clock_offsets"].orderBy("node_id", "start_ts"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## The graph of causes
# MAGIC `replay.graph()` is a GraphFrame. `find` takes any motif. This one finds the cause of a cause of an election.

# COMMAND ----------

graph = replay.graph()
chains = graph.find("(root)-[first]->(middle); (middle)-[second]->(effect)").where(
    "effect.kind in ('election', 'unclean_election', 'leaderless', 'truncation')"
)
display(
    chains.groupBy("root.label", "first.because", "middle.kind", "second.relation", "effect.kind")
    .agg(F.count("*").alias("times"), F.min("effect.ts").alias("first_ts"), F.max("first.delay_ms").alias("longest_ms"))
    .toDF("root", "because", "then", "rule", "effect", "times", "first_ts", "longest_ms")
    .orderBy("first_ts", "root", "effect")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Which messages are unusual?
# MAGIC Messages whose rate in the incident is many times the rate before it, and messages that appear only in the incident.

# COMMAND ----------

spans = (
    tables["incidents"].agg(F.min(F.coalesce("t0_low", "start_ts")).alias("t0"), F.max("end_ts").alias("t_end")).first()
)
before_it, during = (
    F.col("ts") < F.lit(spans.t0),
    F.col("ts").between(F.lit(spans.t0), F.coalesce(F.lit(spans.t_end), F.lit(logs_end))),
)
display(
    tables["events"].where("level in ('WARN', 'ERROR', 'FATAL')")
    .groupBy("template_id", "kind", "level")
    .agg(F.count_if(before_it).alias("before"), F.count_if(during).alias("during"), F.min_by("message", "ts").alias("example"), F.min_by("event_id", "ts").alias("first"))
    .where("during > 0")
    .orderBy(F.col("before") > 0, F.desc("during"), "template_id")
)  # fmt: skip

# COMMAND ----------

# MAGIC %md
# MAGIC ## Does the reconstructed history satisfy the invariants of replication?

# COMMAND ----------

display(tables["violations"].orderBy("verdict", "severity", "invariant"))

# COMMAND ----------

# MAGIC %md
# MAGIC ## What if min.insync.replicas had been 2?
# MAGIC Also supported: `unclean.leader.election.enable=false`, `replica.lag.time.max.ms`.

# COMMAND ----------

display(
    replay.what_if("min.insync.replicas", 2)
    .select(*HERE, "effect", "start_ts", "end_ts", "from_offset", "to_offset", "told", "assumptions")
    .orderBy("effect", *HERE, "start_ts")
)

# COMMAND ----------

# MAGIC %md
# MAGIC ## The lines that prove the root causes

# COMMAND ----------

display(replay.lines_of(tables["findings"].where("role = 'root_cause'")))
