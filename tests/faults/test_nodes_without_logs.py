"""Outages of nodes whose own files are not here, told by controllers and peers alone (facts §5)."""

from __future__ import annotations

import pytest

from replay.faults import nodes_without_logs as stage
from replay.tables.coverage import LogRun
from replay.tables.faults import FAULTS
from replay.tables.table import table_of
from tests.faults.given import facts, first_mentions, timings
from tests.tables import rows, same_rows

COULD_NOT = "Connection to node 1 could not be established."


@pytest.fixture
def told(lives, lived):
    """What is told of nodes that have no line in these events; broker 3 is the controller."""

    def judged(text, log_runs="node_id"):
        lines = facts(text)
        processes, members = lives(lines), first_mentions(lines)
        runs = rows(table_of(LogRun), log_runs)
        lost = stage.sessions_lost_without_logs(lines, processes, lived(lines), members, timings(), runs)
        return stage.outages_without_logs(lines, lost, members, processes)

    return judged


REFUSED = f"""
        10:05:00.000 | node_disconnected                         | 2       | 1         | Node 1 disconnected.
        10:05:01.000 | node_connect_failed                       | 2       | 1         | {COULD_NOT}
        10:05:09.000 | kraft_broker_session_timeout              | 3       | 1         |
        10:05:40.000 | kraft_broker_registering_new_incarnation  | 3       | 1         |
        10:05:41.000 | kraft_broker_unfence_granted              | 3       | 1         |"""
UNFENCED_FIRST = """
        ts           | kind                                      | node_id | broker_id | message
        10:00:00.000 | kraft_broker_unfence_granted              | 3       | 1         |"""


def test_refused_connections_before_a_session_times_out_and_a_new_incarnation_after_it_are_a_death(told, said):
    of_peer = "\n        10:00:01.000 | broker_unfenced | 2 | | "
    same_rows(
        told(UNFENCED_FIRST + of_peer + REFUSED),
        FAULTS,
        """
        broker_id | kind   | code | ts           | began_low    | ended_low    | end_ts       | confidence | evidence
        1         | killed | F01  | 10:05:00.000 | 10:04:59.500 | 10:05:40.000 | 10:05:40.000 | 0.7        | e3,e4,e6,e5 """,
    )


def test_a_closed_connection_with_which_the_lines_of_a_peer_begin_does_not_bound_the_death(told):
    """Each attempt to connect closes one: the first that the file still has may be the tenth."""
    found = told(UNFENCED_FIRST + REFUSED, BEGIN_LATE.format(peer="10:05:00", controller="10:00:00"))
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind   | ts           | began_low    | began_high   | evidence
        1         | killed | 10:05:01.000 | 10:04:57.875 | 10:05:01.000 | e3,e5,e4 """,
    )


BEGIN_LATE = """
    node_id | log        | start_ts     | end_ts   | begins_process
    2       | server     | {peer}       | 10:30:00 |
    3       | controller | {controller} | 10:30:00 |                """


@pytest.mark.parametrize(
    ("peer", "controller", "began_low"),
    [
        ("10:00:00", "10:00:00", "10:04:56.500"),  # a connection that had been open was closed
        ("10:04:56", "10:00:00", "10:04:54.875"),  # its peer may have found it closed before its first line
        ("10:04:56", "10:05:01", ""),  # the controller may have begun to wait anew before its first line
    ],
)
def test_logs_that_begin_shortly_before_do_not_show_since_when_a_broker_was_dead(told, peer, controller, began_low):
    found = told(
        f"""
        ts           | kind                         | node_id | broker_id | message
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1         |
        10:04:57.000 | node_disconnected            | 2       | 1         | Node 1 disconnected.
        10:04:58.000 | node_connect_failed          | 2       | 1         | {COULD_NOT}
        10:05:06.000 | kraft_broker_session_timeout | 3       | 1         | """,
        BEGIN_LATE.format(peer=peer, controller=controller),
    )
    same_rows(
        found,
        FAULTS,
        f"""
        kind   | began_low   | began_high
        killed | {began_low} | {"10:04:57" if peer == "10:00:00" else "10:04:58"} """,
    )


def test_an_attempt_that_fails_at_once_closes_no_open_connection(told, said):
    """As in a rotated log of 4.1.1: the first lines of broker 2 are an attempt to connect, 6 s after the crash, and the
    session shows that the broker was dead before.
    """
    found = told(
        f"""
        ts           | kind                         | node_id | broker_id | message
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1         |
        10:05:05.387 | node_disconnected            | 2       | 1         | Node 1 disconnected.
        10:05:05.387 | node_connect_failed          | 2       | 1         | {COULD_NOT}
        10:05:08.000 | kraft_broker_session_timeout | 3       | 1         | """,
        BEGIN_LATE.format(peer="10:05:05.387", controller="10:00:00"),
    )
    same_rows(found, FAULTS, "began_low | began_high | ts\n10:04:56.875 | 10:05:02 | 10:05:02")
    assert (
        "; at 10:05:05.387, as the logs of the nodes that asked begin, it already accepted no connection of node 2"
        in (said(found)[0])
    )


def test_a_session_that_times_out_and_comes_back_as_it_was_only_fell_silent(told, said):
    found = told("""
        ts           | kind                         | node_id | broker_id
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1
        10:05:09.000 | kraft_broker_session_timeout | 3       | 1
        10:05:41.000 | kraft_broker_unfence_granted | 3       | 1 """)
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind   | code | ts           | began_low    | began_high   | end_ts       | confidence | evidence | unknowns
        1         | silent | F00  | 10:05:03.000 | 10:04:57.875 | 10:05:03.000 | 10:05:41.000 | 0.5        | e2       | what_befell_it """,
    )
    assert said(found) == [
        "the session of broker 1 ended at 10:05:09.000 and no controller logged a request to stop; it was back by 10:05:41.000; its own lines from that time are not in the input"
    ]


CUT = """
        ts           | kind                                      | node_id | broker_id | message | details
        10:00:00.000 | kraft_broker_unfence_granted              | 3       | 1         |         | register_broker_record_offset=7
        10:05:09.000 | kraft_broker_session_timeout              | 3       | 1         |         |"""
CANCELLED = "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Cancelled in-flight FETCH request with correlation id 5 due to node 1 being disconnected"
CLOSED_BY_CLIENT = """
        10:05:09.200 | node_inflight_cancelled                   | 2       | 1         | {} | api_key=FETCH; time_elapsed_since_create_ms={ms}; time_elapsed_since_send_ms={ms}; request_timeout_ms=30000
        10:05:09.201 | fetch_send_error                          | 2       |           | [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error sending fetch request to node 1: java.io.IOException: Client was shutdown before response was read |"""
ANEW = """
        10:05:40.000 | kraft_broker_registering_new_incarnation  | 3       | 1         |         | new_broker_epoch=90
        10:05:41.000 | kraft_broker_unfence_granted              | 3       | 1         |         | register_broker_record_offset=90"""
ENDED_BY_HOST = """
        10:05:01.000 | node_disconnected                         | 2       | 1         | [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Node 1 disconnected. |
        10:05:01.000 | node_inflight_cancelled                   | 2       | 1         | {} | api_key=FETCH; time_elapsed_since_send_ms=310; request_timeout_ms=30000"""


def test_a_new_incarnation_after_a_session_does_not_date_the_end_of_the_process(told, said):
    """As recorded of 3.9.1: cut off, fenced 9 s later, killed 21 s after that, and started again."""
    found = told(CUT + CLOSED_BY_CLIENT.format(CANCELLED, ms=8200) + ANEW)
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind   | code | began_low    | began_high   | ended_low    | end_ts       | confidence | unknowns
        1         | silent | F00  | 10:05:00.250 | 10:05:01.750 | 10:05:09.000 | 10:05:40.000 | 0.5        | when_and_how_it_ended """,
    )
    (how,) = said(found)
    assert "left fetches of node 2 without an answer, and its host did not end their connections" in how
    assert "its new process registered at 10:05:40.000, so the one before had ended by then" in how


def test_a_fetch_that_its_host_ends_at_once_is_a_death_though_no_new_connection_was_tried(told, said):
    found = told(CUT + ENDED_BY_HOST.format(CANCELLED) + ANEW)
    same_rows(found, FAULTS, "broker_id | kind   | unknowns\n1         | killed | how_it_ended")
    assert "without an answer" not in said(found)[0]


def test_attempts_that_time_out_are_no_refusals(told, said):
    """A host without the process refuses at once; one that cannot be reached does not answer."""
    timed_out = "\n        10:05:07.000 | node_connect_timeout | 2 | 1 | Disconnecting from node 1 due to socket connection setup timeout. |"
    failed = f"\n        10:05:07.001 | node_connect_failed | 2 | 1 | {COULD_NOT} |"
    kinds = [told(CUT + tried + ANEW)[0].kind for tried in (timed_out + failed, failed)]
    assert kinds == ["silent", "killed"]


def test_attempts_that_the_peers_own_host_rejects_show_a_cut_and_no_death(told, said):
    """As recorded of 3.9.1: routes on the hosts of its peers closed the way, and the broker was killed 40 s later."""
    tries = "".join(
        f"""
        10:05:0{n}.000 | {{kind}} | 2 | 1 | | Error connecting to node 10.0.0.1:9092 (id: 1 rack: null) | exception=java.net.{{exception}}"""
        for n in range(1, 7)
    )
    session = """
        ts           | kind                                     | node_id | broker_id | leader_id | message | details
        10:00:00.000 | kraft_broker_unfence_granted             | 3       | 1         |           |         | register_broker_record_offset=7
        10:00:00.500 | follower_start                           | 2       |           | 1         |         |
        10:05:09.000 | kraft_broker_session_timeout             | 3       | 1         |           |         | {}
        10:05:40.000 | kraft_broker_registering_new_incarnation | 3       | 1         |           |         | new_broker_epoch=90"""

    def found(kind, exception):
        rows_of_tries = tries.format(kind=kind, exception=exception)
        return [(one.kind, one.reason) for one in told(session.format(rows_of_tries))]

    silent, killed = ("silent", "session_ended_unasked"), ("killed", "session_ended_unasked")
    assert found("node_connect_error", "SocketException: Invalid argument") == [silent, ("silent", stage.UNREACHED)]
    assert found("node_connect_failed", "NoRouteToHostException: No route to host") == [silent]
    assert found("node_connect_error", "ConnectException: Connection refused") == [killed]


def test_a_refusal_before_the_last_heartbeat_is_no_sign_of_the_end_of_a_process(told):
    early = f"\n        10:04:55.000 | node_connect_failed | 2 | 1 | {COULD_NOT} |"
    late = early.replace("10:04:55", "10:05:01")
    assert [told(CUT + tried + ANEW)[0].kind for tried in (early, late)] == ["silent", "killed"]


def test_a_heartbeat_of_the_process_before_shows_that_the_network_held_it_back_if_it_is_the_only_one(told, said):
    stale = """
        10:05:5{} | kraft_event_failed | 3 | | [QuorumController id=3] processBrokerHeartbeat: event failed with StaleBrokerEpochException in 61 microseconds. Exception message: Expected broker epoch 90, but got broker epoch 7 |"""
    begun = """
        ts           | kind                                      | node_id | broker_id | message | details
        10:00:00.000 | kraft_broker_registering_new_incarnation  | 3       | 1         |         | new_broker_epoch=7
        10:00:01.000 | kraft_broker_unfence_granted              | 3       | 1         |         | register_broker_record_offset=7
        10:05:09.000 | kraft_broker_session_timeout              | 3       | 1         |         | """
    once, twice = (said(told(begun + ANEW + "".join(map(stale.format, range(n)))))[0] for n in (1, 2))
    assert "a heartbeat of the one before reached controller 3 only at 10:05:50.000" in once
    assert "a heartbeat of the one before" not in twice


@pytest.mark.parametrize(("again", "unknown"), [(7, "froze_or_cut_off"), (9, "how_it_ended")])
def test_a_broker_that_is_unfenced_with_its_old_registration_did_not_die(told, said, again, unknown):
    """Its connections were refused too: a firewall does that as well."""
    found = told(f"""
        ts           | kind                         | node_id | broker_id | message     | details
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1         |             | register_broker_record_offset=7
        10:05:01.000 | node_connect_failed          | 2       | 1         | {COULD_NOT} |
        10:05:09.000 | kraft_broker_session_timeout | 3       | 1         |             |
        10:05:41.000 | kraft_broker_unfence_granted | 3       | 1         |             | register_broker_record_offset={again} """)
    kept = again == 7
    assert [one.kind for one in found] == ["silent" if kept else "killed"]
    assert ("its process had not ended" in said(found)[0]) == kept
    assert found[0].unknowns == [unknown]


def test_connections_that_were_refused_before_the_node_first_served_show_nothing_of_its_end(told, said):
    """As recorded of 4.1.1: the active controller, cut off, gave no file; no controller tells that it began, but its peers that it led."""
    same_rows(
        told(f"""
        ts           | kind                         | node_id | broker_id | leader_id | message
        10:00:00.000 | node_connect_failed          | 2       | 1         |           | {COULD_NOT}
        10:00:08.000 | follower_start               | 2       |           | 1         |
        10:00:31.000 | kraft_broker_session_timeout | 3       | 1         |           |
        10:01:00.000 | kraft_broker_unfence_granted | 3       | 1         |           | """),
        FAULTS,
        """
        broker_id | kind   | code | ts           | confidence | evidence
        1         | silent | F00  | 10:00:25.000 | 0.5        | e3       """,
    )


@pytest.mark.parametrize("asked", ["controller_controlled_shutdown_begin", "kraft_controlled_shutdown_granted"])
def test_a_stop_that_a_controller_granted_is_an_ordered_one(told, said, asked):
    found = told(f"""
        ts           | kind                         | node_id | broker_id | message
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1         |
        10:05:00.000 | {asked}                      | 3       | 1         |
        10:05:02.000 | node_connect_failed          | 2       | 1         | {COULD_NOT}
        10:05:03.000 | kraft_broker_session_timeout | 3       | 1         |          """)
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind    | code | ts           | confidence | evidence
        1         | stopped | F02  | 10:05:00.000 | 0.9        | e2,e3,e4 """,
    )
    assert said(found) == [
        "the session of broker 1 ended at 10:05:03.000; it had asked to stop at 10:05:00.000, and the controller granted the stop; its own lines from that time are not in the input"
    ]


def test_a_node_that_took_part_and_takes_no_connection_fell_silent_though_no_controller_reports_it(told, said):
    found = told(f"""
        ts           | kind                | node_id | broker_id | message     | leader_id | isr
        09:59:50.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        09:59:55.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:00:00.000 | follower_start      | 2       |           |             | 1         |
        10:05:00.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:05:02.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:05:04.000 | node_connect_failed | 3       | 1         | {COULD_NOT} |           | """)
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind   | code | ts           | end_ts       | ended_high   | confidence | evidence
        1         | silent | F00  | 10:05:00.000 | 10:05:04.000 | 10:05:09.000 | 0.5        | e4,e5,e6 """,
    )
    assert said(found) == [
        "3 connections of nodes 2 and 3 to node 1 failed from 10:05:00.000 to 10:05:04.000; its own lines from that time are not in the input"
    ]


UNREACHED = """
    kind   | broker_id | reason             | ts       | end_ts   | ended_low | ended_high | arguments                           | evidence
    silent | 1         | took_no_connection | 10:05:00 | 10:05:06 | 10:05:06  | 10:05:11   | node=1; count=8; all_peers=2 and 3; at_from=10; at_to=11 | failed """
DROPPED = """
    kind           | broker_id | reason                 | ts       | began_low | began_high | end_ts   | ended_low | ended_high | partitions | arguments          | evidence
    dropped_unseen | {broker}  | dropped_for_lag_unseen | {ts}     | 10:04:25  | 10:04:33   | {back}   | 10:04:43  | {back}     | orders-0   | drops=8; leaders=2 | shrink """


def test_removals_from_isrs_during_an_outage_are_a_part_of_it():
    """Peers cannot fetch from it, and it does not fetch from them: one cut, whose end the return to the ISRs bounds."""
    dropped = DROPPED.format(broker=1, ts="10:04:41", back="10:05:10")
    [one] = stage.each_outage_once([*rows(FAULTS, UNREACHED), *rows(FAULTS, dropped)])
    same_rows(
        [one],
        FAULTS,
        """
        kind   | broker_id | ts       | began_low | began_high | ended_low | ended_high | partitions | evidence
        silent | 1         | 10:04:41 | 10:04:25  | 10:04:33   | 10:05:06  | 10:05:10   | orders-0   | failed,shrink """,
    )
    assert (one.arguments["drops"], one.arguments["leaders"]) == ("8", "2")


@pytest.mark.parametrize(("broker", "ts", "back"), [(2, "10:04:41", "10:05:10"), (1, "10:04:35", "10:04:50")])
def test_removals_of_another_broker_or_time_are_none_of_its_outage(broker, ts, back):
    apart = [*rows(FAULTS, UNREACHED), *rows(FAULTS, DROPPED.format(broker=broker, ts=ts, back=back))]
    assert stage.each_outage_once(apart) == apart


def test_a_node_that_reaches_nobody_is_no_witness_that_all_others_fell_silent(told, said):
    of_one = f"""
        ts           | kind                | node_id | broker_id | message     | leader_id | isr
        10:00:00.000 | follower_start      | 2       |           |             | 1         |
        10:00:01.000 | follower_start      | 2       |           |             | 3         |
        10:05:00.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:05:02.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:05:04.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |           |
        10:05:00.500 | node_connect_failed | 2       | 3         | {COULD_NOT} |           |
        10:05:02.500 | node_connect_failed | 2       | 3         | {COULD_NOT} |           |
        10:05:04.500 | node_connect_failed | 2       | 3         | {COULD_NOT} |           | """
    assert told(of_one) == []
    of_3_once = "\n".join(of_one.splitlines()[:-2])
    assert [one.broker_id for one in told(of_3_once)] == [1]
    begins_late = of_3_once.replace("10:00:0", "10:04:5")
    assert told(begins_late) == []  # recorded (2.8.2, rotated logs): the rest may lie before its files
    one_is_down = of_one.replace("| 2       | 3         |", "| 4       | 1         |")
    assert [one.broker_id for one in told(one_is_down)] == [1]


def test_two_refusals_are_no_outage(told, said):
    assert (
        told(f"""
        ts           | kind                | node_id | broker_id | message     | leader_id
        10:00:00.000 | follower_start      | 2       |           |             | 1
        10:05:00.000 | node_connect_failed | 2       | 1         | {COULD_NOT} |
        10:05:04.000 | node_connect_failed | 2       | 1         | {COULD_NOT} | """)
        == []
    )


LIVES = """
        ts           | kind                         | node_id | broker_id | message
        {own}        | broker_starting              | 1       |           |
        10:00:00.000 | kraft_broker_unfence_granted | 3       | 1         |
        10:05:01.000 | node_connect_failed          | 2       | 1         | {could_not}
        10:05:09.000 | kraft_broker_session_timeout | 3       | 1         |          """


def test_of_a_node_that_has_lines_of_that_time_only_they_are_heard(told, said):
    assert told(LIVES.format(own="09:59:00.000", could_not=COULD_NOT)) == []


def test_files_that_begin_after_an_outage_show_only_by_when_it_was_over(told, said):
    """Other processes may have run before the one with which the files begin."""
    found = told(LIVES.format(own="10:20:00.000", could_not=COULD_NOT))
    same_rows(
        found,
        FAULTS,
        """
        broker_id | kind   | code | ts           | ended_low    | ended_high   | confidence | evidence
        1         | killed | F01  | 10:05:01.000 | 10:05:09.000 | 10:20:00.000 | 0.7        | e3,e1,e4 """,
    )
    assert "did not come back" not in said(found)[0]


def test_a_new_process_is_there_with_its_first_line_before_it_registers(told):
    """As in a rotated log of 4.1.1: the files of broker 1 begin with its new process, 1.5 s before the controller
    registers it.
    """
    registered = "\n        10:05:40.000 | kraft_broker_registering_new_incarnation | 3 | 1 | "
    found = told(LIVES.format(own="10:05:38.500", could_not=COULD_NOT) + registered)
    same_rows(found, FAULTS, "kind | ended_low | ended_high\n killed | 10:05:09 | 10:05:38.500")
