"""The events for plain Python as rows of `FACTS`, about `AT_MOST` for any input; and witness statements."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from replay.facts.lines import detail, kafka_lines
from replay.facts.reads import EACH, READ
from replay.facts.times import unix_micros
from replay.facts.witnesses import WITNESS_KINDS
from replay.tables.faults import WitnessStatement
from replay.tables.reading import EVENTS, Event, Fact

AT_MOST = 200_000  # rows that plain Python is given
_FOR_RUNS = 2  # a node's runs may have at least its quota divided by this, however many lines stand apart
_APART = ("node_inflight_cancelled",)  # how long each request was open is a proof of its own
_EXCEPTION = re.compile(r"[\w.$]*", re.ASCII)
_columns = attrgetter(*EVENTS.schema.names)


@dataclass(frozen=True)
class _Run:
    """How lines of a kind are grouped: by node and subject, within this many seconds."""

    seconds: int
    by_partition: bool

    def key(self, line: Event) -> Hashable:
        """What the lines of a run share."""
        exception = _EXCEPTION.match(detail(line, "exception") or "")
        return (
            line.kind,
            line.broker_id,
            line.leader_id,
            line.controller_id,
            exception and exception[0],
            unix_micros(line.ts) // (self.seconds * 1_000_000),
            (line.topic, line.partition) if self.by_partition else None,
        )


# From fine to coarse.
_RUNS = (_Run(1, True), _Run(60, True), _Run(60, False), _Run(3_600, False), _Run(86_400, False))


class FactQuotas:
    """The largest number of rows for each node, `at_most` in total: a node with fewer lines has one row for each line,
    and the other nodes share the rest evenly.

    Rules read only events of `kinds`. They read every event of the kinds in `each`. The driver passes both in, because a
    Spark worker has not imported the rules.
    """

    def __init__(self, lines: Mapping[int | None, int], at_most: int = AT_MOST) -> None:
        self.kinds, self.each = frozenset(READ), frozenset(EACH)
        self._quotas: dict[int | None, int] = {}
        left, nodes = at_most, len(lines)
        for node, count in sorted(lines.items(), key=lambda item: item[1]):
            self._quotas[node] = min(count, left // nodes)
            left, nodes = left - self._quotas[node], nodes - 1

    @classmethod
    def by_kind(cls, line_counts: Mapping[tuple[int | None, str], int]) -> FactQuotas:
        """The quotas, from the number of events by node and kind."""
        lines: dict[int | None, int] = {}
        for (node, kind), count in line_counts.items():
            if kind in READ:
                lines[node] = lines.get(node, 0) + count
        return cls(lines)

    def of(self, node: int | None) -> int:
        """The number of rows that the node may have."""
        return self._quotas.get(node, 0)


def facts(node_events: Sequence[Event], fact_quotas: FactQuotas) -> list[Fact]:
    """The events of the kinds that plain Python reads.

    Up to the node's quota each event is a row. Beyond it, equal lines are runs of a second, a minute, an hour or a day:
    the shortest that fit the quota. A run shows its first line. Lines without a time, and lines of kinds that rules
    need one by one, are always separate rows. They leave at least half of the quota to runs. A blind spot says where
    runs stand for lines (`replay.questions.condensed`).
    """
    read = [line for line in kafka_lines(node_events) if line.kind in fact_quotas.kinds]
    if not read or len(read) <= fact_quotas.of(read[0].node_id):
        return [_run([line]) for line in read]
    apart = [line for line in read if _stands_apart(line, fact_quotas)]
    together = [line for line in read if not _stands_apart(line, fact_quotas)]
    quota = fact_quotas.of(read[0].node_id)
    return [*(_run([line]) for line in apart), *_in_runs(together, max(quota - len(apart), quota // _FOR_RUNS))]


def _in_runs(lines: Sequence[Event], at_most: int) -> list[Fact]:
    """The lines combined into the shortest runs that are few enough, else into the longest."""
    for shape in _RUNS:
        runs: dict[Hashable, list[Event]] = {}
        for line in lines:
            runs.setdefault(shape.key(line), []).append(line)
        if len(runs) <= at_most:
            break
    return [_run(of_run) for of_run in runs.values()]


def _stands_apart(line: Event, quotas: FactQuotas) -> bool:
    return line.ts is None or line.kind in quotas.each or line.kind in _APART


def _run(lines: Sequence[Event]) -> Fact:
    last = lines[-1]
    return Fact(*(*_columns(lines[0]), len(lines), last.ts, last.event_id))


def witness_statements(node_events: Sequence[Event]) -> list[WitnessStatement]:
    """The lines of hosts, Java, containers and operators."""
    return [WitnessStatement(*_columns(line)) for line in node_events if line.kind in WITNESS_KINDS]
