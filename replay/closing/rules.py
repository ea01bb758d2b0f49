"""What each statement needs and what refutes it, and the statement that takes its place.

A rule without a clause is about the whole statement, a rule with one about the argument that makes the clause appear. Whoever
adds a standard caveat, or advice, adds its rule here and a case in `tests/closing` in which it must not appear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from replay.closing.known import Known
from replay.facts.times import first_known
from replay.faults.kinds import CRASHES
from replay.sentences.statement import LIST_SEPARATOR, Statement, statement, texts_of
from replay.tables.causes import Conclusion
from replay.tables.faults import Fault


@dataclass(frozen=True)
class Case:
    """A statement that is to be printed, and where it stands. `fault`: the fault that it is about."""

    statement: Statement
    known: Known
    incident_id: str | None = None
    conclusion: Conclusion | None = None

    @property
    def arguments(self) -> Mapping[str, str]:
        return self.statement.arguments

    @property
    def fault(self) -> Fault | None:
        return None if self.conclusion is None else self.known.faults.get(self.conclusion.finding_id)

    @property
    def fault_arguments(self) -> Mapping[str, str]:
        fault = self.fault
        return {} if fault is None else fault.arguments or {}

    def names(self, argument: str) -> list[str]:
        """The names in an argument that is a list."""
        text = self.arguments.get(argument)
        return [] if not text else text.split(LIST_SEPARATOR)

    def time(self, argument: str) -> datetime | None:
        text = self.arguments.get(argument)
        return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))

    def but(self, **changed: object) -> Statement:
        """The statement with other arguments; None takes one away."""
        kept = {name: value for name, value in self.arguments.items() if name not in changed}
        return replace(self.statement, arguments={**kept, **texts_of(changed)})


Condition = Callable[[Case], bool]
Instead = Callable[[Case], Statement | None]


@dataclass(frozen=True)
class ClosingRule:
    """A statement (`code`) or its `clause`, and the condition under which it is not printed.

    `needs` and `refuted_by`: both in words. `instead`: the statement in its place; without it, it goes.
    """

    code: str
    needs: str
    refuted_by: str
    refutes: Condition
    clause: str = ""
    instead: Instead | None = None


def _host_kept_running(case: Case) -> bool:
    return case.arguments.get("kind") == "killed" and "host_ran" in case.fault_arguments


def _kept_running(case: Case) -> Statement:
    peer, open_ms = (case.fault_arguments.get(name) for name in ("peer", "open_ms"))
    return statement(
        "host_kept_running", node=case.fault_arguments.get("node"), session=peer is None, peer=peer, open_ms=open_ms
    )


def _was_rejected(case: Case) -> bool:
    fault = case.fault
    return "rejected" in case.fault_arguments or (fault is not None and fault.reason == "peers_hosts_rejected")


_OF_SESSIONS = ("cut_from_controllers", "cut_from_zookeeper")
_OUT_OF_REACH = frozenset({"unconnected", "all_peers", "all_unanswered", "all_kept"})


def _was_out_of_reach(case: Case) -> bool:
    return case.arguments.get("kind") in _OF_SESSIONS and not _OUT_OF_REACH.isdisjoint(case.fault_arguments)


def _others_reject_too(case: Case) -> bool:
    return len(case.known.rejecting.get(case.incident_id, ())) > 1


def _all_that_reject(case: Case) -> Statement:
    nodes = case.known.rejecting[case.incident_id]
    return statement("own_hosts_rejected", all_nodes=nodes, error=case.arguments.get("error"), network=True)


def _controller_stayed(case: Case) -> bool:
    fault = case.fault
    return fault is not None and fault.kind not in CRASHES and not case.known.took_over(fault)


def _leader_was_elected_meanwhile(case: Case) -> bool:
    fault = case.fault
    began = None if fault is None else first_known(fault.began_high, fault.ts)
    return case.known.was_elected_between(began, case.time("at"))


def _controller_of_the_step_stayed(case: Case) -> bool:
    """Whether no fault of that node can have ended a tenure of it."""
    node = case.arguments.get("controller")
    own = [fault for fault in case.known.faults.values() if str(fault.broker_id) == node]
    return bool(own) and all(fault.kind not in CRASHES and not case.known.took_over(fault) for fault in own)


def _topics_with_acks_all(case: Case) -> list[str]:
    return [topic for topic in case.names("all_unproven") if topic in case.known.rejected_topics]


def _registered_by_itself(case: Case) -> bool:
    """Whether the broker's refused start asked again until it was registered."""
    refused = [
        fault
        for fault in case.known.faults.values()
        if fault.kind == "registration_refused" and str(fault.broker_id) == case.arguments.get("broker")
    ]
    return bool(refused) and all("at_registered" in (fault.arguments or {}) for fault in refused)


_NODES = ("all_brokers", "all_controllers", "all_nodes")


def _died(case: Case, node: str) -> datetime | None:
    """When a node's last process ended abruptly."""
    deaths = [
        first_known(fault.began_high, fault.ts)
        for fault in case.known.faults.values()
        if str(fault.broker_id) == node and fault.kind in CRASHES
    ]
    return max((ts for ts in deaths if ts is not None), default=None)


def _brokers_that_are_back(case: Case) -> list[str]:
    return [node for node in case.names("all_brokers") if case.known.is_back(int(node), _died(case, node))]


def _without_brokers_that_are_back(case: Case) -> Statement | None:
    back = _brokers_that_are_back(case)
    left = [node for node in case.names("all_brokers") if node not in back]
    others = any(case.names(name) for name in _NODES[1:])
    more = {"n": len(left)} if "n" in case.arguments else {}
    return case.but(all_brokers=left or None, **more) if left or others else None


def _topics_with_minimum(case: Case) -> list[str]:
    return [topic for topic in case.names("all_topics") if case.known.min_isr.get(topic, 1) >= 2]


def _without_topics_with_minimum(case: Case) -> Statement | None:
    done = _topics_with_minimum(case)
    left = [topic for topic in case.names("all_topics") if topic not in done]
    return case.but(all_topics=left) if left else None


CLOSING_RULES: tuple[ClosingRule, ...] = (
    ClosingRule(
        "rival",
        "no line that tells a dead process from a dead host",
        "a peer or ZooKeeper read the end of the process's connection, which only a running kernel sends",
        _host_kept_running,
        instead=_kept_running,
    ),
    ClosingRule(
        "rival",
        "no line about the hosts of the node and its peers",
        "the host of the node rejected its connections itself, or those of all peers rejected theirs to it",
        _was_rejected,
    ),
    ClosingRule(
        "rival",
        "lines about the session only",
        "the node could not connect, did not reach its peers either, or ZooKeeper kept the sessions of others",
        _was_out_of_reach,
    ),
    ClosingRule(
        "own_host_rejected",
        "the host of this node alone rejected its connections",
        "other hosts rejected the connections of their own nodes in the same incident",
        _others_reject_too,
        instead=_all_that_reject,
    ),
    ClosingRule(
        "was_controller",
        "the fault ended the controller's tenure",
        "no tenure began during the fault or soon after it",
        _controller_stayed,
    ),
    ClosingRule(
        "was_controller",
        "no leader was elected between the fault and the next controller",
        "a leader was elected in that time",
        _leader_was_elected_meanwhile,
    ),
    ClosingRule(
        "was_controller_again",
        "the fault ended the controller's tenure",
        "no tenure began during the fault or soon after it",
        _controller_stayed,
    ),
    ClosingRule(
        "look_at",
        "the fault ended the controller's tenure",
        "no tenure began during a fault of that node or soon after it",
        _controller_of_the_step_stayed,
        clause="controller",
    ),
    ClosingRule(
        "if_acks_all",
        "no rejected write of the topic: only writes with acks=all are rejected for a small ISR or for a gap before them",
        "a leader rejected such a write of the topic, in whichever incident",
        lambda case: bool(_topics_with_acks_all(case)),
        instead=lambda case: case.but(
            unproven=None,
            all_unproven=[one for one in case.names("all_unproven") if one not in _topics_with_acks_all(case)] or None,
            all_proven=sorted({*case.names("all_proven"), *_topics_with_acks_all(case)}),
        ),
    ),
    ClosingRule(
        "changed_nothing",
        "a log in which brokers print the leader epochs that they take on",
        "no node has such a log",
        lambda case: not case.known.logs_roles,
        instead=lambda _: statement("changes_not_logged"),
    ),
    ClosingRule(
        "await_session",
        "the broker has still to be started",
        "it asked again until it was registered",
        _registered_by_itself,
    ),
    *(
        ClosingRule(
            code,
            "no session of the broker after its end",
            "the broker has a session at the end of the logs that began after it",
            lambda case: bool(_brokers_that_are_back(case)),
            instead=_without_brokers_that_are_back,
        )
        for code in ("copy_before_start", "start_again", "not_back")
    ),
    ClosingRule(
        "raise_min_isr",
        "min.insync.replicas of the topic is 1, or not known",
        "its last known value is 2 or more",
        lambda case: bool(_topics_with_minimum(case)),
        instead=_without_topics_with_minimum,
    ),
)
