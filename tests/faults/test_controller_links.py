"""A broker that the controller cannot reach while it runs and keeps its session (F06, ZooKeeper mode)."""

from __future__ import annotations

from replay.faults import controller_links as stage
from replay.faults.all_faults import with_controllers_out_of_reach
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.faults.given import facts, known, timings, written_lines
from tests.tables import same_rows


def out_of_reach(text, outages=()):
    told = facts(text)
    written = written_lines(told, stage.asked_times(told, outages, timings()))
    return stage.out_of_controllers_reach(told, outages, timings(), written)


_FAILED = (
    "[RequestSendThread controllerId=3] Controller 3's connection to broker b1:9092 (id: 1 rack: null) was unsuccessful"
)
_SENT = (
    "[RequestSendThread controllerId=3] Controller 3 epoch 1 fails to send request (type=LeaderAndIsRequest, "
    "liveLeaders=(b3:9092 (id: 3 rack: null))) to broker b1:9092 (id: 1 rack: null). Reconnecting to broker."
)
_AGAIN = "[RequestSendThread controllerId=3] Controller 3 connected to b1:9092 (id: 1 rack: null) for sending state change requests"
_OLD = "[Controller-3-to-broker-1-send-thread], Controller 3's connection to broker b1:9092 (id: 1 rack: null) was unsuccessful"

_LINES = f"""
    ts       | kind                             | node_id | message
    10:00:00 | controller_broker_connected      | 3       | {_AGAIN}
    10:00:07 | broker_leader_and_isr_request    | 1       | Handling
    10:01:00 | controller_send_failed_retry     | 3       | {_SENT}
    10:01:10 | controller_broker_connect_failed | 3       | {_FAILED}
    10:01:40 | controller_broker_connect_failed | 3       | {_OLD}
    10:01:20 | any                              | 1       | own
    10:02:00 | controller_broker_connected      | 3       | {_AGAIN}"""


def test_it_began_after_the_last_request_that_came_through_and_ended_as_one_came_again(said):
    found = out_of_reach(_LINES)
    same_rows(
        found,
        FAULTS,
        """
        kind                     | code | broker_id | ts       | began_low | began_high | end_ts
        out_of_controllers_reach | F06  | 1         | 10:01:00 | 10:00:07  | 10:01:00   | 10:02:00 """,
    )
    assert said(found) == [
        "controller 3 tried 3 times without success to reach broker 1 from 10:01:00.000 to 10:02:00.000, while that "
        "broker ran and kept its session: the controller's decisions did not reach it"
    ]


def test_days_apart_are_two_faults():
    later = (
        _LINES
        + f"""
    12:00:00 | controller_broker_connect_failed | 3       | {_FAILED}
    12:00:04 | any                              | 1       | own
    12:00:09 | controller_broker_connect_failed | 3       | {_FAILED}"""
    )
    same_rows(
        out_of_reach(later),
        FAULTS,
        """
        broker_id | ts       | began_low | end_ts
        1         | 10:01:00 | 10:00:07  | 10:02:00
        1         | 12:00:00 | 10:02:00  | 12:00:09 """,
    )


@for_each("kind", ["killed", "stopped", "paused"])
@for_each("broker", [1, 3])
def test_a_fault_of_either_end_explains_it(kind, broker):
    outages = known(f"""
        kind   | broker_id | ts       | began_low | end_ts
        {kind} | {broker}  | 10:00:30 | 10:00:30  | 10:01:55 """)
    assert not out_of_reach(_LINES, outages)


@for_each(("end_ts", "found"), [("10:01:30", 1), ("10:01:57", 0), ("", 0)])
def test_a_silence_of_unknown_cause_explains_no_failures_that_outlast_it(end_ts, found):
    """As recorded of 2.8.2: a broker without requests of the controller has nothing to log for 14 s, then logs for 14 s
    more, all the while out of its reach.
    """
    outages = known(f"""
        kind   | broker_id | ts       | began_low | end_ts
        silent | 1         | 10:00:58 | 10:00:58  | {end_ts} """)
    assert len(out_of_reach(_LINES, outages)) == found


def test_a_broker_without_a_line_of_that_time_may_as_well_be_dead():
    silent = "\n".join(line for line in _LINES.splitlines() if "| own" not in line)
    assert not out_of_reach(silent)


def test_one_that_is_reached_at_once_was_only_starting():
    starting = f"""
    ts       | kind                             | node_id | message
    10:00:00 | controller_broker_connect_failed | 3       | {_FAILED}
    10:00:01 | any                              | 1       | own
    10:00:02 | controller_broker_connected      | 3       | {_AGAIN}"""
    assert not out_of_reach(starting)


def test_the_silence_of_a_broker_that_learns_nothing_is_no_fault_of_its_own():
    outages = known("""
        kind   | broker_id | ts       | began_low | end_ts
        silent | 1         | 10:01:20 | 10:01:20  | 10:01:30
        silent | 2         | 10:01:20 | 10:01:20  | 10:01:30
        killed | 3         | 10:01:20 | 10:01:20  | 10:01:30 """)
    unreached = known("""
        kind                     | broker_id | ts       | began_low | end_ts
        out_of_controllers_reach | 1         | 10:01:00 | 10:00:07  | 10:02:00 """)
    same_rows(
        with_controllers_out_of_reach(outages, unreached),
        FAULTS,
        """
        kind                     | broker_id
        silent                   | 2
        killed                   | 3
        out_of_controllers_reach | 1 """,
    )
