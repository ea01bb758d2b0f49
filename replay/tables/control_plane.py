"""The control plane of a KRaft cluster: the voters of its quorum, and the levels of its features."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from replay.tables.columns import EVIDENCE
from replay.tables.row import MaybeNone, Row
from replay.tables.table import (
    Long,
    column,
    row,
    table_of,
)


@row("voter_sets", key=("node_id", "start_ts"))
class VoterSet(Row):
    """The voters of the metadata quorum as one node told them, until it told others (KIP-853)."""

    node_id: int = column("The node that tells them.")
    start_ts: datetime = column("When it first told them.")
    end_ts: datetime | MaybeNone = column("When it told others; null while it did not.")
    voters: Sequence[int] | MaybeNone = column("The ids of the voters, ascending.")
    directory_ids: Sequence[str] | MaybeNone = column(
        "Of each voter the id of the directory that makes it one, in the order of `voters`; null where none is told."
    )
    dynamic: bool | MaybeNone = column(
        "They stand in the metadata log (kraft.version 1 or more), not in controller.quorum.voters; null if no line tells."
    )
    metadata_offset: Long | MaybeNone = column(
        "The offset in the metadata log at which they stand, or of the snapshot in which they do; null where none is told."
    )
    added: Sequence[int] | MaybeNone = column(
        "Who was not among them before; a voter with another directory is in both."
    )
    removed: Sequence[int] | MaybeNone = column("Who was among them before and is not any more.")
    evidence: Sequence[str] = EVIDENCE


VOTER_SETS = table_of(VoterSet)


@row("feature_levels", key=("node_id", "feature", "start_ts"))
class FeatureLevel(Row):
    """The level of one feature of the cluster as one node told it, until it told another."""

    node_id: int = column("The node that tells it.")
    feature: str = column("`metadata.version`, `kraft.version`, `group.version` …")
    level: str | MaybeNone = column(
        "Its level as it is printed: a number, of the metadata version its name; `0` once removed."
    )
    before: str | MaybeNone = column("The level that the node told before; null if none.")
    start_ts: datetime = column("When the node first told it.")
    end_ts: datetime | MaybeNone = column("When it told another level; null while it did not.")
    changed: bool | MaybeNone = column(
        "It was set then, while the node ran; false where the node may have read an older record: as it started, or where neither its start nor a level before is told."
    )
    evidence: Sequence[str] = EVIDENCE


FEATURE_LEVELS = table_of(FeatureLevel)


@row("supported_features", key=("broker_id", "feature", "ts"))
class SupportedFeature(Row):
    """The levels of one feature that one broker can work with, as it registered."""

    broker_id: int = column("The broker.")
    feature: str = column("The feature.")
    lowest: int | MaybeNone = column("The lowest level that it supports.")
    highest: int | MaybeNone = column("The highest.")
    ts: datetime = column("When it first registered with that.")
    evidence: Sequence[str] = EVIDENCE


SUPPORTED_FEATURES = table_of(SupportedFeature)
