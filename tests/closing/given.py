"""Conclusions and facts for the tests of closing."""

from __future__ import annotations

from replay.causes.conclusions import conclusion
from replay.closing.close import closed_conclusions
from replay.closing.known import Known
from replay.faults.kinds import BY_NAME
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BROKER_SESSIONS, CONTROLLERS, PROCESSES
from replay.tables.causes import EFFECTS, SEQUENCE_GAPS
from replay.tables.coverage import COVERAGE_SPANS
from replay.tables.faults import FAULTS, Fault
from replay.tables.partitions import TOPIC_SETTINGS
from tests.tables import rows


def known(
    *,
    faults: str = "fault_id",
    effects: str = "kind",
    controllers: str = "controller_id",
    sessions: str = "broker_id",
    processes: str = "node_id",
    settings: str = "topic",
    gaps: str = "topic",
    coverage: str = "node_id | roles\n 1 | 1",
) -> Known:
    """The facts of these tables."""
    return Known.of(
        rows(FAULTS, faults),
        rows(EFFECTS, effects),
        rows(CONTROLLERS, controllers),
        rows(BROKER_SESSIONS, sessions),
        rows(PROCESSES, processes),
        rows(TOPIC_SETTINGS, settings),
        rows(SEQUENCE_GAPS, gaps),
        rows(COVERAGE_SPANS, coverage),
    )


def closed_of_fault(drawn: Statement, facts: Known, fault_id: str, incident_id: str | None = "i1") -> list[Statement]:
    """What remains of a statement in the conclusion about a fault."""
    made = conclusion(
        id=fault_id, incident_id=incident_id, title=Statement("befell_node"), statements=[drawn], evidence=[]
    )
    (kept,) = closed_conclusions([made], facts)
    return [Statement(one["reason"], one["arguments"]) for one in kept.said]


def has_rival(fault: Fault) -> bool:
    """Whether the conclusion about a fault says what else would look the same."""
    drawn = statement("rival", rival=BY_NAME[fault.kind].rival, kind=fault.kind)
    return drawn in closed_of_fault(drawn, Known(faults={fault.fault_id: fault}), fault.fault_id)
