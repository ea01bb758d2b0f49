"""Who would have logged the opposite of a conclusion from silence, and whether their logs cover the time.

A change of leader is logged by each running replica that applies it, the new leader included: in its state-change log,
up to 2.5 in server.log (facts §1.8). A shrunk ISR is logged by the leader, in server.log. What keeps a node from
applying a change, such as a pause or a lost session, is logged in its server.log. KRaft controllers log no change of a
leader or an ISR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replay.coverage.log_kinds import CONTROLLER, SERVER
from replay.facts.groups import by_key
from replay.facts.in_time import EVER, NEVER
from replay.facts.intervals import Interval, common, united
from replay.facts.times import plus_millis
from replay.tables.brokers import Controller
from replay.tables.coverage import CoverageSpan

_COPIED_WITHIN_MS = 60_000  # an operator copies the files of all nodes within this time


class Covered:
    """The times that the logs of each node cover without a missing line.

    Logs that end within a minute of each other were copied at the same time: they end with the input, not with their last
    lines.
    """

    def __init__(self, coverage_spans: Sequence[CoverageSpan], controllers: Sequence[Controller] = ()) -> None:
        last_ts = max((span.end_ts for span in coverage_spans), default=EVER)
        copied_ts = plus_millis(last_ts, -_COPIED_WITHIN_MS) if coverage_spans else EVER
        coverage_spans = [span.but(end_ts=NEVER) if span.end_ts >= copied_ts else span for span in coverage_spans]
        logs_of_roles = {span.log for span in coverage_spans if span.roles}
        own_logs = by_key((span for span in coverage_spans if span.roles), lambda span: span.node_id)
        complete = by_key((span for span in coverage_spans if span.complete), lambda span: span.node_id)
        self._roles: dict[int, list[Interval]] = {}
        self._server: dict[int, list[Interval]] = {}
        for node, spans in complete.items():
            logs = {span.log for span in own_logs[node]} or logs_of_roles
            self._roles[node] = _times(span for span in spans if span.log in logs)
            self._server[node] = _times(span for span in spans if span.log == SERVER)
        self.active = [
            (controller.controller_id, times)
            for controller in controllers
            for times in common(
                [(controller.start_ts or EVER, controller.end_ts or NEVER)],
                _times(span for span in complete[controller.controller_id] if span.log == CONTROLLER),
            )
        ]
        """When each active controller would have logged that a broker returns, as long as it is active and runs."""

    def roles(self, node_id: int) -> Sequence[Interval]:
        """When the node would have logged that it became a leader or a follower."""
        return self._roles.get(node_id, [])

    def server(self, node_id: int) -> Sequence[Interval]:
        """When the node would have logged its faults, and as a leader its changes of ISRs."""
        return self._server.get(node_id, [])

    def roles_and_faults(self, node_id: int) -> Sequence[Interval]:
        """When the node would have logged a change of its role, and also what kept it from applying one."""
        return common(self.roles(node_id), self.server(node_id))


def _times(spans: Iterable[CoverageSpan]) -> list[Interval]:
    return united((span.start_ts, span.end_ts) for span in spans)
