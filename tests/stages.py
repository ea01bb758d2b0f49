"""Several stages of one room, run one after the other, as `pipelines.incident` lists them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

from pipelines.incident import stages
from replay.histories.history import histories
from replay.offsets import leader_epoch_caches as caches
from replay.tables import Table
from replay.tables.arrow import from_arrow, to_arrow
from replay.tables.row import Row

FOLD = next(stage for stage in stages() if stage.table == "histories")


def caches_of(
    events: DataFrame,
    lives: DataFrame,
    rules: DataFrame,
    leader_epochs: DataFrame,
    isrs: DataFrame,
    high_watermarks: DataFrame,
) -> DataFrame:
    """The leader-epoch caches, from events."""
    lines = caches.epoch_lines(events, lives, rules).localCheckpoint()
    entries = caches.epoch_entries(lines, leader_epochs, isrs, high_watermarks, lives, rules).localCheckpoint()
    return caches.leader_epoch_caches(lines, entries, leader_epochs)


def losses_of(**told: Sequence[Row]) -> list[Row]:
    """The loss ledger, from rows of the tables that the fold reads, by their names; of one that is not given there are
    none.
    """
    history = histories(*[told.get(name, []) for name in FOLD.facts])
    own = [name for name in FOLD.reads if name not in FOLD.facts]
    partitions: dict[tuple, dict[str, list[Row]]] = defaultdict(lambda: {name: [] for name in own})
    for name in own:
        for row in told.get(name, []):
            partitions[row.topic, row.partition][name].append(row)
    return [row for rows in partitions.values() for row in history(rows)["ledger"]]


def plain(table: Table, frame: DataFrame) -> list[Row]:
    """The rows of a frame, as plain Python is given them."""
    return from_arrow(table, frame.toArrow())


def as_frame(spark: SparkSession, table: Table, rows: Sequence[Row]) -> DataFrame:
    """Rows of plain Python, as Spark is given them."""
    return spark.createDataFrame(to_arrow(table, rows), table.schema)
