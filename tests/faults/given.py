"""What the tests of all faults take: lines, sessions and known faults as small tables; and what the pass over nodes
makes of all lines.
"""

from __future__ import annotations

from collections.abc import Iterable

from replay.facts.times import millis
from replay.facts.window import ALL_TIME
from replay.faults import node_lines
from replay.faults import written_lines as stage
from replay.faults.late_metadata import LATE_MS
from replay.faults.shape import own_lines
from replay.sentences.faults import UNKNOWNS
from replay.tables import BROKER_SESSIONS
from replay.tables.brokers import NodeTimings
from replay.tables.clocks import CLOCK_STEPS
from replay.tables.faults import (
    FAULTS,
    LateRole,
)
from replay.tables.row import Row
from tests import tables
from tests.nodes import of_nodes
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
    return of_nodes(node_lines.first_lines, told, ALL_TIME)


def silences(told: Iterable[Row]) -> list[Row]:
    return of_nodes(node_lines.silences, told, ALL_TIME)


def pause_signs(told: Iterable[Row]) -> list[Row]:
    return of_nodes(node_lines.pause_signs, told, ALL_TIME)


def first_mentions(told: Iterable[Row]) -> list[Row]:
    return node_lines.earliest_mentions(of_nodes(node_lines.first_mentions, told, ALL_TIME))


def memory_errors(told: Iterable[Row]) -> list[Row]:
    return of_nodes(node_lines.memory_errors, told, ALL_TIME)


def written_lines(told: Iterable[Row], asked_times: Iterable[Row]) -> list[Row]:
    return stage.written_lines(of_nodes(stage.written_runs, told, ALL_TIME), asked_times)


def late_roles(told: Iterable[Row]) -> list[Row]:
    decisions: dict[tuple, list[Row]] = {}
    for fact in own_lines(told):
        if fact.kind in stage.ROLES and fact.topic_id is not None and fact.partition_epoch is not None:
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
