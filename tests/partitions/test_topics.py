"""Topics that shared a name, and the settings that verdicts rest on."""

from __future__ import annotations

import pytest

from replay.partitions.topics import topic_lives, topic_settings, with_life
from replay.tables import EVENTS
from tests.tables import same, table

LIVES = "topic string, borders array<timestamp>, ends array<timestamp>"
SETTINGS = "node_id int, ts timestamp, name string, value string, event_id string"
TOPIC_SETTINGS = "topic string, min_isr int, unclean_allowed boolean, setting_event string"


@pytest.fixture
def events(spark):
    return lambda text: table(spark, EVENTS, text).fillna({"message": ""})


def test_nothing_told_no_lives_no_settings(spark, events):
    assert topic_lives(events("ts")).isEmpty()
    assert topic_settings(events("ts"), table(spark, SETTINGS, "ts")).isEmpty()


def test_a_name_with_one_topic_has_no_border(events):
    assert topic_lives(
        events("""
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders | AAA
        10:00:09 | leader_start | orders | AAA      """)
    ).isEmpty()


def test_a_topic_made_again_under_its_name_is_another_by_its_id(events):
    """Its first line may be another node's, up to a second before the line that prints the new id."""
    same(
        topic_lives(
            events("""
        ts       | kind         | topic  | topic_id
        10:00:01 | leader_start | orders | AAA
        10:05:01 | leader_start | orders | BBB
        10:05:09 | leader_start | orders | BBB      """)
        ),
        LIVES,
        """
        topic  | borders
        orders | 10:05:00 """,
    )


def test_a_topic_that_is_gone_and_told_again_by_a_starting_controller_is_no_successor(events):
    assert topic_lives(
        events("""
        ts           | kind                    | topic  | topic_id
        10:00:00.000 | leader_start            | orders | BBB
        10:30:00.100 | kraft_partition_created | orders | AAA
        10:30:00.200 | kraft_partition_created | orders | BBB      """)
    ).isEmpty()


def test_both_topics_told_again_are_still_two(events):
    same(
        topic_lives(
            events("""
        ts           | kind                    | topic  | topic_id
        10:00:00.000 | leader_start            | orders | AAA
        10:10:00.000 | leader_start            | orders | BBB
        10:30:00.100 | kraft_partition_created | orders | AAA
        10:30:00.200 | kraft_partition_created | orders | BBB      """)
        ),
        LIVES,
        """
        topic  | borders
        orders | 10:09:59 """,
    )


def test_without_ids_the_deletion_between_tells(events):
    same(
        topic_lives(
            events("""
        ts       | kind                     | topic
        10:00:01 | leader_start             | orders
        10:03:00 | topic_deletion_completed | orders
        10:05:01 | leader_start             | orders """)
        ),
        LIVES,
        """
        topic  | borders
        orders | 10:03:00 """,
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
        topic  | borders
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


def test_a_topics_own_setting_beats_the_brokers_default(spark, events):
    told = events("""
        ts       | kind        | topic  | message
        10:00:01 | log_created | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=2, unclean.leader.election.enable=true}
        10:00:01 | log_created | clicks | Created log for partition clicks-0 in /d with properties {}                                                         """)
    defaults = table(
        spark,
        SETTINGS,
        """
        node_id | ts       | name                           | value
        1       | 10:00:00 | min.insync.replicas            | 1
        1       | 10:00:00 | unclean.leader.election.enable | false """,
    )
    same(
        topic_settings(told, defaults),
        TOPIC_SETTINGS,
        """
        topic  | min_isr | unclean_allowed | setting_event
        orders | 2       | true            | e1
        clicks | 1       | false           |               """,
    )


def test_the_last_setting_counts_and_what_nobody_told_is_not_known(spark, events):
    told = events("""
        ts       | kind             | topic  | message
        10:00:01 | kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration min.insync.replicas to 2
        10:09:00 | kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration min.insync.replicas to 1 """)
    same(
        topic_settings(told, table(spark, SETTINGS, "ts")),
        TOPIC_SETTINGS,
        """
        topic  | min_isr | unclean_allowed | setting_event
        orders | 1       |                 | e2            """,
    )


def test_when_unclean_elections_were_allowed_is_told_where_lines_show_that_they_were_not_before(spark, events):
    """A controller that starts prints the record anew; a topic that was created with the setting was never without it."""
    set_to = "kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration unclean.leader.election.enable to"
    told = f"""
        ts       | kind             | topic  | message
        10:00:01 | log_created      | orders | Created log for partition orders-0 in /d with properties {{min.insync.replicas=1}}
        10:08:42 | {set_to} true
        10:30:00 | {set_to} true
        10:00:01 | log_created      | clicks | Created log for partition clicks-0 in /d with properties {{unclean.leader.election.enable=true}}"""
    columns = "topic string, unclean_allowed boolean, unclean_set_ts timestamp, unclean_set_event string"
    same(
        topic_settings(events(told), table(spark, SETTINGS, "ts")),
        columns,
        """
        topic  | unclean_allowed | unclean_set_ts | unclean_set_event
        orders | true            | 10:08:42       | e2
        clicks | true            |                |                   """,
    )
    same(
        topic_settings(events(f"{told}\n        10:40:00 | {set_to} false"), table(spark, SETTINGS, "ts")),
        columns,
        """
        topic  | unclean_allowed | unclean_set_ts | unclean_set_event
        orders | false           |                |
        clicks | true            |                |                   """,
    )


def test_a_topic_ends_when_it_is_deleted_or_else_when_its_successor_begins(events):
    """A starting controller prints the deletion of long ago again: that is not the end of the topic that bears the name now."""
    same(
        topic_lives(
            events("""
        ts       | kind                     | topic  | topic_id
        10:00:00 | leader_start             | orders | AAA
        10:03:00 | kraft_topic_removed      | orders | AAA
        10:05:01 | leader_start             | orders | BBB
        10:30:00 | kraft_topic_removed      | orders | AAA
        10:40:00 | leader_start             | orders | BBB
        10:00:00 | leader_start             | clicks | CCC
        10:07:01 | leader_start             | clicks | DDD
        10:02:00 | topic_deletion_completed | views  |     """)
        ),
        LIVES,
        """
        topic  | borders  | ends
        orders | 10:05:00 | 10:03:00,
        clicks | 10:07:00 | 10:07:00,
        views  | 10:02:00 | 10:02:00, """,
    )


def test_a_topic_whose_settings_no_line_tells_has_its_brokers_defaults(spark, events):
    """`server.properties` has no time: it was read before anything was dumped."""
    told = events("""
        ts       | kind         | topic
        10:00:01 | leader_start | orders """)
    known = "node_id | ts | name | value\n 1 | | min.insync.replicas | 2"
    same(topic_settings(told, table(spark, SETTINGS, known)), TOPIC_SETTINGS, "topic | min_isr\n orders | 2")
    same(
        topic_settings(told, table(spark, SETTINGS, known + "\n 1 | 10:00:00 | min.insync.replicas | 1")),
        TOPIC_SETTINGS,
        "topic | min_isr\n orders | 1",
    )


@pytest.mark.parametrize(
    ("kind", "changed", "reset"),
    [
        (
            "broker_config_changed",
            "[DynamicConfigPublisher broker id=1] Updating topic orders with new configuration : min.insync.replicas -> 1",
            "[DynamicConfigPublisher broker id=1] Updating topic orders with new configuration : ",
        ),
        (
            "config_override_processed",
            "Processing override for entityPath: topics/orders with config: Map(min.insync.replicas -> 1)",
            "Processing override for entityPath: topics/orders with config: Map()",
        ),
        (
            "config_override_processed",
            "Processing override for entityType: topics, entity: orders with config: {min.insync.replicas=1}",
            "Processing override for entityType: topics, entity: orders with config: {}",
        ),
    ],
)
def test_a_setting_that_is_changed_counts_and_one_that_is_taken_back_is_at_its_default_again(
    spark, events, kind, changed, reset
):
    created = """
        ts       | kind        | topic  | message
        10:00:01 | log_created | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=2}"""
    default = table(spark, SETTINGS, "node_id | ts | name | value\n 1 | 10:00:00 | min.insync.replicas | 3")
    told = f"{created}\n 10:05:00 | {kind} | | {changed}"
    same(topic_settings(events(told), default), TOPIC_SETTINGS, "topic | min_isr | setting_event\n orders | 1 | e2")
    same(
        topic_settings(events(f"{told}\n 10:06:00 | {kind} | | {reset}"), default),
        TOPIC_SETTINGS,
        "topic | min_isr\n orders | 3",
    )


def test_what_all_brokers_are_told_counts_where_a_topic_says_nothing_of_its_own(spark, events):
    told = events("""
        ts       | kind                  | topic  | message
        10:00:01 | broker_config_changed |        | [DynamicConfigPublisher broker id=1] Updating cluster configuration : min.insync.replicas -> 2
        10:00:02 | log_created           | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=3}
        10:00:02 | log_created           | clicks | Created log for partition clicks-0 in /d with properties {} """)
    same(
        topic_settings(
            told, table(spark, SETTINGS, "node_id | ts | name | value\n 1 | 10:00:00 | min.insync.replicas | 1")
        ),
        TOPIC_SETTINGS,
        """
        topic  | min_isr
        orders | 3
        clicks | 2       """,
    )
