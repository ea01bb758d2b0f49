"""The lives of brokers as the controller saw them, and the tenures of controllers."""

from __future__ import annotations

import pytest

from replay.facts.controllers import controllers, only_controllers
from replay.facts.sessions import membership, recorded_sessions
from replay.tables import BROKER_SESSIONS, CONTROLLERS
from replay.tables.brokers import MEMBERSHIP, SETTINGS
from replay.tables.control_plane import VOTER_SETS
from tests.each import for_each
from tests.heard import processes_of
from tests.tables import facts, rows, same_rows


def events(text: str):
    return [
        fact.but(logger=fact.logger or "kafka.server.KafkaServer", source_file=fact.source_file or "server.log")
        for fact in facts(text)
    ]


def sessions(text: str):
    told = events(text)
    return recorded_sessions(told, [], processes_of(told))


def test_without_lines_there_are_no_sessions_and_no_controllers():
    assert membership(events("ts")) == []
    assert sessions("ts") == []
    assert controllers(events("ts")) == []


def test_zookeeper_controllers_list_who_is_alive():
    same_rows(
        membership(
            events("""
        ts       | kind                     | node_id | details
        10:00:00 | controller_active_brokers | 1       | live_brokers=1,2,3
        10:00:20 | controller_broker_change | 1       | live_brokers=1,3
        10:01:00 | controller_broker_change | 1       | live_brokers=1,2,3
        10:02:00 | controller_broker_change | 1       | live_brokers=1,2,3;bounced_brokers=3 """)
        ),
        MEMBERSHIP,
        """
        broker_id | ts       | change | event_id
        1         | 10:00:00 | back   | e1
        2         | 10:00:00 | back   | e1
        3         | 10:00:00 | back   | e1
        2         | 10:00:20 | lost   | e2
        2         | 10:01:00 | back   | e3
        3         | 10:02:00 | lost   | e4
        3         | 10:02:00 | back   | e4       """,
    )


def test_the_first_list_of_logs_that_begin_later_names_who_went_with_it():
    same_rows(
        membership(
            events("""
        ts       | kind                     | node_id | details
        10:00:20 | controller_broker_change | 3       | new_brokers=;dead_brokers=1;live_brokers=2,3;bounced_brokers= """)
        ),
        MEMBERSHIP,
        """
        broker_id | change | event_id
        1         | lost   | e1
        2         | back   | e1
        3         | back   | e1 """,
    )


def test_a_new_controller_finds_out_who_was_lost_while_none_looked():
    changes = membership(
        events("""
        ts       | kind                      | node_id | details
        10:00:20 | controller_broker_change  | 1       | live_brokers=1,2,3
        10:00:40 | controller_active_brokers | 2       | live_brokers=2,3   """)
    )
    same_rows(
        [change for change in changes if change.change == "lost"],
        MEMBERSHIP,
        """
        broker_id | ts       | event_id
        1         | 10:00:40 | e2       """,
    )


def test_an_earlier_controller_that_the_first_list_lacks_was_lost():
    """Requests of controller 3 show that it was a member; its own lines, with its lists, are missing."""
    changes = membership(
        events("""
        ts       | kind                           | node_id | controller_id | controller_epoch | message              | details
        10:00:10 | broker_metadata_update_summary | 1       | 3             | 1                |                      |
        10:00:40 | controller_broker_epochs       | 2       |               |                  | Initialized broker epochs cache | broker_epochs=1 -> 66, 2 -> 62
        10:00:41 | controller_active_brokers      | 2       |               |                  |                      | live_brokers=1,2
        10:00:42 | broker_metadata_update_summary | 1       | 2             | 2                |                      | """)
    )
    same_rows(
        [change for change in changes if change.change == "lost"],
        MEMBERSHIP,
        """
        broker_id | ts       | event_id
        3         | 10:00:40 | e2
        3         | 10:00:41 | e3       """,
    )
    (session,) = [
        one
        for one in sessions("""
        ts       | kind                           | node_id | controller_id | controller_epoch | details
        10:00:10 | broker_metadata_update_summary | 1       | 3             | 1                |
        10:00:41 | controller_active_brokers      | 2       |               |                  | live_brokers=1,2 """)
        if one.broker_id == 3
    ]
    assert (session.start_ts, session.end_ts.second) == (None, 41)


def test_kraft_controllers_fence_and_unfence():
    same_rows(
        membership(
            events("""
        ts       | kind                         | node_id | broker_id | broker_epoch
        10:00:00 | kraft_broker_unfence_granted | 101     | 2         |
        10:00:20 | kraft_broker_session_timeout | 101     | 2         |
        10:01:00 | broker_registered            | 2       |           | 175
        10:01:01 | kraft_broker_unfence_granted | 101     | 2         |             """)
        ),
        MEMBERSHIP,
        """
        broker_id | ts       | change     | broker_epoch
        2         | 10:00:00 | back       |
        2         | 10:00:20 | lost       |
        2         | 10:01:00 | registered | 175
        2         | 10:01:01 | back       |             """,
    )


def test_another_process_of_a_broker_that_registers_ends_the_session_of_the_one_before():
    """Since 4.0 a controller registers it while the session is active (`handleBrokerUncleanShutdown`); a registration after the
    end of the session ends none.
    """
    found = sessions("""
        ts       | kind                                     | node_id | broker_id | broker_epoch
        10:00:00 | kraft_broker_unfence_granted             | 101     | 2         |
        10:00:20 | kraft_broker_registering_new_incarnation | 101     | 2         |
        10:00:21 | kraft_broker_unfence_granted             | 101     | 2         |
        10:00:40 | kraft_broker_session_timeout             | 101     | 2         |
        10:00:50 | kraft_broker_registering_new_incarnation | 101     | 2         |
        10:00:51 | kraft_broker_unfence_granted             | 101     | 2         |              """)
    assert [(one.start_ts.second, one.end_ts and one.end_ts.second) for one in found] == [(0, 20), (20, 40), (50, None)]


def test_what_a_deposed_controller_decides_in_vain_ends_no_session():
    """It stood still, found all heartbeats late as it woke, and could not write that down any more."""
    same_rows(
        membership(
            events("""
        ts           | kind                         | node_id | broker_id | message
        10:00:00.000 | kraft_broker_session_timeout | 101     | 2         |
        10:00:00.010 | kraft_event_failed           | 101     |           | maybeFenceStaleBroker: event failed with NotLeaderException (treated as NotControllerException)
        10:00:05.000 | kraft_broker_session_timeout | 102     | 3         |
        10:00:05.010 | kraft_event_failed           | 101     |           | maybeFenceStaleBroker: event failed with NotLeaderException """)
        ),
        MEMBERSHIP,
        """
        broker_id | ts       | change | event_id
        3         | 10:00:05 | lost   | e3       """,
    )


def test_what_a_controller_reverts_as_it_renounces_is_decided_anew_by_the_next_one():
    """It unfenced broker 2 shortly before it renounced, and the next one did so again. What it decided about broker 3 nobody decides
    anew: that was committed.
    """
    same_rows(
        membership(
            events("""
        ts           | kind                         | node_id | broker_id
        10:00:00.000 | kraft_broker_unfence_granted | 101     | 2
        10:00:00.005 | kraft_broker_session_timeout | 101     | 3
        10:00:00.015 | kraft_controller_renounced   | 101     |
        10:00:02.000 | kraft_broker_unfence_granted | 102     | 2
        10:00:09.000 | kraft_broker_unfence_granted | 102     | 3         """)
        ),
        MEMBERSHIP,
        """
        broker_id | ts           | change | event_id
        3         | 10:00:00.005 | lost   | e2
        2         | 10:00:02.000 | back   | e4
        3         | 10:00:09.000 | back   | e5       """,
    )


def test_a_broker_whose_files_end_before_its_session_has_crashed():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id | broker_epoch
        10:00:00 | broker_starting              | 2       |           |
        10:00:01 | broker_registered            | 2       |           | 12
        10:00:02 | kraft_broker_unfence_granted | 101     | 2         |
        10:05:00 | isr_shrink                   | 2       |           |
        10:05:09 | kraft_broker_session_timeout | 101     | 2         |
        10:06:00 | broker_starting              | 2       |           |
        10:06:01 | broker_registered            | 2       |           | 175
        10:06:02 | kraft_broker_unfence_granted | 101     | 2         |              """),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | live_ts  | end_ts   | ended_by | silent_ts | evidence
        2         | 12           | 10:00:01 | 10:00:02 | 10:05:09 | crash    | 10:05:00  | e2,e3,e5,e4
        2         | 175          | 10:06:01 | 10:06:02 |          |          |           | e7,e8    """,
    )


def test_a_broker_that_goes_on_writing_was_only_not_heard():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id
        10:00:00 | broker_starting              | 2       |
        10:00:02 | kraft_broker_unfence_granted | 101     | 2
        10:05:09 | kraft_broker_session_timeout | 101     | 2
        10:05:12 | broker_heartbeat_failed      | 2       |
        10:05:40 | kraft_broker_unfence_granted | 101     | 2
        10:09:00 | isr_shrink                   | 2       |           """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by        | silent_ts | evidence
        2         | 10:00:02 | 10:05:09 | session_timeout |           | e2,e3
        2         | 10:05:40 |          |                 |           | e5       """,
    )


def test_a_broker_that_announced_its_stop_shut_down():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id
        10:00:00 | broker_starting              | 2       |
        10:00:02 | kraft_broker_unfence_granted | 101     | 2
        10:05:00 | process_signal               | 2       |
        10:05:01 | kraft_shutdown_granted       | 101     | 2
        10:05:02 | broker_shutdown_done         | 2       |           """),
        BROKER_SESSIONS,
        """
        broker_id | end_ts   | ended_by
        2         | 10:05:01 | controlled_shutdown """,
    )


def test_a_stop_that_the_controller_granted_is_one_though_its_lines_are_missing():
    """The broker still writes as its session is over: by what is here of its files it was only not heard."""
    same_rows(
        sessions("""
        ts       | kind                             | node_id | broker_id
        10:00:00 | broker_starting                  | 2       |
        10:00:01 | kraft_broker_unfence_granted     | 101     | 2
        10:05:00 | kraft_controlled_shutdown_granted | 101     | 2
        10:05:02 | kraft_broker_session_timeout     | 101     | 2
        10:05:03 | any                              | 2       | """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by
        2         | 10:00:01 | 10:05:02 | controlled_shutdown """,
    )


def test_nor_where_its_files_begin_after_that_end():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id
        10:00:02 | kraft_broker_unfence_granted | 101     | 2
        10:05:09 | kraft_broker_session_timeout | 101     | 2
        10:06:00 | broker_starting              | 2       |
        10:09:00 | isr_shrink                   | 2       |           """),
        BROKER_SESSIONS,
        """
        broker_id | end_ts   | ended_by | silent_ts
        2         | 10:05:09 | unknown  |           """,
    )


def test_without_the_brokers_files_nobody_knows_why_its_session_ended():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id
        10:00:02 | kraft_broker_unfence_granted | 101     | 2
        10:05:09 | kraft_broker_session_timeout | 101     | 2         """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by | silent_ts
        2         | 10:00:02 | 10:05:09 | unknown  |           """,
    )


def test_a_session_begins_with_the_registration_that_the_controller_prints():
    """It keeps the broker fenced until it has caught up, and unfences it later without a new registration."""
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id | details
        10:00:01 | kraft_broker_registering     | 101     | 2         | new_broker_epoch=7
        10:00:02 | kraft_broker_unfence_granted | 101     | 2         |
        10:05:09 | kraft_broker_session_timeout | 101     | 2         |
        10:05:40 | kraft_broker_unfence_granted | 101     | 2         | """),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | live_ts  | end_ts
        2         | 7            | 10:00:01 | 10:00:02 | 10:05:09
        2         | 7            | 10:05:40 |          |          """,
    )


def test_a_session_of_which_the_registration_is_not_here_is_one_though_a_later_registration_is():
    """The logs begin while brokers run: the first list of a controller names them."""
    same_rows(
        sessions("""
        ts       | kind                      | node_id | broker_epoch | details
        10:00:00 | controller_active_brokers | 1       |              | live_brokers=1,2
        10:05:00 | controller_broker_change  | 1       |              | live_brokers=1
        10:06:00 | broker_registered_zk      | 2       | 77           |
        10:06:01 | controller_broker_change  | 1       |              | live_brokers=1,2 """),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | end_ts
        1         |              | 10:00:00 |
        2         |              | 10:00:00 | 10:05:00
        2         | 77           | 10:06:00 |          """,
    )


def test_a_session_that_ended_before_a_registration_does_not_have_its_epoch():
    same_rows(
        sessions("""
        ts           | kind                         | node_id | broker_id | details
        10:00:10     | kraft_broker_session_timeout | 101     | 3         |
        10:00:11.200 | kraft_broker_registering     | 101     | 3         | new_broker_epoch=212
        10:00:12     | kraft_broker_unfence_granted | 101     | 3         |"""),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts     | live_ts  | end_ts
        3         |              |              |          | 10:00:10
        3         | 212          | 10:00:11.200 | 10:00:12 |          """,
    )


def test_a_session_that_began_before_the_logs_has_no_start():
    same_rows(
        sessions("""
        ts       | kind                         | node_id | broker_id
        10:00:01 | isr_shrink                   | 2       |
        10:05:09 | kraft_broker_session_timeout | 101     | 2
        10:05:30 | isr_shrink                   | 2       |           """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_by
        2         |          | 10:05:09 | session_timeout """,
    )


@pytest.mark.parametrize(
    "start", ["", "10:00:00"]
)  # before the logs, or told by a controller whose logs go further back
def test_one_that_ends_soon_after_a_process_did_was_that_ones_though_the_next_may_have_begun(start):
    """KRaft lets the next process wait until the old session has timed out."""
    told = "10:00:00 | kraft_broker_unfence_granted | 101     | 2" if start else ""
    same_rows(
        sessions(f"""
        ts       | kind                         | node_id | broker_id
        {told}
        10:00:01 | isr_shrink                   | 2       |
        10:00:10 | broker_starting              | 2       |
        10:00:11 | kraft_broker_session_timeout | 101     | 2
        10:00:14 | kraft_broker_unfence_granted | 101     | 2
        10:05:30 | isr_shrink                   | 2       |           """),
        BROKER_SESSIONS,
        f"""
        broker_id | start_ts | end_ts   | ended_by | silent_ts
        2         | {start}  | 10:00:11 | crash    | 10:00:01
        2         | 10:00:14 |          |          |           """,
    )


@pytest.mark.parametrize(
    ("step", "ends", "by"),
    [
        ("any", "10:00:11", "unknown"),
        ("any", "10:05:11", "session_timeout"),
        ("broker_registered", "10:00:11", "session_timeout"),
    ],
    ids=["soon after the start", "later", "soon after it, but registered by then"],
)
def test_a_session_that_ends_soon_after_files_begin_with_a_start_was_that_of_a_process_before_them(step, ends, by):
    """Recorded (4.1.1, rotated logs): the broker was killed before its files begin, and did not keep running."""
    found = sessions(f"""
        ts       | kind                         | node_id | broker_id
        10:00:00 | process_start_line           | 2       |
        10:00:01 | broker_starting              | 2       |
        10:00:05 | {step}                       | 2       | 2
        {ends}   | kraft_broker_session_timeout | 101     | 2
        10:06:30 | isr_shrink                   | 2       |           """)
    same_rows(found, BROKER_SESSIONS, f"broker_id | start_ts | end_ts | ended_by\n2 | | {ends} | {by}")


def test_two_controllers_that_say_the_same_loss_make_one_end():
    same_rows(
        sessions("""
        ts           | kind                         | node_id | broker_id
        10:00:02.000 | kraft_broker_unfence_granted | 101     | 2
        10:05:09.000 | kraft_broker_session_timeout | 101     | 2
        10:05:09.040 | kraft_broker_session_timeout | 102     | 2
        10:05:40.000 | kraft_broker_unfence_granted | 101     | 2         """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts     | end_ts
        2         | 10:00:02.000 | 10:05:09.000
        2         | 10:05:40.000 |              """,
    )


def test_a_controller_rules_until_the_next_and_a_repeated_claim_is_none():
    """A KRaft node that comes back may claim the epoch that it led before (facts §8 trap 19)."""
    same_rows(
        controllers(
            events("""
        ts       | kind                         | node_id | controller_id | controller_epoch
        10:00:00 | kraft_controller_activated   | 101     | 101           | 3
        10:05:00 | kraft_controller_activated   | 102     | 102           | 4
        10:09:00 | kraft_controller_activated   | 101     | 101           | 3                """)
        ),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts | ready_ts | end_ts   | evidence
        101           | 3                | 10:00:00 | 10:00:00 | 10:05:00 | e1,e3
        102           | 4                | 10:05:00 | 10:05:00 |          | e2       """,
    )


def test_a_tenure_has_the_rounds_of_voting_before_it_that_nobody_won():
    """Two voters stood at once in epoch 3; the votes of the first election are those of its start."""
    lines = facts("""
        ts           | kind            | node_id | event_id | message
        10:00:00.000 | raft_transition | 1       | e0       | [RaftManager nodeId=1] Completed transition to CandidateState(localId=1, epoch=1, retries=1)
        10:00:00.500 | raft_transition | 1       | e1       | [RaftManager nodeId=1] Completed transition to Leader(localId=1, epoch=2, epochStartOffset=0)
        10:00:03.263 | raft_transition | 3       | e2       | [RaftManager nodeId=3] Completed transition to CandidateState(localId=3, epoch=3, retries=1)
        10:00:03.268 | raft_transition | 2       | e3       | [RaftManager nodeId=2] Completed transition to CandidateState(localId=2, epoch=3, retries=1)
        10:00:04.483 | raft_transition | 2       | e4       | [RaftManager nodeId=2] Completed transition to CandidateState(localId=2, epoch=4, retries=2)
        10:00:04.496 | raft_transition | 2       | e5       | [RaftManager nodeId=2] Completed transition to Leader(localId=2, epoch=4, epochStartOffset=66) """)
    same_rows(
        controllers(lines),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts     | lost_rounds | lost_rounds_from | lost_rounds_of | evidence
        1             | 2                | 10:00:00.500 |             |                  |                | e1
        2             | 4                | 10:00:04.496 | 1           | 10:00:03.263     | 2,3            | e5,e2,e3 """,
    )


def test_rounds_of_a_voter_that_was_cut_off_while_the_others_had_a_leader_are_not_those_of_the_next_election():
    lines = facts("""
        ts           | kind            | node_id | event_id | message
        10:00:00.500 | raft_transition | 2       | e1       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=2, epochStartOffset=0)
        10:00:10.000 | raft_transition | 1       | e2       | [RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=3, retries=1)
        10:00:20.000 | raft_transition | 1       | e3       | [RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=4, retries=2)
        10:00:40.000 | raft_transition | 2       | e4       | [RaftManager id=2] Completed transition to Unattached(epoch=4, voters=[1, 2, 3]) from Leader(localId=2, epoch=2)
        10:00:41.000 | raft_transition | 1       | e5       | [RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=5, retries=3)
        10:00:42.000 | raft_transition | 2       | e6       | [RaftManager id=2] Completed transition to Leader(localId=2, epoch=6, epochStartOffset=9) """)
    assert [(one.controller_epoch, one.lost_rounds, one.lost_rounds_of) for one in controllers(lines)] == [
        (2, None, None),
        (6, 1, [1]),
    ]


def test_a_claim_of_an_epoch_that_had_ended_is_repeated_and_shows_no_begin():
    """A restarted node prints its metadata log again; the logs begin after the tenure."""
    same_rows(
        controllers(
            events("""
        ts       | kind                       | node_id | controller_id | controller_epoch
        10:00:00 | kraft_controller_activated | 3       | 3             | 3
        10:00:40 | kraft_controller_activated | 2       | 2             | 1                """)
        ),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts | end_ts
        2             | 1                |          | 10:00:00
        3             | 3                | 10:00:00 |          """,
    )


def test_a_tenure_ends_where_the_node_says_that_it_is_the_active_controller_no_more():
    """What it wrote shortly before may have been reverted; the next one may begin much later. A node that was not the controller
    then ends no tenure."""
    same_rows(
        controllers(
            events("""
        ts       | kind                       | node_id | controller_id | controller_epoch
        10:00:00 | kraft_controller_activated | 101     | 101           | 3
        10:01:00 | kraft_controller_renounced | 102     |               |
        10:04:00 | kraft_controller_renounced | 101     |               |
        10:05:00 | kraft_controller_activated | 102     | 102           | 4
        10:06:00 | kraft_controller_renounced | 102     |               |                """)
        ),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts | ready_ts | end_ts
        101           | 3                | 10:00:00 | 10:00:00 | 10:04:00
        102           | 4                | 10:05:00 | 10:05:00 | 10:06:00 """,
    )


def test_a_kraft_controller_is_elected_before_it_is_active_and_ends_where_it_leads_the_quorum_no_more():
    """As recorded of 3.8.0. Node 102 was elected in epoch 2 and never active; a follower's transition ends no tenure."""
    same_rows(
        controllers(
            events("""
        ts           | kind                       | node_id | controller_id | controller_epoch | message
        10:00:00.000 | raft_transition            | 103     |               |                  | [RaftManager id=103] Completed transition to Leader(localId=103, epoch=1, epochStartOffset=0) from CandidateState(localId=103, epoch=1)
        10:00:00.524 | kraft_controller_activated | 103     | 103           | 1                |
        10:00:10.000 | raft_transition            | 101     |               |                  | [RaftManager id=101] Completed transition to Unattached(epoch=1) from FollowerState(fetchTimeoutMs=2000, epoch=1, leader=103)
        10:00:20.566 | raft_transition            | 103     |               |                  | [RaftManager id=103] Completed transition to ResignedState(localId=103, epoch=1) from Leader(localId=103, epoch=1, epochStartOffset=0)
        10:00:21.034 | kraft_controller_renounced | 103     |               |                  |
        10:00:30.000 | raft_transition            | 102     |               |                  | [RaftManager id=102] Completed transition to Leader(localId=102, epoch=2, epochStartOffset=60) from CandidateState(localId=102, epoch=2)
        10:00:48.036 | raft_transition            | 103     |               |                  | [RaftManager id=103] Completed transition to Leader(localId=103, epoch=14, epochStartOffset=66) from CandidateState(localId=103, epoch=14)
        10:00:48.075 | kraft_controller_activated | 103     | 103           | 14               | """)
        ),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts     | ready_ts     | end_ts       | evidence
        103           | 1                | 10:00:00.000 | 10:00:00.524 | 10:00:20.566 | e1,e2
        103           | 14               | 10:00:48.036 | 10:00:48.075 |              | e7,e8 """,
    )


def test_a_combined_node_is_a_broker_and_no_controller_alone():
    tenures = rows(CONTROLLERS, "mode | controller_id | controller_epoch\n kraft | 103 | 1\n zk | 9 | 2")
    voters = rows(VOTER_SETS, "node_id | start_ts | voters\n 103 | 10:00:00 | 1,2,101,103")
    settings = rows(
        SETTINGS,
        """
        node_id | ts       | name          | value
        2       | 10:00:00 | process.roles | [broker, controller]
        101     | 10:00:00 | process.roles | [controller]         """,
    )
    assert only_controllers(tenures, voters, settings, {1}) == {101, 103}


def test_a_zookeeper_controller_is_ready_some_time_after_its_election():
    same_rows(
        controllers(
            events("""
        ts           | kind                         | node_id | controller_id | controller_epoch | details
        10:00:00.000 | controller_elected           | 2       | 2             | 7                |
        10:00:00.400 | controller_failover_complete | 2       | 2             | 7                |         """)
        ),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts     | ready_ts     | end_ts
        2             | 7                | 10:00:00.000 | 10:00:00.400 |        """,
    )


def test_without_a_line_of_a_controller_voters_and_observers_show_who_led_the_quorum():
    lines = """
        ts       | kind            | node_id | controller_epoch | message
        10:00:00 | raft_transition | 1       | | [RaftManager id=1] Completed transition to CandidateState(localId=1, epoch=7, retries=1)
        10:00:01 | raft_transition | 1       | | [RaftManager id=1] Completed transition to Leader(localReplicaKey=ReplicaKey(id=1), epoch=7, epochStartOffset=4)
        10:00:02 | raft_transition | 4       | | [RaftManager id=4] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=7, leader=1) from Unattached(epoch=7, leader=9)
        10:05:00 | raft_transition | 4       | | [RaftManager nodeId=4] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=9, leaderId=3)"""
    same_rows(
        controllers(events(lines)),
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts | ready_ts | end_ts
        kraft | 1             | 7                | 10:00:01 |          | 10:05:00
        kraft | 3             | 9                | 10:05:00 |          |          """,
    )
    told = """
        10:00:03 | kraft_controller_activated | 2 | 8 | """
    same_rows(
        controllers(events(lines + told)),
        CONTROLLERS,
        """
        mode  | controller_id | controller_epoch | start_ts
        kraft | 2             | 8                | 10:00:03 """,
    )


_EXPIRED = """
        ts       | kind                      | node_id | details
        09:59:50 | broker_starting           | 2       |
        09:59:51 | zk_session_connected      | 2       | session_id=0xb
        10:00:00 | controller_active_brokers | 1       | live_brokers=1,2
        {at}     | zookeeper_session_expired | 0       | session_id=0xb
        10:00:20 | controller_broker_change  | 1       | live_brokers=1   """


@pytest.mark.parametrize(
    ("at", "second", "ends"),
    [
        pytest.param("10:00:12", "", "10:00:12", id="ZooKeeper expired it seconds before the controller looked"),
        pytest.param("10:00:19", "", "10:00:20", id="the controller looked at once"),
        pytest.param("10:00:12", "10:00:05 | broker_starting", "10:00:12", id="the next process has its own session"),
        pytest.param("10:00:12", "10:00:05 | any", "10:00:20", id="the process has two sessions: which is not known"),
    ],
)
def test_zookeepers_own_log_dates_the_end_of_a_session_that_no_controller_saw(at, second, ends):
    told = _EXPIRED.format(at=at)
    if second:
        told += f"\n        {second} | 2 |\n        10:00:06 | zk_session_connected | 2 | session_id=0xd"
    same_rows(
        [one for one in sessions(told) if one.broker_id == 2],
        BROKER_SESSIONS,
        f"broker_id | start_ts | end_ts\n2 | 10:00:00 | {ends}",
    )


@for_each(
    ("at", "cached", "ends"),
    [
        pytest.param("10:00:19.700", "", "10:00:19.700", id="ZooKeeper expired it before the controller started"),
        pytest.param("10:00:20.100", "", "10:00:20", id="the clock of ZooKeeper is behind the list"),
        pytest.param(
            "10:00:19.700", "Initialized broker epochs cache: Map(1 -> 57)", "10:00:19.700", id="and before the epochs"
        ),
        pytest.param("", "Initialized broker epochs cache: Map(1 -> 57)", "10:00:19.900", id="the epochs come first"),
        pytest.param("", "Updated broker epochs cache: Map(1 -> 57)", "10:00:20", id="epochs after a change"),
        pytest.param("", "Initialized broker epochs cache: Map(1 -> 57, 2 -> 59)", "10:00:20", id="it is still there"),
        pytest.param("", "", "10:00:20", id="only the list"),
    ],
)
def test_a_session_ends_before_the_new_controller_lists_who_is_left(at, cached, ends):
    told = """
        ts           | kind                      | node_id | details               | message
        09:59:50     | broker_starting           | 2       |                       |
        09:59:51     | zk_session_connected      | 2       | session_id=0xb        |
        10:00:00     | controller_active_brokers | 2       | live_brokers=1,2      |
        10:00:20     | controller_active_brokers | 1       | live_brokers=1        | """
    if at:
        told += f"\n        {at} | zookeeper_session_expired | 0 | session_id=0xb | "
    if cached:
        told += f"\n        10:00:19.900 | controller_broker_epochs | 1 | broker_epochs={cached.partition(': ')[2]} | {cached}"
    same_rows(
        [one for one in sessions(told) if one.broker_id == 2],
        BROKER_SESSIONS,
        f"broker_id | start_ts | end_ts\n2 | 10:00:00 | {ends}",
    )


def test_a_broker_that_registered_with_zookeeper_is_a_member_before_the_new_controller_looks():
    """Broker 2 registered 5 s before; broker 3 half a second before, which the clocks of two nodes cannot tell apart."""
    told = """
        ts           | kind                      | node_id | details
        10:00:00     | controller_active_brokers | 1       | live_brokers=1,2,3
        10:00:20     | controller_broker_change  | 1       | live_brokers=1
        10:00:40     | broker_registered_zk      | 2       |
        10:00:44.500 | broker_registered_zk      | 3       |
        10:00:45     | controller_broker_change  | 1       | live_brokers=1,2,3 """
    same_rows(
        [one for one in sessions(told) if one.broker_id != 1 and one.end_ts is None],
        BROKER_SESSIONS,
        """
        broker_id | start_ts     | live_ts
        2         | 10:00:40     |
        3         | 10:00:44.500 | 10:00:45 """,
    )


def test_a_broker_that_registers_and_becomes_the_controller_itself_has_a_session():
    """The new controller's first list names it as before. Broker 2 registers again: its znode has another czxid, so the
    session before had ended.
    """
    told = """
        ts       | kind                      | node_id | broker_epoch | details
        10:00:00 | controller_active_brokers | 1       |              | live_brokers=1,2
        10:00:10 | controller_broker_change  | 1       |              | live_brokers=2;dead_brokers=1
        10:00:20 | broker_registered_zk      | 1       | 220          |
        10:00:30 | broker_registered_zk      | 2       | 230          | """
    same_rows(
        sessions(told),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | end_ts
        1         |              | 10:00:00 | 10:00:10
        1         | 220          | 10:00:20 |
        2         |              | 10:00:00 | 10:00:30
        2         | 230          | 10:00:30 |          """,
    )


@for_each(
    ("named", "sessions_of_1"),
    [
        ("10:00:11", "1 | 10:00:00 | | 10:00:10"),  # the clocks of two nodes do not tell these apart
        ("10:01:00", "1 | 10:00:00 | | 10:00:10\n1 | | 10:01:00 |"),
    ],
)
def test_a_broker_that_others_find_as_the_controller_after_its_session_has_another_one(named, sessions_of_1):
    told = f"""
        ts       | kind                      | node_id | details
        10:00:00 | controller_active_brokers | 3       | live_brokers=1,2,3
        10:00:10 | controller_broker_change  | 3       | live_brokers=2,3
        {named}  | controller_election_lost  | 2       | active_controller_id=1"""
    same_rows(
        [one for one in sessions(told) if one.broker_id == 1],
        BROKER_SESSIONS,
        f"broker_id | start_ts | live_ts | end_ts\n{sessions_of_1}",
    )


_DEPOSED = """
    ts           | kind                       | node_id | event_id | controller_id | controller_epoch | message | details
    10:00:00.000 | raft_transition            | 2       | e1       |               |                  | [RaftManager nodeId=2] Completed transition to Leader(localId=2, epoch=1, epochStartOffset=0) |
    10:00:00.100 | kraft_controller_activated | 2       | e2       | 2             | 1                | |
    10:00:50.000 | raft_transition            | 1       | e3       |               |                  | [RaftManager nodeId=1] Completed transition to CandidateState(localId=1, epoch=15, retries=14) |
    10:00:50.020 | raft_transition            | 2       | e4       |               |                  | [RaftManager nodeId=2] Completed transition to Unattached(epoch=15, voters=[1, 2, 3]) |
    10:00:50.021 | kraft_controller_renounced | 2       | e5       |               |                  | | new_epoch=15
    10:00:50.022 | raft_vote_decision         | 2       | e6       |               |                  | Vote request VoteRequestData(topics=[TopicData(partitions=[PartitionData(candidateEpoch=15, candidateId=1, lastOffsetEpoch=1, lastOffset=58)])]) with epoch 15 is rejected |
    10:00:51.100 | raft_transition            | 3       | e7       |               |                  | [RaftManager nodeId=3] Completed transition to Leader(localId=3, epoch=17, epochStartOffset=60) |
    10:00:51.200 | kraft_controller_activated | 3       | e8       | 3             | 17               | | """


def _without(text: str, *events: str) -> str:
    return "\n".join(line for line in text.split("\n") if not any(f"| {event} " in line for event in events))


@for_each(
    ("lines", "by", "proof"),
    [
        (_DEPOSED, 1, ["e4", "e6"]),
        (_without(_DEPOSED, "e6"), 1, ["e4", "e3"]),
        (_without(_DEPOSED, "e4"), 1, ["e5", "e6"]),
        (_without(_DEPOSED, "e3", "e6"), None, None),
        (_DEPOSED.replace("lastOffsetEpoch=1,", "preVote=true,").replace("CandidateState", "ProspectiveState"), None, None),
        (_without(_DEPOSED, "e4", "e5"), None, None),
        (_DEPOSED.replace("10:00:50.02", "10:00:59.02"), None, None),
        (_DEPOSED.replace("candidateId=1", "candidateId=2").replace("| 1       | e3", "| 2       | e3"), None, None),
    ],
    ids=["as recorded", "its own line", "no transition", "nobody known", "pre-vote", "left unsaid", "woke later", "stood itself"],
)  # fmt: skip
def test_a_controller_is_deposed_by_the_voter_that_stood_in_the_epoch_for_which_it_gave_up(lines, by, proof):
    """As recorded of 3.4.1. A leader that gives up after the election of the next one was away; in a pre-vote nobody stands."""
    first, _ = (one for one in controllers(facts(lines)) if one.mode == "kraft")
    assert (first.deposed_by, first.deposed_evidence and list(first.deposed_evidence)) == (by, proof)


def test_a_voter_that_left_the_controller_for_the_request_of_a_third_one_had_not_lost_contact():
    """The third one, cut off from the controller, called the first election; as recorded of 3.7.2."""
    asked = """
        10:00:48.000 | raft_transition    | 3 | e10 | | | [RaftManager nodeId=3] Completed transition to CandidateState(localId=3, epoch=13, retries=1) from Unattached(epoch=1, voters=[1, 2, 3]) |
        10:00:48.010 | raft_transition    | 1 | e11 | | | [RaftManager nodeId=1] Completed transition to Unattached(epoch=13, voters=[1, 2, 3]) from FollowerState(fetchTimeoutMs=2000, epoch={led}, leaderId=2, voters=[1, 2, 3]) |
        10:00:48.011 | raft_vote_decision | 1 | e12 | | | Vote request VoteRequestData(topics=[TopicData(partitions=[PartitionData(candidateEpoch=13, candidateId=3, lastOffsetEpoch=1, lastOffset=5)])]) with epoch 13 is rejected | """

    def told(led):
        first, _ = (one for one in controllers(facts(_DEPOSED + asked.format(led=led))) if one.mode == "kraft")
        return first.deposed_by, first.deposed_through, first.deposed_in, list(first.deposed_evidence)

    assert told(led=1) == (3, 1, 13, ["e4", "e6", "e12"])
    assert told(led=0) == (1, None, 15, ["e4", "e6"])


def test_an_epoch_that_a_voter_won_without_becoming_active_is_not_a_round_without_a_winner():
    rounds = """
        10:00:50.300 | raft_transition | 1 | e21 | | | [RaftManager nodeId=1] Completed transition to CandidateState(localId=1, epoch=16, retries=1) |
        10:00:50.400 | raft_transition | 1 | e22 | | | [RaftManager nodeId=1] Completed transition to Leader(localId=1, epoch=16, epochStartOffset=58) | """
    _, then = (one for one in controllers(facts(_DEPOSED + rounds)) if one.mode == "kraft")
    assert then.lost_rounds == 1


def test_the_round_of_the_voter_that_deposed_the_controller_is_one_that_nobody_won():
    """It stood just before the controller gave up; the rounds while it was cut off are none of this election."""
    away = """
        10:00:40.000 | raft_transition | 1 | e0 | | | [RaftManager nodeId=1] Completed transition to CandidateState(localId=1, epoch=14, retries=13) | """
    _, then = (one for one in controllers(facts(_DEPOSED + away)) if one.mode == "kraft")
    assert (then.lost_rounds, then.lost_rounds_of, then.lost_rounds_from.microsecond) == (1, [1], 20_000)


def test_a_controller_that_a_starting_node_learns_of_had_been_elected_before():
    """Its own line dates the election; the tenure before bounds a later one."""
    learns = """
        ts       | kind            | node_id | message
        10:00:00 | raft_transition | 3       | [RaftManager id=3] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=4, leader=101, voters=[101, 102])
        10:01:00 | raft_transition | 3       | [RaftManager id=3] Completed transition to FollowerState(fetchTimeoutMs=2000, epoch=5, leader=102, voters=[101, 102]) """
    leads = """
        09:59:59 | raft_transition | 101     | [RaftManager id=101] Completed transition to Leader(localId=101, epoch=4, epochStartOffset=0) """
    for lines, begun_before in ((learns, "true"), (learns + leads, "")):
        same_rows(
            controllers(facts(lines)),
            CONTROLLERS,
            f"controller_id | controller_epoch | begun_before\n 101 | 4 | {begun_before}\n 102 | 5 | ",
        )


def test_a_broker_whose_epoch_only_a_line_about_an_isr_shows_has_a_session_from_before():
    """A broker with a session of its own needs none."""
    lines = """
        ts       | kind                      | node_id | broker_id | broker_epoch | message
        10:00:00 | broker_registered         | 1       |           | 410          | [BrokerLifecycleManager id=1] Successfully registered broker 1 with broker epoch 410
        10:00:01 | kraft_broker_unfence_granted | 101  | 1         |              |
        10:00:10 | isr_update_rejected_reset | 1       |           |              | [Partition orders-9 broker=1] Failed to alter partition to PendingExpandIsr(isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=409), BrokerState(brokerId=2, brokerEpoch=268))) """
    same_rows(
        sessions(lines),
        BROKER_SESSIONS,
        """
        broker_id | broker_epoch | start_ts | end_ts | evidence
        1         | 410          | 10:00:00 |        | e1,e2
        2         | 268          |          |        | e3 """,
    )


_BACK_AS_CONTROLLER = """
    ts       | kind                           | node_id | controller_id | controller_epoch | details
    10:00:00 | controller_elected             | 3       | 3             | 1                |
    10:00:01 | controller_active_brokers      | 3       | 3             |                  | live_brokers=1,2,3
    10:00:20 | controller_broker_change       | 3       | 3             |                  | live_brokers=3
    10:01:00 | controller_election_lost       | 2       | 2             |                  | active_controller_id=1
    10:01:01 | broker_metadata_update_summary | 2       | 1             | 2                |
    10:01:02 | broker_metadata_update_summary | 3       | 1             | 2                | """


@for_each(
    ("lines", "since", "proof"),
    [
        (_BACK_AS_CONTROLLER, "10:01:00", "e4"),
        (_without(_BACK_AS_CONTROLLER, "controller_election_lost"), "10:01:01", "e4"),
        (_without(_BACK_AS_CONTROLLER, "controller_election_lost").replace("| 1             | 2 ", "| 3             | 2 "), None, None),
    ],
    ids=["found", "sends requests", "another one"],
)  # fmt: skip
def test_a_broker_that_sends_the_first_request_of_a_controller_epoch_is_back(lines, since, proof):
    """Only a registered broker is elected; when it registered is not logged."""
    own = [one for one in sessions(lines) if one.broker_id == 1][1:]
    found = [(one.start_ts, f"{one.live_ts:%H:%M:%S}", list(one.evidence)) for one in own]
    assert found == ([] if since is None else [(None, since, [proof])])


def test_requests_show_a_zookeeper_controller_whose_own_lines_are_missing():
    """It was elected by then; the epoch of a controller that logged its election needs no request."""
    requests = (
        _BACK_AS_CONTROLLER
        + """
    10:00:02 | broker_metadata_update_summary | 2       | 3             | 1                | """
    )
    same_rows(
        controllers(facts(requests)),
        CONTROLLERS,
        """
        controller_id | controller_epoch | start_ts | begun_before | end_ts   | evidence
        3             | 1                | 10:00:00 |              | 10:01:01 | e1
        1             | 2                | 10:01:01 | true         |          | e5 """,
    )


def test_a_broker_that_registers_with_zookeeper_again_had_another_session_before():
    """Without the lines of the controllers since then: the end of a session comes before the broker's own lines about
    it.
    """
    same_rows(
        sessions("""
        ts       | kind                      | node_id | details            | broker_epoch
        10:00:00 | broker_registered_zk      | 3       |                    | 61
        10:00:01 | controller_active_brokers | 3       | live_brokers=1,2,3 |
        10:00:40 | zk_session_expired        | 3       |                    |
        10:00:41 | broker_registered_zk      | 3       |                    | 127
        10:01:30 | broker_registered_zk      | 3       |                    | 222
        10:01:50 | zk_session_expired        | 3       |                    | """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_before | broker_epoch
        1         | 10:00:01 |          |              |
        2         | 10:00:01 |          |              |
        3         | 10:00:00 | 10:00:40 | true         | 61
        3         | 10:00:41 | 10:01:30 | true         | 127
        3         | 10:01:30 | 10:01:50 | true         | 222 """,
    )


def test_a_controllers_line_about_the_end_of_a_session_takes_precedence_over_the_brokers_own():
    same_rows(
        sessions("""
        ts       | kind                      | node_id | details            | broker_epoch
        10:00:01 | controller_active_brokers | 1       | live_brokers=1,3   |
        10:00:20 | controller_broker_change  | 1       | live_brokers=1     |
        10:00:40 | zk_session_expired        | 3       |                    |
        10:00:41 | broker_registered_zk      | 3       |                    | 127
        10:00:42 | controller_broker_change  | 1       | live_brokers=1,3   |
        10:01:10 | broker_registered_zk      | 3       |                    | 222
        10:01:11 | controller_broker_change  | 1       | live_brokers=1,3;bounced_brokers=3 | """),
        BROKER_SESSIONS,
        """
        broker_id | start_ts | end_ts   | ended_before | broker_epoch
        1         | 10:00:01 |          |              |
        3         | 10:00:01 | 10:00:20 |              |
        3         | 10:00:41 | 10:01:11 |              | 127
        3         | 10:01:11 |          |              | 222 """,
    )
