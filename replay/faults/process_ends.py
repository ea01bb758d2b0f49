"""Processes that ended: abruptly (F01), or by an ordered shutdown (F02)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from replay.facts.connections import broken_connections
from replay.facts.evidence import joined
from replay.facts.groups import grouped
from replay.facts.lines import detail
from replay.facts.order import at_most, less
from replay.facts.sessions import lines_of_end
from replay.facts.times import first_known, greatest, least, millis, plus_millis
from replay.facts.window import ALL_TIME, TimeWindow
from replay.faults.last_heartbeats import Bounds, LastHeartbeats
from replay.faults.shape import bursts_of, fault
from replay.faults.witnessed import ENDERS, PROVE_AN_END, found_in, is_out_of_heap
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokenConnection, BrokerSession, NodeTimings, ProcessLife
from replay.tables.coverage import LogRun
from replay.tables.faults import Fault, Witness
from replay.tables.reading import Fact

ENDED_BEFORE = "ended_before_its_files"  # the reason of an end that only the next start shows
QUOTED = 300  # the number of characters quoted from a process's fatal error
AT_ONCE_MS = 5_000  # processes that died this close together may have one cause
CLOSED_WITHIN_MS = 500  # facts §6.1, R1: peers see a dead process's connections closed within this time
MISSED_WITHIN_MS = 1_000  # includes the difference between two nodes' clocks
SEARCHED_MS = 600_000  # how long after a last line to look for the end
_ENDERS = tuple(rule for rule in ENDERS if rule.name in PROVE_AN_END)
# A peer whose connection is refused retries within reconnect.backoff.max.ms (1 s by default): silence means that it connected.
REFUSED_AGAIN_MS = 10_000
RETRIED_WITHIN_MS = 30_000  # replica.socket.timeout.ms: a peer that cannot reach a broker fails at least this often
MISSED_LATE_MS = 60_000  # the loss of a session may be logged this long after the next start


@dataclass(frozen=True)
class Error:
    """A peer's failure to reach a node: the peer (`node_id`), the time, the line, the start of its series of failures,
    and whether the node's kernel ended the connection. `open_ms`: how long the peer's fetch had been open then.
    """

    node_id: int
    ts: datetime
    event_id: str
    closed: bool
    failing_since: datetime
    end_of_stream: bool = False
    open_ms: int | None = None


@dataclass(frozen=True)
class End:
    """An abrupt end of a process.

    `lost`: the session that it lost. `error`: the first error of a peer about it. `closed_ts`: when a peer first
    found its connection closed. `closed_before`: whether the peer may have noticed this only late. `witness`: the
    statement that proves the end. `first_missed_late`: whether the peer with the first error started after the
    process's last line. `missed_before`: whether peers may have missed it before the logs begin, or no peer was up
    to miss it.
    """

    life: ProcessLife
    lost: BrokerSession | None
    error: Error | None
    closed_ts: datetime | None
    witness: Witness | None = None
    closed_before: bool = False
    first_missed_late: bool = False
    missed_before: bool = False
    ended_by_kernel: Error | None = None  # a connection that the host's kernel ended, so it ran after its process

    @property
    def error_ts(self) -> datetime | None:
        return self.error.ts if self.error is not None else None

    @property
    def missed_ts(self) -> datetime | None:
        """When a peer or the controller first missed the node."""
        return least(self.error_ts, self.lost.end_ts if self.lost is not None else None)

    @property
    def is_silent(self) -> bool:
        """Whether the process may be frozen instead."""
        return self.life.ended is None and self.closed_ts is None and self.witness is None

    @property
    def died_ts(self) -> datetime | None:
        return first_known(self.missed_ts, self.life.last_ts)


def process_ends(
    facts: Sequence[Fact],
    processes: Sequence[ProcessLife],
    recorded_sessions: Iterable[BrokerSession],
    timings: Iterable[NodeTimings],
    witnesses: Sequence[Witness] = (),
    window: TimeWindow = ALL_TIME,
    log_runs: Iterable[LogRun] = (),
) -> list[Fault]:
    """F01, F02: processes that ended."""
    return [*killed(facts, processes, recorded_sessions, timings, witnesses, window, log_runs), *stopped(processes)]


def killed(
    facts: Sequence[Fact],
    processes: Sequence[ProcessLife],
    sessions: Iterable[BrokerSession],
    timings: Iterable[NodeTimings],
    witnesses: Sequence[Witness] = (),
    window: TimeWindow = ALL_TIME,
    log_runs: Iterable[LogRun] = (),
) -> list[Fault]:
    """F01: a process that ended without logging a shutdown.

    Its files stop abruptly and its next process finds no clean-shutdown marker, or peers find their connections to
    it closed and refused. A process that does not return, and whose sockets stay open as far as the logs show, may
    be frozen instead (facts §5, F04); it only fell `silent` (F00). The process died between its last line and the
    latest time that its session allows. A line of its host or container about the end (`witnesses`) proves and dates
    the end.
    """
    errors, by_node = _errors_about(facts), grouped(witnesses, lambda row: row.node_id)
    lives = grouped(processes, lambda row: row.node_id)
    ends = [
        _end(
            life, lost, _errors_after(life, errors.get(life.node_id, [])), by_node.get(life.node_id, []), lives, window
        )
        for life, lost in _without_a_word(processes, sessions, by_node)
    ]
    heartbeats = LastHeartbeats.of(facts, timings, log_runs)
    is_alone = len({fact.node_id for fact in facts} - {None}) == 1
    return [
        _ended(end, _lost_at_once(end, ends), heartbeats.bounds(end.lost), by_node.get(end.life.node_id, []), is_alone)
        for end in ends
    ]


def ended_before_logs(processes: Iterable[ProcessLife]) -> list[Fault]:
    """F01: the ends of processes of which only the next start is logged, the first one in its node's files: it found no
    clean-shutdown marker and recovered its logs. They ended by then; since when is not logged. The first line of that
    start may be missing, too. A marker in another directory shows that they were shut down: a directory had failed.
    """
    first: dict[int, ProcessLife] = {}
    for life in sorted(processes, key=lambda life: life.life):
        first.setdefault(life.node_id, life)
    return [
        _ended_by_its_start(life)
        for life in first.values()
        if life.recovery_event is not None
        and life.clean_start_event is None
        and (life.start_event is not None or (life.unclean_start_event is not None and life.first_ts is not None))
    ]


def _ended_by_its_start(then: ProcessLife) -> Fault:
    by_ts = first_known(then.start_ts, then.first_ts)
    return fault(
        "killed",
        statement(
            ENDED_BEFORE,
            node=then.node_id,
            at_start=then.start_ts,
            at_first=by_ts if then.start_ts is None else None,
        ),
        broker_id=then.node_id,
        ts=by_ts,
        began_high=by_ts,
        end_ts=by_ts,
        confidence=0.9,
        unknowns=["when_it_ended"],
        evidence=joined([then.start_event, then.unclean_start_event, then.recovery_event]),
    )


def _without_a_word(
    processes: Iterable[ProcessLife], sessions: Iterable[BrokerSession], witnesses: Mapping[int, Sequence[Witness]]
) -> Iterator[tuple[ProcessLife, BrokerSession | None]]:
    """The processes that ended without a shutdown, each with the session that it lost, if any.

    They were killed, stopped on a fatal error, or lost their session after their last line, or only witnesses report
    their end (`witnesses`, by node). A process that dies before it registers has no session to lose, so a broker may
    die several times for one lost session.
    """
    crashed = grouped((session for session in sessions if session.ended_by == "crash"), lambda row: row.broker_id)
    for life in processes:
        of_node = crashed.get(life.node_id, [])
        of_life = [session for session in of_node if _was_lost_by(life, session)]
        lost = min(of_life, key=lambda session: session.end_ts, default=None)
        if life.ended in ("killed", "fatal") or (life.ended is None and lost is not None):
            yield life, lost
        elif life.ended is None and _witness_of(life, witnesses.get(life.node_id, []), None) is not None:
            yield life, None


def _end(
    life: ProcessLife,
    lost: BrokerSession | None,
    errors: Sequence[Error],
    witnesses: Sequence[Witness],
    lives: Mapping[int, Sequence[ProcessLife]],
    window: TimeWindow,
) -> End:
    """The end of a process.

    `errors`: its peers' errors about it, in time order. `witnesses`: the statements about its node. `lives`: the
    processes of all nodes.
    """
    closed = next((error for error in errors if error.closed), None)
    read_since = plus_millis(window.since, RETRIED_WITHIN_MS)
    late = [error for error in errors if _began_after(life, lives.get(error.node_id, ()), error.ts)]
    was_missed_late = bool(late) and late[0] is errors[0]
    end = End(
        life,
        lost,
        errors[0] if errors else None,
        closed.ts if closed else None,
        first_missed_late=was_missed_late,
        ended_by_kernel=next((error for error in errors if error.end_of_stream), None),
        closed_before=closed in late or (closed is not None and less(closed.failing_since, read_since)),
    )
    return replace(
        end,
        witness=_witness_of(life, witnesses, end.missed_ts),
        missed_before=was_missed_late or (less(life.last_ts, window.since) and less(end.missed_ts, read_since)),
    )


def _began_after(life: ProcessLife, lives_of_peer: Iterable[ProcessLife], ts: datetime) -> bool:
    """Whether the peer that logged an error at `ts` started after the process's last line, so that the process may
    have died earlier.
    """
    return any(less(life.last_ts, one.start_ts) and at_most(one.start_ts, ts) for one in lives_of_peer)


def _witness_of(life: ProcessLife, witnesses: Sequence[Witness], missed_ts: datetime | None) -> Witness | None:
    """The first witness of the end of a process, after its last line and before others missed it or it restarted."""
    until = first_known(least(missed_ts, life.next_start_ts), plus_millis(life.last_ts, SEARCHED_MS))
    found = found_in(witnesses, life.last_ts, until, _ENDERS)
    return found.first if found is not None else None


def _was_lost_by(life: ProcessLife, session: BrokerSession) -> bool:
    latest = plus_millis(first_known(life.next_start_ts, session.end_ts), MISSED_LATE_MS)
    return less(life.last_ts, session.end_ts) and at_most(session.end_ts, latest)


def _errors_about(facts: Sequence[Fact]) -> Mapping[int, list[Error]]:
    """By node, in time order: the errors of peers that could not reach it.

    A peer's attempts belong to one series of failures if at most `RETRIED_WITHIN_MS` pass between them.
    """
    broken = [row for row in broken_connections(facts) if row.peer_id is not None and row.ts is not None]
    errors: dict[int, list[Error]] = {}
    rows_of_failures = bursts_of(broken, lambda row: (row.node_id, row.peer_id), RETRIED_WITHIN_MS)
    for failing in chain.from_iterable(map(_without_success_between, rows_of_failures)):
        errors.setdefault(failing[0].peer_id, []).extend(
            Error(row.node_id, row.ts, row.event_id, row.closed, failing[0].ts, bool(row.end_of_stream), row.open_ms)
            for row in failing
        )
    return {node: sorted(own, key=lambda error: (error.ts, error.event_id)) for node, own in errors.items()}


def _without_success_between(failing: Sequence[BrokenConnection]) -> Iterator[list[BrokenConnection]]:
    """Splits a series of failures at gaps in which the peer, after a refusal, must have connected.

    The node was starting before such a gap and died after it.
    """
    row: list[BrokenConnection] = []
    for broken in failing:
        if row and row[-1].refused and not at_most(millis(broken.ts, row[-1].last_ts or row[-1].ts), REFUSED_AGAIN_MS):
            yield row
            row = []
        row.append(broken)
    yield row


def _errors_after(life: ProcessLife, errors: Sequence[Error]) -> list[Error]:
    """The errors of peers after the process's last line. Omits peers that could not reach it before, because of a
    cut link.
    """
    until = least(life.next_start_ts, plus_millis(life.last_ts, SEARCHED_MS))
    begin = bisect_right(errors, life.last_ts, key=lambda error: error.ts)
    end = bisect_right(errors, until, key=lambda error: error.ts)
    return [error for error in errors[begin:end] if _reached_before(error, life)]


def _reached_before(error: Error, life: ProcessLife) -> bool:
    """Whether the peer reached the node while the process ran: its failures began with the end of the process, or
    before its start.
    """
    missed_from = plus_millis(life.last_ts, -MISSED_WITHIN_MS)
    return less(missed_from, error.failing_since) or at_most(error.failing_since, life.start_ts)


def _lost_at_once(end: End, ends: Iterable[End]) -> list[int]:
    """The other nodes that died within `AT_ONCE_MS`.

    Their lines do not show what they share (host, rack, power). Empty if peers may have missed the node before the
    logs begin, because the time of its death is then unknown.
    """
    died = {
        other.life.node_id
        for other in ends
        if not (other.is_silent or other.missed_before or end.missed_before)
        and abs(millis(other.died_ts, end.died_ts) or 0) <= AT_ONCE_MS
    }
    return sorted(died - {end.life.node_id})


def _ended(
    end: End, lost_at_once: list[int], of_session: Bounds, witnesses: Iterable[Witness], is_alone: bool
) -> Fault:
    """The fault of an abrupt end, with the bounds of the time of death.

    A peer that finds its connection closed dates a death to within `CLOSED_WITHIN_MS`, unless Java ran out of heap:
    the process then stops serving before its sockets close. A restart proves the end before it, even if the old
    session still runs.
    """
    life = end.life
    is_fatal = life.ended == "fatal"
    dated = end.witness if end.witness is not None and not detail(end.witness, "since_boot") else None
    ended_by = greatest(dated.latest_ts, life.last_ts) if dated is not None else None
    first_proof = first_known(least(end.missed_ts, life.next_start_ts, ended_by), life.last_ts)
    at_once = (
        plus_millis(end.closed_ts, -CLOSED_WITHIN_MS)
        if end.closed_ts == first_proof and not end.closed_before and not any(map(is_out_of_heap, witnesses))
        else None
    )
    kind = "silent" if end.is_silent else "killed"
    by_kernel = dated.ts if dated is not None and dated.kind.startswith("kernel_") else None
    low = least(greatest(life.last_ts, at_once, by_kernel), first_proof)
    began_low, began_high = (life.last_ts, life.last_ts) if is_fatal else narrowed((low, first_proof), of_session)
    by_session = (began_low, began_high) != (low, first_proof) or first_proof == end.missed_ts
    unknowns = [] if end.error is not None or dated is not None else [_what_bounds_it(life, by_session, is_alone)]
    return fault(
        "halted" if is_fatal else kind,
        _how_it_ended(end, lost_at_once),
        broker_id=life.node_id,
        ts=life.last_ts if is_fatal else first_proof,
        began_low=began_low,
        began_high=began_high,
        end_ts=life.next_start_ts,
        confidence=_how_sure(end),
        unknowns=["whether_it_died"] if end.is_silent else unknowns,
        evidence=joined(
            [end.witness.event_id] if end.witness is not None else None,
            [life.last_event, end.error.event_id if end.error is not None else None, life.fatal_event],
            [end.ended_by_kernel.event_id] if end.ended_by_kernel is not None else None,
            lines_of_end(end.lost) if end.lost is not None else None,
            [life.next_start_event, life.recovered_event],
        ),
    )


def _what_bounds_it(life: ProcessLife, by_session: bool, is_alone: bool) -> str:
    """Which lines bound the time of a death that no peer logged. `is_alone`: the input has no files of another node."""
    if life.next_start_ts is None:
        return "when_it_died_unstarted_alone" if is_alone else "when_it_died_unstarted"
    if by_session:
        return "when_it_died_alone" if is_alone else "when_it_died"
    return "when_it_died_in_no_session_alone" if is_alone else "when_it_died_in_no_session"


def narrowed(bounds: Bounds, of_session: Bounds) -> Bounds:
    """The bounds of a death, narrowed by those of the session if the two agree."""
    within = greatest(bounds[0], of_session[0]), least(bounds[1], of_session[1])
    return bounds if less(within[1], within[0]) else within


def _how_sure(end: End) -> float:
    if end.is_silent:
        return 0.5
    if end.witness is not None:
        return 0.98
    if end.life.next_start_event is None:
        return 0.7
    return 0.98 if end.life.recovered_event is not None else 0.9


def _how_it_ended(end: End, lost_at_once: list[int]) -> Statement:
    """The statement about the end.

    A process that stops itself closes its connections before its last line, so peers' later errors come from new
    attempts and are omitted.
    """
    life, is_silent, by_kernel = end.life, end.is_silent, end.ended_by_kernel
    open_ms = None if by_kernel is None else by_kernel.open_ms
    return statement(
        "ended_without_shutdown" if life.fatal_event is None else "stopped_itself_after_error",
        node=life.node_id,
        at_last=life.last_ts,
        quoted=_quoted(life.fatal_said),
        by=end.error.node_id if end.error is not None else None,
        at_error=None if end.first_missed_late or life.fatal_event is not None else end.error_ts,
        at_unreached=end.error_ts if end.first_missed_late else None,
        recovered=life.recovered_event is not None,
        silent=is_silent,
        gone=not is_silent and life.next_start_ts is None,
        host_ran=by_kernel is not None,
        peer=None if by_kernel is None or open_ms is None else by_kernel.node_id,
        open_ms=open_ms,
        all_at_once=lost_at_once if not is_silent and lost_at_once else None,
        **_moved(life),
    )


def _is_marked_in_some(life: ProcessLife) -> bool:
    """Whether a complete stop left the clean-shutdown marker in a log directory, and none in another."""
    is_complete = life.stopped_event is not None and life.gave_up_event is None
    return is_complete and life.clean_event is not None and life.recovered_event is not None


def _moved(life: ProcessLife) -> dict[str, str | None]:
    """The releases before and after the restart, if they differ."""
    is_moved = None not in (life.release, life.next_release) and life.release != life.next_release
    return {"before": life.release, "after": life.next_release} if is_moved else {}


def _quoted(text: str | None) -> str | None:
    return text if text is None or len(text) <= QUOTED else text[:QUOTED] + "…"


def stopped(processes: Iterable[ProcessLife]) -> list[Fault]:
    """F02: an ordered stop, announced in the broker's own files or proven by the clean-shutdown marker of the next
    start.

    `stop_cut_short`: the last line of the shutdown is missing and the next process found no marker, so the process
    was killed first; the grace period is too short (`terminationGracePeriodSeconds`, `TimeoutStopSec`).
    `stop_begun`: the logs have neither the last line nor a later start; the shutdown may hang. `stopped_uncleanly`:
    the controlled shutdown failed, or no log directory has a marker. A complete stop writes the marker into each
    directory that works, so it is no failure of its own if only some have one (`stopped_with_failed_disk`).
    """
    return [_stopped(life) for life in processes if life.ended in ("stopped", "stopped_unseen")]


def _stopped(life: ProcessLife) -> Fault:
    is_seen = life.ended == "stopped"
    not_done = life.stopped_event is None and life.gave_up_event is None
    cut_short = is_seen and not_done and life.recovered_event is not None
    is_open = is_seen and not_done and life.next_start_ts is None
    unclean = is_seen and not cut_short and (life.gave_up_event is not None or life.recovered_event is not None)
    some_marked = unclean and _is_marked_in_some(life)
    began_ts = first_known(life.stop_ts, life.last_ts)
    confidence = 0.98 if is_seen else 0.8
    reason = "told_to_stop" if is_seen else "stopped_unseen"
    uncleanly = "stopped_with_failed_disk" if some_marked else "stopped_uncleanly"
    return fault(
        "stop_cut_short" if cut_short else "stop_begun" if is_open else uncleanly if unclean else "stopped",
        statement(
            "stop_was_cut_short" if cut_short else "stop_was_begun" if is_open else reason,
            node=life.node_id,
            at_stop=life.stop_ts,
            at_last=life.last_ts,
            gave_up=life.gave_up_event is not None,
            recovered=life.recovered_event is not None and not some_marked,
            some_marked=some_marked,
            at_start=life.next_start_ts,
            away_ms=millis(life.next_start_ts, life.last_ts) if is_seen and not cut_short else None,
            **_moved(life),
        ),
        broker_id=life.node_id,
        ts=began_ts,
        began_low=began_ts,
        end_ts=None if is_open else first_known(life.next_start_ts, life.last_ts),
        confidence=0.9 if cut_short else confidence,
        unknowns=[] if is_seen else ["when_its_stop_began"],
        evidence=joined(
            [life.stop_event, life.moved_away_event, life.gave_up_event, life.stopped_event],
            [life.last_event] if cut_short else None,
            [life.next_start_event, life.clean_event, life.recovered_event if is_seen else None],
        ),
    )
