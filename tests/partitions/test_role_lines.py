"""In which leader epochs brokers say that they took on a role."""

from __future__ import annotations

from replay.partitions.role_lines import role_lines
from replay.tables import EVENTS
from replay.tables.partitions import ROLE_LINES
from tests.tables import same, table


def test_a_broker_takes_on_the_leader_epochs_that_have_a_leader(spark):
    lines = table(
        spark,
        EVENTS,
        """
        ts           | kind                     | topic  | partition | node_id | leader_id | leader_epoch | details
        10:00:00.000 | leader_start             | orders | 0         | 1       |           | 4            |
        10:00:01.000 | follower_start           | orders | 0         | 2       | 1         | 4            |
        10:00:02.000 | follower_start           | orders | 0         | 3       | -1        | 5            |
        10:00:03.000 | leader_start             | orders | 0         |         | 1         | 4            |
        10:00:04.000 | isr_shrink               | orders | 0         | 1       |           | 4            |
        10:00:05.000 | fetcher_partitions_added |        |           | 3       | 1         |              | initial_fetch_states=a-b-0 -> (offset=150, leaderEpoch=4), orders-12 -> (offset=7, leaderEpoch=2)
        """,
    )
    same(
        role_lines(lines),
        ROLE_LINES,
        """
        ts           | kind                     | topic  | partition | node_id | leader_epoch
        10:00:00.000 | leader_start             | orders | 0         | 1       | 4
        10:00:01.000 | follower_start           | orders | 0         | 2       | 4
        10:00:05.000 | fetcher_partitions_added | a-b    | 0         | 3       | 4
        10:00:05.000 | fetcher_partitions_added | orders | 12        | 3       | 2
        """,
    )
