"""The sessions of brokers with ZooKeeper: the node that has each session, as any line with its id shows, and its end in
a ZooKeeper server's log.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate

from replay.facts.groups import grouped
from replay.facts.lines import detail
from replay.facts.lives import is_start
from replay.facts.reads import reads, reads_each
from replay.facts.times import known, least, millis
from replay.tables.reading import Fact

CONNECTED = "zk_session_connected"
EXPIRED, TERMINATED = "zookeeper_session_expired", "zookeeper_session_terminated"
LOST, CLOSED = "zookeeper_connection_lost", "zookeeper_connection_closed"
_ENDS = (EXPIRED, TERMINATED)
# Lines of the client that has the session.
_OWN = (CONNECTED, "zk_client_disconnected", "zk_client_timeout", "zk_session_expired")
# A broker that cannot create its znode prints its own session, and that of the owner: its process before.
_CONFLICTS = ("zk_ephemeral_conflict", "zk_ephemeral_recreate")
_CREATES = "zookeeper_user_error"  # the server's line about a session that tries to create a znode that exists
_BROKER_PATH = re.compile(r"/brokers/ids/(\d{1,9})$")
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
class _Shown:
    """A line that shows which node has a session. `is_of_earlier`: an earlier process of the node has it."""

    node_id: int
    ts: datetime
    is_begin: bool
    is_of_earlier: bool = False


@dataclass(frozen=True)
class _Begun:
    node_id: int
    process: int
    connected_ts: datetime
    ended_ts: datetime | None
    lines: Sequence[Fact]


@reads(LOST, CLOSED, _CREATES, *_CONFLICTS, *_OWN)
@reads_each(CONNECTED, *_ENDS)
def zookeeper_sessions(facts: Sequence[Fact]) -> list[ZookeeperSession]:
    """The sessions that lines show as those of exactly one node."""
    processes = grouped(_begun(facts), lambda begun: (begun.node_id, begun.process))
    return [session for own in processes.values() for session in _of_process(own)]


def session_id(fact: Fact) -> str | None:
    """The id of a ZooKeeper session in the notation of servers and clients."""
    stated = detail(fact, "session_id")
    return None if stated is None else stated.lower().removeprefix("0x")


def _shown(fact: Fact) -> Iterator[tuple[str, _Shown]]:
    """The ids of the sessions in a line, each with the node that has it."""
    is_own = fact.kind in _OWN
    session = session_id(fact) if is_own or fact.kind in (_CREATES, *_CONFLICTS) else None
    if fact.ts is None or session is None or session == "0":
        return
    if is_own and fact.node_id is not None:
        yield session, _Shown(fact.node_id, fact.ts, fact.kind == CONNECTED)
    path = None if is_own else _BROKER_PATH.search(detail(fact, "path") or "")
    if path is None:
        return
    yield _as_hex(session, fact), _Shown(int(path[1]), fact.ts, False)
    owner = (detail(fact, "ephemeral_owner") or "").lower().removeprefix("0x")
    if owner:
        yield _as_hex(owner, fact), _Shown(int(path[1]), fact.ts, False, is_of_earlier=True)


def _as_hex(session: str, fact: Fact) -> str:
    """The id in hexadecimal digits: up to Kafka 3.4 the line of a broker has decimal ones."""
    is_decimal = fact.kind in _CONFLICTS and "0x" not in (fact.message or "") and session.isdecimal()
    return f"{int(session):x}" if is_decimal else session


def _begun(facts: Iterable[Fact]) -> Iterator[_Begun]:
    """The sessions with the process that connected each: the number of starts of its node before it."""
    shown: dict[str, list[_Shown]] = {}
    of_server: dict[str | None, list[Fact]] = {}
    starts: dict[int | None, list[datetime]] = {}
    for fact in facts:
        if fact.ts is None:
            continue
        if is_start(fact):
            starts.setdefault(fact.node_id, []).append(fact.ts)
        elif fact.kind in (*_ENDS, LOST, CLOSED):
            of_server.setdefault(session_id(fact), []).append(fact)
        else:
            for name, one in _shown(fact):
                shown.setdefault(name, []).append(one)
    in_order: Mapping[int | None, list[datetime]] = {node: sorted(times) for node, times in starts.items()}
    for session, own in shown.items():
        if len({one.node_id for one in own}) == 1:
            yield _of_session(own, in_order.get(own[0].node_id, []), of_server.get(session, ()))


def _of_session(shown: Sequence[_Shown], starts: Sequence[datetime], lines: Sequence[Fact]) -> _Begun:
    """One session: it began with the line that connects it, or by the first line that names it."""
    began = [one.ts for one in shown if one.is_begin]
    is_of_earlier = not began and all(one.is_of_earlier for one in shown)
    since = min(began) if began else min(known([*(one.ts for one in shown), *(line.ts for line in lines)]))
    ended = least(*(line.ts for line in lines if line.kind in _ENDS))
    return _Begun(shown[0].node_id, bisect_right(starts, since) - is_of_earlier, since, ended, lines)


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
