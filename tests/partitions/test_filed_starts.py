"""The starts of leader epochs that only the files `leader-epoch-checkpoint` of replicas show."""

from __future__ import annotations

from replay.partitions.filed_starts import with_filed_starts
from replay.partitions.lives import NO_LIVES
from replay.tables.offsets import EpochLine
from replay.tables.partitions import REBUILT_LEADER_EPOCHS
from replay.tables.table import table_of
from tests.tables import rows, same_rows


def test_files_of_followers_show_where_leader_epochs_start():
    """The first entry may be the log start; where two files disagree, compaction may have removed the first records."""
    epochs = rows(
        REBUILT_LEADER_EPOCHS,
        """
        topic  | partition | life | leader_epoch | leader_id | epoch_start_offset | evidence
        orders | 0         | 0    | 1            | 1         |                    | a
        orders | 0         | 0    | 2            | 2         |                    | b
        orders | 0         | 0    | 3            | 2         | 640                | c
        orders | 0         | 0    | 4            | 1         |                    | d
        orders | 0         | 0    | 5            | -1        |                    | e """,
    )
    lines = rows(
        table_of(EpochLine),
        """
        node_id | kind                    | line_number | source_file                                | leader_epoch | epoch_start_offset | event_id
        3       | checkpoint_leader_epoch | 3           | node-3/orders-0/leader-epoch-checkpoint    | 1            | 100                | f1
        3       | checkpoint_leader_epoch | 4           | node-3/orders-0/leader-epoch-checkpoint    | 2            | 143                | f2
        3       | checkpoint_leader_epoch | 5           | node-3/orders-0/leader-epoch-checkpoint    | 3            | 650                | f3
        3       | checkpoint_leader_epoch | 6           | node-3/orders-0/leader-epoch-checkpoint    | 4            | 700                | f4
        2       | checkpoint_leader_epoch | 3           | node-2/orders-0/leader-epoch-checkpoint    | 2            | 143                | g2
        2       | checkpoint_leader_epoch | 4           | node-2/orders-0/leader-epoch-checkpoint    | 4            | 701                | g4
        2       | checkpoint_leader_epoch | 3           | node-2/orders-0.0-delete/leader-epoch-checkpoint | 1      | 0                  | h1
        2       | checkpoint_leader_epoch | 4           | node-2/orders-0.0-delete/leader-epoch-checkpoint | 2      | 7                  | h2 """,
    )
    same_rows(
        with_filed_starts(epochs, lines, NO_LIVES),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | epoch_start_offset | evidence
        1            |                    | a
        2            | 143                | b,f2
        3            | 640                | c
        4            |                    | d
        5            |                    | e """,
    )
