"""Faults of nodes that have no log lines from that time, derived from the lines of controllers and peers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from replay.facts.connections import broken_connections
from replay.facts.evidence import earliest, joined
from replay.facts.groups import grouped
from replay.facts.lines import detail_number
from replay.facts.lives import STOP_GRANTED
from replay.facts.order import at_most, less, nulls_first
from replay.facts.reads import reads
from replay.facts.sessions import OUTLIVES_MS, SHUTDOWN_GRANTED, lines_of_end
from replay.facts.times import CLOCKS_DIFFER_MS, first_known, greatest, least, millis, plus_millis
from replay.faults.last_heartbeats import Bounds, LastHeartbeats
from replay.faults.process_ends import CLOSED_WITHIN_MS
from replay.faults.shape import bursts_of, fault
from replay.sentences.statement import Statement, statement
from replay.tables.brokers import BrokenConnection, BrokerSession, NodeTimings, ProcessLife
from replay.tables.faults import Fault, FirstMention
from replay.tables.reading import Fact

GRANTED = (*STOP_GRANTED, *SHUTDOWN_GRANTED)
REGISTERED_ANEW = ("kraft_broker_registering_new_incarnation", "kraft_broker_registered_new_incarnation")
STOP_LASTS_MS = 600_000  # a granted shutdown takes at most this time
RETRIED_MS = 5_000  # a node that loses a connection asks for a new one within this time
REFUSALS, REFUSED_FOR_MS = 3, 3_000  # a node that is only slow does not refuse this often for this long
RUN_MS = 60_000  # refusals further apart than this belong to two outages
LONG_AFTER_MS = 86_400_000  # a node that did not return stays away to the end of these logs
STOPPED, KILLED, SILENT = "stopped", "killed", "silent"
UNREACHED = "took_no_connection"
# What only the node's own files would show.
UNFENCED = "kraft_broker_unfence_granted"
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
    and `closed` connections.
    """

    granted: Sequence[Sign] = ()
    anew: Sequence[Sign] = ()
    refused: Sequence[Sign] = ()
    closed: Sequence[Sign] = ()
    unfenced: Sequence[Unfencing] = ()


@dataclass(frozen=True)
class End:
    """The end of a session, the start of the next one (`back_low`: at the earliest, if only a later line shows it), and the
    first sign of each type that belongs to this end.

    `kept`: the line that unfences the node with the registration that it had before: its process lived on. `began`: the
    bounds of when it stopped sending heartbeats.
    """

    session: BrokerSession
    back_low: datetime | None
    back_ts: datetime | None
    granted: Sign | None
    anew: Sign | None
    closed: Sign | None
    refused: Sign | None
    refused_by: Sequence[int]
    kept: Unfencing | None
    began: Bounds

    @property
    def kind(self) -> str:
        if self.granted is not None:
            return STOPPED
        if self.kept is not None:
            return SILENT
        return KILLED if self.refused is not None or self.anew is not None else SILENT


def sessions_lost_without_logs(
    facts: Sequence[Fact],
    processes: Iterable[ProcessLife],
    broker_sessions: Sequence[BrokerSession],
    first_mentions: Iterable[FirstMention],
    timings: Iterable[NodeTimings],
) -> list[Fault]:
    """Sessions that ended while their broker logged nothing.

    A requested shutdown is `stopped` (F02). Otherwise, refused connections before the end or a new incarnation of
    the broker after it show that the process had ended (`killed`, F01): a frozen or isolated broker returns as the
    same incarnation (facts §5, F01, F04). Without either sign, the broker only fell `silent` (F00). One that is unfenced
    with the registration that it had before did not end.
    """
    first_lines, members, signs = _first_lines(processes), _members(first_mentions), _signs(facts)
    heartbeats = LastHeartbeats.of(facts, timings)
    return [
        _session_fault(
            _end(
                session,
                following,
                members.get(session.broker_id),
                signs.get(session.broker_id, Signs()),
                heartbeats.bounds(session),
            )
        )
        for session, following in _ended(broker_sessions)
        if _gave_no_line(session.broker_id, session.end_ts, first_lines)
    ]


def outages_without_logs(
    facts: Sequence[Fact],
    sessions_lost_without_logs: Sequence[Fault],
    first_mentions: Iterable[FirstMention],
    processes: Iterable[ProcessLife],
) -> list[Fault]:
    """The outages of nodes that logged nothing at that time: the lost sessions, and outages that only peers report.

    A peer's report counts only if no lost session covers it.
    """
    refused = _nodes_that_refused(facts, processes, first_mentions)
    return [
        *sessions_lost_without_logs,
        *(outage for outage in refused if not any(_is_of(outage, session) for session in sessions_lost_without_logs)),
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
) -> list[Fault]:
    """Nodes that had joined the cluster and then refused all connections while they logged nothing."""
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
    return [_refused(run) for run in runs if not _may_be_its_witness(run, runs, broken, began)]


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
    for broken in broken_connections(facts):
        if broken.refused or broken.closed:
            add(broken.peer_id, "refused" if broken.refused else "closed", broken)
    return {node: Signs(**{name: sorted(own) for name, own in signs.items()}) for node, signs in signs_about.items()}


def _end(
    session: BrokerSession, following: BrokerSession | None, member_ts: datetime | None, signs: Signs, began: Bounds
) -> End:
    """The end of a session, with the signs that belong to it.

    Ignores signs from before the broker's start, because a node refuses connections then too. If no controller
    reports that start, the broker's first known activity replaces it.
    """
    end_ts, life_ts = session.end_ts, first_known(session.member_ts, member_ts)
    back_ts = following.member_ts if following is not None else None
    missed_from = greatest(life_ts, plus_millis(end_ts, -OUTLIVES_MS))
    asked_from = greatest(life_ts, plus_millis(end_ts, -STOP_LASTS_MS))
    refused = _between(signs.refused, missed_from, end_ts)
    closed: list[Sign] = []
    if refused:
        just_before = greatest(missed_from, plus_millis(refused[0].ts, -RETRIED_MS))
        closed = _between(signs.closed, just_before, refused[0].ts)
    return End(
        session,
        end_ts if following is not None and following.start_ts is None else back_ts,
        back_ts,
        granted=_first(_between(signs.granted, asked_from, plus_millis(end_ts, CLOCKS_DIFFER_MS))),
        anew=_first(_between(signs.anew, end_ts, plus_millis(back_ts, CLOCKS_DIFFER_MS))),
        closed=_first(closed),
        refused=_first(refused),
        refused_by=sorted({sign.by for sign in refused if sign.by is not None}),
        kept=_kept(signs.unfenced, end_ts, back_ts),
        began=began,
    )


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
    low, high = (None, None) if kind == STOPPED else end.began
    signs = (end.granted, end.closed, end.refused, end.anew, end.kept)
    return fault(
        kind,
        _how_the_session_ended(end),
        broker_id=session.broker_id,
        ts=least(first_ts, high),
        began_low=first_ts if kind == STOPPED else greatest(died_low, low),
        began_high=least(first_ts, high),
        end_ts=end.back_ts,
        ended_low=end.back_low,
        confidence={STOPPED: 0.9, KILLED: 0.7, SILENT: 0.5}[kind],
        unknowns=[UNKNOWN_OF[kind] if end.kept is None else "froze_or_cut_off"],
        evidence=joined([sign.event_id for sign in signs if sign is not None], lines_of_end(session)),
    )


def _how_the_session_ended(end: End) -> Statement:
    return statement(
        "session_ended_by_stop" if end.kind == STOPPED else "session_ended_unasked",
        node=end.session.broker_id,
        at_session_end=end.session.end_ts,
        at_granted=end.granted.ts if end.granted is not None else None,
        at_refused=end.refused.ts if end.refused is not None else None,
        all_peers=end.refused_by,
        at_anew=end.anew.ts if end.anew is not None else None,
        at_back=end.back_ts if end.anew is None else None,
        gone=end.anew is None and end.back_ts is None,
        kept=end.kept is not None,
    )
