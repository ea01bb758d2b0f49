"""A statement that a fact refutes is not printed. Each rule has a case in which it decides, and one in which it does not."""

from __future__ import annotations

import pytest

from replay.closing.close import closed
from replay.closing.known import NOTHING_KNOWN
from replay.closing.rules import CLOSING_RULES
from replay.faults.kinds import BY_NAME
from replay.sentences.findings import SUMMARIES
from replay.sentences.incidents import AFTERWARDS, INCIDENT_SENTENCES, LOST, NEXT_STEPS, STILL, UNANSWERED
from replay.sentences.statement import statement
from tests.closing.given import closed_of_fault, known
from tests.each import for_each

KILLED = "fault_id | kind | broker_id | ts | began_low | began_high | ended_high | arguments\n kill | killed | 1 | 10:00:10 | 10:00:09 | 10:00:10 | {ended} | {arguments}"
FROZE = "fault_id | kind | broker_id | ts | began_low | began_high | ended_high\n froze | paused | 1 | 10:00:10 | 10:00:09 | 10:00:10 | 10:00:40"


def killed(ended: str = "", arguments: str = "") -> str:
    return KILLED.format(ended=ended, arguments=arguments)


def test_every_rule_is_about_a_statement_that_has_a_wording_and_says_what_it_needs():
    texts = [book.texts for book in (SUMMARIES, NEXT_STEPS, STILL, AFTERWARDS, INCIDENT_SENTENCES, LOST, UNANSWERED)]
    assert [rule.code for rule in CLOSING_RULES if not any(rule.code in book for book in texts)] == []
    assert [rule.code for rule in CLOSING_RULES if not (rule.needs and rule.refuted_by)] == []


@for_each("rule", CLOSING_RULES, ids=lambda rule: f"{rule.code}: {rule.refuted_by}")
def test_nothing_is_refuted_where_nothing_is_known(rule):
    drawn = statement(
        rule.code,
        kind="killed",
        node=1,
        at="2024-05-01T10:00:30Z",
        controller=1,
        all_brokers=[1],
        broker=1,
        n=1,
        all_topics=["orders"],
        all_unproven=["orders"],
    )
    assert closed([drawn], NOTHING_KNOWN) == [drawn]


def test_a_power_failure_is_no_rival_of_a_death_after_which_the_kernel_ended_a_connection():
    rival = statement("rival", rival=BY_NAME["killed"].rival, kind="killed")
    facts = known(faults=killed(arguments="node=1; host_ran=yes"))
    assert closed_of_fault(rival, facts, "kill") == [statement("host_kept_running", node=1, session=True)]
    of_a_fetch = known(faults=killed(arguments="node=1; host_ran=yes; peer=2; open_ms=67"))
    (kept,) = closed_of_fault(rival, of_a_fetch, "kill")
    assert (SUMMARIES.render(kept.reason, kept.arguments) or "").startswith(
        "the host of node 1 kept running: broker 2 read the end of its connection 67 ms after it had sent a fetch"
    )
    assert closed_of_fault(rival, known(faults=killed(arguments="node=1")), "kill") == [rival]


@pytest.mark.parametrize(("coverage", "kept"), [("1 | 0", "changes_not_logged"), ("1 | 0\n 2 | 7", "changed_nothing")])
def test_a_fault_changed_nothing_only_where_brokers_log_the_leader_epochs_that_they_take_on(coverage: str, kept: str):
    facts = known(faults=killed(), coverage=f"node_id | roles\n {coverage}")
    assert closed_of_fault(statement("changed_nothing"), facts, "kill") == [statement(kept)]


def test_hosts_that_each_reject_their_own_connections_are_named_together():
    faults = (
        "fault_id | kind | broker_id | ts | arguments\n cut/1 | cut_from_peers | 1 | 10:00:10 | rejected=No route to host\n"
        "cut/2 | cut_from_peers | 2 | 10:00:11 | {}"
    )
    effects = "id | kind | incident_id\n cut/1 | cut_from_peers | i1\n cut/2 | cut_from_peers | i1"
    drawn = statement("own_host_rejected", node=1, error="No route to host")
    both = known(faults=faults.format("rejected=No route to host"), effects=effects)
    assert closed_of_fault(drawn, both, "cut/1") == [
        statement("own_hosts_rejected", all_nodes=[1, 2], error="No route to host", network=True)
    ]
    assert closed_of_fault(drawn, known(faults=faults.format(""), effects=effects), "cut/1") == [drawn]


TENURES = "mode | controller_id | controller_epoch | start_ts\n kraft | 1 | 1 | 09:00:00\n {}"


@pytest.mark.parametrize(
    ("next_tenure", "is_kept"),
    [
        ("kraft | 2 | 2 | 10:00:20", True),  # it took over while node 1 was frozen
        ("kraft | 2 | 2 | 10:30:00", False),  # half an hour later, for another reason
        ("", False),  # nobody did
    ],
)
def test_a_fault_that_did_not_end_a_tenure_kept_nobody_from_electing_leaders(next_tenure, is_kept):
    facts = known(faults=FROZE, controllers=TENURES.format(next_tenure))
    drawn = statement("was_controller", node=1, new=2, at="2024-05-01T10:00:20Z")
    assert (closed_of_fault(drawn, facts, "froze") == [drawn]) is is_kept
    step = statement("look_at", what="its logs", all_brokers=[1], controller=1)
    expected = step if is_kept else statement("look_at", what="its logs", all_brokers=[1])
    assert closed([step], facts) == [expected]


@pytest.mark.parametrize(("elected", "is_kept"), [("10:00:20", False), ("10:00:12", True), ("10:00:29", True)])
def test_leaders_elected_in_the_meantime_refute_that_none_could_be(elected, is_kept):
    """Within the accuracy of the clocks an election at the begin or the end of the time refutes nothing."""
    facts = known(
        faults=killed(),
        controllers=TENURES.format("kraft | 2 | 2 | 10:00:30"),
        effects=f"kind | ts | last_ts\n election | {elected} | {elected}",
    )
    drawn = statement("was_controller", node=1, new=2, at="2024-05-01T10:00:30Z")
    assert (closed_of_fault(drawn, facts, "kill") == [drawn]) is is_kept


def test_a_rejected_write_of_any_incident_shows_producers_with_acks_all():
    drawn = statement(
        "if_acks_all", unproven=True, all_unproven=["clicks", "orders"], all_counts=["9 offsets of clicks"]
    )
    facts = known(effects="kind | incident_id | partitions\n writes_refused | i2 | orders-0,orders-1")
    (kept,) = closed([drawn], facts, "i1")
    assert UNANSWERED.render(kept.reason, kept.arguments) == (
        "if their producers used acks=all (rejected writes show such producers of orders): 9 offsets of clicks"
    )
    assert closed([drawn], known(), "i1") == [drawn]


@pytest.mark.parametrize(("arguments", "is_kept"), [("at_registered=2024-05-01T10:00:30Z", False), ("broker=1", True)])
def test_a_broker_that_was_registered_needs_no_later_start(arguments, is_kept):
    refused = (
        f"fault_id | kind | broker_id | ts | arguments\n refused | registration_refused | 1 | 10:00:20 | {arguments}"
    )
    drawn = statement("await_session", broker=1, heartbeats=True)
    assert (closed([drawn], known(faults=refused)) == [drawn]) is is_kept


@pytest.mark.parametrize("code", ["copy_before_start", "start_again", "not_back"])
def test_brokers_with_a_session_after_their_death_are_back(code):
    facts = known(
        faults=killed() + "\n kill/2 | killed | 2 | 10:00:10 | 10:00:09 | 10:00:10 | |",
        sessions="broker_id | start_ts | end_ts\n 1 | 09:00:00 | 10:00:19\n 1 | 10:01:00 |\n 2 | 09:00:00 | 10:00:19",
    )
    both = statement(code, all_brokers=[1, 2], n=2)
    assert closed([both], facts) == [statement(code, all_brokers=[2], n=1)]
    assert closed([statement(code, all_brokers=[1], n=1)], facts) == []
    assert closed([statement(code, all_brokers=[2], n=1)], facts) == [statement(code, all_brokers=[2], n=1)]


def test_a_minimum_that_is_set_is_not_advised():
    facts = known(settings="topic | min_isr\n orders | 2\n clicks | 1")
    drawn = statement("raise_min_isr", all_topics=["clicks", "orders"])
    assert closed([drawn], facts) == [statement("raise_min_isr", all_topics=["clicks"])]
    assert closed([statement("raise_min_isr", all_topics=["orders"])], facts) == []


@for_each(
    ("kind", "arguments", "is_kept"),
    [
        ("cut_from_controllers", "", True),
        ("cut_from_controllers", "unconnected=yes", False),
        ("cut_from_zookeeper", "all_kept=2", False),
        ("cut_from_peers", "rejected=Network is unreachable", False),
        ("cut_from_peers", "error=Invalid argument", False),
        ("cut_from_peers", "all_peers=2", True),
    ],
)
def test_a_rival_needs_that_the_lines_leave_it_open(kind, arguments, is_kept):
    reason = "peers_hosts_rejected" if "error" in arguments else "fetches_failed"
    fault = (
        f"fault_id | kind | broker_id | ts | reason | arguments\n cut | {kind} | 1 | 10:00:10 | {reason} | {arguments}"
    )
    rival = statement("rival", rival=BY_NAME[kind].rival, kind=kind)
    assert (closed_of_fault(rival, known(faults=fault), "cut") == [rival]) is is_kept


def test_a_refused_batch_of_an_idempotent_producer_shows_acks_all():
    drawn = statement("if_acks_all", unproven=True, all_unproven=["clicks", "orders"], all_counts=["x"])
    gaps = "topic | partition | node_id | ts | offset\n orders | 1 | 1 | 10:00:20 | 244"
    assert closed([drawn], known(gaps=gaps)) == [
        statement("if_acks_all", all_unproven=["clicks"], all_proven=["orders"], all_counts=["x"])
    ]
