"""No majority of the voters (F11), or one voter without the others (F10)."""

from __future__ import annotations

import pytest

from replay import faults as stage

_SEEKING = """
    ts       | kind               | node_id | message
    10:00:00 | raft_transition    | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=4)
    10:01:00 | raft_become_candidate | 2    |
    10:01:10 | raft_become_candidate | 3    |
    10:01:20 | raft_become_candidate | 2    |
    {role}
    10:02:00 | raft_transition    | 2       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=9) """


@pytest.mark.parametrize(
    ("role", "lost"),
    [
        ("10:01:12 | leader_start | 2 |", True),  # one of the seekers itself: it starts and replays what it knew
        ("10:01:12 | leader_start | 4 |", False),  # a broker that is told of new roles has a controller
        ("10:01:01 | leader_start | 4 |", True),  # applied late: decided before
        ("10:01:12 | node_connect_error | 1 |", False),  # the leader seeks none and goes on
        ("10:01:12 | process_start_line | 1 |", True),  # it comes back from the dead
    ],
)
def test_a_quorum_is_lost_if_nobody_has_a_leader_while_voters_seek_one(events, known, role, lost):
    told = events(_SEEKING.format(role=role))
    found = stage.quorum_lost(told).collect()
    assert [(row.kind, row.code) for row in found] == [("quorum_lost", "F11")] * lost
    if lost:
        assert "3 attempts of nodes 2 and 3" in found[0].because
    cut = stage.out_of_quorum(told, known()).collect()
    assert [(row.code, row.broker_id) for row in cut] == [("F10", node) for node in (2, 3) if not lost]
    paused = known("""
        kind   | broker_id | ts       | t0_low   | end_ts
        paused | 2         | 10:01:10 | 10:00:50 | 10:01:10 """)
    assert [row.broker_id for row in stage.out_of_quorum(told, paused).collect()] == ([] if lost else [3])
