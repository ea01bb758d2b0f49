"""What went wrong on a broker, a disk or the network: the happenings that causes are sought among.

One function a fault of the taxonomy (facts §5), each telling it from its look-alikes by the discriminators of §5.1. A fault
is physical (process, disk, network, clock) or an operator's act; what the controller does about it is in `causality`.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from replay.faults.lag import lagging
from replay.faults.log_dirs import log_dirs_empty, log_dirs_failed, records_damaged
from replay.faults.nodes_without_logs import unheard
from replay.faults.own_errors import (
    authentication_failed,
    clocks_stepped,
    fetchers_died,
    isr_updates_stuck,
    out_of_memory,
    protocol_refused,
    registration_refused,
)
from replay.faults.pauses import paused, silences
from replay.faults.process_ends import killed, stopped
from replay.faults.quorum import fenced_without_quorum, majority_down, quorum_lost, voters_cut_off
from replay.faults.requests import metadata_version_changed, migrated, reassigned, topics_deleted
from replay.faults.shape import COLUMNS, explaining, fault
from replay.faults.unreachable import cut_off, zookeeper_away, zookeeper_lost
from replay.resting import Rest, going_on


def outages(
    events: DataFrame, processes: DataFrame, sessions: DataFrame, pauses: DataFrame, rest: Rest = going_on
) -> DataFrame:
    """Processes that ended, stood still or lost their session: F01, F02, F04 (`pauses`, of `paused`), F06, F07, F12; of nodes that have no line of it, what others tell."""
    rows = fault(
        unheard(events, processes, sessions, rest), F.col("kind"), F.col("code"), blind_spots=F.col("blind_spots")
    )
    own_word = pauses.select(
        F.col("broker_id").alias("_paused"), F.col("t0_low").alias("_from"), F.col("end_ts").alias("_to")
    )
    rows = rows.join(
        F.broadcast(own_word),
        (F.col("broker_id") == F.col("_paused")) & F.col("ts").between(F.col("_from"), F.col("_to")),
        "left_anti",
    )
    for more in (killed(events, processes, sessions), stopped(processes), pauses, cut_off(events, sessions, pauses)):
        rows = rows.unionByName(more)
    return rows


def without_zookeeper(events: DataFrame, known: DataFrame) -> DataFrame:
    """F07: brokers that could not reach ZooKeeper, where no `known` fault of theirs tells more of it; and the times in which none could. What followed in their ISRs is explained by that (`lagging`)."""
    lost = _unexplained(zookeeper_lost(events), known)
    return lost.unionByName(zookeeper_away(events, lost.unionByName(known)))


def out_of_quorum(events: DataFrame, known: DataFrame) -> DataFrame:
    """F10: voters that could not reach the others, where no `known` fault of theirs tells more of it."""
    return _unexplained(voters_cut_off(events), known)


def without_majority(events: DataFrame, known: DataFrame, stated: DataFrame) -> DataFrame:
    """F11: times in which most voters were down, where the voters' own search for a leader (`stated`) tells nothing of it."""
    said = stated.where(F.col("kind") == "quorum_lost").select(
        F.col("ts").alias("_from"), F.coalesce("end_ts", "ts").alias("_to")
    )
    found = majority_down(events, known)
    return found.join(
        F.broadcast(said),
        (F.col("_from") <= F.coalesce(F.col("end_ts"), F.col("_from"))) & (F.col("_to") >= F.col("ts")),
        "left_anti",
    )


def _unexplained(found: DataFrame, known: DataFrame) -> DataFrame:
    explained = (
        (F.col("broker_id") == F.col("_fault_broker"))
        & (F.col("ts") <= F.col("_to"))
        & (F.coalesce("end_ts", "ts") >= F.col("_from"))
    )
    return found.join(F.broadcast(explaining(known, F.col("ts"))), explained, "left_anti")


def stated(events: DataFrame, processes: DataFrame, steps: DataFrame | None = None) -> DataFrame:
    """Faults that a node's own lines state outright, and clocks that were set."""
    rows = log_dirs_failed(events, processes)
    for more in (
        authentication_failed(events),
        out_of_memory(events),
        isr_updates_stuck(events),
        fetchers_died(events),
        protocol_refused(events),
        registration_refused(events),
        reassigned(events),
        topics_deleted(events),
        quorum_lost(events),
        metadata_version_changed(events, processes),
        migrated(events),
        log_dirs_empty(events),
        records_damaged(events),
    ):
        rows = rows.unionByName(more)
    return rows if steps is None else rows.unionByName(clocks_stepped(steps))


__all__ = [
    "COLUMNS",
    "authentication_failed",
    "clocks_stepped",
    "cut_off",
    "fenced_without_quorum",
    "fetchers_died",
    "isr_updates_stuck",
    "killed",
    "lagging",
    "log_dirs_empty",
    "log_dirs_failed",
    "metadata_version_changed",
    "migrated",
    "out_of_memory",
    "out_of_quorum",
    "outages",
    "paused",
    "protocol_refused",
    "quorum_lost",
    "reassigned",
    "records_damaged",
    "registration_refused",
    "silences",
    "stated",
    "stopped",
    "topics_deleted",
    "unheard",
    "voters_cut_off",
    "without_majority",
    "without_zookeeper",
    "zookeeper_away",
    "zookeeper_lost",
]
