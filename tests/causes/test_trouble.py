"""Lines that tell of trouble, counted by kind, so that nothing is passed over in silence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import permutations

from replay.causes.logged_errors import all_logged_errors, logged_errors
from replay.causes.trouble import often_enough, trouble
from replay.facts.window import ALL_TIME
from replay.tables import EVENTS, UNMATCHED
from replay.tables.causes import TROUBLE
from replay.tables.row import Row
from tests.nodes import of_nodes
from tests.tables import rows, same_rows


def told_of(told: Iterable[Row]) -> list[Row]:
    return all_logged_errors(of_nodes(logged_errors, told, ALL_TIME))


def test_errors_and_losses_are_counted_by_kind_and_what_healthy_clusters_print_is_not():
    """The rest of an INFO line is none."""
    told = rows(
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
    same_rows(
        told_of(told),
        TROUBLE,
        """
        kind                    | rank | ts       | end_ts   | count | nodes | example    | caused_by                     | evidence
        process_fatal_exit      | 1    | 10:00:00 | 10:00:00 | 1     | 1     | fatal      |                               | e3
        describe_log_dirs_error | 2    | 10:00:01 | 10:00:05 | 2     | 1,2   | first      | java.io.IOException: bad disk | e2,e1
        zk_session_expired      | 3    | 10:00:09 | 10:00:09 | 1     | 3     | expired    |                               | e4
        fetch_send_error        | 3    | 10:00:10 | 10:00:11 | 2     | 1     | no answer  |                               | e5,e6
        fetch_request_error     | 3    | 10:00:10 | 10:00:12 | 3     | 2     | bad answer |                               | e7,e8,e9 """,
    )


def test_lines_of_one_kind_minutes_apart_are_counted_apart():
    told = rows(
        EVENTS,
        """
        ts       | kind         | level | node_id | message
                 | describe_log_dirs_error | ERROR | 1       | without a time
                 | describe_log_dirs_error | ERROR | 1       | nor this
        10:00:00 | describe_log_dirs_error | ERROR | 1       | first
        10:01:00 | describe_log_dirs_error | ERROR | 1       | again
        12:00:00 | describe_log_dirs_error | ERROR | 2       | later """,
    )
    same_rows(
        told_of(told),
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


def test_the_order_in_which_nodes_are_put_together_changes_nothing():
    """The first of all lines is the example, whichever node prints it; at most eight are shown."""
    told = [
        line.but(node_id=1 + n % 3, message=f"line {n}", ts=line.ts and line.ts + timedelta(milliseconds=7 * n % 50))
        for n, line in enumerate(
            rows(EVENTS, "ts | kind | level" + "\n 10:00:00 | describe_log_dirs_error | ERROR" * 30)
        )
    ]
    partial = of_nodes(logged_errors, told, ALL_TIME)
    for some in permutations(partial):
        one_by_one: list[Row] = []
        for row in some:
            one_by_one = all_logged_errors([*one_by_one, row])
        assert one_by_one == all_logged_errors(some) == told_of(told)
    (row,) = told_of(told)
    first = sorted(told, key=lambda line: (line.ts, line.event_id))[:8]
    assert (row.count, row.nodes, row.example) == (30, [1, 2, 3], first[0].message)
    assert (row.evidence, row.evidence_times) == ([line.event_id for line in first], [line.ts for line in first])


def test_where_nothing_is_reported_there_is_none():
    assert told_of([]) == [] and not trouble([], [])


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
