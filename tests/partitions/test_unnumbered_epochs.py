"""Leader epochs that lines show late, or without their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from replay.facts.window import ALL_TIME
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.elected_from import leader_epochs
from replay.partitions.elections import Triggers, elections
from replay.partitions.failovers import SessionsOfBrokers, failovers
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import partition_states
from replay.partitions.unnumbered_epochs import UNAVAILABLE
from replay.tables.partitions import LeaderEpoch
from replay.timelines import folds
from tests.partitions.reports import reports
from tests.tables import facts

# Broker 3 leads orders-3 and dies; nodes 2 and 3 start again and take on their roles of leader epoch 4.
SEEN = """
ts       | event_id | node_id | leader_epoch | leader_id | isr | witness  | kind           | born
10:00:00 | s1       | 3       | 2            | 3         | 3   | decision | state_change   | true
10:00:01 | s2       | 3       | 2            | 3         | 3   | leader   | leader_start   | true
10:02:05 | s3       | 2       | 4            | {leader}  |     | follower | follower_start | {born}
10:02:07 | s4       | 3       | 4            | {leader}  | 3   | leader   | leader_start   | false """
# A LeaderAndIsr request that names no leader.
NOBODY = f"""
ts       | event_id | node_id | kind          | topic  | partition | details
10:02:03 | n1       | 2       | {UNAVAILABLE} | orders | 3         | new_leader=-1 """


@dataclass
class Told:
    """What is told of orders-3."""

    epochs: list[LeaderEpoch]

    def when(self) -> list[tuple[int, int | None, str, str | None, bool]]:
        return [
            (one.leader_epoch, one.leader_id, clock(one.start_ts), one.reason, bool(one.begun_before))
            for one in self.epochs
        ]


def clock(ts: datetime) -> str:
    return f"{ts:%H:%M:%S}"


def told(lines: str = "kind", leader: int = 3, born: str = "false", seen: str = SEEN) -> Told:
    states = reports(seen.format(leader=leader, born=born), topic="orders", partition=3, life=0)
    moves = BrokerMoves.of(facts("ts"))
    isrs = partition_states(states, moves)
    dated = dated_leader_epochs(
        folds.leader_epochs(states), isrs, [], TopicLives(), moves, ALL_TIME, states, [], facts(lines)
    )
    return Told(leader_epochs(dated, [], [], []))


def test_a_request_without_a_leader_between_two_leader_epochs_shows_the_one_that_is_missing():
    assert told(NOBODY).when() == [
        (2, 3, "10:00:00", "unknown", False),
        (3, -1, "10:02:03", "leaderless", True),
        (4, 3, "10:02:05", "election", False),
    ]


def test_a_running_broker_logs_the_time_without_a_leader_as_it_begins():
    assert [found for *_, found in told(NOBODY, born="true").when()] == [False, False, False]


def test_no_leader_epoch_is_added_without_such_a_line_or_if_more_than_one_is_missing():
    later = NOBODY.replace("10:02:03", "10:02:06")  # the broker has its role by then
    of_dead_leader = NOBODY.replace("new_leader=-1", "new_leader=1")
    for lines in ("kind", later, of_dead_leader, NOBODY.replace("| 2 ", "| 1 ", 1)):
        assert [epoch for epoch, *_ in told(lines).when()] == [2, 4]
    wide = SEEN.replace("| 4            |", "| 6            |")
    assert [epoch for epoch, *_ in told(NOBODY, seen=wide).when()] == [2, 6]


def test_a_line_of_an_earlier_time_without_a_leader_shows_no_later_one():
    again = f"{SEEN.rstrip()}\n10:00:02 | s0 | 2 | 2 | 3 | | follower | follower_start | true\n10:03:00 | s5 | 2 | 6 | 1 | | follower | follower_start | true"
    shown = [(epoch, clock) for epoch, leader, clock, *_ in told(NOBODY, seen=again).when() if leader == -1]
    assert shown == [(3, "10:02:03")]


def test_the_length_of_a_time_without_a_leader_that_is_found_under_way_is_not_known():
    assert told(NOBODY).epochs[-1].leaderless_ms is None
    assert told(NOBODY, born="true").epochs[-1].leaderless_ms == 2_000


def test_a_leader_epoch_that_only_started_brokers_name_had_begun_before():
    assert told(leader=1).when()[-1] == (4, 1, "10:02:05", "election", True)
    assert told(leader=1, born="true").when()[-1] == (4, 1, "10:02:05", "election", False)


def test_an_election_of_such_a_leader_epoch_came_earlier_and_nothing_shows_who_had_a_session_then():
    [election] = elections(told(leader=1).epochs, Triggers(), BrokerMoves.of(facts("ts")))
    assert election.begun_before
    rows = failovers([election], [], [], SessionsOfBrokers([]), TopicLives())
    assert {(row.is_alive, row.lag_ms) for row in rows} == {(None, None)}
