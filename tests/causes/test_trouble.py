"""Lines that tell of trouble, counted by kind, so that nothing is passed over in silence."""

from __future__ import annotations

from replay.causes.trouble import often_enough, told_errors, trouble
from replay.tables import EVENTS, UNMATCHED
from replay.tables.causes import TROUBLE
from tests.tables import rows, same, same_rows, table


def test_errors_and_losses_are_counted_by_kind_and_what_healthy_clusters_print_is_not(spark):
    """The rest of an INFO line is none."""
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind                                      | level | node_id | message    | details
        10:00:05 | describe_log_dirs_error                   | ERROR | 2       | second     |
        10:00:01 | describe_log_dirs_error                   | ERROR | 1       | first      | caused_by=java.io.IOException: bad disk
        10:00:00 | process_fatal_exit                        | FATAL | 1       | fatal      |
        10:00:09 | zk_session_expired                        | INFO  | 3       | expired    |
        10:00:10 | fetch_send_error                          | INFO  | 1       | no answer  |
        10:00:11 | fetch_send_error                          | INFO  | 1       | no answer  |
        10:00:10 | fetch_request_error                       | WARN  | 2       | bad answer |
        10:00:11 | fetch_request_error                       | WARN  | 2       | bad answer |
        10:00:12 | fetch_request_error                       | WARN  | 2       | bad answer |
        10:00:00 | broker_become_follower_leader_unavailable | ERROR | 1       | none yet   |
        10:00:00 | broker_starting                           | INFO  | 1       | starting   | """,
    )
    same(
        told_errors(told),
        TROUBLE,
        """
        kind                    | rank | ts       | end_ts   | count | nodes | example    | caused_by                     | evidence
        process_fatal_exit      | 1    | 10:00:00 | 10:00:00 | 1     | 1     | fatal      |                               | e3
        describe_log_dirs_error | 2    | 10:00:01 | 10:00:05 | 2     | 1,2   | first      | java.io.IOException: bad disk | e2,e1
        zk_session_expired      | 3    | 10:00:09 | 10:00:09 | 1     | 3     | expired    |                               | e4
        fetch_send_error        | 3    | 10:00:10 | 10:00:11 | 2     | 1     | no answer  |                               | e5,e6
        fetch_request_error     | 3    | 10:00:10 | 10:00:12 | 3     | 2     | bad answer |                               | e7,e8,e9 """,
    )


def test_lines_of_one_kind_minutes_apart_are_counted_apart(spark):
    told = table(
        spark,
        EVENTS,
        """
        ts       | kind         | level | node_id | message
                 | describe_log_dirs_error | ERROR | 1       | without a time
                 | describe_log_dirs_error | ERROR | 1       | nor this
        10:00:00 | describe_log_dirs_error | ERROR | 1       | first
        10:01:00 | describe_log_dirs_error | ERROR | 1       | again
        12:00:00 | describe_log_dirs_error | ERROR | 2       | later """,
    )
    same(
        told_errors(told),
        TROUBLE,
        """
        kind         | ts       | end_ts   | count | nodes
        describe_log_dirs_error |          |          | 2     | 1
        describe_log_dirs_error | 10:00:00 | 10:01:00 | 2     | 1
        describe_log_dirs_error | 12:00:00 | 12:00:00 | 1     | 2     """,
    )


def test_a_fetch_that_fails_twice_is_a_leader_that_moves_and_three_times_it_is_trouble():
    told = rows(
        TROUBLE,
        """
        kind                | ts       | count
        fetch_send_error    | 10:00:00 | 2
        fetch_request_error | 10:00:00 | 2
        fetch_request_error | 12:00:00 | 1
        zk_session_expired  | 10:00:00 | 1 """,
    )
    left = [(row.kind, row.count) for row in often_enough(told)]
    assert sorted(left) == [("fetch_request_error", 1), ("fetch_request_error", 2), ("zk_session_expired", 1)]


def test_where_nothing_is_told_there_is_none(spark):
    assert told_errors(EVENTS.empty(spark)).isEmpty() and not trouble([], [])


def test_errors_whose_wording_no_template_knows_are_counted_by_their_logger():
    """And what a producer or consumer warns of. Not those of other programs, nor what is no error."""
    unknown = rows(
        UNMATCHED,
        """
        normalized | logger                      | level | foreign | count | first_ts | last_ts  | example | evidence
        one <n>    | kafka.server.ReplicaManager | ERROR | false   | 3     | 10:00:05 | 10:00:09 | one 7   | a.log:5
        other      | kafka.server.ReplicaManager | FATAL | false   | 1     | 10:00:01 | 10:00:01 | other   | a.log:2
        third      | kafka.log.Log               | WARN  | false   | 1     | 10:00:00 | 10:00:00 | third   | a.log:1
        fourth     | com.example.Shop            | ERROR | true    | 1     | 10:00:00 | 10:00:00 | fourth  | a.log:9
        fifth      | org.apache.kafka.clients.producer.internals.Sender | WARN | false | 2 | 10:00:03 | 10:00:04 | fifth | a.log:7 """,
    )
    same_rows(
        trouble([], unknown),
        TROUBLE,
        """
        kind                           | rank | ts       | end_ts   | count | nodes | example | caused_by | evidence
        unknown line of ReplicaManager | 1    | 10:00:01 | 10:00:09 | 4     | []    | other   |           | a.log:2,a.log:5
        unknown line of Sender         | 3    | 10:00:03 | 10:00:04 | 2     | []    | fifth   |           | a.log:7 """,
    )
