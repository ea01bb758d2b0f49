"""When a running broker lost contact with the controllers or ZooKeeper, and its last try in vain."""

from __future__ import annotations

import pytest

from replay.facts.connections import peer_named
from replay.faults import unreachable
from replay.faults.shape import peers_of
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.faults.given import facts, first_lines, sessions, timings
from tests.tables import facts as bare_facts
from tests.tables import same_rows

_FENCED = """
    broker_id | start_ts | end_ts   | ended_by        | evidence
    2         | 09:00:00 | 10:00:09 | session_timeout | e2
    2         | 10:01:00 |          |                 | back     """
_HEARTBEAT = "[NodeToControllerChannelManager id=2 name=heartbeat] Cancelled in-flight BROKER_HEARTBEAT request"
_RAFT = "[RaftManager id=2] Cancelled in-flight FETCH request"


def cut(*lines: str, session: str = _FENCED, lost: str = "broker_heartbeat_failed"):
    """The fault of broker 2, fenced at 10:00:09 by controller 101, of which these lines are known; the first error of its own is of
    10:00:06.
    """
    told = facts(
        "ts | kind | node_id | broker_id | message | details\n"
        "09:00:00 | process_start_line | 2 | | |\n"
        "10:00:09 | kraft_broker_session_timeout | 101 | 2 | |\n"
        f"10:00:06 | {lost} | 2 | | |\n" + "\n".join(lines) + "\n10:05:00 | any | 2 | | |"
    )
    return unreachable.sessions_lost_alive(told, first_lines(told), sessions(session), (), timings())


def _cancelled(ts: str, message: str, api: str, elapsed: int, limit: int = 2_000) -> str:
    details = f"api_key={api};time_elapsed_since_send_ms={elapsed};request_timeout_ms={limit}"
    return f"{ts} | node_inflight_cancelled | 2 | | {message} | {details}"


@for_each(
    ("lines", "low", "high"),
    [
        # the session alone: the last heartbeat came 9 s before its end, and the next was due 2 s later
        ([], "09:59:59.500", "10:00:02.500"),
        # a heartbeat of 10:00:02: the one of 10:00:00 was answered
        ([_cancelled("10:00:04", _HEARTBEAT, "BROKER_HEARTBEAT", 2_000)], "09:59:59.750", "10:00:02.250"),
        # a fetch of the metadata log of 10:00:01: its answer may wait 500 ms, as did the one before
        ([_cancelled("10:00:03", _RAFT, "FETCH", 2_000)], "10:00:00.250", "10:00:01.750"),
        (
            [
                _cancelled("10:00:03", _RAFT, "FETCH", 2_000),
                _cancelled("10:00:03.2", _HEARTBEAT, "BROKER_HEARTBEAT", 2_000),
            ],
            "10:00:00.250",
            "10:00:01.450",
        ),
        # closed before its timeout, as when a controller stops: no sign of a cut
        ([_cancelled("10:00:03", _RAFT, "FETCH", 400)], "09:59:59.500", "10:00:02.500"),
        # answered later than the controllers had its last heartbeat: another time
        ([_cancelled("09:59:52", _RAFT, "FETCH", 2_000)], "09:59:59.500", "10:00:02.500"),
        # a vote asks another voter than the active controller
        ([_cancelled("10:00:03", _RAFT, "VOTE", 2_000)], "09:59:59.500", "10:00:02.500"),
    ],
)
def test_a_request_without_an_answer_dates_a_cut(lines, low, high):
    same_rows(
        cut(*lines),
        FAULTS,
        f"""
        kind                 | broker_id | began_low | began_high
        cut_from_controllers | 2         | {low}     | {high}     """,
    )


_ERROR = "Error connecting to node 10.77.0.12:9093 (id: {peer} rack: null)"


@pytest.mark.parametrize(
    ("client", "peer", "exception", "until"),
    [
        ("[NodeToControllerChannelManager id=2 name=heartbeat]", 102, "", "10:00:50"),
        ("[RaftManager id=2]", 101, "", "10:00:50"),
        ("[RaftManager id=2]", 102, "", "10:00:02.750"),  # another voter, which may be down
        ("[RaftManager id=2]", 101, "java.net.ConnectException: Connection refused", "10:00:02.750"),  # it is reached
        ("[ReplicaFetcher replicaId=2, leaderId=101, fetcherId=0]", 101, "", "10:00:02.750"),  # not the controllers
    ],
)
def test_a_failed_connect_to_the_controllers_shows_that_the_cut_lasted(client, peer, exception, until):
    details = f"exception={exception}" if exception else ""
    found = cut(f"10:00:50 | node_connect_error | 2 | | {client} {_ERROR.format(peer=peer)} | {details}")
    same_rows(
        found,
        FAULTS,
        f"""
        broker_id | ended_low | ended_high | end_ts
        2         | {until}   | 10:01:00   | 10:01:00 """,
    )


def _connecting(ts: str, server: str) -> str:
    return f"{ts} | zk_connecting | 2 | | | server={server}"


@pytest.mark.parametrize(
    ("tries", "until", "over"),
    [
        ([_connecting("10:00:40", "a"), _connecting("10:00:50", "a")], "10:00:40", "10:00:55"),
        # one of several servers may be down by itself: the cut lasted as long as the others were tried in vain
        (
            [_connecting("10:00:30", "a"), _connecting("10:00:40", "b"), _connecting("10:00:50", "a")],
            "10:00:30",
            "10:00:55",
        ),
        ([_connecting("10:00:50", "a")], "09:59:56.750", "10:00:55"),  # the first try succeeded
    ],
)
def test_a_connect_to_zookeeper_that_is_tried_again_failed(tries, until, over):
    found = cut(*tries, "10:00:55 | zk_session_expired | 2 | | |", lost="zk_client_timeout")
    same_rows(
        found,
        FAULTS,
        f"""
        kind               | ended_low | ended_high
        cut_from_zookeeper | {until}   | {over}     """,
    )


def test_a_fetch_that_a_peer_left_unanswered_dates_the_cut_from_all():
    """ZooKeeper's client last heard from its server at 10:00:00 and pings every 6 s."""
    timeout = "10:00:12 | zk_client_timeout | 2 | | | elapsed_ms=12000"
    fetcher = "[ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0]"
    timed_out = f"10:00:31 | fetch_send_error | 2 | 3 | {fetcher} request timeout |"
    closed = f"10:00:31 | fetch_send_error | 2 | 3 | {fetcher} Connection refused |"
    session = _FENCED.replace("10:00:09", "10:00:18")
    began = [
        [(one.began_low.strftime("%S.%f")[:6], one.began_high.strftime("%S.%f")[:6]) for one in found]
        for found in (
            cut(timeout, timed_out, session=session, lost="any"),
            cut(timeout, closed, session=session, lost="any"),
        )
    ]
    assert began == [[("00.250", "01.750")], [("59.900", "06.400")]]


@pytest.mark.parametrize(
    ("message", "peer"),
    [
        (_ERROR.format(peer=3), 3),
        ("Node 3 disconnected.", 3),
        ("Error connecting to node 10.77.0.12:9093", None),
    ],
)
def test_the_first_number_of_an_address_is_no_node(message, peer):
    (line,) = bare_facts(f"ts | kind | node_id | message\n10:00:00 | node_connect_error | 2 | {message}")
    assert peer_named(line) == peer


_FETCH = "[ReplicaFetcher replicaId=5, leaderId=2, fetcherId=0] Cancelled in-flight FETCH request"


@pytest.mark.parametrize(
    ("ts", "node", "message", "waited", "peers"),
    [
        ("10:00:09.100", 5, _FETCH, 7_200, [5]),
        ("10:00:09.100", 5, _FETCH, 480, []),
        ("10:00:20", 5, _FETCH, 7_200, []),
        ("09:59:30", 5, _FETCH, 7_200, []),
        ("10:00:09.100", 5, _FETCH.replace("leaderId=2", "leaderId=3"), 7_200, []),
        (
            "10:00:09.100",
            5,
            _FETCH.replace("ReplicaFetcher replicaId=5, leaderId=2, fetcherId=0", "RaftManager id=5"),
            7_200,
            [],
        ),
    ],
    ids=[
        "it gives up a fetch for the new leader",
        "the fetch had just been sent",
        "it was sent after the session",
        "it was given up long before",
        "it asked another broker",
        "it asked the controller",
    ],
)
def test_a_broker_whose_fetch_had_no_answer_belongs_to_the_cut(said, ts, node, message, waited, peers):
    found = cut(_cancelled(ts, message, "FETCH", waited, 30_000).replace("cancelled | 2", f"cancelled | {node}"))
    (fault,) = found
    assert peers_of(fault) == peers
    assert ("fetches of broker 5 from it had no answer" in said(found)[0]) is bool(peers)


def test_the_lines_of_a_session_that_ended_do_not_show_its_start():
    session = _FENCED.replace("| e2", "| start,e2")
    assert "start" not in cut(session=session)[0].evidence
