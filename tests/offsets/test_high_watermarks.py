"""What single lines say of single replicas' offsets (facts §4)."""

from __future__ import annotations

import pytest

from replay.offsets.high_watermarks import high_watermarks
from replay.tables import EVENTS, HIGH_WATERMARKS
from tests.tables import same, table


@pytest.fixture
def anchors(spark):
    return lambda text: high_watermarks(table(spark, EVENTS, text))


def test_no_lines_no_anchors(anchors):
    assert anchors("ts").isEmpty()


def test_a_leaders_start_tells_its_log_end_and_its_high_watermark(anchors):
    same(
        anchors("""
        ts       | kind         | node_id | topic  | partition | leader_epoch | epoch_start_offset | high_watermark
        10:00:01 | leader_start | 1       | orders | 3         | 8            | 120                | 118            """),
        HIGH_WATERMARKS,
        """
        topic  | partition | node_id | ts       | leader_epoch | role   | high_watermark | log_end_offset | source       | evidence
        orders | 3         | 1       | 10:00:01 | 8            | leader | 118            | 120            | leader_start | e1       """,
    )


def test_a_followers_start_tells_where_its_own_log_ends(anchors):
    same(
        anchors("""
        ts       | kind           | node_id | topic  | partition | leader_epoch | log_end_offset | high_watermark | epoch_start_offset
        10:00:01 | follower_start | 2       | orders | 3         | 8            | 2870           | 2784           |                    """),
        HIGH_WATERMARKS,
        """
        node_id | role     | leader_epoch | high_watermark | log_end_offset
        2       | follower | 8            | 2784           | 2870           """,
    )


def test_a_line_without_epoch_belongs_to_the_one_its_node_last_began(anchors):
    same(
        anchors("""
        ts       | kind                        | node_id | topic  | partition | leader_epoch | epoch_start_offset | high_watermark | log_end_offset
        10:00:01 | leader_start                | 1       | orders | 3         | 8            | 120                | 118            |
        10:00:05 | isr_shrink                  | 1       | orders | 3         |              |                    | 140            | 237
        10:00:06 | isr_shrink                  | 1       | clicks | 0         |              |                    | 7              | 9
        10:00:07 | follower_transition_skipped | 1       | orders | 3         | 9            |                    |                |
        10:00:08 | hw_updated                  | 1       | orders | 3         |              |                    | 150            |                """),
        HIGH_WATERMARKS,
        """
        topic  | ts       | leader_epoch | role   | high_watermark | log_end_offset | source
        orders | 10:00:01 | 8            | leader | 118            | 120            | leader_start
        orders | 10:00:05 | 8            | leader | 140            | 237            | isr_shrink
        clicks | 10:00:06 |              | leader | 7              | 9              | isr_shrink
        orders | 10:00:08 | 9            |        | 150            |                | hw_updated   """,
    )


def test_a_replica_without_a_checkpointed_high_watermark_begins_with_0(anchors):
    """Later releases print beside it what they begin with, which is their log's start."""
    same(
        anchors("""
        ts       | kind                         | template_id | node_id | topic  | partition | leader_epoch
        10:00:01 | partition_no_checkpointed_hw | PRT-095     | 1       | orders | 3         |
        10:00:01 | partition_no_checkpointed_hw | PRT-096     | 1       | clicks | 3         | """),
        HIGH_WATERMARKS,
        """
        topic  | partition | node_id | ts       | high_watermark | log_end_offset | source
        orders | 3         | 1       | 10:00:01 | 0              |                | partition_no_checkpointed_hw """,
    )


def test_the_default_that_is_printed_as_a_log_loads_is_no_high_watermark(anchors):
    """Facts §8 trap 9: `Completed load … highWatermark=0`."""
    same(
        anchors("""
        ts       | kind               | node_id | topic  | partition | high_watermark | log_end_offset | log_start_offset
        10:00:01 | log_load_completed | 1       | orders | 3         | 0              | 144            | 20               """),
        HIGH_WATERMARKS,
        """
        high_watermark | log_end_offset | log_start_offset
                       | 144            | 20               """,
    )


def test_of_the_lines_that_old_releases_print_for_every_replica_the_largest_is_the_brokers_own(anchors):
    """Up to 2.3 the broker prints its checkpointed high watermark and a 0 for each other replica."""
    same(
        anchors("""
        ts           | kind                 | template_id | node_id | topic  | partition | high_watermark
        10:00:01.000 | partition_log_loaded | PRT-109     | 2       | orders | 3         | 0
        10:00:01.001 | partition_log_loaded | PRT-109     | 2       | orders | 3         | 140
        10:00:01.001 | partition_log_loaded | PRT-109     | 2       | orders | 3         | 0
        10:00:01.002 | partition_log_loaded | PRT-109     | 2       | clicks | 3         | 0              """),
        HIGH_WATERMARKS,
        """
        topic  | high_watermark
        orders | 140
        clicks | 0              """,
    )


def test_a_truncation_leaves_the_log_ending_there(anchors):
    same(
        anchors("""
        ts       | kind             | node_id | topic  | partition | truncation_offset | high_watermark
        10:00:01 | log_truncated_to | 2       | orders | 3         | 293               |
        10:00:02 | hw_non_monotonic | 2       | orders | 3         |                   | 293            """),
        HIGH_WATERMARKS,
        """
        source           | high_watermark | log_end_offset
        log_truncated_to |                | 293
        hw_non_monotonic | 293            |                """,
    )


def test_a_checkpoint_file_testifies_with_its_time_or_without(anchors):
    same(
        anchors("""
        ts       | kind                        | node_id | topic  | partition | high_watermark | log_start_offset
        10:05:00 | checkpoint_high_watermark   | 2       | orders | 3         | 1228           |
                 | checkpoint_high_watermark   | 1       | orders | 3         | 1500           |
                 | checkpoint_log_start_offset | 1       | orders | 3         |                | 12               """),
        HIGH_WATERMARKS,
        """
        node_id | ts       | leader_epoch | high_watermark | log_start_offset
        2       | 10:05:00 |              | 1228           |
        1       |          |              | 1500           |
        1       |          |              |                | 12               """,
    )


def test_a_line_of_an_unknown_node_is_no_anchor(anchors):
    assert anchors("""
        ts       | kind         | node_id | topic  | partition | high_watermark
        10:00:01 | hw_updated   |         | orders | 3         | 118            """).isEmpty()


def test_what_a_broker_loads_is_of_the_leader_epoch_before_the_one_it_is_told_to_follow(anchors):
    same(
        anchors("""
        ts           | kind                           | node_id | topic  | partition | leader_epoch | high_watermark
        10:00:00     | broker_leader_and_isr_received | 3       | orders | 0         | 4            |
        10:20:00.000 | broker_leader_and_isr_received | 3       | orders | 0         | 7            |
        10:20:00.100 | partition_log_loaded           | 3       | orders | 0         |              | 112
        10:20:00.200 | truncation_to_hw               | 3       | orders | 0         |              | 112            """),
        HIGH_WATERMARKS,
        """
        source               | leader_epoch | high_watermark
        partition_log_loaded | 4            | 112
        truncation_to_hw     | 7            | 112            """,
    )
