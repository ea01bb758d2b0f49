"""Which lines prove an incident: what a witness says of its cause, and what Kafka's own logs show."""

from __future__ import annotations

from datetime import timedelta

import pytest

from replay.catalogue.kinds import HOST_KINDS, WITNESSES
from replay.catalogue.kinds import KINDS as EVENT_KINDS
from replay.causes.incident import Incident, Root
from replay.causes.proof import EFFECT_DECIDED_BY, LINES, LOSS_DECIDED_BY, proof
from replay.faults.kinds import KINDS
from replay.tables.causes import FAULT_LINES, Conclusion
from replay.tables.faults import Fault
from tests.each import for_each
from tests.tables import rows

TOLD = """
    event_id | ts
    b:1      | 10:00:00
    b:2      | 10:00:09
    b:3      | 10:00:12 """


def proven(evidence: list[str], title: str, witness: str | None = None, is_dated: bool = False) -> list[str | None]:
    known = rows(FAULT_LINES, TOLD)
    begin = known[0].ts + timedelta(seconds=8)
    killed = Conclusion(
        finding_id="killed/1",
        code="F01",
        role="root_cause",
        severity="high",
        broker_ids=[1],
        start_ts=begin,
        began_low=begin,
        evidence=evidence,
    )
    incident = Incident(
        "one",
        begin,
        begin + timedelta(minutes=1),
        roots=[Root(killed, title, None, witness, is_dated)],
        findings=[killed],
    )
    told = proof(incident, {"killed/1": title}, {line.event_id: line for line in known})
    return [one["event_id"] for one in told]


def test_what_a_witness_says_stands_first_and_kafkas_own_lines_after_it():
    """Its lines are none of the fault's own, and more of them than one leave no room for those."""
    by_kernel = "Broker 1 was killed by the kernel: out of memory, 10:00:08"
    assert proven(["host:5", "host:6", "b:1", "b:2", "b:3"], by_kernel, "memory", True) == ["host:5", "b:2", "b:3"]


def test_what_only_rules_something_out_proves_no_end():
    died = "Broker 1 crashed or was killed"
    assert proven(["host:1", "host:9", "b:1", "b:2", "b:3"], died, "kernel_saw_nothing")[:2] == ["b:2", "b:3"]
    assert proven(["b:1", "b:2", "b:3"], died) == ["b:2", "b:3"]


def proven_by_kind(kind: str | None, lines: str, finding_id: str = "f", code: str = "F01") -> list[str | None]:
    """The kinds of the lines that are quoted for a finding whose evidence is all of `lines`, at 10:00 and after."""
    known = rows(FAULT_LINES, lines)
    begin = known[0].ts
    found = Conclusion(
        finding_id=finding_id,
        code=code,
        role="root_cause",
        severity="high",
        broker_ids=[1],
        start_ts=begin,
        began_low=begin,
        evidence=[line.event_id for line in known],
    )
    fault = None if kind is None else Fault(fault_id=finding_id, kind=kind)
    incident = Incident("one", begin, begin + timedelta(minutes=1), roots=[Root(found, "t", fault)], findings=[found])
    quoted = proof(incident, {finding_id: "t"}, {line.event_id: line for line in known})
    by_id = {line.event_id: line.kind for line in known}
    return [by_id[one["event_id"]] for one in quoted]


def test_the_error_that_a_process_stopped_for_is_quoted_though_it_stands_before_its_last_line():
    """Also where the death follows from another fault."""
    known = rows(
        FAULT_LINES,
        """
        event_id | ts       | kind
        b:1      | 10:00:12 | process_app_unregistered
        b:2      | 10:00:09 | broker_registration_timeout """,
    )
    times = {"start_ts": known[0].ts, "began_low": known[0].ts}
    died = Conclusion(
        finding_id="halted/1", code="F01", role="effect", severity="low", evidence=["b:1", "b:2"], **times
    )
    death = Root(died, "t", Fault(fault_id="halted/1", kind="halted"))
    incident = Incident("one", known[1].ts, known[0].ts, deaths=[death], findings=[died])
    told = proof(incident, {"halted/1": "t"}, {line.event_id: line for line in known})
    assert [one["event_id"] for one in told] == ["b:2"]


# Of each verdict: which line would be missing if it were false. A session that timed out stands in the proof of a crash and of a cut
# alike, and an election in that of a loss and of a move without one.
DECIDED = {
    "killed": ("kraft_broker_session_timeout", "log_dir_unclean_shutdown"),
    "cut_from_controllers": ("kraft_broker_session_timeout", "broker_heartbeat_failed"),
    "cut_from_zookeeper": ("controller_broker_change", "zk_client_timeout"),
    "paused": ("kraft_broker_session_timeout", "node_inflight_cancelled"),
    "slow_follower": ("isr_updated", "isr_shrink"),
    "stopped": ("controller_broker_change", "broker_shutdown_done"),
    "stopped_uncleanly": ("process_signal", "log_dir_unclean_shutdown"),
    "stopped_with_failed_disk": ("controller_broker_change", "process_signal"),
    "disk_full": ("log_dir_failure_begin", "log_dir_failed"),
    "registration_refused": ("process_start_line", "zk_ephemeral_conflict"),
}


@for_each("kind", DECIDED)
def test_the_line_that_decides_a_fault_is_quoted_first(kind):
    """Also where it stands after others, and after the incident's end: the next start that finds no clean-shutdown marker."""
    beside, decides = DECIDED[kind]
    lines = f"""
        event_id | ts       | kind
        a:1      | 10:00:00 | {beside}
        a:2      | 10:00:01 | {beside}
        a:3      | 10:00:02 | {beside}
        b:1      | 10:05:00 | {decides} """
    assert proven_by_kind(kind, lines)[0] == decides


# Kinds that every line of theirs decides alike: an operator's request, or what the node says outright.
ANY_LINE_DECIDES = {
    "clock_stepped",
    "out_of_memory",
    "reassigned",
    "replication_factor_lowered",
    "feature_changed",
    "voters_changed",
    "static_voters_differ",
}
ANY_LINE_DECIDES |= {"voter_came_back"}


def test_every_kind_of_fault_names_the_lines_that_decide_it():
    assert {kind.name for kind in KINDS if not kind.decided_by} == ANY_LINE_DECIDES


@for_each("kind", [kind for kind in KINDS if kind.decided_by], ids=lambda kind: kind.name)
def test_of_every_kind_of_fault_the_line_that_decides_it_is_quoted(kind):
    """It stands after more lines than are quoted, which stand in the proof of other verdicts too."""
    for decides in kind.decided_by:
        lines = f"""
            event_id | ts       | kind
            a:1      | 10:00:00 | any
            a:2      | 10:00:01 | any
            a:3      | 10:00:02 | any
            a:4      | 10:00:03 | any
            b:1      | 10:05:00 | {decides} """
        assert proven_by_kind(kind.name, lines)[0] == decides


@for_each("kind", sorted(ANY_LINE_DECIDES))
def test_a_kind_that_every_line_decides_is_proven_by_its_first_line(kind):
    lines = "event_id | ts | kind\na:1 | 10:00:00 | first\na:2 | 10:00:01 | second"
    assert proven_by_kind(kind, lines) == ["first", "second"]


@pytest.mark.parametrize(("code", "decided_by"), sorted(EFFECT_DECIDED_BY.items()))
def test_of_what_followed_the_line_that_decides_it_is_quoted(code, decided_by):
    for decides in decided_by:
        lines = f"""
            event_id | ts       | kind
            a:1      | 10:00:00 | any
            a:2      | 10:00:01 | any
            a:3      | 10:00:02 | any
            b:1      | 10:05:00 | {decides} """
        assert proven_by_kind(None, lines, "effect/one", code)[0] == decides


def test_a_loss_is_proven_by_the_line_that_cut_the_log():
    lines = """
        event_id | ts       | kind
        a:1      | 10:00:00 | partition_state_online_with_leader
        a:2      | 10:00:01 | leader_start
        b:1      | 10:00:30 | follower_start
        b:2      | 10:00:31 | log_truncated_to """
    assert proven_by_kind(None, lines, "loss/one")[0] == "log_truncated_to"


def test_what_decides_is_an_event_that_lines_can_tell():
    named = {kind for fault in KINDS for kind in fault.decided_by}
    named.update(LOSS_DECIDED_BY, *EFFECT_DECIDED_BY.values())
    known = EVENT_KINDS.keys() | HOST_KINDS.keys()
    assert not [kind for kind in named if kind not in known and kind.split("_")[0] not in WITNESSES]
    assert LINES == 3
