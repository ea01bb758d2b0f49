"""Leader-epoch caches rebuilt from lines, copied records and files (facts §1.4, §1.5)."""

from __future__ import annotations

from datetime import UTC, datetime, time

import pytest

from replay.histories.cluster import Cluster
from replay.histories.epoch_caches import epochs_held, lineage_at
from replay.histories.epoch_files import files_of
from replay.histories.partition import Partition
from replay.offsets.epoch_lines import epoch_lines
from replay.offsets.follower_rules import AS_IT_BEGINS, WITH_FIRST_RECORD
from replay.offsets.high_watermarks import high_watermarks
from replay.tables import EVENTS, HIGH_WATERMARKS, LEADER_EPOCH_CACHES
from replay.tables.brokers import CONTROLLERS
from replay.tables.offsets import EPOCH_LINES, FOLLOWER_RULES
from replay.tables.partitions import COMMITTED_ISRS, LEADER_EPOCHS, LeaderEpoch
from tests.tables import DAY, in_orders_0, rows, same_rows

RULES = rows(
    FOLLOWER_RULES,
    f"""
    node_id | rule           | entry_rule
    1       | in_fetch       | {AS_IT_BEGINS}
    2       | in_fetch       | {AS_IT_BEGINS}
    3       | one_round      | {WITH_FIRST_RECORD}
    4       | one_round      | {WITH_FIRST_RECORD}
    9       | high_watermark | {AS_IT_BEGINS} """,
)


def caches(text: str, epochs: str | None = None, isrs: str = "topic", nodes: tuple[int, ...] = ()):
    """The caches of orders-0 on nodes that run 3.9.1, node 3 one of 1.1.1, node 9 one with messages of before 0.11; of all
    nodes, or of some.

    The leader epochs are those that leaders' lines begin, unless stated; ISRs are stated or none.
    """
    events = [event.but(source_file=event.source_file or "log") for event in in_orders_0(rows(EVENTS, text))]
    lines = list(epoch_lines(events))
    partition = Partition(
        "orders",
        0,
        0,
        leader_epochs=_begun(lines) if epochs is None else rows(LEADER_EPOCHS, epochs),
        isrs=rows(COMMITTED_ISRS, isrs),
        high_watermarks=list(high_watermarks(events, (), Cluster())),
        epoch_lines=lines,
    )
    found = epochs_held(partition, {rule.node_id: rule for rule in RULES})
    return [row for row in found if not nodes or row.node_id in nodes]


def _begun(lines):
    return [
        LeaderEpoch(
            leader_epoch=line.leader_epoch,
            leader_id=line.node_id,
            epoch_start_offset=line.epoch_start_offset,
            start_ts=line.ts,
            leader_ts=line.ts,
            confidence="inferred",
        )
        for line in lines
        if line.kind == "leader_start"
    ]


def test_no_lines_no_caches():
    assert caches("ts") == []


def test_a_leader_writes_where_it_begins_even_if_nothing_follows():
    same_rows(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start | 1       | 0            | 0                  | previous_leader_epoch=-1
        10:01:00 | leader_start | 2       | 1            | 1                  | previous_leader_epoch=0
        10:02:00 | leader_start | 1       | 2            | 1                  | previous_leader_epoch=1 """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | clipped | told_by | evidence
        1       | 0            | 0                  | 10:00:00 |        | false   | leader  | e1
        2       | 1            | 1                  | 10:01:00 |        | false   | leader  | e2
        1       | 2            | 1                  | 10:02:00 |        | false   | leader  | e3 """,
    )


def test_empty_leader_epochs_collapse_to_the_last():
    same_rows(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 1            | 7                  | previous_leader_epoch=0
        10:02:00 | leader_start | 2       | 2            | 7                  | previous_leader_epoch=1
        10:03:00 | leader_start | 2       | 5            | 9                  | previous_leader_epoch=2 """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        2       | 1            | 7                  | 10:01:00 | 10:02:00
        2       | 2            | 7                  | 10:02:00 |
        2       | 5            | 9                  | 10:03:00 | """,
    )


def test_a_broker_that_loads_a_log_removes_the_entries_from_its_end_on():
    """So the entry of a leader epoch without records goes with a restart. The load of a new log, in the millisecond in which
    its first leader begins, removes nothing.
    """
    same_rows(
        caches("""
        ts       | kind               | node_id | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | log_load_completed | 1       |              |                    | 0              |
        10:00:00 | leader_start       | 1       | 0            | 0                  |                | previous_leader_epoch=-1
        10:01:00 | leader_start       | 1       | 1            | 7                  |                | previous_leader_epoch=0
        10:02:00 | log_load_completed | 1       |              |                    | 7              |                          """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        1       | 0            | 0                  | 10:00:00 |
        1       | 1            | 7                  | 10:01:00 | 10:01:59.999999 """,
    )


@pytest.mark.parametrize(
    ("line", "told_by"),
    [
        ("log_load_completed | 1 | | | 7 | | ", "loaded"),
        ("log_truncated_to | 1 | | | | 7 | ", "truncated"),
        ("leader_start | 1 | 2 | 7 | | | previous_leader_epoch=1", "leader"),  # a new entry in its place
    ],
)
def test_a_file_that_only_lost_entries_names_the_line_that_removed_them(line, told_by):
    held = caches(f"""
        event_id | ts       | kind | node_id | leader_epoch | epoch_start_offset | log_end_offset | truncation_offset | details
        e0 | 10:00:00 | leader_start | 1 | 0 | 0 | | | previous_leader_epoch=-1
        e1 | 10:01:00 | leader_start | 1 | 1 | 7 | | | previous_leader_epoch=0
        e2 | 10:02:00 | {line} """)
    last = files_of(held, [])[-1]
    assert (last.notation, last.told_by) == ("(0 0)(2 7)" if told_by == "leader" else "(0 0)", [told_by])
    assert last.evidence == ["e2"]


def test_up_to_2_0_0_an_entry_of_an_equal_start_stays():
    """The classic example: (0 0)(1 0)(2 1)."""
    same_rows(
        caches("""
        ts       | kind                 | node_id | leader_epoch | epoch_start_offset
        10:00:10 | epoch_cache_assigned | 3       | 0            | 0
        10:00:41 | epoch_cache_assigned | 3       | 1            | 0
        10:00:50 | epoch_cache_assigned | 3       | 2            | 1                  """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by
        3       | 0            | 0                  | 10:00:10 |        | cache
        3       | 1            | 0                  | 10:00:41 |        | cache
        3       | 2            | 1                  | 10:00:50 |        | cache """,
    )


def test_a_replica_that_is_removed_has_no_entries_left():
    same_rows(
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details                  | message
        10:00:00 | leader_start | 1       | 1            | 10                 | previous_leader_epoch=0  |
        10:05:00 | log_deleted  | 1       |              |                    |                          | Log for partition orders-0 is renamed to /d/orders-0.f3-delete and is scheduled for deletion
        10:05:30 | leader_start | 1       | 4            | 10                 | previous_leader_epoch=3  |
        10:06:00 | log_deleted  | 1       |              |                    |                          | Deleted log for partition orders-0 in /d/orders-0.f3-delete."""),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        1       | 1            | 10                 | 10:00:00 | 10:05:00
        1       | 4            | 10                 | 10:05:30 |          """,
    )


def test_a_leader_that_was_just_started_begins_a_leader_epoch_that_was_seen_to_begin():
    same_rows(
        caches(
            """
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 4            | 77                 | previous_leader_epoch=-1
        10:05:00 | leader_start | 1       | 5            | 90                 | previous_leader_epoch=-1 """,
            epochs="""
        leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts | confidence
        4            | 2         | 77                 | 10:00:59 | 10:01:00  | observed
        5            | 1         | 90                 | 10:02:00 | 10:05:00  | observed """,
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts
        2       | 4            | 77                 | 10:01:00 """,
    )


def test_a_high_watermark_of_the_leader_shows_what_its_isr_holds():
    """Broker 3 left the ISR before; the empty leader epoch 1 is in no follower's file."""
    same_rows(
        caches(
            """
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | high_watermark | log_end_offset | details
        10:00:00 | leader_start | 1       | 0            | 0                  | 0              |                | previous_leader_epoch=-1
        10:01:00 | leader_start | 1       | 1            | 20                 | 18             |                | previous_leader_epoch=0
        10:02:00 | leader_start | 1       | 2            | 20                 | 20             |                | previous_leader_epoch=1
        10:09:00 | isr_shrink   | 1       |              |                    | 31             | 34             | """,
            isrs="""
        leader_epoch | leader_id | isr   | start_ts | end_ts
        2            | 1         | 1,2,3 | 10:02:00 | 10:03:00
        2            | 1         | 1,2   | 10:03:00 |          """,
            nodes=(2, 3),
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by | evidence
        2       | 0            | 0                  | 10:02:00 |        | append  | e3,e4
        2       | 2            | 20                 | 10:09:00 |        | append  | e4
        3       | 0            | 0                  | 10:02:00 |        | append  | e3 """,
    )


def test_a_checkpoint_without_a_time_shows_what_the_last_isr_holds():
    """Broker 3 left the ISR before the end, so the high watermark in the leader's file says nothing about its log."""
    same_rows(
        caches(
            """
        ts       | kind                      | node_id | leader_epoch | epoch_start_offset | high_watermark | details
        10:00:00 | leader_start              | 1       | 0            | 0                  | 0              | previous_leader_epoch=-1
        10:02:00 | leader_start              | 1       | 2            | 20                 | 20             | previous_leader_epoch=0
                 | checkpoint_high_watermark | 1       |              |                    | 31             | """,
            isrs="""
        leader_epoch | leader_id | isr   | start_ts | end_ts
        2            | 1         | 1,2,3 | 10:02:00 | 10:03:00
        2            | 1         | 1,2   | 10:03:00 |          """,
            nodes=(2, 3),
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | end_ts | told_by | evidence
        2       | 0            | 0                  |        | append  | e2,e3
        2       | 2            | 20                 |        | append  | e3
        3       | 0            | 0                  |        | append  | e2 """,
    )


def test_a_follower_s_own_lines_show_how_far_its_log_has_grown():
    """What it holds of before its cut is not told anew; what only a file without a time tells came after its leader epoch began."""
    same_rows(
        caches(
            """
        ts       | kind                      | node_id | leader_epoch | epoch_start_offset | high_watermark | log_end_offset | truncation_offset | details
        10:00:00 | leader_start              | 1       | 3            | 40                 | 40             |                |                   | previous_leader_epoch=2
        10:00:01 | follower_start            | 2       | 3            |                    | 38             | 44             |                   |
        10:00:02 | log_truncated_to          | 2       |              |                    |                |                | 40                |
        10:00:09 | log_rolled                | 2       |              |                    |                | 61             |                   |
        10:05:00 | leader_start              | 1       | 4            | 90                 | 90             |                |                   | previous_leader_epoch=3
        10:05:01 | follower_start            | 2       | 4            |                    | 90             | 90             |                   |
                 | checkpoint_high_watermark | 2       |              |                    | 95             |                |                   | """,
            nodes=(2,),
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | told_by
        2       | 3            | 40                 | 10:00:09 |        | append
        2       | 4            | 90                 | 10:05:00 |        | append """,
    )


def test_a_line_logged_again_after_a_restart_is_no_beginning():
    assert (
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 2       | 4            | 77                 | previous_leader_epoch=-1
        10:01:01 | leader_start | 2       | 0            | 77                 | previous_leader_epoch=-1 """)
        == []
    )


def test_up_to_1_1_a_leader_writes_with_its_first_record_and_the_cache_says_so():
    same_rows(
        caches("""
        ts       | kind                 | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start         | 3       | 1            | 7                  | previous_leader_epoch=0
        10:02:00 | leader_start         | 3       | 2            | 7                  | previous_leader_epoch=1
        10:02:05 | epoch_cache_assigned | 3       | 2            | 7                  | """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by
        3       | 2            | 7                  | 10:02:05 | cache """,
    )


def test_messages_of_before_0_11_carry_no_leader_epochs():
    assert (
        caches("""
        ts       | kind         | node_id | leader_epoch | epoch_start_offset | details
        10:01:00 | leader_start | 9       | 2            | 319                | previous_leader_epoch=1 """)
        == []
    )


def test_a_follower_has_a_leader_epoch_only_once_records_came():
    same_rows(
        caches(
            """
        ts       | kind           | node_id | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | leader_start   | 1       | 0            | 0                  |                | previous_leader_epoch=-1
        10:00:00 | follower_start | 2       | 0            |                    | 0              |
        10:01:00 | leader_start   | 1       | 1            | 16                 |                | previous_leader_epoch=0
        10:01:00 | follower_start | 2       | 1            |                    | 16             |
        10:02:00 | leader_start   | 1       | 2            | 16                 |                | previous_leader_epoch=1
        10:02:01 | follower_start | 2       | 2            |                    | 16             | """,
            nodes=(2,),
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by | evidence
        2       | 0            | 0                  | 10:01:00 | append  | e4 """,
    )


def test_a_follower_that_becomes_leader_had_the_leader_epochs_whose_records_came():
    same_rows(
        caches(
            """
        ts       | kind           | node_id | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | leader_start   | 1       | 0            | 0                  |                | previous_leader_epoch=-1
        10:00:00 | follower_start | 2       | 0            |                    | 0              |
        10:01:00 | leader_start   | 2       | 1            | 16                 |                | previous_leader_epoch=0 """,
            nodes=(2,),
        ),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | told_by | evidence
        2       | 0            | 0                  | 10:01:00 | append  | e3
        2       | 1            | 16                 | 10:01:00 | leader  | e3 """,
    )


NO_FOLLOWER_LINES = """
    ts       | kind         | node_id | leader_epoch | epoch_start_offset | high_watermark | details
    10:00:00 | leader_start | 2       | 0            | 0                  | 0              | previous_leader_epoch=-1
    10:00:30 | {0}          | 2       | 0            |                    | {1}            |
    10:01:00 | leader_start | 3       | 1            | 193                | 180            | previous_leader_epoch=0
    10:02:00 | leader_start | 1       | 2            | 429                | {2}            | previous_leader_epoch=1 """


@pytest.mark.parametrize(
    ("isr", "high_watermark", "earlier", "has"),
    [
        pytest.param("1,3", 429, 150, [1, 2], id="committed in leader epoch 1: from its leader"),
        pytest.param("1,3", 193, 150, [2], id="it need not have fetched in leader epoch 1"),
        pytest.param("3", 429, 150, [2], id="not in that ISR"),
        pytest.param("1,3", 429, 300, [2], id="as much was committed before: leader 3 had lost the end of its log"),
    ],
)
def test_a_new_leader_s_high_watermark_shows_what_it_copied_where_no_line_says_that_it_followed(
    isr, high_watermark, earlier, has
):
    isrs = f"topic | partition | leader_epoch | leader_id | isr | start_ts | end_ts\n orders | 0 | 1 | 3 | {isr} | 10:01:00 | 10:02:00"
    found = caches(NO_FOLLOWER_LINES.format("isr_shrink", earlier, high_watermark), isrs=isrs, nodes=(1,))
    assert sorted(row.leader_epoch for row in found) == has


def test_a_follower_that_never_reached_its_leader_has_nothing_of_it():
    """Broker 2 led leader epoch 1 to offset 35, away from broker 1's leader epoch 2; its log did not change while it was to follow."""
    same_rows(
        caches("""
        ts       | kind             | node_id | leader_epoch | epoch_start_offset | log_end_offset | truncation_offset | details
        10:01:00 | leader_start     | 2       | 1            | 8                  |                |                   | previous_leader_epoch=0
        10:02:00 | leader_start     | 1       | 2            | 21                 |                |                   | previous_leader_epoch=1
        10:03:00 | follower_start   | 2       | 2            |                    | 35             |                   |
        10:04:00 | leader_start     | 2       | 3            | 35                 |                |                   | previous_leader_epoch=2
        10:05:00 | follower_start   | 1       | 3            |                    | 59             |                   |
        10:05:01 | log_truncated_to | 1       |              |                    |                | 21                |
        10:06:00 | leader_start     | 1       | 4            | 40                 |                |                   | previous_leader_epoch=3 """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts   | told_by
        1       | 2            | 21                 | 10:02:00 | 10:05:01 | leader
        1       | 3            | 35                 | 10:06:00 |          | append
        1       | 4            | 40                 | 10:06:00 |          | leader
        2       | 1            | 8                  | 10:01:00 |          | leader
        2       | 3            | 35                 | 10:04:00 |          | leader """,
    )


def test_a_follower_whose_file_changes_when_data_arrive():
    same_rows(
        caches("""
        ts       | kind                    | node_id | source_file       | line_number | leader_epoch | epoch_start_offset
        10:00:00 | checkpoint_leader_epoch | 2       | t1/orders-0/file  | 3           | 12           | 0
        10:05:00 | checkpoint_leader_epoch | 2       | t2/orders-0/file  | 3           | 12           | 0
        10:05:00 | checkpoint_leader_epoch | 2       | t2/orders-0/file  | 4           | 13           | 16 """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | clipped | told_by
        2       | 12           | 0                  | 10:00:00 |        | true    | file
        2       | 13           | 16                 | 10:05:00 |        | false   | file """,
    )


def test_the_first_entry_of_a_file_is_clipped_to_the_log_start():
    same_rows(
        caches("""
        ts       | kind                    | node_id | source_file     | line_number | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start            | 1       | log             | 1           | 3            | 16                 | previous_leader_epoch=2
                 | checkpoint_leader_epoch | 1       | end/orders-0/f  | 3           | 3            | 40                 |
                 | checkpoint_leader_epoch | 1       | end/orders-0/f  | 4           | 4            | 90                 | """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | clipped | is_earliest | told_by
        1       | 3            | 16                 | 10:00:00 | false   | false       | leader
        1       | 4            | 90                 | 10:00:00 | false   | true        | file """,
    )


def test_a_cut_a_passing_log_start_and_a_later_file_take_entries_away():
    same_rows(
        caches("""
        ts       | kind                         | node_id | source_file | line_number | leader_epoch | epoch_start_offset | truncation_offset | log_start_offset | details
        10:00:00 | leader_start                 | 1       | log         | 1           | 1            | 10                 |                   |                  | previous_leader_epoch=0
        10:01:00 | leader_start                 | 1       | log         | 2           | 3            | 30                 |                   |                  | previous_leader_epoch=1
        10:02:00 | leader_start                 | 1       | log         | 3           | 5            | 50                 |                   |                  | previous_leader_epoch=3
        10:03:00 | log_truncated_to             | 1       | log         | 4           |              |                    | 50                |                  |
        10:03:30 | log_start_offset_incremented | 1       | log         | 5           |              |                    |                   | 30               |
        10:04:00 | log_start_offset_incremented | 1       | log         | 6           |              |                    |                   | 35               |
        10:05:00 | leader_start                 | 1       | log         | 7           | 7            | 60                 |                   |                  | previous_leader_epoch=6
        10:06:00 | checkpoint_leader_epoch      | 1       | t/o-0/file  | 3           | 3            | 35                 |                   |                  | """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts
        1       | 1            | 10                 | 10:00:00 | 10:03:30
        1       | 3            | 30                 | 10:01:00 |
        1       | 5            | 50                 | 10:02:00 | 10:03:00
        1       | 7            | 60                 | 10:05:00 | 10:06:00 """,
    )


def test_an_entry_of_a_file_came_after_those_of_earlier_leader_epochs_and_not_before_its_leader_began():
    """A line tells only at 10:02 of the records of leader epoch 1, and the file at the end of those of 2, which began as its
    leader says: no file ever held 2 without 1.
    """
    begun = """
        node_id | ts       | kind         | line_number | leader_epoch | epoch_start_offset | previous_leader_epoch | event_id
        1       | 10:00:00 | leader_start | 1           | 1            | 147                | 0                     | e1
        1       | 10:01:01 | leader_start | 2           | 2            | 807                | 1                     | e2 """
    file = """
        2       |          | checkpoint_leader_epoch | 3 | 1         | 147                |                       | f1
        2       |          | checkpoint_leader_epoch | 4 | 2         | 807                |                       | f2 """
    epochs = """
        leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts | confidence
        1            | 1         | 147                | 10:00:00 | 10:00:00  | observed
        2            | 1         | 807                | 10:01:00 | 10:01:01  | observed """
    marks = """
        node_id | ts       | leader_epoch | role     | log_end_offset | source         | evidence
        2       | 10:00:00 | 1            | follower | 147            | follower_start | e3
        2       | 10:02:00 | 1            | follower | 700            | log_end        | e4 """
    partition = Partition(
        "orders",
        0,
        0,
        leader_epochs=rows(LEADER_EPOCHS, epochs),
        isrs=[],
        high_watermarks=rows(HIGH_WATERMARKS, marks),
        epoch_lines=[line.but(source_file=line.source_file or "file") for line in rows(EPOCH_LINES, begun + file)],
    )
    held = epochs_held(partition, {rule.node_id: rule for rule in RULES})
    same_rows(
        [row for row in held if row.node_id == 2],
        LEADER_EPOCH_CACHES,
        """
        leader_epoch | epoch_start_offset | start_ts | is_earliest
        1            | 147                | 10:01:01 | true
        2            | 807                | 10:01:01 | true """,
    )


def test_a_follower_got_no_entry_before_its_leader_began_nor_while_its_own_log_ended_before_the_start():
    """As recorded of 2.5.1: the controller did not reach the leader for 25 s. Only the files show what followers copied."""
    text = """
        ts       | kind                    | node_id | source_file | line_number | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start            | 1       | log         | 1           | 0            | 0                  | previous_leader_epoch=-1
        10:00:35 | leader_start            | 1       | log         | 2           | 1            | 581                | previous_leader_epoch=0
        10:00:36 | log_truncation_noop     | 3       | log         | 3           |              |                    | log_end_offset_minus_1=143
                 | checkpoint_leader_epoch | 2       | b/o-0/file  | 3           | 0            | 0                  |
                 | checkpoint_leader_epoch | 2       | b/o-0/file  | 4           | 1            | 581                |
                 | checkpoint_leader_epoch | 3       | c/o-0/file  | 3           | 0            | 0                  |
                 | checkpoint_leader_epoch | 3       | c/o-0/file  | 4           | 1            | 581                | """
    epochs = """
        leader_epoch | leader_id | epoch_start_offset | start_ts | leader_ts | confidence
        0            | 1         | 0                  | 10:00:00 | 10:00:00  | observed
        1            | 1         | 581                | 10:00:10 | 10:00:35  | observed """
    found = {row.node_id: row for row in caches(text, epochs, nodes=(2, 3)) if row.leader_epoch == 1}
    assert [(row.start_ts.time(), row.is_earliest) for _, row in sorted(found.items())] == [
        (time(10, 0, 35), True),
        (time(10, 0, 36), True),
    ]


def test_each_epoch_of_the_metadata_log_arrived_after_its_own_leaders_election():
    """Node 2 truncated at 10:00:06. No line but the file shows epochs 6 and 22, whose leaders were elected 62 s apart."""
    begun = """
        node_id | ts       | kind                    | leader_epoch | epoch_start_offset | truncation_offset | event_id | line_number
        2       | 10:00:06 | log_truncated_to        |              |                    | 11                | e1       | 1
        2       |          | checkpoint_leader_epoch | 4            | 0                  |                   | f3       | 3
        2       |          | checkpoint_leader_epoch | 6            | 11                 |                   | f4       | 4
        2       |          | checkpoint_leader_epoch | 22           | 175                |                   | f5       | 5 """
    lines = [line.but(source_file="file") for line in rows(EPOCH_LINES, begun)]
    partition = Partition("__cluster_metadata", 0, 0, epoch_lines=lines)
    elected = rows(
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts     | ready_ts
        kraft | 2             | 4                | 09:59:59.412 | 10:00:01
        kraft | 1             | 6                | 10:00:05.644 | 10:00:06
        kraft | 3             | 22               | 10:01:08.013 | 10:01:08.319 """,
    )
    same_rows(
        epochs_held(partition, {}, Cluster.of((), (), (), (), (), controllers=elected).quorum_epochs),
        LEADER_EPOCH_CACHES,
        """
        leader_epoch | epoch_start_offset | start_ts
        4            | 0                  | 09:59:59.412
        6            | 11                 | 10:00:06
        22           | 175                | 10:01:08.013 """,
    )
    # A tenure that begins with "active" shows no election, and a controller of ZooKeeper has no metadata log.
    others = rows(
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | ready_ts
        kraft | 1             | 6                | 10:00:06 | 10:00:06
        zk    | 3             | 22               | 10:01:08 | 10:01:09 """,
    )
    assert not Cluster.of((), (), (), (), (), controllers=others).quorum_epochs


def test_what_a_replica_held_at_a_moment():
    held = caches("""
        ts       | kind             | node_id | leader_epoch | epoch_start_offset | truncation_offset | details
        10:00:00 | leader_start     | 1       | 1            | 10                 |                   | previous_leader_epoch=0
        10:02:00 | leader_start     | 1       | 3            | 30                 |                   | previous_leader_epoch=1
        10:04:00 | log_truncated_to | 1       |              |                    | 30                | """)

    def at(clock: str):
        return lineage_at(held, 1, datetime.combine(DAY, time.fromisoformat(clock), tzinfo=UTC))

    assert at("09:00:00") == []
    assert at("10:03:00") == [(1, 10), (3, 30)]
    assert at("10:05:00") == [(1, 10)]


def test_a_file_has_the_entry_that_a_leader_wrote_again_after_its_empty_log_was_loaded():
    same_rows(
        caches("""
        ts       | kind                    | node_id | source_file    | line_number | leader_epoch | epoch_start_offset | log_end_offset | details
        10:00:00 | leader_start            | 1       | log            | 1           | 2            | 0                  |                | previous_leader_epoch=1
        10:02:00 | log_load_completed      | 1       | log            | 2           |              |                    | 0              |
                 | checkpoint_leader_epoch | 1       | end/orders-0/f | 3           | 2            | 0                  |                | """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts        | end_ts          | told_by
        1       | 2            | 0                  | 10:00:00        | 10:01:59.999999 | leader
        1       | 2            | 0                  | 10:01:59.999999 |                 | file    """,
    )


@pytest.mark.parametrize(
    ("loaded", "held"),
    [
        ("15", ""),  # shorter than the start of leader epoch 2: followers copy another log now
        ("25", "2 | 2 | 20 | append"),
    ],
)
def test_no_follower_copies_the_start_of_a_leader_epoch_that_its_leader_lost(loaded, held):
    same_rows(
        caches(
            f"""
        ts       | kind                      | node_id | leader_epoch | epoch_start_offset | high_watermark | log_end_offset | details
        10:00:00 | leader_start              | 1       | 0            | 0                  | 0              |                | previous_leader_epoch=-1
        10:02:00 | leader_start              | 1       | 2            | 20                 | 12             |                | previous_leader_epoch=0
        10:05:00 | log_load_completed        | 1       |              |                    |                | {loaded}       |
                 | checkpoint_high_watermark | 1       |              |                    | 31             |                | """,
            isrs="""
        leader_epoch | leader_id | isr | start_ts | end_ts
        2            | 1         | 1   | 10:02:00 | 10:06:00
        2            | 1         | 1,2 | 10:06:00 |          """,
            nodes=(2,),
        ),
        LEADER_EPOCH_CACHES,
        f"""
        node_id | leader_epoch | epoch_start_offset | told_by
        2       | 0            | 0                  | append
        {held} """,
    )


def test_a_file_with_one_entry_shows_the_entry_that_a_line_shows_too():
    """The first entry of a file is clipped to the log start: with the start of a complete one it is that entry."""
    same_rows(
        caches("""
        ts       | kind                    | node_id | source_file | line_number | leader_epoch | epoch_start_offset | details
        10:00:00 | leader_start            | 1       | log         | 1           | 0            | 0                  | previous_leader_epoch=-1
                 | checkpoint_leader_epoch | 1       | t/o-0/file  | 3           | 0            | 0                  | """),
        LEADER_EPOCH_CACHES,
        """
        node_id | leader_epoch | epoch_start_offset | start_ts | end_ts | clipped | told_by
        1       | 0            | 0                  | 10:00:00 |        | false   | file,leader """,
    )
