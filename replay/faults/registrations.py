"""Registrations that were refused because the broker id was already registered (F29)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import earliest
from replay.facts.lines import number_in
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, known, least, plus_millis
from replay.faults.shape import bursts_of, fault
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokerSession
from replay.tables.faults import Fault
from replay.tables.reading import Fact

GIVES_UP_MS = 10_000  # a broker that ZooKeeper refuses stops within this time
ASKED_AGAIN_MS = 120_000  # a broker that a KRaft controller refuses retries until the old session ends


@reads("broker_registration_failed", "zk_ephemeral_conflict", "process_startup_failed", "broker_registered")
def registration_refused(facts: Sequence[Fact], recorded_sessions: Iterable[BrokerSession] = ()) -> list[Fault]:
    """F29: a restart that was refused because the broker's previous session was still active.

    In ZooKeeper mode, where that is the session with ZooKeeper, the broker then stops; in KRaft mode, where it is the
    one with the controllers, it retries. Alternatively (`second_process`), another process requested the id of a
    running broker; its lines belong to no node.
    """
    failed_starts = [fact for fact in facts if fact.kind == "process_startup_failed"]
    registered = [fact for fact in facts if fact.kind == "broker_registered"]
    refusals = [fact for fact in facts if _is_refusal(fact) and _asked_for(fact) is not None]
    ends = [one for one in recorded_sessions if one.end_ts is not None]
    return [
        _refused(burst, failed_starts, registered, ends)
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


def _refused(
    burst: list[Fact], failed_starts: Iterable[Fact], registered: Iterable[Fact], ends: Iterable[BrokerSession]
) -> Fault:
    broker, end_ts = _asked_for(burst[0]), max(known(fact.last_ts for fact in burst), default=None)
    of_second = burst[0].node_id is None
    begin_ts = min(known(fact.ts for fact in burst), default=None)
    count = sum(fact.count for fact in burst)
    about = (
        statement(
            "id_asked_for_by_another",
            broker=broker,
            count=count,
            all_files=sorted({fact.source_file for fact in burst}),
        )
        if of_second
        else _previous_session(burst, count, _Refusals(broker, begin_ts, end_ts), failed_starts, registered, ends)
    )
    return fault(
        "second_process" if of_second else "registration_refused",
        about,
        broker_id=broker,
        ts=begin_ts,
        end_ts=end_ts,
        confidence=0.9,
        evidence=earliest((fact.ts, fact.event_id) for fact in burst),
    )


@dataclass(frozen=True)
class _Refusals:
    """The refusals of a broker, from the first to the last."""

    broker: int | None
    begin_ts: datetime | None
    end_ts: datetime | None


def _previous_session(
    burst: Sequence[Fact],
    count: int,
    refusals: _Refusals,
    failed_starts: Iterable[Fact],
    registered: Iterable[Fact],
    ends: Iterable[BrokerSession],
) -> Statement:
    """Which session was still active, and when it ended: by the line about it, or between the last refusal and the
    registration that was accepted.
    """
    is_kraft = burst[0].kind == "broker_registration_failed"
    registered_ts = _first_within(refusals.broker, refusals.end_ts, ASKED_AGAIN_MS, registered)
    until = first_known(registered_ts, plus_millis(refusals.end_ts, ASKED_AGAIN_MS))
    ended_ts = least(
        *(
            one.end_ts
            for one in ends
            if one.broker_id == refusals.broker
            and less(one.start_ts, refusals.begin_ts)
            and at_most(plus_millis(refusals.end_ts, -CLOCKS_DIFFER_MS), one.end_ts)
            and at_most(one.end_ts, until)
        )
    )
    is_between = ended_ts is None and registered_ts is not None
    return statement(
        "previous_session_active",
        broker=refusals.broker,
        count=count,
        at_from=refusals.begin_ts,
        at_to=refusals.end_ts if refusals.end_ts != refusals.begin_ts else None,
        heartbeats=is_kraft,
        zookeeper=not is_kraft,
        at_ended=ended_ts,
        at_last=refusals.end_ts if is_between else None,
        at_first=registered_ts if is_between else None,
        at_stop=_first_within(refusals.broker, refusals.end_ts, GIVES_UP_MS, failed_starts),
        at_registered=registered_ts,
        unregistered=is_kraft and registered_ts is None,
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
