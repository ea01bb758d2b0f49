"""Faults of tiered storage (KIP-405): segments that could not be copied to the remote store, records that could not
be read from it, followers that could not rebuild their state from it (F35), and new leaders that skipped or
deleted records in it (F40).

Source: RemoteLogManager, RemoteLogReader, TierStateMachine. A failed task runs again after
`remote.log.manager.task.interval.ms` (30 s). A local segment is deleted only after its copy is complete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from replay.facts.evidence import of_rows
from replay.facts.groups import grouped
from replay.facts.lines import detail, number_in
from replay.facts.order import at_most
from replay.facts.reads import reads
from replay.facts.releases import version_number
from replay.facts.times import known, millis
from replay.faults.jumped_log_starts import COPIED, DELETED, FOUND_START
from replay.faults.shape import begin_of, bursts_of, count_of, end_of, fault, fault_of
from replay.sentences.statement import statement
from replay.tables.brokers import NodeRelease
from replay.tables.faults import Fault, JumpedLogStart
from replay.tables.reading import Fact

AGAIN_MS = 120_000  # a failed task runs again within this time, with the default interval
LEAST_FAILED = 3  # the next attempt often succeeds after one or two failures
LEAST_LASTING_MS = 10_000  # a shorter failure is a brief problem of the store, or a leader change
_COPY, _READ = "remote_copy_failed", "remote_fetch_failed"
_LEFT, _STATE = "remote_segment_left_behind", "fetch_tier_state_error"
_FOR_SIZE = "due to retention size"
FIRST_PASS_MS = 60_000  # a new leader's first retention pass runs within twice the task interval
LEAST_DELETED = 3  # any leader may find one or two expired segments in a pass
_MENDED_IN = version_number("4.3.2")
# The broker itself causes these: the leader moved, the queue is full, or the requested data was deleted. Or it could not
# read or write the metadata topic of remote storage, because that partition has no leader or too small an ISR.
_NOT_OF_THE_STORE = (
    "NotLeaderOrFollowerException",
    "RejectedExecutionException",
    "OffsetOutOfRangeException",
    "__remote_log_metadata",
    "catching up with the expected offset by consumer",
)


@reads(_COPY, COPIED, _LEFT)
def remote_copies_failed(facts: Iterable[Fact]) -> list[Fault]:
    """F35: a broker that repeatedly could not copy segments to the remote store.

    The next completed copy of one of its partitions, by whichever broker then leads it, shows that copying works again.
    """
    dated = [fact for fact in facts if fact.ts is not None]
    copied = [fact for fact in dated if fact.kind == COPIED]
    left = [fact for fact in dated if fact.kind == _LEFT]
    found = []
    for failed in _bursts_of(dated, _COPY):
        names, end = _partitions(failed), end_of(failed)
        again = min((copy.ts for copy in copied if _name(copy) in names and copy.ts > end), default=None)
        behind = [line for line in left if line.node_id == failed[0].node_id and begin_of(failed) <= line.ts <= end]
        found.append(
            _fault(
                "remote_copies_failed",
                "could_not_copy_segments",
                failed,
                at_again=again,
                never=again is None,
                behind=count_of(behind) or None,
            )
        )
    return found


@reads(_READ)
def remote_reads_failed(facts: Iterable[Fact]) -> list[Fault]:
    """F35: a broker that repeatedly could not read from the remote store, so that consumers of old records got
    nothing.
    """
    return [_fault("remote_reads_failed", "could_not_read_remote_store", failed) for failed in _bursts_of(facts, _READ)]


@reads(_STATE)
def remote_state_not_built(facts: Iterable[Fact]) -> list[Fault]:
    """F35: a follower that could not start to replicate partitions whose older records are only in the remote store.

    It fetches the leader's local records only after it has rebuilt leader epochs and producer state from the store. It
    also asks the leader for them: a failure to reach the leader is not a failure of the store.
    """
    of_store = [fact for fact in facts if "RemoteStorageException" in (detail(fact, "exception") or "")]
    return [
        _fault("remote_state_not_built", "could_not_build_remote_state", failed)
        for failed in _bursts_of(of_store, _STATE)
    ]


def log_starts_jumped(jumped_log_starts: Iterable[JumpedLogStart]) -> list[Fault]:
    """F40: new leaders whose log start is after segments that the remote store held.

    Records before a log start cannot be read. The followers raise their log starts too. No log is truncated, so no line
    reports a truncation.
    """
    return [
        fault(
            "log_start_jumped",
            statement(
                "log_start_jumped_over",
                broker=first.node_id,
                partition=first.name,
                start=first.log_start_offset,
                at=first.ts,
                before=first.before,
                first=first.first_offset,
                segments=first.segments,
                at_copied=first.copied_ts,
                all_partitions=names if len(names) > 1 else None,
                deleted=sum(one.deleted for one in burst) or None,
            ),
            broker_id=first.node_id,
            ts=first.ts,
            began_low=first.ts,
            end_ts=end_of(burst),
            partitions=names,
            confidence=0.8,
            unknowns=["whether_remote_segments_are_there"],
            evidence=of_rows(((one.ts, one.evidence) for one in burst), each=4),
        )
        for burst in bursts_of(jumped_log_starts, by=lambda one: one.node_id, gap_ms=AGAIN_MS)
        for first, names in [(burst[0], sorted({one.name for one in burst}))]
    ]


@reads(FOUND_START, DELETED)
def deleted_at_take_over(facts: Sequence[Fact], releases: Iterable[NodeRelease]) -> list[Fault]:
    """F40: new leaders that deleted several remote segments at once because of their size.

    Before 4.3.2 a leader that does not know yet where the remote log ends counts segments twice that are both remote
    and local (KAFKA-20732, RemoteLogManager.cleanupExpiredRemoteLogSegments).
    """
    mended = {row.node_id for row in releases if at_most(_MENDED_IN, row.version_low)}
    named = [fact for fact in facts if fact.ts is not None and fact.node_id not in mended and _name(fact) is not None]
    took_over = grouped((fact for fact in named if fact.kind == FOUND_START), _replica)
    deleted = [fact for fact in named if fact.kind == DELETED and _FOR_SIZE in (fact.message or "")]
    at_once = [
        line
        for burst in bursts_of(deleted, by=_replica, gap_ms=FIRST_PASS_MS)
        if (lines := _first_pass(took_over.get(_replica(burst[0]), ()), burst))
        for line in lines
    ]
    return [_deleted_at_once(lines) for lines in bursts_of(at_once, by=lambda fact: fact.node_id, gap_ms=FIRST_PASS_MS)]


def _replica(fact: Fact) -> tuple[int | None, str | None]:
    return fact.node_id, _name(fact)


def _first_pass(took_over: Iterable[Fact], deleted: list[Fact]) -> list[Fact]:
    """The last leadership change before these deletions, and the deletions within `FIRST_PASS_MS` of it; empty if
    they are fewer than `LEAST_DELETED`.
    """
    before = [one for one in took_over if at_most(one.ts, begin_of(deleted))]
    if not before:
        return []
    last = max(before, key=lambda one: one.ts)
    soon = [one for one in deleted if at_most(millis(one.ts, last.ts), FIRST_PASS_MS)]
    return [last, *soon] if count_of(soon) >= LEAST_DELETED else []


def _deleted_at_once(lines: list[Fact]) -> Fault:
    """The fault that one broker's new leaderships and the deletions after them prove."""
    names = _partitions(lines)
    deleted = [line for line in lines if line.kind == DELETED]
    return fault_of(
        "deleted_at_take_over",
        statement(
            "deleted_for_size_at_take_over",
            broker=lines[0].node_id,
            all_partitions=names,
            at=begin_of(lines),
            count=count_of(deleted),
            at_to=end_of(lines),
            size=number_in(deleted[0].message or "", r"retention size (\d+) breach") if len(names) == 1 else None,
        ),
        lines,
        partitions=names,
        confidence=0.5,
        unknowns=["whether_remote_segments_are_there"],
    )


def _bursts_of(facts: Iterable[Fact], kind: str) -> Iterable[list[Fact]]:
    """The times in which a broker failed repeatedly. Several lines may report one attempt."""
    failed = [fact for fact in facts if fact.kind == kind and fact.ts is not None and _is_of_the_store(fact)]
    for burst in bursts_of(failed, by=lambda fact: fact.node_id, gap_ms=AGAIN_MS):
        if count_of(burst) >= LEAST_FAILED and (millis(end_of(burst), begin_of(burst)) or 0) >= LEAST_LASTING_MS:
            yield burst


def _is_of_the_store(fact: Fact) -> bool:
    thrown = f"{detail(fact, 'exception') or ''} {detail(fact, 'caused_by') or ''} {detail(fact, 'error') or ''}"
    return fact.level != "INFO" and not any(name in thrown for name in _NOT_OF_THE_STORE)


def _name(fact: Fact) -> str | None:
    return None if fact.topic is None or fact.partition is None else f"{fact.topic}-{fact.partition}"


def _partitions(lines: Iterable[Fact]) -> list[str]:
    return sorted(set(known(map(_name, lines))))


def _fault(kind: str, reason: str, failed: list[Fact], **more: object) -> Fault:
    names = _partitions(failed)
    errors = Counter(known(detail(line, "caused_by") or detail(line, "exception") for line in failed))
    return fault_of(
        kind,
        statement(
            reason,
            broker=failed[0].node_id,
            count=count_of(failed),
            partitions=len(names),
            at_from=begin_of(failed),
            at_to=end_of(failed),
            error=errors.most_common(1)[0][0] if errors else None,
            **more,
        ),
        failed,
        partitions=names,
        confidence=0.95,
    )
