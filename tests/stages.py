"""Several stages of one room, run one after the other, as `pipelines.incident` lists them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from replay import losses
from replay.losses.offset_anchors import roles_taken
from replay.offsets import leader_epoch_caches as caches


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


def losses_of(
    leader_epochs: DataFrame,
    isrs: DataFrame,
    high_watermarks: DataFrame,
    log_cuts: DataFrame,
    processes: DataFrame,
    events: DataFrame,
    lives: DataFrame,
    topic_settings: DataFrame,
    rules: DataFrame,
) -> DataFrame:
    """The loss ledger, from the tables of the rooms before it."""
    anchors = losses.anchors_of_replicas(high_watermarks, log_cuts, lives, processes, leader_epochs).localCheckpoint()
    roles = roles_taken(events, lives, leader_epochs).localCheckpoint()
    measured = losses.measured_changes(
        leader_epochs, isrs, anchors, roles, events, topic_settings, processes, rules
    ).localCheckpoint()
    return losses.losses(measured, leader_epochs, isrs, anchors, processes)
