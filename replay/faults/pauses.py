"""Processes that froze and resumed (F04), and silences without a known cause (F00)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TypeVar

from replay.facts.evidence import earliest, joined
from replay.facts.groups import grouped
from replay.facts.lines import detail, detail_number
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import EPOCH, first_known, greatest, least, millis, plus_millis, unix_millis
from replay.facts.timings import Timings
from replay.faults.fetch_links import GRANULARITY_MS
from replay.faults.node_lines import FENCED_EPOCH, JAVA_PAUSES, SHRINK, SILENCE_MS
from replay.faults.shape import begun_in_mid_flow, by_time, fault
from replay.faults.unreachable import ZOOKEEPER_LOST
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokerSession, NodeTimings
from replay.tables.clocks import ClockStep
from replay.tables.faults import Fault, FirstLine, LagShrink, MemoryError, PauseSign, Silence
from replay.tables.reading import Fact

AFTER_WAKING_MS = 3_000  # a node logs within this time what it notices on resuming
LEAST_MISSED_MS = 8_000  # the shortest session timeout: others do not miss a node in a shorter silence
LEAP_MS = 5_000  # the error of a clock step's time and size
ELAPSED_FACTOR, ELAPSED_MARGIN_MS = 1.2, 2_000  # a running node notices a timeout with less delay than this
# ZooKeeper's client wakes when its timeout expires (ClientCnxn.SendThread). So does a fetcher, which waits for a single
# response (NetworkClientUtils.sendAndReceive).
ON_TIME = 1.0
ANSWER_MS = 500  # a healthy peer responds within this time, beyond the wait that the request asks for
CHECK_QUORUM_FACTOR = 1.5  # a Raft leader checks its majority after 1.5 fetch timeouts (LeaderState, from 3.7)
_DOUBTED_BEFORE_MS = 60_000  # how long before its session timeout a leader may have been paused or isolated
_DOUBTED_AFTER_MS = 120_000  # how long after it the leader's lines about its followers prove nothing
_LATE_LINE_MS = 1_000  # a line may follow its event this much later
RAFT_MEMORY_MS = 600_000  # earlier elections say nothing about a silence
_CANCELLED = "node_inflight_cancelled"
MISSED_IN_SILENCE = "removed_in_silence"  # the reason of a silence that only leaders noticed
CHECK_FACTOR = 1.5  # a leader checks its ISRs every half replica.lag.time.max.ms, so it removes no follower later
_LEARNT_LATE = ("raft_become_candidate", "raft_transition", "node_request_timeout")  # and fenced leader epochs


K = TypeVar("K", Fact, PauseSign)


@dataclass(frozen=True)
class Sign:
    """A sign that a node may have frozen.

    `sign` is `elapsed` (an elapsed time far above its `limit_ms`), `collected` (a garbage collection), `lost` (a
    lost session) or `removed` (removed from an ISR). The elapsed time began after `since_ts`, between `since_low`
    and `since_high`, if these are known.
    """

    sign: str
    node_id: int
    ts: datetime
    event_id: str | None
    elapsed_ms: int | None = None
    limit_ms: float | None = None
    late_factor: float = ELAPSED_FACTOR
    since_ts: datetime | None = None
    since_low: datetime | None = None
    since_high: datetime | None = None

    @property
    def is_timed(self) -> bool:
        return self.sign in ("elapsed", "collected")

    @property
    def is_too_long(self) -> bool:
        return less((self.limit_ms or 0) * self.late_factor + ELAPSED_MARGIN_MS, self.elapsed_ms)


@dataclass(frozen=True)
class Still:
    """A silence with the signs that explain it."""

    silence: Silence
    signs: Sequence[Sign]

    @property
    def timed(self) -> list[Sign]:
        return [sign for sign in self.signs if sign.is_timed]

    @property
    def elapsed_ms(self) -> int | None:
        return greatest(*[sign.elapsed_ms for sign in self.signs])

    @property
    def is_elapsed_at_least(self) -> bool:
        """Whether the pause began before the measured time did, so that it lasted longer."""
        longest = [sign for sign in self.signs if sign.elapsed_ms is not None and sign.elapsed_ms == self.elapsed_ms]
        return any(sign.since_ts is not None for sign in longest)

    @property
    def limit_ms(self) -> float | None:
        return greatest(*[sign.limit_ms for sign in self.signs])

    @property
    def collected_ms(self) -> int | None:
        return greatest(*[sign.elapsed_ms for sign in self.signs if sign.sign == "collected"])

    @property
    def missed_ts(self) -> datetime | None:
        """When other nodes first missed the node."""
        return least(*[sign.ts for sign in self.signs if not sign.is_timed])

    def has(self, sign: str) -> bool:
        return any(one.sign == sign for one in self.signs)


def paused(
    facts: Sequence[Fact],
    first_lines: Sequence[FirstLine],
    silences: Iterable[Silence],
    pause_signs: Sequence[PauseSign],
    lag_shrinks: Iterable[LagShrink],
    memory_errors: Iterable[MemoryError],
    recorded_sessions: Sequence[BrokerSession],
    timings: Iterable[NodeTimings],
    clock_steps: Iterable[ClockStep],
) -> list[Fault]:
    """F04: a process that froze (garbage collection, virtual machine, SIGSTOP) and resumed.

    A gap in the log alone proves nothing. Proof is an elapsed time far above its timeout in the first lines after
    the gap, or the garbage-collection log. Weaker signs are a session that timed out inside the gap, and a removal
    from an ISR that the broker notices only at its end. They would prove a pause only if no line could be missing.
    Because log files can have gaps, such a node only fell `silent` (F00). A clock that is set forward inflates
    elapsed times; these are ignored.
    """
    dated, waits = [fact for fact in facts if fact.ts is not None], Timings(timings)
    timed_out = [session for session in recorded_sessions if session.ended_by == "session_timeout"]
    late = _late_removals(lag_shrinks, dated, pause_signs, waits)
    signs = _by_node(
        chain(
            _without_leaps(chain(_elapsed_times(dated, waits), late), clock_steps),
            _collections(pause_signs),
            _lost_sessions(timed_out),
            _removals(pause_signs, timed_out, memory_errors),
        )
    )
    learnt, asked = _learnt_late(dated, pause_signs), _fetches_left_open(dated, waits)
    found = []
    for silence in chain(silences, _before_their_files(first_lines, signs)):
        still = Still(silence, _explaining(silence, signs.get(silence.node_id, [])))
        if still.signs and (still.timed or still.has("lost") or _learns(silence, learnt.get(silence.node_id, []))):
            found.append(_as_fault(still, asked.get(silence.node_id, [])))
    return found


def _before_their_files(first_lines: Sequence[FirstLine], signs: Mapping[int, Sequence[Sign]]) -> Iterator[Silence]:
    """Silences of nodes that already ran when their files begin: from the first line of any node to the node's own
    first line. An elapsed time in the first lines of a node shows an earlier begin: a node that runs notices an
    expired timeout at once, whatever its files had before.
    """
    all_began = least(*[row.told_ts for row in first_lines])
    for node_id, begun in begun_in_mid_flow(first_lines).items():
        woke_by = plus_millis(begun.first_ts, AFTER_WAKING_MS)
        elapsed = (
            plus_millis(sign.ts, -(sign.elapsed_ms or 0))
            for sign in signs.get(node_id, ())
            if sign.sign == "elapsed" and at_most(sign.ts, woke_by)
        )
        from_ts = least(all_began, *elapsed)
        if (millis(begun.first_ts, from_ts) or 0) >= SILENCE_MS:
            yield Silence(
                node_id=node_id,
                from_ts=from_ts,
                to_ts=begun.first_ts,
                to_event=begun.first_event,
                without_zookeeper=False,
            )


def _of_kind(rows: Iterable[K], *kinds: str) -> list[K]:
    return [row for row in rows if row.kind in kinds]


def _by_node(signs: Iterable[Sign]) -> Mapping[int, list[Sign]]:
    """The signs of each node, in time order."""
    return grouped(sorted(signs, key=lambda sign: sign.ts), lambda sign: sign.node_id)


# Signs.


def _elapsed_times(facts: Sequence[Fact], waits: Timings) -> Iterator[Sign]:
    """Elapsed times that a node logs when it resumes."""
    return chain(_requests_left_open(facts, waits), _silent_servers(facts, waits), _resigned_late(facts))


def _without_leaps(signs: Iterable[Sign], clock_steps: Iterable[ClockStep]) -> Iterator[Sign]:
    """The elapsed times far above their timeouts. Omits those that a forward clock step explains."""
    leaps = [step for step in clock_steps if step.cause == "clock_set" and step.step_ms > 0]
    for sign in signs:
        if sign.is_too_long and not any(_is_made_by(leap, sign) for leap in leaps):
            yield sign


def _is_made_by(leap: ClockStep, sign: Sign) -> bool:
    until = plus_millis(leap.ts, sign.limit_ms)
    return bool(
        leap.node_id == sign.node_id
        and (sign.elapsed_ms or 0) > leap.step_ms - LEAP_MS
        and until is not None
        and leap.last_ts is not None
        and leap.last_ts <= sign.ts <= until
    )


@reads(_CANCELLED)
def _requests_left_open(facts: Iterable[Fact], waits: Timings) -> Iterator[Sign]:
    """Requests that were in flight when their node froze: it had sent them while it ran, and did not read the
    response that a healthy peer had sent.
    """
    for fact in _of_kind(facts, _CANCELLED):
        elapsed_ms = detail_number(fact, "time_elapsed_since_create_ms")
        limit_ms = detail_number(fact, "request_timeout_ms")
        if elapsed_ms is not None and limit_ms is not None:
            is_fetch = "FETCH" in (detail(fact, "api_key") or "")
            is_follower = is_fetch and "ReplicaFetcher" in (fact.message or "")
            answered_ms = (waits.at(fact.node_id, fact.ts).fetch_wait_ms if is_fetch else 0) + ANSWER_MS
            yield Sign(
                "elapsed",
                fact.node_id,
                fact.ts,
                fact.event_id,
                elapsed_ms,
                limit_ms,
                ON_TIME if is_follower else ELAPSED_FACTOR,
                since_low=plus_millis(fact.ts, -elapsed_ms - GRANULARITY_MS),
                since_high=plus_millis(fact.ts, -elapsed_ms + answered_ms),
            )


@reads(*ZOOKEEPER_LOST, "zk_session_connected")
def _silent_servers(facts: Iterable[Fact], waits: Timings) -> Iterator[Sign]:
    """Timeouts of ZooKeeper clients that got no response from their server.

    A connected client pings after a third of the session timeout and waits two thirds of it for a response. A
    connecting client waits the whole session timeout.
    """
    of_clients = _of_kind(facts, *ZOOKEEPER_LOST, "zk_session_connected")
    for own in grouped(sorted(of_clients, key=by_time), lambda fact: fact.node_id).values():
        for before, fact in zip([None, *own], own, strict=False):
            elapsed_ms = detail_number(fact, "elapsed_ms")
            if fact.kind != "zk_client_timeout" or elapsed_ms is None:
                continue
            is_connecting = before is not None and before.kind in ZOOKEEPER_LOST
            session_ms = waits.at(fact.node_id, fact.ts).zookeeper_session_ms
            pinged_high = plus_millis(fact.ts, -elapsed_ms + session_ms / 3 + ANSWER_MS)
            yield Sign(
                "elapsed",
                fact.node_id,
                fact.ts,
                fact.event_id,
                elapsed_ms,
                session_ms if is_connecting else session_ms * 2 / 3,
                ON_TIME,
                since_low=plus_millis(fact.ts, -elapsed_ms - GRANULARITY_MS),
                since_high=None if is_connecting else pinged_high,
            )


@reads("raft_transition", "raft_check_quorum_lost")
def _resigned_late(facts: Sequence[Fact]) -> Iterator[Sign]:
    """Active controllers that noticed late, after another one was elected, that no majority of voters fetched from
    them.

    An isolated controller that still runs notices this within 1.5 times `controller.quorum.fetch.timeout.ms`
    (`LeaderState`, from 3.7).
    """
    led = [
        fact
        for fact in _of_kind(facts, "raft_transition")
        if fact.node_id is not None and "Completed transition to Leader" in (fact.message or "")
    ]
    for fact in _of_kind(facts, "raft_check_quorum_lost"):
        limit_ms = detail_number(fact, "check_quorum_timeout_ms")
        if limit_ms is None:
            continue
        since_ts = _succeeded_ts(fact, led)
        elapsed_ms = millis(fact.ts, since_ts)
        if elapsed_ms is not None and elapsed_ms > limit_ms * CHECK_QUORUM_FACTOR + ELAPSED_MARGIN_MS:
            # The next leader was elected because this one was already paused.
            yield Sign(
                "elapsed",
                fact.node_id,
                fact.ts,
                fact.event_id,
                elapsed_ms,
                limit_ms,
                since_ts=since_ts,
                since_high=since_ts,
            )


@reads("raft_become_candidate", "raft_become_prospective")
def _late_removals(
    lag_shrinks: Iterable[LagShrink], facts: Iterable[Fact], pause_signs: Iterable[PauseSign], waits: Timings
) -> Iterator[Sign]:
    """Followers that a leader removed from its ISRs later than a running leader does (facts, `F13`), from 3.6 on.

    A leader of an idle partition removes a follower late too: at the first write. A leader counts as frozen only if
    another leader removed it from an ISR meanwhile, so that it did not fetch, and if it is a voter that misses the
    active controller only now. A voter that ran without contact would have missed it within
    `controller.quorum.fetch.timeout.ms`.
    """
    missed = [
        fact
        for fact in _of_kind(facts, "raft_become_candidate", "raft_become_prospective")
        if "fetch timeout" in fact.message
    ]
    removals = _of_kind(pause_signs, SHRINK)
    for shrink in lag_shrinks:
        if shrink.caught_up_ms is None:
            continue
        node, since_ts = shrink.leader_id, plus_millis(EPOCH, shrink.caught_up_ms)
        was_removed = any(row.node_id == node != row.told_by and since_ts < row.ts < shrink.ts for row in removals)
        misses_now = any(fact.node_id == node and _is_within(fact, shrink.ts) for fact in missed)
        if was_removed and misses_now:
            timing = waits.at(node, shrink.ts)
            yield Sign(
                "elapsed",
                node,
                shrink.ts,
                shrink.event_id,
                unix_millis(shrink.ts) - shrink.caught_up_ms,
                timing.replica_lag_ms * CHECK_FACTOR,
                ON_TIME,
                since_low=since_ts,
                since_high=plus_millis(since_ts, timing.fetch_wait_ms + ANSWER_MS),
            )


def _is_within(fact: Fact, ts: datetime) -> bool:
    return abs(millis(fact.ts, ts) or 0) <= AFTER_WAKING_MS


def _succeeded_ts(resigned: Fact, led: Iterable[Fact]) -> datetime | None:
    """When another node was first elected after the resigning leader's own election."""
    low, high = plus_millis(resigned.ts, -RAFT_MEMORY_MS), plus_millis(resigned.ts, -1)
    assert low is not None and high is not None
    near = [one for one in led if low <= one.ts <= high]
    own_ts = greatest(*[one.ts for one in near if one.node_id == resigned.node_id])
    of_others = [one.ts for one in near if one.node_id != resigned.node_id]
    return least(*[ts for ts in of_others if own_ts is None or ts > own_ts])


def _collections(pause_signs: Iterable[PauseSign]) -> Iterator[Sign]:
    """The pauses in the garbage-collection log."""
    for row in _of_kind(pause_signs, *JAVA_PAUSES):
        for line in row.lines:
            yield Sign("collected", row.node_id, line["ts"], line["event_id"], row.elapsed_ms)


def _lost_sessions(timed_out: Iterable[BrokerSession]) -> Iterator[Sign]:
    for session in timed_out:
        yield Sign("lost", session.broker_id, session.end_ts, session.evidence[-1] if session.evidence else None)


def _removals(
    pause_signs: Iterable[PauseSign], timed_out: Iterable[BrokerSession], memory_errors: Iterable[MemoryError]
) -> Iterator[Sign]:
    """Followers that a leader removed from an ISR alone. A leader that removes several at once may itself be
    isolated.

    Ignores the lines of a leader that was itself frozen, isolated or out of memory: it removes healthy followers.
    """
    asleep = [
        (
            session.broker_id,
            plus_millis(session.end_ts, -_DOUBTED_BEFORE_MS),
            plus_millis(session.end_ts, _DOUBTED_AFTER_MS),
        )
        for session in timed_out
    ]
    out_of_memory_spans = [(row.node_id, row.ts, plus_millis(row.last_ts, _DOUBTED_AFTER_MS)) for row in memory_errors]
    doubted = grouped([*asleep, *out_of_memory_spans], lambda time: time[0])
    for row in _of_kind(pause_signs, SHRINK):
        for line in row.lines:
            if not any(low <= line["ts"] <= high for _, low, high in doubted.get(row.told_by, ())):
                yield Sign("removed", row.node_id, line["ts"], line["event_id"])


# Silences that signs explain.


def _explaining(silence: Silence, signs: list[Sign]) -> list[Sign]:
    """The signs of a node that belong to its silence."""
    begin = bisect_left(signs, silence.from_ts, key=lambda sign: sign.ts)
    end = bisect_right(signs, _woke_until(silence), key=lambda sign: sign.ts)
    return [sign for sign in signs[begin:end] if _belongs(sign, silence)]


def _woke_until(silence: Silence) -> datetime:
    until = plus_millis(silence.to_ts, AFTER_WAKING_MS)
    assert until is not None
    return until


def _belongs(sign: Sign, silence: Silence) -> bool:
    """Whether a sign between the start of the silence and the first lines after it belongs to that silence."""
    if sign.sign == "elapsed":
        began_before = sign.since_ts is None or sign.since_ts > silence.from_ts
        ran_out_ts = plus_millis(sign.ts, -(sign.elapsed_ms or 0) + (sign.limit_ms or 0))
        return began_before and sign.ts >= silence.to_ts and less(ran_out_ts, silence.to_ts)
    if sign.sign == "collected":
        return less(plus_millis(silence.from_ts, SILENCE_MS - _LATE_LINE_MS), sign.ts)
    is_inside = less(plus_millis(silence.from_ts, _LATE_LINE_MS), sign.ts) and sign.ts < silence.to_ts
    is_long = silence.from_event is not None and (millis(silence.to_ts, silence.from_ts) or 0) >= LEAST_MISSED_MS
    return is_inside and is_long and not silence.without_zookeeper


@reads(*_LEARNT_LATE)
def _learnt_late(facts: Iterable[Fact], pause_signs: Iterable[PauseSign]) -> Mapping[int, list[datetime]]:
    """When each node noticed what had happened while it was frozen."""
    late = [(fact.ts, fact.node_id) for fact in _of_kind(facts, *_LEARNT_LATE)]
    late += [(sign.ts, sign.node_id) for sign in _of_kind(pause_signs, FENCED_EPOCH)]
    learnt = grouped(sorted(late, key=lambda one: one[0]), lambda one: one[1])
    return {node: [ts for ts, _ in times] for node, times in learnt.items()}


def _learns(silence: Silence, learnt: list[datetime]) -> bool:
    """Whether the node notices, as it resumes, what happened during the silence."""
    at = bisect_left(learnt, silence.to_ts)
    return at < len(learnt) and learnt[at] <= _woke_until(silence)


# Bounds.


def _bounds(still: Still) -> tuple[datetime, datetime]:
    """The bounds of the time at which the pause began: after the last line and the last request that the node sent,
    and before the response to that request was due.
    """
    silence, to_ts = still.silence, still.silence.to_ts
    since_low = greatest(*[sign.since_low for sign in still.signs])
    low = greatest(
        silence.from_ts if silence.from_event is not None else None,
        since_low if less(since_low, to_ts) else None,
        plus_millis(to_ts, -still.collected_ms - ANSWER_MS) if still.collected_ms is not None else None,
    )
    at_latest = plus_millis(to_ts, -still.elapsed_ms + ANSWER_MS) if still.elapsed_ms is not None else None
    since_high = first_known(least(*[sign.since_high for sign in still.signs]), at_latest)
    began_low = first_known(low, silence.from_ts)
    began_high = greatest(began_low, least(since_high, still.missed_ts, to_ts))
    assert began_low is not None and began_high is not None
    return began_low, began_high


@reads(_CANCELLED)
def _fetches_left_open(facts: Iterable[Fact], waits: Timings) -> Mapping[int, list[tuple[datetime, datetime]]]:
    """By node: when the fetches that it left unanswered were sent, and when their responses were due."""
    open_: dict[int, list[tuple[datetime, datetime]]] = {}
    for fact in _of_kind(facts, _CANCELLED):
        elapsed_ms = detail_number(fact, "time_elapsed_since_create_ms")
        if fact.broker_id is None or elapsed_ms is None or detail(fact, "api_key") != "FETCH":
            continue
        due_ms = waits.at(fact.node_id, fact.ts).fetch_wait_ms + ANSWER_MS
        sent_ts = plus_millis(fact.ts, -elapsed_ms - GRANULARITY_MS)
        due_ts = plus_millis(fact.ts, -elapsed_ms + due_ms)
        assert sent_ts is not None and due_ts is not None
        open_.setdefault(fact.broker_id, []).append((sent_ts, due_ts))
    return open_


def _bounded_by_peers(
    began_low: datetime, began_high: datetime, silence: Silence, asked: Iterable[tuple[datetime, datetime]]
) -> tuple[datetime, datetime]:
    """The bounds of a pause's start, narrowed by peers: each sent its unanswered fetch just after the previous
    response.
    """
    inside = [(sent, due) for sent, due in asked if sent >= silence.from_ts and due < silence.to_ts]
    low = max(began_low, min((sent for sent, _ in inside), default=began_low))
    high = min(began_high, min((due for _, due in inside), default=began_high))
    return (low, high) if low <= high else (began_low, began_high)


def _as_fault(still: Still, asked: Iterable[tuple[datetime, datetime]]) -> Fault:
    silence, missed_ts = still.silence, still.missed_ts
    began_low, began_high = _bounded_by_peers(*_bounds(still), silence, asked)
    first_missed = first_known(missed_ts, silence.to_ts)
    evidence = joined(
        [silence.from_event, silence.to_event], earliest((sign.ts, sign.event_id) for sign in still.signs)
    )
    if not still.timed:
        return fault(
            "silent",
            _how_it_is_known(still),
            broker_id=silence.node_id,
            ts=least(first_missed, silence.from_ts),
            began_low=began_low,
            began_high=first_missed,
            end_ts=silence.to_ts,
            confidence=0.5,
            unknowns=["whether_it_stood_still"],
            evidence=evidence,
        )
    open_since_ts = plus_millis(silence.to_ts, -(still.elapsed_ms or 0))
    woke_low = plus_millis(silence.to_ts, -ANSWER_MS)  # a client that runs sees at once that a request is overdue
    return fault(
        "paused",
        _how_it_is_known(still),
        broker_id=silence.node_id,
        ts=least(first_missed, greatest(silence.from_ts, open_since_ts)),
        began_low=began_low,
        began_high=began_high,
        end_ts=silence.to_ts,
        ended_low=greatest(began_high, woke_low if still.has("elapsed") else None),
        confidence=0.97,
        evidence=evidence,
    )


def _how_it_is_known(still: Still) -> Statement:
    silence, limit_ms = still.silence, still.limit_ms
    reason = "session_lost_in_silence" if still.has("lost") else MISSED_IN_SILENCE
    if still.timed:
        reason = "found_time_gone" if still.collected_ms is None else "collected_garbage"
    has_begin = silence.from_event is not None
    return statement(
        reason,
        node=silence.node_id,
        at_from=silence.from_ts if has_begin else None,
        at_to=silence.to_ts,
        at_begin=None if has_begin else silence.to_ts,
        elapsed_ms=None if still.is_elapsed_at_least else still.elapsed_ms,
        least_ms=still.elapsed_ms if still.is_elapsed_at_least else None,
        limit_ms=int(limit_ms) if limit_ms is not None else None,
        collected_ms=still.collected_ms,
    )
