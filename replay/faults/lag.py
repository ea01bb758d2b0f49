"""Followers that leaders removed from ISRs for lag: isolated from their peers (F05), or slow (F13).

A leader checks its followers every half of `replica.lag.time.max.ms`, so the leaders of the whole cluster log all
shrinks of one fault within that time. Such a burst is evaluated as a whole. Source: facts §1.2, §5 and §5.1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from replay.facts.evidence import earliest, joined
from replay.facts.groups import by_key, grouped
from replay.facts.order import at_most, less
from replay.facts.times import EPOCH, first_known, greatest, known, least, millis, plus_millis, unix_millis
from replay.facts.timings import Timings
from replay.faults.fetch_links import still_cut_at
from replay.faults.kinds import CRASHES, ORDERED_STOPS, REPLICATION_STOPPED
from replay.faults.shape import (
    AFTERMATH_MS,
    OPEN_MS,
    Times,
    begun_in_mid_flow,
    bursts_of,
    fault,
    not_of_kind,
    of_kind,
    peers_of,
    times_explained,
)
from replay.faults.shrinking_isrs import BACK_AT_ONCE_MS, WAKING_MS
from replay.sentences.statement import LIST_SEPARATOR, statement
from replay.tables.brokers import NodeTimings
from replay.tables.faults import Fault, FirstLine, LagShrink

CHECKED_LATE_MS = 1_000  # the lag check runs less than this late
FETCHED_WITHIN_MS = 2_000  # a follower that keeps up fetches again within this time after a fetch's wait
FLAPS_WITHIN = 4  # times replica.lag.time.max.ms: a follower that lags again within this is still slow (facts §5, F13)
SLOW, UNSEEN, CUT, ALONE, LINK, LAST_LINK = "slow", "unseen", "cut", "alone", "link", "last link"
LAST_TWO = "dropped_each_other_alone"
CUT_OR_STALLED = "cut_or_stalled"
_KINDS = {
    SLOW: "slow_follower",
    UNSEEN: "dropped_unseen",
    LINK: "link_cut",
    LAST_LINK: "link_cut",
    CUT: "cut_from_peers",
    ALONE: "cut_from_peers",
}
_REASONS = {
    SLOW: "dropped_for_lag",
    UNSEEN: "dropped_for_lag_unseen",
    LINK: "dropped_each_other",
    LAST_LINK: LAST_TWO,
    CUT: "dropped_all_and_was_dropped",
    ALONE: "dropped_all_at_once",
}
_CUT_OFF = ("cut_from_controllers", "cut_from_zookeeper", "cut_from_peers", "link_cut")
_CONFIDENCE = {SLOW: 0.75, UNSEEN: 0.5, LINK: 0.8, LAST_LINK: 0.8, CUT: 0.85, ALONE: 0.6}


@dataclass(frozen=True)
class Dropped:
    """The removals of one follower by one leader for lag, in `drops` ISRs, within one burst of the cluster.

    `left_alone`: how many of those ISRs then held only the leader. `at_once`: in how many of these the leader
    removed other followers too. `told`: whether a line shows when the follower had last caught up.
    """

    leader_id: int
    dropped_id: int
    drops: int
    left_alone: int
    at_once: int
    ts: datetime | None
    last_ts: datetime | None
    began_low: datetime | None
    began_high: datetime | None
    told: bool
    first_back_ts: datetime | None
    back_ts: datetime | None
    replica_lag_ms: int
    names: frozenset[str]
    lines: tuple[tuple[datetime | None, str], ...]


@dataclass(frozen=True)
class Blamed:
    """A broker at fault for removals from ISRs: those that it made as a leader, and those of itself.

    `peer_id`: the other end of a link. `began_low`, `began_high`: the bounds of the time at which the followers had
    last caught up.
    """

    broker_id: int
    pattern: str
    peer_id: int | None
    dropped: tuple[Dropped, ...]
    names: frozenset[str]
    began_low: datetime | None
    began_high: datetime | None

    @property
    def own(self) -> list[Dropped]:
        """The followers that it removed as a leader."""
        return [one for one in self.dropped if one.leader_id == self.broker_id]

    @property
    def droppers(self) -> list[Dropped]:
        """The leaders that removed it."""
        return [one for one in self.dropped if one.leader_id != self.broker_id]

    @property
    def ts(self) -> datetime | None:
        return least(*[one.ts for one in self.dropped])

    @property
    def last_ts(self) -> datetime | None:
        return greatest(*[one.last_ts for one in self.dropped])

    @property
    def event_id(self) -> str:
        return self.evidence[0]

    @property
    def back_ts(self) -> datetime | None:
        """When all were back in the ISRs; None if one was not."""
        return _last_if_all(one.back_ts for one in self.dropped)

    @property
    def replica_lag_ms(self) -> int:
        return max(one.replica_lag_ms for one in self.dropped)

    @property
    def evidence(self) -> list[str]:
        return earliest(line for one in self.dropped for line in one.lines)


def lagging(
    lag_shrinks: Sequence[LagShrink],
    first_lines: Iterable[FirstLine],
    known_faults: Sequence[Fault],
    stated: Sequence[Fault],
    timings: Iterable[NodeTimings],
) -> list[Fault]:
    """F05, F13 and F00: followers that leaders removed from ISRs for lag.

    A broker is isolated from its peers (F05) if it removes all others while other leaders remove only it, or if it
    removes all its followers at once while no other leader removes any of them. A link is cut (F05) if its two ends
    remove each other while all other leaders keep both. A broker that only others remove is slow (F13),
    if its own files have that time: they would show a pause, a cut or a restart. Without them the cause is not known
    (F00).
    """
    lag_shrinks, first_lines = with_woken_leaders(lag_shrinks), list(first_lines)
    bursts = drops_for_lag(lag_shrinks, first_lines, known_faults, stated, timings)
    first_ts = {row.node_id: row.first_ts for row in first_lines}
    of_bursts = (_as_far_as_seen(one, first_ts) for dropped in bursts for one in _blamed_for(dropped))
    blamed = _flapping_as_one(_with_later_removals(list(of_bursts)))
    on_waking = [shrink for shrink in lag_shrinks if shrink.woke]
    return [_as_fault(one, _woken(one, on_waking)) for one in blamed]


def _as_far_as_seen(blamed: Blamed, first_ts: Mapping[int, datetime | None]) -> Blamed:
    """The broker at fault; a slow one whose own files begin after it had stopped to keep up, or are missing, is `UNSEEN`."""
    begins_ts = first_ts.get(blamed.broker_id)
    is_seen = begins_ts is not None and not less(blamed.began_high, begins_ts)
    return replace(blamed, pattern=UNSEEN) if blamed.pattern == SLOW and not is_seen else blamed


def _with_later_removals(blamed: Sequence[Blamed]) -> list[Blamed]:
    """The brokers at fault. A cut link includes later removals of one end by the other, until either is back in an ISR:
    for example, in partitions that the other end came to lead meanwhile.
    """
    links = {at: one for at, one in enumerate(blamed) if one.pattern in (LINK, LAST_LINK)}
    others = {}
    for number, one in enumerate(blamed):
        if number in links:
            continue
        is_slow = one.pattern in (SLOW, UNSEEN)
        at = next((at for at, link in links.items() if is_slow and _is_later_of(one, link)), None)
        if at is None:
            others[number] = one
        else:
            links[at] = replace(links[at], dropped=links[at].dropped + one.dropped, names=links[at].names | one.names)
    return [one for _, one in sorted({**links, **others}.items())]


def _is_later_of(slow: Blamed, link: Blamed) -> bool:
    back_ts = least(*[one.first_back_ts for one in link.dropped])
    return all(
        {one.leader_id, one.dropped_id} == {link.broker_id, link.peer_id}
        and at_most(link.ts, one.ts)
        and not less(back_ts, one.ts)
        for one in slow.dropped
    )


def with_woken_leaders(lag_shrinks: Sequence[LagShrink]) -> list[LagShrink]:
    """The shrinks, with `woke` set for those that a leader made when it resumed from a pause.

    A resuming leader removes each follower whose fetch it has not read yet, for some partitions only one. Such a
    shrink happens while the leader itself is out of an ISR, and its followers return at once. Rows of `LAG_SHRINKS`.
    """
    of_broker = grouped(lag_shrinks, lambda shrink: shrink.dropped_id)
    return [
        shrink.but(woke=True)
        if _is_back_at_once(shrink) and any(_is_out(out, shrink.ts) for out in of_broker.get(shrink.leader_id, ()))
        else shrink
        for shrink in lag_shrinks
    ]


def _is_back_at_once(shrink: LagShrink) -> bool:
    return at_most(millis(shrink.back_ts, shrink.last_ts), BACK_AT_ONCE_MS)


def _is_out(dropped: LagShrink, ts: datetime | None) -> bool:
    """Whether a removed broker is still out of the ISR, or returns at about that time."""
    comes_back = dropped.back_ts is None or at_most(plus_millis(ts, -BACK_AT_ONCE_MS), dropped.back_ts)
    return less(dropped.ts, ts) and comes_back


def drops_for_lag(
    lag_shrinks: Iterable[LagShrink],
    first_lines: Iterable[FirstLine],
    known_faults: Sequence[Fault],
    stated: Sequence[Fault],
    timings: Iterable[NodeTimings],
) -> list[list[Dropped]]:
    """Removals for lag by leader and follower, in bursts.

    Omits removals that another fault explains, or may explain because the logs begin too late to show it. Omits
    removals by a leader that resumed from a pause and took the followers back at once. A cut link explains only
    removals between its two ends.
    """
    waits = Timings(timings)
    explains = _Explained(known_faults, stated, waits)
    begun = begun_in_mid_flow(first_lines)
    shrinks = [
        shrink
        for shrink in lag_shrinks
        if not shrink.woke and not explains.holds(shrink) and not _as_files_begin(shrink, begun, waits)
    ]
    links = of_kind(known_faults, "link_cut")
    return [
        [one for one in _summed(burst, waits) if not any(_is_between_ends(one, link) for link in links)]
        for burst in bursts_of(
            shrinks, by=lambda _: None, gap_ms=lambda shrink: _of_leader(shrink, waits).replica_lag_ms
        )
    ]


def with_partitions_of_links(
    faults: Iterable[Fault], lag_shrinks: Sequence[LagShrink], timings: Iterable[NodeTimings]
) -> list[Fault]:
    """The faults; each cut link gains the partitions in which one end removed the other.

    A removed follower had not caught up for `replica.lag.time.max.ms`, which also bounds the start of the cut.
    """
    waits = Timings(timings)
    bounded = []
    for one in faults:
        of_link = [shrink for shrink in lag_shrinks if one.kind == "link_cut" and _is_between_ends(shrink, one)]
        if not of_link:
            bounded.append(one)
            continue
        names = {name for shrink in of_link for name in shrink.names}
        by_ts = least(*[_last_fetched(shrink, _of_leader(shrink, waits)) for shrink in of_link])
        began_high = greatest(one.began_low, least(one.began_high, by_ts))
        bounded.append(one.but(partitions=sorted(names) or one.partitions, began_high=began_high))
    return bounded


def ended_as_replicas_return(faults: Iterable[Fault], lag_shrinks: Sequence[LagShrink]) -> list[Fault]:
    """The faults; removals bound the end of those in which a broker could not fetch from its peers.

    Only a follower that fetches returns to an ISR. The broker therefore reaches its peers again by the time that
    each has it back in an ISR, and it has back the followers that it removed. If its process ended meanwhile, others lead
    its partitions and nobody has to fetch from it again.
    """
    faults = list(faults)
    crashes = of_kind(faults, *CRASHES)
    return [
        one.but(ended_high=least(one.ended_high, _all_fetch_again(one, lag_shrinks, crashes)))
        if one.reason == "fetches_failed"
        else one.but(ended_high=least(one.ended_high, _one_end_fetches_again(one, lag_shrinks)))
        if one.kind == "link_cut"
        else one
        for one in faults
    ]


def _one_end_fetches_again(link: Fault, lag_shrinks: Iterable[LagShrink]) -> datetime | None:
    """When one end of a cut link first had the other back in an ISR; None if the logs do not show this."""
    back = (shrink.first_back_ts for shrink in lag_shrinks if _is_between_ends(shrink, link))
    return min((ts for ts in known(back) if less(link.ended_low, ts)), default=None)


def _all_fetch_again(cut: Fault, lag_shrinks: Iterable[LagShrink], crashes: Iterable[Fault]) -> datetime | None:
    """By when all fetches that the fault interrupted work again; None if the logs do not show this for each of them."""
    until = plus_millis(cut.end_ts, AFTERMATH_MS)
    if None in (cut.began_low, until):
        return None
    back: dict[tuple[int, int], list[datetime]] = defaultdict(list)
    for shrink in lag_shrinks:
        if cut.broker_id in (shrink.leader_id, shrink.dropped_id) and cut.began_low <= shrink.ts <= until:
            back[shrink.dropped_id, shrink.leader_id] += known([shrink.first_back_ts])
    peers = map(int, cut.arguments["all_peers"].split(LIST_SEPARATOR))
    needed = {(cut.broker_id, peer) for peer in peers} | back.keys()
    began_anew = any(
        one.broker_id == cut.broker_id and less(cut.began_low, one.ts) and not less(until, one.ts) for one in crashes
    )
    has_followers_back = any(leader == cut.broker_id for _, leader in needed)
    if cut.arguments.get("both_ways") and not has_followers_back and not began_anew:
        return None
    reached_again = [min((ts for ts in back.get(link, ()) if ts > cut.end_ts), default=None) for link in needed]
    return None if None in reached_again else greatest(*reached_again)


def begun_as_followers_fetched(
    faults: Iterable[Fault], lag_shrinks: Sequence[LagShrink], timings: Iterable[NodeTimings]
) -> list[Fault]:
    """The faults; a broker became isolated no earlier than the first of its links had its last fetch.

    The leader at either end of a link logs the time of that fetch when it removes the follower.
    """
    waits = Timings(timings)
    return [one.but(began_low=_began_low(one, lag_shrinks, waits)) if one.kind in _CUT_OFF else one for one in faults]


def _began_low(cut: Fault, lag_shrinks: Iterable[LagShrink], waits: Timings) -> datetime | None:
    peers = {*peers_of(cut), *(cut.peers or ())}
    of_cut = (
        shrink
        for shrink in lag_shrinks
        if cut.broker_id in (shrink.leader_id, shrink.dropped_id)
        and not peers.isdisjoint((shrink.leader_id, shrink.dropped_id))
        and at_most(cut.began_low, shrink.ts)
        and at_most(_timed(shrink, _of_leader(shrink, waits)).began_low, cut.began_high)
    )
    return greatest(cut.began_low, least(*(one.began_low for one in _summed(of_cut, waits) if one.told)))


def _last_fetched(shrink: LagShrink, timing: NodeTimings) -> datetime | None:
    """By when a removed follower would have fetched again."""
    return _would_have_fetched(plus_millis(shrink.ts, -timing.replica_lag_ms), timing)


def _is_between_ends(dropped: Any, link: Fault) -> bool:
    """Whether one end of a cut link removed the other while the cut can explain it."""
    until = plus_millis(link.end_ts, AFTERMATH_MS)
    return (
        {dropped.leader_id, dropped.dropped_id} == {link.broker_id, link.peers[0]}
        and None not in (dropped.ts, link.began_low, until)
        and link.began_low <= dropped.ts <= until
    )


class _Explained:
    """The removals that known faults explain.

    A fault explains removals by its broker and of its broker. An ordered stop explains only the removal of its own
    broker.
    """

    def __init__(self, known_faults: Sequence[Fault], stated: Sequence[Fault], waits: Timings) -> None:
        outages = not_of_kind(known_faults, "link_cut")
        self._at_fault = (
            times_explained(outages, OPEN_MS),
            times_explained(
                of_kind(stated, *REPLICATION_STOPPED),
                aftermath_ms=lambda one: waits.at(one.broker_id, one.ts).replica_lag_ms * 1.5,
            ),
        )
        self._stopped = Times(of_kind(outages, *ORDERED_STOPS), OPEN_MS)

    def holds(self, shrink: LagShrink) -> bool:
        at = (shrink.ts, shrink.last_ts)
        by_fault = any(
            times.hold(node, *at) for times in self._at_fault for node in (shrink.leader_id, *shrink.removed)
        )
        return by_fault or any(self._stopped.hold(node, *at) for node in shrink.removed)


def _as_files_begin(shrink: LagShrink, begun: dict[int, FirstLine], waits: Timings) -> bool:
    """Whether the leader's files begin shortly before, so that an earlier fault may explain its removals."""
    first = begun.get(shrink.leader_id)
    if first is None or shrink.ts is None:
        return False
    until = plus_millis(first.first_ts, _of_leader(shrink, waits).replica_lag_ms * 1.5)
    return until is not None and shrink.ts < until


def _of_leader(shrink: LagShrink, waits: Timings) -> NodeTimings:
    return waits.at(shrink.leader_id, shrink.ts)


def _summed(burst: Iterable[LagShrink], waits: Timings) -> list[Dropped]:
    """The removals of a burst, by leader and follower."""
    of_pair = by_key(
        burst,
        lambda shrink: (shrink.leader_id, shrink.dropped_id),
        lambda shrink: _timed(shrink, _of_leader(shrink, waits)),
    )
    return [_together(each) for each in of_pair.values()]


def _timed(shrink: LagShrink, timing: NodeTimings) -> Dropped:
    """The removals of one second, with the time at which the follower had last caught up: from a line, or bounded by
    `replica.lag.time.max.ms`.
    """
    lag_ms = timing.replica_lag_ms
    caught_up_ts = _caught_up_ts(shrink, lag_ms)
    earliest_ts = plus_millis(shrink.ts, -lag_ms * 1.5 - CHECKED_LATE_MS)
    latest_ts = first_known(caught_up_ts, plus_millis(shrink.ts, -lag_ms))
    return Dropped(
        leader_id=shrink.leader_id,
        dropped_id=shrink.dropped_id,
        drops=shrink.drops,
        left_alone=shrink.left_alone,
        at_once=shrink.left_alone if len(shrink.removed) > 1 else 0,
        ts=shrink.ts,
        last_ts=shrink.last_ts,
        began_low=first_known(plus_millis(caught_up_ts, -timing.fetch_wait_ms), earliest_ts),
        began_high=_would_have_fetched(latest_ts, timing),
        told=caught_up_ts is not None,
        first_back_ts=shrink.first_back_ts,
        back_ts=shrink.back_ts,
        replica_lag_ms=lag_ms,
        names=frozenset(shrink.names),
        lines=tuple((line["ts"], line["event_id"]) for line in shrink.lines),
    )


def _caught_up_ts(shrink: LagShrink, lag_ms: int) -> datetime | None:
    """When the follower had last caught up, by the leader's clock; None if the resulting age is implausible, as when
    that clock was wrong.
    """
    if shrink.caught_up_ms is None or shrink.last_ts is None:
        return None
    age_ms = unix_millis(shrink.last_ts) - shrink.caught_up_ms
    is_plausible = lag_ms - CHECKED_LATE_MS <= age_ms <= lag_ms * 1.5 + 5 * CHECKED_LATE_MS
    return EPOCH + timedelta(milliseconds=shrink.caught_up_ms) if is_plausible else None


def _would_have_fetched(caught_up_ts: datetime | None, timing: NodeTimings) -> datetime | None:
    """By when a follower that had caught up and still runs has fetched again."""
    return plus_millis(caught_up_ts, timing.fetch_wait_ms + FETCHED_WITHIN_MS)


def _together(drops: Sequence[Dropped]) -> Dropped:
    """Merges the removals of one follower by one leader."""
    began_low, began_high = _begin(drops)
    return replace(
        drops[0],
        drops=sum(one.drops for one in drops),
        left_alone=sum(one.left_alone for one in drops),
        at_once=sum(one.at_once for one in drops),
        ts=least(*[one.ts for one in drops]),
        last_ts=greatest(*[one.last_ts for one in drops]),
        began_low=began_low,
        began_high=began_high,
        told=any(one.told for one in drops),
        first_back_ts=least(*[one.first_back_ts for one in drops]),
        back_ts=_last_if_all(one.back_ts for one in drops),
        replica_lag_ms=max(one.replica_lag_ms for one in drops),
        names=frozenset().union(*[one.names for one in drops]),
        lines=tuple(line for one in drops for line in one.lines),
    )


def _begin(drops: Sequence[Dropped]) -> tuple[datetime | None, datetime | None]:
    """The bounds of the time at which the followers had last caught up.

    If no line shows that time, the first removal bounds it: a leader removes a follower of an idle partition only
    after a write.
    """
    stated = [one for one in drops if one.told]
    if stated:
        return greatest(*[one.began_low for one in stated]), greatest(*[one.began_high for one in stated])
    return least(*[one.began_low for one in drops]), least(*[one.began_high for one in drops])


def _last_if_all(times: Iterable[datetime | None]) -> datetime | None:
    """The last of these times; None if one of them is unknown."""
    every = list(times)
    return None if None in every else max(known(every), default=None)


def _blamed_for(burst: Sequence[Dropped]) -> Iterator[Blamed]:
    """The brokers at fault for the removals of one burst."""
    pairs = _pairs(burst)
    yield from (_blamed(end, LAST_LINK, both, peer_id=peer) for (end, peer), both in pairs.items() if end < peer)
    rest = [one for one in burst if (one.leader_id, one.dropped_id) not in pairs]
    isolated = _isolated(rest)
    of_isolated: dict[int, list[Dropped]] = defaultdict(list)
    others = []
    for one in rest:
        if one.leader_id in isolated or one.dropped_id in isolated:
            of_isolated[one.leader_id if one.leader_id in isolated else one.dropped_id].append(one)
        else:
            others.append(one)
    yield from (_blamed(broker, CUT, dropped) for broker, dropped in of_isolated.items())
    yield from _blamed_in_pairs(others)


def _pairs(burst: Sequence[Dropped]) -> dict[tuple[int, int], list[Dropped]]:
    """The removals of two brokers by each other, by both orders of the two, if they remove no other broker, no other
    broker removes them, and one of them is then alone in an ISR. The lines do not show which end is at fault: for
    example, all other replicas had left the ISRs before.
    """
    by_link = {(one.leader_id, one.dropped_id): one for one in burst}
    met: dict[int, set[int]] = defaultdict(set)
    for leader, dropped in by_link:
        met[leader].add(dropped)
        met[dropped].add(leader)
    return {
        (end, peer): [one, by_link[peer, end]]
        for (end, peer), one in by_link.items()
        if (peer, end) in by_link
        and met[end] == {peer}
        and met[peer] == {end}
        and one.left_alone + by_link[peer, end].left_alone
    }


def _isolated(burst: Sequence[Dropped]) -> set[int]:
    """The brokers that remove all others and are removed themselves. If two remove each other, the one that more
    leaders remove.
    """
    left_alone = {one.leader_id for one in burst if one.left_alone}
    centers = left_alone & {one.dropped_id for one in burst}

    def rank(broker: int) -> tuple[int, int, int]:
        droppers = [one for one in burst if one.dropped_id == broker]
        return len(droppers), sum(one.drops for one in droppers), -broker

    def is_worst(broker: int) -> bool:
        neighbours = {one.leader_id for one in burst if one.dropped_id == broker}
        neighbours |= {one.dropped_id for one in burst if one.leader_id == broker}
        return all(rank(broker) > rank(other) for other in centers & neighbours)

    return {broker for broker in centers if is_worst(broker)}


def _blamed_in_pairs(burst: Sequence[Dropped]) -> Iterator[Blamed]:
    """The brokers at fault for removals that involve no isolated broker."""
    droppers = Counter(one.dropped_id for one in burst)
    alone: dict[int, list[Dropped]] = defaultdict(list)
    slow: dict[int, list[Dropped]] = defaultdict(list)
    one_way = {
        (one.leader_id, one.dropped_id): one for one in burst if droppers[one.dropped_id] == 1 and one.left_alone == 0
    }
    for one in burst:
        other_way = one_way.get((one.dropped_id, one.leader_id))
        if _drops_all_of_its_own(one.leader_id, burst, droppers):
            alone[one.leader_id].append(one)
        elif other_way is not None and (one.leader_id, one.dropped_id) in one_way:
            if one.leader_id < one.dropped_id:
                yield _blamed(one.leader_id, LINK, [one, other_way], peer_id=one.dropped_id)
        else:
            slow[one.dropped_id].append(one)
    yield from (_blamed(broker, ALONE, dropped) for broker, dropped in alone.items())
    yield from (_blamed(broker, SLOW, dropped) for broker, dropped in slow.items())


def _drops_all_of_its_own(leader: int, burst: Iterable[Dropped], droppers: Counter[int]) -> bool:
    """Whether a leader that no other leader removes has removed several followers at once that no other leader
    removes.
    """
    own = [one for one in burst if one.leader_id == leader]
    only_its = [one for one in own if droppers[one.dropped_id] == 1]
    return leader not in droppers and len(only_its) > 1 and any(one.at_once for one in own)


def _blamed(
    broker: int,
    pattern: str,
    dropped: Sequence[Dropped],
    peer_id: int | None = None,
) -> Blamed:
    names = frozenset[str]().union(*[one.names for one in dropped])
    return Blamed(broker, pattern, peer_id, tuple(dropped), names, *_begin(dropped))


def _flapping_as_one(blamed: Iterable[Any]) -> Iterator[Blamed]:
    """Merges bursts of one broker and pattern that follow each other closely: the broker is still slow."""
    for flaps in bursts_of(
        blamed,
        by=lambda one: (one.broker_id, one.pattern, one.peer_id),
        gap_ms=lambda one: one.replica_lag_ms * FLAPS_WITHIN,
    ):
        first: Any = flaps[0]
        yield replace(
            first,
            dropped=tuple(one for flap in flaps for one in flap.dropped),
            names=frozenset().union(*[flap.names for flap in flaps]),
        )


def _woken(blamed: Blamed, on_waking: Iterable[LagShrink]) -> list[LagShrink]:
    """The removals that a slow follower made as a leader when it resumed; they show that it had been paused."""
    until = plus_millis(first_known(blamed.back_ts, blamed.last_ts), WAKING_MS + BACK_AT_ONCE_MS)
    if blamed.pattern != SLOW or blamed.ts is None or until is None:
        return []
    return [
        shrink
        for shrink in on_waking
        if shrink.leader_id == blamed.broker_id and shrink.ts is not None and blamed.ts <= shrink.ts <= until
    ]


def _as_fault(blamed: Blamed, woken: list[LagShrink]) -> Fault:
    """The fault. A slow follower had been paused if it removed all its own followers and had them back at once."""
    end_ts = first_known(blamed.back_ts, blamed.last_ts)
    is_slow, is_link = blamed.pattern in (SLOW, UNSEEN), blamed.pattern in (LINK, LAST_LINK)
    return fault(
        _KINDS[blamed.pattern],
        statement(
            _REASONS[blamed.pattern],
            broker=blamed.broker_id,
            peer=blamed.peer_id,
            left_alone=sum(one.left_alone for one in blamed.own),
            dropped_at_once=sum(one.at_once for one in blamed.own),
            drops=sum(one.drops for one in blamed.droppers),
            leaders=len({one.leader_id for one in blamed.droppers}),
            followers=len({one.dropped_id for one in blamed.own}),
            woken=len({name for shrink in woken for name in shrink.names}) if woken else None,
        ),
        broker_id=blamed.broker_id,
        peers=[blamed.peer_id] if is_link else None,
        ts=blamed.ts,
        end_ts=end_ts,
        began_low=blamed.began_low,
        began_high=greatest(blamed.began_low, least(blamed.began_high, blamed.ts)),
        ended_low=blamed.last_ts if is_slow else _still_cut_at(blamed),
        ended_high=blamed.back_ts if is_slow else least(*[one.first_back_ts for one in blamed.dropped]),
        partitions=sorted(blamed.names),
        confidence=0.85 if woken else _CONFIDENCE[blamed.pattern],
        unknowns=_unknowns(blamed.pattern, stood_still=bool(woken)),
        evidence=joined(
            blamed.evidence,
            earliest((line["ts"], line["event_id"]) for shrink in woken for line in shrink.lines),
        ),
    )


def _still_cut_at(blamed: Blamed) -> datetime | None:
    """Until when a broker was certainly cut off: a follower that its leader removes has not fetched since it had caught up,
    but may just have got through again.
    """
    return greatest(*(still_cut_at(one.began_low, one.last_ts) for one in blamed.dropped))


def _unknowns(pattern: str, *, stood_still: bool) -> list[str]:
    if pattern in (LINK, LAST_LINK):
        return []
    if pattern == UNSEEN:
        return ["what_befell_it"]
    if pattern == SLOW:
        return ["why_it_stood_still" if stood_still else "why_it_lagged"]
    return [CUT_OR_STALLED]
