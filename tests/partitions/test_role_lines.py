"""In which leader epochs brokers say that they took on a role."""

from __future__ import annotations

from replay.partitions.role_lines import role_lines
from replay.tables import EVENTS
from replay.tables.partitions import PARTITION_STATE_REPORTS, ROLE_LINES
from tests.tables import rows, same_rows


def test_a_broker_takes_on_the_leader_epochs_that_have_a_leader():
    lines = rows(
        EVENTS,
        """
        ts           | kind                     | topic  | partition | node_id | leader_id | leader_epoch
        10:00:00.000 | leader_start             | orders | 0         | 1       |           | 4           
        10:00:01.000 | follower_start           | orders | 0         | 2       | 1         | 4           
        10:00:02.000 | follower_start           | orders | 0         | 3       | -1        | 5           
        10:00:03.000 | leader_start             | orders | 0         |         | 1         | 4           
        10:00:04.000 | isr_shrink               | orders | 0         | 1       |           | 4           
                     | leader_start             | orders | 0         | 1       |           | 6           
        """,
    )
    fetching = rows(
        PARTITION_STATE_REPORTS,
        """
        ts           | kind                     | topic  | partition | node_id | leader_id | leader_epoch
        10:00:00.000 | leader_start             | orders | 0         | 1       | 1         | 4
        10:00:05.000 | fetcher_partitions_added | orders | 0         | 3       | 1         | 4
        10:00:06.000 | fetcher_partitions_added | orders | 0         |         | 1         | 4
                     | fetcher_partitions_added | orders | 0         | 2       | 1         | 4
        """,
    )
    same_rows(
        role_lines(lines, fetching),
        ROLE_LINES,
        """
        ts           | kind                     | topic  | partition | node_id | leader_epoch
        10:00:00.000 | leader_start             | orders | 0         | 1       | 4
        10:00:01.000 | follower_start           | orders | 0         | 2       | 4
        10:00:05.000 | fetcher_partitions_added | orders | 0         | 3       | 4
        """,
    )
