"""Leader epochs and committed ISRs, put together from what the rooms beside this one tell."""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay.partitions.assignments import with_assignments
from replay.partitions.timelines import dated_by_others, ended_with_topic, isr_spans, leader_epochs


def rebuilt_leader_epochs(reports: DataFrame, lives: DataFrame, events: DataFrame) -> DataFrame:
    """Each partition's leader epochs, ended with their topic, and dated by lines that do not name the partition. Returns `REBUILT_LEADER_EPOCHS`."""
    return dated_by_others(ended_with_topic(leader_epochs(reports), lives), events)


def committed_isrs(
    states: DataFrame, leader_epochs: DataFrame, releases: DataFrame, assignments: DataFrame
) -> DataFrame:
    """Each partition's committed ISRs, with its replicas. Returns `COMMITTED_ISRS`."""
    return with_assignments(isr_spans(states, leader_epochs, releases), assignments)
