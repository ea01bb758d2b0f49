"""The control plane of a KRaft cluster: the voters of its quorum, and the levels of its features."""

from __future__ import annotations

from replay.tables.columns import EVIDENCE
from replay.tables.table import BOOLEAN, INT, INTS, LONG, STRING, STRINGS, TIMESTAMP, Table, column

VOTER_SETS = Table(
    name="voter_sets",
    row="The voters of the metadata quorum as one node told them, until it told others (KIP-853).",
    key=("node_id", "start_ts"),
    columns=(
        column("node_id", INT, "The node that tells them."),
        column("start_ts", TIMESTAMP, "When it first told them."),
        column("end_ts", TIMESTAMP, "When it told others; null while it did not."),
        column("voters", INTS, "The ids of the voters, ascending."),
        column(
            "directory_ids",
            STRINGS,
            "Of each voter the id of the directory that makes it one, in the order of `voters`; null where none is told.",
        ),
        column(
            "dynamic",
            BOOLEAN,
            "They stand in the metadata log (kraft.version 1 or more), not in controller.quorum.voters; null if no line tells.",
        ),
        column(
            "metadata_offset",
            LONG,
            "The offset in the metadata log at which they stand, or of the snapshot in which they do; null where none is told.",
        ),
        column("added", INTS, "Who was not among them before; a voter with another directory is in both."),
        column("removed", INTS, "Who was among them before and is not any more."),
        EVIDENCE,
    ),
)

FEATURE_LEVELS = Table(
    name="feature_levels",
    row="The level of one feature of the cluster as one node told it, until it told another.",
    key=("node_id", "feature", "start_ts"),
    columns=(
        column("node_id", INT, "The node that tells it."),
        column("feature", STRING, "`metadata.version`, `kraft.version`, `group.version` …"),
        column(
            "level", STRING, "Its level as it is printed: a number, of the metadata version its name; `0` once removed."
        ),
        column("before", STRING, "The level that the node told before; null if none."),
        column("start_ts", TIMESTAMP, "When the node first told it."),
        column("end_ts", TIMESTAMP, "When it told another level; null while it did not."),
        column(
            "changed",
            BOOLEAN,
            "It was set then, while the node ran; false where the node may have read an older record: as it started, or where neither its start nor a level before is told.",
        ),
        EVIDENCE,
    ),
)

SUPPORTED_FEATURES = Table(
    name="supported_features",
    row="The levels of one feature that one broker can work with, as it registered.",
    key=("broker_id", "feature", "ts"),
    columns=(
        column("broker_id", INT, "The broker."),
        column("feature", STRING, "The feature."),
        column("lowest", INT, "The lowest level that it supports."),
        column("highest", INT, "The highest."),
        column("ts", TIMESTAMP, "When it first registered with that."),
        EVIDENCE,
    ),
)
