"""Files beside the logs that testify: checkpoint files, `meta.properties`, dumps and descriptions by Kafka's own tools.

Each of their lines becomes a row like a log record's, so that later stages read one table and evidence names file and line
for them too. A checkpoint's time is that of its folder's name (`as_of_ts`), if it has one; a dump carries its own.
Source of the formats: kafka-log-formats §6.
"""

from __future__ import annotations

import re

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.catalogue.fields import COLUMNS, TOPIC
from replay.parse import event_id
from replay.schema import EVENTS

_CHECKPOINTS = {
    "replication-offset-checkpoint": "checkpoint_high_watermark",
    "log-start-offset-checkpoint": "checkpoint_log_start_offset",
    "recovery-point-offset-checkpoint": "checkpoint_recovery_point",
    "cleaner-offset-checkpoint": "checkpoint_cleaner_offset",
}
_PARTITION_FOLDER = rf"/({TOPIC})-(\d+)(?:\.[0-9a-f]{{32}}-delete|-future|-stray)?/[^/]+$"
WITNESS_LAYOUTS = (*_CHECKPOINTS, "leader-epoch-checkpoint", "meta.properties", "quorum-state", "partition.metadata", "kafka-dump-log", "topics-describe",
                   "quorum-describe")  # fmt: skip


def witness_layout(file_name: str, head: str) -> str | None:
    """Which kind of witness file this is, by its name or its first lines; None for a log."""
    for name in (*_CHECKPOINTS, "leader-epoch-checkpoint", "meta.properties", "quorum-state", "partition.metadata"):
        if file_name == name:
            return name
    if re.search(r"^(?:Dumping \S|baseOffset: \d+ lastOffset: \d+)", head, re.MULTILINE):
        return "kafka-dump-log"
    if re.search(r"^Topic: ?\S+\s.*(?:PartitionCount|ReplicationFactor): ?\d+", head, re.MULTILINE):
        return "topics-describe"
    if re.search(r"^(?:ClusterId:\s+\S+\s*$|NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s)", head, re.MULTILINE):
        return "quorum-describe"
    return None


def witness_records(lines: DataFrame) -> DataFrame:
    """The lines of witness files as `EVENTS` rows with `layout`; `kind` is null for a line that is not understood.

    `lines` are those of `replay.parse.lines` with `as_of_ts`, of files whose layout is one of `WITNESS_LAYOUTS`.
    """
    said = lines.where(F.length(F.trim("text")) > 0)
    rows = [
        *(_offsets(said, layout, kind) for layout, kind in _CHECKPOINTS.items()),
        _leader_epochs(said),
        _properties(said),
        _dump(said),
        _topics(said),
        _quorum(said),
    ]
    whole = rows[0]
    for more in rows[1:]:
        whole = whole.unionByName(more)
    return whole


def _rows(lines: DataFrame, kind: Column, columns: dict[str, Column], details: Column | None = None, ts: Column | None = None) -> DataFrame:
    """`EVENTS` plus `layout` for one kind of file."""
    unset = {name: F.lit(None).cast(type_) for name, type_ in COLUMNS.items() if name not in columns}
    return lines.select(
        event_id().alias("event_id"),
        (F.col("as_of_ts") if ts is None else ts).alias("ts"),
        (F.col("as_of_ts") if ts is None else ts).alias("raw_ts"),
        "node_id",
        "source_file",
        "line_number",
        F.lit(None).cast("string").alias("level"),
        F.lit(None).cast("string").alias("logger"),
        kind.alias("kind"),
        F.lit(None).cast("string").alias("template_id"),
        *[column.cast(COLUMNS[name]).alias(name) for name, column in {**unset, **columns}.items()],
        (F.lit(None) if details is None else details).cast("map<string,string>").alias("details"),
        F.col("text").alias("message"),
        "layout",
    ).select(*EVENTS.schema.fieldNames(), "layout")


def _group(pattern: str, group: int, text: str = "text") -> Column:
    return F.nullif(F.regexp_extract(text, pattern, group), F.lit(""))


def _offsets(lines: DataFrame, layout: str, kind: str) -> DataFrame:
    entry = rf"^({TOPIC}) (\d+) (-?\d+)$"
    offset = _group(entry, 3).try_cast("bigint")
    filled = {"checkpoint_high_watermark": "high_watermark", "checkpoint_log_start_offset": "log_start_offset"}.get(kind)
    return _rows(
        lines.where(F.col("layout") == layout),
        F.when(F.col("text").rlike(entry), kind).when(F.col("text").rlike(r"^\d+$") & (F.col("line_number") <= 2), "checkpoint_header"),
        {"topic": _group(entry, 1), "partition": _group(entry, 2).try_cast("int")} | ({filled: offset} if filled else {}),
        F.when(F.col("text").rlike(entry), F.create_map(F.lit("offset"), _group(entry, 3))),
    )


def _leader_epochs(lines: DataFrame) -> DataFrame:
    entry = r"^(\d+) (\d+)$"
    return _rows(
        lines.where(F.col("layout") == "leader-epoch-checkpoint"),
        F.when(F.col("text").rlike(entry), "checkpoint_leader_epoch").when(
            F.col("text").rlike(r"^\d+$") & (F.col("line_number") <= 2), "checkpoint_header"
        ),
        {
            "topic": _group(_PARTITION_FOLDER, 1, "source_file"),
            "partition": _group(_PARTITION_FOLDER, 2, "source_file").try_cast("int"),
            "leader_epoch": _group(entry, 1).try_cast("int"),
            "epoch_start_offset": _group(entry, 2).try_cast("bigint"),
        },
    )


def _properties(lines: DataFrame) -> DataFrame:
    kind = F.replace(F.col("layout"), F.lit("."), F.lit("_"))
    kind = F.replace(kind, F.lit("-"), F.lit("_"))
    return _rows(
        lines.where(F.col("layout").isin("meta.properties", "quorum-state", "partition.metadata")),
        kind,
        {
            "topic": F.when(F.col("layout") == "partition.metadata", _group(_PARTITION_FOLDER, 1, "source_file")),
            "topic_id": _group(r"^topic_id: (\S+)$", 1),
            "broker_id": _group(r"^(?:broker|node)\.id=(\d+)", 1).try_cast("int"),
            "controller_id": _group(r'"leaderId":(-?\d+)', 1).try_cast("int"),
            "controller_epoch": _group(r'"leaderEpoch":(\d+)', 1).try_cast("int"),
        },
    )


def _dump(lines: DataFrame) -> DataFrame:
    """`kafka-dump-log` text: batches, and records of the metadata log with their JSON payload as `message`."""
    batch = r"^baseOffset: (\d+) lastOffset: (\d+) .*partitionLeaderEpoch: (-?\d+) .*CreateTime: (-?\d+)"
    record = r"^\| offset: (\d+) (?:.*?)CreateTime: (-?\d+) .*payload: (\{.*\})\s*$"
    control = r"^\| offset: (\d+) (?:.*?)CreateTime: (-?\d+) .*(?:controlType: (\w+)|payload: |(SnapshotHeader|SnapshotFooter|KRaftVersion|KRaftVoters))"
    text = F.col("text")
    kind = (
        F.when(text.rlike(batch), "dump_batch")
        .when(text.rlike(record), "dump_metadata_record")
        .when(text.rlike(control), "dump_record")
        .when(text.rlike(r"^\| offset: \d+ "), "dump_record")
        .when(text.rlike(r"^(?:Dumping |Starting offset: |Log starting offset: |Snapshot end offset: |KRaft bootstrap|Found \d+ invalid bytes)"), "dump_header")
    )
    millis = F.coalesce(_group(batch, 4), _group(record, 2), _group(control, 2)).try_cast("bigint")
    details = F.map_filter(
        F.create_map(
            F.lit("offset"), F.coalesce(_group(batch, 1), _group(record, 1), _group(control, 1), _group(r"^\| offset: (\d+)", 1)),
            F.lit("last_offset"), _group(batch, 2),
            F.lit("type"), F.coalesce(_group(r'payload: \{"type":"(\w+)"', 1), _group(control, 3), _group(control, 4)),
            F.lit("dumped"), _group(r"^Dumping (\S+)", 1),
        ),
        lambda _, value: value.isNotNull(),
    )  # fmt: skip
    return _rows(
        lines.where(F.col("layout") == "kafka-dump-log"),
        kind,
        {"controller_epoch": F.when(text.rlike(batch), _group(batch, 3).try_cast("int"))},
        details,
        ts=F.when(millis > 0, F.timestamp_millis(millis)),
    ).withColumn("message", F.coalesce(_group(record, 3, "message"), F.col("message")))


def _topics(lines: DataFrame) -> DataFrame:
    """`kafka-topics --describe` text; leader -1 for `none`."""
    partition = r"^\s+Topic: ?(\S+)\s+Partition: ?(\d+)\s+Leader: ?(-?\d+|none)\s+Replicas: ?([\d,]*)\s+Isr: ?([\d,]*)"
    header = r"^Topic: ?(\S+)\s"
    text = F.col("text")
    leader = F.replace(_group(partition, 3), F.lit("none"), F.lit("-1")).try_cast("int")
    return _rows(
        lines.where(F.col("layout") == "topics-describe"),
        F.when(text.rlike(partition), "described_partition").when(text.rlike(header), "described_topic"),
        {
            "topic": F.coalesce(_group(partition, 1), _group(header, 1)),
            "topic_id": _group(r"TopicId: ?(\S+)", 1),
            "partition": _group(partition, 2).try_cast("int"),
            "leader_id": leader,
            "replicas": F.split(_group(partition, 4), ",").try_cast("array<int>"),
            "isr": F.split(_group(partition, 5), ",").try_cast("array<int>"),
        },
        F.when(text.rlike(header), F.create_map(F.lit("configs"), F.regexp_extract(text, r"Configs: ?(\S*)", 1))),
    )


def _quorum(lines: DataFrame) -> DataFrame:
    said = r"^(\w+):\s+(\S.*)$"
    replica = r"^(\d+)\s+(?:\S{22}\s+)?(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(Leader|Follower|Observer)\s*$"
    text = F.col("text")
    return _rows(
        lines.where(F.col("layout") == "quorum-describe"),
        F.when(text.rlike(replica), "described_quorum_replica").when(text.rlike(said), "described_quorum").when(text.rlike(r"^NodeId\s"), "described_quorum"),
        {"broker_id": _group(replica, 1).try_cast("int"), "log_end_offset": _group(replica, 2).try_cast("bigint")},
        F.when(text.rlike(said), F.create_map(_group(said, 1), _group(said, 2))),
    )
