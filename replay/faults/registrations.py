"""Registrations that were refused because the broker id was already registered (F29)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.facts.evidence import earliest
from replay.facts.lines import number_in
from replay.facts.reads import reads
from replay.facts.times import first_known, known, plus_millis
from replay.faults.shape import bursts_of, fault
from replay.sentences.statement import statement
from replay.tables.faults import Fault
from replay.tables.reading import Fact

GIVES_UP_MS = 10_000  # a broker that ZooKeeper refuses stops within this time
ASKED_AGAIN_MS = 120_000  # a broker that a KRaft controller refuses retries until the old session ends


@reads("broker_registration_failed", "zk_ephemeral_conflict", "process_startup_failed", "broker_registered")
def registration_refused(facts: Sequence[Fact]) -> list[Fault]:
    """F29: a restart that was refused because the broker's previous session was still active.

    In ZooKeeper mode the broker then stops; in KRaft mode it retries. Alternatively (`second_process`), another
    process requested the id of a running broker; its lines belong to no node.
    """
    failed_starts = [fact for fact in facts if fact.kind == "process_startup_failed"]
    registered = [fact for fact in facts if fact.kind == "broker_registered"]
    refusals = [fact for fact in facts if _is_refusal(fact) and _asked_for(fact) is not None]
    return [
        _refused(burst, failed_starts, registered)
        for burst in bursts_of(
            refusals, by=lambda fact: (_asked_for(fact), fact.node_id is None), gap_ms=ASKED_AGAIN_MS
        )
    ]


def _is_refusal(fact: Fact) -> bool:
    message = fact.message or ""
    if fact.kind == "broker_registration_failed":
        return "DUPLICATE_BROKER_REGISTRATION" in message
    return fact.kind == "zk_ephemeral_conflict" and "/brokers/ids/" in message


def _asked_for(refusal: Fact) -> int | None:
    """The broker id that was requested."""
    return first_known(refusal.node_id, refusal.broker_id, number_in(refusal.message, r"/brokers/ids/(\d+)"))


def _refused(burst: list[Fact], failed_starts: Iterable[Fact], registered: Iterable[Fact]) -> Fault:
    broker = _asked_for(burst[0])
    of_second = burst[0].node_id is None
    end_ts = max(known(fact.last_ts for fact in burst), default=None)
    return fault(
        "second_process" if of_second else "registration_refused",
        statement(
            "id_asked_for_by_another" if of_second else "previous_session_active",
            broker=broker,
            count=sum(fact.count for fact in burst),
            all_files=sorted({fact.source_file for fact in burst}),
            heartbeats=not of_second and burst[0].kind == "broker_registration_failed",
            at_stop=None if of_second else _first_within(broker, end_ts, GIVES_UP_MS, failed_starts),
            at_registered=None if of_second else _first_within(broker, end_ts, ASKED_AGAIN_MS, registered),
        ),
        broker_id=broker,
        ts=min(known(fact.ts for fact in burst), default=None),
        end_ts=end_ts,
        confidence=0.9,
        evidence=earliest((fact.ts, fact.event_id) for fact in burst),
    )


def _first_within(
    broker: int | None, refused_ts: datetime | None, within_ms: int, lines: Iterable[Fact]
) -> datetime | None:
    """The broker's first line within a time after its registration was refused."""
    until = plus_millis(refused_ts, within_ms)
    if refused_ts is None or until is None:
        return None
    soon = [line.ts for line in lines if line.node_id == broker and line.ts and refused_ts <= line.ts <= until]
    return min(soon, default=None)
