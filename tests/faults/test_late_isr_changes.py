"""ISR changes that a leader asked for and whose confirmation came late; what looks alike and is something else."""

from __future__ import annotations

import pytest

from replay.faults.late_isr_changes import isr_changes_late, late_isr_changes
from replay.sentences.faults import HOW_IT_IS_KNOWN
from replay.tables import CONTROLLERS, EVENTS
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.tables import facts, rows, same_rows

# As recorded of 2.8.1: broker 1 could send nothing to the others for 30 s.
CUT = """
    ts           | kind                        | node_id | topic  | partition | isr | logger | details       | message
    10:00:55.455 | isr_shrink                  | 1       | orders | 0         | 1   | P      | old_isr=1,2,3 | Shrinking ISR from 1,2,3 to 1
    10:01:15.274 | alter_partition_isr_updated | 3       | orders | 0         | 1   | K      |               | ISR for partition orders-0 updated to [1]
    10:01:15.292 | isr_updated                 | 1       | orders | 0         | 1   | P      |               | ISR updated to 1 and version updated to [1] """
ACTIVE = "mode | controller_id | controller_epoch | start_ts | end_ts\n zk | 3 | 1 | 09:00:00 |"


def late(lines: str):
    return late_isr_changes(rows(EVENTS, lines))


def found(lines: str = CUT, controllers: str = ACTIVE, faults: str = "kind", told: str = "kind"):
    return isr_changes_late(facts(told), late(lines), rows(CONTROLLERS, controllers), rows(FAULTS, faults))


def test_a_leader_that_waits_for_the_confirmation_of_its_isr_changes_says_from_when_to_when():
    same_rows(
        found(),
        FAULTS,
        """
        kind             | code | broker_id | ts           | end_ts       | partitions | evidence
        isr_changes_late | F23  | 1         | 10:00:55.455 | 10:01:15.292 | orders-0   | e1,e3 """,
    )
    (one,) = found()
    assert HOW_IT_IS_KNOWN.render(one.reason, one.arguments) == (
        "broker 1 asked the controller, node 3, from 10:00:55.455 on to remove brokers 2 and 3 from 1 ISR, and received the confirmation "
        "19.8 s later, by 10:01:15.292; the controller stored the change at 10:01:15.274: until then it had not received it; "
        "meanwhile those members still counted, so the high watermark stood at what they had fetched, and writers with acks=all and "
        "readers of new records waited"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10:01:15.2", "10:00:59.2"),
        ("| 1   | P      |               | ISR updated to 1 ", "| 1,2 | P      |               | ISR updated to 1,2 "),
        ("isr_updated                 | 1 ", "isr_updated                 | 2 "),
    ],
    ids=["soon", "another ISR", "another leader"],
)
def test_a_confirmation_within_seconds_and_another_decision_are_no_late_confirmation(old, new):
    assert late(CUT.replace(old, new)) == []


NEW = "Recorded new controller, from now on will use broker 10.77.0.13:9092 (id: 3 rack: null)"


@for_each(
    ("ts", "node", "channel", "count"),
    [
        ("10:01:15.260", 1, "[broker-1-to-controller-send-thread]", 0),
        ("10:01:15.260", 1, "[broker-1-to-controller-alter-partition-channel-manager]", 0),
        ("10:01:15.260", 1, "[broker-1-to-controller-heartbeat-channel-manager]", 1),
        ("10:01:15.260", 2, "[broker-2-to-controller-send-thread]", 1),
        ("10:00:50.000", 1, "[broker-1-to-controller-send-thread]", 1),
    ],
    ids=[
        "it waited for the one before",
        "likewise, later releases",
        "another channel",
        "another broker",
        "before it asked",
    ],
)
def test_a_leader_that_found_the_controller_only_then_had_asked_the_one_before(ts, node, channel, count):
    """As recorded of 2.8.2: its request waited for a former controller that was frozen, 45 s beyond the election of the
    next.
    """
    told = f"ts | kind | node_id | message\n {ts} | controller_recorded | {node} | {channel}: {NEW}"
    assert len(found(told=told)) == count


@for_each(
    ("controllers", "faults", "count"),
    [
        (ACTIVE, "kind", 1),
        ("mode", "kind", 0),
        (ACTIVE.replace("09:00:00 |", "09:00:00 | 10:01:00"), "kind", 0),
        (ACTIVE, "kind | broker_id | ts | end_ts\n paused | 3 | 10:00:50 | 10:01:10", 0),
        (ACTIVE, "kind | broker_id | ts | end_ts\n paused | 3 | 10:00:10 | 10:00:20", 1),
        (ACTIVE, "kind | broker_id | ts | end_ts\n cut_from_peers | 1 | 10:00:50 | 10:01:10", 1),
    ],
    ids=["one controller", "unknown", "it changed", "it froze", "it froze before", "the leader was cut off"],
)
def test_a_controller_that_was_away_is_no_late_confirmation(controllers, faults, count):
    assert len(found(controllers=controllers, faults=faults)) == count


def test_a_leader_that_writes_to_zookeeper_itself_waits_for_zookeeper_whoever_is_the_controller():
    (one,) = found(CUT.replace("ISR updated to 1 and version", "ISR updated to [1] and zkVersion"), controllers="mode")
    assert "broker 1 asked ZooKeeper from 10:00:55.455 on" in (HOW_IT_IS_KNOWN.render(one.reason, one.arguments) or "")
