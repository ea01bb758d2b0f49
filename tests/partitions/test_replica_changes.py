"""Which replicas a partition had before and after a reassignment."""

from __future__ import annotations

import pytest

from replay.partitions.lives import TopicLives
from replay.partitions.replica_changes import replica_changes
from replay.tables import EVENTS
from replay.tables.partitions import ASSIGNMENTS, COMMITTED_ISRS, REPLICA_CHANGES, ROLE_LINES, TOPIC_LIVES
from tests.tables import rows, same_rows

SPANS = """
    topic  | life | partition | leader_epoch | state_order | leader_id | isr   | replicas | start_ts | evidence
    clicks | 0    | 0         | 0            | 0           | 1         | 1,2,3 | 1,2,3    | 10:00:00 | created
    clicks | 0    | 0         | 1            | 1           | 1         | 1,3   | {after}  | 10:05:01 | led """
DELETED = """
    event_id | ts       | kind        | node_id | topic  | partition
    gone     | 10:05:00 | log_deleted | 2       | clicks | 0 """


def changes(spans, events=DELETED, assigned="topic", roles="topic", lives="topic"):
    return replica_changes(
        rows(COMMITTED_ISRS, spans),
        rows(ASSIGNMENTS, assigned),
        rows(EVENTS, events),
        rows(ROLE_LINES, roles),
        TopicLives(rows(TOPIC_LIVES, lives)),
    )


CHANGE = """
    topic  | partition | ts       | last_ts  | before | after | deleted_on
    clicks | 0         | 10:05:00 | 10:05:01 | 1,2,3  | 3,1   | 2 """


def test_states_before_and_after_show_a_change():
    same_rows(changes(SPANS.format(after="3,1")), REPLICA_CHANGES, CHANGE)


def test_a_deleted_log_shows_a_change_that_no_line_states():
    same_rows(
        changes(SPANS.format(after="")), REPLICA_CHANGES, CHANGE.replace("3,1", "1,3").replace("10:05:01", "10:05:00")
    )


def test_a_description_at_the_end_is_dated_by_the_deleted_log():
    told = "topic | partition | assigned | described\n clicks | 0 | 1,2,3 | 3,1"
    same_rows(
        changes(SPANS.format(after="1,2,3"), assigned=told),
        REPLICA_CHANGES,
        CHANGE.replace("10:05:01", "10:05:00"),
    )
    assert changes(SPANS.format(after="1,2,3"), "event_id", told) == []  # no line dates it


def test_the_replicas_before_are_those_described_and_those_that_deleted_their_logs():
    """The creation of the partition is not among the lines."""
    told = "topic | partition | assigned | described\n clicks | 0 | | 3,1"
    same_rows(
        changes(SPANS.replace("| 1,2,3    |", "|          |").format(after="3,1"), assigned=told),
        REPLICA_CHANGES,
        CHANGE.replace("1,2,3", "3,1,2"),
    )


def test_a_follower_that_left_the_isr_is_still_a_replica():
    assert changes(SPANS.format(after=""), "event_id") == []


def test_a_broker_that_has_a_role_after_it_deleted_a_log_is_still_a_replica():
    roles = "topic | partition | node_id | leader_epoch | ts | kind\n clicks | 0 | 2 | 1 | 10:05:02 | leader_start"
    assert changes(SPANS.format(after=""), roles=roles) == []


def test_a_deleted_topic_lost_no_replica():
    ended = "topic | boundaries | ends\n clicks | | 10:05:00"
    assert changes(SPANS.format(after=""), lives=ended) == []
    only_created = SPANS.rpartition("\n")[0]
    assert changes(only_created) == []  # its deletion is not logged, and no ISR follows


@pytest.mark.parametrize(
    ("both", "target"),
    [
        ("1,2,3,4 |", "1,2,4 |"),
        (
            "| assignment=ReplicaAssignment(replicas=1,2,4,3, addingReplicas=4, removingReplicas=3)",
            "| assignment=ReplicaAssignment(replicas=1,2,4, addingReplicas=, removingReplicas=)",
        ),
    ],
)
def test_the_replicas_of_a_reassignment_in_progress_are_no_state_of_their_own(both, target):
    """As ZooKeeper's controllers print them before 2.4 and since."""
    events = f"""
    event_id | ts       | kind                                   | node_id | topic  | partition | replicas | details
    both     | 10:05:00 | controller_reassign_assignment_updated | 1       | clicks | 0         | {both}
    target   | 10:06:00 | controller_reassign_assignment_updated | 1       | clicks | 0         | {target} """
    same_rows(
        changes(SPANS.rpartition("\n")[0], events),
        REPLICA_CHANGES,
        """
    topic  | partition | ts       | before | after
    clicks | 0         | 10:06:00 | 1,2,3  | 1,2,4 """,
    )


def test_another_order_of_the_replicas_counts_only_with_a_request():
    moved = "topic | partition | assigned | moved_ts\n clicks | 0 | 1,2,3 | {ts}"
    spans = SPANS.format(after="3,2,1")
    assert changes(spans, "event_id", moved.format(ts="")) == []
    assert [one.after for one in changes(spans, "event_id", moved.format(ts="10:05:00"))] == [[3, 2, 1]]
