"""Brokers that were fenced late because no controller was active: a new active controller restarts all sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.controllers import KRAFT, active_from
from replay.facts.order import at_most, less
from replay.facts.times import first_known, known, millis, plus_millis
from replay.faults.quorum import LEADER_BACK_MS
from replay.sentences import Statement, statement
from replay.sentences.spans import duration, span
from replay.tables.brokers import Controller
from replay.tables.causes import Effect
from replay.tables.faults import Fault


@dataclass(frozen=True)
class LateDetection:
    """A fault of a broker; the controller that became active after it began; and when that controller fenced the broker."""

    fault: Fault
    controller_id: int | None
    active_ts: datetime
    fenced_ts: datetime

    @property
    def as_statement(self) -> Statement:
        """How long it took, and which part of it passed before a controller was active."""
        high = first_known(self.fault.began_high, self.fault.ts)
        low = self.fault.began_low if self.fault.began_high is not None else high
        return statement(
            "fenced_late",
            broker=self.fault.broker_id,
            whole=span(millis(self.fenced_ts, high), millis(self.fenced_ts, low)),
            waited=span(millis(self.active_ts, high), millis(self.active_ts, low)),
            controller=self.controller_id,
            at_active=self.active_ts,
            session=duration(millis(self.fenced_ts, self.active_ts) or 0),
        )


def late_detections(
    faults: Iterable[Fault], effects: Iterable[Effect], controllers: Iterable[Controller]
) -> Iterator[LateDetection]:
    """The ends of sessions whose timeout began only as a controller became active, after the fault of the broker. Leaves
    out controllers whose first line shows that they were active before.
    """
    by_id = {fault.fault_id: fault for fault in faults}
    begun = [one for one in controllers if one.mode == KRAFT and not one.begun_before]
    active = [(ts, one.controller_id) for one in begun for ts in known([active_from(one)])]
    for effect in effects:
        own = [by_id[root] for root in effect.root_ids if root in by_id and by_id[root].broker_id == effect.node_id]
        if effect.kind != "detected" or effect.by == "controlled_shutdown" or effect.ts is None or not own:
            continue
        last = max((one for one in active if at_most(one[0], effect.ts)), default=None)
        if last is not None and less(first_known(own[0].began_high, own[0].ts), last[0]):
            yield LateDetection(own[0], last[1], last[0], effect.ts)


def delayed_by(lost: Fault, late: Sequence[LateDetection]) -> list[int]:
    """The brokers that were fenced late because the metadata quorum was lost."""
    during = (
        one.fault.broker_id
        for one in late
        if at_most(lost.ts, one.active_ts) and at_most(one.active_ts, plus_millis(lost.end_ts, LEADER_BACK_MS))
    )
    return sorted(set(known(during)))
