"""The times in which a running broker learned nothing from the cluster: it was frozen, or cut off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from replay.facts.groups import grouped
from replay.facts.intervals import Interval
from replay.facts.order import at_most, less
from replay.facts.times import CLOCKS_AT_MOST_MS, first_known, least, plus_millis
from replay.partitions.broker_moves import BrokerMoves
from replay.tables.faults import Fault, Pause
from replay.tables.partitions import PartitionStateReport

_OF_BROKERS = ("leader", "follower", "request", "intent")  # the others are the controller's or the cluster's own record
CAUGHT_UP_MS = 5_000  # a broker that is back has taken on its missed roles within this


@dataclass(frozen=True)
class Absences:
    """By broker, the times in which it was frozen or cut off, each with the time that it needs to catch up afterwards.
    What it logs then may have happened at any time since the absence began.
    """

    of_broker: Mapping[int, Sequence[Interval]] = field(default_factory=dict)

    @staticmethod
    def of(pauses: Iterable[Pause], sessions_lost_alive: Iterable[Fault]) -> Absences:
        """The absences, from rows of the tables with these names."""
        ended = [one for one in (*pauses, *sessions_lost_alive) if one.broker_id is not None and one.end_ts is not None]
        return Absences({broker: [_until_caught_up(one) for one in own] for broker, own in _by_broker(ended)})

    def since(self, broker: int | None, ts: datetime | None) -> datetime | None:
        """When the absence began that includes `ts`, or the first one of several; None without one."""
        own = self.of_broker.get(broker, ()) if broker is not None else ()
        return min((start for start, end in own if less(start, ts) and not less(end, ts)), default=None)


NO_ABSENCES = Absences()


def is_missed(reports: Sequence[PartitionStateReport], absences: Absences, broker_moves: BrokerMoves) -> bool:
    """Whether only brokers that had missed it report a leader epoch, or a state, first. A leader that the controller
    has just let in again had not missed it.
    """
    first_ts = least(*(one.ts for one in reports))
    at_first = [one for one in reports if at_most(one.ts, plus_millis(first_ts, CLOCKS_AT_MOST_MS))]
    return bool(at_first) and all(
        one.witness in _OF_BROKERS
        and absences.since(one.node_id, one.ts) is not None
        and not _is_let_in(one, broker_moves)
        for one in at_first
    )


def _is_let_in(report: PartitionStateReport, broker_moves: BrokerMoves) -> bool:
    is_own = report.node_id is not None and report.node_id == report.leader_id
    return is_own and broker_moves.ran_since(report.node_id, report.ts) is not None


def _by_broker(faults: Iterable[Fault | Pause]) -> Iterable[tuple[int, Sequence[Fault | Pause]]]:
    return grouped(faults, lambda one: one.broker_id).items()


def _until_caught_up(absence: Fault | Pause) -> Interval:
    back_ts = first_known(absence.ended_high, absence.end_ts)
    end_ts = plus_millis(back_ts, CAUGHT_UP_MS)
    start_ts = first_known(absence.began_low, absence.ts)
    assert start_ts is not None and end_ts is not None
    return start_ts, end_ts
