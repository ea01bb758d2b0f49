"""No majority of the voters (F11), or one voter without the others (F10)."""

from __future__ import annotations

import pytest

from replay.faults import all_faults
from replay.faults import quorum as stage
from replay.tables.faults import FAULTS
from tests.faults.given import facts, first_lines, known, written_lines
from tests.tables import same_rows


def vain_elections(told):
    return stage.vain_elections(told, written_lines(told, stage.asked_times(told)), first_lines(told))


_SEEKING = """
    ts       | kind               | node_id | message
    10:00:00 | raft_transition    | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=4)
    10:01:00 | raft_become_candidate | 2    |
    10:01:10 | raft_become_candidate | 2    |
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
def test_a_quorum_is_lost_if_nobody_has_a_leader_while_voters_seek_one(said, role, lost):
    told = facts(_SEEKING.format(role=role))
    found = stage.quorum_lost(vain_elections(told))
    assert [(row.kind, row.code) for row in found] == [("quorum_lost", "F11")] * lost
    if lost:
        assert said(found)[0].startswith(
            "controllers 2 and 3 found no leader of the metadata quorum between 10:01:00.000 and 10:01:20.000: 4 elections were called"
        )
    cut = all_faults.voters_cut_off(vain_elections(told), known(), known())
    assert [(row.code, row.broker_id) for row in cut] == [("F10", 2)] * (not lost)
    paused = known("""
        kind   | broker_id | ts       | began_low | end_ts
        paused | 2         | 10:01:10 | 10:00:50 | 10:01:10 """)
    assert not all_faults.voters_cut_off(vain_elections(told), paused, known())


@pytest.mark.parametrize(
    ("candidate", "counted"),
    [
        (
            "10:01:11 | raft_transition | 2 | [RaftManager id=2] Completed transition to CandidateState(localId=2)",
            "1 election was called, 2 rounds of pre-votes were held",
        ),
        ("", "no election was called, 2 rounds of pre-votes were held"),
    ],
)
def test_rounds_of_pre_votes_are_no_elections(said, candidate, counted):
    """A voter becomes Prospective first (KIP-996), and a candidate if a majority would vote for it; no line but that of the state counts."""
    told = facts(f"""
        ts       | kind                    | node_id | message
        10:00:00 | raft_transition         | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=4)
        10:01:00 | raft_become_prospective | 2       |
        10:01:00 | raft_transition         | 2       | [RaftManager id=2] Completed transition to ProspectiveState(localId=2)
        {candidate}
        10:01:12 | raft_election_timeout   | 2       |
        10:01:13 | raft_transition         | 2       | [RaftManager id=2] Completed transition to ProspectiveState(localId=2)
        10:01:20 | raft_become_prospective | 2       |
        10:01:22 | process_start_line      | 1       |
        10:02:00 | raft_transition         | 2       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=9) """)
    found = stage.quorum_lost(vain_elections(told))
    assert said(found)[0].endswith(counted)


def test_a_leader_that_wakes_and_follows_the_one_elected_meanwhile_seeks_none():
    """As recorded of 3.7.2: 3 led and froze, 2 was elected; it froze 12 s after 3 had woken, and 1 was elected at once."""
    told = facts("""
        ts           | kind                   | node_id | message
        10:00:00.000 | raft_transition        | 3       | [RaftManager id=3] Completed transition to Leader(localId=3, epoch=4)
        10:01:00.000 | raft_become_candidate  | 2       |
        10:01:01.000 | raft_transition        | 2       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=6)
        10:01:12.000 | raft_check_quorum_lost | 3       |
        10:01:12.030 | raft_transition        | 3       | [RaftManager id=3] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=6, leaderId=2)
        10:01:25.000 | raft_become_candidate  | 1       |
        10:01:25.000 | raft_become_candidate  | 3       |
        10:01:26.000 | raft_transition        | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=8) """)
    assert not vain_elections(told)


def test_voters_that_a_cut_one_makes_elect_again_were_not_cut():
    """As recorded of 3.9.1: voter 2 was cut for 20 s, voter 1 asked as that came back with a higher epoch, and as it was cut."""
    told = facts("""
        ts           | kind                  | node_id | message
        10:00:00.000 | raft_transition       | 3       | [RaftManager id=3] Completed transition to Leader(localId=3, epoch=4)
        10:01:00.000 | raft_election_timeout | 1       |
        10:01:02.000 | raft_become_candidate | 2       |
        10:01:08.000 | raft_become_candidate | 2       |
        10:01:10.000 | node_connect_error    | 3       |
        10:01:14.000 | raft_become_candidate | 2       |
        10:01:20.000 | raft_become_candidate | 1       |
        10:01:20.500 | raft_transition       | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=9) """)
    same_rows(
        all_faults.voters_cut_off(vain_elections(told), known(), known()),
        FAULTS,
        """
        kind          | code | broker_id | began_low    | ts           | end_ts       | evidence
        voter_cut_off | F10  | 2         | 10:00:57.000 | 10:01:02.000 | 10:01:14.000 | e3,e4,e6 """,
    )


_FOLLOWS = """
    {ts} | raft_transition | {node} | [RaftManager id={node}] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch={epoch}, leaderId={leader}, voters=[101, 102, 103], highWatermark=Optional.empty)"""
_LEADS = """
    {ts} | raft_transition | {node} | [RaftManager id={node}] Completed transition to Leader(localId={node}, epoch={epoch}, highWatermark=Optional.empty)"""
_VOTERS = """
    ts       | kind            | node_id | message
    09:00:00 | raft_transition | 1       | [RaftManager nodeId=1] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=3, leaderId=103, voters=[101, 102, 103], highWatermark=Optional.empty) """


def test_a_quorum_is_lost_while_most_voters_are_down():
    """As recorded of 3.3.2, where the leader that is left goes on as one. Broker 1 is no voter; 103 alone is none too many.

    The voter that starts at 10:00:40 is no majority before it follows.
    """
    back = _FOLLOWS.format(ts="10:00:43.500", node=102, epoch=3, leader=103)
    down = known("""
        kind    | broker_id | began_low | ts       | end_ts   | evidence
        killed  | 1         | 10:00:00  | 10:00:00 | 10:05:00 | b
        killed  | 101       | 10:00:09  | 10:00:10 | 10:01:00 | x
        stopped | 102       | 10:00:11  | 10:00:12 | 10:00:40 | y
        paused  | 103       | 10:30:00  | 10:30:00 | 10:30:40 | z
        silent  | 102       | 10:30:00  | 10:30:00 |          | w
        killed  | 101       | 11:00:00  | 11:00:00 | 11:00:40 | p
        killed  | 103       | 11:00:35  | 11:00:35 |          | q        """)
    same_rows(
        all_faults.majorities_down(facts(_VOTERS + back), down, known()),
        FAULTS,
        """
        kind        | code | broker_id | peers       | began_low | began_high | ts       | end_ts       | ended_low | evidence
        quorum_lost | F11  |           | 101,102,103 | 10:00:11  | 10:00:12   | 10:00:12 | 10:00:43.500 | 10:00:40  | x,y,e2   """,
    )
    said = known("""
        kind        | ts       | end_ts
        quorum_lost | 10:00:14 | 10:00:37 """)
    assert not all_faults.majorities_down(facts(_VOTERS), down, said)
    assert not all_faults.majorities_down(facts("ts | kind"), down, known())


def test_a_voter_that_came_back_before_is_not_among_those_that_are_down():
    down = known("""
        kind    | broker_id | ts       | end_ts   | evidence
        killed  | 101       | 09:00:00 | 09:01:00 | x
        killed  | 102       | 09:10:00 | 09:12:00 | y
        stopped | 103       | 09:11:00 | 09:15:00 | z        """)
    same_rows(
        all_faults.majorities_down(facts(_VOTERS), down, known()),
        FAULTS,
        """
        kind        | code | peers       | ts       | end_ts | ended_low | evidence
        quorum_lost | F11  | 101,102,103 | 09:11:00 |        | 09:12:00  | y,z      """,
    )


@pytest.mark.parametrize(
    ("then", "end"),
    [
        (_LEADS.format(ts="10:00:47", node=101, epoch=4), "10:00:47"),
        (_FOLLOWS.format(ts="10:00:47", node=1, epoch=4, leader=101), "10:00:47"),  # a broker names the new leader
        (_FOLLOWS.format(ts="10:00:41", node=102, epoch=3, leader=103), ""),  # 103 led, and is down: of its own file
        (_LEADS.format(ts="10:00:30", node=103, epoch=3), ""),  # nobody can be elected before a voter is back
        ("", ""),
    ],
)
def test_a_quorum_is_back_when_a_leader_is_elected_not_when_a_voter_starts(then, end):
    down = known("""
        kind   | broker_id | ts       | end_ts   | evidence
        killed | 103       | 10:00:10 | 10:01:00 | x
        killed | 102       | 10:00:12 | 10:00:40 | y        """)
    same_rows(
        all_faults.majorities_down(facts(_VOTERS + then), down, known()),
        FAULTS,
        f"""
        kind        | ts       | end_ts | ended_low
        quorum_lost | 10:00:12 | {end}  | 10:00:40 """,
    )


def test_a_search_is_over_with_the_leader_that_it_found(said):
    """The last attempt in vain is no end: the leader was elected 40 s later here, 8 s later there."""
    far = facts(_SEEKING.format(role=""))
    near = facts(_SEEKING.format(role="").replace("10:02:00", "10:01:28"))
    for told, end in ((far, "10:01:20"), (near, "10:01:28")):
        same_rows(
            stage.quorum_lost(vain_elections(told)),
            FAULTS,
            f"""
            kind        | ts       | end_ts | ended_low
            quorum_lost | 10:01:00 | {end}  | 10:01:20 """,
        )


@pytest.mark.parametrize(
    ("second", "began"),
    [
        ("102    | 10:00:58.000 | 10:00:59.000 |", "10:00:58.000 | 10:00:59.000"),
        ("102    | 10:00:58.000 | 10:00:59.000 | 10:00:59.500", "10:00:55.000 | 10:01:00.000"),  # it was back
        ("4      | 10:00:58.000 | 10:00:59.000 |", "10:00:55.000 | 10:01:00.000"),  # no voter
        ("101    | 10:00:58.000 | 10:00:59.000 |", "10:00:55.000 | 10:01:00.000"),  # no second one
    ],
)
def test_a_quorum_is_lost_as_the_voter_dies_that_the_majority_needed(second, began):
    """Voter 103 looks for a leader from 10:01:00 on. One voter that is missing, 101 since 10:00:40, leaves a majority."""
    told = facts("""
        ts       | kind                  | node_id | message
        10:00:00 | raft_transition       | 103     | [RaftManager id=103] Completed transition to Leader(localId=103, epoch=4)
        10:01:00 | raft_become_candidate | 103     |
        10:01:01 | raft_transition       | 103     | [RaftManager id=103] Completed transition to Unattached(epoch=5, voters=[101, 102, 103])
        10:01:12 | raft_become_candidate | 103     |
        10:01:20 | any                   | 101     | """)
    outages = known(f"""
        kind   | broker_id | began_low    | ts           | end_ts
        killed | 101       | 10:00:40.000 | 10:00:41.000 |
        killed | {second} """)
    same_rows(
        stage.quorum_lost(vain_elections(told), outages),
        FAULTS,
        f"""
        kind        | peers       | ts       | began_low | began_high
        quorum_lost | 101,102,103 | 10:01:00 | {began} """,
    )


def test_a_broker_that_no_quorum_answers_is_fenced_and_was_not_cut_from_the_controllers():
    same_rows(
        stage.fenced_without_quorum(
            known("""
        kind                 | code | broker_id | ts       | end_ts   | reason
        quorum_lost          | F11  |           | 10:00:12 | 10:00:37 |
        cut_from_controllers | F06  | 2         | 10:00:20 | 10:01:00 | session_timed_out_alive
        cut_from_controllers | F06  | 3         | 10:20:00 | 10:21:00 | session_timed_out_alive
        cut_from_zookeeper   | F07  | 4         | 10:00:20 | 10:01:00 | session_timed_out_alive """)
        ),
        FAULTS,
        """
        kind                 | code | broker_id | reason
        quorum_lost          | F11  |           |
        fenced_alive         | F12  | 2         | fenced_without_quorum
        cut_from_controllers | F06  | 3         | session_timed_out_alive
        cut_from_zookeeper   | F07  | 4         | session_timed_out_alive """,
    )


def test_a_controller_whose_events_take_seconds_again_and_again_is_overloaded(said):
    """One slow event is what a process finds that stood still; a heartbeat that ran out of time in the queue is enough."""
    told = facts("""
        ts           | kind                            | node_id | broker_id | details
        10:00:00.000 | kraft_event_slow                | 1       |           | elapsed_ms=2125
        10:00:03.000 | kraft_event_slow                | 1       |           | elapsed_ms=4455
        10:00:20.000 | kraft_event_slow                | 1       |           | elapsed_ms=3168
        10:00:25.000 | kraft_heartbeat_timed_out_queue | 1       | 3         |
        10:10:00.000 | kraft_event_slow                | 1       |           | elapsed_ms=9000
        10:20:00.000 | kraft_heartbeat_timed_out_queue | 2       | 3         | """)
    found = stage.controllers_overloaded(told)
    same_rows(
        found,
        FAULTS,
        """
        kind                  | code | broker_id | began_low    | ts           | end_ts       | evidence
        controller_overloaded | F12  | 1         | 09:59:55.545 | 10:00:00.000 | 10:00:25.000 | e1,e2,e3,e4
        controller_overloaded | F12  | 2         | 10:19:59.000 | 10:20:00.000 | 10:20:00.000 | e6          """,
    )
    assert said(found) == [
        "the active controller, node 1, did not keep up from 10:00:00.000 to 10:00:25.000: 3 events took longer than "
        "2 s, up to 4455 ms; 1 heartbeat timed out in its queue",
        "the active controller, node 2, did not keep up from 10:20:00.000 to 10:20:00.000; 1 heartbeat timed out in "
        "its queue",
    ]


def test_who_gets_no_answer_of_an_overloaded_controller_was_not_cut_off():
    overloaded = """
        kind                  | code | broker_id | began_low | ts       | end_ts   | reason
        controller_overloaded | F12  | 1         | 10:00:00  | 10:00:02 | 10:00:25 | events_took_seconds"""
    seeking = known("""
        kind          | broker_id | ts       | end_ts
        voter_cut_off | 2         | 10:00:12 | 10:00:40
        voter_cut_off | 3         | 10:05:00 | 10:05:40 """)
    same_rows(stage.without_overload(seeking, known(overloaded)), FAULTS, "kind | broker_id\nvoter_cut_off | 3")
    same_rows(
        stage.fenced_without_quorum(
            known(f"""{overloaded}
        cut_from_controllers  | F06  | 2         |           | 10:00:01 | 10:00:30 | session_timed_out_alive
        cut_from_controllers  | F06  | 3         |           | 10:05:00 | 10:05:30 | session_timed_out_alive""")
        ),
        FAULTS,
        """
        kind                  | code | broker_id | reason
        controller_overloaded | F12  | 1         | events_took_seconds
        fenced_alive          | F12  | 2         | fenced_by_overloaded_controller
        cut_from_controllers  | F06  | 3         | session_timed_out_alive """,
    )


@pytest.mark.parametrize(("other", "code"), [(2, "F11"), (4, "F10")])
def test_one_voter_that_finds_no_leader_does_not_know_whether_the_others_have_one(said, other, code):
    """Of voters 1, 2 and 3 the lines of two are enough: none of them led. A broker that is no voter (4) does not count."""
    told = facts(f"""
        ts       | kind                  | node_id | message
        10:00:00 | raft_transition       | 1       | [RaftManager id=1] Completed transition to Leader(localId=1, epoch=4)
        10:00:50 | raft_transition       | 1       | [RaftManager id=1] Completed transition to UnattachedState(epoch=5, voters=[1, 2, 3], electionTimeoutMs=1066)
        10:01:00 | raft_become_candidate | 1       |
        10:01:10 | raft_become_candidate | 1       |
        10:01:20 | raft_become_candidate | 1       |
        10:01:30 | raft_become_candidate | 1       |
        10:01:40 | raft_become_candidate | 1       |
        10:01:50 | any                   | {other} | """)
    lost, cut = (
        stage.quorum_lost(vain_elections(told)),
        all_faults.voters_cut_off(vain_elections(told), known(), known()),
    )
    found = [(row.code, row.broker_id) for row in lost + cut]
    assert found == [(code, 1 if code == "F10" else None)]
    if code == "F10":
        assert said(cut)[0].endswith(
            "it could not reach the other voters; the other voters' files would show whether it alone was cut off or the quorum was lost"
        )
