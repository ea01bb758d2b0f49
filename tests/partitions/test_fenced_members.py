"""ISRs that no line prints, from which a KRaft controller removed a broker."""

from __future__ import annotations

import pytest

from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.observed_states import partition_states
from replay.tables.partitions import PARTITION_STATES
from tests.partitions.reports import reports
from tests.tables import facts, same_rows

_FENCED = """
    ts       | kind                             | node_id | broker_id | event_id | details
    10:00:20 | kraft_broker_session_timeout     | 101     | 2         | fence-2  |
    10:00:20 | kraft_leader_isr_updates_summary | 101     |           | change-2 | context=handleBrokerFenced;changed_count=12 """
_BEFORE = """
    ts       | witness  | node_id | leader_epoch | partition_epoch | leader_id | isr   | event_id | kind
    10:00:01 | leader   | 2       | 0            | 0               | {leader}  | {isr} | before   | leader_start """


def _states(lines: str, told: str = _FENCED, leader: int = 2, isr: str = "1,2,3"):
    seen = reports(_BEFORE.format(leader=leader, isr=isr) + lines, topic="orders", life=0, partition=0, born=True)
    return partition_states(seen, BrokerMoves.of(facts(told)))


@pytest.mark.parametrize("partition_epoch", ["1", " "])
def test_a_fenced_leader_is_not_in_the_isr_of_the_next_leader_epoch(partition_epoch):
    """Only a follower names the new leader, which has no lines: it died before."""
    states = _states(f"""
    10:00:21 | follower | 3       | 1            | {partition_epoch} | 1         |       | role     | follower_start
    10:00:28 | leader   | 3       | 2            | 2               | 3         | 3     | after    | leader_start """)
    same_rows(
        states,
        PARTITION_STATES,
        """
        leader_epoch | partition_epoch | state_order | leader_id | isr   | witness | ts       | evidence
        0            | 0               | 0           | 2         | 1,2,3 | leader  | 10:00:01 | before
        1            | 1               | 1           | 1         | 1,3   | removal | 10:00:20 | change-2,fence-2,role
        2            | 2               | 2           | 3         | 3     | leader  | 10:00:28 | after """,
    )


def test_a_fenced_follower_is_not_in_an_isr_whose_leader_has_no_lines():
    states = _states("", leader=1)
    assert [(one.leader_epoch, one.partition_epoch, one.isr) for one in states] == [(0, 0, [1, 2, 3]), (0, 1, [1, 3])]


def test_two_brokers_that_are_fenced_one_after_the_other_leave_an_isr_one_after_the_other():
    told = f"""{_FENCED}
    10:00:28 | kraft_broker_session_timeout     | 101     | 3         | fence-3  |
    10:00:28 | kraft_leader_isr_updates_summary | 101     |           | change-3 | context=handleBrokerFenced;changed_count=12 """
    assert [(one.partition_epoch, one.isr) for one in _states("", told, leader=1)] == [
        (0, [1, 2, 3]),
        (1, [1, 3]),
        (2, [1]),
    ]


_NEXT = (
    "\n    10:00:40 | leader   | 1       | 1            | {}               | 1         | {}   | after    | leader_start"
)


@pytest.mark.parametrize(
    ("named", "given"),
    {
        "no line shows which leader epoch follows a leader's": {},
        "the last member stays": {"leader": 2, "isr": "2"},
        "the ISR did not have it": {"leader": 1, "isr": "1,3"},
        "the next printed state is this change": {"lines": _NEXT.format(1, "1,3")},
        "the controller changed no partition": {"told": _FENCED[: _FENCED.index("\n    10:00:20 | kraft_leader")]},
    }.items(),
)
def test_no_state_is_added_where(named, given):
    states = _states(
        given.get("lines", ""), given.get("told", _FENCED), given.get("leader", 2), given.get("isr", "1,2,3")
    )
    assert "removal" not in [one.witness for one in states], named


def test_a_state_that_is_several_changes_later_follows_the_removal():
    states = _states(_NEXT.format(3, "1,3"), leader=2)
    assert [(one.leader_epoch, one.partition_epoch, one.leader_id, one.isr) for one in states] == [
        (0, 0, 2, [1, 2, 3]),
        (1, 1, 1, [1, 3]),
        (1, 3, 1, [1, 3]),
    ]
