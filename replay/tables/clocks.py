"""The nodes' clocks."""

from __future__ import annotations

from replay.tables.columns import END, START
from replay.tables.table import DOUBLE, INT, STRING, STRINGS, TIMESTAMP, Table, column

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
