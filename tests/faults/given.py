"""What the tests of all faults take: lines, sessions and known faults as small tables; and what the passes over
nodes and partitions make of all lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from replay.facts.groups import grouped
from replay.facts.window import ALL_TIME
from replay.faults import jumped_log_starts as stage_of_log_starts
from replay.faults import moved_partitions as moved
from replay.faults import node_lines, partition_lines, shrinking_isrs
from replay.faults import written_lines as stage
from replay.sentences.faults import UNKNOWNS
from replay.tables import BROKER_SESSIONS
from replay.tables.brokers import NodeTimings
from replay.tables.clocks import CLOCK_STEPS
from replay.tables.faults import FAULTS
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


def lag_shrinks(told: Iterable[Row]) -> list[Row]:
    return of_nodes(shrinking_isrs.lag_shrinks, told, ALL_TIME)


def moved_partitions(told: Iterable[Row]) -> list[Row]:
    return moved.all_moved_partitions(of_nodes(moved.moved_partitions, told, ALL_TIME))


def of_partitions(make: Callable[[list[Row]], list[Row]], told: Iterable[Row]) -> list[Row]:
    """What `make` gives for every partition."""
    named = (line for line in told if line.topic is not None and line.partition is not None)
    return [row for own in grouped(named, lambda line: (line.topic, line.partition)).values() for row in make(own)]


def late_roles(told: Iterable[Row]) -> list[Row]:
    return partition_lines.all_late_roles(of_partitions(partition_lines.late_roles, told))


def given_up_partitions(told: Iterable[Row]) -> list[Row]:
    return partition_lines.all_given_up_partitions(of_partitions(partition_lines.given_up_partitions, told))


def damaged_partitions(told: Iterable[Row]) -> list[Row]:
    return of_partitions(partition_lines.damaged_partitions, told)


def jumped_log_starts(told: Iterable[Row]) -> list[Row]:
    return of_partitions(stage_of_log_starts.jumped_log_starts, told)
