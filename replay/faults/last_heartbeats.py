"""Bounds of the time of a broker's death, from its lost session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.coverage.log_begins import LogBegins
from replay.coverage.log_kinds import CONTROLLER
from replay.facts.groups import grouped
from replay.facts.reads import reads_each
from replay.facts.times import plus_millis
from replay.facts.timings import Timings
from replay.tables.brokers import BrokerSession, NodeTimings
from replay.tables.coverage import LogRun
from replay.tables.reading import Fact

FENCED, ACTIVATED = "kraft_broker_session_timeout", "kraft_controller_activated"
MISSED_BY_ZOOKEEPER = (
    "controller_broker_change",
    "controller_active_brokers",
    "controller_broker_epochs",
    "zookeeper_session_expired",
)
REPORTED_LATE_MS = 1_000  # the controller may log a decision this long after it
PINGED = 1 / 3  # of the session timeout: how often ZooKeeper's client pings its server (ClientCnxn.SendThread)
CHECKED = 1 / 8  # of the session timeout: how often a KRaft controller checks for brokers to fence, at least

Bounds = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class LastHeartbeats:
    """The session losses that controllers report, for looking up when their brokers died.

    A live broker sends a heartbeat every `broker.heartbeat.interval.ms`, and its session ends
    `broker.session.timeout.ms` after the last one (facts §5). The broker died between that heartbeat and the next. A
    controller that became active more recently has restarted the timeout, so its line bounds nothing; if its log begins
    more recently, it may have, and the line bounds only the latest time of death. ZooKeeper's
    client pings every third of a session, and its session's end may be reported late; it bounds only the latest time
    of death.
    """

    ends: Mapping[str, Fact]
    activated: Mapping[int, Sequence[datetime]]
    begins: LogBegins
    waits: Timings

    @staticmethod
    @reads_each(FENCED, ACTIVATED, *MISSED_BY_ZOOKEEPER)
    def of(facts: Sequence[Fact], timings: Iterable[NodeTimings], log_runs: Iterable[LogRun] = ()) -> LastHeartbeats:
        activated = grouped((fact for fact in facts if fact.kind == ACTIVATED and fact.ts), lambda fact: fact.node_id)
        return LastHeartbeats(
            ends={fact.event_id: fact for fact in facts if fact.kind in (FENCED, *MISSED_BY_ZOOKEEPER)},
            activated={node: [fact.ts for fact in own] for node, own in activated.items()},
            begins=LogBegins.of(log_runs),
            waits=Timings(timings),
        )

    def bounds(self, session: BrokerSession | None) -> Bounds:
        """The bounds of the time at which the broker of a lost session died; None if these lines do not bound it."""
        end = next((self.ends[line] for line in reversed(_evidence(session)) if line in self.ends), None)
        if session is None or end is None or end.ts != session.end_ts:
            return None, None
        if end.kind == FENCED:
            return self._by_heartbeats(session, end)
        session_ms = self.waits.at(session.broker_id, end.ts).zookeeper_session_ms
        return None, plus_millis(end.ts, -session_ms * (1 - PINGED) + REPORTED_LATE_MS)

    def _by_heartbeats(self, session: BrokerSession, end: Fact) -> Bounds:
        session_ms = self.waits.at(end.node_id, end.ts).broker_session_ms
        due_ms = self.waits.at(session.broker_id, end.ts).heartbeat_ms
        noticed_ms = max(session_ms * CHECKED, self.waits.at(end.node_id, end.ts).quorum_fetch_ms or 0)
        last_low = plus_millis(end.ts, -session_ms - noticed_ms - REPORTED_LATE_MS)
        due_high = plus_millis(end.ts, -session_ms + due_ms + REPORTED_LATE_MS)
        assert last_low is not None
        if any(last_low <= ts <= end.ts for ts in self.activated.get(end.node_id, ())):
            return None, None
        begins_later = self.begins.may_lack(end.node_id, CONTROLLER, last_low)
        return (None if begins_later else last_low), due_high


def _evidence(session: BrokerSession | None) -> Sequence[str]:
    return session.evidence or () if session is not None else ()
