"""Log directories that failed, filled up, or came back empty (F14, F15)."""

from __future__ import annotations

import pytest

from replay.facts.window import ALL_TIME
from replay.faults import log_dirs as stage
from replay.faults.all_faults import stopped_with_failed_disks
from replay.faults.node_lines import emptied_log_dirs
from replay.tables.brokers import PROCESSES
from replay.tables.faults import FAULTS
from replay.tables.row import Row
from tests.faults.given import damaged_partitions, facts, timings
from tests.nodes import of_nodes
from tests.tables import rows, same_rows

STARTED = """
        node_id | life | first_ts
        2       | 0    | 10:00:00 """


def test_a_log_directory_that_its_broker_gave_up():
    told = facts("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: Input/output error
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1                                                   """)
    same_rows(
        stage.log_dirs_failed(told, rows(PROCESSES, STARTED), timings()),
        FAULTS,
        """
        kind           | code | broker_id | ts
        log_dir_failed | F14  | 2         | 10:05:00 """,
    )


def test_what_the_first_exception_says_is_reported(said):
    told = facts("""
        ts       | kind                  | node_id | details
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: Read-only file system
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1                                                    """)
    assert said(stage.log_dirs_failed(told, rows(PROCESSES, STARTED), timings())) == [
        "broker 2 took the log directory /data1 offline after an I/O error: Read-only file system"
    ]


def test_a_full_disk_is_said():
    told = facts("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: No space left on device
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1                                                        """)
    same_rows(
        stage.log_dirs_failed(told, rows(PROCESSES, STARTED), timings()),
        FAULTS,
        """
        code | broker_id
        F15  | 2         """,
    )


def test_no_space_left_is_a_full_disk_also_where_the_rest_of_the_file_is_missing(said):
    """A pasted line, of nobody knows which broker; another error alone may be one that the broker got over."""
    told = facts("""
        ts       | kind           | node_id | details
        10:05:00 | log_dir_failed |         | dir=/data1;exception=java.io.IOException: No space left on device
        10:05:00 | log_dir_failed | 3       | dir=/data1;exception=java.io.IOException: Input/output error """)
    found = stage.log_dirs_failed(told, rows(PROCESSES, STARTED), timings())
    same_rows(found, FAULTS, "kind | code | broker_id | ts\ndisk_full | F15 | | 10:05:00")
    assert said(found) == ["no space was left on the device, log directory /data1"]


def test_an_error_of_a_directory_as_the_broker_stops_is_no_failure():
    told = facts("""
        ts       | kind                  | node_id | details
        10:00:00 | broker_starting       | 2       |
        10:05:00 | process_signal        | 2       |
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1 """)
    stopping = rows(
        PROCESSES,
        """
        node_id | life | first_ts | stop_ts
        2       | 0    | 10:00:00 | 10:05:00 """,
    )
    assert not stage.log_dirs_failed(told, stopping, timings())


AGAIN = """
        ts       | kind                  | node_id | details
        10:00:09 | broker_started        | 2       |
        10:05:00 | log_dir_failed        | 2       | dir=/data1;exception=java.io.IOException: Input/output error
        10:05:01 | log_dir_failure_begin | 2       | dir=/data1
        {started} | broker_started        | 2       |
        10:10:05 | log_dir_failed        | 2       | dir={dir};exception=java.io.IOException: Input/output error
        10:10:06 | log_dir_failure_begin | 2       | dir={dir} """


@pytest.mark.parametrize(
    ("started", "dir", "failures"),
    [("10:10:09", "/data1", 1), ("10:10:04", "/data1", 2), ("10:10:09", "/data2", 2)],
    ids=["it-still-fails-as-the-broker-starts", "it-fails-anew", "another-directory"],
)
def test_a_directory_that_still_fails_at_the_next_start_is_one_failure(said, started, dir, failures):
    lives = """
        node_id | life | start_ts | first_ts | stop_ts  | next_start_ts
        2       | 0    | 10:00:00 | 10:00:00 | 10:09:00 | 10:10:00
        2       | 1    | 10:10:00 | 10:10:00 |          |               """
    found = stage.log_dirs_failed(facts(AGAIN.format(started=started, dir=dir)), rows(PROCESSES, lives), timings())
    assert len(found) == failures
    assert found[0].end_ts == (None if failures == 1 else rows(PROCESSES, lives)[1].start_ts)
    assert ("it still failed as the broker started at 10:10:00.000" in said(found)[0]) is (failures == 1)


def test_a_failed_directory_is_over_between_the_end_of_its_process_and_the_start_of_the_next():
    """The order to stop came at 10:09:00, the first line of the next process at 10:10:00; a process that died has a last line."""
    lives = """
        node_id | life | start_ts | first_ts | last_ts  | stop_ts | next_start_ts
        2       | 0    | 10:00:00 | 10:00:00 | 10:09:03 | {stop}  | 10:10:00
        2       | 1    | 10:10:00 | 10:10:00 |          |         |               """
    told = facts(AGAIN.format(started="10:10:04", dir="/data2"))
    for stop, earliest in (("10:09:00", "10:09:00"), ("", "10:09:03")):
        first, again = stage.log_dirs_failed(told, rows(PROCESSES, lives.format(stop=stop)), timings())
        assert f"{first.ended_low:%H:%M:%S} {first.ended_high:%H:%M:%S}" == f"{earliest} 10:10:00"
        assert again.ended_low is again.ended_high is None  # these logs show no end of it


EMPTY_AGAIN = """
        ts       | kind                  | node_id | topic  | partition | details
        10:00:00 | log_manager_load_done | 1       |        |           | num_logs=0
        10:00:09 | leader_start          | 1       | orders | 0         |
        10:00:09 | follower_start        | 1       | orders | 1         |
        10:30:00 | log_manager_load_done | 1       |        |           | num_logs={logs}
        10:30:09 | leader_start          | {node}       | orders | 0         | """


def emptied(logs: int, node: int) -> list[Row]:
    return of_nodes(emptied_log_dirs, facts(EMPTY_AGAIN.format(logs=logs, node=node)), ALL_TIME)


@pytest.mark.parametrize(
    ("logs", "node"), [(2, 1), (0, 2)], ids=["it-finds-its-logs", "nothing-of-what-it-held-is-given-to-it-again"]
)
def test_a_start_without_logs_is_no_fault_by_itself(logs, node):
    assert not stage.log_dirs_empty(emptied(logs, node))


def test_a_broker_that_comes_back_without_the_logs_it_held_lost_its_directories():
    same_rows(
        stage.log_dirs_empty(emptied(logs=0, node=1)),
        FAULTS,
        """
        kind           | code | broker_id | ts       | end_ts   | partitions | evidence
        log_dirs_empty | F14  | 1         | 10:30:00 | 10:30:00 | orders-0   | e4,e2,e5 """,
    )


_DAMAGED = """
    ts       | kind                  | node_id | topic  | partition | leader_id | isr   | event_id | details
    10:00:00 | leader_start          | 1       | orders | 0         |           | 1,2,3 | led      |
    10:01:00 | isr_updated           | 1       | orders | 0         |           | {isr} | dropped  |
    10:02:00 | fetch_corrupt_records | 3       | orders | 0         | {leader}  |       | c1       | fetch_offset=180;exception=o.a.k.CorruptRecordException: Record is corrupt (stored crc = 19)
    10:02:01 | fetch_corrupt_records | 3       | orders | 0         | {leader}  |       | c2       | fetch_offset=180;exception=o.a.k.CorruptRecordException: Record is corrupt (stored crc = 19)
    {last}   | fetch_corrupt_records | 3       | orders | 0         | {leader}  |       | c3       | fetch_offset=180;exception=o.a.k.CorruptRecordException: Record is corrupt (stored crc = 19) """


@pytest.mark.parametrize(
    ("leader", "isr", "otherwise"),
    [
        (
            "1",
            "1,2",
            "; broker 2 fetched it before and may hold an undamaged copy: with that replica as leader the others could follow",
        ),
        (
            "",
            "1,2",
            "; broker 2 fetched it before and may hold an undamaged copy: with that replica as leader the others could follow",
        ),  # up to 1.0 the line does not name the leader
        ("1", "1", "; no other in-sync replica is known to hold an undamaged copy"),
    ],
)
def test_records_that_a_follower_finds_damaged_fetch_after_fetch(said, leader, isr, otherwise):
    """Bytes that rot on the leader's disk while a follower is away (recorded anew: 3.9.1)."""
    found = stage.records_damaged(damaged_partitions(facts(_DAMAGED.format(leader=leader, isr=isr, last="10:02:30"))))
    same_rows(
        found,
        FAULTS,
        """
        kind            | code | broker_id | ts       | end_ts   | partitions | evidence
        records_damaged | F14  | 1         | 10:02:00 | 10:02:30 | orders-0   | c1,c2,c3 """,
    )
    assert said(found) == [
        "broker 3 could not fetch orders-0 from broker 1 at offset 180, in 3 attempts until 10:02:30.000: the records that broker 1 sends there are damaged "
        f"(CorruptRecordException: Record is corrupt (stored crc = 19)){otherwise}"
    ]


def test_a_batch_that_was_damaged_on_its_way_is_no_fault():
    assert not stage.records_damaged(damaged_partitions(facts(_DAMAGED.format(leader=1, isr="1,2", last="10:02:02"))))


@pytest.mark.parametrize(
    ("again", "last", "is_told"), [("10:01:12", "10:02:10", True), ("10:00:36", "10:00:40", False)]
)
def test_directories_that_no_controller_takes_try_after_try(again, last, is_told):
    found = stage.directories_not_assigned(
        facts(
            f"""
        ts       | kind              | level | node_id | topic  | partition | details
        10:00:00 | assign_dirs_event | ERROR | 2       |        |           | error=NOT_CONTROLLER
        10:00:20 | assign_dirs_event | INFO  | 2       |        |           |
        10:00:30 | assign_dirs_event | ERROR | 2       | orders | 3         | error=NOT_CONTROLLER
        {again}  | assign_dirs_event | ERROR | 2       |        |           | error=NOT_CONTROLLER
        10:01:20 | assign_dirs_event | INFO  | 2       |        |           |
        {last}   | assign_dirs_event | ERROR | 2       |        |           | error=NOT_CONTROLLER"""
        )
    )
    same_rows(
        found,
        FAULTS,
        f"""
        kind               | code | broker_id | ts       | end_ts   | partitions
        {"directories_untold | F14  | 2         | 10:00:00 | 10:02:10 | orders-3" if is_told else ""} """,
    )


@pytest.mark.parametrize(
    ("of", "back", "gave_up", "kind"),
    [
        (1, "10:06:00", "", "stopped_with_failed_disk"),
        (1, "", "", "stopped_with_failed_disk"),
        (2, "10:06:00", "", "stopped_uncleanly"),
        (1, "10:04:00", "", "stopped_uncleanly"),
        (1, "10:06:00", ";gave_up=yes", "stopped_uncleanly"),
    ],
    ids=["while-it-failed", "not-back", "of-another-broker", "back-before", "whose-controlled-shutdown-failed"],
)
def test_a_stop_that_left_no_marker_where_a_directory_had_failed(said, of, back, gave_up, kind):
    """Broker 1 was told to stop, and its next start found no clean-shutdown marker."""
    known = rows(
        FAULTS,
        f"""
        kind              | code | broker_id | ts       | began_low | end_ts   | reason       | arguments
        disk_full         | F15  | {of}      | 10:00:00 | 10:00:00  | {back}   | had_no_space | broker=1
        stopped_uncleanly | F02  | 1         | 10:05:00 | 10:05:00  | 10:06:00 | told_to_stop | node=1;recovered=yes{gave_up} """,
    )
    stop = stopped_with_failed_disks(known)[1]
    assert (stop.kind, stop.code, stop.broker_id) == (kind, "F02", 1)
    assert (stop.fault_id or kind).startswith(kind)
    assert ("the one that had failed before the stop" in said([stop])[0]) is (kind == "stopped_with_failed_disk")
