"""Leader epochs and committed ISRs, put together from what the rooms beside this one tell."""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.partitions.assignments import with_assignments
from replay.partitions.timelines import (
    dated_by_others,
    ended_with_topic,
    isr_spans,
    isr_spans_of_unknown_epochs,
    leader_epochs,
)


def rebuilt_leader_epochs(reports: DataFrame, lives: DataFrame, events: DataFrame) -> DataFrame:
    """Each partition's leader epochs, ended with their topic, and dated by lines that do not name the partition.
    Returns `REBUILT_LEADER_EPOCHS`.
    """
    return dated_by_others(ended_with_topic(leader_epochs(reports), lives), events)


def committed_isrs(
    states: DataFrame,
    leader_epochs: DataFrame,
    releases: DataFrame,
    assignments: DataFrame,
    events: DataFrame,
    lives: DataFrame,
) -> DataFrame:
    """Each partition's committed ISRs, with its replicas; those of which no line names the leader epoch too. Returns
    `COMMITTED_ISRS`.
    """
    known = isr_spans(states, leader_epochs, releases)
    spans = known.unionByName(isr_spans_of_unknown_epochs(events, leader_epochs, lives))
    return with_assignments(spans, assignments)
