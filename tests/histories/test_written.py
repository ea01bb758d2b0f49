"""When lost records were written, and when they were truncated."""

from __future__ import annotations

import pytest

from replay.histories.cluster import Cluster
from replay.histories.partition import Partition
from replay.histories.written import with_times
from replay.tables.brokers import PROCESSES
from replay.tables.losses import LEDGER
from replay.tables.offsets import HIGH_WATERMARKS, TRUNCATIONS
from replay.tables.partitions import LEADER_EPOCHS
from tests.tables import rows

EPOCHS = """
    leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts
    4            | 1         | 100                | 10:00:00 | 10:00:01
    5            | 2         | 200                | 10:01:00 | 10:01:01 """
LINES = """
    node_id | ts       | role     | leader_epoch | log_end_offset | source
    1       | 10:00:01 | leader   | 4            | 100            | leader_start
    1       | 10:00:40 | leader   | 4            | 190            | isr_shrink
    1       | 10:01:20 | leader   | 4            | 260            | isr_shrink
    1       | 10:01:33 | follower | 5            | 270            | follower_start """
CUT = "node_id | ts | truncation_offset\n 1 | 10:01:33.050 | 200"
LOSS = "leader_epoch | ts | old_leader_id | new_leader_id | verdict | from_offset | to_offset_low | to_offset_high\n 5 | 10:01:00 | 1 | 2 | {} | {} | | {}"


RESTART = "node_id | last_ts | next_start_ts | ended\n 1 | 10:00:50 | 10:01:10 | killed"
LOADED = LINES + "\n    1 | 10:01:12 | | | 260 | log_load_completed"


def times(verdict="POSSIBLE_LOSS", begin=200, end=260, lines=LINES, cuts=CUT, epochs=EPOCHS, processes="node_id"):
    partition = Partition(
        "orders",
        0,
        0,
        leader_epochs=rows(LEADER_EPOCHS, epochs),
        high_watermarks=rows(HIGH_WATERMARKS, lines),
        truncations=rows(TRUNCATIONS, cuts),
    )
    (loss,) = rows(LEDGER, LOSS.format(verdict, begin, end))
    told = with_times(loss, partition, Cluster.of(rows(PROCESSES, processes), (), (), (), ()))
    return tuple(
        None if ts is None else ts.strftime("%H:%M:%S.%f")[:12]
        for ts in (told.written_low, told.written_high, told.cut_ts)
    )


@pytest.mark.parametrize(
    "given, told",
    [
        pytest.param(
            {},
            ("10:00:40.000", "10:01:20.000", "10:01:33.050"),
            id="written after the election, cut half a minute later",
        ),
        pytest.param(
            {"end": ""},
            ("10:00:40.000", "10:01:33.050", "10:01:33.050"),
            id="no end is known: by the cut at the latest",
        ),
        pytest.param(
            {"begin": 150}, ("10:00:01.000", "10:01:20.000", "10:01:33.050"), id="the leader epoch began with less"
        ),
        pytest.param(
            {"begin": 50}, (None, "10:01:20.000", "10:01:33.050"), id="some may be older than the leader epoch"
        ),
        pytest.param({"cuts": "node_id"}, ("10:00:40.000", "10:01:20.000", None), id="no line tells of a cut"),
        pytest.param(
            {"cuts": "node_id | ts | truncation_offset\n 3 | 10:01:02 | 200\n 1 | 10:00:30 | 200\n 1 | 10:01:33 | 260"},
            ("10:00:40.000", "10:01:20.000", None),
            id="another broker, an earlier cut, and one that took nothing of it",
        ),
        pytest.param(
            {"lines": LOADED, "processes": RESTART},
            ("10:00:40.000", "10:01:10.000", "10:01:33.050"),
            id="its log held them when it loaded: written before the process started",
        ),
        pytest.param(
            {"lines": LOADED, "end": 265, "processes": RESTART},
            ("10:00:40.000", "10:01:33.000", "10:01:33.050"),
            id="its log was shorter when it loaded: some were written since",
        ),
        pytest.param({"verdict": "NO_LOSS_OBSERVED"}, (None, None, None), id="nothing is lost"),
        pytest.param({"epochs": "leader_epoch"}, (None, None, None), id="no line tells that it led"),
        pytest.param(
            {
                "lines": LINES
                + "\n    1 | 10:00:50 | leader | 4 | 195 | leader_start\n    1 | 10:00:45 | | | 195 | log_load_completed"
            },
            ("10:00:40.000", "10:01:20.000", "10:01:33.050"),
            id="what it states after it loaded its log anew tells of no earlier end",
        ),
    ],
)
def test_records_were_written_between_two_log_ends_and_are_lost_when_they_are_truncated(given, told):
    assert times(**given) == told
