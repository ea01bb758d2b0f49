"""The voters of the metadata quorum, as each node tells them."""

from __future__ import annotations

from replay.facts.voters import voter_sets
from replay.tables.control_plane import VOTER_SETS
from tests.tables import facts, same_rows

A, B, C, D = "FsDYUZLpQlGZOvhGuwsRAA", "U7WZ3dplUV9ENbaBBpfaXw", "7YeAmIl4L8mdLTN4a_TkKA", "2LUdCgQ6DO28n3hdJnzLtA"


def voters(**directories: str) -> str:
    """A set of voters as Kafka prints it; `n101="…"`."""
    nodes = (
        f"{name[1:]}=VoterNode(voterKey=ReplicaKey(id={name[1:]}, directoryId={directory}), "
        f"listeners=Endpoints(endpoints={{ListenerName(CONTROLLER)=10.77.0.41/<unresolved>:9093}}), "
        "supportedKRaftVersion=SupportedVersionRange[min_version:0, max_version:1])"
        for name, directory in directories.items()
    )
    return f"VoterSet(voters={{{', '.join(nodes)}}})"


def told(*lines: str) -> list:
    return voter_sets(facts("\n".join(["ts | node_id | kind | message", *lines])))


def starts(ts: str, node: int, said: str) -> str:
    return f"{ts} | {node} | raft_startup | [RaftManager id={node}] Starting voters are {said}"


def reads(ts: str, node: int, said: str, offset: int) -> str:
    return f"{ts} | {node} | raft_voter_set | [RaftManager id={node}] Latest set of voters is {said} at offset {offset}"


def test_without_a_line_of_them_there_are_none():
    assert told("10:00:00 | 1 | raft_voter_set | [RaftManager id=1] Latest kraft.version is 1 at offset 1") == []


def test_who_was_added_and_who_was_removed_each_with_the_place_in_the_log():
    three = voters(n101=A, n102=B, n103=C)
    same_rows(
        told(
            reads("10:00:00", 103, three, 2),
            starts("10:00:01", 103, three),
            reads("10:05:00", 103, voters(n101=A, n102=B, n103=C, n104=D), 700),
            reads("10:06:00", 103, voters(n102=B, n103=C, n104=D), 790),
        ),
        VOTER_SETS,
        f"""
        node_id | start_ts | end_ts   | voters          | directory_ids   | dynamic | metadata_offset | added | removed | evidence
        103     | 10:00:00 | 10:05:00 | 101,102,103     | {A},{B},{C}     | true    | 2               | []    | []      | e1
        103     | 10:05:00 | 10:06:00 | 101,102,103,104 | {A},{B},{C},{D} | true    | 700             | 104   | []      | e3
        103     | 10:06:00 |          | 102,103,104     | {B},{C},{D}     | true    | 790             | []    | 101     | e4 """,
    )


def test_a_node_that_starts_again_reads_old_records_and_shows_no_news():
    two, three = voters(n101=A, n102=B), voters(n101=A, n102=B, n103=C)
    found = told(
        reads("10:00:00", 101, two, 2),
        reads("10:05:00", 101, three, 700),
        reads("11:00:00", 101, two, 2),
        reads("11:00:00.100", 101, three, 700),
        starts("11:00:01", 101, three),
    )
    assert [(one.voters, one.added) for one in found] == [([101, 102], []), ([101, 102, 103], [103])]


def test_a_voter_with_another_directory_is_gone_and_new():
    (_, later) = told(
        reads("10:00:00", 101, voters(n101=A, n102=B), 2), reads("10:05:00", 101, voters(n101=A, n102=D), 90)
    )
    assert (later.voters, later.added, later.removed) == ([101, 102], [102], [102])


def test_a_leader_learns_the_directories_of_static_voters_and_they_stay_the_same_voters():
    none = voters(n101="<undefined>", n102="<undefined>")
    some = voters(n101=A, n102="<undefined>")
    same_rows(
        told(
            starts("10:00:00", 101, none),
            f"10:00:05 | 101 | raft_voter_set | [RaftManager id=101] Updated in-memory voters from {some} to {voters(n101=A, n102=B)}",
            starts("10:00:00", 102, none),
        ),
        VOTER_SETS,
        f"""
        node_id | start_ts | end_ts | voters  | directory_ids | dynamic | metadata_offset | evidence
        101     | 10:00:00 |        | 101,102 | {A},{B}       | false   |                 | e1,e2
        102     | 10:00:00 |        | 101,102 | ,             | false   |                 | e3 """,
    )


def test_static_voters_that_go_into_the_metadata_log_are_logged_again_as_dynamic_ones():
    none = voters(n101="<undefined>", n102="<undefined>")
    found = told(starts("10:00:00", 101, none), reads("11:00:00", 101, voters(n101=A, n102=B), 900))
    assert [(one.dynamic, one.metadata_offset, one.added) for one in found] == [(False, None, []), (True, 900, [])]


def test_who_is_to_join_starts_without_voters_and_reads_of_them():
    (found,) = told(starts("10:00:00", 104, "VoterSet(voters={})"), reads("10:00:01", 104, voters(n101=A, n102=B), 2))
    assert (found.voters, found.start_ts.second, found.added) == ([101, 102], 1, [])


def test_up_to_3_8_transitions_show_the_ids():
    same_rows(
        told(
            "10:00:00 | 2 | raft_transition | [RaftManager id=2] Completed transition to Unattached(epoch=0, voters=[1, 2, 3], electionTimeoutMs=1141) from null",
            "10:00:01 | 2 | raft_transition | [RaftManager id=2] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=1, leaderId=1, voters=[1, 2, 3]) from Unattached(epoch=0, voters=[1, 2, 3])",
        ),
        VOTER_SETS,
        """
        node_id | start_ts | end_ts | voters | directory_ids | dynamic | added | removed | evidence
        2       | 10:00:00 |        | 1,2,3  | ,,            |         | []    | []      | e1 """,
    )


def test_a_set_with_an_id_that_no_node_has_is_unknown():
    same_rows(
        told(
            reads("10:00:00", 101, voters(n101=A, n2147483648=B), 2),
            reads("10:00:01", 101, voters(n101=A, n102=B), 3),
            "10:00:02 | 101 | raft_transition | [RaftManager id=101] Completed transition to Unattached(epoch=0, voters=[101, 9223372036854775807]) from null",
            "10:00:03 | 101 | raft_transition | [RaftManager id=101] Completed transition to Unattached(epoch=0, voters=[101, , 102]) from null",
        ),
        VOTER_SETS,
        f"""
        node_id | start_ts | end_ts | voters  | directory_ids | dynamic | metadata_offset | added | removed | evidence
        101     | 10:00:01 |        | 101,102 | {A},{B}       | true    | 3               | []    | []      | e2 """,
    )


def with_cuts(*lines: str) -> list:
    """Facts of lines of which some tell up to where the metadata log was cut."""
    header = "ts | node_id | kind | message | truncation_offset"
    return facts("\n".join([header, *(line if "log_truncated" in line else f"{line} |" for line in lines)]))


def cut(ts: str, node: int, offset: int) -> str:
    return f"{ts} | {node} | raft_log_truncated | [RaftManager id={node}] Truncated to offset {offset} | {offset}"


def test_a_record_that_the_next_leader_cuts_off_is_undone_and_another_may_stand_in_its_place():
    two, three, other = voters(n101=A, n102=B), voters(n101=A, n102=B, n103=C), voters(n101=A, n102=B, n104=D)
    found = voter_sets(
        with_cuts(
            reads("10:00:00", 101, two, 2),
            reads("10:05:00", 101, three, 700),
            cut("10:05:03", 101, 700),
            reads("10:05:09", 101, other, 700),
            reads("10:05:09", 102, other, 700),
        )
    )
    same_rows(
        found,
        VOTER_SETS,
        """
        node_id | start_ts | end_ts   | voters      | metadata_offset | added | removed | evidence
        101     | 10:00:00 | 10:05:00 | 101,102     | 2               | []    | []      | e1
        101     | 10:05:00 | 10:05:03 | 101,102,103 | 700             | 103   | []      | e2
        101     | 10:05:03 | 10:05:09 | 101,102     | 2               | []    | 103     | e3
        101     | 10:05:09 |          | 101,102,104 | 700             | 104   | []      | e4
        102     | 10:05:09 |          | 101,102,104 | 700             | []    | []      | e5 """,
    )


def test_a_cut_behind_the_voters_changes_none():
    told_twice = reads("10:00:00", 101, voters(n101=A), 2), reads("10:06:00", 101, voters(n101=A), 2)
    assert len(voter_sets(with_cuts(told_twice[0], cut("10:05:03", 101, 900), told_twice[1]))) == 1
