"""Which replica of a partition to trust."""

from __future__ import annotations

from replay.partitions.lives import TopicLives
from replay.questions.replicas import all_trusted, brokers_up, replicas, trusted
from replay.tables import BROKER_SESSIONS, HIGH_WATERMARKS, REPLICAS
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS, TOPIC_LIVES
from replay.tables.questions import TRUSTED
from tests.tables import of_each_partition, rows, same_rows


def found(epochs: str, isrs: str, marks: str, sessions: str = "broker_id", lives: str = "topic"):
    return of_each_partition(
        replicas,
        rows(LEADER_EPOCHS, epochs),
        rows(COMMITTED_ISRS, isrs),
        rows(HIGH_WATERMARKS, marks),
        brokers_up=brokers_up(rows(BROKER_SESSIONS, sessions)),
        lives=TopicLives(rows(TOPIC_LIVES, lives)),
    )


def test_the_last_isr_is_trusted_first_then_the_log_that_reached_furthest():
    same_rows(
        found(
            """
        topic | partition | life | leader_epoch | leader_id
        a     | 0         | 0        | 4            | 1
        a     | 0         | 0        | 5            | -1         """,
            """
        topic | partition | life | leader_epoch | state_order | ts | leader_id | isr | replicas | evidence
        a     | 0         | 0        | 4            | 1               | 10:00:00     | 1         | 1,2 | 1,2,3    | e1
        a     | 0         | 0        | 4            | 2               | 10:00:09     | 1         | 1   | 1,2,3    | e2       """,
            """
        topic | partition | node_id | ts       | high_watermark | log_end_offset | evidence
        a     | 0         | 1       | 10:00:01 | 40             | 50             | h1
        a     | 0         | 1       | 10:00:05 | 60             |                | h2
        a     | 0         | 1       | 10:00:04 | 70             |                | h6
        a     | 0         | 2       | 10:00:02 | 40             | 45             | h3
        a     | 0         | 3       | 10:00:02 | 40             | 48             | h4
        a     | 0         | 3       | 10:00:03 | 41             | 47             | h5       """,
            """
        broker_id | start_ts | end_ts
        1         | 09:00:00 | 10:00:10
        2         | 09:00:00 | 09:30:00
        2         | 09:40:00 |
        3         |          | 10:00:05 """,
            lives="topic | boundaries | ends",
        ),
        REPLICAS,
        """
        topic | partition | node_id | trust | leader_id | in_isr | is_up | log_end_offset | told_ts  | high_watermark | evidence
        a     | 0         | 1       | 1     | -1        | true   | false | 60             | 10:00:05 | 60             | e2,h2
        a     | 0         | 3       | 2     | -1        | false  | false | 47             | 10:00:03 | 41             | e2,h5
        a     | 0         | 2       | 3     | -1        | false  | true  | 45             | 10:00:02 | 40             | e2,h3    """,
    )


def test_the_broker_to_start_first_is_named_for_partitions_that_end_without_a_leader():
    """The best replica of each; one that had left the ISR lacks what only the last members held."""
    same_rows(
        all_trusted(
            of_each_partition(
                trusted,
                rows(
                    REPLICAS,
                    """
        topic | partition | node_id | trust | leader_id | in_isr
        a     | 0         | 1       | 1     | -1        | true
        a     | 0         | 2       | 2     | -1        | false
        a     | 1         | 1       | 1     | -1        | false
        a     | 2         | 3       | 1     | -1        | true
        a     | 3         | 3       | 1     | 2         | true    """,
                ),
            )
        ),
        TRUSTED,
        "broker_id | partitions | out_of_isr\n 1 | 2 | 1\n 3 | 1 | 0",
    )


def test_a_topic_made_again_has_the_replicas_of_its_last_life():
    same_rows(
        found(
            """
        topic | partition | life | leader_epoch | leader_id
        a     | 0         | 0        | 9            | 1
        a     | 0         | 1        | 0            | 2          """,
            """
        topic | partition | life | leader_epoch | state_order | ts | leader_id | isr | evidence
        a     | 0         | 0        | 9            | 1               | 10:00:00     | 1         | 1   | e1
        a     | 0         | 1        | 0            | 1               | 11:00:00     | 2         | 2   | e2       """,
            """
        topic | partition | node_id | ts       | log_end_offset | evidence
        a     | 0         | 2       | 10:30:00 | 700            | h1
        a     | 0         | 2       | 11:00:01 | 0              | h2       """,
            "broker_id | start_ts",
            lives="""
        topic | boundaries  | ends
        a     | 11:00:00 | 10:59:00 """,
        ),
        REPLICAS,
        """
        topic | partition | node_id | leader_id | in_isr | is_up | log_end_offset | told_ts
        a     | 0         | 2       | 2         | true   |       | 0              | 11:00:01 """,
    )


def test_a_deleted_topic_has_no_replicas():
    told = found(
        """
        topic | partition | life | leader_epoch | leader_id
        a     | 0         | 0        | 1            | -1         """,
        """
        topic | partition | life | leader_epoch | state_order | ts | leader_id | isr | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | -1        | 1   | e1       """,
        "topic | node_id | ts",
        "broker_id | start_ts",
        lives="""
        topic | boundaries  | ends
        a     | 10:30:00 | 10:30:00 """,
    )
    assert told == []
