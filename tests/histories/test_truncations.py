"""Cuts explained: whom the replica followed, and whether it was cut where both logs part."""

from __future__ import annotations

from replay.histories.cluster import Cluster
from replay.histories.truncations import explained
from replay.tables import TRUNCATIONS
from replay.tables.offsets import FOLLOWER_RULES, REPLICA_EPOCHS
from replay.tables.partitions import LEADER_EPOCHS
from tests.tables import in_orders_0, rows, same_rows


def explain(caches: str, cuts: str):
    """Cuts of orders-0, led by 2 in leader epoch 4, with what both replicas' caches held; broker 3 keeps messages without
    leader epochs.
    """
    leader_epochs = rows(
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts | leader_ts
        3            | -1        | 10:00:04 |
        4            | 2         | 10:00:05 | 10:00:05  """,
    )
    rules = rows(
        FOLLOWER_RULES,
        """
        node_id | rule
        1       | in_fetch
        3       | high_watermark """,
    )
    return list(
        explained(
            in_orders_0(rows(TRUNCATIONS, cuts)),
            in_orders_0(leader_epochs),
            in_orders_0(rows(REPLICA_EPOCHS, caches)),
            Cluster.of((), (), rules, (), ()),
        )
    )


BOTH = """
    node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
    1       | 0            | 0                  | 10:00:00 |
    1       | 2            | 570                | 10:00:03 | 10:00:13
    1       | 4            | 293                | 10:00:13 |
    2       | 0            | 0                  | 10:00:00 |
    2       | 4            | 293                | 10:00:05 |
    2       | 5            | 400                | 10:00:09 |          """


def test_a_cut_is_where_the_leader_epochs_of_both_logs_part():
    """What the follower takes over after the cut, and the leader's epochs of later, are not what it was cut by."""
    same_rows(
        explain(
            BOTH,
            """
        node_id | ts       | leader_epoch | log_end_offset | truncation_offset
        1       | 10:00:13 | 4            | 1162           | 293               """,
        ),
        TRUNCATIONS,
        """
        node_id | leader_epoch | leader_id | rule     | truncation_offset | expected_offset
        1       | 4            | 2         | in_fetch | 293               | 293             """,
    )


def test_a_cut_elsewhere_stands_beside_where_they_part():
    same_rows(
        explain(
            BOTH,
            """
        node_id | ts       | leader_epoch | log_end_offset | truncation_offset
        1       | 10:00:13 | 4            | 1162           | 250               """,
        ),
        TRUNCATIONS,
        """
        truncation_offset | expected_offset
        250               | 293             """,
    )


def test_of_a_leader_whose_cache_no_line_shows_nothing_is_expected():
    same_rows(
        explain(
            "\n".join(BOTH.strip().splitlines()[:4]),
            """
        node_id | ts       | leader_epoch | log_end_offset | truncation_offset
        1       | 10:00:13 | 4            | 1162           | 293
        1       | 10:00:14 |              | 1162           | 293               """,
        ),
        TRUNCATIONS,
        """
        leader_epoch | leader_id | truncation_offset | expected_offset
        4            | 2         | 293               |
                     |           | 293               |                 """,
    )


def test_without_leader_epochs_a_replica_cuts_to_its_own_high_watermark():
    same_rows(
        explain(
            "node_id",
            """
        node_id | ts       | leader_epoch | log_end_offset | truncation_offset | high_watermark
        3       | 10:00:13 | 4            | 454            | 345               | 345
        3       | 10:00:14 | 4            |                | 345               | 345
        3       | 10:00:15 | 4            |                | 345               | 350            """,
        ),
        TRUNCATIONS,
        """
        rule           | ts       | expected_offset
        high_watermark | 10:00:13 | 345
        high_watermark | 10:00:14 | 345
        high_watermark | 10:00:15 |                 """,
    )


def test_what_a_recovery_cuts_no_leader_asked_for():
    same_rows(
        explain(
            BOTH,
            """
        node_id | ts       | by_recovery | truncation_offset
        1       | 10:00:13 | true        | 118               """,
        ),
        TRUNCATIONS,
        """
        leader_id | expected_offset
                  |                 """,
    )
