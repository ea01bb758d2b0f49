"""Active controllers that a voter deposed when it was back: what is said of them, and what is advised."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replay.causes.depositions import depositions
from replay.causes.incident_words import what_happened
from replay.causes.next_steps import next_steps
from replay.sentences.findings import SUMMARIES
from replay.tables import CONTROLLERS
from replay.tables.brokers import RELEASES
from replay.tables.causes import EDGES
from replay.tables.faults import FAULTS
from tests.causes.test_next_steps import FROZE, incident_of
from tests.tables import rows

# As recorded of 3.3.2: node 1 was frozen for 35 s and stood in epoch 2; node 3 was elected in epoch 7.
TENURES = """
    mode  | controller_id | controller_epoch | start_ts | ready_ts     | deposed_by | deposed_in | deposed_at
    kraft | 2             | 1                | 09:59:00 | 09:59:01     | 1          | 2          | 10:00:36.000
    kraft | 3             | 7                | 10:00:37 | 10:00:37.100 |            |            |              """
PAUSE = """
    fault_id | kind   | broker_id | began_low | began_high | ts       | end_ts   | ended_high
    froze    | paused | {node}    | 10:00:00  | 10:00:01   | 10:00:01 | {end}    | {end}      """
EDGE = "src | dst | reason | rank | arguments\n froze | controller/kraft/7 | deposed_the_controller | 1 | cause_predicate=froze"
RELEASE = "node_id | version_low | version_high\n 1 | {low} | {high}"


def deposed(node: int = 1, end: str = "10:00:35", low: int = 30302, high: int = 30302, edges: str = EDGE):
    return depositions(
        rows(CONTROLLERS, TENURES),
        rows(EDGES, edges),
        rows(FAULTS, PAUSE.format(node=node, end=end)),
        rows(RELEASES, RELEASE.format(low=low, high=high)),
    )


def _said(one) -> str:
    return SUMMARIES.sentences([(one.as_statement.reason, one.as_statement.arguments)])


def test_a_finding_says_who_deposed_which_controller_when_and_for_how_long_none_was_active():
    (one,) = deposed()
    assert _said(one) == (
        "Node 1, which froze, stood for election in Raft epoch 2; when the active controller, node 2, learned of it, "
        "it gave up its leadership of epoch 1 at 10:00:36.000, though no fault had stopped it (before Kafka 4.0 a voter stands without asking the "
        "others first, and a leader gives up for every later epoch); no controller was active for 1.1 s, until node 3 was elected at 10:00:37.100."
    )
    assert SUMMARIES.sentences([(one.of_candidate.reason, one.of_candidate.arguments)]) == (
        "Without contact, node 1 stood for election in a later Raft epoch; when node 2, the active controller, which no fault had "
        "stopped, learned of it, it gave up its leadership at 10:00:36.000: no controller was active for 1.1 s."
    )


def test_a_voter_that_followed_the_controller_until_another_one_asked_it_is_not_said_to_have_lost_contact():
    through = TENURES.replace("deposed_by |", "deposed_by | deposed_through |").replace(
        "| 1          | 2 ", "| 1 | 3 | 2 "
    )
    through = through.replace("|            |            |  ", "| | | |  ")
    (one,) = depositions(
        rows(CONTROLLERS, through), rows(EDGES, EDGE), rows(FAULTS, PAUSE.format(node=1, end="10:00:35"))
    )
    assert (
        "stood for election in Raft epoch 2, and then node 3, which had followed the active controller until then; when"
        in _said(one)
    )
    assert (
        "Without contact, node 1 stood for election in a later Raft epoch, and so did node 3, which had followed the active"
        in (SUMMARIES.sentences([(one.of_candidate.reason, one.of_candidate.arguments)]))
    )


def test_a_controller_that_was_frozen_itself_is_not_called_well():
    (still_frozen,) = deposed(node=2, end="10:00:40", edges="src")
    (awake,) = deposed(node=2, end="10:00:35", edges="src")
    assert (still_frozen.was_well, awake.was_well, awake.fault) == (False, True, None)
    assert "no fault" not in _said(still_frozen) and "which froze" not in _said(awake)


@pytest.mark.parametrize(
    ("low", "high", "end", "advice"),
    [
        (30302, 30302, "10:00:35", "release"),
        (30302, 30302, "10:00:06", "release and timeout"),
        (40000, 40000, "10:00:35", None),
        (30900, 99999, "10:00:35", None),
    ],
    ids=["long", "short", "has pre-votes", "unknown release"],
)
def test_pre_votes_are_advised_where_the_release_has_none_and_a_longer_timeout_only_for_short_pauses(
    low, high, end, advice
):
    incident = replace(incident_of(FROZE), deposed=deposed(low=low, high=high, end=end))
    steps = [step for step in next_steps(incident) if "KIP-996" in step]
    assert len(steps) == (advice is not None)
    assert all(("controller.quorum.fetch.timeout.ms" in step) == (advice == "release and timeout") for step in steps)
    assert (
        "Without contact, node 1 stood for election in a later Raft epoch; when the active controller (node 2) learned of it, it gave "
        "up its leadership: no controller was active for 1.1 s, in which no leader could be elected and no ISR could change."
    ) in what_happened(incident)


def test_nothing_is_said_of_an_incident_in_which_nobody_deposed_the_controller():
    incident = incident_of(FROZE)
    assert "stood for election" not in what_happened(incident)
    assert not any("KIP-996" in step for step in next_steps(incident))


LATE = [
    {
        "reason": "isr_changes_answered_late",
        "arguments": {
            "broker": "1",
            "controller": "3",
            "count": "4",
            "all_removed": "2, 3",
            "removed": "2",
            "at_from": "2024-05-01T10:00:55.455Z",
            "waited": "19.8 s",
        },
    }
]


@pytest.mark.parametrize(("role", "says"), [("effect", True), ("root_cause", False)])
def test_what_happened_includes_isr_changes_that_another_fault_held_up(role, says):
    incident = incident_of(FROZE)
    late = incident.findings[0].but(code="F23", role=role, said=LATE)
    text = what_happened(replace(incident, findings=[*incident.findings, late]))
    assert (
        "Broker 1 wanted to remove brokers 2 and 3 from 4 ISRs from 10:00:55 on, and the controller, node 3, confirmed it only 19.8 s "
        "later: until then, or until they fetched again, the high watermark of these partitions waited for them."
        in text
    ) == says
