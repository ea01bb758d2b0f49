"""The sessions of brokers: those of controllers' lines, with the ends that the graph shows; registrations, and returns to ISRs."""

from __future__ import annotations

import pytest

from replay.coverage.covered import Covered
from replay.questions.broker_sessions import broker_sessions
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, PROCESSES
from replay.tables.causes import EDGES
from replay.tables.coverage import COVERAGE_SPANS
from replay.tables.faults import BROKER_RETURNS, FAULTS
from tests.faults.given import facts
from tests.tables import rows, same_rows

RECORDED = """
    broker_id | start_ts | end_ts   | ended_by | evidence
    1         | 10:00:00 | 10:05:00 | unknown  | back,lost """
FROZEN = "kind | broker_id | began_low | began_high | ended_high\npaused | 3 | 10:05:00 | 10:05:10 | {ended}"
PROCESS = """
    node_id | life | first_ts | last_ts  | ended
    1       | 0    | 09:59:50 | 10:09:00 | {ended} """


WATCHED = """
    node_id | log        | start_ts | end_ts   | complete
    3       | controller | 09:50:00 | 10:30:00 | true """


def sessions(
    recorded="broker_id",
    lines="ts | kind",
    edges="src",
    returns="broker_id",
    ended="",
    logs=WATCHED,
    until="",
    frozen="broker_id",
    recorded_membership=(),
):
    return broker_sessions(
        rows(BROKER_SESSIONS, recorded),
        rows(EDGES, edges),
        facts(lines),
        rows(PROCESSES, PROCESS.format(ended=ended)),
        rows(BROKER_RETURNS, returns),
        Covered(
            rows(COVERAGE_SPANS, logs),
            rows(CONTROLLERS, f"controller_id | start_ts | end_ts\n3 | 09:50:00 | {until}"),
        ),
        rows(FAULTS, frozen),
        recorded_membership,
    )


def test_the_end_of_a_process_in_the_graph_ends_the_session_of_which_no_line_says_why():
    edge = "dst | reason\ndetected/1/2024-05-01T10:05:00.000Z | session_ended_with_process"
    assert [one.ended_by for one in sessions(RECORDED, edges=edge)] == ["process_ended"]
    assert [one.ended_by for one in sessions(RECORDED)] == ["unknown"]


@pytest.mark.parametrize("kind", ["broker_registered", "broker_registered_zk"])
def test_a_brokers_own_registrations_are_its_sessions_where_no_controller_tells(kind):
    """The end of the first one is not logged: it had ended as the broker registered anew."""
    lines = f"""
        ts       | kind   | node_id | broker_id | broker_epoch
        10:00:00 | {kind} | 1       | 1         | 25
        10:07:00 | {kind} | 1       | 1         | 61 """
    same_rows(
        sessions(lines=lines),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | end_ts   | ended_before | ended_by        | evidence
        1         | 25           | 10:00:00 | 10:07:00 | true         | registered_anew | e1,e2
        1         | 61           | 10:07:00 |          |              |                 | e2 """,
    )
    assert sessions(RECORDED, lines=lines) == sessions(RECORDED)


def test_a_session_whose_process_ended_is_not_called_open():
    lines = "ts | kind | node_id | broker_id\n10:00:00 | broker_registered | 1 | 1"
    assert sessions(lines=lines, ended="killed") == []


@pytest.mark.parametrize(
    ("back", "found"),
    [
        ("1 | in_isr | 10:05:00 | 10:06:00 | joined", ["10:06:00"]),
        ("1 | in_isr | 10:04:00 | 10:06:00 | joined", []),  # it was out of that ISR before its session ended
        ("1 | in_isr | 10:05:00 | 10:05:04 | joined", []),  # clocks
        ("2 | in_isr | 10:05:00 | 10:06:00 | joined", []),
    ],
)
def test_a_broker_in_an_isr_again_has_a_session_by_then(back, found):
    made = sessions(RECORDED, returns=f"broker_id | how | away_ts | ts | evidence\n{back}")
    assert [str(one.live_ts)[11:19] for one in made[1:]] == found


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        ({}, None),
        ({"until": "10:10:00"}, "10:10:00"),
        ({"until": "10:10:00", "frozen": FROZEN.format(ended="10:09:55")}, "10:05:00"),
        ({"until": "10:10:00", "frozen": FROZEN.format(ended="10:06:00")}, "10:10:00"),
        ({"logs": "node_id | log | start_ts | end_ts | complete\n1 | server | 09:50:00 | 10:30:00 | true"}, None),
        ({"logs": "node_id | log | start_ts | end_ts | complete\n2 | server | 09:50:00 | 10:30:00 | true"}, "10:00:00"),
    ],
    ids=[
        "the log of the active controller runs on",
        "the next controller has no log here",
        "it was replaced while it was frozen",
        "it was frozen before",
        "the broker's own log runs on",
        "no log of a controller",
    ],
)
def test_a_session_is_open_only_where_a_log_would_show_its_end(made, seen):
    (one,) = sessions("broker_id | start_ts\n1 | 10:00:00", **made)
    assert one.end_ts is None
    assert (None if one.seen_ts is None else str(one.seen_ts)[11:19]) == seen


def test_the_metadata_log_has_every_end():
    (one,) = sessions("broker_id | start_ts\n1 | 10:00:00", until="10:10:00", recorded_membership=[object()])
    assert one.seen_ts is None


@pytest.mark.parametrize(
    ("lines", "found"),
    [("", [(2, 8)]), ("\n10:00:02 | kraft_broker_registration_changed | 101 | 2 | fenced=1", [])],
    ids=["registered", "fenced at last"],
)
def test_a_controller_that_starts_reads_the_sessions_that_began_before_the_logs(lines, found):
    text = f"""
        ts       | kind                              | node_id | broker_id | message
        10:00:01 | kraft_broker_registered           | 101     | 2         | RegisterBrokerRecord(brokerId=2, brokerEpoch=8, …)
        10:00:01 | kraft_broker_registration_changed | 101     | 2         | fenced=-1{lines} """
    made = sessions(lines=text)
    assert [(one.broker_id, one.broker_epoch) for one in made] == found
    assert all(one.start_ts is None and one.evidence == ["e1"] for one in made)
