"""The sessions of brokers in a result: those that controllers recorded, with the ends that the graph explains, and
those that only registrations, or other nodes' lines about ISRs and leaders, show.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from replay.causes.names import ended_with_process, session_end_name
from replay.coverage.covered import Covered
from replay.facts.groups import by_key, grouped
from replay.facts.in_time import EVER, NEVER
from replay.facts.lines import number_in
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads
from replay.facts.sessions import registrations
from replay.facts.times import CLOCKS_DIFFER_MS, greatest, known, plus_millis
from replay.faults.broker_returns import SURELY_LATER_MS
from replay.tables.brokers import BrokerSession, MembershipChange, ProcessLife, RecordedMembership
from replay.tables.causes import Edge
from replay.tables.faults import BrokerReturn, Fault
from replay.tables.reading import Fact

PROCESS_ENDED, REGISTERED_ANEW = "process_ended", "registered_anew"
_REPLAYED = ("kraft_broker_registered", "kraft_broker_registered_new_incarnation")
_REPLAYED_CHANGE = "kraft_broker_registration_changed"
_FENCED = re.compile(r"\bfenced=(-?1)\b")
_REPLACED_WITHIN_MS = (
    10_000  # a controller that was replaced while it was frozen learns so within this after its freeze
)


def broker_sessions(
    recorded_sessions: Sequence[BrokerSession],
    cluster_edges: Iterable[Edge],
    facts: Sequence[Fact],
    processes: Iterable[ProcessLife],
    broker_returns: Iterable[BrokerReturn],
    covered: Covered,
    faults: Sequence[Fault],
    recorded_membership: Sequence[RecordedMembership] = (),
) -> list[BrokerSession]:
    """The sessions of each broker. If no line states the cause of an end, it is the one that the graph shows: the end
    of the process. A session without an end is open only if a log in the input would show its end.
    """
    names = ended_with_process(cluster_edges)
    recorded = [
        one.but(ended_by=PROCESS_ENDED)
        if one.ended_by == "unknown" and session_end_name(one.broker_id, one.end_ts) in names
        else one
        for one in recorded_sessions
    ]
    brokers = {one.broker_id for one in recorded}
    found = [*recorded, *_registered(facts, processes, brokers), *_returned(recorded, broker_returns)]
    found += _replayed(facts, {one.broker_id for one in found})
    if recorded_membership:  # the metadata log has every end
        return found
    until = _watched_until(covered, faults)
    return [one if one.end_ts is not None else _seen(one, until, covered) for one in found]


@reads(*_REPLAYED, _REPLAYED_CHANGE)
def _replayed(facts: Iterable[Fact], known_ones: Container[int]) -> Iterator[BrokerSession]:
    """The sessions that appear only in the records that a KRaft controller reads when it starts: they began before
    that. A broker that the last record fences has none.
    """
    records = [
        fact for fact in facts if fact.kind in (*_REPLAYED, _REPLAYED_CHANGE) and fact.broker_id not in known_ones
    ]
    for broker, own in by_key(records, lambda fact: fact.broker_id).items():
        in_order = sorted(own, key=lambda fact: nulls_first(fact.ts, fact.source_file, fact.line_number))
        registered = [fact for fact in in_order if fact.kind in _REPLAYED]
        changes = [state for fact in in_order for state in _FENCED.findall(fact.message or "")]
        if registered and changes[-1:] != ["1"]:
            epoch = number_in(registered[-1].message, r"brokerEpoch=(\d+)")
            yield BrokerSession(broker_id=broker, broker_epoch=epoch, evidence=[registered[-1].event_id])


def _watched_until(covered: Covered, faults: Iterable[Fault]) -> datetime:
    """Until when the logs of active controllers would show the end of a session. A controller that was replaced while
    it was frozen shows none after its freeze began.
    """
    until = EVER
    for controller, (start_ts, end_ts) in covered.active:
        frozen = [
            fault.began_low or fault.began_high
            for fault in faults
            if (fault.kind, fault.broker_id) == ("paused", controller)
            and at_most(start_ts, fault.began_high)
            and at_most(end_ts, plus_millis(fault.ended_high, _REPLACED_WITHIN_MS))
        ]
        until = max(until, min([end_ts, *known(frozen)]))
    return until


def _seen(session: BrokerSession, until: datetime, covered: Covered) -> BrokerSession:
    """A session without an end, with the time after which no log would show one. A broker whose own log continues would
    have logged why it left.
    """
    if until == NEVER or any(end_ts == NEVER for _, end_ts in covered.server(session.broker_id)):
        return session
    return session.but(seen_ts=max(until, session.member_ts or until) if until > EVER else session.member_ts)


def _registered(facts: Sequence[Fact], processes: Iterable[ProcessLife], recorded: set[int]) -> Iterator[BrokerSession]:
    """The sessions that no controller recorded, from the brokers' own registrations. Each had ended by the next
    registration. The last one is listed only if no process since then has ended: it is open.
    """
    lives = by_key(processes, lambda life: life.node_id)
    for broker, own in grouped(registrations(facts), lambda change: change.broker_id).items():
        if broker in recorded:
            continue
        in_time = sorted(own, key=lambda change: nulls_first(change.ts, change.event_id))
        for change, following in pairwise(in_time):
            yield _session(change, following)
        if all(life.ended is None for life in lives[broker] if at_most(in_time[-1].ts, life.last_ts)):
            yield _session(in_time[-1], None)


def _session(registered: MembershipChange, following: MembershipChange | None) -> BrokerSession:
    return BrokerSession(
        broker_id=registered.broker_id,
        broker_epoch=registered.broker_epoch,
        start_ts=registered.ts,
        end_ts=None if following is None else following.ts,
        ended_by=None if following is None else REGISTERED_ANEW,
        ended_before=None if following is None else True,
        evidence=[one.event_id for one in (registered, following) if one is not None and one.event_id is not None],
    )


def _returned(recorded: Iterable[BrokerSession], broker_returns: Iterable[BrokerReturn]) -> Iterator[BrokerSession]:
    """The sessions of brokers that were in an ISR again, or led, after the end of the last session that a controller
    recorded.
    """
    ends = {
        broker: None if any(one.end_ts is None for one in own) else greatest(*(one.end_ts for one in own))
        for broker, own in by_key(recorded, lambda one: one.broker_id).items()
    }
    seen = set[int]()
    for back in broker_returns:
        ended: datetime | None = ends.get(back.broker_id)
        left_with_it = at_most(plus_millis(ended, -CLOCKS_DIFFER_MS), back.away_ts)
        if back.broker_id not in seen and left_with_it and less(plus_millis(ended, SURELY_LATER_MS), back.ts):
            seen.add(back.broker_id)
            yield BrokerSession(broker_id=back.broker_id, live_ts=back.ts, evidence=back.evidence)
