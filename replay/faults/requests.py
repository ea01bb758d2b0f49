"""Requests by operators: a topic deleted (F19), or a migration from ZooKeeper to KRaft (F28)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from replay.facts.lines import detail
from replay.facts.migration import migration
from replay.facts.reads import reads
from replay.facts.times import first_known
from replay.faults.shape import begin_of, bursts_of, fault, fault_of
from replay.sentences.statement import statement
from replay.tables.faults import Fault
from replay.tables.reading import Fact

ONE_REQUEST_MS = 60_000  # the lines of one request, of all its partitions, are logged within this time of each other
DELETED = (
    "kraft_topic_removed",
    "controller_topic_deletion_begin",
    "topic_deletion_completed",
    "kraft_delete_topics_result",
)


@reads(*DELETED)
def topics_deleted(facts: Iterable[Fact]) -> list[Fault]:
    """F19: topics deleted by request."""
    lines = [fact for fact in facts if fact.kind in DELETED and _deleted_topic(fact)]
    return [
        _request("topic_deleted", request, "asked_to_delete_topic", 0.95, topic=_deleted_topic(request[0]))
        for request in bursts_of(lines, by=_deleted_topic, gap_ms=ONE_REQUEST_MS)
    ]


def _deleted_topic(fact: Fact) -> str | None:
    return first_known(fact.topic, detail(fact, "topics_to_be_deleted"))


def migrated(facts: Sequence[Fact], logs_end: datetime | None) -> list[Fault]:
    """F28: a migration from ZooKeeper to KRaft, finished or attempted; `logs_end` is the last time of the logs."""
    found = migration(facts, logs_end)
    if found is None:
        return []
    return [
        fault(
            "migration_stuck" if found.is_stuck else "migrated",
            found.statement,
            broker_id=found.node_id,
            ts=found.ts,
            end_ts=found.end_ts,
            confidence=0.95,
            evidence=found.evidence,
        )
    ]


def _request(kind: str, lines: list[Fact], reason: str, confidence: float, **arguments: str | None) -> Fault:
    """The request, from lines of any nodes that are close in time. It is a fault of none of these nodes."""
    return fault_of(
        kind, statement(reason, **arguments), lines, broker_id=None, began_low=begin_of(lines), confidence=confidence
    )
