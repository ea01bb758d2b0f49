"""Each change of leader, replica by replica (facts §1.7)."""

from __future__ import annotations

import pytest

from replay.partitions.failovers import SessionsOfBrokers, failovers, learnt_leader_epochs
from replay.partitions.learnt_offline import MetadataUpdates
from replay.partitions.lives import TopicLives
from replay.tables import BROKER_SESSIONS, EVENTS, FAILOVERS
from replay.tables.offsets import TRUNCATIONS
from replay.tables.partitions import ELECTIONS, LEADER_EPOCHS
from tests.each import for_each
from tests.tables import facts, rows, same_rows

ALIVE = """
    broker_id | start_ts | end_ts
    1         | 09:00:00 | 10:00:00
    2         | 09:00:00 |
    3         | 09:00:00 | """


def steps(elected, sessions=ALIVE, events="ts", cuts="ts"):
    """The steps of changes of leader of orders-0."""
    named = {"topic": "orders", "partition": 0}
    lives = TopicLives()
    return failovers(
        [election.but(**named, life=0, evidence=election.evidence or []) for election in rows(ELECTIONS, elected)],
        learnt_leader_epochs([event.but(**named) for event in rows(EVENTS, events)], lives),
        [cut.but(**named, by_recovery=False) for cut in rows(TRUNCATIONS, cuts)],
        SessionsOfBrokers(rows(BROKER_SESSIONS, sessions)),
        lives,
    )


def test_without_a_change_of_leader_there_is_no_step():
    assert steps("ts") == []


def test_a_broker_whose_first_known_session_began_later_may_have_had_one_from_before_the_logs():
    """Recorded (3.9.1, logs from after the faults): the controller's earlier log is not in the input."""
    sessions = "broker_id | start_ts | end_ts\n2 | 10:00:00 |\n1 | 10:00:30 |"
    election = """
        leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger  | isr_before | replicas
        5            | 10:00:01 |               | 2             | any_replica  | unfenced | 3          | 1,2      """
    found = {row.broker_id: (row.is_alive, row.reason) for row in steps(election, sessions)}
    assert found == {1: (None, "not_known"), 2: (True, "any_replica")}


def test_a_leader_dies_and_the_first_in_sync_replica_of_the_assignment_takes_its_place():
    """Broker 1 comes back a minute later and cuts what only it had."""
    same_rows(
        steps(
            """
        leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger        | isr_before | replicas | evidence
        5            | 10:00:01 | 1             | 2             | isr          | broker_failure | 1,2,3      | 1,2,3    | c:1 """,
            events="""
        ts           | kind           | node_id | leader_epoch | epoch_start_offset | log_end_offset
        10:00:01.040 | leader_start   | 2       | 5            | 120                |
        10:00:01.300 | follower_start | 3       | 5            |                    | 120
        10:01:00     | follower_start | 1       | 5            |                    | 133
        10:02:00     | follower_start | 1       | 6            |                    | 150 """,
            cuts="""
        ts           | node_id | leader_epoch | truncation_offset | evidence
        10:01:00.020 | 1       | 5            | 120               | s:7 """,
        ),
        FAILOVERS,
        """
        topic  | partition | leader_epoch | ts       | broker_id | place | in_isr | is_alive | was_taken | reason              | learnt_ts    | lag_ms | log_end_offset | truncation_offset | evidence
        orders | 0         | 5            | 10:00:01 | 1         | 1     | true   | false    | false     | not_alive           | 10:01:00     | 59000  | 133            | 120               | c:1,e3,s:7
        orders | 0         | 5            | 10:00:01 | 2         | 2     | true   | true     | true      | in_isr              | 10:00:01.040 | 40     | 120            |                   | c:1,e1
        orders | 0         | 5            | 10:00:01 | 3         | 3     | true   | true     | false     | later_in_assignment | 10:00:01.300 | 300    | 120            |                   | c:1,e2 """,
    )


@for_each(
    ("election", "reasons"),
    [
        ("2 | 3 | isr         | controlled_shutdown | 2,3   | 2,3  ", {2: "being_stopped", 3: "in_isr"}),
        ("2 | 3 | isr         | log_dir_failure     | 2,3   | 2,3  ", {2: "directory_failed", 3: "in_isr"}),
        (
            "3 | 2 | isr         | preferred           | 2,3   | 2,3  ",
            {2: "preferred_and_in_isr", 3: "later_in_assignment"},
        ),
        ("1 | 3 | isr         | broker_failure      | 1,3   | 1,2,3", {1: "not_alive", 2: "not_in_isr", 3: "in_isr"}),
        (
            "1 | 2 | any_replica | broker_failure      | 1     | 1,2,3",
            {1: "not_alive", 2: "any_replica", 3: "later_in_assignment"},
        ),
        ("1 | 2 | elr         | broker_failure      | []    | 1,2  ", {1: "not_alive", 2: "in_elr"}),
        ("1 | 2 |             | unknown             |       |      ", {1: "not_alive", 2: "state_before_not_known"}),
        ("2 | 3 | isr         | reassignment        | 2,3   | 2,3  ", {2: "moved_by_reassignment", 3: "in_isr"}),
        ("2 | 3 | isr         | unknown             | 2,3   |      ", {2: "not_known", 3: "in_isr"}),
    ],
)
def test_why_each_was_taken_or_not(election, reasons):
    found = steps(
        "leader_epoch | ts | old_leader_id | new_leader_id | elected_from | trigger | isr_before | replicas\n"
        f"5 | 10:00:01 | {election}"
    )
    assert {row.broker_id: row.reason for row in found} == reasons


def test_a_broker_without_a_logged_session_is_not_called_dead():
    found = steps(
        """
        leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | isr_before | replicas
        5            | 10:00:01 | 7             | 2             | isr          | 7,2        | 7,2 """
    )
    same_rows(
        found,
        FAILOVERS,
        """
        broker_id | is_alive | reason
        7         |          | not_known
        2         | true     | in_isr """,
    )


TOLD = """
        ts           | kind                            | node_id
        10:00:00.931 | broker_metadata_update_summary  | 1
        10:00:01.113 | broker_metadata_update_summary  | 1
        10:00:01.680 | broker_metadata_update_summary  | 1
        10:00:01.700 | broker_metadata_update_summary  | 2
        10:00:01.743 | {}                              | 1       """


@pytest.mark.parametrize(
    ("kind", "learnt"),
    [
        ("broker_stop_replica_offline_dir", "10:00:01.113 e2"),  # ZooKeeper: UpdateMetadata comes before it
        ("broker_become_leader_failed", "10:00:01.113 e2"),
        ("broker_leader_and_isr_offline_dir", "10:00:36.000 e6"),  # a request may be of before the election
    ],
)
def test_a_broker_whose_directory_failed_is_told_of_the_new_leader_long_before_it_takes_a_role(kind, learnt):
    """Recorded (3.2.3): its first role in the new leader epoch is 36 s later, after its restart."""
    epochs = rows(
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts
        4            | 1         | 09:00:00
        5            | 2         | 10:00:01.000 """,
    )
    events = rows(EVENTS, TOLD.format(kind) + "\n        10:00:36 | follower_start | 1")
    named = [
        one.but(topic="orders", partition=0, leader_epoch=5 if one.kind == "follower_start" else None) for one in events
    ]
    updates = MetadataUpdates(facts(TOLD.format(kind)))
    lives = TopicLives()
    epochs = [one.but(topic="orders", partition=0, life=0) for one in epochs]
    (row,) = learnt_leader_epochs(named, lives, epochs, updates)
    assert f"{row.ts:%T.%f}"[:12] + f" {row.event_id}" == learnt
    assert bool(row.is_offline) == ("e2" in learnt)
