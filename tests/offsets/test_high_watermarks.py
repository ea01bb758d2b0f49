"""What single lines say of single replicas' offsets (facts §4)."""

from __future__ import annotations

import pytest

from replay.histories.cluster import Cluster
from replay.offsets.high_watermarks import follower_positions, high_watermarks
from replay.tables import EVENTS, FOLLOWER_POSITIONS, HIGH_WATERMARKS
from replay.tables.brokers import RELEASES
from replay.tables.offsets import FETCHER_STARTS
from tests.tables import of_each_partition, rows, same_rows


def of_lines(lines):
    return high_watermarks(lines, (), Cluster())


def anchors(text: str):
    return of_each_partition(of_lines, rows(EVENTS, text))


def test_no_lines_no_anchors():
    assert list(of_lines([])) == []


START = """
        node_id | leader_id | leader_epoch | ts       | initial_offset | event_id
        3       | 2         | {}           | 10:00:01 | 95             | added    """
LOADED_AND_CUT = """
        ts       | kind                 | node_id | topic  | partition | high_watermark | truncation_offset | event_id
        10:00:00 | partition_log_loaded | 3       | orders | 0         | 0              |                   | loaded
        10:00:02 | log_truncated_to     | 3       | orders | 0         |                | 95                | cut      """


@pytest.mark.parametrize(
    ("epoch", "release", "known"),
    [
        (1, "20501", ["loaded 0", "added 95", "cut None"]),
        ("", "20001", ["loaded 0", "added 95", "cut None"]),
        ("", "10002", ["loaded 0", "cut None"]),
    ],
    ids=["from 2.1 on, with the leader epoch", "in 1.1 and 2.0, without it", "up to 1.0 it is the log end"],
)
def test_who_begins_to_fetch_shows_its_high_watermark(epoch, release, known):
    releases = rows(RELEASES, f"node_id | version_low | version_high\n3 | {release} | {release}")
    starts = rows(FETCHER_STARTS, START.format(epoch))
    found = high_watermarks(rows(EVENTS, LOADED_AND_CUT), starts, Cluster.of((), releases, (), (), ()))
    assert [f"{row.evidence[0]} {row.high_watermark}" for row in found] == known


def test_a_leaders_start_shows_its_log_end_and_its_high_watermark():
    same_rows(
        anchors("""
        ts       | kind         | node_id | topic  | partition | leader_epoch | epoch_start_offset | high_watermark
        10:00:01 | leader_start | 1       | orders | 3         | 8            | 120                | 118            """),
        HIGH_WATERMARKS,
        """
        topic  | partition | node_id | ts       | leader_epoch | role   | high_watermark | log_end_offset | source       | evidence
        orders | 3         | 1       | 10:00:01 | 8            | leader | 118            | 120            | leader_start | e1       """,
    )


def test_a_followers_start_shows_where_its_own_log_ends():
    same_rows(
        anchors("""
        ts       | kind           | node_id | topic  | partition | leader_epoch | log_end_offset | high_watermark | epoch_start_offset
        10:00:01 | follower_start | 2       | orders | 3         | 8            | 2870           | 2784           |                    """),
        HIGH_WATERMARKS,
        """
        node_id | role     | leader_epoch | high_watermark | log_end_offset
        2       | follower | 8            | 2784           | 2870           """,
    )


def test_a_line_without_epoch_belongs_to_the_one_its_node_last_began():
    same_rows(
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
        orders | 10:00:08 | 9            | leader | 150            |                | hw_updated   """,
    )


def test_a_replica_without_a_checkpointed_high_watermark_begins_with_0():
    """Later releases print beside it what they begin with, which is their log's start."""
    same_rows(
        anchors("""
        ts       | kind                         | template_id | node_id | topic  | partition | leader_epoch
        10:00:01 | partition_no_checkpointed_hw | PRT-095     | 1       | orders | 3         |
        10:00:01 | partition_no_checkpointed_hw | PRT-096     | 1       | clicks | 3         | """),
        HIGH_WATERMARKS,
        """
        topic  | partition | node_id | ts       | high_watermark | log_end_offset | source
        orders | 3         | 1       | 10:00:01 | 0              |                | partition_no_checkpointed_hw """,
    )


def test_the_default_that_is_printed_as_a_log_loads_is_no_high_watermark():
    """Facts §8 trap 9: `Completed load … highWatermark=0`."""
    same_rows(
        anchors("""
        ts       | kind               | node_id | topic  | partition | high_watermark | log_end_offset | log_start_offset
        10:00:01 | log_load_completed | 1       | orders | 3         | 0              | 144            | 20               """),
        HIGH_WATERMARKS,
        """
        high_watermark | log_end_offset | log_start_offset
                       | 144            | 20               """,
    )


def test_of_the_lines_that_old_releases_print_for_every_replica_the_largest_is_the_brokers_own():
    """Up to 2.3 the broker prints its checkpointed high watermark and a 0 for each other replica."""
    same_rows(
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


def test_a_truncation_leaves_the_log_ending_there():
    same_rows(
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


def test_a_checkpoint_file_testifies_with_its_time_or_without():
    same_rows(
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


def test_a_line_of_an_unknown_node_is_no_anchor():
    assert not anchors("""
        ts       | kind         | node_id | topic  | partition | high_watermark
        10:00:01 | hw_updated   |         | orders | 3         | 118            """)


def test_a_loaded_log_belongs_to_the_leader_epoch_before_the_one_to_follow():
    same_rows(
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


def test_a_follower_learns_the_high_watermark_one_fetch_later():
    """TRACE of a follower of 3.9: it asks with what it has, and the answer brings records and the leader's high watermark of before."""
    same_rows(
        anchors("""
        ts           | kind                   | node_id | topic  | partition | leader_epoch | high_watermark | log_end_offset | details
        10:00:00     | follower_start         | 2       | orders | 3         | 8            | 100            | 100            |
        10:00:01.000 | follower_before_append | 2       | orders | 3         |              | 100            | 100            |
        10:00:01.001 | follower_after_append  | 2       | orders | 3         |              |                | 101            |
        10:00:01.002 | follower_hw_received   | 2       | orders | 3         |              |                |                | leader_high_watermark=100
        10:00:01.500 | follower_before_append | 2       | orders | 3         |              | 101            | 101            |
        10:00:01.501 | log_hw_set             | 2       | orders | 3         |              |                |                | new_high_watermark=101
        10:00:01.502 | follower_hw_received   | 2       | orders | 3         |              | 101            |                | leader_high_watermark=101 """),
        HIGH_WATERMARKS,
        """
        ts           | leader_epoch | role     | high_watermark | log_end_offset | leader_high_watermark | source
        10:00:00     | 8            | follower | 100            | 100            |                       | follower_start
        10:00:01.000 | 8            | follower |                | 100            | 100                   | follower_before_append
        10:00:01.001 | 8            | follower |                | 101            |                       | follower_after_append
        10:00:01.002 | 8            | follower |                |                | 100                   | follower_hw_received
        10:00:01.500 | 8            | follower |                | 101            | 101                   | follower_before_append
        10:00:01.501 | 8            |          | 101            |                |                       | log_hw_set
        10:00:01.502 | 8            | follower | 101            |                | 101                   | follower_hw_received """,
    )


def test_what_old_releases_print_of_each_update():
    same_rows(
        anchors("""
        ts       | kind            | node_id | topic  | partition | details
        10:00:01 | replica_hw_set  | 1       | orders | 3         | new_high_watermark=9
        10:00:02 | follower_hw_set | 2       | orders | 3         | follower_high_watermark=8
        10:00:03 | log_appended    | 1       | orders | 3         | next_offset=19 """),
        HIGH_WATERMARKS,
        """
        node_id | role     | high_watermark | log_end_offset | source
        1       |          | 9              |                | replica_hw_set
        2       | follower | 8              |                | follower_hw_set
        1       |          |                | 19             | log_appended """,
    )


def test_a_replica_with_nothing_to_cut_names_its_last_offset():
    """`Log.truncateTo`, the same from 0.10 on: "Truncating to 120 has no effect as the largest offset in the log is 116"."""
    same_rows(
        anchors("""
        ts       | kind                | node_id | topic  | partition | leader_epoch | truncation_offset | details
        10:00:01 | follower_start      | 1       | orders | 3         | 8            |                   |
        10:00:02 | log_truncation_noop | 1       | orders | 3         |              | 120               | log_end_offset_minus_1=116
        10:00:03 | log_truncation_noop | 1       | clicks | 0         |              | 0                 | log_end_offset_minus_1=-1 """),
        HIGH_WATERMARKS,
        """
        topic  | leader_epoch | role | high_watermark | log_end_offset | source
        orders | 8            |      |                | 117            | log_truncation_noop
        clicks |              |      |                | 0              | log_truncation_noop """,
    )


def test_when_a_follower_last_caught_up_counts_by_the_corrected_clock_of_its_leader():
    """The line is 12.5 s younger than the time, in whatever zone it prints its stamp. One that is more than a quarter of
    an hour younger, and one without a readable stamp, show no time.
    """
    at_ten = 1_714_557_600_000  # 2024-05-01 10:00:00 UTC
    line = "isr_shrink | 1 | orders | 3 | out_of_sync_replicas=(brokerId: 2, endOffset: 12, lastCaughtUpTimeMs: {})"
    positions = of_each_partition(
        follower_positions,
        rows(
            EVENTS,
            f"""
        ts           | raw_ts       | kind       | node_id | topic  | partition | details
        10:00:12.500 | 10:00:12.500 | {line.format(at_ten)}
        10:00:14.500 | 12:00:12.500 | {line.format(at_ten)}
        10:20:00.000 | 10:20:00.000 | {line.format(at_ten)}
        10:20:01.000 |              | {line.format(at_ten)}""",
        ),
    )
    told = [None if one.caught_up_ts is None else f"{one.caught_up_ts:%H:%M:%S.%f}"[:12] for one in positions]
    assert told == ["10:00:00.000", "10:00:02.000", None, None]


def test_what_a_leader_knows_of_its_followers_logs():
    """At INFO of those too slow for the ISR; at DEBUG with each fetch; up to 2.3 in another wording too."""
    same_rows(
        of_each_partition(
            follower_positions,
            rows(
                EVENTS,
                """
        ts       | kind                  | node_id | topic  | partition | broker_id | log_end_offset | details
        10:00:01 | isr_shrink            | 1       | orders | 3         |           | 347            | out_of_sync_replicas=(brokerId: 3, endOffset: 346) (brokerId: 2, endOffset: 12, lastCaughtUpTimeMs: 1790000000000)
        10:00:02 | follower_leo_recorded | 1       | orders | 3         | 1         | 350            | replica_id=2
        10:00:03 | replica_leo_set       | 1       | orders | 3         | 2         |                | log_end_offset_metadata=351 [0 : 9534]
        10:00:04 | isr_shrink            | 1       | orders | 3         |           |                | """,
            ),
        ),
        FOLLOWER_POSITIONS,
        """
        topic  | partition | node_id | leader_id | ts       | log_end_offset | leader_log_end_offset | source                | evidence
        orders | 3         | 3       | 1         | 10:00:01 | 346            | 347                   | isr_shrink            | e1
        orders | 3         | 2       | 1         | 10:00:01 | 12             | 347                   | isr_shrink            | e1
        orders | 3         | 2       | 1         | 10:00:02 | 350            |                       | follower_leo_recorded | e2
        orders | 3         | 2       | 1         | 10:00:03 | 351            |                       | replica_leo_set       | e3 """,
    )
