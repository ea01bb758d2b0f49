"""How many voters were left while one was missing, where one more would have been too many."""

from __future__ import annotations

import pytest

from replay.causes.voters_left import voters_left
from replay.tables.control_plane import VOTER_SETS
from replay.tables.faults import FAULTS
from tests.each import for_each
from tests.tables import rows

THREE = "node_id | start_ts | voters\n1 | 09:00:00 | 1,2,3"
FIVE = "node_id | start_ts | voters\n1 | 09:00:00 | 1,2,3,4,5"
FAULT = """
    fault_id | kind   | broker_id | began_low | ts       | end_ts   | arguments
    this     | {kind} | {node}    | 10:00:00  | 10:00:01 | 10:00:30 | {why}
    other    | killed | {other}   | {at}      | {at}     | {at}     | """


@for_each(
    ("node", "kind", "other", "at", "voters", "left"),
    [
        (1, "killed", 9, "10:00:10", THREE, "2"),
        (1, "disk_refused", 9, "10:00:10", THREE, "2"),
        (1, "killed", 2, "10:05:00", THREE, "2"),  # the other one was missing later
        (1, "killed", 2, "10:00:10", THREE, None),  # both at once: the quorum was lost
        (1, "killed", 9, "10:00:10", FIVE, None),  # two more may fail
        (1, "killed", 2, "10:00:10", FIVE, "3"),
        (9, "killed", 8, "10:00:10", THREE, None),  # no voter
        (1, "slow_follower", 9, "10:00:10", THREE, None),  # a slow follower still votes
        (1, "stopped", 9, "10:00:10", THREE, None),  # routine work
        (1, "killed", 9, "10:00:10", "node_id", None),  # no line names the voters
    ],
)
def test_one_voter_more_would_have_been_too_many(node, kind, other, at, voters, left):
    faults = rows(FAULTS, FAULT.format(kind=kind, node=node, other=other, at=at, why=""))
    found = voters_left(faults[0], faults, rows(VOTER_SETS, voters))
    assert (None if found is None else found.arguments["left"]) == left


@pytest.mark.parametrize(("why", "left"), [("unconnected=2", "2"), ("", None)])
def test_a_combined_node_that_could_not_connect_to_the_controllers_is_missing_as_a_voter(why, left):
    faults = rows(FAULTS, FAULT.format(kind="cut_from_controllers", node=1, other=9, at="10:00:10", why=why))
    found = voters_left(faults[0], faults, rows(VOTER_SETS, THREE))
    assert (None if found is None else found.arguments["left"]) == left
