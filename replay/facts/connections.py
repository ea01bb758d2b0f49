"""The lines of nodes and ZooKeeper about their connections to a node."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replay.facts.lines import detail, number_in
from replay.facts.reads import reads
from replay.facts.times import first_known
from replay.facts.zookeeper_sessions import EXPIRED, LOST, zookeeper_sessions
from replay.tables.brokers import BrokenConnection
from replay.tables.reading import Fact

_KINDS = (
    "fetch_send_error",
    "fetch_request_error",
    "node_disconnected",
    "node_connect_failed",
    "node_connect_error",
    "node_inflight_cancelled",
)
_OWN_CHOICE = "Client requested disconnect from node"
_REFUSED = re.compile("could not be established|Error connecting|Connection refused")
_END_OF_STREAM = re.compile("Unable to read additional data")  # the other side sent FIN
_CLOSED = re.compile(r"Node -?\d+ disconnected|disconnected before the response")


@reads(*_KINDS, LOST)
def broken_connections(facts: Sequence[Fact]) -> list[BrokenConnection]:
    """The lines about connections to another node that broke or could not be established. A paused process neither
    closes nor refuses a connection. Ignores connections that a client closes by itself, for example to switch to
    another controller.
    """
    broken = [
        _broken(
            fact,
            peer_named(fact),
            closed=_shows(fact, _REFUSED) or _shows(fact, _CLOSED),
            refused=_shows(fact, _REFUSED),
        )
        for fact in facts
        if fact.kind in _KINDS and _OWN_CHOICE not in (fact.message or "")
    ]
    return broken + _sessions_with_zookeeper(facts)


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
    fact: Fact, peer_id: int | None, *, closed: bool, refused: bool, end_of_stream: bool = False
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
        end_of_stream=end_of_stream,
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
