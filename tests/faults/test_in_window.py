"""What of a fault is told where only a window in time was read."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.all_faults import faults
from replay.tables.faults import FAULTS
from tests.tables import DAY, rows, same_rows

CUT = """
    kind            | broker_id | began_low | ts       | end_ts
    cut_from_peers  | 1         | 10:00:05  | 10:00:36 | 10:01:00
    killed          | 2         | 09:58:00  | 10:00:20 | 10:01:00
    killed          | 3         | 09:00:00  | 09:00:01 | 09:30:00 """


def told(window: TimeWindow) -> list:
    return faults([], [], rows(FAULTS, CUT), [], [], [], [], [], [], [], window)


@pytest.mark.parametrize(("since", "began"), [("10:00:00", ""), ("09:59:00", "10:00:05")])
def test_a_fault_that_shows_as_a_window_begins_may_have_begun_before(since, began):
    """But for one whose begin the last line of its process shows."""
    window = TimeWindow(datetime.fromisoformat(f"{DAY}T{since}").replace(tzinfo=UTC))
    same_rows(
        told(window),
        FAULTS,
        f"""
        kind            | broker_id | began_low | ts       | end_ts
        cut_from_peers  | 1         | {began}   | 10:00:36 | 10:01:00
        killed          | 2         | 09:58:00  | 10:00:20 | 10:01:00 """,
    )


def test_of_all_logs_each_fault_is_reported_as_it_was_found():
    same_rows(told(ALL_TIME), FAULTS, CUT)
