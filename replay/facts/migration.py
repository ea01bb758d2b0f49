"""The migration of a cluster from ZooKeeper to KRaft (KIP-866): its progress, and the brokers that it waits for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from replay.facts.evidence import joined
from replay.facts.reads import reads
from replay.facts.times import first_known, millis
from replay.sentences.statement import Statement, statement
from replay.tables.reading import Fact

STUCK_MS = 600_000  # to roll the brokers takes minutes; one that is awaited for longer was forgotten, or cannot start
_WAITS, _STATE, _DRIVER = "migration_waiting", "kraft_migration_state_replayed", "migration_state"


@dataclass(frozen=True)
class Migration:
    """One migration.

    `awaited`: the brokers of ZooKeeper that had not registered with the quorum in its last report. `is_stuck`: nothing
    was copied `STUCK_MS` after it first waited, and the logs end.
    """

    ts: datetime
    end_ts: datetime
    node_id: int | None
    awaited: list[int]
    is_stuck: bool
    statement: Statement
    evidence: list[str]


@reads(_WAITS, _STATE, _DRIVER)
def migration(facts: Iterable[Fact], logs_end: datetime | None) -> Migration | None:
    """The migration in the lines until `logs_end`; None without one."""
    lines = [fact for fact in facts if fact.kind in (_WAITS, _STATE, _DRIVER) and fact.ts is not None]
    in_order = sorted(lines, key=lambda fact: fact.ts)
    waits = [fact for fact in in_order if fact.kind == _WAITS]
    waited = waits[-1] if waits else None
    begun = _first(fact for fact in in_order if fact.kind == _WAITS or _state(fact) == "PRE_MIGRATION")
    copied = _first(fact for fact in in_order if _state(fact) == "MIGRATION")
    dual = _first(fact for fact in in_order if fact.kind == _DRIVER and "to DUAL_WRITE state" in (fact.message or ""))
    done = _first(fact for fact in in_order if _state(fact) == "POST_MIGRATION")
    first = first_known(begun, copied, done)
    if first is None:
        return None
    awaited = _awaited(waited)
    waited_for_ms = millis(logs_end, waits[0].ts) if waits else None
    return Migration(
        ts=first.ts,
        end_ts=(done or dual or copied or waited or first).ts,
        node_id=begun.node_id if begun else None,
        awaited=awaited,
        is_stuck=copied is None and waited_for_ms is not None and waited_for_ms > STUCK_MS,
        statement=statement(
            "migration",
            at_begun=_ts(begun),
            before=begun is None,
            waits=copied is None and waited is not None,
            at_waited=_ts(waited),
            waited=_without_prefix(waited) if copied is None else None,
            all_to_start=awaited or None if copied is None else None,
            to_start=len(awaited) or None if copied is None else None,
            all_awaited=awaited or None if copied is not None else None,
            at_copied=_ts(copied),
            at_dual=_ts(dual),
            at_done=_ts(done),
            unfinished=copied is not None and done is None,
        ),
        evidence=joined([line.event_id for line in (begun, waited, copied, dual, done) if line is not None]),
    )


def _first(lines: Iterable[Fact]) -> Fact | None:
    return next(iter(lines), None)


def _state(fact: Fact) -> str | None:
    """The migration's new state in a replayed record."""
    changed_to = re.search(r"(?<!\w)(\w++)\.?$", fact.message or "")
    return changed_to[1] if fact.kind == _STATE and changed_to else None


def _awaited(waited: Fact | None) -> list[int]:
    brokers = re.search(r"ZK brokers \[?([\d, ]+)", (waited.message or "") if waited else "")
    return [int(broker) for broker in re.findall(r"\d+", brokers[1])] if brokers else []


def _ts(line: Fact | None) -> datetime | None:
    return line.ts if line is not None else None


def _without_prefix(line: Fact | None) -> str | None:
    return re.sub(r"^\[[^\]]*\] ", "", line.message or "") if line is not None else None
