"""When a broker that stops no longer serves clients and no longer fetches: both end before its process does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.order import at_most
from replay.facts.reads import reads_each
from replay.facts.times import least, plus_millis
from replay.tables.brokers import ProcessLife
from replay.tables.reading import Fact

NETWORK_STOPS, FETCHERS_STOP = "socket_server_shutdown", "fetcher_manager_shutdown"
THREAD_STARTS, THREAD_STOPPED = "thread_starting", "thread_shutdown_completed"
PARTITIONS_REMOVED = "fetcher_partitions_removed"
_KINDS = (NETWORK_STOPS, FETCHERS_STOP, THREAD_STARTS, THREAD_STOPPED, PARTITIONS_REMOVED)
ARRIVES_MS = 20  # a fetch reaches its leader within this time, and acknowledges all earlier writes
ANSWERS_LATE_MS = 100  # a network thread may send a last response this long after the line that it was stopped
_OF_CONTROLLER = "listenerType=CONTROLLER"
_OF_FOLLOWER = "ReplicaFetcherManager"  # not the one that moves replicas between directories
_BEGUN = re.compile(r"Stopping|Shutting down|shutting down")
_FETCHER = re.compile(r"ReplicaFetcher replicaId=\d+, leaderId=(\d+), fetcherId=(\d+)|ReplicaFetcherThread-(\d+)-(\d+)")


@dataclass(frozen=True)
class Stopped:
    """When a process stopped one of its functions: between `low_ts` and `from_ts`, with the lines that show it.
    `peers`: the leaders from which it stopped fetching; None: all.
    """

    low_ts: datetime | None
    from_ts: datetime | None
    evidence: Sequence[str] = ()
    peers: Sequence[int] | None = None


@reads_each(*_KINDS)
def stop_lines(facts: Iterable[Fact]) -> Mapping[int, Sequence[Fact]]:
    """By node, in time order: its lines about network threads and fetchers that stop, and about fetchers that start."""
    own = [fact for fact in facts if fact.kind in _KINDS and fact.ts is not None and _is_of_broker(fact)]
    return grouped(sorted(own, key=lambda fact: fact.ts), lambda fact: fact.node_id)


def _is_of_broker(fact: Fact) -> bool:
    message = fact.message or ""
    if fact.kind == NETWORK_STOPS:
        return _OF_CONTROLLER not in message
    if fact.kind == PARTITIONS_REMOVED:
        return True
    return _OF_FOLLOWER in message if fact.kind == FETCHERS_STOP else _FETCHER.search(message) is not None


def network_stopped(life: ProcessLife, lines: Sequence[Fact]) -> Stopped:
    """When a stopping process no longer answered clients: once it had stopped its network threads, else at its last
    line.
    """
    return _component_stopped(life, lines, NETWORK_STOPS, ANSWERS_LATE_MS)


def fetchers_stopped(life: ProcessLife, lines: Sequence[Fact]) -> Stopped:
    """When a stopping process no longer fetched from any leader: once it had stopped all fetchers, else at its last
    line.

    It may have stopped fetching some partitions as early as its first line that removes partitions from fetchers.
    """
    stopped = _component_stopped(life, lines, FETCHERS_STOP, ARRIVES_MS)
    return replace(stopped, low_ts=least(stopped.low_ts, _removed_ts(life, lines)))


def _component_stopped(life: ProcessLife, lines: Sequence[Fact], kind: str, late_ms: int) -> Stopped:
    """From the first line about the stop of a component to `late_ms` after the line that reports its end."""
    own = [line for line in lines if line.kind == kind and _is_in_stop(line, life)]
    done = next((line for line in own if not _BEGUN.search(line.message or "")), None)
    if done is None:
        return Stopped(life.last_ts, life.last_ts)
    from_ts = least(plus_millis(done.ts, late_ms), life.last_ts)
    return Stopped(own[0].ts, from_ts, sorted({own[0].event_id, done.event_id}))


def _is_in_stop(line: Fact, life: ProcessLife) -> bool:
    return at_most(life.stop_ts, line.ts) and at_most(line.ts, life.last_ts)


def _removed_ts(life: ProcessLife, lines: Iterable[Fact]) -> datetime | None:
    """When a stop first removed partitions from fetchers."""
    return next((line.ts for line in lines if line.kind == PARTITIONS_REMOVED and _is_in_stop(line, life)), None)


def fetchers_of_leaders_stopped(life: ProcessLife, lines: Sequence[Fact], all_ts: datetime | None) -> Iterator[Stopped]:
    """When a stopping process no longer fetched from single leaders, before it had stopped all fetchers.

    Only for leaders whose fetchers all have lines about their start, because several fetchers may share the partitions.
    """
    until_ts, removed_ts = least(all_ts, life.last_ts), _removed_ts(life, lines)
    own = (line for line in lines if at_most(life.start_ts, line.ts) and at_most(line.ts, until_ts))
    threads = [line for line in own if line.kind in (THREAD_STARTS, THREAD_STOPPED)]
    for leader_id, of_leader in sorted(grouped(threads, _leader_of).items()):
        last = {_fetcher(line): line for line in of_leader}
        started = {_fetcher(line) for line in of_leader if line.kind == THREAD_STARTS}
        ends = [line for line in last.values() if line.kind == THREAD_STOPPED]
        if len(ends) == len(last) == len(started) and any(_is_in_stop(line, life) for line in ends):
            end = max(ends, key=lambda line: line.ts)
            from_ts = least(plus_millis(end.ts, ARRIVES_MS), life.last_ts)
            yield Stopped(least(removed_ts, end.ts), from_ts, [end.event_id], [leader_id])


def _leader_of(line: Fact) -> int:
    return _fetcher(line)[0]


def _fetcher(line: Fact) -> tuple[int, int]:
    """The leader of a fetcher's line, and the fetcher's number."""
    leader_id, number, old_number, old_leader_id = _FETCHER.findall(line.message or "")[0]
    return int(leader_id or old_leader_id), int(number or old_number)
