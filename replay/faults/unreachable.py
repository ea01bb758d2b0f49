"""Running brokers that could not reach the controllers (F06) or ZooKeeper (F07), or were fenced without a reason in
their own log (F12).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from replay.facts.evidence import earliest, joined, of_each, of_rows
from replay.facts.lines import detail, detail_number, number_in, whole_number
from replay.facts.lives import STARTS
from replay.facts.order import less
from replay.facts.reads import reads
from replay.facts.sessions import lines_of_end
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, known, least, millis, plus_millis
from replay.facts.timings import Timings
from replay.facts.zookeeper_sessions import ZookeeperSession, kept_beside, zookeeper_sessions
from replay.faults.admission import LEAST_REFUSED, is_refused
from replay.faults.fetch_links import GRANULARITY_MS, still_cut_at
from replay.faults.last_contact import Contact
from replay.faults.last_heartbeats import Bounds
from replay.faults.shape import begun_in_mid_flow, by_time, fault, of_kind
from replay.sentences.statement import statement
from replay.tables.brokers import BrokerSession, NodeTimings
from replay.tables.faults import Fault, FirstLine, Pause
from replay.tables.reading import Fact

RECONNECTED_MS = 3_000  # a client of a healthy ensemble reconnects in 1 to 2 s
WOKE_MS = 3_000  # a session that ends this soon after a pause ended because of it
# A broker that cannot reach its controllers still logs this for so long after its session ended,
ERRORS_AFTER_MS = 60_000
PEERS_AFTER_MS = 40_000  # and its fetches fail within a replica.socket.timeout.ms
SENT_BEFORE_MS = (
    30_000  # replica.socket.timeout.ms, and request.timeout.ms: a request fails this long after it was sent
)
MARGIN_MS = 500
_TIMED_OUT = re.compile(r"(?i)timeout|timed out|within \d+ ms")
ZOOKEEPER_LOST = ("zk_client_disconnected", "zk_client_timeout")
ZOOKEEPER_FOUND = ("zk_session_connected", *STARTS)  # these end a time without ZooKeeper
_EXPIRED = "zk_session_expired"
_HEARTBEAT = "broker_heartbeat_failed"
_CHANNEL_ERRORS = ("node_connect_error", "node_connect_failed", "node_inflight_cancelled", "node_request_timeout")
_NO_CONNECTION = ("node_connect_error", "node_connect_failed")  # a node that is only slow still accepts connections
_FETCH_ERRORS = ("fetch_send_error", "node_connect_error", "node_connect_failed", "node_request_timeout")


@dataclass(frozen=True)
class OwnError:
    """An error in which a broker names what it cannot reach: `zookeeper`, `controllers` or `peers`.

    `refused`: the controllers refuse its registration. `no_connection`: it could not connect at all. `timed_out`: it had
    waited for a whole timeout.
    """

    ts: datetime
    event_id: str
    out_of_reach: str
    elapsed_ms: int | None
    peer: int | None
    no_connection: bool = False
    timed_out: bool = False

    @property
    def clause(self) -> tuple[object, ...]:
        """The part of the error that the statement about the fault shows."""
        return self.out_of_reach, self.peer, self.out_of_reach == "controllers" and self.no_connection

    @property
    def is_of_session(self) -> bool:
        return self.out_of_reach not in ("peers", "refused")


@dataclass(frozen=True)
class ErrorsAround:
    """A broker's own errors around the end of its session."""

    first_error: OwnError | None
    no_zookeeper: bool
    no_controllers: bool
    no_connection: bool
    refusals: int
    failed_peers: list[int]
    evidence: list[str]

    @property
    def names_cause(self) -> bool:
        return self.no_zookeeper or self.no_controllers

    @property
    def was_refused(self) -> bool:
        """Whether the controllers answered and refused the broker (see `heartbeats_refused`)."""
        return self.refusals >= LEAST_REFUSED and not self.names_cause


def sessions_lost_alive(
    facts: Sequence[Fact],
    first_lines: Iterable[FirstLine],
    recorded_sessions: Sequence[BrokerSession],
    pauses: Iterable[Pause],
    timings: Iterable[NodeTimings],
) -> list[Fault]:
    """F06, F07, F12: a session that timed out while its broker still ran.

    The broker's lines show what it could not reach: ZooKeeper (F07) or the controllers (F06). Failed fetches show
    that it was isolated from those peers too. Without such lines, the controllers fenced a healthy broker (F12); if
    the broker's files begin only then, the cause is unknown and there is no fault. A broker that is not back by the
    end of the logs has an open fault.
    """
    waits, errors, begun = Timings(timings), _own_errors(facts), begun_in_mid_flow(first_lines)
    with_zookeeper, contact = zookeeper_sessions(facts), Contact.of(facts)
    found = []
    for lost in _awake([one for one in recorded_sessions if one.ended_by == "session_timeout"], pauses):
        timing = waits.at(lost.broker_id, lost.end_ts)
        back_ts = _back(lost, recorded_sessions)
        around = _errors_around(lost, errors.get(lost.broker_id, []), timing, back_ts)
        if not around.names_cause:
            back_ts = _electable(lost, recorded_sessions)  # it was fenced until then
        if around.was_refused or (not around.names_cause and _as_files_begin(lost, begun, timing)):
            continue
        expired = _expired(lost, with_zookeeper)
        kept = kept_beside(expired, with_zookeeper, timing.zookeeper_session_ms) if expired is not None else []
        cut = _cut(lost, around, timing, back_ts, contact)
        unanswered = contact.unanswered(lost, timing) if around.names_cause else {}
        found.append(_session_lost(lost, around, cut, expired, kept, unanswered))
    return found


@dataclass(frozen=True)
class CutOff:
    """The bounds of the start and the end of a broker's isolation, and the lines that set them."""

    began: Bounds
    ended: Bounds
    fetches: Sequence[str]
    evidence: Sequence[str | None] = ()


def _cut(
    lost: BrokerSession, around: ErrorsAround, timing: NodeTimings, back_ts: datetime | None, contact: Contact
) -> CutOff:
    began, evidence = _bounds_of_cut(lost, around, timing), list[str]()
    if around.no_controllers and not around.no_zookeeper:
        began, evidence = contact.began(lost, began, timing)
    began, fetches = contact.with_peers(lost, began, timing)
    if around.no_zookeeper:
        failed_ts, found_ts = contact.without_zookeeper(lost, back_ts)
        return CutOff(began, (greatest(_cut_until(lost, began), failed_ts), first_known(found_ts, back_ts)), fetches)
    if not around.no_controllers:
        return CutOff(began, (lost.end_ts, back_ts), fetches)
    failed_ts, failed_event = contact.unconnected(lost, back_ts)
    ended = greatest(_cut_until(lost, began), failed_ts), back_ts
    return CutOff(began, ended, fetches, [*evidence, failed_event])


def _cut_until(lost: BrokerSession, began: Bounds) -> datetime | None:
    """Until when a broker was certainly cut off: its session ended because nothing arrived before that, not because of the
    cut at that time.
    """
    return greatest(still_cut_at(began[0], lost.end_ts), began[0])


def _expired(lost: BrokerSession, with_zookeeper: Iterable[ZookeeperSession]) -> Fact | None:
    """The line in ZooKeeper's own log that shows the end of this session."""
    near = [
        one.expired for one in with_zookeeper if one.node_id == lost.broker_id and one.expired is not None and one.alone
    ]
    return next((line for line in near if abs(millis(line.ts, lost.end_ts) or 0) <= CLOCKS_DIFFER_MS), None)


def _awake(lost: Iterable[BrokerSession], pauses: Iterable[Pause]) -> Iterator[BrokerSession]:
    """The sessions that ended while their broker was not paused."""
    asleep: dict[int, list[tuple[datetime, datetime]]] = {}
    for pause in pauses:
        woke_until = plus_millis(pause.end_ts, WOKE_MS)
        if pause.began_low is not None and woke_until is not None:
            asleep.setdefault(pause.broker_id, []).append((pause.began_low, woke_until))
    for one in lost:
        if not any(began <= one.end_ts <= until for began, until in asleep.get(one.broker_id, ())):
            yield one


@reads(_HEARTBEAT, _EXPIRED, *ZOOKEEPER_LOST, *_CHANNEL_ERRORS, *_FETCH_ERRORS)
def _own_errors(facts: Iterable[Fact]) -> dict[int | None, list[OwnError]]:
    """By node, in time order: the errors of brokers about what they cannot reach."""
    found: dict[int | None, list[OwnError]] = {}
    for fact in facts:
        error = _own_error(fact)
        if error is not None:
            found.setdefault(fact.node_id, []).append(error)
    for errors in found.values():
        errors.sort(key=lambda error: (error.ts, error.event_id))
    return found


def _own_error(fact: Fact) -> OwnError | None:
    message = fact.message or ""
    # The loss of its followers proves nothing: a fenced broker loses them to the new leaders.
    is_fetch = fact.kind in _FETCH_ERRORS and "ReplicaFetcher" in message
    if fact.ts is None:
        return None
    if fact.kind in (*ZOOKEEPER_LOST, _EXPIRED):
        out_of_reach = "zookeeper"
    elif fact.kind == _HEARTBEAT and is_refused(fact):
        out_of_reach = "refused"
    elif fact.kind == _HEARTBEAT or (fact.kind in _CHANNEL_ERRORS and "name=heartbeat" in message):
        out_of_reach = "controllers"
    elif is_fetch:
        out_of_reach = "peers"
    else:
        return None
    elapsed = first_known(detail(fact, "elapsed_ms"), detail(fact, "time_elapsed_since_create_ms"))
    peer = number_in(message, r"leaderId=(\d+)") if is_fetch else None
    no_connection = fact.kind in _NO_CONNECTION
    return OwnError(
        fact.ts,
        fact.event_id,
        out_of_reach,
        whole_number(elapsed),
        peer,
        no_connection,
        fact.kind == "node_request_timeout" or _TIMED_OUT.search(f"{message} {detail(fact, 'exception')}") is not None,
    )


def _errors_around(
    lost: BrokerSession, errors: list[OwnError], timing: NodeTimings, back_ts: datetime | None
) -> ErrorsAround:
    """The broker's own errors around the end of its session. What fails once it is back follows from something else, except a
    request that it had sent before.
    """
    session_ms = max(timing.broker_session_ms, timing.zookeeper_session_ms)
    low, high = plus_millis(lost.end_ts, -session_ms * 1.5), plus_millis(lost.end_ts, ERRORS_AFTER_MS)
    begin = bisect_left(errors, low, key=lambda error: error.ts)
    end = bisect_right(errors, high, key=lambda error: error.ts)
    near = [error for error in errors[begin:end] if _had_begun(error, back_ts)]
    soon_until = plus_millis(lost.end_ts, PEERS_AFTER_MS)
    assert soon_until is not None
    return ErrorsAround(
        first_error=next((error for error in near if error.is_of_session), None),
        no_zookeeper=any(error.out_of_reach == "zookeeper" for error in near),
        no_controllers=any(error.out_of_reach == "controllers" for error in near),
        no_connection=any(error.out_of_reach == "controllers" and error.no_connection for error in near),
        refusals=sum(error.out_of_reach == "refused" for error in near),
        failed_peers=sorted({error.peer for error in near if error.peer is not None and error.ts < soon_until}),
        evidence=of_each((error.clause, error.ts, error.event_id) for error in near),
    )


def _had_begun(error: OwnError, back_ts: datetime | None) -> bool:
    """Whether what failed had begun before the broker was back."""
    waited_ms = SENT_BEFORE_MS if error.timed_out else error.elapsed_ms or 0
    return not less(plus_millis(back_ts, waited_ms + CLOCKS_DIFFER_MS), error.ts)


def _as_files_begin(lost: BrokerSession, begun: dict[int, FirstLine], timing: NodeTimings) -> bool:
    first = begun.get(lost.broker_id)
    until = plus_millis(first.first_ts, timing.replica_lag_ms * 1.5) if first is not None else None
    return until is not None and lost.end_ts < until


def _back(lost: BrokerSession, sessions: Iterable[BrokerSession]) -> datetime | None:
    """When the broker was in contact again: with the registration of its next session, which precedes its unfencing."""
    own = (one for one in sessions if one.broker_id == lost.broker_id)
    return min((ts for one in own for ts in known([one.start_ts, one.live_ts]) if ts > lost.end_ts), default=None)


def _electable(lost: BrokerSession, sessions: Iterable[BrokerSession]) -> datetime | None:
    """When the controller could elect the broker again."""
    own = (one.member_ts for one in sessions if one.broker_id == lost.broker_id)
    return min((ts for ts in known(own) if ts > lost.end_ts), default=None)


def _session_lost(
    lost: BrokerSession,
    around: ErrorsAround,
    cut: CutOff,
    expired: Fact | None,
    kept: list[int],
    unanswered: Mapping[int, str],
) -> Fault:
    kind = "cut_from_controllers" if around.no_controllers else "fenced_alive"
    kind = "cut_from_zookeeper" if around.no_zookeeper else kind
    first_ts = around.first_error.ts if around.first_error is not None else None
    others = sorted(unanswered.keys() - set(around.failed_peers))
    return fault(
        kind,
        statement(
            "session_timed_out_alive",
            node=lost.broker_id,
            at_session_end=lost.end_ts,
            zookeeper=around.no_zookeeper,
            controllers=around.no_controllers and not around.no_zookeeper,
            unconnected=around.no_connection and not around.no_zookeeper,
            nothing=not around.names_cause,
            all_peers=around.failed_peers or None,
            all_unanswered=others or None,
            at_expired=expired and expired.ts,
            all_kept=kept or None,
        ),
        broker_id=lost.broker_id,
        ts=least(first_ts, lost.end_ts),
        began_low=cut.began[0],
        began_high=greatest(*cut.began),
        end_ts=cut.ended[1],
        ended_low=cut.ended[0],
        confidence=0.9 if around.names_cause else 0.6,
        unknowns=[] if around.names_cause else ["why_heartbeats_failed"],
        evidence=joined(
            [expired.event_id] if expired is not None else None,
            cut.evidence,
            lines_of_end(lost),
            cut.fetches,
            around.evidence,
            [unanswered[peer] for peer in others],
        ),
    )


def _bounds_of_cut(lost: BrokerSession, around: ErrorsAround, timing: NodeTimings) -> Bounds:
    """The bounds of the time at which the connection was lost: after the last response, and before the next message
    that got none.

    A ZooKeeper client pings its server after every third of the session timeout. A broker sends a heartbeat every
    `broker.heartbeat.interval.ms`; the controllers fence it one session timeout after the last one, and it abandons
    a request after half of that.
    """
    first = around.first_error.ts if around.first_error is not None else lost.end_ts
    elapsed_ms = around.first_error.elapsed_ms if around.first_error is not None else None
    if around.no_zookeeper:
        session_ms = timing.zookeeper_session_ms
        answered = plus_millis(first, -session_ms - MARGIN_MS if elapsed_ms is None else -elapsed_ms - GRANULARITY_MS)
        return answered, least(plus_millis(answered, session_ms / 3 + MARGIN_MS), first)
    request_low = plus_millis(lost.end_ts, -timing.broker_session_ms - MARGIN_MS)
    sent_low = plus_millis(first, -(elapsed_ms or 0) - timing.heartbeat_ms - MARGIN_MS)
    return least(request_low, sent_low), least(plus_millis(request_low, timing.heartbeat_ms + 2 * MARGIN_MS), first)


@dataclass(frozen=True)
class WithoutZookeeper:
    """A time in which a node's ZooKeeper client had no server; `found`: the line that shows its end."""

    node_id: int
    ts: datetime
    end_ts: datetime
    found: Fact | None
    elapsed_ms: int | None
    expired: bool
    evidence: list[str]


def zookeeper_lost(facts: Sequence[Fact]) -> list[Fault]:
    """F07: a broker that lost ZooKeeper for a while.

    A lost session shows a broker that the controller missed. These lines also show the case in which all brokers
    lost ZooKeeper, so that there was no controller, and the case in which the broker reconnected in time. If several
    brokers lose ZooKeeper at once, the ensemble or the network to it is the likely cause (facts §5, F07).
    """
    times = sorted(_times_without_zookeeper(facts), key=lambda time: (time.ts, time.node_id))
    return [_without_zookeeper(time, others) for time, others in zip(times, _others_at_once(times), strict=True)]


def _without_zookeeper(time: WithoutZookeeper, others: set[int]) -> Fault:
    return fault(
        "zookeeper_lost",
        statement(
            "without_zookeeper",
            node=time.node_id,
            at_from=time.ts,
            at_to=time.end_ts,
            open=time.found is None,
            closed=time.found is not None,
            expired=time.expired,
            in_time=not time.expired and time.found is not None,
            all_others=sorted(others) or None,
        ),
        broker_id=time.node_id,
        ts=time.ts,
        began_low=plus_millis(time.ts, -(time.elapsed_ms or 0)),
        end_ts=time.end_ts,
        confidence=0.9,
        evidence=time.evidence,
    )


@reads(*ZOOKEEPER_LOST, *ZOOKEEPER_FOUND, _EXPIRED)
def _times_without_zookeeper(facts: Iterable[Fact]) -> Iterator[WithoutZookeeper]:
    reports = [fact for fact in facts if fact.node_id is not None and _reports_zookeeper(fact)]
    for node, own in groupby(
        sorted(reports, key=lambda fact: (fact.node_id, by_time(fact))), key=lambda fact: fact.node_id
    ):
        lines: list[Fact] = []
        for fact in own:
            if fact.kind not in ZOOKEEPER_FOUND:
                lines.append(fact)
                continue
            yield from _time_without_zookeeper(node, lines, fact)
            lines = []
        yield from _time_without_zookeeper(node, lines, None)


def _reports_zookeeper(fact: Fact) -> bool:
    if fact.kind in ZOOKEEPER_LOST:
        return detail(fact, "session_id") != "0x0"  # such a client has not connected yet
    return fact.kind in ZOOKEEPER_FOUND or fact.kind == _EXPIRED


def _time_without_zookeeper(node: int, lines: list[Fact], found: Fact | None) -> Iterator[WithoutZookeeper]:
    """The time of these lines, if it was longer than a normal reconnect and ended with a reconnect or not at all."""
    lost = [line for line in lines if line.kind in ZOOKEEPER_LOST and line.ts is not None]
    if not lost or (found is not None and found.kind != "zk_session_connected"):
        return
    end_ts = first_known(found.ts if found is not None else None, max(known(line.last_ts for line in lines)))
    lasted_ms = millis(end_ts, lost[0].ts)
    if end_ts is not None and lasted_ms is not None and lasted_ms >= RECONNECTED_MS:
        yield WithoutZookeeper(
            node_id=node,
            ts=lost[0].ts,
            end_ts=end_ts,
            found=found,
            elapsed_ms=detail_number(lost[0], "elapsed_ms"),
            expired=any(line.kind == _EXPIRED for line in lines),
            evidence=earliest((line.ts, line.event_id) for line in lines),
        )


def _others_at_once(times: Sequence[WithoutZookeeper]) -> list[set[int]]:
    """For each of the times, in their order, the other brokers that had no ZooKeeper server at the same time."""
    others: list[set[int]] = [set() for _ in times]
    open_: list[int] = []
    for at, time in enumerate(times):
        open_ = [earlier for earlier in open_ if times[earlier].end_ts >= time.ts]
        for earlier in open_:
            others[at].add(times[earlier].node_id)
            others[earlier].add(time.node_id)
        open_.append(at)
    return [nodes - {time.node_id} for nodes, time in zip(others, times, strict=True)]


@reads("zk_session_connected", *ZOOKEEPER_LOST)
def zookeeper_away(facts: Iterable[Fact], without: Iterable[Fault]) -> list[Fault]:
    """F07 without a broker at fault: all brokers of these logs, at least two, had no ZooKeeper server at the same
    time. Rows of `FAULTS`.

    `without`: the faults of single brokers that could not reach ZooKeeper.
    """
    kinds = ("zk_session_connected", *ZOOKEEPER_LOST)
    brokers = sorted({fact.node_id for fact in facts if fact.kind in kinds and fact.node_id is not None})
    lost = of_kind(without, "zookeeper_lost", "cut_from_zookeeper")
    found = []
    for time in _overlapping(sorted(lost, key=lambda one: (one.ts, one.fault_id))):
        peers = sorted({one.broker_id for one in time})
        if peers == brokers and len(peers) > 1:
            found.append(_away(time, peers))
    return found


def _overlapping(in_order: Iterable[Fault]) -> Iterator[list[Fault]]:
    """Groups of overlapping faults."""
    run: list[Fault] = []
    until: datetime | None = None
    for one in in_order:
        if run and (until is None or one.ts > until):
            yield run
            run = []
        run.append(one)
        until = greatest(until, one.end_ts)
    if run:
        yield run


def _away(time: list[Fault], peers: list[int]) -> Fault:
    begin, end = min(one.ts for one in time), greatest(*[one.end_ts for one in time])
    return fault(
        "zookeeper_away",
        statement("all_without_zookeeper", all_brokers=peers, at_from=begin, at_to=end),
        ts=begin,
        end_ts=end,
        began_low=least(*[one.began_low for one in time]),
        peers=peers,
        confidence=0.9,
        evidence=of_rows((one.ts, one.evidence) for one in time),
    )
