"""How long each node waits for what, beside rows of Spark."""

from __future__ import annotations

from replay.columns.timings import with_timings
from replay.tables.brokers import TIMINGS
from tests.tables import same, table


def test_rows_are_given_the_timings_of_their_node_and_time_else_those_of_any_other(spark):
    told = table(
        spark,
        TIMINGS,
        """
        node_id | start_ts | end_ts   | replica_lag_ms
        1       |          | 11:00:00 | 10000
        1       | 11:00:00 |          | 45000
                |          |          | 60000          """,
    )
    rows = table(
        spark,
        "node_id int, ts timestamp",
        """
        node_id | ts
        1       | 09:00:00
        1       | 11:00:00
        7       | 10:00:00
                | 10:00:00 """,
    )
    same(
        with_timings(rows, told, "node_id", "ts", "replica_lag_ms"),
        "node_id int, ts timestamp, replica_lag_ms bigint",
        """
        node_id | ts       | replica_lag_ms
        1       | 09:00:00 | 10000
        1       | 11:00:00 | 45000
        7       | 10:00:00 | 60000
                | 10:00:00 | 60000          """,
    )
