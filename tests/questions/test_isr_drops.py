"""At whom ISR shrinks point: at the broker that was dropped, or at the leader that dropped it."""

from __future__ import annotations

from replay.causes.happenings import isr_shrinks
from replay.questions.isr_drops import isr_drops
from replay.tables import BROKER_SESSIONS, ISR_DROPS
from replay.tables.faults import FAULTS
from replay.tables.partitions import COMMITTED_ISRS, ELIGIBLE_LEADERS
from tests.tables import of_each_partition, rows, same_rows


def drops(isrs: str, sessions: str = "broker_id | end_ts", faults: str = "kind | broker_id", elrs: str = "topic"):
    """What follows from the shrinks of these ISRs, from ends of sessions, from faults, and from ELRs."""
    shrinks = of_each_partition(isr_shrinks, rows(COMMITTED_ISRS, isrs))
    return isr_drops(shrinks, rows(BROKER_SESSIONS, sessions), rows(FAULTS, faults), rows(ELIGIBLE_LEADERS, elrs))


def test_the_last_member_of_an_isr_left_it_as_it_became_empty():
    """Its session was over; a second row of the same leader epoch shows only that it left the ELR too."""
    same_rows(
        drops(
            "topic",
            elrs="""
            topic | partition | leader_epoch | leader_id | isr | elr | last_known_elr | start_ts | evidence
            a     | 0         | 2            | -1        | []  | 3   | 3              | 10:00:20 | e1
            a     | 0         | 2            | -1        | []  | []  | 3              | 10:00:22 | e2
            a     | 1         | 4            | -1        | []  | 3   | 3              | 10:00:20 | e3
            a     | 2         | 1            | 1         | 1   | 3   | []             | 10:00:15 | e4 """,
        ),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | as_session_ended | suspect_id | first_ts | last_ts  | evidence
        3         | -1        | 2     | 2                | 3          | 10:00:20 | 10:00:20 | e1,e3    """,
    )


def test_a_broker_that_several_leaders_drop_is_the_suspect():
    same_rows(
        drops("""
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1,2   | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:08     | 10:00:08 | 2         | 1,2   | e4
        b     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e5
        b     | 0         | 0        | 1            | 2               | 10:00:07     | 10:00:07 | 1         | 1,2   | e6
        b     | 0         | 0        | 1            | 3               | 10:00:11     | 10:00:11 | 1         | 1,2,3 | e7
        b     | 0         | 0        | 1            | 4               | 10:00:21     | 10:00:21 | 1         | 1,2   | e8 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | partition_count | suspect_id | first_ts | last_ts  | evidence
        3         | 1         | 3     | 2          | 3          | 10:00:07 | 10:00:21 | e6,e2,e8
        3         | 2         | 1     | 1          | 3          | 10:00:08 | 10:00:08 | e4       """,
    )


def test_a_leader_that_alone_drops_several_is_the_suspect():
    same_rows(
        drops("""
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     | 1
        3         | 1         | 1     | 1          """,
    )


def test_what_leaders_dropped_at_other_times_accuses_nobody():
    """Leader 1 drops both others as it is cut off; minutes later leader 3 is, and does so too: broker 2 is innocent."""
    same_rows(
        drops("""
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2
        b     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 3         | 1,2,3 | e3
        b     | 0         | 0        | 1            | 2               | 10:05:09     | 10:05:09 | 3         | 3     | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     | 1
        3         | 1         | 1     | 1
        1         | 3         | 1     | 3
        2         | 3         | 1     | 3          """,
    )


def test_one_leader_and_one_follower_cannot_be_distinguished_nor_can_two_that_drop_each_other():
    same_rows(
        drops("""
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1,3   | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 2         | 2,3   | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | suspect_id
        2         | 1         | 1     |
        1         | 2         | 1     |            """,
    )


def test_a_broker_whose_session_ended_is_the_suspect_whoever_dropped_it():
    same_rows(
        drops(
            """
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 2            | 2               | 10:00:09     | 10:00:09 | 1         | 1,3   | e2
        a     | 0         | 0        | 2            | 3               | 10:05:00     | 10:05:00 | 1         | 1     | e3 """,
            """
        broker_id | end_ts
        2         | 10:00:08
        3         | 10:00:08 """,
        ),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | as_session_ended | suspect_id
        2         | 1         | 1     | 1                | 2
        3         | 1         | 1     | 0                |            """,
    )


def test_a_leader_that_drops_two_is_no_suspect_where_another_leader_dropped_one_of_them():
    same_rows(
        drops("""
        topic | partition | life | leader_epoch | state_order | ts | start_ts | leader_id | isr   | evidence
        a     | 0         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 1         | 1,2,3 | e1
        a     | 0         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 1         | 1     | e2
        a     | 1         | 0        | 1            | 1               | 10:00:00     | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0        | 1            | 2               | 10:00:09     | 10:00:09 | 2         | 1,2   | e4 """),
        ISR_DROPS,
        """
        broker_id | leader_id | suspect_id
        2         | 1         |
        3         | 1         | 3
        3         | 2         | 3          """,
    )


def test_a_replica_in_a_failed_directory_left_for_that_though_its_session_ended_soon_after():
    """Recorded (3.2.3, full disk): 28 s after its directory failed, the broker is stopped, and the others leave too."""
    same_rows(
        drops(
            """
        topic | partition | life | leader_epoch | state_order | ts       | start_ts | leader_id | isr   | evidence
        a     | 0         | 0    | 1            | 1           | 10:00:00 | 10:00:00 | 2         | 1,2,3 | e1
        a     | 0         | 0    | 1            | 2           | 10:00:17 | 10:00:17 | 2         | 2,3   | e2
        a     | 1         | 0    | 1            | 1           | 10:00:00 | 10:00:00 | 2         | 1,2,3 | e3
        a     | 1         | 0    | 1            | 2           | 10:00:45 | 10:00:45 | 2         | 2,3   | e4
        a     | 0         | 0    | 1            | 3           | 10:00:50 | 10:00:50 | 2         | 1,2,3 | e5
        a     | 0         | 0    | 1            | 4           | 10:01:00 | 10:01:00 | 2         | 2,3   | e6 """,
            """
        broker_id | end_ts
        1         | 10:00:46 """,
            """
        kind      | broker_id | partitions | ts       | began_low | end_ts
        disk_full | 1         | a-0        | 10:00:15 | 10:00:09  | 10:00:47 """,
        ),
        ISR_DROPS,
        """
        broker_id | leader_id | drops | as_directory_failed | as_session_ended | suspect_id
        1         | 2         | 3     | 1                   | 2                | 1          """,
    )
