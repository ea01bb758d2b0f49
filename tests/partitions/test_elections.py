"""Changes of leader: clean or not, by the ISR of the state just before; and what made them."""

from __future__ import annotations

import pytest

from replay.facts.window import ALL_TIME
from replay.partitions.broker_moves import BrokerMoves
from replay.partitions.elected_from import leader_epochs
from replay.partitions.elections import Triggers, elections
from replay.partitions.isr_spans import committed_isrs, isr_states
from replay.partitions.leader_epochs import dated_leader_epochs
from replay.partitions.lives import TopicLives
from replay.partitions.observed_states import partition_states
from replay.tables import BROKER_SESSIONS, ELECTIONS
from replay.tables.brokers import RELEASES
from replay.tables.faults import FAULTS
from replay.tables.partitions import ASSIGNMENTS, LEADER_EPOCHS, PARTITION_STATE_REPORTS, TOPIC_SETTINGS, CommittedIsr
from replay.timelines import folds
from tests.partitions.reports import reports
from tests.tables import facts, rows, same_rows


def judge(text: str, version_low: int = 30901, version_high: int = 30901):
    """Judged leader epochs of orders-3, assigned to 1, 2, 3, from what witnesses saw of it; in Kafka 3.9.1 or as told."""
    told = reports(text, topic="orders", partition=3, life=0)
    seen = [report.but(event_id=f"s{number}") for number, report in enumerate(told)]
    assigned = rows(ASSIGNMENTS, "topic | partition | assigned\n orders | 3 | 1,2,3")
    releases = rows(RELEASES, f"node_id | version_low | version_high\n 1 | {version_low} | {version_high}")
    states = partition_states(seen, BrokerMoves())
    stated = folds.leader_epochs(seen)
    epochs = dated_leader_epochs(stated, states, assigned, TopicLives(), BrokerMoves(), ALL_TIME)
    laid = folds.isr_spans(isr_states(states, epochs, releases, [], [], []))
    isrs = committed_isrs(laid, epochs, [], [], TopicLives(), {}, ALL_TIME)
    return leader_epochs(epochs, isrs, assigned, releases, states)


def test_no_epochs_no_judgement():
    assert judge("ts") == []


def test_a_leader_from_the_isr_is_elected_cleanly():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 0            | 0               | 1         | 1,2,3 | true
        10:00:20 | decision | 1            | 1               | 2         | 2,3   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | old_leader_id | isr_before | elected_from | reason
        0            | 1         |               |            |              | created
        1            | 2         | 1             | 1,2,3      | isr          | election """,
    )


def test_a_leader_from_outside_the_isr_of_the_state_before_is_unclean():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:20 | decision | 3            | 6               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | isr_before | elected_from
        2            |            |
        3            | 1          | any_replica  """,
    )


def test_where_a_state_between_is_not_seen_nothing_is_said():
    """Unclean is judged against the ISR at P−1 (facts §8 trap 5): at partition epoch 6 broker 2 may have joined."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:20 | decision | 3            | 7               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | isr_before | elected_from
        2            |            |
        3            | 1          |              """,
    )


def test_a_leader_whose_isr_is_of_before_leader_epochs_that_no_line_shows_may_have_left_it():
    """Broker 2 was in the ISR of leader epoch 0. In 1 it may have been taken out, as its machine failed, and in 3 elected uncleanly."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | leader_id | isr   | born
        10:00:01 | leader   | 0            | 3         | 1,2,3 | true
        10:00:20 | follower | 4            | 2         |       | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | last_leader_id | isr_before | elected_from | untold_epochs
        0            |                |            |              |
        4            | 3              | 1,2,3      |              | 3             """,
    )


@pytest.mark.parametrize(
    ("partition_epoch", "isr", "elected_from"),
    [
        (
            2,
            "3",
            "isr",
        ),  # each change was a new leader epoch, and only members left: no other replica can have led uncleanly
        (3, "3", None),  # another change may have let a replica in
        (2, "2,3", None),  # the new leader came from an ISR that the last leader did not have
    ],
)
def test_a_printed_state_without_a_leader_shows_the_isr_of_the_election(partition_epoch, isr, elected_from):
    """The controller prints leader=-1 for 20 ms; no line shows leader epoch 1."""
    epochs = judge(
        f"""
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01.000 | decision | 0            | 0               | 1         | 1,3   | true
        10:00:20.000 | decision | 2            | {partition_epoch} | -1      | {isr} | true
        10:00:20.020 | follower | 3            |                 | 3         |       | true """,
        20802,
        20802,
    )
    assert (epochs[-1].leader_id, epochs[-1].untold_epochs, epochs[-1].elected_from) == (3, 1, elected_from)


def test_nor_does_an_isr_of_before_the_last_leaders_own_epoch_tell():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | leader_id | isr   | born
        10:00:01 | leader   | 0            | 3         | 1,2,3 | true
        10:00:10 | follower | 1            | 3         |       | true
        10:00:20 | follower | 2            | 2         |       | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | isr_before | elected_from | untold_epochs
        0            |            |              |
        1            | 1,2,3      |              | 0
        2            | 1,2,3      |              | 0             """,
    )


def test_a_newcomer_that_joined_the_isr_in_time_is_clean():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:10 | commit   | 2            | 6               | 1         | 1,2 | false
        10:00:20 | decision | 3            | 7               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | isr_before | elected_from
        2            |            |
        3            | 1,2        | isr          """,
    )


def test_while_a_partition_has_no_leader_its_isr_does_not_change():
    """So the ISR before is known without partition epochs, and for how long nobody led."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 1         | 1   | true
        10:00:20 | decision | 3            | -1        | 1   | true
        10:00:50 | decision | 4            | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | old_leader_id | last_leader_id | isr_before | elected_from | reason     | leaderless_ms
        2            | 1         |               |                |            |              | unknown    | 0
        3            | -1        | 1             | 1              | 1          |              | leaderless | 0
        4            | 2         | -1            | 1              | 1          | any_replica  | election   | 30000         """,
    )


def test_an_isr_that_may_have_grown_unseen_proves_no_unclean_election():
    """The files of leader 1 are missing: at one partition epoch between 5 and 7 broker 2 may have joined the ISR."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:20 | follower | 3            | 7               | -1        |     | true
        10:00:50 | leader   | 4            | 8               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | elected_from
        2            | 1         |
        3            | -1        |
        4            | 2         |              """,
    )


def test_where_each_step_was_a_new_leader_epoch_the_isr_cannot_have_grown():
    """KRaft prints no ISR for the time without leader; partition epochs 5, 6, 7 for leader epochs 2, 3, 4 leave no room."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:20 | follower | 3            | 6               | -1        |     | true
        10:00:50 | leader   | 4            | 7               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | isr_before | elected_from
        2            | 1         |            |
        3            | -1        | 1          |
        4            | 2         | 1          | any_replica  """,
    )


def test_nor_can_it_in_epochs_that_nobody_saw():
    """Broker 2 was down while the partition had no leader, and is elected as it comes back."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 2            | 5               | 1         | 1   | true
        10:00:50 | leader   | 4            | 7               | 2         | 2   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | isr_before | elected_from
        2            |            |
        4            | 1          | any_replica  """,
    )


def test_a_leader_from_the_elr_is_clean_and_the_last_known_leader_is_not():
    """KIP-966: with an empty ISR the ELR is as good; recovering after an election means that neither was."""
    same_rows(
        judge("""
        ts       | witness | leader_epoch | partition_epoch | leader_id | isr | elr | recovering | born
        10:00:01 | record  | 2            | 5               | 1         | 1   |     | false      | true
        10:00:20 | record  | 3            | 6               | -1        | []  | 2   | false      | true
        10:00:50 | record  | 4            | 7               | 2         | 2   |     | false      | true
        10:01:20 | record  | 5            | 8               | -1        | []  |     | false      | true
        10:01:50 | record  | 6            | 9               | 2         | 2   |     | true       | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | elected_from
        2            | 1         |
        3            | -1        |
        4            | 2         | elr
        5            | -1        |
        6            | 2         | last_known_leader """,
    )


def test_a_leader_that_passes_over_the_elr_is_unclean():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | elr | recovering | born
        10:00:01 | record   | 0            | 2               | 3         | 3   |     | false      | true
        10:00:20 | decision | 1            | 3               | -1        | []  | 3   |            | false
        10:00:50 | decision | 2            | 4               | 1         | 1   |     | true       | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | elected_from
        0            | 3         |
        1            | -1        |
        2            | 1         | any_replica """,
    )


@pytest.mark.parametrize(
    "version_low, version_high, recovering, elected_from",
    [
        (30901, 30901, "", "any_replica"),
        (40100, 40100, "", ""),
        (30300, 99999, "", ""),
        (40100, 40100, "true", "any_replica"),
    ],
    ids=["before ELRs", "with ELRs", "perhaps with ELRs", "in recovery"],
)
def test_a_leader_from_outside_the_isr_may_come_from_an_elr_that_no_line_prints(
    version_low, version_high, recovering, elected_from
):
    """Facts, F30: without a leader the ISR is kept before 4.0; with ELRs it is emptied, and who was in it is eligible."""
    same_rows(
        judge(
            f"""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | recovering   | born
        10:00:01 | decision | 2            | 5               | 3         | 3   |              | true
        10:00:20 | request  | 3            |                 | -1        |     |              | false
        10:00:50 | leader   | 4            | 7               | 2         | 2   | {recovering} | true """,
            version_low,
            version_high,
        ),
        LEADER_EPOCHS,
        f"""
        leader_epoch | leader_id | elected_from
        2            | 3         |
        3            | -1        |
        4            | 2         | {elected_from} """,
    )


def test_a_new_epoch_that_keeps_its_leader_is_no_election():
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 0            | 0               | 1         | 1,2,3 | true
        10:00:20 | decision | 1            | 1               | 1         | 1,3   | true """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | elected_from | reason
        0            | 1         |              | created
        1            | 1         |              | isr_change """,
    )


_LED = """
    ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
    10:00:01 | decision | 0            | 0               | 2         | 1,2,3 | true
    10:00:20 | decision | 1            | 1               | 1         | 1,3   | true  """


def elect(
    events: str = "ts",
    sessions: str = "broker_id",
    faults: str = "kind",
    led: str = _LED,
    settings: str = "topic",
    isrs: bool = False,
):
    """The elections after leader 2 gave way to broker 1 at 10:00:20, among what else happened. `isrs`: with the ISRs of
    `led`.
    """
    triggers = Triggers(rows(BROKER_SESSIONS, sessions), rows(FAULTS, faults), rows(TOPIC_SETTINGS, settings))
    own = rows(PARTITION_STATE_REPORTS, led) if isrs else []
    of_led = [
        CommittedIsr(
            topic="orders",
            partition=3,
            life=0,
            leader_epoch=one.leader_epoch,
            state_order=at,
            leader_id=one.leader_id,
            isr=one.isr,
            ts=one.ts,
            start_ts=one.ts,
        )
        for at, one in enumerate(own)
    ]
    return elections(judge(led), triggers, BrokerMoves.of(facts(events)), of_led)


def test_without_a_known_happening_the_trigger_is_unknown():
    led = """
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 0            | 0               | 2         | 1,2,3 | true
        10:00:20 | decision | 1            | 1               | 3         | 1,3   | true  """
    same_rows(
        elect(led=led),
        ELECTIONS,
        """
        topic  | partition | leader_epoch | ts       | old_leader_id | new_leader_id | elected_from | trigger | leaderless_ms
        orders | 3         | 1            | 10:00:20 | 2             | 3             | isr          | unknown | 0             """,
    )


def test_the_end_of_the_old_leaders_session_is_the_trigger_and_its_evidence_is_kept():
    found = elect(
        sessions="""
        broker_id | start_ts | end_ts   | ended_by        | evidence
        2         | 09:00:00 | 10:00:19 | crash           | expired
        3         | 09:00:00 | 10:00:20 | session_timeout | other    """
    )
    same_rows(
        found,
        ELECTIONS,
        """
        leader_epoch | new_leader_id | trigger
        1            | 1             | broker_failure """,
    )
    assert "expired" in found[0].evidence
    assert "other" not in found[0].evidence


def test_an_ordered_stop_is_distinguished_from_a_failure():
    same_rows(
        elect(
            sessions="""
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 10:00:20 | controlled_shutdown """
        ),
        ELECTIONS,
        """
        leader_epoch | trigger
        1            | controlled_shutdown """,
    )


def test_a_failure_long_ago_is_not_the_trigger_of_a_partition_that_was_led():
    same_rows(
        elect(
            sessions="""
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 09:30:00 | crash    """,
            events="""
        ts       | kind                       | message
        10:00:19 | kraft_balance_leaders_run  | balance """,
        ),
        ELECTIONS,
        """
        leader_epoch | trigger
        1            | preferred """,
    )


def test_a_leader_that_comes_back_after_a_leaderless_time_is_elected_for_the_failure_that_began_it():
    same_rows(
        elect(
            led="""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 0            | 0               | 2         | 2   | true
        10:00:20 | decision | 1            | 1               | -1        | 2   | true
        10:05:20 | decision | 2            | 2               | 2         | 2   | true """,
            sessions="""
        broker_id | start_ts | end_ts   | ended_by
        2         | 09:00:00 | 10:00:19 | crash    """,
        ),
        ELECTIONS,
        """
        leader_epoch | old_leader_id | new_leader_id | elected_from | trigger        | leaderless_ms
        2            | 2             | 2             | isr          | broker_failure | 300000        """,
    )


@pytest.mark.parametrize(
    ("unfenced", "at", "trigger"),
    [
        pytest.param(1, "10:00:24.300", "unfenced", id="the new leader"),
        pytest.param(3, "10:00:24.300", "broker_failure", id="another broker"),
        pytest.param(1, "10:00:21.000", "broker_failure", id="the new leader, long before"),
    ],
)
def test_a_time_without_leader_ends_with_the_unfencing_of_the_replica_that_is_elected(unfenced, at, trigger):
    found = elect(
        events=f"""
        ts   | kind                         | broker_id
        {at} | kraft_broker_unfence_granted | {unfenced} """,
        led="""
        ts           | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01     | decision | 0            | 0               | 2         | 2   | true
        10:00:20     | decision | 1            | 1               | -1        | 2   | true
        10:00:24.301 | decision | 2            | 2               | 1         | 1   | true """,
        sessions="""
        broker_id | start_ts | end_ts   | ended_by | evidence
        2         | 09:00:00 | 10:00:20 | crash    | expired  """,
    )
    same_rows(
        found,
        ELECTIONS,
        f"""
        leader_epoch | old_leader_id | new_leader_id | elected_from | trigger   | leaderless_ms
        2            | 2             | 1             | any_replica  | {trigger} | 4301          """,
    )
    assert ("expired" in found[0].evidence, "e1" in found[0].evidence) == (trigger != "unfenced", trigger == "unfenced")


def test_an_election_that_ends_a_time_without_leader_is_one_also_if_no_line_shows_who_led_before():
    """Recorded (3.9.1, logs from after the faults): the controller prints `isr: [1] -> [3], leader: -1 -> 3`. The first
    leader of a new partition is none.
    """
    same_rows(
        elect(
            led="""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:20 | follower | 1            | 1               | -1        | 2   | true
        10:00:24 | decision | 2            | 2               | 1         | 1   | true """,
        ),
        ELECTIONS,
        """
        leader_epoch | old_leader_id | new_leader_id | elected_from | trigger | leaderless_ms
        2            |               | 1             | any_replica  | unknown |               """,
    )


def test_a_preferred_election_asked_for_by_name():
    same_rows(
        elect(
            events="""
        ts       | kind                      | message                                                                                            | details
        10:00:19 | controller_election_begin | Starting replica leader election (PREFERRED) for partitions orders-3 triggered by ZkTriggered       | partitions=orders-3 """
        ),
        ELECTIONS,
        """
        leader_epoch | trigger
        1            | preferred """,
    )


@pytest.mark.parametrize(
    ("asked_at", "asked_for", "leads_since", "trigger"),
    [
        pytest.param("10:00:17", "[orders,3]", "10:00:01", "preferred", id="the request names the partition"),
        pytest.param("10:00:17", "[orders,7]", "10:00:01", "broker_failure", id="the request names another partition"),
        pytest.param("10:00:17", "", "10:00:01", "broker_failure", id="the request names no partition"),
        pytest.param("10:00:17", "", "10:00:16", "preferred", id="the old leader was elected after its failure"),
        pytest.param("10:00:12", "[orders,3]", "10:00:01", "broker_failure", id="the failure followed the request"),
    ],
)
def test_after_a_failure_of_the_old_leader_a_preferred_election_is_told_by_its_request(
    asked_at, asked_for, leads_since, trigger
):
    """The session of broker 2 ended at 10:00:13. Broker 3, the preferred leader, leads at 10:00:18."""
    sessions = """
        broker_id | start_ts | end_ts   | ended_by | evidence
        2         | 09:00:00 | 10:00:13 | crash    | expired  """
    asked = f"""
        ts         | kind                      | details
        {asked_at} | controller_election_begin | partitions={asked_for} """
    led = f"""
        ts            | witness  | leader_epoch | partition_epoch | leader_id | isr   | replicas | born
        09:59:00      | decision | 0            | 0               | 1         | 1,2   | 3,2,1    | true
        {leads_since} | decision | 1            | 1               | 2         | 1,2   | 3,2,1    | true
        10:00:16.500  | leader   | 1            | 2               | 2         | 1,2,3 | 3,2,1    | false
        10:00:18      | decision | 2            | 3               | 3         | 1,2,3 | 3,2,1    | true  """
    same_rows(
        elect(events=asked, sessions=sessions, led=led)[-1:],
        ELECTIONS,
        f"leader_epoch | new_leader_id | trigger\n2 | 3 | {trigger}",
    )


def test_an_election_asked_for_by_an_administrator():
    same_rows(
        elect(
            events="""
        ts       | kind                      | message                                                                                             | details
        10:00:19 | controller_election_begin | Starting replica leader election (PREFERRED) for partitions orders-3 triggered by AdminClientTriggered | partitions=orders-3;election_trigger=AdminClientTriggered """
        ),
        ELECTIONS,
        """
        leader_epoch | trigger
        1            | admin   """,
    )


@pytest.mark.parametrize(
    ("allowed", "isr", "unfenced_at", "trigger"),
    [
        pytest.param("false", "1", "10:00:05", "admin", id="the setting forbids it"),
        pytest.param("true", "1", "10:00:05", "broker_failure", id="the setting allows it"),
        pytest.param("", "1", "10:00:05", "broker_failure", id="no line shows the setting"),
        pytest.param("false", "1,2", "10:00:05", "broker_failure", id="the leader comes from the ISR"),
        pytest.param("false", "1", "10:00:29.900", "unfenced", id="the new leader has just returned"),
    ],
)
def test_an_unclean_election_that_the_setting_forbids_was_ordered(allowed, isr, unfenced_at, trigger):
    """The session of leader 1 ends at 10:00:10; broker 2 leads from 10:00:30 on."""
    led = f"""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 2            | 5               | 1         | {isr} | true
        10:00:10 | decision | 3            | 6               | -1        | {isr} | true
        10:00:30 | decision | 4            | 7               | 2         | 2     | true """
    sessions = """
        broker_id | start_ts | end_ts   | ended_by | evidence
        1         | 09:00:00 | 10:00:10 | crash    | expired  """
    unfenced = f"""
        ts            | kind                         | broker_id
        {unfenced_at} | kraft_broker_unfence_granted | 2 """
    settings = f"topic | unclean_allowed\norders | {allowed}"
    same_rows(
        elect(events=unfenced, sessions=sessions, led=led, settings=settings),
        ELECTIONS,
        f"leader_epoch | new_leader_id | trigger\n4 | 2 | {trigger}",
    )


@pytest.mark.parametrize(("task", "trigger"), [("electPreferred", "preferred"), ("electUnclean", "unknown")])
def test_the_controllers_own_task_that_moves_leaders_is_a_request(task, trigger):
    """The old leader was not in the ISR, so nothing else shows that the election was a preferred one."""
    led = """
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:01 | decision | 0            | 0               | 2         | 1   | true
        10:00:20 | decision | 1            | 1               | 1         | 1   | true  """
    same_rows(
        elect(
            led=led,
            events=f"""
        ts       | kind                    | details
        10:00:19 | kraft_periodic_task_run | task_name={task} """,
        ),
        ELECTIONS,
        f"""
        leader_epoch | trigger
        1            | {trigger} """,
    )


@pytest.mark.parametrize(
    ("kind", "trigger"),
    [
        ("log_dir_failed", "log_dir_failure"),
        ("disk_full", "log_dir_failure"),
        ("killed", "broker_failure"),
        ("stopped", "controlled_shutdown"),
    ],
)
def test_what_happened_on_the_old_leader_is_the_trigger(kind, trigger):
    same_rows(
        elect(
            faults=f"""
        kind   | broker_id | ts       | evidence
        {kind} | 2         | 10:00:18 | it       """
        ),
        ELECTIONS,
        f"""
        leader_epoch | trigger
        1            | {trigger} """,
    )


def test_a_reassignment_under_way_is_the_trigger_where_nothing_failed():
    led = """
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr   | born
        10:00:01 | decision | 0            | 0               | 2         | 1,2,3 | true
        10:00:20 | decision | 1            | 1               | 3         | 1,3   | true  """
    same_rows(
        elect(
            led=led,
            faults="""
        kind       | broker_id | ts       | end_ts   | evidence
        reassigned | 1         | 10:00:10 | 10:00:12 | moved    """,
        ),
        ELECTIONS,
        """
        leader_epoch | trigger
        1            | reassignment """,
    )


@pytest.mark.parametrize(
    ("at", "replicas", "trigger"),
    [
        pytest.param("10:00:32", "3,2", "preferred", id="the old leader stayed a replica, 20 s after the end"),
        pytest.param("10:00:32", "3,1", "reassignment", id="the old leader was moved away"),
        pytest.param("10:00:12", "3,2", "reassignment", id="as the reassignment completed"),
    ],
)
def test_a_preferred_election_after_a_reassignment_does_not_get_its_trigger(at, replicas, trigger):
    led = f"""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | replicas   | born
        10:00:01 | decision | 0            | 0               | 2         | 2,3 | {replicas} | true
        {at}     | decision | 1            | 1               | 3         | 2,3 | {replicas} | true  """
    same_rows(
        elect(
            led=led,
            faults="""
        kind       | broker_id | ts       | end_ts   | evidence
        reassigned | 1         | 10:00:10 | 10:00:12 | moved    """,
        ),
        ELECTIONS,
        f"""
        leader_epoch | trigger
        1            | {trigger} """,
    )


def test_a_leader_epoch_found_under_way_had_begun_before_and_was_not_created_then():
    """A later one has a lower bound: the one before it."""
    same_rows(
        judge("""
        ts       | witness  | leader_epoch | partition_epoch | leader_id | isr | born
        10:00:05 | follower | 0            | 3               | 2         |     | false
        10:00:20 | follower | 1            | 4               | -1        |     | false """),
        LEADER_EPOCHS,
        """
        leader_epoch | leader_id | reason     | begun_before
        0            | 2         | unknown    | true
        1            | -1        | leaderless |              """,
    )


@pytest.mark.parametrize(
    ("isr", "at", "trigger", "elected_from"),
    [
        pytest.param("1,3", "10:00:20", "left_isr", "isr", id="it left the ISR with the election"),
        pytest.param("1,2,3", "10:00:20", "preferred", "isr", id="it stays in the ISR"),
        pytest.param("1,3", "10:00:50", "preferred", "isr", id="it left the ISR later"),
    ],
)
def test_a_preferred_election_leaves_the_old_leader_in_the_isr(isr, at, trigger, elected_from):
    """A controller removes a broker that stops or whose session ended, whoever is preferred."""
    states = [
        ("10:00:01", "decision", 0, 2, "1,2,3"),
        ("10:00:20", "leader", 1, 1, isr if at == "10:00:20" else "1,2,3"),
        (at, "leader", 1, 1, isr),
    ]
    led = "ts | witness | leader_epoch | leader_id | isr | replicas | born\n" + "\n".join(
        f"{ts} | {witness} | {epoch} | {leader} | {own} | 1,2,3 | true"
        for ts, witness, epoch, leader, own in dict.fromkeys(states)
    )
    found = elect(led=led, isrs=True)
    same_rows(found, ELECTIONS, f"leader_epoch | trigger | elected_from\n1 | {trigger} | {elected_from}")


@pytest.mark.parametrize(
    ("isr", "number", "elected_from"),
    [
        pytest.param("2,3", 3, "isr", id="with another member"),
        pytest.param("3", 3, None, id="alone: it may have been elected uncleanly"),
        pytest.param("2,3", 4, None, id="after a leader epoch that no line shows"),
    ],
)
def test_a_leader_that_begins_in_an_isr_with_others_was_elected_cleanly(isr, number, elected_from):
    """An unclean election leaves the new leader alone in the ISR. The ISR of leader epoch 2 is not known."""
    judged = judge(f"""
        ts       | witness  | leader_epoch | leader_id | isr   | born
        10:00:01 | leader   | 1            | 1         | 1,2,3 | true
        10:00:10 | follower | 2            | 1         |       | true
        10:00:20 | leader   | {number}     | 3         | {isr} | true """)
    assert judged[-1].elected_from == elected_from
