"""Brokers that apply the controllers' decisions long after the others (F32)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.facts.evidence import earliest
from replay.facts.lives import STARTS
from replay.facts.reads import reads
from replay.facts.times import plus_millis
from replay.faults.shape import bursts_of, fault, own_lines
from replay.sentences.statement import statement
from replay.tables.faults import Fault, FirstLine, LateRole
from replay.tables.reading import Fact

LATE_MS = 30_000  # healthy brokers apply a metadata record within half a second (facts §6.1, R8)
ONE_BURST_MS = 60_000


@reads(*STARTS)
def metadata_late(
    late_roles: Iterable[LateRole], first_lines: Iterable[FirstLine], facts: Sequence[Fact]
) -> list[Fault]:
    """F32: a broker that takes on its role in a decision of the KRaft controllers long after another broker did,
    although it was running.

    Ignores brokers that started in between; they read what they missed.
    """
    first_line_ts = {row.node_id: row.first_ts for row in first_lines}
    starts: dict[int, list[Fact]] = {}
    for fact in own_lines(facts):
        if fact.kind in STARTS:
            starts.setdefault(fact.node_id, []).append(fact)

    def ran_all_the_while(role: LateRole) -> bool:
        began = first_line_ts.get(role.node_id)
        restarted = any(role.first_ts <= start.ts <= role.ts for start in starts.get(role.node_id, ()))
        return began is not None and began < role.first_ts and not restarted

    late = [role for role in late_roles if ran_all_the_while(role)]
    return [_learnt_late(burst) for burst in bursts_of(late, by=lambda role: role.node_id, gap_ms=ONE_BURST_MS)]


def _learnt_late(burst: list[LateRole]) -> Fault:
    broker = burst[0].node_id
    first = min(burst, key=lambda role: (role.first_ts, role.first_event))
    end_ts = max(role.last_ts for role in burst)
    partitions = {name for role in burst for name in role.names}
    lines = [(line["ts"], line["event_id"]) for role in burst for line in role.lines]
    return fault(
        "metadata_late",
        statement(
            "learnt_late",
            broker=broker,
            late_ms=max(role.late_ms for role in burst),
            partitions=len(partitions),
            at_from=first.first_ts,
            at_to=end_ts,
        ),
        broker_id=broker,
        ts=first.first_ts,
        end_ts=end_ts,
        began_low=plus_millis(first.first_ts, -LATE_MS),
        confidence=0.7,
        evidence=[first.first_event, *earliest(lines)],
    )
