"""Errors that a broker states outright: refused ISR writes (F22) and changes (F23), dead fetchers (F25), out of
memory (F26), refused credentials (F27), unreadable requests (F28); and clocks that were set (F21).

Each burst of errors is one fault. A gap longer than the retries ends a burst.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor
from typing import Any

from replay.facts.evidence import in_turn
from replay.facts.lines import detail, number_in
from replay.facts.reads import reads
from replay.facts.releases import version_number
from replay.facts.times import known, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.earliest_lines import events_of
from replay.faults.shape import Dated, begin_of, bursts_of, by_time, count_of, end_of, fault, fault_of
from replay.sentences.statement import statement
from replay.tables.brokers import NodeTimings
from replay.tables.clocks import ClockStep
from replay.tables.faults import Fault, GivenUpPartition, MemoryError, RefusedIsrWrite
from replay.tables.reading import Fact

AT_ONCE_MS = 1_000  # the largest gap between two lines of one event
RETRIED_MS = 60_000  # connections are retried within twice a socket timeout (30 s)
MEMORY_BURST_MS = 600_000  # a process with a full heap fails occasionally until it restarts
REFUSED_FOR_MS = 5_000  # a broker that registers again learns its new epoch within this time
LEAST_UNREADABLE = 3  # fewer unknown requests may be chance
LEAST_TERMINATED = 5  # fewer connections that end without a reason during authentication come from a dying peer
LEAST_FAILED = 2  # least number of connections that fail authentication with a reason
_STALE_EPOCH, _RETRY = "alter_partition_stale_broker_epoch", "isr_update_retry"


def clocks_stepped(clock_steps: Iterable[ClockStep]) -> list[Fault]:
    """F21: a node's clock that was set while the node ran. Ignores changes to and from daylight saving time."""
    return [
        fault(
            "clock_stepped",
            statement(
                "clock_set_back" if step.step_ms < 0 else "clock_set_forward",
                node=step.node_id,
                **_by_how_much(step),
                **_afterwards(step),
            ),
            broker_id=step.node_id,
            ts=step.ts,
            end_ts=step.ts,
            began_low=step.last_ts,
            confidence=0.9,
            evidence=step.evidence,
        )
        for step in clock_steps
        if step.cause == "clock_set"
    ]


def _by_how_much(step: ClockStep) -> dict[str, int]:
    """By how much a clock was set; if only one bound of its new offset is known, by how much it was wrong at least."""
    low, high = step.offset_low_ms, step.offset_high_ms
    if high is None and low is not None and low > 0:
        return {"ahead_ms": floor(low)}
    if low is None and high is not None and high < 0:
        return {"behind_ms": floor(-high)}
    return {"step_ms": round(abs(step.step_ms))}


def _afterwards(step: ClockStep) -> dict[str, Any]:
    """Whether the clock was still wrong at the end of the logs, or else when it was right again."""
    if step.off_at_last_ms is None:
        return {"right_at": step.right_ts} if step.right_ts is not None else {}
    return {"ahead": True} if step.off_at_last_ms > 0 else {"behind": True}


def isr_updates_refused(refused_isr_writes: Iterable[RefusedIsrWrite]) -> list[Fault]:
    """F22: a leader with a stale state whose ISR writes ZooKeeper repeatedly refuses.

    The leader retries every half of `replica.lag.time.max.ms` (facts §5, F22).
    """
    return [
        fault(
            "isr_updates_refused",
            statement("isr_writes_refused", broker=refused.node_id, count=refused.count, period_ms=refused.period_ms),
            broker_id=refused.node_id,
            ts=refused.ts,
            end_ts=refused.last_ts,
            partitions=refused.partitions,
            confidence=0.9,
            evidence=refused.evidence,
        )
        for refused in refused_isr_writes
    ]


@reads(_STALE_EPOCH, _RETRY)
def isr_changes_refused(facts: Iterable[Fact]) -> list[Fault]:
    """F23: a leader whose ISR changes the controller repeatedly ignores or never receives.

    The leader logs only at DEBUG that it abandoned a change because of an old partition epoch. A change that a
    decision of the controller overtook looks the same (facts §5, F23).
    """
    refusals = [fact for fact in facts if fact.ts is not None and _leader_refused(fact) is not None]
    return [
        _of_node("isr_changes_refused", "isr_changes_ignored", 0.8, _leader_refused(burst[0]), burst)
        for burst in bursts_of(refusals, by=_leader_refused, gap_ms=RETRIED_MS)
        if (millis(end_of(burst), begin_of(burst)) or 0) >= REFUSED_FOR_MS
    ]


def _leader_refused(fact: Fact) -> int | None:
    """The leader of a refused ISR change: the node that retries, or the one that the controller names."""
    leader: int | None = {_RETRY: fact.node_id, _STALE_EPOCH: fact.broker_id}.get(fact.kind)
    return leader


def out_of_memory(memory_errors: Iterable[MemoryError]) -> list[Fault]:
    """F26: an OutOfMemoryError in a broker's log."""
    return [
        _of_node("out_of_memory", "ran_out_of_memory", 0.95, burst[0].node_id, burst)
        for burst in bursts_of(memory_errors, by=lambda errors: errors.node_id, gap_ms=MEMORY_BURST_MS)
    ]


@dataclass(frozen=True)
class Lines:
    """Lines of one node that belong together, from the first to the last time."""

    node_id: int | None
    ts: datetime
    last_ts: datetime
    evidence: Sequence[str]

    @property
    def event_id(self) -> str:
        return self.evidence[0]


@reads("thread_died")
def fetchers_died(
    facts: Iterable[Fact], given_up_partitions: Iterable[GivenUpPartition], timings: Iterable[NodeTimings]
) -> list[Fault]:
    """F25: a replica fetcher thread that ended with an error, or that marked partitions as failed (from 2.3,
    KIP-461), so that their leaders removed the broker from the ISR.

    Ignores a partition "marked as failed" without an error: the broker learned a leader epoch before its leader did,
    and continues within milliseconds (facts §5, F25). A failed log directory also removes partitions from the
    fetchers (F14).
    """
    of_fetchers = [fact for fact in facts if fact.kind == "thread_died" and _is_of_fetcher(fact)]
    died = [
        _of_node("fetcher_died", "fetcher_thread_died", 0.9, burst[0].node_id, burst)
        for burst in bursts_of(of_fetchers, by=lambda fact: fact.node_id, gap_ms=RETRIED_MS)
    ]
    gave_up = [
        _of_node("fetcher_died", "fetcher_gave_up", 0.85, burst[0].node_id, burst)
        for burst in bursts_of(
            _lines_of_partitions_given_up(given_up_partitions, Timings(timings)),
            by=lambda lines: lines.node_id,
            gap_ms=RETRIED_MS,
        )
    ]
    return died + [one for one in gave_up if not any(_at_one_time(one, thread) for thread in died)]


def _is_of_fetcher(fact: Fact) -> bool:
    return "ReplicaFetcherThread" in (fact.logger or "") or "ReplicaFetcher" in (fact.message or "")


def _lines_of_partitions_given_up(given_up: Iterable[GivenUpPartition], waits: Timings) -> Iterator[Lines]:
    """The errors for which fetchers marked partitions as failed, and the shrinks of the ISRs of these partitions
    that followed.
    """
    for one in given_up:
        behind_until = plus_millis(one.failed_ts, waits.at(one.node_id, one.failed_ts).replica_lag_ms * 4)
        if behind_until is not None and one.dropped_ts <= behind_until:
            yield Lines(one.node_id, one.error_ts, one.last_error_ts, events_of(one.errors))
            yield Lines(one.node_id, one.dropped_ts, one.last_dropped_ts, events_of(one.drops))


def _at_one_time(one: Fault, other: Fault) -> bool:
    return bool(one.broker_id == other.broker_id and other.ts <= one.end_ts and other.end_ts >= one.ts)


def _of_node(kind: str, reason: str, confidence: float, node: int | None, lines: Sequence[Dated]) -> Fault:
    """The fault that a burst of a node's lines reports."""
    gathered = [getattr(line, "evidence", None) or [line.event_id] for line in lines]
    return fault(
        kind,
        statement(reason, broker=node),
        broker_id=node,
        ts=begin_of(lines),
        end_ts=end_of(lines),
        confidence=confidence,
        evidence=in_turn(gathered),
    )


@reads("node_auth_failed")
def authentication_failed(facts: Iterable[Fact]) -> list[Fault]:
    """F27: connections between nodes that fail TLS or SASL authentication.

    If a node fails only with one peer, and that peer fails with several, the peer is at fault.
    """
    failed = [fact for fact in facts if fact.kind == "node_auth_failed" and _is_between_nodes(fact)]
    found = []
    for burst in bursts_of(failed, by=lambda _: None, gap_ms=RETRIED_MS):
        of_owner: dict[int, list[Fact]] = defaultdict(list)
        for line, owner in zip(burst, _owners(burst), strict=True):
            of_owner[owner].append(line)
        found += [_credentials_refused(owner, lines) for owner, lines in of_owner.items() if _are_enough(lines)]
    return found


def _is_between_nodes(fact: Fact) -> bool:
    return fact.node_id is not None and fact.broker_id is not None and 0 <= fact.broker_id != fact.node_id


def _owners(failed: list[Fact]) -> list[int]:
    """For each failed connection, the node whose credentials are suspect: the writer or its peer."""
    peers: dict[int, set[int]] = defaultdict(set)
    for line in failed:
        peers[line.node_id].add(line.broker_id)
        peers[line.broker_id].add(line.node_id)
    return [
        line.broker_id if len(peers[line.node_id]) == 1 and len(peers[line.broker_id]) > 1 else line.node_id
        for line in failed
    ]


def _are_enough(failed: list[Fact]) -> bool:
    return count_of(failed) >= (LEAST_FAILED if _first_error(failed) is not None else LEAST_TERMINATED)


def _first_error(failed: list[Fact]) -> str | None:
    return next(iter(known(detail(line, "error") for line in failed)), None)


def _credentials_refused(owner: int, failed: list[Fact]) -> Fault:
    own = [line for line in failed if line.node_id == owner]
    of_others = [line for line in failed if line.node_id != owner]
    if own and of_others:
        reason = "connections_failed_both_ways"
    else:
        reason = "own_connections_failed" if own else "connections_to_it_failed"
    return fault_of(
        "authentication_failed",
        statement(
            reason,
            node=owner,
            own_count=count_of(own),
            others_count=count_of(of_others),
            all_to=sorted({line.broker_id for line in own}),
            all_from=sorted({line.node_id for line in of_others}),
            error=_first_error(failed),
        ),
        failed,
        broker_id=owner,
        confidence=0.9,
    )


@dataclass(frozen=True)
class FailedFetch:
    """Failed fetches of `peer`, which ran `release`, between `ts` and `last_ts`."""

    peer: int | None
    release: str | None
    ts: datetime
    last_ts: datetime


@reads("process_version", "request_unreadable", "fetch_send_error")
def protocol_refused(facts: Iterable[Fact]) -> list[Fault]:
    """F28: a broker that cannot read requests of newer brokers, which were upgraded without keeping
    `inter.broker.protocol.version` (KIP-35 covers only clients).

    Only fetches of other brokers that fail at the same time prove who sent the requests. If both brokers log their
    releases, the requester must run the newer one.
    """
    failed: dict[int | None, list[FailedFetch]] = defaultdict(list)
    unreadable: list[tuple[str | None, Fact]] = []
    for release, line in _with_releases(facts):
        if line.kind == "fetch_send_error" and line.ts is not None:
            asked = number_in(line.message, r"leaderId=(\d+)")
            failed[asked].append(FailedFetch(line.node_id, release, line.ts, line.last_ts))
        elif line.kind == "request_unreadable" and _request_of(line):
            unreadable.append((release, line))
    found = []
    for release in sorted({release for release, _ in unreadable}, key=str):
        of_release = [line for its, line in unreadable if its == release]
        for burst in bursts_of(of_release, by=lambda line: line.node_id, gap_ms=RETRIED_MS * 2):
            asked_by = _requester(burst, release, failed[burst[0].node_id])
            if count_of(burst) >= LEAST_UNREADABLE and asked_by:
                found.append(_could_not_read(burst, release, asked_by))
    return found


def _with_releases(facts: Iterable[Fact]) -> Iterator[tuple[str | None, Fact]]:
    """The lines of this rule in time order, each with the release that its node had logged before."""
    kinds = ("process_version", "request_unreadable", "fetch_send_error")
    releases: dict[int | None, str] = {}
    for line in sorted((fact for fact in facts if fact.kind in kinds), key=by_time):
        printed = detail(line, "kafka_version") if line.kind == "process_version" else None
        if printed is not None:
            releases[line.node_id] = printed
        yield releases.get(line.node_id), line


def _request_of(line: Fact) -> str | None:
    request = re.search(r"apiKey: ([A-Z_]+), apiVersion: (\d+)", detail(line, "exception") or "")
    return request[0] if request else None


def _requester(unreadable: list[Fact], release: str | None, failed: Iterable[FailedFetch]) -> list[FailedFetch]:
    """The fetches of brokers with a possibly newer release that failed while requests were unreadable."""
    begin, end = plus_millis(begin_of(unreadable), -AT_ONCE_MS), plus_millis(end_of(unreadable), AT_ONCE_MS)
    if begin is None or end is None:
        return []
    return [
        fetch
        for fetch in failed
        if fetch.last_ts >= begin and fetch.ts <= end and _may_be_newer(fetch.release, release)
    ]


def _may_be_newer(release: str | None, other: str | None) -> bool:
    numbers = known([_number_of(release), _number_of(other)])
    return len(numbers) < 2 or numbers[0] > numbers[1]


def _number_of(release: str | None) -> int | None:
    """The number of a release as a process logs it; None if it is not a number."""
    printed = re.match(r"\d+\.\d+(?:\.\d+)?", release or "")
    return version_number(printed[0]) if printed else None


def _could_not_read(unreadable: list[Fact], release: str | None, asked_by: Sequence[FailedFetch]) -> Fault:
    peers_releases = sorted({fetch.release for fetch in asked_by if fetch.release is not None})
    return fault_of(
        "protocol_refused",
        statement(
            "could_not_read_requests",
            broker=unreadable[0].node_id,
            release=release,
            count=count_of(unreadable),
            requests="; ".join(sorted(set(known(map(_request_of, unreadable))))),
            all_peers=sorted({fetch.peer for fetch in asked_by if fetch.peer is not None}),
            peers_releases=", ".join(peers_releases) or None,
        ),
        unreadable,
        confidence=0.9,
    )
