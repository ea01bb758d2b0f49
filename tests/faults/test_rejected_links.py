"""Cut links: a host of one end rejects connections, and fetches of the other end get no response (F05)."""

from __future__ import annotations

import pytest

from replay.faults.all_faults import apart_from, not_over_a_link, without_silences_of_links
from replay.faults.rejected_links import rejected_links
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS, LAG_SHRINKS
from tests.faults.given import facts, known, timings
from tests.tables import rows, same_rows

_CONTROLLER = (
    "[Controller id={node}, targetBrokerId={peer}] Error connecting to node 10.0.0.{peer}:9092 (id: {peer} rack: null)"
)
_FETCHER = "[ReplicaFetcher replicaId={node}, leaderId={peer}, fetcherId=0] Error sending fetch request (sessionId=1, epoch=2) to node {peer}:"
_INVALID = "java.net.SocketException: Invalid argument"
_UNREAD = "java.io.IOException: Connection to {peer} was disconnected before the response was read"


def _rejected(ts: str, node: int, peer: int, exception: str = _INVALID) -> str:
    return f"{ts} | node_connect_error | {node} | exception={exception} | {_CONTROLLER.format(node=node, peer=peer)}"


def _unanswered(ts: str, node: int, peer: int) -> str:
    return f"{ts} | fetch_send_error | {node} | exception={_UNREAD.format(peer=peer)} | {_FETCHER.format(node=node, peer=peer)}"


# As recorded of 2.8.2: node 3, the new controller, cannot connect to broker 1; the fetches in flight fail 30 s after they were sent.
_FROM_3 = (_rejected("10:00:01", 3, 1), _rejected("10:00:12", 3, 1), _rejected("10:00:24", 3, 1))
_FROM_1 = (_unanswered("10:00:30", 1, 3),)
_SILENT = "kind | broker_id | ts | began_low | end_ts | reason\n silent | 1 | 10:00:05 | 10:00:01 | 10:00:20 | removed_in_silence"


def links(
    *lines: str, outages: str = "kind", lives: str = "node_id | life | last_ts\n1 | 0 | 10:10:00\n3 | 0 | 10:10:00"
):
    told = facts("\n".join(("ts | kind | node_id | details | message", *lines)))
    return rejected_links(told, known(outages), timings(), rows(PROCESSES, lives))


def test_rejections_of_one_end_and_unanswered_fetches_of_the_other_show_a_cut_link():
    (found,) = links(*_FROM_3, *_FROM_1, outages=_SILENT)
    same_rows(
        [found],
        FAULTS,
        """
        kind     | code | broker_id | peers | ts       | end_ts   | began_low    | began_high | ended_low | ended_high
        link_cut | F05  | 1         | 3     | 10:00:00.750 | 10:00:30 | 09:59:59.250 | 10:00:00.750 | 10:00:24 | 10:01:01 """,
    )
    assert HOW_IT_IS_KNOWN.render(found.reason, found.arguments) == (
        "3 attempts to connect brokers 1 and 3 failed from 10:00:01.000 to 10:00:24.000, rejected by the hosts that made them, and "
        "fetches between them failed too, while both kept running; an outage explains each of their other failed fetches, so the link between them failed"
    )


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(_FROM_3, id="one end shows nothing"),
        pytest.param((*_FROM_1, _FROM_3[0]), id="one rejection lasts for no time"),
        pytest.param(
            (*_FROM_3, *_FROM_1, _rejected("10:00:02", 3, 2), _rejected("10:00:09", 3, 2)),
            id="broker 3 is cut off from all",
        ),
        pytest.param(
            (*_FROM_3, *_FROM_1, _unanswered("10:00:30", 1, 2)), id="broker 1 did not reach another one either"
        ),
        pytest.param(
            (*(line.replace("Invalid argument", "Connection refused") for line in _FROM_3), *_FROM_1),
            id="the peer refused",
        ),
    ],
)
def test_a_link_is_cut_only_if_both_ends_show_it_and_neither_is_isolated(lines):
    assert not links(*lines)


def test_a_frozen_peer_is_no_witness_that_an_end_of_the_link_is_isolated():
    """Broker 2 freezes: the fetches that fail because of it concern no link of brokers 1 and 3."""
    froze = "kind | broker_id | ts | end_ts\n paused | 2 | 09:59:50 | 10:00:25"
    assert (
        len(links(*_FROM_3, *_FROM_1, _unanswered("10:00:20", 1, 2), _unanswered("10:00:26", 2, 3), outages=froze)) == 1
    )


def test_a_link_whose_ends_do_not_run_on_has_no_end():
    (found,) = links(*_FROM_3, *_FROM_1, lives="node_id | life | last_ts\n1 | 0 | 10:00:31\n3 | 0 | 10:10:00")
    assert found.ended_high is None


def test_a_known_cut_of_an_end_explains_the_link():
    (link,) = links(*_FROM_3, *_FROM_1)
    cut = "kind | broker_id | ts | began_low | end_ts\n cut_from_controllers | {} | {} | {} | {}"
    assert apart_from([link], known(cut.format(3, "10:00:05", "10:00:00", "10:00:20"))) == []
    assert apart_from([link], known(cut.format(2, "10:00:05", "10:00:00", "10:00:20"))) == [link]
    assert apart_from([link], known(cut.format(3, "10:05:05", "10:05:00", "10:05:20"))) == [link]


@pytest.mark.parametrize(("controller", "left"), [(3, 0), (2, 1)])
def test_a_controller_at_the_other_end_of_a_cut_link_that_does_not_reach_a_broker_is_that_link(controller, left):
    unreached = f"kind | broker_id | ts | began_low | end_ts | arguments\n out_of_controllers_reach | 1 | 10:00:05 | 10:00:00 | 10:00:20 | controller={controller}"
    assert len(not_over_a_link(known(unreached), links(*_FROM_3, *_FROM_1))) == left


@pytest.mark.parametrize(("leader", "left"), [(3, []), (2, ["silent"])])
def test_a_broker_that_only_the_other_end_missed_did_not_fall_silent(leader, left):
    dropped = rows(LAG_SHRINKS, f"leader_id | dropped_id | ts\n{leader} | 1 | 10:00:12")
    outages = [*links(*_FROM_3, *_FROM_1), *known(_SILENT)]
    assert [one.kind for one in without_silences_of_links(outages, dropped)] == ["link_cut", *left]
