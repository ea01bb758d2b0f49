"""Brokers that other nodes' lines show alive again, back in an ISR or leading again, and the outages that end with
this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise

from replay.facts.evidence import joined
from replay.facts.groups import by_key, grouped
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_DIFFER_MS, greatest, least, plus_millis
from replay.faults.earliest_lines import second_of
from replay.partitions.isr_spans import isr_order
from replay.sentences.statement import statement
from replay.tables.brokers import BrokerSession
from replay.tables.faults import BrokerReturn, Fault
from replay.tables.partitions import CommittedIsr, LeaderEpoch

SURELY_LATER_MS = 5_000  # the order of lines of two nodes is sure beyond this
IN_ISR, LEADS = "in_isr", "leads"
_ABOUT_RETURNS = {  # the statements that say whether the broker came back
    "ended_without_shutdown": "ended_without_shutdown",
    "stopped_itself_after_error": "stopped_itself_after_error",
    "session_ended_unasked": "session_ended_unasked",
}


def broker_returns(committed_isrs: Iterable[CommittedIsr], leader_epochs: Iterable[LeaderEpoch]) -> list[BrokerReturn]:
    """The times at which brokers joined the ISR of one partition, or began to lead it, after a state without them.

    Only a follower that fetches joins an ISR, and a controller elects only a broker that is in contact with it.
    """
    return all_broker_returns(chain(_into_isrs(committed_isrs), _to_leadership(leader_epochs)))


def _into_isrs(committed_isrs: Iterable[CommittedIsr]) -> Iterator[BrokerReturn]:
    for before, state in pairwise(sorted(committed_isrs, key=isr_order)):
        if before.life == state.life and before.isr is not None and state.isr is not None:
            for broker in sorted({*state.isr} - {*before.isr}):
                yield from _return(broker, IN_ISR, before.start_ts, state.start_ts, state.evidence)


def _to_leadership(leader_epochs: Iterable[LeaderEpoch]) -> Iterator[BrokerReturn]:
    in_order = sorted(leader_epochs, key=lambda epoch: (epoch.life, epoch.leader_epoch))
    for before, epoch in pairwise(in_order):
        is_anew = None not in (before.leader_id, epoch.leader_id) and before.leader_id != epoch.leader_id
        if before.life == epoch.life and is_anew and epoch.leader_id >= 0 and not epoch.begun_before:
            yield from _return(epoch.leader_id, LEADS, before.start_ts, epoch.start_ts, epoch.evidence)


def _return(
    broker: int, how: str, away_ts: datetime | None, ts: datetime | None, evidence: Sequence[str] | None
) -> Iterator[BrokerReturn]:
    if away_ts is not None and ts is not None:
        yield BrokerReturn(broker_id=broker, how=how, away_ts=away_ts, ts=ts, evidence=list(evidence or ())[:1])


def all_broker_returns(returns: Iterable[BrokerReturn]) -> list[BrokerReturn]:
    """The returns of all partitions: of those of one broker that agree in the seconds of return and of the state before
    it, the first.
    """
    seconds = grouped(returns, lambda one: (one.broker_id, one.how, second_of(one.away_ts), second_of(one.ts)))
    rows = [min(own, key=lambda one: (one.ts, one.away_ts, one.evidence)) for own in seconds.values()]
    return sorted(rows, key=lambda one: (one.broker_id, one.ts, one.how, one.away_ts))


def ended_by_returns(
    outages: Iterable[Fault], broker_returns: Iterable[BrokerReturn], recorded_sessions: Iterable[BrokerSession]
) -> list[Fault]:
    """The outages. One whose end no line of its broker or of a controller shows was over when the broker was back in
    the ISR that it had left in that outage, or led again.
    """
    returned = by_key(broker_returns, lambda one: one.broker_id)
    lost = by_key(recorded_sessions, lambda one: one.broker_id, lambda one: one.end_ts)
    return [
        outage if outage.end_ts is not None else _ended(outage, returned[outage.broker_id], lost[outage.broker_id])
        for outage in outages
    ]


def _ended(outage: Fault, returns: Iterable[BrokerReturn], lost: Iterable[datetime | None]) -> Fault:
    began_low, began_high = least(outage.began_low, outage.ts), greatest(outage.began_high, outage.ts)
    since_ts, surely_ts = plus_millis(began_low, -CLOCKS_DIFFER_MS), plus_millis(began_high, SURELY_LATER_MS)
    back = next((one for one in returns if at_most(since_ts, one.away_ts) and less(surely_ts, one.ts)), None)
    if back is None:
        return outage
    session_ended = [ts for ts in lost if at_most(began_low, ts) and less(ts, back.ts)]
    return outage.but(
        end_ts=back.ts,
        ended_low=greatest(outage.ended_low, began_high, *session_ended),
        ended_high=back.ts,
        arguments=_as_back(outage, back) if outage.reason in _ABOUT_RETURNS else outage.arguments,
        evidence=joined(outage.evidence, back.evidence),
    )


def _as_back(outage: Fault, back: BrokerReturn) -> Mapping[str, str]:
    """The arguments of the outage's statement, with what shows that the broker came back."""
    given = {name: text for name, text in (outage.arguments or {}).items() if name != "gone"}
    return statement(
        _ABOUT_RETURNS[outage.reason or ""],
        at_in_isr=back.ts if back.how == IN_ISR else None,
        at_leading=back.ts if back.how == LEADS else None,
        **given,
    ).arguments
