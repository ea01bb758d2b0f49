"""Questions to a result's events: who learnt of a leader when, and how long brokers loaded their logs."""

from __future__ import annotations

from replay.questions.operator_tables import epochs_learnt, log_loads
from replay.tables import EVENTS, LEADER_EPOCHS
from tests.tables import same, table

LEARNT = "topic string, partition int, leader_epoch int, broker_id int, lag_ms bigint, event_id string"


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
