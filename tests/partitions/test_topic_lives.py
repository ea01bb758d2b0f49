"""Topics that shared a name, one after the other."""

from __future__ import annotations

from replay.facts.window import ALL_TIME, TimeWindow
from replay.partitions.topic_lives import (
    all_topic_ids,
    all_topic_removals,
    topic_ids,
    topic_lives,
    topic_removals,
)
from replay.partitions.topics import with_life
from replay.tables import EVENTS
from replay.tables.partitions import TOPIC_LIVES
from replay.tables.row import Row
from tests.nodes import of_nodes
from tests.tables import rows, same, same_rows, table

LIVES = "topic string, boundaries array<timestamp>, ends array<timestamp>"


def lives_of(text: str, window: TimeWindow = ALL_TIME) -> list[Row]:
    told = rows(EVENTS, text)
    ids, removals = of_nodes(topic_ids, told, window), of_nodes(topic_removals, told, window)
    return topic_lives(all_topic_ids(ids), all_topic_removals(removals))


def test_without_lines_there_are_no_lives():
    assert lives_of("ts") == []


def test_a_name_with_one_topic_has_no_border():
    assert (
        lives_of("""
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders | AAA
        10:00:09 | leader_start | orders | AAA      """)
        == []
    )


def test_a_topic_made_again_under_its_name_is_another_by_its_id():
    """Its first line may be another node's, up to a second before the line that prints the new id."""
    same_rows(
        lives_of("""
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders | AAA
        10:05:01 | leader_start | orders | BBB
        10:05:09 | leader_start | orders | BBB      """),
        TOPIC_LIVES,
        """
        topic  | boundaries
        orders | 10:05:00 """,
    )


def test_a_topic_that_is_gone_and_logged_again_by_a_starting_controller_is_no_successor():
    assert (
        lives_of("""
        ts           | kind                    | topic  | topic_id
        10:00:00.000 | leader_start            | orders | BBB
        10:30:00.100 | kraft_partition_created | orders | AAA
        10:30:00.200 | kraft_partition_created | orders | BBB      """)
        == []
    )


def test_both_topics_logged_again_are_still_two():
    same_rows(
        lives_of("""
        ts           | kind                    | topic  | topic_id
        10:00:00.000 | leader_start            | orders | AAA
        10:10:00.000 | leader_start            | orders | BBB
        10:30:00.100 | kraft_partition_created | orders | AAA
        10:30:00.200 | kraft_partition_created | orders | BBB      """),
        TOPIC_LIVES,
        """
        topic  | boundaries
        orders | 10:09:59 """,
    )


def test_without_ids_the_deletion_between_separates_two_topics():
    same_rows(
        lives_of("""
        ts       | kind                     | topic
        10:00:01 | leader_start             | orders
        10:03:00 | topic_deletion_completed | orders
        10:05:01 | leader_start             | orders """),
        TOPIC_LIVES,
        """
        topic  | boundaries
        orders | 10:03:00 """,
    )


def test_a_topic_that_gets_its_id_in_an_upgrade_is_the_same_topic():
    assert (
        lives_of("""
        ts       | kind              | topic  | topic_id
        10:00:01 | leader_start      | orders |
        10:05:01 | topic_id_assigned | orders | AAA
        10:09:00 | leader_start      | orders | AAA      """)
        == []
    )


def test_a_topic_without_an_id_that_was_deleted_before_a_successor_got_one_is_another():
    same_rows(
        lives_of("""
        ts       | kind                     | topic  | topic_id
        10:00:01 | leader_start             | orders |
        10:03:00 | topic_deletion_completed | orders |
        10:05:01 | leader_start             | orders | AAA
        10:00:01 | leader_start             | clicks |
        10:03:00 | topic_deletion_completed | clicks |
        10:05:01 | leader_start             | clicks | CCC
        10:07:00 | topic_deletion_completed | clicks |
        10:08:01 | leader_start             | clicks | DDD """),
        TOPIC_LIVES,
        """
        topic  | boundaries           | ends
        orders | 10:03:00          | 10:03:00,
        clicks | 10:03:00,10:08:00 | 10:03:00,10:07:00, """,
    )


def test_a_topic_without_an_id_whose_successors_have_ids_is_the_first_of_them():
    same_rows(
        lives_of("""
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders |
        10:03:01 | leader_start | orders | AAA
        10:05:01 | leader_start | orders | BBB """),
        TOPIC_LIVES,
        """
        topic  | boundaries
        orders | 10:05:00 """,
    )


def test_rows_belong_to_the_life_of_their_time_and_those_without_time_to_the_last(spark):
    rows = table(
        spark,
        "topic string, ts timestamp",
        """
        topic  | ts
        orders | 10:00:01
        orders | 10:05:00
        orders |
        clicks | 10:09:00 """,
    )
    lives = table(
        spark,
        LIVES,
        """
        topic  | boundaries
        orders | 10:03:00 """,
    )
    same(
        with_life(rows, lives),
        "topic string, ts timestamp, life int",
        """
        topic  | ts       | life
        orders | 10:00:01 | 0
        orders | 10:05:00 | 1
        orders |          | 1
        clicks | 10:09:00 | 0    """,
    )


def test_a_topic_ends_when_it_is_deleted_or_else_when_its_successor_begins():
    """A starting controller prints the deletion of long ago again: that is not the end of the topic that bears the name now."""
    same_rows(
        lives_of("""
        ts       | kind                     | topic  | topic_id
        10:00:00 | leader_start             | orders | AAA
        10:03:00 | kraft_topic_removed      | orders | AAA
        10:05:01 | leader_start             | orders | BBB
        10:30:00 | kraft_topic_removed      | orders | AAA
        10:40:00 | leader_start             | orders | BBB
        10:00:00 | leader_start             | clicks | CCC
        10:07:01 | leader_start             | clicks | DDD
        10:02:00 | topic_deletion_completed | views  |     """),
        TOPIC_LIVES,
        """
        topic  | boundaries  | ends
        orders | 10:05:00 | 10:03:00,
        clicks | 10:07:00 | 10:07:00,
        views  | 10:02:00 | 10:02:00, """,
    )


def test_what_several_nodes_show_of_one_topic_is_one():
    """Whichever node tells of it first, and last; a deletion that two nodes tell alike is one."""
    same_rows(
        lives_of("""
        ts       | kind                     | node_id | topic  | topic_id
        10:00:01 | leader_start             | 2       | orders | AAA
        10:00:02 | leader_start             | 1       | orders | AAA
        10:03:00 | kraft_topic_removed      | 1       | orders | AAA
        10:03:00 | kraft_topic_removed      | 2       | orders | AAA
        10:05:02 | leader_start             | 1       | orders | BBB
        10:05:01 | leader_start             | 2       | orders | BBB
        10:05:09 | leader_start             | 3       | orders | BBB """),
        TOPIC_LIVES,
        """
        topic  | boundaries  | ends
        orders | 10:05:00 | 10:03:00, """,
    )


def test_a_topic_that_was_made_again_after_the_window_has_one_life_in_it():
    told = """
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders | AAA
        10:05:01 | leader_start | orders | BBB """
    until = rows(EVENTS, "ts\n 10:05:00")[0].ts
    assert len(lives_of(told)) == 1 and lives_of(told, TimeWindow(until=until)) == []
