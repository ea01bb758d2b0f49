"""The session ended and the broker ran on (F06, F07, F12), or ZooKeeper was gone for all."""

from __future__ import annotations

import pytest

from replay.faults import unreachable
from replay.faults.shape import unexplained
from replay.tables.faults import FAULTS
from tests.closing.given import has_rival as is_left_open
from tests.faults.given import facts, first_lines, known, sessions, timings
from tests.tables import same_rows


def lost_alive(told, lost, pauses=()):
    return unreachable.sessions_lost_alive(told, first_lines(told), lost, pauses, timings())


def without_zookeeper(told, outages):
    """Times without ZooKeeper, where no outage tells more of them."""
    lost = unexplained(unreachable.zookeeper_lost(told), outages)
    return lost + unreachable.zookeeper_away(told, lost + outages)


_TIMED_OUT = """
    broker_id | start_ts | end_ts   | ended_by        | evidence
    2         | 09:00:00 | 10:00:09 | session_timeout | fenced
    2         | 10:01:00 |          |                 | back     """


@pytest.mark.parametrize(
    ("kind", "fault", "code", "where"),
    [
        ("zk_client_timeout", "cut_from_zookeeper", "F07", "ZooKeeper"),
        ("broker_heartbeat_failed", "cut_from_controllers", "F06", "the controllers"),
        ("isr_updated", "fenced_alive", "F12", "none of its lines reports"),
    ],
)
def test_the_brokers_own_lines_say_what_it_could_not_reach(said, kind, fault, code, where):
    found = lost_alive(
        facts(f"""
        ts       | kind               | node_id
        09:00:00 | process_start_line | 2
        10:00:05 | {kind}             | 2
        10:00:30 | any                | 2       """),
        sessions(_TIMED_OUT),
    )
    first = "10:00:05" if code != "F12" else "10:00:09"
    same_rows(
        found,
        FAULTS,
        f"""
        kind    | code   | broker_id | ts      | end_ts
        {fault} | {code} | 2         | {first} | 10:01:00 """,
    )
    assert where in said(found)[0]


@pytest.mark.parametrize(
    ("kind", "ended"),
    [("zk_client_timeout", "10:00:50"), ("broker_heartbeat_failed", "10:00:50"), ("isr_updated", "10:01:00")],
)
def test_a_cut_from_the_controllers_is_over_with_the_registration_and_a_fence_with_the_unfencing(kind, ended):
    back = "2         | 10:01:00 |          |                 | back     "
    registered = _TIMED_OUT.replace("evidence", "evidence | live_ts").replace("fenced", "fenced   |")
    registered = registered.replace(back, "2         | 10:00:50 |          |                 | back     | 10:01:00")
    (found,) = lost_alive(
        facts(f"""
        ts       | kind               | node_id
        09:00:00 | process_start_line | 2
        10:00:05 | {kind}             | 2
        10:00:30 | any                | 2       """),
        sessions(registered),
    )
    assert str(found.end_ts)[11:19] == ended


@pytest.mark.parametrize("kind", ["zk_client_timeout", "broker_heartbeat_failed", "isr_updated"])
def test_a_broker_that_is_not_back_when_the_logs_end_is_still_away(kind):
    """The end of its session is no end of the fault."""
    told = facts(f"""
        ts       | kind               | node_id
        09:00:00 | process_start_line | 2
        10:00:05 | {kind}             | 2
        10:00:30 | any                | 2       """)
    (found,) = lost_alive(told, sessions("\n".join(_TIMED_OUT.splitlines()[:3])))
    assert (found.end_ts, found.ended_high) == (None, None)


@pytest.mark.parametrize(
    ("other", "has_rival", "sentence"),
    [
        ("", True, "ZooKeeper's own log has the expiry at 10:00:09.000"),
        (
            "10:00:00 | zk_session_connected      | 3 | session_id=0xc",
            False,
            "ZooKeeper's own log has the expiry at 10:00:09.000, while ZooKeeper kept the session of broker 3",
        ),
        (
            "10:00:00 | zk_session_connected      | 3 | session_id=0xc\n 10:00:11 | zookeeper_session_expired | 0 | session_id=0xc",
            True,
            "ZooKeeper's own log has the expiry at 10:00:09.000",
        ),
    ],
    ids=["nobody else was connected", "another broker kept its session", "another broker lost its session too"],
)
def test_zookeepers_own_log_shows_whether_it_served_other_brokers(said, other, has_rival, sentence):
    found = lost_alive(
        facts(f"""
        ts       | kind                      | node_id | details
        09:00:00 | process_start_line        | 2 |
        09:00:01 | zk_session_connected      | 2 | session_id=0xb
        {other or "10:00:00 | any            | 3 |"}
        10:00:05 | zk_client_timeout         | 2 |
        10:00:09 | zookeeper_session_expired | 0 | session_id=0xb
        10:00:30 | any                       | 2 |                """),
        sessions(_TIMED_OUT),
    )
    assert said(found)[0].endswith(sentence)
    assert [is_left_open(one) for one in found] == [has_rival]
    assert found[0].evidence[0].startswith("e")


def test_a_broker_whose_heartbeats_are_refused_reached_the_controllers():
    """They answered it: what they refused it for is a fault of its own."""
    refusals = "\n".join(
        f"        10:00:0{second} | broker_heartbeat_failed | 2       | Broker 2 sent a heartbeat request but received error STALE_BROKER_EPOCH."
        for second in (1, 3, 5)
    )
    told = facts(f"""
        ts       | kind               | node_id | message
        09:00:00 | process_start_line | 2       |
{refusals}
        10:00:30 | any                | 2       | """)
    assert lost_alive(told, sessions(_TIMED_OUT)) == []


def test_a_broker_known_to_have_stood_still_was_not_cut_off():
    assert not lost_alive(
        facts("ts"),
        sessions(_TIMED_OUT),
        known("""
        kind   | broker_id | began_low   | ts       | end_ts
        paused | 2         | 10:00:00 | 10:00:00 | 10:00:20 """),
    )


@pytest.mark.parametrize(("and_then", "as_well"), [("fetch_send_error", True), ("isr_shrink", False)])
def test_a_broker_whose_own_fetches_fail_was_cut_from_its_peers_too(said, and_then, as_well):
    """That its followers leave it tells nothing: fenced, it loses them to the new leaders (as recorded of 4.1.1, cut from the controllers alone)."""
    found = lost_alive(
        facts(f"""
        ts       | kind                    | node_id | isr | topic  | partition | message
        10:00:05 | broker_heartbeat_failed | 2       |     |        |           |
        10:00:12 | {and_then}              | 2       | 2   | orders | 3         | [ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Error sending fetch request
        10:00:13 | {and_then}              | 2       | 2   | orders | 4         | [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error sending fetch request """),
        sessions(_TIMED_OUT),
    )
    same_rows(
        found,
        FAULTS,
        """
        code | broker_id
        F06  | 2         """,
    )
    assert said(found)[0].endswith(
        "; its heartbeats to the controllers failed" + "; its fetches from brokers 1 and 3 failed as well" * as_well
    )


@pytest.mark.parametrize(
    ("kind", "ts", "why", "as_well"),
    [
        ("fetch_send_error", "10:00:26", "Connection to 3 was disconnected before the response was read", True),
        ("fetch_send_error", "10:00:34", "Connection to 3 was disconnected before the response was read", False),
        ("node_connect_failed", "10:00:35", "Connection to node 3 could not be established", False),
        ("fetch_send_error", "10:00:34", "java.net.SocketTimeoutException: no answer within 30000 ms", True),
        ("node_request_timeout", "10:00:34", "Disconnecting from node 3 due to request timeout.", True),
    ],
    ids=["as it came back", "the peer died later", "and stayed dead", "sent before it was back", "a timeout"],
)
def test_what_fails_once_a_broker_is_back_follows_from_something_else(said, kind, ts, why, as_well):
    """As recorded of 4.1.1: cut off from the controllers alone, back, and 9 s later one of its peers was killed."""
    found = lost_alive(
        facts(f"""
        ts       | kind                    | node_id | message
        10:00:05 | broker_heartbeat_failed | 2       |
        {ts}     | {kind}                  | 2       | [ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] {why} """),
        sessions(
            "broker_id | start_ts | end_ts | ended_by\n 2 | 09:00:00 | 10:00:09 | session_timeout\n 2 | 10:00:25 | |"
        ),
    )
    assert ("its fetches from broker 3 failed as well" in said(found)[0]) is as_well


def test_each_clause_has_a_line_before_any_has_two():
    """Ten equal failed connections come before the failed fetches that the same sentence states."""
    connect = (
        "node_connect_error      | 2 | [NodeToControllerChannelManager id=2 name=heartbeat] Error connecting to node 1"
    )
    connects = "\n".join(f"        10:00:{second:02} | {connect}" for second in range(6, 20))
    found = lost_alive(
        facts(f"""
        ts       | kind                    | node_id | message
        10:00:05 | broker_heartbeat_failed | 2       |
{connects}
        10:00:21 | fetch_send_error        | 2       | [ReplicaFetcher replicaId=2, leaderId=3, fetcherId=0] Error sending fetch request
        10:00:22 | fetch_send_error        | 2       | [ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Error sending fetch request """),
        sessions(_TIMED_OUT),
    )
    shown = [event for event in found[0].evidence if event not in ("fenced", "back")]
    assert shown == ["e15", "e1", "e2", "e3", "e4", "e5", "e6", "e16", "e17"]  # first the last one that failed


def test_a_session_that_ends_as_its_brokers_files_begin_does_not_show_why():
    assert not lost_alive(
        facts("""
        ts       | kind        | node_id
        10:00:05 | isr_updated | 2
        10:00:30 | any         | 2       """),
        sessions(_TIMED_OUT),
    )


WITHOUT_ZOOKEEPER = """
    ts           | kind                   | node_id | details
    10:00:00     | zk_session_connected   | 1       |
    10:00:00     | zk_session_connected   | 2       |
    10:05:00     | zk_client_timeout      | 1       | session_id=0x1;elapsed_ms=4000
    10:05:02     | zk_client_disconnected | 1       | session_id=0x1
    {back_1}     | {found_1}              | 1       |
    10:05:01     | zk_client_disconnected | 2       | session_id={session_2}
    10:05:09     | zk_session_connected   | 2       | """


@pytest.mark.parametrize(
    "found_1, back_1, session_2, brokers",
    [
        ("zk_session_connected", "10:05:10", "0x2", [1, 2]),
        ("zk_session_connected", "10:05:02.5", "0x2", [2]),  # at once: nothing was amiss but that broker
        ("zk_session_expired", "10:05:10", "0x2", [1, 2]),
        ("zk_session_connected", "10:05:10", "0x0", [1]),  # not connected before
    ],
)
def test_brokers_without_zookeeper(said, found_1, back_1, session_2, brokers):
    told = facts(WITHOUT_ZOOKEEPER.format(found_1=found_1, back_1=back_1, session_2=session_2))
    found = without_zookeeper(told, known())
    same_rows(
        [one for one in found if one.broker_id is None],
        FAULTS,
        f"kind | code | peers | began_low | ts\n{'zookeeper_away | F07 | 1,2 | 10:04:56 | 10:05:00' if len(brokers) > 1 else ''}",
    )
    rows = {one.broker_id: one for one in found if one.broker_id is not None}
    assert sorted(rows) == brokers and {row.code for row in rows.values()} == {"F07"}
    texts = said(rows.values())
    assert all(("could not reach it either" in text) == (len(brokers) > 1) for text in texts)
    if 1 in rows:
        assert (rows[1].ts - rows[1].began_low).total_seconds() == 4 and rows[1].end_ts > rows[1].ts
        assert ("its session expired" in texts[0]) == (found_1 == "zk_session_expired")
    paused = known("""
        kind   | broker_id | ts       | end_ts
        paused | 1         | 10:04:50 | 10:05:00 """)
    assert [row.broker_id for row in without_zookeeper(told, paused)] == [b for b in brokers if b != 1]
