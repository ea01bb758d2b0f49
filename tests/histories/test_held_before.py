"""How far a log had come, at least, before a truncation whose line does not show its end."""

from __future__ import annotations

import pytest

from replay.histories.cluster import Cluster
from replay.histories.held_before import with_log_ends
from replay.tables.brokers import PROCESSES, RELEASES
from replay.tables.offsets import FETCH_POSITIONS, HIGH_WATERMARKS, TRUNCATIONS
from tests.each import for_each
from tests.tables import rows

# As recorded of 2.7.1: broker 1 led alone from 3146, was killed, lost the end of its log, and recovered it to 2392.
LED = "1 | 10:00:25 | 3146 | leader_start"
RECOVERED = "1 | 10:00:58 | | 2392 | true"
DIED = "node_id | last_ts | next_start_ts | ended\n 1 | 10:00:33 | 10:00:51 | killed"
FOLLOWER = "1 | 10:01:30 | | 524 | false"


def low(cut, *marks, fetches="", processes=DIED, release=20701, lines=None):
    cluster = Cluster.of(
        rows(PROCESSES, processes), rows(RELEASES, f"node_id | version_low\n 1 | {release}"), (), (), ()
    )
    cuts = rows(TRUNCATIONS, f"node_id | ts | log_end_offset | truncation_offset | by_recovery\n {cut}")
    held = rows(HIGH_WATERMARKS, lines or "\n ".join(["node_id | ts | log_end_offset | source", *marks]))
    held = [mark.but(evidence=[f"m{at}"]) for at, mark in enumerate(held)]
    positions = rows(FETCH_POSITIONS, f"node_id | ts | log_end_offset | event_id\n {fetches}") if fetches else []
    return [one.log_end_offset_low for one in with_log_ends(cuts, held, positions, cluster)]


@for_each(
    ("given", "least"),
    [
        pytest.param((RECOVERED, LED), 3146, id="the dead process led from there"),
        pytest.param((RECOVERED, LED, "1 | 10:00:30 | 3200 | isr_shrink"), 3200, id="and had come further"),
        pytest.param((RECOVERED, LED.replace("3146", "2000")), None, id="no further than the disk kept: nothing is shown"),
        pytest.param((RECOVERED, LED.replace("1 |", "2 |")), None, id="look-alike: another broker"),
        pytest.param((RECOVERED, "1 | 10:00:59 | 3146 | leader_start"), None, id="look-alike: a line after the recovery"),
        pytest.param((RECOVERED.replace("| |", "| 2400 |"), LED), None, id="its end is known"),
        pytest.param((FOLLOWER, LED), 525, id="a follower's own process had shown nothing: longer than its end now"),
        pytest.param((FOLLOWER, "1 | 10:01:00 | 700 | log_load_completed"), 700, id="it loaded so much and cut it later"),
        pytest.param(
            (f"1 | 10:01:20 | | 600 | false\n {FOLLOWER}", "1 | 10:01:00 | 700 | log_load_completed"),
            [700, 525],
            id="an earlier truncation had taken it",
        ),
    ],
)  # fmt: skip
def test_lines_since_the_log_was_last_shorter_bound_its_end(given, least):
    assert low(*given) == (least if isinstance(least, list) else [least])


def test_what_a_follower_asked_for_is_what_it_held():
    assert low(RECOVERED, fetches="1 | 10:00:30 | 2500 | f1") == [2500]
    assert low(RECOVERED, fetches="1 | 10:00:55 | 2500 | f1") == [None]


def test_a_checkpoint_copied_before_the_restart_shows_what_the_log_had_held():
    lines = "node_id | ts | high_watermark | log_end_offset | source\n 1 | {} | 3300 | | checkpoint_high_watermark"
    assert low(RECOVERED, lines=lines.format("10:00:40")) == [3300]
    assert low(RECOVERED, lines=lines.format("10:00:55")) == [None]


def test_before_0_11_a_line_shows_no_truncation_of_a_longer_log():
    assert low(FOLLOWER, release=1001) == [None]
