"""The settings of topics that verdicts rest on, as lines tell them."""

from __future__ import annotations

from itertools import permutations

import pytest

from replay.facts.window import ALL_TIME
from replay.partitions.topic_settings import all_topics_named, topic_settings, topics_named
from replay.tables import EVENTS, SETTINGS
from replay.tables.partitions import TOPIC_SETTINGS
from replay.tables.row import Row
from tests.nodes import of_nodes
from tests.tables import rows, same_rows


def settings_of(told: str, defaults: str = "ts") -> list[Row]:
    named = of_nodes(topics_named, rows(EVENTS, told), ALL_TIME)
    return topic_settings(all_topics_named(named), rows(SETTINGS, defaults))


def test_without_lines_there_are_no_settings():
    assert settings_of("ts") == []


def test_a_topics_own_setting_beats_the_brokers_default():
    told = """
        ts       | kind        | topic  | message
        10:00:01 | log_created | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=2, unclean.leader.election.enable=true}
        10:00:01 | log_created | clicks | Created log for partition clicks-0 in /d with properties {}                                                         """
    defaults = """
        node_id | ts       | name                           | value
        1       | 10:00:00 | min.insync.replicas            | 1
        1       | 10:00:00 | unclean.leader.election.enable | false """
    same_rows(
        settings_of(told, defaults),
        TOPIC_SETTINGS,
        """
        topic  | min_isr | unclean_allowed | setting_event
        orders | 2       | true            | e1
        clicks | 1       | false           |               """,
    )


def test_the_last_setting_counts_and_what_no_line_shows_is_not_known():
    told = """
        ts       | kind             | topic  | message
        10:00:01 | kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration min.insync.replicas to 2
        10:09:00 | kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration min.insync.replicas to 1 """
    same_rows(
        settings_of(told),
        TOPIC_SETTINGS,
        """
        topic  | min_isr | unclean_allowed | setting_event
        orders | 1       |                 | e2            """,
    )


def test_when_unclean_elections_were_allowed_is_reported_where_lines_show_that_they_were_not_before():
    """A controller that starts prints the record anew; a topic that was created with the setting was never without it."""
    set_to = "kraft_config_set | orders | Replayed ConfigRecord for ConfigResource(type=TOPIC, name='orders') which set configuration unclean.leader.election.enable to"
    told = f"""
        ts       | kind             | topic  | message
        10:00:01 | log_created      | orders | Created log for partition orders-0 in /d with properties {{min.insync.replicas=1}}
        10:08:42 | {set_to} true
        10:30:00 | {set_to} true
        10:00:01 | log_created      | clicks | Created log for partition clicks-0 in /d with properties {{unclean.leader.election.enable=true}}"""
    same_rows(
        settings_of(told),
        TOPIC_SETTINGS,
        """
        topic  | unclean_allowed | unclean_set_ts | unclean_set_event
        orders | true            | 10:08:42       | e2
        clicks | true            |                |                   """,
    )
    same_rows(
        settings_of(f"{told}\n        10:40:00 | {set_to} false"),
        TOPIC_SETTINGS,
        """
        topic  | unclean_allowed | unclean_set_ts | unclean_set_event
        orders | false           |                |
        clicks | true            |                |                   """,
    )


def test_a_topic_whose_settings_no_line_shows_has_its_brokers_defaults():
    """`server.properties` has no time: it was read before anything was dumped."""
    told = """
        ts       | kind         | topic
        10:00:01 | leader_start | orders """
    known = "node_id | ts | name | value\n 1 | | min.insync.replicas | 2"
    same_rows(settings_of(told, known), TOPIC_SETTINGS, "topic | min_isr\n orders | 2")
    same_rows(
        settings_of(told, (known + "\n 1 | 10:00:00 | min.insync.replicas | 1")),
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
def test_a_setting_that_is_changed_counts_and_one_that_is_taken_back_is_at_its_default_again(kind, changed, reset):
    created = """
        ts       | kind        | topic  | message
        10:00:01 | log_created | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=2}"""
    default = "node_id | ts | name | value\n 1 | 10:00:00 | min.insync.replicas | 3"
    told = f"{created}\n 10:05:00 | {kind} | | {changed}"
    same_rows(settings_of(told, default), TOPIC_SETTINGS, "topic | min_isr | setting_event\n orders | 1 | e2")
    same_rows(
        settings_of(f"{told}\n 10:06:00 | {kind} | | {reset}", default),
        TOPIC_SETTINGS,
        "topic | min_isr\n orders | 3",
    )


def test_the_cluster_default_counts_if_a_topic_has_no_setting_of_its_own():
    told = """
        ts       | kind                  | topic  | message
        10:00:01 | broker_config_changed |        | [DynamicConfigPublisher broker id=1] Updating cluster configuration : min.insync.replicas -> 2
        10:00:02 | log_created           | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=3}
        10:00:02 | log_created           | clicks | Created log for partition clicks-0 in /d with properties {} """
    same_rows(
        settings_of(told, ("node_id | ts | name | value\n 1 | 10:00:00 | min.insync.replicas | 1")),
        TOPIC_SETTINGS,
        """
        topic  | min_isr
        orders | 3
        clicks | 2       """,
    )


def test_the_last_that_any_node_shows_counts_whatever_the_order_in_which_nodes_are_put_together():
    """What one node shows to be off before another one turns it on, and what stands in no time is of the end."""
    told = """
        ts       | kind             | node_id | topic  | message
        10:00:01 | log_created      | 1       | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=1}
        10:00:02 | kraft_config_set | 2       | orders | set configuration unclean.leader.election.enable to true
        10:00:09 | kraft_config_set | 2       | orders | set configuration unclean.leader.election.enable to true
        10:00:05 | log_created      | 3       | orders | Created log for partition orders-0 in /d with properties {min.insync.replicas=2}
                 | described_topic  | 3       | orders | min.insync.replicas=3
        10:00:00 | any              | 3       | clicks | """
    named = of_nodes(topics_named, rows(EVENTS, told), ALL_TIME)
    for some in permutations(named):
        first, *others = some
        one_by_one = [first]
        for other in others:
            one_by_one = all_topics_named([*one_by_one, other])
        for put_together in (all_topics_named(some), one_by_one):
            same_rows(
                topic_settings(put_together, []),
                TOPIC_SETTINGS,
                """
                topic  | min_isr | unclean_allowed | unclean_set_ts | unclean_set_event | setting_event
                orders | 3       | true            | 10:00:09       | e3                | e5
                clicks |         |                 |                |                   |               """,
            )
