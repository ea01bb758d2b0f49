"""Derives node outages from faults: which functions of a node each fault certainly stops, and within which bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from replay.availability.failed_directories import directory_lines, failed_directories
from replay.availability.reasons import CLOSED, DEAD_LEADER, UNKNOWN
from replay.availability.stops import (
    ARRIVES_MS,
    Stopped,
    fetchers_of_leaders_stopped,
    fetchers_stopped,
    network_stopped,
    stop_lines,
)
from replay.facts.groups import grouped
from replay.facts.lines import detail, detail_number, number_in
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import greatest, known, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.kinds import CRASHES, DISKS, MAYBE_DOWN, ORDERED_STOPS, STOPS_THAT_ENDED, Stops, stopping
from replay.faults.shape import ends_of, peers_of
from replay.tables.availability import NodeOutage
from replay.tables.brokers import NodeTimings, ProcessLife
from replay.tables.clocks import ClockOffset
from replay.tables.faults import Fault
from replay.tables.reading import Fact

GONE = tuple(kind for kind in stopping(Stops.RUNNING) if kind not in ORDERED_STOPS)
FROZEN = tuple(kind for kind in GONE if kind not in CRASHES and kind not in MAYBE_DOWN)
OUT_OF_REACH = ("cut_from_peers", "link_cut")  # isolated from peers: clients may still reach it
SESSION_LOST = ("cut_from_controllers", "cut_from_zookeeper")  # also isolated from peers if its own fetches failed
_DISTINGUISHED = (*GONE, *ORDERED_STOPS, *OUT_OF_REACH, *SESSION_LOST, *DISKS)
IMPAIRED = tuple(
    kind
    for kind in stopping(Stops.FETCHING | Stops.SERVING)
    if kind not in _DISTINGUISHED
    and kind != "clock_stepped"  # replication uses timers that do not depend on the wall clock
)
SILENT_CUT_MS = 1_500  # a fetch fails replica.socket.timeout.ms after a silent cut of its link, plus or minus this
FETCH_REFUSED = "fetch_request_error"
FETCH_FAILED = ("fetch_send_error", FETCH_REFUSED)
CANCELLED = "node_inflight_cancelled"
SOCKET_SERVER_STEP = "socket_server_step"
_LETS_IN = re.compile(
    r"Enabling request processing|Start(?:ing|ed) (?:socket server acceptors and |data-plane )?processors"
)
_OF_CONTROLLER = "listenerType=CONTROLLER"
_SERVE, _FETCH = stopping(Stops.SERVING), stopping(Stops.FETCHING)
# The node lost its session while it ran, or may have: one without ZooKeeper does not learn that its session ended.
_RUNS_ON = (*(kind for kind in stopping(Stops.SESSION) if kind not in (*GONE, *ORDERED_STOPS)), "zookeeper_lost")
# The error of a whole fetch response. Unknown fetch sessions are not included: after INVALID_FETCH_SESSION_EPOCH or
# FETCH_SESSION_ID_NOT_FOUND, a fetcher starts a new session at once.
_WHOLE_RESPONSE = "FetchSessionTopicIdException"
_REQUESTED = re.compile(r"[{ ]([A-Za-z0-9._-]+-\d+)=PartitionData\(")
_FETCHER = r"\[ReplicaFetcher replicaId=\d+, leaderId=(\d+)"


def node_outages(
    facts: Sequence[Fact],
    faults: Iterable[Fault],
    processes: Iterable[ProcessLife],
    timings: Sequence[NodeTimings],
    clock_offsets: Sequence[ClockOffset],
) -> list[NodeOutage]:
    """The functions of a node that each fault stopped.

    A fault may have several rows: what it stops, and that its node may have continued to lead. If a clock was
    corrected, the remaining uncertainty reduces the certain time.
    """
    stops = _stops_done(processes)
    failed, of_directories, cancelled = _failed_fetches(facts), directory_lines(facts), _cancelled(facts)
    waits, ends = _longest_socket_timeouts(timings), stop_lines(facts)
    of_faults = (
        chain(
            _by_kind(one),
            _without_disk(one, of_directories.get(one.broker_id, ())) if one.kind in DISKS else (),
            _stopped(one, stops, ends.get(one.broker_id, ())),
            _without_session(one),
            _out_of_reach_with_session(one, failed.get(one.broker_id, []), waits.get(one.broker_id)),
            _unheard_by_peers(one, cancelled),
        )
        for one in faults
        if one.broker_id is not None
    )
    lets_in = _clients_let_in(facts)
    lasting = [_until_it_serves(outage, lets_in) for outage in chain.from_iterable(of_faults)]
    corrected = [one for one in clock_offsets if one.correction_ms and one.offset_low_ms is not None]
    of_fetchers = (rule(facts, Timings(timings)) for rule in (_fetches_unanswered, _fetches_refused))
    return [_as_sure_as_clocks(outage, corrected) for outage in (*lasting, *chain.from_iterable(of_fetchers))]


def _as_sure_as_clocks(outage: NodeOutage, corrected: Sequence[ClockOffset]) -> NodeOutage:
    """An outage whose bounds allow for the uncertainty of the clocks: certainly down for less time, possibly for more."""
    unsure_ms = {ts: _unsure_ms(ts, corrected) for ts in (outage.low_ts, outage.from_ts, outage.to_ts, outage.back_ts)}
    if not any(unsure_ms.values()):
        return outage
    return outage.but(
        low_ts=plus_millis(outage.low_ts, -unsure_ms[outage.low_ts]),
        from_ts=plus_millis(outage.from_ts, unsure_ms[outage.from_ts]),
        to_ts=plus_millis(outage.to_ts, -unsure_ms[outage.to_ts]),
        back_ts=plus_millis(outage.back_ts, unsure_ms[outage.back_ts]),
    )


def _unsure_ms(ts: datetime | None, corrected: Iterable[ClockOffset]) -> float:
    """The possible error of corrected timestamps at a time: half the distance between the bounds of the correction."""
    return max(
        (
            ((one.offset_high_ms or 0.0) - (one.offset_low_ms or 0.0)) / 2
            for one in corrected
            if one.offset_high_ms is not None
            and at_most(one.start_ts, ts)
            and (one.end_ts is None or at_most(ts, one.end_ts))
        ),
        default=0.0,
    )


@reads(SOCKET_SERVER_STEP)
def _clients_let_in(facts: Iterable[Fact]) -> dict[int, list[datetime]]:
    """By node, when a started process began to answer clients, which is the last step of a start.

    A KRaft broker takes this step when it is unfenced, long after it has logged which partitions it leads.
    """
    steps = (
        fact
        for fact in facts
        if fact.kind == SOCKET_SERVER_STEP
        and fact.ts is not None
        and _LETS_IN.search(fact.message or "")
        and _OF_CONTROLLER not in (fact.message or "")
    )
    return {node: sorted(known(fact.ts for fact in own)) for node, own in grouped(steps, lambda f: f.node_id).items()}


def _until_it_serves(outage: NodeOutage, lets_in: dict[int, list[datetime]]) -> NodeOutage:
    """The outage. A dead process serves clients again when the next process accepts them."""
    steps = lets_in.get(outage.node_id, ()) if outage.must_start and outage.as_leader == DEAD_LEADER else ()
    return outage.but(serves_ts=next((ts for ts in steps if at_most(outage.to_ts, ts)), None))


def _outage(fault: Fault, **given: Any) -> NodeOutage:
    """A row of `NODE_OUTAGES` with the bounds of a fault; `given` overrides them."""
    bounds: dict[str, Any] = {
        "fault_id": fault.fault_id,
        "node_id": fault.broker_id,
        "is_cut": False,
        "may_lead_on": False,
        "must_start": False,
        "low_ts": fault.began_low,
        "from_ts": fault.began_high,
        "to_ts": fault.ended_low if _has_ended(fault) else None,
        "back_ts": fault.ended_high,
        "evidence": fault.evidence,
    }
    return NodeOutage(**(bounds | given))


def _has_ended(fault: Fault) -> bool:
    return fault.ended_high is not None or fault.end_ts is not None


def _by_kind(fault: Fault) -> Iterator[NodeOutage]:
    """The functions that a fault stops, by its kind; those of a cut link at each of its ends."""
    for kinds, rule in _RULES:
        if fault.kind in kinds:
            for node in ends_of(fault):
                others = [end for end in ends_of(fault) if end != node] or fault.peers
                yield rule(fault.but(broker_id=node, peers=others))


def _dead(fault: Fault) -> NodeOutage:
    """The outage of a dead process, which serves no clients until it has restarted and taken up its partitions."""
    return _outage(fault, as_leader=DEAD_LEADER, leads=CLOSED, follows=CLOSED, must_start=True)


def _frozen(fault: Fault) -> NodeOutage:
    return _outage(fault, as_leader="leader_frozen", leads=CLOSED, follows=CLOSED)


def _silent(fault: Fault) -> NodeOutage:
    """The outage of a silent node, which may be dead, frozen, or isolated and still serving the clients that it
    reaches.
    """
    return _outage(fault, as_leader="leader_silent", leads=UNKNOWN, follows=UNKNOWN, may_lead_on=True)


def _out_of_reach(fault: Fault) -> NodeOutage:
    """The outage of a node that is isolated from peers.

    Its partitions' acks=all waits for those peers; their partitions' acks=all waits for it as a follower.
    """
    from_peers = fault.kind == "cut_from_peers"
    return _outage(
        fault,
        peers=fault.peers or None,
        as_leader="leader_cut_off" if from_peers else None,
        leads=UNKNOWN if from_peers else None,
        follows=CLOSED,
        is_cut=True,
    )


def _without_disk(fault: Fault, lines: Iterable[Fact]) -> Iterator[NodeOutage]:
    """The outages of failed log directories: the partitions of each are certainly offline when the broker's line names
    them.

    A disk may hang before it fails. A full disk rejects the first write immediately; all writes before that
    succeeded. Only the next process serves the directory again.
    """
    is_full, hung_ms = fault.kind == "disk_full", millis(fault.began_low, fault.began_high)
    for failed in failed_directories(fault, lines):
        state = CLOSED if failed.partitions else UNKNOWN
        yield _outage(
            fault,
            partitions=failed.partitions or None,
            as_leader="disk_full" if is_full else "log_dir_offline",
            leads=state,
            follows=state,
            must_start=True,
            low_ts=failed.error_ts if is_full else plus_millis(failed.error_ts, hung_ms),
            from_ts=failed.stopped_ts,
            to_ts=fault.end_ts,
        )


def _impaired(fault: Fault) -> NodeOutage:
    """The outage of a node that a fault may or may not stop: nothing is certain."""
    serves, fetches = fault.kind in _SERVE, fault.kind in _FETCH
    return _outage(
        fault,
        peers=fault.peers or None,
        partitions=fault.partitions or None,
        as_leader="leader_impaired" if serves else None,
        leads=UNKNOWN if serves else None,
        follows=UNKNOWN if fetches else None,
    )


_RULES: tuple[tuple[tuple[str, ...], Callable[[Fault], NodeOutage]], ...] = (
    (CRASHES, _dead),
    (FROZEN, _frozen),
    (MAYBE_DOWN, _silent),
    (OUT_OF_REACH, _out_of_reach),
    (IMPAIRED, _impaired),
)


def _stops_done(processes: Iterable[ProcessLife]) -> dict[tuple[int, datetime | None], list[ProcessLife]]:
    """The processes that completed their shutdown, by node and start of the shutdown."""
    done = (life for life in processes if life.stopped_event is not None and life.stop_ts is not None)
    return grouped(done, lambda life: (life.node_id, life.stop_ts))


def _stopped(
    fault: Fault, stops: dict[tuple[int, datetime | None], list[ProcessLife]], ends: Sequence[Fact]
) -> Iterator[NodeOutage]:
    """The outages of an ordered stop. The node first moves its partitions away; it serves those that remain until it
    stops its network, and fetches until it stops its fetchers. Without lines about these, it may do both until its last
    line.
    """
    for life in stops.get((fault.broker_id, fault.ts), []) if fault.kind in STOPS_THAT_ENDED else []:
        network, fetchers = network_stopped(life, ends), fetchers_stopped(life, ends)
        yield _after(fault, life, network, as_leader=DEAD_LEADER, leads=CLOSED)
        yield _after(fault, life, fetchers, as_leader=DEAD_LEADER, follows=CLOSED)
        for of_leader in fetchers_of_leaders_stopped(life, ends, fetchers.from_ts):
            yield _after(fault, life, of_leader, peers=of_leader.peers, follows=CLOSED)


def _after(fault: Fault, life: ProcessLife, stopped: Stopped, **given: Any) -> NodeOutage:
    """The outage of one function of a process, from when the stop ended it to the next start."""
    return _outage(
        fault,
        must_start=True,
        low_ts=stopped.low_ts,
        from_ts=stopped.from_ts,
        to_ts=life.next_start_ts,
        back_ts=life.next_start_ts,
        evidence=[*(fault.evidence or ()), *stopped.evidence],
        **given,
    )


def _without_session(fault: Fault) -> Iterator[NodeOutage]:
    """The outage of a running node that lost its session, or may have: clients that still know it as the leader may write
    to it.
    """
    if fault.kind in _RUNS_ON:
        yield _outage(fault, may_lead_on=True)


def _out_of_reach_with_session(fault: Fault, failed: Iterable[Fact], socket_ms: int | None) -> Iterator[NodeOutage]:
    """The outage of a node that lost its session in a cut that also separated it from its peers.

    A fetch that is in flight when a link is silently cut fails `replica.socket.timeout.ms` later. If fetches failed
    at that time, they were in flight when the session's link was cut, so one cut broke both.
    """
    if fault.kind not in SESSION_LOST or socket_ms is None:
        return
    low, high = plus_millis(fault.began_low, -SILENT_CUT_MS), plus_millis(fault.began_high, SILENT_CUT_MS)
    of_this_cut = [
        fact
        for fact in failed
        if at_most(low, plus_millis(fact.ts, -socket_ms)) and at_most(plus_millis(fact.ts, -socket_ms), high)
    ]
    if of_this_cut:
        until = greatest(*[fact.ts for fact in of_this_cut])
        yield _outage(
            fault,
            peers=sorted({peer for fact in of_this_cut if (peer := _fetched_from(fact)) is not None}),
            as_leader="leader_cut_off",
            leads=UNKNOWN,
            follows=CLOSED,
            is_cut=True,
            may_lead_on=True,
            to_ts=greatest(fault.ended_low, until) if _has_ended(fault) else None,
            back_ts=greatest(fault.ended_high, until) if _has_ended(fault) else None,
        )


def _unheard_by_peers(fault: Fault, cancelled: Mapping[str, datetime]) -> Iterator[NodeOutage]:
    """The outage of a silent node that left fetches of its peers without an answer: dead, frozen or cut off, it did not
    fetch from them either, until its session ended and they gave up these fetches (`cancelled`, by line).
    """
    peers = peers_of(fault) if fault.kind in MAYBE_DOWN and "all_unanswered" in (fault.arguments or {}) else []
    if peers:
        given_up = (cancelled[line] for line in fault.evidence or () if line in cancelled)
        until_ts = greatest(fault.ended_low, *(ts for ts in given_up if at_most(ts, fault.ended_high)))
        yield _outage(fault, peers=peers, follows=CLOSED, is_cut=True, to_ts=until_ts if _has_ended(fault) else None)


@reads(CANCELLED)
def _cancelled(facts: Iterable[Fact]) -> dict[str, datetime]:
    """When nodes gave up their requests in flight, by line."""
    return {fact.event_id: fact.ts for fact in facts if fact.kind == CANCELLED and fact.ts is not None}


def _longest_socket_timeouts(timings: Iterable[NodeTimings]) -> dict[int, int | None]:
    """Each node's longest `replica.socket.timeout.ms`."""
    of_nodes = grouped(timings, lambda row: row.node_id)
    return {node: max(known(row.replica_socket_ms for row in own), default=None) for node, own in of_nodes.items()}


def _fetched_from(fact: Fact) -> int | None:
    """The leader in the prefix of a fetcher's line."""
    return number_in(fact.message, _FETCHER)


@reads(*FETCH_FAILED)
def _failed_fetches(facts: Iterable[Fact]) -> dict[int, list[Fact]]:
    """By node: a follower's fetches that no leader answered."""
    failed = (
        fact
        for fact in facts
        if fact.kind in FETCH_FAILED and _fetched_from(fact) is not None and not _is_answered(fact)
    )
    return grouped(failed, lambda fact: fact.node_id)


def _is_answered(fact: Fact) -> bool:
    return _WHOLE_RESPONSE in (detail(fact, "exception") or "")


@reads(FETCH_REFUSED)
def _fetches_refused(facts: Iterable[Fact], waits: Timings) -> Iterator[NodeOutage]:
    """The outages of fetchers whose whole response was an error: they wait `replica.fetch.backoff.ms` before they
    fetch any of its partitions again (`AbstractFetcherThread.processFetchRequest`).

    The leader may have held the fetch, and may hold the next one, for `replica.fetch.wait.max.ms`. Only the next
    fetch shows the leader how far the follower's log has grown.
    """
    for fact in facts:
        leader = _fetched_from(fact) if fact.kind == FETCH_REFUSED and _is_answered(fact) else None
        partitions = _REQUESTED.findall(fact.message or "")
        if leader is None or not partitions:
            continue
        wait = waits.at(fact.node_id, fact.ts)
        again_ts = plus_millis(fact.ts, wait.fetch_backoff_ms)
        yield NodeOutage(
            node_id=fact.node_id,
            peers=[leader],
            partitions=sorted(partitions),
            follows=CLOSED,
            is_cut=False,
            may_lead_on=False,
            must_start=False,
            low_ts=plus_millis(fact.ts, -wait.fetch_wait_ms),
            from_ts=fact.ts,
            to_ts=again_ts,
            back_ts=plus_millis(again_ts, wait.fetch_wait_ms),
            evidence=[fact.event_id],
        )


@reads(CANCELLED)
def _fetches_unanswered(facts: Iterable[Fact], waits: Timings) -> Iterator[NodeOutage]:
    """The outages of fetchers whose fetch got no response for as long as its line says.

    A fetcher has one request in flight, so the follower fetched nothing from that leader until it abandoned the
    request. A leader without new records responds after `replica.fetch.wait.max.ms`; until then a missing response
    proves nothing.
    """
    for fact in facts:
        leader = _fetched_from(fact) if fact.kind == CANCELLED and detail(fact, "api_key") == "FETCH" else None
        elapsed_ms = detail_number(fact, "time_elapsed_since_create_ms")
        if leader is None or elapsed_ms is None:
            continue
        sent_ts = plus_millis(fact.ts, -elapsed_ms)
        due_ts = plus_millis(sent_ts, waits.at(fact.node_id, fact.ts).fetch_wait_ms + ARRIVES_MS)
        if not less(due_ts, fact.ts):
            continue
        yield NodeOutage(
            node_id=fact.node_id,
            peers=[leader],
            follows=CLOSED,
            is_cut=False,
            may_lead_on=False,
            must_start=False,
            low_ts=sent_ts,
            from_ts=due_ts,
            to_ts=fact.ts,
            back_ts=fact.ts,
            evidence=[fact.event_id],
        )
