"""When no node was the active controller: from the end of one tenure until the next controller acts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from replay.facts.controllers import active_from, ends_of_office
from replay.facts.times import first_known, greatest, least, millis
from replay.faults.kinds import BY_NAME, CRASHES, ORDERED_STOPS, Stops
from replay.tables.brokers import Controller
from replay.tables.faults import Fault
from replay.tables.reading import Fact

RESIGNS_WITHIN_MS = 5_000  # a replaced controller learns of it this soon after it runs again, or reaches the others


@dataclass(frozen=True)
class Absence:
    """A time without an active controller: it began between `from_low` and `from_high`, and ended with the next
    controller, or by then (`is_over_by`) if only requests to other nodes show the next one.
    """

    old_id: int
    new_id: int
    from_low: datetime
    from_high: datetime
    to_ts: datetime
    fault_ids: tuple[
        str, ...
    ] = ()  # the faults of the old controller that may have ended its tenure, the nearest first
    is_over_by: bool = False

    @property
    def low_ms(self) -> int:
        return 0 if self.is_over_by else max(millis(self.to_ts, self.from_high) or 0, 0)

    @property
    def high_ms(self) -> int:
        return max(millis(self.to_ts, self.from_low) or 0, 0)


def controller_absences(
    controllers: Sequence[Controller], faults: Sequence[Fault], facts: Iterable[Fact]
) -> list[Absence]:
    """Every time without an active controller that has a known begin: the old controller resigns, or its process ends,
    freezes or is cut off from the voters. A controller that is asked to stop remains active until it resigns.
    """
    left = ends_of_office(facts)
    return [
        absence
        for _, tenures in groupby(sorted(controllers, key=_in_order), key=lambda tenure: tenure.mode)
        for old, new in pairwise(tenures)
        for absence in _between(old, new, faults, left)
    ]


def _in_order(tenure: Controller) -> tuple[bool, int]:
    return tenure.mode == "kraft", tenure.controller_epoch or 0


def _between(old: Controller, new: Controller, faults: Iterable[Fault], left: Iterable[Fact]) -> Iterator[Absence]:
    if old.start_ts is None or new.start_ts is None or old.controller_id is None:
        return
    stated = [line.ts for line in left if line.node_id == old.controller_id and old.start_ts <= line.ts <= new.start_ts]
    ended = [fault for fault in faults if _ends(fault, old, new, least(*stated))]
    stops = [fault.began_high for fault in ended if fault.kind in ORDERED_STOPS]
    others = [fault for fault in ended if fault.kind not in ORDERED_STOPS]
    from_high = least(*stated, *(fault.began_high for fault in others))
    from_low = least(*stated, *(first_known(fault.began_low, fault.began_high) for fault in others))
    if new.begun_before and not others:
        from_low = from_high = None  # a controller that resigns may do so because the next one was elected
    if from_high is None and stops:
        from_low, from_high = least(*stops), new.start_ts
    if from_high is not None and from_low is not None:
        from_low = greatest(from_low, old.start_ts)
        at = from_high
        ended.sort(key=lambda fault: abs(millis(fault.began_high, at) or 0))
        ids = tuple(fault.fault_id for fault in ended)
        is_over_by, to_ts = bool(new.begun_before), active_from(new)
        yield Absence(old.controller_id, new.controller_id, from_low, from_high, to_ts, ids, is_over_by)  # type: ignore[arg-type]


def _ends(fault: Fault, old: Controller, new: Controller, resigned_ts: datetime | None) -> bool:
    """Whether a fault ended the old controller's tenure: it began in the tenure, and lasted until the next one began or
    ended the process. A controller that restarts is no longer the active controller; one that resigns as soon as the
    fault is over was replaced meanwhile, if no line shows since when the next one was active.
    """
    if fault.broker_id != old.controller_id or not BY_NAME[fault.kind].stops & Stops.VOTING:
        return False
    began, ended = fault.began_high, first_known(fault.ended_high, fault.end_ts)
    is_last = ended is None or ended >= new.start_ts or fault.kind in (*CRASHES, *ORDERED_STOPS)
    if new.begun_before and abs(millis(resigned_ts, ended) or RESIGNS_WITHIN_MS) < RESIGNS_WITHIN_MS:
        is_last = True
    return began is not None and old.start_ts <= began <= new.start_ts and is_last
