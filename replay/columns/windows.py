"""The named windows: the key of each partition of rows, and its order. Epochs and offsets give the order; the clocks
of two nodes do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pyspark.sql import Window, WindowSpec
from pyspark.sql import functions as F

# One life of one topic-partition: a topic that was deleted and created again is another topic.
PARTITION_KEY = ("topic", "life", "partition")


class Order(Protocol):
    """A window over the rows of one key in order; `newest_first`: in reverse order."""

    def __call__(self, *, newest_first: bool = False) -> WindowSpec: ...


def ordered(key: Sequence[str], *columns: str) -> Order:
    """The rows of one `key`, in the order of `columns`."""

    def window(*, newest_first: bool = False) -> WindowSpec:
        order = [F.col(name).desc() if newest_first else F.col(name).asc() for name in columns]
        return Window.partitionBy(*key).orderBy(*order)

    return window


# The lines of one node about one partition, in the order of its clock and its file.
by_node_and_partition = ordered(("node_id", "topic", "partition"), "ts", "line_number")


def so_far(window: WindowSpec) -> WindowSpec:
    """All rows of `window` up to this one."""
    return window.rowsBetween(Window.unboundedPreceding, Window.currentRow)


def before(window: WindowSpec) -> WindowSpec:
    """All rows of `window` before this one."""
    return window.rowsBetween(Window.unboundedPreceding, -1)


def after(order: Order) -> WindowSpec:
    """All rows after this one, in reverse order: `F.last` is the next one.

    In reverse order, because Spark recomputes a frame that ends with the last row for every row, so the time would
    grow with the square of the number of rows.
    """
    return before(order(newest_first=True))
