"""The nodes' clocks."""

from __future__ import annotations

from pyspark.sql.types import MapType

from replay.tables.columns import END, LEADER_EPOCH, START
from replay.tables.table import BOOLEAN, DOUBLE, INT, LONG, STRING, STRINGS, TIMESTAMP, Table, column

CLOCK_OFFSETS = Table(
    name="clock_offsets",
    row="One node's clock in one window.",
    key=("node_id", "start_ts"),
    columns=(
        column("node_id", INT, "The node."),
        START,
        END,
        column("zone", STRING, "Time zone its stamps are read in."),
        column("offset_low_ms", DOUBLE, "Its clock is ahead of the reference by at least this (after the zone)."),
        column("offset_high_ms", DOUBLE, "… and at most this."),
        column("correction_ms", DOUBLE, "What was taken off its stamps."),
        column("reference_node_id", INT, "The node whose clock is the reference."),
    ),
)

CLOCK_STEPS = Table(
    name="clock_steps",
    row="One time at which a node's clock was set while it ran.",
    key=("node_id", "ts"),
    columns=(
        column("node_id", INT, "The node."),
        column("last_ts", TIMESTAMP, "Its last line that is surely of before."),
        column("ts", TIMESTAMP, "Its first line after."),
        column("step_ms", DOUBLE, "By how much: forward, or back if negative."),
        column("cause", STRING, "`daylight_saving` for a step of whole half hours, else `clock_set`."),
        column("zone", STRING, "Time zone that its stamps are read in."),
        column("evidence", STRINGS, "The lines that show it."),
    ),
)

STAMPED_LINES = Table(
    name="stamped_lines",
    row="One line that may stand before or after another node's, with its stamp as a number.",
    key=("event_id",),
    columns=(
        column("node_id", INT, "The node."),
        column("source_file", STRING, "Its file."),
        column("line_number", LONG, "Line in its file."),
        column("event_id", STRING, "The line."),
        column("kind", STRING, "Kind of event."),
        column("topic", STRING, "Topic it names."),
        column("topic_id", STRING, "Topic id it names."),
        column("partition", INT, "Partition it names."),
        column("broker_id", INT, "Broker it names."),
        column("leader_id", INT, "Leader it names."),
        LEADER_EPOCH,
        column("partition_epoch", INT, "Partition epoch it names."),
        column("controller_id", INT, "Controller it names."),
        column("controller_epoch", INT, "Controller epoch it names."),
        column("broker_epoch", LONG, "Broker epoch it names."),
        column("details", MapType(STRING, STRING), "Fields without a column of their own."),
        column("message", STRING, "Its text."),
        column("base", STRING, "Letter of its clock (`replay.clocks.constraints`)."),
        column("turn", INT, "How often that clock was set back before."),
        column("wall", LONG, "Its stamp, milliseconds since 1970."),
    ),
)

KEYED_STAMPS = Table(
    name="keyed_stamps",
    row="One line as the cause or the effect of a rule of `replay.clocks.happened_before`.",
    key=("rule", "cause", "key", "event_id"),
    columns=(
        column("rule", STRING, "The rule."),
        column("cause", BOOLEAN, "It is the cause, else the effect."),
        column("key", STRING, "What cause and effect have in common."),
        column("clock", STRING, "Clock of the stamp."),
        column("wall", LONG, "The stamp, milliseconds since 1970."),
        column("event_id", STRING, "The line."),
    ),
)
