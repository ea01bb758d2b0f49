"""Silence, then life goes on, and something proves that nothing ran in between (F04), or nothing does (F00)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from replay.facts.times import unix_millis
from replay.faults import nodes_without_logs
from replay.faults import pauses as stage
from replay.faults.outages import outages
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from tests.faults.given import (
    facts,
    first_lines,
    first_mentions,
    lag_shrinks,
    memory_errors,
    pause_signs,
    sessions,
    silences,
    steps,
    timings,
)
from tests.tables import rows, same_rows


def paused(told, lived, clock_steps=()):
    """The pauses that these lines and sessions tell; no clock was set where no step is given."""
    return stage.paused(
        told,
        first_lines(told),
        silences(told),
        pause_signs(told),
        lag_shrinks(told),
        memory_errors(told),
        lived,
        timings(),
        clock_steps,
    )


_SILENT = """
    ts       | kind        | node_id
    10:00:00 | isr_updated | 2
    10:00:20 | isr_updated | 2       """


def test_silence_alone_is_no_pause():
    assert paused(facts(_SILENT), sessions()) == []


def test_a_request_that_waited_as_long_as_it_may_is_no_pause():
    assert (
        paused(
            facts("""
        ts           | kind                    | node_id | details
        10:00:00.000 | isr_updated             | 2       |
        10:00:32.000 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=31500;request_timeout_ms=30000 """),
            sessions(),
        )
        == []
    )


def test_a_controller_that_finds_late_that_no_voter_follows_it_stood_still(said):
    """101 leads; 102 is elected in its silence. Cut off but running it would have found out after 3 s."""
    told = """
        ts           | kind                   | node_id | details                      | message
        09:59:00.000 | raft_transition        | 102     |                              | [RaftManager id=102] Completed transition to Leader(localId=102, epoch=1)
        09:59:30.000 | raft_transition        | 101     |                              | [RaftManager id=101] Completed transition to Leader(localId=101, epoch=2)
        10:00:00.000 | any                    | 101     |                              |
        10:00:02.000 | raft_transition        | 102     |                              | [RaftManager id=102] Completed transition to Leader(localId=102, epoch=3)
        {woke} | raft_check_quorum_lost | 101     | check_quorum_timeout_ms=3000 | """
    same_rows(
        paused(facts(told.format(woke="10:00:17.000")), sessions()),
        FAULTS,
        """
        kind   | code | broker_id | began_low | began_high | ts       | end_ts   | confidence
        paused | F04  | 101       | 10:00:00  | 10:00:02   | 10:00:02 | 10:00:17 | 0.97       """,
    )
    assert (
        "when it resumed, its oldest open request or check was at least 15.0 s old"
        in said(paused(facts(told.format(woke="10:00:17.000")), sessions()))[0]
    )
    assert paused(facts(told.format(woke="10:00:04.500")), sessions()) == []


def test_an_elapsed_time_over_which_the_clock_was_set_forward_proves_no_pause():
    """In corrected time six seconds passed."""
    told = facts("""
        ts           | kind                    | node_id | details
        10:00:00.000 | any                     | 2       |
        10:00:06.000 | any                     | 2       |
        10:00:06.500 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=40052;request_timeout_ms=30000 """)
    set_forward = steps(
        """
        node_id | last_ts      | ts           | step_ms | cause
        2       | 10:00:00.000 | 10:00:07.000 | 39900   | clock_set """,
    )
    assert paused(told, sessions(), set_forward) == []
    assert paused(told, sessions())


def test_an_elapsed_time_far_above_its_limit_proves_a_pause():
    same_rows(
        paused(
            facts("""
        ts           | kind                    | node_id | details
        10:00:00.000 | isr_updated             | 2       |
        10:01:10.000 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=69500;request_timeout_ms=30000
        10:01:20.000 | isr_updated             | 2       |                                                             """),
            sessions(),
        ),
        FAULTS,
        """
        kind   | code | broker_id | began_low    | began_high   | ts           | ended_low    | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:00.400 | 10:00:01.000 | 10:00:00.500 | 10:01:09.500 | 10:01:10.000 | 0.97       | e1,e2    """,
    )


@pytest.mark.parametrize(
    ("prefix", "elapsed_ms", "stood_still"),
    [
        ("[ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0]", 35_017, True),
        ("[ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0]", 30_042, False),
        ("[RaftManager id=2]", 35_017, False),
    ],
)
def test_a_fetcher_that_runs_notices_its_timeout_at_once(prefix, elapsed_ms, stood_still):
    """It waits for one answer and does nothing else; as recorded of 3.9.1, 35017 ms were of a process stopped for 35 s."""
    found = paused(
        facts(f"""
        ts           | kind                    | node_id | message                     | details
        10:00:00.000 | isr_updated             | 2       |                             |
        10:00:40.000 | node_inflight_cancelled | 2       | {prefix} Cancelled in-flight | api_key=FETCH;time_elapsed_since_create_ms={elapsed_ms};request_timeout_ms=30000
        10:00:50.000 | isr_updated             | 2       |                             | """),
        sessions(),
    )
    assert [one.kind for one in found] == ["paused"] * stood_still


_WAKES = """
    ts           | kind                         | node_id | broker_id | details
    10:00:00.000 | isr_updated                  | 3       |           |
    10:00:10.000 | kraft_broker_session_timeout | 3       | 2         |
    {start}
    10:00:41.000 | node_inflight_cancelled      | 2       |           | time_elapsed_since_create_ms={elapsed};request_timeout_ms=30000
    10:00:42.000 | kraft_broker_unfence_granted | 3       | 2         | """


def test_a_node_whose_files_begin_as_it_wakes_was_paused_if_too_much_time_went_by():
    told = facts(_WAKES.format(start="10:00:40.900 | any | 2 | |", elapsed=38500))
    lived = sessions("""
        broker_id | start_ts     | end_ts       | ended_by | evidence
        2         |              | 10:00:10.000 | unknown  | e2
        2         | 10:00:42.000 |              |          | e5       """)
    lives = rows(
        PROCESSES,
        """
        node_id | life | first_ts
        2       | 0    | 10:00:40.900
        3       | 0    | 10:00:00.000 """,
    )
    by_others = nodes_without_logs.sessions_lost_without_logs(told, lives, lived, first_mentions(told), timings())
    assert [one.kind for one in by_others] == ["silent"]
    same_rows(
        outages(paused(told, lived), [], [], by_others),
        FAULTS,
        """
        kind   | code | broker_id | began_low       | ts           | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:02.400 | 10:00:02.400 | 10:00:40.900 | 0.97       | e3,e4    """,
    )


def test_files_that_all_begin_as_a_node_wakes_still_show_that_it_was_paused():
    """Recorded (3.3.2), rotated: no node has a line from the time of the pause."""
    told = facts("""
        ts           | kind                    | node_id | broker_id | details
        10:00:40.900 | any                     | 2       |           |
        10:00:40.905 | any                     | 3       |           |
        10:00:40.910 | node_inflight_cancelled | 2       | 3         | time_elapsed_since_create_ms=35031;request_timeout_ms=2000""")
    same_rows(
        paused(told, sessions()),
        FAULTS,
        "kind   | code | broker_id | began_low    | end_ts\npaused | F04 | 2 | 10:00:05.779 | 10:00:40.900",
    )


@pytest.mark.parametrize(
    ("start", "elapsed"), [("10:00:40.900 | any | 2 | |", 31_000), ("10:00:40.900 | broker_starting | 2 | |", 38_500)]
)
def test_nor_one_that_starts_then_or_lost_no_time(start, elapsed):
    assert paused(facts(_WAKES.format(start=start, elapsed=elapsed)), sessions()) == []


def test_a_zookeeper_that_takes_a_connection_and_says_nothing_is_waited_for_all_of_a_session():
    """That is no pause of the client, though it heard nothing for longer than a connected one may."""
    lines = """
        ts           | kind                 | node_id | details
        10:00:00     | zk_session_connected | 2       | timeout_ms=18000
        10:00:01     | log_rolled           | 2       |
        {before}
        10:00:34.100 | zk_client_timeout    | 2       | elapsed_ms=18016
        10:00:34.200 | zk_session_connected | 2       | timeout_ms=18000 """
    assert paused(facts(lines.format(before="10:00:16 | zk_client_timeout | 2 | elapsed_ms=12001")), sessions()) == []
    assert paused(facts(lines.format(before="")), sessions())


@pytest.mark.parametrize(("elapsed_ms", "stood_still"), [(12003, False), (13900, False), (14349, True), (16206, True)])
def test_a_zookeeper_client_that_runs_notices_its_timeout_at_once(elapsed_ms, stood_still):
    """Of a session of 18 s it waits 12; as recorded of 2.4.1, 16206 ms were of a process stopped for 16 s."""
    found = paused(
        facts(f"""
        ts           | kind                 | node_id | details
        10:00:00.000 | zk_session_connected | 2       | timeout_ms=18000
        10:00:01.000 | log_rolled           | 2       |
        10:00:17.200 | zk_client_timeout    | 2       | elapsed_ms={elapsed_ms} """),
        sessions(),
    )
    assert [one.kind for one in found] == ["paused"] * stood_still


def test_a_garbage_collection_log_reports_the_pause_itself(said):

    def told(ms: float):
        return facts(f"""
        ts           | kind        | node_id | details
        10:00:00.000 | isr_updated | 2       |
        10:00:12.300 | gc_pause    | 2       | duration_ms={ms};pause=Full
        10:00:12.400 | isr_updated | 2       |                             """)

    found = paused(told(11950.3), sessions())
    same_rows(
        found,
        FAULTS,
        """
        kind   | code | broker_id | began_low       | ts           | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:00.000 | 10:00:00.450 | 10:00:12.400 | 0.97       | e1,e3,e2 """,
    )
    assert said(found)[0].endswith("its garbage-collection log shows a pause of 12.0 s in that time")
    assert paused(told(180.3), sessions()) == []


def test_a_session_that_ended_in_the_silence_leaves_a_pause_and_missing_lines_open():
    same_rows(
        paused(
            facts(_SILENT),
            sessions("""
        broker_id | start_ts | end_ts   | ended_by        | evidence
        2         | 09:00:00 | 10:00:09 | session_timeout | fenced   """),
        ),
        FAULTS,
        """
        kind   | code | broker_id | began_low   | ts       | end_ts   | confidence | evidence
        silent | F00  | 2         | 10:00:00 | 10:00:00 | 10:00:20 | 0.5        | e1,e2,fenced """,
    )


@pytest.mark.parametrize(("word", "silent"), [("any", False), ("zk_session_connected", True)])
def test_a_node_that_had_lost_zookeeper_before_it_said_no_more_ran_out_of_reach(word, silent):
    """A controller cut off from all others has nothing to print while its client seeks ZooKeeper (recorded anew: 2.8.2)."""
    found = paused(
        facts(f"""
        ts       | kind              | node_id | details
        09:59:50 | zk_client_timeout | 2       | elapsed_ms=12003
        09:59:52 | {word}            | 2       |
        10:00:00 | any               | 2       |
        10:00:20 | zk_client_timeout | 2       | elapsed_ms=18002 """),
        sessions("""
        broker_id | start_ts | end_ts   | ended_by        | evidence
        2         | 09:00:00 | 10:00:09 | session_timeout | lost     """),
    )
    assert bool(found) is silent


def test_a_follower_removed_in_its_silence_that_learns_of_it_later_fell_silent():
    told = """
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1,3 | old_isr=1,2,3
        10:00:20 | {waking}           | 2       |     |               """
    same_rows(
        paused(facts(told.format(waking="fetch_fenced_epoch")), sessions()),
        FAULTS,
        """
        kind   | broker_id | ts       | end_ts   | confidence
        silent | 2         | 10:00:00 | 10:00:20 | 0.5        """,
    )
    assert paused(facts(told.format(waking="isr_updated")), sessions()) == []


def test_the_word_of_a_leader_that_was_itself_cut_off_proves_nothing():
    assert (
        paused(
            facts("""
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1,3 | old_isr=1,2,3
        10:00:20 | fetch_fenced_epoch | 2       |     |               """),
            sessions("""
        broker_id | start_ts | end_ts   | ended_by
        1         | 09:00:00 | 10:00:10 | session_timeout """),
        )
        == []
    )


def test_the_word_of_a_leader_that_drops_several_followers_at_once_proves_nothing_of_one_of_them():
    assert (
        paused(
            facts("""
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1   | old_isr=1,2,3
        10:00:20 | fetch_fenced_epoch | 2       |     |               """),
            sessions(),
        )
        == []
    )


def test_a_restart_is_no_pause():
    assert (
        paused(
            facts("""
        ts       | kind            | node_id
        10:00:00 | isr_updated     | 2
        10:00:20 | broker_starting | 2       """),
            sessions("""
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 10:00:09 | session_timeout """),
        )
        == []
    )


def test_a_broker_that_a_leader_out_of_memory_drops_did_not_fall_silent():
    """It had nothing to say for a while; its request to that leader then timed out."""
    told = """
        ts       | kind                 | node_id | topic  | partition | isr | details       | message
        10:00:00 | any                  | 3       |        |           |     |               |
        10:00:05 | thread_died          | 1       |        |           |     |               | {said}
        10:00:10 | isr_shrink           | 1       | orders | 0         | 1,2 | old_isr=1,2,3 |
        10:00:20 | node_request_timeout | 3       |        |           |     |               |         """
    assert paused(facts(told.format(said="java.lang.OutOfMemoryError: Java heap space")), sessions()) == []
    assert [row.code for row in paused(facts(told.format(said="java.io.EOFException")), sessions())] == ["F00"]


_OVERDUE = """
    ts           | kind                    | node_id | topic  | partition | isr   | details                                                                                                                                                                              | message
    10:00:00.000 | isr_updated             | 1       | clicks | 3         | 1,2,3 |                                                                                                                                                                                      |
    10:00:17.000 | isr_shrink              | {by}       | clicks | 5         | 3,2   | old_isr=3,2,1                                                                                                                                                                        |
    {woke} | isr_shrink              | 1       | clicks | 3         | 1     | old_isr=1,2,3;out_of_sync_replicas=(brokerId: 2, endOffset: 348, lastCaughtUpTimeMs: {caught_up}) (brokerId: 3, endOffset: 348, lastCaughtUpTimeMs: {caught_up}) |
    10:00:55.010 | {kind} | 1       |        |           |       |                                                                                                                                                                                      | [RaftManager id=1] Transitioning to Prospective state due to fetch timeout """


@pytest.mark.parametrize(
    ("age_s", "by", "kind", "stood_still"),
    [
        (48, 3, "raft_become_prospective", True),
        (48, 3, "raft_become_candidate  ", True),
        (46, 3, "raft_become_prospective", False),  # its check ran in time: 45 s, and 2 s of delay
        (48, 1, "raft_become_prospective", False),  # no other leader removed it: it fetched
        (48, 3, "raft_transition        ", False),  # no voter that misses the controller: it may be cut off and idle
    ],
)
def test_a_leader_that_removes_its_followers_too_late_was_frozen(age_s, by, kind, stood_still):
    """As recorded of 4.0.0: the checks of the ISRs run every half `replica.lag.time.max.ms`."""
    woke = datetime(2024, 5, 1, 10, 0, 55, tzinfo=UTC)
    caught_up = unix_millis(woke) - age_s * 1000
    found = paused(facts(_OVERDUE.format(by=by, kind=kind, woke="10:00:55.000", caught_up=caught_up)), sessions())
    assert [one.kind for one in found if one.kind == "paused"] == ["paused"] * stood_still
    if stood_still:
        assert (found[0].began_low, found[0].began_high) == (woke - timedelta(seconds=48), woke - timedelta(seconds=47))
