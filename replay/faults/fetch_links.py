"""Brokers that could not fetch from running peers, from several or from one (F05), whether or not an ISR shrank."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from replay.facts.connections import BY_OWN_HOST, NO_WAY, peer_named
from replay.facts.evidence import AT_MOST, once_each
from replay.facts.groups import by_key
from replay.facts.lines import detail, detail_number, number_in
from replay.facts.lives import STARTED
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import greatest, least, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.last_heartbeats import Bounds
from replay.faults.shape import OPEN_MS, Times, bursts_of, by_time, fault, proof_of
from replay.sentences.statement import statement
from replay.tables.brokers import NodeTimings, ProcessLife
from replay.tables.faults import Fault
from replay.tables.reading import Fact

RETRIED_MS = 15_000  # a failed fetcher retries every second, or after a connection timeout of 10 s
ANSWERED_MS = 250  # a reachable node responds at most this long after the wait time of a request
LATE_MS = 2_000  # a reachable but busy broker responds at most this long after the fetch's wait time
GRANULARITY_MS = 100  # between the end of an elapsed time and the timestamp of its line
RETRANSMITTED_MS = 1_000  # TCP sends again after this, then after twice the time each (RFC 6298, 2.4 and 5.5)
SENT_MS = 1_000  # a fetcher sends its next request within this time after a response
LEAST_PEERS = 2  # if it is only one, the link or the other end may be at fault
LASTING_MS = 1_000  # after a pause of both, such as of their common host, the next attempt a second later succeeds
_STARTING = "broker_starting"
_FAILED = ("fetch_send_error", "node_disconnected", "node_inflight_cancelled", "node_connect_error")
# Up to 2.7 the line for a request timeout is the same as for a closed connection; a running peer closes none.
_BY_ITSELF = re.compile("Client requested (connection close|disconnect)|request timeout|before the response was read")
_REFUSED = re.compile("Connection refused|Connection reset")
_ANSWERED = "truncation_by_epoch"
_NOT_LET_IN = re.compile("AuthenticationException|[Ff]ailed authentication|SSL handshake")

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class FailedFetch:
    """A failed replica fetch, or a run of them, between a `pair` of brokers.

    `timed_out`: no response came. `at_once`: the host rejected the attempt as it was made; `by_own_host`: whatever its peer did.
    `is_stated`: the line states the timeout (from 2.8). `waited_ms`: how long ago the fetch had been sent, if a line of the
    same failure states this.
    """

    node_id: int
    peer_id: int
    pair: tuple[int, int]
    fetcher: int | None
    ts: datetime
    last_ts: datetime
    event_id: str
    timed_out: bool
    is_stated: bool
    waited_ms: int | None
    at_once: bool = False
    by_own_host: bool = False

    def sent(self, timing: NodeTimings) -> Bounds:
        """The bounds of the time at which an unanswered fetch was sent; None for a fetch that may have been
        answered.
        """
        if self.waited_ms is not None:
            sent_ts = (
                plus_millis(self.ts, -self.waited_ms) if self.waited_ms >= timing.fetch_wait_ms + LATE_MS else None
            )
            return plus_millis(sent_ts, -GRANULARITY_MS), sent_ts
        sent_ts = plus_millis(self.ts, -timing.replica_socket_ms) if self.timed_out else None
        return plus_millis(sent_ts, -ANSWERED_MS), sent_ts


def began_between(fetches: Iterable[FailedFetch], broker_id: int, timing: NodeTimings) -> Bounds:
    """The bounds of the time at which a broker became isolated, from unanswered fetches of the broker and of its
    peers.

    A fetcher sends a fetch when it has the response to the previous one, so until its first unanswered fetch responses
    arrived. If only requests are lost, that response still arrives; its fetch was sent up to `replica.fetch.wait.max.ms`
    earlier. Fetches in both directions bound both directions. The first unreachable peer sets the begin.
    """
    due_ms = timing.fetch_wait_ms + ANSWERED_MS
    first: dict[int, dict[bool, dict[int | None, tuple[datetime, datetime]]]] = defaultdict(lambda: defaultdict(dict))
    until: datetime | None = None
    for one in fetches:
        low, high = one.sent(timing)
        if low is not None and high is not None:
            is_own = one.node_id == broker_id
            of_fetcher = first[one.peer_id if is_own else one.node_id][is_own]
            of_fetcher[one.fetcher] = min(of_fetcher.get(one.fetcher, (low, high)), (low, high))
            until = least(until, plus_millis(high, due_ms))
    since = []
    for ways in first.values():
        latest = [max(of_fetcher.values()) for of_fetcher in ways.values()]
        both_worked = min(low for low, _ in latest) if len(latest) > 1 else None
        since.append(greatest(plus_millis(max(high for _, high in latest), -due_ms), both_worked))
    return least(*since), until


def still_cut_at(sent_ts: datetime | None, ts: datetime | None) -> datetime | None:
    """Until when a link was certainly cut, if no response to what was sent at `sent_ts`, at the earliest, had come by `ts`.

    A timeout is no sign of a cut that lasts: the link may have worked again while the response was awaited. TCP sends
    the request, or its response, again after waits that at most double, so one of them falls into the second half of
    that time and would have passed.
    """
    waited_ms = millis(ts, sent_ts)
    if waited_ms is None:
        return None
    return plus_millis(sent_ts, max((waited_ms - RETRANSMITTED_MS - LATE_MS) / 2, 0))


def ended_low(fetches: Iterable[FailedFetch], timing: NodeTimings) -> datetime | None:
    """Until when the fetches of a cut certainly failed: each at the time of its attempt, not at that of its line.

    A fetcher makes its next attempt a second after the failure of the one before, and waits for it at most
    `replica.socket.timeout.ms`.
    """
    failed: dict[tuple[int, int, int | None], tuple[datetime | None, datetime]] = {}  # the last two failures of each
    proven: datetime | None = None
    for one in sorted(fetches, key=lambda one: (one.ts, one.event_id)):
        fetcher = one.node_id, one.peer_id, one.fetcher
        before_ts, last_ts = failed.get(fetcher, (None, one.ts))
        if at_most(millis(one.last_ts, last_ts), SENT_MS):
            failed[fetcher] = before_ts, one.last_ts  # another line of the same failure
        else:
            failed[fetcher] = greatest(last_ts, one.ts if one.ts < one.last_ts else None), one.last_ts
        tried_ts = greatest(
            plus_millis(one.last_ts, -timing.replica_socket_ms), one.sent(timing)[0], failed[fetcher][0]
        )
        proven = greatest(proven, one.last_ts if one.at_once else still_cut_at(tried_ts, one.last_ts))
    return proven


@dataclass(frozen=True)
class Start:
    """A start of a broker, up to its last step."""

    broker_id: int
    ts: datetime
    end_ts: datetime
    began_low: datetime | None = None


@dataclass(frozen=True)
class Failing:
    """Fetches that failed from `ts` to `end_ts`. `timed_out_ts`: the first unanswered one. `told_ts`: the first one
    that a line states as timed out.
    """

    ts: datetime
    end_ts: datetime
    timed_out_ts: datetime | None
    told_ts: datetime | None
    evidence: list[str]


@dataclass(frozen=True)
class Cut:
    """A broker that could not fetch from `failed_peers`, or one end (`peer_id` is the other) of a link that failed
    in both directions.

    `both_ways`: other brokers could not fetch from the broker either. `fetches`: those that bound the begin; `tried`: all.
    `ran_ts`: until when all ends ran for certain, if fetches failed later, too.
    """

    broker_id: int
    failing: Failing
    fetches: Sequence[FailedFetch]
    failed_peers: list[int] | None = None
    both_ways: bool = False
    peer_id: int | None = None
    tried: Sequence[FailedFetch] = ()
    ran_ts: datetime | None = None


def cut_links(
    facts: Iterable[Fact],
    outages: Iterable[Fault],
    timings: Iterable[NodeTimings],
    processes: Iterable[ProcessLife] = (),
) -> list[Fault]:
    """F05: brokers that could not fetch from two or more running peers, and links between two brokers that could not
    fetch from each other.

    A silent cut shows as a fetch without a response within `replica.socket.timeout.ms`. The cut began that long
    before, and an attempt after the last line may have waited that long too (facts §5, F05). Fetches prove nothing
    while one end is down or starts: a KRaft broker opens its listener only after the controller has unfenced it. If
    the peers also fail to fetch from each other, no single broker is isolated. If only two fail towards each other,
    the link between them is cut: no line shows which end is at fault.
    """
    facts = list(facts)
    absences: list[Fault | Start] = [*outages, *_starts(facts)]
    waits, away, down = Timings(timings), Times(absences, OPEN_MS), Times(absences, OPEN_MS, aftermath_ms=0)
    failed = list(failed_fetches(facts))
    failures = [
        failure
        for failure in failed
        if not away.hold(failure.node_id, failure.ts) and not away.hold(failure.peer_id, failure.ts)
    ]
    cuts = [_while_rejected(cut, failed) for cut in (*_isolated(failures), *_cut_from_each_other(failures))]
    processes = list(processes)
    answered = answers(facts)
    return [
        _ended_in_logs(_as_fault(cut, waits.at(cut.broker_id, cut.failing.ts), down), cut, processes, answered)
        for cut in cuts
    ]


@reads(_STARTING, *STARTED)
def _starts(facts: Iterable[Fact]) -> Iterator[Start]:
    """The completed starts of brokers, each from the last line that begins one."""
    begun: dict[int, datetime] = {}
    for line in sorted((fact for fact in facts if fact.kind in (_STARTING, *STARTED)), key=by_time):
        if line.node_id is None or line.ts is None:
            continue
        if line.kind == _STARTING:
            begun[line.node_id] = line.ts
        elif line.node_id in begun:
            yield Start(line.node_id, begun.pop(line.node_id), line.ts)


@reads(*_FAILED)
def failed_fetches(facts: Iterable[Fact]) -> Iterator[FailedFetch]:
    """Failed replica fetches, without authentication failures.

    One failure can have several lines. If one of them states how long the fetch had waited, that holds for all of
    them.
    """
    stated: dict[tuple[int, int, int | None], FailedFetch] = {}
    for one in sorted(_each_failed(facts), key=lambda one: (one.ts, one.waited_ms is None, one.event_id)):
        fetcher = one.node_id, one.peer_id, one.fetcher
        if one.waited_ms is not None:
            stated[fetcher] = one
        earlier = stated.get(fetcher)
        is_same = earlier is not None and at_most(millis(one.ts, earlier.ts), ANSWERED_MS)
        yield replace(one, waited_ms=earlier.waited_ms) if earlier is not None and is_same else one


@reads(*_FAILED)
def _each_failed(facts: Iterable[Fact]) -> Iterator[FailedFetch]:
    for fact in facts:
        if fact.kind not in _FAILED or fact.ts is None or "ReplicaFetcher" not in (fact.message or ""):
            continue
        text = f"{fact.message} {detail(fact, 'exception') or ''}"
        peer = peer_named(fact)
        if fact.node_id is None or peer is None or peer == fact.node_id or _NOT_LET_IN.search(text):
            continue
        waited_ms = detail_number(fact, "time_elapsed_since_send_ms")
        limit_ms = detail_number(fact, "request_timeout_ms")
        is_over = waited_ms is None or limit_ms is None or waited_ms >= limit_ms
        yield FailedFetch(
            node_id=fact.node_id,
            peer_id=peer,
            pair=(min(fact.node_id, peer), max(fact.node_id, peer)),
            fetcher=number_in(fact.message, r"fetcherId=(\d+)"),
            ts=fact.ts,
            last_ts=fact.last_ts,
            event_id=fact.event_id,
            timed_out=is_over and bool(_BY_ITSELF.search(text)) and not _REFUSED.search(text),
            is_stated=is_over and "request timeout" in text,
            waited_ms=waited_ms,
            at_once=bool(NO_WAY.search(text)),
            by_own_host=bool(BY_OWN_HOST.search(text)),
        )


def _isolated(failures: Sequence[Any]) -> Iterator[Cut]:
    """Brokers that could not fetch from two or more peers while those could fetch from each other; one row per
    burst.
    """
    for burst in bursts_of(failures, by=lambda _: None, gap_ms=RETRIED_MS):
        links = {
            link: _failing(of_link)
            for link, of_link in by_key(burst, lambda failure: (failure.node_id, failure.peer_id)).items()
        }
        for broker in sorted({end for link in links for end in link}):
            own = [peer for node, peer in links if node == broker]
            towards_it = [node for node, peer in links if peer == broker]
            if len(own) >= LEAST_PEERS and len(own) + len(towards_it) == len(links):
                yield Cut(broker, _together(links.values()), burst, sorted(own), both_ways=bool(towards_it))


def _cut_from_each_other(failures: Sequence[Any]) -> Iterator[Cut]:
    """Pairs of brokers that repeatedly could not fetch from each other while all their other fetches succeeded; one
    row per burst.

    If a connection fails only between two brokers, one of them may simply have closed it. Only a line that states a
    timeout proves a cut.
    """
    with_another = _beside_another(failures)
    for burst in bursts_of(failures, by=lambda failure: failure.pair, gap_ms=RETRIED_MS):
        if len({failure.node_id for failure in burst}) < 2:
            continue
        again_and_again = {
            fetcher: _failing(own, only_stated=True)
            for fetcher, own in by_key(burst, lambda failure: (failure.node_id, failure.fetcher)).items()
            if not any(failure.event_id in with_another for failure in own)
        }
        lasting = {
            fetcher: failing
            for fetcher, failing in again_and_again.items()
            if (millis(failing.end_ts, failing.ts) or 0) >= LASTING_MS
        }
        both_ways = len({node for node, _ in lasting}) == 2
        if both_ways and max(one.ts for one in lasting.values()) <= min(one.end_ts for one in lasting.values()):
            one, other = burst[0].pair
            together = _together(lasting.values())
            fetches = [failure for failure in burst if failure.is_stated]
            yield Cut(one, together, fetches, peer_id=other, tried=burst)


def _while_rejected(cut: Cut, failed: Iterable[FailedFetch]) -> Cut:
    """The cut, until the last fetch of the same links in a row that its own host rejected, even if the other end was down then."""
    end_ts, later = cut.failing.end_ts, list[FailedFetch]()
    for one in failed:
        is_same = cut.broker_id in one.pair and cut.peer_id in (None, *one.pair)
        in_a_row = at_most(millis(one.ts, end_ts), RETRIED_MS)
        if one.by_own_host and is_same and in_a_row and less(end_ts, one.last_ts):
            end_ts = one.last_ts
            later.append(one)
    if not later:
        return cut
    evidence = once_each([*cut.failing.evidence[: AT_MOST - 1], later[-1].event_id])
    tried = [*(cut.tried or cut.fetches), *later]
    failing = replace(cut.failing, end_ts=end_ts, evidence=evidence)
    return replace(cut, failing=failing, tried=tried, ran_ts=cut.failing.end_ts)


def _beside_another(failures: Iterable[FailedFetch]) -> set[str]:
    """The failures for which another fetch, between one of the two brokers and a third, failed within `RETRIED_MS`."""
    at_end: dict[int, list[FailedFetch]] = defaultdict(list)
    for failure in sorted(failures, key=lambda failure: failure.ts):
        for end in failure.pair:
            at_end[end].append(failure)
    found: set[str] = set()
    for own in at_end.values():
        for failure, earlier in _with_last_of_another_pair(own):
            passed = millis(failure.ts, earlier.last_ts)
            if passed is not None and passed <= RETRIED_MS:
                found |= {failure.event_id}
        for failure, later in _with_last_of_another_pair(own[::-1]):
            passed = millis(later.ts, failure.last_ts)
            if passed is not None and passed <= RETRIED_MS:
                found |= {failure.event_id}
    return found


def _with_last_of_another_pair(failures: Iterable[FailedFetch]) -> Iterator[tuple[FailedFetch, FailedFetch]]:
    """Each failure with the last one before it of another pair. Omits failures without one."""
    last: FailedFetch | None = None
    of_another: FailedFetch | None = None  # the nearest of a pair other than that of `last`
    for failure in failures:
        if last is not None and failure.pair != last.pair:
            of_another = last
        if of_another is not None:
            yield failure, of_another
        last = failure


def _failing(failures: Sequence[Any], *, only_stated: bool = False) -> Failing:
    """Merges failures. With `only_stated`, counts a timeout only if a line states it."""
    unanswered = [failure.ts for failure in failures if failure.timed_out and (failure.is_stated or not only_stated)]
    return Failing(
        ts=min(failure.ts for failure in failures),
        end_ts=max(failure.last_ts for failure in failures),
        timed_out_ts=min(unanswered, default=None),
        told_ts=min((failure.ts for failure in failures if failure.is_stated), default=None),
        evidence=proof_of(failures),
    )


def _together(failing: Iterable[Failing]) -> Failing:
    """Merges several rows and keeps the first two lines of each."""
    every = list(failing)
    return Failing(
        ts=min(one.ts for one in every),
        end_ts=max(one.end_ts for one in every),
        timed_out_ts=least(*[one.timed_out_ts for one in every]),
        told_ts=least(*[one.told_ts for one in every]),
        evidence=once_each(event for one in every for event in one.evidence[:2])[:AT_MOST],
    )


def _as_fault(cut: Cut, timing: NodeTimings, down: Times) -> Fault:
    failing, is_link = cut.failing, cut.peer_id is not None
    low, high = began_between(cut.fetches, cut.broker_id, timing)
    waited_ms = timing.fetch_wait_ms + ANSWERED_MS
    refused_low = plus_millis(failing.ts, -waited_ms - (timing.replica_socket_ms if low is None else 0))
    return fault(
        "link_cut" if is_link else "cut_from_peers",
        statement(
            "fetches_failed_both_ways" if is_link else "fetches_failed",
            broker=cut.broker_id,
            peer=cut.peer_id,
            all_peers=cut.failed_peers,
            both_ways=cut.both_ways,
            at_from=failing.ts,
            at_to=failing.end_ts,
            waited_ms=timing.replica_socket_ms if failing.told_ts == failing.ts else None,
            at_ran=cut.ran_ts,
        ),
        broker_id=cut.broker_id,
        peers=[cut.peer_id] if is_link else None,
        ts=failing.ts,
        end_ts=failing.end_ts,
        began_low=least(low, refused_low),
        began_high=least(failing.ts, high),
        ended_low=ended_low(cut.tried or cut.fetches, timing),
        ended_high=_next_try_by(cut, timing, down),
        confidence=0.8,
        evidence=failing.evidence,
    )


@reads(_ANSWERED)
def answers(facts: Iterable[Fact]) -> dict[tuple[int, int], list[datetime]]:
    """When each broker had an answer of each of its leaders, by its truncations to an offset that the leader answered."""
    answered: dict[tuple[int, int], list[datetime]] = defaultdict(list)
    for fact in facts:
        leader = number_in(fact.message, r"leaderId=(\d+)") if fact.kind == _ANSWERED else None
        if leader is not None and fact.node_id is not None and fact.ts is not None:
            answered[fact.node_id, leader] += [fact.ts, fact.last_ts]
    return answered


def _ended_in_logs(
    fault: Fault, cut: Cut, processes: Iterable[ProcessLife], answered: Mapping[tuple[int, int], Sequence[datetime]]
) -> Fault:
    """The fault; without an end if the logs end before the next failure would have come, and before each of the peers had
    answered again.
    """
    last_ts = greatest(*(life.last_ts for life in processes))
    peers = [cut.peer_id] if cut.peer_id is not None else cut.failed_peers or []
    first = [
        min((ts for ts in answered.get((cut.broker_id, peer), ()) if less(fault.end_ts, ts)), default=None)
        for peer in peers
    ]
    if first and None not in first and not less(fault.ended_high, greatest(*first)):
        return fault.but(ended_high=greatest(*first))
    return fault.but(ended_high=None) if less(last_ts, fault.ended_high) else fault


def _next_try_by(cut: Cut, timing: NodeTimings, down: Times) -> datetime | None:
    """By when the next failure would have been logged if the link were still cut."""
    waits_ms = max(RETRIED_MS, SENT_MS + timing.replica_socket_ms)
    tried = plus_millis(cut.failing.end_ts, waits_ms)
    back = greatest(*(down.over(end, cut.failing.end_ts, tried) for end in (cut.broker_id, cut.peer_id)))
    return greatest(tried, plus_millis(back, waits_ms))
