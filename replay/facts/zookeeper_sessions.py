"""The sessions of brokers with ZooKeeper: the node that logs a session as its own, and the end in a ZooKeeper server's
log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from replay.facts.groups import grouped
from replay.facts.lines import detail
from replay.facts.lives import is_start
from replay.facts.reads import reads, reads_each
from replay.facts.times import least, millis
from replay.tables.reading import Fact

CONNECTED = "zk_session_connected"
EXPIRED, TERMINATED = "zookeeper_session_expired", "zookeeper_session_terminated"
LOST, CLOSED = "zookeeper_connection_lost", "zookeeper_connection_closed"
_ENDS = (EXPIRED, TERMINATED)
_OPEN = datetime.max


@dataclass(frozen=True)
class ZookeeperSession:
    """One session of one node. `expired`: the server's line that it expired; `broken`: the server's lines about lost
    connections while the session continued. `alone`: no other session of the process can hold its registration.
    """

    node_id: int
    connected_ts: datetime
    expired: Fact | None
    broken: Sequence[Fact]
    alone: bool


@dataclass(frozen=True)
class _Begun:
    node_id: int
    process: int
    connected_ts: datetime
    ended_ts: datetime | None
    lines: Sequence[Fact]


@reads(LOST, CLOSED)
@reads_each(CONNECTED, *_ENDS)
def zookeeper_sessions(facts: Sequence[Fact]) -> list[ZookeeperSession]:
    """The sessions that exactly one node logs as its own."""
    processes = grouped(_begun(facts), lambda begun: (begun.node_id, begun.process))
    return [session for own in processes.values() for session in _of_process(own)]


def session_id(fact: Fact) -> str | None:
    """The id of a ZooKeeper session in the notation of servers and clients."""
    stated = detail(fact, "session_id")
    return None if stated is None else stated.lower().removeprefix("0x")


def _begun(facts: Iterable[Fact]) -> Iterator[_Begun]:
    """The sessions with the process that connected each: the number of starts of its node before it."""
    connected: dict[str, list[Fact]] = {}
    of_server: dict[str, list[Fact]] = {}
    starts: dict[int | None, list[datetime]] = {}
    for fact in facts:
        session = session_id(fact)
        if fact.ts is None:
            continue
        if is_start(fact):
            starts.setdefault(fact.node_id, []).append(fact.ts)
        elif session is not None and fact.kind == CONNECTED and fact.node_id is not None:
            connected.setdefault(session, []).append(fact)
        elif session is not None and fact.kind in (*_ENDS, LOST, CLOSED):
            of_server.setdefault(session, []).append(fact)
    in_order: Mapping[int | None, list[datetime]] = {node: sorted(times) for node, times in starts.items()}
    for session, own in connected.items():
        nodes = {fact.node_id for fact in own if fact.node_id is not None}
        if len(nodes) == 1:
            node, since = nodes.pop(), min(fact.ts for fact in own if fact.ts is not None)
            lines = of_server.get(session, ())
            ended = least(*(line.ts for line in lines if line.kind in _ENDS))
            yield _Begun(node, bisect_right(in_order.get(node, []), since), since, ended, lines)


def _of_process(begun: Iterable[_Begun]) -> Iterator[ZookeeperSession]:
    """The sessions of one process. Two that overlap may each hold its registration."""
    in_time = sorted(begun, key=lambda one: one.connected_ts)
    ends = [(one.ended_ts or _OPEN.replace(tzinfo=one.connected_ts.tzinfo)) for one in in_time]
    ended_by = list(accumulate(ends, max))
    for at, one in enumerate(in_time):
        follows = at > 0 and ended_by[at - 1] > one.connected_ts
        is_followed = at + 1 < len(in_time) and in_time[at + 1].connected_ts < ends[at]
        expired = [line for line in one.lines if line.kind == EXPIRED]
        yield ZookeeperSession(
            one.node_id,
            one.connected_ts,
            min(expired, key=lambda line: (line.ts, line.event_id), default=None),
            [line for line in one.lines if line.kind in (LOST, CLOSED) and line.ts < ends[at]],
            alone=not (follows or is_followed),
        )


def kept_beside(expired: Fact, sessions: Iterable[ZookeeperSession], session_ms: float) -> list[int]:
    """The nodes that kept a session when ZooKeeper expired this one, because it answered them."""
    open_then = [
        one
        for one in sessions
        if one.connected_ts < expired.ts and (one.expired is None or one.expired.ts >= expired.ts)
    ]
    lost = {one.node_id for one in open_then if one.expired is not None and _ms(one.expired, expired) <= session_ms}
    return sorted({one.node_id for one in open_then} - lost)


def _ms(fact: Fact, other: Fact) -> int:
    return abs(millis(fact.ts, other.ts) or 0)
