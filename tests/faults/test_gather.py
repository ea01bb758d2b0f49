"""What Spark gathers of all lines for the rules of faults."""

from __future__ import annotations

import pytest

from replay.faults import gather
from replay.tables import DECLARED, EVENTS
from replay.tables.arrow import from_arrow
from replay.tables.faults import ASKED_TIMES, WRITTEN_LINES
from tests.faults import given
from tests.tables import rows, table

LINES = """
    ts           | kind                 | logger | node_id | leader_id | isr | topic_id | partition | leader_epoch | partition_epoch | source_file | details            | message
    09:59:59.000 | dump_partition       |        |         | 7         |     |          |           |              |                 | dump.txt    |                    |
                 | checkpoint_hw        |        | 1       |           |     |          |           |              |                 | checkpoint  |                    |
    10:00:00.000 | any                  | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:00.000 | broker_starting      | kafka  | 2       |           |     |          |           |              |                 | server.log  |                    |
    10:00:01.000 | zk_client_timeout    | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:09.000 | isr_updated          | kafka  | 1       | 1         | 1,2 |          |           |              |                 | server.log  |                    |
    10:00:09.500 | zk_session_connected | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:10.000 | leader_start         | kafka  | 1       | 1         |     | t1       | 0         | 4            | 9               | server.log  |                    |
    10:00:12.000 | gc_pause             |        | 1       |           |     |          |           |              |                 | gc.log      | duration_ms=31.2   |
    10:00:12.000 | gc_pause             |        | 1       |           |     |          |           |              |                 | gc.log      | duration_ms=3100.7 |
    10:00:15.000 | any                  | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    | java.lang.OutOfMemoryError: Java heap space
    10:00:16.100 | isr_shrink           | kafka  | 1       |           | 1,2 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:16.200 | isr_shrink           | kafka  | 1       |           | 1,3 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:16.900 | isr_shrink           | kafka  | 1       |           | 2,1 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:17.000 | isr_shrink           | kafka  | 1       |           | 1,2 |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:18.000 | isr_shrink           | kafka  | 1       |           | 1   |          |           |              |                 | server.log  | old_isr=1,2,3      |
    10:00:19.000 | isr_shrink           | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:20.000 | fetch_fenced_epoch   | kafka  | 1       |           |     |          |           |              |                 | server.log  |                    |
    10:00:41.000 | follower_start       | kafka  | 2       | 1         |     | t1       | 0         | 4            | 9               | server.log  |                    |
    10:01:00.000 | broker_starting      | kafka  | 2       |           |     |          |           |              |                 | server.log  |                    |
"""


@pytest.mark.parametrize(
    "name", ["first_lines", "silences", "pause_signs", "first_mentions", "memory_errors", "late_roles"]
)
def test_spark_gathers_what_the_tests_work_out_in_plain_python(spark, name):
    told = given.tables.facts(LINES)
    gathered = getattr(gather, name)(table(spark, EVENTS, LINES))
    wanted = getattr(given, name)(told)
    declared = DECLARED[name]
    found = from_arrow(declared, gathered.toArrow())
    assert wanted and sorted(found, key=repr) == sorted(wanted, key=repr)


def test_what_was_written_in_the_times_that_rules_ask_of(spark):
    asked = """
        node_id | from_ts      | to_ts
        1       | 10:00:00     | 10:00:10
        2       |              | 10:00:30
        2       | 10:00:50     | 10:01:10
                | 10:00:09.200 | 10:00:41
        3       |              | 10:05:00 """
    lines = LINES + "10:00:20.000 | broker_leader_and_isr_request | kafka | 2 | | | | | | | server.log | |"
    gathered = gather.written_lines(table(spark, EVENTS, lines), table(spark, ASKED_TIMES, asked))
    wanted = given.written_lines(given.tables.facts(lines), rows(ASKED_TIMES, asked))
    found = from_arrow(WRITTEN_LINES, gathered.toArrow())
    assert len(wanted) == 5 and sorted(found, key=repr) == sorted(wanted, key=repr)
