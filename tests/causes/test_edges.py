"""Causes joined to effects by facts they share and by delays that the mechanism allows; look-alikes are not joined (facts §6.1)."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from replay.causes import edges as causality
from replay.tables import (
    BROKER_SESSIONS,
    EDGES,
    ELECTIONS,
    EVENTS,
    ISR_SPANS,
    LOSSES,
    TRUNCATIONS,
    VERTICES,
    Table,
)
from tests.brokers.test_sessions import CONTROLLERS
from tests.partitions.test_elections import FAULTS, JUDGED
from tests.tables import same, table


def _columns(contract: Table) -> str:
    return ", ".join(f"{c.name} {c.type.simpleString()}" for c in contract.columns)


DETECTIONS = "id string, broker_id int, ts timestamp, ended_by string, evidence array<string>"
ELECTED = "life int, " + _columns(ELECTIONS)
LOST = "life int, " + _columns(LOSSES)
ISRS = "life int, state_order int, ts timestamp, " + _columns(ISR_SPANS)
SHRINKS = ISRS + ", isr_was array<int>, removed array<int>, id string"
REFUSED = "id string, node_id int, topic string, partition int, ts timestamp, end_ts timestamp, count bigint, evidence array<string>"
HAPPENED = {  # every table that causes and effects are made of, in the order in which the stages ask for them
    "faults": FAULTS,
    "sessions": BROKER_SESSIONS,
    "controllers": CONTROLLERS,
    "epochs": JUDGED,
    "elections": ELECTED,
    "shrinks": SHRINKS,
    "cuts": TRUNCATIONS,
    "losses": LOST,
    "refused": REFUSED,
}


@pytest.fixture
def of(spark):
    """A table about orders-0 in its first life, where the text says no other."""

    def of_(columns, text: str):
        rows = table(spark, columns, text)
        return rows.fillna(
            {
                name: value
                for name, value in {"topic": "orders", "partition": 0, "life": 0, "by_recovery": False}.items()
                if name in rows.columns
            }
        )

    return of_


@pytest.fixture
def told(of):
    """All tables, empty where no text is given."""
    return lambda **texts: [
        of(
            columns,
            texts.get(
                name,
                "kind"
                if name == "faults"
                else "ts"
                if name in ("elections", "cuts", "losses", "refused")
                else "start_ts",
            ),
        )
        for name, columns in HAPPENED.items()
    ]


def test_where_nothing_happened_there_is_no_cause_and_no_effect(told):
    assert causality.vertices(*told()).isEmpty()
    assert causality.edges(*told()).isEmpty()


def test_an_isr_that_lost_members_while_it_had_a_leader_is_a_shrink(of):
    same(
        causality.isr_shrinks(
            of(
                ISRS,
                """
        leader_epoch | state_order | leader_id | isr   | ts       | start_ts
        4            | 1           | 1         | 1,2,3 | 10:00:00 | 10:00:00
        4            | 2           | 1         | 1,3   | 10:00:10 | 10:00:10
        4            | 3           | 1         | 1,2,3 | 10:00:20 | 10:00:20
        5            | 4           | -1        | 1     | 10:00:30 | 10:00:30
        6            | 5           | 1         | 1     | 10:00:40 | 10:00:40 """,
            )
        ),
        SHRINKS,
        """
        id                                           | leader_epoch | isr | isr_was | removed
        isr_shrink/orders-0/4/2024-05-01T10:00:10.000Z | 4          | 1,3 | 1,2,3   | 2       """,
    )


def test_a_leader_epoch_of_a_topic_made_again_has_an_id_of_its_own(of):
    elected = of(
        ELECTED,
        """
        ts       | life | leader_epoch | evidence
        10:00:00 | 0    | 1            | a
        11:00:00 | 1    | 1            | b        """,
    )
    same(
        elected.select(causality.epoch_id("election").alias("id"), "ts"),
        "id string, ts timestamp",
        """
        id                       | ts
        election/orders-0/1        | 10:00:00
        election/orders-0/life-1/1 | 11:00:00 """,
    )


def test_refused_writes_are_one_happening_a_partition_and_minute(of):
    same(
        causality.refused_writes(
            of(
                EVENTS,
                """
        ts       | kind                 | node_id | details                                                                          | message
        10:00:10 | produce_append_error | 1       | exception=org.apache.kafka.common.errors.NotEnoughReplicasException: too few      | [ReplicaManager broker=1] Error processing append operation on partition clicks-3
        10:00:50 | produce_append_error | 1       | exception=org.apache.kafka.common.errors.NotEnoughReplicasException: too few      | [ReplicaManager broker=1] Error processing append operation on partition 5gQ0_uCpRYuA5GcRnKRgmw:clicks-3
        10:01:20 | produce_append_error | 1       | exception=org.apache.kafka.common.errors.NotEnoughReplicasException: too few      | [ReplicaManager broker=1] Error processing append operation on partition clicks-3
        10:00:20 | produce_append_error | 2       | exception=org.apache.kafka.common.errors.OutOfOrderSequenceException: no          | [ReplicaManager broker=2] Error processing append operation on partition clicks-3 """,
            )
            .replace("orders", None, "topic")
            .withColumn("partition", F.lit(None).cast("int"))
        ),
        REFUSED,
        """
        id                                                  | node_id | topic  | partition | ts       | end_ts   | count | evidence
        writes_refused/clicks-3/1/2024-05-01T10:00:10.000Z  | 1       | clicks | 3         | 10:00:10 | 10:00:50 | 2     | e1,e2
        writes_refused/clicks-3/1/2024-05-01T10:01:20.000Z  | 1       | clicks | 3         | 10:01:20 | 10:01:20 | 1     | e3    """,
    )


def test_each_happening_has_a_name_and_a_line_that_says_what_it_was(told):
    """The first controller and a partition's first leader are no happenings, nor is a verdict that nothing is gone."""
    same(
        causality.vertices(
            *told(
                faults="""
            fault_id    | kind       | code | broker_id | ts       | evidence
            killed/1    | killed     | F01  | 1         | 10:00:00 | a
            moved       | reassigned | F18  | 3         | 10:00:01 | b
            quorum_lost | quorum_lost | F11 |           | 10:00:02 | c        """,
                sessions="""
            broker_id | start_ts | end_ts   | ended_by | evidence
            1         | 09:00:00 | 10:00:06 | crash    | d
            2         | 09:00:00 |          |          | e        """,
                controllers="""
            controller_id | controller_epoch | start_ts | evidence
            1             | 7                | 09:00:00 | f
            2             | 8                | 10:00:07 | g        """,
                epochs="""
            leader_epoch | leader_id | start_ts | evidence
            4            | 1         | 09:00:00 | h
            5            | -1        | 10:00:08 | i        """,
                elections="""
            leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | evidence
            6            | 10:00:09 | 1             | 2             | isr          | j
            7            | 10:00:10 | 2             | 3             | any_replica  | k        """,
                shrinks="""
            id     | leader_epoch | leader_id | isr | isr_was | start_ts | evidence
            shrink | 6            | 2         | 2,3 | 1,2,3   | 10:00:09 | l        """,
                cuts="""
            node_id | ts       | leader_epoch | log_end_offset | truncation_offset | evidence
            1       | 10:20:00 | 7            | 170            | 135               | m
            3       | 10:20:00 | 7            |                | 0                 | n        """,
                losses="""
            leader_epoch | ts       | scenario | loss_class     | verdict                       | from_offset | to_offset_high | evidence
            7            | 10:00:10 | S4       | committed      | PROVEN_LOSS                   | 135         | 170            | o
            6            | 10:00:09 | S7       | acked_possible | POSSIBLE_LOSS                 | 130         |                | p
            6            | 10:00:09 |          | committed      | NO_COMMITTED_LOSS_BY_PROTOCOL | 130         | 130            | q        """,
                refused="""
            id      | node_id | ts       | count | evidence
            refused | 2       | 10:00:20 | 1     | r
            again   | 2       | 10:01:20 | 12    | s        """,
            )
        ),
        VERTICES,
        """
        id                                      | kind             | ts       | node_id | topic  | partition | leader_epoch | incident_id | evidence | label
        killed/1                                | killed           | 10:00:00 | 1       |        |           |              |             | a        | F01 killed: broker 1
        moved                                   | reassigned       | 10:00:01 | 3       |        |           |              |             | b        | F18 reassigned
        quorum_lost                             | quorum_lost      | 10:00:02 |         |        |           |              |             | c        | F11 quorum lost
        detected/1/2024-05-01T10:00:06.000Z     | detected         | 10:00:06 | 1       |        |           |              |             | d        | broker 1 left the cluster
        controller/8                            | controller_change | 10:00:07 | 2      |        |           |              |             | g        | node 2 became controller (controller epoch 8)
        leaderless/orders-0/5                   | leaderless       | 10:00:08 |         | orders | 0         | 5            |             | i        | orders-0 without a leader from leader epoch 5
        election/orders-0/6                     | election         | 10:00:09 | 2       | orders | 0         | 6            |             | j        | orders-0: leader 1, then 2 (leader epoch 6)
        election/orders-0/7                     | unclean_election | 10:00:10 | 3       | orders | 0         | 7            |             | k        | orders-0: leader 2, then 3 (leader epoch 7)
        shrink                                  | isr_shrink       | 10:00:09 | 2       | orders | 0         | 6            |             | l        | orders-0: ISR [2, 3], was [1, 2, 3]
        truncation/orders-0/1/2024-05-01T10:20:00.000Z | truncation | 10:20:00 | 1      | orders | 0         | 7            |             | m        | broker 1 cut orders-0 to 135 from 170
        truncation/orders-0/3/2024-05-01T10:20:00.000Z | truncation | 10:20:00 | 3      | orders | 0         | 7            |             | n        | broker 3 cut orders-0 to 0
        loss/orders-0/7/committed/S4            | loss             | 10:00:10 |         | orders | 0         | 7            |             | o        | PROVEN_LOSS committed orders-0 [135, 170)
        loss/orders-0/6/acked_possible/S7       | loss             | 10:00:09 |         | orders | 0         | 6            |             | p        | POSSIBLE_LOSS acked_possible orders-0 [130, ?)
        refused                                 | writes_refused   | 10:00:20 | 2       | orders | 0         |              |             | r        | 1 write to orders-0 refused for want of in-sync replicas
        again                                   | writes_refused   | 10:01:20 | 2       | orders | 0         |              |             | s        | 12 writes to orders-0 refused for want of in-sync replicas """,
    )


# One relation a test: what is joined, and what only looks like it


def test_a_brokers_fault_ends_its_session_and_no_others(of):
    same(
        causality.fault_to_detection(
            of(
                FAULTS,
                """
        fault_id | kind          | broker_id | t0_low   | ts       | end_ts
        kill     | killed        | 1         | 09:59:58 | 10:00:00 | 10:05:00
        pause    | paused        | 2         | 10:00:10 | 10:00:10 | 10:00:40
        slow     | slow_follower | 3         | 10:00:00 | 10:00:00 | 10:00:40 """,
            ),
            of(
                DETECTIONS,
                """
        id             | broker_id | ts       | ended_by
        lost-1         | 1         | 10:00:06 | crash
        lost-1-again   | 1         | 10:06:00 | unknown
        lost-2         | 2         | 10:00:20 | session_timeout
        lost-3         | 3         | 10:00:20 | unknown         """,
            ),
        ),
        EDGES,
        """
        src   | dst    | relation | confidence | delay_ms | because
        kill  | lost-1 | R2       | 0.9        | 6000     | broker 1 was killed; its session ended at 10:00:06.000 (crash)
        pause | lost-2 | R3       | 0.9        | 10000    | broker 2 stood still; its session ended at 10:00:20.000 (session timeout) """,
    )


def test_the_end_of_a_session_takes_leaders_from_what_its_broker_led(of):
    """orders-1 had another leader; orders-2 moved minutes later; orders-3 had been without a leader before it was elected one."""
    same(
        causality.detection_to_leader_change(
            of(
                DETECTIONS,
                """
        id     | broker_id | ts       | ended_by
        lost-1 | 1         | 10:00:06 | crash    """,
            ),
            of(
                JUDGED,
                """
        partition | leader_epoch | leader_id | last_leader_id | start_ts
        3         | 5            | -1        | 1              | 10:00:07 """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | old_leader_id | new_leader_id | leaderless_ms
        0         | 4            | 10:00:07 | 1             | 2             | 0
        1         | 4            | 10:00:07 | 3             | 2             | 0
        2         | 4            | 10:02:10 | 1             | 2             | 0
        3         | 6            | 10:00:30 | 1             | 2             | 23000         """,
            ),
        ),
        EDGES,
        """
        src    | dst                   | relation | confidence | delay_ms | because
        lost-1 | election/orders-0/4   | R4       | 0.95       | 1000     | broker 1 led orders-0 when its session ended
        lost-1 | leaderless/orders-3/5 | R4       | 0.95       | 1000     | broker 1 led orders-3 when its session ended """,
    )


def test_what_moves_before_a_controlled_shutdown_ends_follows_from_the_stop(of):
    """The session ends when the broker leads nothing any more; a crash is noticed first, and only clocks make its effects seem earlier."""
    lost = of(
        DETECTIONS,
        """
        id      | broker_id | ts       | ended_by
        stopped | 1         | 10:00:02 | controlled_shutdown
        crashed | 2         | 10:00:02 | crash               """,
    )
    elected = of(
        ELECTED,
        """
        partition | leader_epoch | ts           | old_leader_id | new_leader_id | trigger
        0         | 4            | 10:00:00.500 | 1             | 3             | controlled_shutdown
        1         | 4            | 10:00:03     | 1             | 3             | unknown
        2         | 4            | 10:00:01.900 | 2             | 3             | broker_failure
        3         | 4            | 10:01:00     | 1             | 3             | preferred """,
    )
    stops = of(
        FAULTS,
        """
        fault_id | kind    | broker_id | ts       | end_ts
        stop     | stopped | 1         | 10:00:00 | 10:00:30 """,
    )
    shrinks = of(
        SHRINKS,
        """
        id    | leader_id | removed | start_ts     | partition
        early | 3         | 1       | 10:00:00.700 | 0
        late  | 3         | 1       | 10:00:02.500 | 1
        skew  | 3         | 2       | 10:00:01.900 | 2         """,
    )
    edges = (
        causality.detection_to_leader_change(lost, of(JUDGED, "start_ts"), elected)
        .unionByName(causality.stop_to_election(stops, elected))
        .unionByName(causality.fault_to_shrink(stops, lost, shrinks))
    )
    same(
        edges,
        EDGES,
        """
        src     | dst                 | relation | confidence | delay_ms | because
        stop    | election/orders-0/4 | R4       | 0.9        | 500      | broker 1 led orders-0 until it was stopped in order
        stopped | election/orders-1/4 | R4       | 0.95       | 1000     | broker 1 led orders-1 when its session ended
        crashed | election/orders-2/4 | R4       | 0.95       | -100     | broker 2 led orders-2 when its session ended
        stop    | early               | R4       | 0.8        | 700      | broker 1 was stopped in order, so it left the ISR of orders-0
        stop    | late                | R4       | 0.8        | 2500     | broker 1 was stopped in order, so it left the ISR of orders-1
        stopped | late                | R4       | 0.9        | 500      | broker 1 was in the ISR of orders-1 when its session ended
        crashed | skew                | R4       | 0.9        | -100     | broker 2 was in the ISR of orders-2 when its session ended """,
    )


def test_damaged_records_take_followers_out_of_the_isrs_of_their_partitions_alone(of):
    same(
        causality.fault_to_shrink(
            of(
                FAULTS,
                """
        fault_id | kind            | broker_id | t0_low   | ts       | end_ts   | partitions
        rot      | records_damaged | 1         | 10:00:00 | 10:00:00 | 10:05:00 | orders-0   """,
            ),
            of(DETECTIONS, "id"),
            of(
                SHRINKS,
                """
        id      | leader_id | removed | start_ts | partition
        behind  | 1         | 3       | 10:00:30 | 0
        other   | 1         | 3       | 10:00:30 | 1
        earlier | 1         | 2       | 09:50:00 | 0         """,
            ),
        ),
        EDGES,
        """
        src | dst    | relation | confidence | delay_ms | because
        rot | behind | R13      | 0.8        | 30000    | the log of broker 1, the leader of orders-0, holds damaged records, past which broker 3 could not fetch """,
    )


def test_what_a_broker_does_itself_moves_what_it_led_if_the_trigger_agrees(of):
    same(
        causality.stop_to_election(
            of(
                FAULTS,
                """
        fault_id | kind           | broker_id | ts       | end_ts
        stop     | stopped        | 1         | 10:00:00 | 10:00:30
        disk     | log_dir_failed | 2         | 10:00:00 | 10:00:30
        kill     | killed         | 3         | 10:00:00 | 10:00:30 """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | old_leader_id | new_leader_id | trigger
        0         | 4            | 10:00:01 | 1             | 2             | controlled_shutdown
        1         | 4            | 10:00:01 | 2             | 1             | log_dir_failure
        2         | 4            | 10:00:06 | 3             | 1             | broker_failure
        3         | 4            | 10:00:01 | 1             | 2             | preferred
        4         | 4            | 10:00:01 | 3             | 2             | controlled_shutdown
        5         | 4            | 10:01:00 | 1             | 2             | controlled_shutdown """,
            ),
        ),
        EDGES,
        """
        src  | dst                 | relation | confidence | delay_ms | because
        stop | election/orders-0/4 | R4       | 0.9        | 1000     | broker 1 led orders-0 until it was stopped in order
        disk | election/orders-1/4 | R21      | 0.9        | 1000     | broker 2 led orders-1 until it lost a log directory
        kill | election/orders-2/4 | R2       | 0.7        | 6000     | broker 3 led orders-2 until it was killed           """,
    )


def test_a_partition_that_goes_with_its_topic_misses_no_leader(of):
    """orders-1 was led again, orders-2 had lost its leader before anybody asked for the deletion, orders-3 is of a topic that lives on."""
    without = causality.leaderless(
        of(
            JUDGED,
            """
        partition | leader_epoch | leader_id | start_ts | end_ts
        0         | 4            | 1         | 09:00:00 | 10:00:01
        0         | 5            | -1        | 10:00:01 | 10:00:02
        0         | 6            | -1        | 10:00:02 | 10:00:20
        1         | 5            | -1        | 10:00:01 | 10:00:02
        1         | 6            | 2         | 10:00:02 | 10:00:20
        2         | 5            | -1        | 09:30:00 | 10:00:20
        3         | 5            | -1        | 10:00:01 |          """,
        ),
        of(
            FAULTS,
            """
        kind          | ts       | end_ts
        topic_deleted | 10:00:00 | 10:00:20 """,
        ),
    )
    same(
        without,
        JUDGED,
        """
        partition | leader_epoch
        1         | 5
        2         | 5
        3         | 5            """,
    )


def test_a_partition_without_a_leader_is_given_one_by_the_next_election(of):
    """Not by one of another partition, nor of a partition that never was without."""
    same(
        causality.leaderless_to_election(
            of(
                JUDGED,
                """
        partition | leader_epoch | leader_id | start_ts
        0         | 2            | -1        | 09:00:00
        0         | 5            | -1        | 10:00:07
        1         | 5            | 1         | 10:00:07 """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | leaderless_ms
        0         | 6            | 10:00:30 | 23000
        0         | 7            | 10:01:00 | 0
        1         | 6            | 10:00:30 | 10            """,
            ),
        ),
        EDGES,
        """
        src                   | dst                 | relation | confidence | delay_ms | because
        leaderless/orders-0/5 | election/orders-0/6 | R4       | 1.0        | 23000    | orders-0 had no leader from leader epoch 5 on """,
    )


def test_a_replica_leaves_the_isr_for_what_befell_it_or_its_leader(of):
    """Broker 1, which only wrote of a reassignment, was not befallen by it, nor by what happened to broker 5."""
    same(
        causality.fault_to_shrink(
            of(
                FAULTS,
                """
        fault_id | kind          | broker_id | ts       | t0_low   | end_ts
        slow     | slow_follower | 3         | 10:00:30 | 10:00:00 | 10:01:00
        cut      | cut_off       | 2         | 10:00:00 | 10:00:00 | 10:00:40
        moved    | reassigned    | 1         | 10:00:00 | 10:00:00 | 10:01:00
        other    | killed        | 5         | 10:00:00 | 10:00:00 | 10:01:00 """,
            ),
            of(
                DETECTIONS,
                """
        id     | broker_id | ts
        lost-4 | 4         | 10:00:09 """,
            ),
            of(
                SHRINKS,
                """
        id      | leader_id | removed | start_ts | partition
        lag     | 1         | 3       | 10:00:30 | 0
        alone   | 2         | 1       | 10:00:45 | 1
        expired | 1         | 4       | 10:00:10 | 2
        later   | 1         | 3       | 10:05:00 | 3         """,
            ),
        ),
        EDGES,
        """
        src    | dst     | relation | confidence | delay_ms | because
        lost-4 | expired | R4       | 0.9        | 1000     | broker 4 was in the ISR of orders-2 when its session ended
        slow   | lag     | R13      | 0.8        | 0        | broker 3 was slow, so it left the ISR of orders-0
        cut    | alone   | R3       | 0.7        | 45000    | the leader of orders-1, broker 2, itself was cut off and heard nothing from its followers """,
    )


def test_a_replica_elected_from_outside_the_isr_had_left_it(of):
    """Broker 3 left it too, in another partition, and broker 2 left that one after its election."""
    same(
        causality.shrink_to_unclean_election(
            of(
                SHRINKS,
                """
        id    | partition | leader_epoch | removed | start_ts
        left  | 0         | 3            | 2       | 10:00:00
        other | 0         | 3            | 3       | 10:00:05
        after | 1         | 4            | 2       | 10:00:40 """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | new_leader_id | elected_from
        0         | 4            | 10:00:30 | 2             | any_replica
        1         | 4            | 10:00:30 | 2             | any_replica
        0         | 5            | 10:00:50 | 3             | isr          """,
            ),
        ),
        EDGES,
        """
        src  | dst                 | relation | confidence | delay_ms | because
        left | election/orders-0/4 | R29      | 1.0        | 30000    | broker 2 had left the ISR of orders-0 at 10:00:00.000 and was not back in it when it was elected """,
    )


def test_the_loss_of_the_active_controller_makes_another(of):
    """Node 2 slept as well, but it is the end of node 1 that explains controller epoch 8; nothing else explains 9 than node 2 itself."""
    same(
        causality.fault_to_controller_change(
            of(
                FAULTS,
                """
        fault_id | kind    | broker_id | ts       | end_ts
        kill     | killed  | 1         | 10:00:00 | 10:05:00
        sleep    | paused  | 2         | 10:00:00 | 10:00:20
        slow     | slow_follower | 3   | 10:00:00 | 10:05:00 """,
            ),
            of(
                CONTROLLERS,
                """
        controller_id | controller_epoch | start_ts
        1             | 7                | 09:00:00
        3             | 8                | 10:00:06
        4             | 9                | 10:00:25
        3             | 10               | 10:00:50 """,
            ),
        ),
        EDGES,
        """
        src   | dst          | relation | confidence | delay_ms | because
        kill  | controller/8 | R18      | 0.8        | 6000     | node 1, the active controller, was killed; node 3 followed it
        sleep | controller/9 | R26      | 0.5        | 25000    | node 2 stood still, did not hear the active controller and called elections """,
    )


def test_a_preferred_leader_that_came_back_leads_again(of):
    """Not one that was never away, nor one of which no line tells that it came back."""
    same(
        causality.return_to_preferred_election(
            of(
                FAULTS,
                """
        fault_id | kind   | broker_id | ts       | end_ts
        kill     | killed | 1         | 10:00:00 | 10:05:00
        gone     | killed | 2         | 10:00:00 |          """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | new_leader_id | trigger
        0         | 4            | 10:09:00 | 1             | preferred
        1         | 4            | 10:19:00 | 2             | preferred
        2         | 4            | 10:09:00 | 3             | preferred
        3         | 4            | 10:04:00 | 1             | preferred
        4         | 4            | 10:09:00 | 1             | broker_failure """,
            ),
        ),
        EDGES,
        """
        src  | dst                 | relation | confidence | delay_ms | because
        kill | election/orders-0/4 | R23      | 0.8        | 240000   | broker 1, the preferred leader of orders-0, had come back """,
    )


def test_a_reassignment_moves_the_partitions_it_names(of):
    same(
        causality.reassignment_to_change(
            of(
                FAULTS,
                """
        fault_id | kind       | broker_id | ts       | end_ts   | partitions
        moved    | reassigned | 3         | 10:00:00 | 10:00:10 | orders-0,orders-1 """,
            ),
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | trigger
        0         | 4            | 10:00:20 | reassignment
        2         | 4            | 10:00:20 | reassignment
        1         | 4            | 10:00:20 | broker_failure """,
            ),
            of(
                SHRINKS,
                """
        id     | partition | start_ts
        out    | 1         | 10:00:20
        other  | 2         | 10:00:20 """,
            ),
        ),
        EDGES,
        """
        src   | dst                 | relation | confidence | delay_ms | because
        moved | election/orders-0/4 | R28      | 0.7        | 20000    | orders-0 was being reassigned
        moved | out                 | R28      | 0.7        | 20000    | orders-1 was being reassigned """,
    )


def test_a_fault_that_follows_from_another_of_the_same_broker(of):
    same(
        causality.fault_to_fault(
            of(
                FAULTS,
                """
        fault_id | kind                 | broker_id | ts       | end_ts
        disk     | log_dir_failed       | 1         | 10:00:00 | 10:05:00
        halt     | halted               | 1         | 10:00:02 | 10:05:00
        kill     | killed               | 2         | 10:00:00 | 10:00:10
        refused  | registration_refused | 2         | 10:00:12 | 10:00:14
        other    | registration_refused | 3         | 10:00:12 | 10:00:14 """,
            )
        ),
        EDGES,
        """
        src  | dst     | relation | confidence | delay_ms | because
        disk | halt    | R21      | 0.8        | 2000     | broker 1 lost a log directory: it stopped itself
        kill | refused | R17      | 0.8        | 12000    | broker 2 was killed: its old session had not ended when it came back """,
    )


def test_a_quorum_is_lost_with_its_voters_or_for_one_that_is_cut_off(of):
    same(
        causality.fault_to_fault(
            of(
                FAULTS,
                """
        fault_id | kind          | broker_id | t0_low   | ts       | end_ts
        kill     | killed        | 102       | 10:00:00 | 10:00:00 |
        cut      | cut_off       | 103       | 10:00:10 | 10:00:10 | 10:00:50
        slow     | slow_follower | 1         | 10:00:00 | 10:00:00 | 10:05:00
        before   | killed        | 101       | 09:00:00 | 09:00:00 | 09:10:00
        quorum   | quorum_lost   |           | 10:00:15 | 10:00:20 | 10:01:00 """,
            )
        ),
        EDGES,
        """
        src  | dst    | relation | confidence | delay_ms | because
        kill | quorum | R26      | 0.6        | 20000    | node 102 was killed: the voters left were no majority
        cut  | quorum | R26      | 0.6        | 10000    | node 103 was cut off: it reached no majority of the voters """,
    )


def test_a_leader_whose_isr_writes_are_refused_as_the_controller_dropped_the_same_broker(of):
    """As recorded of 1.0.2: broker 3 stood still, controller and leader dropped it within seconds. A fault long before explains nothing."""
    same(
        causality.fault_to_fault(
            of(
                FAULTS,
                """
        fault_id | kind                | broker_id | t0_low   | ts       | end_ts
        before   | killed              | 1         | 09:58:00 | 09:58:00 | 10:01:00
        pause    | paused              | 3         | 10:00:02 | 10:00:10 | 10:00:29
        refused  | isr_updates_refused | 2         | 10:00:13 | 10:00:13 | 10:00:28
        later    | isr_updates_refused | 2         | 10:20:13 | 10:20:13 | 10:20:28 """,
            )
        ),
        EDGES,
        """
        src   | dst     | relation | confidence | because
        pause | refused | R3       | 0.6        | broker 3 stood still: the controller and broker 2 both took it out of ISRs, and broker 2 learned late of the controller's """,
    )


def test_a_zookeeper_that_was_away_is_the_cause_of_what_each_broker_lost_by_it(of):
    same(
        causality.fault_to_fault(
            of(
                FAULTS,
                """
        fault_id | kind           | code | broker_id | nodes | t0_low   | ts       | end_ts
        away     | zookeeper_away | F07  |           | 1,2   | 10:00:00 | 10:00:04 | 10:00:40
        first    | zookeeper_lost | F07  | 1         |       | 10:00:00 | 10:00:04 | 10:00:39
        second   | cut_off        | F07  | 2         |       | 10:00:01 | 10:00:05 | 10:00:40
        later    | zookeeper_lost | F07  | 2         |       | 10:20:00 | 10:20:04 | 10:20:40 """,
            )
        ),
        EDGES,
        """
        src  | dst    | relation | confidence | because
        away | first  | R3       | 0.9        | no broker could reach ZooKeeper then
        away | second | R3       | 0.9        | no broker could reach ZooKeeper then """,
    )


def test_brokers_whose_heartbeats_no_quorum_answered_were_fenced_for_it_and_did_not_cause_it(of):
    same(
        causality.fault_to_fault(
            of(
                FAULTS,
                """
        fault_id | kind        | code | broker_id | t0_low   | ts       | end_ts
        kill     | killed      | F01  | 102       | 10:00:00 | 10:00:00 | 10:01:00
        quorum   | quorum_lost | F11  |           | 10:00:00 | 10:00:00 | 10:01:00
        fenced   | cut_off     | F12  | 1         | 10:00:05 | 10:00:14 | 10:01:05
        later    | cut_off     | F12  | 2         | 10:30:05 | 10:30:14 | 10:31:05 """,
            )
        ),
        EDGES,
        """
        src    | dst    | relation | confidence | because
        kill   | quorum | R26      | 0.6        | node 102 was killed: the voters left were no majority
        quorum | fenced | R26      | 0.8        | the voters left were no majority, and the heartbeats of broker 1 were in vain """,
    )


def test_a_follower_cuts_its_log_for_the_leader_epoch_it_follows(of):
    """The election of leader epoch 7 came later; that of orders-1 is another partition's; a leader does not cut for its own election."""
    same(
        causality.election_to_truncation(
            of(
                ELECTED,
                """
        partition | leader_epoch | ts       | new_leader_id
        0         | 5            | 10:00:00 | 3
        0         | 6            | 10:00:10 | 2
        0         | 7            | 10:30:00 | 3
        1         | 6            | 10:00:10 | 2             """,
            ),
            of(
                TRUNCATIONS,
                """
        node_id | ts       | leader_epoch | truncation_offset
        1       | 10:20:00 | 6            | 135
        2       | 10:20:00 |              | 0                 """,
            ),
        ),
        EDGES,
        """
        src                 | dst                                            | relation | confidence | delay_ms | because
        election/orders-0/6 | truncation/orders-0/1/2024-05-01T10:20:00.000Z | R10      | 0.9        | 1190000  | broker 1 follows leader epoch 6 of orders-0, whose log agrees with its own up to 135
        election/orders-0/5 | truncation/orders-0/2/2024-05-01T10:20:00.000Z | R10      | 0.9        | 1200000  | broker 2 follows leader epoch 5 of orders-0, whose log agrees with its own up to 0   """,
    )


def test_what_recovery_cuts_comes_of_the_brokers_unclean_end_and_of_no_leader(of):
    cuts = of(
        TRUNCATIONS,
        """
        node_id | ts       | leader_epoch | truncation_offset | by_recovery
        2       | 10:20:00 |              | 118               | true        """,
    )
    same(
        causality.fault_to_recovery_cut(
            of(
                FAULTS,
                """
        fault_id | kind    | broker_id | t0_low   | ts       | end_ts
        earlier  | killed  | 2         | 09:00:00 | 09:00:01 | 09:10:00
        kill     | killed  | 2         | 10:19:00 | 10:19:01 | 10:19:30
        other    | killed  | 3         | 10:19:10 | 10:19:11 | 10:19:50
        stop     | stopped | 2         | 10:19:20 | 10:19:20 | 10:19:30 """,
            ),
            cuts,
        ),
        EDGES,
        """
        src  | dst                                            | relation | confidence | delay_ms | because
        kill | truncation/orders-0/2/2024-05-01T10:20:00.000Z | R22      | 0.8        | 59000    | broker 2 was killed; as it came back its recovery found the log of orders-0 damaged from 118 on """,
    )
    elected = of(
        ELECTED,
        """
        leader_epoch | ts       | new_leader_id
        6            | 10:00:10 | 3             """,
    )
    assert causality.election_to_truncation(elected, cuts).isEmpty()


def test_a_loss_comes_of_its_election_or_of_the_end_of_the_last_replica(of):
    """A verdict that nothing is gone has no cause; the last replica's loss is not its election's fault."""
    same(
        causality.to_loss(
            of(
                ELECTED,
                """
        partition | leader_epoch | ts
        0         | 4            | 10:10:00
        1         | 6            | 10:20:05
        2         | 4            | 10:10:00 """,
            ),
            of(
                FAULTS,
                """
        fault_id | kind   | broker_id | ts       | end_ts
        before   | killed | 1         | 09:00:00 | 09:10:00
        kill     | killed | 1         | 10:10:00 | 10:20:00
        other    | killed | 2         | 10:10:00 | 10:20:00 """,
            ),
            of(
                LOST,
                """
        partition | leader_epoch | ts       | scenario | loss_class | verdict                       | old_leader_id | premise
        0         | 4            | 10:10:00 | S4       | committed  | PROVEN_LOSS                   | 1             | because it is so
        1         | 6            | 10:20:05 | S5       | committed  | POSSIBLE_LOSS                 | 1             | it was alone
        2         | 4            | 10:10:00 |          | committed  | NO_COMMITTED_LOSS_BY_PROTOCOL | 1             | it was in the ISR """,
            ),
        ),
        EDGES,
        """
        src                 | dst                          | relation | confidence | delay_ms | because
        election/orders-0/4 | loss/orders-0/4/committed/S4 | R29      | 1.0        | 0        | because it is so
        kill                | loss/orders-1/6/committed/S5 | R22      | 0.8        | 605000   | it was alone     """,
    )


def test_writes_are_refused_while_the_isr_is_too_small(of):
    same(
        causality.shrink_to_refused_write(
            of(
                SHRINKS,
                """
        id    | partition | start_ts | end_ts   | isr
        small | 0         | 10:00:00 | 10:00:30 | 1
        over  | 0         | 09:00:00 | 09:30:00 | 2
        other | 1         | 10:00:00 | 10:00:30 | 1   """,
            ),
            of(
                REFUSED,
                """
        id      | ts
        refused | 10:00:10 """,
            ),
        ),
        EDGES,
        """
        src   | dst     | relation | confidence | delay_ms | because
        small | refused | R15      | 0.9        | 10000    | the ISR of orders-0 was [1] """,
    )


def test_of_several_causes_under_one_rule_the_nearest_is_kept(told):
    """Broker 2 had left the ISR twice; nothing causes itself."""
    same(
        causality.edges(
            *told(
                shrinks="""
            id    | leader_epoch | removed | start_ts | end_ts   | leader_id
            first | 2            | 2       | 09:00:00 | 09:10:00 | 1
            last  | 3            | 2       | 10:00:00 | 10:00:30 | 1         """,
                elections="""
            leader_epoch | ts       | old_leader_id | new_leader_id | elected_from
            4            | 10:00:30 | 1             | 2             | any_replica  """,
            )
        ),
        EDGES,
        """
        src  | dst                 | relation
        last | election/orders-0/4 | R29      """,
    )
