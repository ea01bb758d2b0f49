"""The migration from ZooKeeper to KRaft: how far it came, whom it waits for, and who was controller meanwhile."""

from __future__ import annotations

import pytest

from replay.facts.controllers import controllers
from replay.facts.migration import migration
from replay.faults.requests import migrated
from replay.invariants.controllers import broker_epochs_fall, controllers_disagree
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables import BROKER_SESSIONS, CONTROLLERS, EVENTS, VIOLATIONS
from replay.tables.faults import FAULTS
from tests.tables import facts, rows, same_rows, table

BEGUN = """
    ts           | kind                           | node_id | message
    10:00:00.000 | kraft_migration_state_replayed | 11      | [QuorumController id=11] Replayed a ZkMigrationStateRecord changing the migration state from NONE to PRE_MIGRATION.
    10:00:00.100 | migration_waiting              | 11      | [KRaftMigrationDriver id=11] No brokers are known to KRaft, waiting for brokers to register.
    10:00:09.000 | migration_waiting              | 11      | [KRaftMigrationDriver id=11] Still waiting for ZK brokers [2, 3] to register with KRaft. """
COPIED = """
    10:00:27.000 | kraft_migration_state_replayed | 11      | [QuorumController id=11] Replayed a ZkMigrationStateRecord changing the migration state from PRE_MIGRATION to MIGRATION.
    10:00:28.000 | migration_state                | 11      | [KRaftMigrationDriver id=11] 11 transitioning from KRAFT_CONTROLLER_TO_BROKER_COMM to DUAL_WRITE state """
DONE = """
    10:02:00.000 | kraft_migration_state_replayed | 12      | [QuorumController id=12] Replayed a ZkMigrationStateRecord changing the migration state from MIGRATION to POST_MIGRATION.
    10:03:00.000 | kraft_migration_state_replayed | 13      | [QuorumController id=13] Replayed a ZkMigrationStateRecord changing the migration state from NONE to PRE_MIGRATION. """


@pytest.fixture
def events(spark):
    return lambda text: table(spark, EVENTS, text)


def told(text):
    """The lines, and when they end."""
    lines = facts(text)
    return lines, max(line.ts for line in lines)


def said(one):
    """What a person reads of it."""
    return HOW_IT_IS_KNOWN.render(one.reason, one.arguments)


def test_without_a_line_of_it_there_is_none():
    nothing = told("ts | kind | message\n 10:00:00 | broker_starting | starting")
    assert migration(*nothing) is None and not migrated(*nothing)


def test_one_that_went_through_shows_each_step_and_whom_it_waited_for():
    """A controller that starts again reads the old records again: the first of each counts."""
    found = migration(*told(BEGUN + COPIED + DONE))
    same_rows(
        migrated(*told(BEGUN + COPIED + DONE)),
        FAULTS,
        """
        kind     | ts       | end_ts   | broker_id | reason    | evidence
        migrated | 10:00:00 | 10:02:00 | 11        | migration | e1,e3,e4,e5,e6 """,
    )
    assert (found.awaited, found.is_stuck) == ([2, 3], False)
    assert said(found.statement) == (
        "the migration from ZooKeeper to KRaft was begun at 10:00:00.000; at 10:00:09.000 it last waited for brokers "
        "2 and 3; ZooKeeper's metadata was copied by 10:00:27.000; from 10:00:28.000 on both were written; at "
        "10:02:00.000 it was complete: controllers no longer write to ZooKeeper"
    )


def test_one_that_the_logs_leave_in_between_says_so():
    assert said(migration(*told(BEGUN + COPIED)).statement).endswith(
        "from 10:00:28.000 on both were written; no line shows that it was completed"
    )


def test_one_that_waits_names_the_brokers_and_is_stuck_only_after_a_while():
    same_rows(
        migrated(*told(BEGUN)),
        FAULTS,
        """
        kind     | code | broker_id | ts       | evidence
        migrated | F28  | 11        | 10:00:00 | e1,e3 """,
    )
    later = told(BEGUN + "\n    10:12:00.000 | broker_starting | 1 | starting")
    same_rows(
        migrated(*later),
        FAULTS,
        """
        kind            | code | broker_id | evidence
        migration_stuck | F28  | 11        | e1,e3 """,
    )
    assert said(migrated(*later)[0]) == (
        "the migration from ZooKeeper to KRaft was begun at 10:00:00.000; nothing was copied yet, and its last "
        'message, at 10:00:09.000, is "Still waiting for ZK brokers [2, 3] to register with KRaft."; it continues '
        "when brokers 2 and 3 are started again with zookeeper.metadata.migration.enable=true and the quorum's "
        "addresses"
    )


CLAIMS = """
    ts       | kind                          | node_id | controller_id | controller_epoch | details     | line_number
    10:00:00 | controller_elected            | 2       | 2             | 1                |             | 1
    10:00:10 | kraft_controller_activated    | 11      |               |                  | new_epoch=2 | 1
    10:00:11 | migration_waiting             | 11      |               |                  |             | 2
    10:00:20 | controller_elected            | 3       | 3             | 2                |             | 1 """
CLAIMED = """
    10:00:40 | migration_controller_claim_zk | 11      |               |                  |             | 3
    10:01:00 | kraft_controller_activated    | 12      |               |                  | new_epoch=3 | 1 """


def test_the_leader_of_the_quorum_is_the_controller_once_it_claimed_the_place_of_zookeepers():
    same_rows(
        controllers(facts(CLAIMS + CLAIMED)),
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | ready_ts | end_ts
        zk    | 2             | 1                | 10:00:00 |          | 10:00:20
        zk    | 3             | 2                | 10:00:20 |          | 10:00:40
        kraft | 11            | 2                | 10:00:40 | 10:00:40 | 10:01:00
        kraft | 12            | 3                | 10:01:00 | 10:01:00 |          """,
    )


def test_while_the_migration_waits_zookeepers_controller_goes_on():
    same_rows(
        controllers(facts(CLAIMS)),
        CONTROLLERS,
        """
        mode  | controller_id | start_ts | end_ts
        zk    | 2             | 10:00:00 | 10:00:20
        zk    | 3             | 10:00:20 |          """,
    )


def test_a_leader_of_the_quorum_that_was_replaced_before_the_claim_never_was_controller():
    replaced = facts(
        CLAIMS
        + """
        10:00:30 | kraft_controller_activated    | 13      |               |                  | new_epoch=3 | 1
        10:00:40 | migration_controller_claim_zk | 13      |               |                  |             | 3 """
    )
    same_rows(
        [tenure for tenure in controllers(replaced) if tenure.mode == "kraft"],
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts | end_ts
        13            | 3                | 10:00:40 |          """,
    )


def test_epochs_of_zookeeper_and_of_the_quorum_count_apart():
    assert list(controllers_disagree(facts(CLAIMS + CLAIMED))) == []
    sessions = rows(
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | evidence
        1         | 62           | 10:00:00 | z
        1         | 26           | 10:00:30 | k
        1         | 24           | 10:02:00 | l        """,
    )
    registered = facts(
        "ts | kind | node_id | broker_epoch\n 10:00:00 | broker_registered_zk | 1 | 62\n 10:00:30 | broker_registered | 1 | 26"
    )
    same_rows(
        broker_epochs_fall(sessions, registered),
        VIOLATIONS,
        """
        detail                                             | evidence
        broker 1 registered with broker epoch 24, after 26 | k,l      """,
    )
