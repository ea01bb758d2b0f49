"""When a KRaft controller removed a broker from leaders and ISRs: by the line of the change, not of the decision."""

from __future__ import annotations

import pytest

from replay.partitions.broker_moves import BrokerMoves
from tests.tables import facts


@pytest.mark.parametrize(
    ("change", "node", "context", "dated_by"),
    [
        ("10:00:00.005", 101, "handleBrokerFenced", "change"),
        ("10:00:00.000", 101, "handleBrokerFenced", "change"),
        ("10:00:00.005", 101, "handleUnfenceBroker", "fence"),  # another broker is back
        ("10:00:00.005", 102, "handleBrokerFenced", "fence"),  # another controller's, as it starts and replays
        ("10:00:05.000", 101, "handleBrokerFenced", "fence"),  # a later one's: the first led and followed nothing
    ],
)
def test_a_removal_is_dated_by_the_line_of_its_change(change, node, context, dated_by):
    told = facts(f"""
        ts           | kind                             | node_id | broker_id | event_id | details
        10:00:00.000 | kraft_broker_session_timeout     | 101     | 1         | fence    |
        {change}     | kraft_leader_isr_updates_summary | {node}  |           | change   | context={context};changed_count=17 """)
    (removed,) = BrokerMoves.of(told).removed[1]
    assert removed.event_id == dated_by


def test_two_brokers_that_are_removed_at_once_are_dated_each_by_its_own_change():
    told = facts("""
        ts           | kind                              | node_id | broker_id | event_id | details
        10:00:00.000 | kraft_broker_session_timeout      | 101     | 1         | fence-1  |
        10:00:00.004 | kraft_leader_isr_updates_summary  | 101     |           | change-1 | context=handleBrokerFenced
        10:00:00.010 | kraft_controlled_shutdown_granted | 101     | 2         | stop-2   |
        10:00:00.013 | kraft_leader_isr_updates_summary  | 101     |           | change-2 | context=enterControlledShutdown[2] """)
    removed = BrokerMoves.of(told).removed
    assert [removed[broker][0].event_id for broker in (1, 2)] == ["change-1", "change-2"]


def test_a_voters_own_election_makes_it_the_active_controller():
    """Also where the line in which it becomes active is missing. Another voter that follows it is none."""
    leads, follows = (f"[RaftManager id=101] Completed transition to {state}(" for state in ("Leader", "FollowerState"))
    moves = BrokerMoves.of(
        facts(f"""
        ts       | kind            | node_id | message
        10:00:00 | raft_transition | 101     | {leads}
        10:00:00 | raft_transition | 102     | {follows}
        10:00:20 | raft_transition | 101     | {follows} """)
    )
    moments = [one.ts for one in facts("ts\n09:59:59\n10:00:10\n10:00:30")]
    assert [moves.was_active(101, ts) for ts in moments] == [False, True, False]
    assert not any(moves.was_active(102, ts) for ts in moments)
