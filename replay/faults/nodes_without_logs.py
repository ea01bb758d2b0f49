"""Faults of nodes that have no log lines from that time, derived from the lines of controllers and peers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.coverage.log_begins import LogBegins
from replay.coverage.log_kinds import SERVER
from replay.facts.connections import broken_connections, peer_named
from replay.facts.evidence import earliest, joined
from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail_number, number_in
from replay.facts.lives import STOP_GRANTED
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads
from replay.facts.sessions import OUTLIVES_MS, SHUTDOWN_GRANTED, lines_of_end
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.last_contact import Contact
from replay.faults.last_heartbeats import Bounds, LastHeartbeats
from replay.faults.process_ends import CLOSED_WITHIN_MS, narrowed
from replay.faults.shape import bursts_of, fault
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokenConnection, BrokerSession, NodeTimings, ProcessLife
from replay.tables.coverage import LogRun
from replay.tables.faults import Fault, FirstMention
from replay.tables.reading import Fact

GRANTED = (*STOP_GRANTED, *SHUTDOWN_GRANTED)
REGISTERED_ANEW = ("kraft_broker_registering_new_incarnation", "kraft_broker_registered_new_incarnation")
STOP_LASTS_MS = 600_000  # a granted shutdown takes at most this time
SAME_ATTEMPT_MS = 50  # reconnect.backoff.ms: the two lines of one failed attempt are closer
RETRIED_MS = 5_000  # a node that loses a connection asks for a new one within this time
REFUSALS, REFUSED_FOR_MS = 3, 3_000  # a node that is only slow does not refuse this often for this long
RUN_MS = 60_000  # refusals further apart than this belong to two outages
LONG_AFTER_MS = 86_400_000  # a node that did not return stays away to the end of these logs
ENDED_UNASKED = "session_ended_unasked"  # the reason of an end that only others report
STOPPED, KILLED, SILENT = "stopped", "killed", "silent"
UNREACHED = "took_no_connection"
# What only the node's own files would show.
UNFENCED = "kraft_broker_unfence_granted"
TIMED_OUT, TIMED_OUT_WITHIN_MS = "node_connect_timeout", 100  # the line just before that of the failed connection
EVENT_FAILED = "kraft_event_failed"
_STALE = "StaleBrokerEpochException"
UNKNOWN_OF = {STOPPED: "whether_its_stop_was_clean", KILLED: "how_it_ended", SILENT: "what_befell_it"}


@dataclass(frozen=True, order=True)
class Sign:
    """A line in which a controller or a peer (`by`) reports something about a node."""

    ts: datetime
    event_id: str
    by: int | None


@dataclass(frozen=True, order=True)
class Unfencing:
    """The line in which a controller unfences a node, with the offset of its registration in the metadata log: another
    process registers anew.
    """

    ts: datetime
    event_id: str
    registration: int


@dataclass(frozen=True)
class Signs:
    """The lines of other nodes about one node, in time order: `granted` shutdowns, `anew` registrations, `refused`
    and `closed` connections, attempts that timed out (`unmade`), and fetches that its host `ended` at once.
    """

    granted: Sequence[Sign] = ()
    anew: Sequence[Sign] = ()
    refused: Sequence[Sign] = ()
    unmade: Sequence[Sign] = ()
    closed: Sequence[Sign] = ()
    ended: Sequence[Sign] = ()
    unfenced: Sequence[Unfencing] = ()


@dataclass(frozen=True)
class Silence:
    """What shows that a node was no longer heard: the bounds of its begin, the lines of its peers that narrow them, and the
    fetches that it left unanswered while its host ended no connection (line by peer).
    """

    began: Bounds
    evidence: Sequence[str]
    unanswered: Mapping[int, str]


@dataclass(frozen=True, order=True)
class StaleHeartbeat:
    """A line in which a controller (`by`) refuses a heartbeat that comes with the broker epoch `got`, as the broker had
    registered anew as `expected`.
    """

    ts: datetime
    event_id: str
    by: int | None
    expected: int
    got: int


@dataclass(frozen=True)
class End:
    """The end of a session, the start of the next one (`back_low`: at the earliest, if only a later line shows it), and
    the first sign of each type that belongs to this end.

    `kept`: the line that unfences the node with the registration that it had before: its process lived on. `late`: a
    heartbeat of this session that reached a controller after the next one had begun. `refused_before`: the peer's log
    begins shortly before the first refused connection, so there may have been earlier ones. `started`: the first line
    of the node's first process in these logs, which starts after the session's end.
    """

    session: BrokerSession
    back_low: datetime | None
    back_ts: datetime | None
    granted: Sign | None
    anew: Sign | None
    closed: Sign | None
    refused: Sign | None
    refused_by: Sequence[int]
    refused_before: bool
    ended: Sign | None
    kept: Unfencing | None
    late: StaleHeartbeat | None
    started: Sign | None
    silence: Silence

    @property
    def kind(self) -> str:
        if self.granted is not None:
            return STOPPED
        if self.kept is not None:
            return SILENT
        return KILLED if self.refused is not None or self.ended is not None or self._is_replaced else SILENT

    @property
    def _is_replaced(self) -> bool:
        """Whether the next process registered while the session still ran."""
        return self.anew is not None and self.anew.event_id in lines_of_end(self.session)


def sessions_lost_without_logs(
    facts: Sequence[Fact],
    processes: Iterable[ProcessLife],
    recorded_sessions: Sequence[BrokerSession],
    first_mentions: Iterable[FirstMention],
    timings: Iterable[NodeTimings],
    log_runs: Sequence[LogRun] = (),
) -> list[Fault]:
    """Sessions that ended while their broker logged nothing.

    A requested shutdown is `stopped` (F02). Otherwise, connections that it refused or its host ended before the session
    ended, and a registration anew while the session still ran, show that the process had ended (`killed`, F01). Without
    such a sign the broker only fell `silent` (F00): it was cut off, froze or died. A new incarnation after that shows only
    that the process had ended by then, as one that was cut off may be killed much later; a frozen or isolated one returns
    as the same incarnation (facts §5, F01, F04). One that is unfenced with the registration that it had before did not end.
    """
    processes = list(processes)
    first_lines, members, signs = _first_lines(processes), _members(first_mentions), _signs(facts)
    starts = _first_starts(processes)
    silences, stale = _Silences.of(facts, timings, log_runs), _stale_heartbeats(facts)
    return [
        _session_fault(
            _end(
                session,
                following,
                members.get(session.broker_id),
                signs.get(session.broker_id, Signs()),
                stale,
                silences.about(session),
                silences.heartbeats.begins,
                starts.get(session.broker_id),
            )
        )
        for session, following in _ended(recorded_sessions)
        if _gave_no_line(session.broker_id, session.end_ts, first_lines)
    ]


@dataclass(frozen=True)
class _Silences:
    """For looking up what shows that the broker of a lost session was no longer heard."""

    heartbeats: LastHeartbeats
    contact: Contact
    waits: Timings

    @staticmethod
    def of(facts: Sequence[Fact], timings: Iterable[NodeTimings], log_runs: Iterable[LogRun]) -> _Silences:
        timings = list(timings)
        return _Silences(LastHeartbeats.of(facts, timings, log_runs), Contact.of(facts), Timings(timings))

    def about(self, session: BrokerSession) -> Silence:
        bounds, timing = self.heartbeats.bounds(session), self.waits.at(session.broker_id, session.end_ts)
        if None in bounds:
            return Silence(bounds, [], {})
        began, evidence = self.contact.with_peers(session, bounds, timing)
        return Silence(began, evidence, self.contact.unanswered(session, timing) if evidence else {})


def outages_without_logs(
    facts: Sequence[Fact],
    sessions_lost_without_logs: Sequence[Fault],
    first_mentions: Iterable[FirstMention],
    processes: Iterable[ProcessLife],
) -> list[Fault]:
    """The outages of nodes that logged nothing at that time: the lost sessions, and outages that only peers report.

    A peer's report counts only if no lost session covers it, or if the hosts of all peers rejected their attempts: then the
    node was cut off from them, whatever else ended its session.
    """
    runs = _nodes_that_refused(facts, processes, first_mentions)
    unreached = [(_refused(run), all(row.by_own_host for row in run)) for run in runs]
    return [
        *sessions_lost_without_logs,
        *(
            outage
            for outage, is_cut in unreached
            if is_cut or not any(_is_of(outage, session) for session in sessions_lost_without_logs)
        ),
    ]


def each_outage_once(faults: Iterable[Fault]) -> list[Fault]:
    """The faults. What peers report about one node without lines at one time is one outage: failed connections to it, and its
    removals from ISRs (`dropped_unseen`), which bound when it began and ended.
    """
    found = list(faults)
    unseen = [one for one in found if one.kind == "dropped_unseen"]
    parts = {id(one): _parts(one, unseen) for one in found if one.reason == UNREACHED}
    merged = {id(part) for own in parts.values() for part in own}
    return [_with_parts(one, parts.get(id(one), [])) for one in found if id(one) not in merged]


def _parts(outage: Fault, unseen: Iterable[Fault]) -> list[Fault]:
    return [
        one
        for one in unseen
        if one.broker_id == outage.broker_id
        and at_most(first_known(one.began_low, one.ts), outage.end_ts)
        and at_most(outage.ts, first_known(one.ended_high, one.end_ts))
    ]


def _with_parts(outage: Fault, parts: Sequence[Fault]) -> Fault:
    if not parts:
        return outage
    drops, leaders = (sum(int((one.arguments or {}).get(name, 0)) for one in parts) for name in ("drops", "leaders"))
    return outage.but(
        ts=least(outage.ts, *(one.ts for one in parts)),
        began_low=least(*(one.began_low for one in parts)),
        began_high=least(outage.ts, *(one.began_high for one in parts)),
        end_ts=greatest(outage.end_ts, *(one.end_ts for one in parts)),
        ended_low=greatest(outage.end_ts, *(one.ended_low for one in parts)),
        ended_high=greatest(*(one.ended_high for one in parts)),
        partitions=sorted({name for one in parts for name in one.partitions or ()}),
        arguments=statement("took_no_connection", drops=drops, leaders=leaders, **(outage.arguments or {})).arguments,
        evidence=joined(outage.evidence, *(one.evidence for one in parts)),
    )


def _is_of(outage: Fault, lost: Fault) -> bool:
    """Whether an outage that peers report falls within the time of a lost session."""
    over_ts = first_known(lost.end_ts, plus_millis(lost.ts, LONG_AFTER_MS))
    return (
        outage.broker_id == lost.broker_id
        and at_most(outage.ts, plus_millis(over_ts, RUN_MS))
        and at_most(plus_millis(lost.ts, -RUN_MS), outage.end_ts)
    )


def _nodes_that_refused(
    facts: Sequence[Fact], processes: Iterable[ProcessLife], first_mentions: Iterable[FirstMention]
) -> list[list[BrokenConnection]]:
    """The failed connections to nodes that had joined the cluster and then took none while they logged nothing."""
    processes = list(processes)
    first_lines, members = _first_lines(processes), _members(first_mentions)
    broken = broken_connections(facts)
    refusals = [
        row
        for row in broken
        if row.refused and less(members.get(row.peer_id), row.ts) and _gave_no_line(row.peer_id, row.ts, first_lines)
    ]
    runs = [run for run in bursts_of(refusals, lambda row: row.peer_id, RUN_MS) if _is_long(run)]
    began = {life.node_id: life.first_ts for life in processes if life.start_ts is None and life.first_ts is not None}
    return [run for run in runs if not _may_be_its_witness(run, runs, broken, began)]


def _is_long(run: Sequence[BrokenConnection]) -> bool:
    """Whether a node refused for longer, and more often, than one that is only slow."""
    lasted_ms = millis(max(row.last_ts for row in run), run[0].ts) or 0
    return sum(row.count for row in run) >= REFUSALS and lasted_ms >= REFUSED_FOR_MS


def _may_be_its_witness(
    run: Sequence[BrokenConnection],
    runs: Iterable[Sequence[BrokenConnection]],
    broken: Iterable[BrokenConnection],
    began: Mapping[int, datetime],
) -> bool:
    """Whether only one node found this one out of reach, and another one at the same time: then it can be itself that
    reached nobody. If its files begin amid its life shortly before (`began`), one broken connection to another node is
    enough: the rest may lie before them.
    """
    witnesses = {row.node_id for row in run}
    if len(witnesses) > 1:
        return False
    begin, end = run[0].ts, max(row.last_ts for row in run)
    since_ts, until_ts = plus_millis(begin, -RUN_MS), plus_millis(end, RUN_MS)
    if any(at_most(since_ts, began.get(node)) for node in witnesses if node is not None):
        others = (row for row in broken if row.peer_id != run[0].peer_id and row.node_id in witnesses)
        return any(at_most(since_ts, row.ts) and at_most(row.ts, until_ts) for row in others)
    return any(
        other[0].peer_id != run[0].peer_id
        and {row.node_id for row in other} == witnesses
        and other[0].ts <= end
        and begin <= max(row.last_ts for row in other)
        for other in runs
    )


def _refused(run: Sequence[BrokenConnection]) -> Fault:
    node, begin, end = run[0].peer_id, run[0].ts, max(row.last_ts for row in run)
    return fault(
        SILENT,
        statement(
            UNREACHED,
            node=node,
            count=sum(row.count for row in run),
            all_peers=sorted({row.node_id for row in run if row.node_id is not None}),
            at_from=begin,
            at_to=end,
        ),
        broker_id=node,
        ts=begin,
        end_ts=end,
        ended_high=plus_millis(end, RETRIED_MS),  # the next attempt went through
        confidence=0.5,
        unknowns=[UNKNOWN_OF[SILENT]],
        evidence=earliest((row.ts, row.event_id) for row in run),
    )


def _first_lines(processes: Iterable[ProcessLife]) -> Mapping[int, datetime]:
    """The time of each node's first line."""
    begun = grouped((life for life in processes if life.first_ts is not None), lambda life: life.node_id)
    return {node: min(life.first_ts for life in own) for node, own in begun.items()}


def _first_starts(processes: Iterable[ProcessLife]) -> Mapping[int, Sign]:
    """The first line of each node's first process, if the process starts with it."""
    first: dict[int, ProcessLife] = {}
    for life in sorted(processes, key=lambda life: life.life):
        first.setdefault(life.node_id, life)
    return {
        node: Sign(life.start_ts, life.start_event, node)
        for node, life in first.items()
        if life.start_ts is not None and life.start_event is not None and life.start_ts == life.first_ts
    }


def _members(first_mentions: Iterable[FirstMention]) -> Mapping[int, datetime]:
    """When the logs first show each broker as a member of the cluster."""
    return {row.broker_id: row.member_ts for row in first_mentions}


def _gave_no_line(node: int, ts: datetime, first_lines: Mapping[int, datetime]) -> bool:
    """Whether a node has no line up to `ts`."""
    return node not in first_lines or first_lines[node] > ts


def _ended(sessions: Iterable[BrokerSession]) -> list[tuple[BrokerSession, BrokerSession | None]]:
    """The sessions that ended, each with the broker's next session."""
    in_order = sorted(sessions, key=lambda session: nulls_first(first_known(session.member_ts, session.end_ts)))
    found = []
    for own in grouped(in_order, lambda session: session.broker_id).values():
        following = [*own[1:], None]
        found += [(session, after) for session, after in zip(own, following, strict=True) if session.end_ts is not None]
    return found


@reads(EVENT_FAILED)
def _stale_heartbeats(facts: Iterable[Fact]) -> list[StaleHeartbeat]:
    """The heartbeats with the broker epoch of an earlier registration, in time order."""
    found = []
    for fact in facts:
        if fact.kind != EVENT_FAILED or fact.ts is None or _STALE not in (fact.message or ""):
            continue
        expected, got = (number_in(fact.message, rf"{which} broker epoch (\d+)") for which in ("Expected", "got"))
        if expected is not None and got is not None:
            found.append(StaleHeartbeat(fact.ts, fact.event_id, fact.node_id, expected, got))
    return sorted(found)


@reads(TIMED_OUT)
def _timed_out(facts: Iterable[Fact]) -> Mapping[tuple[int | None, int | None], Sequence[datetime]]:
    """By node and peer, when attempts to connect timed out: nothing answered, whereas a host without the process refuses."""
    lines = (fact for fact in facts if fact.kind == TIMED_OUT and fact.ts is not None)
    return by_key(lines, lambda fact: (fact.node_id, peer_named(fact)), lambda fact: fact.ts)


def _sort_of(broken: BrokenConnection, timed_out: Iterable[datetime]) -> str:
    if not broken.refused:
        return "closed"
    is_late = any(0 <= (millis(broken.ts, ts) or 0) <= TIMED_OUT_WITHIN_MS for ts in timed_out)
    return "unmade" if is_late or broken.no_way else "refused"


@reads(*GRANTED, *REGISTERED_ANEW, UNFENCED)
def _signs(facts: Sequence[Fact]) -> Mapping[int, Signs]:
    """The lines of controllers and peers about each node."""
    signs_about: dict[int, dict[str, list[Any]]] = {}

    def add(about: int | None, sign: str, row: Fact | BrokenConnection) -> None:
        if about is not None and row.ts is not None:
            signs_about.setdefault(about, {}).setdefault(sign, []).append(Sign(row.ts, row.event_id, row.node_id))

    for fact in facts:
        if fact.kind in GRANTED:
            add(fact.broker_id, "granted", fact)
        elif fact.kind in REGISTERED_ANEW:
            add(fact.broker_id, "anew", fact)
        elif fact.kind == UNFENCED and fact.broker_id is not None and fact.ts is not None:
            registration = detail_number(fact, "register_broker_record_offset")
            if registration is not None:
                one = Unfencing(fact.ts, fact.event_id, registration)
                signs_about.setdefault(fact.broker_id, {}).setdefault("unfenced", []).append(one)
    timed_out = _timed_out(facts)
    for broken in broken_connections(facts):
        if broken.refused or broken.closed:
            add(broken.peer_id, _sort_of(broken, timed_out.get((broken.node_id, broken.peer_id), ())), broken)
        if broken.end_of_stream and broken.open_ms is not None:
            add(broken.peer_id, "ended", broken)
    return {node: Signs(**{name: sorted(own) for name, own in signs.items()}) for node, signs in signs_about.items()}


def _end(
    session: BrokerSession,
    following: BrokerSession | None,
    member_ts: datetime | None,
    signs: Signs,
    stale: Iterable[StaleHeartbeat],
    silence: Silence,
    begins: LogBegins,
    started: Sign | None,
) -> End:
    """The end of a session, with the signs that belong to it.

    Ignores signs from before the broker's start, because a node refuses connections then too. If no controller
    reports that start, the broker's first known activity replaces it. A peer whose log begins with a closed connection
    may have failed to connect before that (`begins`): each attempt closes one.
    """
    end_ts, life_ts = session.end_ts, first_known(session.member_ts, member_ts)
    back_ts = following.member_ts if following is not None else None
    missed_from = greatest(life_ts, plus_millis(end_ts, -OUTLIVES_MS))
    asked_from = greatest(life_ts, plus_millis(end_ts, -STOP_LASTS_MS))
    since = plus_millis(silence.began[0], -CLOCKS_DIFFER_MS)  # a process that is heard has not ended
    refused = _between(signs.refused, greatest(missed_from, since), end_ts)
    first, closed = _first(refused), list[Sign]()
    if first is not None:
        just_before = greatest(missed_from, plus_millis(first.ts, -RETRIED_MS))
        closed = [sign for sign in _between(signs.closed, just_before, first.ts) if _was_open(sign, refused)]
        closed = [sign for sign in closed if not _may_have_missed_before(sign, begins)]
    return End(
        session,
        end_ts if following is not None and following.start_ts is None else back_ts,
        back_ts,
        granted=_first(_between(signs.granted, asked_from, plus_millis(end_ts, CLOCKS_DIFFER_MS))),
        anew=_first(_between(signs.anew, end_ts, plus_millis(back_ts, CLOCKS_DIFFER_MS))),
        closed=_first(closed),
        refused=_first(refused),
        refused_by=sorted({sign.by for sign in refused if sign.by is not None}),
        refused_before=first is not None and not closed and _may_have_missed_before(first, begins),
        ended=_first(_between(signs.ended, first_known(silence.began[0], missed_from), end_ts)),
        kept=_kept(signs.unfenced, end_ts, back_ts),
        late=_late(session, following, stale),
        started=started,
        silence=silence,
    )


def _was_open(closed: Sign, refused: Iterable[Sign]) -> bool:
    """Whether a peer's connection to the node had been open: a client also logs a refused attempt as a disconnect."""
    own = (sign.ts for sign in refused if sign.by == closed.by)
    return not any(0 <= (millis(ts, closed.ts) or 0) <= SAME_ATTEMPT_MS for ts in own)


def _may_have_missed_before(sign: Sign, begins: LogBegins) -> bool:
    """Whether the peer's log begins so shortly before its line that earlier lines about this outage may be missing."""
    return begins.may_lack(sign.by, SERVER, plus_millis(sign.ts, -RETRIED_MS))


def _late(
    session: BrokerSession, following: BrokerSession | None, stale: Iterable[StaleHeartbeat]
) -> StaleHeartbeat | None:
    """The heartbeat of a session that a controller received after the next one had begun; None without one, and if there
    are several: then the earlier process may still run.
    """
    if following is None or following.broker_epoch is None:
        return None
    own = [one for one in stale if (one.got, one.expected) == (session.broker_epoch, following.broker_epoch)]
    return own[0] if len(own) == 1 and less(following.start_ts, own[0].ts) else None


def _kept(unfenced: Sequence[Unfencing], end_ts: datetime | None, back_ts: datetime | None) -> Unfencing | None:
    """The unfencing after the end of a session, if it names the registration of the one before."""
    before = [one for one in unfenced if less(one.ts, end_ts)]
    after = [
        one for one in unfenced if less(end_ts, one.ts) and at_most(one.ts, plus_millis(back_ts, CLOCKS_DIFFER_MS))
    ]
    return after[0] if before and after and before[-1].registration == after[0].registration else None


def _between(signs: Iterable[Sign], low: datetime | None, high: datetime | None) -> list[Sign]:
    return [sign for sign in signs if at_most(low, sign.ts) and at_most(sign.ts, high)]


def _first(signs: Sequence[Sign]) -> Sign | None:
    return signs[0] if signs else None


def _session_fault(end: End) -> Fault:
    session, kind = end.session, end.kind
    first_ts = least(*[sign.ts for sign in (end.granted, end.closed, end.refused) if sign is not None], session.end_ts)
    died_low = plus_millis(end.closed.ts, -CLOSED_WITHIN_MS) if end.closed is not None else None
    low, high = (None, None) if kind == STOPPED else end.silence.began
    over_low, over_ts = _over(end)
    began_low, began_high = narrowed((died_low, first_ts), (low, high))
    started = end.started if kind == KILLED else None
    signs = (end.granted, end.closed, end.ended, end.refused, started, end.anew, end.kept, end.late)
    return fault(
        kind,
        _how_the_session_ended(end),
        broker_id=session.broker_id,
        ts=began_high,
        began_low=first_ts if kind == STOPPED else began_low,
        began_high=began_high,
        end_ts=over_ts,
        ended_low=over_low,
        confidence={STOPPED: 0.9, KILLED: 0.7, SILENT: 0.5}[kind],
        unknowns=[_unknown_of(end)],
        evidence=joined(
            [sign.event_id for sign in signs if sign is not None],
            lines_of_end(session),
            end.silence.evidence if kind != STOPPED else None,
        ),
    )


def _over(end: End) -> Bounds:
    """The bounds of the outage's end. A new process ran from its first line on, and registered by the time that a
    controller logs this; if only its first line shows it, other processes may have run before. The controllers did not
    hear a silent broker until its session ended.
    """
    if end.kind == STOPPED:
        return end.back_low, end.back_ts
    started = end.started if end.kind == KILLED else None
    over_ts = least(*(sign.ts for sign in (end.anew, started) if sign is not None), end.back_ts)
    is_registered = end.kind != SILENT and (end.anew is not None or end.back_ts is not None)
    low_ts = least(over_ts, end.back_low) if is_registered else end.session.end_ts
    return (low_ts if over_ts is not None else None), over_ts


def _unknown_of(end: End) -> str:
    if end.kind == SILENT and end.kept is not None:
        return "froze_or_cut_off"
    return "when_and_how_it_ended" if end.kind == SILENT and end.anew is not None else UNKNOWN_OF[end.kind]


def _how_the_session_ended(end: End) -> Statement:
    unanswered = end.silence.unanswered if end.kind == SILENT else {}
    return statement(
        "session_ended_by_stop" if end.kind == STOPPED else ENDED_UNASKED,
        node=end.session.broker_id,
        at_session_end=end.session.end_ts,
        at_granted=end.granted.ts if end.granted is not None else None,
        at_refused=end.refused.ts if end.refused is not None and not end.refused_before else None,
        at_refused_first=end.refused.ts if end.refused is not None and end.refused_before else None,
        all_peers=end.refused_by,
        all_unanswered=sorted(unanswered) or None,
        at_anew=end.anew.ts if end.anew is not None else None,
        controller=end.late.by if end.late is not None else None,
        at_late=end.late.ts if end.late is not None else None,
        at_back=end.back_ts if end.anew is None else None,
        gone=end.anew is None and end.back_ts is None and end.started is None,
        kept=end.kept is not None,
    )
