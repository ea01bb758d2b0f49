"""The sessions of each broker as the controller recorded them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from replay.facts.controllers import first_requests
from replay.facts.evidence import joined
from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail, detail_number
from replay.facts.lives import STOP_GRANTED
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads, reads_each
from replay.facts.times import first_known, greatest, millis, plus_millis
from replay.facts.zookeeper_sessions import zookeeper_sessions
from replay.tables.brokers import BrokerSession, MembershipChange, ProcessLife, RecordedMembership
from replay.tables.reading import Fact

SHUTDOWN_GRANTED = ("kraft_shutdown_granted", "kraft_shutdown_granted_immediate")
SESSION_ENDED = ("kraft_broker_session_timeout", *SHUTDOWN_GRANTED, "kraft_broker_fence_granted")
_BACK = ("kraft_broker_unfence_granted",)
_ANEW = ("kraft_broker_registering_new_incarnation",)
RENEWED = "registered_anew"  # another process of the broker: it ends a session that has not ended yet
_AT_START = "controller_active_brokers"
_LISTS = ("controller_broker_change", _AT_START)
_CACHED = "controller_broker_epochs"  # from 2.2 on a new controller logs it before the list of active brokers
_IN_ISRS = (
    "isr_update_rejected_fenced_epoch",
    "isr_update_rejected_invalid",
    "isr_update_rejected_reset",
    "isr_update_rejected_unknown_topic",
    "isr_update_rejected_version",
    "isr_update_reset_inflight",
)
_STATE_IN_ISR = re.compile(r"BrokerState\(brokerId=(\d{1,9}), brokerEpoch=(\d{1,18})\)")
_REGISTERED = ("broker_registered", "broker_registered_zk")
_ADMITTED = (
    "kraft_broker_registering",
    *_ANEW,
)  # from 3.9 on the active controller prints the broker epoch that it gives
IN_ZOOKEEPER = "registered_in_zookeeper"
_EXPIRED, FOUND_EXPIRED = "zk_session_expired", "found_expired"  # the broker's own ZooKeeper client learned of it
_NAMES_CONTROLLER = "controller_election_lost"  # a broker that starts finds another one in ZooKeeper's /controller
CONTROLS = "named_controller"
_EVENT_FAILED = ("kraft_event_failed", "kraft_event_fault")
_RENOUNCED = "kraft_controller_renounced"
OUTLIVES_MS = 45_000  # a session outlives its broker by at most this
_STOP_LASTS_MS = 600_000
_SKEW_MS = 2_000  # lines of two nodes about one moment are this close
_LISTED_WITHIN_MS = 10_000  # a controller logs the end of a session this soon after its broker registers again
_REGISTERED_AFTER_MS = 5_000  # the return of a broker may be logged this long before or after its registration
_SILENT_IS_DEAD_MS = 5_000  # a broker prints something within this before its session ends, or it was gone before
_WRITE_MS = 1_000  # a controller knows whether it may write within this

NOBODY = ProcessLife()  # the process of a broker without any line


@dataclass(frozen=True)
class Span:
    """A time in which a broker was a member; None if it began before the files do, or if the broker is still a
    member.
    """

    broker_id: int
    start_ts: datetime | None
    end_ts: datetime | None
    start_event: str | None
    end_event: str | None


@dataclass(frozen=True)
class _Begin:
    """When a session began, and the lines that show it and the member."""

    start_ts: datetime | None
    evidence: Sequence[str | None]


def recorded_sessions(
    facts: Sequence[Fact], recorded_membership: Iterable[RecordedMembership], processes: Iterable[ProcessLife]
) -> list[BrokerSession]:
    """The sessions of each broker, end to end. A session belongs to the process that registered it; the end of that
    process distinguishes a crash from a session that timed out while its broker lived (facts §5.1). `recorded`:
    `MEMBERSHIP` from the metadata log.
    """
    changes, lives, granted = membership(facts, recorded_membership), _lives_by_node(processes), _stops_granted(facts)
    found = []
    for broker, own in groupby(_in_order(changes), key=lambda change: change.broker_id):
        of_broker = list(own)
        ended_ts: datetime | None = None
        for span in _spans(_with_early_registrations(of_broker)):
            life, begin = _life_of(span, lives.get(broker, []), of_broker), _begin(span, of_broker, ended_ts)
            session = _session(span, begin, _broker_epoch(span, of_broker), life, granted.get(broker, []))
            found.append(session.but(ended_before=_is_found_ended(span, of_broker) or None))
            ended_ts = span.end_ts
    return found + _named_in_isrs(facts, {session.broker_id for session in found})


@reads(*_IN_ISRS)
def _named_in_isrs(facts: Iterable[Fact], known_ones: Container[int]) -> list[BrokerSession]:
    """The sessions of brokers of which only a leader's line about an ISR shows the broker epoch: they began before."""
    first: dict[tuple[int, int], Fact] = {}
    for fact in facts:
        if fact.kind in _IN_ISRS and fact.ts is not None:
            for broker, epoch in _STATE_IN_ISR.findall(fact.message or ""):
                key = int(broker), int(epoch)
                if key[0] not in known_ones and (key not in first or fact.ts < first[key].ts):
                    first[key] = fact
    last = {broker: max(epoch for of, epoch in first if of == broker) for broker, _ in first}
    return [
        BrokerSession(broker_id=broker, broker_epoch=epoch, evidence=[first[broker, epoch].event_id])
        for broker, epoch in sorted(last.items())
    ]


@reads_each(*_REGISTERED)
def registrations(facts: Iterable[Fact]) -> list[MembershipChange]:
    """The registrations that brokers logged themselves."""
    return [
        MembershipChange(
            first_known(fact.node_id, fact.broker_id),
            fact.ts,
            IN_ZOOKEEPER if fact.kind == "broker_registered_zk" else "registered",
            fact.broker_epoch,
            fact.event_id,
        )
        for fact in facts
        if fact.kind in _REGISTERED
    ]


@reads_each(*_LISTS, _CACHED, *SESSION_ENDED, *_BACK, *_ADMITTED, *_REGISTERED, _NAMES_CONTROLLER, _EXPIRED)
def membership(facts: Sequence[Fact], recorded: Iterable[RecordedMembership] = ()) -> list[MembershipChange]:
    """The changes of the cluster's members. ZooKeeper: the changes of brokers that the controller logs. KRaft: fencing
    and unfencing, from the active controller's lines or the metadata log's records.
    """
    own = registrations(facts)
    admitted = [
        MembershipChange(fact.broker_id, fact.ts, "registered", detail_number(fact, "new_broker_epoch"), fact.event_id)
        for fact in facts
        if fact.kind in _ADMITTED
    ]
    controls = [
        MembershipChange(detail_number(fact, "active_controller_id"), fact.ts, CONTROLS, None, fact.event_id)
        for fact in facts
        if fact.kind == _NAMES_CONTROLLER
    ]
    controls += [
        MembershipChange(claim.controller_id, claim.line.ts, CONTROLS, None, claim.line.event_id)
        for claim in first_requests(facts)
    ]
    expired = [
        MembershipChange(fact.node_id, fact.ts, FOUND_EXPIRED, None, fact.event_id)
        for fact in facts
        if fact.kind == _EXPIRED and fact.ts is not None
    ]
    changes = [*own, *expired, *admitted, *controls, *recorded, *_listed(facts, controls), *_decided(facts)]
    return [change for change in (*changes, *_expired(facts, changes)) if change.broker_id is not None]


def _expired(facts: Sequence[Fact], changes: Iterable[MembershipChange]) -> Iterator[MembershipChange]:
    """The sessions that a ZooKeeper server's own log shows as expired before a new controller started, or while there
    was no controller. An active controller sees the end at once, and its line dates it as well.
    """
    at_start = {fact.event_id for fact in facts if fact.kind in (_AT_START, _CACHED)}
    seen = grouped((change for change in changes if change.change == "lost"), lambda change: change.broker_id)
    for session in zookeeper_sessions(facts):
        line = session.expired
        if line is None or not session.alone:
            continue
        if not any(_is_at_once(line, lost, at_start) for lost in seen.get(session.node_id, ())):
            yield MembershipChange(session.node_id, line.ts, "lost", None, line.event_id)


def _is_at_once(expired: Fact, lost: MembershipChange, at_start: Container[str | None]) -> bool:
    if lost.event_id in at_start and less(expired.ts, lost.ts):
        return False
    late_ms = millis(lost.ts, expired.ts)
    return late_ms is not None and abs(late_ms) <= _SKEW_MS


def _listed(facts: Iterable[Fact], controls: Iterable[MembershipChange] = ()) -> Iterator[MembershipChange]:
    """The changes that the lists of live brokers show. A new controller starts from the live brokers: a missing broker
    was lost while no controller was active. The first list names all members; an earlier controller (`controls`) that
    it lacks was a member before. A new controller logs the epochs of the live brokers first.
    """
    before: list[int] | None = None
    controllers = sorted(controls, key=_by_time)
    for fact in sorted((fact for fact in facts if fact.kind in _LISTS or _is_cached_at_start(fact)), key=_by_time):
        if fact.kind == _CACHED:
            known_ones = _controlled_before(fact, controllers) if before is None else before
            gone = _but(known_ones, _ids(fact, "broker_epochs"))
            for broker in gone:
                yield MembershipChange(broker, fact.ts, "lost", None, fact.event_id)
            before = None if before is None else _but(before, gone)
            continue
        live, bounced = sorted(_ids(fact, "live_brokers")), _ids(fact, "bounced_brokers")
        gone = _gone_by_first_list(fact, live, controllers) if before is None else _but(before, live)
        for broker in _each_once(gone, bounced):
            yield MembershipChange(broker, fact.ts, "lost", None, fact.event_id)
        for broker in _each_once(_but(live, before or []), bounced):
            yield MembershipChange(broker, fact.ts, "back", None, fact.event_id)
        before = live


def _gone_by_first_list(fact: Fact, live: Iterable[int], controllers: Iterable[MembershipChange]) -> list[int]:
    earlier = _controlled_before(fact, controllers) if fact.kind == _AT_START else []
    return _each_once(_ids(fact, "dead_brokers"), _but(earlier, live))


def _controlled_before(fact: Fact, controllers: Iterable[MembershipChange]) -> list[int]:
    """The brokers that earlier lines name as the controller."""
    return _each_once([one.broker_id for one in controllers if one.broker_id is not None and less(one.ts, fact.ts)])


def _is_cached_at_start(fact: Fact) -> bool:
    return fact.kind == _CACHED and "Initialized" in (fact.message or "")


def _ids(fact: Fact, name: str) -> list[int]:
    """The broker ids in a list that a template has as a detail; a returned broker may have its epochs beside its id."""
    return [int(number) for number in re.findall(r"(\d+)(?:\s*->\s*\d+)?", detail(fact, name) or "")]


def _but(brokers: Iterable[int], others: Iterable[int]) -> list[int]:
    return [broker for broker in brokers if broker not in set(others)]


def _each_once(*brokers: Iterable[int]) -> list[int]:
    return list(dict.fromkeys(broker for some in brokers for broker in some))


def _decided(facts: Sequence[Fact]) -> Iterator[MembershipChange]:
    """The brokers that KRaft controllers fenced and unfenced, and those that they registered anew: since Kafka 4.0 a
    controller registers the next process of a broker that reports an unclean shutdown while the session is still active
    (`handleBrokerUncleanShutdown`).
    """
    for fact in in_force(facts, (*SESSION_ENDED, *_BACK, *_ANEW)):
        epoch = fact.broker_epoch if fact.kind in SESSION_ENDED else None
        yield MembershipChange(fact.broker_id, fact.ts, _change(fact), epoch, fact.event_id)


@reads(*_EVENT_FAILED, _RENOUNCED)
def in_force(facts: Sequence[Fact], kinds: Sequence[str]) -> Iterator[Fact]:
    """The decisions of these kinds about brokers that KRaft controllers committed, in the order of time. A controller
    that was deposed while it was paused may decide once more when it resumes; its write is refused. A controller that
    renounces reverts what was not committed yet; the next controller then makes the same decision again.
    """
    refused, renounced = _refused_writes(facts), _renounced(facts)
    decisions = sorted((fact for fact in facts if fact.kind in kinds), key=_by_time)
    for at, fact in enumerate(decisions):
        if _is_in_vain(fact, refused.get(fact.node_id, [])):
            continue
        later = next((one for one in decisions[at + 1 :] if one.broker_id == fact.broker_id), None)
        if _is_in_vain(fact, renounced.get(fact.node_id, [])) and later is not None and _is_made_anew(fact, later):
            continue
        yield fact


def _change(decision: Fact) -> str:
    return RENEWED if decision.kind in _ANEW else "back" if decision.kind in _BACK else "lost"


def _is_made_anew(decision: Fact, later: Fact) -> bool:
    return later.node_id != decision.node_id and _change(later) == _change(decision)


def _renounced(facts: Iterable[Fact]) -> dict[int | None, list[datetime]]:
    """By controller, in the order of time, when it renounced."""
    renounced: dict[int | None, list[datetime]] = {}
    for fact in facts:
        if fact.kind == _RENOUNCED and fact.ts is not None:
            renounced.setdefault(fact.node_id, []).append(fact.ts)
    return {node: sorted(times) for node, times in renounced.items()}


def _refused_writes(facts: Iterable[Fact]) -> dict[int | None, list[datetime]]:
    """By controller, in the order of time, when it learned that it no longer leads the quorum."""
    refused: dict[int | None, list[datetime]] = {}
    for fact in facts:
        if fact.kind in _EVENT_FAILED and "NotLeaderException" in (fact.message or "") and fact.ts is not None:
            refused.setdefault(fact.node_id, []).append(fact.ts)
    return {node: sorted(times) for node, times in refused.items()}


def _is_in_vain(decision: Fact, refused: Sequence[datetime]) -> bool:
    if decision.node_id is None or decision.ts is None:
        return False
    next_refused = refused[bisect_left(refused, decision.ts) :][:1]
    return bool(next_refused) and at_most(next_refused[0], plus_millis(decision.ts, _WRITE_MS))


def _by_time(row: Fact | MembershipChange) -> tuple[tuple[bool, Any], ...]:
    return nulls_first(row.ts, row.event_id)


def _in_order(changes: Iterable[MembershipChange]) -> list[MembershipChange]:
    return sorted(changes, key=lambda change: (change.broker_id, _by_time(change)))


def _with_early_registrations(changes: Sequence[MembershipChange]) -> Iterator[MembershipChange]:
    """The changes of one broker without its registrations. A broker that registers with ZooKeeper seconds before a
    controller looks is a member from then on, as is one that registers after its session ended if no controller names
    it as new: it may be the next controller itself. One that others find in ZooKeeper as the controller after its
    session ended is a member by then at the latest.
    """
    registered: MembershipChange | None = None
    last: str | None = None
    lost_ts: datetime | None = None
    for change in _with_own_ends(changes):
        if change.change == "registered":
            continue
        if change.change == CONTROLS:
            if registered is None and last == "lost" and less(plus_millis(lost_ts, _SKEW_MS), change.ts):
                registered = change
            continue
        if change.change == RENEWED:
            if last != "back":
                continue
            change = change.but(change="lost")
        if change.change == IN_ZOOKEEPER:
            registered = change
            continue
        if change.change == "back" and registered is not None and (millis(change.ts, registered.ts) or 0) > _SKEW_MS:
            change = change.but(ts=registered.ts, event_id=registered.event_id)
        elif change.change == last == "lost" and registered is not None:
            yield registered.but(change="back")
        registered, last = None, change.change
        lost_ts = change.ts if last == "lost" else None
        yield change
    if registered is not None and last == "lost":
        yield registered.but(change="back")


def _with_own_ends(changes: Sequence[MembershipChange]) -> Iterator[MembershipChange]:
    """The changes of one broker, with the ends of sessions that only its own lines show. A session ended by the time at
    which the broker registered with ZooKeeper again, or its own client logged that the session had expired.
    """
    member: MembershipChange | None = None  # the change with which its session began
    expired: MembershipChange | None = None
    for at, change in enumerate(changes):
        if change.change == FOUND_EXPIRED:
            expired = change if expired is None else expired
            continue
        if change.change == IN_ZOOKEEPER and member is not None:
            ended = change if expired is None else expired
            if less(plus_millis(member.ts, _SKEW_MS), ended.ts) and not _is_listed(changes[at + 1 :], change):
                yield ended.but(change="lost", broker_epoch=None)
                member = change
            expired = None
        elif change.change in ("back", "lost"):
            member, expired = (change if change.change == "back" else None), None
        yield change
    if expired is not None and member is not None:
        yield expired.but(change="lost")


def _is_listed(later: Iterable[MembershipChange], registered: MembershipChange) -> bool:
    """Whether a controller logs the end of the session before a registration shortly after that."""
    until = plus_millis(registered.ts, _LISTED_WITHIN_MS)
    soon = (change for change in later if change.ts is not None and at_most(change.ts, until))
    return any(change.change == "lost" for change in soon)


def _spans(changes: Iterable[MembershipChange]) -> Iterator[Span]:
    """The times in which one broker was a member, end to end; the first may have begun before the files do."""
    turns = [next(same) for _, same in groupby(changes, key=lambda change: change.change)]
    for at, turn in enumerate(turns):
        if turn.change == "back":
            end = turns[at + 1] if at + 1 < len(turns) else MembershipChange()
            yield Span(turn.broker_id, turn.ts, end.ts, turn.event_id, end.event_id)
        elif at == 0:
            yield Span(turn.broker_id, None, turn.ts, None, turn.event_id)


def _broker_epoch(span: Span, changes: Iterable[MembershipChange]) -> int | None:
    """The broker epoch of the last registration before a session; of one that began before the logs, before its end."""
    latest = span.end_ts if span.start_ts is None else plus_millis(span.start_ts, _REGISTERED_AFTER_MS)
    registered = [
        change
        for change in changes
        if change.broker_epoch is not None
        and (change.change != "lost" or change.event_id == span.end_event)
        and change.ts is not None
        and (latest is None or change.ts <= latest)
    ]
    return registered[-1].broker_epoch if registered else None


def _begin(span: Span, changes: Iterable[MembershipChange], ended_ts: datetime | None) -> _Begin:
    """How a session began: with the last registration since the session before it (`ended_ts`). A ZooKeeper controller sees it
    later; a KRaft controller keeps the broker fenced until it has caught up with the metadata log. Unknown if only a line that
    names the broker as the controller shows the session.
    """
    if any(change.change == CONTROLS and change.event_id == span.start_event for change in changes):
        return _Begin(None, [span.start_event])
    since, until = plus_millis(ended_ts, -_SKEW_MS), plus_millis(span.start_ts, _SKEW_MS)
    registered = [
        change
        for change in changes
        if change.change in ("registered", IN_ZOOKEEPER) and at_most(change.ts, until) and not less(change.ts, since)
    ]
    start_ts = greatest(registered[-1].ts, ended_ts) if registered else None
    if not less(start_ts, span.start_ts):
        return _Begin(span.start_ts, [span.start_event])
    return _Begin(start_ts, [registered[-1].event_id, span.start_event])


def _is_found_ended(span: Span, changes: Iterable[MembershipChange]) -> bool:
    """Whether only the broker's own lines show that a session had ended."""
    own = (change for change in changes if change.change in (FOUND_EXPIRED, IN_ZOOKEEPER))
    return span.end_event is not None and any(change.event_id == span.end_event for change in own)


def _lives_by_node(processes: Iterable[ProcessLife]) -> dict[int, list[ProcessLife]]:
    return by_key(sorted(processes, key=lambda life: (life.node_id, life.life)), lambda life: life.node_id)


def _life_of(span: Span, lives: Sequence[ProcessLife], changes: Sequence[MembershipChange] = ()) -> ProcessLife:
    """The process that held a session: the newest one that had begun. A session that had begun before the files do, and
    that ends soon after the first start in them, belonged to the process before that start, unless the new one had
    registered by then (`changes` of the broker).
    """
    held = NOBODY
    begins_by = plus_millis(first_known(span.start_ts, span.end_ts), _SKEW_MS)
    for before, life in zip([NOBODY, *lives], lives, strict=False):
        began_by_then = before is NOBODY or life.first_ts is None or at_most(life.first_ts, begins_by)
        if (
            began_by_then
            and not _outlived(span, before)
            and not (before is NOBODY and _is_of_earlier(span, life, changes))
        ):
            held = life
    return held


def _is_of_earlier(span: Span, first: ProcessLife, changes: Iterable[MembershipChange]) -> bool:
    """Whether a session belongs to a process before the first one in the files: it had begun before them, the first
    line of these is that of a start, and that process did not register before the session ended.
    """
    begins_with_start = first.start_ts is not None and first.start_ts == first.first_ts
    ends_soon = at_most(span.end_ts, plus_millis(first.start_ts, OUTLIVES_MS))
    had_registered = any(
        change.change in ("registered", IN_ZOOKEEPER) and at_most(change.ts, span.end_ts) for change in changes
    )
    return span.start_ts is None and begins_with_start and ends_soon and not had_registered


def _outlived(span: Span, life: ProcessLife) -> bool:
    """Whether a session that ends soon after a process belonged to that process, even if the next one had begun. The
    next one has to wait for the end of the session (facts §5, F29).
    """
    soon_after = at_most(life.last_ts, span.end_ts) and at_most(span.end_ts, plus_millis(life.last_ts, OUTLIVES_MS))
    return span.start_ts is None and soon_after


@reads_each(*STOP_GRANTED, *SHUTDOWN_GRANTED)
def _stops_granted(facts: Iterable[Fact]) -> dict[int | None, list[datetime]]:
    """By broker, when controllers granted it a stop."""
    granted: dict[int | None, list[datetime]] = {}
    for fact in facts:
        if fact.kind in (*STOP_GRANTED, *SHUTDOWN_GRANTED) and fact.ts is not None:
            granted.setdefault(fact.broker_id, []).append(fact.ts)
    return granted


def _session(
    span: Span, begin: _Begin, broker_epoch: int | None, life: ProcessLife, granted: Iterable[datetime]
) -> BrokerSession:
    ended_by = _ended_by(span, life, granted)
    ends_it = ended_by != "session_timeout" and _lived_through(span, life)  # one that lived on prints more, long after
    last_word = first_known(life.stop_event, life.last_event) if ends_it else None
    return BrokerSession(
        broker_id=span.broker_id,
        broker_epoch=broker_epoch,
        start_ts=begin.start_ts,
        live_ts=None if begin.start_ts == span.start_ts else span.start_ts,
        end_ts=span.end_ts,
        ended_by=ended_by,
        silent_ts=life.last_ts if less(life.last_ts, span.end_ts) else None,
        evidence=joined([*begin.evidence, span.end_event, last_word]),
    )


def lines_of_end(session: BrokerSession) -> Sequence[str]:
    """The lines that show a session's end. The first lines of a session show its begin, as far as it is logged."""
    evidence = session.evidence or []
    begins = (session.start_ts is not None) + (session.live_ts is not None)
    return evidence[begins:] if len(evidence) > begins else evidence


def _lived_through(span: Span, life: ProcessLife) -> bool:
    """Whether the process ran during the session; not if it only began as the session ended."""
    return at_most(life.first_ts, plus_millis(span.end_ts, _SKEW_MS))


def _ended_by(span: Span, life: ProcessLife, granted: Iterable[datetime]) -> str | None:
    """How a session ended, by the end of the process that held it; None while it is open."""
    if span.end_ts is None:
        return None
    silent = less(life.last_ts, span.end_ts)
    asked_to_stop = any(_asked_during(span, ts) for ts in granted)
    stopped_by_then = life.ended == "stopped" and at_most(life.stop_ts, plus_millis(span.end_ts, _SKEW_MS))
    if stopped_by_then or (life.ended == "stopped_unseen" and silent):
        return "controlled_shutdown"
    if life.ended in ("fatal", "killed") and silent:
        return "crash"
    if asked_to_stop and (life.stop_ts is None or life.ended == "stopped"):
        return "controlled_shutdown"
    if less(span.end_ts, life.last_ts) and _lived_through(span, life):
        return "session_timeout"
    if (millis(span.end_ts, life.last_ts) or 0) > _SILENT_IS_DEAD_MS:
        return "crash"
    if asked_to_stop and not _lived_through(span, life):
        return "controlled_shutdown"
    return "unknown"


def _asked_during(span: Span, granted: datetime) -> bool:
    """Whether a stop was granted during a session, or shortly before its end if its begin is unknown."""
    since = first_known(span.start_ts, plus_millis(span.end_ts, -_STOP_LASTS_MS))
    return at_most(since, granted) and at_most(granted, plus_millis(span.end_ts, _SKEW_MS))
