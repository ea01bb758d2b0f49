"""Brokers whose fetches fail while they and their peers run (F05)."""

from __future__ import annotations

import pytest

from replay.facts.times import unix_millis
from replay.faults import fetch_links as stage
from replay.faults import lag
from replay.faults.shape import of_kind
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from tests.faults.given import facts, first_lines, known, lag_shrinks, timings
from tests.tables import rows, same_rows


def _line(ts: str, node: int, peer: int, how: str = "Disconnecting from node {peer} due to request timeout.") -> str:
    """One line of the fetcher of `node` from `peer`."""
    told = how.format(peer=peer)
    return f"{ts} | node_inflight_cancelled | {node} | [ReplicaFetcher replicaId={node}, leaderId={peer}, fetcherId=0] {told}"


_REFUSED = "Error connecting to node b{peer}:9092 (id: {peer} rack: null)"
_BOTH_WAYS = (
    _line("10:00:30", 1, 2),
    _line("10:00:31", 1, 2, _REFUSED),
    _line("10:00:30.010", 2, 1),
    _line("10:00:32", 2, 1, _REFUSED),
)


def cut(*lines: str, outages: str = "kind"):
    return stage.cut_links(facts("\n".join(("ts | kind | node_id | message", *lines))), known(outages), timings())


def test_two_that_cannot_fetch_from_each_other_alone_are_cut_from_each_other(said):
    found = cut(*_BOTH_WAYS)
    same_rows(
        found,
        FAULTS,
        """
        kind     | code | broker_id | peers | ts       | end_ts   | began_low    | began_high   | ended_high
        link_cut | F05  | 1         | 2     | 10:00:30 | 10:00:32 | 09:59:59.750 | 10:00:00.750 | 10:01:03 """,
    )  # the try after the last line may have waited another 30 s
    assert said(found)[0] == (
        "fetches of brokers 1 and 2 from each other failed between 10:00:30.000 and 10:00:32.000, the first after 30.0 s "
        "without an answer, while both kept running; "
        "an outage explains each of their other failed fetches, so the link between them failed"
    )


def test_a_fetch_that_is_tried_again_without_an_answer_does_not_show_a_later_begin():
    """The second attempt was sent into the cut, too."""
    closed = (
        "Error sending fetch request to node {peer}: Connection to {peer} was disconnected before the response was read"
    )
    again = (_line(f"10:00:40.{peer}00", 1, peer, closed) for peer in (2, 3))
    found = cut(_line("10:00:30", 1, 2), _line("10:00:30.020", 1, 3, closed), *again)
    same_rows(
        found, FAULTS, "kind | broker_id | began_low | began_high\ncut_from_peers | 1 | 09:59:59.250 | 10:00:00.750"
    )


_TIMED_OUT = tuple(
    _line(f"10:00:30.0{number}", node, peer) for number, (node, peer) in enumerate(((2, 1), (1, 2), (2, 3), (3, 2)))
)
_NO_ROUTE = (
    "Error connecting to node b{peer}:9092 (id: {peer} rack: null) java.net.NoRouteToHostException: No route to host"
)


@pytest.mark.parametrize(
    ("more", "ended_low"),
    [
        pytest.param((), "10:00:13.530", id="the timeouts alone: TCP sends again after waits that double"),
        pytest.param((_line("10:00:30.050", 2, 1, _REFUSED),), "10:00:13.550", id="another line of the same failure"),
        pytest.param(
            (_line("10:00:31.100", 2, 1, _REFUSED),), "10:00:30", id="the next attempt began after the timeout"
        ),
        pytest.param((_line("10:00:31.100", 2, 1, _NO_ROUTE),), "10:00:31.100", id="one that is rejected at once"),
    ],
)
def test_a_timeout_shows_a_cut_at_its_request_and_not_at_its_line(more, ended_low):
    """What was sent at 10:00:00 had no response at 10:00:30; the link can have worked again since 10:00:13.5 (RFC 6298, 5.5)."""
    same_rows(
        cut(*_TIMED_OUT, *more),
        FAULTS,
        f"""
        kind           | broker_id | ended_low
        cut_from_peers | 2         | {ended_low} """,
    )


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(_BOTH_WAYS[:2], id="one says nothing"),
        pytest.param((_BOTH_WAYS[0], _BOTH_WAYS[2]), id="the next try succeeds, as after a sleep of their one host"),
        pytest.param((*_BOTH_WAYS[:3], _line("10:00:30.500", 2, 1, _REFUSED)), id="it succeeds on one side"),
    ],
)
def test_it_takes_both_ends_again_and_again(lines):
    assert not cut(*lines)


def test_one_that_fails_towards_two_is_itself_cut_off():
    same_rows(
        cut(*_BOTH_WAYS, _line("10:00:31", 1, 3)),
        FAULTS,
        """
        kind           | code | broker_id | peers
        cut_from_peers | F05  | 1         |       """,
    )


def test_while_one_end_is_away_nothing_shows_that_the_cut_is_over():
    outage = "kind | broker_id | ts | end_ts\nkilled | 2 | 10:00:40 | 10:02:00"
    same_rows(
        cut(*_BOTH_WAYS, outages=outage),
        FAULTS,
        """
        broker_id | end_ts   | ended_high
        1         | 10:00:32 | 10:02:31 """,
    )  # broker 2 is back at 10:02:00, and its first try may wait 31 s


def test_while_one_end_starts_nothing_shows_that_the_cut_is_over():
    outage = "kind | broker_id | ts | end_ts\nkilled | 2 | 10:00:40 | 10:01:00"
    starts = ("10:01:00 | broker_starting | 2 |", "10:03:00 | broker_started | 2 |")
    same_rows(
        cut(*_BOTH_WAYS, *starts, outages=outage),
        FAULTS,
        """
        broker_id | end_ts   | ended_high
        1         | 10:00:32 | 10:03:31 """,
    )


def _truncated(ts: str, node: int, leader: int) -> str:
    told = f"[ReplicaFetcher replicaId={node}, leaderId={leader}, fetcherId=0] Truncating partition orders-0 with ..."
    return f"{ts} | truncation_by_epoch | {node} | {told}"


@pytest.mark.parametrize(
    ("answers", "ended_high"),
    [
        ([(2, "10:00:33"), (3, "10:00:34")], "10:00:34"),
        ([(2, "10:00:33")], "10:01:01.020"),  # broker 3 has not answered
        ([(2, "10:00:29"), (3, "10:00:29")], "10:01:01.020"),  # before the last failure
    ],
)
def test_a_cut_is_over_when_each_peer_has_answered_a_fetch(answers, ended_high):
    """A follower truncates to an offset that its leader answers: `server.log` shows that, too."""
    found = cut(
        _line("10:00:30", 1, 2),
        _line("10:00:30.020", 1, 3),
        *(_truncated(ts, 1, leader) for leader, ts in answers),
    )
    same_rows(found, FAULTS, f"kind | broker_id | ended_high\ncut_from_peers | 1 | {ended_high}")


@pytest.mark.parametrize(("last", "ended_high"), [("10:01:03", "10:01:03"), ("10:00:50", "")])
def test_logs_that_end_before_the_next_try_do_not_show_that_the_cut_is_over(last, ended_high):
    lives = rows(PROCESSES, f"node_id | life | last_ts\n1 | 0 | 10:00:32\n3 | 0 | {last}")
    told = facts("\n".join(("ts | kind | node_id | message", *_BOTH_WAYS)))
    same_rows(
        stage.cut_links(told, [], timings(), lives),
        FAULTS,
        f"broker_id | end_ts | ended_high\n1 | 10:00:32 | {ended_high}",
    )


def test_an_outage_of_one_end_explains_it():
    outage = "kind | broker_id | ts | end_ts\npaused | 2 | 10:00:00 | 10:00:35"
    assert not cut(*_BOTH_WAYS, outages=outage)


_ALL_RESTARTED = (
    *(f"10:00:00 | broker_starting | {node} |" for node in (1, 2, 3)),
    *(_line(f"10:00:{second}", node, peer, _REFUSED) for second in (18, 19, 20) for node, peer in ((1, 2), (1, 3))),
)


def test_a_broker_that_starts_lets_no_peer_fetch_however_long_it_takes():
    """Up to its last step, the listener of a starting KRaft broker is closed, so that peers are refused at once."""
    killed = "kind | broker_id | ts | end_ts\n" + "\n".join(
        f"killed | {node} | 09:59:50 | 10:00:00" for node in (1, 2, 3)
    )
    started = [f"10:00:21 | broker_started | {node} |" for node in (1, 2, 3)]
    assert not cut(*_ALL_RESTARTED, *started, outages=killed)


def test_a_broker_that_has_started_is_cut_off_if_its_fetches_fail():
    started = [f"10:00:01 | broker_started | {node} |" for node in (1, 2, 3)]
    same_rows(
        cut(*_ALL_RESTARTED, *started),
        FAULTS,
        """
        kind           | code | broker_id | ts       | end_ts
        cut_from_peers | F05  | 1         | 10:00:18 | 10:00:20 """,
    )


def test_a_start_that_another_process_refuses_hides_no_cut():
    """The process before it goes on; only the start that ends with `started` counts."""
    beside_it = "09:00:00 | broker_starting | 1 |"
    restarted = ("11:00:00 | broker_starting | 1 |", "11:00:05 | broker_started | 1 |")
    assert len(cut(beside_it, *_BOTH_WAYS, *restarted)) == 1


def test_links_that_fail_elsewhere_or_long_before_are_another_matter():
    """Each pair of brokers has its own bursts; failures of half an hour before belong to another one."""
    earlier = (_line("09:30:00", 1, 3), _line("09:30:01", 2, 3))
    elsewhere = [
        _line(f"09:{minute:02}:{second:02}", 7, 8) for minute in range(30, 60) for second in (0, 10, 20, 30, 40, 50)
    ]
    found = of_kind(cut(*earlier, *elsewhere, *_BOTH_WAYS), "link_cut")
    same_rows(found, FAULTS, "broker_id | peers | ts\n1 | 2 | 10:00:30")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            (_BOTH_WAYS[0], _BOTH_WAYS[1], _line("10:00:33", 2, 1), _line("10:00:35", 2, 1)), id="one after the other"
        ),
        pytest.param(
            (*_BOTH_WAYS[:2], _BOTH_WAYS[2], _BOTH_WAYS[3].replace("fetcherId=0", "fetcherId=1")),
            id="two fetchers once",
        ),
        pytest.param((*_BOTH_WAYS, _line("10:00:35", 1, 3)), id="one of them fails towards a third"),
        pytest.param(
            [line.replace("Error", "SslAuthenticationException: Error") for line in _BOTH_WAYS], id="no credentials"
        ),
    ],
)
def test_it_is_the_link_only_if_nothing_else_is_likelier(lines):
    assert not of_kind(cut(*lines), "link_cut")


def test_it_began_when_the_first_unanswered_fetch_was_sent_whoever_logs_it():
    """Node 1 has its connection broken at once, node 2 waits for an answer until its timeout."""
    broken = [_line(f"10:00:{second:02}", 1, 2, _REFUSED) for second in range(0, 34, 3)]
    found = cut(*broken, _BOTH_WAYS[2], _BOTH_WAYS[3])
    same_rows(
        found,
        FAULTS,
        """
        broker_id | ts       | began_low | began_high
        1         | 10:00:00 | 09:59:59.250| 10:00:00 """,
    )


def test_a_closed_connection_shows_no_timeout():
    """Up to 2.7 both read alike."""
    closed = "Error sending fetch request to node {peer}: java.io.IOException: Connection to {peer} was disconnected before the response was read"
    both_ways = [_line(f"10:00:{second}", node, 3 - node, closed) for node in (1, 2) for second in (30, 32)]
    same_rows(
        cut(*both_ways),
        FAULTS,
        """
        kind     | broker_id | ts       | began_low | began_high
        link_cut | 1         | 10:00:30 | 09:59:59.250| 10:00:30 """,
    )


def _gave_up(ts: str, node: int, peer: int, waited: int) -> str:
    """A line of the fetcher of `node` that states how long a fetch from `peer` had been sent."""
    told = f"Cancelled in-flight FETCH request (elapsed time since send: {waited}ms, request timeout: 30000ms)"
    fetcher = f"[ReplicaFetcher replicaId={node}, leaderId={peer}, fetcherId=0]"
    details = f"time_elapsed_since_send_ms={waited};request_timeout_ms=30000"
    return f"{ts} | node_inflight_cancelled | {node} | {fetcher} {told} | {details}"


@pytest.mark.parametrize(
    ("lines", "low", "high"),
    [
        # broker 1 sent its last fetches at 10:00:00.000 and .300, its peers theirs at .100 and .200
        (
            [(30_050, "30.050", 1, 2), (30_100, "30.400", 1, 3), (30_200, "30.300", 2, 1), (30_000, "30.200", 3, 1)],
            "09:59:59.900",
            "10:00:00.750",
        ),
        # a cut of one way: the answer of 10:00:00 may be to a fetch that was sent before the cut
        ([(30_050, "30.050", 1, 2), (30_100, "30.400", 1, 3)], "09:59:59.250", "10:00:00.750"),
        # peers that waited little show nothing
        (
            [(30_050, "30.050", 1, 2), (30_100, "30.400", 1, 3), (480, "30.300", 2, 1), (480, "30.200", 3, 1)],
            "09:59:59.250",
            "10:00:00.750",
        ),
    ],
)
def test_fetches_of_both_sides_bound_the_begin_of_a_cut(lines, low, high):
    told = [_gave_up(f"10:00:{ts}", node, peer, waited) for waited, ts, node, peer in lines]
    found = stage.cut_links(facts("\n".join(("ts | kind | node_id | message | details", *told))), [], timings())
    same_rows(found, FAULTS, f"kind | broker_id | began_low | began_high\n cut_from_peers | 1 | {low} | {high}")


def test_a_fetch_that_was_given_up_early_is_no_timeout(said):
    """Up to the first line of broker 1 each fetch had waited for less than a second."""
    told = [_gave_up("10:00:30", 1, 2, 400), _gave_up("10:00:31", 1, 3, 500)]
    found = stage.cut_links(facts("\n".join(("ts | kind | node_id | message | details", *told))), [], timings())
    assert "without an answer" not in said(found)[0]


_LINK = """
    kind     | code | fault_id | broker_id | peers | ts       | began_low | began_high | end_ts   | partitions
    link_cut | F05  | link-1   | 1         | 2     | 10:00:30 | 10:00:00  | 10:00:30   | 10:00:40 | [] """
_ONE_WAY = "10:00:40 | isr_shrink | 1 | orders | 0 | 1,3 | old_isr=1,2,3"
_OTHER_WAY = "10:00:41 | isr_shrink | 2 | orders | 1 | 2,3 | old_isr=1,2,3"
_BY_A_THIRD = "10:00:42 | isr_shrink | 3 | orders | 2 | 1,3 | old_isr=1,2,3"


@pytest.mark.parametrize(
    "shrinks, left",
    [
        pytest.param((_ONE_WAY,), [], id="one end drops the other: it is not slow"),
        pytest.param((_ONE_WAY, _OTHER_WAY), [], id="both ends drop each other"),
        pytest.param((_BY_A_THIRD,), ["3 drops 2"], id="a third drops one end"),
    ],
)
def test_a_cut_link_explains_that_its_ends_drop_each_other(shrinks, left):
    told, links = _shrunk(*shrinks), rows(FAULTS, _LINK)
    dropped = lag.drops_for_lag(lag_shrinks(facts(told)), first_lines(facts(told)), links, (), timings())
    assert sorted(f"{one.leader_id} drops {one.dropped_id}" for burst in dropped for one in burst) == left


def test_a_cut_link_affected_the_partitions_in_which_one_end_dropped_the_other():
    shrinks = lag_shrinks(facts(_shrunk(_ONE_WAY, _BY_A_THIRD)))
    found = lag.with_partitions_of_links(rows(FAULTS, _LINK), shrinks, timings())
    same_rows(
        found,
        FAULTS,
        """
        fault_id | partitions | began_low | began_high
        link-1   | orders-0   | 10:00:00  | 10:00:12.500 """,
    )


_CUT_OFF = (
    _line("10:00:30", 1, 2),
    _line("10:00:30.010", 1, 3),
    _line("10:00:30.020", 2, 1),
    _line("10:00:30.030", 3, 1),
)
_DROPPED = (
    "10:00:12 | isr_shrink | 2 | orders | 0 | 2,3 | old_isr=1,2,3",
    "10:00:14 | isr_shrink | 3 | orders | 1 | 2,3 | old_isr=1,2,3",
    "10:00:14 | isr_shrink | 1 | orders | 2 | 1   | old_isr=1,2,3",
)
_BACK = (
    "10:00:31 | isr_updated | 2 | orders | 0 | 1,2,3 | ",
    "10:00:32 | isr_updated | 3 | orders | 1 | 1,2,3 | ",
    "10:00:33 | isr_updated | 1 | orders | 2 | 1,2,3 | ",
)


@pytest.mark.parametrize(
    "back, ended_high",
    [
        pytest.param(_BACK, "10:00:33", id="each leader has all that it dropped back"),
        pytest.param(_BACK[:2], "10:01:01.030", id="its followers have not returned"),
        pytest.param(_BACK[1:], "10:01:01.030", id="one peer has not taken it back"),
        pytest.param((), "10:01:01.030", id="nobody has returned"),
    ],
)
def test_a_broker_reaches_its_peers_when_all_dropped_replicas_have_returned(back, ended_high):
    shrinks = lag_shrinks(facts(_shrunk(*_DROPPED, *back)))
    found = lag.ended_as_replicas_return(cut(*_CUT_OFF), shrinks)
    same_rows(
        found,
        FAULTS,
        f"""
        kind           | broker_id | end_ts       | ended_low    | ended_high
        cut_from_peers | 1         | 10:00:30.030 | 10:00:13.530 | {ended_high} """,
    )


@pytest.mark.parametrize(
    ("died", "ended_high"),
    [("10:00:20", "10:00:32"), ("09:59:50", "10:01:01.030"), ("10:05:00", "10:01:01.030")],
)
def test_nobody_has_to_fetch_again_from_a_broker_whose_process_ended_in_the_cut(died, ended_high):
    """Others lead its partitions then: that its peers have it back in their ISRs is enough."""
    shrinks = lag_shrinks(facts(_shrunk(*_DROPPED[:2], *_BACK[:2])))
    crash = known(f"kind | broker_id | ts\nkilled | 1 | {died}")
    found = lag.ended_as_replicas_return([*crash, *cut(*_CUT_OFF)], shrinks)
    same_rows(of_kind(found, "cut_from_peers"), FAULTS, f"broker_id | ended_high\n1 | {ended_high}")


_OWN_HOST = "Error connecting to node b{peer}:9092 (id: {peer} rack: null) SocketException: Invalid argument"


@pytest.mark.parametrize(
    ("how", "last", "end_ts", "ended_low"),
    [
        pytest.param(_OWN_HOST, "10:00:45", "10:00:45", "10:00:45", id="its own host rejects it"),
        pytest.param(_OWN_HOST, "10:00:55", "10:00:32", "10:00:30.020", id="long after the one before"),
        pytest.param(_REFUSED, "10:00:45", "10:00:32", "10:00:30.020", id="the process that ended refuses it"),
    ],
)
def test_a_cut_lasts_while_a_host_rejects_its_own_fetches_whether_or_not_the_peer_runs(how, last, end_ts, ended_low):
    outage = "kind | broker_id | ts | end_ts\nkilled | 1 | 10:00:40 | 10:02:00"
    found = cut(*_CUT_OFF, _line("10:00:32", 2, 1), _line(last, 2, 1, how), outages=outage)
    same_rows(found, FAULTS, f"broker_id | end_ts | ended_low\n1 | {end_ts} | {ended_low}")
    ran = [one.arguments.get("at_ran") for one in found]
    assert ran == ["2024-05-01T10:00:32.000Z" if end_ts == "10:00:45" else None]


@pytest.mark.parametrize(
    ("second", "third", "led", "began_low"),
    [
        pytest.param("10:00:00.400", "10:00:00.300", "09:00:00", "09:59:59.800", id="the first that fetched no more"),
        pytest.param("09:59:55", "10:00:00.300", "09:00:00", "09:59:59.750", id="one lagged before the cut"),
        pytest.param("10:00:00.400", "10:00:00.300", "10:00:00.290", "09:59:59.750", id="the leader began only then"),
        pytest.param("10:00:04", "10:00:04", "09:00:00", "09:59:59.750", id="both fetched after the cut"),
    ],
)
def test_a_broker_was_not_cut_off_while_its_followers_fetched(second, third, led, began_low):
    stated = ") (".join(
        f"brokerId: {broker}, endOffset: 9, lastCaughtUpTimeMs: {_millis(ts)}"
        for broker, ts in ((2, second), (3, third))
    )
    shrinks = lag_shrinks(
        facts(
            _shrunk(
                f"{led} | leader_start | 1 | orders | 2 | 1,2,3 | ",
                f"10:00:32 | isr_shrink | 1 | orders | 2 | 1 | old_isr=1,2,3;out_of_sync_replicas=({stated})",
            )
        )
    )
    found = lag.begun_as_followers_fetched(cut(*_CUT_OFF), shrinks, timings())
    same_rows(found, FAULTS, f"kind | began_low\n cut_from_peers | {began_low}")


def _millis(clock: str) -> int:
    (line,) = facts(f"ts | kind\n{clock} | any")
    return unix_millis(line.ts)


def _shrunk(*shrinks: str) -> str:
    return "\n".join((
        "ts | kind | node_id | topic | partition | isr | details",
        *(f"09:00:00 | any | {node} |  |  |  | " for node in (1, 2, 3)),
        *shrinks,
    ))  # fmt: skip
