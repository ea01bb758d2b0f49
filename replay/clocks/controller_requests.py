"""The requests of a ZooKeeper mode controller to the brokers, and the correlation ids that its lines omit."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from replay.facts.lines import detail, detail_number, number_in
from replay.tables.clocks import StampedLine

SENT = {
    "controller_send_leader_and_isr_summary": "LeaderAndIsr",
    "controller_send_stop_replica_summary": "StopReplica",
    "controller_send_update_metadata_summary": "UpdateMetadata",
}
HANDLED = {"broker_leader_and_isr_request": "LeaderAndIsr", "broker_stop_replica_request": "StopReplica"}
UPDATED = "broker_metadata_update_summary"
KINDS = (*SENT, *HANDLED, UPDATED, "controller_elected", "controller_broker_change", "controller_send_failed_retry")
_COUNT = re.compile(r"(?<!\d)(\d{1,9}) (?:become|partitions|replicas)")


class _Request(NamedTuple):
    """A request without the controller epoch, as a broker logs it."""

    controller_id: int | None
    correlation_id: int | None
    api: str
    partitions: int

    def key(self, controller_epoch: int | None, broker_id: int | None) -> str | None:
        parts = (self.controller_id, controller_epoch, broker_id, self.correlation_id, self.api, self.partitions)
        return None if None in parts else ":".join(map(str, parts))


@dataclass
class Requests:
    """What one node logged about these requests, both as the controller that sends them and as the broker that
    handles them.

    The controller sends the requests to a broker in order over one connection, numbers them from 0, and gives a
    retry a new number. A broker logs the controller epoch only when it handles an UpdateMetadata request, which
    follows a LeaderAndIsr request.
    """

    sent: str | None = None
    handled: str | None = None
    handled_before: str | None = None
    _elected: bool = False
    _next: dict[int, int | None] = field(default_factory=dict)
    _last: _Request | None = None

    def observe(self, line: StampedLine) -> None:
        kind = line.kind or ""
        self.sent = self.handled = self.handled_before = None
        if kind == "controller_elected":
            self._elected, self._next = True, {}
        elif kind == "controller_broker_change":
            joined = f"{detail(line, 'new_brokers')},{detail(line, 'bounced_brokers')}"
            self._next.update((int(broker), 0) for broker in re.findall(r"\d{1,9}", joined))
        elif kind == "controller_send_failed_retry":
            broker = number_in(detail(line, "broker_node") or "", r"id: (\d{1,9})")
            if broker is not None:
                self._next[broker] = None
        elif kind in SENT:
            self.sent = " ".join(filter(None, (self._sent(line, broker) for broker in _receivers(line)))) or None
        elif kind in HANDLED:
            self._last = _request(line, HANDLED[kind])
        elif kind == UPDATED:
            request, last = _request(line, "UpdateMetadata"), self._last
            self.handled = request.key(line.controller_epoch, line.node_id)
            if last is not None and (last.controller_id, (last.correlation_id or 0) + 1) == request[:2]:
                self.handled_before = last.key(line.controller_epoch, line.node_id)

    def _sent(self, line: StampedLine, broker_id: int) -> str | None:
        correlation_id = self._next.get(broker_id, 0 if self._elected else None)
        if correlation_id is None:
            return None
        self._next[broker_id] = correlation_id + 1
        request = _Request(line.controller_id, correlation_id, SENT[line.kind or ""], _partitions(line))
        return request.key(line.controller_epoch, broker_id)


def _receivers(line: StampedLine) -> list[int]:
    named = detail(line, "broker_ids") or detail(line, "broker") or str(line.broker_id)
    return [int(broker) for broker in re.findall(r"\d{1,9}", named)]


def _request(line: StampedLine, api: str) -> _Request:
    return _Request(line.controller_id, detail_number(line, "correlation_id"), api, _partitions(line))


def _partitions(line: StampedLine) -> int:
    return sum(map(int, _COUNT.findall(line.message or "")))
