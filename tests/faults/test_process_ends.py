"""Processes that ended: killed, or stopped in order (facts §5.1, F01, F02)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from replay.facts.window import TimeWindow
from replay.faults.outages import outages
from replay.faults.process_ends import ended_before_logs, killed, stopped
from replay.tables.faults import FAULTS, WITNESSES
from replay.tables.row import Row
from tests.faults.given import facts, sessions, timings, unknown
from tests.tables import DAY, rows, same_rows

# Broker 2 ended between its last line and its next start, and no peer logged it.
DIED_UNNOTICED = """
    ts           | kind                     | node_id
    10:00:00.000 | broker_starting          | 2
    10:05:00.000 | isr_shrink               | 2
    10:06:00.000 | broker_starting          | 2
    10:06:02.000 | log_dir_unclean_shutdown | 2       """


def test_a_kill_is_dated_by_the_first_peer_that_misses_it(lives):
    told = facts("""
        ts           | kind                     | node_id | broker_id
        10:00:00.000 | broker_starting          | 2       |
        10:05:00.000 | isr_shrink               | 2       |
        10:05:00.040 | fetch_send_error         | 1       | 2
        10:05:09.000 | fetch_send_error         | 3       | 2
        10:06:00.000 | broker_starting          | 2       |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           """)
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        kind   | code | broker_id | began_low       | ts           | end_ts       | confidence | evidence
        killed | F01  | 2         | 10:05:00.000 | 10:05:00.040 | 10:06:00.000 | 0.98       | e2,e3,e5,e6 """,
    )


def test_a_peer_that_was_started_later_finds_a_broker_gone_and_does_not_know_since_when(lives, said):
    """All lost power at once; 3 is back first, and cannot reach 2."""
    told = facts("""
        ts           | kind                     | node_id | broker_id | message
        10:00:00.000 | broker_starting          | 2       |           |
        10:00:00.000 | broker_starting          | 3       |           |
        10:05:00.000 | isr_shrink               | 2       |           |
        10:05:01.000 | isr_shrink               | 3       |           |
        10:05:20.000 | broker_starting          | 3       |           |
        10:05:22.000 | node_connect_failed      | 3       | 2         | Connection to node 2 (/10.0.0.2:9092) could not be established.
        10:05:40.000 | broker_starting          | 2       |           |
        10:05:41.000 | log_dir_unclean_shutdown | 2       |           |
        10:05:41.000 | log_dir_unclean_shutdown | 3       |           | """)
    found = killed(told, lives(told), sessions(), timings())
    same_rows(
        [one for one in found if one.broker_id == 2],
        FAULTS,
        """
        kind   | broker_id | began_low | ts       | began_high | end_ts
        killed | 2         | 10:05:00  | 10:05:22 | 10:05:22   | 10:05:40 """,
    )
    (why,) = said([one for one in found if one.broker_id == 2])
    assert "; node 3 could not reach it at 10:05:22.000;" in why
    assert "lost their connection" not in why


LOST = """
        broker_id | start_ts | end_ts   | ended_by | evidence
        2         | 10:00:05 | 10:05:09 | crash    | fenced   """


def test_a_peer_that_could_not_reach_a_broker_before_notices_no_death(lives):
    """The link from 3 to 2 is cut since 10:04:50: its tries go on failing every two seconds, dead or alive."""
    told = facts("""
        ts           | kind                     | node_id | broker_id
        10:00:00.000 | broker_starting          | 2       |
        10:04:50.000 | fetch_send_error         | 3       | 2
        10:04:58.500 | fetch_send_error         | 3       | 2
        10:05:00.000 | isr_shrink               | 2       |
        10:05:00.500 | fetch_send_error         | 3       | 2
        10:05:01.300 | fetch_send_error         | 1       | 2
        10:06:00.000 | broker_starting          | 2       |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           """)
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low    | ts           | evidence
        killed | 2         | 10:05:00.000 | 10:05:01.300 | e4,e6,e7,e8 """,
    )


def test_a_peer_that_a_starting_node_refused_has_reached_it_since_if_it_was_silent_for_long(lives):
    """Recorded on 4.4.0: refused while broker 2 started, then 28 s without a failure, then its death."""
    told = facts("""
        ts           | kind                     | node_id | broker_id | message
        10:00:00.000 | broker_starting          | 2       |           |
        10:00:02.000 | node_connect_failed      | 1       | 2         | Connection to node 2 (/10.0.0.2:9092) could not be established.
        10:00:12.000 | isr_shrink               | 2       |           |
        10:00:30.300 | node_disconnected        | 1       | 2         | Node 2 disconnected.
        10:01:00.000 | broker_starting          | 2       |           |
        10:01:02.000 | log_dir_unclean_shutdown | 2       |           |""")
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low    | began_high   | end_ts
        killed | 2         | 10:00:29.800 | 10:00:30.300 | 10:01:00 """,
    )


def test_that_a_client_turned_to_another_controller_is_no_cut_link(lives):
    """The connection that it ended by itself 15 s before the death was no failure."""
    told = facts("""
        ts           | kind                     | node_id | broker_id | message
        10:00:00.000 | broker_starting          | 2       |           |
        10:04:46.000 | node_disconnected        | 3       |           | [NodeToControllerChannelManager id=3 name=heartbeat] Client requested disconnect from node 2
        10:04:50.000 | isr_shrink               | 2       |           |
        10:05:00.500 | node_disconnected        | 3       |           | [ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Node 2 disconnected.
        10:06:00.000 | broker_starting          | 2       |           |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           |""")
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low    | ts
        killed | 2         | 10:05:00.000 | 10:05:00.500 """,
    )


def test_a_kill_whose_session_outlives_the_next_start_is_dated_by_that(lives):
    """And of the session the end proves it, not the registration that it began with."""
    told = facts("""
        ts           | kind            | node_id
        10:00:00.000 | broker_starting | 2
        10:05:00.000 | isr_shrink      | 2
        10:05:04.000 | broker_starting | 2
        10:09:00.000 | any             | 2       """)
    same_rows(
        killed(told, lives(told), sessions(LOST.replace("fenced  ", "registered,fenced")), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low   | ts       | end_ts   | evidence
        killed | 2         | 10:05:00 | 10:05:04 | 10:05:04 | e2,fenced,e3 """,
    )


def idle(ended: str):
    """Broker 2 has nothing to print for half a minute, and no peer fetches from it: only its session tells of its end."""
    return facts(f"""
        ts           | kind                       | node_id | broker_id | event_id
        09:00:00.000 | kraft_controller_activated | 1       |           | active
        10:00:00.000 | broker_starting            | 2       |           | e1
        10:04:33.000 | isr_updated                | 2       |           | e2
        {ended}
        10:06:00.000 | broker_starting            | 2       |           | e3
        10:06:02.000 | log_dir_unclean_shutdown   | 2       |           | e4 """)


@pytest.mark.parametrize(
    ("ended", "began_low", "began_high"),
    [
        # KRaft: the last heartbeat was 9 s before, noticed an eighth of that later at most; the next was due 2 s after it
        ("10:05:09.000 | kraft_broker_session_timeout | 1 | 2 | fenced", "10:04:57.875", "10:05:03.000"),
        # ZooKeeper, session of 18 s: the last ping was 18 s before or more, the next due 6 s after it
        ("10:05:09.000 | controller_broker_change | 1 | | fenced", "10:04:33.000", "10:04:58.000"),
        # a controller that has just become active counts anew
        (
            "10:05:00.000 | kraft_controller_activated | 1 | | a\n10:05:09.000 | kraft_broker_session_timeout | 1 | 2 | fenced",
            "10:04:33.000",
            "10:05:09.000",
        ),
        # no controller's own line tells when it was missed
        ("10:05:09.000 | any | 1 | 2 | fenced", "10:04:33.000", "10:05:09.000"),
    ],
)
def test_a_death_lies_before_the_last_moment_that_its_session_allows(lives, ended, began_low, began_high):
    told = idle(ended)
    same_rows(
        killed(told, lives(told), sessions(LOST), timings()),
        FAULTS,
        f"""
        kind   | broker_id | began_low   | began_high   | ts           | end_ts
        killed | 2         | {began_low} | {began_high} | 10:05:09.000 | 10:06:00.000 """,
    )


A_CONTROLLER_DIES = """
    ts       | kind               | node_id | message
    10:00:00 | process_start_line | 101     |
    10:00:05 | any                | 101     |
    10:00:22 | node_disconnected  | 103     | [RaftManager nodeId=103] Node 101 disconnected.
    10:01:00 | process_start_line | 101     |
    10:01:09 | any                | 101     | """


def test_a_controller_that_dies_is_dated_by_the_voter_whose_connection_to_it_closed(lives):
    """A fetcher names its leader in its prefix, a voter the other in the text alone."""
    told = facts(A_CONTROLLER_DIES)
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low    | ts       | end_ts   | evidence
        killed | 101       | 10:00:21.500 | 10:00:22 | 10:01:00 | e2,e3,e4 """,
    )


@pytest.mark.parametrize(("since", "began"), [("09:59:00", "10:00:21.500"), ("10:00:10", "10:00:05")])
def test_a_peer_dates_no_death_where_its_first_failures_may_lie_before_the_window(lives, since, began):
    told = facts(A_CONTROLLER_DIES)
    window = TimeWindow(datetime.fromisoformat(f"{DAY}T{since}").replace(tzinfo=UTC))
    same_rows(
        killed(told, lives(told), sessions(), timings(), window=window),
        FAULTS,
        f"""
        kind   | broker_id | began_low | ts       | end_ts
        killed | 101       | {began}   | 10:00:22 | 10:01:00 """,
    )


def never_back(message=""):
    """Broker 2 falls silent at 10:05:00 and does not come back; broker 1 prints a line about it."""
    return facts(f"""
        ts           | kind             | node_id | broker_id | message
        10:00:00.000 | broker_starting  | 2       |           |
        10:05:00.000 | isr_shrink       | 2       |           |
        10:05:00.040 | fetch_send_error | 1       | 2         | {message} """)


def test_a_broker_that_goes_silent_while_nobody_misses_it_has_no_fault(lives):
    told = never_back()
    assert killed(told, lives(told), sessions(), timings()) == []


@pytest.mark.parametrize(
    "message",
    [
        "Node 2 disconnected.",
        "Connection to node 2 (/10.0.0.2:9092) could not be established. Broker may not be available.",
    ],
)
def test_a_broker_that_never_comes_back_is_killed_if_its_connections_were_closed_or_refused(lives, message):
    told = never_back(message)
    same_rows(
        killed(told, lives(told), sessions(LOST), timings()),
        FAULTS,
        """
        kind   | code | broker_id | began_low | ts           | end_ts | confidence | unknowns
        killed | F01  | 2         | 10:05:00  | 10:05:00.040 |        | 0.7        | []       """,
    )


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Client requested connection close from node 2",
        "Cancelled in-flight FETCH request with correlation id 5 due to node 2 being disconnected (elapsed time since creation: 7718ms)",
    ],
)
def test_a_broker_that_never_comes_back_and_whose_connections_stay_open_only_fell_silent(lives, message):
    told = never_back(message)
    found = killed(told, lives(told), sessions(LOST), timings())
    same_rows(
        found,
        FAULTS,
        """
        kind   | code | broker_id | began_low   | ts           | end_ts | confidence
        silent | F00  | 2         | 10:05:00 | 10:05:00.040 |        | 0.5        """,
    )
    assert "fenced" in found[0].evidence
    assert "froze" in unknown(found)[0]


def test_nodes_that_go_silent_at_once_say_so_of_each_other(lives, said):
    told = facts("""
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
    first, second, third = said([one.but(ts=one.began_low) for one in killed(told, lives(told), sessions(), timings())])
    shared = "died within 5 s of it: look for what they share"
    assert first.endswith(f"node 4 lost its connection to it at 10:05:00.000; node 2 {shared}")
    assert second == f"node 2 stopped logging without a shutdown message (last line 10:05:03.000); node 1 {shared}"
    assert third.endswith("(last line 10:05:09.500)")  # after 6.5 s


@pytest.mark.parametrize(("since", "are_told"), [("10:04:00", True), ("10:05:00", False)])
def test_when_nodes_died_is_no_coincidence_where_they_may_have_been_missed_before_the_window(
    lives, said, since, are_told
):
    told = facts("""
        ts           | kind             | node_id | broker_id
        10:00:00.000 | broker_starting  | 1       |
        10:00:00.000 | broker_starting  | 2       |
        10:04:30.000 | isr_shrink       | 1       |
        10:04:50.000 | isr_shrink       | 2       |
        10:05:00.010 | fetch_send_error | 4       | 1
        10:05:00.020 | fetch_send_error | 4       | 2
        10:06:00.000 | broker_starting  | 1       |
        10:06:00.000 | broker_starting  | 2       |           """)
    window = TimeWindow(datetime.fromisoformat(f"{DAY}T{since}").replace(tzinfo=UTC))
    found = said(killed(told, lives(told), sessions(), timings(), window=window))
    assert ["look for what they share" in one for one in found] == [are_told, are_told]


def test_a_process_that_halted_itself_is_no_riddle(lives, said):
    """It says why. Its connections were closed before its last line: the failed fetch after it is a new attempt."""
    told = facts("""
        ts       | kind                   | node_id | broker_id | message                           | details
        10:00:00 | broker_starting        | 2       |           |                                   |
        10:05:00 | process_startup_failed | 2       |           | Fatal error during broker startup | exception=org.apache.kafka.common.config.ConfigException: no such file
        10:05:01 | fetch_send_error       | 4       | 2         |                                   |
        10:06:00 | broker_starting        | 2       |           |                                   | """)
    found = killed(told, lives(told), sessions(), timings())
    same_rows(
        found,
        FAULTS,
        """
        kind   | code | broker_id | ts       | end_ts
        halted | F01  | 2         | 10:05:00 | 10:06:00 """,
    )
    quoted = '"Fatal error during broker startup: org.apache.kafka.common.config.ConfigException: no such file"'
    assert said(found) == [f"node 2 stopped itself after a fatal error (last line 10:05:00.000): {quoted}"]


def test_a_zookeeper_server_dates_a_kill_by_the_session_that_broke(lives):
    told = facts("""
        ts           | kind                      | node_id | details
        10:00:00.000 | broker_starting           | 2       |
        10:00:01.000 | zk_session_connected      | 2       | session_id=0x1000000A
        10:05:00.000 | isr_shrink                | 2       |
        10:05:00.030 | zookeeper_connection_lost | 0       | session_id=0x1000000a
        10:06:00.000 | broker_starting           | 2       |                       """)
    same_rows(
        killed(told, lives(told), sessions(), timings()),
        FAULTS,
        """
        broker_id | began_low       | ts
        2         | 10:05:00.000 | 10:05:00.030 """,
    )


@pytest.mark.parametrize(
    ("message", "host_ran"),
    [
        ("Unable to read additional data from client, it probably closed the socket: session = 0x1000000a", True),
        ("Exception causing close of session 0x1000000a: Connection reset by peer", False),
    ],
)
def test_a_connection_that_the_kernel_ended_shows_that_the_host_ran(lives, message, host_ran):
    """A host without power closes nothing: ZooKeeper reads no end of stream."""
    told = facts(f"""
        ts           | kind                      | node_id | details               | message
        10:00:00.000 | broker_starting           | 2       |                       |
        10:00:01.000 | zk_session_connected      | 2       | session_id=0x1000000A |
        10:05:00.000 | isr_shrink                | 2       |                       |
        10:05:00.030 | zookeeper_connection_lost | 0       | session_id=0x1000000a | {message}
        10:06:00.000 | broker_starting           | 2       |                       |            """)
    (found,) = killed(told, lives(told), sessions(), timings())
    assert ("host_ran" in found.arguments) is host_ran


@pytest.mark.parametrize(
    ("line", "open_ms", "said_so"),
    [
        ("[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Node 2 disconnected.", 67, True),
        ("[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Node 2 disconnected.", 30_017, False),
        ("[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Client requested disconnect from node 2", 67, False),
        (
            "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Disconnecting from node 2 due to request timeout.",
            67,
            False,
        ),
    ],
)
def test_a_fetch_that_the_end_of_its_connection_cancels_at_once_shows_that_the_host_ran(lives, line, open_ms, said_so):
    """The leader had answered the fetch before it less than a second ago; a host without power sends no end of stream."""
    cancelled = "[ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Cancelled in-flight FETCH request"
    told = facts(f"""
        ts           | kind                    | node_id | broker_id | details                                              | message
        10:00:00.000 | broker_starting         | 2       |           |                                                      |
        10:05:00.000 | isr_shrink              | 2       |           |                                                      |
        10:05:00.053 | node_disconnected       | 3       | 2         |                                                      | {line}
        10:05:00.054 | node_inflight_cancelled | 3       | 2         | api_key=FETCH;time_elapsed_since_send_ms={open_ms}   | {cancelled}
        10:06:00.000 | broker_starting         | 2       |           |                                                      |         """)
    (found,) = killed(told, lives(told), sessions(), timings())
    assert ("host_ran" in found.arguments) is said_so
    assert (found.arguments.get("peer"), found.arguments.get("open_ms")) == (("3", "67") if said_so else (None, None))


def test_an_ordered_stop_is_no_kill(lives):
    told = facts("""
        ts       | kind                 | node_id
        10:00:00 | broker_starting      | 2
        10:05:00 | process_signal       | 2
        10:05:03 | broker_shutdown_done | 2
        10:06:00 | broker_starting      | 2       """)
    assert killed(told, lives(told), sessions(), timings()) == []
    same_rows(
        stopped(lives(told)),
        FAULTS,
        """
        kind    | code | broker_id | ts       | began_low   | end_ts   | evidence
        stopped | F02  | 2         | 10:05:00 | 10:05:00 | 10:06:00 | e2,e3,e4 """,
    )


@pytest.mark.parametrize(
    ("last", "next_finds", "kind"),
    [
        ("any", "log_dir_unclean_shutdown", "stop_cut_short"),
        ("broker_shutdown_done", "log_dir_unclean_shutdown", "stopped_uncleanly"),
        ("any", "log_dir_clean_shutdown", "stopped"),
        ("any", "any", "stopped"),
    ],
)
def test_a_stop_that_did_not_get_to_its_end_was_cut_short(lives, said, last, next_finds, kind):
    """SIGTERM, and SIGKILL before the shutdown was done (recorded anew: 3.9.1). Where a line of the end is only missing, nothing is said.
    A stop that came to its end leaves no marker in a log directory that it could not write to (recorded: a full disk, 2.8.2).
    """
    told = facts(f"""
        ts           | kind                             | node_id
        10:00:00.000 | broker_starting                  | 2
        10:05:00.000 | process_signal                   | 2
        10:05:00.020 | broker_controlled_shutdown_begin | 2
        10:05:30.000 | {last}                           | 2
        10:06:00.000 | broker_starting                  | 2
        10:06:01.000 | {next_finds}                     | 2       """)
    found = stopped(lives(told))
    same_rows(found, FAULTS, f"kind | code | broker_id | ts | end_ts\n{kind} | F02 | 2 | 10:05:00.000 | 10:06:00.000")
    assert ("was killed before its shutdown was complete (last line 10:05:30.000)" in said(found)[0]) is (
        kind == "stop_cut_short"
    )
    no_marker = "its next start found no clean-shutdown marker in at least one log directory"
    assert (no_marker in said(found)[0]) is (kind == "stopped_uncleanly")
    assert ("e6" in found[0].evidence) is (next_finds != "any")


def test_a_complete_stop_that_marked_only_some_directories_is_no_second_failure(lives, said):
    """Recorded (2.8.2): the directory had failed before these logs begin, so only its missing marker shows that."""
    told = facts("""
        ts       | kind                     | node_id
        10:05:00 | process_signal           | 2
        10:05:30 | broker_shutdown_done     | 2
        10:06:00 | broker_starting          | 2
        10:06:01 | log_dir_clean_shutdown   | 2
        10:06:01 | log_dir_unclean_shutdown | 2       """)
    found = stopped(lives(told))
    same_rows(found, FAULTS, "kind | code | broker_id\nstopped_with_failed_disk | F02 | 2")
    assert "found the clean-shutdown marker in some log directories but not in all" in said(found)[0]


def test_a_stop_whose_end_is_not_here_is_reported_as_one_that_was_begun(lives, said):
    told = facts("""
        ts       | kind                             | node_id
        10:00:00 | broker_starting                  | 2
        10:05:00 | process_signal                   | 2
        10:05:01 | broker_controlled_shutdown_begin | 2       """)
    found = stopped(lives(told))
    same_rows(found, FAULTS, "kind | code | broker_id | ts | end_ts\nstop_begun | F02 | 2 | 10:05:00 |")
    assert "was asked to stop at 10:05:00" in said(found)[0] and "cleanly" not in said(found)[0]


def test_a_controlled_shutdown_that_was_given_up_is_said(lives, said):
    told = facts("""
        ts       | kind                               | node_id
        10:00:00 | broker_starting                    | 2
        10:05:00 | process_signal                     | 2
        10:05:30 | broker_controlled_shutdown_gave_up | 2       """)
    found = stopped(lives(told))
    assert [one.kind for one in found] == ["stopped_uncleanly"]
    assert "controlled shutdown failed" in said(found)[0]


def test_a_broker_that_dies_before_it_registers_dies_as_often_as_it_is_killed(lives):
    """Killed, started while its old session ran, killed again before that was over: one session ends for three deaths."""
    told = facts("""
        ts           | kind                     | node_id | broker_id
        10:00:00.000 | broker_starting          | 2       |
        10:05:00.000 | isr_shrink               | 2       |
        10:05:03.000 | broker_starting          | 2       |
        10:05:04.000 | log_dir_unclean_shutdown | 2       |
        10:05:17.000 | isr_updated              | 2       |
        10:05:20.000 | broker_starting          | 2       |
        10:05:21.000 | log_dir_unclean_shutdown | 2       |
        10:05:34.000 | isr_updated              | 2       |
        10:05:37.000 | broker_starting          | 2       |
        10:05:38.000 | log_dir_unclean_shutdown | 2       |           """)
    same_rows(
        killed(told, lives(told), sessions(LOST), timings()),
        FAULTS,
        """
        kind   | broker_id | began_low | ts       | end_ts
        killed | 2         | 10:05:00  | 10:05:03 | 10:05:03
        killed | 2         | 10:05:17  | 10:05:20 | 10:05:20
        killed | 2         | 10:05:34  | 10:05:37 | 10:05:37 """,
    )


def witnessed(text: str) -> list[Row]:
    """What others than Kafka testify; a line without `latest_ts` is as exact as it looks."""
    return [row.but(latest_ts=row.latest_ts or row.ts) for row in rows(WITNESSES, text)]


def test_a_kill_that_the_kernel_logs_is_dated_by_it(lives):
    """Its stamp is of whole seconds: it died within that second, before the first peer missed it."""
    told = facts("""
        ts           | kind                     | node_id | broker_id
        10:00:00.000 | broker_starting          | 2       |
        10:05:00.000 | isr_shrink               | 2       |
        10:05:20.040 | node_connect_failed      | 1       | 2
        10:06:00.000 | broker_starting          | 2       |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           """)
    seen = witnessed("""
        node_id | kind            | ts       | latest_ts | event_id | details
        2       | kernel_oom_kill | 10:05:07 | 10:05:08  | k1       | process=java """)
    same_rows(
        killed(told, lives(told), sessions(), timings(), seen),
        FAULTS,
        """
        kind   | code | broker_id | began_low    | ts           | end_ts       | confidence | evidence
        killed | F01  | 2         | 10:05:07.000 | 10:05:08.000 | 10:06:00.000 | 0.98       | k1,e2,e3,e4,e5 """,
    )


@pytest.mark.parametrize(
    ("witness", "unknowns"),
    [("2 | kernel_oom_kill | 10:05:07 | 10:05:08 | k1 | process=java", []), ("", ["when_it_died_in_no_session_alone"])],
)
def test_without_a_line_of_a_peer_only_a_witness_shows_when_a_broker_died(lives, witness, unknowns):
    told = facts(DIED_UNNOTICED)
    seen = witnessed(f"node_id | kind | ts | latest_ts | event_id | details\n{witness}")
    (death,) = killed(told, lives(told), sessions(), timings(), seen)
    assert (death.kind, death.unknowns) == ("killed", unknowns)


@pytest.mark.parametrize(
    ("ended", "unknown"),
    [("10:05:09 | crash", "when_it_died"), ("10:04:00 | session_timeout", "when_it_died_in_no_session")],
    ids=["its session ended after its last line", "its session had ended while it still ran"],
)
def test_only_what_bounds_a_death_is_named_as_its_bound(lives, ended, unknown):
    of_controller = sessions(f"broker_id | start_ts | end_ts | ended_by\n 2 | 10:00:00 | {ended}")
    for more, kind in (("", f"{unknown}_alone"), ("\n    10:05:30.000 | isr_shrink | 1", unknown)):
        told = facts(DIED_UNNOTICED.rstrip() + more)
        (death,) = killed(told, lives(told), of_controller, timings())
        assert death.unknowns == [kind]


@pytest.mark.parametrize(
    ("witness", "began_low"),
    [
        ("2 | jvm_out_of_memory_exit | | | j1 |", "10:04:50.000"),
        ("3 | jvm_out_of_memory_exit | | | j1 |", "10:05:00.000"),
        ("2 | kernel_soft_lockup | 10:04:55 | 10:04:55 | k1 |", "10:05:00.000"),
    ],
    ids=["it ran out of heap", "another process ran out of heap", "it was killed"],
)
def test_a_java_that_runs_out_of_heap_stops_serving_before_its_sockets_close(lives, witness, began_low):
    told = facts("""
        ts           | kind                     | node_id | broker_id | message
        10:00:00.000 | broker_starting          | 2       |           |
        10:04:50.000 | isr_shrink               | 2       |           |
        10:05:00.500 | node_disconnected        | 3       |           | [ReplicaFetcher replicaId=3, leaderId=2, fetcherId=0] Node 2 disconnected.
        10:06:00.000 | broker_starting          | 2       |           |
        10:06:02.000 | log_dir_unclean_shutdown | 2       |           |""")
    seen = witnessed(f"node_id | kind | ts | latest_ts | event_id | details\n{witness}")
    same_rows(
        killed(told, lives(told), sessions(), timings(), seen),
        FAULTS,
        f"""
        kind   | broker_id | began_low   | began_high   | ts
        killed | 2         | {began_low} | 10:05:00.500 | 10:05:00.500 """,
    )


def test_what_dmesg_counts_from_the_start_of_the_host_dates_nothing(lives):
    told = facts(DIED_UNNOTICED)
    seen = witnessed("""
        node_id | kind            | ts       | event_id | details
        2       | kernel_oom_kill | 10:04:50 | k1       | process=java;since_boot=yes """)
    same_rows(
        killed(told, lives(told), sessions(), timings(), seen),
        FAULTS,
        """
        kind   | began_low    | ts           | confidence
        killed | 10:05:00.000 | 10:06:00.000 | 0.98 """,
    )


def test_an_end_without_a_line_in_kafkas_logs_is_known_from_its_witness(lives):
    """The files of node 2 just end; without its container's word nobody would know that it died."""
    told = facts("""
        ts           | kind            | node_id
        10:00:00.000 | broker_starting | 2
        10:05:00.000 | isr_shrink      | 2       """)
    seen = witnessed("""
        node_id | kind                 | ts           | event_id | details
        2       | container_oom_killed | 10:05:02.500 | c1       | exit_code=137 """)
    assert killed(told, lives(told), sessions(), timings()) == []
    same_rows(
        killed(told, lives(told), sessions(), timings(), seen),
        FAULTS,
        """
        kind   | code | broker_id | began_low    | ts           | confidence | evidence
        killed | F01  | 2         | 10:05:00.000 | 10:05:02.500 | 0.98       | c1,e2 """,
    )


def test_an_order_to_stop_alone_proves_no_end(lives):
    told = facts("""
        ts           | kind            | node_id
        10:00:00.000 | broker_starting | 2
        10:05:00.000 | isr_shrink      | 2       """)
    seen = witnessed("""
        node_id | kind                | ts           | event_id
        2       | operator_rolled_pod | 10:05:02.500 | o1
        2       | kernel_soft_lockup  | 10:05:02.500 | k1 """)
    assert killed(told, lives(told), sessions(), timings(), seen) == []


@pytest.mark.parametrize("gave_up", [False, True])
def test_a_stop_shows_that_the_controller_had_moved_the_leaders_away_and_for_how_long_the_process_was_gone(
    lives, said, gave_up
):
    moved = "broker_controlled_shutdown_gave_up" if gave_up else "broker_controlled_shutdown_done"
    told = facts(f"""
        ts           | kind                 | node_id | event_id
        10:00:00.000 | broker_starting      | 2       | before
        10:05:00.000 | process_signal       | 2       | signal
        10:05:00.400 | {moved}              | 2       | moved
        10:05:02.000 | broker_shutdown_done | 2       | done
        10:05:14.500 | broker_starting      | 2       | again """)
    (stop,) = stopped(lives(told))
    assert stop.evidence[:3] == ["signal", "moved", "done"]
    assert said([stop])[0].endswith("; it was started again by 10:05:14.500, at most 12.5 s after its last line")
    assert (stop.kind == "stopped") == (not gave_up)


def test_a_first_start_that_recovers_logs_shows_that_the_process_before_had_ended_without_a_shutdown(lives, said):
    """Since when is not logged. A start without logs to recover, or after other lines of the broker, shows nothing new."""
    told = facts("""
        ts           | kind                     | node_id | topic  | partition
        10:00:00.000 | broker_starting          | 1       |        |
        10:00:01.000 | log_dir_unclean_shutdown | 1       |        |
        10:00:02.000 | log_segment_recovery     | 1       | orders | 0
        10:00:00.000 | broker_starting          | 2       |        |
        10:00:01.000 | log_dir_unclean_shutdown | 2       |        |
        09:59:00.000 | isr_shrink               | 3       |        |
        10:00:00.000 | broker_starting          | 3       |        |
        10:00:02.000 | log_segment_recovery     | 3       | orders | 0     """)
    found = ended_before_logs(lives(told))
    same_rows(
        found,
        FAULTS,
        """
        kind   | code | broker_id | began_low | ts       | began_high | end_ts   | unknowns
        killed | F01  | 1         |           | 10:00:00 | 10:00:00   | 10:00:00 | when_it_ended """,
    )
    assert "the one that started at 10:00:00.000 ended" in said(found)[0]
    assert "no line of the earlier process is here" in said(found)[0]
    reported = rows(FAULTS, "kind | broker_id | ts | end_ts\n killed | 1 | 09:59:50 | 10:00:05")
    assert outages([], [], [], [], lives(told)) == found
    assert outages([], [], [], reported, lives(told)) == reported


def test_a_first_start_whose_first_line_is_missing_shows_it_too_by_its_first_line(lives, said):
    """Recorded (2.8.2, the last lines of server.log). The line of the marker stands only at a start; a recovery alone, or beside a
    directory with a marker, may be that of a directory that failed."""
    told = facts("""
        ts           | kind                     | node_id | topic  | partition
        10:00:01.000 | log_dir_clean_shutdown   | 4       |        |
        10:00:01.100 | log_dir_unclean_shutdown | 4       |        |
        10:00:02.000 | log_segment_recovery     | 4       | orders | 0
        10:00:00.500 | any                      | 1       |        |
        10:00:01.000 | log_dir_unclean_shutdown | 1       |        |
        10:00:02.000 | log_segment_recovery     | 1       | orders | 0
        10:00:02.000 | log_segment_recovery     | 2       | orders | 0
        10:00:01.000 | log_dir_unclean_shutdown | 3       |        |          """)
    found = ended_before_logs(lives(told))
    same_rows(
        found,
        FAULTS,
        """
        kind   | broker_id | began_low | ts           | began_high   | end_ts       | unknowns
        killed | 1         |           | 10:00:00.500 | 10:00:00.500 | 10:00:00.500 | when_it_ended """,
    )
    assert "the one that started by 10:00:00.500 ended" in said(found)[0]
