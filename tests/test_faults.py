"""Faults told from their look-alikes: killed, stopped, paused, cut off, slow (facts §5.1)."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay import faults as stage
from replay.processes import processes
from replay.schema import BROKER_SESSIONS, EVENTS
from replay.sessions import broker_sessions
from tests.tables import same, table
from tests.test_elections import FAULTS



@pytest.fixture
def events(spark):
    """Events of `server.log`s; a line without logger is a file's that has no time."""
    return lambda text: table(spark, EVENTS, text).fillna({"logger": "kafka.server.KafkaServer", "source_file": "server.log", "message": ""})


@pytest.fixture
def sessions(spark):
    return lambda text="broker_id": table(spark, BROKER_SESSIONS, text)


@pytest.fixture
def known(spark):
    return lambda text="kind": table(spark, FAULTS, text)


def test_in_silence_there_is_no_fault(spark, events):
    nothing = events("ts")
    lives = processes(nothing)
    sessions = table(spark, BROKER_SESSIONS, "broker_id")
    for found in (
        stage.killed(nothing, lives, sessions),
        stage.stopped(lives),
        stage.paused(nothing, sessions),
        stage.lagging(nothing, table(spark, FAULTS, "kind"), table(spark, FAULTS, "kind")),
    ):
        assert found.isEmpty()


# F01: the files end without a word


def test_a_kill_is_dated_by_the_first_peer_that_misses_it(events, sessions):
    told = events("""
        ts           | kind                     | node_id | broker_id
        10:00:00.000 | broker_starting          | 2       |
        10:05:00.000 | isr_shrink               | 2       |
        10:05:00.040 | fetch_send_error         | 1       | 2
        10:05:09.000 | fetch_send_error         | 3       | 2
        10:06:00.000 | broker_starting          | 2       |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           """)
    same(stage.killed(told, processes(told), sessions()), FAULTS, """
        kind   | code | broker_id | t0_low       | ts           | end_ts       | confidence | evidence
        killed | F01  | 2         | 10:05:00.000 | 10:05:00.040 | 10:06:00.000 | 0.98       | e2,e3,e5,e6 """)


LOST = """
        broker_id | start_ts | end_ts   | ended_by | evidence
        2         | 10:00:05 | 10:05:09 | crash    | fenced   """


def never_back(events, message=""):
    """Broker 2 falls silent at 10:05:00 and does not come back; broker 1 prints a line about it."""
    return events(f"""
        ts           | kind             | node_id | broker_id | message
        10:00:00.000 | broker_starting  | 2       |           |
        10:05:00.000 | isr_shrink       | 2       |           |
        10:05:00.040 | fetch_send_error | 1       | 2         | {message} """)


def test_a_broker_that_goes_silent_while_nobody_misses_it_has_no_fault(events, sessions):
    told = never_back(events)
    assert stage.killed(told, processes(told), sessions()).isEmpty()


@pytest.mark.parametrize("message", ["Node 2 disconnected.", "Connection to node 2 (/10.0.0.2:9092) could not be established. Broker may not be available."])
def test_a_broker_that_never_comes_back_is_killed_if_its_connections_were_closed_or_refused(events, sessions, message):
    told = never_back(events, message)
    same(stage.killed(told, processes(told), sessions(LOST)), FAULTS, """
        kind   | code | broker_id | t0_low   | ts           | end_ts | confidence | blind_spots
        killed | F01  | 2         | 10:05:00 | 10:05:00.040 |        | 0.7        | []          """)


@pytest.mark.parametrize("message", ["", "Client requested connection close from node 2", "Cancelled in-flight FETCH request with correlation id 5 due to node 2 being disconnected (elapsed time since creation: 7718ms)"])
def test_a_broker_that_never_comes_back_and_whose_connections_stay_open_only_fell_silent(events, sessions, message):
    told = never_back(events, message)
    found = stage.killed(told, processes(told), sessions(LOST))
    same(found, FAULTS, """
        kind   | code | broker_id | t0_low   | ts           | end_ts | confidence
        silent | F00  | 2         | 10:05:00 | 10:05:00.040 |        | 0.5        """)
    assert "fenced" in found.first().evidence
    assert "stands still" in found.first().blind_spots[0]


def test_nodes_that_go_silent_at_once_say_so_of_each_other(events, sessions):
    told = events("""
        ts           | kind             | node_id | broker_id
        10:00:00.000 | broker_starting  | 1       |
        10:00:00.000 | broker_starting  | 2       |
        10:00:00.000 | broker_starting  | 3       |
        10:00:00.000 | broker_starting  | 4       |
        10:04:50.000 | isr_shrink       | 1       |
        10:05:03.000 | isr_shrink       | 2       |
        10:05:00.000 | fetch_send_error | 4       | 1
        10:05:09.500 | isr_shrink       | 3       |
        10:06:00.000 | broker_starting  | 1       |
        10:06:00.000 | broker_starting  | 2       |
        10:06:00.000 | broker_starting  | 3       |           """)
    because = {row.broker_id: row.because for row in stage.killed(told, processes(told), sessions()).collect()}
    assert because[1].endswith("first error of a peer towards it 10:05:00.000; node 2 went silent within 5 s of it: look for what they share")
    assert because[2] == "node 2 ended without a shutdown line (last line 10:05:03.000); node 1 went silent within 5 s of it: look for what they share"
    assert because[3].endswith("(last line 10:05:09.500)")  # after 6.5 s


def test_a_process_that_halted_itself_is_no_riddle(events, sessions):
    """It says why."""
    told = events("""
        ts       | kind                   | node_id | message                           | details
        10:00:00 | broker_starting        | 2       |                                   |
        10:05:00 | process_startup_failed | 2       | Fatal error during broker startup | exception=org.apache.kafka.common.config.ConfigException: no such file
        10:06:00 | broker_starting        | 2       |                                   | """)
    found = stage.killed(told, processes(told), sessions())
    same(found, FAULTS, """
        kind   | code | broker_id | ts       | end_ts
        halted | F01  | 2         | 10:05:00 | 10:06:00 """)
    said = '"Fatal error during broker startup: org.apache.kafka.common.config.ConfigException: no such file"'
    assert found.first().because == f"node 2 stopped itself after a fatal error (last line 10:05:00.000): {said}"


def test_a_zookeeper_server_dates_a_kill_by_the_session_that_broke(events, sessions):
    told = events("""
        ts           | kind                      | node_id | details
        10:00:00.000 | broker_starting           | 2       |
        10:00:01.000 | zk_session_connected      | 2       | session_id=0x1000000A
        10:05:00.000 | isr_shrink                | 2       |
        10:05:00.030 | zookeeper_connection_lost | 0       | session_id=0x1000000a
        10:06:00.000 | broker_starting           | 2       |                       """)
    same(stage.killed(told, processes(told), sessions()), FAULTS, """
        broker_id | t0_low       | ts
        2         | 10:05:00.000 | 10:05:00.030 """)


# F02: the files announce the stop


def test_an_ordered_stop_is_no_kill(events, sessions):
    told = events("""
        ts       | kind                 | node_id
        10:00:00 | broker_starting      | 2
        10:05:00 | process_signal       | 2
        10:05:03 | broker_shutdown_done | 2
        10:06:00 | broker_starting      | 2       """)
    lives = processes(told)
    assert stage.killed(told, lives, sessions()).isEmpty()
    same(stage.stopped(lives), FAULTS, """
        kind    | code | broker_id | ts       | t0_low   | end_ts   | evidence
        stopped | F02  | 2         | 10:05:00 | 10:05:00 | 10:06:00 | e2,e3,e4 """)


def test_a_controlled_shutdown_that_was_given_up_is_said(events):
    told = events("""
        ts       | kind                               | node_id
        10:00:00 | broker_starting                    | 2
        10:05:00 | process_signal                     | 2
        10:05:30 | broker_controlled_shutdown_gave_up | 2       """)
    assert "controlled shutdown failed" in stage.stopped(processes(told)).first().because


# F04: silence, then life goes on, and something proves that nothing ran in between

_SILENT = """
    ts       | kind        | node_id
    10:00:00 | isr_updated | 2
    10:00:20 | isr_updated | 2       """


def test_silence_alone_is_no_pause(events, sessions):
    assert stage.paused(events(_SILENT), sessions()).isEmpty()


def test_a_request_that_waited_as_long_as_it_may_is_no_pause(events, sessions):
    assert stage.paused(events("""
        ts           | kind                    | node_id | details
        10:00:00.000 | isr_updated             | 2       |
        10:00:32.000 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=31500;request_timeout_ms=30000 """), sessions()).isEmpty()  # fmt: skip


def test_a_controller_that_finds_late_that_no_voter_follows_it_stood_still(events, sessions):
    """101 leads; 102 is elected in its silence. Cut off but running it would have found out after 3 s."""
    told = """
        ts           | kind                   | node_id | details                      | message
        09:59:00.000 | raft_transition        | 102     |                              | [RaftManager id=102] Completed transition to Leader(localId=102, epoch=1)
        09:59:30.000 | raft_transition        | 101     |                              | [RaftManager id=101] Completed transition to Leader(localId=101, epoch=2)
        10:00:00.000 | any                    | 101     |                              |
        10:00:02.000 | raft_transition        | 102     |                              | [RaftManager id=102] Completed transition to Leader(localId=102, epoch=3)
        {woke} | raft_check_quorum_lost | 101     | check_quorum_timeout_ms=3000 | """
    same(stage.paused(events(told.format(woke="10:00:17.000")), sessions()), FAULTS, """
        kind   | code | broker_id | t0_low   | ts       | end_ts   | confidence
        paused | F04  | 101       | 10:00:00 | 10:00:02 | 10:00:17 | 0.97       """)
    assert stage.paused(events(told.format(woke="10:00:04.500")), sessions()).isEmpty()


def test_an_elapsed_time_over_which_the_clock_was_set_forward_proves_no_pause(spark, events, sessions):
    """In corrected time six seconds passed."""
    told = events("""
        ts           | kind                    | node_id | details
        10:00:00.000 | any                     | 2       |
        10:00:06.000 | any                     | 2       |
        10:00:06.500 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=40052;request_timeout_ms=30000 """)
    set_forward = table(spark, "node_id int, last_ts timestamp, ts timestamp, step_ms double, cause string", """
        node_id | last_ts      | ts           | step_ms | cause
        2       | 10:00:00.000 | 10:00:07.000 | 39900   | clock_set """)
    assert stage.paused(told, sessions(), set_forward).isEmpty()
    assert not stage.paused(told, sessions()).isEmpty()


def test_an_elapsed_time_far_above_its_limit_proves_a_pause(events, sessions):
    same(stage.paused(events("""
        ts           | kind                    | node_id | details
        10:00:00.000 | isr_updated             | 2       |
        10:01:10.000 | node_inflight_cancelled | 2       | time_elapsed_since_create_ms=69500;request_timeout_ms=30000
        10:01:20.000 | isr_updated             | 2       |                                                             """), sessions()),
        FAULTS, """
        kind   | code | broker_id | t0_low       | ts           | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:00.000 | 10:00:00.500 | 10:01:10.000 | 0.97       | e1,e2      """)  # fmt: skip


_WAKES = """
    ts           | kind                         | node_id | broker_id | details
    10:00:00.000 | isr_updated                  | 3       |           |
    10:00:10.000 | kraft_broker_session_timeout | 3       | 2         |
    {start}
    10:00:41.000 | node_inflight_cancelled      | 2       |           | time_elapsed_since_create_ms={elapsed};request_timeout_ms=30000
    10:00:42.000 | kraft_broker_unfence_granted | 3       | 2         | """


def test_a_node_whose_files_begin_as_it_wakes_was_paused_if_too_much_time_went_by(events, sessions):
    told = events(_WAKES.format(start="10:00:40.900 | any | 2 | |", elapsed=38500))
    lives = processes(told)
    lived = broker_sessions(told, lives)
    pauses = stage.paused(told, lived)
    same(stage.outages(told, lives, lived, pauses), FAULTS, """
        kind   | code | broker_id | t0_low       | ts           | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:02.400 | 10:00:02.400 | 10:00:40.900 | 0.97       | e3,e4    """)


@pytest.mark.parametrize(("start", "elapsed"), [("10:00:40.900 | any | 2 | |", 31_000), ("10:00:40.900 | broker_starting | 2 | |", 38_500)])
def test_nor_one_that_starts_then_or_lost_no_time(events, sessions, start, elapsed):
    assert stage.paused(events(_WAKES.format(start=start, elapsed=elapsed)), sessions()).isEmpty()


def test_a_zookeeper_that_takes_a_connection_and_says_nothing_is_waited_for_all_of_a_session(events, sessions):
    """That is no pause of the client, though it heard nothing for longer than a connected one may."""
    lines = """
        ts           | kind                 | node_id | details
        10:00:00     | zk_session_connected | 2       | timeout_ms=18000
        10:00:01     | log_rolled           | 2       |
        {before}
        10:00:34.100 | zk_client_timeout    | 2       | elapsed_ms=18016
        10:00:34.200 | zk_session_connected | 2       | timeout_ms=18000 """
    assert stage.paused(events(lines.format(before="10:00:16 | zk_client_timeout | 2 | elapsed_ms=12001")), sessions()).isEmpty()
    assert stage.paused(events(lines.format(before="")), sessions()).count() == 1


def test_a_garbage_collection_log_tells_of_the_pause_itself(events, sessions):

    def told(ms: float):
        return events(f"""
        ts           | kind        | node_id | details
        10:00:00.000 | isr_updated | 2       |
        10:00:12.300 | gc_pause    | 2       | duration_ms={ms};pause=Full
        10:00:12.400 | isr_updated | 2       |                             """).withColumn(
            "logger", F.when(F.col("kind") != "gc_pause", F.col("logger"))
        )

    found = stage.paused(told(11950.3), sessions())
    same(found, FAULTS, """
        kind   | code | broker_id | t0_low       | ts           | end_ts       | confidence | evidence
        paused | F04  | 2         | 10:00:00.000 | 10:00:00.450 | 10:00:12.400 | 0.97       | e1,e3,e2 """)  # fmt: skip
    assert "its garbage-collection log tells of a pause of 11950 ms" in found.collect()[0].because
    assert stage.paused(told(180.3), sessions()).isEmpty()


def test_a_session_that_ended_in_the_silence_leaves_a_pause_and_missing_lines_open(events, sessions):
    same(stage.paused(events(_SILENT), sessions("""
        broker_id | start_ts | end_ts   | ended_by        | evidence
        2         | 09:00:00 | 10:00:09 | session_timeout | fenced   """)),
        FAULTS, """
        kind   | code | broker_id | t0_low   | ts       | end_ts   | confidence | evidence
        silent | F00  | 2         | 10:00:00 | 10:00:00 | 10:00:20 | 0.5        | e1,e2,fenced """)  # fmt: skip


def test_a_follower_removed_in_its_silence_that_learns_of_it_later_fell_silent(events, sessions):
    told = """
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1,3 | old_isr=1,2,3
        10:00:20 | {waking}           | 2       |     |               """
    same(stage.paused(events(told.format(waking="fetch_fenced_epoch")), sessions()), FAULTS, """
        kind   | broker_id | ts       | end_ts   | confidence
        silent | 2         | 10:00:00 | 10:00:20 | 0.5        """)
    assert stage.paused(events(told.format(waking="isr_updated")), sessions()).isEmpty()


def test_the_word_of_a_leader_that_was_itself_cut_off_proves_nothing(events, sessions):
    assert stage.paused(events("""
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1,3 | old_isr=1,2,3
        10:00:20 | fetch_fenced_epoch | 2       |     |               """), sessions("""
        broker_id | start_ts | end_ts   | ended_by
        1         | 09:00:00 | 10:00:10 | session_timeout """)).isEmpty()  # fmt: skip


def test_the_word_of_a_leader_that_drops_several_followers_at_once_proves_nothing_of_one_of_them(events, sessions):
    assert stage.paused(events("""
        ts       | kind               | node_id | isr | details
        10:00:00 | isr_updated        | 2       |     |
        10:00:12 | isr_shrink         | 1       | 1   | old_isr=1,2,3
        10:00:20 | fetch_fenced_epoch | 2       |     |               """), sessions()).isEmpty()  # fmt: skip


def test_a_restart_is_no_pause(events, sessions):
    assert stage.paused(events("""
        ts       | kind            | node_id
        10:00:00 | isr_updated     | 2
        10:00:20 | broker_starting | 2       """), sessions("""
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 10:00:09 | session_timeout """)).isEmpty()  # fmt: skip


# F06, F07, F12: the session ended and the broker ran on

_TIMED_OUT = """
    broker_id | start_ts | end_ts   | ended_by        | evidence
    2         | 09:00:00 | 10:00:09 | session_timeout | fenced
    2         | 10:01:00 |          |                 | back     """


@pytest.mark.parametrize(
    ("kind", "code", "where"),
    [
        ("zk_client_timeout", "F07", "ZooKeeper"),
        ("broker_heartbeat_failed", "F06", "the controllers"),
        ("isr_updated", "F12", "none of its lines says"),
    ],
)
def test_the_brokers_own_lines_say_what_it_could_not_reach(events, sessions, known, kind, code, where):
    found = stage.cut_off(events(f"""
        ts       | kind               | node_id
        09:00:00 | process_start_line | 2
        10:00:05 | {kind}             | 2
        10:00:30 | any                | 2       """), sessions(_TIMED_OUT), known())  # fmt: skip
    first = "10:00:05" if code != "F12" else "10:00:09"
    same(found, FAULTS, f"""
        kind    | code   | broker_id | ts      | end_ts
        cut_off | {code} | 2         | {first} | 10:01:00 """)
    assert where in found.first().because


def test_a_broker_known_to_have_stood_still_was_not_cut_off(events, sessions, known):
    assert stage.cut_off(events("ts"), sessions(_TIMED_OUT), known("""
        kind   | broker_id | t0_low   | ts       | end_ts
        paused | 2         | 10:00:00 | 10:00:00 | 10:00:20 """)).isEmpty()  # fmt: skip


def test_a_broker_that_also_drops_its_followers_was_cut_from_its_peers_too(events, sessions, known):
    found = stage.cut_off(events("""
        ts       | kind                    | node_id | isr | topic  | partition
        10:00:05 | broker_heartbeat_failed | 2       |     |        |
        10:00:12 | isr_shrink              | 2       | 2   | orders | 3         """), sessions(_TIMED_OUT), known())  # fmt: skip
    same(found, FAULTS, """
        code | broker_id
        F06  | 2         """)
    assert "its replication with its peers was broken as well" in found.first().because


# F05, F13: nobody's session ended, ISRs shrank


def test_a_follower_that_leaders_drop_while_all_else_is_well_is_slow(events, known):
    same(stage.lagging(events("""
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 2       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3
        10:00:12 | isr_shrink | 2       | orders | 1         | 1,2 | old_isr=1,2,3 """), known(), known()),
        FAULTS, """
        kind          | code | broker_id | ts       | end_ts   | partitions        | evidence
        slow_follower | F13  | 3         | 10:00:10 | 10:00:12 | orders-0,orders-1 | e3,e4    """)  # fmt: skip


@pytest.mark.parametrize(("first", "slow"), [("any", False), ("process_start_line", True)])
def test_what_a_leader_does_as_its_files_begin_may_follow_from_what_went_before(events, known, first, slow):
    found = stage.lagging(events(f"""
        ts       | kind       | node_id | topic  | partition | isr | details
        10:00:00 | {first}    | 1       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """), known(), known())  # fmt: skip
    assert [row.code for row in found.collect()] == ["F13"] * slow


def test_a_session_that_ends_as_its_brokers_files_begin_does_not_tell_why(events, sessions, known):
    assert stage.cut_off(events("""
        ts       | kind        | node_id
        10:00:05 | isr_updated | 2
        10:00:30 | any         | 2       """), sessions(_TIMED_OUT), known()).isEmpty()  # fmt: skip


def test_a_leader_that_drops_all_while_others_drop_it_is_cut_from_its_peers(events, known):
    same(stage.lagging(events("""
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        09:00:00 | any        | 2       |        |           |     |
        09:00:00 | any        | 3       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1   | old_isr=1,2,3
        10:00:11 | isr_shrink | 2       | orders | 1         | 2,3 | old_isr=1,2,3
        10:00:12 | isr_shrink | 3       | orders | 2         | 2,3 | old_isr=1,2,3 """), known(), known()),
        FAULTS, """
        kind           | code | broker_id
        cut_from_peers | F05  | 1         """)  # fmt: skip


def test_two_brokers_that_only_drop_each_other_are_cut_from_each_other(events, known):
    told = """
        ts       | kind       | node_id | topic  | partition | isr   | details
        09:00:00 | any        | 1       |        |           |       |
        09:00:00 | any        | 2       |        |           |       |
        09:00:00 | any        | 3       |        |           |       |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2   | old_isr=1,2,3
        10:00:11 | isr_shrink | 3       | orders | 2         | 2,3   | old_isr=1,2,3 """
    same(stage.lagging(events(told), known(), known()), FAULTS, """
        kind           | code | broker_id
        cut_from_peers | F05  | 1
        cut_from_peers | F05  | 3         """)
    same(stage.lagging(events(told + """
        10:00:12 | isr_shrink | 2       | orders | 1         | 1,2   | old_isr=1,2,3 """), known(), known()), FAULTS, """
        kind          | code | broker_id
        slow_follower | F13  | 1
        slow_follower | F13  | 3         """)  # fmt: skip


ONE_LEADER = """
        ts       | kind       | node_id | topic  | partition | isr   | details
        09:00:00 | any        | 1       |        |           |       |
        09:00:00 | any        | 2       |        |           |       |
        09:00:00 | any        | 3       |        |           |       | """


def test_a_leader_that_drops_all_its_followers_at_once_while_nobody_else_drops_them_is_cut_from_its_peers(events, known):
    same(stage.lagging(events(ONE_LEADER + """
        10:00:10 | isr_shrink | 1       | orders | 0         | 1     | old_isr=1,2,3
        10:00:10 | isr_shrink | 1       | orders | 3         | 1     | old_isr=1,2,3 """), known(), known()),
        FAULTS, """
        kind           | code | broker_id | confidence | partitions
        cut_from_peers | F05  | 1         | 0.6        | orders-0,orders-3 """)  # fmt: skip


def test_followers_that_a_leader_drops_one_after_the_other_are_slow_each(events, known):
    same(stage.lagging(events(ONE_LEADER + """
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2   | old_isr=1,2,3
        12:00:10 | isr_shrink | 1       | orders | 0         | 1     | old_isr=1,2 """), known(), known()),
        FAULTS, """
        kind          | code | broker_id
        slow_follower | F13  | 2
        slow_follower | F13  | 3         """)  # fmt: skip


def test_a_shrink_that_a_known_fault_explains_is_no_fault_of_its_own(events, known):
    assert stage.lagging(events("""
        ts       | kind       | node_id | topic  | partition | isr | details
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """), known("""
        kind   | broker_id | t0_low   | ts       | end_ts
        killed | 3         | 10:00:00 | 10:00:01 | 10:00:40 """), known()).isEmpty()  # fmt: skip


@pytest.mark.parametrize("kind", ["out_of_memory", "authentication_failed", "clock_stepped"])
def test_a_leader_that_cannot_replicate_or_tell_the_time_makes_no_follower_slow(events, known, kind):
    assert stage.lagging(events("""
        ts       | kind       | node_id | topic  | partition | isr | details
        09:00:00 | any        | 1       |        |           |     |
        10:00:10 | isr_shrink | 1       | orders | 0         | 1,2 | old_isr=1,2,3 """), known(), known(f"""
        kind   | broker_id | t0_low   | ts       | end_ts
        {kind} | 1         | 10:00:00 | 10:00:00 | 10:00:00 """)).isEmpty()  # fmt: skip


def test_a_broker_that_a_leader_out_of_memory_drops_did_not_fall_silent(events, sessions):
    """It had nothing to say for a while; its request to that leader then timed out."""
    told = """
        ts       | kind                 | node_id | topic  | partition | isr | details       | message
        10:00:00 | any                  | 3       |        |           |     |               |
        10:00:05 | thread_error         | 1       |        |           |     |               | {said}
        10:00:10 | isr_shrink           | 1       | orders | 0         | 1,2 | old_isr=1,2,3 |
        10:00:20 | node_request_timeout | 3       |        |           |     |               |         """
    assert stage.paused(events(told.format(said="java.lang.OutOfMemoryError: Java heap space")), sessions()).isEmpty()
    assert [row.code for row in stage.paused(events(told.format(said="java.io.EOFException")), sessions()).collect()] == ["F00"]


# Disks, credentials, memory, and what operators ask for


def test_a_log_directory_that_its_broker_gave_up(events):
    told = events("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: Input/output error
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1                                                   """)
    same(stage.log_dirs_failed(told, processes(told)), FAULTS, """
        kind           | code | broker_id | ts
        log_dir_failed | F14  | 2         | 10:05:00 """)


def test_a_full_disk_is_said(events):
    told = events("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: No space left on device
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1                                                        """)
    same(stage.log_dirs_failed(told, processes(told)), FAULTS, """
        code | broker_id
        F15  | 2         """)


def test_an_error_of_a_directory_as_the_broker_stops_is_no_failure(events):
    told = events("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | process_signal        | 2       |
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1 """)
    assert stage.log_dirs_failed(told, processes(told)).isEmpty()


WITHOUT_ZOOKEEPER = """
    ts           | kind                   | node_id | details
    10:00:00     | zk_session_connected   | 1       |
    10:00:00     | zk_session_connected   | 2       |
    10:05:00     | zk_client_timeout      | 1       | session_id=0x1;elapsed_ms=4000
    10:05:02     | zk_client_disconnected | 1       | session_id=0x1
    {back_1}     | {found_1}              | 1       |
    10:05:01     | zk_client_disconnected | 2       | session_id={session_2}
    10:05:09     | zk_session_connected   | 2       | """


@pytest.mark.parametrize("found_1, back_1, session_2, brokers", [
    ("zk_session_connected", "10:05:10", "0x2", [1, 2]),
    ("zk_session_connected", "10:05:02.5", "0x2", [2]),  # at once: nothing was amiss but that broker
    ("zk_session_expired", "10:05:10", "0x2", [1, 2]),
    ("zk_session_connected", "10:05:10", "0x0", [1]),  # not connected before
])  # fmt: skip
def test_brokers_without_zookeeper(events, known, found_1, back_1, session_2, brokers):
    told = events(WITHOUT_ZOOKEEPER.format(found_1=found_1, back_1=back_1, session_2=session_2))
    found = stage.out_of_touch(told, known())
    rows = {row["broker_id"]: row for row in found.collect()}
    assert sorted(rows) == brokers and {row["code"] for row in rows.values()} == {"F07"}
    assert all(("neither could" in row["because"]) == (len(brokers) > 1) for row in rows.values())
    if 1 in rows:
        assert (rows[1]["ts"] - rows[1]["t0_low"]).total_seconds() == 4 and rows[1]["end_ts"] > rows[1]["ts"]
        assert ("its session expired" in rows[1]["because"]) == (found_1 == "zk_session_expired")
    paused = known("""
        kind   | broker_id | ts       | end_ts
        paused | 1         | 10:04:50 | 10:05:00 """)
    assert [row["broker_id"] for row in stage.out_of_touch(told, paused).collect()] == [b for b in brokers if b != 1]


def test_isr_writes_that_zookeeper_refuses_again_and_again(events):
    """Once is a race that the next attempt wins; a leader that works on an old state never wins."""
    told = """
        ts       | kind                           | node_id | topic  | partition
        10:00:01 | isr_update_zk_version_conflict | 2       | orders | 0
        10:00:02 | isr_update_zk_version_conflict | 2       | orders | 0
        {third}  | isr_update_zk_version_conflict | 2       | orders | {partition} """
    assert stage.isr_updates_stuck(events(told.format(third="10:00:03", partition=1))).isEmpty()
    same(stage.isr_updates_stuck(events(told.format(third="10:00:03", partition=0))), FAULTS, """
        code | broker_id | ts       | end_ts   | partitions
        F22  | 2         | 10:00:01 | 10:00:03 | orders-0   """)


def test_requests_of_operators_are_told(events):
    same(stage.reassigned(events("""
        ts       | kind                         | node_id | topic  | partition
        10:00:00 | kraft_reassignment_replayed  | 101     | orders | 0
        10:00:01 | kraft_reassignment_replayed  | 101     | orders | 1
        10:10:00 | kraft_reassignment_replayed  | 101     | clicks | 0         """)),
        FAULTS, """
        kind       | code | ts       | end_ts   | partitions
        reassigned | F18  | 10:00:00 | 10:00:01 | orders-0,orders-1
        reassigned | F18  | 10:10:00 | 10:10:00 | clicks-0          """)  # fmt: skip
    same(stage.topics_deleted(events("""
        ts       | kind                | node_id | topic
        10:00:00 | kraft_topic_removed | 101     | scratch """)),
        FAULTS, """
        kind          | code | ts
        topic_deleted | F19  | 10:00:00 """)  # fmt: skip


def test_a_metadata_version_told_at_a_start_is_no_change(events, spark):
    told = events("""
        ts       | kind                            | node_id | details
        10:00:00 | broker_starting                 | 101     |
        10:00:02 | kraft_metadata_version_replayed | 101     | metadata_version=3.8-IV0
        11:00:00 | kraft_metadata_version_replayed | 101     | metadata_version=3.9-IV0 """)
    same(stage.metadata_version_changed(told, processes(told)), FAULTS, """
        code | ts
        F28  | 11:00:00 """)


EMPTY_AGAIN = """
        ts       | kind                  | node_id | topic  | partition | details
        10:00:00 | log_manager_load_done | 1       |        |           | num_logs=0
        10:00:09 | leader_start          | 1       | orders | 0         |
        10:00:09 | follower_start        | 1       | orders | 1         |
        10:30:00 | log_manager_load_done | 1       |        |           | num_logs={logs}
        10:30:09 | leader_start          | {node}       | orders | 0         | """


@pytest.mark.parametrize(("logs", "node"), [(2, 1), (0, 2)], ids=["it-finds-its-logs", "nothing-of-what-it-held-is-given-to-it-again"])
def test_a_start_without_logs_is_no_fault_by_itself(events, logs, node):
    assert stage.log_dirs_empty(events(EMPTY_AGAIN.format(logs=logs, node=node))).isEmpty()


def test_a_broker_that_comes_back_without_the_logs_it_held_lost_its_directories(events):
    same(stage.log_dirs_empty(events(EMPTY_AGAIN.format(logs=0, node=1))), FAULTS, """
        kind           | code | broker_id | ts       | end_ts   | partitions | evidence
        log_dirs_empty | F14  | 1         | 10:30:00 | 10:30:00 | orders-0   | e4,e2,e5 """)  # fmt: skip


def test_out_of_memory_and_refused_credentials(events):
    same(stage.out_of_memory(events("""
        ts       | kind         | node_id | message
        10:00:00 | thread_error | 2       | Uncaught exception: java.lang.OutOfMemoryError: Java heap space """)),
        FAULTS, """
        code | broker_id
        F26  | 2         """)  # fmt: skip
    same(stage.authentication_failed(events("""
        ts       | kind             | node_id | broker_id | details
        10:00:00 | node_auth_failed | 2       | 1         | error=bad certificate
        10:00:01 | node_auth_failed | 2       | 1         | error=bad certificate
        10:00:01 | node_auth_failed | 3       | -1        | error=bad certificate """)),
        FAULTS, """
        code | broker_id
        F27  | 2         """)  # fmt: skip


def test_who_alone_is_in_all_refused_connections_is_the_one_that_cannot_authenticate(events):
    """1 and 3 fail with 2 alone, as the peers of a broker whose certificate they do not trust do."""
    same(stage.authentication_failed(events("""
        ts       | kind             | node_id | broker_id | details
        10:00:00 | node_auth_failed | 2       | 1         |
        10:00:01 | node_auth_failed | 2       | 3         | error=handshake failed
        10:00:02 | node_auth_failed | 1       | 2         | error=handshake failed
        10:00:03 | node_auth_failed | 3       | 2         | error=handshake failed
        10:00:04 | node_auth_failed | 3       | 2         | error=handshake failed """)),
        FAULTS, """
        broker_id | ts       | end_ts   | because
        2         | 10:00:00 | 10:00:04 | 2 connections of node 2 to nodes 1 and 3 and 3 connections of nodes 1 and 3 to node 2 failed authentication ("handshake failed") """)  # fmt: skip


def test_peers_of_a_broker_that_dies_have_no_wrong_credentials(events):
    """Connections to it that end in the middle of a handshake give no reason; in TLS clusters a few of them are seen at every death."""
    assert stage.authentication_failed(events("""
        ts       | kind             | node_id | broker_id
        10:00:00 | node_auth_failed | 2       | 1
        10:00:01 | node_auth_failed | 3       | 1         """)).isEmpty()


# F11: no majority of the voters

_SEEKING = """
    ts       | kind               | node_id | message
    10:00:00 | raft_transition    | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=4)
    10:01:00 | raft_become_candidate | 2    |
    10:01:10 | raft_become_candidate | 3    |
    10:01:20 | raft_become_candidate | 2    |
    {role}
    10:02:00 | raft_transition    | 2       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=9) """


@pytest.mark.parametrize(
    ("role", "lost"),
    [
        ("10:01:12 | leader_start | 2 |", True),  # one of the seekers itself: it starts and replays what it knew
        ("10:01:12 | leader_start | 4 |", False),  # a broker that is told of new roles has a controller
        ("10:01:01 | leader_start | 4 |", True),  # applied late: decided before
        ("10:01:12 | node_connect_error | 1 |", False),  # the leader seeks none and goes on
        ("10:01:12 | process_start_line | 1 |", True),  # it comes back from the dead
    ],
)
def test_a_quorum_is_lost_if_nobody_has_a_leader_while_voters_seek_one(events, known, role, lost):
    told = events(_SEEKING.format(role=role))
    found = stage.quorum_lost(told).collect()
    assert [(row.kind, row.code) for row in found] == [("quorum_lost", "F11")] * lost
    if lost:
        assert "3 attempts of nodes 2 and 3" in found[0].because
    cut = stage.out_of_touch(told, known()).collect()
    assert [(row.code, row.broker_id) for row in cut] == [("F10", node) for node in (2, 3) if not lost]
    paused = known("""
        kind   | broker_id | ts       | t0_low   | end_ts
        paused | 2         | 10:01:10 | 10:00:50 | 10:01:10 """)
    assert [row.broker_id for row in stage.out_of_touch(told, paused).collect()] == ([] if lost else [3])
