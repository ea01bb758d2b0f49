"""Logs that came back shorter than they had been: only a machine or a disk that fails loses what a process wrote."""

from __future__ import annotations

from replay.histories.cluster import Cluster
from replay.histories.shortened import all_shortened_logs, shortened_logs
from replay.tables import HIGH_WATERMARKS
from replay.tables.brokers import PROCESSES
from replay.tables.offsets import FETCH_POSITIONS, SHORTENED_LOGS
from tests.each import for_each
from tests.tables import of_each_partition, rows, same_rows

KILLED = """
    node_id | life | last_ts  | ended   | next_start_ts
    1       | 0    | 10:10:00 | killed  | 10:20:00
    2       | 0    | 10:10:00 | stopped | 10:20:00      """
FETCHED = """
    topic | partition | ts       | node_id | leader_id | log_end_offset | event_id
    a     | 0         | 10:09:59 | 1       | 3         | 433            | f1
    a     | 1         | 10:09:59 | 1       | 3         | 500            | f1
    a     | 0         | 10:09:59 | 2       | 3         | 433            | f2
    d     | 0         | 10:10:01 | 2       | 1         | 90             | f2       """
HEAD = "topic | partition | node_id | ts | source | log_end_offset | evidence"


def found(*marks: str, fetches: str = FETCHED):
    cluster = Cluster.of(rows(PROCESSES, KILLED), [], [], [], [])
    each = of_each_partition(
        shortened_logs,
        rows(HIGH_WATERMARKS, "\n".join([HEAD, *marks])),
        rows(FETCH_POSITIONS, fetches),
        histories_cluster=cluster,
        lives=cluster.lives,
    )
    return all_shortened_logs(each)


def test_logs_that_had_reached_more_are_counted_by_start_with_the_one_that_lost_the_most():
    same_rows(
        found(
            "a | 0 | 1 | 10:20:03 | log_load_completed | 313 | l0",
            "a | 1 | 1 | 10:20:03 | log_load_completed | 313 | l1",
            "b | 0 | 1 | 10:00:00 | isr_shrink | 70 | s",
            "b | 0 | 1 | 10:20:03 | log_load_completed | 60 | l2",
            "c | 0 | 1 | 10:20:03 | log_load_completed | 60 | l3",
            "d | 0 | 1 | 10:20:03 | log_load_completed | 80 | l4",
        ),
        SHORTENED_LOGS,
        """
        node_id | start_ts | logs | topic | partition | held_offset | log_end_offset | evidence
        1       | 10:20:00 | 4    | a     | 1         | 500         | 313            | f1,l1,l0,s,l2 """,
    )


@for_each(
    "marks",
    [
        ("a | 0 | 1 | 10:20:03 | log_load_completed | 433 | l0",),  # a killed process: the page cache kept all of it
        ("a | 0 | 2 | 10:20:03 | log_load_completed | 313 | l0",),  # an ordered stop
        ("a | 0 | 1 | 10:20:03 | log_load_completed | 0 | l0",),  # its files were removed
        (  # it cut its log to follow another leader, and had copied less by its death
            "a | 0 | 1 | 10:09:59.5 | log_truncated_to | 300 | c",
            "a | 0 | 1 | 10:20:03 | log_load_completed | 313 | l0",
        ),
        (  # the replica was moved away and back
            "a | 0 | 1 | 10:09:59.5 | partition_log_loaded | | c",
            "a | 0 | 1 | 10:20:03 | log_load_completed | 313 | l0",
        ),
        ("a | 0 | 1 | 10:08:00 | leader_start | 313 | l0",),  # no line shows its log after the start
    ],
    ids=["process-killed", "stopped", "emptied", "truncated-before", "moved", "not-loaded"],
)
def test_a_log_that_is_no_shorter_for_certain_is_none(marks):
    assert found(*marks) == []


def test_damaged_ends_of_two_logs_are_more_than_a_write_that_a_kill_interrupted():
    """As recorded of 3.9.1: recovery truncates three logs whose last records were lost, and no line shows how long they were."""
    first = (
        "a | 0 | 1 | 10:20:02 | log_recovery_truncated | 433 | c0",
        "a | 0 | 1 | 10:20:03 | log_load_completed | 433 | l0",
    )
    second = (
        "b | 0 | 1 | 10:20:02 | log_recovery_truncated | 60 | c1",
        "b | 0 | 1 | 10:20:03 | log_load_completed | 60 | l1",
    )
    assert found(*first) == []
    same_rows(
        found(*first, *second),
        SHORTENED_LOGS,
        """
        node_id | start_ts | logs | topic | partition | held_offset | log_end_offset | evidence
        1       | 10:20:00 | 2    | b     | 0         |             | 60             | c1,c0     """,
    )
    shorter = "b | 0 | 1 | 10:00:00 | isr_shrink | 70 | s"
    same_rows(found(*first, *second, shorter), SHORTENED_LOGS, "logs | topic | held_offset\n1 | b | 70")
