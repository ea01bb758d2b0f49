"""Every mention of a partition's state: which count, which leader epoch they are of, and who is believed to have begun one."""

from __future__ import annotations

import pytest

from replay.facts.releases import releases
from replay.partitions.state_reports import partition_state_reports
from replay.tables import EVENTS
from replay.tables.arrow import to_arrow
from replay.tables.brokers import RELEASES
from replay.tables.partitions import KEPT_STATES, PARTITION_STATE_REPORTS, TOPIC_LIVES
from tests import heard
from tests.tables import facts, same, table


@pytest.fixture
def seen(spark):
    """What events report about partitions; no topic shares its name with another."""
    lives = table(spark, TOPIC_LIVES, "topic")

    def seen_(text, kinds=None):
        told, events = facts(text), table(spark, EVENTS, text)
        known = spark.createDataFrame(to_arrow(RELEASES, releases(heard.wordings(told), told)))
        there = frozenset(event.kind for event in told if event.kind)
        kept = KEPT_STATES.empty(spark)
        return partition_state_reports(events, lives, known, events, kept, there if kinds is None else kinds)

    return seen_


def test_nothing_said_nothing_seen(seen):
    assert seen("ts").isEmpty()


def test_what_no_kind_of_event_shows_is_left_out_of_the_plan_and_nothing_else_is(seen):
    text = """
        ts           | kind         | node_id | topic  | partition | leader_id | leader_epoch | isr | epoch_start_offset | details
        10:00:01.020 | leader_start | 2       | orders | 3         | 2         | 0            | 3,2 | 0                  | previous_leader_epoch=-1
        10:00:05.000 | isr_shrink   | 2       | orders | 3         |           |              | 2   |                    | old_isr=2,3
        10:00:05.100 | isr_updated  | 2       | orders | 3         |           |              | 2   |                    |  """
    every, told = seen(text), seen(text, frozenset({"leader_start", "isr_shrink", "isr_updated"}))
    assert sorted(map(str, told.collect())) == sorted(map(str, every.collect()))
    assert told.count() == 2
    same(seen(text, frozenset({"leader_start"})), PARTITION_STATE_REPORTS, "witness | event_id\n leader | e1")


def test_the_controllers_decision_and_the_brokers_lines_say_the_same_state(seen):
    same(
        seen("""
        ts           | kind                                | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | epoch_start_offset | details
        10:00:01.000 | partition_state_online_with_leader  | 1       | orders | 3         | 2         | 0            | 0               | 3,2 |                    |
        10:00:01.005 | controller_send_leader_and_isr      | 1       | orders | 3         | 2         | 0            | 0               | 3,2 |                    |
        10:00:01.020 | leader_start                        | 2       | orders | 3         | 2         | 0            | 0               | 3,2 | 0                  | previous_leader_epoch=-1
        10:00:01.090 | follower_start                      | 3       | orders | 3         |           | 0            | 0               |     | 0                  | previous_leader_epoch=-1 """),
        PARTITION_STATE_REPORTS,
        """
        ts           | witness  | born  | node_id | topic  | partition | leader_id | leader_epoch | isr | epoch_start_offset | life | event_id
        10:00:01.000 | decision | true  | 1       | orders | 3         | 2         | 0            | 2,3 |                    | 0    | e1
        10:00:01.005 | request  | false | 1       | orders | 3         | 2         | 0            | 2,3 |                    | 0    | e2
        10:00:01.020 | leader   | true  | 2       | orders | 3         | 2         | 0            | 2,3 | 0                  | 0    | e3
        10:00:01.090 | follower | true  | 3       | orders | 3         |           | 0            |     |                    | 0    | e4       """,
    )


def test_a_leader_that_repeats_its_line_after_a_restart_begins_nothing(seen):
    """Facts §8 trap 16: the previous leader epoch is −1, the epoch is not 0."""
    same(
        seen("""
        ts       | kind         | node_id | topic  | partition | leader_id | leader_epoch | epoch_start_offset | details
        10:00:01 | leader_start | 2       | orders | 3         | 2         | 5            | 100                | previous_leader_epoch=4
        10:09:00 | leader_start | 2       | orders | 3         | 2         | 5            | 180                | previous_leader_epoch=-1 """),
        PARTITION_STATE_REPORTS,
        """
        ts       | leader_epoch | born
        10:00:01 | 5            | true
        10:09:00 | 5            | false """,
    )


def test_a_leader_says_who_led_before_and_a_follower_does_not(seen):
    """A follower prints the leader it has just taken on as its previous one; after a restart a leader names none."""
    same(
        seen("""
        ts       | kind           | node_id | topic  | partition | leader_id | leader_epoch | details
        10:00:01 | leader_start   | 2       | orders | 3         | 2         | 5            | previous_leader=1;previous_leader_epoch=4
        10:00:02 | follower_start | 3       | orders | 3         | 2         | 5            | previous_leader=2;previous_leader_epoch=4
        10:09:00 | leader_start   | 2       | orders | 3         | 2         | 5            | previous_leader=None;previous_leader_epoch=-1 """),
        PARTITION_STATE_REPORTS,
        """
        ts       | leader_epoch | leader_id | witness  | born  | event_id
        10:00:01 | 5            | 2         | leader   | true  | e1
        10:00:01 | 4            | 1         | request  | false | e1
        10:00:02 | 5            | 2         | follower | true  | e2
        10:09:00 | 5            | 2         | leader   | false | e3       """,
    )


def test_an_election_out_of_offline_partition_names_the_broker_whose_failure_the_controller_deals_with(seen):
    """Not where two failed at once, nor another controller's, nor later, nor from another state."""
    same(
        seen("""
        ts           | kind                               | node_id | topic  | partition | leader_id | leader_epoch | details
        10:00:00.000 | controller_broker_failure          | 3       |        |           |           |              | dead_brokers=1
        10:00:00.020 | partition_state_online_with_leader | 3       | orders | 0         | 2         | 5            | from_state=OfflinePartition
        10:00:00.030 | partition_state_online_with_leader | 2       | orders | 1         | 3         | 5            | from_state=OfflinePartition
        10:00:00.040 | partition_state_online_with_leader | 3       | orders | 2         | 3         | 5            | from_state=OnlinePartition
        10:00:03.000 | partition_state_online_with_leader | 3       | orders | 3         | 3         | 5            | from_state=OfflinePartition
        10:00:10.000 | controller_broker_failure          | 3       |        |           |           |              | dead_brokers=1, 2
        10:00:10.020 | partition_state_online_with_leader | 3       | orders | 4         | 3         | 5            | from_state=OfflinePartition """).where(
            "witness = 'request'"
        ),
        PARTITION_STATE_REPORTS,
        """
        ts           | partition | leader_epoch | leader_id | born  | event_id
        10:00:00.020 | 0         | 4            | 1         | false | e2       """,
    )


def test_a_committed_isr_is_of_the_leader_epoch_that_its_leader_last_began(seen):
    same(
        seen("""
        ts       | kind         | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr
        10:00:01 | leader_start | 2       | orders | 3         | 2         | 5            | 9               | 2,3
        10:00:02 | leader_start | 2       | clicks | 0         | 2         | 8            | 4               | 2,3
        10:00:05 | isr_updated  | 2       | orders | 3         |           |              | 10              | 2,3,1
        10:00:06 | isr_updated  | 2       | never  | 1         |           |              | 2               | 2     """),
        PARTITION_STATE_REPORTS,
        """
        topic  | partition | leader_epoch | partition_epoch | leader_id | isr   | witness
        orders | 3         | 5            | 9               | 2         | 2,3   | leader
        clicks | 0         | 8            | 4               | 2         | 2,3   | leader
        orders | 3         | 5            | 10              | 2         | 1,2,3 | commit  """,
    )


def test_the_first_change_of_a_leader_epoch_says_with_which_isr_it_began(seen):
    """Up to 2.5 no line at INFO does; where the leader's own lines have told it, nothing is added."""
    same(
        seen("""
        ts       | kind         | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr     | details
        10:00:01 | leader_start | 2       | orders | 3         | 2         | 5            |                 |         |
        10:00:05 | isr_expand   | 2       | orders | 3         |           |              |                 | 2,3,1   | old_isr=2,3
        10:00:06 | isr_updated  | 2       | orders | 3         |           |              | 10              | 2,3,1   |
        10:00:09 | isr_shrink   | 2       | orders | 3         |           |              |                 | 2       | old_isr=2,3,1
        10:00:10 | isr_updated  | 2       | orders | 3         |           |              | 11              | 2       |
        10:00:01 | leader_start | 2       | clicks | 0         | 2         | 8            | 3               | 2,3     |
        10:00:09 | isr_shrink   | 2       | clicks | 0         |           |              |                 | 2       | old_isr=2,3
        10:00:10 | isr_updated  | 2       | clicks | 0         |           |              | 4               | 2       | """).where(
            "witness = 'commit'"
        ),
        PARTITION_STATE_REPORTS,
        """
        ts       | topic  | leader_epoch | partition_epoch | leader_id | isr   | event_id
        10:00:01 | orders | 5            | 9               | 2         | 2,3   | e2
        10:00:06 | orders | 5            | 10              | 2         | 1,2,3 | e3
        10:00:10 | orders | 5            | 11              | 2         | 2     | e5
        10:00:10 | clicks | 8            | 4               | 2         | 2     | e8       """,
    )


def test_what_a_broker_that_follows_says_it_shrinks_from_is_of_no_known_leader_epoch(seen):
    assert (
        seen("""
        ts       | kind           | node_id | topic  | partition | leader_epoch | isr | details
        10:00:01 | follower_start | 2       | orders | 3         | 5            |     |
        10:00:05 | isr_shrink     | 2       | orders | 3         |              | 2   | old_isr=2,3 """)
        .where("isr IS NOT NULL")
        .isEmpty()
    )


@pytest.mark.parametrize(("release", "counts"), [("2.3.1", True), ("2.8.2", False)])
def test_an_announced_shrink_counts_only_where_the_release_prints_no_commit(seen, release, counts):
    """Facts §8 trap 12; before 2.4 "ISR updated" is printed at DEBUG or not at all."""
    found = seen(f"""
        ts       | kind            | node_id | template_id | topic  | partition | leader_id | leader_epoch | isr | details
        10:00:00 | process_version | 2       | any         |        |           |           |              |     | kafka_version={release}
        10:00:01 | leader_start    | 2       | any         | orders | 3         | 2         | 5            | 2,3 |
        10:00:05 | isr_shrink      | 2       | any         | orders | 3         |           |              | 2   |                         """)
    same(
        found.where("witness = 'intent'"),
        PARTITION_STATE_REPORTS,
        "leader_epoch | isr" + ("\n 5 | 2" if counts else ""),
    )


def test_a_shrink_that_zookeeper_refused_does_not_count(seen):
    found = seen("""
        ts       | kind                           | node_id | template_id | topic  | partition | leader_id | leader_epoch | isr | details
        10:00:00 | process_version                | 2       | any         |        |           |           |              |     | kafka_version=1.1.1
        10:00:01 | leader_start                   | 2       | any         | orders | 3         | 2         | 5            | 2,3 |
        10:00:05 | isr_shrink                     | 2       | any         | orders | 3         |           |              | 2   |
        10:00:06 | isr_update_zk_version_conflict | 2       | any         | orders | 3         |           |              |     |                       """)
    assert found.where("witness = 'intent'").isEmpty()


def test_a_commit_of_a_leader_whose_later_leader_epoch_is_in_no_line_is_of_no_known_one(seen):
    """Broker 2 led in leader epoch 0; the lines in which it begins to lead in 4 are missing. That 2 had begun by partition epoch 3 another broker says."""
    same(
        seen("""
        ts       | kind         | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr   | details
        10:00:01 | leader_start | 2       | orders | 3         | 2         | 0            | 0               | 1,2,3 | previous_leader_epoch=-1
        10:00:05 | isr_updated  | 2       | orders | 3         |           |              | 1               | 2,3   |
        10:00:20 | leader_start | 1       | orders | 3         | 1         | 2            | 3               | 1     | previous_leader_epoch=1
        10:09:00 | isr_updated  | 2       | orders | 3         |           |              | 6               | 1,2   | """),
        PARTITION_STATE_REPORTS,
        """
        ts       | leader_epoch | partition_epoch | isr
        10:00:01 | 0            | 0               | 1,2,3
        10:00:05 | 0            | 1               | 2,3
        10:00:20 | 2            | 3               | 1     """,
    )


def test_a_commit_long_after_others_logged_a_later_leader_epoch_is_of_no_known_one(seen):
    """Broker 2 led in leader epoch 0 and leads again in one whose first lines are missing; others' lines have no partition epochs."""
    same(
        seen("""
        ts       | kind           | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr   | details
        10:00:01 | leader_start   | 2       | orders | 3         | 2         | 0            | 0               | 1,2,3 | previous_leader_epoch=-1
        10:00:05 | isr_updated    | 2       | orders | 3         |           |              | 1               | 2,3   |
        10:00:08 | follower_start | 3       | orders | 3         |           | 1            |                 |       | previous_leader_epoch=0
        10:00:09 | isr_updated    | 2       | orders | 3         |           |              | 2               | 2     |
        10:00:14 | isr_updated    | 2       | orders | 3         |           |              | 6               | 1,2   | """).where(
            "witness = 'commit'"
        ),
        PARTITION_STATE_REPORTS,
        """
        ts       | leader_epoch | partition_epoch | isr
        10:00:05 | 0            | 1               | 2,3
        10:00:09 | 0            | 2               | 2     """,
    )


def test_a_commit_of_a_broker_that_last_began_to_follow_is_of_no_known_leader_epoch(seen):
    """Broker 3 must have begun to lead since, in lines that are missing."""
    same(
        seen("""
        ts       | kind           | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr   | details
        10:00:01 | follower_start | 3       | orders | 3         |           | 1            |                 |       | previous_leader_epoch=0
        10:00:20 | isr_updated    | 3       | orders | 3         |           |              | 4               | 1,2,3 |                         """),
        PARTITION_STATE_REPORTS,
        """
        ts       | witness  | leader_epoch
        10:00:01 | follower | 1            """,
    )


def test_a_request_that_deletes_the_topic_is_no_state(seen):
    """Leader −2 means that the topic goes; −1 is a partition without leader."""
    same(
        seen("""
        ts       | kind                            | node_id | topic  | partition | leader_id | leader_epoch
        10:00:01 | controller_send_update_metadata | 1       | orders | 3         | -2        | 6
        10:00:02 | controller_send_update_metadata | 1       | orders | 3         | -1        | 7            """),
        PARTITION_STATE_REPORTS,
        """
        leader_epoch | leader_id
        7            | -1        """,
    )


def test_a_controller_that_starts_reports_old_creations_again(seen):
    """It prints its whole log with today's stamps (facts §8 trap 19); the other controllers print a record as it is made."""
    same(
        seen("""
        ts           | kind                    | node_id | topic   | topic_id | partition | leader_id | leader_epoch | partition_epoch | isr
        10:00:01.000 | kraft_partition_created | 101     | scratch | AAA      | 0         | 2         | 0            | 0               | 2,3
        10:00:01.040 | kraft_partition_created | 102     | scratch | AAA      | 0         | 2         | 0            | 0               | 2,3
        10:00:01.100 | follower_start          | 3       | scratch | AAA      | 0         | 2         | 0            | 0               |
        10:05:00.000 | kraft_topic_removed     | 101     | scratch | AAA      |           |           |              |                 |
        10:30:00.000 | kraft_partition_created | 102     | scratch | AAA      | 0         | 2         | 0            | 0               | 2,3 """),
        PARTITION_STATE_REPORTS,
        """
        ts           | node_id | leader_epoch
        10:00:01.000 | 101     | 0
        10:00:01.040 | 102     | 0
        10:00:01.100 | 3       | 0            """,
    )


def test_a_creation_is_none_where_brokers_begin_with_a_later_leader_epoch(seen):
    """All that there is of the partition is from after a restart of the cluster."""
    same(
        seen("""
        ts           | kind                    | node_id | topic   | topic_id | partition | leader_id | leader_epoch | partition_epoch | isr
        10:00:01.000 | kraft_partition_created | 101     | scratch | AAA      | 0         | 2         | 0            | 0               | 2,3
        10:00:01.200 | follower_start          | 3       | scratch | AAA      | 0         | 2         | 7            | 12              |     """),
        PARTITION_STATE_REPORTS,
        """
        ts           | node_id | leader_epoch
        10:00:01.200 | 3       | 7            """,
    )


def test_followers_that_name_no_topic_id_take_on_a_creation(seen):
    """Their lines have no topic id, and the leader's own lines are missing. A later partition epoch is another state."""
    lines = """
        ts           | kind                    | node_id | topic   | topic_id | partition | leader_id | leader_epoch | partition_epoch | isr
        10:00:01.000 | kraft_partition_created | 101     | scratch | AAA      | 0         | 2         | 0            | 0               | 2,3
        10:00:01.100 | follower_start          | 3       | scratch |          | 0         | 2         | 0            | {}              |     """
    same(
        seen(lines.format(0)),
        PARTITION_STATE_REPORTS,
        """
        ts           | node_id | leader_epoch
        10:00:01.000 | 101     | 0
        10:00:01.100 | 3       | 0            """,
    )
    same(seen(lines.format(5)), PARTITION_STATE_REPORTS, "ts | node_id | leader_epoch\n 10:00:01.100 | 3 | 0")


UNCLEAN = """
    ts           | kind                            | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | message                        | details
    10:00:01.000 | kraft_partition_changed_unclean | 1       | orders | 3         | 2         | 6            | 9               | 2   | UNCLEAN ... isr: [] -> [2], ... | previous_leader=-1;previous_leader_epoch=5;previous_partition_epoch=8;leader_recovery_state=RECOVERING
    10:00:01.120 | leader_start                    | 2       | orders | 3         | 2         | 6            | 9               | 2   |                                | previous_leader_epoch=5 """


def test_an_unclean_change_in_kraft_shows_the_state_before_it_too(seen):
    same(
        seen(UNCLEAN),
        PARTITION_STATE_REPORTS,
        """
        ts           | witness  | born  | leader_id | leader_epoch | partition_epoch | isr | recovering
        10:00:01.000 | decision | true  | 2         | 6            | 9               | 2   | true
        10:00:01.000 | decision | false | -1        | 5            | 8               | []  |
        10:00:01.120 | leader   | true  | 2         | 6            | 9               | 2   |            """,
    )


def test_an_unclean_change_names_the_elr_that_was_passed_over_and_whose_end_left_the_partition_without_leader(seen):
    """KIP-966: [3] was eligible, broker 1 was elected all the same; the partition had no leader since broker 3 was fenced."""
    same(
        seen("""
        ts           | kind                            | node_id | broker_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | message                          | details
        10:00:00.000 | kraft_broker_session_timeout    | 101     | 1         |        |           |           |              |                 |     |                                  |
        10:00:30.000 | kraft_broker_session_timeout    | 101     | 3         |        |           |           |              |                 |     |                                  |
        10:00:41.000 | kraft_partition_changed_unclean | 101     |           | orders | 0         | 1         | 2            | 4               | 1   | UNCLEAN ... isr: [] -> [1], ... | previous_leader=-1;previous_leader_epoch=1;previous_partition_epoch=3;leader_recovery_state=RECOVERING;previous_elr=3;previous_last_known_elr=3
        """),
        PARTITION_STATE_REPORTS,
        """
        ts           | born  | leader_id | leader_epoch | partition_epoch | isr | elr
        10:00:41.000 | true  | 1         | 2            | 4               | 1   |
        10:00:30.000 | false | -1        | 1            | 3               | []  | 3   """,
    )


@pytest.mark.parametrize(
    "kind, recovering", [("kraft_leader_selected_elr", "false"), ("kraft_leader_selected_unclean", "true")]
)
def test_a_controller_that_elects_from_outside_the_isr_prints_the_state_before_whole(seen, kind, recovering):
    """Kafka 4.1 and later. The topic is told by its id, which another line names."""
    same(
        seen(f"""
        ts           | kind                         | node_id | broker_id | topic  | topic_id | partition | leader_id | leader_epoch | partition_epoch | replicas | isr | details
        10:00:00.000 | kraft_partition_created      | 101     |           | orders | Xa       | 0         | 1         | 0            | 0               | 1,2,3    | 1,2 |
        10:00:30.000 | kraft_broker_session_timeout | 101     | 3         |        |          |           |           |              |                 |          |     |
        10:00:41.000 | {kind}                       | 101     |           |        | Xa       | 0         | -1        | 3            | 3               | 1,2,3    |     | election_result_node=2;elr=2, 3;last_known_elr=3
        10:00:41.010 | {kind}                       | 101     |           |        | Xb       | 0         | -1        | 3            | 3               | 1,2,3    |     | election_result_node=2;elr=;last_known_elr=3 """),
        PARTITION_STATE_REPORTS,
        f"""
        ts           | witness  | born  | leader_id | leader_epoch | partition_epoch | replicas | isr | elr | recovering
        10:00:30.000 | decision | false | -1        | 3            | 3               | 1,2,3    | []  | 2,3 |
        10:00:41.000 | decision | true  | 2         | 4            | 4               | 1,2,3    | 2   |     | {recovering} """,
    )


def test_an_unclean_change_that_a_starting_controller_prints_again_is_none(seen):
    """Facts §8 trap 19: it prints the creation too."""
    same(
        seen(
            UNCLEAN.replace("10:00:01.000", "10:20:00.000")
            + """
    10:19:59.000 | kraft_partition_created         | 1       | orders | 3         | 2         | 0            | 0               | 2,3 |                                | """
        ),
        PARTITION_STATE_REPORTS,
        """
        ts           | witness
        10:00:01.120 | leader   """,
    )


def test_an_unclean_change_soon_after_the_partition_was_created_counts(seen):
    """The controller printed the creation as it happened: a broker took up its leader epoch."""
    same(
        seen("""
        ts           | kind                            | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | message                          | details
        10:00:00.900 | kraft_partition_created         | 101     | orders | 3         | 1         | 0            | 0               | 1,2 |                                  |
        10:00:01.000 | leader_start                    | 1       | orders | 3         | 1         | 0            | 0               | 1,2 |                                  |
        10:00:41.000 | kraft_partition_changed_unclean | 101     | orders | 3         | 2         | 2            | 4               | 2   | UNCLEAN ... isr: [1] -> [2], ... | previous_isr=1;previous_leader=-1;previous_leader_epoch=1;previous_partition_epoch=3"""),
        PARTITION_STATE_REPORTS,
        """
        ts           | leader_id | leader_epoch | partition_epoch | isr
        10:00:00.900 | 1         | 0            | 0               | 1,2
        10:00:01.000 | 1         | 0            | 0               | 1,2
        10:00:41.000 | -1        | 1            | 3               | 1
        10:00:41.000 | 2         | 2            | 4               | 2   """,
    )


def test_in_kraft_a_partition_is_without_leader_from_when_its_last_replica_is_fenced(seen):
    same(
        seen("""
        ts           | kind                            | node_id | broker_id | topic  | partition | leader_id | leader_epoch | partition_epoch | isr | message                         | details
        09:59:50.000 | kraft_broker_session_timeout    | 1       | 3         |        |           |           |              |                 |     |                                 |
        09:59:55.000 | kraft_broker_session_timeout    | 1       | 2         |        |           |           |              |                 |     |                                 |
        10:00:01.000 | kraft_partition_changed_unclean | 1       |           | orders | 3         | 2         | 6            | 9               | 2   | UNCLEAN ... isr: [] -> [2], ... | previous_leader=-1;previous_leader_epoch=5;previous_partition_epoch=8
        10:00:01.120 | leader_start                    | 2       |           | orders | 3         | 2         | 6            | 9               | 2   |                                 | previous_leader_epoch=5 """),
        PARTITION_STATE_REPORTS,
        """
        ts           | born  | leader_id | leader_epoch
        09:59:55.000 | false | -1        | 5
        10:00:01.000 | true  | 2         | 6
        10:00:01.120 | true  | 2         | 6            """,
    )


@pytest.mark.parametrize(
    "states",
    [
        "Map(orders-0 -> (offset=142, leaderEpoch=7), my-topic-1-11 -> (offset=0, leaderEpoch=0))",  # 2.1-2.7
        "Map(orders-0 -> InitialFetchState(BrokerEndPoint(id=3, host=10.77.0.13:9092),7,142), my-topic-1-11 -> InitialFetchState(BrokerEndPoint(id=3, host=10.77.0.13:9092),0,0))",
        "HashMap(orders-0 -> InitialFetchState(Some(fjFovdNNQEyv_0nPY3MT8A),BrokerEndPoint[id=3, host=10.77.0.13, port=9092],7,142), my-topic-1-11 -> InitialFetchState(None,BrokerEndPoint[id=3, host=h, port=9092],0,0))",
        "{orders-0=...}, orders-0 -> InitialFetchState[topicId=Optional[fj], leader=BrokerEndPoint[id=3, host=h, port=9092], currentLeaderEpoch=7, initOffset=142], my-topic-1-11 -> InitialFetchState[topicId=Optional[fj], leader=BrokerEndPoint[id=3, host=h, port=9092], currentLeaderEpoch=0, initOffset=0]",
    ],
)
def test_whom_a_follower_fetches_from_leads(seen, states):
    same(
        seen(f"""
        ts       | kind                     | node_id | broker_id | leader_id | details
        10:00:01 | fetcher_partitions_added | 2       | 2         | 3         | initial_fetch_states={states} """),
        PARTITION_STATE_REPORTS,
        """
        ts       | topic      | partition | leader_epoch | leader_id | witness  | born
        10:00:01 | orders     | 0         | 7            | 3         | follower | false
        10:00:01 | my-topic-1 | 11        | 0            | 3         | follower | false """,
    )


def test_an_isr_that_is_announced_again_from_the_same_one_was_not_written(seen):
    """[rec 2.4.1, in the words of 2.3] While ZooKeeper was away the write blocked, and failed; facts §5, F07."""
    found = seen("""
        ts           | kind                           | node_id | template_id | topic  | partition | leader_id | leader_epoch | isr | details
        10:00:00     | process_version                | 1       | any         |        |           |           |              |     | kafka_version=2.3.1
        10:00:01     | leader_start                   | 1       | any         | orders | 3         | 1         | 0            | 1,2,3 |
        10:00:29     | isr_shrink                     | 1       | any         | orders | 3         |           |              | 1   | old_isr=1,2,3
        10:00:51     | isr_shrink                     | 1       | any         | orders | 3         |           |              | 1   | old_isr=1,2,3
        10:00:51.100 | broker_leader_and_isr_received | 1       | any         | orders | 3         | 2         | 1            | 2,3 |
        10:00:59     | isr_update_zk_version_conflict | 1       | any         | orders | 3         |           |              |     |              """)
    assert found.where("witness = 'intent'").isEmpty()


def test_an_isr_that_is_announced_again_after_another_was_written_each_time(seen):
    found = seen("""
        ts       | kind            | node_id | template_id | topic  | partition | leader_id | leader_epoch | isr   | details
        10:00:00 | process_version | 1       | any         |        |           |           |              |       | kafka_version=2.3.1
        10:00:01 | leader_start    | 1       | any         | orders | 3         | 1         | 0            | 1,2,3 |
        10:00:29 | isr_shrink      | 1       | any         | orders | 3         |           |              | 1,3   | old_isr=1,2,3
        10:00:35 | isr_expand      | 1       | any         | orders | 3         |           |              | 1,2,3 | old_isr=1,3
        10:00:51 | isr_shrink      | 1       | any         | orders | 3         |           |              | 1,3   | old_isr=1,2,3 """)
    assert found.where("witness = 'intent'").count() == 3


def test_an_isr_that_a_leader_comes_back_to_is_another_visit(seen):
    """A leader before 2.4 prints no commit; what it announces again while nothing changes is the same visit."""
    found = seen("""
        ts       | kind            | node_id | template_id | topic  | partition | leader_id | leader_epoch | isr   | details
        10:00:00 | process_version | 1       | any         |        |           |           |              |       | kafka_version=2.3.1
        10:00:01 | leader_start    | 1       | any         | orders | 3         | 1         | 0            | 1,2,3 |
        10:00:29 | isr_shrink      | 1       | any         | orders | 3         |           |              | 1,3   | old_isr=1,2,3
        10:00:35 | isr_expand      | 1       | any         | orders | 3         |           |              | 1,2,3 | old_isr=1,3
        10:00:51 | isr_shrink      | 1       | any         | orders | 3         |           |              | 1,3   | old_isr=1,2,3 """)
    same(
        found.where("witness != 'commit'"),
        PARTITION_STATE_REPORTS,
        """
        ts       | witness | isr   | visit
        10:00:01 | leader  | 1,2,3 |
        10:00:29 | intent  | 1,3   | 1
        10:00:35 | intent  | 1,2,3 | 2
        10:00:51 | intent  | 1,3   | 3     """,
    )


def test_a_broker_that_finds_a_partition_at_its_first_leader_epoch_with_records_did_not_see_its_creation(seen):
    same(
        seen("""
        ts       | kind           | node_id | topic  | partition | leader_id | leader_epoch | partition_epoch | epoch_start_offset | details
        10:00:01 | follower_start | 2       | orders | 3         | 1         | 0            | 0               | 0                  | previous_leader_epoch=0
        10:00:02 | follower_start | 2       | orders | 4         | 1         | 0            | 2               | 0                  | previous_leader_epoch=0
        10:00:03 | follower_start | 2       | orders | 5         | 1         | 0            |                 | 153                | previous_leader_epoch=-1
        10:00:04 | leader_start   | 2       | orders | 6         | 2         | 0            |                 | 0                  | previous_leader_epoch=-1 """),
        PARTITION_STATE_REPORTS,
        """
        partition | leader_epoch | born
        3         | 0            | true
        4         | 0            | false
        5         | 0            | false
        6         | 0            | true """,
    )
