"""Derives claims from node outages, leaders and ISRs. A claim is one reason for which a partition accepts no writes;
one function implements one rule.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, pairwise, takewhile
from typing import Any

from replay.availability.cluster import Cluster
from replay.availability.reasons import CLOSED, DEAD_LEADER, UNKNOWN
from replay.availability.stops import ARRIVES_MS
from replay.availability.words import (
    BACKS_OFF,
    BECOMES_FOLLOWER,
    CUTS_BY_EPOCH,
    FENCED,
    FIRST_RECORD,
    FOLLOWS,
    LEADER_BEGUN,
    LEADERS_LINES,
    LOG_CUTS,
    METADATA_CACHED,
    REFUSES,
    ROLES_TAKEN,
    SHRINKS,
    since,
)
from replay.facts.controllers import KRAFT
from replay.facts.groups import by_key
from replay.facts.order import at_most, less
from replay.facts.releases import version_number
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, known, least, plus_millis
from replay.tables.availability import BrokerStatement, Claim, NodeOutage, Tenure
from replay.tables.brokers import NodeTimings
from replay.tables.partitions import IsrSpan

ACKS_ALL, ACKS_ONE = "all", "1"
BOTH_KINDS = (ACKS_ALL, ACKS_ONE)
DROPS_LATE_MS = 5_000  # a busy leader checks for lagging followers up to this late
DROPS_AT_ONCE_MS = 500  # a member that stops is dropped this soon if its leader learns of it as usual
FETCHED_WITHIN_MS = 1_000  # a follower that keeps up had caught up this shortly before its last fetch
CACHED_AT_START_FROM = version_number("2.0.1")  # KAFKA-7415: a leader logs its epoch when it starts
BACK_OFF_PRINTED_FROM = version_number("2.5.0")  # a follower logs that its leader does not know the epoch yet
BACKS_OFF_AGAIN_FROM = version_number("4.0.0")  # a truncation restarts the back-off, even after its end
RETRIED_WITHIN_MS = 30_000  # request.timeout.ms of producers: the default
HELD_FROM, MOVED_AT_ONCE_FROM = version_number("2.7.0"), version_number("3.0.0")  # KAFKA-13091
CAPPED_FROM = version_number("3.7.0")  # the number of replicas limits min.insync.replicas (KAFKA-15583)


@dataclass(frozen=True)
class Span:
    """A time in which a partition was in one state."""

    row: Tenure | IsrSpan
    start_ts: datetime
    end_ts: datetime | None

    @property
    def name(self) -> str:
        return f"{self.row.topic}-{self.row.partition}"


def every_claim(
    tenures: Sequence[Tenure], words: Sequence[BrokerStatement], isr_spans: Sequence[IsrSpan], cluster: Cluster
) -> Iterator[Claim]:
    """All reasons for which the partition accepted no writes, or may have accepted none. Rows of `CLAIMS`.

    Omits reasons that begin after the leader has died for good, which is the strongest reason.
    """
    dead_ts = _dead_for_good_ts(tenures, words, cluster)
    claims = chain(
        leader_out(tenures, isr_spans, words, cluster, dead_ts),
        without_leader(tenures, cluster),
        leader_not_started(tenures),
        new_leader_without_records(tenures, isr_spans, words, cluster),
        waiting_for_members(isr_spans, words, cluster, dead_ts),
        backing_off(tenures, isr_spans, words, cluster),
        waiting_for_the_dropped(isr_spans, cluster),
        below_min_isr(isr_spans, words, cluster),
    )
    written = list(_written_in_cuts(tenures, words, cluster))
    return (known_one for claim in claims for known_one in _unless_written(claim, written))


@dataclass(frozen=True)
class Written:
    """A time in which an isolated leader stored records at its usual rate."""

    from_ts: datetime
    to_ts: datetime


def _written_in_cuts(
    tenures: Iterable[Tenure], words: Sequence[BrokerStatement], cluster: Cluster
) -> Iterator[Written]:
    """Times in which the log of an isolated leader grew at its usual rate, shown by the line in which it removes its
    followers.

    The line shows the high watermark, which does not advance after the cut, and the log end offset. Growth at less
    than half the earlier rate of the leader epoch proves nothing: clients may have been cut off too.
    """
    with_log_end = by_key((word for word in words if word.log_end_offset is not None), lambda word: word.node_id)
    for tenure in tenures:
        cuts = [one for one in cluster.cuts.get(tenure.leader_id, ()) if one.low_ts is not None]
        own = with_log_end[tenure.leader_id] if cuts else []
        begins = [word for word in own if word.kind == "leader_start" and word.leader_epoch == tenure.leader_epoch]
        begin = min(begins, key=lambda word: word.ts, default=None)
        if begin is None:
            continue
        for outage in cuts:
            learned_ts = _taken_up_after(outage.low_ts, tenure.leader_id, words, ROLES_TAKEN)
            for word in since(own, outage.low_ts, learned_ts):
                if word.kind == SHRINKS and _grew_as_before(begin, outage, word):
                    yield Written(outage.low_ts, word.ts)


def _grew_as_before(begin: BrokerStatement, outage: NodeOutage, word: BrokerStatement) -> bool:
    """Whether a log grew at least half as fast after a cut as before it. The cut is assumed to begin at the midpoint
    of its bounds.
    """
    low_ts, high_ts = outage.low_ts, first_known(outage.from_ts, outage.low_ts)
    if word.high_watermark is None or low_ts is None or high_ts is None:
        return False
    cut_ts = low_ts + (high_ts - low_ts) / 2
    before, since = word.high_watermark - begin.log_end_offset, word.log_end_offset - word.high_watermark
    return cut_ts > begin.ts and before > 0 and 2 * since * (cut_ts - begin.ts) >= before * (word.ts - cut_ts)


def _unless_written(claim: Claim, written: Iterable[Written]) -> Iterator[Claim]:
    """The claim. If it says that a leader may have accepted no acks=1, omits the times in which the leader's log
    grew.
    """
    if claim.acks != ACKS_ONE or claim.state != UNKNOWN or claim.reason not in ("leader_cut_off", "leader_deposed"):
        yield claim
        return
    start_ts = claim.start_ts
    for time in written:
        if time.from_ts <= start_ts < time.to_ts:
            start_ts = time.to_ts
    if claim.end_ts is None or start_ts < claim.end_ts:
        yield claim.but(start_ts=start_ts)


def _dead_for_good_ts(tenures: Sequence[Tenure], words: Sequence[BrokerStatement], cluster: Cluster) -> datetime | None:
    """When the last leader's process died for good, as far as these logs go; None if it or another broker leads
    again.
    """
    last = tenures[-1] if tenures else None
    if last is None or last.until_ts is not None:
        return None
    deaths = (
        greatest(outage.from_ts, last.start_ts)
        for outage in _outages_of_leader(last, cluster)
        if outage.must_start and (outage.leads, outage.as_leader) == (CLOSED, DEAD_LEADER)
        if leads_again_ts(outage, last.leader_id, words, cluster) is None and not _began_after(outage, last)
    )
    return least(*deaths)


def _began_after(outage: NodeOutage, tenure: Tenure) -> bool:
    """Whether the leader's process had started again as its leader epoch began: it leads then, also without a line of its
    own that it does.
    """
    return less(outage.to_ts, tenure.start_ts)


def _outages_of_leader(tenure: Tenure, cluster: Cluster, begun_by: datetime | None = None) -> Iterator[NodeOutage]:
    """The outages of a leader that stop writes in its tenure, or may stop them. With `begun_by`, only those that had
    begun by then.
    """
    span = Span(tenure, tenure.start_ts, tenure.until_ts)
    for outage in cluster.outages.lasting(tenure.leader_id, least(span.end_ts, begun_by), span.start_ts):
        until_it_serves = outage.but(to_ts=outage.to_ts and greatest(outage.to_ts, outage.serves_ts))
        if outage.leads is not None and _falls_into(until_it_serves, span):
            yield outage


def leader_out(
    tenures: Iterable[Tenure],
    isr_spans: Sequence[IsrSpan],
    words: Sequence[BrokerStatement],
    cluster: Cluster,
    begun_by: datetime | None,
) -> Iterator[Claim]:
    """The leader is dead, paused or unable to serve, until it is back or the next leader has taken over. A leader that was cut
    off is back once all its followers have returned to its ISR.

    A restarted process leads again when it logs this and has a session. Without that line, it may lead once it serves if a
    leader epoch of it began after its start. A resumed process may have been deposed
    meanwhile; whether it accepts writes until the next leader starts is unknown.
    """
    members, in_order = _members(isr_spans), _in_order(isr_spans)
    for tenure in tenures:
        span = Span(tenure, tenure.start_ts, tenure.until_ts)
        followers = set(members) - {tenure.leader_id}
        for one in _outages_of_leader(tenure, cluster, begun_by):
            outage = _until_back(one, tenure.leader_id, followers, in_order) if followers else one
            deposed = _deposed_by_then(tenure, first_known(outage.back_ts, span.end_ts))
            then = "leader_deposed" if deposed else outage.as_leader
            if outage.must_start:
                again_ts = leads_again_ts(outage, tenure.leader_id, words, cluster)
                bounds = outage.but(to_ts=again_ts, back_ts=again_ts)
                if again_ts is None and _began_after(outage, tenure):
                    bounds = outage.but(to_ts=greatest(outage.to_ts, outage.serves_ts), back_ts=None)
            else:
                bounds = outage.but(back_ts=span.end_ts if deposed else outage.back_ts)
            yield from _stages(bounds, span, outage.leads, outage.as_leader, then, BOTH_KINDS)


def _deposed_by_then(tenure: Tenure, ts: datetime | None) -> bool:
    """Whether the next leader epoch had been decided by then."""
    return tenure.next_start_ts is not None and ts is not None and tenure.next_start_ts <= ts


def leads_again_ts(
    outage: NodeOutage, leader_id: int, words: Sequence[BrokerStatement], cluster: Cluster
) -> datetime | None:
    """When a restarted leader has logged that it leads, has a session again and accepts clients; None if it does not
    lead again.
    """
    led_ts = _taken_up_after(outage.to_ts, leader_id, words, ("leader_start",))
    if led_ts is None:
        return None
    sessions = cluster.sessions.get(leader_id, ())
    at = bisect_left(sessions, outage.to_ts)
    return greatest(led_ts, *sessions[at : at + 1], outage.serves_ts)


def _taken_up_after(
    ts: datetime | None, node_id: int, words: Sequence[BrokerStatement], kinds: tuple[str, ...]
) -> datetime | None:
    """The time of the first line after `ts` in which a node takes up the partition."""
    if ts is None:
        return None
    return next((word.ts for word in since(words, ts) if word.kind in kinds and word.node_id == node_id), None)


def without_leader(tenures: Iterable[Tenure], cluster: Cluster) -> Iterator[Claim]:
    """There is no leader, until one takes up the partition.

    If the previous leader may have run on without reaching the controllers, it may have accepted writes.
    """
    for tenure in tenures:
        if tenure.leader_id >= 0:
            continue
        lives_on = any(
            outage.may_lead_on and _covers(outage, tenure.start_ts)
            for outage in cluster.outages.lasting(tenure.last_leader_id, tenure.start_ts, tenure.start_ts)
        )
        yield from _claims(
            tenure,
            BOTH_KINDS,
            start_ts=tenure.start_ts,
            end_ts=tenure.until_ts,
            state=UNKNOWN if lives_on else CLOSED,
            reason="leader_deposed" if lives_on else "no_leader",
            suspects=known([tenure.last_leader_id]),
            confidence="observed",
            evidence=tenure.evidence,
        )


def _covers(outage: NodeOutage, ts: datetime) -> bool:
    """Whether the outage may cover this time."""
    may_have_begun = outage.low_ts is None or outage.low_ts <= ts
    may_last = outage.back_ts is None or outage.back_ts >= ts
    return may_have_begun and may_last


def leader_not_started(tenures: Iterable[Tenure]) -> Iterator[Claim]:
    """A new leader has been elected but has not taken up the partition: the previous one may accept writes until it
    notices. The same holds for a broker that leads again after a time without a leader: it may not have noticed that time.
    """
    before: Tenure | None = None
    for tenure in tenures:
        had_none, before = before is not None and before.leader_id < 0, tenure
        is_same = tenure.last_leader_id == tenure.leader_id
        if tenure.leader_id < 0 or tenure.last_leader_id is None or (is_same and not had_none):
            continue
        if tenure.serves_ts > tenure.start_ts:
            yield from _claims(
                tenure,
                BOTH_KINDS,
                start_ts=tenure.start_ts,
                end_ts=tenure.serves_ts,
                state=UNKNOWN,
                reason="no_leader" if is_same else "leader_deposed",
                suspects=[tenure.last_leader_id],
                confidence="observed",
                evidence=tenure.evidence,
            )


def new_leader_without_records(
    tenures: Iterable[Tenure], isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement], cluster: Cluster
) -> Iterator[Claim]:
    """The new leader has stored no record yet, so writes may still go to the previous leader if that runs and does
    not know its successor.

    Up to 2.0.0 a leader logs the first record of its leader epoch. The previous leader can acknowledge acks=1, but
    not acks=all if its successor is in its ISR, because the successor no longer fetches from it. Clients find the
    successor once a broker has the new leader epoch in its metadata cache.
    """
    if not cluster.surely_before(CACHED_AT_START_FROM):
        return
    for tenure in tenures:
        last_id = tenure.last_leader_id
        lives_on = [
            outage
            for outage in cluster.outages.lasting(last_id, tenure.start_ts, tenure.start_ts)
            if outage.may_lead_on and _covers(outage, tenure.start_ts)
        ]
        first = _first_record(tenure, words)
        if first is None or not lives_on or tenure.leader_id == last_id:
            continue
        until_ts = least(first.ts, _taken_up_after(tenure.start_ts, last_id, words, ROLES_TAKEN), tenure.until_ts)
        claim = {
            "fault_id": lives_on[-1].fault_id,
            "confidence": "inferred",
            "evidence": known([*tenure.evidence[:1], first.event_id]),
        }
        found_ts, cached_ts = tenure.serves_ts, _cached_ts(tenure, words)
        if cached_ts is not None and _is_in_last_isr(tenure, isr_spans):
            found_ts = greatest(found_ts, least(cached_ts, until_ts))
        for kind, start_ts, end_ts, state, reason in (
            (ACKS_ALL, tenure.serves_ts, found_ts, CLOSED, "waiting_for_isr_member"),
            (ACKS_ALL, found_ts, until_ts, UNKNOWN, "leader_deposed"),
            (ACKS_ONE, tenure.serves_ts, until_ts, UNKNOWN, "leader_deposed"),
        ):
            if less(start_ts, end_ts):
                yield from _claims(
                    tenure, (kind,), start_ts=start_ts, end_ts=end_ts, state=state, reason=reason, **claim
                )


def _first_record(tenure: Tenure, words: Sequence[BrokerStatement]) -> BrokerStatement | None:
    """The line in which a leader stored the first record of its leader epoch."""
    own = (
        word
        for word in since(words, tenure.start_ts)
        if word.kind == FIRST_RECORD and (word.node_id, word.leader_epoch) == (tenure.leader_id, tenure.leader_epoch)
    )
    return next(own, None)


def _is_in_last_isr(tenure: Tenure, isr_spans: Iterable[IsrSpan]) -> bool:
    """Whether the leader was in the last ISR of the previous leader."""
    before = [span for span in isr_spans if span.leader_id >= 0 and less(span.leader_epoch, tenure.leader_epoch)]
    last = max(before, key=lambda span: (span.leader_epoch, span.start_ts), default=None)
    return last is not None and last.leader_id == tenure.last_leader_id and tenure.leader_id in last.isr


def _cached_ts(tenure: Tenure, words: Sequence[BrokerStatement]) -> datetime | None:
    """When a broker first had the leader epoch in its metadata cache; None if no line shows it."""
    own = (
        word.ts
        for word in since(words, tenure.start_ts)
        if word.kind == METADATA_CACHED and word.leader_epoch == tenure.leader_epoch
    )
    return next(own, None)


def waiting_for_members(
    isr_spans: Iterable[IsrSpan], words: Sequence[BrokerStatement], cluster: Cluster, begun_by: datetime | None
) -> Iterator[Claim]:
    """A member of the committed ISR does not fetch: acks=all waits until the leader removes it or it fetches again
    (facts §1.3).

    A restarted process fetches only after it logs that it took up the partition. The leader waits until it has
    applied the change that removes the member, however early that was decided. If none of its lines shows when, it
    may have waited until the first line that shows that it had applied the change.
    """
    in_order = _in_order(isr_spans)
    joined = _joined_since(in_order)
    for at_span, (isr_span, then) in enumerate(zip(in_order, (*in_order[1:], None), strict=False)):
        if isr_span.leader_id < 0:
            continue
        applied = _applied(isr_span, then, words, cluster)
        surely, perhaps = Span(isr_span, isr_span.start_ts, applied.low_ts), None
        if applied.low_ts is not None and applied.high_ts != applied.low_ts:
            at = bisect_left(in_order, applied.low_ts, key=lambda span: span.start_ts)
            others = (span.start_ts for span in islice(in_order, at, None) if span.leader_id != isr_span.leader_id)
            others_ts = next(others, None)
            perhaps = Span(isr_span, applied.low_ts, least(applied.high_ts, others_ts))
        held_back = _held_back(isr_span, then, applied, words, cluster)
        until_ts = least((held_back or perhaps or surely).end_ts, begun_by)
        for member_id in set(isr_span.isr) - {isr_span.leader_id}:
            joined_ts = joined[at_span].get(member_id)
            for outage in _between(isr_span.leader_id, member_id, isr_span.start_ts, until_ts, cluster):
                if not (_joined_in(outage, member_id, joined_ts, words) or _is_dropped_at_once(outage, until_ts)):
                    until_back = _until_back(outage, isr_span.leader_id, {member_id}, in_order)
                    yield from _waits_for_member(member_id, until_back, surely, perhaps, held_back, words, cluster)


def _is_dropped_at_once(outage: NodeOutage, until_ts: datetime | None) -> bool:
    """Whether the leader dropped a member as soon as that member stopped: acks=all waited no longer than at any change
    of leader.
    """
    is_stop = outage.must_start and outage.leads is None and outage.partitions is None
    return bool(is_stop and less(until_ts, plus_millis(outage.low_ts, DROPS_AT_ONCE_MS)))


def _in_order(isr_spans: Iterable[IsrSpan]) -> list[IsrSpan]:
    return sorted(isr_spans, key=lambda span: span.start_ts)


def _until_back(
    outage: NodeOutage, leader_id: int, members: Collection[int], in_order: Sequence[IsrSpan]
) -> NodeOutage:
    """The outage. A cut between a leader and these followers is over once all have returned to the leader's ISR: only a
    follower that fetches returns.

    The leader had dropped each of them during the cut: otherwise the return may be a request from before it.
    """
    since_ts, sure_until_ts = outage.from_ts, outage.to_ts
    if not outage.is_cut or since_ts is None or sure_until_ts is None:
        return outage
    out = set[int]()
    for span in in_order:
        if span.leader_id != leader_id:
            out.clear()
        elif span.start_ts >= sure_until_ts and out.issuperset(members) and set(members).issubset(span.isr):
            return outage.but(back_ts=least(outage.back_ts, span.start_ts))
        elif span.start_ts >= since_ts:
            out |= set(members).difference(span.isr)
    return outage


def _held_back(
    span: IsrSpan, then: IsrSpan | None, applied: Applied, words: Sequence[BrokerStatement], cluster: Cluster
) -> Span | None:
    """The time in which the leader may not have moved its high watermark although the ISR had shrunk; None if it moved.

    In 2.7 and 2.8 a leader that asked the controller for the change moves its high watermark with the next append or
    progress of a follower (KAFKA-13091). Producers that wait for responses may send nothing until they retry.
    """
    if then is None or applied.low_ts is None or not cluster.surely_from(HELD_FROM):
        return None
    is_shrink = then.leader_epoch == span.leader_epoch and set(then.isr) < set(span.isr)
    if not is_shrink or not cluster.surely_before(MOVED_AT_ONCE_FROM):
        return None
    own = [word for word in since(words, span.start_ts, then.end_ts) if word.node_id == then.leader_id]
    asked = [word for word in own if word.kind == SHRINKS and at_most(word.ts, applied.low_ts)]
    if not asked or not less(asked[-1].high_watermark, asked[-1].log_end_offset):
        return None
    moved = (
        word.ts for word in own if less(applied.low_ts, word.ts) and less(asked[-1].high_watermark, word.high_watermark)
    )
    retried_ts = plus_millis(applied.low_ts, RETRIED_WITHIN_MS)
    return Span(span, applied.low_ts, least(next(moved, None), then.end_ts, retried_ts))


def _joined_since(in_order: Iterable[IsrSpan]) -> list[dict[int, datetime]]:
    """For each ISR, the members that joined after the first ISR, and when they joined."""
    joined: list[dict[int, datetime]] = []
    members: Collection[int] | None = None
    joined_ts: dict[int, datetime] = {}
    for span in in_order:
        if span.leader_id >= 0:
            new = set() if members is None else set(span.isr).difference(members)
            kept = {member: ts for member, ts in joined_ts.items() if member in span.isr}
            joined_ts = kept | dict.fromkeys(new, span.start_ts)
            members = span.isr
        joined.append(joined_ts)
    return joined


def _joined_in(
    outage: NodeOutage, member_id: int, joined_ts: datetime | None, words: Sequence[BrokerStatement]
) -> bool:
    """Whether a member began to follow the partition during an outage and then joined the ISR, so that the outage no
    longer affects this replica.

    From 3.7, a broker recreates the replicas of a failed directory in another one (KIP-858).
    """
    if joined_ts is None or outage.from_ts is None or joined_ts <= outage.from_ts:
        return False
    own = (word for word in since(words, outage.from_ts, joined_ts) if word.node_id == member_id)
    return any(word.kind in FOLLOWS for word in own)


def _waits_for_member(
    member_id: int,
    outage: NodeOutage,
    surely: Span,
    perhaps: Span | None,
    held_back: Span | None,
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> Iterator[Claim]:
    """The certain and possible states of acks=all in an ISR because of one outage of a member or of the link to it, and the
    time after the removal of the member in which no write or fetch had moved the high watermark.
    """
    bounds, reason = _until_taken_up(outage, member_id, surely.row.leader_id, words, cluster), "waiting_for_isr_member"
    if _falls_into(outage, surely):
        sure_ts = _would_drop_ts(bounds, surely, words, cluster)
        while_written = bounds if sure_ts is None else bounds.but(to_ts=sure_ts)
        yield from _stages(while_written, surely, outage.follows, reason, reason, (ACKS_ALL,))
    after, why = (perhaps, reason) if held_back is None else (held_back, "waiting_for_next_write")
    if after is not None and _falls_into(outage, after):
        yield from _stages(bounds, after, UNKNOWN, why, why, (ACKS_ALL,))


def _until_taken_up(
    outage: NodeOutage, member_id: int, leader_id: int, words: Sequence[BrokerStatement], cluster: Cluster
) -> NodeOutage:
    """The outage of a follower. If the follower had to restart, the outage lasts until its first line about the
    partition or this leader.
    """
    if not outage.must_start:
        return outage
    own = (word for word in since(words, outage.to_ts) if word.node_id == member_id) if outage.to_ts else ()
    taken = (
        word.ts
        for word in own
        if word.kind in ROLES_TAKEN or (word.kind in FOLLOWS and word.leader_id in (None, leader_id))
    )
    taken_ts = next(taken, None)
    idle_ts = _ended_idle_ts(outage, member_id, words, cluster) if taken_ts is None else None
    return outage.but(to_ts=first_known(taken_ts, idle_ts, outage.to_ts), back_ts=taken_ts)


def _would_drop_ts(
    outage: NodeOutage, span: Span, words: Sequence[BrokerStatement], cluster: Cluster
) -> datetime | None:
    """From when on a leader would remove the member at the next write, or had asked to; None if it cannot.

    From 2.1, a leader does not remove a member that holds its whole log, however long it does not fetch. If the
    leader removes no member for longer than the allowed lag, no client wrote, or its lines are missing. A write then
    waits only until the leader's next check. A leader whose change failed asks again at its next check, unless it is
    out of touch and the change is still pending; if it does not, the change was made.
    """
    leader_id, since_ts = span.row.leader_id, outage.from_ts
    lag_ms = cluster.waits.at(leader_id, span.start_ts).replica_lag_ms
    until_ts = least(outage.to_ts, span.end_ts, cluster.logs_end_ts)
    if lag_ms is None or since_ts is None or until_ts is None:
        return None
    meanwhile = since(words, since_ts, until_ts)
    asked_ts = max((word.ts for word in meanwhile if (word.kind, word.node_id) == (SHRINKS, leader_id)), default=None)
    last_ts = first_known(asked_ts, greatest(since_ts, span.start_ts))
    if not at_most(plus_millis(last_ts, 1.5 * lag_ms + DROPS_LATE_MS), until_ts):
        return None
    if asked_ts is not None:
        own = cluster.outages.lasting(leader_id, until_ts, asked_ts)
        return None if any(one.may_lead_on or one.as_leader is not None for one in own) else asked_ts
    return plus_millis(greatest(first_known(outage.low_ts, since_ts), span.start_ts), lag_ms)


def _ended_idle_ts(
    outage: NodeOutage, node_id: int, words: Iterable[BrokerStatement], cluster: Cluster
) -> datetime | None:
    """When the process after an outage ended without having taken up the partition, and therefore without having
    fetched it.

    None if it did not end, or if the node does not log its roles.
    """
    roles = (*ROLES_TAKEN, *BECOMES_FOLLOWER)
    prints_roles = any(word.kind in roles and word.node_id == node_id for word in words)
    ends = cluster.process_ends.get(node_id, [])
    if outage.to_ts is None or not prints_roles:
        return None
    later = islice(ends, bisect_left(ends, outage.to_ts, key=lambda end: end.low_ts), None)
    return next((end.low_ts for end in later if end.fault_id != outage.fault_id), None)


@dataclass(frozen=True)
class Applied:
    """When a leader applied the end of an ISR: between `low_ts` and `high_ts`; None if no line shows it."""

    low_ts: datetime | None
    high_ts: datetime | None


def _applied(span: IsrSpan, then: IsrSpan | None, words: Sequence[BrokerStatement], cluster: Cluster) -> Applied:
    """When an ISR ended for its leader: when the leader of the next ISR, which may be the same one, logs that ISR.

    In ZooKeeper mode, a leader itself writes the ISRs of its leader epoch.
    """
    end_ts = span.end_ts
    if end_ts is None or then is None or then.leader_id < 0 or then.start_ts != end_ts:
        return Applied(end_ts, end_ts)
    begins_epoch = then.leader_epoch != span.leader_epoch
    own_ts = _applied_ts(then, begins_epoch, words)
    if own_ts is not None:
        return Applied(max(own_ts, end_ts), max(own_ts, end_ts))
    if then.leader_id != span.leader_id or not (begins_epoch or KRAFT in cluster.modes):
        return Applied(end_ts, end_ts)
    later = (word.ts for word in since(words, end_ts) if word.node_id == then.leader_id and _is_after(word, span, then))
    return Applied(end_ts, least(next(later, None), _moved_ts(span, then, words)))


def _moved_ts(span: IsrSpan, then: IsrSpan, words: Sequence[BrokerStatement]) -> datetime | None:
    """The first line after a smaller ISR was committed in which the leader's high watermark is higher than in the line in
    which it asked for that ISR; None without such lines. The leader waited no longer: it had applied the ISR, or the
    member had fetched.
    """
    own = [word for word in since(words, span.start_ts) if word.node_id == span.leader_id]
    asked = [word.high_watermark for word in own if word.kind == SHRINKS and at_most(word.ts, then.start_ts)]
    later = (word.ts for word in own if word.ts > then.start_ts and asked and less(asked[-1], word.high_watermark))
    return next(later, None)


def _applied_ts(then: IsrSpan, begins_epoch: bool, words: Sequence[BrokerStatement]) -> datetime | None:
    """The time of the first line that shows that the leader has applied its ISR. Because of clock differences, it
    may be before the decision.
    """
    earliest_ts = plus_millis(then.start_ts, -CLOCKS_DIFFER_MS)
    own = (
        word.ts
        for word in takewhile(lambda word: then.end_ts is None or word.ts < then.end_ts, since(words, earliest_ts))
        if word.node_id == then.leader_id
        and (
            _proves_isr(word, then, begins_epoch)
            or (begins_epoch and word.kind == LEADER_BEGUN and word.ts >= then.start_ts)
        )
        and (word.kind != REFUSES or word.ts >= then.start_ts)
    )
    return next(own, None)


def _is_after(word: BrokerStatement, span: IsrSpan, then: IsrSpan) -> bool:
    """Whether a leader can log this line only after it has applied the end of an ISR."""
    if word.kind in (REFUSES, LEADER_BEGUN):
        return True
    if word.kind not in (*LEADERS_LINES, *ROLES_TAKEN, FIRST_RECORD):
        return False
    if less(span.leader_epoch, word.leader_epoch):
        return True
    return (
        word.leader_epoch in (None, then.leader_epoch) and word.isr is not None and sorted(word.isr) != sorted(span.isr)
    )


def backing_off(
    tenures: Iterable[Tenure], isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement], cluster: Cluster
) -> Iterator[Claim]:
    """A member of the ISR learns a new leader epoch before its leader does. It gets an error and fetches again after
    `replica.fetch.backoff.ms` (facts §1.3); acks=all waits for it.

    From 2.5, a line may show this if the leader stays. No line shows that a new leader has not started yet, so a
    back-off is possible after any leader change, and before 2.5 after any new leader epoch. From 2.5, it is also
    possible if the leader stays and a member starts the leader epoch at another time. The suspects are the members
    missing from the ISR.
    """
    of_epoch = by_key(isr_spans, _leader_epoch)
    for word in words:
        if word.kind in BACKS_OFF:
            role_ts = _taken_up_after(plus_millis(word.ts, 1), word.node_id, words, ROLES_TAKEN)
            printed = BackOff({word.node_id}, word.node_id, word.ts, role_ts, known([word.event_id]))
            yield from _waits_for_back_off(printed, isr_spans, isr_spans, words, cluster)
    for tenure in tenures:
        if tenure.leader_id >= 0 and tenure.last_leader_id is not None:
            followed = [span for span in of_epoch[tenure.leader_epoch] if len(span.isr) > 1]
            for possible in _possible_back_offs(tenure, followed, words, cluster):
                yield from _waits_for_back_off(possible, followed, isr_spans, words, cluster)


@dataclass(frozen=True)
class BackOff:
    """A back-off of ISR members. It may have begun at `role_ts`, and has begun at `ts` if it happened at all. The
    settings of `node_id` bound it.
    """

    members: set[int]
    node_id: int
    ts: datetime
    role_ts: datetime | None
    evidence: Sequence[str]


def _possible_back_offs(
    tenure: Tenure, followed: Iterable[IsrSpan], words: Sequence[BrokerStatement], cluster: Cluster
) -> Iterator[BackOff]:
    """The back-offs at the start of a leader epoch that no line shows."""
    members = set(chain.from_iterable(span.isr for span in followed)) - {tenure.leader_id}
    if tenure.last_leader_id == tenure.leader_id and cluster.surely_from(BACK_OFF_PRINTED_FROM):
        yield from _begin_apart(tenure, members, words, cluster)
    else:
        yield BackOff(members, tenure.leader_id, tenure.serves_ts, tenure.serves_ts, tenure.evidence)


def _begin_apart(
    tenure: Tenure, members: Iterable[int], words: Sequence[BrokerStatement], cluster: Cluster
) -> Iterator[BackOff]:
    """The back-offs if a leader stays but starts its leader epoch later than an ISR member, or if a member that does
    not know the epoch yet is fenced.
    """
    own = list(since(words, plus_millis(tenure.start_ts, -CLOCKS_DIFFER_MS), tenure.until_ts))
    of_epoch = [word for word in own if word.leader_epoch == tenure.leader_epoch]
    led = next((word for word in of_epoch if (word.kind, word.node_id) == ("leader_start", tenure.leader_id)), None)
    if led is None:
        return
    for member in sorted(members):
        begins = (word for word in of_epoch if (word.kind, word.node_id) == ("follower_start", member))
        begin = next(begins, None)
        if begin is None:
            continue
        evidence = known([begin.event_id, led.event_id])
        if begin.ts < led.ts:
            yield BackOff({member}, tenure.leader_id, led.ts, begin.ts, evidence)
        elif _is_fenced(member, begin.ts, own, cluster):
            yield BackOff({member}, tenure.leader_id, begin.ts, led.ts, evidence)


def _is_fenced(member: int, begin_ts: datetime, words: Iterable[BrokerStatement], cluster: Cluster) -> bool:
    """Whether the process that starts a leader epoch at that time had been fenced before. A process that ends leaves
    the ISR first.
    """
    ended = cluster.process_ends.get(member, ())
    since_ts = max((end.from_ts for end in ended if at_most(end.from_ts, begin_ts)), default=None)
    fenced = (word for word in words if word.kind == FENCED and word.node_id == member)
    return any(word.ts <= begin_ts and not less(word.ts, since_ts) for word in fenced)


def _waits_for_back_off(
    back_off: BackOff,
    followed: Iterable[IsrSpan],
    isr_spans: Sequence[IsrSpan],
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> Iterator[Claim]:
    """The state of acks=all in the ISRs whose members back off.

    It certainly waits from `ARRIVES_MS` on, when clients have received what the leader acknowledged before, unless a
    follower takes on a role meanwhile; from an earlier role on, it may wait. The first fetch after the back-off may
    wait for `replica.fetch.wait.max.ms`, and only the next one shows the leader how far the log has grown. Once all
    members have fetched in the leader epoch, none of them backs off any more.
    """
    ts, role_ts = back_off.ts, back_off.role_ts
    waits = cluster.waits.at(back_off.node_id, ts)
    sure_until_ts = plus_millis(ts, waits.fetch_backoff_ms)
    if sure_until_ts is None:
        return
    latest_ts = plus_millis(sure_until_ts, waits.fetch_backoff_ms + 2 * (waits.fetch_wait_ms or 0))
    for span in followed:
        members = back_off.members.intersection(span.isr) - {span.leader_id}
        is_later = latest_ts < span.start_ts or less(span.end_ts, least(ts, role_ts))
        if span.leader_id < 0 or not members or is_later:
            continue
        begin_ts, sure_ts = greatest(least(ts, role_ts), span.start_ts), least(sure_until_ts, role_ts, span.end_ts)
        again_ts = greatest(sure_until_ts, *_until_again(span, members, sure_until_ts, waits, words, cluster))
        fetched_ts = _fetched_ts(span, members, ts, waits, words, cluster)
        over_ts = least(plus_millis(again_ts, waits.fetch_wait_ms), span.end_ts, fetched_ts)
        unsure_ts = greatest(begin_ts, sure_ts)
        sent_ts = least(plus_millis(begin_ts, ARRIVES_MS), unsure_ts)  # clients have all that was acknowledged before
        stages = (begin_ts, sent_ts, UNKNOWN), (sent_ts, sure_ts, CLOSED), (unsure_ts, over_ts, UNKNOWN)
        for start_ts, end_ts, state in stages:
            if start_ts is not None and end_ts is not None and start_ts < end_ts:
                yield from _claims(
                    span,
                    (ACKS_ALL,),
                    start_ts=start_ts,
                    end_ts=end_ts,
                    state=state,
                    reason="isr_member_backs_off",
                    suspects=[id_ for id_ in span.replicas or _members(isr_spans) if id_ not in span.isr],
                    confidence="inferred",
                    evidence=back_off.evidence,
                )


def _until_again(
    span: IsrSpan,
    members: set[int],
    until_ts: datetime,
    waits: NodeTimings,
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> Iterator[datetime | None]:
    """Until when members may back off again.

    From 4.0, a member that has backed off in this leader epoch does so again when it truncates its log
    (`PartitionFetchState` measures its delay from each change of state).
    """
    if cluster.surely_before(BACKS_OFF_AGAIN_FROM):
        return
    first_ts: dict[int | None, datetime] = {}
    for word in words:
        if word.kind in FOLLOWS and word.leader_epoch == span.leader_epoch:
            first_ts.setdefault(word.node_id, word.ts)
        elif word.kind == CUTS_BY_EPOCH and word.node_id in members:
            had_backed_off = at_most(plus_millis(first_ts.get(word.node_id), waits.fetch_backoff_ms), word.ts)
            if had_backed_off and at_most(word.ts, plus_millis(until_ts, waits.fetch_wait_ms)):
                yield plus_millis(word.ts, waits.fetch_backoff_ms)


def _fetched_ts(
    span: IsrSpan,
    members: Iterable[int],
    ts: datetime,
    waits: NodeTimings,
    words: Sequence[BrokerStatement],
    cluster: Cluster,
) -> datetime | None:
    """When all these ISR members had fetched records of the leader epoch; None if no line shows it.

    Each member logged the first record or, before 4.0, truncated its log at its leader's request, because its next
    fetch follows at once. Or the leader's high watermark had passed the start of the leader epoch.
    """
    of_epoch = [word for word in since(words, ts) if word.leader_epoch == span.leader_epoch]
    first = {word.node_id: plus_millis(word.ts, ARRIVES_MS) for word in reversed(of_epoch) if word.kind == FIRST_RECORD}
    cut = _truncated_ts(span, ts, words) if cluster.surely_before(BACKS_OFF_AGAIN_FROM) else {}
    fetched = [least(first.get(one), plus_millis(cut.get(one), waits.fetch_wait_ms)) for one in members]
    of_leader = [word for word in of_epoch if word.node_id == span.leader_id]
    starts = [word.log_end_offset for word in of_leader if word.kind == "leader_start"]
    committed = (word.ts for word in of_leader if starts and less(starts[0], word.high_watermark))
    return least(next(committed, None), None if None in fetched else greatest(*fetched))


def _truncated_ts(span: IsrSpan, ts: datetime, words: Sequence[BrokerStatement]) -> dict[int, datetime]:
    """When each follower first truncated its log in a leader epoch at its leader's request, from `ts` on.

    A follower without a leader epoch of its own truncates to its high watermark without a request.
    """
    begun, unasked, cut = set[int](), set[int](), dict[int, datetime]()
    for word in words:
        if word.kind in FOLLOWS and word.leader_epoch == span.leader_epoch:
            begun.add(word.node_id)
        elif word.kind == "truncation_to_hw":
            unasked.add(word.node_id)
        elif word.kind in LOG_CUTS and word.node_id in begun - unasked and word.ts >= ts:
            cut.setdefault(word.node_id, word.ts)
        elif word.kind in LOG_CUTS:
            unasked.discard(word.node_id)
    return cut


def _leader_epoch(span: IsrSpan) -> int:
    return span.leader_epoch


def _members(isr_spans: Iterable[IsrSpan]) -> list[int]:
    """All brokers that were ever in an ISR of the partition."""
    return sorted(set(chain.from_iterable(span.isr for span in isr_spans)))


def waiting_for_the_dropped(isr_spans: Sequence[IsrSpan], cluster: Cluster) -> Iterator[Claim]:
    """The controller removed a replica from the ISR while its broker runs. In the same leader epoch, the leader
    waits for the replica until `replica.lag.time.max.ms` after it had last caught up, as if it were about to
    rejoin (facts §1.4, `Partition.maybeIncrementLeaderHW`).

    This happens if one log directory fails. A new leader epoch begins without the replica, and no leader waits for a
    broker that is fenced or stops.
    """
    for before, span in pairwise(_in_order(isr_spans)):
        if (before.leader_id, before.leader_epoch) != (span.leader_id, span.leader_epoch) or span.leader_id < 0:
            continue
        lag_ms = cluster.waits.at(span.leader_id, span.start_ts).replica_lag_ms
        gone = set(before.isr) - set(span.isr)
        for outage in chain.from_iterable(cluster.outages.lasting(id_, before.end_ts, before.start_ts) for id_ in gone):
            if (
                lag_ms is None
                or outage.partitions is None
                or not _falls_into(outage, Span(before, before.start_ts, before.end_ts))
            ):
                continue
            gone_ts = _next_fault_ts(outage, cluster)
            waits = outage.but(
                low_ts=None,
                from_ts=None,
                to_ts=greatest(span.start_ts, least(plus_millis(outage.low_ts, lag_ms - FETCHED_WITHIN_MS), gone_ts)),
                back_ts=plus_millis(outage.from_ts, lag_ms + FETCHED_WITHIN_MS),
            )
            reason = "waiting_for_dropped_replica"
            yield from _stages(
                waits, Span(span, span.start_ts, span.end_ts), outage.follows, reason, reason, (ACKS_ALL,)
            )


def _next_fault_ts(outage: NodeOutage, cluster: Cluster) -> datetime | None:
    """When another fault or a stop of the node may have begun; None without one."""
    later = (
        first_known(fault.began_low, fault.ts)
        for fault in cluster.faults.get(outage.node_id, ())
        if fault.fault_id != outage.fault_id and not fault.partitions
    )
    return min((ts for ts in known(later) if ts > outage.from_ts), default=None)


def _between(
    leader_id: int, member_id: int, from_ts: datetime, to_ts: datetime | None, cluster: Cluster
) -> Iterator[NodeOutage]:
    """The outages that may keep a member from fetching from its leader in a time: its own, and the leader's cuts."""
    for outage in cluster.outages.lasting(member_id, to_ts, from_ts):
        if outage.follows is not None and _concerns(outage.peers, leader_id):
            yield outage
    for outage in cluster.outages.lasting(leader_id, to_ts, from_ts):
        if outage.follows is not None and outage.is_cut and _concerns(outage.peers, member_id):
            yield outage


def _concerns(peers: Sequence[int] | None, node_id: int) -> bool:
    return peers is None or node_id in peers


def below_min_isr(isr_spans: Sequence[IsrSpan], words: Sequence[BrokerStatement], cluster: Cluster) -> Iterator[Claim]:
    """The committed ISR is smaller than min.insync.replicas: the leader rejects acks=all (facts §1.6) once it knows.

    A controller's decision may reach a busy leader seconds later. Until the leader logs the ISR or rejects a write,
    nothing is certain. From 3.7, the setting is limited to the number of replicas. If this matters and the release
    or the replicas are unknown, the state is unknown. So it is while replicas are missing in the ISR if no line shows the
    setting; then only a rejected write shows that the ISR is too small.
    """
    members = _members(isr_spans)
    below = [span for span in isr_spans if span.leader_id >= 0 and _may_be_below(span, members, cluster)]
    first_ts = {epoch: min(span.start_ts for span in own) for epoch, own in by_key(below, _leader_epoch).items()}
    for span in below:
        begins_epoch = span.start_ts == first_ts[span.leader_epoch]
        is_sure = span.min_isr is None or cluster.surely_before(CAPPED_FROM) or _is_below_all(span)
        sure_ts = _leaders_word_ts(span, begins_epoch, words) if is_sure else None
        claim = {
            "reason": "below_min_isr",
            "suspects": None if span.replicas is None else [id_ for id_ in span.replicas if id_ not in span.isr],
            "confidence": span.confidence,
            "evidence": span.evidence,
        }
        if sure_ts is None or sure_ts > span.start_ts:
            until_ts = least(sure_ts, span.end_ts)
            yield from _claims(span, (ACKS_ALL,), start_ts=span.start_ts, end_ts=until_ts, state=UNKNOWN, **claim)
        if sure_ts is not None:
            yield from _claims(span, (ACKS_ALL,), start_ts=sure_ts, end_ts=span.end_ts, state=CLOSED, **claim)


def _may_be_below(span: IsrSpan, members: Sequence[int], cluster: Cluster) -> bool:
    """Whether the ISR is, or may be, below min.insync.replicas. `members`: all brokers that were ever in an ISR."""
    if span.min_isr is None:
        return len(span.isr) < len(span.replicas or members)
    if len(span.isr) >= span.min_isr:
        return False
    is_capped = cluster.surely_from(CAPPED_FROM) and span.replicas is not None
    return not is_capped or _is_below_all(span)


def _is_below_all(span: IsrSpan) -> bool:
    """Whether the ISR is below the setting even if the setting is limited to the number of replicas."""
    if span.replicas is None or span.min_isr is None:
        return False
    return len(span.isr) < min(span.min_isr, len(span.replicas))


def _leaders_word_ts(span: IsrSpan, begins_epoch: bool, words: Sequence[BrokerStatement]) -> datetime | None:
    """When the leader of an ISR first logged it, started the leader epoch that began with it, or rejected a write."""
    own = (
        word.ts
        for word in since(words, span.start_ts, span.end_ts)
        if word.node_id == span.leader_id and word.ts != span.end_ts and _proves_isr(word, span, begins_epoch)
    )
    return next(own, None)


def _proves_isr(word: BrokerStatement, span: IsrSpan, begins_epoch: bool) -> bool:
    if word.kind == REFUSES:
        return True
    if span.min_isr is None or word.kind not in LEADERS_LINES:
        return False
    if word.isr is not None:
        return sorted(word.isr) == sorted(span.isr)
    return begins_epoch and word.leader_epoch == span.leader_epoch


def _falls_into(outage: NodeOutage, span: Span) -> bool:
    """Whether the outage concerns the partition and overlaps the span."""
    if outage.partitions is not None and span.name not in outage.partitions:
        return False
    if outage.low_ts is not None and span.end_ts is not None and outage.low_ts >= span.end_ts:
        return False
    if outage.must_start:
        return outage.to_ts is None or bool(outage.to_ts > span.start_ts)
    until_ts = first_known(outage.back_ts, outage.to_ts)
    return until_ts is None or bool(until_ts > span.start_ts)


def _stages(
    outage: NodeOutage, span: Span, state: str, reason: str, then: str, kinds: tuple[str, ...]
) -> Iterator[Claim]:
    """The claims of an outage within a span.

    The state is `unknown` from the last proof of health, `state` from the first proof of the outage to the last, and
    `unknown` again (reason `then`) until the first proof that it is over. A bound of None is outside the span.
    """
    begin_ts = greatest(outage.low_ts, span.start_ts)
    sure_ts = greatest(outage.from_ts, span.start_ts)
    sure_until_ts = least(outage.to_ts, span.end_ts)
    over_ts = least(outage.back_ts, span.end_ts)
    for start_ts, end_ts, now, why in (
        (begin_ts, least(sure_ts, span.end_ts), UNKNOWN, reason),
        (sure_ts, sure_until_ts, state, reason),
        (sure_until_ts, over_ts, UNKNOWN, then),
    ):
        if start_ts is not None and (end_ts is None or end_ts > start_ts):
            yield from _claims(
                span.row,
                kinds,
                start_ts=start_ts,
                end_ts=end_ts,
                state=now,
                reason=why,
                fault_id=outage.fault_id,
                confidence="inferred",
                evidence=outage.evidence,
            )


def _claims(of: Tenure | IsrSpan, kinds: tuple[str, ...], **given: Any) -> Iterator[Claim]:
    """Rows of `CLAIMS`, one for each kind of producer."""
    for acks in kinds:
        yield Claim(topic=of.topic, partition=of.partition, acks=acks, **given)
