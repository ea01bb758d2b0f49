"""What went wrong on a broker, a disk or the network: the happenings that causes are sought among.

One function a kind of fault, each telling it from its look-alikes (facts §5 and §5.1). A fault is physical (process,
disk, network, clock) or an operator's act; what the controller does about it is in `replay.causes`. The functions
here put the rules' findings together: what one rule explains, another does not tell again.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.faults import nodes_without_logs
from replay.faults.process_ends import killed, stopped
from replay.faults.rule import all_of


def process_ends(events: DataFrame, processes: DataFrame, sessions: DataFrame) -> DataFrame:
    """F01, F02: processes that ended. Returns `FAULTS`."""
    return killed(events, processes, sessions).unionByName(stopped(processes))


def without_logs(events: DataFrame, lost: DataFrame, members: DataFrame, processes: DataFrame) -> DataFrame:
    """The outages of nodes that gave no line of that time, by the sessions that they `lost` and by peers. Returns
    `FAULTS`.
    """
    refused = nodes_without_logs.nodes_that_refused(events, processes, members)
    return nodes_without_logs.outages_of_nodes_without_logs(lost, refused)


def outages(pauses: DataFrame, process_ends: DataFrame, sessions_lost: DataFrame, without_logs: DataFrame) -> DataFrame:
    """Processes that ended, stood still or lost their session; of nodes that have no line of it, what others tell.
    Returns `FAULTS`.

    A pause that a node's own lines tell is not told again by others.
    """
    own_word = pauses.select(
        F.col("broker_id").alias("_paused"), F.col("began_low").alias("_from"), F.col("end_ts").alias("_to")
    )
    in_pause = (F.col("broker_id") == F.col("_paused")) & F.col("ts").between(F.col("_from"), F.col("_to"))
    return all_of(without_logs.join(F.broadcast(own_word), in_pause, "left_anti"), process_ends, pauses, sessions_lost)
