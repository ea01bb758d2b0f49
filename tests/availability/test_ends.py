"""What ended a wait: the event at its end, with the line that shows it."""

from __future__ import annotations

from tests.availability.frames import Case
from tests.availability.test_availability import DROPPED_AT_16, FAILOVER, FAILOVER_ISRS, LED_BY_2, STARTS
from tests.each import for_each

DIED = """
    fault_id | kind   | broker_id | began_low | began_high   | ended_low | ended_high | end_ts   | ts
    died     | killed | 1         | 10:10:00  | 10:10:00.100 | {0}       | {0}        | {0}      | 10:10:00.100 """
PAUSED = DIED.replace("killed", "paused")
DELETED = """
    leader_epoch | leader_id | start_ts | end_ts
    4            | 1         | 10:00:00 | 10:10:08
    5            | -1        | 10:10:08 | 10:10:16 """
LEADS_AGAIN = """
    ts       | kind         | node_id | leader_epoch
    10:10:42 | leader_start | 1       | 4            """
IN_A_NEW_EPOCH = DROPPED_AT_16.replace("4            | 2         | 2,3 ", "5            | 2         | 2,3 ")
BEGINS = """
    ts       | kind         | node_id | leader_epoch
    10:10:16 | leader_start | 2       | 5            """
FOLLOWS_AGAIN = """
    ts       | kind           | node_id | leader_epoch | leader_id
    10:10:12 | follower_start | 1       | 4            | 2          """


@for_each(
    ("case", "end", "by", "line"),
    [
        (
            Case(leader_epochs=FAILOVER, isr_spans=FAILOVER_ISRS, faults=DIED.format("10:10:40"), events=STARTS),
            "10:10:08",
            "leader_elected",
            ["e1"],
        ),
        (Case(faults=DIED.format("10:10:40"), events=LEADS_AGAIN), "10:10:42", "leader_back", ["e1"]),
        (
            Case(leader_epochs=LED_BY_2, isr_spans=DROPPED_AT_16, faults=DIED.format("10:10:40")),
            "10:10:16",
            "isr_shrank",
            [],
        ),
        (
            Case(
                leader_epochs=LED_BY_2,
                isr_spans=DROPPED_AT_16,
                faults=DIED.format("10:10:05"),
                events=FOLLOWS_AGAIN,
            ),
            "10:10:12",
            "member_back",
            ["e1"],
        ),
        (
            Case(leader_epochs=LED_BY_2, isr_spans=IN_A_NEW_EPOCH, faults=DIED.format("10:10:40"), events=BEGINS),
            "10:10:16",
            "isr_shrank",
            [],
        ),
        (Case(faults=PAUSED.format("10:10:16")), "10:10:16", "fault_ended", []),
        (Case(leader_epochs=DELETED, isr_spans=FAILOVER_ISRS), "10:10:16", "topic_deleted", []),
    ],
    ids=[
        "another broker took up the partition",
        "the same broker did so again",
        "the leader removed the follower",
        "the follower came back before that",
        "the leader begins a leader epoch without the follower",
        "the leader woke up, and no line about the partition shows it",
        "the controller took the leader away to delete the topic",
    ],
)
def test_a_wait_has_the_event_that_ended_it(case, end, by, line):
    waits = [row for row in case.available() if row.acks == "all" and row.state != "open" and row.end_ts]
    last = next(row for row in reversed(waits) if f"{row.end_ts:%H:%M:%S}" == end)
    assert (last.ended_by, last.end_evidence) == (by, line)
