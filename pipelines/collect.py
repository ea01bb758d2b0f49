"""Spark tables -> the small frames that the page and `findings.json` take."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from pipelines.glossary import glossary
from pipelines.places import Place, tables_below
from replay.catalogue.kinds import tells
from replay.columns.events import detail
from replay.invariants.rules import INVARIANTS
from replay.tables import OPEN_VERDICTS, TABLES
from replay.tables.literal_table import literal_table

MOST_DRAWN = 100_000  # rows of a table that is drawn: ten seconds of a page
MOST_PARTITIONS = 60  # of tables larger than that: those of which there is most to tell
MOST_ROWS = 200_000  # rows of any other table
TOPIC_SETTINGS = ("unclean.leader.election.enable", "min.insync.replicas")
_DRAWN = (
    ("leader_epochs", "isr_spans"),
    ("commit_bands", "high_watermarks", "follower_positions"),
)  # side by side, so of the same partitions
_WHOLE = (
    "coverage",
    "unmatched",
    "elections",
    "losses",
    "truncations",
    "broker_sessions",
    "controllers",
    "voter_sets",
    "feature_levels",
    "isr_drops",
    "deposed_leaders",
    "replicas",
    "failovers",
    "epoch_files",
    "log_starts",
    "log_directories",
    "remote_logs",
    "told_offsets",
    "described_partitions",
    "findings",
    "incidents",
    "vertices",
    "edges",
    "clock_offsets",
    "second_witness",
    "blind_spots",
    "violations",
)
_WITH_EVIDENCE = (
    "findings",
    "losses",
    "elections",
    "edges",
    "vertices",
    "truncations",
    "broker_sessions",
    "controllers",
    "voter_sets",
    "feature_levels",
    "isr_drops",
    "deposed_leaders",
    "replicas",
    "failovers",
    "epoch_files",
    "log_starts",
    "log_directories",
    "remote_logs",
    "told_offsets",
    "described_partitions",
    "leader_epochs",
    "isr_spans",
    "high_watermarks",
    "follower_positions",
    "availability",
    "blind_spots",
    "violations",
)

_MOST_LINES = 24  # of a row's evidence: as many as the page shows
_MOST_TOLD = 20_000  # rows of the settings and names that nodes tell

_KEY = ["topic", "partition"]
_MEANINGS = pd.DataFrame([{"invariant": i.id, "states": i.states, "means": i.means, "act": i.act} for i in INVARIANTS])


def frames(spark: SparkSession, result: Path | Place) -> dict[str, pd.DataFrame]:
    """The result's tables as pandas frames, bounded in size; `evidence`: the events that they name; `totals`: how
    many partitions the tables have of which but some were taken.
    """
    schemas, folder = {table.name: table.schema for table in TABLES}, Place.of(result) / "tables"
    read = tables_below(spark, folder)
    tables = {name: read(name, schema) for name, schema in schemas.items()}
    most = dict.fromkeys(_WHOLE, MOST_ROWS) | {name: MOST_DRAWN + 1 for beside in _DRAWN for name in beside}
    wanted = {name: tables[name] for name in most} | {
        "losses": tables["losses"].orderBy(F.desc(F.col("verdict").isin(*OPEN_VERDICTS))),
        "log_directories": _moved(tables["log_directories"]),
        "remote_logs": _last_told(tables["remote_logs"]),
    }
    with ThreadPoolExecutor(2) as both:
        taken = both.map(lambda name: wanted[name].limit(most[name]).toPandas(), most)
        small: dict[str, pd.DataFrame] = dict(zip(most, taken, strict=True))
    too_large = [name for beside in _DRAWN if any(len(small[name]) > MOST_DRAWN for name in beside) for name in beside]
    if too_large:
        chosen = F.broadcast(_chosen(tables))
        small |= {name: tables[name].join(chosen, _KEY, "left_semi").limit(MOST_ROWS).toPandas() for name in too_large}
    small["totals"] = pd.DataFrame(
        [(name, tables[name].select(_KEY).distinct().count()) for name in too_large], columns=["table", "partitions"]
    )
    small["availability"] = tables["availability"].orderBy("start_ts", *_KEY).limit(MOST_DRAWN).toPandas()
    small["violations"] = small["violations"].merge(_MEANINGS, on="invariant", how="left")
    small["node_facts"], small["topic_settings"] = _said(tables["events"])
    settings = tables["settings"].groupBy("node_id", "name", "value").agg(F.min("event_id").alias("event_id"))
    small["settings"] = settings.limit(_MOST_TOLD).toPandas()
    small["glossary"] = glossary()
    small["evidence"] = _evidence(spark, tables["events"], small)
    return small


def _moved(directories: DataFrame) -> DataFrame:
    """Of the replicas that moved between log directories, or were copied to another, where they lay."""
    replica = ["node_id", *_KEY]
    moved = directories.where(F.col("change").isin("moved", "copying")).select(*replica).distinct()
    return directories.join(moved, replica, "left_semi")


def _last_told(remote: DataFrame) -> DataFrame:
    """What each new leader found of a remote log, and of what goes on all the time the last of each broker."""
    is_taken_over = F.col("change").isin("found_log_start", "found_remote_end", "epochs_rebuilt")
    rest = remote.where(~is_taken_over).groupBy(*_KEY, "node_id", "change")
    last = rest.agg(F.max_by(F.struct(*remote.columns), F.struct("ts", "evidence")).alias("last")).select("last.*")
    return remote.where(is_taken_over).unionByName(last)


def _said(events: DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What nodes and topics say of themselves, each with the first event that says it: `node_facts` and
    `topic_settings`.
    """
    configs = F.when(
        F.col("kind").isin("described_topic", "log_created") & F.col("topic").isNotNull(),
        F.coalesce(detail("configs"), detail("config")),
    )
    told = [detail("cluster_id").alias("cluster_id"), detail("kafka_version").alias("kafka_version")]
    said = events.select("node_id", "topic", "event_id", *told, configs.alias("configs"))
    of_node = F.coalesce("cluster_id", "kafka_version").isNotNull() & F.col("node_id").isNotNull()
    rows: pd.DataFrame = (
        said.where(of_node | F.col("configs").isNotNull())
        .withColumns({"node_id": F.when(of_node, F.col("node_id")), "topic": F.when(~of_node, F.col("topic"))})
        .groupBy("node_id", "topic", "cluster_id", "kafka_version", "configs")
        .agg(F.min("event_id").alias("event_id"))
        .limit(_MOST_TOLD)
        .toPandas()
    )
    facts, settings = [], []
    for row in rows.sort_values("event_id").itertuples():
        if row.configs is None:
            facts += [
                (row.node_id, name, value, row.event_id)
                for name, value in (("cluster_id", row.cluster_id), ("kafka_version", row.kafka_version))
                if value
            ]
            continue
        for name in TOPIC_SETTINGS:
            found = re.search(rf"(?:^|[,{{\s]){re.escape(name)}\s*(?:=|->)\s*([^,}}\s]+)", row.configs)
            if found:
                settings.append((row.topic, name, found[1], row.event_id))
    return (
        pd.DataFrame(facts, columns=["node_id", "name", "value", "event_id"]).drop_duplicates(
            ["node_id", "name", "value"]
        ),
        pd.DataFrame(settings, columns=["topic", "name", "value", "event_id"]).drop_duplicates(
            ["topic", "name", "value"]
        ),
    )


def _chosen(tables: dict[str, DataFrame]) -> DataFrame:
    """The `MOST_PARTITIONS` that lost most, then those to which most happened."""

    def lost(of: Column, to: str) -> Column:
        return F.sum(F.when(of, F.coalesce(F.col(to) - F.col("from_offset"), F.lit(1 << 40))))

    committed = F.col("loss_class") == "committed"
    losses = tables["losses"].where(F.col("verdict").isin(*OPEN_VERDICTS)).groupBy(_KEY)
    lossy = losses.agg(
        F.struct(
            lost(committed, "to_offset_low"), lost(committed, "to_offset_high"), lost(~committed, "to_offset_high")
        ).alias("_lost")
    )
    touched = tables["vertices"].where(F.col("topic").isNotNull()).groupBy(_KEY).agg(F.count("*").alias("_happenings"))
    every = (
        tables["leader_epochs"]
        .groupBy(_KEY)
        .agg(F.count("*").alias("_epochs"))
        .join(touched, _KEY, "left")
        .join(lossy, _KEY, "left")
    )
    order: list[Column | str] = [
        F.desc_nulls_last("_lost"),
        F.desc_nulls_last("_happenings"),
        F.desc("_epochs"),
        F.startswith("topic", F.lit("__")),
        *_KEY,
    ]
    return every.orderBy(*order).limit(MOST_PARTITIONS).select(_KEY)


def cut_short(small: dict[str, pd.DataFrame]) -> list[str]:
    """What to say of tables of which `frames` took a part."""
    return [
        f"{name}: {MOST_ROWS:,} of its rows are told of here; the table of the result holds all"
        for name in _WHOLE
        if len(small[name]) == MOST_ROWS
    ]


def _evidence(spark: SparkSession, events: DataFrame, small: dict[str, pd.DataFrame]) -> pd.DataFrame:
    kept: list[Any] = [small[name].get("evidence", ()) for name in _WITH_EVIDENCE] + [
        small["second_witness"].get(column, ()) for column in ("log_evidence", "record_evidence")
    ]
    single: list[Any] = [small[name].get("event_id", ()) for name in ("node_facts", "topic_settings")]
    named = sorted(
        {event for column in kept for told in column if told is not None for event in told[:_MOST_LINES]}
        | {event for column in single for event in column}
    )
    wanted = literal_table(
        spark, [{"event_id": event} for event in named], StructType([StructField("event_id", StringType())])
    )
    columns: list[Any] = [
        "event_id",
        "ts",
        "node_id",
        "source_file",
        "line_number",
        "level",
        "logger",
        "kind",
        F.substr("message", F.lit(1), F.lit(600)).alias("message"),
    ]
    shown = events.join(F.broadcast(wanted), "event_id", "left_semi").select(*columns)
    lines: pd.DataFrame = shown.toPandas()
    return lines.assign(tells=lines["kind"].map(tells, na_action=None)).drop(columns="kind")
