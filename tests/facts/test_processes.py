"""The lives of a node's process: how a stop, a kill and a fatal error look in its own files."""

from __future__ import annotations

import pytest

from replay.tables.brokers import MISSING_LINES, PROCESSES
from tests.heard import processes_of
from tests.tables import facts, rows, same_rows


def events(text: str):
    """Lines of node 1, whose logger is always the same."""
    return [
        fact.but(
            node_id=1 if fact.node_id is None else fact.node_id,
            logger=fact.logger or "kafka.server.KafkaServer",
            source_file=fact.source_file or "server.log",
        )
        for fact in facts(text)
    ]


def lives(text: str, of_node: int | None = None):
    return [life for life in processes_of(events(text)) if of_node in (None, life.node_id)]


def test_no_lines_no_lives():
    assert lives("ts") == []


def test_a_process_that_ran_before_the_files_began_has_no_start():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | leader_start
        10:00:09 | isr_shrink   """),
        PROCESSES,
        """
        node_id | life | start_ts | last_ts  | last_event | ended | next_start_ts
        1       | 0    |          | 10:00:09 | e2         |       |               """,
    )


def test_an_ordered_stop_announces_itself():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | process_signal
        10:05:00 | broker_controlled_shutdown_begin
        10:05:02 | broker_shutdown_done
        10:06:00 | broker_starting
        10:06:03 | broker_started  """),
        PROCESSES,
        """
        life | start_ts | last_ts  | stop_ts  | stop_event | ended   | next_start_ts | next_start_event | recovered_event
        1    | 10:00:01 | 10:05:02 | 10:05:00 | e2         | stopped | 10:06:00      | e5               |
        2    | 10:06:00 | 10:06:03 |          |            |         |               |                  |                 """,
    )


def test_a_stop_whose_lines_are_missing_is_reported_by_the_mark_the_next_start_found():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | isr_shrink
        10:06:00 | broker_starting
        10:06:01 | log_dir_clean_shutdown """),
        PROCESSES,
        """
        life | start_ts | last_ts  | stop_ts | ended          | next_start_ts
        1    | 10:00:01 | 10:05:00 |         | stopped_unseen | 10:06:00
        2    | 10:06:00 | 10:06:01 |         |                |               """,
    )


def test_a_stop_that_the_controller_granted_is_no_kill():
    told = """
        ts       | kind                                 | node_id | broker_id
        10:00:01 | broker_starting                      | 1       |
        10:05:00 | isr_shrink                           | 1       |
        10:05:01 | controller_controlled_shutdown_begin | 2       | {stopped}
        10:06:00 | broker_starting                      | 1       |           """
    same_rows(
        lives(told.format(stopped=1), of_node=1),
        PROCESSES,
        """
        life | ended
        1    | stopped_unseen
        2    |                """,
    )
    same_rows(
        lives(told.format(stopped=3), of_node=1),
        PROCESSES,
        """
        life | ended
        1    | killed
        2    |        """,
    )


@pytest.mark.parametrize(
    ("line", "ended"),
    [
        (
            "broker_registration_failed | Unable to register broker 1 because the controller returned error DUPLICATE_BROKER_REGISTRATION",
            "killed",
        ),
        ("log_dir_unclean_shutdown   | no clean shutdown file", "killed"),
        ("log_dir_clean_shutdown     | clean shutdown file", "stopped_unseen"),
    ],
)
def test_a_start_whose_first_lines_are_missing_is_shown_by_what_only_a_starting_process_prints(line, ended):
    same_rows(
        lives(f"""
        ts       | kind                       | message
        10:00:01 | broker_starting            |
        10:00:03 | log_dir_clean_shutdown     |
        10:05:00 | isr_shrink                 |
        10:06:00 | {line}
        10:06:09 | {line}                      """),
        PROCESSES,
        f"""
        life | start_ts | last_ts  | ended
        1    | 10:00:01 | 10:05:00 | {ended}
        2    | 10:06:00 | 10:06:09 |         """,
    )


@pytest.mark.parametrize(
    ("head", "first", "lives_"),
    [
        (
            "09:59:59 | raft_transition",
            "process_signal_registered",
            ["0 |          | 10:05:00", "1 | 10:06:00 | 10:06:01"],
        ),  # amid the lines of a start
        (
            "09:59:20 | raft_transition",
            "process_signal_registered",
            ["0 |          | 09:59:20", "1 | 10:00:01 | 10:05:00", "2 | 10:06:00 | 10:06:01"],
        ),  # no start lasts so long
        (
            "09:59:59 | raft_transition",
            "broker_starting",
            ["0 |          | 09:59:59", "1 | 10:00:01 | 10:05:00", "2 | 10:06:00 | 10:06:01"],
        ),  # a release whose starts begin so
    ],
)
def test_files_that_begin_amid_a_start_hold_no_life_before_it(head, first, lives_):
    same_rows(
        lives(f"""
        ts       | kind
        {head}
        10:00:01 | broker_starting
        10:05:00 | isr_shrink
        10:06:00 | {first}
        10:06:01 | broker_starting """),
        PROCESSES,
        "life | start_ts | last_ts\n" + "\n".join(lives_),
    )


def test_a_node_of_which_only_other_files_than_server_log_are_here_has_no_life():
    told = """
        ts       | node_id | logger                           | kind
        10:00:01 | 1       | kafka.controller.KafkaController | any
        10:00:02 | 1       | state.change.logger              | any
        10:00:03 | 1       | kafka.log.LogCleaner             | any
        10:00:04 | 2       | state.change.logger              | any
        10:00:05 | 2       | kafka.server.ReplicaManager      | any """
    same_rows(
        lives(told),
        PROCESSES,
        """
        node_id | life | last_ts
        2       | 0    | 10:00:05 """,
    )


def test_a_refused_registration_soon_after_a_start_belongs_to_it():
    same_rows(
        lives("""
        ts       | kind                       | message
        10:00:01 | broker_starting            |
        10:00:09 | broker_registration_failed | the controller returned error DUPLICATE_BROKER_REGISTRATION
        10:00:18 | broker_registration_failed | the controller returned error DUPLICATE_BROKER_REGISTRATION """),
        PROCESSES,
        """
        life | start_ts | last_ts
        1    | 10:00:01 | 10:00:18 """,
    )


def test_a_process_that_asks_to_be_registered_again_after_minutes_is_the_same_process():
    """Without its start, as in a paste: each refusal repeats the request of one process."""
    refused = "broker_registration_failed | the controller returned error DUPLICATE_BROKER_REGISTRATION"
    told = "ts | kind | message\n10:00:01 | isr_shrink |\n" + "".join(f"10:0{at}:09 | {refused}\n" for at in (2, 4, 6))
    same_rows(
        lives(told),
        PROCESSES,
        """
        life | ended  | last_ts
        0    | killed | 10:00:01
        1    |        | 10:06:09 """,
    )


def test_a_controller_that_grants_its_own_stop_and_a_broker_that_does_not_come_back():
    same_rows(
        lives("""
        ts       | kind                                 | node_id | broker_id
        10:00:01 | broker_starting                      | 1       |
        10:00:02 | broker_starting                      | 2       |
        10:04:00 | isr_shrink                           | 1       |
        10:05:01 | controller_controlled_shutdown_begin | 2       | 1
        10:06:00 | controller_controlled_shutdown_begin | 2       | 2         """),
        PROCESSES,
        """
        node_id | life | stop_ts  | ended          | next_start_ts
        1       | 1    |          | stopped_unseen |
        2       | 1    | 10:06:00 | stopped        |               """,
    )


def test_a_kill_leaves_nothing_but_the_next_start():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | isr_shrink
        10:06:00 | broker_starting
        10:06:02 | log_dir_unclean_shutdown """),
        PROCESSES,
        """
        life | last_ts  | last_event | ended  | next_start_ts | recovered_event
        1    | 10:05:00 | e2         | killed | 10:06:00      | e4
        2    | 10:06:02 | e4         |        |               |                 """,
    )


def test_a_file_that_ends_shows_nothing_of_its_process():
    """It may have been killed, it may run: only a later start or the controller tells."""
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | isr_shrink      """),
        PROCESSES,
        """
        life | last_ts  | ended | next_start_ts
        1    | 10:05:00 |       |               """,
    )


def test_a_process_that_halts_itself_says_why():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | process_fatal_exit
        10:06:00 | broker_starting """),
        PROCESSES,
        """
        life | ended | fatal_event | next_start_ts
        1    | fatal | e2          | 10:06:00
        2    |       |             |               """,
    )


def test_a_shutdown_that_a_fatal_error_begins_is_no_ordered_stop():
    """ZooKeeper still holds the registration of the life before: the start fails and the broker shuts itself down."""
    same_rows(
        lives("""
        ts           | kind
        10:00:01     | broker_starting
        10:00:06.000 | process_startup_failed
        10:00:06.001 | broker_shutdown_begin
        10:05:00     | broker_starting
        10:09:00     | process_signal
        10:09:01     | process_fatal_exit   """),
        PROCESSES,
        """
        life | ended   | fatal_event
        1    | fatal   | e2
        2    | stopped | e6       """,
    )


def test_a_broker_that_gives_up_registering_stops_itself_though_its_shutdown_is_reported_at_once():
    same_rows(
        lives("""
        ts           | kind
        10:00:01     | broker_starting
        10:04:06.000 | broker_registration_timeout
        10:04:06.000 | broker_shutting_down
        10:04:06.022 | process_startup_failed
        10:04:07     | broker_shutdown_done
        10:04:07.001 | process_fatal_exit          """),
        PROCESSES,
        """
        life | ended | fatal_event
        1    | fatal | e2          """,
    )


def test_the_lines_of_one_start_are_one_start():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | process_signal_registered
        10:00:02 | process_start_line
        10:00:04 | broker_starting           """),
        PROCESSES,
        """
        life | start_ts | start_event | last_ts
        1    | 10:00:01 | e1          | 10:00:04 """,
    )


def test_a_process_killed_as_it_starts_over_and_over_has_as_many_lives():
    same_rows(
        lives("""
        ts           | kind
        10:00:01.000 | process_start_line
        10:00:01.300 | process_signal_registered
        10:00:11.000 | process_start_line
        10:00:11.300 | process_signal_registered
        10:00:21.000 | process_start_line
        10:00:21.300 | process_signal_registered """),
        PROCESSES,
        """
        life | start_ts     | last_ts      | ended
        1    | 10:00:01.000 | 10:00:01.300 | killed
        2    | 10:00:11.000 | 10:00:11.300 | killed
        3    | 10:00:21.000 | 10:00:21.300 |        """,
    )


def test_a_start_that_was_written_to_two_files_is_one_start():
    same_rows(
        lives("""
        ts           | kind               | source_file
        10:00:01.000 | process_start_line | server.log
        10:00:01.000 | process_start_line | console.log
        10:00:01.300 | broker_starting    | server.log
        10:00:01.301 | broker_starting    | console.log """),
        PROCESSES,
        """
        life | start_ts     | ended
        1    | 10:00:01.000 |       """,
    )


def test_a_start_right_after_a_stop_is_a_new_life():
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_starting
        10:00:10 | process_signal
        10:00:12 | broker_shutdown_done
        10:00:15 | broker_starting      """),
        PROCESSES,
        """
        life | start_ts | ended
        1    | 10:00:01 | stopped
        2    | 10:00:15 |         """,
    )


def test_recovering_the_metadata_log_is_no_mark_of_a_kill():
    """A KRaft node recovers segments of __cluster_metadata at every start."""
    found = lives("""
        ts       | kind                 | topic
        10:00:01 | broker_starting      |
        10:05:00 | process_signal       |
        10:06:00 | broker_starting      |
        10:06:01 | log_segment_recovery | __cluster_metadata """)
    same_rows(
        found,
        PROCESSES,
        """
        life | ended   | recovered_event
        1    | stopped |
        2    |         |                 """,
    )


def test_files_without_time_and_without_logger_are_no_sign_of_life():
    found = processes_of(
        facts("""
        ts       | node_id | kind                      | logger
        10:00:01 | 1       | leader_start              | kafka.cluster.Partition
                 | 1       | checkpoint_high_watermark |
        10:09:00 | 1       | dump_metadata_record      |                     """)
    )
    same_rows(
        found,
        PROCESSES,
        """
        node_id | last_ts
        1       | 10:00:01 """,
    )


def test_a_broker_of_a_shared_file_started_again_where_the_end_of_its_start_stands_twice():
    """The first lines of a start name no node there."""
    same_rows(
        lives("""
        ts       | kind
        10:00:01 | broker_started
        10:05:00 | broker_shutdown_begin
        10:05:01 | broker_shutdown_done
        10:06:03 | broker_started
        10:09:00 | isr_shrink
        10:20:00 | broker_started
        10:20:00 | broker_started  """),
        PROCESSES,
        """
        life | start_ts | last_ts  | ended   | next_start_ts
        0    |          | 10:05:01 | stopped | 10:06:03
        1    | 10:06:03 | 10:09:00 | killed  | 10:20:00
        2    | 10:20:00 | 10:20:00 |         |               """,
    )


def test_a_start_that_found_another_process_in_its_place_proves_no_death():
    said = "[KafkaServer id=1] Fatal error: Failed to acquire lock on file .lock in /d1"
    same_rows(
        lives(f"""
        ts       | kind                   | message
        10:00:01 | broker_starting        |
        10:05:00 | isr_shrink             |
        10:06:00 | broker_starting        |
        10:06:01 | process_startup_failed | {said}  """),
        PROCESSES,
        """
        life | last_ts  | ended
        1    | 10:05:00 |
        2    | 10:06:01 | fatal """,
    )


def test_what_a_process_said_as_it_gave_up_ends_with_the_innermost_cause():
    (row,) = lives("""
        ts       | kind                   | message | details
        10:00:01 | broker_starting        |         |
        10:00:03 | process_startup_failed | Fatal   | exception=a.B: no bind;caused_by=java.net.BindException: in use """)
    assert row.fatal_said == "Fatal: a.B: no bind; caused by java.net.BindException: in use"


def test_a_life_that_ends_where_lines_are_missing_was_not_killed_for_all_one_knows():
    told = events("""
        ts       | kind
        10:00:01 | broker_starting
        10:05:00 | isr_shrink
        10:30:00 | broker_starting """)
    hole = rows(
        MISSING_LINES,
        """
        node_id | series     | start_ts | end_ts
        1       | server.log | 10:05:00 | 10:30:00 """,
    )
    assert [life.ended for life in processes_of(told)] == ["killed", None]
    assert [life.ended for life in processes_of(told, hole)] == [None, None]


def test_a_client_that_asks_for_zookeeper_before_the_broker_starts_is_no_life():
    """As Confluent's image does; nor is a ZooKeeper that writes into the same file."""
    same_rows(
        lives("""
        ts       | kind                 | logger
        09:59:50 | zk_session_connected | org.apache.zookeeper.ClientCnxn
        09:59:51 | zk_client_closed     | org.apache.zookeeper.ZooKeeper
        10:00:01 | broker_starting      |
        10:05:00 | isr_shrink           |
        10:06:00 | zookeeper_connection_closed | org.apache.zookeeper.server.ZooKeeperServer """),
        PROCESSES,
        """
        life | start_ts | last_ts  | ended
        1    | 10:00:01 | 10:05:00 |       """,
    )


def test_what_any_client_prints_before_the_broker_starts_is_no_life():
    """As a test that starts a broker within its own process, with the settings of its clients."""
    same_rows(
        lives("""
        ts       | kind                     | logger
        09:59:50 | config_dump              | AbstractConfig
        09:59:51 | housekeeping_error       | AppInfoParser
        10:00:01 | broker_starting          |
        10:00:02 | log_dir_unclean_shutdown | """),
        PROCESSES,
        """
        life | start_ts | last_ts  | ended
        1    | 10:00:01 | 10:00:02 |       """,
    )


def test_the_start_of_a_broker_of_another_cluster_is_no_proof_of_death():
    """Two clusters whose brokers have the same id wrote into one file; of the same cluster it is one."""
    text = """
        ts       | kind                     | details
        10:00:01 | broker_starting          |
        10:00:02 | cluster_id               | cluster_id=A
        10:05:01 | broker_starting          |
        10:05:02 | cluster_id               | cluster_id={}
        10:05:03 | log_dir_unclean_shutdown | """
    for other, ended in (("B", ""), ("A", "killed")):
        same_rows(
            lives(text.format(other)),
            PROCESSES,
            f"""
            life | start_ts | ended
            1    | 10:00:01 | {ended}
            2    | 10:05:01 |         """,
        )


STARTUP_FAILS = "Exiting Kafka due to fatal exception during startup."


def test_a_failed_start_of_which_only_the_failure_is_here_is_a_life_of_its_own():
    same_rows(
        lives(f"""
        ts       | kind               | message
        11:57:06 | leader_start       |
        12:23:36 | process_fatal_exit | {STARTUP_FAILS}
        12:30:50 | process_fatal_exit | Exiting Kafka due to fatal exception"""),
        PROCESSES,
        """
        life | start_ts | last_ts  | ended | fatal_said
        0    |          | 11:57:06 |       |
        1    | 12:23:36 | 12:23:36 | fatal | Exiting Kafka due to fatal exception during startup.
        2    | 12:30:50 | 12:30:50 | fatal | Exiting Kafka due to fatal exception                 """,
    )


def test_a_start_that_fails_after_a_long_recovery_is_one_life():
    same_rows(
        lives(f"""
        ts       | kind               | message
        10:00:00 | broker_starting    |
        10:40:00 | process_startup_failed | Fatal error during KafkaServer startup
        10:40:01 | broker_shutdown_begin  |
        10:40:02 | process_fatal_exit | {STARTUP_FAILS}"""),
        PROCESSES,
        "life | start_ts | last_ts | ended\n1 | 10:00:00 | 10:40:02 | fatal",
    )


def test_a_second_process_beside_a_living_one_is_not_its_restart():
    same_rows(
        lives(f"""
        ts       | kind                   | message
        08:30:34 | broker_starting        |
        08:30:35 | process_startup_failed | Failed to acquire lock on file .lock in /d. A Kafka instance in another process or thread is using this directory.
        08:30:36 | broker_shutdown_done   |
        08:30:36 | process_fatal_exit     | {STARTUP_FAILS}
        08:34:00 | isr_shrink             |
        12:03:19 | process_signal         |
        12:03:22 | broker_shutdown_done   |"""),
        PROCESSES,
        """
        life | start_ts | last_ts  | stop_ts  | ended
        1    | 08:30:34 | 08:30:36 |          |
        2    |          | 12:03:22 | 12:03:19 | stopped """,
    )
