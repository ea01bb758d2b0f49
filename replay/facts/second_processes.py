"""Two processes with the id of one node: which of them was the node, told by whose registration was refused (facts
§5, F29).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from replay.columns.times import plus_millis
from replay.facts.lives import DUPLICATE_ID, REFUSED

_REGISTERED = ("broker_registered", "broker_registered_zk")
_LIVES_ON_MS = 5_000


def refused_by_controllers() -> Column:
    """Whether a line is of a process that starts, and whose registration KRaft's controllers refused because its id
    is registered already.
    """
    return F.col("kind").isin(*REFUSED) & F.contains("message", F.lit(DUPLICATE_ID))


def refused_as_duplicate() -> Column:
    """The same, or by ZooKeeper, where the id's znode is another session's."""
    return refused_by_controllers() | (
        (F.col("kind") == "zk_ephemeral_conflict") & F.contains("message", F.lit("/brokers/ids/"))
    )


def without_second_processes(records: DataFrame) -> DataFrame:
    """`records`, those without `node_id` that a process wrote, or had in its folders, which asked for the id of a
    living node and never got it.

    A folder of logs is such a process's if its registration was refused and never taken. Another folder of the same
    node must have lines from before its first one to after that refusal: after a quick restart the old process writes
    no more. Stamps of the two are compared as they were printed.
    """
    logs = records.where(F.col("node_id").isNotNull() & F.col("level").isNotNull() & F.col("raw_ts").isNotNull())
    told = logs.groupBy("node_id", _folder().alias("_folder")).agg(
        F.min("raw_ts").alias("_first"),
        F.max("raw_ts").alias("_last"),
        F.min(F.when(refused_as_duplicate(), F.col("raw_ts"))).alias("_refused"),
        F.coalesce(F.bool_or(F.col("kind").isin(*_REGISTERED)), F.lit(False)).alias("_registered"),
    )
    second = told.where(F.col("_refused").isNotNull() & ~F.col("_registered"))
    node = told.select(
        "node_id",
        F.col("_folder").alias("_its_folder"),
        F.col("_first").alias("_its_first"),
        F.col("_last").alias("_its_last"),
    )
    lives_on = (F.col("_its_first") < F.col("_first")) & (F.col("_its_last") > plus_millis("_refused", _LIVES_ON_MS))
    folders = (
        second.join(node, "node_id")
        .where(lives_on & ~F.startswith("_its_folder", F.col("_folder")))
        .select(F.col("node_id").alias("_node"), "_folder")
        .distinct()
    )
    of_it = (F.col("node_id") == F.col("_node")) & F.startswith("source_file", F.col("_folder"))
    return (
        records.join(F.broadcast(folders), of_it, "left")
        .withColumn("node_id", F.when(F.col("_folder").isNull(), F.col("node_id")))
        .select(*records.columns)
    )


def _folder() -> Column:
    """The folder of a file, with the slash at its end; empty for a file in none."""
    return F.regexp_replace("source_file", "[^/]*$", "")
