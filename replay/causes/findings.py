"""Conclusions: what the root causes were, what contributed, what followed, what was routine; each with its proof and its doubts."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame

from replay.causes.conclusions import as_findings
from replay.causes.effect_conclusions import (
    controller_changes,
    damaged_logs,
    partitions_without_leader,
    preferred_elections,
    rejected_writes,
    unexplained_changes,
    unexplained_controller_changes,
    unexplained_errors,
)
from replay.causes.fault_conclusions import conclusions_of_faults, rolling_restarts
from replay.causes.loss_conclusions import causes_of, conclusions_of_losses, unclean_elections
from replay.questions.blind_spots import findings_with_blind_spots


def conclusions(
    faults: DataFrame,
    edges: DataFrame,
    roots: DataFrame,
    root_spans: DataFrame,
    vertices: DataFrame,
    leader_epochs: DataFrame,
    elections: DataFrame,
    losses: DataFrame,
    rivals: DataFrame,
    topic_settings: DataFrame,
    trouble: DataFrame,
) -> DataFrame:
    """Every conclusion as data. Returns `CONCLUSIONS`."""
    causes = causes_of(roots, faults)
    return reduce(
        DataFrame.unionByName,
        (
            conclusions_of_faults(faults, edges, roots, root_spans, vertices, leader_epochs, rivals),
            rolling_restarts(faults, root_spans),
            unclean_elections(vertices, elections, topic_settings),
            conclusions_of_losses(losses, causes, root_spans, vertices),
            partitions_without_leader(leader_epochs, vertices, causes, root_spans),
            rejected_writes(vertices),
            damaged_logs(vertices),
            controller_changes(vertices, roots, faults),
            preferred_elections(elections, vertices),
            unexplained_changes(vertices, roots, faults),
            unexplained_controller_changes(vertices, roots, faults),
            unexplained_errors(trouble, faults, vertices),
        ),
    )


def findings(conclusions: DataFrame, blind_spots: DataFrame) -> DataFrame:
    """Every conclusion with its sentences, and with what is missing of the files of those it is about. Returns
    `FINDINGS`.
    """
    return findings_with_blind_spots(as_findings(conclusions), blind_spots)
