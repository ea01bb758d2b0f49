"""When a running broker lost contact with the controllers or ZooKeeper, and how long it tried to reconnect: from its
unanswered requests and failed connection attempts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.connections import peer_named
from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail, detail_number, whole_number
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, least, plus_millis
from replay.faults.fetch_links import ANSWERED_MS, LATE_MS, FailedFetch, began_between, failed_fetches
from replay.faults.last_heartbeats import FENCED, Bounds
from replay.faults.shape import by_time
from replay.tables.brokers import BrokerSession, NodeTimings
from replay.tables.reading import Fact

RAFT_WAIT_MS = (
    500  # how long the active controller delays its response to a fetch without new records (KafkaRaftClient)
)
_CANCELLED, _UNCONNECTED = "node_inflight_cancelled", "node_connect_error"
_TO_CONTROLLERS = ("name=heartbeat", "name=alter-partition", "RaftManager")
_TRIES, _FOUND = "zk_connecting", ("zk_session_connected", "zk_session_expired")


@dataclass(frozen=True)
class Contact:
    """By node, in time order: its lines about requests to the controllers, and about connecting to them and to
    ZooKeeper.

    `fenced_by`: the controller that ended a session, by the line's id. `fetches`: the failed fetches of which the
    node is one end.
    """

    lines: Mapping[int, Sequence[Fact]]
    fenced_by: Mapping[str, int]
    fetches: Mapping[int, Sequence[FailedFetch]]

    @staticmethod
    @reads(_CANCELLED, _UNCONNECTED, FENCED, _TRIES, *_FOUND)
    def of(facts: Iterable[Fact]) -> Contact:
        of_clients = (_CANCELLED, _UNCONNECTED, _TRIES, *_FOUND)
        facts = list(facts)
        lines = grouped(
            sorted((fact for fact in facts if fact.kind in of_clients and fact.ts is not None), key=by_time),
            lambda fact: fact.node_id,
        )
        fenced_by = {fact.event_id: fact.node_id for fact in facts if fact.kind == FENCED and fact.node_id is not None}
        fetches = [(end, one) for one in failed_fetches(facts) for end in one.pair]
        return Contact(lines, fenced_by, by_key(fetches, lambda at: at[0], lambda at: at[1]))

    def began(self, lost: BrokerSession, session: Bounds, timing: NodeTimings) -> tuple[Bounds, list[str]]:
        """The bounds of a cut from the controllers, narrowed by requests that timed out, and the ids of those lines.

        The response to the previous request had arrived. If only requests were lost, that response still arrived
        after the cut, but its request had been sent before. `session`: the bounds that the end of the session sets.
        """
        bounds, evidence = session, list[str]()
        for line in self.lines.get(lost.broker_id, ()):
            low, high = _unanswered(line, timing)
            within = greatest(bounds[0], low), least(bounds[1], high)
            if low is not None and at_most(*within) and less(line.ts, lost.end_ts):
                bounds, evidence = within, [*evidence, line.event_id]
        return bounds, evidence

    def with_peers(self, lost: BrokerSession, bounds: Bounds, timing: NodeTimings) -> tuple[Bounds, list[str]]:
        """The bounds of a cut, narrowed by unanswered fetches between the broker and its peers that it may explain,
        and the ids of their lines.
        """
        until = plus_millis(lost.end_ts, timing.replica_socket_ms)
        due_ms = timing.fetch_wait_ms + ANSWERED_MS
        of_cut = [
            one
            for one in self.fetches.get(lost.broker_id, ())
            if less(one.ts, until) and _meet(one.sent(timing), (plus_millis(bounds[0], -due_ms), bounds[1]))
        ]
        low, high = began_between(of_cut, lost.broker_id, timing)
        within = greatest(bounds[0], low), least(bounds[1], high)
        first = {(one.node_id, one.peer_id): one.event_id for one in reversed(of_cut)}
        return (within, list(first.values())[::-1]) if at_most(*within) else (bounds, [])

    def unanswered(self, lost: BrokerSession, timing: NodeTimings) -> dict[int, str]:
        """The other brokers whose fetches the broker left unanswered until they timed out, and the ids of their
        lines.

        The fetches were sent during the broker's session. A follower that learns of a new leader cancels a fetch
        that it sent less than `replica.fetch.wait.max.ms` ago; such a fetch does not count.
        """
        found: dict[int, str] = {}
        until = plus_millis(lost.end_ts, timing.replica_socket_ms)
        for one in self.fetches.get(lost.broker_id, ()):
            is_own = one.node_id == lost.broker_id
            sent_ts = one.sent(timing)[1] if one.waited_ms is not None and not is_own else None
            if less(sent_ts, lost.end_ts) and less(lost.end_ts, plus_millis(one.ts, LATE_MS)) and less(one.ts, until):
                found.setdefault(one.node_id, one.event_id)
        return found

    def unconnected(self, lost: BrokerSession, back_ts: datetime | None) -> tuple[datetime | None, str | None]:
        """The broker's last failed connection to the controllers between the end of its session and its return, and
        the line's id.

        The Raft client also connects to other voters, which may be down. Of its attempts, only those to the
        controller that ended the session count.
        """
        controller = first_known(*(self.fenced_by.get(line) for line in lost.evidence or ()))
        tries = [
            line
            for line in self._between(lost, back_ts, _UNCONNECTED)
            if _is_cut(line) and ("RaftManager" not in (line.message or "") or peer_named(line) == controller)
        ]
        return (first_known(tries[-1].last_ts, tries[-1].ts), tries[-1].event_id) if tries else (None, None)

    def without_zookeeper(self, lost: BrokerSession, back_ts: datetime | None) -> Bounds:
        """The bounds of the end of a cut from ZooKeeper: the last connection attempt that failed after the session
        ended, and the first response.

        If there are several servers, the last attempt to each is compared and the earliest one counts.
        """
        lines = self._between(lost, back_ts, _TRIES, *_FOUND)
        found_ts = next((line.ts for line in lines if line.kind in _FOUND), None)
        tries = [line for line in lines if line.kind == _TRIES and (found_ts is None or line.ts < found_ts)]
        failed = by_key(tries[:-1], lambda line: detail(line, "server"), lambda line: line.ts)
        return least(*map(max, failed.values())), found_ts

    def _between(self, lost: BrokerSession, back_ts: datetime | None, *kinds: str) -> list[Fact]:
        own = self.lines.get(lost.broker_id, ())
        return [
            line
            for line in own
            if line.kind in kinds and less(lost.end_ts, line.ts) and (back_ts is None or less(line.ts, back_ts))
        ]


def _meet(one: Bounds, other: Bounds) -> bool:
    return at_most(one[0], other[1]) and at_most(other[0], one[1])


def _is_cut(line: Fact) -> bool:
    """Whether a failed connection to a controller shows that it was unreachable. A host that refuses a connection is
    reachable.
    """
    text = line.message or ""
    return any(name in text for name in _TO_CONTROLLERS) and "refused" not in f"{text} {detail(line, 'exception')}"


def _unanswered(line: Fact, timing: NodeTimings) -> Bounds:
    """The bounds of the time at which contact was lost, from a request to the controllers that timed out; None for
    other lines.
    """
    sent_ms = whole_number(
        first_known(detail(line, "time_elapsed_since_send_ms"), detail(line, "time_elapsed_since_create_ms"))
    )
    limit_ms = detail_number(line, "request_timeout_ms")
    text, api = line.message or "", detail(line, "api_key")
    if sent_ms is None or limit_ms is None or sent_ms < limit_ms:
        return None, None
    sent_ts = plus_millis(line.ts, -sent_ms)
    if "RaftManager" in text and api == "FETCH":
        return plus_millis(sent_ts, -RAFT_WAIT_MS - ANSWERED_MS), plus_millis(sent_ts, RAFT_WAIT_MS + ANSWERED_MS)
    if "name=heartbeat" in text and api == "BROKER_HEARTBEAT":
        return plus_millis(sent_ts, -timing.heartbeat_ms - ANSWERED_MS), plus_millis(sent_ts, ANSWERED_MS)
    return None, None
