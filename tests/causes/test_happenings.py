"""What has causes or effects, and the facts that the rules of causality join it by."""

from __future__ import annotations

import pytest

from replay.causes import happenings as stage
from replay.causes.names import epoch_name
from replay.sentences.causes import LABELS
from replay.tables import BROKER_SESSIONS, CONTROLLERS, EVENTS, Table
from replay.tables.causes import HAPPENINGS, REFUSED_WRITES, VERTICES
from replay.tables.faults import FAULTS
from replay.tables.losses import LEDGER
from replay.tables.offsets import TRUNCATIONS
from replay.tables.partitions import COMMITTED_ISRS, ELECTIONS, ISR_SHRINKS, LEADER_EPOCHS
from replay.tables.row import Row
from tests.tables import facts, rows, same_rows

_FILLED = {"topic": "orders", "partition": 0, "life": 0, "by_recovery": False}


def of(columns: Table, text: str) -> list[Row]:
    """Rows about orders-0 in its first life, where the text says no other."""
    return [
        row.but(**{name: value for name, value in _FILLED.items() if getattr(row, name, 0) is None})
        for row in rows(columns, text)
    ]


TOLD = {  # every table that happenings are made of
    "faults": (
        FAULTS,
        """
        fault_id    | kind        | code | broker_id | began_low | ts       | end_ts   | partitions | evidence
        killed/1    | killed      | F01  | 1         | 09:59:58  | 10:00:00 | 10:05:00 | []         | a
        moved       | reassigned  | F18  | 3         |           | 10:00:01 | 10:00:11 | orders-0   | b
        quorum_lost | quorum_lost | F11  |           |           | 10:00:02 |          | []         | c        """,
    ),
    "sessions": (
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by            | evidence
        1         | 09:00:00 | 10:00:06 | crash               | d
        1         | 10:05:00 | 11:00:00 | controlled_shutdown | e
        2         | 09:00:00 |          |                     | e2       """,
    ),
    "controllers": (
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | evidence
        zk    | 1             | 7                | 09:00:00 | f
        zk    | 2             | 8                | 10:00:07 | g
        kraft | 3             | 3                | 10:30:00 | g2       """,
    ),
    "epochs": (
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | last_leader_id | start_ts | end_ts   | evidence
        4            | 1         |                | 09:00:00 | 10:00:08 | h
        5            | -1        | 1              | 10:00:08 | 10:00:09 | i        """,
    ),
    "elections": (
        ELECTIONS,
        """
        leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger        | leaderless_ms | evidence
        6            | 10:00:09 | 1             | 2             | isr          | broker_failure | 1000          | j
        7            | 10:00:10 | 2             | 3             | any_replica  | unknown        | 0             | k
        8            | 10:20:10 | 3             | 1             | isr          | preferred      | 10            | k2       """,
    ),
    "shrinks": (
        ISR_SHRINKS,
        """
        id     | leader_epoch | state_order | leader_id | isr | isr_was | removed | start_ts | end_ts   | evidence
        shrink | 6            | 2           | 2         | 2,3 | 1,2,3   | 1       | 10:00:09 | 10:00:19 | l        """,
    ),
    "isrs": (
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr   | replicas | ts       | start_ts | end_ts
        6            | 2           | 2         | 2,3   | 1,2,3    | 10:00:09 | 10:00:09 | 10:00:19
        6            | 3           | 2         | 2     | 1,2,3    | 10:00:19 | 10:00:19 | 10:05:10
        6            | 4           | 2         | 1,2,3 | 1,2,3    | 10:05:10 | 10:05:10 |          """,
    ),
    "cuts": (
        TRUNCATIONS,
        """
        node_id | ts       | leader_epoch | log_end_offset | truncation_offset | by_recovery | evidence
        1       | 10:20:00 | 7            | 170            | 135               | false       | m
        3       | 10:20:00 | 7            |                | 0                 | true        | n        """,
    ),
    "losses": (
        LEDGER,
        """
        leader_epoch | ts       | scenario | loss_class     | verdict                       | from_offset | to_offset_high | old_leader_id | new_leader_id | evidence
        7            | 10:00:10 | S4       | committed      | POSSIBLE_LOSS                 | 128         | 135            | 2             | 3             | o
        7            | 10:00:10 | S4       | committed      | PROVEN_LOSS                   | 135         | 170            | 2             | 3             | o
        6            | 10:00:09 | S7       | acked_possible | POSSIBLE_LOSS                 | 130         |                | 1             | 2             | p
        6            | 10:00:09 |          | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 130         | 130            | 1             | 2             | q        """,
    ),
    "refused": (
        REFUSED_WRITES,
        """
        id      | node_id | ts       | end_ts   | count | evidence
        refused | 2       | 10:00:20 | 10:00:50 | 1     | r
        again   | 2       | 10:01:20 | 10:01:50 | 12    | s        """,
    ),
}


OF_PARTITIONS = ("epochs", "elections", "shrinks", "isrs", "cuts", "losses", "refused")


def all_happenings(told: dict[str, list[Row]]) -> list[Row]:
    """What happened, of the tables of `TOLD`; of one that is not given there is no row."""
    own = [told.get(name, []) for name in OF_PARTITIONS]
    faults = told.get("faults", [])
    of_cluster = stage.of_cluster(faults, told.get("sessions", []), told.get("controllers", []))
    return of_cluster + stage.of_partition(*own, stage.deletions(faults))


@pytest.fixture(scope="module")
def happened():
    return all_happenings({name: of(*given) for name, given in TOLD.items()})


@pytest.mark.parametrize(
    ("kind", "ts", "controller"),
    [
        ("isr_updates_refused", "08:59:59", None),
        ("isr_updates_refused", "10:00:06", 1),
        ("isr_updates_refused", "10:00:08", 2),
        ("killed", "10:00:08", None),
    ],
)
def test_refused_isr_writes_name_the_controller_whose_changes_their_leader_missed(kind, ts, controller):
    faults = of(FAULTS, f"fault_id | kind | broker_id | ts\n f | {kind} | 3 | {ts}")
    held = """
        mode  | controller_id | controller_epoch | start_ts | end_ts   | evidence
        zk    | 1             | 7                | 09:00:00 | 10:00:07 | a
        zk    | 2             | 8                | 10:00:07 |          | b
        kraft | 3             | 3                | 10:00:08 |          | c        """
    found = stage.of_cluster(faults, [], of(CONTROLLERS, held))
    assert [one.leader_id for one in found if one.id == "f"] == [controller]


def test_each_happening_has_a_name_and_a_line_that_says_what_it_was(happened):
    """The first controller and a partition's first leader are no happenings, nor is a verdict that nothing is gone."""
    same_rows(
        [row.but(label=LABELS.render(row.reason, row.arguments)) for row in happened],
        VERTICES,
        """
        id                                             | kind              | code | ts       | end_ts   | node_id | topic  | partition | leader_epoch | incident_id | evidence | label
        killed/1                                       | killed            | F01  | 10:00:00 | 10:05:00 | 1       |        |           |              |             | a        | F01 killed: broker 1
        moved                                          | reassigned        | F18  | 10:00:01 | 10:00:11 | 3       |        |           |              |             | b        | F18 reassigned
        quorum_lost                                    | quorum_lost       | F11  | 10:00:02 |          |         |        |           |              |             | c        | F11 quorum lost
        detected/1/2024-05-01T10:00:06.000Z            | detected          |      | 10:00:06 |          | 1       |        |           |              |             | d        | the session of broker 1 ended
        detected/1/2024-05-01T11:00:00.000Z            | detected          |      | 11:00:00 |          | 1       |        |           |              |             | e        | the session of broker 1 ended
        controller/8                                   | controller_change |      | 10:00:07 |          | 2       |        |           |              |             | g        | node 2 became controller (controller epoch 8)
        controller/kraft/3                             | controller_change |      | 10:30:00 |          | 3       |        |           |              |             | g2       | node 3 became controller (controller epoch 3)
        leaderless/orders-0/5                          | leaderless        |      | 10:00:08 | 10:00:09 |         | orders | 0         | 5            |             | i        | orders-0 without a leader from leader epoch 5
        election/orders-0/6                            | election          |      | 10:00:09 |          | 2       | orders | 0         | 6            |             | j        | orders-0: leader 1, then 2 (leader epoch 6)
        election/orders-0/7                            | unclean_election  |      | 10:00:10 |          | 3       | orders | 0         | 7            |             | k        | orders-0: leader 2, then 3 (leader epoch 7)
        election/orders-0/8                            | election          |      | 10:20:10 |          | 1       | orders | 0         | 8            |             | k2       | orders-0: leader 3, then 1 (leader epoch 8)
        shrink                                         | isr_shrink        |      | 10:00:09 | 10:05:10 | 2       | orders | 0         | 6            |             | l        | orders-0: ISR [2,3], was [1,2,3]
        truncation/orders-0/1/2024-05-01T10:20:00.000Z | truncation        |      | 10:20:00 |          | 1       | orders | 0         | 7            |             | m        | broker 1 truncated orders-0 to 135 from 170
        truncation/orders-0/3/2024-05-01T10:20:00.000Z | recovery_cut      |      | 10:20:00 |          | 3       | orders | 0         | 7            |             | n        | log recovery of broker 3 truncated orders-0 to 0
        loss/orders-0/7/committed/S4                   | loss              |      | 10:00:10 |          |         | orders | 0         | 7            |             | o        | orders-0: offsets [135, 170) lost
        loss/orders-0/6/acked_possible/S7              | loss              |      | 10:00:09 |          |         | orders | 0         | 6            |             | p        | orders-0: offsets [130, unknown), which not all in-sync replicas held, were discarded
        refused                                        | writes_refused    |      | 10:00:20 | 10:00:50 | 2       | orders | 0         |              |             | r        | 1 batch written to orders-0 rejected: too few in-sync replicas
        again                                          | writes_refused    |      | 10:01:20 | 10:01:50 | 2       | orders | 0         |              |             | s        | 12 batches written to orders-0 rejected: too few in-sync replicas """,
    )


def test_each_happening_carries_what_the_rules_ask_of_it(happened):
    """The end of a controlled shutdown begins as it is told, a crash up to two clocks' difference before; an election that ended
    a time without a leader is about no broker, but for a preferred one. A shrink's own state is over before the ISR is full."""
    same_rows(
        [row for row in happened if row.kind not in ("truncation", "recovery_cut")],
        HAPPENINGS,
        """
        id                                  | about | names    | name     | leader_id | new_leader_id | begin_ts     | over_ts  | by
        killed/1                            | 1     | []       |          |           |               | 09:59:58     | 10:05:00 |
        moved                               | 3     | orders-0 |          |           |               | 10:00:01     | 10:00:11 |
        quorum_lost                         | []    | []       |          |           |               | 10:00:02     |          |
        detected/1/2024-05-01T10:00:06.000Z | 1     | []       |          |           |               | 10:00:04     | 10:05:00 | crash
        detected/1/2024-05-01T11:00:00.000Z | 1     | []       |          |           |               | 11:00:00     |          | controlled_shutdown
        controller/8                        | 1     | []       |          | 1         | 2             | 10:00:07     |          | zk
        controller/kraft/3                  | 2     | []       |          | 2         | 3             | 10:30:00     |          | kraft
        leaderless/orders-0/5               | 1     | []       | orders-0 |           |               | 10:00:08     | 10:00:09 |
        election/orders-0/6                 | []    | []       | orders-0 | 1         | 2             | 10:00:09     |          | broker_failure
        election/orders-0/7                 | 2     | []       | orders-0 | 2         | 3             | 10:00:10     |          | unknown
        election/orders-0/8                 | 3     | []       | orders-0 | 3         | 1             | 10:20:10     |          | preferred
        shrink                              | 1     | []       | orders-0 | 2         |               | 10:00:09     | 10:00:19 |
        loss/orders-0/7/committed/S4        | 2     | []       | orders-0 |           | 3             | 10:00:10     |          | S4
        loss/orders-0/6/acked_possible/S7   | 1     | []       | orders-0 |           | 2             | 10:00:09     |          | S7
        refused                             | []    | []       | orders-0 | 2         |               | 10:00:20     |          |
        again                               | []    | []       | orders-0 | 2         |               | 10:01:20     |          |          """,
    )


def test_where_nothing_happened_there_is_no_happening():
    assert all_happenings({}) == []


def test_an_isr_that_lost_members_is_a_shrink_also_in_the_write_that_leaves_the_partition_without_a_leader():
    """An ISR that became empty is none: the ELR names its last members (KIP-966)."""
    same_rows(
        stage.isr_shrinks(
            of(
                COMMITTED_ISRS,
                """
        leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        4            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        4            | 2           | 1         | 1,3   | 10:00:10 | 10:00:10
        4            | 3           | 1         | 1,2,3 | 10:00:20 | 10:00:20
        5            | 4           | -1        | 1     | 10:00:30 | 10:00:30
        6            | 5           | 1         | 1     | 10:00:40 | 10:00:40
        7            | 6           | -1        | []    | 10:00:50 | 10:00:50 """,
            )
        ),
        ISR_SHRINKS,
        """
        id                                             | leader_epoch | isr | isr_was | removed
        isr_shrink/orders-0/4/2024-05-01T10:00:10.000Z | 4            | 1,3 | 1,2,3   | 2
        isr_shrink/orders-0/5/2024-05-01T10:00:30.000Z | 5            | 1   | 1,2,3   | 2,3     """,
    )


@pytest.mark.parametrize(
    ("elected_from", "expected"),
    [
        pytest.param("any_replica", "leader_epoch | isr | removed\n6 | 2 | 3", id="the election replaced the ISR"),
        pytest.param("", "leader_epoch | isr | removed\n6 | 2,3 | 1\n6 | 2 | 3", id="an ISR change may be missing"),
    ],
)
def test_an_unclean_election_replaces_the_isr_and_is_no_shrink(elected_from, expected):
    isrs = of(
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr | ts       | start_ts
        4            | 1           | 1         | 1   | 10:00:00 | 10:00:00
        5            | 2           | -1        | 1   | 10:00:10 | 10:00:10
        6            | 3           | 2         | 2,3 | 10:00:30 | 10:00:30
        6            | 4           | 2         | 2   | 10:00:40 | 10:00:40 """,
    )
    epochs = of(LEADER_EPOCHS, f"leader_epoch | leader_id | elected_from\n4 | 1 | isr\n6 | 2 | {elected_from}")
    same_rows(stage.isr_shrinks(isrs, [], epochs), ISR_SHRINKS, expected)


def test_no_leader_drops_itself_so_a_controller_removed_the_leader_before():
    isrs = of(
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        4            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        5            | 2           | 3         | 2,3   | 10:00:10 | 10:00:10
        6            | 3           | 2         | 2,3   | 10:00:20 | 10:00:20
        7            | 4           | 2         | 2     | 10:00:30 | 10:00:30 """,
    )
    epochs = of(
        LEADER_EPOCHS,
        "leader_epoch | leader_id | last_leader_id\n4 | 1 | 1\n5 | 3 | 1\n6 | 2 | 3\n7 | 2 | 2",
    )
    same_rows(stage.isr_shrinks(isrs, [], epochs), ISR_SHRINKS, "isr | removed | by\n2,3 | 1 | controller\n2 | 3 |")


def test_a_leader_logs_a_follower_that_it_drops_for_lag_but_not_one_that_the_controller_removes():
    isrs = of(
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        4            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        4            | 2           | 1         | 1,3   | 10:00:10 | 10:00:10
        4            | 3           | 1         | 1     | 10:00:40 | 10:00:40 """,
    )
    lines = facts("""
        ts           | kind       | node_id | topic  | partition | isr | details
        10:00:09.900 | isr_shrink | 1       | orders | 0         | 1,3 | old_isr=1,2,3
        10:00:40.000 | isr_shrink | 3       | orders | 0         | 3   | old_isr=1,3 """)
    same_rows(stage.isr_shrinks(isrs, lines), ISR_SHRINKS, "isr | removed | by\n1,3 | 2 | leader\n1 | 3 |")


def test_what_a_leader_dropped_is_committed_once_a_controller_is_back_and_a_refused_change_is_not_its_own():
    """orders-0 waits 25 s for the controller to commit; ZooKeeper refuses the leader's change that a controller overtook."""
    isrs = of(
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        4            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        4            | 2           | 1         | 1,3   | 10:00:35 | 10:00:35
        4            | 3           | 1         | 1     | 10:00:41 | 10:00:41 """,
    )
    lines = facts("""
        ts           | kind                           | node_id | topic  | partition | isr | details
        10:00:10.000 | isr_shrink                     | 1       | orders | 0         | 1,3 | old_isr=1,2,3
        10:00:35.000 | isr_updated                    | 1       | orders | 0         | 3,1 |
        10:00:40.000 | isr_shrink                     | 1       | orders | 0         | 1   | old_isr=1,3
        10:00:40.100 | isr_update_zk_version_conflict | 1       | orders | 0         |     |              """)
    same_rows(stage.isr_shrinks(isrs, lines), ISR_SHRINKS, "isr | removed | by\n1,3 | 2 | leader\n1 | 3 |")


def test_a_change_that_the_controller_refused_its_leader_is_the_controllers():
    """The controller had fenced broker 3 a moment before leader 2 asked."""
    isrs = of(
        COMMITTED_ISRS,
        """
        leader_epoch | state_order | leader_id | isr   | ts           | start_ts
        4            | 1           | 2         | 2,3,4 | 10:00:00     | 10:00:00
        4            | 2           | 2         | 2,4   | 10:00:10.000 | 10:00:10.000 """,
    )
    shrink = """
        ts           | kind       | node_id | broker_id | topic  | partition | isr | details
        10:00:10.015 | isr_shrink | 2       |           | orders | 0         | 2,4 | old_isr=4,3,2"""
    refused = """
        10:00:10.020 | alter_partition_rejected_partition_epoch | 101 | {} | orders | 0 | |"""
    for asker, by in ((2, ""), (4, "leader")):
        lines = facts(shrink + refused.format(asker))
        same_rows(stage.isr_shrinks(isrs, lines), ISR_SHRINKS, f"isr | removed | by\n2,4 | 3 | {by}")


def test_a_broker_that_was_moved_away_was_not_dropped():
    """Broker 2 leaves the assignment; broker 3, which stays a replica, is dropped later."""
    same_rows(
        stage.isr_shrinks(
            of(
                COMMITTED_ISRS,
                """
        leader_epoch | state_order | leader_id | isr     | replicas | ts       | start_ts
        4            | 1           | 1         | 1,2,3,4 | 1,2,3,4  | 10:00:00 | 10:00:00
        5            | 2           | 1         | 1,3,4   | 1,3,4    | 10:00:10 | 10:00:10
        6            | 3           | 1         | 1,4     | 1,3,4    | 10:00:20 | 10:00:20 """,
            )
        ),
        ISR_SHRINKS,
        """
        leader_epoch | isr | isr_was | removed
        6            | 1,4 | 1,3,4   | 3       """,
    )


def test_each_topic_of_a_name_has_isrs_of_its_own():
    """The second orders begins with a smaller ISR than the first one had."""
    same_rows(
        stage.isr_shrinks(
            of(
                COMMITTED_ISRS,
                """
        life | leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        0    | 7            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        1    | 0            | 1           | 1         | 1,2   | 10:01:00 | 10:01:00
        1    | 0            | 2           | 1         | 1     | 10:02:00 | 10:02:00 """,
            )
        ),
        ISR_SHRINKS,
        "life | isr | isr_was | removed\n1 | 1 | 1,2 | 2",
    )


def test_a_leader_epoch_of_a_topic_made_again_has_a_name_of_its_own():
    first, again = of(ELECTIONS, "life | leader_epoch\n0 | 1\n1 | 1")
    assert epoch_name("election", first) == "election/orders-0/1"
    assert epoch_name("election", again) == "election/orders-0/life-1/1"


def test_a_partition_that_goes_with_its_topic_misses_no_leader():
    """orders-1 was led again, orders-2 had lost its leader before anybody asked for the deletion, orders-3 is of a topic that lives on."""
    epochs = of(
        LEADER_EPOCHS,
        """
        partition | leader_epoch | leader_id | start_ts | end_ts
        0         | 4            | 1         | 09:00:00 | 10:00:01
        0         | 5            | -1        | 10:00:01 | 10:00:02
        0         | 6            | -1        | 10:00:02 | 10:00:20
        1         | 5            | -1        | 10:00:01 | 10:00:02
        1         | 6            | 2         | 10:00:02 | 10:00:20
        2         | 5            | -1        | 09:30:00 | 10:00:20
        3         | 5            | -1        | 10:00:01 |          """,
    )
    deleted = of(
        FAULTS,
        """
        kind          | ts       | end_ts
        topic_deleted | 10:00:00 | 10:00:20 """,
    )
    partitions = [[epoch for epoch in epochs if epoch.partition == number] for number in range(4)]
    same_rows(
        [epoch for own in partitions for epoch in stage.leaderless_epochs(own, stage.deletions(deleted))],
        LEADER_EPOCHS,
        """
        partition | leader_epoch
        1         | 5
        2         | 5
        3         | 5            """,
    )


def test_refused_writes_are_one_happening_a_leader_and_minute():
    refused = "exception=org.apache.kafka.common.errors.NotEnoughReplicasException: too few"
    other = "exception=org.apache.kafka.common.errors.OutOfOrderSequenceException: no"
    same_rows(
        stage.refused_writes(
            rows(
                EVENTS,
                f"""
        ts       | kind                 | node_id | topic  | partition | details
        10:00:10 | produce_append_error | 1       | clicks | 3         | {refused}
        10:00:50 | produce_append_error | 1       | clicks | 3         | {refused}
        10:01:20 | produce_append_error | 1       | clicks | 3         | {refused}
        10:01:30 | isr_updated          | 1       | clicks | 3         | {refused}
        10:00:20 | produce_append_error | 2       | clicks | 3         | {other}   """,
            )
        ),
        REFUSED_WRITES,
        """
        id                                                 | node_id | topic  | partition | ts       | end_ts   | count | evidence
        writes_refused/clicks-3/1/2024-05-01T10:00:10.000Z | 1       | clicks | 3         | 10:00:10 | 10:00:50 | 2     | e1,e2
        writes_refused/clicks-3/1/2024-05-01T10:01:20.000Z | 1       | clicks | 3         | 10:01:20 | 10:01:20 | 1     | e3    """,
    )


def test_a_time_without_an_end_reaches_a_day_and_no_further():
    """Of what has no window of its own."""
    shrinks = of(
        ISR_SHRINKS,
        """
        id   | leader_epoch | state_order | leader_id | isr | isr_was | removed | start_ts
        open | 6            | 2           | 2         | 2   | 1,2     | 1       | 10:00:00 """,
    )
    same_rows(
        all_happenings({"shrinks": shrinks}),
        HAPPENINGS,
        "id | ts | end_ts | over_ts\nopen | 10:00:00 | | 2024-05-02T10:00:00",
    )


def test_a_preferred_leader_that_led_before_returns_and_a_first_one_does_not():
    epochs = rows(
        LEADER_EPOCHS,
        """
        topic  | life | partition | leader_epoch | leader_id | end_ts
        orders | 0    | 0         | 0            | 1         | 10:00:00
        orders | 0    | 0         | 1            | 2         | 10:05:00
        orders | 0    | 0         | 2            | 1         | 10:09:00
        orders | 0    | 0         | 3            | 3         |          """,
    )
    elected = rows(
        ELECTIONS,
        """
        topic  | life | partition | leader_epoch | new_leader_id | old_leader_id | trigger
        orders | 0    | 0         | 1            | 2             | 1             | broker_failure
        orders | 0    | 0         | 2            | 1             | 2             | preferred
        orders | 0    | 0         | 3            | 3             | 1             | preferred """,
    )
    found = stage.of_partition(epochs, elected, [], [], [], [], [], [])
    elections = [one for one in found if one.kind == "election"]
    assert [one.is_return for one in elections] == [None, True, False]
    assert [one.led_until for one in elections] == [None, epochs[0].end_ts, None]
