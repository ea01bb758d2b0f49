"""Links between two brokers that failed because the host of one of them, or of both, rejected the connections (F05)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.connections import BY_OWN_HOST, peer_named
from replay.facts.evidence import joined
from replay.facts.groups import by_key
from replay.facts.lines import detail
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import greatest, least, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.fetch_links import (
    LASTING_MS,
    RETRIED_MS,
    SENT_MS,
    FailedFetch,
    answers,
    began_between,
    failed_fetches,
)
from replay.faults.pauses import MISSED_IN_SILENCE
from replay.faults.shape import OPEN_MS, Times, bursts_of, count_of, end_of, fault, proof_of
from replay.sentences.statement import statement
from replay.tables.brokers import NodeTimings, ProcessLife
from replay.tables.faults import Fault
from replay.tables.reading import Fact

_CONNECT = "node_connect_error"


@dataclass(frozen=True)
class Rejection:
    """Connections of a node to a peer that its own host rejected: no packet left it, whatever the peer did."""

    node_id: int
    pair: tuple[int, int]
    ts: datetime
    last_ts: datetime
    count: int
    event_id: str


@dataclass(frozen=True)
class RejectedLink:
    """A link with the rejections of its connections, and the fetches between its ends that failed meanwhile."""

    pair: tuple[int, int]
    rejections: Sequence[Rejection]
    fetches: Sequence[FailedFetch]

    @property
    def ts(self) -> datetime:
        return self.rejections[0].ts

    @property
    def last_ts(self) -> datetime:
        return max(one.last_ts for one in self.rejections)

    @property
    def is_seen_from_both_ends(self) -> bool:
        by_fetch = {one.node_id for one in self.fetches if one.timed_out or one.by_own_host}
        return bool(self.fetches) and {one.node_id for one in self.rejections} | by_fetch == {*self.pair}


def rejected_links(
    facts: Iterable[Fact],
    outages: Iterable[Fault],
    timings: Iterable[NodeTimings],
    processes: Iterable[ProcessLife] = (),
) -> list[Fault]:
    """F05: links that both ends show to be cut: the host of one end rejected connections, and fetches of the other end
    got no response, or both hosts rejected connections.

    A silence that only leaders noticed proves nothing: the link may be its cause, while the end had nothing to log. A
    broker with two such links at one time is isolated itself (`cut_links`), and so may be one whose other fetches
    failed without an outage.
    """
    facts, processes, waits = list(facts), list(processes), Timings(timings)
    away = Times((one for one in outages if one.reason != MISSED_IN_SILENCE), OPEN_MS)
    failed = [
        one for one in failed_fetches(facts) if not (away.hold(one.node_id, one.ts) or away.hold(one.peer_id, one.ts))
    ]
    links = [link for link in _links(facts, failed, waits) if (millis(link.last_ts, link.ts) or 0) >= LASTING_MS]
    reached = answers(facts)
    return [
        _as_fault(link, waits.at(link.pair[0], link.ts), reached, processes)
        for link in links
        if link.is_seen_from_both_ends
        and not any(_is_at_one_end(link, other.pair, other.ts, other.last_ts) for other in links)
        and not any(_is_at_one_end(link, one.pair, one.ts, one.last_ts) for one in failed)
    ]


@reads(_CONNECT)
def _rejections(facts: Iterable[Fact]) -> Iterator[Rejection]:
    for fact in facts:
        peer = peer_named(fact) if fact.kind == _CONNECT else None
        if peer is None or fact.node_id is None or fact.ts is None or peer == fact.node_id:
            continue
        if BY_OWN_HOST.search(detail(fact, "exception") or ""):
            pair = min(fact.node_id, peer), max(fact.node_id, peer)
            yield Rejection(fact.node_id, pair, fact.ts, fact.last_ts or fact.ts, fact.count, fact.event_id)


def _links(facts: Iterable[Fact], failed: Sequence[FailedFetch], waits: Timings) -> Iterator[RejectedLink]:
    of_pair = by_key(failed, lambda one: one.pair)
    for burst in bursts_of(_rejections(facts), by=lambda one: one.pair, gap_ms=RETRIED_MS):
        waited_ms = waits.at(burst[0].pair[0], burst[0].ts).replica_socket_ms + SENT_MS
        until = plus_millis(end_of(burst), waited_ms)
        during = [
            one
            for one in of_pair.get(burst[0].pair, ())
            if not less(one.last_ts, burst[0].ts) and at_most(one.ts, until)
        ]
        yield RejectedLink(burst[0].pair, burst, during)


def _is_at_one_end(link: RejectedLink, pair: tuple[int, int], ts: datetime, last_ts: datetime) -> bool:
    """Whether another link with one end in common failed at about that time."""
    since, until = plus_millis(link.ts, -RETRIED_MS), plus_millis(link.last_ts, RETRIED_MS)
    return pair != link.pair and not {*pair}.isdisjoint(link.pair) and at_most(ts, until) and at_most(since, last_ts)


def _over_by(
    link: RejectedLink,
    reached: Mapping[tuple[int, int], Sequence[datetime]],
    processes: Iterable[ProcessLife],
    socket_ms: int,
) -> datetime | None:
    """When one end had an answer of the other again, or by when ends that run on would have logged the next failed
    fetch; None if no line shows either.
    """
    one, other = link.pair
    again = [ts for way in ((one, other), (other, one)) for ts in reached.get(way, ()) if ts > link.last_ts]
    tried = plus_millis(greatest(link.last_ts, *(fetch.last_ts for fetch in link.fetches)), SENT_MS + socket_ms)
    ran_on = {life.node_id for life in processes if at_most(tried, life.last_ts)}
    return least(min(again, default=None), tried if ran_on.issuperset(link.pair) else None)


def _as_fault(
    link: RejectedLink,
    timing: NodeTimings,
    reached: Mapping[tuple[int, int], Sequence[datetime]],
    processes: Iterable[ProcessLife],
) -> Fault:
    one, other = link.pair
    over_ts = _over_by(link, reached, processes, timing.replica_socket_ms)
    low, high = began_between(link.fetches, one, timing)
    began_high = least(link.ts, high)
    end_ts = greatest(link.last_ts, *(fetch.last_ts for fetch in link.fetches if at_most(fetch.last_ts, over_ts)))
    return fault(
        "link_cut",
        statement(
            "connections_rejected",
            broker=one,
            peer=other,
            tries=count_of(link.rejections),
            at_from=link.ts,
            at_to=link.last_ts,
        ),
        broker_id=one,
        peers=[other],
        ts=began_high,
        end_ts=end_ts,
        began_low=plus_millis(link.ts, -timing.replica_socket_ms) if low is None else low,
        began_high=began_high,
        ended_low=link.last_ts,
        confidence=0.9,
        evidence=joined(proof_of(link.rejections), proof_of(link.fetches)),
    ).but(ended_high=over_ts)
