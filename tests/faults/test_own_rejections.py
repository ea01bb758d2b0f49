"""A broker was cut off because its own host rejected its connections, or because of the network."""

from __future__ import annotations

import pytest

from replay.faults.kinds import BY_NAME
from replay.faults.own_rejections import with_own_rejections
from replay.faults.shape import fault
from replay.sentences.statement import LIST_SEPARATOR, statement
from tests.closing.given import has_rival as is_left_open
from tests.each import for_each
from tests.faults.given import facts

_BEGAN, _FIRST, _END = (
    one.ts
    for one in facts("""
        ts
        10:00:00
        10:00:05
        10:00:40 """)
)
_CUT = {"broker_id": 2, "began_low": _BEGAN, "ts": _FIRST, "end_ts": _END}
_HEARTBEAT = (
    "[NodeToControllerChannelManager id=2 name=heartbeat] Error connecting to node 10.0.0.1:9093 (id: 1 rack: null)"
)
_RAFT = "[RaftManager nodeId=2] Error connecting to node 10.0.0.1:9093 (id: 1 rack: null)"
_INVALID = "java.net.SocketException: Invalid argument"


def cut(kind="cut_from_controllers", **given):
    how = {
        "cut_from_controllers": statement("session_timed_out_alive", node=2, at_session_end=_FIRST, controllers=True),
        "cut_from_peers": statement("fetches_failed", broker=2, all_peers=[1, 3], at_from=_FIRST, at_to=_END),
        "link_cut": statement("fetches_failed_both_ways", broker=2, peer=3, at_from=_FIRST, at_to=_END),
        "killed": statement("ended_without_shutdown", node=2, at_last=_FIRST),
    }[kind]
    return fault(kind, how, **_CUT, **given)


def line(ts="10:00:06", node=2, exception=_INVALID, message=_RAFT, kind="node_connect_error"):
    return facts(f"""
        ts   | kind   | node_id | details               | event_id | message
        {ts} | {kind} | {node}  | exception={exception} | e1       | {message} """)


@for_each(
    "message", [_HEARTBEAT, _RAFT, "[broker-2-to-controller] Error connecting to node 10.0.0.1:9092 (id: 1 rack: null)"]
)
@for_each("kind", ["cut_from_controllers", "cut_from_peers"])
@for_each(
    ("exception", "error"),
    [
        (_INVALID, "Invalid argument"),
        ("java.net.SocketException: Operation not permitted", "Operation not permitted"),
        ("java.net.BindException: Permission denied", "Permission denied"),
        ("java.net.NoRouteToHostException: No route to host", "No route to host"),
        ("java.net.SocketException: Network is unreachable", "Network is unreachable"),
    ],
)
def test_a_cut_broker_whose_own_host_rejects_its_connections_points_at_that_host(message, kind, exception, error):
    found = with_own_rejections([cut(kind)], line(exception=exception, message=message))
    assert found[0].arguments["rejected"] == error
    assert "e1" in found[0].evidence
    assert not is_left_open(found[0])
    assert "ip route" in next(text for name, text in BY_NAME[kind].look_next_if if name in found[0].arguments)


@for_each(
    "other",
    [
        line(exception="java.net.ConnectException: Connection refused"),
        line(exception="java.net.UnknownHostException: kafka-1"),
        line(exception=""),
        line(node=1),
        line(ts="10:05:00"),
        line(ts="09:50:00"),
        # The network, too, may answer an attempt under way with this.
        line(kind="node_connect_failed", exception="java.net.NoRouteToHostException: No route to host"),
    ],
)
def test_other_failed_connections_do_not_point_at_the_brokers_host(other):
    assert with_own_rejections([cut()], other) == [cut()]


def test_a_host_that_rejects_connections_to_a_third_node_did_not_cut_this_link():
    of_link = [cut("link_cut", peers=[3])]
    assert with_own_rejections(of_link, line()) == of_link
    found = with_own_rejections(of_link, line(message=_RAFT.replace("id: 1", "id: 3")))
    assert found[0].arguments["rejected"] == "Invalid argument"
    other_end = line(node=3, message=_RAFT.replace("id: 1", "id: 2").replace("nodeId=2", "nodeId=3"))
    [found] = with_own_rejections(of_link, other_end)
    assert found.arguments["all_rejecting"] == "3"


def test_the_hosts_of_peers_that_reject_connections_to_it_are_named_too():
    """Only those to this broker at that time: a cut in both directions."""
    to_it = [line(node=1, message=_RAFT.replace("id: 1", "id: 2")), line(node=3)]
    [found] = with_own_rejections([cut("cut_from_peers", peers=[1, 3])], [*line(), *to_it[0], *to_it[1]])
    assert found.arguments["all_rejecting"].split(LIST_SEPARATOR) == ["1", "2"]
    look_next = next(text for name, text in BY_NAME["cut_from_peers"].look_next_if if name in found.arguments)
    assert "on its host and on those of its peers" in look_next


def test_a_cut_lasts_until_the_last_connection_that_a_host_of_it_rejects_and_no_stalled_disk_looks_like_that():
    given = {"peers": [3], "ended_low": _FIRST, "ended_high": _END, "unknowns": ["cut_or_stalled"]}
    to_it = [line(ts, node=3, message=_RAFT.replace("id: 1", "id: 2"))[0] for ts in ("10:00:20", "10:00:50")]
    [found] = with_own_rejections([cut("cut_from_peers", **given)], [*line(), *to_it])
    assert (found.ended_low, found.unknowns) == (to_it[0].ts, [])
    [other] = with_own_rejections([cut("cut_from_peers", **given)], line(node=1))
    assert (other.ended_low, other.unknowns) == (_FIRST, ["cut_or_stalled"])


def test_a_broker_that_died_is_not_cut_off_by_its_host():
    assert with_own_rejections([cut("killed")], line()) == [cut("killed")]


def unreached(peers):
    how = statement("took_no_connection", node=1, count=2, all_peers=peers, at_from=_FIRST, at_to=_END)
    return fault("silent", how, **{**_CUT, "broker_id": 1}, evidence=["e9"])


@pytest.mark.parametrize(("peers", "kind"), [([2], "cut_from_peers"), ([2, 3], "silent")])
def test_a_node_without_lines_is_cut_off_if_the_hosts_of_all_its_peers_reject_their_connections(peers, kind):
    """No packet reached it: it neither died nor froze because of that."""
    [found] = with_own_rejections([unreached(peers)], line())
    assert found.kind == kind
    if kind == "cut_from_peers":
        assert (found.reason, found.arguments["error"], found.peers) == (
            "peers_hosts_rejected",
            "Invalid argument",
            [2],
        )
        assert not is_left_open(found)
        assert "hosts of its peers" in next(
            text for name, text in BY_NAME[kind].look_next_if if name in found.arguments
        )
