"""Partitions in which nobody can have waited, as they never held a record."""

from __future__ import annotations

import pytest

from replay.offsets.never_written import never_written
from replay.tables import ISR_SPANS, LEADER_EPOCHS
from replay.tables.offsets import HIGH_WATERMARKS
from tests.each import for_each
from tests.tables import rows

EMPTY = """
    node_id | ts       | source                    | high_watermark | log_end_offset
    1       |          | checkpoint_high_watermark | 0              |
    2       |          | checkpoint_high_watermark | 0              |
    2       | 10:00:05 | leader_start              | 0              | 0              """


@for_each(
    "marks, empty",
    [
        pytest.param(EMPTY, True, id="the files of all replicas, and all lines, show 0"),
        pytest.param(EMPTY.replace("0              |\n    2  ", "3              |\n    2  ", 1), False, id="one file"),
        pytest.param(EMPTY.replace("| 0              | 0 ", "| 0              | 7 "), False, id="records that were cut"),
        pytest.param(EMPTY.replace("    2       |          |", "    3       |          |"), False, id="a missing file"),
        pytest.param(EMPTY.replace("    2       |          |", "    2       | 10:00:01 |"), False, id="an earlier copy"),
        pytest.param("node_id", False, id="nothing is known"),
    ],
)  # fmt: skip
def test_a_partition_without_records(marks, empty):
    epochs = rows(LEADER_EPOCHS, "leader_epoch | leader_id | replicas\n 0 | 1 | 1,2")
    assert never_written(rows(HIGH_WATERMARKS, marks), epochs, ()) is empty


def test_every_replica_counts_that_it_ever_had():
    marks = rows(HIGH_WATERMARKS, EMPTY)
    moved = rows(ISR_SPANS, "leader_id | replicas\n 2 | 2,3")
    assert not never_written(marks, (), moved) and not never_written(marks, (), ())
