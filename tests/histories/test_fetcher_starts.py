"""Truncations of releases up to 2.0: the start of a fetcher shows the leader epoch, and in 0.11 and 1.0 the log end; the
log that was loaded for it, the high watermark.
"""

from __future__ import annotations

import pytest

from replay.histories.cluster import Cluster
from replay.histories.fetcher_starts import after_fetcher_starts
from replay.tables import EVENTS, TRUNCATIONS
from replay.tables.brokers import PROCESSES, RELEASES
from replay.tables.offsets import FETCHER_STARTS
from replay.tables.partitions import LEADER_EPOCHS, ROLE_LINES
from tests.tables import in_orders_0, rows, same_rows

CUT = """
    node_id | ts           | truncation_offset | by_recovery | evidence
    1       | 10:08:21.287 | 98                | false       | cut      """
STARTED = """
    node_id | leader_id | ts           | initial_offset | event_id
    1       | 2         | 10:07:35.431 | 0              | created
    1       | 2         | 10:08:21.280 | 829            | added
    3       | 2         | 10:08:21.285 | 700            | other   """
ASKED = """
    node_id | ts           | leader_epoch | kind
    1       | 10:07:35.263 | 0            | broker_leader_and_isr_received
    1       | 10:08:21.263 | 1            | broker_leader_and_isr_received
    1       | 10:08:30.000 | 2            | broker_leader_and_isr_received
    3       | 10:08:21.270 | 2            | broker_leader_and_isr_received """
LEADERS = """
    leader_epoch | leader_id
    0            | 1
    1            | 2
    2            | 2         """
RELEASE = """
    node_id | version_low | version_high
    1       | 1100        | 10002        """


def explained(cuts=CUT, lines="ts", *, starts=STARTED, asked=ASKED, releases=RELEASE, processes="node_id"):
    return after_fetcher_starts(
        in_orders_0(rows(TRUNCATIONS, cuts)),
        in_orders_0(rows(EVENTS, lines)),
        in_orders_0(rows(ROLE_LINES, asked)),
        in_orders_0(rows(LEADER_EPOCHS, LEADERS)),
        in_orders_0(rows(FETCHER_STARTS, starts)),
        Cluster.of(rows(PROCESSES, processes), rows(RELEASES, releases), (), (), ()),
    )


def test_a_deposed_leader_that_returns_discards_up_to_the_initial_offset_of_its_fetcher():
    same_rows(
        explained(),
        TRUNCATIONS,
        """
        node_id | ts           | leader_epoch | log_end_offset | truncation_offset | evidence
        1       | 10:08:21.287 | 1            | 829            | 98                | cut,added """,
    )


@pytest.mark.parametrize(
    "release",
    [
        pytest.param("10101 | 10101", id="1.1-prints-the-high-watermark"),
        pytest.param("1100  | 10101", id="0.11-to-1.1"),
        pytest.param("1002  | 1002 ", id="0.10-has-truncated-before"),
        pytest.param("1002  | 10002", id="0.10-to-1.0"),
        pytest.param("0     | 99999", id="any-release"),
    ],
)
def test_other_releases_print_other_offsets(release):
    found = explained(releases=f"node_id | version_low | version_high\n1 | {release}")
    same_rows(found, TRUNCATIONS, "leader_epoch | log_end_offset | evidence\n1 | | cut,added")


def test_a_cut_that_a_fetchers_start_does_not_explain_stays_as_it_is():
    unchanged = "leader_epoch | log_end_offset | evidence\n | | cut"
    at = "node_id | ts | kind\n1 | 10:08:21.283 | "
    for found in (
        explained(lines=at + "log_truncation_noop"),  # there was nothing to cut: later the log has grown
        explained(lines=at + "leader_start"),
        explained(processes="node_id | last_ts | next_start_ts\n1 | 10:08:21.281 | 10:08:21.284"),
        explained(CUT.replace("10:08:21.287", "10:09:40.000")),  # long after
        explained(CUT.replace("10:08:21.287", "10:08:21.270")),  # before it
        explained(CUT.replace("false", "true ")),  # recovery asks no leader
        explained(CUT.replace("\n    1 ", "\n    2 ")),  # the log of another broker
    ):
        same_rows(found, TRUNCATIONS, unchanged)


def test_lines_of_another_broker_leave_the_first_cut_the_first():
    (cut,) = explained(lines="node_id | ts | kind\n3 | 10:08:21.283 | log_truncation_noop")
    assert cut.log_end_offset == 829


def test_only_the_first_cut_after_the_start_is_of_the_whole_log():
    same_rows(
        explained(CUT + "\n    1 | 10:08:29.000 | 50 | false | again"),
        TRUNCATIONS,
        """
        truncation_offset | leader_epoch | log_end_offset | evidence
        98                | 1            | 829            | cut,added
        50                |              |                | again     """,
    )


def test_the_leader_epoch_is_unknown_where_another_broker_leads_in_it():
    (cut,) = explained(starts=STARTED.replace("1       | 2 ", "1       | 3 "))
    assert (cut.leader_epoch, cut.log_end_offset) == (None, 829)
    (cut,) = explained(asked="ts")
    assert (cut.leader_epoch, cut.log_end_offset) == (None, 829)


def test_a_log_end_that_another_line_shows_stays():
    (cut,) = explained(
        "node_id | ts | leader_epoch | log_end_offset | truncation_offset\n1 | 10:08:21.287 | 1 | 900 | 98"
    )
    assert (cut.leader_epoch, cut.log_end_offset) == (1, 900)


LOADED = """
    node_id | ts           | kind                 | high_watermark
    1       | 10:08:21.244 | partition_log_loaded | 97
    1       | 10:08:21.244 | partition_log_loaded | 0
    3       | 10:08:21.244 | partition_log_loaded | 500            """


def test_the_high_watermark_is_that_with_which_the_log_was_loaded_for_the_fetcher():
    same_rows(
        explained(lines=LOADED),
        TRUNCATIONS,
        """
        truncation_offset | high_watermark | evidence
        98                | 97             | cut,added,e1 """,
    )


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"lines": LOADED.replace("10:08:21", "10:07:35")}, id="loaded-for-an-earlier-fetcher"),
        pytest.param(
            {"starts": STARTED + "\n    1 | 2 | 10:08:21.260 | 97 | first"}, id="another-fetcher-fetched-in-between"
        ),
        pytest.param(
            {"lines": LOADED + "\n    1 | 10:08:21.250 | leader_start | "}, id="the-broker-has-led-in-between"
        ),
        pytest.param(
            {"processes": "node_id | last_ts | next_start_ts\n1 | 10:08:21.250 | 10:08:21.260"},
            id="an-earlier-process-loaded-it",
        ),
    ],
)
def test_a_high_watermark_that_may_have_moved_since_is_not_that_before_the_cut(changed):
    (cut,) = explained(**{"lines": LOADED, **changed})
    assert cut.high_watermark is None
