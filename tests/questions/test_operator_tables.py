"""Questions to several tables: whom ISR shrinks point at, which replica to trust, who took itself for the leader, who learnt of it when."""

from __future__ import annotations

from collections import defaultdict

import pytest

from replay.causes.happenings import isr_shrinks
from replay.questions.operator_tables import deposed_leaders, epochs_learnt, isr_drops, log_loads, replicas, trusted
from replay.tables import (
    BROKER_SESSIONS,
    DEPOSED_LEADERS,
    EVENTS,
    HIGH_WATERMARKS,
    ISR_DROPS,
    ISR_SPANS,
    LEADER_EPOCHS,
    REPLICAS,
)
from replay.tables.arrow import to_arrow
from replay.tables.partitions import COMMITTED_ISRS, ISR_SHRINKS
from replay.tables.questions import TRUSTED
from tests.partitions.test_topic_lives import LIVES
from tests.tables import rows, same, table

LEARNT = "topic string, partition int, leader_epoch int, broker_id int, lag_ms bigint, event_id string"


@pytest.fixture
def isrs(spark):
    """Spans as a stage has them: ISR_SPANS with a topic's life and the order of states."""
    return lambda text: table(spark, ISR_SPANS, text)


@pytest.fixture
def drops(spark):
    def of(text, sessions="broker_id | end_ts"):
        of_partition = defaultdict(list)
        for isr in rows(COMMITTED_ISRS, text):
            of_partition[isr.topic, isr.partition].append(isr)
        shrinks = [shrink for own in of_partition.values() for shrink in isr_shrinks(own)]
        shrunk = spark.createDataFrame(to_arrow(ISR_SHRINKS, shrinks), ISR_SHRINKS.schema)
        return isr_drops(shrunk, table(spark, BROKER_SESSIONS, sessions))

    return of


def test_a_broker_that_several_leaders_drop_is_the_suspect(drops):
    same(
        drops("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1,2   | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:08     | 10:00:08 | 2         | 1,2   | e4
        b     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e5
        b     | 0         | 0        | 1            | 2               | 10:00:07     | 10:00:07 | 1         | 1,2   | e6
        b     | 0         | 0        | 1            | 3               | 10:00:11     | 10:00:11 | 1         | 1,2,3 | e7
        b     | 0         | 0        | 1            | 4               | 10:00:21     | 10:00:21 | 1         | 1,2   | e8 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | partition_count | suspect_id | first_ts | last_ts  | evidence
        3         | 1         | 3     | 2          | 3          | 10:00:07 | 10:00:21 | e6,e2,e8
        3         | 2         | 1     | 1          | 3          | 10:00:08 | 10:00:08 | e4       """,
    )


def test_a_leader_that_alone_drops_several_is_the_suspect(drops):
    same(
        drops("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     | 1
        3         | 1         | 1     | 1          """,
    )


def test_what_leaders_dropped_at_other_times_accuses_nobody(drops):
    """Leader 1 drops both others as it is cut off; minutes later leader 3 is, and does so too: broker 2 is innocent."""
    same(
        drops("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2
        b     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 3         | 1,2,3 | e3
        b     | 0         | 0        | 1            | 2               | 10:05:09     | 10:05:09 | 3         | 3     | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     | 1
        3         | 1         | 1     | 1
        1         | 3         | 1     | 3
        2         | 3         | 1     | 3          """,
    )


def test_one_leader_and_one_follower_cannot_be_told_apart_nor_can_two_that_drop_each_other(drops):
    same(
        drops("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1,3   | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 2         | 2,3   | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     |
        1         | 2         | 1     |            """,
    )


def test_a_broker_whose_session_ended_is_the_suspect_whoever_dropped_it(drops):
    same(
        drops(
            """
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 2            | 2               | 10:00:09     | 10:00:09 | 1         | 1,3   | e2
        a     | 0         | 0        | 2            | 3               | 10:05:00     | 10:05:00 | 1         | 1     | e3 """,
            """
        broker_id | end_ts
        2         | 10:00:08
        3         | 10:00:08 """,
        ),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | as_session_ended | suspect_id
        2         | 1         | 1     | 1                | 2
        3         | 1         | 1     | 0                |            """,
    )


def test_a_leader_that_drops_two_is_no_suspect_where_another_leader_dropped_one_of_them(drops):
    same(
        drops("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 2         | 1,2   | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | suspect_id
        2         | 1         |
        3         | 1         | 3
        3         | 2         | 3          """,
    )


def test_the_last_isr_is_trusted_first_then_the_log_that_reached_furthest(spark, isrs):
    same(
        replicas(
            table(
                spark,
                LEADER_EPOCHS,
                """
        topic | partition | life:int | leader_epoch | leader_id
        a     | 0         | 0        | 4            | 1
        a     | 0         | 0        | 5            | -1         """,
            ),
            isrs("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | leader_id | isr | replicas | evidence
        a     | 0         | 0        | 4            | 1               | 10:00:00     | 1         | 1,2 | 1,2,3    | e1
        a     | 0         | 0        | 4            | 2               | 10:00:09     | 1         | 1   | 1,2,3    | e2       """),
            table(
                spark,
                HIGH_WATERMARKS,
                """
        topic | partition | node_id | ts       | high_watermark | log_end_offset | evidence
        a     | 0         | 1       | 10:00:01 | 40             | 50             | h1
        a     | 0         | 1       | 10:00:05 | 60             |                | h2
        a     | 0         | 1       | 10:00:04 | 70             |                | h6
        a     | 0         | 2       | 10:00:02 | 40             | 45             | h3
        a     | 0         | 3       | 10:00:02 | 40             | 48             | h4
        a     | 0         | 3       | 10:00:03 | 41             | 47             | h5       """,
            ),
            table(
                spark,
                BROKER_SESSIONS,
                """
        broker_id | start_ts | end_ts
        1         | 09:00:00 | 10:00:10
        2         | 09:00:00 | 09:30:00
        2         | 09:40:00 |
        3         |          | 10:00:05 """,
            ),
            table(spark, LIVES, "topic | borders | ends"),
        ),
        REPLICAS,
        """
        topic | partition | node_id | trust | leader_id | in_isr | is_up | log_end_offset | told_ts  | high_watermark | evidence
        a     | 0         | 1       | 1     | -1        | true   | false | 60             | 10:00:05 | 60             | e2,h2
        a     | 0         | 3       | 2     | -1        | false  | false | 47             | 10:00:03 | 41             | e2,h5
        a     | 0         | 2       | 3     | -1        | false  | true  | 45             | 10:00:02 | 40             | e2,h3    """,
    )


def test_whom_to_start_first_is_told_of_what_ends_without_a_leader(spark):
    """The best replica of each; one that had left the ISR lacks what only the last members held."""
    same(
        trusted(
            table(
                spark,
                REPLICAS,
                """
        topic | partition | node_id | trust | leader_id | in_isr
        a     | 0         | 1       | 1     | -1        | true
        a     | 0         | 2       | 2     | -1        | false
        a     | 1         | 1       | 1     | -1        | false
        a     | 2         | 3       | 1     | -1        | true
        a     | 3         | 3       | 1     | 2         | true    """,
            )
        ),
        TRUSTED,
        "broker_id | partitions | out_of_isr\n 1 | 2 | 1\n 3 | 1 | 0",
    )


def test_a_topic_made_again_has_the_replicas_of_its_last_life(spark, isrs):
    same(
        replicas(
            table(
                spark,
                LEADER_EPOCHS,
                """
        topic | partition | life:int | leader_epoch | leader_id
        a     | 0         | 0        | 9            | 1
        a     | 0         | 1        | 0            | 2          """,
            ),
            isrs("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | leader_id | isr | evidence
        a     | 0         | 0        | 9            | 1               | 10:00:00     | 1         | 1   | e1
        a     | 0         | 1        | 0            | 1               | 11:00:00     | 2         | 2   | e2       """),
            table(
                spark,
                HIGH_WATERMARKS,
                """
        topic | partition | node_id | ts       | log_end_offset | evidence
        a     | 0         | 2       | 10:30:00 | 700            | h1
        a     | 0         | 2       | 11:00:01 | 0              | h2       """,
            ),
            table(spark, BROKER_SESSIONS, "broker_id | start_ts"),
            table(
                spark,
                LIVES,
                """
        topic | borders  | ends
        a     | 11:00:00 | 10:59:00 """,
            ),
        ),
        REPLICAS,
        """
        topic | partition | node_id | leader_id | in_isr | is_up | log_end_offset | told_ts
        a     | 0         | 2       | 2         | true   |       | 0              | 11:00:01 """,
    )


def test_a_deleted_topic_has_no_replicas(spark, isrs):
    found = replicas(
        table(
            spark,
            LEADER_EPOCHS,
            """
        topic | partition | life:int | leader_epoch | leader_id
        a     | 0         | 0        | 1            | -1         """,
        ),
        isrs("""
        topic | partition | life:int | leader_epoch | state_order:int | ts:timestamp | leader_id | isr | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | -1        | 1   | e1       """),
        table(spark, HIGH_WATERMARKS, "topic | node_id | ts"),
        table(spark, BROKER_SESSIONS, "broker_id | start_ts"),
        table(
            spark,
            LIVES,
            """
        topic | borders  | ends
        a     | 10:30:00 | 10:30:00 """,
        ),
    )
    assert found.isEmpty()


def test_a_deposed_leader_that_goes_on_is_told_with_the_time_it_took(spark):
    epochs = table(
        spark,
        LEADER_EPOCHS,
        """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 3            | 1         | 09:00:00 | 10:00:00
        a     | 0         | 4            | 1         | 10:00:00 | 10:00:50
        a     | 0         | 5            | -1        | 10:00:50 | 10:01:00
        a     | 0         | 6            | 2         | 10:01:00 | 10:03:00
        a     | 0         | 7            | 1         | 10:03:00 |          """,
    )
    marks = table(
        spark,
        HIGH_WATERMARKS,
        """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:00:30 | leader   | isr_shrink     | 4            | h1
        a     | 0         | 1       | 10:01:20 | leader   | isr_shrink     | 4            | h2
        a     | 0         | 1       | 10:01:40 | follower | follower_start | 6            | h3
        a     | 0         | 1       | 10:03:00 | leader   | leader_start   | 7            | h4
        a     | 0         | 2       | 10:03:10 | leader   | isr_shrink     | 6            | h5       """,
    )
    same(
        deposed_leaders(epochs, marks, table(spark, BROKER_SESSIONS, "broker_id | end_ts | ended_by")),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | learnt_ts | believed_ms | evidence
        a     | 0         | 1         | 4            | 10:01:00   | 10:01:20    | 10:01:40  | 40000       | h2,h3
        a     | 0         | 2         | 6            | 10:03:00   | 10:03:10    |           | 10000       | h5       """,
    )


def test_who_died_took_itself_for_nothing_and_who_was_not_heard_went_on(spark):
    epochs = table(
        spark,
        LEADER_EPOCHS,
        """
        topic | partition | leader_epoch | leader_id | start_ts | end_ts
        a     | 0         | 4            | 1         | 10:00:00 | 10:01:00
        a     | 0         | 5            | 3         | 10:01:00 |
        a     | 1         | 4            | 2         | 10:00:00 | 10:01:00
        a     | 1         | 5            | 3         | 10:01:00 |          """,
    )
    marks = table(
        spark,
        HIGH_WATERMARKS,
        """
        topic | partition | node_id | ts       | role     | source         | leader_epoch | evidence
        a     | 0         | 1       | 10:05:00 | follower | follower_start | 5            | h1
        a     | 1         | 2       | 10:05:00 | follower | follower_start | 5            | h2       """,
    )
    sessions = table(
        spark,
        BROKER_SESSIONS,
        """
        broker_id | end_ts   | ended_by
        1         | 10:00:59 | crash
        2         | 09:00:00 | crash
        2         | 10:00:59 | session_timeout """,
    )
    same(
        deposed_leaders(epochs, marks, sessions),
        DEPOSED_LEADERS,
        """
        topic | partition | broker_id | learnt_ts | believed_ms
        a     | 1         | 2         | 10:05:00  | 240000      """,
    )


def test_who_learnt_of_a_leader_when(spark):
    epochs = table(
        spark,
        LEADER_EPOCHS,
        """
        topic | partition | leader_epoch | leader_id | start_ts
        a     | 0         | 4            | 1         | 10:00:00
        a     | 0         | 5            | -1        | 10:00:10 """,
    )
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind                           | node_id | topic | partition | leader_epoch
        10:00:01 | leader_start                   | 1       | a     | 0         | 4
        10:00:02 | leader_start                   | 1       | a     | 0         | 4
        10:00:07 | follower_start                 | 2       | a     | 0         | 4
        10:00:07 | controller_send_leader_and_isr | 3       | a     | 0         | 4
        10:00:11 | follower_start                 | 2       | a     | 0         | 5            """,
    )
    same(
        epochs_learnt(epochs, told),
        LEARNT,
        """
        topic | partition | leader_epoch | broker_id | lag_ms | event_id
        a     | 0         | 4            | 1         | 1000   | e1
        a     | 0         | 4            | 2         | 7000   | e3       """,
    )


def test_a_start_is_clean_or_not_and_has_its_own_recoveries(spark):
    same(
        log_loads(
            table(
                spark,
                EVENTS,
                """
        event_id | ts       | node_id | source_file | line_number | kind                     | topic              | partition | details
        s:1      | 10:00:00 | 1       | s           | 1           | log_dir_clean_shutdown   |                    |           |
        s:2      | 10:00:01 | 1       | s           | 2           | log_manager_load_done    |                    |           | num_logs=3;elapsed_ms=12
        s:7      | 10:09:00 | 1       | s           | 7           | log_dir_clean_shutdown   |                    |           |
        s:8      | 10:09:00 | 1       | s           | 8           | log_dir_unclean_shutdown |                    |           |
        s:9      | 10:09:01 | 1       | s           | 9           | log_segment_recovery     | a                  | 0         |
        s:10     | 10:09:02 | 1       | s           | 10          | log_segment_recovery     | a                  | 0         |
        s:11     | 10:09:03 | 1       | s           | 11          | log_segment_recovery     | __cluster_metadata | 0         |
        s:12     | 10:09:04 | 1       | s           | 12          | log_recovery_truncated   | a                  | 1         |
        s:13     | 10:09:05 | 1       | s           | 13          | log_manager_load_done    |                    |           | elapsed_ms=5012
        t:1      | 10:00:00 | 2       | t           | 1           | log_manager_load_done    |                    |           | elapsed_ms=3
        t:2      | 10:00:09 | 2       | t           | 2           | log_dir_unclean_shutdown |                    |           |           """,
            )
        ),
        "node_id int, loaded_ts timestamp, load_ms bigint, log_count int, was_clean boolean, recovered bigint, cut bigint, evidence array<string>",
        """
        node_id | loaded_ts | load_ms | log_count | was_clean | recovered | cut | evidence
        1       | 10:00:01  | 12      | 3         | true      | 0         | 0   | s:1,s:2
        1       | 10:09:05  | 5012    |           | false     | 1         | 1   | s:13,s:7,s:8
        2       | 10:00:00  | 3       |           |           | 0         | 0   | t:1          """,
    )
