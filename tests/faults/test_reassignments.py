"""A reassignment is known by its request and by what it changed (F18)."""

from __future__ import annotations

from replay.faults.reassignments import reassigned
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables.faults import FAULTS
from replay.tables.partitions import REPLICA_CHANGES
from tests.faults.given import facts, moved_partitions
from tests.tables import rows, same_rows

ACCEPTED = """
        ts       | kind                      | node_id
        10:00:00 | kraft_reassignment_result | 2 """
LOWERED = """
        topic  | partition | ts       | last_ts  | before | after | deleted_on | evidence
        clicks | 0         | 10:00:01 | 10:00:02 | 1,2,3  | 3,1   | 2          | a
        clicks | 1         | 10:00:01 | 10:00:03 | 2,3,1  | 1,2   | 3          | b """


def found(lines, changes="topic", **min_isr):
    return reassigned(moved_partitions(facts(lines)), rows(REPLICA_CHANGES, changes), min_isr)


def texts(faults):
    return [HOW_IT_IS_KNOWN.render(one.reason, one.arguments) for one in faults]


def test_requests_minutes_apart_are_faults_of_their_own():
    same_rows(
        found("""
        ts       | kind                         | node_id | topic  | partition
        10:00:00 | kraft_reassignment_replayed  | 101     | orders | 0
        10:00:01 | kraft_reassignment_replayed  | 101     | orders | 1
        10:10:00 | kraft_reassignment_replayed  | 101     | clicks | 0         """),
        FAULTS,
        """
        kind       | code | ts       | end_ts   | partitions
        reassigned | F18  | 10:00:00 | 10:00:01 | orders-0,orders-1
        reassigned | F18  | 10:10:00 | 10:10:00 | clicks-0          """,
    )


def test_a_request_of_which_nothing_was_accepted_moves_nothing():
    line = "ts | kind | node_id | details\n 10:00:00 | kraft_reassignment_result | 2 | successful_alterations={}; total_alterations=6"
    assert found(line.format(0)) == []
    assert [one.kind for one in found(line.format(3))] == ["reassigned"]


def test_a_lowered_replication_factor_is_a_fault_with_its_partitions_until_the_last_change():
    faults = found(ACCEPTED, LOWERED, clicks=1)
    same_rows(
        faults,
        FAULTS,
        """
        kind                       | code | ts       | end_ts   | partitions
        replication_factor_lowered | F18  | 10:00:00 | 10:00:03 | clicks-0,clicks-1 """,
    )
    assert texts(faults) == [
        "2 partitions of clicks were reassigned by request, from 3 to 2 replicas each; brokers 2 and 3 scheduled 2 replicas "
        "of them for deletion; if one broker fails, a single copy is left, whose leader still acknowledges writes with acks=all "
        "(min.insync.replicas=1)"
    ]


def test_what_one_failure_does_depends_on_min_insync_replicas():
    assert texts(found(ACCEPTED, LOWERED, clicks=2))[0].endswith(
        "; if one broker fails, writes with acks=all stop (min.insync.replicas=2)"
    )
    assert texts(found(ACCEPTED, LOWERED))[0].endswith("; if one broker fails, a single copy is left")


def test_a_change_without_a_line_about_its_request_says_so():
    faults = found("ts", LOWERED, clicks=1)
    assert [(one.kind, one.partitions) for one in faults] == [("replication_factor_lowered", ["clicks-0", "clicks-1"])]
    assert "; no line of these files shows the request;" in texts(faults)[0]


def test_replicas_that_only_move_lower_nothing():
    """The harmless look-alike: as many replicas as before, on other brokers."""
    faults = found(
        ACCEPTED,
        """
        topic  | partition | ts       | before | after | deleted_on | evidence
        orders | 0         | 10:30:00 | 1,2,3  | 1,2,4 | 3          | a """,
        orders=2,
    )
    assert [(one.kind, texts([one])[0]) for one in faults] == [
        (
            "reassigned",
            "1 partition of orders was reassigned by request; broker 3 scheduled 1 replica of it for deletion",
        )
    ]


def test_one_request_that_lowers_one_topic_and_raises_another_is_two_faults():
    faults = found(
        ACCEPTED,
        """
        topic  | partition | ts       | before | after | deleted_on | evidence
        clicks | 0         | 10:00:01 | 1,2,3  | 3     | 1,2        | a
        orders | 0         | 10:00:01 | 1,2    | 1,2,3 | []         | b """,
    )
    assert [(one.kind, one.arguments["before"], one.arguments["after"]) for one in faults] == [
        ("replication_factor_lowered", "3", "1"),
        ("reassigned", "2", "3"),
    ]
    assert texts(faults)[0].endswith("; the one replica left is the only copy")
