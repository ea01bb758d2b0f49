"""Broken invariants."""

from __future__ import annotations

from replay.tables.columns import EVIDENCE, LEADER_EPOCH, PARTITION, TOPIC
from replay.tables.table import INT, INTS, LONG, STRING, TIMESTAMP, Table, column

VIOLATIONS = Table(
    name="violations",
    row="One broken invariant.",
    key=("invariant", "topic", "partition", "detail"),
    columns=(
        column("invariant", STRING, "I1-I32 of the facts, §2."),
        TOPIC,
        PARTITION,
        column("severity", STRING, "`critical`, `high`, `medium`, `low`, `info`."),
        column("verdict", STRING, "`violated`, or `unknown` where the evidence is incomplete."),
        column("detail", STRING, "What was seen against what was expected."),
        EVIDENCE,
    ),
)

TENURE_LINES = Table(
    name="tenure_lines",
    row="One line in which a broker tells of its role in a partition, or a controller that a reassignment is done.",
    key=("event_id", "topic", "partition"),
    columns=(
        TOPIC,
        PARTITION,
        column("node_id", INT, "Who prints it."),
        column("ts", TIMESTAMP, "When."),
        column("raw_ts", TIMESTAMP, "Its stamp as printed."),
        column("line_number", LONG, "Line in its file."),
        column("kind", STRING, "Kind of event."),
        LEADER_EPOCH,
        column("previous_leader_epoch", INT, "The leader epoch that the broker had before."),
        column("partition_epoch", INT, "Partition epoch it names."),
        column("isr", INTS, "In-sync replicas it names."),
        column("old_isr", STRING, "The ISR before, as printed."),
        column("replicas", INTS, "Assigned replicas it names."),
        column("adding_replicas", STRING, "Replicas that a reassignment adds, as printed."),
        column("removing_replicas", STRING, "Replicas that it removes, as printed."),
        column("out_of_sync_replicas", STRING, "What the leader knows of those it takes out of the ISR, as printed."),
        column("high_watermark", LONG, "High watermark it names."),
        column("log_end_offset", LONG, "Log end offset it names."),
        column("epoch_start_offset", LONG, "First offset of that leader epoch."),
        column("event_id", STRING, "The line."),
    ),
)

VIOLATIONS_OF_CLUSTER = Table(
    "violations_of_cluster", "A row of `violations` of controllers or brokers.", VIOLATIONS.key, VIOLATIONS.columns
)
VIOLATIONS_OF_METADATA = Table(
    "violations_of_metadata", "A row of `violations` that the metadata log shows.", VIOLATIONS.key, VIOLATIONS.columns
)
