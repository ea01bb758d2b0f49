"""Leader epochs that only followers' fetches name, dated by the fetchers that replicas stop; and the ISRs in them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pipelines import incident
from replay.facts.window import ALL_TIME
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.elected_from import leader_epochs
from replay.partitions.elections import Triggers, elections
from replay.partitions.fetchers import (
    FETCHES,
    ISR_INTENTS,
    ISR_UPDATED,
    Fetchers,
    dated_by_fetchers,
    isrs_of_fetched_leaders,
)
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import partition_states
from replay.tables import ELECTIONS
from replay.tables.offsets import FETCHER_STOPS
from replay.tables.partitions import LEADER_EPOCHS, PARTITION_STATES, LeaderEpoch
from replay.timelines import folds
from tests.doubling import grows_too_fast
from tests.each import for_each
from tests.partitions.reports import reports
from tests.tables import facts, rows, same_rows

# Broker 3 leads in leader epoch 1; broker 1 follows, then stops; broker 2 leads in leader epoch 4.
FOLLOWED = """
ts       | node_id | leader_epoch | leader_id | witness
10:00:00 | 1       | 0            | 2         | follower
10:00:20 | 1       | 1            | 3         | follower
10:02:00 | 3       | 4            | 2         | follower """
STOPS = """
ts           | node_id | event_id
10:00:20     | 1       | s0
10:00:21     | 3       | s1
10:00:40     | 1       | s2
10:01:10     | 2       | s3
10:02:00     | 3       | s4 """


def led(followed: str = FOLLOWED, stops: str = STOPS, lines: str = "kind", moves: str = "kind") -> list[LeaderEpoch]:
    """The leader epochs of orders-3 from what its replicas fetched, and from the fetchers that they stopped."""
    named = {"topic": "orders", "partition": 3, "life": 0}
    seen = [one.but(event_id=f"f{n}", kind=one.kind or FETCHES) for n, one in enumerate(reports(followed, **named))]
    own = [stop.but(topic="orders", partition=3) for stop in rows(FETCHER_STOPS, stops)]
    broker_moves = BrokerMoves.of(facts(moves))
    dated = dated_leader_epochs(
        folds.leader_epochs(seen), [], [], TopicLives(), broker_moves, ALL_TIME, seen, own, facts(lines)
    )
    return leader_epochs(dated, [], [], [])


def begins(epochs: Sequence[LeaderEpoch]) -> dict[int, str]:
    return {epoch.leader_epoch: f"{epoch.start_ts:%H:%M:%S}" for epoch in epochs}


def test_a_leader_led_from_the_stop_of_its_own_fetcher_on_not_from_the_first_fetch_of_another():
    assert begins(led()) == {0: "10:00:00", 1: "10:00:20", 4: "10:01:10"}


def test_a_leader_epoch_before_missing_ones_ends_as_a_follower_stops_which_may_have_led():
    same_rows(
        led(),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | end_ts   | may_lead_next | old_leader_id | last_leader_id | leaderless_ms
        0            | 2         | 10:00:20 |               |               |                | 0
        1            | 3         | 10:00:40 | 1             | 2             | 2              | 0
        4            | 2         |          |               |               |                |  """,
    )
    assert [election.leader_epoch for election in elections(led(), Triggers(), BrokerMoves())] == [1]


def test_the_time_without_a_leader_is_not_known_after_leader_epochs_that_no_line_names():
    """Nobody else can have led, but whether leader epoch 1 had a leader is in no line."""
    epochs = led(
        """
        ts       | node_id | leader_epoch | leader_id | witness
        10:00:00 | 3       | 0            | 1         | follower
        10:02:00 | 3       | 2            | 2         | follower """,
        "ts | node_id | event_id\n 10:01:10 | 2 | s1",
    )
    assert [(epoch.last_leader_id, epoch.leaderless_ms) for epoch in epochs] == [(None, 0), (1, None)]


@for_each(
    ("case", "stops", "more"),
    [
        ("it began to fetch from another leader", "10:01:10 | 2 | s3", {"fetches": "10:01:11 | 2 | 1 | 3 | follower"}),
        ("it applied an ISR of its own", "10:01:10 | 2 | s3", {"lines": "10:01:10 | isr_updated | 2 | 2,3"}),
        ("it was stopping", "10:01:10 | 2 | s3", {"moves": "10:01:00 | broker_shutdown_begin | 2"}),
        ("its directory failed", "10:01:10 | 2 | s3", {"moves": "10:01:10 | log_dir_failure_begin | 2"}),
        ("it was before the leader epoch before", "10:00:10 | 2 | s3", {}),
        ("another broker stopped", "10:01:10 | 4 | s3", {}),
    ],
)
def test_a_stop_shows_no_new_leader_where(case: str, stops: str, more: dict[str, str]):
    epochs = led(
        f"{FOLLOWED.rstrip()}\n{more.get('fetches', '')}",
        f"ts | node_id | event_id\n{stops}",
        f"ts | kind | node_id | isr\n{more['lines']}" if "lines" in more else "kind",
        f"ts | kind | node_id\n{more['moves']}" if "moves" in more else "kind",
    )
    assert begins(epochs)[4] == "10:02:00", case


def test_where_a_broker_logs_its_roles_fetchers_date_nothing():
    followed = FOLLOWED.replace("follower ", "follower |").replace("follower\n", "follower |\n")
    with_role = f"{followed.replace('witness', 'witness | kind')}\n10:00:20 | 3 | 1 | 3 | leader | leader_start"
    assert begins(led(with_role))[4] == "10:02:00"


def test_a_leader_that_returned_was_elected_as_it_was_unfenced():
    """Its own line shows it, where no controller's does: a partition with a leader keeps that."""
    epochs = led(
        """
        ts       | node_id | leader_epoch | leader_id | witness
        10:00:00 | 3       | 0            | 1         | follower
        10:02:00 | 3       | 2            | 2         | follower """,
        "ts | node_id | event_id\n 10:01:10 | 2 | s1",
    )
    moves = BrokerMoves.of(facts("ts | kind | node_id | event_id\n 10:01:09.900 | broker_unfenced | 2 | u"))
    same_rows(
        elections(epochs, Triggers(), moves),
        ELECTIONS,
        """
        leader_epoch | old_leader_id | new_leader_id | trigger
        2            | 1             | 2             | unfenced """,
    )


ISRS = """
ts       | kind        | node_id | isr   | partition_epoch | event_id
10:02:01 | isr_updated | 2       | 2,3   | 5               | i1
10:02:09 | isr_updated | 2       | 2,3,1 | 6               | i2 """


# The line with which the leader begins its first change.
BEGUN = """
ts           | kind       | node_id | isr | event_id | details
10:02:00.800 | isr_shrink | 2       | 2,3 | b1       | old_isr=3,2,1 """


def isrs(stops: str, followed: str = FOLLOWED, begun: str = "kind") -> list[object]:
    named = {"topic": "orders", "partition": 3, "life": 0}
    seen = [one.but(event_id=f"f{n}", kind=FETCHES) for n, one in enumerate(reports(followed, **named))]
    lines = [line.but(topic="orders", partition=3) for line in (*facts(ISRS), *facts(begun))]
    own = [stop.but(topic="orders", partition=3) for stop in rows(FETCHER_STOPS, stops)]
    return partition_states(seen, BrokerMoves(), lines, own)


def test_the_isr_of_a_leader_is_of_the_leader_epoch_that_followers_named():
    same_rows(
        isrs("ts | node_id | event_id\n 10:02:01.002 | 2 | s1"),
        PARTITION_STATES,
        """
        leader_epoch | partition_epoch | leader_id | isr   | ts       | witness
        4            | 5               | 2         | 2,3   | 10:02:01 | commit
        4            | 6               | 2         | 1,2,3 | 10:02:09 | commit """,
    )


def test_the_line_that_begins_the_first_change_shows_the_isr_before():
    """So a replica that was in the ISR left it: it is not only found outside."""
    same_rows(
        isrs("ts | node_id | event_id\n 10:02:01.002 | 2 | s1", begun=BEGUN),
        PARTITION_STATES,
        """
        leader_epoch | partition_epoch | leader_id | isr   | ts           | witness
        4            | 4               | 2         | 1,2,3 | 10:02:00.800 | commit
        4            | 5               | 2         | 2,3   | 10:02:01     | commit
        4            | 6               | 2         | 1,2,3 | 10:02:09     | commit """,
    )


def test_the_line_of_another_broker_or_about_another_isr_shows_no_isr_before():
    whole = isrs("ts | node_id | event_id\n 10:02:01.002 | 2 | s1")
    for other in (BEGUN.replace("| 2       |", "| 3       |"), BEGUN.replace("| 2,3 |", "| 1,2 |")):
        assert isrs("ts | node_id | event_id\n 10:02:01.002 | 2 | s1", begun=other) == whole


def test_not_after_a_change_that_its_leader_did_not_ask_for():
    """It may have led in a later leader epoch since."""
    same_rows(
        isrs("ts | node_id | event_id\n 10:02:05 | 2 | s1"),
        PARTITION_STATES,
        "leader_epoch | partition_epoch\n 4 | 5",
    )


def test_nor_where_the_last_leader_epoch_has_another_leader():
    later = f"{FOLLOWED.rstrip()}\n10:02:00 | 2 | 5 | 3 | follower"
    assert isrs("ts | node_id | event_id", later) == []


def test_the_pass_that_dates_leader_epochs_reads_the_isrs_that_leaders_commit():
    assert {ISR_UPDATED, *ISR_INTENTS} <= incident._STATES._inputs["partition_events"].kinds


def flapping(times: int):
    """What server.log alone shows of a leader that removes a follower from the ISR and adds it again, for hours."""
    named = {"topic": "orders", "partition": 3, "life": 0}
    (report,) = (one.but(kind=FETCHES) for one in reports(FOLLOWED.rsplit("\n", 2)[0], **named)[-1:])
    (stop,) = (one.but(topic="orders", partition=3) for one in rows(FETCHER_STOPS, STOPS)[:1])
    (line,) = facts(f"kind | node_id | ts | topic | partition | isr\n{ISR_UPDATED} | 3 | 10:00:20 | orders | 3 | 1,3")
    later = [timedelta(seconds=30 * n) for n in range(times)]
    return (
        [report.but(ts=report.ts + by, leader_epoch=n) for n, by in enumerate(later)],
        [stop.but(ts=stop.ts + by, event_id=f"s{n}", node_id=n % 2 + 1) for n, by in enumerate(later)],
        [line.but(ts=line.ts + by) for by in later],
    )


def all_of_fetchers(given):
    reports_of, stops, lines = given
    isrs_of_fetched_leaders(*given, TopicLives(), {})
    epochs = folds.leader_epochs(reports_of)
    dated_by_fetchers([one for one in epochs if one.start_ts is not None], Fetchers.of(reports_of, stops, lines, {}))


def test_a_partition_that_flaps_for_hours_needs_time_in_proportion_to_its_lines():
    assert not grows_too_fast(all_of_fetchers, flapping, 250)
