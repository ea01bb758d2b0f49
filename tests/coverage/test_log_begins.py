"""Whether a node's log reaches back to a time."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from replay.coverage.log_begins import LogBegins
from replay.tables.coverage import LogRun
from replay.tables.table import table_of
from tests.tables import DAY, rows

RUNS = """
    node_id | log        | number | start_ts     | end_ts       | start_event | end_event | begins_process
    101     | controller | 0      | 10:00:00.000 | 10:00:04.000 | c:1         | c:34      | false
    101     | controller | 1      | 10:01:15.000 | 10:01:22.000 | c:35        | c:54      | false
    102     | server     | 0      | 10:00:01.000 | 10:00:05.000 | s:1         | s:90      | true
    102     | controller | 0      | 10:00:20.000 | 10:00:22.000 | k:1         | k:9       | false"""


@pytest.mark.parametrize(
    ("node_id", "at", "may_lack"),
    [
        (101, "09:59:59.000", True),  # its log begins later, and no process start
        (101, "10:01:10.000", False),  # a time without lines inside the log
        (102, "10:00:10.000", False),  # its process started, so the log begins with it
        (103, "10:00:10.000", False),  # no run of its log is known
    ],
)
def test_a_log_may_lack_lines_only_before_its_first_line(node_id, at, may_lack):
    begins = LogBegins.of(rows(table_of(LogRun), RUNS))
    ts = datetime.combine(DAY, time.fromisoformat(at), tzinfo=UTC)
    assert begins.may_lack(node_id, "controller", ts) is may_lack
