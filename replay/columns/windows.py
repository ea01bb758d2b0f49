"""The named windows: what a partition of rows is, and what orders it. Epochs and offsets give the order; the clocks
of two nodes do not.
"""

from __future__ import annotations

from pyspark.sql import Window, WindowSpec

# One life of one topic-partition: a topic deleted and created again under its name is another topic.
PARTITION_KEY = ("topic", "life", "partition")


def by_leader_epoch() -> WindowSpec:
    """One partition's leader epochs, oldest first."""
    return Window.partitionBy(*PARTITION_KEY).orderBy("leader_epoch")


def by_state() -> WindowSpec:
    """One partition's committed states, oldest first: leader epoch, then partition epoch, then time."""
    return Window.partitionBy(*PARTITION_KEY).orderBy("leader_epoch", "state_order", "ts")


def by_node_and_partition() -> WindowSpec:
    """What one node's own files say of one partition, in the order of its one clock and its file."""
    return Window.partitionBy("node_id", "topic", "partition").orderBy("ts", "line_number")


def so_far(window: WindowSpec) -> WindowSpec:
    """All rows of `window` up to this one."""
    return window.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def before(window: WindowSpec) -> WindowSpec:
    """All rows of `window` before this one."""
    return window.rowsBetween(Window.unboundedPreceding, -1)


def after(window: WindowSpec) -> WindowSpec:
    """All rows of `window` after this one."""
    return window.rowsBetween(1, Window.unboundedFollowing)


def from_here(window: WindowSpec) -> WindowSpec:
    """This row of `window` and all that follow."""
    return window.rowsBetween(Window.currentRow, Window.unboundedFollowing)


def by_metadata_offset() -> WindowSpec:
    """One partition's records of the metadata log, in the order of the log."""
    return Window.partitionBy("topic_id", "partition").orderBy("metadata_offset")
