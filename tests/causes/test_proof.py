"""Which lines prove an incident: what a witness says of its cause, and what Kafka's own logs show."""

from __future__ import annotations

from datetime import timedelta

from replay.causes.incident import Incident, Root
from replay.causes.proof import proof
from replay.tables.causes import FAULT_LINES, Conclusion
from tests.tables import rows

LINES = """
    event_id | ts
    b:1      | 10:00:00
    b:2      | 10:00:09
    b:3      | 10:00:12 """


def proven(evidence: list[str], title: str, witness: str | None = None, is_dated: bool = False) -> list[str | None]:
    known = rows(FAULT_LINES, LINES)
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
