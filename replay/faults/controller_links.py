"""Brokers that the controller could not reach while they ran and kept their ZooKeeper session (F06, ZooKeeper mode).
They do not receive its decisions and act on outdated state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.lines import number_in
from replay.facts.order import less
from replay.facts.reads import reads
from replay.facts.times import first_known, greatest, known, millis, plus_millis
from replay.facts.timings import Timings
from replay.faults.shape import (
    AFTERMATH_MS,
    OPEN_MS,
    Times,
    begin_of,
    bursts_of,
    count_of,
    end_of,
    fault,
    not_of_kind,
    of_kind,
    proof_of,
)
from replay.sentences.statement import statement
from replay.tables.brokers import NodeTimings
from replay.tables.faults import AskedTime, Fault, WrittenLine
from replay.tables.reading import Fact

_FAILED = ("controller_broker_connect_failed", "controller_send_failed_retry")
_REACHED = "controller_broker_connected"
LEAST_MS = 5_000  # a broker that starts, or whose listener restarts, is reachable again within this time
RETRIED_MS = 5_000  # retried every 100 to 300 ms, or after a connection timeout


@dataclass(frozen=True)
class Unreached:
    """A time in which a controller's requests to a broker, or its connection attempts, failed."""

    controller: int | None
    broker: int
    ts: datetime
    end_ts: datetime
    socket_ms: int
    tries: int
    evidence: list[str]

    @property
    def times_around(self) -> tuple[datetime | None, datetime | None]:
        """The time in which a running broker logs something; it can be silent for half a minute."""
        return plus_millis(self.ts, -self.socket_ms), plus_millis(self.end_ts, AFTERMATH_MS)


def out_of_controllers_reach(
    facts: Sequence[Fact],
    outages: Iterable[Fault],
    timings: Iterable[NodeTimings],
    written_lines: Iterable[WrittenLine],
) -> list[Fault]:
    """F06: a running broker that the controller's requests did not reach.

    The controller may have nothing to send for a long time, so the connection may have been lost at any time after
    the last request that arrived. An unanswered request fails after `controller.socket.timeout.ms`. Source:
    RequestSendThread; facts §5, F06.
    """
    written: dict[tuple[int, datetime | None, datetime | None], WrittenLine] = {
        (one.node_id, one.from_ts, one.to_ts): one for one in written_lines
    }
    connected = _connections(facts)
    found = []
    for cut in _unreached(facts, outages, timings):
        around = written.get((cut.broker, *cut.times_around))
        if around is not None and around.logs:
            before = written.get((cut.broker, None, cut.ts))
            handled_ts = before.handled_ts if before is not None else None
            found.append(_as_fault(cut, greatest(handled_ts, *_connected_before(cut, connected))))
    return found


def asked_times(facts: Sequence[Fact], outages: Iterable[Fault], timings: Iterable[NodeTimings]) -> list[AskedTime]:
    """The times in which the controller did not reach a broker, and the times before these.

    The lines in these times show whether the broker ran, and when a request last arrived.
    """
    return [
        asked
        for cut in _unreached(facts, outages, timings)
        for asked in (AskedTime(cut.broker, *cut.times_around), AskedTime(cut.broker, None, cut.ts))
    ]


@reads(*_FAILED)
def _unreached(facts: Sequence[Fact], outages: Iterable[Fault], timings: Iterable[NodeTimings]) -> Iterator[Unreached]:
    """The times of failures that no outage of either node explains, and that are too long for a running broker.

    A silence of unknown cause explains no failures that outlast it: the node logs again, and is out of reach as before.
    """
    known_ones = list(outages)
    silences, waits = of_kind(known_ones, "silent"), Timings(timings)
    away = Times(not_of_kind(known_ones, "silent"), OPEN_MS)
    failures = [
        fact
        for fact in facts
        if fact.kind in _FAILED
        and fact.ts is not None
        and fact.node_id is not None
        and _peer(fact) not in (None, fact.node_id)
        and not away.hold(fact.node_id, fact.ts)
        and not away.hold(_peer(fact), fact.ts)
    ]

    def socket_ms(fact: Fact) -> int:
        timeout_ms: int = waits.at(fact.node_id, fact.ts).controller_socket_ms
        return timeout_ms

    connected = _connections(facts)
    for burst in bursts_of(
        failures,
        by=lambda fact: (fact.node_id, _peer(fact), socket_ms(fact)),
        gap_ms=lambda fact: socket_ms(fact) + RETRIED_MS,
    ):
        cut = _of_burst(burst, socket_ms(burst[0]), connected)
        lasting = [one for one in silences if not less(plus_millis(one.end_ts, LEAST_MS), cut.end_ts)]
        silent = Times(lasting, OPEN_MS)
        is_silent = any(silent.hold(node, cut.ts, cut.end_ts) for node in (cut.controller, cut.broker))
        if (millis(cut.end_ts, cut.ts) or 0) >= LEAST_MS and not is_silent:
            yield cut


def _of_burst(burst: list[Fact], socket_ms: int, connected: Iterable[Fact]) -> Unreached:
    """The time of a burst of failures. It ends when the controller reaches the broker again, or else with the last
    attempt.
    """
    controller, broker = burst[0].node_id, _peer(burst[0])
    ts, last_ts = begin_of(burst), end_of(burst)
    until = plus_millis(last_ts, socket_ms + RETRIED_MS)
    assert broker is not None and ts is not None and last_ts is not None and until is not None
    again = [
        one.ts
        for one in connected
        if one.node_id == controller and _peer(one) == broker and one.ts is not None and last_ts <= one.ts <= until
    ]
    return Unreached(controller, broker, ts, min(again, default=last_ts), socket_ms, count_of(burst), proof_of(burst))


@reads(_REACHED)
def _connections(facts: Iterable[Fact]) -> list[Fact]:
    """The lines about connections of controllers to brokers."""
    return [fact for fact in facts if fact.kind == _REACHED and _peer(fact) is not None]


def _connected_before(cut: Unreached, connected: Iterable[Fact]) -> list[datetime]:
    """When a controller had connected to the broker before."""
    return [ts for one in connected if _peer(one) == cut.broker for ts in known([one.ts, one.last_ts]) if ts < cut.ts]


def _peer(fact: Fact) -> int | None:
    """The broker that a request goes to: up to 1.0 in the thread's name, later at the end of the line."""
    in_name = number_in(fact.message, r"to-broker-(\d+)-send")
    at_end = number_in(fact.message, r"to(?: broker)? \S{1,300} \(id: (\d+) rack: [^)]{0,300}\)(?!.{0,300}\(id: )")
    return first_known(in_name, at_end)


def _as_fault(cut: Unreached, reached_ts: datetime | None) -> Fault:
    return fault(
        "out_of_controllers_reach",
        statement(
            "controller_could_not_reach",
            broker=cut.broker,
            controller=cut.controller,
            at_from=cut.ts,
            at_to=cut.end_ts,
            tries=cut.tries,
        ),
        broker_id=cut.broker,
        ts=cut.ts,
        end_ts=cut.end_ts,
        began_low=first_known(reached_ts, plus_millis(cut.ts, -cut.socket_ms)),
        confidence=0.85,
        evidence=cut.evidence,
    )
