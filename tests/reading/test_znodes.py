"""Partitions' states as ZooKeeper keeps them: put together from the lines of its tools, each state with its path and its stat."""

from __future__ import annotations

from replay.reading.znodes import znode_states
from replay.tables import EVENTS
from tests.tables import same, table

STATES = "topic string, partition int, leader_epoch int, partition_epoch int, leader_id int, isr array<int>, controller_epoch int, ts timestamp, event_id string"


def states(spark, text: str):
    """The states that a file's lines tell of."""
    return znode_states(table(spark, EVENTS, text).fillna({"source_file": "state.txt"}))


def test_each_state_has_the_path_before_it_and_the_stat_after_it(spark):
    same(
        states(
            spark,
            """
        line_number | kind           | event_id | topic  | partition | leader_id | leader_epoch | isr | controller_epoch | details
        1           | zookeeper_talk | a        |        |           |           |              |     |                  |
        2           | znode_path     | b        | orders | 3         |           |              |     |                  |
        2           | zookeeper_talk | b2       |        |           |           |              |     |                  |
        3           | znode_state    | c        |        |           | 2         | 12           | 2,3 | 7                |
        4           | znode_stat     | d        |        |           |           |              |     |                  | ctime=Sat Nov 21 01:00:00 UTC 2026
        5           | znode_stat     | e        |        |           |           |              |     |                  | mtime=Sat Nov 21 05:34:41 UTC 2026
        6           | znode_stat     | f        |        |           |           |              |     |                  | dataVersion=30
        7           | znode_path     | g        | clicks | 0         |           |              |     |                  |
        8           | znode_state    | h        |        |           | -1        | 4            | 1   | 7                |
        9           | znode_stat     | i        |        |           |           |              |     |                  | mtime=Fri Jul 3 07:00:00 CEST 2026
        10          | znode_stat     | j        |        |           |           |              |     |                  | dataVersion=9 """,
        ),
        STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | controller_epoch | ts                      | event_id
        orders | 3         | 12           | 30              | 2         | 2,3 | 7                | 2026-11-21T05:34:41.999 | c
        clicks | 0         | 4            | 9               | -1        | 1   | 7                | 2026-07-03T05:00:00.999 | h """,
    )


def test_a_state_without_a_stat_has_neither_time_nor_partition_epoch(spark):
    same(
        states(
            spark,
            """
        line_number | kind        | event_id | topic  | partition | leader_id | leader_epoch | isr | controller_epoch
        1           | znode_state | a        | orders | 3         | 2         | 12           | 2,3 | 7
        2           | znode_state | b        | clicks | 0         | 1         | 4            | 1   | 7 """,
        ),
        STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | ts | event_id
        orders | 3         | 12           |                 | 2         | 2,3 |    | a
        clicks | 0         | 4            |                 | 1         | 1   |    | b """,
    )


def test_the_stat_of_another_znode_is_not_a_states_and_a_state_without_a_path_is_nobodys(spark):
    same(
        states(
            spark,
            """
        line_number | kind           | event_id | topic  | partition | leader_id | leader_epoch | isr | details
        1           | znode_path     | a        | orders | 3         |           |              |     |
        2           | znode_state    | b        |        |           | 2         | 12           | 2,3 |
        3           | zookeeper_command | c     |        |           |           |              |     |
        4           | znode_stat     | d        |        |           |           |              |     | dataVersion=77
        5           | znode_state    | e        |        |           | 1         | 1            | 1   | """,
        ),
        STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | event_id
        orders | 3         | 12           |                 | b """,
    )


def test_what_the_transaction_log_holds(spark):
    same(
        states(
            spark,
            """
        line_number | kind                    | event_id | ts       | topic  | partition | leader_id | leader_epoch | partition_epoch | isr
        1           | zookeeper_state_written | a        | 10:00:00 | orders | 0         | 1         | 0            | 0               | 1,2
        2           | zookeeper_transaction   | b        | 10:00:01 |        |           |           |              |                 |
        3           | zookeeper_state_written | c        | 10:00:07 | orders | 0         | 1         | 0            |                 | 1 """,
        ),
        STATES,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr | ts           | event_id
        orders | 0         | 0            | 0               | 1         | 1,2 | 10:00:00.999 | a
        orders | 0         | 0            |                 | 1         | 1   | 10:00:07.999 | c """,
    )
