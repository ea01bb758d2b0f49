"""Faults of groups and transactions: groups that rebalance repeatedly (F36), coordinators and share partitions that
failed to load (F37), transactions that stayed open until their timeout, or whose end markers could not be written
(F38).

Source: GroupCoordinator, GroupMetadataManager, CoordinatorRuntime, SharePartition, TransactionCoordinator,
TransactionMarkerRequestCompletionHandler. Up to 4.4, Kafka does not log that a transaction is open. It logs the end
by timeout, and partitions that did not accept the end marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from replay.facts.lines import detail
from replay.facts.order import less
from replay.facts.reads import reads
from replay.facts.times import known, millis, plus_millis
from replay.faults.shape import begin_of, bursts_of, count_of, end_of, fault, fault_of, proof_of
from replay.sentences.statement import statement
from replay.tables.faults import Fault
from replay.tables.reading import Fact

REBALANCED_MS = 360_000  # a slow member fails once per max.poll.interval.ms (5 min)
LEAST_GENERATIONS = 5  # a deployment causes fewer generations, or its members do not miss heartbeats
LEAST_FAILED = 3
LOADED_MS = 60_000  # a load that succeeds within this time only needed a retry
REPEATED_WITHIN_MS = 600_000  # lines within this time belong to the same problem
_GENERATION, _BEGUN, _FAILED = "group_generation", "group_rebalance_begun", "group_member_failed"
_NOT_LOADED, _LOADED, _SHARE = "coordinator_load_failed", "coordinator_load_done", "share_partition_failed"
_BY_ITS_LEADER = "Failed to initialize the share partition"  # the coordinator also logs lines of this kind
_ABORTED, _MARKER = "transaction_aborted_timeout", "transaction_marker_retry"
MARKED_MS = 60_000  # a partition that gets another leader accepts the marker well within this time
# The partition was moved away, or the broker is stopping: there is nothing left to load.
_MOVED_AWAY = re.compile(
    r"NotLeader|NOT_LEADER|NOT_COORDINATOR|NotCoordinator|not the leader|CoordinatorLoadInProgress|shutting down|cancel",
    re.I,
)
_MEMBER = re.compile(r" (?:with group instance id [^;\s]+|[\w.]+-[0-9a-f]{8}-[0-9a-f-]{27,})(?=[ ;.,]|$)")
_CLIENT_REASON = re.compile(r"; client reason: (?:not provided)?")


@reads(_GENERATION, _BEGUN, _FAILED)
def groups_rebalanced(facts: Iterable[Fact]) -> list[Fault]:
    """F36: a group that rebalanced repeatedly while members missed heartbeats.

    To exclude deployments, in which members leave and join, at least `LEAST_FAILED` members must have missed heartbeats.
    Ignores rows of `FACTS` for several lines, which may belong to several groups.
    """
    kinds = (_GENERATION, _BEGUN, _FAILED)
    lines = [fact for fact in facts if fact.kind in kinds and fact.count == 1 and detail(fact, "group_id")]
    found = []
    for burst in bursts_of(lines, by=lambda fact: (fact.node_id, detail(fact, "group_id")), gap_ms=REBALANCED_MS):
        generations = [line for line in burst if line.kind == _GENERATION]
        failed = [line for line in burst if line.kind == _FAILED]
        if len(generations) >= LEAST_GENERATIONS and len(failed) >= LEAST_FAILED:
            found.append(_rebalanced(burst, generations, failed))
    return found


def _rebalanced(burst: list[Fact], generations: list[Fact], failed: list[Fact]) -> Fault:
    reasons = Counter(known(_reason(line) for line in burst if line.kind == _BEGUN))
    return fault(
        "group_rebalanced",
        statement(
            "group_rebalanced_again",
            group=detail(burst[0], "group_id"),
            coordinator=burst[0].node_id,
            generations=len(generations),
            failed=len(failed),
            at_from=begin_of(generations),
            at_to=end_of(generations),
            reasons="; ".join(f"{reason} ({count} times)" for reason, count in reasons.most_common(3)) or None,
        ),
        ts=begin_of(generations),
        end_ts=end_of(generations),
        confidence=0.9,
        evidence=proof_of(failed)[:4] + proof_of(generations)[:4],
    )


def _reason(line: Fact) -> str | None:
    """Why a rebalance began, without the names of the group's members."""
    reason = detail(line, "reason")
    return _CLIENT_REASON.sub("", _MEMBER.sub("", reason)).rstrip(" .") if reason else None


@reads(_NOT_LOADED, _LOADED)
def coordinators_not_loaded(facts: Iterable[Fact]) -> list[Fault]:
    """F37: a broker that leads a partition of groups, transactions or share groups and could not load it.

    Ignores partitions that were moved away meanwhile, or that were loaded within a minute.
    """
    dated = [fact for fact in facts if fact.ts is not None and fact.topic is not None]
    loaded = [fact for fact in dated if fact.kind == _LOADED]
    failed = [
        fact
        for fact in dated
        if fact.kind == _NOT_LOADED and not _MOVED_AWAY.search(_why(fact) or "") and not _soon_loaded(fact, loaded)
    ]
    return [
        _not_loaded("coordinator_not_loaded", "could_not_load_coordinator", burst)
        for burst in bursts_of(failed, by=lambda fact: fact.node_id, gap_ms=REPEATED_WITHIN_MS)
    ]


def _soon_loaded(failed: Fact, loaded: Iterable[Fact]) -> bool:
    until = plus_millis(failed.ts, LOADED_MS)
    return any(
        (one.topic, one.partition) == (failed.topic, failed.partition) and failed.ts <= one.ts <= until
        for one in loaded
    )


@reads(_SHARE)
def share_partitions_not_loaded(facts: Iterable[Fact]) -> list[Fault]:
    """F37: partitions of share groups (KIP-932) that a broker could not initialize from their state.

    Each fetch of a member retries this. Ignores failures that end within a minute, as when the share coordinator
    moves.
    """
    failed = [
        fact
        for fact in facts
        if fact.kind == _SHARE
        and fact.ts is not None
        and _BY_ITS_LEADER in (fact.message or "")
        and not _MOVED_AWAY.search(f"{_why(fact)} {fact.message}")
    ]
    return [
        _not_loaded("share_partition_not_loaded", "could_not_load_share_partition", burst)
        for burst in bursts_of(failed, by=lambda fact: fact.node_id, gap_ms=LOADED_MS)
        if less(LOADED_MS, millis(end_of(burst), begin_of(burst)))
    ]


def _not_loaded(kind: str, reason: str, lines: list[Fact]) -> Fault:
    names = sorted({f"{line.topic}-{line.partition}" for line in lines if line.topic is not None})
    return fault_of(
        kind,
        statement(
            reason,
            broker=lines[0].node_id,
            count=count_of(lines),
            all_partitions=names or None,
            error=next(iter(known(map(_why, lines))), None),
        ),
        lines,
        partitions=names,
        confidence=0.9,
    )


def _why(line: Fact) -> str | None:
    return detail(line, "caused_by") or detail(line, "exception") or detail(line, "error")


@reads(_ABORTED)
def transactions_left_open(facts: Iterable[Fact]) -> list[Fault]:
    """F38: transactions that their producers did not end in time, so that the coordinator aborted them.

    Until then, read_committed consumers get nothing beyond the transaction's first record (the last stable offset).
    """
    aborted = [fact for fact in facts if fact.kind == _ABORTED and fact.ts is not None]
    return [
        fault_of(
            "transaction_left_open",
            statement(
                "transaction_ended_by_timeout",
                coordinator=burst[0].node_id,
                count=count_of(burst),
                all_ids=sorted(set(known(detail(line, "transactional_id") for line in burst)))[:5] or None,
                at=begin_of(burst) if len(burst) == 1 else None,
                at_from=begin_of(burst) if len(burst) > 1 else None,
                at_to=end_of(burst) if len(burst) > 1 else None,
            ),
            burst,
            broker_id=None,  # the coordinator was not at fault either
            confidence=0.95,
            unknowns=["when_the_transaction_began"],
        )
        for burst in bursts_of(aborted, by=lambda fact: fact.node_id, gap_ms=REPEATED_WITHIN_MS)
    ]


@reads(_MARKER)
def transaction_ends_not_written(facts: Iterable[Fact]) -> list[Fault]:
    """F38: partitions that repeatedly did not accept transaction markers.

    The outcome of the transaction is decided. Until its marker is written, read_committed consumers get nothing
    beyond its first record in that partition. Ignores partitions that accept the marker within a minute, as when
    their leader moves.
    """
    failed = [fact for fact in facts if fact.kind == _MARKER and fact.ts is not None and fact.topic is not None]
    in_vain = [
        burst
        for burst in bursts_of(failed, by=lambda fact: (fact.node_id, fact.topic, fact.partition), gap_ms=MARKED_MS)
        if less(MARKED_MS, millis(end_of(burst), begin_of(burst)))
    ]
    lines = [line for burst in in_vain for line in burst]
    return [_end_not_written(burst) for burst in bursts_of(lines, by=lambda fact: fact.node_id, gap_ms=MARKED_MS)]


def _end_not_written(lines: list[Fact]) -> Fault:
    names = sorted({f"{line.topic}-{line.partition}" for line in lines})
    errors = Counter(known(detail(line, "error") for line in lines))
    return fault_of(
        "transaction_end_not_written",
        statement(
            "marker_was_not_taken",
            coordinator=lines[0].node_id,
            all_partitions=names,
            partitions=len(names),
            at_from=begin_of(lines),
            at_to=end_of(lines),
            all_ids=sorted(set(known(detail(line, "transactional_id") for line in lines)))[:5] or None,
            error=errors.most_common(1)[0][0] if errors else None,
        ),
        lines,
        broker_id=None,
        peers=[lines[0].node_id],
        partitions=names,
        confidence=0.95,
    )
