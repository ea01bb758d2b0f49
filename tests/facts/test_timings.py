"""What holds at a node at a time."""

from __future__ import annotations

from datetime import UTC, datetime

from replay.facts.timings import Timings
from replay.tables.brokers import TIMINGS
from tests.tables import DAY, rows


def test_what_holds_at_a_node_at_a_time():
    timings = Timings(
        rows(
            TIMINGS,
            """
            node_id | start_ts | end_ts   | replica_lag_ms
            1       |          | 11:00:00 | 10000
            1       | 11:00:00 |          | 45000
                    |          |          | 60000          """,
        )
    )
    nine, eleven = (datetime(DAY.year, DAY.month, DAY.day, hour, tzinfo=UTC) for hour in (9, 11))
    assert timings.at(1, nine).replica_lag_ms == 10_000
    assert timings.at(1, eleven).replica_lag_ms == 45_000
    assert timings.at(7, nine).replica_lag_ms == 60_000
    assert timings.at(None, nine).replica_lag_ms == 60_000
    assert timings.at(1, None).replica_lag_ms == 60_000
