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
    """The voters of the metadata quorum as one node reported them, until it reported others (KIP-853)."""

    node_id: int = column("The node that reports them.")
    start_ts: datetime = column("When it first reported them.")
    end_ts: datetime | MaybeNone = column("When it reported others; null while it did not.")
    voters: Sequence[int] | MaybeNone = column("The ids of the voters, ascending.")
    directory_ids: Sequence[str] | MaybeNone = column(
        "For each voter the id of its directory, in the order of `voters`; null if none is logged."
    )
    dynamic: bool | MaybeNone = column(
        "They are in the metadata log (kraft.version 1 or more), not in controller.quorum.voters; null if no line shows it."
    )
    metadata_offset: Long | MaybeNone = column(
        "Their offset in the metadata log, or the offset of their snapshot; null if none is logged."
    )
    added: Sequence[int] | MaybeNone = column(
        "Voters that were not in the set before; a voter with another directory is in `added` and `removed`."
    )
    removed: Sequence[int] | MaybeNone = column("Voters that were in the set before and are not any more.")
    evidence: Sequence[str] = EVIDENCE


@row("feature_levels", key=("node_id", "feature", "start_ts"))
class FeatureLevel(Row):
    """The level of one feature of the cluster as one node reported it, until it reported another."""

    node_id: int = column("The node that reports it.")
    feature: str = column("`metadata.version`, `kraft.version`, `group.version` …")
    level: str | MaybeNone = column(
        "Its level as printed: a number, for the metadata version its name; `0` after its removal."
    )
    before: str | MaybeNone = column("The level that the node reported before; null if none.")
    start_ts: datetime = column("When the node first reported it.")
    end_ts: datetime | MaybeNone = column("When it reported another level; null while it did not.")
    changed: bool | MaybeNone = column(
        "It was set then, while the node ran; false if the node may have read an older record: at its start, or if neither its start nor a previous level is logged."
    )
    evidence: Sequence[str] = EVIDENCE


@row("supported_features", key=("broker_id", "feature", "ts"))
class SupportedFeature(Row):
    """The levels of one feature that one broker supports, from its registration."""

    broker_id: int = column("The broker.")
    feature: str = column("The feature.")
    lowest: int | MaybeNone = column("The lowest level that it supports.")
    highest: int | MaybeNone = column("The highest.")
    ts: datetime = column("When it first registered with that.")
    evidence: Sequence[str] = EVIDENCE


VOTER_SETS = table_of(VoterSet)
FEATURE_LEVELS = table_of(FeatureLevel)
SUPPORTED_FEATURES = table_of(SupportedFeature)
