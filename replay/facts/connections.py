"""The lines of nodes and ZooKeeper about their connections to a node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from replay.facts.groups import grouped
from replay.facts.lines import detail, detail_number, number_in
from replay.facts.reads import reads
from replay.facts.times import first_known, millis
from replay.facts.zookeeper_sessions import EXPIRED, LOST, zookeeper_sessions
from replay.tables.brokers import BrokenConnection
from replay.tables.reading import Fact

_CANCELLED = "node_inflight_cancelled"
_CONNECT = "node_connect_error"  # connect(2) itself failed
_KINDS = (
    "fetch_send_error",
    "fetch_request_error",
    "node_disconnected",
    "node_connect_failed",
    _CONNECT,
    _CANCELLED,
)
_OWN_CHOICE = "Client requested disconnect from node"
_ENDED = re.compile(r"Node -?\d+ disconnected")
_REFUSED = re.compile("could not be established|Error connecting|Connection refused")
# connect(2) fails with these before a packet leaves: a rule or a route of the own host rejects the attempt, whether or
# not the peer runs.
BY_OWN_HOST = re.compile("Permission denied|Operation not permitted|Invalid argument")
# The own host or the network rejects the attempt.
NO_WAY = re.compile(f"NoRouteToHost|No route to host|[Uu]nreachable|{BY_OWN_HOST.pattern}")
_END_OF_STREAM = re.compile("Unable to read additional data")  # the other side sent FIN
_CLOSED = re.compile(r"Node -?\d+ disconnected|disconnected before the response")
# A kernel without power ends no connection, and the next one starts later than this.
_NO_OTHER_KERNEL_MS = 1_000
_AT_ONCE_MS = 100


@reads(*_KINDS, LOST)
def broken_connections(facts: Sequence[Fact]) -> list[BrokenConnection]:
    """The lines about connections to another node that broke or could not be established. A paused process neither
    closes nor refuses a connection. Ignores connections that a client closes by itself, for example to switch to
    another controller.
    """
    of_nodes = [fact for fact in facts if fact.kind in _KINDS]
    ended = grouped((fact for fact in of_nodes if _ENDED.search(fact.message or "")), _link)
    broken = [_of_node(fact, ended) for fact in of_nodes if _OWN_CHOICE not in (fact.message or "")]
    return broken + _sessions_with_zookeeper(facts)


def _link(fact: Fact) -> tuple[int | None, int | None]:
    return fact.node_id, peer_named(fact)


def _of_node(fact: Fact, ended: Mapping[tuple[int | None, int | None], Sequence[Fact]]) -> BrokenConnection:
    """A line of a node. `ended`: the lines about connections that the other side ended, by node and peer."""
    open_ms = _open_ms(fact)
    no_way = _shows(fact, NO_WAY)
    by_peer = any(0 <= (millis(fact.ts, one.ts) or 0) <= _AT_ONCE_MS for one in ended.get(_link(fact), ()))
    return _broken(
        fact,
        peer_named(fact),
        closed=_shows(fact, _REFUSED) or _shows(fact, _CLOSED),
        refused=_shows(fact, _REFUSED),
        no_way=no_way,
        by_own_host=no_way and fact.kind == _CONNECT,
        end_of_stream=open_ms is not None and open_ms < _NO_OTHER_KERNEL_MS and by_peer,
        open_ms=open_ms,
    )


def _open_ms(fact: Fact) -> int | None:
    """How long a follower's fetch had been open when its connection ended. Its leader had just answered the one before: a
    follower sends one at a time.
    """
    is_fetch = (
        fact.kind == _CANCELLED and detail(fact, "api_key") == "FETCH" and "ReplicaFetcher" in (fact.message or "")
    )
    return detail_number(fact, "time_elapsed_since_send_ms") if is_fetch else None


def peer_named(fact: Fact) -> int | None:
    """The node that a line about a connection is about: named in the text, or in the fetcher's prefix."""
    return first_known(
        fact.broker_id,
        fact.leader_id,
        number_in(fact.message, r"leaderId=(\d+)"),
        number_in(fact.message, r"\(id: (\d+)"),
        number_in(fact.message, r"[nN]ode (\d+)\b(?!\.)"),  # not the first number of an address
    )


def _shows(fact: Fact, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(fact.message or "") or pattern.search(detail(fact, "exception") or ""))


def _broken(
    fact: Fact,
    peer_id: int | None,
    *,
    closed: bool,
    refused: bool,
    no_way: bool = False,
    by_own_host: bool = False,
    end_of_stream: bool = False,
    open_ms: int | None = None,
) -> BrokenConnection:
    return BrokenConnection(
        peer_id=peer_id,
        node_id=fact.node_id,
        ts=fact.ts,
        last_ts=fact.last_ts,
        event_id=fact.event_id,
        last_event_id=fact.last_event_id,
        count=fact.count,
        closed=closed,
        refused=refused,
        no_way=no_way,
        by_own_host=by_own_host,
        end_of_stream=end_of_stream,
        open_ms=open_ms,
    )


def _sessions_with_zookeeper(facts: Sequence[Fact]) -> list[BrokenConnection]:
    """A ZooKeeper server's lines about sessions that brokers log as their own."""
    return [
        _broken(
            line,
            session.node_id,
            closed=line.kind != EXPIRED,
            refused=False,
            end_of_stream=_shows(line, _END_OF_STREAM),
        )
        for session in zookeeper_sessions(facts)
        for line in (*session.broken, *([session.expired] if session.expired is not None else ()))
    ]
