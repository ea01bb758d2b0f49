"""The names of vertices of leader epochs and losses, in plain Python and as columns; a test holds the two together."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from replay.columns.partitions import partition_name
from replay.facts.times import known
from replay.tables.row import UntypedRow


def partition_of(row: UntypedRow) -> str | None:
    """`orders-0`; None where topic or number is not known."""
    return None if row.topic is None or row.partition is None else f"{row.topic}-{row.partition}"


def joined(*parts: object) -> str:
    """The parts that are known, with slashes between."""
    return "/".join(map(str, known(parts)))


def epoch_name(kind: str, row: UntypedRow) -> str:
    """The name of the vertex of a leader epoch: `election/orders-0/5`; of a later topic of the name
    `election/orders-0/life-1/5`.
    """
    return joined(kind, partition_of(row), f"life-{row.life}" if row.life else None, row.leader_epoch)


def loss_name(row: UntypedRow) -> str:
    """The name of the vertex of a row of the ledger."""
    return joined(epoch_name("loss", row), row.loss_class, row.scenario)


def epoch_id(kind: str) -> Column:
    """`epoch_name` as a column."""
    later_life = F.when(F.col("life") > 0, F.concat(F.lit("life-"), F.col("life").cast("string")))
    return F.concat_ws("/", F.lit(kind), partition_name(), later_life, F.col("leader_epoch").cast("string"))


def loss_id() -> Column:
    """`loss_name` as a column."""
    return F.concat_ws("/", epoch_id("loss"), "loss_class", "scenario")
