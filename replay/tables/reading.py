"""The input: files, records, events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pyspark.sql.types import ArrayType, StructField, StructType

from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    LONG,
    STRING,
    Long,
    column,
    row,
    table_of,
)


@row("coverage", key=("source_file", "node_id"))
class FileCoverage(Row):
    """One input file (one row per node, if one file holds several nodes)."""

    node_id: int | MaybeNone = column("Node that wrote the file; null if unknown.")
    source_file: str = column("Path inside the input.")
    layout: str | MaybeNone = column("Layout of its lines.")
    log_records: Long | MaybeNone = column(
        "Records in the file: a stack trace or a dump of several lines belongs to its record."
    )
    matched: Long | MaybeNone = column("Records that match a template.")
    unmatched: Long | MaybeNone = column("Records that match no template; matched + unmatched = log_records.")
    foreign: Long | MaybeNone = column("Unmatched records of loggers outside Kafka.")
    secrets_hidden: Long | MaybeNone = column(
        "Passwords, keys and other secrets in its records; every table hides them."
    )
    first_ts: datetime | MaybeNone = column(
        "First timestamp in the file, corrected; null for hosts, containers and operators."
    )
    last_ts: datetime | MaybeNone = column(
        "Last timestamp in the file, corrected; null for hosts, containers and operators."
    )


@row("kafka_files")
class KafkaFile(FileCoverage):
    """One input file of Kafka's own, not of a host, a container or an operator."""


@row("events", key=("event_id",))
class Event(Row):
    """One recognized log record, or one line of a witness file (checkpoint, dump, description)."""

    event_id: str = column("source_file:line_number; the same for the same input.")
    ts: datetime | MaybeNone = column("Time in UTC, corrected for zone and clock skew; null for files without times.")
    raw_ts: datetime | MaybeNone = column("The line's own timestamp, read as if it were UTC.")
    node_id: int | MaybeNone = column("Node that wrote the line.")
    source_file: str | MaybeNone = column("File, as a path inside the input.")
    line_number: Long | MaybeNone = column("Line in the file, from 1.")
    level: str | MaybeNone = column("Log level.")
    logger: str | MaybeNone = column("Logger as printed.")
    kind: str | MaybeNone = column("Kind of message (`replay.catalogue.kinds`).")
    template_id: str | MaybeNone = column("Template that it matches (`kafka-replay catalogue`).")
    topic: str | MaybeNone = column("Topic in the line.")
    topic_id: str | MaybeNone = column("Topic id, where printed.")
    partition: int | MaybeNone = column("Partition in the line.")
    broker_id: int | MaybeNone = column("Broker in the line.")
    leader_id: int | MaybeNone = column("Leader in the line; -1 for none.")
    leader_epoch: int | MaybeNone = column("Leader epoch in the line.")
    partition_epoch: int | MaybeNone = column("Partition epoch in the line (zkVersion of the state znode).")
    controller_id: int | MaybeNone = column("Controller in the line.")
    controller_epoch: int | MaybeNone = column("Controller epoch in the line.")
    broker_epoch: Long | MaybeNone = column("Broker epoch in the line.")
    isr: Sequence[int] | MaybeNone = column("In-sync replicas in the line.")
    replicas: Sequence[int] | MaybeNone = column("Assigned replicas in the line, in order of preference.")
    high_watermark: Long | MaybeNone = column("High watermark in the line.")
    log_end_offset: Long | MaybeNone = column("Log end offset in the line.")
    log_start_offset: Long | MaybeNone = column("Log start offset in the line.")
    epoch_start_offset: Long | MaybeNone = column("Offset at which a leader epoch starts.")
    truncation_offset: Long | MaybeNone = column("Offset to which a log is truncated.")
    details: Mapping[str, str] | MaybeNone = column("Every other field of the template, by name.")
    message: str | MaybeNone = column("Message as printed (first line).")


@row("printed")
class PrintedRecord(Event):
    """One log record, recognized or not, or one line of a witness file, as read: `ts` is not yet corrected."""

    layout: str | MaybeNone = column("Layout its file was read by.")
    zone_known: bool | MaybeNone = column("The line prints the zone of its stamp: `raw_ts` is the instant.")
    secrets_hidden: int | MaybeNone = column("Passwords, keys and the like that it held.")
    settings: (
        Annotated[
            Sequence[Any],
            ArrayType(
                StructType(
                    [
                        StructField("line_number", LONG),
                        StructField("name", STRING),
                        StructField("value", STRING),
                    ]
                )
            ),
        ]
        | MaybeNone
    ) = column("The lines of a dump of settings under it, for the names that matter (`replay.reading.settings`).")
    below: str | MaybeNone = column(
        "The first lines under a warning or an error, of a stack trace at any level, or of a dump of settings."
    )


@row("unmatched", key=("normalized", "logger", "level"))
class UnmatchedWording(Row):
    """One wording without a template."""

    normalized: str = column("Message with its numbers and names replaced by <…>.")
    logger: str | MaybeNone = column("Logger as printed.")
    level: str | MaybeNone = column("Log level.")
    foreign: bool | MaybeNone = column("The logger is not Kafka's.")
    count: Long | MaybeNone = column("How often.")
    first_ts: datetime | MaybeNone = column("Time of the first one.")
    last_ts: datetime | MaybeNone = column("Time of the last one.")
    example: str | MaybeNone = column("The first of the messages.")
    evidence: Sequence[str] = column("Its location: file and line.")


@row("facts")
class Fact(Event):
    """One understood log record for the rules in plain Python; consecutive similar records are one row."""

    count: Long | MaybeNone = column("How many records the row stands for; 1 for a single one.")
    last_ts: datetime | MaybeNone = column("When the last of them was; `ts` is the first.")
    last_event_id: str | MaybeNone = column("The last of them.")


COVERAGE = table_of(FileCoverage)
EVENTS = table_of(Event)
PRINTED = table_of(PrintedRecord)
UNMATCHED = table_of(UnmatchedWording)
FACTS = table_of(Fact)
