"""State reports laid end to end: leader epochs and ISR spans."""

from __future__ import annotations

import pytest

from replay.facts.window import ALL_TIME
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.isr_spans import committed_isrs, isr_states
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import eligible_leaders, partition_states
from replay.tables import ELIGIBLE_LEADERS, EVENTS
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, LINE_RUNS, RELEASES
from replay.tables.control_plane import FEATURE_LEVELS
from replay.tables.partitions import (
    ASSIGNMENTS,
    COMMITTED_ISRS,
    PARTITION_STATES,
    REBUILT_LEADER_EPOCHS,
    TOPIC_LIVES,
    TOPIC_SETTINGS,
)
from replay.timelines import folds
from tests.each import for_each
from tests.partitions.reports import reports
from tests.tables import facts, rows, same_rows

RELEASE = "node_id | version_low | version_high\n 1 | {0} | {0}"
LEVELS = "feature | level | changed\n metadata.version | 27 | false"


def seen(text):
    """Reports about orders-3, each named s1, s2 … in the order of time."""
    in_time = sorted(reports(text, topic="orders", partition=3, life=0), key=lambda report: report.ts)
    return [report.but(event_id=f"s{number}") for number, report in enumerate(in_time, start=1)]


def _epochs(states, told="ts", begun="node_id", lives="topic", assigned="topic"):
    moves = BrokerMoves.of(facts(told), rows(LINE_RUNS, begun))
    replicas, lives = rows(ASSIGNMENTS, assigned), TopicLives(rows(TOPIC_LIVES, lives))
    stated = folds.leader_epochs(states)
    return dated_leader_epochs(stated, partition_states(states, moves), replicas, lives, moves, ALL_TIME, states)


def _spans(
    states, epochs=None, events="ts", releases="node_id", told="ts", mode="zk", settings="topic", levels="feature"
):
    of_partition = _epochs(states, told) if epochs is None else epochs
    with_isr = isr_states(
        partition_states(states, BrokerMoves.of(facts(told))),
        of_partition,
        rows(RELEASES, releases),
        rows(CONTROLLERS, f"mode\n{mode}"),
        rows(FEATURE_LEVELS, levels),
        rows(TOPIC_SETTINGS, settings),
    )
    laid = folds.isr_spans(with_isr)
    return committed_isrs(laid, of_partition, [], rows(EVENTS, events), TopicLives(), {}, ALL_TIME)


def test_no_observations_no_epochs_no_spans():
    nothing = seen("ts")
    assert _epochs(nothing) == []
    assert _spans(nothing) == []


def test_an_elr_holds_until_the_next_state_even_if_that_does_not_show_one():
    """A follower's line of an older release names no ELR; an ELR that is told to be empty has no row."""
    same_rows(
        eligible_leaders(
            partition_states(
                seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | elr | last_known_elr
        10:00:01 | leader   | 2            | 4               | 3         | 2,3   | []  | []
        10:00:09 | decision | 3            | 5               | 3         | 3     | 2   | []
        10:00:10 | follower | 3            | 5               | 3         | 3     |     |
        10:00:20 | decision | 4            | 6               | -1        | []    | 2,3 | []
        10:00:25 | decision | 4            | 7               | -1        | []    | 2   | 3
        10:00:50 | follower | 5            | 8               | 2         | 2     |     |  """),
                BrokerMoves(),
            )
        ),
        ELIGIBLE_LEADERS,
        """
        leader_epoch | partition_epoch | leader_id | isr | elr | last_known_elr | start_ts | end_ts
        3            | 5               | 3         | 3   | 2   | []             | 10:00:09 | 10:00:20
        4            | 6               | -1        | []  | 2,3 | []             | 10:00:20 | 10:00:25
        4            | 7               | -1        | []  | 2   | 3              | 10:00:25 | 10:00:50 """,
    )


def test_an_epoch_that_is_only_mentioned_ends_the_one_before_and_its_isr():
    """A follower takes on leader epoch 8 and no line tells who leads: broker 1 does not any more."""
    states = seen("""
        ts       | witness  | leader_epoch | leader_id | isr | epoch_start_offset | born
        10:00:01 | leader   | 7            | 1         | 1,2 | 100                | true
        10:00:09 | follower | 8            |           |     |                    | true
        10:00:30 | leader   | 9            | 2         | 2   | 180                | true """)
    same_rows(
        _epochs(states),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts | end_ts
        7            | 1         | 10:00:01 | 10:00:09
        9            | 2         | 10:00:30 |          """,
    )
    same_rows(
        _spans(states),
        COMMITTED_ISRS,
        """
        leader_epoch | isr | start_ts | end_ts
        7            | 1,2 | 10:00:01 | 10:00:09
        9            | 2   | 10:00:30 |          """,
    )


def test_an_epoch_ends_where_the_next_begins_and_the_last_stays_open():
    same_rows(
        _epochs(
            seen("""
        ts       | witness | leader_epoch | leader_id | isr | epoch_start_offset | born
        10:00:01 | leader  | 7            | 1         | 1,2 | 100                | true
        10:00:09 | leader  | 8            | 2         | 2   | 140                | true """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        topic  | partition | leader_epoch | leader_id | epoch_start_offset | start_ts | end_ts   | confidence | evidence
        orders | 3         | 7            | 1         | 100                | 10:00:01 | 10:00:09 | observed   | s1
        orders | 3         | 8            | 2         | 140                | 10:00:09 |          | observed   | s2       """,
    )


def test_epochs_follow_their_numbers_not_the_clocks_of_the_nodes():
    """Broker 2's clock is behind: its line of epoch 8 bears an earlier stamp than epoch 7's."""
    same_rows(
        _epochs(
            seen("""
        ts       | witness | leader_epoch | leader_id | isr | born
        10:00:05 | leader  | 7            | 1         | 1,2 | true
        10:00:03 | leader  | 8            | 2         | 2   | true
        10:00:30 | leader  | 9            | 1         | 1   | true """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | start_ts | end_ts
        7            | 10:00:05 | 10:00:03
        8            | 10:00:03 | 10:00:30
        9            | 10:00:30 |          """,
    )


def test_a_repeated_line_after_a_restart_makes_no_epoch_and_moves_no_start():
    same_rows(
        _epochs(
            seen("""
        ts       | witness | leader_epoch | leader_id | isr | epoch_start_offset | born
        10:00:01 | leader  | 5            | 2         | 2   | 100                | true
        10:09:00 | leader  | 5            | 2         | 2   | 92                 | false """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | epoch_start_offset | start_ts | end_ts | confidence
        5            | 2         | 100                | 10:00:01 |        | observed   """,
    )


def test_an_epoch_first_seen_under_way_is_inferred():
    same_rows(
        _epochs(
            seen("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:09:00 | follower | 5            | 2         |     | false """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | confidence
        5            | 2         | inferred   """,
    )


def test_the_metadata_log_dates_an_epoch_that_brokers_apply_later():
    same_rows(
        _epochs(
            seen("""
        ts           | witness | leader_epoch | leader_id | isr | epoch_start_offset | born
        10:00:01.500 | leader  | 8            | 2         | 2   | 140                | true
        10:00:01.120 | record  | 8            | 2         | 2   |                    | true
        10:00:00.900 | request | 8            | 2         | 2   |                    | false """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | epoch_start_offset | start_ts
        8            | 140                | 10:00:01.120 """,
    )


def test_of_two_witnesses_the_better_one_names_the_leader():
    """A follower of 3.6 to 4.1 prints the new leader as the previous one (facts §8 trap 4); the controller is right."""
    same_rows(
        _epochs(
            seen("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:00:01 | follower | 8            | 9         |     | true
        10:00:02 | decision | 8            | 2         | 2,3 | true """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id
        8            | 2         """,
    )


def test_an_epoch_without_leader_is_an_epoch():
    same_rows(
        _epochs(
            seen("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 1         | 1   | true
        10:00:20 | decision | 3            | -1        | 1   | true
        10:00:50 | decision | 4            | 2         | 2   | true """)
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts | end_ts
        2            | 1         | 10:00:01 | 10:00:20
        3            | -1        | 10:00:20 | 10:00:50
        4            | 2         | 10:00:50 |          """,
    )


def test_a_state_logged_twice_is_one_state():
    """The leader's line has no partition epoch (before 3.3); the controller's decision of the same ISR has it."""
    same_rows(
        partition_states(
            seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | replicas
        10:00:01 | decision | 7            | 12              | 1         | 1,2 |
        10:00:02 | leader   | 7            |                 | 1         | 1,2 | 1,2,3
        10:00:03 | request  | 7            | 12              | 1         | 1,2 | 1,2,3    """),
            BrokerMoves(),
        ),
        PARTITION_STATES,
        """
        leader_epoch | partition_epoch | leader_id | isr | replicas | witness  | ts       | evidence
        7            | 12              | 1         | 1,2 | 1,2,3    | decision | 10:00:01 | s1,s3    """,
    )


def test_an_isr_lasts_until_the_next_committed_one():
    same_rows(
        _spans(
            seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | replicas | born
        10:00:01 | decision | 7            | 0               | 1         | 1,2,3 | 1,2,3    | true
        10:00:05 | commit   | 7            | 1               | 1         | 1,2   |          | false
        10:00:09 | commit   | 7            | 2               | 1         | 1,2,3 |          | false
        10:00:20 | decision | 8            | 3               | 2         | 2,3   |          | true  """)
        ),
        COMMITTED_ISRS,
        """
        leader_epoch | partition_epoch | leader_id | isr   | replicas | start_ts | end_ts   | confidence
        7            | 0               | 1         | 1,2,3 | 1,2,3    | 10:00:01 | 10:00:05 | observed
        7            | 1               | 1         | 1,2   | 1,2,3    | 10:00:05 | 10:00:09 | observed
        7            | 2               | 1         | 1,2,3 | 1,2,3    | 10:00:09 | 10:00:20 | observed
        8            | 3               | 2         | 2,3   | 1,2,3    | 10:00:20 |          | observed   """,
    )


def test_an_announced_isr_is_inferred():
    same_rows(
        _spans(
            seen("""
        ts       | witness | leader_epoch | leader_id | isr | born
        10:00:01 | leader  | 7            | 1         | 1,2 | true
        10:00:05 | intent  | 7            | 1         | 1   | false """)
        ),
        COMMITTED_ISRS,
        """
        isr | start_ts | confidence
        1,2 | 10:00:01 | observed
        1   | 10:00:05 | inferred   """,
    )


def test_without_a_leader_the_last_member_stays_in_the_isr():
    """The last member is never removed (facts §1.2), so it is known though no line prints it."""
    same_rows(
        _spans(
            seen("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 1         | 1   | true
        10:00:20 | follower | 3            | -1        |     | true
        10:00:50 | decision | 4            | 1         | 1   | true """)
        ),
        COMMITTED_ISRS,
        """
        leader_epoch | leader_id | isr | start_ts | end_ts   | confidence
        2            | 1         | 1   | 10:00:01 | 10:00:20 | observed
        3            | -1        | 1   | 10:00:20 | 10:00:50 | inferred
        4            | 1         | 1   | 10:00:50 |          | observed   """,
    )


LOST_POWER = """
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        09:00:00.000 | leader   | 0            | {}              | 1         | 1,2,3 | true
        10:00:05.660 | follower | 2            |                 | -1        |       | true
        10:00:09.000 | leader   | {}           | 3               | 1         | {}    | true """
BEGAN_BEFORE = rows(
    REBUILT_LEADER_EPOCHS,
    """
    topic  | partition | life | leader_epoch | leader_id | start_ts
    orders | 3         | 0    | 0            | 1         | 09:00:00
    orders | 3         | 0    | 2            | -1        | 10:00:04
    orders | 3         | 0    | 3            | 1         | 10:00:06 """,
)
FORBIDS = {"settings": "topic | unclean_allowed\n orders | false", "mode": "kraft", "releases": RELEASE.format(30401)}


@for_each(
    ("states", "given", "kept"),
    [
        ((0, 3, "1,2"), {}, [1, 2]),
        ((1, 3, "1,2"), {}, None),
        ((0, 3, "1,2"), {"epochs": BEGAN_BEFORE}, [1, 2]),
        ((1, 3, "1,2"), {"epochs": BEGAN_BEFORE}, None),
        ((0, 4, "1,2"), {}, None),
        ((0, 3, "1,2"), {"settings": "topic | unclean_allowed\n orders | true"}, None),
        ((0, 3, "1,2"), {"settings": "topic | unclean_allowed\n others | false"}, None),
        ((0, 3, "1,2"), {"mode": "zk"}, None),
        ((0, 3, "1,2"), {"releases": RELEASE.format(40101)}, None),
        ((0, 3, "1,2"), {"releases": RELEASE.format(40101), "levels": LEVELS}, [1, 2]),
    ],
    ids=[
        "as the next leader begins",
        "as the next leader begins, after changes that no line shows: one may be in its leader epoch",
        "some time after it began: no other change since the last leader",
        "some time after it began: the ISR may have changed",
        "the leader epoch between them is not known",
        "the next leader may come from outside the ISR",
        "no line shows whether it may",
        "ZooKeeper's controller keeps whom it finds alive",
        "from 4.0 on the ISR may be empty",
        "but not without eligible leader replicas",
    ],
)
def test_in_kraft_the_isr_without_a_leader_is_the_one_with_which_the_next_leader_begins(states, given, kept):
    found = _spans(seen(LOST_POWER.format(*states)), **(FORBIDS | given))
    assert [(row.isr, row.confidence) for row in found if row.leader_id == -1] == ([(kept, "inferred")] if kept else [])


def test_a_time_without_leader_begins_when_the_last_leader_was_fenced_though_it_is_reported_on_its_return():
    """Not when another broker was, nor the same one in an earlier leader epoch; what a controller saw begin stays."""
    states = seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | leader   | 2            | 2               | 1         | 1   | true
        10:59:59 | follower | 3            | 3               | -1        | 1   | true
        11:00:00 | leader   | 4            | 4               | 1         | 1   | true
        11:10:00 | decision | 5            | 5               | -1        | 1   | true """)
    fences = """
        ts       | kind                         | broker_id | event_id
        09:59:00 | kraft_broker_session_timeout | 1         | fence-0
        10:00:05 | kraft_broker_session_timeout | 2         | fence-1
        10:00:09 | kraft_broker_session_timeout | 1         | fence-2
        11:09:00 | kraft_broker_session_timeout | 1         | fence-3 """
    epochs = _epochs(states, fences)
    same_rows(
        epochs,
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts | end_ts   | confidence | evidence
        2            | 1         | 10:00:01 | 10:00:09 | observed   | s1
        3            | -1        | 10:00:09 | 11:00:00 | inferred   | fence-2,s2
        4            | 1         | 11:00:00 | 11:10:00 | observed   | s3
        5            | -1        | 11:10:00 |          | observed   | s4         """,
    )
    same_rows(
        [span for span in _spans(states, epochs) if span.leader_epoch < 4],
        COMMITTED_ISRS,
        """
        leader_epoch | leader_id | isr | start_ts | end_ts
        2            | 1         | 1   | 10:00:01 | 10:00:09
        3            | -1        | 1   | 10:00:09 | 11:00:00 """,
    )


@pytest.mark.parametrize(
    ("told", "replicas", "start_ts"),
    [
        ("kraft_periodic_task_run   | task_name=electPreferred; records_count=6", "2,1,3", "10:00:19"),
        ("kraft_balance_leaders_run | records_count=6", "2,1,3", "10:00:19"),
        ("kraft_periodic_task_run   | task_name=electPreferred; records_count=0", "2,1,3", "10:00:20"),
        ("kraft_periodic_task_run   | task_name=writeNoOpRecord; records_count=1", "2,1,3", "10:00:20"),
        ("kraft_periodic_task_run   | task_name=electPreferred; records_count=6", "1,2,3", "10:00:20"),
    ],
)
def test_a_preferred_election_begins_as_the_controllers_task_wrote_its_records(told, replicas, start_ts):
    """A task without records elected nobody, and it elects only the first of the replicas."""
    states = seen("""
        ts       | witness | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | leader  | 0            | 0               | 1         | 1,2 | true
        10:00:20 | leader  | 1            | 1               | 2         | 1,2 | true """)
    same_rows(
        _epochs(
            states,
            f"""
        ts       | event_id | kind                      | details
        10:00:19 | task     | {told} """,
            assigned=f"topic | partition | assigned\n orders | 3 | {replicas}",
        ),
        REBUILT_LEADER_EPOCHS,
        f"""
        leader_epoch | leader_id | start_ts
        0            | 1         | 10:00:01
        1            | 2         | {start_ts} """,
    )


def test_a_time_without_leader_ends_as_the_next_leader_is_unfenced():
    """Not where another broker is, where a leader was there before, nor where the broker leads only long after."""
    states = seen("""
        ts           | witness | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01.000 | leader  | 2            | 2               | 1         | 1   | true
        10:00:09.000 | record  | 3            | 3               | -1        | 1   | true
        10:00:20.500 | leader  | 4            | 4               | 1         | 1   | true
        10:00:40.000 | leader  | 5            | 5               | 2         | 1,2 | true
        10:00:50.000 | record  | 6            | 6               | -1        | 1,2 | true
        10:02:00.000 | leader  | 7            | 7               | 2         | 1,2 | true """)
    unfenced = """
        ts           | kind                         | broker_id | event_id
        10:00:00.000 | kraft_broker_unfence_granted | 1         | back-0
        10:00:20.010 | kraft_broker_unfence_granted | 1         | back-1
        10:00:20.200 | kraft_broker_unfence_granted | 2         | back-2
        10:00:39.000 | kraft_broker_unfence_granted | 2         | back-3
        10:00:55.000 | kraft_broker_unfence_granted | 2         | back-4 """
    same_rows(
        _epochs(states, unfenced),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts     | end_ts       | evidence
        2            | 1         | 10:00:01.000 | 10:00:09.000 | s1
        3            | -1        | 10:00:09.000 | 10:00:20.010 | s2
        4            | 1         | 10:00:20.010 | 10:00:40.000 | back-1,s3
        5            | 2         | 10:00:40.000 | 10:00:50.000 | s4
        6            | -1        | 10:00:50.000 | 10:02:00.000 | s5
        7            | 2         | 10:02:00.000 |              | s6         """,
    )


_ALL_GONE = """
    ts           | kind                              | broker_id | event_id
    10:00:04.350 | kraft_broker_registration_updated | 1         | again-1
    10:00:04.357 | kraft_broker_session_timeout      | 2         | fence-2
    10:00:04.365 | kraft_broker_session_timeout      | 3         | fence-3 """


@pytest.mark.parametrize(
    ("told", "start"),
    [
        (_ALL_GONE, "10:00:04.365"),
        (_ALL_GONE.replace("| 3  ", "| 4  "), "10:00:05.660"),  # broker 3 could still lead
        (_ALL_GONE.replace("10:00:04.350", "10:00:04.500"), "10:00:05.660"),  # broker 1 could until it registered
        (_ALL_GONE + "\n10:00:04.360 | kraft_broker_unfence_granted | 1 | back-1", "10:00:05.660"),  # it was back
    ],
)
def test_a_time_without_leader_after_an_unlogged_epoch_begins_when_the_last_isr_member_is_fenced(told, start):
    """All brokers lost power; the first to return applies both elections at once, and logs the second."""
    states = seen("""
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        09:00:00.000 | leader   | 0            | 0               | 1         | 1,2,3 | true
        10:00:05.660 | follower | 2            | 2               | -1        |       | true
        10:00:09.000 | leader   | 3            | 3               | 1         | 1     | true """)
    same_rows(
        _epochs(states, told),
        REBUILT_LEADER_EPOCHS,
        f"""
        leader_epoch | leader_id | start_ts     | end_ts
        0            | 1         | 09:00:00.000 | {start}
        2            | -1        | {start}      | 10:00:09.000
        3            | 1         | 10:00:09.000 |              """,
    )


def test_a_first_leader_epoch_that_is_named_as_the_next_begins_began_before_the_logs():
    begun = """
        node_id | number | first_ts
        1       | 0      | 09:59:00
        1       | 1      | 10:00:00
        2       | 0      | 09:59:30 """
    same_rows(
        _epochs(
            seen("""
        ts           | witness | leader_epoch | leader_id | born
        10:00:00.000 | leader  | 5            | 2         | true
        10:00:00.004 | request | 4            | 1         | false """),
            begun=begun,
        ),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts | end_ts   | confidence
        4            | 1         | 09:59:30 | 10:00:00 | inferred
        5            | 2         | 10:00:00 |          | observed   """,
    )


@pytest.mark.parametrize("release, kept", [(30901, 1), (40200, 0)])
def test_from_4_0_the_last_member_may_have_left_the_isr(release, kept):
    """With eligible leader replicas the ISR empties (KIP-966): what no line prints is not known."""
    states = seen("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 1         | 1   | true
        10:00:20 | follower | 3            | -1        |     | true
        10:00:50 | decision | 4            | 1         | 1   | true """)
    spans = _spans(
        states,
        releases=f"""
        node_id | version_low | version_high
        1       | {release}   | {release}    """,
    )
    assert len([span for span in spans if span.leader_id == -1]) == kept


PASSED_THROUGH = """
    ts           | witness  | leader_epoch | partition_epoch | leader_id | isr | born
    10:00:01.000 | decision | 2            | 2               | 1         | 1   | true
    10:00:34.069 | decision | 3            | 3               | -1        | {} | true
    10:00:34.089 | decision | 4            | 4               | 2         | 2   | true """


@pytest.mark.parametrize("printed", [True, False])
def test_a_state_without_leader_that_was_only_passed_through_has_the_isr_that_a_line_prints(printed):
    """One action of the controller in two writes (facts §8 trap 22)."""
    observations = seen(PASSED_THROUGH.format("1" if printed else ""))
    spans = """
        leader_epoch | leader_id | isr | start_ts     | end_ts       | confidence
        2            | 1         | 1   | 10:00:01.000 | 10:00:34.069 | observed
        3            | -1        | 1   | 10:00:34.069 | 10:00:34.089 | observed
        4            | 2         | 2   | 10:00:34.089 |              | observed"""
    same_rows(_spans(observations), COMMITTED_ISRS, spans if printed else without_line(spans, "-1"))
    same_rows(
        _epochs(observations),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id
        2            | 1
        3            | -1
        4            | 2         """,
    )


def without_line(table, text):
    return "\n".join(line for line in table.splitlines() if text not in line)


def test_two_topics_of_one_name_have_their_own_epochs():
    states = reports(
        """
        ts       | witness  | topic  | partition | life | leader_epoch | leader_id | isr | born
        10:00:01 | decision | orders | 3         | 0    | 0            | 1         | 1   | true
        10:00:05 | decision | orders | 3         | 0    | 1            | 2         | 2   | true
        10:01:00 | decision | orders | 3         | 1    | 0            | 3         | 3   | true """,
    )
    same_rows(
        _epochs(states),
        REBUILT_LEADER_EPOCHS,
        """
        life | leader_epoch | leader_id | start_ts
        0        | 0            | 1         | 10:00:01
        0        | 1            | 2         | 10:00:05
        1        | 0            | 3         | 10:01:00 """,
    )


def test_the_last_leader_epoch_and_isr_of_a_deleted_topic_end_with_it():
    states = reports(
        """
        ts       | witness  | topic  | partition | life | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | orders | 3         | 0    | 0            | 0               | 1         | 1,2 | true
        10:00:05 | decision | orders | 3         | 0    | 1            | 1               | 2         | 2   | true
        10:01:00 | decision | orders | 3         | 1    | 0            | 0               | 2         | 2   | true """,
    )
    lives = """
        topic  | boundaries  | ends
        orders | 10:00:40 | 10:00:40, """
    epochs = _epochs(states, lives=lives)
    same_rows(
        epochs,
        REBUILT_LEADER_EPOCHS,
        """
        life | leader_epoch | start_ts | end_ts
        0        | 0            | 10:00:01 | 10:00:05
        0        | 1            | 10:00:05 | 10:00:40
        1        | 0            | 10:01:00 |          """,
    )
    same_rows(
        _spans(states, epochs),
        COMMITTED_ISRS,
        """
        life | leader_epoch | isr | start_ts | end_ts
        0        | 0            | 1,2 | 10:00:01 | 10:00:05
        0        | 1            | 2   | 10:00:05 | 10:00:40
        1        | 0            | 2   | 10:01:00 |          """,
    )


def test_an_isr_begins_when_its_leader_announced_it_not_when_a_request_repeats_it():
    """Up to 2.3 the leader prints no partition epoch; a request that comes much later does."""
    same_rows(
        _spans(
            seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 7            | 2               | 1         | 1     | true
        10:00:05 | intent   | 7            |                 | 1         | 1,2   | false
        10:00:20 | request  | 7            | 3               | 1         | 1,2   | false
        10:00:21 | intent   | 7            |                 | 1         | 1,2,3 | false """)
        ),
        COMMITTED_ISRS,
        """
        partition_epoch | isr   | start_ts | end_ts   | confidence
        2               | 1     | 10:00:01 | 10:00:05 | observed
        3               | 1,2   | 10:00:05 | 10:00:21 | observed
                        | 1,2,3 | 10:00:21 |          | inferred """,
    )


def test_an_isr_that_is_what_it_was_before_is_a_new_state():
    """Up to 2.3 nothing but its leader's words need tell that a broker left and came back within one leader epoch."""
    told = """
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born  | visit
        10:00:01 | request  | 7            | 0               | 1         | 1,2,3 | true  |
        10:00:20 | intent   | 7            |                 | 1         | 1,3   | false | 1
        10:00:25 | intent   | 7            |                 | 1         | 1,2,3 | false | 2 """
    same_rows(
        _spans(seen(told)),
        COMMITTED_ISRS,
        """
        partition_epoch | isr   | start_ts | end_ts   | confidence
        0               | 1,2,3 | 10:00:01 | 10:00:20 | observed
                        | 1,3   | 10:00:20 | 10:00:25 | inferred
                        | 1,2,3 | 10:00:25 |          | inferred """,
    )
    same_rows(
        _spans(
            seen(
                told
                + """
        10:00:26 | request  | 7            | 2               | 1         | 1,2,3 | false | """
            )
        ),
        COMMITTED_ISRS,
        """
        partition_epoch | isr   | start_ts | end_ts
        0               | 1,2,3 | 10:00:01 | 10:00:20
                        | 1,3   | 10:00:20 | 10:00:25
        2               | 1,2,3 | 10:00:25 |          """,
    )


_SHRUNK_AND_EXPANDED = """
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born  | visit
        10:00:01 | decision | 7            | 0               | 1         | 1,2,3 | true  |
        10:00:09 | intent   | 7            |                 | 1         | 1,3   | false | 1
        10:00:16 | request  | 7            | 1               | 1         | 1,3   | false |
        {expanded}
        10:00:36 | request  | 7            | 2               | 1         | 1,2,3 | false | """


@pytest.mark.parametrize(
    ("expanded", "begins"),
    [
        pytest.param("10:00:30 | intent   | 7 | | 1 | 1,2,3 | false | 2", "10:00:30", id="announced by the leader"),
        pytest.param("", "10:00:36", id="not announced, or refused: only the request shows it"),
        pytest.param("10:00:12 | intent   | 7 | | 1 | 1,2,3 | false | 2", "10:00:36", id="before the state it follows"),
        pytest.param("10:00:38 | intent   | 7 | | 1 | 1,2,3 | false | 2", "10:00:36", id="after the request"),
    ],
)
def test_an_isr_to_which_its_leader_returns_begins_when_the_leader_expands_it(expanded, begins):
    """Up to 2.3 the leader that shrank an ISR expands it again, and a request repeats the old ISR with a new number."""
    same_rows(
        [span for span in _spans(seen(_SHRUNK_AND_EXPANDED.format(expanded=expanded))) if span.partition_epoch == 2],
        COMMITTED_ISRS,
        f"partition_epoch | isr | start_ts\n2 | 1,2,3 | {begins}",
    )


def test_an_isr_to_which_its_leader_returns_twice_begins_at_the_last_return_before_the_request():
    """No request shows the states with the partition epochs 1 to 3."""
    same_rows(
        [
            span
            for span in _spans(
                seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born  | visit
        10:00:01 | decision | 7            | 0               | 1         | 1,2,3 | true  |
        10:00:09 | intent   | 7            |                 | 1         | 1,3   | false | 1
        10:00:10 | intent   | 7            |                 | 1         | 1,2,3 | false | 2
        10:00:11 | intent   | 7            |                 | 1         | 1,3   | false | 3
        10:00:12 | intent   | 7            |                 | 1         | 1,2,3 | false | 4
        10:00:16 | request  | 7            | 4               | 1         | 1,2,3 | false | """)
            )
            if span.partition_epoch == 4
        ],
        COMMITTED_ISRS,
        "partition_epoch | isr | start_ts\n4 | 1,2,3 | 10:00:12",
    )


def test_isrs_of_an_excerpt_without_leader_epochs_are_reported_with_an_unknown_one():
    """orders-3: broker 1 drops 2 and takes it back; a shrink that ZooKeeper refused changes nothing. After 10:05 leader epoch 4 is known."""
    events = """
        ts       | node_id | kind                           | topic  | partition | isr   | partition_epoch | details
        10:00:00 | 1       | isr_shrink                     | orders | 3         | 1,3   |                 | old_isr=1,2,3
        10:00:00 | 1       | isr_updated                    | orders | 3         | 1,3   | 8               |
        10:02:00 | 1       | isr_expand                     | orders | 3         | 1,2,3 |                 | old_isr=1,3
        10:03:00 | 1       | isr_shrink                     | orders | 3         | 1     |                 | old_isr=1,2,3
        10:03:00 | 1       | isr_update_zk_version_conflict | orders | 3         |       |                 |
        10:06:00 | 1       | isr_shrink                     | orders | 3         | 1,2   |                 | old_isr=1,2,3 """
    states = seen("""
        ts       | witness | leader_epoch | leader_id | isr   | born
        10:05:00 | leader  | 4            | 1         | 1,2,3 | true """)
    same_rows(
        [span for span in _spans(states, events=events) if span.leader_epoch is None],
        COMMITTED_ISRS,
        """
        leader_epoch | partition_epoch | leader_id | isr   | start_ts | end_ts   | confidence
                     |                 | 1         | 1,2,3 | 10:00:00 | 10:00:00 | inferred
                     |                 | 1         | 1,3   | 10:00:00 | 10:02:00 | inferred
                     |                 | 1         | 1,2,3 | 10:02:00 | 10:05:00 | inferred """,
    )


def test_an_isr_after_which_states_are_not_logged_can_have_ended_earlier():
    """Partition epoch 12 is in no line: an ISR of 6 ms. The state with partition epoch 14 repeats the ISR of 13, and 16 is another one
    again."""
    states = seen("""
        ts       | leader_epoch | partition_epoch | leader_id | isr   | witness
        10:00:00 | 4            | 10              | 1         | 1,2,3 | leader
        10:00:10 | 4            | 11              | 1         | 1,2   | leader
        10:01:00 | 4            | 13              | 1         | 1     | leader
        10:01:10 | 4            | 14              | 1         | 1     | leader
        10:01:20 | 4            | 16              | 1         | 1,2   | leader """)
    assert [(span.isr, span.untold_after) for span in _spans(states)] == [
        ([1, 2, 3], None),
        ([1, 2], 1),
        ([1], 1),
        ([1, 2], None),
    ]


def test_a_life_without_a_logged_state_has_no_isr():
    assert folds.isr_spans([]) == []


_APPLIED = """
    ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
    10:00:00     | leader   | 4            | 7               | 1         | 1,2,3 | true
    10:00:16.550 | leader   | 5            | 8               | 2         | 2,3   | true """
_FOLLOWED = """
    ts           | witness   | leader_epoch | partition_epoch | leader_id | isr   | born
    10:00:00     | leader    | 4            | 7               | 2         | 1,2,3 | true
    10:00:16.550 | {witness} | 4            | 8               | 2         | 2,3   |      """
_FENCED = """
    ts           | kind                         | node_id | broker_id
    10:00:16.002 | kraft_broker_session_timeout | 101     | 1 """
_ANEW = """
    10:00:16.500 | kraft_controller_renounced   | 101     |
    10:00:16.510 | kraft_broker_session_timeout | 102     | 1 """


@for_each(
    ("told", "start"),
    [
        (_FENCED, "10:00:16.002"),
        (_FENCED.replace("kraft_broker_session_timeout", "kraft_controlled_shutdown_granted"), "10:00:16.002"),
        (_FENCED.replace("| 1 ", "| 3 "), "10:00:16.550"),  # another broker left
        (_FENCED.replace("10:00:16.002", "10:00:16.600"), "10:00:16.550"),  # later: it is not why
        (_FENCED.replace("10:00:16.002", "10:00:05.000"), "10:00:16.550"),  # too long before
        (_FENCED + "\n10:00:16.004 | kraft_broker_unfence_granted | 101 | 1", "10:00:16.550"),  # it was back since
        (_FENCED + _ANEW, "10:00:16.510"),  # what was not committed is decided anew
    ],
)
def test_a_leader_that_a_controller_removed_is_followed_at_the_decision(told, start):
    """Brokers apply it later: 550 ms up to 3.9, as recorded."""
    same_rows(
        _epochs(seen(_APPLIED), told),
        REBUILT_LEADER_EPOCHS,
        f"""
        leader_epoch | leader_id | start_ts | end_ts
        4            | 1         | 10:00:00 | {start}
        5            | 2         | {start}  |         """,
    )
    same_rows(
        _spans(seen(_APPLIED), told=told),
        COMMITTED_ISRS,
        f"""
        leader_epoch | isr   | start_ts | end_ts
        4            | 1,2,3 | 10:00:00 | {start}
        5            | 2,3   | {start}  |         """,
    )


@pytest.mark.parametrize(
    ("witness", "start"),
    [
        ("leader", "10:00:16.002"),
        ("follower", "10:00:16.002"),
        ("commit", "10:00:16.550"),  # the leader asked for it, and logs the answer
        ("record", "10:00:16.550"),  # the metadata log has its own time
    ],
)
def test_an_isr_that_lacks_a_fenced_follower_begins_at_the_decision(witness, start):
    same_rows(
        _spans(seen(_FOLLOWED.format(witness=witness)), told=_FENCED),
        COMMITTED_ISRS,
        f"""
        leader_epoch | isr   | start_ts | end_ts
        4            | 1,2,3 | 10:00:00 | {start}
        4            | 2,3   | {start}  |         """,
    )


def test_an_isr_that_lacks_another_one_too_is_not_dated_by_one_decision():
    states = seen(_FOLLOWED.format(witness="leader").replace("2,3   |      ", "2     |      "))
    assert [span.start_ts.second for span in _spans(states, told=_FENCED)] == [0, 16]
    assert _spans(states, told=_FENCED)[1].start_ts.microsecond == 550_000
    both = _FENCED + "\n10:00:16.100 | kraft_broker_session_timeout | 101 | 3"
    assert _spans(states, told=both)[1].start_ts.microsecond == 100_000


def test_a_leader_epoch_that_keeps_its_leader_begins_with_its_isr():
    """Up to metadata.version 3.5 a smaller ISR is a new leader epoch (KAFKA-15021)."""
    bumped = _FOLLOWED.format(witness="leader").replace("leader | 4            | 8", "leader | 5            | 8")
    same_rows(
        _epochs(seen(bumped), _FENCED),
        REBUILT_LEADER_EPOCHS,
        """
        leader_epoch | leader_id | start_ts     | end_ts
        4            | 2         | 10:00:00     | 10:00:16.002
        5            | 2         | 10:00:16.002 |              """,
    )


_REASSIGNED = """
    ts           | kind                      | node_id | event_id | details
    10:00:10.000 | kraft_reassignment_result | 101     | asked    | successful_alterations=6"""
_AGAIN = "\n    10:00:10.100 | kraft_reassignment_result | 101     | again    | successful_alterations=6"
_NONE = _REASSIGNED.replace("=6", "=0")


@for_each(
    ("told", "isr", "began", "why"),
    [
        (_REASSIGNED, "1,3", "10:00:10.000", "the replica that was removed was in the ISR"),
        (_REASSIGNED + _AGAIN, "1,3", "10:00:10.400", "either of two requests can have removed it"),
        (_NONE, "1,3", "10:00:10.400", "nothing was reassigned"),
        (_REASSIGNED, "1,2,3", "10:00:10.400", "nobody left: the leader epoch has another cause"),
        (_REASSIGNED.replace("10:00:10", "09:59:50"), "1,3", "10:00:10.400", "long before, and not within two states"),
        (_REASSIGNED, "1,3,4", "10:00:10.400", "a replica was added: the request did not complete the reassignment"),
    ],
)
def test_a_leader_epoch_that_a_reassignment_began_is_dated_by_the_controller(told, isr, began, why):
    """The leader applies it 400 ms later (`PartitionChangeBuilder`: a removed replica begins a leader epoch)."""
    states = seen(f"""
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | epoch_start_offset | born
        09:59:59     | leader   | 0            | 0               | 1         | 1,2,3 | 0                  | true
        10:00:10.400 | leader   | 1            | 1               | 1         | {isr} | 100                | true
        10:00:10.450 | follower | 1            | 1               | 1         | {isr} |                    | true """)
    same_rows(
        _epochs(states, told=told),
        REBUILT_LEADER_EPOCHS,
        f"""
        leader_epoch | leader_id | start_ts     | end_ts
        0            | 1         | 09:59:59     | {began}
        1            | 1         | {began}      |        """,
    )


@pytest.mark.parametrize(
    ("kind", "began"), [("alter_partition_completed_reassignment", "10:00:10.390"), ("isr_expand", "10:00:10.400")]
)
def test_a_completed_reassignment_begins_the_leader_epoch_of_its_partition(kind, began):
    states = seen("""
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | epoch_start_offset | born
        09:59:59     | leader   | 0            | 0               | 1         | 1,2,3 | 0                  | true
        10:00:10.400 | leader   | 1            | 3               | 1         | 1,4   | 100                | true """)
    events = rows(
        EVENTS,
        f"""
        ts           | kind   | node_id | event_id | topic  | partition
        10:00:10.390 | {kind} | 101     | done     | orders | 3 """,
    )
    moves = BrokerMoves.of(facts(_REASSIGNED))
    assert [state.ts.strftime("%H:%M:%S.%f")[:12] for state in partition_states(states, moves, events)] == [
        "09:59:59.000",
        began,
    ]


def test_the_last_replica_leaves_the_elr_as_it_registers_again():
    """Its stop was unclean: the controller takes it out of the ELR, and elects it later as the last known leader (KIP-966)."""
    states = seen("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | elr | last_known_elr
        10:00:20 | decision | 4            | 7               | -1        | []  | []  | 3
        10:00:25 | decision | 5            | 8               | 3         | 3   | []  | []  """)
    until_known = [([], "10:00:20", "10:00:25")]
    for sessions, expected in (
        ("3 | 10:00:22", [([3], "10:00:20", "10:00:22"), ([], "10:00:22", "10:00:25")]),
        ("2 | 10:00:22", until_known),
        ("3 | 10:00:30", until_known),
    ):
        found = eligible_leaders(
            partition_states(states, BrokerMoves()), rows(BROKER_SESSIONS, f"broker_id | start_ts\n {sessions}")
        )
        assert [(row.elr, f"{row.start_ts:%H:%M:%S}", f"{row.end_ts:%H:%M:%S}") for row in found] == expected


def test_a_first_leader_epoch_found_under_way_held_when_the_broker_began_to_apply_its_image():
    """The broker logs the partitions of one image, or request, one after the other."""
    applied = """
        ts           | kind                           | node_id
        10:00:05.482 | broker_become_follower_summary | 3
        10:00:05.600 | broker_become_follower_summary | 2
        10:00:06.000 | broker_become_leader_summary   | 3      """
    found = """
        ts           | witness   | node_id | leader_epoch | leader_id | born
        10:00:05.666 | {witness} | 3       | {epoch}      | 3         | {born} """
    for witness, epoch, born, start in (
        ("follower", 4, "false", "10:00:05.482"),
        ("leader", 0, "true", "10:00:05.666"),
    ):
        same_rows(
            _epochs(seen(found.format(witness=witness, epoch=epoch, born=born)), told=applied),
            REBUILT_LEADER_EPOCHS,
            f"leader_epoch | start_ts\n {epoch} | {start}",
        )


CREATED = """
    ts           | node_id | leader_epoch | partition_epoch | leader_id | isr   | witness  | kind                    | born
    10:00:00.000 | 102     | 0            | 0               | 3         | 1,2,3 | request  | kraft_partition_created | false
    10:00:00.900 | 1       | 0            | 0               | 3         |       | follower | follower_start          | true """


@pytest.mark.parametrize(
    ("told", "confidence"),
    [
        ("ts | kind | node_id\n09:59:50 | kraft_controller_activated | 102", "observed"),
        ("ts | kind | node_id\n09:59:50 | kraft_controller_activated | 101", "inferred"),
        ("ts | kind | node_id\n10:00:50 | kraft_controller_activated | 102", "inferred"),
        (
            "ts | kind | node_id\n09:59:50 | kraft_controller_activated | 102\n09:59:58 | controller_process_starting | 102",
            "inferred",
        ),
        (
            "ts | kind | node_id\n09:59:50 | kraft_controller_activated | 102\n09:59:58 | kraft_controller_renounced | 102",
            "inferred",
        ),
        ("ts", "inferred"),
    ],
)
def test_the_creation_in_the_active_controllers_log_is_the_begin_also_without_the_leaders_lines(told, confidence):
    """A controller that starts logs the creations of all time, and then becomes active."""
    assert [epoch.confidence for epoch in _epochs(seen(CREATED), told)] == [confidence]
