"""The nodes' clocks."""

from __future__ import annotations

from replay.tables.columns import END, START
from replay.tables.table import DOUBLE, INT, STRING, Table, column

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
