"""What is read: files, records, events."""

from __future__ import annotations

from pyspark.sql.types import ArrayType, MapType, StringType, StructField, StructType

from replay.tables.table import BOOLEAN, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

COVERAGE = Table(
    name="coverage",
    row="One input file (and, where one file holds several nodes, one row a node).",
    key=("source_file", "node_id"),
    columns=(
        column("node_id", INT, "Node that wrote the file; null if not known."),
        column("source_file", STRING, "Path inside the input."),
        column("layout", STRING, "Layout its lines were read by."),
        column(
            "log_records", LONG, "Records in the file: a stack trace or a dump of several lines belongs to its record."
        ),
        column("matched", LONG, "Records that a template knows."),
        column("unmatched", LONG, "Records that no template knows; matched + unmatched = log_records."),
        column("foreign", LONG, "Unmatched records of loggers outside Kafka."),
        column("secrets_hidden", LONG, "Passwords, keys and the like that its records held and no table repeats."),
        column(
            "first_ts",
            TIMESTAMP,
            "First stamp in the file, corrected; null for what hosts, containers and operators say.",
        ),
        column(
            "last_ts",
            TIMESTAMP,
            "Last stamp in the file, corrected; null for what hosts, containers and operators say.",
        ),
    ),
)

KAFKA_FILES = COVERAGE.extended(
    "kafka_files", "One input file of Kafka's own, not of a host, a container or an operator."
)

EVENTS = Table(
    name="events",
    row="One understood log record, or one line of a witness file (checkpoint, dump, description).",
    key=("event_id",),
    columns=(
        column("event_id", STRING, "source_file:line_number; the same for the same input."),
        column("ts", TIMESTAMP, "When, in UTC, corrected for zone and clock skew; null for files without time."),
        column("raw_ts", TIMESTAMP, "The line's own stamp, read as if it were UTC."),
        column("node_id", INT, "Node that wrote the line."),
        column("source_file", STRING, "File, as a path inside the input."),
        column("line_number", LONG, "Line in the file, from 1."),
        column("level", STRING, "Log level."),
        column("logger", STRING, "Logger as printed."),
        column("kind", STRING, "What kind of message it is (`replay.catalogue.kinds`)."),
        column("template_id", STRING, "Template that knew it (`kafka-replay catalogue`)."),
        column("topic", STRING, "Topic it is about."),
        column("topic_id", STRING, "Topic id, where printed."),
        column("partition", INT, "Partition it is about."),
        column("broker_id", INT, "Broker it is about."),
        column("leader_id", INT, "Leader it names; -1 none."),
        column("leader_epoch", INT, "Leader epoch it names."),
        column("partition_epoch", INT, "Partition epoch (zkVersion of the state znode) it names."),
        column("controller_id", INT, "Controller it names."),
        column("controller_epoch", INT, "Controller epoch it names."),
        column("broker_epoch", LONG, "Broker epoch it names."),
        column("isr", INTS, "In-sync replicas it names."),
        column("replicas", INTS, "Assigned replicas it names, in order of preference."),
        column("high_watermark", LONG, "High watermark it names."),
        column("log_end_offset", LONG, "Log end offset it names."),
        column("log_start_offset", LONG, "Log start offset it names."),
        column("epoch_start_offset", LONG, "Offset at which a leader epoch starts."),
        column("truncation_offset", LONG, "Offset to which a log is cut."),
        column("details", MapType(StringType(), StringType()), "Every other field of the template, by name."),
        column("message", STRING, "Message as printed (first line)."),
    ),
)

PRINTED = EVENTS.extended(
    "printed",
    "One log record, understood or not, or one line of a witness file, as it was read: `ts` is not yet corrected.",
    column("layout", STRING, "Layout its file was read by."),
    column("zone_known", BOOLEAN, "The line prints the zone of its stamp: `raw_ts` is the instant."),
    column("secrets_hidden", INT, "Passwords, keys and the like that it held."),
    column(
        "settings",
        ArrayType(
            StructType(
                [
                    StructField("line_number", LONG),
                    StructField("name", STRING),
                    StructField("value", STRING),
                ]
            )
        ),
        "The lines of a dump of settings under it, for the names that matter (`replay.reading.settings`).",
    ),
    column(
        "below",
        STRING,
        "The first lines under a warning or an error, of a stack trace at any level, or of a dump of settings.",
    ),
)

UNMATCHED = Table(
    name="unmatched",
    row="One wording that no template knows.",
    key=("normalized", "logger", "level"),
    columns=(
        column("normalized", STRING, "Message with its numbers and names replaced by <…>."),
        column("logger", STRING, "Logger as printed."),
        column("level", STRING, "Log level."),
        column("foreign", BOOLEAN, "The logger is not Kafka's."),
        column("count", LONG, "How often."),
        column("first_ts", TIMESTAMP, "First time."),
        column("last_ts", TIMESTAMP, "Last time."),
        column("example", STRING, "The first of the messages."),
        column("evidence", STRINGS, "Where that stands: file and line."),
    ),
)

FACTS = EVENTS.extended(
    "facts",
    "One understood log record that plain Python reads; of many alike that follow each other, one row for the run.",
    column("count", LONG, "How many records the row stands for; 1 for a single one."),
    column("last_ts", TIMESTAMP, "When the last of them was; `ts` is the first."),
    column("last_event_id", STRING, "The last of them."),
)
