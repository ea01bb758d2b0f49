"""Which replicas a partition is assigned to, from the first line that says it."""

from __future__ import annotations

import pytest

from replay.facts.groups import grouped
from replay.facts.window import ALL_TIME, KafkaEvents
from replay.partitions.assignments import KINDS, Assigned, assignments, named_partitions
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.listed_assignments import ListedAssignments
from replay.tables import EVENTS
from replay.tables.partitions import ASSIGNMENTS, COMMITTED_ISRS
from tests.tables import facts, rows, same_rows


def assigned(text):
    """The assignments of all partitions that events name, partition by partition."""
    told = facts(text)
    listed, moves = ListedAssignments(told), BrokerMoves.of(told)
    of_partitions = grouped(rows(EVENTS, text), lambda event: (event.topic, event.partition))
    return [
        row
        for (topic, _), events in of_partitions.items()
        if topic is not None
        for row in assignments(
            _about_replicas(events), [], named_partitions(events, KafkaEvents(ALL_TIME)), listed, moves
        )
    ]


def _about_replicas(events):
    """The lines that a pass hands to `assignments`."""
    return [event for event in events if event.kind in KINDS]


def filled(spans, told):
    """The replicas of ISRs, by topic, partition and leader epoch."""
    of_partition = grouped(told, lambda row: (row.topic, row.partition))
    return [
        span.but(replicas=Assigned(of_partition.get((span.topic, span.partition), ())).replicas_of(span))
        for span in rows(COMMITTED_ISRS, spans)
    ]


def test_no_events_no_assignments():
    assert assigned("ts") == []


def test_the_first_assignment_logged_is_kept_and_a_file_without_time_comes_last():
    """A reassignment changes the replicas; what is described at the end is asked for only where nothing was said before."""
    same_rows(
        assigned(
            """
        ts       | kind                    | topic  | partition | replicas
        10:00:09 | partition_state_new     | orders | 0         | 4,5,6
        10:00:01 | kraft_partition_created | orders | 0         | 1,2,3
                 | described_partition     | orders | 0         | 4,5,6
                 | described_partition     | orders | 1         | 2,3,1
        10:00:02 | leader_start            | orders | 2         | 1,2,3    """
        ),
        ASSIGNMENTS,
        """
        topic  | partition | assigned
        orders | 0         | 1,2,3
        orders | 1         | 2,3,1    """,
    )


@pytest.mark.parametrize(
    ("broker", "expected"),
    [(2, "orders | 0         |          | 3,1       | 09:59:52"), (1, "orders | 0         | 3,1      | 3,1       |")],
)
def test_a_description_is_no_first_assignment_where_another_broker_deleted_its_log(broker, expected):
    """A broker that is described deletes a log to load it anew."""
    same_rows(
        assigned(f"""
        ts       | kind                | node_id | topic  | partition | replicas
        10:00:02 | log_deleted         | {broker} | orders | 0         |
                 | described_partition |         | orders | 0         | 3,1 """),
        ASSIGNMENTS,
        f"""
        topic  | partition | assigned | described | moved_ts
        {expected} """,
    )


def test_a_list_of_many_partitions_is_read_as_each_release_prints_it():
    listed = ListedAssignments(
        facts("""
        ts       | kind                             | message
        10:00:01 | controller_topic_change          | New topics: [Set(a.b-c)], new partition replica assignment [Map(a.b-c-0 -> Vector(3, 1, 2), a.b-c-11 -> Vector(1,2,3))]
        10:00:02 | controller_topic_change          | [Set(TopicIdReplicaAssignment(d,None,Map(d-0 -> ReplicaAssignment(replicas=2,3,1, addingReplicas=, removingReplicas=))))]
        10:00:03 | topic_created                    | Topic creation Map(e-0 -> ArrayBuffer(5, 6))
        10:00:04 | controller_auto_rebalance_detail | Preferred replicas by broker Map(7 -> Map(f-0 -> List(7)))
        10:00:05 | any                              | g-0 -> List(1) """)
    )
    named = [("a.b-c", 0), ("a.b-c", 11), ("d", 0), ("e", 0), ("f", 0), ("g", 0)]
    assert [[replicas for _, replicas in listed.first(*one)] for one in named] == [
        [[3, 1, 2]],
        [[1, 2, 3]],
        [[2, 3, 1]],
        [[5, 6]],
        [[7]],
        [],
    ]


def test_of_two_lines_that_state_an_assignment_the_first_counts():
    """A line that lists many partitions counts as one that names a single one does, if any line names the partition."""
    same_rows(
        assigned("""
        ts       | kind                             | topic  | partition | replicas | message
        10:00:04 | controller_auto_rebalance_detail |        |           |          | Map(1 -> Map(orders-0 -> List(1, 2), clicks-0 -> List(3, 1), views-0 -> List(2, 3), unnamed-0 -> List(1)))
        10:00:06 | isr_shrink                       | views  | 0         |          |
        10:00:05 | partition_state_new              | orders | 0         | 2,3      |
        10:00:03 | partition_state_new              | clicks | 0         | 1,2      | """),
        ASSIGNMENTS,
        """
        topic  | partition | assigned
        orders | 0         | 1,2
        views  | 0         | 2,3
        clicks | 0         | 1,2 """,
    )


def test_spans_without_replicas_get_the_assignment_and_others_keep_their_own():
    told = rows(ASSIGNMENTS, "topic | partition | assigned\n orders | 0 | 1,2,3")
    same_rows(
        filled(
            """
        topic  | partition | leader_epoch | replicas | isr
        orders | 0         | 0            |          | 1,2
        orders | 0         | 1            | 4,5,6    | 4,5
        orders | 1         | 0            |          | 1   """,
            told,
        ),
        COMMITTED_ISRS,
        """
        topic  | partition | leader_epoch | replicas | isr
        orders | 0         | 0            | 1,2,3    | 1,2
        orders | 0         | 1            | 4,5,6    | 4,5
        orders | 1         | 0            |          | 1   """,
    )


def test_once_a_partition_may_have_been_moved_its_replicas_are_those_described_at_the_end_or_none():
    """A request of which no line names a partition may have moved any, but for those that are described as they were."""
    told = assigned(
        """
        ts       | kind                      | topic  | partition | replicas
        10:00:00 | kraft_partition_created   | clicks | 0         | 1,2,3
        10:00:00 | kraft_partition_created   | orders | 0         | 1,2,3
        10:00:00 | kraft_partition_created   | other  | 0         | 1,2,3
        10:05:00 | kraft_reassignment_result |        |           |
                 | described_partition       | clicks | 0         | 3,1
                 | described_partition       | orders | 0         | 1,2,3 """
    )
    spans = """
        topic  | partition | leader_epoch | isr   | start_ts | end_ts   | replicas
        clicks | 0         | 0            | 1,2,3 | 10:00:00 | 10:05:01 | 1,2,3
        clicks | 0         | 1            | 1,2   | 10:05:01 | 10:05:30 | 1,2,3
        clicks | 0         | 2            | 1,3   | 10:05:30 | 10:06:00 | 1,2,3
        clicks | 0         | 3            | 1     | 10:06:00 |          |
        orders | 0         | 1            | 1,2   | 10:05:01 |          | 1,2,3
        other  | 0         | 1            | 1,2   | 10:05:01 |          |       """
    same_rows(
        filled(spans, told),
        COMMITTED_ISRS,
        """
        topic  | leader_epoch | replicas
        clicks | 0            | 1,2,3
        clicks | 1            |
        clicks | 2            | 3,1
        clicks | 3            | 3,1
        orders | 1            | 1,2,3
        other  | 1            |          """,
    )
