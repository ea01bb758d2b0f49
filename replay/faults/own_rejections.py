"""Connections that the host of their own writer rejected: a route or an outgoing rule there, not the network, cuts it off."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from replay.facts.connections import peer_named
from replay.facts.evidence import joined
from replay.facts.lines import detail
from replay.facts.order import at_most
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, least
from replay.faults.kinds import CUTS
from replay.faults.lag import CUT_OR_STALLED
from replay.faults.nodes_without_logs import UNREACHED
from replay.faults.shape import by_time, ends_of, fault, peers_of
from replay.sentences.statement import statement, texts_of
from replay.tables.faults import Fault
from replay.tables.reading import Fact

# A client prints this line only if connect(2) itself fails, before it sends a packet: EINVAL of a blackhole route, EACCES of
# a prohibit route, EHOSTUNREACH of an unreachable route, ENETUNREACH without a route, EPERM of a rule.
_CONNECT = "node_connect_error"
_OF_LINKS = ("cut_from_peers", "link_cut")
_KEPT = ("broker_id", "ts", "began_low", "began_high", "end_ts", "ended_low", "ended_high", "partitions")
_REJECTED = re.compile(
    r"(?:Socket|Bind|NoRouteToHost|Connect)Exception: (?P<error>Invalid argument|Operation not permitted|Permission denied"
    r"|No route to host|Network is unreachable)"
)


@reads(_CONNECT)
def with_own_rejections(faults: Iterable[Fault], facts: Iterable[Fact]) -> list[Fault]:
    """The faults. Those of a broker that was cut off have, as `rejected`, the error with which its own host rejected
    its connections at that time, and the first such line as evidence; they did not end before the last one.
    `all_rejecting` are the nodes whose hosts rejected connections: its own, and peers that could not connect to it.
    """
    rejections: dict[int | None, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.kind == _CONNECT and fact.ts is not None and _error(fact) is not None:
            rejections[fact.node_id].append(fact)
    found = [_with_rejection(one, rejections) if one.kind in CUTS else one for one in faults]
    return [_as_cut(one, rejections) if one.reason == UNREACHED else one for one in found]


def _as_cut(unreached: Fault, rejections: Mapping[int | None, Sequence[Fact]]) -> Fault:
    """A node without lines to which peers could not connect. If the hosts of all of them rejected these connections themselves, it
    was cut off: no packet reached it.
    """
    arguments = unreached.arguments or {}
    during = [
        line
        for own in rejections.values()
        for line in own
        if peer_named(line) == unreached.broker_id
        and at_most(unreached.began_low or unreached.ts, line.ts)
        and at_most(line.ts, greatest(unreached.end_ts, unreached.ended_high))
    ]
    peers = peers_of(unreached)
    if not during or {line.node_id for line in during} != set(peers):
        return unreached
    how = statement("peers_hosts_rejected", error=_error(min(during, key=by_time)), **arguments)
    kept = {name: getattr(unreached, name) for name in _KEPT}
    return fault("cut_from_peers", how, **kept, peers=peers, confidence=0.8, evidence=joined(unreached.evidence))


def _error(fact: Fact) -> str | None:
    found = _REJECTED.search(detail(fact, "exception") or "")
    return None if found is None else found["error"]


def _with_rejection(cut: Fault, rejections: Mapping[int | None, Sequence[Fact]]) -> Fault:
    ends, is_link = ends_of(cut), cut.kind == "link_cut"
    during = [
        line
        for node in ends
        for line in _during(cut, rejections.get(node, ()))
        if not is_link or peer_named(line) in ends
    ]
    if not during:
        return cut
    first, proof = min(during, key=by_time), cut.evidence or []
    of_peers = [
        line
        for node, own in rejections.items()
        if not is_link and node not in (None, *ends)
        for line in _during(cut, own)
        if peer_named(line) == cut.broker_id
    ]
    hosts = sorted({line.node_id for line in (*during, *of_peers)})
    all_rejecting = hosts if len(hosts) > 1 or is_link else None
    return cut.but(
        arguments={**(cut.arguments or {}), **texts_of({"rejected": _error(first), "all_rejecting": all_rejecting})},
        ended_low=_still_rejected(cut, [*during, *of_peers]),
        unknowns=[one for one in cut.unknowns or () if one != CUT_OR_STALLED],
        evidence=proof if first.event_id in proof else joined(proof[:1], [first.event_id], proof[1:]),
    )


def _still_rejected(cut: Fault, lines: Iterable[Fact]) -> datetime | None:
    """The earliest end of the cut: a host that still rejects connections of a link keeps it cut."""
    if cut.kind not in _OF_LINKS or cut.end_ts is None:
        return cut.ended_low
    of_links = [line for line in lines if cut.broker_id in (line.node_id, peer_named(line))]
    last_ts = greatest(*[greatest(line.ts, line.last_ts) for line in of_links])
    return greatest(cut.ended_low, least(cut.ended_high, last_ts))


def _during(cut: Fault, lines: Iterable[Fact]) -> list[Fact]:
    """The lines of the time of a fault."""
    since, until = least(cut.began_low, cut.ts), greatest(cut.end_ts, cut.ended_high)
    return [
        line
        for line in lines
        if at_most(since, first_known(line.last_ts, line.ts)) and (until is None or at_most(line.ts, until))
    ]
