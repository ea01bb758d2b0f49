"""What the tests of all faults take: lines, sessions and known faults as small tables; and what Spark gathers of all
lines, worked out in plain Python (`test_gather` holds the two against each other).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby, pairwise, product

from replay.facts.evidence import AT_MOST
from replay.facts.lines import detail
from replay.facts.lives import CLEAN_START, STARTS, UNCLEAN_START
from replay.facts.times import greatest, least, millis
from replay.faults import gather
from replay.faults.late_metadata import LATE_MS
from replay.faults.shape import own_lines
from replay.faults.unreachable import ZOOKEEPER_FOUND, ZOOKEEPER_LOST
from replay.sentences.faults import UNKNOWNS
from replay.tables import BROKER_SESSIONS
from replay.tables.brokers import NodeTimings
from replay.tables.clocks import CLOCK_STEPS
from replay.tables.faults import (
    FAULTS,
    FirstLine,
    FirstMention,
    LateRole,
    MemoryError,
    PauseSign,
    Silence,
    WrittenLine,
)
from replay.tables.row import Row
from tests import tables
from tests.tables import rows


def facts(text: str) -> list[Row]:
    """Lines of `server.log`s; those of a garbage-collection log have no logger."""
    return [
        fact.but(
            logger=fact.logger or (None if fact.kind == "gc_pause" else "kafka.server.KafkaServer"),
            source_file=fact.source_file or "server.log",
            message=fact.message or "",
        )
        for fact in tables.facts(text)
    ]


def sessions(text: str = "broker_id") -> list[Row]:
    return rows(BROKER_SESSIONS, text)


def known(text: str = "kind") -> list[Row]:
    return rows(FAULTS, text)


def steps(text: str = "node_id") -> list[Row]:
    """Times at which clocks were set; none where no text is given."""
    return rows(CLOCK_STEPS, text)


def timings(lag: int = 30_000, session: int = 18_000) -> list[Row]:
    """The defaults of a new release, at every node."""
    return [
        NodeTimings(
            replica_lag_ms=lag,
            zookeeper_session_ms=session,
            broker_session_ms=9_000,
            heartbeat_ms=2_000,
            replica_socket_ms=30_000,
            controller_socket_ms=30_000,
            fetch_wait_ms=500,
            checkpoint_ms=5_000,
        )
    ]


def unknown(faults: list[Row]) -> list[str]:
    """What no line tells of the first fault, as a person reads it."""
    return [UNKNOWNS.texts[name] for name in faults[0].unknowns]


def first_lines(told: Iterable[Row]) -> list[Row]:
    begun: dict[int | None, Row] = {}
    for fact in told:
        row = begun.get(fact.node_id) or FirstLine(node_id=fact.node_id)
        row = row.but(told_ts=least(row.told_ts, fact.ts))
        if own_lines([fact]):
            if row.first_ts is None or fact.ts < row.first_ts:
                row = row.but(first_ts=fact.ts, first_event=fact.event_id)
            if fact.kind in (*STARTS, *UNCLEAN_START, *CLEAN_START):
                row = row.but(start_ts=least(row.start_ts, fact.ts))
        begun[fact.node_id] = row
    return list(begun.values())


def silences(told: Iterable[Row]) -> list[Row]:
    found = []
    for node, own in groupby(sorted(own_lines(told), key=_in_files), key=lambda fact: fact.node_id):
        lost = None
        for last, line in pairwise(own):
            if last.kind in (*ZOOKEEPER_LOST, *ZOOKEEPER_FOUND):
                lost = last.kind in ZOOKEEPER_LOST
            if line.kind not in gather.STARTS_PRINTED and (millis(line.ts, last.ts) or 0) >= gather.SILENCE_MS:
                found.append(Silence(node, last.ts, line.ts, last.event_id, line.event_id, lost))
    return found


def _in_files(fact: Row) -> tuple:
    return fact.node_id, fact.ts, fact.source_file, fact.line_number


def pause_signs(told: Iterable[Row]) -> list[Row]:
    seconds: dict[tuple, list[tuple[Row, int | None]]] = {}
    for fact in told:
        elapsed_ms = int(float(fact.details["duration_ms"])) if fact.kind in gather.JAVA_PAUSES else None
        about = fact.node_id if fact.kind != gather.SHRINK else None
        if fact.kind == gather.SHRINK and fact.isr is not None:
            removed = {int(broker) for broker in re.findall(r"\d+", detail(fact, "old_isr") or "")} - set(fact.isr)
            about = min(removed) if len(removed) == 1 and removed != {fact.node_id} else None
        is_sign = fact.kind in (gather.SHRINK, gather.FENCED_EPOCH) or (elapsed_ms or 0) >= gather.SILENCE_MS
        if is_sign and about is not None:
            key = fact.kind, about, fact.node_id, fact.ts.replace(microsecond=0)
            seconds.setdefault(key, []).append((fact, elapsed_ms))
    return [
        PauseSign(
            kind=kind,
            node_id=about,
            told_by=told_by,
            ts=min(fact.ts for fact, _ in signs),
            elapsed_ms=greatest(*[elapsed_ms for _, elapsed_ms in signs]),
            lines=[
                {"ts": ts, "event_id": event_id}
                for ts, event_id in sorted((fact.ts, fact.event_id) for fact, _ in signs)
            ][:AT_MOST],
        )
        for (kind, about, told_by, _), signs in seconds.items()
    ]


def first_mentions(told: Iterable[Row]) -> list[Row]:
    found: dict[int, Row] = {}
    for fact in told:
        for broker in {*(fact.isr or ()), fact.leader_id} - {None}:
            earlier = found.get(broker)
            member_ts = least(earlier.member_ts if earlier else None, fact.ts)
            found[broker] = FirstMention(broker_id=broker, member_ts=member_ts)
    return list(found.values())


def memory_errors(told: Iterable[Row]) -> list[Row]:
    found = []
    for fact in told:
        said = f"{fact.message} {(fact.details or {}).get('exception')}"
        if "java.lang.OutOfMemoryError" in said and fact.node_id is not None:
            found.append(MemoryError(fact.node_id, fact.ts, fact.ts, fact.event_id, 1, evidence=[fact.event_id]))
    return found


def late_roles(told: Iterable[Row]) -> list[Row]:
    decisions: dict[tuple, list[Row]] = {}
    for fact in own_lines(told):
        if fact.kind in gather.ROLES and fact.topic_id is not None and fact.partition_epoch is not None:
            decision = (fact.topic_id, fact.partition, fact.leader_epoch, fact.partition_epoch)
            decisions.setdefault(decision, []).append(fact)
    found = []
    for (topic_id, partition, _, _), roles in decisions.items():
        first = min(roles, key=lambda role: (role.ts, role.event_id))
        for role in roles:
            late_ms = millis(role.ts, first.ts) or 0
            if late_ms >= LATE_MS:
                found.append(
                    LateRole(
                        node_id=role.node_id,
                        first_ts=first.ts,
                        first_event=first.event_id,
                        ts=role.ts,
                        last_ts=role.ts,
                        event_id=role.event_id,
                        late_ms=late_ms,
                        names=[f"{topic_id}/{partition}"],
                        evidence=[role.event_id],
                    )
                )
    return found


def written_lines(told: Iterable[Row], asked_times: Iterable[Row]) -> list[Row]:
    found: dict[tuple, Row] = {}
    for asked, fact in product(asked_times, told):
        by_it = fact.node_id is not None and asked.node_id in (None, fact.node_id)
        if not by_it or fact.ts is None or not (asked.from_ts or fact.ts) <= fact.ts <= asked.to_ts:
            continue
        key = (fact.node_id, asked.from_ts, asked.to_ts)
        row = found.get(key) or WrittenLine(*key, logs=False, starts=False, takes_role=False)
        found[key] = row.but(
            logs=row.logs or fact.logger is not None,
            starts=row.starts or fact.kind in STARTS,
            takes_role=row.takes_role or fact.kind in gather.ROLES,
            handled_ts=greatest(row.handled_ts, fact.ts if fact.kind in gather.HANDLED else None),
        )
    return list(found.values())
