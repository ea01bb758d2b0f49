"""Titles of findings and reasons of edges name one mechanism of a fault: both take its predicate from `predicates`."""

from __future__ import annotations

import pytest

from replay.causes import happenings as stage
from replay.causes.edges import edges_of_cluster
from replay.causes.predicates import predicates
from replay.causes.rules import RULES
from replay.faults.kinds import BY_NAME
from replay.sentences.causes import BECAUSE
from replay.tables.brokers import BROKER_SESSIONS, TIMINGS
from replay.tables.faults import FAULTS, WITNESSED
from replay.tables.offsets import SHORTENED_LOGS
from tests.each import for_each
from tests.tables import rows

# Broker 2 died twice; its logs came back shorter after the second death. Broker 3 died with its page cache intact.
DEATHS = """
    fault_id | kind   | code | broker_id | ts       | end_ts   | confidence | reason | arguments | partitions | evidence
    first    | killed | F01  | 2         | 10:00:00 | 10:01:00 | 0.9        | x      |           | []         | a
    power    | killed | F01  | 2         | 11:00:00 | 11:01:00 | 0.9        | x      |           | []         | b
    killed   | killed | F01  | 3         | 11:00:00 | 11:01:00 | 0.9        | x      |           | []         | c
    told     | killed | F01  | 4         | 12:00:00 | 12:01:00 | 0.9        | x      |           | []         | d """
SHORTER = """
    node_id | start_ts | logs | topic  | partition | held_offset | log_end_offset | evidence
    2       | 11:01:00 | 3    | orders | 0         | 900         | 700            | e        """
BY_WITNESS = "fault_id | by     | predicate                       | is_dated | evidence\ntold | signal | was killed by SIGKILL, 12:00:00 | true | k"
CUTS = """
    fault_id | kind                 | code | broker_id | peers | ts       | end_ts   | confidence | reason | arguments              | partitions | evidence
    both     | cut_from_controllers | F06  | 2         |       | 10:00:00 | 10:01:00 | 0.9        | x      | all_peers=1, 3         | []         | a
    alone    | cut_from_controllers | F06  | 3         |       | 10:00:00 | 10:01:00 | 0.9        | x      |                        | []         | b
    peers    | cut_from_peers       | F05  | 1         |       | 10:00:00 | 10:01:00 | 0.9        | x      | all_peers=2, 3         | []         | c
    some     | cut_from_peers       | F05  | 4         |       | 10:00:00 | 10:01:00 | 0.9        | x      |                        | []         | d
    link     | link_cut             | F05  | 5         | 6     | 10:00:00 | 10:01:00 | 0.9        | x      |                        | []         | e
    zk       | cut_from_zookeeper   | F07  | 7         |       | 10:00:00 | 10:01:00 | 0.9        | x      | all_unanswered=1       | []         | f
    quorum   | quorum_lost          | F11  |           | 1,2   | 10:00:00 | 10:01:00 | 0.9        | x      |                        | []         | g """


def test_a_node_that_lost_the_end_of_its_log_was_not_just_killed():
    assert predicates(rows(FAULTS, DEATHS), rows(SHORTENED_LOGS, SHORTER), rows(WITNESSED, BY_WITNESS)) == {
        "first": "crashed or was killed",
        "power": "crashed and lost the end of its log",
        "killed": "crashed or was killed",
        "told": "was killed by SIGKILL, 12:00:00",
    }


def test_a_node_that_left_damaged_logs_was_not_just_killed():
    damaged = SHORTER.replace("| 900 ", "|     ")
    assert predicates(rows(FAULTS, DEATHS), rows(SHORTENED_LOGS, damaged))["power"] == "crashed and left damaged logs"


def test_a_cut_names_what_it_cut_off():
    assert predicates(rows(FAULTS, CUTS)) == {
        "both": "was cut off from the controllers and from brokers 1 and 3",
        "alone": "was cut off from the controllers",
        "peers": "was cut off from brokers 2 and 3",
        "some": "was cut off from its peers",
        "link": "was cut off from broker 6",
        "zk": "lost its ZooKeeper session while it ran and did not reach broker 1",
    }


@pytest.mark.parametrize(
    ("arguments", "predicate"),
    [
        ("heartbeats=yes", "had its restart rejected: its previous session with the controllers was still active"),
        ("zookeeper=yes", "had its restart rejected: its previous ZooKeeper session was still active"),
        ("broker=2", "had its restart rejected: its previous session was still active"),
    ],
)
def test_a_rejected_restart_names_the_session_that_was_active(arguments, predicate):
    refused = f"fault_id | kind | broker_id | arguments\nrefused | registration_refused | 2 | {arguments}"
    assert predicates(rows(FAULTS, refused)) == {"refused": predicate}


@for_each(
    ("arguments", "predicate"),
    [("kept=yes", "was frozen or cut off"), ("node=1", "fell silent, cause not logged")],
)
def test_a_silent_broker_whose_process_lived_on_was_frozen_or_cut_off(arguments, predicate):
    silent = f"fault_id | kind | broker_id | arguments\nquiet | silent | 1 | {arguments}"
    assert predicates(rows(FAULTS, silent)) == {"quiet": predicate}


def test_an_edge_states_the_mechanism_of_its_cause():
    sessions = """
        broker_id | start_ts | end_ts   | ended_by | evidence
        2         | 09:00:00 | 10:00:05 | crash    | s
        2         | 10:01:00 | 11:00:05 | crash    | t
        3         | 09:00:00 | 11:00:05 | crash    | u        """
    happened = stage.of_cluster(
        rows(FAULTS, DEATHS),
        rows(BROKER_SESSIONS, sessions),
        [],
        shortened_logs=rows(SHORTENED_LOGS, SHORTER),
        witnessed=rows(WITNESSED, BY_WITNESS),
    )
    assert sorted(edge.because for edge in edges_of_cluster(happened, rows(TIMINGS, "node_id"))) == [
        "broker 2 crashed and lost the end of its log; its session ended at 11:00:05.000",
        "broker 2 crashed or was killed; its session ended at 10:00:05.000",
        "broker 3 crashed or was killed; its session ended at 11:00:05.000",
    ]


@for_each("rule", RULES, ids=lambda rule: f"{rule.number}-{rule.reason}")
def test_a_reason_with_a_predicate_is_one_of_faults_of_nodes(rule):
    if "{cause_predicate}" in BECAUSE.texts[rule.reason]:
        assert all(BY_NAME[cause].predicate for cause in rule.causes)
