"""The loss ledger: for each change of leader, and each restart of a last replica, which records are gone and what
proves it.

When N becomes leader from offset O, the old leader L gives up what its log holds from D = min(O, n_old) on, where
n_old is where its log ended when it lost its role. Below the old commit point that is a loss of committed records;
above it only a producer with acks=1 or acks=0 can have been told that they were stored. Source: facts §3.
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.losses.changes import changes_of_leader, measure, with_gate
from replay.losses.last_replicas import last_replicas
from replay.losses.offset_anchors import by_lives, marks_of_isrs, marks_of_replicas, roles_taken, until_used_up
from replay.losses.verdicts import above_commit_point, committed
from replay.tables import LOSSES


def anchors_of_replicas(
    high_watermarks: DataFrame, log_cuts: DataFrame, lives: DataFrame, processes: DataFrame, leader_epochs: DataFrame
) -> DataFrame:
    """What is known of each replica's offsets, by lives of its process, until its own later history used it up."""
    of_lives = by_lives(marks_of_replicas(high_watermarks, log_cuts, lives), processes)
    return until_used_up(of_lives, leader_epochs)


def measured_changes(
    leader_epochs: DataFrame,
    committed_isrs: DataFrame,
    anchors: DataFrame,
    roles: DataFrame,
    events: DataFrame,
    topic_settings: DataFrame,
    processes: DataFrame,
    follower_rules: DataFrame,
) -> DataFrame:
    """Every change of leader, with the offsets that decide what it cost."""
    of_isrs = anchors.unionByName(marks_of_isrs(committed_isrs), allowMissingColumns=True)
    measured = measure(changes_of_leader(leader_epochs), of_isrs, roles)
    return with_gate(measured, events, topic_settings, processes, follower_rules)


def losses(
    measured_changes: DataFrame,
    leader_epochs: DataFrame,
    committed_isrs: DataFrame,
    anchors: DataFrame,
    processes: DataFrame,
) -> DataFrame:
    """Every leader change judged, for committed records and for those above the commit point. Returns `LOSSES` and
    `life`.

    A verdict never goes further than its premise (facts §3.2): no line shows an ack, so what was discarded above the
    commit point is `acked_possible` and at most POSSIBLE_LOSS.
    """
    changes = committed(measured_changes).unionByName(above_commit_point(measured_changes))
    return changes.unionByName(last_replicas(leader_epochs, committed_isrs, anchors, processes))


def losses_table(losses: DataFrame) -> DataFrame:
    """Returns `LOSSES`."""
    return LOSSES.of(losses)
