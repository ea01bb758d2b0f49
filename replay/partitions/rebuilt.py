"""Leader epochs and committed ISRs, put together from what the rooms beside this one tell."""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.facts.window import ALL_TIME, TimeWindow
from replay.partitions.assignments import with_assignments
from replay.partitions.timelines import (
    dated_by_others,
    ended_with_topic,
    isr_spans,
    isr_spans_of_unknown_epochs,
    leader_epochs,
)


def rebuilt_leader_epochs(
    reports: DataFrame, lives: DataFrame, events: DataFrame, window: TimeWindow = ALL_TIME
) -> DataFrame:
    """Each partition's leader epochs that reach into the window, ended with their topic, and dated by lines that do not name the partition.
    Returns `REBUILT_LEADER_EPOCHS`.
    """
    return window.reaching_into(dated_by_others(ended_with_topic(leader_epochs(reports), lives), events))


def committed_isrs(
    states: DataFrame,
    leader_epochs: DataFrame,
    releases: DataFrame,
    assignments: DataFrame,
    events: DataFrame,
    lives: DataFrame,
    window: TimeWindow = ALL_TIME,
) -> DataFrame:
    """Each partition's committed ISRs that reach into the window, with its replicas; those of which no line names the leader epoch too. Returns
    `COMMITTED_ISRS`.
    """
    known = isr_spans(states, leader_epochs, releases)
    spans = known.unionByName(isr_spans_of_unknown_epochs(events, leader_epochs, lives))
    return with_assignments(window.reaching_into(spans), assignments)
